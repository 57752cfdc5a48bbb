"""The DataLoader, in one process and with workers; with ``-m oracle``, PyTorch runs the same tests."""

from __future__ import annotations

import gc
import importlib
import itertools
import multiprocessing
import os
import pickle
import random
import select
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

import gnomon as gn
import gnomon.utils.data as gnomon_data
from gnomon.memory.shared_memory import SharedBlock
from gnomon.utils.data import iterators
from gnomon.utils.data.shared_memory import Packer, Unpacker
from shared_blocks import shared_blocks
from time_limits import LIMIT, killing

pytestmark = pytest.mark.filterwarnings("ignore:This DataLoader will create")


@pytest.fixture
def data(lib: ModuleType) -> ModuleType:
    return importlib.import_module(f"{lib.__name__}.utils.data")


class Numbers:
    """A dataset of the numbers below 10; it needs no base class."""

    def __getitem__(self, index: int) -> int:
        if not 0 <= index < 10:
            raise KeyError(f"no item {index}")
        return index

    def __len__(self) -> int:
        return 10


class Rows(gnomon_data.Dataset[Any]):
    """A dataset of tensors with their numbers, large enough for shared memory."""

    def __getitem__(self, index: int) -> Any:
        return gn.full((2000,), float(index)), index

    def __len__(self) -> int:
        return 7


class Stream(gnomon_data.IterableDataset[int]):
    """The numbers below ``end``; each worker has every num_workers-th one."""

    def __init__(self, end: int) -> None:
        self.end = end

    def __iter__(self) -> Iterator[int]:
        info = gnomon_data.get_worker_info()
        return iter(range(self.end) if info is None else range(info.id, self.end, info.num_workers))

    def __len__(self) -> int:
        return self.end


def stream(data: ModuleType, end: int) -> Any:
    """``Stream`` as an IterableDataset of either library."""
    return type(
        "Stream", (data.IterableDataset,), {**vars(Stream), "__iter__": lambda self: iter(range(end))}
    )(end)


def lists(loader: Any) -> list[Any]:
    """The batches as lists."""
    return [batch.tolist() if hasattr(batch, "tolist") else batch for batch in loader]


# -- in one process ------------------------------------------------------------------------------------------


def test_batches_of_a_dataset(data: ModuleType) -> None:
    load = data.DataLoader
    assert lists(load(Numbers(), batch_size=4)) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    assert lists(load(Numbers(), batch_size=4, drop_last=True)) == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert lists(load(Numbers()))[:2] == [[0], [1]]
    assert lists(load(Numbers(), batch_size=None))[:2] == [0, 1]
    assert lists(load(Numbers(), batch_size=2, sampler=[3, 1, 2])) == [[3, 1], [2]]
    assert lists(load(Numbers(), batch_sampler=[[1, 2], [3]])) == [[1, 2], [3]]
    assert lists(load(Numbers(), batch_size=5, collate_fn=sum)) == [10, 35]
    lengths = [len(load(Numbers(), batch_size=4, drop_last=drop_last)) for drop_last in (False, True)]
    assert lengths == [3, 2] and len(load(Numbers(), batch_size=None)) == 10
    assert len(iter(load(Numbers(), batch_size=4))) == 3


def test_shuffled_batches_follow_the_generator(lib: ModuleType, data: ModuleType) -> None:
    loader = data.DataLoader(Numbers(), batch_size=10, shuffle=True)
    first, second = lists(loader), lists(loader)
    assert first != second and sorted(first[0]) == sorted(second[0]) == list(range(10))
    lib.manual_seed(1)
    once = lists(loader)
    lib.manual_seed(1)
    assert lists(loader) == once
    loader = data.DataLoader(Numbers(), batch_size=10, shuffle=True, generator=lib.Generator().manual_seed(1))
    once = lists(loader)
    loader.generator.manual_seed(1)
    assert lists(loader) == once


def test_batches_of_an_iterable_dataset(data: ModuleType) -> None:
    assert lists(data.DataLoader(stream(data, 5), batch_size=2)) == [[0, 1], [2, 3], [4]]
    assert lists(data.DataLoader(stream(data, 5), batch_size=2, drop_last=True)) == [[0, 1], [2, 3]]
    assert lists(data.DataLoader(stream(data, 4), batch_size=2)) == [[0, 1], [2, 3]]
    assert lists(data.DataLoader(stream(data, 3), batch_size=None)) == [0, 1, 2]
    assert len(data.DataLoader(stream(data, 5), batch_size=2)) == 3
    assert len(data.DataLoader(stream(data, 5), batch_size=2, drop_last=True)) == 2
    assert len(data.DataLoader(stream(data, 5), batch_size=None)) == 5


def test_an_iterable_dataset_that_is_longer_than_it_told(data: ModuleType) -> None:
    dataset = stream(data, 3)
    loader = data.DataLoader(dataset, batch_size=None)
    dataset.end = 2
    assert len(loader) == 2
    with pytest.warns(UserWarning) as caught:
        assert lists(loader) == [0, 1, 2]
    assert str(caught[0].message) == (
        f"Length of IterableDataset {dataset} was reported to be 2(when accessing len(dataloader)), but 3 "
        "samples have been fetched. "
    )


def test_errors_of_the_dataset_reach_the_user(data: ModuleType) -> None:
    with pytest.raises(KeyError, match="no item 11"):
        lists(data.DataLoader(Numbers(), sampler=[1, 11]))


def test_datasets_that_give_several_samples_at_once_are_asked_so(data: ModuleType) -> None:
    class Batched(Numbers):
        def __getitems__(self, indices: list[int]) -> list[int]:
            return [100 + index for index in indices]

    assert lists(data.DataLoader(Batched(), batch_size=9)) == [list(range(100, 109)), [109]]


def test_pinned_memory_without_an_accelerator(data: ModuleType) -> None:
    loader = data.DataLoader(Numbers(), batch_size=10, pin_memory=True)
    with pytest.warns(
        UserWarning, match=r"^'pin_memory' argument is set as true but no accelerator is found, then"
    ):
        assert lists(loader) == [list(range(10))]


def test_options_that_are_refused(data: ModuleType) -> None:
    iterable = "DataLoader with IterableDataset: expected unspecified"
    cases: list[tuple[dict[str, Any], str]] = [
        ({"num_workers": -1}, "num_workers option should be non-negative; use num_workers=0 to disable mult"),
        ({"timeout": -1}, "timeout option should be non-negative"),
        ({"prefetch_factor": 2}, "prefetch_factor option could only be specified in multiprocessing.let num"),
        ({"prefetch_factor": -1, "num_workers": 1}, "prefetch_factor option should be non-negative"),
        ({"persistent_workers": True}, "persistent_workers option needs num_workers > 0"),
        ({"sampler": [1], "shuffle": True}, "sampler option is mutually exclusive with shuffle"),
        ({"batch_sampler": [[1]], "batch_size": 2}, "batch_sampler option is mutually exclusive with batch_"),
        ({"batch_size": None, "drop_last": True}, "batch_size=None option disables auto-batching and is mut"),
        ({"batch_size": 0}, "batch_size should be a positive integer value, but got batch_size=0"),
        ({"dataset": stream(data, 1), "shuffle": True}, f"{iterable} shuffle option, but got shuffle=True"),
        ({"dataset": stream(data, 1), "sampler": [1]}, f"{iterable} sampler option, but got sampler=[1]"),
        ({"dataset": stream(data, 1), "batch_sampler": [[1]]}, f"{iterable} batch_sampler option, but got b"),
        ({"multiprocessing_context": "fork"}, "multiprocessing_context can only be used with multi-process"),
        ({"multiprocessing_context": "none", "num_workers": 1}, "multiprocessing_context option should spec"),
    ]  # fmt: skip
    for options, text in cases:
        with pytest.raises(ValueError) as caught:
            data.DataLoader(**{"dataset": Numbers(), **options})
        assert str(caught.value).startswith(text)
    with pytest.raises(
        TypeError, match=r"^multiprocessing_context option should be a valid context object or a string"
    ):
        data.DataLoader(Numbers(), num_workers=1, multiprocessing_context=3)
    loader = data.DataLoader(Numbers())
    for name in ("batch_size", "sampler", "dataset", "drop_last"):
        with pytest.raises(
            ValueError, match=f"^{name} attribute should not be set after DataLoader is initialized$"
        ):
            setattr(loader, name, 1)
    loader.collate_fn = sum
    with pytest.raises(AssertionError, match="requires timeout == 0"):
        iter(data.DataLoader(Numbers(), timeout=1))
    with pytest.raises(NotImplementedError):
        pickle.dumps(iter(data.DataLoader(Numbers())))


def test_a_warning_for_more_workers_than_processors(
    data: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        data.DataLoader(Numbers(), num_workers=2)
    assert str(caught[0].message).startswith(
        "This DataLoader will create 2 worker processes in total. Our suggested max number of worker in "
        "current system is 1, which is smaller than what this DataLoader is going to create. Please be aware"
    )


# -- with workers --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 2, 3])
def test_workers_make_the_same_batches_in_the_same_order(data: ModuleType, count: int) -> None:
    loader = data.DataLoader(Numbers(), batch_size=3, num_workers=count)
    assert lists(loader) == lists(loader) == [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9]]
    assert lists(data.DataLoader(Numbers(), batch_size=None, num_workers=count)) == list(range(10))
    assert lists(data.DataLoader([], num_workers=count)) == []


def test_tensors_come_by_shared_memory_and_nothing_is_left(device: str) -> None:
    found = []
    for x, number in gnomon_data.DataLoader(Rows(), batch_size=3, num_workers=2):
        assert x.device == gn.device(device) and number.dtype is gn.int64
        x.add_(1)  # the batch is this process's own
        found.append((x.shape, x.min().item(), x.max().item(), number.tolist()))
    assert found == [((3, 2000), 1, 3, [0, 1, 2]), ((3, 2000), 4, 6, [3, 4, 5]), ((1, 2000), 7, 7, [6])]
    assert shared_blocks() == set() and multiprocessing.active_children() == []


@pytest.mark.slow
@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_other_start_methods(method: str) -> None:
    loader = gnomon_data.DataLoader(
        Rows(), batch_size=4, num_workers=2, multiprocessing_context=method, persistent_workers=True
    )
    for _ in range(2):
        assert [number.tolist() for _, number in loader] == [[0, 1, 2, 3], [4, 5, 6]]
    del loader
    assert shared_blocks() == set()


def test_an_object_that_cannot_be_sent_to_a_new_process() -> None:
    before = set(multiprocessing.active_children())
    loader = gnomon_data.DataLoader(
        Numbers(), num_workers=1, collate_fn=lambda batch: batch, multiprocessing_context="spawn"
    )
    with pytest.warns(UserWarning, match="^Got pickle error when attempting to start a worker Process."):
        with pytest.raises((AttributeError, pickle.PicklingError)):
            iter(loader)
    assert set(multiprocessing.active_children()) <= before


def test_an_iterable_dataset_is_split_by_its_workers() -> None:
    loader = gnomon_data.DataLoader(Stream(9), batch_size=2, num_workers=2)
    assert lists(loader) == [[0, 2], [1, 3], [4, 6], [5, 7], [8]]
    assert lists(gnomon_data.DataLoader(Stream(1), batch_size=2, num_workers=2)) == [[0]]


def test_persistent_workers_keep_their_copy_of_the_dataset(data: ModuleType) -> None:
    class Counting(Numbers):
        calls = 0

        def __getitem__(self, index: int) -> Any:
            self.calls += 1
            return os.getpid(), self.calls

    loader = data.DataLoader(Counting(), batch_size=None, num_workers=1, persistent_workers=True)
    first, second = list(loader), list(loader)
    assert {pid for pid, _ in first} == {pid for pid, _ in second} != {os.getpid()}
    assert [calls for _, calls in second] == list(range(11, 21))
    loader = data.DataLoader(Counting(), batch_size=None, num_workers=1)
    assert [calls for _, calls in loader] == [calls for _, calls in loader] == list(range(1, 11))


def test_a_pass_of_persistent_workers_may_be_left_early(device: str) -> None:
    loader = gnomon_data.DataLoader(Rows(), batch_size=1, num_workers=2, persistent_workers=True)
    for _ in range(3):
        assert [number.item() for _, number in itertools.islice(loader, 3)] == [0, 1, 2]
    assert [number.item() for _, number in loader] == list(range(7))
    streams = gnomon_data.DataLoader(Stream(6), batch_size=1, num_workers=2, persistent_workers=True)
    for _ in range(2):
        assert lists(itertools.islice(streams, 2)) == [[0], [1]]
        assert lists(streams) == [[0], [1], [2], [3], [4], [5]]
    del loader, streams
    gc.collect()
    assert shared_blocks() == set() and multiprocessing.active_children() == []


class Waiting:
    """A dataset whose first sample waits for ``event``."""

    def __init__(self, event: Any) -> None:
        self.event = event

    def __getitem__(self, index: int) -> int:
        if index == 0:
            self.event.wait(LIMIT)
        return index

    def __len__(self) -> int:
        return 4


def test_batches_may_come_out_of_order(data: ModuleType) -> None:
    event = multiprocessing.get_context("fork").Event()
    options: dict[str, Any] = {"batch_size": None, "num_workers": 2, "multiprocessing_context": "fork"}
    iterator = iter(data.DataLoader(Waiting(event), in_order=False, **options))
    assert [next(iterator), next(iterator)] == [1, 3]
    event.set()
    assert list(iterator) == [0, 2]
    assert list(data.DataLoader(Waiting(event), **options)) == [0, 1, 2, 3]


def test_workers_are_seeded_and_know_themselves(lib: ModuleType, data: ModuleType) -> None:
    class Random(Numbers):
        def __getitem__(self, index: int) -> Any:
            info = data.get_worker_info()
            assert info.num_workers == 2 and info.dataset is self
            return info.id, info.seed, lib.initial_seed(), random.random(), lib.rand(1).item()

    assert data.get_worker_info() is None
    loader = data.DataLoader(
        Random(), batch_size=None, num_workers=2, generator=lib.Generator().manual_seed(1)
    )
    found = list(loader)
    base_seed = found[0][1]
    for number, (worker_id, seed, initial_seed, _, _) in enumerate(found):
        assert worker_id == number % 2 and seed == initial_seed == base_seed + worker_id
    assert found[0][3] == random.Random(base_seed).random()
    assert len({each[3] for each in found}) == len({each[4] for each in found}) == 10
    loader.generator.manual_seed(1)
    assert list(loader) == found
    assert list(loader) != found


def test_worker_init_fn_may_change_the_copy_of_the_dataset(data: ModuleType) -> None:
    class Settable(Numbers):
        offset = 0

        def __getitem__(self, index: int) -> int:
            return index + self.offset

    def set_offset(worker_id: int) -> None:
        data.get_worker_info().dataset.offset = 100 * (worker_id + 1)

    dataset = Settable()
    loader = data.DataLoader(dataset, batch_size=5, num_workers=2, worker_init_fn=set_offset)
    assert lists(loader) == [[100, 101, 102, 103, 104], [205, 206, 207, 208, 209]]
    assert dataset.offset == 0


class Strange(Exception):
    """An exception that needs two arguments."""

    def __init__(self, first: int, second: int) -> None:
        super().__init__(first, second)


class Failing(Numbers):
    """A dataset that raises at index 3."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def __getitem__(self, index: int) -> int:
        if index == 3:
            raise self.error
        return index


@pytest.mark.parametrize("error", [ValueError("bad"), KeyError("key"), Strange(1, 2)], ids=type)
def test_an_exception_in_a_worker_reaches_the_user_with_its_traceback(
    data: ModuleType, error: Exception
) -> None:
    iterator = iter(data.DataLoader(Failing(error), batch_size=None, num_workers=2))
    assert [next(iterator) for _ in range(3)] == [0, 1, 2]
    kind = RuntimeError if isinstance(error, Strange) else type(error)
    with pytest.raises(kind) as caught:
        next(iterator)
    assert type(caught.value) is kind
    lines = str(caught.value).splitlines()
    assert lines[0] == f"Caught {type(error).__name__} in DataLoader worker process 1."
    assert lines[1] == "Original Traceback (most recent call last):"
    assert "    raise self.error" in lines and lines[-1].endswith(str(error))
    assert list(iterator) == [4, 5, 6, 7, 8, 9]  # it goes on with the next one


def test_an_exception_at_the_start_of_a_worker(data: ModuleType) -> None:
    def fail(worker_id: int) -> None:
        raise OSError(f"worker {worker_id} has no file")

    iterator = iter(data.DataLoader(Numbers(), num_workers=1, worker_init_fn=fail))
    with pytest.raises(
        OSError, match=r"(?s)^Caught OSError in DataLoader worker process 0.*worker 0 has no file"
    ):
        next(iterator)


def test_exceptions_and_batches_that_the_user_could_not_receive() -> None:
    class Local(Exception):
        """Another process cannot find this class."""

    with pytest.raises(
        RuntimeError, match=r"(?s)^Caught RuntimeError in DataLoader worker process 0.*Local: here"
    ):
        list(gnomon_data.DataLoader(Failing(Local("here")), sampler=[3], num_workers=1))
    loader = gnomon_data.DataLoader(
        Numbers(), batch_size=2, collate_fn=lambda batch: lambda: batch, num_workers=1
    )
    with pytest.raises(
        (AttributeError, pickle.PicklingError), match=r"(?s)in DataLoader worker process 0.*lambda"
    ):
        next(iter(loader))
    grown = gnomon_data.DataLoader([gn.ones(2000, requires_grad=True) * 2], batch_size=None, num_workers=1)
    with pytest.raises(
        RuntimeError, match="Cowardly refusing to serialize non-leaf tensor which requires_grad"
    ):
        next(iter(grown))


class Killed(Rows):
    """A dataset whose worker is killed at index 5."""

    def __init__(self, number: int = signal.SIGKILL) -> None:
        self.number = number

    def __getitem__(self, index: int) -> Any:
        if index == 5:
            os.kill(os.getpid(), self.number)
        return super().__getitem__(index)


def test_workers_end_with_their_loader() -> None:
    """At once: neither refers to the other in a circle."""
    gc.collect()
    others = set(multiprocessing.active_children())
    gc.disable()
    try:
        for persistent in (False, True):
            loader = gnomon_data.DataLoader(Rows(), num_workers=2, persistent_workers=persistent)
            iterator = iter(loader)
            next(iterator)
            assert len(set(multiprocessing.active_children()) - others) == 2
            del loader, iterator
            assert set(multiprocessing.active_children()) <= others
        # an iterator outlives the name of its loader
        (rows, _), *_ = iter(gnomon_data.DataLoader(Rows(), num_workers=1))
        assert len(rows) == 1
    finally:
        gc.enable()


def test_a_killed_worker_is_reported_and_leaves_nothing_behind() -> None:
    loader = gnomon_data.DataLoader(Killed(), batch_size=1, num_workers=2, prefetch_factor=3)
    iterator = iter(loader)
    pids = [worker.process.pid for worker in iterator._workers]  # type: ignore[attr-defined]
    with pytest.raises(RuntimeError) as caught:
        for _ in iterator:
            pass
    assert str(caught.value) == f"DataLoader worker (pid(s) {pids[1]}) exited unexpectedly"
    cause = f"DataLoader worker (pid {pids[1]}) is killed by signal: Killed."
    assert str(caught.value.__cause__) == cause
    del iterator, caught
    gc.collect()
    assert shared_blocks() == set() and multiprocessing.active_children() == []


def test_a_worker_that_is_killed_while_it_sends_leaves_nothing_behind(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pack = Packer.pack

    def killed(self: Packer, obj: Any) -> Any:
        message = pack(self, obj)
        if message.start:
            os.kill(os.getpid(), signal.SIGKILL)
        return message

    monkeypatch.setattr(Packer, "pack", killed)
    loader = gnomon_data.DataLoader(Rows(), batch_size=1, num_workers=1, multiprocessing_context="fork")
    with pytest.raises(RuntimeError, match="exited unexpectedly"):
        list(loader)
    gc.collect()
    assert shared_blocks() == set()


def test_a_pass_that_is_left_early_ends_its_workers() -> None:
    iterator = iter(gnomon_data.DataLoader(Rows(), batch_size=1, num_workers=2))
    next(iterator)
    assert len(multiprocessing.active_children()) == 2
    del iterator
    gc.collect()
    assert multiprocessing.active_children() == [] and shared_blocks() == set()


class Never(Numbers):
    """A dataset without end."""

    def __getitem__(self, index: int) -> int:
        threading.Event().wait(LIMIT)
        return index


def test_a_batch_that_takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(iterators, "_PATIENCE", 0.1)  # before the worker is terminated
    with pytest.raises(RuntimeError, match=r"^DataLoader timed out after 0.1 seconds$"):
        next(iter(gnomon_data.DataLoader(Never(), num_workers=1, timeout=0.1)))
    gc.collect()
    assert multiprocessing.active_children() == []


def test_large_results_and_indices_do_not_block(data: ModuleType) -> None:
    class Text(Numbers):
        def __getitem__(self, index: Any) -> Any:
            return "x" * 300_000, len(index)

    loader = data.DataLoader(
        Text(), batch_size=None, sampler=["i" * 300_000] * 8, num_workers=2, prefetch_factor=4
    )
    assert [(len(text), count) for text, count in loader] == [(300_000, 300_000)] * 8


PROGRAM = """
import os, signal, sys, threading
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
import gnomon as gn
from gnomon.utils.data import DataLoader

class Rows:
    def __getitem__(self, index):
        if index > 3:
            threading.Event().wait()
        return gn.full((2000,), float(index))
    def __len__(self):
        return 100

iterator = iter(DataLoader(Rows(), batch_size=1, num_workers=2, multiprocessing_context="fork"))
next(iterator)
print(os.getpid(), *(worker.process.pid for worker in iterator._workers), flush=True)
for _ in iterator:
    pass
"""


def ends(pid: int) -> bool:
    """Waits for the end of a process that need not be a child: it closes its files before it has ended."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([descriptor], [], [], LIMIT)[0])
    finally:
        os.close(descriptor)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL], ids=["ctrl-c", "killed"])
def test_workers_end_with_the_main_process(number: int) -> None:
    """Ctrl-C is a SIGINT to all processes; SIGKILL reaches only the main process."""
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdout is not None
    with killing(process.pid):
        pids = [int(pid) for pid in process.stdout.readline().split()]
    assert len(pids) == 3
    if number == signal.SIGINT:
        os.killpg(pids[0], number)
    else:
        os.kill(pids[0], number)
    _, errors = process.communicate(timeout=LIMIT)  # all of them have closed their output
    assert process.returncode == -number
    assert (b"KeyboardInterrupt" in errors) == (number == signal.SIGINT)
    assert all(map(ends, pids))


# -- messages ------------------------------------------------------------------------------------------------


def both_ends() -> tuple[Packer, Unpacker, SharedBlock]:
    """Both ends of an arena, each with its own mapping."""
    arena = SharedBlock.create(0)
    return Packer(arena), Unpacker(SharedBlock(os.dup(arena.descriptor), arena.key)), arena


def test_messages_keep_tensors_as_they_are() -> None:
    packer, unpacker, _ = both_ends()
    x = gn.arange(4000.0)
    parameter = gn.nn.Parameter(gn.ones(3000))
    message = packer.pack(
        [x.view(50, 80).t(), x, x[1000:3000:2], parameter, gn.ones(3), gn.empty(9, device="meta"), "t"]
    )
    assert message.end - message.start == 16000 + 12032  # the storages of x and of the parameter
    transposed, whole, part, found, small, meta, text = unpacker.unpack(message)
    assert transposed.stride() == (1, 80) and transposed.untyped_storage() is whole.untyped_storage()
    assert part.tolist() == x[1000:3000:2].tolist() and part.untyped_storage().nbytes() == 4000
    assert type(found) is gn.nn.Parameter and found.sum().item() == 3000
    assert small.tolist() == [1.0] * 3 and meta.is_meta and text == "t"
    with pytest.raises(RuntimeError, match="Cowardly refusing to serialize non-leaf tensor"):
        packer.pack(parameter * 2)


def test_the_memory_of_received_messages_is_used_again() -> None:
    packer, unpacker, arena = both_ends()
    with pytest.raises((AttributeError, pickle.PicklingError)):
        packer.pack([gn.ones(2000), lambda: 0])
    sent = [packer.pack(gn.full((2000,), float(number))) for number in range(3)]
    assert [message.start for message in sent] == [0, 8000, 16000] and arena.view.nbytes == 24000
    with pytest.raises(pickle.UnpicklingError):
        unpacker.unpack(sent[0]._replace(data=b"broken"))
    assert unpacker.received == 1
    packer.release(unpacker.received)
    assert packer.pack("no tensor").end == 0
    again = packer.pack(gn.full((1500,), 3.0))
    larger = packer.pack(gn.full((2001,), 4.0))
    assert (again.start, larger.start) == (0, 24000) and arena.view.nbytes == 24000 + 8064
    found = [unpacker.unpack(message) for message in (*sent[1:], again, larger)]
    assert [(each.min().item(), each.max().item()) for each in found] == [(1, 1), (2, 2), (3, 3), (4, 4)]
    packer.release(5)
    assert packer.pack(gn.ones(5000)).start == 0
