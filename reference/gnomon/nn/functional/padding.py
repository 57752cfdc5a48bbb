"""Padding."""

from __future__ import annotations

from collections.abc import Sequence

import gnomon as gn

from ..common_types import PadMode


def pad(
    input: gn.Tensor, pad: Sequence[int], mode: PadMode = "constant", value: float | None = None
) -> gn.Tensor:
    """Adds elements at the ends of the last dimensions: ``pad`` is (left, right, top, bottom, …).

    ``mode`` determines the new elements: ``value`` ('constant'; default 0), the mirror image ('reflect'), the
    outermost element ('replicate') or the other end ('circular').  Negative pads remove elements.

    The result has the dtype of the input.  Raises RuntimeError for sizes that become negative and for an odd
    number of pads, NotImplementedError for a mode that does not support the number of dimensions.

    Source: torch.nn.functional.pad.
    """
    return gn.ops.aten.pad(input, pad, mode, value)
