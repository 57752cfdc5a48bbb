"""Pooling.  Inputs are (N, C, *spatial) or (C, *spatial)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import gnomon as gn

from ..common_types import OptionalSizes, Ratios, Sizes

aten = gn.ops.aten

# These are the operators themselves, with the same arguments.
avg_pool1d = aten.avg_pool1d.parser
avg_pool2d = aten.avg_pool2d.parser
avg_pool3d = aten.avg_pool3d.parser
adaptive_avg_pool1d = aten.adaptive_avg_pool1d.parser


PLACES = {
    1: "indices",
    2: "flattened indices in each (H, W) plane",
    3: "flattened indices in each (D, H, W) volume",
}


def _named(function: Callable[..., Any], name: str, doc: str) -> Callable[..., Any]:
    """Sets the name and the docstring of a generated function."""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


def _max_pool_with_indices(spatial: int) -> Callable[..., tuple[gn.Tensor, gn.Tensor]]:
    """Makes max_pool1d_with_indices, 2d or 3d, which ignore ``return_indices``."""
    operator = getattr(aten, f"max_pool{spatial}d_with_indices")

    def max_pool_with_indices(
        input: gn.Tensor,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        dilation: Sizes = 1,
        ceil_mode: bool = False,
        return_indices: bool = False,
    ) -> tuple[gn.Tensor, gn.Tensor]:
        return operator(input, kernel_size, stride, padding, dilation, ceil_mode)

    return _named(
        max_pool_with_indices,
        f"max_pool{spatial}d_with_indices",
        f"The maxima of ``max_pool{spatial}d``, and their {PLACES[spatial]} (int64).",
    )


max_pool1d_with_indices = _max_pool_with_indices(1)
max_pool2d_with_indices = _max_pool_with_indices(2)
max_pool3d_with_indices = _max_pool_with_indices(3)


def _max_pool(with_indices: Callable[..., Any], spatial: int) -> Callable[..., Any]:
    """Makes max_pool1d, 2d or 3d, which return indices too with ``return_indices``."""
    values = getattr(aten, f"max_pool{spatial}d")

    def max_pool(
        input: gn.Tensor,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        dilation: Sizes = 1,
        ceil_mode: bool = False,
        return_indices: bool = False,
    ) -> Any:
        window = (kernel_size, stride, padding, dilation, ceil_mode)
        return with_indices(input, *window) if return_indices else values(input, *window)

    return _named(
        max_pool,
        f"max_pool{spatial}d",
        f"""The maximum of each window of an input ([N,] C, *) with {spatial} spatial dimension(s).

    ``stride`` defaults to ``kernel_size``.  With ``return_indices`` it returns the maxima and their
    {PLACES[spatial]} (int64).

    Raises RuntimeError for other numbers of dimensions and for windows that do not fit.

    Source: torch.nn.functional.max_pool{spatial}d.""",
    )


max_pool1d = _max_pool(max_pool1d_with_indices, 1)
max_pool2d = _max_pool(max_pool2d_with_indices, 2)
max_pool3d = _max_pool(max_pool3d_with_indices, 3)


def _unpool_size(
    input: gn.Tensor,
    kernel_size: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    output_size: Sequence[int] | None,
) -> Sequence[int]:
    """The spatial sizes of max unpooling's result.  Raises ValueError for impossible ones."""
    spatial = len(kernel_size)
    sizes = input.shape[-spatial:]
    default = [
        (size - 1) * step + width - 2 * pad
        for size, step, width, pad in zip(sizes, stride, kernel_size, padding)
    ]
    if output_size is None:
        chosen: Sequence[int] = default
    else:
        chosen = output_size[2:] if len(output_size) == spatial + 2 else output_size
        if len(chosen) != spatial:
            raise ValueError(
                f"output_size should be a sequence containing {spatial} or {spatial + 2} elements, but it "
                f"has a length of '{len(chosen)}'"
            )
        for dim, (size, middle, step) in enumerate(zip(chosen, default, stride)):
            if not middle - step < size < middle + step:
                raise ValueError(
                    f'invalid output_size "{chosen}" (dim {dim} must be between {middle - step} and '
                    f"{middle + step})"
                )
    for dim, size in enumerate(chosen):
        if size < 0:
            raise ValueError(
                "max_unpooling: output_size must contain non-negative spatial dimensions, but got "
                f"output_size[{dim}]={size}"
            )
    return chosen


def _max_unpool(spatial: int) -> Callable[..., gn.Tensor]:
    """Makes max_unpool1d, 2d or 3d."""

    def listed(value: Any) -> Sequence[int]:
        return value if isinstance(value, (list, tuple)) else (value,) * spatial

    def max_unpool(
        input: gn.Tensor,
        indices: gn.Tensor,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        output_size: Sequence[int] | None = None,
    ) -> gn.Tensor:
        widths = listed(kernel_size)
        steps, pads = widths if stride is None else listed(stride), listed(padding)
        sizes = _unpool_size(input, widths, steps, pads, output_size)
        if spatial == 1:
            wide = input.unsqueeze(-1), indices.unsqueeze(-1), (*sizes, 1)
            return aten.max_unpool2d(*wide).squeeze(-1)
        if spatial == 2:
            return aten.max_unpool2d(input, indices, sizes)
        return aten.max_unpool3d(input, indices, sizes, steps, pads)

    return _named(
        max_unpool,
        f"max_unpool{spatial}d",
        f"""Each element of ``input`` ([N,] C, *) at its place in the result, which is 0 elsewhere.

    ``indices`` are the {PLACES[spatial]} (int64) that max_pool{spatial}d returns with ``return_indices``.
    ``output_size`` are the result's spatial sizes: by default the smallest that pooling makes ``input``'s of.

    Raises ValueError for an impossible ``output_size``, RuntimeError for shapes that do not match and for an
    index beyond the result.

    Source: torch.nn.functional.max_unpool{spatial}d.""",
    )


max_unpool1d = _max_unpool(1)
max_unpool2d = _max_unpool(2)
max_unpool3d = _max_unpool(3)


def _with_default(output_size: Any, sizes: Sequence[int]) -> Any:
    """``output_size`` with None replaced by the input's size.  Raises ValueError for too many numbers."""
    if isinstance(output_size, int):
        return output_size
    if len(sizes) <= len(output_size):
        raise ValueError(
            f"Input dimension should be at least {len(output_size) + 1}, but got {len(sizes)} dimensions"
        )
    kept = sizes[-len(output_size) :]
    return [size if each is None else each for each, size in zip(output_size, kept)]


def adaptive_avg_pool2d(input: gn.Tensor, output_size: OptionalSizes) -> gn.Tensor:
    """The means of ``output_size`` windows in each dimension; None keeps the input's size.

    Raises RuntimeError unless the input is ([N,] C, H, W).

    Source: torch.nn.functional.adaptive_avg_pool2d.
    """
    return aten.adaptive_avg_pool2d(input, _with_default(output_size, input.shape))


def adaptive_avg_pool3d(input: gn.Tensor, output_size: OptionalSizes) -> gn.Tensor:
    """The means of ``output_size`` windows in each dimension; None keeps the input's size.

    Raises RuntimeError unless the input is ([N,] C, D, H, W).

    Source: torch.nn.functional.adaptive_avg_pool3d.
    """
    return aten.adaptive_avg_pool3d(input, _with_default(output_size, input.shape))


def _adaptive_max_pool_with_indices(spatial: int) -> Callable[..., tuple[gn.Tensor, gn.Tensor]]:
    """Makes adaptive_max_pool1d_with_indices, 2d or 3d, which ignore ``return_indices``."""
    operator = getattr(aten, f"adaptive_max_pool{spatial}d")

    def adaptive_max_pool_with_indices(
        input: gn.Tensor, output_size: OptionalSizes, return_indices: bool = False
    ) -> tuple[gn.Tensor, gn.Tensor]:
        # the 1-D operator refuses None itself
        return operator(input, output_size if spatial == 1 else _with_default(output_size, input.shape))

    return _named(
        adaptive_max_pool_with_indices,
        f"adaptive_max_pool{spatial}d_with_indices",
        f"The maxima of ``adaptive_max_pool{spatial}d``, and their {PLACES[spatial]} (int64).",
    )


adaptive_max_pool1d_with_indices = _adaptive_max_pool_with_indices(1)
adaptive_max_pool2d_with_indices = _adaptive_max_pool_with_indices(2)
adaptive_max_pool3d_with_indices = _adaptive_max_pool_with_indices(3)


def _adaptive_max_pool(with_indices: Callable[..., Any], spatial: int) -> Callable[..., Any]:
    """Makes adaptive_max_pool1d, 2d or 3d, which return indices too with ``return_indices``."""

    def adaptive_max_pool(input: gn.Tensor, output_size: OptionalSizes, return_indices: bool = False) -> Any:
        found = with_indices(input, output_size)
        return found if return_indices else found[0]

    kept = "" if spatial == 1 else " per dimension; None keeps the input's size"
    return _named(
        adaptive_max_pool,
        f"adaptive_max_pool{spatial}d",
        f"""The maximum of each of ``output_size`` windows{kept}.

    With ``return_indices`` it returns the maxima and their {PLACES[spatial]}
    (int64).

    Raises RuntimeError unless the input is ([N,] C, *) with {spatial} spatial dimension(s).

    Source: torch.nn.functional.adaptive_max_pool{spatial}d.""",
    )


adaptive_max_pool1d = _adaptive_max_pool(adaptive_max_pool1d_with_indices, 1)
adaptive_max_pool2d = _adaptive_max_pool(adaptive_max_pool2d_with_indices, 2)
adaptive_max_pool3d = _adaptive_max_pool(adaptive_max_pool3d_with_indices, 3)


def _lp_pool(spatial: int) -> Callable[..., gn.Tensor]:
    """Makes lp_pool1d, 2d or 3d from average pooling, and for an infinite norm from max pooling."""
    average = (avg_pool1d, avg_pool2d, avg_pool3d)[spatial - 1]
    maximum = (max_pool1d, max_pool2d, max_pool3d)[spatial - 1]

    def lp_pool(
        input: gn.Tensor,
        norm_type: float,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        ceil_mode: bool = False,
    ) -> gn.Tensor:
        if norm_type == math.inf:
            return maximum(input.abs(), kernel_size, stride, 0, 1, ceil_mode)
        if norm_type == -math.inf:
            return -maximum(-input.abs(), kernel_size, stride, 0, 1, ceil_mode)
        mean = average(input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
        count: Any = kernel_size
        if spatial > 1:
            count = kernel_size**spatial if isinstance(kernel_size, int) else math.prod(kernel_size)
        return (gn.sign(mean) * gn.relu(gn.abs(mean))).mul(count).pow(1.0 / norm_type)

    return _named(
        lp_pool,
        f"lp_pool{spatial}d",
        f"""The power average of each window of an input ([N,] C, *) with {spatial} spatial dimension(s).

    This is ``sum(x ** norm_type) ** (1 / norm_type)``, without absolute values.  If ``norm_type`` is inf or
    -inf, it is the largest or the smallest absolute value.

    Source: torch.nn.functional.lp_pool{spatial}d.""",
    )


lp_pool1d, lp_pool2d, lp_pool3d = _lp_pool(1), _lp_pool(2), _lp_pool(3)


def _fractional_max_pool_with_indices(spatial: int) -> Callable[..., tuple[gn.Tensor, gn.Tensor]]:
    """Makes fractional_max_pool2d_with_indices or 3d, which ignore ``return_indices``."""
    operator = getattr(aten, f"fractional_max_pool{spatial}d")

    def pool(
        input: gn.Tensor,
        kernel_size: Sizes,
        output_size: Sizes | None = None,
        output_ratio: Ratios | None = None,
        return_indices: bool = False,
        _random_samples: gn.Tensor | None = None,
    ) -> tuple[gn.Tensor, gn.Tensor]:
        if output_size is None and output_ratio is None:
            raise ValueError(
                f"fractional_max_pool{spatial}d requires specifying either an output_size or an output_ratio"
            )
        if output_size is None:
            ratios = output_ratio if isinstance(output_ratio, (list, tuple)) else (output_ratio,) * spatial
            output_size = [int(size * ratio) for size, ratio in zip(input.shape[-spatial:], ratios)]
        if _random_samples is None:
            batch = 1 if input.ndim == spatial + 1 else input.shape[0]
            sizes = (batch, input.shape[-spatial - 1], spatial)
            _random_samples = gn.rand(sizes, dtype=input.dtype, device=input.device)
        return operator(input, kernel_size, output_size, _random_samples)

    return _named(
        pool,
        f"fractional_max_pool{spatial}d_with_indices",
        f"The maxima of ``fractional_max_pool{spatial}d``, and their {PLACES[spatial]} (int64).",
    )


def _fractional_max_pool(with_indices: Callable[..., Any], spatial: int) -> Callable[..., Any]:
    """Makes fractional_max_pool2d or 3d, which return indices too with ``return_indices``."""

    def pool(
        input: gn.Tensor,
        kernel_size: Sizes,
        output_size: Sizes | None = None,
        output_ratio: Ratios | None = None,
        return_indices: bool = False,
        _random_samples: gn.Tensor | None = None,
    ) -> Any:
        both = with_indices(input, kernel_size, output_size, output_ratio, True, _random_samples)
        return both if return_indices else both[0]

    return _named(
        pool,
        f"fractional_max_pool{spatial}d",
        f"""The maxima of windows of ([N,] C, *), with {spatial} spatial dimensions, at places that are drawn.

    The result has the spatial sizes ``output_size``, or ``output_ratio`` (between 0 and 1) of the input's.
    With ``return_indices`` it returns the maxima and their {PLACES[spatial]} (int64).

    Raises ValueError without a size and a ratio, RuntimeError for windows that do not fit.

    Source: torch.nn.functional.fractional_max_pool{spatial}d.""",
    )


fractional_max_pool2d_with_indices = _fractional_max_pool_with_indices(2)
fractional_max_pool3d_with_indices = _fractional_max_pool_with_indices(3)
fractional_max_pool2d = _fractional_max_pool(fractional_max_pool2d_with_indices, 2)
fractional_max_pool3d = _fractional_max_pool(fractional_max_pool3d_with_indices, 3)
