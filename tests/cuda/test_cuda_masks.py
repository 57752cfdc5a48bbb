"""Nonzero elements, and selection by masks, on the emulated GPU, against the reference."""

from __future__ import annotations

import math
from collections import Counter

import pytest

import gnomon as gn
from cuda_calls import both, numbers, same
from gnomon.calls import launch
from gnomon_conformance.execution.instrumentation import native_runs
from gnomon_cuda import masks

pytestmark = pytest.mark.usefixtures("cuda")
DTYPES = [gn.bool, gn.int16, gn.float16, gn.float32, gn.float64]
SHAPES = [(), (1,), (3, 4, 5), (2, masks.TILE), (masks.TILE + 1,), (0, 3)]
aten = gn.ops.aten


RUNS = [Counter()]  # of the current test


@pytest.fixture(autouse=True)
def natively():
    """Count native runs, and assert that the GPU declines no call."""
    before = launch.declined.copy()
    with native_runs() as RUNS[0]:
        yield
    assert launch.declined == before


def sparse(shape, dtype):
    """Every third element is 0, and so are all elements of alternate hundreds."""
    count = math.prod(shape)
    values = [k % 3 * (k // 100 % 2 or k < 100) for k in range(count)]
    return gn.tensor(values, dtype=gn.int64, device="reference").to(dtype).reshape(shape)


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda each: each.name)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_what_is_not_zero_is_counted_and_found(shape, dtype):
    source = sparse(shape, dtype)
    for function in (
        lambda a: aten._count_nonzero(a),
        lambda a: a.nonzero(),
        lambda a: aten.nonzero_static(a, size=7, fill_value=-5),
        lambda a: aten.nonzero_static(a.flip(0).flip(0) if a.ndim else a, size=0),
        lambda a: a.transpose(0, -1).nonzero() if a.ndim else a.nonzero(),
    ):
        assert same(*both(function, source))
    assert RUNS[0]["cuda", "_count_nonzero"] and RUNS[0]["cuda", "nonzero_static"]


def test_numbers_that_are_not_zero():
    source = gn.tensor([0.0, -0.0, math.nan, math.inf, 1e-45], device="cuda")
    assert source.nonzero().flatten().tolist() == [2, 3, 4]
    for dtype in (gn.complex64, gn.complex128):
        points = gn.tensor([[0, 1], [1j, 2 - 1j], [-0.0, 0]], dtype=dtype, device="cuda")
        for each in (points, points.t()):
            assert each.nonzero().tolist() == each.to("reference").nonzero().tolist()
        assert aten._count_nonzero(points).item() == 3


@pytest.mark.parametrize("dtype", [*DTYPES, gn.complex128], ids=lambda each: each.name)
def test_a_mask_chooses(dtype):
    count = masks.TILE + 12
    source = numbers(count, gn.int64).to(dtype).reshape(-1, 4)
    for mask in (sparse(source.shape, gn.bool), sparse((4,), gn.bool), source == source, source != source):
        assert same(*both(lambda a, m: a.masked_select(m), source, mask))
        assert same(*both(lambda a, m: a.t().masked_select(m.expand(a.shape).t()), source, mask))
        assert same(*both(lambda a, m: a.masked_scatter(m, a.flip(0)), source, mask))
        assert same(
            *both(lambda a, m: a[::2].masked_scatter_(m.expand(a.shape)[::2], a.clone()), source, mask)
        )
    assert RUNS[0]["cuda", "_masked_select"] and RUNS[0]["cuda", "masked_scatter"]
    assert same(*both(lambda a, m: a[0].masked_select(m), source, sparse(source.shape, gn.bool)))
    assert same(*both(lambda a: a[0, 0].masked_select(a[0, 0] == a[0, 0]), source))


def test_too_few_elements_raise_as_on_the_reference_and_nothing_is_written():
    texts = []
    for device in ("reference", "cuda"):
        held = numbers(6).to(device)
        with pytest.raises(RuntimeError) as caught:
            held.masked_scatter_(held > 2, held[:2] * 0)
        texts.append(str(caught.value))
        assert held.tolist() == [0, 1, 2, 3, 4, 5]
    assert texts[0] == texts[1]


def test_another_number_than_there_are_is_refused():
    for device in ("reference", "cuda"):
        held = numbers(6).to(device)
        with pytest.raises((IndexError, RuntimeError, ValueError)):
            aten._masked_select(held, held > 2, 2)
