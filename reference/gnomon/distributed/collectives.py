"""The collectives: functions that all processes of a group call together.

Each checks its arguments, with ``GNOMON_DISTRIBUTED_DEBUG=detail`` compares them with the other ranks', and
gives tensors to the group's Backend as it can use them.  None of them records a graph.

Source: torch/distributed/distributed_c10d.py.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from ..memory.tensor import Tensor
from . import debug, staging
from .checks import (
    check_count,
    check_same_dtype,
    check_shapes,
    check_tensor,
    check_tensors,
    is_outside,
    root_of,
)
from .errors import DistBackendError
from .process_group import ProcessGroup, resolved
from .progress import Call, one_call
from .reduce_op import ReduceOp, check_reduction
from .work import Work, completed, finish


def broadcast(
    tensor: Tensor,
    src: int | None = None,
    group: ProcessGroup | None = None,
    async_op: bool = False,
    group_src: int | None = None,
) -> Work | None:
    """Copy the tensor of process ``src`` (or of rank ``group_src`` in the group) to all others' ``tensor``.

    Returns a Work with ``async_op``, else None, after the end; so do all collectives.
    Raises TypeError for what is no tensor, ValueError for a rank that is not in the group.
    Source: torch.distributed.broadcast.
    """
    check_tensor("broadcast", "tensor", tensor, is_written=True)
    if is_outside("broadcast", group):
        return None
    found = resolved(group)
    root = root_of(found, src, group_src)
    debug.compare(found, "BROADCAST", [tensor], root=root)
    backend = found.backend_for(tensor)
    place, back = staging.place_for(tensor, backend)
    return finish(staging.returning(backend.broadcast(place, root), back), async_op)


def all_reduce(
    tensor: Tensor, op: ReduceOp = ReduceOp.SUM, group: ProcessGroup | None = None, async_op: bool = False
) -> Work | None:
    """Combine the tensors of all processes, element by element, in place: all get the same result.

    Raises ValueError for an ``op`` that complex numbers do not have, RuntimeError for one that the dtype has
    not.  Source: torch.distributed.all_reduce.
    """
    check_tensor("all_reduce", "tensor", tensor, is_written=True)
    check_reduction("all_reduce", op, tensor)
    if is_outside("all_reduce", group):
        return None
    found = resolved(group)
    debug.compare(found, "ALLREDUCE", [tensor], op=op)
    backend = found.backend_for(tensor)
    place, back = staging.place_for(tensor, backend)
    return finish(staging.returning(backend.all_reduce(place, op), back), async_op)


def all_reduce_coalesced(
    tensors: list[Tensor],
    op: ReduceOp = ReduceOp.SUM,
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:
    """``all_reduce`` of several tensors of one dtype, sent as one.

    Source: torch.distributed.all_reduce_coalesced.
    """
    check_tensors("all_reduce_coalesced", "tensor", tensors, is_written=True)
    check_same_dtype(*tensors)
    for each in tensors:
        check_reduction("all_reduce_coalesced", op, each)
    if is_outside("all_reduce_coalesced", group):
        return None
    found = resolved(group)
    debug.compare(found, "ALLREDUCE_COALESCED", tensors, op=op)
    if not tensors:
        return finish(completed(Call("all_reduce_coalesced", found.group_name, found.rank()), []), async_op)
    backend = found.backend_for(tensors[0])
    place = staging.flat(tensors, backend)
    work = backend.all_reduce(place, op)

    def back() -> None:
        for part, tensor in zip(place.split([each.numel() for each in tensors]), tensors):
            staging.copy(tensor, part.view(tensor.shape))

    return finish(work.before(back), async_op)


def reduce(
    tensor: Tensor,
    dst: int | None = None,
    op: ReduceOp = ReduceOp.SUM,
    group: ProcessGroup | None = None,
    async_op: bool = False,
    group_dst: int | None = None,
) -> Work | None:
    """Combine the tensors of all processes, in the tensor of process ``dst``.  The others' stay as they are.

    Source: torch.distributed.reduce.
    """
    check_tensor("reduce", "tensor", tensor, is_written=True)
    check_reduction("reduce", op, tensor)
    if is_outside("reduce", group):
        return None
    found = resolved(group)
    root = root_of(found, dst, group_dst)
    debug.compare(found, "REDUCE", [tensor], op=op, root=root)
    backend = found.backend_for(tensor)
    if found.rank() != root:
        return finish(backend.reduce(staging.given(tensor, backend), root, op), async_op)
    place, back = staging.place_for(tensor, backend)
    return finish(staging.returning(backend.reduce(place, root, op), back), async_op)


def all_gather(
    tensor_list: list[Tensor], tensor: Tensor, group: ProcessGroup | None = None, async_op: bool = False
) -> Work | None:
    """Copy the tensor of each rank r to all processes' ``tensor_list[r]``.  All have the same shape and
    dtype.

    Raises RuntimeError for a list of another length and for another shape, ValueError for another dtype.
    Source: torch.distributed.all_gather.
    """
    check_tensors("all_gather", "tensor_list", tensor_list, is_written=True)
    check_tensor("all_gather", "tensor", tensor)
    check_same_dtype(tensor, *tensor_list)
    if is_outside("all_gather", group):
        return None
    found = resolved(group)
    check_count("all_gather", "tensor_list", tensor_list, found.size())
    check_shapes("all_gather", "tensor_list", tensor_list, tensor)
    debug.compare(found, "ALLGATHER", [tensor])
    backend = found.backend_for(tensor)
    room, back = staging.room_for(tensor_list, backend)
    return finish(backend.all_gather(room, staging.given(tensor, backend)).before(back), async_op)


@one_call()
def all_gather_coalesced(
    output_tensor_lists: list[list[Tensor]],
    input_tensor_list: list[Tensor],
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:
    """``all_gather`` of several tensors: ``input_tensor_list[i]`` of rank r to ``output_tensor_lists[r][i]``.

    Source: torch.distributed.all_gather_coalesced.
    """
    name = "all_gather_coalesced"
    if not isinstance(output_tensor_lists, list):
        raise TypeError("Invalid function argument: output_tensor_lists should be a list")
    check_tensors(name, "tensor_list", input_tensor_list)
    for each in output_tensor_lists:
        check_tensors(name, "output_tensor_lists", each, is_written=True)
    if is_outside(name, group):
        return None
    found = resolved(group)
    if len(output_tensor_lists) != found.size():
        raise ValueError(
            f"{name}: expected one list for each of {found.size()} ranks, got {len(output_tensor_lists)}"
        )
    works = []
    for number, tensor in enumerate(input_tensor_list):
        tensors = [each[number] for each in output_tensor_lists]
        work = all_gather(tensors, tensor, group, True)
        assert work is not None, "this process is in the group"
        works.append(work)
    last = completed(Call(name, found.group_name, found.rank()), [])

    def wait_for_all() -> None:
        for each in works:
            each.wait()

    return finish(last.before(wait_for_all), async_op)


def all_gather_into_tensor(
    output_tensor: Tensor, input_tensor: Tensor, group: ProcessGroup | None = None, async_op: bool = False
) -> Work | None:
    """Copy the tensors of all ranks into ``output_tensor``: joined along dimension 0, or stacked along a new
    one.

    Raises RuntimeError for an output that has neither shape, ValueError for another dtype.
    Source: torch.distributed.all_gather_into_tensor.
    """
    name = "all_gather_into_tensor"
    check_tensor(name, "input_tensor", input_tensor)
    check_tensor(name, "output_tensor", output_tensor, is_written=True)
    check_same_dtype(output_tensor, input_tensor)
    if is_outside(name, group):
        return None
    found = resolved(group)
    _check_parts(name, "output_tensor", output_tensor, "input_tensor", input_tensor, found.size())
    debug.compare(found, "_ALLGATHER_BASE", [input_tensor])
    backend = found.backend_for(output_tensor)
    place, back = staging.place_for(output_tensor, backend)
    work = backend.all_gather(place, staging.given(input_tensor, backend, place))
    return finish(staging.returning(work, back), async_op)


all_gather_single = all_gather_into_tensor


def reduce_scatter(
    output: Tensor,
    input_list: list[Tensor],
    op: ReduceOp = ReduceOp.SUM,
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:
    """Combine ``input_list[r]`` of all processes in the ``output`` of rank r.

    Source: torch.distributed.reduce_scatter.
    """
    check_tensor("reduce_scatter", "output", output, is_written=True)
    check_tensors("reduce_scatter", "input_list", input_list)
    check_same_dtype(output, *input_list)
    check_reduction("reduce_scatter", op, output)
    if is_outside("reduce_scatter", group):
        return None
    found = resolved(group)
    check_count("reduce_scatter", "input_list", input_list, found.size())
    check_shapes("reduce_scatter", "input_list", input_list, output)
    debug.compare(found, "REDUCE_SCATTER", [output], op=op)
    backend = found.backend_for(output)
    place, back = staging.place_for(output, backend)
    work = backend.reduce_scatter(place, staging.flat(input_list, backend), op)
    return finish(staging.returning(work, back), async_op)


def reduce_scatter_tensor(
    output: Tensor,
    input: Tensor,
    op: ReduceOp = ReduceOp.SUM,
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:
    """Combine the inputs of all processes; each rank gets its part, along dimension 0, in ``output``.

    Raises RuntimeError unless ``input`` is as large as the outputs of all ranks, joined or stacked.
    Source: torch.distributed.reduce_scatter_tensor.
    """
    name = "reduce_scatter_tensor"
    check_tensor(name, "output", output, is_written=True)
    check_tensor(name, "input", input)
    check_same_dtype(output, input)
    check_reduction(name, op, output)
    if is_outside(name, group):
        return None
    found = resolved(group)
    _check_parts(name, "input", input, "output", output, found.size())
    debug.compare(found, "_REDUCE_SCATTER_BASE", [output], op=op)
    backend = found.backend_for(output)
    place, back = staging.place_for(output, backend)
    work = backend.reduce_scatter(place, staging.given(input, backend, place), op)
    return finish(staging.returning(work, back), async_op)


reduce_scatter_single = reduce_scatter_tensor


def all_to_all(
    output_tensor_list: list[Tensor],
    input_tensor_list: list[Tensor],
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:
    """Send ``input_tensor_list[r]`` to rank r, and receive ``output_tensor_list[r]`` from it.

    The tensors may have different sizes.  Source: torch.distributed.all_to_all.
    """
    check_tensors("all_to_all", "output_tensor_list", output_tensor_list, is_written=True)
    check_tensors("all_to_all", "input_tensor_list", input_tensor_list)
    check_same_dtype(*output_tensor_list, *input_tensor_list)
    if is_outside("all_to_all", group):
        return None
    found = resolved(group)
    for argument, each in (
        ("output_tensor_list", output_tensor_list),
        ("input_tensor_list", input_tensor_list),
    ):
        check_count("all_to_all", argument, each, found.size())
    expected, sent = (
        [each.numel() for each in tensors] for tensors in (output_tensor_list, input_tensor_list)
    )
    debug.compare(found, "ALLTOALL", input_tensor_list, counts=(expected, sent))
    backend = found.backend_for(output_tensor_list[0])
    room, back = staging.room_for(output_tensor_list, backend)
    work = backend.all_to_all(room, staging.flat(input_tensor_list, backend), expected, sent)
    return finish(work.before(back), async_op)


def all_to_all_single(
    output: Tensor,
    input: Tensor,
    output_split_sizes: list[int] | None = None,
    input_split_sizes: list[int] | None = None,
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:
    """Cut ``input`` along dimension 0 into a part for each rank, and join in ``output`` what comes from each.

    Without sizes, the parts are equal.  Raises RuntimeError for sizes whose sum is another.
    Source: torch.distributed.all_to_all_single.
    """
    name = "all_to_all_single"
    check_tensor(name, "output", output, is_written=True)
    check_tensor(name, "input", input)
    check_same_dtype(output, input)
    if is_outside(name, group):
        return None
    found = resolved(group)
    expected, sent = (
        _counts(name, argument, tensor, sizes, found.size())
        for argument, tensor, sizes in (
            ("output", output, output_split_sizes),
            ("input", input, input_split_sizes),
        )
    )
    debug.compare(found, "ALLTOALL_BASE", [input], counts=(expected, sent))
    backend = found.backend_for(output)
    place, back = staging.place_for(output, backend)
    work = backend.all_to_all(place, staging.given(input, backend, place), expected, sent)
    return finish(staging.returning(work, back), async_op)


def gather(
    tensor: Tensor,
    gather_list: list[Tensor] | None = None,
    dst: int | None = None,
    group: ProcessGroup | None = None,
    async_op: bool = False,
    group_dst: int | None = None,
) -> Work | None:
    """Copy the tensor of each rank r to ``gather_list[r]`` of process ``dst`` (default: 0), which gives one.

    Raises ValueError for a ``gather_list`` elsewhere, or none there.  Source: torch.distributed.gather.
    """
    check_tensor("gather", "tensor", tensor)
    tensors = gather_list or []
    check_tensors("gather", "gather_list", tensors, is_written=True)
    check_same_dtype(tensor, *tensors)
    if is_outside("gather", group):
        return None
    found = resolved(group)
    root = root_of(found, dst, group_dst, 0)
    _check_list_at_root("gather_list", tensors, found.rank() == root, "destination")
    if found.rank() == root:
        check_count("gather", "gather_list", tensors, found.size())
        check_shapes("gather", "gather_list", tensors, tensor)
    debug.compare(found, "GATHER", [tensor], root=root)
    backend = found.backend_for(tensor)
    if found.rank() != root:
        return finish(backend.gather(None, staging.given(tensor, backend), root), async_op)
    room, back = staging.room_for(tensors, backend)
    return finish(backend.gather(room, staging.given(tensor, backend), root).before(back), async_op)


def scatter(
    tensor: Tensor,
    scatter_list: list[Tensor] | None = None,
    src: int | None = None,
    group: ProcessGroup | None = None,
    async_op: bool = False,
    group_src: int | None = None,
) -> Work | None:
    """Copy ``scatter_list[r]`` of process ``src`` (default: 0), which gives one, to the tensor of rank r.

    Raises ValueError for a ``scatter_list`` elsewhere, or none there.  Source: torch.distributed.scatter.
    """
    check_tensor("scatter", "tensor", tensor, is_written=True)
    tensors = scatter_list or []
    check_tensors("scatter", "scatter_list", tensors)
    check_same_dtype(tensor, *tensors)
    if is_outside("scatter", group):
        return None
    found = resolved(group)
    root = root_of(found, src, group_src, 0)
    _check_list_at_root("scatter_list", tensors, found.rank() == root, "source")
    if found.rank() == root:
        check_count("scatter", "scatter_list", tensors, found.size())
        check_shapes("scatter", "scatter_list", tensors, tensor)
    debug.compare(found, "SCATTER", [tensor], root=root)
    backend = found.backend_for(tensor)
    place, back = staging.place_for(tensor, backend)
    parts = staging.flat(tensors, backend) if found.rank() == root else None
    return finish(staging.returning(backend.scatter(place, parts, root), back), async_op)


def barrier(
    group: ProcessGroup | None = None,
    async_op: bool = False,
    device_ids: Any = None,
    timeout: timedelta | None = None,
) -> Work | None:
    """Wait until all processes of the group have called it.  ``device_ids`` is for NCCL, and ignored.

    Source: torch.distributed.barrier.
    """
    if is_outside("barrier", group):
        return None
    found = resolved(group)
    debug.compare(found, "BARRIER", [])
    work = found.mpi.barrier()
    if async_op:
        return work
    work.wait(timeout)
    return None


@one_call()
def monitored_barrier(
    group: ProcessGroup | None = None, timeout: timedelta | None = None, wait_all_ranks: bool = False
) -> None:
    """A barrier that names the ranks that did not come within ``timeout`` (default: the group's).

    ``wait_all_ranks`` has no effect: all are named always.  Raises RuntimeError.
    Source: torch.distributed.monitored_barrier.
    """
    if is_outside("monitored_barrier", group):
        return
    found = resolved(group)
    limit = found.timeout if timeout is None else timeout
    absent = debug.missing(found, "MONITORED_BARRIER", limit.total_seconds())
    if absent:
        ranks = ", ".join(str(found.ranks[each]) for each in absent)
        raise DistBackendError(
            f"[Rank {found.rank()}]: Ranks {ranks} failed to pass monitoredBarrier in "
            f"{round(limit.total_seconds() * 1000)} ms"
        )


def _check_parts(name: str, whole: str, large: Tensor, part: str, small: Tensor, size: int) -> None:
    joined = (small.shape[0] * size, *small.shape[1:]) if small.dim() else (size,)
    if tuple(large.shape) not in (joined, (size, *small.shape)):
        raise RuntimeError(
            f"{name}: expected {whole} to have shape {joined} or {(size, *small.shape)}, {size} times that "
            f"of {part}; got {tuple(large.shape)}"
        )


def _counts(name: str, argument: str, tensor: Tensor, sizes: list[int] | None, ranks: int) -> list[int]:
    """The number of elements of each rank's part."""
    if tensor.dim() == 0:
        raise RuntimeError(f"{name}: argument '{argument}' must have at least one dimension")
    rows = tensor.shape[0]
    if not sizes:
        if rows % ranks:
            raise RuntimeError(
                f"{name}: the first dimension of '{argument}', {rows}, is not divisible by the number of "
                f"ranks, {ranks}"
            )
        sizes = [rows // ranks] * ranks
    if len(sizes) != ranks or sum(sizes) != rows or min(sizes) < 0:
        raise RuntimeError(
            f"{name}: expected {argument}_split_sizes to be {ranks} numbers whose sum is {rows}, the first "
            f"dimension of '{argument}'; got {list(sizes)}"
        )
    each = tensor.numel() // rows if rows else 0
    return [size * each for size in sizes]


def _check_list_at_root(argument: str, tensors: list[Tensor], is_root: bool, kind: str) -> None:
    if is_root and not tensors:
        raise ValueError(f"Argument ``{argument}`` must be specified on {kind} rank.")
    if not is_root and tensors:
        raise ValueError(f"Argument ``{argument}`` must NOT be specified on non-{kind} ranks.")


__all__ = [
    "all_gather",
    "all_gather_coalesced",
    "all_gather_into_tensor",
    "all_gather_single",
    "all_reduce",
    "all_reduce_coalesced",
    "all_to_all",
    "all_to_all_single",
    "barrier",
    "broadcast",
    "gather",
    "monitored_barrier",
    "reduce",
    "reduce_scatter",
    "reduce_scatter_single",
    "reduce_scatter_tensor",
    "scatter",
]
