"""Quantized tensors: integers with a scale and a zero point, dtypes qint8, quint8 and qint32.

A quantized tensor is an implementation of tensors of its own (tensor.py), with kernels for the dispatch key
Quantized (registration.py); the operators on strided tensors do not know of it.

Source: aten/src/ATen/quantized, aten/src/ATen/native/quantized.
"""

from __future__ import annotations

from .. import ops
from . import construction, functions, images, kernels, matmul, views  # noqa: F401  (they register kernels)
from .construction import OPERATORS

__all__ = ["OPERATORS"]

ops.quantized = functions  # as torch.ops.quantized
