"""Recorded calls of operators that take lists of tensors: cat, index and their like."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import pytest

import gnomon as gn
from gnomon.autograd.saved_variable import SavedList, SavedVariable
from gnomon.backends.listing import backend_info
from gnomon.memory.spec import Spec
from gnomon.values.speedups import speedups
from readable_calls import python_calls, readably

pytestmark = [
    pytest.mark.both_tiers,
    pytest.mark.skipif(not backend_info("c").available, reason="needs the C backend"),
]
needs_speedups = pytest.mark.skipif(speedups is None, reason="needs the C speedups")


def kept(value: Any) -> Any:
    """What a Node has saved, in a form that can be compared."""
    if isinstance(value, gn.Tensor):
        return "tensor", value.tolist(), value.requires_grad
    if isinstance(value, SavedVariable):
        return "saved", kept(value.tensor), value.version
    if isinstance(value, SavedList):
        return "list", [kept(each) for each in value.items]
    if isinstance(value, (list, tuple)):
        return [kept(each) for each in value]
    return value if isinstance(value, (Spec, int, type(None))) else type(value).__name__


def facts(result: Any) -> Any:
    """What is visible of a result and of its Node."""
    node = result.grad_fn
    seen = [
        result.tolist(),
        result.dtype,
        result.shape,
        result.stride(),
        result._version,
        result.requires_grad,
    ]
    if node is None:
        return seen
    edges = [None if edge is None else (type(edge[0]).__name__, edge[1]) for edge in node.next_edges]
    leaves = [None if edge is None else id(getattr(edge[0], "variable", None)) for edge in node.next_edges]
    return [*seen, type(node), edges, leaves, list(node.metadata_specs), [kept(each) for each in node.saved]]


def leaf(*sizes: int, grad: bool = True) -> Any:
    made = gn.arange(1.0, 1.0 + gn.empty(sizes).numel(), device="c").reshape(sizes)
    return made.clone().requires_grad_(grad)


a, b, plain, columns, line = leaf(2, 3), leaf(2, 3), leaf(2, 3, grad=False), leaf(3, 2), leaf(4)
picture = leaf(1, 2, 3, 2).to(memory_format=gn.channels_last)
rows, none = gn.tensor([1, 0, 1], device="c"), gn.empty(0, device="c")
written = gn.tensor([1, 0], device="c")
written[0] = 0

CALLS: dict[str, Callable[[], Any]] = {
    "cat": lambda: gn.cat([a, b]),
    "cat of a tuple": lambda: gn.cat((a, b), 1),
    "cat where one requires grad": lambda: gn.cat([plain, a, plain]),
    "cat where the other one does": lambda: gn.cat([a, plain, plain]),
    "cat of one twice": lambda: gn.cat([a, a]),
    "cat of a view": lambda: gn.cat([a, columns.t()]),
    "cat of a result": lambda: gn.cat([a * 2, b]),
    "cat with nothing": lambda: gn.cat([none, a]),
    "cat of many": lambda: gn.cat([a, plain] * 40),
    "index": lambda: a[rows],
    "index, a column": lambda: a[:, rows],
    "index, both": lambda: a[rows, rows],
    "index of one": lambda: line[rows],
    "index written to before": lambda: a[written],
    "stack": lambda: gn.stack([a, b]),
    "stack, dim 1": lambda: gn.stack((plain, a, plain), 1),
    "stack, the last": lambda: gn.stack([a, b], -1),
    "stack of one": lambda: gn.stack([a]),
    "stack of one twice": lambda: gn.stack([a, a], 1),
    "stack of what lies otherwise": lambda: gn.stack([a, columns.t()]),
    "stack of many": lambda: gn.stack([a, plain] * 40),
    "stack of numbers": lambda: gn.stack([a[0, 0], b[1, 1]]),
    "stack of other dtypes": lambda: gn.stack([a, plain.double()]),
    "stack of no elements": lambda: gn.stack([a[:0], b[:0]]),
    "stack of no elements, the last": lambda: gn.stack([a[:0], b[:0]], 2),
    "stack of pictures": lambda: gn.stack([picture, picture], 1),
    "hstack": lambda: gn.hstack([a, b]),
}


@pytest.mark.parametrize("name", CALLS)
def test_the_node_is_what_the_readable_way_records(name: str) -> None:
    call = CALLS[name]
    expected = facts(readably(call))
    for _ in range(4):
        assert facts(call()) == expected
    with gn.no_grad():
        assert facts(call())[5] is False
    assert facts(call()) == expected


@pytest.mark.parametrize("name", CALLS)
def test_gradients(name: str) -> None:
    call = CALLS[name]

    def gradients() -> Any:
        result = call()
        grad = gn.arange(1.0, 1.0 + result.numel(), device="c").reshape(result.shape)
        found = gn.autograd.grad(result, [a, b, columns, line], grad, allow_unused=True)
        return [None if each is None else (each.tolist(), each.stride()) for each in found]

    expected = readably(gradients)
    for _ in range(3):
        assert gradients() == expected
    twice = gn.autograd.grad(call().square().sum(), [a], create_graph=True, allow_unused=True)[0]
    if twice is not None:
        assert twice.requires_grad


def test_each_choice_of_what_requires_grad_has_a_node_of_its_own() -> None:
    """There are more choices than cached plans."""
    for _ in range(2):
        for choice in range(128):
            tensors = [leaf(2, grad=bool(choice >> k & 1)) for k in range(7)]
            result = gn.cat(tensors)
            assert result.requires_grad is bool(choice)
            if choice:
                edges = [edge is not None for edge in result.grad_fn.next_edges]
                assert edges == [bool(choice >> k & 1) for k in range(7)]
                result.sum().backward()
                assert [each.grad is not None for each in tensors] == edges


def test_sequence_numbers_count_on() -> None:
    gn.cat([a, b])
    first, second, third = a + b, gn.cat([a, b]), a + b
    numbers = [each.grad_fn.sequence_nr for each in (first, second, third)]
    assert numbers == [numbers[0], numbers[0] + 1, numbers[0] + 2]


def test_an_index_that_is_written_to_after_it_was_saved() -> None:
    for _ in range(3):
        index = gn.tensor([0, 1], device="c")
        result = a[index]
        index[0] = 1
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            result.sum().backward()


def test_a_list_that_is_changed_afterwards() -> None:
    for _ in range(3):
        tensors = [leaf(2), leaf(2)]
        first, second = tensors
        result = gn.cat(tensors)
        tensors.clear()
        result.sum().backward()
        assert first.grad.tolist() == second.grad.tolist() == [1.0, 1.0]


def test_nothing_is_kept_of_a_call_that_is_gone() -> None:
    for _ in range(3):
        source, index = leaf(2), gn.tensor([0, 1], device="c")
        result = gn.cat([source, source[index]])
        seen = [weakref.ref(each) for each in (index, result)]
        del source, index
        assert seen[0]() is not None
        del result
        gc.collect()
        assert seen[0]() is None and seen[1]() is None


def test_hooks_of_saved_tensors_see_the_index() -> None:
    packed: list[Any] = []
    a[rows]
    with gn.autograd.graph.saved_tensors_hooks(lambda t: packed.append(t) or t, lambda t: t):
        result = a[rows]
    assert len(packed) == 1 and packed[0].tolist() == rows.tolist()
    result.sum().backward()


@pytest.mark.parametrize("name", [each for each in CALLS if "stack" in each or each == "cat"])
def test_a_result_has_its_memory_to_itself(name: str) -> None:
    for _ in range(3):
        with gn.no_grad():
            result, other = CALLS[name](), CALLS[name]()
        assert result.untyped_storage().nbytes() == result.numel() * result.element_size()
        assert result.storage_offset() == 0 and result._base is None and result._version == 0
        expected = other.tolist()
        result.fill_(7)
        assert (result._version, other._version, other.tolist()) == (1, 0, expected)
        assert a._version == b._version == 0


def test_what_stack_refuses() -> None:
    for _ in range(3):
        gn.stack([a, b])
        with pytest.raises(RuntimeError, match="stack expects each tensor to be equal size"):
            gn.stack([a, columns])
        with pytest.raises(RuntimeError, match="stack expects a non-empty TensorList"):
            gn.stack([])
        with pytest.raises(IndexError, match="Dimension out of range"):
            gn.stack([a, b], 4)


def test_stack_into_out() -> None:
    out = gn.empty(2, 2, 3, device="c")
    for _ in range(3):
        assert gn.stack([plain, plain], out=out) is out
        assert out.tolist() == [plain.tolist()] * 2


@needs_speedups
@pytest.mark.parametrize(
    "name", ["cat", "cat where one requires grad", "cat of many", "index of one", "stack", "stack of many"]
)
def test_no_python_runs(name: str, tier: str) -> None:
    call = CALLS[name]
    for _ in range(3):
        call()
    assert tier == "readable" or not python_calls(call)
