"""creation.py: tensors from Python data, NumPy and tensors; what they share and what they refuse."""

from __future__ import annotations

import gc
import math
import warnings
import weakref
from typing import Any

import numpy
import pytest

import gnomon as gn
from gnomon.values import errors


@pytest.mark.parametrize(
    ("data", "dtype", "shape", "values"),
    [
        (True, "bool", (), True),
        (3, "int64", (), 3),
        (2.5, "float32", (), 2.5),
        (1j, "complex64", (), 1j),
        ([], "float32", (0,), []),
        ([[], []], "float32", (2, 0), [[], []]),
        ([True, False], "bool", (2,), [True, False]),
        ([True, 2], "int64", (2,), [1, 2]),
        ([True, 2.0], "float32", (2,), [1.0, 2.0]),
        ([1, 2j], "complex64", (2,), [1, 2j]),
        ([(1, 2), [3, 4]], "int64", (2, 2), [[1, 2], [3, 4]]),
        (range(3), "int64", (3,), [0, 1, 2]),
        ([[[1.0]], [[2.0]]], "float32", (2, 1, 1), [[[1.0]], [[2.0]]]),
        ([numpy.float64(2.5), 1], "float64", (2,), [2.5, 1.0]),  # NumPy scalars have a dtype
        ([numpy.int16(2), True], "int16", (2,), [2, 1]),
        ([numpy.bool_(True)], "bool", (1,), [True]),
        ([numpy.arange(2), numpy.arange(2)], "int64", (2, 2), [[0, 1], [0, 1]]),
        (numpy.float32(2.5), "float32", (), 2.5),
    ],
)
def test_dtype_and_shape_come_from_the_data(
    data: Any, dtype: str, shape: Any, values: Any, device: str
) -> None:
    made = gn.tensor(data)
    assert (made.dtype.name, tuple(made.shape), made.tolist()) == (dtype, shape, values)
    assert made.device.type == device and made.is_contiguous() and made.is_leaf and made._version == 0


def test_tensors_are_taken_as_numbers_with_their_dtype(device: str) -> None:
    pair = [gn.tensor(1.5, dtype=gn.float64), gn.tensor(2)]
    assert gn.tensor(pair).tolist() == [1.5, 2.0] and gn.tensor(pair).dtype is gn.float64
    assert gn.tensor([gn.tensor([3]), 4]).tolist() == [3, 4]
    with pytest.raises(TypeError, match="only integer tensors of a single element"):
        gn.tensor([gn.tensor([1, 2]), gn.tensor([3, 4])])


def test_integers_are_exact_over_the_whole_range(device: str) -> None:
    extremes = [2**63 - 1, -(2**63), 2**53 + 1]
    assert gn.tensor(extremes).tolist() == extremes


def test_numbers_are_rounded_to_the_dtype(device: str) -> None:
    assert gn.tensor([1e39]).tolist() == [math.inf]
    assert gn.tensor([70000], dtype=gn.float16).tolist() == [math.inf]
    assert gn.tensor([0.1]).tolist() == [0.10000000149011612]
    assert gn.tensor([1.5, -1.5], dtype=gn.int64).tolist() == [1, -1]
    assert gn.tensor([0.5, 0.0, math.nan], dtype=gn.bool).tolist() == [True, False, True]
    assert gn.tensor([0j, 1j], dtype=gn.bool).tolist() == [False, True]
    assert gn.tensor([-1, -255], dtype=gn.uint8).tolist() == [255, 1]
    assert gn.tensor([2**64], dtype=gn.float64).tolist() == [2.0**64]


@pytest.mark.parametrize(
    ("data", "dtype", "error", "text"),
    [
        ([[1, 2], [3]], None, ValueError, r"expected sequence of length 2 at dim 1 \(got 1\)"),
        ([[1, 2], 3], None, TypeError, "expected a sequence of length 2 at dim 1, but got a int"),
        ([1, [2]], None, TypeError, "expected a number at dim 1, but got a sequence of length 1"),
        (["one"], None, TypeError, "numbers or nested sequences of them, not str"),
        ([b"one"], None, TypeError, "numbers or nested sequences of them, not bytes"),
        (None, None, RuntimeError, "Could not infer dtype of NoneType"),
        ([None], None, RuntimeError, "Could not infer dtype of NoneType"),
        ({1, 2}, None, RuntimeError, "Could not infer dtype of set"),
        ([2**63], None, ValueError, "Overflow when unpacking long long: 9223372036854775808"),
        ([300], gn.uint8, RuntimeError, "value cannot be converted to type uint8 without overflow: 300"),
        ([-256], gn.uint8, RuntimeError, "without overflow: -256"),
        ([-1.5], gn.uint8, RuntimeError, "without overflow: -1.5"),
        ([128], gn.int8, RuntimeError, "value cannot be converted to type int8 without overflow: 128"),
        ([300.0], gn.uint8, RuntimeError, "without overflow"),
        ([math.nan], gn.int32, RuntimeError, "without overflow: nan"),
        ([math.inf], gn.int64, RuntimeError, "without overflow: inf"),
        ([1j], gn.float32, TypeError, "can't convert complex to float"),
        ([1j], gn.int32, TypeError, "can't convert complex to int"),
        ([1], "float32", TypeError, "argument 'dtype' must be gnomon.dtype, not str"),
        (numpy.array(["a"]), None, TypeError, "can't convert np.ndarray of type <U1"),
        (numpy.arange(3)[::-1], None, ValueError, "stride in the given numpy array is negative"),
    ],
)
def test_what_makes_no_tensor_is_refused(data: Any, dtype: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        gn.tensor(data, dtype=dtype)


def test_too_deep_a_nest_is_refused() -> None:
    nest: Any = 1
    for _ in range(65):
        nest = [nest]
    with pytest.raises(ValueError, match="too many dimensions"):
        gn.tensor(nest)
    assert gn.tensor(nest[0]).ndim == 64
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(ValueError, match="too many dimensions"):
        gn.tensor(endless)


def test_pythons_types_are_dtypes(device: str) -> None:
    assert gn.tensor([1], dtype=float).dtype is gn.float64
    assert gn.tensor([1.5], dtype=int).tolist() == [1]
    assert gn.zeros(1, dtype=float).dtype is gn.float64
    assert gn.as_tensor([1], dtype=bool).dtype is gn.bool


def test_tensor_always_copies(device: str) -> None:
    source = gn.tensor([1.0, 2.0], requires_grad=True)
    made = gn.tensor(source)
    assert made.data_ptr() != source.data_ptr() and not made.requires_grad and made.is_leaf
    assert gn.tensor(source, dtype=gn.int8).tolist() == [1, 2]
    array = numpy.array([1.0, 2.0])
    copied = gn.tensor(array)
    array[0] = 5.0
    assert copied.tolist() == [1.0, 2.0] and copied.dtype is gn.float64


@pytest.mark.parametrize("kind", ["bool", "uint8", "int64", "float32", "float64", "complex64"])
def test_a_list_of_arrays_is_copied_along_a_new_dimension(kind: str, device: str) -> None:
    arrays = [numpy.array([[0, 1], [0, 1]], kind).T, numpy.array([[1, 0], [1, 1]], kind)]
    made = gn.tensor(arrays)
    assert made.dtype is getattr(gn, kind) and made.shape == (2, 2, 2) and made.stride() == (4, 2, 1)
    assert made.tolist() == [array.tolist() for array in arrays]
    arrays[0][:] = 7
    assert made[0, 0].tolist() == [0, 0]
    for dtype in (gn.bool, gn.int16, gn.float32, gn.complex128):
        if made.dtype.category <= dtype.category:
            converted = gn.tensor(arrays[1:], dtype=dtype)
            assert converted.dtype is dtype and converted.tolist() == [arrays[1].tolist()]


def test_numbers_of_a_list_of_arrays_are_checked(device: str) -> None:
    with pytest.raises(RuntimeError, match="value cannot be converted to type uint8 without overflow: 300"):
        gn.tensor([numpy.array([300])], dtype=gn.uint8)
    with pytest.raises(TypeError, match=r"can't convert complex to float \(float32\)"):
        gn.tensor([numpy.array([1j])], dtype=gn.float32)
    with pytest.raises(ValueError, match=r"expected sequence of length 2 at dim 1 \(got 1\)"):
        gn.tensor([numpy.zeros(2), numpy.zeros(1)])
    assert gn.tensor([numpy.array([2.5])], dtype=gn.int64).tolist() == [[2]]
    mixed = gn.tensor([numpy.array([1, 2]), numpy.array([0.5, 1.5])])
    assert mixed.dtype is gn.float64 and mixed.tolist() == [[1.0, 2.0], [0.5, 1.5]]
    assert gn.tensor([numpy.zeros((0, 3))]).shape == (1, 0)  # as of lists
    assert gn.tensor([numpy.ones(2, "float32")], requires_grad=True).requires_grad


def test_requires_grad(device: str) -> None:
    made = gn.tensor([1.0], requires_grad=True)
    assert made.requires_grad and made.is_leaf and made.grad is None
    assert gn.ones(2, requires_grad=True).requires_grad and not gn.ones(2).requires_grad
    for data in ([1], [True]):
        with pytest.raises(RuntimeError, match="floating point and complex dtype can require gradients"):
            gn.tensor(data, requires_grad=True)


def test_device() -> None:
    for name in ("reference", "meta"):
        for made in (gn.tensor([1], device=name), gn.tensor(gn.ones(1), device=gn.device(name))):
            assert made.device is gn.device(name)
    assert gn.tensor(gn.ones(1, device="meta")).device.type == "meta"  # the tensor's device, not the default
    with pytest.raises(gn.BackendUnavailableError, match="unknown backend 'nowhere'"):
        gn.tensor([1], device="nowhere")
    with pytest.raises(RuntimeError, match="Invalid device string"):
        gn.tensor([1], device="not a device")


def test_as_tensor_shares_what_it_can(device: str) -> None:
    x = gn.tensor([1.0, 2.0])
    assert gn.as_tensor(x) is x and gn.as_tensor(x, dtype=gn.float32, device=device) is x
    assert gn.as_tensor(x, dtype=gn.float64).data_ptr() != x.data_ptr()
    assert gn.as_tensor([1, 2]).tolist() == [1, 2]
    array = numpy.arange(3.0)
    shared = gn.as_tensor(array)
    shared[0] = 7.0
    assert array[0] == 7.0 and shared.device.type == device
    assert gn.as_tensor(array, dtype=gn.float32).dtype is gn.float32
    assert gn.as_tensor(array, device="meta").is_meta


def test_from_numpy_shares_memory_both_ways(device: str) -> None:
    array = numpy.arange(6, dtype=numpy.int32).reshape(2, 3)
    made = gn.from_numpy(array)
    assert made.device.type == device and made.dtype is gn.int32 and made.stride() == (3, 1)
    assert made.data_ptr() == array.ctypes.data
    array[0, 1] = 50
    made[1, 2] = -5
    made.add_(100)
    assert array.tolist() == [[100, 150, 102], [103, 104, 95]] == made.tolist()
    assert made._version == 2  # writes by NumPy are not counted


def test_from_numpy_keeps_strides_and_offset(device: str) -> None:
    assert gn.from_numpy(numpy.zeros(1)).device.type == device
    base = numpy.arange(24.0).reshape(4, 6)
    for view in (base.T, base[1:, ::2], base[::2, 3], base[2], base[:, None, :]):
        made = gn.from_numpy(view)
        assert made.tolist() == view.tolist()
        assert made.stride() == tuple(stride // 8 for stride in view.strides)
        made.mul_(2.0)
        assert made.tolist() == view.tolist()
    assert gn.from_numpy(numpy.array(2.5)).item() == 2.5
    assert gn.from_numpy(numpy.zeros((0, 3))).shape == (0, 3)


def test_from_numpy_keeps_the_array_alive_and_lets_it_go(device: str) -> None:
    class Array(numpy.ndarray):  # numpy.ndarray itself takes no weak references on every version
        pass

    array = numpy.arange(1000.0).view(Array)
    alive = weakref.ref(array)
    made = gn.from_numpy(array)[10:20]
    del array
    gc.collect()
    assert alive() is not None and made.tolist() == [float(each) for each in range(10, 20)]
    del made
    gc.collect()
    assert alive() is None


def test_from_numpy_is_on_the_reference_where_the_default_device_has_no_host_memory() -> None:
    with gn.device("meta"):
        made = gn.from_numpy(numpy.arange(3))
    assert made.device.type == "reference" and made.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("array", "error", "text"),
    [
        ([1, 2], TypeError, r"expected np.ndarray \(got list\)"),
        (numpy.arange(3)[::-1], ValueError, "stride in the given numpy array is negative"),
        (numpy.zeros(3, dtype=">f8"), ValueError, "byte order different from the native byte order"),
        (numpy.array(["a"]), TypeError, "can't convert np.ndarray of type <U1"),
        (numpy.zeros(2, dtype=[("a", "i1"), ("b", "f4")])["b"], ValueError, "not a multiple of the element"),
    ],
)
def test_from_numpy_refuses(array: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        gn.from_numpy(array)


def _read_only(array: Any) -> Any:
    array.setflags(write=False)
    return array


def _of_a_file(tmp_path: Any) -> Any:
    numpy.arange(4.0).tofile(tmp_path / "numbers")
    return numpy.memmap(tmp_path / "numbers", dtype="f8", mode="r")


@pytest.mark.parametrize("make", [gn.from_numpy, gn.as_tensor, gn.asarray])
@pytest.mark.parametrize(
    "array",
    [
        lambda path: _read_only(numpy.arange(4.0)),
        lambda path: _read_only(numpy.arange(12, dtype="u1").reshape(2, 2, 3))[:, :, ::2],  # of a picture
        lambda path: _read_only(numpy.arange(6, dtype="f2").reshape(2, 3).T),
        lambda path: _read_only(numpy.array(3, dtype="i8")),
        lambda path: _read_only(numpy.arange(2) == 1),
        lambda path: numpy.frombuffer(b"12345678", "i4"),
        lambda path: numpy.broadcast_to(numpy.arange(3.0), (2, 3)),
        _of_a_file,
    ],
)
def test_an_array_that_can_not_be_written_to_is_shared_with_one_warning(
    make: Any, array: Any, device: str, tmp_path: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr(errors, "_said", set())
    array = array(tmp_path)
    with pytest.warns(UserWarning, match="The given NumPy array is not writable") as caught:
        made = [make(array) for _ in range(2)]
    assert len(caught) == 1 and caught[0].filename == __file__
    for each in made:
        assert each.data_ptr() == array.__array_interface__["data"][0]
        assert each.tolist() == array.tolist() and each.dtype.name == array.dtype.name
        assert each.stride() == tuple(step // array.itemsize for step in array.strides)
        assert (each + 0).tolist() == array.tolist()


def test_bytes_are_shared_with_one_warning(device: str, monkeypatch: Any) -> None:
    monkeypatch.setattr(errors, "_said", set())
    data = bytes(range(8))
    with pytest.warns(UserWarning, match="The given buffer is not writable") as caught:
        made = [gn.frombuffer(data, dtype=gn.int16, offset=2), gn.asarray(data, dtype=gn.uint8)]
    assert len(caught) == 1
    start = numpy.frombuffer(data, "u1").__array_interface__["data"][0]
    assert [each.data_ptr() - start for each in made] == [2, 0]
    assert made[0].tolist() == [0x0302, 0x0504, 0x0706] and bytes(made[1].tolist()) == data


def test_a_copy_of_what_can_not_be_written_to_is_silent(device: str, monkeypatch: Any) -> None:
    monkeypatch.setattr(errors, "_said", set())
    array = _read_only(numpy.arange(4.0))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for made in (gn.tensor(array), gn.asarray(array, copy=True)):
            assert made.data_ptr() != array.__array_interface__["data"][0]


def test_memory_that_can_not_be_written_to_outlives_its_array(device: str) -> None:
    array = _read_only(numpy.arange(1000.0) * 3)
    made = gn.from_numpy(array)
    del array
    gc.collect()
    numpy.zeros(1000)
    assert made[-1].item() == 2997.0


def test_a_copied_array_keeps_its_order_of_memory(device: str) -> None:
    array = numpy.arange(24, dtype=numpy.float32).reshape(2, 3, 4)
    for view, strides in (
        (array, (12, 4, 1)),
        (array.T, (1, 4, 12)),
        (array.transpose(1, 0, 2), (4, 12, 1)),
        (array[:, ::2, ::2], (4, 2, 1)),
        (numpy.broadcast_to(array[0, 0], (2, 4)), (1, 2)),
    ):
        made = gn.tensor(view)
        assert made.tolist() == view.tolist(), view.strides
        assert made.stride() == strides


def test_factories(device: str) -> None:
    assert gn.zeros(2, 3).tolist() == [[0.0] * 3] * 2 and gn.zeros((2,), dtype=gn.int8).dtype is gn.int8
    assert gn.zeros(()).shape == () and gn.zeros([]).shape == () and gn.zeros([2, 0]).shape == (2, 0)
    for value, dtype in ((True, gn.bool), (3, gn.int64), (3.0, gn.float32), (3j, gn.complex64)):
        assert gn.full((2,), value).dtype is dtype and gn.full((2,), value).tolist() == [value] * 2
    assert gn.arange(5, 0, -2).tolist() == [5, 3, 1] and gn.arange(5, 0, -2).dtype is gn.int64
    assert gn.arange(0, 1, 0.25).tolist() == [0.0, 0.25, 0.5, 0.75] and gn.arange(2.5).dtype is gn.float32
    assert gn.eye(2, 3).tolist() == [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    like = gn.zeros(3, 2, dtype=gn.float64).t()
    assert gn.ones_like(like).stride() == (1, 2) and gn.ones_like(like).dtype is gn.float64
    assert like.new_full((2,), 7).tolist() == [7.0, 7.0] and like.new_full((2,), 7).dtype is gn.float64
    assert gn.empty(2, 3, 4, 5, memory_format=gn.channels_last).stride() == (60, 1, 15, 3)
    assert gn.empty_strided((2, 2), (1, 4)).stride() == (1, 4)


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: gn.zeros(-1), RuntimeError, "zeros.*|empty: .*negative dimension -1"),
        (lambda: gn.zeros(2, -3), RuntimeError, r"negative dimension -3: \[2, -3\]"),
        (lambda: gn.zeros(2**62, 2**62), RuntimeError, "Storage size calculation overflowed"),
        (lambda: gn.empty([1] * 65), RuntimeError, "at most 64 dimensions, got 65"),
        (lambda: gn.zeros(2.5), TypeError, r"zeros\(\): argument 'size' .* must be tuple of ints, not float"),
        (lambda: gn.zeros("two"), TypeError, "must be tuple of ints, not str"),
        (lambda: gn.zeros(), TypeError, "missing required argument 'size'"),
        (lambda: gn.zeros(2, colour="red"), TypeError, "unexpected keyword argument 'colour'"),
        (lambda: gn.zeros(2, pin_memory=True), RuntimeError, "pin_memory=True is not supported"),
        (lambda: gn.empty_strided((2, 2), (1,)), RuntimeError, "dimensionality of sizes"),
        (lambda: gn.empty_strided((2,), (-1,)), RuntimeError, "negative strides"),
        (lambda: gn.arange(0, 5, 0), RuntimeError, "arange: step must be nonzero"),
        (lambda: gn.arange(5, 0), RuntimeError, "inconsistent with step sign"),
        (lambda: gn.arange(math.nan), RuntimeError, "unsupported range"),
        (lambda: gn.eye(-1), RuntimeError, "n must be greater or equal to 0"),
        (lambda: gn.empty(2, 3, memory_format=gn.channels_last), RuntimeError, "required rank 4 tensor"),
    ],
)
def test_factories_refuse(make: Any, error: type[Exception], text: str, device: str) -> None:
    with pytest.raises(error, match=text):
        make()


@pytest.mark.parametrize(
    "view",
    [
        lambda x: x.as_strided([1] * 65, [1] * 65),
        lambda x: x.view([1] * 65),
        lambda x: x.unsqueeze(-1),
        lambda x: x.expand([1] * 65),
        lambda x: x.unfold(0, 1, 1),
        lambda x: x[None],
        lambda x: gn.stack([x, x]),
        lambda x: gn.view_as_real(x.to(gn.complex64)),
        lambda x: gn.zeros(3).set_(x.untyped_storage(), 0, [1] * 65, [1] * 65),
    ],
)
def test_no_view_has_more_dimensions_than_a_tensor_may_have(view: Any, device: str) -> None:
    # kernels have room for 64: the Fourier transforms of C wrote past the end of theirs
    with pytest.raises(RuntimeError, match=r"^\w+: a tensor has at most 64 dimensions, got 65$"):
        view(gn.zeros([1] * 64, device=device))
    assert gn.fft.fft(gn.ones([1] * 64, device=device)).shape == (1,) * 64


@pytest.mark.parametrize("number", [-(2.0**63), 2.0**63, -(2**63)])
def test_the_least_integer_from_a_number(number: float, device: str) -> None:
    """-2.0**63 is an int64; 2.0**63 is accepted as in PyTorch, and wraps around."""
    least = -(2**63)
    x, at, mask = gn.zeros(3, dtype=gn.int64), gn.tensor([0, 2]), gn.tensor([True, False, True])
    assigned = [x.clone() for _ in range(3)]
    assigned[0][1] = number
    assigned[1][at] = number
    assigned[2][:2] = number
    made = {
        "full": (gn.full((2,), number, dtype=gn.int64), [least, least]),
        "full_like": (gn.full_like(x, number), [least] * 3),
        "new_full": (x.new_full((1,), number), [least]),
        "scalar_tensor": (gn.scalar_tensor(number, dtype=gn.int64), least),
        "fill_": (x.clone().fill_(number), [least] * 3),
        "masked_fill": (x.masked_fill(mask, number), [least, 0, least]),
        "index_fill": (x.index_fill(0, at, number), [least, 0, least]),
        "scatter": (x.scatter(0, at, number), [least, 0, least]),
        "pad": (gn.nn.functional.pad(x, (1, 1), value=number), [least, 0, 0, 0, least]),
        "linspace": (gn.linspace(number, 0, 3, dtype=gn.int64), [least, least // 2, 0]),
        "x[1]": (assigned[0], [0, least, 0]),
        "x[at]": (assigned[1], [least, 0, least]),
        "x[:2]": (assigned[2], [least, least, 0]),
    }
    for name, (found, expected) in made.items():
        assert found.dtype is gn.int64 and found.tolist() == expected, name
    assert gn.full((2,), number, dtype=gn.bool).tolist() == [True, True]
    padded = gn.nn.functional.pad(x, (1, 0), value=2**63 - 1)  # pad's value is a double: 2.0**63
    assert padded.tolist() == [least, 0, 0, 0]
    for beyond in (-(2.0**63) - 2048, 2.0**63 + 2048, math.nan, math.inf):
        with pytest.raises(RuntimeError, match="value cannot be converted to type int64 without overflow"):
            gn.full((2,), beyond, dtype=gn.int64)


def test_arange_near_the_ends_of_int64(device: str) -> None:
    bounds = (2.0**63 - 1024, 2.0**63 + 3072, 2048)
    numbers = [2.0**63 - 1024, 2.0**63, 2.0**63 + 4096]  # ties, to even
    found = gn.arange(*bounds, dtype=gn.float64)
    assert found.dtype is gn.float64 and found.tolist() == numbers
    assert gn.arange(*bounds, dtype=gn.float32).tolist() == [2.0**63] * 3
    assert gn.arange(*bounds, dtype=gn.float16).tolist() == [math.inf] * 3
    assert gn.arange(*bounds, dtype=gn.int32).tolist() == [-1024, 1024, 3072]  # the lowest bits
    assert gn.arange(0, 2.0**64, 2.0**63, dtype=gn.int32).tolist() == [0, 0]
    assert gn.arange(-(2.0**63), 0, 2.0**62, dtype=gn.int64).tolist() == [-(2**63), -(2**62)]
    assert gn.arange(2**63 - 1024, 2**63 - 1, 512).tolist() == [2**63 - 1024, 2**63 - 512]
    # for a floating dtype the bounds become float64 first, and the count is computed from those
    odd = (2**53 + 1, 2**53 + 9, 2)
    assert gn.arange(*odd).tolist() == [2**53 + 1, 2**53 + 3, 2**53 + 5, 2**53 + 7]
    for step in (2, 2.0):
        found = gn.arange(*odd[:2], step, dtype=gn.float64)
        assert found.tolist() == [2.0**53, 2.0**53 + 2, 2.0**53 + 4, 2.0**53 + 6]
    assert gn.arange(2**63 - 1024, 2**64 - 1, 2**62, dtype=gn.float64).tolist() == [
        2.0**63 - 1024,
        3 * 2.0**62,
    ]
    for wrong in (
        (*bounds,),
        (0, 3, math.inf),
        (0, 2**63, 2**62),
        (0, 2.0**64, 2.0**63),
        (2**63, 2**64 - 1, 1024),
    ):
        with pytest.raises(RuntimeError, match="value cannot be converted to type int64 without overflow"):
            gn.arange(*wrong, dtype=gn.int64)
    for wrong in ((2.0**64, 2.0**64 + 8192, 4096), (0, 3, math.inf), (2**63, 2**63 + 4096, 2048)):
        with pytest.raises(RuntimeError, match="value cannot be converted to type int64 without overflow"):
            gn.arange(*wrong, dtype=gn.int32)


def test_too_much_memory_is_an_out_of_memory_error(device: str) -> None:
    with pytest.raises(gn.OutOfMemoryError, match=rf"{device}: .*\[1152921504606846975\], int8") as caught:
        gn.empty(2**60 - 1, dtype=gn.int8)
    assert isinstance(caught.value, RuntimeError)


def test_asarray_shares_what_it_can() -> None:
    import array

    x = gn.ones(2)
    assert gn.asarray(x) is x
    copied = gn.asarray(x, copy=True)
    copied.zero_()
    assert x.tolist() == [1.0, 1.0]
    assert gn.asarray(x, dtype=gn.float64).dtype is gn.float64
    numbers = numpy.array([1, 2])
    shown = gn.asarray(numbers)
    shown[0] = 7
    assert numbers.tolist() == [7, 2]
    data = array.array("i", [1, 2, 3])
    assert gn.asarray(data, dtype=gn.int32).tolist() == [1, 2, 3]
    gn.asarray(data, dtype=gn.int32)[1] = 9
    assert data.tolist() == [1, 9, 3]
    assert gn.asarray([1, 2.5]).tolist() == [1.0, 2.5] and gn.asarray(3, dtype=gn.int8).dtype is gn.int8
    assert gn.asarray([1.0], requires_grad=True).requires_grad
    frozen = numpy.array([1.0])
    frozen.flags.writeable = False
    assert gn.asarray(frozen).tolist() == [1.0]
    for wrong, text in (
        (lambda: gn.asarray([1], copy=False), "can't alias arbitrary sequence"),
        (lambda: gn.asarray(x, dtype=gn.float64, copy=False), "can't alias tensor with dtype 'float32'"),
        (lambda: gn.asarray(x, device="meta", copy=False), "can't alias tensor from device"),
    ):
        with pytest.raises(ValueError, match=text):
            wrong()
    with pytest.raises(TypeError, match="not str"):
        gn.asarray("a")


@pytest.mark.parametrize("wrong", [None, "float32", 5])
def test_what_is_no_dtype_is_refused_in_the_function_s_name(wrong: Any) -> None:
    text = f"argument 'dtype' must be gnomon.dtype, not {type(wrong).__name__}"
    with pytest.raises(TypeError, match=rf"frombuffer\(\): {text}"):
        gn.frombuffer(bytearray(8), dtype=wrong)
    if wrong is not None:
        for function in (gn.tensor, gn.as_tensor, gn.asarray):
            with pytest.raises(TypeError, match=rf"{function.__name__}\(\): {text}"):
                function([1.0], dtype=wrong)


def test_frombuffer_shows_memory() -> None:
    data = bytearray(range(8))
    words = gn.frombuffer(data, dtype=gn.int16)
    assert words.tolist() == [0x0100, 0x0302, 0x0504, 0x0706]
    data[0] = 0xFF
    assert words[0].item() == 0x01FF
    words[3] = -1
    assert data[6:] == b"\xff\xff"
    assert gn.frombuffer(data, dtype=gn.uint8, count=2, offset=3).tolist() == [3, 4]
    with pytest.raises(RuntimeError, match="could not retrieve buffer from object: its elements have gaps"):
        gn.frombuffer(memoryview(bytes(8))[::2], dtype=gn.uint8)
    assert gn.frombuffer(b"\0\0\x80?", dtype=gn.float32, requires_grad=True).requires_grad
    for options, text in (
        ({"offset": 1}, "must be a multiple of element size"),
        ({"offset": 8}, "offset .* must be non-negative and no greater"),
        ({"offset": -1}, "offset .* must be non-negative and no greater"),
        ({"count": 3}, "must not be greater than actual buffer length"),
        ({"count": 0}, "must not be 0"),
    ):
        with pytest.raises(ValueError, match=text):
            gn.frombuffer(data, dtype=gn.int32, **options)
    with pytest.raises(ValueError, match="buffer protocol"):
        gn.frombuffer([1], dtype=gn.int32)


def test_factories_write_into_out(device: str) -> None:
    made = gn.empty(3, dtype=gn.int64)
    assert gn.linspace(0, 4, 3, out=made) is made and made.tolist() == [0, 2, 4]
    assert gn.zeros(2, out=gn.empty(0)).tolist() == [0.0, 0.0]
    assert gn.eye(2, out=gn.empty(2, 2).t()).stride() == (1, 2)
    with pytest.raises(RuntimeError, match="does not match dtype of out parameter"):
        gn.ones(2, dtype=gn.int64, out=gn.empty(2))


def test_linspace_counts_from_both_ends(device: str) -> None:
    numbers = gn.linspace(0.0, 1.0, 11, dtype=gn.float64).tolist()
    assert numbers[0] == 0.0 and numbers[-1] == 1.0
    assert [1.0 - number for number in reversed(numbers[6:])] == pytest.approx(numbers[:5], abs=1e-16)
    assert (
        gn.linspace(3, -11, 50, dtype=gn.int64).tolist()[14] == 0
    )  # 3 - 14 * (2 / 7), rounded once: above -1
    assert gn.logspace(0, 3, 4, base=2, dtype=gn.int32).tolist() == [1, 2, 4, 8]


def test_a_list_that_is_not_as_long_as_it_says(device: str) -> None:
    class Long(list[Any]):
        def __len__(self) -> int:
            return 100

    class Short(list[Any]):
        def __len__(self) -> int:
            return 1

    for data in (Long([1, 2]), Short([1, 2]), [Long([1, 2]), [1, 2]], [[1], Long([1]), [1, 2]]):
        for _ in range(2):
            with pytest.raises(ValueError, match="expected sequence of length"):
                gn.tensor(data)
    with pytest.raises(ValueError, match="expected sequence of length"):
        gn.arange(3)[Long([1, 0])]
