"""The module ``gn.cuda``: devices, streams, events, memory and graphs, as in torch.cuda.

A device argument is an index, a name ("cuda:1") or a ``gn.device``; None is the default device if that is a
GPU, else the first GPU.  Without a usable GPU, questions have PyTorch's answers (0 devices, 0 bytes), seeding
does nothing, and what needs a GPU raises BackendUnavailableError.  Source: torch.cuda.
"""

from __future__ import annotations

from typing import Any

import gnomon as gn
from gnomon.bindings.tensor_types import NAMES, tensor_type
from gnomon.values.absent import absent
from gnomon.values.errors import OutOfMemoryError

from .. import amp
from ..errors import CudaError
from . import graphs, memory, nvtx, random, streams
from .devices import (
    DeviceProperties,
    can_device_access_peer,
    clock_rate,
    current_device,
    device,
    device_count,
    device_memory_used,
    device_of,
    get_arch_list,
    get_device_capability,
    get_device_name,
    get_device_properties,
    get_gencode_flags,
    init,
    ipc_collect,
    is_available,
    is_bf16_supported,
    is_initialized,
    is_tf32_supported,
    memory_usage,
    power_draw,
    set_device,
    synchronize,
    temperature,
    utilization,
)
from .graphs import (
    CUDAGraph,
    graph,
    is_current_stream_capturing,
)
from .memory import (
    empty_cache,
    empty_host_cache,
    get_per_process_memory_fraction,
    max_memory_allocated,
    max_memory_cached,
    max_memory_reserved,
    mem_get_info,
    memory_allocated,
    memory_cached,
    memory_reserved,
    memory_stats,
    memory_stats_as_nested_dict,
    memory_summary,
    reset_accumulated_memory_stats,
    reset_max_memory_allocated,
    reset_max_memory_cached,
    reset_peak_memory_stats,
    set_per_process_memory_fraction,
)
from .random import (
    get_rng_state,
    get_rng_state_all,
    initial_seed,
    manual_seed,
    manual_seed_all,
    seed,
    seed_all,
    set_rng_state,
    set_rng_state_all,
)
from .streams import (
    Event,
    ExternalStream,
    Stream,
    StreamContext,
    current_stream,
    default_stream,
    get_stream_from_external,
    set_stream,
    stream,
)

__all__ = [
    "CUDAGraph",
    "CudaError",
    "DeviceProperties",
    "Event",
    "ExternalStream",
    "OutOfMemoryError",
    "Stream",
    "StreamContext",
    "amp",
    "can_device_access_peer",
    "clock_rate",
    "current_device",
    "current_stream",
    "default_generators",
    "default_stream",
    "device",
    "device_count",
    "device_memory_used",
    "device_of",
    "empty_cache",
    "empty_host_cache",
    "get_arch_list",
    "get_device_capability",
    "get_device_name",
    "get_device_properties",
    "get_gencode_flags",
    "get_per_process_memory_fraction",
    "get_rng_state",
    "get_rng_state_all",
    "get_stream_from_external",
    "graph",
    "graphs",
    "has_half",
    "has_magma",
    "init",
    "initial_seed",
    "ipc_collect",
    "is_available",
    "is_bf16_supported",
    "is_current_stream_capturing",
    "is_initialized",
    "is_tf32_supported",
    "manual_seed",
    "manual_seed_all",
    "max_memory_allocated",
    "max_memory_cached",
    "max_memory_reserved",
    "mem_get_info",
    "memory",
    "memory_allocated",
    "memory_cached",
    "memory_reserved",
    "memory_stats",
    "memory_stats_as_nested_dict",
    "memory_summary",
    "memory_usage",
    "nvtx",
    "power_draw",
    "random",
    "reset_accumulated_memory_stats",
    "reset_max_memory_allocated",
    "reset_max_memory_cached",
    "reset_peak_memory_stats",
    "seed",
    "seed_all",
    "set_device",
    "set_per_process_memory_fraction",
    "set_rng_state",
    "set_rng_state_all",
    "set_stream",
    "stream",
    "streams",
    "synchronize",
    "temperature",
    "utilization",
    *NAMES,
]

has_half = True  # GPUs have float16
has_magma = False  # gnomon does not use MAGMA

_absent = absent("gnomon.cuda", "gnomon's CUDA backend has no such part")


def __getattr__(name: str) -> Any:
    if name == "default_generators":  # one for each GPU, which share it
        return (gn.default_generator,) * device_count()
    return _absent(name)


globals().update({name: tensor_type(name, "cuda") for name in NAMES})  # FloatTensor, LongTensor ...
