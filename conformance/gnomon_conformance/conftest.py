"""Loads the suite's plug-in if the command line did not (``-p gnomon_conformance.plugin``).

An ``--ops`` that selects nothing is an error, because a run without tests would pass.
"""

import pytest

from gnomon_conformance import plugin
from gnomon_conformance.collection import selection


def pytest_addoption(parser, pluginmanager):
    plugin.load(pluginmanager)


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session):
    selection.check_pattern(session.config)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config):
    selection.check_pattern(config)  # with ``--pyargs`` this file is loaded too late for the hook above
