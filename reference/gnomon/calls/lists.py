"""List operators: ``_foreach_add`` applies ``add`` to each tensor of a list.

A list operator is derived from the operator on one tensor: its results are those of that operator, for each
tensor in order.  If the backend's kernel prepares lists (memory/prepared.py), the calls for all tensors are
one launch.

Source: aten/src/ATen/native/ForeachUtils.h, ForeachOpsKernels.cpp.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from itertools import repeat
from typing import Any, NamedTuple

from ..dispatch.dispatcher import OpOverload, aten
from ..dispatch.mode import mode_word
from ..dispatch.record_function import KERNEL, end, start
from ..memory.backend import backend_of
from ..memory.prepared import NOT_IMPLEMENTED, OK, OUT_OF_MEMORY, PreparedList
from ..memory.spec import Spec
from ..memory.tensor import Tensor, empty_tensors
from ..values.device import device
from ..values.dispatch_key import AUTOGRAD, DENSE, GRAD_MODE_BIT, OBSERVED_BIT, DispatchKey
from ..values.dtype import dtype
from ..values.errors import OutOfMemoryError
from ..values.schema import FunctionSchema
from ..values.speedups import speedups
from . import launch, running
from .composites import composed
from .iterator import TensorIterator
from .native import native_function
from .outputs import check_no_internal_overlap, is_expanded

# Numbers up to this are in the range of every floating point dtype.
_MODERATE = 65504.0


class Given(NamedTuple):
    """An argument of the operator on one tensor that is the same in all calls."""

    value: Any


def list_function(
    text: str,
    operator: str,
    passed: Sequence[int | Given] | None = None,
    check: Callable[..., None] | None = None,
    doc: str = "",
    iterator: Callable[..., TensorIterator | None] | None = None,
) -> OpOverload:
    """Define the list operator with this schema, which applies ``operator`` ("add.Tensor") to each tensor.

    ``passed`` says what ``operator`` gets: the position of an argument of the list operator (of a list: its
    element), or a given value; by default the same arguments, then the defaults of the others.  ``check``
    gets the list operator's arguments.  A list operator that returns nothing uses the in-place variant.
    If the operator has no meta function, ``iterator`` makes the TensorIterator of one of the calls, after its
    checks, from the tensors' specs; None if the call needs more than its kernel.
    """
    rule = _Rule(FunctionSchema(text), operator, passed, check, iterator)
    made = native_function(text, explicit=rule.run_each, variants="function", doc=doc)
    made.register(DispatchKey.Dense, rule.run)
    made.register(DispatchKey.Autograd, rule.run_recorded)
    for key in (DispatchKey.ForwardAD, DispatchKey.Batched):
        made.register(key, rule.run_composed)
    return made


class _Rule:
    """How a list operator runs."""

    def __init__(
        self,
        schema: FunctionSchema,
        name: str,
        passed: Sequence[int | Given] | None,
        check: Callable[..., None] | None,
        iterator: Callable[..., TensorIterator | None] | None,
    ):
        self.schema = schema
        self.name = name
        self.given_passed = passed
        self.check = check
        self.iterator = iterator
        self.is_inplace = not schema.returns
        self.lists = [place for place, argument in enumerate(schema.arguments) if argument.is_list]

    @functools.cached_property  # it may be defined after the list operator
    def operator(self) -> OpOverload:
        """The operator on one tensor."""
        return aten._find(self.name)

    @functools.cached_property
    def variant(self) -> OpOverload:
        """What is called for each tensor: the operator, or its in-place variant."""
        if not self.is_inplace or self.operator.schema.arguments[0].is_written:
            return self.operator
        return next(each for each in self.operator.variants if each.schema.is_inplace)

    @functools.cached_property
    def inputs(self) -> list[int]:
        """The positions of the operator's tensors that are only read."""
        written = self.operator.schema.arguments
        return [each for each in self.operator.tensor_positions if not written[each].is_written]

    @functools.cached_property
    def passed(self) -> Sequence[int | Given]:
        """The source of each of the operator's arguments."""
        if self.given_passed is not None:
            return self.given_passed
        count = len(self.schema.arguments)
        defaults = self.operator.schema.arguments[count:]
        return (*range(count), *(Given(each.default) for each in defaults))

    # -- the calls for each tensor ---------------------------------------------------------------------------

    def rows(self, arguments: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
        """The arguments of each call.  Raises RuntimeError for lists that do not match."""
        self.check_lists(arguments)
        if self.check is not None:
            self.check(*arguments)
        columns = [
            repeat(each.value)
            if isinstance(each, Given)
            else arguments[each]
            if each in self.lists
            else repeat(arguments[each])
            for each in self.passed
        ]
        return zip(*columns)

    def check_lists(self, arguments: Sequence[Any]) -> None:
        """Source: check_foreach_api_restrictions."""
        first, *others = self.lists
        count = len(arguments[first])
        if not count:
            raise RuntimeError("Tensor list must have at least one tensor.")
        for place in others:
            if self.schema.arguments[place].type == "Scalar":
                if len(arguments[place]) != count:
                    raise RuntimeError("Tensor list must have same number of elements as scalar list.")
            elif len(arguments[place]) != count:
                raise RuntimeError(
                    "Tensor lists must have the same number of tensors, got "
                    f"{count} and {len(arguments[place])}"
                )
        for argument, value in zip(self.schema.arguments, arguments):
            if isinstance(value, Tensor) and argument.is_tensor and value._spec.ndim:
                raise RuntimeError(
                    f"scalar tensor expected to be 0 dim but it has {value._spec.ndim} dimensions and "
                    f"{value._spec.numel} elements."
                )

    def run_each(self, *arguments: Any) -> Any:
        """Call the operator for each tensor."""
        results = tuple([self.variant(*row) for row in self.rows(arguments)])
        return None if self.is_inplace else results

    def run_composed(self, operator: OpOverload, keys: int, arguments: Sequence[Any]) -> Any:
        """The kernel of the keys for which the operators on one tensor have all that is needed."""
        return composed(operator, self.run_each, arguments)

    def run_recorded(self, operator: OpOverload, keys: int, arguments: Sequence[Any]) -> Any:
        """The kernel of the key Autograd: each result has a Node of its own."""
        if mode_word() & GRAD_MODE_BIT:
            return self.run_composed(operator, keys, arguments)
        return operator.redispatch(keys & ~AUTOGRAD, arguments)

    # -- one launch ------------------------------------------------------------------------------------------

    def run(self, operator: OpOverload, keys: int, arguments: Sequence[Any]) -> Any:
        """The kernel of the key Dense."""
        known = operator.meta_results
        key = self.key(arguments)
        try:
            together = known[key]
        except KeyError:
            if len(known) >= running.MOST_META_RESULTS_OF_LISTS:
                known.clear()
            together = known[key] = self.prepare(arguments)
        if together is not None:
            result = together.run(operator, arguments)
            if result is not NotImplemented:
                return result
        rows = list(self.rows(arguments))
        self.check_inplace(rows)
        results = tuple([self.variant.redispatch(DENSE, row) for row in rows])
        return None if self.is_inplace else results

    def check_inplace(self, rows: Sequence[Sequence[Any]]) -> None:
        """Make the checks of all calls before one of them writes."""
        if self.is_inplace and self.operator.record.meta is None:
            for row in rows:
                self.meta_result(row)
        elif self.is_inplace:
            for row in rows:
                running.inplace_meta_result(self.variant, row)
                if not self.operator.record.inplace.on_expanded:
                    check_no_internal_overlap(self.schema.name, row[0]._spec)

    def key(self, arguments: Sequence[Any]) -> Any:
        """Calls with equal keys are prepared alike: of a number of moderate size only the type matters."""
        key: list[Any] = []
        for argument, value in zip(self.schema.arguments, arguments):
            if argument.is_tensor and argument.is_list:
                key.append(specs_of_list(value))
            elif isinstance(value, (list, tuple)):
                key.append(tuple([_number_kind(each) for each in value]))
            else:
                key.append(value._spec if isinstance(value, Tensor) else _number_kind(value))
        return tuple(key)

    def prepare(self, arguments: Sequence[Any]) -> _OwnKernel | _Together | None:
        """The launch for all tensors; None if each is a launch of its own.  Makes all checks.

        It is for floating point and complex tensors of one dtype that need no conversion.
        """
        rows = list(self.rows(arguments))
        operator = self.operator
        self.check_inplace(rows)
        metas = [self.meta_result(row) for row in rows]
        first = metas[0]
        if first is None:
            return None
        if first.device.type == "meta":
            return None
        backend = backend_of(first.device)
        if (
            self.is_inplace
            and launch.find_kernel(backend, self.schema.full_name, first.key_dtype) is not None
        ):
            return _OwnKernel(self.lists, first.device, first.key_dtype)
        if first.key_dtype.category < 2:
            return None
        kernel = launch.find_kernel(backend, operator.record.kernel_name, first.key_dtype)
        prepare_list = getattr(kernel, "prepare_list", None)
        if prepare_list is None:
            return None
        numbers = [place for place in self.inputs if not isinstance(rows[0][place], Tensor)]
        if len(numbers) > 1 or any(rows[0][place] is None for place in numbers):
            return None
        calls: list[Any] = []
        made: dict[Any, Any] = {}
        for row, meta in zip(rows, metas):
            if meta is None or meta.device is not first.device or meta.key_dtype is not first.key_dtype:
                return None
            key = tuple([each._spec if isinstance(each, Tensor) else None for each in row])
            if key not in made:
                iterator = self.iteration(meta, row)
                if iterator is None:
                    return None
                arguments_of_kernel = (
                    () if self.iterator else running.numbers_of_kernel(operator, meta.key_dtype, row)
                )
                made[key] = (
                    kernel.prepare(iterator, [None], 1, arguments_of_kernel)  # type: ignore[union-attr]
                    if iterator.numel
                    else None
                )
            calls.append(made[key])
        number_tensor = self.inputs.index(numbers[0]) + 1 if numbers else -1
        outputs = None if self.is_inplace else [meta.output_specs[0] for meta in metas if meta]
        return _Together(self, prepare_list(calls, number_tensor), first.device, first.key_dtype, outputs)

    def meta_result(self, row: Sequence[Any]) -> running.MetaResult | None:
        """The result of the meta function for one of the calls; None if there is none for it."""
        if self.operator.record.meta is not None:
            return running.meta_result(self.operator, row)
        iterator = self.iterator(*launch.specs_of(row)) if self.iterator is not None else None
        if iterator is None:
            return None
        return running.MetaResult(iterator.device, iterator.output_specs, iterator, iterator.key_dtype)

    def iteration(self, meta: running.MetaResult, row: Sequence[Any]) -> Any:
        """The TensorIterator of one of the calls; None if operands have to be converted, or if there are no
        elements to reduce.
        """
        iterator = meta.iterator
        if iterator is None or (iterator.is_reduction and not iterator.numel):
            return None
        if self.is_inplace:
            if row[0]._spec.dtype is not meta.output_specs[0].dtype or is_expanded(row[0]):
                return None
            iterator = iterator.with_outputs([row[0]._spec])
        if running.meets_in_float32(self.operator, meta.key_dtype, row):
            if not running.takes_float32_numbers(self.operator, meta, row):
                return None
            iterator = running.with_float32_numbers(self.operator, iterator, meta.key_dtype, row)
        operands = iterator.operands[iterator.output_count :]
        for position, operand in zip(self.inputs, operands):
            if isinstance(row[position], Tensor) and row[position]._spec.dtype is not operand.dtype:
                return None
        return iterator


def specs_of_list(tensors: Sequence[Tensor]) -> tuple[Spec, ...]:
    """The spec of each tensor."""
    return tuple([each._spec for each in tensors])


if speedups is not None:
    specs_of_list = speedups.specs_of_list


def _number_kind(value: Any) -> Any:
    if type(value) is float and -_MODERATE <= value <= _MODERATE:
        return float
    return (type(value), repr(value))


class _OwnKernel(NamedTuple):
    """An in-place list operator for which the backend has a kernel of its own."""

    lists: list[int]
    device: device
    key_dtype: dtype

    def run(self, operator: OpOverload, arguments: Sequence[Any]) -> None:
        tensors = [each for place in self.lists for each in arguments[place] if isinstance(each, Tensor)]
        kernel_arguments = [arguments[place] for place in operator.record.kernel_positions]
        facts = (self.device, self.key_dtype, tensors, len(arguments[0]), None, kernel_arguments)
        launch.launch(operator.name, *facts)


class _Together:
    """The calls of a list operator for lists of given specs, in one launch."""

    def __init__(
        self,
        rule: _Rule,
        prepared: PreparedList,
        device: device,
        key_dtype: dtype,
        outputs: list[Spec] | None,
    ):
        operator = rule.operator
        self.rule = rule
        self.prepared = prepared
        self.device = device
        self.key_dtype = key_dtype
        self.outputs = outputs
        kinds = [argument.type for argument in operator.schema.arguments]
        sources = [rule.passed[place] for place in rule.inputs]
        # Where the tensors of each operand come from; None of a number.
        self.tensors = [
            source if isinstance(source, int) and self.is_tensor(source) else None for source in sources
        ]
        # The kernel's numbers, and whether they are rounded to its dtype; then the operand that is a number.
        held = operator.record.held_positions if key_dtype.itemsize == 2 else ()
        self.numbers = [
            (rule.passed[place], place in held)
            for place in operator.record.kernel_positions
            if kinds[place] in ("Scalar", "float")
        ]
        self.numbers += [(source, False) for source in sources if not self.is_tensor(source)]
        if all(isinstance(source, Given) for source, _ in self.numbers):
            self.numbers.clear()  # they are those that the calls were prepared with

    def is_tensor(self, source: int | Given) -> bool:
        return isinstance(source, int) and self.rule.schema.arguments[source].is_tensor

    def run(self, operator: OpOverload, arguments: Sequence[Any]) -> Any:
        """The result; NotImplemented, before anything is written, if each call has to be checked."""
        outputs = empty_tensors(self.outputs) if self.outputs else arguments[0]
        columns = [outputs]
        for source in self.tensors:
            value = None if source is None else arguments[source]
            columns.append([value] * len(outputs) if isinstance(value, Tensor) else value)
        numbers = self.rows_of_numbers(arguments, len(outputs)) if self.numbers else None
        status = self.launch(operator, columns, numbers)
        if status == NOT_IMPLEMENTED:
            return NotImplemented
        if status == OUT_OF_MEMORY:
            raise OutOfMemoryError(f"{operator.schema.name}: no memory for the kernel's workspace")
        return tuple(outputs) if self.outputs else None

    def rows_of_numbers(self, arguments: Sequence[Any], count: int) -> list[tuple[Any, ...]]:
        """The numbers of each call; of all calls together if they are the same."""
        columns = []
        length = 1
        for source, is_rounded in self.numbers:
            value = source.value if isinstance(source, Given) else arguments[source]
            if isinstance(value, (list, tuple)) and value.count(value[0]) == count:
                value = value[0]
            several = isinstance(value, (list, tuple))
            values = value if several else (value,)
            if is_rounded:
                values = [each if each is None else self.key_dtype.cast(each) for each in values]
            columns.append(values)
            length = max(length, len(values))
        return list(zip(*[each if len(each) == length else repeat(each[0]) for each in columns]))

    def launch(self, operator: OpOverload, columns: list[Any], numbers: Any) -> int:
        if launch.after_launch is not None:
            launch.after_launch(operator.name, self.device, self.key_dtype, (), 0, None, (), None)
        if not mode_word() & OBSERVED_BIT:
            return self.prepared.run(columns, numbers)
        tensors = [each for column in columns if column is not None for each in column]
        told = launch.Launch(self.device, tensors, self.key_dtype, len(columns[0]), None, ())
        token = start(KERNEL, operator.name, told)
        status = None
        try:
            status = self.prepared.run(columns, numbers)
        finally:
            end(token, status == OK)
        return status
