"""watch: which operator wrote last to each storage, and from where, while a block runs.

Only inside ``with gn.explain.watch():`` are calls observed; elsewhere they pay nothing for it.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Sequence
from contextvars import ContextVar
from typing import Any, NamedTuple

from ..dispatch.dispatcher import OpOverload
from ..dispatch.record_function import FUNCTION, RecordFunctionCallback, RecordScope, observing
from ..memory.storage import Storage
from ..memory.tensor import Tensor
from ..values.thread_local_state import State
from .observation import operator_named, tensors_in
from .report import Facts


class Writer(NamedTuple):
    """Who wrote last: the operator's name, the line of the program that called it, the version after it."""

    operator: str
    place: str
    version: int | None


class Watch(observing):
    """Observes the operators that the thread calls in the block; the value of ``with`` is the Watch.

    It sees what operators write, not what is written through NumPy's arrays or ``Storage.copy_in``, and not
    a user's kernel that calls no operator.
    """

    __slots__ = ("_writers",)

    def __init__(self) -> None:
        self._writers: weakref.WeakKeyDictionary[Storage, Writer] = weakref.WeakKeyDictionary()
        super().__init__(RecordFunctionCallback(self._begin, self._finish, (FUNCTION,), needs_outputs=True))

    @property
    def _given(self) -> Watch:
        return self

    def _inside(self) -> State:
        return (*super()._inside(), (_watch, self))

    def _begin(self, scope: RecordScope, name: str, arguments: Sequence[Any]) -> Any:
        operator = operator_named(name)
        if operator is None or len(arguments) != operator.arity:
            return None
        return operator, arguments, _caller()

    def _finish(self, begun: Any, is_done: bool, result: Any = None) -> None:
        if begun is None or not is_done:
            return
        operator, arguments, place = begun
        for tensor in _written(operator, arguments, result):
            if tensor._spec.device.type != "meta" and tensor._storage is not None:
                version = None if tensor.is_inference() else tensor._version
                self._writers[tensor._storage] = Writer(operator.name, place, version)

    def last_writer(self, tensor: Tensor) -> Writer | None:
        """The last operator that wrote to the tensor's storage, or made it; None: it was not in the block."""
        storage = tensor._storage
        return None if storage is None else self._writers.get(storage)


_watch: ContextVar[Watch | None] = ContextVar("gnomon_explain_watch", default=None)

# The thread's innermost Watch, or None.
current_watch = _watch.get


def _written(operator: OpOverload, arguments: Sequence[Any], result: Any) -> list[Tensor]:
    """The tensors that a call wrote to, or made; not a result that is an argument, or that views one."""
    given = [value for each, value in zip(operator.schema.arguments, arguments) if each.is_written]
    written = list(tensors_in(given))
    if written:
        return written
    read = {id(each._storage) for each in operator.tensors(arguments)}
    return [each for each in tensors_in((result,)) if id(each._storage) not in read]


def _caller() -> str:
    """The file and line of the program that made the call: the first outside gnomon."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("gnomon"):
        frame = frame.f_back
    return f"{frame.f_code.co_filename.rpartition('/')[2]}:{frame.f_lineno}"


def explain_writer(tensor: Tensor) -> Facts:
    """Who wrote last to the tensor's storage, as far as the innermost Watch knows."""
    watch = current_watch()
    if watch is None:
        return Facts([("last written by", "not watched: use it in 'with gn.explain.watch():'")])
    writer = watch.last_writer(tensor)
    if writer is None:
        return Facts([("last written by", "nothing since the watch began")])
    return Facts(
        [("last written by", writer.operator), ("at", writer.place), ("version after it", writer.version)]
    )
