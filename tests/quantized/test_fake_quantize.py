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


def test_learned_parameters_have_gradients(device: str):
    x = gn.tensor([-3.0, 0.25, 0.35, 5.0], device=device, requires_grad=True)
    scale = gn.tensor([0.5], device=device, requires_grad=True)
    point = gn.tensor([1.25], device=device, requires_grad=True)
    found = gn._fake_quantize_learnable_per_tensor_affine(x, scale, point, -4, 7, 0.5)
    assert found.tolist() == [-2.5, 0.0, 0.5, 3.0]
    assert found.grad_fn.name() == "FakeQuantizeLearnablePerTensorAffineBackward0"
    found.sum().backward()
    assert x.grad.tolist() == [0.0, 1.0, 1.0, 0.0]
    # the limits are -5 and 6 steps from the zero point; what was rounded off is -0.25 and 0.15
    rounded_off = gn.tensor([-0.25, 0.15]).div(0.5).sum().item()
    assert scale.grad.tolist() == pytest.approx([0.5 * (-5 + 6 + rounded_off)], abs=1e-6)
    assert point.grad.tolist() == [0.5 * 2 * -0.5]
    with pytest.raises(RuntimeError, match="quantization range should include 0"):
        gn._fake_quantize_learnable_per_tensor_affine(x, scale, point, 1, 7).sum().backward()


def test_learned_parameters_by_channel(device: str):
    x = gn.tensor([[-3.0, 0.25], [0.75, 5.0]], device=device, requires_grad=True)
    scale = gn.tensor([0.5, 1.0], device=device, requires_grad=True)
    point = gn.tensor([1.0, -9.0], device=device, requires_grad=True)
    found = gn._fake_quantize_learnable_per_channel_affine(x, scale, point, 0, -4, 3)
    assert found.tolist() == [[-2.5, 0.0], [1.0, 5.0]]
    found.sum().backward()
    assert x.grad.tolist() == [[0.0, 1.0], [1.0, 1.0]]
    assert scale.grad.tolist() == [-5.5, 0.25] and point.grad.tolist() == [-0.5, 0.0]


def test_observed_ranges(device: str):
    x = gn.tensor([[1.0, -2.0, 3.0], [4.0, 0.25, 6.0]], device=device, requires_grad=True)
    on, off = (gn.tensor([each], device=device) for each in (1, 0))
    low, high = (gn.tensor([each], device=device) for each in (math.inf, -math.inf))
    scale, point = gn.ones(1, device=device), gn.zeros(1, dtype=gn.int32, device=device)
    state = (low, high, scale, point)
    found = gn.fused_moving_avg_obs_fake_quant(x, on, on, *state, 0.5, 0, 16, -1)
    assert (low.item(), high.item(), scale.item(), point.item()) == (-2.0, 6.0, 0.5, 4)
    assert found.tolist() == [[1.0, -2.0, 3.0], [4.0, 0.0, 6.0]]
    found.sum().backward()
    assert x.grad.tolist() == [[1.0] * 3] * 2
    assert gn.fused_moving_avg_obs_fake_quant(x + 2, on, off, *state, 0.5, 0, 16, -1).equal(x + 2)
    assert (low.item(), high.item(), scale.item()) == (-1.0, 7.0, 0.5)  # only the range moved
    rows = [gn.empty(0, device=device) for _ in range(3)] + [gn.empty(0, dtype=gn.int32, device=device)]
    gn.fused_moving_avg_obs_fake_quant(x, on, on, *rows, 0.5, -8, 7, 0, True, True)
    assert [each.tolist() for each in rows[:2]] == [[-2.0, 0.25], [3.0, 6.0]]
    assert rows[2].tolist() == pytest.approx([3 / 7, 6 / 15]) and rows[3].tolist() == [0, -8]
    with pytest.raises(RuntimeError, match="only supported on axis == 0"):
        gn.fused_moving_avg_obs_fake_quant(x, on, on, *rows, 0.5, -8, 7, 1, True)
    empty = x.detach()[:0]
    assert gn.fused_moving_avg_obs_fake_quant(empty, on, on, *state, 0.5, 0, 16, -1).shape == (0, 3)


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


@pytest.mark.oracle
@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("by_row", [False, True])
def test_observed_beside_pytorch(by_row, symmetric):
    """Ranges over three steps, parameters and results, of numbers of very different sizes."""
    torch = pytest.importorskip("torch")
    for factor, shift, seed in ((1e-6, 0.0, 0), (0.01, 0.5, 1), (1.0, -0.3, 2), (100.0, -300.0, 3)):
        kinds, lengths = ["float32"] * 3 + ["int32"], 3 if by_row else 1
        theirs, ours = (
            [
                library.full((lengths,), number, dtype=getattr(library, kind))
                for number, kind in zip((math.inf, -math.inf, 1, 0), kinds)
            ]
            for library in (torch, gn)
        )
        for step in range(3):
            x = torch.randn(3, 40, generator=torch.Generator().manual_seed(seed + 10 * step)) * factor + shift
            options = (0.3, -128, 127, 0, by_row, symmetric)
            expected = torch.fused_moving_avg_obs_fake_quant(
                x, torch.tensor(1), torch.tensor(1), *theirs, *options
            )
            found = gn.fused_moving_avg_obs_fake_quant(
                gn.tensor(x.tolist()), gn.tensor(1), gn.tensor(1), *ours, *options
            )
            assert [each.tolist() for each in ours] == [each.tolist() for each in theirs]
            assert found.tolist() == expected.tolist()


@pytest.mark.oracle
def test_learned_beside_pytorch():
    torch = pytest.importorskip("torch")
    x = torch.randn(4, 50, generator=torch.Generator().manual_seed(0)) * 8
    for points in ([2.25, -3.5, 0.5, 1.5], [-2.75, -200.0, 200.0, -0.5]):
        found = []
        for library in (torch, gn):
            numbers = [library.tensor(each) for each in (x.tolist(), [0.1, 0.3, 0.05, 1.7], points)]
            for each in numbers:
                each.requires_grad_()
            data, scale, point = numbers
            channel = library._fake_quantize_learnable_per_channel_affine(
                data, scale, point, 0, -128, 127, 0.7
            )
            tensor = library._fake_quantize_learnable_per_tensor_affine(data, scale[:1], point[:1], -128, 127)
            (channel * 2 + tensor).square().sum().backward()
            found.append([channel.tolist(), tensor.tolist(), *[each.grad.tolist() for each in numbers]])
        assert found[1][:3] == found[0][:3]
        for mine, wanted in zip(found[1][3:], found[0][3:]):
            assert mine == pytest.approx(wanted, rel=1e-5, abs=2e-3)  # terms of thousands nearly cancel
