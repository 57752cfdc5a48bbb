"""index_reduce of ops/indexing/scatter.py: integers, zeros and ties, as in PyTorch."""

from __future__ import annotations

import pytest

import gnomon as gn

INDEX = [0, 2, 0]


def test_means_of_integers_are_rounded_down(device: str) -> None:
    x = gn.full((3, 2), -1, dtype=gn.int32)
    source = gn.tensor([[-1, -2], [-3, -4], [-5, -6]], dtype=gn.int32)
    index = gn.tensor(INDEX)
    assert x.index_reduce(0, index, source, "prod").tolist() == [[-5, -12], [-1, -1], [3, 4]]
    assert x.index_reduce(0, index, source, "mean").tolist() == [[-3, -3], [-1, -1], [-2, -3]]
    assert x.index_reduce(0, index, source, "amax").tolist() == [[-1, -1]] * 3
    assert x.index_reduce_(0, index, source, "amin") is x
    assert x.tolist() == [[-5, -6], [-1, -1], [-3, -4]]


def test_without_self_only_slices_that_are_named_lose_it(device: str) -> None:
    x = gn.full((2, 3), 7.0).t()
    source = gn.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    found = x.index_reduce(0, gn.tensor(INDEX, dtype=gn.int32), source, "mean", include_self=False)
    assert found.tolist() == [[3.0, 4.0], [7.0, 7.0], [3.0, 4.0]] and found.stride() == (2, 1)
    assert gn.tensor(0.0).index_reduce(0, gn.tensor(0), gn.tensor(3.0), "mean").tolist() == 1.5


@pytest.mark.parametrize(
    ("reduce", "include_self", "of_self", "of_source"),
    [
        ("prod", True, [[1, 12], [1, 1], [3, 0]], [[1, 12], [5, 3], [1, 4]]),
        ("prod", False, [[0, 0], [1, 1], [0, 0]], [[1, 6], [1, 1], [1, 2]]),
        ("mean", False, [[0, 0], [1, 1], [0, 0]], [[0.5, 0.5], [1, 1], [0.5, 0.5]]),
        ("amax", True, [[1 / 3, 0], [1, 1], [1, 1]], [[1 / 3, 0], [0, 0], [1 / 3, 1]]),
        ("amin", True, [[1 / 3, 0.5], [1, 1], [0, 0]], [[1 / 3, 0.5], [1, 1], [1 / 3, 0]]),
    ],
)
def test_gradients_of_zeros_and_ties(
    device: str,
    reduce: str,
    include_self: bool,
    of_self: list[list[float]],
    of_source: list[list[float]],
) -> None:
    x = gn.tensor([[1, 2], [3, 0], [5, 3]], dtype=gn.float64, requires_grad=True)
    source = gn.tensor([[1, 2], [3, 0], [1, 6]], dtype=gn.float64, requires_grad=True)
    x.index_reduce(0, gn.tensor(INDEX), source, reduce, include_self=include_self).sum().backward()
    assert x.grad is not None and source.grad is not None
    assert x.grad.tolist() == of_self and source.grad.tolist() == of_source


def test_wrong_reductions_and_indices_are_refused(device: str) -> None:
    x, index, source = gn.zeros(3), gn.tensor([0, 1]), gn.ones(2)
    with pytest.raises(
        RuntimeError, match="Expected reduce to be one of prod, mean, amax or amin but got sum"
    ):
        x.index_reduce(0, index, source, "sum")
    with pytest.raises(IndexError, match="index out of range in self: 3"):
        x.index_reduce(0, gn.tensor([0, 3]), source, "amax")
    with pytest.raises(RuntimeError, match="Number of indices"):
        x.index_reduce(0, index, gn.ones(3), "amax")
