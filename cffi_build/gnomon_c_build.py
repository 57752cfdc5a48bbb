"""Builds the C library of csrc/ as cffi extensions: gnomon_c._native for every processor of the architecture,
and the same sources for wider vectors, gnomon_c._native_avx2 and gnomon_c._native_avx512.  The package opens
the one that the processor can run.

setuptools runs this file from the repository's root (``cffi_modules``), where all its paths start.  Run as a
program, it compiles gnomon_c._native, or that of the instruction set given second, into ``build/`` (or the
directory given first) and prints the extension's path.

``GNOMON_WERROR=1`` or ``CI`` makes warnings errors.  ``GNOMON_CFLAGS`` adds compiler and linker flags, such
as ``-fsanitize=address,undefined``.  ``GNOMON_C_VARIANTS`` names the instruction sets to build for, such as
``baseline,avx2``; the first is always built.  ``GNOMON_C_QUICK`` names those that compile in a third of the
time and run slowly, with the same results.  ``GNOMON_OPENMP=0`` builds as a compiler without OpenMP does.
"""

import functools
import os
import platform
import shlex
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

import cffi

ROOT = Path(__file__).resolve().parent.parent
HEADERS = ("csrc/gnomon.h", "csrc/library.h")
SOURCES = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "csrc" / "c").glob("*.c"))
DEPENDS = sorted(
    str(path.relative_to(ROOT))
    for pattern in ("*.h", "*.def", "c/*.h")
    for path in (ROOT / "csrc").glob(pattern)
)

# cffi gives up the GIL and saves errno around each call, with no option against it; that is 50 ns on top of a
# call's 75 ns, and a convoy when other threads run.  Its code does so by the names redefined here.
PREAMBLE = """
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wconversion" /* in what cffi writes */
#endif

#include "csrc/gnomon.h"
#include "csrc/library.h"

#undef Py_BEGIN_ALLOW_THREADS
#undef Py_END_ALLOW_THREADS
#define Py_BEGIN_ALLOW_THREADS {
#define Py_END_ALLOW_THREADS }
#undef _cffi_save_errno
#undef _cffi_restore_errno
#define _cffi_save_errno() ((void)0)
#define _cffi_restore_errno() ((void)0)

/* Give up the GIL and take it again; csrc/c/call.c calls them around work that is worth it. */
void *gn_release_gil(void);
void gn_acquire_gil(void *state);

void *gn_release_gil(void) {
    return PyEval_SaveThread();
}

void gn_acquire_gil(void *state) {
    PyEval_RestoreThread((PyThreadState *)state);
}
"""

# Each is used where the compiler knows it.  The results stay right without them.
OPTIONAL_FLAGS = (
    "-std=c11",
    "-O3",
    "-fopenmp",
    "-fwrapv",  # integers wrap; sanitizers know it too
    "-ffp-contract=off",  # a result must not depend on whether the vector code or its tail computed it
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fcx-fortran-rules",  # complex products as PyTorch's, without C's recovery of infinities
    "-fvisibility=hidden",
    "-g0",  # Python's own flags ask for debugging tables, five times the code's size
)
# What each instruction set is to the compiler.  Sums are fused with products where the source says so
# (GN_FMA) and nowhere else, so that an element's result does not depend on where it stands.
_AVX2 = ("-mavx2", "-mbmi", "-mbmi2", "-mfma", "-mf16c")
VARIANTS = {
    "baseline": (),
    "avx2": _AVX2,
    "avx512": (*_AVX2, "-mavx512f", "-mavx512bw", "-mavx512cd", "-mavx512dq", "-mavx512vl"),
}
WARNINGS = (
    "-Wall",
    "-Wextra",
    "-Wconversion",
    "-Werror",
    "-Wno-sign-conversion",
    "-Wno-pass-failed",  # clang: a loop that it was told it may vectorise, and doesn't
    "-Wno-bitwise-conditional-parentheses",
    "-Wno-unused-parameter",
    "-Wno-missing-field-initializers",
    "-Wno-cast-function-type",
)


def knows(compiler, flag):
    """Whether a program compiles and links with ``flag`` and no warning."""
    with tempfile.TemporaryDirectory() as directory:
        source = Path(directory) / "probe.c"
        source.write_text("int main(void) { return 0; }\n")
        command = [*compiler, "-Werror", flag, str(source), "-o", str(Path(directory) / "probe")]
        try:
            return subprocess.run(command, capture_output=True, timeout=60).returncode == 0
        except OSError:
            return False


def find_compiler():
    """The command of the C compiler."""
    return shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")


def variants():
    """The instruction sets to build for, baseline first: those of VARIANTS that the compiler knows."""
    chosen = [name for name in os.environ.get("GNOMON_C_VARIANTS", ",".join(VARIANTS)).split(",") if name]
    for name in chosen:
        if name not in VARIANTS:
            raise ValueError(f"GNOMON_C_VARIANTS: expected names of {', '.join(VARIANTS)}, got {name!r}")
    if sys.platform == "win32" or platform.machine().lower() not in ("x86_64", "amd64"):
        chosen = []
    compiler = find_compiler()
    wider = [name for name in VARIANTS if name in chosen and VARIANTS[name]]
    return ["baseline", *(name for name in wider if all(knows(compiler, flag) for flag in VARIANTS[name]))]


def uses_openmp():
    """Whether OpenMP is to be built in where the compiler has it, as it is unless the environment says no."""
    return os.environ.get("GNOMON_OPENMP", "") != "0"


@functools.cache
def flags():
    """Flags for the compiler, and those that the linker needs too."""
    if sys.platform == "win32":
        return ["/O2", "/std:c11", *(["/openmp:experimental"] if uses_openmp() else [])], []
    compiler = find_compiler()
    wanted = [flag for flag in OPTIONAL_FLAGS if flag != "-fopenmp" or uses_openmp()]
    compile_flags = [flag for flag in wanted if knows(compiler, flag)]
    link_flags = [flag for flag in compile_flags if flag == "-fopenmp"]
    if knows(compiler, "-pthread"):  # csrc/c/parallel_native.c, csrc/c/fork.c
        link_flags.append("-pthread")
    if os.environ.get("CI") or os.environ.get("GNOMON_WERROR"):
        compile_flags += [flag for flag in WARNINGS if knows(compiler, flag)]
    extra = shlex.split(os.environ.get("GNOMON_CFLAGS", ""))
    return compile_flags + extra, link_flags + extra


def make_ffi(root="", variant="baseline"):
    """The cffi.FFI that describes the extension for an instruction set; compiling it is the caller's.

    ``root`` stands before all paths: setuptools wants them relative, cffi changes the directory.
    """
    compile_flags, link_flags = flags()
    if variant in os.environ.get("GNOMON_C_QUICK", "").split(","):
        compile_flags = ["-O1" if flag == "-O3" else flag for flag in compile_flags]
    ending = "" if variant == "baseline" else f"_{variant}"
    ffi = cffi.FFI()
    for header in HEADERS:
        ffi.cdef((ROOT / header).read_text())
    ffi.set_source(
        f"gnomon_c._native{ending}",
        PREAMBLE,
        sources=[os.path.join(root, path) for path in SOURCES],
        depends=[os.path.join(root, path) for path in DEPENDS],
        include_dirs=[root or "."],
        extra_compile_args=[*compile_flags, *VARIANTS[variant]],
        extra_link_args=link_flags,
    )
    return ffi


def compile_extension(directory, variant="baseline"):
    """Compiles into ``directory`` and returns the extension's path.  Raises cffi.VerificationError."""
    directory = Path(directory).resolve()
    directory.mkdir(parents=True, exist_ok=True)
    return Path(make_ffi(str(ROOT), variant).compile(tmpdir=str(directory)))


# What setuptools finds here by name: ffi_baseline, ffi_avx2, ...
FFI_NAMES = []
for _variant in variants():
    FFI_NAMES.append(f"ffi_{_variant}")
    globals()[FFI_NAMES[-1]] = make_ffi(variant=_variant)

if __name__ == "__main__":
    print(compile_extension(*(sys.argv[1:] or [ROOT / "build"])))
