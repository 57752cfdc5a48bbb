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
