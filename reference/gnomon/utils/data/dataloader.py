"""DataLoader: the batches of a dataset, in a sampler's order, made here or in worker processes.

Source: torch/utils/data/dataloader.py.
"""

from __future__ import annotations

import math
import multiprocessing
import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, TypeVar

from ...ops.creation.random import Generator
from ...values.errors import warn
from .collate import default_collate, default_convert
from .dataset import Dataset, IterableDataset
from .iterators import BaseIterator, MultiProcessIterator, SingleProcessIterator
from .sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler

Sample = TypeVar("Sample", covariant=True)

_FIXED = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")


class _Endless(Sampler[None]):
    """The indices of an IterableDataset, which does not use them."""

    def __iter__(self) -> Any:
        while True:
            yield None


class DataLoader(Generic[Sample]):
    """An iterable over the batches of ``dataset``.

    batch_size      samples in a batch; None: no batches, but single samples
    shuffle         take the samples in random order, a new one in each pass
    sampler         the order of the samples: an iterable over indices
    batch_sampler   the batches: an iterable over lists of indices
    num_workers     how many processes make batches; 0: this one
    collate_fn      makes a batch of a list of samples: ``default_collate``; without batches, changes one
                    sample: ``default_convert``
    pin_memory      return batches in pinned memory, from which an accelerator copies faster; without an
                    accelerator only warns
    drop_last       drop the last batch if it has fewer samples
    timeout         seconds to wait for a batch of a worker; 0: any time
    worker_init_fn  is called with the worker's number in each worker when it starts
    multiprocessing_context  a context of the module multiprocessing, or the name of a start method
    generator       of the random order and the workers' seeds; None: the default one
    prefetch_factor batches that each worker makes in advance: 2
    persistent_workers  keep the workers, with their copies of the dataset, for the next pass
    in_order        return the batches of workers in the sampler's order, not as they come

    A worker's random numbers (gnomon's, those of the module random, and NumPy's if it is loaded) have the
    seed ``base_seed + number``, where base_seed is drawn in each pass.  Tensors come from workers by shared
    memory; a view of a larger storage is copied.

    Raises ValueError for options that exclude each other or are out of range, TypeError for another
    multiprocessing_context.  Iterating raises what the dataset raises; from a worker, with its traceback; and
    RuntimeError if a worker ends unexpectedly or is too slow.  Source: torch.utils.data.DataLoader.
    """

    _is_complete = False

    def __init__(
        self,
        dataset: Dataset[Sample] | Sequence[Sample],
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Iterable[Any] | None = None,
        batch_sampler: Iterable[Any] | None = None,
        num_workers: int = 0,
        collate_fn: Callable[[Any], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], None] | None = None,
        multiprocessing_context: Any = None,
        generator: Generator | None = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        _check_numbers(num_workers, timeout, prefetch_factor, persistent_workers)
        self.dataset: Dataset[Sample] = dataset  # type: ignore[assignment]  # a list is one but for its class
        self.num_workers = num_workers
        self.prefetch_factor = 2 if num_workers > 0 and prefetch_factor is None else prefetch_factor
        self.pin_memory = pin_memory
        self.pin_memory_device = pin_memory_device
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.multiprocessing_context = multiprocessing_context
        self.in_order = in_order
        self._is_iterable = isinstance(dataset, IterableDataset)
        if self._is_iterable:
            _check_no_sampler(shuffle, sampler, batch_sampler)
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise ValueError(
                    "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and "
                    "drop_last"
                )
            batch_size = None
        elif batch_size is None and drop_last:
            raise ValueError(
                "batch_size=None option disables auto-batching and is mutually exclusive with drop_last"
            )
        if sampler is None:
            sampler = self._usual_sampler(bool(shuffle), generator)
        if batch_size is not None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.sampler = sampler
        self.batch_sampler = batch_sampler
        self.generator = generator
        self.collate_fn = collate_fn or (default_collate if self._auto_collation else default_convert)
        self.persistent_workers = persistent_workers
        self._iterator: MultiProcessIterator | None = None  # of persistent workers
        self._IterableDataset_len_called: int | None = None  # what len() told, to warn if there is more
        self._is_complete = True
        self.check_worker_number_rationality()

    def _usual_sampler(self, shuffle: bool, generator: Generator | None) -> Sampler[Any]:
        if self._is_iterable:
            return _Endless()
        dataset: Any = self.dataset
        return RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)

    def __setattr__(self, attr: str, val: Any) -> None:
        if self._is_complete and attr in _FIXED:
            raise ValueError(f"{attr} attribute should not be set after {type(self).__name__} is initialized")
        super().__setattr__(attr, val)

    @property
    def multiprocessing_context(self) -> Any:
        """The context that starts the workers; None: Python's default one."""
        return self._context

    @multiprocessing_context.setter
    def multiprocessing_context(self, multiprocessing_context: Any) -> None:
        context = multiprocessing_context
        if context is not None and self.num_workers <= 0:
            raise ValueError(
                "multiprocessing_context can only be used with multi-process loading (num_workers > 0), but "
                f"got num_workers={self.num_workers}"
            )
        if isinstance(context, str):
            methods = multiprocessing.get_all_start_methods()
            if context not in methods:
                raise ValueError(
                    f"multiprocessing_context option should specify a valid start method in {methods!r}, but "
                    f"got multiprocessing_context={context!r}"
                )
            context = multiprocessing.get_context(context)
        if context is not None and not isinstance(context, multiprocessing.context.BaseContext):
            raise TypeError(
                "multiprocessing_context option should be a valid context object or a string specifying the "
                f"start method, but got multiprocessing_context={context}"
            )
        self._context = context

    @property
    def _auto_collation(self) -> bool:
        """Are samples put together to batches?"""
        return self.batch_sampler is not None

    @property
    def _index_sampler(self) -> Any:
        """What gives the index, or the list of indices, of each batch."""
        return self.batch_sampler if self._auto_collation else self.sampler

    def __iter__(self) -> BaseIterator:
        if self.num_workers == 0:
            return SingleProcessIterator(self)
        if not self.persistent_workers:
            return MultiProcessIterator(self)
        if self._iterator is None or not self._iterator.is_open:
            self._iterator = MultiProcessIterator(self)
        else:
            self._iterator.restart(self)
        return self._iterator

    def __len__(self) -> int:
        """The number of batches; of an IterableDataset, what its own length says."""
        if not self._is_iterable:
            return len(self._index_sampler)
        length = self._IterableDataset_len_called = len(self.dataset)  # type: ignore[arg-type]
        if self.batch_size is None:
            return length
        return length // self.batch_size if self.drop_last else math.ceil(length / self.batch_size)

    def check_worker_number_rationality(self) -> None:
        """Warn if there are more workers than processors that this process may use."""
        has_affinity = hasattr(os, "sched_getaffinity")
        count = len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count()
        if not self.num_workers or (count is not None and self.num_workers <= count):
            return
        known = "" if has_affinity else " (`cpuset` is not taken into account)"
        warn(
            f"This DataLoader will create {self.num_workers} worker processes in total. Our suggested max "
            f"number of worker in current system is {count}{known}, which is smaller than what this "
            "DataLoader is going to create. Please be aware that excessive worker creation might get "
            "DataLoader running slow or even freeze, lower the worker number to avoid potential "
            "slowness/freeze if necessary."
        )


def _check_numbers(
    num_workers: int, timeout: float, prefetch_factor: int | None, persistent_workers: bool
) -> None:
    if num_workers < 0:
        raise ValueError(
            "num_workers option should be non-negative; use num_workers=0 to disable multiprocessing."
        )
    if timeout < 0:
        raise ValueError("timeout option should be non-negative")
    if num_workers == 0 and prefetch_factor is not None:
        raise ValueError(
            "prefetch_factor option could only be specified in multiprocessing.let num_workers > 0 to enable "
            "multiprocessing, otherwise set prefetch_factor to None."
        )
    if prefetch_factor is not None and prefetch_factor < 0:
        raise ValueError("prefetch_factor option should be non-negative")
    if persistent_workers and num_workers == 0:
        raise ValueError("persistent_workers option needs num_workers > 0")


def _check_no_sampler(shuffle: Any, sampler: Any, batch_sampler: Any) -> None:
    """An IterableDataset has its own order."""
    text = "DataLoader with IterableDataset: expected unspecified"
    if shuffle not in {False, None}:
        raise ValueError(f"{text} shuffle option, but got shuffle={shuffle}")
    if sampler is not None:
        raise ValueError(f"{text} sampler option, but got sampler={sampler}")
    if batch_sampler is not None:
        raise ValueError(f"{text} batch_sampler option, but got batch_sampler={batch_sampler}")
