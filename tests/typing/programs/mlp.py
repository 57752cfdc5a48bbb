"""Trains a multilayer perceptron to tell the points inside a circle from those outside."""

from __future__ import annotations

from itertools import pairwise

import gnomon as gn
import gnomon.nn.functional as F
from gnomon import Tensor, nn, optim


class Perceptron(nn.Module):
    def __init__(self, widths: list[int]) -> None:
        super().__init__()
        pairs = pairwise(widths)
        self.layers = nn.ModuleList(nn.Linear(inputs, outputs) for inputs, outputs in pairs)

    def forward(self, x: Tensor) -> Tensor:
        *hidden, last = self.layers
        for layer in hidden:
            x = F.relu(layer(x))
        result: Tensor = last(x)
        return result


def accuracy(logits: Tensor, target: Tensor) -> float:
    hits = logits.argmax(dim=1) == target
    return hits.float().mean().item()


def main() -> None:
    gn.manual_seed(0)
    points = gn.rand(128, 2) * 2 - 1
    target = (points.norm(dim=1) < 0.8).long()
    model = Perceptron([2, 16, 2])
    loss_of = nn.CrossEntropyLoss(reduction="mean")
    optimizer = optim.Adam(model.parameters(), lr=0.05)
    losses: list[float] = []
    for _ in range(60):
        optimizer.zero_grad()
        loss: Tensor = loss_of(model(points), target)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0] / 2
    assert accuracy(model(points), target) > 0.9
    count = sum(each.numel() for each in model.parameters() if each.requires_grad)
    assert count == 2 * 16 + 16 + 16 * 2 + 2


main()
