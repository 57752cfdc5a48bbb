"""Stands in for six.moves."""

import urllib.request  # noqa: F401
