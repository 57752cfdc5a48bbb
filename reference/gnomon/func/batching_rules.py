"""Batching rules: how one operator call on all examples gives the same result as a call on each example.

Most rules are derived.  A pointwise operator is called on operands whose batch dimensions are aligned
(``pointwise``); one that works along given dimensions is called with these shifted by one (``along``); one
that accepts any leading dimensions is called as it is (``leading``); a layer that takes (N, C, *) is called
with the batch folded into N (``folded``, in batching_rules_nn.py).  If it can not be derived, the operator's
record says which of these applies (calls/record.py).  All other rules are written here, under the name of the
operator.

A rule is called with the operator, the batch and the arguments, and returns values.  The operator's own meta
function determines the sizes of one example's results: it is called first, so that invalid arguments raise
the same errors as for one example.

Source: aten/src/ATen/functorch/BatchRules*.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..calls import launch
from ..calls.checks import check_matrices
from ..calls.outputs import check_inplace_sizes
from ..calls.running import meta_result
from ..dispatch.dispatcher import OpOverload, aten
from ..memory.spec import Spec
from ..memory.tensor import Tensor
from ..values import geometry
from ..values.device import channels_last, channels_last_3d, strided
from ..values.dtype import LIMITED
from ..values.geometry import wrap_dim
from . import batching, batching_rules_nn, batching_rules_random
from .batching import Batch, NoRule, Rule, rule_of, wrap

# -- pointwise -------------------------------------------------------------------------------------------


def _is_pointwise(plan: Any) -> bool:
    return plan.iterator is not None and not plan.iterator.is_reduction


def _lined_up(batch: Batch, value: Any, rank: int) -> Any:
    """A tensor's value, with dimensions of size 1 inserted after the batch: ``rank`` for an example."""
    if not batch.has(value):
        return value
    examples = value.value
    missing = rank - value._spec.ndim
    if missing <= 0:
        return examples
    sizes = examples._spec.sizes
    return aten.view.default(examples, (sizes[0], *[1] * missing, *sizes[1:]))


def pointwise(operator: OpOverload, batch: Batch, arguments: Sequence[Any], plan: Any) -> Any:
    """A pointwise operator: itself, on operands that are aligned so that they broadcast like the examples.

    In type promotion a 0-dim tensor ranks below one with dimensions, but its values have a batch dimension:
    if there is one, the values are converted to the dtypes to which the operator converts the examples.
    """
    base = operator.record.base or operator
    operands = [position for position in base.tensor_positions if arguments[position] is not None]
    rank = max(_rank(arguments[position]) for position in operands)
    convert = any(
        batch.has(arguments[position]) and not arguments[position]._spec.ndim for position in operands
    )
    wanted = iter(plan.iterator.operands[plan.iterator.output_count :])
    values = list(arguments)
    for position in operands:
        value = _lined_up(batch, arguments[position], rank)
        operand = next(wanted)
        writes = operator is not base and position == 0
        if convert and isinstance(value, Tensor) and value._spec.dtype is not operand.dtype and not writes:
            value = value.to(operand.dtype)
        values[position] = value
    return operator(*values)


def _rank(value: Any) -> int:
    return value._spec.ndim if isinstance(value, Tensor) else 0


# -- results ---------------------------------------------------------------------------------------------


def shaped(batch: Batch, result: Any, expected: Sequence[Spec | None]) -> Any:
    """An operator's results, reshaped to the batch followed by the sizes of one example's results."""
    if isinstance(result, (tuple, list)):
        return tuple(
            each if spec is None else shaped(batch, each, [spec]) for each, spec in zip(result, expected)
        )
    if result is None or expected[0] is None:
        return result
    sizes = (batch.size, *expected[0].sizes)
    return result if result._spec.sizes == sizes else aten.reshape.default(result, sizes)


# -- along dimensions ------------------------------------------------------------------------------------

_DIMS = frozenset({"dim", "dims", "dim0", "dim1", "dim2", "dimension"})
_ONE_MORE = frozenset({"unsqueeze", "diag_embed"})  # dimensions refer to the result


def _moved_dims(value: Any, rank: int) -> Any:
    """Dimensions of one example as dimensions of the values."""
    if isinstance(value, (tuple, list)):
        return tuple(wrap_dim(each, rank) + 1 for each in value)
    return wrap_dim(value, rank) + 1


def along(
    operator: OpOverload, batch: Batch, arguments: Sequence[Any], expected: Sequence[Spec | None] | None
) -> Any:
    """An operator along dimensions: itself, along the dimensions shifted by one.

    All its tensors are batched; a 0-dim tensor gets a dimension of size 1.
    """
    tensors = list(operator.tensors(arguments))
    rank = max(each._spec.ndim for each in tensors)
    if not rank and (expected is None or operator.schema.name == "topk"):
        raise NoRule
    if operator.schema.name == "cat" and all(each._spec.sizes == (0,) for each in tensors):
        return aten.clone.default(batch.front(tensors[0]), None)  # the same for any dim
    values: list[Any] = []
    for argument, given in zip(operator.schema.arguments, arguments):
        if argument.is_tensor:
            values.append(_with_dimension(batch, given))
        elif argument.name in _DIMS and argument.type in ("int", "SymInt"):
            if given is None or (argument.is_list and not len(given)):
                values.append(_all_dims(operator, argument, given, rank, tensors[0], expected))
            else:
                values.append(_moved_dims(given, (rank or 1) + (operator.schema.name in _ONE_MORE)))
        else:
            values.append(given)
    result = operator(*values)
    return result if expected is None else shaped(batch, result, expected)


def along_copy(operator: OpOverload, batch: Batch, arguments: Sequence[Any]) -> Any:
    """Like ``along``, for an operator whose result needs no reshape."""
    return along(operator, batch, arguments, None)


def _with_dimension(batch: Batch, value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        examples = [_with_dimension(batch, each) for each in value]
        # cat ignores tensors of sizes (0,), whatever the sizes of the others
        most = max((each._spec.ndim for each in examples), default=0)
        return [each for each in examples if each._spec.ndim == most or each._spec.sizes[1:] != (0,)]
    examples = batch.front(value)
    if isinstance(examples, Tensor) and examples._spec.ndim == 1:
        return aten.unsqueeze.default(examples, 1)
    return examples


def _all_dims(
    operator: OpOverload, argument: Any, given: Any, rank: int, first: Tensor, expected: Any
) -> tuple[int, ...]:
    """The dimensions for an omitted ``dim``: all of one example's, if the operator means that."""
    if not argument.is_list or expected is None:
        raise NoRule
    if operator.schema.name == "flip":
        return ()
    sizes = expected[0].sizes
    if given is not None and rank and sizes == first._spec.sizes and first._spec.numel != 1:
        raise NoRule  # it means no dimension
    return tuple(range(1, max(rank, 1) + 1))


def _over_all(operator: OpOverload, batch: Batch, arguments: Sequence[Any], expected: Any) -> Any:
    """Reductions over all elements, such as argmax, median, sum: along one flattened dimension."""
    self, *others = arguments
    flat = aten.reshape.default(batch.front(self), (batch.size, self._spec.numel))
    name = operator.schema.name
    if name in ("sum", "mean"):
        along_one = aten.sum.dim_IntList if name == "sum" else aten.mean.dim
        return along_one(flat, (1,), False, *others)
    if not flat._spec.numel:
        raise NoRule
    if name in ("max", "min"):
        return getattr(aten, f"a{name}").default(flat, (1,), False)
    if name in ("median", "nanmedian"):
        return getattr(aten, name).dim(flat, 1, False)[0]
    values = [
        1 if argument.name == "dim" else False if argument.name == "keepdim" else given
        for argument, given in zip(operator.schema.arguments, arguments)
    ]
    return shaped(batch, operator(flat, *values[1:]), expected)


def leading(operator: OpOverload, batch: Batch, arguments: Sequence[Any]) -> Any:
    """An operator that accepts any leading dimensions: itself."""
    if arguments[0]._spec.ndim < operator.record.batching.ndim:
        raise NoRule  # the fallback raises the error
    formats = (channels_last, channels_last_3d)
    if any(each is format for each in arguments for format in formats):
        # these memory formats need four or five dimensions: fold the batch into the first dimension
        value = arguments[0].value
        result = operator(aten.flatten.using_ints(value, 0, 1), *arguments[1:])
        return aten.unflatten.int(result, 0, value._spec.sizes[:2])
    results = operator(*[batch.front(each) for each in arguments])
    if not isinstance(results, tuple) or not batch.size:
        return results
    # a result that was not asked for has sizes (0,), whatever the leading dimensions
    return tuple(
        aten.new_empty.default(each, (batch.size, 0)) if each._spec.sizes == (0,) else each
        for each in results
    )


# -- views -----------------------------------------------------------------------------------------------


def view(operator: OpOverload, batch: Batch, arguments: Sequence[Any]) -> Any:
    """A view operator: itself on the values, with shifted dimensions."""
    expected = operator.record.view(*launch.specs_of(arguments))
    name = operator.schema.name
    self = arguments[0]
    examples, rank = self.value, self._spec.ndim
    if name in ("detach", "alias", "view_as_real"):
        return operator(examples)
    if name == "_as_strided":
        size, stride, offset = arguments[1:]
        _check_reach(self._spec, size, stride, examples._storage_offset, offset)
        steps = (examples._spec.strides[0], *stride)
        return aten.as_strided.default(
            examples, (batch.size, *size), steps, examples._storage_offset + offset
        )
    if operator.name == "squeeze.dims" and not len(arguments[1]):
        return aten.alias.default(examples)
    if isinstance(expected, list):
        expected = None
    else:
        sizes = (batch.size, *expected[0].sizes)
        if name == "unfold" and not rank:  # the window is the element, or empty
            return aten.slice.Tensor(aten.unsqueeze.default(examples, 1), 1, 0, arguments[2], 1)
        if name == "view" or (not rank and name != "expand"):
            return aten.view.default(examples, sizes)
        if name == "expand":
            return aten.expand.default(_lined_up(batch, self, len(sizes) - 1), sizes, False)
        if name == "t":
            return aten.transpose.int(examples, 1, 2) if rank == 2 else aten.alias.default(examples)
        if name == "permute":
            return operator(examples, (0, *_moved_dims(arguments[1], rank)))
        if operator.name == "squeeze":
            ones = tuple(dim for dim in range(1, rank + 1) if examples._spec.sizes[dim] == 1)
            return aten.squeeze.dims(examples, ones)
    return along(operator, batch, arguments, None)


def _check_reach(spec: Spec, size: Sequence[int], stride: Sequence[int], start: int, offset: int) -> None:
    """Raises RuntimeError if as_strided of one example would access the memory of others."""
    reach = offset + geometry.extent(tuple(size), tuple(stride))
    extent = geometry.extent(spec.sizes, spec.strides)
    if geometry.numel_of(size) and (offset < 0 or reach > extent):
        raise RuntimeError(
            f"result = tensor.as_strided({list(size)}, {list(stride)}, {start + offset}) can access memory "
            f"outside of `tensor`: it can access memory in range [{start + offset}, {start + reach - 1}], "
            f"but an example of sizes {list(spec.sizes)} and strides {list(spec.strides)} only in range "
            f"[{start}, {start + extent - 1}]. This is not supported inside of vmap, please try to rewrite "
            "the `as_strided` call as a sequence of view operations"
        )


# -- backward of views, and copying variants -------------------------------------------------------------


def sized(operator: OpOverload, batch: Batch, arguments: Sequence[Any]) -> Any:
    """An operator with the sizes and a dimension of its result as arguments: both are adapted."""
    rank = len(arguments[1])
    if not rank:
        raise NoRule
    values: list[Any] = [batch.front(arguments[0]), (batch.size, *arguments[1])]
    for argument, given in zip(operator.schema.arguments[2:], arguments[2:]):
        values.append(_moved_dims(given, rank) if argument.name in _DIMS else given)
    return operator(*values)


@rule_of("slice_scatter", "select_scatter", "diagonal_scatter")
def _view_scatter(operator: OpOverload, batch: Batch, arguments: Sequence[Any]) -> Any:
    """``src`` gets no dimension, so that sizes that do not fit do not fit under vmap, either."""
    self, src, *others = arguments
    if not self._spec.ndim:
        raise NoRule  # which raises
    named = zip(operator.schema.arguments[2:], others)
    moved = [_moved_dims(given, self._spec.ndim) if each.name in _DIMS else given for each, given in named]
    return operator(batch.front(self), batch.front(src), *moved)


@rule_of("as_strided_scatter")
def _as_strided_scatter(operator: OpOverload, batch: Batch, arguments: Sequence[Any]) -> Any:
    self, src, size, stride, offset = arguments
    spec = self._spec
    if not spec.is_contiguous:
        raise NoRule  # the batch may not have a stride of its own
    examples = aten.contiguous.default(batch.front(self), None)
    start = 0 if offset is None else offset - self._storage_offset
    steps = (spec.numel, *stride)
    place = examples._storage_offset + start
    return operator(examples, batch.front(src), (batch.size, *size), steps, place)


@rule_of("repeat")
def _repeat(operator: OpOverload, batch: Batch, arguments: Sequence[Any]) -> Any:
    self, repeats = arguments
    if len(repeats) < self._spec.ndim:
        raise NoRule  # the fallback raises the error
    return operator(_lined_up(batch, self, len(repeats)), (1, *repeats))


@rule_of("stack")
def _stack(operator: OpOverload, batch: Batch, arguments: Sequence[Any]) -> Any:
    tensors, dim = arguments
    place = _moved_dims(dim, tensors[0]._spec.ndim + 1)
    return operator([batch.front(each) for each in tensors], place)


@rule_of("roll")
def _roll(operator: OpOverload, batch: Batch, arguments: Sequence[Any]) -> Any:
    self, shifts, dims = arguments
    if len(dims):
        return along(operator, batch, arguments, None)
    flat = aten.reshape.default(self.value, (batch.size, self._spec.numel))
    if len(shifts) != 1:
        raise NoRule
    return aten.reshape.default(operator(flat, shifts, (1,)), self.value._spec.sizes)


# -- in-place operators ----------------------------------------------------------------------------------


def inplace(operator: OpOverload, batch: Batch, arguments: Sequence[Any]) -> Any:
    """The in-place variant: itself if pointwise, else the base's result copied to the values."""
    base = operator.record.base
    self = arguments[0]
    if base.record.meta is not None:
        plan = meta_result(base, arguments)
        check_inplace_sizes(operator.schema.name, self._spec, plan.output_specs[0])
        if _is_pointwise(plan) and base.schema.name not in _NOT_POINTWISE:
            return pointwise(operator, batch, arguments, plan)
    rule = find_rule(base)
    result = batching.fallback(base, batch, arguments) if rule is None else rule(base, batch, arguments)
    return aten.copy_.default(self.value, result, False)


@rule_of("copy")
def _copy(operator: OpOverload, batch: Batch, arguments: Sequence[Any]) -> Any:
    self, src, non_blocking = arguments
    made = aten.clone.default(batch.front(self), None)
    return _copy_(aten.copy_.default, batch, (wrap(made, batch.number), src, non_blocking))


@rule_of("copy_")
def _copy_(operator: OpOverload, batch: Batch, arguments: Sequence[Any]) -> Any:
    self, src, *others = arguments
    if isinstance(src, Tensor) and src._spec.ndim > self._spec.ndim:
        geometry.check_expandable(src._spec.sizes, self._spec.sizes)
    return operator(self.value, _lined_up(batch, src, self._spec.ndim), *others)


@rule_of("fill_.Scalar", "fill_.Tensor")
def _fill_(operator: OpOverload, batch: Batch, arguments: Sequence[Any]) -> Any:
    self, value = arguments
    if not batch.has(value):
        return operator(self.value, value)
    if value._spec.ndim:
        raise NoRule  # the fallback raises the error
    return aten.copy_.default(self.value, _lined_up(batch, value, self._spec.ndim), False)


@rule_of("fill.Tensor")
def _fill(operator: OpOverload, batch: Batch, arguments: Sequence[Any]) -> Any:
    self, value = arguments
    if not batch.has(value):
        return operator(self.value, value)
    if value._spec.ndim:
        raise NoRule  # the fallback raises the error
    made = aten.empty_like(batch.front(self))
    return aten.copy_.default(made, _lined_up(batch, value, self._spec.ndim), False)


@rule_of("_local_scalar_dense")
def _no_number(operator: OpOverload, batch: Batch, arguments: Sequence[Any]) -> Any:
    raise RuntimeError(
        "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling .item() "
        "on a Tensor, please try to rewrite what you're doing with other operations: each example has its "
        "own number."
    )


def _no_dynamic_shape(operator: OpOverload, batch: Batch, arguments: Sequence[Any]) -> Any:
    raise RuntimeError(
        "vmap: We do not support batching operators that can output dynamic shape. Attempted to vmap over "
        f"aten::{operator.name}, whose result has different sizes for different examples."
    )


@rule_of("masked_select")
def _masked_select(operator: OpOverload, batch: Batch, arguments: Sequence[Any]) -> Any:
    """If all examples share the mask, the results have the same sizes."""
    self, mask = arguments
    if batch.has(mask):
        return _no_dynamic_shape(operator, batch, arguments)
    sizes = geometry.broadcast_sizes(self._spec.sizes, mask._spec.sizes)
    examples = aten.expand.default(_lined_up(batch, self, len(sizes)), (batch.size, *sizes), False)
    flat = aten.reshape.default(examples, (batch.size, geometry.numel_of(sizes)))
    places = aten.nonzero.default(aten.reshape.default(mask.expand(sizes), (-1,)))
    return aten.index_select.default(flat, 1, aten.squeeze.dim(places, 1))


# -- products --------------------------------------------------------------------------------------------


@rule_of("mm", "bmm")
def _product(operator: OpOverload, batch: Batch, arguments: Sequence[Any]) -> Any:
    """mm and bmm: matmul, which accepts any leading dimensions."""
    one, other = (batch.value(each) for each in arguments)
    if one._spec.layout is not strided or other._spec.layout is not strided:
        return _product_of_sparse(batch, arguments)
    if batch.has(arguments[0]) != batch.has(arguments[1]) and arguments[0]._spec.ndim == 3:
        one, other = (batch.front(each) for each in arguments)
    return aten.matmul.default(one, other)


def _product_of_sparse(batch: Batch, arguments: Sequence[Any]) -> Any:
    """A sparse matrix, which all examples share, times a matrix with the columns (or rows) of all of them."""
    one, other = arguments
    rows, columns = one._spec.sizes[0], other._spec.sizes[1]
    if batch.has(other):
        inner = other._spec.sizes[0]
        beside = aten.reshape.default(batch.front(other).permute(1, 0, 2), (inner, batch.size * columns))
        product = aten.mm.default(batch.value(one), beside)
        return aten.reshape.default(product, (rows, batch.size, columns)).permute(1, 0, 2)
    inner = one._spec.sizes[1]
    below = aten.reshape.default(batch.front(one), (batch.size * rows, inner))
    return aten.reshape.default(aten.mm.default(below, batch.value(other)), (batch.size, rows, columns))


@rule_of("linalg_solve_triangular", "linalg_lu_solve", "linalg_ldl_solve")
def _linear_system(operator: OpOverload, batch: Batch, arguments: Sequence[Any]) -> Any:
    """Linear systems: the operator, whose batches broadcast, on matrices with equally many dimensions."""
    *matrices, right = arguments[: len(operator.tensor_positions)]
    rank = max(matrices[0]._spec.ndim, right._spec.ndim)
    if batch.has_any(matrices):  # the pivots have the sizes of their matrices
        fronts = [wrap(batch.front(each), batch.number) for each in matrices]
        matrices = [_lined_up(batch, each, rank - place) for place, each in enumerate(fronts)]
    return operator(*matrices, _lined_up(batch, right, rank), *arguments[len(operator.tensor_positions) :])


@rule_of("_linalg_check_errors")
def _check_errors(operator: OpOverload, batch: Batch, arguments: Sequence[Any]) -> Any:
    """The check of all examples, as of a batch."""
    info, api_name, _ = arguments
    return operator(batch.value(info), api_name, False)


@rule_of("addmm", "baddbmm", "addr")
def _added_product(operator: OpOverload, batch: Batch, arguments: Sequence[Any]) -> Any:
    """addmm, baddbmm and addr: the product and the sum as separate operators."""
    self, one, other, beta, alpha = arguments
    if operator.schema.name == "addr":
        values = [batch.value(each) for each in (one, other)]
        product = aten.mul.Tensor(
            aten.unsqueeze.default(values[0], -1), aten.unsqueeze.default(values[1], -2)
        )
    else:
        multiply = aten.mm.default if one._spec.ndim == 2 else aten.bmm.default
        if batch.has(one) or batch.has(other):
            product = _product(multiply, batch, (one, other))
        else:
            product = multiply(one, other)
    rank = meta_result(operator, arguments).output_specs[0].ndim
    scaled = product if alpha == 1 else aten.mul.Tensor(product, alpha)
    if beta == 0:  # self is ignored, even NaN
        return aten.add.Tensor(aten.zeros_like(_lined_up(batch, self, rank)), scaled, 1)
    kept = _lined_up(batch, self, rank)
    return aten.add.Tensor(kept if beta == 1 else aten.mul.Tensor(kept, beta), scaled, 1)


@rule_of("dot")
def _dot(operator: OpOverload, batch: Batch, arguments: Sequence[Any]) -> Any:
    one, other = (batch.front(each) for each in arguments)
    product = aten.matmul.default(aten.unsqueeze.default(one, 1), aten.unsqueeze.default(other, 2))
    return aten.reshape.default(product, (batch.size,))


# -- indexing --------------------------------------------------------------------------------------------


def _example_numbers(batch: Batch, like: Tensor, rank: int) -> Any:
    """The numbers of the examples, 0, 1, 2 …, followed by ``rank`` dimensions of size 1."""
    numbers = aten.arange.default(batch.size, None, None, like._spec.device, None)
    return aten.view.default(numbers, (batch.size, *[1] * rank))


def _as_index(batch: Batch, index: Any, sizes: Sequence[int], dim: int) -> Any:
    """An index of sizes (k) per example along ``dim``, expanded to ``sizes`` for gather and scatter."""
    examples = batch.front(index)
    if examples._spec.ndim == 1:
        examples = aten.unsqueeze.default(examples, 1)
    count = examples._spec.sizes[1]
    shape = [batch.size, *[1] * len(sizes)]
    shape[dim] = count
    wanted = [batch.size, *sizes]
    wanted[dim] = count
    index64 = aten.view.default(aten.contiguous.default(examples, None), tuple(shape)).long()
    return aten.expand.default(index64, tuple(wanted), False)


@rule_of("index_select")
def _index_select(operator: OpOverload, batch: Batch, arguments: Sequence[Any]) -> Any:
    self, dim, index = arguments
    if not self._spec.ndim:
        raise NoRule
    place = _moved_dims(dim, self._spec.ndim)
    if not batch.has(index):
        return operator(self.value, place, index)
    if not index._spec.ndim and not self._spec.ndim:
        raise NoRule
    if self._spec.dtype in LIMITED:  # gather takes none of them
        raise NoRule
    picked = aten.gather.default(
        batch.front(self), place, _as_index(batch, index, self._spec.sizes, place), sparse_grad=False
    )
    return picked


@rule_of("index_fill.int_Scalar", "index_fill.int_Tensor")
@rule_of("index_add", "index_copy", "index_reduce")
def _index_along(operator: OpOverload, batch: Batch, arguments: Sequence[Any]) -> Any:
    """index_add, index_copy, index_reduce, index_fill: the same, or scatter if the index is batched."""
    self, dim, index, source, *others = arguments
    if not self._spec.ndim:
        raise NoRule
    place = _moved_dims(dim, self._spec.ndim)
    is_fill = operator.schema.name == "index_fill"
    if not is_fill and _rank(source) != self._spec.ndim:
        raise NoRule
    if not batch.has(index):
        if is_fill and batch.has(source):
            raise NoRule
        values = source if is_fill else batch.front(source)
        return operator(batch.front(self), place, index, values, *others)
    where = _as_index(batch, index, self._spec.sizes, place)
    examples = batch.front(self)
    if is_fill:
        if isinstance(source, Tensor):
            raise NoRule
        return aten.scatter.value(examples, place, where, source)
    values = batch.front(source)
    if operator.schema.name == "index_copy":
        return aten.scatter.src(examples, place, where, values)
    if operator.schema.name == "index_reduce":
        reduce, include_self = others
        return aten.scatter_reduce.two(examples, place, where, values, reduce, include_self=include_self)
    alpha = others[0]
    return aten.scatter_add.default(examples, place, where, values if alpha == 1 else values * alpha)


def _lined_up_indices(batch: Batch, self: Tensor, indices: Sequence[Any]) -> tuple[Any, list[Any], int, int]:
    """For advanced indexing with batched indices: (values, indices, rank of the indices, position).

    The indexed dimensions are permuted to the front of the values, after the batch, so that the indices'
    dimensions come first in the result, whatever their order was.
    """
    dims = [dim for dim, index in enumerate(indices) if index is not None]
    rank = max(indices[dim]._spec.ndim for dim in dims)
    kept = [dim for dim in range(self._spec.ndim) if dim not in dims]
    adjacent = dims == list(range(dims[0], dims[-1] + 1))
    order = (0, *[dim + 1 for dim in (*dims, *kept)])
    values = aten.permute.default(batch.front(self), order)
    numbers = [_example_numbers(batch, self, rank)]
    numbers += [_lined_up(batch, indices[dim], rank) for dim in dims]
    return values, numbers, rank, dims[0] if adjacent else 0


@rule_of("_index")
def _index(operator: OpOverload, batch: Batch, arguments: Sequence[Any]) -> Any:
    self, indices = arguments
    if all(each is None for each in indices):
        return operator(self.value, [None, *indices])
    values, numbers, rank, place = _lined_up_indices(batch, self, indices)
    picked = aten.index.Tensor(values, numbers)
    if not place:
        return picked
    before = range(1 + rank, 1 + rank + place)
    after = range(1 + rank + place, picked._spec.ndim)
    return aten.permute.default(picked, (0, *before, *range(1, 1 + rank), *after))


@rule_of("_index_put")
def _index_put(operator: OpOverload, batch: Batch, arguments: Sequence[Any]) -> Any:
    self, indices, values, accumulate = arguments
    if all(each is None for each in indices):
        return operator(batch.front(self), [None, *indices], batch.front(values), accumulate)
    examples, numbers, rank, place = _lined_up_indices(batch, self, indices)
    given = batch.front(values)
    if place:
        before, own = range(1, 1 + place), range(1 + place, 1 + place + rank)
        given = aten.permute.default(given, (0, *own, *before, *range(1 + place + rank, given._spec.ndim)))
    written = aten.index_put.default(examples, numbers, given, accumulate)
    dims = [dim for dim, index in enumerate(indices) if index is not None]
    order = [*dims, *[dim for dim in range(self._spec.ndim) if dim not in dims]]
    back = [order.index(dim) + 1 for dim in range(self._spec.ndim)]
    return aten.permute.default(written, (0, *back))


@rule_of("take")
def _take(operator: OpOverload, batch: Batch, arguments: Sequence[Any]) -> Any:
    self, index = arguments
    if not batch.has(self):
        return operator(self, index.value)
    flat = aten.reshape.default(self.value, (batch.size, self._spec.numel))
    where = aten.reshape.default(batch.front(index), (batch.size, index._spec.numel))
    count = flat._spec.sizes[1]
    where = aten.where.self(where < 0, where + count, where)
    picked = aten.gather.default(flat, 1, where, sparse_grad=False)
    return aten.reshape.default(picked, (batch.size, *index._spec.sizes))


@rule_of("embedding")
def _embedding(operator: OpOverload, batch: Batch, arguments: Sequence[Any]) -> Any:
    weight, indices, *others = arguments
    if not batch.has(weight):
        return operator(weight, indices.value, *others)
    if others[0] >= 0:
        raise NoRule  # padding_idx is a different row of the joined weight for each example
    count, width = weight._spec.sizes
    rows = aten.reshape.default(weight.value, (batch.size * count, width))
    places = batch.front(indices) + _example_numbers(batch, weight, indices._spec.ndim) * count
    return operator(rows, places, *others)


@rule_of("embedding_dense_backward")
def _embedding_backward(operator: OpOverload, batch: Batch, arguments: Sequence[Any]) -> Any:
    grad, indices, count, padding, by_frequency = arguments
    examples = batch.front(indices)
    places = examples + _example_numbers(batch, indices, indices._spec.ndim) * count
    if padding >= 0:  # these go to an additional row, which is dropped
        places = aten.where.self(examples == padding, batch.size * count, places)
    rows = batch.size * count + (padding >= 0)
    summed = operator(batch.front(grad), places, rows, rows - 1 if padding >= 0 else -1, by_frequency)
    kept = aten.slice.Tensor(summed, 0, 0, batch.size * count, 1)
    return aten.view.default(kept, (batch.size, count, summed._spec.sizes[1]))


@rule_of("searchsorted.Tensor")
def _searchsorted(operator: OpOverload, batch: Batch, arguments: Sequence[Any]) -> Any:
    boundaries, self, *others = arguments
    sorter = others[-1]
    rows, wanted = batch.front(boundaries), batch.front(self)
    if boundaries._spec.ndim == 1:
        wanted = aten.reshape.default(wanted, (batch.size, geometry.numel_of(_sizes(self))))
    found = operator(rows, aten.contiguous.default(wanted, None), *others[:-1], batch.front(sorter))
    return aten.reshape.default(found, (batch.size, *_sizes(self)))


def _sizes(value: Any) -> tuple[int, ...]:
    return value._spec.sizes if isinstance(value, Tensor) else ()


@rule_of("_cdist_forward")
def _cdist(operator: OpOverload, batch: Batch, arguments: Sequence[Any]) -> Any:
    one, other, *others = arguments
    check_matrices("cdist", X1=one._spec, X2=other._spec)  # the batch dimension would hide this error
    rank = max(one._spec.ndim, other._spec.ndim)
    return operator(_lined_up(batch, one, rank), _lined_up(batch, other, rank), *others)


# -- new tensors like an example -------------------------------------------------------------------------


def _make_for_each(operator: OpOverload, batch: Batch, arguments: Sequence[Any]) -> Any:
    """new_zeros and similar: create a tensor for each example, so that each can be written to."""
    self, size, *others = arguments
    if operator.name == "new_empty_strided":
        others[0] = (geometry.extent(tuple(size), tuple(others[0])), *others[0])
    return operator(self.value, (batch.size, *size), *others)


# -- which rule ------------------------------------------------------------------------------------------

_NOT_POINTWISE = frozenset({"addr"})  # it uses a TensorIterator, too


def _derived(operator: OpOverload, batch: Batch, arguments: Sequence[Any]) -> Any:
    """The rule derived from the operator's record: pointwise, along dimensions, or none."""
    plan = meta_result(operator, arguments)
    if _is_pointwise(plan):
        return pointwise(operator, batch, arguments, plan)
    names = [argument.name for argument in operator.schema.arguments]
    over_all = operator.record.batching.rule == "over_all"
    if over_all and ("dim" not in names or arguments[names.index("dim")] is None):
        return _over_all(operator, batch, arguments, plan.output_specs)
    if operator.name in ("log_sigmoid_forward", "frexp.Tensor"):
        return shaped(batch, operator(*[batch.front(each) for each in arguments]), plan.output_specs)
    if _DIMS.intersection(names):
        return along(operator, batch, arguments, plan.output_specs)
    raise NoRule


# The rule for each ``batching`` of a record.  Those that are composed or random are handled before.
_RULES: dict[str, Rule] = {
    "along": along_copy,
    "dynamic_shape": _no_dynamic_shape,
    "folded": batching_rules_nn.folded,
    "for_each": _make_for_each,
    "leading": leading,
    "over_all": _derived,
    "sized": sized,
}

_found: dict[OpOverload, Rule | None] = {}


def find_rule(operator: OpOverload) -> Rule | None:
    """The batching rule of an operator, or None."""
    if operator not in _found:
        _found[operator] = _search(operator)
    return _found[operator]


def _search(operator: OpOverload) -> Rule | None:
    own = batching.written_out_rule(operator)
    if own is not None:
        return own
    record = operator.record
    if operator.schema.is_inplace and record.base is not None:
        return inplace
    if record.base is not None:
        return None
    if record.view is not None:
        return view
    rule = _RULES.get(record.batching.rule)
    if rule is None and record.meta is not None:
        return _derived
    return rule


def find_composition(operator: OpOverload) -> Any:
    """The ``explicit`` function of an operator that only calls other operators, else None."""
    return operator.record.explicit if operator.record.batching.rule == "composed" else None


batching.set_rules(find_rule, find_composition, batching_rules_random.find_random_rule)
