"""Operators that are called mostly by other operators: calls that would read out of bounds are refused with
an error, on each backend.

Random calls found each of these: the C backend read or wrote memory out of bounds, or its result was not the
reference's.
"""

from __future__ import annotations

import math

import pytest

import gnomon as gn

DEVICES = ("reference", "c")
aten = gn.ops.aten


@pytest.fixture(params=DEVICES, autouse=True)
def device(request):
    with gn.device(request.param):
        yield request.param


def ones(*sizes, dtype="float32"):
    return gn.ones(sizes, dtype=getattr(gn, dtype))


def nll(grad_output, target, total_weight):
    return aten.nll_loss_backward(
        grad_output, ones(2, 4), gn.tensor(target), None, 1, -100, total_weight
    ).tolist()


def test_nll_loss_backward():
    quarter = [[-0.5, 0.0, 0.0, 0.0], [0.0, -0.5, 0.0, 0.0]]
    assert nll(ones(), [0, 1], gn.tensor(2.0)) == quarter
    with pytest.raises(RuntimeError, match=r"size mismatch \(got input: \[2, 4\], target: \[1\]\)"):
        nll(ones(), [0], ones())
    with pytest.raises(RuntimeError, match="expected dtype float32 for `grad_output` but got dtype float64"):
        nll(ones(dtype="float64"), [0, 1], ones())
    with pytest.raises(RuntimeError, match=r"Expected a single element grad_output tensor, but got: \[2\]"):
        nll(ones(2), [0, 1], ones())
    with pytest.raises(RuntimeError, match=r"total_weight to be a single element tensor, but got \[2\]"):
        nll(ones(), [0, 1], ones(2))
    with pytest.raises(
        RuntimeError, match="expected dtype float32 for `total_weight` but got dtype bfloat16"
    ):
        nll(ones(), [0, 1], ones(dtype="bfloat16"))


def test_embedding_dense_backward():
    rows = gn.tensor([2, 2])
    assert aten.embedding_dense_backward(ones(2, 1), rows, 3, -1, False).tolist() == [[0.0], [0.0], [2.0]]
    with pytest.raises(
        RuntimeError, match=r"of size \[2, 1\], but got tensor of size \[1\] for argument 'grad_output'"
    ):
        aten.embedding_dense_backward(ones(1), rows, 3, -1, False)
    with pytest.raises(RuntimeError, match="0-dimensional tensor for argument 'grad_output'"):
        aten.embedding_dense_backward(ones(), rows, 3, -1, False)
    with pytest.raises(RuntimeError, match=r"negative dimension -1: \[-1, 3\]"):
        aten.embedding_dense_backward(ones(2, 3), rows, -1, -1, False)


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({"mode": 3}, "`mode` must be sum, mean, or max"),
        (
            {"offset2bag": [0]},
            r"'offset2bag' to have same size as .* 'indices'; but \[1\] does not equal \[2\]",
        ),
        (
            {"mode": 1, "bag_size": [2, 2]},
            r"of size \[1\], but got tensor of size \[2\] for argument 'bag_size'",
        ),
        (
            {"mode": 2, "maximum": [0]},
            r"'maximum_indices' to have same size as .* 'grad'; but \[1\] does not equal \[1, 3\]",
        ),
    ],
)
def test_embedding_bag_dense_backward(changed, text):
    def call(mode=0, offset2bag=(0, 0), bag_size=(2,), maximum=((0, 1, 1),)):
        tensors = (gn.tensor(list(each)) for each in ([0, 1], offset2bag, bag_size, maximum))
        return aten._embedding_bag_dense_backward(ones(1, 3), *tensors, 2, False, mode, None).tolist()

    assert call() == [[1.0] * 3] * 2
    assert call(mode=1) == [[0.5] * 3] * 2
    assert call(mode=2) == [[1.0, 0.0, 0.0], [0.0, 1.0, 1.0]]
    with pytest.raises(RuntimeError, match=text):
        call(**changed)


def test_index_of_prepared_indices():
    table = gn.arange(6.0).reshape(2, 3)
    rows, columns = gn.tensor([1, 0]), gn.tensor([0, 2])
    assert aten._index(table, (rows, columns)).tolist() == [3.0, 2.0]
    with pytest.raises(IndexError, match="each of 2 dimensions, but got 1"):
        aten._index(table, (rows,))
    with pytest.raises(IndexError, match=r"expected indices of the same sizes, got \(1,\), \(2,\)"):
        aten._index(table, (rows, columns[:1]))
    with pytest.raises(RuntimeError, match="expected dtype int64 for `indices` but got dtype int32"):
        aten._index(table, (rows.to(gn.int32), columns.to(gn.int32)))
    with pytest.raises(
        RuntimeError, match=r"of size \[2\], but got tensor of size \[1\] for argument 'values'"
    ):
        aten._index_put(table, (rows, columns), ones(1), False)


def test_pdist_forward():
    assert aten._pdist_forward(gn.tensor([[1.0], [3.0]]), 2.0).tolist() == [2.0]
    with pytest.raises(
        RuntimeError, match="Expected 2-dimensional tensor, but got 1-dimensional tensor for argument 'self'"
    ):
        aten._pdist_forward(ones(3), 2.0)
    for p in (-math.inf, math.nan):
        with pytest.raises(RuntimeError, match="only supports non-negative p values"):
            aten._pdist_forward(ones(3, 1), p)


def test_the_last_of_linspace_is_the_end_with_its_sign():
    last = gn.linspace(-1.0, -0.0, 4)[-1].item()
    assert last == 0.0 and math.copysign(1.0, last) == -1.0


def test_log_normal_overflows_to_infinity():
    drawn = gn.empty(50).log_normal_(1, 1e30, generator=gn.Generator().manual_seed(1)).tolist()
    assert set(drawn) == {0.0, math.inf}


@pytest.mark.parametrize("spatial", [2, 3])
def test_adaptive_pooling_backward(spatial):
    tail = (2,) * spatial
    average = getattr(aten, f"_adaptive_avg_pool{spatial}d_backward").default
    largest = getattr(aten, f"adaptive_max_pool{spatial}d_backward").default
    assert average(ones(1, 3, *tail), ones(1, 3, *tail)).tolist() == ones(1, 3, *tail).tolist()
    text = r"of size \[1, 3, 2.*\], but got tensor of size \[1, 2, 2.*\] for argument 'grad_output'"
    with pytest.raises(RuntimeError, match=text):
        average(ones(1, 2, *tail), ones(1, 3, *tail))
    with pytest.raises(RuntimeError, match=text):
        largest(ones(1, 2, *tail), ones(1, 3, *tail), gn.zeros((1, 2, *tail), dtype=gn.int64))


@pytest.mark.parametrize(
    ("name", "sizes"), [("grad", (2,)), ("neg_log_likelihood", (2,)), ("log_alpha", (1, 2, 2))]
)
def test_ctc_loss_backward(name, sizes):
    logs = gn.full((2, 1, 2), 0.5).log()
    targets = gn.tensor([[1]])
    loss, alpha = aten._ctc_loss(logs, targets, [2], [1])
    given = {"grad": ones(1), "neg_log_likelihood": loss, "log_alpha": alpha}

    def call(grad, neg_log_likelihood, log_alpha):
        return aten._ctc_loss_backward(grad, logs, targets, [2], [1], neg_log_likelihood, log_alpha, 0)

    assert call(**given).shape == (2, 1, 2)
    with pytest.raises(RuntimeError, match=f"Expected tensor of size .* for argument '{name}'"):
        call(**{**given, name: ones(*sizes)})
    with pytest.raises(RuntimeError, match=f"expected dtype float32 for `{name}` but got dtype float64"):
        call(**{**given, name: given[name].double()})


@pytest.mark.parametrize("spatial", [1, 2, 3])
@pytest.mark.parametrize("kind", ["reflection", "replication"])
def test_padding_backward(kind, spatial):
    call = getattr(aten, f"{kind}_pad{spatial}d_backward").default
    sizes = (1, 2, *(3,) * spatial)
    none = (0,) * (2 * spatial)
    assert call(ones(*sizes), ones(*sizes), none).tolist() == ones(*sizes).tolist()
    with pytest.raises(RuntimeError, match="expected dtype float32 for `grad_output` but got dtype float64"):
        call(ones(*sizes, dtype="float64"), ones(*sizes), none)


@pytest.mark.parametrize("name", ["_softmax_backward_data", "_log_softmax_backward_data"])
def test_softmax_backward(name):
    call = getattr(aten, name).default
    assert call(ones(1, 1), ones(1, 1), 1, gn.float32).dtype is gn.float32
    with pytest.raises(RuntimeError, match="expected dtype float32 for `grad_output` but got dtype int64"):
        call(ones(1, 1, dtype="int64"), ones(1, 1), 1, gn.float32)


def test_grid_sampler_backward():
    image, grid = ones(1, 1, 2, 2), gn.zeros((1, 1, 1, 2))
    grad, _ = aten.grid_sampler_2d_backward(ones(1, 1, 1, 1), image, grid, 0, 0, True, (True, True))
    assert grad.tolist() == [[[[0.25, 0.25], [0.25, 0.25]]]]
    with pytest.raises(RuntimeError, match="expected dtype float32 for `grad_output` but got dtype float64"):
        wide = ones(1, 1, 1, 1, dtype="float64")
        aten.grid_sampler_2d_backward(wide, image, grid, 0, 0, True, (True, True))
    options = (ones(1, 1, 1, 1), image, grid, 0, 0, True, (True, True, True))
    with pytest.raises(RuntimeError, match=r"'grad_grad_input' to have same size as .* 'input'; but \[1"):
        aten._grid_sampler_double_backward(ones(1, 1, 2, 1), None, *options)
    with pytest.raises(RuntimeError, match=r"'grad_grad_grid' to have same size as .* 'grid'; but \[2"):
        aten._grid_sampler_double_backward(None, ones(2, 1, 1, 2), *options)


def test_max_pool_backward():
    plane, where = ones(1, 1, 2, 2, 2), gn.zeros((1, 1, 1, 1, 1), dtype=gn.int64)

    def call(indices):
        grad = ones(1, 1, 1, 1, 1)
        return aten.max_pool3d_with_indices_backward(grad, plane, [2], [], [0], [1], False, indices)

    assert call(where).sum().item() == 1.0
    with pytest.raises(RuntimeError, match="expected dtype int64 for `indices` but got dtype float32"):
        call(where.float())


def test_layer_and_group_norm_backward():
    def layer(grad=None, mean=None, rstd=None):
        grad, mean = grad if grad is not None else ones(2, 3), mean if mean is not None else ones(2, 1)
        rstd = rstd if rstd is not None else ones(2, 1)
        mask = (True, True, True)
        return aten.native_layer_norm_backward(grad, ones(2, 3), (3,), mean, rstd, None, None, mask)

    def group(grad):
        mask = (True, True, True)
        return aten.native_group_norm_backward(
            grad, ones(2, 2, 3), ones(2, 1), ones(2, 1), None, 2, 2, 3, 1, mask
        )

    text = "expected dtype float32 for `grad_out` but got dtype float64"
    assert [tuple(each.shape) for each in layer()] == [(2, 3), (3,), (3,)]
    with pytest.raises(RuntimeError, match=text):
        layer(grad=ones(2, 3, dtype="float64"))
    with pytest.raises(
        RuntimeError, match=r"of size \[2, 1\], but got tensor of size \[1, 1\] for argument 'mean'"
    ):
        layer(mean=ones(1, 1))
    with pytest.raises(
        RuntimeError, match=r"of size \[2, 1\], but got tensor of size \[3, 1\] for argument 'rstd'"
    ):
        layer(rstd=ones(3, 1))
    assert group(ones(2, 2, 3))[0].shape == (2, 2, 3)
    with pytest.raises(RuntimeError, match=text):
        group(ones(2, 2, 3, dtype="float64"))


@pytest.mark.parametrize("host", ["reference", "numpy"])
def test_without_bags_an_index_is_in_none(host):
    """As in PyTorch; this used to return uninitialized memory."""
    if host == "numpy":
        pytest.importorskip("gnomon_numpy")
    with gn.device(host):
        found = aten.embedding_bag(ones(1, 1), gn.tensor([0, 0]), gn.tensor([0]), False, 1, False, None, True)
    assert [each.tolist() for each in found] == [[], [-1, -1], [], []]


@pytest.mark.parametrize("mode", [0, 1, 2])
@pytest.mark.parametrize("rows", [[0, 2], [0, -2]])
@pytest.mark.parametrize("host", ["", "numpy"])
def test_embedding_bag_backward_of_rows_that_are_none(mode, rows, host, device):
    """PyTorch writes out of bounds; the reference used to skip such rows, and NumPy counted from the end."""
    if host:
        pytest.importorskip("gnomon_numpy")
    with gn.device(host or device):
        lists = (gn.tensor(each) for each in (rows, [0, 0], [2], [[0, rows[1], 0]]))
        arguments = (ones(1, 3), *lists, 2, False, mode, None)
        with pytest.raises(IndexError, match=rf"row {rows[1]} is out of range: there are 2"):
            aten._embedding_bag_dense_backward(*arguments)
        if mode != 2:
            kept = aten._embedding_bag_dense_backward(*arguments, rows[1])
            assert kept.tolist() == [[0.5 if mode else 1.0] * 3, [0.0] * 3]


@pytest.mark.parametrize("bag", [1, -1])
@pytest.mark.parametrize("host", ["", "numpy"])
def test_embedding_bag_backward_of_bags_that_are_none(bag, host, device):
    if host:
        pytest.importorskip("gnomon_numpy")
    with gn.device(host or device):
        lists = (gn.tensor(each) for each in ([0], [bag], [1], [[0, 0, 0]]))
        with pytest.raises(IndexError, match=f"bag {bag} is out of range: there are 1"):
            aten._embedding_bag_dense_backward(ones(1, 3), *lists, 2, False, 0, None)


@pytest.mark.parametrize(("row", "bag", "text"), [(2, 0, "row 2"), (-2, 0, "row -2"), (0, 1, "bag 1")])
@pytest.mark.parametrize("host", ["", "numpy"])
def test_the_gradient_of_the_weights_of_samples(row, bag, text, host, device):
    if host:
        pytest.importorskip("gnomon_numpy")
    with gn.device(host or device):
        lists = (gn.tensor(each) for each in ([row], [0], [bag]))
        arguments = (ones(1, 3), ones(2, 3), *lists, 0)
        with pytest.raises(IndexError, match=f"{text} is out of range"):
            aten._embedding_bag_per_sample_weights_backward(*arguments)
        assert aten._embedding_bag_per_sample_weights_backward(*arguments, row).tolist() == [0.0]


@pytest.mark.parametrize("host", ["", "numpy"])
def test_the_mean_of_integers_is_that_of_their_sum_in_the_dtype(host, device):
    """The sum wraps around before it is divided; the reference used to divide the exact sum."""
    if host:
        pytest.importorskip("gnomon_numpy")
    with gn.device(host or device):
        grad = gn.tensor([[2**63 - 2, 1], [2, -4]])
        found = aten.embedding_dense_backward(grad, gn.tensor([1, 1]), 2, -1, True)
        assert found.tolist() == [[0, 0], [-(2**62), -1]]
        grad = gn.tensor([[True, False], [True, True]])
        found = aten.embedding_dense_backward(grad, gn.tensor([1, 1]), 2, -1, True)
        assert found.tolist() == [[False, False], [True, True]]


@pytest.mark.parametrize(
    ("dtype", "bound"),
    [("int32", 1e30), ("int8", 300), ("int32", math.inf), ("int64", math.nan), ("float16", 70000)],
)
def test_hardtanh_of_bounds_that_do_not_fit(dtype, bound):
    """As in PyTorch; what a kernel computes from such a number would be undefined."""
    with pytest.raises(RuntimeError, match=f"value cannot be converted to type {dtype} without overflow"):
        gn.nn.functional.hardtanh(ones(2, dtype=dtype), -1, bound)


@pytest.mark.parametrize("bounds", [(math.nan, 1.0), (-1.0, math.nan)])
def test_hardtanh_of_a_bound_that_is_nan(bounds):
    assert gn.nn.functional.hardtanh(gn.tensor([0.0, math.inf]), *bounds).isnan().all()
    assert gn.nn.functional.hardtanh(gn.tensor([math.nan, 3.0, -3.0])).tolist()[1:] == [1.0, -1.0]


def test_attention_of_no_width():
    """All scores are equal, so all values have the same weight."""
    value = gn.tensor([[1.0], [3.0], [5.0], [7.0]])
    query, key = gn.zeros((2, 0)), gn.zeros((4, 0))
    attend = gn.nn.functional.scaled_dot_product_attention
    assert attend(query, key, value).tolist() == [[4.0], [4.0]]
    assert attend(query, key, value, is_causal=True).tolist() == [[1.0], [2.0]]


def convolved_back(grad=(1, 2, 3), input=(1, 2, 3), weight=(2, 2, 1), stride=(1,), groups=1):
    options = (list(stride), [0], [1], False, [0], groups, (True, True, True))
    return aten.convolution_backward(ones(*grad), ones(*input), ones(*weight), None, *options)


def test_convolution_backward():
    assert convolved_back()[2].tolist() == [3.0, 3.0]
    for sizes in ((), (2,), (2, 2)):
        with pytest.raises(RuntimeError, match=f"at least three dimensions, got {len(sizes)}"):
            convolved_back(sizes, sizes, sizes)
    with pytest.raises(RuntimeError, match="Expected 3-dimensional input for 3-dimensional weight"):
        convolved_back((2, 3), (2, 3))
    with pytest.raises(RuntimeError, match=r"expected stride to be .* a list of 1 values, but got \[\]"):
        convolved_back(stride=())
    with pytest.raises(RuntimeError, match="non-positive stride"):
        convolved_back(stride=(0,))
    with pytest.raises(RuntimeError, match="expected groups to be greater than 0, but got groups=0"):
        convolved_back(groups=0)


def test_pdist_backward():
    def call(grad, rows, distances):
        return aten._pdist_backward(ones(*grad), gn.arange(6.0).view(rows), 1.0, ones(*distances)).tolist()

    assert call((3,), (3, 2), (3,)) == [[-2.0, -2.0], [0.0, 0.0], [2.0, 2.0]]
    assert call((0,), (1, 6), (0,)) == [[0.0] * 6]
    for grad, distances in (((), (3,)), ((2,), (3,))):
        with pytest.raises(RuntimeError, match=r"Expected tensor of size \[3\], .* for argument 'grad'"):
            call(grad, (3, 2), distances)
    with pytest.raises(
        RuntimeError, match=r"of size \[3\], but got tensor of size \[3, 3\] for argument 'pdist'"
    ):
        call((3,), (3, 2), (3, 3))
    with pytest.raises(
        RuntimeError, match="Expected 2-dimensional tensor, but got 1-dimensional tensor for argument 'self'"
    ):
        call((0,), (6,), (0,))


def test_linspace_between_bounds_that_the_dtype_rounds():
    """Both bounds are rounded first: the second number is halfway between two float32 numbers."""
    assert gn.linspace(-2147483649.0, 1.0, 4).tolist()[1] == -1431655680.0


def test_sums_do_not_ask_for_the_sizes_of_bags(device):
    places = gn.tensor([0, 0])
    gn.set_fallback_policy("error")
    try:
        found = aten._embedding_bag_dense_backward(
            ones(1, 2), gn.tensor([0, 1]), places, gn.tensor(2), places[:1], 3, False, 0, None, -1
        )
    finally:
        gn.set_fallback_policy(None)
    assert found.tolist() == [[1.0, 1.0], [1.0, 1.0], [0.0, 0.0]]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize(("probability", "target", "name"), [(2.0, 0.5, "input"), (0.5, -0.5, "target")])
def test_binary_cross_entropy_of_no_probability(dtype, probability, target, name):
    """This includes half types, for which the C kernel used to lose the error."""
    rows = [gn.tensor([0.5, number] * 40, dtype=getattr(gn, dtype)) for number in (probability, target)]
    with pytest.raises(RuntimeError, match=f"all elements of {name} should be between 0 and 1"):
        gn.nn.functional.binary_cross_entropy(*rows)


@pytest.mark.parametrize(("dtype", "number"), [("float32", 1e308), ("uint8", 300), ("int32", 2**40)])
def test_where_of_a_number_that_does_not_fit(dtype, number):
    mask, x = gn.tensor([True, False]), ones(2, dtype=dtype)
    assert gn.where(mask, x, type(number)(7)).tolist() == [1, 7]  # its plan must not serve the other number
    for call in (lambda: gn.where(mask, x, number), lambda: gn.where(mask, number, x)):
        with pytest.raises(RuntimeError, match="without overflow"):
            call()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_a_single_half_becomes_infinite_where_several_are_refused(dtype):
    dtype = getattr(gn, dtype)
    assert gn.scalar_tensor(1e308, dtype=dtype).item() == math.inf
    assert gn.zeros(1, dtype=dtype).fill_(1e308).tolist() == [math.inf]
    x = gn.zeros(2, dtype=dtype)
    x[0] = 1e308
    assert x.tolist() == [math.inf, 0]
    assert gn.where(x > 1, x, 1e308).tolist() == [math.inf, math.inf]
    with pytest.raises(RuntimeError, match="without overflow"):
        x.fill_(1e308)
    with pytest.raises(RuntimeError, match="without overflow"):
        gn.zeros(1, dtype=dtype).fill_(1j)


def test_scatter_looks_at_a_number_only_where_it_goes_somewhere():
    x = gn.zeros(2, dtype=gn.uint8)
    assert x.scatter(0, gn.zeros(0, dtype=gn.int64), 300).tolist() == [0, 0]
    with pytest.raises(RuntimeError, match="without overflow"):
        x.scatter(0, gn.zeros(1, dtype=gn.int64), 300)


def test_the_threshold_of_halves_is_a_float32():
    x = ones(2, dtype="float16")
    assert gn.nn.functional.threshold(x, 1e6, 3).tolist() == [3, 3]
    with pytest.raises(RuntimeError, match="without overflow"):
        gn.nn.functional.threshold(x, 1e308, 3)


@pytest.mark.parametrize("p", [math.inf, math.nan, 2**31, 1e300, 1 + 2j])
def test_multi_margin_loss_of_an_exponent_that_is_no_int(p):
    with pytest.raises(RuntimeError, match="without overflow"):
        aten.multi_margin_loss.default(ones(3), gn.tensor(1), p=p)


def test_multi_margin_loss_of_a_margin_that_does_not_fit():
    for margin in (1e300, 1 + 2j):
        with pytest.raises(RuntimeError, match="without overflow"):
            aten.multi_margin_loss.default(ones(3), gn.tensor(1), margin=margin)


@pytest.mark.parametrize("name", ["var", "std", "var_mean", "std_mean"])
def test_a_correction_is_a_real_number(name):
    with pytest.raises(RuntimeError, match="without overflow"):
        getattr(aten, name).correction(ones(3), [0], correction=1 + 2j)


@pytest.mark.parametrize("window", [([], [0], [1]), ([1], [], [1]), ([1], [0], [])])
def test_only_the_stride_of_a_line_of_windows_may_be_none(window):
    if window[0]:
        with pytest.raises(RuntimeError, match=r"It is expected \w+ equals to 1, but got size [02]"):
            aten.max_pool1d_with_indices.default(ones(1, 4), [2], *window)
    else:
        assert aten.max_pool1d_with_indices.default(ones(1, 4), [2], *window)[0].tolist() == [[1, 1]]


def test_a_slope_that_is_nan_is_not_known_to_be_positive():
    with pytest.raises(RuntimeError, match="negative_slope is nan"):
        aten.leaky_relu_backward.default(ones(2), ones(2), math.nan, True)


def test_dimensions_are_looked_at_in_turn():
    with pytest.raises(RuntimeError, match="dim 2 appears multiple times"):
        ones(2, 3, 2).flip([-1, 2, 3])
    with pytest.raises(IndexError, match="but got 3"):
        ones(2, 3, 2).flip([3, 2, -1])


@pytest.mark.parametrize(
    "call",
    [
        lambda: gn.empty(0, 2**40, 2**40),
        lambda: gn.nn.functional.pad(ones(0, 2, 4), (1, 2**63 - 1), mode="replicate"),
        lambda: gn.nn.functional.pad(ones(0, 2, 4), (1, 2**62)),
        lambda: gn.pixel_shuffle(ones(0, 2, 2), 2**31 - 1),
    ],
)
def test_sizes_without_elements_have_strides_in_64_bits(call):
    with pytest.raises(RuntimeError, match="Stride calculation overflowed"):
        call()


def test_index_add_of_itself():
    for x in (ones(3), ones(0)):
        with pytest.raises(RuntimeError, match="unsupported operation"):
            x.index_add_(0, gn.tensor([0, 1, 2][: len(x)], dtype=gn.int64), x)


def test_a_learning_rate_is_a_real_number():
    rows = [[ones(2)] for _ in range(4)]
    state = [[], [gn.ones(())]]
    with pytest.raises(RuntimeError, match="without overflow"):
        aten._fused_adamw_.tensor_lr(
            *rows, *state, lr=gn.tensor(1 + 2j), beta1=0.5, beta2=0.5, weight_decay=0.0, eps=1e-3,
            amsgrad=False, maximize=False,
        )  # fmt: skip


def test_a_stride_of_windows_that_nothing_can_be_added_to():
    x = ones(1, 1, 2, 3)
    blocks = aten.im2col.default(x, [2, 2], [1, 1], [1, 0], [2**63 - 1, 1])
    assert blocks.tolist() == [[[0, 0], [0, 0], [1, 1], [1, 1]]]


def test_the_gradient_of_an_extreme_that_is_nan():
    for name in ("max", "min"):
        x = gn.tensor([math.nan, 1.5], requires_grad=True)
        getattr(x, name)().backward()
        assert x.grad.tolist() == [1, 0]


@pytest.mark.parametrize(("chosen", "sizes"), [(3, [2]), (4, [3]), (6, [3])])
def test_sizes_that_do_not_hold_what_a_mask_chooses(device, chosen, sizes):
    mask = gn.arange(6, device=device) < chosen
    with pytest.raises(RuntimeError, match=rf"masked_scatter_backward: expected sizes .* got \[{sizes[0]}\]"):
        aten.masked_scatter_backward.default(gn.ones(6, device=device), mask, sizes)
    found = aten.masked_scatter_backward.default(gn.ones(6, device=device), mask, [chosen + 1])
    assert found.tolist() == [1.0] * chosen + [0.0]


@pytest.mark.parametrize("sizes", [(3, 5), (2, 2, 1, 5), (7, 1, 5)])
def test_a_mask_that_has_more_sizes_than_the_scores(sizes):
    query, key, value = ones(2, 1, 4), ones(2, 5, 4), ones(2, 5, 2)
    attend = gn.nn.functional.scaled_dot_product_attention
    for dtype in (gn.float32, gn.bool):
        with pytest.raises(RuntimeError, match="Expected attn_mask to broadcast to the scores"):
            attend(query, key, value, attn_mask=gn.ones(sizes, dtype=dtype))
    assert attend(query, key, value, attn_mask=ones(2, 1, 5)).shape == (2, 1, 2)


def test_rsub_has_no_bool_for_a_factor(device):
    for other in (1, 1.0, gn.ones(2)):
        with pytest.raises(RuntimeError, match="Boolean alpha only supported for Boolean results"):
            gn.rsub(gn.ones(2), other, alpha=True)


def test_a_transposed_convolution_to_no_channels(device):
    for sizes in ((3,), (3, 3), (3, 3, 3)):
        name = f"conv_transpose{len(sizes)}d"
        with pytest.raises(RuntimeError, match="expected weight to be at least 1 at dimension 1"):
            getattr(gn.nn.functional, name)(gn.ones(1, 2, *sizes), gn.ones(2, 0, *sizes))


def test_tensors_without_data_grow():
    x = gn.empty(2, 3, device="meta")
    assert x.resize_(5, 4) is x and x.stride() == (4, 1) and x.untyped_storage().nbytes() == 80
    x.resize_as_(gn.empty(2, 3, 4, 5, device="meta"), memory_format=gn.channels_last)
    assert x.stride() == (60, 1, 15, 3)
    x.untyped_storage().resize_(1000)
    assert x.untyped_storage().nbytes() == 1000


def test_resize_to_the_same_sizes_in_a_memory_format(device):
    x = gn.arange(24.0).reshape(2, 3, 2, 2)
    assert x.resize_((2, 3, 2, 2), memory_format=gn.channels_last).stride() == (12, 1, 6, 3)
    assert x.flatten()[:5].tolist() == [0.0, 3.0, 6.0, 9.0, 1.0]
    assert x.resize_((2, 3, 2, 2), memory_format=gn.contiguous_format).stride() == (12, 4, 2, 1)
    assert x.resize_((2, 3, 2, 2)).stride() == (12, 4, 2, 1)
    with pytest.raises(RuntimeError, match="unsupported memory format"):
        x.resize_((2, 3, 2, 2), memory_format=gn.preserve_format)
