"""Measure the accuracy of the C library's elementary functions, and write docs/accuracy.md.

    python tools/measure_accuracy.py [--stride N] [--output PATH]

measure_accuracy.c, which this compiles, compares each function with the C standard library's in the next
wider precision.  A stride of 1 tests all 2**32 floats, which takes minutes per function; the default, 17,
takes seconds.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "cffi_build"))
import gnomon_c_build as build  # noqa: E402

DTYPES = ("float32", "float64")
FUSED = ("-mavx2", "-mfma")

HEAD = """# Accuracy of the C backend's elementary functions

This table lists the largest error found for each function, in units in the last place (ulp) of the exact
result, and the input at which it occurred. A correctly rounded result has an error of at most 0.5. In
float32, one of every {stride} floats was tested, including subnormal numbers, infinities and NaN; in
float64, {count} numbers, half of them random bit patterns. Vector code and the scalar code for the
remaining elements give the same results. Builds with and without fused multiply-add (`GN_FMA`) may
differ in the last place; the larger error is listed.

float16 and bfloat16 are computed in float32 and rounded once. `pow` was tested with the exponent 1.75,
and `atan2` with the second argument -0.75. The error of `gelu` is in ulp of its input: far below 0 its
results are small and have fewer correct digits, as in PyTorch. float64 `pow` calls the C library, and so
does `lgamma` near its zeros below 0. `digamma` is a difference of two numbers and loses digits near its
zeros, as in PyTorch.

| function | dtype | largest error (ulp) | input | result |
|---|---|---|---|---|
"""


class Worst(NamedTuple):
    """The largest error of a function."""

    function: str
    dtype: str
    error: float
    input: str
    result: str


def compile_program(directory: Path, isa: tuple[str, ...] = ()) -> Path:
    """Compile measure_accuracy.c with the library's flags.  Raises CalledProcessError."""
    compiler = build.find_compiler()
    flags = [flag for flag in build.OPTIONAL_FLAGS if build.knows(compiler, flag)]
    program = directory / "measure_accuracy"
    source = ROOT / "tools" / "measure_accuracy.c"
    subprocess.run([*compiler, *flags, *isa, f"-I{ROOT}", str(source), "-o", str(program), "-lm"], check=True)
    return program


def compile_programs(directory: Path) -> list[Path]:
    """The programs without and, if this processor supports it, with fused multiply-add."""
    programs = []
    for name, isa in (("plain", ()), ("fused", FUSED)):
        (directory / name).mkdir()
        try:
            program = compile_program(directory / name, isa)
            measure(program, "exp", "float32", 2**20 + 7)
            programs.append(program)
        except subprocess.CalledProcessError:
            if not isa:
                raise
    return programs


def functions(program: Path) -> list[str]:
    """The functions that the program knows."""
    return subprocess.run([program], check=True, capture_output=True, text=True).stdout.split()


def measure(program: Path, function: str, dtype: str, stride: int) -> Worst:
    """The largest error of ``function`` over every ``stride``-th input."""
    command = [str(program), function, dtype, str(stride)]
    words = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return Worst(words[0], words[1], float(words[2]), words[4], words[5])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--stride", type=int, default=17, help="test every N-th float (default %(default)s)")
    parser.add_argument("--output", type=Path, default=ROOT / "docs" / "accuracy.md")
    options = parser.parse_args()
    if shutil.which("cc") is None:
        parser.error("there is no C compiler")
    text = HEAD.format(stride=options.stride, count=2**32 // options.stride)
    with tempfile.TemporaryDirectory() as directory:
        programs = compile_programs(Path(directory))
        for function in functions(programs[0]):
            for dtype in DTYPES:
                found = [measure(program, function, dtype, options.stride) for program in programs]
                worst = max(found, key=lambda each: each.error)
                text += f"| `{function}` | {dtype} | {worst.error:.3f} | {worst.input} | {worst.result} |\n"
                print(*worst)
    options.output.write_text(text)


if __name__ == "__main__":
    main()
