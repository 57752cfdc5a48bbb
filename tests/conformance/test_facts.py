"""pytorch/facts.py: the recorded facts of an operator agree with what a call of it does."""

from __future__ import annotations

import pytest

import gnomon as gn
from gnomon_conformance.goldens import recorded_facts

# Operators called only to build the arguments are not among the parts.
PARTS = {
    "zero_": ["fill_"],
    "_pad_circular": ["cat", "clone", "contiguous", "empty_like", "narrow", "slice"],
}


@pytest.mark.parametrize("name", PARTS)
def test_the_parts_of_a_composite_are_what_it_calls_itself(name: str) -> None:
    assert recorded_facts()[name]["parts"] == PARTS[name]


@pytest.mark.oracle
@pytest.mark.parametrize("name", PARTS)
def test_they_are_found_by_calling_it(name: str) -> None:
    pytest.importorskip("torch")
    from gnomon_conformance.pytorch import facts

    assert facts.parts(gn.ops.aten._find(name)) == PARTS[name]
