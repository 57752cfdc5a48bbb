"""Spectral normalization with hooks, the older form of ``parametrizations.spectral_norm``.

A state_dict of version 0, which PyTorch wrote before 1.0, can not be loaded: it has no ``name_v``.

Source: torch/nn/utils/spectral_norm.py; arXiv:1802.05957.
"""

from __future__ import annotations

from typing import Any, TypeVar

import gnomon as gn

from .. import functional
from ..modules.conv import _ConvTransposeNd
from ..modules.module import Module
from ..parameter import Parameter, is_lazy

AnyModule = TypeVar("AnyModule", bound=Module)


class SpectralNorm:
    """The forward pre-hook that computes the weight.  Source: torch.nn.utils.spectral_norm.SpectralNorm."""

    _version = 1  # in the metadata of a state_dict

    def __init__(
        self, name: str = "weight", n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12
    ) -> None:
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.name = name
        self.dim = dim
        self.n_power_iterations = n_power_iterations
        self.eps = eps

    def reshape_weight_to_matrix(self, weight: gn.Tensor) -> gn.Tensor:
        """The weight as a matrix, whose rows are the indices of ``dim``."""
        return weight.movedim(self.dim, 0).flatten(1)

    def compute_weight(self, module: Module, do_power_iteration: bool) -> gn.Tensor:
        """The weight divided by its largest singular value; the power iteration improves the vectors in
        place.
        """
        weight, u, v = (getattr(module, f"{self.name}_{part}") for part in ("orig", "u", "v"))
        matrix = self.reshape_weight_to_matrix(weight)
        if do_power_iteration:
            with gn.no_grad():
                for _ in range(self.n_power_iterations):
                    v.copy_(functional.normalize(matrix.t().mv(u), dim=0, eps=self.eps))
                    u.copy_(functional.normalize(matrix.mv(v), dim=0, eps=self.eps))
                u, v = u.clone(), v.clone()  # a later call writes to the buffers
        return weight / gn.dot(u, matrix.mv(v))

    def remove(self, module: Module) -> None:
        """Makes the weight a parameter again."""
        with gn.no_grad():
            weight = self.compute_weight(module, do_power_iteration=False)
        for suffix in ("", "_u", "_v", "_orig"):
            delattr(module, self.name + suffix)
        module.register_parameter(self.name, Parameter(weight.detach()))

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module, do_power_iteration=module.training))

    @staticmethod
    def apply(module: Module, name: str, n_power_iterations: int, dim: int, eps: float) -> SpectralNorm:
        """Replaces the parameter ``name``; registers and returns the hook."""
        for hook in module._forward_pre_hooks.values():
            if isinstance(hook, SpectralNorm) and hook.name == name:
                raise RuntimeError(f"Cannot register two spectral_norm hooks on the same parameter {name}")
        made = SpectralNorm(name, n_power_iterations, dim, eps)
        weight = module._parameters[name]
        if weight is None:
            raise ValueError(f"`SpectralNorm` cannot be applied as parameter `{name}` is None")
        if is_lazy(weight):
            raise ValueError(
                "The module passed to `SpectralNorm` can't have uninitialized parameters. Make sure to run "
                "the dummy forward before applying spectral normalization"
            )
        with gn.no_grad():
            drawn = [
                functional.normalize(weight.new_empty(size).normal_(0, 1), dim=0, eps=eps)
                for size in made.reshape_weight_to_matrix(weight).shape
            ]
        delattr(module, name)
        module.register_parameter(f"{name}_orig", weight)
        setattr(module, name, weight.data)
        for suffix, vector in zip(("_u", "_v"), drawn):
            module.register_buffer(name + suffix, vector)
        module.register_forward_pre_hook(made)
        module._register_state_dict_hook(SpectralNormStateDictHook(made))
        return made


class SpectralNormStateDictHook:
    """Writes the version to a state_dict's metadata.  A class, so that modules with it can be pickled."""

    def __init__(self, fn: SpectralNorm) -> None:
        self.fn = fn

    def __call__(self, module: Module, state_dict: Any, prefix: str, local_metadata: dict[str, Any]) -> None:
        versions = local_metadata.setdefault("spectral_norm", {})
        versions[f"{self.fn.name}.version"] = self.fn._version


def spectral_norm(
    module: AnyModule,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> AnyModule:
    """Divides the parameter ``name`` by its largest singular value before each ``forward``.

    The parameter is ``name_orig``; the buffers ``name_u`` and ``name_v`` are estimates of singular vectors,
    which ``n_power_iterations`` improve in training.  As a matrix the weight's rows are the indices of
    ``dim``, by default 0, for transposed convolutions 1.  Returns the module.  Raises RuntimeError if it has
    been applied before, ValueError for a parameter that is None or uninitialized.  Source:
    torch.nn.utils.spectral_norm."""
    if dim is None:
        dim = 1 if isinstance(module, _ConvTransposeNd) else 0
    SpectralNorm.apply(module, name, n_power_iterations, dim, eps)
    return module


def remove_spectral_norm(module: AnyModule, name: str = "weight") -> AnyModule:
    """Undoes ``spectral_norm``; returns the module.

    Raises ValueError if it has not been applied.  Source: torch.nn.utils.remove_spectral_norm.
    """
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, SpectralNorm) and hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(f"spectral_norm of '{name}' not found in {module}")
