"""Generate the coefficients of the special functions, for the reference and for C, and check them.

    python tools/make_special_tables.py [--check]

Each table is a list of polynomials that approximate a smooth function in pieces of its domain, to 2**-57 of
its largest value in the piece.  They are Chebyshev interpolations in 40 digits, truncated, and written as
powers of a variable in [-1, 1] (in pieces) or of an argument that is given with the table.

Needs mpmath.  ``--check`` writes nothing, and fails if the committed files are not what this generates.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import mpmath
from mpmath import mp, mpf

ROOT = Path(__file__).resolve().parent.parent
PYTHON = ROOT / "reference" / "gnomon" / "numerics" / "special_tables.py"
HEADER = ROOT / "csrc" / "c" / "scalar_special_tables.h"

mp.dps = 40
NODES = 36
PRECISION = mpf(2) ** -57
FLOAT_PRECISION = mpf(2) ** -36

Function = Callable[[Any], Any]
Interval = tuple[Any, Any]


class Table(NamedTuple):
    """The polynomials of one function."""

    name: str
    says: str  # what is approximated
    function: Function
    intervals: list[Interval]
    is_centred: bool  # the variable is -1 and 1 at a piece's ends; else it is the function's argument itself
    precision: Any = PRECISION
    is_of_c: bool = False  # for C alone


def octaves(first: int, last: int) -> list[Interval]:
    """Quarters of the binades from 2**first to 2**last."""
    return [
        (mpf(2) ** exponent * (4 + part) / 4, mpf(2) ** exponent * (5 + part) / 4)
        for exponent in range(first, last)
        for part in range(4)
    ]


def units(first: int, last: int) -> list[Interval]:
    """Intervals of length 1."""
    return [(mpf(each), mpf(each + 1)) for each in range(first, last)]


def coefficients(function: Function, interval: Interval, is_centred: bool, precision: Any) -> list[Any]:
    """Coefficients of powers of the variable, the constant first."""
    low, high = interval
    middle, half = (low + high) / 2, (high - low) / 2
    values = [function(middle + half * mpmath.cos(mp.pi * (2 * k + 1) / (2 * NODES))) for k in range(NODES)]
    series = [
        2
        / mpf(NODES)
        * sum(v * mpmath.cos(mp.pi * j * (2 * k + 1) / (2 * NODES)) for k, v in enumerate(values))
        for j in range(NODES)
    ]
    series[0] /= 2
    bound = precision * max(map(abs, values))
    while len(series) > 1 and abs(series[-1]) < bound:
        series.pop()
    powers = [mpf(0)] * len(series)
    previous, current = [mpf(0)], [mpf(1)]  # Chebyshev polynomials as powers of t
    for j, factor in enumerate(series):
        for k, each in enumerate(current):
            powers[k] += factor * each
        following = [mpf(0), *(each * (2 if j else 1) for each in current)]
        for k, each in enumerate(previous):
            following[k] -= each
        previous, current = (current if j else [mpf(1)]), following
        if not j:
            previous = [mpf(1)]
    if is_centred:
        return powers
    # t = (x - middle) / half: powers of x by Horner's rule
    result = [mpf(0)]
    for factor in reversed(powers):
        shifted = [mpf(0), *(each / half for each in result)]
        for k, each in enumerate(result):
            shifted[k] -= each * middle / half
        shifted[0] += factor
        result = shifted
    while len(result) > 1 and result[-1] == 0:
        result.pop()
    return result


def rows_of(table: Table) -> list[list[float]]:
    """The coefficients of all pieces, all rows as long as the longest."""
    rows = [coefficients(table.function, each, table.is_centred, table.precision) for each in table.intervals]
    length = max(map(len, rows))
    return [[float(each) for each in row] + [0.0] * (length - len(row)) for row in rows]


# ---------------------------------------------------------------------------------------------------------
# The functions.


def of_root(function: Function) -> Function:
    """As a function of the square of its argument."""
    return lambda z: function(mpmath.sqrt(abs(z)) if z > 0 else mpf(10) ** -30)


def of_reciprocal(function: Function) -> Function:
    return lambda w: function(1 / w)


def of_reciprocal_root(function: Function) -> Function:
    return lambda w: function(1 / mpmath.sqrt(w))


def mills(x: Any) -> Any:
    return mpmath.exp(x * x / 2) * mpmath.erfc(x / mpmath.sqrt(2)) / 2


def hankel(order: int, is_even: bool) -> Function:
    """P and Q of J = sqrt(2 / (pi x)) (P cos chi - Q sin chi), over 1 / x**2; Q times x."""

    def part(x: Any) -> Any:
        chi = x - (2 * order + 1) * mp.pi / 4
        j, y = mpmath.besselj(order, x), mpmath.bessely(order, x)
        amplitude = mpmath.sqrt(2 / (mp.pi * x))
        if is_even:
            return (j * mpmath.cos(chi) + y * mpmath.sin(chi)) / amplitude
        return (y * mpmath.cos(chi) - j * mpmath.sin(chi)) / amplitude * x

    return of_reciprocal_root(part)


def airy_wave(is_even: bool) -> Function:
    """P and Q of Ai(-x) = x**-1/4 / sqrt(pi) (P cos chi + Q sin chi), over 1 / zeta**2; Q times zeta."""

    def part(zeta: Any) -> Any:
        x = (3 * zeta / 2) ** (mpf(2) / 3)
        chi = zeta - mp.pi / 4
        a, b = mpmath.airyai(-x), mpmath.airybi(-x)
        amplitude = x ** (-mpf(1) / 4) / mpmath.sqrt(mp.pi)
        if is_even:
            return (a * mpmath.cos(chi) - b * mpmath.sin(chi)) / amplitude
        return (a * mpmath.sin(chi) + b * mpmath.cos(chi)) / amplitude * zeta

    return of_reciprocal_root(part)


def airy_zeta(x: Any) -> Any:
    return 2 * x * mpmath.sqrt(x) / 3


def scaled_erfc(k: int, added: int) -> Function:
    """exp(x^2) erfc(x) (x + added), over (x - k) / (x + k)."""

    def part(t: Any) -> Any:
        x = k * (1 + t) / (1 - t)
        return mpmath.exp(x * x) * mpmath.erfc(x) * (x + added)

    return part


def erfinv_ratio(w: Any) -> Any:
    """erfinv(x) / x, over -log(1 - x^2)."""
    if w < TINY:
        return mpmath.sqrt(mp.pi) / 2
    x = mpmath.sqrt(-mpmath.expm1(-w))
    rest = mpmath.exp(-w) / (1 + x)  # 1 - x
    y = mpmath.sqrt(w)
    for _ in range(12):
        y += (mpmath.erfc(y) - rest) * mpmath.sqrt(mp.pi) / 2 * mpmath.exp(y * y)
    return y / x


def logarithm_slope(x: Any) -> Any:
    return (2 * mpmath.atanh(x) - 2 * x) / x**3 if x > TINY else mpf(2) / 3


def _lgamma_slope(x: Any) -> Any:
    return mpmath.loggamma(2 + x) / x if x else mpmath.digamma(2)


def _lgamma_first(x: Any) -> Any:
    return mpmath.loggamma(1 + x) / x if x else mpmath.digamma(1)


_LGAMMA_FIRST = [(mpf(-1) / 4, mpf(3) / 4)]
_LGAMMA_NEAR = [(mpf(-1) / 2, mpf(1))]

I0, I1 = (lambda x: mpmath.besseli(0, x)), (lambda x: mpmath.besseli(1, x))
J0, J1 = (lambda x: mpmath.besselj(0, x)), (lambda x: mpmath.besselj(1, x))
K0, K1 = (lambda x: mpmath.besselk(0, x)), (lambda x: mpmath.besselk(1, x))
Y0, Y1 = (lambda x: mpmath.bessely(0, x)), (lambda x: mpmath.bessely(1, x))

TINY = mpf(10) ** -12  # instead of 0, where a formula divides by its argument


def scaled(function: Function, sign: int) -> Function:
    return lambda x: mpmath.exp(sign * x) * function(x)


def far(function: Function, sign: int) -> Function:
    """The scaled function times sqrt(x), over 1 / x."""
    return of_reciprocal(lambda x: mpmath.sqrt(x) * mpmath.exp(sign * x) * function(x))


def tables() -> list[Table]:
    unit, far_bessel = [(mpf(0), mpf(1))], [(TINY**2, 1 / mpf(25) ** 2)]
    four = [(mpf(0), mpf(4))]
    far_modified = [(TINY, 1 / mpf(32))]
    pi = mp.pi
    found = []

    def add(name: str, says: str, function: Function, intervals: list[Interval], is_centred: bool) -> None:
        found.append(Table(name, says, function, intervals, is_centred))

    add("i0_near", "I0(x) over x^2, up to 1", of_root(I0), unit, False)
    add("i1_near", "I1(x) / x over x^2, up to 1", of_root(lambda x: I1(x) / x), unit, False)
    add(
        "k0_near",
        "K0(x) + log(x) I0(x) over x^2, up to 1",
        of_root(lambda x: K0(x) + mpmath.log(x) * I0(x)),
        unit,
        False,
    )
    add(
        "k1_near",
        "(K1(x) - 1 / x - log(x) I1(x)) / x over x^2, up to 1",
        of_root(lambda x: (K1(x) - 1 / x - mpmath.log(x) * I1(x)) / x),
        unit,
        False,
    )
    for name, function, sign in (("i0", I0, -1), ("i1", I1, -1), ("k0", K0, 1), ("k1", K1, 1)):
        text = f"{name.upper()}(x) exp({'-' if sign < 0 else ''}x)"
        add(f"{name}_middle", f"{text}, from 1 to 32", scaled(function, sign), octaves(0, 5), True)
        add(f"{name}_far", f"{text} sqrt(x) over 1 / x, from 32", far(function, sign), far_modified, False)
    add("j0_near", "J0(x) over x^2, up to 1", of_root(J0), unit, False)
    add("j1_near", "J1(x) / x over x^2, up to 1", of_root(lambda x: J1(x) / x), unit, False)
    add(
        "y0_near",
        "Y0(x) - 2 / pi log(x) J0(x) over x^2, up to 2",
        of_root(lambda x: Y0(x) - 2 / pi * mpmath.log(x) * J0(x)),
        four,
        False,
    )
    add(
        "y1_near",
        "(Y1(x) - 2 / pi (log(x) J1(x) - 1 / x)) / x over x^2, up to 2",
        of_root(lambda x: (Y1(x) - 2 / pi * (mpmath.log(x) * J1(x) - 1 / x)) / x),
        four,
        False,
    )
    for name, function, first in (("j0", J0, 1), ("j1", J1, 1), ("y0", Y0, 2), ("y1", Y1, 2)):
        add(f"{name}_middle", f"{name.upper()}(x), from {first} to 25", function, units(first, 25), True)
    for order in (0, 1):
        add(
            f"p{order}_far",
            f"P of Hankel's expansion of order {order} over 1 / x^2, from 25",
            hankel(order, True),
            far_bessel,
            False,
        )
        add(
            f"q{order}_far",
            f"x Q of Hankel's expansion of order {order} over 1 / x^2, from 25",
            hankel(order, False),
            far_bessel,
            False,
        )
    add(
        "mills_near",
        "exp(x^2 / 2) times the normal distribution function of -x, up to 1/4",
        mills,
        [(mpf(0), mpf(1) / 4)],
        False,
    )
    add("mills_middle", "the same from 1/4 to 32", mills, octaves(-2, 5), True)
    add(
        "mills_far",
        "the same times x, over 1 / x^2, from 32",
        of_reciprocal_root(lambda x: x * mills(x)),
        [(TINY**2, 1 / mpf(32) ** 2)],
        False,
    )
    add("airy_near", "Ai(x), from -12 to 2", mpmath.airyai, units(-12, 2), True)
    add(
        "airy_middle",
        "Ai(x) exp(2 / 3 x^(3/2)), from 2 to 16",
        lambda x: mpmath.airyai(x) * mpmath.exp(airy_zeta(x)),
        octaves(1, 4),
        True,
    )

    def airy_far(zeta: Any) -> Any:
        x = (3 * zeta / 2) ** (mpf(2) / 3)
        return mpmath.airyai(x) * mpmath.exp(zeta) * x ** (mpf(1) / 4)

    add(
        "airy_far",
        "Ai(x) exp(zeta) x^(1/4) over 1 / zeta = 3 / 2 x^(-3/2), from 16",
        of_reciprocal(airy_far),
        [(mpf(10) ** -9, 1 / airy_zeta(mpf(16)))],
        False,
    )
    waves = [(mpf(10) ** -12, 1 / airy_zeta(mpf(12)) ** 2)]
    add("airy_p", "P of Ai(-x)'s expansion over 1 / zeta^2, from 12", airy_wave(True), waves, False)
    add("airy_q", "zeta Q of Ai(-x)'s expansion over 1 / zeta^2, from 12", airy_wave(False), waves, False)
    for name, says, function, interval in (
        (
            "i1e_float_near",
            "I1(x) exp(-x) / x, up to 8, for float32",
            lambda x: scaled(I1, -1)(x) / x,
            (mpf(0), mpf(8)),
        ),
        (
            "i1e_float_far",
            "I1(x) exp(-x) sqrt(x) over 1 / x, from 8 on, for float32",
            far(I1, -1),
            (TINY, 1 / mpf(8)),
        ),
    ):
        found.append(Table(name, says, function, [interval], True, FLOAT_PRECISION, True))
    for name, says, function, intervals, is_centred, precision in (
        (
            "erf_near",
            "erf(x) / x - 1 over x^2, up to 5/4",
            of_root(lambda x: mpmath.erf(x) / x - 1),
            [(mpf(0), mpf(25) / 16)],
            False,
            PRECISION,
        ),
        (
            "erf_small",
            "the same up to 1/4",
            of_root(lambda x: mpmath.erf(x) / x - 1),
            [(mpf(0), mpf(1) / 16)],
            False,
            PRECISION,
        ),
        (
            "erfc_far",
            "erfc(x), from 5/4 to 6, for 1 - erfc(x)",
            mpmath.erfc,
            [(mpf(5) / 4, mpf(6))],
            True,
            PRECISION * 4,
        ),
        (
            "erfc_scaled",
            "exp(x^2) erfc(x) (x + 1) over (x - 3) / (x + 3), up to 28",
            scaled_erfc(3, 1),
            [(mpf(-1), mpf(25) / 31)],
            False,
            PRECISION,
        ),
        (
            "erfc_float_scaled",
            "exp(x^2) erfc(x) (x + 3) over (x - 3) / (x + 3), up to 12, for float32",
            scaled_erfc(3, 3),
            [(mpf(-1), mpf(3) / 5)],
            False,
            FLOAT_PRECISION * 8,
        ),
        (
            "erfinv_near",
            "erfinv(x) / x over w - 1, w = -log(1 - x^2), w up to 25/4",
            lambda t: erfinv_ratio(t + 1),
            [(mpf(-1), mpf(21) / 4)],
            False,
            PRECISION,
        ),
        (
            "ndtri_near",
            "ndtri(p) / (p - 1/2) over w - 1, w = -log(4 p (1 - p)), w up to 25/4",
            lambda t: 2 * mpmath.sqrt(2) * erfinv_ratio(t + 1),
            [(mpf(-1), mpf(21) / 4)],
            False,
            PRECISION,
        ),
        (
            "erfinv_float_near",
            "erfinv(x) / x over w - 1, w = -log(1 - x^2), w up to 7, for float32",
            lambda t: erfinv_ratio(t + 1),
            [(mpf(-1), mpf(6))],
            False,
            FLOAT_PRECISION * 256,
        ),
        (
            "gamma_reciprocal",
            "1 / gamma(x + 1), from 0 to 8",
            lambda x: mpmath.rgamma(x + 1),
            units(0, 8),
            True,
            PRECISION / 2,
        ),
        (
            "exp2_slope",
            "(2^x - 1) / x, up to 1/2",
            lambda x: mpmath.expm1(x * mpmath.log(2)) / x if x else mpmath.log(2),
            [(-mpf(1) / 2, mpf(1) / 2)],
            False,
            PRECISION,
        ),
        (
            "logarithm_slope",
            "(2 atanh(x) - 2 x) / x^3 over x^2, up to 0.21",
            of_root(logarithm_slope),
            [(mpf(0), mpf(21) ** 2 / 10000)],
            False,
            PRECISION * 8,
        ),
        (
            "logarithm_float_slope",
            "the same for float32",
            of_root(logarithm_slope),
            [(mpf(0), mpf(21) ** 2 / 10000)],
            False,
            FLOAT_PRECISION * 256,
        ),
        (
            "cosine_ratio",
            "cos(pi x) over x^2, up to 1/2",
            of_root(mpmath.cospi),
            [(mpf(0), mpf(1) / 4)],
            False,
            PRECISION / 2,
        ),
        (
            "sine_ratio",
            "sin(pi x) / (pi x) over x^2, up to 1/2",
            of_root(lambda x: mpmath.sinpi(x) / (mp.pi * x)),
            [(mpf(0), mpf(1) / 4)],
            False,
            PRECISION / 2,
        ),
        (
            "lgamma_near",
            "log(gamma(2 + x)) / x, from -1/2 to 1",
            _lgamma_slope,
            _LGAMMA_NEAR,
            True,
            PRECISION / 2,
        ),
        (
            "lgamma_first",
            "log(gamma(1 + x)) / x, from -1/4 to 3/4",
            _lgamma_first,
            _LGAMMA_FIRST,
            True,
            PRECISION / 2,
        ),
        (
            "lgamma_float_near",
            "log(gamma(2 + x)) / x, for float32",
            _lgamma_slope,
            _LGAMMA_NEAR,
            True,
            FLOAT_PRECISION,
        ),
    ):
        found.append(Table(name, says, function, intervals, is_centred, precision, True))
    return found


# ---------------------------------------------------------------------------------------------------------
# The files.


def python_text(all_rows: list[tuple[Table, list[list[float]]]]) -> str:
    lines = [
        '"""Coefficients of the special functions in special_functions.py: polynomials, the constant first.',
        "",
        "Generated by tools/make_special_tables.py; csrc/c/scalar_special_tables.h has the same numbers.",
        '"""',
        "",
        "# fmt: off",
    ]
    for table, rows in all_rows:
        if table.is_of_c:
            continue
        lines += ["", f"# {table.says}"]
        if len(rows) == 1:
            lines += [f"{table.name.upper()} = (", *_lines(rows[0], 4), ")"]
        else:
            lines += [f"{table.name.upper()} = ("]
            for row in rows:
                lines += ["    (", *_lines(row, 8), "    ),"]
            lines += [")"]
    return "\n".join(lines) + "\n"


def _lines(numbers: list[float], indent: int) -> list[str]:
    result, line = [], " " * indent
    for each in numbers:
        word = f"{each!r}, "
        if len(line) + len(word) > 110:
            result.append(line.rstrip())
            line = " " * indent
        line += word
    return [*result, line.rstrip()]


def header_text(all_rows: list[tuple[Table, list[list[float]]]]) -> str:
    lines = [
        "/* Coefficients of the special functions in scalar_special.h: polynomials, the constant first.",
        " *",
        " * Generated by tools/make_special_tables.py, as is the reference's numerics/special_tables.py. */",
        "#ifndef GN_SCALAR_SPECIAL_TABLES_H",
        "#define GN_SCALAR_SPECIAL_TABLES_H",
        "",
        '#include "kernel.h"',
    ]
    for table, rows in all_rows:
        lines += [
            "",
            f"/* {table.says[0].upper()}{table.says[1:]}. */",
            f"#define GN_COUNT_{table.name} {len(rows[0])}",
            f"static inline const double *gn_table_{table.name}(void) {{",
            f"    static const double rows[{len(rows)} * GN_COUNT_{table.name}] = {{",
            *(line for row in rows for line in _lines(row, 8)),
            "    };",
            "    return rows;",
            "}",
        ]
    return "\n".join([*lines, "", "#endif"]) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a file is out of date")
    options = parser.parse_args()
    all_rows = [(table, rows_of(table)) for table in tables()]
    stale = []
    for path, text in ((PYTHON, python_text(all_rows)), (HEADER, header_text(all_rows))):
        if options.check and path.read_text() != text:
            stale.append(str(path.relative_to(ROOT)))
        if not options.check:
            path.write_text(text)
    if stale:
        sys.exit(f"out of date: {', '.join(stale)}; run python tools/make_special_tables.py")


if __name__ == "__main__":
    main()
