"""Steps that all ranks take together: if one fails on some rank, all of them raise the same error.

Source: torch.distributed.checkpoint.utils._DistWrapper, torch.distributed.checkpoint.api.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ..object_collectives import all_gather_object
from ..process_group import GroupMember, ProcessGroup, is_initialized, resolved

Result = TypeVar("Result")


class CheckpointException(RuntimeError):
    """A checkpoint could not be written or read.  ``failures``: the errors, by rank, as texts.

    Source: torch.distributed.checkpoint.CheckpointException.
    """

    def __init__(self, message: str, failures: dict[int, str]) -> None:
        super().__init__(message)
        self.failures = failures


class Ranks:
    """The ranks that write or read a checkpoint: those of a group, or this process alone."""

    def __init__(self, process_group: ProcessGroup | None, no_dist: bool) -> None:
        alone = no_dist or (process_group is None and not is_initialized())
        self.group = None if alone else resolved(process_group)
        self.rank = 0 if self.group is None else self.group.rank()
        self.size = 1 if self.group is None else self.group.size()

    def gather(self, own: Any) -> list[Any]:
        """What each rank brings."""
        everything = [own] * self.size
        if self.group is not None:
            all_gather_object(everything, own, self.group)
        return everything

    def take(self, doing: str, step: Callable[[], Result]) -> Result:
        """Take a step; returns its result here.  Raises CheckpointException if it failed on any rank."""
        failure: Exception | None = None
        try:
            result = step()
        except Exception as error:
            failure = error
        texts = self.gather(None if failure is None else f"{type(failure).__name__}: {failure}")
        failures = {rank: text for rank, text in enumerate(texts) if text is not None}
        if failures:
            ranks_of: dict[str, list[int]] = {}
            for rank, text in failures.items():
                ranks_of.setdefault(text, []).append(rank)
            lines = [f"rank {', '.join(map(str, ranks))}: {text}" for text, ranks in ranks_of.items()]
            raise CheckpointException(f"{doing} failed:\n" + "\n".join(lines), failures) from failure
        return result


def is_member(process_group: ProcessGroup | None) -> bool:
    """Is this process in the group?"""
    return process_group is not GroupMember.NON_GROUP_MEMBER
