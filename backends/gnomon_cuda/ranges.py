"""arange, linspace and logspace, by csrc/cuda/ranges.cu."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from gnomon.memory.prepared import OK
from gnomon.values.scalar import scalar_forms

from .direct import Direct, Work, tables
from .programs import Program, for_each
from .tables import DTYPES

TEXT = "ranges.cu"
STRUCTURES = """
typedef struct { double start; double end; double step; } gn_progression;
typedef struct { gn_progression re; gn_progression im; double base; int64_t steps; } gn_space;
"""
_ARANGE = "fill_arange"
_LINSPACE, _LOGSPACE = _SPACES = ("fill_space<0>", "fill_space<1>")


def _arange(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    (out,) = tensors
    numbers = [work.structure("gn_scalar", scalar_forms(arguments[name])) for name in ("start", "step")]
    grid = work.grid(out._spec.numel)
    work.launch(TEXT, out._spec.dtype.name, _ARANGE, grid, [work.view(out), *numbers])
    return OK


def _parts(number: Any) -> tuple[float, float]:
    return float(number.real), float(number.imag)


def _linspace(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    """The bounds are rounded to the dtype, and for floating point dtypes so is the step."""
    dtype = tensors[0]._spec.dtype
    bounds = [dtype.cast(arguments[name]) for name in ("start", "end")]
    return _space(work, tensors[0], _LINSPACE, bounds, arguments["steps"], dtype.category > 1)


def _logspace(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    """For an integer dtype the bounds are rounded to it."""
    dtype = tensors[0]._spec.dtype
    bounds = [arguments[name] for name in ("start", "end")]
    if dtype.category == 1:
        bounds = [dtype.cast(each) for each in bounds]
    return _space(work, tensors[0], _LOGSPACE, bounds, arguments["steps"], False, arguments["base"])


def _space(
    work: Work,
    out: Any,
    kernel: str,
    bounds: Sequence[Any],
    steps: int,
    is_rounded: bool,
    base: float = 0.0,
) -> int:
    """Evenly spaced numbers between two bounds, for complex ones by parts, with a rounded step or not."""
    dtype = out._spec.dtype
    if out._spec.numel:
        progressions = []
        for start, end in zip(*map(_parts, bounds)):
            step = (end - start) / (steps - 1) if steps > 1 else 0.0
            progressions.append((start, end, dtype.cast(step).real if is_rounded else step))
        space = work.structure("gn_space", (*progressions, float(base), out._spec.numel))
        grid = work.grid(out._spec.numel)
        work.launch(TEXT, dtype.name, kernel, grid, [work.view(out), space], _SPACES)
    return OK


def programs() -> Iterator[Program]:
    """All programs of this family."""
    yield from for_each(TEXT, DTYPES["ALL"], _SPACES)
    yield from for_each(TEXT, DTYPES["REAL"], (_ARANGE,))


def kernels(runtime: Any) -> tuple[dict[str, Any], dict[str, tuple[str, ...]], dict[str, str]]:
    """The kernels, the dtypes and the source locations, each by operator."""
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
