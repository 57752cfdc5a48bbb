"""Text: the repr of a tensor.

All elements have the same width, in fixed or scientific notation by PyTorch's rule; long dimensions are
summarized.

Source: torch/_tensor_str.py.
"""

from __future__ import annotations

import math
from typing import Any, Literal

from ..values.dtype import dtype, get_default_dtype, int64
from .accessor import TensorAccessor
from .backend import backend_of
from .tensor import Tensor


class PrintOptions:
    """The options of ``set_printoptions``."""

    precision = 4
    threshold = 1000  # a tensor with more elements is summarized
    edgeitems = 3
    linewidth = 80
    sci_mode: bool | None = None


options = PrintOptions()


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: Literal["default", "short", "full"] | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Set how tensors print.  Source: torch.set_printoptions."""
    profiles = {"default": (4, 1000, 3, 80), "short": (2, 1000, 2, 80), "full": (4, math.inf, 3, 80)}
    if profile is not None:
        if profile not in profiles:
            raise ValueError(f"set_printoptions: profile must be one of {list(profiles)}, got {profile!r}")
        options.precision, options.threshold, options.edgeitems, options.linewidth = profiles[profile]  # type: ignore[assignment]
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
    """One format for all elements shown: as wide as the widest finite nonzero one."""

    def __init__(self, numbers: list[Any], is_floating: bool):
        self.is_floating = is_floating
        self.integral = True
        self.scientific = False
        self.width = 1
        if is_floating:
            # PyTorch ignores infinities, NaN and zeros here, so they may be wider
            numbers = [number for number in numbers if math.isfinite(number) and number != 0]
            if not numbers:
                return
            self.integral = all(number == math.ceil(number) for number in numbers)
            largest = max(abs(number) for number in numbers)
            smallest = min(abs(number) for number in numbers)
            self.scientific = largest > 1.0e8 or smallest < 1.0e-4 or largest / smallest > 1000.0
            if options.sci_mode is not None:
                self.scientific = options.sci_mode
        self.width = max([1, *(len(self._plain(number)) for number in numbers)])

    def _plain(self, number: Any) -> str:
        if not self.is_floating or not math.isfinite(number):
            return f"{number}"
        if self.scientific:
            return f"{number:.{options.precision}e}"
        if self.integral:
            return f"{number:.0f}."
        return f"{number:.{options.precision}f}"

    def format(self, number: Any) -> str:
        return self._plain(number).rjust(self.width)


class _ComplexFormatter:
    """The real and the imaginary parts, each with its own format."""

    def __init__(self, numbers: list[complex]):
        self.real = _Formatter([number.real for number in numbers], True)
        self.imag = _Formatter([number.imag for number in numbers], True)
        self.width = self.real.width + self.imag.width + 1

    def format(self, number: complex) -> str:
        imaginary = self.imag.format(number.imag).lstrip()
        sign = "" if imaginary.startswith("-") else "+"
        return f"{self.real.format(number.real)}{sign}{imaginary}j"


def _shown(accessor: TensorAccessor, dim: int, offset: int, summarize: bool, numbers: list[Any]) -> list[Any]:
    """The elements from ``offset`` on as nested lists, with ``...`` for the middle of long dimensions.

    Appends to ``numbers`` the elements shown.  Reads no others: the summary of a large tensor is quick.
    """
    size, stride = accessor.sizes[dim], accessor.strides[dim]
    edge = options.edgeitems
    if summarize and size > 2 * edge:
        indices: list[Any] = [*range(edge), ..., *range(size - edge, size)]
    else:
        indices = list(range(size))
    shown: list[Any] = []
    for index in indices:
        if index is ...:
            shown.append(...)
        elif dim + 1 < len(accessor.sizes):
            shown.append(_shown(accessor, dim + 1, offset + index * stride, summarize, numbers))
        else:
            number = accessor.read(offset + index * stride)
            numbers.append(number)
            shown.append(number)
    return shown


def _vector(items: list[Any], indent: int, formatter: Any) -> str:
    per_line = max(1, (options.linewidth - indent) // (formatter.width + 2))
    middle = " ..." if options.edgeitems else "..."
    words = [middle if each is ... else formatter.format(each) for each in items]
    lines = [", ".join(words[start : start + per_line]) for start in range(0, len(words), per_line)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"


def _nested_text(nested: Any, ndim: int, indent: int, formatter: Any) -> str:
    if ndim == 1:
        return _vector(nested, indent, formatter)
    parts = ["..." if each is ... else _nested_text(each, ndim - 1, indent + 1, formatter) for each in nested]
    return "[" + ("," + "\n" * (ndim - 1) + " " * (indent + 1)).join(parts) + "]"


def elements_text(tensor: Tensor, indent: int) -> str:
    """The elements of a strided tensor in brackets; lines after the first one are indented."""
    if not tensor._spec.numel:
        return "[]"
    ndim = tensor._spec.ndim
    kind = tensor._spec.dtype
    accessor = TensorAccessor(tensor)
    numbers: list[Any] = []
    if ndim:
        nested = _shown(accessor, 0, accessor.offset, tensor._spec.numel > options.threshold, numbers)
    else:
        numbers.append(accessor.read(accessor.offset))
    formatter: Any = (
        _ComplexFormatter(numbers) if kind.is_complex else _Formatter(numbers, kind.is_floating_point)
    )
    return _nested_text(nested, ndim, indent, formatter) if ndim else formatter.format(numbers[0])


def add_suffixes(text: str, suffixes: list[str], indent: int) -> str:
    """``text`` with its suffixes, each on a new line if its line would become too long.

    Source: _add_suffixes.
    """
    last_line = len(text) - text.rfind("\n") + 1  # 2 too many, as in PyTorch
    for suffix in suffixes:
        if last_line + len(suffix) + 2 > options.linewidth:
            text += ",\n" + " " * indent + suffix
            last_line = indent + len(suffix)
        else:
            text += ", " + suffix
            last_line += len(suffix) + 2
    return text


def device_suffixes(tensor: Tensor) -> list[str]:
    """The device, unless it is the host."""
    on_host = backend_of(tensor._spec.device).host_memory  # like "cpu" in PyTorch, not printed
    return [] if on_host else [f"device='{tensor._spec.device}'"]


def is_implied(kind: dtype) -> bool:
    """Do elements imply this dtype?"""
    return kind in (get_default_dtype(), get_default_dtype().to_complex(), int64) or kind.name == "bool"


def history_suffixes(tensor: Tensor) -> list[str]:
    """What autograd knows of the tensor."""
    suffixes = []
    if tensor.grad_fn is not None:
        suffixes.append(f"grad_fn=<{tensor.grad_fn.name()}>")
    elif tensor.requires_grad:
        suffixes.append("requires_grad=True")
    if tensor._autograd_meta is not None and tensor._autograd_meta.tangents is not None:
        of_levels = tensor._autograd_meta.tangents.values()
        suffixes += [f"tangent={each!r}" for each in of_levels if each is not None]
    return suffixes


def heading(tensor: Tensor) -> str:
    """The line before a tensor of a class of its own that counts as a parameter."""
    meta = tensor._autograd_meta
    return "Parameter containing:\n" if meta is not None and meta.is_parameter else ""


def tensor_repr(self: Tensor) -> str:
    """The tensor as PyTorch prints it: its elements, then what they do not imply."""
    name = "tensor" if type(self) is Tensor else f"{type(self).__name__} containing:\ntensor"
    prefix = "tensor("
    kind = self._spec.dtype
    suffixes = device_suffixes(self)
    implied = is_implied(kind)
    if self._spec.device.type == "meta":
        body = "..."
        suffixes.append(f"size={tuple(self._spec.sizes)}")
        implied = kind is get_default_dtype()
    elif self._spec.numel == 0:
        body = "[]"
        if self._spec.ndim != 1:
            suffixes.append(f"size={tuple(self._spec.sizes)}")
        implied = kind is get_default_dtype()
    else:
        if not options.edgeitems:
            suffixes.append(f"size={tuple(self._spec.sizes)}")
        body = elements_text(self, len(prefix))
    if not implied:
        suffixes.append(f"dtype={kind!r}")
    suffixes += history_suffixes(self)
    return name[: -len("tensor")] + add_suffixes(f"{prefix}{body}", suffixes, len(prefix)) + ")"
