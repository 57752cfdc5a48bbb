"""Streams and events: order, the current stream, and the reuse of handles."""

from __future__ import annotations

import gc
import threading

import pytest

from cuda_emulation import Kernels, get, put
from gnomon_cuda.streams import Event, Stream, current_stream, default_stream, on_device, set_stream
from time_limits import LIMIT, join, start


@pytest.fixture
def driver(cuda_driver):
    return cuda_driver


@pytest.fixture
def kernels(driver):
    return Kernels(driver)


def test_a_stream_does_its_work_in_order_and_when_it_is_waited_for(driver, kernels):
    stream = Stream(driver)
    address = driver.allocate(4)
    put(driver, address, [1.0])
    assert stream.query()
    kernels.add_number(address, 1.0, 1, stream.handle)
    assert not stream.query()
    stream.synchronize()
    assert stream.query()
    assert get(driver, address, 1, stream.handle) == [2.0]


def test_an_event_makes_one_stream_wait_for_another(driver, kernels):
    first, second = Stream(driver), Stream(driver)
    address, other = driver.allocate(4), driver.allocate(4)
    put(driver, address, [1.0])
    kernels.add_number(address, 2.0, 1, first.handle)
    event = first.record_event()
    kernels.add_number(address, 10.0, 1, first.handle)  # not waited for
    second.wait_event(event)
    driver.copy_on_device(other, address, 4, second.handle)
    assert get(driver, other, 1, second.handle) == [3.0]


def test_a_stream_waits_for_all_that_is_in_another(driver, kernels):
    first, second = Stream(driver), Stream(driver)
    address, other = driver.allocate(4), driver.allocate(4)
    put(driver, address, [1.0])
    for _ in range(3):
        kernels.add_number(address, 2.0, 1, first.handle)
    second.wait_stream(first)
    driver.copy_on_device(other, address, 4, second.handle)
    assert get(driver, other, 1, second.handle) == [7.0]


def test_an_event_that_recorded_nothing_is_done(driver):
    event = Event(driver)
    assert event.query()
    event.synchronize()
    Stream(driver).wait_event(event)


def test_an_event_is_done_when_its_work_is(driver, kernels):
    stream, event = Stream(driver), Event(driver)
    address = driver.allocate(4)
    kernels.add_number(address, 1.0, 1, stream.handle)
    event.record(stream)
    assert not event.query()
    event.synchronize()
    assert event.query()


def test_an_event_records_anew(driver, kernels):
    stream, event = Stream(driver), Event(driver)
    address = driver.allocate(4)
    event.record(stream)
    event.synchronize()
    handle = event.handle
    kernels.add_number(address, 1.0, 1, stream.handle)
    event.record(stream)
    assert event.handle == handle
    assert not event.query()


def test_events_tell_times_only_if_they_were_made_to(driver, kernels):
    start, end = Event(driver, enable_timing=True), Event(driver, enable_timing=True)
    with pytest.raises(RuntimeError, match="Both events must be recorded"):
        start.elapsed_time(end)
    start.record()
    end.record()
    end.synchronize()
    assert start.elapsed_time(end) >= 0.0
    plain = Event(driver)
    plain.record()
    with pytest.raises(RuntimeError, match="enable_timing=True"):
        start.elapsed_time(plain)


def test_an_event_stays_with_its_device(driver):
    event = Event(driver)
    event.record(default_stream(driver, 0))
    with pytest.raises(RuntimeError, match="the event is on cuda:0, but the stream is on cuda:1"):
        event.record(default_stream(driver, 1))


def test_a_stream_of_one_device_waits_for_an_event_of_another(driver, kernels):
    stream = Stream(driver, 1)
    with on_device(driver, 1):
        target = driver.allocate(4)
    address = driver.allocate(4)
    put(driver, address, [1.0])
    kernels.add_number(address, 2.0, 1)
    stream.wait_event(default_stream(driver, 0).record_event())
    with on_device(driver, 1):
        driver.copy_between_devices(target, 1, address, 0, 4, stream.handle)
        assert get(driver, target, 1, stream.handle) == [3.0]


def test_the_default_stream_is_current_until_another_is(driver):
    assert current_stream(driver) is default_stream(driver)
    assert current_stream(driver).handle == 0
    stream = Stream(driver)
    with stream as entered:
        assert entered is stream
        assert current_stream(driver) is stream
        assert current_stream(driver, 1) is default_stream(driver, 1)
        inner = Stream(driver)
        with inner:
            assert current_stream(driver) is inner
            with stream:
                assert current_stream(driver) is stream
            assert current_stream(driver) is inner
        assert current_stream(driver) is stream
    assert current_stream(driver) is default_stream(driver)


def test_leaving_by_an_error_restores_the_stream(driver):
    with pytest.raises(KeyError):
        with Stream(driver):
            raise KeyError
    assert current_stream(driver) is default_stream(driver)


def test_streams_of_two_devices_are_current_at_once(driver):
    first, second = Stream(driver, 0), Stream(driver, 1)
    with first, second:
        assert (current_stream(driver, 0), current_stream(driver, 1)) == (first, second)
    assert current_stream(driver, 1) is default_stream(driver, 1)


def test_each_thread_has_its_own_current_stream(driver):
    stream, seen = Stream(driver), []
    entered, left = (threading.Barrier(2, timeout=LIMIT) for _ in range(2))

    def work():
        seen.append(current_stream(driver))
        with stream:
            entered.wait()
            left.wait()
            seen.append(current_stream(driver))
        seen.append(current_stream(driver))

    thread = start(work)
    other = Stream(driver)
    with other:
        entered.wait()
        with stream:  # both threads have it as current
            pass
        assert current_stream(driver) is other
        left.wait()
        join(thread)
    assert seen == [default_stream(driver), stream, default_stream(driver)]


def test_set_stream_holds_until_the_next(driver):
    stream = Stream(driver)
    set_stream(stream)
    assert current_stream(driver) is stream
    set_stream(default_stream(driver))
    assert current_stream(driver) is default_stream(driver)


def test_handles_are_lent_again(driver):
    stream = Stream(driver)
    handle = stream.handle
    del stream
    gc.collect()
    assert Stream(driver, 1).handle != handle  # from another device
    again = Stream(driver)
    assert again.handle == handle
    assert Stream(driver).handle != handle  # ``again`` uses it
    event = Event(driver)
    event.record(again)
    handle = event.handle
    del event
    timed, plain = Event(driver, enable_timing=True), Event(driver)
    timed.record(again)
    plain.record(again)
    assert (timed.handle == handle, plain.handle == handle) == (False, True)
    handle = timed.handle
    del timed
    fresh = Event(driver)
    fresh.record(again)
    assert fresh.handle != handle


def test_streams_of_the_same_handle_are_equal(driver):
    stream = Stream(driver)
    same = Stream(driver, 0, stream.handle)
    assert stream == same and hash(stream) == hash(same)
    assert stream != default_stream(driver)
    assert default_stream(driver, 0) != default_stream(driver, 1)
    handle = stream.handle
    del same  # it does not own the handle
    assert Stream(driver).handle != handle


def test_work_leaves_the_current_device_as_it_was(driver):
    Stream(driver, 1).synchronize()
    assert driver.active_device() == 0
    with on_device(driver, 1):
        assert driver.active_device() == 1
    assert driver.active_device() == 0
