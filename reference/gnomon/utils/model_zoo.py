"""The old name of ``gnomon.hub.load_state_dict_from_url``.  Source: torch/utils/model_zoo.py."""

from __future__ import annotations

from typing import Any


def load_url(*args: Any, **kwargs: Any) -> Any:
    """``gnomon.hub.load_state_dict_from_url``.  Source: torch.utils.model_zoo.load_url."""
    from ..hub import load_state_dict_from_url

    return load_state_dict_from_url(*args, **kwargs)
