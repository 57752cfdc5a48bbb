"""histc, histogram and the parts of histogramdd: how many elements fall into each bin.

A bin contains its left edge, and the last one its right edge, too; elements outside of all bins and NaN are
not counted.  Counts are exact and rounded once to the dtype of the elements.  Nothing is differentiable.
Source: aten/src/ATen/native/Histogram.cpp, native/cpu/HistogramKernel.cpp.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ...calls.checks import can_be_read, refuse_dtype, refuse_half
from ...calls.native import native_function
from ...calls.record import Out
from ...dispatch.dispatcher import aten
from ...values.dtype import check_number_fits

# -- histc -------------------------------------------------------------------------------------------------


def _check_bins(bins: int, dim: int) -> None:
    if bins <= 0:
        raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {bins} for dimension {dim}")


def _outer_edges(self: Any, least: float, greatest: float) -> tuple[float, float]:
    """Equal edges mean the extremes of the elements; if these are equal, too, 1 less and 1 more."""
    if least == greatest and self.numel() and can_be_read(self):
        least, greatest = (each.item() for each in aten.aminmax(self, dim=None, keepdim=False))
    return (least - 1, greatest + 1) if least == greatest else (least, greatest)


def _histc(self: Any, bins: int, min: Any, max: Any) -> Any:
    if isinstance(min, complex) or isinstance(max, complex):
        raise RuntimeError("value cannot be converted to type double without overflow")
    refuse_dtype(self.dtype, "bool", "integer", "complex")
    _check_bins(bins, 0)
    self = self.reshape([-1])
    least, greatest = _outer_edges(self, float(min), float(max))
    if not (math.isfinite(least) and math.isfinite(greatest)):
        raise RuntimeError(f"torch.histc: range of [{least:g}, {greatest:g}] is not finite")
    if not least < greatest:
        raise RuntimeError("torch.histc: max must be larger than min")
    for edge in (least, greatest):
        check_number_fits(edge, self.dtype)
    first, last, count = (self.new_full([], number) for number in (least, greatest, bins))
    places = (self - first) * count / (last - first)
    shares = (self * 0.5 - first * 0.5) / (last * 0.5 - first * 0.5)  # where the above overflows
    places = aten.where(places.isfinite(), places, shares * bins)
    is_inside = (self >= first) & (self <= last)
    return _counts([places.masked_fill(~is_inside, 0).long()], is_inside, [bins], None, self)


histc = native_function(
    "histc(Tensor self, int bins=100, Scalar min=0, Scalar max=0) -> Tensor",
    explicit=_histc,
    derivatives={},
    out=Out(exact=True),
    doc="""Counts the elements in ``bins`` bins of equal width between ``min`` and ``max``.

    If both are equal, they are the extremes of the elements.  The result has the dtype of ``self``, a
    floating point dtype.  Raises RuntimeError unless ``bins`` is positive and the range is finite and
    not empty, NotImplementedError for other dtypes.  Source: histogram_histc_out.""",
)


def _counts(places: Sequence[Any], is_inside: Any, bins: Sequence[int], weight: Any, self: Any) -> Any:
    """Adds 1, or the weight, at the place of each element; those outside are left out."""
    total = math.prod(bins)
    flat = aten.zeros_like(is_inside, dtype=places[0].dtype) if places else is_inside.long()
    for place, count in zip(places, bins):
        flat = flat * count + place.clamp(max=count - 1)
    amounts = aten.ones_like(is_inside, dtype=self.dtype) if weight is None else weight
    sums = self.new_zeros([total + 1]).scatter_add(0, flat.masked_fill(~is_inside, total), amounts)
    return sums.narrow(0, 0, total).clone().reshape(list(bins))


# -- histogram and histogramdd -----------------------------------------------------------------------------


def _check_inputs(self: Any, edges: Sequence[Any], weight: Any) -> None:
    if self.ndim < 2:
        raise RuntimeError("torch.histogramdd: input tensor should have at least 2 dimensions")
    dims = self.shape[-1]
    if len(edges) != dims:
        raise RuntimeError(
            f"torch.histogramdd: expected {dims} sequences of bin edges for a {dims}-dimensional histogram "
            f"but got {len(edges)}"
        )
    for dim, each in enumerate(edges):
        if each.dtype is not self.dtype:
            raise RuntimeError(
                "torch.histogramdd: input tensor and bins tensors should have the same dtype, but got input "
                f"with dtype {self.dtype.name} and bins for dimension {dim} with dtype {each.dtype.name}"
            )
        if each.ndim != 1:
            raise RuntimeError(
                f"torch.histogramdd: bins tensor should have one dimension, but got {each.ndim} dimensions "
                f"in the bins tensor for dimension {dim}"
            )
        if not each.numel():
            raise RuntimeError(
                "torch.histogramdd: bins tensor should have at least 1 element, but got 0 elements in the "
                f"bins tensor for dimension {dim}"
            )
    if weight is None:
        return
    if weight.dtype is not self.dtype:
        raise RuntimeError(
            "torch.histogramdd: if weight tensor is provided, input tensor and weight tensor should have the "
            f"same dtype, but got input({self.dtype.name}), and weight({weight.dtype.name})"
        )
    if weight.shape != self.shape[:-1]:
        raise RuntimeError(
            "torch.histogramdd: if weight tensor is provided it should have the same shape as the input "
            f"tensor excluding its innermost dimension, but got input with shape {list(self.shape)} and "
            f"weight with shape {list(weight.shape)}"
        )


def _ranges(self: Any, dims: int, range: Sequence[float] | None) -> list[tuple[float, float]]:
    """The outer edges in each dimension: those given, else the extremes of the elements."""
    if range is not None:
        if len(range) != 2 * dims:
            raise RuntimeError(
                f"torch.histogramdd: for a {dims}-dimensional histogram range should have {2 * dims} "
                f"elements, but got {len(range)}"
            )
        found = list(zip(range[::2], range[1::2]))
    elif not self.numel() or not can_be_read(self):
        found = [(0.0, 1.0)] * dims
    else:
        rows = self.reshape([-1, dims])
        found = list(zip(rows.amin([0]).tolist(), rows.amax([0]).tolist()))
    for dim, (least, greatest) in enumerate(found):
        if not (math.isfinite(least) and math.isfinite(greatest)):
            raise RuntimeError(
                f"torch.histogramdd: dimension {dim}'s range [{least:g}, {greatest:g}] is not finite"
            )
        if least > greatest:
            raise RuntimeError(
                f"torch.histogramdd: min should not exceed max, but got min {least:g} max {greatest:g} for "
                f"dimension {dim}"
            )
    return [(low - 0.5, high + 0.5) if low == high else (low, high) for low, high in found]


def _even_edges(self: Any, bins: Sequence[int], range: Sequence[float] | None) -> list[Any]:
    """Edges of bins of equal width."""
    if self.ndim < 2:
        raise RuntimeError("torch.histogramdd: input tensor should have at least 2 dimensions")
    if len(bins) != self.shape[-1]:
        raise RuntimeError(
            "histogramdd: The size of bins must be equal to the innermost dimension of the input."
        )
    for dim, count in enumerate(bins):
        _check_bins(count, dim)
    refuse_half(self.dtype, "bool", "integer", "complex")
    return [
        aten.linspace(least, greatest, count + 1, dtype=self.dtype, device=self.device)
        for count, (least, greatest) in zip(bins, _ranges(self, len(bins), range))
    ]


def _histogram(self: Any, edges: Sequence[Any], weight: Any, density: bool) -> Any:
    """The counts of the points ``self``, of which the last dimension has the coordinates."""
    _check_inputs(self, edges, weight)
    bins = [each.numel() - 1 for each in edges]
    for dim, count in enumerate(bins):
        _check_bins(count, dim)
    refuse_dtype(self.dtype, "bool", "integer", "complex")
    points = self.reshape([math.prod(self.shape[:-1]), len(edges)])
    is_inside = aten.ones([points.shape[0] if edges else 0], dtype=None, device=self.device).bool()
    places = []
    for coordinates, each in zip(points.unbind(1), edges):
        is_inside = is_inside & (coordinates >= each[0]) & (coordinates <= each[-1])
        places.append(aten.searchsorted.Tensor(each, coordinates.contiguous(), right=True) - 1)
    places = [place.masked_fill(~is_inside, 0) for place in places]
    hist = _counts(places, is_inside, bins, None if weight is None else weight.reshape([-1]), self)
    if density:
        hist = hist / hist.sum()
        for dim, each in enumerate(edges):
            shape = [1] * len(edges)
            shape[dim] = bins[dim]
            hist = hist / each.diff().reshape(shape)
    return hist


def _flat(self: Any, weight: Any) -> tuple[Any, Any]:
    """The elements as points with one coordinate."""
    return self.reshape([-1, 1]), None if weight is None else weight.reshape([-1])


def _of_edges(self: Any, bins: Any, weight: Any, density: bool) -> tuple[Any, Any]:
    self, weight = _flat(self, weight)
    return _histogram(self, [bins], weight, density), bins.clone()


def _of_count(self: Any, bins: int, range: Any, weight: Any, density: bool) -> tuple[Any, Any]:
    self, weight = _flat(self, weight)
    edges = _even_edges(self, [bins], range)
    return _histogram(self, edges, weight, density), edges[0]


_SAME_DTYPES = """Raises RuntimeError if dtypes or sizes do not match, NotImplementedError for a dtype that
    is not floating point."""

native_function(
    "histogram.bins_tensor(Tensor self, Tensor bins, *, Tensor? weight=None, bool density=False) -> (Tensor "
    "hist, Tensor bin_edges)",
    explicit=_of_edges,
    derivatives={},
    batching="composed",
    out=Out(
        "histogram.bins_tensor_out(Tensor self, Tensor bins, *, Tensor? weight=None, bool density=False, "
        "Tensor(a!) hist, Tensor(b!) bin_edges) -> (Tensor(a!) hist, Tensor(b!) bin_edges)",
        exact=True,
    ),
    doc=f"""Counts the elements between adjacent edges in ``bins``, which are increasing.

    An element counts as 1, or as its ``weight``.  With ``density``, the integral over all bins is 1.  The
    results have the dtype of ``self``.  {_SAME_DTYPES}""",
)

native_function(
    "histogram.bin_ct(Tensor self, int bins=100, *, float[]? range=None, Tensor? weight=None, bool "
    "density=False) -> (Tensor hist, Tensor bin_edges)",
    explicit=_of_count,
    derivatives={},
    out=Out(
        "histogram.bin_ct_out(Tensor self, int bins=100, *, float[]? range=None, Tensor? weight=None, bool "
        "density=False, Tensor(a!) hist, Tensor(b!) bin_edges) -> (Tensor(a!) hist, Tensor(b!) bin_edges)",
        exact=True,
    ),
    doc=f"""Counts the elements in ``bins`` bins of equal width in ``range``, by default from the least to the
    greatest element.  {_SAME_DTYPES}""",
)


native_function(
    "_histogramdd_bin_edges(Tensor self, int[] bins, *, float[]? range=None, Tensor? weight=None, bool "
    "density=False) -> Tensor[]",
    explicit=lambda self, bins, range, weight, density: _even_edges(self, bins, range),
    derivatives={},
    doc="The edges of bins of equal width, for each coordinate of the points in ``self``.",
)

native_function(
    "_histogramdd_from_bin_cts(Tensor self, int[] bins, *, float[]? range=None, Tensor? weight=None, bool "
    "density=False) -> Tensor",
    explicit=lambda self, bins, range, weight, density: _histogram(
        self, _even_edges(self, bins, range), weight, density
    ),
    derivatives={},
    doc=f"""Counts points in the boxes of a grid with ``bins`` bins of equal width for each coordinate.

    The last dimension of ``self`` has a point's coordinates.  {_SAME_DTYPES}""",
)

native_function(
    "_histogramdd_from_bin_tensors(Tensor self, Tensor[] bins, *, Tensor? weight=None, bool density=False) "
    "-> Tensor",
    explicit=_histogram,
    derivatives={},
    batching="composed",
    doc="As above, with the edges of the bins for each coordinate.",
)
