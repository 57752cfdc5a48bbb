"""What test_nccl.py runs in each process: a model trained on emulated device cuda:r by process r."""

from __future__ import annotations

import gnomon as gn
import gnomon.distributed as dist
from gnomon import nn
from gnomon.distributed.optim import ZeroRedundancyOptimizer
from gnomon.nn.parallel import DistributedDataParallel

dist.init_process_group()
rank, size = dist.get_rank(), dist.get_world_size()
gn.manual_seed(0)
examples, targets = gn.randn(12, 4), gn.randn(12, 2)


def losses(device: gn.device, divided: bool, as_view: bool) -> list[float]:
    """The means of all processes, of three steps."""
    gn.manual_seed(1)
    model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2)).to(device)
    ids = None if device.type == "cpu" else [rank]
    parallel = DistributedDataParallel(model, device_ids=ids, gradient_as_bucket_view=as_view)
    optimizer: gn.optim.Optimizer = gn.optim.Adam(parallel.parameters(), lr=0.01)
    if divided:
        optimizer = ZeroRedundancyOptimizer(parallel.parameters(), gn.optim.Adam, lr=0.01)
    found = []
    for _ in range(3):
        x, target = (each.chunk(size)[rank].to(device) for each in (examples, targets))
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(parallel(x), target)
        loss.backward()
        optimizer.step()
        mean = loss.detach()
        dist.all_reduce(mean, dist.ReduceOp.AVG)
        found.append(mean.item())
    for each in model.parameters():
        assert each.device == device and each.grad is not None and each.grad.device == device
    return found


expected = losses(gn.device("cpu"), False, False)
assert expected[-1] < expected[0]
for divided, as_view in ((False, False), (True, False), (True, True)):
    found = losses(gn.device("cuda", rank), divided, as_view)
    gn.testing.assert_close(gn.tensor(found), gn.tensor(expected), rtol=1e-5, atol=0)
print("all is well")
dist.destroy_process_group()
