"""A transformer block written out, and gnomon's own encoder layer."""

from __future__ import annotations

import math

import gnomon as gn
import gnomon.nn.functional as F
from gnomon import Tensor, nn


class SelfAttention(nn.Module):
    mask: Tensor

    def __init__(self, width: int, heads: int, length: int) -> None:
        super().__init__()
        if width % heads:
            raise ValueError(f"width {width} is not a multiple of heads {heads}")
        self.heads = heads
        self.inward = nn.Linear(width, 3 * width)
        self.outward = nn.Linear(width, width)
        self.register_buffer("mask", gn.ones(length, length, dtype=gn.bool).tril(), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        batch, length, width = x.shape
        parts: Tensor = self.inward(x)
        query, key, value = (
            each.view(batch, length, self.heads, -1).transpose(1, 2) for each in parts.chunk(3, dim=-1)
        )
        scores = query @ key.mT / math.sqrt(width // self.heads)
        scores = scores.masked_fill(~self.mask[:length, :length], -math.inf)
        mixed = scores.softmax(dim=-1) @ value
        expected = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        assert gn.allclose(mixed, expected, atol=1e-5)
        result: Tensor = self.outward(mixed.transpose(1, 2).reshape(batch, length, width))
        return result


class Block(nn.Module):
    def __init__(self, width: int, heads: int, length: int) -> None:
        super().__init__()
        self.attention = SelfAttention(width, heads, length)
        self.norms = nn.ModuleDict({"before": nn.LayerNorm(width), "after": nn.LayerNorm(width)})
        self.wide = nn.Sequential(
            nn.Linear(width, 2 * width), nn.GELU(approximate="tanh"), nn.Linear(2 * width, width)
        )

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attention(self.norms["before"](x))
        result: Tensor = x + self.wide(self.norms["after"](x))
        return result


gn.manual_seed(0)
embedding = nn.Embedding(11, 8, padding_idx=0)
tokens = gn.randint(1, 11, (2, 5))
block = Block(8, 2, 5)
out: Tensor = block(embedding(tokens))
out.square().mean().backward()
assert out.shape == (2, 5, 8)
weight = embedding.weight
assert weight.grad is not None and weight.grad[0].count_nonzero() == 0

layer = nn.TransformerEncoderLayer(8, 2, dim_feedforward=16, batch_first=True, activation="gelu")
encoder = nn.TransformerEncoder(layer, num_layers=1, enable_nested_tensor=False).eval()
causal = nn.Transformer.generate_square_subsequent_mask(5)
encoded: Tensor = encoder(embedding(tokens), mask=causal)
attended, weights = nn.MultiheadAttention(8, 2, batch_first=True)(encoded, encoded, encoded)
assert encoded.shape == attended.shape == (2, 5, 8) and weights.shape == (2, 5, 5)
