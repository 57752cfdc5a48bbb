"""Bools whose bytes are others than 0 and 1, which arrays of other libraries and reinterpreted tensors have.

Any byte but 0 is true.  A kernel that takes the byte for a number counts 255 where it should count 1, or
finds that true is not equal to true.
"""

import re

import pytest

import gnomon as gn

from ..collection import selection
from ..collection.selection import UNDETERMINED, operators
from ..execution.runner import Gnomon, run
from ..inputs.description import complete, descriptions
from ..reporting.reproduction import explain
from ..samples import good_samples

BYTES = (255, 2, 1, 128, 3, 77, 16)
DTYPES = ("bool", "float32")
# Results with the bytes themselves, or with memory that nothing was written to.
UNWRITTEN = re.compile(r"view(_copy)?\.dtype|resize_as_")


class OddBytes(Gnomon):
    """gnomon on one device, with BYTES in turn for what is true."""

    def build(self, contents):
        """As of Gnomon: the tensor over the whole storage, and the tensor in it."""
        if contents.dtype != "bool" or not contents.numbers:
            return super().build(contents)
        numbers = [BYTES[place % len(BYTES)] if each else 0 for place, each in enumerate(contents.numbers)]
        whole = gn.tensor(numbers, dtype=gn.uint8, device=self.device).view(gn.bool)
        return whole, whole.as_strided(contents.sizes, contents.strides, contents.offset)


def with_bools(name, operator, dtype):
    """The operator's samples for a dtype that have a tensor of bools."""
    return [
        sample
        for _, sample in good_samples(name, dtype)
        if any((each.dtype or dtype) == "bool" for each in descriptions(complete(operator.schema, sample)))
    ]


def pytest_generate_tests(metafunc):
    found = {
        name: each
        for name, each in operators().items()
        if not (UNDETERMINED.match(name) or UNWRITTEN.match(name))
        and any(with_bools(name, each, dtype) for dtype in DTYPES)
    }
    selection.parametrize_operators(metafunc, found)


def seen(outcome):
    """What can be compared: results, with a bool for each byte of bools."""
    results = [
        each._replace(numbers=tuple(map(bool, each.numbers)))
        if getattr(each, "dtype", None) == "bool" and each.numbers is not None
        else each
        for each in outcome.results
    ]
    return repr((results, outcome.failure))  # NaN is not equal to itself


def test_bytes(operator, backend):
    """The results are those for the bytes 0 and 1: of tensors of bools, and of masks beside other tensors."""
    device = backend.device_type
    for dtype in DTYPES:
        for sample in with_bools(operator.name, operator, dtype):
            expected, found = (
                seen(run(kind(device), operator, sample, dtype, "contiguous")) for kind in (Gnomon, OddBytes)
            )
            if found != expected:
                problem = f"with other bytes than 1 for true: {found}, expected, as with 1: {expected}"
                message = explain([problem], operator, sample, dtype, "contiguous", [device])
                pytest.fail(message, pytrace=False)
