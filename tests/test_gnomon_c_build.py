"""cffi_build/gnomon_c_build.py: what the environment says of the build."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent

pytest.importorskip("cffi")


def flags_of(namespace: dict[str, Any], variant: str) -> list[str]:
    *_, keywords = namespace["make_ffi"](variant=variant)._assigned_source
    return keywords["extra_compile_args"]


def test_quick_variants_are_compiled_with_less_effort_and_the_same_meaning(monkeypatch):
    monkeypatch.delenv("GNOMON_CFLAGS", raising=False)
    build = runpy.run_path(str(ROOT / "cffi_build" / "gnomon_c_build.py"))
    monkeypatch.setenv("GNOMON_C_QUICK", "")
    usual = {name: flags_of(build, name) for name in build["VARIANTS"]}
    if "-O3" not in usual["avx2"]:
        pytest.skip("the compiler has other flags")
    monkeypatch.setenv("GNOMON_C_QUICK", "baseline,avx2")
    for name, flags in usual.items():
        quick = flags_of(build, name)
        assert quick == (flags if name == "avx512" else ["-O1" if flag == "-O3" else flag for flag in flags])


def test_an_unknown_instruction_set_is_an_error(monkeypatch):
    monkeypatch.setenv("GNOMON_C_VARIANTS", "avx3")
    with pytest.raises(
        ValueError, match="GNOMON_C_VARIANTS: expected names of baseline, avx2, avx512, got 'avx3'"
    ):
        runpy.run_path(str(ROOT / "cffi_build" / "gnomon_c_build.py"))
