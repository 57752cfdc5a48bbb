"""Small functions that the modules share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import gnomon as gn

from ...values.errors import type_name
from ...values.library_name import LIBRARY

# The names of tensors' types in texts.  Source: torch.Tensor.type.
_TENSOR_TYPES = {
    gn.float32: "FloatTensor",
    gn.float64: "DoubleTensor",
    gn.float16: "HalfTensor",
    gn.bfloat16: "BFloat16Tensor",
    gn.complex64: "ComplexFloatTensor",
    gn.complex128: "ComplexDoubleTensor",
    gn.uint8: "ByteTensor",
    gn.int8: "CharTensor",
    gn.int16: "ShortTensor",
    gn.int32: "IntTensor",
    gn.int64: "LongTensor",
    gn.bool: "BoolTensor",
}


def typename(value: Any) -> str:
    """The name of a value's type in texts, for example "gnomon.FloatTensor".  Source: torch.typename."""
    if isinstance(value, gn.Tensor):
        return f"{LIBRARY}.{_TENSOR_TYPES.get(value.dtype, 'Tensor')}"
    module = type(value).__module__
    return type_name(value) if module == "builtins" else f"{module}.{type(value).__qualname__}"


def _ntuple(n: int) -> Callable[[Any], tuple[Any, ...]]:
    """A function that repeats one number ``n`` times, and makes other iterables tuples."""
    return lambda x: tuple(x) if isinstance(x, Iterable) else (x,) * n


_single = _ntuple(1)
_pair = _ntuple(2)
_triple = _ntuple(3)
_quadruple = _ntuple(4)


def _reverse_repeat_tuple(t: Sequence[int], n: int) -> tuple[int, ...]:
    """The numbers from the last to the first, each ``n`` times: the order in which ``pad`` takes them."""
    return tuple(x for x in reversed(t) for _ in range(n))


def consume_prefix_in_state_dict_if_present(state_dict: dict[str, Any], prefix: str) -> None:
    """Removes ``prefix`` from the start of the names in a ``state_dict``, in place.

    The names of its metadata, if it has any, are changed too.  Source:
    torch.nn.modules.utils.consume_prefix_in_state_dict_if_present.
    """
    for key in list(state_dict):
        if key.startswith(prefix):
            state_dict[key[len(prefix) :]] = state_dict.pop(key)
    metadata = getattr(state_dict, "_metadata", {})
    for key in list(metadata):
        if key and (key == prefix.replace(".", "") or key.startswith(prefix)):
            metadata[key[len(prefix) :]] = metadata.pop(key)
