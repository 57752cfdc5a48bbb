"""MixedPrecisionPolicy.  Source: torch/distributed/fsdp/_fully_shard/_fsdp_api.py."""

from __future__ import annotations

from dataclasses import dataclass

from ...values.dtype import dtype


@dataclass(frozen=True)
class MixedPrecisionPolicy:
    """The dtypes in which a module that ``fully_shard`` divides computes.

    param_dtype          of the gathered parameters and of the computation; None: that of the parts, which
                         the optimizer updates
    reduce_dtype         in which gradients are averaged; None: ``param_dtype``
    output_dtype         to which floating point outputs are converted; None: not
    cast_forward_inputs  whether floating point inputs are converted to ``param_dtype``

    Source: torch.distributed.fsdp.MixedPrecisionPolicy.
    """

    param_dtype: dtype | None = None
    reduce_dtype: dtype | None = None
    output_dtype: dtype | None = None
    cast_forward_inputs: bool = True


__all__ = ["MixedPrecisionPolicy"]
