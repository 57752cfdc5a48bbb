"""Fourier transforms along dimensions, one after the other, by csrc/cuda/fourier.cu.

Between two dimensions the elements are in a buffer, as pairs of doubles; the first pass reads the input, and
the last one writes the output, rounded once.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from gnomon.memory.prepared import OK
from gnomon.values.dtype import complex128

from .allocator import Memory
from .direct import Direct, Work, tables
from .geometry import MOVED_DTYPE, Operand, merged, product
from .indexing import copy
from .launcher import THREADS
from .programs import Program
from .tables import DTYPES

TEXT = "fourier.cu"
STRUCTURES = """
typedef struct {
    int64_t length; int64_t inner; int64_t lines; int32_t beside; int32_t factor_count; int32_t factors[64];
    uintptr_t roots; uintptr_t chirp; uintptr_t filter;
} gn_fourier;
typedef struct {
    gn_view source; gn_view out; int64_t in_step; int64_t out_step; int64_t count; int32_t hermitian;
    double divisor;
} gn_pass;
"""
# As in fourier.cu.
LARGEST_PRIME = 31
SHORT = 1024
POINT_BYTES = 16
KERNELS = (
    *("make_roots", "make_chirp", "transform_short", "load_lines", "filter_lines", "store_lines"),
    "run_stage",
)
_COMPLEX = ("complex64", "complex128")


class _Plan(NamedTuple):
    """How to transform lines of one length: the factors of ``inner``, and the tables in device memory."""

    length: int
    inner: int
    factors: list[int]
    roots: Memory
    chirp: Memory | None = None
    filter: Memory | None = None

    def structure(self, work: Work, lines: int, beside: bool = False) -> Any:
        """The parameter ``gn_fourier`` for ``lines`` lines."""
        places = (0 if each is None else each.address for each in (self.roots, self.chirp, self.filter))
        sizes = self.length, self.inner, lines
        return work.structure("gn_fourier", (*sizes, beside, len(self.factors), self.factors, *places))


def _factors(length: int) -> list[int]:
    """The factors of a length, 4 first; the last may be a remainder with too large prime factors."""
    found = []
    for factor in (4, *range(2, LARGEST_PRIME + 1)):
        while length % factor == 0:
            found.append(factor)
            length //= factor
    return found if length == 1 else [*found, length]


def _launch(work: Work, kernel: str, steps: int, parameters: Sequence[Any]) -> None:
    work.launch(TEXT, MOVED_DTYPE, kernel, work.grid(steps), parameters, KERNELS)


def _roots(work: Work, count: int, forward: bool) -> Memory:
    roots = work.temporary(count * POINT_BYTES)
    _launch(work, "make_roots", count, [work.pointer(roots), work.int64(count), work.int32(forward)])
    return roots


def _plan(work: Work, length: int, forward: bool) -> _Plan:
    factors = _factors(length)
    if max(factors, default=1) <= LARGEST_PRIME:
        return _Plan(length, length, factors, _roots(work, length, forward))
    inner = 1 << (2 * length - 2).bit_length()
    found = _Plan(length, inner, _factors(inner), _roots(work, inner, True))
    chirp, waves = work.temporary(length * POINT_BYTES), work.temporary(inner * POINT_BYTES)
    parameters = [work.pointer(chirp), work.pointer(waves)]
    parameters += [work.int64(length), work.int64(inner), work.int32(forward)]
    _launch(work, "make_chirp", inner, parameters)
    waves, _ = _run_stages(work, found, found.structure(work, 1), waves, work.temporary(inner * POINT_BYTES))
    return found._replace(chirp=chirp, filter=waves)


def _run_stages(
    work: Work, plan: _Plan, structure: Any, buffer: Memory, other: Memory
) -> tuple[Memory, Memory]:
    """Runs all stages on a buffer, alternating with another one; returns the buffer with the result first."""
    groups, step = plan.inner, 1
    for factor in plan.factors:
        groups //= factor
        parameters = [structure, work.pointer(buffer), work.pointer(other)]
        parameters += [work.int32(factor), work.int64(groups), work.int64(step)]
        _launch(work, "run_stage", structure.lines * plan.inner // factor, parameters)
        step *= factor
        buffer, other = other, buffer
    return buffer, other


def _run_pass(
    work: Work, plan: _Plan, source: Operand, out: Operand, dim: int, hermitian: bool, divisor: float
) -> None:
    """Transforms along a dimension from ``source`` to ``out``."""
    others = [each for each in range(len(out.sizes)) if each != dim]
    # coalesced, because each dimension costs a division per element
    views = merged(source.chosen(others), out.chosen(others))
    lines = product(out.sizes[each] for each in others)
    beside = lines > 1 and any(
        1 < source.sizes[each] and abs(source.strides[each]) < abs(source.strides[dim]) for each in others
    )
    structure = plan.structure(work, lines, beside)
    content = (
        *(view.view(work)[0] for view in views),
        *(source.strides[dim], out.strides[dim], out.sizes[dim], hermitian, divisor),
    )
    description = work.structure("gn_pass", content)
    if plan.inner <= SHORT:
        together = SHORT // plan.inner
        blocks = -(-lines // together)
        parameters = [structure, description, work.int32(together)]
        _launch(work, "transform_short", blocks * THREADS, parameters)
        return
    steps = lines * plan.inner
    buffer, other = work.temporary(steps * POINT_BYTES), work.temporary(steps * POINT_BYTES)
    _launch(work, "load_lines", steps, [structure, description, work.pointer(buffer)])
    buffer, other = _run_stages(work, plan, structure, buffer, other)
    if plan.chirp is not None:
        _launch(work, "filter_lines", steps, [structure, work.pointer(buffer)])
        buffer, other = _run_stages(work, plan, structure, buffer, other)
    _launch(work, "store_lines", steps, [structure, description, work.pointer(buffer)])


def _between(work: Work, sizes: Sequence[int]) -> tuple[Operand, Memory]:
    """A contiguous buffer of points."""
    strides = [POINT_BYTES] * len(sizes)
    for dim in range(len(sizes) - 2, -1, -1):
        strides[dim] = strides[dim + 1] * sizes[dim + 1]
    memory = work.temporary(product(sizes) * POINT_BYTES)
    return Operand(memory.address, complex128.code, POINT_BYTES, sizes, strides), memory


def _run(
    work: Work,
    tensors: Sequence[Any],
    dims: Sequence[int],
    lengths: Sequence[int],
    sizes: Sequence[int],
    normalization: int,
    forward: bool,
) -> int:
    """Transforms along dimensions of given lengths; ``sizes`` are those of intermediate results."""
    out, source = (Operand.of(each) for each in tensors)
    if out.numel == 0:
        return OK
    if not dims:
        copy(work, out, source)
        return OK
    count = product(lengths)
    divisor = 1.0 if normalization == 0 else math.sqrt(count) if normalization == 1 else float(count)
    plans: dict[int, _Plan] = {}
    between, _memory = _between(work, sizes) if len(dims) > 1 else (out, None)
    is_real = tensors[0]._spec.dtype.name not in _COMPLEX
    for place, (dim, length) in enumerate(zip(dims, lengths)):
        if length not in plans:
            plans[length] = _plan(work, length, forward)
        is_last = place == len(dims) - 1
        to = out if is_last else between
        _run_pass(work, plans[length], source, to, dim, is_last and is_real, divisor if is_last else 1.0)
        source = to
    return OK


def _dims(tensor: Any, arguments: dict[str, Any]) -> list[int]:
    return [dim % max(tensor._spec.ndim, 1) for dim in arguments["dim"]]


def _c2c(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    sizes, dims = Operand.of(tensors[1]).sizes, _dims(tensors[1], arguments)
    lengths = [sizes[dim] for dim in dims]
    return _run(work, tensors, dims, lengths, sizes, arguments["normalization"], bool(arguments["forward"]))


def _r2c(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    """Transforms the last dimension first, and stores only the needed part of it."""
    sizes, dims = Operand.of(tensors[1]).sizes, _dims(tensors[1], arguments)
    dims = [dims[-1], *dims[:-1]]
    lengths = [sizes[dim] for dim in dims]
    between = Operand.of(tensors[0]).sizes
    return _run(work, tensors, dims, lengths, between, arguments["normalization"], True)


def _c2r(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    """Transforms the last dimension last, from its first half."""
    sizes, dims = Operand.of(tensors[1]).sizes, _dims(tensors[1], arguments)
    lengths = [*(sizes[dim] for dim in dims[:-1]), arguments["last_dim_size"]]
    return _run(work, tensors, dims, lengths, sizes, arguments["normalization"], False)


def programs() -> Iterator[Program]:
    """All programs of this family."""
    yield Program(TEXT, MOVED_DTYPE, KERNELS)


def kernels(runtime: Any) -> tuple[dict[str, Any], dict[str, tuple[str, ...]], dict[str, str]]:
    """The kernels, the dtypes and the source locations, each by operator."""
    runtime.declare(STRUCTURES)
    source = f"csrc/cuda/{TEXT}"
    return tables(
        runtime,
        [
            Direct("_fft_c2c", _COMPLEX, _c2c, source),
            Direct("_fft_r2c", DTYPES["PRECISE"], _r2c, source),
            Direct("_fft_c2r", _COMPLEX, _c2r, source),
        ],
    )
