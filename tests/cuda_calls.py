"""What tests of the CUDA backend share: calls on the emulated GPU and on the reference, and their comparison.

The fixture ``cuda`` of conftest.py makes the emulated GPU; a module asks for it with
``pytestmark = pytest.mark.usefixtures("cuda")``.
"""

from __future__ import annotations

import gnomon as gn


def both(function, *tensors):
    """The result of ``function`` on the reference and on the GPU."""
    on_device = [each.to("cuda") for each in tensors]
    return function(*tensors), function(*on_device)


def same(expected, found):
    """Are these equal, but for the device?"""
    assert found.device.type == "cuda"
    assert (found.dtype, found.shape, found.stride()) == (expected.dtype, expected.shape, expected.stride())
    assert found.tolist() == expected.tolist()
    return True


def numbers(count, dtype=gn.float32):
    """0, 1, 2, ... on the reference."""
    return gn.arange(count, dtype=gn.int64, device="reference").to(dtype)
