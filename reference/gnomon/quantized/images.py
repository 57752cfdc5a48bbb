"""Pooling, resampling, padding and shuffles of quantized tensors; the results are quantized alike.

Source: aten/src/ATen/native/quantized/cpu (Pooling.cpp, AveragePool2d.cpp, AveragePool3d.cpp,
AdaptiveAveragePooling.cpp, UpSampleNearest2d.cpp, UpSampleNearest3d.cpp, UpSampleBilinear2d.cpp,
ChannelShuffle.cpp).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..dispatch.dispatcher import aten
from ..memory.tensor import Tensor
from ..values.device import channels_last_3d
from ..values.dtype import float32, float64, quint8
from ..values.geometry import lies_channels_last
from .arithmetic import parameters_of, to_integers
from .construction import quantized_function
from .kernels import like, number_in
from .quantizer import PerTensorAffine
from .registration import quantized_kernel
from .steps import differences_of
from .tensor import QuantizedTensor

# -- pooling -------------------------------------------------------------------------------------------------


def _max_pool(
    self: QuantizedTensor, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool
) -> QuantizedTensor:
    """The integers are exact in float64; what pads them is below all."""
    parameters_of(self)
    if len(kernel_size) == 3 and self._spec.ndim != 5:
        raise RuntimeError(f"max_pool3d: Expecting the input tensor of rank 5. Got {self._spec.ndim}")
    function = aten._find(f"max_pool{len(kernel_size)}d")
    found = function(self.held.to(float64), kernel_size, stride, padding, dilation, ceil_mode)
    return like(self, found.to(self.held._spec.dtype))


for _ndim, _name in enumerate(("max_pool1d", "max_pool2d", "max_pool3d"), 1):
    quantized_kernel(_name)(_max_pool)
    quantized_function(
        f"quantized_{_name}(Tensor self, int[{_ndim}] kernel_size, int[{_ndim}] stride=[], "
        f"int[{_ndim}] padding=0, int[{_ndim}] dilation=1, bool ceil_mode=False) -> Tensor",
        f"{_name} of a quantized tensor.  Raises NotImplementedError for one that is not.",
        None,
        _max_pool,
    )


def _by_numbers(name: str) -> None:
    """Register the kernel of a layer that takes means: of the integers without the zero point.

    They are computed in float64 and rounded to float32, so that halves of integers stay halves.
    """
    operator = aten._find(name)

    def run(self: QuantizedTensor, *arguments: Any) -> QuantizedTensor:
        unscaled = PerTensorAffine(1.0, parameters_of(self).zero_point)
        found = operator(differences_of(self).to(float64), *arguments).to(float32)
        is_last = name == "avg_pool3d" or lies_channels_last(self._spec.sizes, self._spec.strides)
        if is_last and self._spec.ndim == 5:
            found = found.contiguous(memory_format=channels_last_3d)
        return like(self, to_integers(found, unscaled, self._spec.dtype))

    quantized_kernel(name)(run)


for _name in (
    "avg_pool2d",
    "avg_pool3d",
    "adaptive_avg_pool2d",
    "_adaptive_avg_pool3d",
    "upsample_bilinear2d",
):
    _by_numbers(_name)

# -- elements in other places --------------------------------------------------------------------------------


def _moved(name: str, prepared: Callable[[Tensor], Tensor]) -> None:
    """Register the kernel of an operator that only moves elements: that of the integers, ``prepared``."""
    operator = aten._find(name)

    def run(self: QuantizedTensor, *arguments: Any) -> QuantizedTensor:
        parameters_of(self)
        return like(self, operator(prepared(self.held), *arguments).to(self.held._spec.dtype))

    quantized_kernel(name)(run)


for _name in ("rot90", "repeat"):
    _moved(_name, lambda held: held)
for _name in (
    "reflection_pad1d",
    "reflection_pad2d",
    "pixel_shuffle",
    "pixel_unshuffle",
    "native_channel_shuffle",
):
    _moved(_name, lambda held: held.contiguous())
for _name in (
    "upsample_nearest2d",
    "_upsample_nearest_exact2d",
    "upsample_nearest3d",
    "_upsample_nearest_exact3d",
):
    _moved(_name, lambda held: held.to(float64))  # which holds all integers


@quantized_kernel("channel_shuffle")
def _channel_shuffle(self: QuantizedTensor, groups: int) -> QuantizedTensor:
    """As in PyTorch, only of quint8: ``native_channel_shuffle`` takes every dtype."""
    if self._spec.dtype is not quint8:
        raise RuntimeError(
            "channel_shuffle: Quantized channel shuffle works only on QUInt8 but got "
            f"{self._spec.dtype.scalar_type}"
        )
    parameters_of(self)
    return like(self, aten.channel_shuffle.default(self.held, groups))


@quantized_kernel("constant_pad_nd")
def _constant_pad(self: QuantizedTensor, pad: Sequence[int], value: Any) -> QuantizedTensor:
    """``value`` is quantized as ``self`` is."""
    parameters_of(self)
    return like(self, aten.constant_pad_nd.default(self.held, pad, number_in(self, value)))
