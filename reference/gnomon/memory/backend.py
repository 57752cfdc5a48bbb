"""Backends: the built-in ones, how others are found, loaded and registered, and the default device.

A package offers a backend by an entry point in the group ``gnomon.backends``. The entry point's name is the
backend's name, and its value is a Backend (memory/contract.py) or a function that returns one. A backend is
loaded when it is first named. One that fails to load, or does not fulfil the contract, is unavailable, and
nothing else is affected.
"""

from __future__ import annotations

import importlib
import os
import threading
from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

from ..values import late_bound
from ..values.device import device, scoped_device
from ..values.dtype import LIMITED
from ..values.errors import BackendUnavailableError, OutOfMemoryError, unknown_name, warn
from ..values.locks import held_over_fork
from . import plug_ins

# The contract's names can be imported from this module as well.
from .contract import CONTRACT_VERSION as CONTRACT_VERSION
from .contract import EXTRA_TRAITS as EXTRA_TRAITS
from .contract import OLDEST_CONTRACT_SERVED as OLDEST_CONTRACT_SERVED
from .contract import TRAITS as TRAITS
from .contract import USUAL_TRAITS as USUAL_TRAITS
from .contract import Backend as Backend
from .contract import Claim as Claim
from .contract import check_declaration
from .contract import offers_of as offers_of
from .contract import place_of as place_of
from .contract import version_of as version_of

_lock = held_over_fork(threading.RLock())
_backends: dict[str, Backend] = {}
_broken: dict[str, str] = {}  # name -> why it did not load
_plug_ins: plug_ins.Offers | None = None
_num_threads: int | None = None  # set by the user; applies also to backends that are loaded later
_by_device_type: dict[str, Backend] = {}

AnyBackend = TypeVar("AnyBackend", bound=Backend)


def register_backend(backend: AnyBackend) -> AnyBackend:
    """Register ``backend`` under its name; backends of entry points are registered by it as well.

    Raises TypeError or ValueError if its declarations do not fulfil the contract, and ValueError if another
    backend has its device type.
    """
    check_declaration(backend)
    with _lock:
        holder = _by_device_type.get(backend.device_type, backend).name
        if backend.device_type != backend.name and backend.device_type in backend_names():
            holder = backend.device_type  # which may not have been loaded yet
        if holder != backend.name:
            raise ValueError(
                f"backend {backend.name!r}: device_type {backend.device_type!r} is already used by {holder!r}"
            )
        if _num_threads is not None and backend.host_memory:
            backend.set_num_threads(_num_threads)
        _backends[backend.name] = backend
        _by_device_type[backend.device_type] = backend
        _broken.pop(backend.name, None)
    late_bound.forget_calls()  # a kernel may be another one now
    return backend


def _find_plug_ins() -> plug_ins.Offers:
    global _plug_ins
    if _plug_ins is None:
        with _lock:
            _plug_ins = plug_ins.find()
    return _plug_ins


def backend_names() -> list[str]:
    """Names of all backends, built-in and installed, including those that do not work."""
    offers = _find_plug_ins()
    names = {*_backends, *offers.entry_points, *offers.refused}
    return sorted(names, key=lambda name: (name not in _backends, name))


def shipped_backend_names() -> list[str]:
    """Names of the built-in backends and of those in gnomon's distribution."""
    return [*plug_ins.BUILT_IN, *_find_plug_ins().shipped]


def opened_backends() -> list[Backend]:
    """The available backends that have been loaded so far, including the built-in ones."""
    found = [backend_status(name) for name in list(_backends)]
    return [backend for backend, available, _ in found if backend is not None and available]


def is_loaded(name: str) -> bool:
    """Whether loading the backend of that name has been attempted."""
    return name in _backends or name in _broken


def is_installed(name: str) -> bool:
    """Whether a backend of that name is built in or an installed package has an entry point for it."""
    return name in plug_ins.BUILT_IN or find_entry_point(name) is not None


def find_entry_point(name: str) -> Any:
    """The entry point of the backend of that name; None if no distribution has one."""
    if name in plug_ins.SHIPPED:
        return plug_ins.SHIPPED[name]
    return _find_plug_ins().entry_points.get(name)


def _load(name: str) -> Backend | None:
    """The backend of that name, loaded on first use; None if it does not exist or fails to load."""
    with _lock:
        if name in _backends:
            return _backends[name]
        entry_point = find_entry_point(name)
        if name in _broken or entry_point is None:
            return None
        backend, reason = plug_ins.guarded(lambda: register_backend(_made_by(entry_point)))
        if reason:
            _broken[name] = reason
        return backend


def _made_by(entry_point: Any) -> Backend:
    """The Backend of an entry point: its value, or what that returns if it is a function or class."""
    loaded = entry_point.load()
    if callable(loaded) and not isinstance(loaded, Backend):  # a class or a function
        loaded = loaded()
    name = getattr(loaded, "name", loaded)
    if name != entry_point.name:
        raise ValueError(
            f"entry point {entry_point.name!r} must refer to a backend of that name, got {name!r}"
        )
    return loaded


def _availability(backend: Backend) -> tuple[bool, str]:
    """Whether ``backend`` is available, and if not, why: its own reason, or what it raised."""
    count, reason = _count_devices(backend)
    return count > 0, reason


def _count_devices(backend: Backend) -> tuple[int, str]:
    """The number of devices of ``backend``; if it is not available, 0 and the reason."""
    with _lock:  # the backend may import modules
        said, reason = _asked(backend.is_available)
        if reason:
            return 0, reason
        try:
            available, why = said
            if not available:
                return 0, str(why)
        except Exception as error:  # unpacking or bool() may raise anything
            return 0, f"is_available must return a bool and a str, got {plug_ins.reason_of(error)}"
        count, reason = _asked(backend.device_count)
    if not isinstance(count, int) or count < 1:
        return 0, f"device_count must be a positive int, got {reason or repr(count)}"
    return count, ""


def _asked(question: Callable[[], Any]) -> tuple[Any, str]:
    """The result of a backend's function and ""; if it raises, None and the reason.

    A KeyboardInterrupt may come from the user or from the function itself. Calling it again under a signal
    handler (``guarded``) tells them apart; always installing the handler would be slower.
    """
    try:
        return question(), ""
    except KeyboardInterrupt:
        _, reason = plug_ins.guarded(question)
        if not reason:  # the user's
            raise
        return None, reason
    except BaseException as error:
        return None, plug_ins.reason_of(error)


def backend_status(name: str) -> tuple[Backend | None, bool, str]:
    """The backend of that name (None if it does not load), whether it is available, and if not, why.

    This imports the backend's package.
    """
    backend = _load(name)
    if backend is None:
        refused = _find_plug_ins().refused.get(name, "not installed")
        return None, False, _broken.get(name, refused)
    return backend, *_availability(backend)


def get_backend(name: str) -> Backend:
    """The backend of that name.

    Raises BackendUnavailableError, with the most similar name if it does not exist, or why it cannot run.
    """
    backend, available, reason = backend_status(name)
    if available and backend is not None:
        return backend
    if name not in backend_names():
        raise BackendUnavailableError(unknown_name("backend", name, [*backend_names(), "cpu"]))
    raise _unavailable(name, reason)


def _unavailable(name: str, reason: Any) -> BackendUnavailableError:
    return BackendUnavailableError(f"backend {name!r} is not available: {reason}")


def find_device_module(device_type: str) -> Any:
    """The ``device_module`` of a device type's backend, even if it is unavailable; None if it has none."""
    backend = _load(device_type) if device_type in backend_names() else None
    name = "" if backend is None else backend.device_module
    return importlib.import_module(name) if name else None


def get_device_module(device: device | str | int | None = None) -> Any:
    """The module of functions of a device's backend, such as ``gn.cuda``; None means the default device.

    Raises RuntimeError if the backend has no such module.  Source: torch.get_device_module.
    """
    kind = str(get_default_device() if device is None else device).partition(":")[0]
    module = find_device_module(kind)
    if module is None:
        raise RuntimeError(f"get_device_module: the backend of {kind!r} has no device module")
    return module


def backend_of(device: device) -> Backend:
    """The backend of a device, loaded on first use.  Raises BackendUnavailableError."""
    found = _by_device_type.get(device.type)
    return found if found is not None else get_backend(device.type)


def claim_of(backend: Backend, operator: str) -> Claim | None:
    """The claim of ``backend`` for ``operator``, even if it has no kernel; None: it claims nothing."""
    if operator not in backend.capabilities:
        return Claim() if operator in backend.kernels else None
    said = backend.capabilities[operator]
    return said if isinstance(said, Claim) else Claim(said)


_NAMES_OF_LIMITED = frozenset(each.name for each in LIMITED)


def claims(backend: Backend, operator: str, dtype_name: str, dense: bool = False) -> bool:
    """Whether ``backend`` has a kernel of ``operator`` and claims it for this dtype.

    A dtype of LIMITED is claimed only by its name.
    ``dense``: all tensors of the call are contiguous.
    """
    if operator not in backend.kernels:
        return False
    said = backend.capabilities.get(operator)
    names = said.dtypes if isinstance(said, Claim) else said
    if names is None:
        is_claimed = dtype_name not in _NAMES_OF_LIMITED or backend is reference_backend
    else:
        is_claimed = dtype_name in names
    return is_claimed and (dense or not isinstance(said, Claim) or said.strided)


# ---------------------------------------------------------------------------------------------------------
# The default device: the innermost `with device(...)`, else set_default_device, else GNOMON_BACKEND, else
# `cpu`.

_default_device: device | None = None
_cpu_device: device | None = None


def set_default_device(device_or_name: device | str | int | None) -> None:
    """Set the device of new tensors; None restores the initial choice.

    Raises BackendUnavailableError if the backend does not exist (with the most similar name) or cannot run.
    """
    global _default_device
    _default_device = None if device_or_name is None else resolve_device(device_or_name)
    late_bound.forget_calls()


def get_default_device() -> device:
    """The device of new tensors."""
    scoped = scoped_device()
    if scoped is not None:
        return resolve_device(scoped)
    if _default_device is None:
        set_default_device(_initial_device())
    return _default_device  # type: ignore[return-value]


def _initial_device() -> device:
    name = os.environ.get("GNOMON_BACKEND", "").strip()
    if name in ("", "cpu"):
        return device("cpu")
    kind = name.partition(":")[0]
    _, available, reason = backend_status(kind)
    if not available and kind in backend_names():
        # the choice was made outside the program: warn, and let the program run
        _warn_unavailable(name, reason, "reference")
        return device("reference")
    return device(name)


def _warn_unavailable(name: str, reason: str, instead: str) -> None:
    warn(f"gnomon: backend {name!r} is not available: {reason}; running on {instead!r}")


def resolve_device(device_or_name: device | str | int | None) -> device:
    """The device that a tensor stores: aliases are replaced, the index is normalised, its backend is loaded.

    None means the default device.  ``cpu`` is the fastest available backend with host memory that ships with
    gnomon; other backends are used only by name.
    Raises BackendUnavailableError, or RuntimeError if no device has the index.
    """
    if _shadow_is_due:
        _start_shadow()
    if device_or_name is None:
        return get_default_device()
    asked = device(device_or_name)
    if asked.type == "cpu":
        return _resolve_cpu()
    backend = _by_device_type.get(asked.type)
    if backend is None:
        backend = get_backend(asked.type)
    count, reason = _count_devices(backend)
    if not count:
        raise _unavailable(backend.name, reason)
    if asked.index is not None and asked.index >= count:
        raise RuntimeError(f"device '{asked}' does not exist: backend {backend.name!r} has {count} device(s)")
    if count == 1:
        return device(asked.type)
    return device(asked.type, asked.index or 0)


_shadow_is_due = bool(os.environ.get("GNOMON_SHADOW"))


def _start_shadow() -> None:
    """Start the shadow run of ``GNOMON_SHADOW``, before the first tensor exists.

    Raises RuntimeError if no package provides the observer.
    """
    global _shadow_is_due
    _shadow_is_due = False  # the observer resolves devices, too
    try:
        observer = plug_ins.offered("gnomon.observers").get("shadow")
        if observer is None:
            raise RuntimeError(
                "GNOMON_SHADOW requires additional packages: pip install 'gnomon[conformance]'"
            )
        observer.load()()
    except BaseException:
        _shadow_is_due = True
        raise


def _find_device(asked: device) -> device:
    """``resolve_device``, or the device unchanged if it is not available here."""
    try:
        return resolve_device(asked)
    except RuntimeError:  # there is no such device here, or no such backend
        return asked


late_bound.find_device = _find_device


def set_num_threads(count: int) -> None:
    """Set how many threads a call with enough work uses, on all backends with host memory.

    Raises TypeError if count is not an int, RuntimeError if it is below 1 or above 2**31 - 1.

    Source: torch.set_num_threads.
    """
    if not isinstance(count, int) or isinstance(count, bool):
        raise TypeError(f"set_num_threads expects an int, but got {type(count).__name__}")
    if count < 1:
        raise RuntimeError(f"set_num_threads expects a positive integer, got {count}")
    if count >= 2**31:
        raise RuntimeError(f"set_num_threads expects less than 2**31, got {count}")
    global _num_threads
    resolve_device("cpu")  # load its backend, so that it is among those below
    with _lock:
        _num_threads = count
        for backend in opened_backends():
            if backend.host_memory:
                backend.set_num_threads(count)


def get_num_threads() -> int:
    """How many threads a call with enough work uses, on the backend of ``cpu``.

    Source: torch.get_num_threads.
    """
    return backend_of(resolve_device("cpu")).num_threads()


def _resolve_cpu() -> device:
    global _cpu_device
    if _cpu_device is None:
        with _lock:
            _cpu_device = _find_cpu_device()
    return _cpu_device


def name_default_device_cpu() -> device:
    """Make ``cpu`` the name of the default device from now on, instead of a word that stands for it.

    Then ``tensor.device.type`` is "cpu", as programs for PyTorch expect.  Nothing changes if the default
    device's memory is not the host's.  Returns that device.
    """
    global _cpu_device
    host = get_default_device()
    backend = backend_of(host)
    if backend.host_memory and host.type != "cpu":
        with _lock:
            host.type = backend.device_type = "cpu"
            _by_device_type["cpu"] = backend
            device._interned["cpu", None] = _cpu_device = host
    return host


def _find_cpu_device() -> device:
    best: Backend = _backends["reference"]
    missing = {}
    for name in filter(is_installed, plug_ins.SHIPPED_HOSTS):
        backend, available, reason = backend_status(name)
        if backend is None or not available:
            missing[name] = reason
        elif backend.speed_rank > best.speed_rank:
            best = backend
    for name, reason in missing.items():
        _warn_unavailable(name, reason, best.name)
    return device(best.device_type)


# ---------------------------------------------------------------------------------------------------------
# The two built-in backends.


class ReferenceBackend(Backend):
    """The reference: memory in bytearrays; its kernels come from the operators' records."""

    contract_version = CONTRACT_VERSION
    name = "reference"
    device_type = "reference"
    host_memory = True
    # (operator, kernel) -> file and line of the operator's record
    sources: ClassVar[dict[tuple[str, Callable[..., Any]], str]] = {}

    def __init__(self) -> None:
        self.kernels: dict[str, Callable[..., Any]] = {}
        self.capabilities: dict[str, tuple[str, ...] | None] = {}

    def kernel_source(self, operator: str) -> str:
        """File and line of the operator's record, because many kernels are the same loop."""
        return self.sources.get((operator, self.kernels[operator])) or super().kernel_source(operator)

    def allocate(self, nbytes: int, index: int) -> bytearray:
        try:
            return bytearray(nbytes)
        except (MemoryError, OverflowError):
            raise OutOfMemoryError(f"reference: can not allocate {nbytes} bytes") from None

    def copy_in(self, memory: bytearray, offset: int, data: memoryview) -> None:
        memoryview(memory)[offset : offset + data.nbytes] = data.cast("B")

    def copy_out(self, memory: bytearray, offset: int, nbytes: int) -> memoryview:
        return memoryview(memory)[offset : offset + nbytes]

    def host_view(self, memory: bytearray, nbytes: int) -> memoryview:
        return memoryview(memory)

    def wrap_host_memory(self, data: memoryview, address: int) -> memoryview:
        return data

    def address(self, memory: Any) -> int:
        import ctypes  # the standard library's way to get an address; imported only when one is requested

        return ctypes.addressof(ctypes.c_char.from_buffer(memory)) if memory else 0


class MetaBackend(Backend):
    """No memory: operators compute sizes, strides and dtypes, but no values.

    Source: device='meta'.
    """

    contract_version = CONTRACT_VERSION
    name = "meta"
    device_type = "meta"

    def allocate(self, nbytes: int, index: int) -> None:
        return None

    def copy_in(self, memory: None, offset: int, data: memoryview) -> None:
        return None

    def copy_out(self, memory: None, offset: int, nbytes: int) -> bytes:
        raise NotImplementedError("Cannot copy out of meta tensor; no data!")

    def copy_between(self, to: None, source: None, nbytes: int) -> None:
        return None

    def address(self, memory: None) -> int:
        return 0


reference_backend = register_backend(ReferenceBackend())
meta_backend: Backend = register_backend(MetaBackend())
