"""Opaque tensors: the layout ``gnomon._mkldnn``, whose elements lie in blocks of channels.

A layout is an implementation of tensors of its own (tensor.py), with kernels for the dispatch keys Mkldnn and
AutogradMkldnn, registered as those of sparse layouts are (sparse/registration.py); the operators on strided
tensors do not know of it.  ``gnomon.utils.mkldnn.to_mkldnn`` converts a module, so that a whole network runs
in the layout.  Source: aten/src/ATen/native/mkldnn.
"""

from __future__ import annotations

from . import conversion, layers, pointwise  # noqa: F401  (they register kernels)
