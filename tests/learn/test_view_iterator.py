"""The page's TensorIterator agrees with the reference's in each of its steps, on generated operands."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from gnomon.calls.iterator import result_type
from gnomon.learn.iteration import IteratorInSteps
from gnomon.learn.view.view import page
from gnomon.memory.backend import resolve_device
from gnomon.memory.spec import spec_of
from gnomon.values import dtype as dtypes
from gnomon.values import geometry
from view_browser import browser, opened_page

NUMBERS = {"bool": True, "int": 1, "float": 1.0}
NAMES = ["bool", "uint8", "int32", "int64", "float32", "float32", "float64", "complex64"]


@pytest.fixture(scope="module")
def view(tmp_path_factory: pytest.TempPathFactory) -> Any:
    file: Path = tmp_path_factory.mktemp("view") / "page.html"
    file.write_text(page(), "utf-8")
    with browser() as opened, opened_page(opened, file) as shown:
        yield shown


def some_strides(sizes: tuple[int, ...], choose: random.Random) -> tuple[int, ...]:
    kind = choose.random()
    if kind < 0.3:
        return geometry.contiguous_strides(sizes)
    if kind < 0.45 and len(sizes) in (4, 5):
        return geometry.channels_last_strides(sizes)
    order = list(range(len(sizes)))
    choose.shuffle(order)
    strides, step = [0] * len(sizes), 1
    for dim in order:
        strides[dim] = 0 if choose.random() < 0.08 else step
        step *= max(sizes[dim], 1) * choose.choice([1, 1, 1, 1, 2])
    return tuple(strides)


def operands_of(choose: random.Random) -> list[dict[str, Any]]:
    ndim = choose.choice([0, 1, 2, 3, 3, 4, 4, 5])
    sizes = tuple(choose.choice([1, 2, 3, 4, 2, 3, 0 if choose.random() < 0.1 else 2]) for _ in range(ndim))
    shared = some_strides(sizes, choose)
    one = choose.choice(NAMES)
    found: list[dict[str, Any]] = []
    for _ in range(choose.choice([2, 2, 3])):
        if choose.random() < 0.15:
            found.append({"number": choose.choice(list(NUMBERS))})
            continue
        dtype = one if choose.random() < 0.6 else choose.choice(NAMES)
        if choose.random() < 0.4:
            found.append({"sizes": sizes, "strides": shared, "dtype": dtype})
            continue
        mine = tuple(1 if choose.random() < 0.25 else size for size in sizes)[choose.randrange(ndim + 1) :]
        if choose.random() < 0.05:
            mine = (*mine, 7)
        found.append({"sizes": mine, "strides": some_strides(mine, choose), "dtype": dtype})
    if all("number" in each for each in found):
        found[0] = {"sizes": sizes, "strides": shared, "dtype": one}
    return found


def iterated(operands: list[dict[str, Any]]) -> Any:
    """What the reference finds in each step."""
    device = resolve_device("reference")
    inputs = [
        NUMBERS[each["number"]]
        if "number" in each
        else spec_of(each["sizes"], each["strides"], dtypes.dtype_named(each["dtype"]), device)
        for each in operands
    ]
    common = result_type(*inputs)
    iterator = IteratorInSteps("op", inputs, [common], common, device)
    output = iterator.output_specs[0]
    return {
        "dtype": common.name,
        "setup": iterator.setup[0].name,
        "order": iterator.order,
        "output": [list(output.sizes), list(output.strides)],
        "steps": {
            name: [list(shape), strides if name != "broadcast" else strides[1:]]
            for name, (shape, strides) in iterator.steps.items()
        },
    }


ITERATE = """(operands) => {
    const given = operands.map((each) => each.number ? each : { ...each, ndim: each.sizes.length });
    const { dtype } = resultType(given);
    const made = iterate(operands, dtype);
    const at = (kind) => made.steps.find((each) => each.kind === kind);
    const steps = {};
    const [broadcast, allocated] = [at("broadcast"), at("allocate")];
    steps.broadcast = [broadcast.shape, broadcast.strides.slice(1)];
    steps.reordered = [allocated.shape, allocated.strides];
    steps.coalesced = [made.shape, made.strides];
    const output = [made.output.sizes, made.output.strides];
    return { dtype, setup: made.setup, order: made.order, output, steps };
}"""


def test_every_step(view: Any) -> None:
    choose = random.Random(21)
    cases = [operands_of(choose) for _ in range(4000)]

    def answer(operands: Any) -> Any:
        try:
            return iterated(operands)
        except RuntimeError as error:
            return ["RuntimeError", str(error)]

    wanted = [answer(each) for each in cases]
    script = """(cases) => { const ask = %s; return cases.map((each) => {
        try { return ask(each); }
        catch (error) {
            if (!(error instanceof GnomonError)) throw error;
            return [error.kind, error.message];
        }
    }); }"""
    found = view.evaluate(script % ITERATE, cases)
    wrong = [each for each in zip(cases, wanted, found) if each[1] != each[2]]
    assert wrong == []
    setups = [each["setup"] for each in wanted if isinstance(each, dict)]
    assert {name: setups.count(name) > 20 for name in set(setups)} == dict.fromkeys(
        ["NONE", "CONTIGUOUS", "CHANNELS_LAST", "NON_OVERLAPPING_DENSE"], True
    )
    assert sum(isinstance(each, list) for each in wanted) > 20


def test_the_last_step_has_the_loops_and_their_offsets(view: Any) -> None:
    """An expanded operand beside a transposed one: nothing merges, and 0 stays 0."""
    operands = [
        {"sizes": [2, 3], "strides": [1, 2], "dtype": "float32"},
        {"sizes": [3], "strides": [1], "dtype": "float32"},
    ]
    made = view.evaluate(
        """(operands) => {
            const { shape, strides } = iterate(operands, "float32");
            return [shape, strides, firstOffsets(shape, strides, 4), loopsText(shape, ["out", "a", "b"])];
        }""",
        operands,
    )
    shape, strides, rows, loops = made
    assert shape == [2, 3] and strides == [[4, 8], [4, 8], [0, 4]]
    assert [each["offsets"] for each in rows] == [[0, 0, 0], [4, 4, 0], [8, 8, 4], [12, 12, 4]]
    assert loops.splitlines() == [
        "for i1 in range(3):",
        "    for i0 in range(2):    # the inner loop",
        "        out[…] = op(a[…], b[…])",
    ]


def test_huge_operands_are_iterated_at_once(view: Any) -> None:
    """The time does not depend on the number of elements."""
    made = view.evaluate("iterate([{sizes: [1e6, 1e6], strides: [1e6, 1], dtype: 'int8'}], 'int8').shape")
    assert made == [10**12]
