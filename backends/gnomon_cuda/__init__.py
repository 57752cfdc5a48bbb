"""The CUDA backend: kernels in CUDA C++, compiled at run time for the present GPU, launched by its driver.

Nothing is built when the package is installed.  At first use ``driver`` opens the driver's library,
``compiler`` compiles the sources in ``csrc`` to images, and ``cache`` stores them on disk.  With
``GNOMON_CUDA_EMULATE=1`` the driver is an emulated one and the compiler is the host's; all code above those
two is the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .backend import CudaBackend


def backend() -> CudaBackend:
    """The backend, for the entry point ``cuda``."""
    from .backend import CudaBackend

    return CudaBackend()
