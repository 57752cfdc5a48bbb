"""A program that shows and finds classes by the names of their modules."""

import importlib
import inspect
import pickle
import typing

import torch
from torch import nn

for each in (
    torch.Tensor, torch.dtype, torch.device, torch.Size, torch.layout, torch.memory_format, torch.finfo,
    torch.FloatTensor, torch.UntypedStorage, torch.OutOfMemoryError, torch.autocast, torch.no_grad,
    nn.Parameter, nn.Module, nn.Linear, nn.LSTM, nn.MultiheadAttention, nn.utils.rnn.PackedSequence,
    nn.init.xavier_uniform_, nn.functional.relu, torch.save, torch.autograd.Function,
    torch.distributions.Normal, torch.optim.AdamW, torch.optim.lr_scheduler.StepLR,
    torch.utils.data.DataLoader,
    torch.utils.data.Subset,
):  # fmt: skip
    print(each.__module__, each.__qualname__, repr(each) if isinstance(each, type) else "")
for each in (
    nn.Linear,
    nn.ReLU,
    torch.optim.AdamW,
    nn.functional.relu,
    torch.Tensor,
    torch.utils.data.Subset,
):
    module = importlib.import_module(each.__module__)
    print(getattr(module, each.__qualname__) is each, pickle.loads(pickle.dumps(each)) is each)


def instantiate(path, **arguments):
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)(**arguments)


class Net(nn.Module):
    """A module of the program's own."""

    def __init__(self):
        super().__init__()
        self.layer = instantiate("torch.nn.Linear", in_features=2, out_features=2)
        self.register_buffer("count", torch.zeros(1, dtype=torch.long))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(x)


def is_torch(value):
    return type(value).__module__.split(".")[0] == "torch"


print(
    [
        is_torch(each)
        for each in (torch.ones(1), nn.ReLU(), torch.half, torch.Size(), torch.Generator(), Net())
    ]
)
print([f"{each.__module__}.{each.__name__}" for each in Net.__mro__], typing.get_type_hints(Net.forward))
print(dict[str, torch.Tensor], list[torch.Tensor], torch.Tensor | None)
print(inspect.getsource(nn.ReLU).startswith("class ReLU"), inspect.getsourcefile(nn.Linear)[-9:])
copied = pickle.loads(pickle.dumps(Net()))
print(copied, copied.count.type(), type(copied.layer.weight), torch.__name__)
for failing in (lambda: nn.ReLU().foo, lambda: setattr(nn.Linear(2, 2), "weight", torch.ones(2))):
    try:
        failing()
    except (AttributeError, TypeError) as error:
        print(error)
try:
    torch.tensor([1.0], dtype="float32")
except TypeError as error:
    print(error)
w = torch.ones(3, requires_grad=True)
y = w.exp()
y += 1
try:
    y.sum().backward()
except RuntimeError as error:
    print(error)
