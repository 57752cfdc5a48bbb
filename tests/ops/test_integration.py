"""gradient and its arguments."""

from __future__ import annotations

import math

import pytest

import gnomon as gn


def test_the_edges_are_divided_by_the_spacing_last(device: str) -> None:
    """So a spacing of 0, and one whose square overflows, are no exceptions."""
    x = gn.tensor([1.0, 4.0, 9.0, 8.0], dtype=gn.float64, device=device)
    weighted = [2.0, 4.0, 2.0, -4.0]
    for spacing in (0.0, -0.0, 1e300, math.inf):
        (found,) = gn.gradient(x, spacing=spacing, edge_order=2)
        wanted = gn.tensor(weighted, dtype=gn.float64) / gn.tensor(spacing, dtype=gn.float64)
        assert found.tolist() == wanted.tolist()


def test_a_list_of_spacings_has_one_for_each_dimension(device: str) -> None:
    """As in PyTorch, a list of one distance serves only one dimension; a number serves all."""
    square = gn.tensor([[0.0, 1.0, 4.0], [1.0, 2.0, 5.0], [4.0, 5.0, 8.0]], device=device)
    for spacing in ([0.5], (0.5,), [gn.arange(3.0, device=device)]):
        with pytest.raises(RuntimeError, match=r"or a list of length equal to 'self.dim\(\) = 2'"):
            gn.gradient(square, spacing=spacing)
        assert len(gn.gradient(square[0], spacing=spacing)) == 1
        assert len(gn.gradient(square, spacing=spacing, dim=1)) == 1
    rows, columns = gn.gradient(square, spacing=0.5)
    assert rows.tolist() == [[2.0] * 3, [4.0] * 3, [6.0] * 3] and columns.equal(rows.T)
    assert [each.tolist() for each in gn.gradient(square, spacing=[0.5, 1.0])] == [
        rows.tolist(),
        (columns / 2).tolist(),
    ]
