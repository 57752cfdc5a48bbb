"""Sizes that fractional max pooling refuses."""

from __future__ import annotations

import pytest

import gnomon as gn
from gnomon.nn import functional as F


@pytest.mark.parametrize("kernel", [(-2, 2), (0, 2), (2, -(2**62))])
def test_kernels_without_elements(kernel: tuple[int, int], device: str) -> None:
    image = gn.rand(1, 3, 5, 6, device=device)
    with pytest.raises(
        RuntimeError, match=r"fractional_max_pool2d: expected a kernel (height|width) of at least 1"
    ):
        F.fractional_max_pool2d(image, kernel, output_size=(1, 1))
    with pytest.raises(RuntimeError, match="fractional_max_pool3d: expected a kernel time of at least 1"):
        F.fractional_max_pool3d(image.unsqueeze(2), (0, 1, 1), output_size=(1, 1, 1))
    with pytest.raises(RuntimeError, match="an output width of at least 0, got 2 and -1"):
        F.fractional_max_pool2d(image, 2, output_size=(1, -1))
