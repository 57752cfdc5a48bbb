"""Batches from samples: ``default_collate`` stacks tensors, ``default_convert`` converts NumPy's arrays.

Source: torch/utils/data/_utils/collate.py.
"""

from __future__ import annotations

import copy
import re
import sys
from collections.abc import Callable, Mapping, MutableMapping, MutableSequence, Sequence
from typing import Any

from ...bindings.creation import as_tensor, tensor
from ...dispatch.dispatcher import aten
from ...memory.tensor import Tensor
from ...values.dtype import float64

# Functions that make a batch, by the type of the samples, or a tuple of types.
CollateFunctions = dict[Any, Callable[..., Any]]

_NO_NUMBERS = re.compile(r"[SaUO]")  # NumPy's dtypes of strings and objects
_REFUSED = "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"


def default_convert(data: Any) -> Any:
    """``data`` with NumPy's arrays and numbers as tensors, also inside of sequences and mappings.

    Tuples become lists; everything else is unchanged.  Source: torch.utils.data.default_convert.
    """
    if isinstance(data, Tensor):
        return data
    if type(data).__module__ == "numpy" and type(data).__name__ not in ("str_", "string_"):
        is_text = type(data).__name__ == "ndarray" and _NO_NUMBERS.search(data.dtype.str)
        return data if is_text else as_tensor(data)
    if isinstance(data, Mapping):
        return like_mapping(data, {key: default_convert(data[key]) for key in data})
    if isinstance(data, tuple) and hasattr(data, "_fields"):  # a namedtuple
        return type(data)(*(default_convert(each) for each in data))
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        return like_sequence(data, [default_convert(each) for each in data])
    return data


def collate(batch: Sequence[Any], *, collate_fn_map: CollateFunctions | None = None) -> Any:
    """One batch of several samples, whose kind the first one decides.

    A sample of a type in ``collate_fn_map``, or of a subclass, is given to the function there, which is
    called with ``batch`` and ``collate_fn_map``.  Of mappings and sequences, the items are collated.

    Raises TypeError for samples of another type, RuntimeError for sequences of different lengths.
    Source: torch.utils.data._utils.collate.collate.
    """
    sample = batch[0]
    function = _function_for(sample, collate_fn_map or {})
    if function is not None:
        return function(batch, collate_fn_map=collate_fn_map)
    if isinstance(sample, Mapping):
        items = {key: collate([each[key] for each in batch], collate_fn_map=collate_fn_map) for key in sample}
        return like_mapping(sample, items)
    is_namedtuple = isinstance(sample, tuple) and hasattr(sample, "_fields")
    if not isinstance(sample, Sequence):
        raise TypeError(_REFUSED.format(type(sample)))
    if not is_namedtuple and any(len(each) != len(sample) for each in batch):
        raise RuntimeError("each element in list of batch should be of equal size")
    columns = [collate(column, collate_fn_map=collate_fn_map) for column in zip(*batch)]
    return type(sample)(*columns) if is_namedtuple else like_sequence(sample, columns)


def _function_for(sample: Any, functions: CollateFunctions) -> Callable[..., Any] | None:
    """The function for samples like ``sample``."""
    if type(sample) in functions:
        return functions[type(sample)]
    numpy = sys.modules.get("numpy")  # if it is not there, the sample is none of NumPy's
    if numpy is not None and functions is default_collate_fn_map:
        if isinstance(sample, numpy.ndarray):
            return _collate_arrays
        if isinstance(sample, (numpy.bool_, numpy.number, numpy.object_)):
            return _collate_numpy_numbers
    return next((function for kind, function in functions.items() if isinstance(sample, kind)), None)


def like_mapping(sample: Mapping[Any, Any], items: dict[Any, Any]) -> Any:
    """A mapping of the type of ``sample`` with other values, or a dict if the type cannot be made so."""
    try:
        if not isinstance(sample, MutableMapping):
            return type(sample)(items)  # type: ignore[call-arg]
        made = copy.copy(sample)  # which keeps other attributes
        made.update(items)
        return made
    except TypeError:
        return items


def like_sequence(sample: Sequence[Any], items: list[Any]) -> Any:
    """A sequence of the type of ``sample`` with other items; a list for a tuple, as in PyTorch."""
    if isinstance(sample, tuple):
        return items
    try:
        if not isinstance(sample, MutableSequence):
            return type(sample)(items)  # type: ignore[call-arg]
        made = copy.copy(sample)
        for index, item in enumerate(items):
            made[index] = item
        return made
    except TypeError:
        return items


def _collate_tensors(batch: Any, *, collate_fn_map: CollateFunctions | None = None) -> Tensor:
    return aten.stack(list(batch), 0)


def _collate_arrays(batch: Any, *, collate_fn_map: CollateFunctions | None = None) -> Any:
    if _NO_NUMBERS.search(batch[0].dtype.str):
        raise TypeError(_REFUSED.format(batch[0].dtype))
    return collate([as_tensor(each) for each in batch], collate_fn_map=collate_fn_map)


def _collate_numpy_numbers(batch: Any, *, collate_fn_map: CollateFunctions | None = None) -> Tensor:
    return as_tensor(batch)


def _collate_floats(batch: Any, *, collate_fn_map: CollateFunctions | None = None) -> Tensor:
    return tensor(batch, dtype=float64)


def _collate_ints(batch: Any, *, collate_fn_map: CollateFunctions | None = None) -> Tensor:
    return tensor(batch)


def _collate_strings(batch: Any, *, collate_fn_map: CollateFunctions | None = None) -> Any:
    return batch


default_collate_fn_map: CollateFunctions = {
    Tensor: _collate_tensors,
    float: _collate_floats,
    int: _collate_ints,
    str: _collate_strings,
    bytes: _collate_strings,
}


def default_collate(batch: Sequence[Any]) -> Any:
    """One batch of several samples: tensors are stacked along a new first dimension.

    Floats become a float64 tensor, ints and bools a tensor, NumPy's arrays and numbers tensors; strings stay
    as they are.  Of mappings and sequences, the items are collated; tuples become lists.

    Raises TypeError for samples of another type, RuntimeError for sequences of different lengths, or tensors
    of different sizes.  Source: torch.utils.data.default_collate.
    """
    return collate(batch, collate_fn_map=default_collate_fn_map)
