"""Creation of tensors."""

from __future__ import annotations

import math
from typing import Any, Literal

import gnomon as gn
from gnomon import Tensor
from gnomon.interop.numpy import as_array, shareable

from .data_types import result_type
from .unsigned import SIGNED, on_bits


def _sizes(shape: Any) -> tuple[int, ...]:
    return (shape,) if isinstance(shape, int) else tuple(shape)


def asarray(obj: Any, /, *, dtype: Any = None, device: Any = None, copy: bool | None = None) -> Tensor:
    """A tensor of a number, nested sequences of numbers, a tensor, an array or a buffer.

    dtype: by default that of ``obj``, or that of the default for its kind of Python numbers.  copy: True
    always copies, False never, None only if necessary: for instance if an array has negative strides or
    another order of bytes.  Raises ValueError if ``copy=False`` is impossible, TypeError for anything but
    numbers.
    """
    obj = _array_of_buffer(obj)
    if copy is False:
        return _without_copy(obj, dtype, device)
    if isinstance(obj, Tensor):
        return obj.to(
            device=obj.device if device is None else device, dtype=dtype or obj.dtype, copy=bool(copy)
        )
    return gn.asarray(_shareable(obj), dtype=dtype, device=device, copy=copy)


def _array_of_buffer(obj: Any) -> Any:
    """A buffer of numbers, such as an ``array.array``, as an array of NumPy on its memory; or ``obj``."""
    if isinstance(obj, (Tensor, str)) or hasattr(obj, "__array_interface__") or hasattr(obj, "__dlpack__"):
        return obj
    try:
        view = memoryview(obj)
    except TypeError:
        return obj
    return as_array(view)


def _shareable(obj: Any) -> Any:
    """An array as it is if a tensor can share its memory, else as a copy whose memory it can share."""
    if hasattr(obj, "__array_interface__"):
        return shareable(as_array(obj)) if hasattr(obj, "__setitem__") else obj  # a scalar has none
    if hasattr(obj, "__dlpack__") and not isinstance(obj, Tensor):
        try:
            return gn.from_dlpack(obj)
        except BufferError:  # its strides, which only the capsule says
            return gn.from_dlpack(obj, copy=True)
    return obj


def _without_copy(obj: Any, dtype: Any, device: Any) -> Tensor:
    """``obj`` as a tensor that shares its memory.  Raises ValueError if it would be a copy."""
    shares = isinstance(obj, Tensor) or hasattr(obj, "__array_interface__") or hasattr(obj, "__dlpack__")
    if not shares:
        raise ValueError(f"asarray: copy=False: a {type(obj).__name__} has no memory that a tensor can share")
    try:
        made = obj if isinstance(obj, Tensor) else gn.asarray(obj, dtype=None, copy=False)
    except (BufferError, RuntimeError) as error:
        raise ValueError(f"asarray: copy=False: {error}") from None
    if (dtype is not None and made.dtype != dtype) or (
        device is not None and gn.empty(0, device=device).device != made.device
    ):
        raise ValueError(
            f"asarray: copy=False: {made.dtype} on {made.device} can not become {dtype or made.dtype} on "
            f"{device or made.device} without a copy"
        )
    return made


def arange(
    start: Any, /, stop: Any = None, step: Any = 1, *, dtype: Any = None, device: Any = None
) -> Tensor:
    """The numbers from ``start``, inclusive, to ``stop``, exclusive, in steps; from 0 if ``stop`` is omitted.

    Without ``dtype`` int64 for integers, else the default floating point dtype.  No numbers lie between if
    the step points away from ``stop``.  Raises ValueError for a step of zero.
    """
    if stop is None:
        start, stop = 0, start
    if step == 0:
        raise ValueError("arange: argument 'step': expected a number other than zero")
    kind = dtype or result_type(start, stop, step)
    if all(isinstance(each, int) for each in (start, stop, step)):
        whole = range(start, stop, step)
        if not whole or kind in SIGNED:  # gnomon.arange takes neither
            return gn.tensor(whole, dtype=kind, device=device)
        return gn.arange(start, stop, step, dtype=kind, device=device)
    count = max(math.ceil((stop - start) / step), 0)
    return (gn.arange(count, dtype=gn.float64, device=device) * step + start).to(kind)


def empty(shape: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """A tensor whose elements are not set; float32, unless ``dtype`` or the default dtype says otherwise."""
    return gn.empty(_sizes(shape), dtype=dtype, device=device)


def zeros(shape: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Zeros; float32, unless ``dtype`` or the default dtype says otherwise."""
    return gn.zeros(_sizes(shape), dtype=dtype, device=device)


def ones(shape: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Ones; float32, unless ``dtype`` or the default dtype says otherwise."""
    return gn.ones(_sizes(shape), dtype=dtype, device=device)


def full(shape: Any, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """``fill_value`` in each element, by default in the default dtype for numbers of its kind."""
    return gn.full(_sizes(shape), fill_value, dtype=dtype or result_type(fill_value), device=device)


def _like(x: Tensor, dtype: Any, device: Any) -> dict[str, Any]:
    return {"dtype": dtype or x.dtype, "device": x.device if device is None else device}


def empty_like(x: Tensor, /, *, dtype: Any = None, device: Any = None) -> Tensor:
    """A tensor of the shape, dtype and device of ``x``, whose elements are not set."""
    return gn.empty(x.shape, **_like(x, dtype, device))


def zeros_like(x: Tensor, /, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Zeros in the shape, dtype and device of ``x``."""
    return gn.zeros(x.shape, **_like(x, dtype, device))


def ones_like(x: Tensor, /, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Ones in the shape, dtype and device of ``x``."""
    return gn.ones(x.shape, **_like(x, dtype, device))


def full_like(x: Tensor, /, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """``fill_value`` in each element, in the shape, dtype and device of ``x``."""
    return gn.full(x.shape, fill_value, **_like(x, dtype, device))


def eye(
    n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: Any = None, device: Any = None
) -> Tensor:
    """A matrix of zeros with ones on diagonal ``k``, which is above the main diagonal if positive."""
    k = max(-n_rows, min(k, n_rows if n_cols is None else n_cols))  # beyond these there are no ones
    rows = gn.arange(n_rows, device=device).unsqueeze(1)
    columns = gn.arange(n_rows if n_cols is None else n_cols, device=device)
    return (columns - rows == k).to(dtype or gn.get_default_dtype())


def linspace(
    start: Any, stop: Any, /, num: int, *, dtype: Any = None, device: Any = None, endpoint: bool = True
) -> Tensor:
    """``num`` numbers at equal distances from ``start`` to ``stop``, which is included with ``endpoint``.

    They are complex if one of the two is, else of the default floating point dtype.  Raises ValueError for a
    negative ``num``.
    """
    if num < 0:
        raise ValueError(f"linspace: argument 'num': expected at least 0, got {num}")
    kind = dtype or result_type(start, stop, 1.0)
    if endpoint:
        return gn.linspace(start, stop, num, dtype=kind, device=device)
    return gn.linspace(start, stop, num + 1, dtype=kind, device=device)[:-1]


def meshgrid(*arrays: Tensor, indexing: Literal["xy", "ij"] = "xy") -> tuple[Tensor, ...]:
    """Vectors of coordinates as tensors of all pairs: element (i, j) has ``arrays[0][j]``, ``arrays[1][i]``.

    With ``indexing="ij"`` element (i, j) has ``arrays[0][i]``, ``arrays[1][j]``.  Raises ValueError for
    another ``indexing``.
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid: argument 'indexing': expected 'xy' or 'ij', got {indexing!r}")
    return tuple(gn.meshgrid(*arrays, indexing=indexing)) if arrays else ()


def tril(x: Tensor, /, *, k: int = 0) -> Tensor:
    """Matrices (*, m, n) with zeros above diagonal ``k``."""
    return on_bits(gn.tril)(x, diagonal=k)


def triu(x: Tensor, /, *, k: int = 0) -> Tensor:
    """Matrices (*, m, n) with zeros below diagonal ``k``."""
    return on_bits(gn.triu)(x, diagonal=k)


def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> Tensor:
    """Another library's array, by the protocol DLPack, with shared memory if ``copy`` is not True.

    Raises BufferError if it can not be exchanged, AttributeError for an object without the protocol.
    """
    return gn.from_dlpack(x, device=device, copy=copy)
