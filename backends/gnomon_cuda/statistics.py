"""Variances, norms and logsumexp, whose kernels are in csrc/cuda/statistics.cu."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from gnomon.dispatch.dispatcher import aten

from .programs import Program
from .reductions import ReductionKernel, groups_of, programs_of
from .tables import statistics_rows

_ROWS = statistics_rows()


class StatisticsKernel(ReductionKernel):
    """The kernel of one operator: a reduction with a number (correction or order), and with accumulators of
    several numbers.
    """

    text = "statistics.cu"
    groups = groups_of(_ROWS)

    def number(self, kernel_arguments: Sequence[Any]) -> float:
        """The Scalar among the arguments; the default correction is 1."""
        record = aten._find(self.row.name).record
        arguments = [record.schema.arguments[position] for position in record.kernel_positions]
        others = [each for each in arguments if each.type != "Tensor"]
        for argument, value in zip(others, kernel_arguments):
            if argument.type == "Scalar":
                return 1.0 if value is None else float(value)
        return 0.0


def programs() -> Iterator[Program]:
    """All programs of this family."""
    return programs_of(StatisticsKernel.text, StatisticsKernel.groups)


def kernels(runtime: Any) -> tuple[dict[str, Any], dict[str, tuple[str, ...]], dict[str, str]]:
    """The kernels, the dtypes and the source locations, each by operator."""
    return (
        {row.name: StatisticsKernel(runtime, row) for row in _ROWS},
        {row.name: row.dtypes for row in _ROWS},
        {row.name: row.source for row in _ROWS},
    )
