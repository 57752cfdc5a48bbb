"""Pruning: masks that set elements of parameters to zero.

A pruned parameter ``name`` becomes the parameter ``name_orig`` and the buffer ``name_mask``; a forward
pre-hook sets the attribute ``name`` to their product.

Source: torch/nn/utils/prune.py.
"""

from __future__ import annotations

import numbers
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

import gnomon as gn

from ..modules.module import Module
from .convert_parameters import parameters_to_vector

AnyModule = TypeVar("AnyModule", bound=Module)


class BasePruningMethod(ABC):
    """A pruning method; it is the forward pre-hook of the modules that it prunes.

    A subclass defines ``compute_mask`` and PRUNING_TYPE: 'unstructured' (elements), 'structured' (channels)
    or 'global' (all of them).  Source: torch.nn.utils.prune.BasePruningMethod.
    """

    PRUNING_TYPE: str
    _tensor_name: str | None = None

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, str(self._tensor_name), self.apply_mask(module))

    @abstractmethod
    def compute_mask(self, t: gn.Tensor, default_mask: gn.Tensor) -> gn.Tensor:
        """The mask for importance scores ``t``, applied on top of ``default_mask`` of the same shape."""

    def apply_mask(self, module: Module) -> gn.Tensor:
        """The module's original parameter times its mask.  Raises AssertionError if it is not pruned."""
        if self._tensor_name is None:
            raise AssertionError(f"Module {module} has to be pruned")
        original = getattr(module, f"{self._tensor_name}_orig")
        return getattr(module, f"{self._tensor_name}_mask").to(dtype=original.dtype) * original

    @classmethod
    def apply(
        cls,
        module: Module,
        name: str,
        *args: Any,
        importance_scores: gn.Tensor | None = None,
        **kwargs: Any,
    ) -> BasePruningMethod:
        """Prunes the parameter ``name``, on top of earlier pruning, and registers the hook; returns it.

        ``importance_scores``, by default the parameter itself, decide what is pruned.  Raises AssertionError
        if their shape differs.
        """
        hooks = module._forward_pre_hooks
        earlier = [key for key, hook in hooks.items() if _prunes(hook, name)]
        if len(earlier) > 1:
            raise AssertionError(
                f"Avoid adding multiple pruning hooks to the same tensor {name} of module {module}. Use a "
                "PruningContainer."
            )
        method: BasePruningMethod = cls(*args, **kwargs)
        method._tensor_name = name
        value = getattr(module, name)
        if importance_scores is None:
            importance_scores = value
        elif importance_scores.shape != value.shape:
            raise AssertionError(
                f"importance_scores should have the same shape as parameter {name} of {module}, got "
                f"{importance_scores.shape} vs {value.shape}"
            )
        if earlier:
            old: Any = hooks[earlier[0]]
            container = old if isinstance(old, PruningContainer) else PruningContainer(old)
            mask = getattr(module, f"{name}_mask").detach().clone()
            mask = PruningContainer(method).compute_mask(importance_scores, mask)
            container.add_pruning_method(method)
            del hooks[earlier[0]]
            method = container
        else:
            mask = method.compute_mask(importance_scores, default_mask=gn.ones_like(value))
            del module._parameters[name]
            module.register_parameter(f"{name}_orig", value)
        module.register_buffer(f"{name}_mask", mask)
        setattr(module, name, method.apply_mask(module))
        module.register_forward_pre_hook(method)
        return method

    def prune(
        self,
        t: gn.Tensor,
        default_mask: gn.Tensor | None = None,
        importance_scores: gn.Tensor | None = None,
    ) -> gn.Tensor:
        """A pruned copy of ``t``, without any module.

        Raises AssertionError if the shape of ``importance_scores`` differs.
        """
        if importance_scores is None:
            importance_scores = t
        elif importance_scores.shape != t.shape:
            raise AssertionError(
                "importance_scores should have the same shape as tensor t, got "
                f"{importance_scores.shape} vs {t.shape}"
            )
        mask = gn.ones_like(t) if default_mask is None else default_mask
        return t * self.compute_mask(importance_scores, default_mask=mask)

    def remove(self, module: Module) -> None:
        """Makes the pruned tensor a parameter again, with the zeros in it."""
        if self._tensor_name is None:
            raise AssertionError(f"Module {module} has to be pruned before pruning can be removed")
        name = self._tensor_name
        weight = self.apply_mask(module)
        if hasattr(module, name):
            delattr(module, name)
        original = module._parameters.pop(f"{name}_orig")
        del module._buffers[f"{name}_mask"]
        original.data = weight.data  # type: ignore[union-attr]
        setattr(module, name, original)


def _prunes(hook: Any, name: str) -> bool:
    """Is the hook a pruning method of the parameter ``name``?"""
    return isinstance(hook, BasePruningMethod) and hook._tensor_name == name


class PruningContainer(BasePruningMethod):
    """Several pruning methods of one parameter; ``compute_mask`` adds that of the last one.

    Source: torch.nn.utils.prune.PruningContainer.
    """

    def __init__(self, *args: BasePruningMethod) -> None:
        self._pruning_methods: tuple[BasePruningMethod, ...] = ()
        if args:
            self._tensor_name = args[0]._tensor_name
        for method in args:
            self.add_pruning_method(method)

    def add_pruning_method(self, method: BasePruningMethod) -> None:
        """Adds a method.  Raises TypeError if it is none, ValueError for one of another parameter."""
        if not isinstance(method, BasePruningMethod):
            raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
        if self._tensor_name != method._tensor_name:
            raise ValueError(
                "Can only add pruning methods acting on the parameter named "
                f"'{self._tensor_name}' to PruningContainer {self}. Found '{method._tensor_name}'"
            )
        self._pruning_methods += (method,)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Iterator[BasePruningMethod]:
        return iter(self._pruning_methods)

    def __getitem__(self, idx: int) -> BasePruningMethod:
        return self._pruning_methods[idx]

    def compute_mask(self, t: gn.Tensor, default_mask: gn.Tensor) -> gn.Tensor:
        """``default_mask``, with the mask that the last method computes for what is not pruned yet."""
        method: Any = self._pruning_methods[-1]
        everything: list[Any] = [slice(None)] * t.dim()
        kept: Any
        if method.PRUNING_TYPE == "unstructured":
            kept = default_mask == 1
        elif method.PRUNING_TYPE == "structured":
            if not hasattr(method, "dim"):
                raise AttributeError(
                    'Pruning methods of PRUNING_TYPE "structured" need to have the attribute `dim` defined.'
                )
            dim = method.dim + t.dim() if method.dim < 0 else method.dim
            if dim < 0:
                raise IndexError(f"Index is out of bounds for tensor with dimensions {t.dim()}")
            others = [each for each in range(t.dim()) if each != dim]
            everything[dim] = default_mask.sum(dim=others) != 0
            kept = tuple(everything)
        elif method.PRUNING_TYPE == "global":
            kept = tuple(everything)
        else:
            raise ValueError(f"Unrecognized PRUNING_TYPE {method.PRUNING_TYPE}")
        mask = default_mask.to(dtype=t.dtype).clone()
        mask[kept] = method.compute_mask(t[kept], default_mask=default_mask[kept]).to(dtype=mask.dtype)
        return mask


class Identity(BasePruningMethod):
    """Prunes nothing, with a mask of ones.  Source: torch.nn.utils.prune.Identity."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: gn.Tensor, default_mask: gn.Tensor) -> gn.Tensor:
        """``default_mask`` itself."""
        return default_mask

    @classmethod
    def apply(cls, module: Module, name: str) -> BasePruningMethod:  # type: ignore[override]
        """Registers the hook; returns it."""
        return super().apply(module, name)


class _Amount(BasePruningMethod):
    """A method that prunes a number, or a fraction between 0 and 1, of elements or channels."""

    def __init__(self, amount: float) -> None:
        if not isinstance(amount, numbers.Real):
            raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
        self._is_fraction: bool = not isinstance(amount, numbers.Integral)
        if amount < 0 or (self._is_fraction and amount > 1.0):
            raise ValueError(
                f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer"
            )
        self.amount: float = amount

    def _number_of(self, size: int) -> int:
        """How many of ``size`` are pruned.  Raises ValueError if there are not so many."""
        number = round(self.amount * size) if self._is_fraction else int(self.amount)
        if number > size:
            raise ValueError(
                f"amount={number} should be smaller than the number of parameters to prune={size}"
            )
        return number


class _Unstructured(_Amount):
    PRUNING_TYPE = "unstructured"

    def _without(self, places: gn.Tensor, default_mask: gn.Tensor) -> gn.Tensor:
        """``default_mask`` with zeros at the given places of its elements in a row."""
        mask = default_mask.clone(memory_format=gn.contiguous_format)
        mask.view(-1)[places] = 0
        return mask


class RandomUnstructured(_Unstructured):
    """Prunes random elements.  Source: torch.nn.utils.prune.RandomUnstructured."""

    def compute_mask(self, t: gn.Tensor, default_mask: gn.Tensor) -> gn.Tensor:
        """Zeros at random elements of ``default_mask``."""
        number = self._number_of(t.numel())
        if number == 0:
            return default_mask.clone()
        return self._without(gn.rand_like(t).view(-1).topk(number)[1], default_mask)

    @classmethod
    def apply(cls, module: Module, name: str, amount: float) -> BasePruningMethod:  # type: ignore[override]
        """Prunes the parameter ``name`` and registers the hook; returns it."""
        return super().apply(module, name, amount=amount)


class L1Unstructured(_Unstructured):
    """Prunes the elements with the smallest absolute values.

    Source: torch.nn.utils.prune.L1Unstructured.
    """

    def compute_mask(self, t: gn.Tensor, default_mask: gn.Tensor) -> gn.Tensor:
        """Zeros at the elements of ``default_mask`` where ``|t|`` is smallest."""
        number = self._number_of(t.numel())
        if number == 0:
            return default_mask.clone()
        return self._without(t.abs().view(-1).topk(number, largest=False)[1], default_mask)

    @classmethod
    def apply(  # type: ignore[override]
        cls, module: Module, name: str, amount: float, importance_scores: gn.Tensor | None = None
    ) -> BasePruningMethod:
        """Prunes the parameter ``name`` and registers the hook; returns it."""
        return super().apply(module, name, amount=amount, importance_scores=importance_scores)


class _Structured(_Amount):
    PRUNING_TYPE = "structured"

    def __init__(self, amount: float, dim: int = -1) -> None:
        super().__init__(amount)
        self.dim = dim

    def _number_of_channels(self, t: gn.Tensor) -> int:
        """How many channels of ``t`` are pruned.  Raises ValueError or IndexError for its dimensions."""
        if t.dim() <= 1:
            raise ValueError(
                "Structured pruning can only be applied to multidimensional tensors. Found tensor of shape "
                f"{t.shape} with {t.dim()} dims"
            )
        if self.dim >= t.dim():
            raise IndexError(f"Invalid index {self.dim} for tensor of size {t.shape}")
        return self._number_of(t.shape[self.dim])

    def _with_only(self, channels: gn.Tensor, t: gn.Tensor, default_mask: gn.Tensor) -> gn.Tensor:
        """``default_mask`` with zeros in all channels but the given ones."""
        place: list[Any] = [slice(None)] * t.dim()
        place[self.dim] = channels
        mask = gn.zeros_like(t)
        mask[tuple(place)] = 1
        return mask * default_mask.to(dtype=mask.dtype)


class RandomStructured(_Structured):
    """Prunes random channels along ``dim``.  Source: torch.nn.utils.prune.RandomStructured."""

    def compute_mask(self, t: gn.Tensor, default_mask: gn.Tensor) -> gn.Tensor:
        """Zeros in random channels of ``default_mask``."""
        number = self._number_of_channels(t)
        if number == 0:
            return default_mask
        drawn = gn.rand(t.shape[self.dim])
        return self._with_only(drawn.argsort()[number:].sort()[0], t, default_mask)

    @classmethod
    def apply(  # type: ignore[override]
        cls, module: Module, name: str, amount: float, dim: int = -1
    ) -> BasePruningMethod:
        """Prunes the parameter ``name`` and registers the hook; returns it."""
        return super().apply(module, name, amount=amount, dim=dim)


class LnStructured(_Structured):
    """Prunes the channels along ``dim`` with the smallest ``n``-norm.

    Source: torch.nn.utils.prune.LnStructured.
    """

    def __init__(self, amount: float, n: Any, dim: int = -1) -> None:
        super().__init__(amount, dim)
        self.n = n

    def compute_mask(self, t: gn.Tensor, default_mask: gn.Tensor) -> gn.Tensor:
        """Zeros in the channels of ``default_mask`` where the norm of ``t`` is smallest."""
        number = self._number_of_channels(t)
        if number == 0:
            return default_mask
        dim = self.dim % t.dim()
        norm = t.norm(self.n, [each for each in range(t.dim()) if each != dim])
        return self._with_only(norm.topk(t.shape[dim] - number)[1], t, default_mask)

    @classmethod
    def apply(  # type: ignore[override]
        cls,
        module: Module,
        name: str,
        amount: float,
        n: Any,
        dim: int,
        importance_scores: gn.Tensor | None = None,
    ) -> BasePruningMethod:
        """Prunes the parameter ``name`` and registers the hook; returns it."""
        return super().apply(module, name, amount=amount, n=n, dim=dim, importance_scores=importance_scores)


class CustomFromMask(BasePruningMethod):
    """Prunes by a given mask.  Source: torch.nn.utils.prune.CustomFromMask."""

    PRUNING_TYPE = "global"

    def __init__(self, mask: gn.Tensor) -> None:
        self.mask = mask

    def compute_mask(self, t: gn.Tensor, default_mask: gn.Tensor) -> gn.Tensor:
        """``default_mask`` times the mask.  Raises AssertionError if their shapes differ."""
        if default_mask.shape != self.mask.shape:
            raise AssertionError(
                f"default_mask shape {default_mask.shape} must match self.mask shape {self.mask.shape}"
            )
        return default_mask * self.mask.to(dtype=default_mask.dtype)

    @classmethod
    def apply(cls, module: Module, name: str, mask: gn.Tensor) -> BasePruningMethod:  # type: ignore[override]
        """Prunes the parameter ``name`` and registers the hook; returns it."""
        return super().apply(module, name, mask=mask)


def identity(module: AnyModule, name: str) -> AnyModule:
    """Prunes nothing of the parameter ``name``; returns the module.

    Source: torch.nn.utils.prune.identity.
    """
    Identity.apply(module, name)
    return module


def random_unstructured(module: AnyModule, name: str, amount: float) -> AnyModule:
    """Prunes ``amount`` (a number or a fraction) random elements of ``name``; returns the module.

    Source: torch.nn.utils.prune.random_unstructured.
    """
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(
    module: AnyModule, name: str, amount: float, importance_scores: gn.Tensor | None = None
) -> AnyModule:
    """Prunes the ``amount`` elements of ``name`` with the smallest absolute values, or scores; returns the
    module.

    Source: torch.nn.utils.prune.l1_unstructured.
    """
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module


def random_structured(module: AnyModule, name: str, amount: float, dim: int) -> AnyModule:
    """Prunes ``amount`` random channels of ``name`` along ``dim``; returns the module.

    Source: torch.nn.utils.prune.random_structured.
    """
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(
    module: AnyModule,
    name: str,
    amount: float,
    n: Any,
    dim: int,
    importance_scores: gn.Tensor | None = None,
) -> AnyModule:
    """Prunes the ``amount`` channels of ``name`` along ``dim`` with the smallest ``n``-norms; returns the
    module.

    Source: torch.nn.utils.prune.ln_structured.
    """
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def custom_from_mask(module: AnyModule, name: str, mask: gn.Tensor) -> AnyModule:
    """Prunes ``name`` where the mask is 0; returns the module.

    Source: torch.nn.utils.prune.custom_from_mask.
    """
    CustomFromMask.apply(module, name, mask)
    return module


def global_unstructured(
    parameters: Iterable[tuple[Module, str]],
    pruning_method: type[BasePruningMethod],
    importance_scores: dict[tuple[Module, str], gn.Tensor] | None = None,
    **kwargs: Any,
) -> None:
    """Prunes several parameters, pairs of a module and a name, as if they were one.

    Raises TypeError for other arguments, and for a method that is not 'unstructured'.  Source:
    torch.nn.utils.prune.global_unstructured.
    """
    if not isinstance(parameters, Iterable):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    if importance_scores is None:
        importance_scores = {}
    if not isinstance(importance_scores, dict):
        raise TypeError("global_unstructured(): importance_scores must be of type dict")
    parameters = list(parameters)
    values = [getattr(module, name) for module, name in parameters]
    scores = [importance_scores.get(key, value) for key, value in zip(parameters, values)]
    masks = [
        getattr(module, f"{name}_mask", gn.ones_like(value))
        for (module, name), value in zip(parameters, values)
    ]
    method: Any = pruning_method(**kwargs)
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(
            'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. Found method '
            f"{pruning_method} of type {method.PRUNING_TYPE}"
        )
    method._tensor_name = "temp"
    mask = PruningContainer(method).compute_mask(parameters_to_vector(scores), parameters_to_vector(masks))
    start = 0
    for (module, name), value in zip(parameters, values):
        end = start + value.numel()
        custom_from_mask(module, name, mask=mask[start:end].view_as(value))
        start = end


def remove(module: AnyModule, name: str) -> AnyModule:
    """Ends the pruning of ``name``, whose zeros stay; returns the module.

    Raises ValueError if it is not pruned.  Source: torch.nn.utils.prune.remove.
    """
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, BasePruningMethod) and _prunes(hook, name):
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed")


def is_pruned(module: Module) -> bool:
    """Is a parameter of the module or of a descendant pruned?  Source: torch.nn.utils.prune.is_pruned."""
    return any(
        isinstance(hook, BasePruningMethod)
        for each in module.modules()
        for hook in each._forward_pre_hooks.values()
    )
