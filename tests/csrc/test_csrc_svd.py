"""Singular value decompositions of the C library and of the reference, beside NumPy's singular values."""

import pytest

np = pytest.importorskip("numpy")

import gnomon as gn  # noqa: E402

DTYPES = ("float32", "float64", "complex64", "complex128")
KINDS = {
    "any": lambda a: a,
    "integers": lambda a: np.round(a),
    "multiple values": lambda a: 0 * a + np.eye(*a.shape[-2:]),
    "zero": lambda a: 0 * a,
    "rank one": lambda a: a[..., :1] @ a[..., :1, :],
    "a column of zeros": lambda a: a * (np.arange(a.shape[-1]) != 1),
    "small": lambda a: a * 1e-35,
    "large": lambda a: a * 1e35,
    "at the ends of double": lambda a: a * (1e300 if a.shape[-1] % 2 else 1e-300),
    "graded columns": lambda a: a * 10.0 ** (-2 * np.arange(a.shape[-1])),
    "graded rows": lambda a: a * 10.0 ** (-2 * np.arange(a.shape[-2]))[:, None],
    "graded to the other end": lambda a: a * 10.0 ** (2 * np.arange(a.shape[-1]) - 2.0 * a.shape[-1]),
    "bidiagonal with zeros": lambda a: np.triu(np.tril(np.round(a / 2), 1)),
    "repeated columns": lambda a: a[..., np.arange(a.shape[-1]) // 3],
    "steep rows": lambda a: a * 1e-30 ** np.arange(a.shape[-2])[:, None],
}


def matrices(kind, dtype, sizes):
    random = np.random.default_rng(sizes)
    a = random.standard_normal((3, *sizes))
    if dtype.startswith("complex"):
        a = a + 1j * random.standard_normal((3, *sizes))
    with np.errstate(over="ignore"):
        return KINDS[kind](a).astype(dtype)


def check(kind, dtype, sizes, device):
    a = matrices(kind, dtype, sizes)
    if not np.isfinite(a).all() or (kind == "at the ends of double" and dtype in ("float32", "complex64")):
        pytest.skip("the dtype has no such numbers")
    expected = np.linalg.svd(a.astype("complex128"), compute_uv=False)
    eps = np.finfo(dtype).eps
    limit = 8 * max(sizes) ** 0.5 * eps * np.abs(expected).max()
    u, values, vh = (each.numpy() for each in gn.linalg.svd(gn.tensor(a, device=device), full_matrices=False))
    assert (np.diff(values) <= 0).all() and np.abs(values - expected).max() <= limit
    u, vh = u.astype("complex128"), vh.astype("complex128")
    assert np.abs((u * values[:, None, :]) @ vh - a).max() <= limit
    eye = np.eye(min(sizes))
    assert np.abs(u.conj().swapaxes(1, 2) @ u - eye).max() <= 8 * max(sizes) * eps
    assert np.abs(vh @ vh.conj().swapaxes(1, 2) - eye).max(initial=0) <= 8 * max(sizes) * eps


@pytest.mark.skipif(not gn.backends()["c"].available, reason="the C extension is not built")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "sizes", [(1, 1), (2, 2), (3, 3), (5, 3), (3, 5), (5, 5), (16, 16), (33, 20), (20, 64)]
)
def test_on_c(sizes, kind, dtype):
    check(kind, dtype, sizes, "c")


@pytest.mark.skipif(not gn.backends()["c"].available, reason="the C extension is not built")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", ["any", "rank one", "zero", "graded columns", "a column of zeros"])
def test_full_matrices_and_strides_on_c(kind, dtype):
    for sizes in ((9, 6), (6, 9), (24, 13), (40, 7), (0, 6), (12, 12)):
        a = matrices(kind, dtype, sizes) if 0 not in sizes else np.zeros((3, *sizes), dtype)
        wide = gn.zeros(3, sizes[1] * 2, sizes[0], dtype=getattr(gn, dtype), device="c")
        view = wide.mT[..., ::2]
        view.copy_(gn.tensor(a, device="c"))
        u, values, vh = (each.numpy() for each in gn.linalg.svd(view, full_matrices=True))
        assert u.shape == (3, sizes[0], sizes[0]) and vh.shape == (3, sizes[1], sizes[1])
        eps, least = np.finfo(dtype).eps, min(sizes)
        product = (u[..., :least] * values[:, None]) @ vh[:, :least]
        assert np.abs(product - a).max(initial=0) <= 16 * eps * max(sizes) * values.max(initial=0)
        for each in (u, vh):
            eye = np.eye(each.shape[-1])
            assert np.abs(each @ each.conj().swapaxes(1, 2) - eye).max(initial=0) <= 8 * max(sizes) * eps
        alone = gn.linalg.svdvals(view).numpy()
        assert np.abs(alone - values).max(initial=0) <= 16 * eps * max(sizes) * values.max(initial=0)


@pytest.mark.skipif(not gn.backends()["c"].available, reason="the C extension is not built")
@pytest.mark.parametrize("kind", ["any", "rank one", "graded rows", "steep rows", "repeated columns"])
def test_many_rows_on_c(kind):
    check(kind, "float64", (290, 270), "c")


@pytest.mark.skipif(not gn.backends()["c"].available, reason="the C extension is not built")
@pytest.mark.parametrize("number", [float("nan"), float("inf")])
@pytest.mark.parametrize("dtype", DTYPES)
def test_numbers_that_are_not_finite_are_refused(dtype, number):
    for size in (3, 9):
        a = gn.eye(size, dtype=getattr(gn, dtype), device="c").repeat(2, 1, 1)
        a[1, size - 1, 0] = number
        for operator in (gn.linalg.svd, gn.linalg.svdvals):
            with pytest.raises(gn.linalg.LinAlgError, match=r"\(Batch element 1\): The algorithm failed"):
                operator(a)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sizes", [(3, 3), (12, 7)])
def test_on_the_reference(sizes, kind):
    check(kind, "float64", sizes, "reference")
