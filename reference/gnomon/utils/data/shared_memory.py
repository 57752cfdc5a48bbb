"""Objects with tensors as messages between processes: the tensors' bytes travel in shared memory.

Each storage becomes a segment of shared memory.  The receiver copies it and removes the segment.  A sender
numbers its segments, so that the receiver knows the names of those that a killed sender has left behind.

Source: torch/multiprocessing/reductions.py.
"""

from __future__ import annotations

import io
import pickle
from multiprocessing import resource_tracker
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path
from typing import Any, NamedTuple

from ...bindings.copying import StorageReference, rebuild_storage
from ...memory.storage import Storage
from ...memory.tensor import Tensor

_SMALL = 4096  # bytes; fewer are cheaper in the message itself


class Message(NamedTuple):
    """A pickled object.  ``end`` is one more than the number of its last segment."""

    end: int
    data: bytes


class Packer:
    """The sender's side.  The names of its segments are ``prefix`` and a number."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._count = 0

    def pack(self, obj: Any) -> Message:
        """``obj`` as a message.

        A view of a larger storage travels as a copy of its elements.  Raises what pickle does for an object
        that cannot be pickled, RuntimeError for a tensor with a history.
        """
        first = self._count
        data = io.BytesIO()
        try:
            _Pickler(self, data).dump(obj)
        except BaseException:  # also KeyboardInterrupt
            for number in range(first, self._count):
                _remove(f"{self._prefix}{number}")
            self._count = first
            raise
        return Message(self._count, data.getvalue())

    def share(self, storage: Storage) -> str:
        """Copy a storage to a new segment; returns its name."""
        name = f"{self._prefix}{self._count}"
        self._count += 1
        # before it exists: whenever this process is killed, the tracker removes it
        resource_tracker.register(f"/{name}", "shared_memory")
        segment = SharedMemory(name, create=True, size=storage.nbytes())
        buffer: Any = segment.buf
        buffer[: storage.nbytes()] = storage.copy_out()[: storage.nbytes()]
        segment.close()
        return name


def _storage_itself(storage: Storage) -> Storage:
    return storage


class _Pickler(pickle.Pickler):
    def __init__(self, packer: Packer, file: io.BytesIO) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self._packer = packer
        self._names: dict[int, tuple[Storage, str]] = {}

    def persistent_id(self, obj: Any) -> Any:
        if not isinstance(obj, Storage) or obj.nbytes() < _SMALL or obj.device.type == "meta":
            return None
        if id(obj) not in self._names:
            self._names[id(obj)] = (obj, self._packer.share(obj))
        return self._names[id(obj)][1], obj.nbytes(), str(obj.device)

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, StorageReference):
            return _storage_itself, (obj.storage,)  # once per storage, by pickle's memo
        if not isinstance(obj, Tensor) or type(obj).__gnomon_dispatch__ is not None:
            return NotImplemented
        if obj.requires_grad and not obj.is_leaf:
            raise RuntimeError(
                "Cowardly refusing to serialize non-leaf tensor which requires_grad, since autograd does not "
                "support crossing process boundaries.  If you just want to transfer the data, call detach() "
                "on the tensor before serializing (e.g., putting it on the queue)."
            )
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
    """The receiver's side, for one sender."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._count = 0  # of the segments received so far

    def unpack(self, message: Message) -> Any:
        """The object of a message of ``Packer.pack``, whose segments are removed, also if an error occurs.

        Raises what pickle does for an object whose class cannot be found.
        """
        try:
            return _Unpickler(io.BytesIO(message.data)).load()
        finally:
            for number in range(self._count, message.end):
                _remove(f"{self._prefix}{number}")
            self._count = message.end

    def remove_left_behind(self) -> None:
        """Remove the segments that were sent, but not received.  The sender must have ended."""
        while _remove(f"{self._prefix}{self._count}"):
            self._count += 1


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file)
        self._storages: dict[str, Storage] = {}

    def persistent_load(self, saved_id: Any) -> Storage:
        name, nbytes, device = saved_id
        if name not in self._storages:
            segment = SharedMemory(name)
            buffer: Any = segment.buf
            try:
                with buffer[:nbytes] as data:
                    self._storages[name] = rebuild_storage(data, device)
            finally:
                segment.close()
        return self._storages[name]


def _remove(name: str) -> bool:
    """Remove a segment.  False if there is none."""
    try:
        segment = SharedMemory(name)
    except FileNotFoundError:
        return False
    except ValueError:  # its sender was killed before it gave it a size
        Path("/dev/shm", name).unlink(missing_ok=True)
        return True
    segment.close()
    segment.unlink()
    return True
