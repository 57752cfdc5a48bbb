"""Whole models: small networks, each trained for a few steps and covering a different part of training.

They are built on the reference from a fixed seed and then moved, so that they start with the same weights on
every device.  Adam would scale up a gradient that is zero except for rounding to a full step, so no layer
has a bias that the next layer cancels.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import gnomon as gn
import gnomon.nn.functional as F
from gnomon import nn
from gnomon.memory.accessor import elements

from ..comparison import error_measurement

SEED = 99
STEPS = 5
# A backend's rounding errors differ from the reference's, and may have the opposite sign.
TIMES = 16
EPSILONS = {"float32": 2.0**-23, "float64": 2.0**-52}
WIDE = "float64"


class Perceptron(nn.Module):
    """Maps 6 numbers through 8 hidden units to 4 scores."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 4))

    def forward(self, batch: Any) -> Any:
        return self.layers(batch)


class Convolutional(nn.Module):
    """Maps 2 x 6 x 6 images to 3 feature maps, then batch norm, pooling, and 4 scores."""

    def __init__(self) -> None:
        super().__init__()
        self.maps = nn.Conv2d(2, 3, 3, padding=1, bias=False)
        self.scale = nn.Parameter(gn.ones(3))
        self.shift = nn.Parameter(gn.zeros(3))
        self.register_buffer("mean", gn.zeros(3))
        self.register_buffer("variance", gn.ones(3))
        self.scores = nn.Linear(3 * 3 * 3, 4)

    def forward(self, images: Any) -> Any:
        maps = self.maps(images)
        statistics = (self.mean, self.variance, self.scale, self.shift)
        maps = F.silu(F.batch_norm(maps, *statistics, training=self.training))
        return self.scores(F.max_pool2d(maps, 2).flatten(1))


class Transformer(nn.Module):
    """Predicts the next token (below 11) with a block of causal attention with two heads and a GELU MLP."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(11, 8)
        self.places = nn.Parameter(gn.randn(5, 8) / 4)
        self.before, self.between = nn.LayerNorm(8), nn.RMSNorm(8)
        self.projections = nn.Linear(8, 24, bias=False)
        self.mixing, self.wider, self.back = nn.Linear(8, 8), nn.Linear(8, 16), nn.Linear(16, 8)

    def forward(self, words: Any) -> Any:
        at = self.words(words) + self.places
        heads = [
            each.unflatten(-1, (2, 4)).transpose(1, 2)
            for each in self.projections(self.before(at)).chunk(3, -1)
        ]
        query, key, value = heads
        mixed = F.scaled_dot_product_attention(query, key, value, is_causal=True).transpose(1, 2).flatten(2)
        at = at + self.mixing(mixed) * self.kept(at)
        at = at + self.back(F.gelu(self.wider(self.between(at))))
        return (at @ self.words.weight.t()).flatten(0, 1)

    def kept(self, like: Any) -> Any:
        """The dropout mask, scaled.  Drawn in float32, so that a model in another dtype drops the same."""
        if not self.training:
            return 1
        drawn = gn.rand(like.shape, dtype=gn.float32, device=like.device)
        return (drawn < 0.75).to(like.dtype) / 0.75


class Recurrent(nn.Module):
    """Maps sequences of 5 numbers to 4 scores by a GRU, whose states are written into one tensor in place."""

    def __init__(self) -> None:
        super().__init__()
        self.inner, self.outer = nn.Linear(6, 18), nn.Linear(5, 18)
        self.scores = nn.Linear(6, 4)

    def forward(self, sequences: Any) -> Any:
        count, length, _ = sequences.shape
        states = sequences.new_zeros(length + 1, count, 6)
        for step in range(length):
            state = states[step].clone()
            inner, outer = self.inner(state).chunk(3, 1), self.outer(sequences[:, step]).chunk(3, 1)
            reset, update = (inner[0] + outer[0]).sigmoid(), (inner[1] + outer[1]).sigmoid()
            fresh = (outer[2] + reset * inner[2]).tanh()
            states[step + 1] = fresh.lerp(state, update)
        return self.scores(states[1:].mean(0))


class Penalized(nn.Module):
    """Two layers; the gradient with respect to the input is part of the loss."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(5, 7), nn.Tanh(), nn.Linear(7, 1, bias=False))

    def forward(self, batch: Any) -> Any:
        return F.softplus(self.layers(batch))


def _scores_loss(model: Any, batch: Any, labels: Any) -> Any:
    return F.cross_entropy(model(batch), labels.flatten())


def _penalized_loss(model: Any, batch: Any, labels: Any) -> Any:
    batch = batch.detach().requires_grad_()
    found = model(batch)
    (slope,) = gn.autograd.grad(found.sum(), batch, create_graph=True)
    assert slope is not None, "only with allow_unused may there be none"
    return F.mse_loss(found.squeeze(1), labels.to(found.dtype) / 4) + (slope.norm(dim=1) - 1).square().mean()


class Model(NamedTuple):
    """A model and how it is trained.

    build      returns the module
    sizes      of a batch
    labels     the shape of the labels
    loss       a function of model, batch and labels
    optimizer  a function of the parameters
    parts      the number of parts of a batch, whose gradients are accumulated
    clip       the maximum norm of all gradients together; None: no clipping
    """

    build: Callable[[], Any]
    sizes: tuple[int, ...]
    labels: tuple[int, ...]
    loss: Callable[[Any, Any, Any], Any]
    optimizer: Callable[[Any], Any]
    parts: int = 1
    clip: float | None = None


MODELS = {
    "perceptron": Model(
        Perceptron,
        (6, 6),
        (6,),
        _scores_loss,
        functools.partial(gn.optim.SGD, lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.01),
    ),
    "convolutional": Model(
        Convolutional, (4, 2, 6, 6), (4,), _scores_loss, functools.partial(gn.optim.Adam, lr=0.01)
    ),
    "transformer": Model(
        Transformer,
        (3, 5),
        (3, 5),
        _scores_loss,
        functools.partial(gn.optim.AdamW, lr=0.01, weight_decay=0.1),
        clip=0.5,
    ),
    "recurrent": Model(
        Recurrent, (4, 3, 5), (4,), _scores_loss, functools.partial(gn.optim.SGD, lr=0.2), parts=2
    ),
    "penalized": Model(
        Penalized, (4, 5), (4,), _penalized_loss, functools.partial(gn.optim.Adam, lr=0.01, amsgrad=True)
    ),
}


def train(name: str, device: str, dtype: str) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Train ``MODELS[name]``, and yield each quantity that is compared: its name and its numbers."""
    subject = MODELS[name]
    gn.manual_seed(SEED)
    with gn.device("reference"):
        model = subject.build()
    model = model.to(device, getattr(gn, dtype))
    batches = [_batch(subject, step, device, dtype) for step in range(2)]
    optimizer = subject.optimizer(model.parameters())
    for step in range(STEPS):
        batch, labels = batches[step % 2]
        optimizer.zero_grad()
        total = 0.0
        for part, wanted in zip(batch.chunk(subject.parts), labels.chunk(subject.parts)):
            loss = subject.loss(model, part, wanted) / subject.parts
            loss.backward()
            total += loss.item()
        yield f"the loss of step {step}", (total,)
        if subject.clip is not None:
            _clip([parameter.grad for parameter in model.parameters()], subject.clip)
        if step in (0, STEPS - 1):
            for key, parameter in model.named_parameters():
                yield f"the gradient of {key} in step {step}", _numbers(parameter.grad)
        optimizer.step()
    for key, value in model.state_dict().items():
        yield f"{key} after {STEPS} steps", _numbers(value)
    model.eval()
    with gn.no_grad():
        yield "what the trained model says", _numbers(model(batches[0][0]))


def _batch(subject: Model, step: int, device: str, dtype: str) -> tuple[Any, Any]:
    """A batch and its labels: fixed numbers, exact in every dtype."""
    count = functools.reduce(lambda one, other: one * other, subject.sizes)
    drawn = [(place * 37 + step * 11) % 61 for place in range(count)]
    words = subject.build is Transformer
    values = [each % 11 for each in drawn] if words else [each / 32 - 1 for each in drawn]
    kind = gn.int64 if words else getattr(gn, dtype)
    batch = gn.tensor(values, dtype=kind, device=device).reshape(subject.sizes)
    labels = gn.arange(functools.reduce(lambda one, other: one * other, subject.labels), device=device)
    labels = (labels * 3 + step) % (11 if words else 4)
    return batch, labels.reshape(subject.labels)


def _clip(gradients: list[Any], limit: float) -> None:
    """Clip gradients, in place, to a total norm of ``limit``."""
    norm = gn.stack([each.norm() for each in gradients]).norm()
    factor = (limit / (norm + 1e-6)).clamp(max=1.0)
    for each in gradients:
        each.mul_(factor)


def _numbers(tensor: Any) -> tuple[Any, ...]:
    return tuple(elements(tensor.detach()))


@functools.cache
def expected(name: str, dtype: str) -> dict[str, tuple[tuple[Any, ...], float]]:
    """The name of each quantity -> (the reference's numbers in ``dtype``, the allowed difference)."""
    narrow, wide = dict(train(name, "reference", "float32")), dict(train(name, "reference", WIDE))
    own = narrow if dtype == "float32" else wide
    # There is no run wider than float64; rounding errors scale with the dtype's eps.
    scale = EPSILONS[dtype] / EPSILONS["float32"]
    found = {}
    for what, numbers in own.items():
        parted = max((abs(one - other) for one, other in zip(narrow[what], wide[what])), default=0.0)
        size = max((abs(number) for number in wide[what]), default=0.0)
        found[what] = (numbers, TIMES * max(parted * scale, size * EPSILONS[dtype]))
    return found


def problems_of(name: str, dtype: str, device: str) -> str:
    """The first difference between a training run on ``device`` and the reference's, or ""."""
    wanted = expected(name, dtype)
    seen = 0
    for what, numbers in train(name, device, dtype):
        seen += 1
        numbers_there, allowed = wanted[what]
        if len(numbers) != len(numbers_there):
            return f"{what} has {len(numbers)} elements, not {len(numbers_there)}"
        for place, (mine, other) in enumerate(zip(numbers, numbers_there)):
            off = abs(mine - other)
            if not math.isfinite(mine) or off > allowed:
                wrong = f"{mine!r}, and {other!r} on the reference; {allowed:.3g} is allowed"
                return f"{what}, element {place}: {wrong}"
            unit = EPSILONS[dtype] * max(abs(other), 2.0**-126)
            error_measurement.current().note(
                off / unit, allowed / unit, functools.partial("{} {}".format, what, place)
            )
    return "" if seen == len(wanted) else f"{len(wanted) - seen} of what was to be seen were not"
