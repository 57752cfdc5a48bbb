"""Sequences of different lengths: padded tensors, packed sequences, lists of tensors.

Source: torch/nn/utils/rnn.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, NamedTuple, TypeVar

import gnomon as gn

from ..modules.module import _parse_to

_Given = TypeVar("_Given")
_Packed = TypeVar("_Packed", bound="PackedSequence")


class PackedSequence_(NamedTuple):
    """The fields of a PackedSequence.  Source: torch.nn.utils.rnn.PackedSequence_."""

    data: gn.Tensor
    batch_sizes: gn.Tensor
    sorted_indices: gn.Tensor | None
    unsorted_indices: gn.Tensor | None


def bind(optional: _Given | None, fn: Callable[[_Given], Any]) -> Any:
    """``fn(optional)``, or None for None."""
    return None if optional is None else fn(optional)


class PackedSequence(PackedSequence_):
    """The time steps of sequences, one step after the other, which recurrent modules accept as input.

    ``data`` (rows, *): the first elements of all sequences, then their second elements, and so on, with the
    longest sequences first.  ``batch_sizes`` (T), int64 and in host memory: how many rows each time step has.
    ``sorted_indices`` (N): the index that each sequence had before they were sorted by length, and
    ``unsorted_indices`` its inverse; None if they were not sorted.  Programs get one from
    ``pack_padded_sequence`` or ``pack_sequence``.  Raises ValueError for batch sizes in a GPU's memory.
    Source: torch.nn.utils.rnn.PackedSequence.
    """

    def __new__(
        cls: type[_Packed],
        data: Any,
        batch_sizes: gn.Tensor | None = None,
        sorted_indices: gn.Tensor | None = None,
        unsorted_indices: gn.Tensor | None = None,
    ) -> _Packed:
        return super().__new__(
            cls, *_packed_sequence_init_args(data, batch_sizes, sorted_indices, unsorted_indices)
        )

    def to(self: _Packed, *args: Any, **kwargs: Any) -> _Packed:
        """The sequences with another dtype or on another device; ``self`` if unchanged.  Like ``Tensor.to``.

        The indices go to the same device; the batch sizes stay where they are.
        """
        data = self.data.to(*args, **kwargs)
        if data is self.data:
            return self
        _, _, memory_format = _parse_to(args, kwargs)
        options = {} if memory_format is None else {"memory_format": memory_format}
        return self._with(data, lambda indices: indices.to(data.device, **options))

    def _with(self: _Packed, data: gn.Tensor, change: Callable[[gn.Tensor], gn.Tensor]) -> _Packed:
        sorted_indices = bind(self.sorted_indices, change)
        return type(self)(data, self.batch_sizes, sorted_indices, bind(self.unsorted_indices, change))

    def cuda(self: _Packed, *args: Any, **kwargs: Any) -> _Packed:
        """``to`` a GPU: the given one, or else the current one."""
        example = gn.tensor((), dtype=self.data.dtype, device=self.data.device)
        if example.to(*args, **kwargs).device.type != "cuda":
            kwargs["device"] = "cuda"
        return self.to(*args, **kwargs)

    def cpu(self: _Packed, *args: Any, **kwargs: Any) -> _Packed:
        """``to`` host memory."""
        kwargs.setdefault("device", "cpu")
        return self.to(*args, **kwargs)

    def pin_memory(self: _Packed) -> _Packed:
        """The sequences in pinned memory.  Raises RuntimeError without an accelerator."""
        batch_sizes, pin = self.batch_sizes, gn.Tensor.pin_memory
        return type(self)(
            pin(self.data), batch_sizes, bind(self.sorted_indices, pin), bind(self.unsorted_indices, pin)
        )

    def is_pinned(self) -> bool:
        """Is the data in pinned memory?"""
        return self.data.is_pinned()

    def double(self: _Packed) -> _Packed:
        """The data as float64."""
        return self.to(dtype=gn.float64)

    def float(self: _Packed) -> _Packed:
        """The data as float32."""
        return self.to(dtype=gn.float32)

    def half(self: _Packed) -> _Packed:
        """The data as float16."""
        return self.to(dtype=gn.float16)

    def long(self: _Packed) -> _Packed:
        """The data as int64."""
        return self.to(dtype=gn.int64)

    def int(self: _Packed) -> _Packed:
        """The data as int32."""
        return self.to(dtype=gn.int32)

    def short(self: _Packed) -> _Packed:
        """The data as int16."""
        return self.to(dtype=gn.int16)

    def char(self: _Packed) -> _Packed:
        """The data as int8."""
        return self.to(dtype=gn.int8)

    def byte(self: _Packed) -> _Packed:
        """The data as uint8."""
        return self.to(dtype=gn.uint8)

    @property
    def is_cuda(self) -> bool:
        """Is the data in a GPU's memory?"""
        return self.data.device.type == "cuda"


def _packed_sequence_init_args(
    data: Any,
    batch_sizes: gn.Tensor | None,
    sorted_indices: gn.Tensor | None,
    unsorted_indices: gn.Tensor | None,
) -> tuple[gn.Tensor, gn.Tensor, gn.Tensor | None, gn.Tensor | None]:
    """The fields; ``data`` may be a pair of data and batch sizes."""
    if unsorted_indices is None:
        unsorted_indices = invert_permutation(sorted_indices)
    if batch_sizes is None:
        if not isinstance(data, (list, tuple)) or len(data) != 2:
            raise AssertionError("Expected data to be a list or tuple of length 2")
        return data[0], data[1], sorted_indices, unsorted_indices
    if batch_sizes.device.type == "cuda":
        raise ValueError(
            "batch_sizes should always be on CPU. Instances of PackedSequence should never be created "
            "manually. They should be instantiated by functions like pack_sequence and pack_padded_sequences "
            "in nn.utils.rnn."
        )
    return data, batch_sizes, sorted_indices, unsorted_indices


def invert_permutation(permutation: gn.Tensor | None) -> gn.Tensor | None:
    """The inverse of a permutation of 0, …, n - 1 (n), int64; None for None.

    Source: torch.nn.utils.rnn.invert_permutation.
    """
    if permutation is None:
        return None
    places = gn.arange(0, permutation.numel(), device=permutation.device)
    return gn.empty_like(permutation, memory_format=gn.contiguous_format).scatter_(0, permutation, places)


def pack_padded_sequence(
    input: gn.Tensor,
    lengths: gn.Tensor | list[int],
    batch_first: bool = False,
    enforce_sorted: bool = True,
) -> PackedSequence:
    """Packs padded sequences.

    ``input``: (T, N, *), or (N, T, *) with ``batch_first``; any dtype.  ``lengths`` (N): the length of each
    sequence, at least 1, in decreasing order unless ``enforce_sorted`` is False.  Raises RuntimeError for
    other lengths.  Source: torch.nn.utils.rnn.pack_padded_sequence.
    """
    if isinstance(lengths, gn.Tensor):
        lengths = lengths.to(dtype=gn.int64)
    else:
        lengths = gn.as_tensor(lengths, dtype=gn.int64, device="cpu")
    sorted_indices = None
    if not enforce_sorted:
        lengths, sorted_indices = gn.sort(lengths, descending=True)
        sorted_indices = sorted_indices.to(input.device)
        input = input.index_select(0 if batch_first else 1, sorted_indices)
    data, batch_sizes = gn.ops.aten._pack_padded_sequence.default(input, lengths, batch_first)
    return PackedSequence(data, batch_sizes, sorted_indices, None)


def pad_packed_sequence(
    sequence: PackedSequence,
    batch_first: bool = False,
    padding_value: float = 0.0,
    total_length: int | None = None,
) -> tuple[gn.Tensor, gn.Tensor]:
    """Returns the padded sequences (T, N, *), or (N, T, *) with ``batch_first``, and their lengths (N),
    int64.

    Both are in the order that the sequences had before they were packed.  T is ``total_length``, or the
    longest length.  Raises ValueError for a smaller ``total_length``.  Source:
    torch.nn.utils.rnn.pad_packed_sequence.
    """
    longest = sequence.batch_sizes.size(0)
    if total_length is not None and total_length < longest:
        raise ValueError(
            "Expected total_length to be at least the length of the longest sequence in input, but got "
            f"total_length={total_length} and max sequence length being {longest}"
        )
    padded, lengths = gn.ops.aten._pad_packed_sequence.default(
        sequence.data,
        sequence.batch_sizes,
        batch_first,
        padding_value,
        longest if total_length is None else total_length,
    )
    indices = sequence.unsorted_indices
    if indices is None:
        return padded, lengths
    return padded.index_select(0 if batch_first else 1, indices), lengths[indices.to(lengths.device)]


def pad_sequence(
    sequences: gn.Tensor | Iterable[gn.Tensor],
    batch_first: bool = False,
    padding_value: float = 0.0,
    padding_side: Literal["left", "right"] = "right",
) -> gn.Tensor:
    """Stacks sequences (L, *) of different lengths: (T, N, *), or (N, T, *) with ``batch_first``.

    T is the longest length; ``padding_side`` of shorter sequences there is ``padding_value``.  Raises
    RuntimeError for what is not iterable, for another side, and for no sequences.
    Source: torch.nn.utils.rnn.pad_sequence.
    """
    if not isinstance(sequences, Iterable):
        raise RuntimeError(
            f"pad_sequence: Expected iterable for input sequences, but got arg of type: {type(sequences)}"
        )
    return gn.ops.aten.pad_sequence.default(tuple(sequences), batch_first, padding_value, padding_side)


def unpad_sequence(
    padded_sequences: gn.Tensor, lengths: gn.Tensor, batch_first: bool = False
) -> list[gn.Tensor]:
    """The sequences (L, *) of padded ones (T, N, *), or (N, T, *) with ``batch_first``; ``lengths`` (N).

    As in PyTorch, ``padded_sequences`` themselves are transposed unless ``batch_first``.  Raises ValueError
    for another number of lengths.  Source: torch.nn.utils.rnn.unpad_sequence.
    """
    if not batch_first:
        padded_sequences.transpose_(0, 1)
    places = gn.arange(padded_sequences.shape[1], device=lengths.device)
    return [sequence[places < length] for sequence, length in zip(padded_sequences, lengths, strict=True)]


def pack_sequence(sequences: Sequence[gn.Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Packs sequences (L, *), in decreasing order of length unless ``enforce_sorted`` is False.

    Raises RuntimeError for another order, and for a sequence without elements.
    Source: torch.nn.utils.rnn.pack_sequence.
    """
    lengths = gn.as_tensor([each.size(0) for each in sequences])
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[gn.Tensor]:
    """The sequences (L, *) of a PackedSequence, in the order that they had before they were packed.

    Source: torch.nn.utils.rnn.unpack_sequence.
    """
    padded_sequences, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded_sequences, lengths, batch_first=True)
