"""Checkpoints of models and optimizers that ranks hold in parts; norms of gradients that are in parts."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import pytest

import gnomon as gn
import gnomon.distributed as dist
from gnomon import nn
from gnomon.distributed import checkpoint
from gnomon.distributed.checkpoint import state_dict as states
from gnomon.distributed.fsdp import fully_shard
from gnomon.distributed.optim import ZeroRedundancyOptimizer
from gnomon.distributed.tensor import full_state_dict
from gnomon.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from ranks import on_ranks, shared_folder

KINDS = ("whole", "sharded", "tensor parallel", "both", "divided optimizer")
Trained = tuple[nn.Sequential, gn.optim.Optimizer]


def made(kind: str, seed: int = 0, among: dist.DeviceMesh | None = None) -> Trained:
    """A model with a layer of 7 rows and one of 1, and its optimizer; ``among``: not all ranks."""
    gn.manual_seed(seed)
    model = nn.Sequential(nn.Linear(4, 7), nn.Tanh(), nn.Linear(7, 1)).to(gn.float64)
    mesh = among or dist.init_device_mesh("cpu", (dist.get_world_size(),))
    if kind == "tensor parallel":
        cut(model, mesh)
    if kind == "both":
        inner = 2 if mesh.size() % 2 == 0 else 1
        shape = (mesh.size() // inner, inner)
        planes = dist.init_device_mesh("cpu", shape, mesh_dim_names=("outer", "inner"))
        cut(model, planes["inner"])
        fully_shard(model, mesh=planes["outer"])
    if kind == "sharded":
        fully_shard(model[0], mesh=mesh)
        fully_shard(model, mesh=mesh)
    if kind == "divided optimizer":
        return model, ZeroRedundancyOptimizer(
            model.parameters(), gn.optim.Adam, process_group=mesh.get_group(), lr=0.1, amsgrad=True
        )
    return model, gn.optim.Adam(model.parameters(), lr=0.1, amsgrad=True)


def cut(model: nn.Module, mesh: Any) -> None:
    parallelize_module(model, mesh, {"0": ColwiseParallel(), "2": RowwiseParallel()})


def train(trained: Trained, steps: int, most: float = 0.5) -> list[float]:
    """The losses and the norms of gradients, on the same batch in all ranks."""
    model, optimizer = trained
    found = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = model(gn.arange(12.0, dtype=gn.float64).view(3, 4) / 7).square().mean()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), most)
        optimizer.step()
        found += [loss.item(), norm.item()]
    return found


def agree(found: list[float], wanted: list[float]) -> None:
    gn.testing.assert_close(gn.tensor(found), gn.tensor(wanted), rtol=1e-9, atol=0)


@pytest.mark.parametrize("kind", KINDS)
@on_ranks(1, 2, 3, pytest.param(4, marks=pytest.mark.slow))
def test_training_goes_on_bit_for_bit(rank: int, size: int, kind: str) -> None:
    """Through the objects themselves, and through dicts by name."""
    with shared_folder(rank) as folder, warnings.catch_warnings():
        warnings.simplefilter("error")
        trained = made(kind)
        model, optimizer = trained
        first = train(trained, 2)
        checkpoint.save({"model": model, "optimizer": optimizer}, checkpoint_id=folder / "objects")
        by_name = states.get_state_dict(model, optimizer)
        checkpoint.save({"model": by_name[0], "optimizer": by_name[1]}, checkpoint_id=folder / "dicts")
        checkpoint.async_save({"model": model.state_dict()}, checkpoint_id=folder / "later").result()
        rest = train(trained, 3)
        agree(first + rest, train(made("whole"), 5))
        last = full_state_dict(model)

        for already in (0, 1):  # steps that the one that loads has made
            other = made(kind, seed=5)
            train(other, already)
            checkpoint.load({"model": other[0], "optimizer": other[1]}, checkpoint_id=folder / "objects")
            assert train(other, 3) == rest
            assert all(gn.equal(last[name], each) for name, each in full_state_dict(other[0]).items())

        other = made(kind, seed=5)
        taken = states.get_state_dict(*other)
        checkpoint.load({"model": taken[0], "optimizer": taken[1]}, checkpoint_id=folder / "dicts")
        states.set_state_dict(*other, model_state_dict=taken[0], optim_state_dict=taken[1])
        assert train(other, 3) == rest

        metadata = checkpoint.FileSystemReader(folder / "later").read_metadata().state_dict_metadata
        assert [metadata[f"model.{name}"].size for name in ("0.weight", "2.weight")] == [(7, 4), (1, 7)]


def pairs() -> list[Any]:
    """Each kind saves once and loads once; the other pairs are slow."""
    others = [*KINDS[1:], KINDS[0]]
    return [
        pytest.param(*pair, marks=() if pair in zip(KINDS, others) else pytest.mark.slow)
        for pair in itertools.permutations(KINDS, 2)
    ]


@pytest.mark.parametrize(("saves", "loads"), pairs())
@on_ranks(2, pytest.param(3, marks=pytest.mark.slow), pytest.param(4, marks=pytest.mark.slow))
def test_another_kind_goes_on(rank: int, size: int, saves: str, loads: str) -> None:
    with shared_folder(rank) as folder:
        trained = made(saves)
        train(trained, 2)
        checkpoint.save({"model": trained[0], "optimizer": trained[1]}, checkpoint_id=folder / "latest")
        rest = train(trained, 2)
        other = made(loads, seed=5)
        checkpoint.load({"model": other[0], "optimizer": other[1]}, checkpoint_id=folder / "latest")
        agree(train(other, 2), rest)


@pytest.mark.parametrize("kind", [each for each in KINDS if each != "both"])
@on_ranks(3, pytest.param(4, marks=pytest.mark.slow))
def test_fewer_ranks_go_on(rank: int, size: int, kind: str) -> None:
    with shared_folder(rank) as folder:
        trained = made(kind)
        train(trained, 2)
        checkpoint.save({"model": trained[0], "optimizer": trained[1]}, checkpoint_id=folder / "latest")
        rest = train(trained, 2)
        for count in range(1, size):
            mesh = dist.DeviceMesh("cpu", range(count))
            if rank < count:
                other = made(kind, 5, mesh)
                given = {"model": other[0], "optimizer": other[1]}
                checkpoint.load(given, checkpoint_id=folder / "latest", process_group=mesh.get_group())
                agree(train(other, 2), rest)
            dist.barrier()


@on_ranks(2)
def test_a_state_is_of_parts_while_modules_see_whole_parameters(rank: int, size: int) -> None:
    """Between forward and backward; backward gathers again."""
    gn.manual_seed(0)
    model = fully_shard(nn.Linear(4, 6), reshard_after_forward=False)
    x = gn.arange(4.0).view(1, 4).requires_grad_()
    weight = gathered(model)
    output = model(x)
    assert model.weight.shape == (6, 4)
    assert model.state_dict()["weight"].shape == (3, 4)
    output.sum().backward()
    assert gn.equal(x.grad, weight.sum(0, keepdim=True))
    assert model.weight.grad is not None and model.weight.grad.tolist() == [[0.0, 1.0, 2.0, 3.0]] * 3

    model(x)
    assert model.weight.shape == (6, 4)
    model.load_state_dict({"weight": gn.full((3, 4), float(rank)), "bias": gn.zeros(3)})
    assert model(gn.ones(1, 4)).tolist() == [[0.0] * 3 + [4.0] * 3]


def gathered(model: nn.Module) -> gn.Tensor:
    return full_state_dict(model)["weight"]


@on_ranks(2, 3)
def test_tensors_that_differ_between_ranks_are_named(rank: int, size: int) -> None:
    large = gn.zeros(1 << 20)
    large[5000:] = rank
    with shared_folder(rank) as folder, pytest.warns(UserWarning) as warned:
        checkpoint.save(
            {
                "alike": gn.ones(3),
                "other": gn.full((2,), rank),
                "large": large,
                "m": {str(rank): gn.ones(rank + 1)},
            },
            checkpoint_id=folder / "latest",
        )
    (only,) = warned
    assert str(only.message).startswith(
        "checkpoint.save: 'other', 'large': tensors of the same name and shape differ between ranks"
    )


@pytest.mark.parametrize("norm_type", [0.0, 1.0, 2.0, 3.5, -2.0, float("inf"), -float("inf")])
@on_ranks(2, 3)
def test_a_norm_is_that_of_whole_gradients(rank: int, size: int, norm_type: float) -> None:
    def clipped(kind: str) -> tuple[float, list[gn.Tensor]]:
        model, _ = made(kind)
        model(gn.arange(12.0, dtype=gn.float64).view(3, 4) / 7).square().sum().backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), 0.01, norm_type)
        assert norm.shape == () and norm.dtype is gn.float64
        with gn.no_grad():
            for each in model.parameters():
                each.copy_(each.grad)
        return norm.item(), list(full_state_dict(model).values())

    wanted, grads = clipped("whole")
    for kind in ("sharded", "tensor parallel", "both"):
        found, others = clipped(kind)
        gn.testing.assert_close(found, wanted, rtol=1e-12, atol=0)
        for one, other in zip(others, grads):
            gn.testing.assert_close(one, other, rtol=1e-9, atol=1e-15)
