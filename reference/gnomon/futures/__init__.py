"""Values that are there later: what a collective with ``async_op=True`` gives.  Source: torch.futures."""

from __future__ import annotations

from .future import Future, collect_all, wait_all

__all__ = ["Future", "collect_all", "wait_all"]
