"""Makes the suite's options known to ``pytest conformance``, which reads this file first."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from gnomon_conformance import plugin
from gnomon_conformance.conftest import pytest_collection  # noqa: F401


def pytest_addoption(parser, pluginmanager):
    plugin.load(pluginmanager)
