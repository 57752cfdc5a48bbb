"""Compiles the C library for systems that this one is not, and links it: does it compile there?

    python tools/cross_compile.py                                # every target of TARGETS
    python tools/cross_compile.py aarch64-linux-gnu.2.28         # these
    python tools/cross_compile.py --optimize O3                  # as in a wheel; the default, O0, is quicker
    python tools/cross_compile.py --run                          # kernels on aarch64, by an emulator

The compiler is clang, by the package ziglang, which has the headers and libraries of all these systems.
Files go to ``build/cross``. Prints a table and the errors, and ends with status 1 if something failed.
Only the C library is compiled: cffi's part and the speedups need the target's Python headers.

``--run`` runs ``tools/cross_check.c``, which calls kernels, on this processor and on aarch64 by the
emulator of the package qemu-user, and compares what they compute.
"""

from __future__ import annotations

import argparse
import functools
import importlib.util
import math
import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from multiprocessing.pool import ThreadPool
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = sorted((ROOT / "csrc" / "c").glob("*.c"))
TARGETS = {  # the C library's name on each
    "x86_64-linux-gnu.2.28": "libgnomon.so",
    "aarch64-linux-gnu.2.28": "libgnomon.so",
    "x86_64-macos": "libgnomon.dylib",
    "aarch64-macos": "libgnomon.dylib",
    "x86_64-windows-gnu": "gnomon.dll",
}
# Programs for these need no libraries of the target: the emulator of each, where it is not this machine's.
EMULATORS = {"x86_64-linux-musl": "qemu-x86_64", "aarch64-linux-musl": "qemu-aarch64"}
PROGRAM = ROOT / "tools" / "cross_check.c"
# How far results may be apart, relatively: the fused products of one processor are two roundings on another.
TOLERANCES = {"4": 0.0, "5": 0.0, "8": 3e-6, "9": 3e-14}
# Those of cffi_build/gnomon_c_build.py, without OpenMP.
FLAGS = (
    "-std=c11 -fwrapv -ffp-contract=off -fno-math-errno -fno-trapping-math -fcx-fortran-rules "
    "-fvisibility=hidden -fno-sanitize=all -g0 -w"
).split()


def compiler(target: str) -> list[str]:
    """The command of the compiler for a target.  Raises ValueError for one that is not in TARGETS."""
    if target not in TARGETS and target not in EMULATORS:
        raise ValueError(f"expected a target of {', '.join([*TARGETS, *EMULATORS])}, got {target!r}")
    return [sys.executable, "-m", "ziglang", "cc", "-target", target]


def _run(command: Sequence[object]) -> str | None:
    """Nothing if a command succeeds, otherwise what it printed."""
    done = subprocess.run([str(part) for part in command], cwd=ROOT, capture_output=True, text=True)
    if done.returncode == 0:
        return None
    return f"{done.stdout}{done.stderr}".strip() or f"it ended with status {done.returncode}"


def _position_independent(target: str) -> list[str]:
    return [] if "windows" in target else ["-fPIC"]


def compile_one(target: str, optimize: str, folder: Path, source: Path) -> str | None:
    """Compile a file to an object file in ``folder``; returns the compiler's errors, if any."""
    made = folder / f"{source.stem}.o"
    flags = [*FLAGS, *_position_independent(target), f"-{optimize}", f"-I{ROOT}"]
    return _run([*compiler(target), *flags, "-c", source, "-o", made])


def compile_all(target: str, optimize: str, folder: Path, sources: Sequence[Path]) -> dict[str, str]:
    """Compile files to object files in ``folder``, several at a time; returns the errors by file."""
    folder.mkdir(parents=True, exist_ok=True)
    with ThreadPool(os.cpu_count()) as pool:
        found = pool.map(functools.partial(compile_one, target, optimize, folder), sources, chunksize=1)
    return {source.name: each for source, each in zip(sources, found) if each is not None}


def build(target: str, optimize: str, folder: Path, sources: Sequence[Path] = ()) -> dict[str, str]:
    """Compile and link the C library, or these files of it.

    Returns the errors by the file's name, those of the linker as ``link``.
    """
    chosen = list(sources or SOURCES)
    errors = compile_all(target, optimize, folder, chosen)
    if errors:
        return errors
    objects = [folder / f"{source.stem}.o" for source in chosen]
    system = [] if "windows" in target else ["-lm", "-lpthread"]
    # what the library leaves to cffi's part: the functions that give up the GIL and take it again
    stub = folder / "stub.c"
    stub.write_text(
        "void *gn_release_gil(void) { return 0; }\nvoid gn_acquire_gil(void *state) { (void)state; }\n"
    )
    library = folder / TARGETS[target]
    told = _run([*compiler(target), "-shared", *objects, stub, *system, "-o", library])
    return {"link": told} if told else {}


def differences(first: str, second: str) -> list[str]:
    """What is different in the output of the program on two systems; empty if nothing is.

    Raises ValueError if one has other kernels than the other.
    """
    lines, others = ([line.split() for line in text.splitlines()] for text in (first, second))
    if [line[:2] for line in lines] != [line[:2] for line in others]:
        raise ValueError("expected results of the same kernels from both systems")
    found = []
    for (name, dtype, *values), (_, _, *other) in zip(lines, others):
        for a, b in zip(map(float, values), map(float, other)):
            both_nan = math.isnan(a) and math.isnan(b)
            if a != b and not both_nan and not abs(a - b) <= TOLERANCES[dtype] * max(abs(a), abs(b), 1.0):
                found.append(f"{name} of dtype {dtype}: {a!r} and {b!r}")
    return found


def run_kernels(target: str, optimize: str, folder: Path) -> str:
    """Compile the program with the library for a target of EMULATORS, and run it; returns what it printed.

    Raises RuntimeError with what the compiler or the program said.
    """
    errors = compile_all(target, optimize, folder, [*SOURCES, PROGRAM])
    if errors:
        raise RuntimeError("\n".join(errors.values()))
    objects = [folder / f"{source.stem}.o" for source in (*SOURCES, PROGRAM)]
    program = folder / "cross_check"
    told = _run([*compiler(target), "-static", *objects, "-lm", "-lpthread", "-o", program])
    if told:
        raise RuntimeError(told)
    is_native = target.partition("-")[0] == platform.machine()
    command = [*([] if is_native else [EMULATORS[target]]), str(program)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} ended with status {done.returncode}: {done.stderr}")
    return done.stdout


def compare(optimize: str, folder: Path) -> int:
    """Run the program on each target of EMULATORS, and print the differences; returns the status."""
    try:
        first, second = (run_kernels(target, optimize, folder / target) for target in EMULATORS)
        found = differences(first, second)
    except (OSError, RuntimeError, ValueError) as error:
        print(f"cannot compare: {error}")
        return 1
    print(f"{' and '.join(EMULATORS)}: {len(first.splitlines())} kernels, {len(found)} differences")
    print("\n".join(found[:20]), end="\n" if found else "")
    return int(bool(found))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program with these arguments (default: those of the process); returns its status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="default: all")
    parser.add_argument("--optimize", default="O0", choices=["O0", "O1", "O3"])
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "cross", help="where to write")
    parser.add_argument("--run", action="store_true", help="run kernels on this processor and on aarch64")
    options = parser.parse_args(arguments)
    unknown = [each for each in options.targets if each not in TARGETS]
    if unknown:
        parser.error(f"expected targets of {', '.join(TARGETS)}, got {', '.join(unknown)}")
    if importlib.util.find_spec("ziglang") is None:
        parser.error("it needs the package ziglang: pip install ziglang")
    if options.run:
        return compare(options.optimize, options.output.resolve())
    failed = False
    for target in options.targets or TARGETS:
        errors = build(target, options.optimize, options.output.resolve() / target)
        failed = failed or bool(errors)
        state = f"fails: {', '.join(errors)}" if errors else "compiles and links"
        print(f"{target:24} {state}", flush=True)
        for file, text in errors.items():
            lines = [line for line in text.splitlines() if "error" in line] or text.splitlines()
            print("\n".join(f"    {file}: {line}" for line in lines[:5]))
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main())
