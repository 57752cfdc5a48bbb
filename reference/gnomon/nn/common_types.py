"""Types of sizes, which are numbers or tuples of them, and of modes, which are words.

Source: torch.nn.common_types.
"""

from collections.abc import Sequence
from typing import Literal, TypeVar, Union

from gnomon import Tensor

T = TypeVar("T")

_scalar_or_tuple_any_t = Union[T, tuple[T, ...]]  # noqa: UP007
_scalar_or_tuple_1_t = Union[T, tuple[T]]  # noqa: UP007
_scalar_or_tuple_2_t = Union[T, tuple[T, T]]  # noqa: UP007
_scalar_or_tuple_3_t = Union[T, tuple[T, T, T]]  # noqa: UP007
_scalar_or_tuple_4_t = Union[T, tuple[T, T, T, T]]  # noqa: UP007
_scalar_or_tuple_5_t = Union[T, tuple[T, T, T, T, T]]  # noqa: UP007
_scalar_or_tuple_6_t = Union[T, tuple[T, T, T, T, T, T]]  # noqa: UP007

_size_any_t = _scalar_or_tuple_any_t[int]
_size_1_t = _scalar_or_tuple_1_t[int]
_size_2_t = _scalar_or_tuple_2_t[int]
_size_3_t = _scalar_or_tuple_3_t[int]
_size_4_t = _scalar_or_tuple_4_t[int]
_size_5_t = _scalar_or_tuple_5_t[int]
_size_6_t = _scalar_or_tuple_6_t[int]

_size_any_opt_t = _scalar_or_tuple_any_t[int | None]
_size_2_opt_t = _scalar_or_tuple_2_t[int | None]
_size_3_opt_t = _scalar_or_tuple_3_t[int | None]

_ratio_any_t = _scalar_or_tuple_any_t[float]
_ratio_2_t = _scalar_or_tuple_2_t[float]
_ratio_3_t = _scalar_or_tuple_3_t[float]

_tensor_list_t = _scalar_or_tuple_any_t[Tensor]
_maybe_indices_t = _scalar_or_tuple_2_t[Tensor]

# What modules and functions take: a number, or one for each spatial dimension in any sequence.
Sizes = int | Sequence[int]
OptionalSizes = int | Sequence[int | None] | None
Ratios = float | Sequence[float]

Reduction = Literal["none", "mean", "sum"]
PaddingMode = Literal["zeros", "reflect", "replicate", "circular"]  # of convolutions
BagMode = Literal["sum", "mean", "max"]
PadMode = Literal["constant", "reflect", "replicate", "circular"]
InterpolationMode = Literal[
    "nearest", "nearest-exact", "linear", "bilinear", "bicubic", "trilinear", "area", "lanczos"
]
GridMode = Literal["bilinear", "nearest", "bicubic"]
GridPaddingMode = Literal["zeros", "border", "reflection"]
ConvolutionPadding = Literal["valid", "same"]
ActivationName = Literal["relu", "gelu"]  # of transformers
RNNNonlinearity = Literal["tanh", "relu"]

__all__ = ["T", "Tensor"]
