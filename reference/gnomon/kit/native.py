"""native_function: from one record to an operator in all its variants.

A record says, once: the schema (PyTorch's, letter for letter), the shape-and-dtype rule with all checks, the
reference kernel, the derivative formulas.  From it come the functional operator, the in-place one (``add_``)
and the one that writes into ``out=`` (``add.out``), each an OpOverload with its own schema.

What a record may be, apart from the schema:
- ``meta`` and ``kernel``: the usual case.  ``meta`` maps the arguments, tensors replaced by their specs, to
the
  outputs' specs, or to the TensorIterator that walks them.  ``kernel`` then computes.
- ``view``: maps the first argument's spec and the other arguments to (spec, offset) of an alias, or a list.
- ``composite``: a function of tensors made of other operators.  Autograd sees those.
(CompositeImplicitAutograd)
- ``explicit``: a function of tensors that needs no kernel of its own but has its own derivative, or none.

An operator may write to arguments beside what it returns, as its schema marks them: ``_fused_adam_``, which
returns nothing, and whose ``meta`` gives ().  For a backend these are outputs, behind those that are
returned; the record's ``kernel`` finds them among the arguments alone.

Source: torchgen's structured kernels (TORCH_META_FUNC, TORCH_IMPL_FUNC), native_functions.yaml.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Sequence
from types import FrameType
from typing import Any

from ..dispatch.dispatcher import OpOverload, aten
from ..dispatch.mode import mode_word
from ..memory.backend import place_of, reference_backend, set_operator_finder
from ..memory.tensor import Tensor, version_counter
from ..values import dtype as dtypes
from ..values.dispatch_key import AUTOGRAD, GRAD_MODE_BIT, WRAPPER_KEYS, DispatchKey
from ..values.schema import FunctionSchema
from .outputs import (
    check_no_overlap,
    check_output_dtype,
    is_expanded,
    with_output_dtype,
    write_results,
)
from .plans import Plan, composed
from .running import (
    run_explicit,
    run_explicit_out,
    run_functional,
    run_inplace,
    run_out,
    run_view,
)

# Arguments of these types say what a new tensor is; a kernel sees it in the tensor.
_NOT_FOR_KERNELS = frozenset({"ScalarType", "Layout", "Device", "MemoryFormat"})


class Record:
    """What is known about one operator; an OpOverload's ``record``."""

    __slots__ = (
        "base", "cast_error", "composite", "derivative_plans", "derivatives", "doc", "dtype_from_out",
        "exact_out", "expands_inputs", "explicit", "held_numbers", "identity", "kernel", "kernel_name",
        "kernel_positions", "launches", "meta", "node_name", "non_differentiable_outputs", "numbers",
        "numbers_fit",
        "on_expanded", "out_dtypes", "plans", "promotes_inputs", "python_module", "row_major_out", "schema",
        "separate_out", "variants", "variants_offered", "view", "wide_numbers", "written_positions",
        "written_with",
    )  # fmt: skip

    def __init__(
        self,
        schema: FunctionSchema,
        *,
        meta: Callable[..., Any] | None = None,
        kernel: Callable[..., Any] | None = None,
        view: Callable[..., Any] | None = None,
        composite: Callable[..., Any] | None = None,
        explicit: Callable[..., Any] | None = None,
        derivatives: dict[str, Callable[..., Any]] | None = None,
        non_differentiable_outputs: tuple[int, ...] = (),
        identity: Any = None,
        exact_out: bool = False,
        cast_error: type[Exception] = RuntimeError,
        on_expanded: bool | Callable[..., Any] = False,
        out_dtypes: tuple[dtypes.dtype, ...] = (),
        row_major_out: bool | Callable[..., bool] = False,
        separate_out: tuple[str, ...] = (),
        dtype_from_out: bool = False,
        promotes_inputs: bool = False,
        numbers: str = "",
        numbers_fit: bool = False,
        wide_numbers: tuple[str, ...] = (),
        held_numbers: tuple[str, ...] = (),
        expands_inputs: tuple[str, ...] = (),
        variants: str = "",
        kernel_of: str = "",
        launches: str | None = None,
        python_module: str = "",
        node_name: str = "",
        written_with: dict[str, str] | None = None,
        doc: str = "",
        base: OpOverload | None = None,
    ):
        self.schema = schema
        self.meta = meta
        self.kernel = kernel
        self.view = view
        self.composite = composite
        self.explicit = explicit
        self.derivatives = derivatives
        self.non_differentiable_outputs = non_differentiable_outputs
        self.identity = identity
        self.exact_out = exact_out
        self.cast_error = cast_error
        self.on_expanded = on_expanded
        self.out_dtypes = out_dtypes
        self.row_major_out = row_major_out
        # where the arguments stand that outputs may not be
        self.separate_out = _positions(schema, separate_out) if separate_out else ()
        # where the argument stands that the output's dtype may stand for
        self.dtype_from_out = _positions(schema, ("dtype",))[0] if dtype_from_out else None
        self.promotes_inputs = promotes_inputs
        self.numbers = numbers
        self.numbers_fit = numbers_fit
        # where the operands stand that keep float32's precision
        self.wide_numbers = _positions(schema, wide_numbers) if wide_numbers else ()
        # where the numbers stand that half precision rounds to its own before a kernel has them
        self.held_numbers = _positions(schema, held_numbers) if held_numbers else ()
        self.expands_inputs = expands_inputs
        self.variants_offered = variants or _default_variants(schema)
        self.kernel_name = kernel_of or schema.full_name  # under which backends have it
        self.launches = launches
        self.python_module = python_module
        self.node_name = node_name
        self.written_with: dict[int, int] = {}
        if written_with:
            self.written_with = dict(
                zip(_positions(schema, written_with), _positions(schema, written_with.values()))
            )
        # where the arguments stand that the operator writes to beside what it returns
        self.written_positions: tuple[int, ...] = ()
        if not schema.is_inplace and not schema.is_out:
            self.written_positions = tuple(
                [
                    position
                    for position, argument in enumerate(schema.arguments)
                    if argument.alias is not None and argument.alias.is_write
                ]
            )
        self.derivative_plans: dict[Any, Any] = {}  # autograd's: what is saved, by which inputs require grad
        self.doc = inspect.cleandoc(doc) if "\n" in doc else doc
        self.base = base  # of a derived variant: the functional operator
        self.variants: list[OpOverload] = []
        self.plans: dict[Any, Plan] = {}
        # where in the schema the kernel's arguments that are not tensors stand
        self.kernel_positions = tuple(
            [
                position
                for position, argument in enumerate(schema.arguments)
                if argument.type not in _NOT_FOR_KERNELS and argument.name != "pin_memory"
            ]
        )


def _positions(schema: FunctionSchema, names: Iterable[str]) -> tuple[int, ...]:
    """Where the arguments of these names stand."""
    all_names = [argument.name for argument in schema.arguments]
    return tuple([all_names.index(name) for name in names])


def _default_variants(schema: FunctionSchema) -> str:
    first = schema.arguments[0] if schema.arguments else None
    on_self = first is not None and first.name == "self" and first.type == "Tensor" and not first.is_list
    return "function, method" if on_self else "function"


def native_function(
    schema: str,
    *,
    meta: Callable[..., Any] | None = None,
    kernel: Callable[..., Any] | None = None,
    view: Callable[..., Any] | None = None,
    composite: Callable[..., Any] | None = None,
    explicit: Callable[..., Any] | None = None,
    kernel_of: str = "",
    launches: str | None = None,
    derivatives: dict[str, Callable[..., Any]] | None = None,
    non_differentiable_outputs: tuple[int, ...] = (),
    node_name: str = "",
    promotes_inputs: bool = False,
    numbers: str = "",
    numbers_fit: bool = False,
    wide_numbers: tuple[str, ...] = (),
    held_numbers: tuple[str, ...] = (),
    expands_inputs: tuple[str, ...] = (),
    dtype_from_out: bool = False,
    variants: str = "",
    python_module: str = "",
    identity: Any = None,
    inplace: bool | str = False,
    out: str | None = None,
    exact_out: bool = False,
    out_dtypes: tuple[dtypes.dtype, ...] = (),
    cast_error: type[Exception] = RuntimeError,
    row_major_out: bool | Callable[..., bool] = False,
    separate_out: tuple[str, ...] = (),
    on_expanded: bool | Callable[..., Any] = False,
    written_with: dict[str, str] | None = None,
    doc: str = "",
) -> OpOverload:
    """Define an operator and return it.

    ``kernel_of`` names the operator whose kernel this one runs, where the two differ in their arguments only.
    ``launches`` says of an ``explicit`` function that all it does is to make its result, or to write to its
    first argument, by one launch of that operator's kernel at most (by none: ""), and that specs, numbers and
    the like decide which: so the launch can be repeated without it (fast_launches.py).

    ``inplace`` also defines ``name_`` (a string: with that overload name instead of the operator's); ``out``
    also defines the variant with ``out=``: its overload name ("out"), or its whole schema where the outputs'
    names are not ``out``. ``identity`` is what a reduction of nothing gives. ``non_differentiable_outputs``
    are positions of outputs that never require grad. ``derivatives`` maps an argument's name to the formula
    of its gradient; see autograd/variable_type.py. ``variants``: "function", "method" or both, as in
    native_functions.yaml; by default both for an operator on ``self``. ``python_module``: "nn" for what is
    found in nn.functional rather than in gnomon itself. ``expands_inputs``: names of arguments that such a
    kernel sees with the output's sizes. ``promotes_inputs``: tensor arguments are converted to the output's
    dtype before a kernel without a walk runs. ``numbers``: where a Python number may stand for a tensor: for
    "other", for "either" of self and other, or for "both" of them; ``numbers_fit``: the rule refuses those
    that the dtype does not hold. ``wide_numbers``: operands which, when they are numbers or have no
    dimensions, half precision tensors meet in float32. ``held_numbers``: arguments which kernels of half
    precision take as that holds them, where it computes with others in float32. ``dtype_from_out``: a
    ``dtype`` that is not given is that of the output, in place and with ``out=``. ``exact_out``: an ``out=``
    of another dtype than the result's is refused, where others convert. ``out_dtypes``: the dtypes that an
    ``out=`` may have, whatever the result's. ``cast_error``: what an ``out=`` raises that the result can not
    be cast to. ``row_major_out``: an ``out=`` that is resized is row-major, whatever the result's strides (a
    function of the arguments: for these). ``separate_out``: arguments that are still read when an element has
    been written, so that an output may not even be one of them. ``on_expanded``: in place an expanded tensor
    is written to where others refuse: by the kernel, with a warning, or by a function of the arguments.
    ``written_with``: arguments that the schema marks as written to, and that are so only where another one,
    named beside, is given.
    ``node_name`` is the Node's name where it is not the operator's with "Backward0".
    """
    parsed = FunctionSchema(schema)
    record = Record(
        parsed,
        meta=meta,
        kernel=kernel,
        view=view,
        composite=composite,
        explicit=explicit,
        kernel_of=kernel_of,
        launches=launches,
        derivatives=derivatives,
        non_differentiable_outputs=non_differentiable_outputs,
        promotes_inputs=promotes_inputs,
        numbers=numbers,
        numbers_fit=numbers_fit,
        wide_numbers=wide_numbers,
        held_numbers=held_numbers,
        expands_inputs=expands_inputs,
        dtype_from_out=dtype_from_out,
        variants=variants,
        python_module=python_module,
        node_name=node_name,
        identity=identity,
        exact_out=exact_out,
        out_dtypes=out_dtypes,
        cast_error=cast_error,
        row_major_out=row_major_out,
        separate_out=separate_out,
        on_expanded=on_expanded,
        written_with=written_with,
        doc=doc,
    )
    operator = aten._define(OpOverload(parsed, record))
    if composite is not None:
        _register_composite(operator, composite)
    elif explicit is not None:
        operator.register(DispatchKey.Dense, run_explicit)
    elif view is not None:
        operator.register(DispatchKey.Dense, run_view)
    else:
        operator.register(DispatchKey.Dense, run_functional)
    if kernel is not None:
        if record.written_positions:
            kernel = _without_written(kernel, len(parsed.returns), len(record.kernel_positions))
        reference_backend.kernels[parsed.full_name] = kernel
        reference_backend.sources[parsed.full_name, kernel] = _module_line(sys._getframe(1))
        reference_backend.capabilities[parsed.full_name] = None
    if inplace:
        overload = inplace if isinstance(inplace, str) else parsed.overload_name
        record.variants.append(_inplace_variant(operator, overload))
    if out is not None:
        record.variants.append(_out_variant(operator, out))
    return operator


def _kernel_names() -> dict[str, str]:
    """All operators, and the one whose kernel each of them runs: itself, or what it is a variant of."""
    found = {}
    for packet in aten:
        for operator in packet.overloads.values():
            base = operator.record if operator.record.base is None else operator.record.base.record
            own = operator.name in reference_backend.kernels
            found[operator.name] = operator.name if own else base.kernel_name
    return found


set_operator_finder(_kernel_names)


def _module_line(frame: FrameType | None) -> str:
    """The line of a module that led to ``frame``: where a record is written, however it is made."""
    while frame is not None and frame.f_code.co_name != "<module>":
        frame = frame.f_back
    return "" if frame is None else place_of(frame.f_code, frame.f_lineno)


def _without_written(kernel: Callable[..., Any], returned: int, arguments: int) -> Callable[..., Any]:
    """``kernel`` for calls that have the arguments that are written to once more, behind what is returned."""
    return lambda *given: kernel(*given[:returned], *given[-arguments:])


def _inplace_variant(base: OpOverload, overload: str) -> OpOverload:
    """``add_.Tensor(Tensor(a!) self, …) -> Tensor(a!)`` from ``add.Tensor(Tensor self, …) -> Tensor``."""
    head, _, tail = base.schema.text.partition("(")
    name = head.partition(".")[0]
    arguments, _, _ = tail.rpartition(") ->")
    arguments = arguments.replace("Tensor self", "Tensor(a!) self", 1)
    schema = FunctionSchema(f"{name}_{'.' if overload else ''}{overload}({arguments}) -> Tensor(a!)")
    record = Record(
        schema,
        base=base,
        doc=f"In-place version of {base.schema.name}.",
        variants=base.record.variants_offered,
        python_module=base.record.python_module,
    )
    variant = aten._define(OpOverload(schema, record))
    if base.record.composite is not None:

        def write_inplace(*arguments: Any) -> Any:
            self = arguments[0]
            if base.record.on_expanded and is_expanded(self):
                base.record.on_expanded(*arguments)  # type: ignore[operator]
                return self
            recorded = mode_word() & GRAD_MODE_BIT
            if recorded and any(each._keys & AUTOGRAD for each in variant.tensors(arguments)):
                # what the parts save of self must outlive the writing to it
                arguments = (aten.clone.default(self, None), *arguments[1:])
            result = base(*arguments)
            check_output_dtype(base, result._spec.dtype, self._spec.dtype)
            if not any(each._keys & WRAPPER_KEYS for each in variant.tensors(arguments)):
                check_no_overlap(variant, base, self, arguments)  # wrappers have no memory
            return self.copy_(result)

        _register_composite(variant, write_inplace)
    else:
        variant.register(DispatchKey.Dense, run_inplace)
    return variant


def _out_variant(base: OpOverload, out: str) -> OpOverload:
    """``add.out(Tensor self, …, *, Tensor(a!) out) -> Tensor(a!)`` from ``add.Tensor(Tensor self, …) ->
    Tensor``.
    """
    if "(" in out:
        schema = FunctionSchema(out)
    else:
        arguments, _, _ = base.schema.text.partition("(")[2].rpartition(") ->")
        has_star = any(argument.kwarg_only for argument in base.schema.arguments)
        separator = ", " if has_star else ", *, "
        schema = FunctionSchema(
            f"{base.schema.name}.{out}({arguments}{separator}Tensor(a!) out) -> Tensor(a!)"
        )
    variant = aten._define(
        OpOverload(schema, Record(schema, base=base, doc=f"{base.schema.name} with its result in out=."))
    )
    if base.record.composite is not None:

        def write_out(*arguments: Any) -> Any:
            count = len(base.schema.arguments)
            results = base(*with_output_dtype(base, arguments[:count], arguments[count]))
            results = results if isinstance(results, tuple) else (results,)
            if any(_has_tangent(each) for each in (*results, *arguments[count:])):
                raise NotImplementedError(
                    f"Trying to use forward AD with {base.schema.name}_out that does not support it because "
                    "it is an out= function"
                )
            written = write_results(variant, results, arguments[count:], arguments[:count])
            for output in arguments[count:]:
                version_counter(output).value += 1
            return written

        _register_composite(variant, write_out)
    elif base.record.explicit is not None:
        variant.register(DispatchKey.Dense, run_explicit_out)
    else:
        variant.register(DispatchKey.Dense, run_out)
    return variant


def _has_tangent(tensor: Tensor) -> bool:
    """Has forward mode (autograd/forward_ad.py) given this tensor a tangent?"""
    meta = tensor._autograd_meta
    return (
        meta is not None
        and meta.tangents is not None
        and any(each is not None for each in meta.tangents.values())
    )


def _register_composite(operator: OpOverload, function: Callable[..., Any]) -> None:
    """A composition runs at whichever key the call comes in by: the operators it is made of do the rest."""

    def run(operator: OpOverload, keys: int, arguments: Sequence[Any]) -> Any:
        return composed(operator, function, arguments)

    for key in DispatchKey:
        operator.register(key, run)
