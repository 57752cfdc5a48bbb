"""Behavior that PyTorch documents: each test runs on gnomon and, with ``-m oracle``, on PyTorch itself.

A test uses ``lib`` for the library, and only what both libraries have. If PyTorch passes, the expectation is
right; if gnomon passes, gnomon meets it.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

import pytest

_TORCH = pytest.param(
    "torch",
    marks=[
        pytest.mark.oracle,
        pytest.mark.skipif(
            find_spec("torch") is None, reason="the oracle is PyTorch, which is not installed"
        ),
    ],
)


@pytest.fixture(params=["gnomon", _TORCH])
def lib(request: pytest.FixtureRequest) -> ModuleType:
    """gnomon, and PyTorch to check the expectations of the test."""
    return import_module(request.param)
