"""Builds the C library of csrc/ as cffi extensions: gnomon_c._native for every processor of the architecture,
the same sources for wider vectors as gnomon_c._native_avx2 and gnomon_c._native_avx512, and
gnomon_c._processor, which detects which of them the processor supports.  The package opens the widest one.

setuptools runs this file from the repository's root (``cffi_modules``), to which all its paths are relative.
As a program, it compiles gnomon_c._native, or that of the instruction set (or ``processor``) in the second
argument, into ``build/`` or the directory in the first argument, and prints the extension's path.

By default the build is for the instruction set of this processor.  ``GNOMON_C_VARIANTS`` names others, such
as ``baseline,avx2``, or ``all``, for a wheel to be distributed.  ``GNOMON_C_QUICK`` names variants that
compile in a third of the time and run slowly, with the same results.  ``GNOMON_DEBUG=1`` builds for a
debugger, with symbols and little optimization.  ``GNOMON_WERROR=1`` or ``CI`` makes warnings errors.
``GNOMON_CFLAGS`` adds compiler and linker flags, such as ``-fsanitize=address,undefined``.
``GNOMON_OPENMP=0`` builds without OpenMP.
"""

import functools
import os
import platform
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import cffi

sys.path.insert(
    0, str(Path(__file__).resolve().parent)
)  # setuptools runs this file outside of a package, so it can not import its neighbors
from c_compiler import find_compiler, is_set, knows

ROOT = Path(__file__).resolve().parent.parent
HEADERS = ("csrc/gnomon.h", "csrc/library.h")
PROCESSOR = "csrc/c/processor.c"
SOURCES = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "csrc" / "c").glob("*.c"))

# cffi releases the GIL and saves errno around each call, and has no option to disable that; it adds 50 ns to
# a call's 75 ns, and a GIL convoy if other threads run.  cffi's code does it by the macros redefined here.
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

# Each is used if the compiler accepts it.  Results are correct without them.
OPTIONAL_FLAGS = (
    "-std=c11",
    "-O3",
    "-fopenmp",
    "-fwrapv",  # signed integers wrap around, for sanitizers too
    "-ffp-contract=off",  # vector code and its scalar tail must have the same results
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fcx-fortran-rules",  # complex products as in PyTorch, without C's recovery of infinities
    "-fvisibility=hidden",
    "-g0",  # Python's flags include debug information, five times the code's size
)
# The compiler flags of each instruction set.  Products and sums are fused only where the source says so
# (GN_FMA), so that an element's result does not depend on its position.
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
    "-Wno-pass-failed",  # clang: a loop marked for vectorization was not vectorized
    "-Wno-bitwise-conditional-parentheses",
    "-Wno-unused-parameter",
    "-Wno-missing-field-initializers",
    "-Wno-cast-function-type",
)


def widest_of_processor():
    """The widest instruction set that this processor supports; None if the test program does not compile."""
    with tempfile.TemporaryDirectory() as directory:
        asking, program = Path(directory) / "ask.c", Path(directory) / "ask"
        asking.write_text("int gn_processor_isa(void); int main(void) { return gn_processor_isa(); }\n")
        command = [*find_compiler(), f"-I{ROOT}", str(asking), str(ROOT / PROCESSOR), "-o", str(program)]
        try:
            subprocess.run(command, capture_output=True, timeout=60, check=True)
            return list(VARIANTS)[subprocess.run([str(program)], timeout=60).returncode]
        except (OSError, subprocess.SubprocessError, IndexError):
            return None


def variants():
    """The instruction sets to build for: the requested ones of VARIANTS that the compiler supports."""
    asked = os.environ.get("GNOMON_C_VARIANTS", "")
    chosen = list(VARIANTS) if asked == "all" else [name for name in asked.split(",") if name]
    for name in chosen:
        if name not in VARIANTS:
            raise ValueError(
                f"GNOMON_C_VARIANTS: expected all, or names of {', '.join(VARIANTS)}, got {name!r}"
            )
    if sys.platform == "win32" or platform.machine().lower() not in ("x86_64", "amd64"):
        return ["baseline"]
    compiler = find_compiler()
    known = [name for name in VARIANTS if all(knows(compiler, flag) for flag in VARIANTS[name])]
    if chosen:
        return [name for name in known if name in chosen] or ["baseline"]
    widest = widest_of_processor()
    return [known[-1] if widest not in known else widest] if widest else known


def uses_openmp():
    """Is OpenMP built in if the compiler has it?  Yes, unless the environment disables it."""
    return os.environ.get("GNOMON_OPENMP", "") != "0"


@functools.cache
def flags():
    """The compiler's flags, and those that the linker needs too."""
    if sys.platform == "win32":
        return ["/O2", "/std:c11", *(["/openmp:experimental"] if uses_openmp() else [])], []
    compiler = find_compiler()
    wanted = [flag for flag in OPTIONAL_FLAGS if flag != "-fopenmp" or uses_openmp()]
    if is_set("GNOMON_DEBUG"):
        wanted = [
            {"-O3": "-Og", "-g0": "-g3"}.get(flag, flag) for flag in (*wanted, "-fno-omit-frame-pointer")
        ]
    compile_flags = [flag for flag in wanted if knows(compiler, flag)]
    link_flags = [flag for flag in compile_flags if flag == "-fopenmp"]
    if knows(compiler, "-pthread"):  # csrc/c/parallel_native.c, csrc/c/fork.c
        link_flags.append("-pthread")
    if is_set("CI") or is_set("GNOMON_WERROR"):
        compile_flags += [flag for flag in WARNINGS if knows(compiler, flag)]
    extra = shlex.split(os.environ.get("GNOMON_CFLAGS", ""))
    return compile_flags + extra, link_flags + extra


def make_ffi(root="", variant="baseline"):
    """The cffi.FFI that describes the extension for an instruction set; the caller compiles it.

    ``root`` is prepended to all paths: setuptools needs relative ones, but cffi changes the directory.
    """
    compile_flags, link_flags = flags()
    if variant in os.environ.get("GNOMON_C_QUICK", "").split(","):
        compile_flags = ["-O1" if flag == "-O3" else flag for flag in compile_flags]
    ending = "" if variant == "baseline" else f"_{variant}"
    ffi = cffi.FFI()
    if variant == "processor":
        ffi.cdef("int32_t gn_processor_isa(void);")
        ffi.set_source(
            "gnomon_c._processor",
            '#include "csrc/gnomon.h"\n#include "csrc/library.h"',
            sources=[os.path.join(root, PROCESSOR)],
            include_dirs=[root or "."],
            extra_compile_args=[flag for flag in compile_flags if flag not in WARNINGS],
            extra_link_args=link_flags,
        )
        return ffi
    for header in HEADERS:
        ffi.cdef((ROOT / header).read_text())
    ffi.set_source(
        f"gnomon_c._native{ending}",
        PREAMBLE,
        sources=[os.path.join(root, path) for path in SOURCES],
        include_dirs=[root or "."],
        extra_compile_args=[*compile_flags, *VARIANTS[variant]],
        extra_link_args=link_flags,
    )
    return ffi


def compile_extension(directory, variant="baseline"):
    """Compiles an extension into ``directory`` and returns its path.  Raises cffi.VerificationError."""
    directory = Path(directory).resolve()
    directory.mkdir(parents=True, exist_ok=True)
    return Path(make_ffi(str(ROOT), variant).compile(tmpdir=str(directory)))


# Names in this module that setuptools looks up: ffi_processor, ffi_baseline, ffi_avx2, ...
FFI_NAMES = []
for _variant in ("processor", *variants()):
    FFI_NAMES.append(f"ffi_{_variant}")
    globals()[FFI_NAMES[-1]] = make_ffi(variant=_variant)

if __name__ == "__main__":
    print(compile_extension(*(sys.argv[1:] or [str(ROOT / "build")])))
