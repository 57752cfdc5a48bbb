"""Process-wide settings of determinism and precision.

gnomon's kernels are deterministic and compute float32 products in float32.  So the settings are only
stored: programs which set them run.

Source: aten/src/ATen/Context.h; torch/__init__.py.
"""

from __future__ import annotations

from ..values.errors import type_name, warn
from . import cuda

_DEBUG_MODES = ("default", "warn", "error")
_PRECISIONS = ("highest", "high", "medium")

_debug_mode = 0  # an index of _DEBUG_MODES
_precision = "highest"


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


def set_deterministic_debug_mode(debug_mode: int | str) -> None:
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


def set_float32_matmul_precision(precision: str) -> None:
    """Stores the precision of products of float32 matrices: "highest", "high" or "medium"; no effect.

    Other values only cause a warning.  Source: torch.set_float32_matmul_precision.
    """
    global _precision
    if precision not in _PRECISIONS:
        warn(
            f"{precision} is not one of 'highest', 'high', or 'medium'; the current setting, {_precision}, "
            "is kept"
        )
        return
    _precision = precision
    cuda.matmul.allow_tf32 = precision != "highest"


def get_float32_matmul_precision() -> str:
    """The precision that ``set_float32_matmul_precision`` set."""
    return _precision
