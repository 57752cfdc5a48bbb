"""Memory: copies transfer the right bytes, and blocks do not overlap while they are in use."""

import gc
import math

import pytest

import gnomon as gn

from ..collection import selection
from ..collection.selection import operators
from ..comparison.tolerances import PRECISION
from ..execution.check import check_forward
from ..inputs import grids
from ..inputs.description import COMPLEX, DTYPES, INTEGERS, REAL_FLOATS, given, sample, tensor

pytestmark = pytest.mark.tier("memory")

SIZES = (0, 1, 2, 3, 7, 8, 9, 63, 64, 65, 255, 256, 257, 4095, 4096, 4097, 100_003)


# Layouts of the two tensors of a copy.
COPIED = ("contiguous", "mixed", "gapped")


def pytest_generate_tests(metafunc):
    selection.parametrize_operators(metafunc, {"copy_": operators()["copy_"]}, DTYPES)


def pattern(nbytes, seed):
    return bytes((place * 7 + place // 256 + seed) % 256 for place in range(nbytes))


def held(backend, memory, nbytes):
    return bytes(backend.copy_out(memory, 0, nbytes))


def test_copies(backend):
    """Copies of whole blocks, and of parts at several offsets."""
    for nbytes in SIZES:
        memory = backend.allocate(nbytes, 0)
        wanted = bytearray(pattern(nbytes, 1))
        backend.copy_in(memory, 0, memoryview(bytes(wanted)))
        assert held(backend, memory, nbytes) == wanted, f"{nbytes} bytes come back as others"
        for offset in {0, 1, nbytes // 3, nbytes // 2, max(nbytes - 1, 0)}:
            part = pattern(min(5, nbytes - offset), 100)
            backend.copy_in(memory, offset, memoryview(part))
            wanted[offset : offset + len(part)] = part
            assert held(backend, memory, nbytes) == wanted, f"{len(part)} bytes at {offset} of {nbytes}"
            got = bytes(backend.copy_out(memory, offset, len(part)))
            assert got == part, f"{len(part)} bytes from {offset} of {nbytes}"


@pytest.mark.short(*DTYPES)
def test_conversions(operator, dtype, backend, request):
    """Copies from every dtype, of numbers that the target dtype can represent at least approximately."""
    is_full = request.config.getoption("gnomon_full")
    for turn, source in enumerate(DTYPES):
        # C leaves open the conversion of a negative number to unsigned, and of infinity to an integer
        fills = ["positive", "ties"] if dtype == "uint8" and source not in ("bool", "uint8") else ["normal"]
        fills += ["extreme", "nonfinite"] if dtype in (*REAL_FLOATS, "bool", source) else []
        fills += ["extreme"] if {dtype, source}.isdisjoint(REAL_FLOATS) else []
        for values in fills:
            for layout in dict.fromkeys(COPIED if is_full else ("contiguous", COPIED[turn % len(COPIED)])):
                call = sample(tensor(3, 13), tensor(3, 13, dtype=source, values=values, seed=1))
                problem = check_forward(operator, call, dtype, layout, backend.device_type)
                if problem:
                    pytest.fail(f"from {source}: {problem}", pytrace=False)


def converted(source, dtype):
    """Numbers of ``source`` where a conversion to ``dtype`` rounds or overflows: ties and their neighbors."""
    if source == "bool":
        return [False, True]
    if source in INTEGERS:
        found = set(grids.few(source, 99))
        for bits in (8, 11, 24, 53):  # of the significands of the floating dtypes
            for shift in (1, 2, 8, 9, 10, 33):
                for odd in (2 ** (bits - 1) + 1, 2**bits - 1):
                    half = (2 * odd + 1) * 2 ** (shift - 1)
                    found |= {sign * (half + more) for sign in (1, -1) for more in (-1, 0, 1)}
        low, high = min(grids.few(source, 99)), max(grids.few(source, 99))
        return sorted(number for number in found if low <= number <= high)
    found = {1.5, -1.5, 2.5, -0.5, 0.999, -0.999, 127.9, 3.5}
    if dtype in REAL_FLOATS:
        bits, least = PRECISION[dtype]
        for exponent in (*range(least, least + 14), -14, -1, 0, 3, 14, 15, 120, 127):
            if not least <= exponent < (15 if dtype == "float16" else 126):
                continue
            unit = 2.0 ** max(exponent - bits + 1, least)
            start = 2.0**exponent if exponent > least + bits else unit * 3
            for count in (0, 1, 2, 3):
                tie = start + (count + 0.5) * unit
                # so close to the tie that an intermediate rounding loses the difference
                found |= {tie, tie * (1 + 2.0**-22), tie * (1 - 2.0**-22)}
                found |= {tie * (1 + 2.0**-40), tie * (1 - 2.0**-40)} if source == "float64" else set()
        if dtype != "float64":
            found |= {grids.greatest(dtype) * (1 + 2.0 ** -(bits + more)) for more in (-1, 0, 1)}
        found |= {math.inf, -math.inf}
    elif dtype in INTEGERS:  # only the common range: beyond it, C leaves the conversion open
        bits = 7 if dtype in ("uint8", "int8") else int(dtype[3:]) - 1
        found |= {2.0**place + more for place in range(bits) for more in (0.75, -0.75, 0.0, -1.0)}
    found |= {-number for number in found}
    if dtype == "uint8":
        found = {number for number in found if number > -1}
    if source in REAL_FLOATS:
        largest = grids.greatest(source)
        kept = {grids.rounded(number, source) for number in found}
        kept = {number for number in kept if abs(number) <= largest or math.isinf(number)}
        low, high = (-1.0, 256.0) if dtype == "uint8" else (-(2.0**63), 2.0**63)
        if dtype in INTEGERS:
            bits = 8 if dtype == "uint8" else int(dtype[3:])
            low, high = (
                (-1.0, 2.0**bits) if dtype == "uint8" else (-(2.0 ** (bits - 1)) - 1, 2.0 ** (bits - 1))
            )
            kept = {number for number in kept if low < number < high}
        return sorted(kept)
    return []


@pytest.mark.short(*DTYPES)
def test_rounded_conversions(operator, dtype, backend):
    """Conversions of numbers between two representable ones, from every dtype."""
    for source in DTYPES:
        numbers = converted(source, dtype)
        if not numbers or dtype in COMPLEX or source == dtype:
            continue
        call = sample(tensor(len(numbers)), given(numbers, (len(numbers),), (1,), 0, source))
        problem = check_forward(operator, call, dtype, "contiguous", backend.device_type)
        if problem:
            pytest.fail(f"from {source}: {problem}", pytrace=False)


@pytest.mark.short(*REAL_FLOATS)
def test_payloads(operator, dtype, backend):
    """A copy within one dtype preserves every bit, including those of a NaN."""
    if dtype not in REAL_FLOATS:
        return
    kind = getattr(gn, dtype)
    size = kind.itemsize
    quiet = {"float16": 0x7E01, "bfloat16": 0x7FC1, "float32": 0x7FC01234, "float64": 0x7FF8000012345678}[
        dtype
    ]
    sign = 1 << (8 * size - 1)
    words = [quiet, quiet | sign, quiet + 5, 1, sign, sign | 1, 0x3C00] * 9
    data = b"".join(word.to_bytes(size, "little") for word in words)
    source = gn.empty(len(words), dtype=kind, device=backend.device_type)
    source.untyped_storage().copy_in(0, memoryview(data))
    gapped = gn.zeros(len(words), 2, dtype=kind, device=backend.device_type)[:, 1]
    gapped.copy_(source)
    for made in (
        source.clone(),
        gn.empty_like(source).copy_(source),
        gapped.clone(),
        gn.cat([source, source]),
    ):
        found = bytes(made.untyped_storage().copy_out())[: len(data)]
        assert found == data, f"a copy of {dtype} changes bits: {found.hex()[:80]} for {data.hex()[:80]}"


def test_copies_of_other_types(backend):
    """``copy_in`` accepts a memoryview of numbers, and copies it: later writes on the host do not show."""
    numbers = memoryview(bytearray(pattern(64, 3))).cast("d")
    memory = backend.allocate(64, 0)
    backend.copy_in(memory, 0, numbers)
    numbers[0] = 5.0
    assert held(backend, memory, 64) == pattern(64, 3), "it shows what the host wrote afterwards"


def test_blocks(backend):
    """Blocks that are in use at the same time share no byte; freed ones can be used in full again."""
    blocks = [(backend.allocate(nbytes, 0), nbytes, seed) for seed in range(4) for nbytes in SIZES]
    for memory, nbytes, seed in blocks:
        backend.copy_in(memory, 0, memoryview(pattern(nbytes, seed)))
    for memory, nbytes, seed in blocks:
        assert held(backend, memory, nbytes) == pattern(nbytes, seed), (
            f"a block of {nbytes} bytes was written to"
        )
    del blocks[::2], memory
    gc.collect()
    new = [(backend.allocate(nbytes, 0), nbytes, 50) for nbytes in SIZES]
    for memory, nbytes, seed in new:
        backend.copy_in(memory, 0, memoryview(pattern(nbytes, seed)))
    for memory, nbytes, seed in [*blocks, *new]:
        assert held(backend, memory, nbytes) == pattern(nbytes, seed), (
            f"a block of {nbytes} bytes was written to"
        )


def test_views_keep_their_storage(backend):
    """A view keeps its storage alive after its base is gone, and later tensors do not get that memory."""
    tensor = gn.arange(1000, device=backend.device_type)
    view = tensor[990:]
    del tensor
    gc.collect()
    others = [gn.zeros(1000, dtype=gn.int64, device=backend.device_type) for _ in range(3)]
    assert view.tolist() == list(range(990, 1000))
    assert all(each.sum().item() == 0 for each in others)


@pytest.mark.traits("memory_stats")
def test_memory_is_counted(backend):
    """The count of allocated bytes rises and falls with tensors, and the peak remains."""
    gc.collect()
    before = backend.memory_stats(0)["allocated"]
    backend.reset_peak_memory(0)
    tensor = gn.zeros(1 << 20, dtype=gn.uint8, device=backend.device_type)
    during = backend.memory_stats(0)
    assert before + (1 << 20) <= during["allocated"] <= before + (1 << 21)
    del tensor
    gc.collect()
    after = backend.memory_stats(0)
    assert after["allocated"] <= before + 4096
    assert after["peak"] >= during["allocated"] - 4096
    backend.empty_cache()
    assert backend.memory_stats(0)["cached"] <= after["cached"]
