"""Mutants whose faults depend on time: those of asynchronous devices, and of kernels called repeatedly."""

from __future__ import annotations

import itertools
from typing import Any

from .loopback import Queueing, right
from .mutants import mutant


@mutant("late error lost", "the error of an asynchronous kernel is never raised", "errors_agree[gather]")
def _() -> Queueing:
    class Mutated(Queueing):
        def _queued(self, kernel: Any) -> Any:
            def quiet(*arguments: Any) -> None:
                try:
                    kernel(*arguments)
                except RuntimeError:
                    pass

            return super()._queued(quiet)

    return Mutated()


@mutant(
    "late error kept",
    "an asynchronous error is raised again by later synchronizations",
    "errors_agree[gather]",
)
def _() -> Queueing:
    class Mutated(Queueing):
        error: Exception | None = None

        def synchronize(self, index: int) -> None:
            """Raises the first error again each time."""
            if self.error is None:
                try:
                    super().synchronize(index)
                except RuntimeError as error:
                    self.error = error
            if self.error is not None:
                raise self.error

    return Mutated()


@mutant("nobody waits", "results are read before the kernel that writes them has run", "forward[neg-float32]")
def _() -> Queueing:
    class Mutated(Queueing):
        def host_view(self, memory: bytearray, nbytes: int) -> memoryview:
            """Without synchronizing first."""
            return memoryview(memory)

        def copy_out(self, memory: bytearray, offset: int, nbytes: int) -> memoryview:
            """Without synchronizing first."""
            return memoryview(memory)[offset : offset + nbytes]

    return Mutated()


@mutant("tires", "from its fourth call on, a kernel does nothing", "model[perceptron-float32]")
def _() -> dict[str, Any]:
    calls = itertools.count()

    def kernel(*arguments: Any) -> None:
        if next(calls) < 3:
            right["_fused_sgd_"](*arguments)

    return {"_fused_sgd_": kernel}
