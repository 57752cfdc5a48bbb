"""Meta functions that many operators share.  Source: PyTorch's TORCH_META_FUNC.

Each maps specs, and numbers in place of tensors, to a TensorIterator, whose ``output_specs`` are the result.
The caller prefixes errors with the operator's name.
"""

from __future__ import annotations

import functools
import textwrap
from collections.abc import Callable, Sequence
from typing import Any

from ..memory.spec import Spec, spec_of
from ..values import dtype as dtypes
from ..values.dtype import Number, bool_, check_number_fits, dtype, float32, get_default_dtype, int64, uint8
from ..values.geometry import Ints, contiguous_strides, wrap_dims
from .checks import device_of, refuse_dtype
from .iterator import TensorIterator, converted_spec, result_type

MetaFunction = Callable[..., TensorIterator]

_BROADCAST = "The operands broadcast and their dtypes promote"
_NO_BROADCAST = "Raises RuntimeError for sizes that do not broadcast"


def documented(meta: MetaFunction, text: str, refused: Sequence[str] = (), errors: str = "") -> MetaFunction:
    """Attach to ``meta`` the text about sizes and dtypes for the docstrings of its operators."""
    if refused:
        names = [{"bool": "bool", "floating": "floating point"}.get(each, each) for each in refused]
        kinds = " and ".join([", ".join(names[:-1]), names[-1]] if names[1:] else names)
        errors += f"{', ' if errors else 'Raises '}NotImplementedError for {kinds} dtypes"
    says = f"{text}.  {errors}." if errors else f"{text}."
    meta.says = textwrap.fill(says, 110) if len(says) > 110 else says  # type: ignore[attr-defined]
    return meta


def build_iterator(
    inputs: Sequence[Spec | Number], output_dtype: dtype, common_dtype: dtype | None, **options: Any
) -> TensorIterator:
    """The TensorIterator over one new output and ``inputs``."""
    return TensorIterator("", inputs, [output_dtype], common_dtype, device_of(*inputs), **options)


def to_float(dtype: dtypes.dtype) -> dtypes.dtype:
    """The default dtype for integers and bool, else ``dtype``: for operators with fractional results."""
    return get_default_dtype() if dtype.category < 2 else dtype


def computed_in(dtype: dtypes.dtype) -> dtypes.dtype:
    """The opmath type: float32 for float16 and bfloat16."""
    return float32 if dtype.is_floating_point and dtype.itemsize == 2 else dtype


def with_numbers(meta: MetaFunction, as_halves: bool = False) -> MetaFunction:
    """``meta`` with a check that numbers fit the opmath type, or the common dtype if ``as_halves``."""

    @functools.wraps(meta)
    def checked(*arguments: Any) -> TensorIterator:
        iterator = meta(*arguments)
        common = iterator.common_dtype
        for argument in arguments:
            if isinstance(argument, (int, float, complex)):
                check_number_fits(argument, common if as_halves else computed_in(common))
        return iterator

    return checked


def unary(*refused: str) -> MetaFunction:
    """The meta function for one operand; the result has its dtype."""

    def meta(self: Spec, *arguments: Any) -> TensorIterator:
        refuse_dtype(self.dtype, *refused)
        return build_iterator([self], self.dtype, self.dtype)

    return documented(meta, "The result has the operand's sizes and dtype", refused)


def unary_float(*refused: str) -> MetaFunction:
    """The meta function for one operand; the result is floating point (or complex)."""

    def meta(self: Spec, *arguments: Any) -> TensorIterator:
        refuse_dtype(self.dtype, *refused)
        dtype = to_float(self.dtype)
        return build_iterator([self], dtype, dtype)

    text = "The result has the operand's sizes and dtype; for integers and bool, the default dtype"
    return documented(meta, text, refused)


def unary_bool(self: Spec, *arguments: Any) -> TensorIterator:
    """The meta function for one operand of any dtype; the result is bool."""
    return build_iterator([self], bool_, self.dtype)


documented(unary_bool, "The result has the operand's sizes and the dtype bool")


def binary(*refused: str) -> MetaFunction:
    """The meta function for two operands, broadcast and promoted; the result has their common dtype."""

    def meta(self: Spec | Number, other: Spec | Number, *arguments: Any) -> TensorIterator:
        common = result_type(self, other)
        refuse_dtype(common, *refused)
        return build_iterator([self, other], common, common)

    return documented(meta, _BROADCAST, refused, _NO_BROADCAST)


def binary_in_second_order(*refused: str) -> MetaFunction:
    """``binary``, but if the operands' memory orders differ, the result has that of the second one.

    So have the gradients of activations, whose TensorIterator in PyTorch has the activation before
    ``grad_output``: they stay channels last in a channels last network.
    """
    plain = binary(*refused)

    def meta(self: Spec | Number, other: Spec | Number, *arguments: Any) -> TensorIterator:
        found = plain(self, other)
        wanted = plain(other, self).output_specs
        if wanted == found.output_specs:
            return found
        common = wanted[0].dtype
        return build_iterator([self, other], common, common, outputs=wanted)

    return documented(meta, _BROADCAST, refused, _NO_BROADCAST)


def binary_float(*refused: str) -> MetaFunction:
    """The meta function for two operands, broadcast and promoted; the result is floating point or complex."""

    def meta(self: Spec | Number, other: Spec | Number, *arguments: Any) -> TensorIterator:
        common = to_float(result_type(self, other))
        refuse_dtype(common, *refused)
        return build_iterator([self, other], common, common)

    text = f"{_BROADCAST}; for integers and bool, the result has the default dtype"
    return documented(meta, text, refused, _NO_BROADCAST)


def comparison(*refused: str) -> MetaFunction:
    """The meta function for two operands, broadcast and compared in their common dtype; returns bool."""

    def meta(self: Spec | Number, other: Spec | Number) -> TensorIterator:
        common = result_type(self, other)
        refuse_dtype(common, *refused)
        return build_iterator([self, other], bool_, common)

    return documented(meta, f"{_BROADCAST}; the result is bool", refused, _NO_BROADCAST)


def reduced_dims(dim: Sequence[int] | int | None, ndim: int, empty_means_all: bool = True) -> Ints:
    """The dimensions that a reduction reduces, nonnegative and sorted; all of them if none is given."""
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
    """The TensorIterator of a reduction of ``self`` over ``dim``."""
    dims = reduced_dims(dim, self.ndim, empty_means_all)
    return TensorIterator(
        "", [self], [output_dtype], common_dtype, self.device, reduced_dims=dims, keepdim=keepdim
    )


def sum_dtype(self: Spec, dtype: dtypes.dtype | None) -> dtypes.dtype:
    """The dtype that a sum returns: ``dtype`` if given, else int64 for integers and bool.

    Source: get_dtype_from_self.
    """
    if dtype is not None:
        return dtype
    return int64 if self.dtype.category < 2 else self.dtype


def bool_result_dtype(self: Spec) -> dtypes.dtype:
    """The dtype of any and all: bool, but uint8 for uint8."""
    return uint8 if self.dtype is uint8 else bool_


def dense_like(self: Spec, dtype: dtypes.dtype | None = None) -> Spec:
    """The spec of a new dense tensor with the memory order of ``self``."""
    return converted_spec(self, dtype or self.dtype)


def column_major(sizes: Ints, like: Spec) -> Spec:
    """The spec of new matrices (*, n, m) with contiguous columns, as LAPACK returns them.

    Source: batched_matrix_contiguous_strides.
    """
    *batch, column, row = contiguous_strides((*sizes[:-2], sizes[-1], sizes[-2]))
    return spec_of(sizes, (*batch, row, column), like.dtype, like.device)
