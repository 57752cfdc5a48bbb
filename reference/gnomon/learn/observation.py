"""Observing: runs a function once, and keeps which operators it called, with their keys and kernels.

The function runs in the readable tier, because a callback that needs each step is told of it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from types import FrameType
from typing import Any

from ..bindings import argument_parser
from ..bindings.argument_parser import Signature
from ..calls.launch import Launch
from ..dispatch import dispatcher
from ..dispatch.dispatcher import OpOverload, OpOverloadPacket, keys_of, namespaces
from ..dispatch.mode import active_keys
from ..dispatch.record_function import (
    BACKWARD_FUNCTION,
    DISPATCH,
    FUNCTION,
    KERNEL,
    RecordFunctionCallback,
    RecordScope,
    observing,
)
from ..dispatch.registration import UserOperator
from ..memory.spec import Spec
from ..memory.tensor import INFERENCE_VERSION, Tensor
from ..values.dispatch_key import AUTOGRAD, DENSE, INFERENCE_MODE_BIT, TENSOR_KEYS, DispatchKey, mode_word

MOST_CALLS = 10_000  # later ones are counted, not kept


class Seen:
    """What a tensor was when a call began: an in-place operator may change it."""

    __slots__ = ("keys", "node", "spec", "version")

    def __init__(self, tensor: Tensor):
        self.spec: Spec = tensor._spec
        self.keys = tensor._keys
        counter = tensor._version_counter
        self.version = None if counter is INFERENCE_VERSION else tensor._version
        edge = tensor._gradient_edge
        self.node = None if edge is None else edge[0]


class PythonCall:
    """A call of the argument parser: what Python gave it, and the overloads that it tried."""

    def __init__(self, packet: OpOverloadPacket, args: Any, kwargs: Any, signatures: Sequence[Signature]):
        self.packet = packet
        self.args = args
        self.kwargs = kwargs
        self.signatures = signatures


class Call:
    """One call of an operator; of what has no operator, such as a backward pass, only the name.

    ``keys``       the dispatch key set
    ``passed``     the keys whose kernels ran, in order, with those kernels
    ``launches``   the names of kernels of backends that ran in it, outside of the calls in it, with their
                   Launch
    """

    def __init__(self, name: str, arguments: Sequence[Any], operator: OpOverload | None):
        self.name = name
        self.arguments = tuple(arguments)
        self.operator = operator
        self.word = mode_word()
        self.keys = 0 if operator is None else dispatch_keys(operator, arguments, self.word)
        self.seen = {id(each): Seen(each) for each in tensors_in(arguments)}
        self.passed: list[DispatchKey] = []
        self.launches: list[tuple[str, Launch]] = []
        self.calls: list[Call] = []
        self.result: Any = None
        self.is_done = False
        self.python: PythonCall | None = None

    def walk(self) -> Iterator[Call]:
        """This call, and all calls in it."""
        yield self
        for each in self.calls:
            yield from each.walk()

    def outputs(self) -> list[Tensor]:
        """The tensors that it returned."""
        return list(tensors_in((self.result,)))


def tensors_in(values: Sequence[Any]) -> Iterator[Tensor]:
    """The tensors among values, lists included."""
    for each in values:
        if isinstance(each, Tensor):
            yield each
        elif isinstance(each, (list, tuple)):
            yield from tensors_in(each)


def dispatch_keys(operator: OpOverload, arguments: Sequence[Any], word: int) -> int:
    """The dispatch key set of a call, as ``OpOverload.dispatch`` computes it."""
    keys = own_keys(operator, word)
    if operator.layout_position is not None and arguments[operator.layout_position] is not None:
        keys |= arguments[operator.layout_position].keys
    return active_keys(keys | keys_of(operator.tensor_positions, arguments), word)


def own_keys(operator: OpOverload, word: int) -> int:
    """The keys that a call has without tensors among its arguments."""
    keys = DENSE if word & INFERENCE_MODE_BIT else TENSOR_KEYS
    return keys | AUTOGRAD if isinstance(operator, UserOperator) else keys


def python_call(frame: FrameType | None, operator: OpOverload | None) -> PythonCall | None:
    """The argument parser's call from which an operator was called directly; None if there was none."""
    for _ in range(4):  # of the parser itself, and of what calls the operator for it
        if frame is None:
            return None
        if is_parser(frame):
            found = frame.f_locals
            call = PythonCall(found["packet"], found["args"], found["kwargs"], found["signatures"])
            is_its = operator is None or operator.schema.name == found["packet"].name
            return call if is_its else None
        frame = frame.f_back
    return None


def is_parser(frame: FrameType) -> bool:
    """Is this the frame of a function that ``parser_of`` made?"""
    return frame.f_code.co_name == "parse" and frame.f_globals is vars(argument_parser)


def is_dispatcher(frame: FrameType) -> bool:
    """Is this a frame of an operator's call, with the operator and its arguments?"""
    return (
        frame.f_code.co_name in ("__call__", "dispatch", "redispatch")
        and isinstance(frame.f_locals.get("self"), OpOverload)
        and "arguments" in frame.f_locals
    )


class _Observer(RecordFunctionCallback):
    """Keeps the calls in a tree: ``calls`` are those that no other call made."""

    __slots__ = ("_open", "calls", "left_out")

    def __init__(self) -> None:
        scopes = (FUNCTION, BACKWARD_FUNCTION, KERNEL, DISPATCH)
        super().__init__(self._begin, self._finish, scopes, is_traced=True, needs_outputs=True)
        self.calls: list[Call] = []
        self._open: list[Call] = []
        self.left_out = 0

    def _begin(self, scope: RecordScope, name: str, given: Sequence[Any]) -> Call | None:
        if scope is KERNEL:
            if self._open and isinstance(given, Launch):
                self._open[-1].launches.append((name, given))
            return None
        if scope is DISPATCH:
            operator, key, arguments = given
            if not self._open or self._open[-1].name != name or self._open[-1].operator is not operator:
                call = self._opened(name, arguments, operator)  # an operator of a user, which tells no more
                call.passed.append(key)
                return call
            self._open[-1].passed.append(key)
            return None
        operator = operator_named(name) if scope is FUNCTION else None
        if operator is not None and len(given) != operator.arity:
            operator = None
        return self._opened(name, given, operator)

    def _opened(self, name: str, arguments: Sequence[Any], operator: OpOverload | None) -> Call:
        call = Call(name, arguments, operator)
        call.python = python_call(_outside(), operator)
        siblings = self._open[-1].calls if self._open else self.calls
        if len(siblings) < MOST_CALLS:
            siblings.append(call)
        else:
            self.left_out += 1
        self._open.append(call)
        return call

    def _finish(self, call: Call | None, is_done: bool, result: Any = None) -> None:
        if call is None:
            return
        while self._open and self._open.pop() is not call:
            pass
        call.is_done, call.result = is_done, result


def _outside() -> FrameType | None:
    """The frame that called the operator whose call has just been told of."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and not is_dispatcher(frame):
        frame = frame.f_back
    while frame is not None and is_dispatcher(frame):
        frame = frame.f_back
    return frame


def operator_named(name: str) -> OpOverload | None:
    """The operator of ``add.Tensor``; None for what is called otherwise, such as a backward pass."""
    try:
        return dispatcher.aten._find(name)
    except KeyError:
        namespace, _, rest = name.partition("::")
        packets = namespaces.get(namespace)
        try:
            return None if packets is None else packets._find(rest)
        except KeyError:
            return None


def observe(function: Callable[[], Any]) -> tuple[list[Call], Any, Exception | None]:
    """Run a function once: the calls that it made, what it returned, and what it raised."""
    observer = _Observer()
    result, error = None, None
    with observing(observer):
        try:
            result = function()
        except Exception as raised:
            error = raised
    return observer.calls, result, error
