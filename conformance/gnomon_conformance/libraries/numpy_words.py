"""Operators in the words of NumPy's functions, which ``numpy`` and ``jax.numpy`` both have."""

from __future__ import annotations

_SAME = (
    *("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "sin", "cos", "tan", "sinh", "cosh"),
    *("tanh", "floor", "ceil", "trunc", "abs", "sign", "square", "reciprocal", "round", "signbit"),
    *("isnan", "isinf", "isfinite", "bitwise_not", "logical_not", "deg2rad", "rad2deg", "trace"),
    *("all", "any"),
)
_UNARY = {
    **{name: name for name in _SAME},
    **{f"a{name}": f"arc{name}" for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
    "neg": "negative",
    "nonzero": "argwhere",
}
_BINARY = {
    **{
        name: name
        for name in (
            *("maximum", "minimum", "fmax", "fmin", "logical_and", "logical_or", "logical_xor", "hypot"),
            *("nextafter", "gcd", "lcm", "logaddexp", "floor_divide"),
        )
    },
    "mul.Tensor": "multiply",
    "div.Tensor": "true_divide",
    "atan2": "arctan2",
    "eq.Tensor": "equal",
    "ne.Tensor": "not_equal",
    "lt.Tensor": "less",
    "le.Tensor": "less_equal",
    "gt.Tensor": "greater",
    "ge.Tensor": "greater_equal",
    "fmod.Tensor": "fmod",
    "remainder.Tensor": "remainder",
    "bitwise_and.Tensor": "bitwise_and",
    "bitwise_or.Tensor": "bitwise_or",
    "bitwise_xor.Tensor": "bitwise_xor",
    "copysign.Tensor": "copysign",
}

AXES = "axis=tuple(dim) if dim and self.ndim else None, keepdims=keepdim"  # an empty list means all
_AXIS = "axis=dim, keepdims=keepdim"
_SIZES = "[n if s == -1 else s for s, n in zip(size, (*size[: -self.ndim or None], *self.shape))]"

EXPRESSIONS: dict[str, str] = {
    **{name: f"np.{word}(self)" for name, word in _UNARY.items()},
    **{name: f"np.{word}(self, other)" for name, word in _BINARY.items()},
    "pow.Tensor_Tensor": "np.power(self, exponent)",
    "heaviside": "np.heaviside(self, values)",
    "t": "self.T",
    "add.Tensor": "np.add(self, other if alpha == 1 else np.multiply(other, alpha))",
    "sub.Tensor": "np.subtract(self, other if alpha == 1 else np.multiply(other, alpha))",
    "where.self": "np.where(condition, self, other)",
    "sum.dim_IntList": f"np.sum(self, {AXES}, dtype=dtype)",
    "mean.dim": f"np.mean(self, {AXES}, dtype=dtype)",
    "prod.dim_int": f"np.prod(self, {_AXIS}, dtype=dtype)",
    "amax": f"np.max(self, {AXES})",
    "amin": f"np.min(self, {AXES})",
    "max.dim": f"(np.max(self, {_AXIS}), np.argmax(self, {_AXIS}))",
    "min.dim": f"(np.min(self, {_AXIS}), np.argmin(self, {_AXIS}))",
    "cumsum": "np.cumsum(self, axis=dim, dtype=dtype)",
    "cumprod": "np.cumprod(self, axis=dim, dtype=dtype)",
    "mm": "self @ mat2",
    "bmm": "self @ mat2",
    "mv": "self @ vec",
    "dot": "np.dot(self, tensor)",
    "addmm": "beta * self + alpha * (mat1 @ mat2)",
    "outer": "np.outer(self, vec2)",
    "view": "self.reshape(size)",
    "reshape": "self.reshape(shape)",
    "permute": "np.transpose(self, dims)",
    "transpose.int": "np.swapaxes(self, dim0, dim1)",
    "movedim.int": "np.moveaxis(self, source, destination)",
    "unsqueeze": "np.expand_dims(self, dim)",
    "squeeze": "np.squeeze(self)",
    "expand": f"np.broadcast_to(self, {_SIZES})",
    "slice.Tensor": "np.moveaxis(np.moveaxis(self, dim, 0)[start:end:step], 0, dim)",
    "select.int": "np.moveaxis(self, dim, 0)[index, ...]",
    "flip": "np.flip(self, dims)",
    "roll": "np.roll(self, shifts, dims or None)",
    "cat": "np.concatenate(tensors, axis=dim)",
    "stack": "np.stack(tensors, axis=dim)",
    "tril": "np.tril(self, diagonal)",
    "triu": "np.triu(self, diagonal)",
    "gather": "np.take_along_axis(self, index, dim)",
    "index_select": "np.take(self, index, axis=dim)",
    "take": "np.take(self, index)",
    "sort": "(np.sort(self, axis=dim, kind='stable'), np.argsort(self, axis=dim, kind='stable'))",
    "argsort.stable": "np.argsort(self, axis=dim, kind='stable')",
    "clone": "self.copy()",
    "full": "np.full(size, fill_value, dtype)",
    "zeros_like": "np.zeros_like(self, dtype)",
    "ones_like": "np.ones_like(self, dtype)",
    "_to_copy": "self.astype(self.dtype if dtype is None else dtype)",
}

_ASCENDING = "descending and 'it sorts in ascending order only'"
_OTHER_SIZES = "any(i != dim % self.ndim and m != n for i, (m, n) in enumerate(zip(self.shape, index.shape)))"
DECLINES: dict[str, str] = {
    "sort": _ASCENDING,
    "argsort.stable": _ASCENDING,
    "gather": f"{_OTHER_SIZES} and 'take_along_axis broadcasts, where PyTorch takes a part'",
    "index_select": "index.ndim == 0 and 'it drops the dimension for an index of no dimensions'",
    "cat": "len({each.ndim for each in tensors}) > 1 and any(each.shape == (0,) for each in tensors)"
    " and 'PyTorch skips an empty vector among others, for the sake of old programs'",
}
