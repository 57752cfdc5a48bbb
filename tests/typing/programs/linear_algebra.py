"""Decompositions, solvers and norms, with named results."""

from __future__ import annotations

from typing_extensions import assert_type

import gnomon as gn
from gnomon import Tensor, linalg

gn.manual_seed(3)
a = gn.randn(4, 4, dtype=gn.float64)
spd = a @ a.mT + 4 * gn.eye(4, dtype=gn.float64)


def close(one: Tensor, other: Tensor) -> bool:
    return gn.allclose(one, other, atol=1e-8)


values, vectors = linalg.eigh(spd, UPLO="U")
assert close(vectors @ values.diag() @ vectors.mT, spd)
decomposed = linalg.svd(a, full_matrices=False)
assert_type(decomposed.S, Tensor)
assert close(decomposed.U * decomposed.S @ decomposed.Vh, a)
q, r = linalg.qr(a, mode="complete")
assert close(q @ r, a) and close(r, r.triu())
lower = linalg.cholesky(spd)
assert close(lower @ lower.mT, spd)
b = gn.ones(4, dtype=gn.float64)
assert close(spd @ linalg.solve(spd, b), b)
assert close(gn.cholesky_solve(b.unsqueeze(1), lower).squeeze(1), linalg.solve(spd, b))
sign, log = linalg.slogdet(spd)
assert close(sign * log.exp(), linalg.det(spd))
solution = linalg.lstsq(a, b.unsqueeze(1), driver="gelsd").solution
assert close(a @ solution, b.unsqueeze(1))
assert_type(linalg.matrix_rank(a), Tensor)
assert int(linalg.matrix_rank(a)) == 4

frobenius = linalg.matrix_norm(a, "fro")
nuclear = linalg.norm(a, "nuc")
two = linalg.vector_norm(a, ord=2, dim=(0, 1))
assert close(frobenius, two) and close(nuclear, decomposed.S.sum())
assert close(gn.norm(a, p="fro"), a.norm(2))
assert close(a.norm(p=1, dim=0, keepdim=True), a.abs().sum(0, keepdim=True))

total = gn.einsum("ij,jk->ik", a, spd)
assert close(total, linalg.multi_dot([a, spd]))
assert close(gn.tensordot(a, spd, dims=1), total)
try:
    linalg.inv(gn.zeros(2, 2))
except linalg.LinAlgError as error:
    assert "singular" in str(error)
else:
    raise AssertionError("a singular matrix has no inverse")
