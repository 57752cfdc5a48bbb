"""What the page shows at first: a tensor's geometry, a call's operands, or a graph with its gradients."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...autograd.grad_mode import no_grad
from ...autograd.node import AccumulateGrad, Edge, Node
from ...calls.iterator import TensorIterator
from ...dispatch.dispatcher import aten
from ...memory.spec import Spec
from ...memory.tensor import Tensor
from ...values.dispatch_key import WRAPPER_KEYS
from ...values.dtype import QUANTIZED
from ..draw_graph import MOST_NODES, lines_of, run_order
from ..nodes import behind
from ..observation import Call, observe

MOST_ELEMENTS = 4096  # of a gradient whose values are in the page
MOST_OPERANDS = 3


def contents_of(function: Callable[[], Any], names: Mapping[str, Any]) -> dict[str, Any]:
    """What the page starts with: a tensor's geometry, the operands of the pointwise call that made it, and
    the graph behind it.

    function  a function without arguments that returns the tensor
    names     variables, by which leaves are called

    Raises what ``function`` raises, TypeError for a result that is not a tensor, and ValueError for a tensor
    without memory of its own.
    """
    calls, result, error = observe(function)
    if error is not None:
        raise error
    if not isinstance(result, Tensor):
        raise TypeError(f"view: expected a tensor, got {type(result).__name__}")
    found: dict[str, Any] = {"mode": "views", "tensor": geometry_of(result)}
    operands = operands_of(calls, result)
    if operands is not None:
        found.update(mode="iteration", operands=operands)
    if result.grad_fn is not None:
        found.update(mode="autograd", graph=graph_of(result, names))
    return found


def geometry_of(tensor: Tensor) -> dict[str, Any]:
    """Sizes, strides, offset and dtype of a tensor, and how many elements its storage holds.

    Raises ValueError for a tensor without memory of its own.
    """
    spec = tensor._spec
    if tensor._keys & WRAPPER_KEYS or tensor._storage is None or spec.dtype in QUANTIZED:
        raise ValueError(
            f"view: a {type(tensor).__name__} of {spec.dtype.name} on {spec.device} can not be shown: it has "
            "no memory of its own, or is quantized"
        )
    return {
        "sizes": list(spec.sizes),
        "strides": list(spec.strides),
        "offset": tensor._storage_offset,
        "dtype": spec.dtype.name,
        "elements": tensor.untyped_storage().nbytes() // spec.dtype.itemsize,
    }


def operands_of(calls: Sequence[Call], result: Tensor) -> list[dict[str, Any]] | None:
    """The operands of the pointwise call that returned ``result``, if there was one of at most three."""
    for call in reversed(calls):
        if not any(each is result for each in call.outputs()):
            continue
        for inner in call.walk():
            for _, launch in inner.launches:
                found = launch.iterator
                if found is not None and _is_shown(found):
                    return [_operand(each) for each in found.inputs]
    return None


def _is_shown(iterator: TensorIterator) -> bool:
    """Has it the operands that the page can iterate over: at least two, with a common dtype?"""
    is_pointwise = iterator._common_dtype is not None and not iterator.is_reduction
    return is_pointwise and 2 <= len(iterator.inputs) <= MOST_OPERANDS


def _operand(given: Any) -> dict[str, Any]:
    if isinstance(given, Spec):
        return {"sizes": list(given.sizes), "strides": list(given.strides), "dtype": given.dtype.name}
    return {"number": type(given).__name__}


def graph_of(output: Tensor, names: Mapping[str, Any]) -> dict[str, Any]:
    """The graph behind ``output``: its Nodes, and the gradients that each computes, from ones for ``output``.

    Nothing is accumulated, and what Nodes have saved stays; hooks do not run.  Raises ValueError for more
    than 400 Nodes, and RuntimeError for a graph whose saved tensors are freed.
    """
    root = output._gradient_edge
    assert root is not None
    nodes = list(behind(root[0]))
    if len(nodes) > MOST_NODES:
        raise ValueError(
            f"view: the graph has {len(nodes)} Nodes, of which at most {MOST_NODES} can be shown"
        )
    labels = {id(value): name for name, value in names.items() if isinstance(value, Tensor)}
    places = {node: place for place, node in enumerate(nodes)}
    with no_grad():
        seed = aten.ones_like(output)
        results = _run(root, seed)
    return {
        "nodes": [_described(node, places, results, labels) for node in nodes],
        "input": root[1],
        "seed": _values(seed),
    }


def _run(root: Edge, seed: Tensor) -> dict[Node, Sequence[Tensor | None]]:
    """The results of each Node, in the engine's order, from ``seed``."""
    buffers: dict[Node, list[Tensor | None]] = {root[0]: [None] * len(root[0].metadata_specs)}
    buffers[root[0]][root[1]] = seed
    found: dict[Node, Sequence[Tensor | None]] = {}
    for node, _ in run_order([root]):
        incoming = buffers.pop(node)
        results = () if isinstance(node, AccumulateGrad) else node.apply(incoming)
        found[node] = results
        for edge, gradient in zip(node.next_edges, results):
            if edge is None:
                continue
            buffer = buffers.setdefault(edge[0], [None] * len(edge[0].metadata_specs))
            if gradient is not None:
                gradient = aten.sum_to_size(gradient, edge[0].metadata_specs[edge[1]].sizes)
                present = buffer[edge[1]]
                buffer[edge[1]] = gradient if present is None else present + gradient
    return found


def _described(
    node: Node,
    places: Mapping[Node, int],
    results: Mapping[Node, Sequence[Tensor | None]],
    labels: Mapping[int, str],
) -> dict[str, Any]:
    leaf = node.variable if isinstance(node, AccumulateGrad) else None
    described: dict[str, Any] = {
        "name": node.name(),
        "sequence": None if isinstance(node, AccumulateGrad) else node.sequence_nr,
        "edges": [None if edge is None else [places[edge[0]], edge[1]] for edge in node.next_edges],
        "saved": [_saved(line) for line in lines_of(node)[1:]],
        "inputs": [[] if spec is None else list(spec.sizes) for spec in node.metadata_specs],
        "results": [None if each is None else _values(each) for each in results[node]],
    }
    if leaf is not None:
        described["label"] = labels.get(id(leaf), "a leaf")
    return described


def _saved(line: str) -> dict[str, str]:
    """What ``lines_of`` says of a Node, as a name and a text."""
    name, _, text = line.removeprefix("saved ").replace(" = ", ": ", 1).partition(": ")
    return {"name": name, "text": text}


def _values(tensor: Tensor) -> dict[str, Any]:
    """Sizes, and the values of a small real tensor, in row-major order."""
    spec = tensor._spec
    is_shown = not (spec.dtype.is_complex or tensor._keys & WRAPPER_KEYS) and spec.numel <= MOST_ELEMENTS
    data = [float(each) for each in tensor.detach().reshape(-1).tolist()] if is_shown else None
    return {"sizes": list(spec.sizes), "data": data and [_number(each) for each in data]}


def _number(value: float) -> float | str:
    """As JSON can hold it: JavaScript's names of what is not finite."""
    if value - value == 0:
        return value
    return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
