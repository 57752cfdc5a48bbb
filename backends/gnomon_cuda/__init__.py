"""The CUDA backend: kernels written in C++, compiled for the GPU at hand and launched through its driver.

Nothing is built when the package is installed.  At first use ``driver`` opens the driver's library,
``compiler`` makes images of the texts in ``csrc``, and ``cache`` keeps them on disk.  With
``GNOMON_CUDA_EMULATE=1`` the driver is an emulated one and the compiler is the host's; all that stands above
those two is the same code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .backend import CudaBackend


def backend() -> CudaBackend:
    """What the entry point ``cuda`` gives."""
    from .backend import CudaBackend

    return CudaBackend()
