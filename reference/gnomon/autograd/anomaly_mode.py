"""Anomaly mode: shows the forward call that recorded a Node whose backward fails or returns NaN.

Every recorded Node stores the traceback of its forward call, so recording is many times slower; and all calls
run in the readable tier, since speedups do not store it.

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

TRACEBACK = "traceback_"  # key of a Node's metadata: the traceback of the forward call
PARENT = "parent_"  # key: the Node whose backward recorded it, if one did

_NAME = "anomaly mode"  # while in this list, all Nodes are recorded by the Python code

evaluated: ContextVar[Any] = ContextVar("gnomon_evaluated_node", default=None)  # the Node that is running

_enabled = False
_check_nan = True


def is_anomaly_enabled() -> bool:
    """Is anomaly mode on?"""
    return _enabled


def is_anomaly_check_nan_enabled() -> bool:
    """Does backward check for NaN in anomaly mode?"""
    return _check_nan


def _set(enabled: bool, check_nan: bool) -> None:
    if not isinstance(enabled, bool):
        raise TypeError(
            "set_anomaly_enabled(): argument 'enabled' (position 1) must be bool, not "
            f"{type(enabled).__name__}"
        )
    global _enabled, _check_nan
    with suppress(ValueError):  # what an interrupt between these steps has left
        readable_everywhere.remove(_NAME)
    if enabled:
        readable_everywhere.append(_NAME)
    _enabled, _check_nan = enabled, check_nan


class set_detect_anomaly:
    """Turns anomaly mode on or off, for all threads: from now on, or for a block as a context manager.

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
    """Inside, backward shows the forward call of a Node that fails or (``check_nan``) returns NaN.

    A warning shows the call, the RuntimeError names the Node.  Slow: for debugging.  Source:
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
    """Store the current traceback in the metadata of ``node``."""
    import traceback  # 2 ms, only needed in anomaly mode

    node.metadata[TRACEBACK] = [
        each for each in traceback.format_stack() if "gnomon/autograd/" not in each.partition("\n")[0]
    ]
    if evaluated.get() is not None:
        node.metadata[PARENT] = evaluated.get()


def warn_of_forward(node: Any) -> None:
    """Warn with the forward traceback of ``node``, whose backward failed."""
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
