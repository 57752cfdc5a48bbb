"""A tensor that counts floating-point operations, as do all tensors computed from it.

    python examples/counting_tensor.py

It wraps an ordinary tensor. For each operator it unwraps the arguments, adds the operator's cost to a
counter, and wraps the results, so that the counter covers a model's forward and backward.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import gnomon as gn

POINTWISE_COST = 1  # each element of a result costs one operation, whatever the function


def matrix_cost(func: Any, tensors: list[gn.Tensor], results: list[gn.Tensor]) -> int | None:
    """Operations of a matrix product: one multiplication and one addition for each pair of elements."""
    if func.schema.name in ("mm", "bmm", "mv", "dot"):
        return 2 * results[0].numel() * tensors[0].shape[-1]
    if func.schema.name in ("addmm", "addmv", "baddbmm"):
        return 2 * results[0].numel() * tensors[1].shape[-1] + results[0].numel()
    return None


def cost_of(func: Any, tensors: list[gn.Tensor], results: list[gn.Tensor]) -> int:
    """Floating-point operations of one call; views, copies and factories have none."""
    if func.schema.is_view or not tensors or func.schema.name in ("clone", "copy_", "_to_copy", "fill_"):
        return 0
    cost = matrix_cost(func, tensors, results)
    if cost is None:
        cost = POINTWISE_COST * max(each.numel() for each in (*tensors, *results))
    return cost


class CountingTensor(gn.Tensor):
    """Wraps ``inner``; ``counter`` maps operators to operations, and is shared by all tensors computed."""

    inner: gn.Tensor
    counter: Counter[str]

    @staticmethod
    def wrap(inner: gn.Tensor, counter: Counter[str]) -> CountingTensor:
        """``inner`` wrapped as a tensor that counts into ``counter``."""
        made = gn.Tensor._make_wrapper_subclass(
            CountingTensor,
            inner.shape,
            strides=inner.stride(),
            dtype=inner.dtype,
            device=inner.device,
            requires_grad=inner.requires_grad,
        )
        made.inner = inner.detach()
        made.counter = counter
        return made

    def __repr__(self) -> str:
        return f"CountingTensor({self.inner!r}, {sum(self.counter.values())} operations)"

    @classmethod
    def __gnomon_dispatch__(
        cls, func: Any, types: tuple[type, ...], args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        wrapped = [each for each in flattened((*args, *(kwargs or {}).values())) if isinstance(each, cls)]
        counter = wrapped[0].counter
        results = func(*mapped(args, unwrapped), **mapped(kwargs or {}, unwrapped))
        tensors = [unwrapped(each) for each in flattened(args) if isinstance(each, gn.Tensor)]
        outputs = [each for each in flattened((results,)) if isinstance(each, gn.Tensor)]
        counter[func.schema.name] += cost_of(func, tensors, outputs)
        if func.schema.is_inplace:
            return args[0]
        return mapped(results, lambda each: cls.wrap(each, counter) if isinstance(each, gn.Tensor) else each)


def unwrapped(value: Any) -> Any:
    """The tensor inside, or the value itself."""
    return value.inner if isinstance(value, CountingTensor) else value


def flattened(values: Any) -> list[Any]:
    """All values in nested lists and tuples."""
    return [
        leaf for each in values for leaf in (flattened(each) if isinstance(each, (list, tuple)) else [each])
    ]


def mapped(values: Any, function: Any) -> Any:
    """Apply ``function`` to each value and keep the structure."""
    if isinstance(values, dict):
        return {name: mapped(each, function) for name, each in values.items()}
    if isinstance(values, (list, tuple)):
        return type(values)(mapped(each, function) for each in values)
    return function(values)


def main() -> None:
    """Count a two-layer network, forward and backward."""
    gn.manual_seed(0)
    counter: Counter[str] = Counter()
    x = CountingTensor.wrap(gn.randn(32, 64), counter)
    first = CountingTensor.wrap(gn.randn(128, 64).requires_grad_(), counter)
    second = CountingTensor.wrap(gn.randn(10, 128).requires_grad_(), counter)
    loss = gn.nn.functional.linear(gn.relu(gn.nn.functional.linear(x, first)), second).pow(2).mean()
    forward = sum(counter.values())
    loss.backward()
    print(f"forward: {forward:,} operations, backward: {sum(counter.values()) - forward:,}")
    for name, count in counter.most_common(4):
        print(f"  {name:<20}{count:>12,}")


if __name__ == "__main__":
    main()
