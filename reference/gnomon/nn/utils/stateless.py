"""The old name of ``gnomon.func.functional_call``.  Source: torch/nn/utils/stateless.py."""

from __future__ import annotations

from typing import Any

import gnomon as gn

from ...values.errors import warn
from ..modules.module import Module


def functional_call(
    module: Module,
    parameters_and_buffers: dict[str, gn.Tensor],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """``gnomon.func.functional_call``, with a warning that it is to be used instead.

    Source: torch.nn.utils.stateless.functional_call.
    """
    from ...func.functional_call import functional_call

    warn(
        "`gnomon.nn.utils.stateless.functional_call` is deprecated as of PyTorch 2.0 and will be removed in "
        "a future version of PyTorch. Please use `gnomon.func.functional_call` instead which is a drop-in "
        "replacement.",
        FutureWarning,
    )
    return functional_call(
        module, parameters_and_buffers, args, kwargs, tie_weights=tie_weights, strict=strict
    )
