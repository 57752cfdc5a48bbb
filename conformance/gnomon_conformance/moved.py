"""Compatibility aliases of modules that were moved into packages: an old name imports the same module."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

MOVED = {
    "against_torch": "pytorch.against_pytorch",
    "checking": "execution.check",
    "comparing": "comparison.differences",
    "coverage": "execution.coverage",
    "departures": "pytorch.departures",
    "description": "inputs.description",
    "elementwise": "comparison.elementwise",
    "expectations": "comparison.expectations",
    "facts": "pytorch.facts",
    "found_calls": "fuzzing.found_calls",
    "foundation": "collection.foundation",
    "grids": "inputs.grids",
    "huge": "inputs.huge",
    "judging": "reporting.verdicts",
    "killing": "mutation.runner",
    "known_names": "collection.known_names",
    "last_call": "execution.last_call",
    "loopback": "mutation.loopback",
    "many": "inputs.rows",
    "measuring": "comparison.error_measurement",
    "models": "inputs.models",
    "mutants": "mutation.mutants",
    "mutants_in_time": "mutation.in_time",
    "mutants_of_extremes": "mutation.of_extremes",
    "mutants_of_layouts": "mutation.of_layouts",
    "mutants_of_numbers": "mutation.of_numbers",
    "mutants_of_ranges": "mutation.of_ranges",
    "mutants_of_sizes": "mutation.of_sizes",
    "oracle": "pytorch.oracle",
    "outcomes": "reporting.outcomes",
    "page": "reporting.page",
    "places": "inputs.placements",
    "properties": "fuzzing.properties",
    "pytorch_schemas": "pytorch.schemas",
    "refilling": "inputs.variants",
    "repeating": "inputs.repeated_rows",
    "report": "reporting.report",
    "reproduction": "reporting.reproduction",
    "roundings": "inputs.roundings",
    "running": "execution.runner",
    "searching": "fuzzing.fuzzer",
    "selection": "collection.selection",
    "signatures": "collection.signatures",
    "tiers": "collection.tiers",
    "tolerances": "comparison.tolerances",
    "watching": "execution.instrumentation",
    "work": "execution.work",
}


class MovedModules(MetaPathFinder, Loader):
    """Finds old names, and loads the modules under their new names."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        package, _, name = fullname.partition(".")
        return ModuleSpec(fullname, self) if package == __package__ and name in MOVED else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = importlib.import_module(f"{__package__}.{MOVED[spec.name.partition('.')[2]]}")
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Restore the module's own spec, which the import system has replaced."""
        replaced: Any = module.__spec__
        module.__spec__ = replaced.loader_state


def install() -> None:
    """Make old names importable."""
    if not any(isinstance(each, MovedModules) for each in sys.meta_path):
        sys.meta_path.append(MovedModules())
