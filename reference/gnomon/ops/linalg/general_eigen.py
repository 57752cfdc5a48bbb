"""Eigenvalues and eigenvectors of general matrices, by LAPACK's steps (geev), in float64.

The matrix is balanced, reduced to Hessenberg form, and by implicit QR steps with two shifts to Schur form: an
upper triangle, in which a real matrix keeps a block of two rows for each pair of conjugate eigenvalues, so
that its other eigenvalues are real and these exactly conjugate.  Substitution gives the eigenvectors of that
form.  The same steps serve real and complex matrices.

Source: aten/src/ATen/native/BatchLinearAlgebra.cpp (linalg_eig); derivative: FunctionsManual.cpp
(linalg_eig_backward).  Golub and Van Loan, "Matrix Computations", 7.5; LAPACK's gebal, lahqr and trevc.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence
from typing import Any

from ...calls.checks import can_be_read, check_floating_or_complex, check_square_matrices, refuse_half
from ...calls.meta_functions import column_major
from ...calls.native import native_function
from ...calls.record import Out
from ...dispatch.dispatcher import aten
from ...dispatch.mode import mode_word
from ...memory.accessor import TensorAccessor
from ...memory.spec import Spec
from ...memory.tensor import Tensor
from ...numerics.matrices import Matrix, batch_indices, dot, identity, read_matrix, reflection, write_matrix
from ...values.dispatch_key import AUTOGRAD, BATCHED, FORWARD_AD
from ...values.errors import LinAlgError

STEPS = 300  # an upper bound for an eigenvalue, which takes two or three
EPSILON = 2.0**-52
LEAST = 1e-290  # what replaces a divisor of 0; less than this counts as 0 next to 1


def _spec_of_values(name: str, self: Spec) -> Spec:
    check_square_matrices(name, self)
    check_floating_or_complex(self.dtype)
    refuse_half(self.dtype)
    return self.contiguous(self.sizes[:-1], self.dtype.to_complex())


def _eig_meta(self: Spec) -> tuple[Spec, Spec]:
    values = _spec_of_values("linalg.eig", self)
    return values, column_major(self.sizes, values)


def _length(vector: Sequence[Any]) -> float:
    return math.hypot(*(part for x in vector for part in (x.real, x.imag)))


def _scaled(number: Any, exponent: int) -> Any:
    """``number * 2 ** exponent``, also where that power is out of range."""
    half = 2.0 ** (exponent // 2)
    rest = 2.0 ** (exponent - exponent // 2)
    if isinstance(number, complex):
        return complex(number.real * half * rest, number.imag * half * rest)
    return number * half * rest


def _isolate(matrix: Matrix, order: list[int]) -> tuple[int, int]:
    """Permutes rows and columns, and ``order``, so that those outside of a range, which is returned, are of
    an upper triangle: eigenvalues without rounding errors.
    """
    low, high = 0, len(matrix)

    def swap(i: int, k: int) -> None:
        matrix[i], matrix[k] = matrix[k], matrix[i]
        for row in matrix:
            row[i], row[k] = row[k], row[i]
        order[i], order[k] = order[k], order[i]

    def found(is_row: bool) -> int | None:
        for i in reversed(range(low, high)) if is_row else range(low, high):
            others = (k for k in range(low, high) if k != i)
            if not any(matrix[i][k] if is_row else matrix[k][i] for k in others):
                return i
        return None

    while (i := found(True)) is not None:
        high -= 1
        swap(i, high)
    while (i := found(False)) is not None:
        swap(i, low)
        low += 1
    return low, high


def _balance(matrix: Matrix, low: int, high: int) -> list[int]:
    """Scales columns of a range by powers of two, which are returned, and rows by the inverses, so that the
    norms of a column and its row are similar: rounding errors are relative to the norms.
    """
    exponents = [0] * len(matrix)
    turned = True
    while turned:
        turned = False
        for i in range(low, high):
            column = _length([matrix[k][i] for k in range(low, high)])
            row = _length(matrix[i][low:high])
            if column == 0 or row == 0:
                continue
            step = (math.frexp(row)[1] - math.frexp(column)[1]) // 2
            if _scaled(column, step) + _scaled(row, -step) < 0.95 * (column + row):
                turned = True
                exponents[i] += step
                matrix[i] = [_scaled(x, -step) for x in matrix[i]]
                for each in matrix:
                    each[i] = _scaled(each[i], step)
    return exponents


def _turn(matrix: Matrix, basis: Matrix, first: int, head: Sequence[Any]) -> None:
    """Replaces the matrix by ``H^H matrix H``, and ``basis`` by ``basis H``.

    H is the reflection of the rows from ``first`` that makes all elements of the column ``head`` but its
    first 0.
    """
    _, tau, vector = reflection(head)
    if tau == 0:
        return
    rows = range(first, first + len(vector))
    conjugates = [x.conjugate() for x in vector]
    for j in range(len(matrix)):
        share = tau.conjugate() * dot(conjugates, [matrix[i][j] for i in rows])
        for i, x in zip(rows, vector):
            matrix[i][j] -= x * share
    for row in (*matrix, *basis):
        share = tau * dot(vector, row[first : rows.stop])
        for i, x in zip(rows, conjugates):
            row[i] -= share * x


def _reduce(matrix: Matrix, basis: Matrix, low: int, high: int) -> None:
    """Makes a range of rows and columns a Hessenberg matrix: 0 below the diagonal's lower neighbour."""
    for k in range(low, high - 2):
        _turn(matrix, basis, k + 1, [matrix[i][k] for i in range(k + 1, high)])
        for i in range(k + 2, high):
            matrix[i][k] = 0.0


def _roots(matrix: Matrix, p: int) -> tuple[Any, Any]:
    """Half the difference of the diagonal of the block at p, and the square of half that of its
    eigenvalues.
    """
    half = (matrix[p][p] - matrix[p + 1][p + 1]) / 2
    return half, half * half + matrix[p][p + 1] * matrix[p + 1][p]


def _split(matrix: Matrix, basis: Matrix, p: int) -> None:
    """Makes the block at p a triangle, unless it is real and its eigenvalues are not."""
    half, square = _roots(matrix, p)
    if isinstance(square, complex):
        root = cmath.sqrt(square)
        root = -root if (half.conjugate() * root).real < 0 else root
    elif square < 0:
        return
    else:
        root = math.copysign(math.sqrt(square), half)
    _turn(matrix, basis, p, [half + root, matrix[p + 1][p]])
    matrix[p + 1][p] = 0.0


def _step(matrix: Matrix, basis: Matrix, first: int, last: int, is_exceptional: bool) -> None:
    """One implicit QR step on a block, whose shifts are the eigenvalues of its last two rows and columns."""
    h, p = matrix, first
    a, b, c, d = h[last - 1][last - 1], h[last - 1][last], h[last][last - 1], h[last][last]
    if is_exceptional:
        size = abs(c) + abs(h[last - 1][last - 2])
        a = d = d + 0.75 * size
        b, c = -0.4375 * size, size
    # the first column of (H - s1)(H - s2), divided by its subdiagonal element
    above, below = d - h[p][p], a - h[p][p]
    head = [
        (above * below - b * c) / h[p + 1][p] + h[p][p + 1],
        h[p + 1][p + 1] - h[p][p] - above - below,
        h[p + 2][p + 1],
    ]
    for k in range(first, last):
        rows = range(k, min(k + 3, last + 1))
        _turn(matrix, basis, k, head if k == first else [h[i][k - 1] for i in rows])
        if k > first:
            for i in rows[1:]:
                h[i][k - 1] = 0.0


def _triangulate(matrix: Matrix, basis: Matrix) -> None:
    """Makes a Hessenberg matrix its Schur form.  Raises ArithmeticError if that does not converge."""
    norm = max((_length(row) for row in matrix), default=0.0)
    last, steps = len(matrix) - 1, 0
    while last > 0:
        first = last
        while first > 0:
            size = abs(matrix[first][first]) + abs(matrix[first - 1][first - 1])
            if abs(matrix[first][first - 1]) <= max(EPSILON * (size or norm), LEAST):
                matrix[first][first - 1] = 0.0
                break
            first -= 1
        if last - first < 2:
            if last > first:
                _split(matrix, basis, first)
            last, steps = first - 1, 0
            continue
        steps += 1
        if steps > STEPS:
            raise ArithmeticError(last + 1)
        _step(matrix, basis, first, last, steps % 10 == 0)


def _eigenvalues(matrix: Matrix) -> list[complex]:
    """Those of a Schur form; of a conjugate pair, the one with the positive imaginary part is first."""
    values = [complex(row[k]) for k, row in enumerate(matrix)]
    for p in range(len(matrix) - 1):
        if matrix[p + 1][p] != 0:
            half, square = _roots(matrix, p)
            values[p] = complex(matrix[p + 1][p + 1] + half, math.sqrt(-square))
            values[p + 1] = values[p].conjugate()
    return values


def _null_vector(matrix: Matrix, p: int, value: complex) -> list[Any]:
    """The eigenvector of a Schur form that belongs to the eigenvalue of the block that begins at p."""
    h = matrix
    y: list[Any] = [0.0] * len(h)
    y[p] = 1.0
    if p + 1 < len(h) and h[p + 1][p] != 0:
        y[p : p + 2] = h[p][p + 1], value - h[p][p]
    shift = value if value.imag or isinstance(h[p][p], complex) else value.real
    least = max(EPSILON * abs(value), LEAST)
    i = p - 1
    while i >= 0:
        right = -dot(h[i][i + 1 :], y[i + 1 :])
        here = h[i][i] - shift
        if i > 0 and h[i][i - 1] != 0:
            upper = -dot(h[i - 1][i + 1 :], y[i + 1 :])
            corner, b, c = h[i - 1][i - 1] - shift, h[i - 1][i], h[i][i - 1]
            divisor = corner * here - b * c
            bound = least * max(abs(corner), abs(here), abs(b), abs(c))
            divisor = divisor if abs(divisor) > bound else bound
            y[i - 1] = (upper * here - b * right) / divisor
            y[i] = (corner * right - c * upper) / divisor
            i -= 1
        else:
            y[i] = right / (here if abs(here) > least else least)
        largest = max(abs(y[i]), abs(y[i + 1]))
        if largest > 1:  # repeated eigenvalues; at most the last two elements are larger than 1
            y = [x / largest for x in y]
        i -= 1
    return y


def _normalized(vector: list[Any]) -> list[Any]:
    """The vector with norm 1, whose largest element is real, as LAPACK returns it."""
    place = max(range(len(vector)), key=lambda i: abs(vector[i]))
    size = abs(vector[place])
    vector = [x / size for x in vector]
    if isinstance(vector[place], complex):
        turn = vector[place].conjugate()
        vector = [x * turn for x in vector]
        vector[place] = vector[place].real
    length = _length(vector)
    return [x / length for x in vector]


def decompose(matrix: Matrix, with_vectors: bool) -> tuple[list[complex], Matrix]:
    """The eigenvalues of a finite matrix, and the eigenvectors as rows.

    Raises ArithmeticError if the QR steps do not converge.
    """
    count = len(matrix)
    scale = math.frexp(max((max(abs(x.real), abs(x.imag)) for row in matrix for x in row), default=0.0))[1]
    matrix = [[_scaled(x, -scale) for x in row] for row in matrix]
    order = list(range(count))
    low, high = _isolate(matrix, order)
    exponents = _balance(matrix, low, high)
    basis = identity(count, count) if with_vectors else []
    _reduce(matrix, basis, low, high)
    _triangulate(matrix, basis)
    values = _eigenvalues(matrix)
    vectors: Matrix = []
    for p, value in enumerate(values if with_vectors else ()):
        if p > 0 and matrix[p][p - 1] != 0:
            vectors.append([x.conjugate() for x in vectors[-1]])
            continue
        y = _null_vector(matrix, p, value)
        vector = [0.0] * count
        for i, row in enumerate(basis):
            vector[order[i]] = _scaled(dot(row, y), exponents[i])
        vectors.append(_normalized(vector))
    return [_scaled(value, scale) for value in values], vectors


def _run(name: str, eigenvalues: Tensor, eigenvectors: Tensor | None, self: Tensor) -> None:
    source, values = TensorAccessor(self), TensorAccessor(eigenvalues)
    matrices = {index: read_matrix(source, index) for index in batch_indices(source.sizes[:-2])}
    if any(x != x or abs(x) == math.inf for each in matrices.values() for row in each for x in row):
        raise RuntimeError(f"gnomon.{name}: input tensor should not contain infs or NaNs.")
    for number, (index, matrix) in enumerate(matrices.items()):
        try:
            found, vectors = decompose(matrix, eigenvectors is not None)
        except ArithmeticError as error:
            which = f"(Batch element {number}): " if index else ""
            raise LinAlgError(
                f"{name}: {which}The algorithm failed to converge because the input matrix is "
                f"ill-conditioned or has too many repeated eigenvalues (error code: {error})."
            ) from None
        for k, value in enumerate(found):
            values[index + (k,)] = value
        if eigenvectors is not None:
            write_matrix(TensorAccessor(eigenvectors), index, [list(column) for column in zip(*vectors)])


def _check_phase(turn: Any) -> None:
    """Raises RuntimeError for a gradient along the phase of an eigenvector, which is arbitrary."""
    if can_be_read(turn) and not turn._keys & FORWARD_AD and (turn.abs() > 1e-2).any().item():
        raise RuntimeError(
            "linalg_eig_backward: The eigenvectors in the complex case are specified up to multiplication "
            "by e^{i phi}. The specified loss function depends on this quantity, so it is ill-defined."
        )


def _eig_grad(grads: Sequence[Any], eigenvalues: Any, eigenvectors: Any) -> Any:
    """``V^-H ((V^H gV - V^H V diag(Re(V^H gV))) / E + diag(gL)) V^H``, with ``E_ij = conj(L_j - L_i)``.

    The second term is there because eigenvectors have norm 1.  Eigenvalues must be distinct.
    Source: Boeddeker et al., "On the computation of complex-valued gradients", 2017, 4.77.
    """
    grad_values, grad_vectors = grads
    if grad_values is None and grad_vectors is None:
        return None
    V = eigenvectors
    if grad_vectors is None:
        return aten.linalg_solve.default(V.mH, grad_values.unsqueeze(-1) * V.mH)
    inner = V.mH.matmul(grad_vectors)
    along = inner.diagonal(0, -2, -1)
    _check_phase(along.imag)
    inner = inner - V.mH.matmul(V * along.real.unsqueeze(-2))
    conjugates = eigenvalues.conj()
    gaps = conjugates.unsqueeze(-2) - conjugates.unsqueeze(-1)
    ones = aten.eye(eigenvalues.size(-1), dtype=gaps.dtype, device=gaps.device)
    inner = inner / (gaps + ones)
    if grad_values is not None:
        inner = inner * (1 - ones) + aten.diag_embed(grad_values)
    return aten.linalg_solve.default(V.mH, inner.matmul(V.mH))


linalg_eig = native_function(
    "linalg_eig(Tensor self) -> (Tensor eigenvalues, Tensor eigenvectors)",
    meta=_eig_meta,
    kernel=lambda eigenvalues, eigenvectors, self: _run("linalg.eig", eigenvalues, eigenvectors, self),
    derivatives={"self": _eig_grad},
    python_module="linalg",
    variants="function",
    batching="leading",
    out=Out(
        "linalg_eig.out(Tensor self, *, Tensor(a!) eigenvalues, Tensor(b!) eigenvectors) -> (Tensor(a!) "
        "eigenvalues, Tensor(b!) eigenvectors)"
    ),
    doc="""Computes eigenvalues (*, n) and the columns of eigenvectors (*, n, n) of matrices (*, n, n).

    Both are complex, also of a real matrix, whose other eigenvalues are pairs of conjugates, that with the
    positive imaginary part first.  Otherwise their order is not defined.  Eigenvectors have norm 1.  A
    gradient needs distinct eigenvalues, and must not depend on the phases of eigenvectors.  Raises
    RuntimeError for non-finite input, for matrices that are not square, and for other dtypes than float32,
    float64 and complex.""",
)

inner_eigvals = native_function(
    "_linalg_eigvals(Tensor self) -> Tensor",
    meta=lambda self: _spec_of_values("linalg.eigvals", self),
    kernel=lambda output, self: _run("linalg.eigvals", output, None, self),
    variants="function",
    batching="leading",
    doc="Computes the eigenvalues (*, n) of matrices (*, n, n), without a derivative; see linalg.eigvals.",
)


def _eigvals(self: Any) -> Any:
    if self._keys & (AUTOGRAD | BATCHED) or mode_word() & FORWARD_AD:
        return aten.linalg_eig.default(self)[0]
    return aten._linalg_eigvals.default(self)


linalg_eigvals = native_function(
    "linalg_eigvals(Tensor self) -> Tensor",
    composite=_eigvals,
    python_module="linalg",
    variants="function",
    out="out",
    doc="""Computes the eigenvalues (*, n) of matrices (*, n, n), which are complex; see eig.

    Raises RuntimeError for non-finite input, and for matrices that are not square.""",
)
