"""Activations, normalizations, products and dynamic layers of gnomon.ops.quantized."""

import pytest

import gnomon as gn
from quantized_calls import numbers, outcome, quantized

pytestmark = pytest.mark.filterwarnings("ignore")

Q = gn.ops.quantized


def held(integers, *sizes, kind=gn.uint8, scale=0.5, zero_point=3, device=None):
    x = gn.tensor(integers, dtype=kind, device=device).reshape(sizes)
    return gn._make_per_tensor_quantized_tensor(x, scale, zero_point)


def test_activations_by_hand(device):
    q = held([1, 3, 5, 9, 15], 5, device=device)  # -1, 0, 1, 3, 6
    found = Q.hardswish(q, 0.25, 2)
    assert (found.q_scale(), found.q_zero_point()) == (0.25, 2)
    assert found.int_repr().tolist() == [1, 2, 5, 14, 26]  # -1/3, 0, 2/3, 3, 6
    assert Q.elu(q, 0.25, 4).int_repr().tolist() == [1, 4, 8, 16, 28]
    assert Q.celu(q, 0.25, 4, 2.0).int_repr().tolist() == [1, 4, 8, 16, 28]  # 2 * (exp(-1/2) - 1) = -0.787
    weight = held([1], 1, scale=1.0, zero_point=3, device=device)  # -2
    assert Q.prelu(q, weight, 0.5, 0).int_repr().tolist() == [4, 0, 2, 6, 12]
    rows = held([1, 5, 1, 5], 2, 2, device=device)
    each = held([3, 4], 2, scale=1.0, device=device)  # 0 and 1
    assert gn.nn.functional.prelu(rows, each).int_repr().tolist() == [[3, 5], [3, 5]]
    assert Q.dropout(q, 1.0, 0) is q
    with pytest.raises(RuntimeError, match="prelu: expected a weight of 1 element"):
        Q.prelu(rows, held([1, 2, 3], 3, device=device), 0.5, 0)
    with pytest.raises(RuntimeError, match="alpha cannot be 0"):
        Q.celu(q, 0.25, 4, 0.0)
    for call in (Q.hardswish, Q.elu, Q.celu):
        with pytest.raises(NotImplementedError, match=f"Could not run 'quantized::{call.__name__}'"):
            call(gn.ones(3), 0.25, 2)
        with pytest.raises(RuntimeError, match="zero_point 300 is above upper bound"):
            call(q, 0.25, 300)


def test_normalizations_by_hand(device):
    q = held([1, 5, 1, 5], 1, 2, 1, 2, device=device)  # -1 and 1
    one, half = gn.ones(2, device=device), gn.full((2,), 0.5, device=device)
    zero = gn.zeros(2, device=device)
    assert Q.layer_norm(q, [2], half, one, 0.0, 0.25, 1).int_repr().flatten().tolist() == [3, 7, 3, 7]
    assert Q.instance_norm(q, one, zero, 0.0, 0.5, 4).int_repr().flatten().tolist() == [2, 6, 2, 6]
    assert Q.group_norm(q, 1, None, None, 0.0, 0.5, 4).int_repr().flatten().tolist() == [2, 6, 2, 6]
    found = Q.batch_norm2d(q, half, one, zero, one * 4, 0.0, 0.25, 0)  # x / 4 + 1
    assert found.int_repr().flatten().tolist() == [3, 5, 3, 5]
    above = Q.batch_norm2d_relu(q, one, zero, zero, one, 0.0, 0.5, 3)
    assert above.int_repr().flatten().tolist() == [3, 5, 3, 5]
    assert gn.quantized_batch_norm(q, half, one, zero, one * 4, 0.0, 0.25, 0).equal(found)
    assert Q.softmax(q, -1, 1 / 256, 0).int_repr().flatten().tolist() == [31, 225, 31, 225]
    for call, text in (
        (lambda: Q.batch_norm2d(q, None, zero, zero, one, 0.0, 0.5, 3), "Weight must be provided"),
        (lambda: Q.batch_norm2d(q, one, None, zero, one, 0.0, 0.5, 3), "Bias must be provided"),
        (lambda: Q.batch_norm3d(q, one, zero, zero, one, 0.0, 0.5, 3), "expected 5 dimensions, got 4"),
        (lambda: Q.layer_norm(q, [3], None, None, 0.0, 0.5, 3), "normalized_shape"),
    ):
        with pytest.raises(RuntimeError, match=text):
            call()


def test_matmul_by_hand(device):
    a = held([1, 5, 3, 7], 2, 2, device=device)  # -1, 1; 0, 2
    b = held([5, 3, 4, 5], 2, 2, device=device)  # 1, 0; 0.5, 1
    found = Q.matmul(a, b, 0.5, 10)
    assert found.int_repr().tolist() == [[9, 12], [12, 14]] and found.dtype is gn.quint8
    with pytest.raises(RuntimeError, match="MatMul operands should have same data type"):
        Q.matmul(a, held([1], 1, kind=gn.int8, device=device), 0.5, 10)
    with pytest.raises(RuntimeError, match="MatMul operands should use QInt8 or QUInt8 data types"):
        Q.matmul(*[held([1], 1, 1, kind=gn.int32, device=device)] * 2, 0.5, 10)


def test_outputs():
    q = held([1, 3, 5], 3)
    out = held([0, 0, 0], 3, scale=0.25, zero_point=10)
    assert Q.add(q, q, out=out) is out and out.int_repr().tolist() == [2, 10, 18]
    assert Q.mul_relu_out(q, q, out) is out and out.int_repr().tolist() == [14, 10, 14]
    wide = held([0] * 6, 6, scale=1.0, zero_point=5)
    assert Q.cat_out([q, q], 0, wide).int_repr().tolist() == [4, 5, 6] * 2
    Q.add_scalar_out(q, 1.0, out)
    assert out.dequantize().tolist() == [0.0, 1.0, 2.0] and out.q_zero_point() == 1
    assert gn.cat([q, q], out=held([0] * 6, 6, scale=1.0, zero_point=5)).int_repr().tolist() == [4, 5, 6] * 2
    with pytest.raises(RuntimeError, match="out is not"):
        gn.cat([q, q], out=gn.zeros(6))


def weight(lib, *sizes, per_channel=False):
    return quantized(lib, *sizes, kind="qint8", scale=0.04, zero_point=0, seed=7, per_channel=per_channel)


def test_dynamic_linear_by_hand(device):
    x = gn.tensor([[0.0, 2.55], [1.0, -0.0]], device=device)  # its scale is 0.01
    rows = held([2, -4], 1, 2, kind=gn.int8, zero_point=0, device=device)
    packed = Q.linear_prepack(rows, gn.tensor([0.5]))
    found = Q.linear_dynamic(x, packed)
    assert found.dtype is gn.float32 and gn.allclose(found, gn.tensor([[-4.6], [1.5]], device=device))
    assert Q.linear_relu_dynamic(x, packed).tolist() == found.clamp_min(0).tolist()
    assert Q.linear_dynamic(gn.ones(0, 2, device=device), packed).shape == (0, 1)
    with pytest.raises(RuntimeError, match="only works on Float Tensor, got Double"):
        Q.linear_dynamic(x.double(), packed)
    with pytest.raises(RuntimeError, match="cannot be multiplied"):
        Q.linear_dynamic(gn.ones(2, 3, device=device), packed)


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("ndim", [1, 2, 3])
def test_transposed_convolutions_are_those_of_the_numbers(ndim, groups):
    geometry = [2, 1, 1][:ndim], [1, 0, 1][:ndim], [1, 0, 0][:ndim], [1, 2, 1][:ndim]
    stride, padding, extra, dilation = geometry
    kernel = weight(gn, 6, 4 // groups, *[3, 2, 2][:ndim])
    x = quantized(gn, 2, 6, *[5, 4, 3][:ndim], scale=0.06)
    bias = gn.tensor([0.5, 0.0, -1.0, 0.25])
    prepack, run = getattr(Q, f"conv_transpose{ndim}d_prepack"), getattr(Q, f"conv_transpose{ndim}d")
    packed = prepack(kernel, bias, *geometry, groups)
    assert packed.transpose() and packed.output_padding() == extra and packed.stride() == stride
    found = run(x, packed, 0.25, 120)
    function = getattr(gn.nn.functional, f"conv_transpose{ndim}d")
    exact = function(
        x.dequantize(), kernel.dequantize(), bias, stride, padding, extra, groups, dilation=dilation
    )
    assert found.shape == exact.shape
    assert (found.dequantize() - exact.clamp(-30.0, 33.75)).abs().max() <= 0.12501
    dynamic = getattr(Q, f"conv_transpose{ndim}d_dynamic")(x.dequantize(), packed)
    assert dynamic.dtype is gn.float32 and dynamic.shape == exact.shape


def test_refused_convolutions():
    kernel, x = weight(gn, 4, 3, 3, 3), quantized(gn, 1, 5, 5, 5)
    channels, prepack = weight(gn, 4, 3, 3, 3, per_channel=True), Q.conv_transpose2d_prepack
    packed = prepack(kernel, None, [1, 1], [0, 0], [0, 0], [1, 1], 1)
    for call, text in (
        (lambda: prepack(kernel, None, [1], [0, 0], [0, 0], [1, 1], 1), "stride should"),
        (lambda: prepack(kernel, None, [1, 1], [0, 0], [0], [1, 1], 1), "output_padding should"),
        (lambda: prepack(channels, None, [1, 1], [0, 0], [0, 0], [1, 1], 1), "expected the scheme"),
        (lambda: Q.conv_transpose2d(x, packed, 1.0, 0), "does not fit weight"),
        (lambda: Q.conv3d_prepack(kernel, None, [1] * 3, [0] * 3, [1] * 3, 1), "to have 5 dimensions"),
    ):
        with pytest.raises(RuntimeError, match=text):
            call()


def of_channels(lib):
    """weight, bias, mean and var of 4 channels."""
    scales, shifts, means, variances = (
        [0.5, 1.25, -1.0, 2.0],
        [0.1, -0.5, 0.0, 1.0],
        [0.2, -0.1, 0.0, 1.0],
        [0.5, 2.0, 1.0, 0.25],
    )
    return [lib.tensor(each) for each in (scales, shifts, means, variances)]


def slopes(lib, x, *numbers):
    return lib.quantize_per_tensor(lib.tensor(numbers), 0.01, 0, x.dtype)


def output(lib, x, *sizes):
    return lib._empty_affine_quantized(sizes, scale=0.1, zero_point=3, dtype=x.dtype)


def normalized(lib, q, x):
    return q.layer_norm(x, [8], lib.linspace(-1, 2, 8), lib.linspace(0, 1, 8), 1e-5, *TO)


# As many elements as PyTorch's vectors hold: it computes the rest by other steps.
SIZES = (2, 4, 4, 8)
TO = 0.04, 4
CASES = {
    "hardswish": lambda lib, q, x: q.hardswish(x, *TO),
    "elu": lambda lib, q, x: q.elu(x, *TO, 0.7, 1.3, 0.5),
    "celu": lambda lib, q, x: q.celu(x, *TO, 0.7),
    "prelu": lambda lib, q, x: q.prelu(x, slopes(lib, x, 0.25, 0.1, -0.3, 0.7), *TO),
    "F.prelu": lambda lib, q, x: lib.nn.functional.prelu(x, slopes(lib, x, 0.25)),
    "softmax": lambda lib, q, x: q.softmax(x, 1, 1 / 256, 0),
    "layer_norm": normalized,
    "layer_norm of two": lambda lib, q, x: q.layer_norm(x, [4, 8], None, None, 1e-5, *TO),
    "group_norm": lambda lib, q, x: q.group_norm(x, 2, *of_channels(lib)[:2], 1e-5, *TO),
    "instance_norm": lambda lib, q, x: q.instance_norm(x, *of_channels(lib)[:2], 1e-5, *TO),
    **{name: lambda lib, q, x, name=name: getattr(q, name)(x, *of_channels(lib), 1e-5, *TO)
       for name in ("batch_norm", "batch_norm2d", "batch_norm2d_relu", "batch_norm3d")},
    "batch_norm1d": lambda lib, q, x: q.batch_norm1d(x[:, :, 0], *of_channels(lib), 1e-5, *TO),
    "batch_norm3d of volumes": lambda lib, q, x: q.batch_norm3d(x[:, :, None], *of_channels(lib), 1e-5, *TO),
    "without weight": lambda lib, q, x: q.batch_norm2d(x, None, None, *of_channels(lib)[2:], 1e-5, *TO),
    "max_pool2d": lambda lib, q, x: q.max_pool2d(x, [2, 2], [2, 2], [0, 0], [1, 1], False),
    "dropout": lambda lib, q, x: q.dropout(x, *TO),
    **{f"{name}_out": lambda lib, q, x, name=name: getattr(q, f"{name}_out")(
           x, x.flip(0), output(lib, x, *SIZES))
       for name in ("add", "add_relu", "mul", "mul_relu")},
    "cat_out": lambda lib, q, x: q.cat_out([x, x], 0, output(lib, x, 4, *SIZES[1:])),
    "std": lambda lib, q, x: x.std((2, 3)),
    "std of all": lambda lib, q, x: x.std(),
    "std of others": lambda lib, q, x: x.std((0, 1), correction=2, keepdim=True),
    "relu": lambda lib, q, x: x.relu(),
    "leaky_relu": lambda lib, q, x: lib.nn.functional.leaky_relu(x, 0.1),
    "gelu": lambda lib, q, x: lib.nn.functional.gelu(x),
    "F.elu": lambda lib, q, x: lib.nn.functional.elu(x),
    "F.hardswish": lambda lib, q, x: lib.nn.functional.hardswish(x),
    "mean as float32": lambda lib, q, x: x.mean(dtype=lib.float32),
    "zero point of tanh": lambda lib, q, x: (x.tanh().q_scale(), x.tanh().q_zero_point()),
    "zero point of sigmoid": lambda lib, q, x: (x.sigmoid().q_scale(), x.sigmoid().q_zero_point()),
    "zero point of hardsigmoid": lambda lib, q, x: lib.nn.functional.hardsigmoid(x).q_zero_point(),
    "ones_like": lambda lib, q, x: lib.ones_like(x),
    "full_like": lambda lib, q, x: lib.full_like(x, 0.7),
    "fill_": lambda lib, q, x: x.fill_(0.3),
    "masked_fill": lambda lib, q, x: x.masked_fill(x.int_repr() > 3, lib.tensor(0.5)),
    "index_put_": lambda lib, q, x: x.index_put_((lib.tensor([1]),), lib.tensor(0.5)),
    "split": lambda lib, q, x: x.split(1),
    "unbind": lambda lib, q, x: x.unbind(0),
}  # fmt: skip


@pytest.mark.oracle
@pytest.mark.parametrize("kind", ["quint8", "qint8", "qint32"])
@pytest.mark.parametrize("name", CASES)
def test_beside_pytorch(name, kind):
    torch = pytest.importorskip("torch")
    found = {}
    for lib in (gn, torch):
        tensors = [quantized(lib, *SIZES, kind=kind, per_channel=many) for many in (False, True)]
        found[lib] = [outcome(CASES[name], lib, lib.ops.quantized, each) for each in tensors]
    assert found[gn] == found[torch]


def convolved(lib, name, ndim, groups, per_channel):
    """``name``: of a convolution or a transposed one, static or dynamic."""
    q, is_dynamic = lib.ops.quantized, name.endswith("dynamic")
    sizes = (6, 4 // groups) if "transpose" in name else (4, 6 // groups)
    kernel = weight(lib, *sizes, *[3, 2, 2][:ndim], per_channel=per_channel)
    geometry = [[2, 1, 1], [1, 0, 1], [1, 0, 0], [1, 2, 1]]
    geometry = [each[:ndim] for each in geometry if "transpose" in name or each is not geometry[2]]
    stem = "conv_transpose" if "transpose" in name else "conv"
    bias = lib.tensor([0.5, 0.0, -1.0, 0.25])
    packed = getattr(q, f"{stem}{ndim}d_prepack")(kernel, bias, *geometry, groups)
    x = numbers(lib, 2, 6, *[5, 4, 3][:ndim])
    if is_dynamic:
        return getattr(q, name)(x, packed)
    return getattr(q, name)(lib.quantize_per_tensor(x, 0.06, 60, lib.quint8), packed, 0.43, 40)


@pytest.mark.oracle
@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("per_channel", [False, True])
@pytest.mark.parametrize("ndim", [1, 2, 3])
def test_convolutions_beside_pytorch(ndim, per_channel, groups):
    torch = pytest.importorskip("torch")
    for name in ("conv_d", "conv_d_relu", "conv_d_dynamic", "conv_transpose_d", "conv_transpose_d_dynamic"):
        arguments = name.replace("_d", f"{ndim}d", 1), ndim, groups, per_channel
        assert outcome(convolved, gn, *arguments) == outcome(convolved, torch, *arguments)


@pytest.mark.oracle
@pytest.mark.parametrize("per_channel", [False, True])
@pytest.mark.parametrize("reduce_range", [False, True])
def test_dynamic_linear_beside_pytorch(per_channel, reduce_range):
    torch = pytest.importorskip("torch")
    found = []
    for lib in (gn, torch):
        q, bias = lib.ops.quantized, lib.tensor([0.5, -0.25, 0.125, 0.0, 1.0])
        packed = q.linear_prepack(weight(lib, 5, 16, per_channel=per_channel), bias)
        found.append(q.linear_dynamic(numbers(lib, 3, 16, seed=3), packed, reduce_range))
    ours, theirs = found
    assert (ours - gn.tensor(theirs.tolist())).abs().max() <= 2.0**-18 and ours.stride() == theirs.stride()
