"""The exceptions of gnomon that Python does not already have.

All other errors are of the types that PyTorch raises: RuntimeError for shapes, dtypes and devices, IndexError
for dimensions and indices, TypeError for arguments that match no overload, ValueError for values.
"""

from __future__ import annotations

import builtins
from typing import Any

from .library_name import LIBRARY
from .speedups import speedups


class OutOfMemoryError(RuntimeError):
    """A backend's allocator has no memory left.  Source: torch.OutOfMemoryError."""


class LinAlgError(RuntimeError):
    """A matrix for which a function of linear algebra is not defined, such as the inverse of a singular one.

    Source: torch.linalg.LinAlgError.
    """


class BackendUnavailableError(RuntimeError):
    """The requested backend is not installed or can not run here; the text says why."""


def unknown_name(kind: str, name: str, known: list[str]) -> str:
    """The error text for an unknown name, with the nearest known one.

    ``kind`` is what the name should be of ("backend"), ``known`` lists the valid names.
    """
    import difflib  # rarely needed; keeps the import of gnomon short

    nearest = difflib.get_close_matches(name, known, n=1, cutoff=0.4)
    hint = f"; did you mean {nearest[0]!r}?" if nearest else ""
    return f"unknown {kind} {name!r}{hint} (expected one of: {', '.join(sorted(known))})"


_said: set[str] = set()  # warnings that are given once per process
_warns_always = False  # are they given each time?


def warn(message: str, category: type[Warning] = UserWarning, once: bool = False) -> None:
    """Issue a warning at the user's line that called gnomon, however deep the call stack is.

    That is the first frame outside of gnomon, its speedups and the package that warns, which may be a
    backend's.
    ``once``: only once in this process.
    """
    if once:
        if message in _said and not _warns_always:
            return
        _said.add(message)
    import sys  # rarely needed, as above
    import warnings

    frame = sys._getframe(1)
    own = {__name__.partition(".")[0], "gnomon_speedups", _package_of(frame), "contextlib"}
    while _package_of(frame) in own and frame.f_back is not None:
        frame = frame.f_back
    registry = frame.f_globals.setdefault("__warningregistry__", {})
    module = frame.f_globals.get("__name__", "<string>")
    warnings.warn_explicit(message, category, frame.f_code.co_filename, frame.f_lineno, module, registry)


def set_warn_always(b: bool) -> None:
    """Whether warnings that are given once in a process are given each time.

    Source: torch.set_warn_always.
    """
    global _warns_always
    _warns_always = bool(b)


def is_warn_always_enabled() -> bool:
    """The value that ``set_warn_always`` set."""
    return _warns_always


def _package_of(frame: Any) -> str:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]


# Class names that gnomon shares with other libraries.
_COMMON_NAMES = frozenset(
    {"Generator", "Module", "Parameter", "Size", "Tensor", "device", "dtype", "layout", "memory_format"}
)


def check_requires_grad(name: str, requires_grad: object) -> None:
    """Raises TypeError unless the argument ``requires_grad`` of the function ``name`` is a bool."""
    if not isinstance(requires_grad, bool):
        raise TypeError(f"{name}(): argument 'requires_grad' must be bool, not {type_name(requires_grad)}")


def type_name(value: object) -> str:
    """The name of a value's type for error messages.

    It includes the module if another library's type has the name of one of gnomon's or Python's, so that no
    message says that a Tensor is not a Tensor.
    """
    kind = type(value)
    package = kind.__module__.partition(".")[0]
    is_python_s = package != "builtins" and hasattr(builtins, kind.__name__)  # such as NumPy's bool
    if is_python_s or (kind.__name__ in _COMMON_NAMES and package not in ("gnomon", str(LIBRARY))):
        return f"{kind.__module__}.{kind.__name__}"
    return kind.__name__


if speedups is not None:
    warn = speedups.guard("warn", warn)
