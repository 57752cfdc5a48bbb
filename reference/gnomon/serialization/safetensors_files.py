"""``.safetensors`` files, by the package safetensors, which is imported only here.

Source: safetensors.torch (save_file, load_file).
"""

from __future__ import annotations

from typing import Any

import gnomon as gn

from ..bindings.copying import rebuild, rebuild_storage
from ..memory.backend import get_default_device, reference_backend, resolve_device
from ..values import dtype as dtypes
from ..values.geometry import contiguous_strides

NAMES = {
    "BOOL": dtypes.bool_,
    "U8": dtypes.uint8,
    "I8": dtypes.int8,
    "I16": dtypes.int16,
    "I32": dtypes.int32,
    "I64": dtypes.int64,
    "F16": dtypes.float16,
    "BF16": dtypes.bfloat16,
    "F32": dtypes.float32,
    "F64": dtypes.float64,
    "C64": dtypes.complex64,
    "U16": dtypes.uint16,
    "U32": dtypes.uint32,
    "U64": dtypes.uint64,
    "F8_E4M3": dtypes.float8_e4m3fn,
    "F8_E5M2": dtypes.float8_e5m2,
}


def _package(doing: str) -> Any:
    try:
        import safetensors  # type: ignore[import-not-found, unused-ignore]
    except ImportError as error:
        raise RuntimeError(
            f"Attempting to {doing} a safetensors file but safetensors is not installed. Please install "
            "safetensors with: pip install safetensors"
        ) from error
    return safetensors


def encode(tensors: dict[str, gn.Tensor]) -> bytes:
    """The content of a file with these tensors.

    Raises TypeError for a dtype that the format does not have, ValueError for the name "__metadata__",
    RuntimeError without the package.
    """
    package = _package("save")
    names = {kind: name for name, kind in NAMES.items()}
    entries = {}
    kept = []
    for name, tensor in tensors.items():
        if name == "__metadata__":
            raise ValueError("gnomon.save: safetensors reserves the name '__metadata__'")
        if tensor.dtype not in names:
            raise TypeError(f"gnomon.save: {name!r}: safetensors has no {tensor.dtype}")
        dense = tensor.detach().contiguous()
        first = dense.storage_offset() * dense.dtype.itemsize
        data = bytearray(dense.untyped_storage().copy_out()[first : first + dense.nbytes])
        # the package calls dtypes by PyTorch's names when it writes, and by its own when it reads
        described = {"dtype": dense.dtype.name, "shape": list(dense.shape)}
        if hasattr(package, "TensorSpec"):  # since version 0.8, it takes addresses
            kept.append(data)
            address = reference_backend.address(data)
            entries[name] = package.TensorSpec(**described, data_ptr=address, data_len=len(data))
        else:
            entries[name] = {**described, "data": bytes(data)}
    return package.serialize(entries)


def decode(data: bytes, label: str, device: Any = None) -> dict[str, gn.Tensor]:
    """The tensors of a file with this content; ``label`` names the file in errors.

    Raises RuntimeError for an invalid file, for a dtype that gnomon does not have, and without the package.
    """
    package = _package("load")
    try:
        entries = package.deserialize(data)
    except package.SafetensorError as error:
        raise RuntimeError(f"gnomon.load: {label}: the file is truncated or corrupt: {error}") from None
    where = str(get_default_device() if device is None else resolve_device(device))
    tensors = {}
    for name, entry in entries:
        kind = NAMES.get(entry["dtype"])
        if kind is None:
            raise RuntimeError(f"gnomon.load: {label}: {name!r} has the dtype {entry['dtype']}")
        sizes = tuple(entry["shape"])
        storage = rebuild_storage(entry["data"], where)
        tensors[name] = rebuild(gn.Tensor, storage, sizes, contiguous_strides(sizes), kind, where, False)
    return tensors
