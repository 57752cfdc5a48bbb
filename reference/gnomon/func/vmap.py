"""vmap: runs a function of one example on a batch of examples.

    vmap(dot)(x, y)         # [dot(x[0], y[0]), dot(x[1], y[1]), …], at once

How operators run on the batch is in batching.py and the batching rules; this file handles arguments and
results.  Source: torch/_functorch/apis.py, vmap.py.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar, cast

from ..autograd.engine import transform
from ..dispatch.dispatcher import aten
from ..memory.tensor import Tensor
from ..utils.pytree import TreeSpec, broadcast_to_and_flatten, flatten, unflatten
from . import batching_rules as _rules  # noqa: F401  (importing the rules registers them)
from .batching import BatchedTensor, Level, level, vmap_fallbacks, wrap

RANDOMNESS = ("error", "different", "same")
F = TypeVar("F", bound=Callable[..., Any])
InDims = int | tuple[Any, ...] | list[Any]
OutDims = int | tuple[Any, ...] | list[Any] | dict[Any, Any] | None


def vmap(
    func: F,
    in_dims: InDims = 0,
    out_dims: OutDims = 0,
    randomness: Literal["error", "different", "same"] = "error",
    *,
    chunk_size: int | None = None,
) -> F:
    """Vectorize ``func``, which takes and returns tensors of one example, over a batch.

    in_dims: the batch dimension of each positional argument, or None for an argument that all examples share;
    nested like the arguments.  Keyword arguments are always shared.  out_dims: the batch dimension of each
    result; None for a result that is the same for all examples.  randomness: random numbers are an "error",
    the "same" for all examples, or "different".  chunk_size: how many examples to compute at a time; None for
    all.

    The function raises ValueError for arguments that do not match ``in_dims`` or each other, and for results
    that are not tensors or do not match ``out_dims``; RuntimeError for what vmap does not support:
    ``item()``, data-dependent control flow, results of data-dependent sizes, in-place writes of batched
    values to a tensor that all examples share.  Source: torch.func.vmap.
    """
    if randomness not in RANDOMNESS:
        raise RuntimeError(
            f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}"
        )
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")
    name = getattr(func, "__name__", repr(func))

    @functools.wraps(func)
    def mapped(*args: Any, **kwargs: Any) -> Any:
        leaves, dims, structure = _inputs(name, in_dims, args)
        size = _batch_size(leaves, dims)

        def call(leaves: Sequence[Any], size: int) -> Any:
            with level(size, randomness) as running, transform():
                inputs = [_enter(each, dim, running) for each, dim in zip(leaves, dims)]
                outputs = func(*unflatten(inputs, structure), **kwargs)
            return _leave(name, outputs, out_dims, running)

        if chunk_size is None or size <= chunk_size:
            return call(leaves, size)
        results = []
        for start in range(0, size, chunk_size):
            count = min(chunk_size, size - start)
            part = [
                each if dim is None else aten.narrow.default(each, dim, start, count)
                for each, dim in zip(leaves, dims)
            ]
            results.append(call(part, count))
        return _joined(results, out_dims)

    return cast(F, mapped)


def _inputs(name: str, in_dims: Any, args: tuple[Any, ...]) -> tuple[list[Any], list[Any], TreeSpec]:
    """The leaves of the arguments, the dimension of each, and their structure.  Raises ValueError."""
    head = f"vmap({name}, in_dims={in_dims}, ...)(<inputs>)"
    if not isinstance(in_dims, (int, tuple, list)):
        raise ValueError(
            f"{head}: expected `in_dims` to be int or a (potentially nested) tuple matching the structure of "
            f"inputs, got: {type(in_dims)}."
        )
    if not args:
        return [], [], flatten(args)[1]
    leaves, structure = flatten(args)
    dims = broadcast_to_and_flatten(tuple(in_dims) if isinstance(in_dims, list) else in_dims, structure)
    if dims is None:
        raise ValueError(
            f"{head}: in_dims is not compatible with the structure of `inputs`. in_dims has structure "
            f"{flatten(in_dims)[1]} but inputs has structure {structure}."
        )
    checked: list[int | None] = []
    for leaf, dim in zip(leaves, dims):
        if dim is not None and (not isinstance(dim, int) or isinstance(dim, bool)):
            raise ValueError(
                f"{head}: Got in_dim={dim} for an input but in_dim must be either an integer dimension or "
                "None."
            )
        if dim is None:
            checked.append(None)
            continue
        if not isinstance(leaf, Tensor):
            raise ValueError(
                f"{head}: Got in_dim={dim} for an input but the input is of type {type(leaf)}. We cannot "
                "vmap over non-Tensor arguments, please use None as the respective in_dim"
            )
        rank = leaf._spec.ndim
        if not -rank <= dim < rank:
            raise ValueError(
                f"{head}: Got in_dim={dim} for some input, but that input is a Tensor of dimensionality "
                f"{rank} so expected in_dim to satisfy -{rank} <= in_dim < {rank}."
            )
        checked.append(dim % rank)
    return leaves, checked, structure


def _batch_size(leaves: Sequence[Any], dims: Sequence[int | None]) -> int:
    """The batch size.  Raises ValueError if the arguments disagree, or none is batched."""
    sizes = [leaf._spec.sizes[dim] for leaf, dim in zip(leaves, dims) if dim is not None]
    if not leaves:
        raise ValueError(
            "vmap: got no inputs. Maybe you forgot to add inputs, or you are trying to vmap over a function "
            "with no inputs. The latter is unsupported."
        )
    if not sizes:
        raise ValueError("vmap: Expected at least one Tensor to vmap over")
    if any(size != sizes[0] for size in sizes):
        raise ValueError(
            "vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
            f"{sizes} for the mapped dimension"
        )
    return sizes[0]


def _enter(leaf: Any, dim: int | None, running: Level) -> Any:
    """The function's argument: a BatchedTensor if ``dim`` is the batch dimension, else ``leaf`` itself."""
    if dim is None:
        return leaf
    return wrap(leaf if not dim else aten.movedim.int(leaf, dim, 0), running.number)


def _leave(name: str, outputs: Any, out_dims: Any, running: Level) -> Any:
    """The results as ordinary tensors, with batch dimensions ``out_dims``.  Raises ValueError."""
    leaves, structure = flatten(outputs)
    dims = broadcast_to_and_flatten(tuple(out_dims) if isinstance(out_dims, list) else out_dims, structure)
    if dims is None:
        raise ValueError(
            f"vmap({name}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with the "
            f"structure of `outputs`. out_dims has structure {flatten(out_dims)[1]} but outputs has "
            f"structure {structure}."
        )
    results = []
    for leaf, dim in zip(leaves, dims):
        if not (dim is None or isinstance(dim, int)) or isinstance(dim, bool):
            raise ValueError(
                f"vmap({name}, ..., out_dims={out_dims}): `out_dims` must be an int, None or a python "
                f"collection of ints representing where in the outputs the vmapped dimension should appear."
            )
        is_batched = isinstance(leaf, BatchedTensor) and leaf.level == running.number
        if dim is None:
            if is_batched:
                raise ValueError(
                    f"vmap({name}, ...): `{name}` can not return a BatchedTensor when out_dim is None"
                )
            results.append(leaf)
            continue
        if not isinstance(leaf, Tensor):
            raise ValueError(
                f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(leaf)}. Did you mean "
                "to set out_dims= to None for output?"
            )
        examples = (
            leaf.value  # type: ignore[attr-defined]
            if is_batched
            else aten.expand.default(leaf, (running.size, *leaf._spec.sizes), False)
        )
        rank = examples._spec.ndim
        if not -rank <= dim < rank:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [{-rank}, {rank - 1}], but got {dim})"
            )
        results.append(examples if not dim % rank else aten.movedim.int(examples, 0, dim))
    return unflatten(results, structure)


def _joined(results: list[Any], out_dims: Any) -> Any:
    """Concatenate the results of chunks."""
    flat = [flatten(each) for each in results]
    dims = broadcast_to_and_flatten(tuple(out_dims) if isinstance(out_dims, list) else out_dims, flat[0][1])
    assert dims is not None  # each chunk was checked
    columns = zip(*[leaves for leaves, _ in flat])
    joined = [
        column[0] if dim is None else aten.cat.default(list(column), dim)
        for column, dim in zip(columns, dims)
    ]
    return unflatten(joined, flat[0][1])


__all__ = ["vmap", "vmap_fallbacks"]
