"""What hurting values showed to be wrong in the reference; each expected number is PyTorch's."""

import math

import pytest

import gnomon as gn

aten = gn.ops.aten


def signs(tensor):
    return [math.copysign(1, number) for number in tensor.tolist()]


@pytest.mark.parametrize(
    ("start", "end", "steps", "expected"),
    [
        (-0.0, -0.0, 5, [1, 1, -1, -1, -1]),
        (-0.0, 0.0, 2, [1, 1]),
        (-0.0, 0.0, 1, [-1]),
        (0.0, -0.0, 2, [1, 1]),
    ],
)
def test_linspace_keeps_the_sign_of_zero_from_the_end(start, end, steps, expected):
    assert signs(gn.linspace(start, end, steps, device="reference")) == expected


def test_log_sigmoid_backward_divides_by_zero():
    ones = gn.ones(1, device="reference")
    assert aten.log_sigmoid_backward.default(ones, ones, -ones).tolist() == [-math.inf]


def test_batch_norm_backward_by_running_statistics_is_a_scale():
    def made(numbers):
        return gn.tensor(numbers, device="reference")

    grad, input = made([[[1.0, 2.0]]]), made([[[1.0, math.inf]]])
    found, *_ = aten.native_batch_norm_backward.default(
        grad, input, made([2.0]), made([1.0]), made([4.0]), None, None, False, 0.0, [True, True, True]
    )
    assert found.tolist() == [[[1.0, 2.0]]]


def test_the_mean_of_integers_wraps_before_it_is_divided():
    most = 2**63 - 1
    found = aten.scatter_reduce.two(
        gn.tensor([most], device="reference"),
        0,
        gn.tensor([0], device="reference"),
        gn.tensor([1], device="reference"),
        "mean",
        include_self=True,
    )
    assert found.tolist() == [-(2**62)]


def test_convolution_backward_looks_at_the_channels():
    ones = [gn.ones(*sizes, device="reference") for sizes in ((3, 4, 3, 3), (3, 2, 4, 4), (4, 3, 2, 2))]
    with pytest.raises(RuntimeError, match="to have 6 channels, but got 2 channels instead"):
        aten.convolution_backward.default(
            *ones, None, [1, 1], [0, 0], [1, 1], False, [0, 0], 2, [True, True, False]
        )


def test_avg_pool3d_backward_wants_an_input_as_large_as_a_window_as_avg_pool3d_does():
    volume, grad = gn.ones(1, 2, 3, 2, 1), gn.ones(1, 2, 2, 3, 1)
    window = [1, 2, 3], [2, 1, 1], [0, 1, 1], False, True, None
    text = r"input image \[3, 2, 1\] smaller than kernel size \[1, 2, 3\]"
    with pytest.raises(RuntimeError, match=f"avg_pool3d: {text}"):
        gn.ops.aten.avg_pool3d(volume, *window)
    with pytest.raises(RuntimeError, match=f"avg_pool3d_backward: {text}"):
        gn.ops.aten.avg_pool3d_backward(grad, volume, *window)
