"""``gnomon walk`` prints the calls that a statement makes, and what they do with memory."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from gnomon.backends.listing import backend_info
from gnomon.learn.walk import Call, Walk, walk
from gnomon.values.speedups import speedups
from time_limits import LIMIT

COMMAND = [sys.executable, "-m", "gnomon.cli", "walk"]


def run(*arguments: str, speedups: str = "none") -> subprocess.CompletedProcess[str]:
    """Run the command; with speedups it starts itself again without them."""
    environment = {**os.environ, "GNOMON_SPEEDUPS": speedups}
    return subprocess.run(
        [*COMMAND, *arguments], capture_output=True, text=True, check=False, env=environment, timeout=LIMIT
    )


def printed(*arguments: str) -> list[str]:
    """The lines that the command prints, without times."""
    done = run(*arguments, "--no-times")
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_a_sum_is_walked_from_the_sign_to_the_kernel_and_back():
    lines = printed("a + b")
    calls, counts = lines[: lines.index("")], lines[lines.index("") + 1 :]
    assert calls[0].startswith("  ") and not calls[0].startswith("   ")  # the operator's method: depth 0
    kernels = [position for position, line in enumerate(calls, 1) if line.startswith(">")]
    assert len(kernels) == 1 and "ops/" in calls[kernels[0] - 1]
    files = {re.search(r"  (\S+\.py):\d+", line)[1] for line in calls}
    assert counts == [
        f"{len(calls)} Python calls, {kernels[0]} up to the kernel",
        f"{len(files)} files",
    ]
    assert {"ops/pointwise/arithmetic.py", "dispatch/dispatcher.py", "calls/launch.py"} <= files


def test_the_first_call_is_longer_and_elements_come_after_the_kernels_first_line():
    third, first, more = (
        printed("a + b", "--counts", *options) for options in ([], ["--call", "1"], ["--elements", "6"])
    )
    calls = [int(each[0].split()[0]) for each in (third, first, more)]
    to_kernel = [int(each[0].split(", ")[1].split()[0]) for each in (third, first, more)]
    assert calls[1] > calls[0] and calls[2] > calls[0]
    assert to_kernel[1] > to_kernel[0] == to_kernel[2]


def test_what_is_run_before_is_not_counted():
    assert printed("y", "--before", "y = a + b") == ["", "0 Python calls, no kernel ran", "0 files"]
    backward = printed("grad(y, a, g)", "--before", "y = a + b", "--grad")
    assert any("autograd/engine.py" in line for line in backward)
    assert not any(line.startswith(">") for line in backward)  # the addition itself ran before


def test_the_parts_of_a_call_are_marked():
    lines = printed("a + b", "--grad", "--only", r"\[")
    parts = [re.search(r"\[(.*)\]", line)[1] for line in lines if "[" in line]
    assert parts == ["parser", "Autograd add.Tensor", "Dense add.Tensor", "kernel"]
    indents = [len(line) - len(line.lstrip("> ")) for line in lines if "[" in line]
    assert indents == sorted(set(indents))  # each within the one before it
    first = printed("a + b", "--call", "1", "--only", r"\[meta\]")
    (meta,) = [line for line in first if "[meta]" in line]
    assert "add_meta" in meta
    view = printed("x.t()", "--with", "x = gn.ones(3, 4)", "--only", r"\[")
    assert any(line.endswith("[ADInplaceOrView t]") for line in view)
    composite = printed("x.contiguous()", "--with", "x = gn.ones(3, 4).t()", "--only", r"\[composite")
    assert any(line.endswith("[composite contiguous]") for line in composite)


def test_what_calls_do_with_memory():
    def notes(*arguments: str) -> list[str]:
        return re.findall(r"\(([^()]*)\)$", "\n".join(printed(*arguments)), re.MULTILINE)

    assert notes("a + b", "--elements", "6") == [
        "allocates 24 bytes on reference",
        "launches add.Tensor on reference",
    ]
    setup = ("--with", "x = gn.ones(3, 4, device='reference')")
    assert notes("x.t()", *setup) == ["a view: sizes [4, 3], strides [1, 4]"]
    assert notes("x.clone()", *setup) == [
        "allocates 48 bytes on reference",
        "launches copy_ on reference; copies 48 bytes",
    ]


def test_only_some_calls_are_shown():
    def made(*names_and_depths: tuple[str, int]) -> Walk:
        return Walk([Call(name, "x.py", 1, depth) for name, depth in names_and_depths])

    whole = made(("a", 0), ("b", 1), ("c", 2), ("d", 1), ("e", 0))
    assert whole.filtered("c  ").shown == {0, 1, 2}
    assert whole.filtered(depth=1).shown == {0, 4}
    assert whole.filtered("c  ", depth=2).shown == frozenset()
    text = whole.filtered("d  ").text(with_lines=False, with_times=False).splitlines()
    assert text[:3] == ["  a  x.py", "    d  x.py", "… 3 more calls are not shown"]
    assert text[3:] == ["", "5 Python calls, no kernel ran", "1 files"]  # counts are of all
    with pytest.raises(ValueError, match=r"^not a regular expression: '\('"):
        whole.filtered("(")


def test_new_tensors_are_on_the_device_of_the_names():
    assert printed("x.add_(b)", "--with", "x = gn.ones(2)", "--counts")[0].endswith("up to the kernel")
    if backend_info("c").available:
        found = printed("x.add_(b)", "--with", "x = gn.ones(2)", "--counts", "--device", "c")
        assert found[0].endswith("up to the launch of a backend's kernel")


def test_times_nest(tmp_path: Path):
    found = walk("f()", setup="def g(): return 1\ndef f(): return g() + g()")
    assert [(each.name, each.depth, each.file) for each in found.calls] == [
        ("f", 0, "<string>"),
        ("g", 1, "<string>"),
        ("g", 1, "<string>"),
    ]
    assert all(each.start <= each.end for each in found.calls)
    for outer, inner in zip(found.calls, found.calls[1:]):
        if inner.depth == outer.depth + 1:
            assert outer.start <= inner.start and inner.end <= outer.end
    file = tmp_path / "walk.json"
    done = run("a + b", "--chrome", str(file), "--counts")
    assert done.returncode == 0, done.stderr
    events = json.loads(file.read_text())["traceEvents"]
    assert f"{len(events)} Python calls" in done.stdout
    assert events[0]["ts"] == 0 and events[0]["cat"] == "parser" and events[0]["ph"] == "X"
    assert [path.name for path in tmp_path.iterdir()] == ["walk.json"]


def test_statements_and_their_setup():
    lines = printed("y = a + b; z = y * 2", "--only", r"\[Dense")
    assert [re.search(r"\[(.*)\]", line)[1] for line in lines if "[" in line and "[parser" not in line] == [
        "Dense add.Tensor",
        "Dense mul.Tensor",
    ]


def test_the_readable_tier_is_walked_unless_speedups_are_asked_for():
    given = os.environ.get("GNOMON_SPEEDUPS", "")
    usual, rest = (
        run("a + b", "--counts", *options, speedups=given).stdout for options in ([], ["--speedups"])
    )
    assert usual.splitlines() == printed("a + b", "--counts")
    assert (int(rest.split()[0]) < int(usual.split()[0])) is (speedups is not None)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a +"], "gnomon walk: SyntaxError: invalid syntax"),
        (["a.nothing()"], "gnomon walk: AttributeError: 'Tensor' object has no attribute 'nothing'"),
        (["a + b", "--call", "0"], "--call: expected a number from 1 on, got 0"),
        (["a + b", "--only", "("], "--only: not a regular expression: '('"),
        (["a + b", "--chrome", "/nowhere/at/all.json"], "--chrome: "),
    ],
)
def test_mistakes_are_said(arguments, message):
    done = run(*arguments)
    assert done.returncode != 0 and message in done.stderr and "Traceback" not in done.stderr
