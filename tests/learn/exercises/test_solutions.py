"""learn/exercises: solutions pass, skeletons and plausible wrong answers do not, and the findings say why."""

from __future__ import annotations

import ast
import shutil
from pathlib import Path

import pytest
import wrong_answers_1
import wrong_answers_2
import wrong_answers_3

from gnomon.learn.exercises.marking import mark_file
from gnomon.learn.exercises.records import all_exercises, find

HERE = Path(__file__).parent
NAMES = [exercise.id for exercise in all_exercises()]
WRONG = {**wrong_answers_1.WRONG, **wrong_answers_2.WRONG, **wrong_answers_3.WRONG}


def solution(name: str) -> str:
    return (HERE / "solutions" / f"{name}.py").read_text("utf-8")


def skip_without_compiler(name: str) -> None:
    if name == "c_kernel" and not (shutil.which("cc") or shutil.which("gcc")):
        pytest.skip("there is no C compiler")


@pytest.mark.parametrize("name", NAMES)
def test_the_solution_passes(name: str) -> None:
    skip_without_compiler(name)
    marks = mark_file(find(name), HERE / "solutions" / f"{name}.py")
    assert not marks.findings and not marks.remarks and marks.passed


@pytest.mark.parametrize("name", NAMES)
def test_the_skeleton_fails_and_says_what_to_do(name: str, tmp_path: Path) -> None:
    skip_without_compiler(name)
    path = tmp_path / f"{name}.py"
    path.write_text(find(name).skeleton, "utf-8")
    (finding,) = mark_file(find(name), path).findings
    assert "Not written yet" in finding and f"of {name}.py: raise NotImplementedError" in finding, finding


@pytest.mark.parametrize(
    ("name", "number"), [(name, number) for name in NAMES for number in range(len(WRONG.get(name, ())))]
)
def test_a_wrong_answer_is_caught(name: str, number: int, tmp_path: Path) -> None:
    skip_without_compiler(name)
    what, right, wrong = WRONG[name][number]
    source = solution(name)
    assert source.count(right) == 1, f"{what}: this is {source.count(right)} times in the solution: {right}"
    path = tmp_path / f"{name}.py"
    path.write_text(source.replace(right, wrong), "utf-8")
    (finding,) = mark_file(find(name), path).findings
    assert "Not written yet" not in finding
    assert "gave:" in finding and "expected:" in finding, f"{what}: {finding}"


@pytest.mark.parametrize("name", NAMES)
def test_each_exercise_is_whole(name: str) -> None:
    exercise = find(name)
    assert len(WRONG[name]) >= 3
    assert len(exercise.hints) >= 3 and len(set(exercise.hints)) == len(exercise.hints)
    title, _, rest = exercise.task.partition("\n\n")
    assert title.endswith((".", "?")) and len(rest.split()) > 30, "the task is too short"
    assert "    " in rest, "the task has no example"
    assert not exercise.title.endswith(".")
    for text in (*exercise.hints, *exercise.task.splitlines()):
        assert "\n\n\n" not in text and text == text.rstrip()
    skeleton = ast.parse(exercise.skeleton)
    written = ast.parse(solution(name))

    def names(tree: ast.Module) -> set[str]:
        assigned = [each for node in tree.body if isinstance(node, ast.Assign) for each in node.targets]
        defined = {each.name for each in tree.body if isinstance(each, (ast.FunctionDef, ast.ClassDef))}
        return defined | {each.id for each in assigned if isinstance(each, ast.Name)}

    assert names(skeleton) <= names(written), "the solution lacks a function of the skeleton"
    for each in ast.walk(skeleton):
        if isinstance(each, (ast.FunctionDef, ast.ClassDef)):
            assert ast.get_docstring(each) or each.name.startswith("__"), f"{each.name} has no docstring"
