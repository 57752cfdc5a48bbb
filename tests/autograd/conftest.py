"""Behaviour that PyTorch documents: each test runs on gnomon and, with ``-m oracle``, on PyTorch itself.

A test takes ``lib`` for the library and writes nothing that only one of the two has; so PyTorch passing it
proves what the test expects, and gnomon passing it proves that gnomon behaves so.
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
    """gnomon, and PyTorch as the proof of what is expected of it."""
    return import_module(request.param)
