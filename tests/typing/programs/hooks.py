"""Hooks of tensors, modules and the graph; saved tensors kept elsewhere."""

from __future__ import annotations

from typing import Any

import gnomon as gn
from gnomon import Tensor, nn
from gnomon.autograd.graph import saved_tensors_hooks

seen: dict[str, Tensor] = {}


def remember(name: str) -> Any:
    def hook(module: nn.Module, inputs: tuple[Tensor, ...], output: Tensor) -> None:
        seen[name] = output.detach()

    return hook


model = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
handles = [child.register_forward_hook(remember(name)) for name, child in model.named_children()]
model(gn.ones(4, 2))
assert {name: tuple(each.shape) for name, each in seen.items()} == {"0": (4, 3), "1": (4, 3), "2": (4, 1)}
for handle in handles:
    handle.remove()
seen.clear()
model(gn.ones(1, 2))
assert not seen

x = gn.tensor([1.0, 2.0], requires_grad=True)
y = x * 3
y.retain_grad()
handle = y.register_hook(lambda grad: grad * 10)
y.sum().backward()
assert x.grad is not None and x.grad.tolist() == [30.0, 30.0]
assert y.grad is not None and y.grad.tolist() == [10.0, 10.0]
handle.remove()

node = (x * x).grad_fn
assert node is not None and node.name() == "MulBackward0"
assert len(node.next_functions) == 2

counts: list[int] = []


def pack(tensor: Tensor) -> list[float]:
    counts.append(tensor.numel())
    values: list[float] = tensor.tolist()
    return values


with saved_tensors_hooks(pack, gn.tensor):
    squared = x.square()
x.grad = None
squared.sum().backward()
assert counts == [2] and gn.equal(gn.as_tensor(x.grad), gn.tensor([2.0, 4.0]))
with gn.autograd.detect_anomaly(check_nan=False), gn.enable_grad():
    assert (x + 1).requires_grad


@gn.no_grad()
def doubled(tensor: Tensor) -> Tensor:
    return 2 * tensor


@gn.no_grad
def tripled(tensor: Tensor) -> Tensor:
    return 3 * tensor


assert not doubled(x).requires_grad and not tripled(x).requires_grad
with gn.inference_mode():
    assert (x + 1).is_inference()
