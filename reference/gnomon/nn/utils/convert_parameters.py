"""Parameters as one vector, and back.  Source: torch/nn/utils/convert_parameters.py."""

from __future__ import annotations

from collections.abc import Iterable

import gnomon as gn

from ..modules.utils import typename


def _check_devices(parameters: list[gn.Tensor]) -> None:
    if len({each.device for each in parameters}) > 1:
        raise TypeError("Found two parameters on different devices, this is currently not supported.")


def parameters_to_vector(parameters: Iterable[gn.Tensor]) -> gn.Tensor:
    """All parameters in one vector, one after the other.

    Raises TypeError for parameters on several devices.  Source: torch.nn.utils.parameters_to_vector.
    """
    parameters = list(parameters)
    _check_devices(parameters)
    return gn.cat([each.view(-1) for each in parameters])


def vector_to_parameters(vec: gn.Tensor, parameters: Iterable[gn.Tensor]) -> None:
    """Gives the parameters the data of parts of ``vec``, one after the other; they are views of it then.

    Raises TypeError if ``vec`` is not a tensor, and for parameters on several devices.  Source:
    torch.nn.utils.vector_to_parameters.
    """
    if not isinstance(vec, gn.Tensor):
        raise TypeError(f"expected gnomon.Tensor, but got: {typename(vec)}")
    parameters = list(parameters)
    _check_devices(parameters)
    start = 0
    for parameter in parameters:
        end = start + parameter.numel()
        parameter.data = vec[start:end].view_as(parameter).data
        start = end
