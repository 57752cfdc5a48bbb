"""Families: register functions of ndarrays as kernels, with a name and claimed dtypes.

A kernel does not raise the operator's errors itself.  If it finds an invalid value (an index out of range, an
integer divided by zero), it raises ``BadValue`` before it has written anything; then the reference's kernel
runs on the same tensors, finds the same value, and raises the error with the full message.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from gnomon.calls.iterator import TensorIterator
from gnomon.memory.backend import reference_backend
from gnomon.values.dtype import dtype, float32

from .arrays import OWN, Array, decoded, numbers, put, raw, raw_operand

Names = tuple[str, ...]

BOOL: Names = ("bool",)
INTEGERS: Names = ("uint8", "int8", "int16", "int32", "int64")
FLOATS: Names = ("float16", "bfloat16", "float32", "float64")
COMPLEX: Names = ("complex64", "complex128")
REAL: Names = INTEGERS + FLOATS
REAL_AND_BOOL: Names = BOOL + REAL
NUMBERS: Names = REAL + COMPLEX
INEXACT: Names = FLOATS + COMPLEX
ALL: Names = BOOL + NUMBERS
# Dtypes that few operators take (LIMITED of gnomon's values/dtype.py).
UNSIGNED: Names = ("uint16", "uint32", "uint64")
FRACTIONS: Names = ("float8_e4m3fn", "float8_e5m2", "complex32")
EVERY: Names = ALL + UNSIGNED + FRACTIONS

Kernel = Callable[..., None]
Function = Callable[..., Any]


class BadValue(Exception):
    """Raised for an input value that the operator refuses."""


def refuse_if(is_bad: Any) -> None:
    """Raises BadValue if ``is_bad``, so that the reference raises the proper error."""
    if is_bad:
        raise BadValue


class Family:
    """Kernels by name, with the dtypes that each claims."""

    def __init__(self) -> None:
        self.kernels: dict[str, Kernel] = {}
        self.capabilities: dict[str, Names] = {}

    def add(self, name: str, dtypes: Names, function: Kernel) -> None:
        """Claims ``name`` on these dtypes, for a function with the parameters of the reference's kernel."""

        def kernel(*arguments: Any) -> None:
            try:
                with np.errstate(all="ignore"):  # NaN, infinities and wraparound are valid results
                    function(*arguments)
            except BadValue:
                reference_backend.kernels[name](*arguments)

        functools.update_wrapper(kernel, function)  # so that reports show the function's own source lines
        self.kernels[name] = kernel
        self.capabilities[name] = dtypes

    def kernel(self, name: str, dtypes: Names) -> Callable[[Kernel], Kernel]:
        """A decorator for a function ``(*outputs, *arguments)`` that reads and stores by itself."""

        def decorate(function: Kernel) -> Kernel:
            self.add(name, dtypes, function)
            return function

        return decorate

    def elementwise(
        self, name: str, dtypes: Names, precision: dict[str, Any] = OWN, casts_numbers: bool = False
    ) -> Callable[[Function], Function]:
        """A decorator for a function ``(*arrays, *arguments)`` whose result is the output.

        ``precision`` is the table of dtypes to compute in; with ``casts_numbers`` the arguments are cast to
        the tensors' dtype (float32 for 16-bit floats).
        """

        def decorate(function: Function) -> Function:
            def kernel(iterator: TensorIterator, *arguments: Any) -> None:
                arrays = [operand(iterator, each, precision) for each in range(1, len(iterator.operands))]
                if casts_numbers:
                    arguments = tuple(as_number(each, iterator.common_dtype) for each in arguments)
                put(raw_operand(iterator, 0), iterator.tensor(0)._spec.dtype, function(*arrays, *arguments))

            functools.update_wrapper(kernel, function)
            self.add(name, dtypes, kernel)
            return function

        return decorate

    def elementwise_table(
        self, functions: dict[str, Function], dtypes: Names, precision: dict[str, Any] = OWN
    ) -> None:
        """Registers operators whose kernel is a plain function of arrays."""
        for name, function in functions.items():
            self.elementwise(name, dtypes, precision)(function)

    def reduction(
        self, name: str, dtypes: Names, precision: dict[str, Any] = OWN
    ) -> Callable[[Function], Function]:
        """A decorator for a function ``(array, axes, kept, *arguments)`` that reduces over ``axes``.

        ``kept`` is keepdims: the reduced dimensions remain with size 1.
        """

        def decorate(function: Function) -> Function:
            def kernel(iterator: TensorIterator, *arguments: Any) -> None:
                array = np.broadcast_to(numbers(iterator.tensor(1), precision), iterator.sizes)
                result = function(array, tuple(iterator.reduced_dims), iterator.keepdim, *arguments)
                output = iterator.tensor(0)
                put(raw(output), output._spec.dtype, result)

            kernel.__name__ = function.__name__
            kernel.__doc__ = function.__doc__
            self.add(name, dtypes, kernel)
            return function

        return decorate


def operand(iterator: TensorIterator, position: int, precision: dict[str, Any]) -> Array:
    """An iterator's operand as numbers to compute with."""
    return decoded(raw_operand(iterator, position), iterator.tensor(position)._spec.dtype, precision)


def as_number(value: Any, kind: dtype | None) -> Any:
    """A number cast to the dtype (float32 for a 16-bit float); None and bools are returned unchanged."""
    if value is None or isinstance(value, bool) or kind is None:
        return value
    held = float32 if kind.is_floating_point and kind.itemsize == 2 else kind
    return held.cast(value)
