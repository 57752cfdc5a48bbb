"""Attention: the operator itself, and the attention of several heads with projections."""

from __future__ import annotations

import math

import gnomon as gn

from ...values.errors import warn
from .activation import softmax
from .dropout import dropout
from .linear import linear
from .padding import pad

scaled_dot_product_attention = gn.ops.aten.scaled_dot_product_attention.parser


def canonical_mask(
    mask: gn.Tensor | None,
    mask_name: str,
    other_type: gn.dtype | None,
    other_name: str,
    target_type: gn.dtype,
    check_other: bool = True,
) -> gn.Tensor | None:
    """A mask as floating point numbers to be added to scores: a bool one has -inf where it is true.

    ``other_type`` is the dtype of another mask, None if there is none; warns if they differ.  Raises
    AssertionError for other dtypes.  Source: torch.nn.functional._canonical_mask.
    """
    if mask is None:
        return None
    if mask.dtype is not gn.bool and not mask.is_floating_point():
        raise AssertionError(f"only bool and floating types of {mask_name} are supported")
    if check_other and other_type is not None and mask.dtype is not other_type:
        warn(
            f"Support for mismatched {mask_name} and {other_name} is deprecated. Use same type for both "
            "instead."
        )
    if mask.is_floating_point():
        return mask
    return gn.zeros_like(mask, dtype=target_type).masked_fill_(mask, -math.inf)


def _check_shapes(
    query: gn.Tensor,
    key: gn.Tensor,
    value: gn.Tensor,
    key_padding_mask: gn.Tensor | None,
    attn_mask: gn.Tensor | None,
    num_heads: int,
) -> None:
    """Raises AssertionError for numbers of dimensions that do not fit the query's, 3 or without a batch 2."""
    if query.dim() not in (2, 3):
        raise AssertionError(
            f"query should be unbatched 2D or batched 3D tensor but received {query.dim()}-D query tensor"
        )
    ndim = query.dim()
    start = f"For {'batched' if ndim == 3 else 'unbatched'} ({ndim}-D) `query`, expected"
    if key.dim() != ndim or value.dim() != ndim:
        raise AssertionError(
            f"{start} `key` and `value` to be {ndim}-D but found {key.dim()}-D and {value.dim()}-D tensors "
            "respectively"
        )
    if key_padding_mask is not None and key_padding_mask.dim() != ndim - 1:
        raise AssertionError(
            f"{start} `key_padding_mask` to be `None` or {ndim - 1}-D but found {key_padding_mask.dim()}-D "
            "tensor instead"
        )
    if attn_mask is not None:
        if attn_mask.dim() not in (2, 3):
            raise AssertionError(
                f"{start} `attn_mask` to be `None`, 2-D or 3-D but found {attn_mask.dim()}-D tensor instead"
            )
        expected = (num_heads, query.shape[0], key.shape[0])
        if ndim == 2 and attn_mask.dim() == 3 and tuple(attn_mask.shape) != expected:
            raise AssertionError(f"Expected `attn_mask` shape to be {expected} but got {attn_mask.shape}")


def _projected(
    query: gn.Tensor, key: gn.Tensor, value: gn.Tensor, weight: gn.Tensor, bias: gn.Tensor | None
) -> tuple[gn.Tensor, ...]:
    """The projections by one packed weight (3 * E, E); those of one tensor are computed together."""
    if query is key and key is value:
        return linear(query, weight, bias).chunk(3, -1)
    weights = weight.chunk(3)
    biases = (None, None, None) if bias is None else bias.chunk(3)
    return tuple(map(linear, (query, key, value), weights, biases))


def _projected_separately(
    inputs: tuple[gn.Tensor, ...], weights: tuple[gn.Tensor | None, ...], bias: gn.Tensor | None
) -> tuple[gn.Tensor, ...]:
    """The projections of query, key and value, each by a weight of its own."""
    size = inputs[0].size(-1)
    biases = (None, None, None) if bias is None else bias.chunk(3)
    made = []
    for name, input, weight, part in zip(("query", "key", "value"), inputs, weights, biases):
        if weight is None:
            raise AssertionError(f"use_separate_proj_weight is True but {name[0]}_proj_weight is None")
        if tuple(weight.shape) != (size, input.size(-1)):
            raise AssertionError(
                f"expecting {name} weights shape of {(size, input.size(-1))}, but got {weight.shape}"
            )
        if part is not None and tuple(part.shape) != (size,):
            raise AssertionError(f"expecting {name} bias shape of {(size,)}, but got {part.shape}")
        made.append(linear(input, weight, part))
    return tuple(made)


def _check_static(name: str, static: gn.Tensor, rows: int, head_dim: int) -> gn.Tensor:
    if static.size(0) != rows:
        raise AssertionError(f"expecting {name}.size(0) of {rows}, but got {static.size(0)}")
    if static.size(2) != head_dim:
        raise AssertionError(f"expecting {name}.size(2) of {head_dim}, but got {static.size(2)}")
    return static


def multi_head_attention_forward(
    query: gn.Tensor,
    key: gn.Tensor,
    value: gn.Tensor,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: gn.Tensor | None,
    in_proj_bias: gn.Tensor | None,
    bias_k: gn.Tensor | None,
    bias_v: gn.Tensor | None,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: gn.Tensor,
    out_proj_bias: gn.Tensor | None,
    training: bool = True,
    key_padding_mask: gn.Tensor | None = None,
    need_weights: bool = True,
    attn_mask: gn.Tensor | None = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: gn.Tensor | None = None,
    k_proj_weight: gn.Tensor | None = None,
    v_proj_weight: gn.Tensor | None = None,
    static_k: gn.Tensor | None = None,
    static_v: gn.Tensor | None = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[gn.Tensor, gn.Tensor | None]:
    """The attention of several heads, with projections of the inputs and of the output.

    query (L, N, E), key (S, N, E) and value (S, N, E), or all without N -> the output, of the query's shape,
    and the attention weights ([N,] L, S), or without ``average_attn_weights`` ([N,] heads, L, S), or None
    without ``need_weights``.  ``key_padding_mask`` is ([N,] S), ``attn_mask`` (L, S) or (N * heads, L, S):
    bool, true where no attention is paid, or floating point, to be added to the scores.  ``is_causal`` says
    that ``attn_mask`` is the causal mask.  ``static_k`` and ``static_v`` (N * heads, S, E / heads) replace
    the projected key and value.  ``bias_k`` and ``bias_v`` (1, 1, E) and ``add_zero_attn`` add a key and a
    value.

    Raises AssertionError and RuntimeError for shapes that do not match.

    Source: torch.nn.functional.multi_head_attention_forward; arXiv:1706.03762.
    """
    _check_shapes(query, key, value, key_padding_mask, attn_mask, num_heads)
    is_batched = query.dim() == 3
    if not is_batched:
        # Equal arguments stay one tensor, so that they are projected together.
        batched = {id(each): each.unsqueeze(1) for each in (query, key, value)}
        query, key, value = (batched[id(each)] for each in (query, key, value))
        if key_padding_mask is not None:
            key_padding_mask = key_padding_mask.unsqueeze(0)
    tgt_len, bsz, embed_dim = query.shape
    src_len = key.shape[0]
    key_padding_mask = canonical_mask(
        key_padding_mask,
        "key_padding_mask",
        None if attn_mask is None else attn_mask.dtype,
        "attn_mask",
        query.dtype,
    )
    if is_causal and attn_mask is None:
        raise RuntimeError(
            "Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
            "`generate_square_subsequent_mask` to create this mask."
        )
    if is_causal and key_padding_mask is None and not need_weights:
        attn_mask = None  # scaled_dot_product_attention makes it
    else:
        attn_mask = canonical_mask(attn_mask, "attn_mask", None, "", query.dtype, check_other=False)
        if key_padding_mask is not None:
            is_causal = False  # the two masks are added
    if embed_dim != embed_dim_to_check:
        raise AssertionError(
            f"was expecting embedding dimension of {embed_dim_to_check}, but got {embed_dim}"
        )
    head_dim = embed_dim // num_heads
    if head_dim * num_heads != embed_dim:
        raise AssertionError(f"embed_dim {embed_dim} not divisible by num_heads {num_heads}")
    if use_separate_proj_weight:
        if key.shape[:2] != value.shape[:2]:
            raise AssertionError(
                f"key's sequence and batch dims {key.shape[:2]} do not match value's {value.shape[:2]}"
            )
        weights = (q_proj_weight, k_proj_weight, v_proj_weight)
        q, k, v = _projected_separately((query, key, value), weights, in_proj_bias)
    else:
        if key.shape != value.shape:
            raise AssertionError(f"key shape {key.shape} does not match value shape {value.shape}")
        if in_proj_weight is None:
            raise AssertionError("use_separate_proj_weight is False but in_proj_weight is None")
        q, k, v = _projected(query, key, value, in_proj_weight, in_proj_bias)
    if attn_mask is not None:
        sizes = (tgt_len, src_len) if attn_mask.dim() == 2 else (bsz * num_heads, tgt_len, src_len)
        if tuple(attn_mask.shape) != sizes:
            raise RuntimeError(
                f"The shape of the {attn_mask.dim()}D attn_mask is {attn_mask.shape}, but should be {sizes}."
            )
        if attn_mask.dim() == 2:
            attn_mask = attn_mask.unsqueeze(0)
    if (bias_k is None) != (bias_v is None):
        there, missing = ("bias_v", "bias_k") if bias_k is None else ("bias_k", "bias_v")
        raise AssertionError(f"{there} is set but {missing} is None")
    added = int(add_zero_attn)  # how many keys are added to those that the masks know
    if bias_k is not None and bias_v is not None:
        if static_k is not None:
            raise AssertionError("bias cannot be added to static key.")
        if static_v is not None:
            raise AssertionError("bias cannot be added to static value.")
        k = gn.cat([k, bias_k.repeat(1, bsz, 1)])
        v = gn.cat([v, bias_v.repeat(1, bsz, 1)])
        added += 1
    rows = bsz * num_heads
    q = q.reshape(tgt_len, rows, head_dim).transpose(0, 1)
    if static_k is None:
        k = k.reshape(k.shape[0], rows, head_dim).transpose(0, 1)
    else:
        k = _check_static("static_k", static_k, rows, head_dim)
    if static_v is None:
        v = v.reshape(v.shape[0], rows, head_dim).transpose(0, 1)
    else:
        v = _check_static("static_v", static_v, rows, head_dim)
    if add_zero_attn:
        zeros = gn.zeros((rows, 1, head_dim), dtype=k.dtype, device=k.device)
        k, v = gn.cat([k, zeros], 1), gn.cat([v, zeros], 1)
    if added and attn_mask is not None:
        attn_mask = pad(attn_mask, (0, added))
    if added and key_padding_mask is not None:
        key_padding_mask = pad(key_padding_mask, (0, added))
    src_len = k.size(1)
    if key_padding_mask is not None:
        for dim, size in enumerate((bsz, src_len)):
            if key_padding_mask.shape[dim] != size:
                raise AssertionError(
                    f"Expected key_padded_mask.shape[{dim}] to be {size}, but got "
                    f"{key_padding_mask.shape[dim]}"
                )
        padding = key_padding_mask.view(bsz, 1, 1, src_len).expand(-1, num_heads, -1, -1)
        padding = padding.reshape(rows, 1, src_len)
        attn_mask = padding if attn_mask is None else attn_mask + padding
    if not training:
        dropout_p = 0.0
    if need_weights:
        scaled = q * math.sqrt(1.0 / head_dim)
        if attn_mask is None:
            scores = scaled.bmm(k.transpose(-2, -1))
        else:
            scores = gn.baddbmm(attn_mask, scaled, k.transpose(-2, -1))
        attention = softmax(scores, dim=-1)
        if dropout_p > 0.0:
            attention = dropout(attention, p=dropout_p)
        output = attention.bmm(v).transpose(0, 1).reshape(tgt_len * bsz, embed_dim)
        attention = attention.view(bsz, num_heads, tgt_len, src_len)
        if average_attn_weights:
            attention = attention.mean(1)
    else:
        if attn_mask is not None:
            is_shared = attn_mask.size(0) == 1 and attn_mask.dim() == 3
            attn_mask = attn_mask.unsqueeze(0) if is_shared else attn_mask.view(bsz, num_heads, -1, src_len)
        by_head = [each.reshape(bsz, num_heads, -1, head_dim) for each in (q, k, v)]
        output = scaled_dot_product_attention(*by_head, attn_mask, dropout_p, is_causal)
        output = output.permute(2, 0, 1, 3).reshape(bsz * tgt_len, embed_dim)
    output = linear(output, out_proj_weight, out_proj_bias).view(tgt_len, bsz, -1)
    if not is_batched:
        output = output.squeeze(1)
    if not need_weights:
        return output, None
    return output, attention if is_batched else attention.squeeze(0)
