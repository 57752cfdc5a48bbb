"""flip, tril and triu, by csrc/cuda/rearrange.cu."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from gnomon.memory.prepared import OK
from gnomon.values.dtype import ALL, LIMITED

from .direct import Direct, Work, tables
from .programs import Program, one_by_one

TEXT = "rearrange.cu"
# The kernels depend only on the itemsize, so they are compiled for one dtype.
DTYPE = "uint8"
ELEMENTS = {size: f"uint{size * 8}_t" for size in (1, 2, 4, 8)} | {16: "gn_uint128"}


def copy_kernel(itemsize: int) -> str:
    """The kernel that copies elements of this size from one view to another."""
    return f"copy_elements<{ELEMENTS[itemsize]}>"


def _triangle_kernel(itemsize: int, is_upper: bool) -> str:
    return f"copy_triangle<{ELEMENTS[itemsize]}, {int(is_upper)}>"


def _flip(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    out, source = tensors
    spec = source._spec
    if spec.numel:
        turned = work.view(source)
        for dim in arguments["dims"]:
            if spec.ndim:
                place = dim % spec.ndim
                turned.at += (spec.sizes[place] - 1) * turned.strides[place]
                turned.strides[place] = -turned.strides[place]
        kernel = copy_kernel(spec.dtype.itemsize)
        work.launch(TEXT, DTYPE, kernel, work.grid(spec.numel), [work.view(out), turned])
    return OK


def _triangle(is_upper: bool) -> Any:
    def run(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
        out, source = tensors
        if out._spec.numel:
            parameters = [work.view(out), work.view(source), work.int64(arguments["diagonal"])]
            kernel = _triangle_kernel(out._spec.dtype.itemsize, is_upper)
            work.launch(TEXT, DTYPE, kernel, work.grid(out._spec.numel), parameters)
        return OK

    return run


def programs() -> Iterator[Program]:
    """All programs of this family."""
    found = [copy_kernel(itemsize) for itemsize in ELEMENTS]
    found += [_triangle_kernel(itemsize, is_upper) for itemsize in ELEMENTS for is_upper in (False, True)]
    return one_by_one(TEXT, DTYPE, found)


def kernels(runtime: Any) -> tuple[dict[str, Any], dict[str, tuple[str, ...]], dict[str, str]]:
    """The kernels, the dtypes and the source locations, each by operator."""
    functions = {"flip": _flip, "tril": _triangle(False), "triu": _triangle(True)}
    found = []
    for name, function in functions.items():
        taken = tuple(each.name for each in (*ALL, *(LIMITED if name == "flip" else ())))
        found.append(Direct(name, taken, function, f"csrc/cuda/{TEXT}"))
    return tables(runtime, found)
