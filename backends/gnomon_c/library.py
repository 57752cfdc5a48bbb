"""Opens the C extension and a BLAS, each at first use.

The BLAS is that of the package scipy-openblas32, if installed; its threads are disabled, because the kernels
split a product over gnomon's own threads (two concurrent pools cost a factor of two).
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import os
from pathlib import Path
from types import ModuleType
from typing import Any

from gnomon.values.errors import warn

MISSING = "its C extension gnomon_c._native is not built (was there a C compiler at install time?)"

ABI_VERSION = 1  # the GN_ABI_VERSION of csrc/gnomon.h that this package needs

_BLAS_PACKAGE = "scipy_openblas32"
_BLAS_FUNCTIONS = ("sgemm", "dgemm", "cgemm", "zgemm")
# In the order of gn_set_lapack (csrc/library.h): each for float32, float64, complex64 and complex128.
_LAPACK_ROUTINES = tuple(
    letter + (hermitian if letter in "cz" else symmetric)
    for symmetric, hermitian in (
        ("geqrf", "geqrf"),
        ("orgqr", "ungqr"),
        ("stedc", "heevd"),
        ("gesdd", "gesdd"),
        ("geev", "geev"),
    )
    for letter in "sdcz"
)


ISAS = ("baseline", "avx2", "avx512")  # indexed by their numbers in csrc/gnomon.h
# The thread pools: the library's own, or OpenMP; "none" in a library without threads.
PARALLELS = ("none", "native", "openmp")


def _open(name: str) -> ModuleType:
    """Imports the extension ``name``.  Raises RuntimeError if it was not built, or does not load."""
    try:
        extension = importlib.import_module(f"gnomon_c.{name}")
    except ImportError as error:
        if isinstance(error, ModuleNotFoundError) and error.name == f"gnomon_c.{name}":
            raise RuntimeError(MISSING) from None
        raise RuntimeError(f"its C extension gnomon_c.{name} cannot be loaded: {error}") from error
    return extension


def check_abi(name: str, library: Any) -> None:
    """Raises RuntimeError if the library's ABI version is not the one that this package needs."""
    if hasattr(library, "gn_abi_version"):
        version, words = library.gn_abi_version(), "has version {}"
    else:
        version, words = 0, "was built before there were versions"
    if version != ABI_VERSION:
        raise RuntimeError(
            f"its C extension {name} {words.format(version)} of csrc/gnomon.h, but this gnomon_c requires "
            f"version {ABI_VERSION}: rebuild it (pip install --force-reinstall gnomon; in a clone: "
            "python setup.py build_ext --inplace)"
        )


def _is_built(isa: str) -> bool:
    # only beside this file: an import could find that of an editable install elsewhere
    ending = "" if isa == "baseline" else f"_{isa}"
    return any(Path(__file__).parent.glob(f"_native{ending}.*"))


def isas() -> list[str]:
    """The instruction sets that the library was built for and this processor supports, the widest last.

    Raises RuntimeError if the library was not built, or only for wider instruction sets.
    """
    built = [isa for isa in ISAS if _is_built(isa)]
    if not built:
        raise RuntimeError(MISSING)
    widest = _open("_processor").lib.gn_processor_isa()
    present = [isa for isa in built if ISAS.index(isa) <= widest]
    if not present:
        raise RuntimeError(
            f"its C extension is built for {', '.join(built)}, but this processor supports {ISAS[widest]}: "
            "build it on this machine, or with GNOMON_C_VARIANTS=all"
        )
    return present


def instruction_set() -> str:
    """The widest available instruction set, or the one that ``GNOMON_C_ISA`` names.

    Raises RuntimeError if the library was not built for it, or if the processor does not support it.
    """
    present = isas()
    chosen = os.environ.get("GNOMON_C_ISA", "") or present[-1]
    if chosen not in present:
        raise RuntimeError(
            f"GNOMON_C_ISA: expected one of {', '.join(present)} (built, and supported by this processor), "
            f"got {chosen!r}"
        )
    return chosen


@functools.cache
def native() -> ModuleType:
    """The extension for ``instruction_set()``.

    Raises RuntimeError if there is none, or if it was built from another version of csrc/gnomon.h.  Warns of
    an invalid ``GNOMON_NUM_THREADS`` or ``GNOMON_GRAIN``, and of a ``GNOMON_PARALLEL`` that is not available.
    """
    chosen = instruction_set()
    name = "_native" if chosen == "baseline" else f"_native_{chosen}"
    extension = _open(name)
    check_abi(f"gnomon_c.{name}", extension.lib)
    threads = os.environ.get("GNOMON_NUM_THREADS", "")
    if threads:
        count = int(threads) if threads.isascii() and threads.isdigit() else 0
        if 1 <= count < 2**31:
            extension.lib.gn_set_num_threads(count)
        else:  # a warning is enough
            warn(
                f"gnomon: GNOMON_NUM_THREADS must be a positive integer, got {threads!r}; using the default",
            )
    grain = os.environ.get("GNOMON_GRAIN", "")
    if grain:
        if grain.isascii() and grain.isdigit() and 1 <= int(grain) < 2**63:
            extension.lib.gn_set_most_grain(int(grain))
        else:
            warn(f"gnomon: GNOMON_GRAIN must be a positive integer, got {grain!r}; using the default")
    parallel = os.environ.get("GNOMON_PARALLEL", "")
    if parallel:
        _choose_parallel(extension.lib, parallel)
    return extension


def parallels_of(lib: Any) -> list[str]:
    """The thread pools of an opened library, the default first; empty if it has one thread."""
    return [name for number, name in enumerate(PARALLELS) if number and lib.gn_has_parallel(number)]


def _choose_parallel(lib: Any, name: str) -> None:
    """Selects a thread pool; only warns if the name is invalid or the library was built without that pool."""
    if name in parallels_of(lib):
        lib.gn_set_parallel(PARALLELS.index(name))
        return
    runs = PARALLELS[lib.gn_get_parallel()]
    runs = "one thread" if runs == "none" else runs
    if name in PARALLELS[1:]:
        warn(f"gnomon: GNOMON_PARALLEL: the C library was built without {name}; using {runs}")
    else:
        warn(f"gnomon: GNOMON_PARALLEL must be native or openmp, got {name!r}; using {runs}")


def find_blas() -> Path | None:
    """The file of the BLAS library, or None if there is none.

    ``GNOMON_BLAS`` overrides it with a path, or with ``none``.
    """
    chosen = os.environ.get("GNOMON_BLAS", "")
    if chosen == "none":
        return None
    if chosen:
        return Path(chosen)
    found = importlib.util.find_spec(_BLAS_PACKAGE)
    if found is None or found.origin is None:
        return None
    folder = Path(found.origin).parent / "lib"
    libraries = (
        sorted(path for path in folder.iterdir() if "openblas" in path.name) if folder.is_dir() else []
    )
    return libraries[0] if libraries else None


def _open_with_one_thread(ffi: Any, path: Path) -> Any:
    """Opens a BLAS without threads, because its threads would spin after each call and slow down ours."""
    name = "OPENBLAS_NUM_THREADS"
    before = os.environ.get(name)
    os.environ[name] = "1"
    try:
        return ffi.dlopen(str(path))
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


@functools.cache
def open_blas() -> str:
    """Passes the function addresses of a BLAS, and of the LAPACK in its library, to the C library, once;
    returns its path, or "" for none.

    Without a BLAS, or a routine of LAPACK, the C library uses its own kernel, with a warning if
    ``GNOMON_BLAS`` names what is not a BLAS.
    """
    path = find_blas()
    if path is None:
        return ""
    import cffi

    ffi = cffi.FFI()
    prefix = "scipy_" if _BLAS_PACKAGE in str(path) else ""
    ffi.cdef(f"void {prefix}openblas_set_num_threads(int count);")
    for name in _BLAS_FUNCTIONS:
        ffi.cdef(f"void {prefix}cblas_{name}();")
    for name in _LAPACK_ROUTINES:
        ffi.cdef(f"void {prefix}{name}_();")
    try:
        library = _open_with_one_thread(ffi, path)
        getattr(library, f"{prefix}openblas_set_num_threads")(1)
        addresses = [
            float(int(ffi.cast("uintptr_t", ffi.addressof(library, f"{prefix}cblas_{name}"))))
            for name in _BLAS_FUNCTIONS
        ]
    except (OSError, AttributeError) as error:  # not a BLAS, or not for this machine
        if os.environ.get("GNOMON_BLAS", ""):
            reason = str(error).partition(".  ")[0]  # drop cffi's list of other locations
            warn(
                f"gnomon: GNOMON_BLAS: not a usable BLAS: {reason}; using the library's own matrix products",
            )
        return ""
    _opened.append(library)  # keeps it open
    native().lib.gn_set_blas(*addresses)
    routines = [_address(ffi, library, f"{prefix}{name}_") for name in _LAPACK_ROUTINES]
    native().lib.gn_set_lapack(routines, len(routines))
    return str(path)


def _address(ffi: Any, library: Any, name: str) -> float:
    """The address of a function; 0 if the library has none of this name."""
    try:
        return float(int(ffi.cast("uintptr_t", ffi.addressof(library, name))))
    except AttributeError:
        return 0.0


_opened: list[object] = []
