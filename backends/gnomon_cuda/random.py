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
# Operator -> its distribution in the source, its dtypes, and the arguments that are its parameters.
_DISTRIBUTIONS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "uniform_": ("uniform", "FRACTIONAL", ("from", "to")),
    "normal_": ("normal", "FRACTIONAL", ("mean", "std")),
    "exponential_": ("exponential", "FLOATING", ("lambd",)),
    "cauchy_": ("cauchy", "FLOATING", ("median", "sigma")),
    "log_normal_": ("log_normal", "FLOATING", ("mean", "std")),
    "geometric_": ("geometric", "REAL", ("p",)),
    "bernoulli_.float": ("bernoulli", "ORDERED", ("p",)),
    "random_.from": ("integers", "ORDERED", ()),
}
_WORDS = "fill_random<%s_distribution>"
_POISSON = "fill_poisson"
_GROUPS = {
    dtype: [_WORDS % name for name, dtypes, _ in _DISTRIBUTIONS.values() if dtype in DTYPES[dtypes]]
    + ([_POISSON] if dtype in DTYPES["FLOATING"] else [])
    for dtype in DTYPES["ALL"]
}


def _parameters(work: Work, arguments: dict[str, Any], names: Sequence[str]) -> Any:
    """The structure ``gn_random`` of a call."""
    seed, low, high = arguments["generator"]
    a, b = (*(float(arguments[name]) for name in names), 0.0, 0.0)[:2]
    return work.structure("gn_random", (seed, low, high, a, b, 0, 0))


def _fill(distribution: str, names: Sequence[str]) -> Any:
    def run(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
        out = tensors[0]
        random = _parameters(work, arguments, names)
        if distribution == "integers":
            random.least = arguments["from"]
            random.range = (arguments["to"] - arguments["from"]) % 2**64
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
    parameters = [work.view(out), work.view(rates), _parameters(work, arguments, ()), work.pointer(fault)]
    dtype = out._spec.dtype.name
    work.launch(TEXT, dtype, _POISSON, work.grid(out._spec.numel), parameters, _GROUPS[dtype])
    return BAD_VALUE if work.is_set(fault) else OK


def programs() -> Iterator[Program]:
    """All programs of this family."""
    for dtype, group in _GROUPS.items():
        yield Program(TEXT, dtype, tuple(group))


def kernels(runtime: Any) -> tuple[dict[str, Any], dict[str, tuple[str, ...]], dict[str, str]]:
    """The kernels, the dtypes and the source locations, each by operator."""
    runtime.declare(STRUCTURES)
    source = f"csrc/cuda/{TEXT}"
    found = [
        Direct(name, DTYPES[dtypes], _fill(distribution, names), source)
        for name, (distribution, dtypes, names) in _DISTRIBUTIONS.items()
    ]
    return tables(runtime, [*found, Direct("poisson", DTYPES["FLOATING"], _poisson, source)])
