"""The C speedups of gnomon, and the Python that they need: what a call's plan is, and when one may be kept.

Modules of gnomon that have a speedup end with two lines that put it in the place of what they define:

    if speedups is not None:
        Tensor = speedups.tensor(Tensor)

Nothing here says what a call means: reference/gnomon does.  Without the extension, or with
``GNOMON_SPEEDUPS=none``, these lines do nothing.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .extension import extension as _speedups

tensor = _speedups.tensor_type
version_counter = _speedups.version_type
operator = _speedups.operator_type
next_sequence_number = _speedups.next_sequence_number
after_launch = _speedups.after_launch
forget_plans = _speedups.forget_plans
run_graph = _speedups.run_graph
is_alias_of = _speedups.is_alias_of


# learning.py, which imports gnomon, once that is all there.
_learning: Any = None


def _learnt(name: str) -> Callable[..., Any]:
    """A function of learning.py by its name, before that can be imported."""
    return lambda *given: getattr(_learning, name)(*given)


def storage(readable: Any) -> Any:
    """Storage, whose tensors know the address of its memory: they are told when ``resize_`` moves it."""
    resize = readable.resize_

    @functools.wraps(resize)
    def resize_(self: Any, size: int) -> Any:
        return _speedups.resize_storage(resize, self, size)

    readable.resize_ = resize_
    return readable


def empty_tensor(readable: Callable[..., Any]) -> Callable[..., Any]:
    """tensor.empty_tensor: the memory is the tensor's, by its address, until its Storage is asked for."""
    from gnomon.memory.backend import backend_of, offers_of
    from gnomon.memory.prepared import free_function
    from gnomon.memory.tensor import Tensor, fill_slots

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
            fill_slots(Tensor(), spec, None, 0),
            spec.extent_nbytes,
            where.index or 0,
            allocate,
            offers.free_entry(),
            backend.allocate_address,
        )

    return empty


def engine_run(readable: Callable[..., Any], validate: Callable[..., Any]) -> Callable[..., Any]:
    """engine._run: in C where leaves are all that is asked for, nobody watches, and no worker is needed."""
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
        return run_graph(tuple(task.edges), seeds, task.keep_graph)

    return run


def engine_ones(readable: Callable[..., Any]) -> Callable[..., Any]:
    """engine._ones_of: where nothing but the backend has a say, a copy of a tensor that is kept: one plan."""
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


def like(made: Any, readable: Callable[..., Any]) -> Any:
    """``made`` under the name of ``readable``."""
    for name in ("__name__", "__qualname__", "__module__", "__doc__", "__annotations__"):
        if hasattr(readable, name):
            setattr(made, name, getattr(readable, name))
    made.__wrapped__ = readable
    return made


# Python's operators whose operands are those of gnomon's operator, in this order; the reflected ones are not.
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
    """What is called in the place of a function whose call comes to that of one operator."""
    return like(_speedups.function("call", readable, None, in_places, may_view), readable)


def function_maker(make: Callable[..., Any]) -> Callable[..., Any]:
    """bindings.functions.make_function, whose functions go straight to their operators' plans."""

    @functools.wraps(make)
    def make_function(packet: Any, takes_self: bool, named_defaults: bool = True) -> Any:
        may_view = any(each.schema.is_view for each in packet.overloads.values())
        may_view = may_view and packet.name != "as_strided"  # the storage has a say in it (learning.py)
        return method(make(packet, takes_self, named_defaults), may_view, in_places=True)

    return make_function


def guard(kind: str, readable: Callable[..., Any], extra: Any = None) -> Any:
    """The like of a special method that no interrupt may divide."""
    return like(_speedups.function(kind, readable, extra), readable)


def tensor_of_data(readable: Callable[..., Any]) -> Any:
    """creation.tensor, which looks through lists in C."""

    return like(_speedups.function("tensor", readable, _learnt("plan_of_data")), readable)


def index_of_mask(readable: Callable[..., Any]) -> Any:
    """What x[tensors] comes to, which counts the true elements of one mask in C."""

    return like(_speedups.function("mask", readable, _learnt("readable_code")), readable)


def know_batching(*told: Any) -> None:
    """Say what there is of vmap: the class of batched tensors, the context variables of levels and dual
    levels, how often rules have run, and the Storage of what has none.
    """

    _speedups.know_batching(*told, _learnt("learn_batched"))


def methods(readable: dict[str, Any]) -> dict[str, Any]:
    """The table of Tensor's methods: whose calls come to that of one operator go straight to its plan."""
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
    """Once Tensor has all its methods: what is called with them."""
    global _learning
    from . import learning

    _learning = learning
    learning.bind(tensor_class)
