"""``gnomon.save`` and ``gnomon.load``: which format a file has, and how it is written as a whole, or not.

Source: torch/serialization.py (save, load).
"""

from __future__ import annotations

import contextlib
import io
import os
import pickle
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypedDict

import gnomon as gn

from ..memory.storage import Storage
from ..values.errors import type_name, warn
from . import arrays, safetensors_files
from .progress import counted
from .torch_files import read_checkpoint, write_checkpoint

if TYPE_CHECKING:
    from typing_extensions import Unpack


class PickleLoadArgs(TypedDict, total=False):
    """Arguments of ``pickle.Unpickler``."""

    fix_imports: bool
    encoding: str
    errors: str
    buffers: Iterable[Any] | None


MapLocation = Callable[[Storage, str], Storage | None] | gn.device | str | Mapping[str, str] | None

_ZIP = b"PK\3\4"
_LEGACY = b"\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19."  # PyTorch's magic number, as a pickle


def save(
    obj: object,
    f: str | os.PathLike[str] | IO[bytes],
    pickle_module: Any = pickle,
    pickle_protocol: int = 2,
    *,
    progress: bool = False,
) -> None:
    """Save an object to a file that ``gnomon.load`` and ``torch.load`` read.

    ``f`` is a path, or an object with ``write``.  Tensors that share a storage share it again when they are
    loaded; of a view, the whole storage is saved.  The gradients are not saved.  A file with a path is
    replaced as a whole: until everything is written, ``f`` has its old content, and it keeps that if an
    error occurs.

    The ending of a path chooses other formats: ``.safetensors`` for a dict of tensors, ``.npy`` for one
    tensor, ``.npz`` for a dict of tensors.  These keep only names, dtypes, sizes and numbers.

    ``progress=True`` shows a progress bar of the bytes on stderr.  It requires the package rich, and raises
    ImportError without it.

    Raises AttributeError if ``f`` is neither a path nor a file, RuntimeError for a directory that does not
    exist, and for tensors of different dtypes that share a storage; pickle.PicklingError, AttributeError or
    TypeError for an object that cannot be pickled.  Source: torch.save.
    """
    if not isinstance(f, (str, os.PathLike)):
        if not hasattr(f, "write"):
            raise AttributeError(
                "expected 'f' to be string, path, or a file-like object with a 'write' attribute"
            )
        with _shown(f, "gnomon.save", None, progress) as (file, expect):
            write_checkpoint(obj, file, "archive", pickle_module, pickle_protocol, expect)
        if hasattr(f, "flush"):
            f.flush()
        return
    path = Path(f)
    with replacing(path) as opened, _shown(opened, path.name, None, progress) as (file, expect):
        if path.suffix == ".safetensors":
            file.write(safetensors_files.encode(_tensors(obj, path)))
        elif path.suffix == ".npy":
            if not isinstance(obj, gn.Tensor):
                raise TypeError(f"gnomon.save: {path} can hold only one Tensor, got {type_name(obj)}")
            arrays.write_npy(obj, file)
        elif path.suffix == ".npz":
            arrays.write_npz(_tensors(obj, path), file)
        else:
            write_checkpoint(obj, file, path.stem, pickle_module, pickle_protocol, expect)


@contextlib.contextmanager
def _shown(
    file: IO[bytes], text: str, nbytes: int | None, progress: bool
) -> Iterator[tuple[Any, Callable[[int], None] | None]]:
    """The file, with a progress bar if there is to be one, and what is told the number of bytes."""
    if not progress:
        yield file, None
        return
    with counted(file, text, nbytes) as made:
        yield made, made.expect


def load(
    f: str | os.PathLike[str] | IO[bytes],
    map_location: MapLocation = None,
    pickle_module: Any = None,
    *,
    weights_only: bool | None = True,
    mmap: bool | None = None,
    progress: bool = False,
    **pickle_load_args: Unpack[PickleLoadArgs],
) -> Any:
    """Load an object from a file that ``gnomon.save`` or ``torch.save`` has written.

    ``f`` is a path, or a file that is open for reading and can seek; what it has from its position on is the
    file.  ``map_location`` says where the tensors are to be: a device, a dict from saved devices to others,
    or a function of a storage in host memory and the saved device, which returns a storage or None.  By
    default they are on the device where they were; "cpu" is the default device if that is a host.

    ``weights_only=True`` reads tensors, Python's numbers, strings and containers, and what
    ``gnomon.serialization.add_safe_globals`` allows; no code of the file's author is run.  With False, a file
    can hold any object, and run any code: use it only for files that you trust.  Only then, other arguments
    go to ``pickle_module.Unpickler``.

    ``mmap=True`` maps the file into memory, and reads numbers only when they are used; writes to the tensors
    do not change the file.  Such data is not compared with its checksum.

    A path with the ending ``.safetensors`` or ``.npz`` gives a dict of tensors, ``.npy`` a tensor.

    ``progress=True`` shows a progress bar of the bytes on stderr.  It requires the package rich, and raises
    ImportError without it.

    Raises RuntimeError for a file that is truncated, corrupt, or of another format, and for a device that
    does not exist here; pickle.UnpicklingError for a file with something that is not allowed; ValueError for
    ``mmap`` with an open file.  Source: torch.load.
    """
    weights_only = weights_only is None or weights_only
    if weights_only and pickle_module is not None:
        raise RuntimeError("Can not safely load weights when explicit pickle_module is specified")
    if weights_only and pickle_load_args:
        warn("pickle_load_args only works if `weights_only=False`.")
    arguments = (map_location, pickle_module or pickle, weights_only, bool(mmap), dict(pickle_load_args))
    if not isinstance(f, (str, os.PathLike)):
        if mmap:
            raise ValueError("f must be a file path in order to use the mmap argument")
        _check_seekable(f)
        label = (
            f"the file {f.name!r}" if isinstance(getattr(f, "name", None), str) else f"this {type_name(f)}"
        )
        _check_format(f, label)
        with _shown(f, "gnomon.load", _nbytes_left(f), progress) as (file, _):
            return read_checkpoint(file, label, *arguments)
    path = Path(f)
    with open(path, "rb") as opened, _shown(opened, path.name, _nbytes_left(opened), progress) as (file, _):
        if path.suffix in (".safetensors", ".npy", ".npz"):
            where = _device_of(map_location, path)
            if path.suffix == ".safetensors":
                return safetensors_files.decode(file.read(), str(path), where)
            read = arrays.read_npy if path.suffix == ".npy" else arrays.read_npz
            return read(file, str(path), where)
        _check_format(file, str(path))
        return read_checkpoint(file, str(path), *arguments)


def _nbytes_left(file: IO[bytes]) -> int:
    """How many bytes there are from the file's position on."""
    start = file.tell()
    nbytes = file.seek(0, os.SEEK_END) - start
    file.seek(start)
    return nbytes


def _tensors(obj: object, path: Path) -> dict[str, gn.Tensor]:
    """``obj``, if it is a dict of tensors by names.  Raises TypeError for any other object."""
    if not isinstance(obj, Mapping):
        raise TypeError(f"gnomon.save: {path} can hold only a dict of Tensors, got {type_name(obj)}")
    for name, tensor in obj.items():
        if not isinstance(name, str) or not isinstance(tensor, gn.Tensor):
            raise TypeError(
                f"gnomon.save: {path} can hold only a dict of Tensors by names, got {name!r}: "
                f"{type_name(tensor)}"
            )
    return dict(obj)


def _device_of(map_location: Any, path: Path) -> Any:
    """The device for a file without saved devices."""
    if map_location is not None and not isinstance(map_location, (str, gn.device)):
        kind = "dict" if isinstance(map_location, dict) else "callable"
        raise RuntimeError(
            f"Loading {path.suffix[1:]} file with {kind} map_location is not supported. Use a device string "
            "or gnomon.device instead."
        )
    return map_location


def _check_seekable(f: Any) -> None:
    try:
        f.seek(f.tell())
    except (io.UnsupportedOperation, AttributeError) as error:
        raise type(error)(
            f"{error}. You can only gnomon.load from a file that is seekable. Please pre-load the data into "
            "a buffer like io.BytesIO and try to load from it instead."
        ) from None


def _check_format(file: IO[bytes], label: str) -> None:
    """Raises RuntimeError unless a zip file starts here."""
    start = file.tell()
    first = file.read(16)
    file.seek(start)
    if first.startswith(_ZIP):
        return
    if first[2:].startswith(_LEGACY):
        raise RuntimeError(
            f"gnomon.load: {label} is in PyTorch's legacy format (before 1.6), which gnomon does not read. "
            "Load it in PyTorch, and save it again with torch.save."
        )
    raise RuntimeError(f"gnomon.load: {label} is no file that gnomon.save or torch.save has written")


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A file to write to, which becomes ``path`` after the block; after an error, nothing has changed.

    Raises RuntimeError if the directory does not exist.
    """
    target = Path(os.path.realpath(path))  # a symbolic link stays one
    if not target.parent.is_dir():
        raise RuntimeError(f"Parent directory {path.parent} does not exist.")
    if target.exists() and not target.is_file():  # such as /dev/null, or a directory: the error is open's
        with open(target, "wb") as file:
            yield file
        return
    temporary = target.with_name(f".gnomon-{secrets.token_hex(8)}.tmp")
    try:
        with open(temporary, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, temporary)
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    sync_directory(target.parent)


def sync_directory(directory: Path) -> None:
    """Make the names in a directory permanent, as that of a new file."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
