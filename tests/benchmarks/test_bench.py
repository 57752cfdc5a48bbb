"""benchmarks/gnomon_bench: the definitions, alternating runs, figures, limits, the command and its page."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import subprocess
import sys

import numpy
import pytest

import gnomon as gn
from gnomon_bench import bench, census, definitions, figures, limits, page, sampling, summary, worker
from gnomon_bench.benchmark import Cost, Point
from gnomon_bench.library import Library, open_library
from gnomon_bench.sampling import Subject, rest
from gnomon_bench.turns import Plan, Worker, WorkerError, sample
from gnomon_conformance.census import Census, save

SMALL = 2**12  # elements, or multiply-adds, of the benchmarks that run here
FEW = [
    point
    for benchmark in definitions.BENCHMARKS
    for point in [min(benchmark.points(), key=lambda each: each.elements)]
    if point.elements <= SMALL
]


@pytest.fixture(autouse=True)
def _same_device():
    """Restore the default device, which opening a library changes."""
    before = gn.get_default_device()
    yield
    gn.set_default_device(before)


@pytest.mark.parametrize("point", FEW, ids=[point.name for point in FEW])
def test_each_definition_does_the_same_on_gnomon_and_numpy(point):
    opened = open_library("reference")
    assert point.is_for(opened)
    found = point.make(opened)()
    if point.benchmark.is_timed:
        assert 0 < found < 60
        return
    other = open_library("peer:numpy")
    if not point.is_for(other) or point.benchmark.group == "random":
        return
    expected = point.make(other)()
    for ours, theirs in zip(_each(found), _each(expected)):
        theirs = numpy.asarray(theirs)
        if point.benchmark.name in ("var of rows", "nonzero", "median"):  # NumPy's have another meaning
            continue
        assert tuple(ours.shape) == theirs.shape
        numpy.testing.assert_allclose(ours.numpy(), theirs, rtol=1e-4, atol=1e-4)


def _each(result):
    if not isinstance(result, (tuple, list)):
        return [result if hasattr(result, "shape") else gn.tensor(result)]
    return list(result)


def test_names_are_the_only_ones_and_costs_grow_with_sizes():
    points = [point for each in definitions.BENCHMARKS for point in each.points()]
    assert len({point.name for point in points}) == len(points)
    for each in definitions.BENCHMARKS:
        if each.cost is None or "size" not in each.axes:
            continue
        ordered = sorted(each.points(), key=lambda point: point.values["size"])
        assert ordered[0].cost.bytes < ordered[-1].cost.bytes
        assert ordered[0].elements < ordered[-1].elements
    (product,) = [point for point in points if point.name == "products/matmul[side=16, dtype=float32]"]
    assert product.cost == Cost(2 * 16**3, 3 * 4 * 16**2)
    wanted = {"dispatch", "autograd", "pointwise", "reductions", "products", "convolutions", "indexing"}
    wanted |= {"copies", "sorting", "random", "training", "transforms", "loading"}
    assert wanted | {"linear algebra", "special", "sparse"} == set(definitions.groups())


def test_the_usual_points_change_one_axis_at_a_time():
    (added,) = [each for each in definitions.find("pointwise") if each.name == "add"]
    usual = list(bench.usual(added))
    assert len(usual) == 1 + (len(added.axes["size"]) - 1) + (len(added.axes["dtype"]) - 1)
    assert usual[0].name == "pointwise/add[size=1048576, dtype=float32]"


class Counting(Library):
    name, kind = "counting", "gnomon"


def test_a_subject_counts_calls_and_units():
    calls = []
    subject = Subject(lambda: calls.append(1), lambda: calls.append("finished"), False, 4)
    calls.clear()
    subject.loops = 10
    seconds = subject.sample()
    assert calls.count(1) == 11 and calls[-1] == "finished"  # one call before the timed ones is not counted
    assert seconds > 0
    timed = Subject(lambda: 6.0, lambda: None, True, 3)
    timed.loops = 5
    assert timed.sample() == 2.0


@pytest.mark.parametrize(("spinning", "looks"), [(0, 1), (5, 6), (10_000, sampling.MOST_LOOKS)])
def test_a_library_rests_until_its_threads_sleep(spinning, looks, monkeypatch):
    """The threads are busy in the first ``spinning`` looks, each of which sees half a processor in use."""
    slept = []

    class Clock:
        sleep = staticmethod(slept.append)

        @staticmethod
        def process_time():
            return min(len(slept), spinning) * sampling.LOOK_SECONDS / 2

    monkeypatch.setattr(sampling, "time", Clock)
    rest()
    assert slept == [sampling.LOOK_SECONDS] * looks


class Scripted(Worker):
    """A worker without a process, with scripted answers."""

    def close(self):
        pass

    def __init__(self, label, log, first=0.0, refuse=(), skip=False, seconds=()):
        self.name = self.label = label
        self._log, self._first, self._refuse, self._skip = log, first, refuse, skip
        self._seconds = list(seconds)

    def ask(self, do, **more):
        self._log.append((self.label, do))
        if do in self._refuse:
            raise WorkerError(f"no {do}")
        if do == "make":
            return {"skipped": "so"} if self._skip else {"first": self._first, "loops": 1}
        return {"seconds": self._seconds.pop(0) if self._seconds else 1.0}


def test_libraries_take_turns_and_each_goes_first():
    log = []
    workers = [Scripted(name, log) for name in "abc"]
    samples, refused = sample("point", workers, Plan(rounds=3))
    assert samples == {"a": [1.0] * 3, "b": [1.0] * 3, "c": [1.0] * 3} and refused == {}
    assert [label for label, do in log if do == "sample"] == [*"abc", *"bca", *"cab"]
    assert [do for _, do in log[-3:]] == ["drop"] * 3


@pytest.mark.parametrize(("disturbed", "rounds"), [([], 5), ([8.0], 10), ([1.0, 8.0] * 8, 15)])
def test_samples_that_are_far_apart_are_followed_by_more(disturbed, rounds):
    workers = [Scripted("quiet", []), Scripted("disturbed", [], seconds=disturbed)]
    samples, _ = sample("point", workers, Plan(rounds=5))
    assert {label: len(times) for label, times in samples.items()} == {"quiet": rounds, "disturbed": rounds}


def test_one_that_fails_or_is_slow_leaves_the_others_alone():
    log = []
    workers = [
        *(Scripted("fails", log, refuse=("make",)), Scripted("ends", log, refuse=("sample",))),
        *(Scripted("skips", log, skip=True), Scripted("slow", log, first=9.0), Scripted("good", log)),
    ]
    samples, refused = sample("point", workers, Plan(rounds=5, most=1.0))
    assert samples == {"slow": [1.0] * 3, "good": [1.0] * 5}
    assert refused == {"fails": "no make", "ends": "no sample"}


def test_a_worker_s_process_makes_samples_and_says_what_is_wrong():
    process = Worker("reference")
    try:
        assert process.label == "reference" and process.version.startswith("gnomon ")
        told = process.ask("make", point="dispatch/add", seconds=0.001, most=1.0)
        assert told["loops"] >= 1 and told["first"] > 0
        assert 0 < process.ask("sample")["seconds"] < 1
        assert "skipped" in process.ask(
            "make", point="copies/float32 to bfloat16[side=32]", seconds=0.001, most=1.0
        ) or process.ask("sample")
        with pytest.raises(WorkerError, match="KeyError: 'no such point'"):
            process.ask("make", point="no such point", seconds=0.001, most=1.0)
        with pytest.raises(WorkerError, match="AssertionError"):
            process.ask("sample")
    finally:
        process.close()
    with pytest.raises(WorkerError, match="nonesuch"):
        Worker("nonesuch")


def test_figures():
    assert figures.spread([3.0, 1.0, 2.0, 4.0, 5.0]) == (3.0, 2.0, 4.0)
    assert figures.spread([7.0]) == (7.0, 7.0, 7.0)
    same = figures.ratio([2.0] * 9, [1.0] * 9)
    assert same == (2.0, 2.0, 2.0)
    rounds = [1.0 + 0.1 * (each % 3) for each in range(30)]
    both = figures.ratio([2 * each for each in rounds], rounds)  # resampled in pairs: common noise cancels
    assert both.value == both.low == both.high == 2.0
    apart = figures.ratio([1.0, 2.0, 3.0], [1.0, 2.0, 3.0, 4.0, 5.0])
    assert apart.low < apart.value < apart.high
    assert figures.geometric_mean([4.0, 1.0]) == 2.0 and figures.geometric_mean([]) == 1.0
    texts = [figures.in_units(each) for each in (2.0, 0.0123, 4.5e-6, 7e-9)]
    assert texts == ["2 s", "12.3 ms", "4.5 us", "7 ns"]


def test_limits_are_measured_and_bound_what_work_takes():
    found = limits.Limits(((50.0, 200.0), (150.0, 400.0), (1000.0, 100.0)), 1000.0, 0.5, 1, "hand")
    assert found.seconds(Cost(operations=2000, bytes=300)) == 0.5 + 3.0
    assert found.seconds(Cost(operations=4000, bytes=300)) == 0.5 + 4.0
    assert found.bandwidth == 100.0
    # a smaller copy reaches at least the bandwidth of a larger one
    assert [found.bandwidth_of(each) for each in (10, 50, 100, 200, 5000)] == [
        400.0,
        400.0,
        400.0,
        100.0,
        100.0,
    ]
    bandwidths, operations, source = limits._by_numpy()
    assert all(rate > 1e8 for _, rate in bandwidths) and operations > 1e8 and source == "NumPy"
    by_c = limits._by_c(1)
    if by_c is not None:
        assert by_c[1] > 1e8 and [size for size, _ in by_c[0]] == [
            2.0 ** (14 + 2 * each) for each in range(8)
        ]
    assert 0 < limits._call() < 1e-4


def test_an_accelerator_has_limits_of_its_own(monkeypatch, capsys):
    library = open_library("c")
    assert library.accelerator == ""  # not an accelerator, but treated as one below
    monkeypatch.setattr(limits, "ENOUGH", 1e-5)
    found = limits.of_accelerator(library)
    sizes = [size for size, _ in found.bandwidths]
    assert sizes == [2.0**15 * 4**each for each in range(len(sizes))]
    assert all(rate > 1e8 for _, rate in found.bandwidths) and found.operations > 1e8
    assert 0 < found.call < 1e-3 and (found.threads, found.source) == (0, "c")
    others = limits.Limits(((2.0**15, 1.0), (2.0**40, 5.0)), 1e30, 1.0, 0, "PyTorch on cuda")
    both = limits.best_of([found, others])
    assert both.bandwidths == (*found.bandwidths, (2.0**40, 5.0))
    assert (both.operations, both.call, both.source) == (1e30, found.call, "c, PyTorch on cuda")

    class Told(Scripted):
        def ask(self, do, **more):
            assert do == "limits"
            if self.label == "broken":
                raise WorkerError("on purpose")
            return json.loads(json.dumps((found if self.label == "cuda" else others)._asdict()))

    host = limits.Limits(((1e6, 1e9),), 1e10, 1e-8, 2, "hand")
    workers = [Told(label, []) for label in ("c", "cuda", "PyTorch on cuda", "broken")]
    for each in workers:
        each.accelerator = "" if each.label == "c" else "other" if each.label == "broken" else "cuda"
    of_each = bench._limits_of_each(workers, host)
    best = limits.best_of([found, others])._replace(source="cuda, PyTorch on cuda")
    assert of_each == {"c": host, "cuda": of_each["cuda"], "PyTorch on cuda": of_each["cuda"], "broken": None}
    assert of_each["cuda"]._replace(source="") == best._replace(source="")
    assert "no limits measured by broken: on purpose" in capsys.readouterr().err
    shown = bench.Table(of_each).heading().splitlines()
    assert [line.startswith("limits: ") for line in shown] == [True, True, False, False]


def test_a_long_name_is_shown_whole_above_its_figures():
    benchmark = definitions.BENCHMARKS[0]
    short, long = (
        Point(dataclasses.replace(benchmark, name="x"), {}),
        Point(dataclasses.replace(benchmark, name="x" * 42), {"a": 1}),
    )
    table = bench.Table({"c": None, "d": None})
    samples = {"c": [1.0, 2.0, 3.0], "d": [1.0, 1.0, 1.0]}
    lines = [table.row(bench.Result(point, samples, {})).splitlines() for point in (short, long)]
    assert lines[0] == [f"{benchmark.group}:", f"  {'x':42}{'2 s':>10}{'':17}{'1 s':>10}{'0.50':>10}"]
    assert lines[1] == [f"  {'x' * 42}[a=1]", f"{'':44}{'2 s':>10}{'':17}{'1 s':>10}{'0.50':>10}"]


def test_without_a_compiler_numpy_measures(monkeypatch):
    monkeypatch.setenv("CC", "/nonexistent/cc")
    monkeypatch.setattr(limits, "_by_numpy", lambda: (((8.0, 1.0),), 2.0, "NumPy"))
    found = limits.measure(3)
    assert (found.bandwidth, found.operations, found.threads, found.source) == (1.0, 2.0, 3, "NumPy")


def run(*arguments):
    command = [sys.executable, "-m", "gnomon.cli", "bench", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=600)


@pytest.mark.slow
def test_the_command_writes_table_data_and_page(tmp_path):
    asked = ("--backends", "reference", "--peers", "numpy", "--ops", r"^dispatch/(add|index|add in place)$")
    done = run(*asked, "--quick", "--threads", "1", "--report", str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert re.search(r"^  add +\S+ \S+ +\S+ \S+ +\d+\.\d\d$", done.stdout, re.MULTILINE), done.stdout
    assert re.search(r"^  add in place +- +\S+ \S+$", done.stdout, re.MULTILINE), done.stdout
    assert "geometric means of the ratios to NumPy" in done.stdout
    data = json.loads((tmp_path / "bench.json").read_text())
    assert [each["label"] for each in data["libraries"]] == ["NumPy", "reference"]
    rows = {each["name"]: each for each in data["results"]}
    assert list(rows["dispatch/add in place"]["samples"]) == ["reference"]
    added = rows["dispatch/add"]
    count = len(added["samples"]["reference"])
    assert count == len(added["samples"]["NumPy"]) and count in [bench.QUICK.rounds * n for n in (1, 2, 3)]
    low, high = added["quarters"]["reference"]
    assert low <= added["median"]["reference"] <= high
    assert added["ratio"]["reference"][0] == added["median"]["reference"] / added["median"]["NumPy"]
    text = (tmp_path / "bench.html").read_text()
    assert text.startswith("<!doctype html>") and "<td>add in place" in text
    assert not re.search(r"(src|href)=.https?:", text), "nothing is loaded from elsewhere"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["bench.html", "bench.json"]


def test_a_page_has_plots_and_escapes_names():
    pytest.importorskip("matplotlib")
    point = Point(definitions.BENCHMARKS[0], {})
    heavy = next(each for each in definitions.find("products") if each.name == "matmul")
    big = next(iter(heavy.points()))
    results = [
        bench.Result(point, {"a<b": [1.0, 2.0, 3.0], "c": [2.0, 4.0, 6.0]}, {}),
        bench.Result(big, {"a<b": [0.1], "c": [0.05, 0.06]}, {"d": 'so "it" failed'}),
    ]
    log = []
    workers = [Scripted(label, log) for label in ("a<b", "c", "d")]
    for each in workers:
        each.version = "1"
    found = limits.Limits(((1e6, 1e9),), 1e10, 1e-8, 2, "hand")
    of_each = dict.fromkeys(("a<b", "c"), found) | {
        "d": found._replace(operations=2e10, threads=0, source="d")
    }
    data = bench.as_data(results, workers, of_each, found, Plan(), 3.0, 5)
    text = page.render(data)
    assert "What a&lt;b, c can reach at best: 1 GB/s copied, 10 GFLOP/s (float32), 10 ns a call (2 " in text
    assert "What d can reach at best: 1 GB/s copied, 20 GFLOP/s (float32), 10 ns a call (by d)." in text
    assert ", 3 s, stopped after 2 of 5 points" in text
    assert text.count("<svg") == 3 and "a&lt;b" in text and "<th>a<b" not in text
    assert "failed" in text and "so &quot;it&quot; failed" in text
    assert "class=slow" in text
    shown = summary.markdown(data, [("a title", "a.svg")])
    assert "![a title](a.svg)" in shown and "| matmul[size" not in shown
    assert "| matmul[side=512, dtype=float32] | 100 ms, 27% | 55 ms, 0.55, 49% | failed |" in shown
    assert "| dispatch | 2.00 |  |" in shown
    assert ", 3 s, stopped after 2 of 5 points\n" in shown
    assert "stopped" not in summary.markdown({**data, "asked": 2}, [])
    row = data["results"][1]
    reached = 1e-8 + 2 * 512**3 / 1e10
    assert row["limit"] == pytest.approx({"a<b": reached, "c": reached, "d": 1e-8 + 512**3 / 1e10})
    assert "- limits for d: 1 GB/s copied, 20 GFLOP/s (float32), 10 ns a call (by d)" in shown


def test_an_interrupted_run_says_so_and_leaves_a_whole_report_alone(tmp_path, monkeypatch, capsys):
    found = limits.Limits(((1e6, 1e9),), 1e10, 1e-8, 2, "hand")
    monkeypatch.setattr(limits, "measure", lambda threads: found)
    first = [Scripted("reference", [])]
    first[0].version, first[0].accelerator = "1", ""
    monkeypatch.setattr(bench, "_start", lambda names, options: first)

    def interrupted(*given):
        raise KeyboardInterrupt

    asked = ["--backends", " reference, reference", "--peers", "none", "--ops", "^dispatch/add$"]
    asked += ["--report", str(tmp_path)]
    monkeypatch.setattr(bench, "sample", interrupted)
    assert bench.main(asked) == 130
    assert json.loads((tmp_path / "bench.json").read_text())["results"] == []
    (tmp_path / "bench.json").write_text("whole")
    assert bench.main(asked) == 130
    assert (tmp_path / "bench.json").read_text() == "whole"
    assert "was not changed" in capsys.readouterr().err
    monkeypatch.setattr(limits, "measure", interrupted)
    assert bench.main(asked) == 130


@pytest.mark.slow
def test_a_census_is_timed(tmp_path):
    with Census() as recorded:
        for _ in range(3):
            gn.ones(4) + gn.ones(4)
    path = tmp_path / "census.json"
    save(path, "program.py", recorded.calls())
    names = [point.name for point in census.points(path)]
    assert "program.py/1 add.Tensor(float32[4], float32[4], 1)" in names
    assert census.counts(path)["program.py/1 add.Tensor(float32[4], float32[4], 1)"] == 3
    assert set(worker.points_of(str(path))) == set(names)
    done = run("--census", str(path), "--backends", "reference", "--quick")
    assert done.returncode == 0, done.stderr
    assert "all calls of the program:" in done.stdout
    assert f"({len(names)} of {len(names)} kinds of calls)" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--backends", "nonesuch"], "unknown backend 'nonesuch'"),
        (["--peers", "nonesuch"], "expected some of torch, numpy, jax, tinygrad, or none; got 'nonesuch'"),
        (["--ops", "("], "--ops: "),
        (["--ops", "^nothing$"], "no benchmarks were selected"),
        (["--rounds", "1"], "--rounds: at least 2"),
        (["--census", "/nonexistent"], "--census: "),
        (["--census", "lstm", "--group", "dispatch"], "--census cannot be combined with --group"),
        (["--census", "lstm", "--peers", "torch"], "--all or --peers"),
        (["--ops", "^dispatch/item$", "--report", "/dev/null/there"], "--report: "),
    ],
)
def test_wrong_commands_are_refused(arguments, problem, capsys, monkeypatch):
    monkeypatch.setattr(limits, "measure", lambda threads: limits.Limits(((1.0, 1.0),), 1.0, 1.0, 1, "hand"))
    with pytest.raises(SystemExit) as ended:
        bench.main(arguments)
    assert ended.value.code == 2
    assert problem in capsys.readouterr().err


def test_the_list_is_what_would_be_timed(capsys):
    assert bench.main(["--list", "--group", "sorting", "--ops", "topk"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"sorting/topk(10)[size={size}]" for size in definitions.find("sorting")[1].axes["size"]
    ]


def test_a_summary_says_what_is_wrong_with_its_report(tmp_path, capsys):
    report = tmp_path / "bench.json"
    texts = {
        None: "is not a report: FileNotFoundError",
        "{": "is not a report: JSONDecodeError",
        "{}": "is not a report: KeyError",
        "[]": "is not a report: TypeError",
        '{"format": 1}': "has format 1, expected 2: create it again",
        '{"format": 2}': "is not a folder",
    }
    for text, problem in texts.items():
        if text is not None:
            report.write_text(text)
        with pytest.raises(SystemExit) as ended:
            summary.main([str(report), str(tmp_path / "there")])
        assert ended.value.code == 2 and problem in capsys.readouterr().err


def test_a_shaken_process_keeps_what_a_number_says(monkeypatch):
    assert worker.shake() == []
    monkeypatch.setenv(worker.SHAKEN, "3")
    sizes = [len(each) for each in worker.shake()]
    assert len(sizes) == 16 and all(2**10 <= size < 2**15 for size in sizes)
    assert [len(each) for each in worker.shake()] == sizes
    monkeypatch.setenv(worker.SHAKEN, "4")
    assert [len(each) for each in worker.shake()] != sizes


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="the system has no say in cores")
def test_a_worker_may_be_kept_on_one_core():
    core = max(os.sched_getaffinity(0))
    kept = Worker("reference", core=core)
    try:
        assert os.sched_getaffinity(kept._process.pid) == {core}
    finally:
        kept.close()
