"""Parametrization: a parameter or buffer that modules compute from others.

Source: torch/nn/utils/parametrize.py.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import gnomon as gn

from ..modules.container import ModuleDict, ModuleList
from ..modules.module import Module
from ..parameter import Parameter

AnyModule = TypeVar("AnyModule", bound=Module)

_cache_enabled = 0  # how many ``cached()`` blocks are active
_cache: dict[tuple[int, str], gn.Tensor] = {}


@contextmanager
def cached() -> Iterator[None]:
    """Within the block, a parametrized tensor is computed once, at its first access.

    Source: torch.nn.utils.parametrize.cached.
    """
    global _cache_enabled
    _cache_enabled += 1
    try:
        yield
    finally:
        _cache_enabled -= 1
        if not _cache_enabled:
            _cache.clear()


def _register(module: Module, name: str, tensor: gn.Tensor) -> None:
    if isinstance(tensor, Parameter):
        module.register_parameter(name, tensor)
    else:
        module.register_buffer(name, tensor)


class ParametrizationList(ModuleList):
    """The parametrizations of one tensor, in the order in which they are applied.

    It holds the tensors that the first of them takes: ``original``, or ``original0``, ``original1``, … if its
    ``right_inverse`` returns a sequence.  Unless ``unsafe``, the result must have shape and dtype of the
    original.  Raises ValueError if not, for no modules, and for other results of ``right_inverse``.

    Source: torch.nn.utils.parametrize.ParametrizationList.
    """

    def __init__(self, modules: Sequence[Module], original: gn.Tensor, unsafe: bool = False) -> None:
        if not modules:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        shape, dtype = original.shape, original.dtype
        new: Any = original
        with gn.no_grad():
            for module in reversed(list(self)):
                if hasattr(module, "right_inverse"):
                    try:
                        new = module.right_inverse(new)
                    except NotImplementedError:
                        pass
        self.is_tensor = isinstance(new, gn.Tensor)
        if self.is_tensor:
            self.ntensors = 1
            for what in ("dtype", "device"):
                if getattr(new, what) != getattr(original, what):
                    raise ValueError(
                        f"When `right_inverse` outputs one tensor, it may not change the {what}.\n"
                        f"original.{what}: {getattr(original, what)}\n"
                        f"right_inverse(original).{what}: {getattr(new, what)}"
                    )
            original.data = new.data
            _register(self, "original", original)
        elif isinstance(new, Sequence):
            self.ntensors = len(new)
            for number, tensor in enumerate(new):
                if not isinstance(tensor, gn.Tensor):
                    raise ValueError(
                        "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). Got "
                        f"element {number} of the sequence with type {type(tensor).__name__}."
                    )
                if isinstance(original, Parameter):
                    tensor = Parameter(tensor, original.requires_grad)
                _register(self, f"original{number}", tensor.requires_grad_(original.requires_grad))
        else:
            raise ValueError(
                "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). Got "
                f"{type(new).__name__}"
            )
        if not unsafe:
            _check_result(self(), shape, dtype)

    def right_inverse(self, value: gn.Tensor) -> None:
        """Sets the originals so that the parametrized tensor becomes ``value``.

        Calls the ``right_inverse`` of the modules, last first.  Raises RuntimeError if one has none,
        ValueError for results of other types, dtypes or numbers.
        """
        found: Any = value
        with gn.no_grad():
            for module in reversed(list(self)):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(
                        f"parametrization {type(module).__name__} does not implement right_inverse."
                    )
                found = module.right_inverse(found)
            if self.is_tensor:
                if not isinstance(found, gn.Tensor):
                    raise ValueError(f"`right_inverse` should return a tensor. Got {type(found).__name__}")
                if found.dtype != self.original.dtype:
                    raise ValueError(
                        f"The tensor returned by `right_inverse` has dtype {found.dtype} while `original` "
                        f"has dtype {self.original.dtype}"
                    )
                self.original.data = found.data
                return
            if not isinstance(found, Sequence):
                raise ValueError(
                    f"'right_inverse' must return a sequence of tensors. Got {type(found).__name__}."
                )
            if len(found) != self.ntensors:
                raise ValueError(
                    "'right_inverse' must return a sequence of tensors of length "
                    f"{self.ntensors}. Got a sequence of length {len(found)}."
                )
            for number, tensor in enumerate(found):
                original = getattr(self, f"original{number}")
                if not isinstance(tensor, gn.Tensor):
                    raise ValueError(
                        f"'right_inverse' must return a sequence of tensors. Got element {number} of type "
                        f"{type(tensor).__name__}."
                    )
                if original.dtype != tensor.dtype:
                    raise ValueError(
                        f"Tensor {number} returned by `right_inverse` has dtype {tensor.dtype} while "
                        f"`original{number}` has dtype {original.dtype}"
                    )
                original.data = tensor.data

    def forward(self) -> gn.Tensor:
        """The parametrized tensor."""
        first, *others = self
        if self.is_tensor:
            found = first(self.original)
        else:
            found = first(*(getattr(self, f"original{number}") for number in range(self.ntensors)))
        for module in others:
            found = module(found)
        return found


def _check_result(found: Any, shape: Any, dtype: gn.dtype) -> None:
    """Raises ValueError unless the first parametrization returned a tensor like the original."""
    if not isinstance(found, gn.Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {type(found).__name__}.")
    for what, wanted in (("dtype", dtype), ("shape", shape)):
        if getattr(found, what) != wanted:
            raise ValueError(
                f"Registering a parametrization may not change the {what} of the tensor, unless `unsafe` "
                f"flag is enabled.\nunparametrized {what}: {wanted}\n"
                f"parametrized {what}: {getattr(found, what)}"
            )


def _check_added(module: Module, name: str, parametrization: Module) -> None:
    """Raises ValueError if another parametrization, or its right inverse, changes shape or dtype."""
    before = getattr(module, name)
    after = parametrization(before)
    if not isinstance(after, gn.Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {type(after).__name__}.")
    for what in ("dtype", "shape"):
        if getattr(after, what) != getattr(before, what):
            raise ValueError(
                f"Registering a parametrization may not change the {what} of the tensor, unless the `unsafe` "
                f"flag is enabled.\nmodule.{name}.{what}: {getattr(before, what)}\n"
                f"parametrization(module.{name}).{what}: {getattr(after, what)}"
            )
    if not hasattr(parametrization, "right_inverse"):
        return
    try:
        inverse = parametrization.right_inverse(after)
    except NotImplementedError:
        return
    if not isinstance(inverse, gn.Tensor):
        raise ValueError(f"parametrization.right_inverse must return a tensor. Got: {type(inverse).__name__}")
    for what in ("dtype", "shape"):
        if getattr(inverse, what) != getattr(before, what):
            raise ValueError(
                f"The tensor returned by parametrization.right_inverse must have the same {what} as "
                f"module.{name}, unless the `unsafe` flag is enabled.\n"
                f"module.{name}.{what}: {getattr(before, what)}\nreturned {what}: {getattr(inverse, what)}"
            )


def _getstate(self: Module) -> Any:
    raise RuntimeError(
        "Serialization of parametrized modules is only supported through state_dict(). See:\n"
        "https://pytorch.org/tutorials/beginner/saving_loading_models.html"
        "#saving-loading-a-general-checkpoint-for-inference-and-or-resuming-training"
    )


def _deepcopy(self: Module, memo: dict[int, Any]) -> Module:
    if id(self) not in memo:
        replica = memo[id(self)] = self.__new__(type(self))
        replica.__dict__ = copy.deepcopy(self.__dict__, memo)
    return memo[id(self)]


def _inject_new_class(module: Module) -> None:
    """Gives the module a class of its own, which can have properties."""
    cls = type(module)
    members: dict[str, Any] = {"__getstate__": _getstate}
    if not hasattr(cls, "__deepcopy__"):
        members["__deepcopy__"] = _deepcopy
    module.__class__ = type(f"Parametrized{cls.__name__}", (cls,), members)


def _inject_property(module: Module, name: str) -> None:
    """Makes ``name`` a property that computes the tensor, and whose assignment sets the originals."""

    def get_parametrized(self: Module) -> gn.Tensor:
        parametrization = self.parametrizations[name]
        if not _cache_enabled:
            return parametrization()
        key = (id(self), name)
        if key not in _cache:
            _cache[key] = parametrization()
        return _cache[key]

    def set_original(self: Module, value: gn.Tensor) -> None:
        self.parametrizations[name].right_inverse(value)

    setattr(type(module), name, property(get_parametrized, set_original))


def register_parametrization(
    module: AnyModule, tensor_name: str, parametrization: Module, *, unsafe: bool = False
) -> AnyModule:
    """Computes the parameter or buffer ``tensor_name`` by ``parametrization`` from now on.

    The original tensor moves to ``module.parametrizations[tensor_name].original``.  If the tensor has
    parametrizations, this one is applied after them.  A parametrization with a ``right_inverse`` can be
    assigned to.  Returns the module, whose class changes.

    Raises ValueError if there is no such tensor, and unless ``unsafe`` if its shape or dtype changes.
    Source: torch.nn.utils.parametrize.register_parametrization.
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        if not unsafe:
            _check_added(module, tensor_name, parametrization)
        found = module.parametrizations[tensor_name]
        found.append(parametrization)
        found.unsafe |= unsafe
    elif tensor_name in module._buffers or tensor_name in module._parameters:
        original = getattr(module, tensor_name)
        made = ParametrizationList([parametrization], original, unsafe)  # first, because it may raise
        delattr(module, tensor_name)
        if not is_parametrized(module):
            _inject_new_class(module)
            module.parametrizations = ModuleDict()
        _inject_property(module, tensor_name)
        module.parametrizations[tensor_name] = made
    else:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name "
            f"'{tensor_name}'"
        )
    return module


def is_parametrized(module: Module, tensor_name: str | None = None) -> bool:
    """Has the module a parametrization, of the given tensor or of any?

    Source: torch.nn.utils.parametrize.is_parametrized.
    """
    found = getattr(module, "parametrizations", None)
    if not isinstance(found, ModuleDict):
        return False
    return len(found) > 0 if tensor_name is None else tensor_name in found


def remove_parametrizations(
    module: AnyModule, tensor_name: str, leave_parametrized: bool = True
) -> AnyModule:
    """Makes ``tensor_name`` a parameter or buffer again, with its present value or with the original one.

    Returns the module, whose class changes back with its last parametrization.  Raises ValueError if it has
    no parametrization, and for several originals without ``leave_parametrized``.  Source:
    torch.nn.utils.parametrize.remove_parametrizations.
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    found = module.parametrizations[tensor_name]
    if found.is_tensor:
        original = found.original
        if leave_parametrized:
            with gn.no_grad():
                original.data = getattr(module, tensor_name).data
    elif leave_parametrized:
        value = getattr(module, tensor_name)
        original = Parameter(value) if value.requires_grad else value
    else:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms "
            "of a sequence of tensors."
        )
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    _register(module, tensor_name, original)
    if not is_parametrized(module):
        del module.parametrizations
        module.__class__ = type(module).__bases__[0]
    return module


def type_before_parametrizations(module: Module) -> type:
    """The module's class without parametrizations.

    Source: torch.nn.utils.parametrize.type_before_parametrizations.
    """
    return type(module).__bases__[0] if is_parametrized(module) else type(module)


def transfer_parametrizations_and_params(
    from_module: Module, to_module: AnyModule, tensor_name: str | None = None
) -> AnyModule:
    """Gives ``to_module`` the parametrizations and originals of one tensor of ``from_module``, or of all.

    Returns ``to_module``.  Source: torch.nn.utils.parametrize.transfer_parametrizations_and_params.
    """
    if not is_parametrized(from_module):
        return to_module
    for name in from_module.parametrizations if tensor_name is None else [tensor_name]:
        if not hasattr(to_module, name):
            setattr(to_module, name, Parameter(getattr(from_module, name)))
        source = from_module.parametrizations[name]
        for parametrization in source:
            register_parametrization(to_module, name, parametrization)
        target = to_module.parametrizations[name]
        for original in [*source._parameters, *source._buffers]:
            setattr(target, original, getattr(source, original))
    return to_module
