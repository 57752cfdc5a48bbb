"""Loads the suite's plug-in where the command line did not (``-p gnomon_conformance.plugin``)."""

from gnomon_conformance import plugin


def pytest_addoption(parser, pluginmanager):
    plugin.load(pluginmanager)
