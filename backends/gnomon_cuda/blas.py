"""cuBLAS, opened at first use if it is available.

Its matrices are column-major: element (i, j) is at ``i + j * leading``, in one that is passed as transposed
at ``j + i * leading``.
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

# dtype -> NVIDIA's number for it, and for the compute type, which is float for the half types.
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
_TENSOR_FLOAT_32 = 3  # float32 factors may be rounded to 10 bits
_PRECISE_SUMS = 16  # no reduced-precision reductions of half types, also between parts of k
LARGEST = 2**31 - 1  # size and leading dimension
# NVIDIA's recommendation; without our own workspace, products in several streams would share the library's.
_WORKSPACE_BYTES = {9: 32 << 20}
_USUAL_WORKSPACE_BYTES = 8 << 20


class Factor(NamedTuple):
    """A batch of matrices in cuBLAS's form: the address, whether they are transposed, and in elements the
    leading dimension and the stride between matrices.
    """

    at: int
    transposed: bool
    leading: int
    stride: int


class Blas:
    """An opened library, for the devices of one driver.

    Raises OSError or AttributeError if the file is not such a library.
    """

    def __init__(self, driver: Driver, path: str | os.PathLike[str]):
        import cffi

        self.driver = driver
        self.path = os.fspath(path)
        self._ffi = cffi.FFI()
        self._ffi.cdef(_DECLARATIONS + (_EMULATED_DECLARATIONS if driver.emulated else ""))
        # A dependency is in the same folder, where the system's loader may not search.
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
        """How many products with these transpositions (such as "NT") the emulated library has computed."""
        return self._lib.gn_emulation_products(operations.encode())

    def workspace_bytes(self, device: int) -> int:
        """The recommended size of a product's workspace."""
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
        workspace  the address and the size of memory that only this product uses while it runs

        Raises BlasError.
        """
        ffi = self._ffi
        kind, compute = _TYPES[dtype]
        number = "double[2]" if compute == _DOUBLE_SUMS else "float[2]"
        batches, m, n, k = sizes
        a, b = factors
        mode = _PRECISE_SUMS | (_TENSOR_FLOAT_32 if allow_tf32 and dtype == "float32" else 0)
        with self._in_use:  # threads share the handle, on which settings are made below
            handle = self._handle(device)
            if self._modes.get(device) != mode:
                self._check(self._lib.cublasSetMathMode(handle, mode), "cublasSetMathMode")
                self._modes[device] = mode
            self._check(self._lib.cublasSetStream_v2(handle, stream), "cublasSetStream")
            self._check(self._lib.cublasSetWorkspace_v2(handle, *workspace), "cublasSetWorkspace")
            factor = ffi.new(number, (alpha.real, alpha.imag))  # real products use only the first
            rest = ffi.new(number, (beta.real, beta.imag))
            operations = (handle, a.transposed, b.transposed, m, n, k, factor)
            # fmt: off
            if batches == 1:  # may split k, unlike the batched function
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
# Finding the library.

_LIBRARY = re.compile(r"libcublas\.so\.(\d+)$")


def find(newest_major: int | None = None) -> list[str]:
    """The candidates for cuBLAS, the best first: only the file of ``GNOMON_CUBLAS`` if that is set ("0":
    none); else those of packages, of toolkits, and of the system's loader.

    ``newest_major`` excludes those of a later CUDA than the driver's.
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
    """The library for a driver; None if there is none: then gnomon's own kernels are used.

    For the emulated driver ``GNOMON_CUDA_EMULATED_BLAS=1`` selects an emulated library.
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
