"""What gnomon knows of an operator: its record, its kernels by dispatch key and backend, its derivatives."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from ..autograd.variable_type import GRAD, GRADS, MASK, DerivativePlan
from ..backends.listing import agreement, dtypes_text, kind_of, recorded_facts
from ..bindings.argument_parser import in_order
from ..calls.native import kernel_names, record_source
from ..dispatch.dispatcher import OpOverload, OpOverloadPacket, namespaces
from ..dispatch.registration import UserOperator
from ..memory.backend import (
    Backend,
    backend_names,
    backend_status,
    claim_of,
    is_loaded,
    shipped_backend_names,
)
from ..memory.contract import offers_of
from ..values.dispatch_key import KEYS
from ..values.dtype import ALL
from .places import NOT_KNOWN, formula_text, name_of, place, pytorch_files
from .report import Block, Facts, Lines, Report, Table

_SOURCES = {GRAD: "grad", GRADS: "grads", MASK: "grad_input_mask"}


def title_of(operator: OpOverload) -> str:
    """The operator's name as PyTorch writes it: ``aten::add.Tensor``."""
    return operator.name if isinstance(operator, UserOperator) else f"aten::{operator.name}"


def explain_packet(packet: OpOverloadPacket) -> Report:
    """All overloads of a name: the table of them, then each one's sections, without its variants'."""
    report = Report(f"{packet.namespace}::{packet.name}")
    report.add("Overloads", overloads_table(packet))
    everything = list(packet.overloads.values())
    operators = [each for each in everything if each.record.base is None] or everything
    for operator in operators:
        suffix = f" of {operator.name}" if len(operators) > 1 else ""
        _add_sections(report, operator, suffix)
    return report


def explain_operator(operator: OpOverload) -> Report:
    """One overload."""
    report = Report(title_of(operator))
    packet = packet_of(operator)
    _add_sections(report, operator, "")
    report.add("Overloads", overloads_table(packet))
    return report


def packet_of(operator: OpOverload) -> OpOverloadPacket:
    """All overloads of the operator's name."""
    packet: OpOverloadPacket = getattr(namespaces[operator.namespace], operator.schema.name)
    return packet


def overloads_table(packet: OpOverloadPacket) -> Table:
    """The overloads, those that a Python call tries in the order in which it does."""
    tried = list(in_order(packet))
    rest = [each for each in packet.overloads.values() if each not in tried]
    rows = []
    for operator in (*tried, *rest):
        order: Any = tried.index(operator) + 1 if operator in tried else "by out="
        rows.append((order, operator.schema.overload_name or "default", operator.schema.text))
    return Table(("tried", "overload", "schema"), rows)


def _add_sections(report: Report, operator: OpOverload, suffix: str) -> None:
    def add(heading: str, *blocks: Block | None) -> None:
        report.add(f"{heading}{suffix}", *blocks)

    add("Schema", Facts(_schema_facts(operator)))
    add("Meta function", *_meta(operator))
    add("Dispatch table", dispatch_table(operator))
    add("Kernels", *_kernels(operator))
    add("Decomposition", *_decomposition(operator))
    add("Derivatives", *_derivatives(operator))
    add("Conformance", *_conformance(operator))
    add("In PyTorch", *_in_pytorch(operator))


def _schema_facts(operator: OpOverload) -> list[tuple[str, Any]]:
    record, schema = operator.record, operator.schema
    facts: list[tuple[str, Any]] = [("schema", schema.text)]
    if isinstance(operator, UserOperator):
        facts.append(("namespace", operator.namespace))
    else:
        facts.append(("kind", kind_of(record.base or operator)))
    source = record_source(operator)
    if source:
        facts.append(("record", source))
    if record.base is not None:
        facts.append(("variant of", record.base.name))
    if operator.variants:
        facts.append(("variants", tuple([each.name for each in operator.variants])))
    written = tuple([each.name for each in schema.arguments if each.is_written])
    if written:
        facts.append(("writes to", written))
    if schema.is_view:
        facts.append(("returns", f"an alias of {schema.arguments[0].name}"))
    facts.append(("in Python as", record.variants if isinstance(record.variants, str) else "function"))
    if record.python_module:
        facts.append(("module", record.python_module))
    base = record.base.record if record.base is not None else record
    if base.numbers.stand_for:
        facts.append(("a number may be", base.numbers.stand_for))
    if base.batching.rule:
        facts.append(("rule under vmap", base.batching.rule))
    return facts


def _meta(operator: OpOverload) -> list[Block]:
    record = (operator.record.base or operator).record
    function = record.meta or record.view
    if function is None:
        return []
    what = "view function" if record.meta is None else "meta function"
    facts = [(what, name_of(function)), ("file", place(function))]
    says = getattr(function, "says", "")
    return [Facts([(name, value) for name, value in facts]), Lines([" ".join(says.split())] if says else [])]


def dispatch_table(operator: OpOverload) -> Table:
    """The computed table: the kernel for each key, the highest first; keys without one are skipped."""
    rows = []
    if operator.table()[0] is not None and len(set(operator.table())) == 1:
        kernel = operator.table()[0]
        return Table(("key", "kernel", "file"), [("every key", name_of(kernel), place(kernel))])
    for key in reversed(KEYS):
        kernel = operator.table()[key]
        if kernel is None:
            rows.append((key.name, "fallthrough", ""))
        else:
            own = "" if key in operator.kernels else "boxed fallback "
            rows.append((key.name, f"{own}{name_of(kernel)}", place(kernel)))
    return Table(("key", "kernel", "file"), rows)


def kernel_name_of(operator: OpOverload) -> str:
    """The name under which backends register the kernel that the operator runs; "" if it runs none."""
    record = (operator.record.base or operator).record
    if record.composite is not None or record.view is not None:
        return ""
    if record.explicit is not None and record.kernel is None:
        return record.launches or ""
    return kernel_names().get(operator.name, "")


def _kernels(operator: OpOverload) -> list[Block]:
    if isinstance(operator, UserOperator):
        rows: list[Sequence[Any]] = [
            (where, name_of(kernel), place(kernel)) for where, kernel in operator.registrations().items()
        ]
        return [Table(("registered for", "kernel", "file"), rows)]
    name = kernel_name_of(operator)
    if not name:
        return []
    rows, others, reasons = [], [], []
    for backend_name in sorted(backend_names(), key=lambda each: (each != "reference", each)):
        if backend_name == "meta":  # it has no data: the meta function is all that runs
            continue
        if not is_loaded(backend_name) and backend_name not in shipped_backend_names():
            others.append(backend_name)
            continue
        backend, available, reason = backend_status(backend_name)
        if not available:
            reasons.append(f"{backend_name} is not available here: {reason}")
        if backend is None:
            rows.append((backend_name, available, "not known", "-"))
        elif name not in backend.kernels:
            rows.append((backend_name, available, "none: the fallback policy decides", "-"))
        else:
            claim = claim_of(backend, name)
            names = [each.name for each in ALL] if claim is None or claim.dtypes is None else claim.dtypes
            claimed = "not claimed" if claim is None else dtypes_text(names)
            if claim is not None and not claim.strided:
                claimed += ", contiguous"
            rows.append((backend_name, available, kernel_source(backend, name), claimed))
    blocks: list[Block] = [Facts([("kernel", name)])]
    blocks.append(Table(("backend", "available", "file", "dtypes"), rows))
    blocks.append(Lines(reasons))
    if others:
        blocks.append(Lines([f"Not loaded, so not listed: {', '.join(others)}."]))
    return [each for each in blocks if each.rows]  # type: ignore[union-attr]


def kernel_source(backend: Backend, name: str) -> str:
    """The file and line of a backend's kernel; "not known" of an object that is no Backend, and of a list of
    launches, which has no kernel of its own.
    """
    offers = offers_of(backend)
    return offers.kernel_source(name) if offers is backend and name in backend.kernels else NOT_KNOWN


@functools.cache
def _recorded() -> dict[str, Any]:
    return recorded_facts()


def _decomposition(operator: OpOverload) -> list[Block]:
    record = (operator.record.base or operator).record
    function = record.composite or record.explicit
    if function is None:
        return []
    kind = "composite" if record.composite is not None else "explicit"
    says = (
        "It calls other operators, which autograd records."
        if record.composite is not None
        else "It runs below autograd, on every backend."
    )
    facts: list[tuple[str, Any]] = [(kind, name_of(function)), ("file", place(function))]
    parts = _recorded().get((operator.record.base or operator).name, {}).get("parts")
    if parts:
        facts.append(("calls", tuple(parts)))
    return [Lines([says]), Facts(facts)]


def _derivatives(operator: OpOverload) -> list[Block]:
    base = operator.record.base or operator
    record = base.record
    if isinstance(operator, UserOperator) or record.composite is not None:
        return []
    if record.derivatives is None:
        return [Lines(["There are no derivative formulas: backward through it raises RuntimeError."])]
    if not record.derivatives:
        return [Lines(["Its outputs never require grad."])]
    slots = list(base.tensor_positions)
    plan = DerivativePlan(base, slots, (True,) * len(slots))
    rows = []
    for (key, formula), (_, sources, _, _) in zip(record.derivatives.items(), plan.formulas):
        saved = tuple([saved_text(base, plan, each) for each in sources if each >= 0])
        given = tuple([_SOURCES[each] for each in sources if each < 0])
        rows.append((key, formula_text(formula), saved or "nothing", given, place(formula)))
    headings = ("gradient of", "formula", "saves", "gets", "file")
    linear = () if callable(record.linear) else record.linear
    facts: list[tuple[str, Any]] = [("Node", plan.node_class.__name__)]
    if linear:
        facts.append(("linear in", linear))
    return [Facts(facts), Table(headings, rows)]


def saved_text(operator: OpOverload, plan: DerivativePlan, number: int) -> str:
    """One saved value in words: ``other``, ``the sizes of self``, ``result``."""
    kind, position = plan.sources[number]
    if kind in ("sizes", "spec"):
        name = operator.schema.arguments[position].name
        return f"the {'sizes' if kind == 'sizes' else 'spec'} of {name}"
    return plan.saved_names[number]


def _conformance(operator: OpOverload) -> list[Block]:
    if isinstance(operator, UserOperator):
        return []
    facts = _recorded().get((operator.record.base or operator).name)
    rows: list[tuple[str, Any]] = [("beside PyTorch", agreement(facts))]
    if facts:
        rows.append(("dtypes", dtypes_text(facts["dtypes"])))
    departures = (facts["oracle"] or {}).get("departures", ()) if facts else ()
    return [Facts(rows), Lines([f"Departure: {each}." for each in departures])]


def _in_pytorch(operator: OpOverload) -> list[Block]:
    files = pytorch_files(operator)
    if not files:
        return []
    return [Facts([("schema", "aten/src/ATen/native/native_functions.yaml"), ("of the same role", files)])]
