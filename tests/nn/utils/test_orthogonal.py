"""Orthogonal initialization and parametrization, and spectral_norm with hooks; with torch against PyTorch."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

import gnomon as gn
from gnomon import nn
from gnomon.nn.utils import parametrizations, parametrize

MAPS = ["matrix_exp", "cayley", "householder"]


def drawn(*sizes: int, dtype: Any = gn.float64) -> gn.Tensor:
    return gn.randn(*sizes, dtype=dtype, generator=gn.Generator().manual_seed(1))


def is_orthogonal(weight: gn.Tensor) -> bool:
    tall = weight if weight.size(-2) >= weight.size(-1) else weight.mT
    ones = gn.eye(tall.size(-1), dtype=tall.dtype)
    return bool(gn.allclose(tall.mH @ tall, ones.expand(*tall.shape[:-2], *ones.shape), atol=1e-6))


def module_with(weight: gn.Tensor) -> nn.Module:
    module = nn.Module()
    module.weight = nn.Parameter(weight)
    return module


@pytest.mark.parametrize("sizes", [(3, 5), (5, 3), (3, 2, 2)])
def test_orthogonal_initialization(sizes: tuple[int, ...]) -> None:
    weight = gn.empty(*sizes, dtype=gn.float64)
    assert nn.init.orthogonal_(weight, 2.0, gn.Generator().manual_seed(3)) is weight
    assert is_orthogonal(weight.flatten(1) / 2)
    again = nn.init.orthogonal_(gn.empty(*sizes, dtype=gn.float64), 2.0, gn.Generator().manual_seed(3))
    assert weight.tolist() == again.tolist()
    with pytest.raises(ValueError, match="Only tensors with 2 or more dimensions are supported"):
        nn.init.orthogonal_(gn.empty(3))
    assert nn.init.orthogonal_(gn.empty(0, 3)).shape == (0, 3)


@pytest.mark.parametrize("orthogonal_map", MAPS)
@pytest.mark.parametrize("sizes", [(4, 4), (5, 3), (3, 5), (2, 4, 3)])
@pytest.mark.parametrize("trivial", [True, False])
def test_the_parametrization(orthogonal_map: str, sizes: tuple[int, ...], trivial: bool) -> None:
    module = module_with(drawn(*sizes))
    parametrizations.orthogonal(module, "weight", orthogonal_map, use_trivialization=trivial)
    assert module.weight.shape == sizes and is_orthogonal(module.weight)
    original = module.parametrizations.weight.original
    module.weight.mul(drawn(*sizes)).sum().backward()
    with gn.no_grad():
        original -= 0.5 * original.grad
    assert is_orthogonal(module.weight)
    if trivial or orthogonal_map == "householder":
        target = nn.init.orthogonal_(gn.empty(*sizes[-2:], dtype=gn.float64)).expand(sizes)
        module.weight = target
        assert gn.allclose(module.weight, target, atol=1e-6)
    else:
        with pytest.raises(
            NotImplementedError, match="It is not possible to assign to the matrix exponential"
        ):
            module.weight = gn.eye(*sizes[-2:], dtype=gn.float64).expand(sizes)


def test_an_orthogonal_weight_is_kept_and_a_complex_one_is_unitary() -> None:
    weight = nn.init.orthogonal_(gn.empty(3, 3, dtype=gn.float64))
    module = parametrizations.orthogonal(module_with(weight.clone()))
    assert gn.allclose(module.weight, weight)
    module = parametrizations.orthogonal(module_with(drawn(3, 2, dtype=gn.complex128)))
    assert is_orthogonal(module.weight)
    with pytest.raises(ValueError, match="The householder parametrization does not support complex tensors"):
        parametrizations.orthogonal(module_with(drawn(3, 2, dtype=gn.complex128)), "weight", "householder")
    with pytest.raises(ValueError, match="orthogonal_map has to be one of"):
        parametrizations.orthogonal(nn.Linear(2, 2), "weight", "other")
    with pytest.raises(
        ValueError, match=r"Expected a matrix or batch of matrices. Got a tensor of 1 dimensions"
    ):
        parametrizations.orthogonal(nn.Linear(2, 2), "bias")
    with pytest.raises(ValueError, match="has no parameter or buffer with name 'other'"):
        parametrizations.orthogonal(nn.Linear(2, 2), "other")
    assert not parametrize.is_parametrized(nn.Linear(2, 2))


def test_spectral_norm_with_hooks() -> None:
    gn.manual_seed(0)
    module = nn.utils.spectral_norm(nn.Linear(3, 4), n_power_iterations=30)
    assert sorted(module.state_dict()) == ["bias", "weight_orig", "weight_u", "weight_v"]
    assert module.state_dict()._metadata[""]["spectral_norm"] == {"weight.version": 1}
    module(gn.ones(2, 3)).sum().backward()
    assert gn.linalg.svdvals(module.weight)[0].item() == pytest.approx(1, abs=1e-4)
    assert module.weight_orig.grad is not None
    before = module.weight_u.clone()
    module.eval()(gn.ones(2, 3))
    assert module.weight_u.tolist() == before.tolist()  # no iteration in evaluation
    fresh = nn.utils.spectral_norm(nn.Linear(3, 4)).eval()
    for other in (copy.deepcopy(fresh), pickle.loads(pickle.dumps(fresh))):
        assert other(gn.ones(1, 3)).tolist() == fresh(gn.ones(1, 3)).tolist()
    with pytest.raises(
        RuntimeError, match="Cannot register two spectral_norm hooks on the same parameter weight"
    ):
        nn.utils.spectral_norm(module)
    weight = module.weight.tolist()
    nn.utils.remove_spectral_norm(module)
    assert sorted(module.state_dict()) == ["bias", "weight"] and module.weight.tolist() == weight
    with pytest.raises(ValueError, match="spectral_norm of 'weight' not found in"):
        nn.utils.remove_spectral_norm(module)
    with pytest.raises(
        ValueError, match="Expected n_power_iterations to be positive, but got n_power_iterations=0"
    ):
        nn.utils.spectral_norm(nn.Linear(2, 2), n_power_iterations=0)
    assert nn.utils.spectral_norm(nn.ConvTranspose1d(2, 3, 2)).weight_u.shape == (3,)


@pytest.mark.oracle
@pytest.mark.parametrize("orthogonal_map", MAPS)
@pytest.mark.parametrize("sizes", [(4, 4), (5, 3), (3, 5)])
def test_the_maps_against_pytorch(orthogonal_map: str, sizes: tuple[int, ...]) -> None:
    torch = pytest.importorskip("torch")
    x = drawn(*sizes)
    maps = parametrizations._OrthMaps
    theirs_module = torch.nn.utils.parametrizations
    mine = parametrizations._Orthogonal(x, maps[orthogonal_map], use_trivialization=False)
    given = torch.tensor(x.tolist(), dtype=torch.float64)
    theirs = theirs_module._Orthogonal(
        given, theirs_module._OrthMaps[orthogonal_map], use_trivialization=False
    )
    if orthogonal_map == "householder":
        inverse, wanted = mine.right_inverse(x), theirs.right_inverse(given)
        assert torch.allclose(torch.tensor(inverse.tolist(), dtype=torch.float64), wanted)
        assert inverse.stride() == wanted.stride()
        x, given = inverse, wanted
    found, expected = mine(x), theirs(given)
    assert torch.allclose(torch.tensor(found.tolist(), dtype=torch.float64), expected)
    assert found.stride() == expected.stride()
