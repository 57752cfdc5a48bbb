"""cffi_build/gnomon_c_build.py: the environment variables that control the build."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]

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
        ValueError, match="GNOMON_C_VARIANTS: expected all, or names of baseline, avx2, avx512, got 'avx3'"
    ):
        runpy.run_path(str(ROOT / "cffi_build" / "gnomon_c_build.py"))


def test_the_instruction_set_of_this_processor_is_built_unless_others_are_asked_for(monkeypatch):
    monkeypatch.delenv("GNOMON_C_VARIANTS", raising=False)
    build = runpy.run_path(str(ROOT / "cffi_build" / "gnomon_c_build.py"))
    known, usual = list(build["VARIANTS"]), build["FFI_NAMES"]
    if "-O3" not in flags_of(build, "avx2"):
        pytest.skip("the compiler has other flags")
    assert usual == ["ffi_processor", f"ffi_{build['widest_of_processor']()}"]
    for asked, wanted in (("all", known), ("avx2,baseline", known[:2]), ("avx2", ["avx2"])):
        monkeypatch.setenv("GNOMON_C_VARIANTS", asked)
        assert build["variants"]() == wanted
    monkeypatch.setenv("GNOMON_C_VARIANTS", "")
    monkeypatch.setenv("CC", "/nonexistent/cc")
    assert build["widest_of_processor"]() is None and build["variants"]() == ["baseline"]


def test_a_build_for_a_debugger_has_symbols(monkeypatch):
    monkeypatch.delenv("GNOMON_CFLAGS", raising=False)
    monkeypatch.setenv("GNOMON_DEBUG", "1")
    build = runpy.run_path(str(ROOT / "cffi_build" / "gnomon_c_build.py"))
    flags = flags_of(build, "avx2")
    if "-fwrapv" not in flags:
        pytest.skip("the compiler has other flags")
    assert {"-Og", "-g3", "-fno-omit-frame-pointer"} <= set(flags) and not {"-O3", "-g0"} & set(flags)


@pytest.mark.parametrize(("said", "is_built_in"), [("0", False), ("1", True), ("", True)])
def test_openmp_is_left_out_where_the_environment_says_so(said, is_built_in, monkeypatch):
    monkeypatch.setenv("GNOMON_OPENMP", "")
    monkeypatch.delenv("GNOMON_CFLAGS", raising=False)
    build = runpy.run_path(str(ROOT / "cffi_build" / "gnomon_c_build.py"))
    build["flags"].cache_clear()
    usual = flags_of(build, "baseline")
    if "-fopenmp" not in usual:
        pytest.skip("the compiler has no OpenMP")
    monkeypatch.setenv("GNOMON_OPENMP", said)
    build["flags"].cache_clear()
    assert flags_of(build, "baseline") == [flag for flag in usual if is_built_in or flag != "-fopenmp"]
    *_, keywords = build["make_ffi"]()._assigned_source
    assert ("-fopenmp" in keywords["extra_link_args"]) is is_built_in
    assert "-pthread" in keywords["extra_link_args"]
