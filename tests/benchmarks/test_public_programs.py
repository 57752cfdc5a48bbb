"""benchmarks/public_programs, with a program of our own in place of a public one."""

from __future__ import annotations

import dataclasses
import importlib
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

np = pytest.importorskip("numpy")

PROGRAM = """
import argparse
import torch.nn as nn
import torch
from torch.utils.data import DataLoader
from torchvision import datasets, transforms
from torchvision.utils import save_image
from torch.utils.tensorboard import SummaryWriter
import matplotlib.pyplot as plt
import gymnasium as gym
from helper import PENALTY

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int)
epochs = parser.parse_args().epochs
torch.manual_seed(3)
scale = transforms.Normalize([0.5], [0.5])
prepare = transforms.Compose([transforms.RandomCrop(20), transforms.ToTensor(), scale])
loader = DataLoader(datasets.MNIST("data", download=True, transform=prepare), batch_size=50, shuffle=True)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        hidden = [nn.Flatten(), nn.Linear(400, 16), nn.ReLU(), nn.Dropout(0.3)]
        self.layers = nn.Sequential(*hidden, nn.Linear(16, 10))

    def forward(self, x):
        return self.layers(x)


def main():
    writer = SummaryWriter("runs")
    net = Net()
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    offset = torch.zeros(10, requires_grad=True)
    optimizer.add_param_group({"params": [offset]})
    for epoch in range(epochs):
        for images, labels in loader:
            loss = nn.functional.cross_entropy(net(images) + offset, labels) + PENALTY * offset.norm()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            writer.add_scalar("loss", loss.item())
        save_image(images, "images.png", normalize=True)
        torch.save(net, "net.pt")
    figure, axes = plt.subplots(2)
    axes[0].plot([1, 2])


if __name__ == "__main__":
    main()
    state, _ = gym.make("CartPole-v1").reset(seed=1)
    assert open("data.txt").read() == "ours" and state.shape == (4,)
"""


@pytest.fixture
def programs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[SimpleNamespace]:
    """The modules of the runner, whose only program is ours, and the folder that it is in."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "benchmarks"))
    names = ("manifest", "runner", "page", "__main__")
    found = {name.strip("_"): importlib.import_module(f"public_programs.{name}") for name in names}
    folder = tmp_path / "someone+something" / "digits"
    folder.mkdir(parents=True)
    (folder / "train.py").write_text(PROGRAM)
    (folder / "helper.py").write_text("PENALTY = 0.01\n")
    program = found["manifest"].Program(
        "someone/something",
        "digits/train.py",
        "digits",
        "--epochs 1",
        prepare=lambda where: (where / "data.txt").write_text("ours"),
    )
    for name in ("main", "page"):
        monkeypatch.setattr(found[name], "PROGRAMS", [program])
    yield SimpleNamespace(**found, program=program, folder=tmp_path)
    for name in [name for name in sys.modules if name.partition(".")[0] == "public_programs"]:
        del sys.modules[name]


def test_a_program_runs_and_is_recorded(programs: Any) -> None:
    record = programs.runner.run(programs.program, programs.folder, "gnomon")
    assert len(record.losses) == 40 and record.losses[:5].mean() > 2 > record.losses[-5:].mean()
    assert [p.shape for p in record.parameters] == [(16, 400), (16,), (10, 16), (10,), (10,)]
    assert len(record.seconds) == 39 and (record.seconds > 0).all()
    assert sorted(each.name for each in (programs.folder / "someone+something" / "digits").iterdir()) == [
        "helper.py",
        "train.py",
    ]  # it ran in a copy


def test_a_program_is_stopped_after_its_steps_and_a_failure_is_shown(programs: Any) -> None:
    program = programs.manifest.Program("someone/something", "digits/train.py", "", "--epochs 1", steps=3)
    record = programs.runner.run(program, programs.folder, "gnomon")
    again = programs.runner.run(program, programs.folder, "gnomon")
    assert len(record.losses) == 3 and programs.runner.compare(record, again).losses == 0
    moved = programs.runner.run(program, programs.folder, "gnomon", moved=1)
    assert 0 < programs.runner.compare(record, moved).parameters < 1e-4
    program = programs.manifest.Program("someone/something", "digits/train.py", "", "--epochs many")
    with pytest.raises(programs.runner.ProgramError, match="invalid int value: 'many'"):
        programs.runner.run(program, programs.folder, "gnomon")
    program = dataclasses.replace(programs.program, arguments="--epochs 0")
    with pytest.raises(programs.runner.ProgramError, match="no losses were recorded"):
        programs.runner.run(program, programs.folder, "gnomon")
    (programs.folder / "someone+something" / "digits" / "helper.py").write_text("import torch.nowhere")
    with pytest.raises(programs.runner.ProgramError, match=r"torch\.nowhere is not there"):
        programs.runner.run(program, programs.folder, "gnomon")


def test_differences_are_relative_and_records_of_other_shapes_differ(programs: Any) -> None:
    def record(losses: list[float], *parameters: Any) -> Any:
        return programs.runner.Record(
            np.array(losses), [np.array(each) for each in parameters], np.array([1.0])
        )

    compare = programs.runner.compare
    first = record([8.0, 0.5], [2.0, -4.0], [1.0])
    assert compare(first, first) == programs.runner.Difference(0.0, 0.0)
    assert compare(first, record([8.0, 0.5], [2.0, -4.0], [1.25])).parameters == 0.25
    assert compare(first, record([8.0, 0.5], [2.5, -4.0], [1.0])).parameters == 0.125
    assert compare(first, record([9.0, 0.5], [2.0, -4.0], [1.0])).losses == 0.125
    assert compare(first, record([8.0, 0.75], [2.0, -4.0], [1.0])).losses == 0.25
    for other in (
        record([8.0], [2.0, -4.0], [1.0]),
        record([8.0, 0.5], [2.0, -4.0]),
        record([8.0, 0.5], [2.0], [1.0]),
    ):
        assert compare(first, other) == programs.runner.Difference(math.inf, math.inf)
    assert compare(first, record([8.0, math.nan], [2.0, -4.0], [1.0])).losses == math.inf
    both = [programs.runner.Difference(0.5, 0.0), programs.runner.Difference(0.25, 1.0)]
    assert programs.runner.largest(both) == programs.runner.Difference(0.5, 1.0)
    runs = [
        programs.runner.Record(np.zeros(2), [], np.array(seconds)) for seconds in ([1.0, 5.0], [3.0, 2.0])
    ]
    assert programs.runner.least_seconds(runs) == 3.0


def test_a_row_is_good_if_its_differences_are_rounding(programs: Any) -> None:
    def row(losses: float, parameters: float, rounding: float = 0.0) -> Any:
        difference = programs.runner.Difference(losses, parameters)
        return programs.page.Row(
            programs.program, 3, difference, programs.runner.Difference(rounding, rounding), 1.0, 2.0
        )

    assert row(1e-5, 1e-4).good() and not row(1e-3, 0.0).good() and not row(0.0, 0.1).good()
    assert row(1e-3, 0.1, rounding=1e-2).good() and not row(math.inf, math.inf, 1.0).good()
    assert not programs.page.Row(programs.program, 3, error="no").good()
    page = programs.page.markdown([row(1e-5, 1e-4)], "| other | program | 1 |\n")
    title = "| someone/something/digits/train.py | digits |"
    assert f"{title} 3 | 1e-05 (0e+00) | 1e-04 (0e+00) | 1.00 s | 2.00 s | 0.50 |\n" in page
    assert "| other" not in page  # it is not in the list of programs any more
    assert programs.page.markdown([], page) == page  # a row stays until the program is run again
    assert "| digits | failed |" in programs.page.markdown(
        [programs.page.Row(programs.program, 0, error="no")], page
    )


def test_without_programs_the_command_says_how_to_get_them(
    programs: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert programs.main.main([]) == 2
    said = capsys.readouterr().out
    for repository, commit in programs.manifest.COMMITS.items():
        assert f"github.com/{repository} " in said and f"checkout {commit}\n" in said and len(commit) == 40
    named = {program.repository for program in importlib.import_module("public_programs.manifest").PROGRAMS}
    assert named == set(programs.manifest.COMMITS)


@pytest.mark.oracle
def test_our_program_learns_the_same_with_pytorch(programs: Any, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch")
    page = programs.folder / "page.md"
    command = ["--programs", str(programs.folder), "--repeats", "1", "--markdown", str(page)]
    assert programs.main.main(command) == 0
    said = capsys.readouterr().out
    assert said.startswith("      someone/something/digits/train.py (digits): 40 steps, losses ")
    assert "| someone/something/digits/train.py | digits | 40 | " in page.read_text()
    assert programs.main.main([*command, "--only", "nothing"]) == 0 and capsys.readouterr().out == ""
    (programs.folder / "someone+something" / "digits" / "train.py").unlink()
    assert programs.main.main(command) == 2 and "is not in" in capsys.readouterr().out
