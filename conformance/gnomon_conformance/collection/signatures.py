"""Checks that each kernel written in Python accepts the arguments that it is called with.

Otherwise every test of the kernel fails with a TypeError.  The kernels themselves do not run.
"""

from __future__ import annotations

import inspect
import re
from typing import Any

from gnomon.calls import launch
from gnomon.calls.iterator import TensorIterator
from gnomon.memory.backend import claims, register_backend
from gnomon.memory.tensor import Tensor

from ..execution.runner import Gnomon, run
from ..inputs.description import DTYPES
from ..samples import good_samples
from .selection import operators


class _Seen(Exception):
    """Raised in place of running a kernel."""


def problems(backend: Any, pattern: str | None = None) -> list[str]:
    """The problems with the signatures of a backend's kernels whose operators' names match ``pattern``."""
    chosen = {
        name: kernel
        for name, kernel in backend.kernels.items()
        if callable(kernel) and (pattern is None or re.search(pattern, name))
    }
    if not chosen:
        return []
    calls: dict[str, tuple[Any, ...]] = {}

    def seeing(name: str) -> Any:
        def see(*arguments: Any) -> None:
            calls.setdefault(name, arguments)
            raise _Seen

        return see

    given = vars(backend).get("kernels")
    before, policy = backend.kernels, launch._policy
    backend.kernels = {**before, **{name: seeing(name) for name in chosen}}
    register_backend(backend)  # discards what was prepared for its kernels
    launch.set_fallback_policy("allow")
    try:
        for name in chosen:
            _call(name, backend)
    finally:
        launch.set_fallback_policy(policy)
        if given is None:
            del backend.kernels
        else:
            backend.kernels = given
        register_backend(backend)
    return [text for name, arguments in calls.items() if (text := _problem(name, before[name], arguments))]


def _call(name: str, backend: Any) -> None:
    """Make one call that reaches the kernel; its other effects are covered by the tests."""
    operator = operators().get(name)
    for dtype in DTYPES if operator is not None else ():
        if claims(backend, name, dtype, dense=True):
            for _, sample in good_samples(name, dtype)[:1]:
                run(Gnomon(backend.device_type), operator, sample, dtype, "contiguous")
                return


def _problem(name: str, kernel: Any, arguments: tuple[Any, ...]) -> str:
    try:
        # of the function that is called, not of one that it wraps
        signature = inspect.signature(kernel, follow_wrapped=False)
    except (TypeError, ValueError):  # the kernel is not written in Python
        return ""
    try:
        signature.bind(*arguments)
    except TypeError:
        said = ", ".join(map(_word, arguments))
        return (
            f"the kernel of {name!r} has the wrong signature: it takes {signature}, but is called with "
            f"{len(arguments)} arguments: {said}.  Pointwise kernels and reductions are called "
            "kernel(iterator, *arguments), all others kernel(*outputs, *arguments)"
        )
    return ""


def _word(value: Any) -> str:
    if isinstance(value, TensorIterator):
        return "iterator"
    return f"a tensor of {value.dtype.name}" if isinstance(value, Tensor) else repr(value)
