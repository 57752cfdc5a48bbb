"""tinygrad as a subject of the suite: ``gnomon conform --library tinygrad``.

The device is tinygrad's default, which ``DEV`` names: ``DEV=CPU`` needs clang, ``DEV=PYTHON`` nothing.  Its
functions follow PyTorch's names, so that most expressions are one call.  Gradients are those of
``Tensor.gradient``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tinygrad import Tensor, dtypes

from .written import WrittenLibrary

_DTYPES = {
    name: getattr(dtypes, name)
    for name in (
        *("bool", "uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64"),
        *("float16", "bfloat16", "float32", "float64"),
    )
}
_UNARY = {
    **{
        name: name
        for name in (
            *("abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "bitwise_not", "ceil", "cos", "cosh"),
            *("erf", "exp", "exp2", "floor", "isfinite", "isinf", "isnan", "log", "log10", "log2"),
            *("logical_not", "mish", "neg", "nonzero", "reciprocal", "relu", "relu6", "round", "rsqrt"),
            *("selu", "sigmoid", "sign", "silu", "sin", "sinh", "sqrt", "square", "tan", "tanh", "trunc"),
            *("all", "any", "clone", "hardswish", "hardsigmoid", "squeeze"),
        )
    },
    "log_sigmoid": "logsigmoid",
}
_BINARY = {
    **{name: name for name in ("maximum", "minimum", "logaddexp")},
    "mul.Tensor": "mul",
    "div.Tensor": "div",
    "eq.Tensor": "eq",
    "ne.Tensor": "ne",
    "lt.Tensor": "__lt__",
    "le.Tensor": "__le__",
    "gt.Tensor": "__gt__",
    "ge.Tensor": "__ge__",
    "fmod.Tensor": "fmod",
    "remainder.Tensor": "mod",
    "floor_divide": "__floordiv__",
    "bitwise_and.Tensor": "bitwise_and",
    "bitwise_or.Tensor": "bitwise_or",
    "bitwise_xor.Tensor": "bitwise_xor",
    "bitwise_left_shift.Tensor": "lshift",
    "bitwise_right_shift.Tensor": "rshift",
    "copysign.Tensor": "copysign",
}
_AXES = "tuple(dim) if dim and self.ndim else None, keepdim"  # an empty list means all
_CORRECTION = "correction=1 if correction is None else correction"
_EXPRESSIONS = {
    **{name: f"Tensor.{word}(self)" for name, word in _UNARY.items()},
    **{name: f"Tensor.{word}(self, other)" for name, word in _BINARY.items()},
    "add.Tensor": "Tensor.add(self, other if alpha == 1 else other * alpha)",
    "sub.Tensor": "Tensor.sub(self, other if alpha == 1 else other * alpha)",
    "div.Tensor_mode": "Tensor.div(self, other, rounding_mode=rounding_mode)",
    "pow.Tensor_Tensor": "Tensor.pow(self, exponent)",
    "pow.Tensor_Scalar": "Tensor.pow(self, exponent)",
    "where.self": "Tensor.where(condition, self, other)",
    "lerp.Tensor": "Tensor.lerp(self, end, weight)",
    "lerp.Scalar": "Tensor.lerp(self, end, weight)",
    "clamp": "Tensor.clamp(self, min, max)",
    "masked_fill.Scalar": "Tensor.masked_fill(self, mask, value)",
    "masked_select": "Tensor.masked_select(self, mask)",
    "isclose": "Tensor.isclose(self, other, rtol, atol, equal_nan)",
    "gelu": "Tensor.gelu(self, approximate)",
    "leaky_relu": "Tensor.leaky_relu(self, negative_slope)",
    "elu": "Tensor.elu(self, alpha)",
    "celu": "Tensor.celu(self, alpha)",
    "softplus": "Tensor.softplus(self, beta)",
    "hardtanh": "Tensor.hardtanh(self, min_val, max_val)",
    "_softmax": "Tensor.softmax(self, dim)",
    "_log_softmax": "Tensor.log_softmax(self, dim)",
    "logsumexp": f"Tensor.logsumexp(self, {_AXES})",
    "sum.dim_IntList": f"Tensor.sum(self, {_AXES}, dtype=dtype)",
    "mean.dim": f"Tensor.mean(self, {_AXES})",
    "prod.dim_int": "Tensor.prod(self, dim, keepdim, dtype=dtype)",
    "any.dim": "Tensor.any(self, dim, keepdim)",
    "all.dim": "Tensor.all(self, dim, keepdim)",
    "amax": f"Tensor.max(self, {_AXES})",
    "amin": f"Tensor.min(self, {_AXES})",
    "max.dim": "(Tensor.max(self, dim, keepdim), Tensor.argmax(self, dim, keepdim))",
    "min.dim": "(Tensor.min(self, dim, keepdim), Tensor.argmin(self, dim, keepdim))",
    "argmax": "Tensor.argmax(self, dim, keepdim)",
    "argmin": "Tensor.argmin(self, dim, keepdim)",
    "var.correction": f"Tensor.var(self, {_AXES}, {_CORRECTION})",
    "std.correction": f"Tensor.std(self, {_AXES}, {_CORRECTION})",
    "cumsum": "Tensor.cumsum(self, dim)",
    "cumprod": "Tensor.cumprod(self, dim)",
    "cummax": "Tensor.cummax(self, dim)",
    "cummin": "Tensor.cummin(self, dim)",
    "logcumsumexp": "Tensor.logcumsumexp(self, dim)",
    "mm": "Tensor.matmul(self, mat2)",
    "bmm": "Tensor.matmul(self, mat2)",
    "mv": "Tensor.matmul(self, vec)",
    "dot": "Tensor.dot(self, tensor)",
    "addmm": "beta * self + alpha * Tensor.matmul(mat1, mat2)",
    "view": "Tensor.view(self, size)",
    "reshape": "Tensor.reshape(self, shape)",
    "permute": "Tensor.permute(self, dims)",
    "transpose.int": "Tensor.transpose(self, dim0, dim1)",
    "t": "self.T",
    "unsqueeze": "Tensor.unsqueeze(self, dim)",
    "squeeze.dim": "Tensor.squeeze(self, dim)",
    "expand": "Tensor.expand(self, size)",
    "diagonal": "Tensor.diagonal(self, offset, dim1, dim2)",
    "slice.Tensor": "self[(slice(None),) * (dim % self.ndim) + (slice(start, end, step),)]",
    "select.int": "self[(slice(None),) * (dim % self.ndim) + (index,)]",
    "unfold": "Tensor.unfold(self, dimension, size, step)",
    "split.Tensor": "Tensor.split(self, split_size, dim)",
    "chunk": "Tensor.chunk(self, chunks, dim)",
    "flip": "Tensor.flip(self, dims)",
    "roll": "Tensor.roll(self, tuple(shifts), tuple(dims)) if dims else Tensor.roll(self, shifts[0])",
    "cat": "Tensor.cat(*tensors, dim=dim)",
    "stack": "Tensor.stack(*tensors, dim=dim)",
    "repeat": "Tensor.repeat(self, repeats)",
    "repeat_interleave.self_int": "Tensor.repeat_interleave(self, repeats, dim)",
    "tril": "Tensor.tril(self, diagonal)",
    "triu": "Tensor.triu(self, diagonal)",
    "gather": "Tensor.gather(self, dim, index)",
    "scatter.src": "Tensor.scatter(self, dim, index, src)",
    "scatter.value": "Tensor.scatter(self, dim, index, value)",
    "scatter_add": "Tensor.scatter_reduce(self, dim, index, src, 'sum')",
    "index_select": "self[(slice(None),) * (dim % self.ndim) + (index,)]",
    "sort": "Tensor.sort(self, dim, descending)",
    "argsort.stable": "Tensor.argsort(self, dim, descending)",
    "topk": "Tensor.topk(self, k, dim, largest, sorted)",
    "full": "Tensor.full(tuple(size), fill_value, dtype=dtype)",
    "zeros_like": "Tensor.zeros_like(self, dtype=self.dtype if dtype is None else dtype)",
    "ones_like": "Tensor.ones_like(self, dtype=self.dtype if dtype is None else dtype)",
    "_to_copy": "Tensor.cast(self, self.dtype if dtype is None else dtype)",
    "convolution": "Tensor.conv2d(input, weight, bias, groups, tuple(stride), tuple(dilation),"
    " tuple(padding)) if not transposed else Tensor.conv_transpose2d(input, weight, bias, groups,"
    " tuple(stride), tuple(dilation), tuple(padding), tuple(output_padding))",
    "avg_pool2d": "Tensor.avg_pool2d(self, tuple(kernel_size), tuple(stride or kernel_size), 1,"
    " tuple(padding), ceil_mode, count_include_pad)",
    "max_pool2d_with_indices": "Tensor.max_pool2d(self, tuple(kernel_size), tuple(stride or kernel_size),"
    " tuple(dilation), tuple(padding), ceil_mode, return_indices=True)",
    "constant_pad_nd": "Tensor.pad(self, tuple(pad), value=value)",
    "linalg_qr": "Tensor.qr(A)",
}
_DECLINES = {
    "softplus": "threshold != 20 and 'no threshold'",
    "elu": "(scale, input_scale) != (1, 1) and 'no scales'",
    "mean.dim": "dtype is not None and 'no dtype'",
    "cumsum": "dtype is not None and 'no dtype'",
    "cumprod": "dtype is not None and 'no dtype'",
    "avg_pool2d": "divisor_override is not None and 'no divisor_override'",
    "repeat_interleave.self_int": "output_size is not None and 'no output_size'",
    "roll": "not dims and len(shifts) != 1 and 'it rolls a flat tensor once'",
    "index_select": "index.ndim == 0 and 'an index of no dimensions drops the dimension'",
    "linalg_qr": "mode != 'complete' and 'no mode'",
    "cat": "len({each.ndim for each in tensors}) > 1 and any(each.shape == (0,) for each in tensors)"
    " and 'PyTorch skips an empty vector among others, for the sake of old programs'",
}


class Tinygrad(WrittenLibrary):
    """tinygrad's tensors, on its default device."""

    name = "tinygrad"
    dtypes = tuple(_DTYPES)
    imports = "from tinygrad import Tensor, dtypes"
    expressions = _EXPRESSIONS
    declines: Mapping[str, str] = _DECLINES

    def tensor(self, numbers: Sequence[Any], sizes: Sequence[int], dtype: str) -> Any:
        """A new tensor."""
        return Tensor(list(numbers), dtype=_DTYPES[dtype]).reshape(tuple(sizes))

    def tensor_text(self, numbers: Sequence[Any], sizes: Sequence[int], dtype: str) -> str:
        """An expression that makes it."""
        shape = "" if len(sizes) == 1 else f".reshape({tuple(sizes)})"
        return f"Tensor({list(numbers)}, dtype=dtypes.{dtype}){shape}"

    def dtype_text(self, name: str) -> str:
        """tinygrad's dtype; a layout's name."""
        return f"dtypes.{name}" if name in _DTYPES else repr(name)

    def printed_text(self, text: str, is_one: bool) -> str:
        """The numbers, computed."""
        return f"{text}.tolist()" if is_one else f"[each.tolist() for each in {text}]"

    def gradient_text(self, call: str, inputs: Sequence[str], incoming: str) -> str:
        """Those that ``Tensor.gradient`` gives."""
        found = f"({call}).gradient({', '.join(inputs)}, gradient={incoming})"
        return f"[each.tolist() for each in {found}]"

    def is_tensor(self, value: Any) -> bool:
        """Whether it is a tensor."""
        return isinstance(value, Tensor)

    def describe(self, tensor: Any) -> tuple[str, Sequence[int], Sequence[Any]]:
        """dtype, sizes, elements."""
        dtype, sizes = self.dtype_and_sizes(tensor)
        return dtype, sizes, [] if 0 in sizes else tensor.reshape(-1).tolist()

    def dtype_and_sizes(self, tensor: Any) -> tuple[str, Sequence[int]]:
        """dtype, sizes."""
        dtype = next((name for name, each in _DTYPES.items() if tensor.dtype == each), str(tensor.dtype))
        return dtype, tuple(tensor.shape)

    def computed(self, tensor: Any) -> Any:
        """The tensor, computed."""
        return tensor.realize()

    def dtype(self, name: str) -> Any:
        """tinygrad's dtype of that name; for a layout or a memory format its name."""
        return _DTYPES.get(name, name)

    def track(self, tensor: Any) -> Any:
        """The tensor itself: tinygrad keeps how each was made."""
        return tensor

    def gradients(
        self, outputs: Sequence[Any], incoming: Sequence[Any], inputs: Sequence[Any]
    ) -> Sequence[Any]:
        """The sums of the gradients for each output."""
        found: list[Any] = [None] * len(inputs)
        for output, gradient in zip(outputs, incoming):
            for place, each in enumerate(output.gradient(*inputs, gradient=gradient)):
                found[place] = each if found[place] is None else found[place] + each
        return found
