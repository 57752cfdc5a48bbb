"""What a report of a problem should say of the machine: ``python -m gnomon.utils.collect_env``.

Source: torch/utils/collect_env.py.
"""

from __future__ import annotations

import importlib.metadata
import os
import platform
import sys

from ..memory.backend import backend_names, backend_status, get_num_threads, resolve_device
from ..values.speedups import speedups
from ..values.version import __version__

_PACKAGES = ("numpy", "cffi", "torch", "tensorboard", "rich", "matplotlib", "safetensors")


def get_env_info() -> dict[str, str]:
    """The versions of gnomon, Python, the system and some packages, the processors and the backends."""
    info = {
        "gnomon version": __version__,
        "C speedups": "no" if speedups is None else "yes",
        "Python version": sys.version.replace("\n", " "),
        "OS": platform.platform(),
        "Libc version": "-".join(platform.libc_ver()),
        "CPU": f"{platform.machine()}, {os.cpu_count()} processors",
        "cpu stands for": str(resolve_device("cpu")),
        "Threads": str(get_num_threads()),
    }
    for name in backend_names():
        _, is_available, reason = backend_status(name)
        info[f"Backend {name}"] = "available" if is_available else reason
    for package in _PACKAGES:
        try:
            info[f"Package {package}"] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    info |= {name: value for name, value in sorted(os.environ.items()) if name.startswith("GNOMON_")}
    return info


def get_pretty_env_info() -> str:
    """``get_env_info()`` as a text, with one line each."""
    return "\n".join(f"{name}: {value}" for name, value in get_env_info().items())


def main() -> None:
    """Print ``get_pretty_env_info()``."""
    print(get_pretty_env_info())


if __name__ == "__main__":
    main()
