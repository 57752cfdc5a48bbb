"""fast_views.py: the second and third call of a kind do what the first, the readable one, did."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gnomon as gn

CALLS: dict[str, Callable[[Any], Any]] = {
    "T": lambda x: x.T,
    "mT": lambda x: x.mT,
    "transpose": lambda x: x.transpose(0, -1),
    "permute": lambda x: x.permute(1, 0),
    "permute list": lambda x: x.permute([1, 0]),
    "view": lambda x: x.view(-1),
    "view sizes": lambda x: x.view(2, 2, 3),
    "reshape": lambda x: x.reshape((12,)),
    "expand": lambda x: x.expand(5, 4, 3),
    "select": lambda x: x.select(0, -1),
    "narrow": lambda x: x.narrow(1, 1, 2),
    "unsqueeze": lambda x: x.unsqueeze(1),
    "squeeze": lambda x: x.squeeze(),
    "flatten": lambda x: x.flatten(),
    "index": lambda x: x[2],
    "negative index": lambda x: x[-1],
    "slice": lambda x: x[1:],
    "stepped slice": lambda x: x[::2],
    "two slices": lambda x: x[1:3, ::2],
    "column": lambda x: x[:, 1],
    "new dimension": lambda x: x[None],
    "ellipsis": lambda x: x[..., 0],
    "element": lambda x: x[1, 2],
    "function": lambda x: gn.transpose(x, 0, 1),
}


def matrix(**options: Any) -> Any:
    return gn.arange(12.0).reshape(4, 3).clone().requires_grad_(**options)


def facts(view: Any, base: Any) -> tuple[Any, ...]:
    return (
        view.tolist(), view.shape, view.stride(), view.storage_offset(), view.dtype, view._base is base,
        view.requires_grad, type(view.grad_fn).__name__, view.data_ptr() - base.data_ptr(), view._version,
    )  # fmt: skip


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("recorded", [False, True], ids=["plain", "recorded"])
def test_repeated_calls_are_the_first(call: Callable[[Any], Any], recorded: bool) -> None:
    found = []
    gradients = []
    for _ in range(3):
        base = matrix(requires_grad=recorded)
        view = call(base)
        found.append(facts(view, base))
        if recorded:
            (view * view).sum().backward()
            gradients.append(base.grad.tolist())
    assert found[0] == found[1] == found[2]
    assert gradients[1:] == gradients[:-1]


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_views_share_memory_and_versions(call: Callable[[Any], Any]) -> None:
    call(matrix(requires_grad=False))
    base = matrix(requires_grad=False)
    view = call(base)
    if 0 in view.stride():
        return  # elements that share memory can't be written to
    view.mul_(0)
    assert base._version == view._version == 1
    assert view.sum().item() == 0 and base.sum().item() < 66


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_views_follow_a_base_that_becomes_a_variable(call: Callable[[Any], Any]) -> None:
    call(matrix(requires_grad=False))
    base = matrix(requires_grad=False)
    view = call(base)
    base.mul_(gn.ones(4, 3, requires_grad=True))
    assert view.requires_grad and view.grad_fn is not None


def test_what_was_made_without_recording_is_refused_in_place() -> None:
    for _ in range(3):
        base = matrix() * 1
        with gn.no_grad():
            view = base[1:]
        assert view.requires_grad and view.grad_fn is None
        with pytest.raises(RuntimeError, match="no_grad mode"):
            view.mul_(2)
        with pytest.raises(RuntimeError, match="no_grad mode"):
            view[0].mul_(2)


def test_equal_arguments_of_other_types_are_not_taken_for_each_other() -> None:
    x = matrix(requires_grad=False)
    for _ in range(2):
        assert x.transpose(0, 1).shape == (3, 4)
        assert x[1].shape == (3,)
        assert x[0:1].shape == (1, 3)
    with pytest.raises(TypeError):
        x.transpose(False, True)
    with pytest.raises(TypeError):
        x.transpose(0.0, 1.0)
    assert x[True].shape == (1, 4, 3)
    assert x[0, 1].shape == () and x[(0,)].shape == (3,)
    with pytest.raises((IndexError, TypeError)):
        x[1.0]


def test_a_reshape_that_copies_goes_on_copying() -> None:
    for _ in range(3):
        x = matrix(requires_grad=False).T
        made = x.reshape(12)
        made.zero_()
        assert made.data_ptr() != x.data_ptr() and x.sum().item() == 66


def test_views_of_views_have_one_base() -> None:
    for _ in range(3):
        x = matrix()
        view = x[1:].T[0]
        assert view._base is x and view.storage_offset() == 3
        view.sum().backward()
        assert x.grad.tolist() == [[0, 0, 0], [1, 0, 0], [1, 0, 0], [1, 0, 0]]


def test_wrong_arguments_fail_every_time_alike() -> None:
    x = matrix(requires_grad=False)
    for wrong in (lambda: x[4], lambda: x.view(5), lambda: x.select(0, 9), lambda: x.transpose(0, 5)):
        texts = set()
        for _ in range(3):
            with pytest.raises((IndexError, RuntimeError)) as error:
                wrong()
            texts.add(str(error.value))
        assert len(texts) == 1


def test_memory_goes_with_the_last_view() -> None:
    if gn.zeros(1).device.type != "c":
        pytest.skip("counts the C allocator's bytes")
    import gnomon_c

    x = gn.zeros(1000, 1000)
    assert x[1:].T.shape == (1000, 999)
    before = gnomon_c.memory_stats()["allocated"]
    view = x[1:].T
    del x
    assert gnomon_c.memory_stats()["allocated"] == before
    del view
    assert gnomon_c.memory_stats()["allocated"] <= before - 4_000_000


@given(st.integers(-(2**31), 2**31 - 1), st.floats(width=32, allow_nan=False))
def test_item(integer: int, number: float) -> None:
    for value, dtype in (
        (integer, gn.int64),
        (integer, gn.int32),
        (number, gn.float32),
        (number, gn.float64),
    ):
        x = gn.tensor(value, dtype=dtype)
        for _ in range(2):
            assert x.item() == value and type(x.item()) is type(value)


@pytest.mark.parametrize(
    "dtype", [gn.bool, gn.uint8, gn.int8, gn.int16, gn.float16, gn.bfloat16, gn.complex64]
)
def test_item_of_other_dtypes(dtype: Any) -> None:
    x = gn.tensor([[0, 1]], dtype=dtype)
    kinds = {gn.bool: bool, gn.float16: float, gn.bfloat16: float, gn.complex64: complex}
    for _ in range(2):
        assert x[0, 1].item() == 1 and type(x[0, 1].item()) is kinds.get(dtype, int)
        with pytest.raises(RuntimeError, match="2 elements"):
            x.item()
    assert gn.tensor(1.5, requires_grad=True).item() == 1.5
