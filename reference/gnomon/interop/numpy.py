"""Conversion between NumPy arrays and tensors, with shared memory.

Source: torch/csrc/utils/tensor_numpy.cpp.
"""

from __future__ import annotations

import functools
from typing import Any

from ..dispatch.mode import is_grad_enabled
from ..memory.backend import get_default_device, resolve_device
from ..memory.spec import Spec, spec_of
from ..memory.tensor import Tensor, empty_tensor
from ..values import dtype as dtypes
from ..values import geometry
from ..values.device import device
from ..values.dtype import dtype
from ..values.errors import type_name, warn
from .host_memory import foreign_bytes, on_host_memory

_NUMPY_NAMES = {
    "bool": dtypes.bool_,
    "uint8": dtypes.uint8,
    "uint16": dtypes.uint16,
    "uint32": dtypes.uint32,
    "uint64": dtypes.uint64,
    "int8": dtypes.int8,
    "int16": dtypes.int16,
    "int32": dtypes.int32,
    "int64": dtypes.int64,
    "float16": dtypes.float16,
    "float32": dtypes.float32,
    "float64": dtypes.float64,
    "complex64": dtypes.complex64,
    "complex128": dtypes.complex128,
}

_known: dict[Any, dtype] = {}  # a cache by NumPy dtype, because computing its name is slow

_CAST_FORMATS = frozenset("?bBhHiIlLqQfd")  # formats that memoryview.cast supports


def as_array(data: Any) -> Any:
    """Converts any object to a NumPy array, by NumPy's protocols."""
    import numpy

    return numpy.asarray(data)


def stacked(arrays: Any) -> Any:
    """The arrays, which are alike, along a new first dimension."""
    import numpy

    return numpy.array(arrays)


def bytes_of(view: memoryview) -> Any:
    """A NumPy array of bytes that shares the memory of a buffer."""
    import numpy

    return numpy.frombuffer(view, numpy.uint8)


def dtype_from_numpy(array: Any) -> dtype:
    """gnomon's dtype for an array's elements.  Raises TypeError if there is none."""
    known = _known.get(array.dtype)
    if known is not None:
        return known
    found = _NUMPY_NAMES.get(array.dtype.name)
    if not array.dtype.isnative:
        raise ValueError(
            "given numpy array has byte order different from the native byte order; convert it first"
        )
    if found is None:
        raise TypeError(
            f"can't convert np.ndarray of type {array.dtype}. The only supported types are: "
            f"{', '.join(_NUMPY_NAMES)}, in native byte order."
        )
    _known[array.dtype] = found
    return found


def _check_strides(strides: tuple[int, ...]) -> None:
    if any(stride < 0 for stride in strides):
        raise ValueError(
            "At least one stride in the given numpy array is negative, and tensors with negative strides "
            "are not currently supported. (You can probably work around this by making a copy of your array "
            "with array.copy().)"
        )


def from_numpy(array: Any, named: str = "NumPy array") -> Tensor:
    """A tensor that shares the array's memory; ``named`` is how a warning calls the array.

    It is on the default device, or on ``reference`` if the default device can not use foreign memory.  A
    read-only array causes a warning, once per process, because the tensor is writable.  Raises TypeError for
    another object or an unsupported dtype, ValueError for strides that are negative or not a multiple of the
    element size.
    """
    import numpy

    if not isinstance(array, numpy.ndarray):
        raise TypeError(f"expected np.ndarray (got {type_name(array)})")
    kind = dtype_from_numpy(array)
    where = get_default_device()
    spec = _shared_spec(array.shape, array.strides, kind, where)
    if not array.flags.writeable:
        _warn_not_writable(named)
    nbytes = spec.extent_nbytes
    if nbytes == 0:
        return empty_tensor(spec)
    view = memoryview(array)  # type: ignore[arg-type]  # its type is a buffer only from Python 3.12 on
    return on_host_memory(spec, *memory_of(view, nbytes))


def memory_of(view: memoryview, nbytes: int) -> tuple[memoryview, int]:
    """The ``nbytes`` bytes of an array that ``view`` shows, as a buffer that keeps it, and their address."""
    import ctypes

    if view.c_contiguous and view.format in _CAST_FORMATS and not view.readonly:
        data = view.cast("B")
        return data, ctypes.addressof(ctypes.c_char.from_buffer(data))
    array: Any = view.obj
    pointer = array.__array_interface__["data"][0]
    return memoryview(foreign_bytes(pointer, nbytes, array)).cast("B"), pointer


@functools.lru_cache(1024)
def _shared_spec(shape: tuple[int, ...], strides: tuple[int, ...], kind: dtype, where: device) -> Spec:
    """The spec of a tensor that shares an array's memory; NumPy's strides count bytes."""
    _check_strides(strides)
    if any(stride % kind.itemsize for stride in strides):
        raise ValueError(
            "given numpy array strides not a multiple of the element byte size. Copy the numpy array first."
        )
    return spec_of(shape, tuple([stride // kind.itemsize for stride in strides]), kind, where)


def shareable(array: Any) -> Any:
    """An array as it is if its strides and the order of its bytes can be a tensor's, else as a copy."""
    kind, itemsize = array.dtype, array.dtype.itemsize
    if kind.isnative and not any(stride < 0 or stride % itemsize for stride in array.strides):
        return array
    return array.astype(kind.newbyteorder("="), order="C", copy=True)


def _warn_not_writable(what: str) -> None:
    """Warns that a tensor shares read-only memory; tensors have no read-only flag."""
    warn(
        f"The given {what} is not writable, but the tensor that shares its memory is: writing to the tensor "
        "is undefined behavior. Copy it first, or do not write to the tensor. This warning is shown once.",
        once=True,
    )


def copy_from_numpy(array: Any, kind: dtype | None, where: Any) -> Tensor:
    """A new dense tensor with a copy of the array's data, in the array's order of dimensions in memory."""
    import numpy

    array = numpy.asarray(array)
    found = dtype_from_numpy(array)
    order, spec = _copied_spec(array.shape, array.strides, found, resolve_device(where))
    dense: Any = numpy.ascontiguousarray(array.transpose(order))
    made = empty_tensor(spec)
    if array.size and made._spec.device.type != "meta":
        made.untyped_storage().copy_in(0, memoryview(dense).cast("B"))
    return made if kind in (None, found) else made.to(kind)


@functools.lru_cache(1024)
def _copied_spec(
    shape: tuple[int, ...], strides: tuple[int, ...], kind: dtype, where: device
) -> tuple[list[int], Spec]:
    """The order of an array's dimensions in memory, outermost first, and the spec of a dense copy in it."""
    _check_strides(strides)
    order = sorted(range(len(shape)), key=lambda dim: -abs(strides[dim]))
    own = [0] * len(shape)
    for dim, stride in zip(order, geometry.contiguous_strides([shape[dim] for dim in order])):
        own[dim] = stride
    return order, spec_of(shape, tuple(own), kind, where)


def to_numpy(tensor: Tensor, force: bool) -> Any:
    """See Tensor.numpy."""
    import numpy

    if force:
        tensor = tensor.detach()
    if tensor.requires_grad and is_grad_enabled():
        raise RuntimeError(
            "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
        )
    spec = tensor._spec
    if spec.dtype.name not in _NUMPY_NAMES:
        raise TypeError(f"Got unsupported ScalarType {spec.dtype.name}")
    storage = tensor.untyped_storage()
    if not storage.backend.host_memory and not force:
        raise TypeError(
            f"can't convert {spec.device} device type tensor to numpy. Use Tensor.cpu() to copy the tensor "
            "to host memory first."
        )
    kind, strides = kind_and_strides(spec)
    if spec.numel == 0:
        return numpy.empty(spec.sizes, kind)
    if storage.backend.host_memory:
        storage.keep_size()
    start = tensor._storage_offset * spec.dtype.itemsize
    return numpy.ndarray(spec.sizes, kind, storage.copy_out(), start, strides)


@functools.lru_cache(1024)
def kind_and_strides(spec: Spec) -> tuple[Any, tuple[int, ...]]:
    """The NumPy dtype, and NumPy's strides, which count bytes.  Raises TypeError for a dtype that NumPy
    lacks.
    """
    import numpy

    if spec.dtype.name not in _NUMPY_NAMES:
        raise TypeError(f"Got unsupported ScalarType {spec.dtype.name}")
    strides = tuple([stride * spec.dtype.itemsize for stride in spec.strides])
    return numpy.dtype(spec.dtype.name), strides
