"""The C library's convolutions on their own: empty ones, and padding or gaps that contribute no product."""

import pytest

np = pytest.importorskip("numpy")
gnomon_c = pytest.importorskip("gnomon_c")

import gnomon as gn  # noqa: E402
import test_csrc  # noqa: E402
from test_csrc import OK, empty, make, values  # noqa: E402

native, library = test_csrc.native, test_csrc.library  # fixtures

ABSENT = -(2**63 - 1)  # GN_NO_INTEGER
DTYPES = ("float16", "bfloat16", "float32", "float64", "complex64")


def small(random, dtype, *sizes):
    """Small integers, whose products and sums all dtypes represent exactly."""
    return make(random.integers(-3, 4, sizes), dtype)


def options(dims, transposed, stride=1, padding=0, dilation=1, output_padding=0, groups=1):
    """The integer arguments of a call, the same for each of ``dims`` dimensions."""
    lists = [[dims, *[each] * dims] for each in (stride, padding, dilation, output_padding)]
    return (*lists[0], *lists[1], *lists[2], int(transposed), *lists[3], groups)


def forward(library, shape, inputs, integers):
    out = empty(shape, inputs[0].dtype)
    assert library.run("convolution", [out], inputs, integers) == OK
    return values(out)


def backward(library, inputs, integers):
    """The gradients of the input and of the weight."""
    outputs = [empty(each.array.shape, each.dtype) for each in inputs[1:]]
    integers = (ABSENT, *integers, 3, 1, 1, 0)
    assert library.run("convolution_backward", [*outputs, None], inputs, integers) == OK
    return [values(each) for each in outputs]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("sizes", [(5,), (37,), (3, 4), (17, 5), (2, 3, 4)])
def test_what_pads_the_output_of_a_pointwise_transposed_convolution_is_the_bias(library, dtype, sizes):
    random = np.random.default_rng(0)
    for groups, with_bias in ((1, True), (1, False), (2, True), (3, False)):
        x = small(random, dtype, 2, 2 * groups, *sizes)
        weight = small(random, dtype, 2 * groups, 3, *[1] * len(sizes))
        bias = small(random, dtype, 3 * groups) if with_bias else None
        padded = tuple(size + 2 for size in sizes)
        inside = (..., *[slice(size) for size in sizes])
        g = small(random, dtype, 2, 3 * groups, *padded)
        integers = options(len(sizes), True, dilation=3, output_padding=2, groups=groups)

        matrix = values(weight).reshape(groups, 2, 3)
        parts = values(x).reshape(2, groups, 2, -1)
        expected = np.zeros((2, 3 * groups, *padded), values(x).dtype)
        expected[inside] = np.einsum("gio,ngip->ngop", matrix, parts).reshape(2, 3 * groups, *sizes)
        if with_bias:
            expected += values(bias).reshape(-1, *[1] * len(sizes))
        found = forward(library, expected.shape, [x, weight, bias], integers)
        np.testing.assert_array_equal(found, expected)

        gradient = values(g)[inside].reshape(2, groups, 3, -1)
        for_x, for_weight = backward(library, [g, x, weight], integers)
        back = np.einsum("gio,ngop->ngip", matrix, gradient)
        np.testing.assert_array_equal(for_x, back.reshape(x.array.shape))
        back = np.einsum("ngop,ngip->gio", gradient, parts)
        np.testing.assert_array_equal(for_weight, back.reshape(weight.array.shape))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("dims", (1, 2, 3))
@pytest.mark.parametrize(("batch", "groups"), [(1, 1), (0, 1), (2, 2), (3, 3)])
def test_gradients_over_no_positions_are_zero(library, dtype, dims, batch, groups):
    random = np.random.default_rng(0)
    for channels, kernel in ((1, 1), (1, 3), (2, 3)):
        weight = small(random, dtype, channels * groups, 2, *[kernel] * dims)
        x = make(np.zeros((batch, channels * groups, *[2] * (dims - 1), 0)), dtype)
        last = kernel - 1
        g = small(random, dtype, batch, 2 * groups, *[kernel + 1] * (dims - 1), last)
        for_x, for_weight = backward(library, [g, x, weight], options(dims, True, groups=groups))
        assert for_x.shape == x.array.shape
        np.testing.assert_array_equal(for_weight, np.zeros(weight.array.shape))
        bias = small(random, dtype, 2 * groups)
        found = forward(library, g.array.shape, [x, weight, bias], options(dims, True, groups=groups))
        expected = np.broadcast_to(values(bias).reshape(-1, *[1] * dims), g.array.shape)
        np.testing.assert_array_equal(found, expected)

        # in the plain convolution, the kernel covers only padding
        weight = small(random, dtype, 2 * groups, channels, *[kernel] * dims)
        plain = options(dims, False, padding=kernel, groups=groups)
        g = small(random, dtype, batch, 2 * groups, *[kernel + 3] * (dims - 1), kernel + 1)
        for_x, for_weight = backward(library, [g, x, weight], plain)
        assert for_x.shape == x.array.shape
        np.testing.assert_array_equal(for_weight, np.zeros(weight.array.shape))
        found = forward(library, g.array.shape, [x, weight, bias], plain)
        expected = np.broadcast_to(values(bias).reshape(-1, *[1] * dims), g.array.shape)
        np.testing.assert_array_equal(found, expected)


# -- one channel per group -----------------------------------------------------------------------------------


def taps(padded, kernel, out, stride, dilation):
    """Each kernel element's index, and the part of the padded image that it is multiplied with."""
    for place in np.ndindex(*kernel):
        parts = (slice(k * d, k * d + (o - 1) * s + 1, s) for k, d, o, s in zip(place, dilation, out, stride))
        yield place, padded[(..., *parts)]


def depthwise(x, w, bias, stride, padding, dilation, gradient):
    """The convolution of x (batch, groups, ...) with w (groups * m, 1, ...) and its gradients, in float64."""
    m = w.shape[0] // x.shape[1]
    kernel = w.shape[2:]
    pads = [(0, 0), (0, 0), *((p, p) for p in padding)]
    padded = np.pad(np.repeat(x.astype("float64"), m, 1), pads)
    out = gradient.shape[2:]
    y = np.zeros(gradient.shape) + (0 if bias is None else bias.reshape(-1, *[1] * len(kernel)))
    dx, dw = np.zeros(padded.shape), np.zeros(w.shape)
    for place, part in taps(padded, kernel, out, stride, dilation):
        factor = w[(slice(None), 0, *place)].reshape(-1, *[1] * len(kernel))
        y += factor * part
        dw[(slice(None), 0, *place)] = (part * gradient).sum((0, *range(2, part.ndim)))
    for place, part in taps(dx, kernel, out, stride, dilation):
        part += w[(slice(None), 0, *place)].reshape(-1, *[1] * len(kernel)) * gradient
    inner = tuple(slice(p, p + n) for p, n in zip(padding, x.shape[2:]))
    dx = dx[(..., *inner)].reshape(x.shape[0], x.shape[1], m, *x.shape[2:]).sum(2)
    return y, dx, dw


DEPTHWISE = (
    # sizes, kernel, stride, padding, dilation, output channels per channel
    ((28, 28), (3, 3), (1, 1), (1, 1), (1, 1), 1),
    ((17, 35), (3, 3), (1, 1), (0, 2), (1, 1), 2),
    ((29, 31), (5, 5), (2, 2), (2, 2), (1, 1), 1),
    ((14, 14), (7, 7), (1, 1), (3, 3), (1, 1), 1),
    ((23, 40), (3, 2), (1, 2), (2, 1), (2, 3), 1),
    ((20, 9), (4, 3), (2, 3), (3, 0), (2, 2), 2),
    ((9, 33), (3, 3), (2, 1), (4, 3), (1, 3), 1),
    ((1, 30), (1, 3), (1, 1), (0, 1), (1, 1), 1),
    ((2, 17), (2, 3), (1, 1), (0, 0), (1, 2), 1),  # one output row, with several kernel elements
    ((5, 5), (1, 1), (1, 1), (3, 3), (1, 1), 1),
    ((4, 4), (3, 3), (9, 9), (8, 8), (1, 1), 1),
    ((100,), (3,), (1,), (1,), (1,), 1),
    ((131,), (5,), (3,), (4,), (2,), 2),
    ((6, 7, 19), (3, 3, 3), (1, 1, 1), (1, 1, 1), (1, 1, 1), 1),
    ((6, 7, 19), (3, 2, 3), (2, 1, 2), (1, 2, 0), (1, 2, 1), 1),
)


@pytest.fixture
def restored_threads():
    before = gnomon_c.get_num_threads()
    yield
    gnomon_c.set_num_threads(before)


@pytest.mark.usefixtures("restored_threads")
@pytest.mark.skipif(not gn.backends()["c"].available, reason="the C extension is not built")
@pytest.mark.parametrize("dtype", ("float32", "float64"))
@pytest.mark.parametrize("sizes, kernel, stride, padding, dilation, features", DEPTHWISE)
def test_depthwise(sizes, kernel, stride, padding, dilation, features, dtype):
    generator = np.random.default_rng(sizes)
    x = generator.standard_normal((2, 3, *sizes)).astype(dtype)
    w = generator.standard_normal((3 * features, 1, *kernel)).astype(dtype)
    bias = generator.standard_normal(3 * features).astype(dtype)
    function = getattr(gn.nn.functional, f"conv{len(sizes)}d")
    seen = []
    gradient = None
    for threads in (1, 2, 3):
        gnomon_c.set_num_threads(threads)
        on_c = [gn.tensor(each, device="c", requires_grad=True) for each in (x, w)]
        result = function(*on_c, gn.tensor(bias, device="c"), stride, padding, dilation, 3)
        if gradient is None:
            gradient = generator.standard_normal(result.shape).astype(dtype)
        result.backward(gn.tensor(gradient, device="c"))
        seen.append([result.detach().numpy(), *(each.grad.numpy() for each in on_c)])
    for each in seen[1:]:
        assert all(mine.tobytes() == wanted.tobytes() for mine, wanted in zip(each, seen[0]))
    for mine, wanted in zip(seen[0], depthwise(x, w, bias, stride, padding, dilation, gradient)):
        assert np.abs(mine - wanted).max() <= 60 * np.finfo(dtype).eps * max(1, np.abs(wanted).max())


@pytest.mark.skipif(not gn.backends()["c"].available, reason="the C extension is not built")
@pytest.mark.parametrize("bad", (np.inf, np.nan))
def test_depthwise_padding_is_not_multiplied(bad):
    """A number that is not finite affects the products with the image, not the padding or the next row."""
    x, w = np.ones((1, 2, 6, 20), "float32"), np.ones((2, 1, 3, 3), "float32")
    w[0, 0, 0, 0] = bad
    result = gn.nn.functional.conv2d(gn.tensor(x, device="c"), gn.tensor(w, device="c"), padding=1, groups=2)
    shown = ~np.isfinite(result.numpy()[0])
    assert shown[0, 1:, 1:].all() and shown[0].sum() == 5 * 19 and not shown[1].any()
    x = gn.tensor(x, device="c", requires_grad=True)
    w = gn.tensor(w, device="c", requires_grad=True)
    gradient = np.ones((1, 2, 6, 20), "float32")
    gradient[0, 1, 0, 19] = bad  # at a corner, where only four kernel elements overlap the image
    gn.nn.functional.conv2d(x, w, padding=1, groups=2).backward(gn.tensor(gradient, device="c"))
    shown = ~np.isfinite(w.grad.numpy()[1, 0])
    assert (shown == [[0, 0, 0], [1, 1, 0], [1, 1, 0]]).all()


SPECIAL = {
    # groups, input and output channels per group
    "plain": (1, 2, 3),
    "grouped": (2, 2, 2),
    "depthwise": (3, 1, 2),
}


@pytest.mark.skipif(not gn.backends()["c"].available, reason="the C extension is not built")
@pytest.mark.parametrize("dtype", (gn.bfloat16, gn.float32, gn.complex64), ids=str)
@pytest.mark.parametrize("transposed", (False, True), ids=("plain", "transposed"))
@pytest.mark.parametrize("steps", ((1, 1), (2, 1), (1, 2)), ids=str)
@pytest.mark.parametrize("dims, size", ((1, 7), (2, 5), (3, 3)))
@pytest.mark.parametrize("kind", SPECIAL)
def test_infinite_numbers_meet_no_padding(kind, dims, size, steps, transposed, dtype):
    """Results and gradients are NaN where the reference's are, whichever operand is infinite or NaN."""
    groups, channels, features = SPECIAL[kind]
    stride, dilation = steps
    random = np.random.default_rng(size)
    outer = (channels, features) if transposed else (features, channels)
    options = [[stride] * dims, [2] * dims, [dilation] * dims, transposed, [0] * dims, groups]
    backward = gn.ops.aten.convolution_backward
    for bad in (np.inf, np.nan):
        x = random.standard_normal((2, groups * channels, *[size] * dims))
        weight = random.standard_normal((groups * outer[0], outer[1], *[3] * dims))
        bias = random.standard_normal(groups * features)
        given = [gn.tensor(each, dtype=dtype, device="reference") for each in (x, weight, bias)]
        grad = gn.ops.aten.convolution(*given, *options)
        for spoiled in (given[0], given[1], grad):
            good = spoiled.clone()
            flat = spoiled.view(-1)
            flat[0] = flat[flat.numel() // 2] = bad
            results = []
            for device in ("reference", "c"):
                tensors = [each.to(device) for each in (*given, grad)]
                gradients = backward(tensors[3], *tensors[:2], [bias.size], *options, [True] * 3)
                results.append([gn.ops.aten.convolution(*tensors[:3], *options), *gradients])
            spoiled.copy_(good)
            for wanted, found in zip(*results):
                tolerance = 2e-2 if dtype == gn.bfloat16 else 1e-5
                np.testing.assert_allclose(*(numbers(each) for each in (found, wanted)), tolerance, tolerance)


def numbers(tensor):
    """The real numbers of a tensor; if one part of a complex number is NaN, both are."""
    array = np.array(tensor.tolist())
    array[np.isnan(array)] = np.nan
    return array.view(array.real.dtype)


HOSTILE = [
    {"stride": 2**26},
    {"stride": 2**61},
    {"stride": 2**62},
    {"stride": 2**63 - 1},
    {"stride": 2**40, "padding": 9},
    {"stride": 2**59, "padding": 2**59},
    {"stride": 3, "padding": 30},
    {"dilation": 7, "padding": 20, "stride": 5},
    {"dilation": 50, "padding": 30, "stride": 2**30},
    {"dilation": 2**60, "padding": 2**60 - 1, "stride": 2**59},
    {"dilation": 2**61 - 1, "padding": 2**60, "stride": 2**63 - 1},
]


@pytest.mark.skipif(not gn.backends()["c"].available, reason="the C extension is not built")
@pytest.mark.parametrize(
    "dims, channels, groups", [(1, 1, 1), (1, 4, 4), (2, 1, 1), (2, 4, 1), (2, 4, 4), (3, 2, 1)]
)
@pytest.mark.parametrize("dtype", [gn.float32, gn.bfloat16, gn.complex64, gn.int64])
@pytest.mark.parametrize("options", HOSTILE, ids=str)
def test_numbers_that_part_positions_ask_for_no_memory(options, dtype, dims, channels, groups):
    """Results and gradients equal the reference's, however large strides and dilations are."""
    function = getattr(gn.nn.functional, f"conv{dims}d")
    gn.manual_seed(1)
    x, w = (
        gn.randint(-3, 4, (each, channels // part, *(size,) * dims), device="reference").to(dtype)
        for each, part, size in ((1, 1, 4), (channels, groups, 2))
    )
    found = []
    before = gn.accelerator.max_memory_allocated("c")
    for device in ("reference", "c"):
        tensors = [each.to(device, copy=True).requires_grad_(dtype.is_floating_point) for each in (x, w)]
        result = function(*tensors, groups=groups, **options)
        assert result.shape[:2] == (1, channels)
        if dtype.is_floating_point:
            result.sum().backward()
        found.append(
            [each.tolist() for each in (result, *(each.grad for each in tensors if each.requires_grad))]
        )
    assert found[0] == found[1]
    assert gn.accelerator.max_memory_allocated("c") <= max(before, 2**26)


@pytest.mark.skipif(not gn.backends()["c"].available, reason="the C extension is not built")
@pytest.mark.parametrize("groups", [1, 3])
@pytest.mark.parametrize("stride", [(1, 1), (2, 1)])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("width", [5, 16, 32])
@pytest.mark.parametrize("far", [2**57, 2**59, 2**60 - 1])
def test_kernel_elements_that_lie_far_outside_meet_nothing(far, width, axis, stride, groups):
    """In rows of 2**k elements, the offset of an element 2**(64 - k) rows away overflows 64 bits to 0."""
    apart, padding = [1, 1], [1, 1]
    apart[axis] = padding[axis] = far
    gn.manual_seed(1)
    image = gn.randint(-3, 4, (1, 3, 4, width), device="reference").float()
    weight = gn.randint(-3, 4, (6, 3 // groups, 3, 3), device="reference").float()
    found = []
    for device in ("reference", "c"):
        tensors = [each.to(device, copy=True).requires_grad_() for each in (image, weight)]
        options = {"stride": stride, "padding": padding, "dilation": apart, "groups": groups}
        result = gn.nn.functional.conv2d(*tensors, **options)
        result.sum().backward()
        found.append([result.tolist(), *(each.grad.tolist() for each in tensors)])
    assert found[0] == found[1]


@pytest.mark.parametrize(
    "options, message",
    [
        ({"padding": 2**61}, "padding is too large"),
        ({"padding": 2**62, "stride": 2**63 - 1}, "padding is too large"),
        ({"stride": 2**61, "padding": 2**61 - 1}, "stride is too large"),
    ],
)
def test_positions_that_64_bits_do_not_hold_are_refused(options, message):
    for device in ("reference", "meta"):
        x, w = (gn.ones(1, 1, size, device=device) for size in (4, 2))
        with pytest.raises(RuntimeError, match=message):
            gn.nn.functional.conv1d(x, w, **options)


@pytest.mark.usefixtures("restored_threads")
@pytest.mark.skipif(not gn.backends()["c"].available, reason="the C extension is not built")
@pytest.mark.parametrize("dtype", [gn.float32, gn.float64])
@pytest.mark.parametrize("batch", [1, 2, 5, 11])
@pytest.mark.parametrize(
    ("sizes", "kernel", "options"),
    [
        ((7, 7), (3, 3), {"padding": 1}),
        ((7, 7), (1, 1), {}),
        ((14, 14), (3, 3), {"padding": 1, "stride": 2}),
        ((13, 3), (3, 2), {"padding": 2, "dilation": 2}),
        ((1, 33), (1, 5), {"stride": (1, 3)}),
        ((33,), (4,), {"padding": 2}),
        ((3, 5, 7), (3, 3, 3), {"padding": 1}),
        ((5, 5, 5), (5, 3, 3), {}),
    ],
    ids=str,
)
def test_an_image_among_others_has_the_bits_that_it_has_alone(sizes, kernel, options, batch, dtype):
    """Images with too few positions to fill vectors are computed as columns of one matrix product."""
    with gn.device("c"):
        random = gn.Generator().manual_seed(batch)
        x, w = (
            gn.randn(*shape, generator=random).to(dtype) for shape in ((batch, 9, *sizes), (6, 9, *kernel))
        )
        bias = gn.randn(6, generator=random).to(dtype)
        dims = len(sizes)
        lists = [options.get(name, least) for name, least in (("stride", 1), ("padding", 0), ("dilation", 1))]
        lists = [each if isinstance(each, tuple) else (each,) * dims for each in lists]
        for threads in (1, 2):
            gn.set_num_threads(threads)
            for each in (None, bias):
                arguments = (w, each, *lists, False, (0,) * dims, 1)
                made = gn.convolution(x, *arguments)
                alone = gn.cat([gn.convolution(image[None], *arguments) for image in x])
                assert gn.equal(made, alone)
    expected = gn.convolution(*(t.to("reference") for t in (x, w, bias)), *lists, False, (0,) * dims, 1)
    assert gn.allclose(made.to("reference"), expected, rtol=1e-4, atol=1e-4)


@pytest.mark.skipif(not gn.backends()["c"].available, reason="the C extension is not built")
@pytest.mark.parametrize("dtype", [gn.float32, gn.float64])
@pytest.mark.parametrize(
    ("sizes", "kernel", "stride", "padding", "output_padding", "groups"),
    [
        ((5, 6), (4, 4), (2, 2), (1, 1), (0, 0), 1),
        ((5, 6), (3, 3), (2, 2), (1, 1), (1, 0), 2),
        ((3, 4), (2, 3), (2, 3), (0, 2), (1, 2), 1),
        ((4, 3), (5, 4), (3, 1), (2, 0), (0, 0), 3),
        ((7,), (4,), (4,), (3,), (3,), 1),
        ((2, 3, 2), (3, 2, 4), (2, 1, 2), (1, 0, 3), (1, 0, 1), 1),
        ((2, 3, 4), (2, 2, 2), (2, 2, 2), (0, 1, 0), (0, 0, 1), 2),
        ((1, 1), (6, 6), (2, 2), (2, 1), (1, 0), 1),
        ((9, 40), (3, 5), (1, 2), (0, 1), (0, 1), 1),
        ((4, 4), (1, 3), (2, 2), (0, 0), (0, 0), 1),  # kernel elements for some remainders only
        ((4, 3), (17, 2), (17, 1), (0, 0), (0, 0), 1),  # more remainders than are handled one by one
    ],
    ids=str,
)
def test_gradients_of_strided_inputs(sizes, kernel, stride, padding, output_padding, groups, dtype):
    """Positions with equal remainders modulo the stride are one convolution; integer values make it exact."""
    for batch in (1, 3):
        random = gn.Generator().manual_seed(batch)
        x, w, bias = (
            gn.randint(-3, 4, shape, generator=random).to(dtype).to("reference")
            for shape in ((batch, groups * 2, *sizes), (groups * 2, 3, *kernel), (groups * 3,))
        )
        rest = (stride, padding, (1,) * len(sizes), True, output_padding, groups)
        for each in (None, bias):
            expected = gn.convolution(x, w, each, *rest)
            made = gn.convolution(*(t if t is None else t.to("c") for t in (x, w, each)), *rest)
            assert made.dtype is dtype and made.stride() == expected.stride()
            assert gn.equal(made.to("reference"), expected)
        given = gn.zeros_like(expected).to("c").requires_grad_()  # input of a plain convolution
        convolved = gn.convolution(given, w.to("c"), None, *rest[:3], False, (0,) * len(sizes), groups)
        convolved.backward(x.to("c"))
        assert gn.equal(given.grad.to("reference"), gn.convolution(x, w, None, *rest))


@pytest.mark.skipif(not gn.backends()["c"].available, reason="the C extension is not built")
@pytest.mark.parametrize("dtype", [gn.bfloat16, gn.float32, gn.float64, gn.complex64])
@pytest.mark.parametrize("weight", ["contiguous", "transposed", "expanded"])
@pytest.mark.parametrize(
    "channels, features, sizes", [(3, 5, (4, 6)), (1, 4, (3, 2)), (17, 1, (2, 3, 2)), (9, 33, (5, 1))]
)
def test_kernels_of_one_element_with_channels_last(channels, features, sizes, weight, dtype):
    """A product of matrices as they lie in memory gives what the reference gives."""
    memory_format = gn.channels_last if len(sizes) == 2 else gn.channels_last_3d
    random = np.random.default_rng(0)

    def numbers(*sizes):
        return gn.tensor(random.integers(-3, 4, sizes).tolist(), dtype=dtype)

    x, slope = numbers(2, channels, *sizes), numbers(2, features, *sizes)
    if weight == "transposed":
        w = numbers(channels, features).t()
    else:
        w = (
            numbers(features, channels)
            if weight == "contiguous"
            else numbers(1, channels).expand(features, -1)
        )
    w = w.view(features, channels, *[1] * len(sizes))
    convolve = gn.nn.functional.conv2d if len(sizes) == 2 else gn.nn.functional.conv3d
    for bias in (None, numbers(features)):
        found = []
        for device in ("reference", "c"):
            image = x.detach().to(device).contiguous(memory_format=memory_format).requires_grad_()
            kernel = w.detach().to(device).requires_grad_()
            added = None if bias is None else bias.detach().to(device).requires_grad_()
            result = convolve(image, kernel, added)
            result.backward(slope.to(device).contiguous(memory_format=memory_format))
            leaves = [each for each in (image, kernel, added) if each is not None]
            found.append([result.detach(), *(each.grad for each in leaves)])
        for one, other in zip(*found):
            assert one.shape == other.shape and one.stride() == other.stride()
            assert one.tolist() == other.tolist()
        assert channels == 1 or found[1][0].is_contiguous(memory_format=memory_format)
