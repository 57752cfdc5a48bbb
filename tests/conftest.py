"""Fixtures shared by the tests: the devices that are there."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import gnomon as gn


def host_devices() -> list[str]:
    """The backends that compute here, by name."""
    return [name for name in ("reference", "c") if gn.backends().get(name) and gn.backends()[name].available]


@pytest.fixture(params=["reference", "c"])
def device(request: pytest.FixtureRequest) -> Iterator[str]:
    """Each host backend in turn, as the default device."""
    if request.param not in host_devices():
        pytest.skip(f"backend {request.param} is not available here")
    with gn.device(request.param):
        yield request.param


@pytest.fixture(autouse=True)
def _silent_fallback() -> Iterator[None]:
    """Tests say themselves when a fallback matters."""
    gn.set_fallback_policy("allow")
    yield
    gn.set_fallback_policy(None)
