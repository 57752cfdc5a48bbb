"""The command: selects backends, trains on each, prints the table, draws the curves, compares them."""

from __future__ import annotations

import argparse
import difflib
import importlib.util
import math
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import gnomon as gn

from . import training
from .training import TOLERANCE, Run

REFERENCE = "reference"


def main(argv: Sequence[str] | None = None) -> int:
    """Parses the arguments and runs the demo; returns the exit status.

    0: all curves agree.  1: a backend left the reference's curve, failed, or its loss is not finite.  2: the
    arguments are invalid, or the extra packages are missing.
    """
    parser = argparse.ArgumentParser(
        prog="gnomon demo",
        description="Train a small classifier of handwritten digits from the same weights on every backend "
        "in host memory, or on the one that GNOMON_BACKEND names, and compare their loss curves with the "
        "reference's.",
    )
    parser.add_argument(
        "--backends",
        type=_names,
        metavar="NAME,…",
        help="backends to train on, besides the reference (default: GNOMON_BACKEND, or all in host memory)",
    )
    parser.add_argument(
        "--steps", type=_positive, default=1500, help="number of training steps (default: %(default)s)"
    )
    parser.add_argument(
        "--reference-steps",
        type=_positive,
        default=100,
        help="number of steps on the reference, which is slow (default: %(default)s)",
    )
    parser.add_argument(
        "--seed", type=int, default=0, help="seed of the weights and the batches (default: %(default)s)"
    )
    parser.add_argument(
        "--output", type=Path, default=Path("digits.png"), help="file for the plot (default: %(default)s)"
    )
    arguments = parser.parse_args(argv)
    missing = [name for name in ("rich", "matplotlib") if importlib.util.find_spec(name) is None]
    if missing:
        print(
            f"gnomon demo: {' and '.join(missing)} not installed; try: pip install 'gnomon[demo]'",
            file=sys.stderr,
        )
        return 2
    try:
        chosen = choose_backends(arguments.backends)
        check_output(arguments.output)
    except ValueError as error:
        parser.error(str(error))
    return run_demo(chosen, arguments.steps, arguments.reference_steps, arguments.seed, arguments.output)


def choose_backends(names: Sequence[str] | None = None) -> list[str]:
    """The reference, then the requested backends; by default GNOMON_BACKEND, or all backends in host memory.

    Raises ValueError for a backend that is unknown, not available, or has no data (meta).
    """
    present = gn.backends()
    named = os.environ.get("GNOMON_BACKEND", "").strip() or "cpu"
    if names is None and named != "cpu":
        names = [named]
    elif names is None:
        names = [name for name, backend in present.items() if backend.available and backend.host_memory]
    for name in names:
        if name not in present:
            near = difflib.get_close_matches(name, present, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise ValueError(f"unknown backend {name!r}{hint} (expected one of: {', '.join(present)})")
        if not present[name].available:
            raise ValueError(f"backend {name!r} is not available: {present[name].reason}")
        if name == "meta":
            raise ValueError("backend 'meta' cannot train: its tensors have no data")
    return [REFERENCE, *(name for name in dict.fromkeys(names) if name != REFERENCE)]


def check_output(path: Path) -> None:
    """Raises ValueError, before the training, if no picture can be written to ``path``."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    kinds = FigureCanvasAgg.get_supported_filetypes()
    if path.suffix and path.suffix.lstrip(".") not in kinds:
        raise ValueError(
            f"--output: unknown image format {path.suffix!r}; expected one of {', '.join(sorted(kinds))}"
        )
    if not path.absolute().parent.is_dir():
        raise ValueError(f"--output: directory {path.absolute().parent} does not exist")
    if path.is_dir():
        raise ValueError(f"--output: {path} is a directory")


def run_demo(backends: Sequence[str], steps: int, reference_steps: int, seed: int, output: Path) -> int:
    """Trains on each of ``backends``, the first of which is the reference; prints, draws, and compares.

    Returns 0 or 1.
    """
    from rich.console import Console

    from .picture import draw

    console = Console()
    reference_steps = min(reference_steps, steps)
    runs = train_all(backends, steps, reference_steps, seed, console)
    reference = runs[0]
    console.print(result_table(runs, reference, reference_steps))
    for name, backend in gn.backends().items():
        if not backend.available:
            console.print(
                f"{name}: not available: {backend.reason}", style="dim", markup=False, highlight=False
            )
    draw(runs, reference, output)
    console.print(f"Curves: {output}", markup=False, highlight=False)
    faults = [(run.backend, training.fault_of(run, reference)) for run in runs]
    for name, fault in faults:
        if fault is not None:
            print(f"gnomon demo: {name} {fault}", file=sys.stderr)
    return 1 if any(fault for _, fault in faults) else 0


def train_all(
    backends: Sequence[str], steps: int, reference_steps: int, seed: int, console: Any
) -> list[Run]:
    """Runs the training once per backend, with a progress bar.  An exception ends only its backend's run."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description:>12}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("loss {task.fields[loss]:.4f}"),
        TimeElapsedColumn(),
    )
    weights = training.initial_weights(seed)
    runs = []
    with Progress(*columns, console=console) as progress:
        tasks = []
        for name in backends:
            length = reference_steps if name == REFERENCE else steps
            tasks.append(progress.add_task(name, total=length, loss=math.nan, start=False))
        for name, task in zip(backends, tasks):
            run = Run(name)
            runs.append(run)
            progress.start_task(task)
            device = gn.backends()[name].device_type
            length = reference_steps if name == REFERENCE else steps
            try:
                training.train(run, device, weights, length, steps, seed, _advance(progress, task))
            except Exception as error:
                # A backend may raise anything: the others still run, and the error is reported below.
                run.error = f"{type(error).__name__}: {error}"
                traceback.print_exc()
            progress.stop_task(task)
    return runs


def _advance(progress: Any, task: Any) -> Callable[[float], None]:
    """A function that advances the progress bar by one step, and shows the loss."""

    def advance(loss: float) -> None:
        progress.update(task, advance=1, loss=loss)

    return advance


def result_table(runs: Sequence[Run], reference: Run, reference_steps: int) -> Any:
    """A table with one row per backend."""
    from rich.table import Table

    table = Table(
        title="Handwritten digits",
        caption="difference: the largest between a backend's loss and the reference's, over the first "
        f"{reference_steps} steps; tolerance {TOLERANCE:.1e}",
    )
    table.add_column("backend")
    for heading in ("steps", "loss", "held-out accuracy", "samples/s", "difference"):
        table.add_column(heading, justify="right")
    for run in runs:
        difference = training.largest_difference(run.losses, reference.losses)
        table.add_row(
            run.backend,
            str(len(run.losses)),
            f"{run.losses[-1]:.4f}" if run.losses else "-",
            "-" if math.isnan(run.accuracy) else f"{run.accuracy:.4f}",
            "-" if math.isnan(run.samples_per_second) else f"{run.samples_per_second:,.0f}",
            "-" if run is reference else f"{difference:.1e}",
            style="bold red" if training.fault_of(run, reference) else None,
        )
    return table


def _names(text: str) -> list[str]:
    """Parses ``a,b`` to a list of names, for argparse."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise argparse.ArgumentTypeError("expected names separated by commas")
    return names


def _positive(text: str) -> int:
    """Parses a positive integer, for argparse."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"expected a number above 0, but got {number}")
    return number
