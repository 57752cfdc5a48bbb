"""On C no operator reads elements in Python, even if it has no kernel; and the results of such operators."""

from __future__ import annotations

import collections
import math
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import gnomon as gn
from gnomon.memory.storage import Storage

DEVICES = [name for name in ("reference", "c", "numpy") if gn.backends()[name].available]

# Here a tensor is given for what the underlying operator takes as a list of numbers.
READ_NUMBERS = {
    "ctc_loss.Tensor": "lengths",
    "tensor_split.tensor_indices_or_sections": "places",
    **{f"{name}.data": "batch_sizes" for name in ("lstm", "gru", "rnn_tanh", "rnn_relu")},
    **dict.fromkeys(("_pad_packed_sequence", "_pack_padded_sequence_backward"), "batch_sizes"),
    "_pack_padded_sequence": "lengths",
}


@pytest.fixture
def touched(monkeypatch: pytest.MonkeyPatch) -> Iterator[collections.Counter[int]]:
    """How often Python read or wrote memory, by the memory's size in bytes."""
    seen: collections.Counter[int] = collections.Counter()

    def watched(function: Callable[..., Any]) -> Callable[..., Any]:
        def watch(storage: Storage, *arguments: Any) -> Any:
            seen[storage.nbytes()] += 1
            return function(storage, *arguments)

        return watch

    for name in ("copy_out", "copy_in"):
        monkeypatch.setattr(Storage, name, watched(getattr(Storage, name)))
    yield seen


@pytest.mark.skipif("c" not in DEVICES, reason="the C backend is not built")
def test_no_operator_reads_elements(touched: collections.Counter[int]) -> None:
    running = pytest.importorskip("gnomon_conformance.execution.runner")
    from gnomon_conformance.collection.selection import dtypes_of, operators
    from gnomon_conformance.samples import good_samples

    gn.set_fallback_policy("error")
    device, found, count = running.Gnomon("c"), set(), 0
    for name, operator in operators().items():
        if operator.record.kernel is not None or operator.record.view is not None:
            continue
        dtypes = dtypes_of(operator)
        for dtype in [each for each in ("float32", "int64") if each in dtypes] or dtypes[:1]:
            for _, sample in good_samples(name, dtype):
                call = running.prepare(device, operator.schema, sample, dtype, "contiguous")
                touched.clear()
                try:
                    operator(*call.values)
                    count += 1
                except (RuntimeError, NotImplementedError) as error:  # not every sample suits every dtype
                    assert "GNOMON_FALLBACK" not in str(error)
                # numbers that are given or returned have up to 16 bytes
                if any(nbytes > 16 for nbytes in touched):
                    found.add(name)
    assert found <= set(READ_NUMBERS)
    assert count > 1000


# -- isin --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("invert", [False, True])
@pytest.mark.parametrize("count", [0, 1, 9, 300])
@pytest.mark.parametrize("dtype", ["int64", "uint8", "float16", "float32", "float64"])
@pytest.mark.parametrize("name", DEVICES)
def test_isin(name: str, dtype: str, count: int, invert: bool) -> None:
    numbers = random.Random(count)
    is_floating = dtype.startswith("float")
    special = [math.nan, math.inf, -math.inf, -0.0] if is_floating else [0]
    elements = [float(numbers.randrange(200)) for _ in range(36)] + special
    others = [float(numbers.randrange(200)) for _ in range(count)]
    for more in ([], special, special[:1] * 400, [math.inf] if is_floating else [7]):
        among = others + more
        given = gn.tensor(elements, device=name).to(getattr(gn, dtype)).reshape(-1, 2 if is_floating else 1)
        found = gn.isin(given.t(), gn.tensor(among, device=name).to(getattr(gn, dtype)), invert=invert)
        expected = [any(each == other for other in among) != invert for each in elements]
        assert found.t().flatten().tolist() == expected
        assert found.dtype is gn.bool and found.shape == given.t().shape and found.is_contiguous()


@pytest.mark.parametrize("name", DEVICES)
def test_isin_of_two_dtypes_compares_in_their_common_one(name: str) -> None:
    elements = gn.tensor([2**24, 2**24 + 1, 5], device=name)
    others = gn.arange(100, dtype=gn.float32, device=name) + 2.0**24
    assert gn.isin(elements, others).tolist() == [True, True, False]
    small = gn.tensor([-1, 5], dtype=gn.int8, device=name)
    bytes_ = gn.arange(3, 256, dtype=gn.uint8, device=name)
    assert gn.isin(small, bytes_, assume_unique=True).tolist() == [False, True]
    assert gn.isin(gn.tensor(5, device=name), bytes_).item() is True
    weights = gn.ones(3, device=name, requires_grad=True)
    assert gn.isin(weights, gn.ones(50, device=name)).requires_grad is False


@pytest.mark.skipif("c" not in DEVICES, reason="the C backend is not built")
def test_isin_of_many_takes_no_more_memory_than_sorting() -> None:
    even = gn.arange(0, 400_000, 2, device="c")
    found = gn.isin(gn.arange(400_000, device="c"), even)  # 80 GB if each were compared with each
    assert found[::2].all().item() and not found[1::2].any().item()


# -- the indices of triangles, repeated positions, rows kept short -----------------------------------------


@pytest.mark.parametrize("name", [*DEVICES, "meta"])
def test_indices_of_triangles(name: str) -> None:
    for row in range(5):
        for col in range(5):
            for offset in (-(2**62), *range(-6, 7), 2**62):
                lower = [(i, j) for i in range(row) for j in range(col) if j - i <= offset]
                upper = [(i, j) for i in range(row) for j in range(col) if j - i >= offset]
                for function, pairs in ((gn.tril_indices, lower), (gn.triu_indices, upper)):
                    found = function(row, col, offset, dtype=gn.int32, device=name)
                    assert found.shape == (2, len(pairs)) and found.is_contiguous()
                    assert found.dtype is gn.int32 and found.stride() == (max(len(pairs), 1), 1)
                    if name != "meta":
                        assert found.tolist() == [[i for i, _ in pairs], [j for _, j in pairs]]


@pytest.mark.parametrize("dtype", [gn.int32, gn.int64], ids=lambda dtype: dtype.name)
@pytest.mark.parametrize("name", DEVICES)
def test_repeated_positions(name: str, dtype: gn.dtype) -> None:
    for counts in ([0, 3, 0, 2, 1, 0], [2, 0], [1], [0, 0], [0]):
        repeats = gn.tensor(counts, dtype=dtype, device=name)
        found = gn.repeat_interleave(repeats, output_size=sum(counts))
        assert found.tolist() == [place for place, count in enumerate(counts) for _ in range(count)]
        assert found.dtype is dtype and found.is_contiguous()
    with pytest.raises(RuntimeError, match="repeats can not be negative"):
        gn.repeat_interleave(gn.tensor([1, -1], dtype=dtype, device=name))
    with pytest.raises(RuntimeError, match="got output_size=4, and repeats that add up to 3"):
        gn.repeat_interleave(gn.tensor([1, 2], dtype=dtype, device=name), output_size=4)


@pytest.mark.parametrize("norm_type", [1.0, 2.0, 3.5, 0.0, math.inf, -math.inf])
@pytest.mark.parametrize("name", DEVICES)
def test_rows_are_kept_short(name: str, norm_type: float) -> None:
    rows = [[3.0, -4.0], [0.5, 0.25], [6.0, 8.0], [-9.0, 1.0], [0.0, 0.0]]

    def norm(row: list[float]) -> float:
        sizes = [abs(number) for number in row]
        if math.isinf(norm_type):
            return max(sizes) if norm_type > 0 else min(sizes)
        if norm_type == 0:
            return float(sum(size != 0 for size in sizes))
        return sum(size**norm_type for size in sizes) ** (1 / norm_type)

    whole = gn.zeros(5, 4, dtype=gn.float64, device=name)
    table = whole[:, 1:3].copy_(gn.tensor(rows, dtype=gn.float64, device=name))
    version = table._version
    gn.embedding_renorm_(table, gn.tensor([[0, 1], [-1, 0], [3, 3]], device=name), 1.5, norm_type)
    expected = [
        [number * 1.5 / (norm(row) + 1e-7) for number in row] if place != 2 and norm(row) > 1.5 else row
        for place, row in enumerate(rows)
    ]
    assert table.flatten().tolist() == pytest.approx(
        [number for row in expected for number in row], rel=1e-13
    )
    assert table._version == version + 1 and whole[:, ::3].abs().sum().item() == 0
    kept = gn.zeros(3, 0, device=name)
    assert gn.embedding_renorm_(kept, gn.tensor([1], device=name), 1.0, norm_type) is kept
