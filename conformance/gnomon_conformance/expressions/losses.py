"""Losses and distances."""

from . import expressions_of

_F = "nn.functional."
for _name, _pair, _options in (
    ("mse_loss", "t(2, 3), t(2, 3, seed=1)", ("weight=t(2, 3, values='positive')",)),
    ("l1_loss", "t(2, 3), t(2, 3, seed=1)", ("weight=t(2, 3, values='positive')",)),
    ("smooth_l1_loss", "t(2, 3), t(2, 3, seed=1)", ("beta=0.5", "beta=0", "beta=-1.0")),
    ("huber_loss", "t(2, 3), t(2, 3, seed=1)", ("delta=0.5", "delta=0", "weight=t(2, 3, values='positive')")),
    ("kl_div", "t(2, 3), t(2, 3, values='positive')", ("log_target=True",)),
    (
        "binary_cross_entropy",
        "t(2, 3, values='probability'), t(2, 3, values='probability', seed=1)",
        ("weight=t(3)", "weight=t(2, 1)", "weight=t(4)"),
    ),
    (
        "binary_cross_entropy_with_logits",
        "t(2, 3), t(2, 3, values='probability')",
        ("weight=t(3)", "pos_weight=t(3)", "weight=t(2, 1), pos_weight=t(3)", "pos_weight=t(4)"),
    ),
    ("hinge_embedding_loss", "t(2, 3), t(2, 3, values='signs')", ("margin=0.25", "margin=2")),
    ("soft_margin_loss", "t(2, 3), t(2, 3, values='signs')", ()),
    ("margin_ranking_loss", "t(3), t(3, seed=1), t(3, values='signs')", ("margin=0.5",)),
    ("cosine_embedding_loss", "t(3, 4), t(3, 4, seed=1), t(3, values='signs')", ("margin=0.25",)),
    (
        "triplet_margin_loss",
        "t(3, 4), t(3, 4, seed=1), t(3, 4, seed=2)",
        ("margin=0.25", "p=1", "eps=0.5", "swap=True", "margin=-1.0", "margin=2, p=3, swap=True"),
    ),
):
    _float64 = _pair.replace(")", ", dtype='float64')")
    _half = _pair.replace(")", ", dtype='float16')")
    _integer = _pair.replace(")", ", dtype='int64')")
    _complex = _pair.replace(")", ", dtype='complex64')")
    _first, _rest = _pair.split("), ", 1)
    _first += ")"
    _reductions = ("none", "mean", "sum", "batchmean", "average")
    expressions_of(
        _F + _name,
        f"F.{_name}({_pair})",
        *[f"F.{_name}({_pair}, reduction='{each}')" for each in _reductions],
        *[f"F.{_name}({_pair}, {each})" for each in _options],
        *[f"F.{_name}({_pair}, {each}, reduction='none')" for each in _options],
        *[f"F.{_name}({_pair}, {each}, reduction='sum')" for each in _options],
        f"F.{_name}({_float64})",
        f"F.{_name}({_half}, reduction='none')",
        f"F.{_name}({_integer})",
        f"F.{_name}({_integer}, reduction='sum')",
        f"F.{_name}({_complex}, reduction='sum')",
        f"grad(lambda x: F.{_name}(x, {_rest}), {_first})",
        f"grad(lambda x: F.{_name}(x, {_rest}, reduction='none'), {_first})",
        f"F.{_name}(t(2, 3))",
        f"F.{_name}({_pair.replace('t(2, 3', 't(0, 3').replace('t(3', 't(0')})",
    )
    if _name != "soft_margin_loss":
        expressions_of(
            _F + _name,
            f"grad(F.{_name}, {_pair})",
            f"grad(lambda *x: F.{_name}(*x, reduction='none'), {_pair})",
        )
    if _name not in ("huber_loss",):
        expressions_of(
            _F + _name,
            f"F.{_name}({_pair}, size_average=False)",
            f"F.{_name}({_pair}, reduce=False)",
            f"F.{_name}({_pair}, size_average=True, reduce=True)",
        )
for _name in ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"):
    expressions_of(
        _F + _name,
        f"F.{_name}(t(2, 3), t(3))",
        f"F.{_name}(t(2, 3), t(2, 1), reduction='none')",
        f"F.{_name}(t(3), t(4))",
        f"F.{_name}(t(2, 3), t(2, 3, dtype='float64'))",
        f"F.{_name}(t(2, 3), t(2, 3, dtype='int64'))",
        f"F.{_name}(t(3, 2, layout='transposed'), t(3, 2, layout='transposed'), reduction='none')",
        f"F.{_name}(t(2, 3), t(2, 3), weight=t(3))",
        f"F.{_name}(input=t(2), target=t(2))",
    )
expressions_of(
    _F + "binary_cross_entropy",
    "F.binary_cross_entropy(t(3, values='probability'), t(2, values='probability'))",
    "F.binary_cross_entropy(t(9, values='normal'), t(9, values='probability'))",
    "F.binary_cross_entropy(t(9, values='probability'), t(9, values='normal'))",
    "F.binary_cross_entropy(t(2, values='probability'), t(2, dtype='int64', values='below 2'))",
    "F.binary_cross_entropy(t(4, values='below 2'), t(4, values='below 2', seed=1), reduction='none')",
    "grad(lambda x: F.binary_cross_entropy(x, t(4, values='below 2', seed=1)), t(4, values='below 2'))",
)
expressions_of(
    _F + "binary_cross_entropy_with_logits",
    "F.binary_cross_entropy_with_logits(t(3), t(2))",
    "F.binary_cross_entropy_with_logits(t(3), t(3, dtype='int64'))",
    "F.binary_cross_entropy_with_logits(t(3), t(3, dtype='float64'))",
    "gn.binary_cross_entropy_with_logits(t(3), t(3), None, None, 0)",
)
expressions_of(
    _F + "kl_div",
    "F.kl_div(t(), t(values='positive'), reduction='batchmean')",
    "F.kl_div(t(2, 3), t(3, values='positive'), reduction='sum')",
    "F.kl_div(t(2, 3), t(2, 3, values='zeros'), reduction='none')",
    "gn.kl_div(t(2, 3), t(2, 3, values='positive'), 2, log_target=True)",
)
expressions_of(
    _F + "cosine_embedding_loss",
    "F.cosine_embedding_loss(t(3), t(3), t(values='signs'))",
    "F.cosine_embedding_loss(t(3), t(3), t(1))",
    "F.cosine_embedding_loss(t(2, 3), t(2, 3), t())",
    "F.cosine_embedding_loss(t(2, 3), t(2, 4), t(2))",
    "gn.cosine_embedding_loss(t(2, 3), t(2, 3), t(2, values='signs'), 0.5, 0)",
)
expressions_of(
    _F + "margin_ranking_loss",
    "F.margin_ranking_loss(t(2, 3), t(2, 3), t(3))",
    "F.margin_ranking_loss(t(2), t(3), t(3))",
    "gn.margin_ranking_loss(t(3), t(3), t(3, values='signs'), 0.5, 1)",
)
expressions_of(
    _F + "triplet_margin_loss",
    "F.triplet_margin_loss(t(2, 3), t(2, 3), t(3))",
    "F.triplet_margin_loss(t(3), t(3), t(3))",
    "gn.triplet_margin_loss(t(2, 3), t(2, 3), t(2, 3), 1.0, 2, 1e-06, False, 0)",
)
expressions_of(
    _F + "hinge_embedding_loss",
    "F.hinge_embedding_loss(t(3), t(3, dtype='int64', values='signs'))",
    "F.hinge_embedding_loss(t(2, 3), t(3, values='signs'), reduction='none')",
    "gn.hinge_embedding_loss(t(3), t(3, values='signs'), 0.5, 0)",
)
expressions_of(
    _F + "soft_margin_loss",
    "F.soft_margin_loss(t(3), t(3, dtype='int64', values='signs'))",
    "F.soft_margin_loss(t(2, 3), t(3, values='signs'), reduction='none')",
    "F.soft_margin_loss(t(3), t(3, dtype='float64', values='signs'))",
)
for _name, _input, _target, _weight in (
    ("nll_loss", "t(4, 3)", "t(4, dtype='int64', values='below 3')", "t(3, values='positive')"),
    ("nll_loss", "t(2, 3, 2, 2)", "t(2, 2, 2, dtype='int64', values='below 3')", "t(3, values='positive')"),
    ("nll_loss", "t(2, 3, 4)", "t(2, 4, dtype='int64', values='below 3')", "t(3, values='positive')"),
    ("nll_loss", "t(3)", "t(dtype='int64', values='below 3')", "t(3, values='positive')"),
    ("cross_entropy", "t(4, 3)", "t(4, dtype='int64', values='below 3')", "t(3, values='positive')"),
    ("cross_entropy", "t(2, 3, 4)", "t(2, 4, dtype='int64', values='below 3')", "t(3, values='positive')"),
    ("cross_entropy", "t(3)", "t(dtype='int64', values='below 3')", "t(3, values='positive')"),
    ("cross_entropy", "t(4, 3)", "t(4, 3, values='positive', seed=1)", "t(3, values='positive')"),
    ("cross_entropy", "t(2, 3, 4)", "t(2, 3, 4, values='positive', seed=1)", "t(3, values='positive')"),
    ("cross_entropy", "t(3)", "t(3, values='positive', seed=1)", "t(3, values='positive')"),
):
    _call = f"F.{_name}({_input}, {_target}"
    expressions_of(
        _F + _name,
        *[f"{_call}, reduction='{each}')" for each in ("none", "mean", "sum", "average")],
        *[f"{_call}, weight={_weight}, reduction='{each}')" for each in ("none", "mean", "sum")],
        f"{_call}, ignore_index=1)",
        f"{_call}, weight={_weight}, ignore_index=1, reduction='none')",
        f"{_call}, weight=t(2))",
        f"{_call}, reduce=False)",
        f"{_call}, size_average=False)",
        f"grad(lambda x: {_call.replace(_input, 'x', 1)}, weight={_weight}), {_input})",
        f"grad(lambda x: {_call.replace(_input, 'x', 1)}, reduction='none'), {_input})",
    )
    if _name == "cross_entropy":
        expressions_of(
            _F + _name,
            *[f"{_call}, label_smoothing=0.25, reduction='{each}')" for each in ("none", "mean", "sum")],
            f"{_call}, label_smoothing=0.25, weight={_weight})",
            f"{_call}, label_smoothing=0.25, weight={_weight}, ignore_index=1, reduction='none')",
            f"{_call}, label_smoothing=0.25, weight={_weight}, ignore_index=1)",
            f"{_call}, label_smoothing=1.5)",
            f"grad(lambda x: {_call.replace(_input, 'x', 1)}, {_weight}, label_smoothing=0.5), {_input})",
        )
    else:
        expressions_of(
            _F + _name,
            f"{_call.replace('below 3', 'below 9')})",
            f"{_call.replace('int64', 'int32')})",
            f"{_call.replace('int64', 'float32')})",
        )
for _name in ("nll_loss", "cross_entropy"):
    expressions_of(
        _F + _name,
        f"F.{_name}(t(4, 3), t(3, dtype='int64', values='below 3'))",
        f"F.{_name}(t(4, 3), t(4, 2, dtype='int64', values='below 3'))",
        f"F.{_name}(t(), t(dtype='int64', values='below 3'))",
        f"F.{_name}(t(0, 3), t(0, dtype='int64', values='below 3'))",
        f"F.{_name}(t(4, 3), t(4, dtype='int64', values='zeros'), ignore_index=0)",
        f"F.{_name}(t(4, 3, dtype='int64'), t(4, dtype='int64', values='below 3'))",
        f"F.{_name}(t(4, 3, dtype='float16'), t(4, dtype='int64', values='below 3'))",
        f"F.{_name}(t(2, 3, 4, dtype='bfloat16'), t(2, 4, dtype='int64', values='below 3'), reduction='sum')",
        f"F.{_name}(t(4, 3), t(4, dtype='uint8', values='below 3'))",
        f"F.{_name}(t(2, 3, 4), t(4, 2, dtype='int64', values='below 3'))",
        f"F.{_name}(t(4, 3), t(4, dtype='int64', values='below 3'), weight=t(3, dtype='float64'))",
        f"F.{_name}(input=t(4, 3), target=t(4, dtype='int64', values='below 3'))",
    )

expressions_of(
    _F + "cosine_similarity",
    "F.cosine_similarity(t(2, 3), t(2, 3, seed=1))",
    "F.cosine_similarity(t(2, 3), t(3), dim=-1)",
    "F.cosine_similarity(t(2, 3), t(2, 3, seed=1), dim=0, eps=1.5)",
    "gn.cosine_similarity(t(2, 3), t(2, 3, seed=1), 1, 1e-3)",
    "F.cosine_similarity(x1=t(2, 3), x2=t(2, 3))",
    "F.cosine_similarity(t(3), t(3))",
    "F.cosine_similarity(t(3, values='zeros'), t(3), dim=0)",
    "F.cosine_similarity(t(3, dtype='int64'), t(3, dtype='int64'), dim=0)",
    "F.cosine_similarity(t(3, dtype='int64'), t(3, dtype='float64'), dim=0)",
    "F.cosine_similarity(t(2, 3), t(2, 4))",
    "F.cosine_similarity(t(2, 1, 3), t(4, 3), 2)",
    "grad(F.cosine_similarity, t(2, 3), t(2, 3, seed=1))",
    "grad(lambda x, y: F.cosine_similarity(x, y, eps=9.0), t(2, 3), t(2, 3, seed=1))",
    "grad(F.cosine_similarity, t(2, 3, values='zeros'), t(2, 3, seed=1))",
)
expressions_of(
    _F + "pairwise_distance",
    "F.pairwise_distance(t(2, 3), t(2, 3, seed=1))",
    "F.pairwise_distance(t(2, 3), t(3), p=1, eps=0.5, keepdim=True)",
    "gn.pairwise_distance(t(2, 3), t(2, 3, seed=1), 3.0)",
    "F.pairwise_distance(x1=t(3), x2=t(3))",
    "F.pairwise_distance(t(3), t(2, 1, 3))",
    "F.pairwise_distance(t(2, 3), t(2, 3, seed=1), p=inf)",
    "F.pairwise_distance(t(2, 3), t(2, 3, seed=1), p=0)",
    "F.pairwise_distance(t(2, 3), t(2, 3, seed=1), p=-inf)",
    "F.pairwise_distance(t(2, 3), t(2, 3, seed=1), p=-1.5)",
    "F.pairwise_distance(t(3, dtype='int64'), t(3, dtype='int64'))",
    "F.pairwise_distance(t(3), t(4))",
    "F.pairwise_distance(t(2, 3, dtype='complex64'), t(2, 3))",
    "grad(F.pairwise_distance, t(2, 3), t(2, 3, seed=1))",
    "grad(lambda x, y: F.pairwise_distance(x, y, 3), t(2, 3), t(2, 3, seed=1))",
)
for _p in ("0", "0.5", "1", "1.5", "2", "3", "inf", "-1.0"):
    expressions_of(_F + "pdist", f"F.pdist(t(4, 3), {_p})", f"grad(lambda x: F.pdist(x, p={_p}), t(4, 3))")
    expressions_of(
        "cdist",
        f"gn.cdist(t(4, 3), t(2, 3, seed=1), {_p})",
        f"gn.cdist(t(2, 1, 2, 3), t(3, 4, 3, seed=1), p={_p})",
        f"grad(lambda x, y: gn.cdist(x, y, p={_p}), t(4, 3), t(2, 3, seed=1))",
        f"grad(lambda x, y: gn.cdist(x, y, {_p}), t(2, 2, 3), t(3, 3, seed=1))",
        f"grad(lambda x: gn.cdist(x, x, {_p}), t(3, 2))",
    )
expressions_of(
    _F + "pdist",
    "F.pdist(t(4, 3))",
    "gn.pdist(t(3, 4, layout='transposed'))",
    "F.pdist(t(1, 3))",
    "F.pdist(t(0, 3))",
    "F.pdist(t(3))",
    "F.pdist(t(2, 3, 4))",
    "F.pdist(t(4, 3, dtype='int64'))",
    "F.pdist(t(4, 3, dtype='complex64'))",
    "F.pdist(input=t(3, 2))",
)
expressions_of(
    "cdist",
    "gn.cdist(t(4, 3), t(2, 3))",
    "gn.cdist(t(30, 3), t(28, 3, seed=1))",
    *[
        f"gn.cdist(t(3, 3), t(2, 3, seed=1), compute_mode='{mode}')"
        for mode in (
            "use_mm_for_euclid_dist_if_necessary",
            "use_mm_for_euclid_dist",
            "donot_use_mm_for_euclid_dist",
            "other",
        )
    ],
    "gn.cdist(x1=t(3, 3), x2=t(2, 3))",
    "gn.cdist(t(3), t(2, 3))",
    "gn.cdist(t(3, 2), t(2, 3))",
    "gn.cdist(t(3, 2, dtype='int64'), t(2, 2, dtype='int64'))",
    "gn.cdist(t(3, 2), t(2, 2, dtype='float64'))",
    "gn.cdist(t(0, 2), t(2, 2))",
    "gn.cdist(t(3, 0), t(2, 0))",
)
expressions_of(
    _F + "normalize",
    "F.normalize(t(2, 3))",
    "F.normalize(t(2, 3), p=1, dim=0)",
    "F.normalize(t(2, 3, 2), 3.0, dim=-1)",
    "F.normalize(t(2, 3), eps=9.0)",
    "F.normalize(t(2, 3, values='zeros'))",
    "F.normalize(t(2, 3), out=t(2, 3))",
    "F.normalize(t(3))",
    "F.normalize(t(3), dim=0, p=inf)",
    "F.normalize(t(3, dtype='int64'), dim=0)",
    "F.normalize(t(3, dtype='complex64'), dim=0)",
    "F.normalize(t(3, 2, layout='transposed'), dim=(0, 1))",
    "grad(F.normalize, t(2, 3))",
    "grad(lambda x: F.normalize(x, eps=9.0), t(2, 3))",
)

_CLASSES, _LABELS = "gn.tensor([2, 0])", "gn.tensor([[2, 0, -1], [1, -1, 0]])"
expressions_of(
    "nn.functional.multi_margin_loss",
    f"F.multi_margin_loss(t(2, 3), {_CLASSES})",
    f"F.multi_margin_loss(t(2, 3), {_CLASSES}, p=2, margin=0.5, weight=t(3, seed=1), reduction='none')",
    "F.multi_margin_loss(input=t(3), target=gn.tensor(1), reduction='sum')",
    f"F.multi_margin_loss(t(2, 3), {_CLASSES}, size_average=False)",
    f"F.multi_margin_loss(t(2, 3), {_CLASSES}, p=3)",
    f"F.multi_margin_loss(t(2, 3), {_CLASSES}, weight=t(1, 3))",
    f"F.multi_margin_loss(t(2, 3), {_CLASSES}, reduction='most')",
    "F.multi_margin_loss(t(2, 3), gn.tensor([0, 3]))",
    "F.multi_margin_loss(t(2, 3), gn.tensor([-1, 0]))",
    "F.multi_margin_loss(gn.ones(2, 3), gn.tensor([1, 0]), margin=0)",
    "grad(lambda x: F.multi_margin_loss(x, gn.tensor([1, 0]), margin=0), gn.ones(2, 3))",
    f"grad(lambda x: F.multi_margin_loss(x, {_CLASSES}, 2), t(2, 3))",
)
expressions_of(
    "nn.functional.multilabel_margin_loss",
    f"F.multilabel_margin_loss(t(2, 3), {_LABELS})",
    f"F.multilabel_margin_loss(input=t(2, 3), target={_LABELS}, reduction='none')",
    "F.multilabel_margin_loss(t(3), gn.tensor([2, -1, 0]))",
    "F.multilabel_margin_loss(t(3), gn.tensor([0, 0, 2]), reduction='sum')",
    "F.multilabel_margin_loss(t(3), gn.tensor([0, 3, 2]))",
    "F.multilabel_margin_loss(t(3), gn.tensor([0, -2, 2]))",
    "F.multilabel_margin_loss(t(2, 3), gn.tensor([0, 1, 2]))",
    f"grad(lambda x: F.multilabel_margin_loss(x, {_LABELS}), t(2, 3))",
    "grad(lambda x: F.multilabel_margin_loss(x, gn.tensor([0, -1, 1])), gn.tensor([1.0, 0.0, 3.0]))",
)
expressions_of(
    "nn.functional.multilabel_soft_margin_loss",
    "F.multilabel_soft_margin_loss(t(2, 3), t(2, 3, values='below 2'))",
    "F.multilabel_soft_margin_loss(t(2, 3), t(2, 3, values='below 2'), weight=t(3), reduction='none')",
    "F.multilabel_soft_margin_loss(t(3), t(3, values='below 2'), reduction='sum')",
    "F.multilabel_soft_margin_loss(t(2, 3), t(2, 3, values='below 2'), reduction='most')",
    "F.multilabel_soft_margin_loss(t(2, 3), t(2, 2, values='below 2'))",
    "grad(lambda x: F.multilabel_soft_margin_loss(x, t(2, 3, values='below 2')), t(2, 3))",
)
expressions_of(
    "nn.functional.triplet_margin_with_distance_loss",
    "F.triplet_margin_with_distance_loss(t(2, 3), t(2, 3, seed=1), t(2, 3, seed=2))",
    "F.triplet_margin_with_distance_loss(t(2, 3), t(2, 3, seed=1), t(2, 3, seed=2), swap=True, margin=2.0, "
    "reduction='none', distance_function=lambda a, b: (a - b).abs().sum(1))",
    "F.triplet_margin_with_distance_loss(t(2, 3), t(3), t(2, 3))",
    "F.triplet_margin_with_distance_loss(t(3), t(3), t(3), margin=0)",
    "F.triplet_margin_with_distance_loss(t(3), t(3), t(3), reduction='most')",
    "grad(lambda x, y: F.triplet_margin_with_distance_loss(x, y, t(2, 3, seed=2)), t(2, 3), t(2, 3, seed=1))",
)
expressions_of(
    "nn.functional.poisson_nll_loss",
    "F.poisson_nll_loss(t(2, 3), t(2, 3, values='below 4'))",
    "F.poisson_nll_loss(t(2, 3), t(2, 3, values='below 4'), full=True, reduction='none')",
    "F.poisson_nll_loss(t(4, values='positive'), t(4, values='below 4'), False, eps=0.1, reduction='sum')",
    "F.poisson_nll_loss(t(4), t(4, values='below 4', dtype='int64'), reduce=False)",
    "F.poisson_nll_loss(t(4), t(4), reduction='most')",
    "gn.poisson_nll_loss(t(4), t(4), True, False, 1e-8, 2)",
    "grad(lambda x: F.poisson_nll_loss(x, t(3, values='below 4')), t(3))",
)
expressions_of(
    "nn.functional.gaussian_nll_loss",
    "F.gaussian_nll_loss(t(2, 3), t(2, 3, seed=1), t(2, 3, values='positive'))",
    "F.gaussian_nll_loss(t(2, 3), t(2, 3, seed=1), t(2, values='positive'), full=True, reduction='none')",
    "F.gaussian_nll_loss(t(2, 3), t(2, 3, seed=1), var=t(2, 1, values='positive'), reduction='sum')",
    "F.gaussian_nll_loss(t(2, 3), t(2, 3, seed=1), 2.0)",
    "F.gaussian_nll_loss(t(2, 3), t(2, 3, seed=1), gn.zeros(2, 3), eps=0.25)",
    "F.gaussian_nll_loss(t(2, 3), t(2, 3, seed=1), -2.0)",
    "F.gaussian_nll_loss(t(2, 3), t(2, 3, seed=1), -gn.ones(2, 3))",
    "F.gaussian_nll_loss(t(2, 3), t(2, 3, seed=1), gn.ones(3))",
    "F.gaussian_nll_loss(t(2, 3), t(2, 3, seed=1), gn.ones(2, 3), reduction='most')",
    "grad(lambda x, v: F.gaussian_nll_loss(x, t(3, seed=1), v), t(3), t(3, values='positive'))",
    "grad(lambda v: F.gaussian_nll_loss(t(3), t(3, seed=1), v), gn.zeros(3))",
)

_CTC = "t(6, 2, 4).log_softmax(2), gn.tensor([[1, 2, 2], [3, 1, 1]])"
expressions_of(
    "nn.functional.ctc_loss",
    f"F.ctc_loss({_CTC}, (6, 5), (3, 2))",
    f"F.ctc_loss({_CTC}, gn.tensor([6, 5]), gn.tensor([3, 2]), reduction='none')",
    f"F.ctc_loss({_CTC}, [2, 5], [3, 1], reduction='sum', zero_infinity=True)",
    f"F.ctc_loss({_CTC}, [2, 5], [3, 1], reduction='sum')",
    "F.ctc_loss(t(6, 4).log_softmax(1), gn.tensor([1, 3]), gn.tensor(6), gn.tensor(2), blank=2)",
    "F.ctc_loss(t(6, 2, 4), gn.tensor([1, 3, 3]), [6, 4], [1, 2])",
    f"F.ctc_loss({_CTC}, [7, 5], [3, 2])",
    f"F.ctc_loss({_CTC}, gn.tensor([6.0, 5.0]), gn.tensor([3, 2]))",
    f"F.ctc_loss({_CTC}, [6, 5], [3, 2], reduction='most')",
    f"gn.ctc_loss({_CTC}, [6, 5], [3, 2], reduction=1)",
    "grad(lambda x: F.ctc_loss(x.log_softmax(2), gn.tensor([1, 3, 3]), [6, 4], [1, 2]), t(6, 2, 4))",
    "grad(lambda x: F.ctc_loss(x.log_softmax(2), gn.tensor([1, 3, 3]), [6, 1], [1, 2], 0, 'sum', True), "
    "t(6, 2, 4))",
)

# Without a reduction argument, functions of the top level default to none; those of nn.functional to the
# mean.
for _name, _arguments in (
    ("kl_div", "t(3), t(3)"),
    ("hinge_embedding_loss", "t(3), t(3, values='signs')"),
    ("margin_ranking_loss", "t(3), t(3), t(3, values='signs')"),
    ("cosine_embedding_loss", "t(3, 2), t(3, 2), t(3, values='signs')"),
    ("triplet_margin_loss", "t(3, 2), t(3, 2), t(3, 2, values='positive')"),
    ("binary_cross_entropy_with_logits", "t(3), t(3, values='unit')"),
):
    expressions_of(f"nn.functional.{_name}", f"gn.{_name}({_arguments})")
