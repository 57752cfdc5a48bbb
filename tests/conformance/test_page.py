"""The report's page in a headless browser: on a phone, in print, without network, with its filter.

Needs the package playwright and a Chromium, whose command ``GNOMON_BROWSER`` can give; skipped without them.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gnomon_conformance.reporting import page, report
from gnomon_conformance.reporting.outcomes import FAIL, OUTCOMES, PASS, Result

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
PHONE, DESK = 360, 1280
LONG = "a_name_without_a_single_place_to_break_it_" * 8
STRANGE = "<script>document.title = 'broken'</script>&<b>"


def results() -> list[Result]:
    """Tests with all outcomes, and difficult names and messages."""
    found = []
    for number, operator in enumerate(["add.Tensor", "exp", "_softmax", "gather", LONG, STRANGE]):
        for place, outcome in enumerate(OUTCOMES):
            dtype = ("float32", "int64", "bfloat16")[place % 3]
            found.append(
                Result(
                    backend="sketch",
                    test=f"forward[{operator}-{dtype}-{number}-{place}]",
                    check="forward",
                    operator=operator,
                    dtype=dtype,
                    tier=("pointwise", "reductions", "indexing")[number % 3],
                    outcome=outcome,
                    message=f"{STRANGE}\n{LONG}" if outcome == FAIL else outcome,
                    kernels={operator: f"kernels.py:{place}"} if outcome == PASS else {},
                    seconds=place / 7,
                    worst={"ulps": 1.25, "allowed": 4.0, "where": LONG} if outcome == PASS else None,
                    program=f"import gnomon as gn\nprint({LONG!r})" if outcome == FAIL else "",
                )
            )
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that contains a report."""
    folder = tmp_path_factory.mktemp("report")
    run = report.Run(
        backend="sketch",
        results=results(),
        foundations={"indexing": STRANGE},
        loosened=(),
        environment={"processor": LONG},
        coverage={
            STRANGE: {
                "calls": 3,
                "dims": 2,
                "elements": 10**6,
                "row": 5,
                "dtypes": [LONG, STRANGE],
                "layouts": ["contiguous"],
                "values": [],
            }
        },
        selection="--full",
        began=0.0,
        seconds=1.0,
    )
    report.write(run, folder)
    return folder


@pytest.fixture
def browser() -> Iterator[Any]:
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    given = os.environ.get("GNOMON_BROWSER") or next(filter(None, map(shutil.which, NAMES)), None)
    if given is None:
        pytest.skip("no Chromium is installed; GNOMON_BROWSER may say where one is")
    with api.sync_playwright() as playwright:
        path, *options = shlex.split(given)
        launched = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", *options])
        yield launched
        launched.close()


@pytest.fixture
def opened(browser: Any, folder: Path) -> Iterator[Any]:
    """The opened page; a network request or an error on it fails the test."""
    view = browser.new_page(viewport={"width": PHONE, "height": 800})
    problems: list[str] = []
    view.on("pageerror", lambda error: problems.append(str(error)))
    view.on("console", lambda message: problems.append(message.text))
    view.on("request", lambda request: problems.append(request.url))
    view.goto((folder / "report.html").as_uri())
    yield view
    view.close()
    assert problems == [(folder / "report.html").as_uri()]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [PHONE, DESK])
def test_nothing_is_wider_than_the_window(opened: Any, width: int, scheme: str) -> None:
    opened.set_viewport_size({"width": width, "height": 800})
    opened.emulate_media(color_scheme=scheme)
    opened.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
    assert opened.evaluate("document.documentElement.scrollWidth") == width
    assert opened.title() == "gnomon conformance: sketch"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read(opened: Any, scheme: str) -> None:
    """Contrast of marks and text of at least 4.5 to 1, as in WCAG 2.2 (1.4.3); letters of at least 11 px."""
    opened.emulate_media(color_scheme=scheme)
    opened.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
    seen = opened.evaluate(
        """() => [...document.querySelectorAll("td, th, h1, h2, h3, p, li, summary, pre")].map((each) => {
          let ground = each, colour = "rgba(0, 0, 0, 0)";
          while (ground && colour === "rgba(0, 0, 0, 0)") {
            colour = getComputedStyle(ground).backgroundColor; ground = ground.parentElement;
          }
          const style = getComputedStyle(each);
          return [each.textContent.trim().slice(0, 30), style.color, colour, parseFloat(style.fontSize)];
        })"""
    )
    assert len(seen) > 100
    for text, colour, ground, size in seen:
        if text:
            assert contrast(colour, ground) >= 4.5, (text, colour, ground)
            assert size >= 11, text


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colors, as WCAG defines it."""

    def luminance(colour: str) -> float:
        parts = [int(each) / 255 for each in re.findall(r"\d+", colour)[:3]]
        linear = [each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_the_filter_shows_operators_by_name(opened: Any) -> None:
    shown = "[...document.querySelectorAll('.matrix tbody tr')].filter((each) => each.offsetParent).length"
    opened.fill("input[type=search]", "SOFTmax")
    assert opened.evaluate(shown) == 1
    assert opened.inner_text(".matrix tbody tr:visible code") == "_softmax"
    opened.fill("input[type=search]", "nothing has this name")
    assert opened.evaluate(shown) == 0
    opened.fill("input[type=search]", "")
    opened.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
    assert opened.evaluate(shown) == 6


def test_on_paper_all_of_it_is_open(opened: Any) -> None:
    """In print, folded parts are open, and it is black on white whatever the screen's colors are."""
    opened.emulate_media(media="print", color_scheme="dark")
    opened.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert opened.evaluate("[...document.querySelectorAll('details')].every((each) => each.open)")
    colours = opened.evaluate(
        "['color', 'backgroundColor'].map((each) => getComputedStyle(document.body)[each])"
    )
    assert contrast(colours[0], "rgb(255, 255, 255)") >= 7
    assert not opened.is_visible("input[type=search]")
    assert opened.pdf(format="A4").startswith(b"%PDF")


def test_links_lead_somewhere(opened: Any) -> None:
    links = opened.evaluate("[...document.querySelectorAll('a')].map((each) => each.getAttribute('href'))")
    assert links and all(opened.query_selector(f"[id='{each[1:]}']") for each in links)


def test_without_scripts_all_of_it_is_there(browser: Any, folder: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    view = context.new_page()
    view.goto((folder / "report.html").as_uri())
    text = view.content()
    assert "kernels.py:0" in text and "What fails" in text
    assert not view.is_visible("input[type=search]")
    context.close()


def test_marks_are_told_apart_without_colour() -> None:
    assert len({page._MARKS[outcome] for outcome in OUTCOMES}) == len(OUTCOMES)
