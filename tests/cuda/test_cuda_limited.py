"""The dtypes of LIMITED on the emulated GPU, against casts of single numbers and the reference."""

from __future__ import annotations

import math

import pytest

import gnomon as gn
from cuda_calls import both, same
from gnomon.calls import launch
from gnomon.values.dtype import ALL, LIMITED, UNSIGNED

pytestmark = pytest.mark.usefixtures("cuda")
NUMBERS = [
    0,
    1,
    -1,
    2.5,
    -3.7,
    19,
    300,
    449,
    6e4,
    61439.0,
    61440.0,
    2.0**31,
    2.0**32 + 5,
    2.0**63,
    2.0**63 * 1.5,
]
NUMBERS += [-(2.0**62), 5e9, -5e9, 1e30, math.inf, -math.inf, math.nan, -0.0, 0.1, 2.0**-10, 1.5 * 2.0**-17]
KINDS = pytest.mark.parametrize("kind", LIMITED, ids=lambda kind: kind.name)


@pytest.fixture(autouse=True)
def natively():
    """A fallback raises."""
    launch.set_fallback_policy("error")
    yield
    launch.set_fallback_policy(None)


@KINDS
def test_copies_convert_from_and_to_every_dtype(kind):
    wide = gn.tensor(NUMBERS, dtype=gn.float64, device="reference")
    for other in (*ALL, *LIMITED):
        for source, target in ((kind, other), (other, kind)):
            given = wide.to(source)
            found = given.to("cuda").to(target)
            expected = [target.cast(number) for number in given.tolist()]
            assert found.dtype is target and str(found.tolist()) == str(expected), (source, target)


@KINDS
def test_moves_fills_and_comparisons(kind):
    x = gn.tensor([[0, 1, 2], [3, 4, 7]], device="reference").to(kind)
    rows = gn.tensor([1, 1], device="reference")
    same(*both(lambda x: x.t().contiguous(), x))
    same(*both(lambda x: gn.cat([x, x[:1]]), x))
    same(*both(lambda x, rows: x[rows], x, rows))
    same(*both(lambda x, rows: gn.nn.functional.embedding(rows, x), x, rows))
    same(*both(lambda x: x == x[0], x))
    same(*both(lambda x: x.t() != 4, x))
    same(*both(lambda x: gn.where(x == 4, x, gn.zeros_like(x)), x))
    same(*both(lambda x: x.clone().fill_(6), x))
    same(*both(lambda x: x.t().clone()[:, 0].fill_(3), x))
    assert gn.full((2,), 5, dtype=kind, device="cuda").tolist() == [5, 5]
    if kind not in UNSIGNED:
        same(*both(lambda x, rows: x.index_select(1, rows), x, rows))
        special = gn.tensor([math.nan, 0.0, -0.0], device="reference").to(kind)
        same(*both(lambda x: x == x, special))


def test_a_uint64_is_filled_with_all_its_numbers():
    x = gn.empty(2, dtype=gn.uint64, device="cuda")
    for value in (2**64 - 1, -1, 1e19, 2.0**63, 3):
        assert x.fill_(value).tolist() == [int(value) % 2**64] * 2
