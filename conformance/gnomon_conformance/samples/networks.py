"""Samples of losses."""

from ..inputs.description import bad, sample, tensor
from . import samples_of

TARGET = tensor(3, dtype="int64", values="below 4")
LOGITS = tensor(3, 4)
WEIGHT = tensor(4, values="positive", grad=False)
TOTAL_WEIGHT = tensor(values="positive", grad=False)
NONE, MEAN, SUM = 0, 1, 2
samples_of(
    "nll_loss_forward",
    [sample(LOGITS, TARGET, None, reduction, -100) for reduction in (NONE, MEAN, SUM)],
    tolerance="composed",
)
samples_of(
    "nll_loss_forward", [sample(LOGITS, TARGET, WEIGHT, reduction, 1) for reduction in (NONE, MEAN, SUM)]
)
samples_of("nll_loss_forward", [sample(tensor(4), tensor(dtype="int64", values="below 4"), None, MEAN, -100)])
samples_of(
    "nll_loss_backward",
    [
        sample(tensor(), LOGITS, TARGET, None, MEAN, -100, TOTAL_WEIGHT, smooth=False),
        sample(tensor(), LOGITS, TARGET, WEIGHT, SUM, 1, TOTAL_WEIGHT, smooth=False),
        sample(tensor(3), LOGITS, TARGET, WEIGHT, NONE, -100, TOTAL_WEIGHT, smooth=False),
    ],
    tolerance="composed",
)
samples_of(
    "nll_loss_nd cross_entropy_loss",
    [sample(LOGITS, TARGET), sample(LOGITS, TARGET, WEIGHT), sample(LOGITS, TARGET, None, SUM)],
    tolerance="composed",
)
samples_of(
    "nll_loss_nd cross_entropy_loss",
    [sample(LOGITS, TARGET, WEIGHT, NONE), sample(LOGITS, TARGET, None, MEAN, 1)],
)
samples_of(
    "nll_loss_nd cross_entropy_loss",
    [sample(tensor(4), tensor(dtype="int64", values="below 4")), sample(LOGITS, TARGET, WEIGHT, MEAN, 2)],
)
samples_of(
    "nll_loss_nd cross_entropy_loss",
    [
        bad("ValueError", LOGITS, tensor(2, dtype="int64", values="below 4")),
        bad("RuntimeError", LOGITS, TARGET, tensor(3)),
        bad(
            "IndexError",
            tensor(3, 1, layout="contiguous"),
            tensor(3, dtype="int64", values="positive", layout="contiguous"),
        ),
    ],
)
samples_of(
    "cross_entropy_loss",
    [sample(LOGITS, TARGET, label_smoothing=0.25), sample(LOGITS, TARGET, WEIGHT, SUM, -100, 0.5)],
)
samples_of(
    "cross_entropy_loss",
    [
        sample(LOGITS, tensor(3, 4, values="positive")),
        sample(LOGITS, tensor(3, 4, values="positive"), WEIGHT, NONE),
    ],
)
samples_of("cross_entropy_loss", [bad("RuntimeError", LOGITS, TARGET, label_smoothing=2.0)])
PAIR = (tensor(2, 3), tensor(2, 3))
samples_of(
    "mse_loss l1_loss", [sample(*PAIR, reduction) for reduction in (NONE, MEAN, SUM)], tolerance="composed"
)
samples_of(
    "mse_loss l1_loss",
    [
        sample(tensor(2, 3), tensor(3), differentiable=False),
        sample(tensor(), tensor(), NONE),
        bad("RuntimeError", tensor(2), tensor(3)),
    ],
)
