"""The libraries that are measured, behind one interface: gnomon on a backend, and its peers.

A library creates tensors from NumPy arrays, prepares a function for repeated calls (``compiled``), and waits
for asynchronous work (``finish``).
"""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy

PEERS = {"torch": "PyTorch", "numpy": "NumPy", "jax": "JAX", "tinygrad": "tinygrad"}
NAMES = {"bool": "bool_"}  # dtypes with another name in NumPy and JAX


class Library:
    """The interface, with default implementations.

    name    its name in tables
    kind    "gnomon", "torch", "numpy", "jax" or "tinygrad"
    module  the module with its functions
    accelerator   the device that it computes on, if not the processor: "cuda"
    """

    name = kind = accelerator = ""
    module: Any = None

    def has(self, dtype: str) -> bool:
        """Whether it supports that dtype."""
        return True

    def tensor(self, content: numpy.ndarray, dtype: str) -> Any:
        """A tensor with these numbers and this dtype."""
        raise NotImplementedError

    def compiled(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """``function`` prepared for repeated calls."""
        return function

    def finish(self) -> None:
        """Wait for asynchronous work."""

    def version(self) -> str:
        """The library's version."""
        return str(getattr(self.module, "__version__", ""))


class Gnomon(Library):
    """gnomon on one of its backends."""

    kind = "gnomon"

    def __init__(self, backend: str):
        import gnomon
        from gnomon.memory.backend import get_backend

        self.name = backend
        self.module = gnomon
        self._backend = get_backend(backend)
        self.accelerator = self._backend.device_type if "streams" in self._backend.traits else ""
        gnomon.set_default_device(self._backend.device_type)
        gnomon.set_fallback_policy("allow")

    def has(self, dtype: str) -> bool:
        traits = {"float64": "float64", "float16": "half", "bfloat16": "half", "complex64": "complex"}
        return traits.get(dtype) in (None, *self._backend.traits)

    def tensor(self, content: numpy.ndarray, dtype: str) -> Any:
        made = self.module.asarray(content).to(getattr(self.module, dtype))
        return made.to(self._backend.device_type)

    def finish(self) -> None:
        self._backend.synchronize(0)

    def version(self) -> str:
        return f"gnomon {self.module.__version__}"


class Torch(Library):
    """PyTorch, on the processor or on a GPU (``cuda``)."""

    kind = "torch"

    def __init__(self, device: str = "cpu"):
        import torch

        self.name = "PyTorch" if device == "cpu" else f"PyTorch on {device}"
        self.module = torch
        self._device = device
        self.accelerator = "" if device == "cpu" else device.partition(":")[0]
        torch.set_default_device(device)

    def tensor(self, content: numpy.ndarray, dtype: str) -> Any:
        made = self.module.from_numpy(numpy.ascontiguousarray(content))
        return made.to(device=self._device, dtype=getattr(self.module, dtype))

    def finish(self) -> None:
        if self.accelerator:
            self.module.cuda.synchronize()


class NumPy(Library):
    """NumPy, which has no bfloat16."""

    name, kind, module = "NumPy", "numpy", numpy

    def has(self, dtype: str) -> bool:
        return dtype != "bfloat16"

    def tensor(self, content: numpy.ndarray, dtype: str) -> Any:
        return content.astype(NAMES.get(dtype, dtype))


class Jax(Library):
    """JAX, with functions compiled before they are timed."""

    name, kind = "JAX", "jax"

    def __init__(self) -> None:
        self._jax = importlib.import_module("jax")
        self._jax.config.update("jax_enable_x64", True)
        self.module = importlib.import_module("jax.numpy")

    def tensor(self, content: numpy.ndarray, dtype: str) -> Any:
        return self.module.asarray(content).astype(NAMES.get(dtype, dtype))

    def compiled(self, function: Callable[..., Any]) -> Callable[..., Any]:
        jitted = self._jax.jit(function)
        return lambda *tensors: self._jax.block_until_ready(jitted(*tensors))

    def version(self) -> str:
        return str(self._jax.__version__)


class Tinygrad(Library):
    """tinygrad, with functions captured by its jit."""

    name, kind = "tinygrad", "tinygrad"

    def __init__(self) -> None:
        self.module = importlib.import_module("tinygrad")
        self.module.Tensor([1.0]).realize()  # raises if it finds no compiler

    def has(self, dtype: str) -> bool:
        return dtype in ("float32", "int32", "float64", "bool")

    def tensor(self, content: numpy.ndarray, dtype: str) -> Any:
        kind = getattr(self.module.dtypes, dtype)
        return self.module.Tensor(numpy.ascontiguousarray(content)).cast(kind).contiguous().realize()

    def compiled(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def realized(*tensors: Any) -> Any:
            results = function(*tensors)
            each = results if isinstance(results, tuple) else (results,)
            return tuple(one.realize() for one in each)

        return self.module.TinyJit(realized)

    def finish(self) -> None:
        self.module.Device[self.module.Device.DEFAULT].synchronize()

    def version(self) -> str:
        return importlib.metadata.version("tinygrad")


@functools.cache
def installed_peers() -> tuple[str, ...]:
    """The installed peers, by their names for ``open_library``."""
    return tuple(f"peer:{name}" for name in PEERS if find_spec(name) is not None)


def open_library(name: str) -> Library:
    """Open a backend by its name, or a peer by a name like ``peer:torch``.

    Raises BackendUnavailableError or ImportError if it is not available.
    """
    peer = name.removeprefix("peer:")
    if peer == name:
        return Gnomon(name)
    if peer.startswith("torch"):
        return Torch(peer.partition("@")[2] or "cpu")
    return {"numpy": NumPy, "jax": Jax, "tinygrad": Tinygrad}[peer]()
