"""gnomon.hub: models from folders, and files from URLs, here of the scheme file."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import pytest

import gnomon as gn
from gnomon import hub

HUBCONF = """
dependencies = ["math"]
from helper_of_hubconf import make

def linear(size, bias=True):
    '''A layer.'''
    return make(size, bias)

_private = linear
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "hubconf.py").write_text(HUBCONF)
    helper = "import gnomon as gn\ndef make(size, bias):\n    return gn.nn.Linear(size, size, bias)\n"
    (tmp_path / "helper_of_hubconf.py").write_text(helper)
    monkeypatch.delitem(sys.modules, "helper_of_hubconf", raising=False)
    return tmp_path


def test_models_of_a_folder(folder: Path) -> None:
    path = list(sys.path)
    model = hub.load(folder, "linear", 3, source="local", trust_repo=True, bias=False)
    assert model.weight.shape == (3, 3) and model.bias is None
    assert hub.help(str(folder), "linear", source="local") == "A layer."
    assert hub.list(folder, source="local") == ["make", "linear"]
    assert sys.path == path
    with pytest.raises(RuntimeError, match=r"^Cannot find callable other in hubconf"):
        hub.load(folder, "other", source="local")
    with pytest.raises(ValueError, match="model should be a string of function name"):
        hub.load(folder, 3, source="local")  # type: ignore[arg-type]
    (folder / "hubconf.py").write_text("dependencies = ['no_such_package_a', 'no_such_package_b']")
    with pytest.raises(RuntimeError, match=r"^Missing dependencies: no_such_package_a, no_such_package_b"):
        hub.load(folder, "linear", source="local")
    assert sys.path == path


def test_code_is_not_downloaded(folder: Path) -> None:
    with pytest.raises(RuntimeError, match="gnomon downloads no code, such as 'pytorch/vision' from GitHub"):
        hub.load("pytorch/vision", "resnet18")
    with pytest.raises(ValueError, match=r'^Unknown source: "gitlab"'):
        hub.list("a/b", source="gitlab")


def test_weights_are_downloaded_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub, "_folder", None)
    monkeypatch.setenv("GNOMON_HOME", str(tmp_path / "home"))
    assert hub.get_dir() == str(tmp_path / "home" / "hub")
    gn.save({"w": gn.arange(3)}, tmp_path / "net.pth")
    digest = hashlib.sha256((tmp_path / "net.pth").read_bytes()).hexdigest()
    named = tmp_path / f"net-{digest[:8]}.pth"
    (tmp_path / "net.pth").rename(named)
    assert hub.load_state_dict_from_url(named.as_uri(), check_hash=True)["w"].tolist() == [0, 1, 2]
    kept = tmp_path / "home" / "hub" / "checkpoints" / named.name
    assert kept.exists()
    named.unlink()
    assert gn.utils.model_zoo.load_url(named.as_uri())["w"].tolist() == [0, 1, 2]
    hub.set_dir(tmp_path / "other")
    assert hub.get_dir() == str(tmp_path / "other")
    with pytest.raises(OSError, match="urlopen error"):  # as without a connection
        hub.load_state_dict_from_url(named.as_uri())


def test_a_wrong_file_is_not_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a").write_bytes(b"content")
    with pytest.raises(RuntimeError, match=r'^invalid hash value \(expected "abc", got "ed7002b4'):
        hub.download_url_to_file((tmp_path / "a").as_uri(), tmp_path / "b", hash_prefix="abc")
    assert not (tmp_path / "b").exists()
    pytest.importorskip("rich")
    hub.download_url_to_file((tmp_path / "a").as_uri(), tmp_path / "b", "ed7002b4", progress=True)
    assert (tmp_path / "b").read_bytes() == b"content" and "100%" in capsys.readouterr().err
