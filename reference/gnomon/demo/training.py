"""One training run, and the comparison of two loss curves."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import gnomon as gn

from .digits import PIXELS, Digits, load_digits, shuffled

HIDDEN = 32
CLASSES = 10
BATCH = 32
LEARNING_RATE = 0.2  # at the first step; decreases linearly to 0 after the last
MOMENTUM = 0.9
WEIGHT_DECAY = 1e-4
LABEL_SMOOTHING = 0.1

# The maximum distance of a backend's loss from the reference's, at each step that both ran.
#
# Both compute in float32, and differ in the order of summation and in the last bit of tanh, exp and log.
# The loss starts at log(10) = 2.3, where adjacent float32 numbers are 2**-22 apart; this allows 16 such
# steps, 3.8e-6.  Measured with an independent implementation: over 200 steps and 32 seeds, summing each batch
# in the opposite order changed the loss by at most 4.8e-7, and so did computing in float64.  Over 100 steps
# and 12 seeds, gradients rounded to float16 changed it by at least 1.5e-5, and a factor of 1 + 2**-11 on one
# layer's bias gradient by 8e-6.  This depends on tanh and a rate of 0.2: with ReLU, rounding can move inputs
# across its kink, and with a rate of 0.4 training is unstable; both changed curves by 1e-1.
TOLERANCE = 16 * 2.0**-22


@dataclass
class Run:
    """The results of one backend: its losses, one per step; the other fields are set at the end.

    error  why the run failed, if it did
    """

    backend: str
    losses: list[float] = field(default_factory=list)
    seconds: float = 0.0
    accuracy: float = math.nan
    error: str | None = None

    @property
    def samples_per_second(self) -> float:
        """Training digits per second."""
        return len(self.losses) * BATCH / self.seconds if self.seconds else math.nan


def make_model(device: Any) -> gn.nn.Sequential:
    """64 pixels -> 32 -> 10 scores, with random weights."""
    return gn.nn.Sequential(
        gn.nn.Linear(PIXELS, HIDDEN, device=device),
        gn.nn.Tanh(),
        gn.nn.Linear(HIDDEN, CLASSES, device=device),
    )


def initial_weights(seed: int) -> dict[str, gn.Tensor]:
    """The initial weights of all backends, generated on the reference."""
    gn.manual_seed(seed)
    return make_model("reference").state_dict()


def batches(digits: Digits, seed: int) -> Iterator[tuple[gn.Tensor, gn.Tensor]]:
    """An endless iterator of images (32, 64) and labels (32,); each epoch has another order."""
    generator = random.Random(seed)
    count = len(digits.train_labels)
    while True:
        order = gn.tensor(shuffled(count, generator), device=digits.train_labels.device)
        images = digits.train_images[order]
        labels = digits.train_labels[order]
        for start in range(0, count - BATCH + 1, BATCH):
            yield images[start : start + BATCH], labels[start : start + BATCH]


def held_out_accuracy(model: gn.nn.Module, digits: Digits) -> float:
    """The fraction of the held-out digits that the model classifies correctly."""
    with gn.no_grad():
        guesses = model(digits.held_out_images).argmax(1)
        return (guesses == digits.held_out_labels).sum().item() / len(digits.held_out_labels)


def train(
    run: Run,
    device: Any,
    weights: dict[str, gn.Tensor],
    steps: int,
    total_steps: int,
    seed: int,
    on_step: Callable[[float], None],
) -> None:
    """Runs ``steps`` of a training of ``total_steps`` on ``device``, and writes the results to ``run``.

    ``on_step`` is called with each loss.

    Stops at a loss that is not finite, because everything after it is meaningless.
    """
    digits = load_digits(device)
    model = make_model(device)
    model.load_state_dict(weights)
    optimizer = gn.optim.SGD(
        model.parameters(), lr=LEARNING_RATE, momentum=MOMENTUM, weight_decay=WEIGHT_DECAY
    )
    stream = batches(digits, seed)
    started = time.perf_counter()
    for step in range(steps):
        images, labels = next(stream)
        optimizer.param_groups[0]["lr"] = LEARNING_RATE * (1 - step / total_steps)
        optimizer.zero_grad()
        loss = gn.nn.functional.cross_entropy(model(images), labels, label_smoothing=LABEL_SMOOTHING)
        loss.backward()
        optimizer.step()
        run.losses.append(loss.item())
        run.seconds = time.perf_counter() - started
        on_step(run.losses[-1])
        if not math.isfinite(run.losses[-1]):
            return
    run.accuracy = held_out_accuracy(model, digits)


def largest_difference(losses: Sequence[float], reference: Sequence[float]) -> float:
    """The largest difference over the steps that both have; inf if one is not finite or there is no step."""
    differences = [abs(loss - wanted) for loss, wanted in zip(losses, reference)]
    if not differences or not all(map(math.isfinite, differences)):
        return math.inf
    return max(differences)


def fault_of(run: Run, reference: Run) -> str | None:
    """One line about what is wrong with a run, or None."""
    if run.error is not None:
        return f"failed after step {len(run.losses)}: {run.error}"
    for step, loss in enumerate(run.losses):
        if not math.isfinite(loss):
            return f"has loss {loss} at step {step + 1}"
    if run is reference:
        return None
    for step, (loss, wanted) in enumerate(zip(run.losses, reference.losses)):
        if not abs(loss - wanted) <= TOLERANCE:
            return (
                f"differs from the reference at step {step + 1}: its loss is {loss:.9g}, the reference's "
                f"{wanted:.9g}; difference {abs(loss - wanted):.1e}, tolerance {TOLERANCE:.1e}"
            )
    return None
