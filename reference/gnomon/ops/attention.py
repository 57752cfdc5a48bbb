"""Attention: values weighted by how well their keys answer a query.

A composition of matrix products and a softmax; it accumulates as those do.  Half precision is computed in
float32 and rounded at the end.

Source: aten/src/ATen/native/transformers/attention.cpp; Vaswani et al., "Attention Is All You Need" (2017).
"""

from __future__ import annotations

import math
from typing import Any

from ..dispatch.dispatcher import aten
from ..kit.native import native_function
from ..values.dtype import bool_, float32
from ..values.geometry import wrap_dim


def _safe_softmax(self: Any, dim: int, dtype: Any) -> Any:
    """softmax, but zeros where a row has nothing but -inf."""
    converted = self if dtype is None or dtype is self.dtype else self.to(dtype)
    result = aten._softmax.default(converted, dim, False)
    empty = (converted == -math.inf).all(dim, True)
    return aten.where.self(empty, aten.zeros((), dtype=result.dtype, device=result.device), result)


native_function(
    "_safe_softmax(Tensor self, int dim, ScalarType? dtype=None) -> Tensor",
    explicit=_safe_softmax,
    derivatives={
        "self": lambda grad, result, dim, self_spec: aten._softmax_backward_data.default(
            grad, result, dim, self_spec.dtype
        )
    },
    doc="softmax along ``dim``, with zeros where all is -inf.",
)


def _check(query: Any, key: Any, value: Any, attn_mask: Any) -> None:
    """Raises RuntimeError for what no attention is defined for.  Source: validate_sdpa_input."""
    if not query.dtype is key.dtype is value.dtype:
        raise RuntimeError(
            f"Expected query, key, and value to have the same dtype, but got query.dtype: {query.dtype.name} "
            f"key.dtype: {key.dtype.name} and value.dtype: {value.dtype.name} instead."
        )
    if min(query.ndim, key.ndim, value.ndim) < 2:
        raise RuntimeError(
            "Expected query, key, and value to all be at least 2 dimensional, but got query.dim: "
            f"{query.ndim} key.dim: {key.ndim} and value.dim: {value.ndim} instead."
        )
    if attn_mask is not None and attn_mask.dtype not in (bool_, float32, query.dtype):
        raise RuntimeError(
            "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: "
            f"{attn_mask.dtype.name} and query.dtype: {query.dtype.name} instead."
        )
    if query.dtype.category < 2:
        raise RuntimeError(f"expected floating point tensors, but found {query.dtype.name}")


def _added(attn_mask: Any, dtype: Any) -> Any:
    """A mask as what is added to the scores: 0 where True, -inf where False."""
    if attn_mask.dtype is not bool_:
        return attn_mask
    zero, least = (aten.full((), each, dtype=dtype, device=attn_mask.device) for each in (0.0, -math.inf))
    return aten.where.self(attn_mask, zero, least)


def _causal(query: Any, key: Any) -> Any:
    """True where a query may look: not behind its own place."""
    ones = aten.ones((query.size(-2), key.size(-2)), dtype=bool_, device=query.device)
    return ones.tril()


def _repeated(query: Any, key: Any) -> Any:
    """Heads of ``key`` repeated until there are as many as ``query`` has.  Source:
    pre_process_group_query."""
    for each in (query, key):
        wrap_dim(-3, each.ndim)
    heads, have = query.size(-3), key.size(-3)
    if heads == have:
        return key
    if not have or heads % have:
        raise RuntimeError(
            f"Number of heads in key and value must divide the number of heads in query, but got {have} and "
            f"{heads}"
        )
    *outer, _, length, width = key.shape
    wide = key.unsqueeze(-3).expand((*outer, have, heads // have, length, width))
    return wide.reshape((*outer, heads, length, width))


def _attention(
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any,
    dropout_p: float,
    is_causal: bool,
    dropout_mask: Any,
    scale: float | None,
    enable_gqa: bool,
) -> tuple[Any, Any]:
    """``softmax(query @ key.T * scale + mask) @ value``, and the softmax."""
    dtype = query.dtype
    _check(query, key, value, attn_mask)
    if is_causal and attn_mask is not None:
        raise RuntimeError("Explicit attn_mask should not be set when is_causal=True")
    if dtype.itemsize == 2:
        query, key, value = (each.to(float32) for each in (query, key, value))
    if enable_gqa:
        key, value = _repeated(query, key), _repeated(query, value)
    factor = 1 / math.sqrt(query.size(-1)) if scale is None else scale
    root = math.sqrt(abs(factor))
    scores = (query * math.copysign(root, factor)).matmul(key.transpose(-2, -1) * root)
    mask = _added(_causal(query, key), scores.dtype) if is_causal else attn_mask
    if mask is not None:
        scores = scores + mask
    weights = aten._safe_softmax.default(scores, -1, None)
    if dropout_p > 0 and dropout_mask is not None:
        weights = weights.masked_fill(dropout_mask.logical_not(), 0.0)
        value = value * (1 / (1 - dropout_p))
    elif dropout_p > 0:
        weights = aten.dropout.default(weights, dropout_p, True)
    return weights.matmul(value).to(dtype), weights.to(dtype)


_ARGUMENTS = (
    "Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0.0, bool "
    "is_causal=False"
)

native_function(
    f"_scaled_dot_product_attention_math({_ARGUMENTS}, Tensor? dropout_mask=None, *, float? scale=None, bool "
    "enable_gqa=False) -> (Tensor, Tensor)",
    composite=_attention,
    variants="function",
    doc="""scaled_dot_product_attention, and the weights that it gave to the values.

    ``dropout_mask`` says which are kept; a bool ``attn_mask`` is added as numbers.""",
)


def _is_fused(query: Any, key: Any, value: Any, attn_mask: Any, dropout_p: float) -> bool:
    """Would PyTorch's fused kernel run?  Its result lies like the query.  Source: use_flash_attention_cpp."""
    tensors = (query, key, value)
    if dropout_p > 0 or any(each.ndim != 4 or each.stride(-1) != 1 for each in tensors):
        return False
    if not query._spec.dtype.is_floating_point or 0 in (query.size(2), key.size(2)):
        return False
    if attn_mask is not None:
        shape = attn_mask.shape
        wanted = (query.size(0), query.size(1), query.size(2), key.size(2))
        fits = all(size in (1, want) for size, want in zip(shape, wanted[-len(shape) :]))
        if attn_mask.requires_grad or len(shape) not in (2, 4) or not fits:
            return False
    same = query.shape[:2] == key.shape[:2] == value.shape[:2]
    return same and query.size(-1) == key.size(-1) == value.size(-1) and key.size(2) == value.size(2)


def _scaled_dot_product_attention(
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any,
    dropout_p: float,
    is_causal: bool,
    scale: float | None,
    enable_gqa: bool,
) -> Any:
    _check(query, key, value, attn_mask)
    if attn_mask is not None and query.ndim == 4:
        wrap_dim(-2, attn_mask.ndim)
    fused = _is_fused(query, key, value, attn_mask, dropout_p)
    if attn_mask is not None:
        attn_mask = _added(attn_mask, query.dtype)
    if fused and is_causal and attn_mask is not None:
        # the fused kernel takes both
        attn_mask = attn_mask + _added(_causal(query, key), query.dtype)
        is_causal = False
    result, _ = _attention(query, key, value, attn_mask, dropout_p, is_causal, None, scale, enable_gqa)
    if not fused:
        return result
    order = aten.empty_like(query.detach())._spec
    if order.strides == result._spec.strides:
        return result
    laid = aten.empty_strided(order.sizes, order.strides, dtype=result.dtype, device=result.device)
    return laid.copy_(result)


native_function(
    f"scaled_dot_product_attention({_ARGUMENTS}, *, float? scale=None, bool enable_gqa=False) -> Tensor",
    python_module="nn",
    composite=_scaled_dot_product_attention,
    doc="""``softmax(query @ key.T * scale + attn_mask) @ value``: query (*, L, E), key (*, S, E), value (*,
    S, V).

    ``attn_mask`` broadcasts to (*, L, S); where a bool one is False, and with ``is_causal`` where a key lies
    behind its query, nothing is looked at, and a query that sees nothing gets zeros.  ``scale`` is 1 /
    sqrt(E) unless given; ``dropout_p`` drops weights; ``enable_gqa`` repeats heads of key and value.  Raises
    RuntimeError for dtypes that differ.""",
)
