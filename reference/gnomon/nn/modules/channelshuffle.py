"""ChannelShuffle.  Source: torch/nn/modules/channelshuffle.py."""

from __future__ import annotations

import gnomon as gn

from .. import functional
from .module import Module


class ChannelShuffle(Module):
    """Takes the channels of (N, C, *) in turn from ``groups`` groups.

    Source: torch.nn.ChannelShuffle; arXiv:1707.01083.
    """

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """(N, C, *) -> the same shape."""
        return functional.channel_shuffle(input, self.groups)

    def extra_repr(self) -> str:
        return f"groups={self.groups}"
