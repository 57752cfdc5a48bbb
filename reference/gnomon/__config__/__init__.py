"""How gnomon was built and runs here, as texts to read.  Source: torch.__config__."""

from __future__ import annotations

import platform

from ..memory.backend import backend_names, backend_status, get_num_threads, resolve_device
from ..values.speedups import speedups
from ..values.version import __version__


def show() -> str:
    """The version, and which backends are available here."""
    lines = [f"gnomon {__version__} built with:", f"  - Python {platform.python_version()}"]
    lines.append(f"  - C speedups: {'no' if speedups is None else 'yes'}")
    for name in backend_names():
        _, is_available, reason = backend_status(name)
        lines.append(f"  - backend {name}: {'available' if is_available else reason}")
    return "\n".join(lines) + "\n"


def parallel_info() -> str:
    """The number of threads, and the device of ``cpu``."""
    return f"gnomon.get_num_threads() : {get_num_threads()}\ncpu : {resolve_device('cpu')}\n"
