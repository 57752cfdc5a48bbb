"""Takes turns: one process per library, only one of which works at a time.

So a library's threads, caches and compiled code do not disturb another's more than another process would, and
disturbances of the machine affect all alike: the libraries are sampled in rotation.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .sampling import SAMPLE_SECONDS

FAR_APART = 1.5  # the ratio of the upper to the lower quartile from which samples count as noisy
MOST_SECONDS = 1.0  # of a call: longer work is sampled by a few single calls


class WorkerError(RuntimeError):
    """A library's process ended, or cannot execute a command."""


class Plan(NamedTuple):
    """How to sample.

    rounds    samples of each library
    more      take up to this many times as many, if they are noisy
    seconds   of a sample, approximately
    most      a call that takes longer is sampled once per round, in at most three rounds
    """

    rounds: int = 15
    seconds: float = SAMPLE_SECONDS
    most: float = MOST_SECONDS
    more: int = 3


class Worker:
    """The process of one library.

    name         as for ``open_library``
    label        its name in tables
    accelerator  the accelerator that it uses, or ""
    environment  additional environment variables
    core         the only processor core that it may use, if the system supports that
    """

    def __init__(
        self,
        name: str,
        label: str = "",
        environment: Mapping[str, str] | None = None,
        census: str | None = None,
        core: int | None = None,
    ):
        command = [sys.executable, "-m", "gnomon_bench.worker", name, *([census] if census else [])]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, **(environment or {})},
        )
        if core is not None and hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(self._process.pid, {core})
        try:
            told = self._answer()
        except WorkerError:
            self.close()
            raise
        self.name, self.label, self.version = name, label or told["name"], told["version"]
        self.accelerator = told.get("accelerator", "")

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise WorkerError(f"the process ended with status {self._process.wait()}")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise WorkerError(answer["error"])
        return answer

    def ask(self, do: str, **more: Any) -> dict[str, Any]:
        """Execute a command.  Raises WorkerError if it fails."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps({"do": do, **more}) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise WorkerError(f"the process ended with status {self._process.wait()}") from None
        return self._answer()

    def close(self) -> None:
        """End the process."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._process.terminate()
        self._process.wait()


def _is_far_apart(times: Sequence[float]) -> bool:
    lower, _, upper = statistics.quantiles(times, n=4) if len(times) > 3 else (1.0, 1.0, 1.0)
    return upper > FAR_APART * lower


def sample(
    point: str, workers: Sequence[Worker], plan: Plan
) -> tuple[dict[str, list[float]], dict[str, str]]:
    """Seconds of ``point``, by label, with the same number of samples for each; and why some have none.

    Disturbances of the machine are often temporary: if a library's samples are noisy, all take more.
    """
    samples: dict[str, list[float]] = {}
    refused: dict[str, str] = {}
    able: list[tuple[Worker, bool]] = []
    for worker in workers:
        try:
            told = worker.ask("make", point=point, seconds=plan.seconds, most=plan.most, rests=True)
        except WorkerError as error:
            refused[worker.label] = str(error)
            continue
        if "skipped" not in told:
            able.append((worker, told["first"] > plan.most))
            samples[worker.label] = []
    order = list(able)
    for count in range(plan.more * plan.rounds):
        if (
            count >= plan.rounds
            and count % plan.rounds == 0
            and not any(map(_is_far_apart, samples.values()))
        ):
            break
        for worker, is_slow in order:
            if worker.label in refused or (is_slow and count >= 3):
                continue
            try:
                samples[worker.label].append(worker.ask("sample", rests=True)["seconds"])
            except WorkerError as error:
                refused[worker.label] = str(error)
                del samples[worker.label]
        order = order[1:] + order[:1]
    for worker, _ in able:
        if worker.label not in refused:
            worker.ask("drop")
    return samples, refused
