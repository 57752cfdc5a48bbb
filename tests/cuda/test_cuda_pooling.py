"""Pooling on the emulated GPU, against the reference's, on small integers, whose sums are exact."""

from __future__ import annotations

import math

import pytest

import gnomon as gn
from cuda_calls import close, moved, same
from gnomon.calls import launch

pytestmark = pytest.mark.usefixtures("cuda")
aten = gn.ops.aten
FLOATS = [gn.float16, gn.bfloat16, gn.float32, gn.float64]
TOLERANCES = {"float64": 1e-15, "float32": 1e-6, "float16": 1e-3, "bfloat16": 8e-3}


def numbers(*sizes, dtype=gn.float32):
    """Integers from 0 to 8, with many duplicates."""
    return gn.randint(0, 9, sizes, device="reference").to(dtype)


def alike(expected, found):
    if expected.dtype.is_floating_point:
        tolerance = TOLERANCES[expected.dtype.name]
        return close(expected, found, tolerance, tolerance)
    return same(expected, found)


def on_both(function, *tensors):
    """Assert that the GPU gives the same as the reference, without fallbacks; return the latter's result."""
    before = dict(launch.fallbacks)
    expected, found = (
        function(*[moved(each, device) for each in tensors]) for device in ("reference", "cuda")
    )
    assert dict(launch.fallbacks) == before
    pairs = zip(expected, found) if isinstance(expected, tuple) else [(expected, found)]
    assert all(alike(*pair) for pair in pairs)
    return expected


def layouts(source, spatial):
    yield source
    yield source[1]
    yield source.flip(0).transpose(0, 1).contiguous().transpose(0, 1)
    if spatial == 2:
        yield source.contiguous(memory_format=gn.channels_last)
    yield source[..., ::2]
    yield source[:, :1].expand(*source.shape)


WINDOWS = (  # kernel, stride, padding, dilation, ceil_mode
    (2, [], 0, 1, False),
    (3, 2, 1, 1, True),
    (2, 1, 1, 2, False),
    ([1, 3], [2, 3], [0, 1], [1, 1], False),
)


def windows_of(spatial):
    for kernel, stride, padding, dilation, ceil_mode in WINDOWS:
        lists = [
            [each[0]] * (spatial - 2) + each if isinstance(each, list) and each else each
            for each in (kernel, stride, padding, dilation)
        ]
        yield *lists, ceil_mode


@pytest.mark.parametrize("spatial", [2, 3])
@pytest.mark.parametrize("dtype", [*FLOATS, gn.uint8, gn.int64], ids=lambda each: each.name)
def test_maxima_and_their_gradients(dtype, spatial):
    gn.manual_seed(1)
    sizes = (2, 3, 6, 8) if spatial == 2 else (2, 2, 4, 6, 8)
    pool = getattr(aten, f"max_pool{spatial}d_with_indices").default
    backward = getattr(aten, f"max_pool{spatial}d_with_indices_backward").default
    for source in layouts(numbers(*sizes, dtype=dtype), spatial):
        for window in windows_of(spatial):
            values, places = on_both(lambda x, window=window: pool(x, *window), source)
            if dtype.is_floating_point:
                gradient = numbers(*values.shape, dtype=dtype)
                on_both(lambda g, x, p, window=window: backward(g, x, *window, p), gradient, source, places)
                anywhere = (places * 7 + 3) % math.prod(source.shape[-spatial:])
                on_both(lambda g, x, p, window=window: backward(g, x, *window, p), gradient, source, anywhere)


def test_the_first_of_equals_and_the_last_nan_is_chosen():
    source = gn.tensor([[[1.0, 1, 0, math.nan], [math.nan, -math.inf, 2, 2]]], device="reference")
    on_both(lambda x: aten.max_pool2d_with_indices.default(x, 2, 1, 1, 1, False), source)
    lowest = gn.full((1, 2, 2), -math.inf, device="reference")
    on_both(lambda x: aten.max_pool2d_with_indices.default(x, 2, 1, 1, 2, False), lowest)


@pytest.mark.parametrize("spatial", [2, 3])
@pytest.mark.parametrize("dtype", [*FLOATS, gn.int64], ids=lambda each: each.name)
def test_averages_and_their_gradients(dtype, spatial):
    if spatial == 3 and dtype.itemsize == 2:
        pytest.skip("the rule refuses them")
    gn.manual_seed(2)
    sizes = (2, 3, 6, 8) if spatial == 2 else (2, 2, 4, 6, 8)
    pool = getattr(aten, f"avg_pool{spatial}d").default
    backward = getattr(aten, f"avg_pool{spatial}d_backward").default
    for source in layouts(numbers(*sizes, dtype=dtype) - 4, spatial):
        for kernel, stride, padding, _, ceil_mode in windows_of(spatial):
            for counts, divisor in ((True, None), (False, None), (True, 3)):
                rest = (kernel, stride, padding, ceil_mode, counts, divisor)
                found = on_both(lambda x, rest=rest: pool(x, *rest), source)
                gradient = numbers(*found.shape, dtype=dtype)
                on_both(lambda g, x, rest=rest: backward(g, x, *rest), gradient, source)


@pytest.mark.parametrize("spatial", [2, 3])
@pytest.mark.parametrize("dtype", FLOATS, ids=lambda each: each.name)
def test_adaptive_windows(dtype, spatial):
    gn.manual_seed(3)
    sizes = (2, 3, 5, 7) if spatial == 2 else (2, 2, 3, 5, 7)
    maxima, averages = f"adaptive_max_pool{spatial}d", f"_adaptive_avg_pool{spatial}d"
    for source in layouts(numbers(*sizes, dtype=dtype), spatial):
        for pooled in ([3, 2], [5, 7], [6, 9]):
            target = [2] * (spatial - 2) + pooled
            values, places = on_both(lambda x, t=target: getattr(aten, maxima).default(x, t), source)
            on_both(lambda x, t=target: getattr(aten, averages).default(x, t), source)
            gradient = numbers(*values.shape, dtype=dtype)
            on_both(getattr(aten, f"{maxima}_backward").default, gradient, source, places)
            on_both(getattr(aten, f"{averages}_backward").default, gradient, source)


def test_an_empty_batch():
    empty = numbers(0, 3, 4, 4)
    on_both(lambda x: aten.max_pool2d_with_indices.default(x, 2, [], 0, 1, False), empty)
    on_both(lambda x: aten.avg_pool2d.default(x, 2, [], 0, False, True, None), empty)


FAR = 2**63 - 1  # the stride if there is one window, the dilation if the window has one element


@pytest.mark.parametrize(
    ("name", "near", "far"),
    [
        ("max_pool1d_with_indices", ([3], [50], [1], [1]), ([3], [FAR], [1], [1])),
        ("max_pool1d_with_indices", ([1], [50], [0], [1]), ([1], [FAR], [0], [FAR])),
        ("avg_pool1d", ([3], [50], [1]), ([3], [FAR], [1])),
    ],
)
def test_steps_of_64_bits(name, near, far):
    """A stride or dilation that applies to nothing does not overflow."""
    image = numbers(1, 1, 5, dtype=gn.float64)

    def pooled(image, steps):
        image = image.detach().requires_grad_()
        found = getattr(aten, name)(image, *steps)
        first, *rest = found if isinstance(found, tuple) else (found,)
        first.sum().backward()
        return [each.tolist() for each in (first, image.grad, *rest)]

    for device in ("reference", "cuda", *(["c"] if gn.backends()["c"].available else [])):
        assert pooled(moved(image, device), far) == pooled(image, near), device
    on_both(lambda image: getattr(aten, name)(image, *far), image)
