"""The suite's commands of ``gnomon``, for its entry points: each imports its module only when it runs.

Those modules need what ``gnomon[conformance]`` installs, which listing the commands should not need.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module


def _run(name: str, arguments: Sequence[str]) -> int:
    try:
        module = import_module(f"{__package__}.{name}")
    except ImportError as error:
        needs = "pip install 'gnomon[conformance]'"
        print(f"gnomon {name.replace('_', '-')} requires more packages: {needs} ({error})", file=sys.stderr)
        return 2
    status: int = module.main(arguments)
    return status


def conform(arguments: Sequence[str]) -> int:
    """Test a backend against the reference."""
    return _run("conform", arguments)


def shadow(arguments: Sequence[str]) -> int:
    """Run a program, and compare each of its operators with the reference."""
    return _run("shadow", arguments)


def census(arguments: Sequence[str]) -> int:
    """Record which operators a program calls, on what, and how often."""
    return _run("census", arguments)


def new_backend(arguments: Sequence[str]) -> int:
    """Write a new backend, as a distribution of its own."""
    return _run("new_backend", arguments)
