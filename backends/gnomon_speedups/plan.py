"""Plan: what a call of known specs comes to, declared once.

The C speedups keep plans as a struct that is generated from this file when they are built
(cffi_build/speedups_build.py), with the numbers of the kinds below.  A field's type says how C holds it: an
``int`` as int64_t, a ``float`` as double (addresses are floats, exact below 2**53), tuples of these as arrays
with their length, and anything else as an object.

A plan says nothing of tensors but which are read and written: neither that they have a storage, nor strides,
nor addresses.  What a kernel needs of those is in its ``entry``.

Imports the standard library only: the build reads it, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any

MOST_ARGUMENTS = 24  # of an operator that has plans
MOST_STEPS = 4  # of a batching rule whose calls are made again
OF_STEPS = 100  # places from here on are of the results of a rule's steps; below 0, of constants


class Kind(IntEnum):
    """What a call leaves."""

    NEW = 0  # tensors of their own, which a kernel has written
    WRITTEN = 1  # tensors among its arguments, which a kernel has written to
    VIEW = 2  # a view of its first argument
    VIEWS = 3  # several of those
    SELF = 4  # its first argument, as it is


class Entry(IntEnum):
    """How the kernel is entered, after csrc/gnomon.h: what it is given, and what it returns."""

    NOTHING = 0  # there is no kernel: memory is all that is asked for
    CALL = 1  # the inputs' addresses: allocates the output, whose address it returns
    CALL_NUMBER = 2  # the same, the last input a number
    CALL_SCALAR = 3  # a number that is no input
    CALL_STREAM = 4  # a seed and a counter
    RUN = 5  # all addresses, outputs first: returns a status
    RUN_NUMBER = 6
    RUN_SCALAR = 7
    RUN_STREAM = 8
    ARRAY = 9  # all addresses in an array; new outputs are allocated before


class Saved(IntEnum):
    """What a Node keeps of a call."""

    VALUE = 0  # an argument
    OUTPUT = 1
    SIZES = 2  # of an argument
    SPEC = 3  # of an argument


@dataclass
class Plan:
    """One prepared call."""

    operator: Any  # OpOverload
    kind: Kind
    specs: tuple[Any, ...] = ()  # of the tensors that the call makes
    metadata: Any = ()  # those of them that are the Node's outputs, up to the last that has a gradient
    recorded: int = 0  # which of them have gradients, as bits
    returned: int = 1  # how many results there are: one by itself, several in a tuple

    kernel_name: Any = ""
    entry: Entry = Entry.NOTHING
    function: float = 0.0  # the address of the machine code
    callable: Any = None  # where there is none: a function of the same arguments
    call: float = 0.0  # the address of the prepared call
    keep: Any = None  # what it lives in
    order: tuple[int, ...] = ()  # which of the call's tensors the kernel takes behind the new outputs
    written: tuple[int, ...] = ()  # which of them it writes to
    is_exclusive: bool = False  # may what is written not be an input, either?
    allocate: float = 0.0  # the addresses of the functions that allocate and give back
    free: float = 0.0
    nbytes: tuple[float, ...] = ()  # of each new output
    number: int = -1  # the argument that is told anew each time, not one of the key's
    least: float = 0.0  # the finite numbers that it may be
    most: float = 0.0
    blocks: int = 0  # of the generator's stream, that a call uses

    offsets: tuple[int, ...] = ()  # of views: elements behind the first argument's first
    offset_nbytes: tuple[float, ...] = ()  # the same in bytes
    is_tracked: bool = True  # does autograd follow the view?
    node_class: Any = None  # of a view that a composition made: the Node of the one step that was recorded,
    saved: Any = None  # and what that keeps; else the operator says it
