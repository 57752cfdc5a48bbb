"""Train a small transformer on handwritten digits, on any number of ranks: the losses are the same.

    python examples/distributed/train_digits.py                                     # alone
    python -m gnomon.distributed.run --nproc 2 examples/distributed/train_digits.py
    python -m gnomon.distributed.run --nproc 2 --max-restarts 3 \\
        examples/distributed/train_digits.py --checkpoint run

Each step takes ``--batch`` images, whatever the number of ranks: a rank has its share of them.  With
``--checkpoint`` the ranks write a folder every 20 steps, and go on from there when they are started again.
``--kind sharded`` divides the parameters among the ranks, ``--kind zero`` the optimizer; the losses, and the
checkpoints, are the same.
"""

import argparse

import gnomon as gn
import gnomon.distributed as dist
import gnomon.distributed.checkpoint as dcp
from gnomon import nn
from gnomon.demo import load_digits
from gnomon.distributed.fsdp import fully_shard
from gnomon.distributed.optim import ZeroRedundancyOptimizer
from gnomon.nn.parallel import DistributedDataParallel
from gnomon.utils.data import DataLoader, DistributedSampler, TensorDataset


class DigitsTransformer(nn.Module):
    """The eight rows of an image are eight tokens; the mean of the outputs gives ten scores."""

    def __init__(self, width: int = 32, heads: int = 4, layers: int = 2) -> None:
        super().__init__()
        self.embed = nn.Linear(8, width)
        self.position = nn.Parameter(gn.zeros(8, width))
        layer = nn.TransformerEncoderLayer(width, heads, 4 * width, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers)
        self.out = nn.Linear(width, 10)

    def forward(self, images: gn.Tensor) -> gn.Tensor:
        rows = self.embed(images.reshape(-1, 8, 8)) + self.position
        return self.out(self.encoder(rows).mean(1))


def divided(model: nn.Module, kind: str) -> tuple[nn.Module, gn.optim.Optimizer]:
    """What to train, and its optimizer."""
    if kind == "sharded":
        for layer in model.encoder.layers:
            fully_shard(layer)
        fully_shard(model)
        return model, gn.optim.AdamW(model.parameters(), lr=3e-3)
    parallel = DistributedDataParallel(model)
    if kind == "zero":
        return parallel, ZeroRedundancyOptimizer(model.parameters(), gn.optim.AdamW, lr=3e-3)
    return parallel, gn.optim.AdamW(model.parameters(), lr=3e-3)


def main() -> None:
    parser = argparse.ArgumentParser(description="Train a small transformer on handwritten digits.")
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--batch", type=int, default=48, help="images of a step, on all ranks together")
    parser.add_argument("--kind", choices=["replicated", "sharded", "zero"], default="replicated")
    parser.add_argument("--checkpoint", help="the folder of the checkpoint")
    arguments = parser.parse_args()

    dist.init_process_group()
    rank, size = dist.get_rank(), dist.get_world_size()
    gn.manual_seed(0)
    network = DigitsTransformer()
    model, optimizer = divided(network, arguments.kind)
    criterion = nn.CrossEntropyLoss()
    digits = load_digits()
    images = TensorDataset(digits.train_images, digits.train_labels)
    sampler = DistributedSampler(images, seed=1, drop_last=True)
    loader = DataLoader(images, arguments.batch // size, sampler=sampler, drop_last=True)

    state = {"model": network, "optimizer": optimizer, "step": 0}
    if arguments.checkpoint and dcp.is_checkpoint(arguments.checkpoint):
        dcp.load(state, checkpoint_id=arguments.checkpoint)
        if rank == 0:
            print(f"goes on after step {state['step']}")
    while state["step"] < arguments.steps:
        epoch, done = divmod(state["step"], len(loader))
        sampler.set_epoch(epoch)
        for number, (pixels, labels) in enumerate(loader):
            if number < done or state["step"] == arguments.steps:
                continue
            optimizer.zero_grad()
            loss = criterion(model(pixels), labels)
            loss.backward()
            optimizer.step()
            state["step"] += 1
            dist.all_reduce(loss, dist.ReduceOp.AVG)  # the loss of the whole batch
            if state["step"] % 20 == 0:
                if rank == 0:
                    print(f"step {state['step']:3}  loss {loss.item():.4f}")
                if arguments.checkpoint:
                    dcp.save(state, checkpoint_id=arguments.checkpoint)
    with gn.no_grad():
        right = (network(digits.held_out_images).argmax(1) == digits.held_out_labels).sum()
    if rank == 0:
        share = right.item() / len(digits.held_out_labels)
        print(f"{share:.1%} of the held-out images are right, by {size} rank(s)")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
