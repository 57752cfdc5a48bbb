"""Many tensors at once: the same state of a module on all processes.

Source: torch/distributed/utils.py (_verify_param_shape_across_processes, _sync_module_states),
torch/csrc/distributed/c10d/comm.cpp (broadcast_coalesced).
"""

from __future__ import annotations

from collections.abc import Sequence

import gnomon as gn

from ..memory.tensor import Tensor
from .collectives import all_gather, broadcast
from .process_group import ProcessGroup

BROADCAST_BYTES = 250 << 20  # sent as one


def broadcast_coalesced(group: ProcessGroup, tensors: Sequence[Tensor], source: int = 0) -> None:
    """Copy the tensors of the group's rank ``source`` to the others', in few messages.

    Version counters stay: a graph that saved one of them is not disturbed.
    """
    messages: dict[object, list[list[Tensor]]] = {}
    sizes: dict[object, int] = {}
    for each in tensors:
        key = each.dtype, each.device
        sizes[key] = sizes.get(key, 0) + each.numel() * each.element_size()
        if key not in messages or sizes[key] > BROADCAST_BYTES:
            messages.setdefault(key, []).append([])
            sizes[key] = each.numel() * each.element_size()
        messages[key][-1].append(each)
    with gn.no_grad():
        for parts in (part for all_of in messages.values() for part in all_of):
            flat = gn.cat([each.detach().reshape(-1) for each in parts])
            broadcast(flat, group=group, group_src=source)
            if group.rank() != source:
                for tensor, values in zip(parts, flat.split([each.numel() for each in parts])):
                    tensor.data.copy_(values.view(tensor.shape))


def verify_shapes(group: ProcessGroup, tensors: Sequence[Tensor], names: Sequence[str]) -> None:
    """Raise RuntimeError, on all ranks, unless all have as many tensors, with the shapes of rank 0.

    Source: _verify_param_shape_across_processes.
    """
    device = tensors[0].device
    own = gn.tensor([len(tensors)], dtype=gn.int64, device=device)
    counts = [gn.empty_like(own) for _ in range(group.size())]
    all_gather(counts, own, group=group)
    numbers = [each.item() for each in counts]
    for rank, number in enumerate(numbers):
        if number != len(tensors):
            raise RuntimeError(
                f"DDP expects same model across all ranks, but Rank {group.rank()} has {len(tensors)} "
                f"params, while rank {rank} has inconsistent {number} params."
            )
    if len(set(numbers)) > 1:
        raise RuntimeError(
            f"DDP expects same model across all ranks, but the numbers of params are {numbers}."
        )
    # as many numbers on each rank, whatever the shapes: the number of dimensions and 8 sizes
    shapes = [[each.dim(), *each.shape[:8], *[0] * (8 - each.dim())] for each in tensors]
    agreed = gn.tensor(shapes, dtype=gn.int64, device=device)
    all_of = [gn.empty_like(agreed) for _ in range(group.size())]
    all_gather(all_of, agreed, group=group)
    first = all_of[0].tolist()
    for rank, other in enumerate(all_of):
        for index, (found, wanted) in enumerate(zip(other.tolist(), first)):
            if found != wanted:
                raise RuntimeError(
                    f"[{rank}]: params[{index}] ({names[index]}) in this process with sizes "
                    f"{found[1 : 1 + found[0]]} appears not to match sizes of the same param in process 0: "
                    f"{wanted[1 : 1 + wanted[0]]}."
                )


__all__ = ["broadcast_coalesced", "verify_shapes"]
