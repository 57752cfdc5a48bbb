"""Timer: how long a statement takes."""

from __future__ import annotations

import enum
import statistics
import sys
import textwrap
import timeit
from collections.abc import Callable
from typing import Any

from ... import accelerator
from .measurement import Measurement, TaskSpec, set_torch_threads

_MOST_RUNS = 2**31 - 1


class Language(enum.Enum):
    """Languages of statements; gnomon times Python."""

    PYTHON = 0
    CPP = 1


def timer() -> float:
    """The clock in seconds, after the accelerator, if there is one, has completed its work."""
    if accelerator.is_available():
        accelerator.synchronize()
    return timeit.default_timer()


class Timer:
    """Times a statement, as ``timeit.Timer`` does, with threads and devices in mind.

    stmt, setup   code in Python; blocks may be indented
    timer         the clock; the default one waits for the accelerator
    globals       variables of the code; it also has ``gnomon`` and ``gn``, and ``torch`` if the program has
                  imported gnomon.compat.torch
    label, sub_label, description, env
                  names, by which Compare makes a table
    num_threads   while it runs

    Raises ValueError for a statement that is no text, for ``global_setup``, and for an unknown language;
    NotImplementedError for C++.  Source: torch.utils.benchmark.Timer.
    """

    def __init__(
        self,
        stmt: str = "pass",
        setup: str = "pass",
        global_setup: str = "",
        timer: Callable[[], float] = timer,
        globals: dict[str, Any] | None = None,
        label: str | None = None,
        sub_label: str | None = None,
        description: str | None = None,
        env: str | None = None,
        num_threads: int = 1,
        language: Language | str = Language.PYTHON,
    ) -> None:
        if not isinstance(stmt, str):
            raise ValueError("Currently only a `str` stmt is supported.")
        if language in (Language.CPP, "cpp", "c++"):
            raise NotImplementedError("gnomon.utils.benchmark.Timer: gnomon compiles no C++; it times Python")
        if language not in (Language.PYTHON, "py", "python"):
            raise ValueError(f"Invalid language `{language}`.")
        if global_setup:
            raise ValueError(
                f"global_setup is C++ only, got `{global_setup}`. Most likely this code can simply be moved "
                "to `setup`."
            )
        package = __name__.partition(".")[0]
        names = {package: package, "gn": package, "torch": f"{package}.compat.torch"}
        known = {name: sys.modules[module] for name, module in names.items() if module in sys.modules}
        stmt, setup = _block(stmt), _block(setup)
        self._timer = timeit.Timer(stmt, setup, timer, {**known, **(globals or {})})
        self._task_spec = TaskSpec(stmt, setup, global_setup, label, sub_label, description, env, num_threads)

    def _timeit(self, number: int) -> float:
        return max(self._timer.timeit(number), 1e-9)  # so that nothing is divided by zero

    def timeit(self, number: int = 1000000) -> Measurement:
        """Runs the statement ``number`` times, after some more to warm up; one time, of all."""
        with set_torch_threads(self._task_spec.num_threads):
            self._timeit(max(number // 100, 2))
            return Measurement(number, [self._timeit(number)], self._task_spec)

    def repeat(self, repeat: int = -1, number: int = -1) -> None:
        """Raises NotImplementedError: see ``blocked_autorange``."""
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def autorange(self, callback: Callable[[int, float], Any] | None = None) -> None:
        """Raises NotImplementedError: see ``blocked_autorange``."""
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def blocked_autorange(
        self, callback: Callable[[int, float], Any] | None = None, min_run_time: float = 0.2
    ) -> Measurement:
        """Times blocks of runs for at least ``min_run_time`` seconds.

        A block has so many runs that reading the clock does not count.  ``callback(number, time)`` is called
        after each block.
        """
        return self._measure(min_run_time, min_run_time, None, callback, lambda measured: True)

    def adaptive_autorange(
        self,
        threshold: float = 0.1,
        *,
        min_run_time: float = 0.01,
        max_run_time: float = 10.0,
        callback: Callable[[int, float], Any] | None = None,
    ) -> Measurement:
        """Like ``blocked_autorange``, until the interquartile range is less than ``threshold`` of the median.

        It times at least four blocks and ``min_run_time`` seconds, but, whatever the spread, no more blocks
        after ``max_run_time``.
        """

        def is_known(measured: Measurement) -> bool:
            return len(measured.raw_times) > 3 and measured.meets_confidence(threshold)

        return self._measure(0.05, min_run_time, max_run_time, callback, is_known)

    def _measure(
        self,
        block_time: float,
        least: float,
        most: float | None,
        callback: Callable[[int, float], Any] | None,
        is_enough: Callable[[Measurement], bool],
    ) -> Measurement:
        with set_torch_threads(self._task_spec.num_threads):
            measured = Measurement(self._block_size(block_time), [], self._task_spec)
            total = 0.0
            while True:
                time = self._timeit(measured.number_per_run)
                measured.raw_times.append(time)
                total += time
                if callback is not None:
                    callback(measured.number_per_run, time)
                if (total >= least and is_enough(measured)) or (most and total > most):
                    return measured

    def _block_size(self, min_run_time: float) -> int:
        """A power of ten: the runs take 10000 times as long as reading the clock, or that time."""
        overhead = statistics.median(self._timeit(0) for _ in range(5))
        number = 1
        while True:
            time = self._timeit(number)
            is_long = overhead / time <= 1e-4 and time >= min_run_time / 1000
            if is_long or time > min_run_time or number * 10 > _MOST_RUNS:
                return number
            number *= 10

    def collect_callgrind(
        self,
        number: int = 100,
        *,
        repeats: int | None = None,
        collect_baseline: bool = True,
        retain_out_file: bool = False,
    ) -> Any:
        """Raises NotImplementedError: gnomon counts no instructions."""
        raise NotImplementedError(
            "gnomon.utils.benchmark.Timer.collect_callgrind: gnomon does not count instructions; use "
            "blocked_autorange, or run the program with valgrind"
        )


def _block(code: str) -> str:
    """Code without the indentation of its block, and without empty lines around it."""
    code = textwrap.dedent(code)
    return code.removeprefix("\n").rstrip()
