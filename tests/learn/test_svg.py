"""Drawings are SVG documents of their shapes' size, which notebooks show and files hold whole."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from gnomon.learn.svg import Drawing

SVG = "{http://www.w3.org/2000/svg}"


def test_a_drawing_grows_with_its_shapes():
    drawing = Drawing("a < b", "of & with")
    drawing.box(10, 20, 30, 40, tip='says "x"')
    drawing.text(100, 10, "<b>")
    root = ElementTree.fromstring(drawing.svg)
    assert root.get("role") == "img"
    assert (root.find(f"{SVG}title").text, root.find(f"{SVG}desc").text) == ("a < b", "of & with")
    assert float(root.get("height")) == 72 and float(root.get("width")) > 112
    (box,) = [each for each in root.iter(f"{SVG}rect") if each.get("x") == "10"]
    assert box.find(f"{SVG}title").text == 'says "x"'
    assert [each.text for each in root.iter(f"{SVG}text")] == ["<b>"]
    assert drawing._repr_svg_() == drawing.svg


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path):
    drawing = Drawing("x")
    drawing.save(tmp_path / "x.svg")
    assert (tmp_path / "x.svg").read_text() == drawing.svg
    (tmp_path / "folder.svg").mkdir()
    with pytest.raises(OSError):
        drawing.save(tmp_path / "folder.svg")
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        drawing.save(tmp_path / "none" / "x.svg")
    with pytest.raises(ValueError, match=r"expected a file named \.svg, got '.*x\.png'"):
        drawing.save(tmp_path / "x.png")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["folder.svg", "x.svg"]
