"""Tensors from Python data and from NumPy.

Source: torch/csrc/utils/tensor_new.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..dispatch.dispatcher import aten
from ..memory.accessor import fill_from
from ..memory.backend import resolve_device
from ..memory.spec import contiguous_spec
from ..memory.tensor import Tensor
from ..ops.creation.factory import allocate
from ..values import dtype as dtypes
from ..values import geometry, late_bound
from ..values.device import device
from ..values.dispatch_key import DENSE, PYTHON, TRACED_BIT, mode_word
from ..values.dtype import dtype, get_default_dtype
from ..values.errors import check_requires_grad, type_name
from ..values.library_name import LIBRARY
from ..values.speedups import speedups
from .argument_parser import PYTHON_DTYPES
from .exchange import from_dlpack

_SEQUENCES = (list, tuple, range)
_NUMBERS = frozenset({bool, int, float, complex})


def _is_sequence(data: Any) -> bool:
    """Is it a list, tuple, bytearray …, or a NumPy array with dimensions?  A tensor counts as a number."""
    if isinstance(data, _SEQUENCES):
        return True
    if isinstance(data, (bool, int, float, complex, str, bytes, Tensor)):
        return False
    if hasattr(data, "shape"):
        return bool(data.shape)
    return isinstance(data, Sequence) or (hasattr(data, "__getitem__") and not isinstance(data, dict))


def _shape_of(data: Any) -> tuple[int, ...]:
    """The sizes of nested sequences, by their first elements.

    Ragged sequences are found by ``_flatten``.  Raises ValueError for too many dimensions, and for an object
    with a length but without a first element, such as a DataFrame, whose ``[0]`` is a column's name.
    """
    sizes = []
    while _is_sequence(data):
        sizes.append(len(data))
        if len(sizes) > geometry.MAX_DIMS:
            raise ValueError(
                f"tensor(): argument 'data': too many dimensions 'list'; at most {geometry.MAX_DIMS} are "
                "supported"
            )
        if not len(data):
            break
        try:
            data = data[0]
        except LookupError as error:
            raise ValueError(
                f"tensor(): argument 'data': could not determine the shape of object type "
                f"'{type_name(data)}', which has no element [0]; pass its values as an array or nested lists"
            ) from error
    return tuple(sizes)


def _flatten(data: Any, sizes: Sequence[int], depth: int, flat: list[Any], kinds: set[dtype]) -> None:
    """Append the numbers of ``data`` to ``flat``, and add their dtypes to ``kinds``."""
    if depth == len(sizes):
        if _is_sequence(data):
            raise TypeError(
                f"tensor(): argument 'data': expected a number at dim {depth}, but got a sequence of length "
                f"{len(data)}"
            )
        kind = _kind_of(data)
        if isinstance(data, Tensor) and data.numel() != 1:
            if data.numel() and kind.category < 2:
                raise TypeError(
                    "tensor(): argument 'data': only integer tensors of a single element can be converted to "
                    f"an index, got one of sizes {list(data.shape)}"
                )
            raise ValueError(
                "tensor(): argument 'data': only one element tensors can be converted to Python scalars, got "
                f"one of sizes {list(data.shape)}"
            )
        flat.append(data.item() if hasattr(data, "item") else data)
        kinds.add(kind)
        return
    if not _is_sequence(data):
        raise TypeError(
            f"tensor(): argument 'data': expected a sequence of length {sizes[depth]} at dim {depth}, but "
            f"got a {type_name(data)}"
        )
    data = list(data)  # so that its length is certain
    if len(data) != sizes[depth]:
        raise ValueError(
            f"tensor(): argument 'data': expected sequence of length {sizes[depth]} at dim {depth} (got "
            f"{len(data)}): all sequences at one depth need the same length"
        )
    types = set(map(type, data))
    if depth + 1 == len(sizes) and types <= _NUMBERS:
        flat.extend(data)
        kinds.update([_kind_of(kind()) for kind in types])
        return
    for each in data:
        _flatten(each, sizes, depth + 1, flat, kinds)


def _kind_of(number: Any) -> dtype:
    """The dtype of a number; a 0-dim tensor or a NumPy scalar has its own."""
    if isinstance(number, Tensor):
        return number.dtype
    if _is_foreign_tensor(number):
        number = _as_array(number)
    if hasattr(number, "item") and hasattr(number, "dtype"):
        from ..interop.numpy import dtype_from_numpy

        return dtype_from_numpy(number)
    if isinstance(number, (bool, int, float, complex)):
        return dtypes.dtype_of_number(number, get_default_dtype())
    if isinstance(number, (str, bytes)):
        raise TypeError(
            f"tensor(): argument 'data': must be numbers or nested sequences of them, not {type_name(number)}"
        )
    raise RuntimeError(
        f"tensor(): argument 'data': Could not infer dtype of {type_name(number)}; expected numbers or "
        "sequences of numbers"
    )


def _is_foreign_tensor(data: Any) -> bool:
    """Is it a tensor of another library, which has ``__array__``?"""
    return hasattr(data, "__array__") and hasattr(data, "dtype") and not hasattr(data, "__array_interface__")


def _as_array(data: Any) -> Any:
    """Convert another library's tensor to a NumPy array.  Raises TypeError if it fails."""
    from ..interop.numpy import as_array

    try:
        return as_array(data)
    except Exception as error:  # third-party code may raise anything
        raise TypeError(
            f"tensor(): argument 'data': expected numbers, but the {type(data).__module__}."
            f"{type(data).__name__} cannot be converted to an array: {error}"
        ) from error


def _common_dtype(kinds: set[dtype]) -> dtype:
    """The dtype that all of ``kinds`` promote to; the default dtype for none."""
    if not kinds:
        return get_default_dtype()
    first, *rest = kinds
    for kind in rest:
        first = dtypes.promote_types(first, kind)
    return first


def tensor(
    data: Any,
    *,
    dtype: dtype | None = None,
    device: device | str | int | None = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Create a tensor with the elements of ``data``: a number, nested sequences, a NumPy array or a tensor.

    Always copies.

    dtype: inferred from the data if None (bool, int64, the default dtype, or complex).  device: the default
    device if None.  Raises ValueError for ragged sequences, RuntimeError for data that is not numeric and for
    a number that an integer dtype can not hold.  Source: torch.tensor.
    """
    check_requires_grad("tensor", requires_grad)
    dtype = _as_dtype(dtype)
    if isinstance(data, Tensor):
        where = data.device if device is None else device
        made = aten._to_copy(data.detach(), dtype=dtype or data.dtype, device=where, memory_format=None)
        return made.requires_grad_(requires_grad)
    if _is_foreign_tensor(data):
        data = _as_array(data)
    from ..interop.numpy import copy_from_numpy

    if hasattr(data, "__array_interface__"):
        return _shown_to_modes(copy_from_numpy(data, dtype, device)).requires_grad_(requires_grad)
    array = _stacked(data, dtype)
    if array is not None:
        return _shown_to_modes(copy_from_numpy(array, dtype, device)).requires_grad_(requires_grad)
    flat: list[Any] = []
    kinds: set[Any] = set()
    if data.__class__ in _NUMBERS:
        sizes: tuple[int, ...] = ()
        flat.append(data)
        kinds.add(_kind_of(data))
    else:
        sizes = _shape_of(data)
        if 0 not in sizes:
            _flatten(data, sizes, 0, flat, kinds)
    wanted = dtype or _common_dtype(kinds)
    _check_range(flat, wanted)
    if wanted is dtypes.int64:  # 2.0**63 passes, because the greatest int64 is rounded to it; it wraps around
        flat = [-(2**63) if isinstance(each, float) and each == 2.0**63 else each for each in flat]
    made = allocate(contiguous_spec(sizes, wanted, resolve_device(device)))
    if flat and made._spec.device.type != "meta":
        fill_from(made, flat)
    made = _shown_to_modes(made)
    return made.requires_grad_() if requires_grad else made


def _stacked(data: Any, dtype: dtype | None) -> Any:
    """NumPy's array of a list of its arrays, if they are alike and no number has to be checked, or None."""
    is_list = isinstance(data, (list, tuple)) and data and not isinstance(data[0], Tensor)
    if not is_list or not hasattr(data[0], "__array_interface__"):
        return None
    first, *rest = data
    if (
        not _is_sequence(first)
        or 0 in first.shape
        or not all(
            each.__class__ is first.__class__ and each.shape == first.shape and each.dtype == first.dtype
            for each in rest
        )
    ):
        return None
    from ..interop.numpy import dtype_from_numpy, stacked

    kind = dtype_from_numpy(first)
    fits = dtype is None or dtype is kind or dtype.category >= kind.category > 1
    return stacked(data) if fits and first.ndim < geometry.MAX_DIMS else None


if speedups is not None:
    tensor = speedups.tensor_of_data(tensor)


def _shown_to_modes(made: Tensor) -> Tensor:
    """Pass a new tensor that no operator created to dispatch modes and traces; returns what they return.

    This is below autograd: the tensor has no history, and is no view.  Source: torch::utils::tensor_ctor.
    """
    word = mode_word()
    if not word & (PYTHON | TRACED_BIT):
        return made
    return aten.lift_fresh.default.redispatch(word & PYTHON | DENSE, (made,))


def _as_dtype(value: Any, function: str = "tensor") -> dtype | None:
    """``value`` as a dtype: a dtype itself, or Python's float, int, bool or complex.

    Raises TypeError, with ``function`` in the message.
    """
    found = PYTHON_DTYPES.get(value, value) if isinstance(value, type) else value
    if found is not None and not isinstance(found, dtype):
        raise TypeError(f"{function}(): argument 'dtype' must be {LIBRARY}.dtype, not {type_name(value)}")
    return found


def _check_range(flat: Sequence[Any], wanted: dtype) -> None:
    """Raises an error for a number that an integer dtype can not hold, and for complex data of a real dtype.

    A negative int is accepted for an unsigned dtype, where it wraps around.  Source: c10::overflows.
    """
    most = 2 ** (wanted.bits - wanted.is_signed) - 1 if wanted.category == 1 else 0
    types = set(map(type, flat))
    if wanted.category != 1 and types <= {bool, int, float}:
        return
    if wanted.category == 1 and types == {int} and 0 <= min(flat) and max(flat) <= most:
        return
    for value in flat:
        if isinstance(value, complex) and not wanted.is_complex and wanted.category != 0:
            kind = "float" if wanted.category == 2 else "int"
            raise TypeError(f"tensor(): argument 'data': can't convert complex to {kind} ({wanted.name})")
        if wanted.category != 1 or isinstance(value, bool):
            continue
        if wanted is dtypes.uint64 and isinstance(value, float):
            raise TypeError(f"tensor(): argument 'data': an integer is required for uint64, got {value}")
        if wanted is dtypes.uint64 and value < 0:
            raise OverflowError(f"tensor(): argument 'data': can't convert negative int to unsigned: {value}")
        if wanted is dtypes.uint64 and value > most:
            raise OverflowError(f"tensor(): argument 'data': int too big to convert: {value}")
        if isinstance(value, int) and wanted is not dtypes.uint64 and not -(2**63) <= value < 2**63:
            raise ValueError(f"tensor(): argument 'data': Overflow when unpacking long long: {value}")
        least = -most - 1 if wanted.is_signed else (0 if isinstance(value, float) else -most)
        if not least <= value <= (float(most) if isinstance(value, float) else most):
            raise RuntimeError(
                f"tensor(): argument 'data': value cannot be converted to type {wanted.name} without "
                f"overflow: {value}"
            )


def as_tensor(data: Any, *, dtype: dtype | None = None, device: device | str | int | None = None) -> Tensor:
    """``data`` as a tensor, sharing its memory where possible.  Source: torch.as_tensor."""
    dtype = _as_dtype(dtype, "as_tensor")
    if isinstance(data, Tensor):
        return data.to(dtype=dtype or data.dtype, device=data.device if device is None else device)
    if hasattr(data, "__array_interface__") and hasattr(data, "__setitem__"):  # an array, not a NumPy scalar
        where = resolve_device(device)
        made = from_numpy(data)
        return made.to(dtype=dtype or made.dtype, device=where)
    return tensor(data, dtype=dtype) if device is None else tensor(data, dtype=dtype, device=device)


def asarray(
    obj: Any,
    *,
    dtype: dtype | None = None,
    device: device | str | int | None = None,
    copy: bool | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """Convert ``obj`` to a tensor: a tensor, an array of NumPy or with DLPack, a buffer, a number or nested
    sequences.

    For all but the last two, memory is shared if dtype and device allow it; ``copy=True`` never shares it,
    and ``copy=False`` raises ValueError if it can not be shared.  A buffer's elements have ``dtype``, the
    default dtype if None.  Source: torch.asarray.
    """
    check_requires_grad("asarray", requires_grad)
    dtype = _as_dtype(dtype, "asarray")
    shared = None
    if isinstance(obj, Tensor):
        shared = obj
    elif hasattr(obj, "__array_interface__"):
        if hasattr(obj, "__setitem__"):
            shared = tensor(obj) if copy and not obj.flags.writeable else from_numpy(obj)
        elif copy is False:
            raise RuntimeError("asarray: can't alias NumPy scalars; they have no memory to share.")
    elif isinstance(obj, str):
        raise TypeError("asarray(): argument 'obj': must be numbers or nested sequences of them, not str")
    elif hasattr(obj, "__dlpack__"):
        shared = from_dlpack(obj)
    elif _has_buffer(obj):
        shared = frombuffer(obj, dtype=dtype or get_default_dtype())
    if shared is None:
        if copy is False:
            raise ValueError("asarray: can't alias arbitrary sequence into a tensor.")
        return tensor(obj, dtype=dtype, device=device, requires_grad=requires_grad)
    where = shared.device if device is None else resolve_device(device)
    made = shared
    if copy is False:
        if where is not shared.device:
            raise ValueError(f"asarray: can't alias tensor from device '{shared.device}' to '{where}'.")
        if dtype not in (None, shared.dtype):
            raise ValueError(
                f"asarray: can't alias tensor with dtype '{shared.dtype.name}' into dtype '{dtype.name}'."
            )
    else:
        made = shared.to(dtype=dtype or shared.dtype, device=where, copy=bool(copy))
    return made.requires_grad_() if requires_grad and not made.requires_grad else made


def _has_buffer(obj: Any) -> bool:
    """Does ``obj`` have the buffer protocol (bytes, bytearray, memoryview, array.array …)?"""
    try:
        memoryview(obj)
    except TypeError:
        return False
    return True


def frombuffer(
    buffer: Any, *, dtype: dtype, count: int = -1, offset: int = 0, requires_grad: bool = False
) -> Tensor:
    """Create a 1-d tensor on the memory of a buffer: ``count`` elements starting at byte ``offset``.

    ``count`` -1 means all elements.  Warns, once per process, if the buffer is read-only.  Raises TypeError
    for anything but a dtype, ValueError for an object without a buffer, an offset or a count beyond its end,
    and bytes that would be left over, RuntimeError for elements with gaps.  Source: torch.frombuffer.
    """
    from ..interop.numpy import bytes_of

    check_requires_grad("frombuffer", requires_grad)
    kind = _as_dtype(dtype, "frombuffer")
    if kind is None:
        raise TypeError(f"frombuffer(): argument 'dtype' must be {LIBRARY}.dtype, not NoneType")
    dtype = kind
    if not _has_buffer(buffer):
        raise ValueError("frombuffer: object does not implement Python buffer protocol.")
    view = memoryview(buffer)
    if not view.c_contiguous:
        raise RuntimeError("frombuffer: could not retrieve buffer from object: its elements have gaps")
    view = view.cast("B")
    available = view.nbytes
    itemsize = dtype.itemsize
    if available == 0 or count == 0:
        raise ValueError(f"frombuffer: both buffer length ({available}) and count ({count}) must not be 0")
    if not 0 <= offset < available:
        raise ValueError(
            f"frombuffer: offset ({offset} bytes) must be non-negative and no greater than buffer length "
            f"({available} bytes) minus 1"
        )
    if count < 0:
        if (available - offset) % itemsize:
            raise ValueError(
                f"frombuffer: buffer length ({available - offset} bytes) after offset ({offset} bytes) must "
                f"be a multiple of element size ({itemsize})"
            )
        count = (available - offset) // itemsize
    if offset + count * itemsize > available:
        raise ValueError(
            f"frombuffer: requested buffer length ({count} * {itemsize} bytes) after offset ({offset} bytes) "
            f"must not be greater than actual buffer length ({available} bytes)"
        )
    raw = bytes_of(view[offset : offset + count * itemsize])
    return from_numpy(raw, "buffer").view(dtype).requires_grad_(requires_grad)


def from_numpy(array: Any, named: str = "NumPy array") -> Tensor:
    """Create a tensor that shares the memory of a NumPy array; warnings call it ``named``.

    It is on the default device, or on ``reference`` if that can not use foreign memory.  A read-only array is
    shared, too, with one warning.  Source: torch.from_numpy.
    """
    from ..interop.numpy import from_numpy as wrap

    return _shown_to_modes(wrap(array, named))


if speedups is not None:
    from_numpy = speedups.from_numpy(from_numpy)


def _index_tensor(data: Any, device: Any) -> Tensor:
    """Convert nested sequences to an index tensor: bool and uint8 are kept, other dtypes become int64."""
    made = tensor(data, device=device)
    return made if made.numel() and made.dtype in (dtypes.bool_, dtypes.uint8) else made.to(dtypes.int64)


late_bound.make_index_tensor = _index_tensor
