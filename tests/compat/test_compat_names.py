"""Programs that say ``import torch`` print and compare PyTorch's names: of dtypes, devices, classes.

The programs' outputs, ``programs/*.txt``, are PyTorch's; where it is installed, that is tested, too.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import gnomon as gn
from time_limits import LONG_LIMIT

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.py"))


def output(program: Path, *command: str) -> str:
    done = subprocess.run(
        [sys.executable, *command, program.name],
        cwd=program.parent,
        capture_output=True,
        text=True,
        timeout=LONG_LIMIT,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_a_program_prints_what_it_prints_with_pytorch(program: Path) -> None:
    assert output(program, "-m", "gnomon.compat") == program.with_suffix(".txt").read_text()


@pytest.mark.oracle
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_the_outputs_are_pytorchs(program: Path) -> None:
    pytest.importorskip("torch")
    assert output(program) == program.with_suffix(".txt").read_text()


def test_other_programs_see_gnomons_names() -> None:
    import gnomon.compat.torch as torch

    x = torch.ones(1, device="cpu")
    assert (str(x.dtype), x.type(), repr(x.shape)) == (
        "gnomon.float32",
        "gnomon.FloatTensor",
        "gnomon.Size([1])",
    )
    assert repr(gn.strided) == "gnomon.strided" and type(x).__module__ == "gnomon.memory.tensor"
    assert x.device.type == gn.backends()[x.device.type].name and torch.__name__ == "gnomon.compat.torch"


@pytest.mark.parametrize("which", ["reference", "numpy"])
def test_the_backend_that_is_chosen_is_the_cpu(tmp_path: Path, which: str, monkeypatch) -> None:
    if not gn.backends()[which].available:
        pytest.skip(f"no backend {which}")
    monkeypatch.setenv("GNOMON_BACKEND", which)
    program = tmp_path / "program.py"
    program.write_text(
        "import torch, pickle\n"
        "x = torch.ones(2)\n"
        "import gnomon\n"
        "print(x.device, torch.zeros(1, device='cpu').device, x.device.type, gnomon.get_default_device())\n"
        "backend = type(x.untyped_storage().backend).__name__\n"
        f"print(gnomon.device('{which}') is x.device, backend, x.type())\n"
        "print(pickle.loads(pickle.dumps(x)).device, (x + torch.ones(2, device='cpu')).tolist())\n"
    )
    kind = type(gn.ones(1, device=which).untyped_storage().backend).__name__
    assert output(program, "-m", "gnomon.compat") == (
        f"cpu cpu cpu cpu\nTrue {kind} torch.FloatTensor\ncpu [2.0, 2.0]\n"
    )


@pytest.mark.both_tiers
def test_texts_of_errors_name_the_library_once() -> None:
    with pytest.raises(TypeError, match=r"^tensor\(\): argument 'dtype' must be gnomon.dtype, not str$"):
        gn.tensor([1.0], dtype="float32")
    with pytest.raises(RuntimeError, match=r"x.to\(gnomon.int64\) converts it"):
        gn.ones(2).bitwise_and(1)
