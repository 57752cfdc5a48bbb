"""The model of scaling.py against this machine.

Measured are a step of a small transformer on one rank, and messages between two.  From these, steps of 2 and
4 ranks are predicted, for each kind of plan apart, and then measured.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace

import gnomon as gn
import gnomon.distributed as dist
from gnomon import nn
from gnomon.distributed.fsdp import fully_shard
from gnomon.distributed.launcher.mpiexec import NoMpiexec, find_mpiexec
from gnomon.distributed.pipelining import PipelineStage, ScheduleGPipe
from gnomon.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

from .scaling import Link, Machine, Plan, Step, Transformer, step

SIZES = (1, 2, 4)
KINDS = ("data parallel", "sharded", "tensor parallel", "pipeline")
_LARGE = 1 << 22  # bytes
_REPEATS = 15
_HEADS, _BATCH, _MICROBATCH = 8, 8, 2
_MODEL = Transformer(layers=4, hidden=256, sequence=64, vocabulary=0)


def check() -> int:
    """Measure and compare; prints a table.  Returns an exit status."""
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
    print(table(found, len(os.sched_getaffinity(0))))
    return 0


def table(found: dict[int, dict[str, float]], processors: int) -> str:
    """Predictions beside measurements.  ``found``: the seconds measured, for each number of ranks."""
    alone, pair = found[1], found[2]
    link = Link(pair["small"] / 2, _LARGE / max(pair["large"] - pair["small"], 1e-9))
    whole, parts, size = alone["whole"] * 1e3, alone["parts"] * 1e3, _MODEL.parameters * 4 / 2**20
    latency, bandwidth = link.latency * 1e6, link.bandwidth / 1e9
    lines = [
        f"a step of one: {whole:.2f} ms, in microbatches {parts:.2f} ms; {size:.1f} MiB of gradients",
        f"a message: {latency:.1f} us and {bandwidth:.2f} GB/s; {processors} processors",
        "{:<16} {:>5} {:>14} {:>14} {:>14} {:>7}".format(
            "", "ranks", "computing", "predicted", "measured", "error"
        ),
    ]
    for kind in KINDS:
        for size in SIZES[1:]:
            predicted = prediction(kind, size, alone, link, processors)
            measured = found[size][kind]
            lines.append(
                f"{kind:<16} {size:5} {predicted.compute * 1e3:11.2f} ms {predicted.seconds * 1e3:11.2f} ms "
                f"{measured * 1e3:11.2f} ms {predicted.seconds / measured - 1:+7.1%}"
            )
    return "\n".join(lines)


def prediction(kind: str, size: int, alone: dict[str, float], link: Link, processors: int) -> Step:
    """A step of ``size`` ranks that share this machine's processors; ``alone``: what one rank measured.

    With data parallelism each rank has a batch of its own; the other kinds divide one.
    """
    plan, batch, measured = {
        "data parallel": (Plan(data=size, microbatch=_BATCH), _BATCH * size, "whole"),
        "sharded": (Plan(data=size, sharded=True, microbatch=_BATCH), _BATCH * size, "whole"),
        "tensor parallel": (Plan(tensor=size, microbatch=_BATCH), _BATCH, f"an n-th, {size}"),
        "pipeline": (Plan(pipeline=size, microbatch=_MICROBATCH), _BATCH, "parts"),
    }[kind]
    # a rank of a tensor-parallel group has narrower matrices, on which kernels reach another rate
    share = size if kind == "tensor parallel" else 1
    rate = _MODEL.operations(_BATCH, False) / share / alone[measured]
    # ranks that share a processor copy at a share of its speed, too
    sharing = max(1.0, size / processors)
    link = Link(link.latency * sharing, link.bandwidth / sharing)
    machine = Machine("this", rate, max(SIZES), link, link, processors=processors, overlaps=False)
    return step(machine, _MODEL, replace(plan, number=4), batch)


def measure() -> None:
    """In each rank: print the medians of rank 0 as JSON."""
    dist.init_process_group()
    size = dist.get_world_size()
    if size == 1:
        answer = {"whole": median_seconds(alone(_BATCH)), "parts": median_seconds(alone(_MICROBATCH))}
        for each in SIZES[1:]:
            answer[f"an n-th, {each}"] = median_seconds(alone(_BATCH, each))
    else:
        small, large = gn.zeros(1), gn.zeros(_LARGE // 4)
        answer = {
            "small": median_seconds(lambda: dist.all_reduce(small)),
            "large": median_seconds(lambda: dist.all_reduce(large)),
        }
        for kind, made in zip(KINDS, (data_parallel, sharded, tensor_parallel, pipeline)):
            answer[kind] = median_seconds(made())
    if dist.get_rank() == 0:
        print(json.dumps(answer), flush=True)
    dist.destroy_process_group()


def median_seconds(function: Callable[[], object]) -> float:
    """The median time of a call, from when all ranks begin until all have ended."""
    times = []
    for _ in range(_REPEATS):
        dist.barrier()
        begin = time.perf_counter()
        function()
        dist.barrier()
        times.append(time.perf_counter() - begin)
    return statistics.median(times[2:])


class Block(nn.Module):
    """A layer of the transformer whose shape scaling.py counts, or a ``share``-th of its channels."""

    def __init__(self, share: int = 1) -> None:
        super().__init__()
        width, own = _MODEL.hidden, _MODEL.hidden // share
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * own), nn.Linear(own, width)
        self.up, self.down = nn.Linear(width, 4 * own), nn.Linear(4 * own, width)

    def forward(self, x: gn.Tensor) -> gn.Tensor:
        batch, sequence, width = x.shape
        # a head's query, key and value are neighbours: a rank's part of the channels is whole heads
        heads = self.qkv(self.norm1(x)).view(batch, sequence, -1, 3, width // _HEADS).transpose(1, 2)
        query, key, value = heads.unbind(3)
        mixed = nn.functional.scaled_dot_product_attention(query, key, value)
        x = x + self.out(mixed.transpose(1, 2).flatten(2))
        return x + self.down(nn.functional.gelu(self.up(self.norm2(x))))


def alone(microbatch: int, share: int = 1) -> Callable[[], object]:
    """A step of one rank, in microbatches, with an n-th of each layer."""
    model, batch = _model(share), _batch()

    def gradients() -> None:
        for each in batch.split(microbatch):
            _loss(model(each)).backward()

    return _step(model, gradients)


def data_parallel() -> Callable[[], object]:
    """A step on a batch of each rank, whose gradients are averaged at the end."""
    model, batch = _model(), _batch()
    parameters = list(model.parameters())
    flat = gn.empty(sum(each.numel() for each in parameters))

    def gradients() -> None:
        _loss(model(batch)).backward()
        grads = [each.grad for each in parameters if each.grad is not None]
        gn.cat([each.reshape(-1) for each in grads], out=flat)
        dist.all_reduce(flat, dist.ReduceOp.AVG)
        for grad, part in zip(grads, flat.split([each.numel() for each in grads])):
            grad.copy_(part.view_as(grad))

    return _step(model, gradients)


def sharded() -> Callable[[], object]:
    """A step on a batch of each rank, with parameters that are gathered before each layer."""
    model, batch = _model(), _batch()
    for each in model:
        fully_shard(each)
    fully_shard(model)
    return _step(model, lambda: _loss(model(batch)).backward())


def tensor_parallel() -> Callable[[], object]:
    """A step of all ranks on one batch; each has a part of each layer's heads and channels."""
    mesh = dist.init_device_mesh("cpu", (dist.get_world_size(),))
    model, batch = _model(), _batch()
    columns, rows = ColwiseParallel(), RowwiseParallel()
    parallelize_module(model, mesh, {"*.qkv": columns, "*.out": rows, "*.up": columns, "*.down": rows})
    return _step(model, lambda: _loss(model(batch)).backward())


def pipeline() -> Callable[[], object]:
    """A step of all ranks on one batch, in microbatches; each has a part of the layers."""
    rank, size = dist.get_rank(), dist.get_world_size()
    layers = _MODEL.layers // size
    model, batch = _model()[rank * layers : (rank + 1) * layers], _batch()
    stage = PipelineStage(model, rank, size, gn.get_default_device())
    schedule = ScheduleGPipe(stage, _BATCH // _MICROBATCH, _loss)
    given = [batch] if rank == 0 else []
    target = batch if rank == size - 1 else None
    return _step(model, lambda: schedule.step(*given, target=target))


def _model(share: int = 1) -> nn.Sequential:
    gn.manual_seed(0)
    return nn.Sequential(*(Block(share) for _ in range(_MODEL.layers)))


def _batch() -> gn.Tensor:
    return gn.randn(_BATCH, _MODEL.sequence, _MODEL.hidden)


def _loss(output: gn.Tensor, target: gn.Tensor | None = None) -> gn.Tensor:
    return output.square().mean()


def _step(model: nn.Module, gradients: Callable[[], object]) -> Callable[[], object]:
    optimizer = gn.optim.SGD(model.parameters(), lr=1e-3)

    def whole() -> None:
        optimizer.zero_grad()
        gradients()
        optimizer.step()

    return whole


if __name__ == "__main__":
    measure()
