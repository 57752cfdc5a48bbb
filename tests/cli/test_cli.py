"""cli.py and listing.py: the command, its tables and its exit statuses."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import gnomon as gn
from gnomon import cli, demo
from gnomon.backends import listing
from gnomon.dispatch.dispatcher import aten
from gnomon.memory import backend as registry
from gnomon.memory.backend import Backend
from time_limits import LIMIT, killing


def columns(text: str) -> list[list[str]]:
    """The cells of a table, without the rule under its heading."""
    lines = text.splitlines()
    starts = [0] + [index for index in range(1, len(lines[1])) if lines[1][index - 2 : index] == "  "]
    ends = [*starts[1:], None]
    return [[line[start:end].strip() for start, end in zip(starts, ends)] for line in [lines[0], *lines[2:]]]


def test_backends(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["backends"]) == 0
    heading, *rows = columns(capsys.readouterr().out)
    assert heading == ["backend", "available", "device", "memory", "native operators", "why not"]
    table = {row[0]: row for row in rows}
    total = len(listing.kernel_operators())
    assert table["reference"] == ["reference", "yes", "reference", "host", f"{total} / {total}", ""]
    assert table["meta"] == ["meta", "yes", "meta", "own", f"{total} / {total}", ""]
    assert set(table) == set(gn.backends())


def test_a_backend_that_can_not_run_is_listed_with_the_reason(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Absent(Backend):
        name = device_type = "absent"

        def __init__(self) -> None:
            self.kernels = {"exp": lambda iterator: None}

        def is_available(self) -> tuple[bool, str]:
            return False, "no device found"

    class Broken(Absent):
        name = device_type = "broken"

        def is_available(self) -> tuple[bool, str]:
            raise OSError("it fell apart")

    for made in (Absent(), Broken()):
        monkeypatch.setitem(registry._backends, made.name, made)
    assert cli.main(["backends"]) == 0
    table = {row[0]: row for row in columns(capsys.readouterr().out)}
    assert table["absent"] == ["absent", "no", "absent", "own", "-", "no device found"]
    assert table["broken"][1] == "no" and table["broken"][5] == "OSError: it fell apart"
    info = gn.backends()["absent"]
    assert (info.available, info.native, info.total) == (False, 1, len(listing.kernel_operators()))


def test_operators(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["operators"]) == 0
    heading, *rows = columns(capsys.readouterr().out)
    short = ["operator", "kind", "variants", "dtypes", "differentiable", "PyTorch"]
    assert heading == [*short, "calls", "schema"]
    table = {row[0]: row[1:] for row in rows}
    kind, variants, dtypes, differentiable, oracle, parts, schema = table["add.Tensor"]
    assert parts == "" and "cat" in table["hstack"][5]
    assert (kind, variants, dtypes, differentiable) == ("kernel", "in-place out=", "all", "yes")
    assert schema == "add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"
    assert oracle.endswith("calls agree") and oracle.startswith("all ")
    assert table["view"][:2] == ["view", ""] and table["view"][3] == "yes"
    assert table["hstack"][0] == "composite" and table["hstack"][3] == "through its parts"
    assert table["zeros"][0] == "function" and table["zeros"][3] == "no"
    assert table["eq.Tensor"][3] == "no" and table["copy_"][0] == "kernel"
    assert table["bitwise_and.Tensor"][2] == "bool int" and table["amax"][2] == "bool int float"
    # one row for each record: every operator has one, or is a variant of one that has
    operators = [each for packet in aten for each in packet.overloads.values()]
    assert len(rows) == len(table) == sum(each.record.base is None for each in operators)
    assert all((each.record.base or each).name in table for each in operators)


def test_a_reader_that_goes_away_is_no_error() -> None:
    command = [sys.executable, "-m", "gnomon.cli", "operators"]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process,
        killing(process.pid),
    ):
        assert process.stdout is not None and process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 1


def test_ctrl_c_ends_a_command_with_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("gnomon.backends.listing.backends_table", interrupted)
    assert cli.main(["backends"]) == 130
    assert capsys.readouterr().err == "gnomon: interrupted\n"


def test_the_suite_shows_its_own_options() -> None:
    command = [sys.executable, "-m", "gnomon_conformance", "--help"]
    shown = subprocess.run(command, capture_output=True, text=True, check=True, timeout=LIMIT).stdout
    assert "--gnomon-backend NAME" in shown and "--ops REGEX" in shown
    assert "--maxfail" not in shown and len(shown.splitlines()) < 45


def test_no_command_shows_the_usage_and_fails(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([]) == 2
    printed = capsys.readouterr().out
    assert printed.startswith("usage: gnomon") and "backends" in printed and "demo" in printed


@pytest.mark.parametrize(
    ("arguments", "status", "text"),
    [
        (["nonsense"], 2, "invalid choice: 'nonsense'"),
        (["backends", "--fast"], 2, "unrecognized arguments: --fast"),
    ],
)
def test_wrong_arguments_fail(
    arguments: list[str], status: int, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(arguments)
    assert caught.value.code == status and text in capsys.readouterr().err


def test_help_succeeds(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(["--help"])
    assert caught.value.code == 0 and "list the operators" in capsys.readouterr().out


def test_packages_offer_commands_by_entry_points(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "greeting.py").write_text(
        'def main(given):\n    """Greets 100% of all.\n\n    More."""\n    return 40 + len(given)\n'
    )
    metadata = tmp_path / "greeter-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: greeter\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(
        "[gnomon.commands]\ngreet = greeting:main\ngone = nowhere_at_all:main\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    assert cli.main(["greet", "--help", "you"]) == 42
    with pytest.raises(SystemExit):
        cli.main(["--help"])
    shown = " ".join(capsys.readouterr().out.split())
    assert "greet greets 100% of all " in shown and "conform test a backend against the reference" in shown
    assert "gone not available: ModuleNotFoundError: No module named 'nowhere_at_all'" in shown
    assert cli.main(["gone"]) == 2
    said = capsys.readouterr().err
    assert said == "gnomon gone is not available: ModuleNotFoundError: No module named 'nowhere_at_all'\n"


@pytest.mark.parametrize(
    ("command", "package", "extra"),
    [
        ("conform", "gnomon_conformance", "conformance"),
        ("new-backend", "gnomon_conformance", "conformance"),
        ("bench", "gnomon_bench", "bench"),
    ],
)
def test_a_command_without_what_it_needs_says_how_to_install_it(
    command: str,
    package: str,
    extra: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    name = f"{package}.{command.replace('-', '_')}"
    monkeypatch.setitem(sys.modules, name, None)  # as if an import in it failed
    monkeypatch.delattr(sys.modules[package], command.replace("-", "_"), raising=False)
    assert cli.main([command, "c"]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"gnomon {command} requires more packages: pip install 'gnomon[{extra}]' (")


def test_demo_is_handed_all_its_arguments_and_its_status_is_the_commands(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given: list[Any] = []

    def main(arguments: list[str]) -> int:
        given.append(arguments)
        return 7

    monkeypatch.setattr(demo, "main", main)
    assert cli.main(["demo", "--steps", "3", "--help"]) == 7
    assert given == [["--steps", "3", "--help"]]


def test_the_command_takes_the_processes_arguments_and_exits_with_the_status() -> None:
    run = [sys.executable, "-m", "gnomon.cli"]
    finished = subprocess.run([*run, "backends"], capture_output=True, text=True, timeout=LIMIT)
    assert finished.returncode == 0 and finished.stdout.startswith("backend ")
    assert subprocess.run(run, capture_output=True, text=True, timeout=LIMIT).returncode == 2


def test_a_table_is_as_wide_as_its_widest_cells() -> None:
    text = listing.table([("a", "long heading", "c"), ("wide cell", "b", ""), ("d", "", "e")])
    assert text.splitlines() == [
        "a          long heading  c",
        "---------  ------------  -",
        "wide cell  b",
        "d                        e",
    ]


def test_operators_page_is_fresh(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["operators", "--markdown"]) == 0
    page = Path(__file__).parents[2] / "docs" / "operators.md"
    assert capsys.readouterr().out == page.read_text(), (
        "docs/operators.md is stale: gnomon operators --markdown > docs/operators.md"
    )
