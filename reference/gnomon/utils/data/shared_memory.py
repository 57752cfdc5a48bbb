"""Objects with tensors as messages from a worker: the tensors' bytes travel in shared memory.

A worker has one block of shared memory, the arena, which the main process maps, too.  The worker copies a
message's storages to a free part of it, and the main process copies them from there.  With each task it says
how many messages it has received, so that their parts are used again: the arena becomes as large as the
messages that are under way, and no page of it is new for long.

Source: gnomon's own; torch/multiprocessing/reductions.py shares each storage.
"""

from __future__ import annotations

import io
import pickle
from typing import Any, NamedTuple

from ...bindings.copying import StorageReference, rebuild_storage
from ...bindings.sharing import refuse_history
from ...memory.shared_memory import SharedBlock
from ...memory.storage import Storage
from ...memory.tensor import Tensor

_SMALL = 4096  # bytes; fewer are cheaper in the message itself
_ALIGNMENT = 64


class Message(NamedTuple):
    """A pickled object, and the part of the arena with its storages: from ``start`` up to ``end``."""

    data: bytes
    start: int
    end: int


class Packer:
    """The sender's side."""

    def __init__(self, arena: SharedBlock) -> None:
        self._arena = arena
        self._count = 0  # of messages
        self._in_use: list[tuple[int, int, int]] = []  # the number of a message, and its part

    def release(self, received: int) -> None:
        """The parts of the first ``received`` messages are free."""
        self._in_use = [part for part in self._in_use if part[0] > received]

    def pack(self, obj: Any) -> Message:
        """``obj`` as a message.

        A view of a larger storage travels as a copy of its elements.  Raises what pickle does for an object
        that cannot be pickled, RuntimeError for a tensor with a history, OutOfMemoryError.
        """
        file = io.BytesIO()
        pickler = _Pickler(file)
        pickler.dump(obj)
        start = self._find_free(pickler.nbytes)
        end = start + pickler.nbytes
        if end > self._arena.view.nbytes:
            self._arena.grow(end)
        for storage, at in pickler.shared.values():
            nbytes = storage.nbytes()
            self._arena.view[start + at : start + at + nbytes] = storage.copy_out()[:nbytes]
        self._count += 1
        if end > start:
            self._in_use.append((self._count, start, end))
        return Message(file.getvalue(), start, end)

    def _find_free(self, nbytes: int) -> int:
        """The start of the first free part of that size, possibly beyond the end."""
        at = 0
        for start, end in sorted((start, end) for _, start, end in self._in_use):
            if at + nbytes <= start:
                break
            at = end
        return at


def _storage_itself(storage: Storage) -> Storage:
    return storage


class _Pickler(pickle.Pickler):
    """Gives each large storage a place in ``nbytes`` bytes, relative to the part of the message."""

    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self.nbytes = 0
        self.shared: dict[int, tuple[Storage, int]] = {}

    def persistent_id(self, obj: Any) -> Any:
        if not isinstance(obj, Storage) or obj.nbytes() < _SMALL or obj.device.type == "meta":
            return None
        if id(obj) not in self.shared:
            self.shared[id(obj)] = obj, self.nbytes
            self.nbytes += -(-obj.nbytes() // _ALIGNMENT) * _ALIGNMENT
        return self.shared[id(obj)][1], obj.nbytes(), str(obj.device)

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, StorageReference):
            return _storage_itself, (obj.storage,)  # once per storage, by pickle's memo
        if not isinstance(obj, Tensor) or type(obj).__gnomon_dispatch__ is not None:
            return NotImplemented
        refuse_history(obj)
        if (
            type(obj) is Tensor
            and not obj.is_meta
            and obj.untyped_storage().nbytes() > obj._spec.extent_nbytes
        ):
            return (
                obj.detach().clone().requires_grad_(obj.requires_grad).__reduce_ex__(pickle.HIGHEST_PROTOCOL)
            )
        return NotImplemented


class Unpacker:
    """The receiver's side, for one sender.  ``received`` counts its messages."""

    def __init__(self, arena: SharedBlock) -> None:
        self._arena = arena
        self.received = 0

    def unpack(self, message: Message) -> Any:
        """The object of a message of ``Packer.pack``; it counts as received, also if an error occurs.

        Raises what pickle does for an object whose class cannot be found.
        """
        try:
            if message.end > self._arena.view.nbytes:
                self._arena.map()
            return _Unpickler(message, self._arena).load()
        finally:
            self.received += 1


class _Unpickler(pickle.Unpickler):
    def __init__(self, message: Message, arena: SharedBlock) -> None:
        super().__init__(io.BytesIO(message.data))
        self._start = message.start
        self._arena = arena
        self._storages: dict[int, Storage] = {}

    def persistent_load(self, saved_id: Any) -> Storage:
        at, nbytes, device = saved_id
        if at not in self._storages:
            start = self._start + at
            self._storages[at] = rebuild_storage(self._arena.view[start : start + nbytes], device)
        return self._storages[at]
