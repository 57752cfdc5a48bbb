"""Pointwise kernels of the C backend: neither an element's position nor the operands' layout changes results.

The conformance suite tests what operators compute.
"""

import math
import os
import random
from fractions import Fraction

import pytest

import gnomon as gn
from gnomon.memory.backend import claims, get_backend
from gnomon_c.library import isas
from gnomon_conformance.inputs import grids

if not (gn.backends().get("c") and gn.backends()["c"].available):
    pytest.skip("backend c is not available here", allow_module_level=True)

aten = gn.ops.aten
BACKEND = get_backend("c")
UNARY = [*filter(BACKEND.kernels.__contains__, grids.plain(1)), "gelu", "softplus", "elu"]
BINARY = [*filter(BACKEND.kernels.__contains__, grids.plain(2))]
# near the sizes of buffers, of the vectors of a row, and of two-dimensional tiles
LENGTHS = (1, 7, 8, 9, 31, 255, 256, 257, 1030)
SPECIAL = [0.0, -0.0, math.inf, -math.inf, math.nan, 1e30, -1e30, 88.8, -88.8, -103.5, 1e-40, 3e6]


def numbers(count, seed=0):
    generator = random.Random(seed)
    drawn = [generator.uniform(-4, 4) for _ in range(count)]
    for place, special in zip(range(0, count, 5), SPECIAL):
        drawn[place] = special
    return drawn


def bits(tensor):
    """The elements in order, as text: NaN equals itself, and -0.0 differs from 0.0."""
    return [repr(each) for each in tensor.reshape(-1).tolist()]


@pytest.fixture(autouse=True)
def _on_c():
    with gn.device("c"):
        yield


def kernel_of(name, dtype):
    """The operator, or its first result if it has several; skip if C has no kernel for the dtype."""
    if not claims(BACKEND, name, dtype):
        pytest.skip(f"C has no kernel of {name} for {dtype}")
    operator = aten._find(name)
    return operator if len(operator.schema.returns) == 1 else lambda *tensors: operator(*tensors)[0]


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("name", UNARY)
def test_unary_results_do_not_depend_on_their_place(name, dtype):
    function = kernel_of(name, dtype)
    values = gn.tensor(numbers(1030), dtype=getattr(gn, dtype))
    whole = bits(function(values))
    for length in LENGTHS:
        assert bits(function(values[:length])) == whole[:length]
        assert bits(function(values[1030 - length :])) == whole[1030 - length :]
    assert bits(function(values[::2])) == whole[::2]
    assert bits(function(values[5:].clone())) == whole[5:]
    square = values[:1024].reshape(32, 32)
    assert bits(function(square.T).T) == whole[:1024]


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16"])
@pytest.mark.parametrize("name", BINARY)
def test_binary_results_do_not_depend_on_their_place(name, dtype):
    function = kernel_of(name, dtype)
    a = gn.tensor(numbers(1030), dtype=getattr(gn, dtype))
    b = gn.tensor(numbers(1030, 1)[::-1], dtype=getattr(gn, dtype))
    if name == "_standard_gamma_grad" and dtype == "bfloat16":
        pytest.skip("the operator refuses half types")
    whole = bits(function(a, b))
    for length in LENGTHS:
        assert bits(function(a[:length], b[:length])) == whole[:length]
    assert bits(function(a[::3], b[::3])) == whole[::3]
    assert bits(function(a[:1], b[:1].expand(300)))[299] == whole[0]
    one = a[7:8]
    assert bits(function(one.expand(1030), b)) == bits(function(one.expand(1030).clone(), b))
    assert bits(function(b, one.expand(1030))) == bits(function(b, one.expand(1030).clone()))


def raw(tensor):
    """The bytes of the elements in order; all NaN are made equal, as the sign of NaN is not specified."""
    if tensor.is_floating_point():
        tensor = tensor.masked_fill(tensor.isnan(), math.nan)
    return bytes(tensor.contiguous().untyped_storage().copy_out())


def halves(dtype, count, seed):
    """Random bits: all kinds of numbers occur everywhere in a block, also ties, subnormal, infinite, NaN."""
    generator = random.Random(seed)
    drawn = gn.tensor([generator.randrange(-(2**15), 2**15) for _ in range(count)], dtype=gn.int16)
    return drawn.view(dtype)


HALF_OPERATORS = {
    "add": 2, "sub": 2, "mul": 2, "div": 2, "maximum": 2, "lt": 2, "eq": 2, "neg": 1, "abs": 1, "sqrt": 1,
    "relu": 1, "signbit": 1, "isnan": 1, "reciprocal": 1, "exp": 1, "addcmul": 3, "where": 0,
    "clamp": 0, "pow": 0,
}  # fmt: skip
OTHERS = {
    "where": lambda a: aten.where(a > 0, a, -a),
    "clamp": lambda a: aten.clamp(a, -1.5, 2.25),
    "pow": lambda a: aten.pow(a, 2),
}


@pytest.mark.parametrize("dtype", [gn.float16, gn.bfloat16])
@pytest.mark.parametrize("name", HALF_OPERATORS)
def test_halves_are_computed_in_floats_and_rounded_once(name, dtype):
    arity = HALF_OPERATORS[name] or 1
    function = OTHERS.get(name) or getattr(aten, name)

    def wanted(*operands):
        result = function(*(each.float() for each in operands))
        return raw(result.to(dtype) if result.dtype == gn.float32 else result)

    for count in (1, 2, 15, 16, 17, 31, 32, 33, 100, 5003):
        operands = [halves(dtype, count, seed) for seed in range(arity)]
        assert raw(function(*operands)) == wanted(*operands)
        for k in range(arity if arity > 1 else 0):  # an operand expanded from one element
            mixed = [*operands[:k], operands[k][:1].expand(count), *operands[k + 1 :]]
            assert raw(function(*mixed)) == wanted(*mixed)
        assert raw(function(*(each[::3] for each in operands))) == wanted(*(each[::3] for each in operands))
        if arity == 2 and hasattr(aten, f"{name}_") and name not in ("lt", "eq"):
            changed = operands[0].clone()
            getattr(aten, f"{name}_")(changed, operands[1])
            assert raw(changed) == wanted(*operands)


@pytest.mark.parametrize("dtype", [gn.float16, gn.bfloat16])
@pytest.mark.parametrize("count", [1, 15, 16, 17, 33, 65536])
def test_halves_become_floats_exactly_and_floats_halves_rounded(dtype, count):
    every = gn.arange(-(2**15), 2**15, dtype=gn.int16)[-count:].contiguous()
    wide = every.view(dtype).float()
    one_by_one = every.view(dtype).reshape(-1, 1).expand(count, 2).float()[:, 0]
    assert gn.equal(wide.view(gn.int32), one_by_one.contiguous().view(gn.int32))
    quiet = 0x7E00 if dtype == gn.float16 else 0x7FC0
    named = gn.where(wide.isnan(), (every & -(2**15)) | quiet, every)
    assert gn.equal(wide.to(dtype).view(gn.int16), named)
    generator = random.Random(count)  # floats of any bits, and midpoints between halves
    drawn = gn.tensor([generator.randrange(-(2**31), 2**31) for _ in range(min(count, 5000))], dtype=gn.int32)
    for bits_of in (drawn, drawn & -0x1000, (drawn & -0x10000) | 0x8000, drawn & -0x7F800001):
        floats = bits_of.view(gn.float32)
        one_by_one = floats.reshape(-1, 1).expand(-1, 3).to(dtype)[:, 1].contiguous()
        assert gn.equal(floats.to(dtype).view(gn.int16), one_by_one.view(gn.int16))


@pytest.mark.parametrize(
    "dtype", ["bool", "uint8", "int16", "float16", "float32", "int64", "complex64", "complex128"]
)
@pytest.mark.parametrize("sizes", [(8, 8), (9, 70), (64, 64), (65, 63), (130, 7), (129, 257), (3, 66, 67)])
def test_transposed_operands_are_walked_in_tiles(sizes, dtype):
    count = math.prod(sizes)
    numbers = [each % 97 for each in range(count)]
    a = gn.tensor(numbers, dtype=gn.int64).to(getattr(gn, dtype)).reshape(sizes)
    b = (
        gn.tensor(numbers[::-1], dtype=gn.int64)
        .to(getattr(gn, dtype))
        .reshape(*sizes[:-2], sizes[-1], sizes[-2])
    )
    across = a.transpose(-1, -2)
    wanted = aten.add(across.clone(memory_format=gn.contiguous_format), b)
    assert aten.add(across, b).tolist() == wanted.tolist()
    assert aten.add(b, across).tolist() == wanted.tolist()
    assert aten.eq(across, b).tolist() == aten.eq(across.contiguous(), b).tolist()
    chosen = aten.where(across == b, across, b)
    assert chosen.tolist() == aten.where(across.contiguous() == b, across.contiguous(), b).tolist()
    assert b.clone().add_(across).tolist() == wanted.tolist()


def test_tiles_do_not_depend_on_the_number_of_threads():
    import gnomon_c

    a = gn.arange(300 * 400, dtype=gn.float32).reshape(300, 400)
    b = gn.arange(300 * 400, dtype=gn.float32).reshape(400, 300).sin()
    before = gnomon_c.get_num_threads()
    try:
        results = []
        for threads in (1, 2, 3):
            gnomon_c.set_num_threads(threads)
            results.append((a.T.cos() * b).tolist())
    finally:
        gnomon_c.set_num_threads(before)
    assert results[0] == results[1] == results[2]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_angles_beyond_the_polynomials_range(dtype):
    angles = [1e5, 1.1e6, -3e7, 1e10, 2.0**100, 0.5, 1e300 if dtype == "float64" else 3e38]
    held = gn.tensor([*angles, *[0.25] * 600], dtype=getattr(gn, dtype))
    tolerance = 1e-6 if dtype == "float32" else 1e-15
    for name in ("sin", "cos", "tan"):
        for angle, result in zip(held.tolist(), getattr(aten, name)(held).tolist()):
            wanted = getattr(math, name)(angle)
            assert abs(result - wanted) <= tolerance * max(1, abs(wanted)), (name, angle)


EXPONENTS = (2, 3, 0.5, -0.5, -1, -2, 2.5, 4, 0)


@pytest.mark.parametrize("exponent", EXPONENTS)
@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16"])
def test_usual_exponents_have_their_own_loops(dtype, exponent):
    """Products, quotients and roots, rounded as such; others give the same as a tensor of exponents."""
    values = gn.tensor(numbers(1030), dtype=getattr(gn, dtype))
    wide = values.float() if dtype == "bfloat16" else values
    own = {
        2: lambda a: a * a,
        3: lambda a: a * a * a,
        0.5: gn.sqrt,
        -0.5: gn.rsqrt,
        -1: gn.reciprocal,
        -2: lambda a: 1 / (a * a),
    }
    other = gn.full((1030,), exponent, dtype=wide.dtype)
    wanted = own.get(exponent, lambda a: a.pow(other))(wide).to(values.dtype)
    found = values.pow(exponent)
    assert found.dtype is values.dtype and found.shape == values.shape
    assert bits(found) == bits(wanted)
    assert bits(values[::2].pow(exponent)) == bits(wanted)[::2]
    held = values.clone()
    assert held.pow_(exponent) is held and bits(held) == bits(wanted)


@pytest.mark.parametrize("exponent", [2, 3, 0, 1, 5])
@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "int32", "int64"])
def test_usual_exponents_of_integers_wrap(dtype, exponent):
    held = gn.tensor([0, 1, 2, 7, 100, 127] * 50, dtype=gn.int64).to(getattr(gn, dtype))
    width = held.element_size() * 8
    found = held.pow(exponent)
    assert found.dtype is held.dtype
    for base, power in zip(held.tolist(), found.tolist()):
        assert (base**exponent - power) % 2**width == 0


def test_pow_of_bool():
    held = gn.tensor([True, False] * 9)
    for exponent in (True, False):
        found = held.pow(exponent)
        assert found.tolist() == [base**exponent != 0 for base in held.tolist()], exponent


@pytest.mark.parametrize("name", ["sin", "cos"])
def test_sines_of_all_quarters(name):
    """Either polynomial with either sign, on both sides of each boundary; sin(-0.0) is -0.0."""
    turns = [quarter * math.pi / 4 + aside for quarter in range(-40, 41) for aside in (-1e-3, 0.0, 1e-3)]
    held = gn.tensor([*turns, 1e6, -1e6, 2.0**20, 1e-30, 1e-42, -0.0, 0.0], dtype=gn.float32)
    found = getattr(gn, name)(held)
    for angle, result in zip(held.tolist(), found.tolist()):
        wanted = getattr(math, name)(angle)
        assert abs(result - wanted) <= 2**-22 * abs(wanted) or abs(result - wanted) <= 2**-149, angle
    last = [0.0, 0.0] if name == "sin" else [1.0, 1.0]
    assert found.tolist()[-2:] == last
    assert math.copysign(1, found.tolist()[-2]) == (-1 if name == "sin" else 1)


def pairs_to_divide(bits_of_quotient):
    """Dividends and divisors: ordinary ones; multiples of the divisor and their neighbors; quotients near the
    thresholds of a kernel's cases; numbers near both ends of the dtype's range; special numbers.
    """
    generator = random.Random(7)
    pairs = [(a, b) for a in [*SPECIAL, 1.5, -3.0, 1e-45] for b in [*SPECIAL, 3.0, -1.5, 1e-45]]
    for _ in range(400):
        b = generator.choice((-1, 1)) * math.ldexp(generator.uniform(0.5, 1), generator.randint(-20, 20))
        whole = generator.randint(-(1 << generator.randint(1, bits_of_quotient)), 1 << bits_of_quotient)
        pairs += [(generator.uniform(-100, 100), b), (b * whole, b), (b * whole * 1.00000001, b)]
        pairs += [(b * whole * (1 - 2**-24), b), (b * whole * (1 - 2**-53), b)]
        far = math.ldexp(generator.uniform(0.5, 1), generator.randint(-148, 127))
        pairs += [(far, b), (b, far), (-far, far * whole), (far, far * generator.random())]
    for power in (23, 24, 27, 28, 29, 51, 52, 53):
        for step in (-1, -0.5, 0, 0.5, 1, 2):
            pairs += [(2.0**power + step, b) for b in (1, -1, 0.75, 3)]
    return pairs


@pytest.mark.parametrize(("dtype", "size"), [("float32", 28), ("float64", 53), ("float16", 10)])
def test_rests_are_exact(dtype, size):
    dtype = getattr(gn, dtype)
    drawn = pairs_to_divide(size)
    a = gn.tensor([pair[0] for pair in drawn], dtype=dtype)
    b = gn.tensor([pair[1] for pair in drawn], dtype=dtype)
    rests, turned = [], []
    for x, y in zip(a.tolist(), b.tolist()):
        bad = math.isnan(x) or math.isnan(y) or math.isinf(x) or y == 0
        rest = math.nan if bad else math.fmod(x, y)
        rests.append(rest)
        turned.append(rest + y if rest != 0 and (rest < 0) != (y < 0) else rest)
    assert bits(gn.fmod(a, b)) == bits(gn.tensor(rests, dtype=dtype))
    assert bits(a % b) == bits(gn.tensor(turned, dtype=dtype))
    for x, y, quotient in zip(a.tolist(), b.tolist(), (a // b).tolist()):
        if math.isfinite(x) and math.isfinite(y) and y != 0 and 1e-30 < abs(x / y) < 2 ** min(20, size):
            assert quotient == math.floor(Fraction(x) / Fraction(y)), (x, y)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("function", [gn.fmod, gn.remainder, gn.floor_divide])
def test_rests_do_not_depend_on_their_place(function, dtype):
    drawn = pairs_to_divide(30)
    a = gn.tensor([pair[0] for pair in drawn], dtype=getattr(gn, dtype))
    b = gn.tensor([pair[1] for pair in drawn], dtype=getattr(gn, dtype))
    whole = bits(function(a, b))
    for begin, length in ((0, 7), (3, 31), (100, 257), (5, 1030)):
        part = slice(begin, begin + length)
        assert bits(function(a[part], b[part])) == whole[part]
    assert bits(function(a[::3], b[::3])) == whole[::3]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_product_that_is_added_is_not_rounded(dtype):
    """The sum is rounded once, as in PyTorch. Fractions represent products exactly."""
    if (os.environ.get("GNOMON_C_ISA") or isas()[-1]) == "baseline":
        pytest.skip("this processor rounds products")
    dtype = getattr(gn, dtype)
    drawn = random.Random(3)
    a, b = (gn.tensor([drawn.uniform(-4, 4) for _ in range(1030)], dtype=dtype) for _ in range(2))
    alpha = gn.tensor(0.3, dtype=dtype).item()
    pairs = [[Fraction(value) for value in each.tolist()] for each in (a, b)]
    for function, sign in ((gn.add, 1), (gn.sub, -1)):
        sums = [float(x + sign * Fraction(alpha) * y) for x, y in zip(*pairs)]
        assert bits(function(a, b, alpha=alpha)) == bits(gn.tensor(sums, dtype=dtype))
        assert function(a, b, alpha=alpha).tolist() != (a + sign * alpha * b).tolist()


NUMBER_CALLS = {
    "mul": lambda x: x * 0.3,
    "from a number": lambda x: 2.3 - x,
    "rsub": lambda x: gn.rsub(x, x * 3, alpha=0.5),
    "div": lambda x: x / 0.3,
    "div_": lambda x: x.clone().div_(1e-3),
    "rdiv": lambda x: 2.3 / x,
    "mul by a float64 tensor": lambda x: x * gn.tensor(0.3, dtype=gn.float64, device=x.device),
    "mul by itself": lambda x: x * x,
    "an integer times": lambda x: gn.tensor(3, device=x.device) * x,
    "an integer by": lambda x: gn.tensor(3, device=x.device) / x,
    "a number to the power of": lambda x: gn.pow(1.7, x),
    "to the power of an integer": lambda x: x ** gn.tensor(3, device=x.device),
    "remainder": lambda x: x.remainder(0.7),
    "fmod": lambda x: x.fmod(0.7),
    "minus": lambda x: -x,
    "magnitude": lambda x: x.abs(),
    "sign of a number": lambda x: x.copysign(-1.0),
    "sign of others": lambda x: x.copysign(x * x - 1),
    "second power": lambda x: x**2,
    "third power": lambda x: x**3,
    "root": lambda x: x.abs() ** 0.5,
    "clamp": lambda x: x.clamp(-0.5, 0.3),
    "clamp to nothing": lambda x: x.clamp(1.0, math.nan),
    "clamp from infinity": lambda x: x.clamp(-math.inf, 0.3),
    "mul_": lambda x: x.clone().mul_(0.3),
    "clamp to a bound that rounds to 0": lambda x: x.clamp(1e-45, 1),
    "clamp_max of 2049": lambda x: (x * 1000).clamp_max_(2049),
    "add with alpha": lambda x: gn.add(x, x.flip(0) if x.ndim else x, alpha=0.3),
    "add a number with alpha": lambda x: gn.add(x, 2, alpha=2049),
    "sub with a tiny alpha": lambda x: gn.sub(x, x.flip(0) if x.ndim else x, alpha=1e-45),
    "rsub with alpha": lambda x: gn.rsub(x, x.flip(0) if x.ndim else x, alpha=1.7),
    "hardshrink": lambda x: gn.hardshrink(x, 0.3),
    "hardtanh": lambda x: gn.nn.functional.hardtanh(x, 1e-45, 1),
    "logit": lambda x: gn.logit(x, 6e-8),
    "logit with nothing between": lambda x: gn.logit(x, 2.98e-8),
    "nan_to_num": lambda x: gn.nan_to_num(x, -0.0, 0.3, -0.3),
    "addcdiv out of range": lambda x: gn.addcdiv(x, x, x.flip(0) if x.ndim else x, value=3e38),
    "addcmul out of range": lambda x: gn.addcmul(x, x, x.flip(0) if x.ndim else x, value=3e38),
    "out": lambda x: gn.mul(x, 0.3, out=gn.empty(x.shape, dtype=x.dtype, device=x.device)),
}


@pytest.mark.parametrize("dtype", [gn.float16, gn.bfloat16])
@pytest.mark.parametrize("name", NUMBER_CALLS)
def test_halves_meet_numbers_of_float32(name, dtype):
    """Wrapped numbers are used as on the reference: mostly in float32 (the opmath type), without rounding to
    half precision. Blocks, tails, gaps, single elements and calls with a plan give the same.
    """
    call = NUMBER_CALLS[name]
    special = [math.nan, math.inf, -math.inf, 0.0, -0.0, 6e-5, -65504.0, 1e-7]
    numbers = [*special, *(math.sin(place) * 3 for place in range(41))]
    expected_of = gn.tensor(numbers, device="reference").to(dtype)
    given = gn.tensor(numbers, device="c").to(dtype)
    views = [lambda x, size=size: x[:size] for size in (0, 1, 15, 16, 17, 33, 49)]
    views += [lambda x: x[::3], lambda x: x[8], lambda x: x[:48].view(6, 8).t(), lambda x: x[3:4].expand(20)]
    for view in views:
        expected = call(view(expected_of))
        for _ in range(3):
            found = call(view(given))
            assert found.dtype is expected.dtype and found.stride() == expected.stride()
            assert bits(found) == bits(expected)


@pytest.mark.parametrize("dtype", [gn.float16, gn.bfloat16])
def test_a_nan_is_converted_with_its_bits(dtype):
    """This includes signaling NaN, in a block and in the tail."""
    quiet, signaling = (0x7E01, 0x7C01) if dtype is gn.float16 else (0x7FC1, 0x7F81)
    shift = 13 if dtype is gn.float16 else 16
    for place in range(20):
        words = [0x3C00] * 20
        for pattern in (quiet, signaling):
            words[place] = pattern
            found = gn.tensor(words, dtype=gn.int16, device="c").view(dtype).float().view(gn.int32)
            assert found[place].item() & 0x7FFFFF == (pattern << shift) & 0x7FFFFF


FAR = {  # mpmath's values of numbers that the vector code leaves to others, and of their neighbours
    "erfinv": {
        -0.99999: -3.123413274341571,
        0.9990000000000001: 2.3267537655135464,
        0.998: 2.1851242191330043,
        0.25: 0.2253120550121781,
        -1e-300: -8.86226925452758e-301,
        0.9999999999999999: 5.8635847487551676,
        1.0: math.inf,
        -1.5: math.nan,
        -0.0: -0.0,
    },
    "lgamma": {
        -2.4570247382208: 7.292550612674704e-16,
        -2.747: -0.0013023691673235633,
        -3.1435: 0.0006296328816886808,
        -4.0392: 0.004344280644164791,
        -2.25: 0.5555015450206475,
        -0.5: 1.2655121234846454,
        -9.000001: 1.01368082688021,
        -20.25: -41.60096191534053,
        1.5: -0.12078223763524522,
        0.875: 0.08585870722533433,
        100.0: 359.1342053695754,
        -3.0: math.inf,
        -1e300: math.inf,
        -math.inf: math.inf,
    },
    "special_spherical_bessel_j0": {
        0.0: 1.0,
        2.0: 0.45464871341284085,
        3e6: -2.9283001938158265e-07,
        math.inf: 0.0,
    },
}


@pytest.mark.parametrize("name", FAR)
def test_far_elements_are_computed_apart(name):
    """Among others, at any place of a block, also where the result overwrites the argument."""
    function = kernel_of(name, "float64")
    given, expected = list(FAR[name]), list(FAR[name].values())
    for count in (1, 5, 300):
        x = gn.tensor([each for number in given for each in [number, *[0.375] * count]], dtype=gn.float64)
        found = function(x)
        for one, other in zip(found[:: count + 1].tolist(), expected):
            assert one == other or one != one != other != other or abs(one - other) <= 4 * math.ulp(other), (
                other
            )
        assert len(set(found.reshape(-1, count + 1)[:, 1:].reshape(-1).tolist())) == 1
        if name != "special_spherical_bessel_j0":
            assert bits(getattr(x, f"{name}_")()) == bits(found)
