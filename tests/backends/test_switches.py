"""The modules of gn.backends that describe libraries: what they answer, and which switches they keep."""

from __future__ import annotations

import warnings

import pytest

import gnomon as gn
from gnomon.backends import _precision, cuda


@pytest.fixture(autouse=True)
def libraries_as_they_were(monkeypatch):
    for name in ("_linalg_library", "_blas_library", "_rocm_library", "_reduces_in_half_precision"):
        monkeypatch.setattr(cuda, name, getattr(cuda, name))
    monkeypatch.setattr(_precision, "_settings", _precision._initial())
    monkeypatch.setattr(_precision, "_cudnn_allows_tf32", True)
    monkeypatch.setattr(cuda, "_attention", dict(cuda._attention))
    monkeypatch.setattr(cuda, "matmul", cuda._Matmul())


def test_the_capability_is_that_of_the_kernels(monkeypatch) -> None:
    if not gn.backends()["c"].available:
        pytest.skip("the C extension is not built")
    from gnomon.memory.backend import get_backend

    assert gn.device("cpu") == gn.device("c")
    for kernels, said in (("avx512", "AVX512"), ("avx2", "AVX2")):
        monkeypatch.setattr(get_backend("c"), "instruction_set", kernels)
        assert gn.backends.cpu.get_cpu_capability() == said
    monkeypatch.setattr(get_backend("c"), "instruction_set", "baseline")
    for machine, said in (("x86_64", "NO AVX"), ("aarch64", "DEFAULT")):
        monkeypatch.setattr("platform.machine", lambda machine=machine: machine)
        assert gn.backends.cpu.get_cpu_capability() == said


def test_there_is_no_engine_of_quantized_operators() -> None:
    quantized = gn.backends.quantized
    assert quantized.engine == "none" and quantized.supported_engines == []
    for name, message in (
        ("fbgemm", "^quantized engine FBGEMM is not supported$"),
        ("none", "^quantized engine NoQEngine is not supported$"),
        ("foo", "^foo is not a valid value for quantized engine$"),
    ):
        with pytest.raises(RuntimeError, match=message):
            quantized.engine = name
    with pytest.raises(RuntimeError, match=r"^Assignment not supported$"):
        quantized.supported_engines = []


def test_libraries_that_are_not_used_say_so() -> None:
    backends = gn.backends
    assert not backends.nnpack.is_available() and not backends.mkldnn.is_acl_available()
    assert not backends.cudnn.is_acceptable(gn.ones(1))
    assert backends.nnpack.set_flags(False) == (True,)
    with backends.nnpack.flags(enabled=True):
        assert backends.nnpack.enabled
    assert backends.nnpack.set_flags(True) == (False,)
    with pytest.raises(RuntimeError, match=r"nnpack.enabled expects a bool, but got int"):
        backends.nnpack.set_flags(1)
    assert backends.mha.get_fastpath_enabled()
    backends.mha.set_fastpath_enabled(False)
    assert not backends.mha.get_fastpath_enabled()
    backends.mha.set_fastpath_enabled(True)
    for library, name in ((backends.mkl, "MKL"), (backends.mkldnn, "MKLDNN")):
        with library.verbose(library.VERBOSE_OFF):
            pass
        with (
            pytest.raises(AssertionError, match=f"^Failed to set {name} into verbose mode"),
            library.verbose(library.VERBOSE_ON),
        ):
            pass


def test_preferred_libraries_are_stored() -> None:
    assert cuda.preferred_linalg_library() is cuda._LinalgBackend.Default
    assert repr(cuda.preferred_linalg_library("magma")) == "<_LinalgBackend.Magma: 2>"
    assert cuda.preferred_linalg_library() is cuda._LinalgBackend.Magma
    assert cuda.preferred_linalg_library(cuda._LinalgBackend.Default) is cuda._LinalgBackend.Default
    assert cuda.preferred_blas_library() is cuda._BlasBackend.Cublas
    assert cuda.preferred_blas_library("hipblaslt") is cuda._BlasBackend.Cublaslt
    assert cuda.preferred_blas_library(cuda._BlasBackend.Default) is cuda._BlasBackend.Cublas
    assert cuda.preferred_rocm_fa_library("ck") is cuda._ROCmFABackend.Ck
    assert cuda.preferred_rocm_fa_library() is cuda._ROCmFABackend.Ck
    with pytest.raises(RuntimeError, match=r"Unknown input value. Choose from: default, cusolver, magma\."):
        cuda.preferred_linalg_library("foo")
    with pytest.raises(RuntimeError, match="Unknown input value type"):
        cuda.preferred_blas_library(cuda._LinalgBackend.Default)
    with pytest.raises(ValueError, match=r"Unknown input value. Choose from: default, aotriton, ck\."):
        cuda.preferred_rocm_fa_library(3)


def test_switches_of_attention() -> None:
    with pytest.warns(FutureWarning, match=r"`gnomon.backends.cuda.sdp_kernel\(\)` is deprecated"):
        block = cuda.sdp_kernel(enable_math=False)
    with block as found:
        assert found == {} and not cuda.math_sdp_enabled() and cuda.flash_sdp_enabled()
    assert cuda.math_sdp_enabled()
    x = gn.ones(1, 1, 2, 2)
    asked = cuda.SDPAParams(x, x, x, None, 0.0, False, False)
    assert asked.query is x and asked.enable_gqa is False
    for question in (cuda.can_use_flash_attention, cuda.can_use_efficient_attention):
        assert question(asked) is False
    assert not cuda.can_use_cudnn_attention(asked, debug=True)
    assert not cuda.is_flash_attention_available() and not cuda.is_ck_sdpa_available()
    assert not cuda.fp16_bf16_reduction_math_sdp_allowed()
    cuda.allow_fp16_bf16_reduction_math_sdp(True)
    assert cuda.fp16_bf16_reduction_math_sdp_allowed()


def test_reductions_in_half_precision() -> None:
    matmul = cuda.matmul
    for kind in ("fp16", "bf16"):
        name = f"allow_{kind}_reduced_precision_reduction"
        for value, reduced, split in (
            (False, False, True),
            ((False, False), False, False),
            ([True], True, True),
        ):
            setattr(matmul, name, value)
            assert (getattr(matmul, name), getattr(matmul, f"{name}_split_k")) == (reduced, split)
        for value, error, message in (
            (1, TypeError, f"{name} expects a bool or a tuple/list of bools, but got <class 'int'>"),
            ([], TypeError, f"{name} expects at least one boolean argument"),
            ((True,) * 3, TypeError, f"{name} expects at most two boolean arguments"),
            ((1,), TypeError, f"{name} expects a bool for allow_reduced_precision, but got <class 'int'>"),
            ((True, False), RuntimeError, "allow_splitk=False is not supported when reduced precision"),
        ):
            with pytest.raises(error, match=f"^{message}"):
                setattr(matmul, name, value)
        with pytest.raises(AttributeError, match=f"^Unknown attribute {name}_split_k$"):
            setattr(matmul, f"{name}_split_k", True)
    assert not matmul.allow_fp16_accumulation
    matmul.allow_fp16_accumulation = True
    assert matmul.allow_fp16_accumulation
    with pytest.raises(RuntimeError, match="allow_fp16_accumulation expects a bool, but got int"):
        matmul.allow_fp16_accumulation = 1


def test_flags_of_cudnn_are_given_back() -> None:
    cudnn = gn.backends.cudnn
    before = cudnn.set_flags()
    assert before == (True, False, 10, False, True, "none", "auto")
    with cudnn.flags(benchmark_limit=3, deterministic=True, depthwise_kernel="native"):
        assert (cudnn.enabled, cudnn.benchmark_limit, cudnn.depthwise_kernel) == (False, 3, "native")
    assert cudnn.set_flags() == before
    with pytest.raises(RuntimeError, match=r"Unknown cuDNN depthwise kernel mode: foo. Expected one of"):
        cudnn.depthwise_kernel = "foo"


@pytest.mark.oracle
def test_the_names_are_pytorchs() -> None:
    torch = pytest.importorskip("torch")
    absent = {
        *("cuFFTPlanCache", "cuFFTPlanCacheAttrContextProp", "cuFFTPlanCacheManager", "cufft_plan_cache"),
        *("cuBLASModule", "blas_workspace_size", "cublas_workspace_size", "cublaslt_workspace_size"),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert set(torch.backends.cuda.__all__) - set(dir(cuda)) == absent
    for name in ("cpu", "mha", "nnpack", "quantized", "openmp"):
        theirs = getattr(torch.backends, name)
        public = getattr(theirs, "__all__", None) or ["is_available"]
        public = ["engine", "supported_engines"] if name == "quantized" else public
        public = ["get_fastpath_enabled", "set_fastpath_enabled"] if name == "mha" else public
        ours = getattr(gn.backends, name)
        assert [each for each in public if not hasattr(ours, each)] == []
