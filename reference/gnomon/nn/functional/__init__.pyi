"""Types of gnomon.nn.functional.  Written by tools/make_stubs.py."""

import builtins
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias, overload

from ...memory.tensor import Tensor
from ...numerics.generator import Generator
from ...values.dtype import dtype
from ..common_types import (
    BagMode,
    GridMode,
    GridPaddingMode,
    InterpolationMode,
    OptionalSizes,
    PadMode,
    Ratios,
    Reduction,
    Sizes,
)
from .arguments import REDUCTIONS as REDUCTIONS
from .arguments import check_probability as check_probability
from .arguments import pair as pair
from .arguments import resolve_reduction as resolve_reduction
from .arguments import wrap_padding_idx as wrap_padding_idx
from .linear_cross_entropy import LinearCrossEntropyOptions

_int: TypeAlias = int
_float: TypeAlias = float
_bool: TypeAlias = bool
_dtype: TypeAlias = dtype
_Number: TypeAlias = _bool | _int | _float
_Scalar: TypeAlias = _Number | builtins.complex
_Operand: TypeAlias = Tensor | _Scalar

def adaptive_avg_pool1d(input: Tensor, output_size: Sequence[_int] | _int) -> Tensor:
    """adaptive_avg_pool1d(Tensor self, int[1] output_size) -> Tensor

    Returns the mean of each of ``output_size`` windows of ([N,] C, L).
    """

def adaptive_avg_pool2d(input: Tensor, output_size: OptionalSizes) -> Tensor:
    """The means of ``output_size`` windows in each dimension; None keeps the input's size."""

def adaptive_avg_pool3d(input: Tensor, output_size: OptionalSizes) -> Tensor:
    """The means of ``output_size`` windows in each dimension; None keeps the input's size."""

@overload
def adaptive_max_pool1d(
    input: Tensor, output_size: OptionalSizes, return_indices: Literal[False] = ...
) -> Tensor:
    """The maximum of each of ``output_size`` windows."""

@overload
def adaptive_max_pool1d(
    input: Tensor, output_size: OptionalSizes, *, return_indices: Literal[True]
) -> tuple[Tensor, Tensor]:
    """The maximum of each of ``output_size`` windows."""

@overload
def adaptive_max_pool1d(
    input: Tensor, output_size: OptionalSizes, return_indices: Literal[True]
) -> tuple[Tensor, Tensor]:
    """The maximum of each of ``output_size`` windows."""

@overload
def adaptive_max_pool1d(input: Tensor, output_size: OptionalSizes, return_indices: _bool = ...) -> Any:
    """The maximum of each of ``output_size`` windows."""

def adaptive_max_pool1d_with_indices(
    input: Tensor, output_size: OptionalSizes, return_indices: _bool = ...
) -> tuple[Tensor, Tensor]:
    """The maxima of ``adaptive_max_pool1d``, and their indices (int64)."""

@overload
def adaptive_max_pool2d(
    input: Tensor, output_size: OptionalSizes, return_indices: Literal[False] = ...
) -> Tensor:
    """The maximum of each of ``output_size`` windows per dimension; None keeps the input's size."""

@overload
def adaptive_max_pool2d(
    input: Tensor, output_size: OptionalSizes, *, return_indices: Literal[True]
) -> tuple[Tensor, Tensor]:
    """The maximum of each of ``output_size`` windows per dimension; None keeps the input's size."""

@overload
def adaptive_max_pool2d(
    input: Tensor, output_size: OptionalSizes, return_indices: Literal[True]
) -> tuple[Tensor, Tensor]:
    """The maximum of each of ``output_size`` windows per dimension; None keeps the input's size."""

@overload
def adaptive_max_pool2d(input: Tensor, output_size: OptionalSizes, return_indices: _bool = ...) -> Any:
    """The maximum of each of ``output_size`` windows per dimension; None keeps the input's size."""

def adaptive_max_pool2d_with_indices(
    input: Tensor, output_size: OptionalSizes, return_indices: _bool = ...
) -> tuple[Tensor, Tensor]:
    """The maxima of ``adaptive_max_pool2d``, and their flattened indices in each (H, W) plane (int64)."""

@overload
def adaptive_max_pool3d(
    input: Tensor, output_size: OptionalSizes, return_indices: Literal[False] = ...
) -> Tensor:
    """The maximum of each of ``output_size`` windows per dimension; None keeps the input's size."""

@overload
def adaptive_max_pool3d(
    input: Tensor, output_size: OptionalSizes, *, return_indices: Literal[True]
) -> tuple[Tensor, Tensor]:
    """The maximum of each of ``output_size`` windows per dimension; None keeps the input's size."""

@overload
def adaptive_max_pool3d(
    input: Tensor, output_size: OptionalSizes, return_indices: Literal[True]
) -> tuple[Tensor, Tensor]:
    """The maximum of each of ``output_size`` windows per dimension; None keeps the input's size."""

@overload
def adaptive_max_pool3d(input: Tensor, output_size: OptionalSizes, return_indices: _bool = ...) -> Any:
    """The maximum of each of ``output_size`` windows per dimension; None keeps the input's size."""

def adaptive_max_pool3d_with_indices(
    input: Tensor, output_size: OptionalSizes, return_indices: _bool = ...
) -> tuple[Tensor, Tensor]:
    """The maxima of ``adaptive_max_pool3d``, and their flattened indices in each (D, H, W) volume (int64)."""

def affine_grid(theta: Tensor, size: Sequence[_int], align_corners: _bool | None = ...) -> Tensor:
    """The grid of affine maps for ``grid_sample``: theta (N, 2, 3) with size (N, C, H, W), or (N, 3, 4) with
    (N, C, D, H, W).
    """

def alpha_dropout(input: Tensor, p: _float = ..., training: _bool = ..., inplace: _bool = ...) -> Tensor:
    """In ``training``, dropout that preserves mean and variance of the outputs of selu."""

def avg_pool1d(
    input: Tensor,
    kernel_size: Sequence[_int] | _int,
    stride: Sequence[_int] | _int = ...,
    padding: Sequence[_int] | _int = ...,
    ceil_mode: _bool = ...,
    count_include_pad: _bool = ...,
) -> Tensor:
    """avg_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=0, bool ceil_mode=False, bool count_include_pad=True) -> Tensor

    Returns the mean of each window of ([N,] C, L), padded with zeros.
    """

def avg_pool2d(
    input: Tensor,
    kernel_size: Sequence[_int] | _int,
    stride: Sequence[_int] | _int = ...,
    padding: Sequence[_int] | _int = ...,
    ceil_mode: _bool = ...,
    count_include_pad: _bool = ...,
    divisor_override: _int | None = ...,
    *,
    out: Tensor | None = ...,
) -> Tensor:
    """avg_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor

    Returns the mean of each window of ([N,] C, *spatial), padded with zeros.
    """

def avg_pool3d(
    input: Tensor,
    kernel_size: Sequence[_int] | _int,
    stride: Sequence[_int] | _int = ...,
    padding: Sequence[_int] | _int = ...,
    ceil_mode: _bool = ...,
    count_include_pad: _bool = ...,
    divisor_override: _int | None = ...,
    *,
    out: Tensor | None = ...,
) -> Tensor:
    """avg_pool3d(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor

    Returns the mean of each window of ([N,] C, *spatial), padded with zeros.
    """

def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = ...,
    bias: Tensor | None = ...,
    training: _bool = ...,
    momentum: _float = ...,
    eps: _float = ...,
) -> Tensor:
    """Normalizes each channel of (N, C, *), in ``training`` by its own statistics, else by the running ones."""

def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = ...) -> Tensor:
    """bilinear(Tensor input1, Tensor input2, Tensor weight, Tensor? bias=None) -> Tensor

    Computes ``input1 @ weight[o] @ input2 + bias[o]`` for each output feature o: inputs (*, n) and
    (*, m), weight (outputs, n, m), bias (outputs), result (*, outputs).  Raises RuntimeError if sizes or
    dtypes do not match.
    """

def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = ...,
    size_average: _bool | None = ...,
    reduce: _bool | None = ...,
    reduction: Reduction = ...,
) -> Tensor:
    """``-(target * log(input) + (1 - target) * log(1 - input))``; both are between 0 and 1."""

def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = ...,
    size_average: _bool | None = ...,
    reduce: _bool | None = ...,
    reduction: Reduction = ...,
    pos_weight: Tensor | None = ...,
) -> Tensor:
    """``binary_cross_entropy`` of ``sigmoid(input)``, without overflow."""

def canonical_mask(
    mask: Tensor | None,
    mask_name: str,
    other_type: _dtype | None,
    other_name: str,
    target_type: _dtype,
    check_other: _bool = ...,
) -> Tensor | None:
    """A mask as floating point numbers to be added to scores: a bool one has -inf where it is true."""

def celu(input: Tensor, alpha: _float = ..., inplace: _bool = ...) -> Tensor:
    """``input`` where not negative, else ``alpha * (exp(input / alpha) - 1)``."""

def celu_(input: Tensor, alpha: _Scalar = ...) -> Tensor:
    """celu_(Tensor(a!) self, Scalar alpha=1.0) -> Tensor(a!)

    In-place version of celu.
    """

def channel_shuffle(input: Tensor, groups: _int) -> Tensor:
    """channel_shuffle(Tensor self, SymInt groups) -> Tensor

    Divides the channels of (N, C, *) into ``groups`` groups and interleaves them.
    """

@overload
def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = ...,
    stride: Sequence[_int] | _int = ...,
    padding: Sequence[_int] | _int = ...,
    dilation: Sequence[_int] | _int = ...,
    groups: _int = ...,
) -> Tensor:
    """conv1d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=1, SymInt[1] padding=0, SymInt[1] dilation=1, SymInt groups=1) -> Tensor

    Applies a 1D convolution: input ([N,] C_in, *spatial), weight (C_out, C_in / groups,
    *kernel), bias (C_out).
    """

@overload
def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = ...,
    stride: Sequence[_int] | _int = ...,
    padding: Literal["valid", "same"] = ...,
    dilation: Sequence[_int] | _int = ...,
    groups: _int = ...,
) -> Tensor:
    """conv1d.padding(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=1, str padding="valid", SymInt[1] dilation=1, SymInt groups=1) -> Tensor

    Applies a 1D convolution with ``padding`` 'valid' (none) or 'same' (preserves sizes; stride 1).
    """

@overload
def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = ...,
    stride: Sequence[_int] | _int = ...,
    padding: Sequence[_int] | _int = ...,
    dilation: Sequence[_int] | _int = ...,
    groups: _int = ...,
) -> Tensor:
    """conv2d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=1, SymInt[2] padding=0, SymInt[2] dilation=1, SymInt groups=1) -> Tensor

    Applies a 2D convolution: input ([N,] C_in, *spatial), weight (C_out, C_in / groups,
    *kernel), bias (C_out).
    """

@overload
def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = ...,
    stride: Sequence[_int] | _int = ...,
    padding: Literal["valid", "same"] = ...,
    dilation: Sequence[_int] | _int = ...,
    groups: _int = ...,
) -> Tensor:
    """conv2d.padding(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=1, str padding="valid", SymInt[2] dilation=1, SymInt groups=1) -> Tensor

    Applies a 2D convolution with ``padding`` 'valid' (none) or 'same' (preserves sizes; stride 1).
    """

@overload
def conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = ...,
    stride: Sequence[_int] | _int = ...,
    padding: Sequence[_int] | _int = ...,
    dilation: Sequence[_int] | _int = ...,
    groups: _int = ...,
) -> Tensor:
    """conv3d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=1, SymInt[3] padding=0, SymInt[3] dilation=1, SymInt groups=1) -> Tensor

    Applies a 3D convolution: input ([N,] C_in, *spatial), weight (C_out, C_in / groups,
    *kernel), bias (C_out).
    """

@overload
def conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = ...,
    stride: Sequence[_int] | _int = ...,
    padding: Literal["valid", "same"] = ...,
    dilation: Sequence[_int] | _int = ...,
    groups: _int = ...,
) -> Tensor:
    """conv3d.padding(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=1, str padding="valid", SymInt[3] dilation=1, SymInt groups=1) -> Tensor

    Applies a 3D convolution with ``padding`` 'valid' (none) or 'same' (preserves sizes; stride 1).
    """

def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: _int = ...) -> Tensor:
    """conv_tbc(Tensor self, Tensor weight, Tensor bias, int pad=0) -> Tensor

    Applies a 1D convolution to (time, batch, C_in); weight (kernel, C_in, C_out), bias (C_out).
    """

def conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = ...,
    stride: Sequence[_int] | _int = ...,
    padding: Sequence[_int] | _int = ...,
    output_padding: Sequence[_int] | _int = ...,
    groups: _int = ...,
    dilation: Sequence[_int] | _int = ...,
) -> Tensor:
    """conv_transpose1d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=1, SymInt[1] padding=0, SymInt[1] output_padding=0, SymInt groups=1, SymInt[1] dilation=1) -> Tensor

    Applies a 1D transposed convolution, the gradient of conv1d with respect to
    its input.  input is ([N,] C_in, *spatial), weight (C_in, C_out / groups, *kernel), bias (C_out).
    """

def conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = ...,
    stride: Sequence[_int] | _int = ...,
    padding: Sequence[_int] | _int = ...,
    output_padding: Sequence[_int] | _int = ...,
    groups: _int = ...,
    dilation: Sequence[_int] | _int = ...,
) -> Tensor:
    """conv_transpose2d.input(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=1, SymInt[2] padding=0, SymInt[2] output_padding=0, SymInt groups=1, SymInt[2] dilation=1) -> Tensor

    Applies a 2D transposed convolution, the gradient of conv2d with respect to
    its input.  input is ([N,] C_in, *spatial), weight (C_in, C_out / groups, *kernel), bias (C_out).
    """

def conv_transpose3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = ...,
    stride: Sequence[_int] | _int = ...,
    padding: Sequence[_int] | _int = ...,
    output_padding: Sequence[_int] | _int = ...,
    groups: _int = ...,
    dilation: Sequence[_int] | _int = ...,
) -> Tensor:
    """conv_transpose3d.input(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=1, SymInt[3] padding=0, SymInt[3] output_padding=0, SymInt groups=1, SymInt[3] dilation=1) -> Tensor

    Applies a 3D transposed convolution, the gradient of conv3d with respect to
    its input.  input is ([N,] C_in, *spatial), weight (C_in, C_out / groups, *kernel), bias (C_out).
    """

def cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: _float = ...,
    size_average: _bool | None = ...,
    reduce: _bool | None = ...,
    reduction: Reduction = ...,
) -> Tensor:
    """With the cosine c of two vectors, ``1 - c`` if the target is 1, ``max(0, c - margin)`` if it is -1."""

def cosine_similarity(x1: Tensor, x2: Tensor, dim: _int = ..., eps: _float = ...) -> Tensor:
    """cosine_similarity(Tensor x1, Tensor x2, int dim=1, float eps=1e-08) -> Tensor

    Computes the cosine similarity of the vectors along ``dim``: their dot product divided by their
    norms.
    """

def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = ...,
    size_average: _bool | None = ...,
    ignore_index: _int = ...,
    reduce: _bool | None = ...,
    reduction: Reduction = ...,
    label_smoothing: _float = ...,
) -> Tensor:
    """``nll_loss`` of ``log_softmax(input, 1)``."""

def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Any,
    target_lengths: Any,
    blank: _int = ...,
    reduction: Reduction = ...,
    zero_infinity: _bool = ...,
) -> Tensor:
    """The negative log likelihood of sequences of classes without alignment in time."""

def dropout(input: Tensor, p: _float = ..., training: _bool = ..., inplace: _bool = ...) -> Tensor:
    """In ``training``, zeroes each element with probability ``p`` and scales the rest by ``1 / (1 - p)``."""

def dropout1d(input: Tensor, p: _float = ..., training: _bool = ..., inplace: _bool = ...) -> Tensor:
    """In ``training``, zeroes whole channels of ([N,] C, L) with probability ``p``."""

def dropout2d(input: Tensor, p: _float = ..., training: _bool = ..., inplace: _bool = ...) -> Tensor:
    """In ``training``, zeroes whole channels of (N, C, H, W) with probability ``p``."""

def dropout3d(input: Tensor, p: _float = ..., training: _bool = ..., inplace: _bool = ...) -> Tensor:
    """In ``training``, zeroes whole channels of ([N,] C, D, H, W) with probability ``p``."""

def elu(input: Tensor, alpha: _float = ..., inplace: _bool = ...) -> Tensor:
    """``input`` where not negative, else ``alpha * (exp(input) - 1)``."""

def elu_(input: Tensor, alpha: _Scalar = ..., scale: _Scalar = ..., input_scale: _Scalar = ...) -> Tensor:
    """elu_(Tensor(a!) self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor(a!)

    In-place version of elu.
    """

def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: _int | None = ...,
    max_norm: _float | None = ...,
    norm_type: _float = ...,
    scale_grad_by_freq: _bool = ...,
    sparse: _bool = ...,
) -> Tensor:
    """Rows of ``weight`` (n, d) by index: integer ``input`` (*) -> (*, d)."""

def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = ...,
    max_norm: _float | None = ...,
    norm_type: _float = ...,
    scale_grad_by_freq: _bool = ...,
    mode: BagMode = ...,
    sparse: _bool = ...,
    per_sample_weights: Tensor | None = ...,
    include_last_offset: _bool = ...,
    padding_idx: _int | None = ...,
) -> Tensor:
    """The 'sum', 'mean' or 'max' of bags of rows of ``weight`` (n, d)."""

def feature_alpha_dropout(
    input: Tensor, p: _float = ..., training: _bool = ..., inplace: _bool = ...
) -> Tensor:
    """In ``training``, alpha dropout of whole channels of (N, C, *)."""

def fold(
    input: Tensor,
    output_size: Sizes,
    kernel_size: Sizes,
    dilation: Sizes = ...,
    padding: Sizes = ...,
    stride: Sizes = ...,
) -> Tensor:
    """The inverse of ``unfold``: the image of ``output_size``; overlapping windows are summed."""

@overload
def fractional_max_pool2d(
    input: Tensor,
    kernel_size: Sizes,
    output_size: Sizes | None = ...,
    output_ratio: Ratios | None = ...,
    return_indices: Literal[False] = ...,
    _random_samples: Tensor | None = ...,
) -> Tensor:
    """The maxima of windows of ([N,] C, *), with 2 spatial dimensions, at places that are drawn."""

@overload
def fractional_max_pool2d(
    input: Tensor,
    kernel_size: Sizes,
    output_size: Sizes | None = ...,
    output_ratio: Ratios | None = ...,
    *,
    return_indices: Literal[True],
    _random_samples: Tensor | None = ...,
) -> tuple[Tensor, Tensor]:
    """The maxima of windows of ([N,] C, *), with 2 spatial dimensions, at places that are drawn."""

@overload
def fractional_max_pool2d(
    input: Tensor,
    kernel_size: Sizes,
    output_size: Sizes | None,
    output_ratio: Ratios | None,
    return_indices: Literal[True],
    _random_samples: Tensor | None = ...,
) -> tuple[Tensor, Tensor]:
    """The maxima of windows of ([N,] C, *), with 2 spatial dimensions, at places that are drawn."""

@overload
def fractional_max_pool2d(
    input: Tensor,
    kernel_size: Sizes,
    output_size: Sizes | None = ...,
    output_ratio: Ratios | None = ...,
    return_indices: _bool = ...,
    _random_samples: Tensor | None = ...,
) -> Any:
    """The maxima of windows of ([N,] C, *), with 2 spatial dimensions, at places that are drawn."""

def fractional_max_pool2d_with_indices(
    input: Tensor,
    kernel_size: Sizes,
    output_size: Sizes | None = ...,
    output_ratio: Ratios | None = ...,
    return_indices: _bool = ...,
    _random_samples: Tensor | None = ...,
) -> tuple[Tensor, Tensor]:
    """The maxima of ``fractional_max_pool2d``, and their flattened indices in each (H, W) plane (int64)."""

@overload
def fractional_max_pool3d(
    input: Tensor,
    kernel_size: Sizes,
    output_size: Sizes | None = ...,
    output_ratio: Ratios | None = ...,
    return_indices: Literal[False] = ...,
    _random_samples: Tensor | None = ...,
) -> Tensor:
    """The maxima of windows of ([N,] C, *), with 3 spatial dimensions, at places that are drawn."""

@overload
def fractional_max_pool3d(
    input: Tensor,
    kernel_size: Sizes,
    output_size: Sizes | None = ...,
    output_ratio: Ratios | None = ...,
    *,
    return_indices: Literal[True],
    _random_samples: Tensor | None = ...,
) -> tuple[Tensor, Tensor]:
    """The maxima of windows of ([N,] C, *), with 3 spatial dimensions, at places that are drawn."""

@overload
def fractional_max_pool3d(
    input: Tensor,
    kernel_size: Sizes,
    output_size: Sizes | None,
    output_ratio: Ratios | None,
    return_indices: Literal[True],
    _random_samples: Tensor | None = ...,
) -> tuple[Tensor, Tensor]:
    """The maxima of windows of ([N,] C, *), with 3 spatial dimensions, at places that are drawn."""

@overload
def fractional_max_pool3d(
    input: Tensor,
    kernel_size: Sizes,
    output_size: Sizes | None = ...,
    output_ratio: Ratios | None = ...,
    return_indices: _bool = ...,
    _random_samples: Tensor | None = ...,
) -> Any:
    """The maxima of windows of ([N,] C, *), with 3 spatial dimensions, at places that are drawn."""

def fractional_max_pool3d_with_indices(
    input: Tensor,
    kernel_size: Sizes,
    output_size: Sizes | None = ...,
    output_ratio: Ratios | None = ...,
    return_indices: _bool = ...,
    _random_samples: Tensor | None = ...,
) -> tuple[Tensor, Tensor]:
    """The maxima of ``fractional_max_pool3d``, and their flattened indices in each (D, H, W) volume (int64)."""

def gaussian_nll_loss(
    input: Tensor,
    target: Tensor,
    var: Tensor | _float,
    full: _bool = ...,
    eps: _float = ...,
    reduction: Reduction = ...,
) -> Tensor:
    """The negative log likelihood of ``target`` under normal distributions with mean ``input``."""

def gelu(input: Tensor, *, approximate: Literal["none", "tanh"] = ..., out: Tensor | None = ...) -> Tensor:
    """gelu(Tensor self, *, str approximate='none') -> Tensor

    x times the cumulative distribution function of the normal distribution at x; ``approximate='tanh'`` uses its tanh approximation.  The result has the sizes and dtype of x, which is floating point.  Raises NotImplementedError for other dtypes, RuntimeError for any other ``approximate``.  Hendrycks and Gimpel (2016).
    """

def glu(input: Tensor, dim: _int = ...) -> Tensor:
    """The first half along ``dim`` times the sigmoid of the second.  Raises RuntimeError for an odd size."""

def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: GridMode = ...,
    padding_mode: GridPaddingMode = ...,
    align_corners: _bool | None = ...,
) -> Tensor:
    """Samples ``input`` (N, C, *spatial) at the points of ``grid`` (N, *output sizes, dimensions), whose
    coordinates are from -1 to 1, x first.
    """

def group_norm(
    input: Tensor, num_groups: _int, weight: Tensor | None = ..., bias: Tensor | None = ..., eps: _float = ...
) -> Tensor:
    """Normalizes each of ``num_groups`` groups of channels of each batch entry of (N, C, *)."""

def gumbel_softmax(
    logits: Tensor, tau: _float = ..., hard: _bool = ..., eps: _float = ..., dim: _int = ...
) -> Tensor:
    """A soft sample of the classes along ``dim``: ``softmax((logits + noise) / tau)``, with Gumbel noise."""

def hardshrink(input: Tensor, lambd: _Scalar = ..., *, out: Tensor | None = ...) -> Tensor:
    """hardshrink(Tensor self, Scalar lambd=0.5) -> Tensor

    Returns 0 where x is in [-lambd, lambd], else x.
    """

def hardsigmoid(input: Tensor, inplace: _bool = ...) -> Tensor:
    """``min(max(input + 3, 0), 6) / 6``."""

def hardswish(input: Tensor, inplace: _bool = ...) -> Tensor:
    """``input * hardsigmoid(input)``."""

def hardtanh(input: Tensor, min_val: _float = ..., max_val: _float = ..., inplace: _bool = ...) -> Tensor:
    """``input`` clamped to [``min_val``, ``max_val``].  Raises ValueError if ``min_val`` is the larger."""

def hardtanh_(input: Tensor, min_val: _Scalar = ..., max_val: _Scalar = ...) -> Tensor:
    """hardtanh_(Tensor(a!) self, Scalar min_val=-1, Scalar max_val=1) -> Tensor(a!)

    In-place version of hardtanh.
    """

def hinge_embedding_loss(
    input: Tensor,
    target: Tensor,
    margin: _float = ...,
    size_average: _bool | None = ...,
    reduce: _bool | None = ...,
    reduction: Reduction = ...,
) -> Tensor:
    """``input`` where the target is 1, ``max(0, margin - input)`` where it is -1."""

def huber_loss(
    input: Tensor,
    target: Tensor,
    reduction: Reduction = ...,
    delta: _float = ...,
    weight: Tensor | None = ...,
) -> Tensor:
    """``d ** 2 / 2`` for differences d with ``|d| <= delta``, else ``delta * (|d| - delta / 2)``."""

def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = ...,
    running_var: Tensor | None = ...,
    weight: Tensor | None = ...,
    bias: Tensor | None = ...,
    use_input_stats: _bool = ...,
    momentum: _float = ...,
    eps: _float = ...,
) -> Tensor:
    """Normalizes each channel of each batch entry of (N, C, *) by its own or by the running statistics."""

def interpolate(
    input: Tensor,
    size: Sizes | None = ...,
    scale_factor: Ratios | None = ...,
    mode: InterpolationMode = ...,
    align_corners: _bool | None = ...,
    recompute_scale_factor: _bool | None = ...,
    antialias: _bool = ...,
) -> Tensor:
    """Resizes (N, C, *spatial) to ``size``, or by ``scale_factor``."""

def kl_div(
    input: Tensor,
    target: Tensor,
    size_average: _bool | None = ...,
    reduce: _bool | None = ...,
    reduction: Reduction = ...,
    log_target: _bool = ...,
) -> Tensor:
    """``target * (log(target) - input)``: the Kullback-Leibler divergence; ``input`` has log-probabilities."""

def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: _bool | None = ...,
    reduce: _bool | None = ...,
    reduction: Reduction = ...,
    weight: Tensor | None = ...,
) -> Tensor:
    """``|input - target|``; weight, reduction, warnings and errors are those of ``mse_loss``."""

def layer_norm(
    input: Tensor,
    normalized_shape: Sequence[_int],
    weight: Tensor | None = ...,
    bias: Tensor | None = ...,
    eps: _float = ...,
) -> Tensor:
    """Normalizes ``input`` over its last dimensions, whose sizes are ``normalized_shape``."""

def leaky_relu(input: Tensor, negative_slope: _float = ..., inplace: _bool = ...) -> Tensor:
    """``input`` where positive, ``negative_slope * input`` elsewhere."""

def leaky_relu_(input: Tensor, negative_slope: _Scalar = ...) -> Tensor:
    """leaky_relu_(Tensor(a!) self, Scalar negative_slope=0.01) -> Tensor(a!)

    In-place version of leaky_relu.
    """

def linear(input: Tensor, weight: Tensor, bias: Tensor | None = ..., *, out: Tensor | None = ...) -> Tensor:
    """linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor

    Computes ``input @ weight.T + bias``: input (*, k), weight (n, k), bias (n), result (*, n).
    """

def linear_cross_entropy(
    input: Tensor,
    linear_weight: Tensor,
    target: Tensor,
    *,
    linear_bias: Tensor | None = ...,
    weight: Tensor | None = ...,
    reduction: Reduction = ...,
    ignore_index: _int | None = ...,
    label_smoothing: _float = ...,
    options: LinearCrossEntropyOptions | None = ...,
) -> Tensor:
    """``cross_entropy(linear(input, linear_weight, linear_bias), target, ...)``."""

def local_response_norm(
    input: Tensor, size: _int, alpha: _float = ..., beta: _float = ..., k: _float = ...
) -> Tensor:
    """``input / (k + alpha * mean of squares over size neighbouring channels) ** beta``, for (N, C, *)."""

def log_softmax(
    input: Tensor, dim: _int | None = ..., _stacklevel: _int = ..., dtype: _dtype | None = ...
) -> Tensor:
    """The logarithm of ``softmax``, computed without overflow; the arguments are those of ``softmax``."""

def logsigmoid(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """log_sigmoid(Tensor self) -> Tensor

    ``log(1 / (1 + exp(-x)))``, without overflow.  The result has the sizes and dtype of x, which is floating point.  Raises NotImplementedError for other dtypes.
    """

def lp_pool1d(
    input: Tensor, norm_type: _float, kernel_size: Sizes, stride: Sizes | None = ..., ceil_mode: _bool = ...
) -> Tensor:
    """The power average of each window of an input ([N,] C, *) with 1 spatial dimension(s)."""

def lp_pool2d(
    input: Tensor, norm_type: _float, kernel_size: Sizes, stride: Sizes | None = ..., ceil_mode: _bool = ...
) -> Tensor:
    """The power average of each window of an input ([N,] C, *) with 2 spatial dimension(s)."""

def lp_pool3d(
    input: Tensor, norm_type: _float, kernel_size: Sizes, stride: Sizes | None = ..., ceil_mode: _bool = ...
) -> Tensor:
    """The power average of each window of an input ([N,] C, *) with 3 spatial dimension(s)."""

def margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: _float = ...,
    size_average: _bool | None = ...,
    reduce: _bool | None = ...,
    reduction: Reduction = ...,
) -> Tensor:
    """``max(0, margin - target * (input1 - input2))``."""

@overload
def max_pool1d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = ...,
    padding: Sizes = ...,
    dilation: Sizes = ...,
    ceil_mode: _bool = ...,
    return_indices: Literal[False] = ...,
) -> Tensor:
    """The maximum of each window of an input ([N,] C, *) with 1 spatial dimension(s)."""

@overload
def max_pool1d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = ...,
    padding: Sizes = ...,
    dilation: Sizes = ...,
    ceil_mode: _bool = ...,
    *,
    return_indices: Literal[True],
) -> tuple[Tensor, Tensor]:
    """The maximum of each window of an input ([N,] C, *) with 1 spatial dimension(s)."""

@overload
def max_pool1d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None,
    padding: Sizes,
    dilation: Sizes,
    ceil_mode: _bool,
    return_indices: Literal[True],
) -> tuple[Tensor, Tensor]:
    """The maximum of each window of an input ([N,] C, *) with 1 spatial dimension(s)."""

@overload
def max_pool1d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = ...,
    padding: Sizes = ...,
    dilation: Sizes = ...,
    ceil_mode: _bool = ...,
    return_indices: _bool = ...,
) -> Any:
    """The maximum of each window of an input ([N,] C, *) with 1 spatial dimension(s)."""

def max_pool1d_with_indices(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = ...,
    padding: Sizes = ...,
    dilation: Sizes = ...,
    ceil_mode: _bool = ...,
    return_indices: _bool = ...,
) -> tuple[Tensor, Tensor]:
    """The maxima of ``max_pool1d``, and their indices (int64)."""

@overload
def max_pool2d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = ...,
    padding: Sizes = ...,
    dilation: Sizes = ...,
    ceil_mode: _bool = ...,
    return_indices: Literal[False] = ...,
) -> Tensor:
    """The maximum of each window of an input ([N,] C, *) with 2 spatial dimension(s)."""

@overload
def max_pool2d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = ...,
    padding: Sizes = ...,
    dilation: Sizes = ...,
    ceil_mode: _bool = ...,
    *,
    return_indices: Literal[True],
) -> tuple[Tensor, Tensor]:
    """The maximum of each window of an input ([N,] C, *) with 2 spatial dimension(s)."""

@overload
def max_pool2d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None,
    padding: Sizes,
    dilation: Sizes,
    ceil_mode: _bool,
    return_indices: Literal[True],
) -> tuple[Tensor, Tensor]:
    """The maximum of each window of an input ([N,] C, *) with 2 spatial dimension(s)."""

@overload
def max_pool2d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = ...,
    padding: Sizes = ...,
    dilation: Sizes = ...,
    ceil_mode: _bool = ...,
    return_indices: _bool = ...,
) -> Any:
    """The maximum of each window of an input ([N,] C, *) with 2 spatial dimension(s)."""

def max_pool2d_with_indices(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = ...,
    padding: Sizes = ...,
    dilation: Sizes = ...,
    ceil_mode: _bool = ...,
    return_indices: _bool = ...,
) -> tuple[Tensor, Tensor]:
    """The maxima of ``max_pool2d``, and their flattened indices in each (H, W) plane (int64)."""

@overload
def max_pool3d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = ...,
    padding: Sizes = ...,
    dilation: Sizes = ...,
    ceil_mode: _bool = ...,
    return_indices: Literal[False] = ...,
) -> Tensor:
    """The maximum of each window of an input ([N,] C, *) with 3 spatial dimension(s)."""

@overload
def max_pool3d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = ...,
    padding: Sizes = ...,
    dilation: Sizes = ...,
    ceil_mode: _bool = ...,
    *,
    return_indices: Literal[True],
) -> tuple[Tensor, Tensor]:
    """The maximum of each window of an input ([N,] C, *) with 3 spatial dimension(s)."""

@overload
def max_pool3d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None,
    padding: Sizes,
    dilation: Sizes,
    ceil_mode: _bool,
    return_indices: Literal[True],
) -> tuple[Tensor, Tensor]:
    """The maximum of each window of an input ([N,] C, *) with 3 spatial dimension(s)."""

@overload
def max_pool3d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = ...,
    padding: Sizes = ...,
    dilation: Sizes = ...,
    ceil_mode: _bool = ...,
    return_indices: _bool = ...,
) -> Any:
    """The maximum of each window of an input ([N,] C, *) with 3 spatial dimension(s)."""

def max_pool3d_with_indices(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = ...,
    padding: Sizes = ...,
    dilation: Sizes = ...,
    ceil_mode: _bool = ...,
    return_indices: _bool = ...,
) -> tuple[Tensor, Tensor]:
    """The maxima of ``max_pool3d``, and their flattened indices in each (D, H, W) volume (int64)."""

def max_unpool1d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = ...,
    padding: Sizes = ...,
    output_size: Sequence[_int] | None = ...,
) -> Tensor:
    """Each element of ``input`` ([N,] C, *) at its place in the result, which is 0 elsewhere."""

def max_unpool2d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = ...,
    padding: Sizes = ...,
    output_size: Sequence[_int] | None = ...,
) -> Tensor:
    """Each element of ``input`` ([N,] C, *) at its place in the result, which is 0 elsewhere."""

def max_unpool3d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = ...,
    padding: Sizes = ...,
    output_size: Sequence[_int] | None = ...,
) -> Tensor:
    """Each element of ``input`` ([N,] C, *) at its place in the result, which is 0 elsewhere."""

def mish(input: Tensor, inplace: _bool = ...) -> Tensor:
    """``input * tanh(softplus(input))``."""

def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: _bool | None = ...,
    reduce: _bool | None = ...,
    reduction: Reduction = ...,
    weight: Tensor | None = ...,
) -> Tensor:
    """``(input - target) ** 2``, times ``weight`` if given; ``reduction``: "mean", "sum" or "none"."""

def multi_head_attention_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim_to_check: _int,
    num_heads: _int,
    in_proj_weight: Tensor | None,
    in_proj_bias: Tensor | None,
    bias_k: Tensor | None,
    bias_v: Tensor | None,
    add_zero_attn: _bool,
    dropout_p: _float,
    out_proj_weight: Tensor,
    out_proj_bias: Tensor | None,
    training: _bool = ...,
    key_padding_mask: Tensor | None = ...,
    need_weights: _bool = ...,
    attn_mask: Tensor | None = ...,
    use_separate_proj_weight: _bool = ...,
    q_proj_weight: Tensor | None = ...,
    k_proj_weight: Tensor | None = ...,
    v_proj_weight: Tensor | None = ...,
    static_k: Tensor | None = ...,
    static_v: Tensor | None = ...,
    average_attn_weights: _bool = ...,
    is_causal: _bool = ...,
) -> tuple[Tensor, Tensor | None]:
    """The attention of several heads, with projections of the inputs and of the output."""

def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: _int = ...,
    margin: _float = ...,
    weight: Tensor | None = ...,
    size_average: _bool | None = ...,
    reduce: _bool | None = ...,
    reduction: Reduction = ...,
) -> Tensor:
    """The sum of ``max(0, margin - input[target] + input[i]) ** p`` over the other classes i, divided by C."""

def multilabel_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: _bool | None = ...,
    reduce: _bool | None = ...,
    reduction: Reduction = ...,
) -> Tensor:
    """The sum of ``max(0, 1 - input[t] + input[i])`` over target classes t and all others i, divided by C."""

def multilabel_soft_margin_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = ...,
    size_average: _bool | None = ...,
    reduce: _bool | None = ...,
    reduction: Reduction = ...,
) -> Tensor:
    """The mean of ``binary_cross_entropy_with_logits`` over the classes, each term times ``weight``."""

def native_channel_shuffle(input: Tensor, groups: _int) -> Tensor:
    """native_channel_shuffle(Tensor self, SymInt groups) -> Tensor

    Equivalent to channel_shuffle: interleaves ``groups`` groups of the channels of (N, C, *).
    """

def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = ...,
    size_average: _bool | None = ...,
    ignore_index: _int = ...,
    reduce: _bool | None = ...,
    reduction: Reduction = ...,
) -> Tensor:
    """Minus the log-probability of each target class: input (N, C, *), target (N, *) of classes in [0, C)."""

def normalize(
    input: Tensor, p: _float = ..., dim: _int = ..., eps: _float = ..., out: Tensor | None = ...
) -> Tensor:
    """``input`` divided by its p-norm along ``dim``, which is clamped to at least ``eps``."""

def one_hot(input: Tensor, num_classes: _int = ...) -> Tensor:
    """one_hot(Tensor self, int num_classes=-1) -> Tensor

    Returns a tensor (*, num_classes) with 1 at the index given by each element of ``self`` (*), int64,
    and 0 elsewhere.
    """

def pad(input: Tensor, pad: Sequence[_int], mode: PadMode = ..., value: _float | None = ...) -> Tensor:
    """Adds elements at the ends of the last dimensions: ``pad`` is (left, right, top, bottom, …)."""

def pairwise_distance(
    x1: Tensor, x2: Tensor, p: _float = ..., eps: _float = ..., keepdim: _bool = ...
) -> Tensor:
    """pairwise_distance(Tensor x1, Tensor x2, float p=2, float eps=1e-06, bool keepdim=False) -> Tensor

    Computes the p-norm of ``x1 - x2 + eps`` along the last dimension.
    """

def pdist(input: Tensor, p: _float = ...) -> Tensor:
    """pdist(Tensor self, float p=2) -> Tensor

    Computes the p-norm distance between each pair of rows of ``self`` (N, M), as a vector of
    N (N - 1) / 2.
    """

def pixel_shuffle(input: Tensor, upscale_factor: _int) -> Tensor:
    """pixel_shuffle(Tensor self, int upscale_factor) -> Tensor

    Rearranges (*, C * r * r, H, W) to (*, C, H * r, W * r), where r is ``upscale_factor``.
    """

def pixel_unshuffle(input: Tensor, downscale_factor: _int) -> Tensor:
    """pixel_unshuffle(Tensor self, int downscale_factor) -> Tensor

    Rearranges (*, C, H * r, W * r) to (*, C * r * r, H, W), where r is ``downscale_factor``.
    """

def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: _bool = ...,
    full: _bool = ...,
    size_average: _bool | None = ...,
    eps: _float = ...,
    reduce: _bool | None = ...,
    reduction: Reduction = ...,
) -> Tensor:
    """``rate - target * log(rate)``, for counts ``target`` of a Poisson distribution; ``input`` is log(rate)."""

def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """prelu(Tensor self, Tensor weight) -> Tensor

    Returns x where it is positive, else ``weight * x`` (He et al., 2015).
    """

def relu(input: Tensor, inplace: _bool = ...) -> Tensor:
    """``max(input, 0)``."""

def relu6(input: Tensor, inplace: _bool = ...) -> Tensor:
    """``min(max(input, 0), 6)``."""

def relu_(input: Tensor) -> Tensor:
    """relu_(Tensor(a!) self) -> Tensor(a!)

    In-place version of relu.
    """

def rms_norm(
    input: Tensor, normalized_shape: Sequence[_int], weight: Tensor | None = ..., eps: _float | None = ...
) -> Tensor:
    """``input / sqrt(mean(input ** 2) + eps)``, with the mean over the last dimensions, whose sizes are
    ``normalized_shape``.
    """

def rrelu(
    input: Tensor, lower: _float = ..., upper: _float = ..., training: _bool = ..., inplace: _bool = ...
) -> Tensor:
    """``input`` where it is positive, elsewhere ``slope * input``."""

def rrelu_(
    input: Tensor,
    lower: _Scalar = ...,
    upper: _Scalar = ...,
    training: _bool = ...,
    generator: Generator | None = ...,
) -> Tensor:
    """rrelu_(Tensor(a!) self, Scalar lower=0.125, Scalar upper=0.3333333333333333, bool training=False, Generator? generator=None) -> Tensor(a!)

    In-place version of rrelu.
    """

def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = ...,
    dropout_p: _float = ...,
    is_causal: _bool = ...,
    *,
    scale: _float | None = ...,
    enable_gqa: _bool = ...,
) -> Tensor:
    """scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0.0, bool is_causal=False, *, float? scale=None, bool enable_gqa=False) -> Tensor

    Computes ``softmax(query @ key.T * scale + attn_mask) @ value``: query (*, L, E), key (*, S, E),
    value (*, S, V).
    """

def selu(input: Tensor, inplace: _bool = ...) -> Tensor:
    """The self-normalizing elu."""

def selu_(input: Tensor) -> Tensor:
    """selu_(Tensor(a!) self) -> Tensor(a!)

    In-place version of selu.
    """

def sigmoid(input: Tensor) -> Tensor:
    """``1 / (1 + exp(-input))``."""

def silu(input: Tensor, inplace: _bool = ...) -> Tensor:
    """``input * sigmoid(input)``."""

def smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: _bool | None = ...,
    reduce: _bool | None = ...,
    reduction: Reduction = ...,
    beta: _float = ...,
) -> Tensor:
    """``d ** 2 / (2 * beta)`` for differences d with ``|d| < beta``, else ``|d| - beta / 2``."""

def soft_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: _bool | None = ...,
    reduce: _bool | None = ...,
    reduction: Reduction = ...,
) -> Tensor:
    """``log(1 + exp(-target * input))``, for targets 1 and -1."""

def softmax(
    input: Tensor, dim: _int | None = ..., _stacklevel: _int = ..., dtype: _dtype | None = ...
) -> Tensor:
    """``exp(input)`` divided by its sum along ``dim``; ``dtype`` converts the input first."""

def softmin(
    input: Tensor, dim: _int | None = ..., _stacklevel: _int = ..., dtype: _dtype | None = ...
) -> Tensor:
    """``softmax`` of minus the input; the arguments are those of ``softmax``."""

def softplus(
    input: Tensor, beta: _Scalar = ..., threshold: _Scalar = ..., *, out: Tensor | None = ...
) -> Tensor:
    """softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor

    ``log(1 + exp(beta * x)) / beta``, or x itself if ``beta * x > threshold``.
    """

def softshrink(input: Tensor, lambd: _Scalar = ..., *, out: Tensor | None = ...) -> Tensor:
    """softshrink(Tensor self, Scalar lambd=0.5) -> Tensor

    Returns x moved towards 0 by ``lambd``, and 0 where x is in [-lambd, lambd].
    """

def softsign(input: Tensor) -> Tensor:
    """``input / (|input| + 1)``."""

def tanh(input: Tensor) -> Tensor:
    """The hyperbolic tangent."""

def tanhshrink(input: Tensor) -> Tensor:
    """``input - tanh(input)``."""

def threshold(input: Tensor, threshold: _float, value: _float, inplace: _bool = ...) -> Tensor:
    """``input`` where it is above the threshold, else ``value``."""

def threshold_(input: Tensor, threshold: _Scalar, value: _Scalar) -> Tensor:
    """threshold_(Tensor(a!) self, Scalar threshold, Scalar value) -> Tensor(a!)

    In-place version of threshold.
    """

def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: _float = ...,
    p: _float = ...,
    eps: _float = ...,
    swap: _bool = ...,
    size_average: _bool | None = ...,
    reduce: _bool | None = ...,
    reduction: Reduction = ...,
) -> Tensor:
    """``max(0, margin + d(anchor, positive) - d(anchor, negative))``, where d is ``pairwise_distance``."""

def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Callable[[Tensor, Tensor], Any] | None = ...,
    margin: _float = ...,
    swap: _bool = ...,
    reduction: Reduction = ...,
) -> Tensor:
    """``max(0, margin + d(anchor, positive) - d(anchor, negative))``, where d is ``distance_function``."""

def unfold(
    input: Tensor, kernel_size: Sizes, dilation: Sizes = ..., padding: Sizes = ..., stride: Sizes = ...
) -> Tensor:
    """The windows of ([N,] C, H, W) as columns: ([N,] C * kernel height * kernel width, windows)."""

def upsample(
    input: Tensor,
    size: Sizes | None = ...,
    scale_factor: Ratios | None = ...,
    mode: InterpolationMode = ...,
    align_corners: _bool | None = ...,
) -> Tensor:
    """Deprecated alias of ``interpolate``, with a warning."""

def upsample_bilinear(input: Tensor, size: Sizes | None = ..., scale_factor: Ratios | None = ...) -> Tensor:
    """Deprecated alias of ``interpolate(mode="bilinear", align_corners=True)``, with a warning."""

def upsample_nearest(input: Tensor, size: Sizes | None = ..., scale_factor: Ratios | None = ...) -> Tensor:
    """Deprecated alias of ``interpolate(mode="nearest")``, with a warning."""
