"""Dispatch keys: features that may intercept a call before the backend's kernel runs.

A tensor carries a set of keys, a thread includes and excludes some (its modes), and a call runs the highest
key in the result that has a kernel for the operator.  A kernel does its part, and *redispatches* to the keys
below its own.

The backend of a Dense kernel is not a key here: the tensor's device selects it.  PyTorch's "per-backend
functionality keys" (Dense x CPU, Dense x CUDA) correspond to pairs (Dense, device type).

Sets are ints, one bit per key, so that one ``|`` of the operands' keys and the mode word decides a call.

Source: c10/core/DispatchKey.h, c10/core/DispatchKeySet.h.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextvars import ContextVar
from enum import IntEnum


class DispatchKey(IntEnum):
    """The keys, lowest priority first.  The value is the bit's number."""

    Dense = 0  # run the backend's kernel
    Mkldnn = 1  # an operand's layout is _mkldnn (mkldnn/)
    Sparse = 2  # an operand's layout is sparse_coo (sparse/)
    SparseCsr = 3  # an operand's layout is a compressed one: sparse_csr, sparse_csc, sparse_bsr, sparse_bsc
    Quantized = 4  # an operand is quantized (quantized/)
    Python = 5  # call a DispatchMode or a tensor subclass
    Batched = 6  # an operand has a hidden batch dimension (func/vmap.py)
    ADInplaceOrView = 7  # mark views, increment version counters
    Autograd = 8  # record the graph; carried by tensors that require grad
    AutogradMkldnn = 9  # what replaces composite operators for tensors of layout _mkldnn
    AutogradSparse = 10  # derivatives that only sparse operands have; carried by sparse tensors
    AutogradSparseCsr = 11  # the same for compressed layouts
    AutogradQuantized = 12  # kernels of quantized tensors that replace composites
    ForwardAD = 13  # propagate tangents; included in every call inside a dual level
    Autocast = 14  # cast operands; included in every call while autocast is on (amp/autocast_kernel.py)


KEYS = tuple(DispatchKey)

# The modes are bits beside the keys, so that one comparison shows whether a call needs only its kernel.
GRAD_MODE_BIT = 1 << 16  # autograd records operators
SAVED_TENSOR_HOOKS_BIT = 1 << 17  # tensors saved for backward are packed by hooks
INFERENCE_MODE_BIT = 1 << 18  # new tensors are inference tensors
OBSERVED_BIT = 1 << 19  # callbacks run when calls begin and end (dispatch/record_function.py)
TRACED_BIT = 1 << 20  # a callback needs every step, so no call takes the speedups' shortcuts

DENSE = 1 << DispatchKey.Dense
MKLDNN = 1 << DispatchKey.Mkldnn
SPARSE = 1 << DispatchKey.Sparse
SPARSE_CSR = 1 << DispatchKey.SparseCsr
QUANTIZED = 1 << DispatchKey.Quantized
PYTHON = 1 << DispatchKey.Python
BATCHED = 1 << DispatchKey.Batched
AD_INPLACE_OR_VIEW = 1 << DispatchKey.ADInplaceOrView
AUTOGRAD = 1 << DispatchKey.Autograd
AUTOGRAD_MKLDNN = 1 << DispatchKey.AutogradMkldnn
AUTOGRAD_SPARSE = 1 << DispatchKey.AutogradSparse
AUTOGRAD_SPARSE_CSR = 1 << DispatchKey.AutogradSparseCsr
AUTOGRAD_QUANTIZED = 1 << DispatchKey.AutogradQuantized
FORWARD_AD = 1 << DispatchKey.ForwardAD
AUTOCAST = 1 << DispatchKey.Autocast

TENSOR_KEYS = DENSE | AD_INPLACE_OR_VIEW  # of every strided tensor
MKLDNN_KEYS = MKLDNN | AD_INPLACE_OR_VIEW | AUTOGRAD_MKLDNN  # of every tensor of layout _mkldnn
SPARSE_KEYS = SPARSE | AD_INPLACE_OR_VIEW | AUTOGRAD_SPARSE  # of every tensor of layout sparse_coo
COMPRESSED_KEYS = SPARSE_CSR | AD_INPLACE_OR_VIEW | AUTOGRAD_SPARSE_CSR  # of those of compressed layouts
QUANTIZED_KEYS = QUANTIZED | AD_INPLACE_OR_VIEW | AUTOGRAD_QUANTIZED  # of every quantized tensor
WRAPPER_KEYS = MKLDNN | SPARSE | SPARSE_CSR | QUANTIZED | PYTHON | BATCHED  # whose data is another tensor's
ALL_KEYS = (1 << len(DispatchKey)) - 1

# The mode word: what the current thread (or async task) adds to every call.  One int in one ContextVar, read
# once per call.  Bits 0 to 15 are included keys, bits 16 to 31 the modes above, bits from 32 on excluded keys
# (bit 32 + key).
# Source: c10/core/impl/LocalDispatchKeySet.h.
EXCLUDED_SHIFT = 32
MODE_WORD: ContextVar[int] = ContextVar("gnomon_mode_word", default=GRAD_MODE_BIT)
mode_word = MODE_WORD.get
set_mode_word = MODE_WORD.set


class DispatchKeySet:
    """A set of keys in readable form: ``tensor._dispatch_keys()`` returns it, and traces print it."""

    __slots__ = ("bits",)

    def __init__(self, bits: int):
        self.bits = bits & ALL_KEYS

    def __iter__(self) -> Iterator[DispatchKey]:
        """Iterate over the keys, highest priority first."""
        return (key for key in reversed(DispatchKey) if self.has(key))

    def has(self, key: DispatchKey) -> bool:
        """Is ``key`` in the set?"""
        return bool(self.bits >> key & 1)

    def highest_priority(self) -> DispatchKey | None:
        """The key whose kernel runs first, or None for the empty set."""
        return DispatchKey(self.bits.bit_length() - 1) if self.bits else None

    def __or__(self, other: DispatchKeySet) -> DispatchKeySet:
        return DispatchKeySet(self.bits | other.bits)

    def __sub__(self, other: DispatchKeySet) -> DispatchKeySet:
        return DispatchKeySet(self.bits & ~other.bits)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DispatchKeySet) and self.bits == other.bits

    def __hash__(self) -> int:
        return hash(self.bits)

    def __repr__(self) -> str:
        return f"DispatchKeySet({', '.join(key.name for key in self)})"
