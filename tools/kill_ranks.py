"""Kills ranks of a training at random times, and demands the losses that it has undisturbed, bit for bit.

    python tools/kill_ranks.py                      # fifty kills
    python tools/kill_ranks.py --kills 5 --seed 3

A classifier of digits is trained by two ranks, then by three, in turn, under ``gnomon.distributed.run`` with
``--max-restarts``; it saves a checkpoint every few steps, and each start resumes from it.  In each start one
rank is killed after a random time: while MPI starts, in a step, in a collective, in a save.  When the run has
ended, its losses, on all ranks, must be those of a run without kills; in its folder there must be the
checkpoint and nothing half-written; and no process may be left.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

_EACH = 10  # kills of one run, at most
LIMIT = 600  # seconds after which what should come counts as missing


def train(folder: Path, steps: int, every: int) -> None:
    """One rank's part of the training."""
    start = os.environ["TORCHELASTIC_RESTART_COUNT"]
    noted = folder / "starts" / f"{start}-{os.environ['RANK']}"
    noted.with_suffix(".tmp").write_text(str(os.getpid()))
    os.rename(noted.with_suffix(".tmp"), noted)

    import gnomon as gn
    import gnomon.distributed as dist
    from gnomon import nn
    from gnomon.demo import load_digits
    from gnomon.distributed import checkpoint
    from gnomon.utils.data import TensorDataset
    from gnomon.utils.data.distributed import DistributedSampler

    dist.init_process_group()
    rank = dist.get_rank()
    digits = load_digits("cpu")
    data = TensorDataset(digits.train_images, digits.train_labels)
    gn.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Dropout(0.2), nn.Linear(64, 10))
    gn.manual_seed(1 + rank)  # for dropout
    optimizer = gn.optim.Adam(model.parameters(), lr=0.01)
    sampler = DistributedSampler(data, seed=5)
    path = folder / "checkpoints" / "latest"
    state: dict[str, Any] = {
        "model": model,
        "optimizer": optimizer,
        "of rank": {rank: {"losses": [], "generator": None}},
    }
    if checkpoint.is_checkpoint(path):
        checkpoint.load(state, checkpoint_id=path)
        gn.set_rng_state(state["of rank"][rank]["generator"])
    losses = state["of rank"][rank]["losses"]
    batches = len(sampler) // 32
    while len(losses) < steps:
        epoch, batch = divmod(len(losses), batches)
        sampler.set_epoch(epoch)
        images, labels = data[list(sampler)[batch * 32 : (batch + 1) * 32]]
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(images), labels)
        loss.backward()
        for each in model.parameters():
            assert each.grad is not None
            dist.all_reduce(each.grad, dist.ReduceOp.AVG)
        optimizer.step()
        losses.append(loss.item())
        if len(losses) % every == 0:
            state["of rank"][rank]["generator"] = gn.get_rng_state()
            checkpoint.save(state, checkpoint_id=path)
    everyone: list[Any] = [None] * dist.get_world_size()
    dist.all_gather_object(everyone, losses)
    if rank == 0:
        (folder / "losses.json").write_text(json.dumps(everyone))
    dist.destroy_process_group()


class Run:
    """A training under the launcher, in a folder of its own."""

    def __init__(self, folder: Path, ranks: int, steps: int, every: int, restarts: int) -> None:
        self.folder = folder
        self.ranks = ranks
        (folder / "starts").mkdir(parents=True)
        (folder / "checkpoints").mkdir()
        launcher = [sys.executable, "-m", "gnomon.distributed.run", "--nproc", str(ranks)]
        launcher += ["--max-restarts", str(restarts), "--timeout", "300"]
        program = [__file__, "--train", str(folder), "--steps", str(steps), "--every", str(every)]
        environment = {**os.environ, "GNOMON_NUM_THREADS": "1"}
        with open(folder / "output", "wb") as output:
            self.process = subprocess.Popen(
                [*launcher, *program], env=environment, stdout=output, stderr=subprocess.STDOUT
            )

    def pids(self, start: int) -> list[int]:
        """The processes of a start, once they are all there; none if the run has ended."""
        paths = [self.folder / "starts" / f"{start}-{rank}" for rank in range(self.ranks)]
        limit = time.monotonic() + LIMIT
        while not all(each.exists() for each in paths):
            if self.process.poll() is not None:
                return []
            if time.monotonic() > limit:
                raise SystemExit(f"start {start}: not all ranks have come\n{self.output()}")
            time.sleep(0.01)
        return [int(each.read_text()) for each in paths]

    def output(self) -> str:
        """What it printed."""
        return (self.folder / "output").read_text("utf-8", "replace")

    def check(self, expected: object) -> None:
        """Wait for its end, and compare."""
        if self.process.wait(LIMIT) != 0:
            raise SystemExit(f"the run failed:\n{self.output()}")
        if (found := self.losses()) != expected:
            raise SystemExit(f"other losses:\n{found}\nexpected:\n{expected}\n{self.output()}")
        names = sorted(os.listdir(self.folder / "checkpoints"))
        if names != ["latest"]:
            raise SystemExit(f"left in the folder: {names}")
        pids = [int(each.read_text()) for each in (self.folder / "starts").iterdir() if not each.suffix]
        if left := [each for each in pids if Path(f"/proc/{each}").exists()]:
            raise SystemExit(f"processes left: {left}")

    def losses(self) -> object:
        """The losses of all ranks."""
        return json.loads((self.folder / "losses.json").read_text())


def disturb(run: Run, chance: random.Random, kills: int, longest: float) -> tuple[int, dict[str, int]]:
    """Kill a rank in each start, at most ``kills``; returns how many, and what was in the folder then."""
    seen: dict[str, int] = {}
    for start in range(kills):
        pids = run.pids(start)
        if not pids:
            return start, seen
        victim, after = chance.choice(pids), chance.uniform(0, longest)
        try:
            run.process.wait(after)
            return start, seen  # it was faster
        except subprocess.TimeoutExpired:
            pass
        try:
            os.kill(victim, signal.SIGKILL)
        except ProcessLookupError:
            return start, seen  # it has just ended
        names = " ".join(sorted(os.listdir(run.folder / "checkpoints"))) or "nothing"
        seen[names] = seen.get(names, 0) + 1
    return kills, seen


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Kill ranks of a training at random times.")
    parser.add_argument("--kills", type=int, default=50, help="default: %(default)s")
    parser.add_argument("--seed", type=int, default=0, help="default: %(default)s")
    parser.add_argument("--steps", type=int, default=400, help="of a training (default: %(default)s)")
    parser.add_argument(
        "--every", type=int, default=4, help="steps between checkpoints (default: %(default)s)"
    )
    parser.add_argument(
        "--longest", type=float, default=3.0, help="seconds until a kill, at most (default: %(default)s)"
    )
    parser.add_argument("--train", type=Path, metavar="FOLDER", help="be one rank of the training")
    options = parser.parse_args(arguments)
    if options.train:
        train(options.train, options.steps, options.every)
        return
    chance = random.Random(options.seed)
    killed, number = 0, 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        expected: dict[int, object] = {}
        for ranks in (2, 3):
            undisturbed = Run(folder / f"undisturbed-{ranks}", ranks, options.steps, options.every, 0)
            undisturbed.process.wait(LIMIT)
            expected[ranks] = undisturbed.losses()
            undisturbed.check(expected[ranks])
        while killed < options.kills:
            ranks = 2 + number % 2
            run = Run(folder / f"run-{number}", ranks, options.steps, options.every, options.kills)
            done, seen = disturb(run, chance, min(options.kills - killed, _EACH), options.longest)
            run.check(expected[ranks])
            killed, number = killed + done, number + 1
            folders = ", ".join(f"{count} x {names!r}" for names, count in seen.items())
            print(
                f"{ranks} ranks: the same losses after {done} kills; in the folder then: {folders}",
                flush=True,
            )
    print(f"{killed} kills in {number} runs: all losses bit for bit, nothing half-written, no process left")


if __name__ == "__main__":
    main()
