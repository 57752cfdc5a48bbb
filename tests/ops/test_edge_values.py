"""Difficult values for which the reference was wrong once; each expected number is PyTorch's."""

import math

import pytest

import gnomon as gn

aten = gn.ops.aten
HOSTS = [
    name for name in ("reference", "c", "numpy") if name in gn.backends() and gn.backends()[name].available
]


def signs(tensor):
    return [math.copysign(1, number) for number in tensor.tolist()]


@pytest.mark.parametrize(
    ("start", "end", "steps", "expected"),
    [
        (-0.0, -0.0, 5, [1, 1, -1, -1, -1]),
        (-0.0, 0.0, 2, [1, 1]),
        (-0.0, 0.0, 1, [-1]),
        (0.0, -0.0, 2, [1, 1]),
    ],
)
def test_linspace_keeps_the_sign_of_zero_from_the_end(start, end, steps, expected):
    assert signs(gn.linspace(start, end, steps, device="reference")) == expected


def test_log_sigmoid_backward_divides_by_zero():
    ones = gn.ones(1, device="reference")
    assert aten.log_sigmoid_backward.default(ones, ones, -ones).tolist() == [-math.inf]


def test_batch_norm_backward_by_running_statistics_is_a_scale():
    def made(numbers):
        return gn.tensor(numbers, device="reference")

    grad, input = made([[[1.0, 2.0]]]), made([[[1.0, math.inf]]])
    found, *_ = aten.native_batch_norm_backward.default(
        grad, input, made([2.0]), made([1.0]), made([4.0]), None, None, False, 0.0, [True, True, True]
    )
    assert found.tolist() == [[[1.0, 2.0]]]


def test_the_mean_of_integers_wraps_before_it_is_divided():
    most = 2**63 - 1
    found = aten.scatter_reduce.two(
        gn.tensor([most], device="reference"),
        0,
        gn.tensor([0], device="reference"),
        gn.tensor([1], device="reference"),
        "mean",
        include_self=True,
    )
    assert found.tolist() == [-(2**62)]


@pytest.mark.parametrize("device", HOSTS)
@pytest.mark.parametrize(
    ("dtype", "number", "count", "expected"),
    [
        (gn.uint8, 3, 257, 4),  # 777 and 258 wrap to 9 and 2
        (gn.uint8, 3, 255, 3),  # 771 and 256 wrap to 3 and 0; a count of 0 is replaced by 1
        (gn.int8, 1, 253, -2),  # 259 and 254 wrap to 3 and -2, rounded down
        (gn.int16, 1, 65535, 5),
    ],
)
def test_the_count_of_a_mean_of_integers_wraps_as_their_sum_does(dtype, number, count, expected, device):
    found = gn.tensor([6], dtype=dtype, device=device).scatter_reduce(
        0,
        gn.zeros(count, dtype=gn.int64, device=device),
        gn.full((count,), number, dtype=dtype, device=device),
        "mean",
    )
    assert found.tolist() == [expected] and found.dtype is dtype


def test_convolution_backward_looks_at_the_channels():
    ones = [gn.ones(*sizes, device="reference") for sizes in ((3, 4, 3, 3), (3, 2, 4, 4), (4, 3, 2, 2))]
    with pytest.raises(RuntimeError, match="to have 6 channels, but got 2 channels instead"):
        aten.convolution_backward.default(
            *ones, None, [1, 1], [0, 0], [1, 1], False, [0, 0], 2, [True, True, False]
        )


def test_avg_pool3d_backward_wants_an_input_as_large_as_a_window_as_avg_pool3d_does():
    volume, grad = gn.ones(1, 2, 3, 2, 1), gn.ones(1, 2, 2, 3, 1)
    window = [1, 2, 3], [2, 1, 1], [0, 1, 1], False, True, None
    text = r"input image \[3, 2, 1\] smaller than kernel size \[1, 2, 3\]"
    with pytest.raises(RuntimeError, match=f"avg_pool3d: {text}"):
        gn.ops.aten.avg_pool3d(volume, *window)
    with pytest.raises(RuntimeError, match=f"avg_pool3d_backward: {text}"):
        gn.ops.aten.avg_pool3d_backward(grad, volume, *window)


def kinds(tensor):
    """The numbers of the tensor, with NaN as text, so that it equals itself."""
    return ["nan" if number != number else number for number in tensor.flatten().tolist()]


@pytest.mark.parametrize("device", HOSTS)
@pytest.mark.parametrize("dtype", [gn.float32, gn.float64])
@pytest.mark.parametrize("length", [1, 2, 9, 20])
def test_a_difference_that_is_nan_makes_the_distance_nan(device, dtype, length):
    """This holds at every place of a row, except in cdist with p = infinity, which ignores NaN."""
    for place in {0, length // 2, length - 1}:
        for one, other in ((math.nan, 0.0), (math.inf, math.inf)):
            rows = [[1.0] * length, [0.0] * length]
            rows[0][place], rows[1][place] = one, other
            both = gn.tensor(rows, dtype=dtype, device=device)
            for p in (0.0, 1.0, 1.5, 2.0, math.inf):
                assert kinds(gn.pdist(both, p)) == ["nan"]
                expected = "nan" if p < math.inf else float(length > 1)
                assert kinds(gn.cdist(both[:1], both[1:], p)) == [expected]


@pytest.mark.parametrize("device", HOSTS)
def test_distances_of_p_0_count_differences_that_are_infinite(device):
    rows = gn.tensor([[math.inf, 1.0, 5e-324], [-math.inf, 1.0, 0.0]], dtype=gn.float64, device=device)
    assert gn.pdist(rows, 0.0).tolist() == [2.0]
    assert gn.cdist(rows[:1], rows[1:], 0.0).tolist() == [[2.0]]


@pytest.mark.parametrize(
    ("p", "rows", "expected"),
    [
        (1.0, [[math.nan, 3.0, 1.0], [0.0, 1.0, 1.0]], ["nan", 1.0, 0.0]),
        (math.inf, [[math.nan, 3.0, 1.0], [0.0, 1.0, 1.0]], ["nan", 1.0, 0.0]),
        (math.inf, [[math.inf, 3.0, 1.0], [0.0, 1.0, 1.0]], ["nan", 0.0, 0.0]),
        (math.inf, [[1.0, 3.0, 1.5], [0.0, 1.0, 1.0]], [0.0, 1.0, 0.0]),
    ],
)
@pytest.mark.parametrize("device", HOSTS)
def test_the_slope_of_a_distance_where_a_difference_is_nan_or_infinite(device, p, rows, expected):
    both = gn.tensor(rows, device=device)
    one = both[:1].requires_grad_()
    gn.cdist(one, both[1:], p).backward(gn.ones(1, 1, device=device))
    assert kinds(one.grad) == expected


@pytest.mark.parametrize("device", HOSTS)
def test_a_matrix_without_columns_of_any_dtype_has_distances_of_zero(device):
    assert aten._pdist_forward.default(gn.zeros(3, 0, dtype=gn.bool, device=device), 3.0).tolist() == [0] * 3


@pytest.mark.parametrize("device", HOSTS)
@pytest.mark.parametrize("dtype", [gn.float32, gn.float64])
def test_polygamma_of_infinities(device, dtype):
    ends = gn.tensor([math.inf, -math.inf, math.nan, -1.0], dtype=dtype, device=device)
    assert kinds(gn.polygamma(1, ends)) == [0.0, "nan", "nan", math.inf]
    assert kinds(gn.polygamma(2, ends)) == ["nan", -math.inf, "nan", -math.inf]
    assert kinds(gn.polygamma(3, ends)) == ["nan", math.inf, "nan", math.inf]


@pytest.mark.parametrize("device", HOSTS)
@pytest.mark.parametrize("dtype", [gn.float32, gn.float64])
def test_neighbours_of_weight_0_are_multiplied_where_a_size_is_kept(device, dtype):
    """0 times infinity is NaN, forward and backward, even if only one dimension keeps its size."""
    line = gn.tensor([[[math.inf, -0.0, 2.0, -math.inf]]], dtype=dtype, device=device)
    found = aten.upsample_linear1d.default(line, [4], False)
    assert kinds(found) == ["nan", 0.0, 2.0, "nan"]
    assert math.copysign(1, found[0, 0, 1].item()) == -1
    assert kinds(aten.upsample_linear1d_backward.default(line, [4], [1, 1, 4], True)) == ["nan", 0, 2, "nan"]

    image = line.reshape(1, 1, 2, 2)
    wide = aten.upsample_bilinear2d.default(image, [2, 4], True)
    assert kinds(wide) == ["nan"] * 3 + [0.0] + ["nan"] * 4
    back = aten.upsample_bilinear2d_backward.default(wide, [2, 4], [1, 1, 2, 2], True)
    assert kinds(back) == ["nan"] * 4

    cube = line.reshape(1, 1, 1, 2, 2)
    assert kinds(aten.upsample_trilinear3d.default(cube, [1, 2, 2], False)) == ["nan", 0.0, 2.0, "nan"]
    back = aten.upsample_trilinear3d_backward.default(cube, [1, 2, 2], [1, 1, 1, 2, 2], False)
    assert kinds(back) == ["nan", 0.0, 2.0, "nan"]


@pytest.mark.parametrize("device", HOSTS)
def test_the_gradient_of_cubic_interpolation_to_the_same_size_is_itself(device):
    """The scales do not matter here; forward uses them, and infinity spreads."""
    image = gn.tensor([[[[math.inf, 1.0, 2.0], [3.0, 4.0, 5.0]]]], device=device)
    for scales in ((None, None), (2.0, 3.0)):
        found = aten.upsample_bicubic2d_backward.default(image, [2, 3], [1, 1, 2, 3], False, *scales)
        assert found.tolist() == image.tolist()
    assert "nan" in kinds(aten.upsample_bicubic2d.default(image, [2, 3], False))


@pytest.mark.parametrize("device", HOSTS)
def test_a_square_is_a_product(device):
    number = float.fromhex("0x1.862f0c9f3c589p+0")  # pow of the C library gives a neighbor
    held = gn.tensor([number], dtype=gn.float64, device=device)
    assert held.square().tolist() == [number * number] == (held**2).tolist()
    if device != "numpy":  # its other powers are those of the C library
        assert (held**-2).tolist() == [1 / (number * number)]
    assert (held**3).tolist() == [number * number * number]


@pytest.mark.parametrize("device", HOSTS)
def test_nothing_is_joined_along_any_dimension(device):
    nothing = gn.ones(0, device=device)
    for dim in (0, 1, -3):
        assert gn.cat((nothing, nothing), dim).shape == (0,)


@pytest.mark.parametrize("device", [name for name in HOSTS if name != "numpy"])
@pytest.mark.parametrize("exponent", [20, 32, 62])
def test_a_window_costs_what_it_meets_of_the_input(exponent, device):
    """The kernel's size does not matter: most of the window is padding."""
    functional, n = gn.nn.functional, 2**exponent
    with gn.device(device):
        for dtype in (gn.float32, gn.float64):
            row, plane = gn.ones(1, 1, 4, dtype=dtype), gn.ones(1, 1, 4, 4, dtype=dtype)
            length = min(n, 4 + n // 2 + n // 2)
            assert functional.avg_pool1d(row, n, n, n // 2).item() == 4 / length
            assert functional.avg_pool2d(plane, n, n, n // 2).item() == 16 / length**2
            assert functional.avg_pool2d(plane, n, n, n // 2, count_include_pad=False).item() == 1
        row = gn.tensor([[[1.0, 3, 2, 3]]], requires_grad=True)
        values, places = functional.max_pool1d(row, n, n, n // 2, return_indices=True)
        assert (values.item(), places.item()) == (3, 1)
        (values + functional.avg_pool1d(row, n, n, n // 2, count_include_pad=False)).sum().backward()
        assert row.grad.tolist() == [[[0.25, 1.25, 0.25, 0.25]]]
        assert functional.avg_pool2d(gn.ones(1, 1, 4, 4, dtype=gn.int64), n, n, n // 2).item() == 0


@pytest.mark.parametrize("device", HOSTS)
@pytest.mark.parametrize("dtype", [gn.int8, gn.int32, gn.bool, gn.float32], ids=str)
@pytest.mark.parametrize("spatial", [2, 3])
def test_the_places_of_adaptive_maxima_are_int64(spatial, dtype, device):
    """A kernel that took another dtype for int64 would read out of bounds."""
    input, grad = (gn.ones(2, *[size] * spatial, device=device) for size in (4, 2))
    backward = getattr(aten, f"adaptive_max_pool{spatial}d_backward")
    with pytest.raises(RuntimeError, match="expected dtype int64 for `indices` but got dtype"):
        backward(grad, input, gn.zeros(*grad.shape, dtype=dtype, device=device))


@pytest.mark.parametrize("device", HOSTS)
@pytest.mark.parametrize("dtype", [gn.int8, gn.int16, gn.bool, gn.float32], ids=str)
def test_the_rows_of_an_embedding_s_gradient_are_int32_or_int64(dtype, device):
    grad, indices = gn.ones(2, 3, device=device), gn.zeros(2, dtype=dtype, device=device)
    with pytest.raises(
        RuntimeError,
        match="argument 'indices' to have one of the following scalar types: int64, int32; but got",
    ):
        aten.embedding_dense_backward(grad, indices, 4, -1, False)


inf, nan = math.inf, math.nan


@pytest.mark.parametrize("device", [name for name in HOSTS if name != "numpy"])
@pytest.mark.parametrize("dtype", [gn.complex64, gn.complex128], ids=str)
@pytest.mark.parametrize(
    ("function", "arguments", "expected"),
    [
        (aten.div, [[1j, -1j, 1 + 1j], [complex(-0.0, -0.0)] * 3], [(nan, inf), (nan, -inf), (inf, inf)]),
        (aten.div, [[complex(1, inf), 1], [0j, complex(-0.0, 0)]], [(inf, inf), (inf, nan)]),
        (aten.div, [[1 + 1j, 1 + 1j], [complex(0, nan), complex(nan, 0)]], [(nan, nan), (nan, nan)]),
        (aten.reciprocal, [[0j, complex(-0.0, -0.0)]], [(inf, nan), (inf, nan)]),
        (aten.addcdiv, [[0j], [1 + 1j], [0j]], [(inf, inf)]),
        (aten.sgn, [[complex(-0.0, 1), complex(0, inf)]], [(-0.0, 1), (0, nan)]),
        (aten.atanh, [[complex(1, -0.0), complex(-1, 0)]], [(inf, -0.0), (-inf, 0)]),
        (aten.atan, [[complex(-0.0, 1), complex(0, -1)]], [(-0.0, inf), (0, -inf)]),
        (aten.pow, [[0j, 0j, 0j], [complex(1, inf), complex(nan, 0), -2.5]], [(nan, nan)] * 2 + [(inf, nan)]),
        (aten.bmm, [[[[complex(0, inf)]]], [[[1 + 1j]]]], [[[(-inf, inf)]]]),
        (lambda each: aten.cumprod(each, 0), [[complex(0, inf)]], [(nan, inf)]),
        (lambda each: aten.mean(each, [0]), [[0j, complex(0, inf)]], (nan, inf)),
    ],
)
def test_complex_zeros_and_infinities(function, arguments, expected, dtype, device):
    found = gn.view_as_real(function(*(gn.tensor(each, dtype=dtype, device=device) for each in arguments)))
    assert str(found.tolist()) == str(gn.tensor(expected, dtype=gn.float64, device="reference").tolist())


@pytest.mark.parametrize("device", HOSTS)
def test_a_complex_power_goes_where_its_exponential_does(device):
    base, exponent = (gn.tensor([each], dtype=gn.complex128, device=device) for each in (1j, complex(0, inf)))
    assert aten.pow(base, exponent).tolist() == [0]


@pytest.mark.parametrize("device", HOSTS)
def test_a_complex_number_with_an_infinite_part_is_as_large(device):
    number = gn.tensor([complex(inf, nan), 1], dtype=gn.complex64, device=device)
    assert [gn.linalg.vector_norm(number, order).item() for order in (1, 2, 3)] == [inf] * 3


@pytest.mark.parametrize("count", [3, 40])
@pytest.mark.parametrize("dtype", [gn.complex64, gn.complex128])
def test_complex_numbers_are_divided_by_the_size_of_a_zero(dtype, count, device):
    """This includes a divisor with both parts -0.0."""
    x = gn.tensor([1 + 1j] * count, dtype=dtype, device=device)
    for zero in (0.0, -0.0):
        quotients = (x / gn.tensor([complex(zero, zero)] * count, dtype=dtype, device=device)).tolist()
        assert quotients == [complex(math.inf, math.inf)] * count


@pytest.mark.parametrize("device", HOSTS)
def test_the_power_of_halves_is_a_half(device):
    """The exponent is rounded to the dtype: 1.001 is 1 in bfloat16, and 1e-45 is 0."""
    x = gn.tensor([1000.0, 3.0, -2.0, 0.0], dtype=gn.bfloat16, device=device)
    assert (x**1.001).tolist() == x.tolist()
    for dtype in (gn.float16, gn.bfloat16):
        assert (x.to(dtype) ** 1e-45).tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize("device", HOSTS)
def test_differences_of_a_loss_are_of_numbers(device):
    """A mask is 0 and 1 in the promoted dtype."""
    functional, mask = gn.nn.functional, gn.tensor([True, False], device=device)
    x = gn.tensor([0.0, 0.5], device=device)
    assert functional.mse_loss(x, mask, reduction="none").tolist() == [1, 0.25]
    assert functional.mse_loss(mask, x, reduction="none").tolist() == [1, 0.25]
    assert functional.huber_loss(x, mask, reduction="none").tolist() == [0.5, 0.125]
    assert functional.smooth_l1_loss(mask, x, reduction="none").tolist() == [0.5, 0.125]
    assert functional.soft_margin_loss(x, mask).item() == pytest.approx(math.log(2))
    with pytest.raises(NotImplementedError):
        functional.mse_loss(mask, mask)


@pytest.mark.parametrize("device", HOSTS)
def test_the_product_of_vectors_without_dimensions(device):
    one, other = (gn.tensor(number, device=device) for number in (1 + 2j, 3 + 1j))
    assert gn.linalg.vecdot(one, other).item() == 5 - 5j


@pytest.mark.parametrize("device", HOSTS)
def test_a_conjugate_lies_as_a_new_tensor_like_it(device):
    x = gn.zeros(6, device=device).as_strided((0, 3), (2, 1))
    assert aten._conj_physical.default(x).stride() == gn.empty_like(x).stride() == (2, 1)


@pytest.mark.parametrize("device", HOSTS)
def test_the_slope_of_a_variance_without_freedom_along_a_dimension(device):
    x = gn.tensor([[1.0, 2.0]], device=device, requires_grad=True)
    x.var(0).sum().backward()
    assert all(number != number for number in x.grad.tolist()[0])  # infinity times 0
    x.grad = None
    aten.var.correction(x, [1], correction=5).sum().backward()
    assert x.grad.tolist() == [[pytest.approx(1 / 3), pytest.approx(-1 / 3)]]


@pytest.mark.parametrize("device", HOSTS)
def test_a_triangle_of_an_expanded_tensor_is_one_version(device):
    x = gn.ones(3, 1, device=device).expand(3, 3)
    x.tril_()
    assert x._version == 1


@pytest.mark.parametrize("device", HOSTS)
@pytest.mark.parametrize("name", ["unique_dim", "unique_consecutive"])
def test_distinct_slices_are_no_view_of_a_leaf(name, device):
    x = gn.tensor([[2.0, 1.0], [2.0, 1.0], [0.0, 3.0]], device=device, requires_grad=True)
    found = getattr(aten, name).default(x, dim=0)[0]
    found.mul_(2)
    assert sorted(found.tolist()) == [[0, 6], [4, 2]]


@pytest.mark.parametrize("device", HOSTS)
@pytest.mark.parametrize(
    ("sizes", "strides"), [((3, 1), (1, 3)), ((1, 3), (1, 1)), ((2, 1, 3), (3, 17, 1)), ((2, 3), (1, 2))]
)
def test_strides_that_do_not_matter_are_the_operands(sizes, strides, device):
    x = gn.zeros(60, device=device).as_strided(sizes, strides)
    assert x.deg2rad().stride() == x.rad2deg().stride() == strides
    assert (0.5 - x).stride() == (x - 0.5).stride() == (x + 0.5).stride()


@pytest.mark.parametrize("device", HOSTS)
def test_a_format_is_of_so_many_dimensions(device):
    volume = gn.empty(144, device=device).as_strided((2, 2, 3, 2, 2), (24, 1, 8, 4, 2))
    assert volume.is_contiguous(memory_format=gn.channels_last_3d)
    assert not volume.is_contiguous(memory_format=gn.channels_last)


@pytest.mark.parametrize("device", HOSTS)
def test_the_gradient_of_silu_of_complex_numbers_is_conjugate(device):
    x = gn.tensor([0.3 + 0.7j, -1 + 2j], dtype=gn.complex128, device=device, requires_grad=True)
    assert gn.autograd.gradcheck(gn.nn.functional.silu, (x,))
    assert gn.autograd.gradgradcheck(gn.nn.functional.silu, (x,))


@pytest.mark.parametrize("device", HOSTS)
def test_the_tangent_of_nansum_leaves_nan_out(device):
    x, tangent = (gn.tensor(row, device=device) for row in ([math.nan, 2.0, 3.0], [math.nan, 1.0, 1.0]))
    value, slope = gn.func.jvp(gn.nansum, (x,), (tangent,))
    assert (value.item(), slope.item()) == (5, 2)


@pytest.mark.parametrize("device", HOSTS)
@pytest.mark.parametrize("name", ["max", "min", "median", "nanmedian"])
def test_what_is_not_chosen_has_no_part_in_an_infinite_gradient(name, device):
    x = gn.tensor([3.0, 1.0, 2.0, nan if name == "nanmedian" else 1.5], device=device, requires_grad=True)
    result = getattr(x, name)()
    (grad,) = gn.autograd.grad(result, x, gn.full_like(result, inf))
    assert sorted(grad.tolist()) == [0.0, 0.0, 0.0, inf] and grad[x == result].item() == inf
    infinite = gn.tensor([inf, 1.0], device=device, requires_grad=True)
    (grad,) = gn.autograd.grad(getattr(infinite, name)(), infinite)
    assert sorted(grad.tolist()) == [0.0, 1.0]


@pytest.mark.parametrize("device", HOSTS)
def test_numbers_that_a_range_does_not_come_to_are_not_looked_at(device):
    assert gn.linspace(2, -3e38, 1, dtype=gn.int32, device=device).tolist() == [2]
    assert gn.linspace(1e39, 2, 0, dtype=gn.int32, device=device).tolist() == []
    for start, end, steps in ((3e38, 2, 1), (2, 3e38, 2)):
        with pytest.raises(RuntimeError, match="without overflow"):
            gn.linspace(start, end, steps, dtype=gn.int32, device=device)
    with pytest.raises(RuntimeError, match="weights sum to zero"):
        gn.cov(gn.ones(2, 3, device=device), aweights=gn.zeros(3, device=device))


@pytest.mark.parametrize("device", HOSTS)
def test_an_infinite_weight_has_no_part_in_the_tangent_of_what_it_does_not_meet(device):
    x, weight, tangent = (gn.tensor(each, device=device) for each in ([2.0, -1.0], [inf, 0.5], [3.0, 4.0]))
    _, found = gn.func.jvp(aten._prelu_kernel, (x, weight), (tangent, gn.ones_like(weight)))
    assert found.tolist() == [3.0, 4.0 * 0.5 - 1.0]


def near_and_far(call, device, dtype):
    """The one value that a call gives for constant tensors of several sizes, without and with a plan."""
    numbers = []
    for size in (1, 40, 40):
        found = call(lambda number, size=size: gn.full((size,), number, dtype=dtype, device=device))
        assert found.dtype is dtype and len({repr(each) for each in found.flatten().tolist()}) == 1
        numbers.append(found.flatten()[0].item())
    assert len({repr(each) for each in numbers}) == 1
    return numbers[0]


HALF_03 = 0.300048828125  # in float16: a little more than 0.3
HELD = {
    "add": (gn.bfloat16, lambda x: gn.add(x(2.5), x(2048.0), alpha=0.3), 620.0),
    "add_": (gn.bfloat16, lambda x: x(2.5).add_(x(2048.0), alpha=0.3), 620.0),
    "add out": (gn.bfloat16, lambda x: gn.add(x(2.5), x(2048.0), alpha=0.3, out=x(0.0)), 620.0),
    "add of a number": (gn.bfloat16, lambda x: gn.add(x(2.5), 2048.0, alpha=0.3), 620.0),
    "sub of infinity": (gn.bfloat16, lambda x: gn.sub(x(1.0), x(math.inf), alpha=1e-45), math.nan),
    "rsub": (gn.bfloat16, lambda x: gn.rsub(x(2048.0), x(-2.5), alpha=0.3), -620.0),
    "clamp": (gn.float16, lambda x: x(-0.0).clamp(1e-45, 1.0), -0.0),
    "clamp_min": (gn.float16, lambda x: x(-0.0).clamp_min(1e-45), -0.0),
    "hardshrink": (gn.float16, lambda x: gn.hardshrink(x(HALF_03), 0.3), 0.0),
    "hardshrink_backward": (
        gn.float16,
        lambda x: aten.hardshrink_backward.default(x(2.0), x(HALF_03), 0.3),
        0.0,
    ),
    "softshrink_backward": (
        gn.float16,
        lambda x: aten.softshrink_backward.default(x(2.0), x(HALF_03), 0.3),
        0.0,
    ),
    "hardtanh": (gn.float16, lambda x: gn.nn.functional.hardtanh(x(-0.0), 1e-45, 1.0), -0.0),
    "logit": (gn.float16, lambda x: gn.logit(x(0.0), 6e-8), -16.640625),
    "addr": (gn.bfloat16, lambda x: gn.addr(x(2.5), x(2048.0), x(1.0), alpha=0.3), 620.0),
    "addmv": (
        gn.bfloat16,
        lambda x: gn.addmv(x(2.5)[:1], x(2048.0)[:1].view(1, 1), x(1.0)[:1], alpha=0.3),
        620.0,
    ),
}


@pytest.mark.parametrize("device", HOSTS)
@pytest.mark.parametrize("name", HELD)
def test_halves_round_some_numbers_to_their_own(name, device):
    """This is Scalar.to<scalar_t>: 0.3 is 0.30078125 in bfloat16, and 1e-45 is 0."""
    dtype, call, expected = HELD[name]
    assert repr(near_and_far(call, device, dtype)) == repr(expected)


@pytest.mark.parametrize("device", [each for each in HOSTS if each != "numpy"])  # it computes in float64
@pytest.mark.parametrize(
    ("dtype", "call", "expected"),
    [
        (gn.bfloat16, lambda x: gn.addcdiv(x(1.0), x(2.0), x(4.0), value=3e38), math.inf),
        (gn.float32, lambda x: gn.addcdiv(x(1.0), x(2.0), x(4.0), value=3e38), math.inf),
        (gn.float32, lambda x: gn.addcmul(x(1.0), x(2.0), x(0.25), value=3e38), math.inf),
        (gn.float32, lambda x: gn.addcmul(x(1.0), x(1e-40), x(1e38), value=1e-30), 1.0),
        (gn.float32, lambda x: aten.elu_backward.default(x(1.0), 1, 1, 3e38, False, x(-2.0)), 0.0),
        (gn.float32, lambda x: aten.elu_backward.default(x(2.0), 1, 1, 3e38, False, x(-2.0)), math.nan),
    ],
)
def test_what_leaves_the_range_on_the_way(dtype, call, expected, device):
    assert repr(near_and_far(call, device, dtype)) == repr(expected)


@pytest.mark.parametrize("device", HOSTS)
@pytest.mark.parametrize(
    ("dtype", "call", "expected"),
    [
        (gn.float32, lambda x: gn.nan_to_num(x(math.nan), nan=-0.0), -0.0),
        (gn.float16, lambda x: gn.nan_to_num(x(math.nan), nan=-0.0), -0.0),
        (gn.float64, lambda x: gn.stack([x(1.0), x(2.0)]).std(0, correction=math.nan), math.inf),
    ],
)
def test_zeros_with_a_sign_and_no_freedom(dtype, call, expected, device):
    assert repr(near_and_far(call, device, dtype)) == repr(expected)


@pytest.mark.parametrize("device", HOSTS)
def test_a_sum_of_negative_zeros_is_one(device):
    zeros = gn.tensor([-0.0, -0.0, 0.0], device=device)
    index = gn.tensor([0, 0, 2], device=device)
    assert signs(aten.scatter.value_reduce(zeros, 0, index, -0.0, reduce="add")) == [-1, -1, 1]


@pytest.mark.parametrize("device", HOSTS)
@pytest.mark.parametrize("scale", [1e-45, 1e-40])
def test_a_scale_that_leads_beyond_all_places_ends_at_the_last(scale, device):
    line = gn.tensor([[[1.0, 2.0, 3.0]]], device=device)
    assert aten.upsample_linear1d.default(line, [5], False, scale).tolist() == [[[3.0] * 5]]
    assert aten._upsample_nearest_exact1d.default(line, [5], scale).tolist() == [[[3.0] * 5]]
    image = line.view(1, 1, 1, 3)
    for name in ("upsample_bicubic2d", "_upsample_bicubic2d_aa", "_upsample_lanczos2d_aa"):
        assert getattr(aten, name).default(image, [1, 5], False, None, scale).shape == (1, 1, 1, 5)


@pytest.mark.parametrize("device", HOSTS)
@pytest.mark.parametrize("operator", ["add", "sub"])
@pytest.mark.parametrize("alpha", [math.inf, math.nan])
def test_alpha_times_what_has_no_tangent_is_nothing(operator, alpha, device):
    other = gn.ones(2, device=device)
    _, along = gn.func.jvp(lambda x: getattr(gn, operator)(x, other, alpha=alpha), (other,), (other * 3,))
    assert along.tolist() == [3.0, 3.0]
    _, along = gn.func.jvp(lambda x: getattr(gn, operator)(other, x, alpha=2.0), (other,), (other * 3,))
    assert along.tolist() == ([6.0, 6.0] if operator == "add" else [-6.0, -6.0])


@pytest.mark.parametrize("device", HOSTS)
@pytest.mark.parametrize("dtype", [gn.float16, gn.bfloat16])
def test_one_step_from_beyond_half_precision_is_infinite(dtype, device):
    assert gn.linspace(-1e39, 0, 1, dtype=dtype, device=device).tolist() == [-math.inf]
    assert gn.logspace(1e39, 0, 1, dtype=dtype, device=device).tolist() == [math.inf]
    with pytest.raises(RuntimeError, match="without overflow"):
        gn.linspace(1e39, 0, 2, dtype=dtype, device=device)
    with pytest.raises(RuntimeError, match="without overflow"):
        gn.linspace(1e39, 0, 1, dtype=gn.float32, device=device)
