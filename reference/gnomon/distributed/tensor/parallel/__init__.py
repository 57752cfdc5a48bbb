"""Tensor parallelism: one layer's product, divided among processes.

A pair of linear layers, y = f(x A) B, needs one collective.  A is cut by columns, B by rows, in N parts:

            A1 A2               B1
    x  ->  [x A1 | x A2] -> f -> B2  ->  f(x A1) B1 + f(x A2) B2
                                             rank 0     rank 1

Each process computes its columns of x A, applies f to them, which acts on each element alone, and multiplies
with its rows of B.  Only the last sum is over processes: an all_reduce.  Backward is the mirror image: its
all_reduce sums the gradients of x.  An attention is such a pair, too, if A makes queries, keys and values:
the columns are those of some heads, and f is these heads' attention.

    parallelize_module(block, mesh, {"up": ColwiseParallel(), "down": RowwiseParallel()})

cuts the parameters of the two layers (sharding.py) and has them exchange what they must (layouts.py,
style.py).  There is no DTensor: parameters, inputs and outputs are plain tensors, and the model's code sees
those of its own process: it must ask a tensor for its size, not the configuration.  Losses are those of one
process, but for the order in which the products are summed: in float64 they agree to 1e-12 over some steps,
in float32 to 1e-5.

Source: Shoeybi et al., "Megatron-LM: training multi-billion parameter language models using model
parallelism", 2019; Korthikanti et al., "Reducing activation recomputation in large transformer models", 2022
(SequenceParallel); torch.distributed.tensor.parallel.
"""

from __future__ import annotations

from .api import parallelize_module
from .style import ColwiseParallel, ParallelStyle, RowwiseParallel, SequenceParallel

__all__ = [
    "ColwiseParallel",
    "ParallelStyle",
    "RowwiseParallel",
    "SequenceParallel",
    "parallelize_module",
]
