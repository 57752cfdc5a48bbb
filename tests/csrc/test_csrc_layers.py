"""The C library's layers on their own: sizes near vectors, blocks and tiles, and several thread counts.

The conformance suite tests their semantics.
"""

import pytest

np = pytest.importorskip("numpy")

import test_csrc  # noqa: E402
from test_csrc import OK, Tagged, empty, make  # noqa: E402

native, library = test_csrc.native, test_csrc.library  # fixtures

SIZES = (1, 2, 7, 8, 31, 32, 33, 63, 65, 511, 512, 513, 1023, 1025)


@pytest.fixture
def random():
    return np.random.default_rng(0)


def floats(random, *shape):
    return make(random.standard_normal(shape), "float32")


def run(library, name, shapes, inputs, integers=(), scalars=()):
    """The outputs of an operator, float32 unless a shape comes with another dtype."""
    outputs = [empty(*each) if isinstance(each[-1], str) else empty(each, "float32") for each in shapes]
    assert library.run(name, outputs, inputs, integers, scalars) == OK
    return outputs


def softmax(x, axis):
    shifted = np.exp(x - x.max(axis, keepdims=True))
    return shifted / shifted.sum(axis, keepdims=True)


@pytest.mark.parametrize("length", SIZES)
@pytest.mark.parametrize("inner", (1, 2, 65, 1025))
def test_softmax_of_all_lengths(library, random, length, inner):
    x, g = floats(random, 3, length, inner), floats(random, 3, length, inner)
    shape = x.array.shape
    wide, gradient = x.array.astype(np.float64), g.array.astype(np.float64)
    expected = softmax(wide, 1)
    (found,) = run(library, "_softmax", [shape], [x], (1, 0))
    np.testing.assert_allclose(found.array, expected, 2e-6, 1e-30)
    (logarithm,) = run(library, "_log_softmax", [shape], [x], (1, 0))
    np.testing.assert_allclose(logarithm.array, np.log(expected), 2e-6, 2e-6)
    (back,) = run(library, "_softmax_backward_data", [shape], [g, found], (1, 0))
    product = (gradient * expected).sum(1, keepdims=True)
    np.testing.assert_allclose(back.array, expected * (gradient - product), 1e-4, 1e-6)
    (back,) = run(library, "_log_softmax_backward_data", [shape], [g, logarithm], (1, 0))
    total = gradient.sum(1, keepdims=True)
    np.testing.assert_allclose(back.array, gradient - expected * total, 1e-4, 2e-5)


@pytest.mark.parametrize("length", SIZES)
@pytest.mark.parametrize(("scale", "shift"), [(1, 0), (1, 1e4), (1e-3, -1), (1e30, 0), (1e-20, 0)])
def test_layer_norm_of_all_lengths_and_magnitudes(library, random, length, scale, shift):
    x = make(random.standard_normal((5, length)) * scale + shift, "float32")
    weight, bias = floats(random, length), floats(random, length)
    wide = x.array.astype(np.float64)
    mean = wide.mean(1, keepdims=True)
    eps = 0.0 if length > 2 else 1e-5
    rstd = 1 / np.sqrt(wide.var(1, keepdims=True) + eps)
    shapes = [(5, length), (5, 1), (5, 1)]
    out, found_mean, found_rstd = run(
        library, "native_layer_norm", shapes, [x, weight, bias], (1, length), (eps,)
    )
    np.testing.assert_allclose(found_mean.array, mean, 2e-7, abs(shift) * 1e-7 + scale * 1e-6)
    np.testing.assert_allclose(found_rstd.array, rstd, 3e-6)
    expected = (wide - mean) * rstd * weight.array + bias.array
    np.testing.assert_allclose(out.array, expected, 1e-5, 1e-5)


@pytest.mark.parametrize("images", (1, 2, 33, 300))
@pytest.mark.parametrize("size", (1, 2, 15, 16, 17, 100))
def test_batch_norm_of_all_sizes(library, random, images, size):
    channels = 5
    x = make(random.standard_normal((images, channels, size)) + 100, "float32")
    g, weight, bias = (
        floats(random, images, channels, size),
        floats(random, channels),
        floats(random, channels),
    )
    wide = x.array.astype(np.float64)
    mean = wide.mean((0, 2), keepdims=True)
    rstd = 1 / np.sqrt(wide.var((0, 2), keepdims=True) + 1e-3)
    normalized = (wide - mean) * rstd
    spread = weight.array[:, None]
    shapes = [x.array.shape, (channels,), (channels,)]
    out, saved_mean, saved_rstd = run(
        library, "_native_batch_norm_legit.no_stats", shapes, [x, weight, bias], (1,), (0.1, 1e-3)
    )
    np.testing.assert_allclose(out.array, normalized * spread + bias.array[:, None], 1e-4, 1e-4)
    back, for_weight, for_bias = run(
        library,
        "native_batch_norm_backward",
        shapes,
        [g, x, weight, None, None, saved_mean, saved_rstd],
        (1, 3, 1, 1, 1),
        (1e-3,),
    )
    gradient = g.array.astype(np.float64)
    np.testing.assert_allclose(for_bias.array, gradient.sum((0, 2)), 1e-5, 1e-5)
    np.testing.assert_allclose(for_weight.array, (gradient * normalized).sum((0, 2)), 1e-3, 1e-2)
    scaled = gradient * spread
    product = (scaled * normalized).mean((0, 2), keepdims=True)
    expected = rstd * (scaled - scaled.mean((0, 2), keepdims=True) - normalized * product)
    np.testing.assert_allclose(back.array, expected, 1e-3, 1e-3 * float(rstd.max()))


@pytest.mark.parametrize("width", (2, 3, 8, 15, 16, 17, 33, 64))
@pytest.mark.parametrize(
    ("kernel", "stride", "padding", "dilation"), [(2, 2, 0, 1), (3, 1, 1, 1), (3, 2, 1, 2)]
)
def test_max_pool_of_all_widths(library, random, width, kernel, stride, padding, dilation):
    size = width + 2 * padding - dilation * (kernel - 1) - 1
    if size < 0:
        pytest.skip("no window fits")
    count = size // stride + 1
    x = floats(random, 2, width, width)
    window = [2, kernel, kernel, 2, stride, stride, 2, padding, padding, 2, dilation, dilation, 0]
    shape = (2, count, count)
    out, places = run(library, "max_pool2d_with_indices", [shape, (shape, "int64")], [x], window)
    for plane, y, at in np.ndindex(*shape):
        rows = [y * stride - padding + tap * dilation for tap in range(kernel)]
        columns = [at * stride - padding + tap * dilation for tap in range(kernel)]
        members = [
            (float(x.array[plane, i, j]), i * width + j)
            for i in rows
            for j in columns
            if 0 <= i < width and 0 <= j < width
        ]
        assert (out.array[plane, y, at], places.array[plane, y, at]) == max(members)


def calls(random):
    """Operators with enough work for several threads."""
    x = floats(random, 4, 6, 50, 70)
    shape = x.array.shape
    row, parameter = floats(random, 600, 300), floats(random, 300)
    channel = floats(random, 6)
    grid = make(random.uniform(-1.2, 1.2, (4, 40, 40, 2)), "float32")
    kernel = floats(random, 6, 1, 3, 3)
    depthwise = (2, 1, 1, 2, 1, 1, 2, 1, 1, 0, 2, 0, 0, 6)
    window = (2, 3, 3, 2, 2, 2, 2, 1, 1)
    norm = [row.array.shape, (600, 1), (600, 1)]
    mean, rstd = floats(random, 600, 1), floats(random, 600, 1)
    four, two = floats(random, 4, 6, 80, 90), floats(random, 4, 6, 20, 30)
    yield "_softmax", [row.array.shape], [row], (1, 0), ()
    yield "_log_softmax", [row.array.shape], [row], (0, 0), ()
    yield "native_layer_norm", norm, [row, parameter, parameter], (1, 300), (1e-5,)
    yield (
        "native_layer_norm_backward",
        [row.array.shape, (300,), (300,)],
        [row, row, mean, rstd, parameter, parameter],
        (1, 300, 3, 1, 1, 1),
        (),
    )
    yield "_native_batch_norm_legit.no_stats", [shape, (6,), (6,)], [x, channel, channel], (1,), (0.1, 1e-5)
    yield (
        "_native_batch_norm_legit.no_stats",
        [row.array.shape, (300,), (300,)],
        [row, parameter, None],
        (1,),
        (0.1, 1e-5),
    )
    yield "native_group_norm", [shape, (4, 2), (4, 2)], [x, channel, channel], (4, 6, 3500, 2), (1e-5,)
    yield (
        "max_pool2d_with_indices",
        [(4, 6, 25, 35), ((4, 6, 25, 35), "int64")],
        [x],
        (*window, 2, 1, 1, 0),
        (),
    )
    yield "avg_pool2d", [(4, 6, 25, 35)], [x], (*window, 0, 1, library_absent), ()
    yield "_adaptive_avg_pool2d", [(4, 6, 7, 9)], [x], (2, 7, 9), ()
    yield "upsample_bilinear2d", [(4, 6, 80, 90)], [x], (2, 80, 90, 0), (None, None)
    yield "upsample_bicubic2d_backward", [shape], [four], (2, 80, 90, 4, *shape, 0), (None, None)
    yield "_upsample_bilinear2d_aa", [(4, 6, 20, 30)], [x], (2, 20, 30, 0), (None, None)
    yield "_upsample_lanczos2d_aa_backward", [shape], [two], (2, 20, 30, 4, *shape, 0), (None, None)
    yield "reflection_pad2d", [(4, 6, 53, 75)], [x], (4, 2, 3, 1, 2), ()
    yield "grid_sampler_2d", [(4, 6, 40, 40)], [x, grid], (0, 1, 0), ()
    yield "grid_sampler_2d_backward", [shape, grid.array.shape], [floats(random, 4, 6, 40, 40), x, grid], (
        2, 2, 1, 2, 1, 1,
    ), ()  # fmt: skip
    yield "convolution", [shape], [x, kernel, channel], depthwise, ()
    yield (
        "convolution_backward",
        [shape, kernel.array.shape, (6,)],
        [x, x, kernel],
        (1, 6, *depthwise, 3, 1, 1, 1),
        (),
    )
    yield "im2col", [(4, 54, 3500)], [x], (2, 3, 3, 2, 1, 1, 2, 1, 1, 2, 1, 1), ()
    yield "col2im", [(4, 6, 50, 70)], [floats(random, 4, 54, 3500)], (
        2, 50, 70, 2, 3, 3, 2, 1, 1, 2, 1, 1, 2, 1, 1,
    ), ()  # fmt: skip


library_absent = -(2**63 - 1)  # GN_NO_INTEGER


def test_results_do_not_depend_on_the_number_of_threads(library, random):
    before = library.lib.gn_get_num_threads()
    try:
        for name, shapes, inputs, integers, scalars in calls(random):
            results = []
            for threads in (1, 2, 3):
                library.lib.gn_set_num_threads(threads)
                results.append(
                    [each.array.tobytes() for each in run(library, name, shapes, inputs, integers, scalars)]
                )
            assert results[0] == results[1] == results[2], name
    finally:
        library.lib.gn_set_num_threads(before)


# lines that are converted several at a time, with a shorter last block, and lines longer than a block
@pytest.mark.parametrize("sizes", ((40, 130), (700, 8), (2049, 1), (3, 5000)))
@pytest.mark.parametrize("dtype", ("float16", "bfloat16"))
def test_softmax_of_half_types_rounds_once(library, random, dtype, sizes):
    x, g = (make(random.standard_normal(sizes), dtype) for _ in range(2))

    def widened(held):
        if dtype == "float16":
            return Tagged(held.array.astype(np.float32), "float32")
        return Tagged((held.array.astype(np.uint32) << 16).view(np.float32), "float32")

    for dim in (0, 1):
        for name in ("_softmax", "_log_softmax"):
            out, backward = empty(sizes, dtype), name + "_backward_data"
            assert library.run(name, [out], [x], (dim, 0)) == OK
            (wide,) = run(library, name, [sizes], [widened(x)], (dim, 0))
            assert np.array_equal(out.array, make(wide.array, dtype).array)
            asked = Tagged(np.empty(sizes, np.float32), "float32")
            assert library.run(name, [asked], [x], (dim, 1)) == OK
            assert np.array_equal(asked.array, wide.array)
            back = empty(sizes, dtype)
            assert library.run(backward, [back], [g, out], (dim,)) == OK
            (wide,) = run(library, backward, [sizes], [widened(g), widened(out)], (dim,))
            assert np.array_equal(back.array, make(wide.array, dtype).array)


@pytest.mark.parametrize("dtype", ("float32", "float64"))
@pytest.mark.parametrize(
    ("scale", "shift"), [(1, 0), (1, 1e4), (1e-3, -1), (1e18, 0), (1e30, 0), (1e-20, 0), (0, 3)]
)
def test_batch_norm_of_all_magnitudes_moves_the_running_statistics(library, random, dtype, scale, shift):
    """One channel's first plane has a different mean, which is a poor estimate of the channel's."""
    values = random.standard_normal((3, 4, 700)) * scale + shift
    values[0, 1] += 50 * scale
    x = make(values, dtype)
    wide = x.array.astype(np.float64)
    means, variances = make(random.standard_normal(4), dtype), make(random.random(4), dtype)
    eps = 1e-5 if scale == 0 else 0.0
    mean, variance = wide.mean((0, 2)), wide.var((0, 2))
    expected = [
        means.array.astype(np.float64) * 0.75 + mean * 0.25,
        variances.array.astype(np.float64) * 0.75 + variance * 0.25 * 2100 / 2099,
    ]
    outputs = [empty(shape, dtype) for shape in ((3, 4, 700), (4,), (4,))]
    given = [*outputs, means, variances]
    assert library.run("_native_batch_norm_legit", given, [x, None, None], (1,), (0.25, eps)) == OK
    close = {"float32": 3e-6, "float64": 1e-11}[dtype]
    with np.errstate(over="ignore"):
        found = [each.array.astype(np.float64) for each in (means, variances)]
        largest = np.finfo(dtype).max
        expected[1] = np.where(expected[1] > largest, np.inf, expected[1])
    np.testing.assert_allclose(found[0], expected[0], close, close * scale)
    np.testing.assert_allclose(found[1], expected[1], 2 * close, 1e-7 if scale else 1e-12)
    rstd = 1 / np.sqrt(variance + eps)
    np.testing.assert_allclose(outputs[2].array, rstd, 3 * close)
    normalized = (wide - mean[:, None]) * rstd[:, None]
    np.testing.assert_allclose(
        outputs[0].array, normalized, 10 * close, 1e-5 if dtype == "float32" else 1e-10
    )


@pytest.mark.parametrize("length", SIZES)
@pytest.mark.parametrize("scale", (1, 1e30, 1e-25))
def test_rms_norm_of_all_lengths_and_magnitudes(library, random, length, scale):
    x = make(random.standard_normal((5, length)) * scale, "float32")
    weight, g = floats(random, length), floats(random, 5, length)
    wide = x.array.astype(np.float64)
    rstd = 1 / np.sqrt((wide * wide).mean(1, keepdims=True))
    out, found = run(library, "_fused_rms_norm", [(5, length), (5, 1)], [x, weight], (1, length), (0.0,))
    np.testing.assert_allclose(found.array, rstd, 3e-6)
    np.testing.assert_allclose(out.array, wide * rstd * weight.array, 1e-5, 1e-6)
    back, for_weight = run(
        library,
        "_fused_rms_norm_backward",
        [(5, length), (length,)],
        [g, x, found, weight],
        (1, length, 2, 1, 1),
    )
    normalized, scaled = wide * rstd, g.array.astype(np.float64) * weight.array
    product = (scaled * normalized).mean(1, keepdims=True)
    np.testing.assert_allclose(back.array, rstd * (scaled - normalized * product), 1e-4, 1e-4 * rstd.max())
    np.testing.assert_allclose(for_weight.array, (g.array * normalized).sum(0), 1e-4, 1e-4)
