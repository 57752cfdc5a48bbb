"""DataParallel, for no or one GPU.  Source: torch/nn/parallel/data_parallel.py."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gnomon as gn

from ..modules.module import Module


class DataParallel(Module):
    """Runs ``module``, which would be copied to several GPUs; its parameters are called ``module.…``.

    ``device_ids`` default to all GPUs.  Without a GPU the module runs where it is; with one, it moves there.
    Raises NotImplementedError for more than one: a batch is not divided.  Source: torch.nn.DataParallel.
    """

    def __init__(
        self,
        module: Module,
        device_ids: Sequence[int | gn.device] | None = None,
        output_device: int | gn.device | None = None,
        dim: int = 0,
    ) -> None:
        super().__init__()
        count = gn.accelerator.device_count()
        chosen = list(range(count) if device_ids is None else device_ids) if count else []
        if len(chosen) > 1:
            raise NotImplementedError(
                f"DataParallel: expected at most one device, got {len(chosen)}: gnomon divides no batch"
            )
        self.module = module
        self.dim = dim
        self.device_ids = chosen
        self.output_device = output_device if output_device is not None or not chosen else chosen[0]
        if chosen:
            self.module.to(f"cuda:{chosen[0]}" if isinstance(chosen[0], int) else chosen[0])

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """The output of ``module``."""
        return self.module(*inputs, **kwargs)
