"""ops/index.py: x[...] and x[...] = v, against NumPy where their rules are the same."""

from __future__ import annotations

from typing import Any

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gnomon as gn

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
    """An int beside arrays: NumPy takes it as an array of its own, PyTorch selects first.

    Their rules differ there.
    """
    has_array = any(isinstance(each, numpy.ndarray) for each in index)
    return has_array and any(isinstance(each, int) for each in index)


@settings(max_examples=300, deadline=None)
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
    is_view = not any(isinstance(each, numpy.ndarray) for each in index)
    assert (result.untyped_storage() is tensor.untyped_storage()) == is_view


@settings(max_examples=200, deadline=None)
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
    assert x[0, :, index].shape == (4, 2)  # NumPy would say (2, 4)
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


@pytest.mark.parametrize(
    ("index", "text"),
    [
        (5, "index 5 is out of bounds for dimension 0 with size 3"),
        ((0, -5), "index -5 is out of bounds for dimension 1 with size 4"),
        ((0, 0, 0, 0), "too many indices for tensor of dimension 3"),
        ((..., ...), "single ellipsis"),
        ("x", "only integers, slices"),
        (1.0, "only integers, slices"),
        ([7], "index 7 is out of bounds for dimension 0 with size 3"),
        ([1.5], "tensors used as indices must be long, int, byte or bool"),
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
