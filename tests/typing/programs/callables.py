"""Functions keep their types under vmap and compile; recurrent modules; parameters of optimizers."""

from __future__ import annotations

import itertools
from collections import OrderedDict
from typing import Any

import numpy as np
from typing_extensions import assert_type

import gnomon as gn
from gnomon import Tensor, nn, optim
from gnomon.nn.utils.rnn import PackedSequence, pack_padded_sequence
from gnomon.optim.optimizer import ParamsT


@gn.compile
def scaled(x: Tensor, factor: int) -> Tensor:
    return x * factor


@gn.compile(fullgraph=True, mode="reduce-overhead")
def summed(x: Tensor) -> Tensor:
    return x.sum()


x = gn.tensor([[1.0, 2.0], [3.0, 4.0]])
assert_type(scaled(x, 2), Tensor)
assert_type(summed(x), Tensor)
assert_type(gn.vmap(summed)(x), Tensor)
assert_type(gn.func.vmap(gn.dot)(x, x), Tensor)
assert gn.vmap(summed)(x).tolist() == gn.vmap(gn.sum)(x).tolist() == [3.0, 7.0]
assert gn.vmap(gn.vmap(gn.mul), in_dims=(None, 0))(x, gn.stack([x, x])).shape == (2, 2, 2)
assert gn.vmap(nn.Linear(2, 3))(x).shape == gn.vmap(lambda row: row @ gn.ones(2, 3))(x).shape == (2, 3)
compiled = gn.compile(nn.Linear(2, 2))
assert len(list(compiled.parameters())) == 2 and compiled(x).shape == (2, 2)
assert gn.func.functional_call(compiled, dict(nn.Linear(2, 2).named_parameters()), (x,)).shape == (2, 2)

options: dict[str, Any] = {"num_layers": 2, "batch_first": True}
lstm = nn.LSTM(2, 3, **options)
sequences = gn.ones(4, 5, 2)
output, state = lstm(sequences)
assert_type(output, Tensor)
assert_type(state, tuple[Tensor, Tensor])
output, (hidden, cell) = lstm(sequences, tuple(each.detach() for each in state))
output, state = lstm(sequences, [hidden, cell])
packed = pack_padded_sequence(sequences, [5, 4, 3, 2], batch_first=True)
assert_type(lstm(packed)[0], PackedSequence)
output, hidden = nn.GRU(2, 3, 1, bidirectional=True)(sequences, gn.zeros(2, 5, 3))
assert output.shape == (4, 5, 6) and hidden.shape == (2, 5, 3)
output, hidden = nn.RNN(2, 3, 1, "relu", device="cpu", dtype=gn.float32)(sequences)
assert_type(nn.LSTMCell(2, 3)(x), tuple[Tensor, Tensor])
assert_type(nn.GRUCell(2, 3)(x), Tensor)

conv = nn.Conv2d(1, 2, [3, 3], padding="same", device=gn.device("cpu"))
pooled = nn.Sequential(nn.Sequential(OrderedDict(conv=conv)), nn.AdaptiveAvgPool2d((None, 1)))
assert pooled(gn.ones(1, 1, 4, 4)).shape == (1, 2, 4, 1)
blocks = nn.ModuleList([nn.ModuleList([nn.ReLU(), nn.Linear(2, 2)])])
assert [len(list(layer.parameters())) for block in blocks for layer in block.children()] == [0, 2]
layers: list[nn.Module] = [nn.Linear(2, 2), nn.ReLU()]
model = nn.Sequential(*layers).to("cpu", gn.float32).to(x).to(gn.float32, non_blocking=True)
encoder = nn.TransformerEncoderLayer(4, 2, activation=lambda z: gn.relu(z) ** 2, dim_feedforward=8)
assert encoder(gn.ones(2, 1, 4)).shape == (2, 1, 4)


class Pair(nn.Module):
    """A module that is iterable, with a ``to`` of its own."""

    def __iter__(self) -> Any:
        return iter((1, 2))

    def to(self, *args: Any, **kwargs: Any) -> Any:
        return super().to(*args, **kwargs)


assert list(Pair().to("cpu")) == [1, 2]

groups: list[dict[str, Any]] = [{"params": [x.clone()], "lr": 0.1}]
named = [("weight", x.clone())]
chosen: ParamsT = filter(lambda each: each.requires_grad, model.parameters())
for optimizer in (
    optim.Adam(model.parameters(), fused=False),
    optim.SGD([x.clone()], lr=gn.tensor(0.1)),
    optim.SGD({x.clone()}, lr=0.1),
    optim.AdamW([{"params": model.parameters()}, {"params": [x.clone()], "lr": 0.1}]),
    optim.Adam(groups),
    optim.Adam(named),
    optim.Adam(model.named_parameters()),
    optim.Adam(each for each in model.parameters()),
    optim.Adam(filter(lambda each: each.requires_grad, model.parameters())),
    optim.Adam(sorted(model.parameters(), key=lambda each: each.numel())),
    optim.Adam({"params": each} for each in model.parameters()),
    optim.Adam(itertools.chain(model.parameters(), lstm.parameters())),
    optim.RMSprop(nn.ParameterList([nn.Parameter(x)])),
    optim.Adam(chosen),
):
    assert optimizer.param_groups

assert gn.einsum("ij,jk->ik", x, x).shape == gn.einsum("ij,kj", [x, x]).shape == (2, 2)
assert gn.einsum(x, [0, 1], x, [1, 2], [0, 2]).shape == gn.einsum(x, [..., 0], [..., 0]).shape == (2, 2)
assert gn.tensordot(x, x, dims=([1], [0])).shape == gn.tensordot(x, x, 1).shape == (2, 2)
assert gn.from_numpy(np.ones((2, 2))).dtype is gn.float64
assert x.type(gn.float64).dtype is x.type("gnomon.DoubleTensor").dtype is x.type(gn.DoubleTensor).dtype
