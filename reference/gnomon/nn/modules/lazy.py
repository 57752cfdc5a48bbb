"""LazyModuleMixin: modules whose parameters get their shapes from the first input.

Source: torch/nn/modules/lazy.py.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import gnomon as gn

from ..parameter import is_lazy
from .module import Module

if TYPE_CHECKING:
    _Base = Module  # it is always mixed into one
else:
    _Base = object


class LazyModuleMixin(_Base):
    """A module with uninitialized parameters or buffers.

    Before the first ``forward``, its ``initialize_parameters`` materializes them for the input's shape; a
    state_dict that is loaded before gives them its shapes.  Then the module becomes one of the class
    ``cls_to_become``.  Source: torch.nn.modules.lazy.LazyModuleMixin.
    """

    cls_to_become: type[Any] | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._load_hook = self._register_load_state_dict_pre_hook(self._lazy_load_hook)
        self._initialize_hook = self.register_forward_pre_hook(self._infer_parameters, with_kwargs=True)

    def _tensors(self) -> Iterator[tuple[str, Any]]:
        """The module's own parameters and buffers that are not None."""
        named = itertools.chain(self._parameters.items(), self._buffers.items())
        return ((name, tensor) for name, tensor in named if tensor is not None)

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        for name, tensor in self._persistent_members().items():
            destination[prefix + name] = tensor if keep_vars or is_lazy(tensor) else tensor.detach()

    def _lazy_load_hook(self, state_dict: dict[str, Any], prefix: str, *_: Any) -> None:
        """Materializes uninitialized tensors with the shapes of the tensors that are loaded."""
        for name, tensor in self._tensors():
            loaded = state_dict.get(prefix + name)
            if is_lazy(tensor) and loaded is not None and not is_lazy(loaded):
                with gn.no_grad():
                    tensor.materialize(loaded.shape)

    def initialize_parameters(self, *args: Any, **kwargs: Any) -> None:
        """Materializes the parameters for the arguments of ``forward``; each subclass defines its own."""
        raise NotImplementedError(f"initialize_parameters is not implemented for {type(self).__name__}")

    def has_uninitialized_params(self) -> bool:
        """Has the module a parameter or buffer without a shape?"""
        return any(is_lazy(tensor) for _, tensor in self._tensors())

    def _infer_parameters(self, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """The forward pre-hook: initializes the parameters, and removes the hooks.

        Raises RuntimeError if there are uninitialized parameters left.
        """
        module.initialize_parameters(*args, **kwargs)
        if module.has_uninitialized_params():
            raise RuntimeError(f"module {self._get_name()} has not been fully initialized")
        module._initialize_hook.remove()
        module._load_hook.remove()
        del module._initialize_hook
        del module._load_hook
        if module.cls_to_become is not None:
            module.__class__ = module.cls_to_become
