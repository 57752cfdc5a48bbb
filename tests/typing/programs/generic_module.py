"""Modules with type parameters: containers that know what they hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from typing_extensions import assert_type

import gnomon as gn
from gnomon import Tensor, nn

M = TypeVar("M", bound=nn.Module)


@dataclass
class Settings:
    width: int
    activation: Callable[[Tensor], Tensor] = gn.tanh


class Residual(nn.Module, Generic[M]):
    def __init__(self, inner: M) -> None:
        super().__init__()
        self.inner: M = inner

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = self.inner(x)
        return x + result


class Stack(nn.Module, Generic[M]):
    def __init__(self, make: Callable[[Settings], M], settings: Settings, depth: int) -> None:
        super().__init__()
        self.settings = settings
        self.scale = nn.Parameter(gn.ones(settings.width))
        self.parts: list[Residual[M]] = [Residual(make(settings)) for _ in range(depth)]
        for number, part in enumerate(self.parts):
            self.add_module(f"part{number}", part)

    def __iter__(self) -> Iterator[M]:
        return (part.inner for part in self.parts)

    def forward(self, x: Tensor) -> Tensor:
        for part in self.parts:
            x = self.settings.activation(part(x))
        return x * self.scale


def linear(settings: Settings) -> nn.Linear:
    return nn.Linear(settings.width, settings.width)


stack = Stack(linear, Settings(3), depth=2)
assert_type(stack, Stack[nn.Linear])
for each in stack:
    assert_type(each, nn.Linear)
    nn.init.eye_(each.weight)
    nn.init.zeros_(each.bias)
    assert each.in_features == 3
x = gn.tensor([[0.1, 0.2, 0.3]])
assert gn.allclose(stack(x), (2 * (2 * x).tanh()).tanh())
assert_type(stack.train(), Stack[nn.Linear])
assert_type(stack.double().eval().requires_grad_(False), Stack[nn.Linear])
assert next(iter(stack.state_dict())) == "scale"
assert not any(each.requires_grad for each in stack.parameters())
assert {type(child) for child in stack.children()} == {Residual}
