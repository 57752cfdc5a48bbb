"""``gnomon.compile``, which compiles nothing: functions and modules run as they are.

The names of compilers and their modes are checked, so that a mistake is found here, too.

Source: torch.compiler, torch.compile.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from contextlib import ContextDecorator
from typing import Any, Literal, TypeVar, get_args, overload

from ..values.absent import absent
from ..values.errors import warn

__all__ = [
    "allow_in_graph",
    "assume_constant_result",
    "compile",
    "cudagraph_mark_step_begin",
    "disable",
    "get_default_backend",
    "is_compiling",
    "is_dynamo_compiling",
    "is_exporting",
    "list_backends",
    "nested_compile_region",
    "reset",
    "set_default_backend",
    "set_stance",
    "substitute_in_graph",
    "wrap_numpy",
]

F = TypeVar("F", bound=Callable[..., Any])

__getattr__ = absent(__name__, "gnomon has no compiler; functions and modules run as they are")

_BACKENDS = ("cudagraphs", "inductor", "openxla", "tvm")
_DEBUG_BACKENDS = (
    *("aot_eager", "aot_eager_decomp_partition", "aot_eager_decomp_partition_crossref"),
    *("aot_eager_decomp_partition_with_mode", "aot_eager_default_partitioner", "aot_ts", "eager"),
    *("eager_debug", "eager_noexcept", "invoke_subgraph", "openxla_eval", "pre_dispatch_eager", "ts"),
)
_Mode = Literal["default", "lite", "reduce-overhead", "max-autotune-no-cudagraphs", "max-autotune"]
_MODES = get_args(_Mode)
_default_backend: str | Callable[..., Any] = "inductor"


class InvalidBackend(RuntimeError):
    """``compile`` was given an unknown name of a compiler.  Source: torch._dynamo.exc.InvalidBackend."""


@overload
def compile(
    model: F,
    *,
    fullgraph: bool = ...,
    dynamic: bool | None = ...,
    backend: str | Callable[..., Any] | None = ...,
    mode: _Mode | None = ...,
    options: dict[str, Any] | None = ...,
    name: str | None = ...,
    disable: bool = ...,
    recompile_limit: int | None = ...,
    isolate_recompiles: bool = ...,
    shapes_spec: Any = ...,
) -> F: ...


@overload
def compile(
    model: None = ...,
    *,
    fullgraph: bool = ...,
    dynamic: bool | None = ...,
    backend: str | Callable[..., Any] | None = ...,
    mode: _Mode | None = ...,
    options: dict[str, Any] | None = ...,
    name: str | None = ...,
    disable: bool = ...,
    recompile_limit: int | None = ...,
    isolate_recompiles: bool = ...,
    shapes_spec: Any = ...,
) -> Callable[[F], F]: ...


def compile(
    model: Any = None,
    *,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    backend: str | Callable[..., Any] | None = None,
    mode: _Mode | None = None,
    options: dict[str, Any] | None = None,
    name: str | None = None,
    disable: bool = False,
    recompile_limit: int | None = None,
    isolate_recompiles: bool = False,
    shapes_spec: Any = None,
) -> Any:
    """Returns a function itself, and of a module an OptimizedModule that runs it; says once that nothing is
    compiled.  Without ``model``, a decorator.

    backend  a name of ``list_backends(exclude_tags=())``, or a function, which is not called
    mode     of the backend "inductor": how much it would optimize
    options  of the backend "inductor", instead of ``mode``: a dictionary; its keys are not checked
    dynamic  None or a bool
    disable  True: the function or module itself, and nothing is said

    The other arguments are not used.  Raises InvalidBackend (a RuntimeError) for an unknown name of a
    backend, RuntimeError for an unknown mode, and for both ``mode`` and ``options``, TypeError unless
    ``options`` is a dictionary, AssertionError if ``model`` is not callable, or ``dynamic`` another object.

    Source: torch.compile.
    """

    def compiled(function: Any) -> Any:
        if mode is not None and options is not None:
            raise RuntimeError(
                "Either mode or options can be specified, but both can't be specified at the same time."
            )
        _check_backend(_default_backend if backend is None else backend, mode, options)
        if dynamic is not None and not isinstance(dynamic, bool):
            raise AssertionError(f"Expected enable to be a bool, got {type(dynamic)}")
        if not callable(function):
            raise AssertionError(f"A callable function is expected, but {type(function)} is provided.")
        if disable:
            return function
        warn("gnomon.compile: there is no compiler; the function runs as it is", once=True)
        from ..nn.modules.module import Module  # imported here: programs without modules need not load them

        if not isinstance(function, Module):
            return function
        from .optimized_module import OptimizedModule

        return OptimizedModule(function)

    return compiled if model is None else compiled(model)


def _check_backend(backend: Any, mode: Any, options: Any) -> None:
    if backend == "inductor":
        if mode and mode not in _MODES:
            raise RuntimeError(f"Unrecognized mode={mode}, should be one of: {', '.join(_MODES)}")
        if options and not isinstance(options, dict):
            raise TypeError(f"compile: options must be a dictionary, got {type(options).__name__}")
    elif isinstance(backend, str) and backend not in (*_BACKENDS, *_DEBUG_BACKENDS):
        raise InvalidBackend(
            f"Invalid backend: {backend!r}, see `gnomon.compiler.list_backends()` for available backends."
        )


def list_backends(exclude_tags: Iterable[str] | None = ("debug", "experimental")) -> list[str]:
    """The names of backends that ``compile`` accepts; whichever it is, nothing is compiled.

    Those for debugging are not among them unless ``exclude_tags`` lacks "debug" and "experimental".
    """
    is_short = bool({"debug", "experimental"} & set(exclude_tags or ()))
    return sorted(_BACKENDS if is_short else (*_BACKENDS, *_DEBUG_BACKENDS))


def set_default_backend(backend: str | Callable[..., Any] | None) -> None:
    """Sets the backend of ``compile`` without one; None restores "inductor".

    Raises TypeError for other objects than names and functions.
    """
    global _default_backend
    if backend is not None and not isinstance(backend, str) and not callable(backend):
        raise TypeError(f"backend must be a string or callable, got {type(backend)}")
    _default_backend = "inductor" if backend is None else backend


def get_default_backend() -> str | Callable[..., Any]:
    """The backend of ``compile`` without one."""
    return _default_backend


def disable(fn: F | None = None, recursive: bool = True, *, reason: str | None = None) -> Any:
    """Returns the function itself.  Without ``fn``, a decorator.  Raises AssertionError unless callable."""
    if fn is None:
        return lambda function: function
    if not callable(fn):
        raise AssertionError("fn must be callable")
    return fn


def allow_in_graph(fn: Any) -> Any:
    """Returns the function, or list of functions, itself.  Raises AssertionError unless callable."""
    if isinstance(fn, (list, tuple)):
        return [allow_in_graph(each) for each in fn]
    if not callable(fn):
        raise AssertionError("allow_in_graph expects a callable")
    return fn


def assume_constant_result(fn: F) -> F:
    """Returns the function itself: it is called each time."""
    return fn


def nested_compile_region(
    fn: F | None = None, *, options: Any = None, max_reuse_entries: int = 8, reuse_hash_fn: Any = None
) -> Any:
    """Returns the function itself.  Without ``fn``, a decorator."""
    return (lambda function: function) if fn is None else fn


def substitute_in_graph(
    original_fn: Callable[..., Any],
    *,
    can_constant_fold_through: bool = False,
    skip_signature_check: bool = False,
) -> Callable[[F], F]:
    """A decorator that returns the function itself: ``original_fn`` is called, not a substitute.

    Raises TypeError unless both are functions, with the same names of parameters if ``original_fn`` has a
    signature and ``skip_signature_check`` is False.
    """
    if not callable(original_fn):
        raise TypeError(f"substitute_in_graph expects a function but got {type(original_fn)}")

    def substituted(traceable_fn: F) -> F:
        if not callable(traceable_fn):
            raise TypeError(f"@substitute_in_graph(...) expects a function but got {type(traceable_fn)}")
        if not skip_signature_check:
            theirs, its = _parameters_of(original_fn), _parameters_of(traceable_fn)
            if theirs is not None and its is not None and list(theirs) != list(its):
                raise TypeError(
                    f"Signature mismatch between {original_fn} and {traceable_fn}: "
                    f"{inspect.signature(original_fn)} != {inspect.signature(traceable_fn)}"
                )
        return traceable_fn

    return substituted


def _parameters_of(function: Callable[..., Any]) -> Any:
    """The parameters of a function; None if it has no signature."""
    try:
        return inspect.signature(function).parameters
    except ValueError:
        return None


class set_stance(ContextDecorator):
    """Does nothing, as a call, as a context manager and as a decorator: functions run as they are.

    Raises RuntimeError for a ``force_backend`` of another stance than "default".
    """

    def __init__(
        self,
        stance: str = "default",
        *,
        skip_guard_eval_unsafe: bool = False,
        force_backend: str | Callable[..., Any] | None = None,
    ):
        if force_backend is not None and stance != "default":
            raise RuntimeError("non-default stance cannot have force_backend set")
        self.stance = stance

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        pass


def wrap_numpy(fn: Callable[..., Any]) -> Callable[..., Any]:
    """A function of tensors that calls ``fn`` with their NumPy arrays, and makes tensors of its arrays.

    Tensors and arrays may be within lists, tuples and dictionaries.
    """
    import functools

    from .. import Tensor, as_tensor
    from ..utils.pytree import tree_map

    def array(value: Any) -> Any:
        return value.numpy() if isinstance(value, Tensor) else value

    def of_array(value: Any) -> Any:
        return as_tensor(value) if type(value).__module__ == "numpy" and hasattr(value, "shape") else value

    @functools.wraps(fn)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        args, kwargs = tree_map(array, (args, kwargs))
        return tree_map(of_array, fn(*args, **kwargs))

    return wrapped


def cudagraph_mark_step_begin() -> None:
    """Does nothing: no graph is captured by itself."""


def is_compiling() -> bool:
    """False: nothing is compiled."""
    return False


def is_dynamo_compiling() -> bool:
    """False: nothing is compiled."""
    return False


def is_exporting() -> bool:
    """False: nothing is exported."""
    return False


def reset() -> None:
    """Does nothing: nothing was compiled."""
