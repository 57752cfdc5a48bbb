"""Tangents: forward mode's data of a tensor.

Inside a *dual level* a tensor may have a *tangent*: its derivative in a direction of the inputs.  Levels are
nested if a forward derivative is itself differentiated in forward mode, and a tensor may have a tangent at
each level: the tangent of an inner level is an ordinary tensor at the outer ones, and may have tangents
there.  So what is computed *for* a level is computed *at* the next outer level.

The tangent of a view is the same view of its base's tangent, and is created when needed.

Source: torch/csrc/autograd/forward_grad.h, autograd_meta.cpp (set_fw_grad, fw_grad).
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar
from typing import Any

from ..dispatch.dispatcher import aten
from ..dispatch.mode import EXCLUDED_SHIFT, MODE_WORD, mode_word, set_mode_word
from ..memory.spec import Spec
from ..memory.tensor import AutogradMeta, Tensor, autograd_meta
from ..values import geometry
from ..values.dispatch_key import FORWARD_AD, WRAPPER_KEYS
from ..values.thread_local_state import State, ThreadLocalStateGuard
from .grad_mode import enable_grad
from .saved_variable import SavedVariable

EXCLUDE_FORWARD_AD = FORWARD_AD << EXCLUDED_SHIFT


class Level:
    """A dual level, which owns tangents.

    ``outer`` is the next outer level, or None; ``holders`` are the AutogradMetas of tensors with a tangent at
    this level.  With ``is_recorded``, computations on tangents are recorded for backward whatever the grad
    mode, so that tangents can be differentiated with respect to each other.
    """

    __slots__ = ("_look_again", "holders", "is_recorded", "outer")

    def __init__(self, outer: Level | None, is_recorded: bool = False) -> None:
        self.outer = outer
        self.is_recorded = is_recorded
        # not a WeakSet, whose callbacks are in Python: an interrupt inside one is lost
        self.holders: list[weakref.ref[AutogradMeta]] = []
        self._look_again = 64

    def add_holder(self, meta: AutogradMeta) -> None:
        """Register that ``meta`` has a tangent at this level."""
        if len(self.holders) >= self._look_again:  # sometimes, drop dead references
            self.holders = [each for each in self.holders if each() is not None]
            self._look_again = 2 * len(self.holders) + 64
        self.holders.append(weakref.ref(meta))

    def end(self) -> None:
        """Remove all tangents of this level."""
        for each in self.holders:
            meta = each()
            if meta is not None and meta.tangents is not None:
                meta.tangents.pop(self, None)
        self.holders = []


LEVEL: ContextVar[Level | None] = ContextVar("gnomon_dual_level", default=None)


def current_level() -> Level | None:
    """The innermost active level, or None."""
    return LEVEL.get()


def set_level(level: Level | None) -> None:
    """Make this level and its outer ones active, or none.

    All operators then dispatch to ForwardAD, not only those with a known tangent: a view gets its tangent
    from its base, which may have got it after the view was created.
    """
    LEVEL.set(level)
    set_mode_word(mode_word() | FORWARD_AD if level is not None else mode_word() & ~FORWARD_AD)


class at_level(ThreadLocalStateGuard):
    """Inside, this level and its outer ones are active; None: no tangents are computed."""

    __slots__ = ("_level",)

    _mask = FORWARD_AD | EXCLUDE_FORWARD_AD

    def __init__(self, level: Level | None):
        self._level = level

    def _inside(self) -> State:
        word = mode_word()
        word = word & ~FORWARD_AD | EXCLUDE_FORWARD_AD if self._level is None else word | FORWARD_AD
        return (LEVEL, self._level), (MODE_WORD, word)


class new_level(ThreadLocalStateGuard):
    """Inside, there is one more level, which ``as`` returns; tangents are computed."""

    __slots__ = ("_given",)

    _mask = FORWARD_AD | EXCLUDE_FORWARD_AD

    def __init__(self, is_recorded: bool = False):
        self._given = Level(LEVEL.get(), is_recorded)

    def _inside(self) -> State:
        return (LEVEL, self._given), (MODE_WORD, mode_word() & ~EXCLUDE_FORWARD_AD | FORWARD_AD)

    def _ended(self) -> None:
        self._given.end()


def recording(level: Level) -> AbstractContextManager[None]:
    """The grad mode in which the level's tangents are computed."""
    return enable_grad() if level.is_recorded else nullcontext()


def is_forward_enabled() -> bool:
    """Is forward mode enabled?"""
    return not mode_word() & EXCLUDE_FORWARD_AD


def active_levels() -> Iterator[Level]:
    """The active levels, the innermost first; none if forward mode is disabled."""
    level = LEVEL.get() if is_forward_enabled() else None
    while level is not None:
        yield level
        level = level.outer


def has_tangent(tensor: Any) -> bool:
    """Has ``tensor`` a tangent at any level?"""
    return any(tangent_of(tensor, level) is not None for level in active_levels())


def keep(tensor: Tensor, level: Level, tangent: Tensor | None) -> None:
    """Store the tangent of ``tensor``; None: it has none, even if its base has one."""
    meta = autograd_meta(tensor)
    if meta.tangents is None:
        meta.tangents = {}
    meta.tangents[level] = tangent
    level.add_holder(meta)


def is_kept(tensor: Tensor, level: Level) -> bool:
    """Is a tangent, or None, stored for the tensor itself?"""
    meta = tensor._autograd_meta
    return meta is not None and meta.tangents is not None and level in meta.tangents


def tangent_of(tensor: Any, level: Level) -> Tensor | None:
    """The tangent of ``tensor`` at this level, or None.

    That of a view is the same view of its base's tangent.
    """
    if not isinstance(tensor, Tensor) or tensor._spec.dtype.category < 2:
        return None
    if is_kept(tensor, level):
        return tensor._autograd_meta.tangents[level]  # type: ignore[union-attr]
    if tensor._view_of is None or not is_kept(tensor._view_of[0], level):
        return None
    base = tensor._view_of[0]
    of_base = tangent_of(base, level)
    if of_base is None:
        return None
    with at_level(level.outer):
        tangent = _same_view(of_base, base, tensor)
    keep(tensor, level, tangent)
    return tangent


def _same_view(of_base: Tensor, base: Tensor, view: Tensor) -> Tensor:
    """The view of the base's tangent that corresponds to ``view``; base and tangent have equal strides."""
    start = view._storage_offset
    offset = base._storage_offset
    if base._spec.dtype.is_complex and not view._spec.dtype.is_complex:
        of_base, offset = aten.view_as_real.default(of_base), 2 * offset
    if view._spec.dtype.is_complex and not base._spec.dtype.is_complex:
        strides = tuple(2 * stride for stride in view._spec.strides)
        parts = aten._as_strided.default(of_base, (*view._spec.sizes, 2), (*strides, 1), 2 * start - offset)
        return aten.view_as_complex.default(parts)
    return aten._as_strided.default(of_base, view._spec.sizes, view._spec.strides, start - offset)


def set_tangent(tensor: Tensor, tangent: Tensor, level: Level, is_own: bool = True) -> None:
    """Set the tangent of ``tensor`` to ``tangent``, or to a copy with the tensor's strides.

    ``is_own``: no other tensor shares the tangent's memory that must keep its values when the tensor is
    written to.  To be called at the next outer level.  Raises RuntimeError for different sizes, and if
    ``tangent`` has a tangent itself.
    """
    spec = tensor._spec
    if tangent._spec.sizes != spec.sizes:
        raise RuntimeError(
            "Trying to set a forward gradient that has a different size than that of the original Tensor, "
            f"this is not supported. Tensor is of size {list(spec.sizes)} while the given forward gradient "
            f"is of size {list(tangent._spec.sizes)}."
        )
    if tangent_of(tangent, level) is not None:
        raise RuntimeError(
            "Setting a forward grad that itself has a forward gradient at the same level 0 is not supported."
        )
    if not is_own or not _lies_like(tangent, tensor):
        tangent = copied(tangent, tensor)
    keep(tensor, level, tangent)


def _lies_like(tangent: Tensor, tensor: Tensor) -> bool:
    """Does every view of the tensor have a corresponding view of the tangent?  Source: has_same_meta."""
    if (tangent._keys | tensor._keys) & WRAPPER_KEYS:  # whose strides are those of one example
        spec = tensor._spec
        return tangent._spec.strides == spec.strides or not _can_be_laid_out_like(tangent, spec)
    return (
        tangent._spec.strides == tensor._spec.strides
        and tangent._storage_offset == tensor._storage_offset
        and _room(tangent) >= _room(tensor)
    )


def _can_be_laid_out_like(tangent: Tensor, spec: Spec) -> bool:
    """Can a batched tangent be copied to the strides of ``spec``?"""
    return bool(tangent._keys & WRAPPER_KEYS and spec.numel) and not geometry.may_overlap(
        spec.sizes, spec.strides
    )


def _batched_zeros(tangent: Tensor, spec: Spec) -> Tensor:
    """Zeros with the strides of ``spec``, also in its gaps, batched as ``tangent`` is."""
    extent = geometry.extent(spec.sizes, spec.strides)
    zeros = aten.new_zeros.default(tangent, (extent,), tangent._spec.dtype)
    return aten._as_strided.default(zeros, spec.sizes, spec.strides, 0)


def _room(tensor: Tensor) -> int:
    """The number of elements that fit the tensor's storage."""
    nbytes = tensor._spec.extent_nbytes if tensor._storage is None else tensor._storage.nbytes()
    return nbytes // tensor._spec.dtype.itemsize


def copied(tangent: Tensor, tensor: Tensor) -> Tensor:
    """A copy of ``tangent`` with the strides and offset of ``tensor`` (contiguous if those overlap).

    Gaps are zeros.
    """
    spec = tensor._spec
    if (tangent._keys | tensor._keys) & WRAPPER_KEYS:
        if not _can_be_laid_out_like(tangent, spec):
            return aten.clone.default(tangent, None)
        if geometry.extent(spec.sizes, spec.strides) == spec.numel:
            made = aten.new_empty_strided.default(tangent, spec.sizes, spec.strides)
        else:  # as_strided can access the gaps
            made = _batched_zeros(tangent, spec)
        return aten.copy_.default(made, tangent, False)
    options = {"dtype": tangent._spec.dtype, "device": tangent._spec.device}
    if geometry.has_internal_overlap(spec.sizes, spec.strides):
        made = aten.empty(spec.sizes, **options)
    elif tensor._storage_offset or _room(tensor) > spec.numel:
        storage = aten.zeros((_room(tensor),), **options)
        made = aten._as_strided.default(storage, spec.sizes, spec.strides, tensor._storage_offset)
    else:
        made = aten.empty_strided(spec.sizes, spec.strides, **options)
    return aten.copy_.default(made, tangent, False)


def write_tangent(tensor: Tensor, tangent: Tensor, level: Level) -> None:
    """Set the tangent of ``tensor`` after an in-place operator.

    If it had one, that is written to, which also changes those of all views.  If it is a view and its base
    had none, the base gets one: zeros, except for this view.  To be called at the next outer level.
    """
    present = tangent_of(tensor, level)
    if present is None and tensor._view_of is not None and not is_kept(tensor, level):
        base = tensor._view_of[0]
        keep(base, level, _zeros_to_write_to(base, tangent))
        present = tangent_of(tensor, level)
    if present is None:
        set_tangent(tensor, tangent, level, is_own=False)
    else:
        aten.copy_.default(present, tangent, False)


def _zeros_to_write_to(base: Tensor, tangent: Tensor) -> Tensor:
    """A zero tangent for ``base``, to a part of which ``tangent`` can be written.

    It is batched if ``tangent`` is.
    """
    if tangent._keys & WRAPPER_KEYS:
        return _batched_zeros(tangent, base._spec)
    zeros = aten.zeros((), dtype=base._spec.dtype, device=base._spec.device)
    return copied(aten.expand.default(zeros, base._spec.sizes, False), base)


def share_tangents(source: Tensor, made: Tensor) -> None:
    """Set the tangents of ``made``, an alias of ``source``, to those of ``source``."""
    for level in active_levels():
        tangent = tangent_of(source, level)
        if tangent is not None:
            keep(made, level, tangent)


def keep_with_saved(saved: Any, tangents: list[Tensor | None], level: Level) -> None:
    """Set the tangents of a Node's saved outputs, which are aliases of the outputs."""
    for each in saved or ():
        if isinstance(each, SavedVariable) and each.output_nr >= 0 and isinstance(each.tensor, Tensor):
            tangent = tangents[each.output_nr]
            if tangent is not None:
                keep(each.tensor, level, tangent)
