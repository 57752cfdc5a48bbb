"""MinMaxObserver, PerChannelMinMaxObserver: running minima and maxima, and the scales that they need.

Source: torch/ao/quantization/observer.py (UniformQuantizationObserverBase._calculate_qparams).
"""

from __future__ import annotations

import gnomon as gn

_SYMMETRIC = (gn.per_tensor_symmetric, gn.per_channel_symmetric)
_LIMITS = {gn.qint8: (-128, 127), gn.quint8: (0, 255), gn.qint32: (-(2**31), 2**31 - 1)}


class MinMaxObserver(gn.nn.Module):
    """Keeps the least and the largest number of all tensors that it is called with, and returns those.

    ``calculate_qparams`` returns the scale, float32, and the zero point, int64, each (1,), with which
    ``dtype`` represents that range.  ``reduce_range``: with half of the integers.  Source:
    torch.ao.quantization.MinMaxObserver.
    """

    min_val: gn.Tensor
    max_val: gn.Tensor

    def __init__(
        self,
        dtype: gn.dtype = gn.quint8,
        qscheme: gn.qscheme = gn.per_tensor_affine,
        reduce_range: bool = False,
        quant_min: int | None = None,
        quant_max: int | None = None,
        eps: float = 2.0**-23,
    ):
        super().__init__()
        least, most = _LIMITS[dtype]
        if reduce_range:
            least, most = int(least / 2), most // 2
        self.dtype, self.qscheme, self.eps = dtype, qscheme, eps
        self.quant_min = least if quant_min is None else quant_min
        self.quant_max = most if quant_max is None else quant_max
        self.register_buffer("min_val", gn.tensor(float("inf")))
        self.register_buffer("max_val", gn.tensor(float("-inf")))

    def forward(self, x_orig: gn.Tensor) -> gn.Tensor:
        if x_orig.numel():
            x = x_orig.detach().to(self.min_val.dtype)
            self.min_val = gn.minimum(self.min_val, x.min())
            self.max_val = gn.maximum(self.max_val, x.max())
        return x_orig

    def calculate_qparams(self) -> tuple[gn.Tensor, gn.Tensor]:
        """The scale and the zero point; 1 and 0 before the first call."""
        low, high = self.min_val.reshape(-1), self.max_val.reshape(-1)
        if low.numel() == 0 or bool((low > high).any()):
            return gn.tensor([1.0]), gn.tensor([0])
        low, high = low.clamp(max=0.0), high.clamp(min=0.0)
        steps = self.quant_max - self.quant_min
        if self.qscheme in _SYMMETRIC:
            scale = (gn.maximum(-low, high) / (steps / 2)).clamp(min=self.eps)
            middle = (self.quant_min + self.quant_max + 1) // 2 if self.dtype is gn.quint8 else 0
            return scale, gn.full_like(scale, middle, dtype=gn.int64)
        scale = ((high - low) / steps).clamp(min=self.eps)
        zero_point = self.quant_min - (low / scale).round().to(gn.int64)
        return scale, zero_point.clamp(self.quant_min, self.quant_max)


class PerChannelMinMaxObserver(MinMaxObserver):
    """Keeps the ranges of the slices along dimension ``ch_axis``.

    Source: torch.ao.quantization.PerChannelMinMaxObserver.
    """

    def __init__(
        self,
        ch_axis: int = 0,
        dtype: gn.dtype = gn.qint8,
        qscheme: gn.qscheme = gn.per_channel_symmetric,
        reduce_range: bool = False,
        quant_min: int | None = None,
        quant_max: int | None = None,
        eps: float = 2.0**-23,
    ):
        super().__init__(dtype, qscheme, reduce_range, quant_min, quant_max, eps)
        self.ch_axis = ch_axis
        self.min_val, self.max_val = gn.tensor([]), gn.tensor([])

    def forward(self, x_orig: gn.Tensor) -> gn.Tensor:
        if x_orig.numel():
            rows = x_orig.detach().to(self.min_val.dtype).movedim(self.ch_axis, 0).flatten(1)
            low, high = rows.amin(1), rows.amax(1)
            if self.min_val.numel():
                low, high = gn.minimum(self.min_val, low), gn.maximum(self.max_val, high)
            self.min_val, self.max_val = low, high
        return x_orig
