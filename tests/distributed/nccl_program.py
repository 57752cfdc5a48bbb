"""What test_nccl.py runs in each process: process r uses the emulated device cuda:r."""

from __future__ import annotations

import pytest

import gnomon as gn
import gnomon.distributed as dist
from gnomon.distributed import ReduceOp

dist.init_process_group()
rank, size = dist.get_rank(), dist.get_world_size()
here = gn.device("cuda", rank)
assert dist.is_nccl_available() and dist.get_backend() == "nccl"


def on(values: object, dtype: gn.dtype = gn.float32) -> gn.Tensor:
    return gn.tensor(values, dtype=dtype).to(here)


# Every dtype that it combines, against the host's own group of the same numbers.
for dtype in (
    gn.int8,
    gn.uint8,
    gn.int32,
    gn.int64,
    gn.float16,
    gn.bfloat16,
    gn.float32,
    gn.float64,
    gn.bool,
):
    numbers = [1, 0, 3, (rank * 5) % 4, rank + 1]
    for op in ReduceOp:
        x, y = on(numbers, dtype), gn.tensor(numbers, dtype=dtype)
        if op in (ReduceOp.BAND, ReduceOp.BOR, ReduceOp.BXOR) or (op is ReduceOp.AVG and dtype is gn.bool):
            with pytest.raises(RuntimeError, match="annot use"):
                dist.all_reduce(x, op)
            continue
        dist.all_reduce(x, op)
        dist.all_reduce(y, op)
        assert x.device == here and x.dtype is dtype and gn.equal(x.cpu(), y), (dtype, op, x, y)
for dtype in (gn.complex64, gn.complex128):
    x = on([1 + 2j, rank * 1j], dtype)
    dist.all_reduce(x)
    assert x.cpu().tolist() == [size * (1 + 2j), sum(range(size)) * 1j]
with pytest.raises(RuntimeError, match=r"can not combine tensors of dtype gnomon\.int16"):
    dist.all_reduce(on([1], gn.int16))

# More than the emulation moves at once, and asynchronous.
large = gn.arange(50000, dtype=gn.float32).to(here) + rank
work = dist.all_reduce(large, async_op=True)
assert work is not None
work.wait()
expected = gn.arange(50000, dtype=gn.float32) * size + sum(range(size))
assert gn.equal(large.cpu(), expected) and work.is_completed()

# Layouts: transposed, empty, a part.
base = gn.arange(12.0).view(3, 4).to(here) + rank
dist.all_reduce(base.t()[1:])
wanted = gn.arange(12.0).view(3, 4) + rank
wanted[:, 1:] = gn.arange(12.0).view(3, 4)[:, 1:] * size + sum(range(size))
assert gn.equal(base.cpu(), wanted)
dist.all_reduce(gn.empty(0, device=here))

root = size - 1
x = on([rank, rank], gn.int16)
dist.broadcast(x, root)
assert x.cpu().tolist() == [root, root]
y = on([rank + 1.0])
dist.reduce(y, root, ReduceOp.AVG)
assert y.item() == ((size + 1) / 2 if rank == root else rank + 1.0)
parts = [gn.empty(2, device=here) for _ in range(size)]
dist.all_gather(parts, on([rank, -rank]))
assert [each.cpu().tolist() for each in parts] == [[r, -r] for r in range(size)]
out = gn.empty(2, device=here)
dist.reduce_scatter(out, [on([r, rank]) for r in range(size)])
assert out.cpu().tolist() == [rank * size, sum(range(size))]
gathered = [gn.empty(1, device=here) for _ in range(size)] if rank == root else None
dist.gather(on([rank]), gathered, dst=root)
if gathered is not None:
    assert [each.item() for each in gathered] == list(range(size))
part = gn.empty(1, dtype=gn.int64, device=here)
dist.scatter(part, [on([10 * r], gn.int64) for r in range(size)] if rank == root else None, src=root)
assert part.item() == 10 * rank
found = [gn.empty(rank + 1, device=here) for _ in range(size)]
dist.all_to_all(found, [gn.full((r + 1,), float(10 * rank + r), device=here) for r in range(size)])
assert [each.cpu().tolist() for each in found] == [[10.0 * r + rank] * (rank + 1) for r in range(size)]
if size > 1:
    right, left = (rank + 1) % size, (rank - 1) % size
    received = gn.empty(40000, device=here)
    if rank % 2:
        assert dist.recv(received, left) == left
        dist.send(gn.full((40000,), float(rank), device=here), right)
    elif not (size % 2 and rank == size - 1):
        dist.send(gn.full((40000,), float(rank), device=here), right)
        assert dist.recv(received, left) == left
    else:
        assert dist.recv(received, left) == left
        dist.send(gn.full((40000,), float(rank), device=here), right)
    assert gn.equal(received.cpu(), gn.full((40000,), float(left)))
    group = dist.new_group([0, 1])
    if rank < 2:
        z = on([rank + 1.0])
        dist.all_reduce(z, group=group)
        assert z.item() == 3.0
    # NVIDIA's NCCL would wait for ever here, or add other bytes.
    with pytest.raises(RuntimeError, match="ranks call different collectives"):
        dist.all_reduce(gn.ones(rank + 1, device=here))
dist.barrier()
dist.destroy_process_group()
print("all is well")
