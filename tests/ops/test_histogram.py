"""ops/reductions/histogram.py: edges, values outside of them, and errors."""

from __future__ import annotations

import math

import pytest

import gnomon as gn


def test_bins_contain_their_left_edge_and_the_last_one_its_right_edge(device: str) -> None:
    x = gn.tensor([-0.1, 0.0, 1.0, 1.5, 2.0, 3.0, 3.1, math.nan, math.inf])
    expected = [1.0, 2.0, 2.0]
    assert gn.histc(x, 3, 0, 3).tolist() == expected
    found = gn.histogram(x, 3, range=(0.0, 3.0))
    assert found.hist.tolist() == expected and found.bin_edges.tolist() == [0.0, 1.0, 2.0, 3.0]
    edges = gn.tensor([0.0, 1.0, 2.0, 3.0])
    found = gn.histogram(x, edges)
    assert found.hist.tolist() == expected and found.bin_edges.tolist() == edges.tolist()
    assert found.bin_edges is not edges and found.bin_edges.data_ptr() != edges.data_ptr()


def test_equal_bounds_mean_the_extremes(device: str) -> None:
    assert gn.histc(gn.tensor([1.0, 5.0]), 4, 7, 7).tolist() == [1.0, 0.0, 0.0, 1.0]
    assert gn.histc(gn.tensor([2.0, 2.0]), 2).tolist() == [0.0, 2.0]
    assert gn.histc(gn.empty(0), 2).tolist() == [0.0, 0.0]
    assert gn.histogram(gn.tensor([2.0, 2.0]), 2).bin_edges.tolist() == [1.5, 2.0, 2.5]
    assert gn.histogram(gn.empty(0), 2).bin_edges.tolist() == [0.0, 0.5, 1.0]
    assert not gn.histc(gn.ones(2, requires_grad=True), 2).requires_grad


def test_a_range_so_wide_that_places_overflow(device: str) -> None:
    cases = [(gn.float16, 600.0), (gn.float16, 3e4), (gn.bfloat16, 1e38), (gn.float32, 2e38)]
    for dtype, far in [*cases, (gn.float64, 1e308)]:
        counts = gn.histc(gn.tensor([-far, -far / 2, 0.0, far / 2, far], dtype=dtype), 100)
        assert counts.nonzero().flatten().tolist() == [0, 25, 50, 75, 99] and counts.sum().item() == 5


def test_an_edge_that_the_dtype_does_not_have() -> None:
    for dtype, edge in ((gn.float16, 1e6), (gn.float32, 1e300)):
        with pytest.raises(RuntimeError, match="histc: value cannot be converted to type"):
            gn.histc(gn.ones(2, dtype=dtype), 4, 0, edge)


def test_weights_and_densities_of_points(device: str) -> None:
    points = gn.tensor([[0.0, 1.0], [1.0, 0.0], [2.0, 0.0], [2.0, 2.0]])
    hist, edges = gn.histogramdd(points, bins=[3, 3], weight=gn.tensor([1.0, 2.0, 4.0, 8.0]))
    assert hist.tolist() == [[0.0, 1.0, 0.0], [2.0, 0.0, 0.0], [4.0, 0.0, 8.0]]
    assert isinstance(edges, tuple) and [each.shape for each in edges] == [(4,), (4,)]
    hist, _ = gn.histogramdd(points, [2, 2], range=[0.0, 1.0, 0.0, 1.0], density=True)
    assert hist.tolist() == [[0.0, 2.0], [2.0, 0.0]]
    given = [gn.tensor([0.0, 1.0, 3.0]), gn.tensor([0.0, 9.0, 1.0, 9.0, 2.0])[::2]]
    hist, edges = gn.histogramdd(points, given)
    assert hist.tolist() == [[0.0, 1.0], [2.0, 1.0]] and edges[0].tolist() == [0.0, 1.0, 3.0]
    assert all(found is each for found, each in zip(edges, given))
    assert gn.histogram(gn.ones(3), 2, range=(2.0, 3.0), density=True).hist.isnan().all().item()


def test_wrong_bins_and_ranges_are_refused(device: str) -> None:
    x = gn.tensor([1.0, math.nan])
    with pytest.raises(RuntimeError, match="bins must be > 0, but got 0 for dimension 0"):
        gn.histc(x, 0)
    with pytest.raises(RuntimeError, match=r"range of .*nan.* is not finite"):
        gn.histc(x, 2)
    with pytest.raises(RuntimeError, match="max must be larger than min"):
        gn.histc(x, 2, 3, 1)
    with pytest.raises(RuntimeError, match=r"dimension 0's range .*nan.* is not finite"):
        gn.histogram(x, 2)
    with pytest.raises(RuntimeError, match="min should not exceed max, but got min 2 max 1 for dimension 0"):
        gn.histogram(x, 2, range=(2.0, 1.0))
    with pytest.raises(RuntimeError, match="bins tensor should have one dimension, but got 2"):
        gn.histogram(x, gn.ones(2, 2))
    with pytest.raises(RuntimeError, match="should have at least 2 dimensions"):
        gn.histogramdd(x, [2])
    with pytest.raises(NotImplementedError, match="histc: not implemented for dtype int64"):
        gn.histc(gn.ones(2, dtype=gn.int64))
