"""memory/tensor.py and methods.py: what a tensor reports, shares, and converts to."""

from __future__ import annotations

import copy
import gc
import importlib
import pickle
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import gnomon as gn
from gnomon.compat import torch as compat
from gnomon.memory.backend import backend_of
from gnomon.memory.tensor import is_alias_of

pytestmark = pytest.mark.both_tiers


def test_metadata(device: str) -> None:
    x = gn.zeros(2, 3, 4, dtype=gn.float64)[:, 1:, ::2]
    assert x.shape == x.size() == (2, 2, 2) and isinstance(x.shape, gn.Size) and x.shape.numel() == 8
    assert repr(x.shape) == "gnomon.Size([2, 2, 2])" and repr(x.shape[1:]) == "gnomon.Size([2, 2])"
    assert (x.size(0), x.size(-1), x.ndim, x.dim(), x.numel(), x.nelement()) == (2, 2, 3, 3, 8, 8)
    assert x.stride() == (12, 4, 2) and x.stride(0) == 12 and x.stride(-1) == 2
    assert (x.storage_offset(), x.element_size(), x.itemsize, x.nbytes) == (4, 8, 8, 64)
    assert x.dtype is gn.float64 and x.layout is gn.strided and x.device is gn.device(device)
    assert x.is_floating_point() and x.is_signed() and not x.is_complex() and not x.is_meta
    assert not x.is_contiguous() and gn.zeros(2, 3).is_contiguous() and gn.zeros(2, 0).t().is_contiguous()
    assert not gn.zeros(1, dtype=gn.uint8).is_signed() and gn.zeros(1, dtype=gn.complex64).is_complex()
    assert gn.zeros(1, device="meta").is_meta
    assert len(x) == 2 and x.untyped_storage().nbytes() == len(x.untyped_storage()) == 192


@pytest.mark.parametrize("name", ["size", "stride"])
def test_a_dim_out_of_range_is_an_index_error(name: str) -> None:
    x = gn.zeros(2, 3)
    for dim in (2, -3):
        text = rf"Dimension out of range \(expected to be in range of \[-2, 1\], but got {dim}\)"
        with pytest.raises(IndexError, match=text):
            getattr(x, name)(dim)
    with pytest.raises(IndexError):
        getattr(gn.tensor(1.0), name)(0)


def test_views_share_the_storage_and_copies_do_not(device: str) -> None:
    x = gn.arange(6.0).reshape(2, 3)
    views = [x.t(), x[1], x[:, 1:], x.view(6), x.unsqueeze(0), x.detach(), x.expand(2, 2, 3), x.data]
    for view in views:
        assert view.untyped_storage() is x.untyped_storage()
        assert view.data_ptr() == x.data_ptr() + view.storage_offset() * 4
    x.fill_(7.0)
    assert all(set(view.flatten().tolist()) == {7.0} for view in views)
    for other in (x.clone(), x + 0, x.t().contiguous(), x.t().reshape(6)):
        assert other.untyped_storage() is not x.untyped_storage() and other.data_ptr() != x.data_ptr()


def test_a_view_keeps_the_memory_alive(device: str) -> None:
    part = (gn.ones(1000) * 3.0)[500:503]
    gc.collect()
    others = [gn.zeros(1000) for _ in range(20)]  # would get the block if it were free
    assert part.tolist() == [3.0, 3.0, 3.0] and len(others) == 20


def test_version_counters_count_and_are_shared_with_views(device: str) -> None:
    x = gn.zeros(4)
    view, detached, copied = x[:2], x.detach(), x.clone()
    assert x._version == view._version == 0
    x.add_(1)
    view.mul_(2)
    x[3] = 5.0
    x += 1
    assert x._version == view._version == detached._version == 4
    assert copied._version == 0 and (x + 1)._version == 0
    gn.add(copied, 1, out=x)
    assert x._version == 5


def test_data_is_seen_by_nobody(device: str) -> None:
    x = gn.ones(2, requires_grad=True)
    y = x * x
    alias = x.data
    assert not alias.requires_grad and alias.is_leaf and alias.data_ptr() == x.data_ptr()
    alias.mul_(3.0)
    assert x.tolist() == [3.0, 3.0] and x._version == 0 and alias._version == 1
    y.sum().backward()  # with what is in x now: .data hides the write
    assert x.grad is not None and x.grad.tolist() == [6.0, 6.0]
    x.data = gn.arange(3.0)
    assert x.shape == (3,) and x.tolist() == [0.0, 1.0, 2.0] and x.requires_grad and x.is_leaf
    with pytest.raises(RuntimeError, match="expected a tensor on"):
        x.data = gn.ones(3, device="meta")


def test_base_and_views(device: str) -> None:
    x = gn.zeros(2, 3)
    view = x[0]
    assert view._base is x and view[1:]._base is x and view._is_view()
    assert x._base is None and not x._is_view() and (x + 1)._base is None


class Point(gn.Tensor):
    """A subclass whose instances may carry attributes."""


def test_make_subclass_shares_numbers_and_is_a_leaf(device: str) -> None:
    x = gn.ones(2)
    made = gn.Tensor._make_subclass(Point, x)
    assert type(made) is Point and made.data_ptr() == x.data_ptr() and not made.requires_grad
    made.add_(1)
    assert x.tolist() == [2.0, 2.0] and x._version == 0
    assert gn.Tensor._make_subclass(Point, (gn.ones(1, requires_grad=True) * 2).detach(), True).is_leaf
    with pytest.raises(RuntimeError, match="can require gradients"):
        gn.Tensor._make_subclass(Point, gn.ones(1, dtype=gn.int64), True)
    assert type(Point._make_subclass(gn.Tensor, made)) is gn.Tensor  # the class is an argument, as in PyTorch
    with pytest.raises(TypeError, match="'cls' must be a subclass of Tensor, got <class 'int'>"):
        gn.Tensor._make_subclass(int, x)  # type: ignore[type-var]
    with pytest.raises(TypeError, match="'data' must be Tensor, got list"):
        gn.Tensor._make_subclass(Point, [1.0])  # type: ignore[arg-type]


def test_a_class_with_torch_function_is_told_that_nothing_calls_it() -> None:
    with pytest.warns(
        UserWarning, match="^Logged defines __torch_function__, .* gnomon.DispatchMode$"
    ) as said:

        class Logged(Point):
            @classmethod
            def __torch_function__(cls, *arguments: Any) -> Any:
                raise AssertionError("called")

    assert said[0].filename == __file__
    x = gn.ones(2).as_subclass(Logged)
    assert type(x + 1) is gn.Tensor and type(x) is Logged
    with warnings.catch_warnings():
        warnings.simplefilter("error")

        class Heir(Logged):  # the warning has been given
            pass

        class Disabled(Point):
            __torch_function__ = compat._C._disabled_torch_function_impl

    assert type(gn.ones(2).as_subclass(Disabled) + 1) is gn.Tensor
    with pytest.raises(TypeError, match="no __torch_function__"):
        Disabled.__torch_function__()


def test_subclasses_pass_on_the_arguments_of_their_class_statement() -> None:
    class Registered:
        def __init_subclass__(cls, mark: int = 0) -> None:
            cls.mark = mark  # type: ignore[attr-defined]

    class Both(Point, Registered, mark=3):
        pass

    assert Both.mark == 3  # type: ignore[attr-defined]


def test_deepcopy_copies_numbers_gradient_and_attributes(device: str) -> None:
    x = gn.ones(2, 3, requires_grad=True)
    (x * 2).sum().backward()
    twice = copy.deepcopy([x, x])
    assert twice[0] is twice[1] and twice[0] is not x
    made = twice[0]
    assert made.requires_grad and made.grad.tolist() == [[2.0] * 3] * 2
    assert made.data_ptr() != x.data_ptr() and made.grad.data_ptr() != x.grad.data_ptr()
    both, gradient = copy.deepcopy([x, x.grad])
    assert both.grad is gradient
    assert copy.deepcopy(gn.zeros(3, 2).t()).stride() == (1, 2)
    point = gn.Tensor._make_subclass(Point, gn.ones(1))
    point.names = ["a"]
    cloned = copy.deepcopy(point)
    assert type(cloned) is Point and cloned.names == ["a"] and cloned.names is not point.names
    with pytest.raises(RuntimeError, match="graph leaves"):
        copy.deepcopy(x * 2)


def test_deepcopy_of_a_wrapper_goes_by_its_clone(device: str) -> None:
    class Wrapper(gn.Tensor):
        wraps = True

        @classmethod
        def __gnomon_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            found = func(*[getattr(each, "inner", each) for each in args], **(kwargs or {}))
            return wrap(found) if cls.wraps else found

    def wrap(inner: gn.Tensor) -> gn.Tensor:
        made = gn.Tensor._make_wrapper_subclass(Wrapper, inner.shape, dtype=inner.dtype, device=inner.device)
        made.inner = inner
        return made

    wrapper = wrap(gn.ones(2)).requires_grad_()
    wrapper.note = [1]
    made = copy.deepcopy(wrapper)
    assert type(made) is Wrapper and made.requires_grad and made.is_leaf
    assert made.inner.tolist() == [1.0, 1.0] and made.inner is not wrapper.inner
    assert made.note == [1] and made.note is not wrapper.note
    made.inner.zero_()
    assert wrapper.inner.tolist() == [1.0, 1.0]
    Wrapper.wraps = False
    with pytest.raises(RuntimeError, match=r"clone\(\) of a Wrapper returned a Tensor"):
        copy.deepcopy(wrapper)


class Inner(gn.Tensor):
    """A wrapper: calls run on the tensors inside, and their results are wrapped."""

    @classmethod
    def __gnomon_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        found = func(*[getattr(each, "within", each) for each in args], **(kwargs or {}))
        return wrapped(found) if isinstance(found, gn.Tensor) else found


def wrapped(inner: gn.Tensor) -> gn.Tensor:
    made = gn.Tensor._make_wrapper_subclass(Inner, inner.shape, dtype=inner.dtype, device=inner.device)
    made.within = inner
    return made


@pytest.mark.parametrize(
    "call",
    [  # CompositeImplicit: in these, matmul and norm give a wrapper, which has no memory to copy from
        lambda x, given, out: gn.matmul(given, x, out=out),
        lambda x, given, out: gn.matmul(x, given, out=out),
        lambda x, given, out: gn.outer(given[0], x[0], out=out),
        lambda x, given, out: gn.linalg.norm(given, dim=0, keepdim=True, out=out),
        lambda x, given, out: gn.linalg.multi_dot([given, x], out=out),
        lambda x, given, out: gn.diff(given, dim=0, out=out),
    ],
    ids=["matmul", "matmul of the second", "outer", "norm", "multi_dot", "diff"],
)
def test_a_wrapper_s_result_is_written_to_what_out_is(device: str, call: Any) -> None:
    x = gn.tensor([[1.0, 2.0], [3.0, 5.0]])
    expected = call(x, x, gn.empty(0))
    out = gn.zeros(expected.shape)
    call(x, wrapped(x.clone()), out)
    assert out.tolist() == expected.tolist() != gn.zeros(expected.shape).tolist()
    held = gn.zeros(expected.shape)
    call(x, x, wrapped(held))
    assert held.tolist() == expected.tolist()


def test_an_example_s_result_does_not_go_to_what_all_examples_share(device: str) -> None:
    x, out = gn.ones(2, 2), gn.full((2, 2), 7.0)
    with pytest.raises(RuntimeError, match="vmap: inplace arithmetic"):
        gn.vmap(lambda each: gn.matmul(each, x, out=out))(gn.ones(3, 2, 2))
    assert out.tolist() == [[7.0, 7.0], [7.0, 7.0]]


def test_copy_shares_numbers(device: str) -> None:
    x = gn.ones(2, requires_grad=True)
    shallow = copy.copy(x)
    assert shallow is not x and shallow.data_ptr() == x.data_ptr() and shallow.requires_grad
    assert shallow.is_leaf


@pytest.mark.parametrize("protocol", [2, pickle.HIGHEST_PROTOCOL])
def test_pickle_round_trip(protocol: int, device: str) -> None:
    for x in (
        gn.tensor([1.5, -2.0], requires_grad=True),
        gn.arange(6).reshape(2, 3).t(),
        gn.arange(100, dtype=gn.int16)[10:20:3],
        gn.tensor([True, False]),
        gn.tensor(3 + 4j),
        gn.zeros(0, 3),
        gn.ones(3, dtype=gn.bfloat16).expand(2, 3),
        gn.Tensor._make_subclass(Point, gn.ones(2)),
    ):
        made = pickle.loads(pickle.dumps(x, protocol))
        assert type(made) is type(x) and made.tolist() == x.tolist()
        assert (made.dtype, made.device, made.shape) == (x.dtype, x.device, x.shape)
        assert made.requires_grad == x.requires_grad and made.is_leaf
    assert pickle.loads(pickle.dumps(gn.zeros(3, 2).t())).stride() == (1, 2)
    part = pickle.loads(pickle.dumps(gn.arange(10.0)[2:8].reshape(2, 3)[:, 1:]))  # with its whole storage
    assert part.tolist() == [[3, 4], [6, 7]] and part.untyped_storage().nbytes() == 40
    assert (part.storage_offset(), part.stride()) == (3, (3, 1))
    meta = pickle.loads(pickle.dumps(gn.zeros(2, 3, device="meta")))
    assert meta.is_meta and meta.shape == (2, 3)
    for value in (gn.float16, gn.device(device), gn.strided, gn.channels_last, gn.Size([2, 3])):
        assert pickle.loads(pickle.dumps(value)) == value
    assert pickle.loads(pickle.dumps(gn.float16)) is gn.float16


HOSTILE = [
    (1, b"\1" * 8, RuntimeError, "out of bounds for storage of size 8"),  # less data than the sizes need
    (1, b"", RuntimeError, "out of bounds for storage of size 0"),
    (1, 3, TypeError, "memoryview"),
    (2, (2, 2**40), RuntimeError, "out of bounds"),
    (2, (-1, 3), RuntimeError, "sizes must be from 0 to"),
    (2, (2**63, 0), RuntimeError, "sizes must be from 0 to"),
    (2, (6,), RuntimeError, "unequal size length"),
    (2, (2.0, 3.0), TypeError, "sizes must be ints"),
    (2, "ab", TypeError, "sizes must be ints"),
    (3, (-3, 1), RuntimeError, "strides must be from 0 to"),
    (3, (2**62, 1), RuntimeError, "out of bounds"),
    (3, (4, 1), RuntimeError, "out of bounds"),
    (3, (3, 1, 1), RuntimeError, "unequal size length"),
    (4, "float32", TypeError, "expected a gnomon.dtype"),
    (4, gn.float64, RuntimeError, "requiring a storage size of 48 are out of bounds for storage of size 24"),
    (1, gn.ones(1).untyped_storage(), RuntimeError, "out of bounds for storage of size 4|got one on"),
    (5, "nowhere", gn.BackendUnavailableError, "unknown backend 'nowhere'"),
    (5, "meta", RuntimeError, "expected a storage on meta, got one on"),
    (7, 1, RuntimeError, "storage offset 1"),
    (7, -1, RuntimeError, "storage_offset must be from 0"),
    (7, 2**62, RuntimeError, "out of bounds"),
    (7, True, TypeError, "storage_offset must be ints"),
    (0, int, TypeError, "expected a subclass of Tensor"),
]


@pytest.mark.parametrize("position, value, error, message", HOSTILE)
def test_a_pickle_with_other_facts_is_refused(position, value, error, message, device: str) -> None:
    rebuild, (cls, reference, *others) = gn.arange(6.0, device=device).reshape(2, 3).__reduce_ex__(2)
    facts = (cls, reference.storage, *others)
    changed = [*facts]
    changed[position] = value
    with pytest.raises(error, match=message):
        rebuild(*changed)
    assert rebuild(*facts).tolist() == [[0, 1, 2], [3, 4, 5]]


def test_more_data_than_the_sizes_need_is_the_storages(device: str) -> None:
    rebuild, (cls, reference, *others) = gn.arange(2.0, device=device).__reduce_ex__(2)
    made = rebuild(cls, bytes(reference.storage.copy_out()) * 3, *others)
    assert made.tolist() == [0, 1] and made.untyped_storage().nbytes() == 24


@pytest.mark.parametrize(
    "offset, data, error, message",
    [
        (
            0,
            memoryview(b"x" * (1 << 22)),
            RuntimeError,
            "4194304 bytes at offset 0 do not fit in a storage of 16",
        ),
        (0, b"x" * 17, RuntimeError, "17 bytes"),
        (1, b"x" * 16, RuntimeError, "at offset 1 do not fit"),
        (16, b"x", RuntimeError, "at offset 16 do not fit"),
        (-1, b"x", RuntimeError, "at offset -1 do not fit"),
        (-(2**63), b"x", RuntimeError, "do not fit"),
        (2**63, b"", RuntimeError, "do not fit"),
        (1.0, b"x", TypeError, "'offset' must be an int, not float"),
        (0, memoryview(b"abcd")[::2], TypeError, "must be contiguous"),
        (0, "text", TypeError, "bytes-like"),
    ],
)
def test_a_storage_takes_no_bytes_beyond_it(offset, data, error, message, device: str) -> None:
    x = gn.zeros(4, device=device)
    with pytest.raises(error, match=message):
        x.untyped_storage().copy_in(offset, data)
    assert x.untyped_storage().tolist() == [0] * 16
    x.untyped_storage().copy_in(12, b"\1\2\3\4")
    assert x.untyped_storage().tolist() == [0] * 12 + [1, 2, 3, 4]
    x.untyped_storage().copy_in(16, b"")


def test_a_storage_is_copied_within_its_bytes(device: str) -> None:
    short, long = (gn.ones(n, device=device).untyped_storage() for n in (2, 4))
    for to, source, nbytes in ((short, long, 9), (long, short, 9), (short, long, -1)):
        with pytest.raises(RuntimeError, match=f"copy_from: {nbytes} bytes"):
            to.copy_from(source, nbytes)


def test_a_storage_that_is_made_smaller_keeps_what_tensors_show(device: str) -> None:
    x = gn.arange(1000.0, device=device)
    storage = x.untyped_storage()
    late = x[10:]
    storage.resize_(40)
    assert storage.nbytes() == len(storage) == len(storage.tolist()) == 40
    assert x.tolist()[-1] == late[-1].item() == x.view(10, 100)[9, 99].item() == 999
    assert x.sum().item() == (x + 0).sum().item() == 499500
    assert x.clone().untyped_storage().nbytes() == 4000
    storage.resize_(8000)
    assert storage.nbytes() == 8000 and x.as_strided((2,), (1,), 1998).shape == (2,)
    for size, error in ((-1, RuntimeError), (1.5, TypeError), (2**63, gn.OutOfMemoryError)):
        with pytest.raises(error):
            storage.resize_(size)
        assert storage.nbytes() == 8000
    x = gn.arange(1000.0, device=device)
    storage = x.untyped_storage()
    storage.resize_(40)
    assert x.numpy()[-1] == 999
    with pytest.raises(RuntimeError, match="not resizable"):  # NumPy holds its memory now, as in PyTorch
        storage.resize_(4000)
    assert storage.nbytes() == 40


READS_OR_WRITES: dict[str, Callable[[gn.Tensor], object]] = {
    "add": lambda x: x + 1,
    "add of tensors": lambda x: gn.ones(1000, device=x.device) + x,
    "sum": lambda x: x.sum(),
    "fill_": lambda x: x.fill_(1.0),
    "copy_ to": lambda x: x.copy_(gn.ones(1000)),
    "copy_ from": lambda x: gn.ones(1000).copy_(x),
    "clone": lambda x: x.clone(),
    "cat": lambda x: gn.cat([gn.ones(3, device=x.device), x]),
    "out=": lambda x: gn.exp(gn.ones(1000, device=x.device), out=x),
    "mm": lambda x: x.view(10, 100) @ x.view(100, 10),
    "index": lambda x: x[gn.tensor([1, 2], device=x.device)],
    "view": lambda x: x.view(10, 100)[3] * 2,
    "_foreach_add_": lambda x: gn._foreach_add_([x, gn.ones(2, device=x.device)], 1.0),
    "tolist": lambda x: x.tolist(),
    "item": lambda x: x[5].item(),
    "repr": repr,
    "numpy": lambda x: x.numpy(),
    "__dlpack__": lambda x: x.__dlpack__(),
    "to": lambda x: x.to(gn.float64),
    "backward": lambda x: (x.detach().requires_grad_() * 2).sum().backward(),
}


@pytest.mark.parametrize("name", READS_OR_WRITES)
def test_a_storage_of_0_bytes_has_no_memory(name: str, device: str) -> None:
    """Whoever reads or writes gets an error, also if the same call has been made before."""
    function = READS_OR_WRITES[name]
    for _ in range(3):
        function(gn.arange(1000.0, device=device))
    x = gn.arange(1000.0, device=device)
    view, storage = x[10:], x.untyped_storage()
    for each in (x, x.view(1000), x.detach()):
        storage.resize_(0)
        assert storage.nbytes() == len(storage) == 0 and storage.tolist() == [] and x.data_ptr() == 0
        assert each.shape == (1000,) and view[1:].stride() == (1,)
        with pytest.raises(RuntimeError, match=rf"the memory of a tensor on {device} was freed"):
            function(each)
        storage.resize_(4000)
        x.copy_(gn.arange(1000.0))
        assert view[-1].item() == (each + 0).tolist()[-1] == 999
    function(x)


def test_memory_of_a_storage_of_0_bytes_is_free() -> None:
    device = "c"

    def allocated() -> int:
        return backend_of(gn.device(device)).memory_stats(0)["allocated"]

    x = gn.zeros(1 << 20, device=device)
    storage, before = x.untyped_storage(), allocated()
    for _ in range(2):
        storage.resize_(0)
        assert allocated() == before - (4 << 20)
        storage.resize_(4 << 20)
        assert allocated() == before
    nowhere = gn.zeros(4, device="meta")
    nowhere.untyped_storage().resize_(0)
    assert nowhere.resize_(8).untyped_storage().nbytes() == 32 and (nowhere + 1).shape == (8,)
    empty = gn.zeros(0, device=device)
    empty.untyped_storage().resize_(0)
    assert (empty + 1).shape == (0,)


@pytest.mark.parametrize("ask_before", [False, True])
def test_a_storage_that_grows_takes_its_tensors_along(ask_before: bool, device: str) -> None:
    """Views, ``.data`` and tensors made later all follow, and so do tensors whose sizes were changed."""
    for _ in range(3):
        x = gn.arange(6.0, device=device) + 0
        storage = x.untyped_storage() if ask_before else None
        views = [x[2:], x.view(2, 3)[1], x.t(), x.view(gn.uint8)]
        views[2].unsqueeze_(0)
        storage = storage or x.untyped_storage()
        late, moved = x[4:], gn.ones(2, device=device)
        moved.data = x[3:5]
        gone = x[1:]
        del gone
        storage.resize_(1 << 20)
        x.fill_(7.0)
        assert views[0].tolist() == [7.0] * 4 and views[1].tolist() == [7.0] * 3
        assert views[2].tolist() == [[7.0] * 6] and moved.tolist() == late.tolist() == [7.0] * 2
        assert views[3].view(gn.float32).tolist() == [7.0] * 6
        assert (moved.data_ptr(), late.data_ptr()) == (storage.data_ptr() + 12, storage.data_ptr() + 16)


def test_what_no_machine_has_is_refused_with_its_number_of_bytes(device: str) -> None:
    for count in (2**61, 2**62, 2**63 - 1):
        one = gn.ones(1, dtype=gn.float64, device=device).expand(count)
        for make in (one.clone, lambda: one + 1):  # noqa: B023
            with pytest.raises(gn.OutOfMemoryError, match=f"can not allocate {count * 8} bytes"):
                make()


def test_aliases_show_one_storage(device: str) -> None:
    x, y = gn.ones(4, device=device), gn.ones(4, device=device)
    assert is_alias_of(x, x) and not is_alias_of(x, y)
    view = x[1:]
    assert is_alias_of(x, view) and is_alias_of(view, x[:1]) and not is_alias_of(view, y)
    x.untyped_storage()  # for one of them only
    assert is_alias_of(x, view) and is_alias_of(view, x.T) and not is_alias_of(y, view)
    y.data = view
    assert is_alias_of(x, y)


def test_the_address_follows_from_the_storage(device: str) -> None:
    x = gn.ones(4, device=device)
    has_addresses = x.untyped_storage().backend.has_addresses
    for each in (x, x[1:], x.clone(), gn.zeros(2, device=device)):
        assert each._address == (float(each.data_ptr()) if has_addresses else 0.0)
        with pytest.raises(AttributeError):
            each._address = 1.0
    assert gn.ones(2, device="meta")._address == 0.0


def test_length_and_iteration(device: str) -> None:
    x = gn.arange(6).reshape(3, 2)
    assert len(x) == 3 and len(gn.zeros(0, 5)) == 0
    rows = list(x)
    assert [row.tolist() for row in rows] == [[0, 1], [2, 3], [4, 5]]
    rows[1].fill_(9)
    assert x.tolist() == [[0, 1], [9, 9], [4, 5]]
    first, *rest = gn.tensor([1.0, 2.0, 3.0])
    assert first.shape == () and [each.item() for each in rest] == [2.0, 3.0]
    assert list(gn.zeros(0, 2)) == []
    for call, text in ((len, r"len\(\) of a 0-d tensor"), (iter, "iteration over a 0-d tensor")):
        with pytest.raises(TypeError, match=text):
            call(gn.tensor(1))


def test_contains(device: str) -> None:
    x = gn.tensor([[1, 2], [3, 4]])
    assert 2 in x and 5 not in x and gn.tensor(3) in x and gn.tensor([1, 9]) in x
    for element in ("one", [1, 2], None):
        with pytest.raises(RuntimeError, match=r"Tensor.__contains__ only supports Tensor or scalar"):
            element in x  # noqa: B015


def test_truth(device: str) -> None:
    assert bool(gn.tensor(0.5)) and bool(gn.tensor([[-1]])) and bool(gn.tensor(float("nan")))
    assert not gn.tensor(0.0) and not gn.tensor([[False]]) and not gn.tensor(-0.0)
    for x, text in ((gn.zeros(2), "more than one value is ambiguous"), (gn.zeros(0), "no values is ambig")):
        with pytest.raises(RuntimeError, match=text):
            bool(x)


def test_numbers(device: str) -> None:
    assert (
        int(gn.tensor([2.9])) == 2 and int(gn.tensor(-2.9)) == -2 and int(gn.tensor(2**62 + 1)) == 2**62 + 1
    )
    assert float(gn.tensor(3)) == 3.0 and type(float(gn.tensor(3))) is float
    assert complex(gn.tensor(1 + 2j)) == 1 + 2j and complex(gn.tensor(2)) == 2
    assert int(gn.tensor(3 + 0j)) == 3 and float(gn.tensor(2 + 0j)) == 2.0
    for x, value in (
        (gn.tensor(1), int),
        (gn.tensor(1.0), float),
        (gn.tensor(True), bool),
        (gn.tensor(1j), complex),
    ):
        assert type(x.item()) is value
    for kind in (int, float, complex):
        with pytest.raises(ValueError, match="only one element tensors can be converted to Python scalars"):
            kind(gn.zeros(2))
    for kind in (int, float):
        with pytest.raises(RuntimeError, match="without overflow"):
            kind(gn.tensor(1j))
    with pytest.raises(RuntimeError, match="a Tensor with 2 elements cannot be converted to Scalar"):
        gn.zeros(2).item()
    with pytest.raises(RuntimeError, match="meta"):
        gn.zeros((), device="meta").item()


def test_index(device: str) -> None:
    letters = "abc"
    assert (
        letters[gn.tensor(1)] == "b" and letters[gn.tensor([-1])] == "c" and letters[gn.tensor(True)] == "b"
    )
    assert list(range(gn.tensor(3))) == [0, 1, 2]
    for x in (gn.tensor(1.0), gn.tensor([0, 1]), gn.tensor(1j)):
        with pytest.raises(
            TypeError, match="only integer tensors of a single element can be converted to an ind"
        ):
            letters[x]


def test_transposes(device: str) -> None:
    x = gn.arange(24).reshape(2, 3, 4)
    assert x.T.shape == (4, 3, 2) and x.T.stride() == (1, 4, 12) and x.T[3, 2, 1].item() == 23
    assert x.mT.shape == (2, 4, 3) and x.mT.stride() == (12, 1, 4) and x.mT[1, 3, 2].item() == 23
    assert x.T.data_ptr() == x.data_ptr()
    with pytest.raises(RuntimeError, match=r"tensor.mT is only supported on matrices .* Got 1-D tensor"):
        gn.zeros(3).mT  # noqa: B018


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        ("float", "float32"), ("double", "float64"), ("half", "float16"), ("bfloat16", "bfloat16"),
        ("int", "int32"), ("long", "int64"), ("short", "int16"), ("char", "int8"), ("byte", "uint8"),
        ("bool", "bool"), ("cfloat", "complex64"), ("cdouble", "complex128"),
    ],
)  # fmt: skip
def test_conversions_by_name(name: str, dtype: str, device: str) -> None:
    x = gn.tensor([1.0, 0.0, 3.0])
    made = getattr(x, name)()
    assert made.dtype.name == dtype and made.tolist() == (
        [True, False, True] if name == "bool" else [1, 0, 3]
    )
    assert getattr(made, name)() is made


def test_to(device: str) -> None:
    x = gn.tensor([1.5, 2.5])
    other = gn.zeros(1, dtype=gn.int8, device="reference")
    assert x.to(gn.float32) is x and x.to(device) is x and x.to(device, gn.float32) is x
    assert x.to(gn.float32, copy=True) is not x
    assert x.to(gn.int64).tolist() == [1, 2] and x.to(dtype=gn.float64).dtype is gn.float64
    assert x.to(other).dtype is gn.int8 and x.to(other).device.type == "reference"
    assert x.type_as(other).tolist() == [1, 2]
    assert x.to("meta").is_meta and x.cpu().device.type in ("reference", "c")
    with pytest.raises(gn.BackendUnavailableError, match="nowhere"):
        x.to("nowhere")
    with pytest.raises(TypeError, match=r"to\(\)"):
        x.to(gn.float32, False, False, 1, 2)


def test_python_operators_with_numbers_on_either_side(device: str) -> None:
    x = gn.tensor([1.0, 2.0, 4.0])
    assert (1 + x).tolist() == (x + 1).tolist() == [2.0, 3.0, 5.0]
    assert (10 - x).tolist() == [9.0, 8.0, 6.0] and (8 / x).tolist() == [8.0, 4.0, 2.0]
    assert (2**x).tolist() == [2.0, 4.0, 16.0] and (x**2).tolist() == [1.0, 4.0, 16.0]
    assert (5 // x).tolist() == [5.0, 2.0, 1.0] and (5 % x).tolist() == [0.0, 1.0, 1.0]
    assert (-x).tolist() == [-1.0, -2.0, -4.0] and (+x) is x and abs(-x).tolist() == x.tolist()
    assert (x > 1).tolist() == [False, True, True] and (2 >= x).tolist() == [True, True, False]
    bits = gn.tensor([5, 6])
    assert (bits & 3).tolist() == (3 & bits).tolist() == [1, 2]
    assert (bits ^ 1).tolist() == [4, 7] and (8 | bits).tolist() == [13, 14] and (~bits).tolist() == [-6, -7]
    same = x
    x += 1
    x *= 2
    assert same is x and x.tolist() == [4.0, 6.0, 10.0] and x._version == 2


def test_operators_leave_strangers_to_the_stranger(device: str) -> None:
    class Stranger:
        def __radd__(self, other: Any) -> str:
            return "mine"

    assert gn.ones(1) + Stranger() == "mine"
    for stranger in ("one", None, [1.0], {}):
        with pytest.raises(TypeError, match=r"unsupported operand type\(s\) for \+"):
            gn.ones(1) + stranger
    assert (gn.ones(1) == "one") is False and (gn.ones(1) != "one") is True


def test_tensors_hash_by_identity(device: str) -> None:
    x, y = gn.ones(1), gn.ones(1)
    assert len({x, y, x}) == 2 and {x: 1}[x] == 1


@pytest.mark.parametrize(
    ("gradient", "error", "text"),
    [
        ([1.0, 2.0], TypeError, "expected to be a Tensor or None but got grad of type list"),
        (gn.ones(3), RuntimeError, r"different size: expected \[2\], got \[3\]"),
        (
            gn.ones(2, dtype=gn.float64),
            RuntimeError,
            "different type: expected gnomon.float32, got gnomon.float64",
        ),
        (gn.ones(2, device="meta"), RuntimeError, "different device"),
    ],
)
def test_a_gradient_must_fit(gradient: Any, error: type[Exception], text: str) -> None:
    x = gn.ones(2, requires_grad=True)
    with pytest.raises(error, match=text):
        x.grad = gradient
    x.grad = gn.ones(2)
    x.grad = None
    assert x.grad is None


def test_views_show_the_storage_also_when_it_has_grown(device: str) -> None:
    x = gn.arange(4.0, device=device)
    views = [x[1:3], x.view(2, 2).T[1], x.detach()[1:3], x.view(gn.int32)[1:3].view(gn.float32)]
    addresses = [view.data_ptr() - x.data_ptr() for view in views]
    x.resize_(1000)
    assert x.shape == (1000,) and x[:4].tolist() == [0.0, 1.0, 2.0, 3.0]
    assert [view.data_ptr() - x.data_ptr() for view in views] == addresses == [4, 4, 4, 4]
    x.mul_(10)
    assert [view.tolist() for view in views] == [[10.0, 20.0], [10.0, 30.0], [10.0, 20.0], [10.0, 20.0]]
    views[0].fill_(5.0)
    assert x[:4].tolist() == [0.0, 5.0, 5.0, 30.0] and (views[2] + 1).tolist() == [6.0, 6.0]
    x.resize_(2)
    assert x.tolist() == [0.0, 5.0]
    with pytest.raises(RuntimeError, match=r"requires? grad"):
        gn.zeros(2, requires_grad=True).resize_(3)
    with pytest.raises(RuntimeError, match="negative dimension"):
        x.resize_(-1)


def test_pickles_of_before_the_rooms_are_read() -> None:
    """They refer to ``gnomon.methods._rebuild``, where the function was before."""
    x = gn.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    rebuild, (cls, reference, *others) = x.__reduce_ex__(4)
    methods = importlib.import_module("gnomon.methods")
    assert methods._rebuild is rebuild
    again = methods._rebuild(cls, bytes(reference.storage.copy_out()), *others)
    assert again.tolist() == x.tolist() and again.requires_grad and again.stride() == (2, 1)


class Marked(gn.Tensor):
    """A subclass with an attribute in a slot and others in ``__dict__``."""

    __slots__ = ("mark",)


class Stateful(gn.Tensor):
    """A subclass that defines its own state."""

    def __getstate__(self) -> Any:
        return {"kept": self.tag}

    def __setstate__(self, state: Any) -> None:
        self.tag = ["back", *state["kept"]]


COPIES = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    **{
        f"pickle {protocol}": lambda x, protocol=protocol: pickle.loads(pickle.dumps(x, protocol))
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1)
    },
}


@pytest.mark.parametrize("way", COPIES)
def test_attributes_are_copied_as_pytorch_copies_them(way: str, device: str) -> None:
    copied = COPIES[way]
    made = {
        "Tensor": gn.ones(2),
        "Parameter": gn.nn.Parameter(gn.ones(2)),
        "Marked": gn.Tensor._make_subclass(Marked, gn.ones(2)),
        "Stateful": gn.Tensor._make_subclass(Stateful, gn.ones(2)),
    }
    for x in made.values():
        x.tag = [1]
    made["Marked"].mark = [7]
    for name, x in made.items():
        y = copied(x)
        assert type(y) is type(x) and y.tolist() == x.tolist() and y.requires_grad is x.requires_grad
        if name == "Parameter" and way == "deepcopy":
            assert not hasattr(y, "tag")  # as with PyTorch's parameters
        elif name == "Stateful" and way != "deepcopy":
            assert y.tag == ["back", 1]
        else:
            assert y.tag == [1] and (y.tag is x.tag) is (way == "copy")
        if name == "Marked":
            assert y.mark == [7] and (y.mark is x.mark) is (way == "copy")


def test_a_tensor_that_leads_back_to_itself_is_copied(device: str) -> None:
    x = gn.ones(2)
    x.me = x
    for copied in (copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each))):
        y = copied(x)
        assert y is not x and y.me is y


def test_the_slots_of_a_tensor_are_filled_in_one_place() -> None:
    """memory/tensor.py, fill_slots: all code that makes a tensor calls it."""
    folder = Path(gn.__file__).parent
    found = [path.name for path in folder.rglob("*.py") if "._autograd_meta = None" in path.read_text()]
    assert found == ["tensor.py"]
    assert (folder / "memory" / "tensor.py").read_text().count("._autograd_meta = None") == 1
