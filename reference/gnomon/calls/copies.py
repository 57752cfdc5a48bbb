"""Copies that several files of operators need.

Source: aten/src/ATen/native/TensorShape.cpp (clone_preserve_strides).
"""

from __future__ import annotations

from ..dispatch.dispatcher import aten
from ..memory.tensor import Tensor
from ..values import geometry
from ..values.device import contiguous_format


def clone_with_strides(self: Tensor) -> Tensor:
    """A copy with the strides and offset of ``self``, gaps included; dense if elements share memory.

    Not differentiable: for operators that have their own derivative formulas.
    """
    spec = self._spec
    if any(stride == 0 and size > 1 for size, stride in zip(spec.sizes, spec.strides)):
        return aten.clone.default(self, None)
    count = self.untyped_storage().nbytes() // spec.dtype.itemsize
    whole = aten.clone.default(aten.as_strided.default(self, (count,), (1,), 0), None)
    return aten.as_strided.default(whole, spec.sizes, spec.strides, self.storage_offset()).data


def row_major(self: Tensor) -> Tensor:
    """``self`` if its strides are those of a new contiguous tensor, else a copy that has them.

    Unlike ``contiguous``, it also fixes strides that do not matter: of dimensions of size 1, and of tensors
    without elements.
    """
    spec = self._spec
    if spec.strides == geometry.contiguous_strides(spec.sizes):
        return self
    return aten.clone.default(self, contiguous_format)
