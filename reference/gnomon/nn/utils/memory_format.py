"""The memory format of the weights of convolutions.  Source: torch/nn/utils/memory_format.py."""

from __future__ import annotations

from typing import TypeVar

import gnomon as gn

from ..modules.conv import Conv2d, Conv3d, ConvTranspose2d, ConvTranspose3d
from ..modules.module import Module

_M = TypeVar("_M", bound=Module)


def _convert(module: _M, memory_format: gn.memory_format, kinds: tuple[type[Module], ...]) -> _M:
    for each in module.modules():
        if isinstance(each, kinds):
            weight: gn.Tensor = each.weight
            weight.data = weight.detach().clone(memory_format=memory_format)
    return module


def convert_conv2d_weight_memory_format(module: _M, memory_format: gn.memory_format) -> _M:
    """Convert the weights of all Conv2d and ConvTranspose2d in ``module``; returns the module.

    Raises RuntimeError for a format of another number of dimensions.  Source:
    torch.nn.utils.convert_conv2d_weight_memory_format.
    """
    return _convert(module, memory_format, (Conv2d, ConvTranspose2d))


def convert_conv3d_weight_memory_format(module: _M, memory_format: gn.memory_format) -> _M:
    """Convert the weights of all Conv3d and ConvTranspose3d in ``module``; returns the module.

    Raises RuntimeError for a format of another number of dimensions.  Source:
    torch.nn.utils.convert_conv3d_weight_memory_format.
    """
    return _convert(module, memory_format, (Conv3d, ConvTranspose3d))
