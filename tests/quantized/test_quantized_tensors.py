"""Quantized tensors: construction, parts, views, operators, copies, files, and what has no kernel."""

import copy
import io
import pickle

import pytest

import gnomon as gn
from gnomon.values.dispatch_key import DispatchKey

NUMBERS = [[-1.0, 0.0, 1.0, 2.25], [0.35, 0.05, float("inf"), float("nan")]]
INTEGERS = [[0, 10, 20, 32], [14, 10, 255, 255]]


@pytest.fixture
def x() -> gn.Tensor:
    return gn.tensor(NUMBERS)


@pytest.fixture
def q(x) -> gn.Tensor:
    return gn.quantize_per_tensor(x, 0.1, 10, gn.quint8)


@pytest.fixture
def channels(x) -> gn.Tensor:
    return gn.quantize_per_channel(x[:, :3], gn.tensor([0.1, 0.01]), gn.tensor([10, 0]), 0, gn.quint8)


def test_per_tensor(q):
    assert q.is_quantized and q.dtype is gn.quint8 and q.shape == (2, 4) and q.stride() == (4, 1)
    assert q.layout is gn.strided and q.qscheme() is gn.per_tensor_affine
    assert isinstance(q.qscheme(), gn.qscheme)
    assert (q.q_scale(), q.q_zero_point()) == (0.1, 10)
    assert q.int_repr().dtype is gn.uint8 and q.int_repr().tolist() == INTEGERS
    found = q.dequantize()
    assert found.dtype is gn.float32 and not found.is_quantized
    expected = [[(each - 10) * 0.1 for each in row] for row in INTEGERS]
    assert gn.allclose(found, gn.tensor(expected))
    assert (q.element_size(), q.nbytes) == (1, 8)
    assert q._dispatch_keys().has(DispatchKey.Quantized) and not q._dispatch_keys().has(DispatchKey.Dense)
    for name in ("q_per_channel_scales", "q_per_channel_zero_points", "q_per_channel_axis"):
        with pytest.raises(RuntimeError, match=r"expected the scheme gnomon\.per_channel_affine"):
            getattr(q, name)()


@pytest.mark.parametrize(
    ("kind", "held", "integers"),
    [
        (gn.qint8, gn.int8, [0, 2, 2, 4, 0, -2, -2, 127, -128]),
        (gn.quint8, gn.uint8, [0, 2, 2, 4, 0, 0, 0, 255, 0]),
        (gn.qint32, gn.int32, [0, 2, 2, 4, 0, -2, -2, 2**31 - 1, -(2**31)]),
    ],
)
def test_halves_are_rounded_to_even_and_limits_clamp(kind, held, integers):
    numbers = [0.05, 0.15, 0.25, 0.35, -0.05, -0.15, -0.25, 1e10, -1e10]
    found = gn.quantize_per_tensor(gn.tensor(numbers), 0.1, 0, kind)
    assert found.dtype is kind and found.int_repr().dtype is held
    assert found.int_repr().tolist() == integers


def test_the_sum_is_rounded_not_the_product():
    found = gn.quantize_per_tensor(gn.tensor([0.35, 0.05]), 0.1, 3, gn.qint8)
    assert found.int_repr().tolist() == [6, 4]  # 6.5 and 3.5


def test_parameters_in_tensors(x):
    row = x[:1]
    found = gn.quantize_per_tensor(row, gn.tensor(0.5), gn.tensor(3), gn.qint8)
    assert (found.q_scale(), found.q_zero_point()) == (0.5, 3) and found.int_repr().tolist() == [[1, 3, 5, 8]]
    first, second = gn.quantize_per_tensor([row, row], gn.tensor([0.5, 0.25]), gn.tensor([3, 4]), gn.qint8)
    assert first.equal(found) and (second.q_scale(), second.q_zero_point()) == (0.25, 4)
    numbers = gn.dequantize([first, second])
    assert isinstance(numbers, tuple) and numbers[1].tolist() == [[-1.0, 0.0, 1.0, 2.25]]


def test_per_channel(channels):
    assert channels.qscheme() is gn.per_channel_affine and channels.q_per_channel_axis() == 0
    assert channels.int_repr().tolist() == [[0, 10, 20], [35, 5, 255]]
    scales = channels.q_per_channel_scales()
    assert scales.dtype is gn.float64 and scales.tolist() == gn.tensor([0.1, 0.01]).double().tolist()
    assert channels.q_per_channel_zero_points().dtype is gn.int64
    assert channels.q_per_channel_zero_points().tolist() == [10, 0]
    with pytest.raises(RuntimeError, match=r"expected the scheme gnomon\.per_tensor_affine"):
        channels.q_scale()


def test_per_channel_with_float_zero_points(x):
    row = x[:, :2]
    found = gn.quantize_per_channel(row, gn.tensor([0.1, 0.01]), gn.tensor([10.0, 0.5]), 1, gn.quint8)
    assert found.qscheme() is gn.per_channel_affine_float_qparams
    assert found.q_per_channel_scales().dtype is gn.float32
    assert found.q_per_channel_zero_points().dtype is gn.float32
    assert found.int_repr().tolist() == [[0, 0], [14, 6]]
    assert gn.allclose(found.dequantize(), gn.tensor([[-1.0, -0.005], [0.4, 0.055]]))


def test_dynamic(x):
    found = gn.quantize_per_tensor_dynamic(x[:1], gn.quint8, False)
    assert (found.q_scale(), found.q_zero_point()) == (3.25 / 255, 78)
    found = gn.quantize_per_tensor_dynamic(x[:1], gn.qint8, True)
    assert (found.q_scale(), found.q_zero_point()) == (3.25 / 127, -25)
    assert gn._choose_qparams_per_tensor(x[:1]) == (3.25 / 255, 78)
    with pytest.raises(RuntimeError, match="dtype QInt32not supported"):
        gn.quantize_per_tensor_dynamic(x, gn.qint32, False)


def test_from_integers():
    held = gn.tensor([[1, 2], [3, 4]], dtype=gn.uint8)
    one = gn._make_per_tensor_quantized_tensor(held, 0.5, 1)
    assert one.dtype is gn.quint8 and one.dequantize().tolist() == [[0.0, 0.5], [1.0, 1.5]]
    many = gn._make_per_channel_quantized_tensor(held, gn.tensor([0.5, 0.25]), gn.tensor([1, 0]), 1)
    assert many.dequantize().tolist() == [[0.0, 0.5], [1.0, 1.0]]
    held[0, 0] = 9
    assert one.int_repr()[0, 0].item() == 1
    with pytest.raises(RuntimeError, match="ScalarType Short is not supported"):
        gn._make_per_tensor_quantized_tensor(held.short(), 0.5, 1)


def test_empty(q, channels):
    made = gn._empty_affine_quantized([2, 3], scale=0.5, zero_point=2, dtype=gn.qint8)
    assert made.shape == (2, 3) and made.dtype is gn.qint8 and made.q_scale() == 0.5
    made = gn._empty_per_channel_affine_quantized(
        [2, 2], scales=gn.tensor([0.5, 0.25]), zero_points=gn.tensor([1, 0]), axis=0, dtype=gn.quint8
    )
    assert made.q_per_channel_scales().tolist() == [0.5, 0.25]
    assert gn.empty_quantized([5], q).shape == (5,) and gn.empty_quantized([5], q).q_zero_point() == 10
    assert gn.empty_like(channels).q_per_channel_axis() == 0
    with pytest.raises(RuntimeError, match="Creation of quantized tensor requires quantized dtype"):
        gn._empty_affine_quantized([2])


def test_printing(q, channels):
    assert repr(q[0]) == (
        "tensor([-1.0000,  0.0000,  1.0000,  2.2000], size=(4,), dtype=gnomon.quint8,\n"
        "       quantization_scheme=gnomon.per_tensor_affine, scale=0.1, zero_point=10)"
    )
    assert str(q[0, 1]) == (
        "tensor(0., size=(), dtype=gnomon.quint8,\n"
        "       quantization_scheme=gnomon.per_tensor_affine, scale=0.1, zero_point=10)"
    )
    assert repr(channels) == (
        "tensor([[-1.0000,  0.0000,  1.0000],\n"
        "        [ 0.3500,  0.0500,  2.5500]], size=(2, 3), dtype=gnomon.quint8,\n"
        "       quantization_scheme=gnomon.per_channel_affine,\n"
        "       scale=tensor([0.1000, 0.0100], dtype=gnomon.float64),\n"
        "       zero_point=tensor([10,  0]), axis=0)"
    )


@pytest.mark.parametrize(
    ("view", "sizes", "strides"),
    [
        (lambda q: q.t(), (4, 2), (1, 4)),
        (lambda q: q.transpose(0, 1), (4, 2), (1, 4)),
        (lambda q: q.permute(1, 0), (4, 2), (1, 4)),
        (lambda q: q.view(8), (8,), (1,)),
        (lambda q: q.reshape(4, 2), (4, 2), (2, 1)),
        (lambda q: q.flatten(), (8,), (1,)),
        (lambda q: q[:, 1:3], (2, 2), (4, 1)),
        (lambda q: q[1], (4,), (1,)),
        (lambda q: q.unsqueeze(1), (2, 1, 4), (4, 4, 1)),
        (lambda q: q.unsqueeze(0).squeeze(), (2, 4), (4, 1)),
        (lambda q: q.expand(3, 2, 4), (3, 2, 4), (0, 4, 1)),
        (lambda q: q.chunk(2)[1], (1, 4), (4, 1)),
        (lambda q: q.detach(), (2, 4), (4, 1)),
    ],
)
def test_views_share_memory(q, view, sizes, strides):
    found = view(q)
    assert found.is_quantized and found.shape == sizes and found.stride() == strides
    assert (found.q_scale(), found.q_zero_point()) == (0.1, 10)
    assert found.int_repr().tolist() == view(q.int_repr()).tolist()
    assert found.untyped_storage() is q.untyped_storage()
    before = q._version
    found.fill_(1.0)
    assert q._version == before + 1
    assert 20 in q.int_repr().flatten().tolist()


def test_views_per_channel(channels):
    assert channels[:, :2].q_per_channel_axis() == 0
    assert channels.unsqueeze(0).q_per_channel_axis() == 1
    assert channels.unsqueeze(0).squeeze().q_per_channel_axis() == 0
    row = channels[1]
    assert row.qscheme() is gn.per_tensor_affine and row.q_zero_point() == 0
    assert row.q_scale() == gn.tensor(0.01).item()
    assert channels.select(1, 0).q_per_channel_axis() == 0
    for view in (lambda q: q.t(), lambda q: q.permute(1, 0), lambda q: q.expand(2, 2, 3)):
        with pytest.raises(RuntimeError, match="Setting strides is possible only on uniformly quantized"):
            view(channels)
    with pytest.raises(RuntimeError, match="length of scales must equal to channel, expected 6 got, 2"):
        channels.view(6)


def test_copies(q, channels, x):
    clone = q.clone()
    assert clone.equal(q) and clone.untyped_storage() is not q.untyped_storage()
    assert q.t().clone().stride() == (1, 4) and q.t().contiguous().stride() == (2, 1)
    assert channels.clone().equal(channels)
    target = gn._empty_affine_quantized([2, 4], scale=0.5, zero_point=0, dtype=gn.quint8)
    assert target.copy_(gn.ones(2, 4)) is target and target.int_repr().tolist() == [[2] * 4] * 2
    target.copy_(q)  # with the quantizer
    assert target.equal(q) and target.q_zero_point() == 10
    q[0] = gn.tensor([1.0, 2.0, 3.0, 4.0])
    assert q.int_repr()[0].tolist() == [20, 30, 40, 50]
    with pytest.raises(RuntimeError, match="Copying from quantized Tensor to non-quantized"):
        x.copy_(q)
    with pytest.raises(RuntimeError, match="expected a source of dtype quint8, got qint8"):
        q.copy_(gn.quantize_per_tensor(x, 0.1, 0, gn.qint8))
    with pytest.raises(RuntimeError, match="Creation of quantized tensor requires quantized dtype"):
        q.to(gn.float32)
    assert q.to("cpu") is q


def test_numbers_are_quantized_when_they_are_assigned(q):
    q[0, 1] = 3.0
    q[1] = 2
    assert q.int_repr().tolist() == [[0, 40, 20, 32], [30, 30, 30, 30]]


@pytest.mark.parametrize(
    "create",
    [
        lambda: gn.empty(2, dtype=gn.qint8),
        lambda: gn.empty_strided((2,), (1,), dtype=gn.quint8),
        lambda: gn.empty_like(gn.ones(2), dtype=gn.qint32),
        lambda: gn.zeros(2, dtype=gn.qint8),
        lambda: gn.ones(2).to(gn.qint8),
        lambda: gn.tensor([1, 2], dtype=gn.quint8),
    ],
)
def test_no_tensor_of_such_a_dtype_is_without_quantizer(create):
    with pytest.raises(RuntimeError, match=r"needs a quantizer|not supported for quantized types"):
        create()


def test_moved_elements(q):
    assert gn.cat([q, q]).int_repr().tolist() == INTEGERS * 2
    other = gn.quantize_per_tensor(gn.ones(1, 4), 0.5, 0, gn.quint8)
    joined = gn.cat([q, other])
    assert joined.q_scale() == 0.1 and joined.int_repr()[2].tolist() == [20] * 4
    assert gn.stack([q, q], 1).shape == (2, 2, 4)
    assert q.index_select(1, gn.tensor([3, 0])).int_repr().tolist() == [[32, 0], [255, 14]]
    assert q.flip(0).int_repr().tolist() == INTEGERS[::-1]
    with pytest.raises(RuntimeError, match="All dtypes must be the same"):
        gn.cat([q, gn.quantize_per_tensor(gn.ones(1, 4), 0.5, 0, gn.qint8)])


def test_elements(q):
    assert q.relu().int_repr().tolist() == [[10, 10, 20, 32], [14, 10, 255, 255]]
    assert q.clamp(0, 1).int_repr().tolist() == [[10, 10, 20, 20], [14, 10, 20, 20]]
    assert q.masked_fill(q.int_repr() > 30, 0.0).int_repr().tolist() == [[0, 10, 20, 10], [14, 10, 10, 10]]
    found = q.sigmoid()
    assert (found.q_scale(), found.q_zero_point()) == (1 / 256, 0)
    assert found.int_repr().tolist() == [[69, 128, 187, 230], [153, 128, 255, 255]]
    found = q.tanh()
    assert (found.q_scale(), found.q_zero_point()) == (2 / 256, 128)
    assert found.int_repr().tolist() == [[31, 128, 225, 253], [177, 128, 255, 255]]
    assert q[0, 3].item() == gn.tensor(2.2).item()


def test_order(q):
    assert q.max().int_repr().item() == 255 and q.min().dequantize().item() == -1.0
    values, indices = q.max(1)
    assert values.int_repr().tolist() == [32, 255] and indices.tolist() == [3, 2]
    values, indices = q.sort(descending=True)
    assert values.int_repr().tolist()[0] == [32, 20, 10, 0] and indices.tolist()[0] == [3, 2, 1, 0]
    values, indices = q.topk(1)
    assert values.q_scale() == 0.1 and values.int_repr().tolist() == [[32], [255]]
    assert q.mean().is_quantized and q[0].mean().int_repr().item() == 16
    assert (q < 0.5).tolist() == [[True, True, False, False], [True, True, False, False]]
    assert (q == q).all().item() and q.eq(1.0).tolist()[0] == [False, False, True, False]


def test_halves_in_means(device):
    """Means of integers over the last dimensions, of the numbers over others: the same on every backend."""

    def of(numbers: list[int], *sizes: int) -> gn.Tensor:
        held = gn.tensor(numbers, dtype=gn.int8, device=device).reshape(sizes)
        return gn._make_per_tensor_quantized_tensor(held, 0.05, 3)

    q = of([3, -7, -7, 2, -4, 4, -3, 8, 3, 4, 6, 5, 2, 1, 3, 6], 2, 4, 2)  # sums of -4 and 30, of 8
    assert q.mean((1, 2)).int_repr().tolist() == q.mean((2, -2)).int_repr().tolist() == [0, 4]
    assert q.mean().int_repr().tolist() == 2  # of 1.625
    assert of([4, 3, 5, 6], 2, 2).mean(1, True).int_repr().tolist() == [[4], [6]]  # of 3.5 and 5.5
    # the float32 sum of such numbers is above or below a half, which depends on the order of the terms
    assert of([4, 2, -5, -8, 4, 0], 6, 1).mean(0).int_repr().tolist() == [0]
    assert of([0, 4, 1, -7, 7, 4], 6, 1).mean(0).int_repr().tolist() == [2]


def test_equal(q, x):
    assert q.equal(q.clone()) and not q.equal(x)
    assert not q.equal(gn._make_per_tensor_quantized_tensor(q.int_repr(), 0.2, 10))
    assert not q.equal(gn._make_per_tensor_quantized_tensor(q.int_repr(), 0.1, 9))


def test_pooling(q):
    image = q.view(1, 1, 2, 4)
    found = gn.nn.functional.max_pool2d(image, 2)
    assert found.is_quantized and found.int_repr().tolist() == [[[[14, 255]]]]
    assert gn.quantized_max_pool2d(image, [2, 2]).equal(found)
    assert gn.quantized_max_pool1d(q.view(1, 2, 4), [2]).int_repr().tolist() == [[[10, 32], [14, 255]]]
    assert gn.nn.functional.avg_pool2d(image, 2).int_repr().tolist() == [[[[8, 140]]]]
    assert gn.nn.functional.interpolate(image, scale_factor=2).shape == (1, 1, 4, 8)


def test_no_kernel(q, x):
    for call, name in [
        (lambda: q + q, "add.Tensor"),
        (lambda: q.exp(), "exp"),
        (lambda: q.argmax(), "argmax"),
        (lambda: gn.quantize_per_tensor(q, 0.1, 0, gn.qint8), "quantize_per_tensor"),
    ]:
        with pytest.raises(NotImplementedError) as refused:
            call()
        assert str(refused.value).startswith(
            f"Could not run 'aten::{name}' with arguments from the 'QuantizedCPU' backend: there is no"
        )
    for name in ("q_scale", "q_zero_point", "int_repr", "qscheme"):
        with pytest.raises(NotImplementedError, match=f"Could not run 'aten::{name}' .* the 'CPU' backend"):
            getattr(x, name)()


def test_refused(q, x):
    for call, text in [
        (lambda: gn.quantize_per_tensor(x, 0.1, 300, gn.quint8), "zero_point 300 is above upper bound"),
        (lambda: gn.quantize_per_tensor(x, 0.1, -1, gn.quint8), "zero_point -1 is below lower bound"),
        (lambda: gn.quantize_per_tensor(x, 0.1, 0, gn.int8), "ScalarType Char is not supported"),
        (lambda: gn.quantize_per_tensor(x.double(), 0.1, 0, gn.qint8), "only works on Float Tensor, got Dou"),
        (
            lambda: gn.quantize_per_channel(x, gn.ones(1), gn.zeros(2).long(), 0, gn.qint8),
            "number of elements in scales and zero_points must match",
        ),
        (
            lambda: gn.quantize_per_channel(x, gn.ones(2), gn.zeros(2).long(), 3, gn.qint8),
            r"Channel axis out of range in per channel affine quantization. Got: 3Expected: \[0, 2\)",
        ),
        (
            lambda: gn.quantize_per_channel(x, gn.ones(2), gn.zeros(2).long(), 1, gn.qint8),
            "length of scales must equal to channel, expected 4 got, 2",
        ),
        (lambda: q.requires_grad_(), "only Tensors of floating point dtype can require gradients"),
        (lambda: q.tolist(), "load_scalar: invalid type"),
        (lambda: q.is_signed(), "isSignedType not supported for quantized types"),
        (lambda: gn.promote_types(gn.qint8, gn.float32), "offending types: QInt8 Float"),
    ]:
        with pytest.raises(RuntimeError, match=text):
            call()
    with pytest.raises(TypeError, match="Got unsupported ScalarType QUInt8"):
        q.numpy()
    with pytest.raises(NotImplementedError, match="not implemented for dtype qint8"):
        gn.iinfo(gn.qint8)


def test_numbers_that_require_grad_are_quantized_without_history():
    x = gn.ones(3, requires_grad=True)
    assert not gn.quantize_per_tensor(x, 0.1, 0, gn.qint8).dequantize().requires_grad
    assert gn.tensor([1, 2]).dequantize().dtype is gn.float32


def test_copies_pickles_and_files(q, channels):
    everything = [q, channels, q.t(), q.qscheme(), gn.qint8]
    file = io.BytesIO()
    gn.save(everything, file)
    file.seek(0)
    for found in (copy.deepcopy(everything), pickle.loads(pickle.dumps(everything)), gn.load(file)):
        assert found[0].equal(q) and found[1].equal(channels) and found[2].stride() == (1, 4)
        assert found[3] is gn.per_tensor_affine and found[4] is gn.qint8
        assert found[0].untyped_storage() is not q.untyped_storage()
    found = copy.deepcopy([q, q.t()])
    assert found[0].untyped_storage() is found[1].untyped_storage()
    assert copy.copy(q).untyped_storage() is q.untyped_storage()
