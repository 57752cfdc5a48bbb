"""Datasets: samples by index, or one after the other, and datasets made of others.

Source: torch/utils/data/dataset.py.
"""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from ...dispatch.dispatcher import aten
from ...memory.tensor import Tensor
from ...ops.creation.random import Generator, default_generator
from ...values.errors import warn

Sample = TypeVar("Sample", covariant=True)


class Dataset(Generic[Sample]):
    """The base class of datasets with samples by index: a subclass defines ``__getitem__``.

    It should also define ``__len__``, which samplers need, and may define ``__getitems__``, which returns a
    list of samples for a list of indices.  ``a + b`` is a ConcatDataset.  Source: torch.utils.data.Dataset.
    """

    # There is no __len__ here: len() of a dataset without it raises TypeError.

    def __getitem__(self, index: Any) -> Sample:
        """The sample of an index."""
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: Dataset[Any]) -> ConcatDataset:
        return ConcatDataset([self, other])


class IterableDataset(Dataset[Sample], Iterable[Sample]):
    """The base class of datasets whose samples come one after the other: a subclass defines ``__iter__``.

    Each worker process of a DataLoader has a copy of the dataset; ``get_worker_info()`` says which part it
    should produce.  ``a + b`` is a ChainDataset.  Source: torch.utils.data.IterableDataset.
    """

    def __add__(self, other: Dataset[Any]) -> ChainDataset:  # type: ignore[override]
        return ChainDataset([self, other])


class TensorDataset(Dataset[tuple[Tensor, ...]]):
    """Samples are tuples of the elements of ``tensors`` along their first dimension.

    Raises AssertionError if the tensors differ in the size of that dimension.
    Source: torch.utils.data.TensorDataset.
    """

    def __init__(self, *tensors: Tensor) -> None:
        if any(tensors[0].size(0) != tensor.size(0) for tensor in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Tensor, ...]:
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self) -> int:
        return self.tensors[0].size(0)


class StackDataset(Dataset[Any]):
    """Samples are tuples, or dicts, of the samples of several datasets.

    ``StackDataset(images, texts)[0] == (images[0], texts[0])``, and
    ``StackDataset(image=images, text=texts)[0] == {"image": images[0], "text": texts[0]}``.

    Raises ValueError for datasets of different lengths, for both forms together, and for none.
    Source: torch.utils.data.StackDataset.
    """

    def __init__(self, *args: Dataset[Any], **kwargs: Dataset[Any]) -> None:
        if args and kwargs:
            raise ValueError(
                "Supported either ``tuple``- (via ``args``) or``dict``- (via ``kwargs``) like input/output, "
                "but both types are given."
            )
        self.datasets: Any = args or kwargs
        if not self.datasets:
            raise ValueError("At least one dataset should be passed")
        lengths = [len(dataset) for dataset in self._parts()]
        if len(set(lengths)) > 1:
            raise ValueError("Size mismatch between datasets")
        self._length = lengths[0]

    def _parts(self) -> list[Any]:
        return list(self.datasets.values() if isinstance(self.datasets, dict) else self.datasets)

    def _joined(self, samples: Iterable[Any]) -> Any:
        """A sample of this dataset, of one sample of each part."""
        return dict(zip(self.datasets, samples)) if isinstance(self.datasets, dict) else tuple(samples)

    def __getitem__(self, index: Any) -> Any:
        return self._joined([dataset[index] for dataset in self._parts()])

    def __getitems__(self, indices: list[Any]) -> list[Any]:
        columns = [_samples(dataset, indices) for dataset in self._parts()]
        for column in columns:
            if len(column) != len(indices):
                raise ValueError(
                    f"Nested dataset's output size mismatch. Expected {len(indices)}, got {len(column)}"
                )
        return [self._joined(row) for row in zip(*columns)]

    def __len__(self) -> int:
        return self._length


class ConcatDataset(Dataset[Any]):
    """The samples of several datasets, one dataset after the other.

    Raises AssertionError for no datasets, and for an IterableDataset.
    Source: torch.utils.data.ConcatDataset.
    """

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        if any(isinstance(dataset, IterableDataset) for dataset in self.datasets):
            raise AssertionError("ConcatDataset does not support IterableDataset")
        self.cumulative_sizes = self.cumsum(self.datasets)

    @staticmethod
    def cumsum(sequence: Iterable[Any]) -> list[int]:
        """The sums of the lengths up to each dataset."""
        return list(itertools.accumulate(map(len, sequence)))

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, idx: int) -> Any:
        if idx < 0:
            if -idx > len(self):
                raise ValueError("absolute value of index should not exceed dataset length")
            idx += len(self)
        number = bisect.bisect_right(self.cumulative_sizes, idx)
        start = self.cumulative_sizes[number - 1] if number else 0
        return self.datasets[number][idx - start]

    @property
    def cummulative_sizes(self) -> list[int]:
        """The older name of ``cumulative_sizes``; warns (FutureWarning)."""
        warn("`cummulative_sizes` attribute is renamed to `cumulative_sizes`", FutureWarning)
        return self.cumulative_sizes


class ChainDataset(IterableDataset[Any]):
    """The samples of several IterableDatasets, one dataset after the other.

    Raises AssertionError, when it reaches it, for a dataset of another kind.
    Source: torch.utils.data.ChainDataset.
    """

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = datasets

    def _checked(self) -> Iterator[Any]:
        for dataset in self.datasets:
            if not isinstance(dataset, IterableDataset):
                raise AssertionError("ChainDataset only supports IterableDataset")
            yield dataset

    def __iter__(self) -> Iterator[Any]:
        for dataset in self._checked():
            yield from dataset

    def __len__(self) -> int:
        return sum(map(len, self._checked()))


class Subset(Dataset[Sample]):
    """The samples of ``dataset`` at ``indices``.

    A subclass that defines ``__getitem__`` must define ``__getitems__`` too, which the DataLoader calls;
    otherwise NotImplementedError is raised.  Source: torch.utils.data.Subset.
    """

    def __init__(self, dataset: Dataset[Sample] | Sequence[Sample], indices: Sequence[Any]) -> None:
        self.dataset: Any = dataset
        self.indices = indices
        cls = type(self)
        if cls.__getitem__ is not Subset.__getitem__ and cls.__getitems__ is Subset.__getitems__:
            raise NotImplementedError(
                f"{cls.__name__} overrides __getitem__ but not __getitems__. When subclassing Subset and "
                "overriding __getitem__, you must also override __getitems__ to ensure DataLoader works "
                "correctly with your custom logic. A simple implementation:\n\n"
                "def __getitems__(self, indices):\n    return [self.__getitem__(idx) for idx in indices]"
            )

    def __getitem__(self, idx: Any) -> Sample:
        if isinstance(idx, list):
            return self.dataset[[self.indices[each] for each in idx]]
        return self.dataset[self.indices[idx]]

    def __getitems__(self, indices: list[Any]) -> list[Sample]:
        return _samples(self.dataset, [self.indices[each] for each in indices])

    def __len__(self) -> int:
        return len(self.indices)


def _samples(dataset: Any, indices: list[Any]) -> list[Any]:
    """The samples at several indices; all at once if the dataset can do that."""
    if callable(getattr(dataset, "__getitems__", None)):
        return dataset.__getitems__(indices)
    return [dataset[index] for index in indices]


def random_split(
    dataset: Dataset[Sample] | Sequence[Sample],
    lengths: Sequence[int | float],
    generator: Generator | None = default_generator,
) -> list[Subset[Sample]]:
    """Split a dataset at random into parts of the given lengths.

    Lengths that sum to 1 are fractions: they are rounded down, and what is left goes to the first parts, one
    sample each.  Warns for a part that becomes empty.  Raises ValueError for a fraction that is not between 0
    and 1, and for lengths that do not sum to the dataset's.  Source: torch.utils.data.random_split.
    """
    size = len(dataset)  # type: ignore[arg-type]  # a Dataset without a length can't be split
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        for number, fraction in enumerate(lengths):
            if not 0 <= fraction <= 1:
                raise ValueError(f"Fraction at index {number} is not between 0 and 1")
        parts = [math.floor(size * fraction) for fraction in lengths]
        for number in range(size - sum(parts)):
            parts[number % len(parts)] += 1
        lengths = parts
        for number, length in enumerate(lengths):
            if length == 0:
                warn(f"Length of split at index {number} is 0. This might result in an empty dataset.")
    if sum(lengths) != size:
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    indices = aten.randperm(sum(lengths), generator=generator).tolist()
    ends = itertools.accumulate(lengths)
    return [Subset(dataset, indices[end - length : end]) for end, length in zip(ends, lengths)]
