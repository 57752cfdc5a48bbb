"""The two thread implementations for calls of the C backend: its own pool, and OpenMP."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import gnomon as gn

from .operators import BACKEND


class Parallel:
    """Calls with this many elements on all threads; skipped if the library has only one implementation."""

    params = (["native", "openmp"], ["add", "exp", "sum", "softmax", "sort"], [1 << 17, 1 << 20])
    param_names = ("parallel", "operator", "elements")

    def setup(self, parallel: str, operator: str, elements: int) -> None:
        if BACKEND != "c" or not gn.backends()["c"].available:
            raise NotImplementedError("this is of the C backend")
        self.library = importlib.import_module("gnomon_c")
        if not hasattr(self.library, "parallels") or parallel not in self.library.parallels():
            raise NotImplementedError(f"the library was built without {parallel}")
        self.before = self.library.get_parallel()
        self.library.set_parallel(parallel)
        x = gn.rand(elements // 256, 256, device="c")
        calls: dict[str, Callable[[], Any]] = {
            "add": lambda: x + x,
            "exp": lambda: x.exp(),
            "sum": lambda: x.sum(),
            "softmax": lambda: x.softmax(1),
            "sort": lambda: x.view(-1).sort(),
        }
        self.work = calls[operator]
        self.work()  # one-time planning, allocation and thread creation

    def teardown(self, parallel: str, operator: str, elements: int) -> None:
        if hasattr(self, "before"):
            self.library.set_parallel(self.before)

    def time_call(self, parallel: str, operator: str, elements: int) -> None:
        self.work()
