"""Samples of operators on lists of tensors."""

from ..inputs.description import COMPLEX, REAL_FLOATS, bad, sample, tensor
from . import samples_of

FRACTIONAL = (*REAL_FLOATS, *COMPLEX)
samples_of(
    "_foreach_add_.Scalar",
    [
        sample([tensor(2, 3), tensor(), tensor(4, 1)], 2, differentiable=False),
        sample([tensor(5)], 0.5, dtypes=FRACTIONAL, differentiable=False),
        sample([tensor(3), tensor(2, dtype="float64"), tensor(0)], True, differentiable=False),
        sample([tensor(3)], 0.5j, dtypes=COMPLEX, differentiable=False),
        bad("RuntimeError", [tensor(2)], 0.5, dtypes=("int64", "bool")),
        bad("RuntimeError", [tensor(2)], 1j),
        bad("RuntimeError", [tensor(2), tensor(2, dtype="uint8")], 0.5),
        bad("NotImplementedError", [], 1),
    ],
    tolerance="composed",
)
