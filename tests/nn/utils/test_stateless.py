"""nn.utils.stateless and nn.utils.memory_format; with ``-m oracle``, PyTorch runs the same tests."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest


def test_the_old_functional_call_warns(lib: ModuleType) -> None:
    layer = lib.nn.Linear(2, 1, bias=False)
    before = layer.weight.detach().clone()
    with pytest.warns(FutureWarning, match=r"nn\.utils\.stateless\.functional_call` is deprecated"):
        found = lib.nn.utils.stateless.functional_call(layer, {"weight": lib.ones(1, 2)}, lib.ones(1, 2))
    assert found.tolist() == [[2]] and layer.weight.tolist() == before.tolist()


def test_weights_of_convolutions_change_their_format(lib: ModuleType) -> None:
    nn: Any = lib.nn
    model = nn.Sequential(nn.Conv2d(4, 3, 2), nn.Sequential(nn.ConvTranspose2d(3, 2, 2)), nn.Conv1d(2, 2, 1))
    before = [each.detach().clone() for each in model.parameters()]
    parameters = list(map(id, model.parameters()))
    assert nn.utils.convert_conv2d_weight_memory_format(model, lib.channels_last) is model
    assert model[0].weight.stride() == (16, 1, 8, 4) and model[1][0].weight.stride() == (8, 1, 4, 2)
    assert model[2].weight.is_contiguous() and list(map(id, model.parameters())) == parameters
    assert all(old.tolist() == new.tolist() for old, new in zip(before, model.parameters()))
    three = nn.utils.convert_conv3d_weight_memory_format(nn.Conv3d(2, 2, 2), lib.channels_last_3d)
    assert three.weight.stride() == (16, 1, 8, 4, 2)
