"""The switch of torch.backends.mha; no module has a second, faster path.  Source: torch.backends.mha."""

from __future__ import annotations

_is_fastpath_enabled = True


def get_fastpath_enabled() -> bool:
    """The value set by ``set_fastpath_enabled``."""
    return _is_fastpath_enabled


def set_fastpath_enabled(value: bool) -> None:
    """Stores whether modules may take a faster path in evaluation; no effect, since they have one path."""
    global _is_fastpath_enabled
    _is_fastpath_enabled = value
