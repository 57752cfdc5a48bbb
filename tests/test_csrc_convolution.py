"""The C library's convolutions by themselves: nothing to multiply, or room that no product fills."""

import pytest

np = pytest.importorskip("numpy")

import test_csrc  # noqa: E402
from test_csrc import OK, empty, make, values  # noqa: E402

native, library = test_csrc.native, test_csrc.library  # fixtures

ABSENT = -(2**63 - 1)  # GN_NO_INTEGER
DTYPES = ("float16", "bfloat16", "float32", "float64", "complex64")


def small(random, dtype, *sizes):
    """Small integers, whose products and sums every dtype holds."""
    return make(random.integers(-3, 4, sizes), dtype)


def options(dims, transposed, stride=1, padding=0, dilation=1, output_padding=0, groups=1):
    """The integers of a call, the same in each of ``dims`` dimensions."""
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

        # the other way round, all that the kernel meets is padding
        weight = small(random, dtype, 2 * groups, channels, *[kernel] * dims)
        plain = options(dims, False, padding=kernel, groups=groups)
        g = small(random, dtype, batch, 2 * groups, *[kernel + 3] * (dims - 1), kernel + 1)
        for_x, for_weight = backward(library, [g, x, weight], plain)
        assert for_x.shape == x.array.shape
        np.testing.assert_array_equal(for_weight, np.zeros(weight.array.shape))
        found = forward(library, g.array.shape, [x, weight, bias], plain)
        expected = np.broadcast_to(values(bias).reshape(-1, *[1] * dims), g.array.shape)
        np.testing.assert_array_equal(found, expected)
