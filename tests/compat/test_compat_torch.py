"""gnomon.compat.torch: programs written for PyTorch run with one import changed."""

from __future__ import annotations

import importlib

import pytest

import gnomon as gn
import gnomon.compat.torch as torch


def test_names_and_modules_are_gnomons() -> None:
    import gnomon.compat.torch.nn.functional as F
    from gnomon.compat.torch.nn.modules.linear import Linear
    from gnomon.compat.torch.optim.lr_scheduler import StepLR
    from gnomon.compat.torch.utils.data import DataLoader, TensorDataset

    from gnomon.compat.torch import nn, optim

    assert torch.Tensor is gn.Tensor and torch.float32 is gn.float32 and torch.tensor is gn.tensor
    assert nn is gn.nn and optim is gn.optim and F is gn.nn.functional and Linear is gn.nn.Linear
    assert StepLR is gn.optim.lr_scheduler.StepLR and DataLoader is gn.utils.data.DataLoader
    assert TensorDataset is gn.utils.data.TensorDataset
    assert gn.nn.__spec__.name == "gnomon.nn" and gn.nn.functional.__name__ == "gnomon.nn.functional"


@pytest.mark.parametrize(
    "name",
    "cuda cuda.amp backends.cudnn distributed jit onnx autograd.profiler nn.parallel".split()
    + "utils.checkpoint utils.data._utils.collate utils.data.distributed nn.attention version cpu".split(),
)
def test_modules_that_programs_import_are_there(name) -> None:
    found = importlib.import_module(f"gnomon.compat.torch.{name}")
    assert found.__name__.startswith("gnomon")
    assert importlib.import_module(f"gnomon.compat.torch.{name}") is found


def test_what_is_missing_is_named() -> None:
    with pytest.raises(AttributeError, match=r"^torch.not_there is not there: gnomon has no 'not_there'$"):
        torch.not_there  # noqa: B018
    with pytest.raises(ModuleNotFoundError, match=r"^torch.nowhere is not there: gnomon has no such module$"):
        importlib.import_module("gnomon.compat.torch.nowhere")
    with pytest.raises(ModuleNotFoundError, match=r"^torch.nn.nowhere is not there"):
        importlib.import_module("gnomon.compat.torch.nn.nowhere")
    with pytest.raises(ImportError, match="not_there"):
        exec("from gnomon.compat.torch import not_there")
    assert not hasattr(torch, "not_there") and "tensor" in dir(torch) and torch.__version__ == "2.13.0"


def test_a_program_trains() -> None:
    program = """
import gnomon.compat.torch as torch
import gnomon.compat.torch.nn as nn
from gnomon.compat.torch.utils.data import DataLoader, TensorDataset
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
torch.cuda.manual_seed_all(0)
x = torch.linspace(-1, 1, 64).unsqueeze(1)
loader = DataLoader(TensorDataset(x, x ** 2), batch_size=16, shuffle=True)
model = torch.compile(nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))).to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
losses = []
for epoch in range(20):
    for inputs, targets in loader:
        loss = nn.functional.mse_loss(model(inputs.to(device)), targets.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
"""
    found: dict[str, list[float]] = {}
    exec(program, found)
    assert sum(found["losses"][-4:]) < 0.3 * sum(found["losses"][:4])
