"""The model of scaling.py against this machine.

Measured are a step of a small transformer on one rank, and the latency and bandwidth of an all_reduce of two.
From these, data-parallel steps of 1, 2 and 4 ranks are predicted, and then measured.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

from .scaling import Link, Machine, all_reduce

SIZES = (1, 2, 4)
_LARGE = 1 << 22  # bytes
_REPEATS = 15
_LAYERS, _HIDDEN, _HEADS, _SEQUENCE, _BATCH = 4, 256, 8, 64, 8


def check() -> int:
    """Measure and compare; prints a table.  Returns an exit status."""
    from gnomon.distributed.launcher.mpiexec import NoMpiexec, find_mpiexec

    try:
        mpiexec = find_mpiexec()
    except NoMpiexec as error:
        print(f"gnomon plan-scale: {error}", file=sys.stderr)
        return 2
    found = {}
    for size in SIZES:
        command = [*mpiexec.command(size, [], []), sys.executable, "-m", __name__]
        environment = {**os.environ, "GNOMON_NUM_THREADS": "1"}
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            print(f"gnomon plan-scale: {size} ranks ended with status {done.returncode}", file=sys.stderr)
            return 1
        found[size] = json.loads(done.stdout.strip().splitlines()[-1])
    print(table(found))
    return 0


def table(found: dict[int, dict[str, float]]) -> str:
    """Predictions beside measurements."""
    alone = found[1]
    latency = found[2]["small"] / 2
    bandwidth = _LARGE / max(found[2]["large"] - found[2]["small"], 1e-9)
    processors = len(os.sched_getaffinity(0))
    link = Link(latency, bandwidth)
    machine = Machine("this", 1.0, max(SIZES), link, link, processors=processors, overlaps=False)
    lines = [
        f"a step of one: {alone['compute'] * 1e3:.2f} ms, with {alone['bytes'] / 2**20:.1f} MiB of gradients",
        f"a message: {latency * 1e6:.1f} us and {bandwidth / 1e9:.2f} GB/s; processors: {processors}",
        "{:>6} {:>14} {:>14} {:>14} {:>7}".format("ranks", "compute", "predicted", "measured", "error"),
    ]
    for size in SIZES:
        compute = alone["compute"] * machine.slowdown(size)
        sharing = machine.slowdown(size)  # who shares a processor also copies at a share of its speed
        predicted = compute + sharing * (all_reduce(machine, size, 1, alone["bytes"]) if size > 1 else 0.0)
        measured = found[size]["step"]
        lines.append(
            f"{size:6} {compute * 1e3:11.2f} ms {predicted * 1e3:11.2f} ms {measured * 1e3:11.2f} ms "
            f"{predicted / measured - 1:+7.1%}"
        )
    return "\n".join(lines)


def measure() -> None:
    """In each rank: print the medians of rank 0 as JSON."""
    import gnomon as gn
    import gnomon.distributed as dist

    dist.init_process_group()
    gn.manual_seed(0)
    layer = gn.nn.TransformerEncoderLayer(_HIDDEN, _HEADS, 4 * _HIDDEN, dropout=0.0, batch_first=True)
    model = gn.nn.TransformerEncoder(layer, _LAYERS)
    optimizer = gn.optim.SGD(model.parameters(), lr=1e-3)
    given = gn.randn(_BATCH, _SEQUENCE, _HIDDEN)
    parameters = list(model.parameters())
    flat = gn.empty(sum(each.numel() for each in parameters))

    def step(communicates: bool) -> None:
        optimizer.zero_grad()
        model(given).square().mean().backward()
        if communicates:
            gradients = [each.grad for each in parameters if each.grad is not None]
            gn.cat([each.reshape(-1) for each in gradients], out=flat)
            dist.all_reduce(flat, dist.ReduceOp.AVG)
            for gradient, part in zip(gradients, flat.split([each.numel() for each in gradients])):
                gradient.copy_(part.view_as(gradient))
        optimizer.step()

    small, large = gn.zeros(1), gn.zeros(_LARGE // 4)
    answer = {
        "compute": median_seconds(lambda: step(False)),
        "step": median_seconds(lambda: step(dist.get_world_size() > 1)),
        "small": median_seconds(lambda: dist.all_reduce(small)),
        "large": median_seconds(lambda: dist.all_reduce(large)),
        "bytes": flat.numel() * 4,
    }
    if dist.get_rank() == 0:
        print(json.dumps(answer), flush=True)
    dist.destroy_process_group()


def median_seconds(function: Callable[[], object]) -> float:
    """The median time of a call, all ranks having begun together."""
    import gnomon.distributed as dist

    times = []
    for _ in range(_REPEATS):
        dist.barrier()
        begin = time.perf_counter()
        function()
        times.append(time.perf_counter() - begin)
    return statistics.median(times[2:])


if __name__ == "__main__":
    measure()
