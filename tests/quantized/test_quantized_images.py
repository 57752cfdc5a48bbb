"""Pooling, resampling, padding and shuffles of quantized tensors."""

from fractions import Fraction

import pytest

import gnomon as gn
from gnomon.nn import functional as F
from quantized_calls import outcome, quantized

pytestmark = pytest.mark.filterwarnings("ignore")


def held(numbers, *sizes, kind=gn.uint8, zero_point=3, device=None):
    x = gn.tensor(numbers, dtype=kind, device=device).reshape(sizes)
    return gn._make_per_tensor_quantized_tensor(x, 0.5, zero_point)


def test_constant_padding_has_the_number(device):
    q = held([1, 2, 3, 4], 2, 2, device=device)
    found = F.pad(q, (1, 0, 0, 1))
    assert found.int_repr().tolist() == [[3, 1, 2], [3, 3, 4], [3, 3, 3]]  # the zero point
    assert (found.q_scale(), found.q_zero_point(), found.dtype) == (0.5, 3, gn.quint8)
    assert F.pad(q, (0, 1), value=1.0).int_repr().tolist() == [[1, 2, 5], [3, 4, 5]]
    assert F.pad(q, (-1, 0, 0, 0), value=1.0).int_repr().tolist() == [[2], [4]]
    assert F.pad(q, (0, 1), value=1000.0).int_repr()[0, 2].item() == 255
    image = held(list(range(16)), 1, 2, 2, 4).contiguous(memory_format=gn.channels_last)
    assert F.pad(image, (1, 1)).stride() == (24, 1, 12, 2)


def test_reflections():
    q = held([0, 1, 2, 3, 4, 5], 1, 1, 2, 3)
    found = F.pad(q, (2, 1, 1, 0), "reflect")
    assert found.int_repr().tolist() == [[[[5, 4, 3, 4, 5, 4], [2, 1, 0, 1, 2, 1], [5, 4, 3, 4, 5, 4]]]]
    assert F.pad(q[0], (1, 1), "reflect").int_repr().tolist() == [[[1, 0, 1, 2, 1], [4, 3, 4, 5, 4]]]
    last = held(list(range(16)), 1, 2, 2, 4).contiguous(memory_format=gn.channels_last)
    assert F.pad(last, (1, 1, 1, 1), "reflect").stride() == (48, 24, 6, 1)
    with pytest.raises(NotImplementedError, match="Could not run 'aten::replication_pad2d'"):
        F.pad(q, (1, 1, 1, 1), "replicate")


def test_bilinear_means_are_rounded_from_exact_ones(device):
    q = held([0, 3, 6, 10], 1, 1, 2, 2, device=device)
    found = F.interpolate(q, size=(3, 3), mode="bilinear", align_corners=True)
    # 1.5, 3, 4.75, 6.5, 8: halves to the nearest even integer, after the zero point is added
    assert found.int_repr().tolist() == [[[[0, 2, 3], [3, 5, 6], [6, 8, 10]]]]
    assert (found.q_scale(), found.q_zero_point()) == (0.5, 3)
    # Of weights that no float32 holds: to thirds of the distance there are halves.
    rows = [0, 9, 250, 3, 30, 21, 7, 128]
    found = F.interpolate(held(rows, 1, 1, 1, 8, device=device), size=(1, 12), mode="bilinear")
    expected = []
    for place in range(12):
        at = max((Fraction(place) + Fraction(1, 2)) * 8 / 12 - Fraction(1, 2), 0)
        low = int(at)
        high = min(low + 1, 7)
        expected.append(round(rows[low] * (1 - (at - low)) + rows[high] * (at - low)))
    assert found.int_repr().flatten().tolist() == expected


@pytest.mark.parametrize("kind", [gn.uint8, gn.int8, gn.int32])
def test_nearest(kind):
    q = held([1, 2, 3, 100], 1, 1, 2, 2, kind=kind)
    assert F.interpolate(q, size=(2, 3)).int_repr().tolist() == [[[[1, 1, 2], [3, 3, 100]]]]
    found = F.interpolate(q, size=(2, 3), mode="nearest-exact")
    assert found.int_repr().tolist() == [[[[1, 2, 2], [3, 100, 100]]]] and found.dtype is q.dtype
    assert F.interpolate(q[None], scale_factor=2).shape == (1, 1, 2, 4, 4)
    with pytest.raises(NotImplementedError, match="Could not run 'aten::upsample_bicubic2d'"):
        F.interpolate(q, size=(3, 3), mode="bicubic")


def test_pools_of_volumes():
    q = held([1, 2, 3, 4, 5, 6, 7, 9], 1, 1, 2, 2, 2)
    assert (
        F.max_pool3d(q, 2).int_repr().item() == gn.quantized_max_pool3d(q, [2, 2, 2]).int_repr().item() == 9
    )
    assert F.avg_pool3d(q, 2).int_repr().item() == 5  # 4.625
    assert F.adaptive_avg_pool3d(q, (1, 1, 2)).int_repr().flatten().tolist() == [4, 5]  # 4 and 5.25
    assert F.avg_pool3d(held(list(range(16)), 1, 2, 2, 2, 2), 1).stride() == (16, 1, 8, 4, 2)
    with pytest.raises(RuntimeError, match="Expecting the input tensor of rank 5"):
        F.max_pool3d(q[0], 2)
    with pytest.raises(NotImplementedError, match="quantized_max_pool3d"):
        gn.quantized_max_pool3d(q.dequantize(), [2, 2, 2])


def test_shuffles():
    q = held(list(range(8)), 1, 4, 1, 2)
    assert F.pixel_shuffle(q, 2).int_repr().tolist() == [[[[0, 2, 1, 3], [4, 6, 5, 7]]]]
    assert F.pixel_unshuffle(F.pixel_shuffle(q, 2), 2).equal(q)
    assert F.channel_shuffle(q, 2).int_repr().flatten().tolist() == [0, 1, 4, 5, 2, 3, 6, 7]
    assert gn.native_channel_shuffle(q, 2).equal(F.channel_shuffle(q, 2))
    with pytest.raises(RuntimeError, match="channel shuffle works only on QUInt8 but got QInt8"):
        F.channel_shuffle(held(list(range(8)), 1, 4, 1, 2, kind=gn.int8), 2)
    assert q[0, :, 0].rot90().int_repr().tolist() == [[1, 3, 5, 7], [0, 2, 4, 6]]
    assert q[0, 0].repeat(2, 2).int_repr().tolist() == [[0, 1, 0, 1]] * 2


def test_a_scale_for_each_channel_is_refused():
    q = quantized(gn, 2, 4, 6, 6, per_channel=True)
    for call in (
        lambda: F.pad(q, (1, 1)),
        lambda: F.pad(q, (1, 1, 1, 1), "reflect"),
        lambda: F.interpolate(q, scale_factor=2, mode="bilinear"),
        lambda: F.interpolate(q, scale_factor=2),
        lambda: F.avg_pool2d(q, 2),
        lambda: F.pixel_shuffle(q, 2),
        lambda: q.repeat(1, 1, 1, 2),
    ):
        with pytest.raises(RuntimeError, match=r"expected the scheme gnomon\.per_tensor_affine"):
            call()


def last(lib, q):
    order = lib.channels_last if q.ndim == 4 else lib.channels_last_3d
    return q.contiguous(memory_format=order)


FLAT, IMAGE, VOLUME = (2, 4, 6), (2, 4, 6, 6), (1, 2, 4, 4, 4)
CASES = {
    **{f"{mode} {sizes}": (sizes, lambda f, q, mode=mode: f.pad(q, (1, 2), mode))
       for mode in ("constant", "reflect", "replicate") for sizes in (FLAT, IMAGE)},
    **{f"{mode} {sizes}, both": (sizes, lambda f, q, mode=mode: f.pad(q, (1, 2, 2, 1), mode))
       for mode in ("constant", "reflect", "replicate") for sizes in (IMAGE, VOLUME)},
    "a value": (IMAGE, lambda f, q: f.pad(q, (1, 2, -1, 1), value=0.7)),
    **{f"{mode} {size}": (IMAGE, lambda f, q, mode=mode, size=size: f.interpolate(q, size=size, mode=mode))
       for mode in ("nearest", "nearest-exact", "bicubic", "area") for size in ((9, 11), (4, 3))},
    **{f"{mode} {len(sizes)}": (sizes, lambda f, q, mode=mode: f.interpolate(q, scale_factor=1.7, mode=mode))
       for mode in ("nearest", "nearest-exact") for sizes in (FLAT, IMAGE, VOLUME)},
    "bilinear": (IMAGE, lambda f, q: f.interpolate(q, scale_factor=2, mode="bilinear")),
    "bilinear, corners": (IMAGE, lambda f, q: f.interpolate(q, (11, 6), mode="bilinear", align_corners=True)),
    "linear": (FLAT, lambda f, q: f.interpolate(q, scale_factor=2, mode="linear")),
    "trilinear": (VOLUME, lambda f, q: f.interpolate(q, scale_factor=2, mode="trilinear")),
    **{f"{name}, {given}": (sizes, lambda f, q, name=name, given=given: getattr(f, name)(q, *given))
       for name, sizes in (("max_pool2d", IMAGE), ("max_pool3d", VOLUME), ("avg_pool2d", IMAGE),
                           ("avg_pool3d", VOLUME), ("max_pool1d", FLAT), ("avg_pool1d", FLAT))
       for given in ((2,), (3, 2, 1), (2, 1, 0))},
    "without padding": (VOLUME, lambda f, q: f.avg_pool3d(q, 3, 2, 1, False, False)),
    "a divisor": (VOLUME, lambda f, q: f.avg_pool3d(q, 3, 2, 1, False, True, 5)),
    "adaptive": (IMAGE, lambda f, q: f.adaptive_avg_pool2d(q, (4, 3))),
    "adaptive, volume": (VOLUME, lambda f, q: f.adaptive_avg_pool3d(q, (3, 1, 2))),
    "adaptive, one": (VOLUME, lambda f, q: f.adaptive_avg_pool3d(q, 1)),
    "adaptive maximum": (IMAGE, lambda f, q: f.adaptive_max_pool2d(q, 2)),
    "pixel_shuffle": (IMAGE, lambda f, q: f.pixel_shuffle(q, 2)),
    "pixel_unshuffle": (IMAGE, lambda f, q: f.pixel_unshuffle(q, 2)),
    "channel_shuffle": (IMAGE, lambda f, q: f.channel_shuffle(q, 2)),
    "uneven groups": (IMAGE, lambda f, q: f.channel_shuffle(q, 3)),
}  # fmt: skip


@pytest.mark.oracle
@pytest.mark.parametrize("kind", ["quint8", "qint8", "qint32"])
@pytest.mark.parametrize("name", CASES)
def test_beside_pytorch(name, kind, device):
    torch = pytest.importorskip("torch")
    sizes, call = CASES[name]
    found = {}
    for lib in (gn, torch):
        tensors = [quantized(lib, *sizes, kind=kind), quantized(lib, *sizes, kind=kind, per_channel=True)]
        if sizes is IMAGE or (sizes is VOLUME and not name.startswith("constant")):  # which PyTorch refuses
            tensors.append(last(lib, tensors[0]))
        found[lib] = [outcome(call, lib.nn.functional, each) for each in tensors]
    assert found[gn] == found[torch]
