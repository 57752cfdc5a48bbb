"""User-defined batching rules: makes kernels for the key Batched from functions given to ``register_vmap``.

Source: torch/_functorch/autograd_function.py (custom_function_call_vmap_helper).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..dispatch.dispatcher import Kernel, OpOverload
from ..dispatch.python_dispatch import split_arguments
from ..func.batching import Batch, BatchedTensor, below, current_levels, wrap
from ..memory.tensor import Tensor
from ..values.dispatch_key import BATCHED


class VmapInfo(NamedTuple):
    """What a rule gets about the vmap: the batch size, and randomness: "error", "different" or "same"."""

    batch_size: int
    randomness: str


def vmap_kernel(rule: Callable[..., Any]) -> Kernel:
    """The kernel for Batched that calls ``rule(info, in_dims, *args, **kwargs)``."""

    def kernel(operator: OpOverload, keys: int, arguments: Sequence[Any]) -> Any:
        batched = [each for each in operator.tensors(arguments) if isinstance(each, BatchedTensor)]
        if not batched:
            return operator.redispatch(keys & ~BATCHED, arguments)
        innermost = max(batched, key=lambda each: each.level)
        batch = Batch(innermost.level, innermost.value._spec.sizes[0])
        randomness = next(each.randomness for each in current_levels() if each.number == batch.number)
        args, kwargs = split_arguments(operator, arguments)
        in_dims = tuple(_each(lambda value: 0 if batch.has(value) else None, value) for value in args)
        values = [_each(batch.value, value) for value in args]
        with below(batch.number):
            results, out_dims = rule(VmapInfo(batch.size, randomness), in_dims, *values, **kwargs)
            return _wrapped(results, out_dims, batch.number)

    return kernel


def _each(function: Callable[[Any], Any], value: Any) -> Any:
    """``function`` of a value, or of each item of a list of tensors."""
    if isinstance(value, (list, tuple)) and any(isinstance(each, Tensor) for each in value):
        return [function(each) for each in value]
    return function(value)


def _wrapped(results: Any, out_dims: Any, number: int) -> Any:
    """Wraps each result in a BatchedTensor.  Raises ValueError if the number of ``out_dims`` is different."""
    if isinstance(results, (tuple, list)):
        dims = out_dims if isinstance(out_dims, (tuple, list)) else [out_dims] * len(results)
        if len(dims) != len(results):
            raise ValueError(
                f"vmap rule: expected out_dims for {len(results)} results, got {len(dims)}: {out_dims}"
            )
        return type(results)(_wrapped(each, dim, number) for each, dim in zip(results, dims))
    if out_dims is None or not isinstance(results, Tensor):
        return results
    return wrap(results.movedim(out_dims, 0), number)
