"""Tensor types, as older programs write them: ``Tensor(2, 3)``, ``FloatTensor([1, 2])``, ``x.type(…)``.

A tensor type is a dtype on a device.  ``gnomon.FloatTensor`` is on the host's default device ("cpu"),
``gnomon.cuda.FloatTensor`` on a GPU.

Source: torch/csrc/tensor/python_tensor.cpp, torch/csrc/utils/tensor_new.cpp (legacy_tensor_generic_ctor_new),
torch/csrc/utils/tensor_types.cpp.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from ..dispatch.dispatcher import aten
from ..memory.backend import resolve_device, set_default_device
from ..memory.spec import contiguous_spec
from ..memory.storage import Storage
from ..memory.tensor import Tensor, make_tensor
from ..values import dtype as dtypes
from ..values.device import device, layout, strided
from ..values.dtype import dtype, get_default_dtype, set_default_dtype
from ..values.errors import type_name, warn
from ..values.geometry import Size
from ..values.library_name import LIBRARY
from .creation import tensor

NAMES = {
    "BFloat16Tensor": dtypes.bfloat16,
    "BoolTensor": dtypes.bool_,
    "ByteTensor": dtypes.uint8,
    "CharTensor": dtypes.int8,
    "ComplexDoubleTensor": dtypes.complex128,
    "ComplexFloatTensor": dtypes.complex64,
    "DoubleTensor": dtypes.float64,
    "FloatTensor": dtypes.float32,
    "HalfTensor": dtypes.float16,
    "IntTensor": dtypes.int32,
    "LongTensor": dtypes.int64,
    "ShortTensor": dtypes.int16,
}
_SIGNATURES = """
 * (*, gnomon.device device = None)
 * (gnomon.Storage storage)
 * (Tensor other)
 * (tuple of ints size, *, gnomon.device device = None)
 * (object data, *, gnomon.device device = None)
"""


class tensortype(type):
    """The class of tensor types: each has a dtype and a device; tensors with both are its instances.

    Source: torch.tensortype.
    """

    dtype: dtype
    device_type: str
    layout: layout = strided

    def __instancecheck__(cls, instance: Any) -> bool:
        return (
            isinstance(instance, Tensor)
            and instance.dtype is cls.dtype
            and name_of(instance) == f"{cls.__module__}.{cls.__name__}"
        )

    def __call__(cls, *args: Any, **kwargs: Any) -> Tensor:
        """An uninitialized tensor of the given sizes, or one with the elements of a sequence."""
        return _constructed(cls.__name__, Tensor, cls.dtype, resolve_device(cls.device_type), args, kwargs)

    @property
    def is_cuda(cls) -> bool:
        """Is it a type of tensors on a GPU?"""
        return cls.device_type == "cuda"


def tensor_type(name: str, device_type: str = "cpu") -> tensortype:
    """The tensor type ``name``, a key of NAMES, on a device: gnomon.FloatTensor, gnomon.cuda.FloatTensor."""
    module = f"{LIBRARY}" if device_type == "cpu" else f"{LIBRARY}.{device_type}"
    made = tensortype(
        name, (), {"__module__": module, "__doc__": f"Tensors of {NAMES[name]} on {device_type}."}
    )
    made.dtype, made.device_type = NAMES[name], device_type
    return made


TYPES = {name: tensor_type(name) for name in NAMES}


def _constructed(
    name: str, cls: type[Tensor], kind: dtype, default: device, args: Any, kwargs: dict[str, Any]
) -> Tensor:
    """The result of the constructor of a class or of a tensor type."""
    where = kwargs.pop("device", None)
    if kwargs or (len(args) > 1 and not all(map(_is_size, args))):
        named = [f"{key}={type_name(each)}" for key, each in kwargs.items()]
        raise TypeError(
            f"new() received an invalid combination of arguments - got "
            f"({', '.join([*map(type_name, args), *named])}), but expected one of:{_SIGNATURES}"
        )
    if where is not None and resolve_device(where).type != default.type:
        raise RuntimeError(
            f"legacy constructor expects device type: {default.type} but device type: "
            f"{resolve_device(where).type} was passed"
        )
    where = default if where is None else resolve_device(where)
    data = args[0] if args else Size((0,))
    if isinstance(data, Size) or _is_size(data):
        sizes = data if isinstance(data, Size) else [operator.index(each) for each in args]
        made = aten.empty(sizes, dtype=kind, device=where)
    elif isinstance(data, Storage):
        made = _of_storage(data, kind)
    elif isinstance(data, Tensor):
        if name != "Tensor" and (data.dtype is not kind or data.device.type != where.type):
            raise TypeError(
                f"{name}: expected a tensor of {kind} on {where}, got {data.dtype} on {data.device}"
            )
        made = aten.alias(data.detach())
    elif isinstance(data, (str, bytes)):
        raise TypeError(f"new(): invalid data type {type_name(data)!r}")
    elif not _is_sequence(data):
        raise TypeError(f"new(): data must be a sequence (got {type_name(data)})")
    else:  # as in PyTorch, fractions are dropped
        made = tensor(data, device=where).to(kind)
    return made if cls is Tensor else Tensor._make_subclass(cls, made)


def _is_size(value: Any) -> bool:
    """Whether it is an integer: an array has ``__index__``, too, which raises unless it is one integer."""
    if isinstance(value, (bool, Tensor)):
        return False
    try:
        operator.index(value)
    except TypeError:
        return False
    return True


def _is_sequence(value: Any) -> bool:
    return hasattr(value, "__getitem__") and hasattr(value, "__len__") and not isinstance(value, dict)


def _of_storage(storage: Storage, kind: dtype) -> Tensor:
    """The whole storage as a 1-d tensor."""
    return make_tensor(contiguous_spec((storage.nbytes() // kind.itemsize,), kind, storage.device), storage)


def legacy_new(cls: type[Tensor], *args: Any, **kwargs: Any) -> Tensor:
    """The constructor of Tensor, of the default dtype on the default device.

    ``Tensor(2, 3)`` is uninitialized and has these sizes, ``Tensor([1, 2])`` has the elements of a sequence,
    ``Tensor(storage)`` is a storage's whole memory, ``Tensor(other)`` an alias of a tensor, of its own dtype.
    Prefer ``gnomon.empty`` and ``gnomon.tensor``.  Raises TypeError for
    other arguments.  Source: torch.Tensor.
    """
    return _constructed("Tensor", cls, get_default_dtype(), resolve_device(None), args, kwargs)


def new(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """Like the constructor ``Tensor(...)``, of this tensor's dtype and device.  Source: torch.Tensor.new."""
    return _constructed("new", Tensor, self.dtype, self.device, args, kwargs)


def new_tensor(
    self: Tensor,
    data: Any,
    *,
    dtype: dtype | None = None,
    device: Any = None,
    requires_grad: bool = False,
    layout: layout = strided,
    pin_memory: bool = False,
) -> Tensor:
    """A copy of ``data``: a tensor, an array, a number or nested sequences.

    dtype and device default to those of this tensor.  Raises what ``gnomon.tensor`` raises.  Source:
    torch.Tensor.new_tensor.
    """
    kind, where = dtype or self.dtype, self.device if device is None else device
    return tensor(data, dtype=kind, device=where, requires_grad=requires_grad, pin_memory=pin_memory)


def name_of(self: Tensor) -> str:
    """The name of the tensor type: ``gnomon.FloatTensor``, ``gnomon.cuda.FloatTensor``."""
    kind = self.device.type
    prefix = f"{LIBRARY}" if kind == resolve_device("cpu").type else f"{LIBRARY}.{kind}"
    return f"{prefix}{'.sparse' if self.is_sparse else ''}.{self.dtype.scalar_type}Tensor"


def typename(obj: Any, /) -> str:
    """The name of an object's type, or of a class or function itself, with its module unless it is Python's.

    For a tensor the name of its tensor type (``"gnomon.FloatTensor"``).  Source: torch.typename.
    """
    if isinstance(obj, Tensor):
        return name_of(obj)
    named = obj if hasattr(obj, "__qualname__") or hasattr(obj, "__name__") else type(obj)
    module = getattr(named, "__module__", "") or ""
    name: str = getattr(named, "__qualname__", "") or named.__name__
    return name if module in ("", "builtins") else f"{module}.{name}"


def type_(self: Tensor, dtype: Any = None, non_blocking: bool = False) -> Any:
    """Without ``dtype``, the name of the tensor type; otherwise this tensor converted to it.

    ``dtype`` is a dtype, a tensor type, or a tensor type's name (``"gnomon.LongTensor"``); a tensor type is
    also of a device.  Raises ValueError for another name or class, TypeError for another object.
    Source: torch.Tensor.type.
    """
    if dtype is None:
        return name_of(self)
    if isinstance(dtype, str):
        dtype = _named(dtype)
    if isinstance(dtype, tensortype):
        return self.to(device=dtype.device_type, dtype=dtype.dtype, non_blocking=non_blocking)
    if dtype is Tensor:
        return self.to(device="cpu", dtype=get_default_dtype(), non_blocking=non_blocking)
    if isinstance(dtype, type):
        raise ValueError(f"invalid type: {typename(dtype)!r}")
    if not isinstance(dtype, dtypes.dtype):
        raise TypeError("dtype must be a type, str, or dtype object")
    return self.to(dtype, non_blocking=non_blocking)


def _named(name: str) -> tensortype:
    """The tensor type of that name; PyTorch's names stand for gnomon's.  Raises ValueError."""
    library, *devices, last = name.split(".") if "." in name else ("", name)
    if library not in ("gnomon", "torch") or len(devices) > 1 or last not in (*NAMES, "Tensor"):
        raise ValueError(f"invalid type: {name!r}")
    return tensor_type(f"{get_default_dtype().scalar_type}Tensor" if last == "Tensor" else last, *devices)


def set_default_tensor_type(t: Any) -> None:
    """Sets the default dtype and the default device.  Deprecated in PyTorch, which warns, too.

    ``t`` is a floating point tensor type, or its name.  Raises TypeError for any other type.  Source:
    torch.set_default_tensor_type.
    """
    warn(
        "gnomon.set_default_tensor_type() is deprecated: use gnomon.set_default_dtype() and "
        "gnomon.set_default_device() as alternatives.",
    )
    found = _named(t) if isinstance(t, str) else t
    if not isinstance(found, tensortype):
        raise TypeError("invalid type object: only floating-point types are supported as the default type")
    if not found.dtype.is_floating_point:
        raise TypeError("only floating-point types are supported as the default type")
    resolve_device(found.device_type)  # raises if the backend is not available
    set_default_dtype(found.dtype)
    set_default_device(found.device_type)


def _check_in_place(self: Tensor, name: str) -> None:
    if self.requires_grad:
        raise RuntimeError(
            f"Can't call {name}() on Variable that requires grad. Use var.detach().{name}() instead."
        )


def _written(self: Tensor, name: str, function: Callable[..., Any], others: tuple[Any, ...]) -> Tensor:
    """Write ``function(element, *elements of others)`` to each element; nothing is written if it raises."""
    _check_in_place(self, name)
    if not callable(function):
        raise TypeError(f"{type_name(function)!r} object is not callable")
    for place, other in enumerate(others, 1):
        if not isinstance(other, Tensor):
            word = "other" if len(others) == 1 else "xy"[place - 1]
            raise TypeError(
                f"{name}(): argument '{word}' (position {place}) must be Tensor, not {type_name(other)}"
            )
        if other.dtype is not self.dtype or other.device is not self.device:
            raise TypeError(f"{name}: expected {name_of(self)} for 'other' (got {name_of(other)})")
    if self.is_meta:
        return self
    columns = [each.expand(self.shape).flatten().tolist() for each in (self, *others)]
    found = tensor([function(*row) for row in zip(*columns)], dtype=self.dtype, device=self.device)
    return self.copy_(found.reshape(self.shape))


def apply_(self: Tensor, callable: Callable[[Any], Any]) -> Tensor:
    """Replaces each element by ``callable(element)``, a Python function of numbers: slow.  Returns self.

    Raises RuntimeError for a tensor that requires grad.  Source: torch.Tensor.apply_.
    """
    return _written(self, "apply_", callable, ())


def map_(self: Tensor, other: Tensor, callable: Callable[[Any, Any], Any]) -> Tensor:
    """Replaces each element by ``callable(element, element of other)``: slow.  ``other`` broadcasts.

    Raises TypeError unless ``other`` has the same dtype and device, RuntimeError for a tensor that requires
    grad.  Source: torch.Tensor.map_.
    """
    return _written(self, "map_", callable, (other,))


def map2_(self: Tensor, x: Tensor, y: Tensor, callable: Callable[[Any, Any, Any], Any]) -> Tensor:
    """Like ``map_``, with the elements of two other tensors.  Source: torch.Tensor.map2_."""
    return _written(self, "map2_", callable, (x, y))
