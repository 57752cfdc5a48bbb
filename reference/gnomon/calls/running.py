"""Running: the Dense kernels of operators, which call the meta function and launch the backend's kernel.

There is one for each kind of call: functional, in-place, ``out=``, view, and explicit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..dispatch.dispatcher import OpOverload, aten
from ..memory.backend import backend_of
from ..memory.spec import Spec
from ..memory.tensor import Tensor, alias_tensor, empty_tensor, is_alias_of
from ..values import dtype as dtypes
from ..values import geometry, late_bound
from ..values.device import device
from ..values.dispatch_key import WRAPPER_KEYS
from . import launch
from .checks import refuse_limited
from .composites import NAMED, checked, composed, raise_named
from .iterator import TensorIterator
from .outputs import (
    check_cast,
    check_inplace_sizes,
    check_no_overlap,
    check_no_overlap_of_inputs,
    check_output_device,
    check_output_dtype,
    is_expanded,
    resize_for,
    warn_of_expanded,
    with_output_dtype,
    write_results,
)
from .pieces import goes_by_pieces, reduce_by_pieces

MOST_META_RESULTS = 4096  # per operator; all are dropped if a program has more shapes
MOST_META_RESULTS_OF_LISTS = 64  # the same, if a result may be for all parameters of a model


class MetaResult:
    """The result of a meta function, which depends on specs only, and is cached under them.

    ``prepared`` are prepared calls of kernels for these specs, of backends that have some.
    """

    __slots__ = ("device", "iterator", "key_dtype", "output_specs", "prepared")

    def __init__(
        self, device: device, output_specs: tuple[Spec, ...], iterator: TensorIterator | None, key_dtype: Any
    ):
        self.device = device
        self.output_specs = output_specs
        self.iterator = iterator
        self.key_dtype = key_dtype
        self.prepared: dict[Any, Any] = {}


def argument_key(arguments: Sequence[Any]) -> Any:
    """The cache key of a meta function's result: equal keys mean equal results.

    For Python, 1, 1.0 and True are equal, but not for type promotion, so the key contains the types, and the
    sign of zero.
    """
    key: list[Any] = []
    for argument in arguments:
        if isinstance(argument, Tensor):
            key.append(argument._spec)
        elif isinstance(argument, float):
            key.append((float, argument, math.copysign(1.0, argument)))
        elif isinstance(argument, (list, tuple)):
            key.append(argument_key(argument))
        elif isinstance(argument, complex):
            key.append((complex, repr(argument)))
        else:
            key.append((type(argument), argument))
    return tuple(key)


def _ask_meta(operator: OpOverload, arguments: Sequence[Any]) -> MetaResult:
    """Call the meta function: check the arguments and compute the output specs of a functional call."""
    record = operator.record
    tensors = list(operator.tensors(arguments))
    if tensors:
        where = launch.check_same_device(operator.schema.name, tensors)
    result = checked(operator, record.meta, launch.specs_of(arguments))
    if isinstance(result, TensorIterator):
        for operand in result.operands:
            checked(operator, refuse_limited, (operand.dtype, record.limited))
        return MetaResult(
            result.device, result.output_specs, result.with_converted_inputs(), result.key_dtype
        )
    outputs = (result,) if isinstance(result, Spec) else tuple(result)
    inputs = [] if record.inputs.promoted else [each._spec for each in tensors]
    for spec in (*inputs, *outputs):
        if spec is not None:
            checked(operator, refuse_limited, (spec.dtype, record.limited))
    if tensors and not record.inputs.promoted:
        return MetaResult(where, outputs, None, tensors[0]._spec.dtype)
    first = next(spec for spec in outputs if spec is not None)
    return MetaResult(where if tensors else first.device, outputs, None, first.dtype)


def meta_result(operator: OpOverload, arguments: Sequence[Any]) -> MetaResult:
    """The meta function's result for a functional call, from the cache if possible."""
    if not operator.tensor_positions:
        return _ask_meta(operator, arguments)  # depends on the default device, too
    known = operator.meta_results
    key = argument_key(arguments)
    meta = known.get(key)
    if meta is None:
        meta = _ask_meta(operator, arguments)
        if len(known) >= (MOST_META_RESULTS if operator.schema.returns else MOST_META_RESULTS_OF_LISTS):
            known.clear()
        known[key] = meta
    return meta


def run_explicit(operator: OpOverload, keys: int, arguments: Sequence[Any]) -> Any:
    return composed(operator, operator.record.explicit, arguments)


def execute(
    operator: OpOverload,
    meta: MetaResult,
    iterator: TensorIterator | None,
    outputs: Sequence[Tensor | None],
    arguments: Sequence[Any],
    prepared: dict[Any, Any] | None,
) -> None:
    """Convert the inputs if needed, and launch the kernel on ``outputs``."""
    record = operator.record
    if iterator is not None:
        if iterator.numel == 0:
            if iterator.is_reduction and record.identity is not None:
                for output in outputs:
                    dtype = output._spec.dtype  # type: ignore[union-attr]
                    aten.fill_.Scalar(output, record.identity if dtype.is_complex else record.identity.real)
            return
        if meets_in_float32(operator, meta.key_dtype, arguments):
            if not takes_float32_numbers(operator, meta, arguments):
                _execute_in_float32(operator, outputs[0], arguments)  # type: ignore[arg-type]
                return
            iterator = with_float32_numbers(operator, iterator, meta.key_dtype, arguments)
        inputs: list[Tensor | None] = []
        operands = iter(iterator.operands[iterator.output_count :])
        for position in operator.tensor_positions:
            value = arguments[position]
            if value is None:
                continue
            for each in value if isinstance(value, (list, tuple)) else (value,):
                wanted = next(operands).dtype
                if not isinstance(each, Tensor):
                    each = launch.number_tensor(each, wanted, meta.device)
                elif each._spec.dtype is not wanted:
                    if goes_by_pieces(operator, iterator, each, wanted):
                        reduce_by_pieces(operator, iterator, outputs[0], arguments)  # type: ignore[arg-type]
                        return
                    each = launch.convert(each, wanted)
                inputs.append(each)
        kernel_arguments = numbers_of_kernel(operator, meta.key_dtype, arguments)
    else:
        if record.inputs.promoted:
            arguments = _promoted(operator, arguments, meta.output_specs[0].dtype)
        if record.inputs.expanded:
            arguments = expanded_arguments(operator, arguments, meta.output_specs[0])
        inputs = []
        for position in operator.tensor_positions:
            if position in record.written_positions:
                continue
            value = arguments[position]
            inputs.extend(value if isinstance(value, (list, tuple)) else (value,))
        kernel_arguments = [arguments[position] for position in record.kernel_positions]
    tensors = [*outputs, *inputs]
    for each in tensors:
        if each is not None and each._keys & WRAPPER_KEYS:
            raise RuntimeError(
                f"{operator.schema.name}: got a {type(each).__name__}, a wrapper without data of its own, "
                "while its __gnomon_dispatch__ is disabled"
            )
    facts = (meta.device, meta.key_dtype, tensors, len(outputs), iterator, kernel_arguments, prepared)
    try:
        launch.launch(record.kernel_name, *facts)
    except NAMED as error:
        raise_named(operator, error)


def numbers_of_kernel(operator: OpOverload, common: dtypes.dtype, arguments: Sequence[Any]) -> list[Any]:
    """The other arguments of a kernel that takes a TensorIterator: those that are not tensors.

    A half precision kernel computes in float32, but numbers that the record declares as ``held`` are first
    rounded to the dtype: an alpha of 0.3 is 0.30078125 for bfloat16.  Source: Scalar.to<scalar_t>.
    """
    record = operator.record
    rounds = bool(record.held_positions) and common.itemsize == 2 and common.is_floating_point
    numbers = []
    for position in record.kernel_positions:
        if position in operator.tensor_positions:
            continue
        value = arguments[position]
        rounded = rounds and value is not None and position in record.held_positions
        numbers.append(common.cast(value) if rounded else value)
    return numbers


def meets_in_float32(operator: OpOverload, common: dtypes.dtype, arguments: Sequence[Any]) -> bool:
    """Does a half precision call have a number operand that stays float32?  Source: opmath_t."""
    if common.itemsize != 2 or not common.is_floating_point:
        return False
    return any(_is_number(arguments[position], common) for position in operator.record.wide_positions)


def _is_number(value: Any, common: dtypes.dtype) -> bool:
    """Is this operand a number, or a 0-dim tensor that is treated like one?"""
    return not isinstance(value, Tensor) or (value._spec.ndim == 0 and value._spec.dtype is not common)


def takes_float32_numbers(operator: OpOverload, meta: MetaResult, arguments: Sequence[Any]) -> bool:
    """Does the kernel take numbers as float32?  It does not for the first operand."""
    if meta.device.type == "meta" or not backend_of(meta.device).reads_float32_numbers:
        return False
    return not _is_number(arguments[operator.tensor_positions[0]], meta.key_dtype)


def with_float32_numbers(
    operator: OpOverload, iterator: TensorIterator, common: dtypes.dtype, arguments: Sequence[Any]
) -> TensorIterator:
    """The TensorIterator of a call whose number operands are float32."""
    values = [arguments[position] for position in operator.tensor_positions]
    given = enumerate((value for value in values if value is not None), iterator.output_count)
    return iterator.with_dtype([place for place, value in given if _is_number(value, common)], dtypes.float32)


def _execute_in_float32(operator: OpOverload, output: Tensor, arguments: Sequence[Any]) -> None:
    """Run the call in float32, and round its result to ``output``."""
    wide = [
        launch.convert(each, dtypes.float32)
        if isinstance(each, Tensor) and each._spec.dtype is not dtypes.float32
        else each
        for each in arguments
    ]
    meta = meta_result(operator, wide)
    result = empty_tensor(meta.output_specs[0])
    execute(operator, meta, meta.iterator, [result], wide, meta.prepared)
    launch.copy_into(output, result)


def _promoted(operator: OpOverload, arguments: Sequence[Any], dtype: dtypes.dtype) -> list[Any]:
    """The arguments with their tensors converted to ``dtype``."""
    return [
        _converted(value, dtype) if position in operator.tensor_positions else value
        for position, value in enumerate(arguments)
    ]


def _converted(value: Any, dtype: dtypes.dtype) -> Any:
    if isinstance(value, (list, tuple)):
        return [_converted(each, dtype) for each in value]
    if isinstance(value, Tensor) and value._spec.dtype is not dtype:
        return launch.convert(value, dtype)
    return value


def expanded_arguments(operator: OpOverload, arguments: Sequence[Any], output: Spec) -> list[Any]:
    """The arguments, with those in ``inputs.expanded`` of the record expanded to the output's sizes."""
    expanded = list(arguments)
    for position, argument in enumerate(operator.schema.arguments):
        if argument.name in operator.record.inputs.expanded:
            tensor = arguments[position]
            spec = tensor._spec
            strides = geometry.expand_strides(spec.sizes, spec.strides, output.sizes)
            expanded[position] = alias_tensor(
                tensor, spec.with_geometry(output.sizes, strides), tensor._storage_offset
            )
    return expanded


def with_written(
    operator: OpOverload, outputs: Sequence[Tensor | None], arguments: Sequence[Any]
) -> Sequence[Tensor | None]:
    """What a kernel gets as outputs: the returned ones, then the arguments that the operator writes to."""
    beside = [*outputs]
    for position in operator.record.written_positions:
        value = arguments[position]
        beside.extend(value if isinstance(value, (list, tuple)) else (value,))
    return beside


def run_functional(operator: OpOverload, keys: int, arguments: Sequence[Any]) -> Any:
    """Allocate the outputs and compute them: the Dense kernel of functional operators."""
    meta = meta_result(operator, arguments)
    outputs: list[Tensor | None] = []
    for spec in meta.output_specs:
        outputs.append(None if spec is None else empty_tensor(spec))
    if operator.record.written_positions:
        execute(operator, meta, None, with_written(operator, outputs, arguments), arguments, meta.prepared)
        return tuple(outputs) if outputs else None
    execute(operator, meta, meta.iterator, outputs, arguments, meta.prepared)
    return outputs[0] if len(operator.schema.returns) == 1 else tuple(outputs)


def run_view(operator: OpOverload, keys: int, arguments: Sequence[Any]) -> Any:
    """Alias the first argument: the Dense kernel of view operators."""
    self = arguments[0]
    known = operator.meta_results
    key = argument_key(arguments)
    found = known.get(key)
    if found is None:
        found = checked(operator, operator.record.view, launch.specs_of(arguments))
        if len(known) >= MOST_META_RESULTS:
            known.clear()
        known[key] = found
    if isinstance(found, list):
        return tuple(alias_tensor(self, spec, self._storage_offset + offset) for spec, offset in found)
    spec, offset = found
    start = self._storage_offset
    if spec.dtype is not self._spec.dtype:  # offsets count elements
        start = start * self._spec.dtype.itemsize // spec.dtype.itemsize
    return alias_tensor(self, spec, start + offset)


def inplace_meta_result(operator: OpOverload, arguments: Sequence[Any]) -> MetaResult:
    """The meta function's result for an in-place call, after the checks of what is written to.

    Those of memory that operands share are not among them.
    """
    base = operator.record.base
    spec = arguments[0]._spec
    meta = meta_result(base, with_output_dtype(base, arguments, arguments[0]))
    result = meta.output_specs[0]
    check_inplace_sizes(operator.schema.name, spec, result)
    check_cast(operator.schema.name, result.dtype, spec.dtype)
    return meta


def run_inplace(operator: OpOverload, keys: int, arguments: Sequence[Any]) -> Tensor:
    """Write the result to the first argument: the Dense kernel of in-place operators."""
    base = operator.record.base
    self = arguments[0]
    meta = inplace_meta_result(operator, arguments)
    arguments = with_output_dtype(base, arguments, self)
    if base.record.inplace.on_expanded and is_expanded(self):
        if callable(base.record.inplace.on_expanded):
            base.record.inplace.on_expanded(*arguments)
        else:
            warn_of_expanded(operator)
            check_no_overlap_of_inputs(operator, base, self, arguments)
            execute(base, meta, None, [self], arguments, None)
        return self
    check_no_overlap(operator, base, self, arguments)
    if base.record.inplace.updates and "updates" in backend_of(self._spec.device).traits:
        execute(base, meta, None, [self], arguments, meta.prepared.setdefault(("in place", self._spec), {}))
    else:
        _compute_into(base, meta, [self], arguments)
    return self


def _compute_into(
    base: OpOverload, meta: MetaResult, outputs: Sequence[Tensor], arguments: Sequence[Any]
) -> None:
    """Write the results to ``outputs``, which have the right sizes, but any strides and dtypes."""
    specs = tuple(output._spec for output in outputs)
    same_dtypes = all(mine.dtype is wanted.dtype for mine, wanted in zip(specs, meta.output_specs))
    if meta.iterator is not None and same_dtypes:
        kept = meta.prepared.get(specs)
        if kept is None:
            kept = (meta.iterator.with_outputs(specs), {})
            meta.prepared[specs] = kept
        iterator, prepared = kept
        execute(base, meta, iterator, outputs, arguments, prepared)
        return
    if (
        meta.iterator is None
        and same_dtypes
        and not any(_shares_storage(output, base, arguments) for output in outputs)
    ):
        prepared = meta.prepared.setdefault(("out", specs), {})
        execute(base, meta, None, with_written(base, outputs, arguments), arguments, prepared)
        return
    results = [empty_tensor(spec) for spec in meta.output_specs]
    execute(base, meta, meta.iterator, with_written(base, results, arguments), arguments, meta.prepared)
    for output, result in zip(outputs, results):
        launch.copy_into(output, result)


def _shares_storage(output: Tensor, operator: OpOverload, arguments: Sequence[Any]) -> bool:
    return any(is_alias_of(each, output) for each in operator.tensors(arguments))


def run_out(operator: OpOverload, keys: int, arguments: Sequence[Any]) -> Any:
    """Write the results to the ``out=`` arguments, resized if needed: the Dense kernel of out variants."""
    base = operator.record.base
    count = len(base.schema.arguments)
    outputs = arguments[count:]
    functional_arguments = with_output_dtype(base, arguments[:count], outputs[0])
    meta = meta_result(base, functional_arguments)
    for output, wanted in zip(outputs, meta.output_specs):
        check_output_device(base, output, meta.device)
        check_output_dtype(base, wanted.dtype, output._spec.dtype)
        if output._spec.sizes != wanted.sizes:
            check_no_overlap(operator, base, output, functional_arguments)
    if any(
        output._spec.sizes != wanted.sizes and _shares_storage(output, base, functional_arguments)
        for output, wanted in zip(outputs, meta.output_specs)
    ):  # compute before an input is resized
        results = [empty_tensor(spec) for spec in meta.output_specs]
        beside = with_written(base, results, functional_arguments)
        execute(base, meta, meta.iterator, beside, functional_arguments, meta.prepared)
        return write_results(operator, results, outputs, functional_arguments)
    for output, wanted in zip(outputs, meta.output_specs):
        resize_for(base, output, wanted, functional_arguments)
        check_no_overlap(operator, base, output, functional_arguments)
    _compute_into(base, meta, outputs, functional_arguments)
    return outputs[0] if len(outputs) == 1 else tuple(outputs)


def run_explicit_out(operator: OpOverload, keys: int, arguments: Sequence[Any]) -> Any:
    """Call an ``explicit`` function, and copy its results into the ``out=`` arguments."""
    base = operator.record.base
    count = len(base.schema.arguments)
    given = with_output_dtype(base, arguments[:count], arguments[count])
    results = checked(base, base.record.explicit, given)
    results = results if isinstance(results, tuple) else (results,)
    return write_results(operator, results, arguments[count:], arguments[:count])


def drop_meta_results() -> None:
    """Drop all cached results of meta functions, and prepared calls, which may be of another backend."""
    for packet in aten:
        for operator in packet.overloads.values():
            operator.meta_results.clear()


late_bound.on_forget(drop_meta_results)
