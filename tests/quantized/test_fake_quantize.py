"""fake_quantize: results, gradients, errors, and PyTorch's results beside ours."""

import math

import pytest

import gnomon as gn

NUMBERS = [-3.0, -0.26, 0.0, 0.25, 0.35, 5.0, math.nan, math.inf]


def test_per_tensor(device: str):
    x = gn.tensor(NUMBERS, device=device, requires_grad=True)
    found = gn.fake_quantize_per_tensor_affine(x, 0.1, 0, -10, 20)
    assert found.dtype is gn.float32
    assert gn.allclose(found, gn.tensor([-1.0, -0.3, 0.0, 0.2, 0.4, 2.0, -1.0, 2.0], device=device))
    assert found.grad_fn.name() == "FakeQuantizePerTensorAffineCachemaskBackward0"
    found.backward(gn.full((8,), 3.0, device=device))
    assert x.grad.tolist() == [0.0, 3.0, 3.0, 3.0, 3.0, 0.0, 0.0, 0.0]


def test_parameters_in_tensors(device: str):
    x = gn.tensor(NUMBERS[:6], device=device, requires_grad=True)
    scale, zero_point = gn.tensor([0.1], device=device), gn.tensor([2], device=device)
    found = gn.fake_quantize_per_tensor_affine(x, scale, zero_point, -10, 20)
    assert gn.allclose(found, gn.tensor([-1.2, -0.3, 0.0, 0.2, 0.4, 1.8], device=device))
    found.sum().backward()
    assert x.grad.tolist() == [0.0, 1.0, 1.0, 1.0, 1.0, 0.0]
    off = gn.zeros(1, dtype=gn.int32, device=device)
    function = gn.ops.aten._fake_quantize_per_tensor_affine_cachemask_tensor_qparams
    output, mask = function(x, scale, zero_point, off, -10, 20)
    assert output.equal(x) and mask.dtype is gn.bool and mask.all()


def test_per_channel(device: str):
    x = gn.tensor(NUMBERS[:6], device=device).view(2, 3).requires_grad_()
    scale = gn.tensor([0.1, 0.2], device=device)
    zero_point = gn.tensor([2, 1], dtype=gn.int32, device=device)
    found = gn.fake_quantize_per_channel_affine(x, scale, zero_point, 0, -10, 20)
    assert gn.allclose(found, gn.tensor([[-1.2, -0.3, 0.0], [0.2, 0.4, 3.8]], device=device))
    found.sum().backward()
    assert x.grad.tolist() == [[0.0, 1.0, 1.0], [1.0, 1.0, 0.0]]


def test_refused():
    x, scale, zero_point = gn.ones(2, 3), gn.ones(2), gn.zeros(2, dtype=gn.int32)
    tensor, channel = gn.fake_quantize_per_tensor_affine, gn.fake_quantize_per_channel_affine
    for call, text in [
        (lambda: tensor(x, 0.1, 30, -10, 20), "`zero_point` must be between `quant_min` and `quant_max`"),
        (lambda: tensor(x, 0.1, 0, 10, -20), "`quant_min` should be less than or equal to `quant_max`"),
        (
            lambda: channel(x, scale, zero_point.long(), 0, -9, 9),
            "Zero-point must be Int32, Float or Half, f",
        ),
        (lambda: channel(x, scale.double(), zero_point, 0, -9, 9), "Scale must be Float or BFloat16, found"),
        (lambda: channel(x, scale, zero_point[:1], 0, -9, 9), "need to have the same dimensions"),
        (lambda: channel(x, scale, zero_point, 1, -9, 9), "are not consistent with input tensor"),
        (lambda: channel(x, scale, zero_point + 100, 0, -9, 9), "`zero_point` must be between"),
    ]:
        with pytest.raises(RuntimeError, match=text):
            call()
    with pytest.raises(RuntimeError, match="is not differentiable with respect to argument 'scale'"):
        channel(x, scale.clone().requires_grad_(), zero_point, 0, -9, 9)
    with pytest.raises(NotImplementedError, match="not implemented for dtype int64"):
        tensor(x.long(), 0.1, 0, -10, 20)


@pytest.mark.oracle
@pytest.mark.parametrize("kind", ["float16", "bfloat16", "float32", "float64"])
def test_beside_pytorch(kind):
    torch = pytest.importorskip("torch")
    halves = (torch.arange(600) - 300 + 0.5) * 0.1
    x = torch.cat([halves, torch.randn(600, generator=torch.Generator().manual_seed(0)) * 8])
    theirs = x.to(getattr(torch, kind))
    ours = gn.tensor(theirs.tolist(), dtype=getattr(gn, kind))
    for zero_point in (0, 3, -7):
        expected = torch.fake_quantize_per_tensor_affine(theirs, 0.1, zero_point, -128, 127)
        found = gn.fake_quantize_per_tensor_affine(ours, 0.1, zero_point, -128, 127)
        assert found.dtype is ours.dtype and found.tolist() == expected.tolist()
    scales, points = [0.1, 0.3], [3, -2]
    expected = torch.fake_quantize_per_channel_affine(
        theirs.view(-1, 2), torch.tensor(scales), torch.tensor(points, dtype=torch.int32), 1, -128, 127
    )
    found = gn.fake_quantize_per_channel_affine(
        ours.view(-1, 2), gn.tensor(scales), gn.tensor(points, dtype=gn.int32), 1, -128, 127
    )
    assert found.tolist() == expected.tolist()
