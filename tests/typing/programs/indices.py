"""Everything that may be an index."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from types import EllipsisType

import numpy as np
from typing_extensions import assert_type

import gnomon as gn
from gnomon import Tensor

x = gn.arange(64).reshape(4, 4, 4)
numbers = gn.tensor([0, 1])
mask = gn.tensor([True, False, True, False])
place = x[0, 0].argmax()
number = 3
step: int | None = None
every: slice = slice(None)
mixed: list[slice | int] = [slice(None), 0]
several: Sequence[int] = [1, 2]
nested = [[0, 1], [1, 0]]
parts: tuple[slice | Tensor | EllipsisType | None, ...] = (None, ..., numbers)

assert_type(x[0], Tensor)
assert x[number].shape == x[True][0, 0].shape == x[place].shape == (4, 4)
assert x[0:2].shape == (2, 4, 4) and x[every].shape == x[::step].shape == x[()].shape == (4, 4, 4)
assert x[place:].shape == x[place : place + 1].shape == (1, 4, 4)
assert x[..., None].shape == x[:, :, :, None].shape == (4, 4, 4, 1)
assert x[0, 1].shape == x[:, 0, 1].shape == x[tuple(mixed)][0].shape == (4,)
assert x[numbers].shape == x[[0, 1]].shape == x[mask].shape == x[several].shape == (2, 4, 4)
assert x[range(2)].shape == x[deque([0, 1])].shape == x[numbers.tolist()].shape == (2, 4, 4)
assert x[[True, False, False, True]].shape == x[np.array([0, 1])].shape == (2, 4, 4)
assert x[np.int64(1)].shape == x[np.array(1)].shape == (4, 4)
assert x[np.array([True, False, True, True])].shape == (3, 4, 4)
assert x[nested].shape == x[numbers, numbers].shape == x[numbers, [0, 1]].shape == (2, 4)
assert x[np.ix_([0, 1], [1, 2, 3])].shape == (2, 3, 4) and x[np.s_[0:2, ...]].shape == (2, 4, 4)
assert x[:, numbers[:, None], numbers].shape == (4, 2, 2) and x[parts].shape == (1, 4, 4, 2)
assert x[x.nonzero(as_tuple=True)].shape == x[gn.where(x > 0)].shape == x[x > 0].shape == (63,)
assert x[tuple(x.nonzero().unbind(1))].shape == (63,) and x[x.shape[0] - 1, int(place)].shape == (4,)
x[0] = 1
x[:, numbers] = x[0, 0, 0]
x[x > 60] = 0
x[numbers, numbers] += 1
assert x.max() == 60
