"""Methods of Tensor that are not operators: conversions, Python's protocols, autograd.

The table in methods.py gives them their names.

Source: torch/_tensor.py, torch/csrc/autograd/python_variable_methods.cpp.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..autograd import engine
from ..dispatch.dispatcher import OpOverloadPacket, aten
from ..interop.numpy import to_numpy
from ..memory.accessor import nested_list
from ..memory.backend import get_default_device, offers_of, resolve_device
from ..memory.tensor import Tensor, alias_tensor
from ..ops.indexing.index import is_array
from ..values.device import device, preserve_format
from ..values.device import memory_format as memory_format_type
from ..values.dispatch_key import AUTOGRAD
from ..values.dtype import dtype
from ..values.errors import type_name, warn
from ..values.library_name import LIBRARY
from ..values.scalar import is_numpy_scalar
from ..values.speedups import speedups
from . import functional
from .argument_parser import OPERANDS, not_taken, operator_method


def equal(self: Tensor, other: Any) -> Any:
    """``self == other``, which also accepts an array.

    The other operators leave arrays to NumPy, which converts the tensor to an array, and ``__array_wrap__``.
    """
    if is_array(other):
        from ..interop.numpy import copy_from_numpy

        try:
            other = copy_from_numpy(other, None, self.device)
        except TypeError:  # an array of strings or objects
            return NotImplemented
    return aten.eq(self, other)


def binary_operator(name: str, formula: str, function: Any) -> Any:
    """Create the method ``name`` of Python's operator ``formula``, which calls ``function``."""
    parse = function.parser if isinstance(function, OpOverloadPacket) else function
    method = operator_method(parse, name)
    if name in _TAKE_ARRAYS:
        method = _or_array(parse, method)
    method.__name__ = method.__qualname__ = name
    method.__doc__ = (
        f"``{formula}``, where ``other`` is a tensor, a Python number or a NumPy scalar.\n\n"
        "The operands broadcast and their dtypes promote.  Raises TypeError for an operand of another type "
        "that does\nnot implement the operator, and the errors of the function that it calls.\n\n"
        f"Source: torch.Tensor.{name}."
    )
    return method


_TAKE_ARRAYS = ("__eq__", "__rtruediv__", "__rdiv__")  # an array / a tensor: its reciprocal * the array


def _or_array(function: Any, taken: Any) -> Any:
    """The method of an operator that also accepts an array."""

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
    """Add the gradients of this tensor to the ``grad`` of each leaf, multiplied by ``gradient``.

    ``gradient`` may be omitted for a tensor of one element.  Raises RuntimeError for a tensor that does not
    require grad, for one of several elements without ``gradient``, and for a graph that was freed by an
    earlier backward.  Source: torch.Tensor.backward.
    """
    engine.backward(self, gradient, retain_graph, create_graph, inputs=inputs)


def as_subclass(self: Tensor, cls: type[Tensor]) -> Tensor:
    """The same data, shape and dtype as a tensor of class ``cls``: a view, for which backward works, too.

    ``cls.__new__`` and ``__init__`` are not called.  Operators on it give plain Tensors, where PyTorch's keep
    the class by ``__torch_function__``.  Raises TypeError for a class that does not inherit from Tensor.

    Source: torch.Tensor.as_subclass.
    """
    if not isinstance(cls, type):
        raise TypeError(f"cls must be a type (got {type_name(cls)})")
    if not issubclass(cls, Tensor):
        raise TypeError(
            "Creating a Tensor subclass from a class that does not inherit from Tensor is not possible. Make "
            "sure your class inherits from Tensor."
        )
    view = aten.alias.default(self)
    if cls is Tensor:
        return view
    made = alias_tensor(view, view._spec, view._storage_offset, cls)
    made._keys |= view._keys & AUTOGRAD
    made._gradient_edge = view._gradient_edge
    made._autograd_meta = view._autograd_meta
    made._view_of = view._view_of
    return made


def cuda(
    self: Tensor,
    device: device | str | int | None = None,
    non_blocking: bool = False,
    memory_format: memory_format_type = preserve_format,
) -> Tensor:
    """This tensor on a GPU: ``device``, an index or a name, or by default the current one.

    Raises BackendUnavailableError without a GPU, RuntimeError for a device that is no GPU.  Source:
    torch.Tensor.cuda.
    """
    where = resolve_device(f"cuda:{device}" if isinstance(device, int) else device or "cuda")
    if where.type != "cuda":
        raise RuntimeError(f"Invalid device, must be cuda device, not {where}")
    return self.to(where, non_blocking=non_blocking, memory_format=memory_format)


def to_bool(self: Tensor) -> bool:
    """Is the only element nonzero?  Raises RuntimeError unless there is exactly one element."""
    if self._spec.numel != 1:
        kind = "no" if self._spec.numel == 0 else "more than one"
        raise RuntimeError(
            f"Boolean value of Tensor with {kind} value{'s' if kind == 'no' else ''} is ambiguous: sizes "
            f"{list(self._spec.sizes)}; any() or all() of it is one value, and where() chooses by element"
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

    Raises RuntimeError for a complex number, ValueError unless there is exactly one element.
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
    """The tensor as a NumPy array that shares its host memory; if it has none, a copy with ``force``.

    Raises RuntimeError for a tensor that requires grad and TypeError for one without host memory, both unless
    ``force``; TypeError for the dtype bfloat16.  Source: torch.Tensor.numpy.
    """
    return to_numpy(self, force)


if speedups is not None:
    numpy = speedups.to_array(numpy)


def array_of(self: Tensor, dtype: Any = None, copy: Any = None) -> Any:
    """NumPy's ``__array__``: copies if ``copy`` is True, never if it is False, else only if necessary."""
    array = self.numpy()
    if dtype is not None and array.dtype != dtype:
        if copy is False:
            raise ValueError(f"cannot convert {self.dtype} to {dtype} without a copy")
        return array.astype(dtype)
    return array.copy() if copy else array


def array_wrap(self: Tensor, array: Any, context: Any = None, return_scalar: bool = False) -> Tensor:
    """NumPy's ``__array_wrap__``: turns the array that a function of this tensor returned into a tensor.

    It shares memory, but a bool array becomes uint8.  Raises TypeError for a dtype that gnomon does not have.
    Source: torch.Tensor.__array_wrap__.
    """
    from ..interop.numpy import from_numpy

    return from_numpy(array.astype("uint8") if array.dtype == bool else array).to(self.device)


def init_subclass(cls: Any, **named: Any) -> None:
    """Warn of a method that gnomon never calls."""
    super(Tensor, cls).__init_subclass__(**named)
    given = vars(cls).get("__torch_function__")
    if given is not None and given is not disabled_torch_function:
        warn(
            f"{cls.__name__} defines __torch_function__, which gnomon does not call: define "
            "__gnomon_dispatch__, or use gnomon.DispatchMode"
        )


def disabled_torch_function(*_: Any, **__: Any) -> Any:
    """A ``__torch_function__`` that says what holds of every class here: that it overrides no function.

    Raises TypeError: it is never called.  Source: torch._C._disabled_torch_function_impl.
    """
    raise TypeError("gnomon has no __torch_function__")


def array_function(
    self: Tensor, func: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any], /
) -> Any:
    """NumPy's ``__array_function__``: its functions, but for universal ones, take tensors as arrays and give
    arrays, or ``out``.

    Raises RuntimeError for a tensor that requires grad, TypeError for one that is not in host memory.
    PyTorch has none, so that NumPy calls methods of its tensors, with arguments that most of them refuse.
    """
    from ..interop.numpy_functions import call

    return call(func, args, kwargs)


def array_namespace(self: Tensor, /, *, api_version: str | None = None) -> Any:
    """The namespace of the Python array API standard: ``gnomon.array_api``, whatever the dtype and shape.

    For a tensor on another device than the default one it is a namespace with the same functions, of which
    those that create tensors do so on the tensor's device.

    api_version: None, or a version of the standard that it fulfills.  Raises ValueError for another.  Source:
    https://data-apis.org/array-api/2025.12.
    """
    from .. import array_api
    from ..array_api.on_device import namespace_on

    if api_version is not None and api_version not in array_api.VERSIONS:
        raise ValueError(
            f"__array_namespace__: argument 'api_version': expected one of {', '.join(array_api.VERSIONS)}, "
            f"got {api_version!r}"
        )
    where = self._spec.device
    return array_api if where is get_default_device() else namespace_on(where)


def to_device(self: Tensor, device: Any, /, *, stream: Any = None) -> Tensor:
    """The tensor on another device, with the same shape and dtype; itself if it is there already.

    Raises ValueError for a ``stream``: the copy is in the device's current one.  Source:
    https://data-apis.org/array-api/2025.12.
    """
    if stream is not None:
        raise ValueError(f"to_device: argument 'stream': expected None, got {stream!r}")
    return self.to(device)


def record_stream(self: Tensor, stream: Any) -> None:
    """Declare that work in ``stream`` uses the tensor's memory, which is not reused until that work is done.

    Raises NotImplementedError on a device without streams.  Source: torch.Tensor.record_stream.
    """
    storage = self.untyped_storage()
    if "streams" not in storage.backend.traits:
        raise NotImplementedError(f"record_stream: device {self.device} does not support streams")
    offers_of(storage.backend).record_stream(storage.memory, stream)


def type_as(self: Tensor, other: Tensor) -> Tensor:
    """The tensor converted to the dtype and device of ``other``."""
    return aten.to.other(self, other, False, False, None)


def to(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """The tensor with another dtype, device, or those of another tensor; itself if nothing changes.

    ``to(dtype)``, ``to(device)``, ``to(device, dtype)``, ``to(other)``, each with ``non_blocking``, ``copy``
    and ``memory_format``.  Raises TypeError for other arguments.  Source: torch.Tensor.to.
    """
    if len(args) == 1 and not kwargs and args[0].__class__ is dtype:  # the usual case
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
    """The options as keywords of the overload ``to.dtype_layout``, the only one that has all."""
    return {"layout": None, **options}


def as_dtype(name: str, kind: dtype) -> Any:
    def method(self: Tensor, *, memory_format: Any = preserve_format) -> Tensor:
        if memory_format is not None and not isinstance(memory_format, memory_format_type):
            raise TypeError(
                f"{name}(): argument 'memory_format' must be {LIBRARY}.memory_format, not "
                f"{type_name(memory_format)}"
            )
        return aten.to.dtype(self, kind, False, False, memory_format)

    method.__doc__ = (
        f"``self.to(gnomon.{kind.name})``: a copy with this dtype, the same shape and the given "
        "``memory_format``, or the\ntensor itself if nothing changes.\n\n"
        "Raises TypeError if ``memory_format`` is not a gnomon.memory_format, RuntimeError if it needs "
        f"another\nnumber of dimensions.\n\nSource: torch.Tensor.{name}."
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

    Raises nothing, for any shape and dtype.  Source: torch.Tensor.T.
    """
    return self.permute(list(range(self._spec.ndim - 1, -1, -1)))


def matrix_transpose(self: Tensor) -> Tensor:
    """The transpose of the last two dimensions, a view.  Raises RuntimeError for a 1-d tensor.

    Source: torch.Tensor.mT.
    """
    if self._spec.ndim == 1:
        raise RuntimeError("tensor.mT is only supported on matrices or batches of matrices. Got 1-D tensor.")
    return self.transpose(-2, -1) if self._spec.ndim else self


def matrix_adjoint(self: Tensor) -> Tensor:
    """The conjugate transpose of a matrix.  Raises RuntimeError for any other number of dimensions.

    Source: torch.Tensor.H.
    """
    if self._spec.ndim not in (0, 2):
        raise RuntimeError(
            f"tensor.H is only supported on matrices (2-D tensors). Got {self._spec.ndim}-D tensor."
        )
    return aten.adjoint(self)


def batched_adjoint(self: Tensor) -> Tensor:
    """The conjugate transpose of matrices (*, m, n): (*, n, m).  Raises RuntimeError for 1-d tensors.

    Source: torch.Tensor.mH.
    """
    return aten.adjoint(self)


def format_tensor(self: Tensor, specification: str) -> str:
    if self._spec.ndim == 0 and type(self) is Tensor and not self.is_meta:
        return format(self.item(), specification)
    return object.__format__(self, specification)  # raises for a specification, as for lists


def lu(self: Tensor, pivot: bool = True, get_infos: bool = False) -> tuple[Tensor, ...]:
    """The LU factorization with partial pivoting (*, n, m), its pivots (*, min(n, m)), int32, and with
    ``get_infos`` the codes of errors (*), int32.

    Raises RuntimeError for ``pivot=False``.  Source: torch.Tensor.lu.
    """
    return functional.lu(self, pivot, get_infos)


def nonzero(self: Tensor, *, as_tuple: bool = False) -> Any:
    """The indices of nonzero elements: one per row, or with ``as_tuple`` one vector per dimension.

    Raises TypeError for anything but a tensor.  Source: torch.Tensor.nonzero.
    """
    return functional.nonzero(self, as_tuple=as_tuple)
