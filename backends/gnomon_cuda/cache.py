"""Images on disk, so that a kernel is compiled once for a machine and not once for a process.

An entry's name is a digest of everything that can change the image: the text and all that it includes, the
kernels, the architecture, the compiler, its version and its options.  An entry is written under another name
and then renamed, so that no process reads half of one; and it carries a checksum, so that a damaged one is
compiled again.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from . import sources
from .compiler import Compiler, Image

# The first bytes of an entry, with the number of the format.
_MAGIC = b"gnomon image 1\n"
_DIGEST_BYTES = hashlib.sha256().digest_size
_LENGTH_BYTES = 8


def default_folder() -> Path | None:
    """``GNOMON_CACHE_DIR``, else ``XDG_CACHE_HOME/gnomon``, else ``~/.cache/gnomon``; None without a home."""
    chosen = os.environ.get("GNOMON_CACHE_DIR", "")
    if chosen:
        return Path(chosen)
    shared = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(shared):  # the XDG rules ignore relative ones
        return Path(shared) / "gnomon"
    try:
        return Path.home() / ".cache" / "gnomon"
    except RuntimeError:
        return None


def key_of(compiler: Compiler, source: str, kernels: Sequence[str], architecture: str) -> str:
    """The name of an entry.  Asks for nothing that is on this machine only, such as where it is installed."""
    facts = {
        "compiler": compiler.name,
        "version": compiler.version,
        "options": compiler.options,
        "architecture": architecture,
        "kernels": list(kernels),
        "texts": sources.fingerprint(compiler.whole_text(source, kernels), compiler.folders),
    }
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


class ImageCache:
    """A folder of images; None keeps nothing.  Processes may share it, and so may threads.

    hits, misses  how often an image was there, or had to be made
    problem       why nothing can be kept, or ""
    """

    def __init__(self, folder: Path | None = None) -> None:
        found = default_folder() if folder is None else folder
        self.folder = found / "cuda" if found is not None else None
        self.hits = 0
        self.misses = 0
        self.problem = "" if found is not None else "there is no home folder"

    def compile(self, compiler: Compiler, source: str, kernels: Sequence[str], architecture: str) -> Image:
        """The image, from disk if it is there, else from the compiler.  Raises CompileError."""
        key = key_of(compiler, source, kernels, architecture)
        return self.find_or_make(key, lambda: compiler.compile(source, kernels, architecture))

    def find_or_make(self, key: str, make: Callable[[], Image]) -> Image:
        """The image under ``key``, or what ``make`` returns, which is then kept under it."""
        image = self.get(key)
        if image is not None:
            self.hits += 1
            return image
        self.misses += 1
        image = make()
        self.put(key, image)
        return image

    def _path(self, key: str) -> Path | None:
        return None if self.folder is None else self.folder / key[:2] / f"{key}.image"

    def get(self, key: str) -> Image | None:
        """What is kept under ``key``; None where there is nothing, or nothing whole."""
        path = self._path(key)
        if path is None:
            return None
        try:
            content = path.read_bytes()
        except OSError:
            return None
        return decode(content, key)

    def put(self, key: str, image: Image) -> None:
        """Keep an image.  Where the folder can not be written, nothing is kept and ``problem`` says why."""
        path = self._path(key)
        if path is None:
            return
        temporary = None
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{key[:8]}-")
            with os.fdopen(handle, "wb") as file:
                file.write(encode(key, image))
            os.replace(temporary, path)
        except OSError as error:
            self.problem = str(error)
            if temporary is not None:
                _remove(temporary)
        except BaseException:  # such as KeyboardInterrupt: leave no litter
            if temporary is not None:
                _remove(temporary)
            raise


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass


def encode(key: str, image: Image) -> bytes:
    """An entry: magic, checksum of the rest, length of the header, header, the image's bytes."""
    facts = {"key": key, "symbols": image.symbols, "log": image.log}
    header = json.dumps(facts).encode()
    body = len(header).to_bytes(_LENGTH_BYTES, "little") + header + image.data
    return _MAGIC + hashlib.sha256(body).digest() + body


def decode(content: bytes, key: str) -> Image | None:
    """The image of an entry; None where it is damaged, of another format, or another key's."""
    start = len(_MAGIC) + _DIGEST_BYTES
    body = content[start:]
    if not content.startswith(_MAGIC) or hashlib.sha256(body).digest() != content[len(_MAGIC) : start]:
        return None
    end = _LENGTH_BYTES + int.from_bytes(body[:_LENGTH_BYTES], "little")
    facts = json.loads(body[_LENGTH_BYTES:end])
    if facts["key"] != key:
        return None
    return Image(body[end:], facts["symbols"], facts["log"])
