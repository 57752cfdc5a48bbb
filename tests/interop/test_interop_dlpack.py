"""DLPack, the array interfaces and buffers: memory shared with other libraries, and who frees it when."""

from __future__ import annotations

import ctypes
import gc
import subprocess
import sys
import threading
import weakref
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gnomon as gn
from gnomon.interop import dlpack_layout as layout
from gnomon.utils.dlpack import DLDeviceType
from time_limits import LONG_LIMIT

pytestmark = pytest.mark.both_tiers

SHARED = ["bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64"]
SHARED += ["float16", "float32", "float64", "complex64", "complex128"]


def structure(capsule: Any) -> Any:
    found = layout.structure_in(capsule)
    assert found is not None
    return layout.MANAGED[found[0]].from_address(found[1])


@pytest.mark.parametrize("name", SHARED)
def test_numpy_takes_every_dtype_in_place(name: str, device: str) -> None:
    x = gn.tensor([[1, 0, 3], [0, 5, 6]], device=device).to(getattr(gn, name))
    y = np.from_dlpack(x.t())
    assert y.dtype == name and y.strides == (x.itemsize, 3 * x.itemsize) and y.tolist() == x.t().tolist()
    x[0, 2] = 1
    assert y[2, 0] == 1
    assert y.ctypes.data == x.data_ptr()


@pytest.mark.parametrize("name", SHARED)
def test_numpys_arrays_are_taken_in_place(name: str, device: str) -> None:
    y = np.array([[1, 0, 3], [0, 5, 6]]).astype(name)[:, ::2].T
    x = gn.from_dlpack(y)
    assert x.dtype is getattr(gn, name) and x.device == gn.device(device)
    assert x.stride() == (2, 3) and x.tolist() == y.tolist() and x.data_ptr() == y.ctypes.data
    x[1, 0] = 0
    assert y[1, 0] == 0


@pytest.mark.parametrize(
    "kind", [gn.bfloat16, gn.complex32, gn.float8_e4m3fn, gn.float8_e5m2, gn.bool, gn.int8]
)
def test_dtypes_that_numpy_lacks_pass_between_tensors(kind: gn.dtype, device: str) -> None:
    x = gn.tensor([1.0, 0.0, 1.0]).to(kind)
    y = gn.from_dlpack(x)
    assert y.dtype is kind and y.data_ptr() == x.data_ptr() and y.to(gn.float32).tolist() == [1, 0, 1]


def test_all_dtypes_have_the_codes_of_the_standard() -> None:
    families = {"int": 0, "uint": 1, "float": 2, "bfloat": 4, "complex": 5, "bool": 6}
    for kind, (code, bits) in layout.CODES.items():
        family = kind.name.rstrip("0123456789")
        assert bits == 8 * kind.itemsize
        assert code == families.get(family, {"float8_e4m3fn": 10, "float8_e5m2": 12}.get(kind.name))
    assert len(layout.DTYPES) == len(layout.CODES)


@st.composite
def views(draw: st.DrawFn) -> tuple[Any, Any]:
    """A view of a tensor, and NumPy's view of the same elements."""
    sizes = draw(st.lists(st.integers(0, 4), max_size=4))
    x = gn.arange(int(np.prod(sizes))).reshape(sizes)
    y = np.arange(int(np.prod(sizes))).reshape(sizes)
    for dim in range(len(sizes)):
        begin, step = draw(st.integers(0, 2)), draw(st.integers(1, 3))
        index = (slice(None),) * dim + (slice(begin, None, step),)
        x, y = x[index], y[index]
    order = draw(st.permutations(range(len(sizes))))
    return x.permute(order), y.transpose(order)


@given(views())
def test_sizes_strides_and_elements_survive_the_way_there_and_back(pair: tuple[Any, Any]) -> None:
    x, y = pair
    there = np.from_dlpack(x)
    assert there.tolist() == y.tolist() and there.shape == y.shape
    back = gn.from_dlpack(there)
    assert back.tolist() == x.tolist() and back.shape == x.shape
    if x.numel():
        assert back.data_ptr() == x.data_ptr()
        assert [s for n, s in zip(x.shape, back.stride()) if n > 1] == [
            s for n, s in zip(x.shape, x.stride()) if n > 1
        ]


def test_expanded_tensors_keep_their_strides() -> None:
    x = gn.arange(3).expand(2, 3)
    assert np.from_dlpack(x).strides == (0, 8) and gn.from_dlpack(x).stride() == (0, 1)


def test_a_tensor_keeps_its_device() -> None:
    for name in ("reference", "cpu"):
        x = gn.ones(3, device=name)
        with gn.device("reference"):
            assert gn.from_dlpack(x).device == x.device


def test_structure_with_a_version(device: str) -> None:
    x = gn.arange(6).reshape(2, 3)[:, 1:]
    made = structure(capsule := x.__dlpack__(max_version=(1, 7)))
    assert (made.major, made.minor, made.flags) == (1, 1, 0)
    inner = made.dl_tensor
    assert inner.data == x.data_ptr() and inner.byte_offset == 0 and inner.ndim == 2
    assert (inner.device.device_type, inner.device.device_id) == (1, 0)
    assert (inner.dtype.code, inner.dtype.bits, inner.dtype.lanes) == (0, 64, 1)
    assert inner.shape[:2] == [2, 2] and inner.strides[:2] == [3, 1]
    del capsule


@pytest.mark.parametrize("version", [None, (0, 8)])
def test_structure_for_consumers_of_before_versions(version: Any) -> None:
    capsule = gn.ones(2).__dlpack__(max_version=version)
    assert '"dltensor"' in repr(capsule)
    assert isinstance(structure(capsule), layout.DLManagedTensor)
    assert gn.from_dlpack(capsule).tolist() == [1, 1]


def test_copy() -> None:
    x = gn.ones(2)
    made = structure(capsule := x.__dlpack__(max_version=(1, 0), copy=True))
    assert made.flags == layout.IS_COPIED and made.dl_tensor.data != x.data_ptr()
    assert gn.from_dlpack(capsule).tolist() == [1, 1]
    assert np.from_dlpack(x, copy=True).ctypes.data != x.data_ptr()
    assert gn.from_dlpack(x, copy=True).data_ptr() != x.data_ptr()
    assert gn.from_dlpack(x, copy=False).data_ptr() == x.data_ptr()
    assert gn.from_dlpack(np.arange(4)[::-1], copy=True).tolist() == [3, 2, 1, 0]


def test_a_capsule_is_used_once() -> None:
    capsule = gn.utils.dlpack.to_dlpack(gn.ones(2))
    assert gn.from_dlpack(capsule).tolist() == [1, 1] and "used_dltensor" in repr(capsule)
    with pytest.raises(RuntimeError, match="can be consumed only once"):
        gn.from_dlpack(capsule)


class Other:
    """An array of a library that knows only some arguments."""

    def __init__(self, array: Any):
        self.array, self.given = array, []

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.array.__dlpack_device__()

    def __dlpack__(self, stream: Any = None) -> Any:
        self.given.append(stream)
        return self.array.__dlpack__()


def test_libraries_of_before_versions() -> None:
    other = Other(np.arange(3))
    assert gn.from_dlpack(other).tolist() == [0, 1, 2] and other.given == [None]


def test_asarray_shares_arrays_of_other_libraries() -> None:
    y = np.arange(3)
    x = gn.asarray(Other(y), copy=False)
    assert x.tolist() == [0, 1, 2] and x.data_ptr() == y.ctypes.data
    assert gn.asarray(Other(y), copy=True).data_ptr() != y.ctypes.data
    assert gn.asarray(Other(y), dtype=gn.float32).dtype is gn.float32


def test_structures_without_strides_are_contiguous() -> None:
    capsule = gn.arange(6).reshape(2, 3).__dlpack__()
    structure(capsule).dl_tensor.strides = None
    assert gn.from_dlpack(capsule).stride() == (3, 1)


def test_byte_offsets() -> None:
    x = gn.arange(6)
    capsule = x.__dlpack__()
    structure(capsule).dl_tensor.byte_offset = 16
    structure(capsule).dl_tensor.shape[0] = 4
    assert gn.from_dlpack(capsule).tolist() == [2, 3, 4, 5]


def test_read_only_arrays_warn_once() -> None:
    y = np.arange(3)
    y.flags.writeable = False
    code = (
        "import warnings, numpy as np, gnomon as gn\n"
        "y = np.arange(3)\ny.flags.writeable = False\n"
        "with warnings.catch_warnings(record=True) as caught:\n"
        "    warnings.simplefilter('always')\n"
        "    x, z = gn.from_dlpack(y), gn.from_dlpack(y)\n"
        "print(len(caught), 'read-only' in str(caught[0].message), x.tolist())\n"
    )
    assert child(code) == "1 True [0, 1, 2]\n"


ERRORS = [
    (lambda: gn.ones(2, requires_grad=True).__dlpack__(), BufferError, "require gradient, use tensor.detach"),
    (lambda: gn.eye(2).to_sparse().__dlpack__(), BufferError, "layout other than gnomon.strided"),
    (lambda: gn.ones(2, device="meta").__dlpack__(), BufferError, "Cannot pack tensors on meta"),
    (lambda: gn.ones(2, device="meta").__dlpack_device__(), BufferError, "Cannot pack tensors on meta"),
    (lambda: gn.ones(2).__dlpack__(stream=1), BufferError, "'stream' must be None"),
    (lambda: gn.ones(2).__dlpack__(max_version="1"), TypeError, "'max_version' must be a tuple of two ints"),
    (lambda: gn.ones(2).__dlpack__(max_version=()), TypeError, "'max_version' must be a tuple of two ints"),
    (lambda: gn.ones(2).__dlpack__(dl_device=1), TypeError, "'dl_device' must be a tuple of two ints"),
    (lambda: gn.ones(2).__dlpack__(copy="no"), TypeError, "'copy' must be bool or None, got str"),
    (lambda: gn.from_dlpack(gn.ones(2), copy=1), TypeError, "'copy' must be bool or None, got int"),
    (lambda: gn.ones(2).__dlpack__(stream="a"), TypeError, "'stream' must be int or None, got str"),
    (lambda: gn.ones(2).__dlpack__(dl_device=(10, 0)), BufferError, "no device of DLPack's type 10"),
    (
        lambda: gn.ones(2).__dlpack__(dl_device=(10, 0), copy=False),
        BufferError,
        "needs a copy, got copy=False",
    ),
    (
        lambda: gn.quantize_per_tensor(gn.ones(2), 1.0, 0, gn.qint8).__dlpack__(),
        BufferError,
        "not supported by dlpack",
    ),
    (lambda: gn.utils.dlpack.to_dlpack(3), TypeError, "'tensor' must be Tensor, got int"),
    (lambda: gn.from_dlpack(3), TypeError, "must have __dlpack__ or be a capsule, got int"),
    (lambda: gn.from_dlpack(3, copy=True), TypeError, "need an object with __dlpack__, got int"),
    (lambda: gn.from_dlpack(np.arange(3)[::-1]), BufferError, r"negative strides, got \(-1,\)"),
    (lambda: gn.from_dlpack(np.ones(2), device="meta"), BufferError, "meta does not take part in DLPack"),
]


@pytest.mark.parametrize(("call", "error", "text"), ERRORS)
def test_errors(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call()


def changed(**fields: Any) -> Any:
    capsule = gn.ones(2).__dlpack__(max_version=(1, 0))
    made = structure(capsule)
    for path, value in fields.items():
        *inner, name = path.split("__")
        target = made
        for each in inner:
            target = getattr(target, each)
        setattr(target, name, value)
    return capsule


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"major": 2}, "DLPack 2.1 is not supported"),
        ({"dl_tensor__dtype__lanes": 4}, "code 2 with 32 bits and 4 lanes"),
        ({"dl_tensor__dtype__bits": 128}, "code 2 with 128 bits"),
        ({"dl_tensor__dtype__code": 3}, "code 3 with 32 bits"),
        ({"dl_tensor__device__device_type": 8}, "no device of DLPack's type 8 with number 0"),
    ],
)
def test_a_refused_capsule_can_still_be_used_by_others(fields: dict[str, Any], text: str) -> None:
    capsule = changed(**fields)
    with pytest.raises(BufferError, match=text):
        gn.from_dlpack(capsule)
    assert '"dltensor_versioned"' in repr(capsule)


def test_a_capsule_with_sizes_but_without_data_is_refused() -> None:
    capsule = changed(dl_tensor__data=None)
    with pytest.raises(BufferError, match=r"the capsule has no data, but the sizes \("):
        gn.from_dlpack(capsule)
    assert '"dltensor_versioned"' in repr(capsule)
    assert gn.from_dlpack(gn.empty(0, 3)).shape == (0, 3)  # none is needed


# ---- lifetimes


def watched() -> tuple[Any, Any]:
    x = gn.ones(3)
    return x, weakref.ref(x.untyped_storage())


def test_memory_lives_as_long_as_its_consumer(device: str) -> None:
    x, storage = watched()
    y = np.from_dlpack(x)
    del x
    gc.collect()
    assert storage() is not None and y.tolist() == [1, 1, 1]
    del y
    gc.collect()
    assert storage() is None


def test_the_consumer_outlives_a_storage_that_grows(device: str) -> None:
    x = gn.ones(3)
    y = np.from_dlpack(x)
    x.resize_(100_000)
    x.fill_(2)
    assert y.tolist() == [1, 1, 1]


def test_an_unused_capsule_frees_what_it_has(device: str) -> None:
    for version in (None, (1, 0)):
        x, storage = watched()
        capsule = x.__dlpack__(max_version=version)
        del x
        gc.collect()
        assert storage() is not None
        del capsule
        gc.collect()
        assert storage() is None


def test_a_refused_array_is_freed() -> None:
    x, storage = watched()
    capsule = x.__dlpack__(max_version=(1, 0))
    structure(capsule).major = 2
    with pytest.raises(BufferError):
        gn.from_dlpack(capsule)
    del x, capsule
    gc.collect()
    assert storage() is None


def test_arrays_of_others_live_as_long_as_the_tensor(device: str) -> None:
    class Array(np.ndarray):
        pass

    y = np.arange(3.0).view(Array)
    there = weakref.ref(y)
    x = gn.from_dlpack(y)
    part = x[1:]
    del y, x
    gc.collect()
    assert there() is not None and part.tolist() == [1, 2]
    del part
    gc.collect()
    assert there() is None


def test_empty_arrays_are_released_at_once() -> None:
    class Array(np.ndarray):
        pass

    y = np.empty((2, 0, 3)).view(Array)
    there = weakref.ref(y)
    x = gn.from_dlpack(y)
    assert x.shape == (2, 0, 3)
    del y
    gc.collect()
    assert there() is None


@pytest.mark.parametrize("consumer", ["nobody", "numpy", "gnomon"])
@pytest.mark.parametrize("version", [None, (1, 0)])
def test_memory_is_freed_while_an_exception_is_raised(consumer: str, version: Any) -> None:
    def made(x: Any) -> Any:
        capsule = x.__dlpack__(max_version=version)
        return {"nobody": lambda: capsule, "numpy": lambda: taken_by_numpy(x, capsule)}.get(
            consumer, lambda: gn.from_dlpack(capsule)
        )()

    def taken_by_numpy(x: Any, capsule: Any) -> Any:
        class Producer:
            def __dlpack__(self, **_: Any) -> Any:
                return capsule

            def __dlpack_device__(self) -> Any:
                return x.__dlpack_device__()

        return np.from_dlpack(Producer())  # type: ignore[arg-type]

    x, storage = watched()
    with pytest.raises(KeyError, match="missing"):
        made(x), {}["missing"]  # the tuple's first element is dropped by the error
    with pytest.raises(ZeroDivisionError):
        [made(x), 1 / 0]
    with pytest.raises(RuntimeError, match="given back"):

        def generator(x: Any = x) -> Any:
            held = made(x)
            yield
            raise RuntimeError(f"given back {type(held) is not None}")

        there = generator()
        next(there)
        next(there)
    there = generator()
    next(there)
    there.close()  # GeneratorExit passes through the frame that holds it
    with pytest.raises(ValueError, match="invalid literal"):
        int(str(made(x))) if consumer == "nobody" else int([made(x)] and "x")
    del x, there, generator
    gc.collect()
    assert storage() is None


def test_memory_is_freed_where_threads_end() -> None:
    found, local = [], threading.local()

    def work() -> None:
        x, storage = watched()
        found.append(storage)
        local.held = [x.__dlpack__(), np.from_dlpack(x)]  # freed with the thread
        cycle: list[Any] = [x.__dlpack__(), np.from_dlpack(x)]
        cycle.append(cycle)
        try:
            raise KeyError(x.__dlpack__())
        except KeyError:
            del x, cycle
            gc.collect()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    gc.collect()
    assert len(found) == 4 and all(storage() is None for storage in found)


def test_a_deleter_is_called_once_from_another_thread_without_the_lock() -> None:
    x, storage = watched()
    capsule = x.__dlpack__(max_version=(1, 0))
    made = structure(capsule)
    layout.mark_used(capsule, True)
    del x, capsule
    gc.collect()
    delete = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(made.deleter)  # such a call gives up the lock
    thread = threading.Thread(target=delete, args=(ctypes.addressof(made),))
    thread.start()
    thread.join()
    gc.collect()
    assert storage() is None


def test_threads_that_free_what_others_made() -> None:
    storages = []

    def free(arrays: list[Any]) -> None:
        while arrays:
            arrays.pop()

    for _ in range(20):
        made = [watched() for _ in range(50)]
        storages += [storage for _, storage in made]
        halves = [[np.from_dlpack(x) for x, _ in made[::2]], [np.from_dlpack(x) for x, _ in made[1::2]]]
        del made
        threads = [threading.Thread(target=free, args=(half,)) for half in halves]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    gc.collect()
    assert all(storage() is None for storage in storages)


def child(code: str) -> str:
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=LONG_LIMIT, check=False
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    return ran.stdout


AT_EXIT = """
import numpy as np, gnomon as gn, sys
x = gn.arange(1000.0)
{made}
sys.keep = made         # the interpreter itself refers to it
print("end")
"""


@pytest.mark.parametrize(
    "made",
    [
        "made = np.from_dlpack(x)",
        "made = x.__dlpack__()",
        "made = x.__dlpack__(max_version=(1, 0))",
        "made = gn.from_dlpack(np.arange(1000))",
        "made = gn.from_dlpack(x)",
        "made = [np.from_dlpack(x), gn.from_dlpack(x)]; made.append(made)",
    ],
)
def test_the_interpreter_ends_while_capsules_and_arrays_live(made: str) -> None:
    assert child(AT_EXIT.format(made=made)) == "end\n"


def test_a_deleter_after_the_interpreter_has_ended() -> None:
    code = (
        "import ctypes, gnomon as gn\nfrom gnomon.interop import dlpack_layout as layout\n"
        "x = gn.arange(10)\ncapsule = x.__dlpack__()\n"
        "made = layout.MANAGED[False].from_address(layout.structure_in(capsule)[1])\n"
        "layout.mark_used(capsule, False)\n"
        "register = ctypes.CDLL(None).__cxa_atexit\n"
        "register.argtypes = [ctypes.c_void_p] * 3\n"
        "register(made.deleter, ctypes.addressof(made), None)  # it runs after Python\n"
        "print('end')\n"
    )
    assert child(code) == "end\n"


def test_fork_with_live_arrays() -> None:
    code = (
        "import os, sys, warnings, numpy as np, gnomon as gn\nwarnings.simplefilter('ignore')\n"
        "x = gn.arange(10)\ny = np.from_dlpack(x)\nz = gn.from_dlpack(np.arange(10))\n"
        "child = os.fork()\n"
        "x += 1\n"
        "same = y.tolist() == x.tolist() == list(range(1, 11)) and z.tolist() == list(range(10))\n"
        "del x, y, z\n"
        "if child == 0:\n    sys.exit(0 if same else 1)\n"
        "print(same, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    )
    assert child(code) == "True 0\n"


# ---- the array interfaces, and buffers


@pytest.mark.parametrize("name", SHARED)
def test_array_interface(name: str, device: str) -> None:
    x = gn.tensor([[1, 0, 3], [0, 5, 6]]).to(getattr(gn, name))[:, 1:].t()
    interface = x.__array_interface__
    assert interface["data"] == (x.data_ptr(), False) and interface["version"] == 3
    assert interface["shape"] == (2, 2) and interface["strides"] == (x.itemsize, 3 * x.itemsize)
    assert interface["typestr"] == np.dtype(name).str

    class Holder:
        __array_interface__ = interface

    assert np.asarray(Holder()).tolist() == x.tolist()


NO_ARRAYS = [
    (lambda: gn.ones(2, requires_grad=True), "requires grad"),
    (lambda: gn.ones(2, dtype=gn.bfloat16), "bfloat16"),
    (lambda: gn.ones(2, device="meta"), "meta"),
]


@pytest.mark.parametrize(("make", "text"), NO_ARRAYS)
def test_tensors_without_an_array_interface(make: Any, text: str) -> None:
    with pytest.raises(AttributeError, match=text):
        _ = make().__array_interface__
    with pytest.raises(BufferError, match=text):
        make().__buffer__(0)


def test_tensors_are_still_told_from_arrays() -> None:
    x = gn.tensor([3.0, -7, -7]).as_strided((2, 3), (0, 1))
    y = gn.tensor([3.0, 8, -7]).as_strided((2, 3), (0, 1))
    assert (x == y).stride() == gn.eq(x, y).stride() == (3, 1)  # a copy of y would give (1, 2)
    assert gn.isclose(x, y).stride() == (3, 1)
    x = gn.arange(3.0, requires_grad=True)
    assert (x == x).tolist() == [True] * 3 and x[x > 0].tolist() == x[gn.tensor([1, 2])].tolist() == [1, 2]
    assert gn.where(x > 1, x, 0).tolist() == [0, 0, 2] and type(x == gn.ones(3)) is gn.Tensor
    assert gn.tensor([gn.tensor(1), gn.tensor(2.5)]).tolist() == [1, 2.5]
    x = gn.ones(2)
    assert gn.as_tensor(x) is x and gn.asarray(x) is x
    with pytest.raises(RuntimeError, match="requires grad"):
        np.asarray(gn.ones(2, requires_grad=True))
    with pytest.raises(TypeError, match="bfloat16"):
        np.asarray(gn.ones(2, dtype=gn.bfloat16))


def has_buffers(tier: str) -> bool:
    """From Python 3.12 on every class can have buffers; before, only those that are written in C."""
    return sys.version_info >= (3, 12) or tier == "speedups"


def test_buffers(device: str, tier: str) -> None:
    x = gn.arange(6, dtype=gn.float32).reshape(2, 3).t()
    if not has_buffers(tier):
        with pytest.raises(TypeError, match="bytes-like object is required"):
            memoryview(x)
        return
    view = memoryview(x)
    assert (view.format, view.shape, view.strides, view.readonly) == ("f", (3, 2), (4, 12), False)
    assert view.tolist() == x.tolist()
    view[2, 1] = 7.5
    assert x[2, 1].item() == 7.5
    assert np.asarray(x).ctypes.data == x.data_ptr()
    assert gn.frombuffer(x.t(), dtype=gn.float32).tolist() == [0, 1, 2, 3, 4, 7.5]
    with pytest.raises(BufferError, match="requires grad"):
        memoryview(gn.ones(2, requires_grad=True))


def test_a_buffer_keeps_the_memory(tier: str) -> None:
    if not has_buffers(tier):
        return
    x = gn.ones(3)
    view = memoryview(x)
    with pytest.raises(RuntimeError, match="Trying to resize storage that is not resizable"):
        x.resize_(100_000)
    del x
    gc.collect()
    assert view.tolist() == [1, 1, 1]


def test_cuda_array_interface_is_for_gpus() -> None:
    with pytest.raises(AttributeError, match="on non-CUDA tensor type"):
        _ = gn.ones(2).__cuda_array_interface__


def test_device_types() -> None:
    assert gn.ones(2).__dlpack_device__() == (DLDeviceType.kDLCPU, 0)
    assert isinstance(gn.ones(2).__dlpack_device__()[0], DLDeviceType)
