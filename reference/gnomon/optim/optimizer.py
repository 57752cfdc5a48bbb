"""Optimizer: parameter groups, per-parameter state, hooks, and the step."""

from __future__ import annotations

import functools
import itertools
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from typing import Any, ClassVar

import gnomon as gn

from ..autograd.hooks import Hooks, RemovableHandle, add_hook
from ..dispatch.dispatcher import aten
from ..memory.backend import backend_of
from ..nn.parameter import Parameter
from ..profiler import record_function
from ..values.dispatch_key import WRAPPER_KEYS
from ..values.errors import type_name, warn
from ..values.library_name import LIBRARY

ParamsT = (
    Iterable[gn.Tensor]
    | Iterable[tuple[str, gn.Tensor]]
    | Iterable[dict[str, Any]]
    | list[object]  # what mypy takes a list of groups for whose options are of different types
)

# Hooks of all optimizers.
_global_pre_hooks: Hooks = {}
_global_post_hooks: Hooks = {}


def register_optimizer_step_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Registers ``hook(optimizer, args, kwargs)``, called before each step of every optimizer.

    It runs before the optimizer's own hooks, and may return a replacement ``(args, kwargs)``.
    Source: torch.optim.optimizer.register_optimizer_step_pre_hook.
    """
    return add_hook(_global_pre_hooks, hook)


def register_optimizer_step_post_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Registers ``hook(optimizer, args, kwargs)``, called after each step of every optimizer.

    It runs after the optimizer's own hooks.
    Source: torch.optim.optimizer.register_optimizer_step_post_hook.
    """
    return add_hook(_global_post_hooks, hook)


_HOOKS = (
    "_optimizer_step_pre_hooks",
    "_optimizer_step_post_hooks",
    "_optimizer_state_dict_pre_hooks",
    "_optimizer_state_dict_post_hooks",
    "_optimizer_load_state_dict_pre_hooks",
    "_optimizer_load_state_dict_post_hooks",
)


class Optimizer:
    """The base class of all optimizers; a subclass defines ``step``.

    ``params`` is an iterable of tensors, or of (name, tensor) pairs, or of dicts with a "params" entry and
    options of their own.  ``defaults`` are the options that a group does not set.

    param_groups  list of dicts: "params", perhaps "param_names", and the options
    state         tensor -> dict of the optimizer's state for it

    Raises TypeError for params of another type, ValueError for no parameters, for a non-leaf tensor (unless
    the optimizer is differentiable), for a repeated parameter, and if only some parameters have names.
    Source: torch.optim.Optimizer.
    """

    # Options that state dicts of older versions lack, with the value they stand for.
    _later_options: ClassVar[dict[str, Any]] = {}
    # State that is a tensor of one number; older versions saved Python numbers.
    _numbers: tuple[str, ...] = ()

    _optimizer_step_pre_hooks: Hooks
    _optimizer_step_post_hooks: Hooks
    _optimizer_state_dict_pre_hooks: Hooks
    _optimizer_state_dict_post_hooks: Hooks
    _optimizer_load_state_dict_pre_hooks: Hooks
    _optimizer_load_state_dict_post_hooks: Hooks

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "step" in cls.__dict__:
            cls.step = cls.profile_hook_step(cls.step)  # type: ignore[method-assign]

    def __init__(self, params: ParamsT, defaults: dict[str, Any]) -> None:
        if isinstance(params, gn.Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                f"{LIBRARY}.Tensor"
            )
        self.defaults = defaults
        self.param_groups: list[dict[str, Any]] = []
        self.state: defaultdict[Any, dict[str, Any]] = defaultdict(dict)
        self.__dict__.update({name: OrderedDict() for name in _HOOKS})
        groups: list[Any] = list(params)
        if not groups:
            raise ValueError(
                "optimizer got an empty parameter list: expected at least one tensor; an iterator, such as "
                "model.parameters(), is empty after its first use"
            )
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled and copied: options and state, but not the hooks."""
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Takes over ``param_groups`` and ``state``, also of older versions, from pickle or a state dict."""
        for group in state.get("param_groups", ()):
            for name, value in self._later_options.items():
                group.setdefault(name, value)
            for param in group["params"]:
                known = state["state"].get(param)
                if known:
                    for name in self._numbers:
                        if not isinstance(known[name], gn.Tensor):
                            known[name] = self._new_number(float(known[name]), param, group)
        self.__dict__.update(state)  # all at once, so that an interrupt loses nothing
        for name in _HOOKS:
            self.__dict__.setdefault(name, OrderedDict())
        self.defaults.setdefault("differentiable", False)

    def _new_number(self, number: float, param: gn.Tensor, group: dict[str, Any]) -> gn.Tensor:
        """State that is one number: a tensor of shape ().

        It is on the default device, where reading it is cheap, unless the step is to run on the parameter's
        device alone.  As in PyTorch it is float64 if that is the default dtype, else float32.
        """
        is_on_device = group.get("capturable") or group.get("fused")
        device = param.device if is_on_device else None
        return gn.tensor(number, dtype=_number_dtype(group), device=device)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Adds a group of parameters with its own options; missing options are added to ``param_group``."""
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
        group = dict(param_group)
        names = [each[0] for each in params if isinstance(each, tuple)]
        if names:
            if len(names) != len(params):
                raise ValueError(
                    "all optimizer params should be with/without names. Some param names are missing"
                )
            group["param_names"] = names
            params = [param for _, param in params]
        group["params"] = params
        for param in params:
            if not isinstance(param, gn.Tensor):
                raise TypeError(
                    f"optimizer can only optimize Tensors, but one of the params is {type_name(param)}"
                )
            if not (self.defaults.get("differentiable") or param.is_leaf or param.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor")
        for name, default in self.defaults.items():
            if default is required and name not in group:
                raise ValueError(
                    f"parameter group didn't specify a value of required optimization parameter {name}"
                )
            group.setdefault(name, default)
        if len(set(params)) < len(params):
            warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this will cause "
                "an error; see github.com/pytorch/pytorch/issues/40967 for more information",
                UserWarning,
            )
        for other in self.param_groups:
            if ("param_names" in group) != ("param_names" in other):
                found = "with names" if "param_names" in group else "without names"
                raise ValueError(
                    "all optimizer param groups should be with/without names. "
                    f"cannot add param group {found} to the optimizer"
                )
        if not set(params).isdisjoint(self._parameters()):
            raise ValueError("some parameters appear in more than one parameter group")
        param_group.update(group)  # the caller's dict becomes the group, as in PyTorch, after all checks
        self.param_groups.append(param_group)

    def _parameters(self) -> Iterator[gn.Tensor]:
        return itertools.chain.from_iterable(group["params"] for group in self.param_groups)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Sets the gradients to None, or with ``set_to_none=False`` to zeros."""
        with record_function(f"Optimizer.zero_grad#{type(self).__name__}.zero_grad"):
            for param in self._parameters():
                meta = param._autograd_meta
                if meta is None or meta.grad is None:
                    continue
                if set_to_none:
                    meta.grad = None
                    continue
                if meta.grad.grad_fn is not None:
                    meta.grad.detach_()
                else:
                    meta.grad.requires_grad_(False)
                meta.grad.zero_()

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Updates the parameters once.  ``closure`` recomputes the loss and the gradients."""
        raise NotImplementedError

    @staticmethod
    def profile_hook_step(func: Callable[..., Any]) -> Callable[..., Any]:
        """``func``, a method ``step``, with the step hooks before and after, shown by the profiler.

        Every ``step`` that a subclass defines is wrapped like this.  Raises RuntimeError if a hook before the
        step returns neither None nor a pair.
        """

        @functools.wraps(func)
        def step(*args: Any, **kwargs: Any) -> Any:
            self = args[0]
            with record_function(f"Optimizer.step#{type(self).__name__}.step"):
                for hook in (*_global_pre_hooks.values(), *self._optimizer_step_pre_hooks.values()):
                    result = hook(self, args, kwargs)
                    if result is not None:
                        if not isinstance(result, tuple) or len(result) != 2:
                            raise RuntimeError(
                                f"{func} must return None or a tuple of (new_args, new_kwargs), but got "
                                f"{result}."
                            )
                        args, kwargs = result
                result = func(*args, **kwargs)
                for hook in (*self._optimizer_step_post_hooks.values(), *_global_post_hooks.values()):
                    hook(self, args, kwargs)
                return result

        return step

    # -- hooks -----------------------------------------------------------------------------------------------

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Registers ``hook(optimizer, args, kwargs)``, called before each step.

        ``args`` begins with the optimizer.  The hook may return a replacement ``(args, kwargs)``.
        """
        return add_hook(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Registers ``hook(optimizer, args, kwargs)``, called after each step."""
        return add_hook(self._optimizer_step_post_hooks, hook)

    def register_state_dict_pre_hook(
        self, hook: Callable[[Optimizer], None], prepend: bool = False
    ) -> RemovableHandle:
        """Registers ``hook(optimizer)``, called before ``state_dict``; ``prepend``: as the first one."""
        return _add_hook(self._optimizer_state_dict_pre_hooks, hook, prepend)

    def register_state_dict_post_hook(
        self, hook: Callable[[Optimizer, dict[str, Any]], dict[str, Any] | None], prepend: bool = False
    ) -> RemovableHandle:
        """Registers ``hook(optimizer, state_dict)``, which may return a replacement for the state dict.

        ``prepend``: as the first one.
        """
        return _add_hook(self._optimizer_state_dict_post_hooks, hook, prepend)

    def register_load_state_dict_pre_hook(
        self, hook: Callable[[Optimizer, dict[str, Any]], dict[str, Any] | None], prepend: bool = False
    ) -> RemovableHandle:
        """Registers ``hook(optimizer, state_dict)``, called before ``load_state_dict``.

        ``state_dict`` is a shallow copy of the caller's; the hook may return a replacement.  ``prepend``: as
        the first one.
        """
        return _add_hook(self._optimizer_load_state_dict_pre_hooks, hook, prepend)

    def register_load_state_dict_post_hook(
        self, hook: Callable[[Optimizer], None], prepend: bool = False
    ) -> RemovableHandle:
        """Registers ``hook(optimizer)``, called after ``load_state_dict``; ``prepend``: as the first one."""
        return _add_hook(self._optimizer_load_state_dict_post_hooks, hook, prepend)

    # -- state -----------------------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """The options and the state; parameters are replaced by their numbers in the order of the groups.

        ``{"state": {number: dict}, "param_groups": [dict]}``.  The state's tensors are not copied.
        """
        for hook in self._optimizer_state_dict_pre_hooks.values():
            hook(self)
        numbers: dict[int, int] = {}
        for number, param in enumerate(self._parameters()):
            numbers.setdefault(id(param), number)
        groups = []
        for group in self.param_groups:
            packed = {name: value for name, value in group.items() if name != "params"}
            packed["params"] = [numbers[id(param)] for param in group["params"]]
            groups.append(packed)
        state = {
            numbers[id(key)] if isinstance(key, gn.Tensor) else key: value
            for key, value in self.state.items()
        }
        state_dict: dict[str, Any] = {"state": state, "param_groups": groups}
        for hook in self._optimizer_state_dict_post_hooks.values():
            replacement = hook(self, state_dict)
            if replacement is not None:
                state_dict = replacement
        return state_dict

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Loads options and state; parameters are matched by their order.

        State tensors are copied to the parameter's device and, if the parameter is floating point, converted
        to its dtype.  A "step" stays as it is, but with ``capturable`` or ``fused`` it becomes float32 on the
        parameter's device.  Names of parameters in ``state_dict`` replace the optimizer's.  Raises ValueError
        if the groups do not match.
        """
        state_dict = state_dict.copy()
        for hook in self._optimizer_load_state_dict_pre_hooks.values():
            replacement = hook(self, state_dict)
            if replacement is not None:
                state_dict = replacement
        saved_groups = deepcopy(state_dict["param_groups"])
        if len(saved_groups) != len(self.param_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        param_and_group = {}
        for group, saved in zip(self.param_groups, saved_groups):
            if len(group["params"]) != len(saved["params"]):
                raise ValueError(
                    "loaded state dict contains a parameter group that doesn't match the size of "
                    "optimizer's group"
                )
            for number, param in zip(saved["params"], group["params"]):
                param_and_group[number] = param, saved
        state: defaultdict[Any, dict[str, Any]] = defaultdict(dict)
        for key, value in state_dict["state"].items():
            if key in param_and_group:
                param, saved = param_and_group[key]
                state[param] = _state_like(param, None, value, saved)
            else:
                state[key] = value
        for group, saved in zip(self.param_groups, saved_groups):
            saved["params"] = group["params"]
            if "param_names" in group:
                saved.setdefault("param_names", group["param_names"])
        self.__setstate__({"state": state, "param_groups": saved_groups})
        for hook in self._optimizer_load_state_dict_post_hooks.values():
            hook(self)

    def __repr__(self) -> str:
        text = f"{type(self).__name__} ("
        for number, group in enumerate(self.param_groups):
            options = [f"    {name}: {group[name]}\n" for name in sorted(group) if name != "params"]
            text += f"\nParameter Group {number}\n{''.join(options)}"
        return f"{text})"


Tensors = list[gn.Tensor]
Each = Callable[..., Tensors]


class FunctionalOptimizer(Optimizer):
    """The base class of optimizers whose step is a function, like ``optim.adam.adam``: a call for a group.

    A subclass defines ``_step``, which calls the function, and, if it keeps state, ``_new_state``.
    """

    _takes_sparse_gradients: ClassVar[bool] = False
    _refusal_of_sparse: ClassVar[str] = ""  # PyTorch's message, if it is not the usual one

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Updates every parameter that has a gradient, once.

        ``closure`` recomputes the loss and the gradients; ``step`` returns its value.  If the optimizer is
        ``differentiable``, autograd records the step.
        """
        mode = gn.enable_grad() if self.defaults.get("differentiable") else gn.no_grad()
        loss = None if closure is None else gn.enable_grad()(closure)()
        # As a decorator: an interrupt cannot leave the mode behind.
        mode(self._step_groups)()
        return loss

    def _step_groups(self) -> None:
        for group in self.param_groups:
            params, grads = [], []
            for param in group["params"]:
                grad = param.grad
                if grad is not None:
                    if grad.is_sparse and not self._takes_sparse_gradients:
                        usual = f"{type(self).__name__} does not support sparse gradients"
                        raise RuntimeError(self._refusal_of_sparse or usual)
                    params.append(param)
                    grads.append(grad)
            if params:
                self._step(params, grads, group)

    def _step(self, params: Tensors, grads: Tensors, group: dict[str, Any]) -> None:
        """Updates the parameters of a group that have gradients, and their state."""
        raise NotImplementedError(f"{type(self).__name__} must define _step")

    def _new_state(self, param: gn.Tensor, grad: gn.Tensor, group: dict[str, Any]) -> dict[str, Any]:
        """The state of a parameter before its first step."""
        return {}

    def _lists(self, params: Tensors, grads: Tensors, group: dict[str, Any], *names: str) -> list[list[Any]]:
        """The parameters' state as a list for each name; created at a parameter's first gradient.

        What a parameter does not have is None.
        """
        states = []
        for param, grad in zip(params, grads):
            state = self.state[param]
            if not state:
                # all at once, so that an interrupt can not leave an incomplete state
                state.update(self._new_state(param, grad, group))
            states.append(state)
        return [[state.get(name) for state in states] for name in names]

    def _move_steps(self, params: Tensors) -> Tensors:
        """The step counts, which a fused operator needs on the parameters' device."""
        states, where = [self.state[param] for param in params], params[0].device
        for state in states:
            if state["step"].device != where:
                state["step"] = state["step"].to(where)
        return [state["step"] for state in states]

    def _amp_scaling(self, where: gn.device) -> tuple[gn.Tensor | None, gn.Tensor | None]:
        """What a GradScaler has set for a fused step: the gradients' scale, and 1 if one is not finite."""
        found = (getattr(self, name, None) for name in ("grad_scale", "found_inf"))
        scale, inf = (None if each is None else each.to(where) for each in found)
        return scale, inf


def update_tensors(
    update: Callable[..., None],
    params: Tensors,
    grads: Tensors,
    state: Iterable[list[Any]],
    *,
    foreach: bool | None,
    numbers: tuple[Any, ...],
    maximize: bool = False,
    differentiable: bool = False,
    capturable: bool = False,
    by_shape: bool = False,
) -> None:
    """Calls ``update(each, params, grads, *state)``, with all tensors of a kind, or with one after the other.

    ``update`` is written once for both: ``each("mul_", tensors, number)`` calls an operator for each tensor,
    and returns the results; other arguments are numbers, or lists of tensors or of numbers.

    Tensors of a kind have one device and dtype, with ``by_shape`` also one shape.  Whether they are updated
    together, by list operators, decides ``uses_lists``.  Otherwise a complex parameter is updated like two
    real ones.  ``state`` is a list for each thing that is kept; an empty one, which is not used, is filled
    with None.  Raises AssertionError for ``foreach`` together with ``differentiable``.
    """
    if foreach and differentiable:
        raise AssertionError("_foreach ops don't support autograd")
    columns = [params, grads, *(column or [None] * len(params) for column in state)]
    alike: dict[Any, list[int]] = {}
    for place, param in enumerate(params):
        spec = param._spec
        kind = (spec.device, spec.dtype, spec.sizes if by_shape else None)
        alike.setdefault(kind, []).append(place)
    for places in alike.values():
        some_params, some_grads, *rest = ([column[place] for place in places] for column in columns)
        if uses_lists(some_params, some_grads, foreach, differentiable or capturable, numbers):
            if maximize:
                some_grads = multi_tensor("neg", some_grads)
            update(multi_tensor, some_params, some_grads, *rest)
            continue
        for row in zip(some_params, some_grads, *rest):
            param, grad, *others = as_real(*row)
            update(single_tensor, [param], [-grad if maximize else grad], *([other] for other in others))


def as_real(param: gn.Tensor, *others: Any) -> tuple[Any, ...]:
    """The parameter, and what belongs to it; if it is complex, complex tensors as views of real ones."""
    if not param.is_complex():
        return param, *others
    return tuple(
        gn.view_as_real(each) if each is not None and each.is_complex() else each for each in (param, *others)
    )


def uses_lists(
    params: Tensors, grads: Tensors, foreach: bool | None, is_recorded: bool, numbers: tuple[Any, ...]
) -> bool:
    """Are all parameters updated together, by list operators?

    Not if the step ``is_recorded``, by autograd or a graph, if one of the ``numbers`` is a tensor, or for
    complex parameters.  By default not if there are few, or if large ones are in host memory: a list operator
    passes over all of them, and they would leave the caches before the next one.
    """
    if foreach is False or is_recorded:
        return False
    if any(isinstance(number, gn.Tensor) for number in numbers) or not are_plain(params, grads):
        return False
    if foreach:
        return True
    elements = sum([param._spec.numel for param in params])
    is_large = elements > _MOST_CACHED * len(params) and backend_of(params[0]._spec.device).host_memory
    return len(params) >= _LEAST_LIST and not is_large


_LEAST_LIST = 4  # so many calls of an operator take as long as one of a list operator
_MOST_CACHED = 32768  # elements of a parameter


def multi_tensor(name: str, tensors: Tensors, *others: Any, value: Any = None, alpha: Any = None) -> Tensors:
    """Calls a list operator; one that is in place returns ``tensors``.

    If ``alpha`` is a list, which no operator takes, another operator multiplies by it before.
    """
    if isinstance(alpha, list):
        others, alpha = (multi_tensor("mul", others[0], alpha),), None
    packet = getattr(aten, f"_foreach_{name}")
    arguments = others if value is None else (*others, value)
    if not arguments or name == "copy_":
        found = packet.default(tensors, *arguments)
    else:
        last = arguments[-1]
        if not isinstance(last, list):
            operator = packet.Scalar
        else:
            operator = packet.List if isinstance(last[0], gn.Tensor) else packet.ScalarList
        found = operator(tensors, *arguments, *(() if alpha is None else (alpha,)))
    return tensors if found is None else list(found)


def single_tensor(name: str, tensors: Tensors, *others: Any, **options: Any) -> Tensors:
    """Calls a method of each tensor."""
    columns = [other if isinstance(other, list) else itertools.repeat(other) for other in others]
    numbers = {key: option[0] if isinstance(option, list) else option for key, option in options.items()}
    return [getattr(tensor, name)(*row, **numbers) for tensor, *row in zip(tensors, *columns)]


def stacked(tensors: Tensors) -> gn.Tensor:
    """The tensors as one batch, which of one tensor is a view of it."""
    return gn.stack(tensors) if len(tensors) > 1 else tensors[0].unsqueeze(0)


def flattened(tensors: Tensors) -> gn.Tensor:
    """All elements in one dimension, in order."""
    return gn.cat([each.flatten() for each in tensors])


def split_like(flat: gn.Tensor, tensors: Tensors) -> Tensors:
    """``flat`` cut into tensors of the shapes of ``tensors``: views."""
    parts = flat.split([each.numel() for each in tensors])
    return [part.view(each.shape) for part, each in zip(parts, tensors)]


# Devices where a step with ``capturable`` runs without being waited for.
CAPTURABLE_DEVICES = ["cuda"]


class _Required:
    """The default value of a required option."""

    def __repr__(self) -> str:
        return "<required parameter>"


required = _Required()


def _add_hook(hooks: Hooks, hook: Callable[..., Any], prepend: bool) -> RemovableHandle:
    handle = add_hook(hooks, hook)
    if prepend:
        hooks.move_to_end(handle.id, last=False)  # type: ignore[attr-defined]
    return handle


def _number_dtype(group: dict[str, Any]) -> gn.dtype:
    is_wide = gn.get_default_dtype() is gn.float64 and not group.get("fused")
    return gn.float64 if is_wide else gn.float32


def check_fused(fused: bool | None, foreach: bool | None, differentiable: bool) -> None:
    """Raises RuntimeError, with PyTorch's message, if ``fused`` is true and another one is too."""
    if fused and differentiable:
        raise RuntimeError("`fused` does not support `differentiable`")
    if fused and foreach:
        raise RuntimeError("`fused` and `foreach` cannot be `True` together.")


def check_fused_param(param: gn.Tensor) -> None:
    """Raises RuntimeError, with PyTorch's message, unless ``param`` is floating point."""
    if not param.is_floating_point():
        devices = [each.device_type for each in gn.backends().values() if each.available]
        raise RuntimeError(
            "`fused=True` requires all the params to be floating point Tensors of supported devices: "
            f"{devices} but {param.dtype} and {param.device.type}"
        )


def is_fused(
    params: Tensors,
    grads: Tensors,
    fused: bool | None,
    foreach: bool | None,
    is_recorded: bool,
    numbers: tuple[Any, ...],
) -> bool:
    """Is the step one fused operator for all parameters?

    If neither ``fused`` nor ``foreach`` is given, it is whenever the operator supports the parameters and the
    options, and gives what the sequence of operators gives: not if the step ``is_recorded``, by autograd or a
    graph, and not if one of the ``numbers`` is a tensor, which may be narrower than the operator's, or
    require grad.  Raises RuntimeError if ``fused`` is given for parameters that are not floating point.
    """
    if fused:
        for param in params:
            check_fused_param(param)
        return True
    if fused is not None or foreach is not None or is_recorded:
        return False
    if gn.is_grad_enabled() and any(each.requires_grad for each in (*params, *grads)):
        return False
    return not any(isinstance(number, gn.Tensor) for number in numbers) and are_plain(params, grads)


def with_values(sparse: gn.Tensor, values: gn.Tensor) -> gn.Tensor:
    """``values`` as a sparse tensor with the indices of a coalesced one."""
    indices = sparse._indices()
    return gn.sparse_coo_tensor(indices, values, sparse.shape, is_coalesced=True, check_invariants=False)


def are_on(tensors: Tensors, where: gn.device) -> bool:
    """Are all on one device?"""
    return all(each.device == where for each in tensors)


def check_numbers(name: str, tensors: Tensors) -> None:
    """Raises RuntimeError, with PyTorch's message, unless all are tensors."""
    if not all(isinstance(each, gn.Tensor) for each in tensors):
        raise RuntimeError(f"API has changed, `{name}` argument must contain a list of singleton tensors")


def check_unscaled(fused: bool | None, grad_scale: Any, found_inf: Any) -> None:
    """Raises AssertionError, with PyTorch's message, if a step that is not fused gets a scale."""
    if not fused and (grad_scale is not None or found_inf is not None):
        raise AssertionError("Expected grad_scale and found_inf to be None")


def check_capturable(
    capturable: bool, params: Tensors, *numbers: Tensors, needs: str = "params and state_steps"
) -> None:
    """Raises AssertionError, with PyTorch's message, unless a step can be ``capturable`` there."""
    if not capturable:
        return
    for row in zip(params, *numbers):
        types = {each.device.type for each in row}
        if len(types) > 1 or types.isdisjoint(CAPTURABLE_DEVICES):
            raise AssertionError(
                f"If capturable=True, {needs} must be on supported devices: {CAPTURABLE_DEVICES}."
            )


def are_plain(params: Tensors, grads: Tensors) -> bool:
    """May one operator update all parameters: are they different dense floating point tensors on one device,
    and is each gradient one of the same dtype?
    """
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
    return float(option.item() if isinstance(option, gn.Tensor) else option)


def as_scalar(option: Any) -> Any:
    """``option``; a one-element tensor with the shape ()."""
    return option.squeeze() if isinstance(option, gn.Tensor) and option.dim() != 0 else option


def check_lr(lr: float | gn.Tensor) -> None:
    """Raises ValueError, with PyTorch's message, unless ``lr`` is a number >= 0 or a tensor of one."""
    check_one_element("lr", lr)
    check_at_least_zero("learning rate", lr)


def check_one_element(name: str, option: Any) -> None:
    """Raises ValueError, with PyTorch's message, for a tensor with more or fewer elements than one."""
    if isinstance(option, gn.Tensor) and option.numel() != 1:
        raise ValueError(f"Tensor {name} must be 1-element")


def check_at_least_zero(name: str, value: Any) -> None:
    """Raises ValueError, with PyTorch's message, unless ``value >= 0``."""
    if not value >= 0.0:
        raise ValueError(f"Invalid {name}: {value}")


def check_betas(betas: tuple[Any, Any]) -> None:
    """Raises ValueError, with PyTorch's message, unless both are in [0, 1)."""
    for index, beta in enumerate(betas):
        if not 0.0 <= beta < 1.0:
            raise ValueError(f"Invalid beta parameter at index {index}: {beta}")


def _state_like(param: gn.Tensor, name: str | None, value: Any, group: dict[str, Any]) -> Any:
    """A copy of saved state on the device and in the dtype of ``param``.

    The step count keeps its dtype and device, because float16 cannot count far, unless the step runs on the
    parameter's device alone.
    """
    if isinstance(value, gn.Tensor):
        value = value.detach()
        if name == "step" and not (group.get("capturable") or group.get("fused")):
            return value.clone()
        if name == "step":
            return value.to(device=param.device, dtype=gn.float32, copy=True)
        if param.is_floating_point():
            return value.to(device=param.device, dtype=param.dtype, copy=True)
        return value.to(device=param.device, copy=True)
    if isinstance(value, dict):
        return {key: _state_like(param, key, each, group) for key, each in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str):
        return type(value)(_state_like(param, None, each, group) for each in value)  # type: ignore[call-arg]
    return value
