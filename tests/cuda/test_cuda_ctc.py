"""Connectionist temporal classification on the emulated GPU, against the reference's."""

from __future__ import annotations

import pytest

import gnomon as gn
from cuda_calls import agree, refused_alike

pytestmark = pytest.mark.usefixtures("cuda")
aten = gn.ops.aten
TOLERANCES = {"float64": 1e-12, "float32": 1e-5}


def log_probs(*sizes, dtype=gn.float64):
    return gn.randn(sizes, dtype=gn.float64, device="reference").log_softmax(-1).to(dtype)


def run(probs, targets, input_lengths, target_lengths, blank=0, zero_infinity=False):
    """The losses and their gradient."""
    options = input_lengths, target_lengths, blank, zero_infinity

    def loss(p, t):
        return aten._ctc_loss.default(p, t, *options)

    losses, alpha = agree(loss, probs, targets, tolerances=TOLERANCES)
    gradient = gn.arange(1, len(input_lengths) + 1, device="reference").to(probs.dtype)

    def gradient_of(g, p, t, n, a):
        return aten._ctc_loss_backward.default(g, p, t, *options[:2], n, a, *options[2:])

    agree(gradient_of, gradient, probs, targets, losses, alpha, tolerances=TOLERANCES)


@pytest.mark.parametrize("kind", [gn.int32, gn.int64], ids=lambda each: each.name)
@pytest.mark.parametrize("dtype", [gn.float32, gn.float64], ids=lambda each: each.name)
def test_losses_and_their_gradients(dtype, kind):
    gn.manual_seed(1)
    probs = log_probs(7, 3, 5, dtype=dtype)
    matrix = gn.tensor([[1, 1, 2, 4], [3, 2, 3, 3], [4, 0, 0, 0]], dtype=kind, device="reference")
    run(probs, matrix, [7, 6, 3], [3, 4, 0])
    run(probs, matrix.t().contiguous().t(), [7, 6, 3], [4, 2, 1])
    joined = gn.tensor([1, 1, 2, 3, 4, 4, 1], dtype=kind, device="reference")
    run(probs.transpose(0, 2).contiguous().transpose(0, 2), joined, [7, 7, 0], [4, 3, 0])
    run(probs, joined[:6], [7, 5, 7], [2, 1, 3], blank=4)


@pytest.mark.parametrize("zero_infinity", [False, True])
def test_a_target_that_is_too_long(zero_infinity):
    gn.manual_seed(2)
    targets = gn.tensor([[1, 1, 1, 2]] * 2, device="reference")
    run(log_probs(3, 2, 3), targets, [3, 0], [4, 2], zero_infinity=zero_infinity)


def test_a_time_at_which_no_path_goes_through_a_blank():
    gn.manual_seed(4)
    run(log_probs(3, 1, 3), gn.tensor([[1, 1]], device="reference"), [3], [2])
    run(log_probs(2, 1, 3), gn.tensor([[1, 2]], device="reference"), [2], [2])


def test_more_states_and_classes_than_a_block_has_threads():
    gn.manual_seed(3)
    targets = gn.randint(0, 300, (1, 300), device="reference")
    run(log_probs(4, 1, 300), targets[:, :2], [4], [2])
    run(log_probs(301, 1, 3), gn.tensor([[1, 2] * 150], device="reference"), [301], [300])
    run(log_probs(2, 1, 3), gn.tensor([[1, 2] * 300], device="reference"), [2], [600])


def test_a_target_that_is_no_class_is_refused_as_on_the_reference():
    probs = log_probs(3, 1, 4)
    for wrong in (4, -1):
        targets = gn.tensor([[wrong]], device="reference")
        refused_alike(
            (RuntimeError, IndexError), lambda p, t: aten._ctc_loss.default(p, t, [3], [1]), probs, targets
        )
