"""The array API standard's namespace, and functions whose results depend on flags."""

import gnomon as gn
import gnomon.array_api as xp
from gnomon import Tensor


def spectrum(x: Tensor) -> Tensor:
    whole: Tensor = xp.fft.fft(x, n=8, norm="ortho")
    half: Tensor = xp.fft.rfft(xp.fft.irfft(xp.fft.rfft(x)), axis=0)
    both: Tensor = xp.fft.fftn(xp.fft.ifftn(x), s=(8,), axes=[0])
    real: Tensor = xp.fft.hfft(xp.fft.ihfft(x))
    assert xp.fft.ifft(whole).shape == (8,) and both.shape == (8,) and real.ndim == 1
    return xp.fft.fftshift(half)


def decompositions(a: Tensor) -> Tensor:
    u, s, vh = xp.linalg.svd(a, full_matrices=False)
    q, r = xp.linalg.qr(a)
    values, vectors = xp.linalg.eigh(a)
    sign: Tensor = xp.linalg.slogdet(a).sign
    singular: Tensor = xp.linalg.svd(a).S
    back: Tensor = vectors @ (values[:, None] * vectors.mT)
    assert back.shape == a.shape and singular.shape == s.shape
    return u @ (s[:, None] * vh) - q @ r + sign - xp.linalg.eig(a).eigenvalues.real.sum() * 0 - sign


def distinct(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    plain: Tensor = gn.unique(x, True)
    values, places = gn.unique(x, True, True)
    again, counts = gn.unique(x, True, False, True)
    first, inverse, numbers = gn.unique(x, True, True, True)
    named, _, more = x.unique(True, True, return_counts=True)
    runs, lengths = gn.unique_consecutive(x, False, True)
    assert plain.shape == values.shape == again.shape == first.shape == named.shape
    assert runs.shape == lengths.shape and places.shape == inverse.shape and more.shape == counts.shape
    return first, inverse, numbers


def pooled(x: Tensor) -> Tensor:
    values, indices = gn.nn.functional.max_pool1d(x, 2, None, 0, 1, False, True)
    assert values.shape == indices.shape
    return gn.nn.functional.max_pool1d(x, 2)


assert spectrum(gn.arange(8.0)).shape == (5,)
assert decompositions(gn.eye(2) * 2).abs().max().item() < 1e-5
assert [each.tolist() for each in distinct(gn.tensor([2, 1, 2]))] == [[1, 2], [1, 0, 1], [1, 2]]
assert pooled(gn.arange(8.0).reshape(1, 1, 8)).shape == (1, 1, 4)
