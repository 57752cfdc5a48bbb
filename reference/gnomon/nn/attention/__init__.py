"""Which kernel ``scaled_dot_product_attention`` uses: in gnomon there is one.  Source: torch.nn.attention."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum

from ...backends import cuda
from ...values.absent import absent

__all__ = ["WARN_FOR_UNFUSED_KERNELS", "SDPBackend", "sdpa_kernel"]

__getattr__ = absent(__name__, "gnomon has one attention kernel, scaled_dot_product_attention")

WARN_FOR_UNFUSED_KERNELS = False  # in PyTorch, whether subclasses of masks warn; no effect


class SDPBackend(Enum):
    """PyTorch's kernels of attention.  Source: torch.nn.attention.SDPBackend."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4

    def __int__(self) -> int:
        return self.value


# The functions of gnomon.backends.cuda that read and set whether a kernel may be used.
_SWITCHES = {
    SDPBackend.CUDNN_ATTENTION: (cuda.cudnn_sdp_enabled, cuda.enable_cudnn_sdp),
    SDPBackend.FLASH_ATTENTION: (cuda.flash_sdp_enabled, cuda.enable_flash_sdp),
    SDPBackend.EFFICIENT_ATTENTION: (cuda.mem_efficient_sdp_enabled, cuda.enable_mem_efficient_sdp),
    SDPBackend.MATH: (cuda.math_sdp_enabled, cuda.enable_math_sdp),
}


@contextmanager
def sdpa_kernel(
    backends: SDPBackend | list[SDPBackend], set_priority: bool = False
) -> Iterator[dict[str, object]]:
    """A context manager, or decorator, that sets the switches of gnomon.backends.cuda; no other effect.

    Only ``backends`` are enabled inside, and those of before afterwards.  Raises AssertionError for
    other types.  Source: torch.nn.attention.sdpa_kernel.
    """
    if not isinstance(backends, (list, SDPBackend)):
        raise AssertionError(
            "Backend must be an instance of SDPBackend or a list of SDPBackend instances, got "
            + type(backends).__name__
        )
    chosen = backends if isinstance(backends, list) else [backends]
    before = {backend: is_enabled() for backend, (is_enabled, _) in _SWITCHES.items()}
    try:
        for backend, (_, enable) in _SWITCHES.items():
            enable(backend in chosen)
        yield {}
    finally:
        for backend, (_, enable) in _SWITCHES.items():
            enable(before[backend])
