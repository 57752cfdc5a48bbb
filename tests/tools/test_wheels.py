"""tools/wheels.py: which wheel is for which Python, and the table.

tests/project/test_packaging.py runs its check on wheels that it builds.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


def _tool() -> Any:
    spec = importlib.util.spec_from_file_location("wheels_tool", ROOT / "tools" / "wheels.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


TOOL = _tool()


def test_a_wheel_is_for_the_pythons_of_its_tag() -> None:
    assert TOOL.fits("gnomon-0.1.0-cp312-cp312-linux_x86_64.whl", (3, 12))
    assert not TOOL.fits("gnomon-0.1.0-cp312-cp312-linux_x86_64.whl", (3, 13))
    assert TOOL.fits("gnomon-0.1.0-cp310-cp310-manylinux_2_28_x86_64.whl", (3, 10))
    assert TOOL.fits("gnomon-0.1.0-py3-none-any.whl", (3, 13))
    assert TOOL.fits("gnomon-0.1.0-1-py2.py3-none-any.whl", (3, 10))
    with pytest.raises(ValueError, match=r"expected the name of a wheel, .* got 'gnomon-0\.1\.0\.tar\.gz'"):
        TOOL.fits("gnomon-0.1.0.tar.gz", (3, 10))


def test_the_table_shows_each_python_and_what_failed() -> None:
    rows = [
        {"python": "3.12.1", "wheel": "a.whl", "failure": "", "c": True, "speedups": True, "default": "c"},
        {"python": "python3.13", "wheel": "", "failure": "no wheel"},
    ]
    rows[0]["warnings"] = ["look here"]
    lines = TOOL.table(rows).splitlines()
    assert lines[0].split() == ["Python", "wheel", "c", "speedups", "default", "checks"]
    assert lines[2].split() == ["3.12.1", "a.whl", "yes", "yes", "c", "passed"]
    assert lines[3].split() == ["python3.13", "-", "-", "-", "-", "failed"]
    assert lines[4:] == ["3.12.1: look here", "", "python3.13 failed: no wheel"]


def test_an_interpreter_that_does_not_run_is_a_row_that_failed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wheel = tmp_path / "gnomon-0.1.0-py3-none-any.whl"
    wheel.write_bytes(b"")
    absent = str(tmp_path / "no-python")
    assert TOOL.main([absent, "--wheel", str(wheel), "--output", str(tmp_path)]) == 1
    assert f"{absent} failed: cannot run {absent}" in capsys.readouterr().out


def test_a_wheel_that_is_not_there_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        TOOL.main(["--wheel", str(tmp_path / "gone.whl")])
    assert "no such wheel" in capsys.readouterr().err


def test_a_check_that_fails_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TOOL, "PROGRAM", "assert 1 == 2, 'the sum differs'")
    with pytest.raises(TOOL.Failure, match=r"(?s)ended with 1.*the sum differs"):
        TOOL.check(Path(sys.executable), tmp_path)


def test_cibuildwheel_accepts_its_configuration_and_builds_for_each_python() -> None:
    package = pytest.importorskip("cibuildwheel")
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads(
        (Path(package.__file__).parent / "resources" / "cibuildwheel.schema.json").read_text("utf-8")
    )
    tomllib = pytest.importorskip("tomllib")  # from Python 3.11 on
    written = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    found = written["tool"]["cibuildwheel"]
    jsonschema.validate(found, schema)
    for minor in range(10, 15):
        assert f"cp3{minor}-*" in found["build"].split()
    for system in ("linux", "macos", "windows"):
        assert found[system]["archs"]
