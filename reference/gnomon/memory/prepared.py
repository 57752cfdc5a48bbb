"""Prepared calls: kernels that are prepared for given sizes and strides, instead of called as functions.

A ``PreparingKernel`` prepares each kind of call once, and the ``PreparedCall`` that it returns runs from then
on.  Only ``run`` is required.  The other methods let the C speedups run the call without Python; where a
PreparedCall does not define one, the call takes the path of the readable tier.

Addresses are floats: C and cffi pass them as doubles, which are exact below 2**53.

Source: gnomon's own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

# The statuses that ``PreparedCall.run`` returns, as in csrc/gnomon.h.
OK = 0
BAD_VALUE = 1  # an invalid value: the reference runs the call again, and raises the error
OUT_OF_MEMORY = 2  # no memory for the kernel's workspace
NOT_IMPLEMENTED = 3  # the kernel declined: the fallback policy decides


class BadValue(Exception):
    """Raised by a kernel that is a function, for an input value that the operator refuses: as BAD_VALUE.

    The kernel has not written anything.  The reference runs the call again, on copies if the memory is not
    the host's, and raises the error.
    """


class CallInC(NamedTuple):
    """How C runs a call, given an array of the addresses of all its tensors, outputs first.

    call           an address, the first argument of ``run``
    output_nbytes  bytes of each output
    allocate       the address of ``double (double nbytes)``, which returns a new block, 0.0 if out of memory
    free           the address of ``void (double block)``
    run            the address of ``int (double call, double *addresses)``, which returns a status
    """

    call: float
    output_nbytes: tuple[float, ...]
    allocate: float
    free: float
    run: float


class PreparedCall:
    """The call of a kernel for tensors of given specs, with all other arguments fixed.  A base class.

    address     the first argument of entries, so that one function can serve many calls; 0.0 for entries that
                contain it
    is_claimed  is there a kernel behind it?  If not, calls with more than three tensors have no plan
    """

    __slots__ = ()

    address: float = 0.0
    is_claimed: bool = False

    def run(self, tensors: Sequence[Any]) -> int:
        """Run on the memory of these tensors, outputs first, None for an absent one; returns a status."""
        raise NotImplementedError(f"{type(self).__name__}: run must be defined")

    def entry(self, operands: int, numbers: int, inplace: bool = False) -> Callable[..., float] | None:
        """A function for one output and up to three inputs; the last is a number if ``numbers`` is 1.

        It takes ``address`` and the inputs' addresses, allocates the output, and returns its address, or 0.0;
        with ``inplace`` it takes the output's address before the inputs', and returns a status.  None: not
        offered.
        """
        return None

    def entry_with(self, what: str, inplace: bool) -> Callable[..., float] | None:
        """Like ``entry``, for a call without inputs whose last arguments change with each call.

        ``what`` names those: "scalar" is a number, "stream" a seed and a counter.  It needs an
        ``entry_address``.  None: not offered.
        """
        return None

    def entry_address(self, entry: Any) -> float:
        """The address of the machine code of an entry, which takes and returns doubles.

        0.0: it has none, and is called as a Python function.
        """
        return 0.0

    def run_new_in_c(self) -> CallInC | None:
        """How C runs the call, for any number of tensors.  None: not offered."""
        return None

    def run_new(self, inputs: Sequence[float]) -> list[float] | None:
        """Like ``run_new_in_c``, as a Python function: from the inputs' addresses to those of new outputs.

        The caller owns the outputs.  None: out of memory, or the kernel declined.  Optional.
        """
        raise NotImplementedError(f"{type(self).__name__}: run_new is not implemented")


class PreparedList(Protocol):
    """Calls of a kernel that run together, in one launch.

    A PreparingKernel may offer it: ``prepare_list(calls, number_tensor)`` makes one of prepared calls with
    one output each, None for a call without elements.  ``number_tensor``: the position among the operands of
    one that is a number, or -1.
    """

    def run(self, columns: Sequence[Any], numbers: Sequence[tuple[Any, ...]] | None) -> int:
        """Run all calls, as if in order; returns a status.

        columns: for each operand, outputs first, the tensors of all calls, or None of a number.
        numbers: for each call, or once for all, what replaces its numbers, and after these the operand that
        is a number; None: those with which the calls were prepared.
        NOT_IMPLEMENTED: an input shares memory with an output in a way that the checks may refuse; nothing
        was written.
        """
        raise NotImplementedError


@runtime_checkable
class PreparingKernel(Protocol):
    """A kernel that prepares calls instead of being called itself."""

    def prepare(
        self,
        iterator: Any,
        tensors: Sequence[Any],
        output_count: int,
        kernel_arguments: Sequence[Any],
    ) -> PreparedCall:
        """Prepare the call for tensors of these specs, outputs first, with these other arguments.

        iterator: the TensorIterator of pointwise operators and reductions, None of others.  The tensors'
        addresses must not be kept: the call runs on other tensors of the same specs.
        """
        raise NotImplementedError


_free_functions: dict[str, Callable[[float], None]] = {}


def register_free(device_type: str, free: Callable[[float], None]) -> None:
    """Set the function that frees memory of ``device_type`` that the C speedups hold by address."""
    _free_functions[device_type] = free


def free_function(device_type: str) -> Callable[[float], None] | None:
    """The function given to ``register_free``; None: Storages hold all memory of this device type."""
    return _free_functions.get(device_type)


# A kernel of either kind.
Kernel = Callable[..., Any] | PreparingKernel
