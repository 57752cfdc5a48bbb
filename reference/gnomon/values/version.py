"""gnomon's version, and those of the libraries that it was built with.  Source: torch.version."""

from __future__ import annotations

__version__ = "0.1.0"
debug = False
cuda: str | None = None  # the CUDA backend needs only the driver
git_version: str | None = None
hip: str | None = None
xpu: str | None = None
