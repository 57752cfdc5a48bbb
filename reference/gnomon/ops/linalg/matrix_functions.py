"""The exponential and powers of matrices.

Source: aten/src/ATen/native/LinearAlgebra.cpp (linalg_matrix_exp, linalg_matrix_power); derivative:
FunctionsManual.cpp (linalg_matrix_exp_differential).
"""

from __future__ import annotations

import math
from typing import Any

from ...calls.checks import check_floating_or_complex, check_square_matrices
from ...calls.native import native_function
from ...calls.record import Out
from ...dispatch.dispatcher import aten
from ...memory.accessor import TensorAccessor
from ...memory.spec import Spec
from ...memory.tensor import Tensor
from ...numerics.matrices import Matrix, batch_indices, identity, matrix_product, read_matrix, write_matrix
from ...values.device import contiguous_format

TERMS = 18  # of the series for a norm of at most 1 / 2: the next is below 1e-23


def _exp_meta(self: Spec) -> Spec:
    check_square_matrices("linalg.matrix_exp", self)
    check_floating_or_complex(self.dtype)
    return self.contiguous()


def _exponential(matrix: Matrix) -> Matrix:
    """Taylor's series of a matrix that is halved until its norm is at most 1 / 2; then squared as often.

    Source: Moler and Van Loan, "Nineteen dubious ways to compute the exponential of a matrix", 2003, method
    3."""
    count = len(matrix)
    norm = max((sum(abs(x) for x in column) for column in zip(*matrix)), default=0.0)
    if not math.isfinite(norm):
        return [[x * math.nan for x in row] for row in matrix]
    squarings = max(0, math.frexp(norm)[1] + 1)
    scaled = [[x * 2.0**-squarings for x in row] for row in matrix]
    result = term = identity(count, count)
    for k in range(1, TERMS + 1):
        term = [[x / k for x in row] for row in matrix_product(term, scaled)]
        result = [[x + y for x, y in zip(*rows)] for rows in zip(result, term)]
    for _ in range(squarings):
        result = matrix_product(result, result)
    return result


def _exp_kernel(output: Tensor, self: Tensor) -> None:
    """The exponential of each matrix."""
    source, out = TensorAccessor(self), TensorAccessor(output)
    for index in batch_indices(source.sizes[:-2]):
        write_matrix(out, index, _exponential(read_matrix(source, index)))


def _exp_grad(grad: Any, self: Any) -> Any:
    """The upper right block of ``exp((A^H, G), (0, A^H))``.

    Source: Mathias, "A chain rule for matrix functions and applications", 1996.
    """
    count, flipped = self.size(-1), self.mH
    above = aten.cat([flipped, grad.expand(flipped.shape)], -1)
    below = aten.cat([aten.zeros_like(flipped), flipped], -1)
    blocks = aten.linalg_matrix_exp.default(aten.cat([above, below], -2))
    return blocks.narrow(-2, 0, count).narrow(-1, count, count)


linalg_matrix_exp = native_function(
    "linalg_matrix_exp(Tensor self) -> Tensor",
    meta=_exp_meta,
    kernel=_exp_kernel,
    derivatives={"self": _exp_grad},
    python_module="linalg",
    variants="function",
    batching="leading",
    doc="""Computes the exponential, the sum of ``A^k / k!``, of matrices (*, n, n).

    Raises RuntimeError for matrices that are not square, and for integers.""",
)

matrix_exp = native_function(
    "matrix_exp(Tensor self) -> Tensor",
    composite=lambda self: aten.linalg_matrix_exp.default(self),
    doc="The same as linalg.matrix_exp.  Raises RuntimeError for matrices that are not square.",
)


def _matrix_power(self: Any, n: int) -> Any:
    """By repeated squaring; a negative power is one of the inverse."""
    check_square_matrices("linalg.matrix_power", self)
    if n == 0:
        ones = aten.eye(self.size(-1), dtype=self.dtype, device=self.device)
        return self.clone(memory_format=contiguous_format).copy_(ones)  # a gradient of 0, rather than none
    if n == 1:
        return self.clone(memory_format=contiguous_format)
    if n < 0:
        self, n = aten.linalg_inv.default(self), -n
    result, square = None, self
    while n:
        if n & 1:
            result = square if result is None else result.matmul(square)
        n >>= 1
        square = square.matmul(square) if n else square
    return result


linalg_matrix_power = native_function(
    "linalg_matrix_power(Tensor self, int n) -> Tensor",
    composite=_matrix_power,
    python_module="linalg",
    variants="function",
    out=Out(exact=True),
    doc="""Computes the ``n``-th power of matrices (*, n, n); a negative one is a power of the inverse.

    Raises RuntimeError for matrices that are not square, LinAlgError for a negative power of a singular
    one.""",
)

matrix_power = native_function(
    "matrix_power(Tensor self, int n) -> Tensor",
    composite=lambda self, n: aten.linalg_matrix_power.default(self, n),
    out=Out(exact=True),
    doc="The same as linalg.matrix_power.  Raises RuntimeError for matrices that are not square.",
)
