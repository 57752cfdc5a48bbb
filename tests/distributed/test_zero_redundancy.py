"""ZeroRedundancyOptimizer: the same parameters as with the whole optimizer, with a share of its state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import gnomon as gn
import gnomon.distributed as dist
from gnomon.distributed.optim import ZeroRedundancyOptimizer
from ranks import on_ranks

OPTIMIZERS: dict[str, tuple[Any, dict[str, Any]]] = {
    "SGD": (gn.optim.SGD, {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.01}),
    "Adam": (gn.optim.Adam, {"lr": 0.02, "amsgrad": True}),
    "Adafactor": (gn.optim.Adafactor, {"lr": 0.1}),
}


def network(dtype: gn.dtype = gn.float64) -> gn.nn.Sequential:
    """The same in each rank."""
    gn.manual_seed(3)
    return gn.nn.Sequential(gn.nn.Linear(6, 10), gn.nn.Tanh(), gn.nn.Linear(10, 3)).to(dtype)


def batch(step: int, dtype: gn.dtype = gn.float64) -> tuple[gn.Tensor, gn.Tensor]:
    """Twelve examples, of which each rank takes its part."""
    x = gn.sin(gn.arange(72.0, dtype=gn.float64).view(12, 6) + step / 10)
    return x.to(dtype), gn.stack([x[:, 0] * x[:, 1], x[:, 2].abs(), x.sum(1)], 1).to(dtype)


def train(
    model: gn.nn.Module,
    optimizer: gn.optim.Optimizer,
    steps: range,
    part: tuple[int, int] = (0, 1),
    before: Callable[[int], None] = lambda step: None,
) -> list[float]:
    """Train on one part of each batch, with the mean of all parts' gradients; returns the whole losses."""
    losses = []
    rank, size = part
    for step in steps:
        before(step)
        x, target = (each.chunk(size)[rank] for each in batch(step, next(model.parameters()).dtype))
        optimizer.zero_grad()
        loss = gn.nn.functional.mse_loss(model(x), target)
        loss.backward()
        mean = loss.detach().clone()
        if size > 1:
            for each in (mean, *(param.grad for param in model.parameters() if param.grad is not None)):
                dist.all_reduce(each, dist.ReduceOp.AVG)
        optimizer.step()
        losses.append(mean.item())
    return losses


@pytest.mark.parametrize("name", OPTIMIZERS)
@on_ranks(1, 2, 3, pytest.param(4, marks=pytest.mark.slow))
def test_parameters_are_bit_for_bit_those_of_the_whole_optimizer(rank: int, size: int, name: str) -> None:
    kind, options = OPTIMIZERS[name]
    whole, divided, alone = network(), network(), network()
    for as_views in (False, True):
        divided = network()
        optimizer = ZeroRedundancyOptimizer(
            divided.parameters(), kind, parameters_as_bucket_view=as_views, **options
        )
        found = train(divided, optimizer, range(5), (rank, size))
        if not as_views:
            wanted = train(whole, kind(whole.parameters(), **options), range(5), (rank, size))
            # one process has the same losses but for the order of sums
            single = train(alone, kind(alone.parameters(), **options), range(5))
            gn.testing.assert_close(gn.tensor(found), gn.tensor(single), rtol=1e-12, atol=0)
            assert found[-1] < found[0]
        assert found == wanted
        for one, other in zip(divided.parameters(), whole.parameters()):
            assert gn.equal(one, other)


@on_ranks(1, 2, 3)
def test_a_step_changes_the_memory_of_every_parameter_in_place(rank: int, size: int) -> None:
    model = network(gn.float32)
    optimizer = ZeroRedundancyOptimizer(model.parameters(), gn.optim.SGD, lr=0.1)
    places = [each.data_ptr() for each in model.parameters()]
    versions = [each._version for each in model.parameters()]
    train(model, optimizer, range(1), (rank, size))
    assert [each.data_ptr() for each in model.parameters()] == places
    assert all(each._version > version for each, version in zip(model.parameters(), versions))
    bucketed = network(gn.float32)
    ZeroRedundancyOptimizer(bucketed.parameters(), gn.optim.SGD, parameters_as_bucket_view=True, lr=0.1)
    storages = {each.untyped_storage().data_ptr() for each in bucketed.parameters()}
    assert len(storages) == min(size, 4)  # one for each rank that has any
    for one, other in zip(bucketed.parameters(), network(gn.float32).parameters()):
        assert gn.equal(one, other) and one.is_leaf and one.requires_grad


@on_ranks(1, 2, 3)
def test_the_state_is_a_share(rank: int, size: int) -> None:
    sizes = [40, 30, 20, 20, 10, 10, 8, 4, 1, 1]
    params = [gn.nn.Parameter(gn.ones(each)) for each in sizes]
    optimizer = ZeroRedundancyOptimizer(params, gn.optim.Adam, lr=0.1)
    for each in params:
        each.grad = gn.ones_like(each)
    optimizer.step()
    assert optimizer.optim is not None
    state = optimizer.optim.state
    own = sum(each["exp_avg"].numel() for each in state.values())
    # largest first, to the rank that has the least
    shares = {1: [144], 2: [72, 72], 3: [50, 48, 46]}[size]
    total = gn.tensor(own)
    dist.all_reduce(total)
    assert own == shares[rank] and total.item() == sum(sizes) and not optimizer.state
    for each in params:
        gn.testing.assert_close(each.detach(), gn.full_like(each, 0.9), rtol=1e-6, atol=0)


@pytest.mark.parametrize("name", OPTIMIZERS)
@on_ranks(1, 2, 3)
def test_state_is_consolidated_and_loaded(rank: int, size: int, name: str) -> None:
    kind, options = OPTIMIZERS[name]
    whole, divided = network(), network()
    reference = kind(whole.parameters(), **options)
    optimizer = ZeroRedundancyOptimizer(divided.parameters(), kind, **options)
    train(whole, reference, range(2), (rank, size))
    train(divided, optimizer, range(2), (rank, size))
    to = size - 1
    with pytest.raises(RuntimeError, match="Optimizer state has not been consolidated on this rank"):
        optimizer.state_dict()
    optimizer.consolidate_state_dict(to)
    if rank != to:
        with pytest.raises(RuntimeError, match=rf"consolidate_state_dict\(to={rank}\)"):
            optimizer.state_dict()
    else:
        found, wanted = optimizer.state_dict(), reference.state_dict()
        assert found["param_groups"] == wanted["param_groups"]
        assert list(found["state"]) == list(wanted["state"]) == [0, 1, 2, 3]
        for number, each in wanted["state"].items():
            assert list(found["state"][number]) == list(each)
            for key, value in each.items():
                other = found["state"][number][key]
                if isinstance(value, gn.Tensor):
                    assert other.device == gn.device("cpu") and gn.equal(other, value.to("cpu"))
                else:
                    assert other == value
    # the state of one process, into another division
    again = network()
    again.load_state_dict(divided.state_dict())
    resumed = ZeroRedundancyOptimizer(list(again.parameters()), kind, **{**options, "lr": 7.0})
    given = reference.state_dict()
    resumed.load_state_dict(given)
    assert list(given["state"]) == [0, 1, 2, 3] and resumed.param_groups[0]["lr"] == options["lr"]
    assert resumed.optim is not None
    assert len(resumed.optim.state) == len(resumed.optim.param_groups[0]["params"])
    steps = range(2, 5)
    wanted_losses = train(whole, reference, steps, (rank, size))
    assert train(again, resumed, steps, (rank, size)) == wanted_losses
    assert train(divided, optimizer, steps, (rank, size)) == wanted_losses
    with pytest.raises(ValueError, match="different number of parameter groups"):
        resumed.load_state_dict({**given, "param_groups": given["param_groups"] * 2})


@on_ranks(1, 2, 3)
def test_groups_and_schedules(rank: int, size: int) -> None:
    def optimized(model: gn.nn.Sequential, make: Callable[..., gn.optim.Optimizer]) -> list[float]:
        first, _, last = model.children()
        optimizer = make([{"params": first.parameters(), "lr": 0.05}, {"params": [last.weight]}], lr=0.1)
        scheduler = gn.optim.lr_scheduler.StepLR(optimizer, 2, 0.5)

        def before(step: int) -> None:
            if step == 2:
                optimizer.add_param_group({"params": [last.bias], "lr": 0.3})
            if step:
                scheduler.step()

        losses = train(model, optimizer, range(4), (rank, size), before)
        assert [each["lr"] for each in optimizer.param_groups][:2] == [0.025, 0.05]
        assert all(each["momentum"] == 0 for each in optimizer.param_groups)
        return losses

    def divided(groups: Any, lr: float) -> gn.optim.Optimizer:
        return ZeroRedundancyOptimizer(groups, gn.optim.SGD, parameters_as_bucket_view=True, lr=lr)

    one, other = network(), network()
    assert optimized(one, divided) == optimized(other, gn.optim.SGD)
    assert all(gn.equal(a, b) for a, b in zip(one.parameters(), other.parameters()))


@on_ranks(3)
def test_a_group_of_some_processes(rank: int, size: int) -> None:
    group = dist.new_group([0, 2])
    if rank == 1:
        return
    params = [gn.nn.Parameter(gn.zeros(3)), gn.nn.Parameter(gn.zeros(2))]
    optimizer = ZeroRedundancyOptimizer(params, gn.optim.SGD, group, lr=1.0)
    for each in params:
        each.grad = gn.full_like(each, float(rank))  # each owner has its own: the other's is not used
    optimizer.step()
    assert params[0].tolist() == [0.0] * 3 and params[1].tolist() == [-2.0] * 2
    optimizer.consolidate_state_dict(1)
    dist.destroy_process_group(group)


@on_ranks(1)
def test_what_is_refused(rank: int, size: int) -> None:
    def make(params: Any, **options: Any) -> None:
        ZeroRedundancyOptimizer(params, gn.optim.SGD, lr=0.1, **options)

    x = gn.nn.Parameter(gn.ones(2))
    with pytest.raises(TypeError, match="should be an iterable of Tensors, but got"):
        make(x)
    with pytest.raises(TypeError, match="should be an iterable of Tensors or dicts, but got int"):
        make(3)
    with pytest.raises(TypeError, match="should be an iterable of Tensors or dicts"):
        make([x, {"params": x}])
    with pytest.raises(ValueError, match="got an empty parameter list"):
        make([])
    with pytest.raises(ValueError, match="must have a 'params' key"):
        make([{"lr": 2.0}])
    with pytest.raises(ValueError, match=r"but got gnomon\.FloatTensor and gnomon\.DoubleTensor"):
        make([x, gn.nn.Parameter(gn.ones(2, dtype=gn.float64))])
    with pytest.raises(NotImplementedError, match="overlap_with_ddp"):
        make([x], overlap_with_ddp=True)


@pytest.mark.parametrize("as_view", [False, True])
@on_ranks(1, 2, 3)
def test_beside_distributed_data_parallel(rank: int, size: int, as_view: bool) -> None:
    """Gradients that are views of buckets, parameters that are views of what is broadcast."""

    def trained(divided: bool) -> gn.nn.Module:
        model = gn.nn.parallel.DistributedDataParallel(network(), gradient_as_bucket_view=as_view)
        parameters = list(model.parameters())
        optimizer: gn.optim.Optimizer = gn.optim.Adam(parameters, lr=0.02)
        if divided:
            optimizer = ZeroRedundancyOptimizer(
                parameters, gn.optim.Adam, parameters_as_bucket_view=as_view, lr=0.02
            )
        for step in range(4):
            x, target = (each.chunk(size)[rank] for each in batch(step))
            optimizer.zero_grad()
            gn.nn.functional.mse_loss(model(x), target).backward()
            optimizer.step()
        return model.module

    whole, divided, alone = trained(False), trained(True), network()
    train(alone, gn.optim.Adam(alone.parameters(), lr=0.02), range(4))
    for one, other, single in zip(divided.parameters(), whole.parameters(), alone.parameters()):
        assert gn.equal(one, other)
        gn.testing.assert_close(one, single, rtol=1e-9, atol=1e-10)
