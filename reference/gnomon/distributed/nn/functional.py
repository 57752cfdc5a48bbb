"""Collectives with derivatives.

Every process r has a loss; what is differentiated is the sum of all.  A collective is a linear map from the
tensors of all processes to those of all, and backward is its transpose, which is a collective, too:

    forward           backward
    broadcast         reduce (the sum, at the source; zeros elsewhere)
    reduce            broadcast
    all_reduce        all_reduce
    all_gather        reduce_scatter
    reduce_scatter    all_gather
    gather            scatter
    scatter           gather
    all_to_all        all_to_all, back

With ``AVG``, both directions divide by the number of processes.  Other reductions than ``SUM`` and ``AVG``
are not linear: their forward runs, their backward raises NotImplementedError.  (PyTorch's backward of a
maximum gives the maximum of the gradients, which is no derivative; and its reduce_scatter and reduce forget
to divide.)

No function changes its input.  Backward is a collective, so all processes of the group must come to it: the
input requires grad in all of them, or in none, and each uses its result.

Source: torch/distributed/nn/functional.py.
"""

from __future__ import annotations

from typing import Any

import gnomon as gn

from ...autograd.function import Function
from ...memory.tensor import Tensor
from .. import collectives
from ..process_group import ProcessGroup, get_rank, get_world_size
from ..reduce_op import ReduceOp

SUM = ReduceOp.SUM


def broadcast(tensor: Tensor, src: int, group: ProcessGroup | None = None) -> Tensor:
    """The tensor of process ``src``, in all.  Source: torch.distributed.nn.functional.broadcast."""
    return _Broadcast.apply(src, group, tensor)


def reduce(tensor: Tensor, dst: int, op: ReduceOp = SUM, group: ProcessGroup | None = None) -> Tensor:
    """The combined tensors in process ``dst``; elsewhere a copy of the tensor, whose gradient is ignored.

    Source: torch.distributed.nn.functional.reduce.
    """
    return _Reduce.apply(dst, op, group, tensor)


def all_reduce(tensor: Tensor, op: ReduceOp = SUM, group: ProcessGroup | None = None) -> Tensor:
    """The combined tensors, in all processes.  Source: torch.distributed.nn.functional.all_reduce."""
    return _AllReduce.apply(op, group, tensor)


def gather(tensor: Tensor, dst: int = 0, group: ProcessGroup | None = None) -> tuple[Tensor, ...]:
    """The tensors of all processes, in process ``dst``; elsewhere zeros, whose gradients are ignored.

    Source: torch.distributed.nn.functional.gather.
    """
    return _Gather.apply(dst, group, tensor)


def scatter(
    tensors: list[Tensor] | tuple[Tensor, ...], src: int = 0, group: ProcessGroup | None = None
) -> Tensor:
    """``tensors[r]`` of process ``src``, in rank r.  All processes give tensors, which have one shape; those
    of the others are not read, and have gradients of zeros.

    Source: torch.distributed.nn.functional.scatter.
    """
    return _Scatter.apply(src, group, *tensors)


def all_gather(tensor: Tensor, group: ProcessGroup | None = None) -> tuple[Tensor, ...]:
    """The tensors of all processes, which have one shape, in all.

    Source: torch.distributed.nn.functional.all_gather.
    """
    return _AllGather.apply(group, tensor)


def reduce_scatter(
    output: Tensor,
    input_list: list[Tensor] | tuple[Tensor, ...],
    op: ReduceOp = SUM,
    group: ProcessGroup | None = None,
) -> Tensor:
    """``input_list[r]`` of all processes, combined, in rank r: in the memory of ``output``, and returned.

    Source: torch.distributed.nn.functional.reduce_scatter.
    """
    return _ReduceScatter.apply(op, group, output.detach(), *input_list)


def all_to_all(
    output_tensor_list: list[Tensor], input_tensor_list: list[Tensor], group: ProcessGroup | None = None
) -> tuple[Tensor, ...]:
    """Send ``input_tensor_list[r]`` to rank r, and return what comes from each, in the memory of
    ``output_tensor_list``.

    Source: torch.distributed.nn.functional.all_to_all.
    """
    return _AllToAll.apply(group, [each.detach() for each in output_tensor_list], *input_tensor_list)


def all_to_all_single(
    output: Tensor,
    input: Tensor,
    output_split_sizes: list[int] | None = None,
    input_split_sizes: list[int] | None = None,
    group: ProcessGroup | None = None,
) -> Tensor:
    """Cut ``input`` along dimension 0 into a part for each rank, and return the joined parts that come from
    each, in the memory of ``output``.

    Source: torch.distributed.nn.functional.all_to_all_single.
    """
    return _AllToAllSingle.apply([output.detach()], output_split_sizes, input_split_sizes, group, input)


class _Broadcast(Function):
    @staticmethod
    def forward(ctx: Any, src: int, group: ProcessGroup | None, tensor: Tensor) -> Tensor:
        ctx.src, ctx.group = src, group
        result = tensor.clone()
        collectives.broadcast(result, src, group)
        return result

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        total = reduce(grad, ctx.src, SUM, ctx.group)
        return None, None, total if get_rank() == ctx.src else total.zero_()


class _Reduce(Function):
    @staticmethod
    def forward(ctx: Any, dst: int, op: ReduceOp, group: ProcessGroup | None, tensor: Tensor) -> Tensor:
        ctx.dst, ctx.op, ctx.group = dst, op, group
        result = tensor.clone()
        collectives.reduce(result, dst, op, group)
        return result

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        return None, None, None, _share(broadcast(grad, ctx.dst, ctx.group), ctx.op, ctx.group)


class _AllReduce(Function):
    @staticmethod
    def forward(ctx: Any, op: ReduceOp, group: ProcessGroup | None, tensor: Tensor) -> Tensor:
        ctx.op, ctx.group = op, group
        result = tensor.clone(memory_format=gn.contiguous_format)
        collectives.all_reduce(result, op, group)
        return result

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        return None, None, _share(all_reduce(grad, SUM, ctx.group), ctx.op, ctx.group)


class _Gather(Function):
    @staticmethod
    def forward(ctx: Any, dst: int, group: ProcessGroup | None, tensor: Tensor) -> tuple[Tensor, ...]:
        ctx.dst, ctx.group = dst, group
        parts = [gn.zeros_like(tensor) for _ in range(get_world_size(group))]
        collectives.gather(tensor, parts if get_rank() == dst else None, dst, group)
        return tuple(parts)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Any:
        return None, None, scatter(grads, ctx.dst, ctx.group)


class _Scatter(Function):
    @staticmethod
    def forward(ctx: Any, src: int, group: ProcessGroup | None, *tensors: Tensor) -> Tensor:
        ctx.src, ctx.group = src, group
        result = gn.zeros_like(tensors[0])
        collectives.scatter(result, list(tensors) if get_rank() == src else None, src, group)
        return result

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        return None, None, *gather(grad, ctx.src, ctx.group)


class _AllGather(Function):
    @staticmethod
    def forward(ctx: Any, group: ProcessGroup | None, tensor: Tensor) -> tuple[Tensor, ...]:
        ctx.group = group
        parts = [gn.empty_like(tensor) for _ in range(get_world_size(group))]
        collectives.all_gather(parts, tensor, group)
        return tuple(parts)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Any:
        return None, reduce_scatter(gn.empty_like(grads[0]), grads, SUM, ctx.group)


class _ReduceScatter(Function):
    @staticmethod
    def forward(
        ctx: Any, op: ReduceOp, group: ProcessGroup | None, output: Tensor, *tensors: Tensor
    ) -> Tensor:
        ctx.op, ctx.group = op, group
        collectives.reduce_scatter(output, list(tensors), op, group)
        return output

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        return None, None, None, *all_gather(_share(grad, ctx.op, ctx.group), ctx.group)


class _AllToAll(Function):
    @staticmethod
    def forward(
        ctx: Any, group: ProcessGroup | None, outputs: list[Tensor], *tensors: Tensor
    ) -> tuple[Tensor, ...]:
        ctx.group = group
        ctx.shapes = [each.shape for each in tensors]
        collectives.all_to_all(outputs, list(tensors), group)
        return tuple(outputs)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Any:
        places = [gn.empty(each, dtype=grads[0].dtype, device=grads[0].device) for each in ctx.shapes]
        return None, None, *all_to_all(places, list(grads), ctx.group)


class _AllToAllSingle(Function):
    @staticmethod
    def forward(
        ctx: Any,
        output: list[Tensor],
        output_sizes: list[int] | None,
        input_sizes: list[int] | None,
        group: ProcessGroup | None,
        input: Tensor,
    ) -> Tensor:
        ctx.sizes, ctx.group, ctx.shape = (input_sizes, output_sizes), group, input.shape
        collectives.all_to_all_single(output[0], input, output_sizes, input_sizes, group)
        return output[0]

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        place = gn.empty(ctx.shape, dtype=grad.dtype, device=grad.device)
        output_sizes, input_sizes = ctx.sizes
        back = all_to_all_single(place, grad, output_sizes, input_sizes, ctx.group)
        return None, None, None, None, back


def _share(grad: Tensor, op: ReduceOp, group: ProcessGroup | None) -> Tensor:
    """The gradient of one process's part in a sum (the gradient itself) or in a mean."""
    if op is SUM:
        return grad
    if op is ReduceOp.AVG:
        return grad / get_world_size(group)
    raise NotImplementedError(f"backward of a collective with {op}, which is not linear: use SUM or AVG")


__all__ = [
    "all_gather",
    "all_reduce",
    "all_to_all",
    "all_to_all_single",
    "broadcast",
    "gather",
    "reduce",
    "reduce_scatter",
    "scatter",
]
