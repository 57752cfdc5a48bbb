"""DistributedDataParallel, which needs several processes.  Source: torch/nn/parallel/distributed.py."""

from __future__ import annotations

from typing import Any

from ... import distributed
from ..modules.module import Module


class DistributedDataParallel(Module):
    """Not there yet: raises ValueError, as there is no process group."""

    def __init__(self, module: Module, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        distributed.get_world_size()
