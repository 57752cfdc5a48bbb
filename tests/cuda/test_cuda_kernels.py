"""What NVIDIA's compiler reports for all CUDA kernels is recorded: the record matches the sources, and a
sample that is compiled again gives the same.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from gnomon.values.errors import BackendUnavailableError
from gnomon_cuda import sources
from gnomon_cuda.programs import Program

ROOT = Path(__file__).resolve().parents[2]
_spec = importlib.util.spec_from_file_location("compile_kernels", ROOT / "tools" / "compile_kernels.py")
tool = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(tool)

SPILLING = """
__global__ void __launch_bounds__(1024, 2) spill(float *x) {
    float v[48];
    #pragma unroll
    for (int i = 0; i < 48; i++) v[i] = x[i * 1024 + threadIdx.x];
    __syncthreads();  // all of them are in use here
    #pragma unroll
    for (int i = 0; i < 48; i++) x[i * 1024 + threadIdx.x] = v[i] * v[47 - i] + v[(i + 11) % 48];
}
__global__ void share(float *x) {
    __shared__ float held[100];
    held[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = held[99 - threadIdx.x];
}
__global__ void stack(float *x, int place) {
    float v[16] = {};
    for (int i = 0; i < 99; i++) v[(int)x[i] & 15] += x[i];
    x[0] = v[place];
}
"""


@pytest.fixture(scope="module")
def nvrtc():
    try:
        return tool.compiler()
    except BackendUnavailableError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def record():
    return tool.read()


def samples():
    """For each source file a batch of kernels; dtype and architecture vary from file to file."""
    by_text: dict[str, list] = {}
    for part, programs in tool.parts().items():
        by_text.setdefault(part.text, []).append((part, list(tool.batches(programs))))
    for number, found in enumerate(by_text.values()):
        wanted = tool.ARCHITECTURES[number % len(tool.ARCHITECTURES)]
        own = [each for each in found if each[0].architecture == wanted]
        part, batches = own[number % len(own)]
        place = number % len(batches)
        first = sum(len(each.kernels) for each in batches[:place])
        yield pytest.param(part, batches[place], first, id=part.name.replace(" ", "-"))


def test_the_record_is_of_these_texts(record):
    """No recorded part has changed since, and the page says whether parts are missing from the record."""
    known = record["parts"]
    changed = [part.name for part in tool.stale(record) if part.name in known]
    assert not changed, f"`make compiled` compiles these and writes the record: {changed}"
    assert set(known) <= {part.name for part in tool.parts()}
    assert ("Not compiled since" in tool.TABLE.read_text()) == (len(known) < len(tool.parts()))


def test_no_kernel_spills_without_a_reason(record):
    assert tool.forbidden_spills(record) == []
    allowed, name = ("attention.cu float64 sm_80", "attention_for_key<1>"), "matmul.cu float32 sm_90"
    entries = {
        allowed[0]: {"spills": {allowed[1]: [24, 24]}},
        name: {"spills": {"product_tiles<8>": [8, 12]}},
    }
    found = tool.forbidden_spills({"parts": entries})
    assert found == ["matmul.cu float32 sm_90: product_tiles<8> stores 8 bytes and loads 12"]


def test_the_page_is_of_the_record(record):
    assert tool.TABLE.read_text() == tool.page(record)


@pytest.mark.slow
@pytest.mark.parametrize(("part", "batch", "first"), list(samples()))
def test_a_sample_is_compiled_as_recorded(nvrtc, record, part, batch, first):
    needs = tool.compile_batch(batch, part.architecture)
    spills = {kernel: [each.stores, each.loads] for kernel, each in zip(batch.kernels, needs)}
    spills = {kernel: found for kernel, found in spills.items() if any(found)}
    assert all(tool.reason(part.name, kernel) for kernel in spills)
    if nvrtc.version != record["version"] or part in tool.stale(record):
        return  # other compilers and sources give other numbers
    entry = record["parts"][part.name]
    registers = entry["registers"].split()[first : first + len(needs)]
    assert [str(each.registers) for each in needs] == registers
    assert spills == {kernel: found for kernel, found in entry["spills"].items() if kernel in batch.kernels}
    assert max(each.shared for each in needs) <= entry["shared"] <= 48 * 1024


def test_what_ptxas_says_is_understood(nvrtc):
    needs = tool.needs_of(nvrtc.compile(SPILLING, ["spill", "share", "stack"], "sm_90"))
    assert needs["spill"].stores > 0 and needs["spill"].loads > 0 and needs["spill"].registers <= 32
    assert needs["share"][1:] == (0, 0, 0, 400)
    assert needs["stack"][1:] == (64, 0, 0, 0) and 0 < needs["stack"].registers < 255


def test_a_changed_text_is_stale_and_a_changed_comment_is_not(monkeypatch):
    (part, programs), *_ = tool.parts().items()
    before = tool.digest_of(part, programs)
    read = sources.text
    for added, is_changed in (("\n/* a comment */ // another\n\n", False), ("\nint number;\n", True)):
        monkeypatch.setattr(sources, "text", lambda name, added=added: read(name) + added)
        tool._written.cache_clear()
        assert (tool.digest_of(part, programs) != before) == is_changed
    monkeypatch.setattr(sources, "text", read)
    tool._written.cache_clear()
    assert tool.digest_of(part, programs) == before
    assert tool.digest_of(part, programs[1:]) != before
    assert tool.stale({"parts": {part.name: {"digest": before}}})[0] != part
    assert tool.stale({"parts": {part.name: {"digest": "another"}}})[0] == part


def test_kernels_are_compiled_in_the_batches_of_a_program():
    kernels = tuple(f"k{number}" for number in range(2 * tool.BATCH + 1))
    found = list(tool.batches([Program("a.cu", "int8", kernels), Program("a.cu", "int8", ("alone",))]))
    assert [len(each.kernels) for each in found] == [tool.BATCH, tool.BATCH, 1, 1]
    assert tuple(kernel for each in found for kernel in each.kernels) == (*kernels, "alone")
