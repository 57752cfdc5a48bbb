"""Memory: the time of allocations, and the peak memory of a training step."""

from __future__ import annotations

from collections.abc import Callable

import gnomon as gn
from gnomon_bench import definitions, training

from .operators import library, timer

SIZES = [4, 64 * 2**10, 2**20, 16 * 2**20]


class Allocation:
    """A tensor of ``size`` float32 elements, created and freed."""

    params = [SIZES]
    param_names = ["size"]
    timer = staticmethod(timer)

    def setup(self, size: int) -> None:
        library()

    def time_empty(self, size: int) -> None:
        gn.empty(size)

    def time_several(self, size: int) -> None:
        kept = [gn.empty(size) for _ in range(8)]
        del kept[::2]
        [gn.empty(size) for _ in range(4)]


class _OfSteps:
    """The peak memory of ``step``, which a subclass sets and runs twice before."""

    step: Callable[[], object]

    def peakmem_step(self, *parameters: object) -> None:
        """The peak memory of the whole process."""
        self.step()

    def track_peak(self, *parameters: object) -> int:
        """The peak bytes of tensors beyond those allocated before, on backends that count them."""
        before = gn.accelerator.memory_allocated()
        gn.accelerator.reset_peak_memory_stats()
        self.step()
        return gn.accelerator.max_memory_allocated() - before

    track_peak.unit = "bytes"  # type: ignore[attr-defined]


class Recurrent(_OfSteps):
    """A forward pass and the gradients of two recurrent layers, after two others."""

    params = [list(training.RECURRENT)]
    param_names = ["network"]

    def setup(self, network: str) -> None:
        self.step = training.recurrent(library(), network)
        self.step()
        self.step()


class Attention(_OfSteps):
    """A forward pass and the gradients of ``nn.MultiheadAttention``, after two others."""

    params = [list(training.ATTENTION)]
    param_names = ["shape"]

    def setup(self, shape: training.Attention) -> None:
        self.step = training.attention(library(), shape, True)
        self.step()
        self.step()


class Loading:
    """A pass over the digits by two workers, after another."""

    def setup(self) -> None:
        self.work = definitions.loading(library(), 2, True)
        self.work()

    def peakmem_pass(self) -> None:
        """The peak memory of the main process."""
        self.work()


class Step(_OfSteps):
    """One training step of a small MLP, after two others."""

    params = [["SGD", "Adam"]]
    param_names = ["optimizer"]

    def setup(self, optimizer: str) -> None:
        self.step = training.digits(library(), optimizer)
        self.step()
        self.step()

    def track_left_behind(self, optimizer: str) -> int:
        """Bytes of tensors that steps leave allocated: none."""
        before = gn.accelerator.memory_allocated()
        for _ in range(10):
            self.step()
        return gn.accelerator.memory_allocated() - before

    track_left_behind.unit = "bytes"  # type: ignore[attr-defined]


class Update(_OfSteps):
    """The step of an optimizer alone, with 60 parameters, after two others."""

    params = [list(training.OPTIMIZERS)]
    param_names = ["optimizer"]

    def setup(self, optimizer: str) -> None:
        self.step = training.update(library(), optimizer)
        self.step()
        self.step()

    def time_step(self, optimizer: str) -> None:
        self.step()
