"""Forward mode: derivatives that are computed together with the function.

Inside a *dual level* a tensor may have a *tangent*: its derivative in a direction of the inputs.  Every
operator then also computes the tangents of its outputs (forward_kernel.py).

    with dual_level():
        dual = make_dual(x, direction)
        value, slope = unpack_dual(f(dual))

Here there is only one level at a time; func.jvp, which uses the same code, can be nested.

Source: torch/autograd/forward_ad.py.
"""

from __future__ import annotations

from typing import NamedTuple

from ..dispatch.dispatcher import aten
from ..dispatch.mode import MODE_WORD, mode_word
from ..memory.tensor import Tensor
from ..values.dispatch_key import FORWARD_AD
from ..values.errors import type_name
from ..values.thread_local_state import State
from . import forward_grad
from .forward_grad import (
    EXCLUDE_FORWARD_AD,
    LEVEL,
    Level,
    at_level,
    current_level,
    is_forward_enabled,
    set_level,
)
from .grad_mode import _ModeContext


def enter_dual_level() -> int:
    """Enter a dual level, in which tensors may have tangents.  Returns its number, 0.

    It is local to the thread and the async task.  Raises RuntimeError inside a level.  Source:
    torch.autograd.forward_ad.enter_dual_level.
    """
    _check_that_none_is_entered()
    set_level(Level(None))
    return 0


def _check_that_none_is_entered() -> None:
    if current_level() is not None:
        raise RuntimeError("Nested forward mode AD is not supported at the moment")


def exit_dual_level(*, level: int | None = None) -> None:
    """Exit the dual level, and remove all its tangents.

    Raises RuntimeError if there is no level, or if ``level`` is not its number.  Source:
    torch.autograd.forward_ad.exit_dual_level.
    """
    current = current_level()
    if level is not None and level != (-1 if current is None else 0):
        raise RuntimeError(
            "Trying to exit a forward AD level that was not the last one that was created. This is not "
            "supported."
        )
    if current is None:
        raise RuntimeError("Dual level must be a positive number: there is none to exit")
    set_level(current.outer)
    current.end()


class dual_level(_ModeContext):
    """Inside, tensors may have tangents.  A context manager (returns the level's number) and a decorator.

    Source: torch.autograd.forward_ad.dual_level.
    """

    __slots__ = ("_levels",)

    _mask = FORWARD_AD
    _given = 0

    def __init__(self) -> None:
        self._levels: list[Level] = []

    def _inside(self) -> State:
        _check_that_none_is_entered()
        level = Level(None)
        self._levels.append(level)
        return (LEVEL, level), (MODE_WORD, mode_word() | FORWARD_AD)

    def _ended(self) -> None:
        self._levels.pop().end()


class _set_fwd_grad_enabled(_ModeContext):
    """Turns forward mode on or off, for a block or for a decorated function.

    Source: torch.autograd.forward_ad._set_fwd_grad_enabled.
    """

    __slots__ = ("_mode",)

    _mask = EXCLUDE_FORWARD_AD

    def __init__(self, mode: bool):
        super().__init__()
        self._mode = bool(mode)

    def enter(self, word: int) -> int:
        return word & ~EXCLUDE_FORWARD_AD if self._mode else word | EXCLUDE_FORWARD_AD

    def copy(self) -> _set_fwd_grad_enabled:
        return _set_fwd_grad_enabled(self._mode)


def _is_fwd_grad_enabled() -> bool:
    """Is forward mode enabled?  Source: torch.autograd.forward_ad._is_fwd_grad_enabled."""
    return is_forward_enabled()


def make_dual(tensor: Tensor, tangent: Tensor, *, level: int | None = None) -> Tensor:
    """A view of ``tensor`` with the tangent ``tangent`` (or a copy of it with the strides of ``tensor``).

    Both are floating point or complex, and of the same sizes.  Differentiable, like any view.  Raises
    RuntimeError outside a dual level, for a tensor or a tangent that already has a tangent, and for different
    sizes; ValueError for other dtypes.  Source: torch.autograd.forward_ad.make_dual.
    """
    current = current_level()
    if current is None or (level is not None and level < 0):
        raise RuntimeError(
            "Trying to create a dual Tensor for forward AD but no level exists, make sure to "
            "enter_dual_level() first."
        )
    for what, each in (("primal", tensor), ("tangent", tangent)):
        if not (each.is_floating_point() or each.is_complex()):
            raise ValueError(f"Expected {what} to be floating point or complex, but got: {each.dtype}")
    if forward_grad.tangent_of(tensor, current) is not None:
        raise RuntimeError(
            "Making a dual Tensor based on a Tensor that already has a forward gradient at the same level 0 "
            "is not supported."
        )
    with at_level(current.outer):
        dual = aten.alias.default(tensor)
        forward_grad.set_tangent(dual, tangent, current)
    return dual


class UnpackedDualTensor(NamedTuple):
    """What ``unpack_dual`` returns: ``primal`` has no tangent, and ``tangent`` may be None."""

    primal: Tensor
    tangent: Tensor | None


def unpack_dual(tensor: Tensor, *, level: int | None = None) -> UnpackedDualTensor:
    """The two parts of a dual tensor: ``primal``, a view of it without the tangent, and ``tangent``.

    The tangent is None for a tensor without one, and outside a dual level.  Raises TypeError for anything but
    a tensor.  Source: torch.autograd.forward_ad.unpack_dual.
    """
    current = current_level()
    if current is None or (level is not None and level < 0):
        return UnpackedDualTensor(tensor, None)
    if not isinstance(tensor, Tensor):
        raise TypeError(f"unpack_dual(): argument 'dual' must be Tensor, not {type_name(tensor)}")
    tangent = forward_grad.tangent_of(tensor, current) if is_forward_enabled() else None
    with at_level(current.outer):
        primal = aten.alias.default(tensor)
    forward_grad.keep(primal, current, None)
    return UnpackedDualTensor(primal, tangent)
