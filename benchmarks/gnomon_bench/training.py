"""Benchmarks with a graph: chains of Nodes, backward of convolutions, and whole training steps."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from .benchmark import Work
from .library import Library

ROUNDS = 500  # of a chain, with two operators each


def chain(function: Callable[..., Any], is_backward: bool) -> Callable[[Library], Callable[[], float]]:
    """Record a chain of 1000 Nodes (two for each call of ``function``), or run it backward."""

    def make(library: Library) -> Callable[[], float]:
        x, y = library.module.ones(4).requires_grad_(), library.module.full((4,), 0.5)

        def seconds() -> float:
            x.grad = None
            started = time.perf_counter()
            total = x
            for _ in range(ROUNDS):
                total = function(total, x, y)
            recorded = time.perf_counter()
            if not is_backward:
                return recorded - started
            loss = total.sum()
            library.finish()
            started = time.perf_counter()
            loss.backward()
            library.finish()
            return time.perf_counter() - started

        return seconds

    return make


def ramp(library: Library, *sizes: int) -> Any:
    """Numbers from -2 to 2 in a fixed irregular order, computed by the library itself."""
    module = library.module
    count = 1
    for size in sizes:
        count *= size
    positions = (module.arange(count, dtype=module.int64) * 1299709) % 1048583
    return (positions.to(module.float32) * (4 / 1048583) - 2).reshape(sizes)


def convolution_backward(wanted: str) -> Callable[..., Callable[[], float]]:
    """The gradient of a convolution with respect to its image or its weight, without the forward pass."""

    def make(library: Library, shape: tuple[int, int, int]) -> Callable[[], float]:
        batch, channels, side = shape
        image = ramp(library, batch, channels, side, side)
        weight = ramp(library, channels, channels, 3, 3)
        gradient = ramp(library, batch, channels, side, side)
        (image if wanted == "image" else weight).requires_grad_()

        def seconds() -> float:
            image.grad = weight.grad = None
            result = library.module.nn.functional.conv2d(image, weight, padding=1)
            library.finish()
            started = time.perf_counter()
            result.backward(gradient)
            library.finish()
            return time.perf_counter() - started

        return seconds

    return make


def _step(library: Library, model: Any, inputs: Any, targets: Any, optimizer: str) -> Work:
    module = library.module
    rule = getattr(module.optim, optimizer)(model.parameters(), lr=0.01)

    def step() -> None:
        rule.zero_grad()
        scores = model(inputs)
        module.nn.functional.cross_entropy(scores.reshape(-1, scores.shape[-1]), targets).backward()
        rule.step()

    return step


def digits(library: Library, optimizer: str) -> Work:
    """An MLP 64-128-10 with 32 examples."""
    nn = library.module.nn
    model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))
    targets = library.module.arange(32) % 10
    return _step(library, model, ramp(library, 32, 64), targets, optimizer)


def perceptron(library: Library, optimizer: str) -> Work:
    """An MLP 784-512-512-10 with 128 examples."""
    nn = library.module.nn
    layers = (nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10))
    targets = library.module.arange(128) % 10
    return _step(library, nn.Sequential(*layers), ramp(library, 128, 784), targets, optimizer)


def convolutional(library: Library, optimizer: str) -> Work:
    """A network of two convolutions with pooling, on 64 images of 28 x 28."""
    nn = library.module.nn
    model = nn.Sequential(
        *(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Flatten(), nn.Linear(32 * 7 * 7, 10)),
    )
    targets = library.module.arange(64) % 10
    return _step(library, model, ramp(library, 64, 1, 28, 28), targets, optimizer)


def transformer(library: Library, optimizer: str) -> Work:
    """Two blocks of causal attention, width 128, 16 texts of 64 characters."""
    module, nn = library.module, library.module.nn
    functional = nn.functional
    Module: Any = nn.Module  # mypy does not accept an attribute of Any as a base class
    width, heads, length, batch, letters = 128, 4, 64, 16, 64

    class Block(Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
            self.mix, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

        def forward(self, x: Any) -> Any:
            parts = self.mix(self.first(x)).reshape(batch, length, 3, heads, width // heads)
            query, key, value = parts.permute(2, 0, 3, 1, 4).unbind(0)
            mixed = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
            x = x + self.out(mixed.transpose(1, 2).reshape(batch, length, width))
            return x + self.down(functional.gelu(self.up(self.second(x))))

    class Transformer(Module):
        def __init__(self) -> None:
            super().__init__()
            self.tokens, self.places = nn.Embedding(letters, width), nn.Embedding(length, width)
            self.blocks = nn.ModuleList([Block(), Block()])
            self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, letters)

        def forward(self, x: Any) -> Any:
            x = self.tokens(x) + self.places(module.arange(length))
            for block in self.blocks:
                x = block(x)
            return self.head(self.norm(x))

    numbers = (module.arange(batch * length) * 7919) % letters
    return _step(library, Transformer(), numbers.reshape(batch, length), numbers, optimizer)


# Sizes of the recurrent networks: layers, features and hidden size, sequences, time steps.
LAYERS, HIDDEN, SEQUENCES, TIMES = 2, 256, 32, 64
# Multiply-adds of a forward pass and its gradients, by the gates of a network.
RECURRENT = {"LSTM": 4, "GRU": 3}


def recurrent_elements(network: str) -> int:
    """Multiply-adds of ``recurrent``."""
    return 3 * LAYERS * TIMES * SEQUENCES * RECURRENT[network] * HIDDEN * 2 * HIDDEN


def recurrent(library: Library, network: str) -> Work:
    """An LSTM or a GRU of two layers, forward and backward."""
    model = getattr(library.module.nn, network)(HIDDEN, HIDDEN, LAYERS)
    inputs = ramp(library, TIMES, SEQUENCES, HIDDEN)

    def step() -> None:
        model.zero_grad()
        model(inputs)[0].sum().backward()

    return step


# Sizes of the attention layers: width, heads, sequences, length.
Attention = tuple[int, int, int, int]
ATTENTION: tuple[Attention, ...] = ((128, 4, 16, 64), (256, 8, 32, 64))


def attention_elements(shape: Attention) -> int:
    """Multiply-adds of ``attention``."""
    width, _, sequences, length = shape
    return 3 * sequences * length * (4 * width + 2 * length) * width


def attention(library: Library, shape: Attention, need_weights: bool) -> Work:
    """Self-attention by ``nn.MultiheadAttention``, forward and backward."""
    width, heads, sequences, length = shape
    model = library.module.nn.MultiheadAttention(width, heads, batch_first=True)
    inputs = ramp(library, sequences, length, width)

    def step() -> None:
        model.zero_grad()
        model(inputs, inputs, inputs, need_weights=need_weights)[0].sum().backward()

    return step


# With the approximate number of multiply-adds of each step.
STEPS = (
    ("digits, MLP 64-128-10", digits, 32 * (64 * 128 + 1280) * 3),
    ("MLP 784-512-512-10", perceptron, 128 * (784 * 512 + 512 * 512) * 3),
    ("CNN 1-16-32", convolutional, 64 * (784 * 144 + 196 * 16 * 288) * 3),
    ("transformer d=128", transformer, 1024 * 12 * 128**2 * 2 * 3),
)
