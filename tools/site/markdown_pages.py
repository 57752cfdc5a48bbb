"""The repository's Markdown files as pages of the site, with links that lead to the site's files."""

from __future__ import annotations

import html
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

TOP = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")
_FENCE = re.compile(r"^(```.*?^```$)", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]+)\)")
_IMAGE = re.compile(r"!\[[^\[\]]*\]\(([^()\s]+)\)")
_HTML_IMAGE = re.compile(r'<img [^<>]*?src="([^"<>:]+)"')
_CODE = re.compile(r"`([^`]*)`")


class Pages:
    """The pages of a repository at ``root``, written to ``target``."""

    def __init__(self, root: Path, target: Path):
        self.root, self.target = root, target
        self.files = [root / name for name in TOP] + sorted((root / "docs").rglob("*.md"))
        self.raw: set[Path] = set()  # files that pages link to, and that are no pages

    def place(self, file: Path) -> Path:
        """Where a page is written; the README is the site's first page, and that of docs/ its table."""
        name = file.relative_to(self.root)
        return self.target / ("index.md" if name == Path("README.md") else name)

    def copy(self) -> None:
        """Write all pages, and the images that they show."""
        for file in self.files:
            target = self.place(file)
            target.parent.mkdir(parents=True, exist_ok=True)
            parts = _FENCE.split(file.read_text("utf-8"))
            parts[::2] = [self._with_links(part, file, target) for part in parts[::2]]
            target.write_text("".join(parts), "utf-8")

    def _with_links(self, text: str, file: Path, target: Path) -> str:
        for image in _IMAGE.findall(text):
            self._copy_image(file, image)
        self.raw.update((file.parent / image).resolve() for image in _HTML_IMAGE.findall(text))
        return _LINK.sub(lambda found: self._link(found[0], found[1], found[2], file, target), text)

    def _copy_image(self, file: Path, image: str) -> None:
        source = (file.parent / image).resolve()
        if source.is_file():
            copy = self.target / source.relative_to(self.root)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, copy)

    def _link(self, whole: str, text: str, address: str, file: Path, target: Path) -> str:
        if ":" in address.partition("#")[0] or address.startswith("#"):
            return whole
        path, _, anchor = address.partition("#")
        linked = Path(os.path.normpath(file.parent / path))
        if not linked.exists():
            raise FileNotFoundError(f"{file.relative_to(self.root)} links to {address}, which does not exist")
        if linked in self.files:
            return f"[{text}]({_relative(self.place(linked), target)}{'#' if anchor else ''}{anchor})"
        if linked.suffix in (".html", ".json", ".svg", ".png"):
            self.raw.add(linked)
            place = self.target / linked.relative_to(self.root)
        else:
            name = str(linked.relative_to(self.root))
            place = self.target / "source" / f"{'index' if name == '.' else name}.html"
        shown = _CODE.sub(lambda code: f"<code>{html.escape(code[1])}</code>", text)
        return f'<a href="{_relative(place, target)}">{shown}</a>'

    def copy_raw_files(self, folder: Path) -> None:
        """Copy the files that pages link to as they are."""
        for file in sorted(self.raw):
            copy = folder / file.relative_to(self.root)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copy)

    def write_index(self) -> None:
        """Add the table of contents of docs/README.md to the first page, which is the README."""
        lines = [""]
        for caption, names in self._contents():
            lines += ["```{toctree}", ":hidden:", f":caption: {caption}", "", *names, "```", ""]
        with (self.target / "index.md").open("a", encoding="utf-8") as file:
            file.write("\n".join(lines))

    def _contents(self) -> Iterator[tuple[str, list[str]]]:
        """Captions, and the pages below each: the sections of docs/README.md, then all other pages."""
        table = (self.root / "docs" / "README.md").read_text("utf-8")
        listed = set()
        for section in re.split(r"^## ", table, flags=re.MULTILINE)[1:]:
            rows = re.findall(r"^\| \[[^\]]*\]\((.*?)\.md\)", section, re.MULTILINE)
            names = [each for row in rows for each in self._with_chapters(f"docs/{row}")]
            listed.update(names)
            if names:
                yield section.splitlines()[0], names
        yield "Reference", ["operators/index", "interface/index"]
        every = [str(self.place(file).relative_to(self.target).with_suffix("")) for file in self.files]
        yield "The project", [name for name in every if name not in listed and name != "index"]

    def _with_chapters(self, name: str) -> list[str]:
        """A page, and the other pages of its folder if it is the first page of a folder in docs/."""
        if not name.endswith("/README"):
            return [name]
        folder = (self.root / name).parent
        others = sorted(str(each.relative_to(self.root).with_suffix("")) for each in folder.glob("*.md"))
        return [name, *(each for each in others if each != name)]


def _relative(place: Path, page: Path) -> str:
    return Path(os.path.relpath(place, page.parent)).as_posix()
