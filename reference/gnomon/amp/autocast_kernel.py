"""The Autocast kernel: casts an operator's operands as its policy says, and runs it without autocast.

The casts are ordinary operators, so autograd records them.  The cast of a parameter is kept until the
outermost block ends, since a model uses its parameters several times.

Source: aten/src/ATen/autocast_mode.cpp.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Sequence
from contextvars import ContextVar
from typing import Any, NamedTuple

from ..dispatch.dispatcher import OpOverload, aten
from ..dispatch.mode import excluding, is_grad_enabled
from ..memory.backend import backend_of
from ..memory.tensor import Tensor
from ..values.device import device
from ..values.dispatch_key import AUTOCAST, DispatchKey
from ..values.dtype import bfloat16, dtype, float16, float32, float64, promote_types
from .operator_lists import LISTED, policy_of


class State(NamedTuple):
    """Autocast's settings: by kind of device, "cpu" or "cuda", is it on, and its dtype."""

    enabled: frozenset[str] = frozenset()
    cpu_dtype: dtype = bfloat16
    cuda_dtype: dtype = float16
    cache_enabled: bool = True
    nesting: int = 0

    def dtype_of(self, kind: str) -> dtype:
        """The dtype of autocast on a kind of device."""
        return self.cpu_dtype if kind == "cpu" else self.cuda_dtype


STATE: ContextVar[State] = ContextVar("gnomon_autocast", default=State())  # noqa: B039 (a State is immutable)

# Casts of parameters, by the parameter's id; entries of parameters that are gone are not used.
_Cache = dict[int, tuple["weakref.ref[Tensor]", Tensor]]
CACHE: ContextVar[_Cache | None] = ContextVar("gnomon_autocast_cache", default=None)


def kind_of(where: device) -> str:
    """The kind of a device, on which the list of operators depends."""
    return "cpu" if where.type != "meta" and backend_of(where).host_memory else where.type


def _is_eligible(value: Any, kind: str) -> bool:
    """Is it a floating point tensor, not of float64, on a device of that kind?"""
    return (
        isinstance(value, Tensor)
        and value.dtype.is_floating_point
        and value.dtype is not float64
        and kind_of(value.device) == kind
    )


def _cast(value: Any, wanted: dtype, kind: str) -> Any:
    """An argument, cast if it is an eligible tensor, or a list with such ones."""
    if isinstance(value, (list, tuple)):
        return [_cast(each, wanted, kind) for each in value]
    if not _is_eligible(value, kind) or value.dtype is wanted:
        return value
    cache = CACHE.get()
    is_kept = (
        cache is not None
        and STATE.get().cache_enabled
        and value.dtype is float32
        and wanted is STATE.get().dtype_of(kind)
        and value.is_leaf
        and value.requires_grad
        and not value._is_view()
        and is_grad_enabled()
    )
    if cache is None or not is_kept:
        return value.to(wanted)
    found = cache.get(id(value))
    if found is None or found[0]() is not value or found[1].dtype is not wanted:
        found = cache[id(value)] = (weakref.ref(value), value.to(wanted))
    return found[1]


def _tensors(arguments: Iterable[Any]) -> list[Tensor]:
    found: list[Tensor] = []
    for value in arguments:
        if isinstance(value, Tensor):
            found.append(value)
        elif isinstance(value, (list, tuple)):
            found += [each for each in value if isinstance(each, Tensor)]
    return found


def _with_dtype(operator: OpOverload, arguments: Sequence[Any], kind: str) -> Sequence[Any]:
    """``arguments`` with ``dtype=float32``, if the first is eligible and the call gives no dtype."""
    if not _is_eligible(arguments[0], kind):
        return arguments
    names = [each.name for each in operator.schema.arguments]
    given = list(arguments)
    if given[names.index("dtype")] is None:
        given[names.index("dtype")] = float32
    return given


def _cast_by(policy: str, operator: OpOverload, arguments: Sequence[Any], kind: str) -> Sequence[Any]:
    if policy == "fp32_set_opt_dtype":
        return _with_dtype(operator, arguments, kind)
    if policy == "as_given":
        return arguments
    wanted = float32 if policy == "fp32" else STATE.get().dtype_of(kind)
    if policy == "promote":
        for each in _tensors(arguments):
            if _is_eligible(each, kind):
                wanted = promote_types(wanted, each.dtype)
    return [_cast(each, wanted, kind) for each in arguments]


def autocast_kernel(operator: OpOverload, keys: int, arguments: Sequence[Any]) -> Any:
    """The Autocast kernel of an operator on one of the lists."""
    tensors = _tensors(arguments)
    kind = kind_of(tensors[0].device) if tensors else ""
    policy = policy_of(operator.name, kind) if kind in STATE.get().enabled else None
    if policy is None:
        return operator.redispatch(keys & ~AUTOCAST, arguments)
    with excluding(DispatchKey.Autocast):
        return operator(*_cast_by(policy, operator, arguments, kind))


for _packet in list(aten):
    for _operator in _packet.overloads.values():
        if _operator.name in LISTED:
            _operator.register(DispatchKey.Autocast, autocast_kernel)
