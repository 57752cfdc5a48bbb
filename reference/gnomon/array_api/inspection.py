"""Inspection: what the namespace can do, and on which devices."""

from __future__ import annotations

from typing import Any

import gnomon as gn
from gnomon import device as Device
from gnomon import dtype

from .data_types import KINDS


class Info:
    """What ``__array_namespace_info__`` returns."""

    def capabilities(self) -> dict[str, Any]:
        """What the standard leaves to libraries: boolean masks as indices, sizes that depend on elements, and
        the greatest number of dimensions.
        """
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> Device:
        """The device of new tensors."""
        return gn.get_default_device()

    def default_dtypes(self, *, device: Any = None) -> dict[str, dtype]:
        """The dtypes of new tensors, the same on all devices."""
        real = gn.get_default_dtype()
        return {
            "real floating": real,
            "complex floating": gn.promote_types(real, gn.complex32),
            "integral": gn.int64,
            "indexing": gn.int64,
        }

    def devices(self) -> tuple[Device, ...]:
        """The devices on which tensors with elements can be."""
        found = [gn.device(each.device_type) for each in gn.backends().values() if each.available]
        return tuple([each for each in found if each.type != "meta"])

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict[str, dtype]:
        """The standard's dtypes by name, those of a kind, or of several; the same on all devices.

        Raises ValueError for an unknown kind.
        """
        kinds = ("bool", "numeric") if kind is None else (kind,) if isinstance(kind, str) else kind
        unknown = [each for each in kinds if each not in KINDS]
        if unknown:
            raise ValueError(
                f"dtypes: argument 'kind': expected one of {', '.join(KINDS)}, got {unknown[0]!r}"
            )
        return {each.name: each for name in kinds for each in KINDS[name]}


def __array_namespace_info__() -> Info:
    """An object that describes this namespace: its capabilities, devices and dtypes."""
    return Info()
