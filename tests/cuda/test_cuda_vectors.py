"""Distances, cross products and addr on the emulated GPU, against the reference's."""

from __future__ import annotations

import math

import pytest

import gnomon as gn
from cuda_calls import agree

pytestmark = pytest.mark.usefixtures("cuda")
aten = gn.ops.aten
PRECISE = [gn.float32, gn.float64]
ORDERS = [0.0, 1.0, 2.0, math.inf, 3.5, 0.5]
REAL = [gn.uint8, gn.int8, gn.int16, gn.int32, gn.int64, gn.float16, gn.bfloat16, gn.float32, gn.float64]
TOLERANCES = {"float64": 1e-13, "float32": 1e-6, "float16": 1e-3, "bfloat16": 8e-3}


def name_of(dtype):
    return dtype.name


def both(function, *tensors):
    return agree(function, *tensors, tolerances=TOLERANCES)


def numbers(*sizes, dtype=gn.float32):
    return gn.randint(-9, 10, sizes, device="reference").to(dtype)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("dtype", PRECISE, ids=name_of)
def test_distances(dtype, order):
    gn.manual_seed(1)

    def cdist(x, y):
        return aten._cdist_forward.default(x, y, order, None)

    both(cdist, numbers(3, 4, dtype=dtype), numbers(5, 4, dtype=dtype))
    both(cdist, numbers(35, 19, dtype=dtype), numbers(33, 38, dtype=dtype)[:, ::2])
    both(cdist, numbers(2, 1, 3, 4, dtype=dtype), numbers(3, 4, 2, dtype=dtype).transpose(1, 2))
    both(cdist, numbers(3, 0, dtype=dtype), numbers(2, 0, dtype=dtype))
    both(cdist, numbers(0, 3, 2, dtype=dtype), numbers(0, 1, 2, dtype=dtype))

    def pdist(x):
        return aten._pdist_forward.default(x, order)

    for rows in (0, 1, 2, 5, 37, 70):
        both(pdist, numbers(rows, 3, dtype=dtype))
    both(pdist, numbers(4, 0, dtype=dtype))
    both(pdist, numbers(4, 0, dtype=gn.int16))
    both(pdist, numbers(1, 3, dtype=gn.complex64))
    odd = gn.tensor([[math.nan, 1.0], [0.0, math.inf], [2.0, 1.0]], dtype=dtype, device="reference")
    both(cdist, odd, odd)
    both(pdist, odd)


def test_distances_of_half_numbers_where_pytorch_has_them():
    for dtype in (gn.float16, gn.bfloat16):
        given = numbers(4, 3, dtype=dtype), numbers(2, 3, dtype=dtype)
        both(lambda x, y: aten._cdist_forward.default(x, y, 2.0, 1), *given)


@pytest.mark.parametrize("dtype", REAL, ids=name_of)
def test_cross_products(dtype):
    gn.manual_seed(2)
    whole, other = numbers(4, 3, 3, dtype=dtype), numbers(4, 6, 3, dtype=dtype)[:, ::2]
    for dim in (1, 2, -1):
        both(lambda x, y, d=dim: aten.linalg_cross.default(x, y, dim=d), whole, other)
    both(lambda x, y: aten.linalg_cross.default(x, y, dim=1), whole.transpose(0, 2)[:, :, :1], whole[:3])
    both(lambda x, y: aten.linalg_cross.default(x, y, dim=-1), whole[:0], other[:0])


@pytest.mark.parametrize("dtype", [gn.bool, *REAL], ids=name_of)
def test_addr(dtype):
    gn.manual_seed(3)
    whole, a, b = numbers(5, 8, dtype=dtype), numbers(5, dtype=dtype), numbers(8, dtype=dtype)
    scales = ((1, 1), (0, 2), (3, 1)) if dtype is not gn.bool else ((1, 1), (0, 1), (1, 0))
    for beta, alpha in scales:

        def run(s, x, y, beta=beta, alpha=alpha):
            return aten.addr.default(s, x, y, beta=beta, alpha=alpha)

        both(run, whole, a, b)
        both(run, whole[:4, ::2].t(), b[:8:2], a[:4])
        both(run, whole[0], a, b)
        both(run, whole[0, 0], a[:1].expand(7), b)
        both(run, whole[:, :0], a, b[:0])


def test_addr_of_several_dtypes_in_place_and_without_looking_at_nan():
    a, b = numbers(2, dtype=gn.int32), numbers(3, dtype=gn.float32)
    both(lambda s, x, y: aten.addr.default(s, x, y, beta=2, alpha=0.5), numbers(3, dtype=gn.int64), a, b)
    odd = gn.full((2, 3), math.nan, device="reference")
    both(lambda s, x, y: aten.addr_.default(s, x, y, beta=0), odd, b[:2], b)
