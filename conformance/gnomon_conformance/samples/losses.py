"""Samples of losses and distances."""

from ..inputs.description import REAL_FLOATS, bad, sample, tensor
from . import samples_of

NONE, MEAN, SUM = 0, 1, 2
INF = float("inf")


def pairs(*numbers, target="normal", values="normal", **kwargs):
    """Samples of an input and a target with each reduction, followed by the loss's other arguments."""
    return [
        *[
            sample(
                tensor(2, 3, values=values), tensor(2, 3, values=target), *numbers, reduction=each, **kwargs
            )
            for each in (NONE, MEAN, SUM)
        ],
        sample(tensor(values=values), tensor(values=target), *numbers, **kwargs),
        sample(tensor(0, 3, values=values), tensor(0, 3, values=target), *numbers, reduction=SUM, **kwargs),
    ]


DIFFERENCES = "l1_loss smooth_l1_loss huber_loss"
samples_of(DIFFERENCES, pairs(), tolerance="composed")
samples_of(
    DIFFERENCES,
    [
        sample(tensor(2, 3), tensor(3), NONE),
        sample(tensor(2, 1), tensor(3), NONE),
        sample(tensor(3), tensor(3, dtype="float64"), dtypes=["float32", "int64"], differentiable=False),
        sample(tensor(14, values="special"), tensor(14), NONE, differentiable=False),
        bad("RuntimeError", tensor(2), tensor(3)),
    ],
)
samples_of("smooth_l1_loss", [*pairs(beta=0.5), sample(tensor(3), tensor(3), beta=0.0)])
samples_of("smooth_l1_loss", [bad("RuntimeError", tensor(2), tensor(2), beta=-1.0)])
samples_of("huber_loss", [*pairs(delta=0.5), bad("RuntimeError", tensor(2), tensor(2), delta=0.0)])
samples_of("mse_loss", [bad("NotImplementedError", tensor(2), tensor(2), dtypes=["int64", "complex64"])])
samples_of(
    "_smooth_l1 _huber",
    [
        sample(tensor(2, 3), 1.0),
        sample(tensor(33, values="distinct"), 0.5, smooth=False),
        sample(tensor(14, values="special"), 0.5, dtypes=["float64"], differentiable=False),
    ],
    tolerance="composed",
)

samples_of(
    "_binary_cross_entropy",
    [
        sample(tensor(2, 3, values="below 2"), tensor(2, 3, values="below 2"), differentiable=False),
        sample(tensor(3, values="probability"), tensor(3, values="probability", seed=1)),
        bad("RuntimeError", tensor(2, values="positive"), tensor(2)),
    ],
    tolerance="composed",
)
samples_of(
    "binary_cross_entropy",
    [
        *pairs(values="probability", target="probability"),
        sample(
            tensor(2, 3, values="probability"),
            tensor(2, 3, values="below 2", grad=False),
            tensor(3, grad=False),
            NONE,
        ),
        sample(
            tensor(4, values="below 2"),
            tensor(4, values="below 2", seed=1),
            reduction=NONE,
            differentiable=False,
        ),
        bad("RuntimeError", tensor(9, values="normal"), tensor(9, values="below 2")),
        bad("RuntimeError", tensor(9, values="probability"), tensor(9, values="normal")),
        bad("RuntimeError", tensor(2, values="probability"), tensor(2, values="below 2", dtype="float64")),
    ],
    tolerance="composed",
)
samples_of(
    "binary_cross_entropy_with_logits",
    [
        *pairs(target="probability"),
        sample(
            tensor(2, 3),
            tensor(2, 3, values="probability"),
            tensor(3, grad=False),
            tensor(2, 1, grad=False),
            NONE,
        ),
        sample(tensor(2, 3), tensor(2, 3, values="below 2"), pos_weight=tensor(3, grad=False)),
        sample(
            tensor(14, values="special"), tensor(14, values="below 2"), reduction=NONE, differentiable=False
        ),
        sample(
            tensor(3, dtype="float64"), tensor(3), reduction=NONE, dtypes=["float32"], differentiable=False
        ),
        bad("RuntimeError", tensor(2), tensor(2, dtype="int64")),
        bad("RuntimeError", tensor(2), tensor(2), tensor(3)),
    ],
    tolerance="composed",
)
samples_of(
    "kl_div",
    [
        *pairs(target="positive"),
        *pairs(log_target=True),
        sample(tensor(2, 3), tensor(3, values="positive"), NONE),
        sample(tensor(3), tensor(3, values="zeros"), NONE, differentiable=False),
        bad("RuntimeError", tensor(2), tensor(2), dtypes=["int64", "complex64"]),
    ],
    tolerance="composed",
)
SIGNS = tensor(4, values="signs", grad=False)
samples_of(
    "hinge_embedding_loss soft_margin_loss",
    [
        *[sample(tensor(4), SIGNS, reduction=each) for each in (NONE, MEAN, SUM)],
        sample(tensor(2, 4), SIGNS, reduction=NONE),
        sample(tensor(2, 4), SIGNS._replace(dtype="int64")),
        sample(tensor(0), tensor(0, grad=False), reduction=SUM),
        bad("RuntimeError", tensor(2), tensor(3)),
    ],
    tolerance="composed",
)
samples_of("hinge_embedding_loss", [sample(tensor(4), SIGNS, 0.5), sample(tensor(4), SIGNS, 2.0, NONE)])
samples_of(
    "margin_ranking_loss",
    [
        *[sample(tensor(4), tensor(4), SIGNS, reduction=each) for each in (NONE, MEAN, SUM)],
        sample(tensor(2, 4), tensor(4), SIGNS, 0.5, NONE),
        sample(tensor(4), tensor(4), SIGNS._replace(dtype="int64"), margin=0.25),
        bad("RuntimeError", tensor(2), tensor(3), tensor(3)),
    ],
    tolerance="composed",
)
samples_of(
    "cosine_embedding_loss",
    [
        *[sample(tensor(4, 3), tensor(4, 3), SIGNS, reduction=each) for each in (NONE, MEAN, SUM)],
        sample(tensor(4, 3), tensor(4, 3), SIGNS._replace(dtype="int64"), 0.25),
        sample(tensor(3), tensor(3), tensor(values="signs", grad=False)),
        sample(tensor(4, 3, values="zeros"), tensor(4, 3), SIGNS, reduction=NONE, smooth=False),
        bad("RuntimeError", tensor(2, 3), tensor(2, 3), tensor()),
        bad("RuntimeError", tensor(3), tensor(3), tensor(1)),
        bad("RuntimeError", tensor(2, 3), tensor(2, 3), tensor(2, 1)),
        bad("RuntimeError", tensor(2, 3), tensor(2, 4), tensor(2)),
    ],
    tolerance="composed",
)
THREE = (tensor(4, 3), tensor(4, 3), tensor(4, 3))
samples_of(
    "triplet_margin_loss",
    [
        *[sample(*THREE, reduction=each) for each in (NONE, MEAN, SUM)],
        sample(*THREE, 2.0, 1.0, 0.25, reduction=NONE),
        sample(*THREE, 0.5, 3.0, swap=True),
        sample(tensor(3), tensor(3), tensor(3)),
        bad("RuntimeError", tensor(2, 3), tensor(2, 3), tensor(3)),
    ],
    tolerance="composed",
)
samples_of(
    "pairwise_distance",
    [
        sample(tensor(2, 3), tensor(2, 3)),
        sample(tensor(2, 3), tensor(3), 1.0),
        sample(tensor(3), tensor(2, 1, 3), 3.0, 0.125, True),
        sample(tensor(), tensor()),
        sample(tensor(2, 3), tensor(2, 3), 0.0, smooth=False),
        sample(tensor(2, 3), tensor(2, 3), INF),
        sample(tensor(0, 3), tensor(0, 3)),
        bad("RuntimeError", tensor(2), tensor(3)),
    ],
    tolerance="composed",
)
samples_of(
    "cosine_similarity",
    [
        sample(tensor(2, 3), tensor(2, 3)),
        sample(tensor(2, 3), tensor(3), -1),
        sample(tensor(2, 3), tensor(2, 3), 0, 0.5),
        sample(tensor(2, 3), tensor(2, 3), 1, 4.0, smooth=False),
        sample(tensor(), tensor(), 0),
        sample(tensor(2, 3, values="zeros"), tensor(2, 3), differentiable=False),
        sample(tensor(2, 3), tensor(2, 3, dtype="float64"), dtypes=["int64", "bool"]),
        bad("RuntimeError", tensor(2, 3), tensor(2, 3), dtypes=["int64", "complex64"]),
        bad("IndexError", tensor(3), tensor(3)),
        bad("RuntimeError", tensor(2, 3), tensor(2, 4)),
    ],
    tolerance="composed",
)
NORMS = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, INF)
for name in ("cdist", "_cdist_forward"):
    samples_of(
        name,
        [
            *[sample(tensor(2, 3), tensor(4, 3), p, None, smooth=p > 0) for p in NORMS],
            sample(tensor(2, 3), tensor(4, 3), 2.0, 1),
            sample(tensor(2, 3), tensor(2, 3), 2.0, 2),
            sample(tensor(2, 2, 3), tensor(4, 3), 2.0, None),
            sample(tensor(2, 1, 2, 3), tensor(3, 1, 3), 1.0, None),
            sample(tensor(0, 3), tensor(2, 3), 2.0, None),
            sample(tensor(2, 0), tensor(3, 0), 2.0, None),
            bad("RuntimeError", tensor(3), tensor(2, 3), 2.0, None),
            bad("RuntimeError", tensor(2, 3), tensor(2, 4), 2.0, None),
            bad("RuntimeError", tensor(2, 3), tensor(2, 3), -1.0, None),
            bad("RuntimeError", tensor(2, 3), tensor(2, 3), 2.0, 7),
            bad("RuntimeError", tensor(2, 3), tensor(2, 3, dtype="float64"), 2.0, None),
        ],
        tolerance="composed",
    )
samples_of(
    "_cdist_backward",
    [
        sample(
            tensor(2, 4),
            tensor(2, 3),
            tensor(4, 3),
            p,
            tensor(2, 4, values="positive"),
            dtypes=REAL_FLOATS[2:],
            differentiable=False,
        )
        for p in NORMS
    ],
    tolerance="composed",
)
for name, layout in (("pdist", None), ("_pdist_forward", "contiguous")):
    samples_of(
        name,
        [
            *[sample(tensor(4, 3, layout=layout), p, smooth=p > 0) for p in NORMS],
            sample(tensor(1, 3), dtypes=REAL_FLOATS),
            sample(tensor(0, 3), dtypes=REAL_FLOATS, differentiable=False),  # PyTorch's backward crashes
            sample(tensor(3, 0), dtypes=REAL_FLOATS),
        ],
        tolerance="composed",
    )
samples_of("pdist", [bad("RuntimeError", tensor(3)), bad("RuntimeError", tensor(2, 3), -1.0)])
samples_of("pdist", [bad("RuntimeError", tensor(2, 3), dtypes=["int64", "complex64"])])
samples_of("_pdist_forward", [bad("RuntimeError", tensor(2, 3, layout="transposed"), 2.0)])
samples_of(
    "_pdist_backward",
    [
        sample(
            tensor(6, layout="contiguous"),
            tensor(4, 3, layout="contiguous"),
            p,
            tensor(6, values="positive", layout="contiguous"),
            dtypes=REAL_FLOATS[2:],
            differentiable=False,
        )
        for p in NORMS
    ],
    tolerance="composed",
)

CLASSES = tensor(2, values="below 3", dtype="int64", grad=False)
samples_of(
    "multi_margin_loss",
    [
        *[sample(tensor(2, 3), CLASSES, reduction=each) for each in (NONE, MEAN, SUM)],
        sample(tensor(2, 3), CLASSES, 2, 0.5, tensor(3, values="positive", grad=False)),
        sample(tensor(4), tensor(values="below 3", dtype="int64"), reduction=NONE),
        sample(tensor(4), tensor(1, values="below 3", dtype="int64"), reduction=NONE),
        sample(tensor(), tensor(values="zeros", dtype="int64")),
        sample(tensor(0, 3), tensor(0, dtype="int64"), reduction=NONE, dtypes=("float32", "float64")),
        bad("RuntimeError", tensor(2, 3), CLASSES, 3),
        bad("RuntimeError", tensor(2, 0), CLASSES),
        bad("RuntimeError", tensor(2, 3, 4), CLASSES),
        bad("RuntimeError", tensor(20, 2), tensor(20, values="below 3", dtype="int64")),
        bad("RuntimeError", tensor(3, 3), CLASSES),
        bad("RuntimeError", tensor(2, 3), tensor(1, 2, values="below 3", dtype="int64")),
        bad("RuntimeError", tensor(2, 3), tensor(2, values="below 3", dtype="int32")),
        bad("RuntimeError", tensor(2, 3), CLASSES, weight=tensor(2)),
        bad("RuntimeError", tensor(2, 3), CLASSES, weight=tensor(3, dtype="float64")),
        bad("NotImplementedError", tensor(2, 3), CLASSES, dtypes=["float16", "int64", "complex64"]),
    ],
    tolerance="composed",
)
LABELS = tensor(2, 3, values="below 3", dtype="int64", grad=False)
samples_of(
    "multilabel_margin_loss",
    [
        *[sample(tensor(2, 3), LABELS, reduction=each) for each in (NONE, MEAN, SUM)],
        sample(tensor(3), tensor(3, values="signs", dtype="int64"), NONE),
        sample(tensor(4), tensor(4, values="below 4", dtype="int64", seed=1)),
        sample(tensor(2, 5), tensor(2, 5, values="signs", dtype="int64")),
        sample(tensor(), tensor(values="zeros", dtype="int64")),
        sample(tensor(0, 3), tensor(0, 3, dtype="int64"), NONE, dtypes=("float32", "float64")),
        bad("RuntimeError", tensor(2, 0), tensor(2, 0, dtype="int64")),
        bad("RuntimeError", tensor(2, 3), tensor(2, 2, values="below 2", dtype="int64")),
        bad("RuntimeError", tensor(3), tensor(1, 3, values="below 2", dtype="int64")),
        bad("RuntimeError", tensor(20, 2), tensor(20, 2, values="below 3", dtype="int64")),
        bad("RuntimeError", tensor(3), tensor(3, values="below 2", dtype="int32")),
        bad("NotImplementedError", tensor(3), tensor(3, values="signs", dtype="int64"), dtypes=["bfloat16"]),
    ],
    tolerance="composed",
)
samples_of(
    "poisson_nll_loss",
    [
        *[
            sample(tensor(2, 3), tensor(2, 3, values="positive"), True, False, 1e-8, each)
            for each in (NONE, MEAN, SUM)
        ],
        sample(tensor(2, 3, values="positive"), tensor(3, values="positive"), False, False, 1e-3, NONE),
        sample(tensor(5), tensor(5, values="below 4"), True, True, 1e-8, NONE, differentiable=False),
        sample(tensor(5), tensor(5, values="positive"), True, True, 1e-8, SUM),
    ],
    tolerance="composed",
)

# log_probs need not be log probabilities, but the gradient assumes that they are: it differs from finite
# differences.  No target is the blank, 3.  PyTorch reads concatenated targets as if contiguous.
TARGETS = tensor(2, 3, values="below 3", dtype="int64", grad=False)
FLAT_TARGETS = tensor(5, values="below 3", dtype="int64", grad=False, layout="contiguous")
samples_of(
    "_ctc_loss",
    [
        sample(tensor(5, 2, 4), TARGETS, [5, 5], [3, 3], 3, smooth=False),
        sample(
            tensor(6, 2, 4), tensor(2, 1, values="below 3", dtype="int64"), [6, 6], [1, 1], 3, smooth=False
        ),
        sample(tensor(3, 1, 4), tensor(0, dtype="int64"), [3], [0], 3, smooth=False),
        sample(tensor(2, 2, 4), TARGETS, [2, 2], [3, 3], 3, True, smooth=False),
        sample(
            tensor(5, 2, 4), tensor(2, 3, values="below 3", dtype="int32"), [5, 5], [3, 3], 3, smooth=False
        ),
        bad("RuntimeError", tensor(5, 2, 4), TARGETS, [5, 5], [3, 3], 4),
        bad("RuntimeError", tensor(5, 2, 4), TARGETS, [5, 6], [3, 3]),
        bad("RuntimeError", tensor(5, 2, 4), TARGETS, [5, -1], [3, 3]),
        bad("RuntimeError", tensor(5, 2, 4), TARGETS, [5, 5], [3, 4]),
        bad("RuntimeError", tensor(5, 2, 4), TARGETS, [5], [3, 3]),
        bad("RuntimeError", tensor(5, 2, 4), TARGETS, [5, 5], [3, 3, 3]),
        bad("RuntimeError", tensor(5, 2, 4), FLAT_TARGETS, [5, 5], [3, 3]),
        bad("RuntimeError", tensor(5, 0, 4), tensor(0, dtype="int64"), [], []),
        bad("RuntimeError", tensor(5, 2, 4), tensor(2, 3), [5, 5], [3, 3], dtypes=["float32"]),
        bad("NotImplementedError", tensor(5, 2, 4), TARGETS, [5, 5], [3, 3], dtypes=["float16", "int64"]),
    ],
    tolerance="composed",
)
samples_of(
    "_ctc_loss_backward",
    [
        sample(
            tensor(2),
            tensor(4, 2, 3),
            tensor(2, 1, values="below 2", dtype="int64", seed=seed),
            times,
            lengths,
            tensor(2, values="positive"),
            tensor(2, 4, 3),
            blank,
            zero_infinity,
            differentiable=False,
        )
        for seed, times, lengths, blank, zero_infinity in (
            (0, [4, 4], [1, 1], 2, True),
            (1, [3, 4], [1, 0], 2, False),
            (2, [2, 1], [0, 0], 0, False),
        )
    ],
    tolerance="composed",
)
for _overload in ("IntList", "Tensor"):

    def _lengths(*numbers, _tensors=_overload == "Tensor"):
        """The numbers as a list; for the Tensor overload, a tensor of as many zeros."""
        return tensor(len(numbers), values="zeros", dtype="int64") if _tensors else list(numbers)

    samples_of(
        f"ctc_loss.{_overload}",
        [
            sample(tensor(5, 2, 4), TARGETS, _lengths(5, 5), _lengths(3, 3), 3, each, True, smooth=False)
            for each in (NONE, MEAN, SUM)
        ]
        + [bad("RuntimeError", tensor(5, 2, 4), TARGETS, _lengths(5, 5), _lengths(3, 3), 4)],
        tolerance="composed",
    )
samples_of(
    "ctc_loss.IntList",
    [
        sample(tensor(5, 2, 4), FLAT_TARGETS, [5, 4], [3, 2], 3, NONE, smooth=False),
        sample(tensor(5, 2, 4), FLAT_TARGETS, [3, 2], [1, 4], 3, MEAN, True, smooth=False),
        sample(tensor(5, 2, 4), TARGETS, [0, 5], [0, 2], 3, SUM, smooth=False),
        sample(tensor(5, 4), FLAT_TARGETS, [5], [5], 3, NONE, smooth=False),
        bad("RuntimeError", tensor(5, 2, 4), FLAT_TARGETS, [3, 2], [1, 3]),
    ],
)
samples_of(
    "ctc_loss.Tensor",
    [bad("RuntimeError", tensor(5, 2, 4), TARGETS, tensor(2, dtype="float32"), tensor(2, dtype="int64"))],
)
