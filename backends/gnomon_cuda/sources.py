"""The source files of kernels, and their includes."""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]+(.*)$", re.MULTILINE)
_NAMED = re.compile(r'"([^"]+)"|<([^>]+)>')
_MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+([\"<][^\n]*)$", re.MULTILINE)


@functools.cache
def folder() -> Path:
    """The folder ``csrc``: beside this file in an installed package, else at the top of the repository.

    Raises FileNotFoundError if neither exists.
    """
    installed = Path(__file__).parent / "csrc"
    repository = Path(__file__).parents[2] / "csrc"
    for candidate in (installed, repository):
        if candidate.is_dir():
            return candidate
    raise FileNotFoundError(f"the sources of the CUDA kernels are neither in {installed} nor in {repository}")


def kernel_folders(emulated: bool) -> list[Path]:
    """The include folders of kernels, for the host's compiler or for NVIDIA's."""
    return [folder() / each for each in (".", "cuda", "emulation" if emulated else "cuda/freestanding")]


def text(name: str) -> str:
    """The text of a file, by its path below ``csrc``."""
    return (folder() / name).read_text(encoding="utf-8")


def _resolve(written: str, beside: Path | None, folders: Sequence[Path]) -> Path | None:
    """The file of an ``#include`` of "name" or <name>, or None if it is not gnomon's."""
    named = _NAMED.match(written)
    if named is None:
        return None
    name, quoted = named.group(1) or named.group(2), named.group(1) is not None
    places = ([beside] if quoted and beside is not None else []) + list(folders)
    for place in places:
        candidate = place / name
        if candidate.is_file():
            return candidate.resolve()
    return None


def included_files(source: str, folders: Sequence[Path]) -> list[Path]:
    """The files that ``source`` includes, directly or indirectly, sorted.

    Preprocessor conditions are ignored, so there may be more files than the compiler reads.  A macro as a
    name (``#include GN_TEMPLATE``) stands for all files that the sources define it as, or if there are none,
    for all files of ``folders``.  Files in none of the folders belong to the compiler and are left out.
    """
    found: set[Path] = set()
    macros: dict[str, set[str]] = {}  # macro -> its definitions
    by_macro: set[tuple[str, Path | None]] = set()
    waiting: list[tuple[str, Path | None]] = [(source, None)]
    while True:
        while waiting:
            content, beside = waiting.pop()
            for name, value in _MACRO.findall(content):
                macros.setdefault(name, set()).add(value)
            for written in _INCLUDE.findall(content):
                if _NAMED.match(written):
                    _visit(_resolve(written, beside, folders), found, waiting)
                else:
                    by_macro.add((written.split()[0], beside))
        for name, beside in by_macro:
            if name in macros:
                candidates = [_resolve(value, beside, folders) for value in macros[name]]
            else:
                candidates = [each for place in folders for each in _all_files(place)]
            for path in candidates:
                _visit(path, found, waiting)
        if not waiting:
            return sorted(found)


def _visit(path: Path | None, found: set[Path], waiting: list[tuple[str, Path | None]]) -> None:
    """Adds a file to the found ones and to the queue, unless it was found before."""
    if path is not None and path not in found:
        found.add(path)
        waiting.append((path.read_text(encoding="utf-8", errors="replace"), path.parent))


def _all_files(place: Path) -> list[Path]:
    return sorted(each.resolve() for each in place.rglob("*") if each.is_file())


def fingerprint(source: str, folders: Sequence[Path]) -> str:
    """A digest of ``source`` and of all files that it includes from ``folders``, by name and content."""
    digest = hashlib.sha256(source.encode())
    for path in included_files(source, folders):
        content = path.read_bytes()
        # the length separates the end of one text from the beginning of the next
        digest.update(f"\0{path.name}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()
