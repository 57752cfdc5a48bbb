"""Builds the C library of csrc/ as cffi extensions: gnomon_c._native for every processor of the architecture,
and the same sources for wider vectors, gnomon_c._native_avx2 and gnomon_c._native_avx512; and
gnomon_c._processor, which tells which of them the processor can run.  The package opens the widest of those.

setuptools runs this file from the repository's root (``cffi_modules``), where all its paths start.  Run as a
program, it compiles gnomon_c._native, or that of the instruction set given second (or ``processor``), into
``build/`` (or the directory given first) and prints the extension's path.

The build is for the instruction set of this processor.  ``GNOMON_C_VARIANTS`` names others, such as
``baseline,avx2``, or ``all``, as for a wheel that others install.  ``GNOMON_C_QUICK`` names those that
compile in a third of the time and run slowly, with the same results.  ``GNOMON_DEBUG=1`` builds for a
debugger, with symbols and little optimisation.  ``GNOMON_WERROR=1`` or ``CI`` makes warnings errors.
``GNOMON_CFLAGS`` adds compiler and linker flags, such as ``-fsanitize=address,undefined``.
``GNOMON_OPENMP=0`` builds as a compiler without OpenMP does.
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
)  # setuptools runs this file, and imports none beside it
from c_compiler import find_compiler, knows

ROOT = Path(__file__).resolve().parent.parent
HEADERS = ("csrc/gnomon.h", "csrc/library.h")
PROCESSOR = "csrc/c/processor.c"
SOURCES = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "csrc" / "c").glob("*.c"))

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


def widest_of_processor():
    """The widest instruction set that this processor runs; None where no program can be compiled to tell."""
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
    """The instruction sets to build for: those of VARIANTS that are asked for and that the compiler knows."""
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
    """Whether OpenMP is to be built in where the compiler has it, as it is unless the environment says no."""
    return os.environ.get("GNOMON_OPENMP", "") != "0"


@functools.cache
def flags():
    """Flags for the compiler, and those that the linker needs too."""
    if sys.platform == "win32":
        return ["/O2", "/std:c11", *(["/openmp:experimental"] if uses_openmp() else [])], []
    compiler = find_compiler()
    wanted = [flag for flag in OPTIONAL_FLAGS if flag != "-fopenmp" or uses_openmp()]
    if os.environ.get("GNOMON_DEBUG", "0") not in ("", "0"):
        wanted = [
            {"-O3": "-Og", "-g0": "-g3"}.get(flag, flag) for flag in (*wanted, "-fno-omit-frame-pointer")
        ]
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
    """Compiles into ``directory`` and returns the extension's path.  Raises cffi.VerificationError."""
    directory = Path(directory).resolve()
    directory.mkdir(parents=True, exist_ok=True)
    return Path(make_ffi(str(ROOT), variant).compile(tmpdir=str(directory)))


# What setuptools finds here by name: ffi_processor, ffi_baseline, ffi_avx2, ...
FFI_NAMES = []
for _variant in ("processor", *variants()):
    FFI_NAMES.append(f"ffi_{_variant}")
    globals()[FFI_NAMES[-1]] = make_ffi(variant=_variant)

if __name__ == "__main__":
    print(compile_extension(*(sys.argv[1:] or [str(ROOT / "build")])))
