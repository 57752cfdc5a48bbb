"""The usual communication hooks: the mean of gradients, sent as they are or with half of the bits.

Source: torch/distributed/algorithms/ddp_comm_hooks/default_hooks.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gnomon as gn

from ....futures import Future
from ...buckets import GradBucket
from ...collectives import all_reduce
from ...process_group import ProcessGroup, resolved

Hook = Callable[[Any, GradBucket], Future[gn.Tensor]]


def _mean(process_group: ProcessGroup | None, tensor: gn.Tensor) -> Future[gn.Tensor]:
    """The mean of a tensor over all processes, in place.  Divided first: the sum of few bits may overflow."""
    group = resolved(process_group)
    work = all_reduce(tensor.div_(group.size()), group=group, async_op=True)
    assert work is not None
    return work.get_future().then(lambda future: future.value()[0])


def allreduce_hook(process_group: ProcessGroup | None, bucket: GradBucket) -> Future[gn.Tensor]:
    """The mean, as without a hook.

    Source: torch.distributed.algorithms.ddp_comm_hooks.default_hooks.allreduce_hook.
    """
    return _mean(process_group, bucket.buffer())


def fp16_compress_hook(process_group: ProcessGroup | None, bucket: GradBucket) -> Future[gn.Tensor]:
    """The mean, sent and added in float16.

    Source: torch.distributed.algorithms.ddp_comm_hooks.default_hooks.fp16_compress_hook.
    """
    return fp16_compress_wrapper(allreduce_hook)(process_group, bucket)


def bf16_compress_hook(process_group: ProcessGroup | None, bucket: GradBucket) -> Future[gn.Tensor]:
    """The mean, sent and added in bfloat16.

    Source: torch.distributed.algorithms.ddp_comm_hooks.default_hooks.bf16_compress_hook.
    """
    return bf16_compress_wrapper(allreduce_hook)(process_group, bucket)


def fp16_compress_wrapper(hook: Hook) -> Hook:
    """``hook``, which gets the bucket in float16, and whose result is converted back.

    Source: torch.distributed.algorithms.ddp_comm_hooks.default_hooks.fp16_compress_wrapper.
    """
    return _compressing(hook, gn.float16)


def bf16_compress_wrapper(hook: Hook) -> Hook:
    """``hook``, which gets the bucket in bfloat16, and whose result is converted back.

    Source: torch.distributed.algorithms.ddp_comm_hooks.default_hooks.bf16_compress_wrapper.
    """
    return _compressing(hook, gn.bfloat16)


def _compressing(hook: Hook, dtype: gn.dtype) -> Hook:
    def compressed(state: Any, bucket: GradBucket) -> Future[gn.Tensor]:
        wide = bucket.buffer()
        bucket.set_buffer(wide.to(dtype))
        return hook(state, bucket).then(lambda future: wide.copy_(future.value()))

    return compressed


__all__ = [
    "allreduce_hook",
    "bf16_compress_hook",
    "bf16_compress_wrapper",
    "fp16_compress_hook",
    "fp16_compress_wrapper",
]
