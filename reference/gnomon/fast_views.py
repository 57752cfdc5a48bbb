"""The hot path of views: what a view shows is a function of its base's spec and of plain arguments.

So the readable way runs once for each spec and arguments, and a *plan* is learnt from what it returned: the
view's spec, how far it starts behind what it is a view of, and the Node that recorded it, where that keeps
nothing but constants.  From then on a call is two look-ups and one Tensor.

A call is learnt only if all it did was to make one view (and, recorded, one Node): ``reshape`` that copies or
``x[1:, 0]`` that records two Nodes go the readable way when it matters.  The meaning is that of
memory/tensor.py (alias_tensor) and autograd/views.py (mark_view), repeated here for the common case.
"""

from __future__ import annotations

import functools
import math
import weakref
from collections.abc import Callable
from typing import Any

from .autograd.node import accumulator_edge, gradient_edge, next_sequence_number
from .autograd.saved_variable import SavedVariable
from .autograd.variable_type import derivative_plan
from .autograd.views import mark_view
from .dispatch.dispatcher import OpOverload, aten
from .dispatch.record_function import readable_everywhere
from .fast_operators import PLANS_PER_OPERATOR, is_plain_without_grad, new_plans
from .hot_path import KEY_INDEX, KEY_INTEGERS, KEY_SIZES, VARIABLE_KEYS, ViewPlan, in_c, like
from .memory.backend import backend_of
from .memory.spec import Spec
from .memory.tensor import CreationMeta, Tensor, VersionCounter, alias_tensor
from .values import geometry
from .values.dispatch_key import (
    AUTOGRAD,
    GRAD_MODE_BIT,
    NO_GRAD_CALL,
    NO_GRAD_CALL_ON_VARIABLES,
    PLAIN_CALL,
    RECORDED_CALL,
    TENSOR_KEYS,
    mode_word,
)
from .values.dtype import bool_, float32, float64


def _learn(self: Tensor, result: Any, known: ViewPlan | None) -> ViewPlan | None:
    """The plan of a call of ``self`` that returned ``result``; None where that is no plain view of it."""
    if result.__class__ is not Tensor or result is self or result._view_of is None:
        return None
    spec = result._spec
    base = self if self._view_of is None else self._view_of[0]
    if (
        result._view_of[0] is not base
        or result._storage is not self._storage
        or spec.dtype is not self._spec.dtype
        or bool(result._address) != bool(self._address)
    ):
        return None
    plan = known or ViewPlan(spec, result._storage_offset - self._storage_offset)
    edge = result._gradient_edge
    if edge is not None and edge[1] == 0:
        node = edge[0]
        source = gradient_edge(self)
        is_one_step = len(node.next_edges) == 1 and node.next_edges[0] == source
        saved = getattr(node, "saved", None)
        if is_one_step and isinstance(saved, list) and not any(isinstance(x, SavedVariable) for x in saved):
            plan.saved = saved
            plan.metadata = node.metadata_specs
            plan.node_class = node.__class__
    return plan


def make_view(
    slow: Callable[..., Any], key_of: Callable[[tuple[Any, ...]], Any] | None = None
) -> Callable[..., Any]:
    """The fast version of ``slow(self, *arguments)``, which returns a view for arguments of a plain kind.

    key_of: arguments -> what a plan is found by, or None for those that have none.  Without it arguments are
    integers, each by itself.
    """
    plans: dict[Spec, dict[Any, ViewPlan]] = new_plans()
    listeners = readable_everywhere

    def miss(self: Any, arguments: tuple[Any, ...], key: Any) -> Any:
        result = slow(self, *arguments)
        if isinstance(self, Tensor) and key is not None:
            known = plans.get(self._spec, {}).get(key)
            plan = _learn(self, result, known)
            if plan is not None and known is None:
                if sum(map(len, plans.values())) >= PLANS_PER_OPERATOR:
                    plans.clear()
                plans.setdefault(self._spec, {})[key] = plan
        return result

    def view(self: Any, *arguments: Any) -> Any:
        if key_of is None:
            key: Any = arguments
            for each in arguments:
                if each.__class__ is not int:  # True and 1.0 are equal to 1, and no dimensions
                    return slow(self, *arguments)
        else:
            key = key_of(arguments)
        try:
            plan = plans[self._spec][key]
            keys = self._keys | mode_word()
        except (KeyError, AttributeError):
            return miss(self, arguments, key)
        if listeners:
            return slow(self, *arguments)
        creation = 0
        if keys == RECORDED_CALL:
            if plan.node_class is None:
                return miss(self, arguments, key)
        elif keys == NO_GRAD_CALL or keys == NO_GRAD_CALL_ON_VARIABLES:
            creation = CreationMeta.NO_GRAD_MODE
        elif keys != PLAIN_CALL:
            return slow(self, *arguments)
        base = self
        if self._view_of is not None:
            base, _, of_source = self._view_of
            creation = creation or of_source
        storage = self._storage
        if storage is None:
            storage = self.untyped_storage()
        counter = self._version_counter
        if counter is None:
            counter = self._version_counter = VersionCounter()
        output = Tensor()
        output._spec = plan.spec
        output._storage = storage
        output._storage_offset = self._storage_offset + plan.offset
        address = self._address
        output._address = address + plan.nbytes if address else 0.0
        output._autograd_meta = None
        output._version_counter = counter
        output._view_of = (base, counter.value, creation)
        if keys != RECORDED_CALL:
            output._gradient_edge = None
            if base._keys & AUTOGRAD:
                output._keys = VARIABLE_KEYS if plan.spec.dtype.category >= 2 else TENSOR_KEYS
                return output
            output._keys = TENSOR_KEYS
            if counter.views is None:
                counter.views = [weakref.ref(output)]
            else:
                counter.add_view(output)
            return output
        edge = self._gradient_edge
        if edge is None:
            edge = accumulator_edge(self) if base is self else gradient_edge(self)
        elif base is not self:
            edge = gradient_edge(self)
        node = plan.node_class()
        node.next_edges = (edge,)
        node.sequence_nr = next_sequence_number()
        node.metadata_specs = plan.metadata
        node.saved = plan.saved
        output._keys = VARIABLE_KEYS
        output._gradient_edge = (node, 0)
        return output

    kind = {None: KEY_INTEGERS, _sizes_key: KEY_SIZES, _index_key: KEY_INDEX}[key_of]
    view.twin = functools.partial(in_c, "view", view, plans=plans, key=kind)  # type: ignore[attr-defined]
    view.plans = plans  # type: ignore[attr-defined]
    return view


def _index_key(arguments: tuple[Any, ...]) -> Any:
    """Integers, slices of integers, None and Ellipsis, alone or in a tuple."""
    (index,) = arguments
    kind = index.__class__
    if kind is int:
        return index
    if kind is slice:
        return _slice_key(index)
    if kind is not tuple:
        return None
    key: list[Any] = []
    for each in index:
        kind = each.__class__
        if kind is slice:
            found = _slice_key(each)
            if found is None:
                return None
            key.append(found)
        elif kind is int or each is None or each is Ellipsis:
            key.append(each)
        else:
            return None
    return (0, *key)  # a tuple that no slice's key is equal to


def _slice_key(index: slice) -> Any:
    start, stop, step = index.start, index.stop, index.step
    for each in (start, stop, step):
        if each.__class__ is not int and each is not None:
            return None
    return "slice", start, stop, step


def _sizes_key(arguments: tuple[Any, ...]) -> Any:
    """Integers, each by itself or all in one list or tuple."""
    if len(arguments) == 1 and arguments[0].__class__ is not int:
        sizes = arguments[0]
        if sizes.__class__ is not tuple and sizes.__class__ is not list:
            return None
        arguments = tuple(sizes)
    for each in arguments:
        if each.__class__ is not int:
            return None
    return arguments


def make_getitem(slow: Callable[..., Any]) -> Callable[..., Any]:
    """``x[index]`` for indices that make one view."""
    return make_view(slow, _index_key)


def make_setitem(
    slow: Callable[..., None], getitem: Callable[..., Any], plans: dict[Any, Any]
) -> Callable[..., None]:
    """``x[index] = value`` where ``x[index]`` is one view, and nothing is recorded: fill it, or copy to it.
    And a number where a mask of the sizes of ``x`` is true, which is a masked_fill_.

    getitem, plans: the fast version of ``x[index]``, and its plans.
    """
    listeners = readable_everywhere
    fill, copy, masked_fill = aten.fill_.Scalar, aten.copy_.default, aten.masked_fill_.Scalar

    def setitem(self: Any, index: Any, value: Any) -> None:
        is_number = value.__class__ is float or value.__class__ is int
        try:
            keys = self._keys | mode_word() | (0 if is_number else value._keys)
            is_mask = index.__class__ is Tensor and is_number
            if is_mask:
                keys |= index._keys
        except AttributeError:
            return slow(self, index, value)
        if (keys != PLAIN_CALL and not is_plain_without_grad(keys)) or listeners:
            return slow(self, index, value)
        if is_mask and _is_plain_fill(self._spec, index._spec, value):
            masked_fill(self, index, value)
            return None
        if _index_key((index,)) is None:
            return slow(self, index, value)
        view = getitem(self, index)
        spec = view._spec
        if geometry.has_internal_overlap(spec.sizes, spec.strides):  # which fill_ would write to
            return slow(self, index, value)
        if not is_number:
            if spec.sizes != value._spec.sizes:
                return slow(self, index, value)
            copy(view, value, False)
            return None
        try:
            fill(view, value)
        except RuntimeError:  # a number that does not fit: the readable way says so
            slow(self, index, value)
        return None

    setitem.twin = functools.partial(  # type: ignore[attr-defined]
        in_c, "setitem", setitem, plans=plans, function=(fill, copy)
    )
    return setitem


def _is_plain_fill(spec: Spec, mask: Spec, value: float) -> bool:
    """Does a number surely fit where a mask is true, and is each element in a place of its own?"""
    if mask.dtype is not bool_ or mask.sizes != spec.sizes or mask.device is not spec.device:
        return False
    if not spec.is_contiguous or spec.dtype not in (float32, float64):
        return False
    return -_FITS < value < _FITS or not math.isfinite(value)


_FITS = 1e38  # up to there a number fits float32


def make_pieces(operator: OpOverload) -> Callable[..., Any]:
    """The shortcut of an operator that returns several views of its first argument (unbind, split).

    Takes all arguments of the schema, as the operator itself does.
    """
    plans: dict[Any, Any] = new_plans()
    listeners = readable_everywhere
    readable = operator.dispatch

    def miss(arguments: tuple[Any, ...], key: Any) -> Any:
        results = readable(*arguments)
        self = arguments[0]
        if len(plans) >= PLANS_PER_OPERATOR:
            plans.clear()
        offsets = tuple([each._storage_offset - self._storage_offset for each in results])
        nbytes = tuple([float(offset * self._spec.dtype.itemsize) for offset in offsets])
        plans[key] = tuple([each._spec for each in results]), offsets, nbytes
        return results

    def record(arguments: tuple[Any, ...], outputs: list[Tensor], specs: tuple[Spec, ...]) -> None:
        plan = derivative_plan(operator, [0], (True,))
        node = plan.node_class()
        node.next_edges = (gradient_edge(arguments[0]),)
        node.sequence_nr = next_sequence_number()
        node.metadata_specs = specs
        for position, output in enumerate(outputs):
            output._gradient_edge = (node, position)
            output._keys = VARIABLE_KEYS
        node.saved = plan.collect(arguments, outputs, {}, is_fresh=True)

    def pieces(*arguments: Any) -> Any:
        self = arguments[0]
        try:
            keys = self._keys | mode_word()
            key = (self._spec, *[part for each in arguments[1:] for part in (each, each.__class__)])
            plan = plans.get(key)
        except (AttributeError, TypeError):  # no tensor, or a list: no key
            return readable(*arguments)
        is_recorded = keys == RECORDED_CALL
        if listeners or not (
            is_recorded or keys == PLAIN_CALL or keys == NO_GRAD_CALL or keys == NO_GRAD_CALL_ON_VARIABLES
        ):
            return readable(*arguments)
        if plan is None:
            return miss(arguments, key)
        specs, offsets, _ = plan
        start = self._storage_offset
        outputs = [alias_tensor(self, spec, start + offset) for spec, offset in zip(specs, offsets)]
        for output in outputs:
            mark_view(output, self, of_several=True)
        if is_recorded and outputs:
            record(arguments, outputs, specs)
        return tuple(outputs)

    return in_c("pieces", pieces, plans=plans, operator=operator)


def make_item(slow: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """``x.item()`` where the backend reads numbers at addresses."""
    plans: dict[Spec, tuple[Callable[[float, int], Any], int]] = new_plans()
    listeners = readable_everywhere

    def miss(self: Any) -> Any:
        result = slow(self)
        if isinstance(self, Tensor) and self._address:
            read = backend_of(self._spec.device).number_readers().get(self._spec.dtype.name)
            if read is not None:
                plans[self._spec] = read, self._spec.dtype.code
        return result

    def item(self: Any) -> Any:
        try:
            read, code = plans[self._spec]
            keys = (self._keys | mode_word()) & ~(AUTOGRAD | GRAD_MODE_BIT)
        except (KeyError, AttributeError):
            return miss(self)
        if keys != TENSOR_KEYS or listeners:
            return slow(self)
        return read(self._address, code)

    item.twin = functools.partial(in_c, "item", item, plans=plans)  # type: ignore[attr-defined]
    return item


# Methods of one tensor and integers, each by itself; those with a list of sizes; and properties.
_DIMENSIONS = ("transpose", "t", "select", "narrow", "squeeze", "unsqueeze", "flatten", "swapaxes", "movedim")
_SIZES = ("view", "reshape", "permute", "expand")
_PROPERTIES = ("T", "mT")


def bind_fast_views(namespace: dict[str, Any]) -> None:
    """Put the fast versions in front of the methods and functions that bind.py and methods.py made."""
    for name in (*_DIMENSIONS, *_SIZES):
        readable = getattr(Tensor, name)
        fast = make_view(readable, _sizes_key if name in _SIZES else None)
        setattr(Tensor, name, _with_keywords(fast, readable))
        if name in namespace and name in _DIMENSIONS:
            function = namespace[name]
            namespace[name] = _with_keywords(make_view(function), function)
    for name in _PROPERTIES:
        getter = getattr(Tensor, name).fget
        fast = make_view(getter)
        setattr(Tensor, name, property(fast.twin(like(fast, getter)), doc=getter.__doc__))
    for name, make in (("__getitem__", make_getitem), ("item", make_item)):
        readable = getattr(Tensor, name)
        fast = make(readable)
        setattr(Tensor, name, fast.twin(like(fast, readable)))
        if make is make_getitem:
            plans = fast.plans
    readable = Tensor.__setitem__
    fast = make_setitem(readable, Tensor.__getitem__, plans)
    Tensor.__setitem__ = fast.twin(like(fast, readable))


def _with_keywords(fast: Callable[..., Any], readable: Callable[..., Any]) -> Callable[..., Any]:
    """``fast`` for a call without keywords, ``readable`` for one with."""
    twin = fast.twin(readable)  # type: ignore[attr-defined]
    if twin is not fast:
        return twin  # type: ignore[no-any-return]

    def function(*args: Any, **kwargs: Any) -> Any:
        return readable(*args, **kwargs) if kwargs or not args else fast(*args)

    return like(function, readable)
