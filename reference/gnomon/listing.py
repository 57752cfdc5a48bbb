"""Lists for people and tools: which backends there are, which operators, and what runs natively where.

What ``gnomon backends`` and ``gnomon operators`` print; nothing in them is written by hand.
"""

from __future__ import annotations

from typing import NamedTuple

from .dispatch.dispatcher import OpOverload, aten
from .memory.backend import backend_names, backend_status


class BackendInfo(NamedTuple):
    """One backend: is it available, and if not, why; how many of the operators with kernels are native
    there.
    """

    name: str
    available: bool
    reason: str
    host_memory: bool
    device_type: str
    native: int
    total: int


def kernel_operators() -> list[OpOverload]:
    """The operators that need a kernel: neither compositions nor views, each once for all its variants.

    ``copy_`` and ``fill_`` count too: everything that moves data goes through them.
    """
    operators = []
    for packet in aten:
        for operator in packet.overloads.values():
            record = operator.record
            if record.kernel is not None or operator.name in ("copy_", "fill_.Scalar"):
                operators.append(operator)
    return operators


def backends() -> dict[str, BackendInfo]:
    """Every backend by name, built in and plugged in.

    Loads them all; one that fails is listed with its reason.
    """
    operators = kernel_operators()
    infos = {}
    for name in backend_names():
        backend, available, reason = backend_status(name)
        if backend is None:
            infos[name] = BackendInfo(name, False, reason, False, "", 0, len(operators))
            continue
        native = sum(operator.name in backend.kernels for operator in operators)
        if name == "meta":
            native = len(operators)  # it computes no numbers, so there is nothing to miss
        infos[name] = BackendInfo(
            name, available, reason, backend.host_memory, backend.device_type, native, len(operators)
        )
    return infos


def table(rows: list[tuple[str, ...]]) -> str:
    """Rows as aligned columns; the first row is the heading."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]])


def backends_table() -> str:
    """The table of ``gnomon backends``."""
    rows = [("backend", "available", "device", "memory", "native operators", "why not")]
    for info in backends().values():
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


def operators_table() -> str:
    """The table of ``gnomon operators``: each operator's schema, and what it is."""
    rows = [("operator", "is a", "in-place", "out=", "differentiable", "schema")]
    for packet in aten:
        for operator in packet.overloads.values():
            record = operator.record
            if record.base is not None:
                continue
            kind = "kernel"
            if record.composite is not None:
                kind = "composite"
            elif record.view is not None:
                kind = "view"
            elif record.explicit is not None and operator.name not in ("copy_", "fill_.Scalar"):
                kind = "function"
            variants = [variant.schema for variant in record.variants]
            differentiable = (
                "through its parts" if kind == "composite" else ("yes" if record.derivatives else "no")
            )
            rows.append(
                (
                    operator.name,
                    kind,
                    "yes"
                    if any(schema.is_inplace for schema in variants) or operator.schema.is_inplace
                    else "",
                    "yes" if any(schema.is_out for schema in variants) else "",
                    differentiable,
                    operator.schema.text,
                )
            )
    return table(rows)
