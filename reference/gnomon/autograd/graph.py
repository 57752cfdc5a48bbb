"""``gnomon.autograd.graph``: the graph's public API.

Source: torch/autograd/graph.py.
"""

from collections.abc import Iterable

from ..memory.tensor import Tensor, version_counter
from .node import GradientEdge, Node, get_gradient_edge
from .saved_mutation import allow_mutation_on_saved_tensors
from .saved_variable import disable_saved_tensors_hooks, save_on_cpu, saved_tensors_hooks
from .tensor_hooks import register_multi_grad_hook


def increment_version(tensor: Tensor | Iterable[Tensor]) -> None:
    """Increment the version counters of tensors that were modified other than by operators.

    Source: torch.autograd.graph.increment_version.
    """
    for each in (tensor,) if isinstance(tensor, Tensor) else tensor:
        version_counter(each).value += 1


__all__ = [
    "GradientEdge",
    "Node",
    "allow_mutation_on_saved_tensors",
    "disable_saved_tensors_hooks",
    "get_gradient_edge",
    "increment_version",
    "register_multi_grad_hook",
    "save_on_cpu",
    "saved_tensors_hooks",
]
