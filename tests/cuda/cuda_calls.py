"""Helpers of the CUDA tests: calls on the emulated GPU and on the reference, and comparisons of results.

The fixture ``cuda`` of conftest.py makes the emulated GPU; a module selects it with
``pytestmark = pytest.mark.usefixtures("cuda")``.
"""

from __future__ import annotations

import math

import gnomon as gn
from gnomon.calls import launch


def both(function, *tensors):
    """The result of ``function`` on the reference and on the GPU."""
    on_device = [each.to("cuda") for each in tensors]
    return function(*tensors), function(*on_device)


def same(expected, found):
    """Assert that these are equal except for the device; return True."""
    assert found.device.type == "cuda"
    assert (found.dtype, found.shape, found.stride()) == (expected.dtype, expected.shape, expected.stride())
    assert found.tolist() == expected.tolist()
    return True


def numbers(count, dtype=gn.float32):
    """0, 1, 2, ... on the reference."""
    return gn.arange(count, dtype=gn.int64, device="reference").to(dtype)


def moved(tensor, device="cuda"):
    """A copy of a tensor and its whole storage on a device, with equal strides and offset; None for None."""
    if tensor is None:
        return None
    count = tensor.untyped_storage().nbytes() // tensor.dtype.itemsize
    flat = tensor.as_strided((count,), (1,), 0).clone().to(device)
    return flat.as_strided(tensor.shape, tensor.stride(), tensor.storage_offset())


def close(expected, found, tolerance, absolute=0.0):
    """Assert that these are equal except for the device and rounding (relative and absolute); return True."""
    assert found.device.type == "cuda"
    assert (found.dtype, found.shape, found.stride()) == (expected.dtype, expected.shape, expected.stride())
    wanted, got = (each.to("reference").flatten().tolist() for each in (expected, found))
    for one, other in zip(wanted, got):
        is_same = one == other or (one != one and other != other)
        limit = tolerance * abs(one) + absolute
        assert is_same or (limit < math.inf and abs(one - other) <= limit), (one, other)
    return True


def agree(function, *tensors, tolerances=None):
    """Compare ``function`` on the GPU with the reference, without fallbacks; return the reference's results.

    ``tolerances`` are by dtype name; results of other dtypes have to be equal.
    """
    before = dict(launch.fallbacks)
    pairs = [[moved(each, device) for each in tensors] for device in ("reference", "cuda")]
    expected, found = (function(*each) for each in pairs)
    assert dict(launch.fallbacks) == before
    if isinstance(expected, gn.Tensor):
        expected, found = (expected,), (found,)
    assert len(expected) == len(found)
    for one, other in zip(expected, found):
        assert (one is None) == (other is None)
        if one is not None:
            tolerance = (tolerances or {}).get(one.dtype.name, 0)
            close(one, other, tolerance, tolerance)
    return expected


def refused_alike(error, function, *tensors):
    """Assert that ``function`` raises the same ``error`` on the GPU as on the reference; return True."""
    texts = []
    for device in ("reference", "cuda"):
        try:
            function(*(moved(each, device) for each in tensors))
        except error as found:
            texts.append(str(found))
    assert len(texts) == 2 and texts[0] == texts[1], texts
    return True
