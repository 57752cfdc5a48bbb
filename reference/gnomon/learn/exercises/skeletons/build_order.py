"""What to build.

A build system knows rules (which files a target is made from) and the times of the last changes.  It builds
again only what is stale, and builds everything before what depends on it.

Write ``build_order``.  ``rules`` maps each target to the files that it depends on; ``times`` has the time
of each file that exists.  A target is stale if it does not exist, if a file that it depends on is newer, or
if one that it depends on is built again.  Only what ``goal`` needs is looked at.

- A file that does not exist, and for which there is no rule, raises FileNotFoundError.
- A target that depends on itself, directly or through others, raises ValueError.

Any order is right in which dependencies come first.

    build_order("lib", {"lib": ["a.o", "b.o"], "a.o": ["a.c"], "b.o": ["b.c"]},
                {"a.c": 5, "b.c": 1, "a.o": 3, "b.o": 2, "lib": 4})  ->  ["a.o", "lib"]
"""

from __future__ import annotations


def build_order(goal: str, rules: dict[str, list[str]], times: dict[str, float]) -> list[str]:
    """The targets to build, in order.

    Raises FileNotFoundError for what is missing, and ValueError for a cycle.
    """
    raise NotImplementedError
