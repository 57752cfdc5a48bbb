"""Optimizers with parameter groups, schedulers, gradient clipping and a closure."""

from __future__ import annotations

import gnomon as gn
from gnomon import Tensor, nn
from gnomon.nn.utils import clip_grad_norm_
from gnomon.optim import LBFGS, AdamW, Optimizer
from gnomon.optim.lr_scheduler import (
    CosineAnnealingLR,
    LambdaLR,
    LinearLR,
    LRScheduler,
    OneCycleLR,
    ReduceLROnPlateau,
    SequentialLR,
)


def rates(optimizer: Optimizer, scheduler: LRScheduler, steps: int) -> list[float]:
    found: list[float] = []
    for _ in range(steps):
        found.append(round(scheduler.get_last_lr()[0], 4))
        optimizer.step()
        scheduler.step()
    return found


def fresh(lr: float = 1.0) -> AdamW:
    model = nn.Linear(2, 1)
    groups = [{"params": [model.weight], "weight_decay": 0.1}, {"params": [model.bias], "weight_decay": 0.0}]
    return AdamW(groups, lr=lr, betas=(0.9, 0.99))


optimizer = fresh()
assert [group["weight_decay"] for group in optimizer.param_groups] == [0.1, 0.0]
assert rates(optimizer, LambdaLR(optimizer, lambda epoch: 0.5**epoch), 3) == [1.0, 0.5, 0.25]

optimizer = fresh()
warm: list[LRScheduler] = [
    LinearLR(optimizer, start_factor=0.5, total_iters=2),
    CosineAnnealingLR(optimizer, T_max=2),
]
assert rates(optimizer, SequentialLR(optimizer, warm, milestones=[2]), 4) == [0.5, 0.75, 1.0, 0.5]

optimizer = fresh()
OneCycleLR(optimizer, max_lr=0.1, total_steps=10, anneal_strategy="linear")
plateau = ReduceLROnPlateau(optimizer, mode="min", factor=0.1, patience=0)
plateau.step(1.0)
plateau.step(gn.tensor(2.0))
assert abs(optimizer.param_groups[0]["lr"] - 0.0004) < 1e-9

x = nn.Parameter(gn.tensor([3.0, -4.0]))
x.grad = gn.tensor([3.0, 4.0])
norm: Tensor = clip_grad_norm_([x], max_norm=1.0)
assert norm.item() == 5.0 and gn.allclose(x.grad, gn.tensor([0.6, 0.8]), atol=1e-4)

newton = LBFGS([x], lr=1, line_search_fn="strong_wolfe")


def closure() -> Tensor:
    newton.zero_grad()
    loss = ((x - 1) ** 2).sum()
    loss.backward()
    return loss


newton.step(closure)
assert gn.allclose(x, gn.ones(2), atol=1e-4)
