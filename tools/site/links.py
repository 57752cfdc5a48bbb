"""Finds links between the site's files that lead nowhere."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_TAGS = {"a": "href", "link": "href", "img": "src", "script": "src", "object": "data", "source": "src"}
_GIVEN_BY_SPHINX = {"genindex.html", "search.html", "py-modindex.html"}


class _Page(HTMLParser):
    """What a page refers to, and the anchors that it has."""

    def __init__(self) -> None:
        super().__init__()
        self.references: list[str] = []
        self.fetched: list[str] = []  # what it loads itself
        self.anchors: set[str] = {"", "top"}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.anchors.update(found[name] or "" for name in ("id", "name") if name in found)
        address = found.get(_TAGS.get(tag, ""))
        if address:
            self.references.append(address)
            if tag != "a":
                self.fetched.append(address)


def broken(folder: Path) -> list[str]:
    """A line for each reference in the site at ``folder`` to a file or an anchor that is not there, and for
    each file that a page would load from the network.

    Links to other sites are not followed.
    """
    pages: dict[Path, _Page] = {}
    for path in sorted(folder.rglob("*.html")):
        page = pages[path.resolve()] = _Page()
        page.feed(path.read_text("utf-8"))
    found = []
    for path, page in pages.items():
        for address in page.references:
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                if address in page.fetched and parts.scheme != "data":
                    found.append(f"{path.relative_to(folder.resolve())}: {address}: needs the network")
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target = target / "index.html"
            where = f"{path.relative_to(folder.resolve())}: {address}"
            if not target.exists():
                found.append(f"{where}: there is no such file")
            elif target in pages and unquote(parts.fragment) not in pages[target].anchors:
                found.append(f"{where}: there is no such anchor")
    return found
