"""Floor 4: autograd.  Records what operators do as a graph of Nodes, and runs it backward.

Never imports the operators: a formula calls them through the tensors it is given, and the engine by name.
"""

from .engine import backward, grad
from .grad_mode import enable_grad, is_grad_enabled, no_grad, set_grad_enabled
from .gradcheck import GradcheckError, gradcheck, gradgradcheck
from .graph import AccumulateGrad, Edge, Node

__all__ = [
    "AccumulateGrad",
    "Edge",
    "GradcheckError",
    "Node",
    "backward",
    "enable_grad",
    "grad",
    "gradcheck",
    "gradgradcheck",
    "is_grad_enabled",
    "no_grad",
    "set_grad_enabled",
]
