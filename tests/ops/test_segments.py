"""Reductions of segments: dtypes, refused values, and random calls beside PyTorch."""

from __future__ import annotations

import random
from typing import Any

import pytest

import gnomon as gn


def test_segments_of_each_row(device: str) -> None:
    data = gn.arange(12.0, device=device).reshape(2, 3, 2)
    lengths = gn.tensor([[1, 2, 0], [0, 0, 3]], dtype=gn.int32, device=device)
    found = gn.segment_reduce(data, "max", lengths=lengths, axis=1)
    inf = float("inf")
    empty = [-inf, -inf]
    assert found.tolist() == [[[0.0, 1.0], [4.0, 5.0], empty], [empty, empty, [10.0, 11.0]]]
    assert found.stride() == (6, 2, 1)
    mean = gn.segment_reduce(data, "mean", lengths=lengths, axis=-2, initial=3)
    assert mean[0].tolist() == [[3.0, 4.0], [4.5, 5.5], [3.0, 3.0]]


def test_segments_given_by_offsets_may_leave_elements_out(device: str) -> None:
    data = gn.arange(6.0, device=device).requires_grad_()
    found = gn.segment_reduce(data, "prod", offsets=gn.tensor([1, 3, 3, 5], device=device))
    assert found.tolist() == [2.0, 1.0, 12.0]
    (grad,) = gn.autograd.grad(found.sum(), data, create_graph=True)
    assert grad.tolist() == [0.0, 2.0, 1.0, 4.0, 3.0, 0.0]
    assert gn.autograd.grad(grad.sum(), data)[0].tolist() == pytest.approx([0.0, 1.0, 1.0, 1.0, 1.0, 0.0])


def test_half_precision_is_summed_in_float32(device: str) -> None:
    data = gn.ones(600, dtype=gn.bfloat16, device=device)
    found = gn.segment_reduce(data, "sum", lengths=gn.tensor([300, 300], device=device))
    assert found.dtype is gn.bfloat16 and found.tolist() == [300.0, 300.0]


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"lengths": [2, 3]}, "Expected all rows of lengths along axis to sum"),
        ({"lengths": [7, -1]}, "lengths contains negative value!"),
        ({"lengths": [7, 2], "unsafe": True}, "segments are not within the size 6"),
        ({"offsets": [0, 4, 2]}, "Expected segment_length >= 0"),
        ({"offsets": [-1, 4]}, "segments are not within the size 6"),
        ({}, "Either lengths or offsets must be defined"),
    ],
)
def test_segments_that_are_refused(device: str, options: dict[str, Any], text: str) -> None:
    given = {
        name: gn.tensor(value, device=device) if isinstance(value, list) else value
        for name, value in options.items()
    }
    with pytest.raises(RuntimeError, match=text):
        gn.segment_reduce(gn.ones(6, device=device), "sum", **given)
    with pytest.raises(NotImplementedError, match="int64"):
        gn.segment_reduce(gn.ones(6, dtype=gn.int64), "sum", lengths=gn.tensor([6]))


def test_chunks_of_tensors_joined_under_vmap(device: str) -> None:
    x, y = gn.arange(10.0, device=device).reshape(2, 5), gn.ones(2, 2, device=device)
    found = gn.vmap(lambda x, y: gn._chunk_cat([x, y], 0, 2))(x, y)
    assert found[1].tolist() == [[5.0, 6.0, 7.0, 1.0], [8.0, 9.0, 0.0, 1.0]]


@pytest.mark.oracle
def test_segments_beside_pytorch() -> None:
    torch = pytest.importorskip("torch")
    draw = random.Random(0)
    for _ in range(200):
        leading = [draw.randint(1, 3) for _ in range(draw.randint(0, 2))]
        size, count = draw.randint(1, 7), draw.randint(1, 4)
        sizes = (*leading, size, *([2] if draw.random() < 0.5 else []))
        data = torch.randint(-2, 3, sizes).to(torch.float64)
        if draw.random() < 0.3:
            data[data == 2] = float("nan")
        cuts = torch.randint(0, size + 1, (*leading, count - 1)).sort(-1).values
        ends = torch.cat([cuts.new_zeros((*leading, 1)), cuts, cuts.new_full((*leading, 1), size)], -1)
        segments = {"lengths": ends.diff()} if draw.random() < 0.5 else {"offsets": ends}
        options = {"axis": len(leading), "initial": draw.choice([None, 0.5])}
        word = draw.choice(["sum", "mean", "prod", "max", "min"])
        theirs = data.clone().requires_grad_()
        mine = gn.from_numpy(data.numpy()).requires_grad_()
        own = {name: gn.from_numpy(value.numpy()) for name, value in segments.items()}
        expected = torch.segment_reduce(theirs, word, **segments, **options)
        found = gn.segment_reduce(mine, word, **own, **options)
        weights = torch.arange(1.0, expected.numel() + 1, dtype=torch.float64).reshape(expected.shape)
        (expected * weights).sum().backward()
        (found * gn.from_numpy(weights.numpy())).sum().backward()
        for one, other in ((found, expected), (mine.grad, theirs.grad)):
            assert one is not None
            torch.testing.assert_close(torch.from_numpy(one.detach().numpy()), other.detach(), equal_nan=True)
