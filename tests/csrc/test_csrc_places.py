"""Kernels of the C library that select, find or convolve elements, against NumPy: sizes near blocks and
tiles, masks of all densities, and different numbers of threads, which must give bitwise equal results.
"""

import pytest

np = pytest.importorskip("numpy")
pytest.importorskip("gnomon_c")

import gnomon as gn  # noqa: E402
import gnomon_c  # noqa: E402

pytestmark = pytest.mark.skipif(not gn.backends()["c"].available, reason="the C extension is not built")

THREADS = (1, 3)
DTYPES = ("bool", "uint8", "int16", "float32", "int64", "complex128")


@pytest.fixture(autouse=True)
def restored_threads():
    before = gnomon_c.get_num_threads()
    yield
    gnomon_c.set_num_threads(before)


def numbers(*shape, dtype="float32", seed=0):
    generator = np.random.default_rng([seed, *shape])
    if np.dtype(dtype).kind == "b":
        return generator.random(shape) < 0.5
    if np.dtype(dtype).kind in "iu":
        return generator.integers(0, 100, shape).astype(dtype)
    return generator.standard_normal(shape).astype(dtype)


def on_c(array):
    return gn.tensor(array, device="c")


def on_threads(function):
    """The result of ``function``, after checking that it is the same for all numbers of threads."""
    results = []
    for count in THREADS:
        gnomon_c.set_num_threads(count)
        results.append(function().numpy())
    for other in results[1:]:
        np.testing.assert_array_equal(other, results[0])
    return results[0]


@pytest.mark.parametrize("shape", [(7,), (2048,), (100_003,), (41, 2049), (40_000, 3)])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("density", [0.0, 0.001, 0.5, 1.0])
def test_masked_select_and_nonzero(dtype, density, shape):
    x = numbers(*shape, dtype=dtype)
    mask = np.random.default_rng([1, *shape]).random(shape) < density
    a, m = on_c(x), on_c(mask)
    np.testing.assert_array_equal(on_threads(lambda: a.masked_select(m)), x[mask])
    np.testing.assert_array_equal(on_threads(lambda: a[m]), x[mask])
    np.testing.assert_array_equal(on_threads(lambda: m.nonzero()), np.argwhere(mask))
    np.testing.assert_array_equal(on_threads(lambda: m.count_nonzero()), mask.sum())
    marked = x * mask
    np.testing.assert_array_equal(on_threads(lambda: on_c(marked).nonzero()), np.argwhere(marked))


@pytest.mark.parametrize(
    "shape", [(), (1, 1), (5000, 1), (9000, 2, 4), (3, 2047, 5), (5, 3, 2048), (4, 2049), (7, 5, 3, 600)]
)
@pytest.mark.parametrize("density", [0.01, 0.6, 1.0])
def test_nonzero_of_lines_of_all_lengths(shape, density):
    x = numbers(*shape, dtype="float32")
    x = np.where(np.random.default_rng([3, *shape]).random(shape) < density, x, np.float32(-0.0))
    x.reshape(-1)[-1:] = np.nan  # NaN is nonzero
    a = on_c(x)
    turned = np.argwhere(x.T)
    np.testing.assert_array_equal(on_threads(lambda: a.nonzero()), np.argwhere(x))
    np.testing.assert_array_equal(on_threads(lambda: a.permute(tuple(range(x.ndim)[::-1])).nonzero()), turned)
    assert int(a.count_nonzero()) == int(a.permute(tuple(range(x.ndim)[::-1])).count_nonzero()) == len(turned)
    if x.ndim:
        part = a[..., :1].expand(*shape)
        wide = np.broadcast_to(x[..., :1], shape)
        np.testing.assert_array_equal(on_threads(lambda: part.nonzero()), np.argwhere(wide))
        fewer = a.nonzero_static(size=len(turned) - 1, fill_value=-7)
        np.testing.assert_array_equal(fewer.numpy(), np.argwhere(x)[:-1])
        more = a.nonzero_static(size=len(turned) + 2, fill_value=-7).numpy()
        np.testing.assert_array_equal(more[:-2], np.argwhere(x))
        assert (more[-2:] == -7).all()


@pytest.mark.parametrize("dtype", ["uint8", "float32", "complex128"])
def test_masked_select_of_what_does_not_lie_alike(dtype):
    x, mask = numbers(300, 211, dtype=dtype), numbers(211, 300, dtype="bool")
    a, m = on_c(x), on_c(mask)
    np.testing.assert_array_equal(on_threads(lambda: a.masked_select(m.t())), x[mask.T])
    np.testing.assert_array_equal(on_threads(lambda: a.t().masked_select(m)), x.T[mask])
    row, column = mask[:1].T, mask[:, :1].T
    wide = np.broadcast_to(row, x.shape)
    np.testing.assert_array_equal(on_threads(lambda: a.masked_select(on_c(row.copy()))), x[wide])
    wide = np.broadcast_to(column, x.shape)
    np.testing.assert_array_equal(on_threads(lambda: a.masked_select(on_c(column.copy()))), x[wide])
    wide = np.broadcast_to(x[:, :1], x.shape)
    np.testing.assert_array_equal(on_threads(lambda: a[:, :1].masked_select(m.t())), wide[mask.T])
    out = gn.empty(2 * int(mask.sum()), dtype=a.dtype, device="c")[::2]
    gn.masked_select(a.t(), m, out=out)
    np.testing.assert_array_equal(out.numpy(), x.T[mask])


@pytest.mark.parametrize("dtype", DTYPES)
def test_single_elements(dtype):
    x = numbers(50, 70, dtype=dtype)
    generator = np.random.default_rng(2)
    i, j = (generator.integers(-size, size, 70_001) for size in x.shape)
    a, k, n = on_c(x), on_c(i), on_c(j)
    np.testing.assert_array_equal(on_threads(lambda: a[k, n]), x[i, j])
    np.testing.assert_array_equal(on_threads(lambda: a.t()[n, k]), x[i, j])
    np.testing.assert_array_equal(on_threads(lambda: a[:, 0][k[::2]]), x[i[::2], 0])
    np.testing.assert_array_equal(on_threads(lambda: a[k[:1], n]), x[i[:1], j])
    new = numbers(70_001, dtype=dtype, seed=3)
    expected = x.copy()
    for where, value in zip(zip(i, j), new):
        expected[where] = value  # the last one wins
    np.testing.assert_array_equal(on_threads(lambda: a.index_put((k, n), on_c(new))), expected)
    np.testing.assert_array_equal(a.numpy(), x)


@pytest.mark.parametrize("columns", [1, 2, 5, 61, 400])
@pytest.mark.parametrize("dtype", DTYPES)
def test_rows(dtype, columns):
    x = numbers(37, columns, 3, dtype=dtype)
    index = np.random.default_rng(6).integers(0, 37, (3, 300))
    a, i = on_c(x), on_c(index)
    rows, flat = a.reshape(37, -1), i.reshape(-1)
    embedding = gn.nn.functional.embedding
    wide = x.reshape(37, -1)[index]
    for short in (i, i.to(gn.int32)):
        np.testing.assert_array_equal(on_threads(lambda short=short: embedding(short, rows)), wide)
    for few, wanted in (
        (flat, index.reshape(-1)),
        (flat[::3], index.reshape(-1)[::3]),
        (i.t()[5], index.T[5]),
    ):
        np.testing.assert_array_equal(on_threads(lambda few=few: a.index_select(0, few)), x[wanted])
        np.testing.assert_array_equal(on_threads(lambda few=few: a[few - 37]), x[wanted])
        np.testing.assert_array_equal(
            on_threads(lambda few=few: a.transpose(0, 1).index_select(1, few)),
            x.transpose(1, 0, 2)[:, wanted],
        )
    turned = x.transpose(1, 0, 2).copy()
    b = on_c(turned)
    np.testing.assert_array_equal(on_threads(lambda: b.index_select(1, flat)), turned[:, index.reshape(-1)])
    np.testing.assert_array_equal(on_threads(lambda: b[:, i]), turned[:, index])
    np.testing.assert_array_equal(on_threads(lambda: b[:, -1 - i]), turned[:, -1 - index])
    last = on_c(x.transpose(1, 2, 0).copy())
    np.testing.assert_array_equal(on_threads(lambda: last[..., i]), x.transpose(1, 2, 0)[..., index])
    out = gn.zeros((300, 2 * columns, 3), dtype=a.dtype, device="c")
    gn.index_select(a, 0, flat[:300], out=out[:, ::2])
    np.testing.assert_array_equal(out.numpy()[:, ::2], x[index[0]])
    assert not out.numpy()[:, 1::2].any()


@pytest.mark.parametrize("columns", [3, 4, 7, 16, 37, 130, 513, 600])
@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32", "complex128"])
def test_copies_of_short_rows(dtype, columns):
    x = numbers(5, 31, 3, 9, columns, dtype=dtype)
    a = on_c(x)
    for dims in ((2, 0, 3, 1, 4), (3, 2, 1, 0, 4), (0, 2, 1, 3, 4)):
        result = on_threads(lambda dims=dims: a.permute(dims).contiguous())
        np.testing.assert_array_equal(result, x.transpose(dims))
    np.testing.assert_array_equal(on_threads(lambda: a[..., : columns - 1].clone()), x[..., : columns - 1])
    np.testing.assert_array_equal(on_threads(lambda: a[:, ::3, :, 1::2].clone()), x[:, ::3, :, 1::2])
    np.testing.assert_array_equal(
        on_threads(lambda: a[:, :1].expand(5, 7, 3, 9, columns).clone())[:, 6], x[:, 0]
    )


def test_copies_of_rows_between_each_other():
    x = numbers(40, 64)
    a = on_c(x)
    a[:, :32].copy_(a[:, 32:])
    np.testing.assert_array_equal(a.numpy(), np.concatenate([x[:, 32:]] * 2, 1))
    a[:, 5:].copy_(a[:, 5:])
    np.testing.assert_array_equal(a.numpy(), np.concatenate([x[:, 32:]] * 2, 1))


@pytest.mark.parametrize("bad", [37, 2**62, -38, -(2**63)])
def test_a_row_out_of_range_raises(bad):
    x = on_c(numbers(37, 5))
    indices = [3] * 5000
    indices[4999] = bad
    index = gn.tensor(indices, device="c")
    calls = [
        lambda: x.index_select(0, index),
        lambda: x.t().index_select(1, index),
        lambda: x[:, 0].index_select(0, index),
        lambda: gn.nn.functional.embedding(index, x),
        lambda: x[index],
        lambda: x.t()[:, index],
        lambda: x[:, 1:1].index_select(0, index),
        lambda: x[:, 1:1].t().index_select(1, index),
    ]
    for count in THREADS:
        gnomon_c.set_num_threads(count)
        for call in calls:
            with pytest.raises((IndexError, RuntimeError), match="out of"):
                call()


@pytest.mark.parametrize("bad", [-1, 37])
def test_rows_count_from_the_end_only_in_brackets(bad):
    x, index = on_c(numbers(37, 5)), gn.tensor([0, bad], device="c")
    for call in (lambda: x.index_select(0, index), lambda: gn.nn.functional.embedding(index, x)):
        with pytest.raises(IndexError, match="out of"):
            call()


@pytest.mark.parametrize("bad", [70, -71, 2**62, -(2**63)])
def test_an_index_out_of_range_writes_nothing(bad):
    x = on_c(numbers(70))
    indices = [3] * 5000
    indices[4321] = bad
    out = gn.full((5000,), 7.0, device="c")
    with pytest.raises(IndexError, match="out of"):
        x[gn.tensor(indices, device="c")]
    before = x.numpy().copy()
    with pytest.raises(IndexError, match="out of"):
        x.index_put_((gn.tensor(indices, device="c"),), out)
    np.testing.assert_array_equal(x.numpy(), before)


@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_gather_and_scatter_add(dtype):
    x = numbers(300, 257, dtype=dtype)
    index = np.random.default_rng(5).integers(0, 257, x.shape)
    a, i = on_c(x), on_c(index)
    expected = np.take_along_axis(x, index, 1)
    for short in (i, i.to(gn.int32)):
        np.testing.assert_array_equal(on_threads(lambda short=short: a.gather(1, short)), expected)
    np.testing.assert_array_equal(on_threads(lambda: a.t().gather(0, i.t())), expected.T)
    wanted = np.zeros_like(x)
    for line in range(len(x)):
        np.add.at(wanted[line], index[line], x[line])
    np.testing.assert_array_equal(on_threads(lambda: gn.zeros_like(a).scatter_add(1, i, a)), wanted)


@pytest.mark.parametrize("dtype", ["uint8", "bfloat16", "float32", "int64", "complex128"])
@pytest.mark.parametrize("columns", [1, 2, 4, 15, 16, 17, 1023, 1024, 1025, 3000])
def test_gather_and_scatter_of_lines_of_all_lengths(dtype, columns):
    lines = 3000 // columns + 2
    x = gn.tensor(numbers(lines, 19), device="c").abs().mul(50).to(getattr(gn, dtype))
    wide = np.random.default_rng(columns).integers(0, 19, (lines, columns + 3))
    values = on_c(numbers(lines, columns)).abs().mul(9).to(x.dtype)
    indices = on_c(wide)
    for index in (indices[:, :columns].contiguous(), indices[:, :columns], indices[:, :columns].int()):
        picked = np.asarray(index.tolist())
        expected = np.take_along_axis(np.asarray(x.tolist()), picked, 1)
        assert x.gather(1, index).tolist() == expected.tolist()
        found = gn.zeros_like(x).scatter_add(1, index, values)
        totals = np.zeros((lines, 19), "complex128" if dtype == "complex128" else "float64")
        terms = np.asarray(values.tolist())
        for column in range(columns):
            totals[np.arange(lines), picked[:, column]] += terms[:, column]
        if dtype == "uint8":
            totals %= 256
        tolerance = {"bfloat16": 1e-2, "float32": 1e-5}.get(dtype, 1e-12)
        np.testing.assert_allclose(np.asarray(found.tolist()), totals, rtol=tolerance)
        put = x.scatter(1, index[:, :1], values[:, :1])
        placed = np.asarray(x.tolist())
        placed[np.arange(lines), picked[:, 0]] = terms[:, 0]
        assert put.tolist() == placed.tolist()


@pytest.mark.parametrize("columns", [1, 4, 16, 1023, 2500])
@pytest.mark.parametrize("short", [False, True])
def test_any_index_out_of_range_is_found(columns, short):
    x = on_c(numbers(12, 19))
    good = np.zeros((12, columns), "int32" if short else "int64")
    for line, column, bad in ((0, 0, -1), (11, columns - 1, 19), (5, columns // 2, -(2**31))):
        index = good.copy()
        index[line, column] = bad
        for i in (on_c(index), on_c(np.pad(index, ((0, 0), (0, 2))))[:, :columns]):
            with pytest.raises((IndexError, RuntimeError), match="out of"):
                x.gather(1, i)
            before = x.tolist()
            with pytest.raises((IndexError, RuntimeError), match="out of"):
                x.scatter_add_(1, i, x.new_ones(12, columns))
            assert x.tolist() == before


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("count", [1, 4, 255, 256, 257])
def test_columns_of_many_lines(dtype, count):
    x = numbers(5, 300, 21, dtype=dtype)
    picks = np.random.default_rng(count).integers(0, 21, count)
    a, i = on_c(x), on_c(picks)
    np.testing.assert_array_equal(on_threads(lambda: a.index_select(2, i)), x[..., picks])
    np.testing.assert_array_equal(on_threads(lambda: a[..., i - 21]), x[..., picks])
    part, wanted = a[1::2, ::3], x[1::2, ::3]
    np.testing.assert_array_equal(on_threads(lambda: part.index_select(2, i)), wanted[..., picks])
    turned = a.transpose(0, 1)[:, :, 2:]
    np.testing.assert_array_equal(
        on_threads(lambda: turned.index_select(2, i % 19)), x.swapaxes(0, 1)[..., 2:][..., picks % 19]
    )
    pair, rows = a[:, :20].reshape(5, 20, 7, 3), x[:, :20].reshape(5, 20, 7, 3)  # rows of three elements
    np.testing.assert_array_equal(on_threads(lambda: pair.index_select(2, i % 7)), rows[:, :, picks % 7])
    i[-1] = 21
    with pytest.raises(IndexError, match="out of"):
        a.index_select(2, i)


@pytest.mark.parametrize(
    ("bad", "columns"),
    [(-1, 5000), pytest.param(37, 5000, marks=pytest.mark.slow), (2**62, 50), (-(2**63), 50)],
)
def test_gather_and_scatter_out_of_range(bad, columns):
    index = np.random.default_rng(8).integers(0, 37, (37, columns))
    index[36, columns - 1] = bad
    x, i = on_c(numbers(37, columns)), on_c(index)
    for count in THREADS:
        gnomon_c.set_num_threads(count)
        line = x.t().contiguous()
        for call in (
            lambda: x.gather(0, i),
            lambda: line.gather(1, i.t()),  # noqa: B023
            lambda: x.scatter(0, i, x),
            lambda: x.scatter_add(0, i, x),
            lambda: x.scatter_reduce(0, i, x, "amax"),
            lambda: line[0].scatter_add(0, i[36], x[0]),  # noqa: B023
            lambda: x[:0].gather(0, i),
        ):
            with pytest.raises((IndexError, RuntimeError), match="out of"):
                call()
        before = x.numpy().copy()
        for call in (lambda: x.scatter_(0, i, 2 * x), lambda: x.scatter_add_(0, i, 2 * x)):
            with pytest.raises((IndexError, RuntimeError), match="out of"):
                call()
        np.testing.assert_array_equal(x.numpy(), before)


def convolve(x, w, padding, stride=1, dilation=1):
    """A two-dimensional convolution computed by its definition."""
    x = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    heights = x.shape[2] - dilation * (w.shape[2] - 1)
    widths = x.shape[3] - dilation * (w.shape[3] - 1)
    out = 0
    for i in range(w.shape[2]):
        for j in range(w.shape[3]):
            part = x[:, :, i * dilation : i * dilation + heights : stride]
            part = part[..., j * dilation : j * dilation + widths : stride]
            out = out + np.einsum("nchw,fc->nfhw", part, w[:, :, i, j])
    return out


# Output rows as long as the input's, and others; tiles that end in the middle of a row.
CASES = [
    ((2, 3, 57, 61), (4, 3, 3, 3), 1, 1, 1),
    ((1, 3, 9, 5), (2, 3, 5, 5), 4, 1, 2),
    ((1, 2, 3, 2), (2, 2, 7, 7), 3, 1, 1),
    ((3, 4, 21, 23), (5, 4, 3, 3), 1, 2, 1),
    ((1, 64, 130, 130), (3, 64, 3, 3), 1, 1, 1),
]


@pytest.mark.parametrize("dtype", ["uint8", "int32", "int64", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("case", CASES)
def test_convolution(dtype, case):
    x_shape, w_shape, padding, stride, dilation = case
    x, w = numbers(*x_shape, dtype=dtype), numbers(*w_shape, dtype=dtype, seed=1)
    if np.dtype(dtype).kind == "c":
        x, w = x + 1j * numbers(*x_shape, dtype=x.real.dtype), w - 1j * numbers(*w_shape, dtype=w.real.dtype)
    options = ([stride] * 2, [padding] * 2, [dilation] * 2, False, [0, 0], 1)
    a, b = on_c(x), on_c(w)
    gn.set_fallback_policy("error")
    try:
        result = on_threads(lambda: gn.ops.aten.convolution(a, b, None, *options))
        expected = convolve(x, w, padding, stride, dilation)
        tolerance = 2e-4 if dtype == "complex64" else 1e-9
        np.testing.assert_allclose(result, expected.astype(dtype), rtol=tolerance, atol=tolerance)
        # <g, w * x> is linear in both factors: it is the inner product of either factor with its gradient
        g = numbers(*result.shape, dtype=dtype, seed=2)
        gradients = []
        for count in THREADS:
            gnomon_c.set_num_threads(count)
            found = gn.ops.aten.convolution_backward(on_c(g), a, b, [len(w)], *options, [True] * 3)
            gradients.append([each.numpy() for each in found])
        for one, other in zip(*gradients):
            np.testing.assert_array_equal(one, other)
        by_input, by_weight, by_bias = gradients[0]
        total = np.vdot(result, g)
        if np.dtype(dtype).kind in "iu":  # modulo 2 ** bits, like all integer sums
            total = (result * g).sum(dtype=dtype)
            assert (by_input * x).sum(dtype=dtype) == total
            assert (by_weight * w).sum(dtype=dtype) == total
        else:
            np.testing.assert_allclose(np.vdot(x, by_input), total, rtol=1e-3)
            np.testing.assert_allclose(np.vdot(w, by_weight), total, rtol=1e-3)
        np.testing.assert_allclose(by_bias, g.sum((0, 2, 3)).astype(dtype), rtol=1e-3, atol=1e-3)
    finally:
        gn.set_fallback_policy(None)


@pytest.mark.parametrize("dtype", ["int32", "float32", "float64"])
def test_a_vector_times_a_transposed_matrix(dtype):
    for k, n in ((1, 5000), (15, 401), (16, 402), (1031, 7), (4096, 33)):
        x, w = numbers(1, k, dtype=dtype), numbers(n, k, dtype=dtype, seed=1)
        a, b = on_c(x), on_c(w)
        expected = x.astype("float64") @ w.T.astype("float64")
        result = on_threads(lambda a=a, b=b: a @ b.t())
        np.testing.assert_allclose(result, expected, rtol=1e-4 if dtype == "float32" else 1e-9, atol=1e-3)
        if n > 32 and k > 1000:  # bitwise the same wherever a column is
            np.testing.assert_array_equal((a @ b[1:].t()).numpy(), result[:, 1:])


def test_max_pooling_of_pairs():
    special = np.array([-np.inf, np.nan, 0.0, -0.0, np.inf, 1.0], np.float32)
    x = special[np.random.default_rng(7).integers(0, 6, (3, 2, 35, 37))]
    functional = gn.nn.functional
    for width in (36, 37):
        given = x[..., :width].copy()
        values, places = functional.max_pool2d(on_c(given), 2, return_indices=True)
        wanted, where = functional.max_pool2d(gn.tensor(given, device="reference"), 2, return_indices=True)
        np.testing.assert_array_equal(values.numpy(), wanted.numpy())
        np.testing.assert_array_equal(places.numpy(), where.numpy())


@pytest.mark.parametrize("dtype", ["uint8", "float16", "float32", "float64", "complex128"])
@pytest.mark.parametrize("shape", [(64, 64), (130, 77), (16, 16), (65, 200), (40, 3, 70), (3, 129, 66)])
def test_transposed_copies(dtype, shape):
    x = numbers(*shape, dtype=dtype)
    turned = x.swapaxes(-1, 0)
    a = on_c(x)
    np.testing.assert_array_equal(on_threads(lambda: a.transpose(-1, 0).contiguous()), turned)
    # neither side's elements are adjacent; both tensors have a storage offset
    wide = gn.zeros(*turned.shape[:-1], 2 * turned.shape[-1], dtype=a.dtype, device="c")
    wide[..., ::2] = a.transpose(-1, 0)
    np.testing.assert_array_equal(wide[..., ::2].numpy(), turned)
    assert not wide[..., 1::2].any()
    part = a[1:, ..., 3:].transpose(-1, 0).contiguous()
    np.testing.assert_array_equal(part.numpy(), x[1:, ..., 3:].swapaxes(-1, 0))


@pytest.mark.parametrize("dtype", ["uint8", "float16", "float32", "float64", "complex128"])
@pytest.mark.parametrize("shape", [(64, 64), (130, 1077), (9, 8), (65, 600)])
def test_operators_of_a_transposed_tensor(dtype, shape):
    x, y = numbers(*shape, dtype=dtype), numbers(*shape[::-1], dtype=dtype, seed=1)
    a, b = on_c(x), on_c(y)
    np.testing.assert_array_equal(on_threads(lambda: b + a.T), y + x.T)
    np.testing.assert_array_equal(on_threads(lambda: b[:, 1:] + a.T[:, 1:]), y[:, 1:] + x.T[:, 1:])


@pytest.mark.parametrize("kernel, padding", [((2, 2), 0), ((3, 2), 1), ((1, 3), 0), ((5, 4), 2)])
def test_average_pooling_of_many_planes(kernel, padding):
    x = numbers(24, 32, 13, 14)  # enough for several threads, which start in the middle of a plane
    a = on_c(x)
    found = on_threads(lambda: gn.nn.functional.avg_pool2d(a, kernel, stride=2, padding=padding))
    padded = np.pad(x.astype("float64"), ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, kernel, axis=(2, 3))[:, :, ::2, ::2]
    np.testing.assert_allclose(found, windows.mean((-1, -2)), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
@pytest.mark.parametrize("kernel", [(1, 1), (2, 2), (3, 3), (2, 3), (4, 2), (5, 4)])
@pytest.mark.parametrize("stride", [1, 2, 3])
@pytest.mark.parametrize("width", [5, 8, 17, 34, 67])
def test_average_pooling_of_all_widths(dtype, kernel, stride, width):
    x = np.random.default_rng(width).integers(-99, 99, (3, 7, width)).astype(dtype)
    a = on_c(x)
    for padding in range(1 + min(kernel) // 2):
        for divisor in (None, 4, 7, -8):  # the window's size; a power of two or not
            found = gn.nn.functional.avg_pool2d(a, kernel, stride, padding, divisor_override=divisor)
            padded = np.pad(x, ((0, 0), (padding, padding), (padding, padding)))
            windows = np.lib.stride_tricks.sliding_window_view(padded, kernel, axis=(1, 2))
            totals = windows[:, ::stride, ::stride].sum((-1, -2))  # exact, so the quotient is rounded once
            expected = totals.astype("float64") / (divisor or kernel[0] * kernel[1])
            expected = (np.trunc(expected) if dtype == "int64" else expected).astype(dtype)
            np.testing.assert_array_equal(found.numpy(), expected)


@pytest.mark.parametrize("kernel", [2, 3])
def test_average_pooling_keeps_special_numbers(kernel):
    x = np.ones((1, kernel, 20 * kernel), "float32")
    x[..., ::kernel] = np.nan
    x[..., kernel:] = -0.0
    x[..., 2 * kernel] = np.inf
    x[..., 3 * kernel : 3 * kernel + 2] = np.inf, -np.inf
    x[..., 4 * kernel] = 3e38  # the sum overflows, the average does not
    x[:, 0, 5 * kernel] = 1e-45
    found = gn.nn.functional.avg_pool2d(on_c(x), kernel).numpy()[0, 0]
    assert np.isnan(found[0]) and found[2] == np.inf and np.isnan(found[3])
    assert found[4] == np.float32(3e38 / kernel) and found[5] == 0
    assert not found[6:].any() and not np.signbit(found[5:]).any()  # sums start from +0.0
    thick = np.full((1, kernel, 20 * kernel), 3e-45, "float32")
    np.testing.assert_array_equal(gn.nn.functional.avg_pool2d(on_c(thick), kernel).numpy(), thick[:, :1, :20])
