"""Devices: how many there are, what they can do, and which one is current.  Source: torch.cuda."""

from __future__ import annotations

from typing import Any, NamedTuple

from gnomon.memory.backend import (
    backend_status,
    get_backend,
    get_default_device,
    resolve_device,
    set_default_device,
)
from gnomon.values.device import device as Device

from ..streams import on_device

DeviceLike = Device | int | str | None


def runtime() -> Any:
    """The backend's Runtime.  Raises BackendUnavailableError without a usable GPU."""
    return get_backend("cuda").runtime  # type: ignore[attr-defined]


def index_of(device: DeviceLike) -> int:
    """The index of a device; None is the default device if that is a GPU, else the first one.

    Raises ValueError for a device that is no GPU, RuntimeError for one that does not exist,
    BackendUnavailableError without a usable GPU.
    """
    if device is None:
        chosen = get_default_device()
        return (chosen.index or 0) if chosen.type == "cuda" else 0
    found = resolve_device(f"cuda:{device}" if isinstance(device, int) else device)
    if found.type != "cuda":
        raise ValueError(f"gn.cuda: expected a CUDA device, got {str(found)!r}")
    return found.index or 0


def is_available() -> bool:
    """Is there a usable GPU?  Never raises."""
    return backend_status("cuda")[1]


def device_count() -> int:
    """The number of GPUs; 0 if none is usable."""
    return get_backend("cuda").device_count() if is_available() else 0


def init() -> None:
    """Opens the driver, which is otherwise done when it is needed."""
    runtime()


def is_initialized() -> bool:
    """Has the driver been opened?  Without a usable GPU it never is."""
    return is_available()


def current_device() -> int:
    """The index of the default device if that is a GPU, else 0."""
    runtime()
    return index_of(None)


def set_device(device: DeviceLike) -> None:
    """Makes a GPU the default device for new tensors; a negative index does nothing.

    Raises ValueError for a device that is no GPU.
    """
    if not isinstance(device, int) or device >= 0:
        set_default_device(f"cuda:{index_of(device)}")


class device:
    """``with gn.cuda.device(1):`` makes a GPU the default device for new tensors.

    A negative index does nothing, also without a usable GPU.  Raises ValueError for a device that is no GPU;
    entering it raises RuntimeError for one that does not exist.  Source: torch.cuda.device.
    """

    def __init__(self, device: DeviceLike):
        if device is not None and not isinstance(device, int):
            device = Device(device)
            if device.type != "cuda":
                raise ValueError(f"Expected a cuda device, but got: {device}")
            device = device.index
        self.idx = device if device is not None else index_of(None)

    def __enter__(self) -> None:
        if self.idx >= 0:
            resolve_device(f"cuda:{self.idx}").__enter__()

    def __exit__(self, *exception: object) -> None:
        if self.idx >= 0:
            Device("cuda", self.idx).__exit__(*exception)


class device_of(device):
    """``with gn.cuda.device_of(x):`` makes the GPU of a tensor the default device; of others, nothing."""

    def __init__(self, obj: Any):
        super().__init__(obj.get_device() if obj.is_cuda else -1)


def get_device_name(device: DeviceLike = None) -> str:
    """The product name of a device."""
    index = index_of(device)
    return runtime().driver.device_name(index)


def get_device_capability(device: DeviceLike = None) -> tuple[int, int]:
    """The compute capability of a device: major and minor number."""
    index = index_of(device)
    driver = runtime().driver
    major, minor = (driver.attribute(index, f"compute_capability_{part}") for part in ("major", "minor"))
    return major, minor


class DeviceProperties(NamedTuple):
    """What ``get_device_properties`` returns."""

    name: str
    major: int
    minor: int
    total_memory: int  # bytes
    multi_processor_count: int


def get_device_properties(device: DeviceLike = None) -> DeviceProperties:
    """Name, compute capability, memory and multiprocessors of a device."""
    index = index_of(device)
    driver = runtime().driver
    processors = driver.attribute(index, "multiprocessor_count")
    with on_device(driver, index):
        total = driver.memory_info()[1]
    return DeviceProperties(get_device_name(index), *get_device_capability(index), total, processors)


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Can the GPU compute with bfloat16?  gnomon's kernels compute in float32 and can on every GPU."""
    return is_available() and (including_emulation or get_device_capability() >= (8, 0))


def is_tf32_supported() -> bool:
    """Can the GPU round float32 factors to TF32?"""
    return is_bf16_supported(including_emulation=False)


def get_arch_list() -> list[str]:
    """The architectures that kernels are compiled for when they are needed: those of the GPUs here."""
    found = {runtime().driver.architecture(index) for index in range(device_count())}
    return sorted(found)


def get_gencode_flags() -> str:
    """The same as flags of NVIDIA's compiler."""
    numbers = [each.removeprefix("sm_") for each in get_arch_list()]
    return " ".join(f"-gencode compute=compute_{each},code=sm_{each}" for each in numbers)


def can_device_access_peer(device: DeviceLike, peer_device: DeviceLike) -> bool:
    """Can a device read the memory of another one?  Raises AssertionError for one that does not exist."""
    driver = runtime().driver
    indices = []
    for given, word in ((device, "device"), (peer_device, "peer device")):
        index = given if isinstance(given, int) else index_of(given)
        if not 0 <= index < device_count():
            raise AssertionError(f"Invalid {word} id")
        indices.append(index)
    return driver.can_access_peer(*indices)


def synchronize(device: DeviceLike = None) -> None:
    """Waits for all work on a device.  Raises the error of a kernel that failed."""
    get_backend("cuda").synchronize(index_of(device))


def ipc_collect() -> None:
    """Does nothing: memory of GPUs is not shared between processes.  Needs a usable GPU, as in PyTorch."""
    runtime()


# ---------------------------------------------------------------------------------------------------------
# Sensors, which the driver's library does not have.


def _no_sensors(function: str) -> ModuleNotFoundError:
    return ModuleNotFoundError(
        f"gn.cuda.{function}: gnomon does not read the sensors of GPUs; nvidia-smi and nvidia-ml-py do"
    )


def utilization(device: DeviceLike = None) -> int:
    """Raises ModuleNotFoundError, as PyTorch does without the package nvidia-ml-py."""
    raise _no_sensors("utilization")


def memory_usage(device: DeviceLike = None) -> int:
    """Raises ModuleNotFoundError, as PyTorch does without the package nvidia-ml-py."""
    raise _no_sensors("memory_usage")


def device_memory_used(device: DeviceLike = None) -> int:
    """Raises ModuleNotFoundError, as PyTorch does without the package nvidia-ml-py; see ``mem_get_info``."""
    raise _no_sensors("device_memory_used")


def temperature(device: DeviceLike = None) -> int:
    """Raises ModuleNotFoundError, as PyTorch does without the package nvidia-ml-py."""
    raise _no_sensors("temperature")


def power_draw(device: DeviceLike = None) -> int:
    """Raises ModuleNotFoundError, as PyTorch does without the package nvidia-ml-py."""
    raise _no_sensors("power_draw")


def clock_rate(device: DeviceLike = None) -> int:
    """Raises ModuleNotFoundError, as PyTorch does without the package nvidia-ml-py."""
    raise _no_sensors("clock_rate")
