"""Images on disk, so that a kernel is compiled once for a machine and not once for a process.

An entry's name is a digest of everything that can change the image: the text and all that it includes, the
kernels, the architecture, the compiler, its version and its options.  An entry is written under another name
and then renamed, so that no process reads half of one; and it carries a checksum, so that a damaged one is
compiled again.

Whoever could write here could have their code run, on the GPU and, for the emulation's libraries, in the
process.  So folders are made for their owner alone, and what belongs to somebody else, or can be written by
others, is neither read nor written: images are then compiled anew, with one warning that says why.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from gnomon.values.errors import warn

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
    refused       why something that lies here was not used, or ""; told in one warning
    """

    def __init__(self, folder: Path | None = None) -> None:
        found = default_folder() if folder is None else folder
        self.folder = found / "cuda" if found is not None else None
        self.hits = 0
        self.misses = 0
        self.problem = "" if found is not None else "there is no home folder"
        self.refused = ""

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
            for folder in self._folders(path):
                check_owner(os.stat(folder), folder)
            content = read_own(path)
        except OSError:
            return None
        except UntrustedError as error:
            self._refuse(str(error))
            return None
        image = decode(content, key)
        if image is None:
            self._refuse(f"{path} is damaged")
        return image

    def put(self, key: str, image: Image) -> None:
        """Keep an image.  Where the folder can not be written, nothing is kept and ``problem`` says why."""
        path = self._path(key)
        if path is None:
            return
        temporary = None
        try:
            for folder in self._folders(path):
                make_own(folder)
            handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{key[:8]}-")
            with os.fdopen(handle, "wb") as file:
                file.write(encode(key, image))
            os.replace(temporary, path)
        except UntrustedError as error:
            self.problem = str(error)
            self._refuse(self.problem)
        except OSError as error:
            self.problem = str(error)
            if temporary is not None:
                _remove(temporary)
        except BaseException:  # such as KeyboardInterrupt: leave no litter
            if temporary is not None:
                _remove(temporary)
            raise

    def _folders(self, path: Path) -> list[Path]:
        """The folders of an entry that are the cache's, outermost first."""
        assert self.folder is not None
        return [self.folder.parent, self.folder, path.parent]

    def _refuse(self, reason: str) -> None:
        if not self.refused:
            self.refused = reason
            warn(f"gnomon: kept kernels are not used: {reason}; they are compiled anew")


class UntrustedError(Exception):
    """Something in the cache could have been written by somebody else."""


def check_owner(status: os.stat_result, path: Path) -> None:
    """Raises UntrustedError for what another user owns, or may write."""
    if os.name != "posix":  # where folders of a user's own are that user's, by rules of another kind
        return
    if status.st_uid != os.geteuid():
        raise UntrustedError(
            f"{path} belongs to user {status.st_uid}, and this process to user {os.geteuid()}"
        )
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        mode = f"{stat.S_IMODE(status.st_mode):o}"
        raise UntrustedError(f"{path} can be written by others than its owner (its mode is {mode})")


def read_own(path: Path) -> bytes:
    """The bytes of a file that only this user can have written.  Raises OSError or UntrustedError."""
    # a link could lead to another's file, and a pipe would be waited for
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    flags |= getattr(os, "O_BINARY", 0)
    with open(os.open(path, flags), "rb") as file:
        status = os.fstat(file.fileno())
        check_owner(status, path)
        if not stat.S_ISREG(status.st_mode):
            raise UntrustedError(f"{path} is no file")
        return file.read()


def make_own(folder: Path) -> None:
    """Make a folder, with all above it, that only this user can look into, or check the one that is there.

    Raises OSError or UntrustedError.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700)
    except FileExistsError:
        check_owner(os.stat(folder), folder)


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
    try:
        facts = json.loads(body[_LENGTH_BYTES:end])
        return Image(body[end:], facts["symbols"], facts["log"]) if facts["key"] == key else None
    except (ValueError, KeyError, TypeError):
        return None
