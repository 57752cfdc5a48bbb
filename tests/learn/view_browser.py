"""A headless browser with the page of ``gnomon view``, for the tests of it."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome")


@contextlib.contextmanager
def browser() -> Iterator[Any]:
    """A browser; the test is skipped where Playwright or a browser is missing."""
    api = pytest.importorskip("playwright.sync_api", reason="needs the package playwright")
    path = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if path is None:
        pytest.skip(f"needs a browser: {', '.join(BROWSERS)}")
    with api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        try:
            yield opened
        finally:
            opened.close()


@contextlib.contextmanager
def opened_page(opened: Any, file: Path, **options: Any) -> Iterator[Any]:
    """The page of a file in a new window; errors in its console, and requests, fail the test."""
    context = opened.new_context(**options)
    context.set_default_timeout(5_000)
    page = context.new_page()
    errors: list[str] = []
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on(
        "request", lambda request: errors.append(request.url) if "http" in request.url.split(":")[0] else None
    )
    try:
        page.goto(file.as_uri())
        yield page
        assert errors == []
    finally:
        context.close()
