"""What the suite has to know of a library to test it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar


class Library:
    """The adaptor of a library with tensors of its own; an author subclasses it.

    name            of the library, in messages
    dtypes          the dtypes it has, by gnomon's names; calls with tensors of others are not made
    functions       operator, by its full name as ``gnomon operators`` lists them -> a function that takes all
                    arguments of the operator's schema in order, and returns what the schema says.  Tensors
                    are the library's own; dtypes, devices and layouts what ``dtype`` makes of their names.
    compares_kinds  whether an invalid call has to raise the kind of exception that PyTorch raises; otherwise
                    any exception will do
    expectations    the path of a file of tests that are known to fail (comparison/expectations.py), or None

    A method or a function that raises NotImplementedError declines a call, which then counts as not claimed.
    """

    name: ClassVar[str] = ""
    dtypes: ClassVar[Sequence[str]] = ()
    functions: ClassVar[Mapping[str, Callable[..., Any]]] = {}
    compares_kinds: ClassVar[bool] = False
    expectations: ClassVar[str | None] = None

    def tensor(self, numbers: Sequence[Any], sizes: Sequence[int], dtype: str) -> Any:
        """A new tensor with these elements, in row-major order."""
        raise NotImplementedError(f"{self.name} has no tensor()")

    def is_tensor(self, value: Any) -> bool:
        """Whether a result is a tensor."""
        raise NotImplementedError(f"{self.name} has no is_tensor()")

    def describe(self, tensor: Any) -> tuple[str, Sequence[int], Sequence[Any]]:
        """A tensor's dtype by gnomon's name, its sizes, and its elements in row-major order as Python's
        numbers.
        """
        raise NotImplementedError(f"{self.name} has no describe()")

    def dtype(self, name: str) -> Any:
        """What stands for a dtype, a layout or a memory format among a function's arguments."""
        return name

    # What a library may have besides.

    def computed(self, tensor: Any) -> Any:
        """The tensor, with its elements: a library that computes late does it here, and raises its errors."""
        return tensor

    def dtype_and_sizes(self, tensor: Any) -> tuple[str, Sequence[int]]:
        """What ``describe`` says, without elements; a library that computes late does not do it here."""
        return self.describe(tensor)[:2]

    def strided(self, storage: Any, sizes: Sequence[int], strides: Sequence[int], offset: int) -> Any:
        """A view of ``storage``, a tensor of one dimension; strides and offset count elements.

        A library without it is tested with contiguous tensors only.
        """
        raise NotImplementedError(f"{self.name} has no strided views")

    def shares_memory(self, one: Any, other: Any) -> bool | None:
        """Whether two tensors share memory; None if that can not be told, and is not tested."""
        return None

    def track(self, tensor: Any) -> Any:
        """The tensor, of which gradients will be asked.  A library without it is tested without gradients."""
        raise NotImplementedError(f"{self.name} has no gradients")

    def gradients(
        self, outputs: Sequence[Any], incoming: Sequence[Any], inputs: Sequence[Any]
    ) -> Sequence[Any]:
        """The gradients of the tracked ``inputs`` for the gradients ``incoming`` of ``outputs``; None for an
        input that the outputs do not depend on.
        """
        raise NotImplementedError(f"{self.name} has no gradients")
