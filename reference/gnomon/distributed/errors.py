"""What goes wrong between processes.  Source: torch.distributed (DistError and its kin)."""

from __future__ import annotations


class DistError(RuntimeError):
    """An error of communication between processes."""


class DistBackendError(DistError):
    """A collective failed, or did not end in time."""


class DistNetworkError(DistError):
    """A connection could not be made, or broke."""


class DistStoreError(DistError):
    """Processes did not meet."""
