"""LU factors of small matrices, one in each lane of a vector: the bits are those of each matrix alone."""

from __future__ import annotations

import pytest

np = pytest.importorskip("numpy")
pytest.importorskip("gnomon_c")

import gnomon as gn  # noqa: E402
import gnomon_c  # noqa: E402

pytestmark = pytest.mark.skipif(not gn.backends()["c"].available, reason="the C extension is not built")

SIZES = ((2, 2), (2, 5), (4, 4), (5, 3), (8, 8), (7, 9), (16, 16), (17, 17), (31, 32), (32, 32), (32, 8))
COUNT = 37  # whole vectors and a rest, for any number of lanes


def special(kind: str, dtype: str, rows: int, columns: int) -> np.ndarray:
    a = np.random.default_rng([rows, columns]).standard_normal((COUNT, rows, columns)).astype(dtype)
    if kind == "integers":  # ties, and zeros of both signs
        return np.round(a)
    if kind == "singular":
        a[::3, :, columns // 2] = 0
        a[5] = 0
        a[7, :, 0] = a[7, :, 1]
    if kind == "not finite":
        a[7, 0] = np.nan
        a[9, -1, -1] = np.inf
        a[11, :, 0] = np.nan
        a[13, rows // 2, columns // 2] = np.nan
        a[14, :, 0], a[14, -1, -1] = 0, np.nan
    return a


def check(batch: gn.Tensor) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Factors, pivots and codes, after comparing them with those of each matrix."""
    factors, pivots, info = (each.numpy() for each in gn.linalg.lu_factor_ex(batch))
    for k in range(batch.size(0)):
        one, swaps, code = gn.linalg.lu_factor_ex(batch[k])
        assert one.numpy().tobytes() == factors[k].tobytes() or (
            np.array_equal(one.numpy(), factors[k], equal_nan=True)
            and (np.signbit(one.numpy()) == np.signbit(factors[k]))[~np.isnan(factors[k])].all()
        )
        assert swaps.tolist() == pivots[k].tolist() and code.item() == info[k]
    return factors, pivots, info


@pytest.mark.parametrize("dtype", ("float32", "float64"))
@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("kind", ("normal", "integers", "singular", "not finite"))
def test_factors_are_those_of_each_matrix(kind: str, sizes: tuple[int, int], dtype: str) -> None:
    a = special(kind, dtype, *sizes)
    factors, pivots, info = check(gn.tensor(a, device="c"))
    count = min(sizes)
    assert factors.dtype == a.dtype and factors.shape == a.shape and pivots.shape == (COUNT, count)
    if kind == "normal":
        assert info.tolist() == [0] * COUNT
        order = np.tile(np.arange(sizes[0]), (COUNT, 1))
        for one, swaps in zip(order, pivots):
            for k, other in enumerate(swaps - 1):
                one[[k, other]] = one[[other, k]]
        lower = np.tril(factors, -1)[:, :, :count] + np.eye(sizes[0], count)
        product = lower.astype("float64") @ np.triu(factors)[:, :count].astype("float64")
        swapped = np.take_along_axis(a, order[:, :, None], 1)
        assert np.abs(lower).max() <= 1
        assert np.abs(product - swapped).max() <= 40 * np.finfo(dtype).eps * np.abs(a).max()
    if kind == "singular":
        assert info[5] == 1 and (info[::3] == columns_of_zero(sizes)).all()


def columns_of_zero(sizes: tuple[int, int]) -> int:
    """The first pivot that is 0, if the middle column is: 0 if that has none."""
    return sizes[1] // 2 + 1 if sizes[1] // 2 < min(sizes) else 0


@pytest.mark.parametrize("dtype", ("float32", "float64"))
def test_any_strides(dtype: str) -> None:
    a = np.random.default_rng(0).standard_normal((COUNT, 12, 33)).astype(dtype)
    base = gn.tensor(a, device="c")
    turned = check(base[:, :, :12].mT)
    assert turned[0].tobytes() == check(base[:, :, :12].mT.contiguous())[0].tobytes()
    sparse = base[:, ::2, ::3]
    assert check(sparse)[0].tobytes() == check(sparse.contiguous())[0].tobytes()
    one = base[:1, :, :12].expand(COUNT, 12, 12)
    assert (check(one)[0] == check(one)[0][:1]).all()
    nested = base[:36, :, :12].unflatten(0, (4, 9)).transpose(0, 1)
    expected = gn.linalg.lu_factor_ex(nested.reshape(36, 12, 12))
    found = gn.linalg.lu_factor_ex(nested)
    assert gn.equal(found[0].flatten(0, 1), expected[0]) and gn.equal(found[1].flatten(0, 1), expected[1])


def test_any_number_of_threads_gives_the_same_bits() -> None:
    a = gn.tensor(np.random.default_rng(1).standard_normal((515, 16, 16)), device="c")
    before = gnomon_c.get_num_threads()
    try:
        seen = []
        for count in (1, 2, 3):
            gnomon_c.set_num_threads(count)
            seen.append([each.numpy().tobytes() for each in gn.linalg.lu_factor_ex(a)])
    finally:
        gnomon_c.set_num_threads(before)
    assert seen[0] == seen[1] == seen[2]


def test_errors_are_told_of_any_lane() -> None:
    a = gn.eye(8, device="c").expand(40, 8, 8).clone()
    a[39, 3, 3] = 0
    assert gn.linalg.lu_factor_ex(a)[2].tolist() == [0] * 39 + [4]
    with pytest.raises(RuntimeError, match=r"Batch element 39.*singular|39"):
        gn.linalg.lu_factor(a)
