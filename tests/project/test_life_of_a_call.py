"""docs/life_of_a_call.md shows what ``gnomon walk`` prints, and calls stay within their limits."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gnomon.learn.walk import Call, Walk
from test_floors import floor_of
from time_limits import LIMIT

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "life_of_a_call.md"

# Limits for readers: the Python calls and files that one passes when following a call on the reference.
CALLS_TO_KERNEL = 30  # of a + b: from the operator's method to the kernel's first line
CALLS = 80  # in all
FILES = 12
CALLS_AT_FIRST = 200  # the first call of its kind, when nothing is cached
CALLS_OF_GRAD = 40  # of autograd.grad over one add

ADD = 'gnomon walk "a + b" --places file --no-times'
FIRST = 'gnomon walk "a + b" --call 1 --counts'
GRAD = 'gnomon walk "grad(y, a, g)" --before "y = a + b" --grad --places file --no-times'


@pytest.fixture(scope="module")
def tool() -> Any:
    """tools/pages.py, as a module."""
    spec = importlib.util.spec_from_file_location("pages_tool", ROOT / "tools" / "pages.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def shown() -> dict[str, str]:
    """The page's commands, and what it shows below each."""
    blocks = re.findall(r"^```console\n\$ (.*)\n((?:.*\n)*?)```$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert len(blocks) == len(dict(blocks))
    return dict(blocks)


def counts(text: str) -> tuple[int, int, int]:
    """Calls in all, calls up to the kernel (0: none ran), files."""
    pattern = r"^(\d+) Python calls, (?:(\d+) up to the kernel|no kernel ran)\n(\d+) files$"
    found = re.search(pattern, text, re.MULTILINE)
    assert found is not None, text
    return int(found[1]), int(found[2] or 0), int(found[3])


@pytest.mark.skipif(
    sys.version_info[:2] != (3, 11),
    reason="the page is of Python 3.11: 3.10 has no qualified names, 3.12 does not call comprehensions",
)
@pytest.mark.parametrize("command", [ADD, FIRST, GRAD])
def test_the_page_shows_what_the_command_prints(tool: Any, shown: dict[str, str], command: str) -> None:
    assert shown[command] == tool.printed(command), "python tools/pages.py docs/life_of_a_call.md"


def test_the_page_shows_these_commands_alone(tool: Any, shown: dict[str, str]) -> None:
    commands = {command for command, _ in tool.blocks(PAGE.read_text("utf-8"))}
    assert set(shown) == {ADD, FIRST, GRAD} == commands


def test_a_call_is_short(tool: Any) -> None:
    calls, to_kernel, files = counts(tool.printed(ADD))
    assert 0 < to_kernel <= CALLS_TO_KERNEL and calls <= CALLS and files <= FILES
    assert counts(tool.printed(FIRST))[0] <= CALLS_AT_FIRST
    assert counts(tool.printed(GRAD))[0] <= CALLS_OF_GRAD


SETUP = "a, b, g = gn.ones(2, device='reference', requires_grad={}), *gn.ones(2, 2, device='reference')"


def returns(program: str) -> list[str]:
    """The calls of a walk, by file and name, that return to a floor which had been left for a higher one."""
    lines = [
        "import sys",
        f"sys.path.insert(0, {str(ROOT / 'tests' / 'project')!r})",
        "from gnomon.learn.walk import walk",
        "from test_floors import floor_of",
        f"print(*[f'{{each.file}}:{{each.name}}' for each in walk({program}).returns(floor_of)])",
    ]
    environment = {**os.environ, "GNOMON_SPEEDUPS": "none"}
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)],
        capture_output=True,
        text=True,
        env=environment,
        check=True,
        timeout=LIMIT,
    )
    return done.stdout.split()


def test_no_call_goes_back_to_a_floor_left_upwards() -> None:
    assert returns(f"'a + b', setup={SETUP.format(False)!r}") == []
    assert returns(f"'grad(y, a, g)', setup={SETUP.format(True)!r}, before='y = a + b'") == []


def test_recorded_and_first_calls_go_back_where_the_page_says() -> None:
    """Autograd redispatches; a first call's meta function builds a TensorIterator and looks for tensors."""
    redispatch = "dispatch/dispatcher.py:OpOverload.redispatch"
    assert returns(f"'a + b', setup={SETUP.format(True)!r}") == [redispatch]
    first = returns(f"'a + b', setup={SETUP.format(False)!r}, call=1")
    assert [each for each in first if each.startswith("dispatch/")] == [
        "dispatch/dispatcher.py:OpOverload.tensors"
    ]
    assert {each.split(":")[0] for each in first[1:]} == {
        "calls/checks.py",
        "calls/iterator.py",
        "calls/meta_functions.py",
    }


def test_returns_are_seen() -> None:
    def walk(*files_by_depth: tuple[int, str]) -> Walk:
        return Walk(
            [
                Call(file, file.lstrip(">"), 1, depth, "kernel" if file[0] == ">" else "")
                for depth, file in files_by_depth
            ]
        )

    def found(*files_by_depth: tuple[int, str]) -> list[str]:
        return [each.name for each in walk(*files_by_depth).returns(floor_of)]

    public, dispatcher, way, memory = (
        "methods.py",
        "dispatch/dispatcher.py",
        "calls/launch.py",
        "memory/tensor.py",
    )
    assert found((0, public), (1, dispatcher), (2, way), (3, memory)) == []
    assert found((0, public), (1, dispatcher), (2, way), (3, dispatcher)) == [dispatcher]  # left, and back
    assert found((0, public), (1, dispatcher), (2, way), (3, memory), (4, dispatcher)) == [dispatcher]
    assert found((0, public), (1, dispatcher), (2, way), (1, dispatcher)) == []  # the call of way is over
    assert found((0, dispatcher), (1, "ops/views/view.py"), (2, way), (3, "ops/views/view.py"), (4, way)) == [
        way
    ]
    assert found((0, way), (1, "ops/views/view.py"), (2, way)) == [way]
    assert found((0, way), (1, ">ops/views/view.py"), (2, way)) == []  # a kernel begins a chain of its own
    assert found((0, way), (1, ">ops/views/view.py"), (2, way), (3, "ops/views/view.py"), (4, way)) == [way]
    assert found((0, way), (1, "ops/views/view.py"), (2, "<stdlib>/enum.py"), (3, way)) == [way]


def test_the_c_functions_of_the_page_are_there() -> None:
    folder = ROOT / "csrc" / "speedups"
    rows = PAGE.read_text("utf-8").partition("| step | C function |")[2].partition("\n\n")[0].splitlines()[2:]
    assert len(rows) == 6
    for row in rows:
        names = re.findall(r"`([\w.]+)`", row.replace("\\|", "").split("|")[2])
        files = [name for name in names if name.endswith((".c", ".h"))]
        text = "".join((folder / file).read_text() for file in files)
        assert files and len(names) > len(files)
        for name in set(names) - set(files):
            assert re.search(rf"^[\w \*]*\b{name}\(", text, re.MULTILINE), name


def test_the_page_is_written_anew(tool: Any, tmp_path: Path) -> None:
    page = tmp_path / PAGE.name
    shutil.copy(PAGE, page)
    text = page.read_text("utf-8")
    stale = re.sub(r"^\d+ Python calls.*$", "0 Python calls", text, flags=re.MULTILINE)
    assert stale != text
    page.write_text(stale, "utf-8")
    tool.write(page)
    assert counts(dict(tool.blocks(page.read_text("utf-8")))[FIRST])
    if sys.version_info[:2] == (3, 11):
        assert page.read_text("utf-8") == text
