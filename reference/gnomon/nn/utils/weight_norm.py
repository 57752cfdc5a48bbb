"""Weight normalization with hooks, the older form of ``parametrizations.weight_norm``.

Source: torch/nn/utils/weight_norm.py; arXiv:1602.07868.
"""

from __future__ import annotations

from typing import Any, TypeVar

import gnomon as gn

from ...values.errors import warn
from ..modules.module import Module
from ..parameter import Parameter, is_lazy

AnyModule = TypeVar("AnyModule", bound=Module)


def norm_except_dim(v: gn.Tensor, pow: int = 2, dim: int = 0) -> gn.Tensor:
    """The norm of ``v`` over all dimensions except ``dim``, which are kept with size 1; -1: over all, 0-d.

    Source: torch.norm_except_dim.
    """
    if dim == -1:
        return v.norm(pow)
    others = [each for each in range(v.dim()) if each != dim]
    if not others:
        return v.abs()
    return v.norm(pow, others, keepdim=True)


def weight_of(v: gn.Tensor, g: gn.Tensor, dim: int = 0) -> gn.Tensor:
    """``v`` with the norms ``g`` instead of its own.  Source: torch._weight_norm."""
    return v * (g / norm_except_dim(v, 2, dim))


class WeightNorm:
    """The forward pre-hook that computes the weight.  Source: torch.nn.utils.weight_norm.WeightNorm."""

    def __init__(self, name: str, dim: int | None) -> None:
        self.name = name
        self.dim = -1 if dim is None else dim

    def compute_weight(self, module: Module) -> gn.Tensor:
        """The weight from its norm ``name_g`` and its direction ``name_v``."""
        return weight_of(getattr(module, f"{self.name}_v"), getattr(module, f"{self.name}_g"), self.dim)

    @staticmethod
    def apply(module: Module, name: str, dim: int | None) -> WeightNorm:
        """Replaces the parameter ``name`` by its norm and its direction; registers and returns the hook."""
        warn(
            "`gnomon.nn.utils.weight_norm` is deprecated in favor of "
            "`gnomon.nn.utils.parametrizations.weight_norm`.",
            FutureWarning,
        )
        for hook in module._forward_pre_hooks.values():
            if isinstance(hook, WeightNorm) and hook.name == name:
                raise RuntimeError(f"Cannot register two weight_norm hooks on the same parameter {name}")
        made = WeightNorm(name, dim)
        weight = getattr(module, name)
        if is_lazy(weight):
            raise ValueError(
                "The module passed to `WeightNorm` can't have uninitialized parameters. Make sure to run the "
                "dummy forward before applying weight normalization"
            )
        del module._parameters[name]
        module.register_parameter(f"{name}_g", Parameter(norm_except_dim(weight, 2, made.dim).data))
        module.register_parameter(f"{name}_v", Parameter(weight.data))
        setattr(module, name, made.compute_weight(module))
        module.register_forward_pre_hook(made)
        return made

    def remove(self, module: Module) -> None:
        """Makes the weight a parameter again."""
        weight = self.compute_weight(module)
        delattr(module, self.name)
        del module._parameters[f"{self.name}_g"]
        del module._parameters[f"{self.name}_v"]
        setattr(module, self.name, Parameter(weight.data))

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module))


def weight_norm(module: AnyModule, name: str = "weight", dim: int | None = 0) -> AnyModule:
    """Replaces the parameter ``name`` by its norm ``name_g`` for each index of ``dim`` (None: one norm) and
    its direction ``name_v``; a hook computes the weight before each ``forward``.  Returns the module.

    Deprecated, with a FutureWarning.  Raises RuntimeError if it has been applied before, ValueError for an
    uninitialized parameter.  Source: torch.nn.utils.weight_norm.
    """
    WeightNorm.apply(module, name, dim)
    return module


def remove_weight_norm(module: AnyModule, name: str = "weight") -> AnyModule:
    """Undoes ``weight_norm``; returns the module.

    Raises ValueError if it has not been applied.  Source: torch.nn.utils.remove_weight_norm.
    """
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, WeightNorm) and hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(f"weight_norm of '{name}' not found in {module}")
