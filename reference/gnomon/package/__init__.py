"""A module of PyTorch that gnomon does not have: it can be imported.  Source: torch.package."""

from __future__ import annotations

from ..values.absent import absent

__getattr__ = absent(__name__, "gnomon has no packages of models")
