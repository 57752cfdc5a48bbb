"""Samples of factorizations, linear systems, determinants, functions of matrices and eigenvalues.

Most tensors have a layout of their own: expanded, a matrix would be singular, and its factors rounding
errors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..inputs.description import GivenTensor, Sample, TensorDescription, bad, given, sample, tensor
from . import samples_of

FULL = ("float32", "float64", "complex64", "complex128")
# Hermitian and positive-definite; the imaginary parts are for complex dtypes.
DEFINITE: list[list[complex]] = [[4, 1 + 1j, -0.5], [1 - 1j, 3, 0.25j], [-0.5, -0.25j, 2]]
FACTOR: list[list[complex]] = [[2, 0, 0], [0.5, 1.5, 0], [-0.25, 0.75, 1.25]]
GENERAL: list[list[complex]] = [[1, 2, -0.5], [-3, 0.5, 1], [0.25, -1, 2]]


def matrix(rows: Sequence[Sequence[complex]], dtype: str, transposed: bool = False) -> GivenTensor:
    """A matrix with these numbers, of which a real dtype has the real parts."""
    lines = [list(line) for line in zip(*rows)] if transposed else rows
    numbers = [
        complex(x) if dtype.startswith("complex") else float(complex(x).real) for line in lines for x in line
    ]
    height, width = len(rows), len(rows[0])
    strides = (1, height) if transposed else (width, 1)
    return given(numbers, (height, width), strides, 0, dtype)


def of_matrices(rows: Sequence[Sequence[complex]], *args: Any, **kwargs: Any) -> list[Sample]:
    """A call with this matrix first for each dtype, row-major and column-major."""
    return [
        sample(matrix(rows, dtype, flag), *args, dtypes=[dtype], **kwargs)
        for dtype in FULL
        for flag in (False, True)
    ]


def plain(*sizes: int, **fields: Any) -> TensorDescription:
    return tensor(*sizes, layout=fields.pop("layout", "contiguous"), **fields)


def ours(*args: Any, **kwargs: Any) -> Sample:
    return sample(*args, dtypes=FULL, **kwargs)


HALVES = ("float16", "bfloat16", "int64", "bool")
SQUARE = [bad("RuntimeError", tensor(2, 3)), bad("RuntimeError", tensor(3))]
REFUSED = [*SQUARE, bad("RuntimeError", tensor(2, 2), dtypes=HALVES)]
CHOLESKY = [
    *of_matrices(DEFINITE, differentiable=False),
    *of_matrices(DEFINITE, upper=True, differentiable=False),
    ours(plain(0, 2, 2)),
    ours(plain(2, 0, 0)),
]
samples_of(
    "linalg_cholesky_ex",
    [
        *CHOLESKY,
        ours(plain(2, 2, 2, values="unit"), differentiable=False),
        *of_matrices(DEFINITE, check_errors=True, differentiable=False),
        *of_matrices([[1, 2, 0], [2, 1, 0], [0, 0, 1]], differentiable=False),
        *SQUARE,
        bad("NotImplementedError", tensor(2, 2), dtypes=["float16", "bfloat16"]),
        bad("RuntimeError", matrix([[-1, 0], [0, 1]], "float32"), check_errors=True),
    ],
    tolerance="composed",
)
samples_of(
    "linalg_cholesky cholesky",
    [*CHOLESKY, *SQUARE, bad("RuntimeError", matrix([[1, 2], [2, 1]], "float32"))],
    tolerance="composed",
)
samples_of(
    "_linalg_check_errors",
    [
        sample(given([0, 0], (2,), (1,), 0, "int32"), "linalg.inv", is_matrix=False),
        sample(given([0], (), (), 0, "int32"), "linalg.cholesky", is_matrix=True),
        bad("RuntimeError", given([0, 2], (2,), (1,), 0, "int32"), "linalg.inv", is_matrix=False),
        bad("RuntimeError", given([1], (), (), 0, "int32"), "gnomon.linalg.lu_factor", is_matrix=True),
    ],
)
samples_of(
    "cholesky_solve",
    [
        *[sample(plain(3, 2), matrix(FACTOR, dtype), dtypes=[dtype]) for dtype in FULL],
        *[sample(plain(2, 3, 2), matrix(FACTOR, dtype), dtypes=[dtype]) for dtype in FULL],
        *[sample(plain(3, 1), matrix(FACTOR, dtype, True), True, dtypes=[dtype]) for dtype in FULL],
        ours(plain(0, 2), plain(0, 0)),
        bad("RuntimeError", tensor(3, 2), tensor(2, 2)),
        bad("RuntimeError", tensor(3, 2), tensor(3, 2)),
        bad("RuntimeError", tensor(3), tensor(3, 3)),
        bad("RuntimeError", tensor(3, 2), tensor(3, 3, dtype="float64")),
    ],
    tolerance="composed",
)
samples_of(
    "cholesky_inverse",
    [
        *of_matrices(FACTOR),
        *[sample(matrix(FACTOR, dtype, True), True, dtypes=[dtype]) for dtype in FULL],
        *SQUARE,
        bad("RuntimeError", matrix([[1, 0], [2, 0]], "float32")),
    ],
    tolerance="composed",
)
FACTORED = [
    ours(plain(3, 2)),
    ours(plain(2, 3, layout="transposed")),
    ours(plain(2, 3, 3, layout="gapped")),
    ours(plain(2, 0, 3)),
    ours(plain(3, 0)),
]
samples_of(
    "geqrf",
    [
        *[each._replace(differentiable=False) for each in FACTORED],
        ours(plain(3, 2, values="zeros"), differentiable=False),
        bad("RuntimeError", tensor(3)),
        bad("NotImplementedError", tensor(2, 2), dtypes=HALVES),
    ],
    tolerance="composed",
)
samples_of(
    "linalg_householder_product",
    [
        ours(plain(3, 2, values="unit"), plain(2, values="unit")),
        ours(plain(2, 3, 3, layout="transposed", values="unit"), plain(2, 2, values="unit")),
        ours(plain(3, 2), plain(0), differentiable=False),
        ours(plain(0, 3, 2), plain(0, 2)),
        bad("RuntimeError", tensor(2, 3), tensor(2)),
        bad("RuntimeError", tensor(3, 2), tensor(3)),
        bad("RuntimeError", tensor(2, 3, 2), tensor(2)),
        bad("RuntimeError", tensor(2, 3, 2), tensor(3, 2)),
        bad("RuntimeError", tensor(3, 2), tensor(2, dtype="float64")),
        bad("RuntimeError", tensor(3), tensor(2)),
    ],
    tolerance="composed",
)
samples_of("orgqr", [ours(plain(3, 2, values="unit"), plain(2, values="unit"))], tolerance="composed")
samples_of(
    "ormqr",
    [
        ours(plain(3, 2, values="unit"), plain(2, values="unit"), plain(3, 2)),
        ours(plain(3, 2, values="unit"), plain(2, values="unit"), plain(3, 2), True, True),
        ours(
            plain(2, 3, 4, layout="transposed", values="unit"),
            plain(2, 3, values="unit"),
            plain(2, 1, 3),
            False,
        ),
        ours(plain(3, 2, values="unit"), plain(2, values="unit"), plain(2, 3), False, True),
        ours(plain(0, 3, 2), plain(0, 2), plain(0, 3, 1)),
        bad("RuntimeError", tensor(3), tensor(2), tensor(3, 1)),
        bad("RuntimeError", tensor(3, 2), tensor(2), tensor(3)),
        bad("RuntimeError", tensor(3, 2), tensor(1, 2), tensor(3, 1)),
        bad("RuntimeError", tensor(3, 2), tensor(2), tensor(2, 3)),
        bad("RuntimeError", tensor(3, 2), tensor(1), tensor(3, 1)),
        bad("RuntimeError", tensor(3, 2), tensor(2), tensor(1, 3, 1)),
        bad("RuntimeError", tensor(2, 3, 2), tensor(3, 2), tensor(2, 3, 1)),
        bad("RuntimeError", tensor(2, 3, 2), tensor(2, 2), tensor(3, 3, 1)),
        bad("RuntimeError", tensor(3, 2), tensor(2, dtype="float64"), tensor(3, 1)),
        bad("RuntimeError", tensor(3, 2), tensor(2), tensor(3, 1, dtype="float64")),
        bad("NotImplementedError", tensor(3, 2), tensor(2), tensor(3, 1), dtypes=HALVES),
    ],
    tolerance="composed",
)
samples_of(
    "linalg_qr",
    [
        *of_matrices([line[:2] for line in GENERAL]),
        *of_matrices(GENERAL[:2]),
        *of_matrices(GENERAL[:2], "complete"),
        *[each._replace(differentiable=False) for each in FACTORED],
        ours(plain(3, 2), "complete", differentiable=False),
        ours(plain(3, 2), "r", differentiable=False),
        ours(plain(0, 2), "complete", differentiable=False),
        bad("RuntimeError", tensor(2, 2), "full"),
        bad("RuntimeError", tensor(3)),
        bad("RuntimeError", tensor(2, 2), dtypes=["int64", "bool"]),
    ],
    tolerance="composed",
)
samples_of(
    "qr",
    [*of_matrices([line[:2] for line in GENERAL]), *of_matrices(GENERAL[:2], False)],
    tolerance="composed",
)
GENERALS = [
    *of_matrices(GENERAL),
    ours(plain(3, 2)),
    ours(plain(2, 3, layout="transposed")),
    ours(plain(2, 2, 2, layout="gapped", seed=3)),
    ours(plain(0, 2, 2)),
    ours(plain(3, 0)),
]
samples_of(
    "linalg_lu_factor_ex",
    [
        *GENERALS,
        ours(plain(2, 2, values="zeros"), differentiable=False),
        *of_matrices(GENERAL, check_errors=True, differentiable=False),
        bad("RuntimeError", tensor(3)),
        bad("RuntimeError", tensor(2, 2), pivot=False),
        bad("RuntimeError", plain(2, 2, values="zeros"), check_errors=True),
        bad("NotImplementedError", tensor(2, 2), dtypes=HALVES),
    ],
    tolerance="composed",
)
samples_of(
    "linalg_lu_factor",
    [*GENERALS, bad("RuntimeError", plain(2, 2, values="zeros")), bad("RuntimeError", tensor(3))],
    tolerance="composed",
)
samples_of(
    "_lu_with_info",
    [
        ours(plain(3, 2)),
        ours(plain(2, 2, values="zeros"), check_errors=False, differentiable=False),
        bad("RuntimeError", tensor(2, 2), False),
    ],
    tolerance="composed",
)
samples_of("linalg_lu", [*GENERALS, bad("RuntimeError", tensor(2, 2), pivot=False)], tolerance="composed")
PIVOTS = given([2, 3, 3], (3,), (1,), 0, "int32")
PAIRS = given([2, 2, 1, 2], (2, 2), (2, 1), 0, "int32")
samples_of(
    "lu_unpack",
    [
        sample(tensor(3, 3), PIVOTS, dtypes=("int64", *FULL)),
        ours(tensor(2, 3, 2), PAIRS),
        ours(tensor(2, 2, 3), PAIRS, False),
        ours(tensor(3, 4), PIVOTS, True, False),
        bad("RuntimeError", tensor(3), PIVOTS),
        bad("RuntimeError", tensor(2, 2), given([0, 1], (2,), (1,), 0, "int32")),
        bad("RuntimeError", tensor(2, 2), given([1, 2], (2,), (1,), 0, "int64")),
    ],
)
TRIANGLE: list[list[complex]] = [[2, 1, -1], [0.5, -1, 2], [1, 0.25, 1.5]]
samples_of(
    "linalg_solve_triangular",
    [
        *[sample(matrix(TRIANGLE, dtype), plain(3, 2), upper=True, dtypes=[dtype]) for dtype in FULL],
        *[
            sample(matrix(TRIANGLE, dtype, True), plain(2, 3, 1), upper=False, dtypes=[dtype])
            for dtype in FULL
        ],
        *[
            sample(
                matrix(TRIANGLE, dtype),
                plain(2, 3),
                upper=False,
                left=False,
                unitriangular=True,
                dtypes=[dtype],
            )
            for dtype in FULL
        ],
        ours(plain(2, 2, values="zeros"), plain(2, 1), upper=True, differentiable=False),
        ours(plain(0, 0), plain(0, 2), upper=True),
        bad("RuntimeError", tensor(2, 3), tensor(3, 1), upper=True),
        bad("RuntimeError", tensor(3, 3), tensor(2, 3), upper=True),
        bad("RuntimeError", tensor(3, 3), tensor(3, 2), upper=True, left=False),
        bad("RuntimeError", tensor(3, 3), tensor(3), upper=True),
        bad("RuntimeError", tensor(2, 3, 3), tensor(3, 3, 1), upper=True),
        bad("NotImplementedError", tensor(2, 2), tensor(2, 2), upper=True, dtypes=HALVES),
    ],
    tolerance="composed",
)
samples_of(
    "triangular_solve",
    [
        *[sample(plain(3, 2), matrix(TRIANGLE, dtype), dtypes=[dtype]) for dtype in FULL],
        *[sample(plain(2, 3, 1), matrix(TRIANGLE, dtype), False, True, dtypes=[dtype]) for dtype in FULL],
        *[sample(plain(3, 2), matrix(TRIANGLE, dtype), True, False, True, dtypes=[dtype]) for dtype in FULL],
        bad("RuntimeError", tensor(3), tensor(3, 3)),
        bad("RuntimeError", tensor(2, 2), tensor(3, 3)),
        bad("RuntimeError", tensor(3, 2), tensor(3, 3, dtype="float64")),
    ],
    tolerance="composed",
)
SOLVED = [
    *[sample(matrix(TRIANGLE, dtype), PIVOTS, plain(3, 2), dtypes=[dtype]) for dtype in FULL],
    *[
        sample(matrix(TRIANGLE, dtype, True), PIVOTS, plain(2, 3, 1), adjoint=True, dtypes=[dtype])
        for dtype in FULL
    ],
    *[sample(matrix(TRIANGLE, dtype), PIVOTS, plain(2, 3), left=False, dtypes=[dtype]) for dtype in FULL],
    *[
        sample(matrix(TRIANGLE, dtype), PIVOTS, plain(2, 3), left=False, adjoint=True, dtypes=[dtype])
        for dtype in FULL
    ],
]
samples_of(
    "linalg_lu_solve",
    [
        *SOLVED,
        bad("RuntimeError", tensor(3, 3), PIVOTS, tensor(2, 1)),
        bad("RuntimeError", tensor(2, 2), PIVOTS, tensor(2, 1)),
        bad("RuntimeError", tensor(2, 3, 3), PIVOTS, tensor(3, 1)),
        bad("RuntimeError", tensor(3, 3), given([1, 2, 3], (3,), (1,), 0, "int64"), tensor(3, 1)),
        bad("RuntimeError", tensor(3, 3), PIVOTS, tensor(3, 1, dtype="float64")),
        bad("RuntimeError", tensor(3, 3), given([1, 0, 3], (3,), (1,), 0, "int32"), tensor(3, 1)),
    ],
    tolerance="composed",
)
samples_of(
    "lu_solve",
    [sample(plain(3, 2), matrix(TRIANGLE, dtype), PIVOTS, dtypes=[dtype]) for dtype in FULL],
    tolerance="composed",
)
SYSTEMS = [
    *[sample(matrix(GENERAL, dtype), plain(3, 2), dtypes=[dtype]) for dtype in FULL],
    *[sample(matrix(GENERAL, dtype, True), plain(3), dtypes=[dtype]) for dtype in FULL],
    *[sample(matrix(GENERAL, dtype), plain(2, 3, 1), dtypes=[dtype]) for dtype in FULL],
    *[sample(matrix(GENERAL, dtype), plain(2, 3), left=False, dtypes=[dtype]) for dtype in FULL],
    ours(plain(2, 2, 2, seed=3), plain(2, 2)),
    ours(plain(0, 0), plain(0, 2)),
    bad("RuntimeError", tensor(3, 3), tensor(2, 3)),
    bad("RuntimeError", tensor(2, 3), tensor(3, 1)),
    bad("RuntimeError", tensor(3), tensor(3)),
    bad("RuntimeError", tensor(3, 3), tensor(3, 1, dtype="float64")),
    bad("RuntimeError", tensor(3, 3), tensor(3, 1), dtypes=["int64"]),
]
ZEROS = plain(2, 2, values="zeros")
samples_of(
    "_linalg_solve_ex linalg_solve_ex",
    [
        *SYSTEMS,
        *[
            sample(
                matrix(GENERAL, dtype), plain(3, 2), check_errors=True, dtypes=[dtype], differentiable=False
            )
            for dtype in FULL
        ],
        bad("RuntimeError", ZEROS, plain(2, 1), check_errors=True),
    ],
    tolerance="composed",
)
samples_of("linalg_solve", [*SYSTEMS, bad("RuntimeError", ZEROS, plain(2, 1))], tolerance="composed")
SQUARES = [
    *of_matrices(GENERAL),
    ours(plain(2, 2, 2, seed=3)),
    ours(plain(0, 2, 2)),
    ours(plain(2, 0, 0)),
    *REFUSED,
]
samples_of(
    "linalg_inv_ex",
    [
        *SQUARES,
        *of_matrices(GENERAL, check_errors=True, differentiable=False),
        bad("RuntimeError", ZEROS, check_errors=True),
    ],
    tolerance="composed",
)
samples_of("linalg_inv inverse", [*SQUARES, bad("RuntimeError", ZEROS)], tolerance="composed")
samples_of(
    "_linalg_det linalg_det det _linalg_slogdet linalg_slogdet slogdet",
    [*SQUARES, ours(ZEROS, differentiable=False)],
    tolerance="composed",
)
samples_of("logdet", [*of_matrices(DEFINITE), ours(plain(0, 2, 2)), *REFUSED], tolerance="composed")
samples_of(
    "linalg_matrix_exp matrix_exp",
    [
        sample(tensor(3, 3, values="unit"), dtypes=FULL),
        sample(tensor(2, 2, 2), dtypes=FULL),
        sample(tensor(1, 1), dtypes=FULL),
        sample(tensor(2, 0, 0), dtypes=FULL),
        sample(tensor(0, 2, 2), dtypes=FULL),
        sample(tensor(2, 2), dtypes=("float16", "bfloat16"), differentiable=False),
        *SQUARE,
        bad("RuntimeError", tensor(2, 2), dtypes=["int64", "bool"]),
    ],
    tolerance="composed",
)
samples_of(
    "linalg_matrix_power matrix_power",
    [
        sample(tensor(2, 2), 0, dtypes=FULL),
        sample(tensor(2, 2, 2), 1, dtypes=FULL),
        sample(tensor(3, 3, values="unit"), 2, dtypes=("int64", *FULL)),
        sample(tensor(2, 2, values="unit"), 5, dtypes=FULL),
        *of_matrices(GENERAL, -2),
        bad("RuntimeError", tensor(2, 3), 2),
        bad("RuntimeError", tensor(2, 2), -1, dtypes=["int64"]),
        bad("RuntimeError", ZEROS, -1),
    ],
    tolerance="composed",
)
HERMITIAN = [
    *of_matrices(DEFINITE, differentiable=False),
    *of_matrices(DEFINITE, "U", differentiable=False),
    ours(plain(2, 0, 0), differentiable=False),
    *SQUARE,
    bad("RuntimeError", tensor(2, 2), "X"),
]
samples_of("_linalg_eigh linalg_eigh linalg_eigvalsh", HERMITIAN, tolerance="composed")
samples_of("_linalg_eigh", of_matrices(DEFINITE, "L", False, differentiable=False))
# Of these matrices LAPACK and the reference find the eigenvalues in the same order, which is not defined.
GENERAL_EIGEN = [
    *of_matrices(GENERAL),
    *of_matrices(FACTOR),
    *of_matrices([[1.5 - 2j]]),
    *[
        sample(given([1, 2, 3, 4, 0, 2, -1, 1], (2, 2, 2), (4, 2, 1), 0, dtype), dtypes=[dtype])
        for dtype in FULL
    ],
    ours(plain(0, 2, 2), differentiable=False),
    ours(plain(2, 0, 0), differentiable=False),
    *REFUSED,
]
# Numbers that are not finite are refused too, but PyTorch's eigvals gives them to LAPACK, which may crash.
INFINITE = matrix([[math.inf, 0], [0, 1]], "float32")
samples_of("linalg_eig", [*GENERAL_EIGEN, bad("RuntimeError", INFINITE)], tolerance="composed")
samples_of("linalg_eigvals", GENERAL_EIGEN, tolerance="composed")
samples_of(
    "_linalg_eigvals",
    [each._replace(differentiable=False) for each in GENERAL_EIGEN],
    tolerance="composed",
)
INDEFINITE: list[list[complex]] = [[0.5, 3 - 1j, 1], [3 + 1j, 0.25, -2j], [1, 2j, -1]]
LDL = [
    *of_matrices(DEFINITE, differentiable=False),
    *of_matrices(DEFINITE, hermitian=True, differentiable=False),
    *of_matrices(INDEFINITE, differentiable=False),
    *of_matrices(INDEFINITE, hermitian=True, differentiable=False),
    ours(plain(2, 2, 2, layout="gapped", seed=3), differentiable=False),
    ours(plain(0, 2, 2), differentiable=False),
    ours(plain(2, 0, 0), differentiable=False),
    *SQUARE,
    bad("RuntimeError", tensor(2, 2), dtypes=HALVES),
]
samples_of(
    "linalg_ldl_factor_ex",
    [
        *LDL,
        ours(plain(2, 2, values="zeros"), differentiable=False),
        *of_matrices(INDEFINITE, check_errors=True, differentiable=False),
        bad("RuntimeError", ZEROS, check_errors=True),
    ],
    tolerance="composed",
)
samples_of("linalg_ldl_factor", [*LDL, bad("RuntimeError", ZEROS)], tolerance="composed")
BLOCKS = given([-3, -3, 3], (3,), (1,), 0, "int32")
ROWS = given([2, 2, 3], (3,), (1,), 0, "int64")
samples_of(
    "linalg_ldl_solve",
    [
        *[
            sample(
                matrix(INDEFINITE, dtype, flag), pivots, right, dtypes=[dtype], differentiable=False, **fields
            )
            for dtype in FULL
            for flag, pivots, right, fields in (
                (False, BLOCKS, plain(3, 2), {}),
                (True, ROWS, plain(2, 3, 1), {}),
                (False, ROWS, plain(3, 2, layout="transposed"), {"hermitian": True}),
                (True, BLOCKS, plain(2, 3, 1), {"hermitian": True}),
            )
        ],
        ours(plain(2, 0, 0), given([], (2, 0), (1, 1), 0, "int32"), plain(0, 2), differentiable=False),
        bad("RuntimeError", tensor(2, 3), ROWS, tensor(3, 1)),
        bad("RuntimeError", tensor(3, 3), ROWS, tensor(2, 3)),
        bad("RuntimeError", tensor(3, 3), ROWS, tensor(3, 1, dtype="float64")),
        bad("IndexError", tensor(3, 3), ROWS, tensor(3)),
        bad("RuntimeError", tensor(2, 3, 3), ROWS, tensor(3, 1)),
        bad("RuntimeError", tensor(3, 3), given([1, 2, 3], (3,), (1,), 0, "float32"), tensor(3, 1)),
        bad("RuntimeError", tensor(3, 3), given([1, 0, 3], (3,), (1,), 0, "int32"), tensor(3, 1)),
        bad("RuntimeError", tensor(3, 3), given([1, 2, -4], (3,), (1,), 0, "int32"), tensor(3, 1)),
        bad("RuntimeError", tensor(3, 3), ROWS, tensor(3, 1), dtypes=HALVES),
    ],
    tolerance="composed",
)
samples_of(
    "linalg_svd",
    [
        ours(plain(3, 2), differentiable=False),
        ours(plain(2, 3), False, differentiable=False),
        ours(plain(0, 2), differentiable=False),
        bad("RuntimeError", tensor(3)),
        bad("RuntimeError", tensor(2, 2), driver="gesvd"),
    ],
    tolerance="composed",
)
samples_of(
    "svd",
    [
        ours(plain(3, 2), differentiable=False),
        ours(plain(2, 3), False, differentiable=False),
        ours(plain(3, 2), True, False, differentiable=False),
        bad("RuntimeError", tensor(3)),
    ],
    tolerance="composed",
)
LIMIT = given([0.5], (), (), 0, "float64")
LIMITS = given([0.5, 5], (2,), (1,), 0, "float32")
COMPLEX = given([1j], (), (), 0, "complex64")
RECTANGLES = [
    *of_matrices([line[:2] for line in GENERAL]),
    *of_matrices(GENERAL[:2]),
    ours(plain(2, 2, 2, layout="gapped", seed=3)),
    ours(plain(0, 3, 2)),
    ours(plain(2, 0, 3)),
]
IMPRECISE = [bad("RuntimeError", tensor(3)), bad("RuntimeError", tensor(2, 2), dtypes=HALVES)]
WITH_NUMBERS = [
    *RECTANGLES,
    *of_matrices(GENERAL[:2], atol=1.5),
    *of_matrices(GENERAL, rtol=0.3),
    *of_matrices(DEFINITE, hermitian=True, differentiable=False),
    bad("RuntimeError", tensor(3), rtol=0.1),
    bad("RuntimeError", tensor(2, 2), dtypes=HALVES),
    bad("RuntimeError", tensor(3, 2), hermitian=True),
]
WITH_TENSORS = [
    *RECTANGLES,
    *of_matrices(GENERAL[:2], atol=LIMIT),
    ours(plain(2, 2, 3, seed=3), rtol=LIMITS, differentiable=False),
    *of_matrices(DEFINITE, atol=LIMIT, rtol=LIMIT, hermitian=True, differentiable=False),
    *IMPRECISE,
    bad("RuntimeError", tensor(2, 2), atol=COMPLEX),
    bad("RuntimeError", tensor(2, 2), rtol=COMPLEX),
]
WITH_NUMBER = [*of_matrices(GENERAL[:2], 0.25), *of_matrices(DEFINITE, 0.3, True, differentiable=False)]
WITH_TENSOR = [
    *of_matrices(GENERAL[:2], LIMIT),
    *of_matrices(DEFINITE, LIMIT, True, differentiable=False),
    bad("RuntimeError", tensor(2, 2), COMPLEX),
]
for _name, _tensor in (("linalg_pinv", "rcond_tensor"), ("linalg_matrix_rank", "tol_tensor")):
    samples_of(f"{_name}.atol_rtol_float", WITH_NUMBERS, tolerance="composed")
    samples_of(f"{_name}.atol_rtol_tensor", WITH_TENSORS, tolerance="composed")
    samples_of(_name, WITH_NUMBER, tolerance="composed")
    samples_of(f"{_name}.{_tensor}", WITH_TENSOR, tolerance="composed")
samples_of("pinverse", [*RECTANGLES, *of_matrices(GENERAL[:2], 0.3), *IMPRECISE], tolerance="composed")
samples_of(
    "linalg_cond",
    [
        *RECTANGLES,
        *[each for p in (1, math.inf, -2) for each in of_matrices(GENERAL, p)],
        *of_matrices(GENERAL, -1, smooth=False),
        ours(plain(2, 2, 2, seed=3), 1),
        ours(ZEROS, 1, differentiable=False),
        bad("RuntimeError", tensor(3)),
        bad("RuntimeError", tensor(2, 2), 3),
        bad("RuntimeError", tensor(3, 2), 1),
        bad("RuntimeError", tensor(2, 2), dtypes=["int64", "bool"]),
    ],
    tolerance="composed",
)
samples_of(
    "linalg_cond.p_str",
    [
        *of_matrices(GENERAL, "fro"),
        *of_matrices(GENERAL, "nuc"),
        ours(plain(2, 0, 0), "fro"),
        bad("RuntimeError", tensor(2, 2), "inf"),
        bad("RuntimeError", tensor(3, 2), "nuc"),
    ],
    tolerance="composed",
)
BLOCK: list[list[complex]] = [[3, 1j, -0.5, 1], [-1, 2, 0.25, -1], [0.5, 1, -2, 1 + 1j], [1, -0.5, 1, 4]]


def block(sizes: tuple[int, ...], strides: tuple[int, ...], dtype: str) -> TensorDescription:
    """The numbers of BLOCK as a tensor of these sizes."""
    return given(matrix(BLOCK, dtype).contents.numbers, sizes, strides, 0, dtype)


samples_of(
    "linalg_tensorinv",
    [
        *[sample(block((4, 2, 2), (4, 2, 1), dtype), 1, dtypes=[dtype]) for dtype in FULL],
        *[sample(block((2, 2, 2, 2), (2, 1, 8, 4), dtype), dtypes=[dtype]) for dtype in FULL],
        ours(plain(0, 3, 2, 0)),
        bad("RuntimeError", tensor(2, 2, 2, 2), 0),
        bad("RuntimeError", tensor(2, 2, 2), 2),
        bad("RuntimeError", tensor(2, 2), 3),
        bad("RuntimeError", ZEROS, 1),
    ],
    tolerance="composed",
)
samples_of(
    "linalg_tensorsolve",
    [
        *[sample(block((2, 2, 4), (8, 4, 1), dtype), plain(2, 2), dtypes=[dtype]) for dtype in FULL],
        *[sample(block((4, 2, 2), (4, 2, 1), dtype), plain(2, 2), [0], dtypes=[dtype]) for dtype in FULL],
        *[
            sample(block((2, 2, 2, 2), (2, 8, 4, 1), dtype), plain(2, 2), [0, -1], dtypes=[dtype])
            for dtype in FULL
        ],
        bad("RuntimeError", tensor(2, 2, 3), tensor(2, 2)),
        bad("RuntimeError", tensor(4, 2, 2), tensor(2, 2), [0, 0]),
        bad("RuntimeError", tensor(2, 2, 4), tensor(2, 2, dtype="float64")),
        bad("RuntimeError", ZEROS, plain(2)),
    ],
    tolerance="composed",
)
samples_of(
    "linalg_vander",
    [
        sample(tensor(3), dtypes=("int8", "int64", *FULL)),
        ours(tensor(2, 3), N=4),
        ours(tensor(), N=2),
        ours(tensor(0), N=3),
        bad("RuntimeError", tensor(3), N=1),
        bad("RuntimeError", tensor(1)),
        bad("RuntimeError", tensor(3), dtypes=("bool", "float16", "bfloat16")),
    ],
    tolerance="composed",
)
samples_of(
    "vander",
    [
        sample(tensor(3)),
        sample(tensor(3), 4, True),
        sample(tensor(2), 0),
        sample(tensor(0), 2),
        bad("RuntimeError", tensor(2, 3)),
        bad("RuntimeError", tensor(3), -1),
    ],
    tolerance="composed",
)
samples_of(
    "linalg_matmul",
    [
        sample(tensor(2, 3), tensor(3, 2)),
        sample(tensor(2, 2, 3), tensor(3)),
        bad("RuntimeError", tensor(2, 3), tensor(2, 3)),
    ],
    tolerance="terms",
)
TALL, WIDE = [line[:2] for line in GENERAL], GENERAL[:2]
samples_of(
    "linalg_lstsq",
    [
        *[
            sample(matrix(rows, dtype), plain(len(rows), 2), driver=driver, dtypes=[dtype])
            for driver in ("gels", "gelsd", None)
            for rows in (TALL, WIDE)
            for dtype in FULL
        ],
        *[sample(matrix(TALL, dtype), plain(3), driver="gelss", dtypes=[dtype]) for dtype in FULL],
        *[
            sample(
                matrix(WIDE, dtype, True),
                plain(2, 1),
                0.8,
                driver="gelsd",
                dtypes=[dtype],
                differentiable=False,
            )
            for dtype in FULL
        ],
        *[
            sample(
                given([1, 2, 3, 4, 5, 7, 2, 1], (2, 4, 1), (4, 1, 1), 0, dtype), plain(2, 4), dtypes=[dtype]
            )
            for dtype in FULL
        ],
        *[sample(matrix(TALL, dtype), plain(3, 0), driver="gels", dtypes=[dtype]) for dtype in FULL],
        ours(plain(2, 3, 0), plain(2, 3, 1), driver="gelsd"),
        ours(plain(0, 3), plain(0, 2)),
        bad("RuntimeError", tensor(3), tensor(3)),
        bad("RuntimeError", tensor(3, 2), tensor()),
        bad("RuntimeError", tensor(3, 2), tensor(2, 1)),
        bad("RuntimeError", tensor(3, 2), tensor(2)),
        bad("RuntimeError", tensor(3, 2), tensor(2, 3, 1)),
        bad("RuntimeError", tensor(3, 2), tensor(3, 1, dtype="float64")),
        bad("RuntimeError", tensor(3, 2), tensor(3, 1), driver="gesdd"),
        bad("RuntimeError", matrix([[1, 0], [0, 0]], "float32"), tensor(2, 1), driver="gels"),
        bad("RuntimeError", tensor(3, 2), tensor(3, 1), dtypes=HALVES),
    ],
    tolerance="composed",
)
