"""The iterators of a DataLoader: in the main process, or with worker processes.

The main process sends some tasks in advance, ``prefetch_factor`` for each worker, and another one for each
batch that it returns.  Each worker has a pipe for its tasks and one for its results, so that a worker that is
killed, at whatever moment, blocks no other.

Source: torch/utils/data/dataloader.py (_SingleProcessDataLoaderIter, _MultiProcessingDataLoaderIter).
"""

from __future__ import annotations

import contextlib
import itertools
import multiprocessing
import os
import pickle
import signal
import weakref
from collections.abc import Iterator
from multiprocessing import connection
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from ... import accelerator
from ...memory.shared_memory import SharedBlock
from ...values.errors import warn
from .fetch import Source, fetch_from
from .pin_memory import pin_memory
from .sampler import draw_seed
from .shared_memory import Unpacker
from .worker import Ended, Failure, Restart, Result, Settings, Task, run_worker

_PATIENCE = 5.0  # seconds that a worker gets to finish its batch before it is terminated


class BaseIterator:
    """One pass over the batches of a DataLoader, ``loader``.

    It does not refer to the loader, which may refer to it: so workers end as soon as the loader is gone.
    """

    def __init__(self, loader: Any) -> None:
        self._index_sampler = loader._index_sampler
        self._num_workers = loader.num_workers
        self._source = Source(
            loader.dataset, loader._is_iterable, loader._auto_collation, loader.collate_fn, loader.drop_last
        )
        if loader.pin_memory and loader.pin_memory_device:
            warn(
                "pin_memory_device is deprecated, the current accelerator will be used as the device,ignore "
                f"pin_memory_device='{loader.pin_memory_device}'."
            )
        self._pins = loader.pin_memory and accelerator.is_available()
        if loader.pin_memory and not self._pins:
            warn(
                "'pin_memory' argument is set as true but no accelerator is found, then device pinned memory "
                "won't be used."
            )
        self._base_seed = draw_seed(loader.generator)
        self._begin_pass(loader)

    def _begin_pass(self, loader: Any) -> None:
        self._indices: Iterator[Any] = iter(self._index_sampler)
        self._num_yielded = 0
        self._told_length = loader._IterableDataset_len_called

    def __iter__(self) -> BaseIterator:
        return self

    def __len__(self) -> int:
        return len(self._index_sampler)

    def __next__(self) -> Any:
        data = self._next_data()
        if self._pins:
            data = pin_memory(data)
        self._num_yielded += 1
        told = self._told_length
        if self._source.is_iterable and told is not None and self._num_yielded > told:
            text = (
                f"Length of IterableDataset {self._source.dataset} was reported to be {told}(when accessing "
                f"len(dataloader)), but {self._num_yielded} samples have been fetched. "
            )
            if self._num_workers > 0:
                text += (
                    "For multiprocessing data-loading, this could be caused by not properly configuring the "
                    "IterableDataset replica at each worker. Please see "
                    "https://pytorch.org/docs/stable/data.html#torch.utils.data.IterableDataset for examples."
                )
            warn(text)
        return data

    def __getstate__(self) -> Any:
        raise NotImplementedError("{} cannot be pickled", type(self).__name__)

    def _next_data(self) -> Any:
        raise NotImplementedError


class SingleProcessIterator(BaseIterator):
    """Makes the batches in this process."""

    def __init__(self, loader: Any) -> None:
        super().__init__(loader)
        if loader.timeout != 0:
            raise AssertionError("_SingleProcessDataLoaderIter requires timeout == 0")
        self._fetch = fetch_from(self._source)

    def _next_data(self) -> Any:
        return self._fetch(next(self._indices))


class _Worker(NamedTuple):
    """A worker process, as the main process sees it."""

    process: Any
    tasks: Connection
    results: Connection
    unpacker: Unpacker


def _shut_down(owner: int, workers: list[_Worker]) -> None:
    """End the workers, by force if they do not within some time.

    Does nothing in a process that is not their ``owner``, but was forked from it.
    """
    if os.getpid() != owner:
        return
    for worker in workers:
        with contextlib.suppress(OSError):  # it has ended
            worker.tasks.send(None)
        worker.tasks.close()
        worker.results.close()  # a worker that is about to send a result ends
    # A worker that was forked later holds the pipes of those before it, so these may have to wait for it.
    for worker in reversed(workers):
        worker.process.join(_PATIENCE)
        if worker.process.is_alive():
            worker.process.terminate()
            worker.process.join(_PATIENCE)
        if worker.process.is_alive():
            worker.process.kill()
            worker.process.join()
    workers.clear()


class MultiProcessIterator(BaseIterator):
    """Lets worker processes make the batches; returns them in the sampler's order, or as they come."""

    def __init__(self, loader: Any) -> None:
        super().__init__(loader)
        if loader.prefetch_factor <= 0:
            raise AssertionError("prefetch_factor must be greater than 0 for MultiProcessingDataLoaderIter")
        self._prefetch_factor = loader.prefetch_factor
        self._in_order = loader.in_order
        self._timeout = loader.timeout
        self._is_persistent = loader.persistent_workers
        self._workers: list[_Worker] = []
        self._end = weakref.finalize(self, _shut_down, os.getpid(), self._workers)  # also when Python exits
        self._epoch = -1
        try:
            for worker_id in range(loader.num_workers):
                self._workers.append(self._start(loader, worker_id))
        except BaseException:
            self._end()
            raise
        self._begin_epoch()

    def _start(self, loader: Any, worker_id: int) -> _Worker:
        context: Any = loader.multiprocessing_context or multiprocessing.get_context()
        arena = SharedBlock.create(0)
        settings = Settings(
            self._source, self._base_seed, loader.worker_init_fn, worker_id, loader.num_workers, arena
        )
        task_reader, task_writer = context.Pipe(duplex=False)
        result_reader, result_writer = context.Pipe(duplex=False)
        ours = [task_writer, result_reader]
        arguments = (settings, task_reader, result_writer, ours)
        process = context.Process(target=run_worker, args=arguments, daemon=True)
        try:
            process.start()
        except (TypeError, AttributeError, pickle.PicklingError):
            warn(
                "Got pickle error when attempting to start a worker Process. This might be because the "
                "worker Process arguments are not picklable. Python 3.14+ changed the multiprocessing start "
                "method in non-Mac POSIX platforms to 'forkserver', which requires the worker Process "
                "arguments to be picklable. You can also try multiprocessing.set_start_method('fork')."
            )
            raise
        # Only the worker has its ends now, so that they are closed when it ends.
        task_reader.close()
        result_writer.close()
        return _Worker(process, task_writer, result_reader, Unpacker(arena))

    @property
    def is_open(self) -> bool:
        """Do the workers still run, for another epoch?"""
        return self._end.alive

    def close(self) -> None:
        """End the workers."""
        self._end()
        self._next_number = self._num_sent

    def restart(self, loader: Any) -> None:
        """Begin another epoch with the same workers."""
        self._begin_pass(loader)
        for worker_id, worker in enumerate(self._workers):
            try:
                worker.tasks.send(Restart())
            except OSError:
                self._fail([worker_id])
        self._begin_epoch()

    def _begin_epoch(self) -> None:
        count = self._num_workers
        self._epoch += 1
        self._num_sent = 0  # tasks that were sent to workers
        self._next_number = 0  # of the task whose batch is returned next
        self._worker_of: dict[int, int] = {}  # of tasks whose batch was not returned yet
        self._arrived: dict[int, Any] = {}  # batches that arrived before their turn
        self._is_active = [True] * count  # has this worker more samples, in this epoch?
        self._num_tasks = [0] * count  # of each worker
        self._turns = itertools.cycle(range(count))
        for _ in range(self._prefetch_factor * count):
            self._send_task()

    def _send_task(self) -> None:
        """Send the sampler's next index to the worker whose turn it is."""
        try:
            index = next(self._indices)
        except StopIteration:
            return
        count = self._num_workers
        for worker_id in itertools.islice(self._turns, count):
            if self._is_active[worker_id] and (self._in_order or self._has_capacity(worker_id)):
                break
        else:
            return
        worker = self._workers[worker_id]
        try:
            worker.tasks.send(Task(self._epoch, self._num_sent, index, worker.unpacker.received))
        except BrokenPipeError:  # it was killed, as _receive will find out
            pass
        self._worker_of[self._num_sent] = worker_id
        self._num_tasks[worker_id] += 1
        self._num_sent += 1

    def _has_capacity(self, worker_id: int) -> bool:
        most = self._prefetch_factor * self._num_workers // sum(self._is_active)
        return self._num_tasks[worker_id] < most

    def _next_data(self) -> Any:
        while self._skip_lost_tasks():
            if self._next_number in self._arrived:
                return self._return(self._next_number, self._arrived.pop(self._next_number))
            try:
                number, data = self._receive()
            except KeyboardInterrupt:  # which ends the workers, too
                self.close()
                raise
            if isinstance(data, Ended):
                self._is_active[self._worker_of[number]] = False
                self._send_task()
            elif number == self._next_number or not self._in_order:
                return self._return(number, data)
            else:
                self._arrived[number] = data
        if not self._is_persistent:
            self.close()
        raise StopIteration

    def _skip_lost_tasks(self) -> bool:
        """Go to the next task whose batch is here, or still comes.  False if there is none."""
        while self._next_number < self._num_sent:
            worker_id = self._worker_of.get(self._next_number)
            if self._next_number in self._arrived:
                return True
            if worker_id is not None and self._is_active[worker_id]:
                return True
            self._worker_of.pop(
                self._next_number, None
            )  # it was returned before its turn, or nobody makes it
            self._next_number += 1
        return False

    def _return(self, number: int, data: Any) -> Any:
        self._num_tasks[self._worker_of.pop(number)] -= 1
        if number == self._next_number:
            self._next_number += 1
        self._send_task()
        if isinstance(data, Failure):
            data.reraise()
        return data

    def _receive(self) -> tuple[int, Any]:
        """The number and the batch of a task of this epoch, as soon as one arrives.

        Raises RuntimeError if a worker has ended unexpectedly, or nothing arrives within ``timeout``.
        """
        timeout = self._timeout
        while True:
            active = {self._workers[worker_id].results: worker_id for worker_id in self._working()}
            ready = connection.wait(list(active), timeout or None)
            if not ready:
                raise RuntimeError(f"DataLoader timed out after {timeout} seconds")
            for reader in ready:
                worker_id = active[reader]  # type: ignore[index]
                worker = self._workers[worker_id]
                try:
                    result: Result = worker.results.recv()
                except (EOFError, OSError):  # it has closed its end of the pipe, possibly within a message
                    self._fail([worker_id])
                try:
                    data = worker.unpacker.unpack(result.data)
                except Exception:
                    data = Failure(f"when receiving a batch of DataLoader worker process {worker_id}")
                if result.epoch == self._epoch:
                    return result.number, data

    def _working(self) -> list[int]:
        """The workers from which a result may come."""
        return [worker_id for worker_id, is_active in enumerate(self._is_active) if is_active]

    def _fail(self, worker_ids: list[int]) -> None:
        processes = []
        for worker_id in worker_ids:
            self._is_active[worker_id] = False
            process = self._workers[worker_id].process
            process.join(_PATIENCE)
            processes.append(process)
        pids = ", ".join(str(process.pid) for process in processes)
        causes = " ".join([_cause_of_death(process) for process in processes])
        raise RuntimeError(f"DataLoader worker (pid(s) {pids}) exited unexpectedly") from RuntimeError(causes)


def _cause_of_death(process: Any) -> str:
    """Source: torch/csrc/DataLoader.cpp."""
    code = process.exitcode
    if code is not None and code < 0:
        return f"DataLoader worker (pid {process.pid}) is killed by signal: {signal.strsignal(-code)}."
    return (
        f"DataLoader worker (pid {process.pid}) exited unexpectedly with exit code {code}. Details are lost "
        "due to multiprocessing. Rerunning with num_workers=0 may give better error trace."
    )
