"""Blas: NVIDIA's products of matrices, cuBLAS, opened at first use where there is one.

Its matrices lie column by column: element (i, j) is at ``i + j * leading``, of one that is passed as
transposed at ``j + i * leading``.
"""

from __future__ import annotations

import os
import re
import threading
from pathlib import Path
from typing import NamedTuple

from . import emulation
from .compiler import package_folders, toolkit_folders
from .driver import Driver
from .errors import BlasError

# Names are NVIDIA's; handles, streams and addresses are integers here, as in driver.py.
_DECLARATIONS = """
int cublasCreate_v2(uintptr_t *handle);
int cublasSetStream_v2(uintptr_t handle, uintptr_t stream);
int cublasSetWorkspace_v2(uintptr_t handle, uintptr_t workspace, size_t nbytes);
int cublasSetMathMode(uintptr_t handle, int mode);
const char *cublasGetStatusString(int status);
int cublasGemmEx(uintptr_t handle, int transposed_a, int transposed_b, int m, int n, int k, const void *alpha,
                 uintptr_t a, int a_type, int a_leading, uintptr_t b, int b_type, int b_leading,
                 const void *beta, uintptr_t c, int c_type, int c_leading, int compute, int algorithm);
int cublasGemmStridedBatchedEx(uintptr_t handle, int transposed_a, int transposed_b, int m, int n, int k,
                               const void *alpha, uintptr_t a, int a_type, int a_leading, long long a_stride,
                               uintptr_t b, int b_type, int b_leading, long long b_stride,
                               const void *beta, uintptr_t c, int c_type, int c_leading, long long c_stride,
                               int batches, int compute, int algorithm);
"""
_EMULATED_DECLARATIONS = """
int gn_emulation_attach(const char *path);
long long gn_emulation_products(const char *operations);
"""

# dtype -> NVIDIA's number for it, and for what its products are summed in: float for the half types.
_TYPES = {
    "float32": (0, 68),
    "float64": (1, 70),
    "float16": (2, 68),
    "bfloat16": (14, 68),
    "complex64": (4, 68),
    "complex128": (5, 70),
}
_DOUBLE_SUMS = 70
DTYPES = tuple(_TYPES)
_USUAL_ALGORITHM = -1
_TENSOR_FLOAT_32 = 3  # factors of float32 may be rounded to 10 bits
_PRECISE_SUMS = 16  # sums of half types stay in float, those of parts of k as well
LARGEST = 2**31 - 1  # size and leading dimension
# What NVIDIA recommends; without one of our own, products in several streams would share the library's.
_WORKSPACE_BYTES = {9: 32 << 20}
_USUAL_WORKSPACE_BYTES = 8 << 20


class Factor(NamedTuple):
    """A batch of matrices as cuBLAS takes them: where they begin, are they transposed, elements from a column
    to the next (of a transposed one, a row), and from a matrix to the next.
    """

    at: int
    transposed: bool
    leading: int
    stride: int


class Blas:
    """An opened library, for the devices of one driver.

    Raises OSError or AttributeError where it is none.
    """

    def __init__(self, driver: Driver, path: str | os.PathLike[str]):
        import cffi

        self.driver = driver
        self.path = os.fspath(path)
        self._ffi = cffi.FFI()
        self._ffi.cdef(_DECLARATIONS + (_EMULATED_DECLARATIONS if driver.emulated else ""))
        # What NVIDIA's depends on lies beside it, where the system's loader may not look.
        beside = Path(self.path).with_name(Path(self.path).name.replace("libcublas", "libcublasLt"))
        if not driver.emulated and beside.is_file():
            self._needed = self._ffi.dlopen(str(beside), self._ffi.RTLD_NOW | self._ffi.RTLD_GLOBAL)
        self._lib = self._ffi.dlopen(self.path)
        self._multiply = self._lib.cublasGemmEx
        self._multiply_batch = self._lib.cublasGemmStridedBatchedEx
        self._handles: dict[int, int] = {}
        self._modes: dict[int, int] = {}
        self._in_use = threading.Lock()
        if driver.emulated and not self._lib.gn_emulation_attach(driver.path.encode()):
            raise OSError(f"{driver.path}: not an emulated driver that is open")

    def _check(self, status: int, function: str) -> None:
        if status:
            words = self._ffi.string(self._lib.cublasGetStatusString(status)).decode()
            raise BlasError(f"{function}: {words} ({status})")

    def products(self, operations: str) -> int:
        """How many products of such transpositions, "NT", the emulated library was asked for."""
        return self._lib.gn_emulation_products(operations.encode())

    def workspace_bytes(self, device: int) -> int:
        """How large the workspace of a product should be."""
        major = self.driver.attribute(device, "compute_capability_major")
        return _WORKSPACE_BYTES.get(major, _USUAL_WORKSPACE_BYTES)

    def _handle(self, device: int) -> int:
        found = self._handles.get(device)
        if found is None:
            answer = self._ffi.new("uintptr_t *")
            self._check(self._lib.cublasCreate_v2(answer), "cublasCreate")
            found = self._handles[device] = answer[0]
        return found

    def multiply(
        self,
        operator: str,
        device: int,
        stream: int,
        workspace: tuple[int, int],
        dtype: str,
        sizes: tuple[int, int, int, int],
        factors: tuple[Factor, Factor],
        out: Factor,
        alpha: complex,
        beta: complex,
        allow_tf32: bool,
    ) -> None:
        """``out = alpha a b + beta out`` for batches of matrices, in a stream of the current device.

        sizes      batches, m, n, k: a is (m, k), b (k, n), out (m, n)
        workspace  the address and the bytes of memory that is the product's for as long as it runs

        Raises BlasError.
        """
        ffi = self._ffi
        kind, compute = _TYPES[dtype]
        number = "double[2]" if compute == _DOUBLE_SUMS else "float[2]"
        batches, m, n, k = sizes
        a, b = factors
        mode = _PRECISE_SUMS | (_TENSOR_FLOAT_32 if allow_tf32 and dtype == "float32" else 0)
        with self._in_use:  # what is set below is the handle's, and other threads have it, too
            handle = self._handle(device)
            if self._modes.get(device) != mode:
                self._check(self._lib.cublasSetMathMode(handle, mode), "cublasSetMathMode")
                self._modes[device] = mode
            self._check(self._lib.cublasSetStream_v2(handle, stream), "cublasSetStream")
            self._check(self._lib.cublasSetWorkspace_v2(handle, *workspace), "cublasSetWorkspace")
            factor = ffi.new(number, (alpha.real, alpha.imag))  # of real products the first of these alone
            rest = ffi.new(number, (beta.real, beta.imag))
            operations = (handle, a.transposed, b.transposed, m, n, k, factor)
            # fmt: off
            if batches == 1:  # which may cut k in parts, as that of batches does not
                status = self._multiply(
                    *operations, a.at, kind, a.leading, b.at, kind, b.leading,
                    rest, out.at, kind, out.leading, compute, _USUAL_ALGORITHM,
                )
            else:
                status = self._multiply_batch(
                    *operations, a.at, kind, a.leading, a.stride, b.at, kind, b.leading, b.stride,
                    rest, out.at, kind, out.leading, out.stride, batches, compute, _USUAL_ALGORITHM,
                )
            # fmt: on
        self._check(status, "cublasGemmEx" if batches == 1 else "cublasGemmStridedBatchedEx")
        self.driver.launched(stream, operator)


# ---------------------------------------------------------------------------------------------------------
# Which library.

_LIBRARY = re.compile(r"libcublas\.so\.(\d+)$")


def find(newest_major: int | None = None) -> list[str]:
    """The libraries that may be cuBLAS, the best first: ``GNOMON_CUBLAS``'s file alone where that is set
    ("0": none); else those of packages, of toolkits, and what the system's loader finds.

    ``newest_major`` leaves out those of a later CUDA than the driver's.
    """
    chosen = os.environ.get("GNOMON_CUBLAS", "")
    if chosen:
        return [] if chosen == "0" else [chosen]
    folders = [place / "lib" for place in package_folders()]
    for place in toolkit_folders():
        folders += [place / "lib64", place / "lib"]
    found: dict[str, int] = {}
    for place in folders:
        for path in sorted(place.glob("libcublas.so.*"), reverse=True):
            match = _LIBRARY.search(path.name)
            if match:
                found.setdefault(str(path), int(match.group(1)))
    for major in (13, 12):
        found.setdefault(f"libcublas.so.{major}", major)
    return [path for path, major in found.items() if newest_major is None or major <= newest_major]


def load(driver: Driver) -> Blas | None:
    """A library for a driver; None where there is none, as there are kernels of our own.

    For the emulated driver ``GNOMON_CUDA_EMULATED_BLAS=1`` wants an emulated one.
    """
    if driver.emulated:
        if os.environ.get("GNOMON_CUDA_EMULATED_BLAS", "0") in ("", "0"):
            return None
        return Blas(driver, emulation.build_blas())
    for path in find(driver.version() // 1000):
        try:
            return Blas(driver, path)
        except (OSError, AttributeError):
            continue
    return None
