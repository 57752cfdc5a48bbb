"""Random operators, which use the generator's stream, by csrc/cuda/random.cu."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from gnomon.memory.prepared import BAD_VALUE, OK

from .direct import Direct, Work, tables
from .programs import Program
from .tables import DTYPES

TEXT = "random.cu"
STRUCTURES = """
typedef struct {
    uint64_t seed; uint64_t low; uint64_t high; double a; double b; int64_t least; uint64_t range;
} gn_random;
"""
# Operator -> its distribution in the source, and its dtypes.
_DISTRIBUTIONS: dict[str, tuple[str, str]] = {
    "uniform_": ("uniform", "FRACTIONAL"),
    "normal_": ("normal", "FRACTIONAL"),
    "exponential_": ("exponential", "FLOATING"),
    "cauchy_": ("cauchy", "FLOATING"),
    "log_normal_": ("log_normal", "FLOATING"),
    "geometric_": ("geometric", "REAL"),
    "bernoulli_.float": ("bernoulli", "ORDERED"),
    "random_.from": ("integers", "ORDERED"),
}
_WORDS = "fill_random<%s_distribution>"
_POISSON = "fill_poisson"
# Operator of one or more tensors, without other parameters -> its function.
_REJECTION = {"_standard_gamma": "fill_standard_gamma", "binomial": "fill_binomial"}
_WIDE = ("float32", "float64")
_GROUPS = {
    dtype: [_WORDS % name for name, dtypes in _DISTRIBUTIONS.values() if dtype in DTYPES[dtypes]]
    + ([_POISSON] if dtype in DTYPES["FLOATING"] else [])
    + (list(_REJECTION.values()) if dtype in _WIDE else [])
    for dtype in DTYPES["ALL"]
}


def _parameters(work: Work, arguments: dict[str, Any], is_of_integers: bool = False) -> Any:
    """The structure ``gn_random`` of a call: its stream, and the other arguments in the schema's order."""
    seed, low, high = arguments["generator"]
    others = [value for name, value in arguments.items() if name != "generator"]
    if is_of_integers:
        least, end = others
        return work.structure("gn_random", (seed, low, high, 0.0, 0.0, least, (end - least) % 2**64))
    a, b = (*map(float, others), 0.0, 0.0)[:2]
    return work.structure("gn_random", (seed, low, high, a, b, 0, 0))


def _fill(distribution: str) -> Any:
    def run(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
        out = tensors[0]
        random = _parameters(work, arguments, distribution == "integers")
        dtype = out._spec.dtype.name
        parameters = [work.view(out), work.int32(out._spec.is_contiguous), random]
        work.launch(
            TEXT, dtype, _WORDS % distribution, work.grid(out._spec.numel), parameters, _GROUPS[dtype]
        )
        return OK

    return run


def _poisson(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    """May write to the output before it refuses a rate: the output is new, so nobody sees that."""
    out, rates = tensors
    fault = work.flag()
    parameters = [work.view(out), work.view(rates), _parameters(work, arguments), work.pointer(fault)]
    dtype = out._spec.dtype.name
    work.launch(TEXT, dtype, _POISSON, work.grid(out._spec.numel), parameters, _GROUPS[dtype])
    return BAD_VALUE if work.is_set(fault) else OK


def _reject(function: str) -> Any:
    def run(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
        spec = tensors[0]._spec
        parameters = [*map(work.view, tensors), _parameters(work, arguments)]
        dtype = spec.dtype.name
        work.launch(TEXT, dtype, function, work.grid(spec.numel), parameters, _GROUPS[dtype])
        return OK

    return run


def programs() -> Iterator[Program]:
    """All programs of this family."""
    for dtype, group in _GROUPS.items():
        yield Program(TEXT, dtype, tuple(group))


def kernels(runtime: Any) -> tuple[dict[str, Any], dict[str, tuple[str, ...]], dict[str, str]]:
    """The kernels, the dtypes and the source locations, each by operator."""
    runtime.declare(STRUCTURES)
    source = f"csrc/cuda/{TEXT}"
    found = [
        Direct(name, DTYPES[dtypes], _fill(distribution), source)
        for name, (distribution, dtypes) in _DISTRIBUTIONS.items()
    ]
    found += [Direct(name, _WIDE, _reject(function), source) for name, function in _REJECTION.items()]
    return tables(runtime, [*found, Direct("poisson", DTYPES["FLOATING"], _poisson, source)])
