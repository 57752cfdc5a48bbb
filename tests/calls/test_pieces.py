"""Reductions of narrow integers: large inputs are converted a piece at a time, with the same results."""

from __future__ import annotations

import pytest

import gnomon as gn
from gnomon.calls import pieces
from gnomon.dispatch.record_function import KERNEL, RecordFunctionCallback, observing

DIMS = (None, 0, 1, 2, (0, 2), (1, 2), (0, 1))


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    monkeypatch.setattr(pieces, "PIECE", 16)


def layouts(x):
    yield x
    yield x.transpose(0, 2)
    yield x.permute(1, 2, 0)
    yield x[:, :, ::2]
    yield x[:, :1].expand(x.shape)


@pytest.mark.parametrize("dtype", [gn.int8, gn.uint8, gn.int16, gn.bool])
@pytest.mark.parametrize("dim", DIMS)
def test_sums_by_pieces_are_those_of_the_whole(device, dtype, dim):
    x = (gn.arange(3 * 4 * 10).reshape(3, 4, 10) * 7 % 251 - 120).to(dtype)
    for each in layouts(x):
        wide = each.to(gn.int64)
        for keepdim in (False, True):
            options = {} if dim is None else {"dim": dim, "keepdim": keepdim}
            found, expected = each.sum(**options), wide.sum(**options)
            assert found.tolist() == expected.tolist() and found.dtype is gn.int64
            assert found.stride() == expected.stride()
        if not isinstance(dim, tuple):
            options = {} if dim is None else {"dim": dim}
            assert each.prod(**options).tolist() == wide.prod(**options).tolist()
        if dim is not None:
            out = gn.empty(0, dtype=gn.int64)
            assert gn.sum(each, dim, out=out) is out and out.tolist() == wide.sum(dim).tolist()
    assert x.sum(dtype=gn.int32).dtype is gn.int32
    assert x.to(gn.float32).sum(dtype=gn.int64).item() == x.to(gn.float32).to(gn.int64).sum().item()


def test_no_more_than_a_piece_is_converted(device):
    x = gn.ones(5, 7, 11, dtype=gn.int8)
    seen = []
    watch = RecordFunctionCallback(lambda scope, name, made: seen.append((name, made)), scopes=(KERNEL,))
    for dim in DIMS:
        seen.clear()
        with observing(watch):
            x.sum() if dim is None else x.sum(dim)
        converted = [made[1][0]._spec.numel for name, made in seen if name == "copy_"]
        largest_output = 7 * 11
        assert max(converted) <= largest_output
        assert sum(name == "sum.dim_IntList" for name, _ in seen) > 1
