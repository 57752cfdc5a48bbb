"""Tensors between processes: Python's multiprocessing sends their memory as shared memory, without a copy.

The reductions below are registered with multiprocessing's pickler: whatever sends objects between processes
(queues, pipes, pools, the arguments of a process) sends a tensor as the descriptor of its storage's shared
memory, to which the storage is moved first.

Source: torch/multiprocessing/reductions.py.
"""

from __future__ import annotations

import os
import weakref
from multiprocessing import reduction
from typing import Any

from ..memory.backend import backend_of, resolve_device
from ..memory.shared_memory import SharedBlock
from ..memory.storage import Storage
from ..memory.tensor import Tensor
from .copying import StorageReference

# Storages of shared memory by the block's key, so that memory that arrives again is the same Storage.
_known: weakref.WeakValueDictionary[bytes, Storage] = weakref.WeakValueDictionary()


def _rebuild_storage(key: bytes, received: Any, nbytes: int, device: str) -> Storage:
    descriptor = received.detach()
    storage = _known.get(key)
    if storage is not None:
        os.close(descriptor)
        return storage
    block = SharedBlock(descriptor, key)
    where = resolve_device(device)
    # Another thread may have received it meanwhile.
    return _known.setdefault(key, Storage.on_shared_block(block, backend_of(where), where, nbytes))


def _reduce_storage(storage: Storage) -> Any:
    """The pickled form for another process.  Raises RuntimeError for memory that is not the host's."""
    if storage.device.type == "meta":
        raise RuntimeError("Cannot pickle meta storage; try pickling a meta tensor instead")
    if not storage.backend.host_memory:
        raise RuntimeError(
            f"memory on {storage.device} is not shared with other processes; send a copy on the host: cpu()"
        )
    block = storage.shared_block()
    _known[block.key] = storage
    made_of = (block.key, reduction.DupFd(block.descriptor), storage.nbytes(), str(storage.device))
    return _rebuild_storage, made_of


def _itself(storage: Storage) -> Storage:
    return storage


def refuse_history(tensor: Tensor) -> None:
    """Raises RuntimeError for a non-leaf that requires grad, which can not be sent to another process."""
    if tensor.requires_grad and not tensor.is_leaf:
        raise RuntimeError(
            "Cowardly refusing to serialize non-leaf tensor which requires_grad, since autograd does not "
            "support crossing process boundaries.  If you just want to transfer the data, call detach() "
            "on the tensor before serializing (e.g., putting it on the queue)."
        )


def _reduce_reference(reference: StorageReference) -> Any:
    refuse_history(reference.tensor)
    return _itself, (reference.storage,)  # pickle's memo keeps it one storage


def _reduce_block(block: SharedBlock) -> Any:
    return _rebuild_block, (block.key, reduction.DupFd(block.descriptor))


def _rebuild_block(key: bytes, received: Any) -> SharedBlock:
    return SharedBlock(received.detach(), key)


reduction.register(SharedBlock, _reduce_block)
reduction.register(Storage, _reduce_storage)
reduction.register(StorageReference, _reduce_reference)


def share_memory_(self: Tensor) -> Tensor:
    """Move the storage to shared memory, if it is not there; returns the tensor.

    Other processes that receive the tensor then see the same memory.  The storage can not grow any more.
    Raises RuntimeError for memory that is not the host's.  Source: torch.Tensor.share_memory_.
    """
    self.untyped_storage().share_memory_()
    return self


def is_shared(self: Tensor) -> bool:
    """Is the storage in shared memory?  Source: torch.Tensor.is_shared."""
    return self.untyped_storage().is_shared()
