"""A file in the format safetensors, written tensor by tensor and read through the memory map.

A file begins with the length of a JSON text in eight bytes, then the text, which says of each tensor its
dtype, its shape and where its bytes are.  The package safetensors reads and writes whole files;
serialization/safetensors_files.py uses it where a program saves such a file itself.

Source: the description of the format in https://github.com/huggingface/safetensors.
"""

from __future__ import annotations

import json
import mmap
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import gnomon as gn

from ...memory.tensor import Tensor
from ...serialization.safetensors_files import NAMES
from ...values.dtype import dtype

_KNOWN = {kind: name for name, kind in NAMES.items()}
_LENGTH = 8  # bytes of the length of the JSON text, and a multiple of it is the text's own length


def write(file: IO[bytes], tensors: Mapping[str, Tensor]) -> None:
    """Write tensors of any device.  A dtype that the format does not have is written as its bytes.

    Raises ValueError for the name "__metadata__", which the format reserves.
    """
    if "__metadata__" in tensors:
        raise ValueError("checkpoint: safetensors reserves the name '__metadata__'")
    names = sorted(tensors, key=lambda name: (-tensors[name].dtype.itemsize, name))  # so that all are aligned
    header: dict[str, Any] = {}
    end = 0
    for name in names:
        kind, shape = tensors[name].dtype, list(tensors[name].shape)
        begin, end = end, end + tensors[name].numel() * kind.itemsize
        known = _KNOWN.get(kind)
        header[name] = {
            "dtype": known or "U8",
            "shape": shape if known else [*shape, kind.itemsize],
            "data_offsets": [begin, end],
        }
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % _LENGTH)
    file.write(len(text).to_bytes(_LENGTH, "little") + text)
    for name in names:
        file.write(bytes_of(tensors[name]))


class TensorFile:
    """A file's tensors.  Only what is read of them comes into memory."""

    def __init__(self, path: Path) -> None:
        """Raises ValueError for a file that is truncated or something else."""
        self.path = path
        with open(path, "rb") as file:
            size = file.seek(0, 2)
            file.seek(0)
            length = int.from_bytes(file.read(_LENGTH), "little")
            text = file.read(min(length, size))
            try:
                self.header = json.loads(text)
                last = max((each["data_offsets"][1] for each in self.header.values()), default=0)
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise ValueError(f"{path.name} is truncated or corrupt: {error!r}") from error
            self.begin = _LENGTH + length
            if self.begin + last != size:
                raise ValueError(f"{path.name} has {size} bytes, but its header says {self.begin + last}")
            self.memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)

    def tensor(self, name: str, kind: dtype, shape: tuple[int, ...]) -> Tensor:
        """A tensor, as a view of the file.

        Raises ValueError if the file does not have it, or has another number of bytes.
        """
        entry = self.header.get(name)
        if entry is None:
            raise ValueError(f"{self.path.name} has no tensor {name!r}")
        begin, end = entry["data_offsets"]
        count = gn.Size(shape).numel()
        if end - begin != count * kind.itemsize:
            raise ValueError(
                f"{self.path.name}: {name!r} has {end - begin} bytes, expected {count * kind.itemsize}"
            )
        if count == 0:
            return gn.empty(shape, dtype=kind)
        return gn.frombuffer(self.memory, dtype=kind, count=count, offset=self.begin + begin).view(shape)


def bytes_of(tensor: Tensor) -> Any:
    """The bytes of a tensor, in the order of its indices."""
    dense = tensor.detach()
    if not dense.untyped_storage().backend.host_memory:
        dense = dense.cpu()
    dense = dense.resolve_conj().resolve_neg().contiguous()
    begin = dense.storage_offset() * dense.dtype.itemsize
    return dense.untyped_storage().host_view()[begin : begin + dense.numel() * dense.dtype.itemsize]
