"""Reflection and replication padding, upsampling, and their gradients, by csrc/cuda/resample.cu.

All are separable, computed from lists of positions and weights, which are made here, cached, and copied to
the device.
"""

from __future__ import annotations

import functools
from array import array
from collections.abc import Iterator, Sequence
from typing import Any

from gnomon.memory.prepared import NOT_IMPLEMENTED, OK
from gnomon.ops.nn import resampling
from gnomon.values.dtype import ALL

from .direct import Direct, Work, tables
from .geometry import MOVED_DTYPE, product
from .programs import Program, for_each, one_by_one
from .rearrange import ELEMENTS
from .tables import DTYPES

TEXT = "resample.cu"
STRUCTURES = """
typedef struct {
    int64_t count; int64_t channels; int64_t out[3]; int64_t starts[3]; int64_t places[3]; int64_t weights[3];
    int32_t is_channels_last; int64_t in_strides[5]; int64_t out_strides[5];
} gn_resampling;
"""
SPATIAL = 3
_PARTS = {"complex64": "float32", "complex128": "float64"}
_WORD = 8  # bytes of a word of a table
_KEPT = 256  # the maximum number of cached tables
# For each output position pairs of an input position and its weight.
Lists = list[list[tuple[int, float]]]


def _reflected(size: int, before: int, after: int) -> Lists:
    """Reflection at the ends."""
    positions = range(-before, size + after)
    return [[(-at if at < 0 else 2 * (size - 1) - at if at >= size else at, 1.0)] for at in positions]


def _replicated(size: int, before: int, after: int) -> Lists:
    """Replication: the nearest position inside."""
    return [[(min(max(at, 0), size - 1), 1.0)] for at in range(-before, size + after)]


_PADS = {"reflection": _reflected, "replication": _replicated}


def _transposed(lists: Lists, size: int) -> Lists:
    """For each of ``size`` input positions, the output positions that use it."""
    uses: Lists = [[] for _ in range(size)]
    for position, members in enumerate(lists):
        for at, weight in members:
            uses[at].append((position, weight))
    return uses


class _Table:
    """The lists of one dimension: their bytes, the number of lists, and the number of pairs."""

    def __init__(self, lists: Lists):
        starts = [0]
        for members in lists:
            starts.append(starts[-1] + len(members))
        pairs = [pair for members in lists for pair in members]
        places = array("q", [*starts, *(at for at, _ in pairs)])
        self.content = places.tobytes() + array("d", [weight for _, weight in pairs]).tobytes()
        self.count = len(lists)
        self.pairs = len(pairs)
        self.is_copy = all(len(members) == 1 for members in lists)


@functools.lru_cache(maxsize=_KEPT)
def _pad_table(kind: str, size: int, before: int, after: int, is_gradient: bool) -> _Table:
    lists = _PADS[kind](size, before, after)
    return _Table(_transposed(lists, size) if is_gradient else lists)


@functools.lru_cache(maxsize=_KEPT)
def _upsample_table(
    mode: str, size: int, count: int, align_corners: bool, scale: float | None, dtype: Any, is_gradient: bool
) -> _Table:
    lists = resampling.weights(mode, (size,), (count,), align_corners, (scale,), dtype)[0]
    return _Table(_transposed(lists, size) if is_gradient else lists)


def _copy_kernel(itemsize: int) -> str:
    return f"copy_positions<{ELEMENTS[itemsize]}>"


_SUM, _SUM_BYTES = "sum_positions", "sum_bytes"


@functools.lru_cache(maxsize=_KEPT)
def _bytes_table(
    mode: str, size: int, count: int, align_corners: bool, scale: float | None, dtype: Any
) -> tuple[_Table, int]:
    """The weights for uint8, which are integers, and the exponent of 2 by which they were scaled."""
    lists = resampling.weights(mode, (size,), (count,), align_corners, (scale,), dtype)[0]
    whole, shift = resampling.fixed_point(lists)
    return _Table([[(at, float(weight)) for at, weight in members] for members in whole]), shift


_ALONE = _Table([[(0, 1.0)]])  # for a missing dimension


def _strides(tensor: Any, spatial: int) -> list[int]:
    """The strides in elements of the batch, the channels and three spatial dimensions."""
    strides = list(tensor._spec.strides)
    front = [0] * (2 - (len(strides) - spatial)) + strides[:-spatial]
    return front + [0] * (SPATIAL - spatial) + strides[-spatial:]


def _run(work: Work, out: Any, source: Any, found: Sequence[_Table], copies: bool) -> int:
    """Computes ``out`` from ``source`` by a table for each spatial dimension, as a copy or as a float sum."""
    spatial = len(found)
    if out._spec.sizes[:-spatial] != source._spec.sizes[:-spatial]:
        return NOT_IMPLEMENTED
    if out._spec.numel == 0:
        return OK
    along = [_ALONE] * (SPATIAL - spatial) + list(found)
    starts, places, weights, words = [], [], [], 0
    for table in along:
        starts.append(words)
        places.append(words + table.count + 1)
        weights.append(words + table.count + 1 + table.pairs)
        words = weights[-1] + table.pairs
    content = work.upload_bytes(b"".join(table.content for table in along))
    dtype, out_strides = out._spec.dtype, _strides(out, spatial)
    # complex numbers are summed by parts
    parts = 2 if dtype.name in _PARTS and not copies else 1
    description = work.structure(
        "gn_resampling",
        (
            out._spec.numel,
            out._spec.sizes[-spatial - 1],
            [table.count for table in along],
            *(starts, places, weights),
            int(out_strides[1] == 1 and out_strides[-1] != 1),
            [parts * stride for stride in _strides(source, spatial)],
            [parts * stride for stride in out_strides],
        ),
    )
    kernel = _copy_kernel(dtype.itemsize) if copies else _SUM
    text_dtype = MOVED_DTYPE if copies else _PARTS.get(dtype.name, dtype.name)
    for part in range(parts):
        begins = [int(each._address) + part * dtype.itemsize // 2 for each in (source, out)]
        parameters = [description, work.pointer(content), *(work.address(each) for each in begins)]
        work.launch(TEXT, text_dtype, kernel, work.grid(out._spec.numel), parameters)
    return OK


def _lay(sizes: Sequence[int]) -> list[int]:
    """Contiguous strides."""
    strides = [1] * len(sizes)
    for dim in range(len(sizes) - 2, -1, -1):
        strides[dim] = strides[dim + 1] * sizes[dim + 1]
    return strides


def _run_bytes(work: Work, out: Any, source: Any, found: Sequence[tuple[_Table, int] | None]) -> int:
    """Computes uint8 ``out`` from ``source`` by the tables of the spatial dimensions that change, one after
    another from the last, with rounding after each.
    """
    spatial = len(found)
    sizes = [*source._spec.sizes[:2], *[1] * (SPATIAL - spatial), *source._spec.sizes[2:]]
    strides, at = _strides(source, spatial), int(source._address)
    changed = [dim for dim in reversed(range(spatial)) if found[dim] is not None]
    held = []
    for dim in changed:
        table, shift = found[dim]  # type: ignore[misc]
        place = SPATIAL - spatial + dim
        sizes[place + 2] = table.count
        count = product(sizes)
        if dim == changed[-1]:
            to, new = int(out._address), _strides(out, spatial)
        else:
            held.append(work.temporary(count))
            to, new = held[-1].address, _lay(sizes)
        content = work.upload_bytes(table.content)
        starts, places, weights = [0] * SPATIAL, [0] * SPATIAL, [0] * SPATIAL
        places[place] = table.count + 1
        weights[place] = table.count + 1 + table.pairs
        description = (count, sizes[1], sizes[2:], starts, places, weights, 0, strides, new)
        parameters = [
            work.structure("gn_resampling", description),
            *(work.int32(place), work.int32(shift)),
            *(work.pointer(content), work.address(at), work.address(to)),
        ]
        work.launch(TEXT, MOVED_DTYPE, _SUM_BYTES, work.grid(count), parameters)
        strides, at = new, to
    return OK


def _pad(kind: str, spatial: int, is_gradient: bool) -> Any:
    def run(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
        out, source = tensors[:2]
        padding = arguments["padding"]
        sizes = (out if is_gradient else source)._spec.sizes[-spatial:]
        found = []
        for dim, size in enumerate(sizes):
            number = 2 * (spatial - 1 - dim)
            found.append(_pad_table(kind, size, padding[number], padding[number + 1], is_gradient))
        return _run(work, out, source, found, copies=not is_gradient)

    return run


def _upsample(mode: str, spatial: int, is_gradient: bool) -> Any:
    def run(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
        out, source = tensors
        large, small = (source, out) if is_gradient else (out, source)
        sizes, counts = small._spec.sizes[2:], large._spec.sizes[2:]
        scales = [value for name, value in arguments.items() if name.startswith("scales")]
        align_corners = bool(arguments.get("align_corners", False))
        modes = [mode] * spatial
        if is_gradient and mode == "cubic" and sizes == counts:
            modes = ["nearest"] * spatial  # then the gradient is copied, whatever the scales
        if not is_gradient and mode.endswith("_aa"):
            # a dimension that keeps its size is copied, whatever its scale
            modes = ["nearest" if one == other else mode for one, other in zip(sizes, counts)]
        dtype = source._spec.dtype
        if dtype.name == "uint8" and not mode.startswith("nearest"):
            whole = [
                None if size == count else _bytes_table(mode, size, count, align_corners, scale, dtype)
                for size, count, scale in zip(sizes, counts, scales)
            ]
            if out._spec.numel and any(whole):
                return _run_bytes(work, out, source, whole)
            modes = ["nearest"] * spatial  # a copy
        found = [
            _upsample_table(each, size, count, align_corners, scale, dtype, is_gradient)
            for each, size, count, scale in zip(modes, sizes, counts, scales)
        ]
        copies = not is_gradient and all(table.is_copy for table in found)
        return _run(work, out, source, found, copies)

    return run


def programs() -> Iterator[Program]:
    """All programs of this family."""
    yield from one_by_one(TEXT, MOVED_DTYPE, (*map(_copy_kernel, ELEMENTS), _SUM_BYTES))
    yield from for_each(TEXT, DTYPES["FLOATING"], (_SUM,))


def kernels(runtime: Any) -> tuple[dict[str, Any], dict[str, tuple[str, ...]], dict[str, str]]:
    """The kernels, the dtypes and the source locations, each by operator."""
    runtime.declare(STRUCTURES)
    source, floats = f"csrc/cuda/{TEXT}", DTYPES["FLOATING"]
    every = tuple(each.name for each in ALL if each.name != "bool")
    found = []
    for kind in _PADS:
        for spatial in (1, 2, 3):
            name = f"{kind}_pad{spatial}d"
            found.append(Direct(name, every, _pad(kind, spatial, False), source))
            summed = (*floats, *_PARTS)
            found.append(Direct(f"{name}_backward", summed, _pad(kind, spatial, True), source))
    modes = [("_upsample_bilinear2d_aa", "linear_aa", 2), ("_upsample_bicubic2d_aa", "cubic_aa", 2)]
    modes += [("_upsample_lanczos2d_aa", "lanczos_aa", 2), ("upsample_bicubic2d", "cubic", 2)]
    for spatial in (1, 2, 3):
        modes.append((f"upsample_nearest{spatial}d", "nearest", spatial))
        modes.append((f"_upsample_nearest_exact{spatial}d", "nearest_exact", spatial))
        linear = ("linear", "bilinear", "trilinear")[spatial - 1]
        modes.append((f"upsample_{linear}{spatial}d", "linear", spatial))
    for name, mode, spatial in modes:
        dtypes = ("uint8", *floats) if mode.startswith("nearest") or spatial == 2 else floats
        if mode.endswith("_aa"):  # for other dtypes an image of the same size is copied
            dtypes = tuple(each.name for each in ALL)
        found.append(Direct(name, dtypes, _upsample(mode, spatial, False), source))
        found.append(Direct(f"{name}_backward", floats, _upsample(mode, spatial, True), source))
    return tables(runtime, found)
