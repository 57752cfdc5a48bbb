"""Pipelines: losses, gradients and outputs of one process; the order of micro-batches, and what is kept."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

import gnomon as gn
import gnomon.distributed as dist
from gnomon.distributed.pipelining import PipelineStage, Schedule1F1B, ScheduleGPipe
from ranks import on_ranks

KINDS = {"GPipe": ScheduleGPipe, "1F1B": Schedule1F1B}
mse_loss = gn.nn.functional.mse_loss


class Part(gn.nn.Module):
    """A residual layer beside a mask that has no gradient, and a tensor that is handed on."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.linear = gn.nn.Linear(width, width)

    def forward(self, x: gn.Tensor, mask: gn.Tensor, scale: float = 1.0) -> Any:
        return x + self.linear(x.tanh()) * mask * scale, mask


class First(gn.nn.Module):
    """Makes the mask of a batch."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.linear = gn.nn.Linear(3, width)

    def forward(self, x: gn.Tensor) -> Any:
        return self.linear(x), (x.sum(1, keepdim=True) > 0).to(gn.int32)


class Last(gn.nn.Module):
    """Predicts one number."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.linear = gn.nn.Linear(width, 1)

    def forward(self, x: gn.Tensor, mask: gn.Tensor) -> gn.Tensor:
        return self.linear(x)


class Chain(gn.nn.Module):
    """Modules of which each gets what the one before returns."""

    def __init__(self, modules: list[gn.nn.Module]) -> None:
        super().__init__()
        self.parts = gn.nn.ModuleList(modules)

    def forward(self, *given: Any) -> Any:
        for each in self.parts:
            found = each(*given)
            given = found if isinstance(found, tuple) else (found,)
        return found


def parts(stages: int, dtype: gn.dtype = gn.float64) -> list[gn.nn.Module]:
    """A model of six modules, the same in each rank, in ``stages`` stages."""
    gn.manual_seed(2)
    all_of = [First(8), *(Part(8) for _ in range(4)), Last(8)]
    cuts = [round(6 * number / stages) for number in range(stages + 1)]
    return [Chain(all_of[begin:end]).to(dtype) for begin, end in itertools.pairwise(cuts)]


def batch(step: int, dtype: gn.dtype = gn.float64) -> tuple[gn.Tensor, gn.Tensor]:
    x = gn.sin(gn.arange(72.0, dtype=gn.float64).view(24, 3) + step / 5)
    return x.to(dtype), (x[:, :1] * x[:, 1:2]).to(dtype)


def train_alone(model: gn.nn.Module, steps: int, dtype: gn.dtype) -> list[float]:
    optimizer = gn.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    losses = []
    for step in range(steps):
        x, target = batch(step, dtype)
        optimizer.zero_grad()
        loss = mse_loss(model(x), target)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def train(
    schedule: Any, stage: PipelineStage, steps: int, dtype: gn.dtype, part: Any = (0, 1), group: Any = None
) -> list[float]:
    """Train on a part of each batch; returns the losses, in the last stage."""
    optimizer = gn.optim.SGD(stage.submod.parameters(), lr=0.1, momentum=0.9)
    means = []
    for step in range(steps):
        x, target = (each.chunk(part[1])[part[0]] for each in batch(step, dtype))
        optimizer.zero_grad()
        losses: list[gn.Tensor] = []
        output = schedule.step(*([x] if stage.is_first else []), target=target, losses=losses)
        assert (output is not None) == stage.is_last and len(losses) == 4 * stage.is_last
        if part[1] > 1:
            for each in stage.submod.parameters():
                assert each.grad is not None
                dist.all_reduce(each.grad, dist.ReduceOp.AVG, group)
        optimizer.step()
        if stage.is_last:
            assert output.shape == target.shape
            mean = gn.stack(losses).mean()
            gn.testing.assert_close(mean, mse_loss(output, target), rtol=1e-6, atol=0)
            if part[1] > 1:
                dist.all_reduce(mean, dist.ReduceOp.AVG, group)
            means.append(mean.item())
    return means


def compare(stage: PipelineStage, found: list[float], dtype: gn.dtype) -> None:
    """Losses, and this stage's parameters, agree to the rounding that the package states."""
    bound = 1e-12 if dtype is gn.float64 else 1e-5
    alone = parts(stage.num_stages, dtype)
    wanted = train_alone(Chain(alone), 4, dtype)
    assert wanted[-1] < wanted[0]
    if stage.is_last:
        gn.testing.assert_close(gn.tensor(found), gn.tensor(wanted), rtol=bound, atol=0)
    for one, other in zip(stage.submod.parameters(), alone[stage.stage_index].parameters()):
        gn.testing.assert_close(one, other, rtol=100 * bound, atol=10 * bound)


@pytest.mark.parametrize(("dtype", "kind"), [("float64", "GPipe"), ("float64", "1F1B"), ("float32", "1F1B")])
@on_ranks(1, 2, 3, pytest.param(4, marks=pytest.mark.slow))
def test_losses_and_parameters_are_those_of_one_process(rank: int, size: int, dtype: str, kind: str) -> None:
    made = getattr(gn, dtype)
    stage = PipelineStage(parts(size, made)[rank], rank, size, gn.get_default_device())
    compare(stage, train(KINDS[kind](stage, 4, mse_loss), stage, 4, made), made)


@pytest.mark.slow
@on_ranks(4)
def test_data_parallel_and_a_pipeline_on_a_mesh(rank: int, size: int) -> None:
    mesh = dist.init_device_mesh("cpu", (2, 2), mesh_dim_names=("data", "pipe"))
    data, pipe = mesh["data"].get_group(), mesh["pipe"].get_group()
    stage = PipelineStage(parts(2)[pipe.rank()], pipe.rank(), 2, gn.get_default_device(), group=pipe)
    schedule = Schedule1F1B(stage, 4, mse_loss)
    compare(stage, train(schedule, stage, 4, gn.float64, (data.rank(), 2), data), gn.float64)


@pytest.mark.parametrize("kind", KINDS)
@on_ranks(1, 2, 3)
def test_the_order_of_micro_batches_and_how_many_are_kept(rank: int, size: int, kind: str) -> None:
    done: list[str] = []
    kept: list[int] = []

    class Recorded(PipelineStage):
        def forward_one_chunk(self, chunk: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            result = super().forward_one_chunk(chunk, args, kwargs)
            done.append(f"f{chunk}")
            kept.append(len(self._held))
            return result

        def backward_one_chunk(self, chunk: int) -> None:
            done.append(f"b{chunk}")
            super().backward_one_chunk(chunk)

    stage = Recorded(parts(size)[rank], rank, size, gn.get_default_device())
    x, target = batch(0)
    KINDS[kind](stage, 5, mse_loss).step(*([x] if stage.is_first else []), target=target)
    if kind == "GPipe":
        assert " ".join(done) == "f0 f1 f2 f3 f4 b0 b1 b2 b3 b4"
        assert max(kept) == 5
    else:
        wanted = {
            1: "f0 b0 f1 b1 f2 b2 f3 b3 f4 b4",
            2: "f0 f1 b0 f2 b1 f3 b2 f4 b3 b4",
            3: "f0 f1 f2 b0 f3 b1 f4 b2 b3 b4",
        }
        assert " ".join(done) == wanted[size - rank]
        assert max(kept) == size - rank
    assert not stage._held and not stage._sent


@on_ranks(1, 2, 3)
def test_scale_gradients_that_add_up_and_arguments_of_a_stage(rank: int, size: int) -> None:
    alone = parts(size)
    x, target = batch(0)
    found: Any = x
    for number, each in enumerate(alone):
        given: Any = found if isinstance(found, tuple) else (found,)
        if number == size // 2 and size == 3:
            for part in each.parts:
                given = part(*given, scale=0.5)
            found = given
        else:
            found = each(*given)
    loss = mse_loss(found, target, reduction="sum")
    (loss * 2).backward()

    class Scaled(gn.nn.Module):
        def __init__(self, inner: Any) -> None:
            super().__init__()
            self.inner = inner

        def forward(self, *given: Any, scale: float) -> Any:
            for part in self.inner.parts:
                given = part(*given, scale=scale)
            return given

    own: gn.nn.Module = parts(size)[rank]
    is_scaled = size == 3 and rank == 1
    stage = PipelineStage(Scaled(own) if is_scaled else own, rank, size, gn.get_default_device())
    schedule = ScheduleGPipe(stage, 3, mse_loss, scale_grads=False)
    total = {"reduction": "sum"}
    options: Any = {"scale": 0.5} if is_scaled else {}
    for _ in range(2):
        losses: list[gn.Tensor] = []
        given = [x] if stage.is_first else []
        result = schedule.step(
            *given, target=target, losses=losses, return_outputs=False, loss_kwargs=total, **options
        )
        assert result is None
    if stage.is_last:
        gn.testing.assert_close(gn.stack(losses).sum(), loss.detach(), rtol=1e-12, atol=0)
        assert not any(each.requires_grad for each in losses)
    for one, other in zip(stage.submod.parameters(), alone[rank].parameters()):
        gn.testing.assert_close(one.grad, other.grad, rtol=1e-11, atol=1e-13)


@on_ranks(1, 2, 3)
def test_without_backward(rank: int, size: int) -> None:
    alone = Chain(parts(size))
    x, target = batch(0)
    stage = PipelineStage(parts(size)[rank], rank, size, gn.get_default_device())
    schedule = Schedule1F1B(stage, 3, mse_loss)
    given = [x] if stage.is_first else []
    losses: list[gn.Tensor] = []
    with pytest.raises(RuntimeError, match=r"Please call eval\(\) instead"), gn.no_grad():
        schedule.step(*given, target=target)
    schedule.step(*given, target=target)
    stage.submod.zero_grad()
    for output in (
        schedule.eval(*given, target=target, losses=losses),
        ScheduleGPipe(stage, 4).step(*given),
    ):
        if stage.is_last:
            gn.testing.assert_close(output, alone(x).detach(), rtol=1e-12, atol=1e-14)
            assert not output.requires_grad
        else:
            assert output is None
    if stage.is_last:
        gn.testing.assert_close(gn.stack(losses).mean(), mse_loss(alone(x), target).detach())
    assert all(each.grad is None for each in stage.submod.parameters()) and not stage._held


@on_ranks(2)
def test_what_is_refused(rank: int, size: int) -> None:
    model = gn.nn.Linear(2, 2)
    with pytest.raises(ValueError, match="Stage index 2 is out of range of 2"):
        PipelineStage(model, 2, 2, "cpu")
    with pytest.raises(ValueError, match=f"got stage {1 - rank} of 2 on rank {rank} of 2"):
        PipelineStage(model, 1 - rank, 2, "cpu")
    with pytest.raises(ValueError, match="one stage for each process"):
        PipelineStage(model, rank, 3, "cpu")
    stage = PipelineStage(model, rank, 2, "cpu")
    with pytest.raises(ValueError, match=r"Number of microbatches \(1\) must be greater than or equal"):
        Schedule1F1B(stage, 1)
    with pytest.raises(ValueError, match=r"shape \(3, 2\) is too small for 4 micro-batches"):
        ScheduleGPipe(stage, 4).step(gn.ones(3, 2))


@on_ranks(2, 3)
def test_batches_of_changing_shapes(rank: int, size: int) -> None:
    alone = Chain(parts(size))
    stage = PipelineStage(parts(size)[rank], rank, size, gn.get_default_device())
    schedule = ScheduleGPipe(stage, 2)
    for count in (4, 4, 7, 2):
        x = batch(0)[0][:count]
        output = schedule.step(*([x] if stage.is_first else []))
        if stage.is_last:
            gn.testing.assert_close(output, alone(x).detach(), rtol=1e-12, atol=1e-14)
