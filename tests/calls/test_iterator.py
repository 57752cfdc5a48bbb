"""calls/iterator.py: broadcasting, the output-stride rule, coalescing."""

from __future__ import annotations

import itertools
from typing import Any

import numpy
from hypothesis import given
from hypothesis import strategies as st

import gnomon as gn
from gnomon.calls.iterator import FastSetup, TensorIterator, converted_spec
from gnomon.memory.spec import Spec, contiguous_spec, spec_of
from gnomon.values import geometry
from gnomon.values.dtype import float32, float64, int32

REFERENCE = gn.device("reference")


@st.composite
def operands(draw: st.DrawFn) -> list[Spec]:
    """One to three specs that broadcast, in various memory orders."""
    sizes = draw(st.lists(st.integers(1, 4), min_size=0, max_size=4))
    specs = []
    for _ in range(draw(st.integers(1, 3))):
        mine = [1 if draw(st.integers(0, 3)) == 0 else size for size in sizes]
        mine = mine[draw(st.integers(0, len(mine))) :] if draw(st.booleans()) else mine
        order = draw(st.permutations(range(len(mine))))
        strides = [0] * len(mine)
        step = 1
        for dim in order:
            strides[dim] = step
            step *= mine[dim]
        specs.append(spec_of(tuple(mine), tuple(strides), float32, REFERENCE))
    return specs


def elements(iterator: TensorIterator, position: int) -> list[int]:
    """Byte offsets of an operand's elements in the order of iteration, dimension 0 fastest."""
    strides = iterator.operands[position].strides
    indices = itertools.product(*(range(size) for size in reversed(iterator.shape)))
    return [sum(i * stride for i, stride in zip(reversed(index), strides)) for index in indices]


@given(operands())
def test_the_walk_meets_each_element_with_its_broadcast_partners(specs: list[Spec]) -> None:
    iterator = TensorIterator("test", specs, [float32], float32, REFERENCE)
    sizes = numpy.broadcast_shapes(*(spec.sizes for spec in specs))
    assert iterator.sizes == sizes and iterator.numel == geometry.numel_of(sizes)
    output = iterator.output_specs[0]
    expected = set()
    for index in itertools.product(*(range(size) for size in sizes)):
        row = [sum(i * s for i, s in zip(index, output.strides)) * 4]
        for spec in specs:
            strides = geometry.expand_strides(spec.sizes, spec.strides, sizes)
            row.append(sum(i * s for i, s in zip(index, strides)) * 4)
        expected.add(tuple(row))
    columns = [elements(iterator, position) for position in range(len(specs) + 1)]
    assert sorted(zip(*columns)) == sorted(expected)


@given(operands())
def test_new_outputs_are_dense(specs: list[Spec]) -> None:
    output = TensorIterator("test", specs, [float32], float32, REFERENCE).output_specs[0]
    assert geometry.is_non_overlapping_and_dense(output.sizes, output.strides)


def strides_of(*specs: Spec) -> tuple[int, ...]:
    return TensorIterator("test", specs, [float32], float32, REFERENCE).output_specs[0].strides


def test_output_strides_follow_the_inputs_as_in_pytorch() -> None:
    row_major = contiguous_spec((2, 3), float32, REFERENCE)
    transposed = spec_of((2, 3), (1, 2), float32, REFERENCE)
    assert strides_of(row_major, row_major) == (3, 1)
    assert strides_of(transposed, transposed) == (1, 2)
    assert strides_of(transposed, row_major) == (1, 2)  # the first operand with a clear order decides
    assert strides_of(row_major, transposed) == (3, 1)
    expanded = spec_of((2, 3), (1, 0), float32, REFERENCE)
    assert strides_of(expanded, transposed) == (1, 2)  # a stride of 0 gives no order
    channels_last = spec_of((2, 3, 4, 5), (60, 1, 15, 3), float32, REFERENCE)
    assert strides_of(channels_last, channels_last) == (60, 1, 15, 3)
    assert strides_of(channels_last, contiguous_spec((3, 1, 1), float32, REFERENCE)) == (60, 1, 15, 3)


def test_dense_operands_coalesce_to_one_dimension() -> None:
    spec = contiguous_spec((2, 3, 4), float32, REFERENCE)
    assert TensorIterator("test", [spec, spec], [float32], float32, REFERENCE).shape == [24]
    row = contiguous_spec((4,), float32, REFERENCE)
    iterator = TensorIterator("test", [spec, row], [float32], float32, REFERENCE)
    assert iterator.shape == [4, 6]
    assert iterator.operands[2].strides == [4, 0]


def test_a_reduction_has_stride_0_in_reduced_dimensions() -> None:
    spec = contiguous_spec((2, 3, 4), float32, REFERENCE)
    iterator = TensorIterator("sum", [spec], [float32], float32, REFERENCE, reduced_dims=(1,), keepdim=False)
    assert iterator.output_specs[0].sizes == (2, 4)
    assert sorted(zip(iterator.shape, iterator.operands[0].strides)) == [(2, 16), (3, 0), (4, 4)]
    kept = TensorIterator("sum", [spec], [float32], float32, REFERENCE, reduced_dims=(0, 2), keepdim=True)
    assert kept.output_specs[0].sizes == (1, 3, 1)


def test_converted_inputs_are_walked_by_their_own_strides() -> None:
    expanded = spec_of((2, 3), (1, 0), int32, REFERENCE)
    iterator = TensorIterator(
        "add", [expanded, contiguous_spec((2, 3), float64, REFERENCE)], [float64], float64, REFERENCE
    )
    copied = converted_spec(expanded, float64)
    assert geometry.is_non_overlapping_and_dense(copied.sizes, copied.strides)
    converted = iterator.with_converted_inputs()
    assert converted.operands[1].spec is copied
    assert converted.output_specs == iterator.output_specs


def test_a_converted_copy_keeps_the_strides_of_dimensions_of_size_1() -> None:
    column = spec_of((3, 1), (1, 3), int32, REFERENCE)
    assert converted_spec(column, float32).strides == (1, 3)
    gapped = spec_of((3, 2), (1, 6), int32, REFERENCE)
    assert converted_spec(gapped, float32).strides == (1, 3)


def test_the_setup_says_why_outputs_have_their_strides() -> None:
    def setup(*specs: Spec, **options: Any) -> tuple[FastSetup, tuple[int, ...]]:
        return TensorIterator(
            "test", specs, [float32], float32, REFERENCE, **options
        )._compute_fast_setup_type()

    plain = contiguous_spec((2, 3, 4, 5), float32, REFERENCE)
    last = spec_of((2, 3, 4, 5), (60, 1, 15, 3), float32, REFERENCE)
    turned = spec_of((3, 4), (1, 3), float32, REFERENCE)
    wide = spec_of((3, 4), (8, 2), float32, REFERENCE)
    assert setup(plain, plain) == (FastSetup.CONTIGUOUS, (60, 20, 5, 1))
    assert setup(last, last) == (FastSetup.CHANNELS_LAST, (60, 1, 15, 3))
    assert setup(turned, turned) == (FastSetup.NON_OVERLAPPING_DENSE, (1, 3))
    for operands in ((plain, last), (wide, wide), (turned, contiguous_spec((4,), float32, REFERENCE))):
        assert setup(*operands) == (FastSetup.NONE, ())
    assert setup(plain, reduced_dims=(1,)) == (FastSetup.NONE, ())


def test_it_knows_which_outputs_it_was_given() -> None:
    spec = contiguous_spec((2, 3), float32, REFERENCE)
    iterator = TensorIterator("test", [spec], [float32], float32, REFERENCE)
    assert iterator.given_outputs is None
    assert iterator.with_outputs([spec]).given_outputs == [spec]
