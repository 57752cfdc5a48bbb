"""bilinear, a composite of mm and sum, which accumulates as those do.

Source: aten/src/ATen/native/Linear.cpp.
"""

from __future__ import annotations

from typing import Any

from ...calls.checks import check_dim
from ...calls.native import native_function


def _bilinear(input1: Any, input2: Any, weight: Any, bias: Any) -> Any:
    """``input1 @ weight[o] @ input2`` for each output o: one matrix product, then sums of products."""
    check_dim(3, weight=weight)
    if input1.ndim != input2.ndim:
        raise RuntimeError(f"input dimensions do not match: got {input1.ndim} and {input2.ndim}")
    for dim, (one, two) in enumerate(zip(input1.shape[:-1], input2.shape[:-1])):
        if one != two:
            raise RuntimeError(f"input batch dimensions do not match at dim {dim}: got {one} and {two}")
    outputs, width1, width2 = weight.shape
    for name, input, width in (("input1", input1, width1), ("input2", input2, width2)):
        if not input.ndim or input.size(-1) != width:
            raise RuntimeError(
                f"{name} size does not match weight size: got {list(input.shape)} but expected {width} at "
                "the end"
            )
        if input.dtype is not weight.dtype:
            raise RuntimeError(
                f"All tensors must have the same dtype, got {name}: {input.dtype.name}, weight: "
                f"{weight.dtype.name}"
            )
    if bias is not None and bias.shape != (outputs,):
        raise RuntimeError(
            f"bias size does not match weight size: got {list(bias.shape)} but expected {outputs}"
        )
    batch = input1.shape[:-1]
    matrix = weight.permute((1, 0, 2)).reshape((width1, outputs * width2))
    rows = input1.reshape((-1, width1))
    half = rows.mm(matrix).reshape((rows.size(0), outputs, width2))
    # the sum keeps the dtype, as a matrix product does
    result = (half * input2.reshape((-1, 1, width2))).sum(-1, dtype=weight.dtype)
    if bias is not None:
        result = result + bias
    return result.reshape((*batch, outputs))


native_function(
    "bilinear(Tensor input1, Tensor input2, Tensor weight, Tensor? bias=None) -> Tensor",
    composite=_bilinear,
    variants="function",
    doc="""Computes ``input1 @ weight[o] @ input2 + bias[o]`` for each output feature o: inputs (*, n) and
    (*, m), weight (outputs, n, m), bias (outputs), result (*, outputs).  Raises RuntimeError if sizes or
    dtypes do not match.""",
)
