"""Tensors of more than 2**31 elements, only with --huge: the checks of inputs/huge.py."""

import pytest

from gnomon.calls import launch
from gnomon.values.errors import OutOfMemoryError

from ..collection import selection
from ..collection.selection import operators
from ..inputs import huge

pytestmark = [pytest.mark.huge, pytest.mark.traits("large")]


def pytest_generate_tests(metafunc):
    selection.parametrize_operators(metafunc, {name: operators()[name] for name in huge.CHECKS})


def test_huge(operator, backend):
    check, needed = huge.CHECKS[operator.name]
    if backend.host_memory and huge.available() < needed + 1.5:
        pytest.skip(f"{needed + 1.5} GiB of memory are needed, and {huge.available():.1f} are free")
    launch.set_fallback_policy("error")  # the reference would take hours
    try:
        check(backend.device_type)
    except NotImplementedError as error:
        pytest.skip(f"not claimed: {error}")
    except OutOfMemoryError as error:
        pytest.skip(f"{needed} GiB of memory are needed: {error}")
    finally:
        launch.set_fallback_policy("allow")
        backend.empty_cache()
