"""Tolerances: exact results, errors in ulp, what an author loosens, and the worst errors in a report."""

from __future__ import annotations

import ctypes
import math

import pytest

from gnomon_conformance.collection.selection import operators
from gnomon_conformance.comparison import error_measurement
from gnomon_conformance.comparison.differences import differences
from gnomon_conformance.comparison.expectations import parse
from gnomon_conformance.comparison.tolerances import ELEMENTARY_ULPS, Tolerance, is_finite, ulp
from gnomon_conformance.execution.runner import Gnomon, Outcome, run
from gnomon_conformance.inputs.description import given, sample, tensor

EXP = operators()["exp"]


def outcome(operator, call, dtype="float32") -> Outcome:
    return run(Gnomon("reference"), operator, call, dtype, "contiguous")


def moved(found: Outcome, ulps: float) -> Outcome:
    """The same outcome with its first number moved by ``ulps`` ulp."""
    first, *rest = found.results
    number = first.numbers[0] + ulps * ulp(first.numbers[0], first.dtype)
    return found._replace(results=(first._replace(numbers=(number, *first.numbers[1:])), *rest))


def test_exact_numbers_are_not_rounded() -> None:
    call = sample(given([0.75], (1,), (1,), 0, "float32"))
    expected = outcome(EXP, call).results[0]
    (exact,) = Tolerance(EXP, call, "float32", "contiguous").exact(expected, 0)
    assert exact == math.exp(0.75) != expected.numbers[0]


@pytest.mark.parametrize(
    ("name", "dtype"), [("exp", "float64"), ("neg", "float32"), ("exp", "int64"), ("_to_copy", "float32")]
)
def test_exact_is_for_what_is_rounded_once_more(name: str, dtype: str) -> None:
    """There is none for float64 (no dtype is wider), for results that must be equal, or for other dtypes."""
    operator = operators()[name]
    call = sample(tensor(3), dtype="float16") if name == "_to_copy" else sample(tensor(3))
    expected = outcome(operator, call, dtype).results[0]
    assert Tolerance(operator, call, dtype, "contiguous").exact(expected, 0) is None or dtype == "int64"


@pytest.mark.parametrize(
    ("ulps", "fails"), [(0, False), (ELEMENTARY_ULPS - 1, False), (ELEMENTARY_ULPS + 1, True)]
)
def test_an_error_is_judged_in_ulp(ulps: int, fails: bool) -> None:
    call = sample(given([0.75, 2.0], (2,), (1,), 0, "float32"))
    expected = outcome(EXP, call)
    tolerance = Tolerance(EXP, call, "float32", "contiguous")
    assert bool(differences(moved(expected, ulps), expected, tolerance)) == fails


def test_an_author_loosens_an_operator() -> None:
    call = sample(given([0.75], (1,), (1,), 0, "float32"))
    expected = outcome(EXP, call)
    wrong = moved(expected, 7)
    tolerance = Tolerance(EXP, call, "float32", "contiguous")
    for text, fails in (
        ("", True),
        ("loosen exp float32 8 reason", False),
        ("loosen exp float32 6 reason", True),
        ("loosen exp float64 8 reason", True),
        ("loosen tanh float32 8 reason", True),
    ):
        with error_measurement.measuring(parse(text)):
            assert bool(differences(wrong, expected, tolerance)) == fails, text


def test_an_exact_operator_can_be_loosened() -> None:
    negative = operators()["neg"]
    call = sample(given([1.0], (1,), (1,), 0, "float32"))
    expected = outcome(negative, call)
    wrong = moved(expected, 1)
    tolerance = Tolerance(negative, call, "float32", "contiguous")
    assert differences(wrong, expected, tolerance)
    with error_measurement.measuring(parse("loosen neg float32 1 truncates")):
        assert not differences(wrong, expected, tolerance)


def test_the_worst_error_is_kept_with_its_input() -> None:
    call = sample(given([0.0, 0.75, 2.0, 9.0], (2,), (2,), 1, "float32"))  # the tensor is 0.75 and 9
    expected = outcome(EXP, call)
    with error_measurement.measuring(parse("")) as measured:
        differences(expected, expected, Tolerance(EXP, call, "float32", "contiguous"))
        small = measured.worst
        differences(moved(expected, 3), expected, Tolerance(EXP, call, "float32", "contiguous"))
        differences(moved(expected, 1), expected, Tolerance(EXP, call, "float32", "contiguous"))
    assert small is None, "what is equal to the reference's has no error of its own"
    worst = measured.worst
    assert worst is not None and 2.5 <= worst.ulps <= 3.5 and worst.allowed == ELEMENTARY_ULPS
    assert worst.where == f"element (0,) of exp, layout contiguous, sizes (2,): {(0.75).hex()}"
    assert measured.as_data() == {"ulps": worst.ulps, "allowed": worst.allowed, "where": worst.where}
    assert error_measurement.current().as_data() is None, "outside of a test nothing is kept"


def test_inputs_that_do_not_broadcast_are_not_shown() -> None:
    product = operators()["mm"]
    call = sample(tensor(2, 3), tensor(3, 2))
    expected = outcome(product, call)
    tolerance = Tolerance(product, call, "float32", "contiguous")
    assert tolerance.where(expected.results[0], 3).endswith(
        "element (1, 1) of mm, layout contiguous, sizes (2, 3), (3, 2)"
    )


def test_overflow_is_that_of_the_dtype() -> None:
    """The exact result is finite in float64, but in float32 only infinity is correct."""
    call = sample(given([100.0], (1,), (1,), 0, "float32"))
    expected = outcome(EXP, call)
    assert expected.results[0].numbers == (math.inf,)
    tolerance = Tolerance(EXP, call, "float32", "contiguous")
    assert not differences(expected, expected, tolerance)
    largest = expected._replace(results=(expected.results[0]._replace(numbers=(3.4028234663852886e38,)),))
    assert differences(largest, expected, tolerance)


@pytest.mark.parametrize("name", ["add.Tensor", "sub.Tensor", "rsub.Tensor", "subtract.Tensor"])
def test_the_terms_of_a_difference_are_added(name: str) -> None:
    """1 - 3 * 0.34 is small, but the terms that are rounded are not."""
    tensors = (given([1.0], (1,), (1,), 0, "float32"), given([0.34], (1,), (1,), 0, "float32"))
    alpha = 3 if name != "add.Tensor" else -3
    call = sample(*(reversed(tensors) if name == "rsub.Tensor" else tensors), alpha=alpha)
    expected = outcome(operators()[name], call).results[0]
    assert abs(expected.numbers[0]) == pytest.approx(0.02, rel=1e-5)
    (bound,) = Tolerance(operators()[name], call, "float32", "contiguous").bounds(expected, 0)
    assert bound == pytest.approx(4 * 2.0**-23 * 2.02)


@pytest.mark.parametrize(("correction", "is_open"), [(4, True), (1, False)])
def test_a_covariance_divided_by_nothing_is_nan_or_infinite(correction: int, is_open: bool) -> None:
    """For equal numbers it is 0 / 0, or, if their mean was rounded, a tiny positive number divided by 0."""
    call = sample(given([0.1] * 4, (1, 4), (4, 1), 0, "float64"), correction=correction)
    operator = operators()["cov"]
    expected = outcome(operator, call, "float64").results[0]
    (bound,) = Tolerance(operator, call, "float64", "contiguous").bounds(expected, 0)
    assert (bound == math.inf) == is_open == (not math.isfinite(expected.numbers[0]))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_a_kernel_of_16_bits_rounds_once(dtype: str) -> None:
    """It may be off by one ulp and float32's error; a composition may round between its kernels."""
    softmax, composed = operators()["_softmax"], operators()["cosine_similarity"]
    call = sample(tensor(4), -1, False)
    expected = outcome(softmax, call, dtype).results[0]
    bounds = Tolerance(softmax, call, dtype, "contiguous").bounds(expected, 0)
    steps = 2 * (4 + 16) * 2.0**-23
    assert bounds == [steps + ulp(number, dtype) for number in expected.numbers]
    looser = Tolerance(softmax, call, dtype, "contiguous", rounded_steps=2).bounds(expected, 0)
    assert min(looser) > 10 * max(bounds)
    pair = sample(tensor(2, 3), tensor(2, 3, seed=1), 1)
    found = outcome(composed, pair, dtype).results[0]
    assert min(Tolerance(composed, pair, dtype, "contiguous").bounds(found, 0)) > 10 * max(bounds)


def test_the_size_of_a_complex_number_is_composed() -> None:
    """Its real result takes several rounding steps."""
    size = operators()["abs"]
    assert Tolerance(size, sample(tensor(2)), "complex128", "contiguous").kind("float64") == "composed"
    assert Tolerance(size, sample(tensor(2)), "float64", "contiguous").kind("float64") == "exact"


def test_a_complex_nan_is_not_finite_whatever_errno_says() -> None:
    """Python's abs of a complex NaN raises if an earlier call left ERANGE in errno."""
    number = complex(math.nan, math.nan)
    ctypes.CDLL(None).strtod(b"1e999", None)
    assert not is_finite(number) and not is_finite(complex(1.0, math.inf)) and is_finite(True)
    call = sample(given([number, 1.0], (2,), (1,), 0, "complex64"))
    for name in ("exp", "sum"):
        expected, again = (outcome(operators()[name], call, "complex64") for _ in range(2))
        tolerance = Tolerance(operators()[name], call, "complex64", "contiguous")
        ctypes.CDLL(None).strtod(b"1e999", None)
        assert differences(expected, expected, tolerance) == []
        assert tolerance.bounds(expected.results[0], 0)
        ctypes.CDLL(None).strtod(b"1e999", None)
        assert tolerance.bounds(again.results[0], 0)  # cached exact results, not computed again
