"""Exact values of the operators of torch.special, by mpmath, at random arguments in the range of each.

    python tools/exact_special_functions.py

writes tests/ops/special_function_values.json: rows of the arguments, the value, and the amplitude, which is
that of the oscillation for functions that oscillate, and the value's size for others.  Needs mpmath.
"""

from __future__ import annotations

import json
import random
import statistics
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import mpmath
from mpmath import mp, mpf

PATH = Path(__file__).resolve().parent.parent / "tests" / "ops" / "special_function_values.json"
Row = tuple[tuple[float, ...], Any, Any]

mp.dps = 60


def ndtr(x: Any) -> Any:
    return mpmath.erfc(-x / mpmath.sqrt(2)) / 2


def ndtri(p: Any) -> Any:
    """By Newton's method."""
    if p > 0.5:
        return -ndtri(1 - p)
    x = mpf(statistics.NormalDist().inv_cdf(float(p)))
    for _ in range(6):
        x -= (ndtr(x) - p) / (mpmath.exp(-x * x / 2) / mpmath.sqrt(2 * mp.pi))
    return x


def zeta(s: Any, q: Any) -> Any:
    """mpmath's has an absolute error."""
    with mpmath.workdps(60 + int(s * abs(mpmath.log10(abs(q))))):
        if q > 0:
            return mpmath.zeta(s, q)
        floor = mpmath.floor(q)
        below = mpmath.zeta(s, floor + 1 - q) - mpmath.zeta(s, 1 - q)
        return mpmath.zeta(s, q - floor) + (below if s % 2 == 0 else -below)


def gammainc(a: Any, x: Any, is_upper: bool) -> Any:
    """By the series of the lower function; mpmath's does not converge for large arguments."""
    if x > 2 * a + 2000:  # the upper function is then below 1e-400
        return mpf(0 if is_upper else 1)
    with mpmath.workdps(400):
        term = total = mpf(1)
        n = 0
        while term > total * mpf(10) ** -400:
            n += 1
            term *= x / (a + n)
            total += term
        lower = total * mpmath.exp(a * mpmath.log(x) - x - mpmath.loggamma(a + 1))
        return 1 - lower if is_upper else lower


def polygamma(n: int) -> Callable[..., Any]:
    """By the zeta function, of which each other order has the opposite sign."""
    return lambda x: (-1) ** (n + 1) * mpmath.factorial(n) * zeta(mpf(n + 1), x)


def multigammaln_terms(p: int) -> Callable[..., list[Any]]:
    def terms(x: Any) -> list[Any]:
        constant = mpf(p * (p - 1)) / 4 * mpmath.log(mp.pi)
        return [constant, *(mpmath.loggamma(x - mpf(j) / 2) for j in range(p))]

    return terms


def recurrence(first: Callable[[Any], Any], step: Callable[[Any, int, Any, Any], Any]) -> Callable[..., Any]:
    """A polynomial of x and n from those of the orders 0, which is 1, and 1."""

    def polynomial(x: Any, n: Any) -> Any:
        before, value = mpf(1), first(x)
        if n == 0:
            return before
        for k in range(1, int(n)):
            before, value = value, step(x, k, value, before)
        return value

    return polynomial


def chebyshev(first: Callable[[Any], Any], is_shifted: bool) -> Callable[..., Any]:
    def step(x: Any, k: int, value: Any, before: Any) -> Any:
        return 2 * x * value - before

    polynomial = recurrence(first, step)
    return (lambda x, n: polynomial(2 * x - 1, n)) if is_shifted else polynomial


KINDS: dict[str, Callable[[Any], Any]] = {
    "t": lambda x: x,
    "u": lambda x: 2 * x,
    "v": lambda x: 2 * x - 1,
    "w": lambda x: 2 * x + 1,
}
# Functions with an integer among their arguments have a row for each of these.
ORDERS = (1, 2, 3, 5)
EXACT: dict[str, Callable[..., Any]] = {
    "i0": lambda x: mpmath.besseli(0, x),
    "i1": lambda x: mpmath.besseli(1, x),
    "i0e": lambda x: mpmath.besseli(0, x) * mpmath.exp(-abs(x)),
    "i1e": lambda x: mpmath.besseli(1, x) * mpmath.exp(-abs(x)),
    "modified_bessel_k0": lambda x: mpmath.besselk(0, x),
    "modified_bessel_k1": lambda x: mpmath.besselk(1, x),
    "scaled_modified_bessel_k0": lambda x: mpmath.besselk(0, x) * mpmath.exp(x),
    "scaled_modified_bessel_k1": lambda x: mpmath.besselk(1, x) * mpmath.exp(x),
    "bessel_j0": lambda x: mpmath.besselj(0, x),
    "bessel_j1": lambda x: mpmath.besselj(1, x),
    "bessel_y0": lambda x: mpmath.bessely(0, x),
    "bessel_y1": lambda x: mpmath.bessely(1, x),
    "modified_bessel_i0": lambda x: mpmath.besseli(0, x),
    "modified_bessel_i1": lambda x: mpmath.besseli(1, x),
    "sinc": lambda x: mpmath.sincpi(x),
    "xlogy": lambda a, b: a * mpmath.log(b),
    **{f"polygamma of order {n}": polygamma(n) for n in ORDERS},
    **{f"multigammaln of order {p}": lambda x, p=p: sum(multigammaln_terms(p)(x)) for p in ORDERS},
    "spherical_bessel_j0": lambda x: mpmath.sin(x) / x,
    "airy_ai": mpmath.airyai,
    "entr": lambda x: -x * mpmath.log(x),
    "erfcx": lambda x: mpmath.exp(x * x) * mpmath.erfc(x),
    "ndtr": ndtr,
    "log_ndtr": lambda x: mpmath.log1p(-ndtr(-x)) if x > 0 else mpmath.log(ndtr(x)),
    "ndtri": ndtri,
    "zeta": zeta,
    "logit": lambda p: mpmath.log(p / (1 - p)),
    "xlog1py": lambda a, b: a * mpmath.log1p(b),
    "gammainc": lambda a, x: gammainc(a, x, False),
    "gammaincc": lambda a, x: gammainc(a, x, True),
    **{f"chebyshev_polynomial_{kind}": chebyshev(first, False) for kind, first in KINDS.items()},
    **{f"shifted_chebyshev_polynomial_{kind}": chebyshev(first, True) for kind, first in KINDS.items()},
    "hermite_polynomial_h": recurrence(lambda x: 2 * x, lambda x, k, v, b: 2 * x * v - 2 * k * b),
    "hermite_polynomial_he": recurrence(lambda x: x, lambda x, k, v, b: x * v - k * b),
    "laguerre_polynomial_l": recurrence(
        lambda x: 1 - x, lambda x, k, v, b: ((2 * k + 1 - x) * v - k * b) / (k + 1)
    ),
    "legendre_polynomial_p": recurrence(
        lambda x: x, lambda x, k, v, b: ((2 * k + 1) * x * v - k * b) / (k + 1)
    ),
}


def operator_of(special: Any, name: str) -> Callable[..., Any]:
    """The function of the module ``special`` of gnomon, or of PyTorch, for a name in EXACT."""
    base, _, order = name.partition(" of order ")
    operator: Callable[..., Any] = getattr(special, base)
    if not order:
        return operator
    return lambda x: operator(int(order), x) if base == "polygamma" else operator(x, int(order))


def amplitude(name: str, arguments: tuple[Any, ...], value: Any) -> Any:
    """That of the wave near zeros, else the size of the value."""
    x = arguments[0]
    if name in ("bessel_j0", "bessel_y0", "bessel_j1", "bessel_y1"):
        order = int(name[-1])
        if abs(x) > 0.5 + order:
            return mpmath.hypot(mpmath.besselj(order, abs(x)), mpmath.bessely(order, abs(x)))
    if name == "airy_ai" and x < -1:
        return mpmath.hypot(mpmath.airyai(x), mpmath.airybi(x))
    if name == "zeta" and arguments[1] < 0:  # of terms with both signs
        return max(abs(value), zeta(x, arguments[1] - mpmath.floor(arguments[1])))
    if name == "sinc" and abs(x) > 0.5:
        return 1 / (mp.pi * abs(x))
    if name.startswith("polygamma") and x < 0:  # of terms with both signs
        return max(abs(value), abs(EXACT[name](x - mpmath.floor(x))))
    if name.startswith("multigammaln"):
        return max(abs(each) for each in (value, *multigammaln_terms(int(name[-1]))(x)))
    if name == "logit":  # in PyTorch 1 - p is rounded
        return max(abs(value), mpf(1))
    return abs(value)


def arguments_of(name: str, count: int, draw: random.Random) -> Iterator[tuple[float, ...]]:
    """Arguments over the whole range of a function, most where it has its shape."""
    for place in range(count):
        turn = place % 4
        plain = (
            draw.uniform(0, 5),
            draw.uniform(0, 40),
            10 ** draw.uniform(-10, 12),
            draw.uniform(0, 300),
        )[turn]
        signed = (
            draw.uniform(-3, 3),
            draw.uniform(-26, 8),
            -(10 ** draw.uniform(-20, 1)),
            draw.uniform(0, 30),
        )[turn]
        if "_polynomial" in name:
            n = float(draw.randint(0, 25 if turn < 2 else 200))
            x = draw.uniform(-1, 1) if turn != 1 else draw.uniform(-3, 3)
            if "shifted" in name:
                x = (x + 1) / 2
            if "laguerre" in name:
                x = draw.uniform(-1, 60)
            if "hermite" in name:
                x = draw.uniform(-12, 12)
            yield x, n
        elif name == "zeta":
            s = (
                draw.uniform(1, 3),
                draw.uniform(1, 30),
                1 + 10 ** draw.uniform(-12, 0),
                float(draw.randint(2, 8)),
            )
            q = (draw.uniform(0, 2), draw.uniform(0, 40), 10 ** draw.uniform(-3, 6), -draw.uniform(0, 30))
            yield s[turn], q[turn]
        elif name in ("gammainc", "gammaincc"):
            power = 10 ** draw.uniform(-10, 5)
            yield (
                (draw.uniform(0.01, 30), draw.uniform(0.01, 60)),
                (power, power * 10 ** draw.uniform(-1, 1)),
                (power, max(power + draw.uniform(-5, 5) * power**0.5, power / 2)),
                (draw.uniform(20, 200), draw.uniform(10, 300)),
            )[turn]
        elif name in ("xlog1py", "xlogy"):
            yield plain, 10 ** draw.uniform(-10, 10)
        elif name == "sinc":
            yield ((signed, signed, plain, round(plain) + draw.choice((-1, 1)) * 2.0**-20)[turn],)
        elif name.startswith("polygamma"):
            yield ((plain, 10 ** draw.uniform(-30, 1), 10 ** draw.uniform(0, 12), signed)[turn],)
            yield (-draw.uniform(0, 30),)
        elif name.startswith("multigammaln"):
            least = (int(name[-1]) - 1) / 2
            yield (least + (plain, plain, 10 ** draw.uniform(-10, 3), draw.uniform(0, 4))[turn],)
        elif name in (
            "i0",
            "i1",
            "modified_bessel_i0",
            "modified_bessel_i1",
            "modified_bessel_k0",
            "modified_bessel_k1",
        ):
            yield ((plain, plain, 10 ** draw.uniform(-300, 2), draw.uniform(0, 713))[turn],)
        elif name == "ndtri":
            yield (
                (draw.uniform(0, 1), draw.uniform(0.4, 0.6), 10 ** draw.uniform(-307, -1), 1 - plain / 301)[
                    turn
                ],
            )
        elif name == "logit":
            yield (
                (
                    draw.uniform(0, 1),
                    draw.uniform(0.4, 0.6),
                    10 ** draw.uniform(-307, -1),
                    1 - 10 ** draw.uniform(-6, -1),
                )[turn],
            )
        elif name in ("erfcx", "ndtr", "log_ndtr"):
            yield (signed,)
        elif name == "airy_ai":
            yield (
                (
                    draw.uniform(-3, 3),
                    draw.uniform(-13, 17),
                    -(10 ** draw.uniform(0, 5)),
                    draw.uniform(0, 100),
                )[turn],
            )
        else:
            yield (plain,)


def rows(name: str, count: int) -> Iterator[Row]:
    """Arguments, values and amplitudes; values that are infinite or subnormal in float64 are left out."""
    for arguments in arguments_of(name, count, random.Random(name)):
        if name == "ndtri" and not 0 < arguments[0] < 1:
            continue
        wide = tuple(map(mpf, arguments))
        value = EXACT[name](*wide)
        if mpf(10) ** -300 < abs(value) < mpf(10) ** 308:
            yield arguments, value, amplitude(name, wide, value)


def main() -> None:
    texts = []
    for name in sorted(EXACT):
        lines = [
            json.dumps([float(each).hex() for each in (*arguments, value, size)])
            for arguments, value, size in rows(name, 40 if "_polynomial" in name else 60)
        ]
        texts.append(f" {json.dumps(name)}: [\n  " + ",\n  ".join(lines) + "\n ]")
    PATH.write_text("{\n" + ",\n".join(texts) + "\n}\n")


if __name__ == "__main__":
    main()
