"""When are gradients sent?  A communication hook that prints, before it does what is usual.

python -m gnomon.distributed.run --nproc 2 examples/distributed/buckets.py
"""

import itertools

import gnomon as gn
import gnomon.distributed as dist
from gnomon import nn
from gnomon.distributed.algorithms.ddp_comm_hooks.default_hooks import allreduce_hook
from gnomon.nn.parallel import DistributedDataParallel


def main() -> None:
    dist.init_process_group()
    gn.manual_seed(0)
    sizes = (64, 512, 512, 512, 10)
    model = nn.Sequential(*[nn.Linear(*each) for each in itertools.pairwise(sizes)])
    parallel = DistributedDataParallel(model, bucket_cap_mb=1)
    names = {id(each): name for name, each in model.named_parameters()}

    def hook(group, bucket):
        if dist.get_rank() == 0:
            sent = ", ".join(names[id(each)] for each in bucket.parameters())
            last = ", the last" if bucket.is_last() else ""
            print(f"  bucket {bucket.index()}{last}: {bucket.buffer().numel() * 4 / 2**20:.2f} MiB: {sent}")
        return allreduce_hook(group, bucket)

    parallel.register_comm_hook(dist.group.WORLD, hook)
    for step in range(2):
        if dist.get_rank() == 0:
            print(f"backward {step}")
        parallel(gn.randn(8, 64)).square().mean().backward()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
