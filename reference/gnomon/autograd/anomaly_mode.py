"""Anomaly mode: backward names the forward call that a failing, or NaN-returning, Node was recorded by.

Every recorded Node remembers where that was, so recording takes many times longer; and each call goes the
readable way, since a speedup would not know.

Source: torch/autograd/anomaly_mode.py, torch/csrc/autograd/anomaly_mode.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from contextvars import ContextVar
from types import TracebackType
from typing import Any

from ..dispatch.dispatcher import aten
from ..dispatch.record_function import readable_everywhere
from ..memory.tensor import Tensor
from ..values.errors import warn

TRACEBACK = "traceback_"  # where in a Node's metadata the forward call stands
PARENT = "parent_"  # and the Node whose backward recorded it, if one did

_NAME = "anomaly mode"  # as long as it is on, every Node is made where it is remembered: the readable way

evaluated: ContextVar[Any] = ContextVar("gnomon_evaluated_node", default=None)  # whose backward runs here

_enabled = False
_check_nan = True


def is_anomaly_enabled() -> bool:
    """Is anomaly mode on?"""
    return _enabled


def is_anomaly_check_nan_enabled() -> bool:
    """Does backward look for NaN in anomaly mode?"""
    return _check_nan


def _set(enabled: bool, check_nan: bool) -> None:
    if not isinstance(enabled, bool):
        raise TypeError(
            "set_anomaly_enabled(): argument 'enabled' (position 1) must be bool, not "
            f"{type(enabled).__name__}"
        )
    global _enabled, _check_nan
    with suppress(ValueError):  # whatever an interrupt between these steps has left
        readable_everywhere.remove(_NAME)
    if enabled:
        readable_everywhere.append(_NAME)
    _enabled, _check_nan = enabled, check_nan


class set_detect_anomaly:
    """Anomaly mode on or off, for all threads: from now on, or for a block if used as a context manager.

    ``check_nan``: is a NaN that a Node returns an error?  Source: torch.autograd.set_detect_anomaly.
    """

    def __init__(self, mode: bool, check_nan: bool = True):
        self._before = (_enabled, _check_nan)
        _set(mode, check_nan)

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _set(*self._before)


class detect_anomaly(set_detect_anomaly):
    """A block in which backward names the forward call whose Node fails or (``check_nan``) returns NaN.

    The call is shown by a warning, the Node by the RuntimeError.  Slow: for debugging.  Source:
    torch.autograd.detect_anomaly.
    """

    def __init__(self, check_nan: bool = True):
        warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be "
            "enabled for debugging.",
        )
        self._before = (_enabled, _check_nan)
        self._check_nan = check_nan

    def __enter__(self) -> None:
        self._before = (_enabled, _check_nan)
        _set(True, self._check_nan)


def remember_forward(node: Any) -> None:
    """Write into the metadata of ``node`` where it is being recorded."""
    import traceback  # 2 ms; only anomaly mode comes here

    node.metadata[TRACEBACK] = [
        each for each in traceback.format_stack() if "gnomon/autograd/" not in each.partition("\n")[0]
    ]
    if evaluated.get() is not None:
        node.metadata[PARENT] = evaluated.get()


def warn_of_forward(node: Any) -> None:
    """Show where ``node``, whose backward failed, was recorded."""
    lines = node.metadata.get(TRACEBACK)
    if lines is None:
        text = (
            f"Error detected in {node.name()}. No forward pass information available. Enable detect anomaly "
            "during forward pass for more information."
        )
    else:
        text = (
            f"Error detected in {node.name()}. Traceback of forward call that caused the error:\n"
            f"{''.join(lines)}"
        )
    warn(text)
    while (parent := node.metadata.get(PARENT)) is not None:
        lines = parent.metadata.get(TRACEBACK)
        if lines is None:
            text = (
                f"Previous calculation was induced by {parent.name()}. No forward pass information "
                "available. Enable detect anomaly during forward pass for more information."
            )
        else:
            text = (
                f"\n\nPrevious calculation was induced by {parent.name()}. Traceback of forward call that "
                f"induced the previous calculation:\n{''.join(lines)}"
            )
        warn(text)
        node = parent


def check_for_nan(node: Any, results: Sequence[Tensor | None]) -> None:
    """Raises RuntimeError if a gradient that ``node`` returned has a NaN."""
    for position, gradient in enumerate(results[: len(node.next_edges)]):
        if gradient is not None and gradient.numel() and aten.isnan(gradient).any().item():
            raise RuntimeError(f"Function '{node.name()}' returned nan values in its {position}th output.")
