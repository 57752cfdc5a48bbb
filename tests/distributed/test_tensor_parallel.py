"""Tensor parallelism: a transformer's losses and parameters are those of one process."""

from __future__ import annotations

import copy
from typing import Any

import pytest

import gnomon as gn
import gnomon.distributed as dist
from gnomon.distributed.tensor import Replicate, Shard, full_state_dict, full_tensor
from gnomon.distributed.tensor.parallel import (
    ColwiseParallel,
    RowwiseParallel,
    SequenceParallel,
    parallelize_module,
)
from gnomon.distributed.tensor.parallel.layouts import redistribute
from ranks import on_ranks

HEADS, WIDTH, WORDS, TOKENS = 12, 24, 13, 12


class Attention(gn.nn.Module):
    """Attention whose code asks tensors for the number of heads."""

    def __init__(self) -> None:
        super().__init__()
        self.q, self.k, self.v, self.out = (gn.nn.Linear(WIDTH, WIDTH) for _ in range(4))

    def forward(self, x: gn.Tensor) -> gn.Tensor:
        q, k, v = (
            each(x).unflatten(-1, (-1, WIDTH // HEADS)).transpose(1, 2) for each in (self.q, self.k, self.v)
        )
        found = gn.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(found.transpose(1, 2).flatten(2))


class Block(gn.nn.Module):
    """Attention and two linear layers, each after a norm and beside a sum."""

    def __init__(self) -> None:
        super().__init__()
        self.norm1, self.norm2 = gn.nn.LayerNorm(WIDTH), gn.nn.LayerNorm(WIDTH)
        self.attention = Attention()
        self.up, self.down = gn.nn.Linear(WIDTH, 20), gn.nn.Linear(20, WIDTH, bias=False)

    def forward(self, x: gn.Tensor) -> gn.Tensor:
        x = x + self.attention(self.norm1(x))
        return x + self.down(gn.nn.functional.gelu(self.up(self.norm2(x))))


class Transformer(gn.nn.Module):
    """Two blocks that predict the next of ``WORDS`` words."""

    def __init__(self) -> None:
        super().__init__()
        self.words = gn.nn.Embedding(WORDS, WIDTH, padding_idx=5)
        self.places = gn.nn.Embedding(TOKENS, WIDTH)
        self.blocks = gn.nn.ModuleList([Block(), Block()])
        self.norm = gn.nn.LayerNorm(WIDTH)
        self.head = gn.nn.Linear(WIDTH, WORDS * 12)

    def forward(self, tokens: gn.Tensor) -> gn.Tensor:
        x = self.words(tokens) + self.places(gn.arange(tokens.shape[1])).unsqueeze(0)
        for each in self.blocks:
            x = each(x)
        return self.head(self.norm(x))


def transformer(dtype: gn.dtype, seed: int = 0) -> Transformer:
    gn.manual_seed(seed)
    return Transformer().to(dtype)


PLAN: dict[str, Any] = {
    "words": RowwiseParallel(input_layouts=Replicate()),
    "places": ColwiseParallel(output_layouts=Replicate()),
    "blocks.*.attention.[qkv]": ColwiseParallel(),
    "blocks.*.attention.out": RowwiseParallel(),
    "blocks.*.up": ColwiseParallel(),
    "blocks.*.down": RowwiseParallel(),
    "head": ColwiseParallel(output_layouts=Replicate()),
}
# with activations in parts along the sequence between the pairs
SEQUENCE_PLAN: dict[str, Any] = {
    "words": RowwiseParallel(input_layouts=Replicate(), output_layouts=Shard(1)),
    "places": ColwiseParallel(output_layouts=Shard(0)),
    "blocks.*.norm[12]": SequenceParallel(),
    "blocks.*.attention.[qkv]": ColwiseParallel(input_layouts=Shard(1)),
    "blocks.*.attention.out": RowwiseParallel(output_layouts=Shard(1)),
    "blocks.*.up": ColwiseParallel(input_layouts=Shard(1)),
    "blocks.*.down": RowwiseParallel(output_layouts=Shard(1)),
    "norm": SequenceParallel(),
    "head": ColwiseParallel(input_layouts=Shard(1), output_layouts=Replicate()),
}


def train(model: gn.nn.Module, steps: int, part: tuple[int, int] = (0, 1), group: Any = None) -> list[float]:
    """The losses of some steps; with ``part`` on a part of each batch, with the mean of the group's
    gradients.
    """
    optimizer = gn.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    losses = []
    for step in range(steps):
        tokens = (gn.arange(4 * (TOKENS + 1)).view(4, -1) * (3 + step) + step) % WORDS
        tokens = tokens.chunk(part[1])[part[0]]
        optimizer.zero_grad()
        scores = model(tokens[:, :-1])
        loss = gn.nn.functional.cross_entropy(scores.flatten(0, 1), tokens[:, 1:].flatten())
        loss.backward()
        mean = loss.detach().clone()
        if part[1] > 1:
            for each in (mean, *(param.grad for param in model.parameters() if param.grad is not None)):
                dist.all_reduce(each, dist.ReduceOp.AVG, group)
        optimizer.step()
        losses.append(mean.item())
    return losses


def compare(model: gn.nn.Module, found: list[float], dtype: gn.dtype) -> None:
    """Losses, and then parameters, are those of one process, to the rounding that the package states."""
    alone = transformer(dtype)
    wanted = train(alone, len(found))
    bound = 1e-12 if dtype is gn.float64 else 1e-5
    gn.testing.assert_close(gn.tensor(found), gn.tensor(wanted), rtol=bound, atol=0)
    whole = full_state_dict(model)
    for name, each in alone.state_dict().items():
        gn.testing.assert_close(whole[name], each, rtol=100 * bound, atol=10 * bound)


@pytest.mark.parametrize(
    ("dtype", "plan"), [("float64", "PLAN"), ("float64", "SEQUENCE_PLAN"), ("float32", "SEQUENCE_PLAN")]
)
@on_ranks(1, 2, 3, pytest.param(4, marks=pytest.mark.slow))
def test_a_transformer_has_the_losses_of_one_process(rank: int, size: int, dtype: str, plan: str) -> None:
    kind = getattr(gn, dtype)
    model = transformer(kind, seed=rank)  # rank 0's counts
    assert parallelize_module(model, None, globals()[plan]) is model
    q = model.get_parameter("blocks.0.attention.q.weight")
    down = model.get_parameter("blocks.0.down.weight")
    up = model.get_parameter("blocks.1.up.bias")
    most = -(-20 // size)
    own = min(most * (rank + 1), 20) - min(most * rank, 20)
    assert q.shape == (WIDTH // size, WIDTH) and down.shape == (WIDTH, own) and up.shape == (own,)
    assert q.untyped_storage().nbytes() == q.numel() * q.itemsize
    assert full_tensor(down).shape == (WIDTH, 20)
    compare(model, train(model, 4), kind)


@pytest.mark.slow
@on_ranks(4)
def test_data_parallel_and_tensor_parallel_on_a_mesh(rank: int, size: int) -> None:
    mesh = dist.init_device_mesh("cpu", (2, 2), mesh_dim_names=("data", "tensor"))
    for plan in (PLAN, SEQUENCE_PLAN):
        model = transformer(gn.float64)
        parallelize_module(model, mesh["tensor"], plan)
        data = mesh["data"].get_group()
        compare(model, train(model, 4, (data.rank(), 2), data), gn.float64)


@on_ranks(2, 3)
def test_layouts_and_their_gradients(rank: int, size: int) -> None:
    group = dist.group.WORLD
    assert group is not None
    whole = gn.arange(2.0 * size * 3).view(2 * size, 3).requires_grad_()
    own = redistribute(whole, Replicate(), Shard(0), group)
    assert gn.equal(own, whole[2 * rank : 2 * rank + 2])
    again = redistribute(own, Shard(-2), Replicate(), group)
    assert gn.equal(again, whole)
    again.pow(2).sum().backward()
    assert whole.grad is not None and gn.equal(whole.grad, 2 * whole)
    across = redistribute(gn.full((2 * size, 1), float(rank)), Shard(1), Shard(0), group)
    assert across.tolist() == [[float(r) for r in range(size)]] * 2
    with pytest.raises(ValueError, match=rf"dimension 1 .* not divisible among {size} processes"):
        redistribute(gn.ones(2, 6 * size - 1), Replicate(), Shard(1), group)


@on_ranks(2)
def test_what_is_refused(rank: int, size: int) -> None:
    linear = gn.nn.Linear(4, 3)
    with pytest.raises(NotImplementedError, match=r"ColwiseParallel currently only support nn\.Linear"):
        parallelize_module(gn.nn.ReLU(), None, ColwiseParallel())
    with pytest.raises(NotImplementedError, match=r"RowwiseParallel currently only support nn\.Linear"):
        parallelize_module(gn.nn.ReLU(), None, RowwiseParallel())
    with pytest.raises(NotImplementedError, match="max_norm"):
        parallelize_module(gn.nn.Embedding(4, 3, max_norm=1.0), None, RowwiseParallel())
    with pytest.raises(NotImplementedError, match="use_local_output"):
        ColwiseParallel(use_local_output=False)
    with pytest.raises(ValueError, match="3 outputs are not divisible among 2 processes"):
        parallelize_module(copy.deepcopy(linear), None, ColwiseParallel(output_layouts=Replicate()))
    with pytest.raises(ValueError, match="1 vectors has none for some of 2 processes"):
        parallelize_module(gn.nn.Embedding(1, 3), None, RowwiseParallel())
    with pytest.raises(TypeError, match="for parallelize_plan"):
        parallelize_module(linear, None, 3)  # type: ignore[arg-type]
    with pytest.warns(UserWarning, match="No parallelize_plan is provided"):
        assert parallelize_module(linear) is linear
    with pytest.warns(UserWarning, match=r"'0\.up' could not be resolved"):
        parallelize_module(gn.nn.Sequential(linear), None, {"0.up": ColwiseParallel()})
    assert linear.weight.shape == (3, 4)
