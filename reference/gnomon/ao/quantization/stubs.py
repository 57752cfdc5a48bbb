"""QuantStub, DeQuantStub, QuantWrapper, QConfig: marks in a model that is to be quantized.

Source: torch/ao/quantization/stubs.py, qconfig.py.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import gnomon as gn


class QConfig(NamedTuple):
    """What makes the observers of a module: of its results, and of its weight."""

    activation: Any
    weight: Any


class QuantStub(gn.nn.Module):
    """Returns its input: the place where a float model's numbers are to be quantized.

    ``qconfig``: kept for who replaces the stub by ``ao.nn.quantized.Quantize``.
    """

    def __init__(self, qconfig: QConfig | None = None):
        super().__init__()
        if qconfig:
            self.qconfig = qconfig

    def forward(self, x: gn.Tensor) -> gn.Tensor:
        return x


class DeQuantStub(QuantStub):
    """Returns its input: the place where the numbers of a quantized model are to be float32 again."""


class QuantWrapper(gn.nn.Module):
    """``module`` between a QuantStub and a DeQuantStub, with its ``qconfig``."""

    def __init__(self, module: gn.nn.Module):
        super().__init__()
        config = getattr(module, "qconfig", None)
        self.quant, self.dequant, self.module = QuantStub(config), DeQuantStub(config), module
        self.train(module.training)

    def forward(self, X: gn.Tensor) -> gn.Tensor:
        return self.dequant(self.module(self.quant(X)))
