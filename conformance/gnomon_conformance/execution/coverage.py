"""Coverage: the dtypes, dimensions, sizes, layouts and kinds of numbers that each operator was called with.

A pass says nothing about calls that were never made.  Each call of a backend is recorded here with its
description, and the report shows them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from ..inputs.description import TensorDescription, complete, descriptions


class Met:
    """The calls of one operator.

    calls     the number of calls
    dtypes    the dtypes of a call's tensors, in order: "float32, int64"
    dims      the largest number of dimensions of a tensor
    elements  the number of elements of the largest tensor
    row       the longest last dimension
    layouts, values  their names
    """

    def __init__(self) -> None:
        self.calls = self.dims = self.elements = self.row = 0
        self.dtypes: set[str] = set()
        self.layouts: set[str] = set()
        self.values: set[str] = set()

    def note(self, tensors: Iterable[TensorDescription], dtype: str, layout: str) -> None:
        """Record one call with tensors of these descriptions."""
        self.calls += 1
        dtypes = []
        for each in tensors:
            sizes = each.sizes
            dtypes.append(each.dtype or dtype)
            self.dims = max(self.dims, len(sizes))
            self.elements = max(self.elements, math.prod(sizes))
            self.row = max(self.row, sizes[-1] if sizes else 0)
            self.layouts.add(each.layout or layout)
            # "below 3" and "below 7" count as one kind
            self.values.add("below" if each.values.startswith("below ") else each.values)
        self.dtypes.add(", ".join(dtypes))

    def as_data(self) -> dict[str, Any]:
        """As plain data, for the report's JSON and for other processes."""
        return {
            name: sorted(found) if isinstance(found, set) else found for name, found in vars(self).items()
        }

    def merge(self, data: dict[str, Any]) -> None:
        """Add what another process recorded."""
        self.calls += data["calls"]
        for name in ("dims", "elements", "row"):
            setattr(self, name, max(getattr(self, name), data[name]))
        for name in ("dtypes", "layouts", "values"):
            getattr(self, name).update(data[name])


class Coverage:
    """The calls of all operators, by device."""

    def __init__(self) -> None:
        self._met: dict[tuple[str, str], Met] = {}

    def of(self, device: str, operator: str) -> Met:
        """The calls of one operator on a device."""
        found = self._met.get((device, operator))
        if found is None:
            found = self._met[device, operator] = Met()
        return found

    def merge(self, rows: Iterable[tuple[str, str, dict[str, Any]]]) -> None:
        """Add what ``taken`` returned, possibly in another process."""
        for device, operator, data in rows:
            self.of(device, operator).merge(data)

    def as_data(self, device: str) -> dict[str, dict[str, Any]]:
        """Operator -> its calls on a device."""
        return {name: met.as_data() for (where, name), met in sorted(self._met.items()) if where == device}

    def rows(self) -> list[tuple[str, str, dict[str, Any]]]:
        """All calls, as data that can be sent between processes."""
        return [(device, operator, met.as_data()) for (device, operator), met in self._met.items()]


PROPERTY = "gnomon coverage"  # the name of the user property that carries a test's calls in pytest's reports

_current = Coverage()  # since the last test ended


def note(device: str, schema: Any, sample: Any, dtype: str, layout: str) -> None:
    """Record that a call is made on a device."""
    _current.of(device, schema.full_name).note(descriptions(complete(schema, sample)), dtype, layout)


def taken() -> list[tuple[str, str, dict[str, Any]]]:
    """What was recorded since the last call of ``taken``: per test, so that a crash loses only one test's."""
    global _current
    found, _current = _current, Coverage()
    return found.rows()
