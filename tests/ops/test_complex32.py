"""complex32: what it takes is what PyTorch's CPU kernels take; its numbers are two float16."""

from __future__ import annotations

import math
import warnings
from typing import Any

import pytest

import gnomon as gn
from gnomon.calls import launch

NUMBERS = [1 + 2j, -3.5 + 0.25j, 0j, 2 - 1j, 100 - 70j, 0.1 + 0.2j]

# Calls that PyTorch takes.  z and m are a vector and a matrix of complex32, h a vector of float16, i indices,
# and b a mask.
TAKEN = """
z.clone(); m.t().contiguous(); z.to(T.complex64); z.half(); z.int(); z.bool(); z.to(T.uint16)
z.to(T.float8_e5m2); h.chalf(); h.to(T.complex32); T.ones(2, dtype=T.int64).chalf()
T.ones(2, dtype=T.bfloat16).to(T.complex32); z + z; z + 1; z + 2.5j; z - z; 1 - z; z - h; z + h; z * z
z * 2; z * 1j; h * 1j; h + 1j; 2j - h; T.rsub(z, z, alpha=2); z.add(z, alpha=1j); z.sub(h, alpha=2)
z.to(T.complex64) + m[0]; z.clone().add_(1j); z.clone().mul_(z); -z; z.abs(); z.sgn(); z.conj() * 1
z.conj_physical(); z.real; z.imag; T.view_as_real(z); T.view_as_complex(h.view(3, 2)); z.positive()
T.complex(h, h); z.view(T.float16); z.view(T.int32); h.view(T.complex32); z == z; z != m; z == 2; z == h
z.isreal(); z.isnan(); z.isinf(); z.isfinite(); z.any(); z.all(); z.any(0); m.all(1); z.count_nonzero()
z.nonzero(); z.argwhere(); T.nonzero_static(z, size=4); T.cat([z, z]); T.cat([z, h]); T.stack([z, z])
T.hstack([z, z]); m.repeat(2, 1); m.tile(2); z.roll(1); z.repeat_interleave(2); z[i]; z[b]; m[:, i]; z[1:3]
z.index_select(0, i); z.masked_select(b); z.masked_fill(b, 2j); z.index_fill(0, i, 3)
z.index_copy(0, i, z[:2]); z.index_add(0, i, z[:2]); z.index_add(0, i, z[:2], alpha=2)
z.index_put((i,), z[:2]); z.index_put((i,), z[:2], accumulate=True); T.where(b, z, h); T.where(b, z, 1j)
m.tril(); m.triu(1); T.addcmul(z, z, z); T.addcmul(z, z, z, value=2); T.outer(z, z); T.kron(z, z); T.diff(z)
m.diagonal(); m.diag(); T.diagflat(z); z.var(); z.std(); m.var(0); m.std(1, correction=0); T.std_mean(z)[0]
T.linalg.vector_norm(z); z.norm(1); T.linalg.vector_norm(m, 3, 0); T.linalg.vector_norm(z, float("inf"))
T.linalg.norm(m); z.dist(m[0]); T.isclose(z, z); T.tensor(T.allclose(z, z)); z.float_power(2)
T.nn.functional.pad(z, (1, 2), value=2); T.nn.functional.embedding(i, m.t()); T.combinations(z[:3])
T.cartesian_prod(z[:2], z[:2]); T.block_diag(m, m); z.unfold(0, 2, 1); T.full((2,), 70000.0, dtype=c)
T.full_like(z, 1e5j); T.zeros_like(z); z.new_ones(2); z.clone().fill_(1e6); z.clone().zero_()
z.sum(dtype=T.complex64); T.tensor(1e5 + 2j, dtype=c); T.tensor([1, True, 2.5], dtype=c)
T.asarray([1, 2.5], dtype=c); T.scalar_tensor(2, dtype=c)
T.nn.functional.conv1d(m.view(1, 2, 6), m[:, :3].view(1, 2, 3)); T.diag_embed(z); z.expand(2, 6)
z.unbind()[1]; m.flatten(); T.tensor(T.can_cast(c, T.float16)); T.nn.functional.l1_loss(z, m[0])
T.unsqueeze_copy(z, 0); z.select_scatter(z[0], 0, 1); T.constant_pad_nd(z, (1, -1), 1j)
z.clone().index_fill_(0, i, 0); z.clone().copy_(h); z.clone().masked_fill_(b, 0)
"""
# Calls that it refuses.
REFUSED = """
z < z; z / 2; z / z; h / 2j; h ** 2j; z ** 2; z ** z; z.exp(); z.log(); z.sin(); z.cos(); z.tanh(); z.sqrt()
z.rsqrt(); z.reciprocal(); z.square(); z.sigmoid(); z.sum(); z.mean(); z.prod(); z.cumsum(0); z.cumprod(0)
z.flip(0); z.angle(); z.gather(0, i); z.scatter(0, i, z[:2]); z.scatter(0, i, 2); z.scatter_add(0, i, z[:2])
z.take(i); z.put(i, z[:2]); z.masked_scatter(b, z); z.clamp(0, 1); T.addcdiv(z, z, z); T.lerp(z, z, 0.5)
z.unique(); z.logical_not(); z.logical_and(z); m @ m.t(); T.dot(z, z); T.vdot(z, z); T.mv(m, z)
T.nn.functional.linear(m, m); T.bmm(m[None], m.t()[None]); m.trace(); z.sort(); z.nan_to_num(); z.round()
z.trunc(); T.hash_tensor(z); T.fft.fft(z); T.arange(3, dtype=c); T.eye(2, dtype=c); T.randperm(3, dtype=c)
T.linspace(0, 1, 3, dtype=c); T.randint(3, (2,), dtype=c); z.clone().random_(); z.clone().bernoulli_()
z.clone().cauchy_(); z.clone().exponential_(); z.clone().log_normal_(); T.polar(h, h); z.renorm(2, 0, 1)
T.set_default_dtype(c); z.numpy(); T.linalg.vector_norm(z.to(T.complex64), dtype=c); z.sum(dtype=c); z.max()
T.cross(z[:3], z[:3]); T.tensordot(z, z, 1); z.nansum(); z.erf(); T.logaddexp(z, z); T.nn.functional.relu(z)
T.nn.functional.dropout(z, 0.5); T.trapezoid(z); m.det(); T.linalg.inv(m[:, :2]); z.isneginf()
T.complex(h, h.float()); z.expm1(); z.log1p(); z.sinc(); T.view_as_complex(h.bfloat16().view(3, 2))
z.to(T.complex64).sum(dtype=c); T.empty(2, dtype=c).uniform_(0, 1e6)
"""


def calls(text: str) -> list[str]:
    return [call.strip() for line in text.split("\n") for call in line.split(";") if call.strip()]


def evaluated(call: str, library: Any) -> Any:
    z = library.tensor(NUMBERS, dtype=library.complex32)
    names = {
        "T": library,
        "c": library.complex32,
        "z": z,
        "m": library.stack([z, z + 1]),
        "h": library.tensor([1.5, -2.0, 0.0, 4.0, 0.125, 3.0], dtype=library.float16),
        "i": library.tensor([2, 0]),
        "b": library.tensor([True, False, True, False, False, True]),
    }
    return eval(call, names)


@pytest.fixture
def quiet() -> Any:
    """Fallbacks to the reference are no warnings."""
    launch.set_fallback_policy("allow")
    yield
    launch.set_fallback_policy(None)


@pytest.mark.usefixtures("quiet")
def test_numbers_are_pairs_of_float16(device: str) -> None:
    z = gn.tensor([1 + 2j, 1e5 - 0.1j, complex(math.nan, -math.inf)], dtype=gn.complex32)
    assert z.element_size() == 4 and z.type().endswith("ComplexHalfTensor") and gn.chalf is gn.complex32
    assert repr(z[:2].clone()) == "tensor([1.+2.0000j, inf-0.1000j], dtype=gnomon.complex32)"
    assert z.real.dtype is gn.float16 and z.real[:2].tolist() == [1, math.inf]
    assert z.imag.tolist() == [2, -0.0999755859375, -math.inf]
    assert (z * 1j)[0].item() == -2 + 1j and (z + z).dtype is gn.complex32
    assert (z == z).tolist() == [True, True, False] and (z != 1 + 2j).tolist() == [False, True, True]
    size = gn.tensor([3 - 4j], dtype=gn.complex32).abs()
    assert size.dtype is gn.float16 and size.item() == 5
    h = gn.tensor([1.0, 3.0], dtype=gn.float16)
    assert (h * 2j).dtype is gn.complex32 and (h * 2j).tolist() == [2j, 6j]
    assert gn.complex(h, h).tolist() == [1 + 1j, 3 + 3j] and gn.view_as_complex(h).item() == 1 + 3j
    assert (h.bfloat16() * 2j).dtype is gn.complex64 and h.chalf().tolist() == [1, 3]
    assert gn.full((1,), 70000, dtype=gn.complex32).item() == math.inf
    grid = gn.stack([h.chalf(), 1j * h])
    assert grid.t().contiguous().tolist() == [[1, 1j], [3, 3j]]
    assert (grid == h.chalf()).tolist() == [[True, True], [False, False]]
    assert grid.std(0).dtype is gn.float16 and gn.var_mean(grid)[1].item() == 1 + 1j
    drawn = gn.empty(100, dtype=gn.complex32, device=device).normal_()
    assert drawn.real.std().item() < 1 and drawn.imag.count_nonzero().item() > 90


def test_limits_and_conversions_between_kinds() -> None:
    assert gn.float16.to_complex() is gn.complex32 and gn.complex32.to_real() is gn.float16
    assert gn.bfloat16.to_complex() is gn.complex64
    assert gn.finfo(gn.complex32).dtype == "float16" and gn.finfo(gn.complex32).max == 65504
    with pytest.raises(TypeError, match="Got unsupported ScalarType complex32"):
        gn.ones(1, dtype=gn.complex32).numpy()
    with pytest.raises(TypeError, match="only floating-point dtypes"):
        gn.set_default_dtype(gn.complex32)
    with pytest.raises(NotImplementedError) as raised:
        gn.ones(2, dtype=gn.complex32).exp()
    assert str(raised.value) == "exp: not implemented for dtype complex32; x.to(gnomon.complex64) converts it"
    with pytest.raises(RuntimeError, match="Expected both inputs to be Half, Float or Double tensors"):
        gn.complex(gn.ones(1, dtype=gn.bfloat16), gn.ones(1))


@pytest.mark.usefixtures("quiet")
def test_gradients(device: str) -> None:
    z = gn.tensor([1 + 2j, 2 - 1j], dtype=gn.complex32).requires_grad_()
    (z * z.conj()).real.sum().backward()
    assert z.grad.dtype is gn.complex32 and z.grad.tolist() == [2 + 4j, 4 - 2j]


@pytest.mark.usefixtures("quiet")
def test_refused(device: str) -> None:
    for call in calls(REFUSED):
        with pytest.raises((RuntimeError, TypeError, NotImplementedError)):
            pytest.fail(f"{call} is {evaluated(call, gn)}")


@pytest.mark.oracle
@pytest.mark.usefixtures("quiet")
def test_calls_are_pytorchs(device: str) -> None:
    import torch

    wrong = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for call in calls(REFUSED):
            with pytest.raises((RuntimeError, TypeError, NotImplementedError)):
                pytest.fail(f"{call} is {evaluated(call, torch)}")
        for call in calls(TAKEN):
            theirs = evaluated(call, torch).detach()
            try:
                mine = evaluated(call, gn)
            except (RuntimeError, TypeError, NotImplementedError, AttributeError) as error:
                wrong.append((call, repr(error)))
                continue
            facts = str(mine.dtype)[7:], tuple(mine.shape), mine.stride()
            if facts != (str(theirs.dtype)[6:], tuple(theirs.shape), theirs.stride()):
                wrong.append((call, facts, theirs.dtype, theirs.shape, theirs.stride()))
                continue
            precise = torch.complex128 if theirs.is_complex() else torch.float64
            found = torch.tensor(mine.tolist(), dtype=precise)
            wide = theirs.resolve_conj().to(precise)
            if not torch.allclose(found, wide, rtol=2e-3, atol=1e-4, equal_nan=True):
                wrong.append((call, found, wide))
    assert not wrong, wrong
