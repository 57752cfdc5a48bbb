"""Outputs: which tensors an operator may write to, and how ``out=`` is resized.

Source: aten/src/ATen/native/Resize.cpp, aten/src/ATen/MemoryOverlap.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..dispatch.dispatcher import OpOverload, aten
from ..memory.spec import Spec
from ..memory.tensor import Tensor, empty_tensor, is_alias_of
from ..values import dtype as dtypes
from ..values import geometry
from ..values.device import device
from ..values.dispatch_key import WRAPPER_KEYS
from ..values.dtype import can_cast
from ..values.errors import OutOfMemoryError, warn
from . import launch
from .iterator import converted_spec


def check_output_device(base: OpOverload, output: Tensor, where: device) -> None:
    """Raises RuntimeError unless ``output`` is on ``where``, the device of the call."""
    if output._spec.device is not where:
        raise RuntimeError(
            f"{base.schema.name}: Expected out tensor to be on {where}, but it is on {output._spec.device}"
        )


def check_cast(
    name: str, result: dtypes.dtype, output: dtypes.dtype, error: type[Exception] = RuntimeError
) -> None:
    """Raises ``error`` unless a result of dtype ``result`` can be cast to dtype ``output``."""
    if not can_cast(result, output):
        raise error(
            f"{name}{': ' if name else ''}result type {result.name} can't be cast to the desired output type "
            f"{output.name}; without an output to write to, the result would be {result.name}"
        )


def check_inplace_sizes(name: str, self: Spec, result: Spec) -> None:
    """Raises RuntimeError unless an in-place operator's result has the sizes of ``self``."""
    if result.sizes != self.sizes:
        raise RuntimeError(
            f"{name}: output with shape {list(self.sizes)} doesn't match the broadcast shape "
            f"{list(result.sizes)}"
        )


def no_forward_ad_of_out(name: str) -> NotImplementedError:
    """The error for an ``out=`` variant whose arguments have tangents."""
    return NotImplementedError(
        f"Trying to use forward AD with {name}_out that does not support it because it is an out= function"
    )


def _check_is_one_of(base: OpOverload, output: dtypes.dtype, *wanted: dtypes.dtype) -> None:
    """Raises RuntimeError unless an output's dtype is one of ``wanted``."""
    if output not in wanted:
        names = " or ".join(each.name for each in wanted)
        raise RuntimeError(
            f"{base.schema.name}: Expected out tensor to have dtype {names}, but got {output.name} instead"
        )


def check_output_dtype(base: OpOverload | None, result: dtypes.dtype, output: dtypes.dtype) -> None:
    """Raises RuntimeError unless a result of dtype ``result`` may be written to an ``out=`` of ``output``.

    Any possible cast is allowed, except that operators whose ``Out`` is ``exact`` require the result's dtype,
    and those with ``dtypes`` one of these.
    """
    assert base is not None
    if base.record.out.dtypes:
        _check_is_one_of(base, output, *base.record.out.dtypes)
        return
    if base.record.out.exact and base.record.dtype_position is None:
        _check_is_one_of(base, output, result)
    check_cast(base.schema.name, result, output, base.record.out.cast_error)


def check_no_internal_overlap(name: str, spec: Spec) -> None:
    """Raises RuntimeError if several elements of an output share one memory location."""
    if geometry.has_internal_overlap(spec.sizes, spec.strides):
        raise RuntimeError(
            f"{name}{': ' if name else ''}unsupported operation: more than one element of the written-to "
            "tensor refers to a single memory location. Please clone() the tensor before performing the "
            "operation."
        )


def check_no_overlap(variant: OpOverload, base: OpOverload, output: Tensor, arguments: Sequence[Any]) -> None:
    """Raises RuntimeError if ``variant`` may not write to ``output`` while it reads ``base``'s ``arguments``.

    The elements of ``output`` must not share memory with each other or with other elements of an input, and
    ``output`` must not be one of the ``separate`` arguments.
    """
    check_no_internal_overlap(variant.schema.name.lstrip("_"), output._spec)
    check_no_overlap_of_inputs(variant, base, output, arguments)


def check_no_overlap_of_inputs(
    variant: OpOverload, base: OpOverload, output: Tensor, arguments: Sequence[Any]
) -> None:
    """Like ``check_no_overlap``, but ``output`` may be expanded."""
    name = variant.schema.name.lstrip("_")
    for position in base.tensor_positions:
        value = arguments[position]
        separate = position in base.record.separate_positions
        for each in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(each, Tensor) and is_alias_of(each, output):
                check_no_partial_overlap(name, output, [each], separate)


def check_no_partial_overlap(name: str, output: Tensor, inputs: Any, separate: bool = False) -> None:
    """Raises RuntimeError if an input overlaps an output's memory without being exactly the same elements.

    With ``separate``, even if it is the same.

    Source: assert_no_partial_overlap, assert_no_overlap; like those, it ignores tensors with gaps.
    """
    spec = output._spec
    for each in inputs:
        if not is_alias_of(each, output) or (each is output and not separate):
            continue
        other = each._spec
        if each is not output and not (spec.numel and other.numel):
            continue
        begin = output._storage_offset * spec.dtype.itemsize
        other_begin = each._storage_offset * other.dtype.itemsize
        is_same = begin == other_begin and spec.nbytes == other.nbytes and spec.strides == other.strides
        if is_same and not separate:
            continue
        dense = geometry.is_non_overlapping_and_dense(spec.sizes, spec.strides)
        if each is not output and not (
            dense and geometry.is_non_overlapping_and_dense(other.sizes, other.strides)
        ):
            continue  # PyTorch does not check these either: MemOverlapStatus::TooHard
        if each is output or (begin < other_begin + other.nbytes and other_begin < begin + spec.nbytes):
            raise RuntimeError(
                f"{name}: unsupported operation: some elements of the input tensor and the written-to "
                "tensor refer to a single memory location. Please clone() the tensor before performing the "
                "operation."
            )


def is_expanded(tensor: Tensor) -> bool:
    return geometry.has_internal_overlap(tensor._spec.sizes, tensor._spec.strides)


def warn_of_expanded(operator: OpOverload) -> None:
    warn(
        f"Use of {operator.schema.name.lstrip('_')} on expanded tensors is deprecated. Please clone() the "
        "tensor before performing this operation.",
        UserWarning,
    )


def with_output_dtype(base: OpOverload, arguments: Sequence[Any], output: Tensor) -> Sequence[Any]:
    """The arguments, with the output's dtype for an omitted ``dtype``, for operators that accumulate in it.

    Raises RuntimeError if ``dtype`` is given and is another.  Source: get_dtype_from_result.
    """
    position = base.record.dtype_position
    if position is None:
        return arguments
    given = arguments[position]
    if given is not None:
        _check_is_one_of(base, output._spec.dtype, given)
    return [*arguments[:position], output._spec.dtype, *arguments[position + 1 :]]


def resize_for(base: OpOverload, output: Tensor, wanted: Spec, arguments: Sequence[Any]) -> None:
    """Resize ``output`` to the sizes and the memory order of the result of ``base``, ``wanted``."""
    row_major = base.record.out.row_major
    if callable(row_major):
        row_major = row_major(*arguments)
    resize_output(output, wanted.contiguous() if row_major else wanted)


def resize_output(output: Tensor, wanted: Spec) -> None:
    """Resize ``output`` to the sizes and the memory order of ``wanted``.

    Warns if ``output`` had other sizes and was not empty.  Source: at::native::resize_output.
    """
    if output._spec.sizes == wanted.sizes:
        return
    if output._spec.numel != 0:
        warn(
            "An output with one or more elements was resized since it had shape "
            f"{list(output._spec.sizes)}, which does not match the required output shape "
            f"{list(wanted.sizes)}. Reuse it by resizing it to zero elements first: out.resize_(0).",
        )
    resize_tensor(output, wanted.sizes, converted_spec(wanted, wanted.dtype).strides)


def allocate(spec: Spec) -> Tensor:
    """Allocate a tensor; an OutOfMemoryError names its sizes and dtype."""
    try:
        return empty_tensor(spec)
    except OutOfMemoryError as error:
        raise OutOfMemoryError(
            f"{error} (for a tensor of sizes {list(spec.sizes)}, {spec.dtype.name})"
        ) from None


def resize_tensor(tensor: Tensor, sizes: tuple[int, ...], strides: tuple[int, ...] | None = None) -> None:
    """Change a tensor's sizes in place; its storage grows if needed.  Source: resize_impl_cpu_."""
    storage = tensor.untyped_storage()
    spec = tensor._spec.with_geometry(sizes, strides or geometry.contiguous_strides(sizes))
    needed = tensor._storage_offset * spec.dtype.itemsize + spec.extent_nbytes
    if needed > storage.nbytes():
        storage.resize_(needed)
    tensor._spec = spec


def write_results(
    variant: OpOverload, results: Sequence[Tensor], outputs: Sequence[Tensor], arguments: Sequence[Any]
) -> Any:
    """Copy results into the ``out=`` arguments."""
    base = variant.record.base
    assert base is not None
    for output, result in zip(outputs, results):
        check_output_device(base, output, result._spec.device)
        check_output_dtype(base, result._spec.dtype, output._spec.dtype)
        resize_for(base, output, result._spec, arguments)
        check_no_overlap(variant, base, output, arguments)
    for output, result in zip(outputs, results):
        if (output._keys | result._keys) & WRAPPER_KEYS:  # no memory: its copy_ is intercepted
            aten.copy_(output, result)
        else:
            launch.copy_into(output, result)
    return outputs[0] if len(outputs) == 1 else tuple(outputs)
