"""Makes one call of an operator in one framework, and observes it.

A framework is gnomon on some device, or PyTorch (pytorch/oracle.py).
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol

import gnomon as gn
from gnomon.autograd import engine
from gnomon.memory.accessor import elements
from gnomon.values import device as devices
from gnomon.values import dtype as dtypes

from ..inputs.description import (
    COMPLEX,
    FLOATS,
    ON_DEVICE,
    OPAQUE_LAYOUT,
    QUANTIZED_LAYOUTS,
    SPARSE_LAYOUTS,
    OnDevice,
    Sample,
    Specified,
    Stored,
    TensorDescription,
    complete,
    quantization,
    specified,
    stored,
)
from . import coverage, last_call

_TRUTH = {0: False, 1: True}
SEED = 1234  # of the default generator, before each call


class TensorOutcome(NamedTuple):
    """What can be observed of a tensor result.

    alias    ("same" or "view", i): it is tensor i of the call, or shares its memory; None: its memory is new
    numbers  in row-major order; None if there are none (the meta device)
    """

    dtype: str
    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int
    device: str
    alias: tuple[str, int] | None
    numbers: tuple[Any, ...] | None


class Failure(NamedTuple):
    """An exception: the names of its class and of that class's bases, and its text."""

    kinds: tuple[str, ...]
    text: str


class Outcome(NamedTuple):
    """What a call did.

    results    TensorOutcomes and plain values, in order, then what else the schema says is written to
    storages   contents of the storage of each tensor of the call, afterwards
    bumps      the increase of the version counter of each tensor of the call
    warnings   the kinds of warnings
    """

    results: tuple[Any, ...]
    storages: tuple[Any, ...]
    bumps: tuple[int, ...]
    failure: Failure | None
    warnings: tuple[str, ...]


class Framework(Protocol):
    """A library whose calls are made and observed; ``Gnomon`` documents the methods."""

    device: str

    def build(self, contents: Stored) -> tuple[Any, Any]: ...

    def build_sparse(self, parts: Specified) -> tuple[Any, Any]: ...

    def special(self, kind: str, value: Any) -> Any: ...

    def device_argument(self) -> Any: ...

    def call(self, operator: Any, values: Sequence[Any]) -> Any: ...

    def is_tensor(self, value: Any) -> bool: ...

    def plain(self, value: Any) -> Any: ...

    def observe(self, tensor: Any) -> tuple[str, tuple[int, ...], tuple[int, ...], int, str]: ...

    def numbers(self, tensor: Any) -> tuple[Any, ...] | None: ...

    def shares_memory(self, one: Any, other: Any) -> bool: ...

    def version(self, tensor: Any) -> int: ...

    def backward(self, outputs: Sequence[Any], gradients: Sequence[Any]) -> None: ...

    def grad(
        self, outputs: Sequence[Any], inputs: Sequence[Any], gradients: Sequence[Any]
    ) -> Sequence[Any]: ...


def with_list_of_outputs(schema: Any, values: Sequence[Any]) -> Sequence[Any]:
    """The arguments of a call; all outputs of a variant with ``Tensor(a!)[] out`` are its last."""
    count = len(schema.arguments) - 1
    if not (schema.is_out and schema.arguments[-1].is_list) or type(values[-1]) is list:
        return values
    return [*values[:count], list(values[count:])]


def is_compressed(tensor: Any) -> bool:
    """Whether the tensor, of either framework, has a compressed layout."""
    return str(tensor.layout).partition(".")[2] not in ("strided", "sparse_coo", "_mkldnn")


def has_strides(tensor: Any) -> bool:
    """Whether the tensor, of either framework, has strides to compare."""
    return not is_compressed(tensor) and not tensor.is_mkldnn


def layout_number(tensor: Any) -> int:
    """A number for each compressed layout."""
    return ("csr", "csc", "bsr", "bsc").index(str(tensor.layout)[-3:])


def compressed_parts(tensor: Any) -> tuple[Any, ...]:
    """The two indices and the values of a compressed tensor."""
    if str(tensor.layout)[-1] == "r":
        return tensor.crow_indices(), tensor.col_indices(), tensor.values()
    return tensor.ccol_indices(), tensor.row_indices(), tensor.values()


def quantized(library: Any, values: Any, parts: Specified) -> Any:
    """The quantized tensor with the integers ``values``; ``library`` is gnomon or torch."""
    scales, zero_points, axis = quantization(parts)
    if axis is None:
        return library._make_per_tensor_quantized_tensor(values, scales[0], zero_points[0])
    scales, zero_points = (library.tensor(each, device=values.device) for each in (scales, zero_points))
    return library._make_per_channel_quantized_tensor(values, scales, zero_points, axis)


def parameters(tensor: Any) -> list[Any]:
    """The scales, zero points and axis of a quantized tensor, of either framework."""
    if "per_tensor" in str(tensor.qscheme()):
        return [tensor.q_scale(), tensor.q_zero_point()]
    each = tensor.q_per_channel_scales(), tensor.q_per_channel_zero_points()
    return [*each[0].tolist(), *each[1].tolist(), tensor.q_per_channel_axis()]


def held_values(tensor: Any) -> Any:
    """The strided tensor whose storage a tensor has."""
    if is_compressed(tensor):
        return tensor.detach().values()
    if tensor.is_mkldnn:
        return getattr(tensor, "held", tensor)
    return tensor._values() if tensor.is_sparse else tensor


class Gnomon:
    """gnomon on one device."""

    def __init__(self, device: str):
        self.device = device

    def __str__(self) -> str:
        return f"gnomon on {self.device!r}"

    def build(self, contents: Stored) -> tuple[Any, Any]:
        """A tensor over the whole storage, and the tensor that ``contents`` describes."""
        whole = gn.tensor(
            list(contents.numbers), dtype=dtypes.dtype_named(contents.dtype), device=self.device
        )
        return whole, whole.as_strided(contents.sizes, contents.strides, contents.offset)

    def build_sparse(self, parts: Specified) -> tuple[Any, Any]:
        """The values of a sparse or opaque tensor, or a quantized one's integers, and the tensor."""
        values = self.build(parts.values)[1]
        if parts.layout == OPAQUE_LAYOUT:
            return values, values.to_mkldnn()
        if parts.layout in QUANTIZED_LAYOUTS:
            made = quantized(gn, values, parts)
            return made.held, made
        if parts.layout != "sparse_coo":
            starts, plain = (gn.tensor(each, dtype=gn.int64, device=self.device) for each in parts.indices)
            layout = getattr(devices, parts.layout)
            made = gn.sparse_compressed_tensor(
                starts, plain, values, parts.sizes, layout=layout, check_invariants=True
            )
            return values, made
        indices = gn.tensor(parts.indices, dtype=gn.int64, device=self.device)
        indices = indices.reshape(len(parts.indices), len(values))
        return values, gn.sparse_coo_tensor(indices, values, parts.sizes, is_coalesced=parts.is_coalesced)

    def special(self, kind: str, value: Any) -> Any:
        """An argument that is neither a tensor nor a number, from its name."""
        if kind == "ScalarType":
            return dtypes.dtype_named(value)
        if kind in ("Layout", "MemoryFormat"):
            return getattr(devices, value)
        if kind == "Generator":
            return gn.Generator().manual_seed(value)
        return value

    def device_argument(self) -> Any:
        """The device that the test runs on, as an argument."""
        return gn.device(self.device)

    def call(self, operator: Any, values: Sequence[Any]) -> Any:
        """Call the operator with all arguments of its schema."""
        gn.manual_seed(SEED)
        has_tensors = any(True for _ in operator.tensors(values))
        # Only factories may use the default device: for other operators, using it would be a fault.
        with contextlib.nullcontext() if has_tensors else gn.device(self.device):
            return operator(*with_list_of_outputs(operator.schema, values))

    def call_and_wait(self, operator: Any, values: Sequence[Any]) -> Any:
        """As ``call``, and wait, so that an error that an asynchronous device reports late is raised here."""
        result = self.call(operator, values)
        gn.accelerator.synchronize(self.device)
        return result

    def is_tensor(self, value: Any) -> bool:
        """Whether this is a tensor."""
        return isinstance(value, gn.Tensor)

    def plain(self, value: Any) -> Any:
        """A result that is not a tensor, in a form that is comparable between frameworks."""
        return value.name if isinstance(value, (dtypes.dtype, gn.qscheme)) else value

    def observe(self, tensor: Any) -> tuple[str, tuple[int, ...], tuple[int, ...], int, str]:
        """dtype, sizes, strides, offset, device."""
        return (
            tensor.dtype.name,
            tuple(tensor.shape),
            tuple(tensor.stride()) if has_strides(tensor) else (),
            tensor.storage_offset(),
            tensor.device.type,
        )

    def numbers(self, tensor: Any) -> tuple[Any, ...] | None:
        """The elements in row-major order; for a bool that is neither 0 nor 1, its byte.

        Of a sparse tensor: how many columns and rows its indices have, whether it is coalesced, and its
        parts; of a compressed one, its layout and its parts; of a quantized one, its integers and parameters.
        """
        if tensor.is_meta:
            return None
        if is_compressed(tensor):
            parts = [self.numbers(each) or () for each in compressed_parts(tensor.detach())]
            return (layout_number(tensor), *parts[0], *parts[1], *parts[2])
        if tensor.is_mkldnn:
            tensor = tensor.detach().to_dense()
        if tensor.is_quantized:
            return (*elements(tensor.int_repr()), *parameters(tensor))
        if tensor.is_sparse:
            indices, values = self.numbers(tensor._indices()), self.numbers(tensor._values())
            facts = tensor._nnz(), tensor.sparse_dim(), int(tensor.is_coalesced())
            return (*facts, *(indices or ()), *(values or ()))
        if tensor.dtype is gn.bool and tensor.numel():
            return tuple(_TRUTH.get(byte, byte) for byte in elements(tensor.detach().view(gn.uint8)))
        return tuple(elements(tensor.detach()))

    def shares_memory(self, one: Any, other: Any) -> bool:
        """Whether these two tensors share a storage; sparse ones, that of their values."""
        one, other = (held_values(each) for each in (one, other))
        return one.untyped_storage() is other.untyped_storage()

    def version(self, tensor: Any) -> int:
        """The version counter; 0 for an inference tensor, which has none."""
        return 0 if tensor.is_inference() else tensor._version

    def backward(self, outputs: Sequence[Any], gradients: Sequence[Any]) -> None:
        """Accumulate the gradients of the leaves."""
        engine.backward(list(outputs), list(gradients))

    def grad(self, outputs: Sequence[Any], inputs: Sequence[Any], gradients: Sequence[Any]) -> Sequence[Any]:
        """The gradients of ``inputs``, differentiable again; None for an input without one."""
        return engine.grad(list(outputs), list(inputs), list(gradients), create_graph=True, allow_unused=True)


class Call(NamedTuple):
    """The arguments of a call in the framework's own types, and the tensors among them, in order.

    ``wholes`` are tensors over the whole storages; ``differentiable`` marks tensors that may require grad.
    """

    values: list[Any]
    tensors: list[Any]
    wholes: list[Any]
    contents: list[Stored]
    differentiable: list[bool]


def prepare(
    framework: Framework, schema: Any, sample: Sample, dtype: str, layout: str, change: Any = None
) -> Call:
    """Build the arguments that ``sample`` describes; ``change`` may replace the contents of each storage."""
    if framework.device != "reference":
        last_call.note(schema, sample, dtype, layout)
        coverage.note(framework.device, schema, sample, dtype, layout)
    call = Call([], [], [], [], [])
    shared: dict[int, Any] = {}
    twice: dict[int, Any] = {}  # a GivenTensor that is passed twice is one tensor

    def built(description: TensorDescription, is_written: bool) -> Any:
        if id(description) in twice:
            return twice[id(description)]
        contents = stored(description, dtype, layout, len(call.tensors), is_written)
        if change is not None:
            contents = change(contents, description)
        storage = getattr(description, "storage", None)
        if storage in shared:
            whole = shared[storage]
            tensor = whole.as_strided(contents.sizes, contents.strides, contents.offset)
        elif description.layout in SPARSE_LAYOUTS:
            parts = specified(contents, description.layout)
            contents = parts.values
            whole, tensor = framework.build_sparse(parts)
        else:
            whole, tensor = framework.build(contents)
        if storage is not None:
            shared[storage] = whole
            twice[id(description)] = tensor
        call.wholes.append(whole)
        call.tensors.append(tensor)
        call.contents.append(contents)
        call.differentiable.append(description.grad and contents.dtype in FLOATS)
        return tensor

    for argument, value in zip(schema.arguments, complete(schema, sample)):
        if isinstance(value, OnDevice):
            value = framework.device_argument()
        elif isinstance(value, TensorDescription):
            value = built(value, argument.is_written)
            if argument.type == "Storage":
                value = value.untyped_storage()
        elif isinstance(value, (list, tuple)):
            value = tuple(
                built(each, argument.is_written) if isinstance(each, TensorDescription) else each
                for each in value
            )
        elif value is not None and argument.type in ("ScalarType", "Layout", "MemoryFormat", "Generator"):
            value = framework.special(argument.type, value)
        call.values.append(value)
    return call


def observe_tensor(framework: Framework, tensor: Any) -> TensorOutcome:
    """What can be observed of a tensor whose memory is new."""
    return TensorOutcome(*framework.observe(tensor), None, framework.numbers(tensor))


def run(
    framework: Framework, operator: Any, sample: Sample, dtype: str, layout: str, change: Any = None
) -> Outcome:
    """Call ``operator`` with ``sample`` and return the Outcome."""
    call = prepare(framework, operator.schema, sample, dtype, layout, change)
    return run_call(framework, operator, call)


def run_call(
    framework: Framework, operator: Any, call: Call, function: Callable[..., Any] | None = None
) -> Outcome:
    """Make a prepared call and return the Outcome; ``function``, if given, is called instead."""
    before = versions(framework, call)
    failure = None
    result = None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = framework.call(operator, call.values) if function is None else function()
        except Exception as error:  # any exception is part of the outcome
            failure = failure_of(error)
    return outcome(framework, operator, call, before, failure, result, caught)


def versions(framework: Framework, call: Call) -> list[int]:
    """The version counter of each tensor of a call."""
    return [framework.version(tensor) for tensor in call.tensors]


def outcome(
    framework: Framework,
    operator: Any,
    call: Call,
    before: Sequence[int],
    failure: Failure | None,
    result: Any,
    caught: Sequence[warnings.WarningMessage],
) -> Outcome:
    """The Outcome of a call that was made: ``before`` are the version counters before it, ``result`` is what
    it returned unless it failed, and ``caught`` are its warnings.
    """
    results: tuple[Any, ...] = ()
    if failure is None:
        results = tuple(result) if isinstance(result, (tuple, list)) else (result,)
        written = tuple(written_arguments(operator.schema, call.values))
        results = written if result is None and not operator.schema.returns else results + written
    observed = tuple(_observed(framework, each, call) for each in results)
    storages = tuple(framework.numbers(whole) for whole in call.wholes)
    bumps = tuple(now - was for now, was in zip(versions(framework, call), before))
    kinds = tuple(each.category.__name__ for each in caught if "GNOMON_FALLBACK" not in str(each.message))
    return Outcome(observed, storages, bumps, failure, kinds)


def written_arguments(schema: Any, values: Sequence[Any]) -> Iterator[Any]:
    """What an operator wrote to, besides what it returns."""
    for argument, value in zip(schema.arguments, values):
        if argument.is_written and not schema.is_inplace and not schema.is_out:
            yield from value if argument.is_list else (value,)


def returned_results(schema: Any, results: Sequence[Any]) -> Sequence[Any]:
    """The results of an Outcome that the operator returned: its ``out=`` variant has an output for each."""
    writes = any(argument.is_written for argument in schema.arguments)
    return results[: len(schema.returns)] if writes else results  # a list is one of the schema's returns


def failure_of(error: BaseException) -> Failure:
    """The parts of an exception that are compared.  PyTorch's LinAlgError is called _LinAlgError."""
    return Failure(tuple(each.__name__.lstrip("_") for each in type(error).__mro__[:-2]), str(error))


def _observed(framework: Framework, result: Any, call: Call) -> Any:
    if not framework.is_tensor(result):
        return framework.plain(result)
    dtype, sizes, strides, offset, device = framework.observe(result)
    alias = None
    for position, tensor in enumerate(call.tensors):
        if result is tensor:
            alias = ("same", position)
            break
        if framework.shares_memory(result, tensor):
            alias = ("view", position)
            break
    return TensorOutcome(dtype, sizes, strides, offset, device, alias, framework.numbers(result))


class Gradients(NamedTuple):
    """Which results of a call require grad, and the gradient of each of its tensors, or None."""

    requires_grad: tuple[bool, ...]
    gradients: tuple[Any, ...]
    failure: Failure | None


def differentiate(
    framework: Framework,
    operator: Any,
    sample: Sample,
    dtype: str,
    layout: str,
    incoming_layout: str = "contiguous",
) -> Gradients:
    """The gradients of all floating point tensors of the call, for fixed gradients of its results.

    ``incoming_layout``: the layout of the gradients of the results.
    """
    call = prepare(framework, operator.schema, sample, dtype, layout)
    try:
        for tensor, differentiable in zip(call.tensors, call.differentiable):
            if differentiable:
                tensor.requires_grad_()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = framework.call(operator, call.values)
        results = result if isinstance(result, (tuple, list)) else (result,)
        outputs = [each for each in results if framework.is_tensor(each)]
        roots = [each for each in outputs if each.requires_grad]
        incoming = [
            framework.build(_incoming(framework, each, number, incoming_layout))[1]
            for number, each in enumerate(roots)
        ]
        if roots:
            framework.backward(roots, incoming)
    except Exception as error:  # compared with what the other framework raises
        return Gradients((), (), failure_of(error))
    found: list[TensorOutcome | None] = []
    for tensor in call.tensors:
        grad = tensor.grad
        if grad is None:
            found.append(None)
            continue
        observed = framework.observe(grad)
        found.append(TensorOutcome(*observed, None, framework.numbers(grad)))
    return Gradients(tuple(each.requires_grad for each in outputs), tuple(found), None)


class Twice(NamedTuple):
    """Double backward: the gradients of a number computed from the first gradients; None where there is none.

    value      the number that was differentiated
    leaves     how many of the gradients are those of the call's tensors; the others are the incoming ones'
    """

    value: Any
    leaves: int
    gradients: tuple[Any, ...]
    failure: Failure | None


def differentiate_twice(
    framework: Framework,
    operator: Any,
    sample: Sample,
    dtype: str,
    layout: str,
    moved: Callable[..., None] | None = None,
) -> Twice:
    """The gradients of a weighted sum of the first gradients: for the call's tensors, then the incoming ones.

    ``moved`` may first change the inputs' numbers.
    """
    call = prepare(framework, operator.schema, sample, dtype, layout)
    try:
        leaves = [
            tensor for tensor, differentiable in zip(call.tensors, call.differentiable) if differentiable
        ]
        if moved is not None:
            moved(leaves)
        for tensor in leaves:
            tensor.requires_grad_()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = framework.call(operator, call.values)
        results = result if isinstance(result, (tuple, list)) else (result,)
        roots = [each for each in results if framework.is_tensor(each) and each.requires_grad]
        incoming = [
            framework.build(_incoming(framework, each, number))[1] for number, each in enumerate(roots)
        ]
        for each in incoming:
            each.requires_grad_()
        first = framework.grad(roots, leaves, incoming) if roots else ()
        total = None
        for number, each in enumerate(first):
            if each is None or not each.requires_grad:
                continue
            weights = framework.build(_incoming(framework, each, 50 + number))[1]
            term = (each * weights).sum()
            total = term if total is None else total + term
        inputs = [*leaves, *incoming]
        second = framework.grad([total], inputs, [total.detach() * 0 + 1]) if total is not None else ()
    except Exception as error:  # compared with what the other framework raises
        return Twice(None, 0, (), failure_of(error))
    found = [None if each is None else observe_tensor(framework, each) for each in second]
    numbers = None if total is None else framework.numbers(total)
    value = None if numbers is None else numbers[0]
    return Twice(value, len(leaves), tuple(found), None)


def incoming_gradient(dtype: str, sizes: tuple[int, ...], number: int, layout: str = "contiguous") -> Stored:
    """The gradient of a result: different for each element, unless the layout repeats elements."""
    return stored(TensorDescription(sizes, dtype, "unit", layout, seed=77), dtype, layout, number)


def _incoming(framework: Framework, result: Any, number: int, layout: str = "contiguous") -> Stored:
    """That of a result in a framework."""
    dtype, sizes, *_ = framework.observe(result)
    return incoming_gradient(dtype, tuple(sizes), number, layout)


__all__ = ["COMPLEX", "ON_DEVICE", "Gnomon", "Outcome", "differentiate", "run"]
