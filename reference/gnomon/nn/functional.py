"""The functions behind the modules: thin calls of the operators, with torch.nn.functional's signatures."""

from __future__ import annotations

import warnings
from typing import Any

import gnomon as gn

# The operators' name for a reduction.  Source: at::Reduction.
REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}


# ---------------------------------------------------------------------------------------------------------
# Arguments.


def pair(value: Any) -> tuple[int, int]:
    """``n`` -> ``(n, n)``; a pair stays one.  Raises ValueError for a sequence of another length."""
    if isinstance(value, int):
        return (value, value)
    values = tuple(value)
    if len(values) != 2:
        raise ValueError(f"expected one number or two, but got {values}")
    return values


def resolve_reduction(
    reduction: str, size_average: bool | None = None, reduce: bool | None = None, stacklevel: int = 3
) -> str:
    """The reduction that is meant, ``size_average`` and ``reduce`` being the older way to say it.

    Warns when they are used.  Source: torch.nn._reduction.
    """
    if size_average is None and reduce is None:
        return reduction
    if reduce is not None and not reduce:
        meant = "none"
    elif size_average is None or size_average:
        meant = "mean"
    else:
        meant = "sum"
    warnings.warn(
        f"size_average and reduce args will be deprecated, please use reduction='{meant}' instead.",
        stacklevel=stacklevel,
    )
    return meant


def _reduction_number(reduction: str) -> int:
    if reduction not in REDUCTIONS:
        raise ValueError(f"{reduction} is not a valid value for reduction; want one of {list(REDUCTIONS)}")
    return REDUCTIONS[reduction]


def check_probability(p: float) -> None:
    """Raises ValueError unless ``0 <= p <= 1``."""
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def wrap_padding_idx(padding_idx: int | None, num_embeddings: int) -> int | None:
    """``padding_idx`` counted from the front.  Raises ValueError when there is no such row."""
    if padding_idx is None:
        return None
    if not -num_embeddings <= padding_idx < num_embeddings:
        raise ValueError(
            f"Padding_idx must be within num_embeddings, but got padding_idx {padding_idx} and "
            f"{num_embeddings} rows"
        )
    return padding_idx % num_embeddings


def check_embedding_options(max_norm: float | None, sparse: bool) -> None:
    """Raises NotImplementedError for the options that gnomon does not offer."""
    if max_norm is not None:
        raise NotImplementedError(f"embedding: max_norm is not offered, but got {max_norm}")
    if sparse:
        raise NotImplementedError("embedding: sparse gradients are not offered, but got sparse=True")


def _implicit_dim(name: str, ndim: int, stacklevel: int) -> int:
    """The dimension that softmax takes when none is named: PyTorch's rule, and its warning."""
    warnings.warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an "
        "argument.",
        stacklevel=stacklevel,
    )
    return 0 if ndim in (0, 1, 3) else 1


# ---------------------------------------------------------------------------------------------------------
# Activations.


def relu(input: gn.Tensor, inplace: bool = False) -> gn.Tensor:
    """``max(input, 0)``."""
    return gn.ops.aten.relu_(input) if inplace else gn.ops.aten.relu(input)


def leaky_relu(input: gn.Tensor, negative_slope: float = 0.01, inplace: bool = False) -> gn.Tensor:
    """``input`` where positive, ``negative_slope * input`` elsewhere."""
    if inplace:
        return gn.ops.aten.leaky_relu_(input, negative_slope)
    return gn.ops.aten.leaky_relu(input, negative_slope)


def silu(input: gn.Tensor, inplace: bool = False) -> gn.Tensor:
    """``input * sigmoid(input)``."""
    return gn.ops.aten.silu_(input) if inplace else gn.ops.aten.silu(input)


def gelu(input: gn.Tensor, approximate: str = "none") -> gn.Tensor:
    """``input`` times the normal distribution's cumulative function; ``approximate`` is 'none' or 'tanh'."""
    return gn.ops.aten.gelu(input, approximate=approximate)


def tanh(input: gn.Tensor) -> gn.Tensor:
    """The hyperbolic tangent."""
    return gn.ops.aten.tanh(input)


def sigmoid(input: gn.Tensor) -> gn.Tensor:
    """``1 / (1 + exp(-input))``."""
    return gn.ops.aten.sigmoid(input)


def softmax(
    input: gn.Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: gn.dtype | None = None
) -> gn.Tensor:
    """``exp(input)`` divided by its sum along ``dim``; ``dtype`` converts the input first.

    Without ``dim`` PyTorch's old choice is made (0 for 0-d, 1-d and 3-d inputs, else 1), with a warning.
    """
    if dim is None:
        dim = _implicit_dim("softmax", input.dim(), _stacklevel)
    return gn.softmax(input, dim, dtype=dtype)


def log_softmax(
    input: gn.Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: gn.dtype | None = None
) -> gn.Tensor:
    """The logarithm of ``softmax``, computed without overflow; the arguments are those of ``softmax``."""
    if dim is None:
        dim = _implicit_dim("log_softmax", input.dim(), _stacklevel)
    return gn.log_softmax(input, dim, dtype=dtype)


def dropout(input: gn.Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> gn.Tensor:
    """While ``training``, zeroes each element with probability ``p`` and scales the rest by ``1 / (1 - p)``.

    Raises ValueError when ``p`` is not a probability.
    """
    check_probability(p)
    if not training or p == 0.0:
        return input
    with gn.no_grad():
        if p == 1.0:
            mask = gn.zeros_like(input)
        else:
            mask = (gn.rand_like(input) >= p).to(dtype=input.dtype).mul_(1.0 / (1.0 - p))
    return input.mul_(mask) if inplace else input * mask


# ---------------------------------------------------------------------------------------------------------
# Layers.


def linear(input: gn.Tensor, weight: gn.Tensor, bias: gn.Tensor | None = None) -> gn.Tensor:
    """``input @ weight.T + bias``: (*, in) with weight (out, in) -> (*, out)."""
    return gn.ops.aten.linear(input, weight, bias)


def conv2d(
    input: gn.Tensor,
    weight: gn.Tensor,
    bias: gn.Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> gn.Tensor:
    """Cross-correlation of (N, C, H, W) with weight (out, C / groups, h, w) -> (N, out, H', W').

    ``padding`` is a size, a pair, 'valid' or 'same'.
    """
    if isinstance(padding, str):
        return gn.ops.aten.conv2d.padding(input, weight, bias, pair(stride), padding, pair(dilation), groups)
    return gn.ops.aten.conv2d(input, weight, bias, pair(stride), pair(padding), pair(dilation), groups)


def max_pool2d(
    input: gn.Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest element of each window: (N, C, H, W) -> (N, C, H', W').

    ``stride`` is ``kernel_size`` unless given.  With ``return_indices`` a pair: the values, and int64
    positions within each H x W plane.
    """
    kernel_size = pair(kernel_size)
    stride = kernel_size if stride is None else pair(stride)
    operator = gn.ops.aten.max_pool2d_with_indices if return_indices else gn.ops.aten.max_pool2d
    return operator(input, kernel_size, stride, pair(padding), pair(dilation), ceil_mode)


def embedding(
    input: gn.Tensor,
    weight: gn.Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> gn.Tensor:
    """Rows of ``weight`` (n, d) by number: integer ``input`` (*) -> (*, d).

    ``padding_idx``'s row gets no gradient.

    Raises ValueError for a ``padding_idx`` out of range, NotImplementedError for ``max_norm`` and ``sparse``.
    """
    check_embedding_options(max_norm, sparse)
    row = wrap_padding_idx(padding_idx, weight.shape[0])
    return gn.ops.aten.embedding(weight, input, -1 if row is None else row, scale_grad_by_freq, sparse)


# ---------------------------------------------------------------------------------------------------------
# Losses.


def mse_loss(
    input: gn.Tensor,
    target: gn.Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: gn.Tensor | None = None,
) -> gn.Tensor:
    """The mean (or sum, or each) of ``(input - target) ** 2``, each times ``weight`` if given.

    The mean is then over the sum of the weights.  Warns when the shapes differ and have to be broadcast.
    Raises ValueError for an unknown reduction, and for a weight of another shape than the input's.
    """
    if target.shape != input.shape:
        warnings.warn(
            f"Using a target size ({target.shape}) that is different to the input size ({input.shape}). "
            "This will likely lead to incorrect results due to broadcasting. Please ensure they have the "
            "same size.",
            stacklevel=2,
        )
    number = _reduction_number(resolve_reduction(reduction, size_average, reduce))
    if weight is None:
        return gn.ops.aten.mse_loss(input, target, number)
    if weight.shape != input.shape:
        raise ValueError(
            f"mse_loss: Weights and input must have the same size, but got {weight.shape} and {input.shape}"
        )
    weighted = gn.ops.aten.mse_loss(input, target, REDUCTIONS["none"]) * weight
    if number == REDUCTIONS["none"]:
        return weighted
    return weighted.sum() / weight.sum() if number == REDUCTIONS["mean"] else weighted.sum()


def nll_loss(
    input: gn.Tensor,
    target: gn.Tensor,
    weight: gn.Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> gn.Tensor:
    """Minus the log-probability of each target class: input (N, C, *), target (N, *) of classes in [0, C).

    ``weight`` (C) weighs the classes; targets equal to ``ignore_index`` do not count.
    """
    number = _reduction_number(resolve_reduction(reduction, size_average, reduce))
    return gn.ops.aten.nll_loss_nd(input, target, weight, number, ignore_index)


def cross_entropy(
    input: gn.Tensor,
    target: gn.Tensor,
    weight: gn.Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> gn.Tensor:
    """``nll_loss`` of ``log_softmax(input, 1)``.

    ``target`` may also hold class probabilities, shaped as ``input``.
    """
    number = _reduction_number(resolve_reduction(reduction, size_average, reduce))
    return gn.ops.aten.cross_entropy_loss(input, target, weight, number, ignore_index, label_smoothing)
