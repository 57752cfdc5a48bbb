"""Values that hurt: NaN, infinities, signed zeros, subnormal, extreme, tied and sorted numbers."""

import re

import pytest

from . import selection
from .checking import check_forward
from .description import DTYPES, INTEGERS, complete, descriptions
from .refilling import holds_data, refilled, spread
from .samples import TOLERANCES, good_samples
from .selection import operators
from .tiers import tier_of

REAL = tuple(dtype for dtype in DTYPES if "complex" not in dtype)
# Where NaN and infinities lead is left open: whether a weight meets the zeros of the padding, and makes NaN
# of them; what an infinite logarithm of a probability means; in which order a fused gradient is computed, or
# a running mean.
OPEN = re.compile(
    r"conv|_?ctc_loss|_scaled_dot_product_flash_attention_for_cpu_backward|_?native_batch_norm(_legit)?(\.|$)"
)
CHAINED = re.compile(r"addcdiv|addcmul")  # what the first of two products overflows to, the second may undo
SAMPLES = 3  # of an operator, from all over its list


def pytest_generate_tests(metafunc):
    found = {
        name: operator
        for name, operator in operators().items()
        if selection.has_dtype_axis(operator) and not selection.UNDETERMINED.match(name)
    }
    selection.parametrize_operators(metafunc, found, REAL)


def fills_of(operator, dtype):
    """The kinds of numbers to try; where several roundings overflow at will, none so large."""
    kinds = ["ties", "equal", "nothing"]
    if dtype in INTEGERS:
        kinds.append("extreme")
    elif dtype != "bool":
        kinds += [] if OPEN.match(operator.name) else ["nonfinite"]
        is_chained = TOLERANCES.get(operator.name) == "composed" or CHAINED.match(operator.name)
        kinds += ["tiny" if is_chained else "extreme"]
    if tier_of(operator.name) not in ("pointwise", "memory"):
        kinds += ["ascending", "descending"]
    return kinds


@pytest.mark.short("float32", "one more")
def test_values(operator, dtype, backend):
    usable = [
        sample
        for _, sample in good_samples(operator.name, dtype)
        if any(holds_data(each) for each in descriptions(complete(operator.schema, sample)))
    ]
    for sample in spread(usable, SAMPLES):
        for values in fills_of(operator, dtype):
            # the vector loops of a kernel are others than its strided ones
            for layout in ("contiguous", "gapped") if values == "nonfinite" else ("contiguous",):
                problem = check_forward(
                    operator, refilled(sample, values), dtype, layout, backend.device_type
                )
                if problem:
                    pytest.fail(problem, pytrace=False)
