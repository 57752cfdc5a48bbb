"""The instruction set of the kernels of ``cpu``.  Source: torch.backends.cpu."""

from __future__ import annotations

import platform

from ..memory.backend import backend_of, resolve_device

_CAPABILITIES = {"avx2": "AVX2", "avx512": "AVX512"}


def get_cpu_capability() -> str:
    """The instruction set that the backend behind ``cpu`` was compiled for: "AVX512" or "AVX2".

    "NO AVX" if it uses neither on an x86 processor, "DEFAULT" on others.
    """
    kernels = getattr(backend_of(resolve_device("cpu")), "instruction_set", "")
    is_x86 = platform.machine() in ("x86_64", "AMD64")
    return _CAPABILITIES.get(kernels, "NO AVX" if is_x86 else "DEFAULT")
