"""Batch normalization without running statistics, which vmap can not update in place.

Source: torch/_functorch/batch_norm_replacement.py.
"""

from __future__ import annotations

from ..nn.modules.batchnorm import _BatchNorm
from ..nn.modules.module import Module


def replace_all_batch_norm_modules_(root: Module) -> Module:
    """Makes all batch normalizations in a module use the statistics of the batch; returns the module.

    Source: torch.func.replace_all_batch_norm_modules_.
    """
    for module in root.modules():
        if isinstance(module, _BatchNorm) and module.track_running_stats:
            module.running_mean = module.running_var = module.num_batches_tracked = None
            module.track_running_stats = False
    return root
