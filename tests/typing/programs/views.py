"""Views and in-place operations: what shares memory, and what autograd makes of it."""

from __future__ import annotations

from typing_extensions import assert_type

import gnomon as gn
from gnomon import Size, Tensor

base = gn.arange(12).reshape(3, 4)
assert_type(base.shape, Size)
assert_type(base.shape[0], int)
assert_type(base.shape[1:], Size)
assert_type(base.size(0), int)
assert_type(base.size(), Size)
assert_type(base.stride(), tuple[int, ...])
row = base[1]
row += 100
assert base[1, 0] == 104 and row.data_ptr() != base.data_ptr()
assert row._base is not None and row.storage_offset() == 4
columns = base.t()
assert not columns.is_contiguous() and columns.stride() == (1, 4)
columns[0].zero_()
assert base[:, 0].tolist() == [0, 0, 0]

left, right = base.split([1, 3], dim=1)
assert left.shape == (3, 1) and right.shape == (3, 3)
halves = base.split(2)
assert_type(halves, tuple[Tensor, ...])
assert [len(each) for each in halves] == [2, 1]
first, *rest = base.unbind(0)
assert first.shape == (4,) and len(rest) == 2
wide = base.unsqueeze(0).expand(2, -1, -1)
assert wide.stride(0) == 0
assert base.as_strided((2, 2), (5, 1), 1).shape == (2, 2)
assert gn.movedim(wide, 0, -1).shape == (3, 4, 2)
assert base.flip(0, 1)[0, 0] == base[-1, -1]
assert base.unflatten(1, (2, 2)).flatten().view(-1, 6).shape == (2, 6)
assert base.permute(1, 0).swapaxes(0, 1).data_ptr() == base.data_ptr()

x = gn.ones(3, requires_grad=True)
y = x.clone()
y[1:].mul_(5)
y.sum().backward()
assert x.grad is not None and x.grad.tolist() == [1.0, 5.0, 5.0]
before: int = y._version
y.detach().add_(1)
assert y._version == before + 1
try:
    x.add_(1)
except RuntimeError as error:
    assert "leaf" in str(error)
else:
    raise AssertionError("a leaf that requires grad was changed in place")
with gn.no_grad():
    x.sub_(x.grad, alpha=0.1).clamp_(min=0.0)
assert gn.allclose(x.detach(), gn.tensor([0.9, 0.5, 0.5]))
