"""Scaled dot product attention.

A composite of matrix products and a softmax, which accumulates as those do; half precision is computed in
float32 and rounded at the end.  Where possible it is one fused operator instead, whose sums are exactly
rounded in float64 and rounded once to the dtype.

Source: aten/src/ATen/native/transformers/attention.cpp, sdp_utils_cpp.cpp; Vaswani et al., "Attention Is All
You Need" (2017); Dao et al., arXiv:2205.14135.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

from ...calls.checks import (
    check_dim,
    check_dtype,
    check_floating_or_complex,
    check_same_dtype,
    check_same_size,
    check_size,
    check_size_at,
)
from ...calls.meta_functions import computed_in, dense_like
from ...calls.native import native_function
from ...dispatch.dispatcher import aten
from ...memory.accessor import TensorAccessor
from ...memory.spec import Spec
from ...memory.tensor import Tensor
from ...numerics.arithmetic import divide, exact_sum
from ...values.dtype import FLOATS, bool_, float32
from ...values.geometry import broadcast_sizes, check_expandable, wrap_dim


def _safe_softmax(self: Any, dim: int, dtype: Any) -> Any:
    """softmax, but zeros for a row in which all elements are -inf."""
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
    batching="composed",
    doc="softmax along ``dim``, with zeros for rows in which all elements are -inf.",
)


def _check(query: Any, key: Any, value: Any, attn_mask: Any) -> None:
    """Raises RuntimeError for unsupported dtypes and numbers of dimensions.  Source: validate_sdpa_input."""
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
    check_floating_or_complex(query.dtype)


def _check_together(query: Any, key: Any, value: Any, attn_mask: Any) -> None:
    """Raises RuntimeError for sizes whose matrix products are not defined."""
    sizes = "(batch, heads, sequence length, embedding dimension): query {}, key {}, value {}".format(
        *(list(each.shape) for each in (query, key, value))
    )
    if query.size(-1) != key.size(-1):
        raise RuntimeError(
            f"Expected query and key to have the same embedding dimension, but got {query.size(-1)} and "
            f"{key.size(-1)}, of sizes {sizes}"
        )
    if key.size(-2) != value.size(-2):
        raise RuntimeError(
            f"Expected key and value to have the same sequence length, but got {key.size(-2)} and "
            f"{value.size(-2)}, of sizes {sizes}"
        )
    outer, scores = tuple(query.shape[:-2]), ()
    for each in (key, value):
        try:
            outer = broadcast_sizes(outer, tuple(each.shape[:-2]))
        except RuntimeError as error:
            raise RuntimeError(
                f"Expected batch and heads of query, key and value to broadcast, but {error}, of sizes "
                f"{sizes}"
            ) from None
        scores = scores or (*outer, query.size(-2), key.size(-2))  # from query and key, not value
    if attn_mask is not None:
        _check_mask(attn_mask, scores)


def _check_mask(attn_mask: Any, scores: tuple[int, ...]) -> None:
    """Raises RuntimeError for a mask that does not broadcast to the sizes of the scores."""
    try:
        check_expandable(tuple(attn_mask.shape), scores)
    except RuntimeError as error:
        raise RuntimeError(
            f"Expected attn_mask to broadcast to the scores of sizes {list(scores)}, but got one of sizes "
            f"{list(attn_mask.shape)}: {error}"
        ) from None


def _added(attn_mask: Any, dtype: Any) -> Any:
    """The mask to add to the scores: a bool mask becomes 0 where true and -inf where false."""
    if attn_mask.dtype is not bool_:
        return attn_mask
    zero, least = (aten.full((), each, dtype=dtype, device=attn_mask.device) for each in (0.0, -math.inf))
    return aten.where.self(attn_mask, zero, least)


def _causal(query: Any, key: Any) -> Any:
    """The causal mask: true for keys at the query's position or before."""
    ones = aten.ones((query.size(-2), key.size(-2)), dtype=bool_, device=query.device)
    return ones.tril()


def _check_heads(heads: int, have: int) -> None:
    """Raises RuntimeError unless ``heads``, of the query, is a multiple of ``have``, of key or value."""
    if heads != have and (not have or heads % have):
        raise RuntimeError(
            f"Number of heads in key and value must divide the number of heads in query, but got {have} and "
            f"{heads}"
        )


def _repeated(query: Any, key: Any) -> Any:
    """``key`` with its heads repeated to as many as ``query`` has.  Source: pre_process_group_query."""
    for each in (query, key):
        wrap_dim(-3, each.ndim)
    heads, have = query.size(-3), key.size(-3)
    if heads == have:
        return key
    _check_heads(heads, have)
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
    _check_together(query, key, value, attn_mask)
    factor = divide(1.0, math.sqrt(query.size(-1))) if scale is None else scale
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
    doc="""Returns scaled_dot_product_attention, and the attention weights.

    ``dropout_mask`` is True for the weights that dropout keeps; a bool ``attn_mask`` is added as 0 and 1.""",
)


def _check_flash(query: Spec, key: Spec, value: Spec, attn_mask: Spec | None, dropout_p: float) -> None:
    """Raises RuntimeError for arguments that the fused operator does not support."""
    check_dim(4, query=query, key=key, value=value)
    if dropout_p > 0:
        raise RuntimeError("dropout is not supported")
    check_dtype(*FLOATS, query=query)
    check_same_dtype(query=query, key=key, value=value)
    check_size_at(3, query.sizes[3], key=key, value=value)
    check_size_at(0, query.sizes[0], key=key)
    check_same_size(key=key, value=value)
    _check_heads(query.sizes[1], key.sizes[1])
    if not query.sizes[3] or not key.sizes[2]:
        raise RuntimeError(
            f"Expected key to have a non-zero sequence length and embedding dimension, but got sizes "
            f"{list(key.sizes)}"
        )
    if attn_mask is None:
        return
    check_dtype(query.dtype, *((float32,) if query.dtype.itemsize == 2 else ()), attn_mask=attn_mask)
    if attn_mask.ndim not in (2, 4):
        raise RuntimeError(f"attn_mask must have 2 or 4 dimensions, but has {attn_mask.ndim}")
    _check_mask(attn_mask, (*query.sizes[:3], key.sizes[2]))


def _by_place(spec: Spec) -> Spec:
    """The same sizes, with the heads of one position adjacent in memory."""
    _, heads, places, width = spec.sizes
    return spec.with_geometry(spec.sizes, (places * heads * width, width, heads * width, 1))


def _flash_meta(
    query: Spec,
    key: Spec,
    value: Spec,
    dropout_p: float,
    is_causal: bool,
    attn_mask: Spec | None,
    scale: float | None,
) -> tuple[Spec, Spec]:
    _check_flash(query, key, value, attn_mask, dropout_p)
    batch, heads, places, _ = query.sizes
    dtype = computed_in(query.dtype)
    logs = query.contiguous((batch, heads, places), dtype)
    return dense_like(query), logs.with_geometry(logs.sizes, (places * heads, 1, heads))


class _Heads:
    """Reads the rows of query, key and value, and computes the scores of each query, as Python numbers."""

    def __init__(
        self,
        query: Tensor,
        key: Tensor,
        attn_mask: Tensor | None,
        is_causal: bool,
        scale: float | None,
    ):
        self.batches, self.heads, self.places, self.width = query._spec.sizes
        self.group = self.heads // max(key._spec.sizes[1], 1)
        self.keys = key._spec.sizes[2]
        self.query, self.key = TensorAccessor(query), TensorAccessor(key)
        self.mask = None if attn_mask is None else TensorAccessor(attn_mask)
        self.is_causal = is_causal
        self.scale = 1 / math.sqrt(self.width) if scale is None else scale

    def each(self) -> Iterator[tuple[int, int, int, int]]:
        """Yields batch, head and position of each query, and the head of its keys."""
        for batch, head, place in itertools.product(*map(range, (self.batches, self.heads, self.places))):
            yield batch, head, place, head // self.group

    def row(self, accessor: TensorAccessor, batch: int, head: int, place: int) -> list[Any]:
        """The vector of one position."""
        return [accessor[batch, head, place, each] for each in range(self.width)]

    def seen(self, place: int) -> range:
        """The positions of the keys that a query attends to."""
        return range(min(self.keys, place + 1) if self.is_causal else self.keys)

    def scores(self, batch: int, head: int, place: int) -> list[Any]:
        """The scores of a query with each key that it attends to."""
        query = self.row(self.query, batch, head, place)
        found = []
        for at in self.seen(place):
            key = self.row(self.key, batch, head // self.group, at)
            score = exact_sum([one * other for one, other in zip(query, key)]) * self.scale
            if self.mask is not None:
                index = (batch, head, place, at)[-len(self.mask.sizes) :]
                score += self.mask[tuple(0 if size == 1 else i for i, size in zip(index, self.mask.sizes))]
            found.append(score)
        return found


def _exponential(number: float) -> float:
    return math.exp(number) if number < 700 else math.inf


def _flash_kernel(
    output: Tensor,
    logsumexp: Tensor,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    dropout_p: float,
    is_causal: bool,
    attn_mask: Tensor | None,
    scale: float | None,
) -> None:
    heads = _Heads(query, key, attn_mask, is_causal, scale)
    out, logs, values = TensorAccessor(output), TensorAccessor(logsumexp), TensorAccessor(value)
    for batch, head, place, key_head in heads.each():
        scores = heads.scores(batch, head, place)
        largest = max((each for each in scores if each == each), default=-math.inf)
        is_blind = all(each == -math.inf for each in scores)
        shift = 0.0 if largest == -math.inf else largest
        powers = [_exponential(each - shift) if each - shift == each - shift else math.nan for each in scores]
        total = exact_sum(powers)
        logs[batch, head, place] = 0.0 if is_blind else shift + (math.log(total) if total > 0 else math.nan)
        rows = [heads.row(values, batch, key_head, at) for at in heads.seen(place)]
        for each in range(heads.width):
            mixed = exact_sum([power * row[each] for power, row in zip(powers, rows)])
            out[batch, head, place, each] = 0.0 if is_blind else divide(mixed, total)


def _flash_grad(
    grad: Any,
    query: Any,
    key: Any,
    value: Any,
    output: Any,
    logsumexp: Any,
    dropout_p: float,
    is_causal: bool,
    attn_mask: Any,
    scale: float | None,
) -> Any:
    arguments = (grad, query, key, value, output, logsumexp, dropout_p, is_causal, attn_mask, scale)
    return aten._scaled_dot_product_flash_attention_for_cpu_backward.default(*arguments)


_FLASH = "_scaled_dot_product_flash_attention_for_cpu"

native_function(
    f"{_FLASH}(Tensor query, Tensor key, Tensor value, float dropout_p=0.0, bool is_causal=False, *, Tensor? "
    "attn_mask=None, float? scale=None) -> (Tensor output, Tensor logsumexp)",
    meta=_flash_meta,
    kernel=_flash_kernel,
    derivatives={"query, key, value": _flash_grad},
    node_name="ScaledDotProductFlashAttentionForCpuBackward0",
    non_differentiable_outputs=(1,),
    doc="""Fused scaled_dot_product_attention of (batch, heads, sequence length, embedding dimension), which
    does not store the attention weights; also returns the logsumexp of each query's scores.

    Masked values have no effect if they are finite.  Heads of key and value are repeated to match those of
    query.  Raises RuntimeError for other numbers of dimensions, for sizes that do not match, and for
    dropout.""",
)


def _flash_backward_meta(
    grad_out: Spec,
    query: Spec,
    key: Spec,
    value: Spec,
    out: Spec,
    logsumexp: Spec,
    dropout_p: float,
    is_causal: bool,
    attn_mask: Spec | None,
    scale: float | None,
) -> tuple[Spec, Spec, Spec]:
    _check_flash(query, key, value, attn_mask, dropout_p)
    check_same_size(query=query, grad_out=grad_out, out=out)
    check_same_dtype(query=query, grad_out=grad_out, out=out)
    check_size(query.sizes[:3], logsumexp=logsumexp)
    check_dtype(computed_in(query.dtype), logsumexp=logsumexp)
    return _by_place(query), _by_place(key), _by_place(value)


def _flash_backward_kernel(
    grad_query: Tensor,
    grad_key: Tensor,
    grad_value: Tensor,
    grad_out: Tensor,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    out: Tensor,
    logsumexp: Tensor,
    dropout_p: float,
    is_causal: bool,
    attn_mask: Tensor | None,
    scale: float | None,
) -> None:
    """With p the weights, ds = p (dp - sum(p dp)) are the gradients of the scores."""
    heads = _Heads(query, key, attn_mask, is_causal, scale)
    logs, values = TensorAccessor(logsumexp), TensorAccessor(value)
    grads, outs = TensorAccessor(grad_out), TensorAccessor(out)
    for_query = TensorAccessor(grad_query)
    terms: dict[Any, list[Any]] = {}
    for batch, head, place, key_head in heads.each():
        grad, result = (heads.row(each, batch, head, place) for each in (grads, outs))
        own = heads.row(heads.query, batch, head, place)
        product = exact_sum([one * other for one, other in zip(grad, result)])
        slopes = []
        for at, score in zip(heads.seen(place), heads.scores(batch, head, place)):
            weight = _exponential(score - logs[batch, head, place])
            row = heads.row(values, batch, key_head, at)
            moved = exact_sum([one * other for one, other in zip(grad, row)]) - product
            slope = weight * moved * heads.scale
            slopes.append(slope)
            for each in range(heads.width):
                index = (batch, key_head, at, each)
                terms.setdefault(("key", index), []).append(slope * own[each])
                terms.setdefault(("value", index), []).append(weight * grad[each])
        rows = [heads.row(heads.key, batch, key_head, at) for at in heads.seen(place)]
        for each in range(heads.width):
            mixed = exact_sum([slope * row[each] for slope, row in zip(slopes, rows)])
            for_query[batch, head, place, each] = mixed
    for name, tensor in (("key", grad_key), ("value", grad_value)):
        accessor = TensorAccessor(tensor)
        for element in itertools.product(*map(range, tensor._spec.sizes)):
            accessor[element] = exact_sum(terms.get((name, element), [0.0]))


native_function(
    f"{_FLASH}_backward(Tensor grad_out, Tensor query, Tensor key, Tensor value, Tensor out, Tensor "
    "logsumexp, float dropout_p, bool is_causal, *, Tensor? attn_mask=None, float? scale=None) -> (Tensor "
    "grad_query, Tensor grad_key, Tensor grad_value)",
    meta=_flash_backward_meta,
    kernel=_flash_backward_kernel,
    doc=f"The gradients of {_FLASH}.",
)


def _is_fused(query: Any, key: Any, value: Any, attn_mask: Any, dropout_p: float, enable_gqa: bool) -> bool:
    """Does the fused operator support these arguments?  Source: use_flash_attention_cpp."""
    tensors = (query, key, value)
    if dropout_p > 0 or any(each.ndim != 4 or each.stride(-1) != 1 for each in tensors):
        return False
    if 0 in query.shape or 0 in key.shape:
        return False
    if attn_mask is not None:
        shape = attn_mask.shape
        wanted = (query.size(0), query.size(1), query.size(2), key.size(2))
        fits = all(size in (1, want) for size, want in zip(shape, wanted[-len(shape) :]))
        if attn_mask.requires_grad or len(shape) not in (2, 4) or not fits:
            return False
    heads = query.size(1), key.size(1)
    same = heads[0] == heads[1] or (enable_gqa and heads[0] % heads[1] == 0)
    together = query.size(0) == key.size(0) and key.shape == value.shape
    return same and together and query.size(-1) == key.size(-1)


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
    fused = _is_fused(query, key, value, attn_mask, dropout_p, enable_gqa)
    if attn_mask is not None:
        attn_mask = _added(attn_mask, query.dtype)
    if fused:
        arguments = (query, key, value, dropout_p, is_causal, attn_mask, scale)
        return aten._scaled_dot_product_flash_attention_for_cpu.default(*arguments)[0]
    return _attention(query, key, value, attn_mask, dropout_p, is_causal, None, scale, enable_gqa)[0]


native_function(
    f"scaled_dot_product_attention({_ARGUMENTS}, *, float? scale=None, bool enable_gqa=False) -> Tensor",
    python_module="nn",
    composite=_scaled_dot_product_attention,
    doc="""Computes ``softmax(query @ key.T * scale + attn_mask) @ value``: query (*, L, E), key (*, S, E),
    value (*, S, V).

    ``attn_mask`` broadcasts to (*, L, S).  A key is masked out where a bool mask is False, and with
    ``is_causal`` if its index exceeds the query's; a query with all keys masked out gives zeros.  ``scale``
    defaults to 1 / sqrt(E); ``dropout_p`` is the dropout probability of the weights; ``enable_gqa`` repeats
    heads of key and value to match query's.  Raises RuntimeError for different dtypes.""",
)
