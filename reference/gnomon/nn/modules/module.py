"""Module: a tree of parameters, buffers and child modules, with a ``forward`` and hooks.

Source: torch/nn/modules/module.py.
"""

from __future__ import annotations

import functools
import itertools
from collections import OrderedDict, namedtuple
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeVar, overload

import gnomon as gn

from ...autograd.hooks import RemovableHandle, add_hook
from ...values.errors import type_name, warn
from ...values.library_name import LIBRARY
from ..parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter, is_lazy
from ._functions import BackwardHook
from .utils import typename

Self = TypeVar("Self", bound="Module")
P = ParamSpec("P")
Result_co = TypeVar("Result_co", covariant=True)
Hook = Callable[..., Any]

_EXTRA_STATE_KEY_SUFFIX = "_extra_state"

# The hooks of all modules, by the ids of their handles.
_global_buffer_registration_hooks: OrderedDict[int, Hook] = OrderedDict()
_global_module_registration_hooks: OrderedDict[int, Hook] = OrderedDict()
_global_parameter_registration_hooks: OrderedDict[int, Hook] = OrderedDict()
_global_backward_pre_hooks: OrderedDict[int, Hook] = OrderedDict()
_global_backward_hooks: OrderedDict[int, Hook] = OrderedDict()
_global_is_full_backward_hook: bool | None = None
_global_forward_pre_hooks: OrderedDict[int, Hook] = OrderedDict()
_global_forward_hooks: OrderedDict[int, Hook] = OrderedDict()
_global_forward_hooks_always_called: OrderedDict[int, Any] = OrderedDict()
_global_forward_hooks_with_kwargs: OrderedDict[int, Any] = OrderedDict()


def register_module_buffer_registration_hook(hook: Hook) -> RemovableHandle:
    """Registers a hook of all modules, called before a buffer is registered.

    ``hook(module, name, buffer)`` may return a buffer that is registered instead.  Source:
    torch.nn.modules.module.register_module_buffer_registration_hook.
    """
    return add_hook(_global_buffer_registration_hooks, hook)


def register_module_module_registration_hook(hook: Hook) -> RemovableHandle:
    """Registers a hook of all modules, called before a child module is registered.

    ``hook(module, name, child)`` may return a module that is registered instead.  Source:
    torch.nn.modules.module.register_module_module_registration_hook.
    """
    return add_hook(_global_module_registration_hooks, hook)


def register_module_parameter_registration_hook(hook: Hook) -> RemovableHandle:
    """Registers a hook of all modules, called before a parameter is registered.

    ``hook(module, name, parameter)`` may return a parameter that is registered instead.  Source:
    torch.nn.modules.module.register_module_parameter_registration_hook.
    """
    return add_hook(_global_parameter_registration_hooks, hook)


def register_module_forward_pre_hook(hook: Hook) -> RemovableHandle:
    """Registers a hook of all modules, called before ``forward`` and before the module's own hooks.

    ``hook(module, args)`` may return arguments that replace the positional ones.  Source:
    torch.nn.modules.module.register_module_forward_pre_hook.
    """
    return add_hook(_global_forward_pre_hooks, hook)


def register_module_forward_hook(
    hook: Hook, *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """Registers a hook of all modules, called after ``forward`` and before the module's own hooks.

    ``hook(module, args, output)``, or with ``with_kwargs`` ``hook(module, args, kwargs, output)``, may return
    an output that replaces the given one.  ``always_call`` calls it even if ``forward`` raises.  Source:
    torch.nn.modules.module.register_module_forward_hook.
    """
    return _add_hook(
        _global_forward_hooks,
        hook,
        flags=(
            (_global_forward_hooks_with_kwargs, with_kwargs),
            (_global_forward_hooks_always_called, always_call),
        ),
    )


def register_module_backward_hook(hook: Hook) -> RemovableHandle:
    """Registers a hook of all modules of the older kind, see ``Module.register_backward_hook``.

    Raises RuntimeError if there has been a full backward hook of all modules.  Source:
    torch.nn.modules.module.register_module_backward_hook.
    """
    return _add_global_backward_hook(hook, is_full=False)


def register_module_full_backward_pre_hook(hook: Hook) -> RemovableHandle:
    """Registers a hook of all modules, see ``Module.register_full_backward_pre_hook``.

    Source: torch.nn.modules.module.register_module_full_backward_pre_hook.
    """
    return add_hook(_global_backward_pre_hooks, hook)


def register_module_full_backward_hook(hook: Hook) -> RemovableHandle:
    """Registers a hook of all modules, see ``Module.register_full_backward_hook``.

    Raises RuntimeError if there has been one of the older kind.  Source:
    torch.nn.modules.module.register_module_full_backward_hook.
    """
    return _add_global_backward_hook(hook, is_full=True)


def _add_global_backward_hook(hook: Hook, is_full: bool) -> RemovableHandle:
    global _global_is_full_backward_hook
    if _global_is_full_backward_hook is (not is_full):
        raise RuntimeError(
            "Cannot use both regular backward hooks and full backward hooks as a global Module hook. Please "
            "use only one of them."
        )
    _global_is_full_backward_hook = is_full
    return add_hook(_global_backward_hooks, hook)


def _add_hook(
    hooks: OrderedDict[int, Any],
    hook: Hook,
    prepend: bool = False,
    flags: tuple[tuple[OrderedDict[int, Any], bool], ...] = (),
) -> RemovableHandle:
    """Registers a hook, with ``prepend`` before all others, and its id in the dicts whose flag is set."""
    handle = RemovableHandle(hooks, *(ids for ids, _ in flags))
    hooks[handle.id] = hook
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    for ids, is_set in flags:
        if is_set:
            ids[handle.id] = True
    return handle


class _IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """The result of ``load_state_dict``: the lists of missing and of unexpected names."""

    __slots__ = ()

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return super().__repr__()

    __str__ = __repr__


class HasForward(Protocol[P, Result_co]):
    """What has a ``forward`` with these parameters and this result: for the types of calls of modules."""

    @property
    def forward(self) -> Callable[P, Result_co]:
        """The function of the module."""


class Module:
    """The base class of all layers and models.

    A subclass calls ``super().__init__()``, assigns parameters, buffers and child modules to attributes, and
    defines ``forward``; calling the module calls ``forward``, with the hooks before and after it.

    training         whether the module is in training mode; ``train`` and ``eval`` set it
    _version         the version of the class's state, saved with a ``state_dict`` as metadata
    call_super_init  whether ``__init__`` passes its arguments on to the next class

    Source: torch.nn.Module.
    """

    dump_patches: bool = False
    _version: int = 1
    call_super_init: bool = False
    training: bool

    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, gn.Tensor | None]
    _non_persistent_buffers_set: set[str]
    _modules: dict[str, Module | None]
    _backward_pre_hooks: OrderedDict[int, Hook]
    _backward_hooks: OrderedDict[int, Hook]
    _is_full_backward_hook: bool | None
    _forward_hooks: OrderedDict[int, Hook]
    _forward_hooks_with_kwargs: OrderedDict[int, Any]
    _forward_hooks_always_called: OrderedDict[int, Any]
    _forward_pre_hooks: OrderedDict[int, Hook]
    _forward_pre_hooks_with_kwargs: OrderedDict[int, Any]
    _state_dict_hooks: OrderedDict[int, Hook]
    _state_dict_pre_hooks: OrderedDict[int, Hook]
    _load_state_dict_pre_hooks: OrderedDict[int, Hook]
    _load_state_dict_post_hooks: OrderedDict[int, Hook]
    _compiled_call_impl: Callable[..., Any] | None = None  # what ``compile`` made

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if not self.call_super_init and kwargs:
            raise TypeError(
                f"{type(self).__name__}.__init__() got an unexpected keyword argument '{next(iter(kwargs))}'"
            )
        if not self.call_super_init and args:
            raise TypeError(
                f"{type(self).__name__}.__init__() takes 1 positional argument but {len(args) + 1} were given"
            )
        # Written directly to __dict__, because __setattr__ needs these dicts.
        self.__dict__["training"] = True
        self.__dict__.update(_initial_state())
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Computes the module's result; each subclass defines its own."""
        raise NotImplementedError(
            f'Module [{type(self).__name__}] is missing the required "forward" function'
        )

    # -- parameters, buffers and children --------------------------------------------------------------------

    def register_buffer(self, name: str, tensor: gn.Tensor | None, persistent: bool = True) -> None:
        """Registers ``tensor`` under ``name`` as state that is not trained.

        Persistent buffers are part of the state_dict.

        Raises KeyError for a name that is taken or contains a dot, TypeError if ``tensor`` is not a tensor,
        AttributeError before ``Module.__init__()``.
        """
        self._check_name("buffer", name, "_buffers")
        if tensor is not None and not isinstance(tensor, gn.Tensor):
            raise TypeError(
                f"cannot assign '{typename(tensor)}' object to buffer '{name}' ({LIBRARY} Tensor or None "
                "required)"
            )
        tensor = _replaced_by_hooks(_global_buffer_registration_hooks, self, name, tensor)
        self._buffers[name] = tensor
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Registers ``param`` under ``name``; None reserves the name without a parameter.

        Raises KeyError for a name that is taken or contains a dot, TypeError if ``param`` is not a Parameter,
        ValueError for a non-leaf parameter, AttributeError before ``Module.__init__()``.
        """
        self._check_name("parameter", name, "_parameters")
        if param is not None:
            if not isinstance(param, Parameter):
                raise TypeError(
                    f"cannot assign '{typename(param)}' object to parameter '{name}' "
                    f"({LIBRARY}.nn.Parameter or None required)"
                )
            if param.grad_fn is not None:
                raise ValueError(
                    f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created "
                    f"explicitly. To express '{name}' as a function of another Tensor, compute the value in "
                    "the forward() method."
                )
            param = _replaced_by_hooks(_global_parameter_registration_hooks, self, name, param)
        self._parameters[name] = param

    def add_module(self, name: str, module: Module | None) -> None:
        """Registers ``module`` as the child ``name``.

        Raises KeyError for a name that is taken or contains a dot, TypeError if ``module`` is not a Module.
        """
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"{typename(module)} is not a Module subclass")
        if isinstance(name, str) and "." in name and not hasattr(self, name):
            raise KeyError(f'module name can\'t contain ".", got: {name}')
        self._check_name("module", name, "_modules")
        self._modules[name] = _replaced_by_hooks(_global_module_registration_hooks, self, name, module)

    def register_module(self, name: str, module: Module | None) -> None:
        """An alias of ``add_module``."""
        self.add_module(name, module)

    def _check_name(self, kind: str, name: str, members: str) -> None:
        """Raises an error for a name under which no parameter, buffer or module can be registered."""
        if members not in self.__dict__:
            raise AttributeError(f"cannot assign {kind} before Module.__init__() call")
        if not isinstance(name, str):
            raise TypeError(f"{kind} name should be a string. Got {typename(name)}")
        if "." in name:
            raise KeyError(f'{kind} name can\'t contain "."')
        if name == "":
            raise KeyError(f'{kind} name can\'t be empty string ""')
        if hasattr(self, name) and name not in self.__dict__[members]:
            raise KeyError(f"attribute '{name}' already exists")

    def get_submodule(self, target: str) -> Module:
        """The module with the dotted name ``target``.  Raises AttributeError that names the missing part."""
        module: Any = self
        for name in target.split(".") if target else ():
            if not hasattr(module, name):
                raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
            module = getattr(module, name)
            if not isinstance(module, Module):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return module

    def set_submodule(self, target: str, module: Module, strict: bool = False) -> None:
        """Sets the child with the dotted name ``target``; its parent must exist.

        ``strict`` only replaces: it raises AttributeError if there was no such child.  Raises ValueError for
        an empty name or if ``module`` is not a Module, AttributeError if a part of the name is not a module.
        """
        if target == "":
            raise ValueError("Cannot set the submodule without a target name!")
        if not isinstance(module, Module):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        path, _, name = target.rpartition(".")
        parent = self.get_submodule(path)
        if strict or hasattr(parent, name):
            parent.get_submodule(name)
        setattr(parent, name, module)

    def get_parameter(self, target: str) -> Parameter:
        """The parameter with the dotted name ``target``.  Raises AttributeError if there is none."""
        parameter, _, name = self._member(target)
        if not isinstance(parameter, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return parameter

    def get_buffer(self, target: str) -> gn.Tensor:
        """The buffer with the dotted name ``target``.  Raises AttributeError if there is none."""
        buffer, module, name = self._member(target)
        if name not in module._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return buffer

    def _member(self, target: str) -> tuple[Any, Module, str]:
        """The attribute with a dotted name, the module that has it, and its name there."""
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if not hasattr(module, name):
            raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
        return getattr(module, name), module, name

    def __getattr__(self, name: str) -> Any:
        for kind in ("_parameters", "_buffers", "_modules"):
            members = self.__dict__.get(kind, ())
            if name in members:
                return members[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    if TYPE_CHECKING:
        # ``__getattr__`` does not make modules iterable; those that are return an Iterator.
        def __iter__(self) -> object: ...

    def __setattr__(self, name: str, value: Any) -> None:
        state = self.__dict__
        if isinstance(value, Parameter):
            if "_parameters" not in state:
                raise AttributeError("cannot assign parameters before Module.__init__() call")
            self._forget(name, state, self._buffers, self._modules)
            self.register_parameter(name, value)
        elif name in state.get("_parameters", ()):
            if value is not None:
                raise TypeError(
                    f"cannot assign '{typename(value)}' as parameter '{name}' "
                    f"({LIBRARY}.nn.Parameter or None expected)"
                )
            self.register_parameter(name, value)
        elif isinstance(value, Module) or name in state.get("_modules", ()):
            if "_modules" not in state:
                raise AttributeError("cannot assign module before Module.__init__() call")
            if isinstance(value, Module):
                self._forget(name, state, self._parameters, self._buffers)
            elif value is not None:
                raise TypeError(
                    f"cannot assign '{typename(value)}' as child module '{name}' "
                    f"({LIBRARY}.nn.Module or None expected)"
                )
            self._modules[name] = _replaced_by_hooks(_global_module_registration_hooks, self, name, value)
        elif isinstance(value, Buffer) or name in state.get("_buffers", ()):
            if value is not None and not isinstance(value, gn.Tensor):
                raise TypeError(
                    f"cannot assign '{typename(value)}' as buffer '{name}' "
                    f"({LIBRARY}.nn.Buffer, {LIBRARY}.Tensor or None expected)"
                )
            was_persistent = name not in state.get("_non_persistent_buffers_set", ())
            if getattr(value, "persistent", True) if isinstance(value, Buffer) else was_persistent:
                self.register_buffer(name, value)
            else:
                self.register_buffer(name, value, persistent=False)
        else:
            super().__setattr__(name, value)

    def _forget(self, name: str, *members: dict[str, Any]) -> None:
        """Removes a name from the given dicts, before it is registered in another."""
        for each in members:
            each.pop(name, None)
        self._non_persistent_buffers_set.discard(name)

    def __delattr__(self, name: str) -> None:
        for members in (self._parameters, self._buffers, self._modules):
            if name in members:
                del members[name]
                if members is self._buffers:
                    self._non_persistent_buffers_set.discard(name)
                return
        super().__delattr__(name)

    def __dir__(self) -> list[str]:
        names = [*dir(type(self)), *self.__dict__, *self._parameters, *self._modules, *self._buffers]
        # Names such as "0" of a Sequential are not Python's.
        return sorted(name for name in names if not name[0].isdigit())

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        state.pop("_compiled_call_impl", None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for name, value in _initial_state().items():  # an older version may not have had all of them
            self.__dict__.setdefault(name, value)

    # -- iteration -------------------------------------------------------------------------------------------

    def named_modules(
        self, memo: set[Module] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        """This module and its descendants with dotted names, parents first; a shared one occurs once."""
        if memo is None:
            memo = set()
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, child in self._modules.items():
            if child is not None:
                yield from child.named_modules(memo, _join(prefix, name), remove_duplicate)

    def modules(self, remove_duplicate: bool = True) -> Iterator[Module]:
        """This module and all its descendants, parents first."""
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """The module's children with their names; a shared one occurs once."""
        seen = set()
        for name, child in self._modules.items():
            if child is not None and child not in seen:
                seen.add(child)
                yield name, child

    def children(self) -> Iterator[Module]:
        """The module's children."""
        for _, child in self.named_children():
            yield child

    def _named_members(
        self,
        get_members_fn: Callable[[Module], Any],
        prefix: str = "",
        recurse: bool = True,
        remove_duplicate: bool = True,
    ) -> Iterator[tuple[str, Any]]:
        """The (name, tensor) pairs of each module that are not None, with dotted names."""
        seen = set()
        modules = (
            self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
            if recurse
            else [(prefix, self)]
        )
        for module_name, module in modules:
            for name, member in get_members_fn(module):
                if member is None or id(member) in seen:
                    continue
                if remove_duplicate:
                    seen.add(id(member))
                yield _join(module_name, name), member

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """The parameters with their dotted names; a shared one occurs once, under its first name."""
        yield from self._named_members(
            lambda module: module._parameters.items(), prefix, recurse, remove_duplicate
        )

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """The parameters of this module and, with ``recurse``, of its descendants."""
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, gn.Tensor]]:
        """The buffers with their dotted names."""
        yield from self._named_members(
            lambda module: module._buffers.items(), prefix, recurse, remove_duplicate
        )

    def buffers(self, recurse: bool = True) -> Iterator[gn.Tensor]:
        """The buffers of this module and, with ``recurse``, of its descendants."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def apply(self: Self, fn: Callable[[Module], None]) -> Self:
        """Calls ``fn`` on every module, children first; returns self."""
        for child in self.children():
            child.apply(fn)
        fn(self)
        return self

    # -- modes and gradients ---------------------------------------------------------------------------------

    def train(self: Self, mode: bool = True) -> Self:
        """Sets ``training`` of this module and its descendants; returns self.

        Raises ValueError if ``mode`` is not a bool.
        """
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for child in self.children():
            child.train(mode)
        return self

    def eval(self: Self) -> Self:
        """Equivalent to ``train(False)``."""
        return self.train(False)

    def requires_grad_(self: Self, requires_grad: bool = True) -> Self:
        """Sets ``requires_grad`` of all parameters; returns self."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Sets the parameters' gradients to None, or with ``set_to_none=False`` to zeros."""
        for parameter in self.parameters():
            clear_grad(parameter, set_to_none)

    # -- hooks -----------------------------------------------------------------------------------------------

    def register_forward_pre_hook(
        self, hook: Hook, *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Registers a hook that is called before ``forward``.

        ``hook(module, args)`` may return arguments that replace the positional ones (what is not a tuple is
        one argument); with ``with_kwargs``, ``hook(module, args, kwargs)`` may return a new pair of them.
        ``prepend`` puts it before the module's other hooks.
        """
        return _add_hook(
            self._forward_pre_hooks, hook, prepend, ((self._forward_pre_hooks_with_kwargs, with_kwargs),)
        )

    def register_forward_hook(
        self, hook: Hook, *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> RemovableHandle:
        """Registers a hook that is called after ``forward``.

        ``hook(module, args, output)``, or with ``with_kwargs`` ``hook(module, args, kwargs, output)``, may
        return an output that replaces the given one.  ``prepend`` puts it before the module's other hooks;
        ``always_call`` calls it even if ``forward`` raises, with an output of None.
        """
        flags = (
            (self._forward_hooks_with_kwargs, with_kwargs),
            (self._forward_hooks_always_called, always_call),
        )
        return _add_hook(self._forward_hooks, hook, prepend, flags)

    def register_full_backward_pre_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Registers a hook that is called when the gradients of the module's outputs are known.

        ``hook(module, grad_output)``, with a tuple, may return gradients that replace those of the outputs.
        ``prepend`` puts it before the module's other hooks.
        """
        return _add_hook(self._backward_pre_hooks, hook, prepend)

    def register_full_backward_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Registers a hook that is called when the gradients of the module's inputs are known.

        ``hook(module, grad_input, grad_output)``, with tuples, may return gradients that replace those of
        the positional inputs.  If no input requires grad, it is called when those of the outputs are known,
        with a warning.  ``prepend`` puts it before the module's other hooks.

        Raises RuntimeError if the module has had a hook of the older kind, ``register_backward_hook``.
        """
        self._set_kind_of_backward_hooks(is_full=True)
        return _add_hook(self._backward_hooks, hook, prepend)

    def register_backward_hook(self, hook: Hook) -> RemovableHandle:
        """Registers a backward hook of the older kind: on the Node that computed the (first) output.

        For a module that records several Nodes its ``grad_input`` is not that of the module's inputs, so
        ``register_full_backward_hook`` replaces it; warns (FutureWarning) in this case.  Raises RuntimeError
        if the module has had a full backward hook.
        """
        self._set_kind_of_backward_hooks(is_full=False)
        return _add_hook(self._backward_hooks, hook)

    def _set_kind_of_backward_hooks(self, is_full: bool) -> None:
        if self._is_full_backward_hook is (not is_full):
            raise RuntimeError(
                "Cannot use both regular backward hooks and full backward hooks on a single Module. Please "
                "use only one of them."
            )
        self._is_full_backward_hook = is_full

    if TYPE_CHECKING:  # a call takes and returns what forward does

        def __call__(self: HasForward[P, Result_co], *args: P.args, **kwargs: P.kwargs) -> Result_co: ...

    else:

        def __call__(self, *args, **kwargs):
            if not (
                self._forward_hooks
                or self._forward_pre_hooks
                or self._backward_hooks
                or self._backward_pre_hooks
                or _global_forward_hooks
                or _global_forward_pre_hooks
                or _global_backward_hooks
                or _global_backward_pre_hooks
            ):
                return self.forward(*args, **kwargs)
            return self._call_with_hooks(args, kwargs)

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """``gnomon.compile`` of this module's call, in place; calls run as before, since nothing is compiled.

        The arguments are those of ``gnomon.compile``, and so are the errors.
        """
        self._compiled_call_impl = gn.compile(self.__call__, *args, **kwargs)

    def _call_with_hooks(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Calls ``forward`` and all hooks, those of all modules before the module's own."""
        result = None
        called = set()  # the forward hooks that have been called
        try:
            args, kwargs = self._call_forward_pre_hooks(args, kwargs)
            pre_hooks = [*_global_backward_pre_hooks.values(), *self._backward_pre_hooks.values()]
            full_hooks = self._get_backward_hooks(is_full=True)
            backward_hook = BackwardHook(self, full_hooks, pre_hooks) if full_hooks or pre_hooks else None
            if backward_hook is not None:
                args = backward_hook.setup_input_hook(args)
            result = self.forward(*args, **kwargs)
            for hook_id, hook in self._all_forward_hooks():
                called.add(hook_id)
                replaced = self._call_forward_hook(hook_id, hook, args, kwargs, result)
                if replaced is not None:
                    result = replaced
            if backward_hook is not None:
                if not isinstance(result, (gn.Tensor, tuple)):
                    warn(
                        "For backward hooks to be called, module output should be a Tensor or a tuple of "
                        f"Tensors but received {type(result)}"
                    )
                result = backward_hook.setup_output_hook(result)
            self._register_non_full_backward_hooks(args, result)
            return result
        except Exception:
            self._call_hooks_after_error(called, args, kwargs, result)
            raise

    def _call_forward_pre_hooks(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments that replace those of the call."""
        hooks = [*_global_forward_pre_hooks.items(), *self._forward_pre_hooks.items()]
        for hook_id, hook in hooks:
            if hook_id in self._forward_pre_hooks_with_kwargs:
                replaced = hook(self, args, kwargs)
                if replaced is None:
                    continue
                if not (isinstance(replaced, tuple) and len(replaced) == 2):
                    raise RuntimeError(
                        "forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got "
                        f"{replaced}."
                    )
                args, kwargs = replaced
            else:
                replaced = hook(self, args)
                if replaced is not None:
                    args = replaced if isinstance(replaced, tuple) else (replaced,)
        return args, kwargs

    def _all_forward_hooks(self) -> list[tuple[int, Hook]]:
        return [*_global_forward_hooks.items(), *self._forward_hooks.items()]

    def _call_forward_hook(
        self, hook_id: int, hook: Hook, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any
    ) -> Any:
        if hook_id in self._forward_hooks_with_kwargs or hook_id in _global_forward_hooks_with_kwargs:
            return hook(self, args, kwargs, result)
        return hook(self, args, result)

    def _call_hooks_after_error(
        self, called: set[int], args: tuple[Any, ...], kwargs: dict[str, Any], result: Any
    ) -> None:
        """Calls those forward hooks that are always called and have not been called yet."""
        for hook_id, hook in self._all_forward_hooks():
            is_global = hook_id in _global_forward_hooks_always_called
            if hook_id in called or not (is_global or hook_id in self._forward_hooks_always_called):
                continue
            try:
                replaced = self._call_forward_hook(hook_id, hook, args, kwargs, result)
                result = result if replaced is None else replaced
            except Exception as error:
                warn(
                    f"{'global ' if is_global else ''}module forward hook with ``always_call=True`` raised "
                    f"an exception that was silenced as another error was raised in forward: {error}"
                )

    def _get_backward_hooks(self, is_full: bool) -> list[Hook]:
        """The backward hooks of one kind."""
        hooks: list[Hook] = []
        if _global_is_full_backward_hook is is_full:
            hooks.extend(_global_backward_hooks.values())
        if self._is_full_backward_hook is is_full:
            hooks.extend(self._backward_hooks.values())
        return hooks

    def _register_non_full_backward_hooks(self, args: tuple[Any, ...], result: Any) -> None:
        """Registers the backward hooks of the older kind on the Node of the first output."""
        hooks = self._get_backward_hooks(is_full=False)
        if not hooks:
            return
        output = result
        while not isinstance(output, gn.Tensor):
            if isinstance(output, dict):
                output = next(each for each in output.values() if isinstance(each, gn.Tensor))
            else:
                output = output[0]
        if output.grad_fn is None:
            return
        for hook in hooks:
            output.grad_fn.register_hook(functools.partial(hook, self))
        _warn_of_non_full_backward_hook(args, result, output.grad_fn)

    # -- dtype and device ------------------------------------------------------------------------------------

    def _apply(self: Self, fn: Callable[[gn.Tensor], gn.Tensor], recurse: bool = True) -> Self:
        """Replaces the data of every parameter, gradient and buffer by ``fn`` of it; returns self."""
        if not isinstance(fn, _Conversion):
            fn = _Conversion(fn)
        if recurse:
            for child in self.children():
                child._apply(fn)
        for name, parameter in self._parameters.items():
            if parameter is not None:
                self._parameters[name] = fn.parameter(parameter)
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn.buffer(buffer)
        return self

    @overload
    def to(
        self: Self,
        device: gn.device | str | int | None = ...,
        dtype: gn.dtype | None = ...,
        non_blocking: bool = ...,
        *,
        memory_format: gn.memory_format | None = ...,
    ) -> Self: ...

    @overload
    def to(
        self: Self,
        dtype: gn.dtype,
        non_blocking: bool = ...,
        *,
        memory_format: gn.memory_format | None = ...,
    ) -> Self: ...

    @overload
    def to(
        self: Self,
        tensor: gn.Tensor,
        non_blocking: bool = ...,
        *,
        memory_format: gn.memory_format | None = ...,
    ) -> Self: ...

    def to(self: Self, *args: Any, **kwargs: Any) -> Self:
        """Moves parameters and buffers to a device, a dtype, or both.

        ``to(device)``, ``to(dtype)``, ``to(device, dtype)`` or ``to(tensor)``, each with ``non_blocking``,
        and with ``memory_format`` for tensors of 4 or 5 dimensions.

        A dtype changes only floating point and complex tensors.  In place; returns self.  Raises TypeError
        for a dtype that is neither, and for other arguments.  Warns of a complex dtype.
        """
        device, dtype, memory_format = _parse_to(args, kwargs)
        if dtype is not None:
            if not (dtype.is_floating_point or dtype.is_complex):
                raise TypeError(
                    "nn.Module.to only accepts floating point or complex dtypes, but got desired "
                    f"dtype={dtype}"
                )
            if dtype.is_complex:
                warn(
                    "Complex modules are a new feature under active development whose design may change, and "
                    "some modules might not work as expected when using complex tensors as parameters or "
                    "buffers."
                )

        def convert(tensor: gn.Tensor) -> gn.Tensor:
            is_fractional = tensor.is_floating_point() or tensor.is_complex()
            options: dict[str, Any] = {}
            if dtype is not None and is_fractional:
                options["dtype"] = dtype
            if device is not None:
                options["device"] = device
            if memory_format is not None and not is_lazy(tensor) and tensor.dim() in (4, 5):
                options["memory_format"] = memory_format
            try:
                return tensor.to(**options) if options else tensor
            except NotImplementedError as error:
                if "Cannot copy out of meta tensor; no data!" not in str(error):
                    raise
                raise NotImplementedError(
                    "Cannot copy out of meta tensor; no data! Please use gnomon.nn.Module.to_empty() instead "
                    "of gnomon.nn.Module.to() when moving module from meta to a different device."
                ) from None

        return self._apply(convert)

    def to_empty(self: Self, *, device: gn.device | str | int | None, recurse: bool = True) -> Self:
        """Moves parameters and buffers to ``device`` without copying: their elements become undefined."""
        return self._apply(lambda tensor: gn.empty_like(tensor, device=device), recurse=recurse)

    def type(self: Self, dst_type: gn.dtype) -> Self:
        """Converts all parameters and buffers to the dtype ``dst_type``; returns self."""
        return self._apply(lambda tensor: tensor.to(dtype=dst_type))

    def cpu(self: Self) -> Self:
        """Moves parameters and buffers to ``cpu``; returns self."""
        return self.to("cpu")

    def cuda(self: Self, device: int | gn.device | None = None) -> Self:
        """Moves parameters and buffers to a GPU, by default the current one; returns self.

        Raises BackendUnavailableError if there is none.
        """
        return self.to(gn.device("cuda", device) if isinstance(device, int) else device or "cuda")

    def float(self: Self) -> Self:
        """Converts floating point parameters and buffers to float32; returns self."""
        return self._to_floating(gn.float32)

    def double(self: Self) -> Self:
        """Converts floating point parameters and buffers to float64; returns self."""
        return self._to_floating(gn.float64)

    def half(self: Self) -> Self:
        """Converts floating point parameters and buffers to float16; returns self."""
        return self._to_floating(gn.float16)

    def bfloat16(self: Self) -> Self:
        """Converts floating point parameters and buffers to bfloat16; returns self."""
        return self._to_floating(gn.bfloat16)

    def _to_floating(self: Self, dtype: gn.dtype) -> Self:
        return self._apply(lambda tensor: tensor.to(dtype=dtype) if tensor.is_floating_point() else tensor)

    def share_memory(self: Self) -> Self:
        """Moves parameters, gradients and buffers to memory that processes share; returns self.

        Raises RuntimeError for tensors that are not in the host's memory.
        """
        return self._apply(lambda tensor: tensor.share_memory_())

    # -- state -----------------------------------------------------------------------------------------------

    def get_extra_state(self) -> Any:
        """What the module adds to its ``state_dict``, for subclasses that define it; it must be picklable."""
        raise RuntimeError("Reached a code path in Module.get_extra_state() that should never be called.")

    def set_extra_state(self, state: Any) -> None:
        """Takes what ``get_extra_state`` returned, for subclasses that define both."""
        raise RuntimeError("Reached a code path in Module.set_extra_state() that should never be called.")

    def register_state_dict_pre_hook(self, hook: Hook) -> RemovableHandle:
        """Registers ``hook(module, prefix, keep_vars)``, called before the module's state is collected."""
        return _add_hook(self._state_dict_pre_hooks, hook)

    def register_state_dict_post_hook(self, hook: Hook) -> RemovableHandle:
        """Registers ``hook(module, state_dict, prefix, local_metadata)``, called after the module's state and
        that of its children have been collected.  It may change ``state_dict`` in place.
        """
        hook._from_public_api = True  # type: ignore[attr-defined]
        return _add_hook(self._state_dict_hooks, hook)

    def _register_state_dict_hook(self, hook: Hook) -> RemovableHandle:
        """The same, but if it is of the module whose ``state_dict`` was called, its result replaces it."""
        if getattr(hook, "_from_public_api", False):
            raise RuntimeError(
                "Cannot register the same function as the state dict post hook that was previously "
                "registered via register_state_dict_post_hook"
            )
        return _add_hook(self._state_dict_hooks, hook)

    def register_load_state_dict_pre_hook(self, hook: Hook) -> RemovableHandle:
        """Registers a hook that is called before the module's state is loaded:

        ``hook(module, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys,
        error_msgs)``, which may change all of these in place.
        """
        return self._register_load_state_dict_pre_hook(hook, with_module=True)

    def _register_load_state_dict_pre_hook(self, hook: Hook, with_module: bool = False) -> RemovableHandle:
        """The same; without ``with_module``, the hook does not get the module."""
        return _add_hook(
            self._load_state_dict_pre_hooks, functools.partial(hook, self) if with_module else hook
        )

    def register_load_state_dict_post_hook(self, hook: Hook) -> RemovableHandle:
        """Registers ``hook(module, incompatible_keys)``, called after the module's state has been loaded.

        It may change the lists of ``incompatible_keys``, which ``load_state_dict`` then checks, in place.
        """
        return _add_hook(self._load_state_dict_post_hooks, hook)

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        """Puts the module's own state in ``destination``, without that of its children."""
        for name, member in self._persistent_members().items():
            destination[prefix + name] = member if keep_vars else member.detach()
        if type(self).get_extra_state is not Module.get_extra_state:
            destination[prefix + _EXTRA_STATE_KEY_SUFFIX] = self.get_extra_state()

    def _persistent_members(self) -> dict[str, gn.Tensor]:
        """The module's own tensors that are part of a state_dict."""
        members = itertools.chain(self._parameters.items(), self._buffers.items())
        return {
            name: member
            for name, member in members
            if member is not None
            and (name in self._parameters or name not in self._non_persistent_buffers_set)
        }

    def state_dict(
        self, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False
    ) -> dict[str, Any]:
        """Dotted name -> tensor, for every parameter and persistent buffer.

        The tensors share memory with the module's and, unless ``keep_vars``, are detached.  The result's
        ``_metadata`` has the ``_version`` of each module.  Positional arguments are deprecated (they are
        destination, prefix and keep_vars; FutureWarning).  Raises RuntimeError if a post-hook returns a
        value.
        """
        if args:
            warn(
                "Positional args are being deprecated, use kwargs instead. Refer to "
                "https://pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module.state_dict for "
                "details.",
                FutureWarning,
            )
            given = dict(zip(("destination", "prefix", "keep_vars"), args))
            destination = given.get("destination") if destination is None else destination
            prefix = given.get("prefix", "") if prefix == "" else prefix
            keep_vars = given.get("keep_vars", False) if keep_vars is False else keep_vars
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        local_metadata = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = local_metadata
        for hook in self._state_dict_pre_hooks.values():
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, child in self._modules.items():
            if child is not None:
                child.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        for hook in self._state_dict_hooks.values():
            replaced = hook(self, destination, prefix, local_metadata)
            if replaced is not None:
                if getattr(hook, "_from_public_api", False):
                    raise RuntimeError("state_dict post-hook must return None")
                destination = replaced
        return destination

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> _IncompatibleKeys:
        """Copies the tensors of ``state_dict`` into the parameters and buffers of the same dotted names.

        ``assign`` uses the tensors themselves (with their dtype and device) instead of copying.  With
        ``strict``, missing and unexpected names are errors; the tensors that match are loaded even then.
        Raises TypeError if ``state_dict`` is not a mapping, and a RuntimeError that lists all mismatches.
        Returns the missing and the unexpected names.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        missing: list[str] = []
        unexpected: list[str] = []
        faults: list[str] = []
        metadata = getattr(state_dict, "_metadata", None)
        copied: Any = OrderedDict(state_dict)  # hooks and _load_from_state_dict may change it
        if metadata is not None:
            copied._metadata = metadata

        def load(module: Module, local_state: Any, prefix: str) -> None:
            local_metadata = {} if metadata is None else metadata.get(prefix[:-1], {})
            if assign:
                local_metadata["assign_to_params_buffers"] = assign
            module._load_from_state_dict(
                local_state, prefix, local_metadata, True, missing, unexpected, faults
            )
            for name, child in module._modules.items():
                if child is not None:
                    start = f"{prefix}{name}."
                    load(
                        child,
                        {key: each for key, each in local_state.items() if key.startswith(start)},
                        start,
                    )
            incompatible = _IncompatibleKeys(missing, unexpected)
            for hook in module._load_state_dict_post_hooks.values():
                if hook(module, incompatible) is not None:
                    raise AssertionError(
                        "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to "
                        "return new values, if incompatible_keys need to be modified, it should be done "
                        "inplace."
                    )

        load(self, copied, "")
        if strict:
            if unexpected:
                faults.insert(0, f"Unexpected key(s) in state_dict: {_quoted(unexpected)}. ")
            if missing:
                faults.insert(0, f"Missing key(s) in state_dict: {_quoted(missing)}. ")
        if faults:
            raise RuntimeError(
                f"Error(s) in loading state_dict for {type(self).__name__}:\n\t" + "\n\t".join(faults)
            )
        return _IncompatibleKeys(missing, unexpected)

    def _load_from_state_dict(
        self,
        state_dict: dict[str, Any],
        prefix: str,
        local_metadata: dict[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        """Loads the module's own state, whose names start with ``prefix``, without that of its children.

        A subclass may change how it loads, for example by the "version" in ``local_metadata``.  Adds what is
        wrong to the three lists.
        """
        for hook in self._load_state_dict_pre_hooks.values():
            hook(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        assign = local_metadata.get("assign_to_params_buffers", False)
        members = self._persistent_members()
        for name, member in members.items():
            key = prefix + name
            if key in state_dict:
                fault = self._load_member(name, member, key, state_dict[key], assign)
                if fault is not None:
                    error_msgs.append(fault)
            elif strict:
                missing_keys.append(key)
        extra_key = prefix + _EXTRA_STATE_KEY_SUFFIX
        if type(self).set_extra_state is not Module.set_extra_state:
            if extra_key in state_dict:
                self.set_extra_state(state_dict[extra_key])
            elif strict:
                missing_keys.append(extra_key)
        elif strict and extra_key in state_dict:
            unexpected_keys.append(extra_key)
        if strict:
            for key in state_dict:
                if key.startswith(prefix) and key != extra_key:
                    name, dot, _ = key[len(prefix) :].partition(".")
                    if name not in (self._modules if dot else members):
                        unexpected_keys.append(key)

    def _load_member(self, name: str, member: gn.Tensor, key: str, value: Any, assign: bool) -> str | None:
        """Loads one tensor; returns an error message if it does not match, else None."""
        if not isinstance(value, gn.Tensor):
            return (
                f'While copying the parameter named "{key}", expected gnomon.Tensor or Tensor-like object '
                f"from checkpoint but received {type(value)}"
            )
        if not is_lazy(member):
            if member.dim() == 0 and tuple(value.shape) == (1,):
                value = value[0]  # PyTorch saved numbers like this before version 0.4
            if value.shape != member.shape:
                return (
                    f"size mismatch for {key}: copying a param with shape {value.shape} from checkpoint, the "
                    f"shape in current model is {member.shape}."
                )
        if member.is_meta and not value.is_meta and not assign:
            warn(
                f"for {key}: copying from a non-meta parameter in the checkpoint to a meta parameter in the "
                "current model, which is a no-op. (Did you mean to pass `assign=True` to assign items in the "
                "state dictionary to their corresponding key in the module instead of copying them in place?)"
            )
        try:
            with gn.no_grad():
                if not assign:
                    member.copy_(value)
                    return None
                if isinstance(member, Parameter):
                    if isinstance(value, Parameter):
                        value.requires_grad_(member.requires_grad)
                    else:
                        value = Parameter(value, requires_grad=member.requires_grad)
                setattr(self, name, value)
        except Exception as error:
            return (
                f'While copying the parameter named "{key}", whose dimensions in the model are '
                f"{member.size()} and whose dimensions in the checkpoint are {value.size()}, an exception "
                f"occurred : {error.args}."
            )
        return None

    # -- text ------------------------------------------------------------------------------------------------

    def _get_name(self) -> str:
        return type(self).__name__

    def extra_repr(self) -> str:
        """The text that ``repr`` shows in the parentheses, before the children."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        children = [f"({name}): {_indent(repr(child))}" for name, child in self._modules.items()]
        if len(lines) == 1 and not children:
            return f"{self._get_name()}({extra})"
        return _block(self._get_name(), [*lines, *children])


def _initial_state() -> dict[str, Any]:
    """The attributes of a module without parameters, children and hooks."""
    return {
        "_parameters": {},
        "_buffers": {},
        "_non_persistent_buffers_set": set(),
        "_backward_pre_hooks": OrderedDict(),
        "_backward_hooks": OrderedDict(),
        "_is_full_backward_hook": None,
        "_forward_hooks": OrderedDict(),
        "_forward_hooks_with_kwargs": OrderedDict(),
        "_forward_hooks_always_called": OrderedDict(),
        "_forward_pre_hooks": OrderedDict(),
        "_forward_pre_hooks_with_kwargs": OrderedDict(),
        "_state_dict_hooks": OrderedDict(),
        "_state_dict_pre_hooks": OrderedDict(),
        "_load_state_dict_pre_hooks": OrderedDict(),
        "_load_state_dict_post_hooks": OrderedDict(),
        "_modules": {},
    }


def _replaced_by_hooks(hooks: OrderedDict[int, Hook], module: Module, name: str, value: Any) -> Any:
    """What is registered under ``name``: ``value``, or what the registration hooks return instead."""
    for hook in hooks.values():
        replaced = hook(module, name, value)
        if replaced is not None:
            value = replaced
    return value


def _warn_of_non_full_backward_hook(inputs: Any, result: Any, node: Any) -> None:
    """Warns if a backward hook of the older kind does not get the gradients of all inputs and outputs."""
    start = "Using {} is deprecated and will be removed in future versions. This hook will be missing "
    full = "Please use register_full_backward_hook to get the documented behavior."
    results = (result,) if isinstance(result, gn.Tensor) else result
    for what, values, missing in (
        ("return a", results, "some of the grad_output"),
        ("take as input a", inputs, "some of the grad_input"),
    ):
        if not (isinstance(values, tuple) and all(isinstance(each, gn.Tensor) for each in values)):
            case = f"non-full backward hooks on a Module that does not {what} single Tensor or a tuple of "
            case += "Tensors"
            warn(f"{start.format(case)}{missing}. {full}", FutureWarning)
            return
    output_nodes = {each.grad_fn for each in results if each.grad_fn is not None}
    if not output_nodes or (len(output_nodes) == 1 and node not in output_nodes):
        case = "a non-full backward hook when outputs are nested in python data structure"
        warn(f"{start.format(case)}some grad_output.", FutureWarning)
    elif len(output_nodes) > 1:
        case = "a non-full backward hook when outputs are generated by different autograd Nodes"
        warn(f"{start.format(case)}some grad_output. {full}", FutureWarning)
    elif {each.grad_fn for each in inputs if each.grad_fn is not None} != {
        each for each, _ in node.next_functions
    }:
        case = "a non-full backward hook when the forward contains multiple autograd Nodes"
        warn(f"{start.format(case)}some grad_input. {full}", FutureWarning)


def clear_grad(parameter: gn.Tensor, set_to_none: bool) -> None:
    """Sets a gradient to None, or detaches it and fills it with zeros."""
    if parameter.grad is None:
        return
    if set_to_none:
        parameter.grad = None
        return
    if parameter.grad.grad_fn is not None:
        parameter.grad = parameter.grad.detach()
    else:
        parameter.grad.requires_grad_(False)
    parameter.grad.zero_()


class _Conversion:
    """A conversion of the tensors of a tree of modules; of shared ones only once, so they stay shared."""

    def __init__(self, fn: Callable[[gn.Tensor], gn.Tensor]) -> None:
        self.fn = fn
        # By identity; the tensor itself is kept, so that no other one gets its id.
        self.done: dict[int, tuple[gn.Tensor, Any]] = {}

    def __call__(self, tensor: gn.Tensor) -> gn.Tensor:
        return self.fn(tensor)

    def buffer(self, buffer: gn.Tensor) -> gn.Tensor:
        """The converted buffer."""
        if id(buffer) not in self.done:
            made = self.fn(buffer)
            if is_lazy(buffer) and not is_lazy(made):
                made = UninitializedBuffer(buffer.requires_grad, made.device, made.dtype)
            self.done[id(buffer)] = buffer, made
        return self.done[id(buffer)][1]

    def parameter(self, parameter: Parameter) -> Parameter:
        """The parameter with converted data and gradient: itself if they stay on its device."""
        if id(parameter) not in self.done:
            self.done[id(parameter)] = parameter, self._replace_data(parameter)
        return self.done[id(parameter)][1]

    def _replace_data(self, parameter: Parameter) -> Parameter:
        with gn.no_grad():
            data = self.fn(parameter)
            grad = None if parameter.grad is None else self.fn(parameter.grad.detach())
        if data.device == parameter.device:
            # Keeps the identity, so that an optimizer that holds this parameter stays valid.
            if data is not parameter:
                parameter.grad = None
                parameter.data = data
            moved = parameter
        elif is_lazy(parameter):
            moved = UninitializedParameter(parameter.requires_grad, data.device, data.dtype)
        else:
            moved = Parameter(data, parameter.requires_grad)
        moved.grad = grad
        return moved


def _parse_to(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any, Any]:
    """Parses the arguments of ``to`` to (device, dtype, memory_format); ``non_blocking`` is ignored."""
    device = kwargs.pop("device", None)
    dtype = kwargs.pop("dtype", None)
    tensor = kwargs.pop("tensor", None)
    memory_format = kwargs.pop("memory_format", None)
    kwargs.pop("non_blocking", None)
    if kwargs:
        raise TypeError(f"to() got an unexpected keyword argument '{next(iter(kwargs))}'")
    for value in args:
        if isinstance(value, gn.Tensor):
            tensor = value
        elif isinstance(value, gn.dtype):
            dtype = value
        elif isinstance(value, (str, gn.device, int)) and not isinstance(value, bool):
            device = value
        elif value is not None and not isinstance(value, bool):
            raise TypeError(f"to(): expected a device, a dtype or a tensor, but got {type_name(value)}")
    if tensor is not None:
        device = tensor.device
        dtype = tensor.dtype
    return (None if device is None else gn.device(device)), dtype, memory_format


def _join(prefix: str, name: str) -> str:
    return f"{prefix}.{name}" if prefix else name


def _quoted(names: list[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def _indent(text: str) -> str:
    """Indents all lines except the first by two columns; empty lines stay empty."""
    first, *others = text.split("\n")
    return "\n".join([first, *(f"  {line}" if line.strip() else "" for line in others)])


def _block(name: str, lines: list[str]) -> str:
    """The text of a module: ``name(`` and ``)`` around the indented lines."""
    return f"{name}(\n  " + "\n  ".join(lines) + "\n)" if lines else f"{name}()"
