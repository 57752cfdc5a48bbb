"""Buckets: gradients of many parameters in one tensor, which one collective sends.

Source: torch/csrc/distributed/c10d/reducer.cpp (compute_bucket_assignment_by_size, Bucket), comm.hpp
(GradBucket).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import gnomon as gn

from ..memory.tensor import Tensor, is_alias_of
from ..values import geometry

if TYPE_CHECKING:
    from ..futures import Future
    from .work import Work


def assign(
    parameters: Sequence[Tensor], order: Sequence[int], limits: Sequence[float], is_sorted: bool = False
) -> list[list[int]]:
    """Put parameters, given in an order, into buckets: lists of their indices.

    A bucket has one dtype and one device, and ends with the parameter that fills it up to its limit in bytes.
    The first bucket of a dtype and device has the first of ``limits``, and so on; the last limit is for all
    further ones.  ``is_sorted``: whether the buckets follow the lowest index in each.
    Source: compute_bucket_assignment_by_size.
    """
    done: list[list[int]] = []
    open_ones: dict[Any, tuple[list[int], int]] = {}
    limits_left: dict[Any, list[float]] = {}
    for index in order:
        each = parameters[index]
        key = each.dtype, each.device
        indices, size = open_ones.get(key, ([], 0))
        indices.append(index)
        size += each.numel() * each.element_size()
        left = limits_left.setdefault(key, list(limits))
        if size >= left[0]:
            done.append(indices)
            open_ones.pop(key, None)
            if len(left) > 1:
                del left[0]
        else:
            open_ones[key] = indices, size
    done.extend(indices for indices, _ in open_ones.values())
    return sorted(done, key=min) if is_sorted else done


class Bucket:
    """A flat tensor, ``buffer``, with a view for the gradient of each of its parameters.

    A view has the strides of its parameter, if that is dense.
    """

    def __init__(self, parameters: Sequence[Tensor], indices: Sequence[int]) -> None:
        self.indices = list(indices)
        self.parameters = [parameters[index] for index in indices]
        first = self.parameters[0]
        size = sum(each.numel() for each in self.parameters)
        self.buffer = gn.zeros(size, dtype=first.dtype, device=first.device)
        self.views = views_of(self.buffer, self.parameters)
        self.pending = len(self.indices)  # gradients that have not come in this iteration
        self.under_way: Work | Future[Any] | None = None  # the reduction, from its begin to its end

    def fill(self, place: int, gradient: Tensor | None, divisor: int) -> Tensor:
        """Put the gradient of a parameter, and what its ``grad`` has already, into its view; returns that.

        A ``grad`` that is the view itself keeps its memory: the bucket gets another one, so that a backward
        that fails does not change it.
        """
        earlier = self.parameters[place].grad
        if earlier is not None:
            earlier = earlier.detach()
            gradient = earlier if gradient is None else earlier + gradient
            if is_alias_of(earlier, self.views[place]):
                self.buffer = self.buffer.clone()
                self.views = views_of(self.buffer, self.parameters)
        view = self.views[place]
        if gradient is None:
            view.zero_()
        elif gradient.layout is not gn.strided:
            raise RuntimeError(
                "DistributedDataParallel: expected gradients that are dense, got one of layout "
                f"{gradient.layout} (as of an Embedding with sparse=True)"
            )
        elif divisor == 1:
            view.copy_(gradient)
        else:
            gn.div(gradient, divisor, out=view)
        return view


def views_of(buffer: Tensor, parameters: Sequence[Tensor]) -> list[Tensor]:
    """The parts of a flat tensor that belong to parameters which follow each other in it."""
    views, begin = [], 0
    for each in parameters:
        if geometry.is_non_overlapping_and_dense(each.shape, each.stride()):
            views.append(buffer.as_strided(each.shape, each.stride(), begin))
        else:
            views.append(buffer[begin : begin + each.numel()].view(each.shape))
        begin += each.numel()
    return views


class GradBucket:
    """A bucket that is full, as a communication hook gets it.  Source: torch.distributed.GradBucket."""

    def __init__(self, index: int, buffer: Tensor, parameters: Sequence[Tensor], is_last: bool) -> None:
        self._index = index
        self._buffer = buffer
        self._parameters = list(parameters)
        self._is_last = is_last

    def index(self) -> int:
        """The number of the bucket; 0 is the first that is sent."""
        return self._index

    def buffer(self) -> Tensor:
        """All gradients in one flat tensor."""
        return self._buffer

    def gradients(self) -> list[Tensor]:
        """The gradient of each parameter: views of ``buffer()``."""
        return views_of(self._buffer, self._parameters)

    def parameters(self) -> list[Tensor]:
        """The parameters."""
        return list(self._parameters)

    def is_last(self) -> bool:
        """Is this the last bucket of the iteration?"""
        return self._is_last

    def set_buffer(self, buffer: Tensor) -> None:
        """Replace the flat tensor, as a hook that compresses does."""
        self._buffer = buffer


__all__ = ["Bucket", "GradBucket", "assign", "views_of"]
