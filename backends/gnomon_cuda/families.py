"""Families: the modules with operators, each of which has ``kernels`` and ``programs``."""

from __future__ import annotations

from collections.abc import Iterator

from . import (
    attention,
    cholesky,
    convolution,
    ctc,
    eigh,
    embedding_bag,
    folding,
    foreach,
    fourier,
    grid_sample,
    householder,
    indexing,
    limited,
    lines,
    losses,
    lu,
    masks,
    matmul,
    matrix_exp,
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
    triangular,
    vectors,
)
from .programs import Program

FAMILIES = (
    pointwise,
    limited,
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
    cholesky,
    lu,
    triangular,
    householder,
    matrix_exp,
    eigh,
)


def programs() -> Iterator[Program]:
    """All programs of all families."""
    for family in FAMILIES:
        yield from family.programs()
