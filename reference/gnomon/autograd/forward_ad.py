"""Forward mode: derivatives that are computed along with the function, in its own order.

Inside a *dual level* a tensor may have a *tangent*: how it changes as the inputs move along a direction.
Every operator then computes, beside its outputs, the outputs' tangents.

    with dual_level():
        dual = make_dual(x, direction)
        value, slope = unpack_dual(f(dual))

There are no formulas for this beside those of backward.  An operator's backward formulas give, for a gradient
u of its outputs, the gradient g(u) = J^T u of its inputs, which is linear in u; so the gradient of g with
respect to u, for the tangents t in the place of *its* incoming gradients, is J t.  The formulas are run once
for a u that stands for nothing, only to be differentiated.  For complex numbers J is the matrix of real and
imaginary parts, and gradients are its transpose's products, so nothing changes.

Views need no arithmetic: the tangent of a view is the same view of the tangent, and so writing to the one in
place is writing to the other.  Linear operators are applied to the tangents, which is the same and quicker.

Source: torch/autograd/forward_ad.py; torch/csrc/autograd/forward_grad.h, autograd_meta.cpp (set_fw_grad,
fw_grad).
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from contextvars import ContextVar
from typing import Any, NamedTuple

from ..dispatch.dispatcher import OpOverload, aten, register_boxed_fallback
from ..dispatch.mode import EXCLUDED_SHIFT, excluding, mode_word, set_mode_word
from ..kit.plans import find_plan
from ..memory.tensor import AutogradMeta, Tensor, autograd_meta
from ..values import geometry
from ..values.dispatch_key import (
    AUTOGRAD,
    FORWARD_AD,
    GRAD_MODE_BIT,
    INFERENCE_MODE_BIT,
    WRAPPER_KEYS,
    DispatchKey,
)
from . import engine
from .grad_mode import _ModeContext, enable_grad
from .saved_variable import SavedVariable
from .variable_type import derivative_plan, flatten_inputs

EXCLUDE_FORWARD_AD = FORWARD_AD << EXCLUDED_SHIFT


class Level:
    """A dual level: for how long tangents live.  There is one at a time, and its number is 0.

    ``holders`` are the AutogradMetas of tensors that have a tangent.
    """

    __slots__ = ("holders",)

    def __init__(self) -> None:
        self.holders: weakref.WeakSet[AutogradMeta] = weakref.WeakSet()


_level: ContextVar[Level | None] = ContextVar("gnomon_dual_level", default=None)


def enter_dual_level() -> int:
    """Begin a dual level: from now on tensors may have tangents.  Returns its number, 0.

    It belongs to the thread, and within it to the async task.  Raises RuntimeError inside a level.  Source:
    torch.autograd.forward_ad.enter_dual_level.
    """
    if _level.get() is not None:
        raise RuntimeError("Nested forward mode AD is not supported at the moment")
    _level.set(Level())
    # Every operator asks for tangents, not only one whose operands are known to have them: a view gets its
    # tangent from its base, and may have been made before the base got one.
    set_mode_word(mode_word() | FORWARD_AD)
    return 0


def exit_dual_level(*, level: int | None = None) -> None:
    """End the dual level: what has a tangent loses it.

    Raises RuntimeError where there is no level, or not this one.  Source:
    torch.autograd.forward_ad.exit_dual_level.
    """
    current = _level.get()
    if level is not None and level != (-1 if current is None else 0):
        raise RuntimeError(
            "Trying to exit a forward AD level that was not the last one that was created. This is not "
            "supported."
        )
    if current is None:
        raise RuntimeError("Dual level must be a positive number: there is none to exit")
    for meta in list(current.holders):
        if meta.tangent is not None and meta.tangent[0] is current:
            meta.tangent = None
    _level.set(None)
    set_mode_word(mode_word() & ~FORWARD_AD)


class dual_level(_ModeContext):
    """Inside, tensors may have tangents.  A context manager, whose value is the level's number, and a
    decorator.

    Source: torch.autograd.forward_ad.dual_level.
    """

    __slots__ = ()

    def __enter__(self) -> int:  # type: ignore[override]
        return enter_dual_level()

    def __exit__(self, *exception: object) -> None:
        exit_dual_level()


class _set_fwd_grad_enabled(_ModeContext):
    """Tangents or none, for a block or for a function that it decorates.

    Source: torch.autograd.forward_ad._set_fwd_grad_enabled.
    """

    __slots__ = ("_mode",)

    mask = EXCLUDE_FORWARD_AD

    def __init__(self, mode: bool):
        super().__init__()
        self._mode = bool(mode)

    def enter(self, word: int) -> int:
        return word & ~EXCLUDE_FORWARD_AD if self._mode else word | EXCLUDE_FORWARD_AD

    def copy(self) -> _set_fwd_grad_enabled:
        return _set_fwd_grad_enabled(self._mode)


def _is_fwd_grad_enabled() -> bool:
    """Are tangents computed, inside a level?  Source: torch.autograd.forward_ad._is_fwd_grad_enabled."""
    return not mode_word() & EXCLUDE_FORWARD_AD


def is_active() -> bool:
    """Can tensors have tangents here?"""
    return _level.get() is not None and _is_fwd_grad_enabled()


def make_dual(tensor: Tensor, tangent: Tensor, *, level: int | None = None) -> Tensor:
    """A view of ``tensor`` that has ``tangent`` for its tangent: the tensor itself, or a copy where its
    strides are others.

    Both are floating point or complex, and of the same sizes.  Recorded, as any view.  Raises RuntimeError
    outside a dual level, for a tensor or a tangent that has a tangent already, and for other sizes;
    ValueError for other dtypes.  Source: torch.autograd.forward_ad.make_dual.
    """
    current = _level.get()
    if current is None or (level is not None and level < 0):
        raise RuntimeError(
            "Trying to create a dual Tensor for forward AD but no level exists, make sure to "
            "enter_dual_level() first."
        )
    for what, each in (("primal", tensor), ("tangent", tangent)):
        if not (each.is_floating_point() or each.is_complex()):
            raise ValueError(f"Expected {what} to be floating point or complex, but got: {each.dtype}")
    if tangent_of(tensor) is not None:
        raise RuntimeError(
            "Making a dual Tensor based on a Tensor that already has a forward gradient at the same level 0 "
            "is not supported."
        )
    with excluding(DispatchKey.ForwardAD):
        dual = aten.alias.default(tensor)
        set_tangent(dual, tangent)
    return dual


class UnpackedDualTensor(NamedTuple):
    """What ``unpack_dual`` returns: ``primal`` has no tangent, and ``tangent`` may be None."""

    primal: Tensor
    tangent: Tensor | None


def unpack_dual(tensor: Tensor, *, level: int | None = None) -> UnpackedDualTensor:
    """The two parts of a dual tensor: ``primal``, a view of it without the tangent, and ``tangent``.

    The tangent is None for a tensor that has none, and outside a dual level.  Raises TypeError for what is no
    tensor.  Source: torch.autograd.forward_ad.unpack_dual.
    """
    current = _level.get()
    if current is None or (level is not None and level < 0):
        return UnpackedDualTensor(tensor, None)
    if not isinstance(tensor, Tensor):
        raise TypeError(f"unpack_dual(): argument 'dual' must be Tensor, not {type(tensor).__name__}")
    tangent = tangent_of(tensor) if _is_fwd_grad_enabled() else None
    with excluding(DispatchKey.ForwardAD):
        primal = aten.alias.default(tensor)
    _keep(primal, current, None)
    return UnpackedDualTensor(primal, tangent)


# ---------------------------------------------------------------------------------------------------------
# Who has which tangent.


def _keep(tensor: Tensor, level: Level, tangent: Tensor | None) -> None:
    """Say that ``tensor`` has this tangent; None: it has none, though it may be a view of what has one."""
    meta = autograd_meta(tensor)
    meta.tangent = (level, tangent)
    level.holders.add(meta)


def _is_kept(tensor: Tensor) -> bool:
    """Is it known of the tensor itself which tangent it has, if any?"""
    meta = tensor._autograd_meta
    return meta is not None and meta.tangent is not None and meta.tangent[0] is _level.get()


def tangent_of(tensor: Any) -> Tensor | None:
    """The tangent that ``tensor`` has at the current level, or None.

    A view of what has one has the same view of it.
    """
    level = _level.get()
    if level is None or not isinstance(tensor, Tensor) or tensor._spec.dtype.category < 2:
        return None
    if _is_kept(tensor):
        return tensor._autograd_meta.tangent[1]  # type: ignore[union-attr]
    if tensor._view_of is None or not _is_kept(tensor._view_of[0]):
        return None
    base = tensor._view_of[0]
    of_base = tangent_of(base)
    if of_base is not None:
        with excluding(DispatchKey.ForwardAD):
            _keep(tensor, level, _same_view(of_base, base, tensor))
    return tangent_of(tensor) if of_base is not None else None


def _same_view(of_base: Tensor, base: Tensor, view: Tensor) -> Tensor:
    """What ``view`` is of its base, of the base's tangent (which has the base's strides)."""
    start = view._storage_offset
    offset = base._storage_offset
    if base._spec.dtype.is_complex and not view._spec.dtype.is_complex:
        of_base, offset = aten.view_as_real.default(of_base), 2 * offset
    if view._spec.dtype.is_complex and not base._spec.dtype.is_complex:
        strides = tuple(2 * stride for stride in view._spec.strides)
        parts = aten._as_strided.default(of_base, (*view._spec.sizes, 2), (*strides, 1), 2 * start - offset)
        return aten.view_as_complex.default(parts)
    return aten._as_strided.default(of_base, view._spec.sizes, view._spec.strides, start - offset)


def set_tangent(tensor: Tensor, tangent: Tensor, is_own: bool = True) -> None:
    """Give ``tensor`` a tangent: ``tangent``, or a copy with the tensor's strides.

    ``is_own``: nothing else shows the tangent's memory that must not change when the tensor is written to.
    Raises RuntimeError for one of other sizes, or that has a tangent itself.
    """
    level = _level.get()
    assert level is not None
    spec = tensor._spec
    if tangent._spec.sizes != spec.sizes:
        raise RuntimeError(
            "Trying to set a forward gradient that has a different size than that of the original Tensor, "
            f"this is not supported. Tensor is of size {list(spec.sizes)} while the given forward gradient "
            f"is of size {list(tangent._spec.sizes)}."
        )
    if tangent_of(tangent) is not None:
        raise RuntimeError(
            "Setting a forward grad that itself has a forward gradient at the same level 0 is not supported."
        )
    if not is_own or not _lies_like(tangent, tensor):
        tangent = _copied(tangent, tensor)
    _keep(tensor, level, tangent)


def _lies_like(tangent: Tensor, tensor: Tensor) -> bool:
    """Can the tangent be viewed in all ways that the tensor can?  Source: has_same_meta."""
    return bool(tangent._keys & WRAPPER_KEYS) or (
        tangent._spec.strides == tensor._spec.strides
        and tangent._storage_offset == tensor._storage_offset
        and _room(tangent) >= _room(tensor)
    )


def _room(tensor: Tensor) -> int:
    """For how many elements the tensor's storage has room."""
    nbytes = tensor._spec.extent_nbytes if tensor._storage is None else tensor._storage.nbytes()
    return nbytes // tensor._spec.dtype.itemsize


def _copied(tangent: Tensor, tensor: Tensor) -> Tensor:
    """A copy of ``tangent`` that lies like ``tensor`` in its storage (or row-major, where that overlaps),
    with zeros around.
    """
    spec = tensor._spec
    if (tangent._keys | tensor._keys) & WRAPPER_KEYS:
        return aten.clone.default(tangent, None)
    options = {"dtype": tangent._spec.dtype, "device": tangent._spec.device}
    if geometry.has_internal_overlap(spec.sizes, spec.strides):
        made = aten.empty(spec.sizes, **options)
    elif tensor._storage_offset or _room(tensor) > spec.extent_nbytes // spec.dtype.itemsize:
        storage = aten.zeros((_room(tensor),), **options)
        made = aten._as_strided.default(storage, spec.sizes, spec.strides, tensor._storage_offset)
    else:
        made = aten.empty_strided(spec.sizes, spec.strides, **options)
    return aten.copy_.default(made, tangent, False)


def _write_tangent(tensor: Tensor, tangent: Tensor) -> None:
    """``tensor`` was written to in place, and this is its tangent now.

    Where it had one, that is written to, and so are those of all its views.  A view whose base had none gives
    the base one: zeros, but for its own part.
    """
    level = _level.get()
    assert level is not None
    present = tangent_of(tensor)
    if present is None and tensor._view_of is not None and not _is_kept(tensor):
        base = tensor._view_of[0]
        zeros = aten.zeros((), dtype=base._spec.dtype, device=base._spec.device)
        _keep(base, level, _copied(aten.expand.default(zeros, base._spec.sizes, False), base))
        present = tangent_of(tensor)
    if present is None:
        set_tangent(tensor, tangent, is_own=False)
    else:
        aten.copy_.default(present, tangent, False)


def keep_with_saved(saved: Any, tangents: Sequence[Tensor | None]) -> None:
    """Give the outputs that a Node saved, which are aliases of them, the outputs' tangents."""
    level = _level.get()
    assert level is not None
    for each in saved or ():
        if isinstance(each, SavedVariable) and each.output_nr >= 0 and isinstance(each.tensor, Tensor):
            tangent = tangents[each.output_nr]
            if tangent is not None:
                _keep(each.tensor, level, tangent)


# ---------------------------------------------------------------------------------------------------------
# Operators.

# In which arguments an operator is linear.  "self other": in both of them at once, as a sum is; "self,
# other": in each of them for itself, as a product is.  All this could be derived as for any other operator.
LINEAR = {
    name: tuple(tuple(group.split()) for group in groups.split(","))
    for names, groups in (
        ("add.Tensor sub.Tensor where.self", "self other"),
        ("mul.Tensor", "self, other"),
        ("mm bmm", "self, mat2"),
        ("mv", "self, vec"),
        ("dot", "self, tensor"),
        ("neg clone _to_copy sum sum.dim_IntList mean mean.dim cumsum flip roll repeat tril triu", "self"),
        ("gather index_select _index", "self"),
        ("cat stack", "tensors"),
        ("scatter.src scatter_add", "self src"),
        ("embedding", "weight"),
        ("_embedding_bag", "weight, per_sample_weights"),
    )
    for name in names.split()
}
_BAG_MAX = 2  # _embedding_bag's mode in which it is not linear


def forward_ad_kernel(operator: OpOverload, keys: int, arguments: Sequence[Any]) -> Any:
    """Run the operator and give its outputs their tangents: the kernel for ForwardAD."""
    below = keys & ~FORWARD_AD
    with excluding(DispatchKey.ForwardAD):
        if _level.get() is None or mode_word() & INFERENCE_MODE_BIT:
            return operator.redispatch(below, arguments)
        inputs, _ = flatten_inputs(operator, arguments)
        tangents = [tangent_of(each) for each in inputs]
        schema = operator.schema
        if schema.is_out:
            written = arguments[-len(schema.returns) :]
            if any(each is not None for each in (*tangents, *map(tangent_of, written))):
                raise NotImplementedError(
                    f"Trying to use forward AD with {schema.name}_out that does not support it because it is "
                    "an out= function"
                )
            return operator.redispatch(below, arguments)
        if schema.is_view:
            return _run_view(operator, below, arguments, tangents[0])
        if all(each is None for each in tangents):
            return operator.redispatch(below, arguments)
        if schema.is_inplace:
            return _run_inplace(operator, below, arguments, tangents)
        return _run_functional(operator, below, arguments, tangents)


def _run_view(operator: OpOverload, below: int, arguments: Sequence[Any], tangent: Tensor | None) -> Any:
    """A view, and the same view of the tangent."""
    level = _level.get()
    assert level is not None
    source = arguments[0]
    results = operator.redispatch(below, arguments)
    if results is source or not _is_kept(source):
        return results  # (a view of a view that has no tangent may still get one from the base)
    views = results if isinstance(results, (tuple, list)) else (results,)
    tangents: Sequence[Tensor | None] = (None,) * len(views)
    if tangent is not None and operator.record.derivatives:  # detach has none, nor has a view of the bits
        same = operator(tangent, *arguments[1:])
        tangents = same if isinstance(same, (tuple, list)) else (same,)
    for view, each in zip(views, tangents):
        _keep(view, level, each)
    return results


def _run_functional(
    operator: OpOverload, below: int, arguments: Sequence[Any], tangents: Sequence[Tensor | None]
) -> Any:
    """Results, and their tangents."""
    results = operator.redispatch(below, arguments)
    outputs = results if isinstance(results, (tuple, list)) else (results,)
    found = _output_tangents(operator, arguments, tangents, outputs)
    for output, tangent in zip(outputs, found):
        if tangent is not None:
            set_tangent(output, tangent, is_own=_is_own(tangent, tangents))
    for output in outputs:
        if isinstance(output, Tensor) and output._gradient_edge is not None:
            kept = [tangent_of(each) for each in outputs]
            keep_with_saved(getattr(output._gradient_edge[0], "saved", None), kept)
            break
    return results


def _is_own(tangent: Tensor, of_inputs: Sequence[Tensor | None]) -> bool:
    """Is this a new tensor, rather than an input's tangent or a view of something?"""
    return tangent._view_of is None and not any(tangent is each for each in of_inputs)


def _run_inplace(
    operator: OpOverload, below: int, arguments: Sequence[Any], tangents: Sequence[Tensor | None]
) -> Any:
    """An in-place operator, and its first argument's tangent written to."""
    self = arguments[0]
    if self._spec.dtype.category < 2:
        return operator.redispatch(below, arguments)
    before = [_as_it_is(each, self) for each in arguments]
    tangent_before = None if tangents[0] is None else aten.clone.default(tangents[0], None)
    results = operator.redispatch(below, arguments)
    (tangent,) = _output_tangents(operator, before, tangents, (self,))
    if tangent is None:
        return results
    _write_tangent(self, tangent)
    if self._gradient_edge is not None:
        node = self._gradient_edge[0]
        node = operator_node_of(node)
        keep_with_saved(getattr(node, "saved", None), (tangent_of(self),))
        _keep_with_saved_self(node, tangent_before)
    return results


def _as_it_is(value: Any, self: Tensor) -> Any:
    """A copy of ``value`` where it shows memory of ``self``, which is about to be written to."""
    if isinstance(value, (list, tuple)):
        return [_as_it_is(each, self) for each in value]
    if not isinstance(value, Tensor):
        return value
    shares = value is self or (value._storage is not None and value._storage is self._storage)
    return aten.clone.default(value, None) if shares else value


def operator_node_of(node: Any) -> Any:
    """The Node of the in-place operator that wrote to a view: the base's new history contains it."""
    if hasattr(node, "view_spec") and node.next_edges and node.next_edges[0] is not None:
        node = node.next_edges[0][0]  # a view's own Node leads to its base's
    return getattr(node, "node", node)


def _keep_with_saved_self(node: Any, tangent: Tensor | None) -> None:
    """Give what a Node saved of ``self`` as it was before an in-place operator the tangent of that time."""
    plan = getattr(node, "plan", None)
    level = _level.get()
    if plan is None or tangent is None or level is None or ("value", 0) not in plan.sources:
        return
    saved = node.saved[plan.sources.index(("value", 0))]
    saved = saved.tensor if isinstance(saved, SavedVariable) else saved
    if isinstance(saved, Tensor):
        _keep(saved, level, tangent)


def _output_tangents(
    operator: OpOverload,
    arguments: Sequence[Any],
    tangents: Sequence[Tensor | None],
    outputs: Sequence[Any],
) -> Sequence[Tensor | None]:
    """The tangents of ``outputs``; None for what is not differentiable.  ``tangents`` are the inputs'.

    Raises NotImplementedError for an operator without formulas.
    """
    base = operator.record.base or operator
    derivatives = base.record.derivatives
    differentiable = [
        isinstance(output, Tensor)
        and output._spec.dtype.category >= 2
        and position not in base.record.non_differentiable_outputs
        for position, output in enumerate(outputs)
    ]
    if not any(differentiable) or (derivatives is not None and not derivatives):
        return (None,) * len(outputs)
    if derivatives is None:
        if operator.schema.is_inplace and not _is_differentiable(base, arguments):
            return (_zeros_like(outputs[0]),)
        raise not_implemented(operator)
    linear = _linear(base, arguments, tangents)
    if linear is not None:
        return (linear, *(None for _ in outputs[1:]))
    moving = [each for each in tangents if each is not None]
    moved = [output for output, wanted in zip(outputs, differentiable) if wanted]
    if not any(each.numel() for each in moving) or not any(each.numel() for each in moved):
        # no formula has to bear tensors without elements
        return [_zeros_like(each) if wanted else None for each, wanted in zip(outputs, differentiable)]
    try:
        return _transposed_twice(operator, arguments, tangents, outputs, differentiable)
    except RuntimeError as error:
        if "is not implemented" not in str(error):
            raise
        raise not_implemented(operator) from error


def not_implemented(operator: OpOverload) -> NotImplementedError:
    """The error for an operator that gives no tangents."""
    return NotImplementedError(
        f"Trying to use forward AD with {operator.schema.name} that does not support it because it has not "
        "been implemented yet."
    )


def _zeros_like(tensor: Tensor) -> Tensor:
    return aten.zeros_like(aten.detach.default(tensor))


def _is_differentiable(base: OpOverload, arguments: Sequence[Any]) -> bool:
    """Does the functional operator give floating point, rather than say whether something is so?"""
    return base.record.meta is None or find_plan(base, arguments).output_specs[0].dtype.category >= 2


def _linear(base: OpOverload, arguments: Sequence[Any], tangents: Sequence[Tensor | None]) -> Tensor | None:
    """The output's tangent by the operator itself, or None for one that is not known to be linear."""
    groups = LINEAR.get(base.name)
    if groups is None or (base.name == "_embedding_bag" and arguments[4] == _BAG_MAX):
        return None
    by_name: dict[str, list[Tensor | None]] = {}
    _, slots = flatten_inputs(base, arguments)
    for position, tangent in zip(slots, tangents):
        by_name.setdefault(base.schema.arguments[position].name, []).append(tangent)
    moving = {name for name, each in by_name.items() if any(tangent is not None for tangent in each)}
    if not moving <= {name for group in groups for name in group}:
        return None
    total = None
    for group in groups:
        if moving.isdisjoint(group):
            continue
        replaced = list(arguments)
        for position, argument in enumerate(base.schema.arguments):
            if argument.name in group:
                replaced[position] = _in_place_of(arguments[position], by_name[argument.name])
        term = base(*replaced)
        if isinstance(term, tuple):
            term = term[0]  # the others are not differentiable
        total = term if total is None else aten.add.Tensor(total, term, 1)
    return total


def _in_place_of(value: Any, tangents: Sequence[Tensor | None]) -> Any:
    """What a linear operator is given for an argument: its tangent, or zeros where it has none."""
    if isinstance(value, (list, tuple)):
        return [_in_place_of(each, [tangent]) for each, tangent in zip(value, tangents)]
    if tangents[0] is not None:
        return tangents[0]
    return _zeros_like(value) if isinstance(value, Tensor) else type(value)(0)


def _transposed_twice(
    operator: OpOverload,
    arguments: Sequence[Any],
    tangents: Sequence[Tensor | None],
    outputs: Sequence[Any],
    differentiable: Sequence[bool],
) -> Sequence[Tensor | None]:
    """The outputs' tangents by the operator's backward formulas."""
    inputs, slots = flatten_inputs(operator, arguments)
    plan = derivative_plan(operator, slots, tuple(each is not None for each in tangents))
    is_recorded = mode_word() & GRAD_MODE_BIT and any(
        isinstance(each, Tensor) and each._keys & AUTOGRAD for each in (*inputs, *tangents)
    )
    gradients: list[Tensor | None] = [None] * len(inputs)
    with enable_grad():
        stand_ins = [
            aten.zeros(each._spec.sizes, dtype=each._spec.dtype, device=each._spec.device).requires_grad_()
            if wanted
            else None
            for each, wanted in zip(outputs, differentiable)
        ]
        values = [_named(arguments, outputs, kind, position) for kind, position in plan.sources]
        for call, targets in plan.calls:
            result = call(stand_ins[0], values, stand_ins)
            if isinstance(targets, int):
                gradients[targets] = result
            elif result is not None:
                for target, each in zip(targets, result):
                    if target is not None:
                        gradients[target] = each
        node = plan.node_class()  # for its name, in errors
        pairs = [
            (engine._validate(gradient, each._spec, node), tangent)
            for gradient, each, tangent in zip(gradients, inputs, tangents)
            if gradient is not None and tangent is not None and gradient._keys & AUTOGRAD
        ]
    wanted = [each for each in stand_ins if each is not None]
    found: Sequence[Tensor | None] = (None,) * len(wanted)
    if pairs:
        found = engine.grad(
            [gradient for gradient, _ in pairs],
            wanted,
            [tangent for _, tangent in pairs],
            create_graph=bool(is_recorded),
            allow_unused=True,
        )
    known = iter([_zeros_like(each) if tangent is None else tangent for each, tangent in zip(wanted, found)])
    return [None if stand_in is None else next(known) for stand_in in stand_ins]


def _named(arguments: Sequence[Any], outputs: Sequence[Any], kind: str, position: int) -> Any:
    """What a formula asks for by name, as DerivativePlan.collect saves it for backward."""
    if kind == "output":
        return outputs[position]
    value = arguments[position]
    if kind == "value":
        return value
    if kind == "sizes":
        return value._spec.sizes
    if isinstance(value, (list, tuple)):
        return [each._spec for each in value]
    return getattr(value, "_spec", value)


register_boxed_fallback(DispatchKey.ForwardAD, forward_ad_kernel)
