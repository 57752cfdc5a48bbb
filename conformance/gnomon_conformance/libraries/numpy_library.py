"""NumPy as a subject of the suite: ``gnomon conform --library numpy``.

It shows how an adaptor is written, and where NumPy's semantics are not PyTorch's: those tests fail, and
numpy_expectations.txt says why.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from . import numpy_words
from .written import WrittenLibrary

_DTYPES = (
    *("bool", "uint8", "int8", "int16", "int32", "int64"),
    *("float16", "float32", "float64", "complex64", "complex128"),
)


class NumPy(WrittenLibrary):
    """NumPy's arrays and functions."""

    name = "numpy"
    dtypes = _DTYPES
    expectations = str(Path(__file__).with_name("numpy_expectations.txt"))
    imports = "import numpy as np"
    expressions = numpy_words.EXPRESSIONS
    declines = numpy_words.DECLINES
    shares_text = "np.shares_memory({result}, {argument})"

    def tensor(self, numbers: Sequence[Any], sizes: Sequence[int], dtype: str) -> Any:
        """A new array."""
        return np.array(numbers, dtype).reshape(sizes)

    def tensor_text(self, numbers: Sequence[Any], sizes: Sequence[int], dtype: str) -> str:
        """An expression that makes it."""
        shape = "" if len(sizes) == 1 else f".reshape({tuple(sizes)})"
        return f"np.array({list(numbers)}, {dtype!r}){shape}"

    def is_tensor(self, value: Any) -> bool:
        """Whether it is an array, or a scalar of NumPy's: reductions give one instead of an array of no
        dimensions.
        """
        return isinstance(value, (np.ndarray, np.generic))

    def describe(self, tensor: Any) -> tuple[str, Sequence[int], Sequence[Any]]:
        """dtype, sizes, elements."""
        return str(tensor.dtype), tensor.shape, tensor.ravel().tolist()

    def dtype(self, name: str) -> Any:
        """NumPy's dtype of that name; for a layout or a memory format its name."""
        return np.dtype(name) if name in _DTYPES else name

    def strided(self, storage: Any, sizes: Sequence[int], strides: Sequence[int], offset: int) -> Any:
        """A view of the storage."""
        in_bytes = [stride * storage.itemsize for stride in strides]
        return np.lib.stride_tricks.as_strided(storage[offset:], sizes, in_bytes)

    def shares_memory(self, one: Any, other: Any) -> bool | None:
        """Whether they overlap; a scalar owns its memory."""
        return bool(np.shares_memory(one, other)) if isinstance(one, np.ndarray) else False
