"""Packed and padded sequences."""

from __future__ import annotations

import pytest

import gnomon as gn
from gnomon.nn.utils import rnn

PADDED = [[1, 2, 0], [3, 0, 0], [4, 5, 6]]


def test_sequences_are_sorted_packed_and_restored(device: str) -> None:
    packed = rnn.pack_padded_sequence(gn.tensor(PADDED), [2, 1, 3], batch_first=True, enforce_sorted=False)
    assert packed.data.tolist() == [4, 1, 3, 5, 2, 6] and packed.batch_sizes.tolist() == [3, 2, 1]
    assert packed.batch_sizes.dtype is gn.int64
    assert packed.sorted_indices.tolist() == [2, 0, 1] and packed.unsorted_indices.tolist() == [1, 2, 0]
    padded, lengths = rnn.pad_packed_sequence(packed, batch_first=True)
    assert padded.tolist() == PADDED and lengths.tolist() == [2, 1, 3]
    assert padded.dtype is gn.int64
    padded, _ = rnn.pad_packed_sequence(packed, padding_value=7, total_length=4)
    assert padded.tolist() == [[1, 3, 4], [2, 7, 5], [7, 7, 6], [7, 7, 7]]
    assert repr(packed).startswith("PackedSequence(data=tensor([4, 1, 3, 5, 2, 6]")


def test_packing_is_differentiated(device: str) -> None:
    x = gn.arange(12.0).reshape(3, 2, 2).requires_grad_()
    packed = rnn.pack_padded_sequence(x, gn.tensor([3, 1]))
    assert packed.sorted_indices is None and packed.unsorted_indices is None
    padded, _ = rnn.pad_packed_sequence(packed)
    (padded * gn.arange(12.0).reshape(3, 2, 2)).sum().backward()
    assert x.grad.tolist() == [[[0, 1], [2, 3]], [[4, 5], [0, 0]], [[8, 9], [0, 0]]]


def test_lists_of_sequences(device: str) -> None:
    one, two, three = gn.tensor([1, 2, 3]), gn.tensor([4, 5]), gn.tensor([6])
    assert rnn.pad_sequence([one, two, three]).tolist() == [[1, 4, 6], [2, 5, 0], [3, 0, 0]]
    assert rnn.pad_sequence([two, one], True, 9, "left").tolist() == [[9, 4, 5], [1, 2, 3]]
    wide = rnn.pad_sequence([gn.ones(1, 3), gn.tensor([[2.0], [3.0]])])  # the first one's sizes
    assert wide.tolist() == [[[1, 1, 1], [2, 2, 2]], [[0, 0, 0], [3, 3, 3]]]
    packed = rnn.pack_sequence([one, two, three])
    assert packed.data.tolist() == [1, 4, 6, 2, 5, 3]
    assert [each.tolist() for each in rnn.unpack_sequence(packed)] == [[1, 2, 3], [4, 5], [6]]
    packed = rnn.pack_sequence([three, one], enforce_sorted=False)
    assert [each.tolist() for each in rnn.unpack_sequence(packed)] == [[6], [1, 2, 3]]
    padded = rnn.pad_sequence([one, two])
    assert [each.tolist() for each in rnn.unpad_sequence(padded, gn.tensor([3, 2]))] == [[1, 2, 3], [4, 5]]
    assert padded.shape == (2, 3)  # transposed in place, as in PyTorch


def test_conversions(device: str) -> None:
    packed = rnn.pack_sequence([gn.tensor([1.0]), gn.tensor([2.0, 3.0])], enforce_sorted=False)
    assert packed.to(gn.float32) is packed and packed.cpu().data.dtype is gn.float32
    for name, dtype in {
        "double": gn.float64,
        "float": gn.float32,
        "half": gn.float16,
        "long": gn.int64,
        "int": gn.int32,
        "short": gn.int16,
        "char": gn.int8,
        "byte": gn.uint8,
    }.items():
        made = getattr(packed, name)()
        assert type(made) is rnn.PackedSequence and made.data.dtype is dtype
        assert made.batch_sizes is packed.batch_sizes and made.sorted_indices.tolist() == [1, 0]
    assert packed.is_cuda is False


def test_a_packed_sequence_is_made_of_a_pair_too() -> None:
    pair = (gn.ones(3), gn.tensor([2, 1]))
    packed = rnn.PackedSequence(pair, sorted_indices=gn.tensor([1, 0]))
    assert packed.data is pair[0] and packed.unsorted_indices.tolist() == [1, 0]
    with pytest.raises(AssertionError, match="Expected data to be a list or tuple of length 2"):
        rnn.PackedSequence(gn.ones(3))


def test_the_inverse_of_a_permutation(device: str) -> None:
    assert rnn.invert_permutation(gn.tensor([2, 0, 1])).tolist() == [1, 2, 0]
    assert rnn.invert_permutation(None) is None


@pytest.mark.parametrize(
    ("lengths", "text"),
    [
        ([2, 4], "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True"),
        (
            [4, 0],
            "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0",
        ),
        ([4], r"Expected `len\(lengths\)` to be equal to batch_size, but got 1 \(batch_size=2\)"),
        ([5, 1], "Expected lengths of at most 4 time steps, but got 5"),
    ],
)
def test_wrong_lengths(device: str, lengths: list[int], text: str) -> None:
    with pytest.raises(RuntimeError, match=text):
        rnn.pack_padded_sequence(gn.ones(4, 2, 3), lengths)


def test_refusals(device: str) -> None:
    with pytest.raises(RuntimeError, match="Cannot pack empty tensors"):
        rnn.pack_padded_sequence(gn.ones(0, 2, 3), [1, 1])
    packed = rnn.pack_sequence([gn.ones(3), gn.ones(2)])
    with pytest.raises(ValueError, match="total_length=2 and max sequence length being 3"):
        rnn.pad_packed_sequence(packed, total_length=2)
    with pytest.raises(RuntimeError, match="received an empty list of sequences"):
        rnn.pad_sequence([])
    with pytest.raises(RuntimeError, match=r"sizes broadcast to \[2, 3\], but got \[2, 2\]"):
        rnn.pad_sequence([gn.ones(1, 3), gn.ones(2, 2)])
    with pytest.raises(RuntimeError, match="Expected padding_side to be one of left or right, but got up"):
        rnn.pad_sequence([gn.ones(1)], padding_side="up")
    with pytest.raises(RuntimeError, match="Expected iterable for input sequences, but got arg of type"):
        rnn.pad_sequence(5)  # type: ignore[arg-type]
    with pytest.raises(ValueError):
        rnn.unpad_sequence(gn.ones(3, 2), gn.tensor([1]))
