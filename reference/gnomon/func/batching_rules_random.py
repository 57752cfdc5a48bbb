"""Random operators under vmap: the same numbers for all examples, different ones, or an error.

``randomness`` of vmap determines which; the default is an error, because the intention is ambiguous.

Source: aten/src/ATen/functorch/BatchRulesRandomness.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..dispatch.dispatcher import OpOverload, aten
from .batching import Batch, Level, below, wrap


def _run(operator: OpOverload, level: Level, arguments: Sequence[Any]) -> Any:
    """Run a random operator inside the vmap ``level``, by its randomness."""
    if level.randomness == "error":
        raise RuntimeError(
            f"vmap: called random operation {operator.schema.name} while in randomness error mode. Please "
            "either use the 'same' or 'different' randomness flags on vmap or perform the randomness "
            "operation out of vmap"
        )
    batch = Batch(level.number, level.size)
    different = level.randomness == "different"
    if operator.schema.is_inplace:
        _run_inplace(operator, batch, arguments, different)
        return arguments[0]
    with below(level.number):
        result = _drawn(operator, batch, arguments, different)
    return wrap(result, level.number) if different else result


def _is_like(operator: OpOverload) -> bool:
    """Does the operator use only the spec of its tensor, not its data?"""
    return "_like" in operator.schema.name or operator.name == "bernoulli.p"


def _drawn(operator: OpOverload, batch: Batch, arguments: Sequence[Any], different: bool) -> Any:
    """Draw random numbers: for all examples, or for one."""
    names = [argument.name for argument in operator.schema.arguments]
    if not operator.tensor_positions:
        if not different:
            return operator(*arguments)
        if "size" in names:
            position = names.index("size")
            sizes = (batch.size, *arguments[position])
            return operator(*arguments[:position], sizes, *arguments[position + 1 :])
        return aten.stack.default([operator(*arguments) for _ in range(batch.size)], 0)
    if different:
        values = [batch.front(each) for each in arguments]
        if operator.name == "multinomial" and arguments[0]._spec.ndim == 2:
            drawn = operator(aten.flatten.using_ints(values[0], 0, 1), *values[1:])
            return aten.unflatten.int(drawn, 0, (batch.size, -1))
        return operator(*values)
    if _is_like(operator):
        self = arguments[0]
        one = aten.select.int(self.value, 0, 0) if batch.has(self) else self
        return operator(one, *arguments[1:])
    if batch.has_any(arguments):
        raise RuntimeError(
            "vmap: Vmap does not currently support same randomness with a batched tensor input. Please use "
            "different randomness, or call the random operation outside of vmap."
        )
    return operator(*arguments)


def _run_inplace(operator: OpOverload, batch: Batch, arguments: Sequence[Any], different: bool) -> None:
    self = arguments[0]
    others = [batch.value(each) for each in arguments[1:]]
    if not batch.has(self):
        if different:
            raise RuntimeError(
                "vmap: Cannot ask for different inplace randomness on an unbatched tensor. This will appear "
                "like same randomness. Use a batched tensor or the out-of-place operation."
            )
        if batch.has_any(arguments):
            raise RuntimeError(
                "vmap: inplace arithmetic(self, *extra_args) is not possible because there exists a Tensor "
                "`other` in extra_args that has more elements than `self`."
            )
        with below(batch.number):
            operator(*arguments)
        return
    with below(batch.number):
        if different:
            aligned = [_aligned(batch, each, self._spec.ndim) for each in arguments[1:]]
            operator(self.value, *aligned)
            return
        if batch.has_any(arguments[1:]):
            raise RuntimeError(
                "vmap: Vmap does not currently support same randomness with a batched tensor input."
            )
        drawn = operator(aten.new_empty(self.value, self._spec.sizes), *others)
        aten.copy_.default(self.value, drawn, False)


def _aligned(batch: Batch, value: Any, rank: int) -> Any:
    if not batch.has(value):
        return value
    sizes = value.value._spec.sizes
    return aten.reshape.default(value.value, (sizes[0], *[1] * (rank - value._spec.ndim), *sizes[1:]))


def find_random_rule(operator: OpOverload) -> Any:
    """The rule of a random operator; None for other operators."""
    return _run if (operator.record.base or operator).record.batching.rule == "random" else None
