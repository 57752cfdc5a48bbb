"""Linear, Conv1d, Conv2d, Conv3d, Quantize, DeQuantize: layers of quantized models.

A layer keeps its weight, qint8, and the scale and the zero point of its result as buffers, so that a
state_dict has them; PyTorch's has the weight and the bias packed, under other names.

Source: torch/ao/nn/quantized/modules.
"""

from __future__ import annotations

from typing import Any

import gnomon as gn

from ....nn.common_types import PaddingMode
from ....quantized.products import convolution, linear
from ...quantization.observer import MinMaxObserver, PerChannelMinMaxObserver


def quantize_weight(weight: gn.Tensor, observer: Any) -> gn.Tensor:
    """A float weight as qint8, with the parameters that the observer finds for it."""
    observer(weight)
    scale, zero_point = observer.calculate_qparams()
    if isinstance(observer, PerChannelMinMaxObserver):
        return gn.quantize_per_channel(weight.detach(), scale, zero_point, 0, gn.qint8)
    return gn.quantize_per_tensor(weight.detach(), scale.item(), int(zero_point.item()), gn.qint8)


class _Layer(gn.nn.Module):
    """A layer with a quantized weight."""

    _weight: gn.Tensor
    _bias: gn.Tensor | None
    scale: float
    zero_point: int

    def _set(self, weight: gn.Tensor, bias: gn.Tensor | None) -> None:
        self.register_buffer("_weight", weight)
        self.register_buffer("_bias", None if bias is None else bias.detach())
        self.scale, self.zero_point = 1.0, 0

    def weight(self) -> gn.Tensor:
        """The weight, qint8."""
        return self._weight

    def bias(self) -> gn.Tensor | None:
        """The bias, float32, or None."""
        return self._bias

    def set_weight_bias(self, weight: gn.Tensor, bias: gn.Tensor | None) -> None:
        """Replace the weight and the bias."""
        self._weight, self._bias = weight, None if bias is None else bias.detach()

    def get_extra_state(self) -> Any:
        """The scale and the zero point of the result."""
        return {"scale": self.scale, "zero_point": self.zero_point}

    def set_extra_state(self, state: Any) -> None:
        """Restore what ``get_extra_state`` returned."""
        self.scale, self.zero_point = float(state["scale"]), int(state["zero_point"])

    def _take_from(self, mod: Any) -> None:
        """The weight, the bias, and the range of results of a float module, which was observed."""
        if not hasattr(mod, "activation_post_process"):
            raise AttributeError(f"{type(mod).__name__}.from_float: the module needs activation_post_process")
        config = getattr(mod, "qconfig", None)
        observer = MinMaxObserver(gn.qint8, gn.per_tensor_symmetric) if config is None else config.weight()
        self.set_weight_bias(quantize_weight(mod.weight, observer), mod.bias)
        scale, zero_point = mod.activation_post_process.calculate_qparams()
        self.scale, self.zero_point = scale.item(), int(zero_point.item())


class Linear(_Layer):
    """A linear layer of quint8 tensors (*, in_features) with a qint8 weight; the result is quint8.

    ``scale`` and ``zero_point`` are those of the result.  Source: torch.ao.nn.quantized.Linear.
    """

    def __init__(self, in_features: int, out_features: int, bias_: bool = True, dtype: gn.dtype = gn.qint8):
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        held = gn.zeros(out_features, in_features, dtype=gn.int8)
        weight = gn._make_per_tensor_quantized_tensor(held, 1.0, 0)
        self._set(weight, gn.zeros(out_features) if bias_ else None)

    def forward(self, x: gn.Tensor) -> gn.Tensor:
        return linear(x, self._weight, self._bias, self.scale, self.zero_point)

    @classmethod
    def from_float(cls, mod: Any) -> Linear:
        """The quantized layer of an nn.Linear whose results ``mod.activation_post_process`` observed.

        ``mod.qconfig.weight`` makes the observer of the weight; by default one scale serves the weight.
        """
        made = cls(mod.in_features, mod.out_features, mod.bias is not None)
        made._take_from(mod)
        return made

    def extra_repr(self) -> str:
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, scale={self.scale}, "
            f"zero_point={self.zero_point}, qscheme={self._weight.qscheme()!r}"
        )


class _Convolution(_Layer):
    _ndim = 0

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: PaddingMode = "zeros",
    ):
        super().__init__()
        if padding_mode != "zeros":
            raise NotImplementedError("Only zero-padding is supported!")
        geometry = [
            (each,) * self._ndim if isinstance(each, int) else tuple(each)
            for each in (kernel_size, stride, padding, dilation)
        ]
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size, self.stride, self.padding, self.dilation = geometry
        held = gn.zeros(out_channels, in_channels // groups, *self.kernel_size, dtype=gn.int8)
        weight = gn._make_per_tensor_quantized_tensor(held, 1.0, 0)
        self._set(weight, gn.zeros(out_channels) if bias else None)

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        return convolution(
            input,
            self._weight,
            self._bias,
            self.stride,
            self.padding,
            self.dilation,
            self.groups,
            self.scale,
            self.zero_point,
        )

    @classmethod
    def from_float(cls, mod: Any) -> Any:
        """The quantized layer of ``mod``, whose results ``mod.activation_post_process`` observed."""
        made = cls(
            mod.in_channels,
            mod.out_channels,
            mod.kernel_size,
            mod.stride,
            mod.padding,
            mod.dilation,
            mod.groups,
            mod.bias is not None,
            mod.padding_mode,
        )
        made._take_from(mod)
        return made

    def extra_repr(self) -> str:
        return (
            f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}, "
            f"scale={self.scale}, zero_point={self.zero_point}"
        )


class Conv1d(_Convolution):
    """A convolution of quint8 tensors (N, C, L).  Source: torch.ao.nn.quantized.Conv1d."""

    _ndim = 1


class Conv2d(_Convolution):
    """A convolution of quint8 tensors (N, C, H, W).  Source: torch.ao.nn.quantized.Conv2d."""

    _ndim = 2


class Conv3d(_Convolution):
    """A convolution of quint8 tensors (N, C, D, H, W).  Source: torch.ao.nn.quantized.Conv3d."""

    _ndim = 3


class Quantize(gn.nn.Module):
    """Quantizes its input, float32, with ``scale`` and ``zero_point``.  Source:
    torch.ao.nn.quantized.Quantize.
    """

    def __init__(self, scale: float, zero_point: int, dtype: gn.dtype):
        super().__init__()
        self.register_buffer("scale", gn.tensor([float(scale)]))
        self.register_buffer("zero_point", gn.tensor([int(zero_point)]))
        self.dtype = dtype

    def forward(self, X: gn.Tensor) -> gn.Tensor:
        return gn.quantize_per_tensor(X, self.scale, self.zero_point, self.dtype)


class DeQuantize(gn.nn.Module):
    """Returns the numbers of a quantized tensor, float32.  Source: torch.ao.nn.quantized.DeQuantize."""

    def forward(self, Xq: gn.Tensor) -> gn.Tensor:
        return Xq.dequantize()
