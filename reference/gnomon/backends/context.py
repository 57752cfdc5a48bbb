"""Process-wide settings of determinism, precision, threads between operators, and denormal numbers.

gnomon's kernels are deterministic and compute float32 products in float32.  So the settings are only
stored: programs which set them run.

Source: aten/src/ATen/Context.h; torch/__init__.py.
"""

from __future__ import annotations

from typing import Literal

from ..values.errors import type_name
from ._precision import get_float32_matmul_precision as get_float32_matmul_precision
from ._precision import set_float32_matmul_precision as set_float32_matmul_precision

_DEBUG_MODES = ("default", "warn", "error")

_debug_mode = 0  # an index of _DEBUG_MODES
_interop_threads = 1
_interop_threads_are_set = False


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Stores whether operators must be deterministic; no effect, since all are.

    Unlike in PyTorch, uninitialized memory is not filled.  Raises TypeError unless ``mode`` is a bool.

    Source: torch.use_deterministic_algorithms.
    """
    global _debug_mode
    if not isinstance(mode, bool):
        raise TypeError(
            "use_deterministic_algorithms(): argument 'mode' (position 1) must be bool, not "
            + type_name(mode)
        )
    _debug_mode = (1 if warn_only else 2) if mode else 0


def are_deterministic_algorithms_enabled() -> bool:
    """The mode that ``use_deterministic_algorithms`` set."""
    return _debug_mode > 0


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """Would operators that are not deterministic only warn?"""
    return _debug_mode == 1


def set_deterministic_debug_mode(debug_mode: int | Literal["default", "warn", "error"]) -> None:
    """Like ``use_deterministic_algorithms``: "default" or 0 is off, "warn" or 1 and "error" or 2 are on.

    Raises TypeError for another type, RuntimeError for another value.  Source:
    torch.set_deterministic_debug_mode.
    """
    global _debug_mode
    if not isinstance(debug_mode, (int, str)):
        raise TypeError(f"debug_mode must be str or int, but got {type(debug_mode)}")
    if isinstance(debug_mode, str):
        if debug_mode not in _DEBUG_MODES:
            raise RuntimeError(
                "invalid value of debug_mode, expected one of `default`, `warn`, `error`, but got "
                f"{debug_mode}"
            )
        debug_mode = _DEBUG_MODES.index(debug_mode)
    if debug_mode not in range(3):
        raise RuntimeError(f"invalid value of debug_mode, expected 0, 1, or 2, but got {debug_mode}")
    _debug_mode = debug_mode


def get_deterministic_debug_mode() -> int:
    """The mode as a number: 0 off, 1 warn, 2 error."""
    return _debug_mode


def set_num_interop_threads(count: int) -> None:
    """Stores how many operators may run at once; no effect, since a program's operators run one by one.

    Raises RuntimeError unless it is a positive int, and when it is called again.

    Source: torch.set_num_interop_threads.
    """
    global _interop_threads, _interop_threads_are_set
    if not isinstance(count, int) or isinstance(count, bool):
        raise RuntimeError(f"set_num_interop_threads expects an int, but got {type_name(count)}")
    if count < 1:
        raise RuntimeError("set_num_interop_threads expects a positive integer")
    if _interop_threads_are_set:
        raise RuntimeError(
            "Error: cannot set number of interop threads after parallel work has started or "
            "set_num_interop_threads called"
        )
    _interop_threads, _interop_threads_are_set = count, True


def get_num_interop_threads() -> int:
    """The number that ``set_num_interop_threads`` set, else 1.  Source: torch.get_num_interop_threads."""
    return _interop_threads


def set_flush_denormal(mode: bool) -> bool:
    """False: denormal numbers are always kept, as in PyTorch on processors that cannot flush them to 0.

    Raises RuntimeError unless ``mode`` is a bool.  Source: torch.set_flush_denormal.
    """
    if not isinstance(mode, bool):
        raise RuntimeError(f"flush_denormal expects a bool, but got {type_name(mode)}")
    return False
