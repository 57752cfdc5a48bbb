"""Operators that make rows of a tensor, of one without elements: a size -1 does not give their count."""

from __future__ import annotations

import math

import pytest

import gnomon as gn

F = gn.nn.functional


@pytest.mark.parametrize("width", [0, 2])
@pytest.mark.parametrize("count", [0, 3])
def test_sparse_gradients_of_an_embedding(width: int, count: int, device: str) -> None:
    weight = gn.zeros(4, width, device=device, requires_grad=True)
    F.embedding(gn.zeros(count, dtype=gn.int64, device=device), weight, sparse=True).sum().backward()
    assert weight.grad is not None and weight.grad.layout is gn.sparse_coo and weight.grad.shape == (4, width)
    assert weight.grad._indices().tolist() == [[0] * count]
    assert weight.grad._values().shape == (count, width) and bool((weight.grad._values() == 1).all())


def test_a_bilinear_form_without_outputs(device: str) -> None:
    one = gn.ones(2, 3, device=device, requires_grad=True)
    two = gn.ones(2, 4, device=device, requires_grad=True)
    weight = gn.ones(0, 3, 4, device=device, requires_grad=True)
    found = F.bilinear(one, two, weight)
    assert found.shape == (2, 0)
    gradients = gn.autograd.grad(found.sum(), (one, two, weight))
    assert [each.shape for each in gradients] == [(2, 3), (2, 4), (0, 3, 4)]
    assert gradients[0].tolist() == [[0.0] * 3] * 2 and gradients[1].tolist() == [[0.0] * 4] * 2


def test_cross_entropy_without_classes(device: str) -> None:
    scores = gn.zeros(0, 0, 2, device=device)
    target = gn.zeros(0, 2, dtype=gn.int64, device=device)
    assert F.cross_entropy(scores, target, reduction="none", label_smoothing=0.1).shape == (0, 2)
    assert math.isnan(F.cross_entropy(scores, target, reduction="sum", label_smoothing=0.1).item())
    assert F.nll_loss(scores, target, reduction="none").shape == (0, 2)
    assert F.nll_loss(scores, target, reduction="sum").item() == 0
    scores = gn.zeros(2, 0, device=device)
    assert F.cross_entropy(scores, scores, reduction="none", label_smoothing=0.1).tolist() == [0.0, 0.0]
    assert math.isnan(F.cross_entropy(scores, scores, label_smoothing=0.1).item())
