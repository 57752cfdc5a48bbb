"""Extreme sizes, strides and dtypes that the fuzzer found; each number is PyTorch's."""

from __future__ import annotations

import math

import pytest

import gnomon as gn

aten = gn.ops.aten


@pytest.mark.parametrize(("p", "margin", "expected"), [(1, math.nan, 0.0), (2, math.nan, 0.0), (1, 1, 2 / 3)])
def test_what_is_no_number_lacks_no_margin(device, p, margin, expected):
    found = aten.multi_margin_loss(gn.ones(2, 3), gn.tensor([0, 1]), p, margin, None, 0)
    assert found.tolist() == pytest.approx([expected] * 2)


def test_a_score_that_is_no_number_is_left_out(device):
    scores = gn.tensor([[math.nan, 1.0, 2.0]])
    assert aten.multi_margin_loss(scores, gn.tensor([1]), 1, 1, None, 0).tolist() == pytest.approx([2 / 3])
    found = aten.multilabel_margin_loss(scores, gn.tensor([[1, -1, 0]]), 0)
    assert found.tolist() == pytest.approx([2 / 3])


@pytest.mark.parametrize(("target", "expected"), [(gn.int32, gn.bfloat16), (gn.float32, gn.float32)])
def test_stirlings_term_is_in_the_dtype_of_the_loss(device, target, expected):
    input = gn.ones(3, dtype=gn.bfloat16)
    assert aten.poisson_nll_loss(input, gn.ones(3, dtype=target), True, True, 1e-8, 2).dtype is expected


def test_the_batch_of_classes_is_looked_at_before_the_weight(device):
    with pytest.raises(ValueError, match="batch_size"):
        aten.cross_entropy_loss(gn.ones(2, 3, 4), gn.tensor([0, 1, 2]), gn.ones(4))
    with pytest.raises(RuntimeError, match="weight tensor should be defined"):
        aten.cross_entropy_loss(gn.ones(2, 4), gn.tensor([0, 1]), gn.ones(3))
    with pytest.raises(RuntimeError, match="weight tensor should be defined"):
        aten.cross_entropy_loss(gn.ones(2, 4), gn.ones(2, 4), gn.ones(3))


@pytest.mark.parametrize("sizes", [(2, 1), (1, 2)])
def test_the_stride_of_one_element_says_nothing_of_complex_numbers(device, sizes):
    strides = tuple(17 if size == 1 else 2 for size in sizes)
    x = gn.arange(40.0).as_strided((*sizes, 2), (*strides, 1))
    found = aten.view_as_complex(x)
    assert found.flatten().tolist() == [0 + 1j, 2 + 3j]
    assert found.stride() == tuple(8 if size == 1 else 1 for size in sizes)
    with pytest.raises(RuntimeError, match="divisible by 2"):
        aten.view_as_complex(gn.arange(40.0).as_strided((0, 2), (3, 1)))


@pytest.mark.parametrize("name", ["max_pool1d_with_indices", "max_pool2d", "max_pool2d_with_indices"])
def test_padding_of_a_pool_is_half_a_kernel_however_it_is_spread(device, name):
    dims = 1 if "1d" in name else 2
    x = gn.ones(1, 2, *[7] * dims)
    with pytest.raises(RuntimeError, match="half of kernel size"):
        getattr(aten, name)(x, [2] * dims, [1] * dims, [2] * dims, [3] * dims)
    assert getattr(aten, name)(x, [2] * dims, [1] * dims, [1] * dims, [3] * dims) is not None


@pytest.mark.parametrize("call", [gn.conv2d, gn.conv_transpose2d])
def test_an_image_without_elements_is_not_convolved(device, call):
    weight = gn.ones(2, 2, 2, 2)
    with pytest.raises(RuntimeError, match="Only zero batch or zero channel"):
        call(gn.ones(1, 2, 4, 0), weight, None, 1, 1)
    assert gn.conv2d(gn.ones(0, 2, 4, 0), weight, None, 1, 3).shape == (0, 2, 9, 5)


def test_a_dimension_of_what_was_not_unfolded(device):
    with pytest.raises(IndexError):
        aten.unfold_backward(gn.ones(2, 2), [], 3, 2, 3)


@pytest.mark.parametrize(
    ("sizes", "index", "alpha", "error"),
    [
        ((3, 4), gn.int64, 1, RuntimeError),
        ((3, 4), gn.int64, 2, IndexError),
        ((3, 4), gn.int32, 1, IndexError),
        ((3, 4, 2), gn.int64, 1, IndexError),
        ((3,), gn.int64, 1, IndexError),
    ],
)
def test_an_index_out_of_range_of_index_add(device, sizes, index, alpha, error):
    source = gn.ones(1, *sizes[1:])
    with pytest.raises(error, match="out of range"):
        aten.index_add(gn.zeros(sizes), 0, gn.tensor([5], dtype=index), source, alpha=alpha)


@pytest.mark.parametrize(
    ("grad", "self", "weight", "wanted"),
    [
        ((2, 3), (2, 3), (1, 2, 3), (1, 2, 3)),
        ((2, 1), (2, 1), (2, 3), (2, 3)),
        ((2, 3), (2, 1), (2, 1), (2, 3)),
    ],
)
def test_both_gradients_of_prelus_kernel_have_all_sizes(device, grad, self, weight, wanted):
    found = aten._prelu_kernel_backward(gn.ones(grad), gn.ones(self), gn.ones(weight))
    assert [tuple(each.shape) for each in found] == [wanted] * 2


def test_strides_of_no_elements_may_be_beyond_64_bits(device):
    if device == "reference":
        pytest.skip("the reference's kernel goes through all positions")
    large = 2**62
    found = aten._adaptive_avg_pool3d(gn.ones(1, 2, 3, 2), [0, large, 1])
    assert tuple(found.shape) == (1, 0, large, 1)


@pytest.mark.parametrize("pad", [2**62, 2**63 - 1])
def test_a_padding_that_64_bits_do_not_hold_is_refused(device, pad):
    functional = gn.nn.functional
    with pytest.raises(RuntimeError, match="im2col: padding is too large"):
        functional.unfold(gn.ones(1, 1, 4, 4), 1, padding=pad, stride=pad)
    with pytest.raises(RuntimeError, match="col2im: padding is too large"):
        functional.fold(gn.ones(1, 1, 9), (1, 1), 1, padding=pad, stride=pad)


@pytest.mark.parametrize("step", [2**60, 2**61, 2**62, 2**63 - 1])
def test_a_stride_along_one_element_may_be_beyond_64_bits_in_bytes(device, step):
    x = gn.ones(3, requires_grad=True)
    x[::step].sum().backward()
    assert x.grad.tolist() == [1.0, 0.0, 0.0]
    assert gn.as_strided(gn.ones(4), (1,), (step,)).sum().item() == 1.0
    assert gn.slice_scatter(gn.zeros(3), gn.ones(1), 0, 0, 2**63 - 1, step).tolist() == [1.0, 0.0, 0.0]


def test_a_source_has_no_negative_sizes(device):
    with pytest.raises(RuntimeError, match="negative dimension"):
        aten.masked_scatter_backward(gn.ones(2, 3), gn.ones(2, 3) > 0, [-(2**62), 4])


def test_a_gradient_can_be_deleted(device):
    weight = gn.ones(2, requires_grad=True)
    weight.sum().backward()
    del weight.grad
    assert weight.grad is None
