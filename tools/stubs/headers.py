"""The beginnings of the stub files: imports, names of types, and what no record of an operator has."""

from __future__ import annotations

ALIASES = """
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
"""

TENSOR_HEADER = '''"""Types of memory/tensor.py and of Tensor's methods.  Written by tools/make_stubs.py."""

import builtins
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from enum import IntEnum
from types import EllipsisType
from typing import Any, Literal, NamedTuple, Protocol, SupportsIndex, TypeAlias, TypeVar, overload
from weakref import ReferenceType

from numpy.typing import NDArray
from typing_extensions import Self

from ..autograd.hooks import RemovableHandle
from ..autograd.node import Node
from ..numerics.generator import Generator
from ..quantized.quantizer import qscheme
from ..values.device import device, layout, memory_format
from ..values.dispatch_key import DispatchKeySet
from ..values.dtype import dtype
from ..values.geometry import Size
from .spec import Spec
from .storage import Storage
{aliases}
_Self = TypeVar("_Self", bound=Tensor)
_Element_co = TypeVar("_Element_co", covariant=True)

class _Array(Protocol):
    """An array of NumPy or of another library, but no scalar."""
    def __len__(self) -> _int: ...
    def __array__(self) -> Any: ...

class _Nested(Protocol[_Element_co]):
    """A sequence, perhaps of sequences; no str or bytes, where ``in`` does not take any object."""
    def __len__(self) -> _int: ...
    @overload
    def __getitem__(self, index: _int, /) -> _Element_co | _Nested[_Element_co]: ...
    @overload
    def __getitem__(self, index: slice, /) -> object: ...
    def __contains__(self, value: object, /) -> _bool: ...

_Bound: TypeAlias = SupportsIndex | None
_Place: TypeAlias = SupportsIndex | slice[_Bound, _Bound, _Bound] | EllipsisType | Tensor | _Array | None
_Index: TypeAlias = _Place | _Nested[_Place] | deque[Any]'''

HEADER = '''"""Types of gnomon's public names.  Written by tools/make_stubs.py from the operators' records."""

import builtins
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, overload

from numpy.typing import NDArray

{submodules}
{accelerator}
{amp}
{array_api}
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
{functional}
from .bindings.tensor_types import set_default_tensor_type as set_default_tensor_type
from .bindings.tensor_types import tensortype
from .bindings.tensor_types import typename as typename
from .bindings.typed_storage import TypedStorage as TypedStorage
from .calls.launch import fallback_policy as fallback_policy
from .calls.launch import fallbacks as fallbacks
from .calls.launch import set_fallback_policy as set_fallback_policy
{compiler}
from .dispatch.python_dispatch import DispatchMode as DispatchMode
from .func.vmap import vmap as vmap
{learn}
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
{results}
from .memory.text import set_printoptions as set_printoptions
from .quantized.quantizer import qscheme as qscheme
from .random import Generator as Generator
from .random import default_generator as default_generator
from .random import get_rng_state as get_rng_state
from .random import initial_seed as initial_seed
from .random import manual_seed as manual_seed
from .random import seed as seed
from .random import set_rng_state as set_rng_state
{serialization}
{sparse}
from .sparse.older_names import dsmm as dsmm
from .sparse.older_names import hsmm as hsmm
from .sparse.older_names import indices_copy as indices_copy
from .sparse.older_names import saddmm as saddmm
from .sparse.older_names import spmm as spmm
{values}
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
{aliases}'''

MODULE_HEADER = '''"""Types of gnomon.{module}.  Written by tools/make_stubs.py."""

import builtins
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, TypeAlias, overload

from ..memory.tensor import Tensor
from ..values.device import device, layout, memory_format
from ..values.dtype import dtype
{errors}{aliases}

'''

MODULE_ERRORS = {"linalg": "from ..values.errors import LinAlgError as LinAlgError\n"}

FUNCTIONAL_HEADER = '''"""Types of gnomon.nn.functional.  Written by tools/make_stubs.py."""

import builtins
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias, overload

from ...memory.tensor import Tensor
from ...numerics.generator import Generator
from ...values.dtype import dtype
from ..common_types import {words}
{imports}
from .linear_cross_entropy import LinearCrossEntropyOptions
_int: TypeAlias = int
_float: TypeAlias = float
_bool: TypeAlias = bool
_dtype: TypeAlias = dtype
_Number: TypeAlias = _bool | _int | _float
_Scalar: TypeAlias = _Number | builtins.complex
_Operand: TypeAlias = Tensor | _Scalar
'''
