"""linear and convolutions of quantized tensors, their modules, and observers."""

import io

import pytest

import gnomon as gn
from gnomon.ao.nn import quantized as nnq
from gnomon.ao.quantization import MinMaxObserver, PerChannelMinMaxObserver

F = nnq.functional


def test_linear_by_hand(device: str):
    x = gn.quantize_per_tensor(gn.tensor([[1.0, 2.0], [-1.0, 0.5]], device=device), 0.5, 4, gn.quint8)
    w = gn.quantize_per_tensor(gn.tensor([[1.0, -1.0], [0.5, 0.25]], device=device), 0.25, 0, gn.qint8)
    bias = gn.tensor([0.5, -1.0], device=device)
    found = F.linear(x, w, bias, 0.25, 10)
    assert found.dtype is gn.quint8 and (found.q_scale(), found.q_zero_point()) == (0.25, 10)
    assert found.dequantize().tolist() == [[-0.5, 0.0], [-1.0, -1.5]]  # -1.375 is a half
    assert F.linear(x[0], w).shape == (2,) and F.linear(x, w).q_scale() == 0.5
    per_channel = gn.quantize_per_channel(
        w.dequantize(),
        gn.tensor([0.25, 0.125], device=device),
        gn.zeros(2, device=device).long(),
        0,
        gn.qint8,
    )
    assert F.linear(x, per_channel, bias, 0.25, 10).equal(found)
    shifted = gn._make_per_tensor_quantized_tensor(w.int_repr() + 3, 0.25, 3)
    assert F.linear(x, shifted, bias, 0.25, 10).equal(found)


@pytest.mark.parametrize("groups", [1, 2])
def test_conv2d_is_that_of_the_numbers(groups):
    generator = gn.Generator().manual_seed(0)
    x = gn.quantize_per_tensor(gn.randn(2, 4, 7, 6, generator=generator), 0.05, 100, gn.quint8)
    w = gn.quantize_per_tensor(gn.randn(6, 4 // groups, 3, 2, generator=generator), 0.03, 0, gn.qint8)
    bias = gn.randn(6, generator=generator)
    found = F.conv2d(x, w, bias, (2, 1), (1, 1), 1, groups, scale=0.1, zero_point=128)
    numbers = gn.nn.functional.conv2d(x.dequantize(), w.dequantize(), bias, (2, 1), (1, 1), groups=groups)
    assert found.shape == numbers.shape and found.is_contiguous(memory_format=gn.channels_last)
    assert (found.dequantize() - numbers.clamp(-12.8, 12.7)).abs().max() <= 0.0501
    line = F.conv1d(x[:, :, 0], w[:, :, 0], bias, 1, 1, 1, groups, scale=0.1, zero_point=128)
    assert line.shape == (2, 6, 7)


def test_refused():
    x, w = gn.quantize_per_tensor(gn.ones(2, 3), 0.1, 0, gn.quint8), gn.ones(4, 3)
    q = gn.quantize_per_tensor(w, 0.1, 0, gn.qint8)
    for call, text in [
        (lambda: F.linear(x, w), "linear: expected weight of dtype qint8, got float32"),
        (lambda: F.linear(q, q), "linear: expected input of dtype quint8, got qint8"),
        (lambda: F.linear(x, q, gn.ones(4).double()), "linear: expected bias of dtype float32"),
        (
            lambda: F.linear(x[:, :2], q),
            r"linear: input of sizes \[2, 2\] does not fit weight of sizes \[4, 3\]",
        ),
        (lambda: F.conv1d(x[None], q[..., None], None), "conv: input of sizes"),
    ]:
        with pytest.raises(RuntimeError, match=text):
            call()
    with pytest.raises(ValueError, match="Input shape must be"):
        F.conv2d(x, q, None)


def test_observers():
    observer = MinMaxObserver()
    observer(gn.tensor([-1.0, 0.5]))
    observer(gn.tensor([2.0]))
    scale, zero_point = observer.calculate_qparams()
    assert scale.tolist() == (gn.tensor([3.0]) / 255).tolist() and zero_point.tolist() == [85]
    channels = PerChannelMinMaxObserver()
    channels(gn.tensor([[1.0, -2.55], [0.5, 0.1]]))
    scale, zero_point = channels.calculate_qparams()
    assert gn.allclose(scale, gn.tensor([0.02, 0.5 / 127.5])) and zero_point.tolist() == [0, 0]


def observed(module, x):
    module.activation_post_process = MinMaxObserver()
    module.activation_post_process(module(x))
    return module


def test_modules_from_float():
    gn.manual_seed(0)
    linear = gn.nn.Linear(5, 3)
    x = gn.randn(40, 5)
    made = nnq.Linear.from_float(observed(linear, x))
    q = gn.quantize_per_tensor(x, 0.03, 128, gn.quint8)
    found = gn.nn.Sequential(nnq.Quantize(0.03, 128, gn.quint8), made, nnq.DeQuantize())(x)
    assert found.equal(made(q).dequantize()) and (found - linear(x)).abs().max() < 0.1
    assert made.weight().dtype is gn.qint8 and "scale=" in repr(made)
    file = io.BytesIO()
    gn.save(made.state_dict(), file)
    file.seek(0)
    again = nnq.Linear(5, 3)
    again.load_state_dict(gn.load(file))
    assert again(q).equal(made(q))
    conv = gn.nn.Conv2d(2, 4, 3, padding=1)
    image = gn.randn(2, 2, 5, 5)
    quantized = nnq.Conv2d.from_float(observed(conv, image))
    result = quantized(gn.quantize_per_tensor(image, 0.03, 128, gn.quint8)).dequantize()
    assert (result - conv(image)).abs().max() < 0.15
    with pytest.raises(AttributeError, match="needs activation_post_process"):
        nnq.Linear.from_float(gn.nn.Linear(2, 2))


@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("per_channel", [False, True])
def test_linear_and_conv_beside_pytorch(per_channel):
    torch = pytest.importorskip("torch")

    def weights(*sizes):
        w = torch.randn(*sizes, generator=generator) * 0.2
        if not per_channel:
            scale = w.abs().max().item() / 127
            theirs = torch.quantize_per_tensor(w, scale, 0, torch.qint8)
            return theirs, gn.quantize_per_tensor(gn.tensor(w.tolist()), scale, 0, gn.qint8)
        scales, zeros = w.abs().flatten(1).amax(1) / 127, [0] * sizes[0]
        theirs = torch.quantize_per_channel(w, scales, torch.tensor(zeros), 0, torch.qint8)
        ours = gn.tensor(w.tolist()), gn.tensor(scales.tolist()), gn.tensor(zeros)
        return theirs, gn.quantize_per_channel(*ours, 0, gn.qint8)

    generator = torch.Generator().manual_seed(0)
    for m, k, n in ((3, 8, 5), (16, 64, 32), (7, 33, 9), (1, 100, 10)):
        # 7 bits: with 8, PyTorch's sums of two products may saturate
        x, bias = torch.rand(m, k, generator=generator) * 4 - 1.5, torch.randn(n, generator=generator)
        theirs, ours = weights(n, k)
        q = torch.quantize_per_tensor(x, 4 / 127, 48, torch.quint8)
        packed = torch.ops.quantized.linear_prepack(theirs, bias)
        expected = torch.ops.quantized.linear(q, packed, 0.0371, 60)
        own = gn.quantize_per_tensor(gn.tensor(x.tolist()), 4 / 127, 48, gn.quint8)
        found = F.linear(own, ours, gn.tensor(bias.tolist()), 0.0371, 60)
        assert found.int_repr().tolist() == expected.int_repr().tolist()
    for groups in (1, 2):
        x = torch.rand(2, 4, 9, 8, generator=generator) * 4 - 1.5
        theirs, ours = weights(6, 4 // groups, 3, 3)
        bias = torch.randn(6, generator=generator)
        q = torch.quantize_per_tensor(x, 4 / 127, 48, torch.quint8)
        packed = torch.ops.quantized.conv2d_prepack(theirs, bias, [2, 1], [1, 1], [1, 1], groups)
        expected = torch.ops.quantized.conv2d(q, packed, 0.0371, 60)
        own = gn.quantize_per_tensor(gn.tensor(x.tolist()), 4 / 127, 48, gn.quint8)
        found = F.conv2d(
            own, ours, gn.tensor(bias.tolist()), (2, 1), 1, 1, groups, scale=0.0371, zero_point=60
        )
        assert found.int_repr().tolist() == expected.int_repr().tolist()
        assert found.stride() == expected.stride()
