"""What runs in a worker process of a DataLoader, and the messages that it exchanges with the main process.

Source: torch/utils/data/_utils/worker.py; ExceptionWrapper in torch/_utils.py.
"""

from __future__ import annotations

import contextlib
import os
import queue
import random
import sys
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from ...memory.backend import set_num_threads
from ...memory.shared_memory import SharedBlock
from ...ops.creation.random import manual_seed
from .fetch import Fetch, Source, fetch_from
from .shared_memory import Message, Packer


@dataclass(frozen=True)
class WorkerInfo:
    """The worker process in which this is read.

    id           from 0 to num_workers - 1
    num_workers  how many workers the DataLoader has
    seed         of the random numbers in this worker
    dataset      this process's copy of the dataset
    """

    id: int
    num_workers: int
    seed: int
    dataset: Any


_worker_info: WorkerInfo | None = None


def get_worker_info() -> WorkerInfo | None:
    """The worker process of a DataLoader in which this is called; None in the main process.

    A dataset uses it to produce only its part, or a ``worker_init_fn`` to change the dataset's copy.
    Source: torch.utils.data.get_worker_info.
    """
    return _worker_info


class Settings(NamedTuple):
    """What a worker is told when it starts."""

    source: Source
    base_seed: int
    init_fn: Callable[[int], None] | None
    worker_id: int
    num_workers: int
    arena: SharedBlock  # shared memory for what it sends


class Task(NamedTuple):
    """Make the batch of ``index``.  ``received`` results of this worker have arrived so far."""

    epoch: int
    number: int
    index: Any
    received: int


class Restart(NamedTuple):
    """A new epoch begins: start the dataset's iteration again."""


class Ended(NamedTuple):
    """The worker's IterableDataset has no more samples."""


class Result(NamedTuple):
    """The batch of a task, or why there is none."""

    epoch: int
    number: int
    data: Message  # of the batch, an Ended, or a Failure


class Failure:
    """The exception that is being handled, as a text that the main process can raise again."""

    def __init__(self, where: str) -> None:
        kind, error, trace = sys.exc_info()
        self.kind: Any = kind
        self.text = "".join(traceback.format_exception(kind, error, trace))
        self.where = where

    def reraise(self) -> None:
        """Raise an exception of the same type, whose message has the worker's traceback."""
        text = f"Caught {self.kind.__name__} {self.where}.\nOriginal {self.text}"
        if self.kind is KeyError:
            text = _Text(text)
        try:
            error = self.kind(text)
        except Exception:  # its type needs other arguments
            raise RuntimeError(text) from None
        raise error


class _Text(str):
    """A text that a KeyError shows as it is, and not quoted."""

    def __repr__(self) -> str:
        return str(self)


def run_worker(
    settings: Settings, tasks: Connection, results: Connection, of_main_process: list[Connection]
) -> None:
    """Work on tasks until None arrives, or the main process is gone.

    ``of_main_process`` are the other ends of the pipes, which a forked process has inherited.
    """
    for inherited in of_main_process:
        inherited.close()  # so that only the main process has them, and they close when it ends
    received: queue.SimpleQueue[Any] = queue.SimpleQueue()
    is_stopping = threading.Event()
    # Tasks are received at once, also while the worker is busy, so that the main process never waits to send.
    arguments = (tasks, received, is_stopping)
    threading.Thread(target=_receive, args=arguments, daemon=True).start()
    # After Ctrl-C, which also reaches the main process, or if that is gone, nobody wants the results.
    with contextlib.suppress(KeyboardInterrupt, BrokenPipeError):
        _work(settings, received, is_stopping, results)


def _receive(tasks: Connection, received: queue.SimpleQueue[Any], is_stopping: threading.Event) -> None:
    try:
        while (task := tasks.recv()) is not None:
            received.put(task)
    except (EOFError, OSError):  # the main process is gone, so end at once, even in the middle of a sample
        os._exit(1)
    finally:
        is_stopping.set()
        received.put(None)


def _work(
    settings: Settings, received: queue.SimpleQueue[Any], is_stopping: threading.Event, results: Connection
) -> None:
    where = f"in DataLoader worker process {settings.worker_id}"
    packer = Packer(settings.arena)
    fetch: Fetch | None = None
    failure: Failure | None = None  # of the start, which each task reports
    is_ended = False
    try:
        _prepare(settings)
        fetch = fetch_from(settings.source)
    except Exception:
        failure = Failure(where)
    while (task := received.get()) is not None and not is_stopping.is_set():
        if isinstance(task, Restart):
            is_ended = False
            try:
                fetch = fetch_from(settings.source) if failure is None else None
            except Exception:
                failure = Failure(where)
            continue
        packer.release(task.received)
        if is_ended:
            continue
        try:
            data: Any = failure if fetch is None else fetch(task.index)
            packed = packer.pack(data)
        except Exception as error:
            is_ended = isinstance(error, StopIteration) and settings.source.is_iterable
            packed = packer.pack(Ended() if is_ended else _sendable(Failure(where)))
        results.send(Result(task.epoch, task.number, packed))
        del task


def _prepare(settings: Settings) -> None:
    """Seed the random numbers, and call the user's ``worker_init_fn``."""
    global _worker_info
    set_num_threads(1)
    seed = settings.base_seed + settings.worker_id
    random.seed(seed)
    manual_seed(seed)
    numpy = sys.modules.get("numpy")
    if numpy is not None:  # its own seeds, so that its numbers are not those of the module random
        low, high = settings.base_seed & 2**32 - 1, settings.base_seed >> 32
        numpy.random.seed(numpy.random.SeedSequence([settings.worker_id, low, high, 0]).generate_state(4))
    _worker_info = WorkerInfo(settings.worker_id, settings.num_workers, seed, settings.source.dataset)
    if settings.init_fn is not None:
        settings.init_fn(settings.worker_id)


def _sendable(failure: Failure) -> Failure:
    """``failure``, as a RuntimeError if the main process could not find its type."""
    module: Any = sys.modules.get(failure.kind.__module__)
    found = module
    for name in failure.kind.__qualname__.split("."):
        found = getattr(found, name, None)
    if found is not failure.kind:
        failure.kind = RuntimeError
    return failure
