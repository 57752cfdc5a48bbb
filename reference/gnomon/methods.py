"""Methods of Tensor that are not an operator of their own name: Python's operators, conversions, autograd.

Source: torch/_tensor.py, torch/csrc/autograd/python_variable_methods.cpp.
"""

from __future__ import annotations

import copy as copy_module
from collections.abc import Iterator
from typing import Any

from . import functional
from .argument_parser import OPERANDS, SYMBOLS, not_taken, operator_method
from .autograd import engine, tensor_hooks
from .bind import documentation
from .dispatch.dispatcher import aten
from .interop.numpy import to_numpy
from .kit.numbers import is_numpy_scalar
from .memory import text
from .memory.accessor import nested_list
from .memory.backend import backend_of, resolve_device
from .memory.spec import spec_of
from .memory.storage import Storage, allocate
from .memory.tensor import Tensor, make_tensor
from .ops import index
from .ops.index import is_array
from .values import dtype as dtypes
from .values.device import memory_format as memory_format_type
from .values.device import preserve_format
from .values.dtype import dtype
from .values.errors import type_name
from .values.speedups import speedups


def _equal(self: Tensor, other: Any) -> Any:
    """``self == other``: the only operator whose other operand may be an array, as it is.

    All others leave it to NumPy, which takes the tensor as an array, and ``__array_wrap__``.
    """
    if is_array(other):
        from .interop.numpy import copy_from_numpy

        try:
            other = copy_from_numpy(other, None, self.device)
        except TypeError:  # an array of strings or objects
            return NotImplemented
    return aten.eq(self, other)


def _described(method: Any, name: str, formula: str) -> Any:
    """``method`` under the name of Python's operator."""
    method.__name__ = method.__qualname__ = name
    method.__doc__ = (
        f"``{formula}``, for a tensor, a number or a scalar of NumPy on either side.\n\n"
        "Sizes broadcast and dtypes promote.  Raises TypeError for any other operand, and what the "
        f"operator of that\nname raises.\n\nSource: torch.Tensor.{name}."
    )
    return method


def _or_array(function: Any, name: str) -> Any:
    """The method of an operator whose other operand may be an array."""
    taken = operator_method(function, name)

    def method(self: Tensor, other: Any) -> Any:
        return function(self, other) if is_array(other) else taken(self, other)

    return method


_TAKE_ARRAYS = ("__eq__", "__rtruediv__", "__rdiv__")  # an array / a tensor: its reciprocal * the array


def backward(
    self: Tensor,
    gradient: Tensor | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    """Add to each leaf's ``grad`` the gradient of this tensor (times ``gradient``, which a single number may
    leave out).

    Raises RuntimeError for a tensor that needs no gradient, one of several elements without ``gradient``, and
    a graph that an earlier backward has freed.  Source: torch.Tensor.backward.
    """
    engine.backward(self, gradient, retain_graph, create_graph, inputs=inputs)


def to_bool(self: Tensor) -> bool:
    """Is the only element not 0?  Raises RuntimeError for a tensor of several elements."""
    if self._spec.numel != 1:
        kind = "no" if self._spec.numel == 0 else "more than one"
        raise RuntimeError(
            f"Boolean value of Tensor with {kind} value{'s' if kind == 'no' else ''} is ambiguous"
        )
    return bool(self.item())


def _to_index(self: Tensor) -> int:
    if self._spec.numel != 1 or self._spec.dtype.category > 1:
        raise TypeError("only integer tensors of a single element can be converted to an index")
    return int(self.item())


def _to_number(self: Tensor) -> Any:
    if self._spec.numel != 1:
        raise ValueError("only one element tensors can be converted to Python scalars")
    return self.item()


def _to_real(self: Tensor, kind: Any) -> Any:
    """The only element as an int or a float.

    Raises RuntimeError for a complex number, ValueError for several elements.
    """
    number = _to_number(self)
    if isinstance(number, complex):
        if number.imag:
            raise RuntimeError(
                f"value cannot be converted to type {kind.__name__} without overflow: {number}"
            )
        number = number.real
    return kind(number)


def _contains(self: Tensor, element: Any) -> bool:
    if not isinstance(element, OPERANDS) and not is_numpy_scalar(element):
        raise RuntimeError(
            f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}."
        )
    return bool((self == element).any().item())


def _iterate(self: Tensor) -> Iterator[Tensor]:
    if self._spec.ndim == 0:
        raise TypeError("iteration over a 0-d tensor")
    return iter(aten.unbind.int(self, 0))


def tolist(self: Tensor) -> Any:
    """The elements as nested lists of Python numbers; a number for a 0-dim tensor."""
    return nested_list(self)


def numpy(self: Tensor, *, force: bool = False) -> Any:
    """The tensor as a NumPy array: over the same memory where that is on the host, else a copy with
    ``force``.

    Raises RuntimeError for a tensor that requires grad, TypeError for one without host memory or for
    bfloat16, unless ``force``.  Source: torch.Tensor.numpy.
    """
    return to_numpy(self, force)


def _array(self: Tensor, dtype: Any = None, copy: Any = None) -> Any:
    """What NumPy asks for: a copy if ``copy`` is True, none if it is False, else where it has to be."""
    array = self.numpy()
    if dtype is not None and array.dtype != dtype:
        if copy is False:
            raise ValueError(f"{self.dtype} can not be seen as {dtype} without a copy")
        return array.astype(dtype)
    return array.copy() if copy else array


def _array_wrap(self: Tensor, array: Any, context: Any = None, return_scalar: bool = False) -> Tensor:
    """What NumPy makes of the result of a function of this tensor: a tensor over the array's memory.

    A bool array becomes uint8.  Raises TypeError for elements that gnomon has no dtype for.
    Source: torch.Tensor.__array_wrap__.
    """
    from .interop.numpy import from_numpy

    return from_numpy(array.astype("uint8") if array.dtype == bool else array).to(self.device)


def _copied_storage(self: Tensor, memo: dict[int, Any]) -> Any:
    """A copy of the whole storage: one for all the tensors of one copy that share it."""
    storage = self.untyped_storage()
    if id(storage) not in memo:
        where = storage.device
        memory = allocate(storage.backend, storage.nbytes(), where)
        made = Storage(storage.backend, where, memory, storage.nbytes())
        if storage.nbytes() and not self.is_meta:
            made.copy_in(0, storage.copy_out()[: storage.nbytes()])
        memo[id(storage)] = made
    return memo[id(storage)]


def _deepcopy(self: Tensor, memo: dict[int, Any]) -> Tensor:
    if id(self) in memo:
        return memo[id(self)]
    if not self.is_leaf:
        raise RuntimeError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at "
            "the moment."
        )
    if (
        self.untyped_storage().device != self.device
    ):  # a wrapper, whose numbers its __gnomon_dispatch__ copies
        made = self.detach().clone()
        if type(made) is not type(self):
            raise RuntimeError(
                f"deepcopy: clone() of a {type(self).__name__} gave a {type(made).__name__}; its "
                "__gnomon_dispatch__ has to wrap the clone again"
            )
    else:
        made = make_tensor(self._spec, _copied_storage(self, memo), self._storage_offset)
        if type(self) is not Tensor:
            made = type(self)._make_subclass(made)
    if type(self) is not Tensor:
        made.__dict__.update(copy_module.deepcopy(self.__dict__, memo))
    made.requires_grad_(self.requires_grad)
    if self.grad is not None:
        made.grad = _deepcopy(self.grad, memo)
    memo[id(self)] = made
    return made


def _copy(self: Tensor) -> Tensor:
    return self.detach().requires_grad_(self.requires_grad)


def _rebuild(
    cls: Any,
    data: bytes,
    sizes: tuple[int, ...],
    strides: tuple[int, ...],
    kind: dtype,
    device: str,
    requires_grad: bool,
    storage_offset: int = 0,
) -> Tensor:
    """A tensor from what ``_reduce`` says of it: ``data`` is all of its storage, empty on the device meta.

    Raises TypeError or RuntimeError where these do not make a tensor: a file may come from anywhere.
    """
    if not (isinstance(cls, type) and issubclass(cls, Tensor)):
        raise TypeError(f"rebuilding a tensor: expected a subclass of Tensor, got {cls!r}")
    if not isinstance(kind, dtype):
        raise TypeError(f"rebuilding a tensor: expected a gnomon.dtype, got {type(kind).__name__}")
    for name, numbers in (("sizes", sizes), ("strides", strides), ("storage_offset", (storage_offset,))):
        if not isinstance(numbers, (tuple, list)) or not all(type(each) is int for each in numbers):
            raise TypeError(f"rebuilding a tensor: {name} must be ints, got {numbers!r}")
        if any(not 0 <= each < 2**63 for each in numbers):
            raise RuntimeError(f"rebuilding a tensor: {name} must be from 0 to 2**63 - 1, got {numbers!r}")
    if len(sizes) != len(strides):
        raise RuntimeError(f"unequal size length ({len(sizes)}) and stride length ({len(strides)})")
    where = resolve_device(device)
    spec = spec_of(tuple(sizes), tuple(strides), kind, where)
    needed = storage_offset * kind.itemsize + spec.extent_nbytes if spec.numel else 0
    nbytes = needed if where.type == "meta" else memoryview(data).nbytes
    if needed > nbytes:
        raise RuntimeError(
            f"setStorage: sizes {list(sizes)}, strides {list(strides)}, storage offset {storage_offset}, and "
            f"itemsize {kind.itemsize} requiring a storage size of {needed} are out of bounds for storage of "
            f"size {nbytes}"
        )
    backend = backend_of(where)
    storage = Storage(backend, where, allocate(backend, nbytes, where), nbytes)
    if nbytes and where.type != "meta":
        storage.copy_in(0, memoryview(data))
    made = make_tensor(spec, storage, storage_offset)
    if cls is not Tensor:
        made = cls._make_subclass(made)
    return made.requires_grad_(requires_grad)


def _reduce(self: Tensor, protocol: int) -> Any:
    """What pickle keeps: all of the storage, and how the tensor lies in it."""
    spec = self._spec
    storage = self.untyped_storage()
    data = b"" if self.is_meta else bytes(storage.copy_out()[: storage.nbytes()])
    return _rebuild, (
        type(self),
        data,
        spec.sizes,
        spec.strides,
        spec.dtype,
        str(spec.device),
        self.requires_grad,
        self._storage_offset,
    )


def record_stream(self: Tensor, stream: Any) -> None:
    """Say that work in ``stream`` uses the tensor's memory: once released, it rests until that is done.

    Raises NotImplementedError on a device that has no streams.  Source: torch.Tensor.record_stream.
    """
    memory = self.untyped_storage().memory
    if not hasattr(memory, "record_stream"):
        raise NotImplementedError(f"record_stream: {self.device} has no streams")
    memory.record_stream(stream)


def type_as(self: Tensor, other: Tensor) -> Tensor:
    """Converted to the dtype and device of ``other``."""
    return aten.to.other(self, other, False, False, None)


def to(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """``self`` with another dtype, device, or those of another tensor; itself where nothing changes.

    ``to(dtype)``, ``to(device)``, ``to(device, dtype)``, ``to(other)``, each with ``non_blocking``, ``copy``
    and ``memory_format``.  Raises TypeError for other arguments.  Source: torch.Tensor.to.
    """
    if len(args) == 1 and not kwargs and args[0].__class__ is dtype:  # as nearly always
        return aten.to.dtype(self, args[0], False, False, None)
    if args and isinstance(args[0], Tensor):
        other, *rest = args
        args, kwargs = tuple(rest), {"dtype": other.dtype, "device": other.device, **kwargs}
        names = ["non_blocking", "copy"]
    elif args and isinstance(args[0], (dtype, type)):
        names = ["dtype", "non_blocking", "copy"]
    else:
        names = ["device", "dtype", "non_blocking", "copy"]
    if len(args) > len(names):
        raise TypeError(f"to(): takes at most {len(names)} positional arguments, got {len(args)}")
    options = {**dict(zip(names, args)), **kwargs}
    return aten.to(self, **_only_dtype_layout(options))


def _only_dtype_layout(options: dict[str, Any]) -> dict[str, Any]:
    """The options as keywords, which only the overload ``to.dtype_layout`` has all of."""
    return {"layout": None, **options}


def _as_dtype(name: str, kind: dtype) -> Any:
    def method(self: Tensor, *, memory_format: Any = preserve_format) -> Tensor:
        if memory_format is not None and not isinstance(memory_format, memory_format_type):
            raise TypeError(
                f"{name}(): argument 'memory_format' must be gnomon.memory_format, not "
                f"{type_name(memory_format)}"
            )
        return aten.to.dtype(self, kind, False, False, memory_format)

    method.__doc__ = (
        f"The tensor with the dtype {kind.name}: itself where that is its dtype, else a copy of the same "
        "shape, which\nlies as ``memory_format`` says.\n\n"
        "Raises TypeError for a ``memory_format`` that is none, RuntimeError for one that the tensor can not "
        f"have.  Source: torch.Tensor.{name}."
    )
    method.__name__ = name
    method.__qualname__ = f"Tensor.{name}"
    return method


def _matmul(self: Tensor, other: Any) -> Any:
    """``self @ other``: matmul of two tensors, whose shapes and dtypes it checks.

    Raises TypeError for any other operand.  Source: torch.Tensor.__matmul__.
    """
    return aten.matmul(self, other) if isinstance(other, Tensor) else not_taken(self, other, "__matmul__")


def _reflected_matmul(self: Tensor, other: Any) -> Any:
    """``other @ self``: matmul of two tensors, whose shapes and dtypes it checks.

    Raises TypeError for any other operand.  Source: torch.Tensor.__rmatmul__.
    """
    return aten.matmul(other, self) if isinstance(other, Tensor) else not_taken(self, other, "__rmatmul__")


def _invert(self: Tensor) -> Tensor:
    if self._spec.dtype.category > 1:
        raise TypeError(
            f"~ is only implemented on integer and bool tensors, but got one of dtype {self._spec.dtype.name}"
        )
    return aten.bitwise_not(self)


def _flipped(self: Tensor) -> Tensor:
    """The tensor with its dimensions in reverse order, a view; for matrices, the transpose.

    Raises nothing, whatever the shape and the dtype.  Source: torch.Tensor.T.
    """
    return self.permute(list(range(self._spec.ndim - 1, -1, -1)))


def _matrix_transpose(self: Tensor) -> Tensor:
    """The transpose of the last two dimensions, a view.  Raises RuntimeError where there is one only.

    Source: torch.Tensor.mT.
    """
    if self._spec.ndim == 1:
        raise RuntimeError("tensor.mT is only supported on matrices or batches of matrices. Got 1-D tensor.")
    return self.transpose(-2, -1) if self._spec.ndim else self


def _matrix_adjoint(self: Tensor) -> Tensor:
    """The complex conjugate of a matrix, transposed.  Raises RuntimeError for other numbers of dimensions.

    Source: torch.Tensor.H.
    """
    if self._spec.ndim not in (0, 2):
        raise RuntimeError(
            f"tensor.H is only supported on matrices (2-D tensors). Got {self._spec.ndim}-D tensor."
        )
    return aten.adjoint(self)


def _batched_adjoint(self: Tensor) -> Tensor:
    """The complex conjugates of matrices (*, m, n), transposed: (*, n, m).  Raises RuntimeError for vectors.

    Source: torch.Tensor.mH.
    """
    return aten.adjoint(self)


def _format(self: Tensor, specification: str) -> str:
    if self._spec.ndim == 0 and type(self) is Tensor and not self.is_meta:
        return format(self.item(), specification)
    return object.__format__(self, specification)  # refuses a specification, as lists do


# Methods that convert to a dtype, and its name.
_DTYPE_METHODS = {
    "float": "float32",
    "double": "float64",
    "half": "float16",
    "bfloat16": "bfloat16",
    "int": "int32",
    "long": "int64",
    "short": "int16",
    "char": "int8",
    "byte": "uint8",
    "bool": "bool",
    "cfloat": "complex64",
    "cdouble": "complex128",
}


def bind_methods() -> None:
    """Attach everything in this file to Tensor."""
    same = {name: name for name in ("add", "sub", "mul", "pow", "eq", "ne", "lt", "le", "gt", "ge")}
    other = {"truediv": "div", "floordiv": "floor_divide", "mod": "remainder"}
    bits = {"and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor"}
    bits |= {"lshift": "bitwise_left_shift", "rshift": "bitwise_right_shift"}
    operators = same | other | bits
    binary = {name: getattr(aten, operator).parser for name, operator in operators.items()}
    inplace = {
        name: getattr(aten, f"{operators[name]}_").parser
        for name in ("add", "sub", "mul", "pow", *other, *bits)
    }
    binary["eq"] = _equal
    reflected = {name: binary[name] for name in ("add", "mul", "and", "or", "xor")} | {
        "sub": aten.rsub.parser,
        "truediv": lambda self, other: aten.reciprocal(self) * other,
        "lshift": lambda self, other: aten.bitwise_left_shift(other, self),
        "rshift": lambda self, other: aten.bitwise_right_shift(other, self),
        "pow": lambda self, other: aten.pow(other, self),
        "floordiv": lambda self, other: aten.div_floor(other, self),
        "mod": lambda self, other: aten.remainder(other, self),
    }
    reflected["div"] = reflected["truediv"]
    for prefix, functions in (("", binary), ("r", reflected), ("i", inplace)):
        for name, function in functions.items():
            symbol = SYMBOLS[name]
            formula = {"": f"self {symbol} other", "r": f"other {symbol} self", "i": f"self {symbol}= other"}[
                prefix
            ]
            method = f"__{prefix}{name}__"
            made = (
                _or_array(function, method) if method in _TAKE_ARRAYS else operator_method(function, method)
            )
            setattr(Tensor, method, _described(made, method, formula))
    Tensor.__matmul__ = _matmul
    Tensor.__rmatmul__ = _reflected_matmul
    Tensor.__neg__ = lambda self: aten.neg(self)
    Tensor.__pos__ = lambda self: aten.positive(self)
    Tensor.__invert__ = _invert
    Tensor.__abs__ = lambda self: aten.abs(self)
    Tensor.__bool__ = to_bool
    Tensor.__float__ = lambda self: _to_real(self, float)
    Tensor.__int__ = lambda self: _to_real(self, int)
    Tensor.__complex__ = lambda self: complex(_to_number(self))
    Tensor.__index__ = _to_index
    Tensor.__iter__ = _iterate
    Tensor.__hash__ = object.__hash__
    Tensor.__getitem__ = index.getitem
    Tensor.__setitem__ = index.setitem
    Tensor.__contains__ = _contains
    Tensor.__reversed__ = lambda self: self.flip(0) if self._spec.ndim else self
    Tensor.__repr__ = text.tensor_repr
    Tensor.__format__ = _format
    Tensor.__array__ = _array
    Tensor.__array_wrap__ = _array_wrap
    Tensor.__array_priority__ = 1000  # an array leaves its operators to the tensor beside it
    Tensor.__deepcopy__ = _deepcopy
    Tensor.__copy__ = _copy
    Tensor.__reduce_ex__ = _reduce
    Tensor.tolist = tolist
    Tensor.numpy = numpy
    Tensor.backward = backward
    Tensor.register_hook = tensor_hooks.register_hook
    Tensor.register_post_accumulate_grad_hook = tensor_hooks.register_post_accumulate_grad_hook
    Tensor.record_stream = record_stream
    Tensor.retain_grad = tensor_hooks.retain_grad
    Tensor.to = to
    Tensor.type_as = type_as
    Tensor.T = property(_flipped)
    Tensor.mT = property(_matrix_transpose)
    Tensor.H = property(_matrix_adjoint)
    Tensor.mH = property(_batched_adjoint)
    Tensor.real = property(lambda self: aten.real(self), doc=documentation(aten.real))
    Tensor.imag = property(lambda self: aten.imag(self), doc=documentation(aten.imag))
    Tensor.where = lambda self, condition, other: aten.where(condition, self, other)
    Tensor.where.__doc__ = documentation(aten.where)
    Tensor.nonzero = lambda self, *, as_tuple=False: functional.nonzero(self, as_tuple=as_tuple)
    Tensor.nonzero.__doc__ = functional.nonzero.__doc__
    Tensor.polygamma = lambda self, n: aten.polygamma(n, self)
    Tensor.cpu = lambda self, memory_format=preserve_format: self.to("cpu", memory_format=memory_format)
    Tensor.conj = lambda self: aten.conj(self)
    Tensor.conj.__doc__ = documentation(aten.conj)
    for name, kind in _DTYPE_METHODS.items():
        setattr(Tensor, name, _as_dtype(name, dtypes.dtype_named(kind)))


def bind_speedups(namespace: dict[str, Any]) -> None:
    """Where there are C speedups: what Python's operators, indexing and properties call."""
    if speedups is None:
        return
    for name in [*SYMBOLS, "neg", "abs", "matmul", "iadd", "isub", "imul"]:
        for prefix in ("", "r", "i"):
            full_name = f"__{prefix}{name}__"
            readable = Tensor.__dict__.get(full_name)
            if readable is not None:
                setattr(Tensor, full_name, speedups.method(readable))
    Tensor.__getitem__ = speedups.method(index.getitem, may_view=True)
    for name in ("to", "type_as", "cpu", *_DTYPE_METHODS):
        setattr(Tensor, name, speedups.method(Tensor.__dict__[name]))
    for name in ("T", "mT", "H", "mH"):
        getter = getattr(Tensor, name).fget
        setattr(Tensor, name, property(speedups.method(getter, may_view=True), doc=getter.__doc__))
    speedups.bind(Tensor, namespace)


__all__ = ["backward", "bind_methods", "numpy", "to", "tolist"]
