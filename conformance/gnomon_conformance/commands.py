"""The suite's commands of ``gnomon``, for its entry points: each imports its module only when it runs.

Those modules need what ``gnomon[conformance]`` installs, which listing the commands should not need.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path


def _run(name: str, arguments: Sequence[str]) -> int:
    try:
        module = import_module(f"{__package__}.{name}")
    except ImportError as error:
        needs = "pip install 'gnomon[conformance]'"
        print(f"gnomon {name.replace('_', '-')} requires more packages: {needs} ({error})", file=sys.stderr)
        return 2
    status: int = module.main(arguments)
    return status


# The status is in a file: a library that ends the process can not write it.
_IN_CHILD = """
import pathlib, sys
from gnomon_conformance.commands import _run
try:
    status = _run("conform", sys.argv[2:])
except SystemExit as end:
    status = end.code
pathlib.Path(sys.argv[1]).write_text(str(status))
"""


def conform(arguments: Sequence[str]) -> int:
    """Test a backend against the reference.

    A library (``--library``) is tested in a process of its own, which it may end.
    """
    if not any(each.partition("=")[0] == "--library" for each in arguments):
        return _run("conform", arguments)
    with tempfile.TemporaryDirectory() as folder:
        status = Path(folder) / "status"
        command = [sys.executable, "-c", _IN_CHILD, str(status), *arguments]
        ended = subprocess.run(command, check=False).returncode
        if status.exists():
            return int(status.read_text())
    print(f"gnomon conform: the library ended the process, with status {ended}, in a test", file=sys.stderr)
    return 1


def shadow(arguments: Sequence[str]) -> int:
    """Run a program, and compare each of its operators with the reference."""
    return _run("shadow", arguments)


def census(arguments: Sequence[str]) -> int:
    """Record which operators a program calls, on what, and how often."""
    return _run("census", arguments)


def new_backend(arguments: Sequence[str]) -> int:
    """Write a new backend, as a distribution of its own."""
    return _run("new_backend", arguments)
