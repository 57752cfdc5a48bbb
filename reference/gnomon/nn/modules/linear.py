"""Linear, Bilinear, Identity and LazyLinear.

Source: torch/nn/modules/linear.py.
"""

from __future__ import annotations

import math
from typing import Any

import gnomon as gn

from .. import functional, init
from ..parameter import Parameter, UninitializedParameter
from .lazy import LazyModuleMixin
from .module import Module


class Identity(Module):
    """Returns its input; accepts any constructor arguments and ignores them.  Source: torch.nn.Identity."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """``input`` itself."""
        return input


class Linear(Module):
    """``input @ weight.T + bias``: (*, in_features) -> (*, out_features).

    ``weight`` is (out_features, in_features), ``bias`` (out_features) or None; both are initialized uniformly
    in ``+-1/sqrt(in_features)``.  Source: torch.nn.Linear.
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        device: gn.device | str | int | None = None,
        dtype: gn.dtype | None = None,
    ) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = Parameter(gn.empty((out_features, in_features), device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(gn.empty((out_features,), device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Reinitializes weight and bias with random numbers."""
        init.linear_like_(self.weight, self.bias)

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """(*, in_features) -> (*, out_features)."""
        return functional.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"
        )


class NonDynamicallyQuantizableLinear(Linear):
    """A Linear of another class, as MultiheadAttention has it in PyTorch.

    Source: torch.nn.modules.linear.NonDynamicallyQuantizableLinear.
    """


class Bilinear(Module):
    """``input1 @ weight[i] @ input2 + bias[i]`` for each output i.

    ``weight`` is (out_features, in1_features, in2_features), ``bias`` (out_features) or None; both are
    initialized uniformly in ``+-1/sqrt(in1_features)``.  Raises ValueError unless ``in1_features`` is
    positive.  Source: torch.nn.Bilinear.
    """

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: gn.device | str | int | None = None,
        dtype: gn.dtype | None = None,
    ) -> None:
        super().__init__()
        self.in1_features = in1_features
        self.in2_features = in2_features
        self.out_features = out_features
        sizes = (out_features, in1_features, in2_features)
        self.weight = Parameter(gn.empty(sizes, device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(gn.empty((out_features,), device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Reinitializes weight and bias with random numbers."""
        if self.in1_features <= 0:
            raise ValueError(f"in1_features must be > 0, but got (in1_features={self.in1_features})")
        bound = 1 / math.sqrt(self.in1_features)
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1: gn.Tensor, input2: gn.Tensor) -> gn.Tensor:
        """(*, in1_features) and (*, in2_features) -> (*, out_features)."""
        return functional.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, "
            f"out_features={self.out_features}, bias={self.bias is not None}"
        )


class LazyLinear(LazyModuleMixin, Linear):
    """A Linear whose ``in_features`` is the last size of the first input.  Source: torch.nn.LazyLinear."""

    cls_to_become = Linear
    weight: UninitializedParameter
    bias: UninitializedParameter | None  # type: ignore[assignment]

    def __init__(
        self,
        out_features: int,
        bias: bool = True,
        device: gn.device | str | int | None = None,
        dtype: gn.dtype | None = None,
    ) -> None:
        super().__init__(0, 0, False)  # without elements, so it draws no random numbers
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_features = out_features
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self) -> None:
        """Reinitializes weight and bias with random numbers, if they are initialized."""
        if not self.has_uninitialized_params() and self.in_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: gn.Tensor) -> None:
        """Materializes weight and bias for an input (*, in_features)."""
        if self.has_uninitialized_params():
            with gn.no_grad():
                self.in_features = input.shape[-1]
                self.weight.materialize((self.out_features, self.in_features))
                if self.bias is not None:
                    self.bias.materialize((self.out_features,))
                self.reset_parameters()
        if self.in_features == 0:  # a state_dict has materialized the parameters
            if input.shape[-1] != self.weight.shape[-1]:
                raise AssertionError(
                    f"The in_features inferred from input: {input.shape[-1]} is not equal to in_features "
                    f"from self.weight: {self.weight.shape[-1]}"
                )
            self.in_features = input.shape[-1]
