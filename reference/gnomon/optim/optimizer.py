"""Optimizer: parameter groups, per-parameter state, and the step."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import gnomon as gn

from ..nn.module import clear_grad
from ..nn.parameter import Parameter
from ..values.dispatch_key import WRAPPER_KEYS
from ..values.errors import type_name, warn


class Optimizer:
    """The base class of all optimizers.

    ``params`` is an iterable of tensors, or of (name, tensor) pairs, or of dicts with a "params" entry and
    options of their own.  ``defaults`` are the options that a group does not set.

    param_groups  list of dicts: "params" and the options
    state         tensor -> dict of the optimizer's state for it

    Raises TypeError for params of another type, ValueError for no parameters, for a non-leaf tensor, and for
    a repeated parameter.  Source: torch.optim.Optimizer; hooks are not supported.
    """

    def __init__(self, params: Iterable[Any], defaults: dict[str, Any]) -> None:
        if isinstance(params, gn.Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                "gnomon.Tensor"
            )
        self.defaults = defaults
        self.param_groups: list[dict[str, Any]] = []
        self.state: defaultdict[gn.Tensor, dict[str, Any]] = defaultdict(dict)
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Adds a group of parameters with its own options."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        params = param_group["params"]
        if isinstance(params, gn.Tensor):
            params = [params]
        elif isinstance(params, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but the ordering of "
                "tensors in sets will change between runs. Please use a list instead."
            )
        params = list(params)
        group = {**self.defaults, **param_group}
        if params and all(isinstance(each, tuple) for each in params):
            group["param_names"] = [name for name, _ in params]
            params = [param for _, param in params]
        group["params"] = params
        for param in params:
            if not isinstance(param, gn.Tensor):
                raise TypeError(
                    f"optimizer can only optimize Tensors, but one of the params is {type_name(param)}"
                )
            if not param.is_leaf:
                raise ValueError("can't optimize a non-leaf Tensor")
        for name, default in self.defaults.items():
            if default is REQUIRED and group[name] is REQUIRED:
                raise ValueError(
                    f"parameter group didn't specify a value of required optimization parameter {name}"
                )
        known = {id(param) for each in self.param_groups for param in each["params"]}
        ours = [id(param) for param in params]
        if len(set(ours)) < len(ours):
            warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this will cause "
                "an error",
                UserWarning,
            )
        if not known.isdisjoint(ours):
            raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(group)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Sets the gradients to None, or with ``set_to_none=False`` to zeros."""
        for group in self.param_groups:
            for param in group["params"]:
                meta = param._autograd_meta
                if meta is None or meta.grad is None:
                    continue
                if set_to_none:
                    meta.grad = None
                else:
                    clear_grad(param, False)

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Updates every parameter that has a gradient, once.

        ``closure`` recomputes the loss and the gradients; ``step`` returns its value.
        """
        loss = None
        if closure is not None:
            with gn.enable_grad():
                loss = closure()
        self._update_groups()
        return loss

    @gn.no_grad()
    def _update_groups(self) -> None:
        for group in self.param_groups:
            params, grads = [], []
            for param in group["params"]:
                grad = param.grad
                if grad is not None:
                    params.append(param)
                    grads.append(grad)
            if params:
                self._step(params, grads, group)

    def _step(self, params: list[gn.Tensor], grads: list[gn.Tensor], group: dict[str, Any]) -> None:
        """Updates the parameters of a group that have gradients.  Runs in no_grad mode."""
        for param, grad in zip(params, grads):
            self._update(param, grad, group)

    def _update(self, param: gn.Tensor, grad: gn.Tensor, group: dict[str, Any]) -> None:
        """Updates one parameter."""
        raise NotImplementedError(f"{type(self).__name__} must define _update")

    # -- state -----------------------------------------------------------------------------------------------

    def _parameters(self) -> Iterator[gn.Tensor]:
        return itertools.chain.from_iterable(group["params"] for group in self.param_groups)

    def state_dict(self) -> dict[str, Any]:
        """The options and the state; parameters are replaced by their numbers in the order of the groups."""
        numbers = {id(param): number for number, param in enumerate(self._parameters())}
        groups = []
        for group in self.param_groups:
            packed = {name: value for name, value in group.items() if name != "params"}
            packed["params"] = [numbers[id(param)] for param in group["params"]]
            groups.append(packed)
        state = {
            numbers[id(key)] if isinstance(key, gn.Tensor) else key: value
            for key, value in self.state.items()
        }
        return {"state": state, "param_groups": groups}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Loads options and state; parameters are matched by their order.

        State tensors are moved to the parameter's device and, if the parameter is floating point, converted
        to its dtype (a "step" keeps its own).  Raises ValueError if the groups do not match.
        """
        saved_groups = state_dict["param_groups"]
        if len(saved_groups) != len(self.param_groups):
            raise ValueError(
                "loaded state dict has a different number of parameter groups: expected "
                f"{len(self.param_groups)}, but got {len(saved_groups)}"
            )
        for group, saved in zip(self.param_groups, saved_groups):
            if len(group["params"]) != len(saved["params"]):
                raise ValueError(
                    "loaded state dict contains a parameter group that doesn't match the size of "
                    f"optimizer's group: expected {len(group['params'])} parameters, but got "
                    f"{len(saved['params'])}"
                )
        saved_numbers = itertools.chain.from_iterable(saved["params"] for saved in saved_groups)
        by_number = dict(zip(saved_numbers, self._parameters()))
        state: defaultdict[gn.Tensor, dict[str, Any]] = defaultdict(dict)
        for key, value in state_dict["state"].items():
            if key in by_number:
                param = by_number[key]
                state[param] = {name: _like(param, name, each) for name, each in value.items()}
            else:
                state[key] = value
        groups = []
        for group, saved in zip(self.param_groups, saved_groups):
            merged = {**saved, "params": group["params"]}
            if "param_names" in group:
                merged.setdefault("param_names", group["param_names"])
            groups.append(merged)
        self.param_groups, self.state = groups, state  # together, after all checks

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for number, group in enumerate(self.param_groups):
            lines.append(f"Parameter Group {number}")
            lines.extend(f"    {name}: {group[name]}" for name in sorted(group) if name != "params")
        return "\n".join([*lines, ")"])


class _Required:
    """The default value of a required option."""

    def __repr__(self) -> str:
        return "<required parameter>"


REQUIRED = _Required()


def check_fused(fused: bool | None, foreach: bool | None) -> None:
    """Raises RuntimeError, with PyTorch's message, if both ``fused`` and ``foreach`` are true."""
    if fused and foreach:
        raise RuntimeError("`fused` and `foreach` cannot be `True` together.")


def is_fused(params: list[gn.Tensor], grads: list[gn.Tensor], group: dict[str, Any]) -> bool:
    """Is the step one fused operator for all parameters?

    If neither ``fused`` nor ``foreach`` is given, it is whenever the operator supports the parameters.
    """
    if group.get("fused") is not None or group.get("foreach") is not None:
        return bool(group.get("fused"))
    where = params[0]._spec.device
    for param, grad in zip(params, grads):
        spec, other = param._spec, grad._spec
        if param.__class__ not in _PLAIN_TYPES or grad.__class__ is not gn.Tensor:
            return False
        if spec.dtype is not other.dtype or spec.device is not where or other.device is not where:
            return False
        if not spec.dtype.is_floating_point or (param._keys | grad._keys) & WRAPPER_KEYS:
            return False
        if spec.strides != other.strides and 0 in spec.strides:
            return False
    return len(set(map(id, params))) == len(params)  # a repeated parameter needs two sequential steps


_PLAIN_TYPES = (gn.Tensor, Parameter)


def number_of(option: Any) -> float:
    """The number of an option that may be a one-element tensor."""
    return option.item() if isinstance(option, gn.Tensor) else option


def check_at_least_zero(name: str, value: float) -> None:
    """Raises ValueError, with PyTorch's message, unless ``value >= 0``."""
    if not value >= 0.0:
        raise ValueError(f"Invalid {name}: {value}")


def _like(param: gn.Tensor, name: str, value: Any) -> Any:
    """A copy of saved state on the device and in the dtype of ``param``.

    The step count keeps its dtype, because float16 cannot count far.
    """
    if not isinstance(value, gn.Tensor):
        return value
    if name != "step" and param.is_floating_point():
        return value.detach().to(device=param.device, dtype=param.dtype, copy=True)
    return value.detach().to(device=param.device, copy=True)
