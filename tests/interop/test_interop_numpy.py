"""interop/numpy.py: NumPy arrays over tensors' memory. (From arrays to tensors: test_creation.py.)"""

from __future__ import annotations

import gc
import re
import weakref
from typing import Any

import numpy
import pytest

import gnomon as gn

NAMES = [
    "bool",
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]


def test_an_array_shows_the_tensors_memory(device: str) -> None:
    x = gn.arange(6.0).reshape(2, 3)
    array = x.numpy()
    assert type(array) is numpy.ndarray and array.dtype == numpy.float32 and array.flags.writeable
    assert array.ctypes.data == x.data_ptr() and array.tolist() == x.tolist()
    array[1, 2] = 50.0
    x[0, 0] = -1.0
    x.mul_(2.0)
    assert array.tolist() == x.tolist() == [[-2.0, 2.0, 4.0], [6.0, 8.0, 100.0]]


@pytest.mark.parametrize("name", NAMES)
def test_every_dtype_there_and_back(name: str, device: str) -> None:
    kind: gn.dtype = getattr(gn, name)
    numbers = [False, True, True] if name == "bool" else [0, 1, 100]
    x = gn.tensor(numbers, dtype=kind)
    array = x.numpy()
    assert array.dtype == numpy.dtype(name) and array.tolist() == x.tolist()
    for made in (gn.from_numpy(array), gn.tensor(array), gn.as_tensor(array)):
        assert made.dtype is kind and made.tolist() == x.tolist()
    back = gn.from_numpy(array)
    back.fill_(1)
    assert x.tolist() == back.tolist() == array.tolist()  # they share memory
    assert array[0] == 1


def test_strides_and_offsets(device: str) -> None:
    base = gn.arange(24).reshape(4, 6)
    for view in (
        base.t(),
        base[1:, ::2],
        base[::2, 3],
        base[2],
        base[0].expand(3, 6),
        base[3, 5],
        base.view(24),
    ):
        array = view.numpy()
        assert array.shape == tuple(view.shape) and array.tolist() == view.tolist()
        assert array.ctypes.data == view.data_ptr()
        assert [stride // 8 for stride in array.strides] == list(view.stride())
    assert gn.zeros(0, 3).numpy().shape == (0, 3) and gn.zeros(0, 3).numpy().dtype == numpy.float32
    base[1:3, 1:3].numpy()[...] = 0
    assert base[1:3, 1:3].sum().item() == 0 and base.sum().item() == 276 - (7 + 8 + 13 + 14)


def test_the_array_outlives_the_tensor(device: str) -> None:
    # a block of a size that nothing else uses, freed and allocated many times
    for _ in range(20 if device == "c" else 5):
        x = gn.full((12_345,), 3.0)
        array = x[5:].numpy()
        del x
        gc.collect()
        others = [gn.zeros(12_345) for _ in range(5)]
        assert array.shape == (12_340,) and (array == 3.0).all()
        array[:] = 4.0
        assert all(other.sum().item() == 0.0 for other in others)


def test_the_memory_goes_when_the_array_goes(device: str) -> None:
    x = gn.ones(1000)
    storage = weakref.ref(x.untyped_storage())
    array = x.numpy()
    del x, array
    gc.collect()
    assert storage() is None


def test_an_array_keeps_the_tensor_from_growing(device: str) -> None:
    x = gn.arange(4.0)
    array = x.numpy()
    with pytest.raises(RuntimeError, match="Trying to resize storage that is not resizable"):
        x.resize_(100_000)
    x.fill_(9.0)
    assert array.tolist() == x.tolist() == [9.0] * 4


@pytest.mark.parametrize(
    ("tensor", "error", "text"),
    [
        (gn.ones(2, requires_grad=True), RuntimeError, r"Can't call numpy\(\) on Tensor that requires grad"),
        (gn.ones(2, requires_grad=True) * 2, RuntimeError, "requires grad"),
        (gn.ones(2, dtype=gn.bfloat16), TypeError, "Got unsupported ScalarType bfloat16"),
        (gn.ones(2, device="meta"), TypeError, "can't convert meta device type tensor to numpy"),
    ],
)
def test_what_has_no_array(tensor: gn.Tensor, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        tensor.numpy()


def test_force_detaches(device: str) -> None:
    x = gn.ones(2, requires_grad=True)
    assert x.numpy(force=True).tolist() == [1.0, 1.0] and x.detach().numpy().tolist() == [1.0, 1.0]
    with pytest.raises((TypeError, NotImplementedError)):
        gn.ones(2, device="meta").numpy(force=True)


def test_numpys_functions_take_tensors(device: str) -> None:
    x = gn.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert numpy.sum(numpy.asarray(x)) == 10.0 and numpy.asarray(x).ctypes.data == x.data_ptr()
    assert numpy.asarray(x, dtype=numpy.int64).tolist() == [[1, 2], [3, 4]]
    copied: Any = numpy.array(x)
    copied[0, 0] = 9.0
    assert x[0, 0].item() == 1.0  # numpy.array copies
    assert numpy.allclose(numpy.asarray(x), [[1, 2], [3, 4]])
    if int(numpy.__version__.partition(".")[0]) >= 2:
        assert numpy.asarray(x, copy=False).ctypes.data == x.data_ptr()
        with pytest.raises(ValueError, match=r"without a copy|Unable to avoid copy"):
            numpy.asarray(x, dtype=numpy.int64, copy=False)


def test_numpys_scalars_are_numbers(device: str) -> None:
    x = gn.tensor([1.0, 2.0])
    assert (x + numpy.float32(1.5)).tolist() == [2.5, 3.5] and (x * numpy.int64(2)).tolist() == [2.0, 4.0]
    assert x.sum(numpy.int64(0)).item() == 3.0 and gn.zeros(numpy.int64(2)).shape == (2,)
    assert x[numpy.int64(1)].item() == 2.0


# Each is evaluated with x as the tensor [1, 2] and as its array, and gives the same numbers.
WITH_ARRAYS = [
    "x + numpy.array([2.0])",
    "x - numpy.array([2.0, 1.0])",
    "x * numpy.array(2.0)",
    "x / numpy.array([[2.0], [4.0]])",
    "x // numpy.array([2.0])",
    "x % numpy.array([2.0])",
    "x ** numpy.array([2.0, 3.0])",
    "x @ numpy.array([2.0, 3.0])",
    "x == numpy.array([1.0, 3.0])",
    "numpy.array([1.0, 3.0]) == x",
    "numpy.array([2.0, 2.0]) / x",
    "numpy.sin(x)",
    "numpy.maximum(x, numpy.ones(2))",
]
WITH_SCALARS = ["+", "-", "*", "/", "//", "%", "**", "<", "<=", ">", ">=", "==", "!="]


@pytest.mark.parametrize("expression", WITH_ARRAYS)
@pytest.mark.filterwarnings("error")
def test_an_array_as_operand_gives_a_tensor(expression: str, device: str) -> None:
    x = gn.tensor([1.0, 2.0])
    result = eval(expression, {"numpy": numpy, "x": x})
    expected = eval(expression, {"numpy": numpy, "x": x.numpy()})
    assert type(result) is gn.Tensor and result.device == x.device
    assert result.tolist() == expected.tolist()
    assert result.numpy().dtype == expected.dtype


@pytest.mark.parametrize("symbol", WITH_SCALARS)
@pytest.mark.parametrize("kind", [numpy.float32, numpy.float64, numpy.int64])
def test_a_numpy_scalar_is_a_number_on_either_side(symbol: str, kind: Any, device: str) -> None:
    x = gn.tensor([1.0, 2.0], requires_grad=True)
    for formula in (f"2 {symbol} x", f"x {symbol} 2"):
        result = eval(formula.replace("2", "two"), {"x": x, "two": kind(2)})
        expected = eval(formula, {"x": x})
        assert type(result) is gn.Tensor and result.dtype is expected.dtype
        assert result.tolist() == expected.tolist()
        assert result.requires_grad == expected.requires_grad


def test_what_is_left_to_the_tensor_raises_for_arrays(device: str) -> None:
    x = gn.tensor([1.0, 2.0])
    array = numpy.ones(2)
    for formula in ("array * x", "array - x", "array @ x", "array ** x", "array < x", "x < array"):
        with pytest.raises(TypeError):
            eval(formula, {"x": x, "array": array})
    with pytest.raises(TypeError, match="must be Tensor, not ndarray"):
        gn.add(x, numpy.array(2.0))
    with pytest.raises(RuntimeError, match="requires grad"):
        x.requires_grad_() + array
    assert (x == numpy.array(["a", "b"])) is False


def test_in_place_with_an_array_makes_another_tensor(device: str) -> None:
    x = y = gn.tensor([1.0, 2.0])
    x += numpy.ones(1)
    assert (x.tolist(), y.tolist(), x.dtype) == ([2.0, 3.0], [1.0, 2.0], gn.float64)


def test_bools_of_a_numpy_function_are_uint8(device: str) -> None:
    result = numpy.isnan(gn.tensor([1.0, float("nan")]))
    assert result.dtype is gn.uint8 and result.tolist() == [0, 1]


@pytest.mark.parametrize("name", ["bool", "uint8", "int64", "float16", "float32", "float64", "complex64"])
@pytest.mark.parametrize("layout", ["dense", "transposed", "every other", "behind", "no dimensions"])
def test_memory_is_shared_both_ways_and_outlives_the_array(name: str, layout: str, device: str) -> None:
    array = numpy.arange(24).reshape(4, 6).astype(name)
    array = {
        "dense": array, "transposed": array.T, "every other": array[::2, ::2], "behind": array[1:, :],
        "no dimensions": array[1, 1:2].reshape(()),
    }[layout]  # fmt: skip
    kept = array.copy()
    with gn.device(device):
        for _ in range(2):  # the second time the dtype is cached
            x = gn.from_numpy(array)
            assert (x.shape, x.dtype) == (array.shape, getattr(gn, name))
            assert x.stride() == tuple(each // array.itemsize for each in array.strides)
            assert numpy.array_equal(x.numpy(), kept)
            assert x.numpy().strides == array.strides
        array[...] = 1
        assert numpy.array_equal(x.numpy(), numpy.ones_like(kept))
        x.zero_()
        assert not array.any()
        array[...] = kept
        del array
        gc.collect()
        numpy.zeros(1000)
        assert numpy.array_equal(x.numpy(), kept)


def test_universal_functions_give_tensors() -> None:
    x = gn.tensor([1.0, 4.0])
    assert not hasattr(gn.Tensor, "__array_ufunc__")  # as in PyTorch
    assert type(numpy.sqrt(x)) is gn.Tensor and type(numpy.add(x, numpy.ones(2))) is gn.Tensor
    with pytest.raises(TypeError):
        numpy.ones(2) + x


NUMPYS = """
    mean(x) mean(x, axis=0) mean(x, axis=(0, 1)) mean(x, 1, keepdims=True) sum(x) sum(x, axis=0)
    sum(x, dtype="f8") sum(x, axis=-1, initial=3) prod(x) prod(x, axis=(0, 1)) max(x) max(x, axis=0)
    max(x, axis=1, keepdims=True) min(x) amin(x, axis=(0, 1)) std(x) std(x, axis=0, ddof=1) var(x)
    var(x, axis=1) median(x, axis=0) ptp(x, axis=0) argmax(x) argmax(x, axis=0) argsort(x, axis=0)
    sort(x, axis=0) cumsum(x) cumsum(x, axis=1) cumprod(x, 0) any(x > 1) all(x, axis=0) squeeze(x[:1])
    ravel(x) ravel(x, "F") transpose(x) transpose(x[None], (2, 0, 1)) swapaxes(x, 0, 1)
    reshape(x, (3, 2)) nonzero(x > 2) argwhere(x > 2) flatnonzero(x > 2) round(x / 3, 1) clip(x, 2, 4)
    flip(x) flip(x, axis=0) repeat(x, 2) repeat(x, 2, axis=0) take(x, [1]) take(x, [1], axis=1)
    diagonal(x) trace(x) diff(x) where(x > 2, x, 0) where(x > 2) concatenate([x, x])
    concatenate((x, x), axis=1) stack([x, x]) block([[x], [x]]) split(x, 2) unique(x)
    searchsorted(x[0], 2.5) histogram(x, 2) percentile(x, 50, axis=0) average(x, weights=x)
    einsum("ij,ij->i", x, x) dot(x, x.T) tensordot(x, x, 2) outer(x, x) pad(x, 1) roll(x, 1, axis=1)
    isin(x, [1.0]) allclose(x, x) array_equal(x, x) linalg.norm(x) linalg.norm(x, axis=0) linalg.svd(x)
    fft.fft(x) shape(x) ndim(x) size(x) size(x, 0) iscomplexobj(x) copy(x) count_nonzero(x, axis=0)
    interp(1.5, x[0], x[1]) full_like(x, 2) asarray([1], like=x)
""".split("\n")
CALLS = [each for line in NUMPYS for each in re.findall(r"[\w.]+\((?:[^()]|\([^()]*\))*\)", line)]


def parts(result: Any) -> list[Any]:
    return (
        [each for every in result for each in parts(every)] if isinstance(result, (tuple, list)) else [result]
    )


@pytest.mark.parametrize("call", CALLS)
def test_other_functions_take_tensors_as_arrays(call: str, device: str) -> None:
    x = gn.tensor([[3.0, 1.0, 2.0], [6.0, 5.0, 4.0]], device=device)
    found = parts(eval(f"numpy.{call}", {"numpy": numpy, "x": x}))
    expected = parts(eval(f"numpy.{call}", {"numpy": numpy, "x": x.numpy()}))
    assert [type(each) for each in found] == [type(each) for each in expected]
    for one, other in zip(found, expected):
        assert numpy.array_equal(one, other) and numpy.asarray(one).dtype == numpy.asarray(other).dtype


def test_numpys_functions_are_all_tried() -> None:
    assert len(CALLS) > 85 and len(set(CALLS)) == len(CALLS)


def test_numpys_functions_write_into_tensors() -> None:
    x, out = gn.ones(3, 2), gn.zeros(2)
    assert numpy.sum(x, axis=0, out=out) is out and out.tolist() == [3, 3]  # type: ignore[call-overload]
    numpy.copyto(out, 5.0)  # type: ignore[arg-type]
    assert out.tolist() == [5, 5]
    assert numpy.concatenate([out, out], out=numpy.zeros(4)).tolist() == [5, 5, 5, 5]


def test_functions_of_numpy_refuse_tensors_that_require_grad() -> None:
    x = gn.ones(2, 3, requires_grad=True)
    for call in (numpy.sum, numpy.max, lambda x: numpy.concatenate([x, x]), lambda x: numpy.where(x, x, x)):
        with pytest.raises(RuntimeError, match=r"Use tensor.detach\(\).numpy\(\) instead"):
            call(x)
    assert numpy.shape(x) == (2, 3) and numpy.ndim(x) == 2 and numpy.size(x) == 6
    assert not numpy.iscomplexobj(x)
    with pytest.raises(TypeError, match="meta"):
        numpy.sum(gn.ones(2, device="meta"))


@pytest.mark.filterwarnings("ignore:The given NumPy array is not writable")
@pytest.mark.parametrize("kind", ["contiguous", "strided", "float16", "empty", "readonly"])
def test_an_array_lives_as_long_as_the_tensor_on_its_memory(kind: str) -> None:
    owner = numpy.arange(8, dtype="float16" if kind == "float16" else "float32")
    if kind == "readonly":
        owner.flags.writeable = False
    given = {"strided": owner[1::2], "empty": owner[:0]}.get(kind, owner)
    known = weakref.ref(owner)
    x = gn.from_numpy(given)
    expected = given.tolist()
    del owner, given
    gc.collect()
    assert (known() is None) == (kind == "empty")
    assert x.tolist() == expected
    view = x[-2:]
    del x
    gc.collect()
    assert view.tolist() == expected[-2:] and (known() is None) == (kind == "empty")
    del view
    gc.collect()
    assert known() is None


def test_parameters_without_grad_mode() -> None:
    x = gn.ones(2, requires_grad=True)
    with gn.no_grad():
        assert x.numpy().tolist() == numpy.asarray(x).tolist() == numpy.sqrt(x).tolist() == [1, 1]
    with gn.inference_mode():
        assert x.numpy().ctypes.data == x.data_ptr()
    with pytest.raises(RuntimeError, match="requires grad"):
        x.numpy()


SHARED: dict[str, Any] = {
    "from_numpy": lambda: gn.from_numpy(numpy.ones(4)),
    "frombuffer": lambda: gn.frombuffer(bytearray(32), dtype=gn.float64),
    "from_dlpack": lambda: gn.from_dlpack(numpy.ones(4)),
    "numpy": lambda: shown(gn.ones(4, dtype=gn.float64).numpy),
    "asarray": lambda: shown(gn.ones(4, dtype=gn.float64).__array__),
    "buffer": lambda: shown(gn.ones(4, dtype=gn.float64).__buffer__),
}


def shown(method: Any) -> gn.Tensor:
    """The tensor of a method that gives its memory to NumPy."""
    method()
    tensor: gn.Tensor = method.__self__
    return tensor


@pytest.mark.parametrize("way", SHARED)
def test_shared_memory_keeps_its_size(way: str) -> None:
    x = SHARED[way]()
    before = x.tolist()
    assert not x.untyped_storage().resizable()
    for grow in (
        lambda: x.resize_(100),
        lambda: x.untyped_storage().resize_(8),
        lambda: gn.add(gn.ones(9, dtype=gn.float64), 1, out=x.resize_(0)),
    ):
        with pytest.raises(RuntimeError, match="Trying to resize storage that is not resizable"):
            grow()
    x.resize_(4)
    assert x.tolist() == before
    assert x.clone().resize_(100).untyped_storage().resizable()
