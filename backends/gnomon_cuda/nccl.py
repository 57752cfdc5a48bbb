"""NCCL, opened at first use if it is available: collectives between GPUs.

Source: NVIDIA Collective Communication Library documentation (API, group calls).
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from . import emulation
from .compiler import package_folders, toolkit_folders
from .driver import Driver
from .errors import NcclError

# Names are NVIDIA's; communicators, streams and addresses are integers here, as in driver.py.
_DECLARATIONS = """
typedef struct { char internal[128]; } ncclUniqueId;
int ncclGetVersion(int *version);
const char *ncclGetErrorString(int status);
const char *ncclGetLastError(uintptr_t communicator);
int ncclGetUniqueId(ncclUniqueId *id);
int ncclCommInitRank(uintptr_t *communicator, int ranks, ncclUniqueId id, int rank);
int ncclCommDestroy(uintptr_t communicator);
int ncclGroupStart(void);
int ncclGroupEnd(void);
int ncclAllReduce(uintptr_t from, uintptr_t to, size_t count, int type, int operation, uintptr_t communicator,
                  uintptr_t stream);
int ncclBroadcast(uintptr_t from, uintptr_t to, size_t count, int type, int root, uintptr_t communicator,
                  uintptr_t stream);
int ncclReduce(uintptr_t from, uintptr_t to, size_t count, int type, int operation, int root,
               uintptr_t communicator, uintptr_t stream);
int ncclAllGather(uintptr_t from, uintptr_t to, size_t count, int type, uintptr_t communicator,
                  uintptr_t stream);
int ncclReduceScatter(uintptr_t from, uintptr_t to, size_t count, int type, int operation,
                      uintptr_t communicator, uintptr_t stream);
int ncclSend(uintptr_t from, size_t count, int type, int peer, uintptr_t communicator, uintptr_t stream);
int ncclRecv(uintptr_t to, size_t count, int type, int peer, uintptr_t communicator, uintptr_t stream);
"""

# NVIDIA's numbers of dtypes.
TYPES = {
    "int8": 0,
    "uint8": 1,
    "int32": 2,
    "uint32": 3,
    "int64": 4,
    "uint64": 5,
    "float16": 6,
    "float32": 7,
    "float64": 8,
    "bfloat16": 9,
}
UNIQUE_ID_BYTES = 128


class Nccl:
    """An opened library, for the devices of one driver.

    Raises OSError or AttributeError if the file is not such a library.
    """

    def __init__(self, driver: Driver, path: str | os.PathLike[str]):
        import cffi

        self.driver = driver
        self.path = os.fspath(path)
        self._ffi = cffi.FFI()
        attach = "int gn_emulation_attach(const char *path);" if driver.emulated else ""
        self._ffi.cdef(_DECLARATIONS + attach)
        self._lib = self._ffi.dlopen(self.path)
        if driver.emulated and not self._lib.gn_emulation_attach(driver.path.encode()):
            raise OSError(f"{driver.path}: not an emulated driver that is open")

    def version(self) -> int:
        """Its version, such as 22105 for 2.21.5."""
        answer = self._ffi.new("int *")
        self._check(self._lib.ncclGetVersion(answer), "ncclGetVersion", 0)
        return answer[0]

    def unique_id(self) -> bytes:
        """What one rank makes, and all must have, to become a communicator."""
        made = self._ffi.new("ncclUniqueId *")
        self._check(self._lib.ncclGetUniqueId(made), "ncclGetUniqueId", 0)
        return bytes(self._ffi.buffer(made))

    def communicator(self, ranks: int, unique_id: bytes, rank: int) -> int:
        """This rank's part of a communicator, on the current device.  All ranks must ask for it."""
        given = self._ffi.new("ncclUniqueId *")
        self._ffi.buffer(given)[:] = unique_id
        answer = self._ffi.new("uintptr_t *")
        self._check(self._lib.ncclCommInitRank(answer, ranks, given[0], rank), "ncclCommInitRank", 0)
        return answer[0]

    def destroy(self, communicator: int) -> None:
        """Gives it back."""
        self._check(self._lib.ncclCommDestroy(communicator), "ncclCommDestroy", communicator)

    def call(self, function: str, communicator: int, *arguments: int) -> None:
        """Calls one of the declared functions, which ends with the communicator and a stream.

        Raises NcclError.
        """
        *given, stream = arguments
        status = getattr(self._lib, function)(*given, communicator, stream)
        self._check(status, function, communicator)

    def group(self) -> _Group:
        """``with nccl.group():`` the calls inside begin together, at its end."""
        return _Group(self)

    def _check(self, status: int, function: str, communicator: int) -> None:
        if status:
            words = self._ffi.string(self._lib.ncclGetErrorString(status)).decode()
            last = self._ffi.string(self._lib.ncclGetLastError(communicator)).decode()
            raise NcclError(f"{function}: {words} ({status}){': ' + last if last else ''}")


class _Group:
    """The context manager of ``Nccl.group``."""

    def __init__(self, nccl: Nccl):
        self._nccl = nccl

    def __enter__(self) -> None:
        self._nccl._check(self._nccl._lib.ncclGroupStart(), "ncclGroupStart", 0)

    def __exit__(self, *exception: object) -> None:
        status = self._nccl._lib.ncclGroupEnd()
        if exception[0] is None:
            self._nccl._check(status, "ncclGroupEnd", 0)


_LIBRARY = re.compile(r"libnccl\.so\.2")


def find() -> list[str]:
    """The candidates, the best first: only the file of ``GNOMON_NCCL`` if that is set ("0": none); else those
    of packages, of toolkits, and of the system's loader.
    """
    chosen = os.environ.get("GNOMON_NCCL", "")
    if chosen:
        return [] if chosen == "0" else [chosen]
    folders = [place / "lib" for place in package_folders()]
    for place in toolkit_folders():
        folders += [place / "lib64", place / "lib"]
    found = [str(path) for place in folders for path in sorted(Path(place).glob("libnccl.so.2*"))]
    return [*dict.fromkeys(each for each in found if _LIBRARY.search(each)), "libnccl.so.2"]


def load(driver: Driver) -> Nccl | None:
    """The library for a driver; None if there is none: then tensors travel over the host.

    For the emulated driver ``GNOMON_CUDA_EMULATED_NCCL=1`` selects an emulated library.
    """
    if driver.emulated:
        if os.environ.get("GNOMON_CUDA_EMULATED_NCCL", "0") in ("", "0"):
            return None
        return Nccl(driver, emulation.build_nccl())
    for path in find():
        try:
            return Nccl(driver, path)
        except (OSError, AttributeError):
            continue
    return None
