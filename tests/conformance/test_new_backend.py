"""``gnomon new-backend``: its files install and conform as generated, and bad requests are refused early."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gnomon.memory.backend import CONTRACT_VERSION
from gnomon_conformance import new_backend
from gnomon_conformance.comparison.expectations import read
from gnomon_conformance.reporting import report as report_module

ROOT = Path(__file__).parents[2]


def environment(*folders: Path) -> dict[str, str]:
    """The environment of a subprocess in which only ``folders`` and what is installed can be imported."""
    path = [str(each) for each in (*folders, ROOT / "reference", ROOT / "conformance")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path), "PYTHONDONTWRITEBYTECODE": "1"}


def run(folder: Path, *command: str, paths: tuple[Path, ...] = ()) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command],
        capture_output=True,
        text=True,
        cwd=folder,
        env=environment(*paths),
        timeout=1800,
    )


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a distribution that the command generated."""
    folder = tmp_path_factory.mktemp("new")
    made = run(folder, "-m", "gnomon.cli", "new-backend", "two_words")
    assert made.returncode == 0, made.stderr
    assert "gnomon conform two_words --tier memory" in made.stdout
    return folder / "gnomon_two_words"


@pytest.fixture(scope="module")
def installed(generated: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder to which pip installed the distribution."""
    target = tmp_path_factory.mktemp("installed")
    options = ("--quiet", "--no-index", "--no-build-isolation", "--no-deps", "--target", str(target))
    done = run(target, "-m", "pip", "install", *options, str(generated))
    assert done.returncode == 0, done.stderr
    return target


def test_the_files(generated: Path) -> None:
    found = {str(path.relative_to(generated)) for path in generated.rglob("*") if path.is_file()}
    assert found >= {
        ".github/workflows/conform.yml",
        ".gitignore",
        "README.md",
        "gnomon_two_words/__init__.py",
        "gnomon_two_words/backend.py",
        "gnomon_two_words/expectations.txt",
        "gnomon_two_words/kernels.py",
        "pyproject.toml",
        "tests/test_conformance.py",
    }
    for path in generated.rglob("*"):
        if path.is_file() and path.suffix not in (".pyc", ".so") and "egg-info" not in str(path):
            text = path.read_text()
            assert "$name" not in text and "$package" not in text and "$$" not in text, path
    text = (generated / "gnomon_two_words" / "backend.py").read_text()
    assert "class TwoWords(Backend):" in text and f"    contract_version = {CONTRACT_VERSION}\n" in text
    assert read(str(generated / "gnomon_two_words" / "expectations.txt")).failures == ()


@pytest.mark.slow
def test_it_passes_the_first_tier_on_its_own_kernel(installed: Path, tmp_path: Path) -> None:
    command = (
        "-m",
        "gnomon.cli",
        "conform",
        "two_words",
        "--tier",
        "memory",
        "-n",
        "1",
        "--property-seconds",
        "0",
    )
    chosen = ("--dtypes", "float32,bool,complex64", "--ops", r"^(clone|_to_copy|copy|full|empty|contiguous)")
    report = tmp_path / "report"
    done = run(tmp_path, *command, *chosen, "--report", str(report), paths=(installed,))
    assert done.returncode == 0, done.stdout + done.stderr
    data = report_module.read(str(report / "report.json"))
    places = {each["kernels"].get("copy_", "") for each in data["results"]}
    assert any(place.startswith("gnomon_two_words/kernels.py:") for place in places), places
    assert "100.00% of those that it claims" in done.stdout


def test_its_own_test_runs_the_tier(generated: Path) -> None:
    text = (generated / "tests" / "test_conformance.py").read_text()
    assert '"conform", "two_words", "--tier", tier]' in text and 'TIERS = ["memory"]' in text
    compile(text, "test_conformance.py", "exec")


def test_what_is_written_is_clean(generated: Path) -> None:
    for action in (["check"], ["format", "--check"]):
        done = run(generated, "-m", "ruff", *action, "--isolated", "--line-length", "110", ".")
        assert done.returncode == 0, done.stdout


def test_a_folder_that_is_there_is_left_alone(generated: Path) -> None:
    mine = generated / "gnomon_two_words" / "kernels.py"
    before = mine.read_text()
    again = run(generated.parent, "-m", "gnomon.cli", "new-backend", "two_words")
    assert again.returncode == 2 and "already exists" in again.stderr
    assert mine.read_text() == before
    assert [path.name for path in generated.parent.iterdir()] == ["gnomon_two_words"], "nothing half-written"


@pytest.mark.parametrize("name", ["c", "reference", "cpu", "Two", "two-words", "2d", "class", "ü", ""])
def test_bad_names(name: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"is not a valid name for a backend|already exists"):
        new_backend.write(name, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_failure_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(new_backend.FILES, "no_such_template", "x")
    with pytest.raises(OSError, match="no_such_template"):
        new_backend.write("fresh", tmp_path / "deep")
    assert list((tmp_path / "deep").iterdir()) == []


# What ``gnomon new-backend before`` wrote when the contract had no versions, with its code unchanged.
BEFORE_VERSIONS = {
    "backend.py": '''"""The before backend: its memory, and what it claims."""

from typing import ClassVar

from gnomon import Backend
from gnomon.memory.backend import USUAL_TRAITS

from .kernels import KERNELS

HERE = __file__.rpartition("backend.py")[0]


class Memory:
    """A block of memory.  gnomon hands it to the kernels, and never looks inside.

    The memory is free when nobody refers to this object any more.
    """

    def __init__(self, nbytes):
        self.bytes = memoryview(bytearray(nbytes))


class Before(Backend):
    """What the entry point leads to."""

    name = "before"  # what GNOMON_BACKEND=before selects
    device_type = "before"  # what device="before" says
    kernels: ClassVar = {name: kernel for name, (kernel, _) in KERNELS.items()}
    # Operator -> the dtypes that its kernel takes; None: all.  What is not claimed runs on the reference, by
    # way of copies, and is counted: gnomon.fallbacks.
    capabilities: ClassVar = {name: dtypes for name, (_, dtypes) in KERNELS.items()}
    # What else it can do; gnomon.memory.backend.TRAITS says what the words mean.  Take away what it can not.
    traits = USUAL_TRAITS
    conformance_file = HERE + "expectations.txt"

    def is_available(self):
        """Can it run here, and if not, why?  Look for a driver or a library here, never when imported."""
        return True, ""

    def allocate(self, nbytes, index):
        """Memory for ``nbytes`` bytes, maybe 0, on device ``index``."""
        return Memory(nbytes)

    def copy_in(self, memory, offset, data):
        """Write the host's bytes, a memoryview, into ``memory`` from byte ``offset`` on."""
        memory.bytes[offset : offset + data.nbytes] = data.cast("B")

    def copy_out(self, memory, offset, nbytes):
        """Bytes of ``memory``, for the host; wait for kernels that still write to it."""
        return bytes(memory.bytes[offset : offset + nbytes])

    def synchronize(self, index):
        """Wait for all kernels on device ``index``; errors of theirs come out here."""
''',
    "kernels.py": '''"""The kernels of the before backend.

A kernel is called with an iterator, whose operands are the outputs and then the inputs, or, for operators
that are neither pointwise nor reductions, with the outputs and the schema's arguments.
"""


def elements(tensor):
    """The bytes under a tensor: all of its storage."""
    return tensor.untyped_storage().memory.bytes


def copy(iterator):
    """``output = input``, converted to the output's dtype: all that moves data goes through it."""
    output, source = iterator.tensor(0), iterator.tensor(1)
    read = source.dtype.reader(elements(source))
    write = output.dtype.writer(elements(output))
    for to, at in zip(iterator.offsets(0), iterator.offsets(1)):
        write(to, read(at))


# Operator -> its kernel, and the names of the dtypes that it takes; None: all of them.
KERNELS = {
    "copy_": (copy, None),
}
''',
    "expectations.txt": "",
    "__init__.py": "",
}


@pytest.fixture(scope="module")
def generated_before(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a backend generated before contract versions existed, as pip installs it."""
    folder = tmp_path_factory.mktemp("before")
    package, metadata = folder / "gnomon_before", folder / "gnomon_before-0.1.0.dist-info"
    package.mkdir(), metadata.mkdir()
    for name, text in BEFORE_VERSIONS.items():
        (package / name).write_text(text)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: gnomon-before\nVersion: 0.1.0\n")
    point = "[gnomon.backends]\nbefore = gnomon_before.backend:Before\n"
    (metadata / "entry_points.txt").write_text(point)
    return folder


@pytest.mark.slow
def test_one_that_was_generated_before_there_were_versions_loads_and_conforms(
    generated_before: Path, tmp_path: Path
) -> None:
    program = """
import gnomon as gn
from gnomon.memory.backend import get_backend, version_of
assert version_of(get_backend("before")) == (1, 0)
gn.set_fallback_policy("allow")
x = gn.tensor([[1.0, 2.0], [3.0, 4.0]], device="before")
print((x + x.t()).tolist(), gn.fallbacks["before", "add.Tensor"], gn.fallbacks["before", "copy_"])
"""
    done = run(tmp_path, "-c", program, paths=(generated_before,))
    assert done.stdout.strip() == "[[2.0, 5.0], [5.0, 8.0]] 1 0", done.stderr
    command = ("-m", "gnomon.cli", "conform", "before", "-n", "1", "--property-seconds", "0")
    chosen = ("--ops", "^(copy_|clone)$", "--dtypes", "float32,int64")
    done = run(tmp_path, *command, *chosen, "--report", "report", paths=(generated_before,))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "100.00% of those that it claims" in done.stdout and "backend's contract 1.0" in done.stdout
    data = report_module.read(str(tmp_path / "report" / "report.json"))
    assert data["environment"]["backend's contract"] == "1.0"
    assert data["origins"]["own kernel"] > 10
