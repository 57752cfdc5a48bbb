"""Lists of backends and operators, and of which operators are native on which backend.

``gnomon backends`` and ``gnomon operators`` print them; all entries are computed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..dispatch.dispatcher import OpOverload, aten
from ..memory.backend import backend_names, backend_status, is_installed, is_loaded, shipped_backend_names
from ..memory.plug_ins import offered


class BackendInfo(NamedTuple):
    """One backend: whether it is available, and if not, why; how many operators have a native kernel."""

    name: str
    available: bool
    reason: str
    host_memory: bool
    device_type: str
    native: int
    total: int


def kernel_operators() -> list[OpOverload]:
    """The operators that need a kernel, without composites and views; variants count once.

    ``copy_`` and ``fill_`` are included, because all copies and fills use them.
    """
    operators = []
    for packet in aten:
        for operator in packet.overloads.values():
            if _has_kernel(operator):
                operators.append(operator)
    return operators


def _has_kernel(operator: OpOverload) -> bool:
    return operator.record.kernel is not None or operator.name in ("copy_", "fill_.Scalar")


def backends(seconds: float = 20) -> dict[str, BackendInfo]:
    """All backends by name, built-in ones and plug-ins; unusable ones with the reason.

    A plug-in that is not loaded yet is imported in a separate process, once per program, which isolates side
    effects of the import; the process is killed after ``seconds`` seconds.
    """
    from . import probing  # imports subprocess, so only when needed

    names = backend_names()
    strangers = [name for name in names if not is_loaded(name) and name not in shipped_backend_names()]
    probed = probing.probe([name for name in strangers if is_installed(name)], seconds)
    return {name: BackendInfo(*probed[name]) if name in probed else backend_info(name) for name in names}


def backend_info(name: str) -> BackendInfo:
    """The BackendInfo of one backend, which is loaded into this process."""
    operators = kernel_operators()
    backend, available, reason = backend_status(name)
    if backend is None:
        return BackendInfo(name, False, reason, False, "", 0, len(operators))
    native = sum(operator.name in backend.kernels for operator in operators)
    if name == "meta":
        native = len(operators)  # it has no data to compute
    return BackendInfo(
        name, available, reason, backend.host_memory, backend.device_type, native, len(operators)
    )


def table(rows: list[tuple[str, ...]]) -> str:
    """Rows as aligned columns; the first row is the heading."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]])


def backends_table(seconds: float = 20) -> str:
    """The table of ``gnomon backends``."""
    rows: list[tuple[str, ...]] = [
        ("backend", "available", "device", "memory", "native operators", "why not")
    ]
    for info in backends(seconds).values():
        rows.append(
            (
                info.name,
                "yes" if info.available else "no",
                info.device_type or "-",
                "-" if not info.device_type else ("host" if info.host_memory else "own"),
                f"{info.native} / {info.total}" if info.available else "-",
                info.reason,
            )
        )
    return table(rows)


_GROUPS = {
    "int": ("uint8", "int8", "int16", "int32", "int64"),
    "float": ("float16", "bfloat16", "float32", "float64"),
    "complex": ("complex64", "complex128"),
}


def dtypes_text(names: Sequence[str]) -> str:
    """Abbreviates names of dtypes: a complete group becomes the group's name, all twelve "all"."""
    if len(names) == 12:
        return "all"
    shown = ["bool"] if "bool" in names else []
    for group, members in _GROUPS.items():
        present = [name for name in members if name in names]
        shown += [group] if len(present) == len(members) else present
    return " ".join(shown) or "-"


def recorded_facts() -> dict[str, Any]:
    """The recorded facts about each operator: dtypes, components, agreement with PyTorch.

    Empty if no installed package provides them.
    """
    for each in offered("gnomon.facts").values():
        try:
            facts: dict[str, Any] = each.load()()
        except ImportError:  # a dependency is not installed
            continue
        return facts
    return {}


def kind_of(operator: OpOverload) -> str:
    """What runs an operator: a composite, a view, an explicit function, or a backend's kernel."""
    record = operator.record
    if record.composite is not None:
        return "composite"
    if record.view is not None:
        return "view"
    if record.explicit is not None and not _has_kernel(operator):
        return "function"
    return "kernel"


def agreement(facts: Any) -> str:
    """How many recorded calls of an operator agree with PyTorch's, as text."""
    if not facts:
        return "not recorded"
    status = facts["oracle"]
    if status is None:
        return "gnomon's own"
    if status["agree"] == status["calls"]:
        return f"all {status['calls']} calls agree"
    return f"{status['agree']} of {status['calls']} calls agree; departures: {len(status['departures'])}"


class OperatorInfo(NamedTuple):
    """One operator's row of the table; all entries are computed."""

    name: str
    kind: str
    variants: str
    dtypes: str
    differentiable: str
    parts: str
    oracle: str
    schema: str


def operators() -> list[OperatorInfo]:
    """All operators, without in-place and ``out=`` variants."""
    known = recorded_facts()
    infos = []
    for packet in aten:
        for operator in packet.overloads.values():
            record = operator.record
            if record.base is not None:
                continue
            kind = kind_of(operator)
            schemas = [operator.schema, *(variant.schema for variant in operator.variants)]
            variants = ["in-place"] if any(schema.is_inplace for schema in schemas) else []
            variants += ["out="] if any(schema.is_out for schema in schemas) else []
            facts = known.get(operator.name)
            differentiable = "yes" if record.derivatives else "no"
            infos.append(
                OperatorInfo(
                    operator.name,
                    kind,
                    " ".join(variants),
                    dtypes_text(facts["dtypes"]) if facts else "-",
                    "through its parts" if kind == "composite" else differentiable,
                    " ".join(facts["parts"]) if facts else "",
                    agreement(facts),
                    operator.schema.text,
                )
            )
    return sorted(infos)


_HEADING = ("operator", "kind", "variants", "dtypes", "differentiable", "calls", "PyTorch", "schema")


def operators_table() -> str:
    """The table of ``gnomon operators``: the columns of the Markdown table, with the long ones last."""
    made_of = _HEADING.index("calls")
    rows = [_HEADING, *map(tuple, operators())]
    return table([(*row[:made_of], *row[made_of + 1 : -1], row[made_of], row[-1]) for row in rows])


def operators_markdown() -> str:
    """The table as a Markdown page, with the deliberate differences from PyTorch and their reasons."""
    infos = operators()
    kinds = [info.kind for info in infos]
    summary = (
        f"{len(infos)} operators, of which {kinds.count('composite')} are composites and "
        f"{kinds.count('view')} are views. The column *calls* lists the operators that a composite calls; "
        "*PyTorch*, how many calls of the conformance suite give PyTorch's result."
    )
    lines = [
        "# The operators",
        "",
        "`gnomon operators --markdown` writes this page; a test checks that it is up to date.",
        "",
        summary,
        "",
        f"| {' | '.join(_HEADING)} |",
        "|" + " --- |" * len(_HEADING),
    ]
    for info in infos:
        cells = [f"`{info.name}`", *info[1:7], f"`{info.schema}`"]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    lines += ["", "## Where PyTorch differs, and why", ""]
    for name, facts in sorted(recorded_facts().items()):
        for reason in (facts["oracle"] or {}).get("departures", ()):
            lines.append(f"- `{name}`: {reason}.")
    return "\n".join(lines)
