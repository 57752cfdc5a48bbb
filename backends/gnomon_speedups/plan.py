"""Plan: the cached outcome of a call with given specs, declared once for Python and C.

The C speedups store plans as a struct that is generated from this file when they are built
(cffi_build/speedups_build.py), with the numbers of the enums below.  A field's type determines its C type: an
``int`` becomes int64_t, a ``float`` double (addresses are floats, exact below 2**53), tuples of these become
arrays with their length, and anything else an object.

A plan says only which tensors are read and written; it contains no storages, strides or addresses of tensors.
What a kernel needs of them is in its ``entry``.

Imports only the standard library, because the build reads this file.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any

MOST_ARGUMENTS = 24  # of an operator with plans
MOST_STEPS = 4  # calls of a batching rule that has a plan
OF_STEPS = 100  # indices from here on mean the results of a rule's steps; -1 means a constant


class Kind(IntEnum):
    """What a call returns."""

    NEW = 0  # new tensors, written by a kernel
    WRITTEN = 1  # arguments that a kernel has written to
    VIEW = 2  # a view of the first argument
    VIEWS = 3  # several views of the first argument
    SELF = 4  # the first argument itself


class Entry(IntEnum):
    """The calling convention of the kernel (csrc/gnomon.h): its arguments and its result."""

    NOTHING = 0  # no kernel: the call only allocates memory
    CALL = 1  # takes the inputs' addresses, allocates the output and returns its address
    CALL_NUMBER = 2  # the same, with a number as the last input
    CALL_SCALAR = 3  # takes a number that is not an input
    CALL_STREAM = 4  # takes a seed and a counter
    RUN = 5  # takes all addresses, outputs first, and returns a status
    RUN_NUMBER = 6
    RUN_SCALAR = 7
    RUN_STREAM = 8
    ARRAY = 9  # takes all addresses in an array; new outputs are allocated before the call


class Saved(IntEnum):
    """What a Node saves of a call."""

    VALUE = 0  # an argument
    OUTPUT = 1
    SIZES = 2  # of an argument
    SPEC = 3  # of an argument


@dataclass
class Plan:
    """The plan of a call."""

    operator: Any  # OpOverload
    kind: Kind
    specs: tuple[Any, ...] = ()  # of the new tensors
    metadata: Any = ()  # the specs of the Node's outputs, up to the last differentiable one
    recorded: int = 0  # which outputs are differentiable, as bits
    returned: int = 1  # the number of results; several are returned in a tuple

    kernel_name: Any = ""
    entry: Entry = Entry.NOTHING
    function: float = 0.0  # the address of the kernel's entry function
    callable: Any = None  # without such an address: a Python callable with the same arguments
    call: float = 0.0  # the address of the prepared call
    keep: Any = None  # keeps the prepared call alive
    order: tuple[int, ...] = ()  # the arguments that the kernel takes after the new outputs
    written: tuple[int, ...] = ()  # the arguments that it writes to
    is_exclusive: bool = False  # must written tensors not be inputs?
    allocate: float = 0.0  # the addresses of the functions that allocate and free
    free: float = 0.0
    nbytes: tuple[float, ...] = ()  # of each new output
    number: int = -1  # the number argument that may differ from call to call; not part of the plan's key
    least: float = 0.0  # the range of its finite values
    most: float = 0.0
    blocks: int = 0  # how many blocks of the generator's stream a call uses

    offsets: tuple[int, ...] = ()  # of views: elements from the start of the first argument
    offset_nbytes: tuple[float, ...] = ()  # the same in bytes
    is_tracked: bool = True  # does autograd track the view?
    node_class: Any = None  # of a composite's view: the Node of the one recorded step,
    saved: Any = None  # and what it saves; else the operator determines both
