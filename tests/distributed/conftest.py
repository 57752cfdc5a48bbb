"""The processes of tests on several ranks end with the session."""

from __future__ import annotations

import pytest

from ranks import end_worlds


def pytest_sessionfinish(session: pytest.Session) -> None:
    end_worlds()
