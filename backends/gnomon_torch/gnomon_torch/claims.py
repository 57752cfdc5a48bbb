"""Claims: on which dtypes a kernel of PyTorch's is called.

All that gnomon's rules let through, but for those below: gnomon's dtypes follow from what an operator means,
and PyTorch's CPU kernels do not all have them.  It says so itself: '"..." not implemented for ...'.
"""

from __future__ import annotations

import re

from gnomon_conformance.inputs.description import COMPLEX, DTYPES, INTEGERS

# Patterns for whole names of operators, and the dtypes that they refuse.
REFUSED: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("addcmul", ("bool",)),
    # By some sizes they come to oneDNN or a product of matrices, which take more.
    ("convolution", ("bool", *COMPLEX)),
    ("convolution_backward", ("bool", *INTEGERS, *COMPLEX)),
    ("nll_loss_backward|max_pool2d_with_indices_backward", ("bool", *INTEGERS, *COMPLEX)),
    ("(sigmoid|tanh)_backward", ("bool", *INTEGERS)),
)


def dtypes_of(operator: str) -> tuple[str, ...] | None:
    """The dtypes claimed of an operator; None: all."""
    refused = {dtype for pattern, dtypes in REFUSED if re.fullmatch(pattern, operator) for dtype in dtypes}
    return tuple(dtype for dtype in DTYPES if dtype not in refused) if refused else None
