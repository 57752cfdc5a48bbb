"""csrc/speedups/masks.c: x[mask] behaves as on the readable path."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import gnomon as gn
from gnomon.backends.listing import backend_info
from gnomon.dispatch.record_function import FUNCTION, RecordFunctionCallback, observing
from gnomon.values.speedups import speedups
from readable_calls import python_calls, readably

pytestmark = [
    pytest.mark.both_tiers,
    pytest.mark.skipif(not backend_info("c").available, reason="needs the C backend"),
]


def facts(result: Any) -> Any:
    node = result.grad_fn
    seen = [result.tolist(), result.dtype, result.shape, result.stride(), result._version, result.device]
    if node is None:
        return seen
    saved = [None if each is None else each.tolist() for each in node._saved_indices]
    return [*seen, type(node), len(node.next_edges), node._saved_self_sym_sizes, saved]


def failure(call: Callable[[], Any]) -> Any:
    with pytest.raises(Exception) as caught:
        call()
    return type(caught.value), str(caught.value)


line = gn.arange(6.0, device="c")
table = gn.arange(12.0, device="c").reshape(3, 4)
block = gn.arange(24, device="c").reshape(2, 3, 4)
leaf = gn.arange(12.0, device="c").reshape(3, 4).clone().requires_grad_()
some = gn.tensor([True, False, True, True, False, True], device="c")
even = table % 2 == 0
rows = gn.tensor([True, False, True], device="c")
pairs = gn.tensor([[True, False, True], [False, False, True]], device="c")
large = gn.arange(70000, device="c")

CALLS: dict[str, Callable[[], Any]] = {
    "a line": lambda: line[some],
    "none of it": lambda: line[line > 9],
    "all of it": lambda: line[line > -1],
    "a table": lambda: table[even],
    "rows": lambda: table[rows],
    "of three dimensions, two": lambda: block[pairs],
    "of three dimensions, one": lambda: block[rows[:2]],
    "integers": lambda: block[block > 7],
    "bools": lambda: some[some],
    "a transposed tensor": lambda: table.t()[even.t().contiguous()],
    "a transposed mask": lambda: table.t()[even.t()],
    "a mask with gaps": lambda: line[:3][some[::2]],
    "a mask that begins later": lambda: line[2:][some[2:]],
    "an expanded mask": lambda: table[rows.unsqueeze(1).expand(3, 4)],
    "a list": lambda: line[[True, False] * 3],
    "with a slice": lambda: table[:, rows[[0, 1, 2, 0]]],
    "with another index": lambda: table[rows, gn.tensor([1, 2], device="c")],
    "no elements": lambda: line[:0][some[:0]],
    "no dimensions": lambda: line[3][gn.tensor(True, device="c")],
    "a mask without dimensions": lambda: line[gn.tensor(False, device="c")],
    "many elements": lambda: large[large % 3 == 0],
    "recorded": lambda: leaf[even],
    "recorded, rows": lambda: leaf[rows],
    "recorded, none": lambda: leaf[leaf.detach() > 99],
    "by name": lambda: gn.ops.aten.index.Tensor(line, [some]),
    "masked_select": lambda: gn.masked_select(line, some),
}
ERRORS: dict[str, Callable[[], Any]] = {
    "too long": lambda: line[gn.tensor([True] * 7, device="c")],
    "too short": lambda: table[gn.tensor([True] * 2, device="c")],
    "too many dimensions": lambda: line[even],
    "another device": lambda: line[some.to("reference")],
    "two": lambda: table[rows, rows[[0, 1, 2, 0]][[0, 0, 0, 0]]],
    "vmap": lambda: gn.func.vmap(lambda x: x[x > 0])(table),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_call(name: str) -> None:
    expected = facts(readably(CALLS[name]))
    for _ in range(3):
        assert facts(CALLS[name]()) == expected
        with gn.no_grad():
            assert facts(CALLS[name]())[:6] == expected[:6]
        with gn.inference_mode():
            assert CALLS[name]().tolist() == expected[0]


@pytest.mark.parametrize("name", ERRORS)
def test_an_error(name: str) -> None:
    line[some]
    expected = failure(lambda: readably(ERRORS[name]))
    for _ in range(3):
        assert failure(ERRORS[name]) == expected


def test_a_mask_that_is_written_to_between_calls() -> None:
    mask = gn.zeros(6, dtype=gn.bool, device="c")
    for count in (0, 3, 1, 6, 3):
        mask.fill_(False)
        mask[:count] = True
        assert line[mask].tolist() == line[:count].tolist()
        assert mask._version > 0


def test_gradients() -> None:
    for _ in range(3):
        (gradient,) = gn.autograd.grad(leaf[even].square().sum(), leaf)
        assert gradient.tolist() == (gn.where(even, 2 * leaf, 0 * leaf)).tolist()
        (gradient,) = gn.autograd.grad(leaf[rows].sum(), leaf)
        assert gradient.tolist() == [[1.0] * 4, [0.0] * 4, [1.0] * 4]


def test_a_mask_of_uint8_warns_each_time() -> None:
    for _ in range(3):
        with pytest.warns(UserWarning, match="indexing with dtype gnomon.uint8 is now deprecated"):
            assert line[some.to(gn.uint8)].tolist() == [0.0, 2.0, 3.0, 5.0]


def test_who_is_told_of_calls_is_told_of_the_same(tier: str) -> None:
    line[some]
    told: list[str] = []
    with observing(RecordFunctionCallback(lambda scope, name, *rest: told.append(name), scopes=[FUNCTION])):
        line[some]
    assert told[0] == "index.Tensor" and "count_nonzero" in told and "_index" in told


@pytest.mark.skipif(speedups is None, reason="needs the C speedups")
@pytest.mark.parametrize(
    "x, mask", [(line, some), (table, even), (table, rows), (block, pairs), (leaf, even)]
)
def test_no_python_runs(x: Any, mask: Any, tier: str) -> None:
    for _ in range(3):
        x[mask]
    assert tier == "readable" or not python_calls(lambda: x[mask])
