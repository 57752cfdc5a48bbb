"""Attention."""

from . import expressions_of

_QKV = "t(2, 3, 4), t(2, 5, 4), t(2, 5, 2)"
_HEADS = "t(2, 4, 3, 2), t(2, 4, 5, 2), t(2, 4, 5, 2)"
_ATTENTION = "F.scaled_dot_product_attention"
expressions_of(
    "nn.functional.scaled_dot_product_attention",
    f"{_ATTENTION}({_QKV})",
    f"{_ATTENTION}({_HEADS})",
    f"{_ATTENTION}({_QKV}, t(3, 5))",
    f"{_ATTENTION}({_HEADS}, attn_mask=t(3, 5, dtype='bool'))",
    f"{_ATTENTION}({_HEADS}, t(2, 1, 3, 5), 0.0, False)",
    f"{_ATTENTION}({_HEADS}, t(4, 3, 5))",
    f"{_ATTENTION}({_HEADS}, t(3, 5), is_causal=True)",
    f"{_ATTENTION}({_QKV}, is_causal=True, scale=0.3)",
    f"{_ATTENTION}({_QKV}, t(3, 5), is_causal=True)",
    f"{_ATTENTION}({_QKV}, dropout_p=1.0)",
    f"{_ATTENTION}({_QKV}, dropout_p=0.5).shape",
    f"{_ATTENTION}({_QKV}, dropout_p=1.5)",
    f"{_ATTENTION}(t(2, 4, 3, 2), t(2, 2, 5, 2), t(2, 2, 5, 2), enable_gqa=True)",
    f"{_ATTENTION}(t(2, 4, 3, 2), t(2, 2, 5, 2), t(2, 2, 5, 2))",
    f"{_ATTENTION}(t(2, 4, 3, 2), t(2, 3, 5, 2), t(2, 3, 5, 2), enable_gqa=True)",
    f"{_ATTENTION}(t(1, 4, 3, 2), t(2, 4, 5, 2), t(2, 4, 5, 3))",
    f"{_ATTENTION}(t(2, 3, 4, 2).transpose(1, 2), t(2, 5, 4, 2).transpose(1, 2), t(2, 5, 4, 2).transpose(1, "
    "2))",
    f"{_ATTENTION}({_HEADS}, t(5))",
    f"{_ATTENTION}({_QKV}, t(3, 5, dtype='bool', values='zeros'))",
    f"{_ATTENTION}(query=t(3, 4, dtype='float16'), key=t(5, 4, dtype='float16'), value=t(5, 4, "
    "dtype='float16'))",
    f"{_ATTENTION}({_HEADS}, None, 0.0, False, None)",
    f"{_ATTENTION}({_QKV}, t(3, 5, dtype='int64'))",
    f"{_ATTENTION}(t(3, 4), t(5, 4, dtype='float64'), t(5, 4))",
    f"{_ATTENTION}(t(4), t(5, 4), t(5, 4))",
    f"{_ATTENTION}(t(3, 4, dtype='complex64'), t(5, 4, dtype='complex64'), t(5, 4, dtype='complex64'))",
    f"grad(lambda q, k, v: {_ATTENTION}(q, k, v), {_QKV})",
    f"grad(lambda q, k, v: {_ATTENTION}(q, k, v, is_causal=True), {_HEADS})",
    f"grad(lambda q, k, v, m: {_ATTENTION}(q, k, v, m), {_QKV}, t(3, 5))",
)
