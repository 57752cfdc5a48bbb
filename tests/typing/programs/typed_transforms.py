"""Transforms keep the types of functions; calls of modules have those of forward."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from typing_extensions import assert_type

import gnomon as gn
from gnomon import Tensor, nn
from gnomon.func import functional_call, grad, grad_and_value, hessian, jacfwd, jacrev, jvp, linearize, vjp

x = gn.tensor([1.0, 2.0])


def energy(x: Tensor) -> Tensor:
    return (x**3).sum()


def scaled(x: Tensor, y: Tensor, *, factor: float = 1.0) -> Tensor:
    return (x * y).sum() * factor


def loss(params: dict[str, Tensor], x: Tensor) -> Tensor:
    return functional_call(nn.Linear(2, 1), params, (x,)).sum()


def with_note(x: Tensor) -> tuple[Tensor, str]:
    return x.sum(), "a note"


def untyped(x: Any) -> Any:
    return x.sum()


params = {"weight": gn.ones(1, 2), "bias": gn.zeros(1)}
assert_type(grad(energy)(x), Tensor)
assert_type(grad(scaled)(x, x, factor=2.0), Tensor)
assert_type(grad(scaled, 1)(x, x), Tensor)
assert_type(grad(scaled, argnums=(0, 1))(x, x), tuple[Any, ...])
assert_type(grad(loss)(params, x), dict[str, Tensor])
assert_type(grad(loss, argnums=1)(params, x), Tensor)
assert_type(grad(with_note, has_aux=True)(x), tuple[Tensor, str])
assert_type(grad_and_value(loss)(params, x), tuple[dict[str, Tensor], Tensor])
assert_type(grad_and_value(with_note, has_aux=True)(x), tuple[Tensor, tuple[Tensor, str]])
assert_type(jacrev(energy)(x), Tensor)
assert_type(jacfwd(scaled, argnums=1)(x, x), Tensor)
assert_type(hessian(energy)(x), Tensor)
value, pull = vjp(scaled, x, x)
assert_type(value, Tensor)
assert_type(pull(gn.tensor(1.0), retain_graph=True), tuple[Tensor, Tensor])
assert_type(vjp(with_note, x, has_aux=True)[2], str)
assert_type(jvp(energy, (x,), (x,)), tuple[Tensor, Tensor])
assert_type(jvp(with_note, (x,), (x,), has_aux=True), tuple[Tensor, Tensor, str])
assert_type(linearize(energy, x)[1](x), Tensor)
twice: Callable[[Tensor], Tensor] = grad(lambda x: grad(energy)(x).sum())
assert twice(x).tolist() == [6.0, 12.0]

# lambdas, functions without types, operators, modules
assert grad(lambda x: x.sum())(x).tolist() == grad(untyped)(x).tolist() == grad(gn.sum)(x).tolist() == [1, 1]
assert grad(lambda params, x: (params["weight"] * x).sum())(params, x)["weight"].shape == (1, 2)
assert (
    gn.vmap(grad(lambda p, x: (p["weight"] * x).sum()), in_dims=(None, 0))(params, x)["weight"].shape[0] == 2
)
assert jacrev(lambda x: {"two": x * 2})(x)["two"].shape == jacfwd(gn.sin)(x).shape == (2, 2)
assert vjp(lambda x, y: x * y, x, x)[1](x)[0].tolist() == jvp(lambda x: x * x, (x,), (x / 2,))[1].tolist()
assert jacrev(nn.Linear(2, 1))(x).shape == (1, 2)
which: int = 1
assert grad(scaled, argnums=which)(x, x).tolist() == [1.0, 2.0]


class Pair(nn.Module):
    """A module with a result of its own."""

    def __init__(self, layer: nn.Module) -> None:
        super().__init__()
        self.layer = layer
        self.norm = nn.LayerNorm(2)

    def forward(self, x: Tensor, *, scale: float = 1.0) -> tuple[Tensor, Tensor]:
        inner: Tensor = self.layer(x)
        return inner, self.norm(x) * scale


class Wider(nn.Linear):
    """A module whose forward takes more."""

    def forward(self, input: Tensor, extra: int = 0) -> Tensor:
        return super().forward(input) + extra


pair = Pair(nn.ReLU())
assert_type(pair(x, scale=2.0), tuple[Tensor, Tensor])
assert_type(functional_call(pair, {}, (x,)), tuple[Tensor, Tensor])
assert_type(Wider(2, 2)(x, 1), Tensor)
assert_type(nn.Conv1d(1, 1, 1)(gn.ones(1, 1, 2)), Tensor)
assert_type(nn.MSELoss()(x, x), Tensor)
attention = nn.MultiheadAttention(2, 1)
assert_type(attention(x[None], x[None], x[None]), tuple[Tensor, Tensor])
assert_type(attention(x[None], x[None], x[None], need_weights=False), tuple[Tensor, None])
layers: list[nn.Linear | nn.Identity] = [nn.Linear(2, 2), nn.Identity()]
for layer in layers:
    assert_type(layer(x), Tensor)
model: nn.Module = nn.Sequential(*layers)
output: Tensor = model(x)
apply: Callable[[Tensor], Tensor] = nn.Softmax(0)
assert apply(x).shape == output.shape == (2,)

assert_type(gn.finfo(gn.bfloat16).eps, float)
assert_type(gn.iinfo(gn.int8).max, int)
assert_type(gn.finfo().dtype, str)
assert_type(gn.sparse_coo_tensor([[0, 1]], [1.0, 2.0], x.shape).coalesce().values(), Tensor)
with tempfile.TemporaryDirectory() as folder:
    gn.save(params, Path(folder, "params.pt"), pickle_protocol=3)
    loaded = gn.load(Path(folder, "params.pt"), map_location="cpu", weights_only=False, encoding="utf-8")
    assert list(loaded) == ["weight", "bias"]
