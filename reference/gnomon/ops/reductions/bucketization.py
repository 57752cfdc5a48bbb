"""searchsorted and bucketize: the positions of elements in a sorted sequence.

Source: aten/src/ATen/native/Bucketization.cpp.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from ...calls.checks import refuse_dtype
from ...calls.iterator import result_type
from ...calls.native import native_function
from ...calls.record import Out
from ...dispatch.dispatcher import aten
from ...memory.accessor import TensorAccessor
from ...memory.spec import Spec
from ...memory.tensor import Tensor
from ...numerics.loops import rows_along
from ...values.dtype import int32, int64


def _searchsorted_meta(
    sorted_sequence: Spec, self: Any, out_int32: bool, right: bool, side: Any, sorter: Spec | None
) -> Spec:
    boundaries = sorted_sequence
    if side not in (None, "left", "right"):
        raise RuntimeError(f"side can only be 'left' or 'right' but got {side}")
    if side == "left" and right:
        raise RuntimeError("side and right can't be set to opposites, got side of left while right was True")
    if not boundaries.ndim:
        raise RuntimeError("boundaries tensor should have positive dimension, but got 0 dimension")
    sizes = self.sizes if isinstance(self, Spec) else ()
    if boundaries.ndim > 1 and (len(sizes) != boundaries.ndim or sizes[:-1] != boundaries.sizes[:-1]):
        raise RuntimeError(
            "boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries tensor and "
            f"input value tensor must match, but we got boundaries tensor {list(boundaries.sizes)} and input "
            f"value tensor {list(sizes)}"
        )
    if sorter is not None:
        if sorter.sizes != boundaries.sizes:
            raise RuntimeError(
                "boundary and sorter must have the same size, but got boundary tensor "
                f"{list(boundaries.sizes)} and got sorter tensor {list(sorter.sizes)}"
            )
        if sorter.dtype is not int64:
            raise RuntimeError(f"sorter must be a tensor of long dtype but got dtype {sorter.dtype.name}")
    if 0 not in sizes:
        refuse_dtype(
            result_type(boundaries, self) if isinstance(self, Spec) else boundaries.dtype, "bool", "complex"
        )
    return boundaries.contiguous(sizes, int32 if out_int32 else int64)


def _searchsorted_kernel(
    output: Tensor,
    sorted_sequence: Tensor,
    self: Tensor,
    out_int32: bool,
    right: bool,
    side: Any,
    sorter: Tensor | None,
) -> None:
    """Bisects the boundaries, in the order given by ``sorter``; compares in the common dtype."""
    is_behind = operator.gt if right or side == "right" else operator.ge
    cast = result_type(sorted_sequence._spec, self._spec).cast
    rows = [numbers for _, _, numbers in rows_along(sorted_sequence, -1, [])]
    if sorter is not None:
        orders = [positions for _, _, positions in rows_along(sorter, -1, [])]
        if any(not 0 <= position < len(order) for order in orders for position in order):
            raise RuntimeError("sorter index out of range")
        rows = [[row[position] for position in order] for row, order in zip(rows, orders)]
    rows = [[cast(number) for number in row] for row in rows]
    values, out = TensorAccessor(self), TensorAccessor(output)
    width = values.sizes[-1] if values.sizes else 1
    for index, (target, offset) in enumerate(zip(out.offsets(), values.offsets())):
        row = rows[index // width] if sorted_sequence.ndim > 1 else rows[0]
        out.write(target, _bisect(row, cast(values.read(offset)), is_behind))


def _bisect(row: Sequence[Any], value: Any, is_behind: Callable[[Any, Any], bool]) -> int:
    """The first position whose number is behind ``value``; comparisons with NaN are false, as in PyTorch."""
    low, high = 0, len(row)
    while low < high:
        middle = (low + high) // 2
        if is_behind(row[middle], value):
            high = middle
        else:
            low = middle + 1
    return low


searchsorted = native_function(
    "searchsorted.Tensor(Tensor sorted_sequence, Tensor self, *, bool out_int32=False, bool right=False, "
    "str? side=None, Tensor? sorter=None) -> Tensor",
    meta=_searchsorted_meta,
    kernel=_searchsorted_kernel,
    variants="function",
    out=Out("Tensor_out", exact=True),
    doc="""Returns the index at which to insert each element into ``sorted_sequence`` to keep it sorted.

    The last dimension of ``sorted_sequence`` (n) is searched; it is 1-D, or has the leading sizes of
    ``self``.  The result (int64, or int32 with ``out_int32``) is the first such index, or the last with
    ``right`` or ``side='right'``.  ``sorter`` (int64) holds the indices that sort the sequence.  Raises
    RuntimeError if sizes do not match, and if ``side`` contradicts ``right``.""",
)

native_function(
    "searchsorted.Scalar(Tensor sorted_sequence, Scalar self, *, bool out_int32=False, bool right=False, "
    "str? side=None, Tensor? sorter=None) -> Tensor",
    composite=lambda sorted_sequence, self, out_int32, right, side, sorter: aten.searchsorted.Tensor(
        sorted_sequence, _number_like(sorted_sequence, self), out_int32, right, side, sorter
    ),
    variants="function",
    out=Out("Scalar_out", exact=True),
    doc="""Returns the index at which to insert a number into ``sorted_sequence``, a 1-D tensor, to keep it
    sorted.""",
)


def _number_like(tensor: Any, number: Any) -> Any:
    """A number as a 0-dim tensor, in the dtype that it promotes to with ``tensor``."""
    if tensor.ndim > 1:
        raise RuntimeError(
            "input value can be a scalar only when boundaries tensor dimension is 1, but we got boundaries "
            f"tensor dim({tensor.ndim})"
        )
    return aten.scalar_tensor(number, dtype=result_type(tensor._spec, number), device=tensor.device)


def _check_boundaries(boundaries: Any) -> None:
    if boundaries.ndim != 1:
        raise RuntimeError(f"boundaries tensor must be 1 dimension, but got dim({boundaries.ndim})")


def _bucketize(self: Any, boundaries: Any, out_int32: bool, right: bool) -> Any:
    _check_boundaries(boundaries)
    value = self if isinstance(self, Tensor) else _number_like(boundaries, self)
    return aten.searchsorted.Tensor(boundaries, value, out_int32, right, None, None)


bucketize = native_function(
    "bucketize.Tensor(Tensor self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor",
    composite=_bucketize,
    variants="function",
    out=Out("Tensor_out", exact=True),
    doc="""Returns the index (int64, or int32 with ``out_int32``) of the bucket of each element.

    ``boundaries`` (1-D) are the limits of the buckets: ``(boundaries[i - 1], boundaries[i]]``, or
    ``[boundaries[i - 1], boundaries[i])`` with ``right``.""",
)

native_function(
    "bucketize.Scalar(Scalar self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor",
    composite=_bucketize,
    doc="Returns the index of the bucket of a number.",
)
