"""The caching allocator and pinned memory: what is reused, when, and what is counted."""

from __future__ import annotations

import gc
import random
from itertools import pairwise

import pytest

from cuda_emulation import Kernels, get, put
from gnomon.values.errors import OutOfMemoryError
from gnomon_cuda.allocator import GRAIN, LARGE_GRAIN, SMALL, SMALL_SEGMENT, Allocator, described
from gnomon_cuda.errors import CudaError
from gnomon_cuda.pinned import PinnedPool
from gnomon_cuda.streams import Stream, default_stream
from time_limits import join, start

MIB = 1 << 20


@pytest.fixture
def driver(cuda_driver):
    return cuda_driver


@pytest.fixture
def stream(driver):
    return default_stream(driver)


@pytest.fixture
def kernels(driver):
    return Kernels(driver)


@pytest.fixture(params=[True, False], ids=["exact", "cut"])
def allocator(request, driver):
    return Allocator(driver, 0, exact=request.param)


@pytest.fixture
def cutting(driver):
    """As on a GPU: blocks are cut out of segments."""
    return Allocator(driver, 0, exact=False)


def test_what_was_released_is_given_out_again(allocator, stream):
    memory = allocator.allocate(1000, stream)
    address = memory.address
    other = allocator.allocate(1000, stream)
    assert other.address != address
    del memory
    assert allocator.allocate(1000, stream).address == address


def test_it_is_given_out_again_before_its_work_is_done(allocator, driver, kernels, stream):
    memory = allocator.allocate(4, stream)
    kernels.add_number(memory.address, 1.0, 1)
    address = memory.address
    del memory
    assert not driver.is_stream_done()
    assert allocator.allocate(4, stream).address == address


def test_another_stream_does_not_get_it(allocator, driver, stream):
    memory = allocator.allocate(1000, stream)
    address = memory.address
    del memory
    assert allocator.allocate(1000, Stream(driver)).address != address


def test_what_another_stream_used_rests_until_that_is_done(allocator, driver, kernels, stream):
    other = Stream(driver)
    memory = allocator.allocate(4, stream)
    address = memory.address
    kernels.add_number(address, 1.0, 1, other.handle)
    memory.record_stream(other)
    memory.record_stream(other)
    memory.record_stream(stream)  # its own stream: no effect
    del memory
    assert allocator.allocate(4, stream).address != address
    assert allocator.stats()["allocated"] == 0
    assert not other.query()
    other.synchronize()
    assert allocator.allocate(4, stream).address == address


def test_work_that_is_put_into_the_other_stream_later_is_not_waited_for(allocator, driver, kernels, stream):
    other, busy = Stream(driver), allocator.allocate(4, stream)
    memory = allocator.allocate(512, stream)
    address = memory.address
    memory.record_stream(other)
    del memory
    allocator.stats()  # processes freed blocks
    other.synchronize()
    kernels.add_number(busy.address, 1.0, 1, other.handle)
    assert allocator.allocate(512, stream).address == address


def test_bytes_are_counted(allocator, stream):
    first = allocator.allocate(3 * MIB, stream)
    second = allocator.allocate(2 * MIB, stream)
    assert first.nbytes == 3 * MIB
    stats = allocator.stats()
    assert (stats["allocated"], stats["peak"], stats["requests"]) == (5 * MIB, 5 * MIB, 2)
    del first
    stats = allocator.stats()
    assert (stats["allocated"], stats["peak"]) == (2 * MIB, 5 * MIB)
    assert stats["cached"] >= 3 * MIB
    allocator.reset_peak()
    assert allocator.stats()["peak"] == 2 * MIB
    del second
    allocator.empty_cache()
    stats = allocator.stats()
    assert (stats["allocated"], stats["cached"], stats["segments"]) == (0, 0, 0)


def test_the_device_gets_back_what_nobody_uses(allocator, driver, stream):
    free = driver.memory_info()[0]
    memory = [allocator.allocate(MIB, stream) for _ in range(5)]
    assert driver.memory_info()[0] <= free - 5 * MIB
    del memory
    allocator.empty_cache()
    assert driver.memory_info()[0] == free


def test_no_bytes_are_memory_too(allocator, stream):
    first, second = allocator.allocate(0, stream), allocator.allocate(0, stream)
    assert first.address and second.address and first.address != second.address


def test_over_the_emulation_a_request_has_just_its_bytes(driver, kernels, stream):
    allocator = Allocator(driver, 0)
    assert allocator.exact
    memory = allocator.allocate(12, stream)
    assert memory.nbytes == 12
    kernels.write_beyond(memory.address, 3)
    with pytest.raises(CudaError, match="ILLEGAL_ADDRESS"):
        driver.synchronize()


def test_requests_are_cut_from_one_segment(cutting, driver, stream):
    memory = [cutting.allocate(1000, stream) for _ in range(SMALL_SEGMENT // 1024)]
    assert cutting.stats()["segments"] == 1
    addresses = sorted(each.address for each in memory)
    assert [b - a for a, b in pairwise(addresses)] == [1024] * (len(memory) - 1)
    assert all(address % GRAIN == 0 for address in addresses)
    assert cutting.stats()["cached"] == 0
    cutting.allocate(1, stream)
    assert cutting.stats()["segments"] == 2


def test_free_neighbours_are_joined(cutting, stream):
    memory = [cutting.allocate(512 * 1024, stream) for _ in range(4)]
    start = min(each.address for each in memory)
    assert cutting.stats()["segments"] == 1
    random.Random(0).shuffle(memory)
    while memory:
        memory.pop()
    whole = [cutting.allocate(SMALL, stream) for _ in range(2)]
    assert cutting.stats()["segments"] == 1
    assert sorted(each.address for each in whole) == [start, start + SMALL]


def test_a_neighbour_that_is_in_use_is_not_joined(cutting, stream):
    memory = [cutting.allocate(512 * 1024, stream) for _ in range(4)]
    memory.sort(key=lambda each: each.address)
    kept = memory[1]
    del memory
    joined = cutting.allocate(SMALL, stream)
    assert joined.address == kept.address + kept.nbytes
    assert cutting.stats()["segments"] == 1


def test_streams_do_not_share_a_segment(cutting, driver, stream):
    first, second = cutting.allocate(512, stream), cutting.allocate(512, Stream(driver))
    assert cutting.stats()["segments"] == 2
    assert abs(first.address - second.address) >= SMALL_SEGMENT


def test_large_requests_have_segments_of_their_own(cutting, driver, stream):
    memory = cutting.allocate(11 * MIB + 1, stream)
    assert memory.nbytes == 12 * MIB
    assert memory.nbytes % LARGE_GRAIN == 0
    assert cutting.stats()["cached"] == 0
    address = memory.address
    del memory
    small = cutting.allocate(1000, stream)  # does not split it
    assert cutting.allocate(12 * MIB, stream).address == address
    del small


def test_a_part_of_a_segment_in_use_keeps_it(cutting, driver, stream):
    free = driver.memory_info()[0]
    first, second = cutting.allocate(1000, stream), cutting.allocate(1000, stream)
    del first
    cutting.empty_cache()
    assert cutting.stats()["segments"] == 1
    del second
    cutting.empty_cache()
    assert driver.memory_info()[0] == free


def test_blocks_never_overlap(allocator, driver):
    """Requests and releases in any order, in two streams: each block lies apart from those in use."""
    draw = random.Random(1)
    streams = [default_stream(driver), Stream(driver)]
    held = []
    for _ in range(3000):
        if (held and draw.random() < 0.5) or len(held) > 40:
            held.pop(draw.randrange(len(held)))
        else:
            nbytes = draw.choice([draw.randrange(1, 5000), draw.randrange(1, 600_000)])
            held.append(allocator.allocate(nbytes, draw.choice(streams)))
            assert held[-1].nbytes >= nbytes
        ranges = sorted((each.address, each.address + each.nbytes) for each in held)
        assert all(before[1] <= after[0] for before, after in pairwise(ranges))
    assert allocator.stats()["allocated"] == sum(each.nbytes for each in held)
    held.clear()
    allocator.empty_cache()
    assert allocator.stats()["cached"] == 0


# ---------------------------------------------------------------------------------------------------------
# Out of memory.


def test_what_is_cached_is_given_back_before_a_request_fails(allocator, driver, stream):
    memory = allocator.allocate(40 * MIB, stream)
    del memory
    larger = allocator.allocate(50 * MIB, stream)  # does not fit beside the cached 40: there are 64
    assert larger.nbytes >= 50 * MIB
    assert allocator.stats()["segments"] == 1


def test_what_rests_is_waited_for_before_a_request_fails(allocator, driver, kernels, stream):
    other = Stream(driver)
    memory = allocator.allocate(40 * MIB, stream)
    kernels.add_number(memory.address, 1.0, 1, other.handle)
    memory.record_stream(other)
    del memory
    assert allocator.allocate(50 * MIB, stream).nbytes >= 50 * MIB
    assert other.query()


def test_memory_in_cycles_is_collected_before_a_request_fails(allocator, stream):
    class Knot:
        pass

    gc.disable()
    try:
        knot = Knot()
        knot.itself = knot
        knot.memory = allocator.allocate(40 * MIB, stream)
        del knot
        assert allocator.allocate(50 * MIB, stream).nbytes >= 50 * MIB
    finally:
        gc.enable()


def test_out_of_memory_says_what_was_asked_what_is_free_and_what_is_cached(allocator, stream):
    kept = allocator.allocate(20 * MIB, stream)
    with pytest.raises(OutOfMemoryError) as caught:
        allocator.allocate(100 * MIB + 5, stream)
    text = str(caught.value)
    assert text.startswith("cuda:0: out of memory. Tried to allocate 100.00 MiB (104857605 bytes). The ")
    assert "64.00 MiB (67108864 bytes), of which " in text
    assert "20.00 MiB (20971520 bytes) are allocated" in text
    assert "0 bytes cached by gnomon" in text
    assert kept.nbytes == 20 * MIB
    assert allocator.allocate(MIB, stream).nbytes >= MIB  # the allocator still works


def test_a_limit_holds(allocator, stream):
    allocator.set_limit(10 * MIB)
    kept = allocator.allocate(6 * MIB, stream)
    with pytest.raises(OutOfMemoryError, match=r"the limit is 10\.00 MiB"):
        allocator.allocate(5 * MIB, stream)
    assert allocator.stats()["allocated"] + allocator.stats()["cached"] <= 10 * MIB
    del kept
    assert allocator.allocate(9 * MIB, stream).nbytes >= 9 * MIB
    allocator.set_limit(None)
    assert allocator.allocate(30 * MIB, stream).nbytes >= 30 * MIB


def test_another_error_of_the_driver_is_not_taken_for_too_little_memory(
    allocator, driver, stream, monkeypatch
):
    calls = []

    def refuse(nbytes):
        calls.append(nbytes)
        raise CudaError("cuMemAlloc_v2: no", 201, "CUDA_ERROR_INVALID_CONTEXT")

    monkeypatch.setattr(driver, "allocate", refuse)
    with pytest.raises(CudaError, match="cuMemAlloc_v2: no"):
        allocator.allocate(30 * MIB, stream)
    assert len(calls) == 1


def test_after_a_kernel_that_failed_requests_say_so(allocator, driver, kernels, stream):
    kernels.write_beyond(driver.allocate(16), 4)
    with pytest.raises(CudaError):
        driver.synchronize()
    with pytest.raises(CudaError, match="ILLEGAL_ADDRESS"):
        allocator.allocate(30 * MIB, stream)


# ---------------------------------------------------------------------------------------------------------
# Graphs, threads, devices.


def test_the_memory_of_a_graph_is_nobody_elses(allocator, driver, kernels):
    stream = Stream(driver)
    pool = allocator.begin_pool(stream)
    driver.begin_capture(stream.handle)
    first = allocator.allocate(4, stream)
    address = first.address
    kernels.add_number(address, 1.0, 1, stream.handle)
    del first
    again = allocator.allocate(4, stream)  # reused within the graph
    assert again.address == address
    graph = driver.end_capture(stream.handle)
    allocator.end_pool(stream)
    del again
    assert allocator.allocate(4, stream).address != address
    allocator.empty_cache()
    assert allocator.stats()["segments"] == 1
    executable = driver.instantiate_graph(graph)
    driver.launch_graph(executable, stream.handle)  # its memory is still reserved
    stream.synchronize()
    assert allocator.begin_pool(stream, pool) == pool  # a second graph in the same memory
    assert allocator.allocate(4, stream).address == address
    with pytest.raises(RuntimeError, match="already being captured"):
        allocator.begin_pool(stream)
    allocator.end_pool(stream)


def test_the_memory_of_a_graph_that_is_gone_is_common(allocator, driver):
    stream = Stream(driver)
    pool = allocator.begin_pool(stream)
    kept, released = allocator.allocate(MIB, stream), allocator.allocate(MIB, stream)
    allocator.end_pool(stream)
    addresses = {kept.address, released.address}
    del released
    allocator.release_pool(pool)
    allocator.stats()
    del kept  # from the released pool
    again = [allocator.allocate(MIB, stream) for _ in range(2)]
    assert {each.address for each in again} == addresses
    del again
    allocator.empty_cache()
    assert allocator.stats()["segments"] == 0


def test_what_a_captured_stream_used_rests_until_the_capture_is_over(allocator, driver, kernels, stream):
    captured = Stream(driver)
    memory = allocator.allocate(4, stream)
    memory.record_stream(captured)
    address = memory.address
    allocator.begin_pool(captured)
    driver.begin_capture(captured.handle)
    kernels.add_number(address, 1.0, 1, captured.handle)
    del memory
    assert allocator.allocate(4, stream).address != address
    graph = driver.end_capture(captured.handle)  # an event would have become part of the graph
    allocator.end_pool(captured)
    assert allocator.stats()["allocated"] == 0  # now it waits for an event
    captured.synchronize()
    assert allocator.allocate(4, stream).address == address
    driver.destroy_graph(graph)


def test_nothing_is_given_back_during_a_capture(allocator, driver, stream):
    allocator.allocate(30 * MIB, stream)  # freed at once, and cached
    captured = Stream(driver)
    allocator.begin_pool(captured)
    driver.begin_capture(captured.handle)
    with pytest.raises(OutOfMemoryError, match=r"30\.00 MiB \(31457280 bytes\) cached"):
        allocator.allocate(40 * MIB, captured)  # to free cached memory, the driver would have to wait
    driver.destroy_graph(driver.end_capture(captured.handle))
    allocator.end_pool(captured)
    assert allocator.allocate(40 * MIB, captured).nbytes >= 40 * MIB


def test_memory_is_released_from_any_thread_and_by_the_garbage_collector(allocator, driver):
    """The blocks are in reference cycles, so the garbage collector releases them during other requests."""
    failures = []

    class Knot:
        pass

    def work(seed):
        try:
            driver.activate(0)
            draw, stream = random.Random(seed), default_stream(driver)
            for _ in range(400):
                knot = Knot()
                knot.itself = knot
                knot.memory = allocator.allocate(draw.randrange(1, 20_000), stream)
        except Exception as error:
            failures.append(error)

    before = gc.get_threshold()
    gc.set_threshold(20)
    try:
        join(*[start(work, seed) for seed in range(4)])
    finally:
        gc.set_threshold(*before)
    gc.collect()
    assert failures == []
    stats = allocator.stats()
    assert (stats["allocated"], stats["requests"]) == (0, 1600)


def test_each_device_has_its_own_memory(driver, kernels):
    allocator = Allocator(driver, 1)
    memory = allocator.allocate(8, default_stream(driver, 1))
    assert memory.index == 1
    assert driver.active_device() == 0
    driver.activate(1)
    put(driver, memory.address, [1.0, 2.0])
    assert get(driver, memory.address, 2) == [1.0, 2.0]


@pytest.mark.parametrize(
    "nbytes, text",
    [(0, "0 bytes"), (1023, "1023 bytes"), (1536, "1.50 KiB (1536 bytes)"), (3 << 40, "3.00 TiB")],
)
def test_numbers_of_bytes_are_said_in_a_unit_that_suits_them(nbytes, text):
    assert described(nbytes).startswith(text)


# ---------------------------------------------------------------------------------------------------------
# Pinned memory.


@pytest.fixture
def pool(driver):
    return PinnedPool(driver)


def test_pinned_memory_is_written_when_the_stream_gets_there(pool, driver, kernels):
    pinned = pool.allocate(8)
    assert pinned.view().nbytes == 8
    numbers = pinned.view().cast("f")
    numbers[0], numbers[1] = 1.0, 2.0
    address = driver.allocate(8)
    driver.copy_to_device(address, pinned.address, 8)
    numbers[1] = 5.0  # too early: the copy has not run yet
    kernels.add_number(address, 10.0, 2)
    driver.copy_to_host(pinned.address, address, 8)
    assert list(numbers) == [1.0, 5.0]
    driver.wait_for_stream()
    assert list(numbers) == [11.0, 15.0]


def test_pinned_memory_is_given_out_again(pool):
    first = pool.allocate(5000)
    address = first.address
    assert pool.stats() == {"allocated": 8192, "cached": 0}
    del first
    assert pool.stats() == {"allocated": 0, "cached": 8192}
    second = pool.allocate(8000)
    assert (second.address, second.nbytes) == (address, 8000)
    del second
    pool.empty_cache()
    assert pool.stats() == {"allocated": 0, "cached": 0}


def test_pinned_memory_of_a_copy_under_way_rests(pool, driver):
    stream, device = Stream(driver), driver.allocate(4096)
    pinned = pool.allocate(4096)
    address = pinned.address
    driver.copy_to_host(address, device, 4096, stream.handle)
    pinned.record_stream(stream)
    del pinned
    assert pool.allocate(4096).address != address
    stream.synchronize()
    held = [pool.allocate(4096) for _ in range(2)]
    assert address in [each.address for each in held]


def test_pinned_memory_that_is_not_to_be_had_says_so(pool, driver, monkeypatch):
    kept = pool.allocate(10)

    def refuse(nbytes):
        raise CudaError("no", 2, "CUDA_ERROR_OUT_OF_MEMORY")

    monkeypatch.setattr(driver, "allocate_host", refuse)
    with pytest.raises(OutOfMemoryError, match=r"Tried to allocate 97\.66 KiB .* 4\.00 KiB .* are allocated"):
        pool.allocate(100_000)
    del kept
    assert pool.stats()["allocated"] == 0


def test_pinned_memory_that_is_cached_makes_room(pool, driver, monkeypatch):
    small = pool.allocate(5000)
    del small
    allocate, free, freed = driver.allocate_host, driver.free_host, []

    def scarce(nbytes):
        if not freed:
            raise CudaError("no", 2, "CUDA_ERROR_OUT_OF_MEMORY")
        return allocate(nbytes)

    def give_back(address):
        freed.append(address)
        free(address)

    monkeypatch.setattr(driver, "allocate_host", scarce)
    monkeypatch.setattr(driver, "free_host", give_back)
    assert pool.allocate(100_000).nbytes == 100_000
    assert len(freed) == 1


def test_more_bytes_than_the_driver_can_be_asked_for_are_no_memory(allocator, stream):
    with pytest.raises(OutOfMemoryError, match=r"out of memory\. Tried to allocate"):
        allocator.allocate(2**65, stream)
