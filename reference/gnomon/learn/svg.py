"""SVG: the shapes that drawings consist of.

A ``Drawing`` is shown by notebooks, and ``save`` writes it to a file.  Its colours follow the reader's light
or dark mode, and its title and description are read aloud by screen readers.
"""

from __future__ import annotations

import os
from html import escape
from pathlib import Path

_STYLE = """
.ink { fill: #1b1f24; } .quiet { fill: #656d76; } .line { stroke: #57606a; fill: none; }
.box { fill: #f6f8fa; stroke: #8c959f; } .unused { fill: #eaeef2; stroke: #d0d7de; } .page { fill: #ffffff; }
.on { fill: #ddf4ff; stroke: #0969da; } .off { fill: #f6f8fa; stroke: #d0d7de; } .cell { stroke: #57606a; }
text { font: 12px ui-sans-serif, system-ui, sans-serif; } .small { font-size: 10px; }
.strong { font-weight: 600; }
@media (prefers-color-scheme: dark) {
.ink { fill: #e6edf3; } .quiet { fill: #9198a1; } .line { stroke: #9198a1; }
.box { fill: #161b22; stroke: #6e7681; } .unused { fill: #21262d; stroke: #30363d; } .page { fill: #0d1117; }
.on { fill: #10273f; stroke: #4493f8; } .off { fill: #161b22; stroke: #30363d; }
.colored { filter: brightness(0.55); }
}
""".strip().replace("\n", " ")

CHARACTER = 6.6  # the mean width of a character of 12 px
STRONG = 7.6  # of one in bold

# Colours that differ, for lines that cross, and are clear on a light and on a dark page.
COLORS = ("#0969da", "#bc4c00", "#1a7f37", "#8250df", "#bf3989", "#9a6700")


class Drawing:
    """Shapes within a rectangle that grows with them; units are pixels."""

    def __init__(self, title: str, description: str = ""):
        self.title = title
        self.description = description
        self.width = self.height = 0.0
        self._shapes: list[str] = []

    def _reach(self, x: float, y: float) -> None:
        self.width = max(self.width, x)
        self.height = max(self.height, y)

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        kind: str = "box",
        *,
        color: str = "",
        tip: str = "",
        corner: float = 3,
    ) -> None:
        """A rectangle.  ``kind``: a class of the style; ``color``: in place of its fill.

        ``tip``: a text that the pointer shows.
        """
        look = f'class="{kind}{" colored" if color else ""}"{f" fill={color!r}" if color else ""}'
        told = f"<title>{escape(tip)}</title>" if tip else ""
        self._shapes.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{corner:g}" {look}>'
            f"{told}</rect>"
        )
        self._reach(x + width, y + height)

    def text(
        self, x: float, y: float, text: str, kind: str = "ink", *, anchor: str = "start", color: str = ""
    ) -> None:
        """A line of text whose base line is at ``y``; ``anchor``: what of it is at ``x``."""
        look = f' style="fill: {color}"' if color else ""
        self._shapes.append(
            f'<text x="{x:g}" y="{y:g}" class="{kind}" text-anchor="{anchor}"{look}>{escape(text)}</text>'
        )
        share = {"start": 1.0, "middle": 0.5, "end": 0.0}[anchor]
        self._reach(x + share * len(text) * CHARACTER, y + 4)

    def arrow(self, points: str, *, color: str = "") -> None:
        """A path with a head at its end.  ``points``: the ``d`` of an SVG path."""
        look = f' style="stroke: {color}"' if color else ""
        self._shapes.append(f'<path d="{points}" class="line" marker-end="url(#head)"{look}/>')

    @property
    def svg(self) -> str:
        """The drawing as an SVG document."""
        width, height = self.width + 12, self.height + 12
        head = (
            '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
            'orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="context-stroke"/></marker></defs>'
        )
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
            f'viewBox="0 0 {width:g} {height:g}" role="img">'
            f"<title>{escape(self.title)}</title><desc>{escape(self.description)}</desc>"
            f"<style>{_STYLE}</style>{head}"
            f'<rect width="100%" height="100%" class="page"/>{"".join(self._shapes)}</svg>\n'
        )

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, file: str | os.PathLike[str]) -> None:
        """Write the drawing to ``file``, whole or not at all.

        Raises ValueError unless its name ends with .svg, FileNotFoundError if there is no such folder.
        """
        path = Path(file)
        if path.suffix.lower() != ".svg":
            raise ValueError(f"a drawing is SVG: expected a file named .svg, got {os.fspath(file)!r}")
        if not path.absolute().parent.is_dir():
            raise FileNotFoundError(f"there is no folder {path.parent}")
        temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
        try:
            temporary.write_text(self.svg, "utf-8")
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
