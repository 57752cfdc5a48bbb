"""Padding and upsampling on the emulated GPU, against the reference's."""

from __future__ import annotations

import pytest

import gnomon as gn
from cuda_calls import close, moved, same
from gnomon.calls import launch

pytestmark = pytest.mark.usefixtures("cuda")
aten = gn.ops.aten
FLOATS = [gn.float16, gn.bfloat16, gn.float32, gn.float64]
TOLERANCES = {"float64": 1e-14, "float32": 1e-6, "float16": 1e-3, "bfloat16": 8e-3}
SIZES = {1: (2, 3, 7), 2: (2, 3, 5, 7), 3: (2, 3, 4, 5, 7)}


def numbers(*sizes, dtype=gn.float32):
    return gn.randint(0, 50, sizes, device="reference").to(dtype)


def on_both(function, *tensors):
    """Assert that the GPU gives the same as the reference, without fallbacks; return the latter's result."""
    before = dict(launch.fallbacks)
    given = [[moved(each, device) for each in tensors] for device in ("reference", "cuda")]
    expected, found = (function(*each) for each in given)
    assert dict(launch.fallbacks) == before
    tolerance = TOLERANCES.get(expected.dtype.name)
    assert same(expected, found) if tolerance is None else close(expected, found, tolerance, tolerance)
    return expected


def layouts(source):
    yield source
    yield source.flip(0).transpose(0, 1).contiguous().transpose(0, 1)
    if source.ndim == 4:
        yield source.contiguous(memory_format=gn.channels_last)
    yield source[:, :1].expand(*source.shape)
    yield source[:, ::2]


@pytest.mark.parametrize("kind", ["reflection", "replication"])
@pytest.mark.parametrize("spatial", [1, 2, 3])
def test_padding_and_its_gradient(spatial, kind):
    gn.manual_seed(1)
    pad = getattr(aten, f"{kind}_pad{spatial}d").default
    backward = getattr(aten, f"{kind}_pad{spatial}d_backward").default
    for dtype in (gn.float32, gn.float16, gn.float64, gn.uint8, gn.complex128):
        for source in layouts(numbers(*SIZES[spatial], dtype=dtype)):
            for pads in ([2, 1, 0, 3, 1, 1], [-1, 2, 1, -2, 0, 0]):
                padding = pads[: 2 * spatial]
                for given in (source, source[1]):
                    padded = on_both(lambda x, p=padding: pad(x, p), given)
                    if dtype is not gn.uint8:
                        gradient = numbers(*padded.shape, dtype=dtype)
                        gradient = gradient * (1 - 2j) if dtype.is_complex else gradient
                        on_both(lambda g, x, p=padding: backward(g, x, p), gradient, given)


def modes():
    for spatial in (1, 2, 3):
        yield f"upsample_nearest{spatial}d", spatial, False
        yield f"_upsample_nearest_exact{spatial}d", spatial, False
        yield f"upsample_{('linear', 'bilinear', 'trilinear')[spatial - 1]}{spatial}d", spatial, True
    for name in ("upsample_bicubic2d", "_upsample_bilinear2d_aa", "_upsample_bicubic2d_aa"):
        yield name, 2, True
    yield "_upsample_lanczos2d_aa", 2, True


@pytest.mark.parametrize(("name", "spatial", "interpolates"), [*modes()])
def test_upsampling_and_its_gradient(name, spatial, interpolates):
    gn.manual_seed(2)
    upsample, backward = getattr(aten, name).default, getattr(aten, f"{name}_backward").default
    scale = None if name.endswith("_aa") else 1.7

    def check(source, wanted, align_corners, scale):
        rest = (*([align_corners] if interpolates else []), *[scale] * spatial)
        found = on_both(lambda x: upsample(x, wanted, *rest), source)
        shape = list(source.shape)
        gradient = numbers(*found.shape, dtype=source.dtype)
        on_both(lambda g: backward(g, wanted, shape, *rest), gradient)

    other = [3, 9, 4][-spatial:]
    for dtype in FLOATS[2:] if name.endswith("_aa") else FLOATS:
        source = numbers(*SIZES[spatial], dtype=dtype)
        check(source, other, False, None)
    for wanted in ([2 * each for each in source.shape[2:]], list(source.shape[2:])):
        check(source, wanted, True, None)
        check(source, wanted, False, scale)
    for given in layouts(source):
        check(given, other, True, None)


def test_bytes_and_nothing():
    source = numbers(2, 3, 5, 7, dtype=gn.uint8)
    on_both(lambda x: aten.upsample_nearest2d.default(x, [3, 11], None, None), source)
    on_both(lambda x: aten.reflection_pad2d.default(x, [1, 1, 1, 1]), source[:0])
    zeros = gn.full((1, 1, 2, 2), -0.0, device="reference")
    on_both(lambda x: 1 / aten.upsample_bilinear2d.default(x, [3, 3], True, None, None), zeros)


def test_bytes_are_rounded_after_each_dimension():
    gn.manual_seed(7)
    operators = ["upsample_bilinear2d", "upsample_bicubic2d"]
    operators += [f"_upsample_{each}2d_aa" for each in ("bilinear", "bicubic", "lanczos")]
    whole = gn.randint(0, 256, (2, 3, 7, 6), device="reference").to(gn.uint8)
    for name in operators:
        upsample = getattr(aten, name).default
        for sizes in ((5, 9), (7, 11), (14, 6), (7, 6), (3, 2)):
            for align in (False, True):
                for source in (whole, whole[:, ::2], whole.contiguous(memory_format=gn.channels_last)):
                    on_both(lambda x, s=sizes, a=align, f=upsample: f(x, s, a, None, None), source)
            on_both(lambda x, s=sizes, f=upsample: f(x, s, False, 1.5, 0.7), whole)


def test_antialiasing_without_a_change_of_size_copies_any_dtype():
    for dtype in (gn.bool, gn.int16, gn.complex128):
        whole = numbers(2, 3, 4, 5, dtype=dtype)
        for each in ("bilinear", "bicubic", "lanczos"):
            upsample = getattr(aten, f"_upsample_{each}2d_aa").default
            on_both(lambda x, f=upsample: f(x, [4, 5], False, 2.0, 0.7), whole.transpose(0, 1))
