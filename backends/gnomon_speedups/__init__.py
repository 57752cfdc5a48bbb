"""The C speedups of gnomon, and their Python side: what a call's plan is, and which calls have one.

A module of gnomon with a speedup ends with two lines that replace the Python definition by it:

    if speedups is not None:
        Tensor = speedups.tensor(Tensor)

Nothing here defines semantics; reference/gnomon does.  Without the extension, or with
``GNOMON_SPEEDUPS=none``, these lines do nothing.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .extension import extension as _speedups
from .replacement import guard as guard
from .replacement import like

tensor = _speedups.tensor_type
version_counter = _speedups.version_type
operator = _speedups.operator_type
next_sequence_number = _speedups.next_sequence_number
after_launch = _speedups.after_launch
forget_plans = _speedups.forget_plans
run_graph = _speedups.run_graph
bare_tensor = _speedups.bare_tensor
is_alias_of = _speedups.is_alias_of
keys_of = _speedups.keys_of
specs_of_list = _speedups.specs_of_list
bump_versions = _speedups.bump_versions
any_inference = _speedups.any_inference
addresses = _speedups.addresses
dlpack_capsule = _speedups.dlpack_capsule
dlpack_opened = _speedups.dlpack_opened
dlpack_taken = _speedups.dlpack_taken
foreign_bytes = _speedups.foreign_bytes


# learning.py, which can be imported only after gnomon.
_learning: Any = None


def _learnt(name: str) -> Callable[..., Any]:
    """A function of learning.py by name, resolved at the call: learning.py can not be imported yet."""
    return lambda *given: getattr(_learning, name)(*given)


def plan_of_call(*given: Any) -> tuple[list[tuple[str, Any]] | None, str]:
    """The plan of a call in words, and a sentence about it: for ``gnomon.explain`` (explaining.py)."""
    from .explaining import facts_of, plan_of_call

    plan, says = plan_of_call(*given)
    return None if plan is None else facts_of(plan), says


def storage(readable: Any) -> Any:
    """Storage with a ``_replace_memory`` that updates the address cached in each of its tensors."""
    replace = readable._replace_memory

    @functools.wraps(replace)
    def _replace_memory(self: Any, memory: Any) -> None:
        _speedups.replace_memory(replace, self, memory)

    readable._replace_memory = _replace_memory
    return readable


def empty_tensor(readable: Callable[..., Any]) -> Callable[..., Any]:
    """tensor.empty_tensor: the tensor owns its memory by address; its Storage is created on first access."""
    from gnomon.memory.backend import backend_of, offers_of
    from gnomon.memory.prepared import free_function
    from gnomon.memory.tensor import bare_tensor, fill_slots

    @functools.wraps(readable)
    def empty(spec: Any) -> Any:
        where = spec.device
        if _learning is None or free_function(where.type) is None:
            return readable(spec)
        backend = backend_of(where)
        offers = offers_of(backend)
        entry = offers.allocate_entry()
        allocate = 0.0 if entry is None else entry[1]
        return _speedups.own_memory(
            fill_slots(bare_tensor(), spec, None, 0),
            spec.extent_nbytes,
            where.index or 0,
            allocate,
            offers.free_entry(),
            backend.allocate_address,
        )

    return empty


def empty_tensors(readable: Callable[..., Any]) -> Callable[..., Any]:
    """tensor.empty_tensors: they own their memory by address, like that of ``empty_tensor``."""
    from gnomon.memory.backend import backend_of, offers_of
    from gnomon.memory.prepared import free_function
    from gnomon.values.dispatch_key import INFERENCE_MODE_BIT, mode_word

    @functools.wraps(readable)
    def empty(specs: Any) -> Any:
        where = specs[0].device
        offers = offers_of(backend_of(where))
        entry = offers.allocate_entry()
        if free_function(where.type) is None or entry is None or mode_word() & INFERENCE_MODE_BIT:
            return readable(specs)
        facts = where.index or 0, entry[1], offers.free_entry(), backend_of(where).allocate_address
        return _speedups.own_memories(specs, *facts)

    return empty


def engine_run(readable: Callable[..., Any], validate: Callable[..., Any]) -> Callable[..., Any]:
    """engine._run, in C if only leaves receive gradients, nobody watches other Nodes, and no worker thread is
    needed.
    """
    from gnomon.autograd import node as nodes
    from gnomon.autograd.grad_mode import is_multithreading_enabled
    from gnomon.values.dispatch_key import GRAD_MODE_BIT, mode_word

    @functools.wraps(readable)
    def run(task: Any) -> Any:
        if (
            task.needed is not None
            or task.is_watched
            or mode_word() & GRAD_MODE_BIT
            or (nodes.spans_devices and is_multithreading_enabled())
        ):
            return readable(task)
        seeds = tuple(
            [
                validate(gradient, node.metadata_specs[output_nr], node, task.seeds)
                for (node, output_nr), gradient in zip(task.edges, task.seeds)
            ]
        )
        evaluate = task.evaluate if task.watches_leaves else None
        return run_graph(tuple(task.edges), seeds, task.keep_graph, evaluate)

    return run


def engine_ones(readable: Callable[..., Any]) -> Callable[..., Any]:
    """engine._ones_of: if no mode is active, a clone of a cached tensor, which has a plan."""
    from gnomon.dispatch.dispatcher import aten
    from gnomon.memory.prepared import free_function
    from gnomon.values.dispatch_key import GRAD_MODE_BIT, mode_word

    kept: dict[Any, Any] = {}

    @functools.wraps(readable)
    def ones_of(spec: Any) -> Any:
        if mode_word() != GRAD_MODE_BIT or free_function(spec.device.type) is None:
            return readable(spec)
        if spec not in kept:
            kept[spec] = readable(spec)
        return aten.clone.default(kept[spec], None)

    return ones_of


# Python's operators with the same operand order as gnomon's operator; reflected ones have the reverse order.
_IN_PLACES = {
    f"__{prefix}{name}__"
    for prefix in ("", "i")
    for name in "add sub mul truediv floordiv mod pow matmul and or xor lshift eq ne lt le gt ge".split()
}
_REFLECTED = {
    f"__r{name}__" for name in "add sub mul truediv div floordiv mod pow and or xor lshift rshift".split()
}
_OTHERS = {"__rshift__", "__irshift__", "__rmatmul__", "__neg__", "__abs__"}
_CONVERT = {"to", "type_as", "cpu"} | set(
    "float double half bfloat16 int long short char byte bool cfloat cdouble".split()
)
_VIEWS = ("T", "mT", "H", "mH")


def method(readable: Callable[..., Any], may_view: bool = False, in_places: bool = False) -> Any:
    """The C replacement of a function that calls one operator."""
    return like(_speedups.function("call", readable, None, in_places, may_view), readable)


def function_maker(make: Callable[..., Any]) -> Callable[..., Any]:
    """bindings.functions.make_function, for functions that use their operators' plans directly."""

    @functools.wraps(make)
    def make_function(packet: Any, takes_self: bool, named_defaults: bool = True) -> Any:
        may_view = any(each.schema.is_view for each in packet.overloads.values())
        may_view = may_view and packet.name != "as_strided"  # it depends on the storage, see learning.py
        return method(make(packet, takes_self, named_defaults), may_view, in_places=True)

    return make_function


def tensor_of_data(readable: Callable[..., Any]) -> Any:
    """creation.tensor, which reads nested lists in C."""

    return like(_speedups.function("tensor", readable, _learnt("plan_of_data")), readable)


def from_numpy(readable: Callable[..., Any]) -> Any:
    """creation.from_numpy, for arrays whose sizes, strides and dtype it has seen."""
    return like(_speedups.function("from_numpy", readable, _learnt("spec_of_array")), readable)


def to_array(readable: Callable[..., Any]) -> Any:
    """Tensor.numpy, for specs that it has seen."""
    return like(_speedups.function("numpy", readable, _learnt("array_of_spec")), readable)


def index_of_mask(readable: Callable[..., Any]) -> Any:
    """The composite of aten.index, with a C path for one mask, which counts its true elements in C."""

    return like(_speedups.function("mask", readable, _learnt("readable_code")), readable)


def know_batching(*told: Any) -> None:
    """Passes vmap's state to the extension: the class of batched tensors, the context variables of levels and
    dual levels, the count of rules that have run, and the Storage of tensors without one.
    """

    _speedups.know_batching(*told, _learnt("learn_batched"))


def methods(readable: dict[str, Any]) -> dict[str, Any]:
    """The table of Tensor's methods, with C replacements for methods that call one operator."""
    made = dict(readable)
    for name in _IN_PLACES | _REFLECTED | _OTHERS | _CONVERT:
        if name in readable:
            made[name] = method(readable[name], in_places=name in _IN_PLACES)
    made["__getitem__"] = method(readable["__getitem__"], may_view=True)
    for name in _VIEWS:
        getter = readable[name].fget
        made[name] = property(method(getter, may_view=True), doc=getter.__doc__)
    return made


def bind(tensor_class: Any) -> None:
    """Installs the replacements that need the complete Tensor class."""
    global _learning
    from . import learning

    _learning = learning
    learning.bind(tensor_class)
