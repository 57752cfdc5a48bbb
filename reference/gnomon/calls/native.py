"""native_function: creates all variants of an operator from its record.

A record (calls/record.py) yields the functional, the in-place (``add_``) and the ``out=`` variant
(``add.out``), each an OpOverload with its own schema.

Source: torchgen's structured kernels (TORCH_META_FUNC, TORCH_IMPL_FUNC), native_functions.yaml.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from types import CodeType, FrameType
from typing import Any, ParamSpec

from ..dispatch.dispatcher import OpOverload, aten
from ..dispatch.mode import mode_word
from ..memory.backend import place_of, reference_backend
from ..memory.tensor import Tensor, version_counter
from ..values import late_bound
from ..values.dispatch_key import AUTOGRAD, GRAD_MODE_BIT, WRAPPER_KEYS, DispatchKey
from ..values.schema import FunctionSchema
from .composites import composed
from .outputs import (
    check_inplace_sizes,
    check_no_overlap,
    check_output_dtype,
    is_expanded,
    no_forward_ad_of_out,
    with_output_dtype,
    write_results,
)
from .record import Record
from .running import (
    run_explicit,
    run_explicit_out,
    run_functional,
    run_inplace,
    run_out,
    run_view,
)

Facts = ParamSpec("Facts")

# Where each record is written, by the operator's name: the code of the module, and the line.
_written_at: dict[str, tuple[CodeType, int]] = {}


def of_a_record(
    make_record: Callable[Facts, Record],
) -> Callable[[Callable[[Record], OpOverload]], Callable[Facts, OpOverload]]:
    """Decorator: turns a function of a Record into a function of the record's fields.

    So the fields are declared, typed and explained in one place, the Record.
    """

    def decorate(function: Callable[[Record], OpOverload]) -> Callable[Facts, OpOverload]:
        @functools.wraps(function)
        def call(*schema: Facts.args, **facts: Facts.kwargs) -> OpOverload:
            return function(make_record(*schema, **facts))

        return call

    return decorate


@of_a_record(Record)
def native_function(record: Record) -> OpOverload:
    """Define an operator, with its variants, and return it.

    Takes the schema and, as keywords, the fields that Record declares.  Raises TypeError for an unknown
    keyword, ValueError for an operator that already exists.
    """
    schema: FunctionSchema = record.schema  # type: ignore[assignment]
    operator = aten._define(OpOverload(schema, record))
    frame = _module_frame(sys._getframe(1))
    if frame is not None:
        _written_at[operator.name] = frame.f_code, frame.f_lineno
    if record.composite is not None:
        _register_composite(operator, record.composite)
    elif record.explicit is not None:
        operator.register(DispatchKey.Dense, run_explicit)
    elif record.view is not None:
        operator.register(DispatchKey.Dense, run_view)
    else:
        operator.register(DispatchKey.Dense, run_functional)
    if record.kernel is not None:
        kernel = record.kernel
        if record.written_positions:
            kernel = _without_written(kernel, len(schema.returns), len(record.kernel_positions))
        reference_backend.kernels[schema.full_name] = kernel
        reference_backend.sources[schema.full_name, kernel] = record_source(operator)
        reference_backend.capabilities[schema.full_name] = None
    for make_variant in (_inplace_variant, _out_variant):
        variant = make_variant(operator)
        if variant is not None:
            operator.variants.append(variant)
    return operator


def kernel_names() -> dict[str, str]:
    """Map each operator to the one whose kernel it runs: itself, its base, or its ``kernel_of``."""
    found = {}
    for packet in aten:
        for operator in packet.overloads.values():
            base = operator.record if operator.record.base is None else operator.record.base.record
            own = operator.name in reference_backend.kernels
            found[operator.name] = operator.name if own else base.kernel_name
    return found


late_bound.find_operators = kernel_names


def _module_frame(frame: FrameType | None) -> FrameType | None:
    """The frame of the module from which ``frame`` was called: where a record is written."""
    while frame is not None and frame.f_code.co_name != "<module>":
        frame = frame.f_back
    return frame


def record_source(operator: OpOverload) -> str:
    """The file and line of an operator's record, for a variant those of its base's; "": not known."""
    place = _written_at.get((operator.record.base or operator).name)
    return "" if place is None else place_of(*place)


def record_file(operator: OpOverload) -> str:
    """The path of the file of an operator's record; "": not known."""
    place = _written_at.get((operator.record.base or operator).name)
    return "" if place is None else place[0].co_filename


def _without_written(kernel: Callable[..., Any], returned: int, arguments: int) -> Callable[..., Any]:
    """``kernel`` without the written arguments that a call repeats after the returned outputs."""
    return lambda *given: kernel(*given[:returned], *given[-arguments:])


def _inplace_variant(base: OpOverload) -> OpOverload | None:
    """Derive ``add_.Tensor(Tensor(a!) self, …) -> Tensor(a!)`` from ``add.Tensor(Tensor self, …) -> Tensor``.

    Only if the record declares an in-place variant.
    """
    overload = base.record.inplace.overload
    if overload is False:
        return None
    if overload is True:
        overload = base.schema.overload_name
    head, _, tail = base.schema.text.partition("(")
    name = head.partition(".")[0]
    arguments, _, _ = tail.rpartition(") ->")
    arguments = arguments.replace("Tensor self", "Tensor(a!) self", 1)
    schema = FunctionSchema(f"{name}_{'.' if overload else ''}{overload}({arguments}) -> Tensor(a!)")
    record = Record(
        schema,
        base=base,
        doc=f"In-place version of {base.schema.name}.",
        variants=base.record.variants,
        python_module=base.record.python_module,
    )
    variant = aten._define(OpOverload(schema, record))
    if base.record.composite is not None:

        def write_inplace(*arguments: Any) -> Any:
            self = arguments[0]
            on_expanded = base.record.inplace.on_expanded
            if on_expanded and is_expanded(self):
                on_expanded(*arguments)
                return self
            recorded = mode_word() & GRAD_MODE_BIT
            if recorded and any(each._keys & AUTOGRAD for each in variant.tensors(arguments)):
                # autograd saves this copy of self, which the write does not change
                arguments = (aten.clone.default(self, None), *arguments[1:])
            result = base(*arguments)
            check_output_dtype(base, result._spec.dtype, self._spec.dtype)
            if not any(each._keys & WRAPPER_KEYS for each in variant.tensors(arguments)):
                check_inplace_sizes(schema.name, self._spec, result._spec)
                check_no_overlap(variant, base, self, arguments)  # wrapper subclasses have no memory
            return self.copy_(result)

        _register_composite(variant, write_inplace)
    else:
        variant.register(DispatchKey.Dense, run_inplace)
    return variant


def _out_variant(base: OpOverload) -> OpOverload | None:
    """Derive ``add.out(Tensor self, …, *, Tensor(a!) out) -> Tensor(a!)`` from ``add.Tensor``.

    Only if the record declares an ``out=`` variant.
    """
    out = base.record.out.overload
    if not out:
        return None
    if "(" in out:
        schema = FunctionSchema(out)
    elif base.record.written_positions:  # PyTorch marks the outputs with other letters than these arguments
        raise ValueError(
            f"{base.name}: the out= variant of an operator that writes to arguments needs its whole schema"
        )
    else:
        arguments, _, _ = base.schema.text.partition("(")[2].rpartition(") ->")
        has_star = any(argument.kwarg_only for argument in base.schema.arguments)
        separator = ", " if has_star else ", *, "
        written = (
            "Tensor(a!)[] out) -> ()" if base.schema.returns[0].is_list else "Tensor(a!) out) -> Tensor(a!)"
        )
        schema = FunctionSchema(f"{base.schema.name}.{out}({arguments}{separator}{written}")
    variant = aten._define(
        OpOverload(
            schema, Record(schema, base=base, doc=f"{base.schema.name}, which writes its result to ``out``.")
        )
    )
    if base.record.composite is not None:

        def write_out(*arguments: Any) -> Any:
            count = len(base.schema.arguments)
            has_list = schema.arguments[-1].is_list
            outputs = arguments[-1] if has_list else arguments[count:]
            inputs = list(arguments[:count])
            changed = [(inputs[position], position) for position in base.record.written_positions]
            for tensor, position in changed:  # a call whose outputs are refused writes to no argument
                inputs[position] = aten.clone.default(tensor, None)
            results = base(*(inputs if has_list else with_output_dtype(base, inputs, outputs[0])))
            results = results if isinstance(results, tuple) else (results,)
            if len(results) != len(outputs):
                raise RuntimeError(
                    f"{base.schema.name}: expected an out= argument of size {len(results)}, got size "
                    f"{len(outputs)}"
                )
            if any(_has_tangent(each) for each in (*results, *outputs)):
                raise no_forward_ad_of_out(base.schema.name)
            written = write_results(variant, results, outputs, arguments[:count])
            for tensor, position in changed:
                tensor.copy_(inputs[position])
            for output in outputs:
                version_counter(output).value += 1
            return None if has_list else written

        _register_composite(variant, write_out)
    elif base.record.explicit is not None:
        variant.register(DispatchKey.Dense, run_explicit_out)
    else:
        variant.register(DispatchKey.Dense, run_out)
    return variant


def _has_tangent(tensor: Tensor) -> bool:
    """Does the tensor have a forward-mode tangent (autograd/forward_ad.py)?"""
    meta = tensor._autograd_meta
    return (
        meta is not None
        and meta.tangents is not None
        and any(each is not None for each in meta.tangents.values())
    )


def _register_composite(operator: OpOverload, function: Callable[..., Any]) -> None:
    """Register ``function`` for every key, because the operators that it calls handle the keys."""

    def run(operator: OpOverload, keys: int, arguments: Sequence[Any]) -> Any:
        return composed(operator, function, arguments)

    for key in DispatchKey:
        operator.register(key, run)
