"""Copies that more than one file of operators makes.

Source: aten/src/ATen/native/TensorShape.cpp (clone_preserve_strides).
"""

from __future__ import annotations

from ..dispatch.dispatcher import aten
from ..memory.tensor import Tensor
from ..values import geometry
from ..values.device import contiguous_format


def clone_with_strides(self: Tensor) -> Tensor:
    """A copy that lies as ``self`` does, gaps and offset included; dense where elements share memory.

    Autograd does not follow it: for operators that have formulas of their own.
    """
    spec = self._spec
    if any(stride == 0 and size > 1 for size, stride in zip(spec.sizes, spec.strides)):
        return aten.clone.default(self, None)
    count = self.untyped_storage().nbytes() // spec.dtype.itemsize
    whole = aten.clone.default(aten.as_strided.default(self, (count,), (1,), 0), None)
    return aten.as_strided.default(whole, spec.sizes, spec.strides, self.storage_offset()).data


def row_major(self: Tensor) -> Tensor:
    """``self`` where its strides are those of a new tensor, else a copy with them.

    ``contiguous`` leaves it at strides that do not matter: of dimensions of size 1, and without elements.
    """
    spec = self._spec
    if spec.strides == geometry.contiguous_strides(spec.sizes):
        return self
    return aten.clone.default(self, contiguous_format)
