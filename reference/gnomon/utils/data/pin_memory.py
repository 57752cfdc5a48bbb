"""Batches in pinned memory.  Source: torch/utils/data/_utils/pin_memory.py."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .collate import like_mapping, like_sequence


def pin_memory(data: Any) -> Any:
    """``data`` with the tensors in pinned memory, also inside of sequences and mappings.

    Of another object, its own method ``pin_memory`` is called, if it has one.
    """
    if hasattr(data, "pin_memory"):
        return data.pin_memory()
    if isinstance(data, Mapping):
        return like_mapping(data, {key: pin_memory(each) for key, each in data.items()})
    if isinstance(data, tuple):
        items = [pin_memory(each) for each in data]
        return type(data)(*items) if hasattr(data, "_fields") else type(data)(items)
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        return like_sequence(data, [pin_memory(each) for each in data])
    return data
