"""learn/exercises/command.py: list, start, check and hint, as a reader uses them."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from gnomon import cli
from gnomon.learn.exercises import command, worker
from gnomon.learn.exercises.folder import Folder
from gnomon.learn.exercises.records import CHAPTERS, all_exercises, find

SOLUTIONS = Path(__file__).parent / "solutions"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "mine"


def run(capsys: pytest.CaptureFixture[str], folder: Path, *arguments: str) -> tuple[int, str, str]:
    status = cli.main(["exercises", *arguments, "--folder", str(folder)])
    printed = capsys.readouterr()
    return status, printed.out, printed.err


def solve(folder: Path, name: str) -> None:
    folder.mkdir(exist_ok=True)
    shutil.copy(SOLUTIONS / f"{name}.py", folder)


def test_the_list_has_all_chapters_and_exercises(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    status, text, _ = run(capsys, folder)
    assert status == 0
    assert [chapter.number for chapter in CHAPTERS] == list(range(1, 14))
    assert len({exercise.id for exercise in all_exercises()}) == len(all_exercises())
    for chapter in CHAPTERS:
        assert f"{chapter.number}. {chapter.title} (docs/tour/{chapter.page})" in text
        for exercise in chapter.exercises:
            assert f"   {exercise.id:<20} {'':<8} {exercise.title}" in text
    assert f"0 of {len(all_exercises())} solved in {folder}" in text
    assert "gnomon exercises start contiguous_strides" in text
    assert not folder.exists(), "a list writes nothing"


def test_start_writes_skeletons_and_never_overwrites(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    status, text, _ = run(capsys, folder, "start", "engine", "1")
    assert status == 0 and text.count("written") == 4
    assert sorted(path.stem for path in folder.glob("*.py")) == [
        "contiguous_strides",
        "element_offset",
        "engine",
        "is_contiguous",
    ]
    assert (folder / "engine.py").read_text("utf-8") == find("engine").skeleton
    (folder / "engine.py").write_text("mine = 1\n", "utf-8")
    status, text, _ = run(capsys, folder, "start", "engine", "broadcast")
    assert status == 0 and "engine.py: exists, and stays as it is" in text
    assert (folder / "engine.py").read_text("utf-8") == "mine = 1\n"
    assert (folder / "broadcast.py").exists()
    assert run(capsys, folder, "start")[0] == 0
    assert len(list(folder.glob("*.py"))) == len(all_exercises())
    assert (folder / "engine.py").read_text("utf-8") == "mine = 1\n"


def test_check_and_what_the_list_says_then(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    solve(folder, "broadcast")
    run(capsys, folder, "start", "promote")
    status, text, _ = run(capsys, folder, "check")
    assert status == 1
    assert "broadcast: passed" in text and "1 of 2 are right" in text
    assert "promote: not yet\n  Not written yet: NotImplementedError, in line" in text
    assert "For a hint: gnomon exercises hint promote" in text
    assert run(capsys, folder, "check", "broadcast")[:2] == (0, "broadcast: passed\n")
    _, text, _ = run(capsys, folder)
    assert f"   {'broadcast':<20} solved  " in text and f"   {'promote':<20} started " in text
    assert f"1 of {len(all_exercises())} solved" in text
    with (folder / "broadcast.py").open("a", encoding="utf-8") as file:
        file.write("\n")
    assert f"   {'broadcast':<20} changed " in run(capsys, folder)[1]
    (folder / "broadcast.py").write_text("def broadcast(shapes):\n    return ()\n", "utf-8")
    status, text, _ = run(capsys, folder, "check", "broadcast")
    assert status == 1 and "gave:     ()" in text
    assert f"   {'broadcast':<20} started " in run(capsys, folder)[1]


def test_hints_are_counted(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    run(capsys, folder, "start", "engine", "broadcast")
    hints = find("engine").hints
    for number in (*range(1, len(hints) + 1), len(hints)):
        status, text, _ = run(capsys, folder, "hint", "engine")
        assert status == 0 and text.startswith(f"Hint {number} of {len(hints)} for engine:\n")
        assert " ".join(text.splitlines()[1:]) == hints[number - 1]
    assert run(capsys, folder, "hint", "broadcast")[1].startswith("Hint 1 of ")


def test_a_damaged_file_of_counts_is_begun_anew(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    run(capsys, folder, "start", "engine")
    for text in ("{", "[]", json.dumps({"passed": 1, "hints": {}})):
        (folder / ".gnomon-exercises.json").write_text(text, "utf-8")
        assert run(capsys, folder)[0] == 0
        assert run(capsys, folder, "hint", "engine")[1].startswith("Hint 1 of ")


@pytest.mark.parametrize("action", ["start", "check", "hint"])
def test_a_wrong_name(capsys: pytest.CaptureFixture[str], folder: Path, action: str) -> None:
    folder.mkdir()
    status, text, error = run(capsys, folder, action, "brodcast")
    assert (status, text) == (2, "")
    assert error == (
        "gnomon exercises: there is no exercise 'brodcast'; did you mean broadcast? "
        "(gnomon exercises lists them)\n"
    )


def test_hint_takes_no_chapter(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    folder.mkdir()
    assert "there is no exercise '1'" in run(capsys, folder, "hint", "1")[2]


def test_a_missing_folder_and_a_missing_file(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    for arguments in (("check",), ("check", "engine"), ("hint", "engine")):
        status, _, error = run(capsys, folder, *arguments)
        assert status == 2 and f"there is no folder {folder}" in error
    folder.mkdir()
    status, _, error = run(capsys, folder, "check")
    assert status == 2 and "no exercise has been started" in error
    status, text, _ = run(capsys, folder, "check", "engine")
    assert status == 1 and "to begin: gnomon exercises start engine" in text


def test_a_folder_that_is_a_file(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    folder.write_text("", "utf-8")
    status, _, error = run(capsys, folder, "start", "engine")
    assert status == 2 and error.startswith("gnomon exercises: ") and str(folder) in error


def test_a_folder_in_the_place_of_a_file(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    (folder / "engine.py").mkdir(parents=True)
    status, _, error = run(capsys, folder, "start", "engine")
    assert status == 2 and "engine.py is a folder: it needs another name" in error
    status, text, _ = run(capsys, folder, "check", "engine")
    assert status == 1 and "there is no" in text
    with pytest.raises(SystemExit):
        cli.main(["exercises", "--folder", ""])
    assert "expected the name of a folder, got none" in capsys.readouterr().err


def check(capsys: pytest.CaptureFixture[str], folder: Path, name: str, source: str) -> str:
    """What ``check`` says about a file that is wrong."""
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.py").write_text(source, "utf-8")
    status, text, error = run(capsys, folder, "check", name)
    assert (status, error) == (1, "")
    return text


def test_a_syntax_error(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    text = check(capsys, folder, "broadcast", "def broadcast(shapes):\n    return (\n")
    assert "broadcast.py is not Python: '(' was never closed in line 2: return (" in text


def test_an_error_on_import_and_one_in_the_function(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    text = check(capsys, folder, "broadcast", "x = 1\nx.missing\n")
    assert "AttributeError" in text and "in line 2 of broadcast.py: x.missing" in text
    text = check(capsys, folder, "broadcast", "def broadcast(shapes):\n    return shapes[9]\n")
    assert "broadcast([])\n    gave:     IndexError: list index out of range" in text
    assert "in line 2 of broadcast.py: return shapes[9]\n    expected: ()" in text


def test_a_missing_function_and_a_wrong_signature(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    assert "broadcast.py does not define broadcast" in check(capsys, folder, "broadcast", "x = 1\n")
    text = check(capsys, folder, "broadcast", "def broadcast(a, b):\n    return a\n")
    assert "TypeError" in text and "missing 1 required positional argument" in text


def test_what_the_code_prints_is_shown_below_the_finding(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    source = "def broadcast(shapes):\n    print('shapes are', shapes)\n    return max(shapes, default=())\n"
    text = check(capsys, folder, "broadcast", source)
    assert text.index("gave:") < text.index("The last 12 lines that your code printed:")
    assert text.count("    shapes are [") == 12
    solve(folder, "broadcast")
    with (folder / "broadcast.py").open("a", encoding="utf-8") as file:
        file.write("\nprint('noise')\n")
    assert run(capsys, folder, "check", "broadcast")[:2] == (0, "broadcast: passed\n")


def test_code_that_ends_the_process(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    source = "import os\ndef broadcast(shapes):\n    print('so far', flush=True)\n    os._exit(7)\n"
    text = check(capsys, folder, "broadcast", source)
    assert "Your code ended the process that marks it (status 7)." in text and "so far" in text
    text = check(capsys, folder, "broadcast", "import sys\ndef broadcast(shapes):\n    sys.exit(3)\n")
    assert "gave:     SystemExit: 3, in line 3 of broadcast.py: sys.exit(3)" in text


def test_an_endless_loop_ends(
    capsys: pytest.CaptureFixture[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "LIMIT", 0.5)  # it would be reached with any limit
    text = check(capsys, folder, "broadcast", "while True:\n    pass\n")
    assert "The marking was ended after 0.5 seconds, the limit" in text


def test_who_asks_gnomon_gets_a_remark_and_passes(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    folder.mkdir()
    (folder / "contiguous_strides.py").write_text(
        "from gnomon.values.geometry import contiguous_strides\n", "utf-8"
    )
    status, text, _ = run(capsys, folder, "check", "contiguous_strides")
    assert status == 0
    assert "A remark: your file takes gnomon.values.geometry.contiguous_strides from gnomon." in text


def test_an_exercise_may_import_another_of_the_folder(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    solve(folder, "broadcast")
    solve(folder, "tensor_iterator")
    path = folder / "tensor_iterator.py"
    text = path.read_text("utf-8")
    start, stop = text.index("def broadcast("), text.index("def expanded(")
    text = text[:start] + "from broadcast import broadcast\n\n\n" + text[stop:]
    path.write_text(text.replace("from __future__ import annotations\n", "", 1), "utf-8")
    assert run(capsys, folder, "check", "tensor_iterator")[:2] == (0, "tensor_iterator: passed\n")


def test_without_a_compiler_the_kernel_in_c_is_skipped(
    capsys: pytest.CaptureFixture[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    solve(folder, "c_kernel")
    monkeypatch.setenv("PATH", str(folder))
    status, text, _ = run(capsys, folder, "check", "c_kernel")
    assert status == 0
    assert text == "c_kernel: skipped: there is no C compiler (cc) on this machine\n"
    assert Folder(folder).state(find("c_kernel")) == "started", "it has not passed"


def test_colors_only_in_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    command._say("promote: passed", "passed")
    assert capsys.readouterr().out == "promote: passed\n"
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    command._say("promote: passed", "passed")
    colored = capsys.readouterr().out
    assert "\x1b[32mpassed\x1b[0m" in colored
    monkeypatch.setattr(command, "find_spec", lambda name: None)  # without rich
    command._say("promote: passed", "passed")
    assert capsys.readouterr().out == "promote: passed\n"
