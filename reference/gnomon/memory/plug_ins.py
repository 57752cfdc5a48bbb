"""Plug-ins: which backends the installed distributions offer, and how one is imported.

Finding them only reads metadata.  A plug-in's code runs when its name is used; an exception that it raises is
the reason why the plug-in is unavailable, and never ends the program.
"""

from __future__ import annotations

import re
import signal
import threading
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, NamedTuple

ENTRY_POINT_GROUP = "gnomon.backends"
OWN_DISTRIBUTION = "gnomon"
MOST_TEXT = 2000  # characters of a reason, which is third-party text
MOST_LINE = 100  # characters of a line of third-party metadata
BUILT_IN = ("reference", "meta")  # backends without an entry point


class Shipped(NamedTuple):
    """An entry point of gnomon's own distribution, found without reading all metadata."""

    name: str
    module: str
    attribute: str

    def load(self) -> Any:
        """Import the module, and return the attribute."""
        return getattr(import_module(self.module), self.attribute)


# The same as in pyproject.toml; reading metadata would delay a program's first operator by some 20 ms.
SHIPPED = {name: Shipped(name, f"gnomon_{name}", "backend") for name in ("c", "cuda")}
# Those that ``cpu`` may stand for: accelerator backends are not loaded to find out.
SHIPPED_HOSTS = ("c",)


class Offers(NamedTuple):
    """What the installed distributions offer.

    entry_points  name -> its entry point
    shipped       the names that gnomon's own distribution offers
    refused       name -> why no entry point is loaded for it
    """

    entry_points: dict[str, Any]
    shipped: tuple[str, ...]
    refused: dict[str, str]


def find() -> Offers:
    """The entry points of all installed distributions, none of them loaded.

    If two distributions offer a name, neither is used: the order of the search path must not decide whose
    code runs.  The built-in names, and those that gnomon's own distribution offers, always stay gnomon's.
    """
    found = Offers({}, (), {})
    by_name: dict[str, dict[str, Any]] = {}
    for who, each in _entry_points(found.refused):
        by_name.setdefault(each.name, {})[who] = each
    shipped = []
    for name, offers in by_name.items():
        own = [who for who in offers if who.partition(" ")[0] == OWN_DISTRIBUTION]
        if name in BUILT_IN or own:
            for who in sorted(set(offers).difference(own)):
                found.refused[f"{name} (of {who})"] = f"{who} provides {name!r}, a name reserved by gnomon"
            if name not in BUILT_IN:
                shipped.append(name)
                found.entry_points[name] = offers[own[0]]
        elif len(offers) > 1:
            found.refused[name] = f"provided by {' and by '.join(sorted(offers))}; uninstall one of them"
        else:
            found.entry_points[name] = next(iter(offers.values()))
    return found._replace(shipped=tuple(shipped))


def offered(group: str) -> dict[str, Any]:
    """The entry points of another group, by name, none of them loaded.

    gnomon.observers  functions that start observing, called before the first tensor exists
    gnomon.facts      functions that return what was recorded of each operator, by operator name
    gnomon.commands   commands of ``gnomon``: functions of the arguments that return the exit status
    """
    from importlib.metadata import entry_points

    return {each.name: each for each in entry_points(group=group)}


def _entry_points(refused: dict[str, str]) -> Iterator[tuple[str, Any]]:
    """The entry points of ``gnomon.backends``, each with the name and version of its distribution.

    If two distributions have the same name, the first on the search path counts, as for imports.  One whose
    metadata can not be read offers nothing, and is listed in ``refused``.
    """
    from importlib.metadata import distributions  # 20 ms, paid only if a plug-in is needed

    seen = set()
    for distribution in distributions():
        try:
            text = distribution.read_text("entry_points.txt")
            if text is None or ENTRY_POINT_GROUP not in text:
                continue
            name = re.sub(r"[-_.]+", "-", distribution.metadata["Name"] or "an unnamed distribution").lower()
            version = distribution.metadata["Version"] or "(unknown version)"
        except Exception as error:
            where = getattr(distribution, "_path", "a distribution")
            refused[str(where)] = f"its metadata cannot be read: {type(error).__name__}: {error}"
            continue
        if name not in seen:
            seen.add(name)
            who = "".join([each if each.isprintable() else "?" for each in f"{name} {version}"])
            offers, wrong = _offers(text)
            if wrong:
                invalid = f"invalid entry points {', '.join(wrong)}"
                refused[who] = f"{invalid}; expected lines NAME = MODULE:ATTRIBUTE with different names"
            yield from ((who, each) for each in offers)


# A line of entry_points.txt: a backend's name, its module and attribute, and extras, which are ignored.
_LINE = re.compile(r"(\w+)\s*=\s*([\w.]+\s*(:\s*[\w.]+\s*)?)(\[.*\])?")


def _offers(text: str) -> tuple[list[Any], list[str]]:
    """The entry points of our group in the text of a distribution, and its invalid lines.

    It is parsed line by line, so that an invalid line affects no other, and is not listed as a backend.
    """
    from importlib.metadata import EntryPoint

    found: dict[str, Any] = {}
    wrong = []
    group = ""
    for line in map(str.strip, text.splitlines()):
        if line.startswith("[") and line.endswith("]"):
            group = line[1:-1].strip()
        elif group == ENTRY_POINT_GROUP and line and line[0] not in "#;":
            match = _LINE.fullmatch(line)
            if match is None or not match[1].isidentifier() or match[1] == "cpu" or match[1] in found:
                wrong.append(repr(line if len(line) <= MOST_LINE else f"{line[:MOST_LINE]} ..."))
            else:
                found[match[1]] = EntryPoint(match[1], match[2].strip(), ENTRY_POINT_GROUP)
    return list(found.values()), wrong


def guarded(function: Callable[[], Any]) -> tuple[Any, str]:
    """Call third-party code: returns its result and "", or None and the text of what it raised.

    That includes SystemExit, and a KeyboardInterrupt that the code itself raises.  A SIGINT that arrives
    meanwhile is the user's, and is raised to the caller.
    """
    arrived: list[int] = []
    before: Any = signal.getsignal(signal.SIGINT)
    watched = callable(before) and threading.current_thread() is threading.main_thread()
    if watched:

        def note(number: int, frame: Any) -> Any:
            arrived.append(number)
            return before(number, frame)

        signal.signal(signal.SIGINT, note)
    try:
        return function(), ""
    except BaseException as error:
        if arrived:
            raise KeyboardInterrupt from error
        return None, reason_of(error)
    finally:
        if watched and signal.getsignal(signal.SIGINT) is note:
            signal.signal(signal.SIGINT, before)


def reason_of(error: BaseException) -> str:
    """The type and the message of an exception, of limited length."""
    try:
        text = f"{type(error).__name__}: {error}".rstrip(": ")
    except Exception:  # its __str__ is third-party code, too
        text = type(error).__name__
    return text if len(text) <= MOST_TEXT else f"{text[:MOST_TEXT]} ..."
