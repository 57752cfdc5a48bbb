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
optim.Adam(nn.ModuleList([layer]))  # error: arg-type
optim.Adam(nn.Sequential(layer))  # error: arg-type
nn.Parameter([1.0])  # error: arg-type
nn.Convolution(1, 2, 3)  # error: attr-defined
nn.Linear(2, 3, gn.float32)  # error: arg-type
nn.Linear(2, 3, dtype="float32")  # error: arg-type
nn.Linear(2, 3, device=0.5)  # error: arg-type
nn.Conv2d(1, 1, "3")  # error: arg-type
nn.Conv2d(1, 1, 3, pading=1)  # error: call-arg
nn.ConvTranspose2d(1, 1, 3, padding="same")  # error: arg-type
nn.MaxPool2d("2")  # error: arg-type
nn.AdaptiveAvgPool2d("1")  # error: arg-type
nn.Unfold("3")  # error: arg-type
nn.ZeroPad2d("1")  # error: arg-type
nn.Upsample(scale_factor="2")  # error: arg-type
nn.LSTM(1, 2, foo=1)  # error: call-arg
nn.LSTM("1", 2)  # error: arg-type
nn.LSTM(1)  # error: call-arg
nn.LSTM(1, 2, batch_first="yes")  # error: arg-type
nn.GRU(1, 2, proj_size=1)  # error: arg-type
nn.GRU(1, 2, hidden=1)  # error: call-arg
nn.Sequential(gn.relu)  # error: call-overload
nn.Sequential([nn.ReLU()])  # error: call-overload
nn.ModuleDict([nn.ReLU()])  # error: list-item
nn.Linear(2, 3).to(3.5)  # error: call-overload
nn.Linear(2, 3).to("cpu", foo=1)  # error: call-overload
nn.Linear(2, 3)("x")  # error: arg-type
nn.Linear(2, 3)(gn.ones(2), 1)  # error: call-arg
nn.Conv2d(1, 1, 3)(gn.ones(1, 1, 3, 3)).foo  # error: attr-defined
nn.CrossEntropyLoss()(gn.ones(1, 2))  # error: call-arg
nn.MultiheadAttention(2, 1)(gn.ones(1, 2), gn.ones(1, 2), gn.ones(1, 2)).sum()  # error: attr-defined
nn.Embedding(2, 2)(gn.ones(1), scale=2)  # error: call-arg
for _ in nn.Linear(2, 3):  # error: attr-defined
    pass
output, state = nn.LSTM(1, 2)(gn.ones(1, 1, 1))
state.sum()  # error: attr-defined
nn.GRU(1, 2)(gn.ones(1, 1, 1))[1].foo  # error: attr-defined
nn.LSTM(1, 2)(gn.ones(1, 1, 1), "zeros")  # error: arg-type
nn.LSTMCell(1, 2)(gn.ones(1, 1)).sum()  # error: attr-defined
nn.utils.clip_grad_norm_(layer, 1.0)  # error: arg-type
optim.Adam(layer)  # error: arg-type
optim.Adam(nn.Sequential(layer))  # error: arg-type
optim.Adam("weight")  # error: arg-type
optim.Adam(layer.state_dict())  # error: arg-type
optim.Adam(layer.parameters(), learning_rate=0.1)  # error: call-arg
optim.SGD(0.1, layer.parameters())  # error: arg-type
optim.LBFGS(layer.parameters(), line_search_fn="wolfe")  # error: arg-type
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
