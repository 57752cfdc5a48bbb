"""Embeddings, one-hot vectors, bilinear layers."""

from . import expressions_of

_ROWS = "t(2, 3, dtype='int64', values='below 5')"
expressions_of(
    "nn.functional.embedding",
    f"F.embedding({_ROWS}, t(5, 3))",
    f"F.embedding(input={_ROWS}, weight=t(5, 3), padding_idx=2)",
    "F.embedding(t(4, dtype='int32', values='below 5'), t(5, 3), -1)",
    "F.embedding(t(dtype='int64', values='below 5'), t(5, 3))",
    f"w = t(5, 3); F.embedding({_ROWS}, w, max_norm=0.5), w",
    f"w = t(5, 3); F.embedding({_ROWS}, w, None, 1.0, 1.0), w",
    f"w = t(5, 3); F.embedding({_ROWS}, w, max_norm=0.5, norm_type=inf); w",
    f"F.embedding({_ROWS}, t(5, 3), padding_idx=5)",
    f"F.embedding({_ROWS}, t(5, 3), padding_idx=-6)",
    f"F.embedding({_ROWS}, t(3))",
    "F.embedding(t(2, 3), t(5, 3))",
    "F.embedding(t(4, dtype='int64', values='below 9', seed=3), t(5, 3))",
    f"gn.embedding(t(5, 3), {_ROWS})",
    f"grad(lambda w: F.embedding({_ROWS}, w, padding_idx=1), t(5, 3))",
    f"grad(lambda w: F.embedding({_ROWS}, w, scale_grad_by_freq=True), t(5, 3))",
)
_INDICES, _OFFSETS = "t(6, dtype='int64', values='below 5')", "gn.tensor([0, 2, 2, 5], device=t(1).device)"
expressions_of(
    "nn.functional.embedding_bag",
    f"F.embedding_bag({_ROWS}, t(5, 3))",
    f"F.embedding_bag({_ROWS}, t(5, 3), mode='sum', per_sample_weights=t(2, 3))",
    f"F.embedding_bag({_ROWS}, t(5, 3), mode='max')",
    f"F.embedding_bag({_INDICES}, t(5, 3), {_OFFSETS})",
    f"F.embedding_bag({_INDICES}, t(5, 3), {_OFFSETS}, mode='sum')",
    f"F.embedding_bag({_INDICES}, t(5, 3), {_OFFSETS}, mode='max', padding_idx=4)",
    f"F.embedding_bag({_INDICES}, t(5, 3), {_OFFSETS}, mode='mean', padding_idx=-1)",
    f"F.embedding_bag({_INDICES}, t(5, 3), gn.tensor([0, 2, 2, 6], device=t(1).device), "
    "include_last_offset=True)",
    f"F.embedding_bag({_INDICES}, t(5, 3), {_OFFSETS}, mode='sum', per_sample_weights=t(6))",
    f"w = t(5, 3); F.embedding_bag({_INDICES}, w, {_OFFSETS}, max_norm=0.5, norm_type=1.0), w",
    f"F.embedding_bag({_INDICES}, t(5, 3))",
    f"F.embedding_bag({_ROWS}, t(5, 3), {_OFFSETS})",
    f"F.embedding_bag({_ROWS}, t(5, 3), mode='min')",
    f"F.embedding_bag({_ROWS}, t(5, 3), mode='max', scale_grad_by_freq=True)",
    f"F.embedding_bag({_ROWS}, t(5, 3), mode='mean', per_sample_weights=t(2, 3))",
    f"F.embedding_bag({_ROWS}, t(5, 3), mode='sum', per_sample_weights=t(2, 2))",
    f"F.embedding_bag({_ROWS}, t(5), mode='sum')",
    "F.embedding_bag(t(dtype='int64'), t(5, 3))",
    f"F.embedding_bag({_INDICES}, t(5, 3), {_OFFSETS} + 1)",
    f"F.embedding_bag({_INDICES} + 3, t(5, 3), {_OFFSETS})",
    f"F.embedding_bag({_INDICES}, t(5, 3), {_OFFSETS}, padding_idx=7)",
    f"gn.embedding_bag(t(5, 3), {_INDICES}, {_OFFSETS}, False, 1)",
    f"gn.embedding_bag(t(5, 3), {_INDICES}, {_OFFSETS}, False, 2, False, None, False, 1)",
    f"grad(lambda w: F.embedding_bag({_INDICES}, w, {_OFFSETS}), t(5, 3))",
    f"grad(lambda w: F.embedding_bag({_INDICES}, w, {_OFFSETS}, mode='max'), t(5, 3))",
    f"grad(lambda w, s: F.embedding_bag({_INDICES}, w, {_OFFSETS}, mode='sum', per_sample_weights=s, "
    "padding_idx=2), t(5, 3), t(6))",
)
expressions_of(
    "nn.functional.one_hot",
    f"F.one_hot({_ROWS})",
    f"F.one_hot({_ROWS}, 7)",
    f"F.one_hot(input={_ROWS}, num_classes=5)",
    f"F.one_hot({_ROWS}, num_classes=2)",
    "F.one_hot(t(3, dtype='int32', values='below 5'))",
    "F.one_hot(t(3))",
    "F.one_hot(t(3, dtype='int64'))",
    "F.one_hot(t(0, dtype='int64'))",
    "F.one_hot(t(0, dtype='int64'), 3)",
)
expressions_of(
    "nn.functional.bilinear",
    "F.bilinear(t(2, 2), t(2, 3), t(4, 2, 3))",
    "F.bilinear(t(2, 2), t(2, 3), t(4, 2, 3), t(4))",
    "gn.bilinear(input1=t(2, 1, 2), input2=t(2, 1, 3), weight=t(4, 2, 3), bias=None)",
    "F.bilinear(t(2, 2), t(3, 3), t(4, 2, 3))",
    "grad(lambda x, y, w, b: F.bilinear(x, y, w, b), t(2, 2), t(2, 3), t(4, 2, 3), t(4))",
)
expressions_of(
    "nn.functional.linear",
    "F.linear(t(2, 3), t(4, 3), t(4))",
    "F.linear(t(3), t(4, 3))",
    "F.linear(t(2), t(4, 3))",
)
expressions_of(
    "nn.functional.embedding",
    "F.embedding(gn.zeros(2, 2), gn.tensor(1))",
    "F.embedding(gn.tensor(1), gn.zeros(2))",
    "F.embedding(gn.tensor([1]), gn.zeros(2, 2, 2))",
)
