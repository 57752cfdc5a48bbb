"""Copying tensors with the module copy, and pickling them.

Source: torch/_tensor.py (__deepcopy__, __reduce_ex__), torch/_utils.py (_rebuild_tensor_v2, _get_obj_state).
"""

from __future__ import annotations

import copy as copy_module
import copyreg
from typing import Any

from ..calls.checks import check_in_bounds_for_storage
from ..memory.backend import backend_of, resolve_device
from ..memory.spec import spec_of
from ..memory.storage import Storage, allocate
from ..memory.tensor import Tensor, autograd_meta, make_tensor
from ..values.device import device, strided
from ..values.dtype import dtype


def _added_to(self: Tensor) -> tuple[dict[str, Any], dict[str, Any]]:
    """What users have added to a tensor: attributes, and the slots of subclasses of Tensor."""
    ours = copyreg._slotnames(Tensor)  # type: ignore[attr-defined]
    names = [name for name in copyreg._slotnames(type(self)) if name not in ours]  # type: ignore[attr-defined]
    return self.__dict__, {name: getattr(self, name) for name in names if hasattr(self, name)}


def state_of(self: Tensor) -> Any:
    """The pickle state of what users have added, or what a user's ``__getstate__`` returns.  None: nothing.

    Source: torch._utils._get_obj_state.
    """
    getstate: Any = getattr(type(self), "__getstate__", None)
    if getstate is not getattr(object, "__getstate__", None):
        return getstate(self)
    attributes, slots = _added_to(self)
    return (attributes, slots) if slots else attributes or None


def add_state(made: Tensor, state: Any) -> None:
    """Restore the result of ``state_of`` in a copy.  Source: torch._utils._set_obj_state."""
    if hasattr(type(made), "__setstate__"):
        if state is not None:
            made.__setstate__(state)  # type: ignore[attr-defined]
        return
    attributes, slots = state if isinstance(state, tuple) else (state, {})
    made.__dict__.update(attributes or {})
    for name, value in slots.items():
        setattr(made, name, value)


def _new_storage(nbytes: int, where: device) -> Storage:
    """An uninitialized storage."""
    backend = backend_of(where)
    return Storage(backend, where, allocate(backend, nbytes, where), nbytes)


def _copied_storage(self: Tensor, memo: dict[int, Any]) -> Any:
    """A copy of the whole storage, shared by all tensors of one deepcopy that share the original."""
    storage = self.untyped_storage()
    if id(storage) not in memo:
        made = _new_storage(storage.nbytes(), storage.device)
        if storage.nbytes() and not self.is_meta:
            made.copy_in(0, storage.copy_out()[: storage.nbytes()])
        memo[id(storage)] = made
    return memo[id(storage)]


def _mark_parameter(made: Tensor, copied: Tensor) -> None:
    """The copy of a tensor that counts as a parameter, whatever its class, is one."""
    if copied._autograd_meta is not None and copied._autograd_meta.is_parameter:
        autograd_meta(made).is_parameter = True


def deepcopy(self: Tensor, memo: dict[int, Any]) -> Tensor:
    if id(self) in memo:
        return memo[id(self)]
    if not self.is_leaf:
        raise RuntimeError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at "
            "the moment."
        )
    if self._spec.layout is not strided or self.untyped_storage().device != self.device:
        # a wrapper, whose __gnomon_dispatch__ copies the data, or a layout without a storage of its own
        made = self.detach().clone()
        if type(made) is not type(self):
            raise RuntimeError(
                f"deepcopy: clone() of a {type(self).__name__} returned a {type(made).__name__}; its "
                "__gnomon_dispatch__ must wrap the clone"
            )
    else:
        made = make_tensor(self._spec, _copied_storage(self, memo), self._storage_offset)
        if type(self) is not Tensor:
            made = Tensor._make_subclass(type(self), made)
    _mark_parameter(made, self)
    memo[id(self)] = made  # before its attributes are copied, which may refer to it
    made.requires_grad_(self.requires_grad)
    if self.grad is not None:
        made.grad = deepcopy(self.grad, memo)
    attributes, slots = copy_module.deepcopy(_added_to(self), memo)
    made.__dict__.update(attributes)
    for name, value in slots.items():
        setattr(made, name, value)
    return made


def copy(self: Tensor) -> Tensor:
    made = self.detach()
    if type(made) is not type(self):
        made = Tensor._make_subclass(type(self), made)
    _mark_parameter(made, self)
    made.requires_grad_(self.requires_grad)
    add_state(made, state_of(self))
    return made


def rebuild(
    cls: Any,
    data: Any,
    sizes: tuple[int, ...],
    strides: tuple[int, ...],
    kind: dtype,
    device: str,
    requires_grad: bool,
    storage_offset: int = 0,
) -> Tensor:
    """Create a tensor from the arguments of ``reduce_ex``.

    ``data`` is the storage, or all its bytes; on meta, it is not used.  Raises TypeError or RuntimeError for
    arguments that are no valid tensor: a file may come from anywhere.
    """
    if not (isinstance(cls, type) and issubclass(cls, Tensor)):
        raise TypeError(f"rebuilding a tensor: expected a subclass of Tensor, got {cls!r}")
    if not isinstance(kind, dtype):
        raise TypeError(f"rebuilding a tensor: expected a gnomon.dtype, got {type(kind).__name__}")
    for name, numbers in (("sizes", sizes), ("strides", strides), ("storage_offset", (storage_offset,))):
        if not isinstance(numbers, (tuple, list)) or not all(type(each) is int for each in numbers):
            raise TypeError(f"rebuilding a tensor: {name} must be ints, got {numbers!r}")
        if any(not 0 <= each < 2**63 for each in numbers):
            raise RuntimeError(f"rebuilding a tensor: {name} must be from 0 to 2**63 - 1, got {numbers!r}")
    if len(sizes) != len(strides):
        raise RuntimeError(f"unequal size length ({len(sizes)}) and stride length ({len(strides)})")
    where = resolve_device(device)
    if isinstance(data, Storage) and data.device != where:
        raise RuntimeError(f"rebuilding a tensor: expected a storage on {where}, got one on {data.device}")
    spec = spec_of(tuple(sizes), tuple(strides), kind, where)
    if where.type == "meta":
        nbytes = storage_offset * kind.itemsize + spec.extent_nbytes if spec.numel else 0
        data = _new_storage(nbytes, where)
    elif not isinstance(data, Storage):
        data = rebuild_storage(data, device)
    check_in_bounds_for_storage(spec.sizes, spec.strides, storage_offset, kind.itemsize, data.nbytes())
    made = make_tensor(spec, data, storage_offset)
    if cls is not Tensor:
        made = Tensor._make_subclass(cls, made)
    return made.requires_grad_(requires_grad)


def rebuild_storage(data: Any, device: str) -> Storage:
    """Create a storage on a device with the bytes ``data``."""
    made = _new_storage(memoryview(data).nbytes, resolve_device(device))
    if made.nbytes():
        made.copy_in(0, memoryview(data))
    return made


class StorageReference:
    """A tensor's reference to its storage: like PyTorch's, it is pickled with a copy of the bytes.

    So tensors that share a storage do not share it any more when they are read; a pickler that keeps the
    sharing (``gnomon.save``, multiprocessing, a DataLoader's workers) treats these references itself.
    Source: torch.storage.TypedStorage.
    """

    def __init__(self, tensor: Tensor):
        self.tensor = tensor
        self.storage = tensor.untyped_storage()

    def __reduce__(self) -> Any:
        return _reduce_storage(self.storage)


def reduce_ex(self: Tensor, protocol: int) -> Any:
    """The pickled form: the storage, the tensor's geometry and dtype, and what users have added."""
    spec = self._spec
    made_of = (
        type(self),
        b"" if self.is_meta else StorageReference(self),
        spec.sizes,
        spec.strides,
        spec.dtype,
        str(spec.device),
        self.requires_grad,
        self._storage_offset,
    )
    state = state_of(self)
    return (rebuild, made_of) if state is None else (rebuild, made_of, state)


def _reduce_storage(storage: Storage) -> Any:
    """The pickled form of a storage: its bytes.  Raises NotImplementedError on meta, where there are none."""
    return rebuild_storage, (bytes(storage.copy_out()[: storage.nbytes()]), str(storage.device))


copyreg.pickle(Storage, _reduce_storage)  # not a method of Storage, which is below backends
