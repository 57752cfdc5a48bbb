"""The C library on its own: its kernels against NumPy and closed forms, its memory, its threads.

These tests do not use gnomon: they call the library with NumPy arrays. The library is gnomon_c._native if
that is installed and newer than csrc/, else one compiled for the session, which takes a minute.
"""

import importlib.util
import itertools
import math
import os
import shutil
import sys
from pathlib import Path

import pytest

from time_limits import LIMIT, join, start

np = pytest.importorskip("numpy")

ROOT = Path(__file__).resolve().parents[2]
OK, BAD_VALUE, OUT_OF_MEMORY, NOT_IMPLEMENTED = 0, 1, 2, 3
CODES = {
    name: code
    for code, name in enumerate(
        "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64 complex128".split()
    )
}
INTEGERS = ["uint8", "int8", "int16", "int32", "int64"]
FLOATS = ["float16", "bfloat16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]
NUMERIC = INTEGERS + FLOATS + COMPLEX
ALL = ["bool", *NUMERIC]
# Relative errors allowed for a correctly computed result that is rounded once, as half types and float64 are.
EPSILON = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": 2.0**-22, "float64": 2.0**-51}
EPSILON.update(complex64=2.0**-20, complex128=2.0**-49)


def load(path):
    """The compiled extension at ``path`` as a module."""
    spec = importlib.util.spec_from_file_location("gnomon_c._native", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def native(tmp_path_factory):
    """The extension module, built for the session if the installed one is older than its sources."""
    sources = [path for path in (ROOT / "csrc").rglob("*") if path.is_file()]
    try:
        from gnomon_c.library import native

        extension = native()
    except (ImportError, RuntimeError):
        pass
    else:
        if Path(extension.__file__).stat().st_mtime >= max(path.stat().st_mtime for path in sources):
            return extension
    pytest.importorskip("cffi")
    if not any(shutil.which(compiler) for compiler in ("cc", "gcc", "clang", "cl")):
        pytest.skip("gnomon_c is not installed and there is no C compiler to build it with")
    spec = importlib.util.spec_from_file_location("gnomon_c_build", ROOT / "cffi_build" / "gnomon_c_build.py")
    build = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(build)
    return load(build.compile_extension(tmp_path_factory.mktemp("gnomon_c")))


class Tagged:
    """An array and its dtype: bfloat16 is stored as uint16."""

    def __init__(self, array, dtype):
        self.array = array
        self.dtype = dtype


def bfloat16(values):
    """float32 values as bfloat16 bits, rounded to nearest even."""
    values = np.asarray(values, np.float32)
    bits = np.atleast_1d(values).view(np.uint32).astype(np.uint64)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    rounded = np.where(np.isnan(np.atleast_1d(values)), np.uint16(0x7FC0), rounded)
    return rounded.reshape(values.shape)


def make(values, dtype):
    """A Tagged array of ``values`` as ``dtype``."""
    if dtype == "bfloat16":
        return Tagged(bfloat16(values), dtype)
    with np.errstate(all="ignore"):
        return Tagged(np.asarray(values).astype(dtype), dtype)


def empty(shape, dtype):
    """Memory for an output, filled with garbage."""
    storage = np.dtype("uint16" if dtype == "bfloat16" else dtype)
    array = np.frombuffer(bytearray(b"\xaa" * (math.prod(shape) * storage.itemsize)), storage)
    return Tagged(array.reshape(shape), dtype)


def values(tagged):
    """The numbers in an array, in a dtype in which NumPy computes accurately."""
    if tagged.dtype == "bfloat16":
        return (tagged.array.astype(np.uint32) << 16).view(np.float32)
    if tagged.dtype == "float16":
        return tagged.array.astype(np.float32)
    return tagged.array


def broadcast(array, shape):
    """A writable view of ``array`` as ``shape``: strides of broadcast dimensions are 0."""
    added = len(shape) - array.ndim
    strides = [0] * added + [
        0 if size == 1 and wanted != 1 else stride
        for size, wanted, stride in zip(array.shape, shape[added:], array.strides)
    ]
    return np.lib.stride_tricks.as_strided(array, shape, strides)


class Library:
    """The library's table of kernels, and calls of them with NumPy arrays."""

    def __init__(self, native):
        self.ffi = native.ffi
        self.lib = native.lib
        rows = self.lib.gn_rows()
        self.rows = {self.ffi.string(rows[i].name).decode(): rows[i] for i in range(self.lib.gn_row_count())}

    def has(self, name, dtype):
        return name in self.rows and self.rows[name].kernels[CODES[dtype]] != self.ffi.NULL

    def address(self, array):
        return float(array.__array_interface__["data"][0])

    def prepare(self, name, tensors, output_count, integers, scalars, strides=None):
        """A gn_call, its address, and the objects that must live as long as it does."""
        ffi = self.ffi
        row = self.rows[name]
        described = ffi.new("gn_tensor[]", max(1, len(tensors)))
        alive = [described]
        for k, tagged in enumerate(tensors):
            if tagged is None:
                described[k].dtype = -1
                continue
            sizes = list(tagged.array.shape)
            steps = list(tagged.array.strides) if strides is None else list(strides[k])
            if row.family == self.lib.GN_ITERATED:
                sizes.reverse()
                steps.reverse()
            described[k].dtype = CODES[tagged.dtype]
            described[k].ndim = len(sizes)
            described[k].sizes = size_memory = ffi.new("int64_t[]", sizes or [1])
            described[k].strides = stride_memory = ffi.new("int64_t[]", steps or [0])
            alive += [size_memory, stride_memory]
        call = ffi.new("gn_call *")
        key = tensors[row.key_tensor]
        call.kernel = row.kernels[CODES[key.dtype]]
        assert call.kernel != ffi.NULL, f"{name} has no kernel for {key.dtype}"
        call.work = max([tagged.array.size for tagged in tensors if tagged is not None])
        call.output_nbytes = 0 if tensors[0] is None else tensors[0].array.nbytes
        call.tensor_count = len(tensors)
        call.output_count = output_count
        call.integer_count = len(integers)
        call.scalar_count = len(scalars)
        call.tensors = described
        call.integers = integer_memory = ffi.new("int64_t[]", list(integers) or [0])
        call.scalars = scalar_memory = ffi.new("gn_scalar[]", max(1, len(scalars)))
        for i, scalar in enumerate(scalars):
            if scalar is None:
                scalar_memory[i] = (math.nan, 0.0, self.lib.GN_NO_INTEGER)
            else:
                number = complex(scalar)
                fits = math.isfinite(number.real) and abs(number.real) < 2**63
                scalar_memory[i] = (number.real, number.imag, int(number.real) if fits else 0)
        alive += [call, integer_memory, scalar_memory]
        return call, float(int(ffi.cast("uintptr_t", call))), alive

    def run(self, name, outputs, inputs, integers=(), scalars=()):
        """Run an operator into ``outputs`` and return its status.

        An iterated operator's inputs broadcast to the first output, or, in a reduction, the other way round.
        """
        tensors = [*outputs, *inputs]
        if self.rows[name].family == self.lib.GN_ITERATED:
            shape = np.broadcast_shapes(*[tagged.array.shape for tagged in tensors])
            tensors = [Tagged(broadcast(tagged.array, shape), tagged.dtype) for tagged in tensors]
        _call, address, alive = self.prepare(name, tensors, len(outputs), integers, scalars)
        addresses = self.ffi.new(
            "double[]", [0.0 if tagged is None else self.address(tagged.array) for tagged in tensors]
        )
        status = self.lib.gn_run(address, addresses)
        del alive
        return status

    def pointwise(self, name, inputs, dtype=None, scalars=(), integers=(), shape=None):
        """The output of a pointwise operator, in ``dtype`` (the first input's unless given)."""
        if shape is None:
            shape = np.broadcast_shapes(*[tagged.array.shape for tagged in inputs])
        out = empty(shape, dtype or inputs[0].dtype)
        assert self.run(name, [out], inputs, integers, scalars) == OK
        return out


@pytest.fixture(scope="session")
def library(native):
    return Library(native)


def sample(shape, dtype, seed=0, low=-4, high=4):
    """Random numbers that all dtypes can represent, at least approximately."""
    generator = np.random.default_rng(seed)
    numbers = generator.uniform(low, high, shape)
    if dtype == "bool":
        return make(numbers > 0, dtype)
    if dtype in INTEGERS:
        numbers = np.trunc(numbers)
        return make(np.abs(numbers) if dtype == "uint8" else numbers, dtype)
    if dtype in COMPLEX:
        return make(numbers + 1j * generator.uniform(low, high, shape), dtype)
    return make(numbers, dtype)


def assert_close(actual, expected, tolerance=None):
    """Check equality up to a relative error of a few ulp of the dtype; exact for integers and bool."""
    got = values(actual)
    expected = np.asarray(expected)
    if actual.dtype in INTEGERS or actual.dtype == "bool":
        np.testing.assert_array_equal(got, expected.astype(actual.dtype))
    else:
        relative = EPSILON[actual.dtype] if tolerance is None else tolerance
        tiny = float(np.finfo({"float16": "float16"}.get(actual.dtype, "float32")).smallest_normal)
        np.testing.assert_allclose(
            got, expected, rtol=relative, atol=max(tiny, 1e-30) if actual.dtype == "float16" else tiny
        )


# Memory


def stats(library):
    numbers = [library.ffi.new("int64_t *") for _ in range(3)]
    library.lib.gn_memory_stats(*numbers)
    return tuple(number[0] for number in numbers)


# under AddressSanitizer each allocation is a separate block, and no freed block is cached
keeps_blocks = pytest.mark.skipif(os.environ.get("GNOMON_SANITIZED") == "address", reason="no block is kept")


@keeps_blocks
@pytest.mark.parametrize("nbytes", [0, 1, 63, 64, 65, 80, 81, 1000, 4096, 2**20 + 1, 5 * 2**20])
def test_memory_is_aligned_and_reused(library, nbytes):
    lib = library.lib
    before = stats(library)[0]
    address = lib.gn_allocate(nbytes)
    allocated = stats(library)[0] - before
    assert address % 64 == 0
    assert nbytes <= allocated <= max(64, nbytes * 1.25 + 64)
    library.ffi.memmove(library.ffi.cast("char *", int(address)), b"x" * nbytes, nbytes)
    lib.gn_free(address)
    assert stats(library)[0] == before
    assert lib.gn_allocate(nbytes) == address, "a freed block is the next of its size"
    lib.gn_free(address)


def test_two_blocks_never_overlap(library):
    sizes = [1, 64, 65, 100, 128, 129, 1000, 5000] * 4
    addresses = sorted((library.lib.gn_allocate(size), size) for size in sizes)
    for (first, size), (second, _) in itertools.pairwise(addresses):
        assert first + size <= second
    for address, _ in addresses:
        library.lib.gn_free(address)


@pytest.mark.parametrize("nbytes", [2.0**60, 2.0**47, 2.0**63, 1e300, -1.0, math.nan, math.inf])
def test_absurd_sizes_have_no_memory(library, nbytes):
    before = stats(library)[0]
    assert library.lib.gn_allocate(nbytes) == 0
    assert stats(library)[0] == before


@keeps_blocks
def test_empty_cache_and_peak(library):
    lib = library.lib
    lib.gn_free(lib.gn_allocate(2.0**20))
    assert stats(library)[1] >= 2**20
    lib.gn_empty_cache()
    allocated, cached, peak = stats(library)
    assert cached == 0
    assert peak >= allocated + 2**20 or peak >= 2**20


def test_a_limit_takes_what_is_kept_first(library):
    lib = library.lib
    lib.gn_empty_cache()
    kept = lib.gn_allocate(2.0**22)
    lib.gn_free(kept)
    try:
        lib.gn_set_memory_limit(stats(library)[0] + 2.0**22 + 4096)
        first = lib.gn_allocate(3 * 2.0**20)  # of another size: it fits once the cached block is freed
        assert first and stats(library)[1] == 0
        before = stats(library)
        assert lib.gn_allocate(2.0**21) == 0
        assert stats(library) == before
        lib.gn_free(first)
        second = lib.gn_allocate(2.0**21)
        assert second
        lib.gn_free(second)
    finally:
        lib.gn_set_memory_limit(0.0)
    lib.gn_free(lib.gn_allocate(2.0**24))


def test_the_peak_starts_anew(library):
    lib = library.lib
    lib.gn_free(lib.gn_allocate(2.0**21))
    assert stats(library)[2] >= 2**21
    lib.gn_reset_peak()
    assert stats(library)[2] == stats(library)[0]
    lib.gn_free(lib.gn_allocate(2.0**20))
    assert stats(library)[2] == stats(library)[0] + 2**20


def test_calls_allocate_their_output(library):
    a, b = sample((1000,), "float32"), sample((1000,), "float32", 1)
    _call, address, _alive = library.prepare("add.Tensor", [empty((1000,), "float32"), a, b], 1, [], [2])
    out = library.lib.gn_call2(address, library.address(a.array), library.address(b.array))
    got = np.frombuffer(library.ffi.buffer(library.ffi.cast("char *", int(out)), 4000), np.float32)
    np.testing.assert_array_equal(got, a.array + np.float32(2) * b.array)
    library.lib.gn_free(out)


def test_a_failing_call_frees_its_output_and_returns_minus_its_status(library):
    a, zero = make([1, 2], "int32"), make([1, 0], "int32")
    call, address, _alive = library.prepare("div_floor", [empty((2,), "int32"), a, zero], 1, [], [])
    before = stats(library)[0]
    assert library.lib.gn_call2(address, library.address(a.array), library.address(zero.array)) == -BAD_VALUE
    assert stats(library)[0] == before
    call.output_nbytes = 2**60
    assert library.lib.gn_call2(address, library.address(a.array), library.address(a.array)) == 0


@pytest.mark.parametrize("dtype", ALL)
def test_a_number_stands_for_the_last_input(library, dtype):
    a = sample((5,), dtype)
    number = make(np.ones(()), dtype)
    tensors = [empty((5,), dtype), a, number]
    call, address, _alive = library.prepare(
        "mul.Tensor", tensors, 1, [], [], [(a.array.itemsize,)] * 2 + [(0,)]
    )
    call.tensors[2].ndim = 1
    out = library.lib.gn_call1_number(address, library.address(a.array), 1.0)
    got = bytes(library.ffi.buffer(library.ffi.cast("char *", int(out)), a.array.nbytes))
    assert got == a.array.tobytes()
    library.lib.gn_free(out)


# Half types


def every_half():
    return np.arange(65536, dtype=np.uint32).astype(np.uint16)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_every_half_widens_exactly_and_comes_back(library, dtype):
    bits = every_half()
    halves = Tagged(bits.view(np.float16) if dtype == "float16" else bits, dtype)
    wide = library.pointwise("copy_", [halves], "float32", shape=bits.shape).array
    np.testing.assert_array_equal(wide, values(halves))
    back = library.pointwise("copy_", [Tagged(wide, "float32")], dtype, shape=bits.shape).array.view(
        np.uint16
    )
    number = ~np.isnan(wide)
    np.testing.assert_array_equal(back[number], bits[number])
    assert np.isnan(values(Tagged(back.view(halves.array.dtype), dtype))[~number]).all()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_floats_round_to_the_nearest_even_half(library, dtype):
    """All halves, the midpoints between neighbors, and the floats next to those."""
    halves = Tagged(every_half().view(np.float16) if dtype == "float16" else every_half(), dtype)
    wide = values(halves)
    wide = np.sort(wide[np.isfinite(wide)])
    middle = ((wide[1:].astype(np.float64) + wide[:-1]) / 2).astype(np.float32)
    largest = wide[-1] * np.float32(1 + (2.0**-11 if dtype == "float16" else 2.0**-8))
    floats = np.concatenate(
        [
            wide,
            middle,
            np.nextafter(middle, np.inf),
            np.nextafter(middle, -np.inf),
            [largest, -largest, 1e-45, np.inf],
        ]
    ).astype(np.float32)
    got = library.pointwise("copy_", [Tagged(floats, "float32")], dtype, shape=floats.shape)
    with np.errstate(over="ignore"):
        expected = floats.astype(np.float16) if dtype == "float16" else bfloat16(floats)
    np.testing.assert_array_equal(got.array.view(np.uint16), expected.view(np.uint16))


# Pointwise operators

with np.errstate(all="ignore"):
    UNARY = {
        "neg": (NUMERIC, lambda x: -x),
        "abs": (NUMERIC, np.abs),
        "sign": (["bool", *INTEGERS, *FLOATS], lambda x: x if x.dtype == bool else np.sign(x)),
        "exp": (FLOATS + COMPLEX, np.exp),
        "log": (FLOATS + COMPLEX, np.log),
        "sqrt": (FLOATS + COMPLEX, np.sqrt),
        "rsqrt": (FLOATS + COMPLEX, lambda x: 1 / np.sqrt(x)),
        "sin": (FLOATS + COMPLEX, np.sin),
        "cos": (FLOATS + COMPLEX, np.cos),
        "tanh": (FLOATS + COMPLEX, np.tanh),
        "sigmoid": (FLOATS + COMPLEX, lambda x: 1 / (1 + np.exp(-x))),
        "reciprocal": (FLOATS + COMPLEX, lambda x: 1 / x),
        "expm1": (FLOATS, np.expm1),
        "log1p": (FLOATS, np.log1p),
        "log2": (FLOATS, np.log2),
        "erf": (FLOATS, np.vectorize(math.erf, otypes=[float])),
        "silu": (FLOATS, lambda x: x / (1 + np.exp(-x))),
        "relu": (INTEGERS + FLOATS, lambda x: np.maximum(x, 0)),
        "floor": (FLOATS, np.floor),
        "ceil": (FLOATS, np.ceil),
        "round": (FLOATS, np.round),
        "trunc": (FLOATS, np.trunc),
        "bitwise_not": (["bool", *INTEGERS], np.invert),
    }
    PREDICATES = {
        "logical_not": (ALL, np.logical_not),
        "isnan": (FLOATS + COMPLEX, np.isnan),
        "isinf": (FLOATS + COMPLEX, np.isinf),
        "isfinite": (FLOATS + COMPLEX, np.isfinite),
    }


def precise(tagged):
    """An array's numbers in double precision, to compute a reference result from."""
    numbers = values(tagged)
    if tagged.dtype in FLOATS:
        return numbers.astype(np.float64)
    return numbers.astype(np.complex128) if tagged.dtype in COMPLEX else numbers


def magnitude(dtype):
    return {"complex64": "float32", "complex128": "float64"}.get(dtype, dtype)


@pytest.mark.parametrize(
    "name, dtype", [(name, dtype) for name, (dtypes, _) in UNARY.items() for dtype in dtypes]
)
def test_unary(library, name, dtype):
    low = 0.1 if name in ("log", "log2", "sqrt", "rsqrt", "log1p", "reciprocal") else -4
    a = sample((37, 3), dtype, low=low)
    with np.errstate(all="ignore"):
        expected = UNARY[name][1](precise(a))
    out = library.pointwise(name, [a], magnitude(dtype) if name == "abs" else dtype)
    assert_close(
        out,
        expected,
        8 * EPSILON[dtype]
        if name in ("tanh", "sigmoid", "rsqrt", "silu", "expm1", "cos", "sin", "log")
        and dtype in ("float32", "float64", "complex64", "complex128")
        else None,
    )


@pytest.mark.parametrize(
    "name, dtype", [(name, dtype) for name, (dtypes, _) in PREDICATES.items() for dtype in dtypes]
)
def test_predicates(library, name, dtype):
    numbers = (
        np.array([0.0, 1.0, 2.0, 0.0])
        if dtype in ["bool", *INTEGERS]
        else np.array([0.0, np.nan, np.inf, -np.inf, 1])
    )
    a = make(numbers, dtype)
    np.testing.assert_array_equal(library.pointwise(name, [a], "bool").array, PREDICATES[name][1](values(a)))


@pytest.mark.parametrize("name, reference", [("exp", np.exp), ("log", np.log), ("tanh", np.tanh)])
def test_float32_functions_are_within_two_units_over_all_magnitudes(library, name, reference):
    floats = np.arange(0, 2**32, 65521, dtype=np.uint64).astype(np.uint32).view(np.float32)
    got = library.pointwise(name, [Tagged(floats, "float32")]).array
    with np.errstate(all="ignore"):
        expected = reference(floats.astype(np.float64)).astype(np.float32)
        units = np.abs(got.astype(np.float64) - expected) / np.spacing(
            np.maximum(np.abs(expected), np.float32(2.0**-126))
        )
    np.testing.assert_array_equal(np.isnan(got), np.isnan(expected))
    np.testing.assert_array_equal(np.isinf(got), np.isinf(expected))
    assert np.max(units[np.isfinite(expected)]) <= 2


def test_an_elements_result_does_not_depend_on_its_place(library):
    for name in ("exp", "log", "tanh", "erf", "sigmoid", "silu", "gelu"):
        for number in (0.3, 1.7, 3.9):
            out = library.pointwise(name, [make(np.full(67, number), "float32")], integers=[ord("n")]).array
            assert len({out.tobytes()[i : i + 4] for i in range(0, 268, 4)}) == 1, name


def test_nan_and_negative_zero(library):
    special = make([np.nan, -0.0, 0.0, np.inf, -np.inf], "float32")
    relu = library.pointwise("relu", [special]).array
    np.testing.assert_array_equal(relu, [np.nan, 0, 0, np.inf, 0])
    assert np.signbit(relu[1])  # as in PyTorch
    one = make(np.ones(5), "float32")
    for name in ("maximum", "minimum"):
        for pair in ([special, one], [one, special]):
            expected = (np.maximum if name == "maximum" else np.minimum)(pair[0].array, pair[1].array)
            np.testing.assert_array_equal(library.pointwise(name, pair).array, expected)
    clamped = library.pointwise("clamp", [special], scalars=[-1, 1]).array
    np.testing.assert_array_equal(clamped, [np.nan, 0, 0, 1, -1])


BINARY = {
    "mul.Tensor": (ALL, lambda a, b: a & b if a.dtype == bool else a * b),
    "div.Tensor": (FLOATS + COMPLEX, np.true_divide),
    "div_floor": (INTEGERS + FLOATS, np.floor_divide),
    "div_trunc": (INTEGERS + FLOATS, lambda a, b: np.trunc(a / b)),
    "remainder.Tensor": (INTEGERS + FLOATS, np.remainder),
    "fmod.Tensor": (INTEGERS + FLOATS, np.fmod),
    "maximum": (["bool", *INTEGERS, *FLOATS], np.maximum),
    "minimum": (["bool", *INTEGERS, *FLOATS], np.minimum),
    "bitwise_and.Tensor": (["bool", *INTEGERS], np.bitwise_and),
    "bitwise_or.Tensor": (["bool", *INTEGERS], np.bitwise_or),
    "bitwise_xor.Tensor": (["bool", *INTEGERS], np.bitwise_xor),
    "sigmoid_backward": (FLOATS + COMPLEX, lambda a, b: a * np.conj((1 - b) * b)),
    "tanh_backward": (FLOATS + COMPLEX, lambda a, b: a * np.conj(1 - b * b)),
}
COMPARISONS = {
    "eq.Tensor": (ALL, np.equal),
    "ne.Tensor": (ALL, np.not_equal),
    "lt.Tensor": (["bool", *INTEGERS, *FLOATS], np.less),
    "le.Tensor": (["bool", *INTEGERS, *FLOATS], np.less_equal),
    "gt.Tensor": (["bool", *INTEGERS, *FLOATS], np.greater),
    "ge.Tensor": (["bool", *INTEGERS, *FLOATS], np.greater_equal),
    "logical_and": (ALL, np.logical_and),
    "logical_or": (ALL, np.logical_or),
    "logical_xor": (ALL, np.logical_xor),
}
# Shapes of two operands: contiguous, either one broadcast, both broadcast, scalars, empty.
SHAPES = [
    ((5, 7), (5, 7)),
    ((5, 7), (1, 7)),
    ((5, 1), (5, 7)),
    ((5, 1), (1, 7)),
    ((), (5,)),
    ((), ()),
    ((0, 3), (1, 3)),
]


def nonzero(tagged):
    """The array with its zeros replaced, for use as a divisor."""
    array = tagged.array.copy()
    array[array == 0] = make(np.asarray(3), tagged.dtype).array
    return Tagged(array, tagged.dtype)


@pytest.mark.parametrize(
    "name, dtype", [(name, dtype) for name, (dtypes, _) in BINARY.items() for dtype in dtypes]
)
def test_binary(library, name, dtype):
    for left, right in SHAPES:
        a, b = sample(left, dtype), nonzero(sample(right, dtype, 1, low=0.5 if dtype in FLOATS else -4))
        out = library.pointwise(name, [a, b])
        with np.errstate(all="ignore"):
            expected = BINARY[name][1](precise(a), precise(b))
        if name.endswith("backward"):  # 1 - b * b cancels
            np.testing.assert_allclose(
                values(out), expected, rtol=4 * EPSILON[dtype], atol=64 * min(EPSILON[dtype], 1e-6)
            )
        else:
            assert_close(out, expected, 2 * EPSILON[dtype] if dtype in EPSILON else None)


@pytest.mark.parametrize(
    "name, dtype", [(name, dtype) for name, (dtypes, _) in COMPARISONS.items() for dtype in dtypes]
)
def test_comparisons(library, name, dtype):
    for left, right in SHAPES:
        a, b = sample(left, dtype), sample(right, dtype, 1)
        out = library.pointwise(name, [a, b], "bool")
        np.testing.assert_array_equal(out.array, COMPARISONS[name][1](values(a), values(b)))


@pytest.mark.parametrize("dtype", ALL)
def test_add_and_sub_scale_their_second_input(library, dtype):
    a, b = sample((4, 9), dtype), sample((9,), dtype, 1)
    alpha = 1 if dtype == "bool" else 2
    out = library.pointwise("add.Tensor", [a, b], scalars=[alpha])
    assert_close(
        out,
        values(a) | values(b) if dtype == "bool" else precise(a) + alpha * precise(b),
        4 * EPSILON.get(dtype, 0),
    )
    if dtype != "bool":
        out = library.pointwise("sub.Tensor", [a, b], scalars=[alpha])
        np.testing.assert_allclose(
            values(out),
            (precise(a) - alpha * precise(b)).astype(values(out).dtype),
            rtol=4 * EPSILON.get(dtype, 0),
            atol=EPSILON.get(dtype, 0),
        )


def test_integers_wrap_and_do_not_trap(library):
    for dtype in ("int8", "int16", "int32", "int64"):
        least = np.iinfo(dtype).min
        a, minus_one = make([least], dtype), make([-1], dtype)
        assert library.pointwise("neg", [a]).array[0] == least
        assert library.pointwise("abs", [a]).array[0] == least
        assert library.pointwise("div_floor", [a, minus_one]).array[0] == least
        assert library.pointwise("div_trunc", [a, minus_one]).array[0] == least
        assert library.pointwise("remainder.Tensor", [a, minus_one]).array[0] == 0
        assert library.pointwise("fmod.Tensor", [a, minus_one]).array[0] == 0
        assert library.pointwise("add.Tensor", [a, minus_one], scalars=[1]).array[0] == np.iinfo(dtype).max


@pytest.mark.parametrize("name", ["div_floor", "div_trunc", "remainder.Tensor", "fmod.Tensor"])
@pytest.mark.parametrize("dtype", INTEGERS)
def test_integer_division_by_zero_is_a_bad_value(library, name, dtype):
    for shape in ((3,), ()):
        divisor = make(np.zeros(shape), dtype)
        assert library.run(name, [empty((3,), dtype)], [make([1, 2, 3], dtype), divisor]) == BAD_VALUE


def test_division_of_floats_by_zero_follows_ieee(library):
    a, zero = make([1, -1, 0], "float64"), make([0, 0, 0], "float64")
    np.testing.assert_array_equal(library.pointwise("div_floor", [a, zero]).array, [np.inf, -np.inf, np.nan])
    assert np.isnan(library.pointwise("remainder.Tensor", [a, zero]).array).all()


def test_powers(library):
    a = make([2, -3, 1, -1, 7], "int32")
    b = make([10, 3, -4, -3, -1], "int32")
    np.testing.assert_array_equal(library.pointwise("pow.Tensor_Tensor", [a, b]).array, [1024, -27, 1, -1, 0])
    x = sample((11,), "float64", low=0.5)
    for exponent in (2, 3, 0.5, -0.5, -1, -2, 1.7, 0):
        assert_close(library.pointwise("pow.Tensor_Scalar", [x], scalars=[exponent]), x.array**exponent)
    assert_close(library.pointwise("pow.Tensor_Tensor", [x, make(1.5, "float64")]), x.array**1.5)


@pytest.mark.parametrize("dtype", FLOATS)
def test_gelu_and_the_gradients(library, dtype):
    x, g = sample((50,), dtype), sample((50,), dtype, 1)
    p, q = precise(x), precise(g)
    erf = np.vectorize(math.erf)
    step = 1e-6

    def gelu(v):
        return 0.5 * v * (1 + erf(v / math.sqrt(2)))

    def gelu_tanh(v):
        return 0.5 * v * (1 + np.tanh(math.sqrt(2 / math.pi) * (v + 0.044715 * v**3)))

    def silu(v):
        return v / (1 + np.exp(-v))

    tolerance = {"rtol": max(4 * EPSILON[dtype], 1e-5), "atol": max(EPSILON[dtype], 1e-6)}
    for kind, function in (("n", gelu), ("t", gelu_tanh)):
        got = values(library.pointwise("gelu", [x], integers=[ord(kind)]))
        np.testing.assert_allclose(got, function(p), **tolerance)
        got = values(library.pointwise("gelu_backward", [g, x], integers=[ord(kind)]))
        np.testing.assert_allclose(
            got, q * (function(p + step) - function(p - step)) / (2 * step), **tolerance
        )
    got = values(library.pointwise("silu_backward", [g, x]))
    np.testing.assert_allclose(got, q * (silu(p + step) - silu(p - step)) / (2 * step), **tolerance)
    got = values(library.pointwise("leaky_relu", [x], scalars=[0.25]))
    np.testing.assert_allclose(got, np.where(p > 0, p, p * 0.25), **tolerance)
    got = values(library.pointwise("threshold_backward", [g, x], scalars=[0.5]))
    np.testing.assert_array_equal(got, np.where(values(x) <= 0.5, 0, values(g)))


@pytest.mark.parametrize("dtype", INTEGERS + FLOATS)
def test_clamp_takes_either_bound(library, dtype):
    a = sample((20,), dtype)
    for low, high in ((1, 2), (None, 2), (1, None), (3, 1)):
        expected = values(a)
        expected = expected if low is None else np.maximum(expected, np.asarray(low, expected.dtype))
        expected = expected if high is None else np.minimum(expected, np.asarray(high, expected.dtype))
        np.testing.assert_array_equal(values(library.pointwise("clamp", [a], scalars=[low, high])), expected)


@pytest.mark.parametrize("dtype", ALL)
def test_where_moves_elements_as_they_are(library, dtype):
    condition, a, b = sample((6, 5), "bool"), sample((6, 5), dtype, 1), sample((5,), dtype, 2)
    for c, x, y in ((condition, a, b), (condition, b, a), (make(True, "bool"), a, b)):
        out = empty((6, 5), dtype)
        assert library.run("where.self", [out], [c, x, y]) == OK
        np.testing.assert_array_equal(out.array, np.where(c.array, x.array, y.array))


@pytest.mark.parametrize("dtype", FLOATS + COMPLEX)
def test_ternary_formulas(library, dtype):
    a, b, c = sample((6, 5), dtype), sample((5,), dtype, 1), nonzero(sample((6, 1), dtype, 2, low=1))
    p, q, r = precise(a), precise(b), precise(c)
    tolerance = {"rtol": 8 * EPSILON[dtype], "atol": 8 * EPSILON[dtype]}
    np.testing.assert_allclose(
        values(library.pointwise("addcmul", [a, b, c], scalars=[0.5])), p + 0.5 * q * r, **tolerance
    )
    np.testing.assert_allclose(
        values(library.pointwise("addcdiv", [a, b, c], scalars=[0.5])), p + 0.5 * q / r, **tolerance
    )
    for weight in (0.25, 0.75):
        np.testing.assert_allclose(
            values(library.pointwise("lerp.Scalar", [a, b], scalars=[weight])),
            p + weight * (q - p),
            **tolerance,
        )


@pytest.mark.parametrize("name", ["add.Tensor", "exp"])
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_strides_of_inputs_and_outputs(library, name, dtype):
    base = sample((12, 40), dtype)
    for view in (base.array.T, base.array[::2, ::3], base.array[:, ::-1], base.array[3:4, 5:6]):
        a = Tagged(view, dtype)
        out = empty((view.shape[1] * 2, view.shape[0] * 3), dtype)
        out.array = out.array[::2, ::3].T
        inputs = [a, a] if name == "add.Tensor" else [a]
        assert library.run(name, [out], inputs, scalars=[1]) == OK
        assert_close(out, 2 * precise(a) if name == "add.Tensor" else np.exp(precise(a)))


def test_in_place(library):
    a, b = sample((1000,), "float32"), sample((1000,), "float32", 1)
    expected = a.array + b.array
    assert library.run("add.Tensor", [a], [a, b], scalars=[1]) == OK
    np.testing.assert_array_equal(a.array, expected)


# copy_ and fill_


def to_integer(numbers, dtype):
    """A float as an integer, converted as on x86: truncated in a 64-bit register, or in a 32-bit one for the
    smaller dtypes, and to the register's minimum if it does not fit.
    """
    register = np.iinfo("int64" if np.dtype(dtype).itemsize == 8 else "int32")
    truncated = np.trunc(numbers)
    fits = (truncated >= register.min) & (truncated < -float(register.min))
    whole = np.where(fits, truncated, 0).astype(np.int64)
    return np.where(fits, whole, register.min).astype(dtype)


@pytest.mark.parametrize("source", ALL)
@pytest.mark.parametrize("target", ALL)
def test_every_conversion(library, source, target):
    numbers = np.array([0, 1, 2.75, 100, 200, 300, 70000, -1, -2.5, -129, 3e9, 1e20, np.nan, np.inf])
    if source == "bool" or source in INTEGERS:
        numbers = to_integer(numbers, "int64")
    a = make(numbers, source)
    if source in COMPLEX:
        a.array.imag = 5
    got = library.pointwise("copy_", [a], target, shape=a.array.shape)
    given = values(a)
    with np.errstate(all="ignore"):
        if target == "bool":
            expected = given != 0
        elif target in COMPLEX:
            expected = given.astype(target)
        else:
            real = given.real if source in COMPLEX else given
            if target in INTEGERS and real.dtype.kind == "f":
                expected = to_integer(real.astype(np.float64), target)
            elif target == "bfloat16":
                expected = values(Tagged(bfloat16(real.astype(np.float32)), target))
            elif target == "float16":
                expected = real.astype(np.float32).astype(np.float16)
            else:
                expected = real.astype(target)
    np.testing.assert_array_equal(values(got), expected)


@pytest.mark.parametrize("dtype", ALL)
def test_copy_of_any_layout(library, dtype):
    base = sample((33, 50, 3), dtype)
    for view in (
        base.array,
        base.array.T,
        base.array.transpose(1, 0, 2),
        base.array.transpose(0, 2, 1),
        base.array[::2, ::-1],
    ):
        out = empty(view.shape, dtype)
        assert library.run("copy_", [out], [Tagged(view, dtype)]) == OK
        np.testing.assert_array_equal(out.array, view)


@pytest.mark.parametrize("dtype", ALL)
def test_fill(library, dtype):
    out = empty((7, 9), dtype)
    assert library.run("fill_.Scalar", [out], [], scalars=[3]) == OK
    np.testing.assert_array_equal(values(out), np.full((7, 9), 1 if dtype == "bool" else 3))


# Reductions

REDUCTIONS = {
    "sum.dim_IntList": (NUMERIC, np.sum),
    "mean.dim": (FLOATS + COMPLEX, np.mean),
    "amax": (["bool", *INTEGERS, *FLOATS], np.max),
    "amin": (["bool", *INTEGERS, *FLOATS], np.min),
    "any.dims": (ALL, np.any),
    "all.dims": (ALL, np.all),
    "prod.dim_int": (NUMERIC, np.prod),
}


def reduce(library, name, tagged, axes, dtype):
    shape = tuple(1 if axis in axes else size for axis, size in enumerate(tagged.array.shape))
    out = empty(shape, dtype)
    assert library.run(name, [out], [tagged]) == OK
    return out


@pytest.mark.parametrize(
    "name, dtype", [(name, dtype) for name, (dtypes, _) in REDUCTIONS.items() for dtype in dtypes]
)
def test_reductions(library, name, dtype):
    for shape in ((5, 4, 6), (1, 40, 3), (3, 17, 33)):
        a = sample(shape, dtype)
        if name.startswith("prod") and dtype not in INTEGERS:  # near 1, so that products do not overflow
            a = sample(shape, dtype, low=0.98, high=1.02)
            a = make(values(a).real + 0.01j * values(a).imag, dtype) if dtype in COMPLEX else a
        for view in (a.array, a.array.transpose(2, 0, 1), a.array[:, ::-1]):
            tagged = Tagged(view, dtype)
            for axes in ((0,), (1,), (2,), (0, 2), (0, 1), (1, 2), (0, 1, 2)):
                kind = "bool" if name in ("any.dims", "all.dims") else dtype
                got = reduce(library, name, tagged, axes, kind)
                with np.errstate(all="ignore"):
                    expected = REDUCTIONS[name][1](precise(tagged), axis=axes, keepdims=True)
                if kind == "bool" or dtype in INTEGERS:
                    np.testing.assert_array_equal(got.array, expected.astype(kind))
                else:
                    tolerance = (
                        (300 * min(EPSILON[dtype], 2.0**-20) + EPSILON[dtype])
                        if name.startswith("prod")
                        else 2 * EPSILON[dtype]
                    )
                    np.testing.assert_allclose(
                        values(got), expected, rtol=tolerance, atol=40 * EPSILON[dtype]
                    )


@pytest.mark.parametrize("length", [1, 15, 16, 17, 511, 512, 513, 527, 528, 32767, 32768, 32769, 100001])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "float16", "complex128"])
def test_sums_around_the_edges_of_blocks(library, length, dtype):
    a = sample((length,), dtype)
    exact = math.fsum(precise(a).real.tolist()) if dtype != "int64" else int(a.array.sum())
    got = values(reduce(library, "sum.dim_IntList", a, (0,), dtype))[0]
    scale = np.abs(precise(a)).sum() * (2.0**-24 if dtype == "float32" else 2.0**-53)
    if dtype == "float16":
        assert abs(got - exact) <= max(abs(exact) * 2.0**-11, scale, 1e-3 * math.sqrt(length))
    elif dtype == "int64":
        assert got == exact
    else:
        assert abs(got.real - exact) <= 4 * scale + abs(exact) * (
            2.0**-23 if dtype == "float32" else 2.0**-52
        )


def test_sums_of_many_floats_keep_their_digits(library):
    a = Tagged(np.full(3_000_001, 0.1, np.float32), "float32")
    exact = 3_000_001 * float(np.float32(0.1))
    assert (
        abs(float(reduce(library, "sum.dim_IntList", a, (0,), "float32").array[0]) - exact)
        <= exact * 2.0**-21
    )
    large = np.array([1e16, 1.0, -1e16, 1.0] * 1000 + [np.inf])
    assert reduce(library, "sum.dim_IntList", Tagged(large, "float64"), (0,), "float64").array[0] == np.inf
    assert np.isnan(
        reduce(
            library, "sum.dim_IntList", Tagged(np.append(large, -np.inf), "float64"), (0,), "float64"
        ).array[0]
    )


@pytest.mark.parametrize("place", [0, 16, 511, 40000, 99999])
def test_nan_propagates_through_amax_and_amin(library, place):
    a = np.arange(100000, dtype=np.float32)
    a[place] = np.nan
    for name in ("amax", "amin"):
        assert np.isnan(reduce(library, name, Tagged(a, "float32"), (0,), "float32").array[0])


@pytest.mark.parametrize(
    "shape, axis", [((300, 700), 0), ((300, 700), 1), ((100000, 3), 0), ((3, 100000), 1), ((70000,), 0)]
)
def test_reductions_large_enough_for_pieces_and_threads(library, shape, axis):
    a = sample(shape, "float64")
    got = reduce(library, "sum.dim_IntList", a, (axis,), "float64").array
    np.testing.assert_allclose(got, np.sum(a.array, axis=axis, keepdims=True), rtol=1e-9, atol=1e-8)
    np.testing.assert_array_equal(
        reduce(library, "amax", a, (axis,), "float64").array, a.array.max(axis, keepdims=True)
    )


# Threads


def test_results_do_not_depend_on_the_number_of_threads(library):
    lib = library.lib
    a, b = sample((400, 500), "float32"), sample((500, 300), "float32", 1)
    x, w = sample((2, 6, 30, 30), "float32", 2), sample((8, 6, 3, 3), "float32", 3)

    def results():
        yield library.pointwise("exp", [a]).array
        yield library.pointwise(
            "add.Tensor",
            [Tagged(a.array[:, ::2], "float32"), Tagged(a.array[:, 1::2], "float32")],
            scalars=[1],
        ).array
        for axes in ((0,), (1,), (0, 1)):
            yield reduce(library, "sum.dim_IntList", a, axes, "float32").array
            yield reduce(
                library, "sum.dim_IntList", Tagged(a.array.astype(np.float64), "float64"), axes, "float64"
            ).array
        out = empty((400, 300), "float32")
        assert library.run("mm", [out], [a, b]) == OK
        yield out.array
        out = empty((400, 500), "float32")
        assert library.run("_softmax", [out], [a], [1, 0]) == OK
        yield out.array
        out = empty((2, 8, 28, 28), "float32")
        assert (
            library.run("convolution", [out], [x, w, None], [2, 1, 1, 2, 0, 0, 2, 1, 1, 0, 2, 0, 0, 1]) == OK
        )
        yield out.array

    before = lib.gn_get_num_threads()
    try:
        lib.gn_set_num_threads(1)
        alone = [result.copy() for result in results()]
        lib.gn_set_num_threads(2)
        assert lib.gn_get_num_threads() == 2
        together = list(results())
        lib.gn_set_num_threads(0)
        assert lib.gn_get_num_threads() == 1
    finally:
        lib.gn_set_num_threads(before)
    for first, second in zip(alone, together):
        np.testing.assert_array_equal(first, second)


def test_a_long_call_lets_other_python_threads_run(library):
    import threading

    a = sample((1 << 22,), "float64")
    out = empty(a.array.shape, "float64")
    _call, address, _alive = library.prepare("exp", [out, a], 1, [], [])
    tensors = library.ffi.new("double[]", [library.address(out.array), library.address(a.array)])
    begin = threading.Event()
    ran = []

    def other():
        begin.wait(LIMIT)
        ran.append(True)

    worker = start(other)
    interval = sys.getswitchinterval()
    # Such a long interval that the other thread runs only if the call releases the GIL.
    sys.setswitchinterval(60)
    try:
        begin.set()
        for _ in range(10_000):  # until the system schedules it, too
            assert library.lib.gn_run(address, tensors) == OK
            if ran:
                break
        during = list(ran)
    finally:
        sys.setswitchinterval(interval)
        join(worker)
    assert during == [True]


# Matrix products


@pytest.fixture(params=["own", "blas"])
def blas(request, library):
    """The library's own products, then those of OpenBLAS if it is installed."""
    library.lib.gn_set_blas(0, 0, 0, 0)
    if request.param == "blas":
        openblas = pytest.importorskip("scipy_openblas32")
        from cffi import FFI

        ffi = FFI()
        ffi.cdef(
            "void scipy_openblas_set_num_threads(int count);void scipy_cblas_sgemm(void); void "
            "scipy_cblas_dgemm(void);void scipy_cblas_cgemm(void); void scipy_cblas_zgemm(void);"
        )
        pattern = f"lib{openblas.get_library()}.*"
        path = next(Path(openblas.get_lib_dir()).glob(pattern))
        opened = ffi.dlopen(str(path))
        opened.scipy_openblas_set_num_threads(1)
        names = [f"scipy_cblas_{letter}gemm" for letter in "sdcz"]
        library.lib.gn_set_blas(
            *[float(int(ffi.cast("uintptr_t", ffi.addressof(opened, name)))) for name in names]
        )
    yield request.param
    library.lib.gn_set_blas(0, 0, 0, 0)


def layouts(tagged):
    """The same matrix in several layouts: by rows, by columns, with gaps, reversed."""
    array = tagged.array
    for copy in (array.copy(), array.T.copy().T):
        yield Tagged(copy, tagged.dtype)
    spaced = np.zeros((array.shape[0] * 2, array.shape[1] * 3), array.dtype)[::2, ::3]
    spaced[:] = array
    yield Tagged(spaced, tagged.dtype)
    yield Tagged(array[::-1].copy()[::-1], tagged.dtype)
    padded = np.zeros((array.shape[0], array.shape[1] + 5), array.dtype)[:, : array.shape[1]]
    padded[:] = array
    yield Tagged(padded, tagged.dtype)


def matmul_close(got, expected, depth):
    tolerance = EPSILON.get(got.dtype, 0)
    np.testing.assert_allclose(
        values(got),
        expected.astype(values(got).dtype),
        rtol=2 * tolerance,
        atol=4 * max(depth, 1) * min(tolerance, 2.0**-20) + 4 * tolerance,
    )


@pytest.mark.parametrize("dtype", NUMERIC)
@pytest.mark.parametrize(
    "m, k, n", [(1, 1, 1), (2, 3, 4), (1, 300, 50), (50, 300, 1), (33, 65, 70), (3, 0, 2), (0, 3, 2)]
)
def test_mm(library, blas, dtype, m, k, n):
    a, b = sample((m, k), dtype), sample((k, n), dtype, 1)
    out = empty((m, n), dtype)
    assert library.run("mm", [out], [a, b]) == OK
    with np.errstate(all="ignore"):
        matmul_close(out, precise(a) @ precise(b), k)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "int32", "bfloat16"])
def test_mm_of_any_strides(library, blas, dtype):
    for m, k, n in ((4, 5, 6), (40, 30, 20)):
        a, b = sample((m, k), dtype), sample((k, n), dtype, 1)
        expected = precise(a) @ precise(b)
        for left, right in itertools.product(layouts(a), layouts(b)):
            out = empty((m, n), dtype)
            assert library.run("mm", [out], [left, right]) == OK
            matmul_close(out, expected, k)
        for out in layouts(empty((m, n), dtype)):
            assert library.run("mm", [out], [a, b]) == OK
            matmul_close(out, expected, k)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_mm_across_panels_and_tiles(library, blas, dtype):
    a, b = sample((270, 530), dtype), sample((530, 600), dtype, 1)
    out = empty((270, 600), dtype)
    assert library.run("mm", [out], [a, b]) == OK
    matmul_close(out, precise(a) @ precise(b), 530)


@pytest.mark.parametrize("dtype", ["float32", "complex128", "int64", "float16"])
def test_bmm(library, blas, dtype):
    for shape in ((3, 4, 5, 6), (2, 40, 30, 20), (0, 2, 3, 4)):
        batch, m, k, n = shape
        a, b = sample((batch, m, k), dtype), sample((batch, n, k), dtype, 1)
        out = empty((batch, m, n), dtype)
        assert library.run("bmm", [out], [a, Tagged(b.array.transpose(0, 2, 1), dtype)]) == OK
        matmul_close(out, precise(a) @ precise(b).transpose(0, 2, 1), k)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "int32", "bfloat16"])
def test_addmm(library, blas, dtype):
    for m, k, n in ((3, 4, 5), (40, 50, 60), (3, 0, 2)):
        a, b, row = sample((m, k), dtype), sample((k, n), dtype, 1), sample((n,), dtype, 2)
        expanded = Tagged(np.broadcast_to(row.array, (m, n)), dtype)
        for beta, alpha in ((1, 1), (2, 3), (0, 1)):
            out = empty((m, n), dtype)
            assert library.run("addmm", [out], [expanded, a, b], scalars=[beta, alpha]) == OK
            matmul_close(out, beta * precise(row) + alpha * (precise(a) @ precise(b)), k)


def test_addmm_ignores_self_where_beta_is_0(library, blas):
    for size in (3, 40):
        a = sample((size, size), "float32")
        out = empty((size, size), "float32")
        nothing = make(np.full((size, size), np.nan), "float32")
        assert library.run("addmm", [out], [nothing, a, a], scalars=[0, 1]) == OK
        assert np.isfinite(out.array).all()


@pytest.mark.parametrize("dtype", NUMERIC)
def test_dot(library, dtype):
    for length in (0, 1, 100, 70000):
        a, b = sample((length,), dtype), sample((length,), dtype, 1)
        out = empty((), dtype)
        assert library.run("dot", [out], [a, b]) == OK
        if dtype in INTEGERS:
            assert out.array == (values(a) * values(b)).sum(dtype=dtype)
        else:
            assert abs(values(out) - precise(a) @ precise(b)) <= EPSILON[dtype] * (
                np.abs(precise(a)) @ np.abs(precise(b))
            )


# Along a dimension


@pytest.mark.parametrize("dtype", FLOATS)
def test_softmax_and_its_gradients(library, dtype):
    a, g = sample((3, 40, 5), dtype), sample((3, 40, 5), dtype, 1)
    tolerance = {"rtol": 4 * EPSILON[dtype], "atol": 8 * EPSILON[dtype]}
    for dim in (0, 1, -1):
        powers = np.exp(precise(a) - precise(a).max(dim, keepdims=True))
        soft = powers / powers.sum(dim, keepdims=True)
        out, logs = empty((3, 40, 5), dtype), empty((3, 40, 5), dtype)
        assert library.run("_softmax", [out], [a], [dim, 0]) == OK
        np.testing.assert_allclose(values(out), soft, **tolerance)
        assert library.run("_log_softmax", [logs], [a], [dim, 0]) == OK
        np.testing.assert_allclose(values(logs), np.log(soft), **tolerance)
        gradient = empty((3, 40, 5), dtype)
        y = precise(out)
        assert library.run("_softmax_backward_data", [gradient], [g, out], [dim]) == OK
        expected = y * (precise(g) - (precise(g) * y).sum(dim, keepdims=True))
        np.testing.assert_allclose(values(gradient), expected, **tolerance)
        assert library.run("_log_softmax_backward_data", [gradient], [g, logs], [dim]) == OK
        expected = precise(g) - np.exp(precise(logs)) * precise(g).sum(dim, keepdims=True)
        np.testing.assert_allclose(
            values(gradient), expected, rtol=8 * EPSILON[dtype], atol=32 * EPSILON[dtype]
        )


def test_softmax_of_half_to_float(library):
    a = sample((4, 6), "float16")
    out = empty((4, 6), "float32")
    assert library.run("_softmax", [out], [a], [1, 1]) == OK
    powers = np.exp(precise(a))
    np.testing.assert_allclose(out.array, powers / powers.sum(1, keepdims=True), rtol=1e-6)


@pytest.mark.parametrize("dtype", ["bool", *INTEGERS, *FLOATS])
def test_places_of_extremes(library, dtype):
    a = sample((4, 5, 6), dtype)
    numbers = values(a)
    for name, place, extreme in (("max", np.argmax, np.max), ("min", np.argmin, np.min)):
        for dim in (0, 1, -1):
            for keepdim in (False, True):
                expected = place(numbers, axis=dim, keepdims=keepdim)
                indices = empty(expected.shape, "int64")
                assert library.run("arg" + name, [indices], [a], [dim, int(keepdim)]) == OK
                np.testing.assert_array_equal(indices.array, expected)
                found, indices = empty(expected.shape, dtype), empty(expected.shape, "int64")
                assert library.run(name + ".dim", [found, indices], [a], [dim, int(keepdim)]) == OK
                np.testing.assert_array_equal(indices.array, expected)
                np.testing.assert_array_equal(values(found), extreme(numbers, axis=dim, keepdims=keepdim))
        whole = empty((), "int64")
        assert (
            library.run(
                "arg" + name,
                [whole],
                [Tagged(a.array.transpose(2, 0, 1), dtype)],
                [library.lib.GN_NO_INTEGER, 0],
            )
            == OK
        )
        assert whole.array == place(numbers.transpose(2, 0, 1))


def test_nan_is_the_first_extreme(library):
    a = make([[1, np.nan, 3, np.nan]], "float32")
    for name in ("argmax", "argmin"):
        out = empty((1,), "int64")
        assert library.run(name, [out], [a], [1, 0]) == OK
        assert out.array[0] == 1


# Convolution and pooling


def convolve(x, w, bias, stride, padding, dilation, groups):
    """A two-dimensional convolution computed by its definition."""
    x = np.pad(x, ((0, 0), (0, 0), (padding[0],) * 2, (padding[1],) * 2))
    span = [(size - 1) * step + 1 for size, step in zip(w.shape[2:], dilation)]
    sizes = [(size - extent) // step + 1 for size, extent, step in zip(x.shape[2:], span, stride)]
    out = np.zeros((x.shape[0], w.shape[0], *sizes))
    per_in, per_out = w.shape[1], w.shape[0] // groups
    for i, j in itertools.product(range(sizes[0]), range(sizes[1])):
        rows = slice(i * stride[0], i * stride[0] + span[0], dilation[0])
        columns = slice(j * stride[1], j * stride[1] + span[1], dilation[1])
        for group in range(groups):
            features = slice(group * per_out, (group + 1) * per_out)
            window = x[:, group * per_in : (group + 1) * per_in, rows, columns]
            out[:, features, i, j] = np.tensordot(window, w[features], ((1, 2, 3), (1, 2, 3)))
    return out if bias is None else out + bias[:, None, None]


def arguments(stride, padding, dilation, transposed, groups, output_padding=(0, 0)):
    listed = [[len(part), *part] for part in (stride, padding, dilation)]
    return [*itertools.chain(*listed), int(transposed), len(output_padding), *output_padding, groups]


CONVOLUTIONS = [
    ((2, 3, 8, 9), (4, 3, 3, 3), (1, 1), (0, 0), (1, 1), 1),
    ((2, 4, 8, 9), (6, 2, 3, 2), (2, 1), (1, 2), (1, 2), 2),
    ((1, 4, 7, 7), (4, 1, 3, 3), (2, 3), (2, 2), (2, 1), 4),
    ((2, 5, 6, 4), (7, 5, 1, 1), (1, 1), (0, 0), (1, 1), 1),
    ((1, 8, 40, 40), (16, 8, 3, 3), (1, 1), (1, 1), (1, 1), 1),
]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("case", CONVOLUTIONS)
def test_convolution_and_its_gradients(library, dtype, case):
    x_shape, w_shape, stride, padding, dilation, groups = case
    x, w, bias = sample(x_shape, dtype), sample(w_shape, dtype, 1, -1, 1), sample((w_shape[0],), dtype, 2)
    p, q, r = precise(x), precise(w), precise(bias)
    expected = convolve(p, q, r, stride, padding, dilation, groups)
    integers = arguments(stride, padding, dilation, False, groups)
    tolerance = {
        "rtol": 2 * EPSILON[dtype],
        "atol": EPSILON[dtype] + 4 * w.array[0].size * min(EPSILON[dtype], 2.0**-20),
    }
    for given in (bias, None):
        out = empty(expected.shape, dtype)
        assert library.run("convolution", [out], [x, w, given], integers) == OK
        np.testing.assert_allclose(
            values(out), expected if given else expected - r[:, None, None], **tolerance
        )

    # The gradients of sum(g * convolve(x, w) + bias): each is linear, so unit steps give it exactly.
    g = sample(expected.shape, dtype, 3)
    gradients = [empty(x_shape, dtype), empty(w_shape, dtype), empty((w_shape[0],), dtype)]
    integers = [1, w_shape[0], *arguments(stride, padding, dilation, False, groups), 3, 1, 1, 1]
    assert library.run("convolution_backward", gradients, [g, x, w], integers) == OK
    np.testing.assert_allclose(
        values(gradients[2]), precise(g).sum((0, 2, 3)), rtol=2 * EPSILON[dtype], atol=400 * EPSILON[dtype]
    )
    generator = np.random.default_rng(4)
    for which, base in ((0, p), (1, q)):
        for flat in generator.choice(base.size, 12):
            unit = np.zeros(base.size)
            unit[flat] = 1
            unit = unit.reshape(base.shape)
            moved = (
                convolve(unit, q, None, stride, padding, dilation, groups)
                if which == 0
                else convolve(p, unit, None, stride, padding, dilation, groups)
            )
            derivative = (moved * precise(g)).sum()
            got = values(gradients[which]).reshape(-1)[flat]
            assert (
                abs(got - derivative)
                <= 2 * EPSILON[dtype] * abs(derivative)
                + 1600 * min(EPSILON[dtype], 2.0**-20)
                + EPSILON[dtype]
            )


def test_absent_gradients_are_not_made(library):
    x, w = sample((1, 2, 4, 4), "float32"), sample((3, 2, 3, 3), "float32", 1)
    g = sample((1, 3, 2, 2), "float32", 2)
    only = empty((3, 2, 3, 3), "float32")
    integers = [library.lib.GN_NO_INTEGER, *arguments((1, 1), (0, 0), (1, 1), False, 1), 3, 0, 1, 0]
    inputs = [None, only, None, g, x, w]
    _call, address, _alive = library.prepare("convolution_backward", inputs, 3, integers, [])
    addresses = library.ffi.new("double[]", [0.0 if t is None else library.address(t.array) for t in inputs])
    assert library.lib.gn_run(address, addresses) == OK
    expected = np.zeros((3, 2, 3, 3))
    for i, j in itertools.product(range(3), range(3)):
        expected[:, :, i, j] = np.einsum("nohw,nchw->oc", g.array, x.array[:, :, i : i + 2, j : j + 2])
    np.testing.assert_allclose(only.array, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("groups", [1, 2])
def test_transposed_convolution_is_the_gradient_of_another(library, groups):
    """Outputs of the transposed convolution are the plain one's input gradients, and vice versa."""
    stride, padding, dilation = (2, 3), (1, 0), (1, 2)
    y, w, bias = (
        sample((2, 4, 5, 4), "float64"),
        sample((4, 3, 3, 2), "float64", 1),
        sample((3 * groups,), "float64", 2),
    )
    sizes = [
        (n - 1) * s - 2 * p + d * (k - 1) + 1
        for n, s, p, d, k in zip((5, 4), stride, padding, dilation, (3, 2))
    ]
    shape = (2, 3 * groups, *sizes)
    out = empty(shape, "float64")
    integers = arguments(stride, padding, dilation, True, groups)
    assert library.run("convolution", [out], [y, w, bias], integers) == OK
    test = np.random.default_rng(5).standard_normal(shape)
    left = ((out.array - bias.array[:, None, None]) * test).sum()
    right = (convolve(test, w.array, None, stride, padding, dilation, groups) * y.array).sum()
    assert abs(left - right) <= 1e-9 * abs(right) + 1e-9

    g = Tagged(test, "float64")
    gradients = [
        empty(y.array.shape, "float64"),
        empty(w.array.shape, "float64"),
        empty((3 * groups,), "float64"),
    ]
    assert (
        library.run("convolution_backward", gradients, [g, y, w], [1, 3 * groups, *integers, 3, 1, 1, 1])
        == OK
    )
    np.testing.assert_allclose(
        gradients[0].array,
        convolve(test, w.array, None, stride, padding, dilation, groups),
        rtol=1e-9,
        atol=1e-9,
    )
    assert abs((gradients[1].array * w.array).sum() - left) <= 1e-9 * abs(left) + 1e-9, "linear in w"
    np.testing.assert_allclose(gradients[2].array, test.sum((0, 2, 3)), rtol=1e-9, atol=1e-9)


def test_convolution_over_one_and_three_dimensions(library):
    x, w = sample((2, 3, 20), "float64"), sample((4, 3, 5), "float64", 1)
    expected = convolve(x.array[:, :, None], w.array[:, :, None], None, (1, 2), (0, 2), (1, 1), 1)[:, :, 0]
    out = empty(expected.shape, "float64")
    assert library.run("convolution", [out], [x, w, None], [1, 2, 1, 2, 1, 1, 0, 1, 0, 1]) == OK
    np.testing.assert_allclose(out.array, expected, rtol=1e-12, atol=1e-12)
    x, w = sample((1, 2, 4, 5, 6), "float64"), sample((3, 2, 2, 3, 2), "float64", 1)
    expected = np.zeros((1, 3, 3, 3, 5))
    for i, j, k in itertools.product(range(2), range(3), range(2)):
        expected += np.einsum(
            "ncdhw,oc->nodhw", x.array[:, :, i : i + 3, j : j + 3, k : k + 5], w.array[:, :, i, j, k]
        )
    out = empty(expected.shape, "float64")
    assert (
        library.run(
            "convolution", [out], [x, w, None], [3, 1, 1, 1, 3, 0, 0, 0, 3, 1, 1, 1, 0, 3, 0, 0, 0, 1]
        )
        == OK
    )
    np.testing.assert_allclose(out.array, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(
    "kernel, stride, padding, dilation", [((2, 2), (), (0, 0), (1, 1)), ((3, 2), (2, 1), (1, 1), (2, 1))]
)
def test_max_pool2d_and_its_gradient(library, dtype, kernel, stride, padding, dilation):
    x = sample((2, 3, 9, 8), dtype)
    steps = stride or kernel
    sizes = [
        (n + 2 * p - d * (k - 1) - 1) // s + 1
        for n, p, d, k, s in zip((9, 8), padding, dilation, kernel, steps)
    ]
    numbers = values(x)
    expected, places = np.zeros((2, 3, *sizes)), np.zeros((2, 3, *sizes), np.int64)
    for at in np.ndindex(expected.shape):
        window = [
            (-numbers[at[0], at[1], i, j], i * 8 + j)
            for i in (at[2] * steps[0] - padding[0] + k * dilation[0] for k in range(kernel[0]))
            for j in (at[3] * steps[1] - padding[1] + k * dilation[1] for k in range(kernel[1]))
            if 0 <= i < 9 and 0 <= j < 8
        ]
        best, places[at] = min(window)
        expected[at] = -best
    integers = [2, *kernel, len(stride), *stride, 2, *padding, 2, *dilation, 0]
    out, indices = empty(expected.shape, dtype), empty(expected.shape, "int64")
    assert library.run("max_pool2d_with_indices", [out, indices], [x], integers) == OK
    np.testing.assert_array_equal(values(out), expected)
    np.testing.assert_array_equal(indices.array, places)

    g = sample(expected.shape, dtype, 1)
    gradient = empty((2, 3, 9, 8), dtype)
    assert library.run("max_pool2d_with_indices_backward", [gradient], [g, x, indices], integers) == OK
    sums = np.zeros((2, 3, 72))
    for at in np.ndindex(expected.shape):
        sums[at[0], at[1], places[at]] += precise(g)[at]
    np.testing.assert_allclose(
        values(gradient), sums.reshape(2, 3, 9, 8), rtol=EPSILON[dtype], atol=EPSILON[dtype]
    )


def test_max_pool2d_propagates_nan(library):
    x = make(np.arange(16).reshape(1, 4, 4), "float32")
    x.array[0, 1, 1] = np.nan
    out, indices = empty((1, 2, 2), "float32"), empty((1, 2, 2), "int64")
    assert library.run("max_pool2d_with_indices", [out, indices], [x], [2, 2, 2, 0, 1, 0, 1, 1, 0]) == OK
    np.testing.assert_array_equal(out.array, [[[np.nan, 7], [13, 15]]])
    np.testing.assert_array_equal(indices.array, [[[5, 7], [13, 15]]])


# Losses and embeddings


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("reduction", [0, 1, 2])
def test_nll_loss(library, dtype, weighted, reduction):
    logs = sample((6, 5), dtype)
    target = make([0, 4, 2, -100, 2, 1], "int64")
    weight = sample((5,), dtype, 1, 0.5, 2) if weighted else None
    scale = np.where(target.array == -100, 0, precise(weight)[target.array % 5] if weighted else 1.0)
    each = -scale * precise(logs)[np.arange(6), target.array % 5]
    expected = {0: each, 1: each.sum() / scale.sum(), 2: each.sum()}[reduction]
    out, total = empty((6,) if reduction == 0 else (), dtype), empty((), dtype)
    assert library.run("nll_loss_forward", [out, total], [logs, target, weight], [reduction, -100]) == OK
    np.testing.assert_allclose(values(out), expected, rtol=2 * EPSILON[dtype], atol=EPSILON[dtype])
    if reduction:
        np.testing.assert_allclose(values(total), scale.sum(), rtol=EPSILON[dtype])
    g = sample((6,) if reduction == 0 else (), dtype, 2)
    gradient = empty((6, 5), dtype)
    inputs = [g, logs, target, weight, total]
    assert library.run("nll_loss_backward", [gradient], inputs, [reduction, -100]) == OK
    expected = np.zeros((6, 5))
    expected[np.arange(6), target.array % 5] = -scale * precise(g) / (precise(total) if reduction == 1 else 1)
    np.testing.assert_allclose(values(gradient), expected, rtol=4 * EPSILON[dtype], atol=1e-7)


def test_nll_loss_of_one_sample_and_of_a_wrong_target(library):
    logs = make([-1, -2, -3], "float32")
    out, total = empty((), "float32"), empty((), "float32")
    assert library.run("nll_loss_forward", [out, total], [logs, make(1, "int64"), None], [1, -100]) == OK
    assert (out.array, total.array) == (2, 1)
    for wrong in (3, -1):
        assert (
            library.run("nll_loss_forward", [out, total], [logs, make(wrong, "int64"), None], [1, -100])
            == BAD_VALUE
        )


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("kind", ["int32", "int64"])
def test_embedding(library, dtype, kind):
    weight, indices = sample((7, 4), dtype), make([[0, 6, 2], [2, 2, 1]], kind)
    out = empty((2, 3, 4), dtype)
    assert library.run("embedding", [out], [weight, indices], [-1, 0, 0]) == OK
    np.testing.assert_array_equal(out.array, weight.array[indices.array])
    assert (
        library.run("embedding", [out], [weight, make([[0, 1, 2], [3, 4, 7]], kind)], [-1, 0, 0]) == BAD_VALUE
    )


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("scaled", [0, 1])
def test_embedding_gradient(library, dtype, scaled):
    indices, g = make([[0, 6, 2], [2, 2, 1]], "int64"), sample((2, 3, 4), dtype)
    out = empty((7, 4), dtype)
    assert library.run("embedding_dense_backward", [out], [g, indices], [7, 6, scaled]) == OK
    expected = np.zeros((7, 4))
    for at, index in np.ndenumerate(indices.array):
        if index != 6:
            expected[index] += precise(g)[at] / ((indices.array == index).sum() if scaled else 1)
    np.testing.assert_allclose(values(out), expected, rtol=2 * EPSILON[dtype], atol=EPSILON[dtype])


# Joining and indexing


@pytest.mark.parametrize("dtype", ALL)
def test_cat(library, dtype):
    a, b = sample((2, 3, 4), dtype), sample((2, 5, 4), dtype, 1)
    out = empty((2, 11, 4), dtype)
    inputs = [a, Tagged(b.array.transpose(2, 1, 0).copy().transpose(2, 1, 0), dtype), empty((0,), dtype), a]
    for dim in (1, -2):
        assert library.run("cat", [out], inputs, [dim]) == OK
        np.testing.assert_array_equal(out.array, np.concatenate([a.array, b.array, a.array], 1))


def test_cat_of_more_tensors_than_the_stack_holds(library):
    parts = [make([i, -i], "int32") for i in range(200)]
    out = empty((400,), "int32")
    assert library.run("cat", [out], parts, [0]) == OK
    np.testing.assert_array_equal(out.array, np.concatenate([part.array for part in parts]))


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("kind", ["int32", "int64"])
def test_index_select(library, dtype, kind):
    a, index = sample((4, 5, 6), dtype), make([3, 0, 0, 2], kind)
    for view in (a.array, a.array.transpose(1, 2, 0)):
        for dim in (0, 1, -1):
            expected = np.take(view, index.array, dim)
            out = empty(expected.shape, dtype)
            assert library.run("index_select", [out], [Tagged(view, dtype), index], [dim]) == OK
            np.testing.assert_array_equal(out.array, expected)
    for wrong in (4, -1):
        out = empty((1, 5, 6), dtype)
        assert library.run("index_select", [out], [a, make([wrong], kind)], [0]) == BAD_VALUE


@pytest.mark.parametrize("dtype", ALL)
def test_gather(library, dtype):
    a = sample((4, 5, 6), dtype)
    for dim in (0, 1, -1):
        index = np.random.default_rng(1).integers(0, a.array.shape[dim], (3, 4, 5))
        out = empty((3, 4, 5), dtype)
        assert library.run("gather", [out], [a, make(index, "int64")], [dim, 0]) == OK
        places = list(np.indices((3, 4, 5)))
        places[dim] = index
        np.testing.assert_array_equal(out.array, a.array[tuple(places)])
        for wrong in (6, -1):
            index[2, 2, 2] = wrong
            assert library.run("gather", [out], [a, make(index, "int64")], [dim, 0]) == BAD_VALUE


@pytest.mark.parametrize("dtype", NUMERIC)
def test_scatter_add(library, dtype):
    a, src = sample((4, 5), dtype), sample((3, 4), dtype, 1)
    for dim in (0, 1):
        index = np.random.default_rng(1).integers(0, a.array.shape[dim], (3, 4))
        out = empty((4, 5), dtype)
        assert library.run("scatter_add", [out], [a, make(index, "int64"), src], [dim]) == OK
        places = list(np.indices((3, 4)))
        places[dim] = index
        expected = precise(a).copy()
        np.add.at(expected, tuple(places), precise(src))
        np.testing.assert_allclose(
            values(out), expected, rtol=4 * EPSILON.get(dtype, 0), atol=16 * EPSILON.get(dtype, 0)
        )
        index[0, 0] = 9
        assert library.run("scatter_add", [out], [a, make(index, "int64"), src], [dim]) == BAD_VALUE


def indexings():
    """Index tensors for a (4, 5, 6) tensor: one, adjacent, separated, broadcast, negative."""
    i, j = np.array([[0, -1, 2]]), np.array([[1], [4], [-5]])
    yield [i, None, None]
    yield [None, j, None]
    yield [None, i, j]
    yield [i, None, j]
    yield [i, j, i]
    yield [None, None, np.array(3)]


def spread(indices):
    """The index tensors that are not None, broadcast to one shape as the library requires."""
    present = np.broadcast_arrays(*[index for index in indices if index is not None])
    present = iter(np.array(index, np.int64) for index in present)
    return [None if index is None else Tagged(next(present), "int64") for index in indices]


@pytest.mark.parametrize("dtype", ALL)
def test_index(library, dtype):
    a = sample((4, 5, 6), dtype)
    for indices in indexings():
        key = tuple(slice(None) if index is None else index for index in indices)
        for view in (a.array, a.array.transpose(2, 1, 0).copy().transpose(2, 1, 0)):
            expected = view[key]
            out = empty(expected.shape, dtype)
            assert library.run("_index", [out], [Tagged(view, dtype), *spread(indices)]) == OK
            np.testing.assert_array_equal(out.array, expected)
    for wrong in (4, -5):
        assert (
            library.run("_index", [empty((1, 5, 6), dtype)], [a, *spread([np.array([wrong]), None, None])])
            == BAD_VALUE
        )


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("accumulate", [0, 1])
def test_index_put(library, dtype, accumulate):
    for indices in indexings():
        a = sample((4, 5, 6), dtype)
        key = tuple(slice(None) if index is None else index for index in indices)
        new = sample(a.array[key].shape, dtype, 1)
        expected = precise(a).copy()
        if accumulate:
            np.add.at(expected, key, precise(new))
        else:
            expected[key] = precise(new)
        assert library.run("_index_put", [a], [a, *spread(indices), new], [accumulate, 0]) == OK
        np.testing.assert_allclose(
            values(a), expected, rtol=4 * EPSILON.get(dtype, 0), atol=8 * EPSILON.get(dtype, 0)
        )


@pytest.mark.parametrize("dtype", ALL)
def test_nonzero(library, dtype):
    a = sample((4, 5), dtype)
    a.array[np.random.default_rng(3).random((4, 5)) < 0.5] = 0
    count = empty((), "int64")
    assert library.run("_count_nonzero", [count], [a]) == OK
    assert count.array == np.count_nonzero(a.array)
    places = np.argwhere(a.array)
    out = empty(places.shape, "int64")
    assert library.run("nonzero_static", [out], [a], [len(places), -1]) == OK
    np.testing.assert_array_equal(out.array, places)
    out = empty((len(places) + 2, 2), "int64")
    assert library.run("nonzero_static", [out], [a], [len(places) + 2, -1]) == OK
    np.testing.assert_array_equal(out.array[len(places) :], -np.ones((2, 2)))


# The table


def test_the_table_names_each_operator_once_and_claims_something(library):
    assert len(library.rows) == library.lib.gn_row_count()
    for name, row in library.rows.items():
        assert any(row.kernels[i] != library.ffi.NULL for i in range(12)), name
        assert row.family in (library.lib.GN_ITERATED, library.lib.GN_DIRECT)
