"""einops on gnomon's tensors, through the backend that gnomon.interop.einops registers.

With ``-m oracle`` the same on PyTorch's tensors, for which einops has its own backend.
"""

from __future__ import annotations

import subprocess
import sys
from types import ModuleType
from typing import Any

import einops
import numpy as np
import pytest

import gnomon as gn
from gnomon.interop.einops import register
from time_limits import LIMIT

register()


def counted(lib: Any, *sizes: int) -> Any:
    return lib.arange(float(np.prod(sizes))).reshape(sizes)


@pytest.mark.parametrize(
    "pattern, sizes, lengths",
    [
        ("a b c -> c a b", (2, 3, 4), {}),
        ("b (h p) (w q) c -> b (h w) (p q c)", (2, 4, 6, 3), {"p": 2, "q": 3}),
        ("a b -> (b a)", (2, 3), {}),
        ("a ... -> ... a", (2, 3, 4), {}),
        ("a b -> a 1 b", (2, 3), {}),
        ("a 1 b -> b a", (2, 1, 3), {}),
    ],
)
def test_rearrange(lib: ModuleType, pattern: str, sizes: tuple[int, ...], lengths: dict[str, int]) -> None:
    x = counted(lib, *sizes)
    result = einops.rearrange(x, pattern, **lengths)
    assert type(result) is lib.Tensor
    assert result.tolist() == einops.rearrange(np.array(x.tolist()), pattern, **lengths).tolist()


@pytest.mark.parametrize("how", ["min", "max", "sum", "mean", "prod"])
def test_reduce(lib: ModuleType, how: str) -> None:
    x = counted(lib, 2, 4, 3) + 1
    expected = einops.reduce(np.array(x.tolist()), "a (b p) c -> b c", how, p=2)
    assert lib.allclose(einops.reduce(x, "a (b p) c -> b c", how, p=2), lib.tensor(expected, dtype=x.dtype))
    whole = einops.reduce(x, "... -> ", how)
    assert whole.shape == () and whole.dtype == x.dtype


def test_reduce_of_bools_and_with_a_function(lib: ModuleType) -> None:
    x = lib.tensor([[True, False], [True, True]])
    assert einops.reduce(x, "a b -> a", "all").tolist() == [False, True]
    assert einops.reduce(x, "a b -> b", "any").tolist() == [True, True]
    y = counted(lib, 2, 3)
    assert einops.reduce(y, "a b -> b", lambda tensor, axes: tensor.sum(axes)).tolist() == [3.0, 5.0, 7.0]


def test_repeat_is_a_view_where_it_can_be(lib: ModuleType) -> None:
    x = counted(lib, 2, 3)
    assert einops.repeat(x, "a b -> a b c", c=2)[1, 0].tolist() == [3.0, 3.0]
    assert einops.repeat(x, "a b -> (r a) b", r=2)[:, 0].tolist() == [0.0, 3.0, 0.0, 3.0]
    assert einops.repeat(x, "a b -> a r b", r=4).data_ptr() == x.data_ptr()
    assert einops.rearrange(x, "a b -> b a").data_ptr() == x.data_ptr()


def test_einsum_pack_and_parse_shape(lib: ModuleType) -> None:
    a, b = counted(lib, 2, 3), counted(lib, 3, 4)
    assert einops.einsum(a, b, "row k, k column -> row column").tolist() == (a @ b).tolist()
    packed, shapes = einops.pack([a, counted(lib, 2, 2, 2)], "a *")
    assert packed.shape == (2, 7)
    assert [tuple(each.shape) for each in einops.unpack(packed, shapes, "a *")] == [(2, 3), (2, 2, 2)]
    assert einops.parse_shape(a, "rows _") == {"rows": 2}
    assert einops.rearrange([a, a + 1], "n a b -> a b n").shape == (2, 3, 2)


def test_autograd_records_it(lib: ModuleType) -> None:
    x = counted(lib, 2, 4).requires_grad_()
    (einops.reduce(x, "a (b p) -> a b", "max", p=2) * lib.tensor([[1.0, 2.0], [3.0, 4.0]])).sum().backward()
    assert x.grad.tolist() == [[0.0, 1.0, 0.0, 2.0], [0.0, 3.0, 0.0, 4.0]]


def test_wrong_patterns(lib: ModuleType) -> None:
    x = counted(lib, 2, 3)
    with pytest.raises(einops.EinopsError, match="Wrong shape: expected 3 dims"):
        einops.rearrange(x, "a b c -> c b a")
    with pytest.raises(einops.EinopsError, match="can't divide axis of length 3 in chunks of 2"):
        einops.rearrange(x, "a (b p) -> a b p", p=2)


def test_registration() -> None:
    assert register() is register()
    assert einops.asnumpy(gn.ones(2, requires_grad=True)).tolist() == [1.0, 1.0]
    backend = register()()  # what only einops' layers and symbols use
    assert backend.from_numpy(np.ones(2)).dtype == gn.float64
    assert backend.arange(1, 4).tolist() == [1, 2, 3]
    assert backend.is_float_type(gn.ones(1)) and not backend.is_float_type(gn.arange(1))
    assert backend.tile(gn.arange(2), (2,)).tolist() == [0, 1, 0, 1]
    program = """
import einops, gnomon as gn, numpy
assert einops.rearrange(numpy.ones((2, 3)), "a b -> b a").shape == (3, 2)  # another backend first
try:
    einops.rearrange(gn.ones(2, 3), "a b -> b a")
except RuntimeError as error:
    assert "Tensor type unknown to einops" in str(error)
else:
    raise AssertionError("nothing was registered")
from gnomon.interop.einops import register
register()
assert einops.rearrange(gn.ones(2, 3), "a b -> b a").shape == (3, 2)
assert einops.rearrange(gn.nn.Parameter(gn.ones(2, 3)), "a b -> b a").shape == (3, 2)
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=LIMIT)
