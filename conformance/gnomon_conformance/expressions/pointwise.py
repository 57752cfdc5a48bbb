"""Arithmetic, elementary functions, comparisons, bits and complex numbers."""

from . import expressions_of

_UNARY = (
    "abs acos angle asin asinh atan atanh ceil cos cosh deg2rad erf erfc exp exp2 expm1 floor frac lgamma "
    "log log10 log1p log2 logit nan_to_num neg rad2deg reciprocal round rsqrt sgn sigmoid sign sin sinh sqrt "
    "sinc square tan tanh trunc erfinv acosh conj_physical signbit isneginf isposinf logical_not"
).split()
_NOT_IN_PLACE = frozenset(("angle", "signbit", "isneginf", "isposinf"))
for _name in _UNARY:
    _values = "positive" if _name.startswith("log") or "sqrt" in _name else "unit"
    _x = f"t(2, 3, values='{_values}')"
    expressions_of(
        _name,
        f"gn.{_name}({_x})",
        f"{_x}.{_name}()",
        f"gn.{_name}(input={_x})",
        f"gn.{_name}(t(3, dtype='int64', values='positive'))",
        f"gn.{_name}(t(3, 2, dtype='float16', values='{_values}', layout='transposed'))",
        f"gn.{_name}(t(3, dtype='complex64'))",
        f"gn.{_name}(2.0)",
        f"gn.{_name}(t(2, dtype='bool'))",
    )
    if _name not in ("signbit", "isneginf", "isposinf", "logical_not"):
        expressions_of(
            _name,
            f"gn.{_name}({_x}, out=t(0))",
            f"gn.{_name}({_x}, out=t(2, 3, dtype='int64'))",
            f"grad(gn.{_name}, {_x})",
        )
    if _name not in _NOT_IN_PLACE:
        expressions_of(
            _name,
            f"x = {_x}; x.{_name}_(); x",
            f"t(3, dtype='int64', values='positive').{_name}_()",
        )
expressions_of("logit", "gn.logit(t(3), eps=0.1)", "t(3).logit(0.1)", "gn.logit(t(3), 0.25, out=t(3))")
expressions_of("round", "gn.round(t(3), decimals=2)", "t(3).round(decimals=1)", "t(3).round_(decimals=1)")
expressions_of("round", "round(t(3))", "gn.round(t(3), decimals=1, out=t(3))", "gn.round(t(3), 1)")
expressions_of(
    "nan_to_num",
    "gn.nan_to_num(gn.tensor([nan, inf, -inf, 1.0]))",
    "gn.nan_to_num(gn.tensor([nan, inf, -inf, 1.0]), nan=2.0, posinf=1, neginf=-1)",
    "gn.tensor([nan, inf]).nan_to_num(1.5, 2.5)",
    "gn.tensor([nan, inf]).nan_to_num_(posinf=3.0)",
)

for _name in ("igamma", "igammac"):
    expressions_of(
        _name,
        f"gn.{_name}(t(2, 3, values='positive'), t(3, values='positive', seed=1))",
        f"t(3, values='positive').{_name}(other=t(3, values='positive', seed=1))",
        f"t(3, values='positive').{_name}_(t(3, values='positive', seed=1))",
        f"gn.{_name}(t(3, dtype='int64'), t(3, dtype='int64'))",
    )
expressions_of(
    "mvlgamma",
    "gn.mvlgamma(gn.tensor([2.0, 3.5]), 2)",
    "gn.tensor([2, 3]).mvlgamma(p=2)",
    "gn.tensor([2.0, 3.5]).mvlgamma_(1)",
    "gn.mvlgamma(t(3), 0)",
)

_BINARY = (
    "add sub mul div true_divide floor_divide fmod remainder atan2 hypot copysign xlogy logaddexp maximum "
    "minimum fmax fmin eq ne lt le gt ge logical_and logical_or logical_xor rsub"
).split()
for _name in _BINARY:
    _a, _b = "t(2, 3, values='positive')", "t(3, values='positive', seed=1)"
    expressions_of(
        _name,
        f"gn.{_name}({_a}, {_b})",
        f"{_a}.{_name}({_b})",
        f"gn.{_name}(input={_a}, other={_b})",
        f"gn.{_name}({_a}, other=2.5)",
        f"gn.{_name}({_a}, 2)",
        f"{_a}.{_name}(True)",
        f"gn.{_name}(2.5, {_a})",
        f"gn.{_name}(1, 2)",
        f"gn.{_name}({_a})",
        f"gn.{_name}({_a}, 'x')",
        f"gn.{_name}({_a}, [1, 2, 3])",
        f"gn.{_name}({_a}, t(4))",
        f"gn.{_name}(t(3, dtype='int32', values='positive'), t(3, dtype='uint8', values='positive'))",
        f"gn.{_name}(t(3, dtype='int32', values='positive'), 2.5)",
        f"gn.{_name}(t(2, dtype='bool', values='nonzero'), t(2, dtype='bool', values='nonzero'))",
        f"gn.{_name}(t(2, dtype='complex64'), t(2))",
    )
    if _name not in ("eq", "ne", "lt", "le", "gt", "ge", "logical_and", "logical_or", "logical_xor", "rsub"):
        expressions_of(
            _name,
            f"gn.{_name}({_a}, {_b}, out=t(0))",
            f"gn.{_name}({_a}, {_b}, out=t(2, 3, dtype='int64'))",
        )
        if _name != "floor_divide":
            expressions_of(_name, f"grad(gn.{_name}, {_a}, {_b})")
    if _name not in ("maximum", "minimum", "fmax", "fmin", "logaddexp", "rsub"):
        expressions_of(
            _name,
            f"x = {_a}; x.{_name}_({_b}); x",
            f"{_b}.{_name}_({_a})",
            f"t(3, dtype='int64', values='positive').{_name}_({_b})",
        )
expressions_of("add", "gn.add(t(3), t(3), alpha=2)", "t(3).add(t(3), alpha=0.5)", "t(3).add_(2, alpha=3)")
expressions_of("add", "t(3, dtype='int64').add(t(3, dtype='int64'), alpha=0.5)", "gn.add(t(3), 1, alpha=2)")
expressions_of("sub", "gn.sub(t(3), t(3), alpha=2)", "t(3).subtract(2)", "gn.subtract(t(3), 1, alpha=3)")
expressions_of("rsub", "gn.rsub(t(3), 1, alpha=3)", "gn.rsub(t(3), t(3), alpha=0.5)", "gn.rsub(t(3), 2.5)")
expressions_of(
    "mul",
    "def f(x):\n    y = x * 1\n    y.mul_(y)\n    return y\ngrad(f, t(3))",
    "gn.mul(t(2, 3), t(3), out=t(2, 3, dtype='float64'))",
)
expressions_of("mul", "gn.multiply(t(3), 2)", "t(3).multiply_(3)", "t(3, dtype='int64').mul_(2.5)")
expressions_of(
    "div",
    "gn.div(t(3), 2, rounding_mode='floor')",
    "t(3).div(t(3, values='nonzero'), rounding_mode='trunc')",
    "gn.div(t(3, dtype='int64'), 2, rounding_mode='floor')",
    "gn.div(t(3, dtype='int64'), 2, rounding_mode=None)",
    "t(3).div_(2, rounding_mode='trunc')",
    "t(3, dtype='int64').div_(2, rounding_mode='trunc')",
    "t(3, dtype='int64').div_(2, rounding_mode=None)",
    "gn.div(t(3), 2, rounding_mode='up')",
    "gn.divide(t(3), 2)",
    "t(3, dtype='int64').div_(2)",
    "1 / t(3, values='nonzero')",
    "t(3, dtype='int64') // 0",
    "gn.div(t(3), 2, out=t(0), rounding_mode='floor')",
)
expressions_of("true_divide", "t(3, dtype='int64').true_divide_(2)", "gn.true_divide(t(3, dtype='int64'), 2)")
expressions_of("floor_divide", "7 // t(3, values='nonzero')", "t(3) // 2", "x = t(3); x //= 2; x")
expressions_of(
    "pow",
    "t(3) ** 2",
    "2 ** t(3)",
    "t(3, values='positive') ** t(3)",
    "gn.pow(t(3, values='positive'), 0.5)",
    "gn.pow(2, t(3))",
    "gn.pow(t(3, dtype='int64'), -1)",
    "t(3).pow(2)",
    "t(3).pow_(3)",
    "t(3, dtype='int64').pow_(2)",
    "t(3, dtype='int64').pow_(0.5)",
    "gn.pow(t(3), 2, out=t(0))",
    "gn.pow(2, t(3), out=t(0))",
    "gn.pow(1, 2)",
    "gn.pow(t(3), exponent=3)",
    "grad(lambda x: x ** 3, t(3))",
    "grad(lambda x: x ** 0, t(3))",
    "grad(lambda x, y: x ** y, t(3, values='positive'), t(3))",
    "grad(lambda y: 2 ** y, t(3))",
    "pow(t(3), 2)",
    "gn.float_power(t(3, dtype='int64'), 2)",
)
for _name in ("addcmul", "addcdiv"):
    _abc = "t(2, 3), t(3, seed=1), t(2, 1, values='nonzero')"
    expressions_of(
        _name,
        f"gn.{_name}({_abc})",
        f"gn.{_name}({_abc}, value=0.5)",
        f"t(2, 3).{_name}(t(3), t(3, values='nonzero'), value=2)",
        f"t(2, 3).{_name}_(t(3), t(3, values='nonzero'))",
        f"gn.{_name}({_abc}, out=t(0))",
        f"grad(gn.{_name}, {_abc})",
        f"gn.{_name}(t(2, dtype='int64'), t(2, dtype='int64'), t(2, dtype='int64', values='nonzero'))",
        f"gn.{_name}(t(2), t(3), t(4))",
        f"gn.{_name}(t(2), t(2), 2)",
    )
expressions_of(
    "lerp",
    "gn.lerp(t(3), t(3, seed=1), 0.25)",
    "gn.lerp(t(3), t(3, seed=1), t(2, 1))",
    "gn.lerp(t(3), t(3, seed=1), weight=t())",
    "t(3).lerp(t(3, seed=1), 2)",
    "t(3).lerp_(t(3, seed=1), 0.5)",
    "t(3).lerp_(t(3, seed=1), t(3))",
    "gn.lerp(t(3), t(3), 0.5, out=t(0))",
    "gn.lerp(t(3), t(3), t(3), out=t(0))",
    "gn.lerp(t(3), t(3, dtype='float64'), 0.5)",
    "gn.lerp(t(3, dtype='int64'), t(3, dtype='int64'), 1)",
    "gn.lerp(t(3), 1.0, 0.5)",
    "grad(gn.lerp, t(3), t(3, seed=1), t(3, seed=2))",
)
expressions_of(
    "clamp",
    "gn.clamp(t(3), -1, 1)",
    "gn.clamp(t(3), min=0)",
    "t(3).clamp(max=0.5)",
    "t(3).clamp(t(3, seed=1), t(3, seed=2))",
    "gn.clamp(t(2, 3), min=t(3))",
    "gn.clamp(t(3), max=t(2, 1))",
    "gn.clamp(t(3))",
    "gn.clamp(t(3), t(3), 1)",
    "gn.clamp(t(3), 1, t(3))",
    "gn.clamp(t(3, dtype='int64'), 0.5)",
    "gn.clamp(t(3, dtype='bool'), False, True)",
    "gn.clamp(t(3, dtype='complex64'), 0)",
    "t(3).clamp_(0, 1)",
    "t(3).clamp_(t(3), None)",
    "t(3, dtype='int64').clamp_(0.5)",
    "t(3, dtype='int64').clamp_(t(3))",
    "gn.clamp(t(3), 0, 1, out=t(0))",
    "gn.clamp(t(3), t(3), t(3), out=t(0))",
    "gn.clip(t(3), 0, 1)",
    "t(3).clip_(max=t(3))",
    "grad(lambda x: x.clamp(-1, 1), t(5))",
    "grad(gn.clamp, t(5), t(5, seed=1), t(5, seed=2))",
)
for _name, _bound in (("clamp_min", "min"), ("clamp_max", "max")):
    expressions_of(
        _name,
        f"gn.{_name}(t(3), 0)",
        f"gn.{_name}(t(3), {_bound}=0.5)",
        f"gn.{_name}(t(2, 3), t(3))",
        f"t(3).{_name}(t(3, seed=1))",
        f"t(3).{_name}_(0)",
        f"t(3).{_name}_(t(3, seed=1))",
        f"t(3, dtype='int64').{_name}_(0.5)",
        f"gn.{_name}(t(3, dtype='int64'), 0.5)",
        f"gn.{_name}(t(3, dtype='bool'), True)",
        f"gn.{_name}(t(3, dtype='bool'), t(3, dtype='bool'))",
        f"gn.{_name}(t(3), 0, out=t(0))",
        f"gn.{_name}(t(3), t(3), out=t(0))",
        f"gn.{_name}(t(3))",
        f"grad(gn.{_name}, t(5), t(5, seed=1))",
    )

for _name in ("bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift"):
    _i = "t(2, 3, dtype='int64', values='positive')"
    _sign = {"and": "&", "or": "|", "xor": "^", "left_shift": "<<", "right_shift": ">>"}[_name[8:]]
    expressions_of(
        _name,
        f"gn.{_name}({_i}, t(3, dtype='int64', values='positive', seed=1))",
        f"gn.{_name}({_i}, 3)",
        f"gn.{_name}(3, {_i})",
        f"{_i}.{_name}(2)",
        f"{_i}.{_name}_(2)",
        f"{_i}.{_name}_(t(3, dtype='int32', values='positive'))",
        f"gn.{_name}({_i}, 2, out=t(0, dtype='int64'))",
        f"gn.{_name}({_i}, 1.5)",
        f"gn.{_name}(t(3), t(3))",
        f"gn.{_name}(t(3, dtype='bool'), t(3, dtype='bool'))",
        f"gn.{_name}(t(3, dtype='bool'), 1)",
        f"gn.{_name}(3, 4)",
        f"{_i} {_sign} 2",
        f"2 {_sign} {_i}",
        f"{_i} {_sign} {_i}",
        f"x = {_i}; x {_sign}= 1; x",
        f"t(3) {_sign} 1",
        f"{_i} {_sign} 'x'",
    )
expressions_of(
    "bitwise_not",
    "~t(3, dtype='int64')",
    "~t(3, dtype='bool')",
    "gn.bitwise_not(t(3, dtype='uint8'))",
    "t(3, dtype='int8').bitwise_not_()",
    "gn.bitwise_not(t(3, dtype='int8'), out=t(0, dtype='int8'))",
    "~t(3)",
)
_i, _j = "t(2, 3, dtype='int64')", "t(3, dtype='int64', seed=1)"
for _name in ("gcd", "lcm"):
    expressions_of(
        _name,
        f"gn.{_name}({_i}, {_j})",
        f"gn.{_name}(input={_i}, other={_j})",
        f"{_i}.{_name}({_j})",
        f"x = {_i}; x.{_name}_({_j}); x",
        f"{_i}.{_name}_(t(3, dtype='int32'))",
        f"t(2, 3, dtype='int32').{_name}_({_j})",
        f"{_j}.{_name}_({_i})",
        f"{_i}.{_name}_(t(3))",
        f"t(2, 3).{_name}_({_j})",
        f"gn.{_name}({_i}, {_j}, out=t(0, dtype='int64'))",
        f"gn.{_name}({_i}, {_j}, out=t(0, dtype='int8'))",
        f"gn.{_name}({_i}, {_j}, out=t(0))",
        f"gn.{_name}({_i}, {_j}, out=t(0, dtype='bool'))",
        f"gn.{_name}(t(3, dtype='uint8'), t(3, dtype='int8'))",
        f"gn.{_name}(t(3, dtype='int16'), t(3, dtype='bool'))",
        f"gn.{_name}({_i}, 2)",
        f"gn.{_name}(2, {_i})",
        f"{_i}.{_name}(2)",
        f"gn.{_name}(4, 6)",
        f"gn.{_name}({_i})",
        f"gn.{_name}({_i}, t(4, dtype='int64'))",
        f"gn.{_name}(t(3), t(3))",
        f"gn.{_name}({_i}, t(3))",
        f"gn.{_name}(t(3, dtype='bool'), t(3, dtype='bool'))",
        f"gn.{_name}(t(3, dtype='complex64'), t(3))",
        f"grad(gn.{_name}, t(3), t(3))",
    )
_a, _b = "t(2, 3)", "t(3, seed=1)"
expressions_of(
    "nextafter",
    f"gn.nextafter({_a}, {_b})",
    f"gn.nextafter(input={_a}, other={_b})",
    f"{_a}.nextafter({_b})",
    f"x = {_a}; x.nextafter_({_b}); x",
    f"{_b}.nextafter_({_a})",
    f"gn.nextafter({_a}, {_b}, out=t(0))",
    f"gn.nextafter({_a}, {_b}, out=t(2, 3, dtype='float64'))",
    f"gn.nextafter({_a}, {_b}, out=t(2, 3, dtype='int64'))",
    f"gn.nextafter({_a}, t(3, dtype='float16'))",
    "gn.nextafter(t(3, dtype='bfloat16'), t(3, dtype='float16'))",
    f"gn.nextafter({_a}, t(3, dtype='int64'))",
    f"gn.nextafter({_a}, 2)",
    f"gn.nextafter({_a})",
    "gn.nextafter(t(3, dtype='int64'), t(3, dtype='int64'))",
    "gn.nextafter(t(3, dtype='complex64'), t(3))",
    "grad(gn.nextafter, t(3), t(3, seed=1))",
    "grad(lambda x: gn.nextafter(x, x), t(3))",
)
expressions_of(
    "frexp",
    "gn.frexp(t(2, 3))",
    "t(2, 3).frexp().exponent",
    "gn.frexp(input=t(3, dtype='float16')).mantissa",
    "gn.frexp(gn.tensor([0.0, -0.0, inf, -inf, nan]))",
    "gn.frexp(t(3), out=(t(3), t(3, dtype='int32')))",
    "gn.frexp(t(3), out=(t(3), t(3, dtype='int64')))",
    "gn.frexp(t(3, dtype='int64'))",
    "grad(lambda x: gn.frexp(x).mantissa, t(3))",
)
expressions_of(
    "positive",
    "gn.positive(t(3))",
    "+t(3)",
    "t(3).positive()",
    "+t(3, dtype='bool')",
    "grad(lambda x: +x, t(3))",
)
for _name in ("isnan", "isinf", "isfinite", "isreal", "isneginf", "isposinf", "signbit"):
    expressions_of(
        _name,
        f"gn.{_name}(t(14, values='special'))",
        f"t(14, values='special').{_name}()",
        f"gn.{_name}(t(3, dtype='int64'))",
        f"gn.{_name}(t(3, 2, dtype='complex64', values='special'))",
        f"gn.{_name}(t(2, 3, layout='transposed'))",
        f"gn.{_name}(1.0)",
    )
expressions_of("signbit", "gn.signbit(t(3), out=t(0, dtype='bool'))", "gn.signbit(t(3), out=t(3))")
expressions_of(
    "isin",
    "gn.isin(t(5, dtype='int64'), t(3, dtype='int64', seed=1))",
    "gn.isin(t(2, 3, dtype='int64'), 2)",
    "gn.isin(2, t(3, dtype='int64'))",
    "gn.isin(t(3), t(3), invert=True)",
    "gn.isin(t(3), t(3), assume_unique=True)",
    "gn.isin(elements=t(3), test_elements=t(3))",
    "gn.isin(t(3), test_element=1.0)",
    "gn.isin(1, 2)",
    "gn.isin(t(3), [1, 2])",
    "gn.isin(t(3, dtype='bool'), t(3, dtype='bool'))",
    "gn.isin(t(3), t(3), out=t(0, dtype='bool'))",
)
expressions_of(
    "isclose",
    "gn.isclose(t(3), t(3))",
    "gn.isclose(t(3), t(3, seed=1), atol=1.0)",
    "t(3).isclose(t(3, seed=1), rtol=0.5, atol=0.0)",
    "gn.isclose(gn.tensor([nan, inf]), gn.tensor([nan, inf]), equal_nan=True)",
    "gn.isclose(gn.tensor([nan, inf]), gn.tensor([nan, inf]))",
    "gn.isclose(t(3), t(3, dtype='float64'))",
    "gn.isclose(t(3, dtype='int64'), t(3, dtype='int64'), atol=1)",
    "gn.isclose(t(3, dtype='bool'), t(3, dtype='bool'))",
    "gn.isclose(t(3, dtype='complex64'), t(3, dtype='complex64'))",
    "gn.isclose(t(3), t(3), rtol=-1.0)",
    "gn.isclose(t(3), t(3), atol=-1.0)",
    "gn.isclose(t(3), t(4))",
    "gn.isclose(t(3), 1.0)",
)
expressions_of(
    "allclose",
    "gn.allclose(t(3), t(3))",
    "t(3).allclose(t(3, seed=1))",
    "gn.allclose(t(3), t(3, seed=1), atol=10)",
    "gn.allclose(t(3), t(3, dtype='float64'))",
    "gn.allclose(gn.tensor([nan]), gn.tensor([nan]), equal_nan=True)",
)
expressions_of(
    "equal",
    "gn.equal(t(3), t(3))",
    "t(3).equal(t(4))",
    "gn.equal(t(3), t(3, seed=1))",
    "gn.equal(t(3), t(3, dtype='float64'))",
    "gn.equal(t(3, dtype='int64'), t(3, dtype='int32'))",
    "gn.equal(t(3), 1)",
)
expressions_of(
    "masked_fill",
    "t(2, 3).masked_fill(t(3, dtype='bool'), 1.5)",
    "gn.masked_fill(t(2, 3), t(2, 1, dtype='bool'), 0)",
    "t(3).masked_fill(t(2, 3, dtype='bool'), value=2)",
    "t(3).masked_fill(t(3, dtype='bool'), t())",
    "t(3).masked_fill(t(3, dtype='bool'), t(1))",
    "t(3).masked_fill_(t(3, dtype='bool'), -inf)",
    "t(3).masked_fill_(t(3, dtype='bool'), t())",
    "t(3).masked_fill_(t(2, 3, dtype='bool'), 1)",
    "t(3, dtype='int64').masked_fill(t(3, dtype='bool'), 1.5)",
    "t(3, dtype='uint8').masked_fill(t(3, dtype='bool'), 300)",
    "t(3).masked_fill(t(3, dtype='int64'), 1)",
    "t(3).masked_fill(t(3, dtype='bool'), 1j)",
    "grad(lambda x: x.masked_fill(t(3, dtype='bool'), 0), t(3))",
    "grad(lambda x, v: x.masked_fill(t(3, dtype='bool'), v), t(3), t())",
    "t(3, 2, layout='transposed').masked_fill(t(3, 2, dtype='bool'), 0)",
)
expressions_of(
    "where",
    "gn.where(t(3, dtype='bool'), t(3), t(3, seed=1))",
    "gn.where(t(3) > 0, 1, 0)",
    "gn.where(t(3) > 0, 1.5, 0)",
    "gn.where(t(3) > 0, True, 1j)",
    "gn.where(t(3) > 0, t(3), 0)",
    "gn.where(t(3) > 0, t(3, dtype='int64'), 0.5)",
    "gn.where(t(3) > 0, 2, t(3))",
    "gn.where(t(2, 3) > 0)",
    "gn.where(t())",
    "t(3).where(t(3) > 0, 0)",
    "t(3).where(t(3) > 0, t(2, 1))",
    "gn.where(t(3) > 0, t(3), t(3), out=t(0))",
    "gn.where(t(3), t(3), t(3))",
    "gn.where(t(3) > 0, t(3))",
    "gn.where(True, t(3), t(3))",
    "gn.where(t(3) > 0, input=t(3), other=t(3))",
    "grad(lambda x, y: gn.where(t(2, dtype='bool'), x, y), t(2), t(2))",
    "gn.where(t(2, dtype='bool'), t(2, dtype='float16'), t(2, dtype='float64'))",
)
expressions_of(
    "complex",
    "gn.complex(t(3), t(3, seed=1))",
    "gn.complex(t(3, dtype='float64'), t(3, dtype='float64'))",
    "gn.complex(t(3), t(3, dtype='float64'))",
    "gn.complex(t(3, dtype='int64'), t(3, dtype='int64'))",
    "gn.complex(real=t(3), imag=t(2, 1))",
    "gn.complex(t(3), t(3), out=t(0, dtype='complex64'))",
    "gn.complex(t(3), t(3), out=t(3))",
    "gn.complex(t(3), 1.0)",
    "grad(gn.complex, t(3), t(3, seed=1))",
)
expressions_of(
    "polar",
    "gn.polar(t(3, values='positive'), t(3))",
    "gn.polar(abs=t(3, dtype='float64'), angle=t(2, 1, dtype='float64'))",
    "gn.polar(t(3), t(3, dtype='float64'))",
    "gn.polar(t(3), t(3), out=t(0, dtype='complex64'))",
    "gn.polar(t(3, dtype='int64'), t(3, dtype='int64'))",
    "grad(gn.polar, t(3, values='positive'), t(3))",
)
for _name in ("real", "imag"):
    expressions_of(
        _name,
        f"gn.{_name}(t(3, dtype='complex64'))",
        f"t(3, dtype='complex64').{_name}",
        f"gn.{_name}(t(3))",
        f"t(3).{_name}",
        f"x = t(2, dtype='complex64'); x.{_name}.mul_(2); x",
        f"x = t(2, dtype='complex64'); y = gn.{_name}(x); y.zero_(); (x, y._version, x._version)",
        f"gn.{_name}(t(2, 3, dtype='complex128', layout='transposed')).stride()",
        f"gn.{_name}(t(4, dtype='complex64', layout='offset')).storage_offset()",
        f"grad(lambda x: gn.{_name}(x), t(3, dtype='complex64'))",
        f"grad(lambda x: gn.{_name}(x.exp()) ** 2, t(3, dtype='complex64'))",
    )
expressions_of(
    "real",
    "def f(x):\n    y = x * 1\n    y.real.mul_(2)\n    return y\ngrad(f, t(3, dtype='complex64'))",
    "def f(x):\n    y = x * 1\n    y.imag.copy_(x.real ** 2)\n    return y * y\n"
    "grad(f, t(3, dtype='complex64'))",
    "def f(x):\n    y = x * 1\n    v = y.real\n    y.mul_(2)\n    return v\ngrad(f, t(3, dtype='complex64'))",
    "def f(x):\n    y = (x * 1).t()\n    v = y.imag[1:]\n    y.mul_(2)\n    v.mul_(v)\n    return y\n"
    "grad(f, t(2, 3, dtype='complex64'))",
)
expressions_of(
    "view_as_real",
    "gn.view_as_real(t(3, dtype='complex64'))",
    "gn.view_as_real(t(3, 2, dtype='complex64', layout='transposed')).stride()",
    "gn.view_as_real(t(3))",
    "x = t(2, dtype='complex64'); gn.view_as_real(x)[0] = 5; x",
    "gn.view_as_real(t(2, dtype='complex64'))._base is not None",
    "grad(gn.view_as_real, t(3, dtype='complex64'))",
    "def f(x):\n    y = x * 1\n    gn.view_as_real(y)[1:].mul_(3)\n    return y\n"
    "grad(f, t(3, dtype='complex64'))",
)
expressions_of(
    "view_as_complex",
    "gn.view_as_complex(t(3, 2))",
    "gn.view_as_complex(t(2, 3, 2, layout='offset')[1:])",
    "gn.view_as_complex(t(4, 2)[1:3]).storage_offset()",
    "gn.view_as_complex(t(5)[1:3])",
    "gn.view_as_complex(t(3))",
    "gn.view_as_complex(t(2, 2).t())",
    "gn.view_as_complex(t(3, 3)[:, :2])",
    "gn.view_as_complex(t(2, dtype='int64'))",
    "gn.view_as_complex(t())",
    "x = t(2, 2); gn.view_as_complex(x).mul_(1j); x",
    "grad(gn.view_as_complex, t(3, 2))",
    "def f(x):\n    y = x * 1\n    gn.view_as_complex(y)[1:].mul_(3j)\n    return y\ngrad(f, t(3, 2))",
    "def f(x):\n    y = x * 1\n    v = gn.view_as_complex(y[:4].view(2, 2))\n    y.mul_(2)\n    return v\n"
    "grad(f, t(5))",
    "gn.view_as_complex(gn.view_as_real(t(3, dtype='complex64')))",
)
for _name in ("conj", "resolve_conj", "resolve_neg"):
    expressions_of(
        _name,
        f"t(3).{_name}()",
        f"gn.{_name}(t(3))",
        f"x = t(3); gn.{_name}(x) is x",
        f"gn.{_name}(t(3, dtype='complex64')) + 0",
        f"t(3, dtype='int64').{_name}()",
        f"grad(lambda x: gn.{_name}(x) * 2, t(3, dtype='complex64'))",
    )
expressions_of("conj", "t(3).is_conj()", "t(3).is_neg()", "gn.is_conj(t(3))")
for _name in ("H", "mH", "mT"):
    expressions_of(
        _name,
        f"t(2, 3).{_name}",
        f"t(2, 3, dtype='complex64').{_name} + 0",
        f"t(2, 3, 4).{_name}",
        f"t(3).{_name}",
        f"t().{_name}",
    )
expressions_of("mH", "t(2, 3).adjoint()", "gn.adjoint(t(2, 3))", "t(3).adjoint()")
expressions_of("T", "t(2, 3).T", "t().T", "t(3).T", "t(2, 3, 4).T")
expressions_of("__rdiv__", "t(3, values='nonzero').__rdiv__(2)", "2 / t(3, dtype='int64', values='nonzero')")
expressions_of(
    "__rmatmul__",
    "t(2, 3).__rmatmul__(t(4, 2))",
    "t(3).__rmatmul__(t(3))",
    "t(2, 2).__rmatmul__(2) is NotImplemented",
)

expressions_of("atan2", "grad(gn.atan2, t(2, values='zeros'), t(2, values='zeros'))")
for _name, _pole in (("atan", "1j"), ("atanh", "1 + 0j"), ("log10", "0j")):
    expressions_of(_name, f"gn.{_name}(gn.tensor([{_pole}]))")

for _number in ("1.5", "True", "1j", "inf", "300"):
    _three = "t(2, dtype='uint8'), t(2, dtype='uint8'), t(2, dtype='uint8')"
    expressions_of("addcmul", f"gn.addcmul({_three}, value={_number})")
expressions_of(
    "addcmul",
    "gn.addcmul(gn.tensor([1]), gn.tensor([1]), gn.tensor([2]), value=1.5)",
    "gn.addcmul(t(2), t(2), t(2), value=1j)",
    "gn.addcmul(t(2), t(2), t(2), value=True)",
    "gn.addcmul(t(2), t(2), t(2), value=1e39)",
    "gn.addcmul(t(2, dtype='float16'), t(2, dtype='float16'), t(2, dtype='float16'), value=70000)",
)
expressions_of(
    "addcdiv",
    "gn.addcdiv(t(2), t(2), t(2) + 9, value=1j)",
    "gn.addcdiv(t(2), t(2), t(2) + 9, value=True)",
    "gn.addcdiv(t(2), t(2), t(2) + 9, value=1e39)",
    "gn.addcdiv(t(2, dtype='int64'), t(2), t(2) + 9, value=1.5)",
)
# complex powers and exponentials that overflow: an infinity in their direction
for _number, _exponent in (
    ("1e-300j", "-(2.0**63)"),
    ("1e300 + 0j", "4"),
    ("-1e300 + 0j", "5"),
    ("1e200 + 1e200j", "2.5"),
    ("1e-200 + 1e-200j", "-2.5"),
    ("0j", "-2.5"),
    ("complex(inf, 1)", "5"),
    ("complex(1, inf)", "5"),
):
    expressions_of("pow", f"gn.tensor([{_number}], dtype=gn.complex128).pow({_exponent})")
expressions_of(
    "float_power",
    "gn.tensor([complex(inf, 1), 1e-300j, 2 - 1j], dtype=gn.complex128).float_power(-(2**63))",
)
expressions_of(
    "exp",
    "gn.exp(gn.tensor([1000 + 0j, 1000 + 1j, 1000 - 2j, 1000 + 3j], dtype=gn.complex128))",
    "gn.exp(gn.tensor([complex(1000, -0.0)], dtype=gn.complex128))",
)
for _name, _operator in {
    "not_equal": "ne",
    "less": "lt",
    "less_equal": "le",
    "greater": "gt",
    "greater_equal": "ge",
}.items():
    expressions_of(
        _name,
        f"gn.{_name}(t(3), t(3))",
        f"t(3).{_name}(0.5)",
        f"x = t(3); x.{_name}_(0); x",
        f"gn.{_name}(t(3), other=1, out=gn.empty(0, dtype=gn.bool))",
    )
expressions_of(
    "ldexp",
    "gn.ldexp(t(3), gn.tensor([1, -2, 3]))",
    "t(3, dtype='int32').ldexp(gn.tensor(2))",
    "x = t(3); x.ldexp_(gn.tensor(2.5)); x",
    "t(3, dtype='int32').ldexp_(gn.tensor(2))",
    "gn.ldexp(t(3), 2)",
    "grad(lambda x: x.ldexp(x), t(3))",
)
