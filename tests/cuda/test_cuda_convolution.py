"""Convolution on the emulated GPU: sums of small integers, which are exact in any order."""

from __future__ import annotations

import pytest

import gnomon as gn
from cuda_calls import moved, same
from gnomon.calls import launch
from gnomon_cuda import convolution

pytestmark = pytest.mark.usefixtures("cuda")
aten = gn.ops.aten
DTYPES = [gn.float16, gn.bfloat16, gn.float32, gn.float64, gn.uint8, gn.int8, gn.int16, gn.int32, gn.int64]


def small_numbers(*sizes, dtype=gn.float32):
    """Integers from -2 to 2, or from 0 to 2 for uint8."""
    return gn.randint(0 if dtype is gn.uint8 else -2, 3, sizes, device="reference").to(dtype)


def check(
    inputs, weights, bias=True, stride=1, padding=0, dilation=1, transposed=False, more=0, groups=1, **options
):
    """Compare forward and all gradients with the reference's; nothing may fall back."""
    gn.manual_seed(1)
    dtype = options.get("dtype", gn.float32)
    spatial = len(inputs) - 2
    given, weight = small_numbers(*inputs, dtype=dtype), small_numbers(*weights, dtype=dtype)
    channels = weights[1] * groups if transposed else weights[0]
    added = small_numbers(channels, dtype=dtype) if bias else None
    for change in options.get("changes", ()):
        given, weight = change(given), change(weight)
    spread = [
        [each] * spatial if isinstance(each, int) else each for each in (stride, padding, dilation, more)
    ]
    rest = (*spread[:3], transposed, spread[3], groups)
    before = dict(launch.fallbacks)
    expected = aten.convolution.default(given, weight, added, *rest)
    on_device = moved(given), moved(weight), moved(added)
    assert same(expected, aten.convolution.default(*on_device, *rest))
    gradient = small_numbers(*expected.shape, dtype=dtype)
    for mask in options.get("masks", ([True, True, True],)):
        wanted = aten.convolution_backward.default(gradient, given, weight, [channels], *rest, mask)
        found = aten.convolution_backward.default(moved(gradient), *on_device[:2], [channels], *rest, mask)
        for one, other in zip(wanted, found):
            assert (one is None) == (other is None)
            assert one is None or same(one, other)
    assert dict(launch.fallbacks) == before


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda each: each.name)
def test_each_dtype(dtype):
    check((2, 3, 6, 7), (5, 3, 3, 2), stride=2, padding=1, dtype=dtype)
    check((1, 4, 5, 5), (4, 1, 3, 3), padding=1, groups=4, dtype=dtype)  # depthwise


@pytest.mark.parametrize("transposed", [False, True])
def test_strides_paddings_dilations_and_groups_in_each_number_of_dimensions(transposed):
    def weights(features, channels, *kernel):
        return (channels * 2, features // 2, *kernel) if transposed else (features, channels, *kernel)

    check((2, 6, 11), weights(8, 3, 3), stride=2, padding=2, dilation=2, groups=2, transposed=transposed)
    check((2, 6, 5, 6), weights(10, 3, 3, 2), stride=[2, 1], padding=[1, 0], groups=2, transposed=transposed)
    check((1, 6, 4, 3, 4), weights(10, 3, 2, 1, 2), stride=[1, 2, 1], groups=2, transposed=transposed)


def test_a_transposed_convolution_with_a_padded_output():
    check((1, 7, 3, 4), (7, 6, 2, 2), stride=3, padding=1, more=[2, 1], transposed=True)


def test_tiles_of_either_size_and_what_is_left_over_of_them():
    check((2, 9, 7, 9), (70, 9, 3, 3), padding=1, masks=([True, False, False],))
    check((1, 70, 4, 4), (9, 70, 2, 2), masks=([True, True, False],))


def test_long_products_are_cut_in_parts():
    depth = 3 * convolution.LEAST_DEPTH
    check((1, depth, 2), (6, depth, 1), masks=([False, False, True],))
    check((1, 6, depth), (6, 6, 3), padding=1, masks=([False, True, False],))


def test_tensors_that_lie_anyhow():
    turned = (lambda x: x.flip(0).transpose(0, 1).contiguous().transpose(0, 1).flip(0),)
    check((2, 6, 5, 6), (8, 6, 3, 3), changes=turned)
    channels_last = (lambda x: x.to(memory_format=gn.channels_last),)
    check((2, 6, 5, 6), (8, 6, 3, 3), changes=channels_last)
    repeated = (lambda x: x[..., :1].expand(*x.shape),)
    check((2, 6, 5, 6), (8, 6, 3, 3), changes=repeated)


def test_what_has_no_elements():
    check((0, 3, 5), (4, 3, 2), masks=([True, True, True],))
    check((2, 0, 5), (5, 0, 2), masks=([True, True, True],))
    check((2, 3, 5), (5, 3, 2), bias=False, masks=([False, False, False], [False, False, True]))
