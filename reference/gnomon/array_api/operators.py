"""Python's operators on tensors, as the standard defines them, where PyTorch defines them otherwise.

with gnomon.array_api.standard_operators():
    gnomon.tensor([1], dtype=gnomon.int8) + gnomon.tensor(1)    # int64, because both dtypes count
    x[::-1]                                                     # PyTorch raises an error for a negative step
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gnomon as gn
from gnomon import Tensor
from gnomon.dispatch.dispatcher import OpOverload
from gnomon.dispatch.python_dispatch import DispatchMode

from . import elementwise
from .unsigned import bits, is_unsigned, on_bits


def _product(name: str) -> Callable[[Tensor, Tensor], Tensor]:
    """A product of matrices or vectors of any two dtypes."""
    function = getattr(gn, name)
    return lambda x1, x2: on_bits(function)(*elementwise.operands(name, x1, x2))


def _reflected_subtract(x1: Any, x2: Any) -> Tensor:
    """``x2 - x1``."""
    function: Callable[[Any, Any], Tensor] = elementwise.subtract
    return function(x2, x1)


# PyTorch's name of an operator: the standard's name of the function.
_UNARY = {"abs": "abs", "bitwise_not": "bitwise_invert", "neg": "negative"}
_BINARY = {
    "add": "add",
    "bitwise_and": "bitwise_and",
    "bitwise_left_shift": "bitwise_left_shift",
    "bitwise_or": "bitwise_or",
    "bitwise_right_shift": "bitwise_right_shift",
    "bitwise_xor": "bitwise_xor",
    "div": "divide",
    "div_floor": "floor_divide",
    "eq": "equal",
    "floor_divide": "floor_divide",
    "ge": "greater_equal",
    "gt": "greater",
    "le": "less_equal",
    "lt": "less",
    "mul": "multiply",
    "ne": "not_equal",
    "pow": "pow",
    "remainder": "remainder",
    "sub": "subtract",
}
_FUNCTIONS: dict[tuple[str, int], Callable[..., Tensor]] = {  # by PyTorch's name and the number of operands
    **{(name, 1): getattr(elementwise, function) for name, function in _UNARY.items()},
    **{(name, 2): getattr(elementwise, function) for name, function in _BINARY.items()},
    ("rsub", 2): _reflected_subtract,
    **{(name, 2): _product(name) for name in ("bmm", "dot", "mm", "mv")},
}


class standard_operators(DispatchMode):
    """In ``with standard_operators():`` Python's operators on tensors follow the standard, not PyTorch.

    Tensors without dimensions promote as others do; uint16, uint32 and uint64 have arithmetic; ``//`` and
    ``%`` have the standard's special cases; slices may have a negative step, and the result is then a copy; a
    mask may have size 0 in a dimension, and selects nothing.  gnomon's functions of the same names follow
    with the operators.  The mode belongs to the thread.  An in-place operator raises TypeError for a result
    of another dtype than the tensor's.
    """

    standard_indices = True

    def __gnomon_dispatch__(
        self, func: OpOverload, types: tuple[type, ...], args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        name = func.schema.name.split(".")[0]
        name, inplace = name.removesuffix("_"), name.endswith("_")
        if name == "_index_put" and inplace and is_unsigned(args[0]):  # x[indices] = values
            self, indices, values, *rest = args
            func(bits(self), indices, bits(values), *rest, **(kwargs or {}))
            return self
        known = _FUNCTIONS.get((name, len(args)))
        if known is None or kwargs:
            return func(*args, **(kwargs or {}))
        made = known(*args)
        if not inplace:
            return made
        if made.dtype is not args[0].dtype:
            raise TypeError(f"{name}_: the result's dtype {made.dtype} is not the tensor's {args[0].dtype}")
        return args[0].copy_(made)
