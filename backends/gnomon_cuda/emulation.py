"""The libraries of the emulation: built from ``csrc/emulation`` by the host's C++ compiler, and kept."""

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

BLAS_TEXT = "blas.cpp"  # a library of its own

_lock = new_in_each_process(globals(), "_lock", threading.Lock)


@functools.cache
def _room() -> tempfile.TemporaryDirectory[str]:
    """Where opened libraries lie; goes with the process."""
    return tempfile.TemporaryDirectory(prefix="gnomon-emulation-")


def build(cache: ImageCache | None = None) -> Path:
    """The file of an emulated driver that nobody has opened yet, so that its devices are fresh ones.

    Raises BackendUnavailableError where there is no C++ compiler, or it does not compile.
    """
    names = [path.name for path in sorted((sources.folder() / "emulation").glob("*.cpp"))]
    return _build([name for name in names if name != BLAS_TEXT], "driver", False, cache)


def build_blas(cache: ImageCache | None = None) -> Path:
    """The same of an emulated cuBLAS."""
    return _build([BLAS_TEXT], "blas", True, cache)


def prefix(compiler: HostCompiler, cache: ImageCache) -> Path | None:
    """A header with what all texts of kernels include, beside its precompiled form: half of a compiler's time
    goes into reading it.

    None where the compiler is not GCC: others take no such form of files that have been touched since.
    """
    if "clang" in compiler.version.lower():
        return None
    header = '#include "emulation.h"\n#include "kernel.cuh"\n'
    places = " ".join(map(str, compiler.folders))  # are written in it
    try:
        key = key_of(compiler, header, [], f"precompiled {places}")
        image = cache.find_or_make(key, lambda: compiler.precompile(header))
    except CompileError:
        return None  # whoever compiles kernels will hear why
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
        raise BackendUnavailableError(f"the emulated GPU does not compile: {error}") from None
    with _lock:
        number = len(list(Path(_room().name).iterdir()))
        path = Path(_room().name, f"emulated-{what}-{number}.so")
        path.write_bytes(image.data)
    return path


def _rearranged(built: tuple[bytes, str]) -> tuple[bytes, dict[str, str], str]:
    data, log = built
    return data, {}, log
