"""The singular value decomposition on the emulated GPU, against the reference's."""

from __future__ import annotations

import math

import pytest

import gnomon as gn
from cuda_calls import close, moved, refused_alike
from gnomon.calls import launch

pytestmark = pytest.mark.usefixtures("cuda")
svd = gn.ops.aten._linalg_svd.default
TOLERANCES = {"complex64": 1e-5, "complex128": 1e-12, "float32": 1e-5, "float64": 1e-12}
DTYPES = [gn.float32, gn.float64, gn.complex64, gn.complex128]


def decomposed(matrices, full=False):
    """Check the GPU's decomposition and compare its singular values with the reference's; return them.

    Signs and phases are arbitrary, and so are the vectors of equal singular values.
    """
    wanted = svd(matrices, full)
    before = dict(launch.fallbacks)
    on_gpu = moved(matrices)
    found = svd(on_gpu, full)
    alone = svd(on_gpu, full, False)
    assert dict(launch.fallbacks) == before
    for one, other in zip(wanted, found):
        assert (one.dtype, one.shape, one.stride()) == (other.dtype, other.shape, other.stride())
    tolerance = TOLERANCES[matrices.dtype.name]
    largest = wanted[1].max().item() if wanted[1].numel() else 0.0
    for values in (found[1], alone[1]):
        close(wanted[1], values, tolerance, tolerance * largest)
    assert alone[0].shape == alone[2].shape == (0,)
    u, values, vh = (each.to("reference") for each in found)
    for vectors in (u.transpose(-1, -2).conj() @ u, vh @ vh.transpose(-1, -2).conj()):
        one = gn.eye(vectors.size(-1), dtype=vectors.dtype, device="reference")
        assert not vectors.numel() or (vectors - one).abs().max() <= 10 * tolerance
    kept = values.size(-1)
    again = (u[..., :kept] * values.unsqueeze(-2)) @ vh[..., :kept, :]
    assert not again.numel() or (again - matrices).abs().max() <= 10 * tolerance * largest
    return values.tolist()


def numbers(*sizes, dtype=gn.float64):
    found = gn.randn(sizes, dtype=gn.float64, device="reference")
    if dtype.is_complex:
        found = found + 1j * gn.randn(sizes, dtype=gn.float64, device="reference")
    return found.to(dtype)


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda each: each.name)
def test_decompositions(dtype):
    gn.manual_seed(1)
    for sizes in ((1, 1), (3, 3), (5, 2), (2, 5), (2, 3, 4, 3), (12, 11)):
        matrices = numbers(*sizes, dtype=dtype)
        for full in (False, True):
            decomposed(matrices, full)
            decomposed(matrices.transpose(-1, -2), full)
    decomposed(numbers(6, 4, 3, dtype=dtype)[::2, :, 1:], True)


def test_more_columns_than_a_block_has_warps():
    """Pairs of columns are rotated at the same time, so that a block's warps take several each."""
    gn.manual_seed(2)
    decomposed(numbers(25, 23), True)


def test_matrices_that_lack_rank_and_those_far_from_one():
    gn.manual_seed(3)
    for factor in (0.0, 1e-300, 1e300):
        matrix = gn.eye(3, 2, dtype=gn.float64, device="reference") * factor
        assert decomposed(matrix, True) == [factor, factor]
    one = numbers(4, 1)
    values = decomposed(one @ one.t(), True)
    assert values[1] < 1e-14 * values[0]


def test_empty_matrices():
    for sizes in ((0, 3), (3, 0), (0, 2, 2), (2, 0, 0)):
        for full in (False, True):
            decomposed(numbers(*sizes), full)


def test_a_matrix_that_is_not_finite_is_refused_as_on_the_reference():
    for odd in (math.nan, math.inf):
        matrices = gn.zeros(2, 2, 2, device="reference")
        matrices[1, 0, 1] = odd
        assert refused_alike(RuntimeError, svd, matrices)
