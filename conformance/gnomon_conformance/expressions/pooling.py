"""Pooling and adaptive pooling."""

from . import expressions_of

for _name, _sizes, _small in (
    ("1d", "2, 3, 7", "3, 7"),
    ("2d", "2, 3, 5, 4", "3, 5, 4"),
    ("3d", "1, 2, 3, 4, 3", "2, 3, 4, 3"),
):
    _pair = {"1d": "(2,)", "2d": "(2, 1)", "3d": "(2, 1, 2)"}[_name]
    expressions_of(
        f"nn.functional.avg_pool{_name}",
        f"F.avg_pool{_name}(t({_sizes}), 2)",
        f"F.avg_pool{_name}(t({_small}), {_pair}, stride=None)",
        f"F.avg_pool{_name}(t({_sizes}), kernel_size={_pair}, stride=1, padding=0, ceil_mode=True)",
        f"F.avg_pool{_name}(input=t({_sizes}), kernel_size=3, stride=2, padding=1, count_include_pad=False)",
        f"F.avg_pool{_name}(t({_sizes}), 9)",
        f"F.avg_pool{_name}(t({_sizes}), 2, 0)",
        f"F.avg_pool{_name}(t({_sizes}, dtype='int32'), 2)",
        f"F.avg_pool{_name}(t({_sizes}), (2, 2, 2, 2))",
        f"grad(lambda x: F.avg_pool{_name}(x, 3, 2, 1), t({_sizes}))",
    )
    expressions_of(
        f"nn.functional.max_pool{_name}",
        f"F.max_pool{_name}(t({_sizes}), 2)",
        f"F.max_pool{_name}(t({_small}), {_pair}, stride=None)",
        f"F.max_pool{_name}(t({_sizes}), kernel_size={_pair}, stride=1, padding=0, ceil_mode=True)",
        f"F.max_pool{_name}(t({_sizes}), 3, 2, 1, 1, False, True)",
        f"F.max_pool{_name}(t({_sizes}), 2, dilation=2, return_indices=True)",
        f"F.max_pool{_name}_with_indices(t({_sizes}), 2)",
        f"F.max_pool{_name}(t({_sizes}, values='special'), 2, 1)",
        f"F.max_pool{_name}(t({_sizes}), 9)",
        f"F.max_pool{_name}(t({_sizes}), 2, padding=2)",
        f"F.max_pool{_name}(t({_sizes}, dtype='int32'), 2)",
        f"gn.max_pool{_name}(t({_sizes}), 3, padding=1)",
        f"grad(lambda x: F.max_pool{_name}(x, 3, 2, 1), t({_sizes}, values='distinct'))",
    )
    expressions_of(
        f"nn.functional.adaptive_avg_pool{_name}",
        f"F.adaptive_avg_pool{_name}(t({_sizes}), 2)",
        f"F.adaptive_avg_pool{_name}(t({_sizes}), {_pair})",
        f"F.adaptive_avg_pool{_name}(t({_small}), output_size=1)",
        f"F.adaptive_avg_pool{_name}(t({_sizes}), (1, 2, 3, 4, 5, 6))",
        f"F.adaptive_avg_pool{_name}(t({_sizes}, dtype='int64'), 2)",
        f"grad(lambda x: F.adaptive_avg_pool{_name}(x, 3), t({_sizes}))",
        f"grad(lambda x: F.adaptive_avg_pool{_name}(x, 1), t({_sizes}))",
    )
    expressions_of(
        f"nn.functional.adaptive_max_pool{_name}",
        f"F.adaptive_max_pool{_name}(t({_sizes}), 2)",
        f"F.adaptive_max_pool{_name}(t({_sizes}), {_pair}, True)",
        f"F.adaptive_max_pool{_name}(t({_small}), output_size=1, return_indices=True)",
        f"F.adaptive_max_pool{_name}_with_indices(t({_small}), 3)",
        f"F.adaptive_max_pool{_name}(t({_sizes}), (1, 2, 3, 4, 5, 6))",
        f"F.adaptive_max_pool{_name}(t({_sizes}, dtype='int64'), 2)",
        f"grad(lambda x: F.adaptive_max_pool{_name}(x, 3), t({_sizes}, values='distinct'))",
    )
    expressions_of(
        f"nn.functional.lp_pool{_name}",
        f"F.lp_pool{_name}(t({_sizes}, values='positive'), 2.0, 2)",
        f"F.lp_pool{_name}(t({_sizes}), 3, {_pair}, stride=1)",
        f"F.lp_pool{_name}(t({_sizes}), inf, 2)",
    )

expressions_of(
    "nn.functional.adaptive_avg_pool2d",
    "F.adaptive_avg_pool2d(t(2, 3, 5, 4), (None, 2))",
    "F.adaptive_avg_pool2d(t(2, 3, 5, 4, layout='channels_last'), 1)",
    "gn.adaptive_avg_pool1d(t(2, 3, 5), 2)",
)
expressions_of(
    "nn.functional.adaptive_avg_pool3d", "F.adaptive_avg_pool3d(t(1, 2, 3, 4, 3), (None, 2, None))"
)
expressions_of(
    "nn.functional.adaptive_max_pool2d",
    "F.adaptive_max_pool2d(t(2, 3, 5, 4), [2, None])",
    "gn.adaptive_max_pool1d(t(2, 3, 5), 2)",
)
expressions_of(
    "nn.functional.avg_pool2d",
    "out = t(0); F.avg_pool2d(t(2, 3, 5, 4), 2, out=out); out",
    "F.avg_pool2d(t(2, 3, 5, 4), 2, divisor_override=3)",
    "F.avg_pool2d(t(2, 3, 5, 4), 2, divisor_override=0)",
    "F.avg_pool2d(t(2, 3, 5, 4, dtype='int64'), 2)",
    "F.avg_pool2d(t(2, 3, 5, 4), [])",
    "F.avg_pool2d(t(2, 3, 5, 4), 2, [])",
    "F.avg_pool2d(t(2, 3, 5, 4), 2.0)",
    "F.avg_pool2d(t(2, 3, 5, 4), None)",
)
expressions_of(
    "max_pool2d_with_indices_backward",
    "gn.ops.aten.max_pool2d_with_indices_backward(t(1, 2, 2, 2), t(1, 2, 5, 4), [2, 2], [2, 2], [0, 0], "
    "[1, 1], False, t(1, 2, 2, 2, dtype='int64', values='below 20'))",
    "x = t(1, 2, 5, 4); y, i = F.max_pool2d(x, 2, return_indices=True); "
    "f = gn.ops.aten.max_pool2d_with_indices_backward; "
    "grad(lambda g: f(g, x, [2, 2], [], [0, 0], [1, 1], False, i), y)",
)
