"""NumPy's files: ``.npy`` for one array, and ``.npz``, a zip file of ``.npy`` files.

Source: numpy/lib/format.py (NPY format version 1.0 to 3.0), numpy.savez.
"""

from __future__ import annotations

import ast
import struct
import sys
import zipfile
import zlib
from typing import IO, Any

import gnomon as gn

from ..bindings.copying import rebuild, rebuild_storage
from ..memory.backend import get_default_device, resolve_device
from ..values.dtype import ALL, UNSIGNED, bfloat16, dtype
from ..values.geometry import contiguous_strides, numel_of
from .archive import ZipReader
from .swapping import swapped

_MAGIC = b"\x93NUMPY"
_ALIGNMENT = 64
_MAX_HEADER_NBYTES = 10_000  # NumPy's limit: the header's text is parsed

# NumPy's name of a dtype, without the byte order: a letter and the size in bytes.
_NUMPY_NAMES = {
    kind: ("b" if kind is gn.bool else "c" if kind.is_complex else "f" if kind.is_floating_point else "")
    or ("i" if kind.is_signed else "u")
    for kind in (*ALL, *UNSIGNED)
    if kind is not bfloat16
}
_DTYPES = {f"{letter}{kind.itemsize}": kind for kind, letter in _NUMPY_NAMES.items()}
_NATIVE = "<" if sys.byteorder == "little" else ">"


def write_npy(tensor: gn.Tensor, file: Any) -> None:
    """Write a tensor in the format of ``.npy``, in Fortran order if only its transpose is contiguous.

    Raises TypeError for bfloat16 and floats of 8 bits, which NumPy does not have.
    """
    if tensor.dtype not in _NUMPY_NAMES:
        raise TypeError(f"gnomon.save: NumPy's format has no {tensor.dtype}")
    tensor = tensor.detach()
    is_fortran = not tensor.is_contiguous() and tensor.permute(*range(tensor.ndim)[::-1]).is_contiguous()
    kind = tensor.dtype
    order = "|" if kind.itemsize == 1 else _NATIVE
    header = {
        "descr": f"{order}{_NUMPY_NAMES[kind]}{kind.itemsize}",
        "fortran_order": is_fortran,
        "shape": tuple(tensor.shape),
    }
    start = len(_MAGIC) + 4
    text = str(header).encode("latin1")
    padding = -(start + len(text) + 1) % _ALIGNMENT
    text += b" " * padding + b"\n"
    dense = tensor.permute(*range(tensor.ndim)[::-1]) if is_fortran else tensor.contiguous()
    file.write(_MAGIC + b"\1\0" + struct.pack("<H", len(text)) + text)
    first = dense.storage_offset() * kind.itemsize
    file.write(dense.untyped_storage().copy_out()[first : first + dense.nbytes])


def read_npy(file: IO[bytes], label: str, device: Any = None, nbytes: int | None = None) -> gn.Tensor:
    """The tensor in a ``.npy`` file, which ``label`` names in errors; on the default device if None.

    ``nbytes`` is the size of the file if it is not at hand; then the file need not be one that can seek.
    Raises RuntimeError for an invalid file, and for elements that are not of one of gnomon's dtypes.
    """
    if nbytes is None:
        start = file.tell()
        nbytes = file.seek(0, 2) - start
        file.seek(start)

    def error(text: str) -> RuntimeError:
        return RuntimeError(f"gnomon.load: {label}: {text}")

    first = file.read(len(_MAGIC) + 2)
    if len(first) < len(_MAGIC) + 2 or not first.startswith(_MAGIC) or first[-2] not in (1, 2, 3):
        raise error("it does not start as a .npy file of version 1, 2 or 3")
    width = 2 if first[-2] == 1 else 4
    length = int.from_bytes(file.read(width), "little")
    if length > _MAX_HEADER_NBYTES:
        raise error(f"its header should have {length} bytes; more than {_MAX_HEADER_NBYTES} are not read")
    text = file.read(length)
    kind, is_swapped, is_fortran, sizes = _parsed(
        text.decode("utf-8" if first[-2] == 3 else "latin1", "replace"), error
    )
    try:
        expected = numel_of(sizes) * kind.itemsize
    except RuntimeError:
        raise error(f"there can be no tensor of sizes {list(sizes)}") from None
    left = nbytes - len(first) - width - len(text)
    if len(text) < length or left < expected:
        raise error(f"it is truncated: its header announces {expected} bytes, but {left} are left")
    data: Any = file.read(expected)
    if len(data) < expected:
        raise error(f"it is truncated: its header announces {expected} bytes, but {len(data)} are left")
    if is_swapped:
        data = swapped(data, kind)
    strides = contiguous_strides(sizes[::-1])[::-1] if is_fortran else contiguous_strides(sizes)
    where = get_default_device() if device is None else resolve_device(device)
    return rebuild(gn.Tensor, rebuild_storage(data, str(where)), sizes, strides, kind, str(where), False)


def _parsed(text: str, error: Any) -> tuple[dtype, bool, bool, tuple[int, ...]]:
    """What a header says: the dtype, whether the bytes are swapped, Fortran order, and the sizes."""
    try:
        header = ast.literal_eval(text.strip(" \n\0"))
        descr, is_fortran, shape = header["descr"], header["fortran_order"], header["shape"]
    except (ValueError, SyntaxError, TypeError, KeyError, MemoryError, RecursionError):
        raise error(f"its header is invalid: {text[:200]!r}") from None
    is_shape = isinstance(shape, tuple) and all(type(size) is int and size >= 0 for size in shape)
    if len(header) != 3 or not is_shape or not isinstance(is_fortran, bool):
        raise error(f"its header is invalid: {text[:200]!r}")
    if not isinstance(descr, str) or descr[:1] not in "<>|=" or descr[1:] not in _DTYPES:
        what = "objects, which only a pickle can hold" if "O" in str(descr) else f"elements of type {descr!r}"
        raise error(f"it has {what}; gnomon reads {', '.join(_DTYPES)}")
    kind = _DTYPES[descr[1:]]
    return kind, descr[0] in "<>" and descr[0] != _NATIVE and kind.itemsize > 1, is_fortran, shape


def write_npz(tensors: dict[str, gn.Tensor], file: Any) -> None:
    """Write tensors as a zip file with one ``.npy`` file for each, uncompressed, as numpy.savez does."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, tensor in tensors.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                write_npy(tensor, member)


def read_npz(file: IO[bytes], label: str, device: Any = None) -> dict[str, gn.Tensor]:
    """The tensors in a ``.npz`` file by their names.  Raises RuntimeError for an invalid file."""
    tensors = {}
    reader = ZipReader(file, label)
    _, _, count = reader.find_directory()  # zipfile reads the entries before a fault without a word
    try:
        with zipfile.ZipFile(file) as archive:
            if len(archive.infolist()) != count:
                raise reader.error(f"its directory has {len(archive.infolist())} of {count} entries")
            for info in archive.infolist():
                where = f"{label}: {info.filename!r}"
                if not info.filename.endswith(".npy"):
                    raise RuntimeError(f"gnomon.load: {where} is not a .npy file")
                name = info.filename.removesuffix(".npy")
                if name in tensors:
                    raise RuntimeError(f"gnomon.load: {where} is there more than once")
                if info.flag_bits & 1:
                    raise RuntimeError(f"gnomon.load: {where} is encrypted")
                with archive.open(info) as member:
                    tensors[name] = read_npy(member, where, device, info.file_size)
                    member.read(1)  # at the end of the file, its checksum is compared
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        OSError,
        ValueError,
        NotImplementedError,
        struct.error,
    ) as error:
        raise RuntimeError(f"gnomon.load: {label}: the file is truncated or corrupt: {error}") from None
    return tensors
