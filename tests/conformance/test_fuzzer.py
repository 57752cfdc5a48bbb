"""Searching: faults in kernels that only unusual calls show; what is found is small and reproducible."""

from __future__ import annotations

import functools
import os
import re
from typing import Any

import pytest

from gnomon.calls import launch
from gnomon.memory.backend import register_backend
from gnomon_conformance import SUITE_VERSION, plugin
from gnomon_conformance.collection.selection import operators
from gnomon_conformance.execution.instrumentation import native_runs
from gnomon_conformance.fuzzing import fuzzer
from gnomon_conformance.fuzzing.fuzzer import search
from gnomon_conformance.fuzzing.properties import subject_for
from gnomon_conformance.mutation.loopback import Loopback, filled, right
from gnomon_conformance.reporting import verdicts

FOREVER = 120.0  # seconds: each search here finds its fault long before
FEW = ("float32", "int16")


def negated_wrongly(iterator: Any) -> None:
    """Wrong for int16 tensors that are expanded along the second dimension."""
    right["neg"](iterator)
    tensor = iterator.tensor(1)
    if tensor.dtype.name == "int16" and tensor.dim() == 2 and tensor.size(1) > 1 and tensor.stride(1) == 0:
        filled(iterator.tensor(0), lambda number: number + 1)


def added_wrongly(iterator: Any, alpha: Any) -> None:
    """Wrong for an alpha of -2 and a broadcast operand."""
    right["add.Tensor"](iterator, alpha)
    if alpha == -2 and any(0 in iterator.tensor(place).stride() for place in (1, 2)):
        filled(iterator.tensor(0), lambda number: number + 1)


def program_of(message: str) -> str:
    return message.partition("To reproduce:\n")[2].strip()


def broken(**kernels: Any) -> Loopback:
    backend = Loopback({name.replace("__", "."): kernel for name, kernel in kernels.items()})
    register_backend(backend)
    return backend


@functools.cache
def found_with(seed: int) -> fuzzer.Found:
    """The outcome of a search that takes seconds; several tests share it."""
    return search(operators()["neg"], broken(neg=negated_wrongly), FEW, seed, FOREVER)


@pytest.mark.parametrize("seed", [3, 6])
def test_the_smallest_call_is_found(seed):
    found = found_with(seed)
    assert f"--seed {seed}" in found.message
    program = program_of(found.message)
    assert len(program.splitlines()) <= 10
    made = re.findall(r"gn\.tensor\((\[.*\]), dtype=gn\.(\w+), device=device\)\.as_strided\((.*)\)", program)
    ((numbers, dtype, lies),) = made
    assert dtype == "int16" and numbers in ("[1]", "[1, 2]")
    assert lies in ("(1, 2), (0, 0), 0", "(1, 2), (1, 0), 0", "(2, 2), (1, 0), 0", "(2, 2), (0, 0), 0")


def test_the_program_shows_the_fault(capsys):
    found = found_with(3)
    broken(neg=negated_wrongly)
    exec(program_of(found.message), {})
    printed = capsys.readouterr().out
    right_one, wrong_one = printed.partition("mutant")[::2]
    assert "[[-1, -1]]" in right_one and "[[0, 0]]" in wrong_one


def test_arguments_are_searched_too():
    found = search(operators()["add.Tensor"], broken(add__Tensor=added_wrongly), FEW, 2, FOREVER)
    program = program_of(found.message)
    assert ", -2)" in program
    sizes = re.findall(r"as_strided\(\(([\d, ]*)\)", program)
    assert max(int(size) for text in sizes for size in re.findall(r"\d+", text)) <= 2


def test_the_same_seed_finds_the_same():
    assert found_with.__wrapped__(3) == found_with(3) != found_with(6)


def test_what_is_right_passes():
    found = search(operators()["neg"], broken(), FEW, 1, 0.0)
    assert found.calls >= 1 and not found.message


def neg_of_floats(iterator: Any) -> None:
    assert iterator.tensor(1).dtype.name == "float32"
    right["neg"](iterator)


def test_what_is_not_claimed_is_not_searched():
    """Calls that would run on the reference are left out, and the fallback counts do not change."""
    backend = broken(neg=neg_of_floats)
    backend.capabilities = {"neg": ("float32",)}
    before = launch.fallbacks.copy(), launch.declined.copy()
    found = search(operators()["neg"], backend, FEW, 1, 0.5)
    assert found.calls and not found.message
    assert (launch.fallbacks, launch.declined) == before
    backend.capabilities = {}
    backend.kernels = {name: kernel for name, kernel in backend.kernels.items() if name != "neg"}
    register_backend(backend)
    with native_runs() as native:
        assert search(operators()["neg"], backend, FEW, 1, 0.5).unclaimed
    assert ("mutant", "neg") not in native


def test_only_these_dtypes_are_drawn():
    subject = subject_for(operators()["gather"], ["float32", "int32"])
    assert not subject.samples  # gather's index is int64
    subject = subject_for(operators()["add.Tensor"], ["float32", "int32"], in_place=False, out=False)
    assert subject.dtypes == ("float32", "int32")
    assert {dtype for dtype, _ in subject.samples} == {"float32", "int32"}
    assert [form.name for form in subject.forms] == ["add.Tensor"]
    assert len(subject_for(operators()["add.Tensor"], ["float32"]).forms) == 3


def test_a_call_that_fails_but_once_is_shown(monkeypatch):
    """A backend that fails only sometimes does not confuse hypothesis."""
    seen = []

    def now_and_then(drawn: Any, backend: Any) -> str:
        seen.append(drawn.key)
        return "it fails\n" if len(seen) == 3 else ""

    monkeypatch.setattr(fuzzer, "check_claimed", now_and_then)
    found = search(operators()["neg"], broken(), FEW, 1, FOREVER)
    assert found.message.startswith("it fails\n(drawn with --seed 1;")


def test_shrinking_ends(monkeypatch):
    """When its time is over, the smallest failing call so far is shown."""
    monkeypatch.setattr(fuzzer, "SHRINKING_SECONDS", 0.0)
    found = found_with.__wrapped__(3)
    assert "1 failed on the way" in found.message and program_of(found.message)


@pytest.mark.parametrize("text", ["", "-1", "1.5", "often"])
def test_a_seed_is_a_number_or_random(text):
    assert plugin.seed_of("17") == 17
    assert 0 <= plugin.seed_of("random") < 10**6
    with pytest.raises(pytest.UsageError, match="--seed: expected a number or 'random'"):
        plugin.seed_of(text)


@pytest.mark.parametrize("text", ["", "-1", "inf", "nan", "long"])
def test_seconds_are_a_number_from_0_up(text):
    assert (plugin.seconds_of("0"), plugin.seconds_of("2.5")) == (0.0, 2.5)
    with pytest.raises(pytest.UsageError, match="--property-seconds: expected 0 or more seconds"):
        plugin.seconds_of(text)


class Watching:
    """A plugin that keeps the names of the tests, their outcomes, and pytest's configuration."""

    def __init__(self):
        self.outcomes = {}

    def pytest_runtest_logreport(self, report):
        found = dict(report.user_properties).get(verdicts.PROPERTY)
        if found is not None and report.when == "call":
            self.outcomes[found["test"]] = found["outcome"], found["message"]

    def pytest_collection_finish(self, session):
        self.names = [item.name for item in session.items]
        self.config = session.config


def ran(*options):
    """The outcomes of the suite for two operators with these options."""
    kept = Watching()
    command = ["-p", plugin.NAME, "-p", "no:terminal", "-p", "no:cacheprovider", "-c", os.devnull, "--pyargs"]
    command += ["gnomon_conformance.tests.test_properties", "gnomon_conformance.tests.test_forward"]
    command += ["--gnomon-backend", "reference", "--ops", r"^(neg|add\.Tensor)$", *options]
    kept.status = pytest.main(command, plugins=[kept])
    return kept


def collected(*options):
    kept = ran("--collect-only", *options)
    assert kept.status == pytest.ExitCode.OK
    return kept


def test_the_seconds_are_shared():
    kept = collected("--property-seconds", "3", "--seed", "12")
    assert {"test_property[neg-reference]", "test_property[add.Tensor-reference]"} < set(kept.names)
    assert kept.config.stash[plugin.searches_key] == 2
    assert plugin.search_options(kept.config) == {"--seed": "12", "--property-seconds": "3"}
    assert (
        plugin.pytest_report_header(kept.config)
        == f"gnomon: suite {SUITE_VERSION}, --seed 12 --property-seconds 3"
    )


def test_no_seconds_no_search():
    names = collected("--property-seconds", "0").names
    assert names and not any(name.startswith("test_property") for name in names)


def test_a_search_that_finds_nothing_makes_no_claim_stale(tmp_path):
    """A search may have ended too early to find the failure; a deterministic test can't."""
    known = tmp_path / "known.txt"
    known.write_text("fail property[neg] seldom wrong\nfail forward[neg-float32] fixed long ago\n")
    kept = ran("--property-seconds", "0.1", "--expectations", str(known), "--dtypes", "float32")
    assert kept.status == pytest.ExitCode.TESTS_FAILED
    assert {name: outcome for name, (outcome, _) in kept.outcomes.items()} == {
        "property[neg]": "pass",
        "property[add.Tensor]": "pass",
        "forward[neg-float32]": "stale claim",
        "forward[add.Tensor-float32]": "pass",
    }


def test_a_search_that_finds_what_is_known_is_no_failure(tmp_path, monkeypatch):
    known = tmp_path / "known.txt"
    known.write_text("fail property[*] seldom wrong\n")
    monkeypatch.setattr(fuzzer, "check_claimed", lambda drawn, backend: "it fails\n")
    kept = ran("--property-seconds", "0.1", "--expectations", str(known), "--dtypes", "float32")
    assert kept.status == pytest.ExitCode.OK
    for name in ("property[neg]", "property[add.Tensor]"):
        outcome, message = kept.outcomes[name]
        assert outcome == "fail" and message.startswith("it fails\n(drawn with")
