"""Makes the suite's options known to ``pytest conformance``, which reads this file first."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from gnomon_conformance import plugin


def pytest_addoption(parser, pluginmanager):
    plugin.load(pluginmanager)
