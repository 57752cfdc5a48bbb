"""The oracle: PyTorch, called with the same descriptions.  Imported only when PyTorch is needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from ..execution.runner import (
    SEED,
    compressed_parts,
    has_strides,
    held_values,
    is_compressed,
    layout_number,
    parameters,
    quantized,
    with_list_of_outputs,
)
from ..inputs.description import OPAQUE_LAYOUT, QUANTIZED_LAYOUTS, Specified, Stored


def _as_strided(self: Any, size: Any, stride: Any, storage_offset: int) -> Any:
    return torch.ops.aten.as_strided.default(self, size, stride, storage_offset + self.storage_offset())


def _grid_sampler_double_backward(
    grad_grad_input: Any, grad_grad_grid: Any, grad_output: Any, input: Any, grid: Any, *options: Any
) -> Any:
    *modes, mask = options
    with torch.enable_grad():
        leaves = [each.detach().requires_grad_() for each in (grad_output, input, grid)]
        backward = getattr(torch.ops.aten, f"grid_sampler_{input.ndim - 2}d_backward").default
        gradients = backward(*leaves, *modes, [True, True])
    pairs = [(one, two) for one, two in zip(gradients, (grad_grad_input, grad_grad_grid)) if two is not None]
    found = torch.autograd.grad(
        [each for each, _ in pairs], leaves, [each for _, each in pairs], materialize_grads=True
    )
    return tuple(each if wanted else None for each, wanted in zip(found, mask))


def _fused_rms_norm_backward(
    grad_out: Any, input: Any, shape: Any, rstd: Any, weight: Any, mask: Any
) -> tuple[Any, Any]:
    dims, outer = list(range(-len(shape), 0)), list(range(input.ndim - len(shape)))
    normalized = input * rstd
    scaled = grad_out if weight is None else grad_out * weight
    to_input = rstd * (scaled - normalized * (scaled * normalized).mean(dims, True))
    to_weight = (grad_out * normalized).sum(outer) if mask[1] else None
    if to_weight is not None:
        to_weight = to_weight.to(weight.dtype)
    return to_input.to(input.dtype).contiguous() if mask[0] else None, to_weight


def _masked_select(self: Any, mask: Any, size: int) -> Any:
    found = torch.ops.aten.masked_select.default(self, mask)
    if found.numel() != size:
        raise RuntimeError("another number of elements")
    return found


def _steps(batch_sizes: Sequence[int], reverse: bool) -> list[tuple[slice, slice]]:
    """The rows of each time step and of the one computed before it, in the order of computation."""
    starts = [sum(batch_sizes[:step]) for step in range(len(batch_sizes))]
    rows = [slice(start, start + count) for start, count in zip(starts, batch_sizes)]
    rows = rows[::-1] if reverse else rows
    return list(zip(rows, [slice(0, 0), *rows]))


def _opmath(*tensors: Any) -> list[Any]:
    return [each.float() if each is not None and each.itemsize == 2 else each for each in tensors]


def _blocked_convolution(
    input: Any, weight: Any, bias: Any, channels: int, stride: Any, padding: Any, dilation: Any
) -> Any:
    x = input.movedim(-1, 2).flatten(1, 2)[:, :channels]
    w = weight.permute(0, 5, 1, 4, 2, 3).flatten(0, 1).flatten(1, 2)[:, :channels]
    added = None if bias is None else bias.flatten()
    result = torch.nn.functional.conv2d(x, w, added, stride, padding, dilation)
    return result.unflatten(1, (-1, 8)).movedim(2, -1).contiguous()


def _csr_mm(values: Any, crow_indices: Any, col_indices: Any, mat2: Any) -> Any:
    sizes = (crow_indices.numel() - 1, mat2.shape[0])
    return torch.sparse_csr_tensor(crow_indices, col_indices, values, sizes).to_dense() @ mat2


def _csr_rows(crow_indices: Any, col_indices: Any) -> Any:
    return torch._convert_indices_from_csr_to_coo(crow_indices, col_indices)[0].long()


def _csr_merge(crow: Any, col: Any, other_crow: Any, other_col: Any) -> tuple[Any, Any, Any]:
    """Of sorted rows: the sum of two sparse matrices has an element at each place."""
    size = 1 + int(max([0, *col.tolist(), *other_col.tolist()]))
    matrices = [
        torch.sparse_csr_tensor(each, columns, torch.ones(len(columns)), (len(each) - 1, size)).to_dense()
        for each, columns in ((crow, col), (other_crow, other_col))
    ]
    flat = ((matrices[0] + matrices[1]) > 0).flatten()
    numbers = flat.cumsum(0) - 1
    starts = torch.cat([torch.zeros(1), (flat.reshape(-1, size).sum(1)).cumsum(0)])
    places = [numbers[each.flatten() > 0] for each in matrices]
    return places[0].long(), places[1].long(), starts.long()


def _csr_product(
    crow: Any, col: Any, other_crow: Any, other_col: Any, columns: int, values: Any = None
) -> Any:
    """The product of two matrices of layout sparse_csr; of ones, without ``values``."""
    one, other = values or (torch.ones(len(col)), torch.ones(len(other_col)))
    inner = len(other_crow) - 1
    left = torch.sparse_csr_tensor(crow, col, one, (len(crow) - 1, inner)).to_sparse()
    right = torch.sparse_csr_tensor(other_crow, other_col, other, (inner, columns)).to_sparse()
    return torch.sparse.mm(left, right).coalesce()


def _csr_csr_starts(crow: Any, col: Any, other_crow: Any, other_col: Any, columns: int) -> Any:
    rows = _csr_product(crow, col, other_crow, other_col, columns).indices()[0].contiguous()
    return torch._convert_indices_from_coo_to_csr(rows, len(crow) - 1)


def _csr_csr_mm(
    values: Any,
    crow: Any,
    col: Any,
    other_values: Any,
    other_crow: Any,
    other_col: Any,
    starts: Any,
    columns: int,
    count: int,
) -> tuple[Any, Any]:
    dtype = values.dtype
    pair = _opmath(values, other_values)
    product = _csr_product(crow, col, other_crow, other_col, columns, tuple(pair))
    return product.values().to(dtype), product.indices()[1]


def _csr_sampled_mm(mat1: Any, mat2: Any, crow_indices: Any, col_indices: Any) -> Any:
    rows, columns = torch._convert_indices_from_csr_to_coo(crow_indices, col_indices)
    return (mat1 @ mat2)[rows.long(), columns.long()]


def _quantized_mm(
    rows: Any,
    columns: Any,
    scales: Any,
    zero_points: Any,
    bias: Any,
    input_scale: float,
    input_zero_point: int,
    scale: float,
    zero_point: int,
    minimum: int,
) -> Any:
    """With exact sums; PyTorch's kernels take packed weights, and some saturate sums of two products."""
    if rows.dtype != torch.uint8 or columns.dtype != torch.int8 or not 0 <= zero_point <= 255:
        raise RuntimeError("arguments do not match")
    sums = (rows.long() - input_zero_point) @ (columns.long() - zero_points)
    units = scales * input_scale
    totals = sums.int().float() + (0 if bias is None else bias / units)
    steps = (totals * (units / torch.tensor(scale))).round() + zero_point
    return steps.clamp(minimum, 255).to(torch.uint8)


def _rnn_layer(*arguments: Any) -> tuple[Any, ...]:
    """Step by step with PyTorch's functions; half types in float32."""
    dtype = arguments[0].dtype
    input, w_ih, w_hh, b_ih, b_hh, w_hr, hx, cx = _opmath(*arguments[:8])
    batch_sizes, mode, reverse, train = arguments[8:]
    is_ordered = list(batch_sizes) == sorted(batch_sizes, reverse=True)
    if mode not in range(4) or (cx is None) == (mode == 2) or not is_ordered or len(hx) != batch_sizes[0]:
        raise RuntimeError("arguments do not match")
    if sum(batch_sizes) != len(input) or w_ih.shape[1] != input.shape[1]:
        raise RuntimeError("arguments do not match")
    linear, gates = torch.nn.functional.linear, (1, 1, 4, 3)[mode]
    states, cells, outputs, saved = hx, cx, {}, {}
    for rows, _ in _steps(batch_sizes, reverse):
        count = rows.stop - rows.start
        state, kept = states[:count], [hx.new_zeros(count, 0)]
        inner = linear(input[rows], w_ih, b_ih).chunk(gates, 1)
        outer = linear(state, w_hh, b_hh).chunk(gates, 1)
        if mode == 2:
            i, f, g, o = (one + other for one, other in zip(inner, outer))
            i, f, g, o = i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()
            cell = f * cells[:count] + i * g
            new, kept = o * cell.tanh(), [i, f, g, o, cell]
            cells = torch.cat([cell, cells[count:]])
        elif mode == 3:
            r, z = (inner[0] + outer[0]).sigmoid(), (inner[1] + outer[1]).sigmoid()
            n = (inner[2] + r * outer[2]).tanh()
            new, kept = (state - n) * z + n, [r, z, outer[2], n]
        else:
            new = (inner[0] + outer[0]).tanh() if mode else (inner[0] + outer[0]).relu()
        outputs[rows.start] = new if w_hr is None else linear(new, w_hr)
        states = torch.cat([outputs[rows.start], states[count:]])
        saved[rows.start] = torch.cat(kept, 1)
    output, workspace = (
        torch.cat([found[key] for key in sorted(found)]) if input.numel() else found[0]
        for found in (outputs, saved)
    )
    workspace = workspace if train else workspace.new_zeros(len(input), 0)
    cy = states.reshape(-1)[:0].clone() if cells is None else cells
    return output.to(dtype), states.to(dtype), cy.to(dtype), workspace.detach()


def _rnn_layer_backward(*arguments: Any) -> tuple[Any, ...]:
    """With the saved values as they are given, which need not be those of the inputs."""
    grad_output, grad_hy, grad_cy, input, w_ih, w_hh, *_, w_hr, hx, cx, output = arguments[:12]
    workspace, batch_sizes, mode, reverse, mask = arguments[12:]
    states = torch.zeros_like(hx) if grad_hy is None else grad_hy
    cells: Any = None
    if cx is not None:
        cells = torch.zeros_like(cx) if grad_cy is None else grad_cy
    hidden = len(w_hh) // (1, 1, 4, 3)[mode]
    found = {}
    for rows, earlier in reversed(_steps(batch_sizes, reverse)):
        count = rows.stop - rows.start
        earlier = slice(earlier.start, min(earlier.stop, earlier.start + count))
        known = earlier.stop - earlier.start
        before = torch.cat([output[earlier], hx[known:count]])
        projected = states[:count] if grad_output is None else states[:count] + grad_output[rows]
        grad = projected if w_hr is None else projected @ w_hr
        new, direct = output[rows], 0
        if mode == 2:
            i, f, g, o, c = workspace[rows].chunk(5, 1)
            cell = torch.cat([workspace[earlier, 4 * hidden :], cx[known:count]])
            new = o * c.tanh()
            of_cell = cells[:count] + grad * o * (1 - c.tanh() ** 2)
            inner = [of_cell * g * i * (1 - i), of_cell * cell * f * (1 - f), of_cell * i * (1 - g * g)]
            inner = outer = torch.cat([*inner, grad * c.tanh() * o * (1 - o)], 1)
            cells = torch.cat([of_cell * f, cells[count:]])
        elif mode == 3:
            r, z, h, n = workspace[rows].chunk(4, 1)
            fresh = grad * (1 - z) * (1 - n * n)
            both = [fresh * h * r * (1 - r), grad * (before - n) * z * (1 - z)]
            inner, outer = torch.cat([*both, fresh], 1), torch.cat([*both, fresh * r], 1)
            direct = grad * z
        else:
            inner = outer = grad * ((1 - new * new) if mode else (new > 0))
        states = torch.cat([outer @ w_hh + direct, states[count:]])
        found[rows.start] = (inner, outer, before, projected, new)
    inner, outer, before, projected, new = map(torch.cat, zip(*(found[key] for key in sorted(found))))
    of_weights = inner @ w_ih, inner.T @ input, outer.T @ before, inner.sum(0), outer.sum(0)
    grads = (*of_weights, None if w_hr is None else projected.T @ new, states, cells)
    given = arguments[3:11]
    return tuple(
        None if own is None or not wanted else each.contiguous()
        for each, own, wanted in zip(grads, given, mask)
    )


# PyTorch's equivalents of gnomon's own operators, and of operators that it does not have on the CPU.
EQUIVALENTS: dict[str, Callable[..., Any]] = {
    "div_floor": lambda self, other: torch.ops.aten.div.Tensor_mode(self, other, rounding_mode="floor"),
    "div_trunc": lambda self, other: torch.ops.aten.div.Tensor_mode(self, other, rounding_mode="trunc"),
    "_count_nonzero": lambda self: torch.ops.aten.count_nonzero.default(self),
    "_masked_select": _masked_select,
    "_index": lambda self, indices: torch.ops.aten.index.Tensor(self, indices),
    "_index_put": lambda *arguments: torch.ops.aten.index_put.default(*arguments),
    "_as_strided": _as_strided,
    "_fused_rms_norm_backward": _fused_rms_norm_backward,
    "_grid_sampler_double_backward": _grid_sampler_double_backward,
    "_csr_mm": _csr_mm,
    "_csr_rows": _csr_rows,
    "_csr_merge": _csr_merge,
    "_csr_csr_starts": _csr_csr_starts,
    "_csr_csr_mm": _csr_csr_mm,
    "_csr_sampled_mm": _csr_sampled_mm,
    "_mkldnn_blocked_convolution": _blocked_convolution,
    "_quantized_mm": _quantized_mm,
    "_rnn_layer": _rnn_layer,
    "_rnn_layer_backward": _rnn_layer_backward,
    "_smooth_l1": lambda self, beta: torch.ops.aten.smooth_l1_loss(self, torch.zeros_like(self), 0, beta),
    "_huber": lambda self, delta: torch.ops.aten.huber_loss(self, torch.zeros_like(self), 0, delta),
    "_binary_cross_entropy": lambda self, target: torch.ops.aten.binary_cross_entropy(self, target, None, 0),
    "_clamp": lambda self, min, max: torch.ops.aten.clamp.Tensor(self, min, max),
    "qscheme": lambda self: self.qscheme(),
    "result_type.Tensor": torch.result_type,
    "result_type.Scalar_Tensor": torch.result_type,
    "result_type.Scalar": torch.result_type,
    "result_type.Scalar_Scalar": torch.result_type,
    "is_contiguous": lambda self, memory_format: self.is_contiguous(
        memory_format=memory_format or torch.contiguous_format
    ),
}


def _with_named_default(schema: Any, argument: Any, value: Any) -> Any:
    """PyTorch's object for a named default that gnomon's schema parser represents as None."""
    if value is None and argument.type == "MemoryFormat" and not argument.is_optional:
        return torch.contiguous_format
    if value is None and argument.type == "ScalarType" and "dtype=long" in schema.text:
        return torch.long
    return value


class Torch:
    """PyTorch on the CPU."""

    device = "cpu"

    def __str__(self) -> str:
        return "PyTorch"

    def build(self, contents: Stored) -> tuple[Any, Any]:
        """A tensor over the whole storage, and the tensor that ``contents`` describes."""
        whole = torch.tensor(contents.numbers, dtype=getattr(torch, contents.dtype))
        return whole, whole.as_strided(contents.sizes, contents.strides, contents.offset)

    def build_sparse(self, parts: Specified) -> tuple[Any, Any]:
        """As runner.Gnomon's; a quantized tensor's integers are a copy."""
        values = self.build(parts.values)[1]
        if parts.layout == OPAQUE_LAYOUT:
            return values, values.to_mkldnn()
        if parts.layout in QUANTIZED_LAYOUTS:
            return values, quantized(torch, values, parts)
        if parts.layout != "sparse_coo":
            starts, plain = (torch.tensor(each, dtype=torch.int64) for each in parts.indices)
            layout = getattr(torch, parts.layout)
            made = torch.sparse_compressed_tensor(
                starts, plain, values, parts.sizes, layout=layout, check_invariants=True
            )
            return values, made
        indices = torch.tensor(parts.indices, dtype=torch.int64).reshape(len(parts.indices), len(values))
        made = torch.sparse_coo_tensor(
            indices, values, parts.sizes, is_coalesced=parts.is_coalesced, check_invariants=True
        )
        return values, made

    def special(self, kind: str, value: Any) -> Any:
        """An argument that is neither a tensor nor a number, from its name."""
        if kind == "Generator":
            return torch.Generator().manual_seed(value)
        return getattr(torch, value)

    def device_argument(self) -> Any:
        """The device that the test runs on, as an argument."""
        return torch.device("cpu")

    def call(self, operator: Any, values: Sequence[Any]) -> Any:
        """Call PyTorch's operator of that name and overload."""
        torch.manual_seed(SEED)
        schema = operator.schema
        values = with_list_of_outputs(schema, values)
        if schema.full_name in EQUIVALENTS:
            return EQUIVALENTS[schema.full_name](*values)
        packet = getattr(torch.ops.aten, schema.name)
        numbers = any(
            argument.type == "Tensor" and isinstance(value, (int, float, complex))
            for argument, value in zip(schema.arguments, values)
        )
        # PyTorch has a separate overload for a wrapped number
        found = packet if numbers else getattr(packet, schema.overload_name or "default")
        given = [
            _with_named_default(schema, argument, value) for argument, value in zip(schema.arguments, values)
        ]
        positional = [value for argument, value in zip(schema.arguments, given) if not argument.kwarg_only]
        keywords = {
            argument.name: value for argument, value in zip(schema.arguments, given) if argument.kwarg_only
        }
        return found(*positional, **keywords)

    def is_tensor(self, value: Any) -> bool:
        """Whether this is a tensor."""
        return isinstance(value, torch.Tensor)

    def plain(self, value: Any) -> Any:
        """A result that is not a tensor, in a form that is comparable between frameworks."""
        return str(value).partition(".")[2] if isinstance(value, (torch.dtype, torch.qscheme)) else value

    def observe(self, tensor: Any) -> tuple[str, tuple[int, ...], tuple[int, ...], int, str]:
        """dtype, sizes, strides, offset, device."""
        name = str(tensor.dtype).partition(".")[2]
        strides = tuple(tensor.stride()) if has_strides(tensor) else ()
        return name, tuple(tensor.shape), strides, tensor.storage_offset(), tensor.device.type

    def numbers(self, tensor: Any) -> tuple[Any, ...] | None:
        """The elements in row-major order; of a sparse or quantized tensor as in runner.Gnomon."""
        tensor = tensor.detach()
        if is_compressed(tensor):
            parts = [self.numbers(each) or () for each in compressed_parts(tensor)]
            return (layout_number(tensor), *parts[0], *parts[1], *parts[2])
        if tensor.is_mkldnn:
            tensor = tensor.to_dense()
        if tensor.is_quantized:
            return (*tensor.int_repr().reshape(-1).tolist(), *parameters(tensor))
        if tensor.is_sparse:
            facts = tensor._nnz(), tensor.sparse_dim(), int(tensor.is_coalesced())
            return (*facts, *self.numbers(tensor._indices()), *self.numbers(tensor._values()))  # type: ignore[misc]
        if tensor._is_zerotensor():
            tensor = tensor.clone()
        return tuple(tensor.reshape(-1).tolist())

    def shares_memory(self, one: Any, other: Any) -> bool:
        """Whether these two tensors share a storage; sparse ones, that of their values."""
        one, other = (held_values(each) for each in (one, other))
        return torch._C._is_alias_of(one, other)

    def version(self, tensor: Any) -> int:
        """The version counter."""
        return tensor._version

    def backward(self, outputs: Sequence[Any], gradients: Sequence[Any]) -> None:
        """Accumulate the gradients of the leaves."""
        torch.autograd.backward(list(outputs), list(gradients))

    def grad(self, outputs: Sequence[Any], inputs: Sequence[Any], gradients: Sequence[Any]) -> Sequence[Any]:
        """The gradients of ``inputs``, differentiable again; None for an input without one."""
        return torch.autograd.grad(
            list(outputs), list(inputs), list(gradients), create_graph=True, allow_unused=True
        )
