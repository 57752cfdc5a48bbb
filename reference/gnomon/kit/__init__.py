"""Compatibility aliases of modules that were moved to ``calls``, ``numerics`` and ``values``."""

import sys
from importlib import import_module

_MOVED = {
    "arithmetic": "numerics.arithmetic",
    "composites": "calls.composites",
    "copies": "calls.copies",
    "formulas": "numerics.formulas",
    "generator": "numerics.generator",
    "indexing": "numerics.indexing",
    "iterator": "calls.iterator",
    "launch": "calls.launch",
    "loops": "numerics.loops",
    "native": "calls.native",
    "normalizing": "numerics.normalization",
    "numbers": "values.scalar",
    "outputs": "calls.outputs",
    "pieces": "calls.pieces",
    "record": "calls.record",
    "rules": "calls.meta_functions",
    "running": "calls.running",
    "special": "numerics.special",
    "windows": "numerics.windows",
}

for _old, _new in _MOVED.items():
    globals()[_old] = sys.modules[f"{__name__}.{_old}"] = import_module(f"gnomon.{_new}")
