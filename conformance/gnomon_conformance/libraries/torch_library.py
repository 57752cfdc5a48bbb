"""PyTorch as a subject of the suite, on any of its devices: ``gnomon conform --library torch:cuda``.

gnomon's operators have PyTorch's names and schemas, so each is ``torch.ops.aten.<name>.<overload>``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from ..collection import selection
from ..inputs.description import DTYPES, LIMITED, Stored
from ..pytorch.oracle import Torch
from .written import WrittenLibrary

# What PyTorch does not check, and writes outside of its memory for.
_DECLINES = {
    "embedding_dense_backward": "not all(0 <= each < num_weights for each in indices.flatten().tolist())"
    " and 'the indices are out of range'"
}
_NOT_ON = {"mps": ("float64", "complex128")}  # dtypes that a kind of device does not have


class PyTorch(WrittenLibrary):
    """PyTorch on one device; ``argument`` names it."""

    name = "torch"
    imports = "import torch"
    declines: Mapping[str, str] = _DECLINES
    compares_kinds = True
    shares_text = "torch._C._is_alias_of({result}, {argument})"

    def __init__(self, argument: str = "cpu"):
        self.device = _device(argument)
        self._framework = Torch()
        self.dtypes = [each for each in (*DTYPES, *LIMITED) if each not in _NOT_ON.get(self.device.type, ())]  # type: ignore[misc]
        if self.device.type != "cpu":
            self.name = f"torch:{argument}"  # type: ignore[misc]
        self.expressions = {
            name: _packet(operator.schema)
            for name, operator in selection.operators().items()
            if not any(argument.is_written for argument in operator.schema.arguments) and _is_same(operator)
        }
        super().__init__()

    def _function(self, name: str, text: str) -> Any:
        operator = selection.operators()[name]
        place = next((i for i, each in enumerate(operator.schema.arguments) if each.type == "Device"), None)
        makes = not any(each.type == "Tensor" for each in operator.schema.arguments)
        declines = self._declining(name)

        def function(*values: Any) -> Any:
            declines(*values)
            if place is not None and makes and values[place] is None:
                values = (*values[:place], self.device, *values[place + 1 :])
            result = self._framework.call(operator, values)
            if isinstance(result, (tuple, list)):
                return [self._framework.plain(each) for each in result]
            return self._framework.plain(result)

        return function

    def tensor(self, numbers: Sequence[Any], sizes: Sequence[int], dtype: str) -> Any:
        """A new tensor on the device."""
        return torch.tensor(numbers, dtype=getattr(torch, dtype), device=self.device).reshape(sizes)

    def tensor_text(self, numbers: Sequence[Any], sizes: Sequence[int], dtype: str) -> str:
        """An expression that makes it."""
        shape = "" if len(sizes) == 1 else f".reshape({tuple(sizes)})"
        place = "" if self.device.type == "cpu" else f", device={str(self.device)!r}"
        return f"torch.tensor({list(numbers)}, dtype=torch.{dtype}{place}){shape}"

    def strided_text(self, contents: Stored) -> str:
        """A view of a tensor over the whole storage."""
        whole = self.tensor_text(contents.numbers, (len(contents.numbers),), contents.dtype)
        return f"{whole}.as_strided({contents.sizes}, {contents.strides}, {contents.offset})"

    def dtype_text(self, name: str) -> str:
        """PyTorch's name of a dtype, layout or memory format."""
        return f"torch.{name}"

    def call_text(self, operator: str, values: Mapping[str, Any]) -> str:
        """The call, with all that is no tensor written out."""
        schema = selection.operators()[operator].schema
        shown = []
        for each in schema.arguments:
            is_tensor = each.type == "Tensor" and values[each.name] is not None
            text = each.name if is_tensor else repr(values[each.name])
            if values[each.name] is not None or not each.kwarg_only:
                shown.append(f"{each.name}={text}" if each.kwarg_only else text)
        return f"{_packet(schema)}({', '.join(shown)})"

    def tracked_text(self, text: str) -> str:
        """A leaf that requires grad."""
        return f"{text}.requires_grad_()"

    def gradient_text(self, call: str, inputs: Sequence[str], incoming: str) -> str:
        """Those that ``torch.autograd.grad`` gives."""
        return f"torch.autograd.grad({call}, [{', '.join(inputs)}], {incoming})"

    def is_tensor(self, value: Any) -> bool:
        """Whether it is a tensor."""
        return isinstance(value, torch.Tensor)

    def describe(self, tensor: Any) -> tuple[str, Sequence[int], Sequence[Any]]:
        """dtype, sizes, elements."""
        dtype, sizes, *_ = self._framework.observe(tensor)
        return dtype, sizes, self._framework.numbers(tensor) or ()

    def dtype(self, name: str) -> Any:
        """PyTorch's object of that name."""
        return getattr(torch, name)

    def strided(self, storage: Any, sizes: Sequence[int], strides: Sequence[int], offset: int) -> Any:
        """A view of the storage."""
        return storage.as_strided(sizes, strides, offset)

    def shares_memory(self, one: Any, other: Any) -> bool | None:
        """Whether they have one storage."""
        return self._framework.shares_memory(one, other)

    def track(self, tensor: Any) -> Any:
        """The tensor, as a leaf that requires grad."""
        return tensor.detach().requires_grad_()

    def gradients(
        self, outputs: Sequence[Any], incoming: Sequence[Any], inputs: Sequence[Any]
    ) -> Sequence[Any]:
        """Those that ``torch.autograd.grad`` gives."""
        if not outputs:
            return [None] * len(inputs)
        return torch.autograd.grad(list(outputs), list(inputs), list(incoming), allow_unused=True)


def _device(argument: str) -> torch.device:
    """A device of PyTorch that is there; ``privateuse1`` is what its owner has named it, or privateuseone.

    Raises ValueError, whose text is one line.
    """
    kind, colon, number = argument.partition(":")
    if kind == "privateuse1":
        kind = torch._C._get_privateuse1_backend_name()
    try:
        found = torch.device(kind + colon + number)
        torch.zeros(1, device=found)
    except Exception as error:  # of many types, with a page of text
        why = str(error).partition("\n")[0].partition(". ")[0]
        raise ValueError(f"PyTorch has no device {argument} here: {why}") from None
    return found


def _packet(schema: Any) -> str:
    return f"torch.ops.aten.{schema.name}.{schema.overload_name or 'default'}"


def _is_same(operator: Any) -> bool:
    """Whether PyTorch has the operator."""
    packet = getattr(torch.ops.aten, operator.schema.name, None)
    return hasattr(packet, operator.schema.overload_name or "default")
