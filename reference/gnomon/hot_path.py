"""The hot path in C, where the extension ``_hot_path`` was built: the same shortcuts, entered without Python.

fast_path.py, fast_operators.py, fast_launches.py and fast_views.py make shortcuts in Python.  ``in_c`` gives
each a twin that looks at the same plans, does what the shortcut does for a call that was seen before, and
leaves all else to it.  What a call means is said there, and here nothing is decided.

``GNOMON_HOT_PATH=python`` leaves the twins away; another value is the file of the extension.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import types
import weakref
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from .autograd import engine, node
from .autograd.saved_variable import SavedList, SavedVariable, save
from .autograd.variable_type import RecordedNode, derivative_plan
from .dispatch import dispatcher
from .dispatch.dispatcher import OpOverload
from .dispatch.mode import EXCLUDE_AUTOGRAD, mode_word
from .dispatch.record_function import BACKWARD_FUNCTION, FUNCTION, KERNEL, Observer, current_observer
from .kit.generator import default_generator
from .kit.plans import NAMED, hide_base, raise_named
from .memory.backend import get_default_device
from .memory.spec import Spec
from .memory.tensor import INFERENCE_VERSION, AutogradMeta, CreationMeta, Tensor, VersionCounter
from .values import dispatch_key, geometry
from .values.device import _scoped_devices, device
from .values.dispatch_key import AUTOGRAD, TENSOR_KEYS
from .values.thread_local_state import ThreadLocalStateGuard

VARIABLE_KEYS = TENSOR_KEYS | AUTOGRAD  # what a recorded result carries

# Grad mode off, or Autograd taken away: whether operands require grad is nobody's business.
UNRECORDED = frozenset(
    {dispatch_key.NO_GRAD_CALL, dispatch_key.NO_GRAD_CALL_ON_VARIABLES}
    | {
        keys | EXCLUDE_AUTOGRAD
        for keys in (
            dispatch_key.NO_GRAD_CALL,
            dispatch_key.NO_GRAD_CALL_ON_VARIABLES,
            dispatch_key.PLAIN_CALL,
            dispatch_key.RECORDED_CALL,
        )
    }
)


class ViewPlan:
    """What a call that makes a view comes to.

    spec, offset, nbytes  the view's, the latter two counted from the tensor that it is a view of
    has_internal_overlap  do several of its elements share one place, so that it can not be copied to?
    node_class, saved     the Node to record, and what it keeps; None where that is not known, or no constant
    metadata              the Node's
    """

    __slots__ = ("has_internal_overlap", "metadata", "nbytes", "node_class", "offset", "saved", "spec")

    def __init__(self, spec: Spec, offset: int):
        self.spec = spec
        self.offset = offset
        self.nbytes = float(offset * spec.dtype.itemsize)
        self.node_class: Any = None
        self.saved: list[Any] = []
        self.metadata = (spec,)
        self.has_internal_overlap = geometry.has_internal_overlap(spec.sizes, spec.strides)


def _opened(file: str) -> Any:
    """The extension in a file.  Raises ImportError."""
    spec = importlib.util.spec_from_file_location("gnomon._hot_path", file)
    if spec is None or spec.loader is None:
        raise ImportError(f"GNOMON_HOT_PATH: expected 'python' or an extension's file, got {file!r}")
    extension = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(extension)
    return extension


def _extension() -> Any:
    """The extension, told what it works with; None without it, or where it was not asked for.

    It knows where a class keeps its slots only after it has looked, and gives up where it finds none.
    """
    chosen = os.environ.get("GNOMON_HOT_PATH", "")
    if chosen == "python":
        return None
    try:
        extension = _opened(chosen) if chosen else importlib.import_module("gnomon._hot_path")
    except ImportError:
        if chosen:
            raise
        return None
    facts = {
        "Tensor": Tensor,
        "VersionCounter": VersionCounter,
        "AutogradMeta": AutogradMeta,
        "RecordedNode": RecordedNode,
        "Spec": Spec,
        "ViewPlan": ViewPlan,
        "OpOverload": OpOverload,
        "MethodType": types.MethodType,
        "VARIABLE_KEYS": VARIABLE_KEYS,
        "UNRECORDED": tuple(UNRECORDED),
        "NO_GRAD_MODE": CreationMeta.NO_GRAD_MODE,
        "MULTI_OUTPUT_NODE": CreationMeta.MULTI_OUTPUT_NODE,
        "mode_word": mode_word,
        "MODE_WORD": dispatch_key.MODE_WORD,
        "nothing_to_end": ThreadLocalStateGuard._ended,
        "observer": current_observer,
        "listeners": dispatcher._listeners,
        "gradient_edge": node.gradient_edge,
        "save": save,
        "next_sequence_number": node.next_sequence_number,
        "untyped_storage": Tensor.untyped_storage,
        "default_device": get_default_device,
        "default_generator": default_generator,
        "NAMED": NAMED,
        "raise_named": raise_named,
        "hide_base": hide_base,
        "Node": node.Node,
        "AccumulateGrad": node.AccumulateGrad,
        "ReferenceType": weakref.ref,
        "validate": engine._validate,
        "SavedVariable": SavedVariable,
        "SavedList": SavedList,
        "INFERENCE_VERSION": INFERENCE_VERSION,
    }
    for name in (
        "PLAIN_CALL",
        "RECORDED_CALL",
        "TENSOR_KEYS",
        "AUTOGRAD",
        "GRAD_MODE_BIT",
        "NO_GRAD_CALL",
        "NO_GRAD_CALL_ON_VARIABLES",
    ):
        facts[name] = getattr(dispatch_key, name)
    extension.configure(facts)
    return extension


_c = _extension()
is_in_c = _c is not None

_TIMED = (FUNCTION, KERNEL, BACKWARD_FUNCTION)  # as timing.c numbers them


def start_timing(observer: Observer, clock: Callable[[], int]) -> bool:
    """From now on shortcuts note when they, their kernels and Nodes begin and end, on threads that have this
    observer, in nanoseconds that ``clock`` would give.  False where somebody else has them do it already, and
    where there are no twins: those in Python cannot.
    """
    return _c is not None and bool(_c.start_timing(observer, clock))


def stop_timing() -> list[tuple[str, str, Any, int, int, int]]:
    """What they noted: scope, name, device (of a kernel, or None), start and end in nanoseconds, thread."""
    told = []
    for scope, what, spec, start, end, thread in _c.stop_timing():
        name = what if isinstance(what, str) else what.timed_as
        told.append((_TIMED[scope], name, None if spec is None else spec.device, start, end, thread))
    return told


# What a Node keeps, as _hot_path.c numbers it; behind it the position, from bit 3 on.
_KEEP_VALUE, _KEEP_OUTPUT, _KEEP_SIZES, _KEEP_SPEC, _KEEP_CONSTANT = range(5)
_KINDS = {"value": _KEEP_VALUE, "output": _KEEP_OUTPUT, "sizes": _KEEP_SIZES, "spec": _KEEP_SPEC}

MOST_ARGUMENTS = 24  # of an operator that has a twin
KEY_INTEGERS, KEY_SIZES, KEY_INDEX = range(3)  # what a view's plan is found by
# What the kernel of fast_launches.py is told beside addresses: nothing, a number, where a stream is.
LAUNCH_PLAIN, LAUNCH_NUMBER, LAUNCH_STREAM = range(3)


def _recorder(
    operator: OpOverload, positions: Sequence[int], operands: int, constants: tuple[Any, ...]
) -> Any:
    """What says to C how to record a call: the Node's class, and what it keeps."""

    def recorder(mask: int, arguments: tuple[Any, ...]) -> tuple[Any, tuple[int, ...], tuple[Any, ...]]:
        needed = tuple(bool(mask >> 2 * position & 1) for position in positions)
        plan = derivative_plan(operator, list(positions), needed)
        codes = []
        for kind, position in plan.sources:
            if kind == "value" and position >= operands:
                codes.append(_KEEP_CONSTANT | position - operands << 3)
            else:
                codes.append(_KINDS[kind] | position << 3)
        return plan.node_class, tuple(codes), constants

    return recorder


def in_c(
    kind: str,
    fast: Callable[..., Any],
    rest: Callable[..., Any] | None = None,
    plans: dict[Any, Any] | None = None,
    operator: OpOverload | None = None,
    constants: tuple[Any, ...] = (),
    operands: int = 0,
    key: int = KEY_INTEGERS,
    function: Any = None,
    refuses_recording: bool = False,
    places: dict[str, int | None] | None = None,
) -> Callable[..., Any]:
    """The twin in C of the shortcut ``fast``, or ``fast`` itself.

    rest: what is called with keywords, or another number of arguments (else ``fast``).  plans: where ``fast``
    finds its plans.  operator, with ``constants`` for what it takes beyond so many ``operands`` (0: it takes
    all arguments): what a call records, if it is differentiable.  function: what a composition calls, or
    what x[...] = y writes with.
    refuses_recording: what has to be recorded is for ``fast``.  places: where a launch has which arguments.
    """
    if _c is None or (operator is not None and operator.arity > MOST_ARGUMENTS):
        return fast
    facts: dict[str, Any] = {
        "python": fast,
        "rest": fast if rest is None else rest,
        "plans": {} if plans is None else plans,
        "kind": key,
        "arity": operands,
        "tensors": (1 << operands) - 1,
        "operator": operator,
        "function": function,
        **{name: -1 if place is None else place for name, place in (places or {}).items()},
    }
    if operator is not None:
        schema = operator.schema
        derivatives = operator.record.derivatives
        positions: Sequence[int] = range(operands)
        if not operands:
            positions = operator.tensor_positions
            operands = facts["arity"] = operator.arity
            facts["tensors"] = _bits(positions)
            facts["lists"] = _bits(each for each in positions if schema.arguments[each].is_list)
            facts["optionals"] = _bits(each for each in positions if schema.arguments[each].is_optional)
            facts["numbers_fit"] = (operator.record.base or operator).record.numbers.fit
            facts["numbers"] = _bits(
                each for each, argument in enumerate(schema.arguments) if argument.type in ("Scalar", "float")
            )
            refuses_recording |= derivatives is None and kind != "composite"
        if derivatives or (derivatives is not None and kind in ("unary", "binary")):
            facts["recorder"] = _recorder(operator, positions, operands, constants)
        facts["is_inplace"] = schema.is_inplace
    facts["refuses_recording"] = refuses_recording
    made = like(_c.shortcut(kind, facts), facts["rest"])
    made.timed_as = made.__name__ if operator is None else operator.name  # type: ignore[attr-defined]
    return made


def _bits(positions: Iterable[int]) -> int:
    return sum(1 << position for position in positions)


def like(made: Callable[..., Any], readable: Callable[..., Any]) -> Callable[..., Any]:
    """``made`` under the name of ``readable``."""
    for name in ("__name__", "__qualname__", "__module__", "__doc__", "__annotations__"):
        setattr(made, name, getattr(readable, name))
    if _c is not None and not isinstance(made, types.FunctionType):
        made.__wrapped__ = readable  # type: ignore[attr-defined]
    return made


def bind_hot_path() -> None:
    """Put the twins of what is no operator into their classes."""
    if _c is not None:
        OpOverload.__call__ = in_c("operator", OpOverload.__call__)  # type: ignore[method-assign]
        engine.set_run_graph(_c.run_graph)
        Tensor.__del__ = in_c("delete", Tensor.__del__)  # type: ignore[method-assign]
        guard = ThreadLocalStateGuard
        guard.__enter__ = in_c("enter", guard.__enter__)  # type: ignore[method-assign]
        guard.__exit__ = in_c("exit", guard.__exit__)  # type: ignore[method-assign]
        device.__exit__ = in_c(  # type: ignore[method-assign]
            "leave_device", device.__exit__, function=_scoped_devices
        )
