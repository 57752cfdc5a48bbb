"""Modules that run in the opaque layout: ``to_mkldnn`` puts them in the place of a network's layers.

They hold opaque copies of the parameters as buffers, and are for inference only.  The input is opaque, and so
is the output; linear layers and PReLU also take a strided input.

Source: torch/utils/mkldnn.py.
"""

from __future__ import annotations

from typing import Any

from ..dispatch.dispatcher import aten
from ..memory.tensor import Tensor
from ..values.dtype import bfloat16, dtype, float16, float32
from .modules.activation import PReLU
from .modules.batchnorm import BatchNorm2d, BatchNorm3d
from .modules.conv import Conv1d, Conv2d, Conv3d
from .modules.linear import Linear
from .modules.module import Module


class _MkldnnModule(Module):
    """A module whose buffers are opaque; they are pickled as strided tensors."""

    def _keep(self, dense_module: Module, *names: str, dtype: dtype | None = None) -> None:
        for name in names:
            self.register_buffer(name, getattr(dense_module, name).detach().to_mkldnn(dtype))

    def _keep_bias(self, dense_module: Any) -> None:
        """The bias stays float32 in a bfloat16 layer, for accuracy; a layer without one gets zeros."""
        if dense_module.bias is not None:
            return self._keep(dense_module, "bias")
        weight = dense_module.weight.detach()
        self.register_buffer("bias", weight.new_zeros(weight.size(0), dtype=float32).to_mkldnn())
        return None

    def __getstate__(self) -> dict[str, Any]:
        dense = {name: each.to_dense() for name, each in self._buffers.items() if each is not None}
        return {**self.__dict__, "_buffers": dense}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for name, each in state["_buffers"].items():
            self._buffers[name] = each.to_mkldnn()
        self._reorder()

    def _reorder(self) -> None:
        """Bring the weight to the format of the kernel."""


class MkldnnLinear(_MkldnnModule):
    """``Linear`` in the opaque layout."""

    def __init__(self, dense_module: Linear, dtype: dtype):
        super().__init__()
        self._keep(dense_module, "weight", dtype=dtype)
        self._keep_bias(dense_module)

    def forward(self, x: Tensor) -> Tensor:
        result = aten.mkldnn_linear.default(x if x.is_mkldnn else x.to_mkldnn(), self.weight, self.bias)
        return result if x.is_mkldnn else result.to_dense()


class _MkldnnConvNd(_MkldnnModule):
    def __init__(self, dense_module: Any, dtype: dtype):
        super().__init__()
        self.stride, self.padding = dense_module.stride, dense_module.padding
        self.dilation, self.groups = dense_module.dilation, dense_module.groups
        self._keep_bias(dense_module)
        self._keep(dense_module, "weight", dtype=dtype)
        self._reorder()

    def forward(self, x: Tensor) -> Tensor:
        options = (self.padding, self.stride, self.dilation, self.groups)
        return aten.mkldnn_convolution.default(x, self.weight, self.bias, *options)


class MkldnnConv1d(_MkldnnConvNd):
    """``Conv1d`` in the opaque layout."""


class MkldnnConv2d(_MkldnnConvNd):
    """``Conv2d`` in the opaque layout, with its weight in blocks."""

    weight: Tensor

    def _reorder(self) -> None:
        options = (self.padding, self.stride, self.dilation, self.groups, None)
        self.weight = aten.mkldnn_reorder_conv2d_weight.default(self.weight, *options)


class MkldnnConv3d(_MkldnnConvNd):
    """``Conv3d`` in the opaque layout, with its weight in blocks."""

    weight: Tensor

    def _reorder(self) -> None:
        options = (self.padding, self.stride, self.dilation, self.groups, None)
        self.weight = aten.mkldnn_reorder_conv3d_weight.default(self.weight, *options)


class MkldnnBatchNorm(_MkldnnModule):
    """``BatchNorm2d`` or ``BatchNorm3d`` in evaluation mode, in the opaque layout."""

    def __init__(self, dense_module: Any):
        super().__init__()
        if dense_module.training:
            raise AssertionError("Only support eval mode batchnorm for mkldnn path now")
        if not dense_module.track_running_stats:
            raise AssertionError("Only support track_running_stats=True for mkldnn path now")
        if not dense_module.affine:
            raise AssertionError("Only support affine=True for mkldnn path now")
        self.exponential_average_factor = dense_module.momentum or 0.0
        self.eps = dense_module.eps
        self._keep(dense_module, "weight", "bias", "running_mean", "running_var")

    def forward(self, x: Tensor) -> Tensor:
        parameters = (self.weight, self.bias, self.running_mean, self.running_var)
        return aten.batch_norm.default(
            x, *parameters, False, self.exponential_average_factor, self.eps, False
        )


class MkldnnPrelu(_MkldnnModule):
    """``PReLU`` in the opaque layout."""

    def __init__(self, dense_module: PReLU, dtype: dtype):
        super().__init__()
        self._keep(dense_module, "weight", dtype=dtype)

    def forward(self, x: Tensor) -> Tensor:
        result = aten.prelu.default(x if x.is_mkldnn else x.to_mkldnn(), self.weight)
        return result if x.is_mkldnn else result.to_dense()


_REPLACEMENTS: tuple[tuple[Any, Any], ...] = (
    (Linear, MkldnnLinear),
    (Conv1d, MkldnnConv1d),
    (Conv2d, MkldnnConv2d),
    (Conv3d, MkldnnConv3d),
    ((BatchNorm2d, BatchNorm3d), lambda module, dtype: MkldnnBatchNorm(module)),
    (PReLU, MkldnnPrelu),
)


def _replaced(module: Module, dtype: dtype) -> Module:
    made = next((make(module, dtype) for kind, make in _REPLACEMENTS if isinstance(module, kind)), module)
    for name, child in module.named_children():
        setattr(made, name, _replaced(child, dtype))
    return made


def to_mkldnn(module: Module, dtype: dtype = float32) -> Module:
    """``module`` with layers that run in the opaque layout.

    Linear layers, convolutions, BatchNorm2d and 3d (in evaluation mode) and PReLU are replaced, in ``module``
    itself, by modules with opaque parameters of ``dtype``: float32, bfloat16 or float16.  Raises
    AssertionError for another dtype, and for a batch normalization that the layout does not have.  Source:
    torch.utils.mkldnn.to_mkldnn.
    """
    if dtype not in (float32, bfloat16, float16):
        raise AssertionError("MKLDNN only support float, bfloat16, and half path now")
    return _replaced(module, dtype)
