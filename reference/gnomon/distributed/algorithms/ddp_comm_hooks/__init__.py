"""Communication hooks of DistributedDataParallel: how buckets of gradients are combined.

Source: torch.distributed.algorithms.ddp_comm_hooks.
"""

from __future__ import annotations

from enum import Enum
from functools import partial
from typing import Any

from . import default_hooks


class DDPCommHookType(Enum):
    """The hooks by name.  Source: torch.distributed.algorithms.ddp_comm_hooks.DDPCommHookType."""

    ALLREDUCE = partial(default_hooks.allreduce_hook)
    FP16_COMPRESS = partial(default_hooks.fp16_compress_hook)
    BF16_COMPRESS = partial(default_hooks.bf16_compress_hook)


def register_ddp_comm_hook(comm_hook_type: DDPCommHookType, model: Any, state: Any = None) -> None:
    """Register the hook on a model.

    Source: torch.distributed.algorithms.ddp_comm_hooks.register_ddp_comm_hook.
    """
    model.register_comm_hook(state, comm_hook_type.value.func)


__all__ = ["DDPCommHookType", "register_ddp_comm_hook"]
