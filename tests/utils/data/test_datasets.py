"""Datasets, samplers and collate functions; PyTorch runs the same tests with ``-m oracle``."""

from __future__ import annotations

import collections
import importlib
from collections.abc import Iterator
from types import MappingProxyType, ModuleType
from typing import Any

import pytest

import gnomon.utils.data
from gnomon.utils.data.collate import collate


@pytest.fixture
def data(lib: ModuleType) -> ModuleType:
    return importlib.import_module(f"{lib.__name__}.utils.data")


def squares(data: ModuleType, count: int, batched: bool = False) -> Any:
    """A dataset of squares."""

    class Squares(data.Dataset):  # type: ignore[name-defined, misc]
        def __getitem__(self, index: int) -> int:
            if not 0 <= index < count:
                raise IndexError(index)
            return index * index

        def __len__(self) -> int:
            return count

    class Batched(Squares):
        def __getitems__(self, indices: list[int]) -> list[int]:
            return [-index * index for index in indices]

    return Batched() if batched else Squares()


def numbers(data: ModuleType, *values: Any) -> Any:
    """An IterableDataset of some values."""

    class Numbers(data.IterableDataset):  # type: ignore[name-defined, misc]
        def __iter__(self) -> Iterator[Any]:
            return iter(values)

        def __len__(self) -> int:
            return len(values)

    return Numbers()


def test_the_base_classes(data: ModuleType) -> None:
    with pytest.raises(NotImplementedError, match=r"^Subclasses of Dataset should implement __getitem__.$"):
        data.Dataset()[0]
    with pytest.raises(TypeError, match="has no len"):
        len(data.Dataset())
    with pytest.raises(NotImplementedError):
        iter(data.Sampler())
    assert data.Dataset[int] and data.IterableDataset[int] and data.Sampler[int]
    joined = squares(data, 3) + squares(data, 2)
    assert type(joined) is data.ConcatDataset and list(map(joined.__getitem__, range(5))) == [0, 1, 4, 0, 1]
    chained = numbers(data, 1, 2) + numbers(data, 3)
    assert type(chained) is data.ChainDataset and list(chained) == [1, 2, 3] and len(chained) == 3


def test_tensor_dataset(lib: ModuleType, data: ModuleType) -> None:
    x, y = lib.arange(6).view(3, 2), lib.tensor([7, 8, 9])
    dataset = data.TensorDataset(x, y)
    assert len(dataset) == 3
    first, second = dataset[1]
    assert first.tolist() == [2, 3] and second.item() == 8
    assert [each.tolist() for each in dataset[[0, 2]]] == [[[0, 1], [4, 5]], [7, 9]]
    with pytest.raises(AssertionError, match=r"^Size mismatch between tensors$"):
        data.TensorDataset(x, y[:2])


def test_stack_dataset(data: ModuleType) -> None:
    plain, batched = squares(data, 4), squares(data, 4, batched=True)
    pairs, named = data.StackDataset(plain, batched), data.StackDataset(a=plain, b=batched)
    assert len(pairs) == 4 and pairs[2] == (4, 4) and named[3] == {"a": 9, "b": 9}
    assert pairs.__getitems__([1, 2]) == [(1, -1), (4, -4)]
    assert named.__getitems__([3]) == [{"a": 9, "b": -9}]
    with pytest.raises(ValueError, match=r"^Size mismatch between datasets$"):
        data.StackDataset(plain, squares(data, 3))
    with pytest.raises(ValueError, match=r"^At least one dataset should be passed$"):
        data.StackDataset()
    with pytest.raises(ValueError, match=r"^Supported either ``tuple``- \(via ``args``\) or``dict``- \(via"):
        data.StackDataset(plain, b=plain)
    batched.__class__.__getitems__ = lambda self, indices: []
    with pytest.raises(ValueError, match=r"^Nested dataset's output size mismatch. Expected 2, got 0$"):
        pairs.__getitems__([0, 1])


def test_concat_and_chain_datasets(data: ModuleType) -> None:
    joined = data.ConcatDataset([squares(data, 2), squares(data, 0), squares(data, 3)])
    assert len(joined) == 5 and joined.cumulative_sizes == [2, 2, 5]
    assert [joined[index] for index in (0, 1, 2, 4, -1, -5)] == [0, 1, 0, 4, 4, 0]
    with pytest.raises(ValueError, match=r"^absolute value of index should not exceed dataset length$"):
        joined[-6]
    with pytest.raises(AssertionError, match=r"^datasets should not be an empty iterable$"):
        data.ConcatDataset([])
    with pytest.raises(AssertionError, match=r"^ConcatDataset does not support IterableDataset$"):
        data.ConcatDataset([numbers(data)])
    chained = data.ChainDataset([numbers(data, 1), squares(data, 1)])
    for use in (list, len):
        with pytest.raises(AssertionError, match=r"^ChainDataset only supports IterableDataset$"):
            use(chained)


def test_subset(data: ModuleType) -> None:
    subset = data.Subset(squares(data, 5), [4, 2])
    assert len(subset) == 2 and subset[0] == 16 and subset.__getitems__([1, 0]) == [4, 16]
    assert data.Subset(squares(data, 5, batched=True), [4, 2]).__getitems__([1]) == [-4]
    assert data.Subset(squares(data, 5), range(5)).indices == range(5)

    class Half(data.Subset):  # type: ignore[name-defined, misc]
        def __getitem__(self, idx: int) -> float:
            return super().__getitem__(idx) / 2

    with pytest.raises(
        NotImplementedError, match=r"^Half overrides __getitem__ but not __getitems__. When sub"
    ):
        Half(squares(data, 5), [1])


def test_random_split(lib: ModuleType, data: ModuleType) -> None:
    dataset = squares(data, 10)
    parts = data.random_split(dataset, [3, 7], generator=lib.Generator().manual_seed(1))
    assert [len(part) for part in parts] == [3, 7]
    assert sorted(index for part in parts for index in part.indices) == list(range(10))
    again = data.random_split(dataset, [3, 7], generator=lib.Generator().manual_seed(1))
    assert [part.indices for part in again] == [part.indices for part in parts]
    assert [len(part) for part in data.random_split(dataset, [0.25, 0.25, 0.5])] == [3, 2, 5]
    with pytest.raises(
        ValueError, match=r"^Sum of input lengths does not equal the length of the input dataset!$"
    ):
        data.random_split(dataset, [3, 3])
    with pytest.raises(ValueError, match=r"^Fraction at index 0 is not between 0 and 1$"):
        data.random_split(dataset, [1.5, -0.5])
    with pytest.warns(UserWarning, match=r"^Length of split at index 1 is 0. This might result in an empty"):
        data.random_split(squares(data, 1), [0.9, 0.1])


# -- samplers ------------------------------------------------------------------------------------------------


def test_sequential_and_batch_samplers(data: ModuleType) -> None:
    sampler = data.SequentialSampler("abcdefg")
    assert list(sampler) == list(range(7)) and len(sampler) == 7
    for drop_last, wanted in ((False, [[0, 1, 2], [3, 4, 5], [6]]), (True, [[0, 1, 2], [3, 4, 5]])):
        batches = data.BatchSampler(sampler, 3, drop_last)
        assert list(batches) == wanted and len(batches) == len(wanted)
    assert list(data.BatchSampler([], 3, False)) == []
    assert list(data.BatchSampler(iter("abc"), 2, False)) == [["a", "b"], ["c"]]


def test_random_samplers(lib: ModuleType, data: ModuleType) -> None:
    sampler = data.RandomSampler(range(50))
    first, second = list(sampler), list(sampler)
    assert len(sampler) == 50 and sorted(first) == sorted(second) == list(range(50)) and first != second
    assert len(list(data.RandomSampler(range(3), num_samples=8))) == 8
    assert sorted(list(data.RandomSampler(range(3), num_samples=8))[:6]) == [0, 0, 1, 1, 2, 2]
    drawn = list(data.RandomSampler(range(3), replacement=True, num_samples=100))
    assert len(drawn) == 100 and set(drawn) == {0, 1, 2}
    lib.manual_seed(3)
    once = list(data.RandomSampler(range(50)))
    lib.manual_seed(3)
    assert list(data.RandomSampler(range(50))) == once
    generator = lib.Generator().manual_seed(5)
    once = list(data.RandomSampler(range(50), generator=generator))
    assert list(data.RandomSampler(range(50), generator=generator.manual_seed(5))) == once
    subset = data.SubsetRandomSampler("abcdef")
    assert sorted(subset) == list("abcdef") and len(subset) == 6
    weighted = data.WeightedRandomSampler([0.0, 1.0, 3.0], 200)
    drawn = list(weighted)
    assert set(drawn) == {1, 2} and len(weighted) == 200 and drawn.count(2) > drawn.count(1)
    assert sorted(data.WeightedRandomSampler([1.0, 2.0, 3.0], 3, replacement=False)) == [0, 1, 2]


@pytest.mark.parametrize(
    ("name", "arguments", "kind", "text"),
    [
        ("RandomSampler", ([1], 1), TypeError, "replacement should be a boolean value, but got replacement="),
        ("RandomSampler", ([],), ValueError, "num_samples should be a positive integer value, but got num_s"),
        ("RandomSampler", ([1], False, 0.5), ValueError, "num_samples should be a positive integer value, b"),
        ("WeightedRandomSampler", ([1.0], True), ValueError, "num_samples should be a positive integer valu"),
        ("WeightedRandomSampler", ([1.0], 1, 1), ValueError, "replacement should be a boolean value, but go"),
        ("WeightedRandomSampler", ([[1.0]], 1), ValueError, "weights should be a 1d sequence but given weig"),
        ("BatchSampler", ([1], 0, False), ValueError, "batch_size should be a positive integer value, but g"),
        ("BatchSampler", ([1], True, False), ValueError, "batch_size should be a positive integer value, bu"),
        ("BatchSampler", ([1], 1, 0), ValueError, "drop_last should be a boolean value, but got drop_last=0"),
    ],
)  # fmt: skip
def test_samplers_refuse(data: ModuleType, name: str, arguments: Any, kind: Any, text: str) -> None:
    with pytest.raises(kind) as caught:
        getattr(data, name)(*arguments)
    assert str(caught.value).startswith(text)


# -- collate -------------------------------------------------------------------------------------------------

Point = collections.namedtuple("Point", ["x", "y"])


class Labelled(list):
    """A list with an attribute."""

    label = ""


def plain(value: Any) -> Any:
    """``value`` with lists in place of tensors, each marked by its dtype."""
    if hasattr(value, "dtype"):
        return (str(value.dtype).partition(".")[2], value.tolist())
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, Point):
        return Point(*map(plain, value))
    return [plain(each) for each in value] if isinstance(value, list) else value


def test_default_collate(lib: ModuleType, data: ModuleType) -> None:
    collated = data.default_collate
    tensors = [lib.tensor([1, 2]), lib.tensor([3, 4])]
    assert plain(collated(tensors)) == ("int64", [[1, 2], [3, 4]])
    assert plain(collated([1, 2])) == ("int64", [1, 2])
    assert plain(collated([True, False])) == ("bool", [True, False])
    assert plain(collated([0.5, 1.5])) == ("float64", [0.5, 1.5])
    assert collated(["a", "b"]) == ["a", "b"] and collated([b"a"]) == [b"a"]
    assert plain(collated([(1, "a"), (2, "b")])) == [("int64", [1, 2]), ("a", "b")]
    assert plain(collated([[1, 2.0], [3, 4.0]])) == [("int64", [1, 3]), ("float64", [2.0, 4.0])]
    assert plain(collated([{"a": 1, "b": [2]}, {"a": 3, "b": [4]}])) == {
        "a": ("int64", [1, 3]),
        "b": [("int64", [2, 4])],
    }
    assert plain(collated([Point(1, 2), Point(3, 4)])) == Point(("int64", [1, 3]), ("int64", [2, 4]))
    ordered = collated([collections.OrderedDict(b=1, a=2)])
    assert type(ordered) is collections.OrderedDict and list(ordered) == ["b", "a"]
    assert type(collated([MappingProxyType({"a": 1})])) is MappingProxyType
    labelled = Labelled([1, 2])
    labelled.label = "mine"
    found = collated([labelled, Labelled([3, 4])])
    assert type(found) is Labelled and found.label == "mine" and found[1].tolist() == [2, 4]
    assert plain(collated([range(2), range(1, 3)])) == [("int64", [0, 1]), ("int64", [1, 2])]
    with pytest.raises(RuntimeError, match=r"^each element in list of batch should be of equal size$"):
        collated([[1], [1, 2]])
    with pytest.raises(
        TypeError,
        match=r"^default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists",
    ):
        collated([object()])
    with pytest.raises(RuntimeError, match="stack"):
        collated([lib.ones(2), lib.ones(3)])


def test_arrays_of_numpy_become_tensors(lib: ModuleType, data: ModuleType) -> None:
    numpy = pytest.importorskip("numpy")
    assert plain(data.default_collate([numpy.array([1, 2]), numpy.array([3, 4])])) == (
        "int64",
        [[1, 2], [3, 4]],
    )
    assert plain(data.default_collate([numpy.float32(1.5), numpy.float32(2)])) == ("float32", [1.5, 2.0])
    assert plain(data.default_collate([numpy.float64(1.5)])) == ("float64", [1.5])
    assert plain(data.default_collate([numpy.bool_(True)])) == ("bool", [True])
    with pytest.raises(TypeError, match=r"dicts or lists; found <U1$"):
        data.default_collate([numpy.array(["a"])])
    found = data.default_convert({"a": [numpy.array([1]), 2, "x"], "b": (numpy.float32(1),)})
    assert plain(found) == {"a": [("int64", [1]), 2, "x"], "b": [("float32", 1.0)]}
    text = numpy.array(["a"])
    assert data.default_convert(text) is text


def test_default_convert_leaves_other_objects_unchanged(lib: ModuleType, data: ModuleType) -> None:
    x, marker = lib.ones(2), object()
    assert data.default_convert(x) is x and data.default_convert(marker) is marker
    assert data.default_convert("ab") == "ab" and data.default_convert(3) == 3
    assert data.default_convert((1, [2])) == [1, [2]]
    assert data.default_convert(Point(1, x)) == Point(1, x)
    assert data.default_convert(range(3)) == [0, 1, 2]


def test_collate_with_functions_of_the_user() -> None:
    def joined(batch: Any, *, collate_fn_map: Any = None) -> str:
        return "".join(batch)

    assert collate(
        [["a", 1], ["b", 2]], collate_fn_map={str: joined, int: lambda batch, **_: sum(batch)}
    ) == ["ab", 3]
    with pytest.raises(TypeError, match="found <class 'int'>"):
        collate([1, 2])


def test_the_names_of_gnomon_are_those_of_pytorch() -> None:
    torch_data = pytest.importorskip("torch.utils.data")
    assert {*gnomon.utils.data.__all__} <= {*torch_data.__all__, "default_collate", "default_convert"}


@pytest.mark.parametrize("drop_last", [False, True])
@pytest.mark.parametrize("count, replicas", [(10, 3), (9, 3), (2, 5), (0, 2), (1, 1)])
def test_processes_share_the_indices(data: ModuleType, count: int, replicas: int, drop_last: bool) -> None:
    dataset = squares(data, count)
    options = {"shuffle": False, "drop_last": drop_last}
    samplers = [data.DistributedSampler(dataset, replicas, rank, **options) for rank in range(replicas)]
    found = [list(sampler) for sampler in samplers]
    length = count // replicas if drop_last else -(-count // replicas)
    assert [len(each) for each in found] == [len(each) for each in samplers] == [length] * replicas
    dealt = [each[place] for place in range(length) for each in found]
    assert dealt == [place % count for place in range(length * replicas)]


def test_processes_shuffle_alike_and_anew_in_each_epoch(lib: ModuleType, data: ModuleType) -> None:
    orders = []
    for epoch, seed in ((0, 0), (0, 0), (1, 0), (0, 1)):
        samplers = [data.DistributedSampler(squares(data, 8), 2, rank, seed=seed) for rank in range(2)]
        for sampler in samplers:
            sampler.set_epoch(epoch)
        orders.append([list(sampler) for sampler in samplers])
        assert sorted(orders[-1][0] + orders[-1][1]) == list(range(8))
    assert orders[0] == orders[1] != orders[2] == orders[3]  # the seed and the epoch are added
    order = lib.randperm(8, generator=lib.Generator().manual_seed(1)).tolist()
    assert orders[2] == [order[0::2], order[1::2]]


def test_a_distributed_sampler_refuses(data: ModuleType) -> None:
    assert data.DistributedSampler is data.distributed.DistributedSampler
    for rank in (-1, 2):
        with pytest.raises(
            ValueError, match=rf"^Invalid rank {rank}, rank should be in the interval \[0, 1\]$"
        ):
            data.DistributedSampler([1, 2], 2, rank)
    for arguments in ((), (2,), (None, 0)):
        with pytest.raises((RuntimeError, ValueError), match=r"(distributed|process group)"):
            data.DistributedSampler([1, 2], *arguments)


def test_older_names_of_concatenated_datasets(data: ModuleType) -> None:
    joined = data.ConcatDataset([squares(data, 2), squares(data, 3)])
    with pytest.warns(FutureWarning, match="`cummulative_sizes` attribute is renamed to `cumulative_sizes`"):
        assert joined.cummulative_sizes == [2, 5]
    assert data.ConcatDataset.cumsum(joined.datasets) == [2, 5]
