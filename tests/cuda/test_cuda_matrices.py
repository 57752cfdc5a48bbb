"""Factorizations, systems, exponentials and eigenvalues on the emulated GPU, against the reference's."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

import gnomon as gn
from cuda_calls import agree, close, moved, refused_alike
from gnomon.calls import launch
from gnomon_cuda import cholesky, eigh, householder, lu, matrices, matrix_exp, triangular

pytestmark = pytest.mark.usefixtures("cuda")
aten = gn.ops.aten
TOLERANCES = {"complex64": 2e-5, "complex128": 1e-12, "float32": 2e-5, "float64": 1e-12}
DTYPES = [gn.float32, gn.float64, gn.complex64, gn.complex128]
each_dtype = pytest.mark.parametrize("dtype", DTYPES, ids=lambda each: each.name)
# a warp for each matrix; a block of several warps for each
SIZES = ((3, 3), (2, 3, 4, 4), (1, 1), (19, 19))
OBLONG = ((4, 2), (2, 2, 5), (17, 20), (20, 17), (0, 3), (3, 0), (2, 0, 2))


@pytest.fixture(autouse=True)
def _seed():
    gn.manual_seed(1)


@pytest.fixture(params=["shared", "global"])
def memory(request, monkeypatch):
    """Copies of matrices in shared memory, or, as if they were large, in memory of each block."""
    if request.param == "global":
        monkeypatch.setattr(matrices, "MOST_SHARED_BYTES", 0)


def numbers(*sizes, dtype=gn.float32):
    found = gn.randn(sizes, dtype=gn.float64, device="reference")
    if dtype.is_complex:
        found = found + 1j * gn.randn(sizes, dtype=gn.float64, device="reference")
    return found.to(dtype)


def near_one(*sizes, dtype=gn.float32):
    """Well-conditioned matrices."""
    return gn.eye(sizes[-1], dtype=dtype, device="reference") * 4 + numbers(*sizes, dtype=dtype) / 4


def positive(*sizes, dtype=gn.float32):
    x = numbers(*sizes, dtype=dtype)
    return x @ x.mH + gn.eye(sizes[-1], dtype=dtype, device="reference")


def alike(function, *tensors):
    return agree(function, *tensors, tolerances=TOLERANCES)


@each_dtype
def test_cholesky(dtype, memory):
    for sizes in SIZES:
        matrix = positive(*sizes, dtype=dtype)
        matrix = gn.cat([matrix, matrix], -1)[..., : sizes[-1]]  # rows apart
        for given in (matrix, matrix.transpose(-1, -2), matrix.tril(), matrix.triu()):
            for upper in (False, True):
                alike(lambda x, upper=upper: aten.linalg_cholesky_ex.default(x, upper=upper), given)


def test_cholesky_of_matrices_that_are_not_positive_definite():
    matrices = positive(4, 18, 18)
    matrices[1, 2, 2] = -1
    matrices[2, 0, 0] = 0
    matrices[3, 17, 17] = math.nan
    for upper in (False, True):
        _, info = alike(lambda x, upper=upper: aten.linalg_cholesky_ex.default(x, upper=upper), matrices)
        assert info.tolist() == [0, 3, 1, 18]

    def checked(x):
        return aten.linalg_cholesky_ex.default(x, check_errors=True)

    assert refused_alike(gn.linalg.LinAlgError, checked, matrices)
    alike(checked, matrices[:1])


@each_dtype
def test_lu(dtype, memory):
    for sizes in (*SIZES, *OBLONG):
        for given in (numbers(*sizes, dtype=dtype), numbers(*sizes[:-2], *sizes[:-3:-1], dtype=dtype).mT):
            lu, pivots, _ = alike(aten.linalg_lu_factor_ex.default, given)
            for wanted in ((True, True), (True, False), (False, True)):
                alike(lambda a, b, wanted=wanted: aten.lu_unpack.default(a, b, *wanted), lu, pivots)


def test_lu_of_singular_matrices():
    matrices = numbers(4, 18, 18)
    matrices[1, :, 3] = 0
    matrices[2, 1:] = 1
    matrices[2, 0] = 0
    matrices[3, 5, 0] = math.nan
    _, pivots, info = alike(aten.linalg_lu_factor_ex.default, matrices)
    assert info.tolist()[:3] == [0, 4, 2]
    assert pivots[2].tolist() == [2, *range(2, 19)]  # of equal numbers the first

    def checked(x):
        return aten.linalg_lu_factor_ex.default(x, check_errors=True)

    assert refused_alike(RuntimeError, checked, matrices)
    alike(checked, matrices[:1])


def systems(dtype):
    """Matrices and right sides from the left, with batches that are broadcast; the last have no columns."""
    for sizes, right in (
        ((3, 3), (3, 2)),
        ((2, 4, 4), (3, 1, 4, 1)),
        ((19, 19), (2, 19, 3)),
        ((0, 0), (0, 2)),
        ((3, 3), (3, 0)),
        ((0, 2, 2), (2, 2)),
    ):
        yield near_one(*sizes, dtype=dtype), numbers(*right, dtype=dtype)


@each_dtype
@pytest.mark.parametrize("left", [True, False], ids=["left", "right"])
def test_systems(dtype, left, memory):
    for matrix, right in systems(dtype):
        right = right if left else right.mT
        for upper, unitriangular in ((True, False), (False, False), (True, True), (False, True)):
            options = {"upper": upper, "left": left, "unitriangular": unitriangular}

            def solve(a, b, options=options):
                return aten.linalg_solve_triangular.default(a, b, **options)

            alike(solve, matrix, right)
        lu, pivots, _ = aten.linalg_lu_factor_ex.default(numbers(*matrix.shape, dtype=dtype))
        for adjoint in (False, True):

            def solve_factored(a, b, c, adjoint=adjoint):
                return aten.linalg_lu_solve.default(a, b, c, left=left, adjoint=adjoint)

            wanted, found = (
                solve_factored(*(moved(x, on) for x in (lu, pivots, right))) for on in ("reference", "cuda")
            )
            scale = wanted.abs().max().item() if wanted.numel() else 0
            close(wanted, found, TOLERANCES[dtype.name], 10 * TOLERANCES[dtype.name] * scale)


def test_singular_systems_have_infinite_and_undefined_solutions():
    triangle = gn.tensor([[1.0, 2], [0, 0]], device="reference")
    right = gn.tensor([[1.0], [1]], device="reference")
    (found,) = alike(lambda a, b: gn.linalg.solve_triangular(a, b, upper=True), triangle, right)
    assert found.flatten().tolist() == [-math.inf, math.inf]


def test_impossible_pivots_are_refused():
    matrix, right = near_one(2, 3, 3), numbers(2, 3, 2)
    for odd in (0, 4, -1):
        pivots = gn.tensor([[1, 2, 3], [1, odd, 3]], dtype=gn.int32, device="reference")
        assert refused_alike(RuntimeError, aten.linalg_lu_solve.default, matrix, pivots, right)
        assert refused_alike(RuntimeError, aten.lu_unpack.default, matrix, pivots)
        alike(lambda a, b: aten.lu_unpack.default(a, b, True, False), matrix, pivots)


@each_dtype
def test_reflections(dtype, memory):
    for sizes in (*SIZES, *OBLONG, (40, 2)):
        source = numbers(*sizes, dtype=dtype)
        for given in (source, source.mT.contiguous().mT):
            found, taus = alike(aten.geqrf.default, given)
        if dtype.is_complex:  # makes the number real
            _, one = alike(aten.geqrf.default, gn.tensor([[2j]], dtype=dtype, device="reference"))
            assert one.tolist() == [1 + 1j]
        rows, columns = sizes[-2:]
        vectors = found[..., : min(rows, columns)]
        for count in {0, taus.size(-1) // 2, taus.size(-1)}:
            alike(aten.linalg_householder_product.default, vectors, taus[..., :count])


def test_reflections_of_columns_that_need_none_and_of_numbers_far_from_one():
    given = gn.zeros(4, 3, 3, device="reference")
    given[1] = gn.eye(3, device="reference")
    given[2] = numbers(3, 3) * 1e30
    given[3] = numbers(3, 3) * 1e-30
    _, taus = alike(aten.geqrf.default, given)
    assert taus[:2].tolist() == [[0.0] * 3] * 2


@each_dtype
def test_exponentials(dtype, memory):
    """Norms that need each of the polynomials, and norms that need squaring."""
    norms = (1e-9, 1e-4, 4e-3, 0.06, 0.25, 0.75, 3.0, 9.0)
    for sizes, wanted in (((2, 2, 2), norms), ((17, 17), norms[-2:]), ((0, 0), norms[:1])):
        for norm in wanted:
            matrix = numbers(*sizes, dtype=dtype) * (norm / max(1, sizes[-1]))
            alike(aten.linalg_matrix_exp.default, matrix)
    for odd in (math.nan, math.inf):
        matrix = gn.zeros(2, 2, 2, dtype=dtype, device="reference")
        matrix[1, 0, 1] = odd
        wanted, found = (aten.linalg_matrix_exp.default(moved(matrix, on)) for on in ("reference", "cuda"))
        assert gn.equal(found[0].to("reference"), wanted[0])
        assert wanted[1].isnan().all() and found[1].isnan().all()


@each_dtype
def test_eigenvectors(dtype, memory):
    """Their signs, too, are the reference's; of the matrix, one triangle is read."""
    for sizes in (*SIZES, (0, 0), (0, 2, 2), (2, 0, 0)):
        given = numbers(*sizes, dtype=dtype)
        for uplo in ("L", "u"):
            alike(lambda x, uplo=uplo: aten._linalg_eigh.default(x, uplo), given.mT)
            values, none = alike(lambda x, uplo=uplo: aten._linalg_eigh.default(x, uplo, False), given)
            assert none.shape == (0,) and values.shape == given.shape[:-1]


def test_eigenvalues_that_are_equal_and_numbers_far_from_one():
    ones = gn.ones(18, 18, device="reference")
    values, vectors = (each.to("reference") for each in aten._linalg_eigh.default(ones.to("cuda")))
    assert values.tolist() == pytest.approx([0] * 17 + [18], abs=1e-5)
    assert ((vectors * values) @ vectors.mT - ones).abs().max() < 1e-5
    for factor in (0.0, 1e-30, 1e30):
        matrix = gn.tensor([[2.0, 1], [1, 2]], device="reference") * factor
        values = aten._linalg_eigh.default(matrix.to("cuda"))[0]
        assert values.tolist() == pytest.approx([factor, 3 * factor], rel=1e-6)


def test_a_matrix_that_is_not_finite_has_no_eigenvalues():
    for odd in (math.nan, math.inf):
        given = gn.zeros(2, 2, 2, device="reference")
        given[1, 1, 0] = odd
        assert refused_alike(gn.linalg.LinAlgError, aten._linalg_eigh.default, given)
        alike(lambda x: aten._linalg_eigh.default(x, "U"), given)  # reads the other triangle


def test_copies_leave_room_for_the_shared_variables_of_kernels():
    """The emulation does not know how many there are; NVIDIA's compiler does."""
    record = json.loads((Path(__file__).resolve().parents[2] / "docs" / "cuda_kernels.json").read_text())
    texts = {family.TEXT for family in (cholesky, eigh, householder, lu, matrix_exp, triangular)}
    needs = [entry["shared"] for name, entry in record["parts"].items() if name.split()[0] in texts]
    assert max(needs, default=0) + matrices.MOST_SHARED_BYTES <= 48 * 1024


GRADIENTS = {
    "cholesky": (lambda x: gn.linalg.cholesky(x @ x.mT), 1),
    "qr": (lambda x: gn.linalg.qr(x), 1),
    "solve": (lambda x, y: gn.linalg.solve(x, y), 2),
    "solve_triangular": (lambda x, y: gn.linalg.solve_triangular(x, y, upper=True), 2),
    "lu": (lambda x: gn.linalg.lu(x)[1:], 1),
    "inv": (lambda x: gn.linalg.inv(x), 1),
    "eigh": (lambda x: gn.linalg.eigvalsh(x @ x.mT), 1),
    "matrix_exp": (lambda x: gn.linalg.matrix_exp(x), 1),
    "cholesky_solve": (lambda x, y: gn.cholesky_solve(y, x), 2),
    "householder_product": (lambda x, y: gn.linalg.householder_product(x, y[:, 0]), 2),
}


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients_never_leave_the_gpu(name):
    function, count = GRADIENTS[name]
    given = [near_one(4, 4), numbers(4, 4)][:count]
    grads = []
    for on in ("reference", "cuda"):
        before, declined = dict(launch.fallbacks), dict(launch.declined)
        leaves = [moved(each, on).requires_grad_() for each in given]
        made = function(*leaves)
        made = (made,) if isinstance(made, gn.Tensor) else made
        sum((each * each).sum() for each in made).backward()
        assert on == "reference" or (dict(launch.fallbacks), dict(launch.declined)) == (before, declined)
        grads.append([each.grad for each in leaves])
    for one, other in zip(*grads):
        assert other.device.type == "cuda"
        close(one, other, 1e-3, 1e-4)
