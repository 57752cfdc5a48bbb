"""Padding."""

from __future__ import annotations

from collections.abc import Sequence

import gnomon as gn


def pad(
    input: gn.Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None
) -> gn.Tensor:
    """``input`` with more elements at the ends of its last dimensions: ``pad`` is (left, right, top, bottom,
    …).

    ``mode`` says what they are: ``value`` ('constant'; 0 unless given), the mirror image ('reflect'), the
    outermost element ('replicate') or the other end ('circular').  Negative pads take elements away.

    The result has the dtype of the input.  Raises RuntimeError for sizes that become negative and an odd
    number of them, NotImplementedError for a mode that the number of dimensions does not have.

    Source: torch.nn.functional.pad.
    """
    return gn.ops.aten.pad(input, pad, mode, value)
