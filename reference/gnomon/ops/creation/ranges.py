"""Ranges of numbers (arange, linspace, logspace), and tril_indices and triu_indices.

Source: aten/src/ATen/native/RangeFactories.cpp, cpu/RangeFactoriesKernel.cpp, TensorFactories.cpp.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

from ...calls import launch
from ...calls.checks import (
    check_implemented,
    check_non_negative,
    check_options,
    refuse_dtype,
    refuse_limited,
)
from ...calls.native import native_function
from ...dispatch.dispatcher import aten
from ...memory.accessor import TensorAccessor
from ...memory.backend import resolve_device
from ...memory.spec import Spec, contiguous_spec
from ...memory.tensor import Tensor, empty_tensor
from ...numerics.arithmetic import power
from ...values.dtype import (
    bfloat16,
    bool_,
    check_number_fits,
    float16,
    float32,
    float64,
    get_default_dtype,
    int32,
    int64,
)

_OPTIONS = "*, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None"


# -- arange ------------------------------------------------------------------------------------------------


def _arange(start: Any, end: Any, step: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any) -> Tensor:
    check_options(layout, pin_memory)
    for number in (start, end, step):
        if isinstance(number, complex):
            raise RuntimeError("value cannot be converted to type double without overflow")
    if step == 0 or step != step:
        raise RuntimeError("step must be nonzero")
    for bound in (start, end):
        if not math.isfinite(bound):
            raise RuntimeError(f"unsupported range: {start} -> {end}")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    if dtype is None:
        dtype = int64 if all(isinstance(each, int) for each in (start, end, step)) else get_default_dtype()
    refuse_dtype(dtype, "bool", "complex")
    refuse_limited(dtype)
    if dtype is int64:  # all three are truncated to integers
        for number in (start, end, step):
            check_number_fits(number, int64)
        start, end, step = int(start), int(end), int(step)
        if step == 0:
            raise ValueError("step must be nonzero")
        count = -((start - end) // step)
    else:
        count = math.ceil((float(end) - float(start)) / float(step))
    if dtype.is_floating_point:
        start, step = float(start), float(step)
    else:  # only after counting are start and step truncated to integers
        check_number_fits(start, int64)
        check_number_fits(step, int64)
        start, step = int(start), int(step)
    output = empty_tensor(contiguous_spec((max(count, 0),), dtype, resolve_device(device)))
    if count > 0:
        launch.launch("arange.start_step", output._spec.device, dtype, [output], 1, None, (start, end, step))
    return output


def _arange_kernel(output: Tensor, start: Any, end: Any, step: Any) -> None:
    """``start + i * step``, computed independently for each i, not by repeated addition."""
    accessor = TensorAccessor(output)
    write = accessor.write
    for index, offset in enumerate(accessor.offsets()):
        write(offset, start + index * step)


native_function(
    f"arange.start(Scalar start, Scalar end, {_OPTIONS}) -> Tensor",
    explicit=lambda start, end, *options: aten.arange.start_step(start, end, 1, *options),
    launches="arange.start_step",
    doc="Returns the numbers from ``start`` (inclusive) to ``end`` (exclusive) in steps of 1.",
)

arange = native_function(
    f"arange.start_step(Scalar start, Scalar end, Scalar step=1, {_OPTIONS}) -> Tensor",
    explicit=_arange,
    launches="arange.start_step",
    kernel=_arange_kernel,
    doc="""Returns the numbers from ``start`` (inclusive) to ``end`` (exclusive) in steps of ``step``.

    There are ceil((end - start) / step) elements.  ``dtype`` defaults to int64 if all three are ints, else to
    the default dtype.  For an integer dtype, ``start`` and ``step`` are truncated (for int64, before the
    elements are counted); otherwise everything is computed in float64.  Raises RuntimeError for a step of 0
    or of the wrong sign and for integers beyond 64 bits, NotImplementedError for bool and complex dtypes.""",
)

native_function(
    f"arange(Scalar end, {_OPTIONS}) -> Tensor",
    explicit=lambda end, *options: aten.arange.start_step(0, end, 1, *options),
    launches="arange.start_step",
    doc="Returns the numbers from 0 to ``end`` (exclusive) in steps of 1.",
)


def _range(start: Any, end: Any, step: Any, dtype: Any, *options: Any) -> Tensor:
    layout, device, pin_memory = options
    check_options(layout, pin_memory)
    dtype = dtype or get_default_dtype()
    refuse_dtype(dtype, "bool", "complex")
    refuse_limited(dtype)
    if any(isinstance(each, complex) for each in (start, end, step)):
        raise RuntimeError("value cannot be converted to type double without overflow")
    if dtype.is_floating_point:
        wide = float32 if dtype.itemsize < 4 else float64  # PyTorch's accumulation type
        start, end, step = (wide.cast(each) for each in (start, end, step))
    else:
        for number in (start, end, step):
            check_number_fits(number, int64)
        start, end, step = int(start), int(end), int(step)
    if step == 0 or step != step:
        raise RuntimeError("step must be nonzero")
    if not (math.isfinite(start) and math.isfinite(end)):
        raise RuntimeError(f"unsupported range: {start} -> {end}")
    if (end - start) * (1 if step > 0 else -1) < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    if dtype.is_floating_point:  # each step is rounded to the wide dtype
        count = wide.cast(wide.cast(wide.cast(end - start) / step) + 1)
    else:
        count = (end - start) // step + 1
    if count >= 2**63:
        raise RuntimeError(f"more than 2**63 elements from {start} to {end} in steps of {step}")
    made = empty_tensor(contiguous_spec((int(count),), dtype, resolve_device(device)))
    launch.launch("arange.start_step", made._spec.device, dtype, [made], 1, None, (start, end, step))
    return made


native_function(
    f"range.step(Scalar start, Scalar end, Scalar step=1, {_OPTIONS}) -> Tensor",
    explicit=_range,
    launches="arange.start_step",
    doc="""Returns the numbers from ``start`` to ``end``, both inclusive, in steps of ``step``.

    Deprecated: see arange.  There are floor((end - start) / step) + 1 elements.  ``dtype`` defaults to the
    default dtype; for an integer dtype all three numbers are truncated to int64 first.  Raises RuntimeError
    for a step of 0 or of the wrong sign and for bounds that are not finite, NotImplementedError for bool and
    complex dtypes.""",
)

native_function(
    f"range(Scalar start, Scalar end, {_OPTIONS}) -> Tensor",
    explicit=lambda start, end, *options: _range(start, end, 1, *options),
    launches="arange.start_step",
    doc="Returns the numbers from ``start`` to ``end``, both inclusive, in steps of 1.",
)


# -- linspace and logspace ---------------------------------------------------------------------------------


def _space_meta(
    start: Any,
    end: Any,
    steps: int,
    dtype: Any,
    layout: Any,
    device: Any,
    pin_memory: Any,
    *,
    unchecked: Callable[[Any], bool] = lambda dtype: dtype in (float16, bfloat16),
) -> Spec:
    """``unchecked`` tells for which dtypes a single number overflows to inf instead of being refused."""
    check_options(layout, pin_memory)
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    if isinstance(start, complex) or isinstance(end, complex):
        inferred = get_default_dtype().to_complex()
        if dtype is not None and not dtype.is_complex:
            raise RuntimeError(
                f"inferred dtype {inferred.name} can't be safely cast to passed dtype {dtype.name}"
            )
        dtype = dtype or inferred
    dtype = dtype or get_default_dtype()
    if steps > 1:
        refuse_dtype(dtype, "bool")
    if steps > 1 or not unchecked(dtype):
        for bound in (start, end)[:steps]:
            check_number_fits(bound, dtype)
    return contiguous_spec((steps,), dtype, resolve_device(device))


def _multiply_add(a: Any, b: Any, c: int) -> Any:
    """``a + b * c`` for real numbers, rounded once to float64, like C's fma."""
    if not (math.isfinite(a) and math.isfinite(b)):
        return a + b * c
    from fractions import Fraction  # imported here because it takes 3 ms

    return float(Fraction(a) + Fraction(b) * c)


def _evenly(start: Any, end: Any, steps: int, dtype: Any) -> Iterator[Any]:
    """``steps`` numbers from ``start`` to ``end``: the first half computed from the start, the second from
    the end.

    The step is rounded to the dtype; for an integer dtype it is float64.  In half precision ``step * i`` is
    rounded before the addition, in other dtypes it is not.
    """
    if dtype.is_complex:
        real = dtype.to_real()
        parts = [_evenly(*bounds, steps, real) for bounds in ((start.real, end.real), (start.imag, end.imag))]
        yield from (complex(*each) for each in zip(*parts))
        return
    start, end = dtype.cast(start), dtype.cast(end)
    step = (end - start) / (steps - 1) if steps > 1 else 0.0
    if dtype.is_floating_point:
        step = dtype.cast(step)
    for index in range(steps):
        from_start = index < steps // 2 or steps == 1
        base, count = (start, index) if from_start else (end, index + 1 - steps)
        if not base and not (step and count):
            # Fraction has no -0.0, so zeros are added as floats; from the end, the product is subtracted
            yield start if steps == 1 else base + step * index if from_start else base - step * -count
        elif dtype in (float16, bfloat16):
            yield base + dtype.cast(step * count)
        else:
            yield _multiply_add(base, step, count)


def _linspace_kernel(output: Tensor, start: Any, end: Any, steps: int) -> None:
    """``start + i * step`` in the first half, ``end - (steps - 1 - i) * step`` in the second."""
    out = TensorAccessor(output)
    for offset, number in zip(out.offsets(), _evenly(start, end, steps, output._spec.dtype)):
        out.write(offset, number)


def _logspace_kernel(output: Tensor, start: Any, end: Any, steps: int, base: float) -> None:
    """``base`` to the power of evenly spaced exponents, whose step is not rounded to the dtype."""
    out = TensorAccessor(output)
    dtype = output._spec.dtype
    if dtype.category == 1:
        start, end = dtype.cast(start), dtype.cast(end)
    step = (end - start) / (steps - 1) if steps > 1 else 0.0
    for index, offset in enumerate(out.offsets()):
        from_start = index < steps // 2 or steps == 1
        exponent = start + step * index if from_start else end - step * (steps - 1 - index)
        out.write(offset, power(float(base), exponent))


def _number(bound: Any) -> Any:
    """A bound as a number; a 0-dim tensor is read."""
    if not isinstance(bound, Tensor):
        return bound
    if bound.ndim:
        raise RuntimeError(
            "only 0-dimensional start and end tensors are supported, but got one with "
            f"{bound.ndim} dimension(s)."
        )
    return bound.item()


def _space_of_tensors(name: str) -> Callable[..., Tensor]:
    def make(start: Any, end: Any, *rest: Any) -> Tensor:
        *options, device, pin_memory = rest
        tensor = start if isinstance(start, Tensor) else end
        numbers = getattr(aten, name).default
        return numbers(_number(start), _number(end), *options, device or tensor.device, pin_memory)

    return make


def _define_space(name: str, meta: Callable[..., Any], kernel: Any, more: str, doc: str) -> None:
    arguments = f"int steps, {more}{_OPTIONS}"
    native_function(
        f"{name}(Scalar start, Scalar end, {arguments}) -> Tensor", meta=meta, kernel=kernel, doc=doc
    )
    for overload, start, end in (
        ("Tensor_Tensor", "Tensor", "Tensor"),
        ("Tensor_Scalar", "Tensor", "Scalar"),
        ("Scalar_Tensor", "Scalar", "Tensor"),
    ):
        native_function(
            f"{name}.{overload}({start} start, {end} end, {arguments}) -> Tensor",
            composite=_space_of_tensors(name),
            doc="The same with bounds in 0-dim tensors; ``device`` defaults to theirs.",
        )


_define_space(
    "linspace",
    _space_meta,
    _linspace_kernel,
    "",
    """Returns ``steps`` evenly spaced numbers from ``start`` to ``end``, both inclusive.

    ``dtype`` defaults to the default dtype.  For an integer dtype, the numbers are truncated.  Raises
    RuntimeError for a negative number of steps, NotImplementedError for bool.""",
)
_define_space(
    "logspace",
    lambda start, end, steps, base, *options: _space_meta(
        start, end, steps, *options, unchecked=lambda dtype: dtype.category > 1
    ),
    _logspace_kernel,
    "float base=10.0, ",
    """Returns ``base`` to the power of ``steps`` evenly spaced numbers from ``start`` to ``end``.

    Dtypes and errors are as for linspace.""",
)


# -- tril_indices, triu_indices ----------------------------------------------------------------------------


def _size_below(row: int, col: int, offset: int) -> int:
    """The number of elements of a matrix on and below diagonal ``offset``."""
    first = max(0, -offset)  # the first row with such an element
    full = min(max(col - 1 - offset, first), row)  # from this row on each row has ``col``
    growing = max(full - first, 0)
    return growing * (first + offset + 1 + full + offset) // 2 + max(row - max(full, first), 0) * col


def _triangle_indices(triangle: Any, below: bool) -> Callable[..., Tensor]:
    def make(
        row: int, col: int, offset: int, dtype: Any, layout: Any, device: Any, pin_memory: Any
    ) -> Tensor:
        check_options(layout, pin_memory)
        check_non_negative(row=row, col=col)
        dtype = dtype or int64
        check_implemented(dtype, int32, int64)
        offset = min(max(offset, -row), col)  # beyond, nothing changes
        count = _size_below(row, col, offset) if below else row * col - _size_below(row, col, offset - 1)
        made = empty_tensor(contiguous_spec((2, count), dtype, resolve_device(device)))
        if made.numel() and not made.is_meta:
            # the part of the matrix without the rows and columns that have no element of the triangle
            top, left = (max(0, -offset), 0) if below else (0, max(0, offset))
            bottom, right = (row, min(col, row + offset)) if below else (min(row, col - offset), col)
            every = aten.ones.default((bottom - top, right - left), bool_, None, made.device, None)
            launch.copy_into(made, aten.nonzero.default(triangle(every, offset + top - left)).t())
            made.select(0, 0).add_(top)
            made.select(0, 1).add_(left)
        return made

    return make


for _name, _triangle, _below, _where in (
    ("tril_indices", lambda matrix, offset: matrix.tril(offset), True, "on and below"),
    ("triu_indices", lambda matrix, offset: matrix.triu(offset), False, "on and above"),
):
    native_function(
        f"{_name}(int row, int col, int offset=0, {_OPTIONS.replace('dtype=None', 'dtype=long')}) -> Tensor",
        explicit=_triangle_indices(_triangle, _below),
        doc=f"""Returns the row and column indices (2, n) of a matrix's elements {_where} diagonal ``offset``.

        The dtype is int64 or int32.  Raises RuntimeError for negative sizes, NotImplementedError for other
        dtypes.""",
    )
