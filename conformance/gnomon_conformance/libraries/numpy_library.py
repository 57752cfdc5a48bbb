"""NumPy as a subject of the suite: ``gnomon conform --library numpy``.

It shows how an adaptor is written, and where NumPy's semantics are not PyTorch's: those tests fail, and
numpy_expectations.txt says why.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from .adaptor import Library

_DTYPES = (
    *("bool", "uint8", "int8", "int16", "int32", "int64"),
    *("float16", "float32", "float64", "complex64", "complex128"),
)


def _unary(function: Callable[[Any], Any]) -> Callable[..., Any]:
    return lambda self: function(self)


def _scaled(function: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    return lambda self, other, alpha: function(self, other if alpha == 1 else np.multiply(other, alpha))


def _axes(self: Any, dim: Any) -> Any:
    """PyTorch's list of dimensions, where an empty one means all, as NumPy's ``axis``."""
    return tuple(_axis(self, each) for each in dim) if dim and self.ndim else None


def _axis(self: Any, dim: int) -> int:
    """A dimension.  A tensor without any takes 0 and -1 in PyTorch, which NumPy has no equivalent of."""
    if self.ndim == 0 and dim in (0, -1):
        raise NotImplementedError("an array of no dimensions has no axis 0")
    return dim


def _reduction(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, dim, keepdim, dtype: function(
        self, axis=_axes(self, dim), keepdims=keepdim, dtype=dtype
    )


def _with_index(values: Callable[..., Any], indices: Callable[..., Any]) -> Callable[..., Any]:
    def of(self: Any, dim: int, keepdim: bool) -> tuple[Any, Any]:
        axis = _axis(self, dim)
        return values(self, axis=axis, keepdims=keepdim), indices(self, axis=axis, keepdims=keepdim)

    return of


def _slice(self: Any, dim: int, start: int | None, end: int | None, step: int) -> Any:
    places: list[Any] = [slice(None)] * self.ndim
    places[dim] = slice(start, end, step)
    return self[tuple(places)]


def _select(self: Any, dim: int, index: int) -> Any:
    places: list[Any] = [slice(None)] * self.ndim
    places[dim] = slice(index, index + 1 or None)
    return np.squeeze(self[tuple(places)], axis=dim)


def _cat(tensors: Sequence[Any], dim: int) -> Any:
    if len({each.ndim for each in tensors}) > 1 and any(each.shape == (0,) for each in tensors):
        raise NotImplementedError("PyTorch skips an empty vector among others, for the sake of old programs")
    return np.concatenate(tensors, axis=dim)


def _gather(self: Any, dim: int, index: Any, sparse_grad: bool) -> Any:
    _axis(self, dim)
    if any(
        one != other
        for place, (one, other) in enumerate(zip(self.shape, index.shape))
        if place != dim % self.ndim
    ):
        raise NotImplementedError("take_along_axis broadcasts, where PyTorch takes a part")
    return np.take_along_axis(self, index, dim)


def _index_select(self: Any, dim: int, index: Any) -> Any:
    if index.ndim == 0:
        raise NotImplementedError("NumPy drops the dimension for an index of no dimensions")
    return np.take(self, index, axis=_axis(self, dim))


_UNARY = {
    **{name: getattr(np, name) for name in ("exp", "exp2", "expm1", "log2", "log10", "log1p", "sqrt", "sin")},
    **{name: getattr(np, name) for name in ("cos", "tan", "sinh", "cosh", "tanh", "floor", "ceil", "trunc")},
    "log": np.log,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "neg": np.negative,
    "abs": np.abs,
    "sign": np.sign,
    "square": np.square,
    "reciprocal": np.reciprocal,
    "round": np.round,
    "signbit": np.signbit,
    "isnan": np.isnan,
    "isinf": np.isinf,
    "isfinite": np.isfinite,
    "bitwise_not": np.bitwise_not,
    "logical_not": np.logical_not,
    "deg2rad": np.deg2rad,
    "rad2deg": np.rad2deg,
    "nonzero": lambda self: np.argwhere(self),
    "t": lambda self: self.T,
    "trace": np.trace,
}

_BINARY = {
    "mul.Tensor": np.multiply,
    "div.Tensor": np.true_divide,
    "atan2": np.arctan2,
    "eq.Tensor": np.equal,
    "ne.Tensor": np.not_equal,
    "lt.Tensor": np.less,
    "le.Tensor": np.less_equal,
    "gt.Tensor": np.greater,
    "ge.Tensor": np.greater_equal,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "fmax": np.fmax,
    "fmin": np.fmin,
    "fmod.Tensor": np.fmod,
    "remainder.Tensor": np.remainder,
    "bitwise_and.Tensor": np.bitwise_and,
    "bitwise_or.Tensor": np.bitwise_or,
    "bitwise_xor.Tensor": np.bitwise_xor,
    "logical_and": np.logical_and,
    "logical_or": np.logical_or,
    "logical_xor": np.logical_xor,
    "pow.Tensor_Tensor": np.power,
    "copysign.Tensor": np.copysign,
    "hypot": np.hypot,
    "nextafter": np.nextafter,
    "gcd": np.gcd,
    "lcm": np.lcm,
    "logaddexp": np.logaddexp,
    "floor_divide": np.floor_divide,
    "heaviside": np.heaviside,
}

_OTHERS: dict[str, Callable[..., Any]] = {
    "add.Tensor": _scaled(np.add),
    "sub.Tensor": _scaled(np.subtract),
    "where.self": lambda condition, self, other: np.where(condition, self, other),
    "sum.dim_IntList": _reduction(np.sum),
    "mean.dim": _reduction(np.mean),
    "prod.dim_int": lambda self, dim, keepdim, dtype: np.prod(
        self, axis=_axis(self, dim), keepdims=keepdim, dtype=dtype
    ),
    "amax": lambda self, dim, keepdim: np.max(self, axis=_axes(self, dim), keepdims=keepdim),
    "amin": lambda self, dim, keepdim: np.min(self, axis=_axes(self, dim), keepdims=keepdim),
    "max.dim": _with_index(np.max, np.argmax),
    "min.dim": _with_index(np.min, np.argmin),
    "all": np.all,
    "any": np.any,
    "cumsum": lambda self, dim, dtype: np.cumsum(self, axis=_axis(self, dim), dtype=dtype),
    "cumprod": lambda self, dim, dtype: np.cumprod(self, axis=_axis(self, dim), dtype=dtype),
    "mm": lambda self, mat2: self @ mat2,
    "bmm": lambda self, mat2: self @ mat2,
    "mv": lambda self, vec: self @ vec,
    "dot": lambda self, tensor: np.dot(self, tensor),
    "addmm": lambda self, mat1, mat2, beta, alpha: beta * self + alpha * (mat1 @ mat2),
    "outer": lambda self, vec2: np.outer(self, vec2),
    "view": lambda self, size: self.reshape(size),
    "reshape": lambda self, shape: self.reshape(shape),
    "permute": lambda self, dims: np.transpose(self, dims),
    "transpose.int": lambda self, dim0, dim1: np.swapaxes(self, _axis(self, dim0), _axis(self, dim1)),
    "movedim.int": lambda self, source, destination: np.moveaxis(self, source, destination),
    "unsqueeze": lambda self, dim: np.expand_dims(self, dim),
    "squeeze": lambda self: np.squeeze(self),
    "expand": lambda self, size, implicit: np.broadcast_to(
        self,
        [own if size == -1 else size for size, own in zip(size, (*size[: -self.ndim or None], *self.shape))],
    ),
    "slice.Tensor": _slice,
    "select.int": _select,
    "flip": lambda self, dims: np.flip(self, dims),
    "roll": lambda self, shifts, dims: np.roll(self, shifts, dims or None),
    "cat": _cat,
    "stack": lambda tensors, dim: np.stack(tensors, axis=dim),
    "tril": np.tril,
    "triu": np.triu,
    "gather": _gather,
    "index_select": _index_select,
    "take": lambda self, index: np.take(self, index),
    "sort": lambda self, dim, descending: _sorted(self, dim, descending),
    "argsort.stable": lambda self, stable, dim, descending: _sorted(self, dim, descending)[1],
    "clone": lambda self, memory_format: self.copy(),
    "full": lambda size, fill_value, dtype, layout, device, pin_memory: np.full(size, fill_value, dtype),
    "zeros_like": lambda self, dtype, *_: np.zeros_like(self, dtype),
    "ones_like": lambda self, dtype, *_: np.ones_like(self, dtype),
    "_to_copy": lambda self, dtype, *_: self.astype(dtype or self.dtype),
}


def _sorted(self: Any, dim: int, descending: bool) -> tuple[Any, Any]:
    if descending:
        raise NotImplementedError("NumPy sorts in ascending order only")
    indices = np.argsort(self, axis=_axis(self, dim), kind="stable")
    return np.take_along_axis(self, indices, dim), indices


class NumPy(Library):
    """NumPy's arrays and functions."""

    name = "numpy"
    dtypes = _DTYPES
    expectations = str(Path(__file__).with_name("numpy_expectations.txt"))
    functions: ClassVar[Mapping[str, Callable[..., Any]]] = {
        **{name: _unary(function) for name, function in _UNARY.items()},
        **_BINARY,
        **_OTHERS,
    }

    def tensor(self, numbers: Sequence[Any], sizes: Sequence[int], dtype: str) -> Any:
        """A new array."""
        return np.array(numbers, dtype).reshape(sizes)

    def is_tensor(self, value: Any) -> bool:
        """Whether it is an array, or a scalar of NumPy's: reductions give one instead of an array of no
        dimensions.
        """
        return isinstance(value, (np.ndarray, np.generic))

    def describe(self, tensor: Any) -> tuple[str, Sequence[int], Sequence[Any]]:
        """dtype, sizes, elements."""
        return str(tensor.dtype), tensor.shape, tensor.ravel().tolist()

    def dtype(self, name: str) -> Any:
        """NumPy's dtype of that name; for a layout or a memory format its name."""
        return np.dtype(name) if name in _DTYPES else name

    def strided(self, storage: Any, sizes: Sequence[int], strides: Sequence[int], offset: int) -> Any:
        """A view of the storage."""
        in_bytes = [stride * storage.itemsize for stride in strides]
        return np.lib.stride_tricks.as_strided(storage[offset:], sizes, in_bytes)

    def shares_memory(self, one: Any, other: Any) -> bool | None:
        """Whether they overlap; a scalar owns its memory."""
        return bool(np.shares_memory(one, other)) if isinstance(one, np.ndarray) else False
