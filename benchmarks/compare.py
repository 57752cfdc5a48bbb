"""How fast gnomon is next to PyTorch: the same work on both, in one process, turn by turn.

    python benchmarks/compare.py                # with 2 threads, then with 1
    python benchmarks/compare.py --threads 1 --repeats 30 --only matmul

Prints one row a task: the median and the least time of either, the ratios of the medians and of the leasts,
and the most that either ratio may be.  The exit status is 1 if one is above its target, 2 if something is
missing.  Needs PyTorch.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import statistics
import subprocess
import sys
import time
import timeit
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

BACKEND = "c"
CHAIN = 500  # rounds of `t = t * y + x`: 1000 nodes
SAMPLE_SECONDS = 0.005  # a sample repeats its statement until it takes about so long
# Idle threads of an OpenMP team spin for a while before they sleep, and would slow the other library's next
# sample.
PAUSE_SECONDS = 0.02
IMPORT_SECONDS = 0.15


@dataclass
class Task:
    """One row.

    make    library -> a function that does the work once
    target  the most that gnomon's time may be, as a part of PyTorch's
    units   what one call of the function counts for: nodes, say
    timed   whether the function returns its own seconds, because part of what it does is preparation
    """

    name: str
    target: float
    make: Callable[[Any], Callable[[], Any]]
    units: int = 1
    timed: bool = False


def make_add(library: Any) -> Callable[[], Any]:
    """``a + b`` on four elements, nothing recorded."""
    a, b = library.ones(4), library.ones(4)
    return lambda: a + b


def make_add_recording(library: Any) -> Callable[[], Any]:
    """``a + b`` on four elements that both require grad."""
    a, b = library.ones(4).requires_grad_(), library.ones(4).requires_grad_()
    return lambda: a + b


def make_backward(library: Any) -> Callable[[], float]:
    """The seconds of one backward through a fresh chain of 1000 nodes."""
    x, y = library.ones(4).requires_grad_(), library.full((4,), 0.5)

    def backward() -> float:
        x.grad = None
        total = x
        for _ in range(CHAIN):
            total = total * y + x
        loss = total.sum()
        started = time.perf_counter()
        loss.backward()
        return time.perf_counter() - started

    return backward


def make_add_16m(library: Any) -> Callable[[], Any]:
    """``a + b`` on 2**24 elements into new memory."""
    a, b = library.ones(2**24), library.ones(2**24)
    return lambda: a + b


def make_relu_16m(library: Any) -> Callable[[], Any]:
    """relu of 2**24 elements into new memory."""
    a = library.ones(2**24)
    return lambda: library.relu(a)


def make_matmul(library: Any) -> Callable[[], Any]:
    """The product of two 1024 x 1024 matrices."""
    a, b = library.full((1024, 1024), 0.5), library.full((1024, 1024), 2.0)
    return lambda: a @ b


TASKS = (
    Task("add, 4 elements", 0.7, make_add),
    Task("add, 4 elements, recording", 0.8, make_add_recording),
    Task("backward, a node", 0.8, make_backward, units=2 * CHAIN, timed=True),
    Task("add, 16M elements, new memory", 0.5, make_add_16m),
    Task("relu, 16M elements, new memory", 0.5, make_relu_16m),
    Task("matmul, 1024 x 1024", 1 / 0.95, make_matmul),
)


def one_sample(function: Callable[[], Any], loops: int, timed: bool) -> float:
    """Seconds of one call, from ``loops`` of them; without the garbage collector's."""
    if not timed:
        return timeit.Timer(function).timeit(loops) / loops
    gc.collect()
    gc.disable()
    try:
        return sum(function() for _ in range(loops)) / loops
    finally:
        gc.enable()


def loops_for(function: Callable[[], Any], timed: bool) -> int:
    """How many calls take about SAMPLE_SECONDS."""
    function()  # the first call plans, compiles and allocates
    seconds = one_sample(function, 1, timed)
    if seconds < SAMPLE_SECONDS / 10:
        seconds = one_sample(function, max(1, int(SAMPLE_SECONDS / 10 / max(seconds, 1e-9))), timed)
    return max(1, round(SAMPLE_SECONDS / seconds))


def measure(task: Task, libraries: dict[str, Any], repeats: int) -> dict[str, list[float]]:
    """Seconds a unit: ``repeats`` samples of each library, in turn, each going first every other time."""
    functions = {name: task.make(library) for name, library in libraries.items()}
    loops = {name: loops_for(function, task.timed) for name, function in functions.items()}
    samples: dict[str, list[float]] = {name: [] for name in libraries}
    order = list(functions)
    for _ in range(repeats):
        for name in order:
            time.sleep(PAUSE_SECONDS)
            functions[name]()  # caches and threads are this library's again
            samples[name].append(one_sample(functions[name], loops[name], task.timed) / task.units)
        order.reverse()
    return samples


def import_seconds(module: str, repeats: int) -> list[float]:
    """Seconds of ``import module`` in fresh Pythons, without Python's own start or the cold first."""
    program = f"import time; t = time.perf_counter(); import {module}; print(time.perf_counter() - t)"
    # compiled files may be kept, as they are wherever gnomon is installed
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    samples = []
    for _ in range(repeats + 1):
        command = [sys.executable, "-c", program]
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
        samples.append(float(done.stdout))
    return samples[1:]


def run_child(threads: int, repeats: int, only: str) -> None:
    """Measure with ``threads`` threads in this process, and print the samples as JSON."""
    import torch

    import gnomon as gn

    torch.set_num_threads(threads)
    gn.set_default_device(BACKEND)
    libraries = {"gnomon": gn, "torch": torch}
    print(json.dumps({task.name: measure(task, libraries, repeats) for task in TASKS if only in task.name}))


def in_child(threads: int, repeats: int, only: str) -> dict[str, dict[str, list[float]]]:
    """``run_child`` in a process of its own: a library settles its number of threads when loaded."""
    command = [
        sys.executable,
        __file__,
        "--child",
        "--threads",
        str(threads),
        "--repeats",
        str(repeats),
        "--only",
        only,
    ]
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads)}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise SystemExit(2)  # it has said why
    return json.loads(done.stdout.splitlines()[-1])


def in_units(seconds: float) -> str:
    """Seconds as a text of four figures at most."""
    for factor, unit in ((1.0, "s"), (1e3, "ms"), (1e6, "us")):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def print_table(title: str, samples: dict[str, dict[str, list[float]]]) -> list[str]:
    """Print the rows; the names of those above their targets."""
    targets = {task.name: task.target for task in TASKS}
    print(f"\n{title}")
    print(f"{'':32}{'gnomon':>20}{'PyTorch':>20}{'ratio':>20}")
    print(f"{'':32}" + "".join(f"{text:>10}" for text in ("median", "least", "median", "least")), end="")
    print(f"{'median':>12}{'least':>8}{'target':>8}")
    above = []
    for name, both in samples.items():
        ours, theirs = both["gnomon"], both["torch"]
        medians = statistics.median(ours), statistics.median(theirs)
        leasts = min(ours), min(theirs)
        ratios = medians[0] / medians[1], leasts[0] / leasts[1]
        # Other programs' bursts can hit one library's samples and spare the other's; the less kind ratio
        # counts.
        verdict = "" if max(ratios) <= targets[name] else "  above"
        if verdict:
            above.append(f"{name} ({title})")
        times = (medians[0], leasts[0], medians[1], leasts[1])
        print(f"{name:32}" + "".join(f"{in_units(seconds):>10}" for seconds in times), end="")
        print(f"{ratios[0]:>12.2f}{ratios[1]:>8.2f}{targets[name]:>8.2f}{verdict}")
    return above


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare gnomon's C backend with PyTorch, turn by turn.")
    parser.add_argument("--threads", type=int, action="append", help="may be repeated (default: 2, then 1)")
    parser.add_argument(
        "--repeats", type=int, default=25, help="samples a task and library (default: %(default)s)"
    )
    parser.add_argument("--only", default="", metavar="TEXT", help="only tasks whose name holds TEXT")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    threads = arguments.threads or [2, 1]
    if arguments.child:
        run_child(threads[0], arguments.repeats, arguments.only)
        return 0
    above = []
    for count in threads:
        title = f"{count} thread{'s' if count > 1 else ''}"
        above += print_table(title, in_child(count, arguments.repeats, arguments.only))
    if arguments.only in "import gnomon":
        seconds = import_seconds("gnomon", max(5, arguments.repeats // 3))
        median = statistics.median(seconds)
        print(
            f"\nimport gnomon: median {in_units(median)}, least {in_units(min(seconds))}; "
            f"target {IMPORT_SECONDS} s"
        )
        if median > IMPORT_SECONDS:
            above.append("import gnomon")
    for name in above:
        print(f"above its target: {name}", file=sys.stderr)
    return 1 if above else 0


if __name__ == "__main__":
    sys.exit(main())
