"""Quantized tensors, and fake quantization with gradients."""

from __future__ import annotations

import gnomon as gn
from gnomon import Tensor


def range_of(x: Tensor, levels: int = 255) -> tuple[float, int]:
    low, high = x.aminmax()
    scale = (high - low).item() / levels
    return scale, round(-low.item() / scale)


x = gn.tensor([-1.0, -0.4, 0.0, 0.3, 1.55])
scale, zero_point = range_of(x)
q = gn.quantize_per_tensor(x, scale, zero_point, gn.quint8)
assert q.is_quantized and q.dtype == gn.quint8 and q.qscheme() == gn.per_tensor_affine
assert q.q_scale() == scale and q.q_zero_point() == zero_point == 100
assert q.int_repr().dtype is gn.uint8 and q.int_repr().tolist() == [0, 60, 100, 130, 255]
error: float = (q.dequantize() - x).abs().max().item()
assert error <= scale / 2 + 1e-6

weights = gn.tensor([[1.0, -2.0], [0.1, 0.05]])
scales = weights.abs().amax(dim=1) / 127
per_row = gn.quantize_per_channel(weights, scales, gn.zeros(2, dtype=gn.int64), axis=0, dtype=gn.qint8)
assert per_row.q_per_channel_axis() == 0 and gn.allclose(per_row.q_per_channel_scales().float(), scales)
assert per_row.int_repr().abs().amax(dim=1).tolist() == [127, 127]

trained = gn.tensor([-5.0, 0.5, 5.0], requires_grad=True)
fake = gn.fake_quantize_per_tensor_affine(trained, 0.1, 0, -10, 10)
fake.sum().backward()
assert trained.grad is not None and trained.grad.tolist() == [0.0, 1.0, 0.0]
assert fake.tolist() == [-1.0, 0.5, 1.0]
