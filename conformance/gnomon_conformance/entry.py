"""What pytest is told of an installed suite: to load the plug-in where the suite is what it runs.

pytest reads the conftest.py of a package named behind ``--pyargs`` too late for options.  So this hook is an
entry point; it looks at the command line, and in somebody else's run does nothing, adds nothing, and imports
neither gnomon nor the plug-in.
"""

from __future__ import annotations

import importlib
from typing import Any

SUITE = "gnomon_conformance"


def pytest_load_initial_conftests(early_config: Any, args: list[str]) -> None:
    if any(each.partition("::")[0].partition(".")[0] == SUITE for each in args):
        importlib.import_module(f"{SUITE}.plugin").load(early_config.pluginmanager)
