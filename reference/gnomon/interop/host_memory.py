"""Tensors on host memory that another library owns."""

from __future__ import annotations

from typing import Any

from ..memory.backend import backend_of, reference_backend
from ..memory.spec import Spec, spec_of
from ..memory.storage import Storage
from ..memory.tensor import Tensor, make_tensor
from ..values.device import device
from ..values.speedups import speedups


def foreign_bytes(address: int, nbytes: int, owner: Any) -> Any:
    """A buffer of the bytes at an address, writable, which keeps ``owner`` alive."""
    import ctypes  # imported only when another library's memory is used

    raw: Any = (ctypes.c_uint8 * nbytes).from_address(address)
    raw._owner = owner
    return raw


def on_host_memory(spec: Spec, data: memoryview, address: int) -> Tensor:
    """A tensor on the bytes of ``data``, at ``address``, without a copy.

    It is on the spec's device, or on ``reference`` if that can not use memory that it did not allocate.
    """
    storage = storage_on_host_memory(spec, data, address)
    if storage.device is not spec.device:
        spec = spec_of(spec.sizes, spec.strides, spec.dtype, storage.device)
    return make_tensor(spec, storage)


def storage_on_host_memory(spec: Spec, data: memoryview, address: int) -> Storage:
    """The storage of that tensor."""
    backend, where = backend_of(spec.device), spec.device
    memory = backend.wrap_host_memory(data, address) if backend.host_memory else None
    if memory is None:
        backend, where = reference_backend, device("reference")
        memory = backend.wrap_host_memory(data, address)
    storage = Storage(backend, where, memory, data.nbytes)
    storage.keep_size()
    return storage


if speedups is not None:
    foreign_bytes = speedups.foreign_bytes
