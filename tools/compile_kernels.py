"""Compiles every CUDA kernel with NVIDIA's compiler, which needs no GPU, and records the resources it needs.

    python tools/compile_kernels.py              # what has changed, into docs/cuda_kernels.json and .md
    python tools/compile_kernels.py --jobs 8 --text matmul.cu
    python tools/compile_kernels.py --stale      # list what has changed, and compile nothing

The kernels are those that the families of gnomon_cuda list, in the batches in which it compiles them.  A part
of the record, for a source text, a dtype and an architecture, has a digest of everything that can change it,
and is not compiled again while the digest stays the same.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import json
import multiprocessing
import re
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from gnomon_cuda import families, sources
from gnomon_cuda.compiler import Image, NvrtcCompiler
from gnomon_cuda.programs import Program
from gnomon_cuda.runtime import BATCH

ROOT = Path(__file__).resolve().parent.parent
RECORD = ROOT / "docs" / "cuda_kernels.json"
TABLE = ROOT / "docs" / "cuda_kernels.md"
ARCHITECTURES = ("sm_80", "sm_90", "sm_100")
REGISTERS = 65536  # of a multiprocessor
SAVED_EVERY = 20  # seconds
# Kernels that may spill registers to memory: part, kernel, and why.
MAY_SPILL: tuple[tuple[str, str, str], ...] = (
    (
        r"attention\.cu float64 sm_80",
        r"attention_for_key<1>",
        "four tiles of doubles fill half of the registers; six others are written once",
    ),
    (
        r"matmul\.cu complex128 sm_\d+",
        r"product_rows<\d+>",
        "one or two 16-byte values, before and after the loop",
    ),
    (
        r"matmul\.cu complex64 sm_100",
        r"product_columns<0>",
        "one number of 4 bytes; such products are cuBLAS's where that is installed",
    ),
)

COLUMNS = ("source", "dtypes", "kernels", *ARCHITECTURES, "bytes of shared memory", "kernels with a stack")
SPILL_COLUMNS = ("source", "dtype", "architecture", "kernel", "bytes stored", "bytes loaded", "why")
HEAD = """# Resources of the CUDA kernels

This page lists the resources of every kernel that gnomon may launch, as NVIDIA's compiler (NVRTC
{version}) reports them for three architectures. `make compiled` compiles the kernels, which needs no
GPU, and writes this page and [`cuda_kernels.json`](cuda_kernels.json), which holds the register count of
each kernel. `make test` fails if a kernel spills registers to memory, unless the table at the end of
this page gives a reason.

The columns of the architectures show the largest number of registers per thread. Shared memory is the
largest amount per block. A kernel has a stack if it has an array in thread-local memory, indexed by
values that are known only at run time.

"""


class Needs(NamedTuple):
    """The resources that a kernel needs: registers per thread, and bytes.

    stack          of local memory per thread
    stores, loads  of spilled registers
    shared         of shared memory per block
    """

    registers: int
    stack: int
    stores: int
    loads: int
    shared: int


class Part(NamedTuple):
    """A unit of the record: the kernels of a source text for one dtype and one architecture."""

    text: str
    dtype: str
    architecture: str

    @property
    def name(self) -> str:
        """Its key in the record."""
        return " ".join(self)


_PROPERTIES = re.compile(r"Function properties for (\S+)")
_MEMORY = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
_USED = re.compile(r"Used (\d+) registers")
_SHARED = re.compile(r"(\d+) bytes smem")


def needs_of(image: Image) -> dict[str, Needs]:
    """The resources of each kernel of an image, as reported by ptxas."""
    memory: dict[str, tuple[int, int, int]] = {}
    used: dict[str, tuple[int, int]] = {}
    symbol = ""
    for line in image.log.splitlines():
        if found := _PROPERTIES.search(line):
            symbol = found.group(1)
        elif found := _MEMORY.search(line):
            memory[symbol] = int(found.group(1)), int(found.group(2)), int(found.group(3))
        elif found := _USED.search(line):
            shared = _SHARED.search(line)
            used[symbol] = int(found.group(1)), int(shared.group(1)) if shared else 0
    return {
        kernel: Needs(used[symbol][0], *memory[symbol], used[symbol][1])
        for kernel, symbol in image.symbols.items()
    }


def parts() -> dict[Part, list[Program]]:
    """The programs of each part."""
    found: dict[Part, list[Program]] = {}
    for program in families.programs():
        for architecture in ARCHITECTURES:
            found.setdefault(Part(program.text, program.dtype, architecture), []).append(program)
    return dict(sorted(found.items()))


def batches(programs: Iterable[Program]) -> Iterator[Program]:
    """The batches that are compiled together, as in ``gnomon_cuda.programs``."""
    for program in programs:
        for first in range(0, len(program.kernels), BATCH):
            yield program._replace(kernels=program.kernels[first : first + BATCH])


# Text that does not affect kernels: comments, and the version that callers compare.
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|#define GN_ABI_VERSION \d+", re.DOTALL)


@functools.cache
def _written(text: str, is_complex: bool) -> str:
    """A digest of a source text and its includes, without comments, whitespace and the version.

    Functions of complex numbers do not affect kernels of other dtypes.
    """
    folders = sources.kernel_folders(False)
    source = sources.text(f"cuda/{text}")
    included = sources.included_files(source, folders)
    digest = hashlib.sha256()
    used = [path for path in included if is_complex or path.name != "scalar_complex.h"]
    for content in (source, *(path.read_text() for path in used)):
        digest.update("\n".join(_COMMENT.sub(" ", content).split()).encode() + b"\0")
    return digest.hexdigest()


def digest_of(part: Part, programs: Sequence[Program]) -> str:
    """A digest of everything that can change a part of the record, except for the compiler's version."""
    written = _written(part.text, part.dtype.startswith("complex"))
    facts = [*part, written, [batch.kernels for batch in batches(programs)], NvrtcCompiler.usual]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:16]


@functools.cache
def compiler() -> NvrtcCompiler:
    """NVIDIA's compiler, as used by gnomon_cuda.  Raises BackendUnavailableError."""
    return NvrtcCompiler(sources.kernel_folders(False))


def compile_batch(program: Program, architecture: str) -> list[Needs]:
    """The resources of the kernels of a batch, in order.  Raises CompileError."""
    needs = needs_of(compiler().compile(program.source, program.kernels, architecture))
    return [needs[kernel] for kernel in program.kernels]


def _timed(task: tuple[int, Part, Program]) -> tuple[int, list[Needs], float]:
    number, part, program = task
    begun = time.process_time()
    return number, compile_batch(program, part.architecture), time.process_time() - begun


def entry_of(digest: str, kernels: Sequence[str], needs: Sequence[Needs]) -> dict[str, Any]:
    """A part of the record: the registers of its kernels, in order, and rarer properties by kernel."""
    named = list(zip(kernels, needs))
    return {
        "digest": digest,
        "registers": " ".join(str(each.registers) for each in needs),
        "shared": max(each.shared for each in needs),
        "stacks": sum(each.stack > 0 for each in needs),
        "spills": {kernel: [each.stores, each.loads] for kernel, each in named if each.stores or each.loads},
    }


def read() -> dict[str, Any]:
    """The record: the compiler's version, and the parts by name."""
    if not RECORD.is_file():
        return {"version": "", "parts": {}}
    found: dict[str, Any] = json.loads(RECORD.read_text())
    return found


def stale(record: dict[str, Any]) -> list[Part]:
    """The parts that are missing from the record, or have another digest."""
    known = record["parts"]
    return [
        part
        for part, programs in parts().items()
        if known.get(part.name, {}).get("digest") != digest_of(part, programs)
    ]


def write(record: dict[str, Any]) -> None:
    """Write the record, one line per part, and the page about it."""
    lines = [f"{json.dumps(name)}: {json.dumps(entry)}" for name, entry in sorted(record["parts"].items())]
    version = json.dumps(record["version"])
    RECORD.write_text(f'{{"version": {version}, "parts": {{\n' + ",\n".join(lines) + "\n}}\n")
    TABLE.write_text(page(record))


def page(record: dict[str, Any]) -> str:
    """The text of docs/cuda_kernels.md."""
    by_text: dict[str, dict[str, list[dict[str, Any]]]] = {}
    dtypes: dict[str, set[str]] = {}
    spills: list[tuple[Any, ...]] = []
    for name, entry in sorted(record["parts"].items()):
        text, dtype, architecture = name.split(" ")
        by_text.setdefault(text, {}).setdefault(architecture, []).append(entry)
        dtypes.setdefault(text, set()).add(dtype)
        for kernel, (stores, loads) in entry["spills"].items():
            why = reason(name, kernel) or "**none: this is to be mended**"
            spills.append((f"`{text}`", dtype, architecture, f"`{kernel}`", stores, loads, why))
    lines: list[tuple[Any, ...]] = []
    for text, found in by_text.items():
        entries = [entry for each in found.values() for entry in each]
        kernels = max(sum(len(entry["registers"].split()) for entry in each) for each in found.values())
        most = [
            max(int(each) for entry in found[architecture] for each in entry["registers"].split())
            if architecture in found
            else "-"
            for architecture in ARCHITECTURES
        ]
        shared = max(entry["shared"] for entry in entries)
        stacks = max(sum(entry["stacks"] for entry in each) for each in found.values())
        cells = (f"`{text}`", len(dtypes[text]), kernels, *most, shared, stacks)
        lines.append(cells)
    end = _table(SPILL_COLUMNS, spills) if spills else "None.\n"
    missing = [part for part in parts() if part.name not in record["parts"]]
    if missing:
        by_architecture = Counter(part.architecture for part in missing)
        counts = ", ".join(f"{count} for {name}" for name, count in sorted(by_architecture.items()))
        end += "\n## Not compiled since their texts changed\n\n"
        end += f"Of {len(parts())} parts {counts}: `make compiled` does it.\n"
    head = HEAD.format(version=record["version"])
    return f"{head}{_table(COLUMNS, lines)}\n## Kernels that spill\n\n{end}"


def _table(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table in Markdown."""
    lines = [names, ["---"] * len(names), *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


def reason(name: str, kernel: str) -> str:
    """Why a kernel of a part may spill; "" if it may not."""
    for its_part, expression, why in MAY_SPILL:
        if re.fullmatch(its_part, name) and re.fullmatch(expression, kernel):
            return why
    return ""


def forbidden_spills(record: dict[str, Any]) -> list[str]:
    """The kernels that spill although they may not."""
    return [
        f"{name}: {kernel} stores {stores} bytes and loads {loads}"
        for name, entry in sorted(record["parts"].items())
        for kernel, (stores, loads) in entry["spills"].items()
        if not reason(name, kernel)
    ]


def update(record: dict[str, Any], chosen: Sequence[Part], jobs: int) -> None:
    """Compile parts, and write the record as they are completed."""
    listed = parts()
    tasks = [(part, batch) for part in chosen for batch in batches(listed[part])]
    done: dict[Part, list[list[Needs] | None]] = {part: [] for part in chosen}
    places = []
    for part, _ in tasks:
        places.append(len(done[part]))
        done[part].append(None)
    began = saved = time.perf_counter()
    seconds: dict[str, float] = {}
    context = multiprocessing.get_context("spawn")
    # slow ones first, so that no process is left with one at the end
    order = sorted(range(len(tasks)), key=lambda each: _is_slow(tasks[each][1].text), reverse=True)
    with context.Pool(jobs) as pool:  # ends with the first text that fails to compile
        finished = pool.imap_unordered(_timed, [(number, *tasks[number]) for number in order])
        for count, (number, needs, took) in enumerate(finished, start=1):
            part = tasks[number][0]
            done[part][places[number]] = needs
            seconds[part.text] = seconds.get(part.text, 0.0) + took
            found = [each for one in done[part] if one is not None for each in one]
            kernels = [kernel for each in batches(listed[part]) for kernel in each.kernels]
            if len(found) == len(kernels):
                digest = digest_of(part, listed[part])
                record["parts"][part.name] = entry_of(digest, kernels, found)
            now = time.perf_counter()
            if now - saved > SAVED_EVERY:
                saved = now
                write(record)
                print(f"{count} of {len(tasks)} batches, {now - began:.0f} s", flush=True)
    for text, took in sorted(seconds.items(), key=lambda each: -each[1]):
        print(f"{text:20} {took:8.1f} s of a processor")


def _is_slow(text: str) -> bool:
    return text in ("attention.cu", "convolution.cu", "matmul.cu", "row_norm.cu", "softmax.cu")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("-j", "--jobs", type=int, default=2, help="processes (default: %(default)s)")
    parser.add_argument("--text", action="append", help="compile only these sources")
    parser.add_argument("--architecture", action="append", choices=ARCHITECTURES, help="only these")
    parser.add_argument("--stale", action="store_true", help="list what has changed, without compiling")
    options = parser.parse_args()
    record = read()
    if record["version"] != compiler().version:
        record = {"version": compiler().version, "parts": {}}
    changed = stale(record)
    names = {part.name for part in parts()} - {part.name for part in changed}
    record["parts"] = {name: entry for name, entry in record["parts"].items() if name in names}
    if options.stale:
        print("\n".join(part.name for part in changed))
        return bool(changed)
    chosen = [
        part
        for part in changed
        if (not options.text or part.text in options.text)
        and (not options.architecture or part.architecture in options.architecture)
    ]
    update(record, chosen, options.jobs)
    write(record)
    spilling = forbidden_spills(record)
    print("\n".join(spilling))
    return bool(spilling)


if __name__ == "__main__":
    sys.exit(main())
