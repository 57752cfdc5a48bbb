"""Sphinx's settings for the site; ``python tools/site`` runs it."""

from __future__ import annotations

import os
import re
from importlib import metadata
from typing import Any

os.environ.setdefault("GNOMON_SPEEDUPS", "none")  # the classes in Python, which have docstrings

project = "gnomon"
author = copyright = "the authors of gnomon"
version = release = metadata.version("gnomon")
extensions = ["myst_parser", "sphinx.ext.autodoc"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["readme_body.md"]
root_doc = "index"

myst_heading_anchors = 5
myst_enable_extensions = ["colon_fence"]
suppress_warnings = ["myst.header", "misc.highlighting_failure", "docutils", "autodoc", "ref.python"]

html_theme = "furo"
html_title = "gnomon"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_show_search_summary = False  # it is fetched, which a browser refuses for files on the disk
html_baseurl = ""
html_theme_options = {"navigation_with_keys": True}

autodoc_typehints = "description"
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "show-inheritance": True}
autodoc_inherit_docstrings = False

_CODE = re.compile(r"(``.*?``)", re.DOTALL)
_MARKUP = re.compile(r"[*|`\\]|(?<=\w)_(?!\w)")


def _as_text(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Escape what would be markup: docstrings are text, in which only code between double backticks is."""
    parts = _CODE.split("\n".join(lines))
    parts[::2] = [_MARKUP.sub(lambda sign: "\\" + sign[0], part) for part in parts[::2]]
    lines[:] = "".join(parts).splitlines()


def setup(app: Any) -> None:
    """What Sphinx calls."""
    app.connect("autodoc-process-docstring", _as_text)
