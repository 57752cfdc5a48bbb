"""nll_loss and its gradient, glu, log_sigmoid and frexp, by csrc/cuda/losses.cu."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from gnomon.memory.prepared import BAD_VALUE, OK

from .direct import Direct, Work, tables
from .programs import Program, for_each
from .tables import DTYPES

TEXT = "losses.cu"
STRUCTURES = """
typedef struct {
    int64_t batch; int64_t classes; int64_t step; int64_t class_step; int64_t target_step;
    int64_t weight_step; int64_t other_step; uintptr_t targets; uintptr_t weights; int64_t ignored;
    int32_t reduction; uintptr_t fault;
} gn_samples;
"""
_GROUP = ("nll_rows", "nll_total", "nll_backward", "glu", "log_sigmoid", "split")
_LENGTH = 2048  # rows per block
_LOSS_BYTES = 16  # of gn_loss


def _step(tensor: Any) -> int:
    """The stride of a vector in bytes; 0 if it has one element."""
    spec = tensor._spec
    return spec.strides[0] * spec.dtype.itemsize if spec.ndim else 0


def _rows(work: Work, matrix: Any, target: Any, weight: Any, other: Any, arguments: Any, fault: Any) -> Any:
    """The structure ``gn_samples`` for log-probabilities, or their gradient, in ``matrix``."""
    spec = matrix._spec
    strides = [stride * spec.dtype.itemsize for stride in spec.strides]
    is_batch = spec.ndim == 2
    return work.structure(
        "gn_samples",
        (
            spec.sizes[0] if is_batch else 1,
            spec.sizes[-1],
            strides[0] if is_batch else 0,
            strides[-1],
            _step(target),
            0 if weight is None else _step(weight),
            _step(other) if arguments["reduction"] == 0 else 0,
            int(target._address),
            0 if weight is None else int(weight._address),
            arguments["ignore_index"],
            arguments["reduction"] if is_batch else arguments["reduction"] or 2,  # for a single row, the sum
            fault.address,
        ),
    )


def _nll_loss(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    """May write to the outputs before it refuses a target: they are new, so nobody sees that."""
    out, total, matrix, target, weight = tensors
    fault = work.flag()
    rows = _rows(work, matrix, target, weight, out, arguments, fault)
    dtype = matrix._spec.dtype.name
    blocks = max(1, -(-rows.batch // _LENGTH))
    parts = work.temporary(blocks * _LOSS_BYTES) if blocks > 1 else None
    results = [work.address(out), work.address(total)]
    parameters = [rows, work.address(matrix), *results, work.int64(_LENGTH), work.pointer(parts)]
    work.launch(TEXT, dtype, "nll_rows", (blocks, 1, 1), parameters, _GROUP)
    if parts is not None:
        parameters = [rows, work.pointer(parts), work.int64(blocks), *results]
        work.launch(TEXT, dtype, "nll_total", (1, 1, 1), parameters, _GROUP)
    return BAD_VALUE if work.is_set(fault) else OK


def _nll_loss_backward(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    """May write to the output before it refuses a target, as above."""
    out, incoming, _, target, weight, total = tensors
    fault = work.flag()
    rows = _rows(work, out, target, weight, incoming, arguments, fault)
    parameters = [rows, work.address(out), work.address(incoming), work.address(total)]
    grid = work.grid(max(out._spec.numel, rows.batch))
    work.launch(TEXT, out._spec.dtype.name, "nll_backward", grid, parameters, _GROUP)
    return BAD_VALUE if work.is_set(fault) else OK


def _glu(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    out, source = tensors
    spec = out._spec
    dim = arguments["dim"] % spec.ndim
    stride = source._spec.strides[dim] * spec.dtype.itemsize
    strides = [each * spec.dtype.itemsize for each in source._spec.strides]
    first = int(source._address)
    views = work.views(
        spec.sizes,
        (int(out._address), [each * spec.dtype.itemsize for each in spec.strides]),
        (first, strides),
        (first + spec.sizes[dim] * stride, strides),
    )
    return _each(work, "glu", out, views)


def _two_results(kernel: str) -> Callable[..., int]:
    def run(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
        places = [
            (int(each._address), [step * each._spec.dtype.itemsize for step in each._spec.strides])
            for each in tensors
        ]
        return _each(work, kernel, tensors[0], work.views(tensors[0]._spec.sizes, *places))

    return run


def _each(work: Work, kernel: str, out: Any, views: Sequence[Any]) -> int:
    if out._spec.numel:
        work.launch(TEXT, out._spec.dtype.name, kernel, work.grid(out._spec.numel), views, _GROUP)
    return OK


def programs() -> Iterator[Program]:
    """All programs of this family."""
    return for_each(TEXT, DTYPES["FLOATING"], _GROUP)


def kernels(runtime: Any) -> tuple[dict[str, Any], dict[str, tuple[str, ...]], dict[str, str]]:
    """The kernels, the dtypes and the source locations, each by operator."""
    runtime.declare(STRUCTURES)
    functions = {
        "nll_loss_forward": _nll_loss,
        "nll_loss_backward": _nll_loss_backward,
        "glu": _glu,
        "log_sigmoid_forward": _two_results("log_sigmoid"),
        "frexp.Tensor": _two_results("split"),
    }
    source = f"csrc/cuda/{TEXT}"
    return tables(
        runtime, [Direct(name, DTYPES["FLOATING"], function, source) for name, function in functions.items()]
    )
