"""Timing of statements: Timer, Measurement, Compare, and Fuzzer for their inputs.

Source: torch.utils.benchmark.  Counts of instructions (Callgrind) and sparse tensors are not here.
"""

from ...values.absent import absent
from .compare import Colorize, Compare
from .fuzzer import FuzzedParameter, FuzzedTensor, Fuzzer, ParameterAlias
from .measurement import (
    Measurement,
    TaskSpec,
    ordered_unique,
    select_unit,
    set_torch_threads,
    trim_sigfig,
    unit_to_english,
)
from .timer import Language, Timer, timer

__all__ = [
    "Colorize",
    "Compare",
    "FuzzedParameter",
    "FuzzedTensor",
    "Fuzzer",
    "Language",
    "Measurement",
    "ParameterAlias",
    "TaskSpec",
    "Timer",
    "ordered_unique",
    "select_unit",
    "set_torch_threads",
    "timer",
    "trim_sigfig",
    "unit_to_english",
]

__getattr__ = absent(__name__, "gnomon counts no instructions, and draws no sparse tensors")
