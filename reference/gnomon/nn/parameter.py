"""Parameter: a leaf tensor that a module registers when it is assigned to an attribute."""

from __future__ import annotations

from typing import Any

import gnomon as gn

from ..memory.tensor import autograd_meta
from ..values.errors import type_name


class _ParameterType(type):
    """The metaclass of Parameter: tensors of other classes that are marked as parameters are instances."""

    def __instancecheck__(cls, instance: Any) -> bool:
        if super().__instancecheck__(instance):
            return True
        if cls is not Parameter or not isinstance(instance, gn.Tensor):
            return False
        return instance._autograd_meta is not None and instance._autograd_meta.is_parameter


class Parameter(gn.Tensor, metaclass=_ParameterType):
    """A tensor to be trained: assigned to a Module's attribute, it is one of the module's ``parameters()``.

    ``data`` is shared, not copied; the parameter is a leaf even if ``data`` is not.  Results of operators on
    a parameter are plain tensors.  For a wrapper subclass (a class with ``__gnomon_dispatch__``), the
    parameter keeps the class of ``data``, and is an instance of both classes.

    Raises TypeError if ``data`` is not a tensor, RuntimeError for a wrapper subclass whose ``detach()``
    returns another class.  Source: torch.nn.Parameter.
    """

    # Users may set attributes on parameters, as in PyTorch, so there are no __slots__ here.

    def __new__(cls, data: gn.Tensor | None = None, requires_grad: bool = True) -> Any:
        if data is None:
            data = gn.empty(0)
        if not isinstance(data, gn.Tensor):
            raise TypeError(f"Parameter: data must be a Tensor, but got {type_name(data)}")
        if data.__gnomon_dispatch__ is None:
            return cls._make_subclass(data.detach(), requires_grad)
        made = data.detach().requires_grad_(requires_grad)
        if type(made) is not type(data):
            raise RuntimeError(
                f"Creating a Parameter from an instance of type {type(data).__name__} requires that detach() "
                f"returns an instance of the same type, but return type {type(made).__name__} was found "
                "instead. To use the type as a Parameter, please correct the detach() semantics defined by "
                "its __gnomon_dispatch__() implementation."
            )
        autograd_meta(made).is_parameter = True
        return made

    def __deepcopy__(self, memo: dict[int, Any]) -> Parameter:
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.detach().clone(), self.requires_grad)
        return memo[id(self)]
