"""The C library's large matrices, which a LAPACK factors if there is one, beside NumPy."""

import os
import subprocess
import sys
from typing import Any

import pytest

np = pytest.importorskip("numpy")

import gnomon as gn  # noqa: E402

pytestmark = pytest.mark.skipif(not gn.backends()["c"].available, reason="the C extension is not built")
DTYPES = ("float32", "float64", "complex64", "complex128")
# the least sizes for some routine, and for all
LU_SIZES = [(128, 128), (150, 130), (130, 150)]
SIZES = [(256, 256), (260, 257), (257, 260)]
QR_SIZES = [*SIZES, (1000, 33), (33, 1000), (400, 100)]
# layouts of one dtype, and all dtypes
WAYS = [
    ("float64", "rows"),
    ("float32", "columns"),
    ("complex64", "rows"),
    ("complex128", "strided"),
]


def numbers(dtype: str, *sizes: int) -> Any:
    random = np.random.default_rng(sizes)
    a = random.standard_normal((2, *sizes))
    return (a + 1j * random.standard_normal((2, *sizes)) if dtype.startswith("complex") else a).astype(dtype)


def on_c(array: Any, layout: str = "rows") -> Any:
    """A tensor of these numbers; "strided" has NaN between its elements."""
    made = gn.tensor(array, device="c")
    if layout == "columns":
        return made.mT.contiguous().mT
    if layout == "strided":
        *batch, rows, columns = array.shape
        room = gn.full((*batch, columns, 2 * rows), float("nan"), dtype=made.dtype, device="c")
        return room.mT[..., ::2, :].copy_(made)
    return made


def wide(tensor: Any) -> Any:
    return tensor.numpy().astype("complex128")


def limit(dtype: str, a: Any) -> float:
    return float(16 * max(a.shape[-2:]) * np.finfo(dtype).eps * max(1, np.abs(a).max()))


def adjoint(a: Any) -> Any:
    return a.conj().swapaxes(-1, -2)


def by_columns(rows: int, columns: int) -> tuple[int, int, int]:
    return (rows * columns, 1, rows)


@pytest.mark.parametrize(("dtype", "layout"), WAYS)
@pytest.mark.parametrize("sizes", LU_SIZES)
def test_factors_of_lu(sizes: tuple[int, int], dtype: str, layout: str) -> None:
    a = numbers(dtype, *sizes)
    factors, pivots, info = gn.linalg.lu_factor_ex(on_c(a, layout))
    assert factors.numpy().dtype == a.dtype and factors.stride() == by_columns(*sizes)
    assert pivots.dtype is gn.int32 and pivots.shape == (2, min(sizes)) and info.tolist() == [0, 0]
    p, lower, upper = (wide(each) for each in gn.lu_unpack(factors, pivots))
    assert np.abs(lower).max() <= 1.5 and np.abs(p @ lower @ upper - a).max() <= limit(dtype, a)


@pytest.mark.parametrize("dtype", DTYPES)
def test_pivots_are_the_largest_and_those_of_singular_matrices_are_told(dtype: str) -> None:
    a = numbers(dtype, 140, 140)
    pivots = gn.linalg.lu_factor(on_c(a))[1].numpy()
    for k in (0, 1):
        sizes = np.abs(a[k, :, 0].real) + np.abs(a[k, :, 0].imag)
        assert pivots[k, 0] == sizes.argmax() + 1
    a[1, :, 7] = 0
    factors, pivots, info = gn.linalg.lu_factor_ex(on_c(a))
    assert info.tolist() == [0, 8]
    p, lower, upper = (wide(each) for each in gn.lu_unpack(factors, pivots))
    assert np.abs(p @ lower @ upper - a).max() <= limit(dtype, a)
    with pytest.raises(RuntimeError, match="singular"):
        gn.linalg.solve(on_c(a), on_c(a))


@pytest.mark.parametrize(("dtype", "layout"), WAYS)
@pytest.mark.parametrize("width", (1, 16, 17))
@pytest.mark.parametrize("left", (True, False))
def test_systems(left: bool, width: int, dtype: str, layout: str) -> None:
    a = numbers(dtype, 140, 140) + 40 * np.eye(140, dtype=dtype)
    b = numbers(dtype, 140, width) if left else numbers(dtype, width, 140)
    right = on_c(b, layout)
    factors, pivots = gn.linalg.lu_factor(on_c(a))
    factors = on_c(factors.numpy(), layout)
    bound = 100 * np.finfo(dtype).eps
    for is_adjoint in (False, True):
        x = gn.linalg.lu_solve(factors, pivots, right, left=left, adjoint=is_adjoint)
        matrix = adjoint(a) if is_adjoint else a
        assert x.numpy().dtype == a.dtype and x.stride() == (
            by_columns(*b.shape[1:]) if left else (b.shape[1] * b.shape[2], b.shape[2], 1)
        )
        assert np.abs((matrix @ wide(x) if left else wide(x) @ matrix) - b).max() <= 40 * bound
    for upper in (False, True):
        triangle = np.triu(a) if upper else np.tril(a)
        x = gn.linalg.solve_triangular(on_c(a, layout), right, upper=upper, left=left)
        assert np.abs((triangle @ wide(x) if left else wide(x) @ triangle) - b).max() <= 40 * bound
        np.fill_diagonal(triangle[0], 1)
        np.fill_diagonal(triangle[1], 1)
        scaled = (triangle * 0.01 + 0.99 * np.eye(140)).astype(dtype)
        x = gn.linalg.solve_triangular(
            on_c(scaled, layout), right, upper=upper, left=left, unitriangular=True
        )
        assert np.abs((scaled @ wide(x) if left else wide(x) @ scaled) - b).max() <= 40 * bound


@pytest.mark.parametrize("dtype", ("float32", "float64"))
def test_a_triangle_whose_inverse_overflows_is_divided_by(dtype: str) -> None:
    least = np.finfo(dtype).smallest_subnormal
    a = np.eye(130, dtype=dtype)
    a[5, 5] = least
    b = np.full((130, 1), 2 * least, dtype)
    found = gn.linalg.solve_triangular(on_c(a), on_c(b), upper=True).numpy()[:, 0]
    assert found[5] == 2 and found[0] == 2 * least


@pytest.mark.parametrize(("dtype", "layout"), WAYS)
@pytest.mark.parametrize("sizes", QR_SIZES)
def test_factors_of_qr(sizes: tuple[int, int], dtype: str, layout: str) -> None:
    a = numbers(dtype, *sizes)
    a[1, :, 3] = 0
    rows, columns = sizes
    for mode in ("reduced", "complete", "r"):
        q, r = gn.linalg.qr(on_c(a, layout), mode=mode)
        assert r.numpy().dtype == a.dtype and not np.tril(wide(r), -1).any()
        if mode == "r":
            assert np.abs(np.abs(wide(r)) - np.abs(np.linalg.qr(a, mode="r"))).max() <= 8 * limit(dtype, a)
            continue
        wanted = rows if mode == "complete" else min(sizes)
        assert q.shape == (2, rows, wanted) and r.shape == (2, wanted, columns)
        assert np.abs(wide(q) @ wide(r) - a).max() <= limit(dtype, a)
        assert np.abs(adjoint(wide(q)) @ wide(q) - np.eye(wanted)).max() <= limit(dtype, q.numpy())


@pytest.mark.parametrize(("dtype", "layout"), WAYS)
@pytest.mark.parametrize("count", (192, 200))
def test_eigenvalues_of_hermitian_matrices(count: int, dtype: str, layout: str) -> None:
    a = numbers(dtype, count, count)
    a = a + adjoint(a)
    expected = np.linalg.eigvalsh(a.astype("complex128"))
    bound = 4 * limit(dtype, expected)
    for UPLO in "LU":
        read = (np.tril(a) if UPLO == "L" else np.triu(a)).astype(dtype)
        values, vectors = gn.linalg.eigh(on_c(read, layout), UPLO=UPLO)
        assert values.dtype is on_c(a).real.dtype and values.stride() == (count, 1)
        assert vectors.numpy().dtype == a.dtype and vectors.stride() == by_columns(count, count)
        assert np.abs(values.numpy() - expected).max() <= bound
        assert np.abs(a @ wide(vectors) - wide(vectors) * values.numpy()[:, None]).max() <= bound
        assert np.abs(adjoint(wide(vectors)) @ wide(vectors) - np.eye(count)).max() <= limit(
            dtype, vectors.numpy()
        )
        assert np.abs(gn.linalg.eigvalsh(on_c(read, layout), UPLO=UPLO).numpy() - expected).max() <= bound


@pytest.mark.parametrize("dtype", ("float32", "float64"))
@pytest.mark.parametrize("kind", ("tiny", "huge", "graded", "diagonal", "of rank 2", "blocks"))
def test_eigenvalues_of_unusual_matrices(kind: str, dtype: str) -> None:
    """Of sizes for which a panel is full, has one column, and lacks one."""
    tiny, huge = (1e-42, 1e37) if dtype == "float32" else (1e-310, 1e307)
    for count in (192, 193, 223):
        a = numbers("float64", count, count)[0]
        a = a + a.T
        a /= np.abs(a).max()
        if kind == "graded":
            scale = np.logspace(0, -8, count)
            a = scale[:, None] * a * scale
        elif kind == "diagonal":
            a = np.diag(np.diag(a))
        elif kind == "of rank 2":
            a = np.outer(a[0], a[0]) - np.outer(a[1], a[1])
        elif kind == "blocks":
            a[: count // 2, count // 2 :] = a[count // 2 :, : count // 2] = 0
        a = (a * {"tiny": tiny, "huge": huge}.get(kind, 1)).astype(dtype)
        largest = float(np.abs(a).max())
        scaled = a.astype("float64") / largest if kind != "tiny" else a.astype("longdouble") / largest
        scaled = scaled.astype("float64")
        expected = np.linalg.eigvalsh(scaled)
        other = np.triu(np.full((count, count), np.nan), 1).astype(dtype)  # is not read
        found, vectors = (each.numpy().astype("float64") for each in gn.linalg.eigh(on_c(np.tril(a) + other)))
        bound = 16 * count**0.5 * float(np.finfo(dtype).eps) * np.abs(expected).max()
        if kind == "tiny":  # eigenvalues are multiples of the least number
            bound += float(np.finfo(dtype).smallest_subnormal) / largest
        assert np.abs(found / largest - expected).max() <= bound
        assert np.abs(scaled @ vectors - vectors * expected).max() <= 4 * bound
        assert np.abs(vectors.T @ vectors - np.eye(count)).max() <= limit(dtype, vectors)
        values = gn.linalg.eigvalsh(on_c(np.tril(a) + other)).numpy().astype("float64")
        assert np.abs(values / largest - expected).max() <= bound


@pytest.mark.parametrize(("dtype", "layout"), WAYS)
@pytest.mark.parametrize("sizes", SIZES)
def test_singular_values(sizes: tuple[int, int], dtype: str, layout: str) -> None:
    a = numbers(dtype, *sizes)
    a[1, :, 5] = a[1, :, 6]
    rows, columns = sizes
    count = min(sizes)
    expected = np.linalg.svd(a.astype("complex128"), compute_uv=False)
    bound = 4 * limit(dtype, expected)
    assert np.abs(gn.linalg.svdvals(on_c(a, layout)).numpy() - expected).max() <= bound
    for full in (False, True):
        u, s, vh = gn.linalg.svd(on_c(a, layout), full_matrices=full)
        assert u.shape == (2, rows, rows if full else count) and vh.shape == (
            2,
            columns if full else count,
            columns,
        )
        assert u.numpy().dtype == vh.numpy().dtype == a.dtype and s.dtype is on_c(a).real.dtype
        assert u.stride() == by_columns(*u.shape[1:]) and np.abs(s.numpy() - expected).max() <= bound
        product = wide(u)[..., :count] * s.numpy()[:, None, :] @ wide(vh)[:, :count]
        assert np.abs(product - a).max() <= bound
        for one in (adjoint(wide(u)) @ wide(u), wide(vh) @ adjoint(wide(vh))):
            assert np.abs(one - np.eye(one.shape[-1])).max() <= 4 * limit(dtype, one)


@pytest.mark.parametrize(("dtype", "layout"), WAYS)
@pytest.mark.parametrize("count", (128,))
def test_eigenvalues_of_general_matrices(count: int, dtype: str, layout: str) -> None:
    a = numbers(dtype, count, count)
    a[1] = a[1] @ np.diag(np.arange(count) > 0).astype(dtype)  # singular
    expected = np.linalg.eigvals(a.astype("complex128"))
    values, vectors = gn.linalg.eig(on_c(a, layout))
    assert values.numpy().dtype == vectors.numpy().dtype == np.result_type(dtype, "complex64")
    assert vectors.stride() == by_columns(count, count)
    bound = 16 * limit(dtype, expected)
    assert np.abs(a @ wide(vectors) - wide(vectors) * wide(values)[:, None]).max() <= bound
    assert np.abs(np.linalg.norm(wide(vectors), axis=1) - 1).max() <= limit(dtype, vectors.numpy())
    bound = np.finfo(dtype).eps ** 0.5 * count  # some eigenvalues are sensitive
    for found in (wide(values), wide(gn.linalg.eigvals(on_c(a, layout)))):
        for k in (0, 1):
            assert np.abs(found[k][:, None] - expected[k]).min(axis=1).max() <= bound
            assert np.abs(found[k][:, None] - expected[k]).min(axis=0).max() <= bound


@pytest.mark.parametrize("bad", (np.nan, np.inf))
@pytest.mark.parametrize("dtype", DTYPES)
def test_numbers_that_are_not_finite_are_refused_or_kept(dtype: str, bad: float) -> None:
    a = numbers(dtype, 260, 260)
    a[1, 30, 20] = bad
    for name in ("eigh", "eigvalsh", "svd", "svdvals", "eig", "eigvals"):
        with pytest.raises(RuntimeError, match=r"(?i)converge|nan|inf"):
            getattr(gn.linalg, name)(on_c(a[1]))  # of a batch, the reference would decompose the others
    factors = gn.linalg.lu_factor_ex(on_c(a))[0]
    one = gn.linalg.lu_factor_ex(on_c(a[:1]))[0]
    assert gn.equal(factors[:1], one) and not np.isfinite(factors[1].numpy()).all()
    assert not np.isfinite(gn.linalg.qr(on_c(a))[1][1].numpy()).all()
    b = a[..., 18:22]
    x = gn.linalg.solve_triangular(on_c(np.eye(260, dtype=dtype)), on_c(b), upper=True).numpy()
    assert (np.isfinite(x).all(axis=1) == np.isfinite(b).all(axis=1)).all()


WITHOUT = """
import gnomon as gn
from gnomon_c import library
gn.set_default_device("c")
gn.manual_seed(0)
a = gn.randn(260, 260, dtype=gn.float64)
u, s, vh = gn.linalg.svd(a)
q, r = gn.linalg.qr(a)
values, vectors = gn.linalg.eigh(a + a.mT)
factors, pivots = gn.linalg.lu_factor(a)
others = gn.linalg.eigvals(a)
b = gn.linalg.solve(a, a[:, :3])
print(bool(library.open_blas()))
for part in (s, r.abs(), values, factors, others.abs().sort()[0], b, gn.linalg.eig(a)[0].abs().sort()[0]):
    print(*part.flatten().tolist())
"""


def test_results_are_the_same_without_lapack() -> None:
    def run(**variables: str) -> list[str]:
        environment = {name: value for name, value in os.environ.items() if name != "GNOMON_BLAS"}
        done = subprocess.run(
            [sys.executable, "-c", WITHOUT],
            capture_output=True,
            text=True,
            env={**environment, **variables},
            check=True,
            timeout=600,
        )
        return done.stdout.splitlines()

    without, default = run(GNOMON_BLAS="none"), run()
    assert without[0] == "False"
    for own, other in zip(without[1:], default[1:], strict=True):
        a, b = (np.array([float(number) for number in line.split()]) for line in (own, other))
        assert a.shape == b.shape and np.abs(a - b).max() <= 1e-9 * np.abs(a).max()


def test_the_package_has_all_routines() -> None:
    openblas = pytest.importorskip("scipy_openblas32")
    from gnomon_c import library

    path = library.find_blas()
    assert path is not None and openblas.get_lib_dir() in str(path)
    import cffi

    ffi = cffi.FFI()
    names = [f"scipy_{name}_" for name in (*library._LAPACK_ROUTINES, "no_such_routine")]
    for name in names:
        ffi.cdef(f"void {name}();")
    opened = ffi.dlopen(str(path))
    *addresses, none = (library._address(ffi, opened, name) for name in names)
    assert len(set(addresses)) == len(library._LAPACK_ROUTINES) == 20 and all(addresses) and none == 0


REFUSING = """
import cffi, gnomon as gn
from gnomon_c import library
library.open_blas()
ffi, calls = cffi.FFI(), []
x = gn.randn(200, 200, dtype=gn.float64, generator=gn.Generator().manual_seed(0), device="c")
x = x + x.mT
expected = gn.linalg.eigvalsh(x)
@ffi.callback("void(char *, int32_t *, double *, double *, double *, int32_t *, double *, int32_t *, "
              "int32_t *, int32_t *, int32_t *, size_t)")
def refuse(compz, n, d, e, z, ldz, work, lwork, iwork, liwork, info, one):
    calls.append((n[0], ldz[0] >= n[0], lwork[0], liwork[0]))
    info[0] = 1
table = [0.0] * 20
table[9] = float(int(ffi.cast("uintptr_t", refuse)))  # stedc of float64
library.native().lib.gn_set_lapack(table, len(table))
found, vectors = gn.linalg.eigh(x)
assert calls == [(200, True, 1 + 204 * 200, 1003)], calls
assert gn.allclose(found, expected) and gn.allclose(x @ vectors, vectors * found)
assert gn.allclose(gn.linalg.eigvalsh(x), expected)  # needs no LAPACK
gn.linalg.eigh(x[:100, :100]), gn.linalg.eigh(x.float())
assert len(calls) == 1, calls
"""


def test_the_table_is_called_and_where_it_refuses_the_kernel_of_our_own() -> None:
    subprocess.run([sys.executable, "-c", REFUSING], check=True)


@pytest.mark.parametrize("dtype", [gn.float32, gn.float64, gn.complex64, gn.complex128])
@pytest.mark.parametrize("rows", [20, 130])
def test_reflections_of_columns_of_which_rounding_leaves_little(rows, dtype):
    """Behind the first, columns are subnormal numbers or 0."""
    gn.manual_seed(1)
    column = gn.randn(rows, 1, dtype=dtype, device="c")
    several = gn.randn(rows, 5, dtype=dtype, device="c")
    for matrix in (gn.ones(rows, rows, dtype=dtype, device="c"), column.expand(rows, rows - 2).contiguous(),
                   gn.cat([several] * (rows // 5), 1)):  # fmt: skip
        Q, R = gn.linalg.qr(matrix)
        tolerance = 1e-4 if dtype in (gn.float32, gn.complex64) else 1e-12
        one = gn.eye(Q.size(-1), dtype=dtype, device="c")
        assert ((Q.mH @ Q - one).abs().max() <= tolerance).item()
        assert ((Q @ R - matrix).abs().max() <= tolerance * rows).item()
