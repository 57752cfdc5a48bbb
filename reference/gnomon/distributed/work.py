"""Work: a collective that has begun.  Source: torch.distributed.Work."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from ..futures import Future
from ..memory.tensor import Tensor
from .errors import DistBackendError
from .progress import Call
from .waiting import do_meanwhile, wait_until


class Work:
    """A collective that was begun with ``async_op=True``, or a message by ``isend`` or ``irecv``.

    Its tensors may not be touched before ``wait`` returned, or ``is_completed`` said True: until then MPI
    or NCCL reads and writes their memory.  What is left to do then with the result (a mean is divided, copies
    go back to tensors that are not contiguous) happens in the first ``wait`` or ``is_completed`` that sees
    the end.  Source: torch.distributed.Work.
    """

    def __init__(
        self,
        call: Call,
        is_done: Callable[[], bool],
        timeout: float | None,
        tensors: list[Tensor],
        finish: Callable[[], None] | None = None,
    ) -> None:
        self._call = call
        self._is_done = is_done
        self._timeout = timeout
        self._tensors = tensors
        self._finish = finish
        self._completed = False
        self._error: BaseException | None = None
        self._future: Future[list[Tensor]] | None = None
        self.source_rank: Callable[[], int] = self._no_source  # of a message, after its end

    def _no_source(self) -> int:
        raise RuntimeError(f"{self._call}: only a message has a source")

    def before(self, finish: Callable[[], None]) -> Work:
        """Have ``finish`` called once all else is done, before anybody sees the end.  Returns this Work."""
        inner = self._finish

        def both() -> None:
            if inner is not None:
                inner()
            finish()

        self._finish = both
        return self

    def is_completed(self) -> bool:
        """Has it ended?  Asking also helps it along."""
        if not self._completed:
            try:
                do_meanwhile()
                ended = self._is_done()
            except Exception as error:
                self._fail(error)
                return True
            if ended:
                self._complete()
        return self._completed

    def is_success(self) -> bool:
        """Has it ended, without an error?"""
        return self.is_completed() and self._error is None

    def exception(self) -> BaseException | None:
        """The error with which it ended, or None."""
        return self._error

    def wait(self, timeout: timedelta | None = None) -> bool:
        """Wait for the end; returns True.

        Raises DistBackendError if it does not come within ``timeout`` (default: the group's).
        """
        if self._completed:
            return self._outcome()
        seconds = self._timeout if timeout is None else timeout.total_seconds()
        self._call.is_waiting = True
        try:
            ended = wait_until(self._is_done, seconds)
        except Exception as error:
            self._fail(error)
            return self._outcome()
        finally:
            self._call.is_waiting = False
        if not ended:
            raise DistBackendError(
                f"{self._call}: not done after {seconds:g} s: another rank of the group has not called it, "
                "calls something else, or has ended (GNOMON_DISTRIBUTED_DEBUG=detail says which)"
            )
        self._complete()
        return self._outcome()

    def synchronize(self) -> None:
        """The same as ``wait``: memory of the host has no streams."""
        self.wait()

    def result(self) -> list[Tensor]:
        """The tensors that it wrote, after its end."""
        return self._tensors

    def get_future(self) -> Future[list[Tensor]]:
        """A Future of the tensors that it wrote."""
        if self._future is None:
            self._future = Future.made_by(self.is_completed, self._waited_for)
        return self._future

    def _waited_for(self) -> list[Tensor]:
        self.wait()
        return self._tensors

    def _fail(self, error: Exception) -> None:
        """It has ended with an error of the library that moves tensors."""
        self._error = DistBackendError(f"{self._call}: {error}")
        self._error.__cause__ = error
        self._completed = True
        self._call.end()

    def _complete(self) -> None:
        try:
            if self._finish is not None:
                self._finish()
        except Exception as error:
            self._error = error
        self._finish = None
        self._completed = True
        self._call.end()

    def _outcome(self) -> bool:
        if self._error is not None:
            raise self._error
        return True


def completed(call: Call, tensors: list[Tensor]) -> Work:
    """A Work that has ended already."""
    return Work(call, lambda: True, None, tensors)


def finish(work: Work, async_op: bool) -> Any:
    """What a collective returns: the Work, or None after waiting for it."""
    if async_op:
        return work
    work.wait()
    return None
