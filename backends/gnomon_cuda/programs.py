"""Programs: the kernels of a text for one dtype, compiled on first use and loaded on each device."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from gnomon.values.locks import new_in_each_process

from . import sources
from .cache import ImageCache
from .compiler import Compiler
from .driver import Driver
from .tables import CODES

_lock = new_in_each_process(globals(), "_lock", threading.Lock)


class Programs:
    """Finds kernels by text, dtype and C++ expression.

    A compiler starts slowly and then goes on fast, so neighbours of a kernel are compiled with it: the caller
    says which, and ``batch`` how many at once.
    """

    def __init__(self, driver: Driver, compiler: Compiler, cache: ImageCache, batch: int):
        self._driver = driver
        self._compiler = compiler
        self._cache = cache
        self._batch = batch
        self._functions: dict[tuple[int, str, str, str], int] = {}

    def function(self, device: int, text: str, dtype: str, kernel: str, group: Sequence[str]) -> int:
        """The function of ``kernel`` ("pointwise_dense<exp_operation, 4>") of csrc/cuda/``text`` on a device,
        whose context is current.

        ``group``: the kernels to compile with it, itself among them, always in the same order.
        """
        key = device, text, dtype, kernel
        found = self._functions.get(key)
        if found is None:
            with _lock:
                if key not in self._functions:
                    self._load(device, text, dtype, kernel, group)
            found = self._functions[key]
        return found

    def _load(self, device: int, text: str, dtype: str, kernel: str, group: Sequence[str]) -> None:
        first = group.index(kernel) // self._batch * self._batch
        chosen = list(group[first : first + self._batch])
        source = f"#define GN_CUDA_CODE {CODES[dtype]}\n" + sources.text(f"cuda/{text}")
        image = self._cache.compile(self._compiler, source, chosen, self._driver.architecture(device))
        module = self._driver.load_module(image.data)
        for each in chosen:
            function = self._driver.function(module, image.symbols[each])
            self._functions[device, text, dtype, each] = function
