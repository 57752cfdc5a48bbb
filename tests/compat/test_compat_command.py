"""``python -m gnomon.compat``: programs that say ``import torch`` run on gnomon."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import gnomon as gn
from gnomon.compat.__main__ import advice, missing_name
from time_limits import LONG_LIMIT

PROGRAM = """
import os
import sys
import helper
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), 0.1)
first = last = None
for epoch in range(20):
    for x, y in DataLoader(TensorDataset(torch.eye(3), torch.ones(3, 1)), batch_size=3):
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        first, last = first or loss.item(), loss.item()
print(last < first / 2, sys.argv[1:], helper.LIBRARY, torch.__file__.split(os.sep)[-4])
"""


def run(folder: Path, text: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    (folder / "program.py").write_text(text)
    (folder / "helper.py").write_text("import torch\nLIBRARY = torch.__name__\n")
    command = [sys.executable, "-m", "gnomon.compat", "program.py", *arguments]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=LONG_LIMIT, check=False
    )


def test_a_program_trains_and_its_modules_get_gnomon_too(tmp_path: Path) -> None:
    done = run(tmp_path, PROGRAM, "--lr", "3")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "True ['--lr', '3'] torch gnomon\n"


@pytest.mark.parametrize(
    ("text", "name", "more"),
    [
        ("import torch\ntorch.hsplitt", "torch.hsplitt", "torch.hsplit"),
        ("import torch\nfrom torch.nn import Linaer", "torch.nn.Linaer", "torch.nn.Linear"),
        ("import torch\ntorch.nn.functional.reluu", "torch.nn.functional.reluu", "torch.nn.functional.relu"),
        ("import torch\ntorch.ones(1).summ()", "torch.Tensor.summ", "torch.Tensor.sum"),
        ("import torch\nimport torch.fx.passes", "torch.fx.passes", "docs/pytorch_names.md"),
        ("import torch\nfrom torch.fx import Graph", "torch.fx.Graph", "gnomon does not trace functions"),
        ("import torch\ntorch.ops.aten.nothing", "torch.ops.aten.nothing", "docs/pytorch_names.md"),
        ("import torch\ntorch.ops.aten.sqrtt", "torch.ops.aten.sqrtt", "torch.ops.aten.sqrt"),
        ("import torch\ntorch.ops.vision.nms", "torch.ops.vision", "docs/pytorch_names.md"),
        ("import torch\ntorch.ops.aten.add.foo", "torch.ops.aten.add.foo", "docs/pytorch_names.md"),
        (
            "import torch\nfrom torch.utils._python_dispatch import TorchDispatchMode",
            "torch.utils._python_dispatch.TorchDispatchMode",
            "gnomon.DispatchMode",
        ),
        (
            "import torch\nfrom torch.overrides import TorchFunctionMode",
            "torch.overrides.TorchFunctionMode",
            "gnomon has no __torch_function__; see gnomon.DispatchMode",
        ),
        (
            "import torch\nfrom torch.utils._pytree import register_pytree_node",
            "torch.utils._pytree.register_pytree_node",
            "tuples, lists and dictionaries alone",
        ),
        ("import torch\ntorch.jit.no_such_thing", "torch.jit.no_such_thing", "gnomon has no TorchScript"),
    ],
)
def test_one_error_names_what_is_missing_and_what_there_is(
    tmp_path: Path, text: str, name: str, more: str
) -> None:
    done = run(tmp_path, text)
    assert done.returncode == 1 and done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"program.py:2: gnomon has no {name}") and more in line


def test_the_place_is_the_programs_also_in_a_folder_with_gnomon(tmp_path: Path) -> None:
    (tmp_path / "gnomon").symlink_to(Path(gn.__file__).parent, target_is_directory=True)
    code = "import sys; sys.path.insert(0, '.')\nfrom gnomon.compat.__main__ import main\n"
    (tmp_path / "program.py").write_text("import torch\ntorch.ops.aten.nothing")
    command = [sys.executable, "-c", f"{code}raise SystemExit(main(['program.py']))"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=LONG_LIMIT)
    assert done.stderr.startswith("program.py:2: gnomon has no torch.ops.aten.nothing")


def test_other_errors_and_the_status_are_the_programs(tmp_path: Path) -> None:
    done = run(tmp_path, "class A: pass\nA().x")
    assert done.returncode == 1 and "Traceback" in done.stderr and "has no attribute 'x'" in done.stderr
    assert run(tmp_path, "raise SystemExit(7)").returncode == 7
    assert run(tmp_path, "").returncode == 0


def test_a_script_that_is_not_there(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "gnomon.compat", str(tmp_path / "none.py")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LONG_LIMIT, check=False)
    assert done.returncode == 2 and "no such file" in done.stderr


def test_names_in_errors() -> None:
    assert missing_name(AttributeError("torch.a.b is not there: gnomon has no 'a'")) == "a.b"
    assert missing_name(AttributeError("module 'gnomon.nn' has no attribute 'X'")) == "nn.X"
    assert missing_name(AttributeError("'Parameter' object has no attribute 'x'")) == "Parameter.x"
    assert missing_name(AttributeError("'A' object has no attribute 'x'")) is None
    assert missing_name(ImportError("no package")) is None
    assert missing_name(AttributeError("there is no operator 'f'")) == "ops.aten.f"
    assert missing_name(AttributeError("there is no operator 'f' in the namespace 'own'")) == "ops.own.f"
    assert missing_name(AttributeError("there is no operator 'f' of mine")) is None
    assert advice("nn.Linaer").startswith("gnomon has no torch.nn.Linaer; like it there are torch.nn.Linear")


@pytest.mark.oracle
def test_modules_of_pytorch_itself_are_not_taken_for_gnomons() -> None:
    code = (
        "import torch, torch.fx.graph, importlib\nimport gnomon.compat.torch\n"
        "for name in ('fx', 'fx.graph'):\n"
        "    try: print(hasattr(importlib.import_module(f'gnomon.compat.torch.{name}'), 'Graph'))\n"
        "    except ModuleNotFoundError: print('none')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=LONG_LIMIT)
    assert done.stdout == "False\nnone\n"


CHILDREN = """
import multiprocessing
import os
import torch
from torch.utils.data import DataLoader

def put(queue):
    queue.put(torch.__file__.split(os.sep)[-4])

class Numbers:
    def __len__(self):
        return 4
    def __getitem__(self, number):
        return torch.tensor(float(number))

if __name__ == "__main__":
    context = multiprocessing.get_context("{method}")
    queue = context.Queue()
    process = context.Process(target=put, args=(queue,))
    process.start()
    found = queue.get()
    process.join()
    loader = DataLoader(Numbers(), batch_size=2, num_workers=1, multiprocessing_context="{method}")
    print(found, [batch.tolist() for batch in loader])
"""


@pytest.mark.slow
@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_processes_that_a_program_starts(tmp_path: Path, method: str) -> None:
    finished = run(tmp_path, CHILDREN.replace("{method}", method))
    assert (finished.returncode, finished.stdout) == (0, "gnomon [[0.0, 1.0], [2.0, 3.0]]\n"), finished.stderr


def call(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "gnomon.compat", *arguments]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=LONG_LIMIT, check=False
    )


def test_modules_texts_and_folders_are_programs_as_for_python(tmp_path: Path) -> None:
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "part.py").write_text("import torch\nNAME = torch.__name__\n")
    (package / "__main__.py").write_text(
        "import sys\nfrom package.part import NAME\nprint(NAME, sys.argv[1:])\n"
    )
    done = call(tmp_path, "-m", "package", "-x", "--lr", "3")
    assert (done.returncode, done.stdout) == (0, "torch ['-x', '--lr', '3']\n"), done.stderr
    done = call(tmp_path, "-m", "package.part")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    done = call(tmp_path, "-c", "import torch, sys; print(torch.ones(2).sum().item(), sys.argv)", "-c", "x")
    assert (done.returncode, done.stdout) == (0, "2.0 ['-c', '-c', 'x']\n"), done.stderr
    (package / "__main__.py").write_text("import part\nprint(part.NAME)\n")
    done = call(tmp_path, "package")
    assert (done.returncode, done.stdout) == (0, "torch\n"), done.stderr


def test_what_a_text_or_module_lacks_is_named(tmp_path: Path) -> None:
    done = call(tmp_path, "-c", "import torch\ntorch.hsplitt")
    assert done.returncode == 1 and done.stderr.startswith("<string>:2: gnomon has no torch.hsplitt")
    (tmp_path / "module.py").write_text("import torch\n\ntorch.ones(1).summ()\n")
    done = call(tmp_path, "-m", "module")
    assert done.returncode == 1 and done.stderr.startswith("module.py:3: gnomon has no torch.Tensor.summ")
    done = call(tmp_path, "nothing.py")
    assert done.returncode == 2 and "no such file: nothing.py" in done.stderr
