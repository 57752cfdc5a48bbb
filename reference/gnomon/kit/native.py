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

Source: torchgen's structured kernels (TORCH_META_FUNC, TORCH_IMPL_FUNC), native_functions.yaml.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Sequence
from typing import Any

from ..dispatch.dispatcher import OpOverload, aten
from ..dispatch.mode import mode_word
from ..memory.backend import on_register, reference_backend
from ..memory.spec import Spec
from ..memory.tensor import Tensor, alias_tensor, empty_tensor, version_counter
from ..values import dtype as dtypes
from ..values import geometry
from ..values.device import device
from ..values.dispatch_key import AUTOGRAD, GRAD_MODE_BIT, DispatchKey
from ..values.dtype import can_cast
from ..values.schema import FunctionSchema
from . import launch
from .iterator import TensorIterator

# Arguments of these types say what a new tensor is; a kernel sees it in the tensor.
_NOT_FOR_KERNELS = frozenset({"ScalarType", "Layout", "Device", "MemoryFormat"})

PLANS_PER_OPERATOR = 4096  # plans kept of one operator; a program with more shapes than that starts afresh


class Record:
    """What is known about one operator; an OpOverload's ``record``."""

    def __init__(self, schema: FunctionSchema, **fields: Any):
        self.schema = schema
        self.meta: Callable[..., Any] | None = fields.get("meta")
        self.kernel: Callable[..., Any] | None = fields.get("kernel")
        self.view: Callable[..., Any] | None = fields.get("view")
        self.composite: Callable[..., Any] | None = fields.get("composite")
        self.explicit: Callable[..., Any] | None = fields.get("explicit")
        self.derivatives: dict[str, Callable[..., Any]] | None = fields.get("derivatives")
        self.non_differentiable_outputs: tuple[int, ...] = fields.get("non_differentiable_outputs", ())
        self.identity: Any = fields.get("identity")
        self.exact_out: bool = fields.get("exact_out", False)
        self.dtype_from_out: int | None = (  # where the argument stands that the output's dtype may stand for
            [argument.name for argument in schema.arguments].index("dtype")
            if fields.get("dtype_from_out")
            else None
        )
        self.promotes_inputs: bool = fields.get("promotes_inputs", False)
        self.numbers: str = fields.get("numbers", "")
        self.wide_numbers: tuple[int, ...] = tuple(  # where the operands stand that keep float32's precision
            [argument.name for argument in schema.arguments].index(name)
            for name in fields.get("wide_numbers", ())
        )
        self.expands_inputs: tuple[str, ...] = fields.get("expands_inputs", ())
        self.variants_offered: str = fields.get("variants") or _default_variants(schema)
        self.python_module: str = fields.get("python_module") or ""
        self.node_name: str = fields.get("node_name") or ""
        self.derivative_plans: dict[Any, Any] = {}  # autograd's: what is saved, by which inputs require grad
        self.doc: str = inspect.cleandoc(fields.get("doc") or "")
        self.base: OpOverload | None = fields.get("base")  # of a derived variant: the functional operator
        self.variants: list[OpOverload] = []
        self.plans: dict[Any, Plan] = {}
        # where in the schema the kernel's arguments that are not tensors stand
        self.kernel_positions = tuple(
            position
            for position, argument in enumerate(schema.arguments)
            if argument.type not in _NOT_FOR_KERNELS and argument.name != "pin_memory"
        )


def _default_variants(schema: FunctionSchema) -> str:
    first = schema.arguments[0] if schema.arguments else None
    on_self = first is not None and first.name == "self" and first.type == "Tensor" and not first.is_list
    return "function, method" if on_self else "function"


class Plan:
    """What a call with certain specs and arguments comes to: everything but the tensors themselves."""

    __slots__ = ("device", "key_dtype", "output_specs", "prepared", "walk")

    def __init__(
        self, device: device, output_specs: tuple[Spec, ...], walk: TensorIterator | None, key_dtype: Any
    ):
        self.device = device
        self.output_specs = output_specs
        self.walk = walk
        self.key_dtype = key_dtype
        self.prepared: dict[Any, Any] = {}


def native_function(
    schema: str,
    *,
    meta: Callable[..., Any] | None = None,
    kernel: Callable[..., Any] | None = None,
    view: Callable[..., Any] | None = None,
    composite: Callable[..., Any] | None = None,
    explicit: Callable[..., Any] | None = None,
    derivatives: dict[str, Callable[..., Any]] | None = None,
    non_differentiable_outputs: tuple[int, ...] = (),
    node_name: str = "",
    promotes_inputs: bool = False,
    numbers: str = "",
    wide_numbers: tuple[str, ...] = (),
    expands_inputs: tuple[str, ...] = (),
    dtype_from_out: bool = False,
    variants: str = "",
    python_module: str = "",
    identity: Any = None,
    inplace: bool | str = False,
    out: str | None = None,
    exact_out: bool = False,
    doc: str = "",
) -> OpOverload:
    """Define an operator and return it.

    ``inplace`` also defines ``name_`` (a string: with that overload name instead of the operator's); ``out``
    also defines the variant with ``out=``: its overload name ("out"), or its whole schema where the outputs'
    names are not ``out``.  ``identity`` is what a reduction of nothing gives. ``non_differentiable_outputs``
    are positions of outputs that never require grad. ``derivatives`` maps an argument's name to the formula
    of its gradient; see autograd/variable_type.py. ``variants``: "function", "method" or both, as in
    native_functions.yaml; by default both for an operator on ``self``. ``python_module``: "nn" for what is
    found in nn.functional rather than in gnomon itself. ``expands_inputs``: names of arguments that such a
    kernel sees with the output's sizes. ``promotes_inputs``: tensor arguments are converted to the output's
    dtype before a kernel without a walk runs. ``numbers``: where a Python number may stand for a tensor: for
    "other", for "either" of self and other, or for "both" of them. ``wide_numbers``: operands which, when
    they are numbers or have no dimensions, half precision tensors meet in float32. ``dtype_from_out``: a
    ``dtype`` that is not given is that of the output, in place and with ``out=``. ``exact_out``: an
    ``out=`` of another dtype than the result's is refused, where others convert. ``node_name`` is the Node's
    name where it is not the operator's with "Backward0".
    """
    parsed = FunctionSchema(schema)
    record = Record(
        parsed,
        meta=meta,
        kernel=kernel,
        view=view,
        composite=composite,
        explicit=explicit,
        derivatives=derivatives,
        non_differentiable_outputs=non_differentiable_outputs,
        promotes_inputs=promotes_inputs,
        numbers=numbers,
        wide_numbers=wide_numbers,
        expands_inputs=expands_inputs,
        dtype_from_out=dtype_from_out,
        variants=variants,
        python_module=python_module,
        node_name=node_name,
        identity=identity,
        exact_out=exact_out,
        doc=doc,
    )
    operator = aten._define(OpOverload(parsed, record))
    if composite is not None:
        _register_composite(operator, composite)
    elif explicit is not None:
        operator.register(DispatchKey.Dense, _run_explicit)
    elif view is not None:
        operator.register(DispatchKey.Dense, _run_view)
    else:
        operator.register(DispatchKey.Dense, run_functional)
    if kernel is not None:
        reference_backend.kernels[parsed.full_name] = kernel
        reference_backend.capabilities[parsed.full_name] = None
    if inplace:
        overload = inplace if isinstance(inplace, str) else parsed.overload_name
        record.variants.append(_inplace_variant(operator, overload))
    if out is not None:
        record.variants.append(_out_variant(operator, out))
    return operator


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
            recorded = mode_word() & GRAD_MODE_BIT
            if recorded and any(each._keys & AUTOGRAD for each in variant.tensors(arguments)):
                # what the parts save of self must outlive the writing to it
                arguments = (aten.clone.default(self, None), *arguments[1:])
            result = base(*arguments)
            check_cast(base.schema.name, result._spec.dtype, self._spec.dtype)
            return self.copy_(result)

        _register_composite(variant, write_inplace)
    else:
        variant.register(DispatchKey.Dense, _run_inplace)
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
            written = _write_results(
                variant, results if isinstance(results, tuple) else (results,), arguments[count:]
            )
            for output in arguments[count:]:
                version_counter(output).value += 1
            return written

        _register_composite(variant, write_out)
    elif base.record.explicit is not None:
        variant.register(DispatchKey.Dense, _run_explicit_out)
    else:
        variant.register(DispatchKey.Dense, _run_out)
    return variant


def _register_composite(operator: OpOverload, function: Callable[..., Any]) -> None:
    """A composition runs at whichever key the call comes in by: the operators it is made of do the rest."""

    def run(operator: OpOverload, keys: int, arguments: Sequence[Any]) -> Any:
        return _checked(operator, function, arguments)

    for key in (DispatchKey.Autograd, DispatchKey.ADInplaceOrView, DispatchKey.Dense):
        operator.register(key, run)


def _run_explicit(operator: OpOverload, keys: int, arguments: Sequence[Any]) -> Any:
    return _checked(operator, operator.record.explicit, arguments)


# ---------------------------------------------------------------------------------------------------------
# Plans: what the specs and the other arguments decide, found once.


def plan_key(arguments: Sequence[Any]) -> Any:
    """A key under which a call's plan can be kept: equal keys mean equal plans.

    1, 1.0 and True are equal to Python and different to promotion, so types are part of it; and so is the
    sign of zero.
    """
    key: list[Any] = []
    for argument in arguments:
        if isinstance(argument, Tensor):
            key.append(argument._spec)
        elif isinstance(argument, float):
            key.append((float, argument, math.copysign(1.0, argument)))
        elif isinstance(argument, (list, tuple)):
            key.append(plan_key(argument))
        elif isinstance(argument, complex):
            key.append((complex, repr(argument)))
        else:
            key.append((type(argument), argument))
    return tuple(key)


def make_plan(operator: OpOverload, arguments: Sequence[Any]) -> Plan:
    """Check the arguments and find what a functional call will allocate and run."""
    record = operator.record
    tensors = list(operator.tensors(arguments))
    if tensors:
        where = launch.check_same_device(operator.schema.name, tensors)
    result = _checked(operator, record.meta, launch.specs_of(arguments))
    if isinstance(result, TensorIterator):
        return Plan(result.device, result.output_specs, result.with_converted_inputs(), result.key_dtype)
    outputs = (result,) if isinstance(result, Spec) else tuple(result)
    first = next(spec for spec in outputs if spec is not None)
    key_dtype = tensors[0]._spec.dtype if tensors and not record.promotes_inputs else first.dtype
    return Plan(where if tensors else first.device, outputs, None, key_dtype)


_NAMES_AN_OPERATOR = re.compile(r"\w+(\(\))?: ")


def _checked(operator: OpOverload, rule: Callable[..., Any], arguments: Sequence[Any]) -> Any:
    """Apply a rule or a composition; an error that it raises names the operator, or the part of it that
    raised.
    """
    try:
        return rule(*arguments)
    except (RuntimeError, IndexError, TypeError, ValueError) as error:
        if len(error.args) != 1 or _NAMES_AN_OPERATOR.match(str(error)):
            raise
        raise type(error)(f"{operator.schema.name.lstrip('_')}: {error}") from error.__cause__


def find_plan(operator: OpOverload, arguments: Sequence[Any]) -> Plan:
    """The plan of a functional call, kept or made."""
    if not operator.tensor_positions:
        return make_plan(operator, arguments)  # a factory's depends on the default device too
    plans = operator.record.plans
    key = plan_key(arguments)
    plan = plans.get(key)
    if plan is None:
        plan = make_plan(operator, arguments)
        if len(plans) >= PLANS_PER_OPERATOR:
            plans.clear()
        plans[key] = plan
    return plan


def drop_plans(backend: Any = None) -> None:
    """Forget all plans: kernels were registered, and a plan may name another's."""
    for packet in aten:
        for operator in packet.overloads.values():
            if operator.record is not None:
                operator.record.plans.clear()


on_register(drop_plans)
dtypes.on_default_dtype(drop_plans)


# ---------------------------------------------------------------------------------------------------------
# Running.


def _execute(
    operator: OpOverload,
    plan: Plan,
    walk: TensorIterator | None,
    outputs: Sequence[Tensor | None],
    arguments: Sequence[Any],
    prepared: dict[Any, Any] | None,
) -> None:
    """Convert what has to be converted and launch the kernel on ``outputs``."""
    record = operator.record
    if walk is not None:
        if walk.numel == 0:
            if walk.is_reduction and record.identity is not None:
                for output in outputs:
                    aten.fill_.Scalar(output, record.identity)
            return
        if meets_in_float32(operator, plan.key_dtype, arguments):
            _execute_in_float32(operator, outputs[0], arguments)
            return
        inputs: list[Tensor | None] = []
        operands = iter(walk.operands[walk.output_count :])
        for position in operator.tensor_positions:
            value = arguments[position]
            if value is None:
                continue
            for each in value if isinstance(value, (list, tuple)) else (value,):
                wanted = next(operands).dtype
                if not isinstance(each, Tensor):
                    each = launch.number_tensor(each, wanted, plan.device)
                elif each._spec.dtype is not wanted:
                    each = launch.convert(each, wanted)
                inputs.append(each)
        kernel_arguments = [
            arguments[position]
            for position in record.kernel_positions
            if position not in operator.tensor_positions
        ]
    else:
        if record.promotes_inputs:
            arguments = _promoted(operator, arguments, plan.output_specs[0].dtype)
        if record.expands_inputs:
            arguments = expanded_arguments(operator, arguments, plan.output_specs[0])
        inputs = []
        for position in operator.tensor_positions:
            value = arguments[position]
            inputs.extend(value if isinstance(value, (list, tuple)) else (value,))
        kernel_arguments = [arguments[position] for position in record.kernel_positions]
    tensors = [*outputs, *inputs]
    facts = (plan.device, plan.key_dtype, tensors, len(outputs), walk, kernel_arguments, prepared)
    _checked(operator, launch.launch, (operator.name, *facts))


def meets_in_float32(operator: OpOverload, common: dtypes.dtype, arguments: Sequence[Any]) -> bool:
    """Does a half precision tensor meet a number that keeps float32's precision?  Source: opmath_t."""
    if common.itemsize != 2 or not common.is_floating_point:
        return False
    for position in operator.record.wide_numbers:
        value = arguments[position]
        if not isinstance(value, Tensor) or (value._spec.ndim == 0 and value._spec.dtype is not common):
            return True
    return False


def _execute_in_float32(operator: OpOverload, output: Tensor | None, arguments: Sequence[Any]) -> None:
    """The same call in float32, its result rounded to ``output``."""
    wide = [
        launch.convert(each, dtypes.float32)
        if isinstance(each, Tensor) and each._spec.dtype is not dtypes.float32
        else each
        for each in arguments
    ]
    plan = find_plan(operator, wide)
    result = empty_tensor(plan.output_specs[0])
    _execute(operator, plan, plan.walk, [result], wide, plan.prepared)
    launch.copy_into(output, result)


def _promoted(operator: OpOverload, arguments: Sequence[Any], dtype: dtypes.dtype) -> list[Any]:
    """The arguments with their tensors converted to ``dtype``."""

    def converted(value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return [converted(each) for each in value]
        return (
            launch.convert(value, dtype)
            if isinstance(value, Tensor) and value._spec.dtype is not dtype
            else value
        )

    return [
        converted(value) if position in operator.tensor_positions else value
        for position, value in enumerate(arguments)
    ]


def expanded_arguments(operator: OpOverload, arguments: Sequence[Any], output: Spec) -> list[Any]:
    """The arguments, those that the record says expanded to the output's sizes."""
    expanded = list(arguments)
    for position, argument in enumerate(operator.schema.arguments):
        if argument.name in operator.record.expands_inputs:
            tensor = arguments[position]
            spec = tensor._spec
            strides = geometry.expand_strides(spec.sizes, spec.strides, output.sizes)
            expanded[position] = alias_tensor(
                tensor, spec.with_geometry(output.sizes, strides), tensor._storage_offset
            )
    return expanded


def run_functional(operator: OpOverload, keys: int, arguments: Sequence[Any]) -> Any:
    """Allocate the outputs and compute them: the Dense kernel of functional operators."""
    plan = find_plan(operator, arguments)
    outputs = [None if spec is None else empty_tensor(spec) for spec in plan.output_specs]
    _execute(operator, plan, plan.walk, outputs, arguments, plan.prepared)
    return outputs[0] if len(operator.schema.returns) == 1 else tuple(outputs)


def _run_view(operator: OpOverload, keys: int, arguments: Sequence[Any]) -> Any:
    """Alias the first argument: the Dense kernel of view operators."""
    self = arguments[0]
    plans = operator.record.plans
    key = plan_key(arguments)
    found = plans.get(key)
    if found is None:
        found = _checked(operator, operator.record.view, launch.specs_of(arguments))
        if len(plans) >= PLANS_PER_OPERATOR:
            plans.clear()
        plans[key] = found
    if isinstance(found, list):
        return tuple(alias_tensor(self, spec, self._storage_offset + offset) for spec, offset in found)
    spec, offset = found
    start = self._storage_offset
    if spec.dtype is not self._spec.dtype:  # offsets count elements, which now have another size
        start = start * self._spec.dtype.itemsize // spec.dtype.itemsize
    return alias_tensor(self, spec, start + offset)


def _run_inplace(operator: OpOverload, keys: int, arguments: Sequence[Any]) -> Tensor:
    """Compute into the first argument: the Dense kernel of in-place operators."""
    base = operator.record.base
    self = arguments[0]
    arguments = with_output_dtype(base, arguments, self)
    plan = find_plan(base, arguments)
    result = plan.output_specs[0]
    spec = self._spec
    if result.sizes != spec.sizes:
        raise RuntimeError(
            f"{operator.schema.name}: output with shape {list(spec.sizes)} doesn't match the broadcast "
            f"shape {list(result.sizes)}"
        )
    check_cast(operator.schema.name, result.dtype, spec.dtype)
    check_no_internal_overlap(operator.schema.name, spec)
    check_no_partial_overlap(operator.schema.name, self, operator.tensors(arguments))
    _compute_into(base, plan, [self], arguments)
    return self


def with_output_dtype(base: OpOverload, arguments: Sequence[Any], output: Tensor) -> Sequence[Any]:
    """The arguments, with the output's dtype for one that is not given, for operators that accumulate in it.

    Raises RuntimeError where another one is given.  Source: get_dtype_from_result.
    """
    position = base.record.dtype_from_out
    if position is None:
        return arguments
    given = arguments[position]
    if given is not None and given is not output._spec.dtype:
        raise RuntimeError(
            f"{base.schema.name}: Expected out tensor to have dtype {given.name}, but got "
            f"{output._spec.dtype.name} instead"
        )
    return [*arguments[:position], output._spec.dtype, *arguments[position + 1 :]]


def _compute_into(base: OpOverload, plan: Plan, outputs: Sequence[Tensor], arguments: Sequence[Any]) -> None:
    """Compute into tensors of the right sizes, whatever their strides and dtypes."""
    specs = tuple(output._spec for output in outputs)
    same_dtypes = all(mine.dtype is wanted.dtype for mine, wanted in zip(specs, plan.output_specs))
    if plan.walk is not None and same_dtypes:
        kept = plan.prepared.get(specs)
        if kept is None:
            kept = (plan.walk.with_outputs(specs), {})
            plan.prepared[specs] = kept
        walk, prepared = kept
        _execute(base, plan, walk, outputs, arguments, prepared)
        return
    if (
        plan.walk is None
        and same_dtypes
        and not any(_shares_storage(output, base, arguments) for output in outputs)
    ):
        _execute(base, plan, None, outputs, arguments, plan.prepared.setdefault(("out", specs), {}))
        return
    results = [empty_tensor(spec) for spec in plan.output_specs]
    _execute(base, plan, plan.walk, results, arguments, plan.prepared)
    for output, result in zip(outputs, results):
        launch.copy_into(output, result)


def _shares_storage(output: Tensor, operator: OpOverload, arguments: Sequence[Any]) -> bool:
    return any(
        each is output or (each._storage is not None and each._storage is output._storage)
        for each in operator.tensors(arguments)
    )


def _run_out(operator: OpOverload, keys: int, arguments: Sequence[Any]) -> Any:
    """Compute into the ``out=`` arguments, resized where they have to be: the Dense kernel of out
    variants.
    """
    base = operator.record.base
    count = len(base.schema.arguments)
    outputs = arguments[count:]
    functional_arguments = with_output_dtype(base, arguments[:count], outputs[0])
    plan = find_plan(base, functional_arguments)
    for output, wanted in zip(outputs, plan.output_specs):
        if output._spec.device is not plan.device:
            raise RuntimeError(
                f"{base.schema.name}: Expected out tensor to be on {plan.device}, but it is on "
                f"{output._spec.device}"
            )
        check_output_dtype(base, wanted.dtype, output._spec.dtype)
    for output, wanted in zip(outputs, plan.output_specs):
        resize_output(output, wanted)
        check_no_internal_overlap(base.schema.name, output._spec)
        check_no_partial_overlap(base.schema.name, output, base.tensors(functional_arguments))
    _compute_into(base, plan, outputs, functional_arguments)
    return outputs[0] if len(outputs) == 1 else tuple(outputs)


def _run_explicit_out(operator: OpOverload, keys: int, arguments: Sequence[Any]) -> Any:
    """Copy the results of an operator without a kernel into its ``out=`` arguments."""
    base = operator.record.base
    count = len(base.schema.arguments)
    results = _checked(base, base.record.explicit, arguments[:count])
    return _write_results(operator, results if isinstance(results, tuple) else (results,), arguments[count:])


def _write_results(variant: OpOverload, results: Sequence[Tensor], outputs: Sequence[Tensor]) -> Any:
    """Copy a composition's results into its ``out=`` arguments."""
    for output, result in zip(outputs, results):
        check_output_dtype(variant.record.base, result._spec.dtype, output._spec.dtype)
        resize_output(output, result._spec)
        check_no_internal_overlap(variant.schema.name, output._spec)
        launch.copy_into(output, result)
    return outputs[0] if len(outputs) == 1 else tuple(outputs)


def resize_output(output: Tensor, wanted: Spec) -> None:
    """Give ``output`` the sizes of ``wanted``.  Warns when that changes a tensor that was not empty.

    Source: at::native::resize_output.
    """
    if output._spec.sizes == wanted.sizes:
        return
    if output._spec.numel != 0:
        import warnings

        warnings.warn(
            "An output with one or more elements was resized since it had shape "
            f"{list(output._spec.sizes)}, which does not match the required output shape "
            f"{list(wanted.sizes)}. Reuse it by resizing it to zero elements first: out.resize_(0).",
            stacklevel=5,
        )
    strides = wanted.strides if geometry.is_non_overlapping_and_dense(wanted.sizes, wanted.strides) else None
    resize_tensor(output, wanted.sizes, strides)


def resize_tensor(tensor: Tensor, sizes: tuple[int, ...], strides: tuple[int, ...] | None = None) -> None:
    """Change a tensor's sizes in place; its storage grows when it has to.  Source: resize_impl_cpu_."""
    storage = tensor.untyped_storage()
    spec = tensor._spec.with_geometry(sizes, strides or geometry.contiguous_strides(sizes))
    needed = tensor._storage_offset * spec.dtype.itemsize + spec.extent_nbytes
    if needed > storage.nbytes():
        storage.resize_(needed)
    tensor._spec = spec
    if storage.backend.has_addresses:
        address = storage.backend.address(storage.memory)
        tensor._address = float(address + tensor._storage_offset * spec.dtype.itemsize)


# ---------------------------------------------------------------------------------------------------------
# Checks that many operators share.


def check_cast(name: str, result: dtypes.dtype, output: dtypes.dtype) -> None:
    """May a result of dtype ``result`` be written to an output of dtype ``output``?  Raises RuntimeError."""
    if not can_cast(result, output):
        raise RuntimeError(
            f"{name}: result type {result.name} can't be cast to the desired output type {output.name}"
        )


def check_output_dtype(base: OpOverload | None, result: dtypes.dtype, output: dtypes.dtype) -> None:
    """May a result be written to an ``out=`` of this dtype?  Raises RuntimeError.

    It is converted, if it can be; the operators that are ``exact_out`` want their own dtype.
    """
    assert base is not None
    if base.record.exact_out and output is not result and base.record.dtype_from_out is None:
        raise RuntimeError(
            f"{base.schema.name}: Expected out tensor to have dtype {result.name}, but got {output.name} "
            "instead"
        )
    check_cast(base.schema.name, result, output)


def check_no_internal_overlap(name: str, spec: Spec) -> None:
    """Raises RuntimeError when several elements of an output share one place in memory."""
    if geometry.has_internal_overlap(spec.sizes, spec.strides):
        raise RuntimeError(
            f"{name}: unsupported operation: more than one element of the written-to tensor refers to a "
            "single memory location. Please clone() the tensor before performing the operation."
        )


def check_no_partial_overlap(name: str, output: Tensor, inputs: Any) -> None:
    """Raises RuntimeError when an input shares some of an output's memory without being the same elements.

    Source: assert_no_partial_overlap; memory with gaps is taken as one block, as there.
    """
    storage = output._storage
    if storage is None:
        return
    spec = output._spec
    for each in inputs:
        if each._storage is not storage or each is output:
            continue
        other = each._spec
        if other is spec and each._storage_offset == output._storage_offset:
            continue
        if not spec.numel or not other.numel:
            continue
        dense = geometry.is_non_overlapping_and_dense(spec.sizes, spec.strides)
        if not dense or not geometry.is_non_overlapping_and_dense(other.sizes, other.strides):
            continue  # PyTorch calls it too hard, and lets it pass
        begin = output._storage_offset * spec.dtype.itemsize
        other_begin = each._storage_offset * other.dtype.itemsize
        if begin == other_begin and spec.nbytes == other.nbytes and spec.strides == other.strides:
            continue
        if begin < other_begin + other.nbytes and other_begin < begin + spec.nbytes:
            raise RuntimeError(
                f"{name}: unsupported operation: some elements of the input tensor and the written-to "
                "tensor refer to a single memory location. Please clone() the tensor before performing the "
                "operation."
            )
