"""Runs the conformance suite on a backend that a reader's file defines."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from ...memory import plug_ins

_METADATA = "Metadata-Version: 2.1\nName: {name}\nVersion: 0\n"
_LONGEST = 160  # characters of a line of the suite's report


def suite_finding(file: Path, backend: str, class_name: str, selection: list[str]) -> str:
    """The first failure of the suite's tests on a backend: a finding, or "" if all pass.

    Without the suite nothing is tested.  ``selection`` are options of ``gnomon conform``.  Metadata in a
    temporary folder let processes that the suite starts find the backend, as if it were installed.
    """
    if "conform" not in plug_ins.offered("gnomon.commands"):
        return ""
    with tempfile.TemporaryDirectory() as folder:
        metadata = Path(folder) / f"{backend}_exercise-0.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(_METADATA.format(name=f"{backend}-exercise"), "utf-8")
        (metadata / "entry_points.txt").write_text(
            f"[gnomon.backends]\n{backend} = {file.stem}:{class_name}\n", "utf-8"
        )
        paths = [folder, str(file.resolve().parent), str(Path(__file__).parents[3])]
        paths += filter(None, [os.environ.get("PYTHONPATH")])
        done = subprocess.run(
            [sys.executable, "-m", "gnomon.cli", "conform", backend, *selection, "-n", "1"],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONDONTWRITEBYTECODE": "1"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode == 0:
        return ""
    report, start, rest = (done.stdout + done.stderr).partition("fail: ")
    text = (rest.partition("\n\n")[0] if start else report).rstrip()
    lines = [line if len(line) <= _LONGEST else f"{line[:_LONGEST]} …" for line in text.splitlines()]
    return "\n".join(
        [
            f"A test of the conformance suite (gnomon conform {backend} {' '.join(selection)})",
            "  gave:     " + "\n            ".join((lines[:8] if start else lines[-8:]) or ["nothing"]),
            "  expected: the same as the reference's kernels",
        ]
    )
