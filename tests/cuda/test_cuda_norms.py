"""Layer, RMS, group and batch normalization and their gradients on the emulated GPU."""

from __future__ import annotations

import math
import shutil

import pytest

import gnomon as gn
from gnomon_cuda import norms

aten = gn.ops.aten
BOUNDS = {"float16": 2e-3, "bfloat16": 2e-2, "float32": 4e-6, "float64": 1e-13}
ALL_DTYPES = pytest.mark.parametrize("dtype", list(BOUNDS))


@pytest.fixture(autouse=True)
def cuda(monkeypatch):
    """The emulated backend; a fallback is an error."""
    if shutil.which("c++") is None:
        pytest.skip("there is no C++ compiler")
    monkeypatch.setenv("GNOMON_CUDA_EMULATE", "1")
    assert gn.backends()["cuda"].available, gn.backends()["cuda"].reason
    gn.set_fallback_policy("error")


@pytest.fixture
def launched(monkeypatch):
    """The kernels that were launched, in order."""
    found = []
    usual = norms.Work.launch

    def launch(self, text, dtype, kernel, *others, **named):
        found.append(kernel)
        return usual(self, text, dtype, kernel, *others, **named)

    monkeypatch.setattr(norms.Work, "launch", launch)
    return found


def numbers(*sizes, dtype=gn.float32, shift=0.0):
    """Numbers between -2 and 2, plus ``shift``."""
    count = math.prod(sizes)
    found = [(i * 7919 % 1013 - 506) / 253 + shift for i in range(count)]
    return gn.tensor(found, dtype=gn.float64, device="reference").reshape(sizes).to(dtype)


def on_device(value):
    return value.to("cuda") if isinstance(value, gn.Tensor) else value


def close(expected, found, bound=None):
    """Whether ``found`` is as close to the reference's result as its dtype allows."""
    if expected is None or found is None:
        return expected is found
    assert found.device.type == "cuda"
    assert (found.dtype, found.shape, found.stride()) == (expected.dtype, expected.shape, expected.stride())
    bound = BOUNDS[expected.dtype.name] if bound is None else bound
    pairs = zip(expected.double().reshape(-1).tolist(), found.to("reference").double().reshape(-1).tolist())
    for number, other in pairs:
        if number != number:
            assert other != other
        else:
            assert number == other or abs(number - other) <= bound * (1 + abs(number)), (number, other)
    return True


def same(function, *arguments, bound=None):
    """Assert that ``function`` gives the same on the GPU as on the reference; return the latter."""
    expected = function(*arguments)
    found = function(*[on_device(each) for each in arguments])
    assert len(expected) == len(found)
    for each, other in zip(expected, found):
        assert close(each, other, bound)
    return expected


def layer(source, shape, weight, bias, gradient, mask=(True, True, True)):
    """Compare layer normalization and its gradients."""
    _, mean, rstd = same(aten.native_layer_norm, source, shape, weight, bias, 1e-5)
    backward = aten.native_layer_norm_backward
    scale = 10 * BOUNDS[source.dtype.name]
    same(backward, gradient, source, shape, mean, rstd, weight, bias, list(mask), bound=scale)


def rms(source, shape, weight, gradient, mask=(True, True), eps=None):
    _, rstd = same(aten._fused_rms_norm, source, shape, weight, eps)
    backward = aten._fused_rms_norm_backward
    scale = 10 * BOUNDS[source.dtype.name]
    same(backward, gradient, source, shape, rstd, weight, list(mask), bound=scale)


@ALL_DTYPES
def test_rows_of_each_length(launched, dtype):
    kind = getattr(gn, dtype)
    before, wanted = 0, []
    for place, (threads, held) in enumerate(norms.row_teams(dtype)[:-2]):
        length = before + 3
        source, gradient = numbers(3, length, dtype=kind), numbers(3, length, dtype=kind) / 4
        weight, bias = numbers(length, dtype=kind, shift=1.0), numbers(length, dtype=kind)
        layer(source, [length], weight, bias, gradient)
        rms(source, [length], weight, gradient)
        for name in ("norm_rows", "norm_gradient_rows"):
            wanted += [norms.row_kernels(dtype, name, is_root)[place] for is_root in (False, True)]
        before = threads * held
    assert sorted(each for each in launched if "rows" in each) == sorted(wanted)


def test_long_rows(launched):
    threads, held = norms.row_teams("float32")[-2]
    for length in (threads * held, threads * held + 3):
        source, gradient = numbers(1, length), numbers(1, length) / 4
        layer(source, [length], numbers(length, shift=1.0), None, gradient)
    assert [each for each in launched if "rows" in each] == [
        f"{name}<0, {team}>" for team in ("512, 16", "512, 0") for name in ("norm_rows", "norm_gradient_rows")
    ]


def test_several_dimensions_and_strides():
    source, gradient = numbers(4, 3, 5, 2), numbers(4, 3, 5, 2) / 4
    weight, bias = numbers(5, 2, shift=1.0), numbers(5, 2)
    layer(source, [5, 2], weight, bias, gradient)
    layer(source, [5, 2], weight, None, gradient)
    layer(source, [5, 2], None, bias, gradient)
    layer(source.transpose(0, 2), [4, 2], numbers(2, 4).t(), None, gradient.transpose(0, 2))
    layer(source[:, :1].expand(4, 3, 5, 2), [5, 2], None, None, gradient)
    rms(source, [3, 5, 2], numbers(3, 5, 2), gradient, eps=1e-3)
    rms(source.permute(0, 2, 1, 3), [3, 2], None, gradient.permute(0, 2, 1, 3))


@pytest.mark.parametrize("place", [0, 1, 2])
def test_gradients_that_are_not_wanted(place):
    mask = [each == place for each in range(3)]
    source, gradient, weight = numbers(4, 6), numbers(4, 6) / 4, numbers(6, shift=1.0)
    layer(source, [6], weight, weight, gradient, mask)
    rms(source, [6], weight, gradient, mask[1:])
    group(source.reshape(2, 4, 3), 2, numbers(4, shift=1.0), None, gradient.reshape(2, 4, 3), mask)


def test_a_large_mean_leaves_the_variance_as_it_is():
    for dtype, shift in ((gn.float32, 4096.0), (gn.float64, 2.0**20)):
        source = numbers(2, 300).mul(64).round().div(64).to(dtype) + shift
        for function, arguments in (
            (aten.native_layer_norm, ([300], None, None, 1e-5)),
            (aten.native_group_norm, (None, None, 1, 2, 300, 1, 1e-5)),
            (aten._native_batch_norm_legit.no_stats, (None, None, True, 0.1, 1e-5)),
        ):
            given = source.t().contiguous() if function is aten._native_batch_norm_legit.no_stats else source
            given = given.reshape(1, 2, 300) if function is aten.native_group_norm else given
            same(function, given, *arguments, bound=2e-6 if dtype is gn.float32 else 1e-8)


def test_nothing_and_what_is_not_finite():
    same(aten.native_layer_norm, numbers(0, 3), [3], None, None, 1e-5)
    same(aten.native_layer_norm, numbers(3, 0), [0], None, None, 1e-5)
    same(aten._fused_rms_norm, numbers(3, 0), [0], None, 1e-5)
    mean = rstd = numbers(0, 1)
    everything = [True] * 3
    same(
        aten.native_layer_norm_backward, numbers(0, 3), numbers(0, 3), [3], mean, rstd, None, None, everything
    )
    source = gn.tensor([[1.0, math.inf, 2.0], [math.nan, 1.0, 2.0], [3.0, 3.0, 3.0], [1e30, -1e30, 0.0]])
    same(aten.native_layer_norm, source.to("reference"), [3], None, None, 1e-5)
    same(aten._fused_rms_norm, source.to("reference"), [3], None, 1e-5)


def test_parameters_of_another_dtype():
    for dtype in (gn.float16, gn.bfloat16):
        source, gradient = numbers(4, 10, dtype=dtype), numbers(4, 10, dtype=dtype) / 4
        weight, bias = numbers(10, shift=1.0), numbers(10)
        layer(source, [10], weight, bias, gradient)
        rms(source, [10], weight, gradient)
        group(source.reshape(2, 10, 2), 5, weight, bias, gradient.reshape(2, 10, 2))
        batch(source, weight, bias, gradient)
    rms(numbers(4, 10), [10], numbers(10, dtype=gn.float16), numbers(4, 10) / 4)
    for dtype, other in ((gn.bfloat16, gn.float64), (gn.float32, gn.float16), (gn.float64, gn.float32)):
        source, weight = numbers(4, 10, dtype=dtype), numbers(10, dtype=dtype, shift=1.0)
        batch(source, weight, weight, numbers(4, 10, dtype=other) / 4)


def group(source, groups, weight, bias, gradient, mask=(True, True, True)):
    """Compare group normalization and its gradients."""
    images, channels = source.shape[:2]
    sizes = (images, channels, math.prod(source.shape[2:]), groups)
    _, mean, rstd = same(aten.native_group_norm, source, weight, bias, *sizes, 1e-5)
    backward = aten.native_group_norm_backward
    scale = 10 * BOUNDS[source.dtype.name]
    same(backward, gradient, source, mean, rstd, weight, *sizes, list(mask), bound=scale)


@ALL_DTYPES
def test_groups_of_channels(dtype):
    kind = getattr(gn, dtype)
    for sizes, groups in (
        ((3, 6, 5), 2),
        ((2, 6, 3, 4), 6),
        ((2, 4, 7), 1),
        ((3, 4, 1), 2),
        ((2, 70, 40), 7),
    ):
        source, gradient = numbers(*sizes, dtype=kind), numbers(*sizes, dtype=kind) / 4
        weight, bias = numbers(sizes[1], dtype=kind, shift=1.0), numbers(sizes[1], dtype=kind)
        group(source, groups, weight, bias, gradient)
        group(source, groups, None, None, gradient)


def test_groups_of_images_that_lie_channels_last():
    source = numbers(2, 6, 3, 4).contiguous(memory_format=gn.channels_last)
    group(source, 3, numbers(6, shift=1.0), numbers(6), numbers(2, 6, 3, 4) / 4)


def batch(source, weight, bias, gradient, mask=(True, True, True)):
    """Compare batch normalization by the batch's statistics and by running ones, and their gradients."""
    channels = source.shape[1]
    kind = source.dtype if weight is None else weight.dtype
    everything = list(mask)
    scale = 10 * BOUNDS[source.dtype.name]
    _, mean, rstd = same(aten._native_batch_norm_legit.no_stats, source, weight, bias, True, 0.1, 1e-5)
    backward = aten.native_batch_norm_backward
    arguments = (gradient, source, weight, None, None, mean, rstd, True, 1e-5, everything)
    same(backward, *arguments, bound=scale)
    running_mean, running_var = numbers(channels, dtype=kind), numbers(channels, dtype=kind, shift=3.0)
    inference = aten._native_batch_norm_legit_no_training
    same(inference, source, weight, bias, running_mean, running_var, 0.1, 1e-5)
    arguments = (gradient, source, weight, running_mean, running_var, None, None, False, 1e-5, everything)
    same(backward, *arguments, bound=scale)
    for training in (True, False):
        moved = running_mean.clone(), running_var.clone()
        moved_on_device = tuple(each.to("cuda") for each in moved)
        expected = aten._native_batch_norm_legit(source, weight, bias, *moved, training, 0.25, 1e-5)
        given = [on_device(each) for each in (source, weight, bias)]
        found = aten._native_batch_norm_legit(*given, *moved_on_device, training, 0.25, 1e-5)
        for each, other in zip((*expected, *moved), (*found, *moved_on_device)):
            assert close(each, other)


@ALL_DTYPES
@pytest.mark.parametrize("sizes", [(5, 3), (4, 70), (3, 4, 5), (2, 3, 4, 5), (1, 2, 9)], ids=str)
def test_channels_of_batches(dtype, sizes):
    kind = getattr(gn, dtype)
    source, gradient = numbers(*sizes, dtype=kind), numbers(*sizes, dtype=kind) / 4
    weight, bias = numbers(sizes[1], dtype=kind, shift=1.0), numbers(sizes[1], dtype=kind)
    batch(source, weight, bias, gradient)
    batch(source, None, None, gradient)


def test_batches_in_other_orders_of_memory():
    source = numbers(2, 3, 4, 5).contiguous(memory_format=gn.channels_last)
    batch(source, numbers(3, shift=1.0), numbers(3), numbers(2, 3, 4, 5) / 4)
    batch(source, None, None, source / 4, mask=(True, False, False))
    batch(numbers(3, 6).t(), numbers(6)[::2], None, numbers(6, 3) / 4, mask=(False, False, True))


def test_running_statistics_in_steps_are_moved():
    source = numbers(4, 3, 5)
    results = []
    for device in ("reference", "cuda"):
        wide = gn.zeros(6, device=device), gn.ones(6, device=device)
        running = [each[::2] for each in wide]
        aten._native_batch_norm_legit(source.to(device), None, None, *running, True, 0.5, 1e-5)
        results.append([each.tolist() for each in wide])
    for expected, found in zip(*results):
        assert found == pytest.approx(expected)


def test_many_elements_of_a_channel_are_cut_in_parts(launched):
    size = 3 * norms.PART
    source = numbers(1, 1, size)
    batch(source, None, None, source / 4)
    rows = 3 * norms.PART // norms.COLUMNS
    source = numbers(rows, 5)
    layer(source, [5], None, None, source / 4)
    batch(source, None, None, source / 4)
    assert {f"channel_sums<{gradient}, {columns}>" for gradient in (0, 1) for columns in (1, 32)} <= set(
        launched
    )
