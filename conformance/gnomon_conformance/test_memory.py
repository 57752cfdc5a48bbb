"""Memory: bytes go in and come out where they should, and blocks are apart as long as somebody has them."""

import gc

import pytest

import gnomon as gn

from . import selection
from .checking import check_forward
from .description import DTYPES, REAL_FLOATS, sample, tensor
from .selection import operators

pytestmark = pytest.mark.tier("memory")

SIZES = (0, 1, 2, 3, 7, 8, 9, 63, 64, 65, 255, 256, 257, 4095, 4096, 4097, 100_003)


# Ways that the two tensors of a copy may lie: whole, in parts, one turned.
COPIED = ("contiguous", "mixed", "gapped")


def pytest_generate_tests(metafunc):
    selection.parametrize_operators(metafunc, {"copy_": operators()["copy_"]}, DTYPES)


def pattern(nbytes, seed):
    return bytes((place * 7 + place // 256 + seed) % 256 for place in range(nbytes))


def held(backend, memory, nbytes):
    return bytes(backend.copy_out(memory, 0, nbytes))


def test_copies(backend):
    """Whole blocks, and parts of them, from every offset."""
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
    """Copies from every dtype, of numbers that the other can hold at least in part."""
    is_full = request.config.getoption("gnomon_full")
    for turn, source in enumerate(DTYPES):
        # what becomes of a negative number without a sign, and of infinity as an integer, C leaves open
        fills = ["positive", "ties"] if dtype == "uint8" and source not in ("bool", "uint8") else ["normal"]
        fills += ["extreme", "nonfinite"] if dtype in (*REAL_FLOATS, "bool", source) else []
        fills += ["extreme"] if {dtype, source}.isdisjoint(REAL_FLOATS) else []
        for values in fills:
            for layout in dict.fromkeys(COPIED if is_full else ("contiguous", COPIED[turn % len(COPIED)])):
                call = sample(tensor(3, 13), tensor(3, 13, dtype=source, values=values, seed=1))
                problem = check_forward(operator, call, dtype, layout, backend.device_type)
                if problem:
                    pytest.fail(f"from {source}: {problem}", pytrace=False)


def test_copies_of_other_types(backend):
    """What is copied in may be a view of numbers, and of the host's memory in place."""
    numbers = memoryview(bytearray(pattern(64, 3))).cast("d")
    memory = backend.allocate(64, 0)
    backend.copy_in(memory, 0, numbers)
    numbers[0] = 5.0
    assert held(backend, memory, 64) == pattern(64, 3), "it shows what the host wrote afterwards"


def test_blocks(backend):
    """Blocks that live at once share no byte; freed ones come back whole."""
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
    """A view lives longer than the tensor that it was made from, and than others of its size."""
    tensor = gn.arange(1000, device=backend.device_type)
    view = tensor[990:]
    del tensor
    gc.collect()
    others = [gn.zeros(1000, dtype=gn.int64, device=backend.device_type) for _ in range(3)]
    assert view.tolist() == list(range(990, 1000))
    assert all(each.sum().item() == 0 for each in others)


@pytest.mark.traits("memory_stats")
def test_memory_is_counted(backend):
    """What is allocated goes up and down by what tensors need, and the peak stays."""
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
