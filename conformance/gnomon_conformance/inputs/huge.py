"""Tensors of more than 2**31 elements, whose offsets and counts do not fit in 32 bits.

The reference's loops would take hours, so the expected results are known in advance.  Elements are bytes, and
inputs are expanded (stride 0) or a small part of a result where possible: 2 to 5 GiB are in use at a time.
"""

from __future__ import annotations

import pathlib
import re
from collections.abc import Callable, Sequence
from typing import Any

import gnomon as gn

LIMIT = 2**31
COUNT = LIMIT + 1031  # elements
# Positions to check: both ends, and both sides of the signed 32-bit limit.
PLACES = (0, 1, 4099, LIMIT // 2, LIMIT - 2, LIMIT - 1, LIMIT, LIMIT + 1, LIMIT + 513, COUNT - 2, COUNT - 1)
ROWS, COLUMNS = 2**15 + 1, 2**16 + 3  # as many elements in two dimensions, neither of which is large
GIB = 2**30


def filled(device: str, value: int, dtype: Any = gn.uint8) -> Any:
    """A tensor of COUNT elements, all equal to ``value``."""
    return gn.empty(COUNT, dtype=dtype, device=device).fill_(value)


def marked(device: str) -> Any:
    """Zeros, with 1, 2, 3 ... at PLACES."""
    tensor = filled(device, 0)
    for number, place in enumerate(PLACES, 1):
        tensor.untyped_storage().copy_in(place, memoryview(bytes([number])))
    return tensor


def at(tensor: Any, places: Sequence[int] = PLACES) -> list[int]:
    """The elements at these places."""
    return [tensor[place].item() for place in places]


def check_fill(device: str) -> None:
    """Every element is written."""
    assert at(filled(device, 3)) == [3] * len(PLACES)


def check_copy(device: str) -> None:
    """From beyond the 32-bit limit of one tensor to beyond that of another, both with gaps."""
    source, target = marked(device), filled(device, 9)
    target[LIMIT - 1 :: 2].copy_(source[LIMIT::2][: target[LIMIT - 1 :: 2].numel()])
    assert at(target, (LIMIT - 2, LIMIT - 1, LIMIT, LIMIT + 1, LIMIT + 512)) == [9, 7, 9, 0, 9]
    assert target[LIMIT - 1 + 512 : LIMIT - 1 + 516].tolist() == [0, 9, 0, 9]


def check_clone(device: str) -> None:
    """A transposed copy: the inner stride of one tensor is the outer stride of the other."""
    source = gn.empty(COLUMNS, ROWS, dtype=gn.uint8, device=device).fill_(0)
    source[COLUMNS - 1, ROWS - 2] = 5
    source[COLUMNS - 2, ROWS - 1] = 6
    made = source.t().contiguous()
    assert made.stride() == (COLUMNS, 1)
    assert made[ROWS - 2 :, COLUMNS - 2 :].tolist() == [[0, 5], [6, 0]]


def check_add(device: str) -> None:
    """Broadcasts a column and a row, neither of which is large."""
    rows = (gn.arange(ROWS, device=device) % 16).to(gn.uint8).unsqueeze(1)
    columns = (gn.arange(COLUMNS, device=device) % 13 * 16).to(gn.uint8)
    made = gn.add(rows, columns)
    assert made.shape == (ROWS, COLUMNS)
    for row in (0, 1, ROWS // 2, ROWS - 2, ROWS - 1):
        for column in (0, 1, 77, COLUMNS - 2, COLUMNS - 1):
            assert made[row, column].item() == row % 16 + column % 13 * 16, (row, column)


def check_neg(device: str) -> None:
    """In one dimension, so that a loop has more steps than 32 bits can count."""
    assert at(filled(device, 5, gn.int8).neg_()) == [-5] * len(PLACES)


def check_sum(device: str) -> None:
    """In the elements' own dtype: converted to int64 first, they would take 16 GiB."""
    assert marked(device).sum(dtype=gn.uint8).item() == sum(range(len(PLACES) + 1))
    assert filled(device, 1).sum(dtype=gn.uint8).item() == COUNT % 256


def check_argmax(device: str) -> None:
    """An index that 32 bits cannot represent."""
    tensor = marked(device)
    assert tensor.argmax().item() == COUNT - 1
    tensor[LIMIT + 700] = 200
    assert tensor.argmax().item() == LIMIT + 700


def check_index_select(device: str) -> None:
    """Selects elements from the whole range of indices."""
    tensor = marked(device)
    where = gn.tensor(PLACES, device=device)
    assert tensor.index_select(0, where).tolist() == list(range(1, len(PLACES) + 1))


def check_gather(device: str) -> None:
    """Gathers from the whole range of indices, in descending order."""
    tensor = marked(device)
    where = gn.tensor(PLACES[::-1], device=device)
    assert tensor.gather(0, where).tolist() == list(range(len(PLACES), 0, -1))


def check_scatter(device: str) -> None:
    """Writes the indexed elements, and no others."""
    tensor = filled(device, 0)
    where = gn.tensor(PLACES, device=device)
    tensor.scatter_(0, where, where.new_ones(len(PLACES)).to(gn.uint8))
    assert at(tensor) == [1] * len(PLACES)
    assert at(tensor, (LIMIT + 2, COUNT - 3)) == [0, 0]


def check_narrow(device: str) -> None:
    """A view of the far end, read and written through."""
    tensor = marked(device)
    end = tensor.narrow(0, COUNT - 4, 4)
    assert (end.storage_offset(), end.tolist()) == (COUNT - 4, [0, 0, 10, 11])
    end.mul_(2)
    assert at(tensor, (COUNT - 3, COUNT - 2, COUNT - 1)) == [0, 20, 22]


def check_cumsum(device: str) -> None:
    """In place, in int8: the sum wraps around millions of times."""
    tensor = filled(device, 1, gn.int8)
    tensor.cumsum_(0)
    assert at(tensor) == [(place + 1 + 128) % 256 - 128 for place in PLACES]


def check_cat(device: str) -> None:
    """An expanded element, followed by a few others."""
    repeated = gn.full((1,), 7, dtype=gn.uint8, device=device).expand(LIMIT - 1)
    last = gn.arange(100, dtype=gn.uint8, device=device)
    made = gn.cat([repeated, last])
    assert made.numel() == LIMIT + 99
    assert made[LIMIT - 3 : LIMIT + 3].tolist() == [7, 7, 0, 1, 2, 3]
    assert made[-1].item() == 99


# Operator -> the check, and the GiB that it takes.
CHECKS: dict[str, tuple[Callable[[str], None], int]] = {
    "fill_.Scalar": (check_fill, 2),
    "copy_": (check_copy, 4),
    "clone": (check_clone, 4),
    "add.Tensor": (check_add, 2),
    "neg": (check_neg, 2),
    "sum": (check_sum, 2),
    "argmax": (check_argmax, 2),
    "index_select": (check_index_select, 2),
    "gather": (check_gather, 2),
    "scatter.src": (check_scatter, 2),
    "narrow": (check_narrow, 2),
    "cumsum": (check_cumsum, 4),
    "cat": (check_cat, 2),
}


def available() -> float:
    """GiB of memory available on this machine, if it reports that; else infinity."""
    try:
        found = re.search(r"MemAvailable: *(\d+) kB", pathlib.Path("/proc/meminfo").read_text())
    except OSError:
        found = None
    return int(found[1]) * 1024 / GIB if found else float("inf")
