"""Embedding bags (sums, means or maxima of bags of a table's rows), and embedding_renorm_.

Bag i holds the rows ``indices[offsets[i]:offsets[i + 1]]``.  Accumulation: the sum over a bag, or over the
uses of a row, is exactly rounded in float64 and rounded once to the dtype.

Source: aten/src/ATen/native/EmbeddingBag.cpp, Embedding.cpp.
"""

from __future__ import annotations

import bisect
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from ...calls.checks import (
    check_dim,
    check_dtype,
    check_same_dtype,
    check_same_size,
    check_size,
    check_size_at,
)
from ...calls.native import native_function
from ...dispatch.dispatcher import aten
from ...memory.accessor import TensorAccessor, elements
from ...memory.spec import Spec
from ...memory.tensor import Tensor, make_tensor
from ...numerics.arithmetic import divide, exact_sum
from ...values.dtype import FLOATS, complex128, float64, int32, int64, promote_types

SUM, MEAN, MAX = 0, 1, 2  # mode


def _check_mode(mode: int) -> None:
    """Raises RuntimeError for an unknown mode."""
    if mode not in (SUM, MEAN, MAX):
        raise RuntimeError("`mode` must be sum, mean, or max.")


def _check_is_sum(mode: int) -> None:
    """Raises RuntimeError for ``per_sample_weights`` with another mode than sum."""
    if mode != SUM:
        raise RuntimeError("embedding_bag: per_sample_weights only supported with mode='sum'")


def _bag_meta(
    weight: Spec,
    indices: Spec,
    offsets: Spec,
    scale_grad_by_freq: bool,
    mode: int,
    sparse: bool,
    per_sample_weights: Spec | None,
    include_last_offset: bool,
    padding_idx: int,
) -> tuple[Spec, Spec, Spec, Spec]:
    """As in PyTorch, bag_size and the maximum's indices are zeros if the mode does not use them, and
    offset2bag is empty where PyTorch's fast kernel does not compute it.
    """
    check_dim(2, weight=weight)
    check_dim(1, indices=indices, offsets=offsets)
    integer = promote_types(indices.dtype, offsets.dtype)
    check_dtype(int64, int32, indices=indices.contiguous(dtype=integer))
    check_dtype(*FLOATS, weight=weight)
    _check_mode(mode)
    if per_sample_weights is not None:
        _check_is_sum(mode)
        check_same_dtype(weight=weight, per_sample_weights=per_sample_weights)
        check_same_size(indices=indices, per_sample_weights=per_sample_weights)
    if include_last_offset and not offsets.numel:
        raise RuntimeError("include_last_offset: number of offsets should be at least 1")
    bags = offsets.sizes[0] - include_last_offset
    fast = mode == SUM and padding_idx < 0 and weight.dtype is not float64 and weight.strides[1] == 1
    if per_sample_weights is not None and per_sample_weights.strides[0] != 1:
        fast = False
    output = weight.contiguous((bags, weight.sizes[1]))
    return (
        output,
        indices.contiguous((0,) if fast else indices.sizes, integer),
        indices.contiguous((bags,), integer),
        indices.contiguous(output.sizes if mode == MAX else (bags,), integer),
    )


def _bags_of(offsets: Sequence[Any], bags: int, count: int) -> list[int]:
    """The bag of each of ``count`` positions of ``indices``: the number of offsets not greater than the
    position, minus one.  The offsets need not be sorted.
    """
    starts = sorted(offsets[:bags])
    return [bisect.bisect_right(starts, position) - 1 for position in range(count)]


def _bag_kernel(
    output: Tensor,
    offset2bag: Tensor,
    bag_size: Tensor,
    maximum_indices: Tensor,
    weight: Tensor,
    indices: Tensor,
    offsets: Tensor,
    scale_grad_by_freq: bool,
    mode: int,
    sparse: bool,
    per_sample_weights: Tensor | None,
    include_last_offset: bool,
    padding_idx: int,
) -> None:
    table, out, rows = TensorAccessor(weight), TensorAccessor(output), elements(indices)
    bags, width = out.sizes
    starts: list[Any] = elements(offsets)
    scales = None if per_sample_weights is None else elements(per_sample_weights)
    if starts and (starts[0] != 0 or starts[-1] > len(rows)):
        raise RuntimeError(
            f"offsets have to go from 0 to at most {len(rows)}, the length of the input, but go from "
            f"{starts[0]} to {starts[-1]}"
        )
    for start in starts:
        if start < 0:
            raise IndexError(f"embedding_bag: offset {start} is out of range: offsets begin at 0")
    held: list[list[int]] = [[] for _ in range(bags)]
    where = _bags_of(starts, bags, len(rows))
    sizes = [end - start for start, end in zip(starts, [*starts[1:bags], len(rows)])]  # may be negative
    for position, row in enumerate(rows if bags else []):
        if not 0 <= row < table.sizes[0]:
            raise RuntimeError(
                f"Index {position} of input takes value {row} which is not in the valid range [0, "
                f"{table.sizes[0]})"
            )
        if row == padding_idx:
            sizes[where[position]] -= 1
        else:
            held[where[position]].append(position)
    _store(offset2bag, where)
    _store(bag_size, [0] * bags if mode == SUM else sizes)
    if mode != MAX:
        _store(maximum_indices, [0] * bags if mode == SUM else sizes)
    for bag, positions in enumerate(held):
        for column in range(width):
            numbers: list[Any] = [table[rows[position], column] for position in positions]
            if mode == MAX:
                best = 0
                for number in range(1, len(numbers)):
                    if numbers[number] > numbers[best]:
                        best = number
                out[bag, column] = numbers[best] if numbers else 0.0
                chosen = rows[positions[best]] if numbers else 0
                TensorAccessor(maximum_indices)[bag, column] = chosen
                continue
            if scales is not None:
                numbers = [number * scales[position] for number, position in zip(numbers, positions)]
            total = exact_sum(numbers)
            out[bag, column] = total / max(sizes[bag], 1) if mode == MEAN else total


def _store(tensor: Tensor, numbers: Sequence[Any]) -> None:
    """Writes ``numbers`` to the tensor, as many as it has elements."""
    accessor = TensorAccessor(tensor)
    for offset, number in zip(accessor.offsets(), numbers):
        accessor.write(offset, number)


def _bag_grad(
    grad: Any,
    indices: Any,
    offsets: Any,
    weight_sizes: Any,
    scale_grad_by_freq: bool,
    mode: int,
    sparse: bool,
    per_sample_weights: Any,
    padding_idx: int,
    result1: Any,
    result2: Any,
    result3: Any,
) -> Any:
    found = (result1, result2, result3, weight_sizes[0])
    options = (scale_grad_by_freq, mode, sparse, per_sample_weights, padding_idx)
    return aten._embedding_bag_backward.default(grad, indices, offsets, *found, *options)


def _linear_arguments(weight: Any, indices: Any, offsets: Any, by_frequency: Any, mode: int, *_: Any) -> Any:
    """Sums and means are linear in the rows and in their weights; maxima are not linear."""
    return () if mode == MAX else ("weight", "per_sample_weights")


_ARGUMENTS = (
    "Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, bool "
    "sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False"
)
_RESULTS = "(Tensor, Tensor, Tensor, Tensor)"

native_function(
    f"_embedding_bag({_ARGUMENTS}, int padding_idx=-1) -> {_RESULTS}",
    meta=_bag_meta,
    kernel=_bag_kernel,
    derivatives={
        "weight": _bag_grad,
        "per_sample_weights": lambda grad, weight, indices, offsets, mode, padding_idx, result1: (
            aten._embedding_bag_per_sample_weights_backward.default(
                grad, weight, indices, offsets, result1, mode, padding_idx
            )
        ),
    },
    linear=_linear_arguments,
    non_differentiable_outputs=(1, 2, 3),
    doc="""Returns the sum (``mode`` 0), mean (1) or maximum (2) of the rows of ``weight`` in each bag; also
    the bag of each index, the number of rows in each bag, and the indices of the maxima.

    ``per_sample_weights`` scale the rows of a sum; the row ``padding_idx`` is ignored; with
    ``include_last_offset``, the last offset is the end of the last bag.  Raises RuntimeError for an index out
    of range.""",
)


def _embedding_bag(
    weight: Any,
    indices: Any,
    offsets: Any,
    scale_grad_by_freq: bool,
    mode: int,
    sparse: bool,
    per_sample_weights: Any,
    include_last_offset: bool,
    padding_idx: int | None,
) -> Any:
    row = -1
    if padding_idx is not None:
        count = weight.size(0)
        if not -count <= padding_idx < count:
            raise RuntimeError(
                f"padding_idx must be within the number of embeddings, -{count} through {count - 1}, but got "
                f"{padding_idx}"
            )
        row = padding_idx % count
    options = (scale_grad_by_freq, mode, sparse, per_sample_weights, include_last_offset, row)
    return aten._embedding_bag.default(weight, indices, offsets, *options)


native_function(
    f"embedding_bag({_ARGUMENTS}) -> {_RESULTS}",
    composite=lambda *arguments: aten._embedding_bag.default(*arguments, -1),
    doc="Returns the sums, means or maxima of bags of rows of ``weight``; see _embedding_bag.",
)

native_function(
    "embedding_bag.padding_idx(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq, int "
    "mode, bool sparse, Tensor? per_sample_weights, bool include_last_offset, int? padding_idx) -> "
    f"{_RESULTS}",
    composite=_embedding_bag,
    doc="Returns the sums, means or maxima of bags of rows of ``weight``, ignoring the row ``padding_idx``.",
)


# ---------------------------------------------------------------------------------------------------------
# Gradients.


def _check_bags(grad: Spec, indices: Spec, offset2bag: Spec) -> None:
    """Raises RuntimeError unless each index has a bag and each bag has a gradient."""
    check_dim(1, indices=indices)
    check_same_size(indices=indices, offset2bag=offset2bag)
    if indices.numel and not grad.sizes[0]:
        raise RuntimeError(
            f"Expected grad to have a row for each bag of {indices.numel} indices, but got none"
        )


def _dense_meta(
    grad: Spec,
    indices: Spec,
    offset2bag: Spec,
    bag_size: Spec,
    maximum_indices: Spec,
    num_weights: int,
    scale_grad_by_freq: bool,
    mode: int,
    per_sample_weights: Spec | None,
    padding_idx: int,
) -> Spec:
    check_dim(2, grad=grad)
    _check_mode(mode)
    _check_bags(grad, indices, offset2bag)
    if mode == MAX:
        check_same_size(grad=grad, maximum_indices=maximum_indices)
        check_same_dtype(indices=indices, maximum_indices=maximum_indices)
    else:
        check_same_dtype(indices=indices, offset2bag=offset2bag)
    if mode != SUM:
        check_size(grad.sizes[:1], bag_size=bag_size)
    if mode == MEAN:
        check_same_dtype(indices=indices, bag_size=bag_size)
    check_same_size(indices=indices, per_sample_weights=per_sample_weights)
    check_same_dtype(grad=grad, per_sample_weights=per_sample_weights)
    return grad.contiguous((num_weights, grad.sizes[1]))


def _check_numbers(what: str, found: Iterable[Any], count: int) -> None:
    """Raises IndexError for a number outside 0 … ``count`` - 1, the rows or bags."""
    for number in found:
        if not 0 <= number < count:
            raise IndexError(f"embedding_bag: {what} {number} is out of range: there are {count}")


def _dense_kernel(
    output: Tensor,
    grad: Tensor,
    indices: Tensor,
    offset2bag: Tensor,
    bag_size: Tensor,
    maximum_indices: Tensor,
    num_weights: int,
    scale_grad_by_freq: bool,
    mode: int,
    per_sample_weights: Tensor | None,
    padding_idx: int,
) -> None:
    """Each row's gradient is the sum of the gradients of its uses, scaled as in the forward pass."""
    gradients, out = TensorAccessor(grad), TensorAccessor(output)
    sizes: list[Any] = elements(bag_size)
    terms: dict[tuple[int, int], list[Any]] = {}
    width = out.sizes[1]
    if mode == MAX:
        chosen = TensorAccessor(maximum_indices)
        for bag, size in enumerate(sizes):
            for column in range(width if size else 0):
                row: Any = chosen[bag, column]
                _check_numbers("row", [row], num_weights)
                terms.setdefault((row, column), []).append(gradients[bag, column])
    else:
        rows: list[Any] = elements(indices)
        bags: list[Any] = elements(offset2bag)
        held = [(row, bag) for row, bag in zip(rows, bags) if row != padding_idx]
        _check_numbers("row", (row for row, _ in held), num_weights)
        _check_numbers("bag", (bag for _, bag in held), grad._spec.sizes[0])
        uses = Counter(rows)
        scales = None if per_sample_weights is None else elements(per_sample_weights)
        for position, (row, where) in enumerate(zip(rows, bags)):
            if row == padding_idx:
                continue
            scale: Any = 1.0 / uses[row] if scale_grad_by_freq else 1.0
            if mode == MEAN:
                scale = divide(scale, sizes[where])
            if scales is not None:
                scale *= scales[position]
            for column in range(width):
                terms.setdefault((row, column), []).append(gradients[where, column] * scale)
    for row in range(num_weights):
        for column in range(width):
            out[row, column] = exact_sum(terms.get((row, column), []))


native_function(
    "_embedding_bag_dense_backward(Tensor grad, Tensor indices, Tensor offset2bag, Tensor bag_size, Tensor "
    "maximum_indices, SymInt num_weights, bool scale_grad_by_freq, int mode, Tensor? per_sample_weights, int "
    "padding_idx=-1) -> Tensor",
    meta=_dense_meta,
    kernel=_dense_kernel,
    doc="The gradient of _embedding_bag with respect to weight, from the bag of each index.",
)


def _offset2bag(indices: Any, offsets: Any) -> Any:
    """The bag of each index: the number of offsets not greater than its position, minus one."""
    positions = aten.arange(indices.size(0), dtype=offsets.dtype, device=offsets.device)
    return (offsets.unsqueeze(1) <= positions).sum(0) - 1


def _bag_backward(
    grad: Any,
    indices: Any,
    offsets: Any,
    offset2bag: Any,
    bag_size: Any,
    maximum_indices: Any,
    num_weights: int,
    scale_grad_by_freq: bool,
    mode: int,
    sparse: bool,
    per_sample_weights: Any,
    padding_idx: int,
) -> Any:
    if indices.numel() and not offset2bag.numel():
        offset2bag = _offset2bag(indices, offsets)
    if sparse:
        rows = grad.index_select(0, offset2bag)
        if mode == MEAN:
            rows = rows / bag_size.index_select(0, offset2bag).unsqueeze(1)
        if per_sample_weights is not None:
            rows = rows * per_sample_weights.unsqueeze(1)
        return aten.embedding_sparse_backward.default(
            rows, indices, num_weights, padding_idx, scale_grad_by_freq
        )
    return aten._embedding_bag_dense_backward.default(
        grad,
        indices,
        offset2bag,
        bag_size,
        maximum_indices,
        num_weights,
        scale_grad_by_freq,
        mode,
        per_sample_weights,
        padding_idx,
    )


native_function(
    "_embedding_bag_backward(Tensor grad, Tensor indices, Tensor offsets, Tensor offset2bag, Tensor "
    "bag_size, Tensor maximum_indices, SymInt num_weights, bool scale_grad_by_freq, int mode, bool sparse, "
    "Tensor? per_sample_weights, int padding_idx=-1) -> Tensor",
    explicit=_bag_backward,
    doc="The gradient of _embedding_bag with respect to weight.",
)


def _samples_meta(
    grad: Spec, weight: Spec, indices: Spec, offsets: Spec, offset2bag: Spec, mode: int, padding_idx: int
) -> Spec:
    _check_is_sum(mode)
    check_dim(2, grad=grad, weight=weight)
    check_size_at(1, grad.sizes[1], weight=weight)
    _check_bags(grad, indices, offset2bag if offset2bag.numel else indices)
    check_same_dtype(grad=grad, weight=weight)
    check_dim(1, offsets=offsets)
    if offset2bag.numel:
        check_same_dtype(offsets=offsets, offset2bag=offset2bag)
    return grad.contiguous(indices.sizes)


def _samples_kernel(
    output: Tensor,
    grad: Tensor,
    weight: Tensor,
    indices: Tensor,
    offsets: Tensor,
    offset2bag: Tensor,
    mode: int,
    padding_idx: int,
) -> None:
    """The dot product of the bag's gradient and the row."""
    gradients, table = TensorAccessor(grad), TensorAccessor(weight)
    starts: list[Any] = elements(offsets)
    count = indices._spec.numel
    bags: list[Any] = elements(offset2bag) or _bags_of(starts, gradients.sizes[0], count)
    products = []
    for position, row in enumerate(elements(indices)):
        bag = bags[position]
        if row != padding_idx:
            _check_numbers("row", [row], table.sizes[0])
            _check_numbers("bag", [bag], gradients.sizes[0])
        columns = range(0 if row == padding_idx else table.sizes[1])
        products.append(exact_sum([gradients[bag, column] * table[row, column] for column in columns]))
    _store(output, products)


native_function(
    "_embedding_bag_per_sample_weights_backward(Tensor grad, Tensor weight, Tensor indices, Tensor offsets, "
    "Tensor offset2bag, int mode, int padding_idx=-1) -> Tensor",
    meta=_samples_meta,
    kernel=_samples_kernel,
    doc="The gradient of _embedding_bag with respect to per_sample_weights.",
)


# ---------------------------------------------------------------------------------------------------------
# embedding_renorm_.


def _renorm(self: Any, indices: Any, max_norm: float, norm_type: float) -> Any:
    """Scales each used row whose norm exceeds ``max_norm`` down to it."""
    check_dim(2, self=self)
    check_dtype(int64, int32, indices=indices)
    if self._spec.dtype.category < 2:
        raise RuntimeError(
            f"norm(): input dtype should be either floating point or complex. Got {self.dtype.name} instead."
        )
    if self.is_meta:
        return self
    used = aten._unique2.default(indices, True, False, False)[0]
    rows = self[used]
    if rows.numel():
        wide = complex128 if self.is_complex() else float64
        norms = aten.linalg_vector_norm.default(rows, norm_type, [1], False, dtype=wide)
        is_long = norms > max_norm
        factors = max_norm / (norms[is_long] + 1e-7)
        # write through an alias with its own version counter: the caller increments that of self, once
        table = make_tensor(self._spec, self.untyped_storage(), self._storage_offset)
        table[used[is_long]] = (rows[is_long] * factors.unsqueeze(1)).to(self.dtype)
    return self


native_function(
    "embedding_renorm_(Tensor(a!) self, Tensor indices, float max_norm, float norm_type) -> Tensor(a!)",
    explicit=_renorm,
    variants="function",
    doc="""Scales in place each row of ``self`` that occurs in ``indices`` and whose ``norm_type``-norm
    exceeds ``max_norm``, by ``max_norm / (norm + 1e-7)``.""",
)
