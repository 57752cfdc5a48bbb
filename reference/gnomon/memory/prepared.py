"""Prepared calls: what a backend offers beyond kernels that are functions.

A ``PreparingKernel`` is asked once for each kind of call, and what it returns, a ``PreparedCall``, is run
from then on.  Only ``run`` is needed.  All else says how the C speedups enter the call without Python; what a
call does not define it does not offer, and it takes the readable way.

Addresses are floats: C and cffi pass them as doubles, which are exact below 2**53.

Source: gnomon's own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

# What ``PreparedCall.run`` returns, as csrc/gnomon.h has it.
OK = 0
BAD_VALUE = 1  # a value that the operator refuses: the reference meets it as well, and raises
OUT_OF_MEMORY = 2  # for the kernel's workspace
NOT_IMPLEMENTED = 3  # it has declined: the fallback policy


class CallInC(NamedTuple):
    """How a call is entered from C, with an array of the addresses of all its tensors, outputs first.

    call           the address that ``run`` is given first
    output_nbytes  bytes of each output
    allocate       the address of ``double (double nbytes)``: a new block, 0.0 where there is no memory
    free           the address of ``void (double block)``
    run            the address of ``int (double call, double *addresses)``, which returns a status
    """

    call: float
    output_nbytes: tuple[float, ...]
    allocate: float
    free: float
    run: float


class PreparedCall:
    """A kernel's call for tensors of known specs, with known other arguments.  Derive from it.

    address     what entries are given first, so that one function can enter many calls; 0.0 for entries that
                know theirs
    is_claimed  is there a kernel behind it?  If not, calls with more than three tensors have no plan
    """

    __slots__ = ()

    address: float = 0.0
    is_claimed: bool = False

    def run(self, tensors: Sequence[Any]) -> int:
        """Run on the memory of these tensors, outputs first, None for one that is absent; a status."""
        raise NotImplementedError(f"{type(self).__name__}: run must be defined")

    def entry(self, operands: int, numbers: int, inplace: bool = False) -> Callable[..., float] | None:
        """A function for one output and up to three inputs, the last of them a number if ``numbers`` is 1.

        It takes ``address`` and the inputs' addresses, allocates the output, and returns its address, or 0.0;
        with ``inplace`` it takes the output's address before the inputs', and returns a status.
        None: there is none.
        """
        return None

    def entry_with(self, what: str, inplace: bool) -> Callable[..., float] | None:
        """``entry`` for a call without inputs that is told something anew each time, behind all else:
        "scalar", a number; "stream", a seed and a counter.  It needs an ``entry_address``.  None: there is
        none.
        """
        return None

    def entry_address(self, entry: Any) -> float:
        """The address of the machine code of what the two above returned, doubles in and out; 0.0: it has
        none, and is called as a Python function.
        """
        return 0.0

    def run_new_in_c(self) -> CallInC | None:
        """How calls of any number of tensors are entered from C.  None: they are not."""
        return None

    def run_new(self, inputs: Sequence[float]) -> list[float] | None:
        """In place of that, as a Python function: from the inputs' addresses to those of new outputs, which
        are the caller's then; None where there is no memory, or the kernel refuses.

        Whoever does not define it does not offer it.
        """
        raise NotImplementedError(f"{type(self).__name__}: run_new is not offered")


@runtime_checkable
class PreparingKernel(Protocol):
    """A kernel that is no function: it is not called, but asked for the call to be made."""

    def prepare(
        self,
        walk: Any,
        tensors: Sequence[Any],
        output_count: int,
        kernel_arguments: Sequence[Any],
    ) -> PreparedCall:
        """The call for tensors of these specs, outputs first, with these other arguments.

        walk: the TensorIterator of pointwise operators and reductions, None of others.  The tensors'
        addresses are not to be kept: the call is run on others of the same specs.
        """
        raise NotImplementedError


_free_functions: dict[str, Callable[[float], None]] = {}


def register_free(device_type: str, free: Callable[[float], None]) -> None:
    """Say how memory of ``device_type`` that the C speedups hold by its address alone is given back."""
    _free_functions[device_type] = free


def free_function(device_type: str) -> Callable[[float], None] | None:
    """What ``register_free`` was given; None: all memory of this device type is held by a Storage."""
    return _free_functions.get(device_type)


# A kernel of either kind: one that can be called, or one that prepares calls.
Kernel = Callable[..., Any] | PreparingKernel
