"""Exchange of tensors' memory with other libraries: DLPack, NumPy's and CUDA's array interfaces, buffers.

Source: torch.utils.dlpack, torch.Tensor.__dlpack__, torch.Tensor.__cuda_array_interface__.
"""

from __future__ import annotations

from typing import Any

from ..memory.tensor import Tensor
from ..values.device import strided
from ..values.errors import type_name


def from_dlpack(ext_tensor: Any, *, device: Any = None, copy: bool | None = None) -> Tensor:
    """A tensor that shares the memory of another library's array.

    ext_tensor  an object with ``__dlpack__``, or a capsule, which can be used once
    device      where the tensor shall be; None: where the array is.  Host memory becomes a tensor of the
                default device, or of ``reference`` if the default device can not use foreign memory
    copy        True: copy; False: never; None: if the array's library has to

    The sizes, strides and dtype are the array's.  Read-only memory causes a warning, once in a process,
    because tensors can be written to.  Raises BufferError for strides that are negative, a dtype or a device
    that gnomon does not have; RuntimeError for a used capsule; TypeError for other objects.  Source:
    torch.from_dlpack.
    """
    from ..interop import dlpack

    return dlpack.from_dlpack(ext_tensor, device, copy)


def from_torch(values: Any) -> Any:
    """PyTorch's tensors as gnomon's, which share their memory; see gnomon.interop.pytorch.from_torch."""
    from ..interop import pytorch

    return pytorch.from_torch(values)


def to_torch(values: Any) -> Any:
    """gnomon's tensors as PyTorch's, which share their memory; see gnomon.interop.pytorch.to_torch."""
    from ..interop import pytorch

    return pytorch.to_torch(values)


def to_dlpack(tensor: Tensor) -> Any:
    """A capsule, without a version, with the memory of a tensor.  It can be used once, by ``from_dlpack`` of
    any library.

    Raises BufferError like ``Tensor.__dlpack__``, TypeError for other objects.  Source:
    torch.utils.dlpack.to_dlpack.
    """
    if not isinstance(tensor, Tensor):
        raise TypeError(f"to_dlpack: argument 'tensor' must be Tensor, got {type_name(tensor)}")
    return dlpack(tensor)


def dlpack(
    self: Tensor,
    *,
    stream: int | None = -1,
    max_version: tuple[int, int] | None = None,
    dl_device: tuple[Any, int] | None = None,
    copy: bool | None = None,
) -> Any:
    """A capsule with the tensor's memory, for another library's ``from_dlpack``.

    stream       the consumer's stream of the tensor's device, by DLPack's numbers: the work that makes the
                 tensor precedes what follows in it; -1: the consumer takes care of that
    max_version  the highest version that the consumer knows; None: that of before versions
    dl_device    the type and the number of the device where the consumer wants the memory
    copy         True: of a copy; False: never of a copy

    Raises BufferError for a tensor that requires grad, has no strides, is on a device that does not take
    part, or would have to be copied with ``copy=False``; TypeError for arguments of other types.  Source:
    torch.Tensor.__dlpack__.
    """
    from ..interop.dlpack import to_capsule

    return to_capsule(self, stream, max_version, dl_device, copy)


def dlpack_device(self: Tensor) -> tuple[Any, int]:
    """The type and the number of the tensor's device in DLPack.

    Raises BufferError for a device that does not take part.  Source: torch.Tensor.__dlpack_device__.
    """
    from ..interop.dlpack import device_of

    return device_of(self)


def array_interface(self: Tensor) -> dict[str, Any]:
    """NumPy's description of an array in host memory, version 3.

    Raises AttributeError for a tensor that has none: on another device, that requires grad, or of a dtype
    that NumPy does not have.  Source: NumPy's array interface protocol.
    """
    interface: dict[str, Any] = _array(self, AttributeError).__array_interface__
    return interface


def array_struct(self: Tensor) -> Any:
    """The same as a capsule with a struct of C, which NumPy prefers because it is faster to read.

    Raises AttributeError for the tensors for which ``__array_interface__`` does.  Source: NumPy's array
    interface protocol, access in C.
    """
    return _array(self, AttributeError).__array_struct__


def _array(self: Tensor, error: type[Exception]) -> Any:
    """The tensor as a NumPy array, in place; ``error`` if there is none."""
    try:
        return Tensor.numpy(self)
    except (TypeError, RuntimeError) as problem:
        raise error(str(problem)) from None


def buffer(self: Tensor, flags: int = 0) -> memoryview:
    """The tensor's host memory by Python's buffer protocol: its sizes, strides and a format of ``struct``.

    Raises BufferError for the tensors for which ``__array_interface__`` raises AttributeError.  Source: PEP
    688.
    """
    return memoryview(_array(self, BufferError))


def cuda_array_interface(self: Tensor) -> dict[str, Any]:
    """The description of an array in a GPU's memory, version 2.

    Raises AttributeError for a tensor on another device or that has no strides, RuntimeError for one that
    requires grad.  Source: torch.Tensor.__cuda_array_interface__.
    """
    if self.device.type != "cuda" or self.layout is not strided:
        raise AttributeError(
            f"Can't get __cuda_array_interface__ on non-CUDA tensor type: {self.type()} If CUDA data is "
            "required use tensor.cuda() to copy tensor to device memory."
        )
    if self.requires_grad:
        raise RuntimeError(
            "Can't get __cuda_array_interface__ on Variable that requires grad. If gradients aren't "
            "required, use var.detach() to get Variable that doesn't require grad."
        )
    from ..interop.numpy import kind_and_strides

    kind, strides = kind_and_strides(self._spec)
    return {
        "typestr": kind.str,
        "shape": tuple(self.shape),
        "strides": None if self.is_contiguous() else strides,
        "data": (int(self._address) if self.numel() else 0, False),
        "version": 2,
    }
