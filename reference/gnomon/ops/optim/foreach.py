"""_foreach_ operators: one call applies an in-place operator to each tensor of a list.

Source: aten/src/ATen/native/ForeachOpsKernels.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...calls.checks import check_not_empty
from ...calls.native import native_function
from ...calls.outputs import check_cast, check_no_internal_overlap
from ...memory.accessor import TensorAccessor
from ...memory.spec import Spec
from ...memory.tensor import Tensor
from ...values.dtype import dtype_of_number, get_default_dtype


def _add_meta(self: Sequence[Spec], scalar: Any) -> tuple[()]:
    check_not_empty(tensor=self)
    number = dtype_of_number(scalar, get_default_dtype())
    for spec in self:
        category = spec.dtype.category
        check_cast("_foreach_add_", spec.dtype if number.category <= category else number, spec.dtype)
        check_no_internal_overlap("_foreach_add_", spec)
    return ()


def _add_kernel(self: Sequence[Tensor], scalar: Any) -> None:
    for tensor in self:
        accessor = TensorAccessor(tensor)
        is_bool = tensor._spec.dtype.category == 0
        for offset in accessor.offsets():
            number = accessor.read(offset)
            accessor.write(offset, bool(number or scalar) if is_bool else number + scalar)


native_function(
    "_foreach_add_.Scalar(Tensor(a!)[] self, Scalar scalar) -> ()",
    meta=_add_meta,
    kernel=_add_kernel,
    doc="""Adds ``scalar`` to each tensor of a list in place.

    Raises RuntimeError if a tensor's dtype can not hold the sum, NotImplementedError for an empty list.""",
)
