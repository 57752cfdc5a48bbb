"""Plots the loss curves."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from .training import TOLERANCE, Run


def draw(runs: Sequence[Run], reference: Run, path: Path) -> None:
    """Plots the loss curves, and below them their distances from the reference's, to the file ``path``.

    The suffix determines the format.  The file is replaced atomically, by renaming.  Raises OSError, and
    ValueError for an unknown suffix.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 7), layout="constrained")
    FigureCanvasAgg(figure)
    curves, distances = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
    for run in runs:
        steps = range(1, len(run.losses) + 1)
        if run is reference:
            curves.plot(
                steps,
                run.losses,
                "k.",
                markersize=5,
                zorder=3,
                label=f"{run.backend} ({len(run.losses)} steps)",
            )
            continue
        curves.plot(steps, run.losses, linewidth=1, label=f"{run.backend} ({len(run.losses)} steps)")
        apart = [abs(loss - wanted) for loss, wanted in zip(run.losses, reference.losses)]
        distances.plot(range(1, len(apart) + 1), apart, ".-", linewidth=0.8, markersize=4, label=run.backend)
    curves.set(
        title="Handwritten digits: one training, several backends", ylabel="loss of the batch", yscale="log"
    )
    curves.legend()
    distances.axhline(TOLERANCE, color="0.5", linestyle="--", label=f"tolerance {TOLERANCE:.1e}")
    # Linear near zero, because equal losses are common and zero has no logarithm.
    distances.set(xlabel="step", ylabel="distance from the reference's loss", xscale="log")
    distances.set_yscale("symlog", linthresh=1e-8)
    distances.set_ylim(bottom=0)
    distances.legend()
    unfinished = path.with_name(path.name + ".part")
    try:
        figure.savefig(unfinished, dpi=120, format=path.suffix.lstrip(".") or "png")
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)
