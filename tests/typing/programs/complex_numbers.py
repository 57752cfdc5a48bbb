"""Complex tensors: parts, polar form, conjugation and gradients."""

from __future__ import annotations

import cmath
import math

import gnomon as gn
from gnomon import Tensor


def roots_of_unity(n: int) -> Tensor:
    angles = 2 * math.pi * gn.arange(n, dtype=gn.float64) / n
    return gn.polar(gn.ones(n, dtype=gn.float64), angles)


roots = roots_of_unity(4)
assert roots.dtype == gn.complex128 and roots.is_complex()
assert gn.allclose(roots**4, gn.ones(4, dtype=gn.complex128))
assert gn.allclose(roots.angle(), gn.tensor([cmath.phase(each) for each in roots.tolist()], dtype=gn.float64))
z = gn.tensor([3 + 4j, 1 - 1j])
assert z.abs().tolist()[0] == 5.0 and z.real.tolist() == [3.0, 1.0] and z.imag.tolist() == [4.0, -1.0]
z.imag[1] = 7.0
assert complex(z[1]) == 1 + 7j
assert (z * 1j - (2 + 0j)).tolist() == [-6 + 3j, -9 + 1j]
assert (1j + z).dtype == gn.complex64 and (2 / z).is_complex()
conjugated = z.conj()
assert conjugated.resolve_conj().tolist() == [3 - 4j, 1 - 7j]
assert gn.equal(gn.view_as_complex(gn.view_as_real(z)), z)
assert gn.equal(gn.complex(z.real, z.imag), z)
assert (z @ z.conj()).real.item() == 75.0
matrix = gn.tensor([[0, 1j], [-1j, 0]])
assert gn.equal(matrix.mH, matrix) and gn.linalg.eigvalsh(matrix).sum().abs().item() < 1e-6

w = gn.tensor([1 + 2j], requires_grad=True)
loss = (w * w.conj()).real.sum()
loss.backward()
assert w.grad is not None and w.grad.tolist() == [2 + 4j]
