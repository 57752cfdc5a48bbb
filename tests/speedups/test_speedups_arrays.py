"""from_numpy and Tensor.numpy in C do what Python does, and memory lives as long as something shows it."""

from __future__ import annotations

import gc
import threading
import warnings
import weakref
from typing import Any

import numpy
import pytest

import gnomon as gn
from gnomon.values import errors
from gnomon.values.speedups import speedups

pytestmark = pytest.mark.both_tiers

ARRAYS = {
    "dense": numpy.arange(12, dtype=numpy.float32).reshape(3, 4),
    "Fortran": numpy.asfortranarray(numpy.arange(12.0).reshape(3, 4)),
    "every other": numpy.arange(12, dtype=numpy.int64)[::2],
    "a window": numpy.arange(24, dtype=numpy.int16).reshape(4, 6)[1:3, 2:5],
    "expanded": numpy.lib.stride_tricks.as_strided(numpy.arange(3.0), (2, 3), (0, 8)),
    "no dimensions": numpy.array(3.5),
    "of complex numbers": numpy.arange(4, dtype=numpy.complex64),
    "of halves": numpy.arange(4, dtype=numpy.float16),
    "of bools": numpy.array([True, False]),
    "of unsigned numbers": numpy.arange(4, dtype=numpy.uint32),
    "of long longs": numpy.arange(4, dtype=numpy.longlong),
    "nothing": numpy.zeros((0, 3)),
}


def facts(x: gn.Tensor) -> list[Any]:
    where = x.data_ptr() if x.numel() else 0
    return [x.dtype, x.shape, x.stride(), x.storage_offset(), x.device, where, x.tolist(), x._version]


@pytest.mark.parametrize("name", ARRAYS)
def test_a_learnt_array_becomes_the_same_tensor(name: str) -> None:
    array = ARRAYS[name]
    first = gn.from_numpy(array)
    for _ in range(3):
        again = gn.from_numpy(array)
        assert facts(again) == facts(first) and again.is_leaf and not again.requires_grad
        assert type(again) is gn.Tensor and again.grad_fn is None
        back = again.numpy()
        assert type(back) is numpy.ndarray and (back.dtype, back.shape) == (array.dtype, array.shape)
        assert array.size == 0 or back.strides == array.strides
        assert array.size == 0 or (back.ctypes.data == array.ctypes.data and back.flags.writeable)
    made = again.untyped_storage()
    assert made.nbytes() == first.untyped_storage().nbytes() and made.device == first.device
    assert made is not first.untyped_storage()  # each tensor has one of its own, as in PyTorch
    assert array.size == 0 or made.data_ptr() == array.ctypes.data
    if array.size:
        with pytest.raises(RuntimeError, match="resiz"):
            made.resize_(10_000)


def test_memory_lives_as_long_as_something_shows_it() -> None:
    for with_storage in (False, True):
        for _ in range(3):
            array = numpy.ones(1000, dtype=numpy.float32)
            gone = weakref.ref(array)
            x = gn.from_numpy(array)
            if with_storage:
                x.untyped_storage()
            view, detached, shown = x[3:], x.detach(), x.numpy()
            del array, x
            gc.collect()
            assert gone() is not None and view.sum().item() == 997.0
            del view
            assert gone() is not None and detached.sum().item() == 1000.0
            del detached
            assert gone() is not None and shown.sum() == 1000.0
            del shown
            gc.collect()
            assert gone() is None


class _Watched(numpy.ndarray):
    """An array to which there may be weak references."""


def test_other_arrays_are_refused_after_that_too() -> None:
    array = numpy.arange(6.0)
    for _ in range(2):
        gn.from_numpy(array)
    for wrong, kind, text in (
        (array[::-1], ValueError, "negative"),
        (array.astype(">f8"), ValueError, "byte order"),
        (array.astype("M8[s]"), TypeError, "can't convert np.ndarray of type datetime64"),
        (numpy.array([None]), TypeError, "can't convert np.ndarray of type object"),
        (numpy.ndarray((2,), numpy.int32, bytearray(12), 0, (6,)), ValueError, "not a multiple"),
        (b"abcdefgh", TypeError, r"expected np.ndarray \(got bytes\)"),
        (memoryview(bytearray(8)), TypeError, r"expected np.ndarray \(got memoryview\)"),
    ):
        for _ in range(2):
            with pytest.raises(kind, match=text):
                gn.from_numpy(wrong)
    with pytest.raises(TypeError):
        gn.from_numpy()


def test_a_read_only_array_warns_though_a_writable_one_like_it_is_known() -> None:
    array = numpy.arange(6.0)
    gn.from_numpy(array)
    gn.from_numpy(array)
    array.flags.writeable = False
    errors._said.clear()
    with pytest.warns(UserWarning, match="not writable"):
        gn.from_numpy(array)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert gn.from_numpy(array).tolist() == array.tolist()


def test_a_subclass_of_ndarray_is_shared_too() -> None:
    array = numpy.arange(4.0).view(_Watched)
    for _ in range(3):
        assert gn.from_numpy(array).data_ptr() == array.ctypes.data
    masked = numpy.ma.masked_array([1.0, 2.0], [True, False])
    for _ in range(3):
        assert gn.from_numpy(masked).tolist() == [1.0, 2.0]


def test_the_default_device_counts() -> None:
    array = numpy.arange(4.0)
    usual = gn.get_default_device()
    for _ in range(3):
        assert gn.from_numpy(array).device == usual
        with gn.device("reference"):
            assert gn.from_numpy(array).device == gn.device("reference")
    try:
        gn.set_default_device("reference")
        assert gn.from_numpy(array).device == gn.device("reference")
    finally:
        gn.set_default_device(None)
    assert gn.from_numpy(array).device == usual


def test_modes_and_gradients() -> None:
    array = numpy.arange(4.0)
    for _ in range(2):
        gn.from_numpy(array)
        gn.ones(3).numpy()
    with gn.inference_mode():
        assert gn.from_numpy(array).is_inference()
    assert not gn.from_numpy(array).is_inference()
    x = gn.ones(3, requires_grad=True)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="requires grad"):
            x.numpy()
        with gn.no_grad():
            assert x.numpy().tolist() == [1.0] * 3
        assert x.numpy(force=True).tolist() == x.detach().numpy().tolist() == [1.0] * 3

    seen = []

    class Watching(gn.DispatchMode):
        def __gnomon_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append(str(func))
            return func(*args, **(kwargs or {}))

    with Watching():
        first = gn.from_numpy(array)
    count = len(seen)
    with Watching():
        gn.from_numpy(array)
    assert len(seen) == 2 * count and first.tolist() == array.tolist()


def test_a_tensor_whose_memory_was_freed_has_no_array() -> None:
    for _ in range(2):
        gn.ones(6).numpy()
    x = gn.ones(6)
    x.untyped_storage().resize_(8)  # which keeps the memory
    assert x.numpy().tolist() == [1.0] * 6
    y = gn.ones(6)
    y.untyped_storage().resize_(0)
    with pytest.raises(RuntimeError, match="freed"):
        y.numpy()


def test_memory_with_an_array_is_not_resized() -> None:
    for _ in range(2):
        x = gn.ones(6)
        array = x.numpy()
        with pytest.raises(RuntimeError, match="resiz"):
            x.untyped_storage().resize_(1000)
        x.fill_(2)
        del x
        assert array.tolist() == [2.0] * 6
    whole = gn.arange(24.0).reshape(4, 6)
    for view in (whole[1:, ::2], whole.t()[2:], whole[3, 5]):
        for _ in range(2):
            shown = view.numpy()
            assert shown.tolist() == view.tolist() and shown.ctypes.data == view.data_ptr()


def test_writes_and_views_of_shared_memory() -> None:
    array = numpy.zeros((2, 3))
    for _ in range(2):
        x = gn.from_numpy(array)
        view = x[1]
        view += 1
        assert x._version == view._version == 1 and view._base is x
        x.requires_grad_()
        (x * 2).sum().backward()
        assert x.grad is not None and x.grad.tolist() == [[2.0] * 3] * 2
    assert array.tolist() == [[0.0] * 3, [2.0] * 3]
    assert gn.from_numpy(array).set_(gn.ones(2, dtype=gn.float64)).tolist() == [1.0, 1.0]
    assert array.tolist() == [[0.0] * 3, [2.0] * 3]


def test_threads_share_and_release_arrays() -> None:
    wrong = []

    def work() -> None:
        for number in range(300):
            array = numpy.full(5, float(number))
            x = gn.from_numpy(array)
            if number % 3 == 0:
                x.untyped_storage()
            if not (x.numpy().tolist() == x.tolist() == [number] * 5):
                wrong.append(number)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert wrong == []


def test_numpy_reads_the_struct_of_a_tensor() -> None:
    x = gn.arange(6.0).reshape(2, 3).t()
    array = numpy.asarray(x)
    assert array.ctypes.data == x.data_ptr() and array.strides == (4, 12) and array.dtype == numpy.float32
    assert type(x.__array_struct__).__name__ == "PyCapsule"
    del x
    gc.collect()
    assert array.tolist() == [[0.0, 3.0], [1.0, 4.0], [2.0, 5.0]]
    with pytest.raises(AttributeError, match="requires grad"):
        _ = gn.ones(1, requires_grad=True).__array_struct__
    with pytest.raises(RuntimeError, match="requires grad"):
        numpy.asarray(gn.ones(1, requires_grad=True))


@pytest.mark.skipif(speedups is None, reason="the C speedups are what is tested")
def test_the_functions_are_in_c_and_have_their_documentation() -> None:
    for function in (gn.from_numpy, gn.Tensor.numpy):
        assert type(function).__name__ == "Function" and function.__doc__ and function.__wrapped__
    assert gn.from_numpy.__name__ == "from_numpy" and gn.Tensor.numpy.__qualname__
