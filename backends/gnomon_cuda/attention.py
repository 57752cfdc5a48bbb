"""Fused scaled dot product attention and its gradients, by csrc/cuda/attention.cu."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from gnomon.memory.prepared import NOT_IMPLEMENTED, OK
from gnomon.memory.tensor import Tensor

from .direct import Direct, Work, tables
from .launcher import THREADS
from .programs import Program
from .tables import DTYPES

TEXT = "attention.cu"
STRUCTURES = """
typedef struct { uintptr_t at; int64_t batch; int64_t head; int64_t row; int64_t column; } gn_heads;
typedef struct {
    int64_t batches; int64_t heads; int64_t key_heads; int64_t queries; int64_t keys; int64_t width;
    int64_t is_causal; double scale;
    gn_heads query; gn_heads key; gn_heads value; gn_heads out; gn_heads gradient;
    gn_heads for_query; gn_heads for_key; gn_heads for_value;
    gn_parameter mask; int64_t mask_strides[4];
    uintptr_t logs; int64_t log_strides[3]; uintptr_t products;
} gn_attention;
"""
TILE = 64  # queries and keys per block, and columns of each of its pieces
MOST_BLOCKS = 2**31 - 1
_NO_HEADS = (0, 0, 0, 0, 0)
_NAMES = ("attention_forward", "attention_for_query", "attention_for_key")


def kernels_for(dtype: str) -> list[str]:
    """The kernels of a dtype; those of float64 have one piece, because of registers."""
    pieces = (1,) if dtype == "float64" else (1, 2)
    return [f"{name}<{each}>" for each in pieces for name in _NAMES] + ["attention_products<0>"]


def _heads(tensor: Tensor) -> tuple[int, ...]:
    return (int(tensor._address), *tensor._spec.strides)


def _mask(tensor: Tensor | None) -> tuple[tuple[int, int], list[int]]:
    """The address and dtype code of a 2-D or 4-D mask, and its strides, which are 0 where it broadcasts."""
    if tensor is None:
        return (0, 0), [0] * 4
    spec = tensor._spec
    strides = [0 if size == 1 else stride for size, stride in zip(spec.sizes, spec.strides)]
    return (int(tensor._address), spec.dtype.code), [0] * (4 - spec.ndim) + strides


class _Call:
    """One call; ``parts`` are the members of gn_attention that not every call has."""

    def __init__(
        self,
        work: Work,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None,
        logs: Tensor,
        arguments: dict[str, Any],
    ):
        self._work = work
        self._dtype = query._spec.dtype.name
        self.batches, self.heads, self.queries, self.width = query._spec.sizes
        self.key_heads, self.keys = key._spec.sizes[1:3]
        scale = arguments["scale"]
        self._scale = 1 / math.sqrt(self.width) if scale is None else scale
        self._is_causal = int(arguments["is_causal"])
        self._tensors = [_heads(each) for each in (query, key, value)]
        self._mask = _mask(mask)
        self._logs = int(logs._address), list(logs._spec.strides)

    def run(self, name: str, blocks: int, parts: Sequence[Any], products: int = 0) -> None:
        """Launches the kernel ``name`` for all pieces of its tiles, or the kernel with that complete name."""
        if not blocks:
            return
        if "<" not in name:
            pieces = 1 if self.width <= TILE or self._dtype == "float64" else 2
            name = f"{name}<{pieces}>"
            blocks *= -(-self.width // (TILE * pieces))
        structure = self._work.structure(
            "gn_attention",
            (
                self.batches,
                self.heads,
                self.key_heads,
                self.queries,
                self.keys,
                self.width,
                self._is_causal,
                self._scale,
                *self._tensors,
                *parts,
                *self._mask,
                *self._logs,
                products,
            ),
        )
        grid = (min(blocks, MOST_BLOCKS), 1, 1)
        self._work.launch(TEXT, self._dtype, name, grid, [structure], kernels_for(self._dtype))


def _forward(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    out, logs, query, key, value, mask = tensors
    if not query._spec.numel:
        return OK
    call = _Call(work, query, key, value, mask, logs, arguments)
    blocks = call.batches * call.heads * -(-call.queries // TILE)
    call.run("attention_forward", blocks, [_heads(out), *[_NO_HEADS] * 4])
    return OK


def _backward(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    for_query, for_key, for_value, gradient, query, key, value, out, logs, mask = tensors
    if not key._spec.numel:
        return OK if not query._spec.numel else NOT_IMPLEMENTED
    call = _Call(work, query, key, value, mask, logs, arguments)
    parts = [_heads(each) for each in (out, gradient, for_query, for_key, for_value)]
    rows = call.batches * call.heads * call.queries
    products = work.temporary(8 * max(rows, 1))
    call.run("attention_products<0>", -(-rows * 32 // THREADS), parts, products.address)
    blocks = call.batches * call.heads * -(-call.queries // TILE)
    call.run("attention_for_query", blocks, parts, products.address)
    blocks = call.batches * call.key_heads * -(-call.keys // TILE)
    call.run("attention_for_key", blocks, parts, products.address)
    return OK


def programs() -> Iterator[Program]:
    """All programs of this family."""
    for dtype in DTYPES["FLOATING"]:
        yield Program(TEXT, dtype, tuple(kernels_for(dtype)))


def kernels(runtime: Any) -> tuple[dict[str, Any], dict[str, tuple[str, ...]], dict[str, str]]:
    """The kernels, the dtypes and the source locations, each by operator."""
    runtime.declare(STRUCTURES)
    name = "_scaled_dot_product_flash_attention_for_cpu"
    functions = {name: _forward, f"{name}_backward": _backward}
    source = f"csrc/cuda/{TEXT}"
    found = [Direct(each, DTYPES["FLOATING"], function, source) for each, function in functions.items()]
    return tables(runtime, found)
