"""``Variable(tensor)``, from when tensors had no gradient themselves.  Source: torch/autograd/variable.py."""

from __future__ import annotations

from typing import Any

from ..memory.tensor import Tensor
from ..values.errors import type_name


class _VariableType(type):
    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor)

    def __call__(
        cls, data: Tensor | None = None, requires_grad: bool = False, volatile: bool | None = None
    ) -> Tensor:
        if volatile and requires_grad:
            raise ValueError("Variable can't be volatile and require_grad at the same time!")
        if data is None:
            data = Tensor()
        if not isinstance(data, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type_name(data)}")
        return data.data.requires_grad_(requires_grad)


class Variable(metaclass=_VariableType):
    """``Variable(tensor, requires_grad=False)``: a leaf that shares the tensor's data.

    Any tensor is an instance.  Raises TypeError for what is no tensor.  Source: torch.autograd.Variable.
    """
