"""im2col and col2im on the emulated GPU, against the reference's."""

from __future__ import annotations

import pytest

import gnomon as gn
from cuda_calls import agree

pytestmark = pytest.mark.usefixtures("cuda")
aten = gn.ops.aten
DTYPES = [gn.bool, gn.float16, gn.bfloat16, gn.float32, gn.float64, gn.complex64, gn.complex128]
WINDOWS = [
    ([2, 3], [1, 1], [0, 0], [1, 1]),
    ([2, 2], [2, 1], [1, 2], [2, 3]),
    ([3, 1], [1, 2], [2, 0], [4, 5]),
]


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda each: each.name)
def test_columns_and_back(dtype):
    gn.manual_seed(1)
    whole = gn.randint(-9, 10, (2, 4, 5, 6), device="reference").to(dtype)
    if dtype.is_complex:
        whole = whole * (1 - 2j)
    for image in (
        whole,
        whole[:, ::2],
        whole.transpose(2, 3),
        whole[0],
        whole[:1].expand(3, 4, 5, 6),
        whole[:0],
    ):
        for window in WINDOWS:
            (columns,) = agree(lambda x, w=window: aten.im2col.default(x, *w), image)
            strided = columns.transpose(-1, -2).contiguous().transpose(-1, -2)
            sizes = list(image.shape[-2:])
            for given in (columns, strided):
                agree(lambda x, w=window, s=sizes: aten.col2im.default(x, s, *w), given)
