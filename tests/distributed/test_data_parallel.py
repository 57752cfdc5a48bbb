"""DistributedDataParallel: the same losses and gradients as one process, and each of its features.

Gradients are compared with those of one process that has all batches.  The mean of ranks' gradients adds the
same terms in another order: within ``close``'s tolerance of some float32 roundings.
"""

from __future__ import annotations

import copy
import dataclasses
import pickle
import warnings
from collections.abc import Callable
from typing import Any

import pytest

import gnomon as gn
import gnomon.distributed as dist
import gnomon.nn.functional as F
from gnomon import nn
from gnomon.distributed.progress import Call, progress
from gnomon.nn.parallel import DistributedDataParallel as DDP
from gnomon.utils.checkpoint import checkpoint
from ranks import on_ranks

ROUNDINGS = 1e-6  # relative, of the largest gradient: 8 roundings of float32


def close(found: gn.Tensor, wanted: gn.Tensor, tolerance: float = ROUNDINGS) -> bool:
    """Equal but for the order of additions; NaN never."""
    assert found.shape == wanted.shape and found.dtype is wanted.dtype
    largest = wanted.abs().max().item()
    return bool((found - wanted).abs().max().item() <= tolerance * largest)


class Network(nn.Module):
    """Two paths that share their first layer; ``which`` says which of them are used."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(5, 7)
        self.left = nn.Linear(7, 3)
        self.right = nn.Linear(7, 3)

    def forward(self, x: gn.Tensor, which: str = "both") -> gn.Tensor:
        h = self.first(x).tanh()
        outputs = [
            layer(h)
            for name, layer in (("left", self.left), ("right", self.right))
            if which in ("both", name)
        ]
        return sum(outputs[1:], outputs[0])


def network(seed: int = 0) -> Network:
    gn.manual_seed(seed)
    return Network()


def batch(rank: int, count: int = 4, step: int = 0) -> gn.Tensor:
    """The inputs of a rank: different on each."""
    return ((gn.arange(count * 5) * 7 + rank * 11 + step * 3) % 13 / 6 - 1).reshape(count, 5)


def expected(
    size: int, model: nn.Module, loss: Callable[[nn.Module, int], gn.Tensor]
) -> dict[str, gn.Tensor]:
    """The mean of the ranks' gradients, by one process."""
    total = gn.stack([loss(model, rank) for rank in range(size)]).sum() / size
    found = gn.autograd.grad(total, list(model.parameters()), allow_unused=True)
    return {name: each for (name, _), each in zip(model.named_parameters(), found) if each is not None}


def gradients(model: nn.Module) -> dict[str, gn.Tensor]:
    inner = model.module if isinstance(model, DDP) else model
    return {name: each.grad for name, each in inner.named_parameters() if each.grad is not None}


def assert_same(found: dict[str, gn.Tensor], wanted: dict[str, gn.Tensor]) -> None:
    assert found.keys() == wanted.keys()
    for name, each in wanted.items():
        assert close(found[name], each), (name, found[name], each)


def loss_of(model: nn.Module, rank: int, which: str = "both") -> gn.Tensor:
    return (model(batch(rank), which) ** 2).sum()


# -- the same as one process ---------------------------------------------------------------------------------


@pytest.mark.parametrize("as_view", [False, True])
@on_ranks(1, 2, 3)
def test_losses_and_gradients_are_those_of_one_process(rank: int, size: int, as_view: bool) -> None:
    alone, own = network(), DDP(network(seed=rank), gradient_as_bucket_view=as_view, bucket_cap_mb=0.0001)
    rules = [gn.optim.SGD(each.parameters(), lr=0.1, momentum=0.9) for each in (alone, own)]
    for step in range(4):
        whole = F.mse_loss(
            alone(gn.cat([batch(each, 4, step) for each in range(size)])), gn.ones(4 * size, 3)
        )
        part = F.mse_loss(own(batch(rank, 4, step)), gn.ones(4, 3))
        for rule, loss in zip(rules, (whole, part)):
            rule.zero_grad(set_to_none=step != 2)
            loss.backward()
        assert_same(gradients(own), gradients(alone))
        mean = part.detach()
        dist.all_reduce(mean, dist.ReduceOp.AVG)
        assert close(mean, whole.detach())
        for rule in rules:
            rule.step()
        assert own.reducer.has_rebuilt is (step > 0) and len(own.reducer.buckets) == (1 if step == 0 else 3)
    ends = gn.cat([each.detach().reshape(-1) for each in own.parameters()])
    all_of = [gn.empty_like(ends) for _ in range(size)]
    dist.all_gather(all_of, ends)
    assert all(gn.equal(each, ends) for each in all_of)  # bit for bit


@on_ranks(2)
def test_it_starts_from_rank_0s_parameters_and_buffers(rank: int, size: int) -> None:
    gn.manual_seed(rank)
    inner = nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2))
    inner[1].running_mean.fill_(rank + 1.0)
    inner[1].num_batches_tracked.fill_(rank + 7)
    gn.manual_seed(0)
    first = nn.Linear(3, 2)
    own = DDP(inner)
    assert gn.equal(inner[0].weight, first.weight) and gn.equal(inner[0].bias, first.bias)
    assert inner[1].running_mean.tolist() == [1.0, 1.0] and inner[1].num_batches_tracked.item() == 7
    assert [*own.state_dict()][:2] == ["module.0.weight", "module.0.bias"]
    gn.manual_seed(rank)
    free = DDP(nn.Linear(3, 2), init_sync=False)
    assert gn.equal(free.module.weight, first.weight) is (rank == 0)


@on_ranks(2)
def test_processes_must_have_the_same_parameters(rank: int, size: int) -> None:
    with pytest.raises(
        RuntimeError, match=r"\[1\]: params\[2\] \(1.weight\) in this process with sizes \[4, 3\]"
    ):
        DDP(nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3 + rank)))
    with pytest.raises(RuntimeError, match="DDP expects same model across all ranks, but Rank"):
        DDP(nn.Sequential(*[nn.Linear(3, 3) for _ in range(rank + 1)]))


# -- buckets -------------------------------------------------------------------------------------------------


@on_ranks(1, 2)
def test_mixed_dtypes_complex_and_strides(rank: int, size: int) -> None:
    class Mixed(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.turned = nn.Parameter(gn.arange(6.0).reshape(2, 3).t())  # not contiguous
            self.wide = nn.Parameter(gn.ones(3, dtype=gn.float64))
            self.narrow = nn.Parameter(gn.ones(2, dtype=gn.bfloat16))
            self.imaginary = nn.Parameter(gn.tensor([1 + 2j, 3 - 1j]))
            self.image = nn.Parameter(gn.ones(2, 3, 2, 2).to(memory_format=gn.channels_last))
            self.empty = nn.Parameter(gn.ones(0, 3))

        def forward(self, x: gn.Tensor) -> gn.Tensor:
            one = (self.turned.t() @ (self.wide.float() * x)).sum() * self.narrow.float().prod()
            two = (self.imaginary * (x[0] + 1j)).abs().sum() + (self.image * x[1]).pow(2).sum()
            return one + two + self.empty.sum()

    def loss(model: nn.Module, each: int) -> gn.Tensor:
        return model(gn.tensor([1.0, 2.0, 3.0]) * (each + 1))

    for as_view in (False, True):
        own = DDP(Mixed(), gradient_as_bucket_view=as_view)
        for _ in range(3):
            own.zero_grad()
            loss(own, rank).backward()
            wanted = expected(size, Mixed(), loss)
            for name, each in gradients(own).items():
                parameter = own.module.get_parameter(name)
                assert each.stride() == parameter.stride() and each.dtype is parameter.dtype
                tolerance = 0.01 if each.dtype is gn.bfloat16 else ROUNDINGS
                assert each.numel() == 0 or close(each, wanted[name], tolerance), name
        assert len(own.reducer.buckets) == 4


@on_ranks(2)
def test_a_gradient_is_a_view_of_a_bucket(rank: int, size: int) -> None:
    own = DDP(network(), gradient_as_bucket_view=True)
    for step in range(3):
        own.zero_grad(set_to_none=step != 2)
        loss_of(own, rank).backward()
        for bucket in own.reducer.buckets:
            for each, view in zip(bucket.parameters, bucket.views):
                assert each.grad is view and view.untyped_storage().data_ptr() == bucket.buffer.data_ptr()
    plain = DDP(network())
    loss_of(plain, rank).backward()
    kept = plain.module.first.weight.grad
    assert kept._base is None
    plain.zero_grad(set_to_none=False)
    loss_of(plain, rank).backward()
    assert plain.module.first.weight.grad is kept  # the same tensor, with new values
    assert_same(gradients(plain), expected(size, network(), loss_of))


@on_ranks(2)
def test_buckets_follow_the_order_of_rank_0s_gradients(rank: int, size: int) -> None:
    class Switched(Network):
        def forward(self, x: gn.Tensor, which: str = "both") -> gn.Tensor:
            h = self.first(x).tanh()
            return self.left(h) + self.right(h) if rank == 0 else self.right(h) + self.left(h)

    gn.manual_seed(0)
    own = DDP(Switched(), bucket_cap_mb=1e-6)
    for _ in range(3):
        own.zero_grad()
        loss_of(own, rank).backward()
        assert_same(gradients(own), expected(size, network(), loss_of))
    names = [own.reducer.names[index] for bucket in own.reducer.buckets for index in bucket.indices]
    assert len(own.reducer.buckets) == 6 and {*names[:2]} == {"right.weight", "right.bias"}


@on_ranks(2)
def test_buckets_are_sent_while_backward_runs(rank: int, size: int) -> None:
    own = DDP(network(), bucket_cap_mb=1e-6)
    loss_of(own, rank).backward()
    output = own(batch(rank))
    seen = []
    hidden = own.module.first.weight.register_hook(lambda gradient: seen.append(own.reducer._next))
    output.sum().backward()
    hidden.remove()
    assert seen[0] >= 4  # those of the last two layers, before the first layer's gradient is in a bucket


# -- accumulation --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("as_view", [False, True])
@on_ranks(2, 3)
def test_no_sync_adds_up_and_the_next_backward_reduces(rank: int, size: int, as_view: bool) -> None:
    own, alone = DDP(network(), gradient_as_bucket_view=as_view), network()
    for step in range(3):
        own.zero_grad(set_to_none=step != 1)
        with own.no_sync():
            loss_of(own, rank).backward()
            local = gn.autograd.grad(loss_of(alone, rank), list(alone.parameters()))
            assert all(map(close, gradients(own).values(), local))
        assert own.require_backward_grad_sync
        (3 * loss_of(own, rank)).backward()
        assert_same(gradients(own), {k: 4 * v for k, v in expected(size, alone, loss_of).items()})


@on_ranks(2)
def test_gradients_add_to_those_of_the_iteration_before(rank: int, size: int) -> None:
    for as_view in (False, True):
        own = DDP(network(), gradient_as_bucket_view=as_view)
        once = expected(size, network(), loss_of)
        for times in (1, 2, 3):  # all processes have the same grad before, which is its own mean
            loss_of(own, rank).backward()
            found = gradients(own)
            assert all(close(found[name], times * each, 2 * ROUNDINGS) for name, each in once.items())


def kept_by(call: Call) -> list[gn.Tensor]:
    found: Any = call.kept
    return [] if found is None else [*found[0]]


@on_ranks(2)
def test_a_backward_that_fails_leaves_every_grad(rank: int, size: int) -> None:
    class Failing(gn.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: gn.Tensor) -> gn.Tensor:
            return x.clone()

        @staticmethod
        def backward(ctx: Any, gradient: gn.Tensor) -> gn.Tensor:
            raise ValueError("no gradient")

    for as_view in (False, True):
        own = DDP(network(), gradient_as_bucket_view=as_view, bucket_cap_mb=1e-6)
        for _ in range(2):
            own.zero_grad()
            loss_of(own, rank).backward()
        before = {name: each.clone() for name, each in gradients(own).items()}
        with pytest.raises(ValueError, match="no gradient"):
            (own(Failing.apply(batch(rank).requires_grad_())) ** 2).sum().backward()
        assert own.reducer._next == 6  # all buckets were under way, and their memory must live until the end
        alive = {each.data_ptr() for call in progress.under_way for each in kept_by(call)}
        assert alive >= {each.buffer.data_ptr() for each in own.reducer.buckets}
        for name, each in gradients(own).items():
            assert gn.equal(each, before[name])


@on_ranks(2)
def test_backward_twice_and_two_losses(rank: int, size: int) -> None:
    own = DDP(network())
    loss = loss_of(own, rank)
    loss.backward(retain_graph=True)
    reduced = expected(size, network(), loss_of)
    assert_same(gradients(own), reduced)
    loss.backward()  # as in PyTorch: what comes after all gradients were reduced is not
    local = expected(1, network(), lambda model, _: loss_of(model, rank))
    assert_same(gradients(own), {name: reduced[name] + local[name] for name in local})
    own.zero_grad()
    output = own(batch(rank))  # the sum of losses of one forward
    (output.sum() + (output**2).sum()).backward()
    two = expected(size, network(), lambda model, each: model(batch(each)).sum() + loss_of(model, each))
    assert_same(gradients(own), two)
    own.zero_grad()
    assert gn.autograd.grad(loss_of(own, rank), [own.module.first.weight])[0] is not None
    assert gradients(own) == {}
    loss_of(own, rank).backward()
    assert_same(gradients(own), reduced)


@on_ranks(2)
def test_a_backward_that_is_recorded_gives_gradients_without_graph(rank: int, size: int) -> None:
    for as_view in (False, True):
        own = DDP(network(), gradient_as_bucket_view=as_view)
        for _ in range(2):
            own.zero_grad()
            loss = loss_of(own, rank)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of reference cycles
                loss.backward(create_graph=True)
            assert_same(gradients(own), expected(size, network(), loss_of))
            assert not any(each.requires_grad for each in gradients(own).values())


@on_ranks(2)
def test_a_model_on_another_device(rank: int, size: int) -> None:
    own = DDP(network().to("reference"))
    for _ in range(2):
        own.zero_grad()
        (own(batch(rank).to("reference")) ** 2).sum().backward()
        found = gradients(own)
        assert {str(each.device) for each in found.values()} == {"reference"}
        assert_same({k: v.to("cpu") for k, v in found.items()}, expected(size, network(), loss_of))


@on_ranks(2)
def test_two_losses_whose_backward_passes_complete_each_other(rank: int, size: int) -> None:
    class Two(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.one, self.other = nn.Linear(5, 2), nn.Linear(5, 2)

        def forward(self, x: gn.Tensor) -> tuple[gn.Tensor, gn.Tensor]:
            return self.one(x), self.other(x)

    gn.manual_seed(0)
    own = DDP(Two())
    for _ in range(3):
        own.zero_grad()
        one, other = own(batch(rank))
        (one**2).sum().backward()
        assert own.module.other.weight.grad is None
        (other**2).sum().backward()
        wanted = expected(size, own.module, lambda model, each: sum((y**2).sum() for y in model(batch(each))))
        assert_same(gradients(own), wanted)


# -- unused parameters ---------------------------------------------------------------------------------------


@on_ranks(2, 3)
def test_unused_parameters_are_found(rank: int, size: int) -> None:
    own, which = DDP(network(), find_unused_parameters=True), ["left", "right", "both"]

    def loss(model: nn.Module, each: int) -> gn.Tensor:
        return loss_of(model, each, "left" if each % 2 else "both")

    for _ in range(3):  # "right" is used by rank 0 only (and 2), whose gradient is divided by the size
        own.zero_grad()
        loss(own, rank).backward()
        assert_same(gradients(own), expected(size, network(), loss))
    own.zero_grad()
    loss_of(own, rank, which[0]).backward()  # unused by all: untouched
    assert own.module.right.weight.grad is None and own.module.left.weight.grad is not None
    marked = own.module.right.weight.grad = gn.full((3, 7), 5.0)
    loss_of(own, rank, which[0]).backward()
    assert own.module.right.weight.grad is marked and (marked == 5).all()
    loss_of(own, rank, which[1]).backward()
    assert not (own.module.right.weight.grad == 5).all()


@dataclasses.dataclass
class Pair:
    one: gn.Tensor
    rest: dict[str, Any]


@on_ranks(2)
def test_an_output_that_the_loss_does_not_use(rank: int, size: int) -> None:
    class Many(Network):
        def forward(self, x: gn.Tensor, which: str = "both") -> Any:
            h = self.first(x).tanh()
            made = [self.left(h), self.right(h), "text", gn.ones(2)]
            return {"list": [tuple(made[:2]), made[2]], "constant": made[3]}

    gn.manual_seed(0)
    own = DDP(Many(), find_unused_parameters=True)
    for _ in range(2):
        own.zero_grad()
        found = own(batch(rank))
        assert found["list"][1] == "text" and found["constant"].grad_fn is None
        (found["list"][0][0] ** 2).sum().backward()
        wanted = expected(size, network(), lambda model, each: loss_of(model, each, "left"))
        assert_same(gradients(own), wanted)

    class Plain(Network):
        def forward(self, x: gn.Tensor, which: str = "both") -> Any:
            h = self.first(x).tanh()
            return Pair(self.left(h), {"right": self.right(h)})

    gn.manual_seed(0)
    own = DDP(Plain(), find_unused_parameters=True)  # a dataclass is searched for tensors, too
    found = own(batch(rank))
    ((found.one + found.rest["right"]) ** 2).sum().backward()
    assert_same(gradients(own), expected(size, network(), loss_of))


@on_ranks(2)
def test_unused_parameters_that_nobody_looks_for(rank: int, size: int) -> None:
    own = DDP(network())
    loss_of(own, rank, "left").backward()
    with pytest.raises(RuntimeError) as caught:
        own(batch(rank))
    text = str(caught.value)
    assert text.startswith(
        "Expected to have finished reduction in the prior iteration before starting a new one."
    )
    assert f"did not receive grad for rank {rank}: right.weight, right.bias" in text
    assert text.endswith(f"Parameter indices which did not receive grad for rank {rank}: 4 5")
    with pytest.raises(RuntimeError, match="`find_unused_parameters=True`"):
        own._check_reducer_finalized()
    with gn.no_grad():
        assert own(batch(rank)).shape == (4, 3)  # evaluation goes on


@on_ranks(1)
def test_a_parameter_that_gets_two_gradients(rank: int, size: int) -> None:
    own = DDP(network(), find_unused_parameters=True)
    loss = loss_of(own, rank, "left") + own.module.right(gn.ones(1, 7)).sum()
    with pytest.raises(
        RuntimeError, match=r"(?s)mark a variable ready only once.*index [45] with name right"
    ):
        loss.backward()


# -- static graphs, and backward within backward
# ---------------------------------------------------------------


@on_ranks(2)
def test_a_static_graph(rank: int, size: int) -> None:
    for as_view in (False, True):
        own = DDP(network(), static_graph=True, gradient_as_bucket_view=as_view, bucket_cap_mb=1e-6)
        for _ in range(4):
            own.zero_grad()
            loss_of(own, rank, "left").backward()
            wanted = expected(size, network(), lambda model, each: loss_of(model, each, "left"))
            assert_same(gradients(own), wanted)
        assert own.reducer.has_rebuilt
        names = [own.reducer.names[index] for bucket in own.reducer.buckets for index in bucket.indices]
        assert {*names[-2:]} == {"first.weight", "first.bias"}  # the order of the second iteration
        with pytest.raises(
            RuntimeError, match="is unused in first iteration, but then got used in the second"
        ):
            loss_of(own, rank).backward()
        own = DDP(network(), static_graph=True)
        loss_of(own, rank).backward()
        loss_of(own, rank, "left").backward()
        with pytest.raises(
            RuntimeError, match=r"(?s)used in first iteration, but then got unused.*right.weight"
        ):
            loss_of(own, rank)


class Checkpointed(Network):
    """Recomputes its parts in backward; the first layer twice."""

    reentrant = False

    def forward(self, x: gn.Tensor, which: str = "both") -> gn.Tensor:
        def part(x: gn.Tensor, layer: nn.Module) -> gn.Tensor:
            return layer(self.first(x).tanh())

        x = x.clone().requires_grad_()
        found = [checkpoint(part, x, each, use_reentrant=self.reentrant) for each in (self.left, self.right)]
        return found[0] + found[1]


@on_ranks(2)
def test_checkpoints(rank: int, size: int) -> None:
    gn.manual_seed(0)
    own = DDP(Checkpointed())
    for _ in range(3):
        own.zero_grad()
        loss_of(own, rank).backward()
        assert_same(gradients(own), expected(size, network(), loss_of))

    class Reentrant(Checkpointed):
        reentrant = True

    gn.manual_seed(0)
    twice = DDP(Reentrant())
    with pytest.raises(RuntimeError, match=r"(?s)Expected to mark a variable ready only once.*first"):
        loss_of(twice, rank).backward()
    for as_view in (False, True):
        gn.manual_seed(0)
        own = DDP(Reentrant(), static_graph=True, gradient_as_bucket_view=as_view)
        for _ in range(3):
            own.zero_grad()
            loss_of(own, rank).backward()
            assert_same(gradients(own), expected(size, network(), loss_of))


@on_ranks(2)
def test_a_parameter_used_inside_and_outside_of_a_reentrant_checkpoint(rank: int, size: int) -> None:
    class Outside(Network):
        def forward(self, x: gn.Tensor, which: str = "both") -> gn.Tensor:
            h = checkpoint(lambda x: self.first(x).tanh(), x.clone().requires_grad_(), use_reentrant=True)
            return self.left(h) + self.right(h) + self.first.weight.sum()

    class Plain(Network):
        def forward(self, x: gn.Tensor, which: str = "both") -> gn.Tensor:
            return super().forward(x) + self.first.weight.sum()

    for as_view in (False, True):
        gn.manual_seed(0)
        own = DDP(Outside(), static_graph=True, gradient_as_bucket_view=as_view, bucket_cap_mb=1e-6)
        gn.manual_seed(0)
        alone = Plain()
        for _ in range(3):
            own.zero_grad()
            loss_of(own, rank).backward()
            assert_same(gradients(own), expected(size, alone, loss_of))


# -- buffers -------------------------------------------------------------------------------------------------


@on_ranks(2)
def test_buffers_are_those_of_rank_0_in_each_forward(rank: int, size: int) -> None:
    for sync in (True, False):
        own = DDP(nn.BatchNorm1d(5), forward_sync_buffers=sync)
        alone = nn.BatchNorm1d(5)
        for step in range(3):
            alone(batch(0, 4, step))
            graph = own(batch(rank, 4, step))
            graph.sum().backward()  # what it saved was not disturbed
        assert own.module.num_batches_tracked.item() == 3
        own.eval()
        own(batch(rank))
        assert close(own.module.running_mean, alone.running_mean) is (sync or rank == 0)
        with own.no_sync():
            own(batch(rank))
        assert not own.will_sync_module_buffers()
    with pytest.warns(FutureWarning, match="`broadcast_buffers` is deprecated"):
        own = DDP(nn.BatchNorm1d(5), broadcast_buffers=False)
    assert own.broadcast_buffers is False


@on_ranks(2)
def test_a_graph_that_saved_a_buffer_is_not_disturbed(rank: int, size: int) -> None:
    class Scaled(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = nn.Parameter(gn.ones(5))
            self.register_buffer("scale", gn.full((5,), 2.0))

        def forward(self, x: gn.Tensor) -> gn.Tensor:
            return x * self.weight * self.scale

    own = DDP(Scaled())
    one = own(batch(rank))
    other = own(batch(rank))  # synchronizes the buffer again
    (one + other).sum().backward()
    wanted = expected(size, Scaled(), lambda model, each: 2 * model(batch(each)).sum())
    assert_same(gradients(own), wanted)


# -- communication hooks -------------------------------------------------------------------------------------


@on_ranks(1, 2, 3)
def test_compression_hooks(rank: int, size: int) -> None:
    from gnomon.distributed.algorithms.ddp_comm_hooks import DDPCommHookType, register_ddp_comm_hook
    from gnomon.distributed.algorithms.ddp_comm_hooks import default_hooks as hooks

    tolerances = {"allreduce_hook": ROUNDINGS, "fp16_compress_hook": 2e-3, "bf16_compress_hook": 16e-3}
    wanted = expected(size, network(), loss_of)
    for name, tolerance in tolerances.items():  # 2 to 3 roundings of the narrow dtype
        for as_view in (False, True):
            own = DDP(network(), gradient_as_bucket_view=as_view, bucket_cap_mb=1e-4)
            own.register_comm_hook(None, getattr(hooks, name))
            for _ in range(3):
                own.zero_grad()
                loss_of(own, rank).backward()
                found = gradients(own)
                assert all(close(found[key], each, tolerance) for key, each in wanted.items()), name
                exact = [gn.equal(found[key], each) for key, each in wanted.items()]
                assert name == "allreduce_hook" or not all(exact)
    own = DDP(network())
    own.register_comm_hook(dist.group.WORLD, hooks.bf16_compress_wrapper(hooks.allreduce_hook))
    loss_of(own, rank).backward()
    assert all(close(gradients(own)[key], each, 16e-3) for key, each in wanted.items())
    own = DDP(network())
    register_ddp_comm_hook(DDPCommHookType.FP16_COMPRESS, own)
    loss_of(own, rank).backward()
    assert all(close(gradients(own)[key], each, 2e-3) for key, each in wanted.items())


@on_ranks(2)
def test_a_hook_sees_buckets_and_decides(rank: int, size: int) -> None:
    from gnomon.futures import Future

    seen: list[Any] = []

    def double(state: list[Any], bucket: dist.GradBucket) -> Future[gn.Tensor]:
        assert isinstance(bucket, dist.GradBucket)
        shapes = [tuple(each.shape) for each in bucket.gradients()]
        assert shapes == [tuple(each.shape) for each in bucket.parameters()]
        state.append((bucket.index(), bucket.is_last(), bucket.buffer().numel(), shapes))
        done: Future[gn.Tensor] = Future()
        done.set_result(bucket.buffer() * 2)  # no communication: each keeps its own, undivided
        return done

    own = DDP(network(), bucket_cap_mb=1e-4)
    own.register_comm_hook(seen, double)
    loss_of(own, rank).backward()
    local = expected(1, network(), lambda model, _: loss_of(model, rank))
    assert_same(gradients(own), {name: 2 * each for name, each in local.items()})
    assert [each[:3] for each in seen] == [(0, True, 90)]
    own.zero_grad()
    loss_of(own, rank).backward()
    assert [each[0] for each in seen[1:]] == [0, 1, 2] and [each[1] for each in seen[1:]] == [
        False,
        False,
        True,
    ]


@on_ranks(1)
def test_what_is_no_hook(rank: int, size: int) -> None:
    own = DDP(network())
    for hook, kind, text in (
        (3, TypeError, "Communication hook must be callable."),
        (_annotated_bucket, ValueError, "bucket annotation should be dist.GradBucket."),
        (_annotated_result, ValueError, "return annotation should be gnomon.futures.Future"),
    ):
        with pytest.raises(kind, match=text):
            own.register_comm_hook(None, hook)  # type: ignore[arg-type]
    own.register_comm_hook(None, lambda state, bucket: 3)
    with pytest.raises(RuntimeError, match="can only be called once"):
        own.register_comm_hook(None, lambda state, bucket: 3)
    with pytest.raises(RuntimeError, match=r"must return a gnomon\.futures\.Future object, but got bu"):
        loss_of(own, rank).backward()


def _annotated_bucket(state: Any, bucket: int) -> Any: ...


def _annotated_result(state: Any, bucket: dist.GradBucket) -> int:
    return 3


# -- uneven inputs -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("by_initial", [True, False])
@on_ranks(2, 3)
def test_join_with_uneven_inputs(rank: int, size: int, by_initial: bool) -> None:
    """Rank r has 3 + r batches; the same steps by one process that leaves out those that are missing."""
    for unused in (False, True):
        own, alone = DDP(network(), find_unused_parameters=unused), network()
        rules = [gn.optim.SGD(each.parameters(), lr=0.01) for each in (own, alone)]
        with own.join(divide_by_initial_world_size=by_initial):
            for step in range(3 + rank):
                rules[0].zero_grad()
                if step == 1:
                    with own.no_sync():
                        (own(batch(rank, 4, 9)) ** 2).sum().backward()
                (own(batch(rank, 4, step)) ** 2).sum().backward()
                rules[0].step()
        for step in range(2 + size):
            going_on = [each for each in range(size) if step < 3 + each]
            losses = [(alone(batch(each, 4, step)) ** 2).sum() for each in going_on]
            if step == 1:
                losses += [(alone(batch(each, 4, 9)) ** 2).sum() for each in going_on]
            rules[1].zero_grad()
            (sum(losses) / (size if by_initial else len(going_on))).backward()
            rules[1].step()
        for found, wanted in zip(own.parameters(), alone.parameters()):
            assert close(found.detach(), wanted.detach(), 4 * ROUNDINGS)


@on_ranks(2)
def test_join_of_a_rank_without_any_inputs(rank: int, size: int) -> None:
    for options in ({}, {"static_graph": True}, {"find_unused_parameters": True}):
        own, alone = DDP(network(), bucket_cap_mb=1e-6, **options), network()
        rules = [gn.optim.SGD(each.parameters(), lr=0.01) for each in (own, alone)]
        with own.join():
            for step in range(4 * rank):
                rules[0].zero_grad()
                (own(batch(1, 4, step), "left") ** 2).sum().backward() if options else loss_of(
                    own, 1
                ).backward()
                rules[0].step()
        for step in range(4):
            rules[1].zero_grad()
            loss = (alone(batch(1, 4, step), "left") ** 2).sum() if options else loss_of(alone, 1)
            (loss / 2).backward()
            rules[1].step()
        for found, wanted in zip(own.parameters(), alone.parameters()):
            assert close(found.detach(), wanted.detach(), 4 * ROUNDINGS)


@on_ranks(2)
def test_join_ends_all_if_asked_to(rank: int, size: int) -> None:
    own = DDP(network())
    text = "Rank 0 exhausted all inputs" if rank == 0 else "Detected at least one rank that exhausted inputs"
    with pytest.raises(RuntimeError, match=text), own.join(throw_on_early_termination=True):
        for _ in range(2 + rank):
            loss_of(own, rank).backward()
    own = DDP(network())
    with own.join(enable=False):
        loss_of(own, rank).backward()
    with pytest.raises(ZeroDivisionError), own.join():
        loss_of(own, rank).backward()
        1 / 0  # noqa: B018


@on_ranks(2)
def test_join_synchronizes_buffers_of_those_that_go_on(rank: int, size: int) -> None:
    own = DDP(nn.BatchNorm1d(5))
    with own.join():
        for step in range(2 + rank):
            own(batch(rank, 4, step)).sum().backward()
    assert own.module.num_batches_tracked.item() == 3


# -- the module around ---------------------------------------------------------------------------------------


@on_ranks(1)
def test_what_is_refused(rank: int, size: int) -> None:
    for call, kind, text in (
        (
            lambda: DDP(nn.ReLU()),
            RuntimeError,
            "not needed when a module doesn't have any parameter that requires",
        ),
        (lambda: DDP(nn.Linear(2, 2).requires_grad_(False)), RuntimeError, "not needed when a module"),
        (lambda: DDP(nn.LazyLinear(2)), RuntimeError, "Modules with uninitialized parameters"),
        (lambda: DDP(nn.Linear(2, 2), device_ids=[0, 1]), ValueError, "can only be None or contain a single"),
        (
            lambda: DDP(nn.Linear(2, 2), device_ids=[0]),
            ValueError,
            "device_ids and output_device arguments only",
        ),
        (lambda: DDP(nn.SyncBatchNorm(2)), ValueError, "SyncBatchNorm layers only work with GPU modules"),
        (lambda: DDP(nn.Linear(2, 2), mixed_precision=3), NotImplementedError, "'mixed_precision'"),
        (
            lambda: DDP(nn.Linear(2, 2), process_group=dist.group.WORLD, device_mesh=3),
            RuntimeError,
            "Cannot specify both process_group and device_mesh",
        ),
    ):
        with pytest.raises(kind, match=text):
            call()
    own = DDP(nn.Embedding(3, 2, sparse=True))
    with pytest.raises(RuntimeError, match="expected gradients that are dense"):
        own(gn.tensor([1])).sum().backward()


@on_ranks(3)
def test_a_group_of_some_of_the_ranks(rank: int, size: int) -> None:
    group = dist.new_group([1, 2])
    if rank == 0:
        with pytest.raises(ValueError, match="Invalid process group"):
            DDP(network(), process_group=group)
        return
    own = DDP(network(seed=rank), process_group=group)
    loss_of(own, rank).backward()
    with_both = expected(2, network(seed=1), lambda model, each: loss_of(model, each + 1))
    assert_same(gradients(own), with_both)
    with pytest.raises(RuntimeError, match="only supported when using DDP with the default process group"):
        pickle.dumps(own)
    dist.destroy_process_group(group)


@on_ranks(2)
def test_copies_ignored_parameters_and_hooks_of_others(rank: int, size: int) -> None:
    own = DDP(network(), find_unused_parameters=True)
    copied = copy.deepcopy(own)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        loss_of(copied, rank).backward()
    assert_same(gradients(copied), expected(size, network(), loss_of))
    assert gradients(own) == {}

    inner = network()
    DDP._set_params_and_buffers_to_ignore_for_model(inner, ["left.bias"])
    own = DDP(inner)
    own.module.first.weight.register_hook(lambda gradient: gradient * 10)  # before it is reduced
    calls = []
    own.module.right.bias.register_post_accumulate_grad_hook(lambda leaf: calls.append(leaf.grad.clone()))
    loss_of(own, rank).backward()
    wanted = expected(size, network(), loss_of)
    local = expected(1, network(), lambda model, _: loss_of(model, rank))
    assert close(own.module.first.weight.grad, 10 * wanted["first.weight"])
    assert close(own.module.left.bias.grad, local["left.bias"])
    assert len(calls) == 1 and close(calls[0], wanted["right.bias"])

    shared = nn.Sequential(nn.Linear(5, 5), nn.Linear(5, 5))
    shared[1].weight = shared[0].weight
    own = DDP(shared)
    own(batch(rank)).sum().backward()
    assert len(own.reducer.parameters) == 3


@on_ranks(1)
def test_a_model_that_is_dropped_takes_no_gradients(rank: int, size: int) -> None:
    import gc
    import weakref

    inner = network()
    own = DDP(inner)
    reducer = weakref.ref(own.reducer)
    del own
    gc.collect()
    assert reducer() is None
    loss_of(inner, rank).backward()
    parameter = weakref.ref(inner.first.weight)
    del inner
    gc.collect()
    assert parameter() is None


@on_ranks(2, 3)
def test_the_sampler_asks_the_group(rank: int, size: int) -> None:
    from gnomon.utils.data import DataLoader, DistributedSampler, TensorDataset

    data = TensorDataset(gn.arange(10))
    sampler = DistributedSampler(data)
    assert (sampler.rank, sampler.num_replicas) == (rank, size)
    own = gn.cat([each for (each,) in DataLoader(data, batch_size=2, sampler=sampler)])
    all_of = [gn.empty_like(own) for _ in range(size)]
    dist.all_gather(all_of, own)
    assert set(gn.cat(all_of).tolist()) == set(range(10)) and len(own) == -(-10 // size)


def body_of(test: Any) -> Callable[..., None]:
    """A test that is run within another."""
    found: Callable[..., None] = test.body
    return found


@pytest.mark.slow
@on_ranks(4)
def test_four_ranks(rank: int, size: int) -> None:
    body_of(test_losses_and_gradients_are_those_of_one_process)(rank, size, False)
    body_of(test_unused_parameters_are_found)(rank, size)
    body_of(test_compression_hooks)(rank, size)
    body_of(test_join_with_uneven_inputs)(rank, size, True)
