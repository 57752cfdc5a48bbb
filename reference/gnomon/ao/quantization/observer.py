"""Observers of ranges: running or moving minima and maxima, and the scales that they need.

Source: torch/ao/quantization/observer.py (UniformQuantizationObserverBase._calculate_qparams).
"""

from __future__ import annotations

import functools
from typing import Any

import gnomon as gn

_SYMMETRIC = (gn.per_tensor_symmetric, gn.per_channel_symmetric)
LIMITS = {gn.qint8: (-128, 127), gn.quint8: (0, 255), gn.qint32: (-(2**31), 2**31 - 1)}


class Configurable(gn.nn.Module):
    """A module with ``with_args``, whose buffers take the sizes that a state_dict has."""

    @classmethod
    def with_args(cls, **kwargs: Any) -> Any:
        """A function that makes such a module with these arguments, and others that it is called with."""
        return functools.partial(cls, **kwargs)

    def _keep(self, name: str, value: gn.Tensor) -> None:
        """Write to a buffer, which gets the sizes of ``value``."""
        buffer = getattr(self, name)
        if buffer.shape != value.shape:
            buffer.resize_(value.shape)
        buffer.copy_(value)

    def _load_from_state_dict(self, state_dict: Any, prefix: str, *rest: Any) -> None:
        for name in self._buffers:
            if prefix + name in state_dict:
                self._keep(name, state_dict[prefix + name])
        super()._load_from_state_dict(state_dict, prefix, *rest)


class MinMaxObserver(Configurable):
    """Keeps the least and the largest number of all tensors that it is called with, and returns those.

    ``calculate_qparams`` returns the scale, float32, and the zero point, each (1,), with which ``dtype``
    represents that range.  ``reduce_range``: with half of the integers, for qint8 and quint8.  Raises
    NotImplementedError for ``reduce_range`` with a symmetric scheme of quint8.  Source:
    torch.ao.quantization.MinMaxObserver.
    """

    min_val: gn.Tensor
    max_val: gn.Tensor
    eps: gn.Tensor

    def __init__(
        self,
        dtype: gn.dtype = gn.quint8,
        qscheme: gn.qscheme = gn.per_tensor_affine,
        reduce_range: bool = False,
        quant_min: int | None = None,
        quant_max: int | None = None,
        eps: float = 2.0**-23,
        is_dynamic: bool = False,
    ):
        super().__init__()
        if reduce_range and dtype is gn.quint8 and qscheme in _SYMMETRIC:
            raise NotImplementedError("Cannot reduce range for symmetric quantization for quint8")
        least, most = LIMITS[dtype]
        if reduce_range and dtype is not gn.qint32:
            least, most = int(least / 2), most // 2
        self.dtype, self.qscheme = dtype, qscheme
        self.reduce_range, self.is_dynamic = reduce_range, is_dynamic
        self.has_customized_qrange = quant_min is not None and quant_max is not None
        self.quant_min = least if quant_min is None else quant_min
        self.quant_max = most if quant_max is None else quant_max
        self.register_buffer("eps", gn.tensor([eps]))
        self.register_buffer("min_val", gn.tensor(float("inf")))
        self.register_buffer("max_val", gn.tensor(float("-inf")))

    def _range_of(self, x: gn.Tensor) -> tuple[gn.Tensor, gn.Tensor]:
        return x.min(), x.max()

    def _is_new(self) -> bool:
        return bool((self.min_val > self.max_val).all())  # also for no channels

    def _joined(self, low: gn.Tensor, high: gn.Tensor) -> tuple[gn.Tensor, gn.Tensor]:
        """The range of all tensors, from that of the last one."""
        return gn.minimum(self.min_val, low), gn.maximum(self.max_val, high)

    def forward(self, x_orig: gn.Tensor) -> gn.Tensor:
        if x_orig.numel():
            low, high = self._range_of(x_orig.detach().to(self.min_val.dtype))
            low, high = (low, high) if self._is_new() else self._joined(low, high)
            self._keep("min_val", low)
            self._keep("max_val", high)
        return x_orig

    def calculate_qparams(self) -> tuple[gn.Tensor, gn.Tensor]:
        """The scale and the zero point; 1 and 0 before the first call.

        The zero point is int32, for symmetric schemes int64, as in PyTorch, and for
        per_channel_affine_float_qparams float32.
        """
        if self._is_new():
            return gn.tensor([1.0]), gn.tensor([0])
        least, most = self.min_val.reshape(-1), self.max_val.reshape(-1)
        steps, eps = self.quant_max - self.quant_min, self.eps.item()
        if self.qscheme is gn.per_channel_affine_float_qparams:
            scale = (most - least) / steps
            scale = gn.where(scale > eps, scale, gn.ones_like(scale))
            return scale, -least / scale
        low, high = least.clamp(max=0.0), most.clamp(min=0.0)
        if self.qscheme in _SYMMETRIC:
            scale = (gn.maximum(-low, high) / (steps / 2)).clamp(min=eps)
            middle = (self.quant_min + self.quant_max) // 2 if self.has_customized_qrange else 128
            zero_point = middle if self.dtype is gn.quint8 else 0
            return scale, gn.full_like(scale, zero_point, dtype=gn.int64)
        scale = ((high - low) / steps).clamp(min=eps)
        shifted = self.quant_min - (low / scale).round().to(gn.int64)
        return scale, shifted.clamp(self.quant_min, self.quant_max).to(gn.int32)

    def reset_min_max_vals(self) -> None:
        """Forget all tensors."""
        self.min_val, self.max_val = gn.tensor(float("inf")), gn.tensor(float("-inf"))

    def extra_repr(self) -> str:
        if self.min_val.ndim:
            return f"min_val={self.min_val}, max_val={self.max_val}"
        return f"min_val={self.min_val.item()}, max_val={self.max_val.item()}"


class MovingAverageMinMaxObserver(MinMaxObserver):
    """Keeps moving averages of the least and the largest number of the tensors that it is called with.

    Each call moves them by ``averaging_constant`` times the distance to those of the tensor.  Source:
    torch.ao.quantization.MovingAverageMinMaxObserver.
    """

    def __init__(
        self,
        averaging_constant: float = 0.01,
        dtype: gn.dtype = gn.quint8,
        qscheme: gn.qscheme = gn.per_tensor_affine,
        reduce_range: bool = False,
        quant_min: int | None = None,
        quant_max: int | None = None,
        eps: float = 2.0**-23,
        is_dynamic: bool = False,
    ):
        if is_dynamic and averaging_constant != 1:
            raise NotImplementedError(
                f"{type(self).__name__}: dynamic quantization needs averaging_constant 1, got "
                f"{averaging_constant}"
            )
        super().__init__(dtype, qscheme, reduce_range, quant_min, quant_max, eps, is_dynamic)
        self.averaging_constant = averaging_constant

    def _joined(self, low: gn.Tensor, high: gn.Tensor) -> tuple[gn.Tensor, gn.Tensor]:
        part = self.averaging_constant
        return self.min_val + part * (low - self.min_val), self.max_val + part * (high - self.max_val)


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
        is_dynamic: bool = False,
    ):
        if is_dynamic:
            raise NotImplementedError(f"{type(self).__name__}: there is no dynamic quantization per channel")
        super().__init__(dtype, qscheme, reduce_range, quant_min, quant_max, eps)
        self.ch_axis = ch_axis
        self.reset_min_max_vals()

    def _range_of(self, x: gn.Tensor) -> tuple[gn.Tensor, gn.Tensor]:
        rows = x.movedim(self.ch_axis, 0).flatten(1)
        return rows.amin(1), rows.amax(1)

    def reset_min_max_vals(self) -> None:
        """Forget all tensors."""
        self.min_val, self.max_val = gn.tensor([]), gn.tensor([])


class MovingAveragePerChannelMinMaxObserver(PerChannelMinMaxObserver):
    """Keeps moving averages of the ranges of the slices along dimension ``ch_axis``.

    Source: torch.ao.quantization.MovingAveragePerChannelMinMaxObserver.
    """

    def __init__(
        self,
        averaging_constant: float = 0.01,
        ch_axis: int = 0,
        dtype: gn.dtype = gn.qint8,
        qscheme: gn.qscheme = gn.per_channel_symmetric,
        reduce_range: bool = False,
        quant_min: int | None = None,
        quant_max: int | None = None,
        eps: float = 2.0**-23,
        is_dynamic: bool = False,
    ):
        super().__init__(ch_axis, dtype, qscheme, reduce_range, quant_min, quant_max, eps, is_dynamic)
        self.averaging_constant = averaging_constant

    _joined = MovingAverageMinMaxObserver._joined
