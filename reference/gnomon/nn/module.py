"""Module: a tree of parameters, buffers and child modules, with a ``forward``.

Source: torch.nn.Module.  Its hooks are not supported.
"""

from __future__ import annotations

import itertools
from collections import OrderedDict, namedtuple
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

import gnomon as gn

from ..values.errors import type_name
from .parameter import Parameter

Self = TypeVar("Self", bound="Module")


class IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """The result of ``load_state_dict``: the lists of missing and of unexpected names."""

    __slots__ = ()

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return super().__repr__()


class Module:
    """The base class of all layers and models.

    A subclass calls ``super().__init__()``, assigns parameters, buffers and child modules to attributes, and
    defines ``forward``; calling the module calls ``forward``.  Source: torch.nn.Module.
    """

    training: bool

    def __init__(self) -> None:
        # Written directly to __dict__, because __setattr__ needs these dicts.
        self.__dict__["training"] = True
        self.__dict__["_parameters"] = {}
        self.__dict__["_buffers"] = {}
        self.__dict__["_non_persistent_buffers_set"] = set()
        self.__dict__["_modules"] = {}

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Computes the module's result; each subclass defines its own."""
        raise NotImplementedError(
            f'Module [{type(self).__name__}] is missing the required "forward" function'
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.forward(*args, **kwargs)

    # -- parameters, buffers and children --------------------------------------------------------------------

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Registers ``param`` under ``name``; None reserves the name without a parameter.

        Raises KeyError for a name that is taken or contains a dot, TypeError if ``param`` is not a Parameter,
        ValueError for a non-leaf parameter.
        """
        self._check_name("parameter", name, self._own("_parameters"))
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{_type_name(param)}' object to parameter '{name}' (gnomon.nn.Parameter or "
                "None required)"
            )
        if param is not None and param.grad_fn is not None:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created "
                f"explicitly. To express '{name}' as a function of another Tensor, compute the value in the "
                "forward() method."
            )
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: gn.Tensor | None, persistent: bool = True) -> None:
        """Registers ``tensor`` under ``name`` as state that is not trained.

        Persistent buffers are part of the state_dict.

        Raises KeyError for a name that is taken or contains a dot, TypeError if ``tensor`` is not a tensor.
        """
        self._check_name("buffer", name, self._own("_buffers"))
        if tensor is not None and not isinstance(tensor, gn.Tensor):
            raise TypeError(
                f"cannot assign '{_type_name(tensor)}' object to buffer '{name}' (gnomon.Tensor or None "
                "required)"
            )
        self._buffers[name] = tensor
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def register_module(self, name: str, module: Module | None) -> None:
        """Registers ``module`` as the child ``name``.

        Raises KeyError for an invalid name, TypeError if ``module`` is not a Module.
        """
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"{_type_name(module)} is not a Module subclass")
        self._check_name("module", name, self._own("_modules"))
        self._modules[name] = module

    def add_module(self, name: str, module: Module | None) -> None:
        """An alias of ``register_module``."""
        self.register_module(name, module)

    def _own(self, kind: str) -> dict[str, Any]:
        """One of the module's dicts.  Raises AttributeError if ``__init__`` has not run yet."""
        owned = self.__dict__.get(kind)
        if owned is None:
            raise AttributeError(f"cannot assign {kind.strip('_')} before Module.__init__() call")
        return owned

    def _check_name(self, kind: str, name: str, owned: dict[str, Any]) -> None:
        if not isinstance(name, str):
            raise TypeError(f"{kind} name should be a string. Got {type(name).__name__}")
        if "." in name:
            raise KeyError(f'{kind} name can\'t contain "."')
        if name == "":
            raise KeyError(f'{kind} name can\'t be empty string ""')
        if hasattr(self, name) and name not in owned:
            raise KeyError(f"attribute '{name}' already exists")

    def __setattr__(self, name: str, value: Any) -> None:
        kinds: tuple[tuple[str, Any, str, str], ...] = (
            ("_parameters", Parameter, "parameter", "gnomon.nn.Parameter"),
            ("_modules", Module, "child module", "gnomon.nn.Module"),
        )
        for kind, wanted, _, _ in kinds:
            if isinstance(value, wanted):
                self._own(kind)
                for other in (self.__dict__, self._parameters, self._buffers, self._modules):
                    if other is not self.__dict__[kind]:
                        other.pop(name, None)
                self._non_persistent_buffers_set.discard(name)
                if kind == "_parameters":
                    self.register_parameter(name, value)
                else:
                    self.register_module(name, value)
                return
        for kind, _, word, expected in kinds:
            if name in self.__dict__.get(kind, ()):
                if value is not None:
                    raise TypeError(
                        f"cannot assign '{_type_name(value)}' as {word} '{name}' ({expected} or None "
                        "expected)"
                    )
                self.__dict__[kind][name] = None
                return
        if name in self.__dict__.get("_buffers", ()):
            if value is not None and not isinstance(value, gn.Tensor):
                raise TypeError(
                    f"cannot assign '{_type_name(value)}' as buffer '{name}' (gnomon.Tensor or None expected)"
                )
            self._buffers[name] = value
            return
        super().__setattr__(name, value)

    def __getattr__(self, name: str) -> Any:
        for kind in ("_parameters", "_buffers", "_modules"):
            owned = self.__dict__.get(kind, {})
            if name in owned:
                return owned[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __delattr__(self, name: str) -> None:
        for kind in ("_parameters", "_buffers", "_modules"):
            if name in self.__dict__[kind]:
                del self.__dict__[kind][name]
                self._non_persistent_buffers_set.discard(name)
                return
        super().__delattr__(name)

    def __dir__(self) -> list[str]:
        names = {*super().__dir__(), *self._parameters, *self._buffers, *self._modules}
        return sorted(
            name for name in names if not name[0].isdigit()
        )  # excludes names such as "0" of a Sequential

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
        self, kind: str, prefix: str, recurse: bool, remove_duplicate: bool
    ) -> Iterator[tuple[str, gn.Tensor]]:
        seen = set()
        modules = (
            self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
            if recurse
            else [(prefix, self)]
        )
        for module_name, module in modules:
            for name, member in module.__dict__[kind].items():
                if member is None or id(member) in seen:
                    continue
                if remove_duplicate:
                    seen.add(id(member))
                yield _join(module_name, name), member

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """The parameters with their dotted names; a shared one occurs once, under its first name."""
        yield from self._named_members("_parameters", prefix, recurse, remove_duplicate)  # type: ignore[misc]

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """The parameters of this module and, with ``recurse``, of its descendants."""
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, gn.Tensor]]:
        """The buffers with their dotted names."""
        yield from self._named_members("_buffers", prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[gn.Tensor]:
        """The buffers of this module and, with ``recurse``, of its descendants."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def get_submodule(self, target: str) -> Module:
        """The module with the dotted name ``target``.  Raises AttributeError that names the missing part."""
        module: Module = self
        for name in target.split(".") if target else ():
            child = getattr(module, name, None)
            if child is None:
                raise AttributeError(f"{type(module).__name__} has no attribute `{name}`")
            if not isinstance(child, Module):
                raise AttributeError(f"`{name}` is not an nn.Module")
            module = child
        return module

    def get_parameter(self, target: str) -> Parameter:
        """The parameter with the dotted name ``target``.  Raises AttributeError if there is none."""
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        parameter = getattr(module, name, None)
        if not isinstance(parameter, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter of {type(module).__name__}")
        return parameter

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
            raise ValueError(f"training mode is expected to be boolean, but got {type(mode).__name__}")
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

    # -- dtype and device ------------------------------------------------------------------------------------

    def _apply(self: Self, fn: Callable[[gn.Tensor], gn.Tensor]) -> Self:
        """Replaces the data of every parameter, gradient and buffer by ``fn`` of it; returns self."""
        # Keyed by identity, so that parameters shared by several modules stay shared.
        moved: dict[int, gn.Tensor] = {}
        for module in self.modules():
            for name, parameter in module._parameters.items():
                if parameter is not None:
                    if id(parameter) not in moved:
                        moved[id(parameter)] = _replace_data(parameter, fn)
                    module._parameters[name] = moved[id(parameter)]
            for name, buffer in module._buffers.items():
                if buffer is not None:
                    if id(buffer) not in moved:
                        moved[id(buffer)] = fn(buffer)
                    module._buffers[name] = moved[id(buffer)]
        return self

    def to(self: Self, *args: Any, **kwargs: Any) -> Self:
        """Moves parameters and buffers to a device, a dtype, or both.

        ``to(device)``, ``to(dtype)``, ``to(device, dtype)`` or ``to(tensor)``.

        A dtype changes only floating point and complex tensors.  In place; returns self.  Raises TypeError
        for a dtype that is neither, and for other arguments.
        """
        device, dtype = _parse_to(args, kwargs)
        if dtype is not None and not (dtype.is_floating_point or dtype.is_complex):
            raise TypeError(
                f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={dtype}"
            )

        def convert(tensor: gn.Tensor) -> gn.Tensor:
            is_fractional = tensor.is_floating_point() or tensor.is_complex()
            if device is not None:
                tensor = tensor.to(device=device)
            if dtype is not None and is_fractional:
                tensor = tensor.to(dtype=dtype)
            return tensor

        return self._apply(convert)

    def cpu(self: Self) -> Self:
        """Moves parameters and buffers to ``cpu``; returns self."""
        return self.to("cpu")

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

    # -- state -----------------------------------------------------------------------------------------------

    def state_dict(
        self, *, destination: dict[str, gn.Tensor] | None = None, prefix: str = "", keep_vars: bool = False
    ) -> dict[str, gn.Tensor]:
        """Dotted name -> tensor, for every parameter and persistent buffer.

        The tensors share memory with the module's and, unless ``keep_vars``, are detached.
        """
        if destination is None:
            destination = OrderedDict()
        for name, member in self._persistent_members():
            destination[prefix + name] = member if keep_vars else member.detach()
        for name, child in self._modules.items():
            if child is not None:
                child.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        return destination

    def _persistent_members(self) -> Iterator[tuple[str, gn.Tensor]]:
        """The module's own tensors that are part of a state_dict."""
        for name, member in itertools.chain(self._parameters.items(), self._buffers.items()):
            if member is not None and name not in self._non_persistent_buffers_set:
                yield name, member

    def load_state_dict(
        self, state_dict: Mapping[str, gn.Tensor], strict: bool = True, assign: bool = False
    ) -> IncompatibleKeys:
        """Copies the tensors of ``state_dict`` into the parameters and buffers of the same dotted names.

        ``assign`` uses the tensors themselves (with their dtype and device) instead of copying.  With
        ``strict``, missing and unexpected names are errors; the tensors that match are loaded even then.
        Raises TypeError if ``state_dict`` is not a mapping, and a RuntimeError that lists all mismatches.
        Returns the missing and the unexpected names.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        missing: list[str] = []
        faults: list[str] = []
        known = set()
        for module_name, module in self.named_modules(remove_duplicate=False):
            for name, member in list(module._persistent_members()):
                key = _join(module_name, name)
                known.add(key)
                if key not in state_dict:
                    missing.append(key)
                    continue
                fault = module._load_member(name, member, key, state_dict[key], assign)
                if fault:
                    faults.append(fault)
        unexpected = [key for key in state_dict if key not in known]
        if strict and unexpected:
            faults.insert(0, f"Unexpected key(s) in state_dict: {_quoted(unexpected)}. ")
        if strict and missing:
            faults.insert(0, f"Missing key(s) in state_dict: {_quoted(missing)}. ")
        if faults:
            raise RuntimeError(
                f"Error(s) in loading state_dict for {type(self).__name__}:\n\t" + "\n\t".join(faults)
            )
        return IncompatibleKeys(missing, unexpected)

    def _load_member(self, name: str, member: gn.Tensor, key: str, value: Any, assign: bool) -> str | None:
        """Loads one tensor; returns an error message if it does not match, else None."""
        if not isinstance(value, gn.Tensor):
            return (
                f'While copying the parameter named "{key}", expected gnomon.Tensor from checkpoint but '
                f"received {_type_name(value)}; convert it with gnomon.as_tensor(value)"
            )
        if value.shape != member.shape:
            return (
                f"size mismatch for {key}: copying a param with shape {value.shape} from checkpoint, the "
                f"shape in current model is {member.shape}."
            )
        if not assign:
            with gn.no_grad():
                member.copy_(value)
        elif isinstance(member, Parameter):
            self._parameters[name] = (
                value if isinstance(value, Parameter) else Parameter(value, member.requires_grad)
            )
        else:
            self._buffers[name] = value
        return None

    # -- text ------------------------------------------------------------------------------------------------

    def extra_repr(self) -> str:
        """The text that ``repr`` shows in the parentheses, before the children."""
        return ""

    def _child_texts(self) -> list[str]:
        """``(name): repr`` for each child."""
        return [f"({name}): {_indent(repr(child))}" for name, child in self._modules.items()]

    def __repr__(self) -> str:
        name = type(self).__name__
        extra = self.extra_repr()
        children = self._child_texts()
        if not children and "\n" not in extra:
            return f"{name}({extra})"
        lines = [*(extra.split("\n") if extra else []), *children]
        return f"{name}(\n  " + "\n  ".join(lines) + "\n)"


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


def _replace_data(parameter: Parameter, fn: Callable[[gn.Tensor], gn.Tensor]) -> Parameter:
    """Applies ``fn`` to data and gradient; returns ``parameter`` itself if they stay on its device."""
    with gn.no_grad():
        data = fn(parameter.detach())
        grad = None if parameter.grad is None else fn(parameter.grad.detach())
    if data.device == parameter.device:
        # Keeps the identity, so that an optimizer that holds this parameter stays valid.
        parameter.grad = None
        parameter.data = data
        moved = parameter
    else:
        moved = Parameter(data, parameter.requires_grad)
    moved.grad = grad
    return moved


def _parse_to(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any]:
    """Parses the arguments of ``to`` to (device, dtype); ``non_blocking`` is accepted and ignored."""
    device = kwargs.pop("device", None)
    dtype = kwargs.pop("dtype", None)
    tensor = kwargs.pop("tensor", None)
    kwargs.pop("non_blocking", None)
    if kwargs:
        raise TypeError(f"to() got an unexpected keyword argument '{next(iter(kwargs))}'")
    for value in args:
        if isinstance(value, gn.Tensor):
            tensor = value
        elif isinstance(value, gn.dtype):
            dtype = value
        elif isinstance(value, (str, gn.device)):
            device = value
        elif value is not None and not isinstance(value, bool):
            raise TypeError(f"to(): expected a device, a dtype or a tensor, but got {type_name(value)}")
    if tensor is not None:
        device = tensor.device
        dtype = tensor.dtype
    return (None if device is None else gn.device(device)), dtype


def _join(prefix: str, name: str) -> str:
    return f"{prefix}.{name}" if prefix else name


def _quoted(names: list[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def _type_name(value: Any) -> str:
    return "gnomon.Tensor" if isinstance(value, gn.Tensor) else type_name(value)


def _indent(text: str) -> str:
    """Indents all lines except the first by two columns."""
    return text.replace("\n", "\n  ")
