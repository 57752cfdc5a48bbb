"""``gnomon plan-scale``: how long a step of training takes on 8 to 4,096 ranks, and how to divide the
model.
"""

from __future__ import annotations

import argparse
import math
import pathlib
from collections.abc import Sequence
from typing import Any

from . import published, scaling
from .scaling import Machine, Plan, Step, Transformer

RANKS = (8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096)
_DRAWN = (".svg", ".png", ".pdf")
_MACHINES = {"a100": scaling.A100, "v100": scaling.V100}


def make_parser() -> argparse.ArgumentParser:
    """The command's arguments."""
    parser = argparse.ArgumentParser(
        prog="gnomon plan-scale",
        description="Predict the time of a training step of a transformer on many ranks, from the rate, the "
        "bandwidth and the latency of a machine: data parallel, sharded, tensor parallel and as a pipeline.",
    )
    add = parser.add_argument
    add("--machine", choices=sorted(_MACHINES), default="a100", help="the machine (default: a100)")
    add("--rate", type=_rate, help="operations a second of a rank on wide matrices, instead of the machine's")
    add("--inside", type=_rate, help="bytes a second between ranks of a machine, instead of the machine's")
    add("--between", type=_rate, help="bytes a second between machines, for each rank")
    add("--layers", type=_count, default=32, help="layers of the model (default: 32)")
    add("--hidden", type=_count, default=4096, help="its width (default: 4096: 6.7 billion parameters)")
    add("--sequence", type=_count, default=2048, help="tokens of a sequence (default: 2048)")
    add("--vocabulary", type=_count, default=51200, help="different tokens (default: 51200)")
    add(
        "--batch",
        type=_count,
        default=4096,
        help="sequences of a step, on all ranks together (default: 4096)",
    )
    add(
        "--ranks",
        type=_count,
        help="show all plans for so many ranks, instead of the best for several numbers",
    )
    add("--plot", type=_plot, metavar="FILE", help="draw throughput over ranks (.svg, .png, .pdf)")
    add("--compare", action="store_true", help="compare predictions with published runs, and end")
    add(
        "--check",
        action="store_true",
        help="measure this machine, predict steps of 1, 2 and 4 of its ranks, measure them, and end",
    )
    return parser


def main(arguments: Sequence[str]) -> int:
    """Run the command; return its exit status."""
    parser = make_parser()
    options = parser.parse_args(arguments)
    if options.compare:
        print(comparison())
        return 0
    if options.check:
        from .local_scaling import check

        return check()
    machine = _machine(options)
    model = Transformer(options.layers, options.hidden, options.sequence, options.vocabulary)
    print(
        f"{model.parameters / 1e9:.1f} billion parameters, {options.batch} sequences a step, {machine.name}"
    )
    if options.ranks is not None:
        print(plans_of(machine, model, options.ranks, options.batch))
    else:
        print(best_of_each(machine, model, options.batch))
    if options.plot is not None:
        try:
            plot(machine, model, options.batch, options.plot)
        except OSError as error:
            parser.error(f"--plot: {error}")
        print(f"The plot: {options.plot}")
    return 0


def _rate(text: str) -> float:
    """A positive number, for argparse."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"expected a positive number, got {text!r}")
    return value


def _count(text: str) -> int:
    """A number of at least 1, for argparse."""
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number of at least 1, got {text!r}")
    return value


def _plot(text: str) -> pathlib.Path:
    """A file of a kind that can be drawn, in a folder that is there, for argparse."""
    path = pathlib.Path(text)
    if path.suffix.lower() not in _DRAWN:
        raise argparse.ArgumentTypeError(f"expected a name that ends in {', '.join(_DRAWN)}, got {text!r}")
    if path.is_dir() or not path.parent.is_dir():
        why = "it is a folder" if path.is_dir() else f"there is no folder {str(path.parent)!r}"
        raise argparse.ArgumentTypeError(f"can not write {text!r}: {why}")
    return path


def _machine(options: argparse.Namespace) -> Machine:
    from dataclasses import replace

    machine = _MACHINES[options.machine]
    if options.rate is not None:
        machine = replace(machine, rate=options.rate, half=0.0)
    if options.inside is not None:
        machine = replace(machine, inside=replace(machine.inside, bandwidth=options.inside))
    if options.between is not None:
        machine = replace(machine, between=replace(machine.between, bandwidth=options.between))
    return machine


_COLUMNS = ("step", "computing", "bubble", "tensor", "stages", "data", "microbatch", "GiB a rank")
_HEAD = "{:>10} {:>10} {:>7} {:>7} {:>7} {:>7} {:>11} {:>11}".format(*_COLUMNS)


def _row(model: Transformer, plan: Plan, step: Step, batch: int) -> str:
    parts = (step.bubble, step.tensor, step.pipeline, step.data)
    shares = " ".join(f"{part / step.seconds:7.1%}" for part in parts)
    held = scaling.bytes_of_a_rank(model, plan, batch) / 2**30
    return f"{step.seconds:8.3g} s {step.efficiency:10.1%} {shares} {plan.microbatch:11g} {held:11.1f}"


def plans_of(machine: Machine, model: Transformer, ranks: int, batch: int) -> str:
    """A table of all ways to divide the model among so many ranks, fastest first."""
    found = scaling.plans(machine, model, ranks, batch)
    if not found:
        return f"\n{ranks} ranks: no plan: the model does not fit, or the batch is too small"
    lines = [f"\n{f'{ranks} ranks':<36} {_HEAD}"]
    lines += [f"{name:<36} {_row(model, plan, step, batch)}" for name, plan, step in found]
    return "\n".join(lines)


def best_of_each(machine: Machine, model: Transformer, batch: int) -> str:
    """A table of the fastest plan for each number of ranks."""
    lines = [f"\n{'ranks':>6} {'the fastest plan':<36} {_HEAD}"]
    for ranks in RANKS:
        found = scaling.plans(machine, model, ranks, batch)
        if found:
            name, plan, step = found[0]
            lines.append(f"{ranks:6} {name:<36} {_row(model, plan, step, batch)}")
        else:
            lines.append(f"{ranks:6} {'none: it does not fit':<36}")
    return "\n".join(lines)


def comparison() -> str:
    """Predictions beside published runs."""
    names = ("parameters", "GPUs", "tensor", "stages", "published", "predicted", "error")
    head = "{:>11} {:>6} {:>7} {:>7} {:>10} {:>10} {:>7}".format(*names)
    lines = ["Megatron-LM on A100 GPUs (2021, table 1), TFLOP/s of each GPU:", head]
    errors = []
    for run, model, _, rate in published.compared_with_megatron():
        errors.append(rate / run.reached - 1)
        lines.append(
            f"{model.parameters / 1e9:9.1f} B {run.gpus:6} {run.tensor:7} {run.pipeline:7} "
            f"{run.reached:10.0f} "
            f"{rate:10.1f} {errors[-1]:+7.1%}"
        )
    worst, mean = max(map(abs, errors)), sum(map(abs, errors)) / len(errors)
    lines.append(f"Two constants are fitted; the mean error is {mean:.1%}, the largest {worst:.1%}.")
    lines.append("\nModel parallelism on V100 GPUs (2019, figure 5), the share of one GPU's rate:")
    lines += [
        f"{gpus:18} GPUs {share:25.0%} {found:10.0%} {found / share - 1:+7.1%}"
        for gpus, share, found in published.compared_with_model_parallel()
    ]
    lines.append(
        "\nSharded: GPT of 175 billion parameters on A100 GPUs (PyTorch FSDP, 2023), TFLOP/s of each GPU:"
    )
    lines += [
        f"{gpus:18} GPUs, {batch} each {reached:16.0f} {found:10.1f} {found / reached - 1:+7.1%}"
        for gpus, batch, reached, found in published.compared_with_sharded()
    ]
    return "\n".join(lines)


def plot(machine: Machine, model: Transformer, batch: int, path: pathlib.Path) -> None:
    """Draw the sequences a second of each kind of plan over the number of ranks."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    lines: dict[str, list[tuple[int, float]]] = {}
    for ranks in RANKS:
        best: dict[str, float] = {}
        for name, _, step in scaling.plans(machine, model, ranks, batch):
            kind = kind_of(name)
            best[kind] = max(best.get(kind, 0.0), batch / step.seconds)
        for kind, throughput in best.items():
            lines.setdefault(kind, []).append((ranks, throughput))
    figure: Any
    figure, axes = pyplot.subplots(figsize=(7, 4.5))
    for kind, points in lines.items():
        axes.plot(*zip(*points), marker="o", label=kind)
    one = machine.rate_of(model.hidden) / model.operations(1, False)
    axes.plot(
        RANKS, [one * ranks for ranks in RANKS], linestyle=":", color="gray", label="without communication"
    )
    axes.set(xscale="log", yscale="log", xlabel="ranks", ylabel="sequences a second")
    axes.set_title(f"{model.parameters / 1e9:.1f} billion parameters, {machine.name}")
    axes.set_xticks(RANKS, [str(each) for each in RANKS])
    axes.minorticks_off()
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None} if path.suffix.lower() == ".svg" else None)
    pyplot.close(figure)


def kind_of(name: str) -> str:
    """Data parallel, sharded, tensor parallel or pipeline: the plan without its numbers."""
    if "stages" in name:
        return "tensor parallel and pipeline"
    return "tensor parallel" if "tensor" in name else name.removesuffix(", recomputing")
