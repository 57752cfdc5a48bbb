"""Exchange of tensors with other libraries by DLPack, without a copy.

Source: aten/src/ATen/DLConvertor.cpp, torch.utils.dlpack, torch.Tensor.__dlpack__.
"""

from __future__ import annotations

import functools
from typing import Any

from ..memory.backend import backend_of, backend_status, get_default_device, opened_backends, resolve_device
from ..memory.contract import Backend, offers_of
from ..memory.spec import Spec, spec_of
from ..memory.storage import Storage
from ..memory.tensor import Tensor, empty_tensor, make_tensor
from ..values import geometry
from ..values.device import device, strided
from ..values.errors import type_name, warn
from .dlpack_device import ON_HOST, DLDeviceType
from .dlpack_layout import (
    CODES,
    DTYPES,
    IS_COPIED,
    READ_ONLY,
    VERSION,
    Opened,
    new_capsule,
    opened,
    taken,
)
from .host_memory import on_host_memory

# ---- to other libraries ------------------------------------------------------------------------------------


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
    tensor, spec = tensor.detach(), tensor._spec
    memory = tensor.untyped_storage().memory  # a storage that grows continues on other memory
    code, bits = CODES[spec.dtype]
    return new_capsule(
        (tensor, memory),
        tensor.data_ptr() if spec.numel else 0,
        spec.sizes,
        spec.strides,
        code,
        bits,
        int(place[0]),
        place[1],
        max_version is not None and max_version[0] >= VERSION[0],
        IS_COPIED if is_copied else 0,
    )


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
    if tensor.layout is not strided:
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
    given = Opened(*found)
    if given.version is not None and given.version[0] != VERSION[0]:
        raise BufferError(
            f"from_dlpack: DLPack {given.version[0]}.{given.version[1]} is not supported, only 1"
        )
    where = _place(given, target or own)
    spec = _spec_of(given.code, given.bits, given.lanes, given.sizes, given.strides, where)
    if given.flags & READ_ONLY:
        warn(
            "from_dlpack: the array is read-only, but the tensor that shares its memory is not: writing to "
            "the tensor is undefined behavior. Copy it first, or do not write to the tensor. This warning is "
            "shown once.",
            once=True,
        )
    if spec.extent_nbytes and not given.address:
        raise BufferError(f"from_dlpack: the capsule has no data, but the sizes {tuple(given.sizes)}")
    return _sharing(spec, given.address, taken(capsule, given.address, spec.extent_nbytes))


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


def _place(found: Opened, target: device | None) -> device:
    """The device of a tensor on memory of this device."""
    if found.device_type not in ON_HOST:
        return _device_for((found.device_type, found.device_id))
    where = get_default_device() if target is None else target
    return where if backend_of(where).host_memory else device("cpu")


@functools.lru_cache(1024)
def _spec_of(
    code: int, bits: int, lanes: int, sizes: tuple[int, ...], strides: tuple[int, ...] | None, where: device
) -> Spec:
    """The spec of a tensor with DLPack's sizes, strides and dtype."""
    kind = DTYPES.get((code, bits)) if lanes == 1 else None
    if kind is None:
        raise BufferError(
            f"from_dlpack: gnomon has no dtype of DLPack's code {code} with {bits} bits and {lanes} lanes"
        )
    if strides is None:
        strides = tuple(geometry.contiguous_strides(sizes))
    if any(stride < 0 for stride in strides):
        raise BufferError(
            f"from_dlpack: tensors can not have negative strides, got {strides}: copy the array first, or "
            "pass copy=True"
        )
    return spec_of(sizes, strides, kind, where)


def _sharing(spec: Spec, address: int, owner: Any) -> Tensor:
    """The tensor on the memory at an address that ``owner`` releases, and is a buffer of."""
    nbytes = spec.extent_nbytes
    if nbytes == 0:
        return empty_tensor(spec)
    backend = backend_of(spec.device)
    if backend.host_memory:
        return on_host_memory(spec, memoryview(owner).cast("B"), address)
    memory = offers_of(backend).wrap_device_memory(address, nbytes, spec.device.index or 0, owner)
    if memory is None:
        raise BufferError(f"from_dlpack: device {spec.device} can not use memory that it did not allocate")
    storage = Storage(backend, spec.device, memory, nbytes)
    storage.keep_size()
    return make_tensor(spec, storage)
