"""Samplers: the order in which a DataLoader takes the samples of a dataset.

Source: torch/utils/data/sampler.py.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence, Sized
from typing import Any, Generic, TypeVar

from ...bindings.creation import as_tensor, tensor
from ...dispatch.dispatcher import aten
from ...ops.creation.random import Generator
from ...values.dtype import float64, int64

Index = TypeVar("Index", covariant=True)

_DRAWN_AT_ONCE = 32  # of a RandomSampler with replacement


def draw_seed(generator: Generator | None = None) -> int:
    """A seed from 0 to 2**63 - 1, drawn from a generator (None: the default one)."""
    return int(tensor(0, dtype=int64).random_(generator=generator).item())


class Sampler(Generic[Index]):
    """The base class of samplers: a subclass defines ``__iter__``, over indices or lists of indices.

    It may define ``__len__``, which the length of a DataLoader needs.  Source: torch.utils.data.Sampler.
    """

    def __iter__(self) -> Iterator[Index]:
        raise NotImplementedError


class SequentialSampler(Sampler[int]):
    """The indices from 0 to ``len(data_source) - 1``.  Source: torch.utils.data.SequentialSampler."""

    def __init__(self, data_source: Sized) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """The indices of ``data_source`` in random order; with ``replacement``, each index drawn from all.

    ``num_samples`` is how many; by default, as many as ``data_source`` has.  Without replacement, more than
    that are drawn from several permutations.  Without a ``generator``, the default one gives the seed of each
    order.  Raises TypeError if ``replacement`` is not a bool, ValueError if ``num_samples`` is not a positive
    int.  Source: torch.utils.data.RandomSampler.
    """

    def __init__(
        self,
        data_source: Sized,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: Generator | None = None,
    ) -> None:
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator
        if not isinstance(replacement, bool):
            raise TypeError(f"replacement should be a boolean value, but got replacement={replacement}")
        if not isinstance(self.num_samples, int) or self.num_samples <= 0:
            raise ValueError(
                f"num_samples should be a positive integer value, but got num_samples={self.num_samples}"
            )

    @property
    def num_samples(self) -> int:
        """How many indices there are; the size of the dataset may change."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        generator = self.generator or Generator().manual_seed(draw_seed())
        size, count = len(self.data_source), self.num_samples
        at_once = _DRAWN_AT_ONCE if self.replacement else size
        for start in range(0, count, at_once):
            if self.replacement:
                drawn = aten.randint(size, (min(at_once, count - start),), dtype=int64, generator=generator)
            else:
                drawn = aten.randperm(size, generator=generator)[: count - start]
            yield from drawn.tolist()

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler[Any]):
    """``indices`` in random order.  Source: torch.utils.data.SubsetRandomSampler."""

    def __init__(self, indices: Sequence[Any], generator: Generator | None = None) -> None:
        self.indices = indices
        self.generator = generator

    def __iter__(self) -> Iterator[Any]:
        for place in aten.randperm(len(self.indices), generator=self.generator).tolist():
            yield self.indices[place]

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """``num_samples`` indices of ``weights``, each with a probability proportional to its weight.

    Raises ValueError if ``num_samples`` is not a positive int, ``replacement`` not a bool, or ``weights`` not
    one-dimensional.  Source: torch.utils.data.WeightedRandomSampler.
    """

    def __init__(
        self,
        weights: Sequence[float],
        num_samples: int,
        replacement: bool = True,
        generator: Generator | None = None,
    ) -> None:
        if not isinstance(num_samples, int) or isinstance(num_samples, bool) or num_samples <= 0:
            raise ValueError(
                f"num_samples should be a positive integer value, but got num_samples={num_samples}"
            )
        if not isinstance(replacement, bool):
            raise ValueError(f"replacement should be a boolean value, but got replacement={replacement}")
        self.weights = as_tensor(weights, dtype=float64)
        if self.weights.ndim != 1:
            raise ValueError(
                f"weights should be a 1d sequence but given weights have shape {tuple(self.weights.shape)}"
            )
        self.num_samples = num_samples
        self.replacement = replacement
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        drawn = aten.multinomial(self.weights, self.num_samples, self.replacement, generator=self.generator)
        yield from drawn.tolist()

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler[list[Any]]):
    """Lists of ``batch_size`` indices of another sampler; with ``drop_last``, never a shorter one at the end.

    Raises ValueError if ``batch_size`` is not a positive int, or ``drop_last`` not a bool.
    Source: torch.utils.data.BatchSampler.
    """

    def __init__(self, sampler: Iterable[Any], batch_size: int, drop_last: bool) -> None:
        if not isinstance(batch_size, int) or isinstance(batch_size, bool) or batch_size <= 0:
            raise ValueError(
                f"batch_size should be a positive integer value, but got batch_size={batch_size}"
            )
        if not isinstance(drop_last, bool):
            raise ValueError(f"drop_last should be a boolean value, but got drop_last={drop_last}")
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self) -> Iterator[list[Any]]:
        indices = iter(self.sampler)
        while batch := list(itertools.islice(indices, self.batch_size)):
            if len(batch) < self.batch_size and self.drop_last:
                return
            yield batch

    def __len__(self) -> int:
        count: Any = self.sampler
        return (len(count) + (0 if self.drop_last else self.batch_size - 1)) // self.batch_size
