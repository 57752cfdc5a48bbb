"""What a library that moves tensors between processes must have: MPI, NCCL.

The functions that users call (collectives.py) check their arguments, and give to a Backend tensors that it
can use as they are: contiguous, of equal dtype, on memory that ``can_use`` accepted.

Source: torch/csrc/distributed/c10d/Backend.hpp.
"""

from __future__ import annotations

import abc
from collections.abc import Sequence

import gnomon as gn

from ..memory.tensor import Tensor
from .reduce_op import ReduceOp
from .work import Work


class Backend(abc.ABC):
    """The collectives of one group.  Each returns a Work; ranks are those in the group."""

    name: str  # "mpi", "nccl"

    def __init__(self, group: str, rank: int, size: int, timeout: float | None) -> None:
        self.group = group
        self.rank = rank
        self.size = size
        self.timeout = timeout

    @abc.abstractmethod
    def can_use(self, tensor: Tensor) -> bool:
        """Whether this can read and write the memory of a contiguous tensor."""

    @abc.abstractmethod
    def broadcast(self, tensor: Tensor, root: int) -> Work:
        """The tensor of ``root`` to all."""

    @abc.abstractmethod
    def all_reduce(self, tensor: Tensor, op: ReduceOp) -> Work:
        """In place: the combination of all tensors, everywhere."""

    @abc.abstractmethod
    def reduce(self, tensor: Tensor, root: int, op: ReduceOp) -> Work:
        """In place: the combination of all tensors, at ``root``.  The others' tensors stay."""

    @abc.abstractmethod
    def all_gather(self, output: Tensor, input: Tensor) -> Work:
        """``output`` has all processes' ``input``, in the order of ranks."""

    @abc.abstractmethod
    def reduce_scatter(self, output: Tensor, input: Tensor, op: ReduceOp) -> Work:
        """``output`` is this rank's part of the combination of all ``input``."""

    @abc.abstractmethod
    def all_to_all(
        self, output: Tensor, input: Tensor, output_counts: Sequence[int], input_counts: Sequence[int]
    ) -> Work:
        """Part r of ``input`` goes to rank r; part r of ``output`` comes from there.  Counts of elements."""

    @abc.abstractmethod
    def gather(self, output: Tensor | None, input: Tensor, root: int) -> Work:
        """``output``, at ``root`` only, has all processes' ``input``."""

    @abc.abstractmethod
    def scatter(self, output: Tensor, input: Tensor | None, root: int) -> Work:
        """``output`` is this rank's part of ``input`` at ``root``."""

    @abc.abstractmethod
    def barrier(self) -> Work:
        """Ends when all have begun it."""

    @abc.abstractmethod
    def send(self, tensor: Tensor, destination: int, tag: int) -> Work:
        """A message."""

    @abc.abstractmethod
    def recv(self, tensor: Tensor, source: int | None, tag: int) -> Work:
        """A message, of any rank if ``source`` is None; ``Work.source_rank`` says of which."""

    @abc.abstractmethod
    def close(self) -> None:
        """Give back what the group holds."""

    def averaging(self, work: Work, tensor: Tensor, op: ReduceOp) -> Work:
        """``work``, whose sum in ``tensor`` is divided by the size for ``ReduceOp.AVG``."""
        if op is not ReduceOp.AVG:
            return work

        def divide() -> None:
            with gn.no_grad():
                mean = tensor.detach()
                if mean.dtype.is_floating_point or mean.dtype.is_complex:
                    mean.div_(self.size)
                else:
                    mean.copy_(mean.to(gn.int64).div(self.size, rounding_mode="trunc"))

        return work.before(divide)
