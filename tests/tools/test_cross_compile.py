"""tools/cross_compile.py: it compiles for other systems, and says what does not compile."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
AARCH64 = "aarch64-linux-gnu.2.28"
MACHINE = {"x86_64-linux-gnu.2.28": b"\x3e\x00", AARCH64: b"\xb7\x00"}  # as ELF has it


def _tool() -> Any:
    spec = importlib.util.spec_from_file_location("cross_compile_tool", ROOT / "tools" / "cross_compile.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


TOOL = _tool()


def test_targets_that_it_does_not_know_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        TOOL.main(["vax-vms"])
    assert "expected targets of x86_64-linux-gnu.2.28, aarch64" in capsys.readouterr().err
    with pytest.raises(ValueError, match="got 'vax-vms'"):
        TOOL.compiler("vax-vms")


def test_a_compiler_that_fails_is_an_error_of_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(TOOL.importlib.util, "find_spec", lambda name: name)
    program = "import sys; sys.exit('a.c:1: error: no such header' if 'sort.c' in ' '.join(sys.argv) else 0)"
    monkeypatch.setattr(TOOL, "compiler", lambda target: [sys.executable, "-c", program])
    assert TOOL.main([AARCH64, "--output", str(tmp_path)]) == 1
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].split() == [AARCH64, "fails:", "sort.c"]
    assert printed[1].strip() == "sort.c: a.c:1: error: no such header"


def test_results_of_two_systems_are_compared_within_the_precision_of_the_dtype() -> None:
    one = "exp 8 1 2.5 nan inf\nneg 5 -7 9007199254740993\n"
    assert TOOL.differences(one, one) == []
    assert TOOL.differences(one, one.replace("2.5", "2.500001")) == []
    assert TOOL.differences(one, one.replace("2.5", "2.501")) == ["exp of dtype 8: 2.5 and 2.501"]
    assert TOOL.differences(one, one.replace("nan", "3")) == ["exp of dtype 8: nan and 3.0"]
    assert TOOL.differences(one, one.replace("-7", "-8")) == ["neg of dtype 5: -7.0 and -8.0"]
    with pytest.raises(ValueError, match="the same kernels"):
        TOOL.differences(one, one.replace("neg", "abs"))


@pytest.mark.slow
@pytest.mark.parametrize("target", TOOL.TARGETS)
def test_files_that_use_the_system_compile_for_other_systems(target: str, tmp_path: Path) -> None:
    pytest.importorskip("ziglang")
    for name in ("allocator", "fork", "parallel_native", "processor", "threads"):
        source = ROOT / "csrc" / "c" / f"{name}.c"
        assert TOOL.compile_one(target, "O0", tmp_path, source) is None
        made = (tmp_path / f"{name}.o").read_bytes()
        if target in MACHINE:
            assert made[:4] == b"\x7fELF" and made[18:20] == MACHINE[target]
    wrong = tmp_path / "wrong.c"
    wrong.write_text("#include <no_such_header.h>\n")
    assert "no_such_header.h" in TOOL.compile_one(target, "O0", tmp_path, wrong)
