"""A cache of images on disk, so that a kernel is compiled once per machine, not once per process.

An entry's name is a digest of everything that can change the image: the source with its includes, the
kernels, the architecture, the compiler, its version and its options.  An entry is written under a temporary
name and then renamed, so that no process reads an incomplete one; and it has a checksum, so that a damaged
one is compiled again.

Whoever can write to the cache can run code on the GPU and, for the emulation's libraries, in the process.  So
folders are created for their owner only, and files that belong to another user or are writable by others are
neither read nor written: images are then compiled again, with one warning that gives the reason.
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

# The first bytes of an entry, with the format version.
_MAGIC = b"gnomon image 1\n"
_DIGEST_BYTES = hashlib.sha256().digest_size
_LENGTH_BYTES = 8


def default_folder() -> Path | None:
    """``GNOMON_CACHE_DIR``, else ``XDG_CACHE_HOME/gnomon``, else ``~/.cache/gnomon``; None without a home."""
    chosen = os.environ.get("GNOMON_CACHE_DIR", "")
    if chosen:
        return Path(chosen)
    shared = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(shared):  # the XDG specification ignores relative paths
        return Path(shared) / "gnomon"
    try:
        return Path.home() / ".cache" / "gnomon"
    except RuntimeError:
        return None


def key_of(compiler: Compiler, source: str, kernels: Sequence[str], architecture: str) -> str:
    """The name of an entry.  It does not depend on the machine, such as on the folder of the installation."""
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
    """A folder of images; with None nothing is stored.  Processes and threads may share it.

    hits, misses  how often an image was found, or had to be compiled
    problem       why nothing can be stored, or ""
    refused       why an existing entry was not used, or ""; reported in one warning
    """

    def __init__(self, folder: Path | None = None) -> None:
        found = default_folder() if folder is None else folder
        self.folder = found / "cuda" if found is not None else None
        self.hits = 0
        self.misses = 0
        self.problem = "" if found is not None else "there is no home directory"
        self.refused = ""

    def compile(self, compiler: Compiler, source: str, kernels: Sequence[str], architecture: str) -> Image:
        """The image, from the cache if it is there, else from the compiler.  Raises CompileError."""
        key = key_of(compiler, source, kernels, architecture)
        return self.find_or_make(key, lambda: compiler.compile(source, kernels, architecture))

    def find_or_make(self, key: str, make: Callable[[], Image]) -> Image:
        """The image under ``key``, or the result of ``make``, which is then stored under it."""
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
        """The image under ``key``; None if there is none, or if it is damaged."""
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
            self._refuse(f"{path} is corrupted")
        return image

    def put(self, key: str, image: Image) -> None:
        """Stores an image.  If the folder is not writable, nothing is stored and ``problem`` says why."""
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
        except BaseException:  # also KeyboardInterrupt: remove the temporary file
            if temporary is not None:
                _remove(temporary)
            raise

    def _folders(self, path: Path) -> list[Path]:
        """The cache's own folders that contain an entry, outermost first."""
        assert self.folder is not None
        return [self.folder.parent, self.folder, path.parent]

    def _refuse(self, reason: str) -> None:
        if not self.refused:
            self.refused = reason
            warn(f"gnomon: the kernel cache is not used: {reason}; kernels are compiled again")


class UntrustedError(Exception):
    """Raised for a file or folder that another user could have written."""


def check_owner(status: os.stat_result, path: Path) -> None:
    """Raises UntrustedError for a file or folder that another user owns or may write."""
    if os.name != "posix":  # elsewhere a user's folders are protected by other rules
        return
    if status.st_uid != os.geteuid():
        raise UntrustedError(
            f"{path} belongs to user {status.st_uid}, but this process runs as user {os.geteuid()}"
        )
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        mode = f"{stat.S_IMODE(status.st_mode):o}"
        raise UntrustedError(f"{path} is writable by users other than its owner (its mode is {mode})")


def read_own(path: Path) -> bytes:
    """The bytes of a file that only this user can have written.  Raises OSError or UntrustedError."""
    # a link could point to another user's file, and opening a pipe would block
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    flags |= getattr(os, "O_BINARY", 0)
    with open(os.open(path, flags), "rb") as file:
        status = os.fstat(file.fileno())
        check_owner(status, path)
        if not stat.S_ISREG(status.st_mode):
            raise UntrustedError(f"{path} is not a regular file")
        return file.read()


def make_own(folder: Path) -> None:
    """Creates a folder, with its parents, that only this user can access, or checks an existing one.

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
    """The content of an entry: magic, checksum of the rest, length of the header, header, image bytes."""
    facts = {"key": key, "symbols": image.symbols, "log": image.log}
    header = json.dumps(facts).encode()
    body = len(header).to_bytes(_LENGTH_BYTES, "little") + header + image.data
    return _MAGIC + hashlib.sha256(body).digest() + body


def decode(content: bytes, key: str) -> Image | None:
    """The image of an entry; None if it is damaged, has another format, or belongs to another key."""
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
