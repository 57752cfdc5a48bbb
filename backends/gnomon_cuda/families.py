"""Families: the modules with operators, each of which has ``kernels`` and ``programs``."""

from __future__ import annotations

from collections.abc import Iterator

from . import (
    attention,
    convolution,
    ctc,
    embedding_bag,
    folding,
    foreach,
    fourier,
    grid_sample,
    indexing,
    lines,
    losses,
    masks,
    matmul,
    norms,
    pointwise,
    pooling,
    random,
    ranges,
    rearrange,
    recurrent,
    reductions,
    resample,
    softmax,
    sorting,
    statistics,
    svd,
    vectors,
)
from .programs import Program

FAMILIES = (
    pointwise,
    reductions,
    statistics,
    rearrange,
    indexing,
    lines,
    sorting,
    masks,
    matmul,
    softmax,
    norms,
    attention,
    recurrent,
    convolution,
    pooling,
    resample,
    random,
    ranges,
    foreach,
    losses,
    embedding_bag,
    grid_sample,
    folding,
    vectors,
    ctc,
    fourier,
    svd,
)


def programs() -> Iterator[Program]:
    """All programs of all families."""
    for family in FAMILIES:
        yield from family.programs()
