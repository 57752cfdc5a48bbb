"""Modules, parameters and optimizers."""

from __future__ import annotations

import gnomon as gn
from gnomon import Tensor, nn, optim
from gnomon.optim.lr_scheduler import StepLR

layer = nn.Linear("two", 3)  # error: arg-type
layer = nn.Linear(2, 3, biased=False)  # error: call-arg
layer.weight = 3  # error: assignment
layer.weight.shapes  # error: attr-defined
layer.register_buffer(1, gn.ones(1))  # error: arg-type
layer.load_state_dict([])  # error: arg-type
nn.Linear(2, 3).train("yes")  # error: arg-type
nn.Parameter([1.0])  # error: arg-type
nn.Convolution(1, 2, 3)  # error: attr-defined
optimizer = optim.SGD(layer.parameters(), lr="fast")  # error: arg-type
optimizer.zero_grad("yes")  # error: arg-type
optimizer.steps()  # error: attr-defined
StepLR(layer, step_size=2)  # error: arg-type


class Doubled(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return 2 * x.shape  # error: return-value


for parameter in layer.parameters():
    parameter.gradient  # error: attr-defined
kept: nn.Linear = layer.eval()
other: nn.Conv2d = layer.eval()  # error: assignment
