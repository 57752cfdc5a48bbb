"""Max and average pooling, also adaptive, and their gradients, by csrc/cuda/pooling.cu."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from gnomon.memory.prepared import NOT_IMPLEMENTED, OK
from gnomon.numerics.windows import spatial_ints

from .direct import Direct, Work, tables
from .programs import Program, for_each
from .tables import DTYPES

TEXT = "pooling.cu"
STRUCTURES = """
typedef struct {
    int64_t batch; int64_t channels; int64_t in[3]; int64_t out[3]; int64_t taps[3]; int64_t stride[3];
    int64_t padding[3]; int64_t dilation[3]; int64_t divisor; int32_t is_adaptive; int32_t counts_padding;
    int32_t is_channels_last; int64_t in_strides[5]; int64_t out_strides[5]; int64_t place_strides[5];
} gn_pooling;
"""
SPATIAL = 3
_GROUP = ("max_pool", "average_pool", "max_pool_backward", "average_pool_backward", "find_astray")


def _sizes(tensor: Any, spatial: int) -> list[int]:
    """The spatial sizes, with 1 for missing dimensions."""
    return [1] * (SPATIAL - spatial) + list(tensor._spec.sizes[-spatial:])


def _strides(tensor: Any, spatial: int) -> list[int]:
    """The strides in elements of the batch, the channels and three spatial dimensions."""
    strides = list(tensor._spec.strides)
    front = [0] * (2 - (len(strides) - spatial)) + strides[:-spatial]
    return front + [0] * (SPATIAL - spatial) + strides[-spatial:]


def _windows(spatial: int, arguments: dict[str, Any]) -> tuple[list[int], ...]:
    """Kernel sizes, strides, padding and dilation; empty if the windows are adaptive."""
    missing = SPATIAL - spatial
    if "kernel_size" not in arguments:
        return [1] * SPATIAL, [1] * SPATIAL, [0] * SPATIAL, [1] * SPATIAL
    kernel = arguments["kernel_size"]
    stride = arguments["stride"]
    given = (
        ("kernel_size", kernel, 1),
        ("stride", kernel if not stride and not isinstance(stride, int) else stride, 1),
        ("padding", arguments["padding"], 0),
        ("dilation", arguments.get("dilation", 1), 1),
    )
    return tuple([absent] * missing + list(spatial_ints(name, each, spatial)) for name, each, absent in given)


def _pooling(work: Work, spatial: int, large: Any, small: Any, places: Any, arguments: dict[str, Any]) -> Any:
    """The structure ``gn_pooling`` from ``large`` to ``small``."""
    spec = large._spec
    in_strides = _strides(large, spatial)
    return work.structure(
        "gn_pooling",
        (
            spec.sizes[0] if spec.ndim == spatial + 2 else 1,
            spec.sizes[-spatial - 1],
            _sizes(large, spatial),
            _sizes(small, spatial),
            *_windows(spatial, arguments),
            arguments.get("divisor_override") or 0,
            int("kernel_size" not in arguments),
            int(bool(arguments.get("count_include_pad", False))),
            int(in_strides[1] == 1 and in_strides[-1] != 1),
            in_strides,
            _strides(small, spatial),
            [0] * (SPATIAL + 2) if places is None else _strides(places, spatial),
        ),
    )


def _have_other_planes(large: Any, small: Any, spatial: int) -> bool:
    """Do the non-spatial sizes of two tensors differ?  Not all meta functions check that."""
    return large._spec.sizes[:-spatial] != small._spec.sizes[:-spatial]


def _launch(work: Work, kernel: str, result: Any, parameters: Sequence[Any]) -> None:
    dtype = result._spec.dtype.name
    work.launch(TEXT, dtype, kernel, work.grid(result._spec.numel), parameters, _GROUP)


def _max_pool(spatial: int) -> Any:
    def run(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
        out, places, source = tensors
        if out._spec.numel:
            pooling = _pooling(work, spatial, source, out, places, arguments)
            parameters = [pooling, *(work.address(each) for each in (source, out, places))]
            _launch(work, "max_pool", out, parameters)
        return OK

    return run


def _max_pool_backward(spatial: int) -> Any:
    """A kernel checks on the device, without a wait, whether all indices are in their windows."""

    def run(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
        out, gradient, _, places = tensors
        if _have_other_planes(out, gradient, spatial):
            return NOT_IMPLEMENTED
        if out._spec.numel:
            pooling = _pooling(work, spatial, out, gradient, places, arguments)
            astray = work.flag()
            where, flag = work.address(places), work.pointer(astray)
            dtype = out._spec.dtype.name
            grid = work.grid(gradient._spec.numel)
            work.launch(TEXT, dtype, "find_astray", grid, [pooling, where, flag], _GROUP)
            parameters = [pooling, work.address(gradient), where, work.address(out), flag]
            _launch(work, "max_pool_backward", out, parameters)
        return OK

    return run


def _average_pool(spatial: int) -> Any:
    def run(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
        out, source = tensors
        if out._spec.numel:
            pooling = _pooling(work, spatial, source, out, None, arguments)
            _launch(work, "average_pool", out, [pooling, work.address(source), work.address(out)])
        return OK

    return run


def _average_pool_backward(spatial: int) -> Any:
    def run(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
        out, gradient, _ = tensors
        if _have_other_planes(out, gradient, spatial):
            return NOT_IMPLEMENTED
        if out._spec.numel:
            pooling = _pooling(work, spatial, out, gradient, None, arguments)
            parameters = [pooling, work.address(gradient), work.address(out)]
            _launch(work, "average_pool_backward", out, parameters)
        return OK

    return run


def programs() -> Iterator[Program]:
    """All programs of this family."""
    return for_each(TEXT, DTYPES["REAL"], _GROUP)


def kernels(runtime: Any) -> tuple[dict[str, Any], dict[str, tuple[str, ...]], dict[str, str]]:
    """The kernels, the dtypes and the source locations, each by operator."""
    runtime.declare(STRUCTURES)
    floats, source = DTYPES["FLOATING"], f"csrc/cuda/{TEXT}"
    found = []
    for spatial in (2, 3):
        for name, dtypes, function in (
            (f"max_pool{spatial}d_with_indices", DTYPES["REAL"], _max_pool),
            (f"max_pool{spatial}d_with_indices_backward", floats, _max_pool_backward),
            (f"adaptive_max_pool{spatial}d", floats, _max_pool),
            (f"adaptive_max_pool{spatial}d_backward", floats, _max_pool_backward),
            (f"avg_pool{spatial}d", (*floats, "int64"), _average_pool),
            (f"avg_pool{spatial}d_backward", (*floats, "int64"), _average_pool_backward),
            (f"_adaptive_avg_pool{spatial}d", floats, _average_pool),
            (f"_adaptive_avg_pool{spatial}d_backward", floats, _average_pool_backward),
        ):
            found.append(Direct(name, dtypes, function(spatial), source))
    return tables(runtime, found)
