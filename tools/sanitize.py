"""Builds the C library with sanitizers and runs tests with it; the first fault that they detect ends the run.

    python tools/sanitize.py                          # address and undefined behaviour: the conformance suite
    python tools/sanitize.py thread                   # data races: the tests of threads
    python tools/sanitize.py cuda                     # address, on the emulated GPU: its driver and kernels
    python tools/sanitize.py address -- tests/csrc/test_csrc.py -k sort
    python tools/sanitize.py address --isa baseline   # instead of the widest vectors of this processor
    python tools/sanitize.py address --soak 600       # random calls for ten minutes (tools/soak.py)

Arguments after ``--`` replace the default ones of pytest, or for ``cuda`` those of ``gnomon conform``.  The
library is built in ``build/sanitize``; the installed one does not change.  Needs gcc or clang with their
sanitizer libraries.
"""

from __future__ import annotations

import argparse
import os
import runpy
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FLAGS = {
    "address": "-g1 -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all",
    "thread": "-g1 -O1 -fsanitize=thread",
}
ISAS = ("baseline", "avx2", "avx512")  # by the numbers that csrc/gnomon.h gives them
LIBRARIES = {"address": ("libasan.so", "libubsan.so"), "thread": ("libtsan.so",)}
PARALLEL = "tests/csrc/test_csrc_parallel.py"
TESTS = {
    "address": [
        "conformance",
        "tests/csrc/test_csrc.py",
        "tests/speedups/test_speedups.py",
        "--gnomon-backend",
        "c",
        "-m",
        "not oracle",
    ],
    "thread": [
        *("tests/csrc/test_gnomon_c.py", "tests/autograd/test_threads.py"),
        f"{PARALLEL}::test_no_result_depends_on_what_runs_the_threads_or_on_how_many_there_are",
        f"{PARALLEL}::test_faults_are_reported_by_any_thread",
    ],
}
# For the emulated GPU: the operators without rows in a table, because the others share kernels that differ
# only in an expression, which the run of the C library covers; then a few of the others.
TIERS = ("reductions", "matrix", "indexing", "neural network", "random", "views")
CUDA_RUNS = [
    [*(word for tier in TIERS for word in ("--tier", tier)), "--dtypes", "float32,int64"],
    ["--tier", "pointwise", "--ops", "^(add|exp|pow|where|clamp|eq|remainder|copy_|fill_)([._]|$)"],
]
# A kernel that writes beyond its memory: if this is not detected, the run proves nothing.
PLANTED = """
import sys
sys.path.insert(0, "tests/cuda")
from cuda_emulation import Kernels
from gnomon_cuda.driver import open_emulation
driver = open_emulation()
driver.activate(0)
kernels = Kernels(driver)
block = driver.allocate(32)
kernels.add_number(block, 1.0, 8)
driver.synchronize()
print("fine so far", flush=True)
kernels.write_beyond(block, 8)
driver.synchronize()
"""
SETTINGS = {
    # Python keeps memory until it exits; a fault ends the process instead of only being printed
    "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=1:allocator_may_return_null=1",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
    # the threads of a BLAS are not instrumented
    "TSAN_OPTIONS": "ignore_noninstrumented_modules=1:halt_on_error=1",
}


def make_package(kind: str) -> Path:
    """Create a folder with the package gnomon_c, without its extensions."""
    folder = ROOT / "build" / "sanitize" / kind
    package = folder / "gnomon_c"
    shutil.rmtree(package, ignore_errors=True)
    package.mkdir(parents=True)
    for path in (ROOT / "backends" / "gnomon_c").glob("*.py"):
        shutil.copy(path, package)
    return folder


def build(kind: str, folder: Path, isa: str) -> None:
    """Build the package's extension for an instruction set, with sanitizers."""
    builder = [sys.executable, str(ROOT / "cffi_build" / "gnomon_c_build.py"), str(folder / "objects"), isa]
    environment = {**os.environ, "GNOMON_CFLAGS": FLAGS[kind]}
    if kind == "thread":  # OpenMP's runtime is not instrumented: use only the library's own pool
        environment["GNOMON_OPENMP"] = "0"
    built = subprocess.run(builder, env=environment, capture_output=True, text=True, cwd=ROOT)
    if built.returncode:
        raise SystemExit(built.stdout + built.stderr)
    shutil.copy(built.stdout.strip().splitlines()[-1], folder / "gnomon_c")


def widest_isa(environment: dict[str, str]) -> str:
    """The instruction set with the widest vectors that this processor supports."""
    program = "from gnomon_c import _processor; print(_processor.lib.gn_processor_isa())"
    asked = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    if asked.returncode:
        raise SystemExit(asked.stderr)
    return ISAS[int(asked.stdout)]


def build_speedups(kind: str) -> Path:
    """Build the extension gnomon_speedups._speedups with sanitizers."""
    file = ROOT / "build" / "sanitize" / kind / "_speedups.so"
    sources = sorted((ROOT / "csrc" / "speedups").glob("*.c"))
    include = sysconfig.get_paths()["include"]
    shared = runpy.run_path(str(ROOT / "cffi_build" / "speedups_build.py"))["write"](str(file.parent))
    command = [*shlex.split(os.environ.get("CC", "cc")), *FLAGS[kind].split(), "-std=c11", "-shared", "-fPIC"]
    built = subprocess.run(
        [*command, f"-I{include}", f"-I{shared}", *sources, "-o", file], capture_output=True, text=True
    )
    if built.returncode:
        raise SystemExit(built.stdout + built.stderr)
    return file


def library(name: str) -> str:
    """The path of the compiler's sanitizer library.  Raises SystemExit."""
    compiler = os.environ.get("CC", "cc")
    found = subprocess.run([compiler, f"-print-file-name={name}"], capture_output=True, text=True)
    path = found.stdout.strip()
    if found.returncode or not os.path.isabs(path):
        raise SystemExit(f"{compiler} has no {name}")
    return path


def check_emulation(workers: str, runs: list[list[str]]) -> int:
    """Run the conformance suite on the emulated GPU, with sanitizers in everything its compiler builds."""
    folder = ROOT / "build" / "sanitize" / "cuda"
    # libstdc++ is preloaded too, so that the sanitizer can intercept its exceptions
    libraries = (*LIBRARIES["address"], "libstdc++.so")
    environment = {
        **os.environ,
        **SETTINGS,
        "PYTHONMALLOC": "malloc",
        "LD_PRELOAD": " ".join(library(name) for name in libraries),
        "GNOMON_CUDA_EMULATE": "1",
        "GNOMON_CUDA_CXXFLAGS": FLAGS["address"],
        "GNOMON_CACHE_DIR": str(folder),
    }
    planted = subprocess.run(
        [sys.executable, "-c", PLANTED], env=environment, cwd=ROOT, capture_output=True, text=True
    )
    if "fine so far" not in planted.stdout or "in write_beyond" not in planted.stderr:
        raise SystemExit(f"the sanitizer does not see a fault of a kernel:\n{planted.stdout}{planted.stderr}")
    command = [sys.executable, "-m", "gnomon.cli", "conform", "cuda"]
    # The rows of attention take minutes under the sanitizer, more than conform's limit beside other work.
    command += ["-n", workers, "--property-seconds", "0", "--hang-limit", "3600"]
    for run in runs:
        status = subprocess.run([*command, *run], env=environment, cwd=ROOT).returncode
        if status:
            return status
    return 0


def main() -> int:
    arguments = sys.argv[1:]
    rest: list[str] = []
    if "--" in arguments:
        rest = arguments[arguments.index("--") + 1 :]
        arguments = arguments[: arguments.index("--")]
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("kind", nargs="?", choices=(*FLAGS, "cuda"), default="address")
    parser.add_argument("--workers", default="2", help="workers of pytest-xdist (default: %(default)s)")
    parser.add_argument("--isa", choices=ISAS, help="instruction set (default: the widest that runs here)")
    parser.add_argument("--soak", metavar="SECONDS", help="run tools/soak.py for this time instead")
    options = parser.parse_args(arguments)
    if options.kind == "cuda":
        return check_emulation(options.workers, [rest] if rest else CUDA_RUNS)
    folder = make_package(options.kind)
    build(options.kind, folder, "processor")
    preload = " ".join(library(name) for name in LIBRARIES[options.kind])
    path = os.pathsep.join(str(each) for each in (folder, ROOT / "reference", ROOT / "conformance"))
    environment = {
        **os.environ,
        **SETTINGS,
        "PYTHONPATH": path,
        "PYTHONMALLOC": "malloc",
        "LD_PRELOAD": preload,
        "GNOMON_SPEEDUPS": str(build_speedups(options.kind)),
        "GNOMON_SANITIZED": options.kind,
    }
    isa = options.isa or widest_isa(environment)
    build(options.kind, folder, isa)
    environment["GNOMON_C_ISA"] = isa
    if options.soak is not None:
        soak = [sys.executable, str(ROOT / "tools" / "soak.py"), "--seconds", options.soak, *rest]
        return subprocess.run(soak, env=environment, cwd=ROOT).returncode
    pytest = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", options.workers]
    return subprocess.run([*pytest, *(rest or TESTS[options.kind])], env=environment, cwd=ROOT).returncode


if __name__ == "__main__":
    sys.exit(main())
