"""The entry point for pytest: loads the plug-in if the command line runs this suite.

pytest loads the conftest.py of a package named after ``--pyargs`` too late for it to add options.  This hook
checks the command line; if another suite is run, it does nothing, and imports neither gnomon nor the plug-in.
"""

from __future__ import annotations

import importlib
from typing import Any

SUITE = "gnomon_conformance"


def pytest_load_initial_conftests(early_config: Any, args: list[str]) -> None:
    if any(each.partition("::")[0].partition(".")[0] == SUITE for each in args):
        importlib.import_module(f"{SUITE}.plugin").load(early_config.pluginmanager)
