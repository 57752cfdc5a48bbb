"""ops/indexing/index.py: x[...] and x[...] = v, against NumPy where its rules are the same."""

from __future__ import annotations

import itertools
from typing import Any

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gnomon as gn

pytestmark = pytest.mark.both_tiers

SIZES = (3, 4, 2)


@st.composite
def indices(draw: st.DrawFn) -> tuple[Any, ...]:
    """Indices of a (3, 4, 2) tensor: ints, slices, None, Ellipsis, integer arrays and masks, mixed."""
    items: list[Any] = []
    dim = 0
    shape = draw(st.sampled_from([(2,), (1, 2), ()]))
    while dim < len(SIZES) and draw(st.integers(0, 4)) > 0:
        size = SIZES[dim]
        kind = draw(st.sampled_from(["int", "slice", "None", "array", "mask"]))
        if kind == "None":
            items.append(None)
            continue
        if kind == "int":
            items.append(draw(st.integers(-size, size - 1)))
        elif kind == "slice":
            bound = st.one_of(st.none(), st.integers(-5, 5))
            items.append(slice(draw(bound), draw(bound), draw(st.one_of(st.none(), st.integers(1, 3)))))
        elif kind == "array":
            count = int(numpy.prod(shape, dtype=int))
            numbers = [draw(st.integers(-size, size - 1)) for _ in range(count)]
            items.append(numpy.array(numbers).reshape(shape))
        else:
            mask = numpy.zeros(size, bool)
            for position in draw(st.sets(st.integers(0, size - 1), min_size=2, max_size=2)):
                mask[position] = True
            items.append(mask)
        dim += 1
    if draw(st.booleans()):
        items.append(...)
    return tuple(items)


def to_gnomon(index: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(gn.tensor(each.tolist()) if isinstance(each, numpy.ndarray) else each for each in index)


def separated_ints(index: tuple[Any, ...]) -> bool:
    """Whether the index has an int next to arrays: NumPy treats it as another array, PyTorch selects first.

    The results differ then.
    """
    has_array = any(isinstance(each, numpy.ndarray) and each.ndim for each in index)
    return has_array and any(isinstance(each, int) or getattr(each, "shape", None) == () for each in index)


@settings(max_examples=300)
@given(indices(), st.booleans())
def test_getitem_is_numpys(index: tuple[Any, ...], transposed: bool) -> None:
    array = numpy.arange(24, dtype=numpy.float32).reshape(SIZES)
    tensor = gn.arange(24, device="reference").float().view(SIZES)
    if transposed:
        array = array.transpose(2, 1, 0).copy().transpose(2, 1, 0)
        tensor = tensor.permute(2, 1, 0).contiguous().permute(2, 1, 0)
    if separated_ints(index):
        return
    with gn.device("reference"):
        try:
            expected = array[index]
        except IndexError:
            with pytest.raises(IndexError):
                tensor[to_gnomon(index)]
            return
        result = tensor[to_gnomon(index)]
    assert tuple(result.shape) == expected.shape
    assert result.tolist() == expected.tolist()
    is_view = not any(isinstance(each, numpy.ndarray) and each.ndim for each in index)  # 0-dim acts as an int
    assert (result.untyped_storage() is tensor.untyped_storage()) == is_view


@settings(max_examples=200)
@given(indices())
def test_setitem_is_numpys(index: tuple[Any, ...]) -> None:
    if separated_ints(index):
        return
    array = numpy.zeros(SIZES, numpy.float32)
    try:
        shape = array[index].shape
    except IndexError:
        return
    values = numpy.arange(1, 1 + int(numpy.prod(shape, dtype=int)), dtype=numpy.float32).reshape(shape)
    for value in (values, values[..., :1] if values.ndim and values.shape[-1] else values, 7.0):
        expected = array.copy()
        expected[index] = value
        with gn.device("reference"):
            tensor = gn.zeros(SIZES)
            tensor[to_gnomon(index)] = gn.tensor(value) if isinstance(value, numpy.ndarray) else value
        assert tensor.tolist() == expected.tolist()
        assert tensor._version >= 1


def test_ints_beside_tensors_select_first(device: str) -> None:
    x = gn.arange(24).view(SIZES)
    index = gn.tensor([0, 1])
    assert x[0, :, index].shape == (4, 2)  # (2, 4) in NumPy
    assert x[index, 0].tolist() == [[0, 1], [8, 9]]
    assert x[:, 1, gn.tensor([1])].tolist() == [[3], [11], [19]]


def test_bools_and_0_dim_tensors(device: str) -> None:
    x = gn.arange(3)
    assert x[True].shape == (1, 3) and x[False].shape == (0, 3)
    assert x[gn.tensor(True)].shape == (1, 3)
    assert x[gn.tensor(2)].tolist() == 2
    assert x[x > 0].tolist() == [1, 2]
    assert x[[0, 2]].tolist() == [0, 2] and x[[True, False, True]].tolist() == [0, 2]
    assert x[range(2)].tolist() == [0, 1] and x[[]].shape == (0,)
    x[x > 0] = 9
    assert x.tolist() == [0, 9, 9]


def test_duplicates_accumulate_when_asked(device: str) -> None:
    x = gn.zeros(3)
    index = gn.tensor([0, 2, 0])
    x.index_put_([index], gn.tensor([1.0, 2.0, 4.0]), accumulate=True)
    assert x.tolist() == [5.0, 0.0, 2.0]
    weights = gn.zeros(3, requires_grad=True)
    (weights[index] * gn.tensor([1.0, 2.0, 4.0])).sum().backward()
    assert weights.grad.tolist() == [5.0, 0.0, 2.0]


def test_the_values_of_an_index_put_have_a_gradient_whatever_the_number_of_indices(device: str) -> None:
    for indices in ([0], [0, 1], [0, 1, 1], [slice(None), 1, 0]):
        x = gn.zeros(SIZES)
        value = gn.tensor(2.0, requires_grad=True)
        x[tuple(gn.tensor([each]) if isinstance(each, int) else each for each in indices)] = value * 3
        x.sum().backward()
        assert value.grad.item() == 3 * (x != 0).sum().item()


@pytest.mark.parametrize(
    ("index", "text"),
    [
        (5, "index 5 is out of bounds for dimension 0 with size 3"),
        ((0, -5), "index -5 is out of bounds for dimension 1 with size 4"),
        ((0, 0, 0, 0), "too many indices for tensor of dimension 3"),
        (1.0, "only integers, slices"),
        ({}, "only integers, slices"),
        ([7], "index 7 is out of bounds for dimension 0 with size 3"),
        (gn.tensor([1.5]), "tensors used as indices must be long, int, byte or bool"),
        (gn.tensor([1], dtype=gn.int8), "tensors used as indices must be long, int, byte or bool"),
        (([0, 1], [0, 1, 2]), "could not be broadcast together"),
        ([True, False], "The shape of the mask"),
    ],
)
def test_wrong_indices_name_index_dimension_and_size(device: str, index: Any, text: str) -> None:
    x = gn.zeros(SIZES)
    with pytest.raises(IndexError, match=text):
        x[index]
    with pytest.raises(IndexError, match=text):
        x[index] = 1.0
    assert x.tolist() == gn.zeros(SIZES).tolist()


def test_a_step_of_0_and_values_that_do_not_fit(device: str) -> None:
    x = gn.zeros(SIZES)
    with pytest.raises(ValueError, match="step must be greater than zero"):
        x[::-1]
    with pytest.raises(RuntimeError, match="must match the existing size"):
        x[0] = gn.ones(3)
    with pytest.raises(RuntimeError, match="cannot be broadcast to indexing result"):
        x[gn.tensor([0, 1])] = gn.ones(3)


def test_what_python_refuses(device: str) -> None:
    x = gn.zeros(SIZES)
    for index in ("x", ["x"], (0, "x")):
        with pytest.raises(TypeError, match="an index must be made of integers, got 'x'"):
            x[index]
    with pytest.raises(TypeError, match=r"^x\[\.\.\.\]: slice indices must be integers .*, got float$"):
        x[1.5:]


@pytest.mark.parametrize("bound", [(-9, 9), (-(2**70), 2**70)])
@given(data=st.data())
@settings(max_examples=60)
def test_rows_are_where_numpy_has_them(bound: tuple[int, int], data: st.DataObject) -> None:
    """Also in calls that repeat what was found for the first rows."""
    sizes = data.draw(st.sampled_from([(7,), (7, 2), (1, 3), (0, 2), (5, 0)]))
    count = sizes[0] * (sizes[1] if len(sizes) > 1 else 1)
    array = numpy.arange(2.0 * count + 5)[5::2][:count].reshape(sizes)
    x = gn.arange(2.0 * count + 5)[5::2][:count].reshape(sizes)
    limit = st.one_of(st.none(), st.integers(*bound))
    for _ in range(3):
        index = slice(data.draw(limit), data.draw(limit), data.draw(st.sampled_from([None, 1, 2])))
        found, wanted = x[index], array[index]
        assert found.tolist() == wanted.tolist() and tuple(found.shape) == wanted.shape
        if wanted.size:
            offset = wanted.__array_interface__["data"][0] - array.__array_interface__["data"][0]
            assert found.storage_offset() - x.storage_offset() == offset // 8
        assert found.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()


def test_bounds_of_slices_may_be_tensors(device: str) -> None:
    x = gn.arange(10.0)
    low, high, step = gn.tensor(2), gn.tensor([8], dtype=gn.uint8), gn.tensor(3, device="reference")
    for found, wanted in (
        (x[low:high], x[2:8]),
        (x[low:], x[2:]),
        (x[:high:step], x[:8:3]),
        (x[-low : gn.tensor(10**6)], x[-2:]),
        (x[gn.tensor(True) :: low], x[1::2]),
    ):
        assert found.tolist() == wanted.tolist() and found.stride() == wanted.stride()
        assert found._base is x and found.storage_offset() == wanted.storage_offset()
    with pytest.raises(TypeError, match="only integer tensors of a single element can be converted to an"):
        x[gn.tensor(1.0) :]
    with pytest.raises(TypeError, match="only integer tensors of a single element can be converted to an"):
        x[: gn.tensor([1, 2])]
    with pytest.raises(ValueError, match="step must be greater than zero"):
        x[:: gn.tensor(-1)]


def is_mask(item: Any) -> bool:
    return isinstance(item, gn.Tensor) and item.dtype is gn.bool


def picks(item: Any, dim: int, sizes: tuple[int, ...]) -> list[tuple[tuple[int, int], ...]]:
    """What an item selects, from dimension ``dim`` on: for each step along the item's dimension, pairs of a
    dimension and an index.
    """
    if isinstance(item, slice):
        return [((dim, number),) for number in range(*item.indices(sizes[dim]))]
    if is_mask(item):
        return [tuple((dim + each, at) for each, at in enumerate(row)) for row in item.nonzero().tolist()]
    return [((dim, number % sizes[dim]),) for number in item.flatten().tolist()]


def model(sizes: tuple[int, ...], index: tuple[Any, ...]) -> tuple[tuple[int, ...], list[tuple[int, ...]]]:
    """x[index] by the rules: its sizes, and for each of its elements, row-major, the position in x.

    Ints fix a dimension, slices iterate over one, None adds one. Tensors are broadcast: their common shape
    replaces them if they are adjacent, and comes first if they are not.
    """
    consumed = sum(each.ndim if is_mask(each) else each is not None and each is not ... for each in index)
    if consumed > len(sizes):
        raise IndexError
    rest = [slice(None)] * (len(sizes) - consumed)
    at = next((position for position, each in enumerate(index) if each is ...), len(index))
    dim = 0
    fixed: list[tuple[int, int]] = []
    walks: list[tuple[tuple[int, ...], list[Any]] | None] = []  # sizes and steps; None for tensors
    tensors: list[tuple[tuple[int, ...], list[Any]]] = []
    for each in (*index[:at], *rest, *index[at + 1 :]):
        if each is None:
            walks.append(((1,), [()]))
        elif isinstance(each, int) or (isinstance(each, gn.Tensor) and not is_mask(each) and each.ndim == 0):
            fixed.append((dim, int(each) % sizes[dim]))
            dim += 1
        else:
            steps = picks(each, dim, sizes)
            dim += each.ndim if is_mask(each) else 1
            if isinstance(each, slice):
                walks.append(((len(steps),), steps))
            else:
                tensors.append(((len(steps),) if is_mask(each) else tuple(each.shape), steps))
                walks.append(None)
    if tensors:
        shape = numpy.broadcast_shapes(*(its for its, _ in tensors))
        count = int(numpy.prod(shape, dtype=int))
        spread = []
        for its, steps in tensors:
            order = numpy.broadcast_to(numpy.arange(len(steps)).reshape(its), shape).flatten()
            spread.append([steps[number] for number in order])
        together = (shape, [sum((each[step] for each in spread), ()) for step in range(count)])
        places = [position for position, each in enumerate(walks) if each is None]
        adjacent = places == list(range(places[0], places[-1] + 1))
        walks = [each for each in walks if each is not None]
        walks.insert(places[0] if adjacent else 0, together)
    found = []
    for steps in itertools.product(*(each[1] for each in walks)):
        position = dict([*fixed, *(pair for step in steps for pair in step)])
        found.append(tuple(position[each] for each in range(len(sizes))))
    return tuple(size for each in walks for size in each[0]), found


@st.composite
def any_indices(draw: st.DrawFn) -> tuple[tuple[int, ...], tuple[Any, ...]]:
    """Sizes, and indices of all kinds for them."""
    sizes = draw(st.sampled_from([(3, 4, 2), (2, 3), (4,), (2, 0, 3), ()]))
    shape = draw(st.sampled_from([(2,), (2, 1), (1,), (0,)]))
    items: list[Any] = []
    dim = 0
    while draw(st.integers(0, 5)) > 0:
        kinds = ["int", "slice", "tensor", "0-dim", "mask"] if dim < len(sizes) else []
        kind = draw(st.sampled_from(["None", "...", *kinds]))
        size = sizes[dim] if kinds else 0
        if kind == "None":
            items.append(None)
        elif kind == "..." and ... not in [each for each in items if each is ...]:
            items.append(...)
        elif kind == "slice":
            bound = st.one_of(st.none(), st.integers(-5, 5))
            items.append(slice(draw(bound), draw(bound), draw(st.one_of(st.none(), st.integers(1, 3)))))
            dim += 1
        elif kind in ("int", "0-dim", "tensor") and size:
            numbers = st.integers(-1, min(sizes) - 1)  # valid in whichever dimension it indexes
            if kind == "tensor":
                its = draw(st.sampled_from([shape, (1,)]))
                drawn = [draw(numbers) for _ in range(int(numpy.prod(its, dtype=int)))]
                dtype = draw(st.sampled_from([gn.int64, gn.int32]))
                items.append(gn.tensor(drawn, dtype=dtype, device="reference").view(its))
            else:
                one = draw(numbers)
                items.append(one if kind == "int" else gn.tensor(one, dtype=gn.int16, device="reference"))
            dim += 1
        elif kind == "mask" and ... not in [each for each in items if each is ...]:
            taken = sizes[dim : dim + draw(st.integers(1, len(sizes) - dim))]
            bits = [draw(st.booleans()) for _ in range(int(numpy.prod(taken, dtype=int)))]
            items.append(gn.tensor(bits, dtype=gn.bool, device="reference").view(taken))
            dim += len(taken)
    return sizes, tuple(items)


@settings(max_examples=300)
@given(any_indices(), st.booleans())
def test_getitem_and_setitem_are_what_the_rules_say(drawn: tuple[Any, Any], transposed: bool) -> None:
    sizes, index = drawn
    dims = list(range(len(sizes)))[::-1]
    x = gn.arange(float(numpy.prod(sizes, dtype=int)), device="reference").view(sizes)
    if transposed:
        x = x.permute(dims).contiguous().permute(dims)
    try:
        shape, positions = model(sizes, index)
    except (
        ValueError,
        IndexError,
        ZeroDivisionError,
    ):  # shapes that do not broadcast, dimensions of size 0
        with pytest.raises(IndexError):
            x[index]
        return
    result = x[index]
    assert tuple(result.shape) == shape
    assert result.flatten().tolist() == [x[position].item() for position in positions]
    is_view = not any(isinstance(each, gn.Tensor) and each.ndim for each in index)
    assert (result.untyped_storage() is x.untyped_storage()) == is_view
    expected = {position: x[position].item() for position in itertools.product(*map(range, sizes))}
    if len(set(positions)) < len(positions):
        return  # it is undefined which of several values is kept
    for number, position in enumerate(positions):
        expected[position] = -1.0 - number
    x[index] = -1.0 - gn.arange(float(len(positions)), device="reference").view(shape)
    assert [x[position].item() for position in expected] == list(expected.values())


@pytest.mark.parametrize(
    "index",
    [
        numpy.array([[0, 1], [1, 0]]),
        numpy.array([[0], [1]], numpy.int32),
        numpy.array([[True, False, True], [False, True, False]]),
        numpy.array(True),
        numpy.array(False),
        numpy.array(1),
        numpy.zeros((0, 2), int),
        (0, numpy.array([[0, 2]])),
        (numpy.array(1), numpy.array(2)),
    ],
    ids=repr,
)
def test_an_array_is_one_index_whatever_its_dimensions(device: str, index: Any) -> None:
    array = numpy.arange(6.0).reshape(2, 3)
    x = gn.arange(6.0).reshape(2, 3)
    assert x[index].shape == array[index].shape and x[index].tolist() == array[index].tolist()
    x[index] = -1.0
    array[index] = -1.0
    assert x.tolist() == array.tolist()


def test_a_list_of_arrays_has_one_for_each_dimension(device: str) -> None:
    x = gn.arange(6.0).reshape(2, 3)
    assert x[[numpy.array([0, 1]), numpy.array([1, 0])]].tolist() == [1.0, 3.0]


def test_a_view_with_more_dimensions_is_written_to_in_place(device: str) -> None:
    x = gn.arange(6.0).reshape(2, 3)
    x[None] += 1
    x[0, None] *= 2
    x[None] = x[None]
    x[None, None] = x[None]
    x[0:1] = x[0:1]
    assert x.tolist() == [[2.0, 4.0, 6.0], [4.0, 5.0, 6.0]]
    with pytest.raises(RuntimeError, match="single memory location"):
        x.flatten()[1:4][None] = x.flatten()[0:3]


@pytest.mark.parametrize("accumulate", [False, True])
@pytest.mark.parametrize("is_true", [False, True])
def test_a_mask_without_dimensions_is_for_the_whole(device: str, is_true: bool, accumulate: bool) -> None:
    x, mask = gn.ones(2, 2), gn.tensor(is_true)
    wanted = [[6.0 if accumulate else 5.0] * 2] * 2 if is_true else [[1.0, 1.0]] * 2
    for value in (gn.tensor(5.0), gn.full((2,), 5.0)):
        assert gn.ops.aten.index_put.default(x, [mask], value, accumulate).tolist() == wanted
        written = x.clone()
        assert gn.ops.aten.index_put_.default(written, [mask], value, accumulate) is written
        assert written.tolist() == wanted


def test_what_kernels_of_index_put_rest_on_is_checked(device: str) -> None:
    x, index = gn.zeros(3, 4), gn.tensor([0, 2])
    put = gn.ops.aten._index_put.default
    with pytest.raises(
        RuntimeError, match=r"of size \[2, 4\], but got tensor of size \[\] for argument 'values'"
    ):
        put(x, (index, None), gn.tensor(1.0), True)
    with pytest.raises(IndexError, match="indices of the same sizes"):
        put(x, (index, gn.tensor([1])), gn.ones(2), True)
    with pytest.raises(IndexError, match=r"too many indices for tensor of dimension 0 \(got 1\)"):
        put(gn.tensor(1.0), (index,), gn.ones(2), True)
    with pytest.raises(IndexError, match="an index, or None, for each of 2 dimensions, but got 1"):
        gn.ops.aten._index.default(x, (index,))
