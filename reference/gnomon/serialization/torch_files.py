"""Objects as archives of ``torch.save``: a pickle, and one record for each storage that it refers to.

    data.pkl            the object; a storage is the persistent id
                        ("storage", its class, the name of its record, its location, its number of elements)
    byteorder           "little" or "big": the order of the bytes in storages
    data/0, data/1, …   the bytes of the storages
    version, .format_version, .storage_alignment

Source: torch/serialization.py (_save, _load).
"""

from __future__ import annotations

import io
import mmap
import pickle
import sys
from collections.abc import Callable
from typing import IO, Any

import gnomon as gn

from ..memory.backend import (
    Backend,
    backend_names,
    backend_of,
    get_default_device,
    reference_backend,
    resolve_device,
)
from ..memory.storage import Storage, allocate
from ..values.dtype import dtype, uint8
from ..values.errors import type_name
from ..values.module_finder import attribute_module
from .archive import ALIGNMENT, ArchiveReader, ArchiveWriter, Record
from .swapping import swapped
from .torch_names import (
    CLASSES,
    FUNCTIONS,
    VALUES,
    StorageType,
    TorchName,
    TypedStorage,
    reduced,
    storage_name,
)
from .weights_only import WeightsUnpickler

# -- writing -------------------------------------------------------------------------------------------------


def write_checkpoint(
    obj: object,
    file: Any,
    name: str,
    pickle_module: Any,
    pickle_protocol: int,
    expect: Callable[[int], None] | None = None,
) -> None:
    """Write ``obj`` to a file as an archive whose records are in the folder ``name``.

    ``expect`` is told the number of bytes, without the headers, before they are written.  Raises RuntimeError
    if two tensors of different dtypes share a storage, which the format cannot say.
    """
    storages = _StorageIds()
    data = _pickled(obj, storages, pickle_module, pickle_protocol)
    if expect is not None:
        expect(len(data) + sum(storage.nbytes() for storage in storages.by_key.values()))
    archive = ArchiveWriter(file, name)
    archive.write_record("data.pkl", data)
    archive.write_record(".format_version", b"1")
    archive.write_record(".storage_alignment", str(ALIGNMENT).encode())
    archive.write_record("byteorder", sys.byteorder.encode())
    for key, storage in storages.by_key.items():
        archive.write_record(f"data/{key}", storage.copy_out()[: storage.nbytes()])
    archive.write_record("version", b"3\n")
    archive.close()


class _StorageIds:
    """The persistent ids of the storages of one file."""

    def __init__(self) -> None:
        self.by_key: dict[str, Storage] = {}
        self._keys: dict[int, str] = {}
        self._dtypes: dict[str, dtype] = {}

    def id_of(self, obj: Any) -> tuple[Any, ...] | None:
        """The persistent id of a storage; None for any other object."""
        if isinstance(obj, Storage):
            storage, kind = obj, None
        elif isinstance(obj, TypedStorage):
            storage, kind = obj
        else:
            return None
        key = self._keys.setdefault(id(storage), str(len(self._keys)))
        self.by_key[key] = storage
        known = self._dtypes.setdefault(key, kind or uint8)
        if known is not (kind or uint8) and storage.nbytes():
            raise RuntimeError(
                "Cannot save multiple tensors or storages that view the same data as different types"
            )
        numel = storage.nbytes() // (kind or uint8).itemsize
        return "storage", storage_name(kind), key, _location_of(storage), numel


def _location_of(storage: Storage) -> str:
    """PyTorch's name of a storage's device."""
    if storage.backend.host_memory:
        return "cpu"
    return f"{storage.device.type}:{storage.device.index or 0}"


def _pickled(obj: object, storages: _StorageIds, pickle_module: Any, protocol: int) -> bytes:
    """``obj`` as a pickle with PyTorch's names.

    Python's pickler in C refuses the name of a class that it cannot import, so this is the one in Python.
    """
    base = getattr(pickle_module, "_Pickler", pickle_module.Pickler)
    if not issubclass(base, pickle._Pickler):
        raise TypeError(
            f"gnomon.save: pickle_module {pickle_module.__name__!r} must have a Pickler that is a subclass "
            "of pickle._Pickler"
        )

    class Pickler(base):  # type: ignore[misc, valid-type]
        def persistent_id(self, obj: Any) -> Any:
            return storages.id_of(obj)

        def reducer_override(self, obj: Any) -> Any:
            return reduced(obj)

        def save_global(self, obj: Any, name: str | None = None) -> None:
            if not isinstance(name, TorchName):
                super().save_global(obj, name)
                return
            module, _, attribute = name.rpartition(".")
            self.write(pickle.GLOBAL + f"{module}\n{attribute}\n".encode())
            self.memoize(obj)

    data = io.BytesIO()
    Pickler(data, protocol=protocol).dump(obj)
    return data.getvalue()


# -- reading -------------------------------------------------------------------------------------------------

_ADDRESSES: Backend = reference_backend  # it knows the address of any buffer

# Gives a storage like the one in host memory on the device of a location.
Restore = Callable[[Storage, str], Storage]


def read_checkpoint(
    file: IO[bytes],
    label: str,
    map_location: Any,
    pickle_module: Any,
    weights_only: bool,
    is_mapped: bool,
    pickle_load_args: dict[str, Any],
) -> Any:
    """The object in the archive that starts at the position of ``file``.

    ``label`` names the file in errors.  Raises RuntimeError for a corrupt file, pickle.UnpicklingError for a
    pickle that is invalid or, with ``weights_only``, mentions anything that is not allowed.
    """
    archive = ArchiveReader(file, label)
    if "constants.pkl" in archive:
        raise RuntimeError(f"gnomon.load: {label} is a TorchScript archive, which gnomon cannot read")
    mapping = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY) if is_mapped else None
    reader = _StorageReader(archive, _restorer(map_location), map_location, mapping)
    data = archive.read("data.pkl")
    if not weights_only:
        return _unpickled(data, reader.load, pickle_module, pickle_load_args)
    try:
        return WeightsUnpickler(data, reader.load).load()
    except pickle.UnpicklingError as error:
        if isinstance(error.__cause__, RuntimeError):  # such as sizes that do not fit a storage
            raise RuntimeError(f"gnomon.load: {label}: {error}") from None
        raise pickle.UnpicklingError(
            f"Weights only load failed. {label}: {error} With `weights_only=False`, gnomon.load runs "
            "whatever code the file contains. Do it only if you got the file from a trusted source."
        ) from None


def _unpickled(data: bytes, persistent_load: Any, pickle_module: Any, arguments: dict[str, Any]) -> Any:
    """The object of a pickle, by Python's unpickler, which runs whatever code the pickle names."""

    class Unpickler(pickle_module.Unpickler):
        def find_class(self, module: str, name: str) -> Any:
            if module.partition(".")[0] != "torch":
                return super().find_class(module, name)
            for known in (CLASSES, FUNCTIONS, VALUES):
                if f"{module}.{name}" in known:
                    return known[f"{module}.{name}"]
            own = attribute_module(gn, module.removeprefix("torch."))  # a pickled module: torch.nn.modules...
            if hasattr(own, name):
                return getattr(own, name)
            raise pickle.UnpicklingError(f"gnomon has nothing that corresponds to {module}.{name}")

        def persistent_load(self, saved_id: Any) -> Any:
            return persistent_load(saved_id)

    return Unpickler(io.BytesIO(data), **{"encoding": "utf-8", **arguments}).load()


class _StorageReader:
    """Reads the storages of an archive, each once."""

    def __init__(
        self, archive: ArchiveReader, restore: Restore, map_location: Any, mapping: mmap.mmap | None
    ) -> None:
        self._archive = archive
        self._restore = restore
        self._is_meta = str(map_location) == "meta"  # no data needs to be read
        self._mapping = mapping
        self._loaded: dict[str, Storage] = {}
        order = archive.read("byteorder") if "byteorder" in archive else b"little"
        if order not in (b"little", b"big"):
            raise archive.error(f"unknown byteorder {order[:16]!r}")
        self._is_swapped = order.decode() != sys.byteorder
        if self._is_swapped and mapping is not None:
            raise RuntimeError(
                f"gnomon.load: {archive.label} has {order.decode()}-endian numbers, so that mmap=True cannot "
                "use them in place"
            )

    def load(self, saved_id: Any) -> Any:
        """The storage of a persistent id: a Storage, or a TypedStorage if the file gives its dtype."""
        if not isinstance(saved_id, tuple) or len(saved_id) != 5 or saved_id[0] != "storage":
            raise pickle.UnpicklingError(f"Only persistent_load of storage is allowed, but got {saved_id!r}")
        _, kind, key, location, numel = saved_id
        if not (
            isinstance(kind, StorageType)
            and isinstance(key, str)
            and isinstance(location, str)
            and type(numel) is int
        ):
            raise pickle.UnpicklingError(f"The id of a storage is invalid: {saved_id!r}")
        element = kind.dtype or uint8
        record = self._archive.record(f"data/{key}")
        if record.nbytes != numel * element.itemsize:
            raise self._archive.error(
                f"record {record.path!r} has {record.nbytes} bytes, but its storage has {numel} elements of "
                f"{element.itemsize} bytes"
            )
        if key not in self._loaded:
            self._loaded[key] = self._read(record, element, location)
        storage = self._loaded[key]
        return storage if kind.dtype is None else TypedStorage(storage, kind.dtype)

    def _read(self, record: Record, element: dtype, location: str) -> Storage:
        if self._is_meta:
            where = resolve_device("meta")
            return Storage(backend_of(where), where, None, record.nbytes)
        backend = _host_backend()
        where = gn.device(backend.device_type)
        if self._mapping is not None and record.nbytes and record.start % element.itemsize == 0:
            view = memoryview(self._mapping)[record.start : record.start + record.nbytes]
            memory = backend.wrap_host_memory(view, _ADDRESSES.address(view))
            if memory is not None:
                return self._restore(Storage(backend, where, memory, record.nbytes), location)
        storage = Storage(backend, where, allocate(backend, record.nbytes, where), record.nbytes)
        at = 0
        for chunk in self._archive.chunks(record):
            storage.copy_in(at, swapped(chunk, element) if self._is_swapped else chunk)
            at += len(chunk)
        return self._restore(storage, location)


def _host_backend() -> Backend:
    """The backend of "cpu" in a file: that of the default device, or the fastest if that is no host."""
    backend = backend_of(get_default_device())
    return backend if backend.host_memory else backend_of(resolve_device("cpu"))


def _restorer(map_location: Any) -> Restore:
    """The function that moves a storage to the device where ``map_location`` wants it."""
    if map_location is None:
        return _restore
    if isinstance(map_location, dict):
        return lambda storage, location: _restore(storage, map_location.get(location, location))
    if isinstance(map_location, (str, gn.device)):
        where = resolve_device(map_location) if str(map_location) == "cpu" else None
        return lambda storage, location: _restore(storage, str(where or map_location))
    if not callable(map_location):
        raise TypeError(f"{type_name(map_location)!r} object is not callable")

    def restore(storage: Storage, location: str) -> Storage:
        found = map_location(storage, location)
        if found is None:
            return _restore(storage, location)
        if not isinstance(found, Storage):
            raise TypeError(f"map_location must return a storage or None, got {type_name(found)}")
        return found

    return restore


def _restore(storage: Storage, location: str) -> Storage:
    """A storage like ``storage`` on the device of ``location``; "cpu" is where it is already.

    Raises RuntimeError for a device that does not exist here.
    """
    if location == "cpu":
        return storage
    try:
        where = resolve_device(location)
    except RuntimeError as error:
        kind = location.partition(":")[0]
        if kind not in backend_names():
            raise RuntimeError(
                f"don't know how to restore data location of gnomon.storage.UntypedStorage (tagged with "
                f"{location})"
            ) from None
        raise RuntimeError(
            f"Attempting to deserialize object on a {kind.upper()} device, but {error}. Please use "
            "gnomon.load with map_location=gnomon.device('cpu') to map your storages to the CPU."
        ) from None
    if where is storage.device:
        return storage
    backend = backend_of(where)
    moved = Storage(backend, where, allocate(backend, storage.nbytes(), where), storage.nbytes())
    if where.type != "meta":
        moved.copy_from(storage, storage.nbytes())
    return moved
