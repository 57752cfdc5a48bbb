"""Observes what a backend does during a call: whose code runs, on which device, and what new memory holds."""

from __future__ import annotations

import ctypes
import functools
import gc
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from gnomon.calls import launch
from gnomon.dispatch.record_function import KERNEL, RecordFunctionCallback, RecordScope, observing
from gnomon.memory.backend import reference_backend, register_backend
from gnomon.memory.spec import Spec

POISONS = (0x00, 0xFF, 0x41)  # zeros; NaN, or -1; numbers that are neither


@contextmanager
def native_runs() -> Iterator[Counter[tuple[str, str]]]:
    """Inside the block, the counter counts the kernels run on this thread, by (device type, operator).

    A kernel that declined or raised does not count; if the reference's kernel runs instead, that counts as
    the reference's.
    """
    runs: Counter[tuple[str, str]] = Counter()

    def begin(scope: RecordScope, name: str, launched: Sequence[Any]) -> tuple[str, str]:
        return launched[0].type, name

    def count(run: tuple[str, str], is_done: bool) -> None:
        runs[run] += is_done

    with observing(RecordFunctionCallback(begin, count, scopes=(KERNEL,))):
        yield runs


def _code_of(kernel: Any) -> Any:
    return getattr(getattr(kernel, "func", kernel), "__code__", None)


@contextmanager
def reference_kernels_run() -> Iterator[set[str]]:
    """Inside the block, the set collects the operators whose reference kernels run on this thread.

    A kernel is identified by its code object, so calling it under another name does not hide it.
    """
    operators: dict[int, list[str]] = {}
    for name, kernel in reference_backend.kernels.items():
        operators.setdefault(id(_code_of(kernel)), []).append(name)
    seen: set[str] = set()

    def watch(frame: Any, event: str, argument: Any) -> None:
        if event == "call" and id(frame.f_code) in operators:
            seen.update(operators[id(frame.f_code)])

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        yield seen
    finally:
        sys.setprofile(before)


@contextmanager
def host_copies(backend: Any) -> Iterator[set[str]]:
    """Inside the block, the set collects the operators whose kernels copy to or from the host as they run.

    Prepared kernels (those of a compiled library) are not observed.
    """
    seen: set[str] = set()
    running: list[str] = []
    kernels, copy_in, copy_out = backend.kernels, backend.copy_in, backend.copy_out
    absent = object()  # for an attribute of the class, which the instance does not override
    given = {name: vars(backend).get(name, absent) for name in ("kernels", "copy_in", "copy_out")}

    def watched(name: str, kernel: Callable[..., Any]) -> Callable[..., Any]:
        def run(*arguments: Any) -> Any:
            running.append(name)
            try:
                return kernel(*arguments)
            finally:
                running.pop()

        return run if callable(kernel) else kernel

    def counted(copy: Callable[..., Any]) -> Callable[..., Any]:
        def run(*arguments: Any) -> Any:
            seen.update(running[-1:])
            return copy(*arguments)

        return run

    backend.kernels = {name: watched(name, kernel) for name, kernel in kernels.items()}
    backend.copy_in, backend.copy_out = counted(copy_in), counted(copy_out)
    register_backend(backend)  # discards what was prepared for its kernels
    try:
        yield seen
    finally:
        for name, before in given.items():
            if before is absent:
                delattr(backend, name)
            else:
                setattr(backend, name, before)
        register_backend(backend)


def poison(backend: Any, specs: list[Spec], byte: int) -> None:
    """Fill and free blocks of these sizes, so that a caching allocator returns them for the next tensors."""
    sizes = [max(spec.numel * spec.dtype.itemsize, 1) for spec in specs]
    blocks = [(backend.allocate(nbytes, 0), nbytes) for nbytes in sizes for _ in range(3)]
    for memory, nbytes in blocks:
        backend.copy_in(memory, 0, memoryview(bytes([byte]) * nbytes))
        del memory
    backend.synchronize(0)
    blocks.clear()


HELD = ("objects of Python's", "bytes of the backend's", "bytes of C's")
LEAST_HELD = (1, 1, 16)  # the least that a leaking call can leave, of each: malloc has no smaller block


def held(backend: Any, thorough: bool = False) -> tuple[int, int, int]:
    """How much memory is in use: Python's allocated blocks, bytes that the backend counts, bytes of malloc.

    0 for what cannot be counted here.  If ``thorough``, Python's free lists are emptied first: a tuple that
    is built from a generator is resized, so each one leaves an entry in a free list, up to 2,000.
    """
    gc.collect(2 if thorough else 0)
    backend.synchronize(0)
    return sys.getallocatedblocks(), backend.memory_stats(0).get("allocated", 0), _malloc()


class _Mallinfo(ctypes.Structure):
    """glibc's struct mallinfo2."""

    _fields_ = tuple(
        (name, ctypes.c_size_t)
        for name in "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()
    )


@functools.cache
def _mallinfo() -> Any:
    try:
        found = ctypes.CDLL(None).mallinfo2
    except (AttributeError, OSError):  # not glibc, or an older one
        return None
    found.restype = _Mallinfo
    return found


def _malloc() -> int:
    function = _mallinfo()
    if function is None:
        return 0
    found = function()
    return int(found.uordblks + found.hblkhd)


def note_fallback(backend: Any, operator: str) -> None:
    """Count a run of the reference's kernel in place of a claimed one, as ``launch`` does."""
    launch.fallbacks[backend.device_type, operator] += 1
    launch.declined[backend.device_type, operator] += 1
