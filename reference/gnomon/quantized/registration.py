"""Kernels of the key Quantized, views of quantized tensors, and operators without a kernel.

Source: torchgen's dispatch tables (QuantizedCPU); aten/src/ATen/core/dispatch/OperatorEntry.cpp
(reportError).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .. import ops  # noqa: F401  (it defines the operators)
from ..dispatch.dispatcher import OpOverload, aten, register_boxed_fallback
from ..dispatch.mode import EXCLUDED_SHIFT, mode_word, set_mode_word
from ..memory.backend import backend_of
from ..memory.tensor import Tensor
from ..values.dispatch_key import DispatchKey

# A kernel computes with the integers that its arguments hold.  Autograd has seen the call.
_EXCLUDE_ABOVE = sum(1 << key for key in DispatchKey if key > DispatchKey.Batched) << EXCLUDED_SHIFT


def run_below(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call ``function`` below autograd."""
    word = mode_word()
    try:
        set_mode_word(word | _EXCLUDE_ABOVE)
        return function(*arguments)
    finally:
        set_mode_word(word)


def quantized_kernel(*names: str, below: bool = True) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator: the function, called with all arguments of the schema, is the kernel for quantized operands.

    ``names``: of operators, "add.Tensor".  ``below``: it is called below autograd; else it is composed of
    operators that autograd sees.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        def run(operator: OpOverload, keys: int, arguments: Sequence[Any]) -> Any:
            return run_below(function, *arguments) if below else function(*arguments)

        for name in names:
            operator = aten._find(name)
            operator.register(DispatchKey.Quantized, run)
            if (operator.record.base or operator).record.composite is not None:  # a kernel of every key
                operator.register(DispatchKey.AutogradQuantized, run)
        return function

    return decorate


def no_kernel(name: str, place: str = "QuantizedCPU") -> NotImplementedError:
    """The error for an operator without a kernel for these tensors."""
    if place.startswith("Quantized"):
        what = "quantized tensors. Use Tensor.dequantize() for a float tensor."
    else:
        what = "tensors that are not quantized. Use quantize_per_tensor() for one that is."
    full_name = name if "::" in name else f"aten::{name}"
    return NotImplementedError(
        f"Could not run {full_name!r} with arguments from the {place!r} backend: there is no kernel for "
        f"{what}"
    )


def place_of(tensor: Tensor) -> str:
    """PyTorch's name of the tensor's device: ``CPU`` if its memory is the host's."""
    where = tensor._spec.device
    return "CPU" if where.type != "meta" and backend_of(where).host_memory else where.type.upper()


def refuse_plain(name: str) -> Callable[..., Any]:
    """The kernel, for tensors that are not quantized, of an operator that only quantized ones have."""

    def refuse(*arguments: Any) -> Any:
        tensor = next(each for each in arguments if isinstance(each, Tensor))
        raise no_kernel(name, place_of(tensor))

    return refuse


# Operator -> the function that views a quantized tensor (views.py).
view_of: dict[str, Callable[[OpOverload, Sequence[Any]], Any]] = {}


def _without_kernel(operator: OpOverload, keys: int, arguments: Sequence[Any]) -> Any:
    tensors = operator.tensors(arguments)
    if operator.record.view is not None:
        return run_below(view_of["default"], operator, arguments)
    place = place_of(tensors[0]) if tensors else "CPU"
    raise no_kernel(f"{operator.namespace}::{operator.schema.full_name}", f"Quantized{place}")


register_boxed_fallback(DispatchKey.Quantized, _without_kernel)
