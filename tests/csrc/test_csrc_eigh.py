"""The C library's eigenvalues and eigenvectors of Hermitian matrices, beside NumPy's eigenvalues."""

import pytest

np = pytest.importorskip("numpy")

import gnomon as gn  # noqa: E402

pytestmark = pytest.mark.skipif(not gn.backends()["c"].available, reason="the C extension is not built")

DTYPES = ("float32", "float64", "complex64", "complex128")
KINDS = {
    "any": lambda a: a,
    "integers": lambda a: np.round(a),
    "multiple eigenvalues": lambda a: 0 * a + np.eye(a.shape[-1]),
    "tridiagonal": lambda a: np.triu(np.tril(a, 1), -1),
    "zero": lambda a: 0 * a,
    "rank one": lambda a: a[..., :1] @ a[..., :1].conj().swapaxes(-1, -2),
    "of two blocks": lambda a: np.where(np.add.outer(*2 * [np.arange(a.shape[-1]) % 2]) == 1, 0, a),
    "small": lambda a: a * 1e-35,
    "large": lambda a: a * 1e35,
    "graded": lambda a: a * np.multiply.outer(*2 * [2.0 ** -np.arange(a.shape[-1])]),
    "steeply graded": lambda a: a * np.multiply.outer(*2 * [10.0 ** (-4 * np.arange(a.shape[-1]))]),
}


def hermitian(kind, dtype, count):
    random = np.random.default_rng(count)
    a = random.standard_normal((3, count, count))
    if dtype.startswith("complex"):
        a = a + 1j * random.standard_normal((3, count, count))
    return KINDS[kind](a + a.conj().swapaxes(1, 2)).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("count", (1, 2, 3, 4, 7, 32, 65))
def test_values(count, kind, dtype):
    a = hermitian(kind, dtype, count)
    expected = np.linalg.eigvalsh(a.astype("complex128"))
    limit = 8 * count**0.5 * np.finfo(dtype).eps * np.abs(expected).max()
    on_c = gn.tensor(a, device="c")
    found = gn.linalg.eigvalsh(on_c)
    assert found.dtype is gn.tensor(a).real.dtype and found.stride() == (count, 1)
    assert (np.diff(found.numpy()) >= 0).all()
    assert np.abs(found.numpy() - expected).max() <= limit
    values, vectors = (each.numpy() for each in gn.linalg.eigh(on_c))
    assert vectors.dtype == a.dtype and np.abs(values - expected).max() <= limit
    wide = vectors.astype("complex128")
    assert np.abs(a @ wide - wide * values[:, None]).max() <= limit
    eye = np.eye(count)
    assert np.abs(wide.conj().swapaxes(1, 2) @ wide - eye).max() <= 16 * count**0.5 * np.finfo(dtype).eps


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("UPLO", "LU")
def test_one_triangle_is_read(UPLO, dtype):
    a = hermitian("any", dtype, 5)
    other = np.full_like(a, np.nan)
    kept = np.tril(a) + np.triu(other, 1) if UPLO == "L" else np.triu(a) + np.tril(other, -1)
    for given in (gn.tensor(kept, device="c"), gn.tensor(kept.swapaxes(1, 2).copy(), device="c").mT):
        found = gn.linalg.eigvalsh(given, UPLO)
        assert found.tolist() == gn.linalg.eigvalsh(gn.tensor(a, device="c"), UPLO).tolist()


def test_not_finite():
    a = gn.eye(3, device="c")
    a[2, 0] = gn.nan
    with pytest.raises(gn.linalg.LinAlgError, match="failed to converge"):
        gn.linalg.eigvalsh(a)
