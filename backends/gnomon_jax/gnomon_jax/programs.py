"""Programs: functions of arrays as kernels that read, compute and write in one compiled program.

A kernel replaces each tensor among its arguments by a ``View``.  The views and the other arguments determine
the program: it takes the flat arrays of the memories and returns those that replace the written ones.  XLA
compiles it when it is first called, and it is kept.

A kernel does not raise the operator's errors itself.  Where it finds an invalid value (an index out of range,
an integer divided by zero) it says so by ``refuse_if``.  The program computes all the same, but its results
are dropped, and ``BadValue`` makes gnomon call the reference's kernel, which raises the error.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from gnomon.calls.iterator import TensorIterator
from gnomon.memory.prepared import BadValue
from gnomon.memory.tensor import Tensor
from gnomon.values.dtype import complex128, float64
from gnomon.values.errors import OutOfMemoryError

from .memory import LOCK, WORDS, Memory
from .numbers import decoded, encoded, is_subnormal
from .strided import OPTIONS, View, gather, layout, read, scatter, written

Names = tuple[str, ...]
Array = Any
Function = Callable[..., Any]

BOOL: Names = ("bool",)
INTEGERS: Names = ("uint8", "int8", "int16", "int32", "int64")
FLOATS: Names = ("float16", "bfloat16", "float32", "float64")
COMPLEX: Names = ("complex64", "complex128")
REAL: Names = INTEGERS + FLOATS
REAL_AND_BOOL: Names = BOOL + REAL
NUMBERS: Names = REAL + COMPLEX
INEXACT: Names = FLOATS + COMPLEX
ALL: Names = BOOL + NUMBERS
MOVED: Names = (*ALL, "uint16", "uint32", "uint64")  # of operators that move elements, and compare them

MOST_PROGRAMS = 4096  # all are dropped if there are more

_programs: dict[tuple[Any, str], Any] = {}
# Of the program that is being traced; LOCK is held.
_refusals: list[Array] = []
_is_double: list[bool] = []  # not empty: in float64


class Given(NamedTuple):
    """The place of an argument that is given to the program as data: a NumPy array."""

    number: int


def refuse_if(is_bad: Any) -> None:
    """Let the reference raise the error of this call if any element of ``is_bad`` is true."""
    _refusals.append(jnp.any(is_bad))


def refuse_lost(result: Any, is_lost: Any) -> Any:
    """``result``, which of a call in float64 the reference computes if it is 0 where ``is_lost``.

    Such a result may be a subnormal number, which XLA's programs replace by 0.
    """
    if _is_double:
        refuse_if((result == 0) & is_lost)
    return result


class Call:
    """The tensors of one call: their memories, and their views in these."""

    def __init__(self) -> None:
        self.memories: list[Memory] = []
        self.data: list[Any] = []

    def view(self, tensor: Tensor, sizes: Sequence[int] = (), strides: Sequence[int] | None = None) -> View:
        """The view of a tensor, or with ``strides`` (in elements) that of its memory in other sizes."""
        spec = tensor._spec
        memory = tensor.untyped_storage().memory
        slot = next((at for at, each in enumerate(self.memories) if each is memory), len(self.memories))
        if slot == len(self.memories):
            self.memories.append(memory)
        if strides is None:
            sizes, strides = spec.sizes, spec.strides
        return View(slot, spec.dtype, tuple(sizes), tuple(strides), tensor._storage_offset)

    def viewed(self, value: Any) -> Any:
        """An argument with its tensors replaced by views, and its NumPy arrays by their places."""
        if isinstance(value, Tensor):
            return self.view(value)
        if isinstance(value, np.ndarray):
            self.data.append(value)
            return Given(len(self.data) - 1)
        if isinstance(value, (list, tuple)) and not isinstance(value, (View, Given)):
            return [self.viewed(each) for each in value]
        return value

    def operand(self, iterator: TensorIterator, position: int) -> View:
        """The view of an iterator's operand; the iterator's dimension 0 is the last one here."""
        tensor = iterator.tensor(position)
        itemsize = tensor._spec.dtype.itemsize
        strides = [stride // itemsize for stride in iterator.operands[position].strides[::-1]]
        return self.view(tensor, iterator.shape[::-1], strides)

    def run(self, compute: Function, outputs: Sequence[View | None], arguments: Sequence[Any]) -> None:
        """Run ``compute``, a function of the arguments with arrays for views, and write its results."""
        arguments = [self.viewed(each) for each in arguments]
        views = [*_views_in(arguments), *(each for each in outputs if each is not None)]
        run = self._run_small if all(view.is_small for view in views) else self._run_large
        with LOCK, jax.enable_x64(True):
            try:
                run(compute, outputs, arguments)
            except jax.errors.JaxRuntimeError as error:
                if "RESOURCE_EXHAUSTED" in str(error):
                    raise OutOfMemoryError(f"jax: {error}") from None
                raise

    def _run_small(self, compute: Function, outputs: Sequence[View | None], arguments: list[Any]) -> None:
        """Gather the inputs, compute, scatter the outputs."""
        is_elementwise = getattr(compute, "is_elementwise", False)
        inputs: list[View] = []

        def shared(view: View, number: int) -> View:
            return View(number, view.dtype, (view.places,) if is_elementwise else view.sizes, (), 0)

        def replaced(value: Any) -> Any:
            if isinstance(value, View):
                inputs.append(value)
                return shared(value, len(inputs) - 1)
            return [replaced(each) for each in value] if isinstance(value, list) else value

        arguments = replaced(arguments)
        places = [None if view is None else shared(view, 0) for view in outputs]
        words = [
            gather(self.memories[view.slot].words(view.word), layout(view), view.places * view.parts)
            for view in inputs
        ]
        results, is_refused = _program(_small_program, compute, places, arguments)(words, self.data)
        _raise_if(is_refused)
        for view, result in zip(outputs, results):
            if view is not None and 0 not in view.sizes:
                memory = self.memories[view.slot]
                memory.replace(scatter(memory.words(view.word), layout(view), result, view.is_expanded))

    def _run_large(self, compute: Function, outputs: Sequence[View | None], arguments: list[Any]) -> None:
        """Read, compute and write in one program."""
        views = [*_views_in(arguments), *(each for each in outputs if each is not None)]
        sizes = [min(each.word for each in views if each.slot == at) for at in range(len(self.memories))]
        program = _program(_large_program, compute, outputs, arguments)
        replaced, is_refused = program([m.words(size) for m, size in zip(self.memories, sizes)], self.data)
        _raise_if(is_refused)
        for slot, content in replaced.items():
            self.memories[slot].replace(content)


def _views_in(value: Any) -> Iterator[View]:
    if isinstance(value, View):
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from _views_in(each)


def _raise_if(is_refused: Array | None) -> None:
    if is_refused is not None and bool(is_refused):
        raise BadValue


# ---------------------------------------------------------------------------------------------------------
# Programs.


def _program(make: Function, compute: Function, outputs: Sequence[View | None], arguments: list[Any]) -> Any:
    """The program for these arguments, from those that are kept if it is there."""
    key = compute, repr((make.__name__, outputs, arguments))
    program = _programs.get(key)
    if program is None:
        if len(_programs) >= MOST_PROGRAMS:
            _programs.clear()
        made = make(compute, outputs, arguments)
        program = _programs[key] = jax.jit(made, compiler_options=OPTIONS)
    return program


def _results(
    compute: Function,
    outputs: Sequence[View | None],
    arguments: Any,
    words_of: Callable[[View], Array],
    data: Sequence[Array],
) -> tuple[list[Array | None], Array | None]:
    """The words of the outputs, in their sizes, and whether the call is refused."""
    _refusals.clear()
    views = [*_views_in([*outputs]), *_views_in(arguments)]
    kinds = {view.dtype for view in views}
    # it computes with words, or moves floats of one dtype, so that it need not know what they stand for
    is_raw = getattr(compute, "is_raw", False) or (
        getattr(compute, "is_moving", False) and len(kinds) == 1 and kinds.pop().category == 2
    )
    _is_double[:] = [True] * any(view.dtype is float64 for view in views)

    def shown(value: Any) -> Any:
        if isinstance(value, View):
            words = words_of(value)
            if not is_raw and value.dtype in (float64, complex128):
                refuse_if(is_subnormal(words))
            return words if is_raw else decoded(words, value.dtype)
        if isinstance(value, Given):
            return data[value.number]
        return [shown(each) for each in value] if isinstance(value, list) else value

    found: list[Array | None] = []
    for view, result in zip(outputs, compute(outputs, *shown(arguments)), strict=True):
        if view is None:
            found.append(None)
            continue
        words = result if is_raw else encoded(jnp.asarray(result), view.dtype)
        found.append(jnp.broadcast_to(words, (*view.sizes, *(2,) * (view.parts - 1))))
    return found, functools.reduce(jnp.logical_or, _refusals) if _refusals else None


def _small_program(compute: Function, outputs: Sequence[View | None], arguments: list[Any]) -> Function:
    """From the gathered words of the inputs to those of the outputs, all with words to spare at the end."""

    def program(gathered: list[Array], data: list[Array]) -> tuple[list[Array | None], Array | None]:
        def words_of(view: View) -> Array:
            shape = (*view.sizes, *(2,) * (view.parts - 1))
            return gathered[view.slot][: math.prod(shape)].reshape(shape)

        results, is_refused = _results(compute, outputs, arguments, words_of, data)
        filled: list[Array | None] = []
        for view, result in zip(outputs, results):
            if view is not None and result is not None:
                result = jnp.pad(result.reshape(-1), (0, view.places * view.parts - result.size))
            filled.append(result)
        return filled, is_refused

    return program


def _large_program(compute: Function, outputs: Sequence[View | None], arguments: list[Any]) -> Function:
    """From the contents of the memories to those that replace the written ones, by the memory's number."""

    def program(contents: list[Array], data: list[Array]) -> tuple[dict[int, Array], Array | None]:
        def words_of(view: View) -> Array:
            return read(_of_size(contents[view.slot], view.word), view)

        results, is_refused = _results(compute, outputs, arguments, words_of, data)
        replaced: dict[int, Array] = {}
        for view, result in zip(outputs, results):
            if view is not None and result is not None:
                now: Any = replaced.get(view.slot, contents[view.slot])
                changed = written(_of_size(now, view.word), view, result)
                replaced[view.slot] = _of_size(changed, now.dtype.itemsize)
        return replaced, is_refused

    return program


def _of_size(flat: Array, size: int) -> Array:
    """The same bytes in words of another size."""
    own = flat.dtype.itemsize
    if own == size:
        return flat
    if own < size:
        flat = flat.reshape(-1, size // own)
    return lax.bitcast_convert_type(flat, WORDS[size]).reshape(-1)


class Family:
    """Kernels by name, with the dtypes that each claims."""

    def __init__(self) -> None:
        self.kernels: dict[str, Function] = {}
        self.capabilities: dict[str, Names] = {}

    def add(self, name: str, dtypes: Names, function: Function, kernel: Function) -> None:
        """Claims ``name`` on these dtypes; reports show where ``function`` is, which the kernel calls."""
        functools.update_wrapper(kernel, function)
        self.kernels[name] = kernel
        self.capabilities[name] = dtypes

    def elementwise(self, name: str, dtypes: Names, is_typed: bool = False) -> Callable[[Function], Function]:
        """A decorator for a function ``(*arrays, *numbers)`` whose result is the output.

        is_typed: its first argument is the output's dtype.
        """

        def decorate(function: Function) -> Function:
            def compute(outputs: Sequence[View], *arguments: Any) -> Sequence[Array]:
                typed = (outputs[0].dtype,) if is_typed else ()
                return (function(*typed, *arguments),)

            compute.is_elementwise = True  # type: ignore[attr-defined]

            def kernel(iterator: TensorIterator, *arguments: Any) -> None:
                call = Call()
                views = [call.operand(iterator, each) for each in range(len(iterator.operands))]
                call.run(compute, views[:1], [*views[1:], *arguments])

            self.add(name, dtypes, function, kernel)
            return function

        return decorate

    def elementwise_table(self, functions: dict[str, Function], dtypes: Names) -> None:
        """Registers operators whose kernel is a plain function of arrays."""
        for name, function in functions.items():
            self.elementwise(name, dtypes)(function)

    def reduction(self, name: str, dtypes: Names) -> Callable[[Function], Function]:
        """A decorator for a function ``(array, axes, *numbers)`` that keeps ``axes`` as size 1."""

        def decorate(function: Function) -> Function:
            def compute(
                outputs: Sequence[View], array: Array, sizes: Any, axes: Any, *arguments: Any
            ) -> Sequence[Array]:
                found = function(jnp.broadcast_to(array, sizes), tuple(axes), *arguments)
                return (found.reshape(outputs[0].sizes),)

            def kernel(iterator: TensorIterator, *arguments: Any) -> None:
                call = Call()
                output, array = (call.view(iterator.tensor(position)) for position in range(2))
                axes = list(iterator.reduced_dims)
                call.run(compute, [output], [array, list(iterator.sizes), axes, *arguments])

            self.add(name, dtypes, function, kernel)
            return function

        return decorate

    def kernel(
        self, name: str, dtypes: Names, outputs: int = 1, is_sized: bool = False, is_typed: bool = False
    ) -> Callable[[Function], Function]:
        """A decorator for a function of arrays and other arguments that returns that many outputs.

        is_sized: its first argument is the list of the outputs' sizes, None for an absent one.
        is_typed: its first argument (after the sizes) is the first output's dtype.
        """

        def decorate(function: Function) -> Function:
            def compute(views: Sequence[View | None], *arguments: Any) -> Sequence[Array]:
                if is_typed:
                    arguments = (None if views[0] is None else views[0].dtype, *arguments)
                if is_sized:
                    arguments = ([None if view is None else view.sizes for view in views], *arguments)
                found = function(*arguments)
                return found if outputs != 1 else (found,)

            def kernel(*given: Any) -> None:
                call = Call()
                views = [None if each is None else call.view(each) for each in given[:outputs]]
                call.run(compute, views, [call.viewed(each) for each in given[outputs:]])

            compute.is_moving = dtypes is MOVED  # type: ignore[attr-defined]
            self.add(name, dtypes, function, kernel)
            return function

        return decorate


def at_least_1d(array: Array) -> Array:
    """The array, or one of size 1 for a number."""
    return array.reshape(1) if array.ndim == 0 else array


def wrapped(dim: int, ndim: int) -> int:
    """A dimension as a non-negative number; a 0-dim tensor counts as 1-D."""
    return dim % max(ndim, 1)
