"""What distributions share: broadcasting of parameters, probabilities and logits, properties computed once,
triangular matrices as vectors.

Source: torch/distributions/utils.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import update_wrapper
from typing import Any

import gnomon as gn
from gnomon.nn import functional as F

euler_constant = 0.5772156649015329

_Number = (int, float)  # bool is an int


def broadcast_all(*values: Any) -> tuple[gn.Tensor, ...]:
    """Tensors and numbers, broadcast to one shape.

    A number takes the dtype and the device of the first tensor, or the default dtype if there is none.
    Raises ValueError for anything else.  Source: torch.distributions.utils.broadcast_all.
    """
    if not all(isinstance(each, (gn.Tensor, *_Number)) for each in values):
        raise ValueError(
            "Input arguments must all be instances of Number, gnomon.Tensor or objects implementing "
            "__torch_function__."
        )
    options: dict[str, Any] = {"dtype": gn.get_default_dtype()}
    tensors = [each for each in values if isinstance(each, gn.Tensor)]
    if tensors:
        options = {"dtype": tensors[0].dtype, "device": tensors[0].device}
    return tuple(
        gn.broadcast_tensors(
            *(each if isinstance(each, gn.Tensor) else gn.tensor(each, **options) for each in values)
        )
    )


def batch_shape_of(parameter: gn.Tensor, *given: Any) -> gn.Size:
    """The shape of a batch of distributions with this broadcast parameter: () if all ``given`` are
    numbers.
    """
    if all(isinstance(each, _Number) for each in given):
        return gn.Size()
    return parameter.size()


def _standard_normal(shape: Sequence[int], dtype: gn.dtype, device: Any) -> gn.Tensor:
    return gn.empty(shape, dtype=dtype, device=device).normal_()


def _sum_rightmost(value: Any, dim: int) -> Any:
    """The sums over the ``dim`` rightmost dimensions."""
    if dim == 0:
        return value
    return value.reshape((*value.shape[:-dim], -1)).sum(-1)


def logits_to_probs(logits: gn.Tensor, is_binary: bool = False) -> gn.Tensor:
    """Probabilities of logits: their sigmoid if ``is_binary`` (log odds), else their softmax over the last
    dim.

    Source: torch.distributions.utils.logits_to_probs.
    """
    return gn.sigmoid(logits) if is_binary else F.softmax(logits, dim=-1)


def clamp_probs(probs: gn.Tensor) -> gn.Tensor:
    """Probabilities clamped to ``[eps, 1 - eps]`` of their dtype.

    Source: torch.distributions.utils.clamp_probs.
    """
    eps = gn.finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def probs_to_logits(probs: gn.Tensor, is_binary: bool = False) -> gn.Tensor:
    """Logits of probabilities, which are clamped first: log odds if ``is_binary``, else logarithms.

    Source: torch.distributions.utils.probs_to_logits.
    """
    clamped = clamp_probs(probs)
    if is_binary:
        return gn.log(clamped) - gn.log1p(-clamped)
    return gn.log(clamped)


class lazy_property:
    """A property that is computed at its first access, with gradients, and then is an attribute.

    Source: torch.distributions.utils.lazy_property.
    """

    def __init__(self, wrapped: Callable[[Any], Any]) -> None:
        self.wrapped = wrapped
        update_wrapper(self, wrapped)  # type: ignore[arg-type]

    def __get__(self, instance: Any, obj_type: Any = None) -> Any:
        if instance is None:
            return _lazy_property_and_property(self.wrapped)
        with gn.enable_grad():
            value = self.wrapped(instance)
        setattr(instance, self.wrapped.__name__, value)
        return value


class _lazy_property_and_property(lazy_property, property):
    """What the class answers for a lazy property: tools that document classes look for properties."""

    def __init__(self, wrapped: Callable[[Any], Any]) -> None:
        property.__init__(self, wrapped)


def _tril_mask(size: int, diag: int, device: Any) -> gn.Tensor:
    numbers = gn.arange(size, device=device)
    return numbers <= numbers.view(-1, 1) + diag


def tril_matrix_to_vec(mat: gn.Tensor, diag: int = 0) -> gn.Tensor:
    """The elements on and below a diagonal of square matrices ``(..., n, n)``, row by row, as vectors.

    ``diag`` is as in ``gn.tril``; ValueError if it is outside the matrix.
    Source: torch.distributions.utils.tril_matrix_to_vec.
    """
    n = mat.shape[-1]
    if not -n <= diag < n:
        raise ValueError(f"diag ({diag}) provided is outside [{-n}, {n - 1}].")
    return mat[..., _tril_mask(n, diag, mat.device)]


def vec_to_tril_matrix(vec: gn.Tensor, diag: int = 0) -> gn.Tensor:
    """The square matrices whose elements on and below a diagonal are the vectors: inverts tril_matrix_to_vec.

    Raises ValueError if no size of a matrix fits.  Source: torch.distributions.utils.vec_to_tril_matrix.
    """
    count = vec.shape[-1]
    shift = 1 + 2 * diag
    n = (-shift + (shift**2 + 8 * count + 4 * abs(diag) * (diag + 1)) ** 0.5) / 2  # solves count(n) = count
    if round(n) - n > gn.finfo(vec.dtype).eps:
        raise ValueError(
            f"The size of last dimension is {count} which cannot be expressed as "
            "the lower triangular part of a square D x D matrix."
        )
    size = round(n)
    mat = vec.new_zeros((*vec.shape[:-1], size, size))
    mat[..., _tril_mask(size, diag, vec.device)] = vec
    return mat
