"""Instance normalization.  Source: torch/nn/modules/instancenorm.py; arXiv:1607.08022."""

from __future__ import annotations

from typing import Any

import gnomon as gn

from ...values.errors import warn
from .. import functional
from .batchnorm import _LazyNormBase, _NormBase


class _InstanceNorm(_NormBase):
    _unbatched: int  # the number of dimensions of an input without a batch

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: gn.device | str | int | None = None,
        dtype: gn.dtype | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def _check_input_dim(self, input: gn.Tensor) -> None:
        few = self._unbatched
        if input.dim() not in (few, few + 1):
            raise ValueError(f"expected {few}D or {few + 1}D input (got {input.dim()}D input)")

    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """([N,] num_features, *) -> the same shape.

        Raises ValueError for other numbers of dimensions, and with ``affine`` for another number of channels,
        which otherwise causes a warning.
        """
        self._check_input_dim(input)
        dim = input.dim() - self._unbatched
        if input.size(dim) != self.num_features:
            if self.affine:
                raise ValueError(
                    f"expected input's size at dim={dim} to match num_features ({self.num_features}), but "
                    f"got: {input.size(dim)}."
                )
            warn(
                f"input's size at dim={dim} does not match num_features. You can silence this warning by "
                "not passing in num_features, which is not used because affine=False"
            )
        if dim == 0:
            return self._apply_instance_norm(input.unsqueeze(0)).squeeze(0)
        return self._apply_instance_norm(input)

    def _apply_instance_norm(self, input: gn.Tensor) -> gn.Tensor:
        return functional.instance_norm(
            input,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training or not self.track_running_stats,
            0.0 if self.momentum is None else self.momentum,
            self.eps,
        )

    def _load_from_state_dict(
        self,
        state_dict: dict[str, Any],
        prefix: str,
        local_metadata: dict[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        if local_metadata.get("version") is None and not self.track_running_stats:
            found = [f"{prefix}{name}" for name in ("running_mean", "running_var")]
            found = [key for key in found if key in state_dict]
            if found:
                names = " and ".join(f'"{key}"' for key in found)
                kind = type(self).__name__
                error_msgs.append(
                    f"Unexpected running stats buffer(s) {names} for {kind} with track_running_stats=False. "
                    "If state_dict is a checkpoint saved before 0.4.0, this may be expected because "
                    f"{kind} does not track running stats by default since 0.4.0. Please remove these keys "
                    "from state_dict. If the running stats are actually needed, instead set "
                    f"track_running_stats=True in {kind} to enable them. See the documentation of {kind} for "
                    "details."
                )
            for key in found:
                del state_dict[key]
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )


class InstanceNorm1d(_InstanceNorm):
    """Normalizes each channel of each sample of ([N,] C, L): ``(x - mean) / sqrt(var + eps)``.

    With ``affine`` the result is multiplied by ``weight``, and ``bias`` is added; both are (num_features).
    With ``track_running_stats``, running statistics are updated in training and used in eval mode.  Source:
    torch.nn.InstanceNorm1d; arXiv:1607.08022.
    """

    _unbatched = 2


class InstanceNorm2d(_InstanceNorm):
    """The same as InstanceNorm1d for ([N,] C, H, W).  Source: torch.nn.InstanceNorm2d."""

    _unbatched = 3


class InstanceNorm3d(_InstanceNorm):
    """The same as InstanceNorm1d for ([N,] C, D, H, W).  Source: torch.nn.InstanceNorm3d."""

    _unbatched = 4


class LazyInstanceNorm1d(_LazyNormBase, InstanceNorm1d):
    """An InstanceNorm1d whose ``num_features`` is that of the first input.

    Source: torch.nn.LazyInstanceNorm1d.
    """

    cls_to_become = InstanceNorm1d


class LazyInstanceNorm2d(_LazyNormBase, InstanceNorm2d):
    """An InstanceNorm2d whose ``num_features`` is that of the first input.

    Source: torch.nn.LazyInstanceNorm2d.
    """

    cls_to_become = InstanceNorm2d


class LazyInstanceNorm3d(_LazyNormBase, InstanceNorm3d):
    """An InstanceNorm3d whose ``num_features`` is that of the first input.

    Source: torch.nn.LazyInstanceNorm3d.
    """

    cls_to_become = InstanceNorm3d
