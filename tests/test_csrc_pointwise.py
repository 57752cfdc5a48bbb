"""Pointwise kernels of the C backend: where an element stands, and how its operands lie, does not change its
result.  Operators' meaning is the conformance suite's.
"""

import math
import random

import pytest

import gnomon as gn

if not (gn.backends().get("c") and gn.backends()["c"].available):
    pytest.skip("backend c is not available here", allow_module_level=True)

aten = gn.ops.aten
UNARY = (
    "exp exp2 expm1 log log2 log10 log1p sqrt rsqrt sin cos tan asin acos atan sinh cosh tanh asinh acosh "
    "atanh sigmoid silu gelu erf erfc erfinv relu mish hardswish softplus elu"
).split()
BINARY = "add mul pow atan2 hypot logaddexp xlogy copysign maximum".split()
# around the buffers and the vectors of a row, and the tiles of two dimensions
LENGTHS = (1, 7, 8, 9, 31, 255, 256, 257, 1030)
SPECIAL = [0.0, -0.0, math.inf, -math.inf, math.nan, 1e30, -1e30, 88.8, -88.8, -103.5, 1e-40, 3e6]


def numbers(count, seed=0):
    generator = random.Random(seed)
    drawn = [generator.uniform(-4, 4) for _ in range(count)]
    for place, special in zip(range(0, count, 5), SPECIAL):
        drawn[place] = special
    return drawn


def bits(tensor):
    """The elements, in order, so that NaN is equal to itself and -0.0 is not 0.0."""
    return [repr(each) for each in tensor.reshape(-1).tolist()]


@pytest.fixture(autouse=True)
def _on_c():
    with gn.device("c"):
        yield


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("name", UNARY)
def test_unary_results_do_not_depend_on_their_place(name, dtype):
    function = getattr(aten, name)
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
    function = getattr(aten, name)
    a = gn.tensor(numbers(1030), dtype=getattr(gn, dtype))
    b = gn.tensor(numbers(1030, 1)[::-1], dtype=getattr(gn, dtype))
    whole = bits(function(a, b))
    for length in LENGTHS:
        assert bits(function(a[:length], b[:length])) == whole[:length]
    assert bits(function(a[::3], b[::3])) == whole[::3]
    assert bits(function(a[:1], b[:1].expand(300)))[299] == whole[0]
    one = a[7:8]
    assert bits(function(one.expand(1030), b)) == bits(function(one.expand(1030).clone(), b))
    assert bits(function(b, one.expand(1030))) == bits(function(b, one.expand(1030).clone()))


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
