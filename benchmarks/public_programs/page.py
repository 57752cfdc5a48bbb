"""The rows of the comparison, as text and as a page."""

from __future__ import annotations

import math
from dataclasses import dataclass

from public_programs.manifest import PROGRAMS, Program
from public_programs.runner import THREADS, Difference

# A difference is rounding if it is below this, or not much larger than that between PyTorch's runs.
LOSSES, PARAMETERS, TIMES = 1e-4, 5e-2, 10.0
MOVED = 12  # runs of PyTorch from other last bits, where a difference needs an explanation


@dataclass
class Row:
    """The result for one program; ``error`` is what a failed run printed."""

    program: Program
    steps: int
    difference: Difference | None = None
    rounding: Difference | None = None
    gnomon_seconds: float = math.nan
    torch_seconds: float = math.nan
    error: str = ""

    def good(self) -> bool:
        """Whether the program ran and the differences are rounding."""
        if self.difference is None or self.rounding is None:
            return False
        return self.difference.losses <= max(
            LOSSES, TIMES * self.rounding.losses
        ) and self.difference.parameters <= max(PARAMETERS, TIMES * self.rounding.parameters)

    @property
    def ratio(self) -> float:
        return self.gnomon_seconds / self.torch_seconds

    def text(self) -> str:
        title = f"{self.program.name} ({self.program.what})"
        if self.difference is None or self.rounding is None:
            return f"{title}: FAILED\n{self.error}"
        return (
            f"{'     ' if self.good() else 'WRONG'} {title}: {self.steps} steps,"
            f" losses {self.difference.losses:.1e} ({self.rounding.losses:.1e}),"
            f" parameters {self.difference.parameters:.1e} ({self.rounding.parameters:.1e}),"
            f" {self.gnomon_seconds:.2f} s / {self.torch_seconds:.2f} s"
            f" = {self.ratio:.2f}"
        )

    def markdown(self) -> str:
        title = f"| {self.program.name} | {self.program.what} |"
        if self.difference is None or self.rounding is None:
            return f"{title} failed | | | | | |"
        mark = "" if self.good() else " **above the limit**"
        return (
            f"{title} {self.steps}"
            f" | {self.difference.losses:.0e} ({self.rounding.losses:.0e}){mark}"
            f" | {self.difference.parameters:.0e} ({self.rounding.parameters:.0e})"
            f" | {self.gnomon_seconds:.2f} s | {self.torch_seconds:.2f} s | {self.ratio:.2f} |"
        )


_HEAD = """# Public training programs

Programs from public repositories, written for PyTorch, run unchanged with gnomon: `import torch` imports `gnomon.compat.torch`, in the
program and in the modules that it imports. Each trains for a few seconds on small generated data, once with PyTorch and once with
gnomon, from the same weights and with the same random numbers; then the losses and the parameters are compared.

```console
$ python benchmarks/public_programs                        # how to get the programs, which are not part of gnomon
$ python benchmarks/public_programs --programs DIR         # runs all of them; needs PyTorch, NumPy and Pillow, and SciPy for one
$ python benchmarks/public_programs --programs DIR --only minGPT
$ python benchmarks/public_programs --programs DIR --markdown docs/public_programs.md
```

What is given to both libraries alike is in [`benchmarks/public_programs`](../benchmarks/public_programs): the list of programs with their
commits and arguments (`manifest.py`), the data (`data.py`), and small packages in place of torchvision, gymnasium, matplotlib and
others (`stand_ins`). There is no network. PyTorch draws random numbers from a Mersenne Twister and gnomon from Philox, so gnomon
computes PyTorch's random operators in the runs that are compared (`draws.py`); it does not in those that are timed.

| column | meaning |
|---|---|
| steps | calls of `backward` |
| losses | the largest difference of the value of which `backward` was called, relative to it if it is above 1 |
| parameters | the largest difference of an element of a parameter at the end, relative to the largest element of that parameter |
| (PyTorch) | the same differences between PyTorch and PyTorch with other kernels (`ATEN_CPU_CAPABILITY=default` and others, one thread): what rounding alone does to this program. If gnomon's difference is above the limit, up to {moved} runs of PyTorch follow whose parameters start one unit in the last place from the others, up or down at random; the largest difference counts |
| gnomon, PyTorch | seconds from the end of the first call of `backward` to the end of the last one, with {threads} threads each: for each step the least of the runs, which take turns. In reinforcement learning other draws make longer or shorter episodes: there PyTorch's time is that of gnomon's number of steps of the environment |
| ratio | gnomon's time divided by PyTorch's |

A difference of losses is rounding if it is at most {losses:g}, or {times:g} times that between PyTorch's runs; for parameters the limit is
{parameters:g}. Parameters can differ by more than losses where their gradients are nothing but rounding: Adam then makes steps of full
length in one direction or the other, for example for the bias of a convolution before a batch norm. The limit is as wide as it is
because of two programs, whose parameters differ by more than 0.001 with losses within 0.0001.

| program | what it trains | steps | losses (PyTorch) | parameters (PyTorch) | gnomon | PyTorch | ratio |
|---|---|---|---|---|---|---|---|
"""  # noqa: E501


def markdown(rows: list[Row], before: str) -> str:
    """The page docs/public_programs.md; programs without a row keep the one that they have in ``before``."""
    lines = {_title(line): line for line in before.splitlines() if line.startswith("| ")}
    lines |= {_title(row.markdown()): row.markdown() for row in rows}
    titles = [f"| {program.name} | {program.what} |" for program in PROGRAMS]
    head = _HEAD.format(threads=THREADS, moved=MOVED, losses=LOSSES, parameters=PARAMETERS, times=TIMES)
    return head + "".join(lines[title] + "\n" for title in titles if title in lines)


def _title(line: str) -> str:
    """The first two cells of a row."""
    return "|".join(line.split("|")[:3]) + "|"
