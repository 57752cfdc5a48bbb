"""The named tuple types of results: ``max(x, 0)`` returns a ``gnomon.return_types.max``.

Source: torch/return_types.py.
"""

from __future__ import annotations

from typing import Any

from .bindings.argument_parser import named_results, return_type
from .dispatch.dispatcher import aten

histogramdd = return_type("histogramdd", ("hist", "bin_edges"))


def __getattr__(name: str) -> Any:
    packet = None if name.startswith("__") else getattr(aten, name, None)
    for operator in () if packet is None else packet.overloads.values():
        found = None if operator.schema.is_out else named_results(operator)
        if found is not None:
            return found
    raise AttributeError(f"module 'gnomon.return_types' has no attribute {name!r}")
