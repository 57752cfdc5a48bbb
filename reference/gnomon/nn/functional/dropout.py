"""Dropout."""

from __future__ import annotations

from typing import Any

import gnomon as gn

from ...values.errors import warn
from .arguments import check_probability

aten = gn.ops.aten


def dropout(input: gn.Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> gn.Tensor:
    """In ``training``, zeroes each element with probability ``p`` and scales the rest by ``1 / (1 - p)``.

    Raises ValueError for a ``p`` outside [0, 1].

    The result has the shape and the dtype of the input.

    Source: torch.nn.functional.dropout.
    """
    check_probability(p)
    return (aten.dropout_ if inplace else aten.dropout)(input, p, training)


def alpha_dropout(
    input: gn.Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> gn.Tensor:
    """In ``training``, dropout that preserves mean and variance of the outputs of selu.

    The result has the shape and the dtype of the input, floating point.  Raises ValueError for a p outside
    [0, 1].

    Source: torch.nn.functional.alpha_dropout.
    """
    check_probability(p)
    return (aten.alpha_dropout_ if inplace else aten.alpha_dropout)(input, p, training)


def feature_alpha_dropout(
    input: gn.Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> gn.Tensor:
    """In ``training``, alpha dropout of whole channels of (N, C, *)."""
    check_probability(p)
    return (aten.feature_alpha_dropout_ if inplace else aten.feature_alpha_dropout)(input, p, training)


def _feature_dropout(input: gn.Tensor, p: float, training: bool, inplace: bool, batched: bool) -> Any:
    """Dropout of channels, with a temporary batch dimension if the input has none."""
    function = aten.feature_dropout_ if inplace else aten.feature_dropout
    if batched:
        return function(input, p, training)
    if inplace:
        return function(input.unsqueeze_(0), p, training).squeeze_(0)
    return function(input.unsqueeze(0), p, training).squeeze(0)


def _warn_of_dimensions(name: str, ndim: int, wanted: tuple[int, int]) -> None:
    warn(
        f"{name}: Received a {ndim}-D input to {name}, which is deprecated and will result in an error in a "
        f"future release; it is for inputs of {wanted[0]} or {wanted[1]} dimensions. Use dropout instead.",
    )


def dropout1d(input: gn.Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> gn.Tensor:
    """In ``training``, zeroes whole channels of ([N,] C, L) with probability ``p``."""
    check_probability(p)
    if input.dim() not in (2, 3):
        raise RuntimeError(f"dropout1d: Expected 2D or 3D input, but received a {input.dim()}D input.")
    return _feature_dropout(input, p, training, inplace, input.dim() == 3)


def dropout2d(input: gn.Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> gn.Tensor:
    """In ``training``, zeroes whole channels of (N, C, H, W) with probability ``p``.

    A 3-D input is treated as (N, C, L), as in PyTorch, with a warning.

    The result has the shape and the dtype of the input.  Raises ValueError for a p outside [0, 1].

    Source: torch.nn.functional.dropout2d.
    """
    check_probability(p)
    if input.dim() not in (3, 4):
        _warn_of_dimensions("dropout2d", input.dim(), (3, 4))
    if input.dim() == 3:
        warn(
            "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior "
            "is desired - input is interpreted as shape (N, C, L), where C is the channel dim. Use "
            "dropout1d.",
        )
    return _feature_dropout(input, p, training, inplace, True)


def dropout3d(input: gn.Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> gn.Tensor:
    """In ``training``, zeroes whole channels of ([N,] C, D, H, W) with probability ``p``.

    The result has the shape and the dtype of the input.  Raises ValueError for a p outside [0, 1].

    Source: torch.nn.functional.dropout3d.
    """
    check_probability(p)
    if input.dim() not in (4, 5):
        _warn_of_dimensions("dropout3d", input.dim(), (4, 5))
    return _feature_dropout(input, p, training, inplace, input.dim() == 5)
