"""Max unpooling: puts the maxima of max pooling back to where they were; the other elements are 0.

Source: aten/src/ATen/native/MaxUnpooling.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...calls.checks import check_dim_range, check_length, refuse_dtype
from ...calls.native import native_function
from ...values import geometry
from ...values.device import channels_last
from ...values.dtype import int64


def _check(self: Any, indices: Any, output_size: Sequence[int]) -> None:
    spatial = len(output_size)
    refuse_dtype(self.dtype, "bool", "integer", "complex")
    if indices.dtype is not int64:
        raise RuntimeError(f"elements in indices should be type int64 but got: {indices.dtype}")
    check_dim_range(spatial + 1, spatial + 3, self=self)
    if indices.shape != self.shape:
        raise RuntimeError(
            "Expected shape of indices to be same as that of the input tensor "
            f"({list(self.shape)}) but got indices tensor with shape: {list(indices.shape)}"
        )
    if min(output_size) < 0:
        raise RuntimeError(
            "output_size must contain non-negative spatial dimensions, but got "
            f"output_size={tuple(output_size)}"
        )
    for dim, size in enumerate(self.shape):
        if size == 0 and dim != self.ndim - spatial - 2:
            raise RuntimeError(
                f"Expected input to have non-zero size for non-batch dimensions, but got {list(self.shape)} "
                f"with dimension {dim} being empty."
            )


def _unpooled(self: Any, indices: Any, output_size: Sequence[int]) -> Any:
    _check(self, indices, output_size)
    outer = self.shape[: -len(output_size)]
    places = indices.flatten(len(outer))
    empty = self.new_zeros((*outer, geometry.numel_of(tuple(output_size))))
    return empty.scatter(-1, places, self.flatten(len(outer))).reshape((*outer, *output_size))


def _max_unpool2d(self: Any, indices: Any, output_size: Sequence[int]) -> Any:
    check_length(2, output_size=output_size)
    found = _unpooled(self, indices, output_size)
    if geometry.lies_channels_last(self._spec.sizes, self._spec.strides):
        return found.contiguous(memory_format=channels_last)
    return found


native_function(
    "max_unpool2d(Tensor self, Tensor indices, SymInt[2] output_size) -> Tensor",
    composite=_max_unpool2d,
    out="out",
    variants="function",
    python_module="nn",
    doc="""Returns ([N,] C, *output_size): each element of ``self`` ([N,] C, H, W) at its index in the plane.

    The other elements are 0.  ``indices`` (int64) has the shape of ``self``, as max_pool2d_with_indices
    returns it; of elements with the same index, one counts.  Raises RuntimeError for other shapes and for an
    index beyond the plane, NotImplementedError for dtypes that are not floating point.""",
)


def _max_unpool3d(
    self: Any, indices: Any, output_size: Sequence[int], stride: Sequence[int], padding: Sequence[int]
) -> Any:
    check_length(3, output_size=output_size, stride=stride, padding=padding)
    if min(stride) <= 0:
        raise RuntimeError(f"strides should be greater than zero, but got stride: {list(stride)}")
    return _unpooled(self, indices, output_size)


native_function(
    "max_unpool3d(Tensor self, Tensor indices, SymInt[3] output_size, int[3] stride, int[3] padding) -> "
    "Tensor",
    composite=_max_unpool3d,
    out="out",
    variants="function",
    python_module="nn",
    doc="""Returns ([N,] C, *output_size): each element of ``self`` ([N,] C, D, H, W) at its index.

    Like max_unpool2d; ``stride`` and ``padding`` are only checked.  Raises RuntimeError for other shapes and
    for an index beyond the volume, NotImplementedError for dtypes that are not floating point.""",
)
