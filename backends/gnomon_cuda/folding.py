"""im2col and col2im, by csrc/cuda/folding.cu."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from gnomon.memory.prepared import OK
from gnomon.numerics.windows import spatial_ints
from gnomon.values.dtype import ALL

from .direct import Direct, Work, tables
from .geometry import MOVED_DTYPE, element
from .programs import Program
from .tables import DTYPES

TEXT = "folding.cu"
STRUCTURES = """
typedef struct {
    int64_t images; int64_t channels; int64_t sizes[2]; int64_t blocks[2]; int64_t kernel[2];
    int64_t dilation[2]; int64_t padding[2]; int64_t stride[2];
    int64_t image_steps[4]; int64_t column_steps[3]; int64_t parts;
} gn_folding;
"""
_PARTS = {"complex64": "float32", "complex128": "float64"}
_SUMMED = ("bool", *DTYPES["FLOATING"])
_FOLD = "fold"
_UNFOLD = [f"unfold<{element(size)}>" for size in (1, 2, 4, 8, 16)]


def _folding(work: Work, images: Any, columns: Any, arguments: dict[str, Any], parts: int) -> Any:
    """The structure ``gn_folding`` of images and their columns."""
    sizes, steps = images._spec.sizes, images._spec.strides
    is_batch = len(sizes) == 4
    window = [
        list(spatial_ints(name, arguments[name], 2))
        for name in ("kernel_size", "dilation", "padding", "stride")
    ]
    blocks = [
        (size + 2 * padding - dilation * (taps - 1) - 1) // stride + 1
        for size, taps, dilation, padding, stride in zip(sizes[-2:], *window)
    ]
    return work.structure(
        "gn_folding",
        (
            sizes[0] if is_batch else 1,
            sizes[-3],
            list(sizes[-2:]),
            blocks,
            *window,
            [steps[0] if is_batch else 0, *steps[-3:]],
            [columns._spec.strides[0] if is_batch else 0, *columns._spec.strides[-2:]],
            parts,
        ),
    )


def _im2col(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    out, source = tensors
    count = out._spec.numel
    if count:
        folding = _folding(work, source, out, arguments, 1)
        parameters = [folding, work.address(source), work.address(out)]
        kernel = f"unfold<{element(out._spec.dtype.itemsize)}>"
        work.launch(TEXT, MOVED_DTYPE, kernel, work.grid(count), parameters, _UNFOLD)
    return OK


def _col2im(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    out, source = tensors
    dtype = out._spec.dtype.name
    parts = 2 if dtype in _PARTS else 1  # complex numbers are summed by parts
    count = out._spec.numel * parts
    if count:
        folding = _folding(work, out, source, arguments, parts)
        parameters = [folding, work.address(source), work.address(out)]
        work.launch(TEXT, _PARTS.get(dtype, dtype), _FOLD, work.grid(count), parameters)
    return OK


def programs() -> Iterator[Program]:
    """All programs of this family."""
    yield Program(TEXT, MOVED_DTYPE, tuple(_UNFOLD))
    for dtype in _SUMMED:
        yield Program(TEXT, dtype, (_FOLD,))


def kernels(runtime: Any) -> tuple[dict[str, Any], dict[str, tuple[str, ...]], dict[str, str]]:
    """The kernels, the dtypes and the source locations, each by operator."""
    runtime.declare(STRUCTURES)
    source = f"csrc/cuda/{TEXT}"
    every = tuple(each.name for each in ALL)
    return tables(
        runtime,
        [Direct("im2col", every, _im2col, source), Direct("col2im", (*_SUMMED, *_PARTS), _col2im, source)],
    )
