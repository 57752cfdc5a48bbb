"""learn/report.py: each rendering shows the same content."""

from __future__ import annotations

import json
from io import StringIO

import pytest

from gnomon.learn.report import Facts, Lines, Report, Table, Tree, shown


@pytest.fixture
def report() -> Report:
    found = Report("A title")
    found.add("Facts", Facts([("sizes", (3, 4)), ("base", None), ("view", True), ("one", (5,))]))
    found.add("Rows", Table(("name", "a|b"), [("x", 1), ("y_z", (0, 8))]), Lines(["Below it."]))
    found.add("Inside", Tree("top", (Tree("left", (Tree("leaf"),)), Tree("right"))))
    found.add("Drawn", Lines(["0 1", " 2"], is_code=True))
    found.add("Left out", Facts([]), None)
    return found


TEXT = """\
A title
=======

Facts
-----
sizes  (3, 4)
base   -
view   yes
one    (5,)

Rows
----
name  a|b
----  ------
x     1
y_z   (0, 8)

Below it.

Inside
------
top
  left
    leaf
  right

Drawn
-----
  0 1
   2"""

MARKDOWN = """\
## A title

### Facts

- sizes: (3, 4)
- base: -
- view: yes
- one: (5,)

### Rows

| name | a\\|b |
| --- | --- |
| x | 1 |
| `y_z` | (0, 8) |

Below it.

### Inside

- top
  - left
    - leaf
  - right

### Drawn

```text
0 1
 2
```"""


def test_text(report: Report) -> None:
    assert report.text() == str(report) == TEXT


def test_markdown(report: Report) -> None:
    assert report.markdown() == report._repr_markdown_() == MARKDOWN


def test_json_keeps_numbers_and_nothing(report: Report) -> None:
    assert json.loads(report.json()) == {
        "title": "A title",
        "sections": [
            {
                "heading": "Facts",
                "blocks": [{"facts": [["sizes", [3, 4]], ["base", None], ["view", True], ["one", [5]]]}],
            },
            {
                "heading": "Rows",
                "blocks": [
                    {"headings": ["name", "a|b"], "rows": [["x", 1], ["y_z", [0, 8]]]},
                    {"lines": ["Below it."]},
                ],
            },
            {
                "heading": "Inside",
                "blocks": [
                    {
                        "tree": {
                            "label": "top",
                            "children": [
                                {"label": "left", "children": [{"label": "leaf", "children": []}]},
                                {"label": "right", "children": []},
                            ],
                        }
                    }
                ],
            },
            {"heading": "Drawn", "blocks": [{"code": ["0 1", " 2"]}]},
        ],
    }


def test_rich_shows_every_word_of_the_text(report: Report) -> None:
    console = pytest.importorskip("rich.console")
    file = StringIO()
    console.Console(file=file, width=200).print(report)
    words = {word for line in TEXT.splitlines() for word in line.split() if set(word) - set("-=")}
    assert [word for word in sorted(words) if word not in file.getvalue()] == []


def test_what_is_printed_is_plain_without_a_terminal(
    report: Report, capsys: pytest.CaptureFixture[str]
) -> None:
    report.show()
    assert capsys.readouterr().out == f"{TEXT}\n"


def test_sections_facts_and_tables_by_name(report: Report) -> None:
    assert report["Facts"].fact("sizes") == (3, 4)
    assert report["Rows"].table().rows == [("x", 1), ("y_z", (0, 8))]
    with pytest.raises(KeyError, match=r"no section 'Left out'; there are .*'Drawn'"):
        report["Left out"]
    with pytest.raises(KeyError, match="section 'Facts' has no fact 'size'"):
        report["Facts"].fact("size")
    assert str(report["Drawn"]) == "Drawn\n-----\n  0 1\n   2"


def test_values_as_text() -> None:
    assert shown(()) == "()" and shown(("a", "b")) == "a, b" and shown((1, None)) == "(1, -)"
    assert shown(False) == "no" and shown(2.5) == "2.5"


def test_long_values_are_broken_below_their_own_column() -> None:
    (first, second) = Facts([("name", "word " * 24)]).lines()
    assert first == f"name  {'word ' * 18}word" and second == f"      {'word ' * 4}word"
    assert list(Facts([("name", "")]).lines()) == ["name"]


def test_signs_of_markdown_in_values_are_code() -> None:
    assert list(Facts([("a", "x*y"), ("b", "a`b")]).markdown()) == ["- a: `x*y`", "- b: ``a`b``"]
