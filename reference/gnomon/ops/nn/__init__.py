"""Operators of neural networks: activations, softmax, convolutions, pooling, attention, embeddings."""

from . import (
    activation,
    adaptive_pooling,
    attention,
    batch_norm,
    convolution,
    dropout,
    embedding,
    embedding_bag,
    folding,
    grid_sampling,
    norm_layers,
    padding,
    pooling,
    resampling,
    rrelu,
    softmax,
)

__all__ = [
    "activation",
    "adaptive_pooling",
    "attention",
    "batch_norm",
    "convolution",
    "dropout",
    "embedding",
    "embedding_bag",
    "folding",
    "grid_sampling",
    "norm_layers",
    "padding",
    "pooling",
    "resampling",
    "rrelu",
    "softmax",
]
