"""Text: how a tensor prints.

The numbers are formatted alike, wide enough for the widest, in fixed or scientific notation by PyTorch's rule;
long tensors show their edges.

Source: torch/_tensor_str.py.
"""

from __future__ import annotations

import math
from typing import Any

from ..values.dtype import get_default_dtype, int64
from .accessor import nested_list
from .tensor import Tensor


class PrintOptions:
    """What ``set_printoptions`` sets."""

    precision = 4
    threshold = 1000  # elements from which a tensor is summarised
    edgeitems = 3
    linewidth = 80
    sci_mode: bool | None = None


options = PrintOptions()


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """How tensors print from now on.  Source: torch.set_printoptions."""
    profiles = {"default": (4, 1000, 3, 80), "short": (2, 1000, 2, 80), "full": (4, math.inf, 3, 80)}
    if profile is not None:
        if profile not in profiles:
            raise ValueError(f"set_printoptions: profile must be one of {list(profiles)}, got {profile!r}")
        options.precision, options.threshold, options.edgeitems, options.linewidth = profiles[profile]  # type: ignore
    if precision is not None:
        options.precision = precision
    if threshold is not None:
        options.threshold = threshold  # type: ignore[assignment]
    if edgeitems is not None:
        options.edgeitems = edgeitems
    if linewidth is not None:
        options.linewidth = linewidth
    options.sci_mode = sci_mode


class _Formatter:
    """One format for all the numbers that are shown."""

    def __init__(self, numbers: list[Any], is_floating: bool):
        self.is_floating = is_floating
        self.integral = True
        self.scientific = False
        self.width = 1
        if not is_floating:
            self.width = max([1, *(len(f"{number}") for number in numbers)])
            return
        shown = [number for number in numbers if math.isfinite(number) and number != 0]
        if not shown:
            self.width = max([1, *(len(self._plain(number)) for number in numbers)])
            return
        self.integral = all(number == math.ceil(number) for number in shown)
        largest = max(abs(number) for number in shown)
        smallest = min(abs(number) for number in shown)
        if self.integral:
            self.scientific = largest / smallest > 1000.0 or largest > 1.0e8
        else:
            self.scientific = largest / smallest > 1000.0 or largest > 1.0e8 or smallest < 1.0e-4
        if options.sci_mode is not None:
            self.scientific = options.sci_mode
        self.width = max(len(self._plain(number)) for number in numbers)

    def _plain(self, number: Any) -> str:
        if not self.is_floating:
            return f"{number}"
        if not math.isfinite(number):
            return f"{number}"
        if self.scientific:
            return f"{number:.{options.precision}e}"
        if self.integral:
            return f"{number:.0f}."
        return f"{number:.{options.precision}f}"

    def format(self, number: Any) -> str:
        return self._plain(number).rjust(self.width)


class _ComplexFormatter:
    def __init__(self, numbers: list[complex]):
        self.real = _Formatter([number.real for number in numbers], True)
        self.imag = _Formatter([number.imag for number in numbers], True)
        self.width = self.real.width + self.imag.width + 1

    def format(self, number: complex) -> str:
        imaginary = self.imag.format(number.imag).lstrip()
        sign = "" if imaginary.startswith("-") else "+"
        return f"{self.real.format(number.real)}{sign}{imaginary}j"


def _flatten(nested: Any, numbers: list[Any]) -> list[Any]:
    for each in nested:
        if isinstance(each, list):
            _flatten(each, numbers)
        elif each is not ...:
            numbers.append(each)
    return numbers


def _edges(nested: Any, ndim: int, summarize: bool) -> Any:
    """The nested list with the middle of long dimensions left out."""
    edge = options.edgeitems
    if summarize and len(nested) > 2 * edge:
        shown = [*nested[:edge], ..., *nested[-edge:]]
    else:
        shown = list(nested)
    if ndim == 1:
        return shown
    return [each if each is ... else _edges(each, ndim - 1, summarize) for each in shown]


def _vector(items: list[Any], indent: int, formatter: Any) -> str:
    per_line = max(1, (options.linewidth - indent) // (formatter.width + 2))
    words = [" ..." if each is ... else formatter.format(each) for each in items]
    lines = [", ".join(words[start : start + per_line]) for start in range(0, len(words), per_line)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"


def _nested_text(nested: Any, ndim: int, indent: int, formatter: Any) -> str:
    if ndim == 1:
        return _vector(nested, indent, formatter)
    parts = ["..." if each is ... else _nested_text(each, ndim - 1, indent + 1, formatter) for each in nested]
    return "[" + ("," + "\n" * (ndim - 1) + " " * (indent + 1)).join(parts) + "]"


def _numbers_text(tensor: Tensor, indent: int) -> str:
    ndim = tensor._spec.ndim
    nested = nested_list(tensor)
    kind = tensor._spec.dtype
    if ndim:
        nested = _edges(nested, ndim, tensor._spec.numel > options.threshold)
    numbers = _flatten(nested, []) if ndim else [nested]
    formatter: Any = _ComplexFormatter(numbers) if kind.is_complex else _Formatter(numbers, kind.is_floating_point)
    return _nested_text(nested, ndim, indent, formatter) if ndim else formatter.format(nested).strip()


def tensor_repr(self: Tensor) -> str:
    """The tensor as PyTorch prints it: its numbers, then what is not obvious from them."""
    name = "tensor" if type(self) is Tensor else f"{type(self).__name__} containing:\ntensor"
    prefix = "tensor("
    kind = self._spec.dtype
    suffixes = []
    shown_device = self._spec.device.type
    if shown_device not in ("reference", "c"):
        suffixes.append(f"device='{self._spec.device}'")
    implied = kind in (get_default_dtype(), get_default_dtype().to_complex(), int64) or kind.name == "bool"
    if self._spec.device.type == "meta":
        body = "..."
        suffixes.append(f"size={tuple(self._spec.sizes)}")
    elif self._spec.numel == 0:
        body = "[]"
        if self._spec.ndim != 1:
            suffixes.append(f"size={tuple(self._spec.sizes)}")
        implied = kind is get_default_dtype()
    else:
        body = _numbers_text(self, len(prefix))
    if not implied:
        suffixes.append(f"dtype={kind!r}")
    if self.grad_fn is not None:
        suffixes.append(f"grad_fn=<{self.grad_fn.name()}>")
    elif self.requires_grad:
        suffixes.append("requires_grad=True")
    text = f"{prefix}{body}"
    for suffix in suffixes:
        last_line = len(text) - text.rfind("\n") - 1
        if last_line + len(suffix) + 3 > options.linewidth:
            text += ",\n" + " " * len(prefix) + suffix
        else:
            text += ", " + suffix
    return name[: -len("tensor")] + text + ")"
