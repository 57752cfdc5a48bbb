"""PyTorch's tensors and gnomon's: the same memory, state dicts, and gradients through functions of both.

PyTorch is imported only when one of these functions is called.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

from ..autograd.engine import backward
from ..autograd.function import Function, once_differentiable
from ..autograd.grad_mode import enable_grad
from ..memory.backend import backend_of
from ..memory.tensor import Tensor
from ..values.errors import type_name
from . import dlpack


def _torch(name: str) -> Any:
    try:
        import torch
    except ImportError:
        raise ImportError(f"{name}: PyTorch is not installed: pip install torch") from None
    return torch


def from_torch(values: Any) -> Any:
    """PyTorch's tensors as gnomon's, which share their memory.

    values  a tensor, or tuples, lists and dicts of tensors, such as a state dict, at any depth.  Everything
            in them that is not a tensor stays as it is

    Sizes, strides, dtypes and devices stay; the tensors do not require grad.  An optimizer that loads such a
    state dict uses the same memory as the one that it is from, unless the state dict is copied
    (``copy.deepcopy``).  Raises RuntimeError for a tensor that requires grad, which ``detach()`` or
    ``as_gnomon_function`` is for; BufferError for one without strides or with a dtype that gnomon does not
    have; TypeError for another object; ImportError without PyTorch.
    """
    torch = _torch("from_torch")
    if not isinstance(values, (torch.Tensor, tuple, list, dict)):
        raise TypeError(
            f"from_torch: argument 'values' must be torch.Tensor or a container, got {type_name(values)}"
        )
    return _mapped(values, torch.Tensor, _from_torch)


def to_torch(values: Any) -> Any:
    """gnomon's tensors as PyTorch's, which share their memory: the opposite of ``from_torch``.

    Raises RuntimeError for a tensor that requires grad, which ``detach()`` or ``as_torch_function`` is for;
    BufferError for one without strides, memory or a dtype that PyTorch has; TypeError for another object;
    ImportError without PyTorch.
    """
    _torch("to_torch")
    if not isinstance(values, (Tensor, tuple, list, dict)):
        raise TypeError(f"to_torch: argument 'values' must be Tensor or a container, got {type_name(values)}")
    return _mapped(values, Tensor, _to_torch)


def _mapped(values: Any, kind: type, function: Callable[[Any], Any]) -> Any:
    """``values`` with ``function`` applied to each object of a type in it; containers keep their type."""
    if isinstance(values, kind):
        return function(values)
    if isinstance(values, dict):
        made = type(values)()
        made.update({key: _mapped(value, kind, function) for key, value in values.items()})
        vars(made).update(getattr(values, "__dict__", {})) if hasattr(made, "__dict__") else None
        return made
    if isinstance(values, (tuple, list)):
        items = [_mapped(value, kind, function) for value in values]
        return type(values)(*items) if hasattr(values, "_fields") else type(values)(items)
    return values


def _from_torch(tensor: Any, like: Tensor | None = None) -> Tensor:
    """PyTorch's tensor as one of gnomon; if its memory allows it, on the device of ``like``."""
    if tensor.requires_grad:
        raise RuntimeError(
            "from_torch: the tensor requires grad; use tensor.detach(), or as_gnomon_function, through which "
            "gradients flow"
        )
    on_host = like is not None and tensor.device.type == "cpu" and backend_of(like.device).host_memory
    where = like.device if like is not None and on_host else None
    return dlpack.from_dlpack(tensor.resolve_conj().resolve_neg(), where, None)


def _to_torch(tensor: Tensor, like: Any = None) -> Any:
    """gnomon's tensor as one of PyTorch; the memory says its device, whatever that of ``like`` is."""
    if tensor.requires_grad:
        raise RuntimeError(
            "to_torch: the tensor requires grad; use tensor.detach(), or as_torch_function, through which "
            "gradients flow"
        )
    return _torch("to_torch").from_dlpack(tensor)


class _Library(NamedTuple):
    """What a function that crosses from one library to the other needs of each."""

    tensor: Any  # the class of its tensors
    # a tensor of the other library as one of this, on the same memory, and on the device of another
    enter: Callable[..., Any]
    function: Any  # its autograd.Function
    once_differentiable: Callable[[Any], Any]
    enable_grad: Callable[[], Any]
    backward: Callable[..., None]
    anchor: Callable[[], Any]  # a tensor that requires grad


def _gnomon() -> _Library:
    from ..bindings.creation import tensor

    def anchor() -> Tensor:
        return tensor(0.0, requires_grad=True)

    return _Library(Tensor, _from_torch, Function, once_differentiable, enable_grad, backward, anchor)


def _pytorch(name: str) -> _Library:
    torch = _torch(name)
    automatic = torch.autograd

    def anchor() -> Any:
        return torch.tensor(0.0, requires_grad=True)

    once = automatic.function.once_differentiable
    return _Library(
        torch.Tensor, _to_torch, automatic.Function, once, torch.enable_grad, automatic.backward, anchor
    )


def as_gnomon_function(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of gnomon's tensors that computes with PyTorch, and through which gradients flow.

    function  takes PyTorch's tensors (and other objects), and returns a tensor, or tuples, lists and dicts
              with tensors: a function or a module of PyTorch

    Tensors among the arguments, but not within containers, are shared with PyTorch, and the results with
    gnomon, on the device of the first of these tensors.

    ``backward`` also accumulates the gradients of PyTorch's parameters that the function used, in
    PyTorch.  Gradients of gradients raise RuntimeError.  Raises TypeError for results without a tensor,
    ImportError without PyTorch.
    """
    return _crossing("as_gnomon_function", _gnomon(), _pytorch("as_gnomon_function"), function)


def as_torch_function(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of PyTorch's tensors that computes with gnomon: the opposite of ``as_gnomon_function``.

    function  takes gnomon's tensors (and other objects), and returns a tensor, or tuples, lists and dicts
              with tensors: a function or a module of gnomon
    """
    return _crossing("as_torch_function", _pytorch("as_torch_function"), _gnomon(), function)


def _crossing(
    name: str, outer: _Library, inner: _Library, function: Callable[..., Any]
) -> Callable[..., Any]:
    """A function of one library's tensors that computes with the other."""
    if not callable(function):
        raise TypeError(
            f"{name}: argument 'function' must be a function or a module, got {type_name(function)}"
        )

    def forward(context: Any, anchor: Any, call: _Crossing, *arguments: Any) -> Any:
        inputs = [_entered(inner, each) if isinstance(each, outer.tensor) else each for each in arguments]
        count = len(inputs) - len(call.names)
        with inner.enable_grad():
            returned = function(*inputs[:count], **dict(zip(call.names, inputs[count:])))
        results: list[Any] = []
        call.returned = _mapped(returned, inner.tensor, lambda each: _Place.of(results, each))
        if not results:
            raise TypeError(f"{name}: the function must return tensors, got {type_name(returned)}")
        tensors = [each for each in arguments if isinstance(each, outer.tensor)]
        outputs = tuple(outer.enter(each.detach(), next(iter(tensors), None)) for each in results)
        context.inputs, context.results = inputs, results
        context.crossed = [isinstance(each, outer.tensor) for each in arguments]
        context.save_for_backward(*tensors)
        context.mark_non_differentiable(
            *[output for output, result in zip(outputs, results) if not result.requires_grad]
        )
        context.set_materialize_grads(False)
        return outputs

    def backward(context: Any, *gradients: Any) -> Any:
        tensors = iter(context.saved_tensors)  # raises if one was modified in place since forward
        pairs = [
            pair for pair in zip(context.results, gradients) if pair[1] is not None and pair[0].requires_grad
        ]
        leaves = [
            each if isinstance(each, inner.tensor) and each.requires_grad else None for each in context.inputs
        ]
        for leaf in leaves:
            if leaf is not None:
                leaf.grad = None
        results = [result for result, _ in pairs]
        incoming = [inner.enter(each.detach(), result) for result, each in pairs]
        inner.backward(results, incoming, retain_graph=True)
        likes = [next(tensors) if crossed else None for crossed in context.crossed]
        found = [None if leaf is None else leaf.grad for leaf in leaves]
        entered = [None if x is None else outer.enter(x.detach(), like) for x, like in zip(found, likes)]
        return (None, None, *entered)

    members = {
        "forward": staticmethod(forward),
        "backward": staticmethod(outer.once_differentiable(backward)),
    }
    crossing: Any = type(name, (outer.function,), members)

    @functools.wraps(function)
    def through(*arguments: Any, **named: Any) -> Any:
        call = _Crossing(tuple(named))
        outputs = crossing.apply(outer.anchor(), call, *arguments, *named.values())
        return _mapped(call.returned, _Place, lambda each: outputs[each.number])

    return through


class _Crossing:
    """One call: the names of its last arguments, and what was returned, with places instead of tensors."""

    def __init__(self, names: tuple[str, ...]):
        self.names = names
        self.returned: Any = None


class _Place(NamedTuple):
    """The place of a tensor among the results of a call."""

    number: int

    @staticmethod
    def of(results: list[Any], tensor: Any) -> _Place:
        """That of a tensor, which becomes the last of the results."""
        results.append(tensor)
        return _Place(len(results) - 1)


def _entered(inner: _Library, tensor: Any) -> Any:
    """A leaf on the memory of another library's tensor."""
    return inner.enter(tensor.detach()).requires_grad_(tensor.requires_grad)
