"""The C library's blocked matrix product and its convolutions: sizes near vectors, blocks, panels, bands."""

import itertools

import pytest

np = pytest.importorskip("numpy")

import test_csrc  # noqa: E402
from test_csrc import EPSILON, OK, Tagged, empty, make, precise, values  # noqa: E402

native = test_csrc.native  # a fixture


@pytest.fixture
def library(native):
    """The library without a BLAS: it uses its own matrix products, whatever the instruction set."""
    made = test_csrc.Library(native)
    made.lib.gn_set_blas(0, 0, 0, 0)
    return made


def numbers(shape, dtype="float32", seed=0):
    return make(np.random.default_rng(seed).standard_normal(shape), dtype)


def laid_out(tagged, transposed):
    """The matrix, in column-major order if ``transposed``."""
    return Tagged(tagged.array.T.copy().T, tagged.dtype) if transposed else tagged


def product(library, a, b, dtype="float32"):
    out = empty((a.array.shape[0], b.array.shape[1]), dtype)
    assert library.run("mm", [out], [a, b]) == OK
    return out


def assert_near(got, expected, scale, depth):
    """Check errors of sums of ``depth`` products, with absolute sum ``scale``, and half types' rounding."""
    epsilon = min(EPSILON[got.dtype], 2.0**-22)
    bound = epsilon * max(depth, 4) ** 0.5 * scale
    if got.dtype in ("float16", "bfloat16"):
        bound = bound + EPSILON[got.dtype] * np.abs(expected)
    assert values(got).dtype == expected.astype(values(got).dtype).dtype
    assert (np.abs(values(got).astype(np.float64) - expected) <= bound).all()


@pytest.mark.parametrize("dtype", ("float32", "float64", "float16", "bfloat16"))
@pytest.mark.parametrize("m", (2, 5, 6, 7, 13, 14, 15, 33, 70))
def test_products_of_sizes_around_blocks(library, dtype, m):
    for k, n in itertools.product((40, 127, 449, 900), (2, 15, 16, 17, 31, 33, 97, 130, 420)):
        a, b = numbers((m, k), dtype), numbers((k, n), dtype, 1)
        expected, scale = precise(a) @ precise(b), np.abs(precise(a)) @ np.abs(precise(b))
        results = [
            product(library, laid_out(a, left), laid_out(b, right), dtype)
            for left, right in itertools.product((False, True), repeat=2)
        ]
        assert_near(results[0], expected, scale, k)
        for other in results[1:]:  # the layout of an operand does not change the result
            assert other.array.tobytes() == results[0].array.tobytes()


def test_factors_whose_elements_are_apart(library):
    for m, k, n in ((33, 50, 40), (15, 460, 131)):
        a, b = numbers((m, k)), numbers((k, n), seed=1)
        expected = product(library, a, b).array
        for steps in itertools.product((1, 2, -1), repeat=2):
            spaced = []
            for each in (a, b):
                wide = np.zeros((each.array.shape[0] * 2, each.array.shape[1] * 2), np.float32)
                view = wide[:: steps[0], :: steps[1]][: each.array.shape[0], : each.array.shape[1]]
                view[:] = each.array
                spaced.append(Tagged(view, "float32"))
            assert np.array_equal(product(library, *spaced).array, expected)


@pytest.mark.parametrize("transposed", list(itertools.product((False, True), repeat=2)))
@pytest.mark.parametrize(
    "sizes", ((40, 40, 41), (14, 32, 147), (15, 33, 898), (64, 31, 895), (29, 449, 66), (100, 70, 1793))
)
def test_products_of_bfloat16_by_pairs(library, sizes, transposed):
    m, n, k = sizes
    a = laid_out(numbers((m, k), "bfloat16"), transposed[0])
    b = laid_out(numbers((k, n), "bfloat16", seed=1), transposed[1])
    expected = precise(a) @ precise(b)
    assert_near(product(library, a, b, "bfloat16"), expected, np.abs(precise(a)) @ np.abs(precise(b)), k)


@pytest.mark.parametrize(
    "exponents", ((-60, -60), (-70, -70), (-133, 0), (0, -130), (-126, -7), (-112, 0), (-56, -56))
)
def test_products_of_bfloat16_that_are_subnormal(library, exponents):
    generator = np.random.default_rng(5)
    left, right = (
        make(np.ldexp(generator.choice([-1.5, -1.0, 0.0, 1.0, 1.75], (50, 50)), each), "bfloat16")
        for each in exponents
    )
    expected = precise(left) @ precise(right)
    got = values(product(library, left, right, "bfloat16")).astype(np.float64)
    # subnormals are not flushed: an error is at most one rounding to float, and one of the result
    assert (np.abs(got - expected) <= np.abs(expected) * 2.0**-8 + 51 * 2.0**-149 + 2.0**-134).all()
    assert np.abs(expected).max() < 2.0**-133 or (got != 0).any()


def test_products_of_bfloat16_that_are_not_finite(library):
    left, right = np.ones((50, 50), "float32"), np.ones((50, 50), "float32")
    left[3, 4], left[7, 8], right[8, 9], right[30, 31] = np.inf, np.nan, 0, -np.inf
    left[20, 30] = 0
    got = values(product(library, make(left, "bfloat16"), make(right, "bfloat16"), "bfloat16"))
    with np.errstate(invalid="ignore"):
        wanted = left @ right
    assert np.array_equal(got, wanted, equal_nan=True)


@pytest.mark.parametrize("dtype", ("float32", "float64", "bfloat16"))
def test_an_element_depends_on_its_row_and_column_alone(library, dtype):
    a, b = numbers((61, 530), dtype), numbers((530, 437), dtype, 1)
    whole = product(library, a, b, dtype).array
    for rows, columns in (
        (slice(3, 20), slice(0, 437)),
        (slice(60, 30, -1), slice(5, 90)),
        (slice(7, 9), slice(50)),
    ):
        part = product(library, Tagged(a.array[rows], dtype), Tagged(b.array[:, columns], dtype), dtype).array
        assert part.tobytes() == np.ascontiguousarray(whole[rows, columns]).tobytes()


@pytest.mark.parametrize("dtype", ("float32", "float64", "float16"))
def test_what_is_added_to_a_product(library, dtype):
    for m, k, n in ((3, 50, 5), (20, 60, 33), (17, 900, 421)):
        a, b = numbers((m, k), dtype), numbers((k, n), dtype, 1)
        plain, scale = precise(a) @ precise(b), np.abs(precise(a)) @ np.abs(precise(b))
        for shape in ((m, n), (1, n), (m, 1), (1, 1)):
            added = numbers(shape, dtype, 2)
            spread = Tagged(np.broadcast_to(added.array, (m, n)), dtype)
            for beta, alpha in ((1, 1), (-2, 3), (0, 1)):
                out = empty((m, n), dtype)
                assert library.run("addmm", [out], [spread, a, b], scalars=[beta, alpha]) == OK
                expected = beta * precise(spread) + alpha * plain
                assert_near(out, expected, 3 * scale + 2 * np.abs(precise(spread)), k)


def test_a_product_in_the_place_of_what_is_added(library):
    a, b, out = numbers((40, 500)), numbers((500, 45), seed=1), numbers((40, 45), seed=2)
    expected = out.array + precise(a) @ precise(b)
    assert library.run("addmm", [out], [out, a, b], scalars=[1, 1]) == OK
    np.testing.assert_allclose(out.array, expected, 1e-4, 1e-4)


def convolve(x, w, stride, padding, dilation, groups):
    """A convolution computed by its definition, in any number of dimensions."""
    x = np.pad(x, ((0, 0), (0, 0), *[(each, each) for each in padding]))
    reach = [(size - 1) * step for size, step in zip(w.shape[2:], dilation)]
    sizes = [(size - extent - 1) // step + 1 for size, extent, step in zip(x.shape[2:], reach, stride)]
    out = np.zeros((x.shape[0], w.shape[0], *sizes))
    parts = zip(np.split(x, groups, 1), np.split(w, groups), np.split(out, groups, 1))
    for part, weight, result in parts:
        for element in np.ndindex(w.shape[2:]):
            places = [
                slice(i * d, i * d + (size - 1) * s + 1, s)
                for i, d, s, size in zip(element, dilation, stride, sizes)
            ]
            patch = part[(slice(None), slice(None), *places)]
            result += np.moveaxis(np.tensordot(weight[(..., *element)], patch, (1, 1)), 0, 1)
    return out


def arguments(stride, padding, dilation, groups):
    listed = [[len(part), *part] for part in (stride, padding, dilation, [0] * len(stride))]
    return [*listed[0], *listed[1], *listed[2], 0, *listed[3], groups]


# sizes of the input and of the weight, stride, padding, dilation, groups
CASES = {
    "rows shorter than a vector": ((3, 4, 9, 5), (6, 4, 3, 3), (1, 1), (1, 1), (1, 1), 1),
    "rows of one position": ((2, 3, 30, 2), (5, 3, 3, 2), (1, 1), (1, 0), (1, 1), 1),
    "rows longer than a sliver": ((1, 2, 5, 77), (17, 2, 3, 3), (1, 1), (1, 1), (1, 1), 1),
    "more padding than the kernel reaches": ((2, 3, 6, 7), (4, 3, 2, 3), (1, 1), (3, 4), (1, 1), 1),
    "dilation and groups": ((2, 6, 15, 17), (8, 3, 3, 2), (1, 1), (2, 3), (2, 3), 2),
    "strides": ((2, 3, 19, 23), (4, 3, 3, 5), (2, 3), (1, 2), (1, 1), 1),
    "strides and dilation": ((2, 2, 21, 40), (4, 2, 3, 3), (3, 2), (2, 3), (1, 3), 1),
    "one element": ((2, 40, 11, 13), (33, 40, 1, 1), (1, 1), (0, 0), (1, 1), 1),
    "one element, padded": ((2, 5, 4, 5), (3, 5, 1, 1), (1, 1), (2, 1), (1, 1), 1),
    "several bands and levels": ((1, 60, 120, 90), (3, 60, 3, 3), (1, 1), (1, 1), (1, 1), 1),
    "one dimension": ((3, 5, 70), (9, 5, 4), (1,), (2,), (1,), 1),
    "three dimensions": ((2, 3, 4, 6, 7), (5, 3, 2, 3, 3), (1, 1, 1), (1, 1, 1), (1, 1, 1), 1),
    "three dimensions and strides": ((1, 2, 7, 6, 9), (4, 2, 3, 2, 3), (2, 1, 2), (1, 1, 2), (2, 1, 1), 1),
}  # fmt: skip


@pytest.mark.parametrize("dtype", ("float32", "float64"))
@pytest.mark.parametrize("case", CASES)
def test_convolutions(library, dtype, case):
    x_shape, w_shape, *geometry = CASES[case]
    x, w, bias = numbers(x_shape, dtype), numbers(w_shape, dtype, 1), numbers(w_shape[:1], dtype, 2)
    plain = convolve(precise(x), precise(w), *geometry)
    tall = precise(bias).reshape(-1, *[1] * len(geometry[0]))
    scale = convolve(np.abs(precise(x)), np.abs(precise(w)), *geometry) + np.abs(tall)
    depth = w.array[0].size
    for given in (bias, None):
        out = empty(plain.shape, dtype)
        assert library.run("convolution", [out], [x, w, given], arguments(*geometry)) == OK
        assert_near(out, plain + tall if given else plain, scale, depth)

    # gradients of sum(g * plain), which is linear in each operand: they give its value for other operands
    g = numbers(plain.shape, dtype, 3)
    back = [empty(x_shape, dtype), empty(w_shape, dtype), empty(w_shape[:1], dtype)]
    integers = [1, w_shape[0], *arguments(*geometry), 3, 1, 1, 1]
    assert library.run("convolution_backward", back, [g, x, w], integers) == OK
    for seed in range(3):
        other_x, other_w = numbers(x_shape, dtype, 10 + seed), numbers(w_shape, dtype, 20 + seed)
        for gradient, other, image, weight in (
            (back[0], other_x, other_x, w),
            (back[1], other_w, x, other_w),
        ):
            terms = precise(g) * convolve(precise(image), precise(weight), *geometry)
            found = (precise(gradient) * precise(other)).sum()
            assert abs(found - terms.sum()) <= EPSILON[dtype] * depth * np.abs(terms).sum()
    np.testing.assert_allclose(
        back[2].array, precise(g).sum((0, *range(2, g.array.ndim))), 1e-5, 100 * EPSILON[dtype]
    )


def calls():
    """Calls with work for several threads: operator, shapes of the outputs, inputs, integers, Scalars."""
    for m, k, n in ((70, 500, 600), (601, 300, 40), (97, 700, 97)):
        yield "mm", [(m, n)], [numbers((m, k)), numbers((k, n), seed=1)], (), ()
        yield "addmm", [(m, n)], [numbers((m, n)), numbers((m, k)), numbers((k, n), seed=1)], (), (2, 3)
    yield "bmm", [(7, 80, 90)], [numbers((7, 80, 70)), numbers((7, 70, 90), seed=1)], (), ()
    for x, w, *geometry in (
        ((1, 12, 60, 50), (20, 12, 3, 3), (1, 1), (1, 1), (1, 1), 1),
        ((5, 12, 30, 25), (20, 6, 3, 3), (2, 1), (1, 1), (1, 1), 2),
        ((1, 60, 120, 90), (3, 60, 3, 3), (1, 1), (1, 1), (1, 1), 1),  # in several bands
    ):
        given = [numbers(x), numbers(w, seed=1)]
        out = convolve(*map(precise, given), *geometry).shape
        yield "convolution", [out], [*given, numbers(w[:1], seed=2)], arguments(*geometry), ()
        back = [1, w[0], *arguments(*geometry), 3, 1, 1, 1]
        yield "convolution_backward", [x, w, w[:1]], [numbers(out), *given], back, ()


def test_results_do_not_depend_on_the_number_of_threads(library):
    before = library.lib.gn_get_num_threads()
    try:
        for name, shapes, inputs, integers, scalars in calls():
            results = []
            for threads in (1, 2, 3):
                library.lib.gn_set_num_threads(threads)
                outputs = [empty(shape, "float32") for shape in shapes]
                assert library.run(name, outputs, inputs, integers, scalars) == OK
                results.append([each.array.tobytes() for each in outputs])
            assert results[0] == results[1] == results[2], name
    finally:
        library.lib.gn_set_num_threads(before)
