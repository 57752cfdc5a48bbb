"""The basic calls of each tier, which everything in it and in the tiers above it depends on.

``python -m gnomon_conformance.collection.foundation NAME`` makes them and prints one line of JSON per tier,
so that the process that started it (plugin.py) learns how far a backend gets that crashes or hangs.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any, NamedTuple

import gnomon as gn
from gnomon.calls import launch
from gnomon.memory.backend import get_backend

from ..comparison.differences import differences, gradient_differences
from ..comparison.tolerances import Tolerance
from ..execution.runner import Gnomon, differentiate, run
from ..reporting.reproduction import explain
from ..samples import good_samples
from .selection import operators
from .tiers import TIERS

LIMIT = 60  # seconds for one tier; a backend that takes longer counts as hanging

# tier -> the operators called, in float32 and int64 where they take them, in row-major order
CALLS = {
    "memory": ("clone", "_to_copy", "full", "zeros_like"),
    "views": ("view", "transpose.int", "slice.Tensor", "expand"),
    "pointwise": ("add.Tensor", "mul.Tensor", "neg", "exp", "eq.Tensor"),
    "reductions": ("sum.dim_IntList", "max.dim"),
    "matrix": ("mm", "addmm"),
    "indexing": ("index_select", "gather"),
    "neural network": ("relu", "_softmax", "native_layer_norm"),
    "autograd": ("mul.Tensor", "sum.dim_IntList"),
    "random": ("bernoulli.p", "randperm"),
    "threads": ("add.Tensor",),
    "models": ("addmm", "relu", "_log_softmax"),
}
DTYPES = ("float32", "int64")


class Foundation(NamedTuple):
    """The result of one tier's basic calls: "" if they succeed, else the problem."""

    tier: str
    problem: str


def check_tier(tier: str, backend: Any) -> str:
    """Make the calls of one tier; return the first difference from the reference, or ""."""
    for name in CALLS[tier]:
        operator = operators().get(name)
        for dtype in DTYPES if operator is not None else ():
            for _, sample in good_samples(name, dtype)[:2]:
                pair = Gnomon("reference"), Gnomon(backend.device_type)
                devices = ("reference", backend.device_type)
                if tier == "autograd" and sample.differentiable:
                    wanted, found = (
                        differentiate(each, operator, sample, dtype, "contiguous") for each in pair
                    )
                    problems = gradient_differences(found, wanted)
                else:
                    expected, actual = (run(each, operator, sample, dtype, "contiguous") for each in pair)
                    problems = differences(actual, expected, Tolerance(operator, sample, dtype, "contiguous"))
                if problems:
                    return explain(problems, operator, sample, dtype, "contiguous", devices)
    return ""


def check(name: str) -> list[Foundation]:
    """Check all tiers of backend ``name`` in child processes; after a crash, a new one continues."""
    found: list[Foundation] = []
    while len(found) < len(TIERS):
        tier = list(TIERS)[len(found)]
        command = [sys.executable, "-m", __name__, name, tier]
        try:
            # a crash ends only the child process; the next one starts with the following tier
            ended = subprocess.run(
                command, capture_output=True, text=True, timeout=LIMIT * (len(TIERS) - len(found))
            )
            output, said = ended.stdout, f"the process ended with status {ended.returncode}: {ended.stderr}"
        except subprocess.TimeoutExpired as error:
            output = error.stdout if isinstance(error.stdout, str) else (error.stdout or b"").decode()
            said = "it hangs"
        lines = [Foundation(*json.loads(line)) for line in output.splitlines() if line.startswith('["')]
        found += lines
        if len(found) < len(TIERS):
            found.append(Foundation(list(TIERS)[len(found)], said[-2000:]))
    return found


def main(name: str, first: str) -> None:
    """Print a line of JSON for each tier from ``first`` on."""
    backend = get_backend(name)
    gn.set_default_device("reference")
    launch.set_fallback_policy("allow")
    for tier in list(TIERS)[list(TIERS).index(first) :]:
        print(json.dumps(Foundation(tier, check_tier(tier, backend))), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
