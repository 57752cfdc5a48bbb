"""What methods of Tensor do that are no operators: conversions, Python's protocols, autograd.

Which method each of them is says the table (methods.py).

Source: torch/_tensor.py, torch/csrc/autograd/python_variable_methods.cpp.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..autograd import engine
from ..dispatch.dispatcher import OpOverloadPacket, aten
from ..interop.numpy import to_numpy
from ..memory.accessor import nested_list
from ..memory.backend import offers_of
from ..memory.tensor import Tensor
from ..ops.indexing.index import is_array
from ..values.device import memory_format as memory_format_type
from ..values.device import preserve_format
from ..values.dtype import dtype
from ..values.errors import type_name
from ..values.scalar import is_numpy_scalar
from . import functional
from .argument_parser import OPERANDS, not_taken, operator_method


def equal(self: Tensor, other: Any) -> Any:
    """``self == other``: the only operator whose other operand may be an array, as it is.

    All others leave it to NumPy, which takes the tensor as an array, and ``__array_wrap__``.
    """
    if is_array(other):
        from ..interop.numpy import copy_from_numpy

        try:
            other = copy_from_numpy(other, None, self.device)
        except TypeError:  # an array of strings or objects
            return NotImplemented
    return aten.eq(self, other)


def binary_operator(name: str, formula: str, function: Any) -> Any:
    """The method ``name`` of Python's operator ``formula``: ``function`` of both operands."""
    parse = function.parser if isinstance(function, OpOverloadPacket) else function
    method = operator_method(parse, name)
    if name in _TAKE_ARRAYS:
        method = _or_array(parse, method)
    method.__name__ = method.__qualname__ = name
    method.__doc__ = (
        f"``{formula}``, for a tensor, a number or a scalar of NumPy on either side.\n\n"
        "Sizes broadcast and dtypes promote.  Raises TypeError for any other operand, and what the "
        f"operator of that\nname raises.\n\nSource: torch.Tensor.{name}."
    )
    return method


_TAKE_ARRAYS = ("__eq__", "__rtruediv__", "__rdiv__")  # an array / a tensor: its reciprocal * the array


def _or_array(function: Any, taken: Any) -> Any:
    """The method of an operator whose other operand may be an array."""

    def method(self: Tensor, other: Any) -> Any:
        return function(self, other) if is_array(other) else taken(self, other)

    return method


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


def to_index(self: Tensor) -> int:
    if self._spec.numel != 1 or self._spec.dtype.category > 1:
        raise TypeError("only integer tensors of a single element can be converted to an index")
    return int(self.item())


def to_number(self: Tensor) -> Any:
    if self._spec.numel != 1:
        raise ValueError("only one element tensors can be converted to Python scalars")
    return self.item()


def to_real(self: Tensor, kind: Any) -> Any:
    """The only element as an int or a float.

    Raises RuntimeError for a complex number, ValueError for several elements.
    """
    number = to_number(self)
    if isinstance(number, complex):
        if number.imag:
            raise RuntimeError(
                f"value cannot be converted to type {kind.__name__} without overflow: {number}"
            )
        number = number.real
    return kind(number)


def contains(self: Tensor, element: Any) -> bool:
    if not isinstance(element, OPERANDS) and not is_numpy_scalar(element):
        raise RuntimeError(
            f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}."
        )
    return bool((self == element).any().item())


def iterate(self: Tensor) -> Iterator[Tensor]:
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


def array_of(self: Tensor, dtype: Any = None, copy: Any = None) -> Any:
    """What NumPy asks for: a copy if ``copy`` is True, none if it is False, else where it has to be."""
    array = self.numpy()
    if dtype is not None and array.dtype != dtype:
        if copy is False:
            raise ValueError(f"{self.dtype} can not be seen as {dtype} without a copy")
        return array.astype(dtype)
    return array.copy() if copy else array


def array_wrap(self: Tensor, array: Any, context: Any = None, return_scalar: bool = False) -> Tensor:
    """What NumPy makes of the result of a function of this tensor: a tensor over the array's memory.

    A bool array becomes uint8.  Raises TypeError for elements that gnomon has no dtype for.
    Source: torch.Tensor.__array_wrap__.
    """
    from ..interop.numpy import from_numpy

    return from_numpy(array.astype("uint8") if array.dtype == bool else array).to(self.device)


def record_stream(self: Tensor, stream: Any) -> None:
    """Say that work in ``stream`` uses the tensor's memory: once released, it rests until that is done.

    Raises NotImplementedError on a device that has no streams.  Source: torch.Tensor.record_stream.
    """
    storage = self.untyped_storage()
    if "streams" not in storage.backend.traits:
        raise NotImplementedError(f"record_stream: {self.device} has no streams")
    offers_of(storage.backend).record_stream(storage.memory, stream)


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


def as_dtype(name: str, kind: dtype) -> Any:
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


def matmul(self: Tensor, other: Any) -> Any:
    """``self @ other``: matmul of two tensors, whose shapes and dtypes it checks.

    Raises TypeError for any other operand.  Source: torch.Tensor.__matmul__.
    """
    return aten.matmul(self, other) if isinstance(other, Tensor) else not_taken(self, other, "__matmul__")


def reflected_matmul(self: Tensor, other: Any) -> Any:
    """``other @ self``: matmul of two tensors, whose shapes and dtypes it checks.

    Raises TypeError for any other operand.  Source: torch.Tensor.__rmatmul__.
    """
    return aten.matmul(other, self) if isinstance(other, Tensor) else not_taken(self, other, "__rmatmul__")


def invert(self: Tensor) -> Tensor:
    if self._spec.dtype.category > 1:
        raise TypeError(
            f"~ is only implemented on integer and bool tensors, but got one of dtype {self._spec.dtype.name}"
        )
    return aten.bitwise_not(self)


def flipped(self: Tensor) -> Tensor:
    """The tensor with its dimensions in reverse order, a view; for matrices, the transpose.

    Raises nothing, whatever the shape and the dtype.  Source: torch.Tensor.T.
    """
    return self.permute(list(range(self._spec.ndim - 1, -1, -1)))


def matrix_transpose(self: Tensor) -> Tensor:
    """The transpose of the last two dimensions, a view.  Raises RuntimeError where there is one only.

    Source: torch.Tensor.mT.
    """
    if self._spec.ndim == 1:
        raise RuntimeError("tensor.mT is only supported on matrices or batches of matrices. Got 1-D tensor.")
    return self.transpose(-2, -1) if self._spec.ndim else self


def matrix_adjoint(self: Tensor) -> Tensor:
    """The complex conjugate of a matrix, transposed.  Raises RuntimeError for other numbers of dimensions.

    Source: torch.Tensor.H.
    """
    if self._spec.ndim not in (0, 2):
        raise RuntimeError(
            f"tensor.H is only supported on matrices (2-D tensors). Got {self._spec.ndim}-D tensor."
        )
    return aten.adjoint(self)


def batched_adjoint(self: Tensor) -> Tensor:
    """The complex conjugates of matrices (*, m, n), transposed: (*, n, m).  Raises RuntimeError for vectors.

    Source: torch.Tensor.mH.
    """
    return aten.adjoint(self)


def format_tensor(self: Tensor, specification: str) -> str:
    if self._spec.ndim == 0 and type(self) is Tensor and not self.is_meta:
        return format(self.item(), specification)
    return object.__format__(self, specification)  # refuses a specification, as lists do


def nonzero(self: Tensor, *, as_tuple: bool = False) -> Any:
    """The indices of the elements that are not 0: one a row, or with ``as_tuple`` one vector a dimension.

    Raises TypeError for what is no tensor.  Source: torch.Tensor.nonzero.
    """
    return functional.nonzero(self, as_tuple=as_tuple)
