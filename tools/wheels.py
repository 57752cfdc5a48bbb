"""Installs gnomon's wheels in clean virtual environments of several Pythons, and checks them there.

    python tools/wheels.py                            # python3.10 to python3.14, those that are on the PATH
    python tools/wheels.py python3.12 python3.13      # these
    python tools/wheels.py --without-c                # the wheel that is pure Python
    python tools/wheels.py --wheel dist/*.whl         # wheels that exist, instead of building them
    python tools/wheels.py --tests tests/interop      # runs these tests too, with what the wheel installed
    python tools/wheels.py --installed                # checks what is installed with the running Python

A wheel is built from the source archive, which is built first, so that both are checked.  It is built by the
Python for which it is; one that is pure Python is built once.  The variables of the build have their effect
(docs/environment_variables.md), such as ``GNOMON_C_VARIANTS``.  ``--output`` (default: build/wheels) keeps
the archive and the wheels.  pip fetches the dependencies.  Prints a table, and ends with status 1 if a check
failed.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
USUAL = ("python3.10", "python3.11", "python3.12", "python3.13", "python3.14")
PIP = ("-m", "pip", "--disable-pip-version-check", "--quiet")

# Runs with the installed wheel, and prints what it found as JSON.
PROGRAM = r"""
import json, subprocess, sys, warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import gnomon as gn
    default = gn.ones(2).device.type
assert gn.__file__.startswith(sys.prefix), f"{gn.__file__} is not from the environment {sys.prefix}"
c = gn.backends()["c"]
speedups = "gnomon_speedups._speedups" in sys.modules

def computes(device):
    x = gn.tensor([[3.0, 1.0], [2.0, 4.0]], device=device)
    assert (x @ x).tolist() == [[11.0, 7.0], [14.0, 18.0]]
    assert (x + x.t()).tolist() == [[6.0, 3.0], [3.0, 8.0]]
    assert x.sort(dim=1).values.tolist() == [[1.0, 3.0], [2.0, 4.0]]
    assert x.sum(0).tolist() == [5.0, 5.0] and x.argmax().item() == 3
    assert gn.softmax(gn.zeros(4, device=device), 0).tolist() == [0.25] * 4
    if sys.version_info >= (3, 12) or speedups:  # Python's buffer protocol
        assert memoryview(gn.arange(3, device=device)).tolist() == [0, 1, 2]
    assert gn.from_dlpack(x).data_ptr() == x.data_ptr()

def trains(device):
    gn.manual_seed(0)
    model = gn.nn.Linear(2, 1).to(device)
    x = gn.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], device=device)
    wanted = gn.tensor([[1.0], [3.0], [0.0], [2.0]], device=device)  # 1 - x0 + 2 x1
    optimizer = gn.optim.SGD(model.parameters(), lr=0.3)
    for _ in range(200):
        optimizer.zero_grad()
        loss = gn.nn.functional.mse_loss(model(x), wanted)
        loss.backward()
        optimizer.step()
    assert loss.item() < 1e-4, loss.item()
    weight = [round(each, 1) for each in model.weight.flatten().tolist()]
    assert weight == [-1.0, 2.0] and round(model.bias.item(), 1) == 1.0, weight

for device in ["reference", *(["c"] if c.available else [])]:
    computes(device)
    trains(device)
listed = subprocess.run(
    [sys.argv[1], "backends"],
    capture_output=True, text=True, check=True,
).stdout
assert "reference" in listed, listed
print(json.dumps({
    "python": sys.version.split()[0],
    "c": c.available,
    "why": c.reason or "",
    "speedups": speedups,
    "default": default,
    "warnings": [str(each.message) for each in caught],
}))
"""


class Failure(Exception):
    """A step that failed: what, and what it printed."""


def _run(*command: object, cwd: Path | None = None, **variables: str) -> str:
    # without the caller's paths: only what the wheel has installed may be found
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**inherited, **variables},
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        raise Failure(f"{command[0]} ended with {done.returncode}:\n{done.stdout}{done.stderr}".rstrip())
    return done.stdout


def fits(wheel: str, version: tuple[int, int]) -> bool:
    """Is a wheel with this file name for this version of CPython?  Looks at the Python tags alone."""
    if not wheel.endswith(".whl") or wheel.count("-") < 4:
        raise ValueError(f"expected the name of a wheel, NAME-VERSION-PYTHON-ABI-PLATFORM.whl, got {wheel!r}")
    tags = wheel.split("-")[-3].split(".")
    return "py3" in tags or f"cp{version[0]}{version[1]}" in tags


def version_of(python: str) -> tuple[int, int]:
    """The version of an interpreter, as (3, 12).  Raises Failure if it does not run."""
    try:
        major, minor = _run(python, "-c", "import sys; print(*sys.version_info[:2])").split()
    except OSError as error:
        raise Failure(f"cannot run {python}: {error}") from None
    return int(major), int(minor)


def _runs(python: str) -> bool:
    try:
        return bool(version_of(python))
    except Failure:  # not there, or a name that another program keeps for a Python that it does not select
        return False


def build_source(output: Path) -> Path:
    """Build the source archive into a folder with this Python's package ``build``; returns its path."""
    _run(sys.executable, "-m", "build", "--sdist", "--outdir", output, ROOT)
    return max(output.glob("gnomon-*.tar.gz"), key=lambda path: path.stat().st_mtime)


def build_wheel(python: Path, source: Path, output: Path) -> Path:
    """Build a wheel of a source archive, by the Python of an environment, into a folder; returns its path."""
    with tempfile.TemporaryDirectory() as folder:
        _run(python, *PIP, "wheel", "--no-deps", "--wheel-dir", folder, source)
        (made,) = Path(folder).glob("*.whl")
        return Path(shutil.copy(made, output / made.name))


def check(python: Path, folder: Path) -> dict:
    """Run the small program with an environment's Python, in ``folder``; returns what it found.

    Raises Failure with the program's output if anything in it fails.
    """
    return json.loads(_run(python, "-c", PROGRAM, python.parent / "gnomon", cwd=folder).splitlines()[-1])


def row_of(python: str, wheels: Sequence[Path], source: Path | None, arguments: argparse.Namespace) -> dict:
    """Install and check a wheel for one interpreter; returns a row of the table, with ``failure`` in it."""
    row = {"python": python, "wheel": "", "failure": ""}
    try:
        version = version_of(python)
        with tempfile.TemporaryDirectory() as folder:
            environment = Path(folder) / "environment"
            _run(python, "-m", "venv", environment)
            inside = environment / "bin" / "python"
            wheel = next((each for each in wheels if fits(each.name, version)), None)
            if wheel is None:
                if source is None:
                    raise Failure(f"none of the wheels is for Python {version[0]}.{version[1]}")
                wheel = build_wheel(inside, source, arguments.output)
            row["wheel"] = wheel.name
            _run(inside, *PIP, "install", wheel)
            _run(inside, *PIP, "check")
            row.update(check(inside, Path(folder)))
            if arguments.tests:
                _run(inside, *PIP, "install", f"{wheel}[conformance]")
                command = ("-m", "pytest", "-q", "-m", "not slow", "-p", "no:cacheprovider", *arguments.tests)
                row["tests"] = _run(inside, *command, cwd=ROOT).splitlines()[-1]
    except Failure as failure:
        row["failure"] = str(failure)
    return row


def table(rows: Sequence[dict]) -> str:
    """The rows as text: the wheel that each Python installed, what works, and what failed."""
    titles = ("Python", "wheel", "c", "speedups", "default", "checks")
    lines: list[tuple[str, ...]] = [titles]
    for row in rows:
        said = ["yes" if row.get(name) else "-" for name in ("c", "speedups")]
        state = "failed" if row["failure"] else row.get("tests", "passed")
        lines.append((row["python"], row["wheel"] or "-", *said, row.get("default", "-"), state))
    widths = [max(len(line[k]) for line in lines) for k in range(len(titles))]
    lines.insert(1, tuple("-" * width for width in widths))
    text = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines]
    for row in rows:
        text += [f"{row['python']}: {warning}" for warning in row.get("warnings", [])]
        text += [f"\n{row['python']} failed: {row['failure']}"] if row["failure"] else []
    return "\n".join(text)


def check_installed() -> int:
    """Check what is installed in the environment of the running Python; prints it, and returns the status."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            found = check(Path(sys.executable), Path(folder))
        except Failure as failure:
            print(failure)
            return 1
    print("  ".join(f"{name}: {value}" for name, value in found.items() if value not in ("", [])))
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program with these arguments (default: those of the process); returns its status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "pythons", nargs="*", metavar="PYTHON", help="interpreters (default: those on the PATH)"
    )
    parser.add_argument("--wheel", nargs="+", type=Path, default=[], help="wheels that exist: build none")
    parser.add_argument("--without-c", action="store_true", help="build the wheel that is pure Python")
    parser.add_argument(
        "--output", type=Path, default=ROOT / "build" / "wheels", help="where to keep the files"
    )
    parser.add_argument(
        "--tests", nargs="+", default=[], help="tests of the repository to run with each wheel"
    )
    parser.add_argument("--installed", action="store_true", help="check the environment of this Python")
    options = parser.parse_args(arguments)
    if options.installed:
        return check_installed()
    missing = [str(path) for path in options.wheel if not path.is_file()]
    if missing:
        parser.error(f"no such wheel: {', '.join(missing)}")
    pythons = options.pythons or [name for name in USUAL if _runs(name)]
    if not pythons:
        parser.error(f"none of {', '.join(USUAL)} is on the PATH: name the interpreters")
    if options.without_c:
        os.environ["GNOMON_WITHOUT_C"] = "1"
    elif not options.wheel:
        os.environ["GNOMON_REQUIRE_C"] = "1"
    options.output = options.output.resolve()
    options.output.mkdir(parents=True, exist_ok=True)
    wheels = [path.resolve() for path in options.wheel]
    source = None if wheels else build_source(options.output)
    rows = []
    for python in pythons:
        rows.append(row_of(python, wheels, source, options))
        if options.without_c and rows[-1]["wheel"]:
            wheels = [options.output / rows[-1]["wheel"]]
    print(table(rows))
    return int(any(row["failure"] for row in rows))


if __name__ == "__main__":
    raise SystemExit(main())
