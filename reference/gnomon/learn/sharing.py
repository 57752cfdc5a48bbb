"""Which tensors share memory, by a look at all objects that Python's garbage collector knows."""

from __future__ import annotations

import gc
import sys

from ..memory.backend import meta_backend, resolve_device
from ..memory.spec import contiguous_spec
from ..memory.tensor import Tensor, empty_tensor, is_alias_of
from ..values.dtype import float32


def live_tensors() -> list[Tensor]:
    """All tensors that Python's garbage collector knows.

    The C speedups tell it of a tensor when that has a Storage as an object, and so of all that share memory.
    """
    return [each for each in gc.get_objects() if issubclass(type(each), Tensor)]


def sharers(tensor: Tensor) -> list[Tensor]:
    """The other tensors with the same memory."""
    if tensor._spec.device.type == meta_backend.device_type:
        return []
    return [each for each in live_tensors() if each is not tensor and is_alias_of(each, tensor)]


def memory_nbytes(tensor: Tensor) -> int:
    """The bytes of the memory that a tensor keeps alive: all of its storage."""
    try:
        return tensor.untyped_storage().nbytes()
    except NotImplementedError:  # a wrapper: what it wraps has the memory
        return 0


def _with_memory_of(wanted: int) -> list[Tensor]:
    """The tensor with this id, and all others with its memory; only this list refers to them anew."""
    everything = live_tensors()
    target = next((each for each in everything if id(each) == wanted), None)
    if target is None:
        return []
    return [each for each in everything if each is target or is_alias_of(each, target)]


def _counts(tensors: list[Tensor]) -> list[int]:
    return [sys.getrefcount(each) for each in tensors]


def _count_alone() -> int:
    """The reference count that ``_counts`` finds for a tensor that nothing else refers to."""
    return _counts([empty_tensor(contiguous_spec((), float32, resolve_device("meta")))])[0]


def is_held_only_by(wanted: int, known: dict[int, int]) -> bool | None:
    """Do nothing but the ``known`` references, counted by the ids of tensors, keep this tensor's memory?

    A view's reference to its base does not count: the view itself does.  None on a Python without reference
    counts, and for a tensor that ``live_tensors`` does not have.
    """
    if not hasattr(sys, "getrefcount"):
        return None
    found = _with_memory_of(wanted)
    if not found:
        return None
    expected = {id(each): known.get(id(each), 0) for each in found}
    for each in found:
        if each._view_of is not None and id(each._view_of[0]) in expected:
            expected[id(each._view_of[0])] += 1
    alone = _count_alone()
    each = None  # type: ignore[assignment]
    counts = _counts(found)
    return all(count - alone <= expected[key] for count, key in zip(counts, map(id, found)))
