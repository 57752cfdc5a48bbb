"""Shape-and-dtype rules that many operators share: PyTorch's TORCH_META_FUNC and its builders.

Each maps specs (and numbers, where a number may stand for a tensor) to the TensorIterator that walks them,
whose ``output_specs`` are the result.  What they raise is prefixed with the operator's name by the caller.
"""

from __future__ import annotations

import functools
import textwrap
from collections.abc import Callable, Sequence
from typing import Any

from ..memory.spec import Spec
from ..values import dtype as dtypes
from ..values.dispatch_key import BATCHED
from ..values.dtype import (
    Number,
    bfloat16,
    bool_,
    check_number_fits,
    dtype,
    float16,
    float32,
    get_default_dtype,
    int64,
    uint8,
)
from ..values.geometry import Ints, wrap_dims
from .iterator import TensorIterator, converted_spec, result_type

Rule = Callable[..., TensorIterator]

_BROADCAST = "The operands broadcast and their dtypes promote"
_NO_BROADCAST = "Raises RuntimeError for sizes that do not broadcast"


def documented(rule: Rule, text: str, refused: Sequence[str] = (), errors: str = "") -> Rule:
    """``rule``, that says in the docstring of each operator what it makes of sizes and dtypes."""
    if refused:
        names = [{"bool": "bool", "floating": "floating point"}.get(each, each) for each in refused]
        kinds = " and ".join([", ".join(names[:-1]), names[-1]] if names[1:] else names)
        errors += f"{', ' if errors else 'Raises '}NotImplementedError for {kinds} dtypes"
    says = f"{text}.  {errors}." if errors else f"{text}."
    rule.says = textwrap.fill(says, 110) if len(says) > 110 else says  # type: ignore[attr-defined]
    return rule


def refuse(dtype: dtypes.dtype, *categories: str) -> None:
    """Raises NotImplementedError for a dtype of one of ``categories``: bool, integer, floating, complex."""
    kind = ("bool", "integer", "floating", "complex")[dtype.category]
    if kind in categories:
        raise NotImplementedError(f"not implemented for dtype {dtype.name}{_remedy(kind, categories)}")


def refuse_half(dtype: dtypes.dtype) -> None:
    """Raises NotImplementedError for float16 and bfloat16."""
    if dtype in (float16, bfloat16):
        raise NotImplementedError(f"not implemented for dtype {dtype.name}; x.to(gnomon.float32) converts it")


def _remedy(kind: str, refused: Sequence[str]) -> str:
    """What would do instead of a dtype of ``kind`` where those of ``refused`` do not, as an error says it."""
    if kind == "complex":
        return "; x.real, x.imag and x.abs() are real"
    wanted = next((each for each in ("integer", "floating", "bool") if each not in refused), None)
    number = {"integer": "int64", "floating": "float32", "bool": "bool"}.get(wanted or "")
    return f"; x.to(gnomon.{number}) converts it" if number else ""


def expect(argument: str, found: Spec | None, sizes: Ints, wanted: dtypes.dtype | None = None) -> None:
    """Raises RuntimeError where a tensor is not what the others make of it: a kernel would read beyond it.

    ``argument``: its name.  None, for one that was not given, passes; so does any dtype where none is wanted.
    """
    if found is None:
        return
    if found.sizes != sizes:
        raise RuntimeError(f"expected {argument} of sizes {list(sizes)}, but got {list(found.sizes)}")
    if wanted is not None and found.dtype is not wanted:
        raise RuntimeError(f"expected {argument} of dtype {wanted.name}, but got {found.dtype.name}")


def device_of(*operands: Any) -> Any:
    """The device of the first spec among the operands."""
    for operand in operands:
        if isinstance(operand, Spec):
            return operand.device
        if isinstance(operand, (list, tuple)):
            return device_of(*operand)
    raise TypeError("expected at least one tensor")


def walk(
    inputs: Sequence[Spec | Number], output_dtype: dtype, common_dtype: dtype | None, **options: Any
) -> TensorIterator:
    """The TensorIterator over one new output and ``inputs``."""
    return TensorIterator("", inputs, [output_dtype], common_dtype, device_of(*inputs), **options)


def to_float(dtype: dtypes.dtype) -> dtypes.dtype:
    """Integers and bool become the default dtype: what an operator with fractional results computes in."""
    return get_default_dtype() if dtype.category < 2 else dtype


def computed_in(dtype: dtypes.dtype) -> dtypes.dtype:
    """What a kernel computes in: float32 for halves."""
    return float32 if dtype.is_floating_point and dtype.itemsize == 2 else dtype


def with_numbers(rule: Rule, as_halves: bool = False) -> Rule:
    """``rule``, which refuses numbers that do not fit what the kernel computes in, or (``as_halves``) reads
    them as.
    """

    @functools.wraps(rule)
    def checked(*arguments: Any) -> TensorIterator:
        iterator = rule(*arguments)
        common: Any = iterator.common_dtype
        for argument in arguments:
            if isinstance(argument, (int, float, complex)):
                check_number_fits(argument, common if as_halves else computed_in(common))
        return iterator

    return checked


def unary(*refused: str) -> Rule:
    """One operand; the result has its dtype."""

    def rule(self: Spec, *arguments: Any) -> TensorIterator:
        refuse(self.dtype, *refused)
        return walk([self], self.dtype, self.dtype)

    return documented(rule, "The result has the operand's sizes and dtype", refused)


def unary_float(*refused: str) -> Rule:
    """One operand; the result is floating point (or complex)."""

    def rule(self: Spec, *arguments: Any) -> TensorIterator:
        refuse(self.dtype, *refused)
        dtype = to_float(self.dtype)
        return walk([self], dtype, dtype)

    text = "The result has the operand's sizes and dtype; that of integers and bool has the default dtype"
    return documented(rule, text, refused)


def unary_bool(self: Spec, *arguments: Any) -> TensorIterator:
    """One operand of any dtype; the result is bool."""
    return walk([self], bool_, self.dtype)


documented(unary_bool, "The result has the operand's sizes and the dtype bool")


def binary(*refused: str) -> Rule:
    """Two operands, broadcast and promoted; the result has their common dtype."""

    def rule(self: Spec | Number, other: Spec | Number, *arguments: Any) -> TensorIterator:
        common = result_type(self, other)
        refuse(common, *refused)
        return walk([self, other], common, common)

    return documented(rule, _BROADCAST, refused, _NO_BROADCAST)


def binary_float(*refused: str) -> Rule:
    """Two operands, broadcast and promoted; the result is floating point (or complex)."""

    def rule(self: Spec | Number, other: Spec | Number, *arguments: Any) -> TensorIterator:
        common = to_float(result_type(self, other))
        refuse(common, *refused)
        return walk([self, other], common, common)

    text = f"{_BROADCAST}; of integers and bool the result has the default dtype"
    return documented(rule, text, refused, _NO_BROADCAST)


def comparison(*refused: str) -> Rule:
    """Two operands, broadcast and compared in their common dtype; the result is bool."""

    def rule(self: Spec | Number, other: Spec | Number) -> TensorIterator:
        common = result_type(self, other)
        refuse(common, *refused)
        return walk([self, other], bool_, common)

    return documented(rule, f"{_BROADCAST}; the result is bool", refused, _NO_BROADCAST)


def check_alpha(dtype: dtypes.dtype, alpha: Number, name: str = "alpha") -> None:
    """Raises RuntimeError for a multiplier that the dtype can not hold.  Source: alpha_check."""
    if isinstance(alpha, bool) and dtype is not bool_:
        raise RuntimeError(f"Boolean {name} only supported for Boolean results.")
    if dtype.category < 2 and not isinstance(alpha, int):
        raise RuntimeError(
            f"For integral input tensors, argument {name} must not be a floating point number."
        )
    if isinstance(alpha, complex) and not dtype.is_complex:
        raise RuntimeError(f"For non-complex input tensors, argument {name} must not be a complex number.")
    check_number_fits(alpha, dtype)


def reduced_dims(dim: Sequence[int] | int | None, ndim: int, empty_means_all: bool = True) -> Ints:
    """The dimensions that a reduction goes over, from the front, in order: all when none is named."""
    if dim is None or (empty_means_all and not isinstance(dim, int) and len(dim) == 0):
        return tuple(range(ndim))
    dims = wrap_dims((dim,) if isinstance(dim, int) else tuple(dim), ndim)
    return tuple(sorted(dims)) if ndim else ()


def reduce(
    self: Spec,
    dim: Sequence[int] | int | None,
    keepdim: bool,
    output_dtype: dtype,
    common_dtype: dtype,
    empty_means_all: bool = True,
) -> TensorIterator:
    """A reduction of ``self`` over ``dim``."""
    dims = reduced_dims(dim, self.ndim, empty_means_all)
    return TensorIterator(
        "", [self], [output_dtype], common_dtype, self.device, reduced_dims=dims, keepdim=keepdim
    )


def sum_dtype(self: Spec, dtype: dtypes.dtype | None) -> dtypes.dtype:
    """What a sum accumulates in and returns: ``dtype``, or int64 for integers and bool.

    Source: get_dtype_from_self.
    """
    if dtype is not None:
        return dtype
    return int64 if self.dtype.category < 2 else self.dtype


def bool_result_dtype(self: Spec) -> dtypes.dtype:
    """The dtype of any and all: bool, but uint8 for uint8."""
    return uint8 if self.dtype is uint8 else bool_


def dense_like(self: Spec, dtype: dtypes.dtype | None = None) -> Spec:
    """A new tensor laid out as ``self``, without gaps or repetition."""
    return converted_spec(self, dtype or self.dtype)


def can_be_read(tensor: Any) -> bool:
    """Are there numbers to look at?  Not on the meta device, and not under vmap, where each example has its
    own.
    """
    return not tensor.is_meta and not tensor._keys & BATCHED
