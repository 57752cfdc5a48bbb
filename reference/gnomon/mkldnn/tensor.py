"""MkldnnTensor: the tensor of the opaque layout ``_mkldnn``, whose elements lie as its kernels want them.

Sizes and dtype are those of a strided tensor, but there are no strides: the elements are in a strided tensor
of other sizes, in the format that blocking.py describes.

Source: aten/src/ATen/OpaqueTensorImpl.h; aten/src/ATen/native/mkldnn/MKLDNNCommon.cpp.
"""

from __future__ import annotations

from typing import Any, NoReturn
from weakref import WeakValueDictionary

from ..memory.spec import Spec
from ..memory.storage import Storage
from ..memory.tensor import INFERENCE_VERSION, Tensor, bare_tensor, fill_slots
from ..memory.text import add_suffixes, device_suffixes, elements_text, heading, history_suffixes, is_implied
from ..values import geometry
from ..values.device import _mkldnn, device
from ..values.dispatch_key import AD_INPLACE_OR_VIEW, INFERENCE_MODE_BIT, MKLDNN_KEYS, mode_word
from ..values.dtype import dtype
from ..values.geometry import Ints, Size
from .blocking import Blocking, blocking_of


class MkldnnTensor(Tensor):
    """A tensor of layout ``gnomon._mkldnn``.  Created by ``to_mkldnn``, and by operators on such tensors.

    Operators on it run the kernels of the dispatch key Mkldnn, which compute with the strided tensor that it
    holds.
    """

    __slots__ = ("blocking", "held")

    held: Tensor
    blocking: Blocking

    is_mkldnn = True

    def stride(self, dim: int | None = None) -> Any:
        """Raises RuntimeError: one number for each dimension does not tell where elements are."""
        raise RuntimeError("opaque tensors do not have strides")

    def is_contiguous(self, memory_format: Any = None) -> bool:
        """True, unless another ``memory_format`` than contiguous_format is asked for."""
        return memory_format is None or memory_format.name == "contiguous_format"

    def untyped_storage(self) -> Storage:
        """Raises NotImplementedError: the memory is that of the blocks."""
        raise NotImplementedError("Cannot access storage of OpaqueTensorImpl")

    def data_ptr(self) -> int:
        """Raises RuntimeError: the elements are not where an address and strides would say."""
        raise RuntimeError("Cannot access data pointer of Tensor that doesn't have storage")

    def _take_data(self, source: Any) -> None:
        self._spec, self.held, self.blocking = source._spec, source.held, source.blocking

    def _take_view(self, view: Any) -> None:
        self._take_data(view)

    def tolist(self) -> Any:
        """Raises RuntimeError, as PyTorch does; ``to_dense().tolist()`` gives all elements."""
        return self.data_ptr()

    def numpy(self, *, force: bool = False) -> Any:
        """Raises TypeError: NumPy has no opaque arrays."""
        raise TypeError("can't convert Mkldnn layout tensor to numpy. Use Tensor.to_dense() first.")

    def __repr__(self) -> str:
        spec, prefix = self._spec, "tensor("
        suffixes = device_suffixes(self)
        if not spec.numel and spec.ndim != 1:
            suffixes.append(f"size={tuple(spec.sizes)}")
        if not is_implied(spec.dtype):
            suffixes.append(f"dtype={spec.dtype!r}")
        suffixes += [f"layout={spec.layout!r}", *history_suffixes(self)]
        text = heading(self) + prefix + elements_text(dense(self), len(prefix))
        return add_suffixes(text, suffixes, len(prefix)) + ")"

    __str__ = __repr__


_interned: WeakValueDictionary[Any, Spec] = WeakValueDictionary()


def mkldnn_spec(sizes: Ints, dtype: dtype, device: device) -> Spec:
    """The spec of an opaque tensor; its strides are zeros, since no strides reach its elements."""
    key = (sizes, dtype, device)
    spec = _interned.get(key)
    if spec is None:
        spec = Spec()
        spec.sizes, spec.strides, spec.shape = sizes, (0,) * len(sizes), Size(sizes)
        spec.dtype, spec.device, spec.layout = dtype, device, _mkldnn
        spec.ndim, spec.numel = len(sizes), geometry.numel_of(sizes)
        spec.is_contiguous, spec.extent_nbytes = False, 0
        spec = _interned.setdefault(key, spec)
    return spec


def make_mkldnn(held: Tensor, sizes: Ints, blocking: Blocking) -> MkldnnTensor:
    """The tensor of these sizes that holds ``held``, its elements in the format ``blocking``."""
    made: Any = bare_tensor(MkldnnTensor)
    is_inference = mode_word() & INFERENCE_MODE_BIT
    keys = MKLDNN_KEYS & ~AD_INPLACE_OR_VIEW if is_inference else MKLDNN_KEYS
    spec = mkldnn_spec(tuple(sizes), held._spec.dtype, held._spec.device)
    fill_slots(made, spec, None, 0, keys, INFERENCE_VERSION if is_inference else None)
    made.held, made.blocking = held, blocking
    return made


def packed(tensor: Tensor, blocking: Blocking | None = None) -> MkldnnTensor:
    """The opaque tensor with the elements of a strided one; by default in the format for its sizes."""
    sizes = tensor._spec.sizes
    blocking = blocking or blocking_of(sizes)
    return make_mkldnn(blocking.pack(tensor), sizes, blocking)


def dense(tensor: Tensor) -> Tensor:
    """The strided tensor with the same elements; a strided tensor itself."""
    if not isinstance(tensor, MkldnnTensor):
        return tensor
    return tensor.blocking.unpack(tensor.held, tensor._spec.sizes)


def like(tensor: MkldnnTensor, held: Tensor) -> MkldnnTensor:
    """A tensor with the sizes and the format of ``tensor`` that holds ``held``."""
    return make_mkldnn(held, tensor._spec.sizes, tensor.blocking)


def held_as(tensor: MkldnnTensor, other: MkldnnTensor) -> Tensor:
    """The elements of ``tensor``, which has the sizes of ``other``, in the format of ``other``."""
    if tensor.blocking is other.blocking:
        return tensor.held
    return other.blocking.pack(dense(tensor))


def become(target: MkldnnTensor, result: MkldnnTensor) -> None:
    """Write the elements of ``result`` to ``target``, and so to all tensors that hold the same memory.

    Raises RuntimeError for other sizes.
    """
    if target._spec.sizes != result._spec.sizes:
        raise RuntimeError(
            f"expected an output of sizes {list(result._spec.sizes)} for a result of layout Mkldnn, but got "
            f"{list(target._spec.sizes)}"
        )
    target.held.copy_(held_as(result, target))


def opaque_operand(tensor: Tensor) -> MkldnnTensor:
    """``tensor``.  Raises RuntimeError if it is strided."""
    return tensor if isinstance(tensor, MkldnnTensor) else _refuse_strided()


def _refuse_strided() -> NoReturn:
    raise RuntimeError("itensor_from_mkldnn expects MKL-DNN tensor input")
