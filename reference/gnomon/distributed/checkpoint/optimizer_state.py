"""The states of optimizers of which each rank has a part: of parameters that are cut, and divided ones.

A state's tensors do not know that they are parts of a whole, but have the shape of a parameter that does.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gnomon as gn

from ...memory.tensor import Tensor
from ...optim import Optimizer
from ..optim.zero_redundancy_optimizer import ZeroRedundancyOptimizer
from ..tensor.sharding import marked, sharding_of
from .metadata import TensorStorageMetadata
from .names import Path, Stateful


def state_of(stateful: Stateful) -> dict[str, Any]:
    """The ``state_dict``, in which an optimizer's tensors know how they are cut.

    Of a ZeroRedundancyOptimizer the state of this rank's parameters, by their numbers in the whole.
    """
    if isinstance(stateful, ZeroRedundancyOptimizer):
        state = stateful._own_state_dict()
    else:
        state = stateful.state_dict()
    if isinstance(stateful, Optimizer):
        for number, parameter in enumerate(_parameters_of(stateful)):
            mark(state["state"].get(number, {}), parameter)
    return state


def mark(state: Mapping[str, Any], parameter: Tensor) -> None:
    """Have the tensors of a parameter's state know that they are cut as it is."""
    for each in state.values():
        if isinstance(each, Tensor) and each.shape == parameter.shape:
            marked(each, sharding_of(parameter))


def place_for(stateful: Stateful, path: Path, entry: Any) -> Tensor | None:
    """Where to read what an optimizer does not have yet, if it needs a part only; else None."""
    if not isinstance(stateful, Optimizer) or not isinstance(entry, TensorStorageMetadata):
        return None
    parameters = _parameters_of(stateful)
    if len(path) != 4 or path[1] != "state" or path[2] not in range(len(parameters)):
        return None
    parameter = parameters[path[2]]
    sharding = sharding_of(parameter)
    if sharding is None or sharding.place(parameter.shape)[0] != entry.size:
        return None
    return marked(gn.empty(parameter.shape, dtype=entry.dtype), sharding)


def _parameters_of(optimizer: Optimizer) -> list[Tensor]:
    """In the order of their numbers in a ``state_dict``."""
    return [each for group in optimizer.param_groups for each in group["params"]]
