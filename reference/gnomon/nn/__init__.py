"""Neural network building blocks: modules that own parameters, and the functions that they call.

Source: torch.nn.  Names, argument order, defaults and state_dict keys are PyTorch's, so that a program can be
ported by changing the import, and checkpoints can be exchanged.
"""

from . import functional, init
from .activation import GELU, LeakyReLU, LogSoftmax, ReLU, Sigmoid, SiLU, Softmax, Tanh
from .container import ModuleList, Sequential
from .convolution import Conv2d, MaxPool2d
from .dropout import Dropout
from .linear import Flatten, Identity, Linear
from .loss import CrossEntropyLoss, MSELoss, NLLLoss
from .module import Module
from .normalization import LayerNorm, RMSNorm
from .parameter import Parameter
from .sparse import Embedding

__all__ = [
    "GELU",
    "Conv2d",
    "CrossEntropyLoss",
    "Dropout",
    "Embedding",
    "Flatten",
    "Identity",
    "LayerNorm",
    "LeakyReLU",
    "Linear",
    "LogSoftmax",
    "MSELoss",
    "MaxPool2d",
    "Module",
    "ModuleList",
    "NLLLoss",
    "Parameter",
    "RMSNorm",
    "ReLU",
    "Sequential",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Tanh",
    "functional",
    "init",
]
