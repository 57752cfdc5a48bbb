"""reference/gnomon/profiler.py and dispatch/record_function.py: what is timed, and how it is summed up."""

from __future__ import annotations

import asyncio
import json
import threading
from itertools import pairwise

import pytest

import gnomon as gn
from gnomon.autograd import node
from gnomon.dispatch import record_function as observing
from gnomon.profiler import ProfilerActivity, profile, record_function
from time_limits import LIMIT, join, start


def training_step() -> None:
    model = gn.nn.Linear(3, 2)
    model(gn.ones(4, 3)).relu().sum().backward()


def named(p: profile, scope: str) -> list[str]:
    return [each.name for each in p.events() if each.scope == scope]


def test_operators_kernels_and_nodes_are_seen_in_their_order(device):
    a = gn.ones(2, 3, requires_grad=True)
    (a * 2).sum().backward()  # makes the plans
    with profile() as p:
        (a * 2).sum().backward()
    operators = [name for name in named(p, "operator") if name != "clone"]  # of the first gradient
    assert operators[:2] == ["mul.Tensor", "sum"]
    assert operators[2] == "autograd::engine::execute"
    assert named(p, "node") == ["SumBackward0", "MulBackward0"]
    kernels = named(p, "kernel")
    assert "mul.Tensor" in kernels and {"sum", "sum.dim_IntList"} & set(kernels)  # "sum" with a plan
    assert a.grad.tolist() == [[4.0] * 3] * 2


def test_a_call_knows_what_it_is_part_of(device):
    with profile() as p:
        gn.nn.functional.linear(gn.ones(4, 3), gn.ones(2, 3), gn.ones(2))
    product = next(each for each in p.events() if each.name == "addmm" and each.scope == "operator")
    kernel = next(each for each in p.events() if each.name == "addmm" and each.scope == "kernel")
    assert kernel.parent is product
    assert product.parent.name == "linear" and product.parent.parent is None
    assert product.parent.start <= product.start <= kernel.start <= kernel.end <= product.end
    assert product.children_ns == kernel.end - kernel.start
    assert product.self_cpu_time_total == pytest.approx(product.cpu_time_total - kernel.cpu_time_total)


def test_averages_add_up_and_do_not_count_calls_within_their_like_twice(device):
    x = gn.ones(5)
    with profile() as p:
        with record_function("outer"):
            with record_function("outer"):
                x + x
            x + x
    averages = {(each.key, each.scope): each for each in p.key_averages()}
    added = averages["add.Tensor", "operator"]
    assert added.count == 2
    kernels = [each for each in p.events() if each.scope == "kernel"]
    assert added.kernel_time_total == pytest.approx(sum(each.cpu_time_total for each in kernels))
    outer = averages["outer", "user"]
    whole = next(each for each in p.events() if each.name == "outer")
    assert outer.count == 2 and outer.cpu_time_total == whole.cpu_time_total
    assert outer.kernel_time_total == added.kernel_time_total
    everything = sum(each.self_cpu_time_total for each in p.key_averages())
    assert everything == pytest.approx(whole.cpu_time_total)
    assert outer.cpu_time == outer.cpu_time_total / 2


def test_shares_add_up_to_one(device):
    with profile() as p:
        training_step()
    shares = p.shares
    assert list(shares) == ["kernels", "gnomon", "program", "waiting"]
    assert sum(shares.values()) == pytest.approx(1.0)
    elsewhere = []
    join(start(lambda: elsewhere.append(p.shares)))
    assert elsewhere == [shares]
    assert shares.pop("waiting") == 0
    assert all(0 < share < 1 for share in shares.values())


def test_shapes_make_groups_where_they_are_recorded(device):
    with profile(record_shapes=True) as p:
        gn.ones(2) + gn.ones(2)
        gn.ones(3, 1) + gn.ones(4)
    groups = {each.input_shapes for each in p.key_averages(True) if each.key == "add.Tensor"}
    groups.discard(())  # kernels have none
    assert groups == {((2,), (2,)), ((3, 1), (4,))}
    assert "[3, 1] [4]" in p.key_averages(True).table()
    (together,) = [each for each in p.key_averages() if each.key == "add.Tensor" and each.scope == "operator"]
    assert together.count == 2 and together.input_shapes == ()


def test_memory_is_what_stays_allocated():
    if not gn.backends()["c"].available:
        pytest.skip("the C backend is not built")
    with gn.device("c"), profile(profile_memory=True) as p:
        with record_function("kept"):
            kept = gn.empty(1024) + 1
        with record_function("dropped"):
            gn.empty(1024) + 1
    averages = {each.key: each for each in p.key_averages() if each.scope == "user"}
    assert averages["kept"].memory_usage == kept.numel() * 4
    assert averages["dropped"].memory_usage == 0
    assert "4.00 KiB" in p.key_averages().table()


def test_the_trace_is_a_chrome_trace(device, tmp_path):
    with profile(record_shapes=True) as p:
        with record_function("step"):
            gn.ones(2, 2).exp()
    path = tmp_path / "trace.json"
    p.export_chrome_trace(path)
    events = json.loads(path.read_text())["traceEvents"]
    assert [path.name] == [each.name for each in tmp_path.iterdir()]  # no partial file is left
    assert all(each["ph"] == "X" and each["dur"] >= 0 for each in events)
    found = {(each["cat"], each["name"]): each for each in events}
    step, exponential = found["user_annotation", "step"], found["cpu_op", "exp"]
    assert ("kernel", "exp") in found
    assert exponential["args"]["Input Dims"] == [[2, 2]]
    assert step["ts"] <= exponential["ts"]
    assert exponential["ts"] + exponential["dur"] <= step["ts"] + step["dur"] + 0.001


def test_what_raises_is_timed_and_its_block_closed(device):
    with profile() as p:
        with pytest.raises(RuntimeError):
            gn.ones(2) @ gn.ones(3, 3)
        gn.ones(2).exp()
    assert all(each.end >= each.start for each in p.events())
    exponential = next(each for each in p.events() if each.name == "exp")
    assert exponential.parent is None


def test_results_do_not_change_and_nothing_stays_behind(device):
    word = observing.mode_word()
    with gn.no_grad(), profile():
        inside = gn.arange(5).float().softmax(0)
    assert observing.mode_word() == word and not observing.callbacks()
    assert inside.tolist() == gn.arange(5).float().softmax(0).tolist()


def test_another_thread_is_not_watched_but_workers_of_a_backward_are(monkeypatch):
    monkeypatch.setattr(node, "spans_devices", False)  # a graph on two devices sets it for good
    if not gn.backends()["c"].available:
        pytest.skip("two devices are needed")
    x, y = gn.ones(2, device="c", requires_grad=True), gn.ones(2, device="reference", requires_grad=True)
    loss = x.exp().sum().to("reference") + y.sin().sum()
    with profile() as p:
        join(start(lambda: gn.ones(2).tan()))
        loss.backward()
    assert "tan" not in named(p, "operator")
    assert {"ExpBackward0", "SinBackward0"} <= set(named(p, "node"))
    assert len({each.thread for each in p.events()}) > 1


needs_c = pytest.mark.skipif(not gn.backends()["c"].available, reason="needs the C backend")


def kinds(p: profile) -> dict[tuple[str, str, str], int]:
    """The number of events by scope, name and name of the parent."""
    counts: dict[tuple[str, str, str], int] = {}
    for each in p.events():
        key = (each.scope, each.name, "" if each.parent is None else each.parent.name)
        counts[key] = counts.get(key, 0) + 1
    return counts


@needs_c
def test_what_speedups_would_take_is_told_of():
    x, y = gn.ones(2, 3, device="c", requires_grad=True), gn.ones(3, device="c")
    for _ in range(2):
        (x.t() * 2).sum().backward()
        y.add_(1)
        gn.zeros(3, device="c")[1:].tolist()
    with profile() as p:
        (x.t() * 2).sum().backward()
        y.add_(1)
        gn.zeros(3, device="c")[1:].tolist()
    found = kinds(p)
    assert found["operator", "mul.Tensor", ""] == found["operator", "mul.Tensor", "MulBackward0"] == 1
    assert found["kernel", "mul.Tensor", "mul.Tensor"] == 2
    assert found["operator", "add_.Tensor", ""] == 1
    assert found["operator", "add_.Tensor", "autograd::engine::execute"] == 1  # adds to the gradient
    assert found["operator", "t", ""] == 1
    assert ("kernel", "t", "t") not in found
    assert found["node", "MulBackward0", "autograd::engine::execute"] == 1
    assert {each.device for each in p.events() if each.scope == "kernel"} == {gn.device("c")}
    assert all(each.thread == threading.get_ident() for each in p.events())
    wall = [each for each in p.events() if each.parent is None]
    assert all(first.end <= second.start for first, second in pairwise(wall))


@needs_c
def test_a_call_without_a_plan_is_one_call():
    def work() -> None:
        x = gn.ones(17, 19, device="c")
        (x + 1).softmax(-1).reshape(-1).sum(dim=0)

    with profile() as p:
        work()
    with profile() as q:
        work()
    for found in (kinds(p), kinds(q)):
        operators = {name: count for (scope, name, parent), count in found.items() if scope == "operator"}
        assert operators["add.Tensor"] == operators["ones"] == 1
        assert all(parent != name for scope, name, parent in found if scope == "operator")
        assert found["kernel", "add.Tensor", "add.Tensor"] == 1


@needs_c
def test_shapes_and_memory_change_nothing_of_what_is_told():
    model = gn.nn.Linear(5, 3).to("c")
    x = gn.ones(4, 5, device="c")

    def work() -> None:
        model(x).exp().sum().backward()

    work()
    with profile() as p:
        work()
    with profile(record_shapes=True, profile_memory=True) as q:
        work()
    assert kinds(p) == kinds(q)
    assert sum(count for key, count in kinds(p).items() if key[1] == "addmm") == 2  # operator and kernel


@needs_c
def test_gradients_of_some_inputs_and_hooks_go_python_s_way_and_are_seen():
    x = gn.ones(3, device="c", requires_grad=True)
    with profile() as p:
        gn.autograd.grad(x.exp().sum(), x)
    assert named(p, "node") == ["SumBackward0", "ExpBackward0"]
    with profile() as p:
        x.exp().sum().backward(inputs=[x])
    assert named(p, "node") == ["SumBackward0", "ExpBackward0"]
    x.grad = None
    x.register_hook(lambda gradient: gradient * 2)
    with profile() as p:
        x.sin().sum().backward()
    assert named(p, "node") == ["SumBackward0", "SinBackward0"]
    assert x.grad.tolist() == (gn.ones(3).cos() * 2).tolist()


@needs_c
def test_two_profilers_on_two_threads_see_their_own():
    def work(function) -> None:
        for _ in range(3):
            function(gn.ones(3, device="c"))

    work(gn.sin), work(gn.cos)
    other = profile()
    begin, go_on = threading.Event(), threading.Event()

    def beside() -> None:
        with other:
            begin.set()
            go_on.wait(LIMIT)
            work(gn.cos)

    with profile() as p:
        thread = start(beside)
        assert begin.wait(LIMIT)
        work(gn.sin)
        go_on.set()
        join(thread)
        work(gn.sin)
    for each, mine, theirs in ((p, "sin", "cos"), (other, "cos", "sin")):
        names = named(each, "operator")
        assert mine in names and theirs not in names
    assert named(p, "operator").count("sin") == named(p, "kernel").count("sin") == 6
    assert named(other, "operator").count("cos") == 3
    assert not observing.callbacks()


@needs_c
def test_a_task_is_watched_only_where_it_began():
    async def watched() -> profile:
        with profile() as p:
            gn.ones(2, device="c").sin()
            await asyncio.sleep(0)
            gn.ones(2, device="c").sin()
        return p

    async def other() -> None:
        for _ in range(3):
            gn.ones(2, device="c").cos()
            await asyncio.sleep(0)

    async def both() -> profile:
        return (await asyncio.gather(watched(), other()))[0]

    gn.ones(2, device="c").sin(), gn.ones(2, device="c").cos()
    names = named(asyncio.run(both()), "operator")
    assert names.count("sin") == 2 and "cos" not in names


@needs_c
def test_a_failing_kernel_leaves_the_timer_in_order():
    x, index = gn.ones(3, device="c"), gn.tensor([1, 2], device="c")
    x.index_select(0, index)
    with profile() as p:
        with pytest.raises(IndexError):
            x.index_select(0, index + 5)
        x.index_select(0, index)
    assert named(p, "operator").count("index_select") == 2
    with profile() as again:
        pass
    assert again.events() == []


def test_a_decorated_function_is_named_and_keeps_its_own_name(device):
    @record_function("work", args="1")
    def work(x: gn.Tensor) -> gn.Tensor:
        return x + 1

    assert work.__name__ == "work"
    assert work(gn.ones(1)).item() == 2.0
    with profile(activities=[ProfilerActivity.CPU]) as p:
        work(gn.ones(1))
    assert named(p, "user") == ["work(1)"]


def test_wrong_use_is_refused():
    with profile() as p:
        with pytest.raises(RuntimeError, match="already active"):
            profile().start()
        with pytest.raises(RuntimeError, match="only after the profiler has stopped"):
            p.events()
    with pytest.raises(RuntimeError, match="create a new one"):
        p.start()
    with pytest.raises(RuntimeError, match="not active"):
        p.stop()
    with profile() as stopped:
        stopped.stop()  # the end of the block does not stop it again
    assert stopped.events() == []
    with pytest.raises(ValueError, match=r"sort_by: expected one of .*cpu_time_total.*, got 'name'"):
        p.key_averages().table(sort_by="name")
    with pytest.raises(NotImplementedError, match="with_stack"):
        profile(with_stack=True)


class Mark:
    """A device event that can't be timed: its device has run nothing, or it is part of a capture."""

    def record(self):
        pass

    def elapsed_time(self, after):
        raise RuntimeError("cuEventElapsedTime: not ready")


class Device:
    """A device module that records which devices were synchronized, and may fail."""

    def __init__(self, error=None):
        self.waited, self._error = [], error

    def synchronize(self, device):
        self.waited.append(device)
        if self._error is not None:
            raise self._error


def profiled(module: Device, device: str) -> profile:
    p = profile()
    p.start()
    event = p._enter(observing.FUNCTION, "one", ())
    event.device, event.marks = device, (Mark(), Mark(), module)
    p._leave(event, True)
    return p


def test_each_device_is_waited_for_and_what_was_not_timed_is_left_out():
    module = Device()
    p = profiled(module, "cuda:1")
    p.stop()
    assert module.waited == ["cuda:1"]
    assert [(each.name, each.device_ns) for each in p.events()] == [("one", 0)]


def test_a_device_that_fails_stops_the_profiler_all_the_same():
    p = profiled(Device(RuntimeError("an illegal address")), "cuda:0")
    with pytest.raises(RuntimeError, match="an illegal address"):
        p.stop()
    assert not observing.callbacks() and not observing.mode_word() & observing.OBSERVED_BIT
    assert [each.name for each in p.events()] == ["one"]
    with pytest.raises(ValueError, match="the program's"):
        with profile() as p:
            event = p._enter(observing.FUNCTION, "one", ())
            event.device, event.marks = "cuda:0", (Mark(), Mark(), Device(RuntimeError("late")))
            p._leave(event, True)
            raise ValueError("the program's")
    assert not observing.callbacks()


class Moment:
    """A device event that was recorded at ``at`` milliseconds."""

    def __init__(self, at):
        self.at = at

    def record(self):
        pass

    def elapsed_time(self, after):
        return after.at - self.at


def test_kernels_stand_where_an_asynchronous_device_ran_them(tmp_path):
    module = Device()
    p = profile()
    p.start()
    for begin, end in ((10, 12), (12, 15), (13, 14), (20, 21)):
        event = p._enter(observing.FUNCTION, f"at {begin}", ())
        event.device, event.marks = "cuda:0", (Moment(begin), Moment(end), module)
        p._leave(event, True)
    p.stop()
    first = p.events()[0]
    assert first.device_start == first.start
    assert [(each.device_start - first.start, each.device_ns) for each in p.events()] == [
        (0, 2_000_000),
        (2_000_000, 3_000_000),
        (3_000_000, 1_000_000),
        (10_000_000, 1_000_000),
    ]
    p.export_chrome_trace(tmp_path / "trace.json")
    told = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert [each["tid"] for each in told] == ["cuda:0", "cuda:0", "cuda:0 (2)", "cuda:0"]
    assert [each["ts"] - told[0]["ts"] for each in told] == pytest.approx([0, 2000, 3000, 10000])
    assert [each["dur"] for each in told] == [2000, 3000, 1000, 1000]
    assert 0 < p.shares["waiting"] < 1 and sum(p.shares.values()) == pytest.approx(1.0)
    assert "% waiting" in p.table()


def test_a_trace_that_cannot_be_written_leaves_nothing(tmp_path):
    (tmp_path / "folder").mkdir()
    with profile() as p:
        gn.ones(1)
    with pytest.raises(OSError):
        p.export_chrome_trace(tmp_path / "folder")
    assert [each.name for each in tmp_path.iterdir()] == ["folder"]


def test_it_is_stopped_where_it_was_started(device):
    p = profile()
    p.start()
    failed = []

    def elsewhere() -> None:
        try:
            p.stop()
        except RuntimeError as error:
            failed.append(str(error))

    join(start(elsewhere))
    assert len(failed) == 1 and "started on another thread" in failed[0]
    gn.ones(1)
    p.stop()
    assert "ones" in named(p, "operator") or "empty.memory_format" in named(p, "operator")


def test_the_table_is_sorted_and_limited(device):
    with profile() as p:
        for _ in range(3):
            gn.ones(4).exp()
        gn.ones(4).sin()
    lines = p.key_averages().table(sort_by="count", row_limit=1).splitlines()
    assert len(lines) == 3 and lines[2].split()[6] == "4"  # gn.ones
    assert "in all: " in p.table().splitlines()[-1]
