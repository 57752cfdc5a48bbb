"""The library of the emulated driver: built from ``csrc/emulation`` by the host's C++ compiler, and kept."""

from __future__ import annotations

import functools
import tempfile
import threading
from pathlib import Path

from gnomon.values.errors import BackendUnavailableError
from gnomon.values.locks import new_in_each_process

from . import sources
from .cache import ImageCache, key_of
from .compiler import HostCompiler, Image
from .errors import CompileError

_lock = new_in_each_process(globals(), "_lock", threading.Lock)


@functools.cache
def _room() -> tempfile.TemporaryDirectory[str]:
    """Where opened libraries lie; goes with the process."""
    return tempfile.TemporaryDirectory(prefix="gnomon-emulation-")


def build(cache: ImageCache | None = None) -> Path:
    """The file of an emulated driver that nobody has opened yet, so that its devices are fresh ones.

    Raises BackendUnavailableError where there is no C++ compiler, or it does not compile.
    """
    compiler = HostCompiler()
    texts = {
        path.name: path.read_text(encoding="utf-8")
        for path in sorted((sources.folder() / "emulation").glob("*.cpp"))
    }
    kept = ImageCache() if cache is None else cache
    whole = "\n".join(f"// {name}\n{content}" for name, content in texts.items())
    try:
        image = kept.find_or_make(
            key_of(compiler, whole, [], "the emulated driver"),
            lambda: Image(
                *_rearranged(compiler.build(texts, "the emulated driver", (), ["-ldl", "-pthread"]))
            ),
        )
    except CompileError as error:
        raise BackendUnavailableError(f"the emulated GPU does not compile: {error}") from None
    with _lock:
        number = len(list(Path(_room().name).iterdir()))
        path = Path(_room().name, f"emulated-driver-{number}.so")
        path.write_bytes(image.data)
    return path


def _rearranged(built: tuple[bytes, str]) -> tuple[bytes, dict[str, str], str]:
    data, log = built
    return data, {}, log
