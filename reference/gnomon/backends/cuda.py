"""The switches of torch.backends.cuda.  Source: torch.backends.cuda."""

from __future__ import annotations

from ._switches import Switches, check_bool

matmul = Switches(
    "gnomon.backends.cuda.matmul",
    allow_tf32=False,
    allow_fp16_reduced_precision_reduction=True,
    allow_bf16_reduced_precision_reduction=True,
    allow_fp16_accumulation=False,
    fp32_precision="none",
)
_attention = {"flash": True, "mem_efficient": True, "math": True, "cudnn": True}


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
