"""Complex numbers on the emulated GPU, against the reference's."""

from __future__ import annotations

import math

import pytest

import gnomon as gn
import gnomon.nn.functional as F
from cuda_calls import both, close, moved, numbers, same
from gnomon.calls import launch
from gnomon.memory.backend import claims, get_backend
from gnomon.values.dtype import ALL
from gnomon_conformance.inputs import grids
from gnomon_cuda import indexing, lines, reductions
from gnomon_cuda.tables import DTYPES

COMPLEX = [gn.complex64, gn.complex128]
TOLERANCE = {gn.complex64: 3e-7, gn.complex128: 1e-15}
of_each = pytest.mark.parametrize("dtype", COMPLEX, ids=lambda each: each.name)


@pytest.fixture(autouse=True)
def without_the_reference(cuda):
    """Assert that nothing falls back to the reference."""
    before = dict(launch.fallbacks)
    yield
    assert dict(launch.fallbacks) == before


def plane(dtype, far=3.0, count=9):
    """Numbers whose parts have either sign or are 0."""
    steps = [(2 * k / (count - 1) - 1) * far for k in range(count)]
    rows = [[complex(re, im) for im in steps] for re in steps]
    return gn.tensor(rows, dtype=dtype, device="reference")


@of_each
@pytest.mark.parametrize("name", [*grids.plain(1), "square", "isfinite"])
def test_functions_of_one_number(name, dtype):
    if name in (cuda := get_backend("cuda")).kernels and not claims(cuda, name, dtype.name):
        pytest.skip(f"{name} takes no complex numbers")
    function = getattr(gn.ops.aten, name)
    zero_apart = name in ("log", "log2", "log10", "rsqrt", "reciprocal")
    for far in (3.0, 0.125, 40.0):
        source = plane(dtype, far)
        if zero_apart:
            source = source + complex(far / 16, far / 32)
        close(*both(function, source), 4 * TOLERANCE[dtype], 1e-15)
        close(*both(lambda x: function(x.t()[1:, ::2]), source), 4 * TOLERANCE[dtype], 1e-15)


@of_each
def test_a_zero_has_the_sign_that_says_on_which_side_of_a_cut_it_is(dtype):
    for re, im in ((-2.0, 0.0), (-2.0, -0.0), (2.0, 0.0), (2.0, -0.0), (0.0, 2.0), (-0.0, 2.0), (-0.0, -2.0)):
        source = gn.tensor([complex(re, im)], dtype=dtype, device="reference")
        for name in ("sqrt", "log", "asin", "acos", "atan", "asinh", "acosh", "atanh"):
            expected, found = (
                gn.view_as_real(each.to("reference")).flatten().tolist()
                for each in both(getattr(gn, name), source)
            )
            for one, other in zip(expected, found):
                assert abs(one - other) <= 4 * TOLERANCE[dtype] * abs(one), (name, re, im)
        close(*both(gn.angle, source), TOLERANCE[dtype])


def test_functions_keep_their_range():
    """Large and tiny intermediate values neither overflow nor vanish."""
    for name, at in (
        ("sqrt", 1.5e308 + 1.5e308j),
        ("sqrt", 5e-324 + 5e-324j),
        ("log", 1.7e308 - 1.7e308j),
        ("log", 3e-310j),
        ("exp", 709.9 + 0.75j),
        ("sinh", -710.2 + 1.5j),
        ("cosh", 710.2 + 1.5j),
        ("tanh", 300 + 1j),
        ("asinh", 1e308 + 1e308j),
        ("acos", 1e308 - 1e308j),
        ("atanh", 1e300 - 1e300j),
        ("atanh", 1 + 1e-170j),
    ):
        source = gn.tensor([at], dtype=gn.complex128, device="reference")
        close(*(gn.view_as_real(each) for each in both(getattr(gn, name), source)), 1e-14)
    # cmath's result has only one correct digit
    near_one = gn.tensor([0.6 + 0.8j], dtype=gn.complex128, device="cuda")
    assert near_one.log().real.tolist() == pytest.approx([2.2204460492503e-17], rel=1e-12)


def test_infinite_and_missing_parts():
    parts = [0.0, -0.0, 1.5, math.inf, -math.inf, math.nan]
    source = gn.tensor(
        [complex(re, im) for re in parts for im in parts], dtype=gn.complex128, device="reference"
    )
    for function in (gn.isnan, gn.isinf, gn.isfinite, gn.logical_not, lambda x: x == x, lambda x: x != x):
        assert same(*both(function, source))
    for name in ("exp", "sinh", "cosh", "tanh", "sqrt", "log", "asinh", "acos", "atanh", "abs"):
        expected, found = both(getattr(gn, name), source)
        assert same(gn.isnan(expected), gn.isnan(found)), name
        assert same(gn.isinf(expected), gn.isinf(found)), name


@of_each
def test_functions_of_two_numbers(dtype):
    left = plane(dtype)
    right = (plane(dtype).t() * (1 - 2j) + (0.3 + 0.1j)).contiguous()
    for function in (
        lambda a, b: a + b,
        lambda a, b: gn.add(a, b, alpha=2 - 1j),
        lambda a, b: a - b.t(),
        lambda a, b: a * b,
        lambda a, b: a / b,
        lambda a, b: a * (2 + 1j),
        lambda a, b: b**a,
        lambda a, b: b**2,
        lambda a, b: b**-0.5,
        lambda a, b: b ** (1 + 1j),
        lambda a, b: gn.logaddexp(a, b),
        lambda a, b: gn.lerp(a, b, 0.75),
        lambda a, b: gn.lerp(a, b, b),
        lambda a, b: gn.addcmul(a, b, a, value=1j),
        lambda a, b: gn.addcdiv(a, a, b, value=2.0),
        lambda a, b: a == b,
        lambda a, b: a != b.t(),
        lambda a, b: gn.logical_and(a, b),
        lambda a, b: gn.logical_xor(a, b),
    ):
        close(*both(function, left, right), 8 * TOLERANCE[dtype], 30 * TOLERANCE[dtype])


def test_a_quotient_by_parts_of_any_size():
    top = gn.tensor([1e300 + 1e300j, 1e-300j, 3 - 4j, 1 + 1j], dtype=gn.complex128, device="reference")
    bottom = gn.tensor([1e300 - 1e300j, 1e-300, 2j, 0j], dtype=gn.complex128, device="reference")
    expected, found = both(lambda a, b: (a / b)[:3], top, bottom)
    close(expected, found, 1e-15)
    assert (top.to("cuda") / bottom.to("cuda"))[3].isinf().item()


@pytest.mark.parametrize("dtype", [gn.float32, gn.float64], ids=lambda each: each.name)
def test_numbers_from_their_parts_and_back(dtype):
    first, second = (numbers(24, dtype) - 7) / 4, (numbers(24, dtype) * 5 + 1) / 8
    assert same(*both(gn.complex, first, second))
    assert same(*both(lambda a, b: gn.complex(a[::2], b[1::2]), first, second))
    close(*both(gn.polar, first.abs(), second), 3e-7 if dtype == gn.float32 else 1e-15, 1e-15)
    made = gn.complex(first, second)
    for function in (lambda x: x.real, lambda x: x.imag, gn.view_as_real, lambda x: x.imag * x.real):
        assert same(*both(function, made))
    assert same(*both(gn.view_as_complex, gn.view_as_real(made).contiguous()))


@of_each
def test_conversions(dtype):
    source = (plane(dtype) * 8).reshape(-1)
    for to in ALL:
        assert same(*both(lambda x, to=to: x.to(to), source)), to
        if to.category != 3:
            held = numbers(9).to(to)
            assert same(*both(lambda x: x.to(dtype), held)), to
            assert same(*both(lambda x: x[::2].to(dtype), held)), to
    assert same(*both(lambda x: x.clone().fill_(2 - 3j), source))


@of_each
def test_sums_products_and_tests(dtype):
    count = 2 * reductions.PART + 5
    wide = gn.complex(numbers(count, gn.float64) / count, -numbers(count, gn.float64) % 7).to(dtype)
    cube = (wide[: 40 * 33 * 6].reshape(40, 6, 33) - 3).contiguous()
    for source in (wide, cube, cube.permute(2, 0, 1), cube[:, ::2, 3:]):
        for function in (
            lambda x: x.sum(),
            lambda x: x.mean(-1),
            lambda x: gn.sum(x, 0),
            lambda x: (x / 4).prod(-1)[..., :3] if x.ndim > 1 else x[:50].prod(0),
            lambda x: (x == x).all(),
            lambda x: x.any(0),
            lambda x: x.all(-1),
        ):
            expected, found = function(source), function(moved(source))
            close(expected, found, 40 * TOLERANCE[dtype], 40 * TOLERANCE[dtype])


@of_each
def test_statistics(dtype):
    gn.manual_seed(3)
    cube = gn.randn(37, 5, 33, dtype=gn.complex128, device="reference").to(dtype) * 2 + (4 - 1j)
    long = gn.randn(3 * reductions.PART, dtype=gn.complex128, device="reference").to(dtype)
    for source in (cube, cube.permute(2, 0, 1), cube[::2, :, 1:], long):
        for function in (
            lambda x: gn.var(x, -1),
            lambda x: gn.std(x, 0, correction=0),
            lambda x: gn.linalg.vector_norm(x),
            lambda x: gn.linalg.vector_norm(x, 3, -1),
            lambda x: gn.linalg.vector_norm(x, math.inf, 0),
            lambda x: gn.linalg.vector_norm(x, 0),
            lambda x: gn.logsumexp(x, 0),
            lambda x: gn.logsumexp(x * 300, -1),
        ):
            close(function(source), function(moved(source)), 40 * TOLERANCE[dtype], 8 * TOLERANCE[dtype])


def test_a_norm_keeps_its_range():
    source = gn.tensor([3e200 + 4e200j, 1e-200j], dtype=gn.complex128, device="reference")
    close(*both(lambda x: gn.linalg.vector_norm(x), source), 1e-15)
    close(*both(lambda x: gn.linalg.vector_norm(x[1:]), source), 1e-15)


def gaussian(*sizes, dtype):
    """Gaussian integers, whose products and sums are exact."""
    count = math.prod(sizes)
    whole = numbers(count, gn.float64)
    return gn.complex(whole * 7919 % 13 - 5, whole * 31 % 11 - 5).to(dtype).reshape(sizes)


@of_each
def test_products_of_matrices(dtype):
    for m, k, n in ((3, 4, 5), (70, 33, 67), (1, 40, 9), (9, 40, 1), (5, 3000, 6)):
        left, right, added = (gaussian(*sizes, dtype=dtype) for sizes in ((m, k), (k, n), (m, n)))
        assert same(*both(gn.mm, left, right))
        assert same(*both(lambda a, b: a @ b, left.t().contiguous().t(), right.t().contiguous().t()))
        function = lambda c, a, b: gn.addmm(c, a, b, beta=2 - 1j, alpha=1j)  # noqa: E731
        assert same(*both(function, added, left, right))
    batch = gaussian(4, 6, 5, dtype=dtype)
    assert same(*both(lambda a: gn.bmm(a, a.transpose(1, 2)), batch))
    assert same(*both(lambda a: gn.baddbmm(a[:, :, :3], a, a[:, :5, :3], alpha=1 - 1j), batch))
    row = gaussian(9000, dtype=dtype)
    assert same(*both(lambda a: gn.dot(a, a), row[:500]))
    assert same(*both(lambda a: gn.vdot(a, a), row[::2]))


def test_a_factor_of_1_leaves_infinities_alone():
    """A multiplication by 1 + 0i would make the other part NaN."""
    large = gn.full((2, 2), 1e300, dtype=gn.complex128, device="cuda")
    infinite = large[0] * 1e300
    for found in (large @ large, gn.addmm(infinite, large, large, beta=1)):
        assert gn.view_as_real(found).tolist() == [[[math.inf, 0.0]] * 2] * 2
    index = gn.tensor([0, 1], device="cuda")
    added = gn.zeros(2, dtype=gn.complex128, device="cuda").index_add(0, index, infinite)
    assert gn.view_as_real(added).tolist() == [[math.inf, 0.0]] * 2


@of_each
def test_scans(dtype):
    gn.manual_seed(5)
    length = 2 * lines.LEAST_FOR_BLOCK + 77
    long = gn.randn(length, dtype=gn.complex128, device="reference").to(dtype)
    side = gn.randn(50, 40, dtype=gn.complex128, device="reference").to(dtype)
    for source in (long, side, side.t(), side[:, ::3]):
        close(source.cumsum(0), moved(source).cumsum(0), 400 * TOLERANCE[dtype], 400 * TOLERANCE[dtype])
        turned = gn.polar(gn.ones_like(source.real), source.imag)
        close(turned.cumprod(0), moved(turned).cumprod(0), 4000 * TOLERANCE[dtype])
    steps = gn.tensor([1e200j, 1e-200, 1e200, 1e-200j] * 20, dtype=gn.complex128, device="reference")
    close(*both(lambda x: x.cumprod(0), steps), 1e-13)


@of_each
def test_elements_that_meet(dtype):
    source = gaussian(3 * indexing.FEW, 4, dtype=dtype)
    rows = numbers(3 * indexing.FEW, gn.int64) * 7 % 3
    rows[: indexing.FEW + 9] = 1
    target = gaussian(3, 4, dtype=dtype)
    index = rows.reshape(-1, 1).expand(-1, 4)
    for function in (
        lambda a, i, s, e: a.index_add(0, i, s),
        lambda a, i, s, e: a.index_add(0, i, s, alpha=2 - 1j),
        lambda a, i, s, e: a.scatter_add(0, e, s),
        lambda a, i, s, e: a.index_put((i,), s, accumulate=True),
        lambda a, i, s, e: a.put(i, s[:, 0], accumulate=True),
        lambda a, i, s, e: a.scatter_reduce(0, e[:5], s / s, "prod", include_self=True),
        lambda a, i, s, e: a.index_fill(0, i[:1], 3 - 1j),
        lambda a, i, s, e: a.index_fill(0, i[:1], s[0, 0]),
        lambda a, i, s, e: a.scatter(0, e[:3], 1j),
        lambda a, i, s, e: a.scatter(0, e[:2], 1 - 1j, reduce="multiply"),
    ):
        close(*both(function, target, rows, source, index), 8 * TOLERANCE[dtype])
    mean = lambda a, i, s, e: a.scatter_reduce(0, e, s, "mean", include_self=False)  # noqa: E731
    close(*both(mean, target, rows, source, index), 8 * TOLERANCE[dtype])
    many = [1] * 24
    deep = numbers(2, gn.int64).reshape(*many, 2)
    assert same(*both(lambda a, i: a.scatter_add(24, i, a), gaussian(*many, 2, dtype=dtype), deep))


@of_each
def test_what_is_not_0(dtype):
    source = gn.tensor([[0j, 1j, 1], [0j, -0.0, 2 - 1j]], dtype=dtype, device="reference")
    for function in (gn.nonzero, gn.count_nonzero, lambda x: gn.nonzero_static(x, size=5)):
        assert same(*both(function, source))


@of_each
def test_ranges_and_random_numbers(dtype):
    for function in (
        lambda at: gn.linspace(1 - 2j, 5 + 1j, 7, dtype=dtype, device=at),
        lambda at: gn.linspace(0, 1, 4, dtype=dtype, device=at),
        lambda at: gn.logspace(0, 1 + 1j, 6, dtype=dtype, device=at),
    ):
        close(function("reference"), function("cuda"), 8 * TOLERANCE[dtype], 1e-15)
    found = []
    for at in ("reference", "cuda"):
        gn.manual_seed(11)
        held = gn.empty(3, 50, dtype=dtype, device=at)
        found.append((gn.randn(200, dtype=dtype, device=at), held.t().uniform_(-1, 2)))
    for expected, got in zip(*found):
        close(expected, got, 4 * TOLERANCE[dtype], 1e-15)


@of_each
def test_convolutions_and_their_gradients(dtype):
    for groups, transposed in ((1, False), (2, False), (1, True)):
        image, kernel = gaussian(2, 4, 6, 7, dtype=dtype), gaussian(4, 4 // groups, 3, 2, dtype=dtype)
        function = F.conv_transpose2d if transposed else F.conv2d
        results = []
        for at in ("reference", "cuda"):
            leaves = [
                each.detach().to(at).requires_grad_() for each in (image, kernel, gaussian(4, dtype=dtype))
            ]
            out = function(*leaves, stride=2, padding=1, groups=groups)
            out.backward(gaussian(*out.shape, dtype=dtype).to(at))
            results.append([out.detach(), *(leaf.grad for leaf in leaves)])
        for expected, found in zip(*results):
            assert same(expected, found)


@of_each
def test_gradients_of_padding(dtype):
    found = []
    for at in ("reference", "cuda"):
        image = gaussian(2, 3, 5, 4, dtype=dtype).to(at).requires_grad_()
        for mode in ("reflect", "replicate"):
            out = F.pad(image, (2, 1, 1, 2), mode=mode)
            out.backward(gaussian(*out.shape, dtype=dtype).to(at))
        found.append(image.grad)
    assert same(*found)


def test_what_is_claimed_is_what_c_claims():
    """Except operators without CUDA kernels for any dtype, and those whose meta function refuses complex."""
    refused = ("upsample", "avg_pool", "ctc_loss", "median", "mode", "searchsorted")
    here, there = (get_backend(name).capabilities for name in ("cuda", "c"))
    for name in set(here) & set(there):
        claimed = set(DTYPES["COMPLEX"]) & set(there[name])
        if not any(word in name for word in refused):
            assert claimed <= set(here[name]), name
