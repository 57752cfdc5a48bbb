"""Argument checks that several operators share, and their error messages.

PyTorch's TensorArg, a tensor with its argument's name, is a keyword argument here, ``check_dim(2, x=x)``: a
spec, a Tensor, or None for an omitted argument, which passes.  The messages are PyTorch's, without the
argument's number; the caller prefixes the operator's name (calls/composites.py).

Source: aten/src/ATen/TensorUtils.h, and where a check says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..memory.spec import Spec
from ..values import dtype as dtypes
from ..values.dispatch_key import BATCHED
from ..values.dtype import Number, bfloat16, bool_, check_number_fits, float16, float32, int32, int64
from ..values.geometry import Ints, extent
from ..values.library_name import LIBRARY


def _given(tensors: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    return ((name, tensor) for name, tensor in tensors.items() if tensor is not None)


def _check_same(what: str, properties: dict[str, Any]) -> None:
    """Raises RuntimeError for an argument whose property differs from that of the first one."""
    (first, wanted), *others = properties.items()
    for name, found in others:
        if found != wanted:
            raise RuntimeError(
                f"Expected tensor for argument '{name}' to have {what} as tensor for argument '{first}'; but "
                f"{found} does not equal {wanted}"
            )


def check_dim(dim: int, /, **tensors: Any) -> None:
    """Raises RuntimeError unless there are ``dim`` dimensions.  Source: checkDim."""
    for name, tensor in _given(tensors):
        if tensor.ndim != dim:
            raise RuntimeError(
                f"Expected {dim}-dimensional tensor, but got {tensor.ndim}-dimensional tensor for argument "
                f"'{name}'"
            )


def check_dim_range(start: int, end: int, /, **tensors: Any) -> None:
    """Raises RuntimeError unless ``start <= tensor.ndim < end``.  Source: checkDimRange."""
    for name, tensor in _given(tensors):
        if not start <= tensor.ndim < end:
            raise RuntimeError(
                f"Expected {start} to {end - 1} dimensions, but got {tensor.ndim}-dimensional tensor for "
                f"argument '{name}'"
            )


def check_same_dim(**tensors: Any) -> None:
    """Raises RuntimeError unless all have the same number of dimensions.  Source: checkSameDim."""
    _check_same("the same dimension", {name: tensor.ndim for name, tensor in _given(tensors)})


def check_matrix(**tensors: Any) -> None:
    """Raises RuntimeError for fewer than two dimensions.  Source: LinearAlgebraUtils.h, checkIsMatrix."""
    for name, tensor in _given(tensors):
        if tensor.ndim < 2:
            raise RuntimeError(f"The input tensor {name} must have at least 2 dimensions, got {tensor.ndim}")


def check_square_matrices(operator: str, A: Any, argument: str = "A") -> None:
    """Raises RuntimeError unless ``A`` is a square matrix or a batch of them.

    Source: LinearAlgebraUtils.h, squareCheckInputs.
    """
    if A.ndim < 2:
        raise RuntimeError(f"{operator}: The input tensor {argument} must have at least 2 dimensions.")
    rows, columns = A.shape[-2:]
    if rows != columns:
        raise RuntimeError(
            f"{operator}: {argument} must be batches of square matrices, but they are {rows} by {columns} "
            "matrices"
        )


def check_solvable(operator: str, A: Any, B: Any, left: bool) -> None:
    """Raises RuntimeError unless ``A X = B`` (not ``left``: ``X A = B``) has a solution of B's sizes for
    every invertible ``A``.

    Source: LinearAlgebraUtils.h, linearSolveCheckInputs.
    """
    check_square_matrices(operator, A)
    if B.ndim < 2:
        raise RuntimeError(f"{operator}: The input tensor B must have at least 2 dimensions.")
    if A.shape[-1] != B.shape[-2 if left else -1]:
        raise RuntimeError(
            f"{operator}: Incompatible shapes of A and B for the equation {'AX' if left else 'XA'} = B "
            f"({A.shape[-2]}x{A.shape[-1]} and {B.shape[-2]}x{B.shape[-1]})"
        )


def check_precise(operator: str, dtype: dtypes.dtype) -> None:
    """Raises RuntimeError for bool, integers, float16 and bfloat16.

    Source: LinearAlgebraUtils.h, checkFloatingOrComplex with allow_low_precision_dtypes=false.
    """
    if dtype.category < 2:
        raise RuntimeError(
            f"{operator}: Expected a floating point or complex tensor as input. Got {dtype.name}"
        )
    if dtype in (float16, bfloat16):
        raise RuntimeError(f"{operator}: Low precision dtypes not supported. Got {dtype.name}")


def check_matrices(operator: str, /, **tensors: Any) -> None:
    """Raises RuntimeError for fewer than two dimensions.  Source: native/Distance.cpp, cdist."""
    for name, tensor in _given(tensors):
        if tensor.ndim < 2:
            raise RuntimeError(f"{operator} only supports at least 2D tensors, {name} got: {tensor.ndim}D")


def check_triplet(anchor: Any, positive: Any, negative: Any) -> None:
    """Raises RuntimeError for different numbers of dimensions.  Source: native/Loss.cpp."""
    if not anchor.ndim == positive.ndim == negative.ndim:
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, "
            f"but got: anchor {anchor.ndim}D, positive {positive.ndim}D, and negative {negative.ndim}D inputs"
        )


def check_batch_mode(dim: int, input: Spec) -> None:
    """Raises RuntimeError unless ``input`` has ``dim`` nonempty dimensions, and possibly a batch dimension.

    Source: native/Padding.h, check_valid_input.
    """
    if input.ndim not in (dim, dim + 1) or 0 in input.sizes[input.ndim - dim :]:
        raise RuntimeError(
            f"Expected {dim}D or {dim + 1}D (batch mode) tensor with possibly 0 batch size and other "
            f"non-zero dimensions for input, but got: {list(input.sizes)}"
        )


def check_size(sizes: Sequence[int], /, **tensors: Any) -> None:
    """Raises RuntimeError unless the sizes are ``sizes``.  Source: checkSize."""
    for name, tensor in _given(tensors):
        if tensor.shape != tuple(sizes):
            raise RuntimeError(
                f"Expected tensor of size {list(sizes)}, but got tensor of size {list(tensor.shape)} for "
                f"argument '{name}'"
            )


def check_size_at(dim: int, size: int, /, **tensors: Any) -> None:
    """Raises RuntimeError unless dimension ``dim``, which must exist, has this size.  Source: checkSize."""
    for name, tensor in _given(tensors):
        if tensor.shape[dim] != size:
            raise RuntimeError(
                f"Expected tensor to have size {size} at dimension {dim}, but got size {tensor.shape[dim]} "
                f"for argument '{name}'"
            )


def check_same_size(**tensors: Any) -> None:
    """Raises RuntimeError unless all have the same sizes.  Source: checkAllSameSize."""
    _check_same("same size", {name: list(tensor.shape) for name, tensor in _given(tensors)})


def check_numel(numel: int, /, **specs: Spec | None) -> None:
    """Raises RuntimeError unless there are ``numel`` elements.  Source: checkNumel."""
    for name, spec in _given(specs):
        if spec.numel != numel:
            raise RuntimeError(
                f"Expected tensor for argument '{name}' to have {numel} elements; but it actually has "
                f"{spec.numel} elements"
            )


def zero_numel_check_dims(self: Spec, dim: int) -> None:
    """Raises IndexError for an empty dimension.  Source: ReduceOpsUtils.h."""
    if self.ndim and not self.sizes[dim]:
        raise IndexError(f"Expected reduction dim {dim} to have non-zero size.")


def check_dtype(*wanted: dtypes.dtype, **tensors: Any) -> None:
    """Raises RuntimeError for a dtype not in ``wanted``.  Source: Lerp.cpp; checkScalarTypes."""
    for name, tensor in _given(tensors):
        if tensor.dtype not in wanted:
            found, names = tensor.dtype.name, ", ".join(each.name for each in wanted)
            raise RuntimeError(
                f"Expected tensor for argument '{name}' to have one of the following scalar types: {names}; "
                f"but got {found} instead"
                if wanted[1:]
                else f"expected dtype {names} for `{name}` but got dtype {found}"
            )


def check_same_dtype(**tensors: Any) -> None:
    """Raises RuntimeError unless all have the same dtype.  Source: checkAllSameType."""
    (_, first), *_ = _given(tensors)
    check_dtype(first.dtype, **tensors)


def check_floating_or_complex(dtype: dtypes.dtype) -> None:
    """Raises RuntimeError for bool and integers.  Source: LinearAlgebraUtils.h, checkFloatingOrComplex."""
    if dtype.category < 2:
        raise RuntimeError(f"Expected a floating point or complex tensor as input. Got {dtype.name}")


def check_mask(mask: Any) -> None:
    """Raises RuntimeError unless the mask's dtype is bool.  Source: masked_fill_impl_cpu."""
    if mask.dtype is not bool_:
        raise RuntimeError(f"only supports boolean masks, but got mask with dtype {mask.dtype.name}")


def check_index_dtype(index: Any) -> None:
    """Raises RuntimeError unless the index's dtype is int32 or int64.  Source: IndexingUtils.h."""
    if index.dtype not in (int32, int64):
        raise RuntimeError(f"Expected dtype int32 or int64 for index, got {index.dtype.name}")


def check_index_dims(index: Spec, /, **tensors: Any) -> None:
    """Raises RuntimeError for another number of dimensions than the index has; 0 counts as 1.

    Source: native/ScatterGatherChecks.h.
    """
    for name, tensor in _given(tensors):
        if max(tensor.ndim, 1) != max(index.ndim, 1):
            raise RuntimeError(f"Index tensor must have the same number of dimensions as {name} tensor")


def check_long_index(index: Any) -> None:
    """Raises RuntimeError unless the index's dtype is int64.  Source: take and put."""
    if index.dtype is not int64:
        raise RuntimeError(f"Expected a long tensor for index, but got {index.dtype.name}")


def refuse_dtype(dtype: dtypes.dtype, *categories: str) -> None:
    """Raises NotImplementedError for a dtype of one of ``categories``: bool, integer, floating, complex."""
    kind = ("bool", "integer", "floating", "complex")[dtype.category]
    if kind in categories:
        raise NotImplementedError(f"not implemented for dtype {dtype.name}{_remedy(kind, categories)}")


def _remedy(kind: str, refused: Sequence[str]) -> str:
    """A hint for the error: how to convert a dtype of ``kind`` to one that is not in ``refused``."""
    if kind == "complex":
        return "; x.real, x.imag and x.abs() are real"
    wanted = next((each for each in ("integer", "floating", "bool") if each not in refused), None)
    number = {"integer": "int64", "floating": "float32", "bool": "bool"}.get(wanted or "")
    return f"; x.to({LIBRARY}.{number}) converts it" if number else ""


def check_implemented(dtype: dtypes.dtype, *implemented: dtypes.dtype) -> None:
    """Raises NotImplementedError for a dtype that an operator has no kernel for."""
    if dtype not in implemented:
        raise NotImplementedError(f"not implemented for dtype {dtype.name}")


def refuse_limited(dtype: dtypes.dtype, taken: Sequence[dtypes.dtype] = ()) -> None:
    """Raises NotImplementedError for a dtype of LIMITED that is not in ``taken``, and one of QUANTIZED."""
    if dtype in dtypes.QUANTIZED:
        raise NotImplementedError(
            f"not implemented for dtype {dtype.name}; gnomon.quantize_per_tensor creates tensors of it"
        )
    if dtype in dtypes.LIMITED and dtype not in taken:
        wanted = "int64" if dtype in dtypes.UNSIGNED else "complex64" if dtype.is_complex else "float32"
        raise NotImplementedError(
            f"not implemented for dtype {dtype.name}; x.to({LIBRARY}.{wanted}) converts it"
        )


def refuse_half(dtype: dtypes.dtype, *categories: str) -> None:
    """Raises NotImplementedError for float16, bfloat16, and a dtype of one of ``categories``."""
    refuse_dtype(dtype, *categories)
    if dtype in (float16, bfloat16):
        raise NotImplementedError(
            f"not implemented for dtype {dtype.name}; x.to({LIBRARY}.float32) converts it"
        )


def check_mixed_data_type(input: Spec, *parameters: Spec | None) -> dtypes.dtype:
    """The dtype of the statistics: the parameters', which may be float32 if the input is half precision.

    Raises NotImplementedError unless the input is floating point, RuntimeError for other combinations.
    Source: native/cpu/mixed_data_type.h.
    """
    given = [each.dtype for each in parameters if each is not None]
    refuse_dtype(input.dtype, "bool", "integer", "complex")
    if not given or all(each is input.dtype for each in given):
        return input.dtype
    if input.dtype.itemsize == 2 and all(each is float32 for each in given):
        return float32
    raise RuntimeError(
        f"mixed dtype: all inputs must share same datatype, but got {input.dtype.name} and parameters of "
        f"{[each.name for each in given]}"
    )


def check_length(length: int, /, **lists: Sequence[Any]) -> None:
    """Raises RuntimeError unless each list has this length.  Source: native/im2col_shape_check.h."""
    for name, numbers in lists.items():
        if len(numbers) != length:
            raise RuntimeError(f"It is expected {name} equals to {length}, but got size {len(numbers)}")


def check_positive(**lists: Sequence[int]) -> None:
    """Raises RuntimeError unless all numbers are positive.  Source: native/im2col_shape_check.h."""
    for name, numbers in lists.items():
        if min(numbers) <= 0:
            raise RuntimeError(f"{name} should be greater than zero, but got {list(numbers)}")


def check_non_negative(**numbers: int) -> None:
    """Raises RuntimeError for a negative number.  Source: native/TensorFactories.h, check_args."""
    for name, number in numbers.items():
        if number < 0:
            raise RuntimeError(f"{name} must be non-negative, got {number}")


def check_alpha(dtype: dtypes.dtype, alpha: Number, name: str = "alpha") -> None:
    """Raises RuntimeError for a multiplier that the dtype can not hold.  Source: BinaryOps.h, alpha_check."""
    if isinstance(alpha, bool) and dtype is not bool_:
        raise RuntimeError(f"Boolean {name} only supported for Boolean results.")
    if dtype.category < 2 and not isinstance(alpha, int):
        raise RuntimeError(
            f"For integral input tensors, argument {name} must not be a floating point number."
        )
    if isinstance(alpha, complex) and not dtype.is_complex:
        raise RuntimeError(f"For non-complex input tensors, argument {name} must not be a complex number.")
    check_number_fits(alpha, dtype)


def check_options(layout: Any, pin_memory: Any, dtype: dtypes.dtype | None = None) -> None:
    """Raises RuntimeError for a layout other than strided, pinned memory, and a dtype of QUANTIZED."""
    if layout is not None and layout.name != "strided":
        raise RuntimeError(f"layout must be gnomon.strided, got {layout}")
    if pin_memory:
        raise RuntimeError("pin_memory=True is not supported by the installed backends")
    if dtype in dtypes.QUANTIZED:
        raise RuntimeError(
            f"a tensor of dtype {dtype} needs a quantizer; gnomon.quantize_per_tensor() creates one"
        )


def check_same_layout(spec: Spec, layout: Any) -> None:
    """Raises RuntimeError if a conversion by ``to`` asks for another layout; ``to_sparse`` converts."""
    if layout is not None and layout is not spec.layout:
        raise RuntimeError(
            "to(options) doesn't support converting to a different layout, but got self.layout being "
            f"{spec.layout.title} and options.layout set as {layout.title}"
        )


def check_not_empty(**lists: Sequence[Any]) -> None:
    """Raises NotImplementedError for an empty list of tensors, which has no device."""
    for name, tensors in lists.items():
        if not tensors:
            raise NotImplementedError(f"expected at least one {name}, but got none")


def check_in_bounds_for_storage(
    sizes: Ints, strides: Ints, storage_offset: int, itemsize: int, nbytes: int
) -> None:
    """Raises RuntimeError for a geometry that needs more than ``nbytes`` bytes of storage.

    Source: native/Resize.h, checkInBoundsForStorage.
    """
    needed = (storage_offset + extent(sizes, strides)) * itemsize
    if 0 not in sizes and needed > nbytes:
        raise RuntimeError(
            f"setStorage: sizes {list(sizes)}, strides {list(strides)}, storage offset {storage_offset}, and "
            f"itemsize {itemsize} requiring a storage size of {needed} are out of bounds for storage of size "
            f"{nbytes}"
        )


def device_of(*operands: Any) -> Any:
    """The device of the first spec among the operands.  Raises TypeError if there is none."""
    for operand in operands:
        if isinstance(operand, Spec):
            return operand.device
        if isinstance(operand, (list, tuple)):
            return device_of(*operand)
    raise TypeError("expected at least one tensor")


def can_be_read(tensor: Any) -> bool:
    """May the data be read?  Not on the meta device, and not under vmap, where examples differ."""
    return not tensor.is_meta and not tensor._keys & BATCHED
