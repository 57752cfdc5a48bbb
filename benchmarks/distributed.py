"""Times a training step on several ranks of one thread each: gnomon on MPI beside PyTorch on gloo.

    python benchmarks/distributed.py                      # two ranks, on a machine with two idle processors
    python benchmarks/distributed.py --width 64 --blocks 1 --batch 8
    python benchmarks/distributed.py --peers none         # without PyTorch

A transformer that reads digits of 8 x 8 pixels as 16 patches, the same in both libraries, with AdamW.  Every
round has some steps of each kind, in an order that turns: without communication (alone), with
DistributedDataParallel (ddp), with gradients that are views of buckets, and with gradients compressed to 16
bits.  All ranks begin a kind together; a round's time is that of its slowest rank.  Prints the median and the
minimum over rounds, the median of each round's overhead over "alone", and the bytes of gradients that each
rank gives to an all-reduce in a step.
"""

from __future__ import annotations

import argparse
import gc
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import gnomon as gn
from gnomon import distributed as dist
from gnomon.demo.digits import load_digits
from gnomon.distributed.launcher.mpiexec import find_mpiexec

HEADS, PATCHES, PIXELS, CLASSES = 4, 16, 4, 10
Step = Callable[[], None]


def make_model(library: Any, width: int, blocks: int) -> Any:
    """(N, 16, 4) pixels -> (N, 10) scores."""
    nn, functional = library.nn, library.nn.functional
    Module: Any = nn.Module

    class Block(Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
            self.mix, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

        def forward(self, x: Any) -> Any:
            parts = self.mix(self.first(x)).reshape(len(x), PATCHES, 3, HEADS, width // HEADS)
            query, key, value = parts.permute(2, 0, 3, 1, 4).unbind(0)
            mixed = functional.scaled_dot_product_attention(query, key, value)
            x = x + self.out(mixed.transpose(1, 2).reshape(len(x), PATCHES, width))
            return x + self.down(functional.gelu(self.up(self.second(x))))

    class Transformer(Module):
        def __init__(self) -> None:
            super().__init__()
            self.patches = nn.Linear(PIXELS, width)
            self.places = nn.Parameter(library.zeros(PATCHES, width))
            self.blocks = nn.Sequential(*[Block() for _ in range(blocks)])
            self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, CLASSES)

        def forward(self, pixels: Any) -> Any:
            return self.head(self.norm(self.blocks(self.patches(pixels) + self.places)).mean(1))

    return Transformer()


def make_step(library: Any, model: Any, data: tuple[Any, Any], batch: int) -> Step:
    """A function that trains the model with the next batch."""
    images, labels = data
    rule = library.optim.AdamW(model.parameters(), lr=1e-3)
    place = 0

    def step() -> None:
        nonlocal place
        rule.zero_grad()
        scores = model(images[place : place + batch])
        library.nn.functional.cross_entropy(scores, labels[place : place + batch]).backward()
        rule.step()
        place = (place + batch) % (len(images) - batch + 1)

    return step


def kinds_of(library: Any, ddp: Any, hooks: Any, options: argparse.Namespace, data: Any) -> dict[str, Step]:
    """What is timed of a library, by name."""
    made = {}
    for name in options.kinds.split(","):
        library.manual_seed(0)
        model = make_model(library, options.width, options.blocks)
        if name != "alone":
            model = ddp(model, gradient_as_bucket_view=name == "ddp views", bucket_cap_mb=options.bucket)
        if name.endswith("float16"):
            model.register_comm_hook(None, hooks[name])
        made[name] = make_step(library, model, data, options.batch)
    return made


def torch_hooks(torch: Any) -> dict[str, Any]:
    """PyTorch's hooks.  That for bfloat16 is for GPUs only there; this does the same."""
    from torch.distributed.algorithms.ddp_comm_hooks import default_hooks

    def bfloat16(state, bucket):  # PyTorch refuses other annotations
        buffer = bucket.buffer()
        narrow = buffer.to(torch.bfloat16).div_(torch.distributed.get_world_size())
        future = torch.distributed.all_reduce(narrow, async_op=True).get_future()
        return future.then(lambda done: buffer.copy_(done.value()[0]))

    return {"ddp float16": default_hooks.fp16_compress_hook, "ddp bfloat16": bfloat16}


def libraries(options: argparse.Namespace) -> dict[str, dict[str, Step]]:
    """What is timed, by library."""
    from gnomon.distributed.algorithms.ddp_comm_hooks import default_hooks

    digits = load_digits()
    rank, size = dist.get_rank(), dist.get_world_size()
    images = digits.train_images[rank::size].reshape(-1, PATCHES, PIXELS)
    labels = digits.train_labels[rank::size]
    hooks = {
        "ddp float16": default_hooks.fp16_compress_hook,
        "ddp bfloat16": default_hooks.bf16_compress_hook,
    }
    DDP = gn.nn.parallel.DistributedDataParallel
    found = {"gnomon": kinds_of(gn, DDP, hooks, options, (images, labels))}
    if options.peers == "torch":
        import torch

        torch.set_num_threads(1)
        os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(options.port))
        torch.distributed.init_process_group("gloo", rank=rank, world_size=size)
        own = torch.tensor(images.tolist()), torch.tensor(labels.tolist())
        ddp = torch.nn.parallel.DistributedDataParallel
        found["torch"] = kinds_of(torch, ddp, torch_hooks(torch), options, own)
    return found


def rounds(todo: dict[str, Step], options: argparse.Namespace) -> dict[str, list[float]]:
    """Seconds of a step of the slowest rank, of each round."""
    for step in todo.values():
        for _ in range(5):  # buckets are built again, plans are made
            step()
    seconds: dict[str, list[float]] = {name: [] for name in todo}
    names = list(todo)
    gc.disable()
    for number in range(options.rounds):
        turn = number % len(names)
        for name in names[turn:] + names[:turn]:
            dist.barrier()
            begin = time.perf_counter()
            for _ in range(options.steps):
                todo[name]()
            spent = gn.tensor([(time.perf_counter() - begin) / options.steps], dtype=gn.float64)
            dist.all_reduce(spent, dist.ReduceOp.MAX)
            seconds[name].append(spent.item())
        gc.collect()
    return seconds


def report(seconds: dict[str, list[float]], options: argparse.Namespace) -> None:
    """The table."""
    count = sum(each.numel() for each in make_model(gn, options.width, options.blocks).parameters())
    print(f"{count:,} parameters, {dist.get_world_size()} ranks of one thread, batches of {options.batch}")
    print(f"{'':<20}{'step, ms':>10}{'fastest':>10}{'overhead, ms':>14}{'':>8}{'MB sent':>9}{'of torch':>10}")
    for name, found in seconds.items():
        library, _, kind = name.partition(" ")
        alone = statistics.median(seconds[f"{library} alone"])
        median = statistics.median(found)
        more = statistics.median(a - b for a, b in zip(found, seconds[f"{library} alone"]))
        sent = 0 if kind == "alone" else count * (2 if kind.endswith("float16") else 4)
        line = f"{name:<20}{median * 1e3:>10.3f}{min(found) * 1e3:>10.3f}{more * 1e3:>14.3f}"
        line += f"{more / alone:>8.1%}{sent / 1e6:>9.2f}"
        peer = seconds.get(f"torch {kind}")
        print(line + (f"{median / statistics.median(peer):>10.2f}" if peer and library != "torch" else ""))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--blocks", type=int, default=2)
    parser.add_argument("--batch", type=int, default=32, help="digits of each rank in a step")
    parser.add_argument(
        "--bucket", type=float, default=None, help="MiB of a bucket; default: 25, the first 1"
    )
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--steps", type=int, default=5, help="of a kind in a round")
    kinds = "alone,ddp,ddp views,ddp float16,ddp bfloat16"
    parser.add_argument("--kinds", default=kinds, help=f"what is timed: alone, and of {kinds}")
    parser.add_argument("--peers", choices=["torch", "none"], default="torch")
    parser.add_argument("--port", type=int, default=29417, help="of gloo's rendezvous")
    parser.add_argument("--rank", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if not options.rank:
        start = find_mpiexec().command(options.ranks, (), [sys.executable, *sys.argv, "--rank"])
        threads = {"GNOMON_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        raise SystemExit(subprocess.run(start, env={**os.environ, **threads}, check=False).returncode)
    dist.init_process_group()
    todo = {f"{a} {b}": step for a, kinds in libraries(options).items() for b, step in kinds.items()}
    seconds = rounds(todo, options)
    if dist.get_rank() == 0:
        report(seconds, options)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
