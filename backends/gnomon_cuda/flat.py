"""Contiguous copies of tensors, for kernels that need contiguous operands."""

from __future__ import annotations

from typing import Any

from gnomon.memory.tensor import Tensor

from . import rearrange
from .direct import Work


class Flat:
    """The tensors of one call; call ``finish`` after its kernels have been launched."""

    def __init__(self, work: Work):
        self._work = work
        self._held: list[Any] = []
        self._results: list[tuple[Tensor, Any]] = []

    def given(self, tensor: Tensor | None) -> int:
        """The address of an input in contiguous form; 0 for None."""
        if tensor is None:
            return 0
        if tensor._spec.is_contiguous or not tensor._spec.numel:
            return int(tensor._address)
        made, view = self._room(tensor)
        self._copy(tensor, view, self._work.view(tensor))
        return made

    def result(self, tensor: Tensor | None, is_read: bool = False) -> int:
        """The address at which to write an output in contiguous form; 0 for None.  With ``is_read`` it has
        the output's current elements.
        """
        if tensor is None:
            return 0
        if tensor._spec.is_contiguous or not tensor._spec.numel:
            return int(tensor._address)
        made, view = self._room(tensor)
        if is_read:
            self._copy(tensor, view, self._work.view(tensor))
        self._results.append((tensor, view))
        return made

    def temporary(self, nbytes: int) -> int:
        """Temporary memory for the call."""
        memory = self._work.temporary(nbytes)
        self._held.append(memory)
        return memory.address

    def finish(self) -> None:
        """Copies results to their tensors."""
        for tensor, view in self._results:
            self._copy(tensor, self._work.view(tensor), view)

    def _room(self, tensor: Tensor) -> tuple[int, Any]:
        """Memory for the tensor's elements, and a view of it with the tensor's sizes."""
        spec = tensor._spec
        made = self.temporary(spec.numel * spec.dtype.itemsize)
        view = self._work.view(tensor)
        view.at = made
        step = spec.dtype.itemsize
        for dim in reversed(range(spec.ndim)):
            view.strides[dim] = step
            step *= spec.sizes[dim]
        return made, view

    def _copy(self, tensor: Tensor, to: Any, source: Any) -> None:
        steps = self._work.grid(tensor._spec.numel)
        kernel = rearrange.copy_kernel(tensor._spec.dtype.itemsize)
        self._work.launch(rearrange.TEXT, rearrange.DTYPE, kernel, steps, [to, source])
