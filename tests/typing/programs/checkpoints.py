"""state_dict, strict and partial loading, saving and loading files and objects."""

from __future__ import annotations

import io
import tempfile
from collections import OrderedDict
from pathlib import Path
from typing import Any

import gnomon as gn
from gnomon import Tensor, nn, optim


def make() -> nn.Sequential:
    return nn.Sequential(OrderedDict([("first", nn.Linear(2, 3)), ("norm", nn.BatchNorm1d(3))]))


def save(path: Path, model: nn.Module, optimizer: optim.Optimizer, epoch: int) -> None:
    checkpoint: dict[str, Any] = {
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "epoch": epoch,
    }
    gn.save(checkpoint, path)


model = make()
optimizer = optim.Adam(model.parameters(), lr=0.1)
model(gn.ones(4, 2)).sum().backward()
optimizer.step()
with tempfile.TemporaryDirectory() as folder:
    file = Path(folder) / "checkpoint.pt"
    save(file, model, optimizer, 7)
    loaded = gn.load(file, map_location="cpu", weights_only=True)

other = make()
problems = other.load_state_dict(loaded["model"])
assert problems.missing_keys == [] and problems.unexpected_keys == []
other_optimizer = optim.Adam(other.parameters())
other_optimizer.load_state_dict(loaded["optimizer"])
assert other_optimizer.param_groups[0]["lr"] == 0.1 and loaded["epoch"] == 7
for (name, one), (_, two) in zip(model.state_dict().items(), other.state_dict().items()):
    assert gn.equal(one, two), name

part: dict[str, Tensor] = {"first.weight": gn.zeros(3, 2), "extra": gn.zeros(1)}
problems = other.load_state_dict(part, strict=False)
assert problems.unexpected_keys == ["extra"] and "first.bias" in problems.missing_keys
first = other.get_submodule("first")
assert isinstance(first, nn.Linear) and first.weight.count_nonzero() == 0

base = gn.arange(6.0)
buffer = io.BytesIO()
gn.save([base, base[2:4]], buffer)
buffer.seek(0)
whole, view = gn.load(buffer)
whole[2] = 100
assert view.tolist() == [100.0, 3.0]
