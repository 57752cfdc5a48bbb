"""Operators called directly, and variants that few programs call; each number is PyTorch's."""

from __future__ import annotations

import math

import pytest

import gnomon as gn

aten = gn.ops.aten
F = gn.nn.functional
IMAGE, VOLUME = (1, 2, 4, 4), (1, 2, 4, 4, 4)

# operator, sizes, arguments after the input, the same arguments in full
POOLS = [
    ("max_pool2d_with_indices", IMAGE, (2, 2, 0, 1, False), ((2, 2), (2, 2), (0, 0), (1, 1), False)),
    ("max_pool2d_with_indices", IMAGE, (2,), ((2, 2), (), (0, 0), (1, 1), False)),
    ("max_pool2d", IMAGE, (2, 1), ((2, 2), (1, 1), (0, 0), (1, 1), False)),
    ("max_pool3d", VOLUME, (2,), ((2,) * 3, (), (0,) * 3, (1,) * 3, False)),
    ("max_pool3d", VOLUME, (2, 2, 0, 1, False), ((2,) * 3, (2,) * 3, (0,) * 3, (1,) * 3, False)),
    ("max_pool3d_with_indices", VOLUME, ([2, 2, 2],), ((2,) * 3, (), (0,) * 3, (1,) * 3, False)),
    ("avg_pool2d", IMAGE, ([2, 2],), ((2, 2), (), (0, 0), False, True, None)),
    ("avg_pool2d", IMAGE, (2, 2, 0, False, True, None), ((2, 2), (2, 2), (0, 0), False, True, None)),
    ("avg_pool3d", VOLUME, (2,), ((2,) * 3, (), (0,) * 3, False, True, None)),
    ("avg_pool3d", VOLUME, (2, 2, 0, False, True, None), ((2,) * 3, (2,) * 3, (0,) * 3, False, True, None)),
    ("adaptive_avg_pool2d", IMAGE, (2,), ((2, 2),)),
    ("adaptive_max_pool2d", IMAGE, (2,), ((2, 2),)),
    ("adaptive_avg_pool3d", VOLUME, (2,), ((2,) * 3,)),
    ("im2col", IMAGE, (2, 1, 0, 1), ((2, 2), (1, 1), (0, 0), (1, 1))),
    ("reflection_pad2d", IMAGE, (1,), ((1, 1, 1, 1),)),
    ("replication_pad3d", VOLUME, (1,), ((1,) * 6,)),
    ("upsample_nearest2d", IMAGE, (6,), ((6, 6), None, None)),
]


@pytest.mark.parametrize(("name", "sizes", "given", "whole"), POOLS)
@pytest.mark.parametrize("requires_grad", [False, True])
def test_a_number_stands_for_a_list_of_fixed_length(device, name, sizes, given, whole, requires_grad):
    operator = getattr(aten, name).default
    x = gn.arange(float(gn.Size(sizes).numel())).reshape(sizes).requires_grad_(requires_grad)
    for _ in range(3):  # the later calls use the plan of the first
        found, expected = operator(x, *given), operator(x, *whole)
        for mine, theirs in zip(
            *([each] if isinstance(each, gn.Tensor) else each for each in (found, expected))
        ):
            assert mine.tolist() == theirs.tolist() and mine.stride() == theirs.stride()


def test_a_number_stands_for_a_list_with_out(device):
    x = gn.arange(16.0).reshape(1, 1, 4, 4)
    for _ in range(3):
        out = gn.empty(1, 1, 2, 2)
        assert aten.avg_pool2d.out(x, 2, 2, 0, False, True, None, out) is out
        assert out.tolist() == [[[[2.5, 4.5], [10.5, 12.5]]]]


def test_polygamma_is_a_method_whose_order_comes_behind(device):
    x = gn.ones(2)
    assert x.polygamma(1).tolist() == gn.polygamma(1, x).tolist()
    expected = gn.polygamma(2, x).tolist()
    assert x.polygamma_(2) is x and x.tolist() == expected
    y = gn.ones(1, requires_grad=True)
    z = y * 1
    z.polygamma_(1).backward()
    assert y.grad.tolist() == gn.polygamma(2, gn.ones(1)).tolist()


def test_out_of_linear_and_slice_scatter(device):
    out = gn.empty(0)
    assert F.linear(gn.ones(2, 3), gn.ones(4, 3), gn.ones(4), out=out) is out
    assert out.tolist() == [[4.0] * 4] * 2
    out = gn.empty(0)
    assert gn.slice_scatter(gn.ones(4), gn.zeros(2), 0, 1, 3, out=out) is out
    assert out.tolist() == [1.0, 0.0, 0.0, 1.0]
    with pytest.raises(RuntimeError, match="dtype"):
        gn.slice_scatter(gn.ones(4), gn.zeros(2), 0, 1, 3, out=gn.empty(0, dtype=gn.float64))


def test_out_of_the_least_and_greatest_element_is_cast(device):
    for function, value in ((gn.max, 2), (gn.min, 1)):
        for dtype in (gn.float64, gn.int32, gn.uint8):
            out = gn.empty(0, dtype=dtype)
            assert function(gn.tensor([1, 2]), out=out) is out
            assert out.shape == () and out.dtype is dtype and out.item() == value
        with pytest.raises(RuntimeError, match="can't be cast to the desired output type int32"):
            function(gn.ones(2), out=gn.empty(0, dtype=gn.int32))


@pytest.mark.parametrize("dtype", [gn.float16, gn.bfloat16])
def test_a_threshold_that_halves_do_not_hold(device, dtype):
    x = gn.ones(2, dtype=dtype)
    assert F.threshold(x, 1e30, -4).tolist() == [-4.0] * 2
    assert F.threshold(x, -1e30, -4).tolist() == [1.0] * 2
    if dtype is gn.float16:
        with pytest.raises(RuntimeError, match="threshold: value cannot be converted to type float16"):
            F.threshold(x, 0, 1e30)


def test_negative_strides_of_no_elements(device):
    made = gn.empty_strided((0, 10, 4), (-30, 3, 1))
    assert made.shape == (0, 10, 4) and made.stride() == (-30, 3, 1)
    with pytest.raises(RuntimeError, match="negative strides are not supported"):
        gn.empty_strided((1, 10, 4), (-30, 3, 1))


@pytest.mark.parametrize(
    ("self", "vectors", "result"),
    [("int64", ("int16", "int16"), "int64"), ("float64", ("float32", "float32"), "float64"),
     ("float32", ("int16", "int64"), "float32"), ("int64", ("int8", "float16"), "float16")],
)  # fmt: skip
def test_addr_promotes_a_number_of_a_tensor_as_a_tensor(device, self, vectors, result):
    one, two = (gn.ones(2, dtype=getattr(gn, each)) for each in vectors)
    made = gn.addr(gn.tensor(3, dtype=getattr(gn, self)), one, two)
    assert made.dtype.name == result and made.tolist() == [[4, 4], [4, 4]]


def test_two_to_the_63_wraps_around(device):
    assert gn.tensor([2.0**63, -(2.0**63), 1.0], dtype=gn.int64).tolist() == [-(2**63), -(2**63), 1]
    for number in (2.0**63 * 1.5, 2**63, float("inf")):
        with pytest.raises((RuntimeError, ValueError), match=r"overflow|Overflow"):
            gn.tensor([number], dtype=gn.int64)


def test_the_derivatives_of_std_at_equal_elements_are_0(device):
    x = gn.ones(2, 3)
    for function in (lambda x: x.std(), lambda x: x.std(1), lambda x: gn.std_mean(x, 1)[0]):
        value, tangent = gn.func.jvp(function, (x,), (gn.arange(6.0).reshape(2, 3),))
        assert not value.any() and not tangent.any()
        assert not gn.func.jacrev(function)(x).any() and not gn.func.jacfwd(function)(x).any()
        assert not gn.func.hessian(function)(x).any()


@pytest.mark.parametrize("factor", [float("inf"), float("nan"), -float("inf"), 1e30])
@pytest.mark.parametrize(
    "options", [{}, {"mode": "linear"}, {"mode": "area"}, {"recompute_scale_factor": True}]
)
def test_a_scale_that_makes_no_size_is_named(device, factor, options):
    text = (
        r"^(interpolate|upsample_\w+): scale_factors? .* cannot be converted to type int64 without overflow"
    )
    with pytest.raises(RuntimeError, match=text):
        F.interpolate(gn.ones(1, 1, 3), scale_factor=factor, **options)


@pytest.mark.parametrize("dtype", [gn.complex64, gn.complex128])
@pytest.mark.parametrize("count", [1, 40])
def test_rsqrt_of_complex_0(device, dtype, count):
    for zero in (0j, complex(-0.0, 0.0), complex(0.0, -0.0)):
        found = gn.full((count,), zero, dtype=dtype).rsqrt()
        assert gn.isinf(found.real).all() and (found.real > 0).all() and found.imag.isnan().all()


def test_conj_physical_of_real_numbers_is_the_tensor_itself(device):
    for x in (gn.ones(2, 3), gn.arange(6).reshape(2, 3).t(), gn.ones(1, requires_grad=True)):
        assert gn.conj_physical(x) is x and x.conj_physical() is x
        apart = gn.ops.aten._conj_physical.default(x)
        assert apart is not x and apart.tolist() == x.tolist() and apart.stride() == x.stride()
    x = gn.tensor([[1 + 2j, 3j]]).expand(2, 2)
    assert gn.conj_physical(x).tolist() == [[1 - 2j, -3j]] * 2 and gn.conj_physical(x).stride() == (2, 1)
    x = gn.tensor([1 + 2j]).clone()
    assert x.conj_physical_() is x and x.tolist() == [1 - 2j]
    out = gn.empty(0)
    assert gn.conj_physical(gn.ones(4, 6)[::2, ::3].t(), out=out) is out and out.stride() == (1, 2)


@pytest.mark.parametrize(
    ("mode", "offsets", "sums", "bags", "sizes"),
    [
        ("sum", [0, 3, 1], [0.0, 9.0, 18.0], [0, 1, 1, 2, 2, 2], [0, 0, 0]),
        ("mean", [0, 3, 1], [0.0, 9.0, 3.6], [0, 1, 1, 2, 2, 2], [3, -2, 5]),
        ("max", [0, 3, 1], [0.0, 6.0, 9.0], [0, 1, 1, 2, 2, 2], [3, -2, 5]),
        ("mean", [0, 4, 2, 5], [0.75, 15.0, 1.0, 6.0], [0, 0, 1, 1, 2, 3], [4, -2, 3, 1]),
    ],
)
def test_bags_whose_offsets_are_in_another_order(device, mode, offsets, sums, bags, sizes):
    weight = gn.arange(12.0, dtype=gn.float64).reshape(4, 3)
    rows = gn.tensor([0, 1, 2, 3, 1, 2])
    number = ("sum", "mean", "max").index(mode)
    found = aten._embedding_bag.default(
        weight, rows, gn.tensor(offsets), False, number, False, None, False, -1
    )
    assert found[0][:, 0].tolist() == sums and found[1].tolist() == bags and found[2].tolist() == sizes


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_offsets_below_0_are_refused(device, mode):
    with pytest.raises(IndexError, match="embedding_bag: offset -3 is out of range"):
        F.embedding_bag(gn.tensor([0, 1]), gn.ones(4, 3), gn.tensor([0, -3]), mode=mode)


@pytest.mark.parametrize("dtype", [gn.float64, gn.float16, gn.int64])
def test_convolution_backward_wants_one_dtype(device, dtype):
    options = ([2], [1, 1], [0, 0], [1, 1], False, [0, 0], 1, [True] * 3)
    for place, _name in enumerate(("grad_output", "input", "weight")):
        tensors = [gn.ones(1, 2, 3, 3), gn.ones(1, 2, 4, 4), gn.ones(2, 2, 2, 2)]
        tensors[place] = tensors[place].to(dtype)
        with pytest.raises(
            RuntimeError, match=r"expected dtype \w+ for `(grad_output|weight)` but got dtype \w+"
        ):
            aten.convolution_backward.default(*tensors, *options)


def test_prelu_kernel_wants_one_dtype(device):
    for one, two in ((gn.float32, gn.float64), (gn.float16, gn.float32), (gn.float32, gn.int64)):
        with pytest.raises(RuntimeError, match=r"prelu_kernel: expected dtype \w+ for `weight`"):
            aten._prelu_kernel.default(gn.ones(2, dtype=one), gn.ones(2, dtype=two))


@pytest.mark.parametrize(
    ("name", "arguments", "text"),
    [
        ("mm.default", (gn.ones(2, 2), 2), r"mm\(\) argument 'mat2' must be Tensor, not int: mm\(Tensor"),
        ("mm.default", (2, gn.ones(2, 2)), r"mm\(\) argument 'self' must be Tensor, not int"),
        ("neg.default", (None,), r"neg\(\) argument 'self' must be Tensor, not NoneType"),
        ("exp.default", ([1.0],), r"exp\(\) argument 'self' must be Tensor, not list"),
        ("add.Tensor", (gn.ones(2), "a"), r"add.Tensor\(\) argument 'other' must be Tensor, not str"),
        ("batch_norm.default", (gn.ones(2, 3), 1, None, None, None, True, 0.1, 1e-5, False),
         r"batch_norm\(\) argument 'weight' must be Tensor\?, not int"),
        ("native_layer_norm.default", (gn.ones(3), [3], 5, None, 1e-5),
         r"native_layer_norm\(\) argument 'weight' must be Tensor\?, not int"),
        ("conv2d.default", (gn.ones(1, 1, 3, 3), gn.ones(1, 1, 2, 2), 3),
         r"conv2d\(\) argument 'bias' must be Tensor\?, not int"),
        ("nll_loss_forward.default", (gn.ones(2, 3), gn.tensor([0, 0]), 1, 1, -100),
         r"nll_loss_forward\(\) argument 'weight' must be Tensor\?, not int"),
        ("cat.default", ([gn.ones(2), 2], 0),
         r"cat\(\) argument 'tensors' must be Tensor\[\], but found element of type int at pos 1: cat\("),
        ("cat.default", (3, 0), r"cat\(\) argument 'tensors' must be Tensor\[\], not int"),
        ("index.Tensor", (gn.ones(2), 1),
         r"index.Tensor\(\) argument 'indices' must be Tensor\?\[\], not int"),
        ("upsample_nearest1d.vec", (gn.ones(1, 1, 3), None, 2.0),
         r"upsample_nearest1d.vec\(\) argument 'scale_factors' must be float\[\]\?, not float"),
        ("upsample_bilinear2d.vec", (gn.ones(1, 1, 3, 3), None, False, 2),
         r"upsample_bilinear2d.vec\(\) argument 'scale_factors' must be float\[\]\?, not int"),
    ],
)  # fmt: skip
def test_an_argument_of_another_type_than_the_schemas(device, name, arguments, text):
    packet, _, overload = name.partition(".")
    operator = getattr(getattr(aten, packet), overload)
    for _ in range(3):
        with pytest.raises(TypeError, match=rf"^{text}"):
            operator(*arguments)


def test_sizes_in_floats_are_not_kept_for_integers(device):
    x = gn.ones(1, 1, 3, 3)
    with pytest.raises(TypeError, match="output_size' must be SymInt"):
        aten.upsample_nearest2d.vec(x, [71.0, 5.0], None)
    with pytest.raises(TypeError):
        gn.empty((71.0, 5.0))
    assert aten.upsample_nearest2d.vec(x, [71, 5], None).tolist()[0][0][0] == [1.0] * 5
    assert gn.ones(71, 5).stride() == (5, 1) and type(gn.ones(1, 1, 71, 5).shape[2]) is int


def test_triangles_of_expanded_tensors_are_written_in_place(device):
    x = gn.ones(1, 3).expand(3, 3)
    assert x.tril_() is x and x.tolist() == [[1.0, 0.0, 0.0]] * 3 and x.stride() == (0, 1)
    x = gn.ones(3, 1).expand(3, 3)
    assert x.triu_().tolist() == [[1.0] * 3, [0.0] * 3, [0.0] * 3]
    x = gn.ones(1, 3, 3).expand(2, 3, 3)
    assert x.tril_(-1).tolist() == [[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0]]] * 2
    with pytest.raises(RuntimeError, match="refer"):
        gn.tril(gn.ones(3, 3), out=gn.ones(1, 3).expand(3, 3))


def test_indices_of_a_small_triangle_of_a_huge_matrix(device):
    far = 2**40
    assert gn.tril_indices(2, far, -1).tolist() == [[1], [0]]
    assert gn.tril_indices(far, 1, 2 - far).tolist() == [[far - 2, far - 1], [0, 0]]
    assert gn.triu_indices(far, 2, 0).tolist() == [[0, 0, 1], [0, 1, 1]]
    assert gn.triu_indices(3, far, far - 1).tolist() == [[0], [far - 1]]
    assert gn.tril_indices(2, 2, 2**62).tolist() == [[0, 0, 1, 1], [0, 1, 0, 1]]
    assert gn.triu_indices(3, 2, -1).tolist() == [[0, 0, 1, 1, 2], [0, 1, 0, 1, 1]]


def test_numbers_that_64_bits_do_not_hold_are_refused(device):
    for number in (2**63, -(2**63) - 1):
        with pytest.raises(ValueError, match="Overflow when unpacking long long"):
            gn.nonzero_static(gn.tensor([1, 0]), size=2, fill_value=number)


def test_a_deviation_that_is_not_a_number_is_refused(device):
    nan = float("nan")
    for call in (
        lambda: gn.normal(gn.zeros(2), gn.tensor([nan, 1.0])),
        lambda: gn.normal(0.0, gn.tensor([nan, 1.0])),
        lambda: gn.normal(gn.zeros(2), nan),
        lambda: gn.normal(0.0, nan, (2,)),
        lambda: gn.zeros(2).normal_(0, nan),
    ):
        with pytest.raises(RuntimeError, match=r"normal expects (all elements of )?std >= 0.0"):
            call()


def test_polygamma_of_an_order_that_32_bits_do_not_count(device):
    for order in (2**31 - 1, 2**31, 2**63 - 1):
        assert gn.polygamma(order, gn.tensor([1.0, 0.5, 0.0, 3.0])).isnan().all()


def test_unfold_backward_checks_its_windows(device):
    with pytest.raises(RuntimeError, match="size is -2 but must be >= 0"):
        aten.unfold_backward.default(gn.ones(2, 2), [3], 0, -2, 1)
    for step in (0, -1):
        with pytest.raises(ValueError, match=f"step is {step} but must be > 0"):
            aten.unfold_backward.default(gn.ones(2, 2), [3], 0, 2, step)


@pytest.mark.parametrize("modes", [(3, 0), (-1, 0), (0, 3), (0, -1), (2**63 - 1, 0), (0, 2**40)])
def test_grid_samplers_want_a_mode_that_there_is(device, modes):
    image, grid = gn.ones(1, 1, 3, 3), gn.zeros(1, 2, 2, 2)
    for operator in (aten.grid_sampler.default, aten.grid_sampler_2d.default):
        with pytest.raises(RuntimeError, match=r"expected (interpolation|padding)_mode to be 0, 1 or 2"):
            operator(image, grid, *modes, False)
    with pytest.raises(RuntimeError, match=r"expected (interpolation|padding)_mode to be 0, 1 or 2"):
        aten.grid_sampler_2d_backward.default(gn.ones(1, 1, 2, 2), image, grid, *modes, False, [True, True])


def test_softmax_looks_at_dim_before_the_dtype(device):
    for operator in (aten._softmax.default, aten._log_softmax.default):
        with pytest.raises(IndexError, match="Dimension out of range"):
            operator(gn.ones(2), 5, True)


def test_as_strided_scatter_is_differentiated_for_row_major_tensors(device):
    x, src = gn.zeros(6, requires_grad=True), gn.zeros(2, 2, requires_grad=True)
    made = gn.as_strided_scatter(x, src, (2, 2), (3, 1), 1)
    found = gn.autograd.grad(made, (x, src), gn.arange(1.0, 7.0))
    assert found[0].tolist() == [1.0, 0.0, 0.0, 4.0, 0.0, 0.0] and found[1].tolist() == [
        [2.0, 3.0],
        [5.0, 6.0],
    ]
    for other in (gn.zeros(3, 2).t(), gn.zeros(1, 2).expand(3, 2)):
        assert gn.as_strided_scatter(other, gn.ones(2), (2,), (1,), 0).sum() == 2.0
        with pytest.raises(RuntimeError, match="only supported for contiguous inputs"):
            gn.as_strided_scatter(other.requires_grad_(), gn.ones(2), (2,), (1,), 0)


def test_the_gradient_of_log_softmax_where_sums_are_larger_than_float32(device):
    grad = gn.tensor([[3e38, -3e38, 3e38], [1.0, 2.0, 3.0]])
    output = gn.log_softmax(gn.tensor([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]]), 1)
    expected = [2.729908e38, -float("inf"), 1.004277e38]
    found = aten._log_softmax_backward_data.default(grad, output, 1, gn.float32)
    assert found[0].tolist() == pytest.approx(expected, rel=1e-5)
    found = aten._log_softmax_backward_data.default(grad.t(), output.t(), 0, gn.float32)
    assert found[:, 0].tolist() == pytest.approx(expected, rel=1e-5)
    assert found[:, 1].tolist() == pytest.approx([0.459816, 0.531630, -0.991447], rel=1e-5)
    # 9e38 in an intermediate result, of which almost nothing is left
    found = aten._log_softmax_backward_data.default(
        gn.full((1, 3), 3e38), gn.zeros(1, 3) - 1.0986123, 1, gn.float32
    )
    assert found.abs().max() < 1e32


@pytest.mark.parametrize("dtype", [gn.int64, gn.uint8, gn.int16])
def test_numbers_with_fractions_are_cut_off_before_they_are_scattered(device, dtype):
    x, places = gn.tensor([1, 1, 1], dtype=dtype), gn.tensor([0, 1, 1])
    assert x.scatter(0, places, 2.5, reduce="add").tolist() == [3, 5, 1]
    assert x.scatter(0, places, 2.5, reduce="multiply").tolist() == [2, 4, 1]
    assert x.scatter(0, places, 2.5).tolist() == [2, 2, 1]


@pytest.mark.parametrize(("dtype", "number"), [("uint8", 300), ("int16", 2**40), ("float16", 70000.0)])
def test_a_multiplier_that_the_dtype_does_not_hold_is_refused(device, dtype, number):
    x = gn.ones(2, dtype=getattr(gn, dtype))
    calls = [
        lambda: gn.add(x, x, alpha=number),
        lambda: x.sub_(x, alpha=number),
        lambda: gn.rsub(x, x, alpha=number),
        lambda: gn.addr(x, x, x, alpha=number),
    ]
    if dtype == "float16":
        calls += [lambda: F.hardshrink(x, number)]
        assert gn.lerp(x, x, number).tolist() == [1.0, 1.0]  # the weight is float32
    for call in calls:
        with pytest.raises(RuntimeError, match="value cannot be converted to type"):
            call()


def test_the_target_gradient_of_binary_cross_entropy_has_no_bound(device):
    inf = float("inf")
    x = gn.tensor([0.0, 1.0, 0.5], requires_grad=True)
    y = gn.tensor([0.0, 1.0, 1.0], requires_grad=True)
    loss = F.binary_cross_entropy(x, y, reduction="sum")
    first, second = gn.autograd.grad(loss, (x, y), create_graph=True)
    assert first.tolist() == [0.0, 0.0, -2.0] and second.tolist() == [inf, -inf, 0.0]
    assert gn.autograd.grad(second.sum(), x)[0].tolist() == [-inf, -inf, -4.0]


@pytest.mark.parametrize("dtype", [gn.int64, gn.int32, gn.bool])
def test_integers_do_not_hold_polygamma(device, dtype):
    x = gn.ones(2, dtype=dtype)
    with pytest.raises(RuntimeError, match="can't be cast to the desired output type"):
        x.polygamma_(1)
    with pytest.raises(RuntimeError, match="single memory location"):
        gn.ones(1).expand(2).polygamma_(1)
    assert x.tolist() == [1, 1]


def test_prelu_kernel_backward_wants_one_dtype(device):
    x = gn.ones(2)
    for tensors in ((x.double(), x, x), (x, x, x.double()), (x, x.half(), x)):
        with pytest.raises(RuntimeError, match=r"expected dtype \w+ for `(grad_output|weight)`"):
            aten._prelu_kernel_backward.default(*tensors)


def test_an_argument_may_be_named_self() -> None:
    x = gn.tensor([-1.0, 2.0])
    assert aten.abs.default(self=x).tolist() == [1.0, 2.0]
    assert aten.abs(self=x).tolist() == [1.0, 2.0]
    assert aten.add.Tensor(other=x, self=x, alpha=2).tolist() == [-3.0, 6.0]


def test_cosine_similarity_refuses_a_negative_eps() -> None:
    with pytest.raises(RuntimeError, match="cosine_similarity: eps must be non-negative, got: -1"):
        F.cosine_similarity(gn.ones(2, 3), gn.ones(2, 3), eps=-1.0)


def test_instance_norm_wants_a_number_a_channel() -> None:
    with pytest.raises(RuntimeError, match="Number of dimensions of repeat dims can not be smaller"):
        aten.instance_norm(gn.ones(1, 3), gn.ones(1, 3), None, None, None, True, 0.1, 1e-5, True)


# An operator with a number, which for half types is converted to "float32" or to their "own" dtype.
NUMBERS = {
    "add": ("own", lambda x, number: gn.add(x, x, alpha=number)),
    "sub": ("own", lambda x, number: gn.sub(x, x, alpha=number)),
    "rsub": ("own", lambda x, number: gn.rsub(x, x, alpha=number)),
    "addr": ("own", lambda x, number: gn.addr(gn.ones_like(x[:1]), x, x, beta=number)),
    "addmv": ("own", lambda x, number: gn.addmv(x, gn.ones(2, 2, dtype=x.dtype), x, alpha=number)),
    "addmm": ("float32", lambda x, number: gn.addmm(x[:1], x[None], x[:, None], alpha=number)),
    "baddbmm": ("float32", lambda x, number: gn.baddbmm(x[:1], x[None, None], x[None, :, None], beta=number)),
    "elu": ("float32", lambda x, number: F.elu(x, number)),
    "celu": ("float32", lambda x, number: F.celu(x, number)),
    "elu_backward": ("float32", lambda x, number: aten.elu_backward(x, number, 1, 1, False, x)),
    "leaky_relu": ("float32", lambda x, number: F.leaky_relu(x, number)),
    "leaky_relu_backward": ("float32", lambda x, number: aten.leaky_relu_backward(x, x, number, False)),
    "softplus": ("float32", lambda x, number: F.softplus(x, number)),
    "softplus_backward": ("float32", lambda x, number: aten.softplus_backward(x, x, 1, number)),
    "hardtanh_backward": ("float32", lambda x, number: aten.hardtanh_backward(x, x, -1, number)),
    "threshold_backward": ("float32", lambda x, number: aten.threshold_backward(x, x, number)),
    "hardshrink": ("own", lambda x, number: F.hardshrink(x, number)),
    "hardshrink_backward": ("own", lambda x, number: aten.hardshrink_backward(x, x, number)),
    "softshrink_backward": ("own", lambda x, number: aten.softshrink_backward(x, x, number)),
    "logit": ("own", lambda x, number: gn.logit(x, number)),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_has_to_fit(name: str) -> None:
    read_as, call = NUMBERS[name]
    call(gn.ones(2), 1.0)  # a plan for these tensors does not hold the number
    for dtype in (gn.float32, gn.float16, gn.bfloat16):
        with pytest.raises(RuntimeError, match="without overflow"):
            call(gn.ones(2, dtype=dtype), 1e308)
    call(gn.ones(2), 3e38)
    if read_as == "own":
        with pytest.raises(RuntimeError, match="cannot be converted to type float16 without overflow"):
            call(gn.ones(2, dtype=gn.float16), 70000.0)
    else:
        call(gn.ones(2, dtype=gn.float16), 70000.0)


def test_integers_and_complex_numbers_have_to_fit() -> None:
    x = gn.ones(2, dtype=gn.int32)
    for function in (gn.add, gn.sub):
        with pytest.raises(RuntimeError, match="without overflow"):
            function(x, x, alpha=2**40)
    assert gn.sub(x, x, alpha=2**31).tolist() == [1 - 2**31] * 2  # -2**31 fits
    with pytest.raises(RuntimeError, match="without overflow"):
        gn.add(x, x, alpha=2**31)
    z = gn.ones(2, dtype=gn.complex64)
    for call in (
        lambda: z.add(z, alpha=1e308),
        lambda: gn.full((2,), 1e308j, dtype=z.dtype),
        lambda: z.fill_(1e308),
    ):
        with pytest.raises(RuntimeError, match="cannot be converted to type complex64 without overflow"):
            call()
    for number in (1e308, math.inf):
        with pytest.raises(RuntimeError, match="softshrink: lambda has to be a number that float32 holds"):
            F.softshrink(gn.ones(2), number)


def test_no_index_and_no_element_are_refused() -> None:
    with pytest.raises(IndexError, match=r"index: at least one index must be provided"):
        aten.index.Tensor(gn.ones(2), [])
    with pytest.raises(RuntimeError, match="local_scalar_dense: Empty tensor not supported"):
        aten._local_scalar_dense.default(gn.ones(0))


def test_hardtanh_lies_as_its_operand(device):
    for x in (gn.ones(3, 0).t(), gn.ones(2, 0, 3).permute(2, 0, 1), gn.ones(0, 3).t(), gn.ones(3, 1).t()):
        assert F.hardtanh(x).stride() == x.stride() and F.relu6(x).stride() == x.stride()
    assert F.hardtanh(gn.ones(4, 6)[::2, ::3]).stride() == (2, 1)


def test_what_is_no_call_of_the_operator(device):
    with pytest.raises(ValueError, match="1D target must have size 1, but got target size: 2"):
        aten.nll_loss_forward.default(gn.ones(4), gn.zeros(2, dtype=gn.int64), None, 1, -100)
    with pytest.raises(IndexError, match="at least one index must be provided"):
        aten.index.Tensor(gn.ones(3), [])
    with pytest.raises(ValueError, match="upscale factor is too large"):
        gn.pixel_shuffle(gn.ones(1, 8, 1, 2), 2**40)
    for operator in (aten.hardshrink_backward.default, aten.softshrink_backward.default):
        with pytest.raises(RuntimeError, match="value cannot be converted to type float16"):
            operator(gn.ones(2, dtype=gn.float16), gn.ones(2, dtype=gn.float16), 3e38)


@pytest.mark.parametrize(("dtype", "result"), [("float32", "complex64"), ("float64", "complex128")])
@pytest.mark.parametrize("weight", ["complex64", "complex128"])
def test_a_complex_weight_makes_lerp_complex(device, dtype, result, weight):
    x, end = (gn.tensor(each, dtype=getattr(gn, dtype)) for each in ([1.0, 2.0], [3.0, 5.0]))
    found = gn.lerp(x, end, gn.tensor(0.5 + 1j, dtype=getattr(gn, weight)))
    assert found.dtype.name == result and found.tolist() == [2 + 2j, 3.5 + 3j]
    with pytest.raises(RuntimeError, match="can't be cast"):
        x.lerp_(end, gn.tensor(1j))


def test_a_weight_without_dimensions_promotes_in_lerp(device):
    whole, number = gn.tensor([1, 3], dtype=gn.int32), gn.tensor(0.5)
    found = gn.lerp(whole, whole + 2, number)
    assert found.dtype is gn.float32 and found.tolist() == [2.0, 4.0]
    single, double = gn.tensor(1.0), gn.tensor(0.5, dtype=gn.float64)
    assert gn.lerp(single, single, double).dtype is gn.float64
    assert gn.lerp(single, single[None], double).dtype is gn.float32
    with pytest.raises(NotImplementedError, match="int32"):
        gn.lerp(whole, whole, 0.5)


def test_one_to_a_complex_power_is_one(device):
    exponents = gn.tensor([complex(math.nan, 1), complex(math.inf, 1), 2 + 1j], requires_grad=True)
    for found in (gn.pow(1, exponents), gn.pow(1 + 0j, exponents), gn.float_power(1.0, exponents)):
        assert found.tolist() == [1, 1, 1]
    gn.pow(1, exponents).abs().sum().backward()
    assert exponents.grad.tolist() == [0, 0, 0]
    assert gn.pow(True, exponents).tolist()[2] == 1


def test_float_power_converts_dtypes_that_do_not_promote(device):
    pairs = ((gn.uint16, gn.int8), (gn.uint32, gn.bool), (gn.uint64, gn.float32), (gn.uint16, gn.uint32))
    for one, two in pairs:
        base, exponent = gn.tensor([1, 3]).to(one), gn.tensor([0, 1]).to(two)
        found = gn.float_power(base, exponent)
        assert found.dtype is gn.float64 and found.tolist() == [1.0, 3.0]
    assert gn.float_power(gn.tensor([2, 3], dtype=gn.uint16), 2j).dtype is gn.complex128


def test_the_total_weight_of_one_sample(device):
    given, weight = gn.tensor([-1.0, -2.0]), gn.tensor([3.0, 5.0])
    for target in (gn.tensor(1), gn.tensor([1])):
        for reduction, loss in ((0, 10.0), (1, 2.0), (2, 10.0)):
            found = aten.nll_loss_forward.default(given, target, weight, reduction, -100)
            assert [each.tolist() for each in found] == [loss, 5.0] and found[0].shape == ()
    assert aten.nll_loss_forward.default(given, gn.tensor(1), weight, 0, 1)[1].tolist() == 0.0
    assert aten.nll_loss_forward.default(given[None], gn.tensor([1]), weight, 0, -100)[1].tolist() == 0.0


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("sizes", [(4, 2), (2, 2, 2), (1, 2)])
def test_a_batch_that_does_not_vary_and_no_eps(device, dtype, sizes):
    x = gn.full(sizes, 7.0, dtype=getattr(gn, dtype), requires_grad=True)
    bias = gn.tensor([1.0, 2.0], dtype=x.dtype)
    if gn.Size(sizes).numel() > 2:
        found = aten.batch_norm.default(x, None, bias, None, None, True, 0.1, 0.0, False)
        assert found.transpose(0, 1).flatten(1)[:, 0].tolist() == [1.0, 2.0] and not found.isnan().any()
        found.sum().backward()
        assert not x.grad.count_nonzero()
    found = aten._native_batch_norm_legit.no_stats(x, None, bias, True, 0.1, 0.0)
    assert found[2].tolist() == [0.0, 0.0]
    assert math.isinf(aten.native_layer_norm.default(x[..., :1], [1], None, None, 0.0)[2].flatten()[0].item())


def test_addbmm_speaks_of_itself(device):
    with pytest.raises(RuntimeError, match="addbmm: The expanded size"):
        gn.addbmm(gn.ones(4), gn.ones(2, 2, 3), gn.ones(2, 3, 5))


def test_integers_that_are_a_view_are_written_to_with_what_is_followed(device):
    def places(x):
        found = aten.nonzero_numpy.default(x)[0]
        found.copy_(x)
        return (x * found).sum()

    x = gn.tensor([1.0, 2.0, 3.0])
    _, slope = gn.func.jvp(gn.func.grad(places), (x,), (gn.ones(3),))
    assert slope.tolist() == [0.0, 0.0, 0.0]


def test_out_variants_that_also_write_to_running_statistics(device: str) -> None:
    gn.manual_seed(0)
    x = gn.randn(4, 3, 5)
    weight, bias = gn.randn(3), gn.randn(3)

    def statistics() -> tuple[gn.Tensor, gn.Tensor]:
        return gn.zeros(3), gn.ones(3)

    mean, variance = statistics()
    wanted = aten._native_batch_norm_legit(x, weight, bias, mean, variance, True, 0.25, 1e-5)
    for dtype in (gn.float32, gn.float64):  # written by the kernel, and copied
        moved_mean, moved_variance = statistics()
        outputs = {name: gn.empty(0, dtype=dtype) for name in ("out", "save_mean", "save_invstd")}
        found = aten._native_batch_norm_legit.out(
            x, weight, bias, moved_mean, moved_variance, True, 0.25, 1e-5, **outputs
        )
        for result, output, expected in zip(found, outputs.values(), wanted):
            assert result is output and output.dtype is dtype and output._version == 1
            assert output.tolist() == expected.tolist() and output.is_contiguous()
        assert moved_mean.tolist() == mean.tolist() != [0.0, 0.0, 0.0]
        assert moved_variance.tolist() == variance.tolist() != [1.0, 1.0, 1.0]

    # an output that is also the input: the statistics are those of the input as it was
    target = x.clone()
    moved_mean, moved_variance = statistics()
    rest = {name: gn.empty(3) for name in ("save_mean", "save_invstd")}
    aten._native_batch_norm_legit.out(
        target, weight, bias, moved_mean, moved_variance, True, 0.25, 1e-5, out=target, **rest
    )
    assert target.tolist() == wanted[0].tolist() and moved_mean.tolist() == mean.tolist()

    moved_mean, moved_variance = statistics()
    outputs = {name: gn.empty(0) for name in ("out", "save_mean", "save_invstd")}
    found = aten._batch_norm_with_update.out(
        x,
        weight,
        bias,
        moved_mean,
        moved_variance,
        0.25,
        1e-5,
        **outputs,
        reserve=gn.empty(0, dtype=gn.uint8),
    )
    assert [each.shape for each in found] == [(4, 3, 5), (3,), (3,), (0,)]
    assert found[0] is outputs["out"] and found[0].tolist() == wanted[0].tolist()
    assert moved_mean.tolist() == mean.tolist() and moved_variance.tolist() == variance.tolist()

    running = statistics()
    with pytest.raises(RuntimeError, match=r"functions with out=\.\.\. arguments don't support automatic"):
        aten._native_batch_norm_legit.out(
            x.requires_grad_(), weight, bias, *running, True, 0.25, 1e-5, **outputs
        )
    assert running[0].tolist() == [0.0, 0.0, 0.0]
    text = r"result type float32 can't be cast to the desired output type int32"
    outputs["save_mean"] = gn.empty(0, dtype=gn.int32)
    reserve = gn.empty(0, dtype=gn.uint8)
    with pytest.raises(RuntimeError, match=text):
        aten._native_batch_norm_legit.out(x.detach(), weight, bias, *running, True, 0.25, 1e-5, **outputs)
    with pytest.raises(RuntimeError, match=text):
        aten._batch_norm_with_update.out(
            x.detach(), weight, bias, *running, 0.25, 1e-5, **outputs, reserve=reserve
        )
    assert running[0].tolist() == [0.0, 0.0, 0.0]  # a refused call writes nothing


@pytest.mark.parametrize("size, step", [(1, 1), (2, 1), (3, 2), (5, 2), (2, 3), (4, 4), (11, 1), (0, 2)])
def test_unfold_backward_adds_each_window(device, size, step):
    windows = (11 - size) // step + 1
    given = gn.arange(1.0, 2 * windows * size + 1).reshape(2, windows, size)
    expected = [[0.0] * 11 for _ in range(2)]
    for row, numbers in enumerate(given.tolist()):
        for window, elements in enumerate(numbers):
            for place, element in enumerate(elements):
                expected[row][window * step + place] += element
    found = aten.unfold_backward.default(given, [2, 11], 1, size, step)
    assert found.tolist() == expected and found.stride() == (11, 1)
    across = aten.unfold_backward.default(given.transpose(0, 1), [11, 2], 0, size, step)
    assert across.T.tolist() == expected and across.stride() == (2, 1)
    assert aten.unfold_backward.default(given.to(gn.int64), [2, 11], 1, size, step).tolist() == expected


def test_unfold_backward_refuses_windows_that_do_not_fit(device):
    for sizes, size in (([3], 2), ([9], 3), ([4], 3)):  # too short; windows of another size
        with pytest.raises(RuntimeError, match=r"exceeds|must match|broadcast"):
            aten.unfold_backward.default(gn.ones(3, 2), sizes, 0, size, 1)


def test_a_factor_follows_a_number_by_position(device: str) -> None:
    x = gn.tensor([1.0, 2.0])
    assert gn.rsub(x, 2, 3).tolist() == gn.rsub(x, gn.tensor(2), 3).tolist() == [-1.0, -4.0]
    assert gn.subtract(x, 2, 3).tolist() == x.subtract(2, 3).tolist() == [-5.0, -4.0]
    assert x.clone().subtract_(2, 3).tolist() == [-5.0, -4.0]
    for refused in (
        lambda: gn.rsub(x, x, 3),
        lambda: gn.subtract(x, x, 3),
        lambda: gn.subtract(x, 2, 3, out=x),
        lambda: gn.subtract(x, 2, 3, alpha=3),
    ):
        with pytest.raises(TypeError, match="takes 2 positional arguments but 3 were given"):
            refused()
