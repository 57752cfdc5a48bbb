"""What describes this machine: utils.collect_env and gnomon.__config__; the modules types and functional."""

from __future__ import annotations

import gnomon as gn
from gnomon.utils import collect_env


def test_the_environment_is_described(monkeypatch, capsys) -> None:
    monkeypatch.setenv("GNOMON_HOME", "a folder")
    info = collect_env.get_env_info()
    assert info["gnomon version"] == gn.__version__ and info["Backend reference"] == "available"
    assert info["GNOMON_HOME"] == "a folder" and info["Threads"] == str(gn.get_num_threads())
    collect_env.main()
    lines = capsys.readouterr().out.splitlines()
    assert lines == collect_env.get_pretty_env_info().splitlines()
    assert f"gnomon version: {gn.__version__}" in lines
    shown = gn.__config__.show()
    assert f"gnomon {gn.__version__} built with" in shown and "backend reference: available" in shown
    assert str(gn.get_num_threads()) in gn.__config__.parallel_info()


def test_types_and_functions_of_their_own_modules() -> None:
    assert isinstance(1.5, gn.types.Number) and isinstance(gn.device("cpu"), gn.types.Device)
    assert isinstance(1, gn.types._Number) and not isinstance("1", gn.types._Number)
    assert gn.functional.einsum is gn.einsum
    assert all(getattr(gn.functional, name) is getattr(gn, name) for name in gn.functional.__all__)
