"""What a call of an operator did, from its arguments to its result: the sections about an observed Call."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

from ..calls.iterator import TensorIterator
from ..calls.launch import Launch
from ..calls.outputs import with_output_dtype
from ..dispatch.dispatcher import OpOverload
from ..dispatch.registration import UserOperator
from ..memory.backend import backend_of
from ..memory.spec import Spec
from ..memory.tensor import Tensor, is_alias_of
from ..values import geometry
from ..values.dispatch_key import EXCLUDED_SHIFT, SPARSE, SPARSE_CSR, DispatchKeySet
from ..values.speedups import speedups
from .iteration import (
    IteratorInSteps,
    explain_broadcast,
    explain_iterator,
    explain_promotion,
    stride_rule,
)
from .observation import Call, Seen, own_keys
from .operators import kernel_name_of, kernel_source, title_of
from .overloads import explain_overload
from .places import name_of, place
from .report import Block, Facts, Lines, Report, Table

MOST_ITERATORS = 3  # of other operators' kernels, in the explanation of a composite

Meta = TensorIterator | Sequence[Spec | None] | None


# -- in short ------------------------------------------------------------------------------------------------


def value_text(value: Any, seen: dict[int, Seen] | None = None) -> str:
    """An argument in a few words: a tensor by dtype and sizes, anything else as Python writes it."""
    if isinstance(value, Tensor):
        spec = value._spec if seen is None or id(value) not in seen else seen[id(value)].spec
        return f"{spec.dtype.name} {tuple(spec.sizes)}"
    if isinstance(value, (list, tuple)) and any(isinstance(each, Tensor) for each in value):
        return f"[{', '.join(value_text(each, seen) for each in value)}]"
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def call_text(call: Call) -> str:
    """A call in one line: ``aten::add.Tensor(float32 (3, 4), 2, 1) -> float32 (3, 4)``."""
    given = ", ".join(value_text(each, call.seen) for each in call.arguments)
    name = call.name if call.operator is None else title_of(call.operator)
    result = value_text(call.result) if call.is_done else "raised"
    return f"{name}({given}) -> {result}"


# -- in full -------------------------------------------------------------------------------------------------


def add_call(report: Report, call: Call) -> None:
    """Add all sections about one call, except that of its Node."""
    operator = call.operator
    if operator is None:
        report.add("Call", Facts([("call", call_text(call))]))
        return
    report.add("Overload", *explain_overload(call))
    report.add("Arguments", *_arguments(call, operator))
    report.add("Dispatch", *_dispatch(call, operator))
    meta = meta_of(call, operator)
    if isinstance(meta, TensorIterator):
        names = _input_names(call, operator, len(meta.inputs))
        report.add("Promotion", *explain_promotion(meta, names))
        report.add("Broadcast", *explain_broadcast(meta, names))
    _add_iterators(report, call, operator, meta)
    report.add("Result", *_result(call, operator, meta))
    report.add("Kernel", *_kernel(call))
    report.add("Plan", *_plan(call, operator))


def _arguments(call: Call, operator: OpOverload) -> list[Block]:
    rows: list[tuple[Any, ...]] = []
    for argument, value in zip(operator.schema.arguments, call.arguments):
        listed = value if isinstance(value, (list, tuple)) else [value]
        if not any(isinstance(each, Tensor) for each in listed):
            rows.append((argument.name, value_text(value), None, None, None, None))
            continue
        for number, each in enumerate(listed):
            name = argument.name if listed is not value else f"{argument.name}[{number}]"
            if not isinstance(each, Tensor):
                rows.append((name, value_text(each), None, None, None, None))
                continue
            seen = call.seen[id(each)]
            keys = tuple([key.name for key in DispatchKeySet(seen.keys)])
            spec = seen.spec
            where = str(spec.device)
            rows.append((name, value_text(each, call.seen), spec.strides, where, seen.version, keys))
    return [Table(("argument", "value", "strides", "device", "version", "dispatch keys"), rows)]


def _dispatch(call: Call, operator: OpOverload) -> list[Block]:
    word, keys = call.word, DispatchKeySet(call.keys)
    facts: list[tuple[str, Any]] = [
        ("of every such call", _names(own_keys(operator, word))),
        ("of the arguments", _names(_argument_keys(call))),
        ("included by the thread", _names(word)),
        ("excluded by the thread", _names(word >> EXCLUDED_SHIFT)),
        ("the set", _names(keys.bits)),
    ]
    rows: list[tuple[Any, ...]] = []
    passed = list(call.passed)
    for key in keys:
        kernel = operator.table()[key]
        if kernel is None:
            rows.append((key.name, "fallthrough", "", ""))
            continue
        order = passed.index(key) + 1 if key in passed else "not reached"
        rows.append((key.name, name_of(kernel), place(kernel), order))
    return [Facts(facts), Table(("key", "kernel", "file", "passed"), rows)]


def _names(bits: int) -> Any:
    return tuple([key.name for key in DispatchKeySet(bits)]) or "none"


def _argument_keys(call: Call) -> int:
    keys = 0
    for seen in call.seen.values():
        keys |= seen.keys
    return keys


def meta_of(call: Call, operator: OpOverload) -> Meta:
    """What the meta function says of the arguments as they were: an iterator or specs; None without one."""
    base = operator.record.base or operator
    meta = base.record.meta
    if meta is None or isinstance(operator, UserOperator):
        return None
    count = len(base.schema.arguments)
    arguments: Sequence[Any] = call.arguments[:count]
    with contextlib.suppress(Exception):  # what the call raised is explained elsewhere
        if operator.schema.is_inplace:
            arguments = with_output_dtype(base, arguments, call.arguments[0])
        elif operator.schema.is_out and isinstance(call.arguments[count], Tensor):
            arguments = with_output_dtype(base, arguments, call.arguments[count])
        found = meta(*_specs(call, arguments))
        return (found,) if isinstance(found, Spec) else found
    return None


def _specs(call: Call, arguments: Sequence[Any]) -> list[Any]:
    """The arguments with tensors replaced by their specs when the call began."""
    return [
        call.seen[id(each)].spec
        if isinstance(each, Tensor) and id(each) in call.seen
        else _specs(call, each)
        if isinstance(each, (list, tuple)) and any(isinstance(one, Tensor) for one in each)
        else each
        for each in arguments
    ]


def _input_names(call: Call, operator: OpOverload, count: int) -> list[str]:
    """The names of the operands of an iteration over the operator's inputs."""
    base = operator.record.base or operator
    names = []
    for position in base.tensor_positions:
        name, value = base.schema.arguments[position].name, call.arguments[position]
        if isinstance(value, (list, tuple)):
            names += [f"{name}[{number}]" for number, each in enumerate(value) if each is not None]
        elif value is not None:
            names.append(name)
    return names if len(names) == count else [f"input {number}" for number in range(count)]


def _output_names(operator: OpOverload, count: int) -> list[str]:
    if operator.schema.is_inplace:
        return ["self"]
    base = operator.record.base or operator
    names = [each.name or "result" for each in base.schema.returns]
    return names if len(names) == count else [f"output {number}" for number in range(count)]


def _add_iterators(report: Report, call: Call, operator: OpOverload, meta: Meta) -> None:
    """The iterations of the kernels that ran: the operator's own, and those of the operators in it."""
    own = kernel_name_of(operator)
    shown = 0
    for name, launch in ((*each,) for inner in call.walk() for each in inner.launches):
        if launch.iterator is None or shown > MOST_ITERATORS:
            continue
        again = IteratorInSteps.again(launch.iterator)
        inputs = len(again.operands) - again.output_count
        if name == own:
            names = [*_output_names(operator, again.output_count), *_input_names(call, operator, inputs)]
            heading = "Iterator"
        else:
            names = [
                *(f"output {n}" for n in range(again.output_count)),
                *(f"input {n}" for n in range(inputs)),
            ]
            heading = f"Iterator of {name}"
        report.add(heading, *explain_iterator(again, names))
        shown += 1
    if not shown and isinstance(meta, TensorIterator):  # no kernel ran: the meta device, or no elements
        again = IteratorInSteps.again(meta)
        inputs = len(again.operands) - again.output_count
        names = [*_output_names(operator, again.output_count), *_input_names(call, operator, inputs)]
        report.add("Iterator", *explain_iterator(again, names))


def _result(call: Call, operator: OpOverload, meta: Meta) -> list[Block]:
    outputs = call.outputs()
    if not call.is_done or not outputs:
        return []
    rows = []
    for number, each in enumerate(outputs):
        name = "result" if len(outputs) == 1 else f"result {number}"
        has_strides = not each._keys & (SPARSE | SPARSE_CSR)
        strides, nbytes = (each._spec.strides, each._spec.nbytes) if has_strides else ("none", "-")
        rows.append((name, value_text(each), strides, str(each._spec.device), nbytes))
    facts: list[tuple[str, Any]] = []
    if any(not each._keys & (SPARSE | SPARSE_CSR) for each in outputs):
        facts.append(("strides, because", _rule(call, operator, meta)))
    given = [
        argument.name
        for argument, value in zip(operator.schema.arguments, call.arguments)
        if isinstance(value, Tensor) and any(_shares(value, each) for each in outputs)
    ]
    facts.append(("shares memory with", tuple(given) or "none of the arguments"))
    return [Table(("", "value", "strides", "device", "bytes"), rows), Facts(facts)]


def _shares(value: Tensor, other: Tensor) -> bool:
    return value is other or bool(is_alias_of(value, other))


def _rule(call: Call, operator: OpOverload, meta: Meta) -> str:
    """The rule that chose the strides of the result."""
    schema, record = operator.schema, operator.record
    base = (record.base or operator).record
    if schema.is_inplace:
        return "it is self, which keeps its strides"
    if schema.is_out:
        return "it is out=, which keeps its strides if it has the sizes of the result"
    if record.view is not None:
        return f"a view of {schema.arguments[0].name}: the view function computes them from its strides"
    if isinstance(meta, TensorIterator):
        return stride_rule(IteratorInSteps.again(meta))
    if meta is not None:
        spec = next((each for each in meta if each is not None), None)
        return f"the meta function gives them{'' if spec is None else f': {order_of(spec)}'}"
    if base.composite is None:
        return f"the operator's function gives them: {order_of(call.outputs()[0]._spec)}"
    for inner in reversed(list(call.walk())[1:]):
        if inner.operator is not None and any(
            each is one for each in inner.outputs() for one in call.outputs()
        ):
            rule = _rule(inner, inner.operator, meta_of(inner, inner.operator))
            return f"{inner.name} made the result: {rule}"
    return "the composite's function made the result"


def order_of(spec: Spec) -> str:
    """The memory order of a spec in words."""
    if spec.is_contiguous:
        return "contiguous"
    if spec.ndim in (4, 5) and spec.strides == geometry.channels_last_strides(spec.sizes):
        return "channels last"
    if geometry.is_non_overlapping_and_dense(spec.sizes, spec.strides):
        return "dense, in another order of dimensions"
    return "with gaps or overlaps"


def _kernel(call: Call) -> list[Block]:
    rows = []
    wanted = {str(seen.spec.device.type) for seen in call.seen.values()}
    fallen = []
    for inner in call.walk():
        for name, launch in inner.launches:
            backend = backend_of(launch.device)
            rows.append((name, backend.name, kernel_source(backend, name), _dtype_name(launch)))
            if launch.device.type not in wanted and wanted and launch.device.type == "reference":
                fallen.append(name)
    if not rows:
        return [Lines(["No kernel ran."])] if call.is_done else []
    says = [
        f"{name}: the backend of {', '.join(sorted(wanted))} has no kernel for this call, so the fallback "
        "policy decided: the reference's ran."
        for name in dict.fromkeys(fallen)
    ]
    return [Table(("kernel", "backend", "file", "dtype"), rows), Lines(says)]


def _dtype_name(launch: Launch) -> str | None:
    if launch.key_dtype is not None:
        return launch.key_dtype.name
    return next((each.dtype.name for each in launch.tensors if each is not None), None)


def _plan(call: Call, operator: OpOverload) -> list[Block]:
    """The plan by which C repeats such a call."""
    if not call.is_done:
        return []
    this = ("this run", "in Python, because explain observes each step")
    if speedups is None:
        return [Facts([this, ("other runs", "in Python: there are no C speedups here")])]
    launches = [  # in the order in which calls/launch.py reports them
        (name, each.device, each.key_dtype, each.tensors, each.output_count, each.iterator,
         each.kernel_arguments, each.call)
        for inner in call.walk()
        for name, each in inner.launches
    ]  # fmt: skip
    facts, says = speedups.plan_of_call(
        operator, call.arguments, call.keys, call.word, call.result, launches, bool(call.calls)
    )
    return [Facts([this, ("other runs", says), *(facts or ())])]
