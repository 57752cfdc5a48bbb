"""Fusion of a layer with the batch normalization after it, for inference.

Source: torch/nn/utils/fusion.py.
"""

from __future__ import annotations

import copy
from typing import Any, TypeVar

import gnomon as gn

from ..modules.batchnorm import _BatchNorm
from ..modules.conv import _ConvNd
from ..modules.linear import Linear
from ..parameter import Parameter

Conv = TypeVar("Conv", bound=_ConvNd)
AnyLinear = TypeVar("AnyLinear", bound=Linear)


def _check_statistics(layer: Any, bn: _BatchNorm) -> None:
    if layer.training or bn.training:
        raise AssertionError("Fusion only for eval!")
    if bn.running_mean is None or bn.running_var is None:
        raise AssertionError("bn.running_mean and bn.running_var must not be None")


def fuse_conv_bn_eval(conv: Conv, bn: _BatchNorm, transpose: bool = False) -> Conv:
    """A convolution that computes ``bn(conv(input))`` in eval mode; ``transpose`` for a transposed one.

    Raises AssertionError in training mode and without running statistics.  Source:
    torch.nn.utils.fuse_conv_bn_eval.
    """
    _check_statistics(conv, bn)
    fused = copy.deepcopy(conv)
    fused.weight, fused.bias = fuse_conv_bn_weights(
        fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias, transpose
    )
    return fused


def fuse_conv_bn_weights(
    conv_w: gn.Tensor,
    conv_b: gn.Tensor | None,
    bn_rm: gn.Tensor,
    bn_rv: gn.Tensor,
    bn_eps: float,
    bn_w: gn.Tensor | None,
    bn_b: gn.Tensor | None,
    transpose: bool = False,
) -> tuple[Parameter, Parameter]:
    """The weight and the bias of ``fuse_conv_bn_eval``, with the dtypes of the convolution's.

    Source: torch.nn.utils.fuse_conv_bn_weights.
    """
    bias = gn.zeros_like(bn_rm) if conv_b is None else conv_b
    bn_w = gn.ones_like(bn_rm) if bn_w is None else bn_w
    bn_b = gn.zeros_like(bn_rm) if bn_b is None else bn_b
    scale = (bn_rv + bn_eps).rsqrt()
    shape = [1] * conv_w.dim()
    shape[1 if transpose else 0] = -1
    weight = (conv_w * (bn_w * scale).reshape(shape)).to(dtype=conv_w.dtype)
    fused_bias = ((bias - bn_rm) * scale * bn_w + bn_b).to(dtype=(conv_w if conv_b is None else bias).dtype)
    return Parameter(weight, conv_w.requires_grad), Parameter(fused_bias, bias.requires_grad)


def fuse_linear_bn_eval(linear: AnyLinear, bn: _BatchNorm) -> AnyLinear:
    """A Linear that computes ``bn(linear(input))`` in eval mode.

    Raises AssertionError in training mode, without running statistics, and unless ``bn`` has as many features
    as the output or one.  Source: torch.nn.utils.fuse_linear_bn_eval.
    """
    if not (linear.training or bn.training) and bn.num_features not in (linear.out_features, 1):
        raise AssertionError(
            "To fuse, linear.out_features == bn.num_features or bn.num_features == 1, got "
            f"linear.out_features={linear.out_features} and bn.num_features={bn.num_features}"
        )
    _check_statistics(linear, bn)
    fused = copy.deepcopy(linear)
    fused.weight, fused.bias = fuse_linear_bn_weights(
        fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias
    )
    return fused


def fuse_linear_bn_weights(
    linear_w: gn.Tensor,
    linear_b: gn.Tensor | None,
    bn_rm: gn.Tensor,
    bn_rv: gn.Tensor,
    bn_eps: float,
    bn_w: gn.Tensor,
    bn_b: gn.Tensor,
) -> tuple[Parameter, Parameter]:
    """The weight and the bias of ``fuse_linear_bn_eval``, with the dtypes of the Linear's.

    Source: torch.nn.utils.fuse_linear_bn_weights.
    """
    bias = gn.zeros_like(bn_rm) if linear_b is None else linear_b
    scale = bn_w * (bn_rv + bn_eps).rsqrt()
    weight = linear_w * scale.unsqueeze(-1).to(dtype=linear_w.dtype)
    fused_bias = ((bias - bn_rm) * scale + bn_b).to(dtype=(linear_w if linear_b is None else bias).dtype)
    return Parameter(weight, linear_w.requires_grad), Parameter(fused_bias, bias.requires_grad)
