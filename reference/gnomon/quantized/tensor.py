"""QuantizedTensor: a tensor that holds integers and a quantizer, which says what numbers they represent.

Source: aten/src/ATen/quantized/QTensorImpl.h.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from ..memory.spec import spec_of
from ..memory.tensor import INFERENCE_VERSION, Tensor, VersionCounter, bare_tensor, fill_slots
from ..memory.text import add_suffixes, device_suffixes, elements_text
from ..values.dispatch_key import AD_INPLACE_OR_VIEW, INFERENCE_MODE_BIT, QUANTIZED_KEYS, mode_word
from ..values.dtype import QUANTIZED, dtype, float32
from .quantizer import PerChannelAffine, Quantizer

QUANTIZED_OF = {held: kind for kind, held in QUANTIZED.items()}


class QuantizedTensor(Tensor):
    """A tensor of dtype qint8, quint8 or qint32.  Created by ``gnomon.quantize_per_tensor``, for example.

    Its memory is that of ``held``, a strided tensor of int8, uint8 or int32 with the same geometry: operators
    on it run the kernels of the dispatch key Quantized, which compute with ``held`` and ``quantizer``.
    """

    __slots__ = ("held", "quantizer")

    held: Tensor
    quantizer: Quantizer

    is_quantized = True

    def __repr__(self) -> str:
        spec = self._spec
        prefix = "tensor("
        text = prefix + ("..." if self.is_meta else elements_text(self.dequantize(), len(prefix)))
        suffixes = [*device_suffixes(self), f"size={tuple(spec.sizes)}", f"dtype={spec.dtype!r}"]
        suffixes += [f"quantization_scheme={self.quantizer.scheme!r}", *self.quantizer.suffixes()]
        return add_suffixes(text, suffixes, len(prefix)) + ")"

    __str__ = __repr__

    def _take_data(self, source: Any) -> None:
        super()._take_data(source)
        self.held, self.quantizer = source.held, source.quantizer

    def _take_view(self, view: Any) -> None:
        """Raises RuntimeError, before it changes anything, if another dimension would get the scales."""
        quantizer = self.quantizer
        if isinstance(quantizer, PerChannelAffine) and view.quantizer.axis != quantizer.axis:
            raise RuntimeError(
                f"length of scales must equal to channel, expected {view._spec.sizes[quantizer.axis]} got, "
                f"{quantizer.scales._spec.numel}"
            )
        self._spec, self._storage_offset, self.held = view._spec, view._storage_offset, view.held

    def tolist(self) -> Any:
        """Raises RuntimeError, as PyTorch does; ``dequantize().tolist()`` gives the numbers."""
        raise RuntimeError("load_scalar: invalid type")

    def numpy(self, *, force: bool = False) -> Any:
        """Raises TypeError: NumPy has no quantized arrays."""
        raise TypeError(f"Got unsupported ScalarType {self._spec.dtype.scalar_type}")

    def requires_grad_(self, requires_grad: bool = True) -> QuantizedTensor:
        """Raises RuntimeError if ``requires_grad``: integers have no gradients."""
        if requires_grad:
            raise RuntimeError("only Tensors of floating point dtype can require gradients")
        return self

    def __copy__(self) -> Tensor:
        """Another tensor with the same memory."""
        return self.detach()

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        """A copy; tensors of one deepcopy that share memory share that of the copy."""
        if id(self) not in memo:
            memo[id(self)] = make_quantized(deepcopy(self.held, memo), deepcopy(self.quantizer, memo))
        return memo[id(self)]

    def __reduce_ex__(self, protocol: Any) -> Any:
        """The pickled form: the integers, and the quantizer."""
        return make_quantized, (self.held, self.quantizer)

    def is_signed(self) -> bool:
        """Raises RuntimeError, as PyTorch does."""
        return self._spec.dtype.is_signed


def make_quantized(
    held: Tensor, quantizer: Quantizer, version: VersionCounter | None = None
) -> QuantizedTensor:
    """A quantized tensor with the memory of ``held``; ``version`` is given for a view."""
    made: Any = bare_tensor(QuantizedTensor)
    spec = held._spec
    own = spec_of(spec.sizes, spec.strides, QUANTIZED_OF[spec.dtype], spec.device)
    keys = QUANTIZED_KEYS
    if mode_word() & INFERENCE_MODE_BIT:
        keys, version = keys & ~AD_INPLACE_OR_VIEW, version or INFERENCE_VERSION
    fill_slots(made, own, held._storage, held._storage_offset, keys, version)
    made.held, made.quantizer = held, quantizer
    return made


def check_quantized_dtype(kind: dtype | None, name: str = "new_qtensor") -> dtype:
    """The dtype, if it is one of QUANTIZED.  Raises RuntimeError if it is not."""
    kind = float32 if kind is None else kind
    if kind not in QUANTIZED:
        raise RuntimeError(f"ScalarType {kind.scalar_type} is not supported in {name}.")
    return kind
