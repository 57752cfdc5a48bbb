"""Fully sharded data parallelism: of parameters, gradients and optimizer state, each process keeps 1/N.

In data-parallel training every process has the whole model; only the examples differ.  Here a process keeps
its part of each parameter, and has the whole of a layer only while the layer computes:

                      layer 1          layer 2                      layer 2            layer 1
    forward:    gather, use, free; gather, use, free    backward: gather, use, free; gather, use, free
                                                                       and scatter the gradients

"gather" is an all_gather of a layer's parameters, one message for all of them; "scatter" is a reduce_scatter
of its gradients: each process receives the mean of its own part.  The gradient of an all_gather is a
reduce_scatter, so that to autograd the whole parameters are simply the result of a Function of the parts
(parameter_group.py).  Optimizers see parts, and update them.

    for layer in model.layers:
        fully_shard(layer)      # each layer's parameters are gathered by themselves
    fully_shard(model)          # and all others, for the time of the whole forward
    optimizer = Adam(model.parameters())    # of the parts

The losses are those of one process with the whole batch, but for the order of sums: the mean of means instead
of one mean.  In float64 they agree to 1e-12 over some steps, in float32 to 1e-5.

Source: Rajbhandari et al., "ZeRO: memory optimizations toward training trillion parameter models", 2020
(stage 3); Zhao et al., "PyTorch FSDP: experiences on scaling fully sharded data parallel", 2023;
torch.distributed.fsdp.fully_shard.
"""

from __future__ import annotations

from .api import MixedPrecisionPolicy
from .fully_shard import FSDPModule, UnshardHandle, fully_shard

__all__ = ["FSDPModule", "MixedPrecisionPolicy", "UnshardHandle", "fully_shard"]
