"""Tensors as a Backend can use them, and their way back.

A tensor that is contiguous, on memory that the Backend can use, is used in place.  Another one (transposed,
on a device that only its own backend reads) is copied first, and what was received is copied back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import gnomon as gn

from ..autograd.graph import increment_version
from ..memory.tensor import Tensor, is_alias_of
from .backend import Backend
from .work import Work


def given(tensor: Tensor, backend: Backend, output: Tensor | None = None) -> Tensor:
    """The tensor's elements, contiguous, for a Backend to read; a copy if it would write ``output`` into the
    same storage meanwhile, as MPI does not allow.
    """
    tensor = tensor.detach()
    if not tensor.is_contiguous() or (output is not None and is_alias_of(tensor, output)):
        tensor = tensor.clone(memory_format=gn.contiguous_format)
    tensor = tensor.resolve_conj().resolve_neg()
    return tensor if backend.can_use(tensor) else tensor.to("cpu")


def place_for(tensor: Tensor, backend: Backend) -> tuple[Tensor, Callable[[], None] | None]:
    """A contiguous tensor for a Backend to write, and what copies it back; None if that is the tensor itself.

    The tensor counts as modified in place: a graph that saved it raises in backward, where it would compute
    with other values.  (In PyTorch it does that silently.)
    """
    increment_version(tensor)
    if tensor.is_contiguous() and not tensor.is_conj() and not tensor.is_neg() and backend.can_use(tensor):
        return tensor.detach(), None
    made = given(tensor, backend)
    if made.untyped_storage() is tensor.untyped_storage():
        made = made.clone()
    return made, lambda: copy(tensor, made)


def flat(tensors: Sequence[Tensor], backend: Backend) -> Tensor:
    """One tensor of all elements, one tensor after the other."""
    return given(gn.cat([each.detach().reshape(-1) for each in tensors]), backend)


def room_for(tensors: Sequence[Tensor], backend: Backend) -> tuple[Tensor, Callable[[], None]]:
    """One flat tensor to receive all of ``tensors``, and what copies it to them."""
    first = tensors[0]
    sizes = [each.numel() for each in tensors]
    # zeros: where a rank sends less than this one expects, MPI need not notice it
    made = gn.zeros(sum(sizes), dtype=first.dtype, device=first.device)
    made = made if backend.can_use(made) else gn.zeros(sum(sizes), dtype=first.dtype)

    def back() -> None:
        for part, tensor in zip(made.split(sizes), tensors):
            copy(tensor, part.view(tensor.shape))

    return made, back


def copy(target: Tensor, source: Tensor) -> None:
    """Copy into a tensor that a collective writes: autograd does not see it."""
    with gn.no_grad():
        target.detach().copy_(source)


def returning(work: Work, back: Callable[[], None] | None) -> Work:
    """``work``, which copies back at its end."""
    return work if back is None else work.before(back)
