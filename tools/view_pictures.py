"""Makes the pictures of docs/view.md: the page of ``gnomon view`` on a desk and on a phone.

    python tools/view_pictures.py [FOLDER]

It needs the package playwright and a Chromium.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from gnomon.learn.view import page

DOCS = Path(__file__).resolve().parents[1] / "docs"
DESK = "#mode=views&e=arange(24).view(2,+3,+4).transpose(0,+2)[1:,+::2]&wish=3,+4"
PHONE = "#mode=autograd&gstep=13&grad=(x*y+%2B+x.sin()).sum()&with="
VARIABLES = "x = tensor([1.0, 2.0], requires_grad=True)\ny = tensor([3.0, 4.0], requires_grad=True)"


def pictures(folder: Path) -> list[Path]:
    """Write both pictures into ``folder``; returns their files.  Raises RuntimeError without a browser."""
    from playwright.sync_api import sync_playwright

    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        raise RuntimeError("needs a browser: chromium, chromium-browser or google-chrome")
    with tempfile.TemporaryDirectory() as temporary, sync_playwright() as playwright:
        file = Path(temporary) / "page.html"
        file.write_text(page(), "utf-8")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        desk = _picture(browser, file, DESK, {"width": 1180, "height": 900}, folder / "view_desk.png")
        variables = VARIABLES.replace("\n", "%0A")
        phone = {"width": 360, "height": 1060}
        return [desk, _picture(browser, file, PHONE + variables, phone, folder / "view_phone.png")]


def _picture(browser: Any, file: Path, state: str, size: dict[str, int], target: Path) -> Path:
    view = browser.new_page(viewport=size, color_scheme="light")
    view.goto(file.as_uri() + state)
    if "mode=views" in state:
        view.hover("#elements td >> nth=5")
    view.screenshot(path=str(target))
    return target


def main() -> int:
    """Run the command; returns the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, nargs="?", default=DOCS, help="default: docs")
    try:
        print(*pictures(parser.parse_args().folder), sep="\n")
    except (ImportError, RuntimeError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
