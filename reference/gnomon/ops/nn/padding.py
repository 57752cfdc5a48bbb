"""Padding: adds elements at the ends of the last dimensions, or removes them.

A list of pads starts with the last dimension and has two numbers for each: how many elements to add before
and after.  Negative numbers remove elements.  Accumulation: where a gradient is a sum, it is exactly rounded
in float64 and rounded once to the dtype.

Source: aten/src/ATen/native/PadNd.cpp, ReflectionPad.cpp, ReplicationPadding.cpp, Padding.h.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...calls.checks import check_batch_mode, check_same_dtype, check_size, refuse_dtype
from ...calls.native import native_function
from ...calls.record import Batching, Out
from ...dispatch.dispatcher import aten
from ...memory.accessor import TensorAccessor
from ...memory.spec import Spec
from ...memory.tensor import Tensor
from ...numerics.arithmetic import exact_sum
from ...numerics.windows import like, planes, windows
from ...values import geometry
from ...values.device import channels_last, channels_last_3d
from ...values.geometry import Ints

# ---------------------------------------------------------------------------------------------------------
# Constant padding.


def _check_pads(pad: Sequence[int], ndim: int) -> None:
    if len(pad) % 2:
        raise RuntimeError(f"Length of pad must be even but instead it equals {len(pad)}")
    if len(pad) > 2 * ndim:
        raise RuntimeError(
            "Length of pad should be no more than twice the number of dimensions of the input. Pad length is "
            f"{len(pad)} while the input has {ndim} dimensions."
        )


def _constant_pad_nd(self: Any, pad: Sequence[int], value: Any) -> Any:
    """Removes elements for negative pads, then copies the rest into the middle of a filled tensor."""
    _check_pads(pad, self.ndim)
    kept = self
    sizes = list(self._spec.sizes)
    for number in range(0, len(pad), 2):
        dim = self.ndim - 1 - number // 2
        before, after = pad[number], pad[number + 1]
        if before < 0:
            kept = kept.narrow(dim, -before, kept.size(dim) + before)
        if after < 0:
            kept = kept.narrow(dim, 0, kept.size(dim) + after)
        sizes[dim] += before + after
    if all(each <= 0 for each in pad):
        return kept.clone()
    order = None
    if geometry.lies_channels_last(self._spec.sizes, self._spec.strides):
        order = channels_last if self.ndim == 4 else channels_last_3d
    output = aten.empty.memory_format(sizes, self.dtype, None, self.device, None, order)
    output.fill_(value)
    middle = output
    for number in range(0, len(pad), 2):
        dim = self.ndim - 1 - number // 2
        middle = middle.narrow(dim, max(pad[number], 0), kept.size(dim))
    middle.copy_(kept)
    return output


native_function(
    "constant_pad_nd(Tensor self, SymInt[] pad, Scalar value=0) -> Tensor",
    explicit=_constant_pad_nd,
    derivatives={
        "self": lambda grad, pad: aten.constant_pad_nd.default(grad, tuple(-each for each in pad), 0)
    },
    batching="leading",
    variants="function",
    doc="""Pads the last dimensions of ``self`` with ``value``.

    ``pad`` starts with the last dimension: (left, right, top, bottom, …); negative numbers crop.  Raises
    RuntimeError if the length of ``pad`` is odd or more than twice the number of dimensions, and for sizes
    that become negative.""",
)


# ---------------------------------------------------------------------------------------------------------
# Reflection and replication padding.


def _reflected(size: int, before: int, after: int) -> list[int]:
    """Along one dimension, the source position of each element of the result, reflected at the ends."""
    positions = range(-before, size + after)
    return [-at if at < 0 else 2 * (size - 1) - at if at >= size else at for at in positions]


def _replicated(size: int, before: int, after: int) -> list[int]:
    """Along one dimension, the source position of each element of the result: the nearest one inside."""
    return [min(max(at, 0), size - 1) for at in range(-before, size + after)]


_SOURCES: dict[str, Callable[[int, int, int], list[int]]] = {
    "reflection": _reflected,
    "replication": _replicated,
}


def _padded_sizes(kind: str, self: Spec, padding: Sequence[int], spatial: int) -> Ints:
    """The result's sizes.  Source: padding::check_valid_input, TORCH_META_FUNC(reflection_pad1d)."""
    if len(padding) != 2 * spatial:
        raise RuntimeError(f"padding size is expected to be {2 * spatial}, but got: {len(padding)}")
    check_batch_mode(spatial + 1, self)
    sizes = list(self.sizes)
    for dim in range(spatial):
        at = self.ndim - 1 - dim
        before, after = padding[2 * dim : 2 * dim + 2]
        if kind == "reflection" and max(before, after) >= self.sizes[at]:
            raise RuntimeError(
                "Padding size should be less than the corresponding input dimension, but got: padding "
                f"({before}, {after}) at dimension {at} of input {list(self.sizes)}"
            )
        sizes[at] += before + after
    padded = sizes[-spatial:]
    if min(padded) < 0 or max(padded) < 1:
        raise RuntimeError(
            f"input {list(self.sizes)} is too small for padding {list(padding)}. Calculated output: {sizes}"
        )
    return tuple(sizes)


def _sources(kind: str, sizes: Ints, padding: Sequence[int], spatial: int) -> list[tuple[Ints, Ints]]:
    """Each position in a plane of the result, with its source position in the input."""
    along = []
    for dim in range(spatial):
        number = 2 * (spatial - 1 - dim)
        found = _SOURCES[kind](sizes[dim - spatial], padding[number], padding[number + 1])
        along.append([[at] for at in found])
    return [(position, members[0]) for position, members in windows(along)]


def _pad_kernel(kind: str, spatial: int) -> Callable[..., None]:
    def kernel(output: Tensor, self: Tensor, padding: Sequence[int]) -> None:
        source, out = TensorAccessor(self), TensorAccessor(output)
        found = _sources(kind, source.sizes, padding, spatial)
        for plane in planes(source.sizes, spatial):
            for position, at in found:
                out[plane + position] = source[plane + at]

    return kernel


def _pad_backward_kernel(kind: str, spatial: int) -> Callable[..., None]:
    def kernel(grad_input: Tensor, grad_output: Tensor, self: Tensor, padding: Sequence[int]) -> None:
        """Each element's gradient is the sum of the gradients of its copies."""
        grad, out = TensorAccessor(grad_output), TensorAccessor(grad_input)
        copies: dict[Ints, list[Ints]] = {
            position: [] for position, _ in windows([[()] * size for size in out.sizes[-spatial:]])
        }
        for position, at in _sources(kind, out.sizes, padding, spatial):
            copies[at].append(position)
        for plane in planes(out.sizes, spatial):
            for at, positions in copies.items():
                out[plane + at] = exact_sum([grad[plane + position] for position in positions])

    return kernel


def _define(kind: str, spatial: int, how: str) -> None:
    name = f"{kind}_pad{spatial}d"

    def meta(self: Spec, padding: Sequence[int]) -> Spec:
        sizes = _padded_sizes(kind, self, padding, spatial)
        refuse_dtype(self.dtype, "bool")
        return like(self, sizes)

    def backward_meta(grad_output: Spec, self: Spec, padding: Sequence[int]) -> Spec:
        sizes = _padded_sizes(kind, self, padding, spatial)
        check_size(sizes, grad_output=grad_output)
        check_same_dtype(self=self, grad_output=grad_output)
        refuse_dtype(self.dtype, "bool", "integer")
        return like(self)

    native_function(
        f"{name}(Tensor self, SymInt[{2 * spatial}] padding) -> Tensor",
        python_module="nn",
        meta=meta,
        kernel=_pad_kernel(kind, spatial),
        derivatives={
            "self": lambda grad, self, padding: getattr(aten, f"{name}_backward").default(grad, self, padding)
        },
        node_name=f"{kind.capitalize()}Pad{spatial}DBackward0",
        batching=Batching("folded", spatial + 2),
        out=Out(exact=True),
        doc=f"""Pads the {spatial} spatial dimension(s) of ([N,] C, *spatial) with {how}.

        ``padding`` starts with the last dimension; negative numbers crop.  The result is channels last if the
        input is.  Raises NotImplementedError for bool.""",
    )
    native_function(
        f"{name}_backward(Tensor grad_output, Tensor self, SymInt[{2 * spatial}] padding) -> Tensor",
        python_module="nn",
        meta=backward_meta,
        kernel=_pad_backward_kernel(kind, spatial),
        derivatives={
            "grad_output": lambda grad, padding: getattr(aten, name).default(grad, padding),
            "self": lambda self: aten.zeros_like(self),
        },
        batching=Batching("folded", spatial + 2),
        doc=f"The gradient of {name}: for each element, the sum of the gradients of its copies.",
    )


for _spatial in (1, 2, 3):
    _define("reflection", _spatial, "its reflection, without repeating the edge elements")
    _define("replication", _spatial, "its edge elements, repeated")


# ---------------------------------------------------------------------------------------------------------
# Circular padding, and all modes by name.


def _pad_circular(self: Any, pad: Sequence[int]) -> Any:
    """Pads each dimension with elements from its other end, starting with the last dimension."""
    spatial = len(pad) // 2
    if self.ndim not in (spatial + 1, spatial + 2):
        raise RuntimeError(
            "Invalid padding size, expected 1 or 2 non-padded dimensions, which would be equivalent to "
            f"padding of length {2 * (self.ndim - 1)} or {2 * (self.ndim - 2)} respectively but got "
            f"{len(pad)}"
        )
    for number in range(0, 2 * spatial, 2):
        dim = self.ndim - 1 - number // 2
        before, after = pad[number], pad[number + 1]
        size = self.size(dim)
        if max(before, after) > size:
            raise RuntimeError("Padding value causes wrapping around more than once.")
        if size + before + after < 0:
            raise RuntimeError("Negative padding value is resulting in an empty dimension")
    padded = self
    for number in range(0, 2 * spatial, 2):
        dim = self.ndim - 1 - number // 2
        before, after = pad[number], pad[number + 1]
        size = padded.size(dim)
        start, end = max(-before, 0), size - max(-after, 0)
        middle = padded.narrow(dim, start, end - start)
        parts = [middle]
        if before > 0:
            parts.insert(0, middle.narrow(dim, end - start - before, before))
        if after > 0:
            parts.append(middle.narrow(dim, 0, after))
        padded = aten.cat.default(parts, dim) if len(parts) > 1 else middle
    contiguous = padded.contiguous()
    return contiguous.clone() if all(each <= 0 for each in pad) else contiguous


native_function(
    "_pad_circular(Tensor self, SymInt[] pad) -> Tensor",
    python_module="nn",
    composite=_pad_circular,
    doc="Pads each dimension of ([N,] C, *spatial) with elements from its other end; the result is "
    "contiguous.",
)

_MODES = {"reflect": "reflection", "replicate": "replication"}


def _pad(self: Any, pad: Sequence[int], mode: str, value: float | None) -> Any:
    if mode not in ("constant", "circular", *_MODES):
        raise NotImplementedError(
            f"Unrecognised padding mode {mode}; expected constant, reflect, replicate or circular"
        )
    if len(pad) % 2:
        raise RuntimeError(f"Padding length must be divisible by 2, but got {len(pad)}")
    if len(pad) > 2 * self.ndim:
        raise RuntimeError(
            "Padding length should be less than or equal to two times the input dimension but got padding "
            f"length {len(pad)} and input of dimension {self.ndim}"
        )
    if mode == "constant":
        return aten.constant_pad_nd.default(self, pad, 0.0 if value is None else value)
    if value is not None and value != 0:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    spatial = len(pad) // 2
    if spatial not in (1, 2, 3) or self.ndim not in (spatial + 1, spatial + 2):
        raise NotImplementedError(
            "Only 2D, 3D, 4D, 5D padding with non-constant padding are supported for now, but got "
            f"{len(pad)} numbers for an input of sizes {list(self.shape)}"
        )
    if mode == "circular":
        return aten._pad_circular.default(self, pad)
    return getattr(aten, f"{_MODES[mode]}_pad{spatial}d").default(self, pad)


native_function(
    'pad(Tensor self, SymInt[] pad, str mode="constant", float? value=None) -> Tensor',
    python_module="nn",
    composite=_pad,
    doc="""Pads the last dimensions of ``self``: with ``value`` ('constant'), its reflection ('reflect'), its
    edge elements ('replicate'), or elements from the other end ('circular').

    ``pad`` starts with the last dimension.  The modes other than 'constant' require ([N,] C, *spatial) and
    pads for all spatial dimensions.""",
)
