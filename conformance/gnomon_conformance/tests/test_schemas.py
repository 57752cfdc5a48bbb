"""Every schema is identical to PyTorch's: functional operators, in-place variants, ``out=`` variants."""

import pytest

from .. import goldens
from ..collection import selection
from ..collection.selection import operators
from ..pytorch.departures import OWN_OPERATORS, SCHEMA_DEPARTURES


def pytest_generate_tests(metafunc):
    every = {each.name: each for operator in operators().values() for each in (operator, *operator.variants)}
    selection.parametrize_operators(metafunc, every)


def check(operator, known):
    """Compare one schema with PyTorch's, or with the list of those that PyTorch does not have."""
    if operator.name in OWN_OPERATORS:
        assert known is None, f"{operator.name} is PyTorch's after all ({known}): take it off OWN_OPERATORS"
        return
    assert known is not None, f"PyTorch has no operator {operator.name}: {operator.schema.text}"
    if operator.name in SCHEMA_DEPARTURES:
        assert operator.schema.text != known, (
            f"{operator.name} agrees with PyTorch: take it off SCHEMA_DEPARTURES"
        )
        return
    assert operator.schema.text == known


def test_schema(operator):
    """Compared with the schemas recorded from PyTorch."""
    schemas = goldens.load()["schemas"]
    assert operator.name in schemas, (
        f"{operator.name} is not in the goldens: python -m gnomon_conformance.goldens"
    )
    check(operator, schemas[operator.name])


@pytest.mark.oracle
def test_schema_live(operator):
    """Compared with PyTorch's own native_functions.yaml."""
    pytest.importorskip("torchgen", reason="PyTorch is not installed")
    from ..pytorch.schemas import pytorch_schemas

    check(operator, pytorch_schemas().get(operator.name))
