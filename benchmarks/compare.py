"""Compares gnomon's speed with PyTorch's: the same work on both, in one process, in turn.

    python benchmarks/compare.py                # with 2 threads, then with 1
    python benchmarks/compare.py --threads 1 --repeats 30 --only matmul
    python benchmarks/compare.py --backend cuda # on a GPU: tasks_cuda.py

Prints one row per task (tasks.py): the median and the minimum time of both, NumPy's median if it has an
equivalent, the ratios of the medians and of the minimums to PyTorch's, and the limit for both ratios; and for
each group the geometric mean of the ratios, which is compared with its target if all tasks of the group ran.
The exit status is 1 if one is above its target, 2 if something is missing.  Needs PyTorch.
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
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from tasks import GROUPS, Group, Task

HOST_BACKEND = "c"
SAMPLE_SECONDS = 0.005  # a sample repeats its statement until it takes about this long
# Idle threads of an OpenMP team spin for a while before they sleep, and would slow the other library's next
# sample.
PAUSE_SECONDS = 0.02
IMPORT_SECONDS = 0.15
BANDWIDTH_GROUP = "pointwise, copies and reductions"  # of tasks_cuda.py


def waiting(function: Callable[[], Any], synchronize: Callable[[], Any]) -> Callable[[int], Any]:
    """A function that calls ``function`` a given number of times and then waits for the device."""

    def calls(loops: int) -> None:
        for _ in range(loops):
            function()
        synchronize()

    return calls


def one_sample(
    function: Callable[[], Any], loops: int, timed: bool, synchronize: Callable[[], Any] | None = None
) -> float:
    """Seconds per call, over ``loops`` calls, without garbage collection.

    ``synchronize`` waits for an asynchronous device.
    """
    if not timed and synchronize is not None:
        synchronize()
        calls = waiting(function, synchronize)
        return timeit.Timer(lambda: calls(loops)).timeit(1) / loops
    if not timed:
        return timeit.Timer(function).timeit(loops) / loops
    gc.collect()
    gc.disable()
    try:
        return sum(function() for _ in range(loops)) / loops
    finally:
        gc.enable()


def loops_for(function: Callable[[], Any], timed: bool, synchronize: Callable[[], Any] | None = None) -> int:
    """The number of calls that take about SAMPLE_SECONDS."""
    function()  # the first call plans, compiles and allocates
    seconds = one_sample(function, 1, timed, synchronize)
    if seconds < SAMPLE_SECONDS / 10:
        loops = max(1, int(SAMPLE_SECONDS / 10 / max(seconds, 1e-9)))
        seconds = one_sample(function, loops, timed, synchronize)
    return max(1, round(SAMPLE_SECONDS / seconds))


def measure(
    task: Task,
    libraries: dict[str, Any],
    repeats: int,
    waits: dict[str, Callable[[], Any]] | None = None,
) -> dict[str, list[float]]:
    """Seconds per unit: ``repeats`` samples of each library, in turn, in alternating order.

    ``waits``: library -> a function that waits for its device.
    """
    waits = waits or {}
    makes = {name: task.numpy if name == "numpy" else task.make for name in libraries}
    functions = {name: make(libraries[name]) for name, make in makes.items() if make is not None}
    loops = {name: loops_for(function, task.timed, waits.get(name)) for name, function in functions.items()}
    samples: dict[str, list[float]] = {name: [] for name in functions}
    order = list(functions)
    for _ in range(repeats):
        for name in order:
            time.sleep(PAUSE_SECONDS)
            functions[name]()  # warms this library's caches and threads
            seconds = one_sample(functions[name], loops[name], task.timed, waits.get(name))
            samples[name].append(seconds / task.units)
        order.reverse()
    return samples


def import_seconds(module: str, repeats: int) -> list[float]:
    """Seconds of ``import module`` in new processes, without Python's startup and the first, cold run."""
    program = f"import time; t = time.perf_counter(); import {module}; print(time.perf_counter() - t)"
    # allow cached bytecode, as in an installed gnomon
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    samples = []
    for _ in range(repeats + 1):
        command = [sys.executable, "-c", program]
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
        samples.append(float(done.stdout))
    return samples[1:]


def groups_of(backend: str) -> tuple[Group, ...]:
    """The groups for a backend, which differ between a GPU and the host."""
    if backend == HOST_BACKEND:
        return GROUPS
    import tasks_cuda

    return tasks_cuda.groups(int(os.environ.get("GNOMON_BENCHMARK_SCALE", "1")))


def chosen(only: str, groups: Iterable[Group] = GROUPS) -> list[tuple[Group, list[Task]]]:
    """The groups whose name contains ``only``, and from the others the tasks whose name does."""
    found = []
    for group in groups:
        tasks = [each for each in group.tasks if only in group.name or only in each.name]
        if tasks:
            found.append((group, tasks))
    return found


def run_child(threads: int, repeats: int, only: str, backend: str) -> None:
    """Measure with ``threads`` threads in this process, and print one line of JSON per task."""
    import numpy
    import torch

    import gnomon as gn

    torch.set_num_threads(threads)
    gn.set_default_device(backend)
    libraries = {"gnomon": gn, "torch": torch, "numpy": numpy}
    waits: dict[str, Callable[[], Any]] = {}
    if backend != HOST_BACKEND:
        if torch.cuda.is_available():
            torch.set_default_device("cuda")
            waits["torch"] = torch.cuda.synchronize
        else:
            print("PyTorch has no GPU here: its times are the processor's", file=sys.stderr)
        waits["gnomon"] = gn.get_device_module(backend).synchronize
        del libraries["numpy"]
    for group, tasks in chosen(only, groups_of(backend)):
        for task in tasks:
            samples = measure(task, libraries, repeats, waits)
            print(json.dumps([group.name, task.name, samples]), flush=True)


def in_child(
    threads: int, repeats: int, only: str, backend: str
) -> Iterator[tuple[str, str, dict[str, list[float]]]]:
    """Yield the output of ``run_child``, run in a new process because a library fixes its number of threads
    when it is loaded.
    """
    command = [sys.executable, __file__, "--child", "--threads", str(threads), "--repeats", str(repeats)]
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": str(threads)}
    command += ["--only", only, "--backend", backend]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        for line in child.stdout:
            yield tuple(json.loads(line))
    if child.returncode:
        raise SystemExit(2)  # the child has printed the error


def in_units(seconds: float) -> str:
    """Seconds as text with three significant digits."""
    for factor, unit in ((1.0, "s"), (1e3, "ms"), (1e6, "us")):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


HEADING = f"{'':38}{'gnomon':>18}{'PyTorch':>18}{'NumPy':>9}{'ratio':>16}"
SUBHEADING = f"{'':38}" + "".join(f"{text:>9}" for text in ("median", "least", "median", "least", "median"))


def print_row(task: Task, group: Group, samples: dict[str, list[float]]) -> tuple[float, bool]:
    """Print one row.  Return the ratio that counts, and whether it is above its target."""
    ours, theirs = samples["gnomon"], samples["torch"]
    medians = statistics.median(ours), statistics.median(theirs)
    leasts = min(ours), min(theirs)
    ratios = medians[0] / medians[1], leasts[0] / leasts[1]
    target = task.target if task.target is not None else group.each
    # Load from other programs can affect only one library's samples; the worse of the two ratios counts.
    is_above = target is not None and max(ratios) > target
    times = [medians[0], leasts[0], medians[1], leasts[1]]
    texts = [in_units(seconds) for seconds in times]
    texts.append(in_units(statistics.median(samples["numpy"])) if "numpy" in samples else "")
    print(f"{task.name:38}" + "".join(f"{text:>9}" for text in texts), end="")
    wanted = "" if target is None else f"{target:.2f}"
    print(f"{ratios[0]:>8.2f}{ratios[1]:>8.2f}{wanted:>8}{'  above' if is_above else ''}", flush=True)
    return ratios[0], is_above


def print_mean(group: Group, ratios: list[float]) -> bool:
    """Print the geometric mean of a group's ratios of medians.  Return whether it is above its target, which
    applies only to the whole group.
    """
    if group.mean is None or len(ratios) < 2:
        return False
    mean = statistics.geometric_mean(ratios)
    if len(ratios) < len(group.tasks):
        print(f"{f'  geometric mean of {len(ratios)} of {len(group.tasks)} tasks':83}{mean:>8.2f}")
        return False
    is_above = mean > group.mean
    print(f"{'  geometric mean':83}{mean:>8.2f}{'':8}{group.mean:>8.2f}{'  above' if is_above else ''}")
    return is_above


def print_table(
    title: str, rows: Iterable[tuple[str, str, dict[str, list[float]]]], groups: Iterable[Group] = GROUPS
) -> list[str]:
    """Print the rows by group, as they come; return the names of those above their targets."""
    tasks = {(group.name, task.name): (group, task) for group in groups for task in group.tasks}
    print(f"\n{title}\n{HEADING}\n{SUBHEADING}{'median':>8}{'least':>8}{'target':>8}")
    above = []
    ratios: list[float] = []
    current: Group | None = None
    for group_name, task_name, samples in rows:
        group, task = tasks[group_name, task_name]
        if group is not current:
            if current is not None and print_mean(current, ratios):
                above.append(f"geometric mean of {current.name} ({title})")
            print(f"{group.name}:")
            current, ratios = group, []
        ratio, is_above = print_row(task, group, samples)
        ratios.append(ratio)
        if is_above:
            above.append(f"{group.name}: {task.name} ({title})")
    if current is not None and print_mean(current, ratios):
        above.append(f"geometric mean of {current.name} ({title})")
    return above


def list_bandwidth(
    rows: Iterable[tuple[str, str, dict[str, list[float]]]], backend: str
) -> Iterator[tuple[str, str, dict[str, list[float]]]]:
    """The same rows; after those of a GPU, list the fraction of its own copy bandwidth that tasks reach."""
    if backend == HOST_BACKEND:
        yield from rows
        return
    import tasks_cuda

    tasks = {task.name: task for group in groups_of(backend) for task in group.tasks}
    rates: dict[str, dict[str, float]] = {}
    for group, name, samples in rows:
        nbytes = tasks[name].bytes
        if nbytes and group == BANDWIDTH_GROUP:
            rates[name] = {each: nbytes / statistics.median(times) for each, times in samples.items()}
        yield group, name, samples
    copies = max(rates.get(tasks_cuda.COPY, {}).values(), default=0.0)
    if copies:
        print(f"\nOf the fastest copy's bandwidth, {copies / 1e9:.0f} GB/s:{'gnomon':>18}{'PyTorch':>9}")
    for name, found in rates.items() if copies else ():
        shares = "".join(f"{found[each] / copies:>9.0%}" for each in ("gnomon", "torch"))
        print(f"  {name:45}{shares}")


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare gnomon with PyTorch, turn by turn.")
    parser.add_argument("--threads", type=int, action="append", help="may be repeated (default: 2, then 1)")
    parser.add_argument(
        "--repeats", type=int, default=25, help="samples a task and library (default: %(default)s)"
    )
    parser.add_argument(
        "--only", default="", metavar="TEXT", help="only groups and tasks whose name holds TEXT"
    )
    parser.add_argument(
        "--backend",
        choices=(HOST_BACKEND, "cuda"),
        default=HOST_BACKEND,
        help="whose tensors (default: %(default)s)",
    )
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    backend = arguments.backend
    threads = arguments.threads or ([2, 1] if backend == HOST_BACKEND else [os.cpu_count() or 1])
    if arguments.child:
        run_child(threads[0], arguments.repeats, arguments.only, backend)
        return 0
    above = []
    for count in threads:
        title = f"{count} thread{'s' if count > 1 else ''}" if backend == HOST_BACKEND else "a GPU"
        rows = list_bandwidth(in_child(count, arguments.repeats, arguments.only, backend), backend)
        above += print_table(title, rows, groups_of(backend))
    if backend == HOST_BACKEND and arguments.only in "import gnomon":
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
