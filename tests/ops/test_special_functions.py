"""The operators of torch.special beside values that mpmath computed with 40 digits."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

import gnomon as gn

VALUES: dict[str, list[list[Any]]] = json.loads(
    (Path(__file__).parent / "special_function_values.json").read_text()
)
BOUND = 4.0  # ULPs


def of(name: str) -> Any:
    base, _, order = name.partition(" of order ")
    operator = getattr(gn.special, base)
    if not order:
        return operator
    return lambda x: operator(int(order), x) if base == "polygamma" else operator(x, int(order))


def number(text: str) -> float:
    return float.fromhex(text)


@pytest.mark.parametrize("name", sorted(VALUES))
def test_values_are_mpmaths_to_four_units_in_the_last_place(name: str, device: str) -> None:
    """A row is the arguments, the value, and the amplitude, of which the ULP counts near zeros."""
    rows = [[number(each) for each in row] for row in VALUES[name]]
    columns = [gn.tensor(list(each), dtype=gn.float64) for each in zip(*(row[:-2] for row in rows))]
    found = of(name)(*columns).tolist()
    wrong = [
        (row, each)
        for row, each in zip(rows, found)
        if not (each == row[-2] or abs(each - row[-2]) <= BOUND * math.ulp(row[-1]))
    ]
    assert not wrong, f"{len(wrong)} of {len(rows)}: {wrong[:3]}"


@pytest.mark.parametrize("name", sorted(VALUES))
def test_float32_is_rounded_from_float64(name: str, device: str) -> None:
    rows = [[number(each) for each in row] for row in VALUES[name]][::7]
    columns = [gn.tensor(list(each)) for each in zip(*(row[:-2] for row in rows))]
    found = of(name)(*columns)
    assert found.dtype is gn.float32
    expected = of(name)(*(each.double() for each in columns)).float()
    for one, other in zip(found.tolist(), expected.tolist()):
        assert one == other or (one != one and other != other) or abs(one - other) <= 2.0**-23 * abs(other)


EDGES = [0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan]
AT_EDGES = {  # PyTorch's
    "i0e": [1.0, 1.0, 0.46575960759364043, 0.46575960759364043, 0.0, 0.0, "nan"],
    "i0": [1.0, 1.0, 1.2660658777520084, 1.2660658777520084, "nan", "nan", "nan"],
    "i1": [0.0, 0.0, 0.5651591039924851, -0.5651591039924851, "nan", "nan", "nan"],
    "modified_bessel_k0": [math.inf, math.inf, 0.42102443824070834, "nan", 0.0, "nan", "nan"],
    "bessel_j1": [0.0, -0.0, 0.44005058574493355, -0.44005058574493355, "nan", "nan", "nan"],
    "bessel_y0": [-math.inf, -math.inf, 0.08825696421567697, "nan", "nan", "nan", "nan"],
    "spherical_bessel_j0": [1.0, 1.0, 0.8414709848078965, 0.8414709848078965, 0.0, 0.0, "nan"],
    "entr": [0.0, 0.0, -0.0, -math.inf, -math.inf, -math.inf, "nan"],
    "erfcx": [1.0, 1.0, 0.427583576155807, 5.00898008076228, 0.0, math.inf, "nan"],
    "log_ndtr": [
        -math.log(2),
        -math.log(2),
        -0.17275377902344988,
        -1.8410216450092636,
        -0.0,
        -math.inf,
        "nan",
    ],
    "ndtri": [-math.inf, -math.inf, math.inf, "nan", "nan", "nan", "nan"],
}


@pytest.mark.parametrize("name", AT_EDGES)
def test_edges_of_domains(name: str, device: str) -> None:
    found = of(name)(gn.tensor(EDGES, dtype=gn.float64)).tolist()
    for one, other in zip(found, AT_EDGES[name]):
        if other == "nan":
            assert one != one
        else:
            assert one == pytest.approx(other, rel=1e-15)
            assert math.copysign(1.0, one) == math.copysign(1.0, other)


def test_edges_of_zeta(device: str) -> None:
    s = gn.tensor([[0.5], [1.0], [2.0], [2.5], [math.inf]], dtype=gn.float64)
    q = gn.tensor([0.0, 1.0, -1.0, -0.5, math.inf, -math.inf], dtype=gn.float64)
    found = [["nan" if each != each else each for each in row] for row in gn.special.zeta(s, q).tolist()]
    inf = math.inf
    assert found[0] == ["nan"] * 6
    assert found[1] == [inf] * 6
    assert found[2][:3] == [inf, math.pi**2 / 6, inf] and found[2][4:] == ["nan", inf]
    assert found[2][3] == pytest.approx(8.934802200544679, rel=1e-15)
    assert found[3][3] == "nan"
    assert found[4] == [inf, 1.0, inf, inf, "nan", inf]
    large = gn.tensor([1e300, 500.0, 1e300, 1e5], dtype=gn.float64)
    assert gn.special.zeta(large, gn.tensor([0.25, 1e-3, 2.0, 1.0]).double()).tolist() == [inf, inf, 0.0, 1.0]


def test_orders_of_polynomials(device: str) -> None:
    """They are truncated; negative ones give 0, and those beyond the limit NaN."""
    x = gn.tensor([0.5, math.nan], dtype=gn.float64)
    for name in ("chebyshev_polynomial_t", "legendre_polynomial_p", "hermite_polynomial_h"):
        polynomial = of(name)
        assert polynomial(x, -1).tolist() == [0.0, 0.0]
        assert polynomial(x, -0.5).tolist() == [1.0, 1.0]
        assert polynomial(x, 2.75)[0].item() == polynomial(x, 2)[0].item()
        assert polynomial(x, 2)[1].isnan().item()
        assert polynomial(x, 2.0**27).isnan().all().item()
        assert polynomial(x, math.nan).tolist() == [0.0, 0.0]
    ends = gn.tensor([math.inf, -math.inf], dtype=gn.float64)
    assert gn.special.legendre_polynomial_p(ends, 3).tolist() == [math.inf, -math.inf]
    assert gn.special.laguerre_polynomial_l(ends, 3).tolist() == [-math.inf, math.inf]
    assert gn.special.shifted_chebyshev_polynomial_u(gn.tensor([-3.0, 3.0]), 513).tolist() == [
        -math.inf,
        math.inf,
    ]


def test_numbers_promote_as_wrapped_numbers(device: str) -> None:
    x = gn.ones(2, dtype=gn.int64)
    for polynomial in (gn.special.chebyshev_polynomial_t, gn.special.laguerre_polynomial_l):
        assert polynomial(x, 2.5).dtype is gn.float32
        assert polynomial(2.5, x).dtype is gn.float32
        assert polynomial(x.double(), 2).dtype is gn.float64
        assert polynomial(gn.tensor(0.5), 2.0).dtype is gn.float32
        out = gn.empty(0, dtype=gn.float64)
        assert polynomial(x, 2, out=out) is out and out.shape == (2,)


def test_results_without_a_derivative_require_no_grad(device: str) -> None:
    x = gn.tensor([0.5, 1.5], requires_grad=True)
    for name in ("bessel_j0", "modified_bessel_i1", "airy_ai", "spherical_bessel_j0"):
        assert not of(name)(x).requires_grad
    assert not gn.special.hermite_polynomial_h(x, x).requires_grad
    with pytest.raises(NotImplementedError, match="the derivative for 'zeta' is not implemented"):
        gn.special.zeta(x + 1, 2.0).sum().backward()


def test_derivatives(device: str) -> None:
    x = gn.tensor([-1.5, -0.5, 0.0, 0.25, 2.0], dtype=gn.float64, requires_grad=True)
    inside = gn.tensor([0.125, 0.5, 0.75], dtype=gn.float64, requires_grad=True)
    for name in ("i0", "i0e", "i1", "i1e", "erfcx", "ndtr", "log_ndtr"):
        given = [x if name != "i0e" else inside]  # |x| has no derivative at 0
        assert gn.autograd.gradcheck(of(name), given), name
    for name in ("i0", "i1", "i1e", "entr", "erfcx", "ndtri", "log_ndtr", "ndtr"):
        assert gn.autograd.gradgradcheck(of(name), [inside]), name
    assert gn.autograd.gradcheck(gn.special.xlog1py, [x, inside[:1]])
    assert gn.autograd.gradgradcheck(lambda q: gn.special.zeta(2.5, q), [inside])


def test_float16_is_refused_where_pytorch_refuses_it(device: str) -> None:
    x = gn.ones(2, dtype=gn.float16)
    assert gn.special.i1e(x).dtype is gn.float16 and gn.special.ndtr(x).dtype is gn.float16
    for name in ("bessel_j0", "erfcx", "log_ndtr", "modified_bessel_k0"):
        with pytest.raises(NotImplementedError, match=f"special_{name}: not implemented for dtype float16"):
            of(name)(x)


def test_i0_is_a_function_and_a_method(device: str) -> None:
    x = gn.tensor([0.0, 2.0])
    assert gn.i0(x).tolist() == x.i0().tolist() == gn.special.i0(x).tolist()
    expected = gn.i0(x).tolist()
    assert x.i0_() is x and x.tolist() == expected


@pytest.mark.parametrize("name", ["hermite_polynomial_h", "laguerre_polynomial_l", "legendre_polynomial_p"])
@pytest.mark.parametrize("dtype", [gn.float32, gn.float64])
def test_a_polynomial_does_not_depend_on_those_beside_it(device: str, name: str, dtype: gn.dtype) -> None:
    function = getattr(gn.special, name)
    usual = [0.25, -1.5, 3.0, 0.0, 7.5, -0.125, 1.0, 2.0, -3.0, 0.75, -9.0, 4.0, 0.5, -0.5, 6.0, 1.25, 11.0]
    odd = [*usual[:-4], math.nan, math.inf, -1e30, 1e30]
    cases = [
        (usual, [5] * 17),  # one block of equal orders, and a rest
        (usual, [17, 0, 1, 2, 3, 31, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]),
        (usual, [300, 2, 1, 0, 2, 1, 3, 2, 1, 4, 3, 2, 1, 5, 2, 1, 40]),
        (odd, [21] * 17),
        (odd, [20, -1, 33, 2, 3, 32, 4, 5, 6, 7, 8, 9, 10, 3, 2, 20, 21]),
    ]
    for numbers, orders in cases:
        x, n = gn.tensor(numbers, dtype=dtype), gn.tensor(orders, dtype=dtype)
        found = function(x, n)
        alone = gn.stack([function(x[place], n[place]) for place in range(len(numbers))])
        assert gn.equal(found.nan_to_num(1.5), alone.nan_to_num(1.5))
        assert found.isnan().tolist() == alone.isnan().tolist()
        if orders.count(orders[0]) == len(orders):
            assert function(x, orders[0]).nan_to_num(1.5).tolist() == found.nan_to_num(1.5).tolist()


@pytest.mark.parametrize("kind", "tuvw")
@pytest.mark.parametrize("prefix", ["chebyshev", "shifted_chebyshev"])
def test_chebyshev_polynomials_do_not_depend_on_those_beside_them(
    device: str, prefix: str, kind: str
) -> None:
    """Near zeros, where the ways to compute them differ in the last place."""
    function = getattr(gn.special, f"{prefix}_polynomial_{kind}")
    for dtype, order in [(each, order) for each in (gn.float64, gn.float32) for order in (1, 7, 9, 10, 11)]:
        parts = (2 * order, order + 1, 2 * order + 1)  # of half a turn, where the four kinds have zeros
        cosines = [math.cos(place * math.pi / part) for part in parts for place in range(part)]
        numbers = [each / 2 + 0.5 if "shifted" in prefix else each for each in cosines]
        x = gn.tensor([*numbers, 1e290, -1e290, 0.0, -0.0], dtype=dtype)
        alone = gn.stack([function(each, order) for each in x]).tolist()
        assert function(x, order).tolist() == alone
        beside = gn.full_like(x, math.nan)
        assert function(gn.stack([x, beside], 1), order)[:, 0].tolist() == alone
        for other in (0, 2, 30):
            orders = gn.tensor([[order, other]], dtype=dtype)
            assert function(gn.stack([x, x], 1), orders)[:, 0].tolist() == alone


@pytest.mark.parametrize(
    "name, expected",  # mpmath's
    [("legendre_polynomial_p", 0.00447586147786190653), ("laguerre_polynomial_l", -0.073038498497173723)],
)
def test_recurrences_of_large_orders(name: str, expected: float, device: str) -> None:
    found = of(name)(gn.tensor([0.3], dtype=gn.float64), gn.tensor([20000.0], dtype=gn.float64)).item()
    assert abs(found - expected) <= 1e-14
    orders = gn.tensor([2.0**20 + 1, 2.0**24 + 1, 2.0**62], dtype=gn.float64)  # would take minutes
    assert of(name)(gn.full((3,), 0.3, dtype=gn.float64), orders).isnan().tolist() == [True] * 3
    assert of(name)(gn.full((3,), 0.3), orders.float()).isnan().tolist() == [True] * 3


def test_zeros_and_bounds(device: str) -> None:
    for dtype in (gn.float32, gn.float64):
        zero = gn.tensor([-0.0, 0.0], dtype=dtype)
        assert gn.erfinv(zero).signbit().tolist() == [True, False]
        assert gn.lgamma(gn.tensor([1.0, 2.0], dtype=dtype)).signbit().tolist() == [False, False]
        half = gn.tensor([0.5, 0.2, 0.6], dtype=dtype)
        assert gn.allclose(
            gn.logit(half, 0.7), gn.full((3,), 0.8472979, dtype=dtype)
        )  # the lower bound decides
        assert gn.logit(half, 1.0).tolist() == [math.inf] * 3


POLYGAMMAS = [  # mpmath's
    (0, -7.25, 5.189977214956288),
    (1, 0.25, 17.19732915450711),
    (1, 11.5, 0.09084666127454623),
    (1, -3.25, 19.474085068082154),
    (2, 1.5, -0.82879664423432),
    (7, 12.5, 1.977407971032112e-05),
    (30, 15.0, -0.00010699799160744993),
    (60, 13.0, -94276183905168.31),
    (3, -2.5, 194.74787621918762),
    (2, -20.25, 124.02278552474384),
]


def test_polygamma_is_mpmaths(device: str) -> None:
    """Also of large orders: the formula of Euler and Maclaurin needs arguments as large as these."""
    for order, number, expected in POLYGAMMAS:
        found = gn.polygamma(order, gn.tensor([number], dtype=gn.float64)).item()
        assert abs(found - expected) <= 32 * math.ulp(expected), (order, number)


def test_terms_of_zeta_that_cancel(device: str) -> None:
    """Half way between two poles the terms of odd orders on both sides of 0 are each other's negatives."""
    orders, numbers = (3, 31, 41, 101), (-0.5, -1.5, -7.5, -1000.5)
    tiny = gn.tensor([-1e-300, -1e-160, 1e-300, 1e300], dtype=gn.float64)
    assert gn.polygamma(1, tiny).tolist() == [math.inf, math.inf, math.inf, 1e-300]
    assert gn.special.zeta(2.0, gn.tensor([1e300, 1e200], dtype=gn.float64)).tolist() == [1e-300, 1e-200]
    for order in orders:
        q = gn.tensor(numbers, dtype=gn.float64)
        expected = gn.special.zeta(gn.tensor(float(order)), 1.0 - q)
        assert gn.equal(gn.special.zeta(gn.tensor(float(order)), q), expected)
        assert (expected > 0).all().item()
        derivative = gn.polygamma(order - 1, q)
        assert gn.allclose(derivative, gn.polygamma(order - 1, 1.0 - q), rtol=1e-14, atol=0.0)


@pytest.mark.parametrize("name", ["gammainc", "gammaincc"])
@pytest.mark.parametrize("dtype", [gn.float32, gn.float64])
def test_an_incomplete_gamma_function_does_not_depend_on_those_beside_it(
    device: str, name: str, dtype: gn.dtype
) -> None:
    """C sorts them by their method: a series, a fraction of some steps, or one by one."""
    numbers = [0.05, 0.5, 1.5, 4.0, 9.0, 25.0, 63.0, 65.0, 1e-9, 0.0, math.inf, 400.0]
    a, x = gn.tensor(numbers, dtype=dtype).reshape(-1, 1), gn.tensor([*numbers, math.nan, -1.0], dtype=dtype)
    found = of(name)(a, x)
    again = of(name)(a.flip(0).repeat(1, 14), x.repeat(12, 1))
    assert gn.equal(again.flip(0).nan_to_num(2.0), found.nan_to_num(2.0))
    expected = of(name)(a.to("reference"), x.to("reference"))
    assert found.isnan().tolist() == expected.isnan().tolist()
    tolerance = 1e-6 if dtype is gn.float32 else 1e-14
    assert gn.allclose(found.to("reference"), expected, rtol=tolerance, atol=1e-300, equal_nan=True)
    given = a.repeat(1, 14)
    function = given.igamma_ if name == "gammainc" else given.igammac_
    assert gn.equal(function(x).nan_to_num(2.0), found.nan_to_num(2.0))


@pytest.mark.parametrize("number", [0.0, 5e-324, -2.3e-308, 1e-300, 1e-17])
def test_derivatives_of_bessel_functions_near_zero(number: float, device: str) -> None:
    """i1(x) / x is 1/2 there, also where i1(x) has few digits or none."""
    x = gn.tensor(number, dtype=gn.float64, device=device, requires_grad=True)
    for function, first, second in (
        (gn.special.i1, 0.5, 0.0),
        (gn.special.i1e, 0.5, 0.0),
        (gn.special.i0, number / 2, 0.5),
        (gn.special.i0e, -math.copysign(1, number) if number else 0.0, 1.5 if number else 0.5),
    ):
        (grad,) = gn.autograd.grad(function(x), x, create_graph=True)
        (again,) = gn.autograd.grad(grad, x)
        assert grad.item() == pytest.approx(first, abs=1e-15), function
        assert again.item() == pytest.approx(second, abs=1e-15), function


@pytest.mark.parametrize(
    "name", ["chebyshev_polynomial_u", "hermite_polynomial_he", "shifted_chebyshev_polynomial_w"]
)
def test_numbers_beyond_float32_are_infinite_for_polynomials(name: str, device: str) -> None:
    polynomial = getattr(gn.special, name)
    for dtype in (gn.float32, gn.int16):
        x = gn.tensor([1, 2], dtype=dtype, device=device)
        wide = polynomial(x, gn.tensor(math.inf, device=device))
        found = polynomial(x, 1e308)
        assert found.dtype is gn.float32 and str(found.tolist()) == str(wide.tolist())
    assert polynomial(1e308, gn.ones(2, device=device)).tolist() == [math.inf] * 2
