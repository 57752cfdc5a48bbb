"""Public training programs, unchanged, with PyTorch and with gnomon: the same losses, the same parameters?

    python benchmarks/public_programs --programs DIR
    python benchmarks/public_programs --programs DIR --only minGPT --repeats 3
    python benchmarks/public_programs --programs DIR --markdown docs/public_programs.md

Prints one row per program: the largest difference of a loss and of a parameter between gnomon and PyTorch,
the same between PyTorch and PyTorch with other kernels or other last bits of the parameters, which shows
what rounding alone does to this program, and the times.  The exit status is 1 if a program fails or a
difference is above the limit, 2 if something is missing.
"""

from __future__ import annotations

import argparse
import sys
from importlib.util import find_spec
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from public_programs.manifest import COMMITS, PROGRAMS, Program
from public_programs.page import MOVED, Row, markdown
from public_programs.runner import OTHER_KERNELS, ProgramError, compare, largest, least_seconds, run


def how_to_get_them(folder: str = "DIR") -> str:
    """The commands that fetch the programs."""
    lines = [f"The programs are not part of gnomon.  To get them, with {folder} for any empty folder:"]
    for repository, commit in COMMITS.items():
        target = f"{folder}/{repository.replace('/', '+')}"
        lines.append(
            f"  git clone https://github.com/{repository} {target} && git -C {target} checkout {commit}"
        )
    return "\n".join(lines)


def measure(program: Program, snapshots: Path, repeats: int) -> Row:
    """Compare a program's records, and its times in ``repeats`` runs with each library, in turn."""
    expected = run(program, snapshots, "torch-same-draws")
    try:
        found = run(program, snapshots, "gnomon")
    except ProgramError as error:
        return Row(program, len(expected.losses), error=str(error))
    difference = compare(expected, found)
    rounding = compare(expected, run(program, snapshots, "torch-same-draws", OTHER_KERNELS))
    for moved in range(1, MOVED + 1):
        if Row(program, 0, difference, rounding).good():
            break
        other = run(program, snapshots, "torch-same-draws", moved=moved)
        rounding = largest([rounding, compare(expected, other)])
    runs = {"torch": [run(program, snapshots, "torch")], "gnomon": [found]}
    for _ in range(repeats - 1):
        for name in runs:
            runs[name].append(run(program, snapshots, name))
    # With other draws, an agent takes more or fewer steps between two calls of backward.
    scale = found.environment_steps / runs["torch"][0].environment_steps if found.environment_steps else 1.0
    return Row(
        program,
        len(expected.losses),
        difference,
        rounding,
        least_seconds(runs["gnomon"]),
        least_seconds(runs["torch"]) * scale,
    )


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--programs", help="the folder of the snapshots")
    parser.add_argument("--only", default="", help="programs whose name or description contains this")
    parser.add_argument("--repeats", type=int, default=2, help="runs with each library")
    parser.add_argument("--markdown", help="write the rows to this page, where others stay")
    options = parser.parse_args(arguments)
    if options.programs is None:
        print(how_to_get_them())
        return 2
    if find_spec("torch") is None:
        print("PyTorch is missing: pip install torch==2.13.0")
        return 2
    rows = []
    for program in PROGRAMS:
        if options.only not in f"{program.name} {program.what}":
            continue
        if not (Path(options.programs) / program.repository.replace("/", "+") / program.path).exists():
            print(f"{program.name} is not in {options.programs}\n{how_to_get_them()}")
            return 2
        try:
            rows.append(measure(program, Path(options.programs), options.repeats))
        except ProgramError as error:
            rows.append(Row(program, 0, error="with PyTorch: " + str(error)))
        print(rows[-1].text(), flush=True)
        if options.markdown:
            page = Path(options.markdown)
            page.write_text(markdown(rows, page.read_text() if page.exists() else ""))
    return 0 if all(row.good() for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
