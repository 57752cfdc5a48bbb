"""A framework of one file: strided tensors, views, promotion, operators, and an engine for gradients."""

from __future__ import annotations

import ctypes
import heapq
import itertools
import math
import operator as arithmetic
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

from gnomon_conformance import libraries

# ---- dtypes

DTYPES = ("bool", "int64", "float32", "float64")
CATEGORY = {"bool": 0, "int64": 1, "float32": 2, "float64": 2}
Sizes = tuple[int, ...]


def rounded(number: Any, dtype: str) -> Any:
    """The number as the dtype holds it: integers wrap around, floats round."""
    if dtype == "bool":
        return bool(number)
    if dtype == "int64":
        return (int(number) + 2**63) % 2**64 - 2**63
    return ctypes.c_float(number).value if dtype == "float32" else float(number)


def dtype_of_number(number: Any) -> str:
    if isinstance(number, complex):
        raise NotImplementedError("no complex numbers")
    return "bool" if isinstance(number, bool) else "int64" if isinstance(number, int) else "float32"


def result_type(*operands: Any) -> str:
    """Tensors with dimensions decide; those without, then numbers, only count if their category is higher."""
    levels: list[list[str]] = [[], [], []]
    for each in operands:
        if isinstance(each, Tensor):
            levels[0 if each.sizes else 1].append(each.dtype)
        else:
            levels[2].append(dtype_of_number(each))
    found = "bool"
    is_first = True
    for level in levels:
        if level:
            best = max(level, key=DTYPES.index)
            found = best if is_first or CATEGORY[best] > CATEGORY[found] else found
            is_first = False
    return found


# ---- tensors


def contiguous_strides(sizes: Sequence[int]) -> Sizes:
    strides, step = [], 1
    for size in reversed(sizes):
        strides.insert(0, step)
        step *= max(size, 1)
    return tuple(strides)


class Tensor:
    """A view of a storage, which is a list of numbers."""

    def __init__(
        self, storage: list[Any], dtype: str, sizes: Sequence[int], strides: Any = None, offset: int = 0
    ):
        self.storage, self.dtype, self.offset = storage, dtype, offset
        self.sizes = tuple(sizes)
        self.strides = contiguous_strides(self.sizes) if strides is None else tuple(strides)
        self.requires_grad = False
        self.grad: Tensor | None = None
        self.node: Node | None = None

    def view_with(self, sizes: Sequence[int], strides: Sequence[int], offset: int | None = None) -> Tensor:
        return Tensor(self.storage, self.dtype, sizes, strides, self.offset if offset is None else offset)

    def places(self) -> Iterator[int]:
        """The place of each element in the storage, in row-major order."""
        steps = [
            range(0, size * stride, stride) if stride else [0] * size
            for size, stride in zip(self.sizes, self.strides)
        ]
        return (self.offset + sum(each) for each in itertools.product(*steps))

    def numbers(self) -> list[Any]:
        return [self.storage[place] for place in self.places()]


def new(numbers: Sequence[Any], dtype: str, sizes: Sequence[int]) -> Tensor:
    return Tensor([rounded(each, dtype) for each in numbers], dtype, sizes)


def as_tensor(value: Any, dtype: str) -> Tensor:
    return value if isinstance(value, Tensor) else new([value], dtype, ())


# ---- the graph, and the engine


class Node:
    """What computes the gradients of a call's inputs from that of its result."""

    counter = itertools.count()

    def __init__(self, inputs: Sequence[Tensor], backward: Callable[[Tensor], Sequence[Tensor | None]]):
        self.inputs, self.backward, self.number = inputs, backward, next(Node.counter)


def operator(
    forward: Callable[..., Tensor], backward: Callable[..., Sequence[Tensor | None]] | None = None
) -> Any:
    """``forward`` with a Node for its result; ``backward(grad, result, *arguments)`` gives the gradients of
    the tensors among the arguments.
    """

    def call(*arguments: Any) -> Tensor:
        result = forward(*arguments)
        inputs = [each for each in arguments if isinstance(each, Tensor)]
        if (
            backward is not None
            and CATEGORY[result.dtype] == 2
            and any(each.requires_grad for each in inputs)
        ):
            result.requires_grad = True
            result.node = Node(inputs, lambda grad: backward(grad, result, *arguments))
        return result

    return call


def run_backward(outputs: Sequence[Tensor], incoming: Sequence[Tensor]) -> None:
    """Accumulate the gradients of the leaves: every node runs once, after all nodes that use its result."""
    grads: dict[int, Tensor] = {}
    ready: list[tuple[int, int, Tensor]] = []

    def arrived(tensor: Tensor, grad: Tensor) -> None:
        if tensor.node is None:
            tensor.grad = grad if tensor.grad is None else add(tensor.grad, grad, 1)
        elif id(tensor) in grads:
            grads[id(tensor)] = add(grads[id(tensor)], grad, 1)
        else:
            grads[id(tensor)] = grad
            heapq.heappush(ready, (-tensor.node.number, id(tensor), tensor))

    for tensor, grad in zip(outputs, incoming):
        arrived(tensor, grad)
    while ready:  # the newest first: a result is newer than what it was computed from
        _, key, tensor = heapq.heappop(ready)
        assert tensor.node is not None
        for each, grad in zip(tensor.node.inputs, tensor.node.backward(grads.pop(key))):
            if each.requires_grad and grad is not None:
                arrived(each, sum_to(grad, each))


def sum_to(grad: Tensor, like: Tensor) -> Tensor:
    """Undo broadcasting and promotion."""
    lead = len(grad.sizes) - len(like.sizes)
    stretched = [lead + dim for dim, size in enumerate(like.sizes) if size == 1 != grad.sizes[lead + dim]]
    dims = [*range(lead), *stretched]
    found = sum_dims(grad, dims, True, None) if dims else grad
    return new(found.numbers(), like.dtype, like.sizes)


# ---- views


def wrapped(dim: int, ndim: int) -> int:
    least = max(ndim, 1)
    if not -least <= dim < least:
        raise IndexError(f"expected a dimension from {-least} to {least - 1}, got {dim}")
    return dim % least


def _transpose(self: Tensor, dim0: int, dim1: int) -> Tensor:
    order = list(range(len(self.sizes)))
    one, other = wrapped(dim0, len(order)), wrapped(dim1, len(order))
    if order:
        order[one], order[other] = order[other], order[one]
    return self.view_with([self.sizes[dim] for dim in order], [self.strides[dim] for dim in order])


def _expand(self: Tensor, size: Sequence[int], implicit: bool) -> Tensor:
    lead = len(size) - len(self.sizes)
    if lead < 0:
        raise RuntimeError(f"expand: {len(size)} sizes for {len(self.sizes)} dimensions")
    sizes, strides = [], []
    for dim, wanted in enumerate(size):
        own = self.sizes[dim - lead] if dim >= lead else 1
        wanted = own if wanted == -1 and dim >= lead else wanted
        if wanted < 0 or own not in (1, wanted):
            raise RuntimeError(f"expand: dimension {dim} has {own} elements, expected 1 or {wanted}")
        sizes.append(wanted)
        strides.append(self.strides[dim - lead] if dim >= lead and own == wanted else 0)
    return self.view_with(sizes, strides)


def _slice(self: Tensor, dim: int, start: int | None, end: int | None, step: int) -> Tensor:
    dim = wrapped(dim, len(self.sizes))
    if not self.sizes or step < 1:
        raise RuntimeError("slice: expected a dimension, and a positive step")
    first, last, _ = slice(start, end, step).indices(self.sizes[dim])
    sizes, strides = list(self.sizes), list(self.strides)
    sizes[dim] = max(0, -(-(last - first) // step))
    strides[dim] *= step
    return self.view_with(sizes, strides, self.offset + first * self.strides[dim])


def _view(self: Tensor, size: Sequence[int]) -> Tensor:
    numel, sizes = math.prod(self.sizes), list(size)
    known = math.prod(each for each in sizes if each != -1)
    if sizes.count(-1) > 1 or min(sizes, default=0) < -1:
        raise RuntimeError(f"view: invalid sizes {sizes}")
    if -1 in sizes:
        if known == 0 or numel % known:
            raise RuntimeError(f"view: {numel} elements do not fill {sizes}")
        sizes[sizes.index(-1)] = numel // known
    if math.prod(sizes) != numel:
        raise RuntimeError(f"view: {numel} elements do not fill {sizes}")
    if numel == 0:
        return self.view_with(sizes, self.strides if sizes == list(self.sizes) else contiguous_strides(sizes))
    strides, dim = [0] * len(sizes), len(sizes) - 1
    chunk, base = 1, self.strides[-1] if self.strides else 1
    for old in reversed(range(len(self.sizes))):
        chunk *= self.sizes[old]
        is_last = old == 0 or (self.sizes[old - 1] != 1 and self.strides[old - 1] != chunk * base)
        if not is_last:
            continue
        filled = 1
        while dim >= 0 and (filled < chunk or sizes[dim] == 1):
            strides[dim] = filled * base
            filled *= sizes[dim]
            dim -= 1
        if filled != chunk:
            raise RuntimeError("view: the dimensions do not merge; a copy is needed")
        chunk, base = 1, self.strides[old - 1]
    while dim >= 0:  # ones in front
        strides[dim] = 1
        dim -= 1
    return self.view_with(sizes, strides)


def _slice_backward(grad: Tensor, result: Tensor, self: Tensor, *arguments: Any) -> list[Tensor]:
    whole = new([0] * math.prod(self.sizes), grad.dtype, self.sizes)
    for place, number in zip(_slice(whole, *arguments).places(), grad.numbers()):
        whole.storage[place] = number
    return [whole]


transpose = operator(_transpose, lambda grad, result, self, *dims: [_transpose(grad, *dims)])
expand = operator(_expand, lambda grad, result, self, *_: [grad])
slice_ = operator(_slice, _slice_backward)
view = operator(_view, lambda grad, result, self, size: [new(grad.numbers(), grad.dtype, self.sizes)])

# ---- pointwise operators


def broadcast(*shapes: Sizes) -> Sizes:
    found = []
    for sizes in itertools.zip_longest(*(reversed(each) for each in shapes), fillvalue=1):
        others = {size for size in sizes if size != 1}
        if len(others) > 1:
            raise RuntimeError(f"sizes {shapes} do not broadcast")
        found.insert(0, others.pop() if others else 1)
    return tuple(found)


def pointwise(
    function: Callable[..., Any], dtype: str, *operands: Any, computed: str | None = None
) -> Tensor:
    """The function of each element; the operands are first converted to the dtype that is ``computed`` in."""
    tensors = [as_tensor(each, computed or dtype) for each in operands]
    sizes = broadcast(*(each.sizes for each in tensors))
    columns = [_expand(each, sizes, False).numbers() for each in tensors]
    converted = [[rounded(each, computed or dtype) for each in column] for column in columns]
    return new([function(*row) for row in zip(*converted)], dtype, sizes)


def _add(self: Any, other: Any, alpha: Any) -> Tensor:
    dtype = result_type(self, other)
    if (isinstance(alpha, bool) and dtype != "bool") or (isinstance(alpha, float) and CATEGORY[dtype] < 2):
        raise RuntimeError(f"add: alpha {alpha!r} for {dtype}")
    return pointwise(lambda one, two: one + alpha * two, dtype, self, other)


def _neg(self: Tensor) -> Tensor:
    if self.dtype == "bool":
        raise RuntimeError("neg: no negative of a bool; use logical_not")
    return pointwise(lambda one: -one, self.dtype, self)


def _exp(self: Tensor) -> Tensor:
    def of(number: float) -> float:
        return math.exp(number) if number < 709.7 or number != number else math.inf

    return pointwise(of, self.dtype if CATEGORY[self.dtype] == 2 else "float32", self)


def eq(self: Any, other: Any) -> Tensor:
    return pointwise(lambda one, two: one == two, "bool", self, other, computed=result_type(self, other))


def _mul(self: Any, other: Any) -> Tensor:
    return pointwise(lambda one, two: one * two, result_type(self, other), self, other)


def _of_tensors(pairs: Sequence[tuple[Any, Callable[[], Tensor]]]) -> list[Tensor]:
    """Gradients of those arguments that are tensors."""
    return [gradient() for argument, gradient in pairs if isinstance(argument, Tensor)]


add = operator(
    _add,
    lambda grad, result, self, other, alpha: _of_tensors(
        [(self, lambda: grad), (other, lambda: _mul(grad, alpha))]
    ),
)
mul = operator(
    _mul,
    lambda grad, result, self, other: _of_tensors(
        [(self, lambda: _mul(grad, other)), (other, lambda: _mul(grad, self))]
    ),
)
neg = operator(_neg, lambda grad, result, self: [_neg(grad)])
exp = operator(_exp, lambda grad, result, self: [_mul(grad, result)])
clone = operator(lambda self, *_: new(self.numbers(), self.dtype, self.sizes), lambda grad, *_: [grad])
to = operator(
    lambda self, dtype: new(self.numbers(), dtype or self.dtype, self.sizes), lambda grad, *_: [grad]
)

# ---- reductions, and products of matrices


def rows_of(self: Tensor, dims: Sequence[int]) -> tuple[Tensor, list[Tensor]]:
    """The tensor with ``dims`` as its last dimensions, and for each index of the others a row of it."""
    ndim = len(self.sizes)
    inner = [wrapped(dim, ndim) for dim in dims] if dims else list(range(ndim))
    if len(set(inner)) != len(inner):
        raise RuntimeError(f"a dimension appears twice in {list(dims)}")
    inner = sorted(inner) if ndim else []
    outer = [dim for dim in range(ndim) if dim not in inner]
    kept = self.view_with([self.sizes[dim] for dim in outer], [self.strides[dim] for dim in outer])
    sizes, strides = [self.sizes[dim] for dim in inner], [self.strides[dim] for dim in inner]
    return kept, [self.view_with(sizes, strides, place) for place in kept.places()]


def reduced_sizes(self: Tensor, dims: Sequence[int], keepdim: bool) -> Sizes:
    ndim = len(self.sizes)
    inner = {wrapped(dim, ndim) for dim in dims} if dims else set(range(ndim))
    pairs = enumerate(self.sizes)
    return tuple(1 if dim in inner else size for dim, size in pairs if keepdim or dim not in inner)


def _sum(self: Tensor, dim: Any, keepdim: bool, dtype: str | None) -> Tensor:
    dtype = dtype or (self.dtype if CATEGORY[self.dtype] == 2 else "int64")
    _, rows = rows_of(self, dim or ())
    totals = [sum(rounded(each, dtype) for each in row.numbers()) for row in rows]
    return new(totals, dtype, reduced_sizes(self, dim or (), keepdim))


def _sum_backward(
    grad: Tensor, result: Tensor, self: Tensor, dim: Any, keepdim: bool, dtype: Any
) -> list[Tensor]:
    whole = grad if keepdim else _view(clone(grad), reduced_sizes(self, dim or (), True))
    return [_expand(whole, self.sizes, False)]


sum_dims = operator(_sum, _sum_backward)


def max_dim(self: Tensor, dim: int, keepdim: bool) -> tuple[Tensor, Tensor]:
    sizes = reduced_sizes(self, [dim], keepdim)
    _, rows = rows_of(self, [dim])
    if self.sizes and self.sizes[wrapped(dim, len(self.sizes))] == 0:
        raise IndexError("max: expected a dimension with elements")
    indices = []
    for row in (each.numbers() for each in rows):
        nans = [place for place, each in enumerate(row) if each != each]
        indices.append(nans[0] if nans else row.index(max(row)))
    index = new(indices, "int64", sizes)
    return max_values(self, index, dim, keepdim, rows), index


def _max_values(self: Tensor, index: Tensor, dim: int, keepdim: bool, rows: list[Tensor]) -> Tensor:
    return new([row.numbers()[place] for row, place in zip(rows, index.storage)], self.dtype, index.sizes)


def _max_backward(
    grad: Tensor, result: Tensor, self: Tensor, index: Tensor, dim: int, *_: Any
) -> list[Tensor | None]:
    whole = new([0] * math.prod(self.sizes), grad.dtype, self.sizes)
    for row, place, number in zip(rows_of(whole, [dim])[1], index.storage, grad.numbers()):
        whole.storage[list(row.places())[place]] = number
    return [whole, None]


max_values = operator(_max_values, _max_backward)


def _mm(self: Tensor, mat2: Tensor) -> Tensor:
    if len(self.sizes) != 2 or len(mat2.sizes) != 2 or self.sizes[1] != mat2.sizes[0]:
        raise RuntimeError(f"mm: sizes {self.sizes} and {mat2.sizes}")
    if self.dtype != mat2.dtype or self.dtype == "bool":
        raise RuntimeError(f"mm: dtypes {self.dtype} and {mat2.dtype}")
    rows, columns = rows_of(self, [1])[1], rows_of(mat2, [0])[1]
    right = [column.numbers() for column in columns]
    numbers = [sum(map(arithmetic.mul, row.numbers(), column)) for row in rows for column in right]
    return new(numbers, self.dtype, (self.sizes[0], mat2.sizes[1]))


mm = operator(
    _mm,
    lambda grad, result, self, mat2: [_mm(grad, _transpose(mat2, 0, 1)), _mm(_transpose(self, 0, 1), grad)],
)


def addmm(self: Tensor, mat1: Tensor, mat2: Tensor, beta: Any, alpha: Any) -> Tensor:
    if self.dtype != mat1.dtype:
        raise RuntimeError(f"addmm: dtypes {self.dtype} and {mat1.dtype}")
    product = mm(mat1, mat2)
    if beta == 0:  # then what self holds does not count, not even NaN
        return mul(product, alpha)
    return add(mul(expand(self, product.sizes, False), beta), product, alpha)


# ---- the adaptor: how the suite builds, calls and looks at tensors


def full(size: Sequence[int], fill_value: Any, dtype: str | None, *_: Any) -> Tensor:
    if min(size, default=0) < 0:
        raise RuntimeError(f"full: sizes {size}")
    return new([fill_value] * math.prod(size), dtype or dtype_of_number(fill_value), size)


class Framework(libraries.Library):
    """The framework as a subject of the conformance suite."""

    name = "framework"
    dtypes = DTYPES
    functions: ClassVar[dict[str, Callable[..., Any]]] = {
        "clone": clone,
        "full": full,
        "zeros_like": lambda self, dtype, *_: full(self.sizes, 0, dtype or self.dtype),
        "_to_copy": lambda self, dtype, *_: to(self, dtype),
        "view": view,
        "transpose.int": transpose,
        "slice.Tensor": slice_,
        "expand": expand,
        "add.Tensor": add,
        "mul.Tensor": mul,
        "neg": neg,
        "exp": exp,
        "eq.Tensor": eq,
        "sum.dim_IntList": sum_dims,
        "max.dim": max_dim,
        "mm": mm,
        "addmm": addmm,
    }

    def tensor(self, numbers: Sequence[Any], sizes: Sequence[int], dtype: str) -> Tensor:
        return new(numbers, dtype, sizes)

    def is_tensor(self, value: Any) -> bool:
        return isinstance(value, Tensor)

    def describe(self, tensor: Tensor) -> tuple[str, Sizes, list[Any]]:
        return tensor.dtype, tensor.sizes, tensor.numbers()

    def strided(self, storage: Tensor, sizes: Sequence[int], strides: Sequence[int], offset: int) -> Tensor:
        return storage.view_with(sizes, strides, offset)

    def shares_memory(self, one: Tensor, other: Tensor) -> bool:
        return one.storage is other.storage

    def track(self, tensor: Tensor) -> Tensor:
        tensor.requires_grad = True
        return tensor

    def gradients(
        self, outputs: Sequence[Tensor], incoming: Sequence[Tensor], inputs: Sequence[Tensor]
    ) -> list[Tensor | None]:
        run_backward(outputs, incoming)
        return [each.grad for each in inputs]
