"""NumPy's functions on tensors: they compute with arrays on the tensors' memory, and return arrays.

Without this, many of NumPy's functions would call the tensor's method of their name, whose arguments and
results are PyTorch's: ``numpy.max(t, axis=0)`` would be values and indices, ``numpy.nonzero(t)`` a matrix.
Universal functions, such as ``numpy.sqrt``, do not come here: they give tensors (``Tensor.__array_wrap__``).

Source: NumPy Enhancement Proposal 18.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..memory.tensor import Tensor
from .numpy import as_array

# These look at no elements, so autograd loses nothing.
_OF_DESCRIPTIONS = frozenset(
    (
        "shape",
        "ndim",
        "size",
        "iscomplexobj",
        "isrealobj",
        "result_type",
        "can_cast",
        "common_type",
        "min_scalar_type",
    )
)


def call(function: Callable[..., Any], arguments: Sequence[Any], named: Mapping[str, Any]) -> Any:
    """The result of a function of NumPy, with an array in the place of each tensor.

    What is written into a tensor (``out=``, ``numpy.copyto``) is in its memory; autograd does not see it.
    Raises RuntimeError for a tensor that requires grad, TypeError for one that is not in host memory.
    """
    detached = function.__name__ in _OF_DESCRIPTIONS
    result = function(
        *[_converted(each, detached) for each in arguments],
        **{name: _converted(each, detached) for name, each in named.items()},
    )
    out = named.get("out")
    return out if isinstance(out, Tensor) and result is not None else result


def _converted(value: Any, detached: bool) -> Any:
    if isinstance(value, Tensor):
        return as_array(value.detach() if detached else value)
    if type(value) in (list, tuple):
        return type(value)([_converted(each, detached) for each in value])
    if type(value) is dict:
        return {key: _converted(each, detached) for key, each in value.items()}
    return value
