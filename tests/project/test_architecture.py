"""docs/architecture.md is true: the core has what it lists and stays small, and things are where it says."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from gnomon.memory.contract import _ADDED
from gnomon.memory.prepared import PreparedCall
from gnomon.values.late_bound import LATE_BOUND, LateBound
from test_floors import FLOORS, REGISTRATIONS

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "reference" / "gnomon"
PAGE = ROOT / "docs" / "architecture.md"

MOST_LINES = 5000  # of the core, all lines of its files
CONCEPTS = (
    *(
        "values",
        "tensor",
        "dispatch",
        "path of a call",
        "iterator",
        "Node",
        "saved variables",
        "views",
        "engine",
    ),
)


def section(page: str, title: str) -> str:
    """The text below a heading."""
    return page.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def rows(text: str, *head: str) -> list[list[str]]:
    """The rows of the table with these columns."""
    lines = text.partition("| " + " | ".join(head) + " |\n")[2].partition("\n\n")[0].splitlines()[1:]
    return [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines]


def quoted(cell: str) -> list[str]:
    """The texts between backquotes."""
    return re.findall(r"`([^`]+)`", cell)


def wrong_core(page: str) -> list[str]:
    """The errors in a page's list of the core."""
    listed = rows(section(page, "The core"), "concept", "file", "what it explains")
    wrong = [f"nothing explains {each!r}" for each in CONCEPTS if each not in {row[0] for row in listed}]
    files = [file for row in listed for file in quoted(row[1])]
    wrong += [f"{file} is listed twice" for file in sorted({each for each in files if files.count(each) > 1})]
    wrong += [f"there is no {file}" for file in files if not (REFERENCE / file).is_file()]
    wrong += [f"{row[1]} says nothing" for row in listed if not row[2]]
    wrong += [f"{row[0]!r} is no concept" for row in listed if row[0] not in CONCEPTS]
    if not wrong:
        count = sum(len((REFERENCE / file).read_text("utf-8").splitlines()) for file in files)
        if count > MOST_LINES:
            wrong.append(f"the core has {count} lines")
    return wrong


def test_the_core_is_whole_and_small() -> None:
    assert wrong_core(PAGE.read_text("utf-8")) == []


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("| views | `autograd/views.py` |", "| Node | `autograd/views.py` |", "nothing explains 'views'"),
        ("`memory/storage.py` | one", "`memory/store.py` | one", "there is no memory/store.py"),
        ("`memory/storage.py` | one", "`memory/tensor.py` | one", "memory/tensor.py is listed twice"),
        ("| views | `autograd", "| sights | `autograd", "'sights' is no concept"),
        ("`memory/storage.py` | one", "`memory/storage.py`, `memory/backend.py` | one", "the core has "),
    ],
)
def test_a_wrong_core_would_be_seen(before: str, after: str, message: str) -> None:
    text = PAGE.read_text("utf-8")
    assert before in text
    assert any(each.startswith(message) for each in wrong_core(text.replace(before, after)))


def defined(path: Path) -> set[str]:
    """The functions, methods and classes of a file, by qualified names."""
    found: set[str] = set()

    def visit(node: ast.AST, prefix: str) -> None:
        for inner in ast.iter_child_nodes(node):
            if isinstance(inner, (ast.FunctionDef, ast.ClassDef)):
                found.add(prefix + inner.name)
                visit(inner, f"{prefix}{inner.name}.")

    visit(ast.parse(path.read_text("utf-8")), "")
    return found


def test_things_are_where_it_says() -> None:
    answers = rows(section(PAGE.read_text("utf-8"), "Where is …?"), "question", "file", "function")
    assert len(answers) >= 10
    for question, file, functions in answers:
        assert quoted(functions), question
        (path,) = quoted(file)
        assert set(quoted(functions)) <= defined(REFERENCE / path), question


def test_files_and_folders_are_there() -> None:
    """What looks like a file or a folder of the repository exists."""
    places = (REFERENCE, ROOT, ROOT / "csrc" / "speedups", ROOT / "backends" / "gnomon_speedups")
    missing = [
        each
        for each in quoted(PAGE.read_text("utf-8"))
        if re.fullmatch(r"[\w/]+\.(py|c|md)|\w+/[\w/]*", each)
        and not any((place / each).exists() for place in places)
    ]
    assert missing == []


def test_floors_are_those_of_the_test() -> None:
    text = section(PAGE.read_text("utf-8"), "Floors and rooms")
    for floor, room, _ in rows(text, "floor", "room", "what is in it"):
        for each in quoted(room):
            assert FLOORS[each.removesuffix(".py")] == int(floor), each
    assert {int(row[0]) for row in rows(text, "floor", "room", "what is in it")} == set(FLOORS.values())


def test_every_hook_is_named() -> None:
    def module(file: str) -> str:
        return file.removesuffix(".py").replace("/", ".")

    text = section(PAGE.read_text("utf-8"), "Hooks between floors")
    listed = {
        row[0].strip("`"): LateBound(tuple(map(module, quoted(row[1]))), module(quoted(row[2])[0]), row[3])
        for row in rows(text, "name", "called by", "given by", "reason")
    }
    assert listed == LATE_BOUND
    assert {each.split(": ")[1] for each in REGISTRATIONS} - {"set_rules"} <= set(quoted(text))


def test_the_guide_says_all_that_a_prepared_call_is_asked_for() -> None:
    """docs/writing_a_backend.md, "Prepared calls", lists exactly the declared members."""
    page = (ROOT / "docs" / "writing_a_backend.md").read_text("utf-8")
    declared = {name for name in vars(PreparedCall) if not name.startswith("_")}
    for head, names in (("of the prepared call", declared), ("of the backend", _ADDED)):
        said = {quoted(row[0])[0].partition("(")[0] for row in rows(page, head, "what it is")}
        assert said == names


def test_pages_name_the_settings_that_are_read() -> None:
    """The environment variables that the pages name are used in the code, and one page names all of them."""
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    named = {name for page in pages for name in re.findall(r"GNOMON_[A-Z_]+", page.read_text("utf-8"))}
    source = "".join(
        path.read_text("utf-8")
        for folder in ("reference", "backends", "csrc", "cffi_build", "conformance", "benchmarks", "tests")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".py", ".c", ".cpp", ".h") and path != Path(__file__)
    )
    source += (ROOT / "setup.py").read_text("utf-8")
    assert {name for name in named if name not in source} == set()
    table = (ROOT / "docs" / "environment_variables.md").read_text("utf-8")
    read = set(re.findall(r"\bGNOMON_[A-Z_]*[A-Z]\b", source))
    assert {name for name in read if f"`{name}`" not in table} == set()


def test_links_between_pages_lead_somewhere() -> None:
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            file, _, anchor = target.partition("#")
            if "://" in target:
                continue
            found = page if not file else (page.parent / file).resolve()
            assert found.exists(), f"{page.name}: {target}"
            if anchor and found.suffix == ".md":
                titles = re.findall(r"^#+ (.*)$", found.read_text("utf-8"), re.MULTILINE)
                anchors = {re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in titles}
                assert anchor in anchors, f"{page.name}: {target}"
