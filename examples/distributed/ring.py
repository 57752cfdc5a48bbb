"""The ring, by which many libraries sum a tensor over ranks, from messages to the right neighbour.

python -m gnomon.distributed.run --nproc 3 examples/distributed/ring.py
"""

import gnomon as gn
import gnomon.distributed as dist


def ring_all_reduce(tensor: gn.Tensor) -> None:
    """What ``all_reduce`` does: 2 (n - 1) messages of each of n ranks, each with an n-th of the tensor."""
    rank, size = dist.get_rank(), dist.get_world_size()
    right, left = (rank + 1) % size, (rank - 1) % size
    parts = tensor.chunk(size)
    received = gn.empty_like(parts[0])
    for step in range(size - 1):  # then part rank + 1 is whole
        sending = dist.isend(parts[(rank - step) % size], right)
        dist.recv(received, left)
        parts[(rank - step - 1) % size].add_(received)
        sending.wait()
    for step in range(size - 1):  # then all are
        sending = dist.isend(parts[(rank - step + 1) % size], right)
        dist.recv(received, left)
        parts[(rank - step) % size].copy_(received)
        sending.wait()


def main() -> None:
    dist.init_process_group()
    rank, size = dist.get_rank(), dist.get_world_size()
    mine = gn.arange(2 * size) + 100 * rank
    ours = mine.clone()
    ring_all_reduce(ours)
    dist.all_reduce(mine)
    assert gn.equal(ours, mine)
    if rank == 0:
        print(f"the sum over {size} ranks:", ours.tolist())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
