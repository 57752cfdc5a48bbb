"""Loads the suite's plug-in where the command line did not (``-p gnomon_conformance.plugin``).

An ``--ops`` that selects nothing is an error: a run of no tests would be a green one.
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
    selection.check_pattern(config)  # with ``--pyargs`` this file is read too late for the hook above
