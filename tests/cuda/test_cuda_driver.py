"""The driver's functions, their errors, and the choice of the library, on the emulated GPU."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from cuda_emulation import Kernels, get, put
from gnomon.values.errors import BackendUnavailableError
from gnomon_cuda import driver as drivers
from gnomon_cuda import emulation
from gnomon_cuda.driver import Driver, load
from gnomon_cuda.errors import CudaError
from time_limits import LIMIT, exit_code, join, start


@pytest.fixture
def driver(cuda_driver):
    return cuda_driver


@pytest.fixture
def kernels(driver):
    return Kernels(driver)


@pytest.fixture(autouse=True)
def nothing_loaded(monkeypatch):
    """Forget all loaded libraries: each test opens its own."""
    monkeypatch.setattr(drivers, "_loaded", {})


def host_buffer(driver, nbytes):
    data = bytearray(nbytes)
    return data, driver.host_address(data)


def test_a_driver_tells_its_devices(driver):
    assert driver.emulated
    assert driver.device_count() == 2
    assert driver.architecture(0) == "sm_90"
    assert driver.attribute(1, "warp_size") == 32
    assert driver.attribute(0, "max_threads_per_block") == 1024
    assert driver.attribute(0, "multiprocessor_count") == 4
    assert driver.total_memory(1) == 64 << 20
    assert driver.device_name(0)
    assert driver.version() >= 12000


def test_bytes_come_back_from_the_device(driver):
    address, other = driver.allocate(256), driver.allocate(256)
    sent = bytes(range(256))
    driver.copy_to_device(address, driver.host_address(sent), 256)
    driver.copy_on_device(other, address + 16, 100)
    driver.fill_bytes(other + 100, 7, 156)
    received, place = host_buffer(driver, 256)
    driver.copy_to_host(place, other, 256)
    driver.synchronize()
    assert received == sent[16:116] + b"\7" * 156
    driver.free(address)
    driver.free(other)


def test_memory_is_counted(driver):
    free, total = driver.memory_info()
    address = driver.allocate(1 << 20)
    assert driver.memory_info()[0] <= free - (1 << 20)
    assert total == 64 << 20
    driver.free(address)
    assert driver.memory_info()[0] == free


def test_a_kernel_runs_with_its_parameters(driver, kernels):
    address = driver.allocate(4 * 100)
    put(driver, address, range(100))
    kernels.add_number(address, 0.5, 99)
    assert get(driver, address, 100) == [i + 0.5 for i in range(99)] + [99.0]


def test_a_launch_is_not_waited_for(driver, kernels):
    pinned = driver.allocate_host(4)
    view = driver.host_view(pinned, 4).cast("f")
    view[0] = -1.0
    address = driver.allocate(4)
    put(driver, address, [1.0])
    kernels.add_number(address, 2.0, 1)
    driver.copy_to_host(pinned, address, 4)
    assert view[0] == -1.0
    assert not driver.is_stream_done()
    driver.wait_for_stream()
    assert driver.is_stream_done()
    assert view[0] == 3.0
    driver.free_host(pinned)


def test_parameters_may_change_after_a_launch(driver, kernels):
    address = driver.allocate(4)
    put(driver, address, [0.0])
    packed, kept = kernels.parameters(("uintptr_t", address), ("float", 1.0), ("long long", 1))
    for number in (1.0, 10.0, 100.0):
        kept[1][0] = number
        driver.launch(kernels.functions["add_number"], (1, 1, 1), (1, 1, 1), 0, 0, packed)
    assert get(driver, address, 1) == [111.0]


def test_events_order_streams(driver, kernels):
    first, second, event = driver.create_stream(), driver.create_stream(), driver.create_event()
    address, other = driver.allocate(4), driver.allocate(4)
    put(driver, address, [1.0])
    kernels.add_number(address, 2.0, 1, first)
    driver.record_event(event, first)
    assert not driver.is_event_done(event)
    driver.stream_wait_event(second, event)
    driver.copy_on_device(other, address, 4, second)
    assert get(driver, other, 1, second) == [3.0]
    assert driver.is_event_done(event)
    driver.wait_for_event(event)
    driver.destroy_event(event)
    driver.destroy_stream(first)
    driver.destroy_stream(second)


def test_events_with_timing_tell_a_time(driver, kernels):
    start, end = driver.create_event(timing=True), driver.create_event(timing=True)
    address = driver.allocate(4)
    driver.record_event(start)
    kernels.add_number(address, 1.0, 1)
    driver.record_event(end)
    driver.wait_for_event(end)
    assert driver.elapsed_milliseconds(start, end) >= 0.0


def test_a_graph_is_noted_and_then_runs_whenever_it_is_asked_to(driver, kernels):
    stream = driver.create_stream()
    address = driver.allocate(4)
    put(driver, address, [1.0])
    driver.begin_capture(stream)
    assert driver.is_capturing(stream)
    kernels.add_number(address, 2.0, 1, stream)
    graph = driver.end_capture(stream)
    assert not driver.is_capturing(stream)
    assert get(driver, address, 1, stream) == [1.0]
    executable = driver.instantiate_graph(graph)
    driver.destroy_graph(graph)
    driver.launch_graph(executable, stream)
    driver.launch_graph(executable, stream)
    assert get(driver, address, 1, stream) == [5.0]
    driver.destroy_executable(executable)


def test_devices_have_memory_of_their_own(driver):
    first = driver.allocate(8)
    put(driver, first, [1.0, 2.0])
    driver.activate(1)
    assert driver.active_device() == 1
    second = driver.allocate(8)
    driver.copy_between_devices(second, 1, first, 0, 8)
    assert get(driver, second, 2) == [1.0, 2.0]
    assert driver.context(0) != driver.context(1)


def test_each_thread_has_its_own_current_device(driver):
    seen = []

    def look():
        seen.append(driver.active_device())
        driver.activate(1)
        seen.append(driver.active_device())
        driver.free(driver.allocate(16))

    join(start(look))
    assert seen == [-1, 1]
    assert driver.active_device() == 0


def test_what_a_kernel_needs_is_told(driver, kernels):
    function = kernels.functions["add_number"]
    assert driver.function_attribute(function, "max_threads_per_block") == 1024
    assert driver.function_attribute(function, "registers") > 0


# ---------------------------------------------------------------------------------------------------------
# Errors.


def test_an_error_has_the_function_the_name_and_the_number(driver):
    with pytest.raises(CudaError) as caught:
        driver.allocate(1 << 40)
    assert (caught.value.code, caught.value.name) == (2, "CUDA_ERROR_OUT_OF_MEMORY")
    assert str(caught.value).startswith("cuMemAlloc_v2: ")
    assert "(CUDA_ERROR_OUT_OF_MEMORY, 2)" in str(caught.value)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.code, again.name) == (str(caught.value), 2, "CUDA_ERROR_OUT_OF_MEMORY")


@pytest.mark.parametrize("grid, block", [((0, 1, 1), (1, 1, 1)), ((1, 1, 1), (1025, 1, 1))])
def test_a_wrong_launch_is_an_error_at_once(driver, kernels, grid, block):
    with pytest.raises(CudaError, match=r"cuLaunchKernel with grid .* and block ") as caught:
        driver.launch(kernels.functions["nothing"], grid, block, 0, 0, driver.ffi.NULL)
    assert caught.value.name == "CUDA_ERROR_INVALID_VALUE"
    driver.launch(kernels.functions["nothing"], (1, 1, 1), (1, 1, 1), 0, 0, driver.ffi.NULL)
    driver.synchronize()


def test_an_unknown_kernel_is_named(driver, kernels):
    with pytest.raises(CudaError, match=r"cuModuleGetFunction\(missing\)") as caught:
        driver.function(kernels.module, "missing")
    assert caught.value.code == 500


def test_bytes_that_are_no_image_are_refused(driver):
    with pytest.raises(CudaError):
        driver.load_module(b"no image at all" + bytes(64))


def test_a_copy_beyond_a_block_is_refused(driver):
    address = driver.allocate(16)
    data = bytes(32)
    with pytest.raises(CudaError) as caught:
        driver.copy_to_device(address, driver.host_address(data), 32)
    assert caught.value.name == "CUDA_ERROR_INVALID_VALUE"


def test_a_kernel_that_writes_beyond_its_memory_loses_the_context(driver, kernels):
    address = driver.allocate(16)
    kernels.write_beyond(address, 4, "fill_.Scalar")
    kernels.add_number(address, 1.0, 4, operator="add.Tensor")
    with pytest.raises(CudaError) as caught:
        driver.synchronize()
    text = str(caught.value)
    assert caught.value.name == "CUDA_ERROR_ILLEGAL_ADDRESS"
    assert "write_beyond" in text  # the emulated driver knows the kernel
    assert "the last operator launched was add.Tensor; this or an earlier operator caused" in text
    with pytest.raises(CudaError) as later:
        driver.allocate(16)
    assert str(later.value).startswith(
        "cuMemAlloc_v2: the context of cuda:0 is unusable after an earlier error: "
    )
    assert text in str(later.value)


def test_the_other_device_goes_on(driver, kernels):
    kernels.write_beyond(driver.allocate(16), 4)
    with pytest.raises(CudaError, match="ILLEGAL_ADDRESS"):
        driver.synchronize()
    driver.activate(1)
    address = driver.allocate(8)
    put(driver, address, [1.0, 2.0])
    assert get(driver, address, 2) == [1.0, 2.0]
    Kernels(driver).write_beyond(address, 2, "exp")
    with pytest.raises(CudaError, match="the last operator launched was exp"):  # its own error
        driver.synchronize()
    with pytest.raises(CudaError, match="the context of cuda:1 is unusable"):
        driver.synchronize()


def test_blocking_names_the_operator(emulated_cuda, monkeypatch):
    monkeypatch.setenv("GNOMON_CUDA_BLOCKING", "1")
    driver = drivers.open_emulation()
    driver.activate(0)
    kernels = Kernels(driver)
    address = driver.allocate(16)
    kernels.add_number(address, 1.0, 4, operator="add.Tensor")
    with pytest.raises(CudaError, match=r"caused by operator fill_\.Scalar"):
        kernels.write_beyond(address, 4, "fill_.Scalar")


def test_blocking_does_not_disturb_a_capture(emulated_cuda, monkeypatch):
    monkeypatch.setenv("GNOMON_CUDA_BLOCKING", "1")
    driver = drivers.open_emulation()
    driver.activate(0)
    kernels, stream, address = Kernels(driver), driver.create_stream(), driver.allocate(4)
    put(driver, address, [1.0])
    driver.begin_capture(stream)
    kernels.add_number(address, 2.0, 1, stream)
    executable = driver.instantiate_graph(driver.end_capture(stream))
    driver.launch_graph(executable, stream)
    assert get(driver, address, 1, stream) == [3.0]


# ---------------------------------------------------------------------------------------------------------
# Which library.


def test_importing_opens_nothing():
    program = (
        "import importlib, pkgutil, gnomon_cuda\n"
        "for each in pkgutil.iter_modules(gnomon_cuda.__path__, 'gnomon_cuda.'):\n"
        "    importlib.import_module(each.name)\n"
        "maps = open('/proc/self/maps').read()\n"
        "assert 'libcuda' not in maps and 'nvrtc' not in maps and 'emulated' not in maps\n"
        "print('quiet', gnomon_cuda.driver._loaded)\n"
    )
    root = Path(__file__).parents[2]
    paths = os.pathsep.join(["backends", "reference", os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": paths, "GNOMON_CUDA_EMULATE": "1"}
    ran = subprocess.run(
        [sys.executable, "-c", program],
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        timeout=LIMIT,
    )
    assert (ran.stdout, ran.stderr) == ("quiet {}\n", "")


def test_load_opens_the_emulation_where_it_is_asked_to(emulated_cuda):
    first = load()
    assert first.emulated
    assert load() is first


def test_a_machine_without_a_driver_says_so(monkeypatch):
    monkeypatch.setattr(drivers, "LIBRARY", "libgnomon_is_not_there.so.1")
    with pytest.raises(
        BackendUnavailableError, match=r"libgnomon_is_not_there\.so\.1.*is a driver installed"
    ):
        Driver()


def test_load_says_the_same_reason_again_without_looking(monkeypatch):
    calls = []

    def refuse():
        calls.append(1)
        raise BackendUnavailableError("the CUDA driver found no usable GPU")

    monkeypatch.setenv("GNOMON_CUDA_EMULATE", "0")
    monkeypatch.setattr(drivers, "Driver", refuse)
    for _ in range(2):
        with pytest.raises(BackendUnavailableError, match="the CUDA driver found no usable GPU"):
            load()
    assert len(calls) == 1


def test_a_library_that_is_no_driver_is_said_to_be_none():
    with pytest.raises(BackendUnavailableError, match=r"cannot be loaded.*cuLaunchKernel"):
        Driver("libm.so.6")


def test_a_machine_without_a_gpu_says_so(emulated_cuda, monkeypatch):
    monkeypatch.setenv("GNOMON_CUDA_EMULATED_DEVICES", "0")
    with pytest.raises(BackendUnavailableError, match="the CUDA driver found no usable GPU"):
        drivers.open_emulation()


def test_the_emulation_without_a_compiler_says_so(emulated_cuda, monkeypatch):
    monkeypatch.setenv("CXX", "/nowhere/c++")
    with pytest.raises(BackendUnavailableError, match=r"requires a C\+\+ compiler"):
        load()


def test_an_emulation_that_does_not_compile_says_so(emulated_cuda, monkeypatch, tmp_path):
    (tmp_path / "emulation").mkdir()
    (tmp_path / "emulation" / "driver.cpp").write_text("int wrong = missing;\n")
    monkeypatch.setattr(emulation.sources, "folder", lambda: tmp_path)
    with pytest.raises(BackendUnavailableError, match=r"(?s)cannot be compiled.*driver\.cpp:1:.*missing"):
        load()


def test_the_emulation_is_compiled_once(emulated_cuda, monkeypatch, tmp_path):
    (tmp_path / "emulation").mkdir()
    text = tmp_path / "emulation" / "driver.cpp"
    text.write_text('#include "other.h"\nint one = OTHER;\n')
    (tmp_path / "emulation" / "other.h").write_text("#define OTHER 1\n")
    monkeypatch.setattr(emulation.sources, "folder", lambda: tmp_path)
    kept = emulation.ImageCache(tmp_path / "kept")
    first, second = emulation.build(kept), emulation.build(kept)
    assert (kept.misses, kept.hits) == (1, 1)
    assert first != second and first.read_bytes() == second.read_bytes()
    (tmp_path / "emulation" / "other.h").write_text("#define OTHER 2\n")
    assert emulation.build(kept).read_bytes() != first.read_bytes()
    assert (kept.misses, kept.hits) == (2, 1)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_child_of_fork_is_told_that_cuda_does_not_work_there(driver):
    read, write = os.pipe()
    child = os.fork()
    if not child:
        try:
            driver.activate(0)
            said = "nothing"
        except RuntimeError as error:
            said = str(error)
        os.write(write, said.encode())
        os._exit(0)
    os.close(write)
    assert exit_code(child) == 0
    with os.fdopen(read) as pipe:
        assert "Cannot re-initialize CUDA in forked subprocess" in pipe.read()
    driver.free(driver.allocate(4))
