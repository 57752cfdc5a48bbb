"""Plans of views: the second and third call of a kind do what the first did on the readable path."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gnomon as gn
from gnomon.backends.listing import backend_info
from gnomon.dispatch.mode import excluding
from gnomon.dispatch.python_dispatch import DispatchMode
from gnomon.dispatch.record_function import RecordFunctionCallback, observing
from gnomon.ops.indexing import index as index_module
from gnomon.values.dispatch_key import DispatchKey

pytestmark = pytest.mark.both_tiers

READABLY = RecordFunctionCallback(lambda *told: None, is_traced=True)  # calls take the readable path
aten = gn.ops.aten
needs_c = pytest.mark.skipif(not backend_info("c").available, reason="needs the C backend")
devices = pytest.mark.parametrize("device", ["reference", pytest.param("c", marks=needs_c)])

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


# -- x[index] = value ----------------------------------------------------------------------------------------


@devices
def test_setting_is_what_it_was_the_first_time(device: str) -> None:
    row = gn.tensor([5.0, 6.0, 7.0], device=device)
    cases: list[tuple[Any, Any, list[list[float]]]] = [
        (0, 1.5, [[1.5] * 3, [0.0] * 3]),
        (-1, 2, [[0.0] * 3, [2.0] * 3]),
        ((1, 2), -1.0, [[0.0] * 3, [0.0, 0.0, -1.0]]),
        (slice(0, 1), row, [[5.0, 6.0, 7.0], [0.0] * 3]),
        ((0, slice(None, None, 2)), row[:2], [[5.0, 0.0, 6.0], [0.0] * 3]),
        (1, row, [[0.0] * 3, [5.0, 6.0, 7.0]]),
        (1, row.to(gn.int64), [[0.0] * 3, [5.0, 6.0, 7.0]]),
        (..., True, [[1.0] * 3] * 2),
        ((), 4.0, [[4.0] * 3] * 2),
        ((None, 0), row[:1], [[5.0] * 3, [0.0] * 3]),
        (gn.tensor([False, True], device=device), 3.0, [[0.0] * 3, [3.0] * 3]),
        (gn.tensor([1, 0], device=device), row, [[5.0, 6.0, 7.0]] * 2),
        ([1], 2**60, [[0.0] * 3, [2.0**60] * 3]),
        (0, 2**60, [[2.0**60] * 3, [0.0] * 3]),
        (False, 3.0, [[0.0] * 3] * 2),
        (True, 3.0, [[3.0] * 3] * 2),
    ]
    for index, value, wanted in cases:
        for number in range(3):
            x = gn.zeros(2, 3, device=device)
            x[index] = value
            assert x.tolist() == wanted, (index, number)
            assert x._version == (index is not False), (index, number)


@devices
def test_a_list_of_numbers_is_no_tuple_of_them(device: str) -> None:
    rows = [[[0, 1, 2], [3, 4, 5]], [[6, 7, 8], [9, 10, 11]], [[12, 13, 14], [15, 16, 17]]]
    x = gn.tensor(rows, device=device)
    for _ in range(3):
        assert x[2, 1].tolist() == x[gn.Size([2, 1])].tolist() == rows[2][1]
        assert x[[2, 1]].tolist() == [rows[2], rows[1]]
        y = gn.zeros(3, 2, device=device)
        y[1, 0] = 2
        y[[1, 0]] = 1
        assert y.tolist() == [[1.0, 1.0], [1.0, 1.0], [0.0, 0.0]]
        y[1, 0] = 2
        assert y.tolist() == [[1.0, 1.0], [2.0, 1.0], [0.0, 0.0]]


@devices
def test_setting_raises_as_ever(device: str) -> None:
    for _ in range(3):
        x = gn.zeros(2, 3, device=device)
        x[0] = 1.0
        with pytest.raises(IndexError, match="out of bounds"):
            x[2] = 1.0
        with pytest.raises(RuntimeError, match="without overflow"):
            x[0] = 1e39
        with pytest.raises(RuntimeError):
            x[0] = gn.zeros(2, device=device)
        with pytest.raises(TypeError):
            x["0"] = 1.0
        assert x.tolist() == [[1.0] * 3, [0.0] * 3]
        x[0] = gn.full((1, 1, 3), 2.0, device=device)  # leading dimensions of size 1 are always accepted
        assert x.tolist() == [[2.0] * 3, [0.0] * 3]

        def text(value: Any) -> str:
            with pytest.raises(RuntimeError) as caught:
                x[0] = value  # noqa: B023
            return str(caught.value)

        for value in (-1e300, gn.zeros(2, device=device), gn.zeros(2, 3, device=device)):
            with observing(READABLY):
                wanted = text(value)
            assert text(value) == wanted


@devices
def test_setting_is_recorded(device: str) -> None:
    leaf = gn.ones(2, 3, device=device, requires_grad=True)
    value = gn.ones(3, device=device, requires_grad=True)
    for _ in range(3):
        plain = gn.zeros(2, 3, device=device)
        plain[0] = 1.0
        x = leaf * 2
        x[0] = 5.0
        x[1] = value
        assert x.grad_fn.name() == "CopySlices"
        gradients = gn.autograd.grad(x.sum(), [leaf, value])
        assert [each.tolist() for each in gradients] == [[[0.0] * 3] * 2, [1.0] * 3]
        with pytest.raises(RuntimeError, match="leaf Variable"):
            leaf[0] = 1.0
        plain[1] = value
        assert plain.requires_grad
        with gn.no_grad():
            leaf[0] = 1.0
            assert leaf.grad_fn is None
        with gn.inference_mode():
            inner = gn.zeros(2, 3, device=device)
            inner[0] = 1.0
        with pytest.raises(RuntimeError, match=r"[Ii]nference"):
            inner[0] = 2.0
        assert inner.tolist() == [[1.0] * 3, [0.0] * 3]


@devices
def test_setting_from_the_same_memory(device: str) -> None:
    for _ in range(3):
        x = gn.arange(6.0, device=device).reshape(3, 2)
        x[0] = x[1]
        x[2] = x[2]
        assert x.tolist() == [[2.0, 3.0], [2.0, 3.0], [4.0, 5.0]]
        with pytest.raises(RuntimeError, match="single memory location"):
            x[1:] = x[:2]


@devices
def test_setting_is_seen_by_modes(device: str) -> None:
    seen = []

    class Mode(DispatchMode):
        def __gnomon_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append(str(func))
            return func(*args, **(kwargs or {}))

    x = gn.zeros(2, 3, device=device)
    x[0] = 1.0
    x[0] = 1.0
    with Mode():
        x[0] = 1.0
        x.unbind(0)
    wanted = ["scalar_tensor.default", "select.int", "copy_.default", "unbind.int"]
    assert sorted(each.removeprefix("aten.") for each in seen) == sorted(wanted)


# -- several views at once -----------------------------------------------------------------------------------

PIECES: dict[str, Callable[[Any], Any]] = {
    "unbind": lambda x: x.unbind(0),
    "unbind -1": lambda x: gn.unbind(x, -1),
    "split": lambda x: x.split(2, 1),
    "split of sizes": lambda x: gn.split(x, [1, 3], 1),
    "chunk": lambda x: x.chunk(2, -1),
    "iteration": lambda x: tuple(x),
    "unbind of nothing": lambda x: x[:0].unbind(0),
    "tensor_split": lambda x: x.tensor_split(3, 1),
    "unsafe_split": lambda x: gn.unsafe_split(x, 2, 1),
}


@devices
@pytest.mark.parametrize("name", PIECES)
@pytest.mark.parametrize("of", ["tensor", "view", "leaf", "leaf's view", "result", "int"])
def test_pieces_are_the_same_every_time(name: str, of: str, device: str) -> None:
    def facts(record: bool) -> Any:
        base = gn.arange(24.0, device=device).reshape(3, 2, 4)
        base = base.clone().to(gn.int64 if of == "int" else gn.float32)
        if of in ("leaf", "leaf's view", "result"):
            base.requires_grad_()
        start = {"view": base[:, 1], "leaf's view": base[:, 1], "result": base[:, 1] * 1}.get(of, base[:, 0])
        with gn.set_grad_enabled(record):
            made = PIECES[name](start)
        found = [
            (
                each.tolist(), each.stride(), each.storage_offset(), each.requires_grad, each._is_view(),
                each._base is base or each._base is start, each.grad_fn and each.grad_fn.name(),
                each.output_nr,
                each._view_of and (each._view_of[1], int(each._view_of[2])), each.dtype,
            )
            for each in made
        ]  # fmt: skip
        if made and record and made[0].requires_grad and name != "unsafe_split":
            (gradient,) = gn.autograd.grad((made[0] * 2).sum(), base)
            found.append(gradient.tolist())
            if name != "tensor_split":  # its pieces are separate views
                with pytest.raises(RuntimeError, match=r"returns multiple views|leaf Variable"):
                    made[0].mul_(2)
        elif made and not made[0].requires_grad:
            made[0].add_(1)
            found.append((base.tolist(), base._version, made[-1]._version))
        return isinstance(made, tuple), found

    for record in (True, False):
        with observing(READABLY):
            first = facts(record)
        assert first[0]
        assert [facts(record) for _ in range(3)] == [first] * 3


@devices
def test_pieces_require_grad_when_their_base_does(device: str) -> None:
    for _ in range(3):
        x = gn.ones(4, 2, device=device)
        pieces = [*x.unbind(0), *x.split(2)]
        x.requires_grad_()
        assert all(each.requires_grad for each in pieces)


@devices
@pytest.mark.parametrize("count", [61, 62, 63, 64, 200])
def test_many_pieces_that_are_not_recorded(count: int, device: str) -> None:
    for _ in range(3):
        x = gn.zeros(count, 2, device=device)
        pieces = x.unbind(0)
        assert [each.storage_offset() for each in pieces] == list(range(0, 2 * count, 2))
        assert all(each._base is x and each._view_of[2] == pieces[0]._view_of[2] for each in pieces)
        pieces[-1].add_(1)
        assert (x._version, pieces[0]._version, x.sum().item()) == (1, 1, 2)
        x.requires_grad_()
        assert all(each.requires_grad for each in pieces)
        with gn.no_grad():
            assert [each.tolist() for each in x.unbind(0)] == x.tolist()


@devices
def test_many_pieces_and_wrong_ones(device: str) -> None:
    x = gn.arange(80.0, device=device, requires_grad=True)
    for _ in range(3):
        pieces = x.unbind(0)
        assert len(pieces) == 80
        (gradient,) = gn.autograd.grad(pieces[70] * 3 + pieces[79], x)
        assert gradient.nonzero().flatten().tolist() == [70, 79] and gradient[70].item() == 3.0
        with pytest.raises(IndexError):
            x.unbind(1)
        with pytest.raises(RuntimeError, match="non-negative"):
            x.split(-1)
        with pytest.raises(TypeError):
            x.split(2.0)


# -- operators that make one view ----------------------------------------------------------------------------

OPERATORS: dict[str, Callable[[Any], Any]] = {
    "detach": lambda x: aten.detach.default(x),
    "alias": lambda x: aten.alias.default(x),
    "select": lambda x: aten.select.int(x, 0, 1),
    "slice": lambda x: aten.slice.Tensor(x, 1, 1, None, 2),
    "transpose": lambda x: aten.transpose.int(x, 0, 1),
    "unsqueeze": lambda x: aten.unsqueeze.default(x, -1),
    "view": lambda x: aten.view.default(x, (12,)),
    "reshape of a list": lambda x: x.reshape([2, 6]),
    "permute of a list": lambda x: x.permute([1, 0]),
    "expand": lambda x: aten.expand.default(x, (2, 3, 4), False),
}


@devices
@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("of", ["tensor", "view", "leaf", "leaf's view", "result", "int"])
def test_operators_of_one_view(name: str, of: str, device: str) -> None:
    def facts(record: bool) -> Any:
        base = gn.arange(24.0, device=device).to(gn.int64 if of == "int" else gn.float32)
        if of in ("leaf", "leaf's view", "result"):
            base.requires_grad_()
        start = base[12:] if "view" in of else base.reshape(2, 12)[1] * 1
        start = start.view(3, 4)
        with gn.set_grad_enabled(record):
            made = OPERATORS[name](start)
        node = made.grad_fn
        found = [
            made.tolist(), made.stride(), made.storage_offset(), made.requires_grad, made._is_view(),
            made._base is base, made._base is start._base, node and node.name(), made.dtype,
            made.data_ptr() - start.data_ptr(), made._view_of and (made._view_of[1], int(made._view_of[2])),
        ]  # fmt: skip
        if node is not None:
            found.append(gn.autograd.grad((made * 3).sum(), base)[0].tolist())
        if not made.requires_grad:
            aten.select.int(made, 0, 0).zero_()
            found += [base.tolist(), start.tolist(), start._version, made._version, base._version]
        return found

    for record in (True, False):
        with observing(READABLY):
            first = facts(record)
        assert [facts(record) for _ in range(3)] == [first] * 3


@devices
def test_masks_index_as_ever(device: str) -> None:
    x = gn.arange(6.0, device=device).reshape(2, 3).requires_grad_()
    for _ in range(3):
        for mask, wanted in (
            (x > 2, [3.0, 4.0, 5.0]),
            (x > 9, []),
            (gn.tensor([False, True], device=device), [[3.0, 4.0, 5.0]]),
        ):
            made = x[mask]
            assert made.tolist() == wanted and made.grad_fn.name() == "IndexBackward0"
            (gradient,) = gn.autograd.grad(made.sum(), x)
            assert (
                gradient.tolist()
                == (mask if mask.ndim == 2 else mask[:, None].expand(2, 3)).to(gn.float32).tolist()
            )
        assert x[:, x[0] > 0].tolist() == [[1.0, 2.0], [4.0, 5.0]]
        assert x[gn.tensor(True, device=device)].shape == (1, 2, 3)
        for mask, text in (
            (
                gn.ones(3, dtype=gn.bool, device=device),
                r"The shape of the mask \[3\] at index 0 does not match",
            ),
            (
                gn.ones(2, 2, dtype=gn.bool, device=device),
                r"mask \[2, 2\] at index 1 .* tensor \[2, 3\] at index 1",
            ),
            (gn.ones(2, 3, 1, dtype=gn.bool, device=device), "too many indices"),
        ):
            with pytest.raises(IndexError, match=text):
                x[mask]
        with pytest.raises(IndexError, match="at index 2"):
            gn.ops.aten.index.Tensor(x, [gn.ones(2, 3, 1, dtype=gn.bool, device=device)])


@pytest.mark.parametrize("dtype", [gn.float32, gn.float64, gn.int64, gn.bool, gn.float16], ids=str)
@pytest.mark.parametrize("layout", ["dense", "transposed", "slice", "expanded"])
def test_a_number_where_a_mask_is_true(dtype: gn.dtype, layout: str, device: str) -> None:
    """A plan serves dense tensors with numbers that surely fit; all else goes to index_put_."""

    def made() -> gn.Tensor:
        x = gn.arange(6, device=device).reshape(2, 3).to(dtype)
        return {"dense": x, "transposed": x.t(), "slice": x[:, 1:], "expanded": x[0].expand(2, 3)}[layout]

    def outcome(write: Callable[[gn.Tensor], Any]) -> Any:
        x = made()
        try:
            write(x)
        except Exception as error:
            return type(error), str(error), x.tolist()
        return x.tolist(), x.dtype, x.stride(), x._version

    mask = made() % 2 == 0 if dtype is not gn.bool else made().clone()
    row = mask[0].clone()
    for value in (0, 2.5, -7, 1e39, math.inf, math.nan, 2**62, 2**70, True, 1j, -0.0):
        for where in (mask, row, mask.to(gn.uint8), mask[:1]):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                expected = outcome(lambda x: index_module.setitem(x, where, value))  # noqa: B023
                for _ in range(2):
                    found = outcome(lambda x: x.__setitem__(where, value))  # noqa: B023
                    assert repr(found) == repr(expected), (value, where)


def test_a_mask_and_a_number_are_recorded_as_before(device: str) -> None:
    x = gn.ones(2, 3, device=device).requires_grad_()
    y = x * 2
    mask = gn.tensor([[True, False, True], [False, False, True]], device=device)
    y[mask] = 5.0
    assert y.grad_fn.name() == "IndexPutBackward0"
    y.sum().backward()
    assert x.grad.tolist() == [[0.0, 2.0, 0.0], [2.0, 2.0, 0.0]]
    with gn.no_grad():
        x[mask] = 0.0
    assert x._version == 1
    assert x.tolist() == [[0.0, 1.0, 0.0], [1.0, 1.0, 0.0]]


@devices
@pytest.mark.parametrize("index", [0, slice(None), (slice(None), 0), ...])
def test_numbers_are_not_written_where_elements_share_memory(index, device):
    """Neither in the first call nor with a plan; elements that share no memory are written."""
    base = gn.ones(2, device=device)
    repeated = base.view(2, 1).expand(2, 2)
    shared = repeated[index].stride()[-1] == 0
    for _ in range(3):
        if shared:
            with pytest.raises(RuntimeError, match="copy_: unsupported operation: more than one element"):
                repeated[index] = 3.0
            assert base.tolist() == [1.0, 1.0]
        else:
            repeated[index] = 3.0
            assert base.tolist() == [3.0, 3.0]


@devices
def test_a_view_that_a_tensor_s_number_decides_is_read_each_time(device):
    """The value of an index, or the start of narrow, can change from call to call: no plan has it."""
    base = gn.arange(4.0, device=device)
    for number in (0, 1, 2, 2, 1, 0):
        place = gn.tensor(number, device=device)
        assert base[place].item() == float(number)
        assert base[(place, None)].tolist() == [float(number)]
        assert base.narrow(0, place, 2).tolist() == [float(number), number + 1.0]
        assert gn.narrow(base, 0, place, 2).storage_offset() == number


# -- rows, of which only the first has a plan ----------------------------------------------------------------


@pytest.mark.both_tiers
def test_rows_are_views_at_their_own_offsets(device):
    base = gn.arange(24.0).view(4, 3, 2).clone()
    x = base[1:].transpose(1, 2)
    rows = [x[index] for index in (2, 0, 1, -1, -3)]
    assert [row.storage_offset() for row in rows] == [18, 6, 12, 18, 6]
    assert all(row.stride() == (1, 2) and row.shape == (2, 3) and row._base is base for row in rows)
    assert [row.tolist() for row in rows] == [x.tolist()[index] for index in (2, 0, 1, 2, 0)]
    version = base._version
    rows[2].fill_(7)
    assert base[2].tolist() == [[7, 7]] * 3 and base._version == version + 1 == x[2]._version
    assert x[1, 0].tolist() == [7, 7, 7] and x[2][1][2].item() == 23
    numbers = gn.tensor([5, 6, 7])
    assert [numbers[index].item() for index in range(-3, 3)] == [5, 6, 7] * 2
    assert numbers[True].shape == (1, 3)
    for index in (3, -4, 2**70):
        with pytest.raises(IndexError):
            numbers[index]
    with pytest.raises(IndexError):
        gn.tensor(1)[0]
    assert gn.ones(3).expand(2, 3)[1].stride() == (1,) and gn.ones(2, 0)[1].shape == (0,)


@pytest.mark.both_tiers
def test_rows_are_recorded_where_they_should_be(device):
    x = gn.arange(6.0).view(3, 2)
    assert x[1].grad_fn is None  # by the plan of x[0]
    x.requires_grad_()
    row = x[2]
    assert row.grad_fn is not None
    with gn.no_grad():
        silent = x[1]
    assert silent.grad_fn is None and not silent.requires_grad
    (row * 2 + x[0]).sum().backward()
    assert x.grad.tolist() == [[1, 1], [0, 0], [2, 2]]
    plain = gn.zeros(3, 2)
    second = plain[1]
    plain.mul_(x.detach().requires_grad_())
    assert second.requires_grad and second.grad_fn is not None  # as a view of a base that now requires grad
    assert gn.vmap(lambda each: each[1])(gn.arange(6).view(3, 2)).tolist() == [1, 3, 5]
    with gn.inference_mode():
        assert gn.arange(6)[4].is_inference()


@devices
@pytest.mark.parametrize("learned_below", [False, True])
@pytest.mark.parametrize("are_methods", [False, True])
def test_views_below_autograd_are_not_marked(are_methods: bool, learned_below: bool, device: str) -> None:
    """Kernels of sparse tensors exclude the keys from ADInplaceOrView on, where calls may be planned too."""
    above = [key for key in DispatchKey if key > DispatchKey.Batched]
    unsqueeze, multiply = aten.unsqueeze.default, aten.mul.Tensor
    if are_methods:
        unsqueeze, multiply = lambda x, dim: x.unsqueeze(dim), lambda x, y: x.mul(y)
    sizes = (3, 5 + learned_below + 2 * are_methods)  # other specs, which have no plans yet
    x = gn.ones(*sizes, device=device)
    leaf = x.clone().requires_grad_()
    for below in (learned_below, learned_below, not learned_below, not learned_below, learned_below):
        with excluding(*above) if below else nullcontext():
            views = [unsqueeze(each, 1) for each in (x, leaf)]
            products = [multiply(each, each) for each in (x, leaf)]
        assert [each._base is base for each, base in zip(views, (x, leaf))] == [not below] * 2
        assert [each.requires_grad for each in (*views, *products)] == [False, not below] * 2
        assert all(each.shape == (3, 1, sizes[1]) for each in views)
        before = x._version
        with gn.no_grad():
            views[0].add_(1)
        assert x._version == views[0]._version == before + 1 and products[0]._base is None
        assert gn.equal(multiply(x, x), views[0].squeeze(1) ** 2)
