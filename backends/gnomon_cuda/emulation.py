"""The libraries of the emulation: built from ``csrc/emulation`` by the host's C++ compiler, and cached."""

from __future__ import annotations

import functools
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path

from gnomon.values.errors import BackendUnavailableError
from gnomon.values.locks import new_in_each_process

from . import sources
from .cache import ImageCache, key_of
from .compiler import HostCompiler, Image
from .errors import CompileError

BLAS_TEXT, NCCL_TEXT = "blas.cpp", "nccl.cpp"  # become separate libraries

_lock = new_in_each_process(globals(), "_lock", threading.Lock)


@functools.cache
def _room() -> tempfile.TemporaryDirectory[str]:
    """The folder of opened libraries, removed at the end of the process."""
    return tempfile.TemporaryDirectory(prefix="gnomon-emulation-")


def build(cache: ImageCache | None = None) -> Path:
    """The file of an emulated driver that has not been opened yet, so that its devices are fresh.

    Raises BackendUnavailableError without a C++ compiler, or if the sources do not compile.
    """
    names = [path.name for path in sorted((sources.folder() / "emulation").glob("*.cpp"))]
    return _build([name for name in names if name not in (BLAS_TEXT, NCCL_TEXT)], "driver", False, cache)


def build_blas(cache: ImageCache | None = None) -> Path:
    """The file of an emulated cuBLAS, like ``build``."""
    return _build([BLAS_TEXT], "blas", True, cache)


def build_nccl(cache: ImageCache | None = None) -> Path:
    """The file of an emulated NCCL, like ``build``."""
    return _build([NCCL_TEXT], "nccl", True, cache)


def prefix(compiler: HostCompiler, cache: ImageCache) -> Path | None:
    """A header with the common includes of all kernels, with its precompiled form beside it: the compiler
    spends half of its time on reading it.

    None if the compiler is not GCC: others reject a precompiled header of files with a newer timestamp.
    """
    if "clang" in compiler.version.lower():
        return None
    header = '#include "emulation.h"\n#include "kernel.cuh"\n'
    places = " ".join(map(str, compiler.folders))  # they are part of it
    try:
        key = key_of(compiler, header, [], f"precompiled {places}")
        image = cache.find_or_make(key, lambda: compiler.precompile(header))
    except CompileError:
        return None  # compiling a kernel will report the reason
    path = Path(_room().name, f"prefix-{key}.h")
    with _lock:
        if not path.exists():
            Path(f"{path}.gch").write_bytes(image.data)
            path.write_text(header)
    return path


def _build(names: Sequence[str], what: str, has_kernels: bool, cache: ImageCache | None) -> Path:
    compiler = HostCompiler()
    texts = {name: sources.text(f"emulation/{name}") for name in names}
    kept = ImageCache() if cache is None else cache
    whole = "\n".join(f"// {name}\n{content}" for name, content in texts.items())
    options = compiler.kernel_options if has_kernels else ()
    try:
        image = kept.find_or_make(
            key_of(compiler, whole, [], f"the emulated {what}"),
            lambda: Image(
                *_rearranged(compiler.build(texts, f"the emulated {what}", options, ["-ldl", "-pthread"]))
            ),
        )
    except CompileError as error:
        raise BackendUnavailableError(f"the emulated GPU cannot be compiled: {error}") from None
    with _lock:
        number = len(list(Path(_room().name).iterdir()))
        path = Path(_room().name, f"emulated-{what}-{number}.so")
        path.write_bytes(image.data)
    return path


def _rearranged(built: tuple[bytes, str]) -> tuple[bytes, dict[str, str], str]:
    data, log = built
    return data, {}, log
