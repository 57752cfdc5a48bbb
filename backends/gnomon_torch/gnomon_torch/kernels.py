"""Kernels that call PyTorch's operators; an operator has the same schema in both libraries.

PyTorch gets each tensor without a copy, with its sizes, strides and offset.  If gnomon's operator has an
``out=`` variant, PyTorch's variant writes directly to the output, whatever its strides; otherwise the result
is copied to it.

A call that PyTorch refuses is repeated on the reference, which should refuse it with its own message; if it
does not, the two differ, and PyTorch's exception is raised.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch

import gnomon as gn
from gnomon.calls.iterator import TensorIterator
from gnomon.memory.backend import reference_backend
from gnomon.memory.tensor import Tensor
from gnomon.values.schema import FunctionSchema

# PyTorch's equivalents of gnomon's own operators.
from gnomon_conformance.pytorch.oracle import EQUIVALENTS

Values = dict[str, Any]  # an operator's arguments by name, converted for PyTorch


def shown(tensor: Tensor) -> torch.Tensor:
    """A PyTorch tensor that shares the tensor's memory."""
    spec = tensor._spec
    memory = tensor.untyped_storage().memory.untyped_storage()
    empty = torch.empty(0, dtype=torch_dtype(spec.dtype))
    return empty.set_(memory, tensor._storage_offset, spec.sizes, spec.strides)


def torch_dtype(dtype: Any) -> torch.dtype:
    """PyTorch's dtype of the same name."""
    return getattr(torch, dtype.name)


def converted(value: Any) -> Any:
    """An argument converted for PyTorch."""
    if isinstance(value, Tensor):
        return shown(value)
    if isinstance(value, (list, tuple)):
        return [converted(each) for each in value]
    return value


def bound_walk(schema: FunctionSchema, iterator: TensorIterator, given: Sequence[Any]) -> Values:
    """The arguments by name of a kernel that was called with a TensorIterator and the other arguments."""
    values: Values = {}
    tensors = iter(iterator.tensors[iterator.output_count :])
    plain = []
    for argument in schema.arguments:
        if argument.type == "Tensor":
            values[argument.name] = shown(next(tensors))
        elif _is_for_kernels(argument):
            plain.append(argument)
    if iterator.is_reduction:
        dims = list(iterator.reduced_dims)
        for argument in plain:
            if argument.name == "dim":
                values["dim"] = dims if argument.is_list else (dims or [0])[0]
        values["keepdim"] = iterator.keepdim
    # operators that share a reduction's kernel may have no argument other than the tensor
    if not iterator.is_reduction or given:
        for argument, value in zip(plain, given, strict=True):
            values.setdefault(argument.name, value)
    return values


def bound(schema: FunctionSchema, given: Sequence[Any]) -> Values:
    """The arguments by name of a kernel that was called without a TensorIterator."""
    names = [argument.name for argument in schema.arguments if _is_for_kernels(argument)]
    return {name: converted(value) for name, value in zip(names, given, strict=True)}


def _is_for_kernels(argument: Any) -> bool:
    is_spec = argument.type in ("ScalarType", "Layout", "Device", "MemoryFormat")
    return not is_spec and argument.name != "pin_memory"


class Kernel:
    """One operator computed by PyTorch; ``source`` names the called function."""

    def __init__(self, operator: Any):
        self.schema: FunctionSchema = operator.schema
        self.name = self.schema.full_name
        self.written = operator.record.written_positions
        self.out: Any = None
        self.function: Callable[..., Any]
        packet = getattr(torch.ops.aten, self.schema.name, None)
        if self.name in EQUIVALENTS:
            self.function = EQUIVALENTS[self.name]
            self.source = f"gnomon_conformance.pytorch.oracle.EQUIVALENTS[{self.name!r}]"
            return
        self.function = getattr(packet, self.schema.overload_name or "default")
        for variant in operator.variants:
            if variant.schema.is_out and variant.schema.name == self.schema.name:
                self.out = getattr(packet, variant.schema.overload_name)
        self.source = f"torch.ops.{(self.out or self.function)}"

    def __call__(self, *given: Any) -> None:
        """Computes the same as the reference's kernel of the same name."""
        try:
            self._call(*given)
        except (RuntimeError, IndexError, ValueError, TypeError, NotImplementedError) as error:
            reference_backend.kernels[self.name](*given)
            # The reference accepts the call.
            raise RuntimeError(f"PyTorch raised {type(error).__name__}: {error}") from error

    def _call(self, *given: Any) -> None:
        if self.name in IN_PLACE:
            iterator, *others = given
            tensors = [shown(each) for each in iterator.tensors]
            IN_PLACE[self.name](*tensors, *others)
            return
        if isinstance(given[0], TensorIterator):
            iterator = given[0]
            outputs = iterator.tensors[: iterator.output_count]
            values = bound_walk(self.schema, iterator, given[1:])
        else:
            count = sum(1 for argument in self.schema.arguments if _is_for_kernels(argument))
            arguments = given[len(given) - count :]
            # arguments that are written to are passed a second time, between outputs and arguments
            outputs = given[: len(self.schema.returns)] if self.written else given[: len(given) - count]
            values = bound(self.schema, arguments)
        values |= ALWAYS.get(self.name, {})
        places = [None if each is None else shown(each) for each in outputs]
        if self.name == "arange.start_step":
            _count_as_gnomon(values, places[0])
        if self.name in CONTIGUOUS:
            values = {name: _contiguous(value) for name, value in values.items()}
        if self.name in ON_EXPANDED and _is_expanded(places[0]):
            _, *others = values.values()
            ON_EXPANDED[self.name](places[0], *others)
            return
        if self.out is not None and all(place is not None for place in places):
            self._write(places, values)
            return
        for place, result in zip(places, self._results(values, places), strict=True):
            if place is not None:
                _store(place, result)

    def _write(self, places: Sequence[Any], values: Values) -> None:
        """Calls the ``out=`` variant."""
        remaining = iter(places)
        shapes = [place.shape for place in places]
        positional, keywords = self._arguments(self.out, values, places)
        for argument in self.out._schema.arguments:
            if argument.is_out:
                keywords[argument.name] = next(remaining)
        self.out(*positional, **keywords)
        if [place.shape for place in places] != shapes:
            raise RuntimeError(f"{self.out} does not accept sizes {shapes}")

    def _results(self, values: Values, places: Sequence[Any]) -> Sequence[Any]:
        if self.name in EQUIVALENTS:
            found = self.function(*values.values())
        else:
            positional, keywords = self._arguments(self.function, values, places)
            found = self.function(*positional, **keywords)
        if found is None:
            return ()
        return found if isinstance(found, (tuple, list)) else (found,)

    def _arguments(
        self, function: Any, values: Values, places: Sequence[Any]
    ) -> tuple[list[Any], dict[str, Any]]:
        """The arguments of ``function``; its ``dtype`` is that of the output, which gnomon has determined."""
        positional, keywords = [], {}
        for argument in function._schema.arguments:
            if argument.is_out:
                continue
            if argument.name in values:
                value = values[argument.name]
            elif "dtype" in argument.name and self.name not in OWN_DTYPE:
                value = places[0].dtype
            else:
                continue
            if argument.kwarg_only:
                keywords[argument.name] = value
            else:
                positional.append(value)
        return positional, keywords


def _count_as_gnomon(values: Values, place: torch.Tensor) -> None:
    """Adjusts ``end`` so that PyTorch computes as many numbers as gnomon.

    gnomon computes the count of integers before it truncates the step, and ``range``, whose end is one of its
    numbers, runs the kernel of ``arange``.
    """
    start, end, step = values["start"], values["end"], values["step"]
    if not place.dtype.is_floating_point:
        values["end"] = start + step * place.numel()
    elif place.numel() and math.ceil((end - start) / step) == place.numel() - 1:
        values["end"] = start + step * (place.numel() - 0.5)


def _contiguous(value: Any) -> Any:
    return value.contiguous() if isinstance(value, torch.Tensor) else value


def _is_expanded(place: torch.Tensor) -> bool:
    return any(size > 1 and stride == 0 for size, stride in zip(place.shape, place.stride()))


def _store(place: torch.Tensor, result: torch.Tensor) -> None:
    """Copies a result to the output, which must have the same sizes and dtype."""
    if place.shape != result.shape or place.dtype != result.dtype:
        what = [f"{each.dtype} {tuple(each.shape)}" for each in (result, place)]
        raise RuntimeError(f"PyTorch's result is {what[0]}, gnomon's {what[1]}")
    place.copy_(result)


# Arguments that make PyTorch guarantee what gnomon does: equal elements keep their order.
ALWAYS: dict[str, Values] = {"sort.stable": {"stable": True}}

# Kernels that PyTorch calls only with contiguous tensors (derivatives.yaml), which they do not check.
CONTIGUOUS = frozenset({"native_group_norm_backward"})

# For these, ``dtype`` is that of the input, which may be complex.
OWN_DTYPE = frozenset({"linalg_vector_norm"})

# These write to an expanded tensor in place: a result can not be copied to elements that share memory.
ON_EXPANDED: dict[str, Callable[..., Any]] = {
    "_index_put": torch.ops.aten.index_put_.default,
    "index_fill.int_Scalar": torch.ops.aten.index_fill_.int_Scalar,
    "index_fill.int_Tensor": torch.ops.aten.index_fill_.int_Tensor,
}

# Kernels of operators that write to their first argument.
IN_PLACE: dict[str, Callable[..., Any]] = {
    "fill_.Scalar": torch.ops.aten.fill_.Scalar,
    "copy_": torch.ops.aten.copy_.default,
}


def _operators() -> Iterator[Any]:
    for packet in gn.ops.aten:
        yield from packet.overloads.values()


@functools.cache
def all_kernels() -> dict[str, Kernel]:
    """Operator name -> kernel, for each operator of the reference but the random ones: PyTorch draws others.

    Disables oneDNN for the whole process: PyTorch uses it for some sizes on some processors, so that results
    would depend on the machine.
    """
    torch.backends.mkldnn.set_flags(False)
    return {
        operator.schema.full_name: Kernel(operator)
        for operator in _operators()
        if operator.schema.full_name in reference_backend.kernels
        and operator.record.batching.rule != "random"
    }
