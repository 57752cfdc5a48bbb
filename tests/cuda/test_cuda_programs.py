"""Families list all programs that they may compile: the emulation compiles no other."""

from __future__ import annotations

import pytest

import gnomon as gn
from gnomon.memory.backend import get_backend
from gnomon_cuda import families, losses, sources
from gnomon_cuda.cache import ImageCache
from gnomon_cuda.compiler import HostCompiler
from gnomon_cuda.programs import Program, Programs, for_each, one_by_one


def test_every_text_is_listed_and_no_program_twice():
    programs = list(families.programs())
    texts = {path.name for path in (sources.folder() / "cuda").glob("*.cu")}
    assert {each.text for each in programs} == texts
    assert len(set(programs)) == len(programs)
    for each in programs:
        assert isinstance(each.kernels, tuple) and each.kernels
        assert len(set(each.kernels)) == len(each.kernels)


def test_a_program_is_what_a_compiler_reads():
    (program,) = (each for each in losses.programs() if each.dtype == "float64")
    assert program.text == "losses.cu" and "glu" in program.kernels
    assert program.source.startswith("#define GN_CUDA_CODE 9\n")
    assert program.source.endswith(sources.text("cuda/losses.cu"))
    assert list(for_each("a.cu", ("int8", "bool"), ["f", "g"])) == [
        Program("a.cu", "int8", ("f", "g")),
        Program("a.cu", "bool", ("f", "g")),
    ]
    alone = one_by_one("a.cu", "int8", ["f", "g"])
    assert list(alone) == [Program("a.cu", "int8", ("f",)), Program("a.cu", "int8", ("g",))]


def test_the_emulation_refuses_what_no_family_lists(cuda_driver):
    listed = Program("rearrange.cu", "uint8", ("copy_elements<uint8_t>",))
    programs = Programs(
        cuda_driver, HostCompiler(sources.kernel_folders(True)), ImageCache(), 10, lambda: [listed]
    )
    (kernel,) = listed.kernels
    assert programs.function(0, listed.text, listed.dtype, kernel, [kernel])
    words = r"copy_elements<uint16_t> of rearrange\.cu for uint8 is not listed by the programs"
    with pytest.raises(LookupError, match=words):
        programs.function(0, "rearrange.cu", "uint8", "copy_elements<uint16_t>", ["copy_elements<uint16_t>"])
    with pytest.raises(LookupError, match="for int8"):
        programs.function(0, "rearrange.cu", "int8", kernel, [kernel])


@pytest.mark.usefixtures("cuda")
def test_a_family_that_forgets_a_program_is_found_by_a_call(monkeypatch):
    x = gn.ones(3, 3, device="cuda")
    programs = get_backend("cuda").runtime.programs
    monkeypatch.setattr(programs, "_functions", {})
    monkeypatch.setattr(programs, "_listed", frozenset())
    with pytest.raises(LookupError, match="not listed by the programs"):
        x.t().tril().tolist()
