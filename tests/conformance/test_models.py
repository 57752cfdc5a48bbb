"""The suite's whole models: they train, rounding does not change their outcome, and a small fault shows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from gnomon.memory import backend as backends
from gnomon.memory.backend import register_backend
from gnomon_conformance.inputs import models
from gnomon_conformance.mutation import loopback


@pytest.fixture
def mutated() -> Iterator[loopback.Loopback]:
    """The reference's kernels on a separate device, where tests can break them."""
    made = loopback.Loopback()
    register_backend(made)
    yield made
    backends._backends.pop(loopback.DEVICE, None)
    backends._by_device_type.pop(loopback.DEVICE, None)


@pytest.mark.parametrize("name", models.MODELS)
def test_the_loss_falls(name: str) -> None:
    seen = dict(models.train(name, "reference", "float32"))
    losses = [numbers[0] for what, numbers in seen.items() if what.startswith("the loss")]
    assert len(losses) == models.STEPS
    # every second step sees the same batch
    assert losses[2] < losses[0] and losses[4] < losses[2]
    assert any(what.startswith("the gradient of") for what in seen)
    assert all(any(numbers) for what, numbers in seen.items() if "gradient" in what), "all of them are used"


@pytest.mark.parametrize("name", models.MODELS)
def test_the_control_passes(name: str, mutated: loopback.Loopback) -> None:
    assert models.problems_of(name, "float32", loopback.DEVICE) == ""


@pytest.mark.parametrize(
    ("name", "kernel"),
    [
        ("perceptron", "threshold_backward"),
        ("convolutional", "native_batch_norm_backward"),
        ("transformer", "embedding_dense_backward"),
        ("recurrent", "tanh"),
        ("penalized", "tanh_backward"),
    ],
)
def test_a_small_fault_shows(name: str, kernel: str, mutated: loopback.Loopback) -> None:
    """A relative error of 1/500 in one kernel."""
    right = mutated.kernels[kernel]

    def wrong(*arguments: Any) -> None:
        right(*arguments)
        output = arguments[0].tensor(0) if hasattr(arguments[0], "tensor") else arguments[0]
        loopback.filled(output, lambda number: number * 1.002)

    mutated.kernels = {**mutated.kernels, kernel: wrong}
    register_backend(mutated)
    assert "is allowed" in models.problems_of(name, "float32", loopback.DEVICE)


def test_what_is_not_finite_shows(mutated: loopback.Loopback) -> None:
    def wrong(*arguments: Any) -> None:
        loopback.filled(arguments[0].tensor(0), lambda number: float("nan"))

    mutated.kernels = {**mutated.kernels, "tanh": wrong}
    register_backend(mutated)
    assert "nan" in models.problems_of("recurrent", "float32", loopback.DEVICE)
