"""Statistics: variances, norms and sums of exponentials, whose kernels are in csrc/cuda/statistics.cu."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from gnomon.dispatch.dispatcher import aten

from .programs import Program
from .reductions import ReductionKernel, groups_of, programs_of
from .tables import statistics_rows

_ROWS = statistics_rows()


class StatisticsKernel(ReductionKernel):
    """One operator: a reduction with a number, the correction or the order, and accumulators of several."""

    text = "statistics.cu"
    groups = groups_of(_ROWS)

    def number(self, kernel_arguments: Sequence[Any]) -> float:
        """The Scalar among the arguments; a correction that is not given is 1."""
        record = aten._find(self.row.name).record
        arguments = [record.schema.arguments[position] for position in record.kernel_positions]
        others = [each for each in arguments if each.type != "Tensor"]
        for argument, value in zip(others, kernel_arguments):
            if argument.type == "Scalar":
                return 1.0 if value is None else float(value)
        return 0.0


def programs() -> Iterator[Program]:
    """All that this family may ask to be compiled."""
    return programs_of(StatisticsKernel.text, StatisticsKernel.groups)


def kernels(runtime: Any) -> tuple[dict[str, Any], dict[str, tuple[str, ...]], dict[str, str]]:
    """The kernels by operator, the dtypes that each takes, and where each is written."""
    return (
        {row.name: StatisticsKernel(runtime, row) for row in _ROWS},
        {row.name: row.dtypes for row in _ROWS},
        {row.name: row.source for row in _ROWS},
    )
