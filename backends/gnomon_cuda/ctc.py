"""Connectionist temporal classification: the loss and its gradient, by csrc/cuda/ctc.cu."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from typing import Any

from gnomon.memory.prepared import BAD_VALUE, OK

from .allocator import Memory
from .direct import Direct, Work, tables
from .programs import Program, for_each
from .tables import DTYPES

TEXT = "ctc.cu"
STRUCTURES = """
typedef struct {
    int64_t batch; int64_t times; int64_t classes; int64_t width; int64_t blank; int64_t zero_infinity;
    uintptr_t targets; int64_t targets_dtype; int64_t target_step;
    uintptr_t input_lengths; uintptr_t target_lengths; uintptr_t target_offsets;
    uintptr_t log_probs; int64_t probs_steps[3]; int64_t alpha_steps[3]; uintptr_t rows; uintptr_t fault;
} gn_ctc;
typedef struct { uintptr_t next; uintptr_t is_first; uintptr_t through; uintptr_t totals; } gn_ctc_paths;
"""
_GROUP = ("ctc_forward", "ctc_backward")


def _steps(tensor: Any) -> list[int]:
    spec = tensor._spec
    return [stride * spec.dtype.itemsize for stride in spec.strides]


def _ctc(
    work: Work, log_probs: Any, targets: Any, alpha: Any, arguments: dict[str, Any]
) -> tuple[Any, list[Memory]]:
    """The structure ``gn_ctc``, and the memory to which it points: the rows, the flag and the tables."""
    times, batch, classes = log_probs._spec.sizes
    lengths = [int(each) for each in arguments["target_lengths"]]
    width = 2 * max(lengths) + 1
    offsets, at = [], 0
    steps = _steps(targets)
    for number, length in enumerate(lengths):
        offsets.append(number * steps[0] if len(steps) == 2 else at * steps[0])
        at += length
    inputs = [int(each) for each in arguments["input_lengths"]]
    content = array("q", [*inputs, *lengths, *offsets])
    table = work.upload_bytes(memoryview(content).cast("B"))
    rows, flag = work.temporary(2 * batch * width * 8), work.flag()
    made = work.structure(
        "gn_ctc",
        (
            *(batch, times, classes, width, arguments["blank"], int(bool(arguments["zero_infinity"]))),
            *(int(targets._address), targets._spec.dtype.code, steps[-1]),
            *(table.address + place * batch * 8 for place in range(3)),
            int(log_probs._address),
            _steps(log_probs),
            _steps(alpha),
            *(rows.address, flag.address),
        ),
    )
    return made, [rows, flag, table]


def _ctc_loss(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    """May write to the outputs before it refuses a target: they are new, so nobody sees that."""
    losses, alpha, log_probs, targets = tensors
    description, held = _ctc(work, log_probs, targets, alpha, arguments)
    parameters = [description, work.address(losses), work.address(alpha)]
    grid = work.grid(description.batch * 256)
    work.launch(TEXT, losses._spec.dtype.name, "ctc_forward", grid, parameters, _GROUP)
    return BAD_VALUE if work.is_set(held[1]) else OK


def _ctc_gradient(work: Work, tensors: Sequence[Any], arguments: dict[str, Any]) -> int:
    """May write to the output before it refuses a target, as above."""
    out, gradient, log_probs, targets, losses, alpha = tensors
    description, held = _ctc(work, log_probs, targets, alpha, arguments)
    states = description.batch * description.width
    memories = [work.temporary(states * each) for each in (8, 1, 8)]
    memories.append(work.temporary(description.batch * description.classes * 8))
    parameters = [
        description,
        work.structure("gn_ctc_paths", tuple(each.address for each in memories)),
        work.address(alpha),
        work.address(losses),
        work.int64(_steps(losses)[0]),
        work.address(gradient),
        work.int64(_steps(gradient)[0]),
        work.address(out),
    ]
    grid = work.grid(description.batch * 256)
    work.launch(TEXT, out._spec.dtype.name, "ctc_backward", grid, parameters, _GROUP)
    return BAD_VALUE if work.is_set(held[1]) else OK


def programs() -> Iterator[Program]:
    """All programs of this family."""
    return for_each(TEXT, DTYPES["PRECISE"], _GROUP)


def kernels(runtime: Any) -> tuple[dict[str, Any], dict[str, tuple[str, ...]], dict[str, str]]:
    """The kernels, the dtypes and the source locations, each by operator."""
    runtime.declare(STRUCTURES)
    functions = {"_ctc_loss": _ctc_loss, "_ctc_loss_backward": _ctc_gradient}
    source = f"csrc/cuda/{TEXT}"
    return tables(
        runtime, [Direct(name, DTYPES["PRECISE"], function, source) for name, function in functions.items()]
    )
