"""tools/make_stubs.py: the checked-in stub file is what it writes, and mypy checks programs with it."""

from __future__ import annotations

import importlib.util
import inspect
import os
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

import gnomon as gn
from time_limits import LIMIT

ROOT = Path(__file__).parents[2]
TOOL = ROOT / "tools" / "make_stubs.py"
STUBS = ROOT / "reference" / "gnomon" / "__init__.pyi"
TENSOR_STUBS = ROOT / "reference" / "gnomon" / "memory" / "tensor.pyi"

# Runs, and is correct according to the stubs.
RIGHT = """
import gnomon as gn
from gnomon import nn, optim

x = gn.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True, dtype=gn.float64)
y = gn.zeros(2, 3) + gn.ones((2, 3), dtype=gn.float32, device="cpu")
z: gn.Tensor = (1 - x) * 2.0 @ x.T / (3 + x) ** 2
n: int = x.size(0) + len(x) + x.stride(1) + x.shape[0] + x.numel() + int(x.sum())
sizes: gn.Size = x.size()
kind: gn.dtype = x.dtype
where: gn.device = x.device
values, indices = x.max(0, keepdim=True)
same = x.max(dim=0).values
largest = gn.max(x).item() + 1
x.sum().backward()
if x.grad is not None:
    x.grad.zero_()
w = x.detach().view(4).view((2, 2)).reshape(-1).permute(0).unsqueeze(0).expand(3, -1).clone()
w.add_(1, alpha=2).clamp_(min=0.0, max=1)
out = gn.empty(0, dtype=gn.float64)
gn.add(x.detach(), 2, alpha=3, out=out)
u = gn.where(y > 0, y, -y).to("cpu").to(gn.int64).to("cpu", gn.int32).to(x).float().bool()
s = gn.sum(y, 1, keepdim=True) + gn.mean(y) + gn.sum(y, dim=(0, 1), dtype=gn.float64)
r = gn.randn(2, 3, requires_grad=True) + gn.rand((2, 3), generator=gn.Generator().manual_seed(1))
a = gn.arange(5) + gn.arange(0, 5) + gn.arange(0, 1, 0.2) + gn.full((5,), 1) + gn.randperm(5)
b = gn.cat([y, y], dim=0)[0, 1:]
b[0] = 5
q = gn.div(y, 2, rounding_mode="floor").pow(2).squeeze(0).any(1)
with gn.no_grad():
    model = nn.Linear(3, 4)
step = optim.SGD(model.parameters(), lr=0.1)
(g,) = gn.autograd.grad((r * r).sum(), [r])
if g is not None:  # an input that the output does not depend on has none
    g.exp_()
for row in y:
    print(f"{row.mean().item():.2f}", model(row).tolist())
"""

# A wrong line, and mypy's message for it; all but the last raise when they run.
WRONG = {
    "gn.tensor()": 'Missing positional argument "data" in call to "tensor"',
    "gn.zeros(2).reshap(1)": '"Tensor" has no attribute "reshap"; maybe "reshape"?',
    "gn.zeroes(2)": 'Module has no attribute "zeroes"',
    "gn.add(gn.ones(1))": 'Missing positional argument "other" in call to "add"',
    "gn.ones(1).exp(2)": 'Too many positional arguments for "exp" of "Tensor"',
    "gn.ones(1).exp(ouput=gn.ones(1))": 'Unexpected keyword argument "ouput" for "exp" of "Tensor"',
    "gn.ones(1) + 'one'": "Unsupported operand types",
    "gn.ones(1, dtype='float32')": "No overload variant of",
    "gn.matmul(gn.ones(1, 1), 2)": "incompatible type",
    "gn.ones(1).transpose(0)": 'Missing positional argument "dim1" in call to "transpose" of "Tensor"',
    "number: int = gn.ones(1).sum()": "Incompatible types in assignment",
}

needs_mypy = pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="mypy is not installed")


def mypy(folder: Path, *files: Path) -> str:
    """What mypy prints about ``files``, with the checkout's stubs and no configuration."""
    environment = {**os.environ, "MYPYPATH": str(ROOT / "reference")}
    arguments = ["--config-file=", "--follow-imports=silent", "--cache-dir", str(folder / "cache")]
    finished = subprocess.run(
        [sys.executable, "-m", "mypy", *arguments, *map(str, files)],
        capture_output=True,
        text=True,
        env=environment,
        cwd=folder,
        timeout=LIMIT,
    )
    assert finished.returncode in (0, 1), finished.stderr  # 2: mypy itself failed
    return finished.stdout


def test_the_checked_in_files_are_what_the_tool_writes() -> None:
    finished = subprocess.run(
        [sys.executable, str(TOOL), "--check"], capture_output=True, text=True, timeout=LIMIT
    )
    assert finished.returncode == 0, f"the stubs are stale: run python tools/make_stubs.py\n{finished.stderr}"


def test_every_public_name_has_a_type() -> None:
    text = STUBS.read_text()
    at_top = set(
        re.findall(r"^(?:def|class) (\w+)|^(\w+): |import \w+ as (\w+)$|^    (\w+) as \w+,$", text, re.M)
    )
    known = {name for groups in at_top for name in groups if name}
    public = {
        name
        for name, member in ((each, getattr(gn, each)) for each in dir(gn))
        if not name.startswith("_") and not inspect.ismodule(member) and name not in ("annotations", "Any")
    }
    assert public - known == set()
    methods = set(re.findall(r"^    def (\w+)\(|^    (\w+):", TENSOR_STUBS.read_text(), re.M))
    methods = {name for groups in methods for name in groups}
    assert {name for name in vars(gn.Tensor) if not name.startswith("_")} - methods == set()


def test_ruff_accepts_the_files_as_they_stand() -> None:
    if importlib.util.find_spec("ruff") is None:
        pytest.skip("ruff is not installed")
    for command in (["format", "--check"], ["check"]):
        finished = subprocess.run(
            [sys.executable, "-m", "ruff", *command, str(STUBS), str(TENSOR_STUBS)],
            capture_output=True,
            text=True,
            cwd=ROOT,
            timeout=LIMIT,
        )
        assert finished.returncode == 0, finished.stdout


@pytest.mark.slow
@needs_mypy
def test_mypy_accepts_the_stubs_and_a_right_program(tmp_path: Path) -> None:
    program = tmp_path / "right.py"
    program.write_text(RIGHT)
    exec(compile(RIGHT, "right.py", "exec"), {"print": lambda *texts: None})  # what is accepted also runs
    assert mypy(tmp_path, program, STUBS, TENSOR_STUBS) == "Success: no issues found in 3 source files\n"


@pytest.mark.slow
@needs_mypy
def test_mypy_refuses_wrong_programs(tmp_path: Path) -> None:
    program = tmp_path / "wrong.py"
    lines = list(WRONG)
    program.write_text("\n".join(["import gnomon as gn", *lines]) + "\n")
    found: dict[int, str] = defaultdict(str)
    for line, text in re.findall(r"^wrong\.py:(\d+): error: (.*)$", mypy(tmp_path, program), re.M):
        found[int(line) - 2] += text
    for number, line in enumerate(lines):
        assert WRONG[line] in found[number], line
        if not line.startswith("number"):
            with pytest.raises((TypeError, AttributeError, RuntimeError)):
                exec(line, {"gn": gn})
