"""``gnomon new-backend``: what it writes installs, conforms as generated, and says no in time."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gnomon_conformance import new_backend
from gnomon_conformance import report as report_module
from gnomon_conformance.expectations import read

ROOT = Path(__file__).parent.parent


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
    """The folder of a generated distribution, by the command as it is typed."""
    folder = tmp_path_factory.mktemp("new")
    made = run(folder, "-m", "gnomon.cli", "new-backend", "two_words")
    assert made.returncode == 0, made.stderr
    assert "gnomon conform two_words --tier memory" in made.stdout
    return folder / "gnomon_two_words"


@pytest.fixture(scope="module")
def installed(generated: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the distribution was installed to by pip."""
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
    assert "class TwoWords(Backend):" in (generated / "gnomon_two_words" / "backend.py").read_text()
    assert read(str(generated / "gnomon_two_words" / "expectations.txt")).failures == ()


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
    assert "100.00% of what it claims" in done.stdout


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
    assert again.returncode == 2 and "is there already" in again.stderr
    assert mine.read_text() == before
    assert [path.name for path in generated.parent.iterdir()] == ["gnomon_two_words"], "nothing half-written"


@pytest.mark.parametrize("name", ["c", "reference", "cpu", "Two", "two-words", "2d", "class", "ü", ""])
def test_bad_names(name: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"can not name a backend|there is a backend"):
        new_backend.write(name, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_failure_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(new_backend.FILES, "no_such_template", "x")
    with pytest.raises(OSError, match="no_such_template"):
        new_backend.write("fresh", tmp_path / "deep")
    assert list((tmp_path / "deep").iterdir()) == []
