"""Where the texts of kernels are, and which texts a text includes."""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]+(.*)$", re.MULTILINE)
_NAMED = re.compile(r'"([^"]+)"|<([^>]+)>')


@functools.cache
def folder() -> Path:
    """The folder ``csrc``: beside this file in an installed package, else at the top of the repository.

    Raises FileNotFoundError where neither is there.
    """
    installed = Path(__file__).parent / "csrc"
    repository = Path(__file__).parents[2] / "csrc"
    for candidate in (installed, repository):
        if candidate.is_dir():
            return candidate
    raise FileNotFoundError(f"the texts of the CUDA kernels are neither in {installed} nor in {repository}")


def text(name: str) -> str:
    """The text of a file, by its path below ``csrc``."""
    return (folder() / name).read_text(encoding="utf-8")


def _resolve(name: str, quoted: bool, beside: Path | None, folders: Sequence[Path]) -> Path | None:
    """The file that an ``#include`` of that name means, or None where it is none of ours."""
    places = ([beside] if quoted and beside is not None else []) + list(folders)
    for place in places:
        candidate = place / name
        if candidate.is_file():
            return candidate.resolve()
    return None


def included_files(source: str, folders: Sequence[Path]) -> list[Path]:
    """The files that ``source`` includes, and those that they include, sorted.

    Conditions are not looked at, so that there may be more than the compiler reads.  Where the name is a
    macro's (``#include GN_TEMPLATE``) it may be any file: all those of ``folders`` count then.  What is in
    none of the folders belongs to the compiler and is left out.
    """
    found: set[Path] = set()
    waiting: list[tuple[str, Path | None]] = [(source, None)]
    while waiting:
        content, beside = waiting.pop()
        for match in _INCLUDE.finditer(content):
            named = _NAMED.match(match.group(1))
            if named is None:
                candidates = [each for place in folders for each in _all_files(place)]
            else:
                quoted = named.group(1) is not None
                path = _resolve(named.group(1) or named.group(2), quoted, beside, folders)
                candidates = [] if path is None else [path]
            for path in candidates:
                if path not in found:
                    found.add(path)
                    waiting.append((path.read_text(encoding="utf-8", errors="replace"), path.parent))
    return sorted(found)


def _all_files(place: Path) -> list[Path]:
    return sorted(each.resolve() for each in place.rglob("*") if each.is_file())


def fingerprint(source: str, folders: Sequence[Path]) -> str:
    """A digest of ``source`` and of all texts that it includes out of ``folders``, by name and content."""
    digest = hashlib.sha256(source.encode())
    for path in included_files(source, folders):
        content = path.read_bytes()
        # the length keeps the end of one text from being read as the beginning of the next
        digest.update(f"\0{path.name}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()
