"""The switches of torch.backends.cuda.  Source: torch.backends.cuda."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from enum import Enum
from typing import Any, NamedTuple, TypeVar

from ..values.errors import type_name, warn
from . import _precision
from ._switches import check_bool

_attention = {"flash": True, "mem_efficient": True, "math": True, "cudnn": True}
_reduces_in_half_precision = False


class _Matmul:
    """The switches of matrix products.

    ``allow_tf32`` and ``fp32_precision`` are settings of _precision.py; the others are stored.
    """

    def __init__(self) -> None:
        vars(self).update(_fp16=(True, True), _bf16=(True, True), _fp16_accumulation=False)

    @property
    def allow_tf32(self) -> bool:
        """Is the precision of products of float32 matrices "high" or "medium"?"""
        return _precision.matmul_allows_tf32()

    @allow_tf32.setter
    def allow_tf32(self, allowed: bool) -> None:
        _precision.set_matmul_allows_tf32(allowed)

    @property
    def fp32_precision(self) -> str:
        """ "none", "ieee" or "tf32"."""
        return _precision.get_precision("cuda", "matmul")

    @fp32_precision.setter
    def fp32_precision(self, precision: str) -> None:
        _precision.set_precision("cuda", "matmul", precision)

    @property
    def allow_fp16_reduced_precision_reduction(self) -> bool:
        """May sums be computed in float16?  It is set by a bool, or by two: also for split sums?"""
        return self._fp16[0]

    @allow_fp16_reduced_precision_reduction.setter
    def allow_fp16_reduced_precision_reduction(self, allowed: Any) -> None:
        vars(self)["_fp16"] = _reduction("allow_fp16_reduced_precision_reduction", allowed)

    @property
    def allow_fp16_reduced_precision_reduction_split_k(self) -> bool:
        """May a sum be split?"""
        return self._fp16[1]

    @property
    def allow_bf16_reduced_precision_reduction(self) -> bool:
        """The same for bfloat16."""
        return self._bf16[0]

    @allow_bf16_reduced_precision_reduction.setter
    def allow_bf16_reduced_precision_reduction(self, allowed: Any) -> None:
        vars(self)["_bf16"] = _reduction("allow_bf16_reduced_precision_reduction", allowed)

    @property
    def allow_bf16_reduced_precision_reduction_split_k(self) -> bool:
        """May a sum be split?"""
        return self._bf16[1]

    @property
    def allow_fp16_accumulation(self) -> bool:
        """May products be added in float16?"""
        return self._fp16_accumulation

    @allow_fp16_accumulation.setter
    def allow_fp16_accumulation(self, allowed: bool) -> None:
        check_bool("gnomon.backends.cuda.matmul.allow_fp16_accumulation", allowed)
        vars(self)["_fp16_accumulation"] = allowed

    _fp16: tuple[bool, bool]
    _bf16: tuple[bool, bool]
    _fp16_accumulation: bool

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"Unknown attribute {name}")

    def __setattr__(self, name: str, value: Any) -> None:
        found = vars(_Matmul).get(name)
        if not isinstance(found, property) or found.fset is None:
            raise AttributeError(f"Unknown attribute {name}")
        super().__setattr__(name, value)


def _reduction(name: str, allowed: Any) -> tuple[bool, bool]:
    """Checks the value of a switch of reductions: a bool, or a list of one or two."""
    values = [allowed] if isinstance(allowed, bool) else allowed
    if not isinstance(values, (list, tuple)):
        raise TypeError(f"{name} expects a bool or a tuple/list of bools, but got {type(allowed)!r}")
    if not values:
        raise TypeError(f"{name} expects at least one boolean argument")
    if len(values) > 2:
        raise TypeError(f"{name} expects at most two boolean arguments")
    for value, which in zip(values, ("allow_reduced_precision", "allow_splitk")):
        if not isinstance(value, bool):
            raise TypeError(f"{name} expects a bool for {which}, but got {type(value)!r}")
    reduced, split = (*values, True)[:2]
    if reduced and not split:
        raise RuntimeError(
            "allow_splitk=False is not supported when reduced precision reductions are enabled"
        )
    return reduced, split


matmul = _Matmul()


def is_built() -> bool:
    """Is the CUDA backend installed, whether or not a device is present?"""
    from ..memory.backend import is_installed

    return is_installed("cuda")


def _set(kind: str, enabled: bool) -> None:
    check_bool(f"gnomon.backends.cuda.enable_{kind}_sdp", enabled)
    _attention[kind] = enabled


def enable_flash_sdp(enabled: bool) -> None:
    """Stores the switch for flash attention; no effect, since there is only one attention kernel."""
    _set("flash", enabled)


def flash_sdp_enabled() -> bool:
    """The value set by ``enable_flash_sdp``."""
    return _attention["flash"]


def enable_mem_efficient_sdp(enabled: bool) -> None:
    """Stores the switch for memory efficient attention; no effect, since there is only one kernel."""
    _set("mem_efficient", enabled)


def mem_efficient_sdp_enabled() -> bool:
    """The value set by ``enable_mem_efficient_sdp``."""
    return _attention["mem_efficient"]


def enable_math_sdp(enabled: bool) -> None:
    """Stores the switch for composite attention; no effect, since there is only one kernel."""
    _set("math", enabled)


def math_sdp_enabled() -> bool:
    """The value set by ``enable_math_sdp``."""
    return _attention["math"]


def enable_cudnn_sdp(enabled: bool) -> None:
    """Stores the switch for cuDNN's attention; no effect, since there is only one kernel."""
    _set("cudnn", enabled)


def cudnn_sdp_enabled() -> bool:
    """The value set by ``enable_cudnn_sdp``."""
    return _attention["cudnn"]


def allow_fp16_bf16_reduction_math_sdp(enabled: bool) -> None:
    """Stores whether composite attention may add in half precision; no effect, it adds in float32."""
    global _reduces_in_half_precision
    check_bool("gnomon.backends.cuda.allow_fp16_bf16_reduction_math_sdp", enabled)
    _reduces_in_half_precision = enabled


def fp16_bf16_reduction_math_sdp_allowed() -> bool:
    """The value set by ``allow_fp16_bf16_reduction_math_sdp``."""
    return _reduces_in_half_precision


def sdp_kernel(
    enable_flash: bool = True,
    enable_math: bool = True,
    enable_mem_efficient: bool = True,
    enable_cudnn: bool = True,
) -> AbstractContextManager[dict[str, Any]]:
    """A context manager that sets the switches of attention, and restores them.  Warns (FutureWarning)."""
    warn(
        "`gnomon.backends.cuda.sdp_kernel()` is deprecated. In the future, this context manager will be "
        "removed. Please see `gnomon.nn.attention.sdpa_kernel()` for the new context manager, with updated "
        "signature.",
        FutureWarning,
    )
    enabled = {"flash": enable_flash, "mem_efficient": enable_mem_efficient, "math": enable_math}
    return _attention_switched({**enabled, "cudnn": enable_cudnn})


@contextmanager
def _attention_switched(enabled: dict[str, bool]) -> Iterator[dict[str, Any]]:
    before = dict(_attention)
    _attention.update(enabled)
    try:
        yield {}
    finally:
        _attention.update(before)


class SDPAParams(NamedTuple):
    """The arguments of a call of scaled_dot_product_attention, for the questions below."""

    query: Any
    key: Any
    value: Any
    attn_mask: Any
    dropout: float
    is_causal: bool
    enable_gqa: bool


def is_flash_attention_available() -> bool:
    """False: gnomon does not use the library FlashAttention."""
    return False


def is_ck_sdpa_available() -> bool:
    """False: gnomon does not use the library composable_kernel."""
    return False


def can_use_flash_attention(params: SDPAParams, debug: bool = False) -> bool:
    """False: gnomon does not use the library FlashAttention."""
    return False


def can_use_efficient_attention(params: SDPAParams, debug: bool = False) -> bool:
    """False: gnomon does not use that library."""
    return False


def can_use_cudnn_attention(params: SDPAParams, debug: bool = False) -> bool:
    """False: gnomon does not use cuDNN."""
    return False


# ---------------------------------------------------------------------------------------------------------
# Preferred libraries, which are stored.


class _LinalgBackend(Enum):
    Default = 0
    Cusolver = 1
    Magma = 2


class _BlasBackend(Enum):
    Default = 0
    Cublas = 1
    Cublaslt = 2
    Ck = 3


class _ROCmFABackend(Enum):
    Default = 0
    AOTriton = 1
    Ck = 2


Library = TypeVar("Library", bound=Enum)

_LINALG = {
    "default": _LinalgBackend.Default,
    "cusolver": _LinalgBackend.Cusolver,
    "magma": _LinalgBackend.Magma,
}
_BLAS = {
    "default": _BlasBackend.Cublas,
    "cublas": _BlasBackend.Cublas,
    "hipblas": _BlasBackend.Cublas,
    "cublaslt": _BlasBackend.Cublaslt,
    "hipblaslt": _BlasBackend.Cublaslt,
    "ck": _BlasBackend.Ck,
}
_ROCM = {
    "default": _ROCmFABackend.Default,
    "aotriton": _ROCmFABackend.AOTriton,
    "ck": _ROCmFABackend.Ck,
}
_linalg_library = _LinalgBackend.Default
_blas_library = _BlasBackend.Cublas
_rocm_library = _ROCmFABackend.Default


def _chosen(libraries: dict[str, Library], asked: str | Library | None, current: Library) -> Library:
    """The library that ``asked`` names, or ``current`` for None.  Raises RuntimeError for another value."""
    if asked is None:
        return current
    if isinstance(asked, type(current)):
        return libraries["default"] if asked.name == "Default" else asked
    if not isinstance(asked, str):
        raise RuntimeError(f"Unknown input value type: {type_name(asked)}.")
    if asked not in libraries:
        raise RuntimeError(f"Unknown input value. Choose from: {', '.join(libraries)}.")
    return libraries[asked]


def preferred_linalg_library(backend: str | _LinalgBackend | None = None) -> _LinalgBackend:
    """Stores the preferred library of linear algebra, "default", "cusolver" or "magma", and returns it.

    No effect: gnomon uses neither library.  Raises RuntimeError for another value.
    """
    global _linalg_library
    _linalg_library = _chosen(_LINALG, backend, _linalg_library)
    return _linalg_library


def preferred_blas_library(backend: str | _BlasBackend | None = None) -> _BlasBackend:
    """Stores the preferred library of matrix products, such as "cublas" or "cublaslt", and returns it.

    No effect: gnomon uses cuBLAS where it is installed.  Raises RuntimeError for another value.
    """
    global _blas_library
    _blas_library = _chosen(_BLAS, backend, _blas_library)
    return _blas_library


def preferred_rocm_fa_library(backend: str | _ROCmFABackend | None = None) -> _ROCmFABackend:
    """Stores the preferred library of attention on AMD's GPUs, and returns it; no effect.

    Raises RuntimeError for a name other than "default", "aotriton" and "ck", ValueError for another type.
    """
    global _rocm_library
    if backend is not None and not isinstance(backend, (str, _ROCmFABackend)):
        raise ValueError(f"Unknown input value. Choose from: {', '.join(_ROCM)}.")
    _rocm_library = _chosen(_ROCM, backend, _rocm_library)
    return _rocm_library
