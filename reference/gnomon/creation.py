"""Tensors from Python data and from NumPy.

Source: torch/csrc/utils/tensor_new.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .dispatch.dispatcher import aten
from .memory.accessor import fill_from
from .memory.backend import resolve_device
from .memory.spec import contiguous_spec
from .memory.tensor import Tensor
from .ops import index
from .ops.factory import allocate
from .values import dtype as dtypes
from .values.dtype import dtype, get_default_dtype

_SEQUENCES = (list, tuple, range)


def _shape_of(data: Any) -> tuple[int, ...]:
    """The sizes of nested sequences, by their first elements.

    Raises ValueError where they are ragged (see _flatten).
    """
    sizes = []
    while isinstance(data, _SEQUENCES) or (isinstance(data, Tensor) and data.ndim):
        sizes.append(len(data))
        if len(sizes) > 64:
            raise ValueError("too many dimensions 'list'")
        if not len(data):
            break
        data = data[0]
    return tuple(sizes)


def _flatten(data: Any, sizes: Sequence[int], depth: int, flat: list[Any]) -> None:
    if depth == len(sizes):
        if isinstance(data, Tensor):
            data = data.item()
        elif hasattr(data, "item") and getattr(data, "shape", None) == ():
            data = data.item()
        if isinstance(data, _SEQUENCES):
            raise ValueError(f"expected a number at dim {depth}, but got a sequence of length {len(data)}")
        if not isinstance(data, (bool, int, float, complex)):
            raise TypeError(
                f"tensor(): data must be numbers or nested sequences of them, not {type(data).__name__}"
            )
        flat.append(data)
        return
    if not hasattr(data, "__len__") or len(data) != sizes[depth]:
        got = len(data) if hasattr(data, "__len__") else f"a {type(data).__name__}"
        raise ValueError(f"expected sequence of length {sizes[depth]} at dim {depth} (got {got})")
    for each in data:
        _flatten(each, sizes, depth + 1, flat)


def _infer_dtype(flat: Sequence[Any]) -> dtype:
    """bool, int64, the default dtype or complex: the least that holds all the numbers."""
    kinds = {type(value) for value in flat}
    if any(issubclass(kind, complex) for kind in kinds):
        return get_default_dtype().to_complex()
    if not kinds or any(issubclass(kind, float) for kind in kinds):
        return get_default_dtype()
    return dtypes.bool_ if kinds == {bool} else dtypes.int64


def tensor(
    data: Any,
    *,
    dtype: dtype | None = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """A new tensor with the numbers of ``data``: a number, nested sequences, a NumPy array or a tensor.

    Always a copy.

    dtype: from the data if None (bool, int64, the default dtype, or complex).  device: the default one if
    None. Raises ValueError for ragged sequences, TypeError for what holds no numbers, RuntimeError for an int
    that the dtype can not hold.  Source: torch.tensor.
    """
    if isinstance(data, Tensor):
        where = data.device if device is None else device
        made = aten._to_copy(data.detach(), dtype=dtype or data.dtype, device=where, memory_format=None)
        return made.requires_grad_(requires_grad)
    if hasattr(data, "__array_interface__"):
        from .interop.numpy import copy_from_numpy

        return copy_from_numpy(data, dtype, device).requires_grad_(requires_grad)
    sizes = _shape_of(data)
    flat: list[Any] = []
    _flatten(data, sizes, 0, flat)
    wanted = dtype or _infer_dtype(flat)
    _check_range(flat, wanted)
    made = allocate(contiguous_spec(sizes, wanted, resolve_device(device)))
    if flat and made._spec.device.type != "meta":
        fill_from(made, flat)
    return made.requires_grad_(requires_grad)


def _check_range(flat: Sequence[Any], wanted: dtype) -> None:
    """Raises for an int that an integer dtype can not hold, and for a complex number given to a real one."""
    for value in flat:
        if isinstance(value, complex) and not wanted.is_complex:
            raise TypeError(
                "can't convert complex to float" if wanted.category == 2 else "can't convert complex to int"
            )
        if wanted.category == 1 and isinstance(value, int) and not isinstance(value, bool):
            least = -(2 ** (wanted.bits - 1)) if wanted.is_signed else 0
            most = 2 ** (wanted.bits - 1 if wanted.is_signed else wanted.bits) - 1
            if not -(2**63) <= value < 2**63:
                raise RuntimeError(f"Overflow when unpacking long long: {value}")
            if not least <= value <= most and not (not wanted.is_signed and -most - 1 <= value):
                raise RuntimeError(
                    f"value cannot be converted to type {wanted.name} without overflow: {value}"
                )


def as_tensor(data: Any, dtype: dtype | None = None, device: Any = None) -> Tensor:
    """``data`` as a tensor, sharing its memory where possible.  Source: torch.as_tensor."""
    if isinstance(data, Tensor):
        return data.to(dtype=dtype or data.dtype, device=data.device if device is None else device)
    if hasattr(data, "__array_interface__"):
        from .interop.numpy import from_numpy

        where = resolve_device(device)
        made = from_numpy(data)
        return made.to(dtype=dtype or made.dtype, device=where)
    return tensor(data, dtype=dtype, device=device)


def from_numpy(array: Any) -> Tensor:
    """A tensor over the memory of a NumPy array (on the device ``reference``).  Source: torch.from_numpy."""
    from .interop.numpy import from_numpy as wrap

    return wrap(array)


def _index_tensor(data: Any, device: Any) -> Tensor:
    made = tensor(list(data) if isinstance(data, (range, tuple)) else data, device=device)
    return made.to(dtypes.int64) if made.numel() == 0 else made


index.make_index_tensor = _index_tensor
