"""gnomon_conformance/census.py and execution/work.py: a program's calls are recorded, saved and replayed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import gnomon as gn
from gnomon.autograd import node
from gnomon_conformance import census
from gnomon_conformance.census import Census, CensusCall, CensusError, shipped
from gnomon_conformance.collection.selection import operators, random_fills
from gnomon_conformance.execution.runner import Gnomon, prepare
from gnomon_conformance.execution.work import work_of
from time_limits import LIMIT, join, start

PROGRAM = """
import gnomon as gn
x = gn.arange(6).reshape(2, 3).float().requires_grad_()
for _ in range(2):
    loss = (x.t() * 3).sum()
    loss.backward()
assert __name__ == "__main__"
"""


def found(calls: list[CensusCall], operator: str) -> list[CensusCall]:
    return [each for each in calls if each.operator == operator]


def test_calls_are_counted_by_kind_forward_and_backward():
    x = gn.ones(2, 3, requires_grad=True)
    with Census() as recorded:
        for _ in range(4):
            (x * x).sum().backward()
        gn.ones(3) * gn.ones(3)
    products = found(recorded.calls(), "mul.Tensor")
    assert [(each.forward, each.backward) for each in products] == [(4, 0), (0, 8), (1, 0)]
    square = products[0].arguments[0]
    assert (square["sizes"], square["strides"], square["tensor"]) == ([2, 3], [3, 1], "float32")
    gradient = products[1].arguments[0]
    assert gradient["strides"] == [0, 0] and gradient["elements"] == 1
    assert products[0].count == 4


def test_a_backward_s_workers_are_counted_and_other_threads_are_not(monkeypatch):
    if not gn.backends()["c"].available:
        pytest.skip("two devices are needed")
    monkeypatch.setattr(node, "spans_devices", False)  # a graph on two devices sets it for good
    x, y = gn.ones(2, device="c", requires_grad=True), gn.ones(2, device="reference", requires_grad=True)
    with Census() as recorded:
        loss = x.exp().sum().to("reference") + y.sin().sum()
        loss.backward()
        join(start(lambda: gn.ones(2).tan()))
    calls = recorded.calls()
    assert found(calls, "cos")[0].backward == 1 and found(calls, "mul.Tensor")
    assert not found(calls, "tan")


def test_what_a_subclass_calls_is_its_own():
    class Doubling(gn.Tensor):
        @classmethod
        def __gnomon_dispatch__(cls, func, types, args=(), kwargs=None):
            return gn.ones(2).sin()

    x = gn.Tensor._make_wrapper_subclass(Doubling, (2,))
    with Census() as recorded:
        x.exp()
        gn.ones(2).cos()
    assert [each.operator for each in recorded.calls() if each.operator in ("exp", "sin", "cos")] == ["cos"]


def test_a_call_that_can_not_be_counted_leaves_the_next_ones_counted(monkeypatch):
    x, counted = gn.ones(2), Census._count
    with Census() as recorded:
        with monkeypatch.context() as patch, pytest.raises(ZeroDivisionError):
            patch.setattr(Census, "_count", lambda *given: 1 / 0)
            x.exp()
        assert Census._count is counted
        x.exp()
    assert [(each.operator, each.count) for each in recorded.calls()] == [("exp", 1)]


def test_bounds_are_of_what_is_read():
    with Census() as recorded:
        gn.tensor([2.0, float("inf")]).exp()
        gn.tensor([[-3, 5]]).abs()
    exponential, absolute = (found(recorded.calls(), name)[0].arguments[0] for name in ("exp", "abs"))
    assert (exponential["low"], exponential["high"]) == (None, None)
    assert (absolute["low"], absolute["high"]) == (-3, 5)


@pytest.mark.parametrize("name", [*random_fills(), "random_.to", "fill_.Scalar", "copy_"])
def test_what_is_only_written_has_no_bounds(name):
    arguments = {
        "random_.from": (0, 5),
        "random_.to": (5,),
        "geometric_": (0.5,),
        "fill_.Scalar": (1,),
        "copy_": (gn.ones(4),),
    }
    with Census() as recorded:
        operators()[name](gn.ones(4), *arguments.get(name, ()))
    written = found(recorded.calls(), name)[0].arguments[0]
    assert (written["low"], written["high"]) == (None, None)


def test_a_replay_has_the_same_layout_and_values_within_the_bounds():
    base = gn.arange(24).reshape(4, 6)
    with Census() as recorded:
        base[1:3, ::2].index_select(1, gn.tensor([2, 0]))
    (call,) = found(recorded.calls(), "index_select")
    made = prepare(Gnomon("reference"), call.find().schema, call.sample(), "float32", "contiguous")
    tensor, dim, index = made.values
    assert (tensor.dtype, tuple(tensor.shape), tensor.stride()) == (gn.int64, (2, 3), (6, 2))
    assert tensor.storage_offset() == 6 and tensor.untyped_storage().nbytes() == 17 * 8  # to its last element
    assert 6 <= tensor.min().item() and tensor.max().item() <= 16
    assert dim == 1 and set(index.tolist()) <= {0, 1, 2}
    again = prepare(Gnomon("reference"), call.find().schema, call.sample(), "float32", "contiguous")
    assert again.values[0].tolist() == tensor.tolist()


def test_tensors_that_share_a_storage_share_one_again():
    x = gn.arange(10).float()
    with Census() as recorded:
        x[2:5].add_(x[5:8])
        x.mul_(x)
    (added,) = found(recorded.calls(), "add_.Tensor")
    (squared,) = found(recorded.calls(), "mul_.Tensor")
    operator = added.find()
    made = prepare(Gnomon("reference"), operator.schema, added.sample(), "float32", "contiguous")
    assert made.values[0].untyped_storage().data_ptr() == made.values[1].untyped_storage().data_ptr()
    assert made.values[0].storage_offset() == 2 and made.values[1].storage_offset() == 5
    assert made.contents[0].numbers == made.contents[1].numbers  # expected numbers of an unchanged storage
    made = prepare(Gnomon("reference"), squared.find().schema, squared.sample(), "float32", "contiguous")
    assert made.values[0] is made.values[1]


def test_special_arguments_go_to_the_file_and_back(tmp_path):
    with Census() as recorded:
        gn.full((2,), float("nan"), dtype=gn.float64)
        gn.ones(2, dtype=gn.complex64) * (1 + 2j)
        gn.zeros(2, 3, 1, 1).contiguous(memory_format=gn.channels_last)
        gn.rand(2, generator=gn.Generator().manual_seed(7))
        gn.cat([gn.ones(1), gn.ones(2)])
    path = tmp_path / "census.json"
    census.save(path, "program.py", recorded.calls())
    assert [each.name for each in tmp_path.iterdir()] == ["census.json"]
    json.loads(path.read_text(), parse_constant=pytest.fail)  # it is JSON, without NaN
    program, calls = census.load(path)
    assert program == "program.py" and calls == recorded.calls()
    for call in calls:
        made = prepare(Gnomon("reference"), call.find().schema, call.sample(), "float32", "contiguous")
        call.find()(*made.values)
    (joined,) = found(calls, "cat")
    assert joined.described() == "cat([float32[1], float32[2]], 0)"
    assert joined.dtype == "float32"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("no json", "not a census file"),
        ("[1]", "not a census file"),
        ('{"format": 2}', "expected a census of format 1, got 2"),
        (
            '{"format": 1, "program": "p", "calls": [["no_such", [], 1, 0]]}',
            "'no_such', which is not an operator of this gnomon",
        ),
    ],
)
def test_a_file_that_is_no_census_is_refused(tmp_path, content, problem):
    path = tmp_path / "census.json"
    path.write_text(content)
    with pytest.raises(CensusError, match=problem):
        census.load(path)


def test_what_a_backend_misses_is_named_the_most_needed_first():
    if not gn.backends()["hello"].available:
        pytest.skip("the example backend is not installed")
    with Census() as recorded:
        gn.ones(100).sinh()
        for _ in range(3):
            gn.ones(10).cosh()
        gn.ones(5) + 1
    rows = census.missing(recorded.calls(), "hello")
    assert [(each.kernel, each.calls, each.elements) for each in rows if each.kernel in ("sinh", "cosh")] == [
        ("sinh", 1, 100),
        ("cosh", 3, 30),
    ]
    assert census.missing(recorded.calls(), "reference") == []


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "gnomon.cli", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)


@pytest.mark.slow
def test_the_command_records_a_program_and_conform_replays_it(tmp_path):
    script, output = tmp_path / "program.py", tmp_path / "found.json"
    script.write_text(PROGRAM)
    done = run("census", "--backend", "reference", "--output", str(output), str(script))
    assert done.returncode == 0, done.stderr
    assert "mul.Tensor" in done.stdout and "reference has all kernels for this program." in done.stdout
    program, calls = census.load(output)
    assert program == "program.py"
    assert [(each.forward, each.backward) for each in found(calls, "sum")] == [(2, 0)]
    if not gn.backends()["c"].available:
        return
    done = run("conform", "c", "--census", str(output), "-n", "1")
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert " tests pass on its own kernels, 100.00% of those that it claims" in done.stdout
    assert f"of {len(calls)} tests, " in done.stdout
    output.write_text("{}")
    done = run("conform", "c", "--census", str(output))
    assert done.returncode == 2 and "not a census file" in done.stderr


def test_with_a_census_the_suite_s_other_tests_do_not_run(tmp_path):
    with Census() as recorded:
        gn.ones(2).neg()
    path = tmp_path / "census.json"
    census.save(path, "program.py", recorded.calls())
    asked = ["--gnomon-backend", "reference", "--collect-only", "-q", "-p", "no:cacheprovider"]
    modules = ["gnomon_conformance.tests.test_census", "gnomon_conformance.tests.test_forward"]
    command = [sys.executable, "-m", "pytest", "-p", "gnomon_conformance.plugin", "--pyargs", *modules]
    done = subprocess.run(
        [*command, *asked, "--census", str(path)], capture_output=True, text=True, cwd=tmp_path, timeout=LIMIT
    )
    assert "test_census[0-" in done.stdout and "test_forward[" not in done.stdout, done.stdout[-2000:]


@pytest.mark.slow
def test_values_that_the_call_refuses_are_no_pass(tmp_path):
    """Classes of -100 are ignored, but the census records only that classes are numbers from -100 to 199."""
    script = tmp_path / "program.py"
    script.write_text(
        "import gnomon as gn\n"
        "classes = gn.cat([gn.arange(200), gn.tensor([-100])])\n"
        "gn.nn.functional.cross_entropy(gn.zeros(201, 200), classes, ignore_index=-100)\n"
    )
    output = tmp_path / "out.json"
    done = run("census", "--backend", "reference", "--output", str(output), str(script))
    assert done.returncode == 0, done.stderr
    assert "nll_loss_forward" in done.stdout and f"Written: {output}" in done.stdout
    done = run("conform", "reference", "--census", str(output), "-n", "1")
    assert done.returncode == 1, done.stdout
    assert "the reference refuses the values that were drawn for the call" in done.stdout


def test_few_integers_are_kept_as_they_are():
    with Census() as recorded:
        gn.nn.functional.cross_entropy(gn.zeros(4, 3), gn.tensor([1, -100, 2, -100]), ignore_index=-100)
        gn.nn.functional.cross_entropy(gn.zeros(80, 3), gn.tensor([0, 1, -100, 2] * 20), ignore_index=-100)
    losses = [each for each in recorded.calls() if each.operator == "nll_loss_forward"]
    short, long = (each.sample().args[1].contents.numbers for each in losses)
    assert list(short) == [1, -100, 2, -100]
    assert set(long) == {0, 1, -100, 2} and len(long) == 80


def test_slices_of_one_storage_are_one_kind_of_call_and_as_long_as_what_they_show():
    data = gn.zeros(200, 8)
    with Census() as recorded:
        for start in range(0, 200, 20):
            data[start : start + 20].exp()
        data[1:3].exp(), data[5:7].exp(), data.reshape(-1)[3:5].exp()
        a = data.reshape(-1)[100:110]
        a[:5] + a[5:]
    calls = [each for each in recorded.calls() if each.operator == "exp"]
    described = [
        (each.arguments[0]["sizes"], each.arguments[0]["offset"], each.arguments[0]["elements"], each.count)
        for each in calls
    ]
    assert described == [([20, 8], 0, 160, 10), ([2, 8], 8, 24, 2), ([2], 3, 5, 1)]
    (added,) = [each for each in recorded.calls() if each.operator == "add.Tensor"]
    assert [(each["offset"], each["elements"]) for each in added.arguments[:2]] == [(4, 14), (9, 14)]


def test_wrong_commands_are_refused(tmp_path):
    done = run("census", str(tmp_path / "none.py"))
    assert done.returncode == 2 and "does not exist" in done.stderr
    script = tmp_path / "program.py"
    script.write_text("import gnomon as gn\ngn.ones(2).exp()\nraise SystemExit(3)")
    assert run("census", "--backend", "nonesuch", str(script)).returncode == 2
    assert run("census", "--output", str(tmp_path / "out.json"), str(script)).returncode == 3
    assert "exp" in [each.operator for each in census.load(tmp_path / "out.json")[1]]  # the record is saved
    done = run("census", "--output", str(tmp_path / "nowhere" / "out.json"), str(script))
    assert done.returncode == 2 and "cannot be written" in done.stderr  # refused before the program runs


F = "float32"


@pytest.mark.parametrize(
    ("operator", "arguments", "expected"),
    [
        ("add.Tensor", [(F, (4, 1)), (F, (3,)), 1], (12, 12, 4 * (4 + 3 + 12))),
        ("mm", [(F, (2, 3)), (F, (3, 5))], (15, 2 * 2 * 3 * 5, 4 * (6 + 15 + 10))),
        ("addmm", [(F, (5,)), (F, (2, 3)), (F, (3, 5)), 1, 1], (15, 60, 4 * (5 + 6 + 15 + 10))),
        ("bmm", [("float64", (7, 2, 3)), ("float64", (7, 3, 5))], (105, 420, 8 * (42 + 105 + 70))),
        ("t", [(F, (2, 3))], (0, 0, 0)),
        (
            "convolution",
            [(F, (2, 3, 8, 8)), (F, (4, 3, 3, 3)), None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1],
            (384, 2 * 2 * 36 * 108, 4 * (384 + 108 + 288)),
        ),
        ("sum", [("float16", (10,)), None], (10, 10, 2 * 11)),
    ],
)
def test_work_follows_from_sizes(operator, arguments, expected):
    assert tuple(work_of(operator, arguments)) == expected


PROGRAMS = Path(__file__).parents[2] / "benchmarks" / "programs"


def test_the_shipped_censuses_are_of_the_programs():
    assert shipped() == ["character_transformer", "digits_mlp", "lenet", "lstm", "resnet_block"]
    assert set(shipped()) <= {path.stem for path in PROGRAMS.glob("*.py")}


@pytest.mark.parametrize("name", ["digits_mlp", "lenet", "resnet_block", "character_transformer", "lstm"])
def test_a_shipped_census_is_what_its_program_calls(name, capsys):
    if not gn.backends()["c"].available:
        pytest.skip("the reference would take minutes")
    before = gn.get_default_device()
    gn.set_default_device("c")
    try:
        calls = census.record(str(PROGRAMS / f"{name}.py"), [])
    finally:
        gn.set_default_device(before)
    assert capsys.readouterr().out.startswith("loss ")
    program, kept = census.load(name)
    assert program == f"{name}.py"
    kinds = [[(each.described(), each.forward, each.backward) for each in some] for some in (kept, calls)]
    assert kinds[0] == kinds[1], "record it again: gnomon census --backend c"
