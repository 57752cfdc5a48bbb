"""gn.func: per-example gradients, Jacobians, Hessians, models as functions."""

from __future__ import annotations

import gnomon as gn
from gnomon import Tensor, nn
from gnomon.func import (
    functional_call,
    grad,
    grad_and_value,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    stack_module_state,
    vjp,
    vmap,
)


def energy(x: Tensor) -> Tensor:
    return (x**3).sum()


x = gn.tensor([1.0, 2.0, 3.0])
gradient: Tensor = grad(energy)(x)
slope, value = grad_and_value(energy)(x)
assert gradient.tolist() == slope.tolist() == [3.0, 12.0, 27.0] and value.item() == 36.0
second: Tensor = hessian(energy)(x)
assert gn.equal(second, gn.diag(6 * x))
assert gn.allclose(jacrev(grad(energy))(x), jacfwd(grad(energy))(x))

result, tangent = jvp(energy, (x,), (gn.ones(3),))
assert result.item() == 36.0 and tangent.item() == 42.0
outputs, pull = vjp(gn.sin, x)
(pulled,) = pull(gn.ones(3))
assert gn.allclose(pulled, x.cos()) and gn.allclose(outputs, x.sin())

rows = gn.stack([x, 2 * x])
assert vmap(grad(energy))(rows).shape == (2, 3)
products: Tensor = vmap(gn.dot, in_dims=(0, None))(rows, x)
assert products.tolist() == [14.0, 28.0]
noisy: Tensor = vmap(lambda row: row + gn.rand(3), randomness="different")(rows)
assert noisy.shape == rows.shape

model = nn.Linear(3, 1)
params = {name: each.detach() for name, each in model.named_parameters()}


def loss(params: dict[str, Tensor], row: Tensor) -> Tensor:
    predicted: Tensor = functional_call(model, params, (row,))
    return predicted.square().sum()


each_gradient = vmap(grad(loss), in_dims=(None, 0))(params, rows)
assert each_gradient["weight"].shape == (2, 1, 3)

stacked, _ = stack_module_state([nn.Linear(3, 1) for _ in range(4)])
assert stacked["weight"].shape == (4, 1, 3)
