"""docs/adding_an_operator.md is true: its steps, applied to a copy of the source, give a working operator."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from time_limits import LONG_LIMIT

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "adding_an_operator.md").read_text()

CHECK = """
import gnomon as gn
from gnomon.autograd import gradcheck, gradgradcheck

gn.set_fallback_policy("error")
for device in ("reference", "c", "numpy"):
    x = gn.tensor([-2.0, 0.5, 3.0], device=device)
    assert gn.cube(x).tolist() == [-8.0, 0.125, 27.0]
    assert x.cube().device.type == device
    assert gn.cube(gn.tensor([3], dtype=gn.int16, device=device)).dtype is gn.int16
    y = gn.empty(3, device=device)
    assert gn.cube(x, out=y) is y and y.tolist() == [-8.0, 0.125, 27.0]
    assert x.cube_() is x and x.tolist() == [-8.0, 0.125, 27.0] and x._version == 1
    z = gn.tensor([[0.3, -1.2], [2.0, 0.1]], dtype=gn.float64, device=device, requires_grad=True)
    assert gradcheck(gn.cube, [z]) and gradgradcheck(gn.cube, [z])
    try:
        gn.cube(gn.tensor([True], device=device))
    except RuntimeError as error:
        assert "cube" in str(error) and "bool" in str(error)
    else:
        raise AssertionError("bool was not refused")
assert gn.cube(gn.empty(2, 3, device="meta")).shape == (2, 3)
assert not gn.fallbacks
print("cube works")
"""


def blocks(language: str, count: int) -> list[str]:
    """The page's blocks of code in ``language``."""
    found = re.findall(rf"```{language}\n(.*?)```", PAGE, re.S)
    assert len(found) == count
    return found


@pytest.mark.slow
@pytest.mark.skipif(shutil.which(os.environ.get("CC", "cc")) is None, reason="there is no C compiler")
def test_the_page_adds_an_operator(tmp_path: Path) -> None:
    for folder in ("reference", "backends", "csrc", "cffi_build"):
        ignored = shutil.ignore_patterns("__pycache__", "*.so", "*.egg-info", "build")
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=ignored)
    record, function = blocks("python", 2)
    with (tmp_path / "reference/gnomon/ops/pointwise/arithmetic.py").open("a") as file:
        file.write("\n\n" + record)
    with (tmp_path / "backends/gnomon_numpy/gnomon_numpy/pointwise.py").open("a") as file:
        file.write(function)
    with (tmp_path / "csrc/pointwise.def").open("a") as file:
        file.write(*blocks("c", 1))
    build = [sys.executable, str(tmp_path / "cffi_build/gnomon_c_build.py"), str(tmp_path / "built")]
    environment = {**os.environ, "GNOMON_CFLAGS": "-O0"}
    made = subprocess.run(
        build, capture_output=True, text=True, cwd=tmp_path, env=environment, timeout=LONG_LIMIT
    )
    assert made.returncode == 0, made.stderr
    shutil.copy(made.stdout.strip().splitlines()[-1], tmp_path / "backends/gnomon_c")
    program = f"""
import gnomon_c
import gnomon_numpy
from gnomon.memory.backend import register_backend
register_backend(gnomon_c.backend())
register_backend(gnomon_numpy.NumPyBackend())
{CHECK}"""
    # -S would hide numpy; the copies come first on the path, before any installed gnomon
    path = os.pathsep.join(
        str(tmp_path / folder) for folder in ("reference", "backends", "backends/gnomon_numpy")
    )
    run = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:0] = {path.split(os.pathsep)!r}\n{program}"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=LONG_LIMIT,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "cube works" in run.stdout
