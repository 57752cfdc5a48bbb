"""Image functions: interpolate, grid_sample, unfold and fold, pixel_shuffle."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gnomon as gn

from ...values.errors import warn
from ..common_types import GridMode, GridPaddingMode, InterpolationMode, Ratios, Sizes
from .arguments import pair
from .pooling import adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d

aten = gn.ops.aten

# These are the operators themselves, with the same arguments.
pixel_shuffle = aten.pixel_shuffle.parser
pixel_unshuffle = aten.pixel_unshuffle.parser
channel_shuffle = aten.channel_shuffle.parser
native_channel_shuffle = aten.native_channel_shuffle.parser

_AREA = {3: adaptive_avg_pool1d, 4: adaptive_avg_pool2d, 5: adaptive_avg_pool3d}
_RESAMPLERS = {
    (3, "nearest"): aten.upsample_nearest1d.vec,
    (4, "nearest"): aten.upsample_nearest2d.vec,
    (5, "nearest"): aten.upsample_nearest3d.vec,
    (3, "nearest-exact"): aten._upsample_nearest_exact1d.vec,
    (4, "nearest-exact"): aten._upsample_nearest_exact2d.vec,
    (5, "nearest-exact"): aten._upsample_nearest_exact3d.vec,
    (3, "linear"): aten.upsample_linear1d.vec,
    (4, "bilinear"): aten.upsample_bilinear2d.vec,
    (5, "trilinear"): aten.upsample_trilinear3d.vec,
    (4, "bicubic"): aten.upsample_bicubic2d.vec,
}
_ANTIALIASED = {
    "bilinear": aten._upsample_bilinear2d_aa.vec,
    "bicubic": aten._upsample_bicubic2d_aa.vec,
    "lanczos": aten._upsample_lanczos2d_aa.vec,
}


def _for_each_dimension(name: str, value: Any, input: gn.Tensor) -> list[Any]:
    """Expands one number to all spatial dimensions.  Raises ValueError for a list of another length."""
    spatial = input.dim() - 2
    if not isinstance(value, (list, tuple)):
        return [value] * spatial
    if len(value) != spatial:
        raise ValueError(
            f"Input and {name} must have the same number of spatial dimensions, but got input with spatial "
            f"dimensions of {list(input.shape[2:])} and {name} of {value}"
        )
    return list(value)


def interpolate(
    input: gn.Tensor,
    size: Sizes | None = None,
    scale_factor: Ratios | None = None,
    mode: InterpolationMode = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> gn.Tensor:
    """Resizes (N, C, *spatial) to ``size``, or by ``scale_factor``.

    ``mode``: 'nearest', 'nearest-exact', 'area' (means), or interpolation: 'linear', 'bilinear' or
    'trilinear', depending on the number of dimensions, 'bicubic', or (only with antialias) 'lanczos'.
    ``align_corners``, for interpolation, aligns the centers of the corner elements of input and output
    instead of their edges.  Positions are computed from the given scale factor, with
    ``recompute_scale_factor`` from the sizes.  ``antialias``, for 'bilinear', 'bicubic' and 'lanczos': when
    downsampling, each output element is averaged over the area that it covers.

    Raises ValueError if both or neither of size and scale factor are given; NotImplementedError for a mode
    that does not support the number of dimensions.

    Source: torch.nn.functional.interpolate.
    """
    interpolates = mode not in ("nearest", "area", "nearest-exact")
    if not interpolates and align_corners is not None:
        raise ValueError(
            "align_corners option can only be set with the interpolating modes: linear | bilinear | "
            "bicubic | trilinear"
        )
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is None and scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    sizes = factors = None
    if size is not None:
        sizes = _for_each_dimension("size", size, input)
        if isinstance(size, (list, tuple)) and not all(hasattr(each, "__index__") for each in size):
            raise TypeError(f"expected size to be one of int or a tuple of int, but got {size}")
    else:
        factors = _for_each_dimension("scale_factor", scale_factor, input)
    if recompute_scale_factor and size is not None:
        raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
    if factors is not None and (recompute_scale_factor or mode == "area"):
        wanted = [have * factor for have, factor in zip(input.shape[2:], factors)]
        if not all(-(2.0**63) <= each < 2.0**63 for each in wanted):  # false for NaN too
            raise RuntimeError(
                f"interpolate: scale_factor {list(factors)} of sizes {list(input.shape[2:])}: value cannot "
                "be converted to type int64 without overflow"
            )
        sizes = list(map(int, wanted))
        factors = None
    if antialias and not (mode in ("bilinear", "bicubic", "lanczos") and input.dim() == 4):
        raise ValueError(
            "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D "
            "tensor as input"
        )
    if mode == "area" and input.dim() in _AREA:
        return _AREA[input.dim()](input, sizes)
    if mode == "lanczos" and input.dim() == 4 and (align_corners or not antialias):
        raise ValueError("Lanczos mode requires antialias=True, and no align_corners")
    resampler = _ANTIALIASED[mode] if antialias else _RESAMPLERS.get((input.dim(), mode))
    if resampler is None:
        raise NotImplementedError(
            f"Input Error: Got {input.dim()}D input for mode {mode}; expected 3D for linear, 4D for bilinear "
            "and bicubic, 5D for trilinear, any of these for nearest, nearest-exact and area"
        )
    options = (bool(align_corners),) if interpolates else ()
    return resampler(input, None if sizes is None else _integers(sizes), *options, factors)


def _integers(sizes: Sequence[Any]) -> tuple[int, ...]:
    """Sizes as ints.  Raises TypeError for a value that is not an integer."""
    for each in sizes:
        if not hasattr(each, "__index__"):
            raise TypeError(f"expected sizes to be ints, but got {list(sizes)}")
    return tuple(each.__index__() for each in sizes)


def upsample(
    input: gn.Tensor,
    size: Sizes | None = None,
    scale_factor: Ratios | None = None,
    mode: InterpolationMode = "nearest",
    align_corners: bool | None = None,
) -> gn.Tensor:
    """Deprecated alias of ``interpolate``, with a warning."""
    warn("`nn.functional.upsample` is deprecated. Use `nn.functional.interpolate` instead.")
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(
    input: gn.Tensor, size: Sizes | None = None, scale_factor: Ratios | None = None
) -> gn.Tensor:
    """Deprecated alias of ``interpolate(mode="nearest")``, with a warning."""
    warn(
        "`nn.functional.upsample_nearest` is deprecated. Use `nn.functional.interpolate` instead.",
    )
    return interpolate(input, size, scale_factor, "nearest")


def upsample_bilinear(
    input: gn.Tensor, size: Sizes | None = None, scale_factor: Ratios | None = None
) -> gn.Tensor:
    """Deprecated alias of ``interpolate(mode="bilinear", align_corners=True)``, with a warning."""
    warn(
        "`nn.functional.upsample_bilinear` is deprecated. Use `nn.functional.interpolate` instead.",
    )
    return interpolate(input, size, scale_factor, "bilinear", True)


_SAMPLING_MODES = {"bilinear": 0, "nearest": 1, "bicubic": 2}
_PADDING_MODES = {"zeros": 0, "border": 1, "reflection": 2}


def _warn_of_corners() -> None:
    warn(
        "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please "
        "specify align_corners=True if the old behavior is desired.",
    )


def grid_sample(
    input: gn.Tensor,
    grid: gn.Tensor,
    mode: GridMode = "bilinear",
    padding_mode: GridPaddingMode = "zeros",
    align_corners: bool | None = None,
) -> gn.Tensor:
    """Samples ``input`` (N, C, *spatial) at the points of ``grid`` (N, *output sizes, dimensions), whose
    coordinates are from -1 to 1, x first.

    ``mode`` is 'bilinear' (in three dimensions trilinear), 'nearest' or 'bicubic'; ``padding_mode``, for
    points outside, is 'zeros', 'border' or 'reflection'.

    Raises ValueError for an unknown mode, RuntimeError for shapes that do not match.

    Source: torch.nn.functional.grid_sample.
    """
    for name, value, known in (
        ("mode", mode, _SAMPLING_MODES),
        ("padding_mode", padding_mode, _PADDING_MODES),
    ):
        if value not in known:
            raise ValueError(
                f"nn.functional.grid_sample(): expected {name} to be one of {list(known)}, but got: '{value}'"
            )
    if align_corners is None:
        _warn_of_corners()
    modes = (_SAMPLING_MODES[mode], _PADDING_MODES[padding_mode])
    return aten.grid_sampler(input, grid, *modes, bool(align_corners))


def affine_grid(theta: gn.Tensor, size: Sequence[int], align_corners: bool | None = None) -> gn.Tensor:
    """The grid of affine maps for ``grid_sample``: theta (N, 2, 3) with size (N, C, H, W), or (N, 3, 4) with
    (N, C, D, H, W).

    Raises ValueError for dtypes other than floating point, for other shapes and for empty sizes.
    """
    if align_corners is None:
        _warn_of_corners()
    if not theta.is_floating_point():
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
    if len(size) not in (4, 5):
        raise NotImplementedError(
            f"affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, but got size {size}"
        )
    spatial = len(size) - 2
    if theta.dim() != 3 or tuple(theta.shape[1:]) != (spatial, spatial + 1):
        raise ValueError(
            f"Expected a batch of affine matrices of shape Nx{spatial}x{spatial + 1} for size {size}. Got "
            f"{theta.shape}."
        )
    if align_corners and min(size[2:]) == 1:
        warn(
            "Since version 1.3.0, affine_grid behavior has changed for unit-size grids when "
            "align_corners=True.",
        )
    elif min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {size}")
    return aten.affine_grid_generator(theta, size, bool(align_corners))


def unfold(
    input: gn.Tensor, kernel_size: Sizes, dilation: Sizes = 1, padding: Sizes = 0, stride: Sizes = 1
) -> gn.Tensor:
    """The windows of ([N,] C, H, W) as columns: ([N,] C * kernel height * kernel width, windows).

    The result has the dtype of the input.  Raises NotImplementedError for integers, IndexError or
    RuntimeError for other numbers of dimensions.

    Source: torch.nn.functional.unfold.
    """
    return aten.im2col(input, *(_pair(each) for each in (kernel_size, dilation, padding, stride)))


def fold(
    input: gn.Tensor,
    output_size: Sizes,
    kernel_size: Sizes,
    dilation: Sizes = 1,
    padding: Sizes = 0,
    stride: Sizes = 1,
) -> gn.Tensor:
    """The inverse of ``unfold``: the image of ``output_size``; overlapping windows are summed."""
    numbers = (output_size, kernel_size, dilation, padding, stride)
    return aten.col2im(input, *(_pair(each) for each in numbers))


def _pair(value: Any) -> Any:
    """One number as a pair; other lists are left to the operator's checks."""
    return pair(value) if isinstance(value, int) else tuple(value)
