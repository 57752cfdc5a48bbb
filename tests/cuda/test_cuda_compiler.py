"""Sources become images: by NVRTC, for GPUs that are not present, and by the host's compiler."""

from __future__ import annotations

import shutil
import struct

import pytest

from gnomon.values.errors import BackendUnavailableError
from gnomon_cuda import compiler as compilers
from gnomon_cuda import emulation, sources
from gnomon_cuda.cache import ImageCache, key_of
from gnomon_cuda.compiler import HostCompiler, NvrtcCompiler, find_nvrtc
from gnomon_cuda.errors import CompileError

ADD = """
template <class T> __global__ void add(const T *a, const T *b, T *out, long long count) {
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < count) out[i] = a[i] + b[i];
}
"""
KERNELS = ["add<float>", "add<double>"]
ELF_FLAGS_AT = 48  # offset of e_flags in a 64-bit ELF header, which contain the architecture


@pytest.fixture(scope="module")
def nvrtc():
    try:
        return NvrtcCompiler()
    except BackendUnavailableError as error:
        pytest.skip(str(error))


@pytest.fixture
def host():
    if shutil.which("c++") is None:
        pytest.skip("there is no C++ compiler")
    return HostCompiler()


@pytest.mark.parametrize("architecture", ["sm_80", "sm_90", "sm_100"])
def test_nvrtc_makes_an_image_of_just_that_architecture(nvrtc, architecture):
    number = int(architecture.removeprefix("sm_"))
    if number not in nvrtc.architectures:
        pytest.skip(f"NVRTC {nvrtc.version} does not know {architecture}")
    image = nvrtc.compile(ADD, KERNELS, architecture)
    assert image.data[:4] == b"\x7fELF"
    (flags,) = struct.unpack_from("<I", image.data, ELF_FLAGS_AT)
    assert number in (flags & 0xFF, flags >> 8 & 0xFF)  # the flags have one of two layouts
    assert set(image.symbols) == set(KERNELS)
    for symbol in image.symbols.values():
        assert b"\0" + symbol.encode() + b"\0" in image.data


def test_nvrtc_instantiates_what_is_asked_for_alone(nvrtc):
    image = nvrtc.compile(ADD, ["add<float>"], "sm_90")
    assert image.symbols == {"add<float>": "_Z3addIfEvPKT_S2_PS0_x"}
    assert b"_Z3addIdEvPKT_S2_PS0_x" not in image.data


def test_nvrtc_says_what_each_kernel_needs(nvrtc):
    log = nvrtc.compile(ADD, KERNELS, "sm_90").log
    assert log.count("0 bytes spill stores") == 2
    assert log.count("registers") == 2
    spilling = """
    __global__ void __launch_bounds__(1024, 2) spill(float *x) {
        float v[48];
        #pragma unroll
        for (int i = 0; i < 48; i++) v[i] = x[i * 1024 + threadIdx.x];
        __syncthreads();  // all of them are in use here
        #pragma unroll
        for (int i = 0; i < 48; i++) x[i * 1024 + threadIdx.x] = v[i] * v[47 - i] + v[(i + 11) % 48];
    }
    """
    log = nvrtc.compile(spilling, ["spill"], "sm_90").log
    assert "bytes spill stores" in log and " 0 bytes spill stores" not in log


def test_nvrtc_makes_ptx_for_a_gpu_newer_than_itself(nvrtc):
    image = nvrtc.compile(ADD, KERNELS, "sm_999")
    assert f".target sm_{nvrtc.architectures[-1]}".encode() in image.data
    assert image.data.endswith(b"\0")  # the driver reads PTX up to there
    assert image.symbols["add<double>"].encode() in image.data


def test_nvrtc_names_the_architectures_it_knows(nvrtc):
    with pytest.raises(CompileError, match=r"does not support sm_20; it supports .*sm_90"):
        nvrtc.compile(ADD, KERNELS, "sm_20")


def test_an_error_has_its_file_and_line(nvrtc):
    with pytest.raises(CompileError) as caught:
        nvrtc.compile(ADD + "\nint wrong = missing;\n", ["add<float>"], "sm_90")
    line = len(ADD.splitlines()) + 2
    assert f'gnomon.cu({line}): error: identifier "missing" is undefined' in caught.value.log
    assert "failed to compile add<float> for sm_90" in str(caught.value)
    assert caught.value.log in str(caught.value)


def test_an_error_in_an_included_text_has_that_file(nvrtc, tmp_path):
    (tmp_path / "broken.cuh").write_text("// one line\nint wrong = missing;\n")
    compiler = NvrtcCompiler(folders=[tmp_path])
    with pytest.raises(CompileError) as caught:
        compiler.compile('#include "broken.cuh"\n', [], "sm_90")
    assert f'{tmp_path / "broken.cuh"}(2): error: identifier "missing"' in caught.value.log


def test_a_kernel_that_is_not_there_is_named(nvrtc):
    with pytest.raises(CompileError) as caught:
        nvrtc.compile(ADD, ["subtract<float>"], "sm_90")
    assert 'identifier "subtract" is undefined' in caught.value.log


def test_functions_without_a_word_run_on_the_device(nvrtc):
    # csrc/c/scalar.h has no CUDA qualifiers either
    source = "template <class T> T twice(T a) { return a + a; }\n"
    source += "__global__ void run(float *x) { x[threadIdx.x] = twice(x[threadIdx.x]); }\n"
    assert nvrtc.compile(source, ["run"], "sm_90").symbols == {"run": "_Z3runPf"}


def test_the_standard_is_cxx20(nvrtc):
    source = "static_assert(__cplusplus >= 202002L);\n"
    source += "template <class T> concept Number = sizeof(T) > 0;\n"
    source += "template <Number T> __global__ void run(T *x) { x[0] = T(1); }\n"
    assert len(nvrtc.compile(source, ["run<int>"], "sm_90").symbols) == 1


def test_images_of_nvrtc_are_kept(nvrtc, tmp_path):
    kept = ImageCache(tmp_path)
    first = kept.compile(nvrtc, ADD, KERNELS, "sm_90")
    assert kept.compile(nvrtc, ADD, KERNELS, "sm_90") == first
    assert kept.compile(nvrtc, ADD, KERNELS, "sm_80").data != first.data
    assert (kept.hits, kept.misses) == (1, 2)


def test_a_library_that_is_not_nvrtc_is_said_to_be_none(monkeypatch, tmp_path):
    monkeypatch.setenv("GNOMON_NVRTC", str(tmp_path / "libnvrtc.so.12"))
    with pytest.raises(BackendUnavailableError, match=r"NVRTC cannot be loaded.*libnvrtc\.so\.12"):
        NvrtcCompiler()


def test_an_nvrtc_later_than_the_driver_is_left_out(monkeypatch, tmp_path):
    for major in (12, 13):
        (tmp_path / "lib64").mkdir(exist_ok=True)
        (tmp_path / "lib64" / f"libnvrtc.so.{major}").write_text("")
    monkeypatch.setattr(compilers, "package_folders", list)
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    ours = str(tmp_path / "lib64" / "libnvrtc.so.")
    assert find_nvrtc()[:2] == [ours + "13", ours + "12"]
    assert find_nvrtc(newest_major=12)[0] == ours + "12"
    assert ours + "13" not in find_nvrtc(newest_major=12)


def test_headers_are_those_of_the_same_cuda(monkeypatch, tmp_path):
    monkeypatch.setattr(compilers, "package_folders", list)
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "cuda_fp16.h").write_text("")
    (tmp_path / "include" / "cuda_runtime_api.h").write_text("\n#define CUDART_VERSION  77010\n")
    assert compilers.find_cuda_headers(77) == (tmp_path / "include",)
    assert compilers.find_cuda_headers(78) == ()


# ---------------------------------------------------------------------------------------------------------
# The host's compiler.


def test_the_host_makes_a_library_that_has_the_kernels(host):
    image = host.compile(ADD, KERNELS, "sm_90")
    assert image.data[:4] == b"\x7fELF"
    assert image.symbols == {"add<float>": "k0", "add<double>": "k1"}
    for symbol in image.symbols.values():
        assert b"\0" + symbol.encode() + b"\0" in image.data


def test_an_error_of_the_host_has_its_file_and_line(host):
    with pytest.raises(CompileError) as caught:
        host.compile(ADD + "\nint wrong = missing;\n", ["add<float>"], "sm_90")
    assert f"gnomon.cu:{len(ADD.splitlines()) + 2}:" in caught.value.log
    assert "missing" in caught.value.log


def test_another_compiler_is_named_by_the_environment(monkeypatch, host):
    monkeypatch.setenv("CXX", "g++ -DGN_MARK=1" if shutil.which("g++") else "c++ -DGN_MARK=1")
    named = HostCompiler()
    assert "-DGN_MARK=1" in named.version
    source = "#if !GN_MARK\n#error it was not told\n#endif\n" + ADD
    assert len(named.compile(source, KERNELS, "sm_90").symbols) == 2


def test_further_options_come_from_the_environment(monkeypatch, host):
    monkeypatch.setenv("GNOMON_CUDA_CXXFLAGS", "-DGN_MARK=1 '-DGN_SPACE=1 + 1'")
    source = "static_assert(GN_MARK == 1 && GN_SPACE == 2);\n" + ADD
    assert len(HostCompiler().compile(source, KERNELS, "sm_90").symbols) == 2
    assert HostCompiler().options != host.options


def test_a_machine_without_a_compiler_says_so(monkeypatch):
    monkeypatch.setenv("CXX", "/nowhere/c++")
    with pytest.raises(BackendUnavailableError, match=r"requires a C\+\+ compiler.*/nowhere/c\+\+"):
        HostCompiler()


def test_the_text_that_stands_for_the_gpu_is_part_of_the_key(host, tmp_path):
    (tmp_path / "emulation.h").write_text("// one\n")
    compiler = HostCompiler(folders=[tmp_path])
    before = key_of(compiler, ADD, KERNELS, "sm_90")
    (tmp_path / "emulation.h").write_text("// two\n")
    after = key_of(compiler, ADD, KERNELS, "sm_90")
    assert after != before
    checking = HostCompiler(folders=[tmp_path], checks=not compiler.kernel_options)
    assert key_of(checking, ADD, KERNELS, "sm_90") != after


def test_the_texts_are_found():
    assert (sources.folder() / "pointwise.def").is_file()
    assert sources.text("pointwise.def") == (sources.folder() / "pointwise.def").read_text()


def test_a_header_is_precompiled_once_and_read_before_each_text(host, monkeypatch, tmp_path):
    if "clang" in host.version.lower():
        pytest.skip("of GCC only")
    compiler = HostCompiler(sources.kernel_folders(True))
    kept = ImageCache(tmp_path)
    header = emulation.prefix(compiler, kept)
    assert header.read_text() == '#include "emulation.h"\n#include "kernel.cuh"\n'
    assert header.with_name(f"{header.name}.gch").stat().st_size > 1 << 20
    assert emulation.prefix(HostCompiler(sources.kernel_folders(True)), kept) == header
    assert (kept.hits, kept.misses) == (1, 1)
    warned = HostCompiler(sources.kernel_folders(True), options=["-Winvalid-pch"])
    warned.prefix = lambda: emulation.prefix(warned, ImageCache(tmp_path))
    source = '#define GN_CUDA_CODE 8\n#include "kernel.cuh"\n' + ADD
    image = warned.compile(source, KERNELS, "sm_90")
    assert image.log == ""  # the compiler uses the precompiled header
    assert image.symbols == compiler.compile(source, KERNELS, "sm_90").symbols
    warned.prefix = lambda: header.with_name("missing.h")
    with pytest.raises(CompileError, match=r"missing\.h"):
        warned.compile(source, KERNELS, "sm_90")


def test_a_header_that_can_not_be_precompiled_is_left_out(host, tmp_path):
    (tmp_path / "emulation.h").write_text("#error broken\n")
    assert emulation.prefix(HostCompiler([tmp_path]), ImageCache(tmp_path / "kept")) is None
