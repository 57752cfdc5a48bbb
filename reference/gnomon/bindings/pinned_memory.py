"""Pinned memory: host memory that an accelerator reads and writes without the processor.

The accelerator's backend provides it (``Backend.pin_memory``).

Source: aten/src/ATen/native/Memory.cpp, torch/storage.py (pin_memory, is_pinned).
"""

from __future__ import annotations

from typing import Any

from .. import accelerator
from ..memory.backend import Backend, backend_of, get_backend, reference_backend, resolve_device
from ..memory.contract import offers_of
from ..memory.storage import Storage
from ..memory.tensor import Tensor, make_tensor
from ..values.device import device as device_type
from ..values.errors import warn
from .tensor_types import NAMES


def _accelerator(name: str, device: Any) -> Backend:
    """The backend of the accelerator; ``device`` is deprecated.

    Raises RuntimeError if there is none, or if ``device`` is no accelerator.
    """
    if device is None:
        found = accelerator.current_accelerator()
        if found is None:
            raise RuntimeError("Cannot access accelerator device when none is available.")
        return get_backend(found.type)
    _warn_of_device(name)
    backend = backend_of(resolve_device(device))
    if backend.host_memory or device_type(device).type == "meta":
        raise RuntimeError(f"{device_type(device).type.upper()} device type not an accelerator.")
    return backend


def _warn_of_device(name: str) -> None:
    warn(
        f"The argument 'device' of Tensor.{name}() is deprecated. Please do not pass this argument.",
        DeprecationWarning,
    )


def _pinned_storage(host: device_type, nbytes: int, provider: Backend) -> Storage:
    view = offers_of(provider).pin_memory(nbytes)
    if view is None:
        raise RuntimeError(f"backend {provider.name!r} has no pinned memory")
    backend = backend_of(host)
    memory = backend.wrap_host_memory(view, reference_backend.address(view))
    if memory is None:
        raise RuntimeError(f"backend {backend.name!r} can not use memory that it did not allocate")
    made = Storage(backend, host, memory, nbytes)
    made._is_pinned = True
    return made


def _type_name(tensor: Tensor) -> str:
    """PyTorch's name of the kind of tensor, as in its errors."""
    name = next(name for name, kind in NAMES.items() if kind is tensor.dtype).removesuffix("Tensor")
    return f"{'CUDA' if tensor.is_cuda else tensor.device.type.capitalize()}{name}Type"


def pin_memory(self: Tensor, device: Any = None) -> Tensor:
    """This tensor with its elements in pinned memory, itself if they are; ``device`` is deprecated.

    The copy has the same sizes and strides.  Raises RuntimeError without an accelerator, and for a tensor
    that is not in host memory.  Source: torch.Tensor.pin_memory.
    """
    if is_pinned(self, device):
        return self
    if not self.is_cpu:
        raise RuntimeError(f"cannot pin '{_type_name(self)}' only dense CPU tensors can be pinned")
    spec = self._spec
    storage = _pinned_storage(spec.device, spec.extent_nbytes, _accelerator("pin_memory", device))
    return make_tensor(spec, storage).copy_(self)


def is_pinned(self: Tensor, device: Any = None) -> bool:
    """Is the storage in pinned memory?  ``device`` is deprecated.  Source: torch.Tensor.is_pinned."""
    if device is not None:
        _warn_of_device("is_pinned")
    storage = self._storage
    return storage is not None and storage._is_pinned


def pin_storage(self: Storage, device: Any = None) -> Storage:
    """A copy of this storage in pinned memory, itself if it is there; ``device`` is deprecated.

    Raises RuntimeError without an accelerator, and for memory that is not the host's.  Source:
    torch.UntypedStorage.pin_memory.
    """
    if is_storage_pinned(self, device):
        return self
    if not self.backend.host_memory:
        raise RuntimeError(f"cannot pin '{self.device}' only CPU memory can be pinned")
    made = _pinned_storage(self.device, self.nbytes(), _accelerator("pin_memory", device))
    made.copy_from(self, self.nbytes())
    return made


def is_storage_pinned(self: Storage, device: Any = None) -> bool:
    """Is this pinned memory?  ``device`` is deprecated.  Source: torch.UntypedStorage.is_pinned."""
    if device is not None:
        _warn_of_device("is_pinned")
    return self._is_pinned


Storage.pin_memory = pin_storage  # type: ignore[attr-defined]
Storage.is_pinned = is_storage_pinned  # type: ignore[attr-defined]
