"""The accelerator's devices and streams.  Source: torch.accelerator."""

from __future__ import annotations

from typing import Any

from ..memory.backend import (
    backend_status,
    get_backend,
    get_default_device,
    get_device_module,
    resolve_device,
    set_default_device,
)
from ..values import late_bound
from ..values.device import device as Device
from ..values.dtype import ALL, dtype
from ..values.errors import type_name, warn

ACCELERATOR = "cuda"


def is_available() -> bool:
    """Is there a usable accelerator: a device that computes beside the host?  Never raises."""
    return backend_status(ACCELERATOR)[1]


def current_accelerator(check_available: bool = False) -> Device | None:
    """The accelerator, without an index; None if there is none."""
    return Device(ACCELERATOR) if is_available() else None


def device_count() -> int:
    """The number of devices of the accelerator; 0 if there is none."""
    return get_backend(ACCELERATOR).device_count() if is_available() else 0


def check_available() -> None:
    """Raises RuntimeError if there is no accelerator."""
    if not is_available():
        raise RuntimeError("Cannot access accelerator device when none is available.")


def _find_accelerator() -> str:
    check_available()
    return ACCELERATOR


late_bound.find_accelerator = _find_accelerator


def current_device_index() -> int:
    """The index of the default device if that is an accelerator, else 0.

    Raises RuntimeError if there is no accelerator.
    """
    check_available()
    chosen = get_default_device()
    return (chosen.index or 0) if chosen.type == ACCELERATOR else 0


def current_device_idx() -> int:
    """``current_device_index``.  Warns (FutureWarning)."""
    warn("Use `current_device_index` instead.", FutureWarning)
    return current_device_index()


def index_of(device: Any, is_optional: bool = True) -> int:
    """The index of a device of the accelerator: a number, a device or its name; None is the current one.

    Raises RuntimeError if there is no accelerator, ValueError for another device, and unless ``is_optional``
    for one without an index.
    """
    check_available()
    if isinstance(device, int):
        return device
    found = None if device is None else Device(device)
    if found is not None and found.type != ACCELERATOR:
        raise ValueError(f"{found.type} doesn't match the current accelerator {ACCELERATOR}.")
    if found is not None and found.index is not None:
        return found.index
    if not is_optional:
        raise ValueError(f"Expected a gnomon.device with a specified index or an integer, but got:{device}")
    return current_device_index()


def set_device_index(device: Any, /) -> None:
    """Makes a device of the accelerator the default device; a negative index changes nothing.

    Raises RuntimeError if there is no accelerator, ValueError for another device, or one without an index.
    """
    index = index_of(device, is_optional=False)
    if index >= 0:
        set_default_device(f"{ACCELERATOR}:{index}")


def set_device_idx(device: Any, /) -> None:
    """``set_device_index``.  Warns (FutureWarning)."""
    warn("Use `set_device_index` instead.", FutureWarning)
    set_device_index(device)


class device_index:
    """``with device_index(1):`` makes a device of the accelerator the default one; None changes nothing.

    Entering it raises RuntimeError if there is no such device.  Source: torch.accelerator.device_index.
    """

    def __init__(self, device: int | None, /) -> None:
        self.idx = device

    def __enter__(self) -> None:
        if self.idx is not None:
            check_available()
            resolve_device(f"{ACCELERATOR}:{self.idx}").__enter__()

    def __exit__(self, *exc_info: object) -> None:
        if self.idx is not None:
            Device(ACCELERATOR, self.idx).__exit__(*exc_info)


def get_device_capability(device: Any = None, /) -> dict[str, Any]:
    """``{"supported_dtypes": …}``: the set of dtypes that tensors on the device can have.

    Raises RuntimeError if there is no accelerator.
    """
    index_of(device)
    supported: set[dtype] = set(ALL)
    return {"supported_dtypes": supported}


def current_stream(device: Any = None, /) -> Any:
    """This thread's current stream on a device of the accelerator.  Raises RuntimeError if there is none."""
    index = index_of(device)
    return get_device_module(ACCELERATOR).current_stream(index)


def set_stream(stream: Any) -> None:
    """Makes a stream this thread's current one on its device.

    If the default device is one of the accelerator's, the stream's device becomes it.  Raises TypeError for
    another object, RuntimeError if there is no accelerator.
    """
    if not hasattr(stream, "wait_stream"):
        raise TypeError(f"set_stream(): argument 'stream' must be a stream, not {type_name(stream)}")
    check_available()
    get_device_module(ACCELERATOR).set_stream(stream)
    if get_default_device().type == ACCELERATOR:
        set_device_index(stream.device_index)
