"""``gn.cuda.amp``: the older names of ``gn.amp`` for GPUs, which warn.  Source: torch.cuda.amp."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gnomon as gn
from gnomon.values.errors import warn

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd"]


def _deprecated(name: str, instead: str) -> None:
    warn(
        f"`gnomon.cuda.amp.{name}(args...)` is deprecated. Please use `gnomon.amp.{instead}` instead.",
        FutureWarning,
    )


class autocast(gn.amp.autocast):
    """``gn.amp.autocast("cuda", ...)``.  Warns (FutureWarning).  Source: torch.cuda.amp.autocast."""

    __slots__ = ()

    def __init__(
        self, enabled: bool = True, dtype: gn.dtype = gn.float16, cache_enabled: bool = True
    ) -> None:
        _deprecated("autocast", "autocast('cuda', args...)")
        super().__init__("cuda", enabled=enabled, dtype=dtype, cache_enabled=cache_enabled)


class GradScaler(gn.amp.GradScaler):
    """``gn.amp.GradScaler("cuda", ...)``.  Warns (FutureWarning).  Source: torch.cuda.amp.GradScaler."""

    def __init__(
        self,
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        _deprecated("GradScaler", "GradScaler('cuda', args...)")
        super().__init__("cuda", init_scale, growth_factor, backoff_factor, growth_interval, enabled)


def custom_fwd(fwd: Callable[..., Any] | None = None, *, cast_inputs: gn.dtype | None = None) -> Any:
    """``gn.amp.custom_fwd(device_type="cuda", ...)``.  Warns (FutureWarning).

    Source: torch.cuda.amp.custom_fwd.
    """
    _deprecated("custom_fwd", "custom_fwd(args..., device_type='cuda')")
    return gn.amp.custom_fwd(fwd, device_type="cuda", cast_inputs=cast_inputs)


def custom_bwd(bwd: Callable[..., Any]) -> Any:
    """``gn.amp.custom_bwd(..., device_type="cuda")``.  Warns (FutureWarning).

    Source: torch.cuda.amp.custom_bwd.
    """
    _deprecated("custom_bwd", "custom_bwd(args..., device_type='cuda')")
    return gn.amp.custom_bwd(bwd, device_type="cuda")
