"""values/geometry.py: pure arithmetic of sizes and strides, against enumeration."""

from __future__ import annotations

import itertools

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.values import geometry

SIZES = st.lists(st.integers(0, 4), max_size=4).map(tuple)


@st.composite
def views(draw: st.DrawFn) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Sizes and strides of permuted, stepped and expanded views of row-major tensors."""
    sizes = draw(SIZES)
    steps = [draw(st.integers(1, 2)) for _ in sizes]
    base = geometry.contiguous_strides([size * step for size, step in zip(sizes, steps)])
    strides = [stride * step for stride, step in zip(base, steps)]
    order = draw(st.permutations(range(len(sizes))))
    expanded = [0 if draw(st.integers(0, 5)) == 0 else strides[dim] for dim in order]
    return tuple(sizes[dim] for dim in order), tuple(expanded)


def offsets_of(sizes: tuple[int, ...], strides: tuple[int, ...]) -> list[int]:
    indices = itertools.product(*(range(size) for size in sizes))
    return [sum(i * stride for i, stride in zip(index, strides)) for index in indices]


@given(views())
def test_offsets_are_those_of_the_indices_in_row_major_order(
    view: tuple[tuple[int, ...], tuple[int, ...]],
) -> None:
    sizes, strides = view
    assert list(geometry.offsets(sizes, strides, 7)) == [7 + offset for offset in offsets_of(sizes, strides)]
    reach = geometry.extent(sizes, strides)
    assert reach == max(offsets_of(sizes, strides), default=-1) + 1


@st.composite
def other_shapes(draw: st.DrawFn, numel: int) -> tuple[int, ...]:
    """A shape with ``numel`` elements, some of its sizes 1."""
    sizes = []
    while numel > 1:
        factor = draw(st.sampled_from([each for each in range(2, numel + 1) if numel % each == 0]))
        sizes.append(factor)
        numel //= factor
    if numel == 0:
        sizes = [0, *draw(SIZES)]
    for _ in range(draw(st.integers(0, 2))):
        sizes.insert(draw(st.integers(0, len(sizes))), 1)
    return tuple(sizes)


@given(st.data(), views())
def test_view_strides_show_the_same_elements_in_the_same_order(
    data: st.DataObject, view: tuple[tuple[int, ...], tuple[int, ...]]
) -> None:
    sizes, strides = view
    to = data.draw(other_shapes(geometry.numel_of(sizes)))
    found = geometry.view_strides(sizes, strides, to)
    if found is not None:
        assert offsets_of(to, found) == offsets_of(sizes, strides)
    elif geometry.numel_of(sizes):
        # None must mean impossible: no strides can show these offsets as that shape
        flat = offsets_of(sizes, strides)
        guess = []
        step = geometry.numel_of(to)
        for size in to:
            step //= max(size, 1)
            guess.append(flat[step] - flat[0] if size > 1 else 0)
        assert offsets_of(to, tuple(guess)) != flat


@given(views())
def test_contiguity_is_what_the_offsets_say(view: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    sizes, strides = view
    offsets = offsets_of(sizes, strides)
    assert geometry.is_contiguous(sizes, strides) == (offsets == list(range(len(offsets))))
    dense = sorted(offsets) == list(range(len(offsets)))
    assert geometry.is_non_overlapping_and_dense(sizes, strides) == dense
    if geometry.has_internal_overlap(sizes, strides) and offsets:
        assert len(set(offsets)) < len(offsets)


@given(SIZES, SIZES)
def test_broadcasting_is_numpys(first: tuple[int, ...], second: tuple[int, ...]) -> None:
    try:
        expected = numpy.broadcast_shapes(first, second)
    except ValueError:
        with pytest.raises(RuntimeError, match="must match the size of tensor b"):
            geometry.broadcast_sizes(first, second)
        return
    assert geometry.broadcast_sizes(first, second) == expected
    strides = geometry.expand_strides(first, geometry.contiguous_strides(first), expected)
    shown = numpy.broadcast_to(numpy.arange(geometry.numel_of(first)).reshape(first), expected)
    assert offsets_of(expected, strides) == shown.ravel().tolist()


@given(st.one_of(st.none(), st.integers(-9, 9)), st.one_of(st.none(), st.integers(-9, 9)), st.integers(0, 6))
def test_slice_bounds_are_pythons(start: int | None, end: int | None, size: int) -> None:
    first, last, _ = slice(start, end).indices(size)
    found = geometry.slice_bounds(start, end, size)
    assert list(range(*found)) == list(range(first, last))
    assert 0 <= found[0] <= found[1] <= size


def test_infer_size_and_its_errors() -> None:
    assert geometry.infer_size((2, -1), 6) == (2, 3)
    assert geometry.infer_size((0, 3), 0) == (0, 3)
    for shape, numel, text in [
        ((-1, -1), 4, "only one dimension can be inferred"),
        ((4,), 6, r"shape '\[4\]' is invalid for input of size 6"),
        ((4, -1), 6, r"shape '\[4, -1\]' is invalid for input of size 6"),
        ((0, -1), 0, "ambiguous"),
        ((-2,), 6, "invalid shape dimension -2"),
    ]:
        with pytest.raises(RuntimeError, match=text):
            geometry.infer_size(shape, numel)


def test_wrap_dim() -> None:
    assert geometry.wrap_dim(-1, 3) == 2
    assert geometry.wrap_dim(0, 0) == 0
    with pytest.raises(IndexError, match=r"range of \[-3, 2\], but got 3"):
        geometry.wrap_dim(3, 3)
    with pytest.raises(RuntimeError, match="dim 1 appears multiple times"):
        geometry.wrap_dims((1, -2), 3)


def test_size_prints_its_kind_and_slices_to_itself() -> None:
    size = geometry.Size((2, 3))
    assert repr(size) == "gnomon.Size([2, 3])"
    assert size == (2, 3) and size.numel() == 6
    assert repr(size[1:]) == "gnomon.Size([3])" and size[0] == 2
    longer = size + (4,)
    assert isinstance(longer, geometry.Size) and longer == (2, 3, 4)
    assert isinstance((1,) + size, geometry.Size) and isinstance(size * 2, geometry.Size)
    assert 2 * size == (2, 3, 2, 3)
    with pytest.raises(TypeError, match="can only concatenate tuple"):
        size + [1]


@given(views(), st.data())
def test_diagonal_runs_along_two_dimensions(
    view: tuple[tuple[int, ...], tuple[int, ...]], data: st.DataObject
) -> None:
    sizes, strides = view
    if len(sizes) < 2:
        with pytest.raises((IndexError, RuntimeError)):
            geometry.diagonal(sizes, strides)
        return
    dim1, dim2, *_ = data.draw(st.permutations(range(len(sizes))))
    offset = data.draw(st.integers(-5, 5))
    found_sizes, found_strides, start = geometry.diagonal(sizes, strides, offset, dim1, dim2)
    offsets = numpy.array(offsets_of(sizes, strides), int).reshape(sizes)
    expected = numpy.diagonal(offsets, offset, dim1, dim2)
    assert found_sizes == expected.shape
    assert list(geometry.offsets(found_sizes, found_strides, start)) == expected.ravel().tolist()
    with pytest.raises(RuntimeError, match="cannot be identical"):
        geometry.diagonal(sizes, strides, 0, dim1, dim1 - len(sizes))


@given(views(), st.data())
def test_unfold_shows_windows(view: tuple[tuple[int, ...], tuple[int, ...]], data: st.DataObject) -> None:
    sizes, strides = view
    if not sizes:
        assert geometry.unfold((), (), 0, 1, 1) == ((1,), (1,))
        return
    dim = data.draw(st.integers(0, len(sizes) - 1))
    size = data.draw(st.integers(0, sizes[dim]))
    step = data.draw(st.integers(1, 3))
    found = geometry.unfold(sizes, strides, dim, size, step)
    offsets = numpy.array(offsets_of(sizes, strides), int).reshape(sizes)
    starts = range(0, sizes[dim] - size + 1, step)
    windows = [numpy.moveaxis(offsets, dim, -1)[..., start : start + size] for start in starts]
    assert found[0] == numpy.stack(windows, dim).shape
    assert offsets_of(*found) == numpy.stack(windows, dim).ravel().tolist()
    for wrong, text in (
        ((sizes[dim] + 1, 1), "maximum size"),
        ((0, 0), "must be > 0"),
        ((-1, 1), "must be >= 0"),
    ):
        with pytest.raises(RuntimeError, match=text):
            geometry.unfold(sizes, strides, dim, *wrong)


@given(st.lists(st.integers(1, 4), min_size=1, max_size=3), st.sampled_from([1, 2, 4, 8]), st.integers(0, 3))
def test_bytes_seen_as_larger_or_smaller_elements(sizes: list[int], itemsize: int, offset: int) -> None:
    shape = (*sizes[:-1], sizes[-1] * 8)
    strides = geometry.contiguous_strides(shape)
    for wanted in (1, 2, 4, 8):
        start = offset * 8
        found, steps, first = geometry.viewed_as_itemsize(shape, strides, start, itemsize, wanted)
        assert geometry.numel_of(found) * wanted == geometry.numel_of(shape) * itemsize
        assert first * wanted == start * itemsize
        if geometry.numel_of(shape):
            assert geometry.viewed_as_itemsize(found, steps, first, wanted, itemsize) == (
                shape,
                strides,
                start,
            )
    with pytest.raises(RuntimeError, match="cannot be 0"):
        geometry.viewed_as_itemsize((), (), 0, 4, 2)
    with pytest.raises(RuntimeError, match="must be 1"):
        geometry.viewed_as_itemsize((2, 2), (1, 2), 0, 4, 2)
    with pytest.raises(RuntimeError, match=r"self.size\(-1\) must be divisible by 2"):
        geometry.viewed_as_itemsize((3,), (1,), 0, 2, 4)


@pytest.mark.parametrize("sizes", [(2**62, 0), (2, 2**62, 0, 3), (0, 2**62), (2**62, 0, 2**62)])
def test_however_many_times_nothing_is_nothing(sizes: tuple[int, ...]) -> None:
    assert list(geometry.offsets(sizes, (1,) * len(sizes))) == []
