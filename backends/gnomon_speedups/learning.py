"""Learning: makes the plan of a call that ran in the readable tier, so that it can be repeated in C.

A call has a plan if it was one launch of a kernel that C can call directly, or if it made one view, or
several views of one tensor.  This is determined from what happened: the launches (calls/launch.py reports
each), and the results.  All other calls have no plan, and run in the readable tier again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from gnomon.autograd import engine, variable_type
from gnomon.autograd.gradient_sums import sum_of
from gnomon.autograd.node import AccumulateGrad, Node, gradient_edge
from gnomon.autograd.saved_variable import SavedList, SavedVariable, save
from gnomon.autograd.variable_type import NotImplementedNode, RecordedNode, derivative_plan
from gnomon.calls.composites import NAMED, hide_base, raise_named
from gnomon.calls.record import Record
from gnomon.dispatch.dispatcher import OpOverload, aten
from gnomon.dispatch.record_function import FUNCTION, KERNEL, end, readable_everywhere, start
from gnomon.dispatch.registration import UserOperator
from gnomon.memory.backend import backend_of, offers_of
from gnomon.memory.prepared import PreparedCall, free_function
from gnomon.memory.spec import Spec
from gnomon.memory.storage import Storage
from gnomon.memory.tensor import INFERENCE_VERSION, AutogradMeta, CreationMeta, Tensor
from gnomon.numerics.generator import default_generator
from gnomon.values import dtype as dtypes
from gnomon.values import geometry, late_bound
from gnomon.values.device import AliasDevice, _scoped_devices, device, layout, memory_format
from gnomon.values.dispatch_key import AUTOGRAD, MODE_WORD, WRAPPER_KEYS
from gnomon.values.limits import finfo
from gnomon.values.thread_local_state import ThreadLocalStateGuard

from .extension import extension as _speedups
from .plan import MOST_ARGUMENTS, MOST_STEPS, OF_STEPS, Entry, Kind, Plan, Saved
from .replacement import guard, like

_SAVED = {"value": Saved.VALUE, "output": Saved.OUTPUT, "sizes": Saved.SIZES, "spec": Saved.SPEC}


# -- how an operator is called -------------------------------------------------------------------------------


def _bits(positions: Any) -> int:
    return sum(1 << position for position in positions)


def _position(operator: OpOverload, kind: str) -> int:
    """The position of the first argument of a type, or -1."""
    kinds = [argument.type for argument in operator.schema.arguments]
    return kinds.index(kind) if kind in kinds else -1


def prepare(operator: OpOverload) -> tuple[Any, ...] | None:
    """The facts about an operator that C needs, in the order in which operator.c reads them; None: the
    operator is always called in the readable tier.
    """
    record, schema = operator.record, operator.schema
    if (
        not isinstance(record, Record)
        or isinstance(operator, UserOperator)
        or operator.arity > MOST_ARGUMENTS
    ):
        return None
    base = (record.base or operator).record
    if record.base is not None and (base.composite is not None or base.explicit is not None):
        return None
    writes = any(argument.is_written for argument in schema.arguments)
    composite = record.composite
    if record.explicit is not None and record.launches is None:
        has_layout = operator.layout_position is not None  # which may choose another kernel
        if writes or has_layout or schema.is_view or any(each.is_list for each in schema.returns):
            return None
        composite = record.explicit
    if composite is not None and operator.lengths:
        composite = _with_lists(operator, composite)
    positions = operator.tensor_positions
    arguments = schema.arguments
    number = _position(operator, "Scalar") if record.launches == "fill_.Scalar" else -1
    derivatives = record.derivatives
    return (
        _bits(positions),
        _bits(each for each in positions if arguments[each].is_list),
        _bits(each for each in positions if arguments[each].is_optional),
        number,
        -1 if positions else _position(operator, "Device"),
        _position(operator, "Generator"),
        int(base.numbers.fit),
        int(writes),
        int(derivatives is None and composite is None and bool(positions)),
        _recorder(operator) if derivatives else None,
        composite,
        int(record.composite is None),
        int(schema.is_view),
        int(record.launches == "" and "empty" in schema.name),
        int(record.explicit is not None),
    )


def _with_lists(operator: OpOverload, function: Any) -> Callable[..., Any]:
    """``function``, which also accepts a number in place of a list argument."""
    return lambda *arguments: function(*operator.with_lists(arguments))


def _recorder(operator: OpOverload) -> Callable[[tuple[Any, ...]], tuple[Any, ...]]:
    """A function that returns how to record a call: the Node's class, and what the Node saves."""

    def recorder(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        inputs, slots = variable_type.flatten_inputs(operator, arguments)
        needed = tuple(isinstance(each, Tensor) and bool(each._keys & AUTOGRAD) for each in inputs)
        plan = derivative_plan(operator, slots, needed)
        return plan.node_class, tuple((int(_SAVED[kind]), position) for kind, position in plan.sources)

    return recorder


def formulas(node_class: type) -> tuple[Any, ...] | None:
    """The formulas of a Node class, for the engine in C; None if its ``apply`` has to be called."""
    if not issubclass(node_class, RecordedNode) or issubclass(node_class, NotImplementedNode):
        return None
    plan = node_class.plan
    return tuple(plan.formulas), plan.takes_all_gradients, plan.output_count, plan.keeps_tensors


# -- kernels -------------------------------------------------------------------------------------------------


def _flat(operator: OpOverload, arguments: Sequence[Any]) -> tuple[list[Any], dict[int, list[int]]]:
    """The tensor arguments of a call with lists flattened, with None and numbers kept; and the indices in it
    of each argument position.
    """
    flat: list[Any] = []
    places: dict[int, list[int]] = {}
    for position in operator.tensor_positions:
        value = arguments[position]
        if operator.schema.arguments[position].is_list:
            several = [] if value is None else list(value)
        else:
            several = [value]
        places[position] = list(range(len(flat), len(flat) + len(several)))
        flat += several
    return flat, places


def learn(operator: OpOverload, arguments: tuple[Any, ...], result: Any, launches: list[Any]) -> Plan | None:
    """The plan of a call that returned ``result`` and launched these kernels; None if it has none."""
    record, schema = operator.record, operator.schema
    flat, places = _flat(operator, arguments)
    if any(isinstance(each, Tensor) and each._keys & WRAPPER_KEYS for each in flat):
        return None
    if operator.with_lists(arguments) is not arguments or len(launches) > 1:
        return None
    if record.view is not None:
        return _views(operator, arguments[0], result)
    base = record.base or operator
    if schema.is_inplace:
        outputs: list[Any] = places[0][:1]
        inputs = list(range(len(flat)))
    elif schema.is_out:
        count = len(base.schema.arguments)
        outputs = [index for position in places if position >= count for index in places[position]]
        inputs = [index for position in places if position < count for index in places[position]]
    else:
        outputs = [index for position in record.written_positions for index in places[position]]
        inputs = [
            index
            for position in places
            if position not in record.written_positions
            for index in places[position]
        ]
    if record.launches is not None:
        inputs = inputs[len(outputs) :] if _reads_tensors(record.launches) else []
    makes = not schema.is_inplace and not schema.is_out and bool(schema.returns)
    new = (list(result) if isinstance(result, tuple) else [result]) if makes else []
    if not all(_is_own(each, arguments, launches) for each in new) or (makes and outputs):
        return None
    where = new or [flat[index] for index in outputs]
    if not where or not isinstance(where[0], Tensor) or where[0]._spec.device.type == "meta":
        return None
    plan = _facts(
        operator, new, [index for index in outputs if index in _written(operator, arguments, places, flat)]
    )
    if schema.is_out and len(plan.written) != len(schema.returns):
        return None
    if not launches:
        return _memory_alone(operator, plan, new)
    name, _, _, tensors, _, iterator, kernel_arguments, call = launches[0]
    kernel_name = record.launches if record.launches is not None else base.record.kernel_name
    if not isinstance(call, PreparedCall) or name != kernel_name:
        return None
    expected = [*new, *[flat[index] for index in outputs]]
    order = [index for index in inputs if iterator is None or flat[index] is not None]
    is_number = bool(order) and not isinstance(flat[order[-1]], (Tensor, type(None)))
    if len(tensors) != len(expected) + len(order) or not all(map(_is_same, expected, tensors)):
        return None
    for index, tensor in zip(order, tensors[len(expected) :]):
        value = flat[index]
        if not isinstance(value, (Tensor, type(None))):
            if index != order[-1] or tensor is None or tensor._spec.ndim:
                return None
        elif not _is_same(value, tensor):
            return None
    plan.kernel_name, plan.call, plan.keep = name, call.address, call
    plan.order = tuple(order if new else [*outputs, *order])
    operands = len(order) - is_number
    if record.launches is not None and not _told_anew(operator, plan, arguments, kernel_arguments):
        return None
    return _entered(plan, call, operands, is_number)


def _written(
    operator: OpOverload, arguments: Sequence[Any], places: dict[int, list[int]], flat: list[Any]
) -> set[int]:
    """The tensors that a call writes to; some only if another argument is given."""
    only_with = operator.record.written_with_positions
    return {
        index
        for position, indices in places.items()
        if position not in only_with or arguments[only_with[position]] is not None
        for index in indices
        if flat[index] is not None
    }


def _reads_tensors(launches: str) -> bool:
    """Does the kernel that an explicit function launches read tensors that it does not write to?"""
    operator = aten._find(launches) if launches else None
    return operator is not None and any(
        argument.is_tensor and not argument.is_written for argument in operator.schema.arguments
    )


def _is_own(tensor: Any, arguments: Sequence[Any], launches: list[Any]) -> bool:
    """Did the call create the tensor, with its own memory: an output of the launch, or an alias of all of it?

    If its Node has saved the tensor, an alias exists already, so that it has a Storage and a version counter.
    """
    if tensor.__class__ is not Tensor or tensor._view_of is not None or tensor._version:
        return False
    if any(tensor is each for each in arguments):
        return False
    written = launches[0][3][: launches[0][4]] if launches else []
    is_written = any(tensor is each for each in written)
    if not is_written and tensor._version_counter is not None:
        return False
    if _speedups.owns_memory(tensor):
        return True
    storage, nbytes = tensor._storage, tensor._spec.extent_nbytes
    is_all = len(written) == 1 and _is_same(tensor, written[0]) and written[0]._spec.extent_nbytes == nbytes
    return (is_written or is_all) and storage is not None and storage.nbytes() == nbytes


def _is_same(value: Any, tensor: Any) -> bool:
    """Did the kernel get this argument, or an alias with the same address?"""
    if value is tensor or value is None or tensor is None:
        return value is tensor
    return (
        bool(value._address)
        and tensor._address == value._address
        and tensor._storage is value._storage is not None
        and tensor._spec.dtype is value._spec.dtype
    )


def _facts(operator: OpOverload, new: list[Tensor], outputs: list[int]) -> Plan:
    """The plan of a call, without its kernel."""
    record, schema = operator.record, operator.schema
    specs = tuple(each._spec for each in new)
    recorded = [
        position
        for position, spec in enumerate(specs)
        if spec.dtype.category >= 2 and position not in record.non_differentiable_outputs
    ]
    return Plan(
        operator,
        Kind.NEW if new else Kind.WRITTEN,
        specs=specs,
        metadata=specs[: recorded[-1] + 1] if recorded else (),
        recorded=_bits(recorded),
        returned=len(schema.returns),
        written=tuple(outputs),
        is_exclusive=schema.is_out or bool(record.base and record.base.record.separate_positions),
        nbytes=tuple(float(spec.extent_nbytes) for spec in specs),
        free=_free_address(specs[0]) if specs else 0.0,
    )


def _free_address(spec: Spec) -> float:
    return offers_of(backend_of(spec.device)).free_entry()


def _memory_alone(operator: OpOverload, plan: Plan, new: list[Tensor]) -> Plan | None:
    """The plan of a call without a launch that only allocates its result; None if it does more."""
    launches = operator.record.launches
    if launches is None or len(new) != 1 or (operator.tensor_positions and launches == "copy_"):
        return None
    spec = new[0]._spec
    if launches and spec.numel:
        return None
    entry = offers_of(backend_of(spec.device)).allocate_entry()
    if entry is None or free_function(spec.device.type) is None:
        return None
    plan.entry, plan.function = Entry.NOTHING, entry[1]
    return plan


def _told_anew(
    operator: OpOverload, plan: Plan, arguments: Sequence[Any], kernel_arguments: Sequence[Any]
) -> bool:
    """Adds to the plan what a fill (a number) or a random operator (a stream) gets anew at each call.

    Returns False if that is not possible.
    """
    launches = operator.record.launches
    made = bool(plan.specs)
    position = _position(operator, "Scalar") if launches == "fill_.Scalar" else -1
    if position >= 0:
        number = arguments[position]
        spec = plan.specs[0] if made else arguments[0]._spec
        limits = _limits(spec.dtype, number.__class__)
        if limits is None or kernel_arguments[0] is not number:
            return False
        plan.number = position
        plan.least, plan.most = limits
        plan.entry = Entry.CALL_SCALAR if made else Entry.RUN_SCALAR
    elif _position(aten._find(launches), "Generator") >= 0:
        spec = plan.specs[0] if made else arguments[0]._spec
        plan.blocks = spec.numel
        plan.entry = Entry.CALL_STREAM if made else Entry.RUN_STREAM
    return True


def _limits(dtype: dtypes.dtype, kind: type) -> tuple[float, float] | None:
    """The finite numbers of a Python type that a fill of this dtype surely accepts; None: check each."""
    if kind not in (bool, int, float):
        return None
    if dtype.category == 0:
        return -math.inf, math.inf
    if dtype.category == 1:
        if kind is not int:
            return None
        bits = min(dtype.bits - dtype.is_signed, 53)
        return -(2.0**bits) + (not dtype.is_signed), 2.0**bits - 1.0
    most = finfo(dtype).max
    return -most, most


def _entered(plan: Plan, call: PreparedCall, operands: int, is_number: bool) -> Plan | None:
    """The plan with its kernel's entry; None if C can not call the kernel."""
    is_written = plan.kind is Kind.WRITTEN
    if plan.entry in (Entry.CALL_SCALAR, Entry.RUN_SCALAR, Entry.CALL_STREAM, Entry.RUN_STREAM):
        what = "scalar" if plan.entry in (Entry.CALL_SCALAR, Entry.RUN_SCALAR) else "stream"
        entry = call.entry_with(what, is_written)
        if entry is None:
            return None
        plan.function = call.entry_address(entry)
        return plan if plan.function else None
    is_alone = len(plan.written if is_written else plan.specs) == 1 and operands + is_number <= 3
    entry = call.entry(operands, int(is_number), is_written) if is_alone else None
    if entry is not None:
        plan.function, plan.callable = call.entry_address(entry), entry
        if is_written:
            plan.entry = Entry.RUN_NUMBER if is_number else Entry.RUN
        else:
            plan.entry = Entry.CALL_NUMBER if is_number else Entry.CALL
        return plan
    if is_number or not call.is_claimed:
        return None
    plan.entry = Entry.ARRAY
    in_c = call.run_new_in_c()
    if in_c is not None:
        plan.allocate, plan.function = in_c.allocate, in_c.run
        return plan
    if is_written or type(call).run_new is PreparedCall.run_new:  # it does not support that
        return None
    plan.callable = call.run_new
    return plan


# -- views ---------------------------------------------------------------------------------------------------


def _views(operator: OpOverload, self: Any, result: Any) -> Plan | None:
    """The plan of an operator that returns views of its first argument."""
    if operator is aten.as_strided.default:
        return None  # its offset and bounds depend on the storage, not only on the spec
    several = isinstance(result, (tuple, list))
    views = list(result) if several else [result]
    if not isinstance(self, Tensor) or not all(_shows(each, self) for each in views):
        return None
    offsets = [each._storage_offset - self._storage_offset for each in views]
    itemsize = self._spec.dtype.itemsize
    specs = tuple(each._spec for each in views)
    return Plan(
        operator,
        Kind.VIEWS if several else Kind.VIEW,
        specs=specs,
        metadata=specs,
        recorded=_bits(range(len(views))) if len(views) <= 62 else 0,
        offsets=tuple(offsets),
        offset_nbytes=tuple(float(offset * itemsize) for offset in offsets),
        is_tracked=operator.record.derivatives != {},  # detach is not tracked by autograd
    )


def _shows(view: Any, self: Tensor) -> bool:
    """Is ``view`` a view of the storage of ``self``, with the same dtype?"""
    return (
        view.__class__ is Tensor
        and view is not self
        and view._storage is self._storage
        and view._spec.dtype is self._spec.dtype
        and _speedups.has_address(view) == _speedups.has_address(self)
    )


def learn_view(operator: OpOverload | None, self: Any, result: Any) -> Plan | None:
    """The plan of a composite or a function that returned a view of ``self``; None if it is not such a view.

    The plan has the view's Node if that was recorded in one step and saves only constants.
    """
    if result is self and self.__class__ is Tensor:
        return Plan(operator, Kind.SELF)
    if not isinstance(self, Tensor) or not _shows(result, self) or result._view_of is None:
        return None
    if operator is aten.as_strided.default:
        return None  # as above
    if result._view_of[0] is not (self if self._view_of is None else self._view_of[0]):
        return None
    spec, offset = result._spec, result._storage_offset - self._storage_offset
    plan = Plan(
        operator,
        Kind.VIEW,
        specs=(spec,),
        metadata=(spec,),
        offsets=(offset,),
        offset_nbytes=(float(offset * spec.dtype.itemsize),),
    )
    edge = result._gradient_edge
    if edge is not None and edge[1] == 0:
        node = edge[0]
        is_one_step = len(node.next_edges) == 1 and node.next_edges[0] == gradient_edge(self)
        saved = getattr(node, "saved", None)
        if is_one_step and isinstance(saved, list) and not any(_is_of_a_call(each) for each in saved):
            plan.saved, plan.metadata, plan.node_class = saved, node.metadata_specs, type(node)
    return plan


def _is_of_a_call(value: Any) -> bool:
    """Does a value that a Node saves differ from call to call?"""
    return isinstance(value, (Tensor, SavedVariable, SavedList)) or callable(value)


# -- vmap ----------------------------------------------------------------------------------------------------


def learn_batched(
    operator: OpOverload,
    arguments: tuple[Any, ...],
    values: tuple[Any, ...],
    result: Any,
    steps: list[tuple[OpOverload, tuple[Any, ...], Any]],
) -> tuple[Plan, tuple[Any, ...]] | bool | None:
    """The plan of a call under one vmap, and the calls on ``values`` that its batching rule made: each with
    its constants, and for its other arguments their index among the values or (from OF_STEPS on) among the
    results of earlier steps.  True: no argument is batched, so vmap does not affect the call.  None: it runs
    in the readable tier.
    """
    from gnomon.func.batching import BatchedTensor, find_random_rule

    if all(value is argument for value, argument in zip(values, arguments)):
        return True if find_random_rule(operator) is None else None
    if result.__class__ is not BatchedTensor:
        return None
    while steps and steps[-1][2] is not result.value:
        steps = steps[:-1]  # the alias of an output that a Node saves is not part of the rule
    if not 0 < len(steps) <= MOST_STEPS or any(_position(each[0], "Generator") >= 0 for each in steps):
        return None
    if any("as_strided" in each[0].name for each in steps):
        return None  # it depends on the storage
    made = [each[2] for each in steps]
    if any(not isinstance(each, Tensor) for each in made):
        return None
    program = []
    for count, (step, given, _) in enumerate(steps):
        places = [_place(each, values, made[:count]) for each in given]
        if None in places or len(given) > MOST_ARGUMENTS:
            return None
        constants = tuple(each if place == -1 else None for each, place in zip(given, places))
        program.append((step, constants, tuple(places)))
    if operator.schema.is_view:
        if operator.record.view is None or result._storage_offset != result.value._storage_offset:
            return None
        specs = (result._spec,)
        is_tracked, recorded = operator.record.derivatives != {}, int(result._spec.dtype.category >= 2)
        return Plan(
            operator, Kind.VIEW, specs=specs, metadata=specs, recorded=recorded, is_tracked=is_tracked
        ), tuple(program)
    if result._view_of is not None or len(operator.schema.returns) != 1:
        return None
    return _facts(operator, [result], []), tuple(program)


def _place(given: Any, values: Sequence[Any], made: Sequence[Any]) -> int | None:
    """The index of a step's argument; -1 for a constant; None for a tensor of unknown origin."""
    if isinstance(given, Tensor):
        for place, each in enumerate(values):
            if each is given:
                return place
        for place, each in enumerate(made):
            if each is given:
                return OF_STEPS + place
        return None
    if isinstance(given, (list, tuple)) and any(isinstance(each, Tensor) for each in given):
        return None
    return -1


# -- memory --------------------------------------------------------------------------------------------------


def adopt(spec: Spec, address: float) -> tuple[Storage, Callable[[], None]]:
    """A Storage of the memory at an address, and a function that makes it the owner of that memory, to be
    called when the Storage is installed.
    """
    backend = backend_of(spec.device)
    memory = backend.adopt(address, spec.extent_nbytes)
    storage = Storage(backend, spec.device, memory, spec.extent_nbytes)
    return storage, lambda: backend.take_over(memory, address)


def share(spec: Spec, view: memoryview) -> tuple[Storage, Callable[[], None]]:
    """A Storage of the memory of a NumPy array, which its tensor has held by a view of it, and a function
    like that of ``adopt``, which does nothing.
    """
    from gnomon.interop.host_memory import storage_on_host_memory
    from gnomon.interop.numpy import memory_of

    return storage_on_host_memory(spec, *memory_of(view, spec.extent_nbytes)), lambda: None


def spec_of_array(array: Any, made: Tensor) -> Spec | None:
    """The spec of all arrays that have sizes, strides and dtype of this one, whose tensor is ``made``;
    None if they do not share memory by address.
    """
    import numpy

    backend = backend_of(made._spec.device)
    is_shared = type(array) is numpy.ndarray and made.__class__ is Tensor and made._spec.numel
    if not is_shared or not (backend.host_memory and backend.has_addresses):
        return None
    return made._spec if made._address == array.__array_interface__["data"][0] else None


def array_of_spec(spec: Spec, array: Any) -> tuple[Any, ...] | None:
    """How tensors of this spec become arrays such as ``array``: its type, arguments of that, and the bytes
    that its elements span; None if these have no address.
    """
    from gnomon.interop.numpy import kind_and_strides

    backend = backend_of(spec.device)
    if not (backend.host_memory and backend.has_addresses and spec.numel):
        return None
    return (type(array), tuple(spec.sizes), *kind_and_strides(spec), spec.extent_nbytes)


def give_back(spec: Spec, address: float, free_function: Any = free_function) -> None:
    """Frees memory that was owned by its address alone, if C can not do it; works also while Python shuts
    down, when this module's globals are gone.
    """
    free = free_function(spec.device.type)
    if free is not None:
        free(address)


# -- reading and writing elements ----------------------------------------------------------------------------

_READ = frozenset(dtypes.ALL) - set(dtypes.COMPLEX)
_WRITTEN = frozenset(dtypes.ALL) - {dtypes.float16, *dtypes.COMPLEX}


def readable_code(spec: Spec) -> int:
    """The dtype code of tensors whose elements C can read by address; -1 for others."""
    is_there = backend_of(spec.device).host_memory and spec.dtype in _READ
    return spec.dtype.code if is_there else -1


def plan_of_data(made: Tensor) -> tuple[Any, ...] | None:
    """How gn.tensor() creates a tensor of this spec in C: spec, dtype code, bytes, and the addresses of the
    functions that allocate and free; None if its memory can not be written by address.
    """
    spec = made._spec
    backend = backend_of(spec.device)
    entry = offers_of(backend).allocate_entry()
    is_ours = backend.host_memory and backend.has_addresses and free_function(spec.device.type) is not None
    if made.__class__ is not Tensor or not is_ours or entry is None or spec.dtype not in _WRITTEN:
        return None
    return spec, spec.dtype.code, float(spec.extent_nbytes), entry[1], _free_address(spec)


# -- initialization ------------------------------------------------------------------------------------------


def know() -> None:
    """Passes gnomon's classes and functions to the extension."""
    _speedups.know(
        {
            "mode_word": MODE_WORD,
            "scoped_devices": _scoped_devices,
            "values": (str, dtypes.dtype, device, AliasDevice, layout, memory_format),
            "learn": learn,
            "learn_view": learn_view,
            "prepare": prepare,
            "formulas": formulas,
            "gradient_edge": gradient_edge,
            "save": save,
            "untyped_storage": Tensor.untyped_storage,
            "adopt": adopt,
            "share": share,
            "give_back": give_back,
            "no_grad_mode": CreationMeta.NO_GRAD_MODE,
            "multi_output": CreationMeta.MULTI_OUTPUT_NODE,
            "default_generator": default_generator,
            "nonzero_static": aten.nonzero_static.default,
            "select": aten.select.int,
            "_index": aten._index.default,
            "bool": dtypes.bool_,
            "named": NAMED,
            "raise_named": raise_named,
            "hide_base": hide_base,
            "RecordedNode": RecordedNode,
            "Node": Node,
            "AccumulateGrad": AccumulateGrad,
            "sum_of": sum_of,
            "SavedVariable": SavedVariable,
            "SavedList": SavedList,
            "AutogradMeta": AutogradMeta,
            "Spec": Spec,
            "dtype": dtypes.dtype,
            "validate": engine._validate,
            "inference_version": INFERENCE_VERSION,
            "nothing_to_end": ThreadLocalStateGuard._ended,
            "readable_everywhere": readable_everywhere,
            "start": start,
            "end": end,
            "function_scope": FUNCTION,
            "kernel_scope": KERNEL,
        }
    )


def bind(tensor_class: Any) -> None:
    """Installs the replacements on the complete Tensor class."""
    know()
    for name in ("item", "tolist"):
        setattr(tensor_class, name, _guarded(name, _of_self(getattr(tensor_class, name)), readable_code))
    overlaps = lambda spec: geometry.has_internal_overlap(spec.sizes, spec.strides)  # noqa: E731
    extra = (tensor_class.__getitem__, aten.fill_.Scalar, aten.copy_.default, overlaps)
    tensor_class.__setitem__ = _guarded("setitem", tensor_class.__setitem__, extra)
    _speedups.use_number_protocol({name: getattr(tensor_class, name) for name in dir(tensor_class)})
    _share(tensor_class)


def _share(tensor_class: Any) -> None:
    """Makes Python's operators keep the operand order for subclasses too."""

    readable = tensor_class.__init_subclass__.__func__

    def init_subclass(kind: Any, **named: Any) -> None:
        readable(kind, **named)
        _speedups.share_number_protocol(kind)

    tensor_class.__init_subclass__ = classmethod(init_subclass)
    derived = list(tensor_class.__subclasses__())
    for kind in derived:
        derived += kind.__subclasses__()
        _speedups.share_number_protocol(kind)


def _of_self(readable: Callable[..., Any]) -> Callable[[Any], Any]:
    def method(self: Any) -> Any:
        return readable(self)

    made = like(method, readable)
    del made.__wrapped__  # so that its signature is not shown
    return made


def _guarded(kind: str, readable: Callable[..., Any], extra: Any) -> Any:
    return guard(kind, readable, extra)


late_bound.on_forget(_speedups.forget_plans)
