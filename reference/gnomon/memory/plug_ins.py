"""Plug-ins: which backends the installed distributions offer, and how one of them is imported.

Finding them reads metadata and runs nothing.  A plug-in's code runs when somebody names the plug-in, and
whatever it raises then is a reason why it is not available, never the end of the program.
"""

from __future__ import annotations

import re
import signal
import threading
from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

ENTRY_POINT_GROUP = "gnomon.backends"
OWN_DISTRIBUTION = "gnomon"
BUILT_IN = ("reference", "meta")  # what is there without an entry point


class Shipped(NamedTuple):
    """An entry point of gnomon's own distribution, which is found without the metadata of all the others."""

    name: str
    module: str
    attribute: str

    def load(self) -> Any:
        """What it names."""
        return getattr(import_module(self.module), self.attribute)


# As pyproject.toml has them; reading metadata would take the first operator of a program some 20 ms.
SHIPPED = {name: Shipped(name, f"gnomon_{name}", "backend") for name in ("c", "cuda")}
# Of the shipped ones those that ``cpu`` may stand for: an accelerator's are not loaded to find out.
SHIPPED_HOSTS = ("c",)


class Offers(NamedTuple):
    """What the installed distributions offer.

    entry_points  name -> the entry point to load
    shipped       the names that gnomon's own distribution offers
    refused       name -> why nothing is loaded for it
    """

    entry_points: dict[str, Any]
    shipped: tuple[str, ...]
    refused: dict[str, str]


def find() -> Offers:
    """The entry points of all installed distributions, none of them loaded.

    A name that two distributions offer is neither's: the order of the search path must not decide whose code
    runs.  But the built-in names and those that gnomon's own distribution offers stay gnomon's.
    """
    from importlib.metadata import entry_points  # 20 ms, which only who asks for a plug-in pays

    by_name: dict[str, dict[str, Any]] = {}
    for each in entry_points(group=ENTRY_POINT_GROUP):
        by_name.setdefault(each.name, {})[_distribution_of(each)] = each
    found = Offers({}, (), {})
    shipped = []
    for name, offers in by_name.items():
        own = [who for who in offers if who.partition(" ")[0] == OWN_DISTRIBUTION]
        if name in BUILT_IN or own:
            for who in sorted(set(offers).difference(own)):
                found.refused[f"{name} (of {who})"] = f"{who} offers {name!r}, which is gnomon's own"
            if name not in BUILT_IN:
                shipped.append(name)
                found.entry_points[name] = offers[own[0]]
        elif len(offers) > 1:
            found.refused[name] = f"offered by {' and by '.join(sorted(offers))}; one of them has to go"
        else:
            found.entry_points[name] = next(iter(offers.values()))
    return found._replace(shipped=tuple(shipped))


def _distribution_of(entry_point: Any) -> str:
    """The name, normalised as the packaging standard says, and the version of who offers an entry point."""
    distribution = entry_point.dist
    if distribution is None:
        return "an unknown distribution"
    return f"{re.sub(r'[-_.]+', '-', distribution.name).lower()} {distribution.version}"


def guarded(function: Callable[[], Any]) -> tuple[Any, str]:
    """What a stranger's ``function`` returns, and ""; or None, and what it raised in words.

    That may be SystemExit or a KeyboardInterrupt of its own making.  A SIGINT that arrives meanwhile is the
    user's, and goes on to the caller.
    """
    arrived: list[int] = []
    before = signal.getsignal(signal.SIGINT)
    watched = callable(before) and threading.current_thread() is threading.main_thread()
    if watched:

        def note(number: int, frame: Any) -> Any:
            arrived.append(number)
            return before(number, frame)  # type: ignore[operator]

        signal.signal(signal.SIGINT, note)
    try:
        return function(), ""
    except BaseException as error:
        if arrived:
            raise KeyboardInterrupt from error
        return None, f"{type(error).__name__}: {error}".rstrip(": ")
    finally:
        if watched and signal.getsignal(signal.SIGINT) is note:
            signal.signal(signal.SIGINT, before)
