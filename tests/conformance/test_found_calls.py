"""A failing call that a search found is saved, and kills the mutant without a search."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from gnomon.memory.backend import register_backend
from gnomon_conformance.collection.selection import operators
from gnomon_conformance.execution.check import check_forward
from gnomon_conformance.fuzzing import found_calls
from gnomon_conformance.fuzzing.found_calls import FoundCall
from gnomon_conformance.fuzzing.fuzzer import search
from gnomon_conformance.inputs.description import OnDevice, Sample, given, sample, tensor
from gnomon_conformance.mutation import runner
from gnomon_conformance.mutation.loopback import DEVICE, Loopback, filled, right

FOREVER = 120.0  # seconds: the search finds the fault long before


@pytest.fixture(autouse=True)
def _leave_no_mutant() -> Any:
    yield
    from gnomon.memory import backend

    backend._backends.pop(DEVICE, None)
    backend._by_device_type.pop(DEVICE, None)
    found_calls.calls_in.cache_clear()


def added_wrongly(iterator: Any, alpha: Any) -> None:
    """Wrong for an alpha of -2 and a broadcast operand, which no sample has."""
    right["add.Tensor"](iterator, alpha)
    if alpha == -2 and any(0 in iterator.tensor(place).stride() for place in (1, 2)):
        filled(iterator.tensor(0), lambda number: number + 1)


def mutant() -> Loopback:
    return Loopback({"add.Tensor": added_wrongly})


def found() -> FoundCall:
    """The failing call that a search finds in the mutant."""
    backend = mutant()
    register_backend(backend)
    caught = search(operators()["add.Tensor"], backend, ("float32", "int16"), 2, FOREVER)
    assert caught.drawn is not None
    return FoundCall(caught.drawn.operator.name, caught.drawn.dtype, caught.drawn.sample, 2, caught.what)


def test_what_only_a_search_finds_kills_without_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    call = found()
    assert "element 0 is" in call.why
    path = found_calls.write(call, tmp_path)
    assert found_calls.read(path) == call
    here = f"found[add.Tensor-{call.dtype}]"
    others = [f"{check}[add.Tensor-float32]" for check in ("forward", "values")]
    survived = runner.results_of(mutant(), others)
    assert {each.outcome for each in survived.values()} <= {"pass", "not claimed"}
    monkeypatch.setattr(found_calls, "FOLDER", tmp_path / "none")
    killed = runner.results_of(mutant(), [here], ["--samples", str(tmp_path)])
    assert killed[here].outcome == "fail"
    assert path.name in killed[here].message and call.why in killed[here].message
    well = runner.results_of(Loopback(), [here], ["--samples", str(tmp_path)])
    assert well[here].outcome == "pass"


def test_those_that_are_kept_are_tried() -> None:
    killed = runner.results_of(mutant(), ["found[add.Tensor-float32]"])
    assert killed["found[add.Tensor-float32]"].outcome == "fail"


def test_a_search_writes_the_file_and_says_what_to_do(tmp_path: Path) -> None:
    options = ["--property-seconds", str(FOREVER), "--seed", "2", "--dtypes", "float32,int16"]
    folder = tmp_path / "found"
    options += ["--write-found", str(folder), "--ops", r"^add\.Tensor$"]
    message = runner.results_of(mutant(), ["property"], options)["property[add.Tensor]"].message
    (path,) = folder.iterdir()
    assert f"It is written to {path}: copy it to {found_calls.FOLDER}" in message
    call = found_calls.read(path)
    assert (call.operator, call.seed, call.sample.kwargs["alpha"]) == ("add.Tensor", 2, -2)
    register_backend(mutant())
    assert check_forward(operators()["add.Tensor"], call.sample, call.dtype, "contiguous", DEVICE)


def test_without_a_folder_the_message_has_the_file(tmp_path: Path) -> None:
    call = FoundCall("neg", "int16", sample(tensor(2, 3)), 7, "element 0 is 1")
    advice = found_calls.advice(call, None)
    first, line = advice.splitlines()
    assert call.name in first
    assert found_calls.from_data(json.loads(line)) == call


def test_a_file_says_all_of_a_call(tmp_path: Path) -> None:
    shared = given((1.5, -0.0, math.inf), (2,), (1,), 1, "float32", storage=0)
    alone = given((complex(math.nan, -2.0), 1j), (), (), 0, "complex64")
    described = tensor(2, 3, dtype="int64", values="below 3", layout="gapped", seed=4, grad=False)
    arguments = (shared, [described, alone], -0.0, math.nan, 2 + 1j, "mean", None, True, 2**62, OnDevice())
    call = FoundCall("add.Tensor", "float32", Sample(arguments, {"alpha": 3, "out": shared}), 5, "wrong")
    back = found_calls.read(found_calls.write(call, tmp_path)).sample
    assert back.args[0] is back.kwargs["out"]  # the same tensor, not two equal ones
    assert repr(back) == repr(call.sample)
    assert [back.args[0].contents, back.args[1][1].contents.sizes] == [shared.contents, ()]
    assert repr(back.args[1][1].contents) == repr(alone.contents)
    assert back.args[0].storage == 0 and math.copysign(1, back.args[2]) == -1


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "{}",
        '{"operator": "no.such", "dtype": "int16", "args": [], "kwargs": {}, "seed": 1, "why": ""}',
        '{"operator": "neg", "dtype": "int16", "args": [{"tensr": {}}], "kwargs": {}, "seed": 1, "why": ""}',
    ],
)
def test_another_file_is_refused_by_its_name(content: str, tmp_path: Path) -> None:
    path = tmp_path / "some.json"
    path.write_text(content)
    with pytest.raises(ValueError, match=r"some\.json is not a call written by a search"):
        found_calls.read(path)


def test_a_folder_that_is_not_there_is_named() -> None:
    with pytest.raises(NotADirectoryError, match="--samples: folder nowhere does not exist"):
        found_calls.check_folder("nowhere")


def test_those_that_are_kept_have_their_own_names() -> None:
    """A saved call's name is derived from it: a call edited by hand, or a duplicate, has the wrong name."""
    kept = list(found_calls.FOLDER.glob("*.json"))
    assert kept
    for path in kept:
        assert found_calls.read(path).name == path.name
