"""Ranges: arange, linspace and logspace, by csrc/cuda/ranges.cu."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gnomon.kit.launch import OK
from gnomon.kit.numbers import scalar_forms

from .direct import Direct, Work, tables
from .tables import DTYPES

TEXT = "ranges.cu"
STRUCTURES = """
typedef struct { double start; double end; double step; double base; int64_t steps; } gn_space;
"""
_ARANGE, _LINSPACE, _LOGSPACE = _GROUP = ("fill_arange", "fill_space<0>", "fill_space<1>")


def _arange(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    (out,) = tensors
    numbers = [work.structure("gn_scalar", scalar_forms(arguments[name])) for name in ("start", "step")]
    grid = work.grid(out._spec.numel)
    work.launch(TEXT, out._spec.dtype.name, _ARANGE, grid, [work.view(out), *numbers], _GROUP)
    return OK


def _linspace(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    """The bounds are rounded to the dtype, and so is the step of a floating one."""
    dtype = tensors[0]._spec.dtype
    start, end = dtype.cast(arguments["start"]), dtype.cast(arguments["end"])
    step = (end - start) / (arguments["steps"] - 1) if arguments["steps"] > 1 else 0.0
    if dtype.is_floating_point:
        step = dtype.cast(step)
    return _space(work, tensors[0], _LINSPACE, (start, end, step, 0.0))


def _logspace(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    """The bounds of an integer dtype are rounded to it."""
    start, end = arguments["start"], arguments["end"]
    dtype = tensors[0]._spec.dtype
    if dtype.category == 1:
        start, end = dtype.cast(start), dtype.cast(end)
    step = (end - start) / (arguments["steps"] - 1) if arguments["steps"] > 1 else 0.0
    return _space(work, tensors[0], _LOGSPACE, (start, end, step, arguments["base"]))


def _space(work: Work, out: Any, kernel: str, numbers: Sequence[Any]) -> int:
    if out._spec.numel:
        space = work.structure("gn_space", ([*map(float, numbers), out._spec.numel]))
        grid = work.grid(out._spec.numel)
        work.launch(TEXT, out._spec.dtype.name, kernel, grid, [work.view(out), space], _GROUP)
    return OK


def kernels(runtime: Any) -> tuple[dict[str, Any], dict[str, tuple[str, ...]], dict[str, str]]:
    """The kernels by operator, the dtypes that each takes, and where each is written."""
    runtime.declare(STRUCTURES)
    source = f"csrc/cuda/{TEXT}"
    return tables(
        runtime,
        [
            Direct("arange.start_step", DTYPES["REAL"], _arange, source),
            Direct("linspace", DTYPES["ALL"], _linspace, source),
            Direct("logspace", DTYPES["ALL"], _logspace, source),
        ],
    )
