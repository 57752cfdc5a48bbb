"""Your own framework.

You have written the parts: strides, views, promotion, broadcasting, a dispatcher, formulas, an engine. Put
them together into a framework of one file, without gnomon and without NumPy: tensors over storages, views,
promotion, a dozen operators, and gradients.

Everything above the adaptor is yours: keep these functions or replace them. The adaptor at the end tells
the conformance suite how to make a tensor of yours, how to look at one, and which function is which
operator. The suite then calls them with the dtypes bool, int64, float32 and float64, with all layouts, with
NaN, infinities and signed zeros, with sizes of 0 and without dimensions, and with invalid arguments, which
have to raise. PyTorch's rules hold.

    gnomon exercises check framework
    gnomon conform --library exercises/framework.py --tier memory        # one tier, with more of what failed

The exercise is solved when the tiers memory, pointwise, reductions and autograd pass.  Begin with ``new`` and
``Tensor.numbers``; a function that raises NotImplementedError is not tested, so you can go on one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from gnomon_conformance import libraries

DTYPES = ("bool", "int64", "float32", "float64")

# ---- tensors


class Tensor:
    """Sizes and strides over a storage, which is a list of numbers that other tensors may share."""

    def __init__(
        self,
        storage: list[Any],
        dtype: str,
        sizes: Sequence[int],
        strides: Sequence[int] | None = None,
        offset: int = 0,
    ):
        self.storage = storage
        self.dtype = dtype
        self.sizes = tuple(sizes)
        self.strides = strides  # None: contiguous
        self.offset = offset
        self.requires_grad = False
        self.grad: Tensor | None = None

    def numbers(self) -> list[Any]:
        """The elements in row-major order."""
        raise NotImplementedError


def new(numbers: Sequence[Any], dtype: str, sizes: Sequence[int]) -> Tensor:
    """A tensor with a storage of its own, which holds the numbers as the dtype does.

    int64 wraps around; float32 has 24 bits (``ctypes.c_float`` rounds).
    """
    raise NotImplementedError


def full(size: Sequence[int], fill_value: Any, dtype: str | None) -> Tensor:
    """Equal elements; without a dtype, that of the number: bool, int64 or float32."""
    raise NotImplementedError


def clone(self: Tensor) -> Tensor:
    """A copy."""
    raise NotImplementedError


def to(self: Tensor, dtype: str | None) -> Tensor:
    """A copy of another dtype; of the same one for None."""
    raise NotImplementedError


# ---- views, which share the storage


def view(self: Tensor, size: Sequence[int]) -> Tensor:
    """Other sizes, one of which may be -1.  Raises where they do not fit, or only a copy would do."""
    raise NotImplementedError


def transpose(self: Tensor, dim0: int, dim1: int) -> Tensor:
    """Two dimensions exchanged."""
    raise NotImplementedError


def slice_(self: Tensor, dim: int, start: int | None, end: int | None, step: int) -> Tensor:
    """A part of a dimension, as Python's slices."""
    raise NotImplementedError


def expand(self: Tensor, size: Sequence[int], implicit: bool) -> Tensor:
    """Sizes of 1 repeated, with strides of 0; -1 keeps a size."""
    raise NotImplementedError


# ---- pointwise operators: they broadcast and promote; an operand may be a Python number


def add(self: Any, other: Any, alpha: Any) -> Tensor:
    """``self + alpha * other``."""
    raise NotImplementedError


def mul(self: Any, other: Any) -> Tensor:
    """``self * other``."""
    raise NotImplementedError


def neg(self: Tensor) -> Tensor:
    """``-self``; not of bool."""
    raise NotImplementedError


def exp(self: Tensor) -> Tensor:
    """e to the power of each element; of integers in float32."""
    raise NotImplementedError


def eq(self: Any, other: Any) -> Tensor:
    """Where the elements are equal, in bool."""
    raise NotImplementedError


# ---- reductions and products


def sum_dims(self: Tensor, dim: Sequence[int] | None, keepdim: bool, dtype: str | None) -> Tensor:
    """The sum over some dimensions, all for None or an empty list; of bool and int64 in int64."""
    raise NotImplementedError


def max_dim(self: Tensor, dim: int, keepdim: bool) -> tuple[Tensor, Tensor]:
    """The largest elements of a dimension, and their first indices; NaN is larger than all numbers."""
    raise NotImplementedError


def mm(self: Tensor, mat2: Tensor) -> Tensor:
    """The product of two matrices of one dtype, not bool."""
    raise NotImplementedError


def addmm(self: Tensor, mat1: Tensor, mat2: Tensor, beta: Any, alpha: Any) -> Tensor:
    """``beta * self + alpha * (mat1 @ mat2)``; for a beta of 0, what self holds does not count."""
    raise NotImplementedError


# ---- gradients


def run_backward(outputs: Sequence[Tensor], incoming: Sequence[Tensor]) -> None:
    """Set ``grad`` of each leaf that requires grad, for the gradients ``incoming`` of ``outputs``."""
    raise NotImplementedError


# ---- the adaptor


class Framework(libraries.Library):
    """The framework as a subject of the conformance suite."""

    name = "framework"
    dtypes = DTYPES
    functions: ClassVar[dict[str, Callable[..., Any]]] = {
        "clone": lambda self, memory_format: clone(self),
        "full": lambda size, fill_value, dtype, layout, device, pin_memory: full(size, fill_value, dtype),
        "zeros_like": lambda self, dtype, *_: full(self.sizes, 0, dtype or self.dtype),
        "_to_copy": lambda self, dtype, *_: to(self, dtype),
        "view": view,
        "transpose.int": transpose,
        "slice.Tensor": slice_,
        "expand": expand,
        "add.Tensor": add,
        "mul.Tensor": mul,
        "neg": neg,
        "exp": exp,
        "eq.Tensor": eq,
        "sum.dim_IntList": sum_dims,
        "max.dim": max_dim,
        "mm": mm,
        "addmm": addmm,
    }

    def tensor(self, numbers: Sequence[Any], sizes: Sequence[int], dtype: str) -> Tensor:
        """A new tensor."""
        return new(numbers, dtype, sizes)

    def is_tensor(self, value: Any) -> bool:
        """Whether a result is a tensor."""
        return isinstance(value, Tensor)

    def describe(self, tensor: Tensor) -> tuple[str, Sequence[int], list[Any]]:
        """What the suite compares."""
        return tensor.dtype, tensor.sizes, tensor.numbers()

    def strided(self, storage: Tensor, sizes: Sequence[int], strides: Sequence[int], offset: int) -> Tensor:
        """A view of a tensor of one dimension, for arguments that are not contiguous."""
        return Tensor(storage.storage, storage.dtype, sizes, strides, offset)

    def shares_memory(self, one: Tensor, other: Tensor) -> bool:
        """Whether two tensors have one storage."""
        return one.storage is other.storage

    def track(self, tensor: Tensor) -> Tensor:
        """Gradients of this leaf will be asked for."""
        tensor.requires_grad = True
        return tensor

    def gradients(
        self, outputs: Sequence[Tensor], incoming: Sequence[Tensor], inputs: Sequence[Tensor]
    ) -> list[Tensor | None]:
        """The gradients of the leaves."""
        run_backward(outputs, incoming)
        return [each.grad for each in inputs]
