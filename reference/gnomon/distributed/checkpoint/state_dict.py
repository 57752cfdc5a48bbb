"""The state of a model and its optimizers by the names of parameters, as other ranks and other programs call
them: without the "module." of DistributedDataParallel, and without the numbers of ``Optimizer.state_dict``.

Source: torch.distributed.checkpoint.state_dict.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import gnomon as gn
from gnomon import nn
from gnomon.nn.parallel import DataParallel, DistributedDataParallel
from gnomon.optim import Optimizer

from ...memory.tensor import Tensor
from ..optim.zero_redundancy_optimizer import ZeroRedundancyOptimizer
from ..tensor.sharding import marked, sharding_of
from .optimizer_state import mark

__all__ = [
    "StateDictOptions",
    "get_model_state_dict",
    "get_optimizer_state_dict",
    "get_state_dict",
    "set_model_state_dict",
    "set_optimizer_state_dict",
    "set_state_dict",
]


@dataclass
class StateDictOptions:
    """How states are taken and given.

    ``cpu_offload``: tensors are copied to the host.  ``ignore_frozen_params``: without parameters that need
    no gradient.  ``strict``: as in ``Module.load_state_dict``.  Source:
    torch.distributed.checkpoint.state_dict.StateDictOptions.
    """

    cpu_offload: bool = False
    ignore_frozen_params: bool = False
    strict: bool = True


def get_model_state_dict(model: nn.Module, *, options: StateDictOptions | None = None) -> dict[str, Any]:
    """The parameters and buffers of a model, by name.

    Source: torch.distributed.checkpoint.state_dict.get_model_state_dict.
    """
    chosen = options or StateDictOptions()
    frozen = {id(each) for each in model.parameters() if not each.requires_grad}
    state: dict[str, Any] = {}
    for key, value in model.state_dict(keep_vars=True).items():
        if not (chosen.ignore_frozen_params and id(value) in frozen):
            state[_plain(model, key)] = (
                marked(value.detach(), sharding_of(value)) if isinstance(value, Tensor) else value
            )
    return _offloaded(state) if chosen.cpu_offload else state


def set_model_state_dict(
    model: nn.Module, model_state_dict: Mapping[str, Any], *, options: StateDictOptions | None = None
) -> Any:
    """Give a model what ``get_model_state_dict`` gave; returns the missing and the unexpected keys.

    Source: torch.distributed.checkpoint.state_dict.set_model_state_dict.
    """
    chosen = options or StateDictOptions()
    keys = {_plain(model, key): key for key in model.state_dict()}
    state = {keys.get(name, name): value for name, value in model_state_dict.items()}
    if chosen.ignore_frozen_params:
        frozen = {name: each.detach() for name, each in model.named_parameters() if not each.requires_grad}
        state = {**frozen, **state}
    return model.load_state_dict(state, strict=chosen.strict)


def get_optimizer_state_dict(
    model: nn.Module,
    optimizers: Optimizer | Iterable[Optimizer],
    *,
    options: StateDictOptions | None = None,
) -> dict[str, Any]:
    """The states of optimizers, by the names of the parameters, and their groups, with names for parameters.

    An optimizer that has made no step gets the states that it will have, so that they can be loaded into.
    Source: torch.distributed.checkpoint.state_dict.get_optimizer_state_dict.
    """
    chosen = options or StateDictOptions()
    names = _names_of(model)
    made: dict[str, Any] = {"state": {}, "param_groups": []}
    for optimizer in _listed(optimizers):
        # the part of a divided one: what this rank's own optimizer has
        own = optimizer._own() if isinstance(optimizer, ZeroRedundancyOptimizer) else optimizer
        _prepare(own)
        for parameter, state in own.state.items():
            mark(state, parameter)
            made["state"][names[parameter]] = dict(state)
        for group in optimizer.param_groups:
            made["param_groups"].append({**group, "params": [names[each] for each in group["params"]]})
    return _offloaded(made) if chosen.cpu_offload else made


def set_optimizer_state_dict(
    model: nn.Module,
    optimizers: Optimizer | Iterable[Optimizer],
    optim_state_dict: Mapping[str, Any],
    *,
    options: StateDictOptions | None = None,
) -> None:
    """Give optimizers what ``get_optimizer_state_dict`` gave.

    Raises RuntimeError for a parameter that no group of ``optim_state_dict`` names.
    Source: torch.distributed.checkpoint.state_dict.set_optimizer_state_dict.
    """
    names = _names_of(model)
    for optimizer in _listed(optimizers):
        state: dict[int, Any] = {}
        groups = []
        count = 0
        for group in optimizer.param_groups:
            own = [names[each] for each in group["params"]]
            given = next((g for g in optim_state_dict["param_groups"] if set(g["params"]) & set(own)), None)
            if given is None or not set(own) <= set(given["params"]):
                raise RuntimeError(
                    f"set_optimizer_state_dict: no group of the state has the parameters {own}"
                )
            numbers = list(range(count, count + len(own)))
            count += len(own)
            groups.append({**given, "params": numbers})
            for number, name in zip(numbers, own, strict=True):
                if name in optim_state_dict["state"]:
                    state[number] = optim_state_dict["state"][name]
        optimizer.load_state_dict({"state": state, "param_groups": groups})


def get_state_dict(
    model: nn.Module,
    optimizers: Optimizer | Iterable[Optimizer],
    *,
    options: StateDictOptions | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The states of a model and its optimizers.

    Source: torch.distributed.checkpoint.state_dict.get_state_dict.
    """
    return (
        get_model_state_dict(model, options=options),
        get_optimizer_state_dict(model, optimizers, options=options),
    )


def set_state_dict(
    model: nn.Module,
    optimizers: Optimizer | Iterable[Optimizer],
    *,
    model_state_dict: Mapping[str, Any],
    optim_state_dict: Mapping[str, Any],
    options: StateDictOptions | None = None,
) -> Any:
    """Give a model and its optimizers what ``get_state_dict`` gave.

    Source: torch.distributed.checkpoint.state_dict.set_state_dict.
    """
    set_optimizer_state_dict(model, optimizers, optim_state_dict, options=options)
    return set_model_state_dict(model, model_state_dict, options=options)


def _listed(optimizers: Optimizer | Iterable[Optimizer]) -> list[Optimizer]:
    return [optimizers] if isinstance(optimizers, Optimizer) else list(optimizers)


def _plain(model: nn.Module, key: str) -> str:
    """A key of the model's ``state_dict``, without the names that wrappers add."""
    module: nn.Module | None = model
    plain = []
    for part in key.split("."):
        if not (isinstance(module, (DataParallel, DistributedDataParallel)) and part == "module"):
            plain.append(part)
        module = getattr(module, "_modules", {}).get(part)
    return ".".join(plain)


def _names_of(model: nn.Module) -> dict[Any, str]:
    """The name of each parameter, in a dict by identity, as Tensors hash."""
    return {parameter: _plain(model, name) for name, parameter in model.named_parameters()}


def _prepare(optimizer: Optimizer) -> None:
    """Have an optimizer make its states: by a step without gradients that changes no parameter."""
    parameters = [each for group in optimizer.param_groups for each in group["params"]]
    if optimizer.state or any(each.grad is not None for each in parameters):
        return
    rates = [group["lr"] for group in optimizer.param_groups]
    for group in optimizer.param_groups:
        group["lr"] = gn.tensor(0.0) if isinstance(group["lr"], Tensor) else 0.0
    for each in parameters:
        if each.requires_grad:
            each.grad = gn.zeros_like(each)
    optimizer.step(closure=None)
    for group, rate in zip(optimizer.param_groups, rates, strict=True):
        group["lr"] = rate
    optimizer.zero_grad(set_to_none=True)


def _offloaded(value: Any) -> Any:
    if isinstance(value, Tensor):
        return marked(value.cpu(), sharding_of(value))
    if isinstance(value, dict):
        return {key: _offloaded(each) for key, each in value.items()}
    return value
