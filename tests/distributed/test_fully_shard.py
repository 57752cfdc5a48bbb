"""fully_shard: losses and parameters of one process, with memory for a part of the parameters."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

import gnomon as gn
import gnomon.distributed as dist
from gnomon.distributed.fsdp import FSDPModule, MixedPrecisionPolicy, fully_shard
from gnomon.distributed.fsdp.parameter_group import Gathered
from gnomon.distributed.tensor import full_state_dict, full_tensor, load_full_state_dict
from gnomon.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from gnomon.distributed.tensor.sharding import gathered
from ranks import on_ranks

WIDTH = 10


def emptied(self: Gathered, empty: Callable[[Gathered], None] = Gathered._empty) -> None:
    """Free memory that has no values any more: who still reads it computes NaN."""
    if self.is_filled:
        for each in self._places:
            each.fill_(float("nan"))
    empty(self)


Gathered._empty = emptied  # type: ignore[method-assign]


class Layer(gn.nn.Module):
    """Two linear layers beside a sum; ``probe`` is called in the middle of forward and of backward."""

    def __init__(self) -> None:
        super().__init__()
        self.up, self.down = gn.nn.Linear(WIDTH, 16), gn.nn.Linear(16, WIDTH)
        self.probe: Callable[[], None] | None = None

    def forward(self, x: gn.Tensor) -> gn.Tensor:
        middle = self.up(x).tanh()
        if self.probe is not None:
            probe = self.probe
            probe()
            if middle.requires_grad:
                middle.register_hook(lambda grad: probe())
        return x + self.down(middle)


class Model(gn.nn.Module):
    """Layers, parameters of its own with fewer rows than ranks, and a frozen one."""

    def __init__(self, layers: int = 3) -> None:
        super().__init__()
        self.first = gn.nn.Linear(7, WIDTH)
        self.layers = gn.nn.ModuleList([Layer() for _ in range(layers)])
        self.last = gn.nn.Linear(WIDTH, 1)
        self.has_checkpoints = False
        self.scale = gn.nn.Parameter(gn.full((WIDTH,), 0.9), requires_grad=False)

    def forward(self, x: gn.Tensor) -> gn.Tensor:
        x = self.first(x)
        for each in self.layers:
            if self.has_checkpoints:
                x = gn.utils.checkpoint.checkpoint(each, x, use_reentrant=False) * self.scale
            else:
                x = each(x) * self.scale
        return self.last(x)


def new_model(dtype: gn.dtype = gn.float64, layers: int = 3) -> Model:
    """The same in each rank."""
    gn.manual_seed(1)
    return Model(layers).to(dtype)


def sharded(model: Model, **options: Any) -> Model:
    """Each layer by itself, then the rest."""
    for each in model.layers:
        fully_shard(each, **options)
    assert fully_shard(model, **options) is model
    return model


def train(
    model: gn.nn.Module, steps: int, part: tuple[int, int] = (0, 1), forward: Any = None, micro: int = 1
) -> list[float]:
    """Train on a part of each batch of 24, in ``micro`` steps of accumulation; returns the whole losses."""
    optimizer = gn.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    dtype = next(model.parameters()).dtype
    losses = []
    for step in range(steps):
        x = gn.sin(gn.arange(24.0 * 7, dtype=gn.float64).view(24, 7) + step / 3).to(dtype)
        inputs, targets = (each.chunk(part[1])[part[0]] for each in (x, x.prod(1, keepdim=True)))
        optimizer.zero_grad()
        total = gn.zeros((), dtype=gn.float64)
        for number, (one, other) in enumerate(zip(inputs.chunk(micro), targets.chunk(micro))):
            if isinstance(model, FSDPModule):
                model.set_requires_gradient_sync(number == micro - 1)
            loss = gn.nn.functional.mse_loss((forward or model)(one).to(dtype), other) / micro
            loss.backward()
            total += loss.detach()
        optimizer.step()
        if part[1] > 1:
            dist.all_reduce(total, dist.ReduceOp.AVG)
        losses.append(total.item())
    return losses


def compare(model: gn.nn.Module, alone: gn.nn.Module, found: list[float], wanted: list[float]) -> None:
    """Losses and parameters agree to the rounding that the package states."""
    is_double = next(alone.parameters()).dtype is gn.float64
    bound = 1e-12 if is_double else 1e-5
    gn.testing.assert_close(gn.tensor(found), gn.tensor(wanted), rtol=bound, atol=0)
    assert found[-1] < found[0]
    whole = full_state_dict(model)
    for name, each in alone.state_dict().items():
        gn.testing.assert_close(whole[name], each, rtol=100 * bound, atol=10 * bound)


@pytest.mark.parametrize(
    ("dtype", "reshards"), [("float64", None), ("float64", True), ("float64", False), ("float32", None)]
)
@on_ranks(1, 2, 3, pytest.param(4, marks=pytest.mark.slow))
def test_losses_and_parameters_are_those_of_one_process(
    rank: int, size: int, dtype: str, reshards: bool | None
) -> None:
    kind = getattr(gn, dtype)
    alone, model = new_model(kind), sharded(new_model(kind), reshard_after_forward=reshards)
    compare(model, alone, train(model, 4, (rank, size)), train(alone, 4))


@on_ranks(1, 2, 3)
def test_parameters_are_parts(rank: int, size: int) -> None:
    whole = new_model()
    model = sharded(new_model())
    assert isinstance(model, FSDPModule) and isinstance(model, Model)
    assert type(model.layers[0]).__name__ == "FSDPLayer"
    for (name, part), full in zip(model.named_parameters(), whole.parameters()):
        rows = -(-full.shape[0] // size)
        wanted = full[rows * rank : rows * (rank + 1)]
        assert gn.equal(part, wanted) and part.shape == wanted.shape, name
        assert isinstance(part, gn.nn.Parameter) and part.requires_grad == full.requires_grad
        assert part.untyped_storage().nbytes() == part.numel() * 8
        assert gn.equal(full_tensor(part), full)
    train(model, 1, (rank, size))
    for name, part in model.named_parameters():
        if name == "scale":
            assert part.grad is None
        else:
            assert part.grad is not None and part.grad.shape == part.shape
            assert part.grad.untyped_storage().nbytes() == part.numel() * 8


@pytest.mark.parametrize("reshards", [None, False])
@on_ranks(1, 2, 3)
def test_memory_is_there_only_while_a_layer_computes(rank: int, size: int, reshards: bool | None) -> None:
    model = sharded(new_model(layers=6), reshard_after_forward=reshards)
    of_layer = sum(each.numel() for each in Layer().parameters()) * 8
    of_root = (7 * WIDTH + WIDTH + WIDTH + 1 + WIDTH) * 8
    storages: list[Any] = []  # of all whole parameters that any forward made
    held: list[int] = []

    def probe() -> None:
        held.append(sum(each.nbytes() for each in storages))

    def collect(module: Any, *_: Any) -> None:
        for each in module.parameters():
            storage = each.untyped_storage()
            if not any(storage is other for other in storages) and getattr(each, "_sharding", None) is None:
                storages.append(storage)

    for layer in model.layers:
        layer.register_forward_pre_hook(collect)
        layer.probe = probe
    model.register_forward_pre_hook(collect)
    loss = model(gn.ones(2, 7, dtype=gn.float64)).sum()
    assert len(storages) == 6 * 4 + 5
    in_forward, held[:] = held[:], []
    # the root keeps its own, a layer only itself; or all stay
    if reshards is None:
        assert in_forward == [of_root + of_layer] * 6
        probe()
        assert held.pop() == of_root
    else:
        assert in_forward == [of_root + of_layer * (number + 1) for number in range(6)]
    loss.backward()
    if reshards is None:
        assert held == [of_root + of_layer] * 6
    else:
        assert held == [of_root + of_layer * (6 - number) for number in range(6)]
    probe()
    assert held[-1] == 0
    assert all(getattr(each, "_sharding", None) is not None for each in model.parameters())
    with gn.no_grad():
        model(gn.ones(2, 7, dtype=gn.float64))
    probe()
    assert held[-1] == 0


@on_ranks(1, 2, 3)
def test_gradients_are_accumulated_without_communication(rank: int, size: int) -> None:
    alone, model = new_model(), sharded(new_model())
    compare(model, alone, train(model, 3, (rank, size), micro=2), train(alone, 3, micro=2))
    model.set_requires_gradient_sync(False)
    before = [each.grad for each in model.parameters()]
    model(gn.ones(2, 7, dtype=gn.float64)).sum().backward()
    assert all(one is each.grad for one, each in zip(before, model.parameters()))


@on_ranks(1, 2, 3)
def test_a_checkpoint_computes_again(rank: int, size: int) -> None:
    def forward_of(model: Model) -> Callable[[gn.Tensor], gn.Tensor]:
        def forward(x: gn.Tensor) -> gn.Tensor:
            return gn.utils.checkpoint.checkpoint(model, x, use_reentrant=False)

        return forward

    alone, model = new_model(), new_model()
    for each in model.layers:  # inside of each
        inner = each.forward
        each.forward = lambda x, inner=inner: gn.utils.checkpoint.checkpoint(inner, x, use_reentrant=False)
    sharded(model)
    compare(model, alone, train(model, 2, (rank, size)), train(alone, 2))
    alone, model = new_model(), sharded(new_model())  # around each
    model.has_checkpoints = True
    compare(model, alone, train(model, 2, (rank, size)), train(alone, 2))
    alone, model = new_model(), sharded(new_model())  # around all
    compare(model, alone, train(model, 2, (rank, size), forward_of(model)), train(alone, 2))


@on_ranks(1, 2, 3)
def test_a_module_is_used_twice_and_parameters_are_tied(rank: int, size: int) -> None:
    def tied() -> tuple[gn.nn.Module, Any]:
        model = new_model(layers=2)
        model.layers[1].up.weight = model.layers[0].up.weight

        def forward(x: gn.Tensor) -> gn.Tensor:
            return model(x) + model(x * 0.5).tanh()

        return model, forward

    (alone, alone_forward), (model, forward) = tied(), tied()
    fully_shard(model.layers[0].down)
    fully_shard(model)
    assert model.layers[1].up.weight is model.layers[0].up.weight
    found = train(model, 3, (rank, size), forward)
    compare(model, alone, found, train(alone, 3, forward=alone_forward))


@on_ranks(1, 2)
def test_unshard_and_prefetch(rank: int, size: int) -> None:
    alone, model = new_model(), sharded(new_model())
    layers: list[Any] = list(model.layers)
    handle = layers[0].unshard(async_op=True)
    assert layers[0].up.weight.shape == (16 // size, WIDTH)
    handle.wait()
    assert gn.equal(layers[0].up.weight, alone.layers[0].up.weight)
    layers[0].reshard()
    assert layers[0].up.weight.shape == (16 // size, WIDTH)
    parts = list(model.parameters())
    assert layers[1].unshard() is None
    assert gn.equal(layers[1].down.bias, alone.layers[1].down.bias)
    layers[2].unshard(async_op=True)
    with gn.no_grad():  # what was gathered before is not used any more
        for each in (*parts, *alone.parameters()):
            each.mul_(0.5)
    x = gn.ones(2, 7, dtype=gn.float64)
    assert gn.equal(model(x), alone(x))
    model.reshard()
    assert all(one is other for one, other in zip(model.parameters(), parts))
    layers[0].set_modules_to_forward_prefetch([layers[1]])
    layers[1].set_modules_to_forward_prefetch([layers[2]])
    compare(model, alone, train(model, 3, (rank, size)), train(alone, 3))
    model.set_reshard_after_forward(False)
    compare(model, alone, train(model, 3, (rank, size)), train(alone, 3))


@on_ranks(1, 2, 3)
def test_mixed_precision(rank: int, size: int) -> None:
    seen = []
    model, alone = new_model(gn.float32), new_model(gn.float32)
    model.layers[0].probe = lambda: seen.append(model.layers[0].up.weight.dtype)
    policy = MixedPrecisionPolicy(gn.bfloat16, gn.float32)
    for each in model.layers:
        fully_shard(each, mp_policy=policy)
    fully_shard(model, mp_policy=dataclasses.replace(policy, output_dtype=gn.float64))
    result = model(gn.ones(2, 7))
    assert seen == [gn.bfloat16] and result.dtype is gn.float64
    result.sum().backward()
    for each in model.parameters():
        assert each.dtype is gn.float32 and (each.grad is None or each.grad.dtype is gn.float32)
    model.zero_grad()
    found, wanted = train(model, 4, (rank, size)), train(alone, 4)
    gn.testing.assert_close(gn.tensor(found), gn.tensor(wanted), rtol=0.02, atol=0.01)
    # the mean is taken in float32 of what bfloat16 computed
    wide, part = gn.nn.Linear(4, 3, bias=False), gn.nn.Linear(4, 3, bias=False)
    fully_shard(part, mp_policy=MixedPrecisionPolicy(gn.bfloat16, gn.float32))
    part(gn.full((1, 4), 1 + rank / 128)).sum().backward()
    mean = sum(1 + r / 128 for r in range(size)) / size
    gn.testing.assert_close(next(part.parameters()).grad, gn.full_like(next(part.parameters()), mean))
    assert wide.weight.shape == (3, 4)


@on_ranks(1, 2, 3)
def test_a_full_state_dict_is_loaded(rank: int, size: int) -> None:
    model = sharded(new_model())
    train(model, 2, (rank, size))
    state = full_state_dict(model)
    plain, other = new_model(), sharded(new_model())
    plain.load_state_dict(state)
    load_full_state_dict(other, plain.state_dict())
    for one, two in zip(model.parameters(), other.parameters()):
        assert gn.equal(one, two)
    x = gn.ones(3, 7, dtype=gn.float64)
    assert gn.equal(model(x), plain(x))


@on_ranks(2)
def test_a_step_between_forward_and_backward_is_refused(rank: int, size: int) -> None:
    model = sharded(new_model())
    loss = model(gn.ones(2, 7, dtype=gn.float64)).sum()
    with gn.no_grad():
        next(model.layers[2].parameters()).add_(1.0)
    with pytest.raises(RuntimeError, match="have been modified since forward"):
        loss.backward()


@on_ranks(1, 2)
def test_what_is_refused_and_ignored(rank: int, size: int) -> None:
    with pytest.raises(ValueError, match="containers that do not implement forward"):
        fully_shard(gn.nn.ModuleList([gn.nn.Linear(2, 2)]))
    scalar = gn.nn.Module()
    scalar.x = gn.nn.Parameter(gn.tensor(1.0))
    with pytest.raises(ValueError, match=r"doesn't support scalar parameters\. Change x to"):
        fully_shard(scalar)
    mixed = gn.nn.Sequential(gn.nn.Linear(2, 2), gn.nn.Linear(2, 2).double())
    with pytest.raises(ValueError, match="uniform parameter dtype"):
        fully_shard(mixed)
    assert mixed[0].weight.shape == (2, 2) and type(mixed) is gn.nn.Sequential
    linear = gn.nn.Linear(3, 4)
    weight = linear.weight
    fully_shard(linear, ignored_params={weight})
    assert linear.weight is weight and linear.bias.shape == (4 // size,)
    with pytest.raises(ValueError, match="sharded already"):
        fully_shard(linear)
    with pytest.raises(AssertionError, match="does not support deepcopy"):
        copy.deepcopy(linear)


@pytest.mark.slow
@on_ranks(4)
def test_on_meshes(rank: int, size: int) -> None:
    mesh = dist.init_device_mesh("cpu", (2, 2), mesh_dim_names=("outer", "inner"))
    alone, model = new_model(), sharded(new_model(), mesh=mesh)
    assert model.layers[0].up.weight.shape == (8, WIDTH)
    compare(model, alone, train(model, 3, (rank, size)), train(alone, 3))
    # each layer's parameters in parts along both dimensions
    alone, model = new_model(), new_model()
    plan: dict[str, Any] = {"layers.*.up": ColwiseParallel(), "layers.*.down": RowwiseParallel()}
    parallelize_module(model, mesh["inner"], plan)
    sharded(model, mesh=mesh["outer"])
    assert model.layers[0].up.weight.shape == (4, WIDTH)
    assert model.layers[0].down.weight.shape == (WIDTH // 2, 8)
    compare(model, alone, train(model, 3, (mesh["outer"].get_local_rank(), 2)), train(alone, 3))


@on_ranks(2)
def test_what_comes_next_is_on_the_way_while_a_layer_computes(rank: int, size: int) -> None:
    model = sharded(new_model())
    layers: list[Any] = list(model.layers)
    layers[0].set_modules_to_forward_prefetch([layers[1]])
    seen: list[list[bool]] = []

    def probe() -> None:
        order = model._fsdp_state.tree.order
        in_forward = [each._fsdp_state.parameters.begun is not None for each in layers]
        seen.append(in_forward if len(seen) < 3 else [each._begun is not None for each in order])

    for each in layers:
        each.probe = probe
    model(gn.ones(2, 7, dtype=gn.float64)).sum().backward()
    assert seen[:3] == [[False, True, False], [False] * 3, [False] * 3]
    # of the root and three layers: while the third's backward computes, the second is on the way
    assert seen[3:] == [[False, False, True, False], [False, True, False, False], [False] * 4]


class Pass(gn.nn.Linear):
    """Returns its input, too."""

    def forward(self, input: gn.Tensor) -> Any:
        return input, super().forward(input)


@on_ranks(1, 2)
def test_an_input_that_is_returned_does_not_gather_again(rank: int, size: int) -> None:
    model: Any = fully_shard(Pass(3, 4))
    x = gn.ones(2, 3).requires_grad_() * 2
    same, y = model(x)
    assert same is x
    (same.sum() + y.sum()).backward()
    (gathered,) = model._fsdp_state.tree.order
    assert not gathered.is_filled and gathered.nbytes() == 0
    assert gn.equal(model.bias.grad, gn.full((-(-4 // size),), 2.0))


@on_ranks(1, 2)
def test_a_forward_that_raises_and_inner_modules_alone(rank: int, size: int) -> None:
    model = sharded(new_model())
    layer: Any = model.layers[1]

    def fail() -> None:
        raise KeyError("on purpose")

    layer.probe = fail
    with pytest.raises(KeyError, match="on purpose"):
        model(gn.ones(2, 7, dtype=gn.float64))
    assert layer.up.weight.shape == (16 // size, WIDTH)
    model.reshard()
    assert all(getattr(each, "_sharding", None) is not None for each in model.parameters())
    layer.probe = None
    model(gn.ones(2, 7, dtype=gn.float64)).sum().backward()
    model.zero_grad()
    for _ in range(3):
        layer(gn.ones(2, WIDTH, dtype=gn.float64)).sum().backward()
        order = model._fsdp_state.tree.order
        assert [each.group for each in order if not each.is_done] == []
    assert len([each for each in order if each.group is layer._fsdp_state.parameters]) == 1
    with gn.no_grad():
        layer(gn.ones(2, WIDTH, dtype=gn.float64))
    assert model._fsdp_state.tree.order is order
    alone = new_model().layers[1]
    for _ in range(3):
        alone(gn.ones(2, WIDTH, dtype=gn.float64)).sum().backward()
    for one, other in zip(layer.parameters(), alone.parameters()):
        gn.testing.assert_close(full_tensor(one), other.detach(), rtol=0, atol=0)
        gn.testing.assert_close(gathered(one.grad, one._sharding), other.grad, rtol=1e-13, atol=0)
