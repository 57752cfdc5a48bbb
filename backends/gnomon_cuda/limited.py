"""copy_, fill_, where, eq and ne of the dtypes that few operators take (LIMITED), by csrc/cuda/limited.cu."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from gnomon.calls.iterator import TensorIterator
from gnomon.memory.prepared import PreparingKernel
from gnomon.memory.tensor import Tensor
from gnomon.values.dtype import LIMITED
from gnomon.values.scalar import scalar_forms

from . import pointwise
from .programs import Program

TEXT = "limited.cu"
# The kernels read the dtypes of their operands, so they are compiled for one dtype.
DTYPE = "uint8"
_OPERATIONS = {
    "copy_": "convert_limited",
    "fill_.Scalar": "fill_limited",
    "eq.Tensor": "compare_limited<1>",
    "ne.Tensor": "compare_limited<0>",
}


def _kernel(operation: str, is_small: bool) -> str:
    return f"limited<{operation}, {pointwise.walk(is_small)}"


def _group(is_small: bool) -> list[str]:
    return [_kernel(operation, is_small) for operation in _OPERATIONS.values()]


class LimitedCall(pointwise.PointwiseCall):
    """A call of which an operand has a limited dtype.  All operands are walked by their strides."""

    def __init__(self, runtime: Any, name: str, iterator: TensorIterator, scalars: Sequence[Any]):
        super().__init__(runtime, name, _OPERATIONS[name], DTYPE, iterator, scalars, [], False)
        self._single = None

    def _find(self, lanes: int) -> Any:
        kernel = _kernel(self._operation, self._is_small)
        return self._way(0, kernel, _group(self._is_small), TEXT)


class LimitedKernel(PreparingKernel):
    """The kernel of an operator for all dtypes: that of the usual ones, and beside it that of the limited."""

    def __init__(self, runtime: Any, name: str, usual: Any):
        self._runtime = runtime
        self._name = name
        self._usual = usual

    def prepare(
        self,
        iterator: TensorIterator,
        tensors: Sequence[Tensor | None],
        output_count: int,
        kernel_arguments: Sequence[Any],
    ) -> Any:
        """The prepared call for operands with the geometry of ``iterator``."""
        kinds = [operand.dtype for operand in iterator.operands]
        moves = self._name == "copy_" and kinds[0] is kinds[1]
        if moves or not any(kind in LIMITED for kind in kinds):
            return self._usual.prepare(iterator, tensors, output_count, kernel_arguments)
        scalars = [scalar_forms(kernel_arguments[0])] if self._name == "fill_.Scalar" else []
        return LimitedCall(self._runtime, self._name, iterator, scalars)


def programs() -> Iterator[Program]:
    """All programs of this family."""
    for is_small in (True, False):
        yield Program(TEXT, DTYPE, tuple(_group(is_small)))


def kernels(runtime: Any) -> tuple[dict[str, Any], dict[str, tuple[str, ...]], dict[str, str]]:
    """The kernels, the dtypes and the source locations, each by operator; they replace those of pointwise."""
    usual, dtypes, written = pointwise.kernels(runtime)
    limited = tuple(each.name for each in LIMITED)
    found: dict[str, Any] = {name: LimitedKernel(runtime, name, usual[name]) for name in _OPERATIONS}
    found["where.self"] = usual["where.self"]  # moves elements by their size
    return found, {name: (*dtypes[name], *limited) for name in found}, {name: written[name] for name in found}
