"""Claims: the dtypes for which PyTorch's kernels are called.

These are all that gnomon's meta functions accept, except those below, which gnomon supports but PyTorch's CPU
kernels do not: they raise '"..." not implemented for ...'.
"""

from __future__ import annotations

import re

from gnomon_conformance.inputs.description import COMPLEX, DTYPES, INTEGERS

# Patterns that match whole operator names, and the dtypes that those operators refuse.
REFUSED: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("addcmul", ("bool",)),
    # For some sizes they use oneDNN or a matrix product, which support more dtypes.
    ("convolution", ("bool", *COMPLEX)),
    ("convolution_backward", ("bool", *INTEGERS, *COMPLEX)),
    ("nll_loss_backward|max_pool2d_with_indices_backward", ("bool", *INTEGERS, *COMPLEX)),
    ("(sigmoid|tanh)_backward", ("bool", *INTEGERS)),
)


def dtypes_of(operator: str) -> tuple[str, ...] | None:
    """The dtypes claimed for an operator; None: all."""
    refused = {dtype for pattern, dtypes in REFUSED if re.fullmatch(pattern, operator) for dtype in dtypes}
    return tuple(dtype for dtype in DTYPES if dtype not in refused) if refused else None
