"""JAX as a subject of the suite: ``gnomon conform --library jax``.

``jax.numpy`` has NumPy's functions; those of ``jax.nn``, ``jax.lax`` and ``jax.scipy`` are added.  Gradients
are JAX's vector-Jacobian products of each call.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from . import numpy_words
from .written import WrittenLibrary

_DTYPES = (
    *("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64"),
    *("complex64", "complex128"),
)
_SPECIAL = {
    "erf": "erf",
    "erfc": "erfc",
    "special_erfcx": "erfcx",
    "erfinv": "erfinv",
    "lgamma": "gammaln",
    "digamma": "digamma",
    "i0": "i0",
    "special_i0e": "i0e",
    "special_i1": "i1",
    "special_i1e": "i1e",
    "special_ndtri": "ndtri",
    "special_log_ndtr": "log_ndtr",
    "special_entr": "entr",
}
_EXPRESSIONS = {
    **{name: re.sub(r"\bnp\.", "jnp.", text) for name, text in numpy_words.EXPRESSIONS.items()},
    **{name: f"jax.scipy.special.{word}(self)" for name, word in _SPECIAL.items()},
    "sinc": "jnp.sinc(self)",
    "rsqrt": "jax.lax.rsqrt(self)",
    "sigmoid": "jax.nn.sigmoid(self)",
    "relu": "jax.nn.relu(self)",
    "silu": "jax.nn.silu(self)",
    "mish": "jax.nn.mish(self)",
    "hardswish": "jax.nn.hard_swish(self)",
    "hardsigmoid": "jax.nn.hard_sigmoid(self)",
    "log_sigmoid": "jax.nn.log_sigmoid(self)",
    "leaky_relu": "jax.nn.leaky_relu(self, negative_slope)",
    "gelu": "jax.nn.gelu(self, approximate=approximate == 'tanh')",
    "_softmax": "jax.nn.softmax(self, axis=dim)",
    "_log_softmax": "jax.nn.log_softmax(self, axis=dim)",
    "logsumexp": f"jax.nn.logsumexp(self, {numpy_words.AXES})",
    "sort": "(jnp.sort(self, axis=dim, stable=True), jnp.argsort(self, axis=dim, stable=True))",
    "argsort.stable": "jnp.argsort(self, axis=dim, stable=True)",
    "clamp": "jnp.clip(self, min, max)",
    "nan_to_num": "jnp.nan_to_num(self, nan=nan or 0.0, posinf=posinf, neginf=neginf)",
    "ldexp.Tensor": "jnp.ldexp(self, other)",
    "bitwise_left_shift.Tensor": "jnp.left_shift(self, other)",
    "bitwise_right_shift.Tensor": "jnp.right_shift(self, other)",
    "special_xlog1py": "jax.scipy.special.xlog1py(self, other)",
    "xlogy.Tensor": "jax.scipy.special.xlogy(self, other)",
    "var.correction": f"jnp.var(self, {numpy_words.AXES}, ddof=1 if correction is None else correction)",
    "std.correction": f"jnp.std(self, {numpy_words.AXES}, ddof=1 if correction is None else correction)",
    "argmax": "jnp.argmax(self, axis=dim, keepdims=keepdim)",
    "argmin": "jnp.argmin(self, axis=dim, keepdims=keepdim)",
    "logcumsumexp": "jax.lax.cumlogsumexp(self, dim % self.ndim)",
    "topk": "jax.lax.top_k(self, k)",
    "kron": "jnp.kron(self, other)",
    "angle": "jnp.angle(self)",
    "conj_physical": "jnp.conj(self)",
    "diagonal": "jnp.diagonal(self, offset, dim1, dim2)",
    "linalg_det": "jnp.linalg.det(A)",
    "linalg_inv": "jnp.linalg.inv(A)",
    "cholesky": "jnp.linalg.cholesky(self, upper=upper)",
}


class JAX(WrittenLibrary):
    """JAX's arrays and functions, with dtypes of 64 bits."""

    name = "jax"
    dtypes = _DTYPES
    imports = 'import jax\nimport jax.numpy as jnp\n\njax.config.update("jax_enable_x64", True)'
    expressions = _EXPRESSIONS
    declines: Mapping[str, str] = {
        **numpy_words.DECLINES,
        "topk": "not (largest and dim in (-1, self.ndim - 1)) and 'top_k has neither dim nor largest'",
        "nan_to_num": "self.dtype == bool and 'no bool'",
    }

    def _function(self, name: str, text: str) -> Callable[..., Any]:
        made = super()._function(name, text)
        return lambda *values: _recorded(made, values)

    def tensor(self, numbers: Sequence[Any], sizes: Sequence[int], dtype: str) -> Any:
        """A new array."""
        return jnp.array(numbers, dtype).reshape(sizes)

    def tensor_text(self, numbers: Sequence[Any], sizes: Sequence[int], dtype: str) -> str:
        """An expression that makes it."""
        shape = "" if len(sizes) == 1 else f".reshape({tuple(sizes)})"
        return f"jnp.array({list(numbers)}, {dtype!r}){shape}"

    def gradient_text(self, call: str, inputs: Sequence[str], incoming: str) -> str:
        """The call's vector-Jacobian product."""
        names = ", ".join(inputs)
        if "complex" not in incoming:
            return f"jax.vjp(lambda {names}: {call}, {names})[1]({incoming})"
        pulled = f"jax.vjp(lambda {names}: {call}, {names})[1](jnp.conj({incoming}))"
        return f"[jnp.conj(each) for each in {pulled}]"

    def is_tensor(self, value: Any) -> bool:
        """Whether it is an array."""
        return isinstance(value, (jax.Array, Tracked))

    def describe(self, tensor: Any) -> tuple[str, Sequence[int], Sequence[Any]]:
        """dtype, sizes, elements."""
        array = tensor.array if isinstance(tensor, Tracked) else tensor
        return str(array.dtype), array.shape, array.ravel().tolist()

    def dtype(self, name: str) -> Any:
        """JAX's dtype of that name; for a layout or a memory format its name."""
        return jnp.dtype(name) if name in _DTYPES else name

    def track(self, tensor: Any) -> Any:
        """The array, whose calls are recorded."""
        return Tracked(tensor, None)

    def gradients(
        self, outputs: Sequence[Any], incoming: Sequence[Any], inputs: Sequence[Any]
    ) -> Sequence[Any]:
        """Through the recorded calls, from the last to the first.  JAX's gradients of complex numbers are the
        conjugates of PyTorch's, for conjugate gradients of the results.
        """
        found: dict[int, Any] = {}
        for output, gradient in zip(outputs, incoming):
            if not isinstance(output, Tracked):
                raise ValueError("the result does not depend on the inputs")
            _add(found, output, jnp.conj(gradient))
        for call in _calls(outputs):
            given = [found.get(id(each)) for each in call.results]
            if any(each is not None for each in given):
                cotangents = [_zeros(each) if g is None else g for each, g in zip(call.results, given)]
                for each, gradient in zip(call.tracked, call.pull(cotangents)):
                    _add(found, each, gradient)
        gradients = [found.get(id(each)) for each in inputs]
        return [None if each is None else jnp.conj(each) for each in gradients]


class Tracked:
    """An array, and the call that made it, or None for an input."""

    def __init__(self, array: Any, call: _Call | None):
        self.array = array
        self.call = call


class _Call(NamedTuple):
    """A recorded call: what it was made with, its results, and their cotangents' way back."""

    tracked: Sequence[Tracked]
    results: list[Tracked]
    pull: Callable[[Sequence[Any]], Sequence[Any]]


def _recorded(function: Callable[..., Any], values: Sequence[Any]) -> Any:
    """Call the function; with tracked arguments, record the call."""
    flat = [each for value in values for each in (value if isinstance(value, tuple) else (value,))]
    tracked = list({id(each): each for each in flat if isinstance(each, Tracked)}.values())
    if not tracked:
        return function(*values)

    def of_arrays(*arrays: Any) -> list[Any]:
        replaced = {id(each): array for each, array in zip(tracked, arrays)}

        def with_arrays(value: Any) -> Any:
            if isinstance(value, tuple):
                return tuple(with_arrays(each) for each in value)
            return replaced.get(id(value), value)

        result = function(*map(with_arrays, values))
        return list(result) if isinstance(result, (tuple, list)) else [result]

    arrays, pull = jax.vjp(of_arrays, *(each.array for each in tracked))
    call = _Call(tracked, [], pull)
    call.results.extend(Tracked(each, call) for each in arrays)
    return call.results if len(call.results) > 1 else call.results[0]


def _zeros(tracked: Tracked) -> Any:
    is_float = jnp.issubdtype(tracked.array.dtype, jnp.inexact)
    return jnp.zeros(tracked.array.shape, tracked.array.dtype if is_float else jax.dtypes.float0)


def _add(found: dict[int, Any], tracked: Tracked, gradient: Any) -> None:
    found[id(tracked)] = found[id(tracked)] + gradient if id(tracked) in found else gradient


def _calls(outputs: Sequence[Any]) -> list[_Call]:
    """The calls that the outputs depend on, each before those that made its arguments."""
    order: list[_Call] = []
    seen: set[int] = set()

    def visit(call: _Call | None) -> None:
        if call is not None and id(call) not in seen:
            seen.add(id(call))
            for each in call.tracked:
                visit(each.call)
            order.append(call)

    for each in outputs:
        visit(each.call)
    return order[::-1]
