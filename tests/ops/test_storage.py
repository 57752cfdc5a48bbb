"""Tensors on a given storage: what samples cannot express, and names from before linalg, which warn."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import gnomon as gn


@pytest.mark.both_tiers
def test_set_shares_the_storage_but_not_the_version(device: str) -> None:
    x, y = gn.zeros(4, device=device), gn.ones(2, 3, device=device).t()
    assert x.set_(y) is x
    assert x.is_set_to(y) and y.is_set_to(x) and x.stride() == (1, 3)
    x.add_(1)
    assert y.tolist() == [[2.0, 2.0]] * 3
    assert (x._version, y._version) == (2, 0)


@pytest.mark.both_tiers
def test_set_leaves_other_views_where_they_were(device: str) -> None:
    base = gn.arange(4.0, device=device)
    view = base[1:3]
    view.set_(gn.ones(7, device=device))
    view.zero_()
    assert view.shape == (7,) and base.tolist() == [0.0, 1.0, 2.0, 3.0]
    view.set_()
    assert view.shape == (0,) and view.untyped_storage().nbytes() == 0


def test_set_grows_the_storage_that_it_is_given(device: str) -> None:
    source = gn.arange(3.0, device=device)
    x = gn.zeros(1, device=device).set_(source.untyped_storage(), 2, (2, 2), (1, 2))
    assert source.untyped_storage().nbytes() == 6 * 4
    assert x.storage_offset() == 2 and x.stride() == (1, 2) and x[0, 0].item() == 2.0
    whole = gn.zeros(1, dtype=gn.uint8, device=device).set_(source.untyped_storage())
    assert whole.shape == (24,)


def test_set_refuses(device: str) -> None:
    x = gn.zeros(3, device=device)
    with pytest.raises(RuntimeError, match="Could not set tensor of type int64 to a tensor of type float32"):
        x.set_(gn.zeros(3, dtype=gn.int64, device=device))
    with pytest.raises(RuntimeError, match="the devices must match"):
        x.set_(gn.zeros(3, device="meta"))
    with pytest.raises(RuntimeError, match="must be contiguous"):
        x.set_(gn.zeros(4, device=device)[::2], 0, (2,))
    with pytest.raises(RuntimeError, match="invalid storage offset -1"):
        x.set_(x.untyped_storage(), -1, (2,))
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        gn.zeros(3, device=device).requires_grad_().set_(x)
    with pytest.raises(TypeError, match="set_\\(\\) received an invalid combination"):
        x.set_(3)  # type: ignore[call-overload]
    assert x.tolist() == [0.0, 0.0, 0.0]


@pytest.mark.both_tiers
def test_as_subclass_is_a_view_of_another_class(device: str) -> None:
    class Named(gn.Tensor):
        pass

    x = gn.arange(3.0, device=device).requires_grad_()
    y = x.as_subclass(Named)
    assert type(y) is Named and y._base is x and y.grad_fn is not None
    (y * gn.tensor([1.0, 2.0, 3.0], device=device)).sum().backward()
    assert x.grad is not None and x.grad.tolist() == [1.0, 2.0, 3.0]
    with pytest.raises(TypeError, match="does not inherit from Tensor"):
        x.as_subclass(int)  # type: ignore[type-var]
    with pytest.raises(TypeError, match="cls must be a type \\(got int\\)"):
        x.as_subclass(3)  # type: ignore[arg-type]


def test_wrapped_diagonals_stay_inside_of_a_tensor_with_gaps(device: str) -> None:
    whole = gn.zeros(8, 3, device=device)
    whole[:, :2].fill_diagonal_(1, wrap=True)
    rows = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]]
    assert whole.tolist() == [*rows, *rows, *rows[:2]]


def test_a_diagonal_of_each_example(device: str) -> None:
    x = gn.vmap(lambda x: x.clone().fill_diagonal_(7, wrap=True))(gn.zeros(2, 4, 2, device=device))
    assert x.tolist() == [[[7.0, 0.0], [0.0, 7.0], [0.0, 0.0], [7.0, 0.0]]] * 2


CALLS: dict[str, tuple[bool, Any]] = {
    "range": (False, lambda: gn.range(0, 1, 0.5)),
    "nuclear_norm": (True, lambda: gn.nuclear_norm(gn.eye(2))),
    "frobenius_norm": (True, lambda: gn.frobenius_norm(gn.eye(2), (0, 1))),
    "chain_matmul": (True, lambda: gn.chain_matmul(gn.eye(2), gn.eye(2))),
}


@pytest.mark.parametrize("name", CALLS)
def test_deprecated_names_warn(name: str) -> None:
    once, call = CALLS[name]
    for always, count in ((True, 2), (False, 0 if once else 2)):
        gn.set_warn_always(always)
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                call()
                call()
        finally:
            gn.set_warn_always(False)
        assert [f"{name} is deprecated" in str(each.message) for each in caught] == [True] * count


def test_range_counts_in_the_precision_of_pytorch() -> None:
    with pytest.warns(UserWarning, match="range is deprecated"):
        assert gn.range(0, 1, 0.1, dtype=gn.bfloat16).shape == (11,)
        assert gn.range(-1, 3, dtype=gn.uint8).tolist() == [255, 0, 1, 2, 3]
        assert gn.range(0, 3, out=gn.empty(2, 2)).tolist() == [[0.0, 1.0], [2.0, 3.0]]
        with pytest.raises(RuntimeError, match="step must be nonzero"):
            gn.range(0, 3, 0.5, dtype=gn.int64)


@pytest.mark.oracle
def test_range_beside_pytorch() -> None:
    torch = pytest.importorskip("torch")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for start, end, step in ((0, 1, 0.1), (-2, 3.5, 0.7), (5, -5, -0.3), (0.25, 7, 1 / 3)):
            for dtype in ("float64", "float32", "float16", "bfloat16"):
                mine = gn.range(start, end, step, dtype=getattr(gn, dtype))
                theirs = torch.range(start, end, step, dtype=getattr(torch, dtype))
                assert mine.tolist() == theirs.tolist(), (start, end, step, dtype)
