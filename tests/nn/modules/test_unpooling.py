"""Max unpooling: the modules and their functions."""

from __future__ import annotations

import pytest

import gnomon as gn
from gnomon import nn

F = nn.functional


def test_maxima_return_to_their_places(device: str) -> None:
    x = gn.tensor([[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 1.0, 2.0, 3.0]]], device=device)
    values, indices = nn.MaxPool2d((2, 2), ceil_mode=True, return_indices=True)(x)
    found = nn.MaxUnpool2d(2)(values, indices, output_size=x.shape[1:])
    assert found.tolist() == [[[0, 0, 0, 0], [0, 6, 0, 8], [9, 0, 0, 3]]]
    assert F.max_unpool2d(values, indices, 2).shape == (1, 4, 4)
    line, places = F.max_pool1d(x, 2, return_indices=True)
    assert nn.MaxUnpool1d(2)(line, places).tolist() == [[[0, 2, 0, 4], [0, 6, 0, 8], [9, 0, 0, 3]]]
    volume = x.reshape(1, 1, 3, 2, 2)
    values, indices = F.max_pool3d(volume, (1, 2, 2), return_indices=True)
    found = nn.MaxUnpool3d((1, 2, 2))(values, indices)
    assert found.shape == volume.shape and found.sum().item() == values.sum().item()
    assert (found == gn.where(found != 0, volume, gn.zeros((), device=device))).all().item()


def test_gradients_come_from_the_places(device: str) -> None:
    x = gn.ones(1, 1, 1, 2, dtype=gn.float64, device=device, requires_grad=True)
    indices = gn.tensor([[[[1, 3]]]], device=device)
    out = F.max_unpool2d(x, indices, (2, 1), output_size=(2, 2))
    (out * gn.arange(4.0, dtype=gn.float64, device=device).reshape(2, 2)).sum().backward()
    assert x.grad.tolist() == [[[[1.0, 3.0]]]]


def test_texts() -> None:
    assert repr(nn.MaxUnpool1d(3)) == "MaxUnpool1d(kernel_size=(3,), stride=(3,), padding=(0,))"
    assert repr(nn.MaxUnpool3d((3, 2, 2), stride=(2, 1, 2), padding=(0, 1, 1))) == (
        "MaxUnpool3d(kernel_size=(3, 2, 2), stride=(2, 1, 2), padding=(0, 1, 1))"
    )


@pytest.mark.parametrize(
    ("size", "message"),
    [
        ((4, 9), r'invalid output_size "\(4, 9\)" \(dim 1 must be between 4 and 8\)'),
        ((4,), "output_size should be a sequence containing 2 or 4 elements, but it has a length of '1'"),
    ],
)
def test_an_impossible_size_is_refused(size, message) -> None:
    x = gn.ones(2, 3, 2, 3)
    with pytest.raises(ValueError, match=message):
        F.max_unpool2d(x, gn.zeros(2, 3, 2, 3, dtype=gn.int64), 2, output_size=size)
