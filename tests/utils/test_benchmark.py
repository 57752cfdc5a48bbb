"""utils.benchmark: times of statements, what is said about them, and tables of them."""

import random

import pytest

import gnomon as gn
from gnomon.utils import benchmark


class Clock:
    """A clock that says that each block of runs took the next of some times."""

    def __init__(self, *times):
        self.times, self.now, self.is_running = iter(times), 0.0, False

    def __call__(self):
        if self.is_running:
            self.now += next(self.times)
        self.is_running = not self.is_running
        return self.now


def measured(times, runs=1, module=benchmark, **names):
    names = {"stmt": "f(x)", "setup": "pass", **names}
    return module.Measurement(runs, list(times), module.TaskSpec(**names))


def test_a_timer_measures_blocks_of_runs():
    ran = []
    timer = benchmark.Timer(
        "ran.append(gn.get_num_threads())",
        setup="ran.append('setup')",
        timer=Clock(1.0, 8.0),
        globals={"ran": ran},
        label="append",
        num_threads=1,
    )
    found = timer.timeit(4)
    assert ran == ["setup", 1, 1, "setup", 1, 1, 1, 1]  # two to warm up
    assert (found.raw_times, found.number_per_run, found.median) == ([8.0], 4, 2.0)
    assert found.title == found.label == "append" and found.setup == "ran.append('setup')"
    # Five times of nothing, one of a block of one run, which is long enough, and blocks until 0.2 s are over.
    heard = []
    timer = benchmark.Timer("pass", timer=Clock(*[1e-9] * 5, 0.1, 0.1, 0.15))
    found = timer.blocked_autorange(callback=lambda number, time: heard.append((number, time)))
    assert found.raw_times == pytest.approx([0.1, 0.15]) and found.number_per_run == 1
    assert [number for number, _ in heard] == [1, 1]
    # Until three quarters of the times are equal.
    times = [0.2, 0.2, *[0.1] * 7]
    timer = benchmark.Timer("pass", timer=Clock(*[1e-9] * 5, 0.1, *times, 0.1))
    assert timer.adaptive_autorange().raw_times == pytest.approx(times)


def test_a_real_clock_is_read():
    found = benchmark.Timer("x + x", globals={"x": gn.ones(2)}).blocked_autorange(min_run_time=0.001)
    assert sum(found.raw_times) >= 0.001 and found.median > 0


def test_the_statistics_are_those_of_one_run():
    found = measured([4.0, 2.0, 6.0, 8.0, 20.0], runs=2)
    assert found.times == [2.0, 1.0, 3.0, 4.0, 10.0]
    assert (found.median, found.mean, found.iqr) == (3.0, 4.0, 2.0)
    assert found.has_warnings and found.meets_confidence(0.7)
    assert measured([1.0] * 5).significant_figures == 4
    assert measured([1.0, 2.0, 3.0, 4.0, 5.0]).significant_figures == 1
    first, second = measured([2.0], runs=2), measured([3.0])
    (merged,) = benchmark.Measurement.merge([first, second])
    assert (merged.raw_times, merged.number_per_run) == ([1.0, 3.0], 1)
    assert [benchmark.select_unit(time)[0] for time in (2e-9, 2e-6, 2e-3, 2, 2e-12)] == [
        *("ns", "us", "ms", "s"),
        "s",
    ]
    assert benchmark.trim_sigfig(3.14159, 2) == pytest.approx(3.1)
    assert benchmark.trim_sigfig(31415.9, 2) == 31000.0


def test_a_measurement_says_what_it_is():
    lines = repr(measured([1e-6, 1.2e-6, 1.6e-6, 4e-6], label="sum", sub_label="4x4")).split("\n")
    assert lines[0].startswith("<gnomon.utils.benchmark.measurement.Measurement object at ")
    assert lines[1:] == [
        "sum: 4x4",
        "  Median: 1.40 us",
        "  IQR:    1.05 us (1.15 to 2.20)",
        "  4 measurements, 1 runs per measurement, 1 thread",
        "  WARNING: Interquartile range is 75.0% of the median measurement.",
        "           This suggests significant environmental influence.",
    ]


def test_a_table_has_a_row_for_each_label_and_threads():
    rows = [
        measured([1.5e-6], sub_label="4x4", description="c", label="sum"),
        measured([2.5e-6], sub_label="4x4", description="numpy", label="sum"),
        measured([40e-6], sub_label="9x9", description="c", label="sum", num_threads=2),
    ]
    compare = benchmark.Compare(rows)
    assert str(compare).split("\n") == [
        "[---------- sum -----------]",
        "           |   c    |  numpy",
        "1 threads: -----------------",
        "      4x4  |   1.5  |   2.5 ",
        "2 threads: -----------------",
        "      9x9  |  40.0  |       ",
        "",
        "Times are in microseconds (us).",
        "",
    ]
    with pytest.raises(ValueError, match="Expected an instance of `Measurement`, got <class 'int'> instead"):
        compare.extend_results([1])


def test_what_is_not_there_says_so():
    timer = benchmark.Timer("pass")
    with pytest.raises(NotImplementedError, match="collect_callgrind: gnomon does not count instructions"):
        timer.collect_callgrind()
    with pytest.raises(NotImplementedError, match="See `Timer"):
        timer.autorange()
    with pytest.raises(NotImplementedError, match="compiles no C"):
        benchmark.Timer("f();", language="c++")
    with pytest.raises(ValueError, match="Invalid language `r`"):
        benchmark.Timer("f", language="r")
    with pytest.raises(ValueError, match="Currently only a `str` stmt is supported"):
        benchmark.Timer(print)
    with pytest.raises(AttributeError, match="gnomon counts no instructions"):
        benchmark.CallgrindStats  # noqa: B018


def parts_of(module):
    """Parameters and tensors of a Fuzzer."""
    library = gn if module is benchmark else pytest.importorskip("torch")
    parameters = [
        module.FuzzedParameter("dim", distribution={1: 0.5, 2: 0.5}, strict=True)
        if module is benchmark
        else module.FuzzedParameter("dim", 1, 2, "uniform", strict=True),
        [module.FuzzedParameter("n", 2, 64, "loguniform"), module.FuzzedParameter("k", 1, 2, "uniform")],
        module.FuzzedParameter("p", 0.0, 1.0, "uniform"),
    ]
    tensors = [
        module.FuzzedTensor("x", ("n", "n"), ("k", 1), max_elements=512, dim_parameter="dim"),
        module.FuzzedTensor("y", (3,), dtype=library.int64),
    ]
    return parameters, tensors


def test_a_fuzzer_draws_what_fits():
    pytest.importorskip("numpy")
    parameters, tensors = parts_of(benchmark)
    fuzzer = benchmark.Fuzzer(parameters, tensors, [lambda params: params["n"] != 5], seed=3)
    first, again = list(fuzzer.take(20)), list(fuzzer.take(20))
    for (made, properties, params), (same, _, others) in zip(first, again):
        assert params == others and made["x"].tolist() == same["x"].tolist()
        assert made["x"].dim() == params["dim"] and made["x"].shape[0] == params["n"] != 5
        assert properties["x"]["numel"] == made["x"].numel() <= 512
        assert properties["x"]["is_contiguous"] is made["x"].is_contiguous()
        assert made["y"].dtype is gn.int64 and made["y"].shape == (3,) and made["y"].min().item() >= 1
    assert {made["x"].is_contiguous() for made, _, _ in first} == {True, False}
    assert 0 < fuzzer.rejection_rate < 1
    alias = benchmark.FuzzedParameter("m", distribution={benchmark.ParameterAlias("n"): 1.0})
    ((_, _, params),) = benchmark.Fuzzer([parameters[1], alias], [], seed=1).take(1)
    assert params["m"] == params["n"]
    with pytest.raises(ValueError, match="ParameterAlias cycle detected"):
        circle = benchmark.FuzzedParameter("n", distribution={benchmark.ParameterAlias("m"): 1.0})
        list(benchmark.Fuzzer([circle, alias], []).take(1))
    with pytest.raises(ValueError, match="Duplicate names in parameters and tensors: "):
        benchmark.Fuzzer([benchmark.FuzzedParameter("y", 1, 2, "uniform")], tensors)
    with pytest.raises(AssertionError, match="Unknown distribution: normal"):
        benchmark.FuzzedParameter("y", 1, 2, "normal")
    with pytest.raises(AssertionError, match="Distribution is not normalized"):
        benchmark.FuzzedParameter("y", distribution={1: 0.5})


@pytest.mark.oracle
def test_texts_and_numbers_are_pytorch_s():
    theirs = pytest.importorskip("torch.utils.benchmark")
    generator = random.Random(1)
    both = ([], [])
    for number in range(60):
        times = [
            (1 + number) * 10 ** (number % 4 - 8) * (2 + generator.random() * (number % 3))
            for _ in range(1 + number % 7)
        ]
        names = {
            "label": ["sum", "product", None][number % 3],
            "sub_label": [None, "4x4", "a longer name"][number // 3 % 3],
            "description": ["c", "numpy", None][number // 9 % 3] or "other",
            "num_threads": 1 + number % 2,
            "setup": ["pass", "x = 1", "x = 1\ny = 2"][number % 3],
            "stmt": ["f(x)", "a\nb"][number % 2],
        }
        for module, found in zip((benchmark, theirs), both):
            found.append(measured(times, 1 + number, module, **names))
    for found, wanted in zip(*both):
        assert repr(found).split("\n")[1:] == repr(wanted).split("\n")[1:]
        assert found.significant_figures == wanted.significant_figures
        for name in ("median", "mean", "iqr"):
            assert getattr(found, name) == pytest.approx(getattr(wanted, name), rel=1e-9, abs=1e-20)
    for act in (None, "trim_significant_figures", "highlight_warnings", "colorize", "rowwise"):
        tables = [module.Compare(found) for module, found in zip((benchmark, theirs), both)]
        for table in tables:
            if act is not None:
                table.colorize(rowwise=True) if act == "rowwise" else getattr(table, act)()
        assert str(tables[0]) == str(tables[1])


@pytest.mark.oracle
def test_a_fuzzer_draws_pytorch_s_numbers():
    theirs = pytest.importorskip("torch.utils.benchmark")
    drawn = []
    for module in (benchmark, theirs):
        parameters, tensors = parts_of(module)
        parameters[0] = module.FuzzedParameter("dim", 1, 2, "uniform", strict=True)
        found = []
        for made, properties, params in module.Fuzzer(parameters, tensors, seed=7).take(20):
            x = made["x"]
            found.append((params, tuple(x.shape), x.stride(), list(properties["x"]["order"])))
        drawn.append(found)
    assert drawn[0] == drawn[1]
