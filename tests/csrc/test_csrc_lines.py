"""Kernels of the C library that work along a dimension, against NumPy: sizes near vectors, tiles and pieces,
and different numbers of threads, which must give bitwise equal results.
"""

import pytest

np = pytest.importorskip("numpy")
pytest.importorskip("gnomon_c")

import gnomon as gn  # noqa: E402
import gnomon_c  # noqa: E402

pytestmark = pytest.mark.skipif(not gn.backends()["c"].available, reason="the C extension is not built")

THREADS = (1, 2, 3)
LENGTHS = (1, 2, 31, 32, 33, 63, 64, 65, 255, 257, 1023, 1024, 1025, 4097, 65537, 200003)
SHAPES = (
    (3, 5), (1025, 3), (3, 1025), (40, 2049), (2100, 70), (3000, 17), (2100, 31), (300000, 2), (2, 300000),
    (5, 33, 17),
)  # fmt: skip


@pytest.fixture(autouse=True)
def restored_threads():
    before = gnomon_c.get_num_threads()
    yield
    gnomon_c.set_num_threads(before)


def numbers(*shape, dtype="float32", seed=0):
    generator = np.random.default_rng([seed, *shape])
    if np.dtype(dtype).kind in "iu":
        return generator.integers(-100, 100, shape).astype(dtype)
    return generator.standard_normal(shape).astype(dtype)


def on_c(array):
    return gn.tensor(array, device="c")


def arrays(result):
    results = result if isinstance(result, tuple) else (result,)
    return [each.numpy() for each in results]


def run(function):
    """The results of ``function``, after checking that they are the same for all numbers of threads."""
    seen = []
    for count in THREADS:
        gnomon_c.set_num_threads(count)
        seen.append(arrays(function()))
    for each in seen[1:]:
        for mine, wanted in zip(each, seen[0]):
            assert mine.tobytes() == wanted.tobytes()
    return seen[0]


def close(actual, expected, tolerance=2e-6):
    scale = max(1.0, float(np.abs(expected).max(initial=0)))
    assert np.abs(actual - expected).max(initial=0) <= tolerance * scale


# -- reductions and scans ------------------------------------------------------------------------------------


@pytest.mark.parametrize("length", LENGTHS)
def test_reductions_of_a_row(length):
    array = numbers(length)
    tensor, exact = on_c(array), array.astype("float64")
    close(run(lambda: tensor.sum())[0], exact.sum(), 1e-6 * length**0.5)
    close(run(lambda: tensor.norm())[0], np.sqrt((exact * exact).sum()))
    close(run(lambda: tensor.norm(3))[0], (np.abs(exact) ** 3).sum() ** (1 / 3))
    if length > 1:
        close(run(lambda: tensor.var())[0], exact.var(ddof=1))
    assert run(lambda: tensor.argmax())[0] == array.argmax()
    value, place = run(lambda: tensor.min(0))
    assert (value, place) == (array.min(), array.argmin())
    least, most = run(lambda: gn.aminmax(tensor))
    assert (least, most) == (array.min(), array.max())
    close(run(lambda: tensor.cumsum(0))[0], exact.cumsum(), 1e-6)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dim", (0, 1))
def test_reductions_along_a_dimension(shape, dim):
    array = numbers(*shape)
    tensor, exact = on_c(array), array.astype("float64")
    length = shape[dim]
    close(run(lambda: tensor.sum(dim))[0], exact.sum(dim), 1e-6 * length**0.5)
    close(run(lambda: tensor.var(dim))[0], exact.var(dim, ddof=1), 1e-5)
    close(run(lambda: gn.linalg.vector_norm(tensor, 2, dim))[0], np.sqrt((exact * exact).sum(dim)))
    close(run(lambda: tensor.cumsum(dim))[0], exact.cumsum(dim), 1e-6)
    values, places = run(lambda: tensor.max(dim))
    assert (values == array.max(dim)).all()
    assert (places == array.argmax(dim)).all()
    values, places = run(lambda: tensor.cummax(dim))
    assert (values == np.maximum.accumulate(array, dim)).all()


@pytest.mark.parametrize("place", (0, 30, 31, 32, 63, 64, 1000, 1023))
def test_nan_is_found(place):
    array = numbers(1024)
    array[place] = np.nan
    tensor = on_c(array)
    assert run(lambda: tensor.argmax())[0] == place
    assert run(lambda: tensor.argmin())[0] == place
    assert np.isnan(run(lambda: tensor.norm())[0])
    assert np.isnan(run(lambda: tensor.norm(float("inf")))[0])
    value, index = run(lambda: tensor.median(0))
    assert np.isnan(value)
    assert index == place
    close(run(lambda: tensor.nansum())[0], np.nansum(array.astype("float64")), 1e-4)


def test_norms_out_of_the_range_of_squares():
    for scale in (1e-200, 1e200):
        array = numbers(3000, dtype="float64") * scale
        wanted = np.sqrt(((array / scale) ** 2).sum()) * scale
        assert abs(run(lambda: on_c(array).norm())[0] / wanted - 1) < 1e-13  # noqa: B023
    mixed = np.concatenate([np.full(2000, 1e-180), [3e200, 4e200], np.full(2000, 1e-180)])
    assert abs(run(lambda: on_c(mixed).norm())[0] / 5e200 - 1) < 1e-13
    assert run(lambda: on_c(np.zeros(5000)).norm(-1))[0] == 0
    assert run(lambda: on_c(np.full(5000, np.inf)).norm(3))[0] == np.inf


# -- order ---------------------------------------------------------------------------------------------------

ORDERED = ("uint8", "int8", "int16", "int32", "int64", "float32", "float64")


@pytest.mark.parametrize("length", (1, 2, 11, 12, 13, 25, 199, 200, 201, 799, 801, 1023, 1025, 5000, 300001))
@pytest.mark.parametrize("dtype", ORDERED)
def test_sort(length, dtype):
    array = numbers(length, dtype=dtype)
    if array.dtype.kind == "f" and length > 10:
        array[::7] = np.round(array[::7])
        array[3] = array[length - 1] = np.nan
        array[5], array[6] = -0.0, 0.0
    tensor = on_c(array)
    order = np.argsort(array, kind="stable")
    values, places = run(lambda: gn.sort(tensor, stable=True))
    assert (places == order).all()
    assert values.tobytes() == array[order].tobytes()
    # descending, with equal elements in their original order
    keys = np.where(np.isnan(array), np.inf, array) if array.dtype.kind == "f" else array.astype("int64")
    ranks = np.unique(keys, return_inverse=True)[1].reshape(-1)
    down = np.argsort(-ranks, kind="stable")
    assert (run(lambda: gn.sort(tensor, stable=True, descending=True))[1] == down).all()
    for k in {1, min(10, length), min(64, length), min(65, length), length}:
        values, places = run(lambda: tensor.topk(k))  # noqa: B023
        assert (places == down[:k]).all()
        values, places = run(lambda: tensor.topk(k, largest=False))  # noqa: B023
        assert (places == order[:k]).all()
    for k in {1, (length + 1) // 2, length}:
        _, place = run(lambda: tensor.kthvalue(k))  # noqa: B023
        assert place == order[k - 1]


@pytest.mark.parametrize("span", (0, 255, 256, 2**31, 2**32 - 1, 2**32, 2**63 - 1))
def test_sort_of_wide_integers(span):
    array = np.random.default_rng(span % 97).integers(-5, span - 5, 5000, dtype="int64", endpoint=True)
    array[17], array[4000] = -5, span - 5
    values, places = run(lambda: gn.sort(on_c(array), stable=True))
    order = np.argsort(array, kind="stable")
    assert (places == order).all()
    assert (values == array[order]).all()


@pytest.mark.parametrize("ties", (1, 2, 31, 32, 33, 34, 500))
@pytest.mark.parametrize("is_equal", (True, False))
def test_sort_of_integers_that_begin_alike(ties, is_equal):
    generator = np.random.default_rng(ties)
    first = generator.integers(-(2**63), 2**63 - 1, 3000)
    array = first.repeat(ties)[: 3000 + ties]
    if not is_equal:
        array = array ^ generator.integers(0, 1000, array.shape)
    array = generator.permutation(array)
    order = np.argsort(array, kind="stable")
    values, places = run(lambda: gn.sort(on_c(array), stable=True))
    assert (places == order).all() and (values == array[order]).all()
    down = np.argsort(~array, kind="stable")
    assert (run(lambda: gn.sort(on_c(array), stable=True, descending=True))[1] == down).all()


@pytest.mark.parametrize("dtype", ("float32", "float64", "int32", "int64"))
@pytest.mark.parametrize(
    "pattern", ("even", "one bin", "outliers", "clusters", "few", "magnitudes", "up", "down")
)
def test_sort_by_groups(pattern, dtype):
    """Long lines are partitioned by the leading bits of their keys, which may or may not distinguish them."""
    count = 150001
    generator = np.random.default_rng(len(pattern))
    small = generator.integers(0, 5000, count)
    array = {
        "even": lambda: generator.integers(-(2**31), 2**31, count),
        "one bin": lambda: generator.integers(2**24, 2**24 + 9000, count),
        "outliers": lambda: np.where(generator.random(count) < 1e-4, -(2**31) + 1, small),
        "clusters": lambda: generator.choice([-(2**30), -7, 0, 2**30], count) + small,
        "few": lambda: generator.integers(0, 2, count) * (2**30 + 3) - 2**29,
        "magnitudes": lambda: 2.0 ** generator.uniform(-30, 30, count) * generator.choice([-1, 1], count),
        "up": lambda: np.arange(count),
        "down": lambda: -np.arange(count) // 3,
    }[pattern]().astype(dtype)
    if dtype == "int64":
        array *= 2**20  # with full 64-bit keys, not 32-bit differences
    values, places = run(lambda: gn.sort(on_c(array), stable=True))
    order = np.argsort(array, kind="stable")
    assert (places == order).all()
    assert (values == array[order]).all()


def sampled_places(count):
    """The places that selection from a line of this length looks at first."""
    size = 64
    while size**3 < count**2:
        size *= 2
    which, step = np.arange(size, dtype="uint64"), count // size
    return which * step + (which * 2654435769 % 2**32 * step >> 32)


@pytest.mark.parametrize("dtype", ("float32", "float64", "int16", "int32", "int64"))
@pytest.mark.parametrize("count", (1024, 3001, 30001))
@pytest.mark.parametrize("pattern", ("up", "down", "same", "saw", "organ", "random", "a sample of others"))
def test_selection_of_patterns(pattern, count, dtype):
    array = {
        "up": lambda: np.arange(count),
        "down": lambda: -np.arange(count),
        "same": lambda: np.zeros(count),
        "saw": lambda: np.arange(count) % 17,
        "organ": lambda: np.minimum(np.arange(count), count - np.arange(count)),
        "random": lambda: np.random.default_rng(1).integers(-(2**14), 2**14, count),
        "a sample of others": lambda: np.arange(count) // 3,
    }[pattern]().astype(dtype)
    if pattern == "a sample of others":
        array[sampled_places(count)] += 2**14
    tensor, order = on_c(array), np.argsort(array, kind="stable")
    value, place = run(lambda: tensor.median(0))
    assert place == order[(count - 1) // 2]
    assert value == array[place]
    for k in (1, 7, count // 3, count - 4, count):
        value, place = run(lambda: tensor.kthvalue(k))  # noqa: B023
        assert place == order[k - 1]
        assert value == array[place]
    keys = array.astype("int64")
    down = np.argsort(-keys, kind="stable")
    assert (run(lambda: tensor.topk(count // 4))[1] == down[: count // 4]).all()


@pytest.mark.parametrize("dtype", ("float32", "float64", "int8", "int64"))
@pytest.mark.parametrize("length", (2047, 2048, 4096, 9001))
def test_topk_of_lines_that_say_little(dtype, length):
    generator = np.random.default_rng(length)
    lines = [
        np.zeros(length),
        np.arange(length) % 100,
        -(np.arange(length) // 100),
        np.where(np.arange(length) < length - 3, -7, 5),  # the largest come last
        np.where(generator.random(length) < 0.01, 3, generator.integers(-3, 4, length)),
        generator.integers(-100, 100, length),
    ]
    if dtype.startswith("f"):
        many = np.where(generator.random(length) < 0.3, np.nan, generator.standard_normal(length))
        few = generator.standard_normal(length)
        few[[1, length // 2, length - 1]] = np.nan
        half = np.where(np.arange(length) % 32 < 16, np.nan, few)
        ends = np.where(generator.random(length) < 0.5, np.inf, -np.inf)
        lines += [many, few, half, ends, np.full(length, np.nan), -np.abs(ends)]
    array = np.stack(lines).astype(dtype)
    ranks = np.where(np.isnan(array), np.inf, array)
    ranks = np.unique(ranks, return_inverse=True)[1].reshape(array.shape) + np.isnan(array)
    for k in (1, 10, 33, 64):
        for largest, order in (
            (True, np.argsort(-ranks, 1, "stable")),
            (False, np.argsort(ranks, 1, "stable")),
        ):
            values, places = run(lambda: on_c(array).topk(k, 1, largest=largest))  # noqa: B023
            assert (places == order[:, :k]).all()
            assert values.tobytes() == np.take_along_axis(array, places, 1).tobytes()


def test_rows_and_columns_are_sorted():
    array = numbers(70, 1500)
    for dim in (0, 1):
        values, places = run(lambda: gn.sort(on_c(array), dim=dim))  # noqa: B023
        assert (values == np.sort(array, dim)).all()
        assert (np.take_along_axis(array, places, dim) == values).all()
        middle = np.sort(array, dim).take((array.shape[dim] - 1) // 2, dim)
        assert (run(lambda: on_c(array).median(dim))[0] == middle).all()  # noqa: B023


# -- indices -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dim", (0, 1))
@pytest.mark.parametrize("dtype", ("float32", "int16"))
def test_what_meets_is_added_in_order(dim, dtype):
    source = numbers(3000, 70, dtype=dtype)
    places = np.random.default_rng(1).integers(0, 50, source.shape)
    base = numbers(50, 70, dtype=dtype) if dim == 0 else numbers(3000, 50, dtype=dtype)
    wanted = base.copy()
    where = (places, np.arange(70)) if dim == 0 else (np.arange(3000)[:, None], places)
    np.add.at(wanted, where, source)
    result = run(lambda: on_c(base).scatter_add(dim, on_c(places), on_c(source)))[0]
    assert result.tobytes() == wanted.tobytes()


def test_slices_are_added_in_order():
    source, base = numbers(5000, 33), numbers(40, 33)
    places = np.random.default_rng(2).integers(0, 40, 5000)
    wanted = base.copy()
    np.add.at(wanted, places, source)
    assert run(lambda: on_c(base).index_add(0, on_c(places), on_c(source)))[0].tobytes() == wanted.tobytes()
    put = run(lambda: on_c(base).index_put((on_c(places),), on_c(source), accumulate=True))[0]
    assert put.tobytes() == wanted.tobytes()
    last = base.copy()
    last[places] = source
    assert (run(lambda: on_c(base).index_copy(0, on_c(places), on_c(source)))[0] == last).all()
    sums = run(lambda: gn.ops.aten.embedding_dense_backward(on_c(source), on_c(places), 40, -1, False))[0]
    close(sums, wanted - base, 1e-5)


def test_half_sums_are_rounded_once():
    ones = np.ones(5000, "float16")
    places = np.zeros(5000, "int64")
    for result in (
        run(lambda: on_c(np.zeros(3, "float16")).scatter_add(0, on_c(places), on_c(ones))),
        run(lambda: on_c(np.zeros(3, "float16")).index_add(0, on_c(places), on_c(ones))),
        run(lambda: on_c(np.zeros(3, "float16")).index_put((on_c(places),), on_c(ones), accumulate=True)),
        run(lambda: on_c(np.zeros(3, "float16")).put(on_c(places), on_c(ones), accumulate=True)),
    ):
        assert result[0][0] == 5000


@pytest.mark.parametrize("shape", ((1,), (255,), (256,), (257,), (70000,), (300, 257), (3, 5, 7000)))
def test_nonzero(shape):
    array = np.random.default_rng(3).integers(0, 3, shape)
    assert (run(lambda: on_c(array).nonzero())[0] == np.argwhere(array)).all()


def test_an_index_out_of_range_raises():
    out = on_c(np.arange(6.0))
    for call in (
        lambda: gn.scatter(on_c(np.zeros(6)), 0, on_c(np.array([0, 6])), on_c(np.ones(2)), out=out),
        lambda: out.index_copy_(0, on_c(np.array([0, 6])), on_c(np.ones(2))),
        lambda: out.index_add_(0, on_c(np.array([0, 6])), on_c(np.ones(2))),
    ):
        with pytest.raises((RuntimeError, IndexError)):
            call()


# -- transforms ----------------------------------------------------------------------------------------------


# Several lines side by side; a matrix that fits the cache and one that does not; columns that fill vectors
# and others; prime factors, and primes that are too large to be handled as a factor.
FOURIER_LENGTHS = (
    1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 18, 31, 32, 37, 48, 60, 64, 80, 97, 100, 121, 128, 144, 191, 192, 193,
    194, 196, 210, 251, 256, 320, 384, 400, 403, 441, 480, 512, 625, 640, 1000, 1001, 1009, 1024, 1155, 1200,
    2048, 2560, 4096, 4099, 6561, 8192, 32768, 36864, 40000, 65536, 131072,
)  # fmt: skip


def transforms(lines, length, real, tolerance):
    """Compare the transforms of ``lines`` lines, along either dimension, with NumPy's."""
    numbers_of = {seed: numbers(lines, length, dtype="float64", seed=seed).astype(real) for seed in (0, 1)}
    array = numbers_of[0] + 1j * numbers_of[1]
    flat, half = numbers_of[0], np.fft.rfft(numbers_of[0]).astype(array.dtype)
    across, half_across = flat.T.copy(), half.T.copy()
    scale = tolerance * np.sqrt(length)

    def compare(function, expected):
        result = run(function)[0]
        assert result.dtype == (real if np.isrealobj(expected) else array.dtype)
        assert np.abs(result - expected).max() <= scale * max(1, np.abs(expected).max() / np.sqrt(length))

    compare(lambda: gn.fft.fft(on_c(array)), np.fft.fft(array))
    compare(lambda: gn.fft.ifft(on_c(array)), np.fft.ifft(array))
    compare(lambda: gn.fft.rfft(on_c(flat)), np.fft.rfft(flat))
    compare(lambda: gn.fft.fft(on_c(flat)), np.fft.fft(flat))
    compare(lambda: gn.fft.irfft(on_c(half), n=length), np.fft.irfft(half, n=length))
    compare(lambda: gn.fft.fft(on_c(array.T.copy()), dim=0), np.fft.fft(array.T, axis=0))
    wanted = np.fft.ifft(array.T, axis=0, norm="ortho")
    compare(lambda: gn.fft.ifft(on_c(array).T, dim=0, norm="ortho"), wanted)
    compare(lambda: gn.fft.rfft(on_c(across), dim=0), np.fft.rfft(across, axis=0))
    compare(lambda: gn.fft.rfft(on_c(flat).T, dim=0), np.fft.rfft(across, axis=0))
    compare(lambda: gn.fft.irfft(on_c(half_across), n=length, dim=0), np.fft.irfft(half.T, n=length, axis=0))


@pytest.mark.parametrize("length", FOURIER_LENGTHS)
def test_fourier(length):
    transforms(5 if length < 5000 else 2, length, "float64", 1e-14)
    transforms(5 if length < 5000 else 2, length, "float32", 1e-6)


@pytest.mark.parametrize("lines", (1, 2, 15, 16, 17, 33))
def test_fourier_of_some_lines(lines):
    for length in (6, 30, 64, 100, 256, 300, 400):
        transforms(lines, length, "float64", 1e-14)
        transforms(lines, length, "float32", 1e-6)


@pytest.mark.parametrize("dims", ((0, 1), (1, 2), (2, 0), (0, 1, 2)))
def test_fourier_of_some_dimensions(dims):
    array = numbers(3, 40, 20, seed=4) + 1j * numbers(3, 40, 20, seed=5)
    close(run(lambda: gn.fft.fftn(on_c(array), dim=dims))[0], np.fft.fftn(array, axes=dims), 2e-6)
    close(run(lambda: gn.fft.ifftn(on_c(array), dim=dims))[0], np.fft.ifftn(array, axes=dims), 2e-6)
    half = np.fft.rfftn(array.real, axes=dims).astype("complex64")
    close(run(lambda: gn.fft.rfftn(on_c(array.real), dim=dims))[0], half, 2e-6)
    sizes = [array.shape[dim] for dim in dims]
    close(run(lambda: gn.fft.irfftn(on_c(half), sizes, dims))[0], array.real, 2e-6)


@pytest.mark.parametrize("dtype", ("complex64", "complex128"))
@pytest.mark.parametrize("length", (15, 16, 64, 100, 200, 441, 512, 1000))
def test_fourier_of_a_line_does_not_depend_on_others(length, dtype):
    array = (numbers(6, 7, length, seed=6) + 1j * numbers(6, 7, length, seed=7)).astype(dtype)
    given, real = on_c(array), on_c(array.real.copy())
    every = (
        gn.fft.fft(given),
        gn.fft.rfft(real),
        gn.fft.irfft(given, 2 * length - 2),
        gn.fft.irfft(given, length),
    )
    for chosen in (np.s_[2, 3], np.s_[::2, 1:], np.s_[::-2, ::3], np.s_[3:4, :]):
        lines, parts = on_c(array[chosen].copy()), on_c(array.real[chosen].copy())
        some = (
            gn.fft.fft(lines),
            gn.fft.rfft(parts),
            gn.fft.irfft(lines, 2 * length - 2),
            gn.fft.irfft(lines, length),
        )
        for found, expected in zip(some, every):
            assert (found.numpy() == expected.numpy()[chosen]).all()
    turned = given.transpose(0, 1), real.transpose(0, 1)
    assert (gn.fft.fft(turned[0]).numpy() == every[0].numpy().swapaxes(0, 1)).all()
    assert (gn.fft.rfft(turned[1]).numpy() == every[1].numpy().swapaxes(0, 1)).all()
    assert (gn.fft.fft(given[:, :1].expand(6, 7, length)).numpy() == every[0].numpy()[:, :1]).all()


@pytest.mark.parametrize("shape", ((3, 5, 64, 96), (1, 40, 100, 30), (300, 20, 20)))
@pytest.mark.parametrize("dims", ((-2, -1), (-1, 1)))
def test_fourier_of_slices_of_a_tensor(shape, dims):
    array = numbers(*shape, seed=8) + 1j * numbers(*shape, seed=9)
    close(run(lambda: gn.fft.fftn(on_c(array), dim=dims))[0], np.fft.fftn(array, axes=dims), 2e-6)
    half = np.fft.rfftn(array.real, axes=dims).astype("complex64")
    close(run(lambda: gn.fft.rfftn(on_c(array.real), dim=dims))[0], half, 2e-6)
    sizes = [shape[dim] for dim in dims]
    close(run(lambda: gn.fft.irfftn(on_c(half), sizes, dims))[0], array.real, 2e-6)
    array[1 % shape[0], -1] = 3e38  # one slice is transformed in double
    wanted = np.fft.ifftn(array.astype("complex128"), axes=dims)
    close(run(lambda: gn.fft.ifftn(on_c(array), dim=dims))[0], wanted, 2e-6)


@pytest.mark.parametrize("length", (8, 100, 256, 40000))
def test_fourier_of_numbers_whose_sums_are_not_of_their_dtype(length):
    large = np.full(length, 3e38, "float32") + 0j
    large[1::2] *= -1  # at one frequency all elements add up, and the sum is divided by their count
    result = run(lambda: gn.fft.ifft(on_c(large)))[0]
    wanted = np.zeros(length, "complex64")
    wanted[length // 2] = 3e38
    assert np.abs(result - wanted).max() <= 3e32
    square = large.reshape(2, -1)
    result = run(lambda: gn.fft.ifftn(on_c(square)))[0]
    assert np.abs(result - np.fft.ifftn(square.astype("complex128"))).max() <= 3e32


@pytest.mark.parametrize("length", (8, 100, 256, 40000))
@pytest.mark.parametrize("special", (np.inf, np.nan))
def test_fourier_of_numbers_that_are_not_finite(length, special):
    array = np.ones((3, length), "complex64")
    array[1, 0] = special
    result = run(lambda: gn.fft.fft(on_c(array)))[0]
    assert np.isfinite(result[::2]).all() and not np.isfinite(result[1].real).any()


@pytest.mark.parametrize("length", (6, 7, 600))
@pytest.mark.parametrize("dtype", ("float32", "complex64"))
def test_fourier_of_one_element_expanded(length, dtype):
    array = np.full((2, length), 3 + (dtype == "complex64") * 1j).astype(dtype)
    expanded = on_c(array)[:, :1].expand(2, length)
    close(run(lambda: gn.fft.fft(expanded))[0], np.fft.fft(array), 2e-6)
    close(run(lambda: gn.fft.irfft(expanded))[0], np.fft.irfft(array), 2e-6)
    if dtype == "float32":
        close(run(lambda: gn.fft.rfft(expanded))[0], np.fft.rfft(array), 2e-6)


def test_fourier_in_place():
    array = numbers(7, 256, seed=6) + 1j * numbers(7, 256, seed=7)

    def in_place():
        tensor = on_c(array)
        return gn.fft.fft(tensor, out=tensor)

    close(run(in_place)[0], np.fft.fft(array), 2e-6)
    array[3, 5] = 3e38
    close(run(in_place)[0], np.fft.fft(array), 2e-6)


@pytest.mark.parametrize("shape", ((1, 1), (3, 2), (2, 3), (20, 20), (33, 9), (9, 40)))
@pytest.mark.parametrize("scale", (1.0, 1e-170, 1e170))
def test_singular_values(shape, scale):
    array = numbers(*shape, dtype="float64") * scale
    left, values, right = run(lambda: gn.ops.aten._linalg_svd(on_c(array), False, True))
    assert np.abs(values / np.linalg.svd(array)[1] - 1).max() < 1e-11
    assert np.abs((left * (values / scale)) @ right - array / scale).max() < 1e-13
    assert np.abs(left.T @ left - np.eye(min(shape))).max() < 1e-13


def test_a_matrix_of_low_rank():
    array = np.outer(numbers(12, dtype="float64"), numbers(7, dtype="float64"))
    left, values, right = run(lambda: gn.ops.aten._linalg_svd(on_c(array), True, True))
    assert (values[1:] < 1e-14 * values[0]).all()
    assert np.abs(left.T @ left - np.eye(12)).max() < 1e-12
    assert np.abs(right @ right.T - np.eye(7)).max() < 1e-12


def hard_matrices(rows, columns, generator):
    """Matrices whose singular values are spread, equal, few, or those of a different bidiagonal matrix."""
    shape, rank = (rows, columns), min(rows, columns)
    plain = generator.standard_normal(shape)
    left, _, right = np.linalg.svd(plain, full_matrices=False)
    yield plain
    yield generator.standard_normal((columns, rows)).T
    for values in (10.0 ** -np.arange(rank), 10.0 ** np.arange(-rank, 0), np.ones(rank), np.arange(rank) % 3):
        yield (left * values) @ right
    yield np.zeros(shape)
    yield np.ones(shape)
    yield np.eye(rows, columns)
    yield np.diag(10.0 ** generator.integers(-30, 30, rank))
    yield np.diag(10.0 ** generator.uniform(-8, 8, rank)) + np.diag(np.ones(rank - 1), 1)
    yield np.triu(plain) * (generator.random(shape) < 0.2)
    yield plain * 1e-200
    yield plain * 1e200
    yield plain + 1j * generator.standard_normal(shape)


@pytest.mark.parametrize(
    "shape", ((1, 1), (1, 7), (2, 2), (3, 2), (8, 8), (9, 17), (33, 16), (65, 40), (130, 129))
)
def test_singular_values_alone(shape):
    def values_of(array):
        return run(lambda: gn.linalg.svdvals(on_c(array)))[0]

    for array in hard_matrices(*shape, np.random.default_rng(shape)):
        values = values_of(array)
        expected = np.linalg.svd(array, compute_uv=False)
        assert values.shape == expected.shape and (values[:-1] >= values[1:]).all()
        assert np.abs(values - expected).max() <= 1e-14 * expected.max()
        together = values_of(np.stack([array, array / 2, array * 0]))
        assert together.tobytes() == np.stack([values, values / 2, values * 0]).tobytes()


def test_singular_values_alone_of_what_is_not_finite():
    for bad in (np.nan, np.inf):
        array = np.eye(5)
        array[3, 2] = bad
        with pytest.raises(RuntimeError, match="contained non-finite values"):
            gn.linalg.svdvals(on_c(array))


# -- distances -----------------------------------------------------------------------------------------------


def distances_of(x, y, order):
    differences = np.abs(x[..., :, None, :].astype("float64") - y[..., None, :, :].astype("float64"))
    if order == np.inf:
        return differences.max(-1, initial=0)
    return (differences**order).sum(-1) ** (1 / order)


def same_distances(actual, expected, tolerance):
    assert (np.isnan(actual) == np.isnan(expected)).all()
    known = ~np.isnan(expected)
    with np.errstate(over="ignore"):
        rounded = expected.astype(actual.dtype)
    assert (np.isinf(actual) == np.isinf(rounded))[known].all()
    known &= ~np.isinf(rounded)
    assert (np.abs(actual[known] - rounded[known]) <= tolerance * rounded[known]).all()


@pytest.mark.parametrize("dtype", ("float32", "float64"))
@pytest.mark.parametrize("sides", ((26, 1, 3), (3, 27, 16), (130, 600, 17), (65, 64, 33), (40, 30, 300)))
@pytest.mark.parametrize("order", (2.0, 3.0, 2.5, np.inf))
def test_distances(sides, order, dtype):
    """This includes nearly equal and equal rows, for which |x|^2 + |y|^2 - 2xy has no correct digit."""
    rows, columns, length = sides
    x, y = numbers(2, rows, length, dtype=dtype), numbers(columns, length, dtype=dtype, seed=1)
    many = min(rows, columns)
    y[: many // 3] = x[1, : many // 3]
    y[many // 3 : many // 2] = x[1, many // 3 : many // 2] * (1 + 1e-5) + 100 * np.finfo(dtype).eps
    tolerance = 50 * np.finfo(dtype).eps
    result = run(lambda: gn.cdist(on_c(x), on_c(y), p=order))[0]
    same_distances(result, distances_of(x, y[None], order), tolerance)
    transposed = run(lambda: gn.cdist(on_c(y), on_c(x), p=order))[0]
    same_distances(transposed.swapaxes(1, 2), result.astype("float64"), tolerance)
    expected = distances_of(x[1], x[1], order)[np.triu_indices(rows, 1)]
    same_distances(run(lambda: gn.nn.functional.pdist(on_c(x[1]), order))[0], expected, tolerance)


@pytest.mark.parametrize("dtype", ("float32", "float64"))
@pytest.mark.parametrize("length", (1, 15, 16, 17, 33, 64, 100))
def test_the_largest_difference_of_what_is_not_finite(length, dtype):
    """cdist ignores NaN, as in PyTorch; pdist propagates it."""
    for place in {0, length // 2, length - 1}:
        x = numbers(6, length, dtype=dtype)
        x[1, place], x[2, place], x[3, place], x[4, place] = np.nan, np.inf, -np.inf, -0.0
        with np.errstate(invalid="ignore"):
            sizes = np.abs(x[:, None] - x[None])
        array = x.copy()
        result = run(lambda: gn.cdist(on_c(array), on_c(array), p=np.inf))[0]  # noqa: B023
        assert (result == np.where(np.isnan(sizes), 0, sizes).max(-1)).all()
        kept = run(lambda: gn.nn.functional.pdist(on_c(array), np.inf))[0]  # noqa: B023
        assert np.array_equal(kept, sizes.max(-1)[np.triu_indices(6, 1)], equal_nan=True)


@pytest.mark.parametrize("mode", (None, 0, 1, 2))
def test_distances_of_what_is_not_finite(mode):
    x = numbers(40, 20)
    x[3, 4], x[5, 6], x[7, 7], x[8, 8] = np.nan, np.inf, -np.inf, 3e38
    x[9], x[10], x[11] = 0, 1e-30, 1e-42
    result = run(lambda: gn.ops.aten._cdist_forward(on_c(x), on_c(x), 2.0, mode))[0]
    with np.errstate(invalid="ignore"):
        same_distances(result, distances_of(x, x, 2.0), 2e-5)
    with np.errstate(invalid="ignore"):
        expected = distances_of(x, x, 2.0)[np.triu_indices(40, 1)]
    same_distances(run(lambda: gn.nn.functional.pdist(on_c(x)))[0], expected, 2e-5)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("length", [1, 2, 4, 6, 7, 30, 128, 134, 1000, 4096])
@pytest.mark.parametrize("dim", [0, 1])
def test_a_whole_transform_of_real_lines_is_its_half_and_the_conjugates(length, dim, dtype):
    lines = np.random.default_rng(length).standard_normal((5, length)).astype(dtype)
    given = gn.tensor(lines, device="c")
    given = given.t() if dim == 0 else given
    half, whole = gn.fft.rfft(given, dim=dim), gn.fft.fft(given, dim=dim)
    apart = gn.empty(*whole.shape, 2, dtype=whole.dtype, device="c")[..., 1]
    gn.fft.fft(given, dim=dim, out=apart)
    expected = np.fft.fft(lines.astype("float64"), axis=1)
    tolerance = {"float32": 2e-6, "float64": 1e-14}[dtype] * length**0.5 * 4
    for each in (whole, apart):
        found = each.numpy() if dim == 1 else each.numpy().T
        assert np.abs(found - expected).max() <= tolerance
        if (
            length % 2 == 0 and length != 134
        ):  # an odd one, and one of a large factor, is transformed as a whole
            front = half.numpy() if dim == 1 else half.numpy().T
            assert (found[:, : length // 2 + 1] == front).all()
            assert (found[:, 1:] == found[:, :0:-1].conj()).all()


# -- positions in sorted rows --------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ("uint8", "int16", "int64", "float32"))
@pytest.mark.parametrize(
    ("rows", "length", "width"), ((1, 5000, 701), (3, 700, 29), (40, 9, 20), (2, 3, 5000))
)
@pytest.mark.parametrize("order", ("sorted", "dense", "descending", "two runs", "random"))
def test_searchsorted(order, rows, length, width, dtype):
    """Numbers that are sorted themselves are searched for near the ones before."""
    generator = np.random.default_rng(length)
    span = 250 if dtype == "uint8" else 30000
    row = np.sort(generator.integers(0, span, (rows, length)), axis=1).astype(dtype)
    wanted = generator.integers(0, span, (rows, width))
    if order == "dense":
        wanted = np.arange(rows * width).reshape(rows, width) * span // (rows * width)
    elif order == "descending":
        wanted = -np.sort(-wanted, axis=1)
    elif order != "random":
        wanted = np.sort(wanted, axis=1)
    if order == "two runs":
        wanted = np.roll(wanted, width // 3, axis=1)
    wanted = wanted.astype(dtype)
    for side in ("left", "right"):
        found = run(lambda: gn.searchsorted(on_c(row), on_c(wanted), side=side))[0]  # noqa: B023
        for each, numbers_of, places in zip(row, wanted, found):
            assert (places == np.searchsorted(each, numbers_of, side)).all()
