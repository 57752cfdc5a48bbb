"""TorchScript, as with PYTORCH_JIT=0: what would be compiled runs as Python.  Source: torch.jit.

``script`` and ``trace`` say so once.  There are no files of compiled programs: ``save`` and ``load`` raise.
"""

from __future__ import annotations

import contextlib
import types
import typing
from collections.abc import Callable, Iterator
from typing import Any, Final, TypeVar

from ..nn.modules.module import Module
from ..values.absent import absent
from ..values.errors import warn

__all__ = [
    "Attribute",
    "Error",
    "Final",
    "Future",
    "ScriptFunction",
    "ScriptModule",
    "annotate",
    "enable_onednn_fusion",
    "export",
    "fork",
    "freeze",
    "ignore",
    "interface",
    "is_scripting",
    "is_tracing",
    "isinstance",
    "load",
    "onednn_fusion_enabled",
    "optimize_for_inference",
    "save",
    "script",
    "script_if_tracing",
    "script_method",
    "set_fusion_strategy",
    "strict_fusion",
    "trace",
    "trace_module",
    "unused",
    "wait",
]

T = TypeVar("T")

_WHY = "gnomon has no TorchScript; functions and modules run as Python"

__getattr__ = absent(__name__, _WHY)


class Error(RuntimeError):
    """An error in a compiled program: nothing raises it.  Source: torch.jit.Error."""


class ScriptWarning(Warning):
    """A warning of the compiler: nothing issues it."""


class TracerWarning(Warning):
    """A warning of the tracer: nothing issues it."""


class ScriptModule(Module):
    """The base class of modules written as TorchScript: a Module.  Source: torch.jit.ScriptModule."""

    def __init__(self) -> None:
        super().__init__()


class RecursiveScriptModule(ScriptModule):
    """What compiled modules are: no module is."""


class ScriptFunction:
    """What compiled functions are: no function is.  Source: torch.jit.ScriptFunction."""


def script(
    obj: T, optimize: Any = None, _frames_up: int = 0, _rcb: Any = None, example_inputs: Any = None
) -> T:
    """Returns the function, class or module itself, and says so once."""
    warn("gnomon.jit: there is no TorchScript; functions and modules run as Python", once=True)
    return obj


def trace(
    func: T,
    example_inputs: Any = None,
    optimize: Any = None,
    check_trace: bool = True,
    check_inputs: Any = None,
    check_tolerance: float = 1e-5,
    strict: bool = True,
    _force_outplace: bool = False,
    _module_class: Any = None,
    _compilation_unit: Any = None,
    example_kwarg_inputs: Any = None,
    _store_inputs: bool = True,
) -> T:
    """Returns the function or module itself, and says so once; the example is not run."""
    return script(func)


def trace_module(
    mod: T,
    inputs: dict[str, Any],
    optimize: Any = None,
    check_trace: bool = True,
    check_inputs: Any = None,
    check_tolerance: float = 1e-5,
    strict: bool = True,
    _force_outplace: bool = False,
    _module_class: Any = None,
    _compilation_unit: Any = None,
    example_inputs_is_kwarg: bool = False,
    _store_inputs: bool = True,
) -> T:
    """Returns the module itself, and says so once; the examples are not run."""
    return script(mod)


def freeze(mod: T, preserved_attrs: list[str] | None = None, optimize_numerics: bool = True) -> T:
    """Returns the module itself, and says so once.  Raises RuntimeError for a module in training mode."""
    if getattr(mod, "training", False):
        raise RuntimeError(
            "Freezing is currently only implemented for modules in eval mode. Please call .eval() on your "
            "module before freezing."
        )
    return script(mod)


def optimize_for_inference(mod: T, other_methods: list[str] | None = None) -> T:
    """Returns the module itself, and says so once.  Raises RuntimeError for a module in training mode."""
    return freeze(mod)


def save(m: Any, f: Any, _extra_files: dict[str, Any] | None = None) -> None:
    """Raises NotImplementedError: there are no compiled programs to save."""
    raise NotImplementedError(
        f"gnomon.jit.save: {_WHY}; use gnomon.save(module.state_dict(), file), or gnomon.save(module, file)"
    )


def load(
    f: Any,
    map_location: Any = None,
    _extra_files: dict[str, Any] | None = None,
    _restore_shapes: bool = False,
) -> Any:
    """Raises NotImplementedError: compiled programs can not be run."""
    raise NotImplementedError(
        f"gnomon.jit.load: {_WHY}; save the module's state_dict() with PyTorch, and use gnomon.load"
    )


def script_method(fn: T) -> T:
    """Returns the method itself."""
    return fn


script_if_tracing = export = interface = script_method


def ignore(drop: Any = False, **kwargs: Any) -> Any:
    """A decorator that returns the function itself, with or without arguments.

    Raises RuntimeError for another argument than a function or a bool.
    """
    if callable(drop):
        return drop
    if drop is not True and drop is not False:
        raise RuntimeError(f"Argument to @torch.jit.ignore must be a bool or a function but got {drop}")
    return script_method


def unused(fn: T) -> T:
    """Returns the function or property itself."""
    return fn


def annotate(the_type: Any, the_value: T) -> T:
    """Returns the value: the type is for a compiler."""
    return the_value


def Attribute(value: T, type: Any) -> T:
    """Returns the value: the type is for a compiler."""
    return value


def isinstance(obj: Any, target_type: Any) -> bool:
    """Is ``obj`` of a type, or of one of a tuple of types?  Elements of containers count.

    ``jit.isinstance([1, 2], List[int])`` is true, and so is that of an empty list.
    Source: torch.jit.isinstance.
    """
    if type(target_type) is tuple:
        return any(isinstance(obj, each) for each in target_type)
    if target_type is Any:
        return True
    origin, parts = typing.get_origin(target_type), typing.get_args(target_type)
    if origin in (typing.Union, types.UnionType):
        return any(isinstance(obj, each) for each in parts)
    if origin is None:
        return issubclass(type(obj), type(None) if target_type is None else target_type)
    if not issubclass(type(obj), origin):
        return False
    if origin is tuple and not (len(parts) == 2 and parts[1] is Ellipsis):
        return len(obj) == len(parts) and all(map(isinstance, obj, parts))
    if origin is dict:
        return all(isinstance(key, parts[0]) and isinstance(value, parts[1]) for key, value in obj.items())
    return all(isinstance(each, parts[0]) for each in obj)


def is_scripting() -> bool:
    """False: nothing is compiled."""
    return False


def is_tracing() -> bool:
    """False: nothing is traced."""
    return False


class Future:
    """The result of ``fork``, which is there already.  Source: torch.jit.Future."""

    def __init__(self, value: Any):
        self._value = value

    def done(self) -> bool:
        """True."""
        return True

    def wait(self) -> Any:
        """The result."""
        return self._value

    value = wait


def fork(func: Callable[..., Any], *args: Any, **kwargs: Any) -> Future:
    """Calls the function, and returns its result as a Future: nothing runs at the same time."""
    return Future(func(*args, **kwargs))


def wait(future: Future) -> Any:
    """The result of a ``fork``."""
    return future.wait()


@contextlib.contextmanager
def _nothing(*args: Any) -> Iterator[None]:
    """Does nothing: there is no compiler that could be told what to do."""
    yield


fuser = optimized_execution = strict_fusion = _nothing


def enable_onednn_fusion(enabled: bool) -> None:
    """Does nothing: no operators are fused."""


def onednn_fusion_enabled() -> bool:
    """False: no operators are fused."""
    return False


def set_fusion_strategy(strategy: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Returns an empty list, the strategy before: no operators are fused."""
    return []
