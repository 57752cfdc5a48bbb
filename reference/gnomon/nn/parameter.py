"""Parameter and Buffer: tensors that a module registers when they are assigned to an attribute."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import gnomon as gn

from ..memory.tensor import autograd_meta
from ..values.dispatch_key import PYTHON
from ..values.errors import type_name

P = TypeVar("P", bound="Parameter")


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
    a parameter are plain tensors.  For a wrapper subclass (a class with ``__gnomon_dispatch__``) or a tensor
    of another layout than ``gnomon.strided``, the parameter keeps the class of ``data``, and is an instance
    of both classes.

    Raises TypeError if ``data`` is not a tensor, RuntimeError for a wrapper subclass whose ``detach()``
    returns another class.  Source: torch.nn.Parameter.
    """

    # Users may set attributes on parameters, as in PyTorch, so there are no __slots__ here.

    def __new__(cls: type[P], data: gn.Tensor | None = None, requires_grad: bool = True) -> P:
        if data is None:
            data = gn.empty(0)
        if not isinstance(data, gn.Tensor):
            raise TypeError(f"Parameter: data must be a Tensor, but got {type_name(data)}")
        if data.__gnomon_dispatch__ is None and data.layout is gn.strided:
            return gn.Tensor._make_subclass(cls, data.detach(), requires_grad)
        made = data.detach().requires_grad_(requires_grad)
        if type(made) is not type(data):
            raise RuntimeError(
                f"Creating a Parameter from an instance of type {type(data).__name__} requires that detach() "
                f"returns an instance of the same type, but return type {type(made).__name__} was found "
                "instead. To use the type as a Parameter, please correct the detach() semantics defined by "
                "its __gnomon_dispatch__() implementation."
            )
        autograd_meta(made).is_parameter = True
        return made  # type: ignore[return-value]  # an instance by the metaclass

    def __deepcopy__(self, memo: dict[int, Any]) -> Parameter:
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.detach().clone(), self.requires_grad)
        return memo[id(self)]


class _BufferType(type(gn.Tensor)):  # type: ignore[misc]
    """The metaclass of Buffer: tensors of any class that are marked as buffers are instances."""

    def __instancecheck__(cls, instance: Any) -> bool:
        if cls is Buffer and isinstance(instance, gn.Tensor) and getattr(instance, "_is_buffer", False):
            return True
        return super().__instancecheck__(instance)


class Buffer(gn.Tensor, metaclass=_BufferType):
    """A tensor that a Module registers as a buffer when it is assigned to an attribute.

    ``Buffer(data)`` is a tensor of the class of ``data`` that shares its memory and is marked as a buffer;
    ``persistent`` says whether it is part of the module's ``state_dict``.  Raises TypeError if ``data`` is
    not a tensor.  Source: torch.nn.Buffer.
    """

    def __new__(cls, data: gn.Tensor | None = None, *, persistent: bool = True) -> Any:
        if data is None:
            data = gn.empty(0)
        if not isinstance(data, gn.Tensor):
            raise TypeError(f"Buffer: data must be a Tensor, but got {type_name(data)}")
        made: Any = data.detach().requires_grad_(data.requires_grad)
        made.persistent = persistent
        made._is_buffer = True
        return made


# What may be done with an uninitialized tensor: converting it to another dtype or device.
_ALLOWED = frozenset({"detach", "_to_copy", "clone"})


class UninitializedTensorMixin:
    """A tensor without a shape yet, of a lazy module: ``materialize`` gives it one.

    Every operator except conversions raises ValueError.  Source:
    torch.nn.parameter.UninitializedTensorMixin.
    """

    cls_to_become: type[gn.Tensor]

    def materialize(
        self: Any,
        shape: Sequence[int],
        device: gn.device | str | int | None = None,
        dtype: gn.dtype | None = None,
    ) -> None:
        """Makes this an ordinary tensor of the given shape, with undefined elements.

        Device and dtype default to its own.  Raises RuntimeError for another device than its own.
        """
        self._keys &= ~PYTHON  # from here on, operators run as on any tensor
        self.data = gn.empty(
            tuple(shape), device=self.device if device is None else device, dtype=dtype or self.dtype
        )
        self.__class__ = self.cls_to_become

    @property
    def shape(self) -> Any:
        """Raises RuntimeError: there is none yet."""
        raise RuntimeError(
            "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in "
            "`load_state_dict` when trying to load an uninitialized parameter into an initialized one. Call "
            "`forward` to initialize the parameters before accessing their attributes."
        )

    def numel(self) -> int:
        """Raises ValueError: there is no shape yet."""
        raise ValueError(_refusal(type(self), "numel"))

    def tolist(self) -> Any:
        """Raises ValueError: there are no elements yet."""
        raise ValueError(_refusal(type(self), "tolist"))

    def share_memory_(self) -> Any:
        """Raises RuntimeError: there is no memory yet."""
        raise RuntimeError(
            "Can't share memory on an uninitialized parameter or buffer. Call `forward` to initialize the "
            "parameters before calling `module.share_memory()`."
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"

    @classmethod
    def __gnomon_dispatch__(
        cls, operator: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if operator.schema.name not in _ALLOWED:
            raise ValueError(_refusal(cls, operator.schema.name))
        return operator(*(_plain(each) for each in args), **(kwargs or {}))


def _refusal(kind: type, what: str) -> str:
    return (
        f"Attempted to use an uninitialized parameter in {what}. This error happens when you are using a "
        f"`LazyModule` or explicitly manipulating `gnomon.nn.parameter.{kind.__name__}` objects. When using "
        "LazyModules Call `forward` with a dummy batch to initialize the parameters before calling gnomon "
        "functions"
    )


def _plain(value: Any) -> Any:
    """An uninitialized tensor as an ordinary empty one; other values as they are."""
    return gn.empty(0, dtype=value.dtype, device=value.device) if is_lazy(value) else value


def is_lazy(param: Any) -> bool:
    """Is this an uninitialized parameter or buffer?  Source: torch.nn.parameter.is_lazy."""
    return isinstance(param, UninitializedTensorMixin)


class UninitializedParameter(UninitializedTensorMixin, Parameter):
    """A parameter whose shape is not known yet.  Source: torch.nn.parameter.UninitializedParameter."""

    cls_to_become = Parameter

    def __new__(
        cls,
        requires_grad: bool = True,
        device: gn.device | str | int | None = None,
        dtype: gn.dtype | None = None,
    ) -> UninitializedParameter:
        return gn.Tensor._make_subclass(cls, gn.empty(0, device=device, dtype=dtype), requires_grad)

    def __deepcopy__(self, memo: dict[int, Any]) -> UninitializedParameter:
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.requires_grad, self.device, self.dtype)
        return memo[id(self)]

    def __reduce_ex__(self, protocol: Any) -> Any:
        return type(self), (self.requires_grad, str(self.device), self.dtype)


class UninitializedBuffer(UninitializedTensorMixin, gn.Tensor):
    """A buffer whose shape is not known yet.  Source: torch.nn.parameter.UninitializedBuffer."""

    cls_to_become = gn.Tensor

    def __new__(
        cls,
        requires_grad: bool = False,
        device: gn.device | str | int | None = None,
        dtype: gn.dtype | None = None,
        persistent: bool = True,
    ) -> UninitializedBuffer:
        made: Any = gn.Tensor._make_subclass(cls, gn.empty(0, device=device, dtype=dtype), requires_grad)
        made.persistent = persistent
        made._is_buffer = True
        return made

    def __deepcopy__(self: Any, memo: dict[int, Any]) -> UninitializedBuffer:
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.requires_grad, self.device, self.dtype, self.persistent)
        return memo[id(self)]

    def __reduce_ex__(self: Any, protocol: Any) -> Any:
        return type(self), (self.requires_grad, str(self.device), self.dtype, self.persistent)
