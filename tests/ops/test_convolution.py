"""Convolution: calls that are refused before any kernel runs."""

import pytest

import gnomon as gn


@pytest.mark.parametrize("name", ["conv2d", "conv_transpose2d"])
def test_a_kernel_of_no_elements_is_refused(name):
    image, weight = gn.ones(1, 2, 4, 4), gn.ones(2, 2, 0, 1)
    with pytest.raises(
        RuntimeError, match=r"^convolution: kernel size should be greater than zero, .* \[0, 1\]"
    ):
        getattr(gn, name)(image, weight)
    assert gn.conv2d(image, gn.ones(2, 2, 1, 1)).tolist() == gn.full((1, 2, 4, 4), 2.0).tolist()


def test_conv_tbc_is_a_convolution_with_time_first() -> None:
    x, weight, bias = gn.randn(5, 2, 3), gn.randn(2, 3, 4), gn.randn(4)
    found = gn.nn.functional.conv_tbc(x, weight, bias, pad=1)
    wanted = gn.nn.functional.conv1d(x.permute(1, 2, 0), weight.permute(2, 1, 0), bias, padding=1)
    assert found.shape == (6, 2, 4) and found.stride() == (8, 4, 1)
    assert found.tolist() == wanted.permute(2, 0, 1).tolist()
    with pytest.raises(RuntimeError, match="Bias size must equal dim 2 in the weight tensor"):
        gn.conv_tbc(x, weight, gn.ones(3))
