"""Programs: the kernels of a source file for one dtype, compiled at first use and loaded on each device."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from gnomon.values.locks import new_in_each_process

from . import sources
from .cache import ImageCache
from .compiler import Compiler
from .driver import Driver
from .tables import CODES

_lock = new_in_each_process(globals(), "_lock", threading.Lock)


class Program(NamedTuple):
    """Kernels that are compiled together; a family lists all kernels that it may ever use as programs.

    text     the source file, below csrc/cuda
    dtype    the dtype that it is compiled for
    kernels  C++ expressions, in the order in which they are compiled
    """

    text: str
    dtype: str
    kernels: tuple[str, ...]

    @property
    def source(self) -> str:
        """The text for the compiler, without the included files."""
        return f"#define GN_CUDA_CODE {CODES[self.dtype]}\n" + sources.text(f"cuda/{self.text}")


def for_each(text: str, dtypes: Iterable[str], kernels: Sequence[str]) -> Iterator[Program]:
    """Programs with the same kernels for each dtype."""
    for dtype in dtypes:
        yield Program(text, dtype, tuple(kernels))


def one_by_one(text: str, dtype: str, kernels: Iterable[str]) -> Iterator[Program]:
    """A separate program for each kernel."""
    for kernel in kernels:
        yield Program(text, dtype, (kernel,))


class Programs:
    """Finds kernels by source file, dtype and C++ expression.

    A compiler has a long start-up time, so a kernel is compiled together with neighbours: the caller lists
    them, and ``batch`` is how many are compiled at once.

    ``listed`` returns the programs of all families.  The emulation accepts no others, so that compiling them
    with NVIDIA's compiler without a GPU covers everything that will ever be compiled on one.
    """

    def __init__(
        self,
        driver: Driver,
        compiler: Compiler,
        cache: ImageCache,
        batch: int,
        listed: Callable[[], Iterable[Program]] = tuple,
    ):
        self._driver = driver
        self._list = listed
        self._compiler = compiler
        self._cache = cache
        self._batch = batch
        self._functions: dict[tuple[int, str, str, str], int] = {}

    def function(self, device: int, text: str, dtype: str, kernel: str, group: Sequence[str]) -> int:
        """The function of ``kernel`` ("pointwise_dense<exp_operation, 4>") of csrc/cuda/``text`` on a device,
        whose context is current.

        ``group``: the kernels that are compiled with it, including itself, always in the same order.
        """
        key = device, text, dtype, kernel
        found = self._functions.get(key)
        if found is None:
            with _lock:
                if key not in self._functions:
                    self._load(device, text, dtype, kernel, group)
            found = self._functions[key]
        return found

    @functools.cached_property
    def _listed(self) -> frozenset[Program]:
        return frozenset(self._list())

    def _load(self, device: int, text: str, dtype: str, kernel: str, group: Sequence[str]) -> None:
        program = Program(text, dtype, tuple(group))
        if self._driver.emulated and program not in self._listed:
            raise LookupError(f"{kernel} of {text} for {dtype} is not listed by the programs() of any family")
        first = group.index(kernel) // self._batch * self._batch
        chosen = list(group[first : first + self._batch])
        image = self._cache.compile(self._compiler, program.source, chosen, self._driver.architecture(device))
        module = self._driver.load_module(image.data)
        for each in chosen:
            function = self._driver.function(module, image.symbols[each])
            self._functions[device, text, dtype, each] = function
