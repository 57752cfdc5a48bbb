"""The base class of distributions that are given by ``probs`` or by ``logits``, the log odds."""

from __future__ import annotations

from typing import Any

import gnomon as gn

from . import constraints
from .distribution import Distribution
from .utils import broadcast_all, lazy_property, logits_to_probs, probs_to_logits


def the_given_one(probs: Any, logits: Any) -> tuple[str, Any]:
    """Name and value of that of the two parameters which is given; ValueError if both or none are."""
    if (probs is None) == (logits is None):
        raise ValueError("Either `probs` or `logits` must be specified, but not both.")
    return ("logits", logits) if probs is None else ("probs", probs)


class ProbsOrLogits(Distribution):
    """Has ``probs`` and ``logits``, of which one is given and the other computed when it is needed."""

    arg_constraints: Any = {"probs": constraints.unit_interval, "logits": constraints.real}
    _param: gn.Tensor  # the one that is given

    def _set_parameter(self, probs: Any, logits: Any, **others: Any) -> None:
        """Set the given parameter, and ``others``, which take its dtype; all are broadcast."""
        name, given = the_given_one(probs, logits)
        *broadcast, self._param = broadcast_all(*others.values(), given)
        setattr(self, name, self._param)
        for other, value in zip(others, broadcast):
            setattr(self, other, value.type_as(self._param))

    @lazy_property
    def logits(self) -> gn.Tensor:
        return probs_to_logits(self.probs, is_binary=True)

    @lazy_property
    def probs(self) -> gn.Tensor:
        return logits_to_probs(self.logits, is_binary=True)

    @property
    def param_shape(self) -> gn.Size:
        """The shape of the parameter that was given."""
        return self._param.size()


def enumerated(count: int, parameter: gn.Tensor, batch_shape: gn.Size, expand: bool) -> gn.Tensor:
    """The values 0 … count - 1 along a new first dimension, of the parameter's dtype and device."""
    values = gn.arange(count, dtype=parameter.dtype, device=parameter.device)
    values = values.view((-1,) + (1,) * len(batch_shape))
    return values.expand((-1, *batch_shape)) if expand else values
