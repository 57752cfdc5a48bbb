"""benchmarks/gnomon_bench/guard.py: what it reports as slower, and what it does not."""

from __future__ import annotations

import contextlib
import os
import random
import subprocess
from pathlib import Path

import pytest

import gnomon as gn
from gnomon_bench import guard, instructions
from gnomon_bench.guard import FASTER, NOISE, SAME, SLOWER, Verdict, decide
from time_limits import LIMIT

DEFINITIONS = """
import os
import random
import time
from itertools import repeat
import numpy
from gnomon_bench.benchmark import Benchmark
from gnomon_bench.worker import SHAKEN


class Processor:
    # Its clock goes on by what was done, and is as noisy as a real one's, but no noisier where others work:
    # each reading is off by some per cent, each process by one.

    def __init__(self, seed):
        self.drawn = random.Random(seed)
        self.own = self.drawn.gauss(1, 0.01)
        self.done = self.seconds = 0.0

    def does(self, count):
        self.done += count

    def process_time(self):
        self.seconds += 1e-8 * self.done * self.own * self.drawn.lognormvariate(0, 0.05)
        self.done = 0.0
        return self.seconds


processor = Processor(int(os.environ.get(SHAKEN, "0")))
time.process_time = processor.process_time


def loop(name, slower):
    def make(library):
        count = int(2000 * (slower if "IS_HEAD" in os.environ else 1))

        def work():
            for _ in repeat(None, count):  # no numbers that take memory, now here and now there
                pass
            processor.does(count)

        return work

    return Benchmark(name, "test", make)


def kernel(name, slower):
    def make(library):
        count = 20_000 if library.name == "c" else 100
        count = int(count * (slower if "IS_HEAD" in os.environ else 1))
        x = library.tensor(numpy.linspace(0.1, 0.9, count), "float32")

        def work():
            x.exp()
            processor.does(count)

        return work

    return Benchmark(name, "test", make)


def broken(library):
    raise ValueError("on purpose")


BENCHMARKS = [
    *(loop(f"same {place}", 1) for place in range(10)),
    *(kernel(f"same {place}", 1) for place in range(10, 20)),
    *(loop(f"slower {place}", 1.1) for place in range(3)),
    *(kernel(f"slower {place}", 1.1) for place in range(3, 6)),
    loop("faster", 0.8),
    Benchmark("broken", "test", broken),
]
"""


def environments(tmp_path: Path) -> list[dict[str, str]]:
    path = tmp_path / "definitions.py"
    path.write_text(DEFINITIONS)
    base = {"GNOMON_BENCH_DEFINITIONS": str(path), "OMP_NUM_THREADS": "1"}
    return [base, {**base, "IS_HEAD": "1"}]


@pytest.mark.slow
@pytest.mark.skipif(os.environ.get("GNOMON_TEST_TIMES") != "1", reason="it depends on the machine's load")
def test_a_slowdown_of_10_per_cent_is_found_and_nothing_is_in_20_of_20_tries(tmp_path, monkeypatch):
    """Python loops and kernels: 20 benchmarks are unchanged, and six have a tenth more to do."""
    monkeypatch.setattr(instructions, "is_possible", lambda: False)
    base, head = environments(tmp_path)
    slower = [f"test/slower {place}" for place in range(6)]
    names = [*(f"test/same {place}" for place in range(20)), *slower, "test/faster", "test/broken"]
    backend = "c" if gn.backends()["c"].available else "reference"
    verdicts = {each.point: each for each in guard.compare(names, base, head, backend)}
    alarms = [name for name, each in verdicts.items() if each.outcome == SLOWER]
    assert alarms == slower
    assert verdicts["test/faster"].outcome == FASTER
    assert verdicts["test/broken"].outcome == guard.FAILED
    assert "ValueError: on purpose" in verdicts["test/broken"].problem
    shown = guard.table(list(verdicts.values())).splitlines()
    assert shown[0].startswith("slower") and "x 1.1" in shown[0] and "by time" in shown[0]


def noisy(drawn: random.Random, ratio: float, deviation: float) -> list[list[float]]:
    """The rounds of one measurement; each pair of processes is off by about one per cent."""
    pairs = []
    for _ in range(guard.PAIRS):
        own = ratio * drawn.gauss(1, 0.01)
        pairs.append([own * drawn.lognormvariate(0, deviation) for _ in range(guard.ROUNDS)])
    return pairs


def test_alarms_are_as_rare_as_is_said():
    drawn = random.Random(5)
    outcomes = [decide("p", noisy(drawn, 1.0, 0.08), 1).outcome for _ in range(3000)]
    assert outcomes.count(SLOWER) + outcomes.count(FASTER) <= 6  # at most 3 of each are expected
    found = [decide("p", noisy(drawn, 1.12, 0.05), 50).outcome for _ in range(200)]
    assert found.count(SLOWER) >= 190


def test_some_bad_pairs_of_processes_are_no_alarm():
    drawn = random.Random(6)
    slower, same = noisy(drawn, 1.3, 0.01), noisy(drawn, 1.0, 0.01)
    assert decide("p", slower, 1).outcome == SLOWER
    assert decide("p", [same[0], *slower[1:]], 1).outcome == SLOWER
    some = [*same[:2], *slower[2:]]
    assert decide("p", some, 1).outcome in (SAME, NOISE) and guard.may_have_moved(some)
    assert decide("p", [*some, *slower], 1).outcome == SLOWER
    assert decide("p", [*some, same[0], *slower[1:]], 1).outcome in (SAME, NOISE)
    assert guard.may_have_moved(slower) and not guard.may_have_moved(same)
    assert guard.may_have_moved([[1 / each for each in pair] for pair in slower])


def test_what_is_apart_without_agreement_is_not_called_the_same():
    for slow, others in (([1.14] * 15, [1.04] * 15), ([1.12] * 15, [1.0] * 15)):
        for pairs in (both := [slow] * 9 + [others] * 3, [[1 / each for each in pair] for pair in both]):
            assert decide("p", pairs, 1).outcome == NOISE
    assert decide("p", [[1.04] * 15] * 12, 1).outcome == SAME


def test_what_may_have_moved_is_looked_at_again(monkeypatch):
    drawn = random.Random(9)
    slower, same = noisy(drawn, 1.12, 0.01)[0], noisy(drawn, 1.0, 0.01)[0]
    scripts = {
        "slow": [same] * 2 + [slower] * 10,
        "by chance": [slower] * 6 + [same] * 6,
        "same": [same] * 6,
    }
    asked = []

    def take_pair(points, base, head, backend, rounds, problems, shaken):
        asked.append(list(points))
        next(shaken)
        for point in points:
            if point == "broken":
                problems[point] = "so"
            else:
                yield point, scripts[point].pop(0)

    monkeypatch.setattr(guard, "take_pair", take_pair)
    verdicts = list(guard.compare(["slow", "by chance", "same", "broken"], {}, {}, "reference"))
    assert [each.outcome for each in verdicts] == [SLOWER, SAME, SAME, guard.FAILED]
    looked = ["slow", "by chance", "same"]
    assert asked == [[*looked, "broken"], *[looked] * 5, *[looked[:2]] * 6]


def test_what_is_too_noisy_is_said_and_decided_by_instructions(tmp_path, monkeypatch):
    drawn = random.Random(7)
    unclear = decide("test/slower 0", noisy(drawn, 1.06, 0.4), 20)
    assert unclear.outcome == NOISE and unclear.spread > guard.NOISY
    base, head = environments(tmp_path)
    counts = {"": 1000.0, "1": 1100.0}
    asked = []

    def of_calls(points, library, environment):
        asked.append(points)
        return {"test/slower 0": counts[environment.get("IS_HEAD", "")]}

    monkeypatch.setattr(instructions, "is_possible", lambda: True)
    monkeypatch.setattr(instructions, "of_calls", of_calls)
    clear, absent = Verdict("test/same 0", SAME, 1.0, 0.01), unclear._replace(point="test/broken")

    def decided(*trees):
        return list(guard.by_instructions([clear, unclear, absent], "c", *trees))

    counted = Verdict("test/slower 0", SLOWER, 1.1, 0.0, "instructions")
    assert decided(base, head) == [clear, counted, absent]
    assert asked == [["test/slower 0", "test/broken"]] * 2
    assert decided(base, base)[1].outcome == SAME
    assert decided(head, base)[1].outcome == FASTER

    def fails(*given):
        raise instructions.CountingError("no valgrind")

    monkeypatch.setattr(instructions, "of_calls", fails)
    assert decided(base, head)[1] == unclear._replace(problem="no valgrind")
    monkeypatch.setattr(instructions, "is_possible", lambda: False)
    assert decided(base, head)[1] == unclear


@pytest.mark.slow
@pytest.mark.skipif(not instructions.is_possible(), reason="needs valgrind")
def test_instructions_of_several_benchmarks_are_counted_in_one_process(tmp_path):
    names = ["test/same 0", "test/broken", "test/slower 0"]
    counts = instructions.of_calls(names, "reference", environments(tmp_path)[1])
    assert sorted(counts) == ["test/same 0", "test/slower 0"]
    assert counts["test/slower 0"] / counts["test/same 0"] == pytest.approx(1.1, abs=0.03)


def test_the_tail_is_the_binomial_distribution_s():
    assert guard.tail(0, 10) == 1.0
    assert guard.tail(10, 10) == 2.0**-10
    assert guard.tail(9, 10) == 11 * 2.0**-10


def test_what_is_watched_has_small_calls_and_kernels():
    names = {point.name for point in guard.watched()}
    assert {"dispatch/add", "dispatch/add, recorded", "autograd/node backward, mul and add"} <= names
    assert any(name.startswith("pointwise/exp[size=4096") for name in names)
    assert all(point.elements <= guard.LARGEST for point in guard.watched())
    assert [point.name for point in guard.watched("^dispatch/item")] == ["dispatch/item"]


def test_a_tree_finds_itself_before_what_is_installed(tmp_path):
    environment = guard.environment_of(tmp_path)
    assert environment["PYTHONPATH"].split(":")[0] == str(tmp_path / "reference")
    assert environment["OMP_NUM_THREADS"] == "1"


def test_a_commit_that_is_not_there_is_an_error():
    root = Path(gn.__file__).parents[2]
    if subprocess.run(["git", "rev-parse"], cwd=root, capture_output=True, timeout=LIMIT).returncode:
        pytest.skip("this is no checkout")
    with pytest.raises(guard.TreeError, match="git rev-parse"):
        with guard.tree_of("no-such-commit"):
            pass
    assert guard.main(["--base", "no-such-commit", "--ops", "^dispatch/item$"]) == 2


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--ops", "("], "--ops: "),
        (["--ops", "no such"], "no benchmarks were selected"),
        (["--pairs", "0"], "--pairs: expected at least 1"),
        (["--rounds", "1"], "--rounds: at least 2"),
    ],
)
def test_wrong_options_are_refused(arguments, text, capsys):
    with pytest.raises(SystemExit) as ended:
        guard.main(arguments)
    assert ended.value.code == 2 and text in capsys.readouterr().err


def test_too_few_rounds_to_tell_are_refused():
    with pytest.raises(ValueError, match="1 pairs of 8 rounds are too few to tell 2 benchmarks"):
        next(guard.compare(["a", "b"], {}, {}, "reference", pairs=1, rounds=8))


@pytest.mark.parametrize(("outcome", "status"), [(SAME, 0), (FASTER, 0), (SLOWER, 1), (NOISE, 2)])
def test_the_status_says_what_was_found(outcome, status, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(guard, "tree_of", lambda commit: contextlib.nullcontext(tmp_path))
    monkeypatch.setattr(guard, "stale", lambda root: "")
    monkeypatch.setattr(guard, "compare", lambda *given, **more: [Verdict("p", outcome, 1.3, 0.4)])
    assert guard.main(["--ops", "^dispatch/item$"]) == status


class Scripted:
    """A worker without a process."""

    def __init__(self, label, log):
        self.label, self._log = label, log

    def ask(self, do, **more):
        self._log.append((self.label, do, more.get("count")))
        if do == "make":
            return {"loops": 7 if self.label == "base" else 9}
        return {"seconds": 2.0 if self.label == "base" else 3.0}


def test_they_take_turns_with_as_many_calls():
    log = []
    ratios = guard.take_rounds("p", Scripted("base", log), Scripted("head", log), 4, guard.Plan())
    assert ratios == [1.5] * 4
    assert [label for label, do, _ in log if do == "sample"] == ["base", "head"] * 4
    assert [count for _, do, count in log if do == "loops"] == [9, 9]


@pytest.mark.parametrize("is_of_processor", [True, False])
def test_seconds_are_the_processor_s_where_the_work_is_done_on_it(is_of_processor):
    base, head = Scripted("base", []), Scripted("head", [])
    asked = []
    for worker in (base, head):
        ask = worker.ask

        def noted(do, ask=ask, **more):
            if do == "sample":
                asked.append(more["of_processor"])
            return ask(do, **more)

        worker.ask = noted
    guard.take_rounds("p", base, head, 2, guard.Plan(), is_of_processor)
    assert asked == [is_of_processor] * 4


def test_a_tree_whose_extensions_are_older_than_their_sources_is_refused(tmp_path, monkeypatch, capsys):
    def write(name, seconds):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
        os.utime(path, (seconds, seconds))

    isa = guard.isas()[-1]
    library = "_native.abi3.so" if isa == "baseline" else f"_native_{isa}.abi3.so"
    write("csrc/c/a.c", 100)
    write("setup.py", 50)
    write(f"backends/gnomon_c/{library}", 200)
    write("backends/gnomon_speedups/_speedups.abi3.so", 150)
    assert guard.stale(tmp_path) == ""
    write("csrc/speedups/b.c", 160)
    problem = guard.stale(tmp_path)
    assert problem.startswith("backends/gnomon_speedups/_speedups.abi3.so is older than csrc/speedups/b.c")
    write("csrc/c/new.c", 300)
    assert guard.stale(tmp_path).startswith(f"backends/gnomon_c/{library} is older than csrc/c/new.c")
    monkeypatch.setattr(guard, "ROOT", tmp_path)
    assert guard.main(["--ops", "^dispatch/item$"]) == 2
    assert "is older than csrc/c/new.c: build it" in capsys.readouterr().err
