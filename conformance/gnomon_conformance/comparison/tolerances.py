"""Tolerances: how far two correct results may differ, derived from how they are computed.

The kind of an operator is declared with its samples: ``samples_of(..., tolerance=kind)``.

exact       The default: integers, bool, copies, views, comparisons, selections, rounding to integers.
arithmetic  Real addition, subtraction, multiplication and division, which IEEE 754 requires to be the exact
            result rounded once: exact.  The reference computes them in float64 and rounds to the dtype: with
            53 bits against 24 or fewer that second rounding changes nothing (53 >= 2 * 24 + 2; Figueroa,
            1995).  For complex numbers they take several steps: composed.  Scaled by ``alpha``: terms.
choice      Exact except for the sign of zero: IEEE 754 does not specify which of 0.0 and -0.0 is larger.
elementary  ELEMENTARY_ULPS units in the last place of the result.  Libraries promise 1 (sleef's u10) to 4
            (CUDA's, OpenCL's bound for most functions) ulp; vector libraries flush subnormal numbers to zero,
            and MKL's square root, which PyTorch calls, is not rounded to nearest.  For complex numbers:
            composed.
terms       Results that are a sum of n terms, each a product: any order of summation, with or without fused
            multiply-add, has an error of at most (n + 2) * eps * sum(|terms|) (Higham, "Accuracy and
            Stability", 4.2), and of n + 2 of the smallest subnormal number, since products may be subnormal.
            n and the sum are found by running the operator on ones and on absolute values.
composed    Several steps, each as above (softmax, variance, losses): (numel + COMPOSED_STEPS) * eps * the
            largest magnitude of a result, or 2.  Kernels of float16 and bfloat16 compute in float32: its eps,
            and one ulp of the result; composites round between kernels.

The error is measured from the unrounded result where there is one: for float16, bfloat16, float32 and
complex64 the reference computes the result again from the same numbers in float64, without rounding it to the
dtype.  For float64 it is measured from the reference's result.  Errors are reported in ulp of the result; a
backend's author may loosen an operator's bound (comparison/expectations.py), with a reason that the report
shows.

eps is that of the dtype, or that of a tensor of the call with another, less precise dtype (weights in float32
may be summed in float32).  For float16 and bfloat16, kernels of one operator accumulate in the opmath type,
float32, or wider, and round once at the end: eps of float32, and one ulp of the result for that rounding.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import Any

from ..execution.runner import Gnomon, Outcome, TensorOutcome, run
from ..inputs.description import (
    COMPLEX,
    FLOATS,
    OPAQUE_LAYOUT,
    Sample,
    Stored,
    TensorDescription,
    complete,
    descriptions,
    stored,
)
from ..samples import TOLERANCES, all_samples
from . import error_measurement

# Significant bits, and the exponent of the smallest subnormal number.
PRECISION = {"float16": (11, -24), "bfloat16": (8, -133), "float32": (24, -149), "float64": (53, -1074)}
PARTS = {"complex64": "float32", "complex128": "float64"}
WIDER = dict.fromkeys(("float16", "bfloat16", "float32"), "float64") | {"complex64": "complex128"}
LARGEST = {"float16": 65504.0, "bfloat16": 3.39e38, "float32": 3.4028235e38, "float64": math.inf}

LEAST_NORMAL = {"float16": 2.0**-24, "bfloat16": 2.0**-126, "float32": 2.0**-126, "float64": 2.0**-1022}

ELEMENTARY_ULPS = 4
COMPOSED_STEPS = 16
GRADIENT_STEPS = 64

# Whether these give NaN or infinity depends on the order of the steps, which is up to the algorithm.
# A covariance whose number of observations equals the correction divides 0, or a rounding error, by 0.
MIXING = re.compile(r"_?fft_|(cov|corrcoef)$")

SUBTRACTION = re.compile(r"(r?sub|subtract)_?(\.|$)")

Bound = Any  # for one element: maps (expected number, position) to the largest absolute difference


def eps_of(dtype: str) -> float:
    """The distance from 1 to the next larger number."""
    return 2.0 ** (1 - PRECISION[PARTS.get(dtype, dtype)][0])


def ulp(number: float, dtype: str) -> float:
    """The unit in the last place of a number of this dtype."""
    bits, least = PRECISION[PARTS.get(dtype, dtype)]
    if number == 0 or not math.isfinite(number):
        return 2.0**least
    return 2.0 ** max(math.frexp(number)[1] - bits, least)


def accumulation_eps(dtype: str) -> float:
    """eps of the accumulation dtype of kernels."""
    eps = eps_of(dtype)
    return 2 * eps if dtype in COMPLEX else min(eps, eps_of("float32"))


class Tolerance:
    """The largest allowed difference between a result's numbers and the expected ones.

    ``rounded_steps``: how often an implementation may round partial sums to float16 or bfloat16.
    A backend may not; PyTorch's CPU kernels do, before they add a bias and between blocks of channels.
    """

    def __init__(self, operator: Any, sample: Sample, dtype: str, layout: str, rounded_steps: int = 0):
        self.operator = operator
        self.sample = sample
        self.dtype = dtype
        self.layout = layout
        self.rounded_steps = rounded_steps
        self._exact: Outcome | None = None
        self._magnitudes: Outcome | None = None
        self._counts: Outcome | None = None
        self._bounds: dict[int, tuple[TensorOutcome, Sequence[float] | None]] = {}  # by position

    def kind(self, result_dtype: str) -> str:
        """exact, choice, elementary, terms or composed: the operator's kind, adjusted to this call."""
        base = self.operator.record.base
        all_samples()  # loading the samples fills TOLERANCES
        said = TOLERANCES.get(base.name if base is not None else self.operator.name, "exact")
        if result_dtype not in FLOATS:
            return "exact"
        if said == "arithmetic" and self.sample.kwargs.get("alpha", 1) != 1:
            return "terms"
        if said in ("arithmetic", "elementary") and (result_dtype in COMPLEX or self.dtype in COMPLEX):
            return "composed"  # also the absolute value of a complex number, which is real
        return "exact" if said == "arithmetic" else said

    def exact(self, expected: TensorOutcome, position: int) -> Sequence[Any] | None:
        """The numbers of result ``position`` before rounding to its dtype.

        None for float64, for results that have to be equal, and if the dtype does not follow the inputs'.
        """
        wide = WIDER.get(expected.dtype)
        if wide is None or self.kind(expected.dtype) == "exact":
            return None
        if self._exact is None:
            self._exact = self._run(self.sample, _widened)
        if self._exact.failure is not None:
            return None
        found = self._exact.results[position]
        if not isinstance(found, TensorOutcome) or (found.dtype, found.sizes) != (wide, expected.sizes):
            return None
        # If the computation differs in float64 (random numbers do), or overflows in only one of the dtypes,
        # the reference's rounded result is used.
        bounds = self.bounds(expected, position) or ()
        return [
            exact if is_finite(exact) and is_finite(wanted) and abs(exact - wanted) <= bound else wanted
            for exact, wanted, bound in zip(found.numbers or (), expected.numbers or (), bounds)
        ]

    def bounds(self, expected: TensorOutcome, position: int) -> Sequence[float] | None:
        """One bound for each element of result ``position``; None if results have to be equal."""
        kept = self._bounds.get(position)
        if kept is None or kept[0] is not expected:  # both calls of a backend use one result
            kept = self._bounds[position] = expected, self._derived_bounds(expected, position)
        bounds = kept[1]
        base = self.operator.record.base
        names = [self.operator.name, *([base.name] if base is not None else [])]
        expectations = error_measurement.current().expectations
        loosened = [expectations.loosening(name, expected.dtype) for name in names]
        for each in loosened:
            if each is not None and expected.dtype in FLOATS:
                numbers = expected.numbers or ()
                allowed = [each.ulps * ulp(abs(number), expected.dtype) for number in numbers]
                bounds = allowed if bounds is None else list(map(max, bounds, allowed))
        return bounds

    def where(self, expected: TensorOutcome, element: int) -> str:
        """Describe an element: its index, and the inputs' numbers there if all of them broadcast to it."""
        index: list[int] = []
        for size in reversed(expected.sizes):
            element, place = divmod(element, max(size, 1))
            index.insert(0, place)
        values = complete(self.operator.schema, self.sample)
        given = [
            stored(description, self.dtype, self.layout, position)
            for position, description in enumerate(descriptions(values))
        ]
        sizes = ", ".join(str(tuple(contents.sizes)) for contents in given)
        text = f"element {tuple(index)} of {self.operator.name}, layout {self.layout}, sizes {sizes}"
        numbers = [_number_at(contents, index, expected.sizes) for contents in given]
        if not numbers or None in numbers:
            return text
        return f"{text}: {', '.join(map(_hexadecimal, numbers))}"

    def _derived_bounds(self, expected: TensorOutcome, position: int) -> Sequence[float] | None:
        kind = self.kind(expected.dtype)
        numbers = expected.numbers or ()
        if kind == "exact":
            return None
        if kind == "elementary":
            least = 2.0 * LEAST_NORMAL[expected.dtype]
            return [
                ELEMENTARY_ULPS * ulp(number, expected.dtype) if abs(number) > least else least
                for number in numbers
            ]
        if kind == "choice":
            return [0.0] * len(numbers)
        if kind == "terms":
            return self._term_bounds(expected, position)
        values = complete(self.operator.schema, self.sample)
        numel = max((math.prod(each.sizes) for each in descriptions(values)), default=1)
        scale = max([2.0, *(abs(number) for number in numbers if is_finite(number))])
        is_open = MIXING.match(self.operator.name) is not None
        steps = numel + COMPOSED_STEPS
        if self._rounds_once and expected.dtype in ("float16", "bfloat16"):
            bound = steps * eps_of("float32") * scale
            return [bound + ulp(abs(number), expected.dtype) for number in numbers]
        eps = max(map(eps_of, [expected.dtype, *self._given_dtypes()]))
        bound = steps * eps * scale
        return [math.inf if is_open and not is_finite(number) else bound for number in numbers]

    def _given_dtypes(self) -> list[str]:
        """The floating dtypes that tensors specify themselves: float32 weights are summed in float32."""
        each = descriptions(complete(self.operator.schema, self.sample))
        return [description.dtype for description in each if description.dtype in FLOATS]

    @property
    def _rounds_once(self) -> bool:
        """Whether it is one kernel, which rounds to 16 bits at its end; composites round between kernels."""
        base = self.operator.record.base or self.operator
        return base.record.kernel is not None and not self.rounded_steps

    def _run(self, sample: Sample, change: Callable[[Stored, TensorDescription], Stored]) -> Outcome:
        """The reference's outcome with changed contents.  Opaque tensors can not be float64: nothing is."""
        values = complete(self.operator.schema, sample)
        keeps_dtypes = any(each.layout == OPAQUE_LAYOUT for each in descriptions(values))

        def changed(contents: Stored, description: TensorDescription) -> Stored:
            made = change(contents, description)
            return made._replace(dtype=contents.dtype) if keeps_dtypes else made

        return run(Gnomon("reference"), self.operator, sample, self.dtype, self.layout, changed)

    def _term_bounds(self, expected: TensorOutcome, position: int) -> Sequence[float]:
        if self._magnitudes is None:
            magnitudes, ones = (_mapped(self.operator, self.sample, each) for each in (abs, _one))
            self._magnitudes = self._run(magnitudes, _absolute)
            self._counts = self._run(ones, _ones)
        sizes = [math.prod(each.sizes) for each in descriptions(complete(self.operator.schema, self.sample))]
        least_count = max(sizes, default=1) / max(len(expected.numbers or ()), 1)  # for a mean or a product
        bounds = []
        for index, number in enumerate(expected.numbers or ()):
            magnitude = _number(self._magnitudes, position, index, _size(number))
            count = max(_number(self._counts, position, index, 1.0), least_count)
            part = PARTS.get(expected.dtype, expected.dtype)
            least = ulp(0.0, "float32" if part in ("float16", "bfloat16") else part)  # of a product
            bound = (count + 2) * (accumulation_eps(expected.dtype) * magnitude + least)
            if part in ("float16", "bfloat16"):
                bound += ulp(abs(number), part) + self.rounded_steps * eps_of(part) * magnitude
            if not math.isfinite(bound) or magnitude * count > LARGEST[part]:
                bound = math.inf  # whether a partial sum overflows depends on the order of summation
            bounds.append(bound)
        return bounds


def _number_at(contents: Stored, index: Sequence[int], sizes: Sequence[int]) -> Any:
    """The number of a tensor that broadcasts to an element of ``sizes``; None if it does not broadcast."""
    if len(contents.sizes) > len(sizes):
        return None
    offset = contents.offset
    for place, wide, size, stride in zip(
        reversed(index), reversed(sizes), reversed(contents.sizes), reversed(contents.strides)
    ):
        if size not in (1, wide):
            return None
        offset += stride * place if size != 1 else 0
    return contents.numbers[offset]


def _hexadecimal(number: Any) -> str:
    if isinstance(number, complex):
        return f"{number.real.hex()}{'+' if number.imag >= 0 else ''}{number.imag.hex()}j"
    return number.hex() if isinstance(number, float) else repr(number)


def _number(outcome: Outcome | None, position: int, index: int, default: float) -> float:
    if outcome is None or outcome.failure is not None:
        return default
    return _size(outcome.results[position].numbers[index])


# Not abs: Python's, for a complex NaN, may report an overflow that another call left in errno.
def _size(number: Any) -> float:
    """The absolute value of a real number, or of a complex one."""
    return math.hypot(number.real, number.imag)


def is_finite(number: Any) -> bool:
    """Whether a real number, or each part of a complex one, is finite."""
    return math.isfinite(number.real) and math.isfinite(number.imag)


def _one(number: Any) -> Any:
    return number if isinstance(number, bool) else type(number)(1)


def _mapped(operator: Any, sample: Sample, function: Any) -> Sample:
    """The sample with ``function`` applied to its ``alpha``, ``beta`` and ``value``, which scale terms.

    If a term is subtracted, the number is negated, so that the result is the sum of all terms.
    """
    kwargs = {
        name: function(value) if name in ("alpha", "beta", "value") else value
        for name, value in sample.kwargs.items()
    }
    if "alpha" in kwargs and SUBTRACTION.match(operator.name):
        kwargs["alpha"] = -kwargs["alpha"]
    return sample._replace(kwargs=kwargs)


def _is_data(contents: Stored, description: TensorDescription) -> bool:
    return contents.dtype in FLOATS and not description.values.startswith("below ")


def _widened(contents: Stored, description: TensorDescription) -> Stored:
    return contents._replace(dtype=WIDER.get(contents.dtype, contents.dtype))


def _absolute(contents: Stored, description: TensorDescription) -> Stored:
    if not _is_data(contents, description):
        return contents
    dtype = contents.dtype if contents.dtype in COMPLEX else "float64"
    # where a number is not finite, so is the result; finite terms may still overflow in a partial sum
    numbers = tuple(abs(number) if is_finite(number) else 1.0 for number in contents.numbers)
    return contents._replace(numbers=numbers, dtype=dtype)


def _ones(contents: Stored, description: TensorDescription) -> Stored:
    if not _is_data(contents, description):
        return contents
    dtype = contents.dtype if contents.dtype in COMPLEX else "float64"
    return contents._replace(numbers=(1.0,) * len(contents.numbers), dtype=dtype)


def gradient_bounds(expected: TensorOutcome, dtypes: Sequence[str] = ()) -> Sequence[float] | None:
    """Bounds for a gradient: its formula consists of several operators, each of which rounds.

    ``dtypes``: those of the call's other gradients; the formula may be computed in the least precise.
    """
    if expected.dtype not in FLOATS:
        return None
    eps = max(map(eps_of, (expected.dtype, *dtypes)))
    scale = max([1.0, *(abs(number) for number in expected.numbers or () if is_finite(number))])
    return [GRADIENT_STEPS * eps * scale] * len(expected.numbers or ())
