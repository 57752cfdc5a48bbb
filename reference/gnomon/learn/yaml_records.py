"""The records of all operators as PyTorch writes its own: native_functions.yaml and derivatives.yaml.

A reader of PyTorch's files finds the same entries here, and torchgen can parse them.  A formula is the
expression of Python that the record has.  Source: aten/src/ATen/native/README.md;
tools/autograd/derivatives.yaml.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from ..autograd.variable_type import DerivativePlan
from ..calls.native import record_source
from ..dispatch.dispatcher import OpOverload, aten
from .places import code_of, formula_text


def native_functions_yaml() -> str:
    """All operators with schemas, variants and dispatch, as in native_functions.yaml.

    An operator with a meta function and a kernel is structured: its ``out=`` variant has the kernel, to which
    the others delegate.
    """
    return "\n".join(f"{_native_function(each)}" for each in _operators())


def derivatives_yaml() -> str:
    """The derivative formulas of all operators that have some, as in derivatives.yaml.

    PyTorch writes ``sym_size`` for the size that a formula uses, and so does this.
    """
    return "\n".join(
        _derivatives(each) for each in _operators() if each.record.base is None and each.record.derivatives
    )


def _operators() -> Iterator[OpOverload]:
    for packet in aten:
        yield from packet.overloads.values()


def _native_function(operator: OpOverload) -> str:
    base = operator.record.base or operator
    record = base.record
    lines = [f"# {record_source(operator)}", f"- func: {operator.schema}"]
    lines.append(f"  variants: {_variants_of(operator)}")
    tags = ["nondeterministic_seeded"] if _is_random(operator) else []
    if _is_view_copy(operator):
        tags.append("view_copy")
    if tags:
        lines.append(f"  tags: [{', '.join(tags)}]")
    if any(each.is_tensor and each.is_list for each in operator.schema.arguments):
        lines.append("  device_check: NoCheck  # of the tensors of a list, each may be elsewhere")
    if record.python_module:
        lines.append(f"  python_module: {record.python_module}")
    structured = _structured(base)
    if structured is not None:
        if operator is structured:
            lines += ["  structured: True", "  dispatch:", f"    CPU: {_name(operator)}"]
        else:
            lines.append(f"  structured_delegate: {structured.name}")
    elif record.kernel is not None:
        lines += ["  dispatch:", f"    CPU: {_name(operator)}"]
    elif record.composite is None or not operator.tensor_positions:
        lines += ["  dispatch:", f"    CompositeExplicitAutograd: {_name(operator)}"]
    return "\n".join([*lines, ""])


def _variants_of(operator: OpOverload) -> str:
    """Whether it is a function, a method, or both; PyTorch's functions of a module are no methods."""
    base = operator.record.base or operator
    if operator.schema.is_out or base.record.python_module:
        return "function"
    if operator is base:
        return "function" if base.record.variants == "none" else base.record.variants
    return "method" if operator.schema.name.startswith("__") else "function, method"


def _is_view_copy(operator: OpOverload) -> bool:
    """Whether it copies what a view of the same name would share."""
    name = operator.schema.name
    view = getattr(aten, name.removesuffix("_copy"), None) if name.endswith("_copy") else None
    return view is not None and any(
        each.schema.arguments and each.schema.arguments[0].alias is not None and not each.schema.is_inplace
        for each in view.overloads.values()
    )


def _is_random(operator: OpOverload) -> bool:
    """Whether it draws random numbers: it says so, or drops elements at random."""
    schema = operator.schema
    names = [schema.name, *(each.name for each in schema.arguments)]
    return (
        any(each.type == "Generator" for each in schema.arguments)
        or (operator.record.base or operator).record.batching.rule == "random"
        or (any("dropout" in each for each in names) and "backward" not in schema.name)
    )


def _structured(base: OpOverload) -> OpOverload | None:
    """The ``out=`` variant of an operator with a meta function and a kernel, if it has one."""
    if base.record.meta is None or base.record.kernel is None:
        return None
    return next((each for each in base.variants if each.schema.is_out), None)


def _name(operator: OpOverload) -> str:
    """The name of the function that runs, or of the operator if that has none of its own."""
    record = (operator.record.base or operator).record
    code = code_of(record.kernel or record.explicit or record.view or record.composite)
    if code is not None and code.co_name.isidentifier() and code.co_name != "kernel":
        return code.co_name.lstrip("_")
    return operator.name.replace(".", "_")


def _derivatives(operator: OpOverload) -> str:
    record = operator.record
    lines = [f"# {record_source(operator)}", f"- name: {operator.schema}"]
    slots = list(operator.tensor_positions)
    plan = DerivativePlan(operator, slots, (True,) * len(slots))
    if record.non_differentiable_outputs:
        outputs = range(len(operator.schema.returns))
        differentiable = [str(each not in record.non_differentiable_outputs) for each in outputs]
        lines.append(f"  output_differentiability: [{', '.join(differentiable)}]")
    for name, formula in record.derivatives.items():
        text = re.sub(r"\.size\((?=-?\d)", ".sym_size(", formula_text(formula))
        lines.append(f"  {name}: {json.dumps(text, ensure_ascii=False)}")
    lines.append(f"  # {plan.node_class.__name__}")
    return "\n".join([*lines, ""])
