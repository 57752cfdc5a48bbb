"""Any library with the Python array API standard: ``gnomon conform --library array_api:MODULE``.

MODULE is the standard's namespace: ``array_api_strict``, ``numpy``, ``gnomon.array_api``, or that of
array_api_compat for a library whose own is older: ``array_api_compat.cupy``, ``array_api_compat.dask.array``.

Source of the functions' names: https://data-apis.org/array-api/2025.12.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .written import WrittenLibrary

_DTYPES = (
    *("bool", "uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64"),
    *("float32", "float64", "complex64", "complex128"),
)
_UNARY = {
    **{
        name: name
        for name in (
            *(
                "abs",
                "acos",
                "acosh",
                "asin",
                "asinh",
                "atan",
                "atanh",
                "ceil",
                "cos",
                "cosh",
                "exp",
                "expm1",
            ),
            *("floor", "isfinite", "isinf", "isnan", "log", "log10", "log1p", "log2", "logical_not"),
            *("reciprocal", "round", "sign", "signbit", "sin", "sinh", "sqrt", "square", "tan", "tanh"),
            *("trunc", "all", "any"),
        )
    },
    "bitwise_not": "bitwise_invert",
    "neg": "negative",
    "conj_physical": "conj",
}
_BINARY = {
    **{
        name: name
        for name in (
            *("atan2", "floor_divide", "hypot", "logaddexp", "logical_and", "logical_or", "logical_xor"),
            *("maximum", "minimum", "nextafter"),
        )
    },
    "mul.Tensor": "multiply",
    "div.Tensor": "divide",
    "eq.Tensor": "equal",
    "ne.Tensor": "not_equal",
    "lt.Tensor": "less",
    "le.Tensor": "less_equal",
    "gt.Tensor": "greater",
    "ge.Tensor": "greater_equal",
    "remainder.Tensor": "remainder",
    "bitwise_and.Tensor": "bitwise_and",
    "bitwise_or.Tensor": "bitwise_or",
    "bitwise_xor.Tensor": "bitwise_xor",
    "bitwise_left_shift.Tensor": "bitwise_left_shift",
    "bitwise_right_shift.Tensor": "bitwise_right_shift",
    "copysign.Tensor": "copysign",
}
_AXES = "axis=tuple(dim) if dim and self.ndim else None, keepdims=keepdim"  # an empty list means all
_AXIS = "axis=dim, keepdims=keepdim"
_CORRECTION = "correction=1 if correction is None else correction"
_EXPRESSIONS = {
    **{name: f"xp.{word}(self)" for name, word in _UNARY.items()},
    **{name: f"xp.{word}(self, other)" for name, word in _BINARY.items()},
    "add.Tensor": "xp.add(self, other if alpha == 1 else other * alpha)",
    "sub.Tensor": "xp.subtract(self, other if alpha == 1 else other * alpha)",
    "pow.Tensor_Tensor": "xp.pow(self, exponent)",
    "where.self": "xp.where(condition, self, other)",
    "clamp": "xp.clip(self, min, max)",
    "sum.dim_IntList": f"xp.sum(self, {_AXES}, dtype=dtype)",
    "prod.dim_int": f"xp.prod(self, {_AXIS}, dtype=dtype)",
    "mean.dim": f"xp.mean(self, {_AXES})",
    "amax": f"xp.max(self, {_AXES})",
    "amin": f"xp.min(self, {_AXES})",
    "max.dim": f"(xp.max(self, {_AXIS}), xp.argmax(self, {_AXIS}))",
    "min.dim": f"(xp.min(self, {_AXIS}), xp.argmin(self, {_AXIS}))",
    "argmax": "xp.argmax(self, axis=dim, keepdims=keepdim)",
    "argmin": "xp.argmin(self, axis=dim, keepdims=keepdim)",
    "var.correction": f"xp.var(self, {_AXES}, {_CORRECTION})",
    "std.correction": f"xp.std(self, {_AXES}, {_CORRECTION})",
    "cumsum": "xp.cumulative_sum(self, axis=dim, dtype=dtype)",
    "cumprod": "xp.cumulative_prod(self, axis=dim, dtype=dtype)",
    "mm": "xp.matmul(self, mat2)",
    "bmm": "xp.matmul(self, mat2)",
    "mv": "xp.matmul(self, vec)",
    "dot": "xp.vecdot(xp.conj(self) if xp.isdtype(self.dtype, 'complex floating') else self, tensor)",
    "addmm": "beta * self + alpha * xp.matmul(mat1, mat2)",
    "view": "xp.reshape(self, size)",
    "reshape": "xp.reshape(self, shape)",
    "permute": "xp.permute_dims(self, dims)",
    "movedim.int": "xp.moveaxis(self, source, destination)",
    "transpose.int": "xp.permute_dims(self, [{dim0 % self.ndim: dim1 % self.ndim,"
    " dim1 % self.ndim: dim0 % self.ndim}.get(i, i) for i in range(self.ndim)])",
    "unsqueeze": "xp.expand_dims(self, axis=dim)",
    "expand": "xp.broadcast_to(self,"
    " tuple(n if s == -1 else s for s, n in zip(size, (*size[: -self.ndim or None], *self.shape))))",
    "slice.Tensor": "xp.moveaxis(xp.moveaxis(self, dim, 0)[start:end:step, ...], 0, dim)",
    "select.int": "xp.moveaxis(self, dim, 0)[index, ...]",
    "unbind.int": "xp.unstack(self, axis=dim)",
    "flip": "xp.flip(self, axis=tuple(dims))",
    "roll": "xp.roll(self, tuple(shifts), axis=tuple(dims)) if dims else xp.roll(self, shifts[0])",
    "cat": "xp.concat(tensors, axis=dim)",
    "stack": "xp.stack(tensors, axis=dim)",
    "tril": "xp.tril(self, k=diagonal)",
    "triu": "xp.triu(self, k=diagonal)",
    "gather": "xp.take_along_axis(self, index, axis=dim)",
    "index_select": "xp.take(self, index, axis=dim)",
    "sort": "(xp.sort(self, axis=dim, descending=descending),"
    " xp.argsort(self, axis=dim, descending=descending))",
    "argsort.stable": "xp.argsort(self, axis=dim, descending=descending)",
    "repeat_interleave.self_int": "xp.repeat(self, repeats, axis=dim)",
    "repeat": "xp.tile(self, repeats)",
    "diff": "xp.diff(self, axis=dim, n=n, prepend=prepend, append=append)",
    "clone": "xp.asarray(self, copy=True)",
    "full": "xp.full(tuple(size), fill_value, dtype=dtype)",
    "zeros_like": "xp.zeros_like(self, dtype=dtype)",
    "ones_like": "xp.ones_like(self, dtype=dtype)",
    "_to_copy": "xp.astype(self, self.dtype if dtype is None else dtype)",
    "linalg_det": "xp.linalg.det(A)",
    "linalg_inv": "xp.linalg.inv(A)",
    "outer": "xp.linalg.outer(self, vec2)",
}
_OTHER_SIZES = "any(i != dim % self.ndim and m != n for i, (m, n) in enumerate(zip(self.shape, index.shape)))"
_DECLINES = {
    "gather": f"{_OTHER_SIZES} and 'take_along_axis broadcasts, where PyTorch takes a part'",
    "index_select": "index.ndim == 0 and 'take needs indices of one dimension'",
    "repeat_interleave.self_int": "output_size is not None and 'no output_size'",
    "roll": "not dims and len(shifts) != 1 and 'it rolls a flat array once'",
    "transpose.int": "not all(-self.ndim <= each < self.ndim for each in (dim0, dim1))"
    " and 'the adaptor takes dimensions modulo their number'",
    "mean.dim": "dtype is not None and 'no dtype'",
    "cat": "len({each.ndim for each in tensors}) > 1 and any(each.shape == (0,) for each in tensors)"
    " and 'PyTorch skips an empty vector among others, for the sake of old programs'",
}


class ArrayAPI(WrittenLibrary):
    """The functions of a namespace; ``argument`` is its module."""

    expressions = _EXPRESSIONS
    declines: Mapping[str, str] = _DECLINES

    def __init__(self, argument: str = "array_api_strict"):
        self._xp: Any = importlib.import_module(argument)
        self.name = argument  # type: ignore[misc]
        self.imports = f"import {argument} as xp"
        self._types = {name: getattr(self._xp, name) for name in _DTYPES if hasattr(self._xp, name)}
        self.dtypes = list(self._types)  # type: ignore[misc]
        self._kind = type(self._xp.asarray([0]))
        super().__init__()

    def tensor(self, numbers: Sequence[Any], sizes: Sequence[int], dtype: str) -> Any:
        """A new array."""
        return self._xp.reshape(self._xp.asarray(list(numbers), dtype=self._types[dtype]), tuple(sizes))

    def tensor_text(self, numbers: Sequence[Any], sizes: Sequence[int], dtype: str) -> str:
        """An expression that makes it."""
        made = f"xp.asarray({list(numbers)}, dtype=xp.{dtype})"
        return made if len(sizes) == 1 else f"xp.reshape({made}, {tuple(sizes)})"

    def dtype_text(self, name: str) -> str:
        """The namespace's dtype; a layout's name."""
        return f"xp.{name}" if name in self._types else repr(name)

    def printed_text(self, text: str, is_one: bool) -> str:
        """The call's result; Dask's has to be computed."""
        if not hasattr(self._kind, "compute"):
            return text
        return f"({text}).compute()" if is_one else f"[each.compute() for each in {text}]"

    def computed(self, tensor: Any) -> Any:
        """The array; Dask's with its elements."""
        return tensor.persist() if hasattr(tensor, "persist") else tensor

    def is_tensor(self, value: Any) -> bool:
        """Whether it is an array; NumPy's scalars are as good."""
        return isinstance(value, self._kind) or (hasattr(value, "dtype") and hasattr(value, "shape"))

    def describe(self, tensor: Any) -> tuple[str, Sequence[int], Sequence[Any]]:
        """dtype, sizes, elements."""
        dtype = next((name for name, each in self._types.items() if tensor.dtype == each), str(tensor.dtype))
        sizes = tuple(tensor.shape)
        flat = tensor.compute() if hasattr(tensor, "compute") else tensor
        if hasattr(flat, "tolist"):
            return dtype, sizes, flat.reshape(-1).tolist()
        read: Callable[[Any], Any] = bool if dtype == "bool" else complex if "complex" in dtype else float
        read = int if "int" in dtype else read
        flat = self._xp.reshape(flat, (-1,))
        return dtype, sizes, [read(flat[place]) for place in range(flat.shape[0])]

    def dtype(self, name: str) -> Any:
        """The namespace's dtype of that name; for a layout or a memory format its name."""
        return self._types.get(name, name)
