"""Convolutions."""

from . import expressions_of

for _name, _sizes, _kernel in (("1d", "6", "3"), ("2d", "4, 5", "3, 2"), ("3d", "3, 2, 3", "2, 1, 2")):
    _conv, _input, _weight = f"F.conv{_name}", f"t(2, 4, {_sizes})", f"t(6, 4, {_kernel})"
    expressions_of(
        f"nn.functional.conv{_name}",
        f"{_conv}({_input}, {_weight})",
        f"{_conv}({_input}, {_weight}, t(6), 2, 1)",
        f"{_conv}(input={_input}, weight={_weight}, bias=None, stride=1, padding=1, dilation=2, groups=1)",
        f"{_conv}({_input}, t(6, 2, {_kernel}), groups=2, padding='same')",
        f"{_conv}({_input}, {_weight}, padding='valid', stride=2)",
        f"{_conv}({_input}, {_weight}, padding='same', dilation=1)",
        f"{_conv}({_input}, {_weight}, padding='same', stride=2)",
        f"{_conv}({_input}, {_weight}, padding='full')",
        f"{_conv}(t(4, {_sizes}), {_weight})",
        f"{_conv}(t(4, {_sizes}), {_weight}, padding='same')",
        f"{_conv}(t({_sizes}), {_weight})",
        f"{_conv}({_input}, {_weight}, padding=-1)",
        f"{_conv}({_input}, {_weight}, stride=0)",
        f"{_conv}({_input}, {_weight}, groups=3)",
        f"{_conv}({_input}, t(6, 4, {_kernel}, dtype='float64'))",
        f"{_conv}({_input}, {_weight}, stride=1.5)",
        f"gn.conv{_name}({_input}, {_weight}, padding=1)",
        f"grad(lambda x, w, b: {_conv}(x, w, b, 2, 1), {_input}, {_weight}, t(6))",
        f"grad(lambda x, w: {_conv}(x, w, None, 1, 'same', 1), {_input}, {_weight})",
    )
    _conv, _weight = f"F.conv_transpose{_name}", f"t(4, 3, {_kernel})"
    expressions_of(
        f"nn.functional.conv_transpose{_name}",
        f"{_conv}({_input}, {_weight})",
        f"{_conv}({_input}, {_weight}, t(3), 2, 0, 1)",
        f"{_conv}({_input}, {_weight}, None, stride=2, padding=0, output_padding=1, groups=1, dilation=2)",
        f"{_conv}({_input}, {_weight}, groups=2)",
        f"{_conv}(t(4, {_sizes}), {_weight})",
        f"{_conv}(t({_sizes}), {_weight})",
        f"{_conv}({_input}, {_weight}, padding=-1)",
        f"{_conv}({_input}, {_weight}, padding=9)",
        f"gn.conv_transpose{_name}({_input}, {_weight})",
        f"grad(lambda x, w, b: {_conv}(x, w, b, 2), {_input}, {_weight}, t(3))",
    )
expressions_of(
    "nn.functional.conv2d",
    "F.conv2d(t(2, 4, 3, 5, layout='channels_last'), t(2, 4, 2, 2))",
    "F.conv2d(t(2, 4, 3, 5), t(2, 4, 2, 2, layout='channels_last'), padding='same')",
    "F.conv2d(t(2, 4, 3, 5, dtype='complex64'), t(2, 4, 2, 2, dtype='complex64'))",
    "F.conv2d(t(2, 4, 3, 5, dtype='int64'), t(2, 4, 2, 2, dtype='int64'))",
    "F.conv2d(t(0, 4, 3, 5), t(2, 4, 2, 2))",
)
expressions_of(
    "nn.functional.conv_transpose2d",
    "F.conv_transpose2d(t(1, 4, 3, 2, layout='channels_last'), t(4, 2, 2, 2))",
)
