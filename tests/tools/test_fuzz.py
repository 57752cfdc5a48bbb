"""tools/fuzz.py finds planted defects and says how to reproduce them; its known differences exist."""

from __future__ import annotations

import os
import random
import shlex
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import gnomon as gn
from gnomon_conformance.inputs.description import GivenTensor, descriptions, stored
from time_limits import LONG_LIMIT

ROOT = Path(__file__).parents[2]
FUZZ = ROOT / "tools" / "fuzz.py"

# What a planted module makes of the results of neg: ``result`` is gnomon's.
DEFECTS = {
    "value": ("result + 1", "element 0 is"),
    "dtype": ("result.to(gn.bool)", "has dtype bool"),
    "stride": ("result.as_strided((2, 3), (1, 2))", "has strides (1, 2)"),
    "crash": ("os.abort()", "gnomon ended the process with status -6"),
    "hang": ("spin()", "gnomon did not finish within"),
}
PLANTED = """
import os
import gnomon as gn
from gnomon_conformance.execution import runner

original = runner.Gnomon.call

def spin():
    while True:
        pass

def call(self, operator, values):
    result = original(self, operator, values)
    return {defect} if operator.name == "neg" and tuple(result.shape) == (2, 3) else result

runner.Gnomon.call = call
"""


def fuzz(*words: str, path: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run the fuzzer on the reference; ``path`` has modules that it can import."""
    paths = [str(path)] if path is not None else []
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([*paths, os.environ.get("PYTHONPATH", "")])}
    command = [sys.executable, str(FUZZ), "--device", "reference", *words]
    return subprocess.run(
        command, capture_output=True, text=True, env=environment, cwd=ROOT, timeout=LONG_LIMIT
    )


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The fuzzer's modules."""
    pytest.importorskip("torch")
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    import fuzz
    from fuzzing import calls, known, programs

    return SimpleNamespace(fuzz=fuzz, calls=calls, known=known, programs=programs)


@pytest.mark.oracle
@pytest.mark.parametrize("kind", DEFECTS)
def test_what_is_planted_is_found_and_shown_again(kind: str, tmp_path: Path) -> None:
    defect, says = DEFECTS[kind]
    (tmp_path / "planted.py").write_text(PLANTED.format(defect=defect))
    drawn = ("--import", "planted", "--only", "^neg$", "--most", "1", "--seconds", "500", "--patience", "10")
    found = fuzz(*drawn, path=tmp_path)
    assert found.returncode == 1, found.stderr
    line = found.stdout.splitlines()[0]
    assert line.startswith("python tools/fuzz.py --device reference --import planted --replay 'neg")
    assert says in line
    case = shlex.split(line.rpartition("  # ")[0])[-1]
    again = fuzz("--import", "planted", "--patience", "10", "--replay", case, path=tmp_path)
    assert again.returncode == 1
    assert says in again.stdout
    if kind == "value":
        well = fuzz("--replay", case)
        assert (well.returncode, well.stdout) == (0, "no unknown difference\n")


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("defect", "program", "says"),
    [
        ("gn.Tensor.flip = lambda self, dim: self.clone()", "v1 = v0.flip(0); backward", "v1: element 0"),
        ("gn.Tensor.flip = lambda self, dim: self.detach().neg()", "v1 = v0.neg(); v1.flip(0); no_grad", ""),
        ("gn.Tensor.neg = lambda self: -self.detach()", "v1 = v0.neg(); backward", "requires grad is False"),
        ("gn.Tensor.neg = lambda self: -1 * self * 1", "v0.neg(); v0.detach_(); backward", ""),
        ("gn.Tensor.mT = property(lambda self: self.clone())", "v1 = v0.mT; no_grad", "has strides (3, 1)"),
        ("gn.Tensor.exp = lambda self: self.exp2()", "v1 = v0.exp(); hessian", "the hessian: element"),
        ("gn.Tensor.exp = lambda self: os.abort()", "v1 = v0.exp(); jvp", "gnomon ended the process"),
        ("gn.Tensor.exp = lambda self: self[7]", "v1 = v0.exp(); vmap", "v1 = v0.exp(): raised IndexError"),
    ],
)
def test_programs_are_compared(defect: str, program: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "planted.py").write_text(f"import os\nimport gnomon as gn\n{defect}\n")
    text = f"program: v0 = t(3, 3); {program}  # float64"
    found = fuzz("--import", "planted", "--replay", text, path=tmp_path)
    assert (found.returncode, says in found.stdout) == (1 if says else 0, True), found.stdout


@pytest.mark.oracle
def test_the_known_differences_are_so() -> None:
    """Each known difference shows in the case listed with it."""
    if not gn.backends()["c"].available:
        pytest.skip("they are the C backend's")
    found = fuzz("--device", "c", "--known-only")
    assert (found.returncode, found.stdout) == (0, ""), found.stdout


@pytest.mark.oracle
def test_a_known_difference_that_shows_no_longer_is_told(tmp_path: Path) -> None:
    (tmp_path / "planted.py").write_text(
        "from fuzzing import known\n"
        "entry = known.Known('neg', 'element', 'it is so', 'neg(tensor(2, 3))  # float32, contiguous')\n"
        "known.KNOWN[:] = [entry]\n"
    )
    found = fuzz("--import", "planted", "--known-only", path=tmp_path)
    assert found.returncode == 1
    assert "neg(tensor(2, 3))" in found.stdout
    assert "a known difference no longer occurs: it is so" in found.stdout


@pytest.mark.oracle
def test_the_same_seed_is_the_same_cases() -> None:
    one, other = (fuzz("--seed", "4", "--only", "^neg$", "--list", "6").stdout for _ in "ab")
    assert one == other != fuzz("--seed", "5", "--only", "^neg$", "--list", "6").stdout
    assert len(one.splitlines()) == 6


def test_without_pytorch_one_message_says_so(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['torch'] = None\n")
    found = fuzz(path=tmp_path)
    assert (found.returncode, found.stdout) == (2, "")
    assert found.stderr == "tools/fuzz.py compares with PyTorch, which is not installed\n"


def test_a_case_is_its_text(library: Any) -> None:
    """A printed case is parsed as the same case: arguments, dtypes, layouts, NaN and infinite numbers."""
    for number in range(300):
        rng = random.Random(number)
        program = library.programs.draw(rng)
        assert library.programs.parse(str(program)) == program
        case = library.calls.draw(rng, "")
        if case is not None:
            assert str(library.calls.parse(str(case))) == str(case)
    given = 0
    for number in range(60):
        case = library.calls.draw(random.Random(number), "max_unpool")
        if case is not None:
            again = library.calls.parse(str(case))
            for each, other in zip(descriptions(case.sample.args), descriptions(again.sample.args)):
                given += isinstance(each, GivenTensor)
                contents = [stored(one, case.dtype, "contiguous", 0) for one in (each, other)]
                assert repr(contents[0]) == repr(contents[1])  # NaN is no equal
    assert given


def test_a_smaller_program_is_one(library: Any) -> None:
    text = "program: v0 = t(3); v1 = t(3, 3); v2 = v0.neg(); v3 = v2.exp(); v3.add_(v1); backward  # float64"
    program = library.programs.parse(text)
    assert program.without(0).statements == ("v3 = v0.exp()", "v3.add_(v1)")
    smaller = program.without(2).without(0)
    assert str(smaller) == "program: v0 = t(3); v3 = v0.exp(); backward  # float64"


def test_the_size_of_a_complex_number_may_overflow(library: Any) -> None:
    """It used to end the run."""
    assert library.calls.magnitude(complex(1.7e308, 1.7e308)) == float("inf")
    assert library.calls.magnitude(3 - 4j) == 5


def test_strides_that_say_nothing_are_not_compared(library: Any) -> None:
    assert library.calls.telling_strides((3, 1, 2), (2, 7, 1)) == (2, 0, 1)
    assert library.calls.telling_strides((3, 0), (5, 1)) == ()


def test_a_known_difference_hides_no_other(library: Any) -> None:
    known = library.known.Known("neg|abs", "has strides", "it lies otherwise", "", "# float16")
    assert known.covers("neg", "neg(tensor(2))  # float16, offset", "result has strides (1,), expected (2,)")
    assert not known.covers("neg", "neg(tensor(2))  # float32, offset", "result has strides (1,)")
    assert not known.covers("neg", "neg(tensor(2))  # float16, offset", "result has dtype bool")
    assert not known.covers("negative", "negative(tensor(2))  # float16, offset", "result has strides (1,)")


def test_each_known_difference_has_a_reason_and_a_case(library: Any) -> None:
    for known in library.known.KNOWN:
        assert known.reason and known.shows, known
        name = "program" if known.shows.startswith("program: ") else known.shows.partition("(")[0]
        assert known.covers(name, known.shows, "") or known.problem, known


def test_a_case_that_ends_its_process_is_blamed_on_who_was_at_work(library: Any, capsys: Any) -> None:
    options = SimpleNamespace(seconds=1e9, most=9, device="c", imports=[], patience=20.0)
    watch = library.fuzz.Watch(options)
    for at_work, findings, skipped in (("torch", 0, 1), ("gnomon", 1, 1)):
        child = SimpleNamespace(suspect=None, at_work=at_work, number=7, text="neg()  # float32, offset")
        assert watch.blame(child, "ended the process with status -11") == 8
        assert (watch.findings, watch.skipped) == (findings, skipped)
    line = "python tools/fuzz.py --replay 'neg()  # float32, offset'  # gnomon ended the process with status"
    assert capsys.readouterr().out == f"{line} -11\n"


def test_a_child_that_is_silent_is_ended(library: Any, capsys: Any) -> None:
    options = SimpleNamespace(seconds=1e9, most=9, device="c", imports=[], patience=20.0)
    ended = []
    child = SimpleNamespace(
        suspect=None, at_work="gnomon", number=7, text="neg()  # float32, offset", since=0.0,
        message=lambda until: None, end=lambda: ended.append("child"),
    )  # fmt: skip
    assert library.fuzz.Watch(options).follow(child) == 8
    assert ended == ["child"]
    assert "gnomon did not finish within 20 s" in capsys.readouterr().out
