"""Complex numbers with infinite parts, parts that are NaN, and zeros of both signs."""

from . import expressions_of

_NUMBERS = "0.0, -0.0, 1.0, -1.0, inf, -inf, nan"
_GRID = f"v = gn.tensor([{_NUMBERS}], dtype=gn.float64); z = gn.complex(v.repeat_interleave(7), v.repeat(7))"

for _name in ("exp", "exp2", "expm1", "sin", "cos", "tan", "sinh", "cosh", "tanh", "sqrt", "rsqrt", "acosh"):
    expressions_of(_name, f"{_GRID}; gn.{_name}(z)")
for _name in ("log", "log2", "log10", "reciprocal", "square", "abs", "sgn", "asinh"):
    expressions_of(_name, f"{_GRID}; gn.{_name}(z)")
expressions_of("pow", *(f"{_GRID}; z**{_exponent}" for _exponent in (-1, 1, 2, 3)))
expressions_of("div", f"{_GRID}; z / gn.tensor(complex(-0.0, 0.0), dtype=gn.complex128)")
expressions_of(
    "logsumexp",
    "gn.logsumexp(gn.tensor([1j, 2 + 3j]), 0)",
    "gn.logsumexp(gn.tensor([complex(-inf, 0), complex(-inf, 1)]), 0)",
    "gn.logsumexp(gn.tensor([complex(inf, 0), complex(2, 1)]), 0)",
    "gn.logsumexp(gn.tensor([complex(nan, 0), complex(2, 1)]), 0)",
    "gn.logsumexp(t(2, 3, dtype='complex64'), (0, 1), True)",
    "grad(lambda x: gn.logsumexp(x, 0), t(3, dtype='complex128'))",
)
