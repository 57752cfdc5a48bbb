"""Batch normalization.  Source: torch/nn/modules/batchnorm.py; arXiv:1502.03167."""

from __future__ import annotations

from typing import Any

import gnomon as gn

from .. import functional, init
from ..parameter import Parameter, UninitializedBuffer, UninitializedParameter
from .lazy import LazyModuleMixin
from .module import Module


class _NormBase(Module):
    """What batch and instance normalization share: affine parameters and running statistics."""

    _version = 2  # since 2 with num_batches_tracked

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: gn.device | str | int | None = None,
        dtype: gn.dtype | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        for name, is_there in (("weight", affine), ("bias", affine and bias)):
            made = Parameter(gn.empty(num_features, device=device, dtype=dtype)) if is_there else None
            self.register_parameter(name, made)
        if track_running_stats:
            self.register_buffer("running_mean", gn.zeros(num_features, device=device, dtype=dtype))
            self.register_buffer("running_var", gn.ones(num_features, device=device, dtype=dtype))
            self.register_buffer("num_batches_tracked", gn.tensor(0, dtype=gn.int64, device=device))
        else:
            for name in ("running_mean", "running_var", "num_batches_tracked"):
                self.register_buffer(name, None)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Sets the running mean to 0, the running variance to 1 and the number of batches to 0."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Resets the running statistics, and sets the weight to 1 and the bias to 0."""
        self.reset_running_stats()
        if self.affine:
            init.ones_(self.weight)
            if self.bias is not None:
                init.zeros_(self.bias)

    def _check_input_dim(self, input: gn.Tensor) -> None:
        """Raises ValueError for an input with an unsuitable number of dimensions."""
        raise NotImplementedError

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )

    def _load_from_state_dict(
        self, state_dict: dict[str, Any], prefix: str, local_metadata: dict[str, Any], *others: Any
    ) -> None:
        if (local_metadata.get("version") or 0) < 2 and self.track_running_stats:
            count = self.num_batches_tracked
            if count is None or count.is_meta:
                count = gn.tensor(0, dtype=gn.int64)
            state_dict.setdefault(f"{prefix}num_batches_tracked", count)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *others)


class _BatchNorm(_NormBase):
    def forward(self, input: gn.Tensor) -> gn.Tensor:
        """(N, num_features, *) -> the same shape.  Raises ValueError for other numbers of dimensions."""
        self._check_input_dim(input)
        factor = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:  # the mean of all batches
                factor = 1.0 / float(self.num_batches_tracked)
        is_used = not self.training or self.track_running_stats
        by_batch = self.training or (self.running_mean is None and self.running_var is None)
        return functional.batch_norm(
            input,
            self.running_mean if is_used else None,
            self.running_var if is_used else None,
            self.weight,
            self.bias,
            by_batch,
            factor,
            self.eps,
        )


class BatchNorm1d(_BatchNorm):
    """Normalizes each channel of (N, C) or (N, C, L): ``(x - mean) / sqrt(var + eps) * weight + bias``.

    In training by the statistics of the batch, which update the running ones with ``momentum`` (None: the
    mean of all batches); in eval mode by the running ones.  Without ``track_running_stats`` always by those
    of the batch.  ``weight`` and ``bias`` are (num_features), or None without ``affine``; the bias also with
    ``bias=False``.  Source: torch.nn.BatchNorm1d; arXiv:1502.03167.
    """

    def _check_input_dim(self, input: gn.Tensor) -> None:
        if input.dim() not in (2, 3):
            raise ValueError(f"expected 2D or 3D input (got {input.dim()}D input)")


class BatchNorm2d(_BatchNorm):
    """The same as BatchNorm1d for (N, C, H, W).  Source: torch.nn.BatchNorm2d."""

    def _check_input_dim(self, input: gn.Tensor) -> None:
        if input.dim() != 4:
            raise ValueError(f"expected 4D input (got {input.dim()}D input)")


class BatchNorm3d(_BatchNorm):
    """The same as BatchNorm1d for (N, C, D, H, W).  Source: torch.nn.BatchNorm3d."""

    def _check_input_dim(self, input: gn.Tensor) -> None:
        if input.dim() != 5:
            raise ValueError(f"expected 5D input (got {input.dim()}D input)")


class SyncBatchNorm(_BatchNorm):
    """Normalizes each channel of (N, C, *) by the statistics of a batch that several processes share.

    As there is one process, it does what BatchNorm1d does; ``process_group`` is not used.
    Source: torch.nn.SyncBatchNorm.
    """

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        process_group: Any = None,
        device: gn.device | str | int | None = None,
        dtype: gn.dtype | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)
        self.process_group = process_group

    def _check_input_dim(self, input: gn.Tensor) -> None:
        if input.dim() < 2:
            raise ValueError(f"expected at least 2D input (got {input.dim()}D input)")
        if input.size(1) == 0:
            raise ValueError("SyncBatchNorm number of input channels should be non-zero")

    @classmethod
    def convert_sync_batchnorm(cls, module: Module, process_group: Any = None) -> Module:
        """The module with a SyncBatchNorm in place of each batch normalization, with its tensors."""
        made = module
        if isinstance(module, _BatchNorm):
            options = module.eps, module.momentum, module.affine, module.track_running_stats
            has_bias = module.bias is not None
            made = SyncBatchNorm(module.num_features, *options, process_group, bias=has_bias)
            if module.affine:
                made.weight, made.bias = module.weight, module.bias
            for name in ("running_mean", "running_var", "num_batches_tracked"):
                setattr(made, name, getattr(module, name))
            made.training = module.training
        for name, child in module.named_children():
            made.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return made


class _LazyNormBase(LazyModuleMixin, _NormBase):
    """Batch or instance normalization whose ``num_features`` is that of the first input."""

    weight: UninitializedParameter
    bias: UninitializedParameter

    def __init__(
        self,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: gn.device | str | int | None = None,
        dtype: gn.dtype | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(0, eps, momentum, False, False, device, dtype, bias=False)
        self.affine = affine
        self.track_running_stats = track_running_stats
        if affine:
            self.weight = UninitializedParameter(device=device, dtype=dtype)
            if bias:
                self.bias = UninitializedParameter(device=device, dtype=dtype)
        if track_running_stats:
            self.running_mean = UninitializedBuffer(device=device, dtype=dtype)
            self.running_var = UninitializedBuffer(device=device, dtype=dtype)
            self.num_batches_tracked = gn.tensor(0, dtype=gn.int64, device=device)

    def reset_parameters(self) -> None:
        """Resets statistics and parameters, if they are initialized."""
        if not self.has_uninitialized_params() and self.num_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: gn.Tensor) -> None:
        """Materializes parameters and statistics for an input (N, num_features, *)."""
        if self.has_uninitialized_params():
            self.num_features = input.shape[1]
            for name, tensor in self._tensors():
                if name != "num_batches_tracked":
                    tensor.materialize((self.num_features,))
            self.reset_parameters()


class LazyBatchNorm1d(_LazyNormBase, BatchNorm1d):
    """A BatchNorm1d whose ``num_features`` is that of the first input.  Source: torch.nn.LazyBatchNorm1d."""

    cls_to_become = BatchNorm1d


class LazyBatchNorm2d(_LazyNormBase, BatchNorm2d):
    """A BatchNorm2d whose ``num_features`` is that of the first input.  Source: torch.nn.LazyBatchNorm2d."""

    cls_to_become = BatchNorm2d


class LazyBatchNorm3d(_LazyNormBase, BatchNorm3d):
    """A BatchNorm3d whose ``num_features`` is that of the first input.  Source: torch.nn.LazyBatchNorm3d."""

    cls_to_become = BatchNorm3d
