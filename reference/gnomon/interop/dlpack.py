"""Exchange of tensors with other libraries by DLPack, without a copy.

Source: aten/src/ATen/DLConvertor.cpp, torch.utils.dlpack, torch.Tensor.__dlpack__.
"""

from __future__ import annotations

import atexit
import ctypes
from collections.abc import Callable
from typing import Any

from ..memory.backend import backend_of, backend_status, get_default_device, opened_backends, resolve_device
from ..memory.contract import Backend, offers_of
from ..memory.spec import Spec, spec_of
from ..memory.storage import Storage
from ..memory.tensor import Tensor, empty_tensor, make_tensor
from ..values import geometry
from ..values.device import device
from ..values.errors import type_name, warn
from ..values.speedups import speedups
from .dlpack_device import ON_HOST, DLDeviceType
from .dlpack_layout import (
    CODES,
    DTYPES,
    IS_COPIED,
    MANAGED,
    NAMES,
    READ_ONLY,
    VERSION,
    DLDataType,
    DLDevice,
    DLTensor,
    keep,
    mark_used,
    new_capsule,
    opened,
    opened_at,
)
from .host_memory import foreign_bytes, on_host_memory

# ---- to other libraries ------------------------------------------------------------------------------------


class _Exported:
    """A structure for a consumer, and what it points to.  The consumer owns a reference to this object."""

    __slots__ = ("__weakref__", "managed", "memory", "shape", "strides", "tensor")

    def __init__(self, tensor: Tensor, versioned: bool, is_copied: bool, place: tuple[int, int]):
        spec = tensor._spec
        integers = ctypes.c_int64 * len(spec.sizes)
        self.tensor = tensor
        self.shape, self.strides = integers(*spec.sizes), integers(*spec.strides)
        storage = tensor.untyped_storage()
        self.memory = storage.memory  # a storage that grows continues on other memory
        self.managed = managed = MANAGED[versioned]()
        code, bits = CODES[spec.dtype]
        pointer = ctypes.POINTER(ctypes.c_int64)
        managed.dl_tensor = DLTensor(
            tensor.data_ptr() if spec.numel else None,
            DLDevice(*place),
            len(spec.sizes),
            DLDataType(code, bits, 1),
            ctypes.cast(self.shape, pointer),
            ctypes.cast(self.strides, pointer),
            0,
        )
        managed.manager_ctx = id(self)
        managed.deleter = _functions()[versioned]
        if versioned:
            managed.major, managed.minor = VERSION
            managed.flags = IS_COPIED if is_copied else 0


def _functions() -> tuple[int, int, int]:
    """The addresses of the deleters without and with a version, and of the destructor of capsules."""
    global _found
    if _found is None:
        _found = _in_python() if speedups is None else speedups.dlpack_functions()
    return _found


_found: tuple[int, int, int] | None = None


def _in_python() -> tuple[int, int, int]:
    """The same functions without the C speedups.  They can not run after the interpreter has ended."""
    drop = ctypes.pythonapi.Py_DecRef

    def deleter(versioned: bool) -> Any:
        kind = MANAGED[versioned]
        return ctypes.CFUNCTYPE(None, ctypes.c_void_p)(
            lambda address: drop(ctypes.c_void_p(kind.from_address(address).manager_ctx))
        )

    deleters = (deleter(False), deleter(True))

    def end(capsule: int) -> None:
        found = opened_at(capsule)
        if found is not None:
            deleters[found[0]](found[1])

    functions = (*deleters, ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(end))
    for each in functions:
        keep(each)  # consumers may call them at any time
    atexit.register(_forget_deleters)
    first, second, third = (ctypes.cast(each, ctypes.c_void_p).value or 0 for each in functions)
    return first, second, third


_exported: Any = None  # a WeakSet of what consumers own, if the deleters are in Python


def _forget_deleters() -> None:
    """Without a deleter, a consumer leaves the memory to the end of the process."""
    for each in list(_exported or ()):
        each.managed.deleter = None


def device_of(tensor: Tensor) -> tuple[DLDeviceType, int]:
    """See Tensor.__dlpack_device__."""
    place = offers_of(backend_of(tensor._spec.device)).dlpack_device(tensor._spec.device.index or 0)
    if place is None:
        raise BufferError(f"Cannot pack tensors on {tensor._spec.device}")
    return DLDeviceType(place[0]), place[1]


def to_capsule(
    tensor: Tensor,
    stream: Any = -1,
    max_version: tuple[int, int] | None = None,
    dl_device: tuple[Any, int] | None = None,
    copy: bool | None = None,
) -> Any:
    """See Tensor.__dlpack__."""
    _check_arguments(stream, max_version, dl_device)
    _check_copy("__dlpack__", copy)
    _check_can_export(tensor)
    place = device_of(tensor)
    if stream not in (None, -1) and place[0] in ON_HOST:
        raise BufferError(f"__dlpack__: argument 'stream' must be None on {tensor.device}, got {stream}")
    is_copied = copy is True
    if dl_device is not None and (int(dl_device[0]), dl_device[1]) != place:
        if copy is False:
            raise BufferError(
                f"__dlpack__: {tensor.device} to {tuple(dl_device)} needs a copy, got copy=False"
            )
        tensor = tensor.to(_device_for(dl_device))
        place, is_copied = device_of(tensor), True
    elif is_copied:
        tensor = tensor.clone()
    if stream != -1 and place[0] not in ON_HOST:
        where = tensor._spec.device
        offers_of(backend_of(where)).dlpack_wait(where.index or 0, stream)
    versioned = max_version is not None and max_version[0] >= VERSION[0]
    made = _Exported(tensor.detach(), versioned, is_copied, place)
    if speedups is None:
        _remember(made)
    destructor = _functions()[2]
    keep(made)
    return new_capsule(ctypes.addressof(made.managed), NAMES[versioned], destructor)


def _remember(made: _Exported) -> None:
    global _exported
    if _exported is None:
        import weakref

        _exported = weakref.WeakSet()
    _exported.add(made)


def _check_arguments(stream: Any, max_version: Any, dl_device: Any) -> None:
    if stream is not None and type(stream) is not int:
        raise TypeError(f"__dlpack__: argument 'stream' must be int or None, got {type_name(stream)}")
    for name, pair in (("max_version", max_version), ("dl_device", dl_device)):
        is_pair = isinstance(pair, tuple) and len(pair) == 2 and all(isinstance(each, int) for each in pair)
        if pair is not None and not is_pair:
            raise TypeError(
                f"__dlpack__: argument {name!r} must be a tuple of two ints or None, got {pair!r}"
            )


def _check_copy(name: str, copy: Any) -> None:
    if copy is not None and not isinstance(copy, bool):
        raise TypeError(f"{name}: argument 'copy' must be bool or None, got {type_name(copy)}")


def _check_can_export(tensor: Tensor) -> None:
    if tensor.requires_grad:
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
    if str(tensor.layout) != "gnomon.strided":
        raise BufferError("Can't export tensors with layout other than gnomon.strided")
    if tensor.dtype not in CODES:
        raise BufferError(f"{tensor.dtype} is not supported by dlpack")


def _device_for(dl_device: tuple[Any, int]) -> device:
    """The device of gnomon with this type and number.  Raises BufferError if there is none."""
    kind, number = int(dl_device[0]), dl_device[1]
    if kind in ON_HOST:
        return device("cpu")
    for backend in _candidates(kind):
        for index in range(backend.device_count()):
            if offers_of(backend).dlpack_device(index) == (kind, number):
                return device(backend.device_type, index)
    raise BufferError(f"gnomon has no device of DLPack's type {kind} with number {number}")


def _candidates(kind: int) -> list[Backend]:
    """The backends that may have devices of a type: those in use, and CUDA's if that is wanted."""
    found = list(opened_backends())
    if kind == DLDeviceType.kDLCUDA and not any(each.device_type == "cuda" for each in found):
        cuda, is_there, _ = backend_status("cuda")
        found += [cuda] if cuda is not None and is_there else []
    return found


# ---- from other libraries ----------------------------------------------------------------------------------


class _Imported:
    """A structure that we own: releases it when nothing uses its memory any more."""

    __slots__ = ("_release",)

    def __init__(self, managed: Any):
        address, deleter = ctypes.addressof(managed), managed.deleter
        function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(deleter) if deleter else None
        self._release: Callable[[], None] = lambda: function(address) if function else None

    def __del__(self) -> None:
        self._release()


def from_dlpack(ext_tensor: Any, asked: Any, copy: bool | None) -> Tensor:
    """See gnomon.from_dlpack."""
    _check_copy("from_dlpack", copy)
    own = ext_tensor._spec.device if isinstance(ext_tensor, Tensor) else None
    target = None if asked is None else resolve_device(asked)
    if hasattr(ext_tensor, "__dlpack__"):
        capsule = _requested(ext_tensor, target, copy)
    elif asked is not None or copy is not None:
        raise TypeError(
            "from_dlpack: arguments 'device' and 'copy' need an object with __dlpack__, got "
            f"{type_name(ext_tensor)}"
        )
    else:
        capsule = ext_tensor
    found = opened(capsule)
    if found is None:
        if type(capsule).__name__ != "PyCapsule":
            raise TypeError(
                "from_dlpack: argument 'ext_tensor' must have __dlpack__ or be a capsule, got "
                f"{type_name(ext_tensor)}"
            )
        raise RuntimeError(
            "from_dlpack received an invalid capsule. Note that DLTensor capsules can be consumed only once, "
            "so you might have already constructed a tensor from it once."
        )
    versioned, address = found
    managed = MANAGED[versioned].from_address(address)
    if versioned and managed.major != VERSION[0]:
        raise BufferError(f"from_dlpack: DLPack {managed.major}.{managed.minor} is not supported, only 1")
    where = _place(managed.dl_tensor.device, target or own)
    spec = _spec_of(managed.dl_tensor, where)
    mark_used(capsule, versioned)
    owner = _Imported(managed)
    if versioned and managed.flags & READ_ONLY:
        warn(
            "from_dlpack: the array is read-only, but the tensor that shares its memory is not: writing to "
            "the tensor is undefined behavior. Copy it first, or do not write to the tensor. This warning is "
            "shown once.",
            once=True,
        )
    return _sharing(managed.dl_tensor, spec, owner)


def _requested(array: Any, target: device | None, copy: bool | None) -> Any:
    """The capsule of an array, by the arguments that its library knows."""
    wanted: dict[str, Any] = {}
    if copy is not None:
        wanted["copy"] = copy
    if target is not None:
        place = offers_of(backend_of(target)).dlpack_device(target.index or 0)
        if place is None:
            raise BufferError(f"from_dlpack: device {target} does not take part in DLPack")
        wanted["dl_device"] = (DLDeviceType(place[0]), place[1])
    kind, number = wanted.get("dl_device") or array.__dlpack_device__()
    if int(kind) not in ON_HOST:
        where = _device_for((kind, number))
        wanted["stream"] = offers_of(backend_of(where)).dlpack_stream(where.index or 0)
    try:
        return array.__dlpack__(**wanted, max_version=VERSION)
    except TypeError:  # a library of before DLPack 1.0
        return array.__dlpack__(**wanted)


def _place(found: Any, target: device | None) -> device:
    """The device of a tensor on memory of this device."""
    if found.device_type not in ON_HOST:
        return _device_for((found.device_type, found.device_id))
    where = get_default_device() if target is None else target
    return where if backend_of(where).host_memory else device("cpu")


def _spec_of(found: Any, where: device) -> Spec:
    """The spec of a tensor with this structure's sizes, strides and dtype."""
    dtype = found.dtype
    kind = DTYPES.get((dtype.code, dtype.bits)) if dtype.lanes == 1 else None
    if kind is None:
        raise BufferError(
            f"from_dlpack: gnomon has no dtype of DLPack's code {dtype.code} with {dtype.bits} bits and "
            f"{dtype.lanes} lanes"
        )
    sizes = tuple(found.shape[: found.ndim])
    strides = (
        tuple(found.strides[: found.ndim]) if found.strides else tuple(geometry.contiguous_strides(sizes))
    )
    if any(stride < 0 for stride in strides):
        raise BufferError(
            f"from_dlpack: tensors can not have negative strides, got {strides}: copy the array first, or "
            "pass copy=True"
        )
    return spec_of(sizes, strides, kind, where)


def _sharing(found: Any, spec: Spec, owner: _Imported) -> Tensor:
    """The tensor on the memory of a structure that ``owner`` releases."""
    nbytes = spec.extent_nbytes
    if nbytes == 0:
        return empty_tensor(spec)
    address = found.data + found.byte_offset
    backend = backend_of(spec.device)
    if backend.host_memory:
        return on_host_memory(spec, foreign_bytes(address, nbytes, owner), address)
    memory = offers_of(backend).wrap_device_memory(address, nbytes, spec.device.index or 0, owner)
    if memory is None:
        raise BufferError(f"from_dlpack: device {spec.device} can not use memory that it did not allocate")
    return make_tensor(spec, Storage(backend, spec.device, memory, nbytes))
