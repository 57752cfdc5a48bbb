"""autocast: a block in which operators choose their precision.

Source: torch/amp/autocast_mode.py.
"""

from __future__ import annotations

import collections.abc
import functools
from collections.abc import Callable
from typing import Any

from ..accelerator import is_available
from ..memory.tensor import Tensor
from ..values.device import device
from ..values.dispatch_key import AUTOCAST, MODE_WORD, mode_word, set_mode_word
from ..values.dtype import bfloat16, dtype, float16, float64
from ..values.errors import warn
from ..values.thread_local_state import ThreadLocalStateGuard
from .autocast_kernel import CACHE, STATE, State, kind_of

_DTYPES = (bfloat16, float16)


def _kind(device_type: Any) -> str:
    """The kind of a device type.  Raises ValueError if it is no string, RuntimeError for another device."""
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
    kind = device_type if device_type in ("cpu", "cuda") else kind_of(device(device_type))
    if kind not in ("cpu", "cuda"):
        raise RuntimeError(f"User specified an unsupported autocast device_type '{device_type}'")
    return kind


def is_autocast_available(device_type: str) -> bool:
    """Is there autocast for a device type?  Source: torch.amp.is_autocast_available."""
    try:
        return _kind(device_type) in ("cpu", "cuda")
    except RuntimeError:
        return False


def _set(state: State) -> None:
    STATE.set(state)
    word = mode_word()
    set_mode_word(word | AUTOCAST if state.enabled else word & ~AUTOCAST)


def is_autocast_enabled(device_type: str = "cuda") -> bool:
    """Is autocast on for a device type?"""
    return _kind(device_type) in STATE.get().enabled


def set_autocast_enabled(device_type: Any, enabled: bool | None = None) -> None:
    """Turns autocast on or off for a device type from now on; with one argument, for "cuda"."""
    if enabled is None:
        device_type, enabled = "cuda", device_type
    state, kinds = STATE.get(), frozenset([_kind(device_type)])
    _set(state._replace(enabled=state.enabled | kinds if enabled else state.enabled - kinds))


def get_autocast_dtype(device_type: str) -> dtype:
    """The dtype of autocast on a device type."""
    return STATE.get().dtype_of(_kind(device_type))


def set_autocast_dtype(device_type: str, dtype: dtype) -> None:
    """Sets the dtype of autocast on a device type from now on."""
    STATE.set(_with_dtype(STATE.get(), _kind(device_type), dtype))


def _with_dtype(state: State, kind: str, dtype: dtype) -> State:
    return state._replace(cpu_dtype=dtype) if kind == "cpu" else state._replace(cuda_dtype=dtype)


def is_autocast_cpu_enabled() -> bool:
    """Is autocast on for the host?"""
    return is_autocast_enabled("cpu")


def get_autocast_cpu_dtype() -> dtype:
    """The dtype of autocast on the host."""
    return get_autocast_dtype("cpu")


def get_autocast_gpu_dtype() -> dtype:
    """The dtype of autocast on GPUs."""
    return get_autocast_dtype("cuda")


def set_autocast_cpu_enabled(enabled: bool) -> None:
    """Turns autocast on or off for the host from now on."""
    set_autocast_enabled("cpu", enabled)


def set_autocast_cpu_dtype(dtype: dtype) -> None:
    """Sets the dtype of autocast on the host from now on."""
    set_autocast_dtype("cpu", dtype)


def set_autocast_gpu_dtype(dtype: dtype) -> None:
    """Sets the dtype of autocast on GPUs from now on."""
    set_autocast_dtype("cuda", dtype)


def is_autocast_cache_enabled() -> bool:
    """Are the casts of parameters kept until the outermost block ends?"""
    return STATE.get().cache_enabled


def set_autocast_cache_enabled(enabled: bool) -> None:
    """Sets whether the casts of parameters are kept."""
    STATE.set(STATE.get()._replace(cache_enabled=enabled))


def clear_autocast_cache() -> None:
    """Forgets the casts of parameters."""
    cache = CACHE.get()
    if cache is not None:
        cache.clear()


def autocast_increment_nesting() -> int:
    """Begins a block without a guard; returns the number of blocks."""
    state = STATE.get()
    if CACHE.get() is None:
        CACHE.set({})
    STATE.set(state._replace(nesting=state.nesting + 1))
    return state.nesting + 1


def autocast_decrement_nesting() -> int:
    """Ends such a block; returns the number of blocks."""
    state = STATE.get()
    STATE.set(state._replace(nesting=state.nesting - 1))
    return state.nesting - 1


class autocast(ThreadLocalStateGuard):
    """In the block, operators run in the precision of their list (amp/operator_lists.py).

    device_type    "cpu" (any device of the host) or "cuda"; other devices' operators are not changed
    dtype          the lower precision: bfloat16 or float16; by default bfloat16 on the host, float16 on GPUs
    enabled        False: operators run as they are called, also within another such block
    cache_enabled  keep the casts of parameters until the outermost block ends

    A context manager and a decorator.  An unsupported ``dtype``, and "cuda" without a usable GPU, warn and
    turn autocast off.  Raises ValueError if ``device_type`` is no string, RuntimeError for a device without
    autocast.  Source: torch.autocast.
    """

    __slots__ = ("_cache_enabled", "_enabled", "device", "fast_dtype")

    _mask = AUTOCAST

    def __init__(
        self,
        device_type: str,
        dtype: dtype | None = None,
        enabled: bool = True,
        cache_enabled: bool | None = None,
    ) -> None:
        self.device = _kind(device_type)
        self.fast_dtype = get_autocast_dtype(self.device) if dtype is None else dtype
        self._cache_enabled = cache_enabled
        if enabled and self.device == "cuda" and not is_available():
            warn("CUDA is not available. Disabling autocast.")
            enabled = False
        if enabled and self.fast_dtype not in _DTYPES:
            name = self.device.upper()
            warn(
                f"In {name} autocast, but the target dtype is not supported. Disabling autocast.\n{name} "
                f"Autocast only supports dtype of {', '.join(map(str, _DTYPES))} currently."
            )
            enabled = False
        self._enabled = bool(enabled)

    def _inside(self) -> Any:
        state, kinds = STATE.get(), frozenset([self.device])
        enabled = state.enabled | kinds if self._enabled else state.enabled - kinds
        cached = state.cache_enabled if self._cache_enabled is None else self._cache_enabled
        state = _with_dtype(state, self.device, self.fast_dtype)
        state = state._replace(enabled=enabled, cache_enabled=cached, nesting=state.nesting + 1)
        word = mode_word() | AUTOCAST if enabled else mode_word() & ~AUTOCAST
        cache = CACHE.get()
        return (CACHE, {} if cache is None else cache), (STATE, state), (MODE_WORD, word)

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            with autocast(self.device, self.fast_dtype, self._enabled, self._cache_enabled):
                return function(*args, **kwargs)

        return wrapper


def _cast(value: Any, kind: str, wanted: dtype) -> Any:
    """``value`` with its floating point tensors on that kind of device cast, except float64.

    Also within lists, tuples and dictionaries.
    """
    if isinstance(value, Tensor):
        is_cast = value.is_floating_point() and value.dtype is not float64 and kind_of(value.device) == kind
        return value.to(wanted) if is_cast else value
    if isinstance(value, (str, bytes)):
        return value
    if isinstance(value, collections.abc.Mapping):
        return {_cast(key, kind, wanted): _cast(each, kind, wanted) for key, each in value.items()}
    if isinstance(value, collections.abc.Iterable):
        made = [_cast(each, kind, wanted) for each in value]
        return type(value)(made) if isinstance(value, (list, tuple)) else made
    return value


def custom_fwd(
    fwd: Callable[..., Any] | None = None, *, device_type: str, cast_inputs: dtype | None = None
) -> Any:
    """Decorates the ``forward`` of an autograd.Function that is used with autocast.

    With ``cast_inputs``, where autocast is on, its floating point tensors are cast to that dtype, and it runs
    without autocast; otherwise it runs as it is called.  Source: torch.amp.custom_fwd.
    """
    kind = _kind(device_type)
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @functools.wraps(fwd)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        args[0]._dtype = get_autocast_dtype(kind)
        if cast_inputs is None:
            args[0]._fwd_used_autocast = is_autocast_enabled(kind)
            return fwd(*args, **kwargs)
        is_on = is_autocast_enabled(kind)
        args[0]._fwd_used_autocast = False
        if not is_on:
            return fwd(*args, **kwargs)
        with autocast(kind, enabled=False):
            return fwd(*_cast(args, kind, cast_inputs), **_cast(kwargs, kind, cast_inputs))

    return decorated


def custom_bwd(bwd: Callable[..., Any] | None = None, *, device_type: str) -> Any:
    """Decorates the ``backward`` of an autograd.Function: it runs with the autocast of its forward.

    Source: torch.amp.custom_bwd.
    """
    kind = _kind(device_type)
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)

    @functools.wraps(bwd)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        with autocast(kind, enabled=args[0]._fwd_used_autocast, dtype=args[0]._dtype):
            return bwd(*args, **kwargs)

    return decorated
