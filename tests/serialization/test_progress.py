"""gn.save and gn.load with progress=True."""

from __future__ import annotations

import io
import pickle
import sys
from pathlib import Path

import pytest

import gnomon as gn

ENDINGS = ["pt", "safetensors", "npz"]


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_bar_of_bytes_is_shown_on_stderr(
    ending: str,
    tmp_path: Path,
    device: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("rich")
    if ending == "safetensors":
        pytest.importorskip("safetensors")
    monkeypatch.setenv("COLUMNS", "120")
    path = tmp_path / f"model.{ending}"
    state = {"a": gn.arange(5000.0), "b": gn.ones(3)}
    gn.save(state, path)
    plain = path.read_bytes()
    assert {name: each.tolist() for name, each in gn.load(path).items()} == {
        name: each.tolist() for name, each in state.items()
    }
    assert capsys.readouterr() == ("", "")  # unasked, nothing is printed
    gn.save(state, path, progress=True)
    output, errors = capsys.readouterr()
    assert output == "" and f"model.{ending}" in errors and "100%" in errors and "KiB" in errors
    assert len(path.read_bytes()) == len(plain)
    found = gn.load(path, progress=True)
    assert found["a"].tolist() == state["a"].tolist()
    output, errors = capsys.readouterr()
    assert output == "" and f"model.{ending}" in errors and "100%" in errors


def test_open_files_have_a_bar_too(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("rich")
    file = io.BytesIO(b"before")
    file.seek(6)
    gn.save(gn.ones(3000), file, progress=True)
    assert "gnomon.save" in capsys.readouterr().err
    file.seek(6)
    assert gn.load(file, progress=True).sum().item() == 3000
    errors = capsys.readouterr().err
    assert "gnomon.load" in errors and "100%" in errors


def test_a_failed_save_keeps_the_file_and_its_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("rich")
    path = tmp_path / "model.pt"
    gn.save(1, path)
    with pytest.raises((AttributeError, TypeError, pickle.PicklingError), match="lambda"):
        gn.save(lambda: 0, path, progress=True)
    assert "100%" not in capsys.readouterr().err
    assert gn.load(path) == 1


def test_without_rich_the_error_says_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rich.console", None)
    path = tmp_path / "model.pt"
    with pytest.raises(ImportError, match=r"^progress=True requires the package rich: pip install rich"):
        gn.save(1, path, progress=True)
    assert not path.exists()
    gn.save(1, path)
    with pytest.raises(ImportError, match="requires the package rich"):
        gn.load(path, progress=True)
