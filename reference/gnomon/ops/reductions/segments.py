"""Reductions of segments: consecutive elements along a dimension, given by lengths or offsets.

Accumulation: half precision is reduced in float32, and rounded once.  Source:
aten/src/ATen/native/SegmentReduce.cpp.
"""

from __future__ import annotations

import math
from typing import Any

from ...calls.checks import check_implemented
from ...calls.native import native_function
from ...calls.record import Out
from ...dispatch.dispatcher import aten
from ...values import geometry
from ...values.dtype import bfloat16, float16, float32, float64, int32, int64
from ...values.geometry import wrap_dim

_REDUCTIONS = {
    "max": "amax",
    "amax": "amax",
    "min": "amin",
    "amin": "amin",
    "mean": "mean",
    "sum": "sum",
    "prod": "prod",
}
_IDENTITIES = {"amax": -math.inf, "amin": math.inf, "mean": 0.0, "sum": 0.0, "prod": 1.0}


def _reduction_named(reduce: str) -> str:
    if reduce not in _REDUCTIONS:
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    return _REDUCTIONS[reduce]


def _number(initial: Any) -> float | None:
    if isinstance(initial, complex):
        raise RuntimeError("value cannot be converted to type float without overflow")
    return None if initial is None else float(initial)


def _check(data: Any, lengths: Any, offsets: Any, axis: int) -> tuple[int, int]:
    """The wrapped axis, and the number of segments in each row."""
    given, name = (offsets, "offsets") if offsets is not None else (lengths, "lengths")
    axis = wrap_dim(axis, data.ndim)
    if given is None:
        raise RuntimeError("segment_reduce(): Either lengths or offsets must be defined.")
    if data.ndim < given.ndim:
        raise RuntimeError(
            f"expected {name} of at most {data.ndim} dimensions, those of data, but got {given.ndim}"
        )
    if axis != given.ndim - 1:
        raise RuntimeError(
            f"segment_reduce(): Expected axis to be the last dimension of {name} but got {axis}."
        )
    check_implemented(given.dtype, int32, int64)
    check_implemented(data.dtype, float16, bfloat16, float32, float64)
    if data.shape[:axis] != given.shape[:-1]:
        raise RuntimeError(
            f"expected {name} to have the sizes {list(data.shape[:axis])} of data before its last dimension, "
            f"but got {list(given.shape[:-1])}"
        )
    count = given.shape[-1] - (offsets is not None)
    if count < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {count}: [{count}]")
    return axis, count


def _check_lengths(lengths: Any, size: int) -> None:
    """Raises RuntimeError unless lengths are not negative and add up to ``size`` in each row."""
    if lengths.min() < 0:
        raise RuntimeError("lengths contains negative value!")
    if (lengths.sum(-1) != size).any():
        raise RuntimeError(
            "segment_reduce(): Expected all rows of lengths along axis to sum to data.size(lengths.dim()-1) "
            "when !unsafe."
        )


class _Segments:
    """The segments of ``data`` (rows, size, columns): ``ids``, the segment of each element, in all rows, or
    the number of segments if it is in none; and ``lengths``.
    """

    def __init__(self, data: Any, lengths: Any, offsets: Any, axis: int, count: int) -> None:
        sizes = data.shape
        self.rows = geometry.numel_of(sizes[:axis])
        self.size, self.columns = sizes[axis], geometry.numel_of(sizes[axis + 1 :])
        self.count = self.rows * count
        if offsets is None:
            ends = lengths.to(int64).reshape((self.rows, count)).cumsum(1)
            self.bounds = aten.constant_pad_nd.default(ends, (1, 0), 0)
        else:
            self.bounds = offsets.to(int64).reshape((self.rows, count + 1))
        self.lengths = self.bounds.diff(dim=1).reshape(-1)
        places = aten.arange.default(self.size, dtype=int64, device=data.device)
        places = places.expand((self.rows, self.size)).contiguous()
        found = aten.searchsorted.Tensor(self.bounds, places, right=True) - 1
        first = aten.arange.default(self.rows, dtype=int64, device=data.device).unsqueeze(1) * count
        is_in = (found >= 0) & (found < count)
        self.ids = aten.where(is_in, found + first, self.count).reshape(-1)

    def check(self) -> None:
        """Raises RuntimeError for a segment that ends before it starts, or is not within ``data``."""
        if (self.lengths < 0).any():
            raise RuntimeError("Expected segment_length >= 0 to be true, but got false.")
        if self.count and ((self.bounds < 0) | (self.bounds > self.size)).any():
            raise RuntimeError(f"segments are not within the size {self.size} of data along the axis")

    def elements(self, data: Any) -> Any:
        return data.reshape((self.rows * self.size, self.columns))

    def reduce(self, elements: Any, reduction: str, initial: float) -> Any:
        """The reductions of all segments, and of the elements that are in none, as the last row."""
        made = elements.new_full((self.count + 1, self.columns), initial)
        if reduction in ("sum", "mean"):
            return aten.index_add.default(made, 0, self.ids, elements)
        return aten.index_reduce.default(made, 0, self.ids, elements, reduction)

    def spread(self, results: Any) -> Any:
        """For each element what ``results`` has for its segment, and 0 for those in none."""
        padded = aten.constant_pad_nd.default(results.reshape((self.count, self.columns)), (0, 0, 0, 1), 0)
        return padded.index_select(0, self.ids)

    def totals(self, flags: Any) -> Any:
        """For each element how many elements of its segment have the flag."""
        return self.reduce(flags.to(int64), "sum", 0).index_select(0, self.ids)


def _wide(tensor: Any) -> Any:
    return tensor.to(float32) if tensor.dtype in (float16, bfloat16) else tensor


def _segment_reduce(
    data: Any, reduce: str, lengths: Any, indices: Any, offsets: Any, axis: int, unsafe: bool, initial: Any
) -> Any:
    reduction, start = _reduction_named(reduce), _number(initial)
    if indices is not None:
        raise RuntimeError("segment_reduce(): indices based reduction is not supported yet.")
    axis, count = _check(data, lengths, offsets, axis)
    sizes = (*data.shape[:axis], count, *data.shape[axis + 1 :])
    if data.is_meta:
        return data.new_empty(sizes)
    if offsets is None and not unsafe:
        _check_lengths(lengths, data.shape[axis])
    segments = _Segments(data, lengths, offsets, axis, count)
    segments.check()
    found = segments.reduce(
        segments.elements(_wide(data)), reduction, _IDENTITIES[reduction] if start is None else start
    )[: segments.count]
    if reduction == "mean":
        counts = segments.lengths.unsqueeze(1)
        is_empty = counts == 0
        found = aten.where(is_empty, math.nan if start is None else found, found / counts.clamp(min=1))
    return found.to(data.dtype).reshape(sizes)


def _others(segments: _Segments, elements: Any, results: Any, initial: float) -> Any:
    """For each element the product of the others of its segment, times ``initial``."""
    is_zero, is_nan = elements == 0, elements.isnan()
    is_special = is_zero | is_nan
    product = segments.reduce(elements.masked_fill(is_special, 1), "prod", initial)
    others = product.index_select(0, segments.ids)
    others = aten.where(segments.totals(is_zero) > is_zero.to(int64), others * 0, others)
    others = aten.where(segments.totals(is_nan) > is_nan.to(int64), math.nan, others)
    return aten.where(is_special, others, results / elements.masked_fill(is_special, 1))


def _segment_reduce_backward(
    grad: Any, output: Any, data: Any, reduce: str, lengths: Any, offsets: Any, axis: int, initial: Any
) -> Any:
    reduction, start = _reduction_named(reduce), _number(initial)
    axis, count = _check(data, lengths, offsets, axis)
    for name, each in (("grad", grad), ("output", output)):
        if each.shape != (*data.shape[:axis], count, *data.shape[axis + 1 :]):
            raise RuntimeError(f"expected {name} to have the sizes of the result, but got {list(each.shape)}")
    if data.is_meta:
        return data.new_empty(data.shape)
    segments = _Segments(data, lengths, offsets, axis, count)
    elements, given = segments.elements(_wide(data)), segments.spread(_wide(grad))
    if reduction == "mean":
        counts = aten.constant_pad_nd.default(segments.lengths, (0, 1), 1).index_select(0, segments.ids)
        given = given / counts.unsqueeze(1)
    elif reduction == "prod":
        results = segments.spread(_wide(output))
        given = given * _others(segments, elements, results, 1.0 if start is None else start)
    elif reduction != "sum":
        is_chosen = (elements == segments.spread(_wide(output))) | elements.isnan()
        given = aten.where(is_chosen, given / segments.totals(is_chosen).clamp(min=1), 0)
    is_in = (segments.ids < segments.count).unsqueeze(1)
    return aten.where(is_in, given, 0).to(data.dtype).reshape(data.shape)


native_function(
    "segment_reduce(Tensor data, str reduce, *, Tensor? lengths=None, Tensor? indices=None, Tensor? "
    "offsets=None, int axis=0, bool unsafe=False, Scalar? initial=None) -> Tensor",
    explicit=_segment_reduce,
    derivatives={
        "data": lambda grad, result, data, reduce, lengths, offsets, axis, initial: (
            aten._segment_reduce_backward.default(grad, result, data, reduce, lengths, offsets, axis, initial)
        )
    },
    out=Out(),
    doc="""Reduces segments of ``data`` along ``axis``: ``reduce`` is sum, mean, prod, max or min.

    ``lengths`` (*, n) has the length of each segment, or ``offsets`` (*, n + 1) where it starts, and where
    the last one ends: int64 or int32; their dimensions are the first of ``data``, up to ``axis``.  The
    result has n elements along ``axis``.  A segment without elements is ``initial``, by default 0, 1, an
    infinity, or for the mean NaN.  Unless ``unsafe``, lengths must add up to the size of ``data``.  Raises
    RuntimeError for other lengths and sizes, NotImplementedError for a dtype that is not floating point.""",
)

native_function(
    "_segment_reduce_backward(Tensor grad, Tensor output, Tensor data, str reduce, *, Tensor? lengths=None, "
    "Tensor? offsets=None, int axis=0, Scalar? initial=None) -> Tensor",
    composite=_segment_reduce_backward,
    out=Out(),
    doc="Computes the gradient of segment_reduce; an extreme that occurs several times shares it.",
)
