"""QR factorizations, triangular systems and least squares of the C library, beside NumPy."""

import pytest

np = pytest.importorskip("numpy")

import gnomon as gn  # noqa: E402

pytestmark = pytest.mark.skipif(not gn.backends()["c"].available, reason="the C extension is not built")
DTYPES = ("float32", "float64", "complex64", "complex128")
SIZES = [(1, 1), (9, 1), (1, 9), (8, 8), (9, 9), (17, 9), (9, 17), (40, 33), (64, 70), (130, 141), (200, 128)]


def numbers(dtype, *sizes):
    random = np.random.default_rng(sizes)
    a = random.standard_normal(sizes)
    return (a + 1j * random.standard_normal(sizes) if dtype.startswith("complex") else a).astype(dtype)


def on_c(array, is_strided=False):
    """A tensor of these numbers; ``is_strided`` puts them in a larger one, transposed."""
    if not is_strided:
        return gn.tensor(array, device="c")
    *batch, rows, columns = array.shape
    dtype = getattr(gn, str(array.dtype))
    view = gn.full((*batch, columns, 2 * rows), float("nan"), dtype=dtype, device="c").mT[..., ::2, :]
    return view.copy_(on_c(array))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", ["any", "small", "large", "graded", "rank one", "zero", "a column of zeros"])
@pytest.mark.parametrize("sizes", SIZES)
def test_the_factors_of_qr(sizes, kind, dtype):
    a = numbers(dtype, 2, *sizes)
    is_double = dtype in ("float64", "complex128")
    end = 1e-290 if is_double else 1e-30
    scales = {
        "small": end,
        "large": 1 / end,
        "graded": end ** (np.arange(sizes[1]) / sizes[1]),
        "zero": 0,
        "a column of zeros": np.arange(sizes[1]) != 1,
    }
    a = (a[..., :1] @ a[..., :1, :] if kind == "rank one" else a * scales.get(kind, 1)).astype(dtype)
    lengths = np.abs(a).max(-2, keepdims=True)  # of each column, to which its error is in proportion
    lengths = np.where(lengths > 0, lengths, 1)
    limit = 16 * max(sizes) * np.finfo(dtype).eps
    for is_strided in (False, True):
        for mode in ("reduced", "complete"):
            q, r = (each.numpy() for each in gn.linalg.qr(on_c(a, is_strided), mode=mode))
            assert (np.tril(r, -1) == 0).all()
            assert np.abs(q @ (r / lengths) - a / lengths).max() <= limit
            assert np.abs(q.conj().swapaxes(1, 2) @ q - np.eye(q.shape[-1])).max() <= limit


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("width", [1, 3, 4, 8, 13, 17, 65])
@pytest.mark.parametrize("count", [1, 2, 7, 16, 17, 33, 50, 65, 130])
def test_triangular_systems(count, width, dtype):
    whole = numbers(dtype, 2, count, count) / count + 2 * np.eye(count)
    whole = whole.astype(dtype)
    right = numbers(dtype, 2, count, width)
    limit = 64 * count * np.finfo(dtype).eps
    for is_upper in (False, True):
        for unitriangular in (False, True):
            for is_strided in (False, True):
                t = np.triu(whole) if is_upper else np.tril(whole)
                if unitriangular:
                    t = t * (1 - np.eye(count)) + np.eye(count)
                arguments = {"upper": is_upper, "unitriangular": unitriangular}
                solve = gn.linalg.solve_triangular
                matrix = on_c(whole, is_strided)  # of which one triangle is read
                x = solve(matrix, on_c(right, is_strided), **arguments).numpy()
                assert np.abs(t @ x - right).max() <= limit * max(1, np.abs(x).max())
                y = on_c(right.swapaxes(1, 2), is_strided)
                x = solve(matrix, y, left=False, **arguments).numpy()
                assert np.abs(x @ t - right.swapaxes(1, 2)).max() <= limit * max(1, np.abs(x).max())


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("width", [1, 5, 16, 20, 65])
@pytest.mark.parametrize("count", [1, 3, 4, 8, 17, 50, 65, 130])
def test_systems_with_factors(count, width, dtype):
    a, right = numbers(dtype, 3, count, count), numbers(dtype, 3, count, width)
    factors, pivots = gn.linalg.lu_factor(on_c(a))
    for adjoint in (False, True):
        matrix = a.conj().swapaxes(1, 2) if adjoint else a
        limit = 64 * count * np.finfo(dtype).eps * np.abs(a).max()
        x = gn.linalg.lu_solve(factors, pivots, on_c(right, True), adjoint=adjoint).numpy()
        assert np.abs(matrix @ x - right).max() <= limit * max(1, np.abs(x).max())
        y = on_c(right.swapaxes(1, 2), True)
        x = gn.linalg.lu_solve(factors, pivots, y, left=False, adjoint=adjoint).numpy()
        assert np.abs(x @ matrix - right.swapaxes(1, 2)).max() <= limit * max(1, np.abs(x).max())


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("count", [49, 65, 130])
def test_right_sides_that_are_triangles_or_diagonal(count, dtype):
    whole = (numbers(dtype, 2, count, count) / count + 2 * np.eye(count)).astype(dtype)
    right = numbers(dtype, 2, count, count)
    limit = 64 * count * np.finfo(dtype).eps
    solve = gn.linalg.solve_triangular
    factors, pivots = gn.linalg.lu_factor(on_c(right))
    assert (pivots.numpy() != np.arange(1, count + 1)).any()
    for b in (np.triu(right), np.tril(right), right * np.eye(count, dtype=dtype), np.eye(count, dtype=dtype)):
        b = np.broadcast_to(b, right.shape).copy()
        for is_upper in (False, True):
            t = np.triu(whole) if is_upper else np.tril(whole)
            x = solve(on_c(whole), on_c(b), upper=is_upper).numpy()
            assert np.abs(t @ x - b).max() <= limit * max(1, np.abs(x).max())
            keeps = np.triu if is_upper else np.tril
            if (b == keeps(b)).all():
                assert (x == keeps(x)).all()
            x = solve(on_c(whole, True), on_c(b, True), upper=is_upper, left=False).numpy()
            assert np.abs(x @ t - b).max() <= limit * max(1, np.abs(x).max())
        for adjoint in (False, True):
            matrix = right.conj().swapaxes(1, 2) if adjoint else right
            x = gn.linalg.lu_solve(factors, pivots, on_c(b), adjoint=adjoint).numpy()
            scale = np.abs(x).max() * np.abs(right).max()
            assert np.abs(matrix @ x - b).max() <= limit * max(1, scale)
            x = gn.linalg.lu_solve(factors, pivots, on_c(b), left=False, adjoint=adjoint).numpy()
            assert np.abs(x @ matrix - b).max() <= limit * max(1, scale)
    inverse = gn.linalg.inv(on_c(right))
    assert inverse.stride() == (count * count, 1, count)
    assert np.abs(inverse.numpy() @ right - np.eye(count)).max() <= limit * np.abs(inverse.numpy()).max()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("sizes", [(48, 70), (70, 50), (64, 64), (65, 130), (130, 97)])
def test_the_factors_of_lu(sizes, dtype):
    a = numbers(dtype, 3, *sizes)
    a[1, :, 20] = a[1, :, 3]
    a[2, :, 17] = 0
    for is_strided in (False, True):
        factors, pivots, info = gn.linalg.lu_factor_ex(on_c(a, is_strided))
        assert factors.stride() == (sizes[0] * sizes[1], 1, sizes[0]) and info.tolist()[0] == 0
        assert info.tolist()[2] in (0, 18) and factors.numpy()[2, 17, 17].real <= 1e-3
        p, lower, upper = (each.numpy() for each in gn.lu_unpack(factors, pivots))
        assert np.abs(lower).max() <= 1.5 and (np.diagonal(lower, 0, 1, 2) == 1).all()
        assert np.abs(p @ lower @ upper - a).max() <= 8 * max(sizes) * np.finfo(dtype).eps
        for k in (0, 1, 2):
            heights = np.abs(a[k, :, 0].real) + np.abs(a[k, :, 0].imag)
            assert pivots.numpy()[k, 0] == heights.argmax() + 1


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_four_rows_have_the_bits_of_those_of_other_matrices(dtype):
    a = numbers(dtype, 50, 4, 4)
    a[3, :, 2] = 0
    a[5] = 0
    a[7] = np.round(a[7])
    wider = np.concatenate([a, numbers(dtype, 50, 4, 1)], 2)
    for is_strided in (False, True):
        found = gn.linalg.lu_factor_ex(on_c(a, is_strided))
        expected = gn.linalg.lu_factor_ex(on_c(wider))
        assert gn.equal(found.LU, expected.LU[..., :4]) and found.LU.stride() == (16, 1, 4)
        assert gn.equal(found.pivots, expected.pivots) and gn.equal(found.info, expected.info)
        assert found.info.tolist()[3] == 3 and found.info.tolist()[5] == 1
    with pytest.raises(RuntimeError, match=r"Batch element 3"):
        gn.linalg.lu_factor_ex(on_c(a), check_errors=True)
    factors, pivots = found.LU[10:], found.pivots[10:]
    for right in (numbers(dtype, 40, 4, 3), numbers(dtype, 1, 4, 1)):
        x = gn.linalg.lu_solve(factors, pivots, on_c(right)).numpy()
        assert np.abs(a[10:] @ x - right).max() <= 1e3 * np.finfo(dtype).eps * max(1, np.abs(x).max())
    pivots[2, 1] = 5
    with pytest.raises(RuntimeError, match="ivots given to lu_solve must all be"):
        gn.linalg.lu_solve(factors, pivots, on_c(right))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("count", [2, 3, 8, 17, 40])
def test_eigenvalues_are_the_same_without_vectors(count, dtype):
    a = numbers(dtype, 4, count, count)
    a[1, -1, :-1] = 0  # a row that is isolated
    a[2] = np.tril(a[2])
    a[3, :, 0] *= 1e4  # is balanced
    values, vectors = gn.linalg.eig(on_c(a))
    assert gn.equal(gn.linalg.eigvals(on_c(a)), values)
    lengths = np.linalg.norm(a, 2, (1, 2)).max()
    error = np.abs(a @ vectors.numpy() - vectors.numpy() * values.numpy()[:, None, :]).max()
    assert error <= 64 * count * np.finfo(dtype).eps * lengths


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex128"])
@pytest.mark.parametrize("sizes", [(5, 7), (70, 33), (2, 33, 70)])
def test_triangles_of_matrices_in_any_layout(sizes, dtype):
    a = (np.arange(np.prod(sizes)).reshape(sizes) % 97 + 1).astype(dtype)
    for is_strided in (False, True):
        for diagonal in (0, -3, 40, -(2**63), 2**63 - 1):
            for name in ("triu", "tril"):
                at = int(np.clip(diagonal, -200, 200))
                expected = getattr(np, name)(a, at)
                given = on_c(a, is_strided)
                columns = given if is_strided else given.mT.contiguous().mT
                for one in (given, columns, columns[..., ::2, :]):
                    wanted = getattr(np, name)(a[..., ::2, :], at) if one.shape != given.shape else expected
                    found = getattr(gn, name)(one, diagonal)
                    assert found.is_contiguous() and (found.numpy() == wanted).all()
                    changed = one.clone(memory_format=gn.preserve_format)
                    stride = changed.stride()
                    assert getattr(changed, name + "_")(diagonal) is changed and changed.stride() == stride
                    assert (changed.numpy() == wanted).all()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("sizes", [(256, 256), (300, 260), (256, 280)])
def test_large_least_squares_and_their_ranks(sizes, dtype):
    a = numbers(dtype, *sizes)
    a += 20 * np.eye(*sizes, dtype=dtype)
    right = numbers(dtype, sizes[0], 2)
    for matrix, rank in (
        (a, min(sizes)),
        (np.where(np.arange(sizes[1]) == 7, a[:, 9:10], a), min(sizes) - 1),
    ):
        if sizes[1] > sizes[0] and rank < min(sizes):  # the other columns make up for it
            matrix, rank = np.where(np.arange(sizes[0])[:, None] == 7, a[9:10], a), min(sizes) - 1
        found = gn.linalg.lstsq(on_c(matrix), on_c(right))
        expected = np.linalg.lstsq(matrix.astype("float64"), right, rcond=1e-6)[0]
        assert found.rank.item() == rank
        error = np.abs(found.solution.numpy() - expected).max()
        assert error <= 1e4 * np.finfo(dtype).eps * max(1, np.abs(expected).max())


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("is_upper", [False, True])
def test_a_pivot_of_zero_leaves_the_rows_before_it(is_upper, dtype):
    count = 20
    t = gn.eye(count, dtype=getattr(gn, dtype), device="c")
    t[11, 11] = 0
    x = gn.linalg.solve_triangular(t, gn.ones(count, 3, dtype=t.dtype, device="c"), upper=is_upper)
    before = x[12:] if is_upper else x[:11]
    assert (before == 1).all() and x[11].tolist() == [float("inf")] * 3


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("driver", ["gelsy", "gels", "gelsd"])
@pytest.mark.parametrize("sizes", [(1, 1), (4, 4), (7, 3), (3, 7), (20, 16), (70, 66)])
def test_least_squares(sizes, driver, dtype):
    a, b = numbers(dtype, 3, *sizes), numbers(dtype, 3, sizes[0], 2)
    expected = np.linalg.pinv(a.astype("complex128")) @ b
    found = gn.linalg.lstsq(on_c(a, True), on_c(b), driver=driver)
    condition = np.linalg.cond(a.astype("complex128")).max()
    limit = 64 * max(sizes) * np.finfo(dtype).eps * condition**2
    assert np.abs(found.solution.numpy() - expected).max() <= limit * max(1, np.abs(expected).max())
    if driver != "gels":
        assert found.rank.tolist() == [min(sizes)] * 3


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("sizes", [(4, 4), (9, 5), (5, 9), (80, 70)])
def test_least_squares_of_matrices_of_which_some_lack_rank(sizes, dtype):
    a, b = numbers(dtype, 4, *sizes), numbers(dtype, 4, sizes[0], 2)
    a[1] = a[1, :, :1] @ a[1, :1]
    a[2] = 0
    a[3] = a[3, :, :2] @ a[3, :2] + 1e-18 * a[0]
    found = gn.linalg.lstsq(on_c(a), on_c(b))
    assert found.rank.tolist() == [min(sizes), 1, 0, 2]
    expected = np.linalg.pinv(a, rcond=1e-12) @ b
    assert np.abs(found.solution.numpy() - expected).max() <= 1e-7 * np.abs(expected).max()
    alone = gn.linalg.lstsq(on_c(a[1]), on_c(b[1]))
    assert alone.rank.item() == 1
    assert np.abs(alone.solution.numpy() - expected[1]).max() <= 1e-9 * np.abs(expected[1]).max()
    # half of the largest singular value: fewer count
    values = np.linalg.svd(a[0], compute_uv=False)
    assert gn.linalg.lstsq(on_c(a), on_c(b), rcond=0.5).rank[0].item() == (values > 0.5 * values[0]).sum()


@pytest.mark.parametrize("driver", ["gelsy", "gels", "gelsd"])
def test_batches_of_least_squares_broadcast(driver):
    a, b = numbers("float64", 6, 3), numbers("float64", 5, 6, 2)
    found = gn.linalg.lstsq(on_c(a).expand(1, 6, 3), on_c(b), driver=driver)
    assert np.abs(found.solution.numpy() - np.linalg.pinv(a) @ b).max() <= 1e-12
    assert found.rank.shape == ((1,) if driver != "gels" else (0,))


def test_least_squares_of_numbers_that_are_not_finite_are_refused():
    a = gn.ones(2, 3, 3, device="c")
    a[1, 2, 0] = float("nan")
    with pytest.raises(gn.linalg.LinAlgError, match="non-finite"):
        gn.linalg.lstsq(a, gn.ones(2, 3, 1, device="c"))


@pytest.mark.parametrize("dtype", ("float32", "float64", "complex64"))
@pytest.mark.parametrize("side", (1, 2, 3, 4, 7, 8, 9))
@pytest.mark.parametrize("upper", (False, True))
def test_small_cholesky_factors_side_by_side(upper, side, dtype):
    """A batch has the factors, and the errors, that its matrices have alone, bit for bit."""
    generator = np.random.default_rng(side)
    root = generator.standard_normal((41, side, side))
    if dtype == "complex64":
        root = root + 1j * generator.standard_normal(root.shape)
    array = (root @ root.conj().swapaxes(-1, -2) + np.eye(side)).astype(dtype)
    array[5] = -array[5]
    array[17, side // 2, side // 2] = np.nan
    array[33] = 0
    batch = gn.tensor(array, device="c")
    for given in (batch, batch.mT.contiguous().mT):
        found, infos = gn.linalg.cholesky_ex(given, upper=upper)
        assert infos[5] == 1 and infos[17] == side // 2 + 1 and infos[33] == 1
        assert infos.count_nonzero() == 3 and infos.dtype is gn.int32
        for matrix, factor, info in zip(given, found, infos):
            alone, code = gn.linalg.cholesky_ex(matrix, upper=upper)
            assert alone.numpy().tobytes() == factor.numpy().tobytes() and code == info
    with pytest.raises(gn.linalg.LinAlgError, match="Batch element 5"):
        gn.linalg.cholesky(batch, upper=upper)
