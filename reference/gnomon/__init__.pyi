"""Types of gnomon's public names.  Written by tools/make_stubs.py from the operators' records."""

import builtins
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, overload

from numpy.typing import NDArray

from . import __config__ as __config__
from . import accelerator as accelerator
from . import amp as amp
from . import ao as ao
from . import array_api as array_api
from . import autograd as autograd
from . import cli as cli
from . import compat as compat
from . import compiler as compiler
from . import demo as demo
from . import distributed as distributed
from . import distributions as distributions
from . import fft as fft
from . import func as func
from . import functional as functional
from . import futures as futures
from . import hub as hub
from . import jit as jit
from . import learn as learn
from . import library as library
from . import linalg as linalg
from . import masked as masked
from . import mps as mps
from . import mtia as mtia
from . import multiprocessing as multiprocessing
from . import nn as nn
from . import onnx as onnx
from . import ops as ops
from . import optim as optim
from . import overrides as overrides
from . import profiler as profiler
from . import quantized as quantized
from . import return_types as return_types
from . import serialization as serialization
from . import signal as signal
from . import sparse as sparse
from . import special as special
from . import storage as storage
from . import testing as testing
from . import types as types
from . import utils as utils
from . import xpu as xpu
from .accelerator import cpu as cpu
from .amp import GradScaler as GradScaler
from .amp import autocast as autocast
from .amp import autocast_decrement_nesting as autocast_decrement_nesting
from .amp import autocast_increment_nesting as autocast_increment_nesting
from .amp import clear_autocast_cache as clear_autocast_cache
from .amp import get_autocast_cpu_dtype as get_autocast_cpu_dtype
from .amp import get_autocast_dtype as get_autocast_dtype
from .amp import get_autocast_gpu_dtype as get_autocast_gpu_dtype
from .amp import is_autocast_cache_enabled as is_autocast_cache_enabled
from .amp import is_autocast_cpu_enabled as is_autocast_cpu_enabled
from .amp import is_autocast_enabled as is_autocast_enabled
from .amp import set_autocast_cache_enabled as set_autocast_cache_enabled
from .amp import set_autocast_cpu_dtype as set_autocast_cpu_dtype
from .amp import set_autocast_cpu_enabled as set_autocast_cpu_enabled
from .amp import set_autocast_dtype as set_autocast_dtype
from .amp import set_autocast_enabled as set_autocast_enabled
from .amp import set_autocast_gpu_dtype as set_autocast_gpu_dtype
from .array_api import astype as astype
from .array_api import bitwise_invert as bitwise_invert
from .array_api import broadcast_arrays as broadcast_arrays
from .array_api import cumulative_prod as cumulative_prod
from .array_api import cumulative_sum as cumulative_sum
from .array_api import expand_dims as expand_dims
from .array_api import isdtype as isdtype
from .array_api import matrix_transpose as matrix_transpose
from .array_api import permute_dims as permute_dims
from .array_api import take_along_axis as take_along_axis
from .array_api import unique_all as unique_all
from .array_api import unique_counts as unique_counts
from .array_api import unique_inverse as unique_inverse
from .array_api import unique_values as unique_values
from .array_api import unstack as unstack
from .array_api import vecdot as vecdot
from .autograd.anomaly_mode import is_anomaly_check_nan_enabled as is_anomaly_check_nan_enabled
from .autograd.anomaly_mode import is_anomaly_enabled as is_anomaly_enabled
from .autograd.grad_mode import enable_grad as enable_grad
from .autograd.grad_mode import inference_mode as inference_mode
from .autograd.grad_mode import is_grad_enabled as is_grad_enabled
from .autograd.grad_mode import is_inference_mode_enabled as is_inference_mode_enabled
from .autograd.grad_mode import no_grad as no_grad
from .autograd.grad_mode import set_grad_enabled as set_grad_enabled
from .backends.context import are_deterministic_algorithms_enabled as are_deterministic_algorithms_enabled
from .backends.context import get_deterministic_debug_mode as get_deterministic_debug_mode
from .backends.context import get_float32_matmul_precision as get_float32_matmul_precision
from .backends.context import get_num_interop_threads as get_num_interop_threads
from .backends.context import (
    is_deterministic_algorithms_warn_only_enabled as is_deterministic_algorithms_warn_only_enabled,
)
from .backends.context import set_deterministic_debug_mode as set_deterministic_debug_mode
from .backends.context import set_float32_matmul_precision as set_float32_matmul_precision
from .backends.context import set_flush_denormal as set_flush_denormal
from .backends.context import set_num_interop_threads as set_num_interop_threads
from .backends.context import use_deterministic_algorithms as use_deterministic_algorithms
from .backends.listing import backends as backends
from .bindings.creation import as_tensor as as_tensor
from .bindings.creation import asarray as asarray
from .bindings.creation import frombuffer as frombuffer
from .bindings.creation import tensor as tensor
from .bindings.exchange import from_dlpack as from_dlpack
from .bindings.exchange import from_torch as from_torch
from .bindings.exchange import to_dlpack as to_dlpack
from .bindings.exchange import to_torch as to_torch
from .bindings.functional import atleast_1d as atleast_1d
from .bindings.functional import atleast_2d as atleast_2d
from .bindings.functional import atleast_3d as atleast_3d
from .bindings.functional import block_diag as block_diag
from .bindings.functional import broadcast_shapes as broadcast_shapes
from .bindings.functional import broadcast_tensors as broadcast_tensors
from .bindings.functional import cartesian_prod as cartesian_prod
from .bindings.functional import cdist as cdist
from .bindings.functional import chain_matmul as chain_matmul
from .bindings.functional import einsum as einsum
from .bindings.functional import get_device as get_device
from .bindings.functional import histogramdd as histogramdd
from .bindings.functional import is_complex as is_complex
from .bindings.functional import is_floating_point as is_floating_point
from .bindings.functional import is_inference as is_inference
from .bindings.functional import is_nonzero as is_nonzero
from .bindings.functional import is_signed as is_signed
from .bindings.functional import is_storage as is_storage
from .bindings.functional import is_tensor as is_tensor
from .bindings.functional import lu as lu
from .bindings.functional import norm as norm
from .bindings.functional import numel as numel
from .bindings.functional import split as split
from .bindings.functional import stft as stft
from .bindings.functional import tensordot as tensordot
from .bindings.functional import unravel_index as unravel_index
from .bindings.lobpcg import lobpcg as lobpcg
from .bindings.low_rank import pca_lowrank as pca_lowrank
from .bindings.low_rank import svd_lowrank as svd_lowrank
from .bindings.tensor_types import set_default_tensor_type as set_default_tensor_type
from .bindings.tensor_types import tensortype
from .bindings.tensor_types import typename as typename
from .bindings.typed_storage import TypedStorage as TypedStorage
from .calls.launch import fallback_policy as fallback_policy
from .calls.launch import fallbacks as fallbacks
from .calls.launch import set_fallback_policy as set_fallback_policy
from .compiler import compile as compile
from .dispatch.python_dispatch import DispatchMode as DispatchMode
from .func.vmap import vmap as vmap
from .learn import explain as explain
from .memory.backend import Backend as Backend
from .memory.backend import get_default_device as get_default_device
from .memory.backend import get_device_module as get_device_module
from .memory.backend import get_num_threads as get_num_threads
from .memory.backend import register_backend as register_backend
from .memory.backend import set_default_device as set_default_device
from .memory.backend import set_num_threads as set_num_threads
from .memory.spec import Spec as Spec
from .memory.storage import Storage as UntypedStorage
from .memory.tensor import Tensor as Tensor
from .memory.tensor import (
    __fused_moving_avg_obs_fq_helper_result,
    _aminmax_result,
    _cummax_result,
    _cummin_result,
    _fake_quantize_per_channel_affine_cachemask_result,
    _fake_quantize_per_tensor_affine_cachemask_result,
    _frexp_result,
    _geqrf_result,
    _histogram_result,
    _kthvalue_result,
    _lu_unpack_result,
    _max_result,
    _median_result,
    _min_result,
    _mode_result,
    _nanmedian_result,
    _qr_result,
    _slogdet_result,
    _sort_result,
    _svd_result,
    _topk_result,
    _triangular_solve_result,
)
from .memory.text import set_printoptions as set_printoptions
from .quantized.quantizer import qscheme as qscheme
from .random import Generator as Generator
from .random import default_generator as default_generator
from .random import get_rng_state as get_rng_state
from .random import initial_seed as initial_seed
from .random import manual_seed as manual_seed
from .random import seed as seed
from .random import set_rng_state as set_rng_state
from .serialization import load as load
from .serialization import save as save
from .sparse import sparse_bsc_tensor as sparse_bsc_tensor
from .sparse import sparse_bsr_tensor as sparse_bsr_tensor
from .sparse import sparse_compressed_tensor as sparse_compressed_tensor
from .sparse import sparse_coo_tensor as sparse_coo_tensor
from .sparse import sparse_csc_tensor as sparse_csc_tensor
from .sparse import sparse_csr_tensor as sparse_csr_tensor
from .sparse.older_names import dsmm as dsmm
from .sparse.older_names import hsmm as hsmm
from .sparse.older_names import indices_copy as indices_copy
from .sparse.older_names import saddmm as saddmm
from .sparse.older_names import spmm as spmm
from .values import version as version
from .values.device import device as device
from .values.device import layout as layout
from .values.device import memory_format as memory_format
from .values.dtype import can_cast as can_cast
from .values.dtype import dtype as dtype
from .values.dtype import get_default_dtype as get_default_dtype
from .values.dtype import promote_types as promote_types
from .values.dtype import set_default_dtype as set_default_dtype
from .values.errors import BackendUnavailableError as BackendUnavailableError
from .values.errors import OutOfMemoryError as OutOfMemoryError
from .values.errors import is_warn_always_enabled as is_warn_always_enabled
from .values.errors import set_warn_always as set_warn_always
from .values.geometry import Size as Size
from .values.limits import finfo as finfo
from .values.limits import iinfo as iinfo

__version__: str

e: float
inf: float
nan: float
newaxis: None
pi: float

BFloat16Tensor: tensortype
BoolTensor: tensortype
ByteTensor: tensortype
CharTensor: tensortype
ComplexDoubleTensor: tensortype
ComplexFloatTensor: tensortype
DoubleTensor: tensortype
FloatTensor: tensortype
HalfTensor: tensortype
IntTensor: tensortype
LongTensor: tensortype
ShortTensor: tensortype

BFloat16Storage: builtins.type[TypedStorage]
BoolStorage: builtins.type[TypedStorage]
ByteStorage: builtins.type[TypedStorage]
CharStorage: builtins.type[TypedStorage]
ComplexDoubleStorage: builtins.type[TypedStorage]
ComplexFloatStorage: builtins.type[TypedStorage]
DoubleStorage: builtins.type[TypedStorage]
FloatStorage: builtins.type[TypedStorage]
HalfStorage: builtins.type[TypedStorage]
IntStorage: builtins.type[TypedStorage]
LongStorage: builtins.type[TypedStorage]
ShortStorage: builtins.type[TypedStorage]

_int: TypeAlias = builtins.int
_float: TypeAlias = builtins.float
_bool: TypeAlias = builtins.bool
_dtype: TypeAlias = dtype
_device: TypeAlias = device
_layout: TypeAlias = layout
_qscheme: TypeAlias = qscheme
_memory_format: TypeAlias = memory_format
_Device: TypeAlias = device | str | _int
_Number: TypeAlias = _bool | _int | _float
_Scalar: TypeAlias = _Number | builtins.complex
_Operand: TypeAlias = Tensor | _Scalar

_mkldnn: _layout
bfloat16: _dtype
bool: _dtype
cdouble: _dtype
cfloat: _dtype
chalf: _dtype
channels_last: _memory_format
channels_last_3d: _memory_format
complex128: _dtype
complex32: _dtype
complex64: _dtype
contiguous_format: _memory_format
double: _dtype
float: _dtype
float16: _dtype
float32: _dtype
float64: _dtype
float8_e4m3fn: _dtype
float8_e5m2: _dtype
half: _dtype
int: _dtype
int16: _dtype
int32: _dtype
int64: _dtype
int8: _dtype
long: _dtype
per_channel_affine: _qscheme
per_channel_affine_float_qparams: _qscheme
per_channel_symmetric: _qscheme
per_tensor_affine: _qscheme
per_tensor_symmetric: _qscheme
preserve_format: _memory_format
qint32: _dtype
qint8: _dtype
quint8: _dtype
short: _dtype
sparse_bsc: _layout
sparse_bsr: _layout
sparse_coo: _layout
sparse_csc: _layout
sparse_csr: _layout
strided: _layout
uint16: _dtype
uint32: _dtype
uint64: _dtype
uint8: _dtype

def from_numpy(array: NDArray[Any], named: str = ...) -> Tensor:
    """Create a tensor that shares the memory of a NumPy array; warnings call it ``named``."""

def meshgrid(
    *tensors: Tensor | Sequence[Tensor], indexing: Literal["ij", "xy"] | None = ...
) -> tuple[Tensor, ...]:
    """Expand n vectors to n-dimensional grids: tensor i repeats vector i along all other dimensions."""

@overload
def nonzero(input: Tensor, *, out: Tensor | None = ..., as_tuple: Literal[False] = ...) -> Tensor:
    """The indices of nonzero elements: one per row, or with ``as_tuple`` one vector per dimension."""

@overload
def nonzero(input: Tensor, *, out: Tensor | None = ..., as_tuple: Literal[True]) -> tuple[Tensor, ...]:
    """The indices of nonzero elements: one per row, or with ``as_tuple`` one vector per dimension."""

@overload
def nonzero(input: Tensor, *, out: Tensor | None = ..., as_tuple: _bool = ...) -> Any:
    """The indices of nonzero elements: one per row, or with ``as_tuple`` one vector per dimension."""

@overload
def unique(
    input: Tensor,
    sorted: _bool = ...,
    return_inverse: Literal[False] = ...,
    return_counts: Literal[False] = ...,
    dim: _int | None = ...,
) -> Tensor:
    """The distinct elements in ascending order, or the distinct slices along ``dim``."""

@overload
def unique(
    input: Tensor,
    sorted: _bool = ...,
    return_inverse: Literal[False] = ...,
    *,
    return_counts: Literal[True],
    dim: _int | None = ...,
) -> tuple[Tensor, Tensor]:
    """The distinct elements in ascending order, or the distinct slices along ``dim``."""

@overload
def unique(
    input: Tensor,
    sorted: _bool,
    return_inverse: Literal[False],
    return_counts: Literal[True],
    dim: _int | None = ...,
) -> tuple[Tensor, Tensor]:
    """The distinct elements in ascending order, or the distinct slices along ``dim``."""

@overload
def unique(
    input: Tensor,
    sorted: _bool = ...,
    *,
    return_inverse: Literal[True],
    return_counts: Literal[False] = ...,
    dim: _int | None = ...,
) -> tuple[Tensor, Tensor]:
    """The distinct elements in ascending order, or the distinct slices along ``dim``."""

@overload
def unique(
    input: Tensor,
    sorted: _bool,
    return_inverse: Literal[True],
    return_counts: Literal[False] = ...,
    dim: _int | None = ...,
) -> tuple[Tensor, Tensor]:
    """The distinct elements in ascending order, or the distinct slices along ``dim``."""

@overload
def unique(
    input: Tensor,
    sorted: _bool = ...,
    *,
    return_inverse: Literal[True],
    return_counts: Literal[True],
    dim: _int | None = ...,
) -> tuple[Tensor, Tensor, Tensor]:
    """The distinct elements in ascending order, or the distinct slices along ``dim``."""

@overload
def unique(
    input: Tensor,
    sorted: _bool,
    return_inverse: Literal[True],
    *,
    return_counts: Literal[True],
    dim: _int | None = ...,
) -> tuple[Tensor, Tensor, Tensor]:
    """The distinct elements in ascending order, or the distinct slices along ``dim``."""

@overload
def unique(
    input: Tensor,
    sorted: _bool,
    return_inverse: Literal[True],
    return_counts: Literal[True],
    dim: _int | None = ...,
) -> tuple[Tensor, Tensor, Tensor]:
    """The distinct elements in ascending order, or the distinct slices along ``dim``."""

@overload
def unique(
    input: Tensor,
    sorted: _bool = ...,
    return_inverse: _bool = ...,
    return_counts: _bool = ...,
    dim: _int | None = ...,
) -> Any:
    """The distinct elements in ascending order, or the distinct slices along ``dim``."""

@overload
def unique_consecutive(
    input: Tensor,
    return_inverse: Literal[False] = ...,
    return_counts: Literal[False] = ...,
    dim: _int | None = ...,
) -> Tensor:
    """The first of each run of equal elements (or slices along ``dim``); like unique, for neighbors only."""

@overload
def unique_consecutive(
    input: Tensor,
    return_inverse: Literal[False] = ...,
    *,
    return_counts: Literal[True],
    dim: _int | None = ...,
) -> tuple[Tensor, Tensor]:
    """The first of each run of equal elements (or slices along ``dim``); like unique, for neighbors only."""

@overload
def unique_consecutive(
    input: Tensor, return_inverse: Literal[False], return_counts: Literal[True], dim: _int | None = ...
) -> tuple[Tensor, Tensor]:
    """The first of each run of equal elements (or slices along ``dim``); like unique, for neighbors only."""

@overload
def unique_consecutive(
    input: Tensor,
    *,
    return_inverse: Literal[True],
    return_counts: Literal[False] = ...,
    dim: _int | None = ...,
) -> tuple[Tensor, Tensor]:
    """The first of each run of equal elements (or slices along ``dim``); like unique, for neighbors only."""

@overload
def unique_consecutive(
    input: Tensor, return_inverse: Literal[True], return_counts: Literal[False] = ..., dim: _int | None = ...
) -> tuple[Tensor, Tensor]:
    """The first of each run of equal elements (or slices along ``dim``); like unique, for neighbors only."""

@overload
def unique_consecutive(
    input: Tensor, *, return_inverse: Literal[True], return_counts: Literal[True], dim: _int | None = ...
) -> tuple[Tensor, Tensor, Tensor]:
    """The first of each run of equal elements (or slices along ``dim``); like unique, for neighbors only."""

@overload
def unique_consecutive(
    input: Tensor, return_inverse: Literal[True], *, return_counts: Literal[True], dim: _int | None = ...
) -> tuple[Tensor, Tensor, Tensor]:
    """The first of each run of equal elements (or slices along ``dim``); like unique, for neighbors only."""

@overload
def unique_consecutive(
    input: Tensor, return_inverse: Literal[True], return_counts: Literal[True], dim: _int | None = ...
) -> tuple[Tensor, Tensor, Tensor]:
    """The first of each run of equal elements (or slices along ``dim``); like unique, for neighbors only."""

@overload
def unique_consecutive(
    input: Tensor, return_inverse: _bool = ..., return_counts: _bool = ..., dim: _int | None = ...
) -> Any:
    """The first of each run of equal elements (or slices along ``dim``); like unique, for neighbors only."""

@overload
def normal(
    mean: Tensor, std: _float = ..., *, generator: Generator | None = ..., out: Tensor | None = ...
) -> Tensor:
    """normal.Tensor_float(Tensor mean, float std=1, *, Generator? generator=None) -> Tensor

    Returns numbers drawn from normal distributions, one for each element of ``mean``.
    """

@overload
def normal(
    mean: _float, std: Tensor, *, generator: Generator | None = ..., out: Tensor | None = ...
) -> Tensor:
    """normal.float_Tensor(float mean, Tensor std, *, Generator? generator=None) -> Tensor

    Returns numbers drawn from normal distributions, one for each element of ``std``.
    """

@overload
def normal(
    mean: Tensor, std: Tensor, *, generator: Generator | None = ..., out: Tensor | None = ...
) -> Tensor:
    """normal.Tensor_Tensor(Tensor mean, Tensor std, *, Generator? generator=None) -> Tensor

    Returns numbers drawn from normal distributions with means ``mean`` and standard deviations
    ``std``, which broadcast.
    """

@overload
def normal(
    mean: _float,
    std: _float,
    size: Sequence[_int],
    *,
    generator: Generator | None = ...,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """normal.float_float(float mean, float std, SymInt[] size, *, Generator? generator=None, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor

    Returns a tensor of shape ``size`` with numbers drawn from one normal distribution.
    """

def poisson(input: Tensor, generator: Generator | None = ...) -> Tensor:
    """poisson(Tensor self, Generator? generator=None) -> Tensor

    Returns numbers drawn from Poisson distributions whose rates are the elements of ``self``.
    """

def multinomial(
    input: Tensor,
    num_samples: _int,
    replacement: _bool = ...,
    *,
    generator: Generator | None = ...,
    out: Tensor | None = ...,
) -> Tensor:
    """multinomial(Tensor self, SymInt num_samples, bool replacement=False, *, Generator? generator=None) -> Tensor

    Draws ``num_samples`` indices (int64) with probabilities in proportion to the elements of each row.
    """

@overload
def empty(
    size: Sequence[_int],
    *,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    memory_format: _memory_format | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """empty.memory_format(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor

    Returns an uninitialized tensor of shape ``size``.
    """

@overload
def empty(
    *size: _int,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    memory_format: _memory_format | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """empty.memory_format(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor

    Returns an uninitialized tensor of shape ``size``.
    """

def empty_strided(
    size: Sequence[_int],
    stride: Sequence[_int],
    *,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """empty_strided(SymInt[] size, SymInt[] stride, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor

    Returns an uninitialized tensor of shape ``size`` with strides ``stride`` (in elements).
    """

def empty_permuted(
    size: Sequence[_int],
    physical_layout: Sequence[_int],
    *,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """empty_permuted(SymInt[] size, int[] physical_layout, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor

    Returns an uninitialized dense tensor of shape ``size`` with dimensions in a given memory order.
    """

def empty_like(
    input: Tensor,
    *,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    memory_format: _memory_format | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """empty_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor

    Returns an uninitialized tensor with the sizes, dtype, device and memory order of ``self``.
    """

def full(
    size: Sequence[_int],
    fill_value: _Scalar,
    *,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """full(SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor

    Returns a tensor of shape ``size`` filled with ``fill_value``; ``dtype`` defaults to that of the
    number.
    """

@overload
def zeros(
    size: Sequence[_int],
    *,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """zeros(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor

    Returns a tensor of shape ``size`` filled with 0; ``dtype`` defaults to the default dtype.
    """

@overload
def zeros(
    *size: _int,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """zeros(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor

    Returns a tensor of shape ``size`` filled with 0; ``dtype`` defaults to the default dtype.
    """

@overload
def ones(
    size: Sequence[_int],
    *,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """ones(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor

    Returns a tensor of shape ``size`` filled with 1; ``dtype`` defaults to the default dtype.
    """

@overload
def ones(
    *size: _int,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """ones(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor

    Returns a tensor of shape ``size`` filled with 1; ``dtype`` defaults to the default dtype.
    """

def full_like(
    input: Tensor,
    fill_value: _Scalar,
    *,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    memory_format: _memory_format | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """full_like(Tensor self, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor

    Returns a tensor of the sizes of ``self`` filled with ``fill_value``.
    """

def zeros_like(
    input: Tensor,
    *,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    memory_format: _memory_format | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """zeros_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor

    Returns a tensor of the sizes of ``self`` filled with 0.
    """

def ones_like(
    input: Tensor,
    *,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    memory_format: _memory_format | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """ones_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor

    Returns a tensor of the sizes of ``self`` filled with 1.
    """

def scalar_tensor(
    s: _Scalar,
    *,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """scalar_tensor(Scalar s, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor

    Returns a 0-dim tensor that holds the number ``s``.
    """

@overload
def eye(
    n: _int,
    *,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """eye(SymInt n, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor

    Returns the identity matrix (n, n).
    """

@overload
def eye(
    n: _int,
    m: _int,
    *,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """eye.m(SymInt n, SymInt m, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor

    Returns a matrix (n, m) with 1 on the diagonal and 0 elsewhere.
    """

def resize_as_(input: Tensor, the_template: Tensor, *, memory_format: _memory_format | None = ...) -> Tensor:
    """resize_as_(Tensor(a!) self, Tensor the_template, *, MemoryFormat? memory_format=None) -> Tensor(a!)

    Resizes ``self`` in place to the sizes of ``the_template``; see resize_.
    """

@overload
def result_type(tensor: Tensor, other: Tensor) -> _dtype:
    """result_type.Tensor(Tensor tensor, Tensor other) -> ScalarType

    Returns the common dtype of two operands by type promotion.
    """

@overload
def result_type(scalar: _Scalar, tensor: Tensor) -> _dtype:
    """result_type.Scalar_Tensor(Scalar scalar, Tensor tensor) -> ScalarType

    Returns the common dtype of a number and a tensor by type promotion.
    """

@overload
def result_type(tensor: Tensor, other: _Scalar) -> _dtype:
    """result_type.Scalar(Tensor tensor, Scalar other) -> ScalarType

    Returns the common dtype of a tensor and a number by type promotion.
    """

@overload
def result_type(scalar1: _Scalar, scalar2: _Scalar) -> _dtype:
    """result_type.Scalar_Scalar(Scalar scalar1, Scalar scalar2) -> ScalarType

    Returns the common dtype of two numbers by type promotion.
    """

def _standard_gamma(input: Tensor, generator: Generator | None = ...) -> Tensor:
    """_standard_gamma(Tensor self, Generator? generator=None) -> Tensor

    Returns numbers drawn from gamma distributions with the rate 1 and the concentrations ``self``.
    """

def _sample_dirichlet(input: Tensor, generator: Generator | None = ...) -> Tensor:
    """_sample_dirichlet(Tensor self, Generator? generator=None) -> Tensor

    Returns numbers drawn from Dirichlet distributions with the concentrations in the last dimension.
    """

def binomial(count: Tensor, prob: Tensor, generator: Generator | None = ...) -> Tensor:
    """binomial(Tensor count, Tensor prob, Generator? generator=None) -> Tensor

    Returns numbers drawn from binomial distributions: the successes in ``count`` trials, of
    probability ``prob``, which broadcasts to the shape of ``count``.
    """

@overload
def bernoulli(input: Tensor, *, generator: Generator | None = ..., out: Tensor | None = ...) -> Tensor:
    """bernoulli(Tensor self, *, Generator? generator=None) -> Tensor

    Returns 1 with the probabilities in ``self``, else 0.
    """

@overload
def bernoulli(input: Tensor, p: _float, *, generator: Generator | None = ...) -> Tensor:
    """bernoulli.p(Tensor self, float p, *, Generator? generator=None) -> Tensor

    Returns a tensor of the sizes of ``self``: 1 with probability ``p``, else 0.
    """

@overload
def rand(
    size: Sequence[_int],
    *,
    generator: Generator | None = ...,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """rand.generator(SymInt[] size, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor

    Returns floating point numbers drawn uniformly from [0, 1).
    """

@overload
def rand(
    *size: _int,
    generator: Generator | None = ...,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """rand.generator(SymInt[] size, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor

    Returns floating point numbers drawn uniformly from [0, 1).
    """

def rand_like(
    input: Tensor,
    *,
    generator: Generator | None = ...,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    memory_format: _memory_format | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """rand_like.generator(Tensor self, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor

    Returns floating point numbers drawn uniformly from [0, 1).
    """

@overload
def randn(
    size: Sequence[_int],
    *,
    generator: Generator | None = ...,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """randn.generator(SymInt[] size, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor

    Returns floating point numbers drawn from the standard normal distribution.
    """

@overload
def randn(
    *size: _int,
    generator: Generator | None = ...,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """randn.generator(SymInt[] size, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor

    Returns floating point numbers drawn from the standard normal distribution.
    """

def randn_like(
    input: Tensor,
    *,
    generator: Generator | None = ...,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    memory_format: _memory_format | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """randn_like.generator(Tensor self, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor

    Returns floating point numbers drawn from the standard normal distribution.
    """

@overload
def randint(
    high: _int,
    size: Sequence[_int],
    *,
    generator: Generator | None = ...,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """randint.generator(SymInt high, SymInt[] size, *, Generator? generator, ScalarType? dtype=long, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor

    Returns integers drawn uniformly from [0, high), using a generator.
    """

@overload
def randint(
    low: _int,
    high: _int,
    size: Sequence[_int],
    *,
    generator: Generator | None = ...,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """randint.low_generator(SymInt low, SymInt high, SymInt[] size, *, Generator? generator, ScalarType? dtype=long, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor

    Returns integers drawn uniformly from [low, high), using a generator.
    """

@overload
def randint_like(
    input: Tensor,
    high: _int,
    *,
    generator: Generator | None = ...,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    memory_format: _memory_format | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """randint_like.generator(Tensor self, SymInt high, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor

    Returns integers drawn uniformly from [0, high) in a tensor like ``self``, using a generator.
    """

@overload
def randint_like(
    input: Tensor,
    low: _int,
    high: _int,
    *,
    generator: Generator | None = ...,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    memory_format: _memory_format | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """randint_like.low_generator_dtype(Tensor self, SymInt low, SymInt high, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor

    Returns integers drawn uniformly from [low, high) in a tensor like ``self``, using a generator.
    """

@overload
def randint_like(
    input: Tensor,
    high: Tensor,
    *,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    memory_format: _memory_format | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """randint_like.Tensor(Tensor self, Tensor high, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor

    Returns integers drawn uniformly from [0, high) in a tensor like ``self``; ``high`` is 0-dim.
    """

def randperm(
    n: _int,
    *,
    generator: Generator | None = ...,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """randperm.generator(SymInt n, *, Generator? generator, ScalarType? dtype=long, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor

    Returns a random permutation of the integers from 0 to n - 1, using a generator.
    """

@overload
def arange(
    end: _Scalar,
    *,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """arange(Scalar end, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor

    Returns the numbers from 0 to ``end`` (exclusive) in steps of 1.
    """

@overload
def arange(
    start: _Scalar,
    end: _Scalar,
    step: _Scalar = ...,
    *,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """arange.start_step(Scalar start, Scalar end, Scalar step=1, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor

    Returns the numbers from ``start`` (inclusive) to ``end`` (exclusive) in steps of ``step``.
    """

def range(
    start: _Scalar,
    end: _Scalar,
    step: _Scalar = ...,
    *,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """range.step(Scalar start, Scalar end, Scalar step=1, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor

    Returns the numbers from ``start`` to ``end``, both inclusive, in steps of ``step``.
    """

@overload
def linspace(
    start: _Scalar,
    end: _Scalar,
    steps: _int,
    *,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """linspace(Scalar start, Scalar end, int steps, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor

    Returns ``steps`` evenly spaced numbers from ``start`` to ``end``, both inclusive.
    """

@overload
def linspace(
    start: Tensor,
    end: Tensor,
    steps: _int,
    *,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """linspace.Tensor_Tensor(Tensor start, Tensor end, int steps, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor

    The same with bounds in 0-dim tensors; ``device`` defaults to theirs.
    """

@overload
def linspace(
    start: Tensor,
    end: _Scalar,
    steps: _int,
    *,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """linspace.Tensor_Scalar(Tensor start, Scalar end, int steps, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor

    The same with bounds in 0-dim tensors; ``device`` defaults to theirs.
    """

@overload
def linspace(
    start: _Scalar,
    end: Tensor,
    steps: _int,
    *,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """linspace.Scalar_Tensor(Scalar start, Tensor end, int steps, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor

    The same with bounds in 0-dim tensors; ``device`` defaults to theirs.
    """

@overload
def logspace(
    start: _Scalar,
    end: _Scalar,
    steps: _int,
    base: _float = ...,
    *,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """logspace(Scalar start, Scalar end, int steps, float base=10.0, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor

    Returns ``base`` to the power of ``steps`` evenly spaced numbers from ``start`` to ``end``.
    """

@overload
def logspace(
    start: Tensor,
    end: Tensor,
    steps: _int,
    base: _float = ...,
    *,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """logspace.Tensor_Tensor(Tensor start, Tensor end, int steps, float base=10.0, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor

    The same with bounds in 0-dim tensors; ``device`` defaults to theirs.
    """

@overload
def logspace(
    start: Tensor,
    end: _Scalar,
    steps: _int,
    base: _float = ...,
    *,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """logspace.Tensor_Scalar(Tensor start, Scalar end, int steps, float base=10.0, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor

    The same with bounds in 0-dim tensors; ``device`` defaults to theirs.
    """

@overload
def logspace(
    start: _Scalar,
    end: Tensor,
    steps: _int,
    base: _float = ...,
    *,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """logspace.Scalar_Tensor(Scalar start, Tensor end, int steps, float base=10.0, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor

    The same with bounds in 0-dim tensors; ``device`` defaults to theirs.
    """

def tril_indices(
    row: _int,
    col: _int,
    offset: _int = ...,
    *,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """tril_indices(int row, int col, int offset=0, *, ScalarType? dtype=long, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor

    Returns the row and column indices (2, n) of a matrix's elements on and below diagonal ``offset``.
    """

def triu_indices(
    row: _int,
    col: _int,
    offset: _int = ...,
    *,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """triu_indices(int row, int col, int offset=0, *, ScalarType? dtype=long, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor

    Returns the row and column indices (2, n) of a matrix's elements on and above diagonal ``offset``.
    """

def is_same_size(input: Tensor, other: Tensor) -> _bool:
    """is_same_size(Tensor self, Tensor other) -> bool

    Returns True if both tensors have the same sizes.
    """

@overload
def bartlett_window(
    window_length: _int,
    *,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """bartlett_window(int window_length, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor

    Returns the window (window_length) that rises from 0 to 1 and falls in straight lines.
    """

@overload
def bartlett_window(
    window_length: _int,
    periodic: _bool,
    *,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """bartlett_window.periodic(int window_length, bool periodic, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor

    Returns the window (window_length) that rises from 0 to 1 and falls in straight lines.
    """

@overload
def blackman_window(
    window_length: _int,
    *,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """blackman_window(int window_length, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor

    Returns the window (window_length) ``0.42 - 0.5 cos(x) + 0.08 cos(2 x)``, x from 0 to 2 pi.
    """

@overload
def blackman_window(
    window_length: _int,
    periodic: _bool,
    *,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """blackman_window.periodic(int window_length, bool periodic, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor

    Returns the window (window_length) ``0.42 - 0.5 cos(x) + 0.08 cos(2 x)``, x from 0 to 2 pi.
    """

@overload
def hamming_window(
    window_length: _int,
    *,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """hamming_window(int window_length, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor

    Returns the window (window_length) ``alpha - beta cos(x)``, 0.54 and 0.46 by default, x from 0 to 2 pi.
    """

@overload
def hamming_window(
    window_length: _int,
    periodic: _bool,
    *,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """hamming_window.periodic(int window_length, bool periodic, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor

    Returns the window (window_length) ``alpha - beta cos(x)``, 0.54 and 0.46 by default, x from 0 to 2 pi.
    """

@overload
def hamming_window(
    window_length: _int,
    periodic: _bool,
    alpha: _float,
    *,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """hamming_window.periodic_alpha(int window_length, bool periodic, float alpha, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor

    Returns the window (window_length) ``alpha - beta cos(x)``, 0.54 and 0.46 by default, x from 0 to 2 pi.
    """

@overload
def hamming_window(
    window_length: _int,
    periodic: _bool,
    alpha: _float,
    beta: _float,
    *,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """hamming_window.periodic_alpha_beta(int window_length, bool periodic, float alpha, float beta, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor

    Returns the window (window_length) ``alpha - beta cos(x)``, 0.54 and 0.46 by default, x from 0 to 2 pi.
    """

@overload
def hann_window(
    window_length: _int,
    *,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """hann_window(int window_length, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor

    Returns the window (window_length) ``0.5 - 0.5 cos(x)``, x from 0 to 2 pi.
    """

@overload
def hann_window(
    window_length: _int,
    periodic: _bool,
    *,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """hann_window.periodic(int window_length, bool periodic, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor

    Returns the window (window_length) ``0.5 - 0.5 cos(x)``, x from 0 to 2 pi.
    """

@overload
def kaiser_window(
    window_length: _int,
    *,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """kaiser_window(int window_length, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor

    Returns the window (window_length) ``i0(beta sqrt(1 - x * x)) / i0(beta)``, x from -1 to 1, ``beta`` 12 by default.
    """

@overload
def kaiser_window(
    window_length: _int,
    periodic: _bool,
    *,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """kaiser_window.periodic(int window_length, bool periodic, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor

    Returns the window (window_length) ``i0(beta sqrt(1 - x * x)) / i0(beta)``, x from -1 to 1, ``beta`` 12 by default.
    """

@overload
def kaiser_window(
    window_length: _int,
    periodic: _bool,
    beta: _float,
    *,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """kaiser_window.beta(int window_length, bool periodic, float beta, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor

    Returns the window (window_length) ``i0(beta sqrt(1 - x * x)) / i0(beta)``, x from -1 to 1, ``beta`` 12 by default.
    """

def istft(
    input: Tensor,
    n_fft: _int,
    hop_length: _int | None = ...,
    win_length: _int | None = ...,
    window: Tensor | None = ...,
    center: _bool = ...,
    normalized: _bool = ...,
    onesided: _bool | None = ...,
    length: _int | None = ...,
    return_complex: _bool = ...,
) -> Tensor:
    """istft(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool center=True, bool normalized=False, bool? onesided=None, int? length=None, bool return_complex=False) -> Tensor

    Computes the signals (*, length) whose stft is nearest to ``self`` (*, frequencies, frames), which
    is complex.
    """

def gather(
    input: Tensor, dim: _int, index: Tensor, *, sparse_grad: _bool = ..., out: Tensor | None = ...
) -> Tensor:
    """gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor

    Gathers elements along ``dim`` at the indices in ``index`` (int64 or int32); the result
    has its sizes.  ``sparse_grad``: whether the gradient of ``self`` is a sparse tensor.
    """

def take_along_dim(
    input: Tensor, indices: Tensor, dim: _int | None = ..., *, out: Tensor | None = ...
) -> Tensor:
    """take_along_dim(Tensor self, Tensor indices, int? dim=None) -> Tensor

    Gathers elements along ``dim`` at ``indices`` (int64), such as argsort's; both broadcast except
    along ``dim``.
    """

def take(input: Tensor, index: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """take(Tensor self, Tensor index) -> Tensor

    Returns the elements of the flattened ``self`` at the indices in ``index`` (int64), with the sizes
    of ``index``.
    """

def index_select(input: Tensor, dim: _int, index: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """index_select(Tensor self, int dim, Tensor index) -> Tensor

    Returns the slices along ``dim`` at the indices in a vector ``index`` (int32 or int64).
    """

def index(input: Tensor, indices: Sequence[Tensor | None]) -> Tensor:
    """index.Tensor(Tensor self, Tensor?[] indices) -> Tensor

    Returns ``self[indices]``: one index tensor per dimension, or None for a full slice.
    """

def index_put(
    input: Tensor, indices: Sequence[Tensor | None], values: Tensor, accumulate: _bool = ...
) -> Tensor:
    """index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor

    Returns a copy of ``self`` with ``values`` (broadcast) written to the indexed elements, or added if
    ``accumulate`` is True.
    """

def index_put_(
    input: Tensor, indices: Sequence[Tensor | None], values: Tensor, accumulate: _bool = ...
) -> Tensor:
    """index_put_(Tensor(a!) self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor(a!)

    Writes ``values`` (broadcast) to the indexed elements of ``self`` in-place, or adds them if
    ``accumulate`` is True.
    """

def nonzero_static(input: Tensor, *, size: _int, fill_value: _int = ..., out: Tensor | None = ...) -> Tensor:
    """nonzero_static(Tensor self, *, SymInt size, int fill_value=-1) -> Tensor

    Returns the indices of the first ``size`` nonzero elements, one per row; unused rows are filled
    with ``fill_value``.
    """

def argwhere(input: Tensor) -> Tensor:
    """argwhere(Tensor self) -> Tensor

    Returns the indices of the nonzero elements, one per row (int64); the same as nonzero.
    """

def nonzero_numpy(input: Tensor) -> tuple[Tensor, ...]:
    """nonzero_numpy(Tensor self) -> Tensor[]

    Returns the indices of the nonzero elements as one vector per dimension, for use as ``self[...]``.
    """

def masked_select(input: Tensor, mask: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """masked_select(Tensor self, Tensor mask) -> Tensor

    Returns the elements where ``mask`` (bool) is True, as a vector; both broadcast.
    """

def masked_select_backward(grad: Tensor, input: Tensor, mask: Tensor) -> Tensor:
    """masked_select_backward(Tensor grad, Tensor input, Tensor mask) -> Tensor

    Returns zeros of the broadcast sizes of ``input`` and ``mask``, with ``grad`` written where the
    mask is True.
    """

def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """masked_scatter(Tensor self, Tensor mask, Tensor source) -> Tensor

    Returns a copy of ``self`` with the elements of ``source``, in row-major order, where ``mask``
    (bool) is True.
    """

def masked_scatter_(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """masked_scatter_(Tensor(a!) self, Tensor mask, Tensor source) -> Tensor(a!)

    In-place version of masked_scatter.
    """

def masked_scatter_backward(grad_output: Tensor, mask: Tensor, sizes: Sequence[_int]) -> Tensor:
    """masked_scatter_backward(Tensor grad_output, Tensor mask, SymInt[] sizes) -> Tensor

    Computes the gradient of masked_scatter with respect to ``source``, which has sizes ``sizes``.
    """

@overload
def masked_fill(input: Tensor, mask: Tensor, value: _Scalar) -> Tensor:
    """masked_fill.Scalar(Tensor self, Tensor mask, Scalar value) -> Tensor

    Fills the elements of ``self`` with ``value`` where ``mask`` is true; the dtype is kept.
    """

@overload
def masked_fill(input: Tensor, mask: Tensor, value: Tensor) -> Tensor:
    """masked_fill.Tensor(Tensor self, Tensor mask, Tensor value) -> Tensor

    Fills the elements of ``self`` with ``value`` where ``mask`` is true; the dtype is kept.
    """

@overload
def masked_fill_(input: Tensor, mask: Tensor, value: _Scalar) -> Tensor:
    """masked_fill_.Scalar(Tensor(a!) self, Tensor mask, Scalar value) -> Tensor(a!)

    In-place version of masked_fill.
    """

@overload
def masked_fill_(input: Tensor, mask: Tensor, value: Tensor) -> Tensor:
    """masked_fill_.Tensor(Tensor(a!) self, Tensor mask, Tensor value) -> Tensor(a!)

    In-place version of masked_fill.
    """

def _unsafe_masked_index(
    input: Tensor, mask: Tensor, indices: Sequence[Tensor | None], fill: _Scalar
) -> Tensor:
    """_unsafe_masked_index(Tensor self, Tensor mask, Tensor?[] indices, Scalar fill) -> Tensor

    Returns ``self[indices]`` where ``mask`` is true, which broadcasts to it, else ``fill``.
    """

def _unsafe_masked_index_put_accumulate(
    input: Tensor, mask: Tensor, indices: Sequence[Tensor | None], values: Tensor
) -> Tensor:
    """_unsafe_masked_index_put_accumulate(Tensor self, Tensor mask, Tensor?[] indices, Tensor values) -> Tensor

    Returns ``self`` with ``values`` added at ``indices`` where ``mask`` is true.
    """

@overload
def scatter(input: Tensor, dim: _int, index: Tensor, src: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """scatter.src(Tensor self, int dim, Tensor index, Tensor src) -> Tensor

    Returns a copy of ``self`` with the elements of ``src`` written at the indices along ``dim`` in
    ``index`` (int64 or int32).
    """

@overload
def scatter(input: Tensor, dim: _int, index: Tensor, value: _Scalar, *, out: Tensor | None = ...) -> Tensor:
    """scatter.value(Tensor self, int dim, Tensor index, Scalar value) -> Tensor

    Returns a copy of ``self`` with the number ``value`` at the indices along ``dim`` in ``index``.
    """

@overload
def scatter(
    input: Tensor,
    dim: _int,
    index: Tensor,
    src: Tensor,
    *,
    reduce: Literal["add", "multiply"],
    out: Tensor | None = ...,
) -> Tensor:
    """scatter.reduce(Tensor self, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor

    Returns a copy of ``self`` with the elements of ``src`` added (``reduce="add"``) or multiplied
    (``"multiply"``) at the indices in ``index``.  Not differentiable, unlike scatter_reduce.
    """

@overload
def scatter(
    input: Tensor,
    dim: _int,
    index: Tensor,
    value: _Scalar,
    *,
    reduce: Literal["add", "multiply"],
    out: Tensor | None = ...,
) -> Tensor:
    """scatter.value_reduce(Tensor self, int dim, Tensor index, Scalar value, *, str reduce) -> Tensor

    As above, with the number ``value``.
    """

@overload
def scatter_(input: Tensor, dim: _int, index: Tensor, src: Tensor) -> Tensor:
    """scatter_.src(Tensor(a!) self, int dim, Tensor index, Tensor src) -> Tensor(a!)

    In-place version of scatter.
    """

@overload
def scatter_(input: Tensor, dim: _int, index: Tensor, value: _Scalar) -> Tensor:
    """scatter_.value(Tensor(a!) self, int dim, Tensor index, Scalar value) -> Tensor(a!)

    In-place version of scatter.
    """

@overload
def scatter_(
    input: Tensor, dim: _int, index: Tensor, src: Tensor, *, reduce: Literal["add", "multiply"]
) -> Tensor:
    """scatter_.reduce(Tensor(a!) self, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor(a!)

    In-place version of scatter.
    """

@overload
def scatter_(
    input: Tensor, dim: _int, index: Tensor, value: _Scalar, *, reduce: Literal["add", "multiply"]
) -> Tensor:
    """scatter_.value_reduce(Tensor(a!) self, int dim, Tensor index, Scalar value, *, str reduce) -> Tensor(a!)

    In-place version of scatter.
    """

def scatter_add(input: Tensor, dim: _int, index: Tensor, src: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor

    Returns a copy of ``self`` with the elements of ``src`` added at the indices along ``dim`` in
    ``index`` (int64 or int32).
    """

def scatter_add_(input: Tensor, dim: _int, index: Tensor, src: Tensor) -> Tensor:
    """scatter_add_(Tensor(a!) self, int dim, Tensor index, Tensor src) -> Tensor(a!)

    In-place version of scatter_add.
    """

def scatter_reduce(
    input: Tensor,
    dim: _int,
    index: Tensor,
    src: Tensor,
    reduce: Literal["sum", "prod", "mean", "amax", "amin"],
    *,
    include_self: _bool = ...,
    out: Tensor | None = ...,
) -> Tensor:
    """scatter_reduce.two(Tensor self, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=True) -> Tensor

    Returns a copy of ``self`` with the elements of ``src`` reduced into it at the indices along
    ``dim`` in ``index``.
    """

def scatter_reduce_(
    input: Tensor,
    dim: _int,
    index: Tensor,
    src: Tensor,
    reduce: Literal["sum", "prod", "mean", "amax", "amin"],
    *,
    include_self: _bool = ...,
) -> Tensor:
    """scatter_reduce_.two(Tensor(a!) self, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=True) -> Tensor(a!)

    In-place version of scatter_reduce.
    """

def index_add(
    input: Tensor, dim: _int, index: Tensor, source: Tensor, *, alpha: _Scalar = ..., out: Tensor | None = ...
) -> Tensor:
    """index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor

    Returns a copy of ``self`` with ``alpha`` times slice i of ``source`` added to slice ``index[i]``,
    along ``dim``.
    """

def index_add_(input: Tensor, dim: _int, index: Tensor, source: Tensor, *, alpha: _Scalar = ...) -> Tensor:
    """index_add_(Tensor(a!) self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor(a!)

    In-place version of index_add.
    """

def index_reduce(
    input: Tensor,
    dim: _int,
    index: Tensor,
    source: Tensor,
    reduce: Literal["prod", "mean", "amax", "amin"],
    *,
    include_self: _bool = ...,
    out: Tensor | None = ...,
) -> Tensor:
    """index_reduce(Tensor self, int dim, Tensor index, Tensor source, str reduce, *, bool include_self=True) -> Tensor

    Returns a copy of ``self`` with slice i of ``source`` reduced into slice ``index[i]``, along
    ``dim``.
    """

def index_reduce_(
    input: Tensor,
    dim: _int,
    index: Tensor,
    source: Tensor,
    reduce: Literal["prod", "mean", "amax", "amin"],
    *,
    include_self: _bool = ...,
) -> Tensor:
    """index_reduce_(Tensor(a!) self, int dim, Tensor index, Tensor source, str reduce, *, bool include_self=True) -> Tensor(a!)

    In-place version of index_reduce.
    """

def index_copy(
    input: Tensor, dim: _int, index: Tensor, source: Tensor, *, out: Tensor | None = ...
) -> Tensor:
    """index_copy(Tensor self, int dim, Tensor index, Tensor source) -> Tensor

    Returns a copy of ``self`` with slice i of ``source`` written to slice ``index[i]``, along ``dim``.
    """

def index_copy_(input: Tensor, dim: _int, index: Tensor, source: Tensor) -> Tensor:
    """index_copy_(Tensor(a!) self, int dim, Tensor index, Tensor source) -> Tensor(a!)

    In-place version of index_copy.
    """

@overload
def index_fill(input: Tensor, dim: _int, index: Tensor, value: _Scalar) -> Tensor:
    """index_fill.int_Scalar(Tensor self, int dim, Tensor index, Scalar value) -> Tensor

    Returns a copy of ``self`` with the slices along ``dim`` at the indices in a vector ``index``
    (int64) filled with ``value``.
    """

@overload
def index_fill(input: Tensor, dim: _int, index: Tensor, value: Tensor) -> Tensor:
    """index_fill.int_Tensor(Tensor self, int dim, Tensor index, Tensor value) -> Tensor

    As above, with the value of a 0-dim tensor.  Raises RuntimeError if it has dimensions.
    """

@overload
def index_fill_(input: Tensor, dim: _int, index: Tensor, value: _Scalar) -> Tensor:
    """index_fill_.int_Scalar(Tensor(a!) self, int dim, Tensor index, Scalar value) -> Tensor(a!)

    In-place version of index_fill.
    """

@overload
def index_fill_(input: Tensor, dim: _int, index: Tensor, value: Tensor) -> Tensor:
    """index_fill_.int_Tensor(Tensor(a!) self, int dim, Tensor index, Tensor value) -> Tensor(a!)

    In-place version of index_fill.
    """

def put(input: Tensor, index: Tensor, source: Tensor, accumulate: _bool = ...) -> Tensor:
    """put(Tensor self, Tensor index, Tensor source, bool accumulate=False) -> Tensor

    Returns a copy of ``self`` with the elements of ``source`` written at the indices in ``index``
    (int64) of the flattened tensor, or added if ``accumulate`` is True.
    """

def put_(input: Tensor, index: Tensor, source: Tensor, accumulate: _bool = ...) -> Tensor:
    """put_(Tensor(a!) self, Tensor index, Tensor source, bool accumulate=False) -> Tensor(a!)

    In-place version of put.
    """

def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = ...) -> Tensor:
    """bilinear(Tensor input1, Tensor input2, Tensor weight, Tensor? bias=None) -> Tensor

    Computes ``input1 @ weight[o] @ input2 + bias[o]`` for each output feature o: inputs (*, n) and
    (*, m), weight (outputs, n, m), bias (outputs), result (*, outputs).  Raises RuntimeError if sizes or
    dtypes do not match.
    """

def det(input: Tensor) -> Tensor:
    """det(Tensor self) -> Tensor

    The same as linalg.det.  Raises RuntimeError for matrices that are not square.
    """

def slogdet(input: Tensor, *, out: Sequence[Tensor] | None = ...) -> _slogdet_result:
    """slogdet(Tensor self) -> (Tensor sign, Tensor logabsdet)

    The same as linalg.slogdet.  Raises RuntimeError for matrices that are not square.
    """

def logdet(input: Tensor) -> Tensor:
    """logdet(Tensor self) -> Tensor

    Computes the logarithm of determinants (*) of matrices (*, n, n); NaN for a negative determinant.
    """

def pdist(input: Tensor, p: _float = ...) -> Tensor:
    """pdist(Tensor self, float p=2) -> Tensor

    Computes the p-norm distance between each pair of rows of ``self`` (N, M), as a vector of
    N (N - 1) / 2.
    """

def pairwise_distance(
    x1: Tensor, x2: Tensor, p: _float = ..., eps: _float = ..., keepdim: _bool = ...
) -> Tensor:
    """pairwise_distance(Tensor x1, Tensor x2, float p=2, float eps=1e-06, bool keepdim=False) -> Tensor

    Computes the p-norm of ``x1 - x2 + eps`` along the last dimension.
    """

def cosine_similarity(x1: Tensor, x2: Tensor, dim: _int = ..., eps: _float = ...) -> Tensor:
    """cosine_similarity(Tensor x1, Tensor x2, int dim=1, float eps=1e-08) -> Tensor

    Computes the cosine similarity of the vectors along ``dim``: their dot product divided by their
    norms.
    """

def cholesky(input: Tensor, upper: _bool = ..., *, out: Tensor | None = ...) -> Tensor:
    """cholesky(Tensor self, bool upper=False) -> Tensor

    Computes the Cholesky factor of Hermitian positive-definite matrices; see linalg.cholesky.
    """

def geqrf(input: Tensor, *, out: Sequence[Tensor] | None = ...) -> _geqrf_result:
    """geqrf(Tensor self) -> (Tensor a, Tensor tau)

    Computes the QR factorization of matrices (*, n, m) as R and Householder reflections.
    """

def orgqr(input: Tensor, input2: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """orgqr(Tensor self, Tensor input2) -> Tensor

    The former name of linalg.householder_product.
    """

def ormqr(
    input: Tensor,
    input2: Tensor,
    input3: Tensor,
    left: _bool = ...,
    transpose: _bool = ...,
    *,
    out: Tensor | None = ...,
) -> Tensor:
    """ormqr(Tensor self, Tensor input2, Tensor input3, bool left=True, bool transpose=False) -> Tensor

    Multiplies ``input3`` (*, n, k) by the square matrix Q (*, n, n) that a product of Householder
    reflections is: ``Q input3``, or with ``transpose`` ``Q^H input3``.
    """

def qr(input: Tensor, some: _bool = ..., *, out: Sequence[Tensor] | None = ...) -> _qr_result:
    """qr(Tensor self, bool some=True) -> (Tensor Q, Tensor R)

    The former linalg.qr: mode "reduced", or "complete" if not ``some``.
    """

def lu_unpack(
    LU_data: Tensor,
    LU_pivots: Tensor,
    unpack_data: _bool = ...,
    unpack_pivots: _bool = ...,
    *,
    out: Sequence[Tensor] | None = ...,
) -> _lu_unpack_result:
    """lu_unpack(Tensor LU_data, Tensor LU_pivots, bool unpack_data=True, bool unpack_pivots=True) -> (Tensor P, Tensor L, Tensor U)

    Returns the matrices P (*, n, n), L (*, n, k) and U (*, k, m) of a result of lu_factor, k = min(n,
    m).
    """

def mm(input: Tensor, mat2: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """mm(Tensor self, Tensor mat2) -> Tensor

    Computes the product of two matrices, (n, k) and (k, m).
    """

def _int_mm(input: Tensor, mat2: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """_int_mm(Tensor self, Tensor mat2) -> Tensor

    Computes the product of an int8 or uint8 matrix, (n, k), and an int8 one, (k, m), with sums in
    int32, which wrap around.
    """

def bmm(input: Tensor, mat2: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """bmm(Tensor self, Tensor mat2) -> Tensor

    Computes the batched matrix product of (b, n, k) and (b, k, m).
    """

def addmm(
    input: Tensor,
    mat1: Tensor,
    mat2: Tensor,
    *,
    beta: _Scalar = ...,
    alpha: _Scalar = ...,
    out: Tensor | None = ...,
) -> Tensor:
    """addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor

    Computes ``beta * self + alpha * (mat1 @ mat2)``: (n, k) and (k, m); ``self`` broadcasts to (n, m).
    """

def addmm_(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: _Scalar = ..., alpha: _Scalar = ...) -> Tensor:
    """addmm_(Tensor(a!) self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor(a!)

    In-place version of addmm.
    """

def baddbmm(
    input: Tensor,
    batch1: Tensor,
    batch2: Tensor,
    *,
    beta: _Scalar = ...,
    alpha: _Scalar = ...,
    out: Tensor | None = ...,
) -> Tensor:
    """baddbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor

    Computes ``beta * self + alpha * (batch1 @ batch2)``, batched: (b, n, k) and (b, k, m).
    """

def baddbmm_(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: _Scalar = ..., alpha: _Scalar = ...
) -> Tensor:
    """baddbmm_(Tensor(a!) self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor(a!)

    In-place version of baddbmm.
    """

def addbmm(
    input: Tensor,
    batch1: Tensor,
    batch2: Tensor,
    *,
    beta: _Scalar = ...,
    alpha: _Scalar = ...,
    out: Tensor | None = ...,
) -> Tensor:
    """addbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor

    Computes ``beta * self + alpha * sum over b of (batch1[b] @ batch2[b])``: (b, n, k) and (b, k, m)
    give (n, m).
    """

def addbmm_(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: _Scalar = ..., alpha: _Scalar = ...
) -> Tensor:
    """addbmm_(Tensor(a!) self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor(a!)

    In-place version of addbmm.
    """

def addmv(
    input: Tensor,
    mat: Tensor,
    vec: Tensor,
    *,
    beta: _Scalar = ...,
    alpha: _Scalar = ...,
    out: Tensor | None = ...,
) -> Tensor:
    """addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor

    Computes ``beta * self + alpha * (mat @ vec)``: (n, k) and (k); ``self`` broadcasts to (n).
    """

def addmv_(input: Tensor, mat: Tensor, vec: Tensor, *, beta: _Scalar = ..., alpha: _Scalar = ...) -> Tensor:
    """addmv_(Tensor(a!) self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor(a!)

    In-place version of addmv.
    """

def addr(
    input: Tensor,
    vec1: Tensor,
    vec2: Tensor,
    *,
    beta: _Scalar = ...,
    alpha: _Scalar = ...,
    out: Tensor | None = ...,
) -> Tensor:
    """addr(Tensor self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1) -> Tensor

    Computes ``beta * self + alpha * outer(vec1, vec2)``: (n) and (m); ``self`` broadcasts to (n, m).
    """

def addr_(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: _Scalar = ..., alpha: _Scalar = ...) -> Tensor:
    """addr_(Tensor(a!) self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1) -> Tensor(a!)

    In-place version of addr.
    """

def dot(input: Tensor, tensor: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """dot(Tensor self, Tensor tensor) -> Tensor

    Computes the dot product of two vectors of equal size and dtype.
    """

def mv(input: Tensor, vec: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """mv(Tensor self, Tensor vec) -> Tensor

    Computes the product of a matrix (n, k) and a vector (k).
    """

def matmul(input: Tensor, other: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """matmul(Tensor self, Tensor other) -> Tensor

    Computes the matrix product of vectors, matrices, or batches of matrices, whose batch dimensions
    broadcast.
    """

def matrix_exp(input: Tensor) -> Tensor:
    """matrix_exp(Tensor self) -> Tensor

    The same as linalg.matrix_exp.  Raises RuntimeError for matrices that are not square.
    """

def matrix_power(input: Tensor, n: _int, *, out: Tensor | None = ...) -> Tensor:
    """matrix_power(Tensor self, int n) -> Tensor

    The same as linalg.matrix_power.  Raises RuntimeError for matrices that are not square.
    """

def vdot(input: Tensor, other: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """vdot(Tensor self, Tensor other) -> Tensor

    Computes the dot product of two vectors of equal size and dtype, the first one conjugated.
    """

def outer(input: Tensor, vec2: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """outer(Tensor self, Tensor vec2) -> Tensor

    Computes the outer product of vectors (n) and (m): ``result[i, j] = self[i] * vec2[j]``, a
    matrix (n, m).
    """

def ger(input: Tensor, vec2: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """ger(Tensor self, Tensor vec2) -> Tensor

    Computes the outer product of vectors (n) and (m): ``result[i, j] = self[i] * vec2[j]``, a
    matrix (n, m).
    """

def inner(input: Tensor, other: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """inner(Tensor self, Tensor other) -> Tensor

    Computes the sum of products over the last dimensions: (*, k) and (+, k) give (*, +).
    """

def kron(input: Tensor, other: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """kron(Tensor self, Tensor other) -> Tensor

    Computes the Kronecker product: each element of ``self`` times all of ``other``.
    """

def cross(input: Tensor, other: Tensor, dim: _int | None = ..., *, out: Tensor | None = ...) -> Tensor:
    """cross(Tensor self, Tensor other, int? dim=None) -> Tensor

    Computes the cross product along ``dim``, by default the first dimension of size 3; see
    linalg.cross.
    """

def pinverse(input: Tensor, rcond: _float = ...) -> Tensor:
    """pinverse(Tensor self, float rcond=1e-15) -> Tensor

    Computes the pseudoinverse (*, m, n) of matrices (*, n, m): linalg.pinv with the relative tolerance
    ``rcond``.
    """

def triangular_solve(
    input: Tensor,
    A: Tensor,
    upper: _bool = ...,
    transpose: _bool = ...,
    unitriangular: _bool = ...,
    *,
    out: Sequence[Tensor] | None = ...,
) -> _triangular_solve_result:
    """triangular_solve(Tensor self, Tensor A, bool upper=True, bool transpose=False, bool unitriangular=False) -> (Tensor solution, Tensor cloned_coefficient)

    The former linalg.solve_triangular: solves ``A X = self``, or ``A^T X = self`` with ``transpose``.
    """

def cholesky_solve(input: Tensor, input2: Tensor, upper: _bool = ..., *, out: Tensor | None = ...) -> Tensor:
    """cholesky_solve(Tensor self, Tensor input2, bool upper=False) -> Tensor

    Solves ``A X = self`` with the Cholesky factor ``input2`` (*, n, n) of A, for (*, n, k).
    """

def cholesky_inverse(input: Tensor, upper: _bool = ..., *, out: Tensor | None = ...) -> Tensor:
    """cholesky_inverse(Tensor self, bool upper=False) -> Tensor

    Computes the inverse of matrices with the Cholesky factors ``self`` (*, n, n).
    """

def lu_solve(input: Tensor, LU_data: Tensor, LU_pivots: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """lu_solve(Tensor self, Tensor LU_data, Tensor LU_pivots) -> Tensor

    The former linalg.lu_solve, with B first.
    """

def inverse(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """inverse(Tensor self) -> Tensor

    The same as linalg.inv.  Raises LinAlgError for a singular matrix.
    """

def svd(
    input: Tensor, some: _bool = ..., compute_uv: _bool = ..., *, out: Sequence[Tensor] | None = ...
) -> _svd_result:
    """svd(Tensor self, bool some=True, bool compute_uv=True) -> (Tensor U, Tensor S, Tensor V)

    The former linalg.svd, with V instead of its adjoint: ``self = U diag(S) V^H``.
    """

def vander(x: Tensor, N: _int | None = ..., increasing: _bool = ...) -> Tensor:
    """vander(Tensor x, int? N=None, bool increasing=False) -> Tensor

    Computes the Vandermonde matrix (n, N) of a vector (n,): its columns are the powers of ``x``, the
    highest first, or last with ``increasing``.
    """

def tril(input: Tensor, diagonal: _int = ..., *, out: Tensor | None = ...) -> Tensor:
    """tril(Tensor self, SymInt diagonal=0) -> Tensor

    Returns the elements of matrices (*, n, m) on and below ``diagonal``, and 0 elsewhere.
    """

def tril_(input: Tensor, diagonal: _int = ...) -> Tensor:
    """tril_(Tensor(a!) self, SymInt diagonal=0) -> Tensor(a!)

    In-place version of tril.
    """

def triu(input: Tensor, diagonal: _int = ..., *, out: Tensor | None = ...) -> Tensor:
    """triu(Tensor self, SymInt diagonal=0) -> Tensor

    Returns the elements of matrices (*, n, m) on and above ``diagonal``, and 0 elsewhere.
    """

def triu_(input: Tensor, diagonal: _int = ...) -> Tensor:
    """triu_(Tensor(a!) self, SymInt diagonal=0) -> Tensor(a!)

    In-place version of triu.
    """

def trace(input: Tensor) -> Tensor:
    """trace(Tensor self) -> Tensor

    Returns the sum of the main diagonal of a matrix; integers give int64.
    """

def sigmoid(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """sigmoid(Tensor self) -> Tensor

    The logistic sigmoid, ``1 / (1 + exp(-x))``.
    """

def sigmoid_(input: Tensor) -> Tensor:
    """sigmoid_(Tensor(a!) self) -> Tensor(a!)

    In-place version of sigmoid.
    """

def tanh(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """tanh(Tensor self) -> Tensor

    The hyperbolic tangent.
    """

def tanh_(input: Tensor) -> Tensor:
    """tanh_(Tensor(a!) self) -> Tensor(a!)

    In-place version of tanh.
    """

def celu(input: Tensor, alpha: _Scalar = ...) -> Tensor:
    """celu(Tensor self, Scalar alpha=1.0) -> Tensor

    ``x`` if ``x >= 0``, otherwise ``alpha * (exp(x / alpha) - 1)``.  Barron (2017).
    """

def celu_(input: Tensor, alpha: _Scalar = ...) -> Tensor:
    """celu_(Tensor(a!) self, Scalar alpha=1.0) -> Tensor(a!)

    In-place version of celu.
    """

def selu(input: Tensor) -> Tensor:
    """selu(Tensor self) -> Tensor

    elu with the fixed ``alpha`` and ``scale`` that preserve mean 0 and variance 1.  Klambauer et al.
    (2017).
    """

def selu_(input: Tensor) -> Tensor:
    """selu_(Tensor(a!) self) -> Tensor(a!)

    In-place version of selu.
    """

def adaptive_avg_pool1d(input: Tensor, output_size: Sequence[_int] | _int) -> Tensor:
    """adaptive_avg_pool1d(Tensor self, int[1] output_size) -> Tensor

    Returns the mean of each of ``output_size`` windows of ([N,] C, L).
    """

def adaptive_max_pool1d(input: Tensor, output_size: Sequence[_int] | _int) -> tuple[Tensor, Tensor]:
    """adaptive_max_pool1d(Tensor self, int[1] output_size) -> (Tensor, Tensor)

    Returns the maximum of each of ``output_size`` windows of ([N,] C, L), and its index (int64).
    """

@overload
def _native_batch_norm_legit(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor,
    running_var: Tensor,
    training: _bool,
    momentum: _float,
    eps: _float,
    *,
    out: Sequence[Tensor] | None = ...,
) -> tuple[Tensor, Tensor, Tensor]:
    """_native_batch_norm_legit(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!) running_mean, Tensor(b!) running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)

    native_batch_norm with a schema that annotates the running statistics as modified.
    """

@overload
def _native_batch_norm_legit(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    training: _bool,
    momentum: _float,
    eps: _float,
    *,
    out: Sequence[Tensor] | None = ...,
) -> tuple[Tensor, Tensor, Tensor]:
    """_native_batch_norm_legit.no_stats(Tensor input, Tensor? weight, Tensor? bias, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)

    Normalizes each channel of (N, C, *) by its own mean and variance; also returns the mean and 1 /
    sqrt(variance + eps) of each channel.  ``training`` must be True.
    """

def native_batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: _bool,
    momentum: _float,
    eps: _float,
    *,
    out: Sequence[Tensor] | None = ...,
) -> tuple[Tensor, Tensor, Tensor]:
    """native_batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)

    Normalizes each channel of (N, C, *); also returns the mean and 1 / sqrt(variance + eps) of each.
    """

def native_batch_norm_backward(
    grad_out: Tensor,
    input: Tensor,
    weight: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    save_mean: Tensor | None,
    save_invstd: Tensor | None,
    train: _bool,
    eps: _float,
    output_mask: Sequence[_bool] | _bool,
) -> tuple[Tensor, Tensor, Tensor]:
    """native_batch_norm_backward(Tensor grad_out, Tensor input, Tensor? weight, Tensor? running_mean, Tensor? running_var, Tensor? save_mean, Tensor? save_invstd, bool train, float eps, bool[3] output_mask) -> (Tensor, Tensor, Tensor)

    The gradients of native_batch_norm with respect to input, weight and bias; None where ``output_mask`` is False.
    """

def batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: _bool,
    momentum: _float,
    eps: _float,
    cudnn_enabled: _bool,
) -> Tensor:
    """batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, float momentum, float eps, bool cudnn_enabled) -> Tensor

    Normalizes each channel of (N, C, *): in ``training`` by its own mean and variance, which update
    the running statistics with ``momentum``, otherwise by the running statistics.  ``cudnn_enabled`` is
    ignored.
    """

def instance_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    use_input_stats: _bool,
    momentum: _float,
    eps: _float,
    cudnn_enabled: _bool,
) -> Tensor:
    """instance_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool use_input_stats, float momentum, float eps, bool cudnn_enabled) -> Tensor

    Normalizes each channel of each batch entry of (N, C, *) by its own mean and variance, or by the
    running statistics unless ``use_input_stats``; if it is True, the running statistics, if given, are
    updated with ``momentum`` from the average over the batch.
    """

def convolution(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Sequence[_int],
    padding: Sequence[_int],
    dilation: Sequence[_int],
    transposed: _bool,
    output_padding: Sequence[_int],
    groups: _int,
) -> Tensor:
    """convolution(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, SymInt[] padding, SymInt[] dilation, bool transposed, SymInt[] output_padding, SymInt groups) -> Tensor

    Convolves input (N, C_in, *spatial) with weight (C_out, C_in / groups, *kernel).
    """

def convolution_backward(
    grad_output: Tensor,
    input: Tensor,
    weight: Tensor,
    bias_sizes: Sequence[_int] | None,
    stride: Sequence[_int],
    padding: Sequence[_int],
    dilation: Sequence[_int],
    transposed: _bool,
    output_padding: Sequence[_int],
    groups: _int,
    output_mask: Sequence[_bool] | _bool,
) -> tuple[Tensor, Tensor, Tensor]:
    """convolution_backward(Tensor grad_output, Tensor input, Tensor weight, SymInt[]? bias_sizes, SymInt[] stride, SymInt[] padding, SymInt[] dilation, bool transposed, SymInt[] output_padding, SymInt groups, bool[3] output_mask) -> (Tensor, Tensor, Tensor)

    The gradients of convolution with respect to input, weight and bias; None where ``output_mask`` is
    False.
    """

@overload
def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = ...,
    stride: Sequence[_int] | _int = ...,
    padding: Sequence[_int] | _int = ...,
    dilation: Sequence[_int] | _int = ...,
    groups: _int = ...,
) -> Tensor:
    """conv1d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=1, SymInt[1] padding=0, SymInt[1] dilation=1, SymInt groups=1) -> Tensor

    Applies a 1D convolution: input ([N,] C_in, *spatial), weight (C_out, C_in / groups,
    *kernel), bias (C_out).
    """

@overload
def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = ...,
    stride: Sequence[_int] | _int = ...,
    padding: Literal["valid", "same"] = ...,
    dilation: Sequence[_int] | _int = ...,
    groups: _int = ...,
) -> Tensor:
    """conv1d.padding(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=1, str padding="valid", SymInt[1] dilation=1, SymInt groups=1) -> Tensor

    Applies a 1D convolution with ``padding`` 'valid' (none) or 'same' (preserves sizes; stride 1).
    """

def conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = ...,
    stride: Sequence[_int] | _int = ...,
    padding: Sequence[_int] | _int = ...,
    output_padding: Sequence[_int] | _int = ...,
    groups: _int = ...,
    dilation: Sequence[_int] | _int = ...,
) -> Tensor:
    """conv_transpose1d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=1, SymInt[1] padding=0, SymInt[1] output_padding=0, SymInt groups=1, SymInt[1] dilation=1) -> Tensor

    Applies a 1D transposed convolution, the gradient of conv1d with respect to
    its input.  input is ([N,] C_in, *spatial), weight (C_in, C_out / groups, *kernel), bias (C_out).
    """

@overload
def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = ...,
    stride: Sequence[_int] | _int = ...,
    padding: Sequence[_int] | _int = ...,
    dilation: Sequence[_int] | _int = ...,
    groups: _int = ...,
) -> Tensor:
    """conv2d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=1, SymInt[2] padding=0, SymInt[2] dilation=1, SymInt groups=1) -> Tensor

    Applies a 2D convolution: input ([N,] C_in, *spatial), weight (C_out, C_in / groups,
    *kernel), bias (C_out).
    """

@overload
def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = ...,
    stride: Sequence[_int] | _int = ...,
    padding: Literal["valid", "same"] = ...,
    dilation: Sequence[_int] | _int = ...,
    groups: _int = ...,
) -> Tensor:
    """conv2d.padding(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=1, str padding="valid", SymInt[2] dilation=1, SymInt groups=1) -> Tensor

    Applies a 2D convolution with ``padding`` 'valid' (none) or 'same' (preserves sizes; stride 1).
    """

def conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = ...,
    stride: Sequence[_int] | _int = ...,
    padding: Sequence[_int] | _int = ...,
    output_padding: Sequence[_int] | _int = ...,
    groups: _int = ...,
    dilation: Sequence[_int] | _int = ...,
) -> Tensor:
    """conv_transpose2d.input(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=1, SymInt[2] padding=0, SymInt[2] output_padding=0, SymInt groups=1, SymInt[2] dilation=1) -> Tensor

    Applies a 2D transposed convolution, the gradient of conv2d with respect to
    its input.  input is ([N,] C_in, *spatial), weight (C_in, C_out / groups, *kernel), bias (C_out).
    """

@overload
def conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = ...,
    stride: Sequence[_int] | _int = ...,
    padding: Sequence[_int] | _int = ...,
    dilation: Sequence[_int] | _int = ...,
    groups: _int = ...,
) -> Tensor:
    """conv3d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=1, SymInt[3] padding=0, SymInt[3] dilation=1, SymInt groups=1) -> Tensor

    Applies a 3D convolution: input ([N,] C_in, *spatial), weight (C_out, C_in / groups,
    *kernel), bias (C_out).
    """

@overload
def conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = ...,
    stride: Sequence[_int] | _int = ...,
    padding: Literal["valid", "same"] = ...,
    dilation: Sequence[_int] | _int = ...,
    groups: _int = ...,
) -> Tensor:
    """conv3d.padding(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=1, str padding="valid", SymInt[3] dilation=1, SymInt groups=1) -> Tensor

    Applies a 3D convolution with ``padding`` 'valid' (none) or 'same' (preserves sizes; stride 1).
    """

def conv_transpose3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = ...,
    stride: Sequence[_int] | _int = ...,
    padding: Sequence[_int] | _int = ...,
    output_padding: Sequence[_int] | _int = ...,
    groups: _int = ...,
    dilation: Sequence[_int] | _int = ...,
) -> Tensor:
    """conv_transpose3d.input(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=1, SymInt[3] padding=0, SymInt[3] output_padding=0, SymInt groups=1, SymInt[3] dilation=1) -> Tensor

    Applies a 3D transposed convolution, the gradient of conv3d with respect to
    its input.  input is ([N,] C_in, *spatial), weight (C_in, C_out / groups, *kernel), bias (C_out).
    """

def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: _int = ...) -> Tensor:
    """conv_tbc(Tensor self, Tensor weight, Tensor bias, int pad=0) -> Tensor

    Applies a 1D convolution to (time, batch, C_in); weight (kernel, C_in, C_out), bias (C_out).
    """

@overload
def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Sequence[_int],
    target_lengths: Sequence[_int],
    blank: _int = ...,
    reduction: _int = ...,
    zero_infinity: _bool = ...,
) -> Tensor:
    """ctc_loss.IntList(Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, int blank=0, int reduction=Mean, bool zero_infinity=False) -> Tensor

    Returns the connectionist temporal classification loss, the negative log likelihood of ``targets``.
    """

@overload
def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor,
    target_lengths: Tensor,
    blank: _int = ...,
    reduction: _int = ...,
    zero_infinity: _bool = ...,
) -> Tensor:
    """ctc_loss.Tensor(Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, int blank=0, int reduction=Mean, bool zero_infinity=False) -> Tensor

    Returns the connectionist temporal classification loss, the negative log likelihood of ``targets``.
    """

def dropout(input: Tensor, p: _float, train: _bool) -> Tensor:
    """dropout(Tensor input, float p, bool train) -> Tensor

    Zeroes each element with probability ``p`` and divides the others by 1 - p; returns ``input`` itself unless ``train``.
    """

def dropout_(input: Tensor, p: _float, train: _bool) -> Tensor:
    """dropout_(Tensor(a!) self, float p, bool train) -> Tensor(a!)

    In-place version of dropout.
    """

def feature_dropout(input: Tensor, p: _float, train: _bool) -> Tensor:
    """feature_dropout(Tensor input, float p, bool train) -> Tensor

    Zeroes each channel of (N, C, *) with probability ``p`` and divides the others by 1 - p; returns ``input`` itself unless ``train``.
    """

def feature_dropout_(input: Tensor, p: _float, train: _bool) -> Tensor:
    """feature_dropout_(Tensor(a!) self, float p, bool train) -> Tensor(a!)

    In-place version of feature_dropout.
    """

def alpha_dropout(input: Tensor, p: _float, train: _bool) -> Tensor:
    """alpha_dropout(Tensor input, float p, bool train) -> Tensor

    Sets each element with probability ``p`` to the limit of selu at -inf, then scales and shifts all to preserve mean and variance; returns ``input`` itself unless ``train``.
    """

def alpha_dropout_(input: Tensor, p: _float, train: _bool) -> Tensor:
    """alpha_dropout_(Tensor(a!) self, float p, bool train) -> Tensor(a!)

    In-place version of alpha_dropout.
    """

def feature_alpha_dropout(input: Tensor, p: _float, train: _bool) -> Tensor:
    """feature_alpha_dropout(Tensor input, float p, bool train) -> Tensor

    alpha_dropout of whole channels of (N, C, *); returns ``input`` itself unless ``train``.
    """

def feature_alpha_dropout_(input: Tensor, p: _float, train: _bool) -> Tensor:
    """feature_alpha_dropout_(Tensor(a!) self, float p, bool train) -> Tensor(a!)

    In-place version of feature_alpha_dropout.
    """

def native_dropout(input: Tensor, p: _float, train: _bool | None) -> tuple[Tensor, Tensor]:
    """native_dropout(Tensor input, float p, bool? train) -> (Tensor, Tensor)

    Returns dropout of ``input``, and the mask (bool) of kept elements: all, unless ``train`` is True or None.
    """

def native_dropout_backward(grad_output: Tensor, mask: Tensor, scale: _float) -> Tensor:
    """native_dropout_backward(Tensor grad_output, Tensor mask, float scale) -> Tensor

    The gradient of native_dropout, ``grad_output * mask * scale``.
    """

def embedding(
    weight: Tensor,
    indices: Tensor,
    padding_idx: _int = ...,
    scale_grad_by_freq: _bool = ...,
    sparse: _bool = ...,
) -> Tensor:
    """embedding(Tensor weight, Tensor indices, SymInt padding_idx=-1, bool scale_grad_by_freq=False, bool sparse=False) -> Tensor

    Returns the rows of ``weight`` (num_embeddings, embedding_dim) at ``indices`` (*), int32 or int64:
    (*, embedding_dim).
    """

def embedding_dense_backward(
    grad_output: Tensor, indices: Tensor, num_weights: _int, padding_idx: _int, scale_grad_by_freq: _bool
) -> Tensor:
    """embedding_dense_backward(Tensor grad_output, Tensor indices, SymInt num_weights, SymInt padding_idx, bool scale_grad_by_freq) -> Tensor

    The gradient of embedding with respect to weight.
    """

@overload
def embedding_bag(
    weight: Tensor,
    indices: Tensor,
    offsets: Tensor,
    scale_grad_by_freq: _bool = ...,
    mode: _int = ...,
    sparse: _bool = ...,
    per_sample_weights: Tensor | None = ...,
    include_last_offset: _bool = ...,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False) -> (Tensor, Tensor, Tensor, Tensor)

    Returns the sums, means or maxima of bags of rows of ``weight``; see _embedding_bag.
    """

@overload
def embedding_bag(
    weight: Tensor,
    indices: Tensor,
    offsets: Tensor,
    scale_grad_by_freq: _bool,
    mode: _int,
    sparse: _bool,
    per_sample_weights: Tensor | None,
    include_last_offset: _bool,
    padding_idx: _int | None,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """embedding_bag.padding_idx(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq, int mode, bool sparse, Tensor? per_sample_weights, bool include_last_offset, int? padding_idx) -> (Tensor, Tensor, Tensor, Tensor)

    Returns the sums, means or maxima of bags of rows of ``weight``, ignoring the row ``padding_idx``.
    """

def embedding_renorm_(input: Tensor, indices: Tensor, max_norm: _float, norm_type: _float) -> Tensor:
    """embedding_renorm_(Tensor(a!) self, Tensor indices, float max_norm, float norm_type) -> Tensor(a!)

    Scales in place each row of ``self`` that occurs in ``indices`` and whose ``norm_type``-norm
    exceeds ``max_norm``, by ``max_norm / (norm + 1e-7)``.
    """

def fake_quantize_per_tensor_affine_cachemask(
    input: Tensor, scale: _float, zero_point: _int, quant_min: _int, quant_max: _int
) -> _fake_quantize_per_tensor_affine_cachemask_result:
    """fake_quantize_per_tensor_affine_cachemask(Tensor self, float scale, int zero_point, int quant_min, int quant_max) -> (Tensor output, Tensor mask)

    fake_quantize_per_tensor_affine, and a bool tensor: where ``self`` was not clamped.
    """

@overload
def fake_quantize_per_tensor_affine(
    input: Tensor, scale: _float, zero_point: _int, quant_min: _int, quant_max: _int
) -> Tensor:
    """fake_quantize_per_tensor_affine(Tensor self, float scale, int zero_point, int quant_min, int quant_max) -> Tensor

    Rounds ``self`` to numbers that integers from ``quant_min`` to ``quant_max`` represent:
    (clamp(round(self / scale) + zero_point) - zero_point) * scale.
    """

@overload
def fake_quantize_per_tensor_affine(
    input: Tensor, scale: Tensor, zero_point: Tensor, quant_min: _int, quant_max: _int
) -> Tensor:
    """fake_quantize_per_tensor_affine.tensor_qparams(Tensor self, Tensor scale, Tensor zero_point, int quant_min, int quant_max) -> Tensor

    fake_quantize_per_tensor_affine with a scale and a zero point in tensors of one element, which are
    not checked.
    """

def fake_quantize_per_channel_affine_cachemask(
    input: Tensor, scale: Tensor, zero_point: Tensor, axis: _int, quant_min: _int, quant_max: _int
) -> _fake_quantize_per_channel_affine_cachemask_result:
    """fake_quantize_per_channel_affine_cachemask(Tensor self, Tensor scale, Tensor zero_point, int axis, int quant_min, int quant_max) -> (Tensor output, Tensor mask)

    fake_quantize_per_channel_affine, and a bool tensor: where ``self`` was not clamped.
    """

def fake_quantize_per_channel_affine(
    input: Tensor, scale: Tensor, zero_point: Tensor, axis: _int, quant_min: _int, quant_max: _int
) -> Tensor:
    """fake_quantize_per_channel_affine(Tensor self, Tensor scale, Tensor zero_point, int axis, int quant_min, int quant_max) -> Tensor

    fake_quantize_per_tensor_affine with a scale, float32, and a zero point, int32 or floating point,
    for each index of dimension ``axis``; both (self.size(axis),).
    """

def fake_quantize_per_tensor_affine_cachemask_backward(grad: Tensor, mask: Tensor) -> Tensor:
    """fake_quantize_per_tensor_affine_cachemask_backward(Tensor grad, Tensor mask) -> Tensor

    The gradient of fake_quantize_per_tensor_affine_cachemask: ``grad`` where ``mask`` is true.
    """

def fake_quantize_per_channel_affine_cachemask_backward(grad: Tensor, mask: Tensor) -> Tensor:
    """fake_quantize_per_channel_affine_cachemask_backward(Tensor grad, Tensor mask) -> Tensor

    The gradient of fake_quantize_per_channel_affine_cachemask: ``grad`` where ``mask`` is true.
    """

def _fake_quantize_learnable_per_tensor_affine(
    input: Tensor,
    scale: Tensor,
    zero_point: Tensor,
    quant_min: _int,
    quant_max: _int,
    grad_factor: _float = ...,
) -> Tensor:
    """_fake_quantize_learnable_per_tensor_affine(Tensor self, Tensor scale, Tensor zero_point, int quant_min, int quant_max, float grad_factor=1.0) -> Tensor

    fake_quantize_per_tensor_affine with gradients of ``scale`` and ``zero_point``, float32 (1,), which
    are multiplied by ``grad_factor``.  The zero point is rounded, and clamped to the limits.
    """

def _fake_quantize_learnable_per_channel_affine(
    input: Tensor,
    scale: Tensor,
    zero_point: Tensor,
    axis: _int,
    quant_min: _int,
    quant_max: _int,
    grad_factor: _float = ...,
) -> Tensor:
    """_fake_quantize_learnable_per_channel_affine(Tensor self, Tensor scale, Tensor zero_point, int axis, int quant_min, int quant_max, float grad_factor=1.0) -> Tensor

    _fake_quantize_learnable_per_tensor_affine with a scale and a zero point for each index of
    dimension ``axis``; both float32, (self.size(axis),).
    """

def _fused_moving_avg_obs_fq_helper(
    input: Tensor,
    observer_on: Tensor,
    fake_quant_on: Tensor,
    running_min: Tensor,
    running_max: Tensor,
    scale: Tensor,
    zero_point: Tensor,
    averaging_const: _float,
    quant_min: _int,
    quant_max: _int,
    ch_axis: _int,
    per_row_fake_quant: _bool = ...,
    symmetric_quant: _bool = ...,
) -> __fused_moving_avg_obs_fq_helper_result:
    """_fused_moving_avg_obs_fq_helper(Tensor self, Tensor observer_on, Tensor fake_quant_on, Tensor(a!) running_min, Tensor(b!) running_max, Tensor(c!) scale, Tensor(d!) zero_point, float averaging_const, int quant_min, int quant_max, int ch_axis, bool per_row_fake_quant=False, bool symmetric_quant=False) -> (Tensor output, Tensor mask)

    fused_moving_avg_obs_fake_quant, and a bool tensor: where ``self`` was not clamped.
    """

def fused_moving_avg_obs_fake_quant(
    input: Tensor,
    observer_on: Tensor,
    fake_quant_on: Tensor,
    running_min: Tensor,
    running_max: Tensor,
    scale: Tensor,
    zero_point: Tensor,
    averaging_const: _float,
    quant_min: _int,
    quant_max: _int,
    ch_axis: _int,
    per_row_fake_quant: _bool = ...,
    symmetric_quant: _bool = ...,
) -> Tensor:
    """fused_moving_avg_obs_fake_quant(Tensor self, Tensor observer_on, Tensor fake_quant_on, Tensor(a!) running_min, Tensor(b!) running_max, Tensor(c!) scale, Tensor(d!) zero_point, float averaging_const, int quant_min, int quant_max, int ch_axis, bool per_row_fake_quant=False, bool symmetric_quant=False) -> Tensor

    fake_quantize of ``self``, float32, for the range of numbers seen so far.
    """

def grid_sampler_2d(
    input: Tensor, grid: Tensor, interpolation_mode: _int, padding_mode: _int, align_corners: _bool
) -> Tensor:
    """grid_sampler_2d(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor

    Samples ``input`` (N, C, H, W) at the points of ``grid`` (N, *output sizes, 2),
    whose coordinates are normalized to [-1, 1], x first.
    """

def grid_sampler_2d_backward(
    grad_output: Tensor,
    input: Tensor,
    grid: Tensor,
    interpolation_mode: _int,
    padding_mode: _int,
    align_corners: _bool,
    output_mask: Sequence[_bool] | _bool,
) -> tuple[Tensor, Tensor]:
    """grid_sampler_2d_backward(Tensor grad_output, Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners, bool[2] output_mask) -> (Tensor, Tensor)

    The gradients of grid_sampler_2d with respect to input and grid; None where ``output_mask`` is False.
    """

def grid_sampler_3d(
    input: Tensor, grid: Tensor, interpolation_mode: _int, padding_mode: _int, align_corners: _bool
) -> Tensor:
    """grid_sampler_3d(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor

    Samples ``input`` (N, C, D, H, W) at the points of ``grid`` (N, *output sizes, 3),
    whose coordinates are normalized to [-1, 1], x first.
    """

def grid_sampler_3d_backward(
    grad_output: Tensor,
    input: Tensor,
    grid: Tensor,
    interpolation_mode: _int,
    padding_mode: _int,
    align_corners: _bool,
    output_mask: Sequence[_bool] | _bool,
) -> tuple[Tensor, Tensor]:
    """grid_sampler_3d_backward(Tensor grad_output, Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners, bool[2] output_mask) -> (Tensor, Tensor)

    The gradients of grid_sampler_3d with respect to input and grid; None where ``output_mask`` is False.
    """

def grid_sampler(
    input: Tensor, grid: Tensor, interpolation_mode: _int, padding_mode: _int, align_corners: _bool
) -> Tensor:
    """grid_sampler(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor

    Samples ``input`` at the points of ``grid``: grid_sampler_2d for four dimensions, grid_sampler_3d for five.
    """

def affine_grid_generator(theta: Tensor, size: Sequence[_int], align_corners: _bool) -> Tensor:
    """affine_grid_generator(Tensor theta, SymInt[] size, bool align_corners) -> Tensor

    Returns the grid for grid_sampler of a batch of affine matrices ``theta``: (N, 2, 3) and size
    (N, C, H, W) give (N, H, W, 2), and (N, 3, 4) with (N, C, D, H, W) give (N, D, H, W, 3).
    """

def affine_grid_generator_backward(grad: Tensor, size: Sequence[_int], align_corners: _bool) -> Tensor:
    """affine_grid_generator_backward(Tensor grad, SymInt[] size, bool align_corners) -> Tensor

    The gradient of affine_grid_generator.
    """

def poisson_nll_loss(
    input: Tensor, target: Tensor, log_input: _bool, full: _bool, eps: _float, reduction: _int
) -> Tensor:
    """poisson_nll_loss(Tensor input, Tensor target, bool log_input, bool full, float eps, int reduction) -> Tensor

    Returns the negative log likelihood of a Poisson distribution, up to a constant.
    """

def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = ...,
    pos_weight: Tensor | None = ...,
    reduction: _int = ...,
) -> Tensor:
    """binary_cross_entropy_with_logits(Tensor self, Tensor target, Tensor? weight=None, Tensor? pos_weight=None, int reduction=Mean) -> Tensor

    binary_cross_entropy of ``sigmoid(self)``, without overflow.
    """

def kl_div(input: Tensor, target: Tensor, reduction: _int = ..., *, log_target: _bool = ...) -> Tensor:
    """kl_div(Tensor self, Tensor target, int reduction=Mean, *, bool log_target=False) -> Tensor

    The Kullback-Leibler divergence ``target * (log(target) - self)``; ``self`` contains
    log-probabilities.
    """

def hinge_embedding_loss(
    input: Tensor, target: Tensor, margin: _float = ..., reduction: _int = ...
) -> Tensor:
    """hinge_embedding_loss(Tensor self, Tensor target, float margin=1.0, int reduction=Mean) -> Tensor

    ``self`` if the target is 1, ``max(0, margin - self)`` if it is -1.
    """

def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: _float = ..., reduction: _int = ...
) -> Tensor:
    """margin_ranking_loss(Tensor input1, Tensor input2, Tensor target, float margin=0.0, int reduction=Mean) -> Tensor

    ``max(0, margin - target * (input1 - input2))``: for target 1, ``input1`` should be the larger.
    """

def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: _float = ..., reduction: _int = ...
) -> Tensor:
    """cosine_embedding_loss(Tensor input1, Tensor input2, Tensor target, float margin=0.0, int reduction=Mean) -> Tensor

    ``1 - c`` if the target is 1, ``max(0, c - margin)`` if it is -1, where c is the cosine similarity
    of each pair of vectors.
    """

def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: _float = ...,
    p: _float = ...,
    eps: _float = ...,
    swap: _bool = ...,
    reduction: _int = ...,
) -> Tensor:
    """triplet_margin_loss(Tensor anchor, Tensor positive, Tensor negative, float margin=1.0, float p=2, float eps=1e-06, bool swap=False, int reduction=Mean) -> Tensor

    ``max(0, margin + d(anchor, positive) - d(anchor, negative))``, where d is pairwise_distance.
    """

def native_layer_norm(
    input: Tensor, normalized_shape: Sequence[_int], weight: Tensor | None, bias: Tensor | None, eps: _float
) -> tuple[Tensor, Tensor, Tensor]:
    """native_layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight, Tensor? bias, float eps) -> (Tensor, Tensor, Tensor)

    Normalizes ``input`` over its last dimensions, whose sizes are ``normalized_shape``; also returns
    the mean and 1 / sqrt(variance + eps), with size 1 in these dimensions.
    """

def native_layer_norm_backward(
    grad_out: Tensor,
    input: Tensor,
    normalized_shape: Sequence[_int],
    mean: Tensor,
    rstd: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    output_mask: Sequence[_bool] | _bool,
) -> tuple[Tensor, Tensor, Tensor]:
    """native_layer_norm_backward(Tensor grad_out, Tensor input, SymInt[] normalized_shape, Tensor mean, Tensor rstd, Tensor? weight, Tensor? bias, bool[3] output_mask) -> (Tensor, Tensor, Tensor)

    The gradients of native_layer_norm with respect to input, weight and bias; None where ``output_mask`` is False.
    """

def layer_norm(
    input: Tensor,
    normalized_shape: Sequence[_int],
    weight: Tensor | None = ...,
    bias: Tensor | None = ...,
    eps: _float = ...,
    cudnn_enable: _bool = ...,
) -> Tensor:
    """layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float eps=1e-05, bool cudnn_enable=True) -> Tensor

    Normalizes ``input`` over its last dimensions, whose sizes are ``normalized_shape``.
    """

def rms_norm(
    input: Tensor, normalized_shape: Sequence[_int], weight: Tensor | None = ..., eps: _float | None = ...
) -> Tensor:
    """rms_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, float? eps=None) -> Tensor

    Computes ``input / sqrt(mean(input ** 2) + eps) * weight``, with the mean over the last dimensions,
    whose sizes are ``normalized_shape``.
    """

def native_group_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    N: _int,
    C: _int,
    HxW: _int,
    group: _int,
    eps: _float,
) -> tuple[Tensor, Tensor, Tensor]:
    """native_group_norm(Tensor input, Tensor? weight, Tensor? bias, SymInt N, SymInt C, SymInt HxW, int group, float eps) -> (Tensor, Tensor, Tensor)

    Normalizes each of ``group`` groups of channels of each batch entry of (N, C, HxW); also returns
    the mean and 1 / sqrt(variance + eps) of each group, (N, group).
    """

def native_group_norm_backward(
    grad_out: Tensor,
    input: Tensor,
    mean: Tensor,
    rstd: Tensor,
    weight: Tensor | None,
    N: _int,
    C: _int,
    HxW: _int,
    group: _int,
    output_mask: Sequence[_bool] | _bool,
) -> tuple[Tensor, Tensor, Tensor]:
    """native_group_norm_backward(Tensor grad_out, Tensor input, Tensor mean, Tensor rstd, Tensor? weight, SymInt N, SymInt C, SymInt HxW, int group, bool[3] output_mask) -> (Tensor, Tensor, Tensor)

    The gradients of native_group_norm with respect to input, weight and bias; None where ``output_mask`` is False.
    """

def group_norm(
    input: Tensor,
    num_groups: _int,
    weight: Tensor | None = ...,
    bias: Tensor | None = ...,
    eps: _float = ...,
    cudnn_enabled: _bool = ...,
) -> Tensor:
    """group_norm(Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, float eps=1e-05, bool cudnn_enabled=True) -> Tensor

    Normalizes each of ``num_groups`` groups of channels of each batch entry of (N, C, *) by its own
    mean and variance.  Raises RuntimeError if ``num_groups`` does not divide the number of channels.
    """

def constant_pad_nd(input: Tensor, pad: Sequence[_int], value: _Scalar = ...) -> Tensor:
    """constant_pad_nd(Tensor self, SymInt[] pad, Scalar value=0) -> Tensor

    Pads the last dimensions of ``self`` with ``value``.
    """

def relu(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """relu(Tensor self) -> Tensor

    Computes ``max(x, 0)``, with the sizes and dtype of x.  Its gradient at 0 is 0.
    """

def relu_(input: Tensor) -> Tensor:
    """relu_(Tensor(a!) self) -> Tensor(a!)

    In-place version of relu.
    """

def threshold_backward(grad_output: Tensor, input: Tensor, threshold: _Scalar) -> Tensor:
    """threshold_backward(Tensor grad_output, Tensor self, Scalar threshold) -> Tensor

    The gradient of relu and threshold: 0 where ``self <= threshold``, else ``grad_output``.
    """

def threshold(input: Tensor, threshold: _Scalar, value: _Scalar, *, out: Tensor | None = ...) -> Tensor:
    """threshold(Tensor self, Scalar threshold, Scalar value) -> Tensor

    Returns ``value`` where x is at most ``threshold``, else x; NaN stays NaN.
    """

def threshold_(input: Tensor, threshold: _Scalar, value: _Scalar) -> Tensor:
    """threshold_(Tensor(a!) self, Scalar threshold, Scalar value) -> Tensor(a!)

    In-place version of threshold.
    """

def hardshrink(input: Tensor, lambd: _Scalar = ..., *, out: Tensor | None = ...) -> Tensor:
    """hardshrink(Tensor self, Scalar lambd=0.5) -> Tensor

    Returns 0 where x is in [-lambd, lambd], else x.
    """

def hardshrink_backward(grad_out: Tensor, input: Tensor, lambd: _Scalar) -> Tensor:
    """hardshrink_backward(Tensor grad_out, Tensor self, Scalar lambd) -> Tensor

    The gradient of hardshrink: 0 where ``self`` is in [-lambd, lambd], else ``grad_out``.
    """

def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """prelu(Tensor self, Tensor weight) -> Tensor

    Returns x where it is positive, else ``weight * x`` (He et al., 2015).
    """

def pixel_shuffle(input: Tensor, upscale_factor: _int) -> Tensor:
    """pixel_shuffle(Tensor self, int upscale_factor) -> Tensor

    Rearranges (*, C * r * r, H, W) to (*, C, H * r, W * r), where r is ``upscale_factor``.
    """

def pixel_unshuffle(input: Tensor, downscale_factor: _int) -> Tensor:
    """pixel_unshuffle(Tensor self, int downscale_factor) -> Tensor

    Rearranges (*, C, H * r, W * r) to (*, C * r * r, H, W), where r is ``downscale_factor``.
    """

def channel_shuffle(input: Tensor, groups: _int) -> Tensor:
    """channel_shuffle(Tensor self, SymInt groups) -> Tensor

    Divides the channels of (N, C, *) into ``groups`` groups and interleaves them.
    """

def native_channel_shuffle(input: Tensor, groups: _int) -> Tensor:
    """native_channel_shuffle(Tensor self, SymInt groups) -> Tensor

    Equivalent to channel_shuffle: interleaves ``groups`` groups of the channels of (N, C, *).
    """

def max_pool2d(
    input: Tensor,
    kernel_size: Sequence[_int] | _int,
    stride: Sequence[_int] | _int = ...,
    padding: Sequence[_int] | _int = ...,
    dilation: Sequence[_int] | _int = ...,
    ceil_mode: _bool = ...,
) -> Tensor:
    """max_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, bool ceil_mode=False) -> Tensor

    Returns the maximum of each window of ([N,] C, *spatial); ``stride`` defaults to ``kernel_size``.
    """

def max_pool3d(
    input: Tensor,
    kernel_size: Sequence[_int] | _int,
    stride: Sequence[_int] | _int = ...,
    padding: Sequence[_int] | _int = ...,
    dilation: Sequence[_int] | _int = ...,
    ceil_mode: _bool = ...,
) -> Tensor:
    """max_pool3d(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, int[3] dilation=1, bool ceil_mode=False) -> Tensor

    Returns the maximum of each window of ([N,] C, *spatial); ``stride`` defaults to ``kernel_size``.
    """

def max_pool1d_with_indices(
    input: Tensor,
    kernel_size: Sequence[_int] | _int,
    stride: Sequence[_int] | _int = ...,
    padding: Sequence[_int] | _int = ...,
    dilation: Sequence[_int] | _int = ...,
    ceil_mode: _bool = ...,
) -> tuple[Tensor, Tensor]:
    """max_pool1d_with_indices(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=0, int[1] dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)

    Returns the maximum of each window of ([N,] C, L), and its index (int64).
    """

def max_pool1d(
    input: Tensor,
    kernel_size: Sequence[_int] | _int,
    stride: Sequence[_int] | _int = ...,
    padding: Sequence[_int] | _int = ...,
    dilation: Sequence[_int] | _int = ...,
    ceil_mode: _bool = ...,
) -> Tensor:
    """max_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=0, int[1] dilation=1, bool ceil_mode=False) -> Tensor

    Returns the maximum of each window of ([N,] C, L).
    """

def avg_pool1d(
    input: Tensor,
    kernel_size: Sequence[_int] | _int,
    stride: Sequence[_int] | _int = ...,
    padding: Sequence[_int] | _int = ...,
    ceil_mode: _bool = ...,
    count_include_pad: _bool = ...,
) -> Tensor:
    """avg_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=0, bool ceil_mode=False, bool count_include_pad=True) -> Tensor

    Returns the mean of each window of ([N,] C, L), padded with zeros.
    """

@overload
def lstm(
    input: Tensor,
    hx: Sequence[Tensor],
    params: Sequence[Tensor],
    has_biases: _bool,
    num_layers: _int,
    dropout: _float,
    train: _bool,
    bidirectional: _bool,
    batch_first: _bool,
) -> tuple[Tensor, Tensor, Tensor]:
    """lstm.input(Tensor input, Tensor[] hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor, Tensor)

    Long short-term memory of all layers and directions.
    """

@overload
def lstm(
    data: Tensor,
    batch_sizes: Tensor,
    hx: Sequence[Tensor],
    params: Sequence[Tensor],
    has_biases: _bool,
    num_layers: _int,
    dropout: _float,
    train: _bool,
    bidirectional: _bool,
) -> tuple[Tensor, Tensor, Tensor]:
    """lstm.data(Tensor data, Tensor batch_sizes, Tensor[] hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional) -> (Tensor, Tensor, Tensor)

    Long short-term memory of all layers and directions.
    """

@overload
def gru(
    input: Tensor,
    hx: Tensor,
    params: Sequence[Tensor],
    has_biases: _bool,
    num_layers: _int,
    dropout: _float,
    train: _bool,
    bidirectional: _bool,
    batch_first: _bool,
) -> tuple[Tensor, Tensor]:
    """gru.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor)

    Gated recurrent units of all layers and directions.
    """

@overload
def gru(
    data: Tensor,
    batch_sizes: Tensor,
    hx: Tensor,
    params: Sequence[Tensor],
    has_biases: _bool,
    num_layers: _int,
    dropout: _float,
    train: _bool,
    bidirectional: _bool,
) -> tuple[Tensor, Tensor]:
    """gru.data(Tensor data, Tensor batch_sizes, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional) -> (Tensor, Tensor)

    Gated recurrent units of all layers and directions.
    """

@overload
def rnn_tanh(
    input: Tensor,
    hx: Tensor,
    params: Sequence[Tensor],
    has_biases: _bool,
    num_layers: _int,
    dropout: _float,
    train: _bool,
    bidirectional: _bool,
    batch_first: _bool,
) -> tuple[Tensor, Tensor]:
    """rnn_tanh.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor)

    The Elman network with tanh of all layers and directions.
    """

@overload
def rnn_tanh(
    data: Tensor,
    batch_sizes: Tensor,
    hx: Tensor,
    params: Sequence[Tensor],
    has_biases: _bool,
    num_layers: _int,
    dropout: _float,
    train: _bool,
    bidirectional: _bool,
) -> tuple[Tensor, Tensor]:
    """rnn_tanh.data(Tensor data, Tensor batch_sizes, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional) -> (Tensor, Tensor)

    The Elman network with tanh of all layers and directions.
    """

@overload
def rnn_relu(
    input: Tensor,
    hx: Tensor,
    params: Sequence[Tensor],
    has_biases: _bool,
    num_layers: _int,
    dropout: _float,
    train: _bool,
    bidirectional: _bool,
    batch_first: _bool,
) -> tuple[Tensor, Tensor]:
    """rnn_relu.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor)

    The Elman network with relu of all layers and directions.
    """

@overload
def rnn_relu(
    data: Tensor,
    batch_sizes: Tensor,
    hx: Tensor,
    params: Sequence[Tensor],
    has_biases: _bool,
    num_layers: _int,
    dropout: _float,
    train: _bool,
    bidirectional: _bool,
) -> tuple[Tensor, Tensor]:
    """rnn_relu.data(Tensor data, Tensor batch_sizes, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional) -> (Tensor, Tensor)

    The Elman network with relu of all layers and directions.
    """

def lstm_cell(
    input: Tensor,
    hx: Sequence[Tensor],
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None = ...,
    b_hh: Tensor | None = ...,
) -> tuple[Tensor, Tensor]:
    """lstm_cell(Tensor input, Tensor[] hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> (Tensor, Tensor)

    One time step of long short-term memory, from ``input`` (N, features) and the state and the cell ``hx``, each (N, hidden size).
    """

def gru_cell(
    input: Tensor,
    hx: Tensor,
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None = ...,
    b_hh: Tensor | None = ...,
) -> Tensor:
    """gru_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor

    One time step of gated recurrent units, from ``input`` (N, features) and the state ``hx`` (N, hidden size).
    """

def rnn_tanh_cell(
    input: Tensor,
    hx: Tensor,
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None = ...,
    b_hh: Tensor | None = ...,
) -> Tensor:
    """rnn_tanh_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor

    One time step of the Elman network with tanh, from ``input`` (N, features) and the state ``hx`` (N, hidden size).
    """

def rnn_relu_cell(
    input: Tensor,
    hx: Tensor,
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None = ...,
    b_hh: Tensor | None = ...,
) -> Tensor:
    """rnn_relu_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor

    One time step of the Elman network with relu, from ``input`` (N, features) and the state ``hx`` (N, hidden size).
    """

def rrelu(
    input: Tensor,
    lower: _Scalar = ...,
    upper: _Scalar = ...,
    training: _bool = ...,
    generator: Generator | None = ...,
) -> Tensor:
    """rrelu(Tensor self, Scalar lower=0.125, Scalar upper=0.3333333333333333, bool training=False, Generator? generator=None) -> Tensor

    ``self`` if positive, otherwise ``slope * self``.
    """

def rrelu_(
    input: Tensor,
    lower: _Scalar = ...,
    upper: _Scalar = ...,
    training: _bool = ...,
    generator: Generator | None = ...,
) -> Tensor:
    """rrelu_(Tensor(a!) self, Scalar lower=0.125, Scalar upper=0.3333333333333333, bool training=False, Generator? generator=None) -> Tensor(a!)

    In-place version of rrelu.
    """

def softmax(input: Tensor, dim: _int, dtype: _dtype | None = ..., *, out: Tensor | None = ...) -> Tensor:
    """softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor

    ``exp(x)`` divided by its sum along ``dim``.  ``dtype`` converts the input first.
    """

def log_softmax(input: Tensor, dim: _int, dtype: _dtype | None = ..., *, out: Tensor | None = ...) -> Tensor:
    """log_softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor

    The logarithm of softmax along ``dim``.  ``dtype`` converts the input first.
    """

def _foreach_abs(input: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """_foreach_abs(Tensor[] self) -> Tensor[]

    Applies ``abs`` to each tensor of a list; the results are a tuple.
    """

def _foreach_abs_(input: Sequence[Tensor]) -> None:
    """_foreach_abs_(Tensor(a!)[] self) -> ()

    Applies ``abs`` to each tensor of a list in place.
    """

def _foreach_acos(input: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """_foreach_acos(Tensor[] self) -> Tensor[]

    Applies ``acos`` to each tensor of a list; the results are a tuple.
    """

def _foreach_acos_(input: Sequence[Tensor]) -> None:
    """_foreach_acos_(Tensor(a!)[] self) -> ()

    Applies ``acos`` to each tensor of a list in place.
    """

def _foreach_asin(input: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """_foreach_asin(Tensor[] self) -> Tensor[]

    Applies ``asin`` to each tensor of a list; the results are a tuple.
    """

def _foreach_asin_(input: Sequence[Tensor]) -> None:
    """_foreach_asin_(Tensor(a!)[] self) -> ()

    Applies ``asin`` to each tensor of a list in place.
    """

def _foreach_atan(input: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """_foreach_atan(Tensor[] self) -> Tensor[]

    Applies ``atan`` to each tensor of a list; the results are a tuple.
    """

def _foreach_atan_(input: Sequence[Tensor]) -> None:
    """_foreach_atan_(Tensor(a!)[] self) -> ()

    Applies ``atan`` to each tensor of a list in place.
    """

def _foreach_ceil(input: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """_foreach_ceil(Tensor[] self) -> Tensor[]

    Applies ``ceil`` to each tensor of a list; the results are a tuple.
    """

def _foreach_ceil_(input: Sequence[Tensor]) -> None:
    """_foreach_ceil_(Tensor(a!)[] self) -> ()

    Applies ``ceil`` to each tensor of a list in place.
    """

def _foreach_cos(input: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """_foreach_cos(Tensor[] self) -> Tensor[]

    Applies ``cos`` to each tensor of a list; the results are a tuple.
    """

def _foreach_cos_(input: Sequence[Tensor]) -> None:
    """_foreach_cos_(Tensor(a!)[] self) -> ()

    Applies ``cos`` to each tensor of a list in place.
    """

def _foreach_cosh(input: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """_foreach_cosh(Tensor[] self) -> Tensor[]

    Applies ``cosh`` to each tensor of a list; the results are a tuple.
    """

def _foreach_cosh_(input: Sequence[Tensor]) -> None:
    """_foreach_cosh_(Tensor(a!)[] self) -> ()

    Applies ``cosh`` to each tensor of a list in place.
    """

def _foreach_erf(input: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """_foreach_erf(Tensor[] self) -> Tensor[]

    Applies ``erf`` to each tensor of a list; the results are a tuple.
    """

def _foreach_erf_(input: Sequence[Tensor]) -> None:
    """_foreach_erf_(Tensor(a!)[] self) -> ()

    Applies ``erf`` to each tensor of a list in place.
    """

def _foreach_erfc(input: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """_foreach_erfc(Tensor[] self) -> Tensor[]

    Applies ``erfc`` to each tensor of a list; the results are a tuple.
    """

def _foreach_erfc_(input: Sequence[Tensor]) -> None:
    """_foreach_erfc_(Tensor(a!)[] self) -> ()

    Applies ``erfc`` to each tensor of a list in place.
    """

def _foreach_exp(input: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """_foreach_exp(Tensor[] self) -> Tensor[]

    Applies ``exp`` to each tensor of a list; the results are a tuple.
    """

def _foreach_exp_(input: Sequence[Tensor]) -> None:
    """_foreach_exp_(Tensor(a!)[] self) -> ()

    Applies ``exp`` to each tensor of a list in place.
    """

def _foreach_expm1(input: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """_foreach_expm1(Tensor[] self) -> Tensor[]

    Applies ``expm1`` to each tensor of a list; the results are a tuple.
    """

def _foreach_expm1_(input: Sequence[Tensor]) -> None:
    """_foreach_expm1_(Tensor(a!)[] self) -> ()

    Applies ``expm1`` to each tensor of a list in place.
    """

def _foreach_floor(input: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """_foreach_floor(Tensor[] self) -> Tensor[]

    Applies ``floor`` to each tensor of a list; the results are a tuple.
    """

def _foreach_floor_(input: Sequence[Tensor]) -> None:
    """_foreach_floor_(Tensor(a!)[] self) -> ()

    Applies ``floor`` to each tensor of a list in place.
    """

def _foreach_frac(input: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """_foreach_frac(Tensor[] self) -> Tensor[]

    Applies ``frac`` to each tensor of a list; the results are a tuple.
    """

def _foreach_frac_(input: Sequence[Tensor]) -> None:
    """_foreach_frac_(Tensor(a!)[] self) -> ()

    Applies ``frac`` to each tensor of a list in place.
    """

def _foreach_lgamma(input: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """_foreach_lgamma(Tensor[] self) -> Tensor[]

    Applies ``lgamma`` to each tensor of a list; the results are a tuple.
    """

def _foreach_lgamma_(input: Sequence[Tensor]) -> None:
    """_foreach_lgamma_(Tensor(a!)[] self) -> ()

    Applies ``lgamma`` to each tensor of a list in place.
    """

def _foreach_log(input: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """_foreach_log(Tensor[] self) -> Tensor[]

    Applies ``log`` to each tensor of a list; the results are a tuple.
    """

def _foreach_log_(input: Sequence[Tensor]) -> None:
    """_foreach_log_(Tensor(a!)[] self) -> ()

    Applies ``log`` to each tensor of a list in place.
    """

def _foreach_log10(input: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """_foreach_log10(Tensor[] self) -> Tensor[]

    Applies ``log10`` to each tensor of a list; the results are a tuple.
    """

def _foreach_log10_(input: Sequence[Tensor]) -> None:
    """_foreach_log10_(Tensor(a!)[] self) -> ()

    Applies ``log10`` to each tensor of a list in place.
    """

def _foreach_log1p(input: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """_foreach_log1p(Tensor[] self) -> Tensor[]

    Applies ``log1p`` to each tensor of a list; the results are a tuple.
    """

def _foreach_log1p_(input: Sequence[Tensor]) -> None:
    """_foreach_log1p_(Tensor(a!)[] self) -> ()

    Applies ``log1p`` to each tensor of a list in place.
    """

def _foreach_log2(input: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """_foreach_log2(Tensor[] self) -> Tensor[]

    Applies ``log2`` to each tensor of a list; the results are a tuple.
    """

def _foreach_log2_(input: Sequence[Tensor]) -> None:
    """_foreach_log2_(Tensor(a!)[] self) -> ()

    Applies ``log2`` to each tensor of a list in place.
    """

def _foreach_neg(input: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """_foreach_neg(Tensor[] self) -> Tensor[]

    Applies ``neg`` to each tensor of a list; the results are a tuple.
    """

def _foreach_neg_(input: Sequence[Tensor]) -> None:
    """_foreach_neg_(Tensor(a!)[] self) -> ()

    Applies ``neg`` to each tensor of a list in place.
    """

def _foreach_reciprocal(input: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """_foreach_reciprocal(Tensor[] self) -> Tensor[]

    Applies ``reciprocal`` to each tensor of a list; the results are a tuple.
    """

def _foreach_reciprocal_(input: Sequence[Tensor]) -> None:
    """_foreach_reciprocal_(Tensor(a!)[] self) -> ()

    Applies ``reciprocal`` to each tensor of a list in place.
    """

def _foreach_round(input: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """_foreach_round(Tensor[] self) -> Tensor[]

    Applies ``round`` to each tensor of a list; the results are a tuple.
    """

def _foreach_round_(input: Sequence[Tensor]) -> None:
    """_foreach_round_(Tensor(a!)[] self) -> ()

    Applies ``round`` to each tensor of a list in place.
    """

def _foreach_rsqrt(input: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """_foreach_rsqrt(Tensor[] self) -> Tensor[]

    Applies ``rsqrt`` to each tensor of a list; the results are a tuple.
    """

def _foreach_rsqrt_(input: Sequence[Tensor]) -> None:
    """_foreach_rsqrt_(Tensor(a!)[] self) -> ()

    Applies ``rsqrt`` to each tensor of a list in place.
    """

def _foreach_sigmoid(input: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """_foreach_sigmoid(Tensor[] self) -> Tensor[]

    Applies ``sigmoid`` to each tensor of a list; the results are a tuple.
    """

def _foreach_sigmoid_(input: Sequence[Tensor]) -> None:
    """_foreach_sigmoid_(Tensor(a!)[] self) -> ()

    Applies ``sigmoid`` to each tensor of a list in place.
    """

def _foreach_sign(input: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """_foreach_sign(Tensor[] self) -> Tensor[]

    Applies ``sign`` to each tensor of a list; the results are a tuple.
    """

def _foreach_sign_(input: Sequence[Tensor]) -> None:
    """_foreach_sign_(Tensor(a!)[] self) -> ()

    Applies ``sign`` to each tensor of a list in place.
    """

def _foreach_sin(input: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """_foreach_sin(Tensor[] self) -> Tensor[]

    Applies ``sin`` to each tensor of a list; the results are a tuple.
    """

def _foreach_sin_(input: Sequence[Tensor]) -> None:
    """_foreach_sin_(Tensor(a!)[] self) -> ()

    Applies ``sin`` to each tensor of a list in place.
    """

def _foreach_sinh(input: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """_foreach_sinh(Tensor[] self) -> Tensor[]

    Applies ``sinh`` to each tensor of a list; the results are a tuple.
    """

def _foreach_sinh_(input: Sequence[Tensor]) -> None:
    """_foreach_sinh_(Tensor(a!)[] self) -> ()

    Applies ``sinh`` to each tensor of a list in place.
    """

def _foreach_sqrt(input: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """_foreach_sqrt(Tensor[] self) -> Tensor[]

    Applies ``sqrt`` to each tensor of a list; the results are a tuple.
    """

def _foreach_sqrt_(input: Sequence[Tensor]) -> None:
    """_foreach_sqrt_(Tensor(a!)[] self) -> ()

    Applies ``sqrt`` to each tensor of a list in place.
    """

def _foreach_tan(input: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """_foreach_tan(Tensor[] self) -> Tensor[]

    Applies ``tan`` to each tensor of a list; the results are a tuple.
    """

def _foreach_tan_(input: Sequence[Tensor]) -> None:
    """_foreach_tan_(Tensor(a!)[] self) -> ()

    Applies ``tan`` to each tensor of a list in place.
    """

def _foreach_tanh(input: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """_foreach_tanh(Tensor[] self) -> Tensor[]

    Applies ``tanh`` to each tensor of a list; the results are a tuple.
    """

def _foreach_tanh_(input: Sequence[Tensor]) -> None:
    """_foreach_tanh_(Tensor(a!)[] self) -> ()

    Applies ``tanh`` to each tensor of a list in place.
    """

def _foreach_trunc(input: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """_foreach_trunc(Tensor[] self) -> Tensor[]

    Applies ``trunc`` to each tensor of a list; the results are a tuple.
    """

def _foreach_trunc_(input: Sequence[Tensor]) -> None:
    """_foreach_trunc_(Tensor(a!)[] self) -> ()

    Applies ``trunc`` to each tensor of a list in place.
    """

@overload
def _foreach_add(
    input: Sequence[Tensor], other: Sequence[Tensor], *, alpha: _Scalar = ...
) -> tuple[Tensor, ...]:
    """_foreach_add.List(Tensor[] self, Tensor[] other, *, Scalar alpha=1) -> Tensor[]

    Applies ``add`` to each tensor of a list; the results are a tuple.
    """

@overload
def _foreach_add(input: Sequence[Tensor], other: Tensor, *, alpha: _Scalar = ...) -> tuple[Tensor, ...]:
    """_foreach_add.Tensor(Tensor[] self, Tensor other, *, Scalar alpha=1) -> Tensor[]

    Applies ``add`` to each tensor of a list; the results are a tuple.
    """

@overload
def _foreach_add(input: Sequence[Tensor], scalars: Sequence[_Scalar]) -> tuple[Tensor, ...]:
    """_foreach_add.ScalarList(Tensor[] self, Scalar[] scalars) -> Tensor[]

    Applies ``add`` to each tensor of a list; the results are a tuple.
    """

@overload
def _foreach_add(input: Sequence[Tensor], scalar: _Scalar) -> tuple[Tensor, ...]:
    """_foreach_add.Scalar(Tensor[] self, Scalar scalar) -> Tensor[]

    Applies ``add`` to each tensor of a list; the results are a tuple.
    """

@overload
def _foreach_add_(input: Sequence[Tensor], other: Sequence[Tensor], *, alpha: _Scalar = ...) -> None:
    """_foreach_add_.List(Tensor(a!)[] self, Tensor[] other, *, Scalar alpha=1) -> ()

    Applies ``add`` to each tensor of a list in place.
    """

@overload
def _foreach_add_(input: Sequence[Tensor], other: Tensor, *, alpha: _Scalar = ...) -> None:
    """_foreach_add_.Tensor(Tensor(a!)[] self, Tensor other, *, Scalar alpha=1) -> ()

    Applies ``add`` to each tensor of a list in place.
    """

@overload
def _foreach_add_(input: Sequence[Tensor], scalars: Sequence[_Scalar]) -> None:
    """_foreach_add_.ScalarList(Tensor(a!)[] self, Scalar[] scalars) -> ()

    Applies ``add`` to each tensor of a list in place.
    """

@overload
def _foreach_add_(input: Sequence[Tensor], scalar: _Scalar) -> None:
    """_foreach_add_.Scalar(Tensor(a!)[] self, Scalar scalar) -> ()

    Applies ``add`` to each tensor of a list in place.
    """

@overload
def _foreach_sub(
    input: Sequence[Tensor], other: Sequence[Tensor], *, alpha: _Scalar = ...
) -> tuple[Tensor, ...]:
    """_foreach_sub.List(Tensor[] self, Tensor[] other, *, Scalar alpha=1) -> Tensor[]

    Applies ``sub`` to each tensor of a list; the results are a tuple.
    """

@overload
def _foreach_sub(input: Sequence[Tensor], scalars: Sequence[_Scalar]) -> tuple[Tensor, ...]:
    """_foreach_sub.ScalarList(Tensor[] self, Scalar[] scalars) -> Tensor[]

    Applies ``sub`` to each tensor of a list; the results are a tuple.
    """

@overload
def _foreach_sub(input: Sequence[Tensor], scalar: _Scalar) -> tuple[Tensor, ...]:
    """_foreach_sub.Scalar(Tensor[] self, Scalar scalar) -> Tensor[]

    Applies ``sub`` to each tensor of a list; the results are a tuple.
    """

@overload
def _foreach_sub_(input: Sequence[Tensor], other: Sequence[Tensor], *, alpha: _Scalar = ...) -> None:
    """_foreach_sub_.List(Tensor(a!)[] self, Tensor[] other, *, Scalar alpha=1) -> ()

    Applies ``sub`` to each tensor of a list in place.
    """

@overload
def _foreach_sub_(input: Sequence[Tensor], scalars: Sequence[_Scalar]) -> None:
    """_foreach_sub_.ScalarList(Tensor(a!)[] self, Scalar[] scalars) -> ()

    Applies ``sub`` to each tensor of a list in place.
    """

@overload
def _foreach_sub_(input: Sequence[Tensor], scalar: _Scalar) -> None:
    """_foreach_sub_.Scalar(Tensor(a!)[] self, Scalar scalar) -> ()

    Applies ``sub`` to each tensor of a list in place.
    """

@overload
def _foreach_mul(input: Sequence[Tensor], other: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """_foreach_mul.List(Tensor[] self, Tensor[] other) -> Tensor[]

    Applies ``mul`` to each tensor of a list; the results are a tuple.
    """

@overload
def _foreach_mul(input: Sequence[Tensor], other: Tensor) -> tuple[Tensor, ...]:
    """_foreach_mul.Tensor(Tensor[] self, Tensor other) -> Tensor[]

    Applies ``mul`` to each tensor of a list; the results are a tuple.
    """

@overload
def _foreach_mul(input: Sequence[Tensor], scalars: Sequence[_Scalar]) -> tuple[Tensor, ...]:
    """_foreach_mul.ScalarList(Tensor[] self, Scalar[] scalars) -> Tensor[]

    Applies ``mul`` to each tensor of a list; the results are a tuple.
    """

@overload
def _foreach_mul(input: Sequence[Tensor], scalar: _Scalar) -> tuple[Tensor, ...]:
    """_foreach_mul.Scalar(Tensor[] self, Scalar scalar) -> Tensor[]

    Applies ``mul`` to each tensor of a list; the results are a tuple.
    """

@overload
def _foreach_mul_(input: Sequence[Tensor], other: Sequence[Tensor]) -> None:
    """_foreach_mul_.List(Tensor(a!)[] self, Tensor[] other) -> ()

    Applies ``mul`` to each tensor of a list in place.
    """

@overload
def _foreach_mul_(input: Sequence[Tensor], other: Tensor) -> None:
    """_foreach_mul_.Tensor(Tensor(a!)[] self, Tensor other) -> ()

    Applies ``mul`` to each tensor of a list in place.
    """

@overload
def _foreach_mul_(input: Sequence[Tensor], scalars: Sequence[_Scalar]) -> None:
    """_foreach_mul_.ScalarList(Tensor(a!)[] self, Scalar[] scalars) -> ()

    Applies ``mul`` to each tensor of a list in place.
    """

@overload
def _foreach_mul_(input: Sequence[Tensor], scalar: _Scalar) -> None:
    """_foreach_mul_.Scalar(Tensor(a!)[] self, Scalar scalar) -> ()

    Applies ``mul`` to each tensor of a list in place.
    """

@overload
def _foreach_div(input: Sequence[Tensor], other: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """_foreach_div.List(Tensor[] self, Tensor[] other) -> Tensor[]

    Applies ``div`` to each tensor of a list; the results are a tuple.
    """

@overload
def _foreach_div(input: Sequence[Tensor], other: Tensor) -> tuple[Tensor, ...]:
    """_foreach_div.Tensor(Tensor[] self, Tensor other) -> Tensor[]

    Applies ``div`` to each tensor of a list; the results are a tuple.
    """

@overload
def _foreach_div(input: Sequence[Tensor], scalars: Sequence[_Scalar]) -> tuple[Tensor, ...]:
    """_foreach_div.ScalarList(Tensor[] self, Scalar[] scalars) -> Tensor[]

    Applies ``div`` to each tensor of a list; the results are a tuple.
    """

@overload
def _foreach_div(input: Sequence[Tensor], scalar: _Scalar) -> tuple[Tensor, ...]:
    """_foreach_div.Scalar(Tensor[] self, Scalar scalar) -> Tensor[]

    Applies ``div`` to each tensor of a list; the results are a tuple.
    """

@overload
def _foreach_div_(input: Sequence[Tensor], other: Sequence[Tensor]) -> None:
    """_foreach_div_.List(Tensor(a!)[] self, Tensor[] other) -> ()

    Applies ``div`` to each tensor of a list in place.
    """

@overload
def _foreach_div_(input: Sequence[Tensor], other: Tensor) -> None:
    """_foreach_div_.Tensor(Tensor(a!)[] self, Tensor other) -> ()

    Applies ``div`` to each tensor of a list in place.
    """

@overload
def _foreach_div_(input: Sequence[Tensor], scalars: Sequence[_Scalar]) -> None:
    """_foreach_div_.ScalarList(Tensor(a!)[] self, Scalar[] scalars) -> ()

    Applies ``div`` to each tensor of a list in place.
    """

@overload
def _foreach_div_(input: Sequence[Tensor], scalar: _Scalar) -> None:
    """_foreach_div_.Scalar(Tensor(a!)[] self, Scalar scalar) -> ()

    Applies ``div`` to each tensor of a list in place.
    """

@overload
def _foreach_clamp_min(input: Sequence[Tensor], other: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """_foreach_clamp_min.List(Tensor[] self, Tensor[] other) -> Tensor[]

    Applies ``clamp_min`` to each tensor of a list; the results are a tuple.
    """

@overload
def _foreach_clamp_min(input: Sequence[Tensor], scalars: Sequence[_Scalar]) -> tuple[Tensor, ...]:
    """_foreach_clamp_min.ScalarList(Tensor[] self, Scalar[] scalars) -> Tensor[]

    Applies ``clamp`` to each tensor of a list; the results are a tuple.
    """

@overload
def _foreach_clamp_min(input: Sequence[Tensor], scalar: _Scalar) -> tuple[Tensor, ...]:
    """_foreach_clamp_min.Scalar(Tensor[] self, Scalar scalar) -> Tensor[]

    Applies ``clamp`` to each tensor of a list; the results are a tuple.
    """

@overload
def _foreach_clamp_min_(input: Sequence[Tensor], other: Sequence[Tensor]) -> None:
    """_foreach_clamp_min_.List(Tensor(a!)[] self, Tensor[] other) -> ()

    Applies ``clamp_min`` to each tensor of a list in place.
    """

@overload
def _foreach_clamp_min_(input: Sequence[Tensor], scalars: Sequence[_Scalar]) -> None:
    """_foreach_clamp_min_.ScalarList(Tensor(a!)[] self, Scalar[] scalars) -> ()

    Applies ``clamp`` to each tensor of a list in place.
    """

@overload
def _foreach_clamp_min_(input: Sequence[Tensor], scalar: _Scalar) -> None:
    """_foreach_clamp_min_.Scalar(Tensor(a!)[] self, Scalar scalar) -> ()

    Applies ``clamp`` to each tensor of a list in place.
    """

@overload
def _foreach_clamp_max(input: Sequence[Tensor], other: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """_foreach_clamp_max.List(Tensor[] self, Tensor[] other) -> Tensor[]

    Applies ``clamp_max`` to each tensor of a list; the results are a tuple.
    """

@overload
def _foreach_clamp_max(input: Sequence[Tensor], scalars: Sequence[_Scalar]) -> tuple[Tensor, ...]:
    """_foreach_clamp_max.ScalarList(Tensor[] self, Scalar[] scalars) -> Tensor[]

    Applies ``clamp`` to each tensor of a list; the results are a tuple.
    """

@overload
def _foreach_clamp_max(input: Sequence[Tensor], scalar: _Scalar) -> tuple[Tensor, ...]:
    """_foreach_clamp_max.Scalar(Tensor[] self, Scalar scalar) -> Tensor[]

    Applies ``clamp`` to each tensor of a list; the results are a tuple.
    """

@overload
def _foreach_clamp_max_(input: Sequence[Tensor], other: Sequence[Tensor]) -> None:
    """_foreach_clamp_max_.List(Tensor(a!)[] self, Tensor[] other) -> ()

    Applies ``clamp_max`` to each tensor of a list in place.
    """

@overload
def _foreach_clamp_max_(input: Sequence[Tensor], scalars: Sequence[_Scalar]) -> None:
    """_foreach_clamp_max_.ScalarList(Tensor(a!)[] self, Scalar[] scalars) -> ()

    Applies ``clamp`` to each tensor of a list in place.
    """

@overload
def _foreach_clamp_max_(input: Sequence[Tensor], scalar: _Scalar) -> None:
    """_foreach_clamp_max_.Scalar(Tensor(a!)[] self, Scalar scalar) -> ()

    Applies ``clamp`` to each tensor of a list in place.
    """

@overload
def _foreach_maximum(input: Sequence[Tensor], other: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """_foreach_maximum.List(Tensor[] self, Tensor[] other) -> Tensor[]

    Applies ``clamp_min`` to each tensor of a list; the results are a tuple.
    """

@overload
def _foreach_maximum(input: Sequence[Tensor], scalars: Sequence[_Scalar]) -> tuple[Tensor, ...]:
    """_foreach_maximum.ScalarList(Tensor[] self, Scalar[] scalars) -> Tensor[]

    Applies ``clamp`` to each tensor of a list; the results are a tuple.
    """

@overload
def _foreach_maximum(input: Sequence[Tensor], scalar: _Scalar) -> tuple[Tensor, ...]:
    """_foreach_maximum.Scalar(Tensor[] self, Scalar scalar) -> Tensor[]

    Applies ``clamp`` to each tensor of a list; the results are a tuple.
    """

@overload
def _foreach_maximum_(input: Sequence[Tensor], other: Sequence[Tensor]) -> None:
    """_foreach_maximum_.List(Tensor(a!)[] self, Tensor[] other) -> ()

    Applies ``clamp_min`` to each tensor of a list in place.
    """

@overload
def _foreach_maximum_(input: Sequence[Tensor], scalars: Sequence[_Scalar]) -> None:
    """_foreach_maximum_.ScalarList(Tensor(a!)[] self, Scalar[] scalars) -> ()

    Applies ``clamp`` to each tensor of a list in place.
    """

@overload
def _foreach_maximum_(input: Sequence[Tensor], scalar: _Scalar) -> None:
    """_foreach_maximum_.Scalar(Tensor(a!)[] self, Scalar scalar) -> ()

    Applies ``clamp`` to each tensor of a list in place.
    """

@overload
def _foreach_minimum(input: Sequence[Tensor], other: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """_foreach_minimum.List(Tensor[] self, Tensor[] other) -> Tensor[]

    Applies ``clamp_max`` to each tensor of a list; the results are a tuple.
    """

@overload
def _foreach_minimum(input: Sequence[Tensor], scalars: Sequence[_Scalar]) -> tuple[Tensor, ...]:
    """_foreach_minimum.ScalarList(Tensor[] self, Scalar[] scalars) -> Tensor[]

    Applies ``clamp`` to each tensor of a list; the results are a tuple.
    """

@overload
def _foreach_minimum(input: Sequence[Tensor], scalar: _Scalar) -> tuple[Tensor, ...]:
    """_foreach_minimum.Scalar(Tensor[] self, Scalar scalar) -> Tensor[]

    Applies ``clamp`` to each tensor of a list; the results are a tuple.
    """

@overload
def _foreach_minimum_(input: Sequence[Tensor], other: Sequence[Tensor]) -> None:
    """_foreach_minimum_.List(Tensor(a!)[] self, Tensor[] other) -> ()

    Applies ``clamp_max`` to each tensor of a list in place.
    """

@overload
def _foreach_minimum_(input: Sequence[Tensor], scalars: Sequence[_Scalar]) -> None:
    """_foreach_minimum_.ScalarList(Tensor(a!)[] self, Scalar[] scalars) -> ()

    Applies ``clamp`` to each tensor of a list in place.
    """

@overload
def _foreach_minimum_(input: Sequence[Tensor], scalar: _Scalar) -> None:
    """_foreach_minimum_.Scalar(Tensor(a!)[] self, Scalar scalar) -> ()

    Applies ``clamp`` to each tensor of a list in place.
    """

@overload
def _foreach_pow(input: Sequence[Tensor], exponent: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """_foreach_pow.List(Tensor[] self, Tensor[] exponent) -> Tensor[]

    Applies ``pow`` to each tensor of a list; the results are a tuple.
    """

@overload
def _foreach_pow(input: Sequence[Tensor], exponent: Sequence[_Scalar]) -> tuple[Tensor, ...]:
    """_foreach_pow.ScalarList(Tensor[] self, Scalar[] exponent) -> Tensor[]

    Applies ``pow`` to each tensor of a list; the results are a tuple.
    """

@overload
def _foreach_pow(input: Sequence[Tensor], exponent: _Scalar) -> tuple[Tensor, ...]:
    """_foreach_pow.Scalar(Tensor[] self, Scalar exponent) -> Tensor[]

    Applies ``pow`` to each tensor of a list; the results are a tuple.
    """

@overload
def _foreach_pow(input: _Scalar, exponent: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """_foreach_pow.ScalarAndTensor(Scalar self, Tensor[] exponent) -> Tensor[]

    Applies ``pow`` to each tensor of a list; the results are a tuple.
    """

@overload
def _foreach_pow_(input: Sequence[Tensor], exponent: Sequence[Tensor]) -> None:
    """_foreach_pow_.List(Tensor(a!)[] self, Tensor[] exponent) -> ()

    Applies ``pow`` to each tensor of a list in place.
    """

@overload
def _foreach_pow_(input: Sequence[Tensor], exponent: Sequence[_Scalar]) -> None:
    """_foreach_pow_.ScalarList(Tensor(a!)[] self, Scalar[] exponent) -> ()

    Applies ``pow`` to each tensor of a list in place.
    """

@overload
def _foreach_pow_(input: Sequence[Tensor], exponent: _Scalar) -> None:
    """_foreach_pow_.Scalar(Tensor(a!)[] self, Scalar exponent) -> ()

    Applies ``pow`` to each tensor of a list in place.
    """

@overload
def _foreach_lerp(
    input: Sequence[Tensor], tensors1: Sequence[Tensor], weights: Sequence[Tensor]
) -> tuple[Tensor, ...]:
    """_foreach_lerp.List(Tensor[] self, Tensor[] tensors1, Tensor[] weights) -> Tensor[]

    Applies ``lerp`` to each tensor of a list; the results are a tuple.
    """

@overload
def _foreach_lerp(
    input: Sequence[Tensor], tensors1: Sequence[Tensor], weight: Sequence[_Scalar]
) -> tuple[Tensor, ...]:
    """_foreach_lerp.ScalarList(Tensor[] self, Tensor[] tensors1, Scalar[] weight) -> Tensor[]

    Applies ``lerp`` to each tensor of a list; the results are a tuple.
    """

@overload
def _foreach_lerp(input: Sequence[Tensor], tensors1: Sequence[Tensor], weight: _Scalar) -> tuple[Tensor, ...]:
    """_foreach_lerp.Scalar(Tensor[] self, Tensor[] tensors1, Scalar weight) -> Tensor[]

    Applies ``lerp`` to each tensor of a list; the results are a tuple.
    """

@overload
def _foreach_lerp_(input: Sequence[Tensor], tensors1: Sequence[Tensor], weights: Sequence[Tensor]) -> None:
    """_foreach_lerp_.List(Tensor(a!)[] self, Tensor[] tensors1, Tensor[] weights) -> ()

    Applies ``lerp`` to each tensor of a list in place.
    """

@overload
def _foreach_lerp_(input: Sequence[Tensor], tensors1: Sequence[Tensor], weight: Sequence[_Scalar]) -> None:
    """_foreach_lerp_.ScalarList(Tensor(a!)[] self, Tensor[] tensors1, Scalar[] weight) -> ()

    Applies ``lerp`` to each tensor of a list in place.
    """

@overload
def _foreach_lerp_(input: Sequence[Tensor], tensors1: Sequence[Tensor], weight: _Scalar) -> None:
    """_foreach_lerp_.Scalar(Tensor(a!)[] self, Tensor[] tensors1, Scalar weight) -> ()

    Applies ``lerp`` to each tensor of a list in place.
    """

@overload
def _foreach_addcmul(
    input: Sequence[Tensor], tensor1: Sequence[Tensor], tensor2: Sequence[Tensor], scalars: Tensor
) -> tuple[Tensor, ...]:
    """_foreach_addcmul.Tensor(Tensor[] self, Tensor[] tensor1, Tensor[] tensor2, Tensor scalars) -> Tensor[]

    The numbers may also be in a tensor of one dimension.
    """

@overload
def _foreach_addcmul(
    input: Sequence[Tensor], tensor1: Sequence[Tensor], tensor2: Sequence[Tensor], scalars: Sequence[_Scalar]
) -> tuple[Tensor, ...]:
    """_foreach_addcmul.ScalarList(Tensor[] self, Tensor[] tensor1, Tensor[] tensor2, Scalar[] scalars) -> Tensor[]

    Applies ``addcmul`` to each tensor of a list; the results are a tuple.
    """

@overload
def _foreach_addcmul(
    input: Sequence[Tensor], tensor1: Sequence[Tensor], tensor2: Sequence[Tensor], value: _Scalar = ...
) -> tuple[Tensor, ...]:
    """_foreach_addcmul.Scalar(Tensor[] self, Tensor[] tensor1, Tensor[] tensor2, Scalar value=1) -> Tensor[]

    Applies ``addcmul`` to each tensor of a list; the results are a tuple.
    """

@overload
def _foreach_addcmul_(
    input: Sequence[Tensor], tensor1: Sequence[Tensor], tensor2: Sequence[Tensor], scalars: Tensor
) -> None:
    """_foreach_addcmul_.Tensor(Tensor(a!)[] self, Tensor[] tensor1, Tensor[] tensor2, Tensor scalars) -> ()

    The numbers may also be in a tensor of one dimension.
    """

@overload
def _foreach_addcmul_(
    input: Sequence[Tensor], tensor1: Sequence[Tensor], tensor2: Sequence[Tensor], scalars: Sequence[_Scalar]
) -> None:
    """_foreach_addcmul_.ScalarList(Tensor(a!)[] self, Tensor[] tensor1, Tensor[] tensor2, Scalar[] scalars) -> ()

    Applies ``addcmul`` to each tensor of a list in place.
    """

@overload
def _foreach_addcmul_(
    input: Sequence[Tensor], tensor1: Sequence[Tensor], tensor2: Sequence[Tensor], value: _Scalar = ...
) -> None:
    """_foreach_addcmul_.Scalar(Tensor(a!)[] self, Tensor[] tensor1, Tensor[] tensor2, Scalar value=1) -> ()

    Applies ``addcmul`` to each tensor of a list in place.
    """

@overload
def _foreach_addcdiv(
    input: Sequence[Tensor], tensor1: Sequence[Tensor], tensor2: Sequence[Tensor], scalars: Tensor
) -> tuple[Tensor, ...]:
    """_foreach_addcdiv.Tensor(Tensor[] self, Tensor[] tensor1, Tensor[] tensor2, Tensor scalars) -> Tensor[]

    The numbers may also be in a tensor of one dimension.
    """

@overload
def _foreach_addcdiv(
    input: Sequence[Tensor], tensor1: Sequence[Tensor], tensor2: Sequence[Tensor], scalars: Sequence[_Scalar]
) -> tuple[Tensor, ...]:
    """_foreach_addcdiv.ScalarList(Tensor[] self, Tensor[] tensor1, Tensor[] tensor2, Scalar[] scalars) -> Tensor[]

    Applies ``addcdiv`` to each tensor of a list; the results are a tuple.
    """

@overload
def _foreach_addcdiv(
    input: Sequence[Tensor], tensor1: Sequence[Tensor], tensor2: Sequence[Tensor], value: _Scalar = ...
) -> tuple[Tensor, ...]:
    """_foreach_addcdiv.Scalar(Tensor[] self, Tensor[] tensor1, Tensor[] tensor2, Scalar value=1) -> Tensor[]

    Applies ``addcdiv`` to each tensor of a list; the results are a tuple.
    """

@overload
def _foreach_addcdiv_(
    input: Sequence[Tensor], tensor1: Sequence[Tensor], tensor2: Sequence[Tensor], scalars: Tensor
) -> None:
    """_foreach_addcdiv_.Tensor(Tensor(a!)[] self, Tensor[] tensor1, Tensor[] tensor2, Tensor scalars) -> ()

    The numbers may also be in a tensor of one dimension.
    """

@overload
def _foreach_addcdiv_(
    input: Sequence[Tensor], tensor1: Sequence[Tensor], tensor2: Sequence[Tensor], scalars: Sequence[_Scalar]
) -> None:
    """_foreach_addcdiv_.ScalarList(Tensor(a!)[] self, Tensor[] tensor1, Tensor[] tensor2, Scalar[] scalars) -> ()

    Applies ``addcdiv`` to each tensor of a list in place.
    """

@overload
def _foreach_addcdiv_(
    input: Sequence[Tensor], tensor1: Sequence[Tensor], tensor2: Sequence[Tensor], value: _Scalar = ...
) -> None:
    """_foreach_addcdiv_.Scalar(Tensor(a!)[] self, Tensor[] tensor1, Tensor[] tensor2, Scalar value=1) -> ()

    Applies ``addcdiv`` to each tensor of a list in place.
    """

def _foreach_norm(
    input: Sequence[Tensor], ord: _Scalar = ..., dtype: _dtype | None = ...
) -> tuple[Tensor, ...]:
    """_foreach_norm.Scalar(Tensor[] self, Scalar ord=2, ScalarType? dtype=None) -> Tensor[]

    Applies ``linalg_vector_norm`` to each tensor of a list; the results are a tuple.
    """

def _foreach_max(input: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """_foreach_max(Tensor[] self) -> Tensor[]

    Applies ``max`` to each tensor of a list; the results are a tuple.
    """

def _foreach_mm(input: Sequence[Tensor], mat2: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """_foreach_mm(Tensor[] self, Tensor[] mat2) -> Tensor[]

    Applies ``mm`` to each tensor of a list; the results are a tuple.
    """

def _foreach_clone(
    input: Sequence[Tensor], *, memory_format: _memory_format | None = ...
) -> tuple[Tensor, ...]:
    """_foreach_clone(Tensor[] self, *, MemoryFormat? memory_format=None) -> Tensor[]

    Applies ``clone`` to each tensor of a list; the results are a tuple.
    """

def _foreach_copy_(input: Sequence[Tensor], src: Sequence[Tensor], non_blocking: _bool = ...) -> None:
    """_foreach_copy_(Tensor(a!)[] self, Tensor[] src, bool non_blocking=False) -> ()

    Applies ``copy_`` to each tensor of a list in place.
    """

def _foreach_zero_(input: Sequence[Tensor]) -> None:
    """_foreach_zero_(Tensor(a!)[] self) -> ()

    Applies ``fill_`` to each tensor of a list in place.
    """

def add(input: _Operand, other: _Operand, *, alpha: _Scalar = ..., out: Tensor | None = ...) -> Tensor:
    """add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor

    Computes ``self + alpha * other``.
    """

def add_(input: Tensor, other: _Operand, *, alpha: _Scalar = ...) -> Tensor:
    """add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)

    In-place version of add.
    """

def sub(input: _Operand, other: _Operand, *, alpha: _Scalar = ..., out: Tensor | None = ...) -> Tensor:
    """sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor

    Computes ``self - alpha * other``.
    """

def sub_(input: Tensor, other: _Operand, *, alpha: _Scalar = ...) -> Tensor:
    """sub_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)

    In-place version of sub.
    """

def rsub(input: Tensor, other: _Operand, *, alpha: _Scalar = ...) -> Tensor:
    """rsub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor

    Computes ``other - alpha * self``.
    """

def mul(input: _Operand, other: _Operand, *, out: Tensor | None = ...) -> Tensor:
    """mul.Tensor(Tensor self, Tensor other) -> Tensor

    Computes ``self * other``.
    """

def mul_(input: Tensor, other: _Operand) -> Tensor:
    """mul_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)

    In-place version of mul.
    """

def div(
    input: _Operand,
    other: _Operand,
    *,
    rounding_mode: Literal["trunc", "floor"] | None = ...,
    out: Tensor | None = ...,
) -> Tensor:
    """div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor

    Divides with ``rounding_mode`` None (true division), 'floor' or 'trunc'.
    """

def div_(input: Tensor, other: _Operand, *, rounding_mode: Literal["trunc", "floor"] | None = ...) -> Tensor:
    """div_.Tensor_mode(Tensor(a!) self, Tensor other, *, str? rounding_mode) -> Tensor(a!)

    In-place version of div.
    """

def div_floor(input: _Operand, other: _Operand) -> Tensor:
    """div_floor(Tensor self, Tensor other) -> Tensor

    Computes ``floor(self / other)``: the kernel of ``div(rounding_mode='floor')`` and
    ``floor_divide``.
    """

def div_trunc(input: _Operand, other: _Operand) -> Tensor:
    """div_trunc(Tensor self, Tensor other) -> Tensor

    Computes ``self / other`` rounded towards zero: the kernel of ``div(rounding_mode='trunc')``.
    """

def floor_divide(input: _Operand, other: _Operand, *, out: Tensor | None = ...) -> Tensor:
    """floor_divide(Tensor self, Tensor other) -> Tensor

    Computes ``floor(self / other)``; integers stay integers.
    """

def floor_divide_(input: Tensor, other: _Operand) -> Tensor:
    """floor_divide_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)

    In-place version of floor_divide.
    """

def remainder(input: _Operand, other: _Operand, *, out: Tensor | None = ...) -> Tensor:
    """remainder.Tensor(Tensor self, Tensor other) -> Tensor

    Computes ``self`` modulo ``other``; the result has the sign of ``other``, as with Python's %.
    """

def remainder_(input: Tensor, other: _Operand) -> Tensor:
    """remainder_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)

    In-place version of remainder.
    """

def fmod(input: Tensor, other: _Operand, *, out: Tensor | None = ...) -> Tensor:
    """fmod.Tensor(Tensor self, Tensor other) -> Tensor

    Computes ``self`` modulo ``other``; the result has the sign of ``self``, as with C's %.
    """

def fmod_(input: Tensor, other: _Operand) -> Tensor:
    """fmod_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)

    In-place version of fmod.
    """

def gcd(input: Tensor, other: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """gcd(Tensor self, Tensor other) -> Tensor

    Computes the greatest common divisor of ``self`` and ``other``; that of 0 and 0 is 0.
    """

def gcd_(input: Tensor, other: Tensor) -> Tensor:
    """gcd_(Tensor(a!) self, Tensor other) -> Tensor(a!)

    In-place version of gcd.
    """

def lcm(input: Tensor, other: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """lcm(Tensor self, Tensor other) -> Tensor

    Computes the least common multiple of ``self`` and ``other``; 0 if one of them is 0.
    """

def lcm_(input: Tensor, other: Tensor) -> Tensor:
    """lcm_(Tensor(a!) self, Tensor other) -> Tensor(a!)

    In-place version of lcm.
    """

def neg(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """neg(Tensor self) -> Tensor

    Returns the negative of each element.  Raises RuntimeError for bool.
    """

def neg_(input: Tensor) -> Tensor:
    """neg_(Tensor(a!) self) -> Tensor(a!)

    In-place version of neg.
    """

def abs(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """abs(Tensor self) -> Tensor

    Computes the absolute value of each element; its gradient at 0 is 0.
    """

def abs_(input: Tensor) -> Tensor:
    """abs_(Tensor(a!) self) -> Tensor(a!)

    In-place version of abs.
    """

def sign(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """sign(Tensor self) -> Tensor

    Returns the sign of each element: -1, 0 or 1; 0 for NaN.
    """

def sign_(input: Tensor) -> Tensor:
    """sign_(Tensor(a!) self) -> Tensor(a!)

    In-place version of sign.
    """

def sgn(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """sgn(Tensor self) -> Tensor

    Returns ``sign`` for real dtypes; divides complex elements by their modulus, and keeps 0.
    """

def sgn_(input: Tensor) -> Tensor:
    """sgn_(Tensor(a!) self) -> Tensor(a!)

    In-place version of sgn.
    """

def reciprocal(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """reciprocal(Tensor self) -> Tensor

    Computes the reciprocal ``1 / x`` of each element.
    """

def reciprocal_(input: Tensor) -> Tensor:
    """reciprocal_(Tensor(a!) self) -> Tensor(a!)

    In-place version of reciprocal.
    """

def floor(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """floor(Tensor self) -> Tensor

    Rounds each element down; integers are unchanged.
    """

def floor_(input: Tensor) -> Tensor:
    """floor_(Tensor(a!) self) -> Tensor(a!)

    In-place version of floor.
    """

def ceil(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """ceil(Tensor self) -> Tensor

    Rounds each element up; integers are unchanged.
    """

def ceil_(input: Tensor) -> Tensor:
    """ceil_(Tensor(a!) self) -> Tensor(a!)

    In-place version of ceil.
    """

def trunc(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """trunc(Tensor self) -> Tensor

    Rounds each element towards zero; integers are unchanged.
    """

def trunc_(input: Tensor) -> Tensor:
    """trunc_(Tensor(a!) self) -> Tensor(a!)

    In-place version of trunc.
    """

@overload
def round(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """round(Tensor self) -> Tensor

    Rounds each element to the nearest integer, halves to even; integers are unchanged.
    """

@overload
def round(input: Tensor, *, decimals: _int, out: Tensor | None = ...) -> Tensor:
    """round.decimals(Tensor self, *, int decimals) -> Tensor

    Rounds each element to ``decimals`` digits after the decimal point, or before it if negative.
    """

@overload
def round_(input: Tensor) -> Tensor:
    """round_(Tensor(a!) self) -> Tensor(a!)

    In-place version of round.
    """

@overload
def round_(input: Tensor, *, decimals: _int) -> Tensor:
    """round_.decimals(Tensor(a!) self, *, int decimals) -> Tensor(a!)

    In-place version of round.
    """

def addcmul(
    input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: _Scalar = ..., out: Tensor | None = ...
) -> Tensor:
    """addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor

    Computes ``self + value * tensor1 * tensor2``.
    """

def addcmul_(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: _Scalar = ...) -> Tensor:
    """addcmul_(Tensor(a!) self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor(a!)

    In-place version of addcmul.
    """

def addcdiv(
    input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: _Scalar = ..., out: Tensor | None = ...
) -> Tensor:
    """addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor

    Computes ``self + value * tensor1 / tensor2``.
    """

def addcdiv_(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: _Scalar = ...) -> Tensor:
    """addcdiv_(Tensor(a!) self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor(a!)

    In-place version of addcdiv.
    """

@overload
def lerp(input: Tensor, end: Tensor, weight: _Scalar, *, out: Tensor | None = ...) -> Tensor:
    """lerp.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor

    Interpolates linearly: ``self + weight * (end - self)``.
    """

@overload
def lerp(input: Tensor, end: Tensor, weight: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """lerp.Tensor(Tensor self, Tensor end, Tensor weight) -> Tensor

    Interpolates linearly: ``self + weight * (end - self)`` with a weight for each element.
    """

@overload
def lerp_(input: Tensor, end: Tensor, weight: _Scalar) -> Tensor:
    """lerp_.Scalar(Tensor(a!) self, Tensor end, Scalar weight) -> Tensor(a!)

    In-place version of lerp.
    """

@overload
def lerp_(input: Tensor, end: Tensor, weight: Tensor) -> Tensor:
    """lerp_.Tensor(Tensor(a!) self, Tensor end, Tensor weight) -> Tensor(a!)

    In-place version of lerp.
    """

def positive(input: Tensor) -> Tensor:
    """positive(Tensor(a) self) -> Tensor(a)

    Returns the tensor itself, as unary + does.  Raises RuntimeError for bool.
    """

def frac(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """frac(Tensor self) -> Tensor

    Returns the fractional part ``x - trunc(x)`` of each element, with the sign of x.  Floating point
    only.
    """

def frac_(input: Tensor) -> Tensor:
    """frac_(Tensor(a!) self) -> Tensor(a!)

    In-place version of frac.
    """

def copysign(input: Tensor, other: _Operand, *, out: Tensor | None = ...) -> Tensor:
    """copysign.Tensor(Tensor self, Tensor other) -> Tensor

    Returns the magnitude of ``self`` with the sign of ``other``, which may be a signed zero.
    """

def copysign_(input: Tensor, other: _Operand) -> Tensor:
    """copysign_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)

    In-place version of copysign.
    """

def absolute(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """absolute(Tensor self) -> Tensor

    Alias for ``abs``.
    """

def absolute_(input: Tensor) -> Tensor:
    """absolute_(Tensor(a!) self) -> Tensor(a!)

    In-place version of absolute.
    """

def negative(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """negative(Tensor self) -> Tensor

    Alias for ``neg``.
    """

def negative_(input: Tensor) -> Tensor:
    """negative_(Tensor(a!) self) -> Tensor(a!)

    In-place version of negative.
    """

def fix(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """fix(Tensor self) -> Tensor

    Alias for ``trunc``.
    """

def fix_(input: Tensor) -> Tensor:
    """fix_(Tensor(a!) self) -> Tensor(a!)

    In-place version of fix.
    """

def multiply(input: _Operand, other: _Operand, *, out: Tensor | None = ...) -> Tensor:
    """multiply.Tensor(Tensor self, Tensor other) -> Tensor

    Alias for ``mul``.
    """

def multiply_(input: Tensor, other: _Operand) -> Tensor:
    """multiply_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)

    In-place version of multiply.
    """

def subtract(input: _Operand, other: _Operand, *, alpha: _Scalar = ..., out: Tensor | None = ...) -> Tensor:
    """subtract.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor

    Alias for ``sub``.
    """

def subtract_(input: Tensor, other: _Operand, *, alpha: _Scalar = ...) -> Tensor:
    """subtract_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)

    In-place version of subtract.
    """

def divide(
    input: _Operand,
    other: _Operand,
    *,
    rounding_mode: Literal["trunc", "floor"] | None = ...,
    out: Tensor | None = ...,
) -> Tensor:
    """divide.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor

    Alias for ``div``.
    """

def divide_(
    input: Tensor, other: _Operand, *, rounding_mode: Literal["trunc", "floor"] | None = ...
) -> Tensor:
    """divide_.Tensor_mode(Tensor(a!) self, Tensor other, *, str? rounding_mode) -> Tensor(a!)

    In-place version of divide.
    """

def true_divide(input: _Operand, other: _Operand, *, out: Tensor | None = ...) -> Tensor:
    """true_divide.Tensor(Tensor self, Tensor other) -> Tensor

    Alias for ``div``.
    """

def true_divide_(input: Tensor, other: _Operand) -> Tensor:
    """true_divide_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)

    In-place version of true_divide.
    """

def bitwise_not(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """bitwise_not(Tensor self) -> Tensor

    Inverts each bit; for bool, computes the logical NOT.
    """

def bitwise_not_(input: Tensor) -> Tensor:
    """bitwise_not_(Tensor(a!) self) -> Tensor(a!)

    In-place version of bitwise_not.
    """

def bitwise_and(input: _Operand, other: _Operand, *, out: Tensor | None = ...) -> Tensor:
    """bitwise_and.Tensor(Tensor self, Tensor other) -> Tensor

    Computes the bitwise AND of the operands; for bool, the logical AND.
    """

def bitwise_and_(input: Tensor, other: _Operand) -> Tensor:
    """bitwise_and_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)

    In-place version of bitwise_and.
    """

def bitwise_or(input: _Operand, other: _Operand, *, out: Tensor | None = ...) -> Tensor:
    """bitwise_or.Tensor(Tensor self, Tensor other) -> Tensor

    Computes the bitwise OR of the operands; for bool, the logical OR.
    """

def bitwise_or_(input: Tensor, other: _Operand) -> Tensor:
    """bitwise_or_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)

    In-place version of bitwise_or.
    """

def bitwise_xor(input: _Operand, other: _Operand, *, out: Tensor | None = ...) -> Tensor:
    """bitwise_xor.Tensor(Tensor self, Tensor other) -> Tensor

    Computes the bitwise XOR of the operands; for bool, the logical XOR.
    """

def bitwise_xor_(input: Tensor, other: _Operand) -> Tensor:
    """bitwise_xor_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)

    In-place version of bitwise_xor.
    """

def bitwise_left_shift(input: _Operand, other: _Operand, *, out: Tensor | None = ...) -> Tensor:
    """bitwise_left_shift.Tensor(Tensor self, Tensor other) -> Tensor

    Computes ``self * 2**other``, wrapping around; 0 if all bits are shifted out or ``other`` is
    negative.
    """

def bitwise_left_shift_(input: Tensor, other: _Operand) -> Tensor:
    """bitwise_left_shift_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)

    In-place version of bitwise_left_shift.
    """

def bitwise_right_shift(input: _Operand, other: _Operand, *, out: Tensor | None = ...) -> Tensor:
    """bitwise_right_shift.Tensor(Tensor self, Tensor other) -> Tensor

    Computes ``floor(self / 2**other)``: an arithmetic shift, which keeps the sign.
    """

def bitwise_right_shift_(input: Tensor, other: _Operand) -> Tensor:
    """bitwise_right_shift_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)

    In-place version of bitwise_right_shift.
    """

def maximum(input: Tensor, other: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """maximum(Tensor self, Tensor other) -> Tensor

    Returns the larger of each pair of elements; NaN if either is NaN.
    """

def minimum(input: Tensor, other: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """minimum(Tensor self, Tensor other) -> Tensor

    Returns the smaller of each pair of elements; NaN if either is NaN.
    """

@overload
def clamp(
    input: Tensor, min: _Scalar | None = ..., max: _Scalar | None = ..., *, out: Tensor | None = ...
) -> Tensor:
    """clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor

    Clamps each element to the range from ``min`` to ``max``; NaN stays NaN.
    """

@overload
def clamp(
    input: Tensor, min: Tensor | None = ..., max: Tensor | None = ..., *, out: Tensor | None = ...
) -> Tensor:
    """clamp.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor

    Clamps each element to the range from ``min`` to ``max``, which are tensors; NaN if any is NaN.
    """

@overload
def clamp_(input: Tensor, min: _Scalar | None = ..., max: _Scalar | None = ...) -> Tensor:
    """clamp_(Tensor(a!) self, Scalar? min=None, Scalar? max=None) -> Tensor(a!)

    In-place version of clamp.
    """

@overload
def clamp_(input: Tensor, min: Tensor | None = ..., max: Tensor | None = ...) -> Tensor:
    """clamp_.Tensor(Tensor(a!) self, Tensor? min=None, Tensor? max=None) -> Tensor(a!)

    In-place version of clamp.
    """

@overload
def clamp_min(input: Tensor, min: _Scalar, *, out: Tensor | None = ...) -> Tensor:
    """clamp_min(Tensor self, Scalar min) -> Tensor

    Clamps each element to at least ``min``.
    """

@overload
def clamp_min(input: Tensor, min: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """clamp_min.Tensor(Tensor self, Tensor min) -> Tensor

    Clamps each element to at least the corresponding element of ``min``; NaN if either is NaN.
    """

@overload
def clamp_min_(input: Tensor, min: _Scalar) -> Tensor:
    """clamp_min_(Tensor(a!) self, Scalar min) -> Tensor(a!)

    In-place version of clamp_min.
    """

@overload
def clamp_min_(input: Tensor, min: Tensor) -> Tensor:
    """clamp_min_.Tensor(Tensor(a!) self, Tensor min) -> Tensor(a!)

    In-place version of clamp_min.
    """

@overload
def clamp_max(input: Tensor, max: _Scalar, *, out: Tensor | None = ...) -> Tensor:
    """clamp_max(Tensor self, Scalar max) -> Tensor

    Clamps each element to at most ``max``.
    """

@overload
def clamp_max(input: Tensor, max: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """clamp_max.Tensor(Tensor self, Tensor max) -> Tensor

    Clamps each element to at most the corresponding element of ``max``; NaN if either is NaN.
    """

@overload
def clamp_max_(input: Tensor, max: _Scalar) -> Tensor:
    """clamp_max_(Tensor(a!) self, Scalar max) -> Tensor(a!)

    In-place version of clamp_max.
    """

@overload
def clamp_max_(input: Tensor, max: Tensor) -> Tensor:
    """clamp_max_.Tensor(Tensor(a!) self, Tensor max) -> Tensor(a!)

    In-place version of clamp_max.
    """

def fmax(input: Tensor, other: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """fmax(Tensor self, Tensor other) -> Tensor

    Returns the larger of each pair of elements; if one is NaN, the other.
    """

def fmin(input: Tensor, other: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """fmin(Tensor self, Tensor other) -> Tensor

    Returns the smaller of each pair of elements; if one is NaN, the other.
    """

@overload
def clip(
    input: Tensor, min: _Scalar | None = ..., max: _Scalar | None = ..., *, out: Tensor | None = ...
) -> Tensor:
    """clip(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor

    Alias for ``clamp``.
    """

@overload
def clip(
    input: Tensor, min: Tensor | None = ..., max: Tensor | None = ..., *, out: Tensor | None = ...
) -> Tensor:
    """clip.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor

    Alias for ``clamp``.
    """

@overload
def clip_(input: Tensor, min: _Scalar | None = ..., max: _Scalar | None = ...) -> Tensor:
    """clip_(Tensor(a!) self, Scalar? min=None, Scalar? max=None) -> Tensor(a!)

    In-place version of clip.
    """

@overload
def clip_(input: Tensor, min: Tensor | None = ..., max: Tensor | None = ...) -> Tensor:
    """clip_.Tensor(Tensor(a!) self, Tensor? min=None, Tensor? max=None) -> Tensor(a!)

    In-place version of clip.
    """

def eq(input: Tensor, other: _Operand, *, out: Tensor | None = ...) -> Tensor:
    """eq.Tensor(Tensor self, Tensor other) -> Tensor

    Tests whether each element of ``self`` is equal to that of ``other``, in their common dtype.
    """

def eq_(input: Tensor, other: _Operand) -> Tensor:
    """eq_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)

    In-place version of eq.
    """

def ne(input: Tensor, other: _Operand, *, out: Tensor | None = ...) -> Tensor:
    """ne.Tensor(Tensor self, Tensor other) -> Tensor

    Tests whether each element of ``self`` is not equal to that of ``other``, in their common dtype.
    """

def ne_(input: Tensor, other: _Operand) -> Tensor:
    """ne_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)

    In-place version of ne.
    """

def lt(input: Tensor, other: _Operand, *, out: Tensor | None = ...) -> Tensor:
    """lt.Tensor(Tensor self, Tensor other) -> Tensor

    Tests whether each element of ``self`` is less than that of ``other``, in their common dtype.
    """

def lt_(input: Tensor, other: _Operand) -> Tensor:
    """lt_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)

    In-place version of lt.
    """

def le(input: Tensor, other: _Operand, *, out: Tensor | None = ...) -> Tensor:
    """le.Tensor(Tensor self, Tensor other) -> Tensor

    Tests whether each element of ``self`` is less than or equal to that of ``other``, in their common dtype.
    """

def le_(input: Tensor, other: _Operand) -> Tensor:
    """le_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)

    In-place version of le.
    """

def gt(input: Tensor, other: _Operand, *, out: Tensor | None = ...) -> Tensor:
    """gt.Tensor(Tensor self, Tensor other) -> Tensor

    Tests whether each element of ``self`` is greater than that of ``other``, in their common dtype.
    """

def gt_(input: Tensor, other: _Operand) -> Tensor:
    """gt_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)

    In-place version of gt.
    """

def ge(input: Tensor, other: _Operand, *, out: Tensor | None = ...) -> Tensor:
    """ge.Tensor(Tensor self, Tensor other) -> Tensor

    Tests whether each element of ``self`` is greater than or equal to that of ``other``, in their common dtype.
    """

def ge_(input: Tensor, other: _Operand) -> Tensor:
    """ge_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)

    In-place version of ge.
    """

def not_equal(input: Tensor, other: _Operand, *, out: Tensor | None = ...) -> Tensor:
    """not_equal.Tensor(Tensor self, Tensor other) -> Tensor

    Alias for ``ne``.
    """

def not_equal_(input: Tensor, other: _Operand) -> Tensor:
    """not_equal_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)

    In-place version of not_equal.
    """

def less(input: Tensor, other: _Operand, *, out: Tensor | None = ...) -> Tensor:
    """less.Tensor(Tensor self, Tensor other) -> Tensor

    Alias for ``lt``.
    """

def less_(input: Tensor, other: _Operand) -> Tensor:
    """less_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)

    In-place version of less.
    """

def less_equal(input: Tensor, other: _Operand, *, out: Tensor | None = ...) -> Tensor:
    """less_equal.Tensor(Tensor self, Tensor other) -> Tensor

    Alias for ``le``.
    """

def less_equal_(input: Tensor, other: _Operand) -> Tensor:
    """less_equal_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)

    In-place version of less_equal.
    """

def greater(input: Tensor, other: _Operand, *, out: Tensor | None = ...) -> Tensor:
    """greater.Tensor(Tensor self, Tensor other) -> Tensor

    Alias for ``gt``.
    """

def greater_(input: Tensor, other: _Operand) -> Tensor:
    """greater_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)

    In-place version of greater.
    """

def greater_equal(input: Tensor, other: _Operand, *, out: Tensor | None = ...) -> Tensor:
    """greater_equal.Tensor(Tensor self, Tensor other) -> Tensor

    Alias for ``ge``.
    """

def greater_equal_(input: Tensor, other: _Operand) -> Tensor:
    """greater_equal_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)

    In-place version of greater_equal.
    """

def logical_and(input: Tensor, other: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """logical_and(Tensor self, Tensor other) -> Tensor

    Logical and of the operands, whose nonzero elements count as true.
    """

def logical_and_(input: Tensor, other: Tensor) -> Tensor:
    """logical_and_(Tensor(a!) self, Tensor other) -> Tensor(a!)

    In-place version of logical_and.
    """

def logical_or(input: Tensor, other: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """logical_or(Tensor self, Tensor other) -> Tensor

    Logical or of the operands, whose nonzero elements count as true.
    """

def logical_or_(input: Tensor, other: Tensor) -> Tensor:
    """logical_or_(Tensor(a!) self, Tensor other) -> Tensor(a!)

    In-place version of logical_or.
    """

def logical_xor(input: Tensor, other: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """logical_xor(Tensor self, Tensor other) -> Tensor

    Logical xor of the operands, whose nonzero elements count as true.
    """

def logical_xor_(input: Tensor, other: Tensor) -> Tensor:
    """logical_xor_(Tensor(a!) self, Tensor other) -> Tensor(a!)

    In-place version of logical_xor.
    """

def logical_not(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """logical_not(Tensor self) -> Tensor

    Returns the logical not of each element: true if it is 0.
    """

def logical_not_(input: Tensor) -> Tensor:
    """logical_not_(Tensor(a!) self) -> Tensor(a!)

    In-place version of logical_not.
    """

def isnan(input: Tensor) -> Tensor:
    """isnan(Tensor self) -> Tensor

    Tests whether each element is NaN.
    """

def isinf(input: Tensor) -> Tensor:
    """isinf(Tensor self) -> Tensor

    Tests whether each element is infinite.
    """

def isfinite(input: Tensor) -> Tensor:
    """isfinite(Tensor self) -> Tensor

    Tests whether each element is finite: neither NaN nor infinite.
    """

def isposinf(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """isposinf(Tensor self) -> Tensor

    Tests whether each element is inf.  Raises RuntimeError for complex dtypes.
    """

def isneginf(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """isneginf(Tensor self) -> Tensor

    Tests whether each element is -inf.  Raises RuntimeError for complex dtypes.
    """

def signbit(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """signbit(Tensor self) -> Tensor

    Tests whether the sign bit of each element is set; it is for -0.0.  Raises NotImplementedError for
    complex dtypes.
    """

def isreal(input: Tensor) -> Tensor:
    """isreal(Tensor self) -> Tensor

    Tests whether the imaginary part of each element is 0; always true for real dtypes.
    """

def nan_to_num(
    input: Tensor,
    nan: _float | None = ...,
    posinf: _float | None = ...,
    neginf: _float | None = ...,
    *,
    out: Tensor | None = ...,
) -> Tensor:
    """nan_to_num(Tensor self, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor

    Replaces NaN by ``nan``, inf by ``posinf`` and -inf by ``neginf``.
    """

def nan_to_num_(
    input: Tensor, nan: _float | None = ..., posinf: _float | None = ..., neginf: _float | None = ...
) -> Tensor:
    """nan_to_num_(Tensor(a!) self, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor(a!)

    In-place version of nan_to_num.
    """

@overload
def isin(
    elements: Tensor,
    test_elements: Tensor,
    *,
    assume_unique: _bool = ...,
    invert: _bool = ...,
    out: Tensor | None = ...,
) -> Tensor:
    """isin.Tensor_Tensor(Tensor elements, Tensor test_elements, *, bool assume_unique=False, bool invert=False) -> Tensor

    Tests whether each element is among the test elements; ``invert`` negates the result.
    """

@overload
def isin(
    elements: Tensor,
    test_element: _Scalar,
    *,
    assume_unique: _bool = ...,
    invert: _bool = ...,
    out: Tensor | None = ...,
) -> Tensor:
    """isin.Tensor_Scalar(Tensor elements, Scalar test_element, *, bool assume_unique=False, bool invert=False) -> Tensor

    Tests whether each element is among the test elements; ``invert`` negates the result.
    """

@overload
def isin(
    element: _Scalar,
    test_elements: Tensor,
    *,
    assume_unique: _bool = ...,
    invert: _bool = ...,
    out: Tensor | None = ...,
) -> Tensor:
    """isin.Scalar_Tensor(Scalar element, Tensor test_elements, *, bool assume_unique=False, bool invert=False) -> Tensor

    Tests whether each element is among the test elements; ``invert`` negates the result.
    """

@overload
def where(condition: Tensor) -> tuple[Tensor, ...]:
    """where(Tensor condition) -> Tensor[]

    Returns the indices (int64) of the nonzero elements of ``condition``: one tensor per dimension.
    """

@overload
def where(condition: Tensor, input: _Operand, other: _Operand, *, out: Tensor | None = ...) -> Tensor:
    """where.self(Tensor condition, Tensor self, Tensor other) -> Tensor

    Selects elements of ``self`` where ``condition`` is true, else of ``other``.
    """

def equal(input: Tensor, other: Tensor) -> _bool:
    """equal(Tensor self, Tensor other) -> bool

    Returns True if both tensors have the same sizes and equal elements.
    """

def allclose(
    input: Tensor, other: Tensor, rtol: _float = ..., atol: _float = ..., equal_nan: _bool = ...
) -> _bool:
    """allclose(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False) -> bool

    Returns True if all pairs of elements are close: ``|self - other| <= atol + rtol * |other|``.
    """

def isclose(
    input: Tensor, other: Tensor, rtol: _float = ..., atol: _float = ..., equal_nan: _bool = ...
) -> Tensor:
    """isclose(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False) -> Tensor

    Tests whether each pair of elements is close: ``|self - other| <= atol + rtol * |other|``.
    """

def conj_physical(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """conj_physical(Tensor self) -> Tensor

    Computes the complex conjugate of each element; returns a real tensor unchanged.
    """

def conj_physical_(input: Tensor) -> Tensor:
    """conj_physical_(Tensor(a!) self) -> Tensor(a!)

    In-place version of conj_physical.
    """

def conj(input: Tensor) -> Tensor:
    """conj(Tensor(a) self) -> Tensor(a)

    Returns the complex conjugate of each element, with the sizes and dtype of ``self``.
    """

def resolve_conj(input: Tensor) -> Tensor:
    """resolve_conj(Tensor(a) self) -> Tensor(a)

    Returns the tensor itself, with its sizes and dtype: there is no conjugate bit as in PyTorch.
    """

def resolve_neg(input: Tensor) -> Tensor:
    """resolve_neg(Tensor(a) self) -> Tensor(a)

    Returns the tensor itself, with its sizes and dtype: there is no negative bit as in PyTorch.
    """

def is_conj(input: Tensor) -> _bool:
    """is_conj(Tensor self) -> bool

    Returns False: there is no conjugate bit as in PyTorch.
    """

def is_neg(input: Tensor) -> _bool:
    """is_neg(Tensor self) -> bool

    Returns False: there is no negative bit as in PyTorch.
    """

def view_as_real(input: Tensor) -> Tensor:
    """view_as_real(Tensor(a) self) -> Tensor(a)

    Returns a view with a new last dimension of size 2: the real and the imaginary part.
    """

def view_as_complex(input: Tensor) -> Tensor:
    """view_as_complex(Tensor(a) self) -> Tensor(a)

    Returns a complex view (*) of real and imaginary parts (*, 2), in float16, float32 or float64.
    """

def real(input: Tensor) -> Tensor:
    """real(Tensor(a) self) -> Tensor(a)

    Returns a view of the real parts; a real tensor is returned unchanged.
    """

def imag(input: Tensor) -> Tensor:
    """imag(Tensor(a) self) -> Tensor(a)

    Returns a view of the imaginary parts.  Raises RuntimeError for a real tensor.
    """

def adjoint(input: Tensor) -> Tensor:
    """adjoint(Tensor(a) self) -> Tensor(a)

    Returns the complex conjugate with the last two dimensions transposed; for a real tensor, a view.
    """

def complex(real: Tensor, imag: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """complex(Tensor real, Tensor imag) -> Tensor

    Creates complex numbers from real and imaginary parts, which broadcast: both float16, both
    float32 or both float64.
    """

def polar(abs: Tensor, angle: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """polar(Tensor abs, Tensor angle) -> Tensor

    Computes ``abs * (cos(angle) + i sin(angle))`` for operands that are both float32 or both float64.
    """

def angle(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """angle(Tensor self) -> Tensor

    Computes the angle of each element in radians, from -pi to pi.
    """

def exp(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """exp(Tensor self) -> Tensor

    Computes the exponential of each element.
    """

def exp_(input: Tensor) -> Tensor:
    """exp_(Tensor(a!) self) -> Tensor(a!)

    In-place version of exp.
    """

def expm1(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """expm1(Tensor self) -> Tensor

    Computes ``exp(x) - 1``, accurate for x near 0.
    """

def expm1_(input: Tensor) -> Tensor:
    """expm1_(Tensor(a!) self) -> Tensor(a!)

    In-place version of expm1.
    """

def log(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """log(Tensor self) -> Tensor

    Computes the natural logarithm of each element: -inf for 0, NaN for negative real numbers.
    """

def log_(input: Tensor) -> Tensor:
    """log_(Tensor(a!) self) -> Tensor(a!)

    In-place version of log.
    """

def log2(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """log2(Tensor self) -> Tensor

    Computes the logarithm to base 2 of each element.
    """

def log2_(input: Tensor) -> Tensor:
    """log2_(Tensor(a!) self) -> Tensor(a!)

    In-place version of log2.
    """

def log1p(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """log1p(Tensor self) -> Tensor

    Computes ``log(1 + x)``, accurate for x near 0.
    """

def log1p_(input: Tensor) -> Tensor:
    """log1p_(Tensor(a!) self) -> Tensor(a!)

    In-place version of log1p.
    """

def sqrt(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """sqrt(Tensor self) -> Tensor

    Computes the square root of each element: NaN for negative real numbers.
    """

def sqrt_(input: Tensor) -> Tensor:
    """sqrt_(Tensor(a!) self) -> Tensor(a!)

    In-place version of sqrt.
    """

def rsqrt(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """rsqrt(Tensor self) -> Tensor

    Computes the reciprocal square root ``1 / sqrt(x)`` of each element.
    """

def rsqrt_(input: Tensor) -> Tensor:
    """rsqrt_(Tensor(a!) self) -> Tensor(a!)

    In-place version of rsqrt.
    """

def sin(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """sin(Tensor self) -> Tensor

    Computes the sine of each element, in radians.
    """

def sin_(input: Tensor) -> Tensor:
    """sin_(Tensor(a!) self) -> Tensor(a!)

    In-place version of sin.
    """

def cos(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """cos(Tensor self) -> Tensor

    Computes the cosine of each element, in radians.
    """

def cos_(input: Tensor) -> Tensor:
    """cos_(Tensor(a!) self) -> Tensor(a!)

    In-place version of cos.
    """

def erf(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """erf(Tensor self) -> Tensor

    Computes the error function of each element.
    """

def erf_(input: Tensor) -> Tensor:
    """erf_(Tensor(a!) self) -> Tensor(a!)

    In-place version of erf.
    """

def tan(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """tan(Tensor self) -> Tensor

    Computes the tangent of each element, in radians.
    """

def tan_(input: Tensor) -> Tensor:
    """tan_(Tensor(a!) self) -> Tensor(a!)

    In-place version of tan.
    """

def asin(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """asin(Tensor self) -> Tensor

    Computes the arcsine of each element, from -pi/2 to pi/2; NaN outside [-1, 1] for real numbers.
    """

def asin_(input: Tensor) -> Tensor:
    """asin_(Tensor(a!) self) -> Tensor(a!)

    In-place version of asin.
    """

def acos(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """acos(Tensor self) -> Tensor

    Computes the arccosine of each element, from 0 to pi; NaN outside [-1, 1] for real numbers.
    """

def acos_(input: Tensor) -> Tensor:
    """acos_(Tensor(a!) self) -> Tensor(a!)

    In-place version of acos.
    """

def atan(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """atan(Tensor self) -> Tensor

    Computes the arctangent of each element, from -pi/2 to pi/2.
    """

def atan_(input: Tensor) -> Tensor:
    """atan_(Tensor(a!) self) -> Tensor(a!)

    In-place version of atan.
    """

def sinh(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """sinh(Tensor self) -> Tensor

    Computes the hyperbolic sine of each element.
    """

def sinh_(input: Tensor) -> Tensor:
    """sinh_(Tensor(a!) self) -> Tensor(a!)

    In-place version of sinh.
    """

def cosh(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """cosh(Tensor self) -> Tensor

    Computes the hyperbolic cosine of each element.
    """

def cosh_(input: Tensor) -> Tensor:
    """cosh_(Tensor(a!) self) -> Tensor(a!)

    In-place version of cosh.
    """

def asinh(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """asinh(Tensor self) -> Tensor

    Computes the inverse hyperbolic sine of each element.
    """

def asinh_(input: Tensor) -> Tensor:
    """asinh_(Tensor(a!) self) -> Tensor(a!)

    In-place version of asinh.
    """

def acosh(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """acosh(Tensor self) -> Tensor

    Computes the nonnegative inverse hyperbolic cosine of each element; NaN below 1 for real numbers.
    """

def acosh_(input: Tensor) -> Tensor:
    """acosh_(Tensor(a!) self) -> Tensor(a!)

    In-place version of acosh.
    """

def atanh(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """atanh(Tensor self) -> Tensor

    Computes the inverse hyperbolic tangent of each element; for real numbers infinite at -1 and 1, NaN outside [-1, 1].
    """

def atanh_(input: Tensor) -> Tensor:
    """atanh_(Tensor(a!) self) -> Tensor(a!)

    In-place version of atanh.
    """

def exp2(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """exp2(Tensor self) -> Tensor

    Computes 2 to the power of each element.
    """

def exp2_(input: Tensor) -> Tensor:
    """exp2_(Tensor(a!) self) -> Tensor(a!)

    In-place version of exp2.
    """

def log10(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """log10(Tensor self) -> Tensor

    Computes the logarithm to base 10 of each element.
    """

def log10_(input: Tensor) -> Tensor:
    """log10_(Tensor(a!) self) -> Tensor(a!)

    In-place version of log10.
    """

def erfc(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """erfc(Tensor self) -> Tensor

    Computes ``1 - erf(x)``, accurate even if the result is small.
    """

def erfc_(input: Tensor) -> Tensor:
    """erfc_(Tensor(a!) self) -> Tensor(a!)

    In-place version of erfc.
    """

def erfinv(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """erfinv(Tensor self) -> Tensor

    Computes the inverse error function of each element; infinite at -1 and 1, NaN outside [-1, 1].
    """

def erfinv_(input: Tensor) -> Tensor:
    """erfinv_(Tensor(a!) self) -> Tensor(a!)

    In-place version of erfinv.
    """

def lgamma(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """lgamma(Tensor self) -> Tensor

    Computes the logarithm of the absolute value of the gamma function; inf at 0, -1, -2 …
    """

def lgamma_(input: Tensor) -> Tensor:
    """lgamma_(Tensor(a!) self) -> Tensor(a!)

    In-place version of lgamma.
    """

def digamma(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """digamma(Tensor self) -> Tensor

    Computes the digamma function, the derivative of lgamma; NaN at -1, -2 …, -inf at 0.0, inf at -0.0.
    """

def digamma_(input: Tensor) -> Tensor:
    """digamma_(Tensor(a!) self) -> Tensor(a!)

    In-place version of digamma.
    """

def sinc(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """sinc(Tensor self) -> Tensor

    Computes ``sin(pi x) / (pi x)`` of each element; 1 for x = 0.
    """

def sinc_(input: Tensor) -> Tensor:
    """sinc_(Tensor(a!) self) -> Tensor(a!)

    In-place version of sinc.
    """

def arcsin(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """arcsin(Tensor self) -> Tensor

    Alias for ``asin``.
    """

def arcsin_(input: Tensor) -> Tensor:
    """arcsin_(Tensor(a!) self) -> Tensor(a!)

    In-place version of arcsin.
    """

def arccos(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """arccos(Tensor self) -> Tensor

    Alias for ``acos``.
    """

def arccos_(input: Tensor) -> Tensor:
    """arccos_(Tensor(a!) self) -> Tensor(a!)

    In-place version of arccos.
    """

def arctan(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """arctan(Tensor self) -> Tensor

    Alias for ``atan``.
    """

def arctan_(input: Tensor) -> Tensor:
    """arctan_(Tensor(a!) self) -> Tensor(a!)

    In-place version of arctan.
    """

def arcsinh(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """arcsinh(Tensor self) -> Tensor

    Alias for ``asinh``.
    """

def arcsinh_(input: Tensor) -> Tensor:
    """arcsinh_(Tensor(a!) self) -> Tensor(a!)

    In-place version of arcsinh.
    """

def arccosh(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """arccosh(Tensor self) -> Tensor

    Alias for ``acosh``.
    """

def arccosh_(input: Tensor) -> Tensor:
    """arccosh_(Tensor(a!) self) -> Tensor(a!)

    In-place version of arccosh.
    """

def arctanh(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """arctanh(Tensor self) -> Tensor

    Alias for ``atanh``.
    """

def arctanh_(input: Tensor) -> Tensor:
    """arctanh_(Tensor(a!) self) -> Tensor(a!)

    In-place version of arctanh.
    """

def polygamma(n: _int, input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """polygamma(int n, Tensor self) -> Tensor

    Computes the ``n``-th derivative of digamma.  Raises RuntimeError for a negative ``n``.
    """

def deg2rad(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """deg2rad(Tensor self) -> Tensor

    Converts each element from degrees to radians.  Raises RuntimeError for complex dtypes.
    """

def deg2rad_(input: Tensor) -> Tensor:
    """deg2rad_(Tensor(a!) self) -> Tensor(a!)

    In-place version of deg2rad.
    """

def rad2deg(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """rad2deg(Tensor self) -> Tensor

    Converts each element from radians to degrees.  Raises RuntimeError for complex dtypes.
    """

def rad2deg_(input: Tensor) -> Tensor:
    """rad2deg_(Tensor(a!) self) -> Tensor(a!)

    In-place version of rad2deg.
    """

def logit(input: Tensor, eps: _float | None = ..., *, out: Tensor | None = ...) -> Tensor:
    """logit(Tensor self, float? eps=None) -> Tensor

    Computes ``log(x / (1 - x))``, the inverse of sigmoid; NaN for x outside [0, 1].
    """

def logit_(input: Tensor, eps: _float | None = ...) -> Tensor:
    """logit_(Tensor(a!) self, float? eps=None) -> Tensor(a!)

    In-place version of logit.
    """

def logaddexp(input: Tensor, other: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """logaddexp(Tensor self, Tensor other) -> Tensor

    Computes ``log(exp(self) + exp(other))`` without overflow.
    """

def logaddexp2(input: Tensor, other: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """logaddexp2(Tensor self, Tensor other) -> Tensor

    Computes ``log2(2**self + 2**other)`` without overflow.  Floating point only.
    """

def atan2(input: Tensor, other: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """atan2(Tensor self, Tensor other) -> Tensor

    Computes the angle of the point (other, self) in radians, from -pi to pi: ``self`` is y, ``other``
    is x.
    """

def atan2_(input: Tensor, other: Tensor) -> Tensor:
    """atan2_(Tensor(a!) self, Tensor other) -> Tensor(a!)

    In-place version of atan2.
    """

def arctan2(input: Tensor, other: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """arctan2(Tensor self, Tensor other) -> Tensor

    Alias for ``atan2``.
    """

def arctan2_(input: Tensor, other: Tensor) -> Tensor:
    """arctan2_(Tensor(a!) self, Tensor other) -> Tensor(a!)

    In-place version of arctan2.
    """

def hypot(input: Tensor, other: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """hypot(Tensor self, Tensor other) -> Tensor

    Computes ``sqrt(self**2 + other**2)`` without overflow.  Floating point only.
    """

def hypot_(input: Tensor, other: Tensor) -> Tensor:
    """hypot_(Tensor(a!) self, Tensor other) -> Tensor(a!)

    In-place version of hypot.
    """

def nextafter(input: Tensor, other: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """nextafter(Tensor self, Tensor other) -> Tensor

    Returns the number of the dtype that follows ``self`` in the direction of ``other``.
    """

def nextafter_(input: Tensor, other: Tensor) -> Tensor:
    """nextafter_(Tensor(a!) self, Tensor other) -> Tensor(a!)

    In-place version of nextafter.
    """

def frexp(input: Tensor, *, out: Sequence[Tensor] | None = ...) -> _frexp_result:
    """frexp.Tensor(Tensor self) -> (Tensor mantissa, Tensor exponent)

    Returns ``mantissa`` and ``exponent`` (int32) with ``self = mantissa * 2 ** exponent``.
    """

def xlogy(input: _Operand, other: _Operand, *, out: Tensor | None = ...) -> Tensor:
    """xlogy.Tensor(Tensor self, Tensor other) -> Tensor

    Computes ``self * log(other)``; 0 if ``self`` is 0 and ``other`` is not NaN.
    """

def xlogy_(input: Tensor, other: _Operand) -> Tensor:
    """xlogy_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)

    In-place version of xlogy.
    """

def heaviside(input: Tensor, values: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """heaviside(Tensor self, Tensor values) -> Tensor

    Computes the Heaviside step function: 0 for x < 0, 1 for x > 0, and ``values`` for x = 0.
    """

def heaviside_(input: Tensor, values: Tensor) -> Tensor:
    """heaviside_(Tensor(a!) self, Tensor values) -> Tensor(a!)

    In-place version of heaviside.
    """

def igamma(input: Tensor, other: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """igamma(Tensor self, Tensor other) -> Tensor

    Computes the regularized lower incomplete gamma function: the probability of at most ``other`` under
    the gamma distribution with the concentration ``self``.
    """

def igamma_(input: Tensor, other: Tensor) -> Tensor:
    """igamma_(Tensor(a!) self, Tensor other) -> Tensor(a!)

    In-place version of igamma.
    """

def igammac(input: Tensor, other: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """igammac(Tensor self, Tensor other) -> Tensor

    Computes the regularized upper incomplete gamma function, ``1 - igamma(self, other)``.
    """

def igammac_(input: Tensor, other: Tensor) -> Tensor:
    """igammac_(Tensor(a!) self, Tensor other) -> Tensor(a!)

    In-place version of igammac.
    """

def mvlgamma(input: Tensor, p: _int, *, out: Tensor | None = ...) -> Tensor:
    """mvlgamma(Tensor self, int p) -> Tensor

    Computes the multivariate log gamma function of ``p`` dimensions: the sum of
    ``lgamma(self - i / 2)`` over i = 0 … p - 1, plus ``p * (p - 1) / 4 * log(pi)``.
    """

@overload
def pow(input: Tensor, exponent: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """pow.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor

    Computes ``self`` to the power of ``exponent``.
    """

@overload
def pow(input: Tensor, exponent: _Scalar, *, out: Tensor | None = ...) -> Tensor:
    """pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor

    Computes ``self`` to the power of a number.
    """

@overload
def pow(input: _Scalar, exponent: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """pow.Scalar(Scalar self, Tensor exponent) -> Tensor

    Computes a number to the power of each element.
    """

@overload
def pow_(input: Tensor, exponent: Tensor) -> Tensor:
    """pow_.Tensor(Tensor(a!) self, Tensor exponent) -> Tensor(a!)

    In-place version of pow.
    """

@overload
def pow_(input: Tensor, exponent: _Scalar) -> Tensor:
    """pow_.Scalar(Tensor(a!) self, Scalar exponent) -> Tensor(a!)

    In-place version of pow.
    """

def square(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """square(Tensor self) -> Tensor

    Computes the square of each element.
    """

def square_(input: Tensor) -> Tensor:
    """square_(Tensor(a!) self) -> Tensor(a!)

    In-place version of square.
    """

@overload
def float_power(input: Tensor, exponent: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """float_power.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor

    Computes ``pow`` in float64, or in complex128 if an operand is complex.
    """

@overload
def float_power(input: _Scalar, exponent: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """float_power.Scalar(Scalar self, Tensor exponent) -> Tensor

    Computes ``pow`` in float64, or in complex128 if an operand is complex.
    """

@overload
def float_power(input: Tensor, exponent: _Scalar, *, out: Tensor | None = ...) -> Tensor:
    """float_power.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor

    Computes ``pow`` in float64, or in complex128 if an operand is complex.
    """

@overload
def float_power_(input: Tensor, exponent: Tensor) -> Tensor:
    """float_power_.Tensor(Tensor(a!) self, Tensor exponent) -> Tensor(a!)

    In-place version of float_power.
    """

@overload
def float_power_(input: Tensor, exponent: _Scalar) -> Tensor:
    """float_power_.Scalar(Tensor(a!) self, Scalar exponent) -> Tensor(a!)

    In-place version of float_power.
    """

def ldexp(input: Tensor, other: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """ldexp.Tensor(Tensor self, Tensor other) -> Tensor

    Computes ``self * 2 ** other``.
    """

def ldexp_(input: Tensor, other: Tensor) -> Tensor:
    """ldexp_(Tensor(a!) self, Tensor other) -> Tensor(a!)

    In-place version of ldexp.
    """

def i0(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """i0(Tensor self) -> Tensor

    Computes the modified Bessel function of the first kind of order 0.  NaN of infinities.
    """

def i0_(input: Tensor) -> Tensor:
    """i0_(Tensor(a!) self) -> Tensor(a!)

    In-place version of i0.
    """

@overload
def searchsorted(
    sorted_sequence: Tensor,
    input: Tensor,
    *,
    out_int32: _bool = ...,
    right: _bool = ...,
    side: Literal["left", "right"] | None = ...,
    sorter: Tensor | None = ...,
    out: Tensor | None = ...,
) -> Tensor:
    """searchsorted.Tensor(Tensor sorted_sequence, Tensor self, *, bool out_int32=False, bool right=False, str? side=None, Tensor? sorter=None) -> Tensor

    Returns the index at which to insert each element into ``sorted_sequence`` to keep it sorted.
    """

@overload
def searchsorted(
    sorted_sequence: Tensor,
    input: _Scalar,
    *,
    out_int32: _bool = ...,
    right: _bool = ...,
    side: Literal["left", "right"] | None = ...,
    sorter: Tensor | None = ...,
    out: Tensor | None = ...,
) -> Tensor:
    """searchsorted.Scalar(Tensor sorted_sequence, Scalar self, *, bool out_int32=False, bool right=False, str? side=None, Tensor? sorter=None) -> Tensor

    Returns the index at which to insert a number into ``sorted_sequence``, a 1-D tensor, to keep it
    sorted.
    """

@overload
def bucketize(
    input: Tensor, boundaries: Tensor, *, out_int32: _bool = ..., right: _bool = ..., out: Tensor | None = ...
) -> Tensor:
    """bucketize.Tensor(Tensor self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor

    Returns the index (int64, or int32 with ``out_int32``) of the bucket of each element.
    """

@overload
def bucketize(input: _Scalar, boundaries: Tensor, *, out_int32: _bool = ..., right: _bool = ...) -> Tensor:
    """bucketize.Scalar(Scalar self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor

    Returns the index of the bucket of a number.
    """

def histc(
    input: Tensor, bins: _int = ..., min: _Scalar = ..., max: _Scalar = ..., *, out: Tensor | None = ...
) -> Tensor:
    """histc(Tensor self, int bins=100, Scalar min=0, Scalar max=0) -> Tensor

    Counts the elements in ``bins`` bins of equal width between ``min`` and ``max``.
    """

@overload
def histogram(
    input: Tensor,
    bins: Tensor,
    *,
    weight: Tensor | None = ...,
    density: _bool = ...,
    out: Sequence[Tensor] | None = ...,
) -> _histogram_result:
    """histogram.bins_tensor(Tensor self, Tensor bins, *, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor bin_edges)

    Counts the elements between adjacent edges in ``bins``, which are increasing.
    """

@overload
def histogram(
    input: Tensor,
    bins: _int = ...,
    *,
    range: Sequence[_float] | None = ...,
    weight: Tensor | None = ...,
    density: _bool = ...,
    out: Sequence[Tensor] | None = ...,
) -> _histogram_result:
    """histogram.bin_ct(Tensor self, int bins=100, *, float[]? range=None, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor bin_edges)

    Counts the elements in ``bins`` bins of equal width in ``range``, by default from the least to the
    greatest element.  Raises RuntimeError if dtypes or sizes do not match, NotImplementedError for a dtype that
    is not floating point.
    """

@overload
def trapezoid(y: Tensor, x: Tensor, *, dim: _int = ...) -> Tensor:
    """trapezoid.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor

    Returns the integral along ``dim`` of the function with values ``y``, by the trapezoidal rule.
    """

@overload
def trapezoid(y: Tensor, *, dx: _Scalar = ..., dim: _int = ...) -> Tensor:
    """trapezoid.dx(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor

    Returns the integral along ``dim`` of the function with values ``y``, by the trapezoidal rule.
    """

@overload
def trapz(y: Tensor, x: Tensor, *, dim: _int = ...) -> Tensor:
    """trapz.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor

    Alias for ``trapezoid``.
    """

@overload
def trapz(y: Tensor, *, dx: _float = ..., dim: _int = ...) -> Tensor:
    """trapz.dx(Tensor y, *, float dx=1, int dim=-1) -> Tensor

    Alias for ``trapezoid``.
    """

@overload
def cumulative_trapezoid(y: Tensor, x: Tensor, *, dim: _int = ...) -> Tensor:
    """cumulative_trapezoid.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor

    Returns the integrals along ``dim`` from the first point to each of the others.
    """

@overload
def cumulative_trapezoid(y: Tensor, *, dx: _Scalar = ..., dim: _int = ...) -> Tensor:
    """cumulative_trapezoid.dx(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor

    Returns the integrals along ``dim`` from the first point to each of the others.
    """

@overload
def gradient(input: Tensor, *, dim: Sequence[_int], edge_order: _int = ...) -> tuple[Tensor, ...]:
    """gradient.array(Tensor self, *, int[] dim, int edge_order=1) -> Tensor[]

    Returns the derivatives of a sampled function along each dimension, or along those of ``dim``.
    """

@overload
def gradient(
    input: Tensor, *, spacing: _Scalar, dim: Sequence[_int], edge_order: _int = ...
) -> tuple[Tensor, ...]:
    """gradient.scalararray(Tensor self, *, Scalar spacing, int[] dim, int edge_order=1) -> Tensor[]

    Returns the derivatives of a sampled function along each dimension, or along those of ``dim``.
    """

@overload
def gradient(
    input: Tensor, *, spacing: _Scalar | None = ..., dim: _int | None = ..., edge_order: _int = ...
) -> tuple[Tensor, ...]:
    """gradient.scalarint(Tensor self, *, Scalar? spacing=None, int? dim=None, int edge_order=1) -> Tensor[]

    Returns the derivatives of a sampled function along each dimension, or along those of ``dim``.
    """

@overload
def gradient(
    input: Tensor, *, spacing: Sequence[_Scalar], dim: _int | None = ..., edge_order: _int = ...
) -> tuple[Tensor, ...]:
    """gradient.scalarrayint(Tensor self, *, Scalar[] spacing, int? dim=None, int edge_order=1) -> Tensor[]

    Returns the derivatives of a sampled function along each dimension, or along those of ``dim``.
    """

@overload
def gradient(
    input: Tensor, *, spacing: Sequence[_Scalar], dim: Sequence[_int], edge_order: _int = ...
) -> tuple[Tensor, ...]:
    """gradient.scalarrayarray(Tensor self, *, Scalar[] spacing, int[] dim, int edge_order=1) -> Tensor[]

    Returns the derivatives of a sampled function along each dimension, or along those of ``dim``.
    """

@overload
def gradient(
    input: Tensor, *, spacing: Sequence[Tensor], dim: _int | None = ..., edge_order: _int = ...
) -> tuple[Tensor, ...]:
    """gradient.tensorarrayint(Tensor self, *, Tensor[] spacing, int? dim=None, int edge_order=1) -> Tensor[]

    Returns the derivatives of a sampled function along each dimension, or along those of ``dim``.
    """

@overload
def gradient(
    input: Tensor, *, spacing: Sequence[Tensor], dim: Sequence[_int], edge_order: _int = ...
) -> tuple[Tensor, ...]:
    """gradient.tensorarray(Tensor self, *, Tensor[] spacing, int[] dim, int edge_order=1) -> Tensor[]

    Returns the derivatives of a sampled function along each dimension, or along those of ``dim``.
    """

def dist(input: Tensor, other: Tensor, p: _Scalar = ..., *, out: Tensor | None = ...) -> Tensor:
    """dist(Tensor self, Tensor other, Scalar p=2) -> Tensor

    Computes the ``p``-norm of ``self - other``; the operands broadcast.
    """

def renorm(input: Tensor, p: _Scalar, dim: _int, maxnorm: _Scalar, *, out: Tensor | None = ...) -> Tensor:
    """renorm(Tensor self, Scalar p, int dim, Scalar maxnorm) -> Tensor

    Scales each slice along ``dim`` whose ``p``-norm is above ``maxnorm`` to that norm.
    """

def renorm_(input: Tensor, p: _Scalar, dim: _int, maxnorm: _Scalar) -> Tensor:
    """renorm_(Tensor(a!) self, Scalar p, int dim, Scalar maxnorm) -> Tensor(a!)

    In-place version of renorm.
    """

@overload
def nuclear_norm(input: Tensor, keepdim: _bool = ..., *, out: Tensor | None = ...) -> Tensor:
    """nuclear_norm(Tensor self, bool keepdim=False) -> Tensor

    Computes the sum of the singular values of matrices, in the last two dimensions.
    """

@overload
def nuclear_norm(
    input: Tensor, dim: Sequence[_int] | _int, keepdim: _bool = ..., *, out: Tensor | None = ...
) -> Tensor:
    """nuclear_norm.dim(Tensor self, int[2] dim, bool keepdim=False) -> Tensor

    The same for matrices in the two dimensions ``dim``.
    """

def frobenius_norm(
    input: Tensor, dim: Sequence[_int] | _int, keepdim: _bool = ..., *, out: Tensor | None = ...
) -> Tensor:
    """frobenius_norm.dim(Tensor self, int[1] dim, bool keepdim=False) -> Tensor

    Computes the 2-norm of the elements over at most two dimensions ``dim``, or over all if it is ().
    """

def norm_except_dim(v: Tensor, pow: _int = ..., dim: _int = ...) -> Tensor:
    """norm_except_dim(Tensor v, int pow=2, int dim=0) -> Tensor

    Computes the norm of order ``pow`` of each slice along ``dim``, as a tensor that broadcasts with
    ``v``; for a ``dim`` of -1, of all elements.
    """

@overload
def sum(input: Tensor, *, dtype: _dtype | None = ..., out: Tensor | None = ...) -> Tensor:
    """sum(Tensor self, *, ScalarType? dtype=None) -> Tensor

    Returns the sum of all elements.
    """

@overload
def sum(
    input: Tensor,
    dim: Sequence[_int] | _int | None,
    keepdim: _bool = ...,
    *,
    dtype: _dtype | None = ...,
    out: Tensor | None = ...,
) -> Tensor:
    """sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor

    Returns the sum over dimensions ``dim`` (all if None or empty), removed unless ``keepdim``.
    """

@overload
def mean(input: Tensor, *, dtype: _dtype | None = ..., out: Tensor | None = ...) -> Tensor:
    """mean(Tensor self, *, ScalarType? dtype=None) -> Tensor

    Returns the mean of all elements.
    """

@overload
def mean(
    input: Tensor,
    dim: Sequence[_int] | _int | None,
    keepdim: _bool = ...,
    *,
    dtype: _dtype | None = ...,
    out: Tensor | None = ...,
) -> Tensor:
    """mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor

    Returns the mean over dimensions ``dim`` (all if None or empty), removed unless ``keepdim``.
    """

def logsumexp(
    input: Tensor, dim: Sequence[_int] | _int, keepdim: _bool = ..., *, out: Tensor | None = ...
) -> Tensor:
    """logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor

    Computes ``log(sum(exp(x)))`` over dimensions ``dim`` without overflow.
    """

@overload
def prod(input: Tensor, *, dtype: _dtype | None = ..., out: Tensor | None = ...) -> Tensor:
    """prod(Tensor self, *, ScalarType? dtype=None) -> Tensor

    Returns the product of all elements.
    """

@overload
def prod(
    input: Tensor, dim: _int, keepdim: _bool = ..., *, dtype: _dtype | None = ..., out: Tensor | None = ...
) -> Tensor:
    """prod.dim_int(Tensor self, int dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor

    Returns the product over dimension ``dim``; integers are multiplied in int64 unless ``dtype`` is
    given.
    """

def amax(
    input: Tensor, dim: Sequence[_int] | _int = ..., keepdim: _bool = ..., *, out: Tensor | None = ...
) -> Tensor:
    """amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor

    Returns the maximum over dimensions ``dim`` (all if empty); NaN if any element is NaN.
    """

def amin(
    input: Tensor, dim: Sequence[_int] | _int = ..., keepdim: _bool = ..., *, out: Tensor | None = ...
) -> Tensor:
    """amin(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor

    Returns the minimum over dimensions ``dim`` (all if empty); NaN if any element is NaN.
    """

def hash_tensor(
    input: Tensor,
    dim: Sequence[_int] | _int = ...,
    *,
    keepdim: _bool = ...,
    mode: _int = ...,
    out: Tensor | None = ...,
) -> Tensor:
    """hash_tensor(Tensor self, int[1] dim=[], *, bool keepdim=False, int mode=0) -> Tensor

    Returns a hash over dimensions ``dim`` (all if empty), uint64: the exclusive or of the bits of all
    elements, of floats as float64 and of integers as int64.
    """

@overload
def max(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """max(Tensor self) -> Tensor

    Returns the maximum of all elements, or along ``dim``; NaN if any element is NaN.
    """

@overload
def max(input: Tensor, dim: _int, keepdim: _bool = ..., *, out: Sequence[Tensor] | None = ...) -> _max_result:
    """max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)

    Returns the maximum along ``dim`` and the index (int64) of its first occurrence; NaN counts as
    the maximum.
    """

@overload
def max(input: Tensor, other: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """max.other(Tensor self, Tensor other) -> Tensor

    Returns the larger of each pair of elements, like ``maximum``.
    """

@overload
def min(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """min(Tensor self) -> Tensor

    Returns the minimum of all elements, or along ``dim``; NaN if any element is NaN.
    """

@overload
def min(input: Tensor, dim: _int, keepdim: _bool = ..., *, out: Sequence[Tensor] | None = ...) -> _min_result:
    """min.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)

    Returns the minimum along ``dim`` and the index (int64) of its first occurrence; NaN counts as
    the minimum.
    """

@overload
def min(input: Tensor, other: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """min.other(Tensor self, Tensor other) -> Tensor

    Returns the smaller of each pair of elements, like ``minimum``.
    """

def argmax(
    input: Tensor, dim: _int | None = ..., keepdim: _bool = ..., *, out: Tensor | None = ...
) -> Tensor:
    """argmax(Tensor self, int? dim=None, bool keepdim=False) -> Tensor

    Returns the index (int64) of the first maximum along ``dim``, or in the flattened tensor if None.
    """

def argmin(
    input: Tensor, dim: _int | None = ..., keepdim: _bool = ..., *, out: Tensor | None = ...
) -> Tensor:
    """argmin(Tensor self, int? dim=None, bool keepdim=False) -> Tensor

    Returns the index (int64) of the first minimum along ``dim``, or in the flattened tensor if None.
    """

@overload
def any(
    input: Tensor, dim: Sequence[_int] | None = ..., keepdim: _bool = ..., *, out: Tensor | None = ...
) -> Tensor:
    """any.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor

    Tests whether any elements over dimensions ``dim`` are nonzero.  The result is bool, or
    uint8 for uint8.
    """

@overload
def any(input: Tensor, dim: _int, keepdim: _bool = ..., *, out: Tensor | None = ...) -> Tensor:
    """any.dim(Tensor self, int dim, bool keepdim=False) -> Tensor

    Tests whether any elements along ``dim`` are nonzero.
    """

@overload
def all(
    input: Tensor, dim: Sequence[_int] | None = ..., keepdim: _bool = ..., *, out: Tensor | None = ...
) -> Tensor:
    """all.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor

    Tests whether all elements over dimensions ``dim`` are nonzero.  The result is bool, or
    uint8 for uint8.
    """

@overload
def all(input: Tensor, dim: _int, keepdim: _bool = ..., *, out: Tensor | None = ...) -> Tensor:
    """all.dim(Tensor self, int dim, bool keepdim=False) -> Tensor

    Tests whether all elements along ``dim`` are nonzero.
    """

def _is_any_true(input: Tensor) -> Tensor:
    """_is_any_true(Tensor self) -> Tensor

    ``any`` of a bool tensor.  Raises RuntimeError for other dtypes.
    """

def _is_all_true(input: Tensor) -> Tensor:
    """_is_all_true(Tensor self) -> Tensor

    ``all`` of a bool tensor.  Raises RuntimeError for other dtypes.
    """

@overload
def count_nonzero(input: Tensor, dim: _int | None = ...) -> Tensor:
    """count_nonzero(Tensor self, int? dim=None) -> Tensor

    Counts the nonzero elements (int64) along ``dim``, or all of them.
    """

@overload
def count_nonzero(input: Tensor, dim: Sequence[_int]) -> Tensor:
    """count_nonzero.dim_IntList(Tensor self, int[] dim) -> Tensor

    Counts the nonzero elements over dimensions ``dim`` (int64).
    """

def cumsum(input: Tensor, dim: _int, *, dtype: _dtype | None = ..., out: Tensor | None = ...) -> Tensor:
    """cumsum(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor

    Returns the cumulative sum of the elements along ``dim``.
    """

def cumsum_(input: Tensor, dim: _int, *, dtype: _dtype | None = ...) -> Tensor:
    """cumsum_(Tensor(a!) self, int dim, *, ScalarType? dtype=None) -> Tensor(a!)

    In-place version of cumsum.
    """

def cumprod(input: Tensor, dim: _int, *, dtype: _dtype | None = ..., out: Tensor | None = ...) -> Tensor:
    """cumprod(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor

    Returns the cumulative product of the elements along ``dim``.
    """

def cumprod_(input: Tensor, dim: _int, *, dtype: _dtype | None = ...) -> Tensor:
    """cumprod_(Tensor(a!) self, int dim, *, ScalarType? dtype=None) -> Tensor(a!)

    In-place version of cumprod.
    """

def logcumsumexp(input: Tensor, dim: _int, *, out: Tensor | None = ...) -> Tensor:
    """logcumsumexp(Tensor self, int dim) -> Tensor

    Returns the logarithm of the cumulative sum of the exponentials of the elements along ``dim``.
    """

def cummax(input: Tensor, dim: _int, *, out: Sequence[Tensor] | None = ...) -> _cummax_result:
    """cummax(Tensor self, int dim) -> (Tensor values, Tensor indices)

    Returns the cumulative maximum of the elements along ``dim``, and its index (int64).
    """

def cummin(input: Tensor, dim: _int, *, out: Sequence[Tensor] | None = ...) -> _cummin_result:
    """cummin(Tensor self, int dim) -> (Tensor values, Tensor indices)

    Returns the cumulative minimum of the elements along ``dim``, and its index (int64).
    """

def diff(
    input: Tensor,
    n: _int = ...,
    dim: _int = ...,
    prepend: Tensor | None = ...,
    append: Tensor | None = ...,
    *,
    out: Tensor | None = ...,
) -> Tensor:
    """diff(Tensor self, int n=1, int dim=-1, Tensor? prepend=None, Tensor? append=None) -> Tensor

    Computes the ``n``-th differences of adjacent elements along ``dim``; exclusive or for bool.
    """

def segment_reduce(
    data: Tensor,
    reduce: Literal["sum", "mean", "max", "min", "prod"],
    *,
    lengths: Tensor | None = ...,
    indices: Tensor | None = ...,
    offsets: Tensor | None = ...,
    axis: _int = ...,
    unsafe: _bool = ...,
    initial: _Scalar | None = ...,
    out: Tensor | None = ...,
) -> Tensor:
    """segment_reduce(Tensor data, str reduce, *, Tensor? lengths=None, Tensor? indices=None, Tensor? offsets=None, int axis=0, bool unsafe=False, Scalar? initial=None) -> Tensor

    Reduces segments of ``data`` along ``axis``: ``reduce`` is sum, mean, prod, max or min.
    """

def sort(
    input: Tensor,
    *,
    stable: _bool | None = ...,
    dim: _int = ...,
    descending: _bool = ...,
    out: Sequence[Tensor] | None = ...,
) -> _sort_result:
    """sort.stable(Tensor self, *, bool? stable, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)

    Sorts the elements along ``dim``; returns the sorted elements and their indices (int64).
    """

def msort(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """msort(Tensor self) -> Tensor

    Sorts the elements along the first dimension in ascending order.
    """

@overload
def argsort(input: Tensor, dim: _int = ..., descending: _bool = ...) -> Tensor:
    """argsort(Tensor self, int dim=-1, bool descending=False) -> Tensor

    Returns the indices (int64) that sort the elements along ``dim``.
    """

@overload
def argsort(
    input: Tensor, *, stable: _bool, dim: _int = ..., descending: _bool = ..., out: Tensor | None = ...
) -> Tensor:
    """argsort.stable(Tensor self, *, bool stable, int dim=-1, bool descending=False) -> Tensor

    Returns the indices (int64) that sort the elements along ``dim``; equal elements keep their order.
    """

def topk(
    input: Tensor,
    k: _int,
    dim: _int = ...,
    largest: _bool = ...,
    sorted: _bool = ...,
    *,
    out: Sequence[Tensor] | None = ...,
) -> _topk_result:
    """topk(Tensor self, SymInt k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor values, Tensor indices)

    Returns the ``k`` largest (or smallest) elements along ``dim`` and their indices (int64).
    """

def kthvalue(
    input: Tensor, k: _int, dim: _int = ..., keepdim: _bool = ..., *, out: Sequence[Tensor] | None = ...
) -> _kthvalue_result:
    """kthvalue(Tensor self, SymInt k, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)

    Returns the ``k``-th smallest element along ``dim``, counted from 1, and its index (int64).
    """

@overload
def median(input: Tensor) -> Tensor:
    """median(Tensor self) -> Tensor

    Returns the lower median of all elements; NaN if any element is NaN.
    """

@overload
def median(
    input: Tensor, dim: _int, keepdim: _bool = ..., *, out: Sequence[Tensor] | None = ...
) -> _median_result:
    """median.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)

    Returns the lower median along ``dim`` and its index (int64); NaN if any element is NaN.
    """

@overload
def nanmedian(input: Tensor) -> Tensor:
    """nanmedian(Tensor self) -> Tensor

    Returns the lower median of all elements; NaN is ignored.
    """

@overload
def nanmedian(
    input: Tensor, dim: _int, keepdim: _bool = ..., *, out: Sequence[Tensor] | None = ...
) -> _nanmedian_result:
    """nanmedian.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)

    Returns the lower median along ``dim`` and its index (int64); NaN is ignored.
    """

def mode(
    input: Tensor, dim: _int = ..., keepdim: _bool = ..., *, out: Sequence[Tensor] | None = ...
) -> _mode_result:
    """mode(Tensor self, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)

    Returns the most frequent element along ``dim``, and the index (int64) of its last occurrence.
    """

@overload
def quantile(
    input: Tensor,
    q: Tensor,
    dim: _int | None = ...,
    keepdim: _bool = ...,
    *,
    interpolation: Literal["linear", "lower", "higher", "midpoint", "nearest"] = ...,
    out: Tensor | None = ...,
) -> Tensor:
    """quantile(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, str interpolation='linear') -> Tensor

    Computes the ``q``-th quantiles of the elements along ``dim``, or of all elements; NaN if any element is NaN.
    """

@overload
def quantile(
    input: Tensor,
    q: _float,
    dim: _int | None = ...,
    keepdim: _bool = ...,
    *,
    interpolation: Literal["linear", "lower", "higher", "midpoint", "nearest"] = ...,
    out: Tensor | None = ...,
) -> Tensor:
    """quantile.scalar(Tensor self, float q, int? dim=None, bool keepdim=False, *, str interpolation='linear') -> Tensor

    Computes the ``q``-th quantiles of the elements along ``dim``, or of all elements; NaN if any element is NaN.
    """

@overload
def nanquantile(
    input: Tensor,
    q: Tensor,
    dim: _int | None = ...,
    keepdim: _bool = ...,
    *,
    interpolation: Literal["linear", "lower", "higher", "midpoint", "nearest"] = ...,
    out: Tensor | None = ...,
) -> Tensor:
    """nanquantile(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, str interpolation='linear') -> Tensor

    Computes the ``q``-th quantiles of the elements along ``dim``, or of all elements; NaN is ignored.
    """

@overload
def nanquantile(
    input: Tensor,
    q: _float,
    dim: _int | None = ...,
    keepdim: _bool = ...,
    *,
    interpolation: Literal["linear", "lower", "higher", "midpoint", "nearest"] = ...,
    out: Tensor | None = ...,
) -> Tensor:
    """nanquantile.scalar(Tensor self, float q, int? dim=None, bool keepdim=False, *, str interpolation='linear') -> Tensor

    Computes the ``q``-th quantiles of the elements along ``dim``, or of all elements; NaN is ignored.
    """

@overload
def var(input: Tensor, unbiased: _bool = ...) -> Tensor:
    """var(Tensor self, bool unbiased=True) -> Tensor

    Computes the variance of all elements.
    """

@overload
def var(
    input: Tensor,
    dim: Sequence[_int] | _int | None = ...,
    *,
    correction: _Scalar | None = ...,
    keepdim: _bool = ...,
    out: Tensor | None = ...,
) -> Tensor:
    """var.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor

    Computes the variance over dimensions ``dim`` (all if None or empty), removed unless ``keepdim``.
    """

@overload
def var(
    input: Tensor,
    dim: Sequence[_int] | _int | None,
    unbiased: _bool = ...,
    keepdim: _bool = ...,
    *,
    out: Tensor | None = ...,
) -> Tensor:
    """var.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor

    Computes the variance over dimensions ``dim``, with correction 1 if ``unbiased``, else 0.
    """

@overload
def std(input: Tensor, unbiased: _bool = ...) -> Tensor:
    """std(Tensor self, bool unbiased=True) -> Tensor

    Computes the standard deviation of all elements.
    """

@overload
def std(
    input: Tensor,
    dim: Sequence[_int] | _int | None = ...,
    *,
    correction: _Scalar | None = ...,
    keepdim: _bool = ...,
    out: Tensor | None = ...,
) -> Tensor:
    """std.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor

    Computes the standard deviation, the square root of ``var``.  Its gradient at 0 is 0.
    """

@overload
def std(
    input: Tensor,
    dim: Sequence[_int] | _int | None,
    unbiased: _bool = ...,
    keepdim: _bool = ...,
    *,
    out: Tensor | None = ...,
) -> Tensor:
    """std.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor

    Computes the standard deviation over dimensions ``dim``, with correction 1 if ``unbiased``, else 0.
    """

@overload
def var_mean(input: Tensor, unbiased: _bool = ...) -> tuple[Tensor, Tensor]:
    """var_mean(Tensor self, bool unbiased=True) -> (Tensor, Tensor)

    Computes the variance and the mean of all elements.
    """

@overload
def var_mean(
    input: Tensor,
    dim: Sequence[_int] | _int | None = ...,
    *,
    correction: _Scalar | None = ...,
    keepdim: _bool = ...,
) -> tuple[Tensor, Tensor]:
    """var_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> (Tensor, Tensor)

    Computes the variance and the mean over dimensions ``dim``.
    """

@overload
def var_mean(
    input: Tensor, dim: Sequence[_int] | _int | None, unbiased: _bool = ..., keepdim: _bool = ...
) -> tuple[Tensor, Tensor]:
    """var_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, Tensor)

    Computes the variance and the mean over dimensions ``dim``.
    """

@overload
def std_mean(input: Tensor, unbiased: _bool = ...) -> tuple[Tensor, Tensor]:
    """std_mean(Tensor self, bool unbiased=True) -> (Tensor, Tensor)

    Computes the standard deviation and the mean of all elements.
    """

@overload
def std_mean(
    input: Tensor,
    dim: Sequence[_int] | _int | None = ...,
    *,
    correction: _Scalar | None = ...,
    keepdim: _bool = ...,
) -> tuple[Tensor, Tensor]:
    """std_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> (Tensor, Tensor)

    Computes the standard deviation and the mean over dimensions ``dim``.
    """

@overload
def std_mean(
    input: Tensor, dim: Sequence[_int] | _int | None, unbiased: _bool = ..., keepdim: _bool = ...
) -> tuple[Tensor, Tensor]:
    """std_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, Tensor)

    Computes the standard deviation and the mean over dimensions ``dim``.
    """

def nansum(
    input: Tensor,
    dim: Sequence[_int] | _int | None = ...,
    keepdim: _bool = ...,
    *,
    dtype: _dtype | None = ...,
    out: Tensor | None = ...,
) -> Tensor:
    """nansum(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor

    Returns the sum over dimensions ``dim`` (all if None or empty), counting NaN as 0.
    """

def nanmean(
    input: Tensor,
    dim: Sequence[_int] | _int | None = ...,
    keepdim: _bool = ...,
    *,
    dtype: _dtype | None = ...,
    out: Tensor | None = ...,
) -> Tensor:
    """nanmean(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor

    Returns the mean over dimensions ``dim`` of the elements that are not NaN; NaN if there are none.
    """

def aminmax(
    input: Tensor, *, dim: _int | None = ..., keepdim: _bool = ..., out: Sequence[Tensor] | None = ...
) -> _aminmax_result:
    """aminmax(Tensor self, *, int? dim=None, bool keepdim=False) -> (Tensor min, Tensor max)

    Returns the minimum and the maximum along ``dim``, or of all elements; NaN if any element is NaN.
    """

def cov(
    input: Tensor, *, correction: _int = ..., fweights: Tensor | None = ..., aweights: Tensor | None = ...
) -> Tensor:
    """cov(Tensor self, *, int correction=1, Tensor? fweights=None, Tensor? aweights=None) -> Tensor

    Computes the covariance matrix (n, n) of the variables in the rows of ``self`` (n, observations).
    """

def corrcoef(input: Tensor) -> Tensor:
    """corrcoef(Tensor self) -> Tensor

    Computes the matrix (n, n) of Pearson correlation coefficients of the variables in the rows of
    ``self``.
    """

def bincount(input: Tensor, weights: Tensor | None = ..., minlength: _int = ...) -> Tensor:
    """bincount(Tensor self, Tensor? weights=None, SymInt minlength=0) -> Tensor

    Counts the occurrences of each value in a 1-D tensor of nonnegative integers (int64).
    """

def unique_dim(
    input: Tensor, dim: _int, sorted: _bool = ..., return_inverse: _bool = ..., return_counts: _bool = ...
) -> tuple[Tensor, Tensor, Tensor]:
    """unique_dim(Tensor self, int dim, bool sorted=True, bool return_inverse=False, bool return_counts=False) -> (Tensor, Tensor, Tensor)

    Returns the distinct slices along ``dim`` in ascending order, inverse indices and counts.
    """

def unique_dim_consecutive(
    input: Tensor, dim: _int, return_inverse: _bool = ..., return_counts: _bool = ...
) -> tuple[Tensor, Tensor, Tensor]:
    """unique_dim_consecutive(Tensor self, int dim, bool return_inverse=False, bool return_counts=False) -> (Tensor, Tensor, Tensor)

    Returns the first of each run of equal slices along ``dim``, the index of each slice's run, and the
    runs' lengths.
    """

def combinations(input: Tensor, r: _int = ..., with_replacement: _bool = ...) -> Tensor:
    """combinations(Tensor self, int r=2, bool with_replacement=False) -> Tensor

    Returns all combinations of ``r`` elements of a vector, as the rows of a matrix, in the order of
    ``itertools.combinations``, or of ``combinations_with_replacement``.
    """

@overload
def fill_(input: Tensor, value: _Scalar) -> Tensor:
    """fill_.Scalar(Tensor(a!) self, Scalar value) -> Tensor(a!)

    Fills ``self`` with the number ``value``; returns ``self``.
    """

@overload
def fill_(input: Tensor, value: Tensor) -> Tensor:
    """fill_.Tensor(Tensor(a!) self, Tensor value) -> Tensor(a!)

    Fills ``self`` with the value of a 0-dim tensor; returns ``self``.
    """

@overload
def fill(input: Tensor, value: _Scalar) -> Tensor:
    """fill.Scalar(Tensor self, Scalar value) -> Tensor

    Returns a tensor like ``self``, filled with the number ``value``.
    """

@overload
def fill(input: Tensor, value: Tensor) -> Tensor:
    """fill.Tensor(Tensor self, Tensor value) -> Tensor

    Returns a tensor like ``self``, filled with the value of a 0-dim tensor.
    """

def zero_(input: Tensor) -> Tensor:
    """zero_(Tensor(a!) self) -> Tensor(a!)

    Sets every element to 0; returns ``self``.
    """

def clone(input: Tensor, *, memory_format: _memory_format | None = ...) -> Tensor:
    """clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor

    Returns a copy of ``self``, with the same sizes and dtype; it preserves the memory format unless
    ``memory_format`` is given.
    """

def diagonal(input: Tensor, offset: _int = ..., dim1: _int = ..., dim2: _int = ...) -> Tensor:
    """diagonal(Tensor(a) self, int offset=0, int dim1=0, int dim2=1) -> Tensor(a)

    Returns a view of the diagonals with respect to ``dim1`` and ``dim2``, as its last dimension.
    """

def diagonal_backward(
    grad_output: Tensor, input_sizes: Sequence[_int], offset: _int, dim1: _int, dim2: _int
) -> Tensor:
    """diagonal_backward(Tensor grad_output, SymInt[] input_sizes, int offset, int dim1, int dim2) -> Tensor

    Returns zeros of sizes ``input_sizes`` with ``grad_output`` on the diagonal.
    """

def diag_embed(input: Tensor, offset: _int = ..., dim1: _int = ..., dim2: _int = ...) -> Tensor:
    """diag_embed(Tensor self, int offset=0, int dim1=-2, int dim2=-1) -> Tensor

    Returns zeros with the last dimension of ``self`` on the diagonals of two new dimensions, ``dim1``
    and ``dim2``.
    """

def diag(input: Tensor, diagonal: _int = ..., *, out: Tensor | None = ...) -> Tensor:
    """diag(Tensor self, int diagonal=0) -> Tensor

    Returns a matrix with the vector ``self`` on its diagonal, or a copy of the diagonal of the matrix
    ``self``.  Raises RuntimeError for other numbers of dimensions.
    """

def diagflat(input: Tensor, offset: _int = ...) -> Tensor:
    """diagflat(Tensor self, int offset=0) -> Tensor

    Returns a matrix with all elements of ``self``, in row-major order, on its diagonal.
    """

def cat(tensors: Sequence[Tensor], dim: _int = ..., *, out: Tensor | None = ...) -> Tensor:
    """cat(Tensor[] tensors, int dim=0) -> Tensor

    Concatenates tensors along dimension ``dim``; their other sizes must match, their dtypes promote.
    """

def concat(tensors: Sequence[Tensor], dim: _int = ..., *, out: Tensor | None = ...) -> Tensor:
    """concat(Tensor[] tensors, int dim=0) -> Tensor

    Alias of cat.
    """

def concatenate(tensors: Sequence[Tensor], dim: _int = ..., *, out: Tensor | None = ...) -> Tensor:
    """concatenate(Tensor[] tensors, int dim=0) -> Tensor

    Alias of cat.
    """

def stack(tensors: Sequence[Tensor], dim: _int = ..., *, out: Tensor | None = ...) -> Tensor:
    """stack(Tensor[] tensors, int dim=0) -> Tensor

    Stacks tensors of equal sizes along a new dimension ``dim``.
    """

def hstack(tensors: Sequence[Tensor], *, out: Tensor | None = ...) -> Tensor:
    """hstack(Tensor[] tensors) -> Tensor

    Concatenates tensors horizontally: along dimension 1, vectors along 0.  Raises RuntimeError for an empty list.
    """

def vstack(tensors: Sequence[Tensor], *, out: Tensor | None = ...) -> Tensor:
    """vstack(Tensor[] tensors) -> Tensor

    Concatenates tensors vertically: along dimension 0, vectors as rows.  Raises RuntimeError for an empty list.
    """

def row_stack(tensors: Sequence[Tensor], *, out: Tensor | None = ...) -> Tensor:
    """row_stack(Tensor[] tensors) -> Tensor

    Alias of vstack.  Raises RuntimeError for an empty list.
    """

def dstack(tensors: Sequence[Tensor], *, out: Tensor | None = ...) -> Tensor:
    """dstack(Tensor[] tensors) -> Tensor

    Concatenates tensors depthwise: along dimension 2, after atleast_3d.  Raises RuntimeError for an empty list.
    """

def column_stack(tensors: Sequence[Tensor], *, out: Tensor | None = ...) -> Tensor:
    """column_stack(Tensor[] tensors) -> Tensor

    Concatenates tensors along dimension 1, vectors as columns.  Raises RuntimeError for an empty list.
    """

def _chunk_cat(tensors: Sequence[Tensor], dim: _int, num_chunks: _int, *, out: Tensor | None = ...) -> Tensor:
    """_chunk_cat(Tensor[] tensors, int dim, int num_chunks) -> Tensor

    Cuts each tensor along ``dim`` into ``num_chunks`` pieces of equal length, and joins the pieces.
    """

def permute(input: Tensor, dims: Sequence[_int]) -> Tensor:
    """permute(Tensor(a) self, int[] dims) -> Tensor(a)

    Returns a view with the dimensions permuted: dimension i of the result is dimension ``dims[i]``.
    """

def transpose(input: Tensor, dim0: _int, dim1: _int) -> Tensor:
    """transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)

    Returns a view with two dimensions swapped.
    """

def t(input: Tensor) -> Tensor:
    """t(Tensor(a) self) -> Tensor(a)

    Returns the transpose of a matrix as a view; 0-dim and 1-D tensors unchanged.  Raises RuntimeError
    for more dimensions.
    """

def swapaxes(input: Tensor, axis0: _int, axis1: _int) -> Tensor:
    """swapaxes(Tensor(a) self, int axis0, int axis1) -> Tensor(a)

    Returns a view with two dimensions swapped; NumPy's name for transpose.
    """

def swapdims(input: Tensor, dim0: _int, dim1: _int) -> Tensor:
    """swapdims(Tensor(a) self, int dim0, int dim1) -> Tensor(a)

    Returns a view with two dimensions swapped; NumPy's name for transpose.
    """

@overload
def movedim(input: Tensor, source: Sequence[_int], destination: Sequence[_int]) -> Tensor:
    """movedim.intlist(Tensor(a) self, int[] source, int[] destination) -> Tensor(a)

    Returns a view with dimensions ``source`` moved to ``destination``; the others keep their
    order.
    """

@overload
def movedim(input: Tensor, source: _int, destination: _int) -> Tensor:
    """movedim.int(Tensor(a) self, int source, int destination) -> Tensor(a)

    Returns a view with dimension ``source`` moved to ``destination``.
    """

@overload
def moveaxis(input: Tensor, source: Sequence[_int], destination: Sequence[_int]) -> Tensor:
    """moveaxis.intlist(Tensor(a) self, int[] source, int[] destination) -> Tensor(a)

    Returns a view with dimensions ``source`` moved to ``destination``; the others keep their
    order.
    """

@overload
def moveaxis(input: Tensor, source: _int, destination: _int) -> Tensor:
    """moveaxis.int(Tensor(a) self, int source, int destination) -> Tensor(a)

    Returns a view with dimension ``source`` moved to ``destination``.
    """

def flip(input: Tensor, dims: Sequence[_int]) -> Tensor:
    """flip(Tensor self, int[] dims) -> Tensor

    Returns a copy with the order of the elements reversed along each dimension in ``dims``.
    """

def fliplr(input: Tensor) -> Tensor:
    """fliplr(Tensor self) -> Tensor

    Returns a copy with dimension 1, the columns of a matrix, in reverse order.
    """

def flipud(input: Tensor) -> Tensor:
    """flipud(Tensor self) -> Tensor

    Returns a copy with dimension 0, the rows of a matrix, in reverse order.
    """

def roll(input: Tensor, shifts: Sequence[_int] | _int, dims: Sequence[_int] | _int = ...) -> Tensor:
    """roll(Tensor self, SymInt[1] shifts, int[1] dims=[]) -> Tensor

    Returns a copy with dimension ``dims[j]`` rolled by ``shifts[j]``: element i moves to
    ``i + shifts[j]``, modulo the size.
    """

def rot90(input: Tensor, k: _int = ..., dims: Sequence[_int] = ...) -> Tensor:
    """rot90(Tensor self, int k=1, int[] dims=[0,1]) -> Tensor

    Returns a copy rotated ``k`` times by 90 degrees in the plane of two dimensions, from the first
    towards the second.
    """

def tile(input: Tensor, dims: Sequence[_int]) -> Tensor:
    """tile(Tensor self, SymInt[] dims) -> Tensor

    Repeats ``self`` ``dims[i]`` times along dimension i; missing leading ``dims`` are 1.
    """

@overload
def repeat_interleave(repeats: Tensor, *, output_size: _int | None = ...) -> Tensor:
    """repeat_interleave.Tensor(Tensor repeats, *, SymInt? output_size=None) -> Tensor

    Returns the index i ``repeats[i]`` times, for each i.
    """

@overload
def repeat_interleave(
    input: Tensor, repeats: Tensor, dim: _int | None = ..., *, output_size: _int | None = ...
) -> Tensor:
    """repeat_interleave.self_Tensor(Tensor self, Tensor repeats, int? dim=None, *, SymInt? output_size=None) -> Tensor

    Repeats each slice i of dimension ``dim`` ``repeats[i]`` times in a row; without ``dim``, each
    element of the flattened tensor.
    """

@overload
def repeat_interleave(
    input: Tensor, repeats: _int, dim: _int | None = ..., *, output_size: _int | None = ...
) -> Tensor:
    """repeat_interleave.self_int(Tensor self, SymInt repeats, int? dim=None, *, SymInt? output_size=None) -> Tensor

    Repeats each slice of dimension ``dim`` ``repeats`` times in a row.
    """

def unbind(input: Tensor, dim: _int = ...) -> tuple[Tensor, ...]:
    """unbind.int(Tensor(a -> *) self, int dim=0) -> Tensor(a)[]

    Returns all slices along dimension ``dim``, as views without that dimension.
    """

def split_with_sizes(input: Tensor, split_sizes: Sequence[_int], dim: _int = ...) -> tuple[Tensor, ...]:
    """split_with_sizes(Tensor(a -> *) self, SymInt[] split_sizes, int dim=0) -> Tensor(a)[]

    Splits dimension ``dim`` into chunks of the given sizes, as views.
    """

def chunk(input: Tensor, chunks: _int, dim: _int = ...) -> tuple[Tensor, ...]:
    """chunk(Tensor(a -> *) self, int chunks, int dim=0) -> Tensor(a)[]

    Splits dimension ``dim`` into at most ``chunks`` chunks of equal size, as views; the last may be
    smaller.
    """

def unsafe_split(input: Tensor, split_size: _int, dim: _int = ...) -> tuple[Tensor, ...]:
    """unsafe_split.Tensor(Tensor self, SymInt split_size, int dim=0) -> Tensor[]

    Returns the chunks of split, without autograd's restrictions on in-place writes to views.
    """

def unsafe_split_with_sizes(
    input: Tensor, split_sizes: Sequence[_int], dim: _int = ...
) -> tuple[Tensor, ...]:
    """unsafe_split_with_sizes(Tensor self, SymInt[] split_sizes, int dim=0) -> Tensor[]

    Returns the chunks of split_with_sizes, without autograd's restrictions on in-place writes to
    views.
    """

def unsafe_chunk(input: Tensor, chunks: _int, dim: _int = ...) -> tuple[Tensor, ...]:
    """unsafe_chunk(Tensor self, int chunks, int dim=0) -> Tensor[]

    Returns the chunks of chunk along dimension ``dim``, without autograd's restrictions on in-place
    writes to views.
    """

@overload
def tensor_split(input: Tensor, sections: _int, dim: _int = ...) -> tuple[Tensor, ...]:
    """tensor_split.sections(Tensor(a -> *) self, SymInt sections, int dim=0) -> Tensor(a)[]

    Splits dimension ``dim`` into ``sections`` views; if it does not divide evenly, the first ones are
    larger by 1.
    """

@overload
def tensor_split(input: Tensor, indices: Sequence[_int], dim: _int = ...) -> tuple[Tensor, ...]:
    """tensor_split.indices(Tensor(a -> *) self, SymInt[] indices, int dim=0) -> Tensor(a)[]

    Splits dimension ``dim`` at ``indices``, as views; indices out of range are clamped.
    """

@overload
def tensor_split(input: Tensor, tensor_indices_or_sections: Tensor, dim: _int = ...) -> tuple[Tensor, ...]:
    """tensor_split.tensor_indices_or_sections(Tensor(a -> *) self, Tensor tensor_indices_or_sections, int dim=0) -> Tensor(a)[]

    As above, by an int64 tensor: 0-dim for the number of sections, 1-D for the indices.
    """

@overload
def hsplit(input: Tensor, sections: _int) -> tuple[Tensor, ...]:
    """hsplit.int(Tensor(a -> *) self, int sections) -> Tensor(a)[]

    Splits dimension 1 (0 of a vector) into ``sections`` views of equal size.  Raises RuntimeError if it does not divide evenly.
    """

@overload
def hsplit(input: Tensor, indices: Sequence[_int]) -> tuple[Tensor, ...]:
    """hsplit.array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]

    Splits dimension 1 (0 of a vector) at ``indices``, as views.
    """

@overload
def vsplit(input: Tensor, sections: _int) -> tuple[Tensor, ...]:
    """vsplit.int(Tensor(a -> *) self, int sections) -> Tensor(a)[]

    Splits dimension 0 into ``sections`` views of equal size.  Raises RuntimeError if it does not divide evenly.
    """

@overload
def vsplit(input: Tensor, indices: Sequence[_int]) -> tuple[Tensor, ...]:
    """vsplit.array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]

    Splits dimension 0 at ``indices``, as views.
    """

@overload
def dsplit(input: Tensor, sections: _int) -> tuple[Tensor, ...]:
    """dsplit.int(Tensor(a -> *) self, int sections) -> Tensor(a)[]

    Splits dimension 2 into ``sections`` views of equal size.  Raises RuntimeError if it does not divide evenly.
    """

@overload
def dsplit(input: Tensor, indices: Sequence[_int]) -> tuple[Tensor, ...]:
    """dsplit.array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]

    Splits dimension 2 at ``indices``, as views.
    """

def as_strided(
    input: Tensor, size: Sequence[_int], stride: Sequence[_int], storage_offset: _int | None = ...
) -> Tensor:
    """as_strided(Tensor(a) self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor(a)

    Returns a view of the storage with the given sizes and strides (in elements); ``storage_offset``
    defaults to that of ``self``.
    """

def unfold_backward(
    grad_in: Tensor, input_sizes: Sequence[_int], dim: _int, size: _int, step: _int
) -> Tensor:
    """unfold_backward(Tensor grad_in, SymInt[] input_sizes, int dim, int size, int step) -> Tensor

    Sums the windows ``grad_in`` into zeros of sizes ``input_sizes``, at the elements that unfold took
    them from.
    """

def reshape(input: Tensor, shape: Sequence[_int]) -> Tensor:
    """reshape(Tensor(a) self, SymInt[] shape) -> Tensor(a)

    Returns the same elements in another shape: a view if the strides allow it, else a copy.
    """

def flatten(input: Tensor, start_dim: _int = ..., end_dim: _int = ...) -> Tensor:
    """flatten.using_ints(Tensor(a) self, int start_dim=0, int end_dim=-1) -> Tensor(a)

    Flattens dimensions ``start_dim`` to ``end_dim`` into one.
    """

def ravel(input: Tensor) -> Tensor:
    """ravel(Tensor(a) self) -> Tensor(a)

    Flattens ``self`` into one dimension in row-major order: a view of a contiguous tensor, else a
    copy.
    """

def unflatten(input: Tensor, dim: _int, sizes: Sequence[_int]) -> Tensor:
    """unflatten.int(Tensor(a) self, int dim, SymInt[] sizes) -> Tensor(a)

    Expands dimension ``dim`` into dimensions of ``sizes``, one of which may be -1.  Raises
    RuntimeError unless their product is its size.
    """

def broadcast_to(input: Tensor, size: Sequence[_int]) -> Tensor:
    """broadcast_to(Tensor(a) self, SymInt[] size) -> Tensor(a)

    Expands ``self`` to ``size``; see Tensor.expand.
    """

@overload
def squeeze(input: Tensor) -> Tensor:
    """squeeze(Tensor(a) self) -> Tensor(a)

    Returns a view without the dimensions of size 1.
    """

@overload
def squeeze(input: Tensor, dim: _int) -> Tensor:
    """squeeze.dim(Tensor(a) self, int dim) -> Tensor(a)

    Returns a view without dimension ``dim`` if its size is 1.
    """

@overload
def squeeze(input: Tensor, dim: Sequence[_int]) -> Tensor:
    """squeeze.dims(Tensor(a) self, int[] dim) -> Tensor(a)

    Returns a view without those of the dimensions ``dim`` whose size is 1.
    """

def unsqueeze(input: Tensor, dim: _int) -> Tensor:
    """unsqueeze(Tensor(a) self, int dim) -> Tensor(a)

    Returns a view with a new dimension of size 1 at position ``dim``.
    """

def select(input: Tensor, dim: _int, index: _int) -> Tensor:
    """select.int(Tensor(a) self, int dim, SymInt index) -> Tensor(a)

    Returns the slice at ``index`` of dimension ``dim``, as a view without that dimension.  Raises
    IndexError if out of range.
    """

def select_backward(grad_output: Tensor, input_sizes: Sequence[_int], dim: _int, index: _int) -> Tensor:
    """select_backward(Tensor grad_output, SymInt[] input_sizes, int dim, SymInt index) -> Tensor

    Returns zeros of sizes ``input_sizes`` with ``grad_output`` at ``index`` of dimension ``dim``.
    """

def slice(
    input: Tensor, dim: _int = ..., start: _int | None = ..., end: _int | None = ..., step: _int = ...
) -> Tensor:
    """slice.Tensor(Tensor(a) self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor(a)

    Returns a view of elements ``start`` (inclusive) to ``end`` (exclusive) of dimension ``dim``, every
    ``step``-th; bounds are clamped, ``step`` is positive.
    """

def slice_backward(
    grad_output: Tensor, input_sizes: Sequence[_int], dim: _int, start: _int, end: _int, step: _int
) -> Tensor:
    """slice_backward(Tensor grad_output, SymInt[] input_sizes, int dim, SymInt start, SymInt end, SymInt step) -> Tensor

    Returns zeros of sizes ``input_sizes`` with ``grad_output`` in the slice.
    """

@overload
def narrow(input: Tensor, dim: _int, start: _int, length: _int) -> Tensor:
    """narrow(Tensor(a) self, int dim, SymInt start, SymInt length) -> Tensor(a)

    Returns a view of ``length`` elements of dimension ``dim``, beginning at ``start``.  Raises
    IndexError if ``start`` is out of range, RuntimeError if ``start + length`` is.
    """

@overload
def narrow(input: Tensor, dim: _int, start: Tensor, length: _int) -> Tensor:
    """narrow.Tensor(Tensor(a) self, int dim, Tensor start, SymInt length) -> Tensor(a)

    As above, with ``start`` as a 0-dim integer tensor.
    """

def detach(input: Tensor) -> Tensor:
    """detach(Tensor(a) self) -> Tensor(a)

    Returns a view detached from the autograd graph: it does not require grad.
    """

def alias(input: Tensor) -> Tensor:
    """alias(Tensor(a) self) -> Tensor(a)

    Returns another tensor over the same memory.
    """

def alias_copy(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """alias_copy(Tensor self) -> Tensor

    Returns what ``alias`` returns as a contiguous copy with memory of its own.
    """

def as_strided_copy(
    input: Tensor,
    size: Sequence[_int],
    stride: Sequence[_int],
    storage_offset: _int | None = ...,
    *,
    out: Tensor | None = ...,
) -> Tensor:
    """as_strided_copy(Tensor self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor

    Returns what ``as_strided`` returns as a contiguous copy with memory of its own.
    """

def detach_copy(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """detach_copy(Tensor self) -> Tensor

    Returns what ``detach`` returns as a contiguous copy with memory of its own.
    """

def diagonal_copy(
    input: Tensor, offset: _int = ..., dim1: _int = ..., dim2: _int = ..., *, out: Tensor | None = ...
) -> Tensor:
    """diagonal_copy(Tensor self, int offset=0, int dim1=0, int dim2=1) -> Tensor

    Returns what ``diagonal`` returns as a contiguous copy with memory of its own.
    """

def expand_copy(
    input: Tensor, size: Sequence[_int], *, implicit: _bool = ..., out: Tensor | None = ...
) -> Tensor:
    """expand_copy(Tensor self, SymInt[] size, *, bool implicit=False) -> Tensor

    Returns what ``expand`` returns as a contiguous copy with memory of its own.
    """

def narrow_copy(input: Tensor, dim: _int, start: _int, length: _int, *, out: Tensor | None = ...) -> Tensor:
    """narrow_copy(Tensor self, int dim, SymInt start, SymInt length) -> Tensor

    Returns what ``narrow`` returns as a contiguous copy with memory of its own.
    """

def permute_copy(input: Tensor, dims: Sequence[_int], *, out: Tensor | None = ...) -> Tensor:
    """permute_copy(Tensor self, int[] dims) -> Tensor

    Returns what ``permute`` returns as a contiguous copy with memory of its own.
    """

def select_copy(input: Tensor, dim: _int, index: _int, *, out: Tensor | None = ...) -> Tensor:
    """select_copy.int(Tensor self, int dim, SymInt index) -> Tensor

    Returns what ``select`` returns as a contiguous copy with memory of its own.
    """

def slice_copy(
    input: Tensor,
    dim: _int = ...,
    start: _int | None = ...,
    end: _int | None = ...,
    step: _int = ...,
    *,
    out: Tensor | None = ...,
) -> Tensor:
    """slice_copy.Tensor(Tensor self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor

    Returns what ``slice`` returns as a contiguous copy with memory of its own.
    """

def split_copy(
    input: Tensor, split_size: _int, dim: _int = ..., *, out: Tensor | None = ...
) -> tuple[Tensor, ...]:
    """split_copy.Tensor(Tensor self, SymInt split_size, int dim=0) -> Tensor[]

    Returns what ``split`` returns as a contiguous copy with memory of its own.
    """

def split_with_sizes_copy(
    input: Tensor, split_sizes: Sequence[_int], dim: _int = ..., *, out: Tensor | None = ...
) -> tuple[Tensor, ...]:
    """split_with_sizes_copy(Tensor self, SymInt[] split_sizes, int dim=0) -> Tensor[]

    Returns what ``split_with_sizes`` returns as a contiguous copy with memory of its own.
    """

@overload
def squeeze_copy(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """squeeze_copy(Tensor self) -> Tensor

    Returns what ``squeeze`` returns as a contiguous copy with memory of its own.
    """

@overload
def squeeze_copy(input: Tensor, dim: _int, *, out: Tensor | None = ...) -> Tensor:
    """squeeze_copy.dim(Tensor self, int dim) -> Tensor

    Returns what ``squeeze`` returns as a contiguous copy with memory of its own.
    """

@overload
def squeeze_copy(input: Tensor, dim: Sequence[_int], *, out: Tensor | None = ...) -> Tensor:
    """squeeze_copy.dims(Tensor self, int[] dim) -> Tensor

    Returns what ``squeeze`` returns as a contiguous copy with memory of its own.
    """

def t_copy(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """t_copy(Tensor self) -> Tensor

    Returns what ``t`` returns as a contiguous copy with memory of its own.
    """

def transpose_copy(input: Tensor, dim0: _int, dim1: _int, *, out: Tensor | None = ...) -> Tensor:
    """transpose_copy.int(Tensor self, int dim0, int dim1) -> Tensor

    Returns what ``transpose`` returns as a contiguous copy with memory of its own.
    """

def unbind_copy(input: Tensor, dim: _int = ..., *, out: Tensor | None = ...) -> tuple[Tensor, ...]:
    """unbind_copy.int(Tensor self, int dim=0) -> Tensor[]

    Returns what ``unbind`` returns as a contiguous copy with memory of its own.
    """

def unfold_copy(
    input: Tensor, dimension: _int, size: _int, step: _int, *, out: Tensor | None = ...
) -> Tensor:
    """unfold_copy(Tensor self, int dimension, int size, int step) -> Tensor

    Returns what ``unfold`` returns as a contiguous copy with memory of its own.
    """

def unsqueeze_copy(input: Tensor, dim: _int, *, out: Tensor | None = ...) -> Tensor:
    """unsqueeze_copy(Tensor self, int dim) -> Tensor

    Returns what ``unsqueeze`` returns as a contiguous copy with memory of its own.
    """

@overload
def view_copy(input: Tensor, size: Sequence[_int], *, out: Tensor | None = ...) -> Tensor:
    """view_copy(Tensor self, SymInt[] size) -> Tensor

    Returns what ``view`` returns as a contiguous copy with memory of its own.
    """

@overload
def view_copy(input: Tensor, dtype: _dtype, *, out: Tensor | None = ...) -> Tensor:
    """view_copy.dtype(Tensor self, ScalarType dtype) -> Tensor

    Returns what ``view`` returns as a contiguous copy with memory of its own.
    """

def view_as_complex_copy(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """view_as_complex_copy(Tensor self) -> Tensor

    Returns what ``view_as_complex`` returns as a contiguous copy with memory of its own.
    """

def view_as_real_copy(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """view_as_real_copy(Tensor self) -> Tensor

    Returns what ``view_as_real`` returns as a contiguous copy with memory of its own.
    """

def as_strided_(
    input: Tensor, size: Sequence[_int], stride: Sequence[_int], storage_offset: _int | None = ...
) -> Tensor:
    """as_strided_(Tensor(a!) self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor(a!)

    Gives ``self`` the sizes and strides of the view, in-place.
    """

def detach_(input: Tensor) -> Tensor:
    """detach_(Tensor(a!) self) -> Tensor(a!)

    Detaches ``self`` from the autograd graph in-place: it becomes a leaf that does not require grad.
    Raises RuntimeError for a view.
    """

def slice_scatter(
    input: Tensor,
    src: Tensor,
    dim: _int = ...,
    start: _int | None = ...,
    end: _int | None = ...,
    step: _int = ...,
    *,
    out: Tensor | None = ...,
) -> Tensor:
    """slice_scatter(Tensor self, Tensor src, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor

    Returns a copy of ``self`` with ``src`` written to the elements that ``slice`` selects.  Raises
    RuntimeError if the sizes of ``src`` differ.
    """

def select_scatter(input: Tensor, src: Tensor, dim: _int, index: _int) -> Tensor:
    """select_scatter(Tensor self, Tensor src, int dim, SymInt index) -> Tensor

    Returns a copy of ``self`` with ``src`` written to ``index`` of dimension ``dim``.  Raises
    RuntimeError if the sizes of ``src`` differ.
    """

def diagonal_scatter(
    input: Tensor, src: Tensor, offset: _int = ..., dim1: _int = ..., dim2: _int = ...
) -> Tensor:
    """diagonal_scatter(Tensor self, Tensor src, int offset=0, int dim1=0, int dim2=1) -> Tensor

    Returns a copy of ``self`` with ``src`` written to the diagonal of ``dim1`` and ``dim2``.  Raises
    RuntimeError if the sizes of ``src`` differ.
    """

def as_strided_scatter(
    input: Tensor,
    src: Tensor,
    size: Sequence[_int],
    stride: Sequence[_int],
    storage_offset: _int | None = ...,
) -> Tensor:
    """as_strided_scatter(Tensor self, Tensor src, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor

    Returns a copy of ``self`` with ``src`` written to the elements that as_strided selects; the
    gradients assume that ``self`` is contiguous.
    """

def smm(input: Tensor, mat2: Tensor) -> Tensor:
    """smm(Tensor self, Tensor mat2) -> Tensor

    The product of a sparse and a strided matrix, as a sparse one.
    """

def sspaddmm(
    input: Tensor,
    mat1: Tensor,
    mat2: Tensor,
    *,
    beta: _Scalar = ...,
    alpha: _Scalar = ...,
    out: Tensor | None = ...,
) -> Tensor:
    """sspaddmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor

    ``beta`` * ``self`` + ``alpha`` * the product of a sparse and a strided matrix; sparse.
    """

def hspmm(mat1: Tensor, mat2: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """hspmm(Tensor mat1, Tensor mat2) -> Tensor

    The product of a sparse and a strided matrix, as a hybrid tensor whose values are rows.
    """

def values_copy(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """values_copy(Tensor self) -> Tensor

    A copy of what ``Tensor.values`` returns, with memory of its own.
    """

def crow_indices_copy(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """crow_indices_copy(Tensor self) -> Tensor

    A copy of what ``Tensor.crow_indices`` returns, with memory of its own.
    """

def col_indices_copy(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """col_indices_copy(Tensor self) -> Tensor

    A copy of what ``Tensor.col_indices`` returns, with memory of its own.
    """

def ccol_indices_copy(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """ccol_indices_copy(Tensor self) -> Tensor

    A copy of what ``Tensor.ccol_indices`` returns, with memory of its own.
    """

def row_indices_copy(input: Tensor, *, out: Tensor | None = ...) -> Tensor:
    """row_indices_copy(Tensor self) -> Tensor

    A copy of what ``Tensor.row_indices`` returns, with memory of its own.
    """

def resize_as_sparse_(input: Tensor, the_template: Tensor) -> Tensor:
    """resize_as_sparse_(Tensor(a!) self, Tensor the_template) -> Tensor(a!)

    Resize a sparse tensor in place to the sizes of ``the_template``, of the same layout; see
    sparse_resize_.
    """

def mkldnn_convolution(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    padding: Sequence[_int],
    stride: Sequence[_int],
    dilation: Sequence[_int],
    groups: _int,
) -> Tensor:
    """mkldnn_convolution(Tensor self, Tensor weight, Tensor? bias, SymInt[] padding, SymInt[] stride, SymInt[] dilation, SymInt groups) -> Tensor

    Convolves input (N, C_in, *spatial), opaque or strided, with weight (C_out, C_in / groups, *).
    """

def mkldnn_max_pool2d(
    input: Tensor,
    kernel_size: Sequence[_int] | _int,
    stride: Sequence[_int] | _int = ...,
    padding: Sequence[_int] | _int = ...,
    dilation: Sequence[_int] | _int = ...,
    ceil_mode: _bool = ...,
) -> Tensor:
    """mkldnn_max_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, bool ceil_mode=False) -> Tensor

    Returns the maximum of each window of an opaque tensor (N, C, *spatial).
    """

def mkldnn_max_pool3d(
    input: Tensor,
    kernel_size: Sequence[_int] | _int,
    stride: Sequence[_int] | _int = ...,
    padding: Sequence[_int] | _int = ...,
    dilation: Sequence[_int] | _int = ...,
    ceil_mode: _bool = ...,
) -> Tensor:
    """mkldnn_max_pool3d(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, int[3] dilation=1, bool ceil_mode=False) -> Tensor

    Returns the maximum of each window of an opaque tensor (N, C, *spatial).
    """

def mkldnn_adaptive_avg_pool2d(input: Tensor, output_size: Sequence[_int] | _int) -> Tensor:
    """mkldnn_adaptive_avg_pool2d(Tensor self, int[2] output_size) -> Tensor

    Returns the mean of each window of an opaque tensor (N, C, H, W), ``output_size`` windows per
    dimension.
    """

@overload
def quantize_per_tensor(input: Tensor, scale: _float, zero_point: _int, dtype: _dtype) -> Tensor:
    """quantize_per_tensor(Tensor self, float scale, int zero_point, ScalarType dtype) -> Tensor

    Quantizes ``self``, float32, to ``dtype`` with one scale: to round(self / scale + zero_point).
    """

@overload
def quantize_per_tensor(input: Tensor, scale: Tensor, zero_point: Tensor, dtype: _dtype) -> Tensor:
    """quantize_per_tensor.tensor_qparams(Tensor self, Tensor scale, Tensor zero_point, ScalarType dtype) -> Tensor

    quantize_per_tensor with a scale and a zero point in tensors of one element.
    """

@overload
def quantize_per_tensor(
    tensors: Sequence[Tensor], scales: Tensor, zero_points: Tensor, dtype: _dtype
) -> tuple[Tensor, ...]:
    """quantize_per_tensor.tensors(Tensor[] tensors, Tensor scales, Tensor zero_points, ScalarType dtype) -> Tensor[]

    quantize_per_tensor of each tensor, with its element of ``scales`` and ``zero_points``.
    """

def quantize_per_channel(
    input: Tensor, scales: Tensor, zero_points: Tensor, axis: _int, dtype: _dtype
) -> Tensor:
    """quantize_per_channel(Tensor self, Tensor scales, Tensor zero_points, int axis, ScalarType dtype) -> Tensor

    Quantizes ``self``, float32, with a scale and a zero point for each index of dimension ``axis``.
    """

def quantize_per_tensor_dynamic(input: Tensor, dtype: _dtype, reduce_range: _bool) -> Tensor:
    """quantize_per_tensor_dynamic(Tensor self, ScalarType dtype, bool reduce_range) -> Tensor

    Quantizes ``self``, float32, to ``dtype``, qint8 or quint8, with the scale that its range needs.
    """

def _choose_qparams_per_tensor(input: Tensor, reduce_range: _bool = ...) -> tuple[_float, _int]:
    """_choose_qparams_per_tensor(Tensor self, bool reduce_range=False) -> (float, int)

    The scale and the zero point with which quint8 represents the range of ``self``.
    """

def _make_per_tensor_quantized_tensor(input: Tensor, scale: _float, zero_point: _int) -> Tensor:
    """_make_per_tensor_quantized_tensor(Tensor self, float scale, int zero_point) -> Tensor

    The quantized tensor with the integers ``self``, int8, uint8 or int32, and one scale.
    """

def _make_per_channel_quantized_tensor(
    input: Tensor, scale: Tensor, zero_point: Tensor, axis: _int
) -> Tensor:
    """_make_per_channel_quantized_tensor(Tensor self, Tensor scale, Tensor zero_point, int axis) -> Tensor

    The quantized tensor with the integers ``self``, int8, uint8 or int32, and a scale for each channel.
    """

@overload
def _empty_affine_quantized(
    size: Sequence[_int],
    *,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    scale: _float = ...,
    zero_point: _int = ...,
    memory_format: _memory_format | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """_empty_affine_quantized(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, float scale=1, int zero_point=0, MemoryFormat? memory_format=contiguous_format) -> Tensor

    An uninitialized quantized tensor with one scale.  Raises RuntimeError for a dtype that is not
    quantized.
    """

@overload
def _empty_affine_quantized(
    *size: _int,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    scale: _float = ...,
    zero_point: _int = ...,
    memory_format: _memory_format | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """_empty_affine_quantized(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, float scale=1, int zero_point=0, MemoryFormat? memory_format=contiguous_format) -> Tensor

    An uninitialized quantized tensor with one scale.  Raises RuntimeError for a dtype that is not
    quantized.
    """

@overload
def _empty_per_channel_affine_quantized(
    size: Sequence[_int],
    *,
    scales: Tensor,
    zero_points: Tensor,
    axis: _int,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    memory_format: _memory_format | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """_empty_per_channel_affine_quantized(SymInt[] size, *, Tensor scales, Tensor zero_points, int axis, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=contiguous_format) -> Tensor

    An uninitialized quantized tensor with a scale for each channel.  Raises RuntimeError for a dtype that
    is not quantized.
    """

@overload
def _empty_per_channel_affine_quantized(
    *size: _int,
    scales: Tensor,
    zero_points: Tensor,
    axis: _int,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    memory_format: _memory_format | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """_empty_per_channel_affine_quantized(SymInt[] size, *, Tensor scales, Tensor zero_points, int axis, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=contiguous_format) -> Tensor

    An uninitialized quantized tensor with a scale for each channel.  Raises RuntimeError for a dtype that
    is not quantized.
    """

def empty_quantized(
    size: Sequence[_int],
    qtensor: Tensor,
    *,
    dtype: _dtype | None = ...,
    layout: _layout | None = ...,
    device: _Device | None = ...,
    pin_memory: _bool | None = ...,
    memory_format: _memory_format | None = ...,
    requires_grad: _bool = ...,
) -> Tensor:
    """empty_quantized(int[] size, Tensor qtensor, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor

    An uninitialized tensor that is quantized as ``qtensor`` is.
    """

@overload
def dequantize(input: Tensor) -> Tensor:
    """dequantize.self(Tensor self) -> Tensor

    The numbers of a quantized tensor, float32; another tensor is converted to float32, as ``to`` does.
    """

@overload
def dequantize(tensors: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """dequantize.tensors(Tensor[] tensors) -> Tensor[]

    ``dequantize`` of each tensor.
    """

def int_repr(input: Tensor) -> Tensor:
    """int_repr(Tensor self) -> Tensor

    A copy of the integers of a quantized tensor: int8, uint8 or int32.  Raises NotImplementedError for a
    tensor that is not quantized.
    """

def q_scale(input: Tensor) -> _float:
    """q_scale(Tensor self) -> float

    The scale.  Raises RuntimeError for a tensor that is quantized per channel.
    """

def q_zero_point(input: Tensor) -> _int:
    """q_zero_point(Tensor self) -> int

    The zero point.  Raises RuntimeError for a tensor that is quantized per channel.
    """

def q_per_channel_scales(input: Tensor) -> Tensor:
    """q_per_channel_scales(Tensor self) -> Tensor

    The scales (channels,), float64.  Raises RuntimeError for a tensor that is quantized as a whole.
    """

def q_per_channel_zero_points(input: Tensor) -> Tensor:
    """q_per_channel_zero_points(Tensor self) -> Tensor

    The zero points (channels,), int64.  Raises RuntimeError for a tensor that is quantized as a whole.
    """

def q_per_channel_axis(input: Tensor) -> _int:
    """q_per_channel_axis(Tensor self) -> int

    The dimension of the channels.  Raises RuntimeError for a tensor that is quantized as a whole.
    """

def quantized_batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    mean: Tensor,
    var: Tensor,
    eps: _float,
    output_scale: _float,
    output_zero_point: _int,
) -> Tensor:
    """quantized_batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor mean, Tensor var, float eps, float output_scale, int output_zero_point) -> Tensor

    Batch normalization of a quantized tensor (N, C, *) by given ``mean`` and ``var`` (C,), float32.
    """

def quantized_max_pool1d(
    input: Tensor,
    kernel_size: Sequence[_int] | _int,
    stride: Sequence[_int] | _int = ...,
    padding: Sequence[_int] | _int = ...,
    dilation: Sequence[_int] | _int = ...,
    ceil_mode: _bool = ...,
) -> Tensor:
    """quantized_max_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=0, int[1] dilation=1, bool ceil_mode=False) -> Tensor

    max_pool1d of a quantized tensor.  Raises NotImplementedError for one that is not.
    """

def quantized_max_pool2d(
    input: Tensor,
    kernel_size: Sequence[_int] | _int,
    stride: Sequence[_int] | _int = ...,
    padding: Sequence[_int] | _int = ...,
    dilation: Sequence[_int] | _int = ...,
    ceil_mode: _bool = ...,
) -> Tensor:
    """quantized_max_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, bool ceil_mode=False) -> Tensor

    max_pool2d of a quantized tensor.  Raises NotImplementedError for one that is not.
    """

def quantized_max_pool3d(
    input: Tensor,
    kernel_size: Sequence[_int] | _int,
    stride: Sequence[_int] | _int = ...,
    padding: Sequence[_int] | _int = ...,
    dilation: Sequence[_int] | _int = ...,
    ceil_mode: _bool = ...,
) -> Tensor:
    """quantized_max_pool3d(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, int[3] dilation=1, bool ceil_mode=False) -> Tensor

    max_pool3d of a quantized tensor.  Raises NotImplementedError for one that is not.
    """
