"""One batch of a dataset, in the main process or in a worker.

Source: torch/utils/data/_utils/fetch.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

Fetch = Callable[[Any], Any]


class Source(NamedTuple):
    """What a batch is made of.  ``is_batched``: an index is a list of indices, one for each sample."""

    dataset: Any
    is_iterable: bool
    is_batched: bool
    collate_fn: Callable[[Any], Any]
    drop_last: bool


def fetch_from(source: Source) -> Fetch:
    """The function from an index, or a list of indices, to the batch.

    For an IterableDataset, it starts its iteration; the function ignores the indices except for their number,
    and raises StopIteration at the end.
    """
    if source.is_iterable:
        return _fetch_next(source)
    dataset, collate_fn = source.dataset, source.collate_fn
    if not source.is_batched:
        return lambda index: collate_fn(dataset[index])
    if getattr(dataset, "__getitems__", None):
        return lambda indices: collate_fn(dataset.__getitems__(indices))
    return lambda indices: collate_fn([dataset[index] for index in indices])


def _fetch_next(source: Source) -> Fetch:
    samples = iter(source.dataset)
    is_ended = False

    def fetch(indices: Any) -> Any:
        nonlocal is_ended
        if not source.is_batched:
            return source.collate_fn(next(samples))
        batch = []
        for _ in () if is_ended else indices:
            try:
                batch.append(next(samples))
            except StopIteration:
                is_ended = True
                break
        if not batch or (source.drop_last and len(batch) < len(indices)):
            raise StopIteration
        return source.collate_fn(batch)

    return fetch
