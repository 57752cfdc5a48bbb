"""Samples of in-place operators that change a tensor's own sizes and strides."""

from typing import Any

from ..inputs.description import bad, sample, tensor
from . import samples_of

_ARGUMENTS: dict[str, list[tuple[Any, ...]]] = {
    "squeeze_": [()],
    "squeeze_.dim": [(1,), (-1,)],
    "squeeze_.dims": [([0, 1],), ([1],)],
    "unsqueeze_": [(0,), (-1,)],
    "t_": [()],
}
for _name in (
    "squeeze_",
    "squeeze_.dim",
    "squeeze_.dims",
    "unsqueeze_",
    "t_",
    "transpose_",
    "swapaxes_",
    "swapdims_",
):
    _arguments = _ARGUMENTS.get(_name, [(0, 1), (-1, 0)])
    samples_of(_name, [sample(tensor(3, 1), *each) for each in _arguments])
    if not _name.startswith(("squeeze_.", "transpose", "swap")):
        samples_of(_name, [sample(tensor(), *each) for each in _arguments])
samples_of("t_", [bad("RuntimeError", tensor(2, 2, 2))])
samples_of("squeeze_.dim unsqueeze_", [bad("IndexError", tensor(2), 3)])
samples_of(
    "as_strided_",
    [
        sample(tensor(3, 4, layout="contiguous"), [2, 2], [4, 1]),
        sample(tensor(3, 4, layout="offset"), [2], [3], 1),
        bad("RuntimeError", tensor(4, layout="contiguous"), [5], [1]),
    ],
)
samples_of("detach_", [sample(tensor(2, 3), differentiable=False)])
