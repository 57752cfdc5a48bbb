"""gnomon: a readable reference implementation of a PyTorch-like tensor library, with pluggable backends.

    import gnomon as gn
    x = gn.tensor([1.0, 2.0], requires_grad=True)
    (x * x).sum().backward()
    x.grad                                          # tensor([2., 4.])

This file has only public names; the code is in the floors below (values, memory, dispatch, calls, numerics,
ops, autograd, bindings).
"""

from __future__ import annotations

import importlib
import os as _os
import sys as _sys
from math import e, inf, nan, pi
from types import ModuleType as _ModuleType
from typing import Any

from . import backends, methods, mkldnn, ops, quantized, sparse
from .autograd import variable_type as _variable_type
from .autograd.anomaly_mode import is_anomaly_check_nan_enabled, is_anomaly_enabled
from .autograd.grad_mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from .backends.context import (
    are_deterministic_algorithms_enabled,
    get_deterministic_debug_mode,
    get_float32_matmul_precision,
    get_num_interop_threads,
    is_deterministic_algorithms_warn_only_enabled,
    set_deterministic_debug_mode,
    set_float32_matmul_precision,
    set_flush_denormal,
    set_num_interop_threads,
    use_deterministic_algorithms,
)
from .bindings.creation import as_tensor, asarray, from_numpy, frombuffer, tensor
from .bindings.exchange import from_dlpack, from_torch, to_dlpack, to_torch
from .bindings.functional import (
    atleast_1d,
    atleast_2d,
    atleast_3d,
    block_diag,
    broadcast_shapes,
    broadcast_tensors,
    cartesian_prod,
    cdist,
    chain_matmul,
    einsum,
    get_device,
    histogramdd,
    is_complex,
    is_floating_point,
    is_inference,
    is_nonzero,
    is_signed,
    is_storage,
    is_tensor,
    lu,
    meshgrid,
    nonzero,
    norm,
    numel,
    split,
    stft,
    tensordot,
    unique,
    unique_consecutive,
    unravel_index,
    vmap,
)
from .bindings.functions import operator_functions as _operator_functions
from .bindings.lobpcg import lobpcg
from .bindings.low_rank import pca_lowrank, svd_lowrank
from .bindings.tensor_types import TYPES as _TENSOR_TYPES
from .bindings.tensor_types import set_default_tensor_type, typename
from .bindings.typed_storage import TYPES as _STORAGE_TYPES
from .bindings.typed_storage import TypedStorage
from .calls.launch import fallback_policy, fallbacks, set_fallback_policy
from .dispatch.dispatcher import aten as _aten
from .dispatch.python_dispatch import DispatchMode
from .memory.backend import (
    Backend,
    get_default_device,
    get_device_module,
    get_num_threads,
    register_backend,
    set_default_device,
    set_num_threads,
)
from .memory.backend import find_device_module as _find_device_module
from .memory.spec import Spec
from .memory.storage import Storage as UntypedStorage
from .memory.tensor import Tensor
from .memory.text import set_printoptions
from .quantized.quantizer import (
    per_channel_affine,
    per_channel_affine_float_qparams,
    per_channel_symmetric,
    per_tensor_affine,
    per_tensor_symmetric,
    qscheme,
)
from .random import (
    Generator,
    default_generator,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
)
from .sparse import (
    sparse_bsc_tensor,
    sparse_bsr_tensor,
    sparse_compressed_tensor,
    sparse_coo_tensor,
    sparse_csc_tensor,
    sparse_csr_tensor,
)
from .sparse.older_names import dsmm, hsmm, indices_copy, saddmm, spmm
from .values.device import (
    _mkldnn,
    channels_last,
    channels_last_3d,
    contiguous_format,
    device,
    layout,
    memory_format,
    preserve_format,
    sparse_bsc,
    sparse_bsr,
    sparse_coo,
    sparse_csc,
    sparse_csr,
    strided,
)
from .values.dtype import (
    bfloat16,
    can_cast,
    complex32,
    complex64,
    complex128,
    dtype,
    float8_e4m3fn,
    float8_e5m2,
    float16,
    float32,
    float64,
    get_default_dtype,
    int8,
    int16,
    int32,
    int64,
    promote_types,
    qint8,
    qint32,
    quint8,
    set_default_dtype,
    uint8,
    uint16,
    uint32,
    uint64,
)
from .values.dtype import bool_ as bool
from .values.errors import (
    BackendUnavailableError,
    OutOfMemoryError,
    is_warn_always_enabled,
    set_warn_always,
)
from .values.geometry import Size
from .values.limits import finfo, iinfo
from .values.module_finder import ModuleFinder as _ModuleFinder
from .values.module_finder import attribute_module as _attribute_module
from .values.version import __version__

half = float16
float = float32
double = float64
short = int16
int = int32
long = int64
chalf = complex32
cfloat = complex64
cdouble = complex128
newaxis = None

globals().update(_TENSOR_TYPES)
globals().update(_STORAGE_TYPES)
globals().update({name: each for name, each in _operator_functions().items() if name not in globals()})

_LAZY = (
    "amp",
    "ao",
    "array_api",
    "nn",
    "optim",
    "autograd",
    "accelerator",
    "distributions",
    "fft",
    "linalg",
    "special",
    "cli",
    "compat",
    "compiler",
    "demo",
    "distributed",
    "learn",
    "library",
    "masked",
    "profiler",
    "func",
    "jit",
    "mps",
    "mtia",
    "multiprocessing",
    "onnx",
    "utils",
    "return_types",
    "serialization",
    "signal",
    "testing",
    "xpu",
    "__config__",
    "functional",
    "futures",
    "hub",
    "overrides",
    "storage",
    "types",
)
# Names of a lazy module's parts.
_AUTOCAST = (
    "autocast",
    "autocast_decrement_nesting",
    "autocast_increment_nesting",
    "clear_autocast_cache",
    "get_autocast_cpu_dtype",
    "get_autocast_dtype",
    "get_autocast_gpu_dtype",
    "is_autocast_cache_enabled",
    "is_autocast_cpu_enabled",
    "is_autocast_enabled",
    "set_autocast_cache_enabled",
    "set_autocast_cpu_dtype",
    "set_autocast_cpu_enabled",
    "set_autocast_dtype",
    "set_autocast_enabled",
    "set_autocast_gpu_dtype",
)
# The array API standard's names of what PyTorch calls otherwise.  Not ``repeat``, which is a method of other
# meaning, and not those by which a namespace says that it follows the standard.
_ARRAY_API = (
    "astype",
    "bitwise_invert",
    "broadcast_arrays",
    "cumulative_prod",
    "cumulative_sum",
    "expand_dims",
    "isdtype",
    "matrix_transpose",
    "permute_dims",
    "take_along_axis",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
    "unstack",
    "vecdot",
)
_LAZY_PARTS = {
    "GradScaler": "amp",
    "compile": "compiler",
    "cpu": "accelerator",
    "explain": "learn",
    "load": "serialization",
    "save": "serialization",
    "version": "values",
    **dict.fromkeys(_ARRAY_API, "array_api"),
    **dict.fromkeys(_AUTOCAST, "amp"),
}

_ROOMS = ("bindings", "calls", "dispatch", "memory", "methods", "numerics", "values")  # no public names


def __dir__() -> list[str]:
    hidden = {"Any", "annotations", "importlib", *_ROOMS}
    return sorted({name for name in globals() if not name.startswith("_")} - hidden | {*_LAZY, *_LAZY_PARTS})


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return importlib.import_module(f".{name}", __name__)
    if name in _LAZY_PARTS:
        return getattr(importlib.import_module(f".{_LAZY_PARTS[name]}", __name__), name)
    module = None if name.startswith("_") else _find_device_module(name)
    if module is not None:
        return module
    raise AttributeError(f"module 'gnomon' has no attribute {name!r}")


def _module_elsewhere(name: str) -> _ModuleType | None:
    """A module that is an attribute here, but no file, and what is in it: ``cpu``, ``cuda``, ``cuda.amp``."""
    first, _, rest = name.partition(".")
    module = None if first.startswith("_") else getattr(_sys.modules[__name__], first, None)
    if not isinstance(module, _ModuleType) or module.__name__ == f"{__name__}.{first}":
        return None
    return _attribute_module(module, rest) if rest else module


_sys.meta_path.append(_ModuleFinder(__name__, _module_elsewhere))

if _os.environ.get("GNOMON_VERBOSE_ERRORS", "0") not in ("", "0"):
    __getattr__("learn").explain_errors()
