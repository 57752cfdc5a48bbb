"""The emulated GPU: its driver, and that it detects each fault that a GPU would punish or hide.

The driver is opened like the real one, by its own names; the kernels are those of emulation_kernels.cu, once
compiled plainly and once with every access checked.
"""

import itertools
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cffi
import numpy
import pytest

from time_limits import LIMIT, LONG_LIMIT, exit_code

ROOT = Path(__file__).resolve().parents[2]
EMULATION = ROOT / "csrc" / "emulation"
# These are separate libraries.
DRIVER_SOURCES = sorted(path for path in EMULATION.glob("*.cpp") if path.name not in ("blas.cpp", "nccl.cpp"))
KERNELS = Path(__file__).with_name("emulation_kernels.cu")
COMPILER = os.environ.get("CXX", "c++")
# The sanitizer's instrumentation without its library: emulation.h has the functions that it calls.
CHECKED = ["-fsanitize=thread", "-nodefaultlibs", "-lstdc++", "-lm", "-lgcc_s", "-lgcc", "-lc"]

pytestmark = pytest.mark.skipif(shutil.which(COMPILER) is None, reason="there is no C++ compiler")

INVALID_VALUE, OUT_OF_MEMORY, NOT_INITIALIZED, INVALID_DEVICE = 1, 2, 3, 101
INVALID_IMAGE, INVALID_CONTEXT, NO_BINARY_FOR_GPU, INVALID_HANDLE = 200, 201, 209, 400
ILLEGAL_STATE, NOT_FOUND, NOT_READY, ILLEGAL_ADDRESS = 401, 500, 600, 700
MISALIGNED_ADDRESS, LAUNCH_FAILED = 716, 719
CAPTURE_UNSUPPORTED, CAPTURE_INVALIDATED, CAPTURE_MERGE, CAPTURE_UNMATCHED = 900, 901, 902, 903
CAPTURE_UNJOINED, CAPTURE_ISOLATION, CAPTURE_IMPLICIT, CAPTURED_EVENT = 904, 905, 906, 907

DECLARATIONS = """
typedef unsigned long long Address;
int cuInit(unsigned); int cuDriverGetVersion(int *); int cuDeviceGetCount(int *); int cuDeviceGet(int *, int);
int cuDeviceGetName(char *, int, int); int cuDeviceTotalMem_v2(size_t *, int);
int cuDeviceGetAttribute(int *, int, int); int cuDeviceCanAccessPeer(int *, int, int);
int cuDevicePrimaryCtxRetain(void **, int); int cuDevicePrimaryCtxRelease_v2(int);
int cuCtxSetCurrent(void *); int cuCtxGetCurrent(void **); int cuCtxSynchronize(void);
int cuMemGetInfo_v2(size_t *, size_t *); int cuMemAlloc_v2(Address *, size_t); int cuMemFree_v2(Address);
int cuMemHostAlloc(void **, size_t, unsigned); int cuMemFreeHost(void *);
int cuMemcpyHtoDAsync_v2(Address, const void *, size_t, void *);
int cuMemcpyDtoHAsync_v2(void *, Address, size_t, void *);
int cuMemcpyDtoDAsync_v2(Address, Address, size_t, void *);
int cuMemcpyPeerAsync(Address, void *, Address, void *, size_t, void *);
int cuMemsetD8Async(Address, unsigned char, size_t, void *);
int cuStreamCreate(void **, unsigned); int cuStreamDestroy_v2(void *); int cuStreamSynchronize(void *);
int cuStreamQuery(void *); int cuStreamWaitEvent(void *, void *, unsigned);
int cuEventCreate(void **, unsigned); int cuEventDestroy_v2(void *); int cuEventRecord(void *, void *);
int cuEventQuery(void *); int cuEventSynchronize(void *); int cuEventElapsedTime(float *, void *, void *);
int cuModuleLoadData(void **, const void *); int cuModuleUnload(void *);
int cuModuleGetFunction(void **, void *, const char *); int cuFuncGetAttribute(int *, int, void *);
int cuFuncSetAttribute(void *, int, int);
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,
                   void **, void **);
int cuStreamBeginCapture_v2(void *, int); int cuStreamEndCapture(void *, void **);
int cuStreamIsCapturing(void *, int *); int cuGraphInstantiateWithFlags(void **, void *, unsigned long long);
int cuGraphLaunch(void *, void *); int cuGraphDestroy(void *); int cuGraphExecDestroy(void *);
int cuGetErrorName(int, const char **); int cuGetErrorString(int, const char **);
const char *gn_emulation_problem(void); long long gn_emulation_count(const char *);
void gn_emulation_reset(void);
"""
ffi = cffi.FFI()
ffi.cdef(DECLARATIONS)
NULL = ffi.NULL


class DriverError(Exception):
    """A nonzero status."""

    def __init__(self, code: int, problem: str):
        super().__init__(f"{code}: {problem}")
        self.code = code
        self.problem = problem


class Gpu:
    """The driver with a context on each device; device 0's is current."""

    def __init__(self, library: Any, image: bytes):
        self.library = library
        self.image = image
        self.call("cuInit", 0)
        self.contexts = [self.made("cuDevicePrimaryCtxRetain", "void **", i) for i in range(self.devices())]
        self.use(0)
        self.module: Any = None

    def status(self, name: str, *arguments: Any) -> int:
        """The status that the driver's function of that name returns."""
        return getattr(self.library, name)(*arguments)

    def problem(self) -> str:
        """The emulation's description of the error."""
        return ffi.string(self.library.gn_emulation_problem()).decode()

    def call(self, name: str, *arguments: Any) -> None:
        """Call a function, which has to succeed."""
        code = self.status(name, *arguments)
        if code:
            raise DriverError(code, self.problem())

    def made(self, name: str, pointer: str, *arguments: Any) -> Any:
        """The value that a function writes to its first argument."""
        place = ffi.new(pointer)
        self.call(name, place, *arguments)
        return place[0]

    def devices(self) -> int:
        """The number of devices."""
        return self.made("cuDeviceGetCount", "int *")

    def use(self, device: int) -> None:
        """Make the device's context current."""
        self.call("cuCtxSetCurrent", self.contexts[device])

    def count(self, what: str) -> int:
        """How often the driver did ``what``."""
        return self.library.gn_emulation_count(what.encode())

    def allocate(self, nbytes: int) -> int:
        """The address of new memory on the current device."""
        return self.made("cuMemAlloc_v2", "Address *", nbytes)

    def put(self, array: numpy.ndarray, stream: Any = NULL) -> int:
        """The address of a new block with the array's numbers."""
        address = self.allocate(array.nbytes)
        self.call("cuMemcpyHtoDAsync_v2", address, ffi.from_buffer(array), array.nbytes, stream)
        return address

    def get(self, address: int, shape: Any, dtype: Any, stream: Any = NULL) -> numpy.ndarray:
        """The numbers at an address, after the stream's work."""
        array = numpy.empty(shape, dtype)
        self.call("cuMemcpyDtoHAsync_v2", ffi.from_buffer(array), address, array.nbytes, stream)
        return array

    def pinned(self, shape: int, dtype: Any) -> numpy.ndarray:
        """Pinned memory of the host, as an array."""
        nbytes = shape * numpy.dtype(dtype).itemsize
        host = self.made("cuMemHostAlloc", "void **", nbytes, 0)
        return numpy.frombuffer(ffi.buffer(host, nbytes), dtype)

    def function(self, name: str) -> Any:
        """A kernel of emulation_kernels.cu."""
        if self.module is None:
            self.module = self.made("cuModuleLoadData", "void **", ffi.from_buffer(self.image))
        return self.made("cuModuleGetFunction", "void **", self.module, name.encode())

    def launch(
        self,
        name: str,
        parameters: Sequence[tuple[str, Any]] = (),
        grid: tuple[int, int, int] = (1, 1, 1),
        block: tuple[int, int, int] = (1, 1, 1),
        shared: int = 0,
        stream: Any = NULL,
    ) -> int:
        """Launch a kernel; return the status."""
        values = [ffi.new(kind + " *", value) for kind, value in parameters]
        pointers = ffi.new("void *[]", [ffi.cast("void *", value) for value in values])
        return self.status(
            "cuLaunchKernel", self.function(name), *grid, *block, shared, stream, pointers, NULL
        )

    def stream(self, flags: int = 1) -> Any:
        """A stream that does not wait for the legacy one."""
        return self.made("cuStreamCreate", "void **", flags)

    def event(self, flags: int = 0) -> Any:
        """An event."""
        return self.made("cuEventCreate", "void **", flags)

    def fill(self, address: int, numbers: int, value: float, stream: Any = NULL) -> None:
        """Launch a kernel that fills memory with a float32."""
        parameters = [("Address", address), ("long long", numbers), ("float", value)]
        assert self.launch("fill_float", parameters, ((numbers + 63) // 64, 1, 1), (64, 1, 1), 0, stream) == 0

    def fails(self, code: int, *words: str) -> str:
        """Check that the context fails with this code, now and in all later calls; return the description."""
        assert self.status("cuCtxSynchronize") == code, self.problem()
        problem = self.problem()
        for word in words:
            assert word in problem
        assert self.status("cuCtxSynchronize") == code
        assert self.status("cuMemAlloc_v2", ffi.new("Address *"), 16) == code
        assert self.status("cuStreamQuery", NULL) == code
        assert self.launch_again() == code
        assert self.problem() == problem
        return problem

    def launch_again(self) -> int:
        """The status of a launch without a function."""
        return self.status("cuLaunchKernel", NULL, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL)


def build(target: Path, *arguments: Any) -> Path:
    """Compile a shared library."""
    command = [COMPILER, "-std=c++20", "-O1", "-fwrapv", "-fPIC", "-shared", "-Wall", "-Wextra", "-Werror"]
    command += [f"-I{EMULATION}", "-o", str(target), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=LONG_LIMIT)
    assert done.returncode == 0, done.stderr
    return target


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The driver."""
    sources = DRIVER_SOURCES
    return ffi.dlopen(str(build(tmp_path_factory.mktemp("emulation") / "driver.so", *sources, "-ldl")))


@pytest.fixture(scope="session")
def images(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The kernels, compiled plainly and with checks."""
    folder = tmp_path_factory.mktemp("kernels")
    plain = build(folder / "plain.so", "-x", "c++", KERNELS)
    checked = build(folder / "checked.so", "-x", "c++", KERNELS, *CHECKED)
    return {"plain": plain.read_bytes(), "checked": checked.read_bytes()}


def new_gpu(monkeypatch: Any, library: Any, image: bytes, devices: int = 1, memory: int = 1 << 26) -> Gpu:
    """A driver without any state of earlier tests."""
    library.gn_emulation_reset()
    monkeypatch.setenv("GNOMON_CUDA_EMULATED_DEVICES", str(devices))
    monkeypatch.setenv("GNOMON_CUDA_EMULATED_MEMORY", str(memory))
    return Gpu(library, image)


@pytest.fixture(params=["plain", "checked"])
def gpu(request: Any, monkeypatch: Any, library: Any, images: dict[str, bytes]) -> Gpu:
    """One device; with plain kernels, and again with all their accesses checked."""
    return new_gpu(monkeypatch, library, images[request.param])


@pytest.fixture
def plain(monkeypatch: Any, library: Any, images: dict[str, bytes]) -> Gpu:
    """One device, for tests that are not about a kernel's accesses."""
    return new_gpu(monkeypatch, library, images["plain"])


@pytest.fixture
def checked(monkeypatch: Any, library: Any, images: dict[str, bytes]) -> Gpu:
    """One device; every access of a kernel is checked."""
    return new_gpu(monkeypatch, library, images["checked"])


@pytest.fixture
def two(monkeypatch: Any, library: Any, images: dict[str, bytes]) -> Gpu:
    """Two devices."""
    return new_gpu(monkeypatch, library, images["plain"], 2)


# ---- devices, contexts, errors ---------------------------------------------------------------------------


def test_nothing_works_before_cuInit(library, monkeypatch):
    library.gn_emulation_reset()
    assert library.cuDeviceGetCount(ffi.new("int *")) == NOT_INITIALIZED
    assert library.cuCtxSynchronize() == NOT_INITIALIZED
    assert library.cuInit(1) == INVALID_VALUE
    monkeypatch.setenv("GNOMON_CUDA_EMULATED_DEVICES", "0")
    assert library.cuInit(0) == 100  # CUDA_ERROR_NO_DEVICE


def test_devices_and_their_facts(two):
    assert two.devices() == 2
    assert two.made("cuDeviceGet", "int *", 1) == 1
    assert two.status("cuDeviceGet", ffi.new("int *"), 2) == INVALID_DEVICE
    assert two.made("cuDriverGetVersion", "int *") >= 12000
    name = ffi.new("char[64]")
    two.call("cuDeviceGetName", name, 64, 1)
    assert b"emulated" in ffi.string(name)
    two.call("cuDeviceGetName", name, 5, 1)
    assert len(ffi.string(name)) == 4
    assert two.made("cuDeviceTotalMem_v2", "size_t *", 0) == 1 << 26
    facts = {1: 1024, 7: 65535, 8: 49152, 10: 32, 16: 4, 75: 9, 76: 0, 97: 232448}
    for attribute, value in facts.items():
        assert two.made("cuDeviceGetAttribute", "int *", attribute, 0) == value
    assert two.status("cuDeviceGetAttribute", ffi.new("int *"), 999, 0) == INVALID_VALUE
    assert two.made("cuDeviceCanAccessPeer", "int *", 0, 1) == 0


def test_the_current_context_is_needed_and_whole(two):
    assert two.made("cuCtxGetCurrent", "void **") == two.contexts[0]
    two.call("cuCtxSetCurrent", NULL)
    assert two.status("cuMemAlloc_v2", ffi.new("Address *"), 16) == INVALID_CONTEXT
    assert two.status("cuCtxSetCurrent", ffi.cast("void *", 4096)) == INVALID_CONTEXT
    two.use(1)
    two.allocate(1000)
    two.call("cuDevicePrimaryCtxRelease_v2", 1)
    assert two.status("cuCtxSynchronize") == INVALID_CONTEXT
    assert two.status("cuDevicePrimaryCtxRelease_v2", 1) == INVALID_CONTEXT
    assert two.made("cuDevicePrimaryCtxRetain", "void **", 1) == two.contexts[1]
    free, total = ffi.new("size_t *"), ffi.new("size_t *")
    two.call("cuMemGetInfo_v2", free, total)
    assert free[0] == total[0] == 1 << 26


def test_errors_have_names_and_texts(plain):
    text = ffi.new("const char **")
    for code, name in ((700, b"CUDA_ERROR_ILLEGAL_ADDRESS"), (0, b"CUDA_SUCCESS")):
        plain.call("cuGetErrorName", code, text)
        assert ffi.string(text[0]) == name
    plain.call("cuGetErrorString", OUT_OF_MEMORY, text)
    assert b"memory" in ffi.string(text[0])
    assert plain.status("cuGetErrorName", 123456, ffi.new("const char **")) == INVALID_VALUE


def test_a_child_can_not_use_what_its_parent_opened(plain):
    child = os.fork()
    if child == 0:
        os._exit(plain.status("cuCtxSynchronize"))
    assert exit_code(child) == NOT_INITIALIZED
    plain.call("cuCtxSynchronize")


# ---- memory ----------------------------------------------------------------------------------------------


def test_memory_is_counted_and_runs_out(plain):
    free, total = ffi.new("size_t *"), ffi.new("size_t *")
    first = plain.allocate(1 << 25)
    plain.call("cuMemGetInfo_v2", free, total)
    assert (free[0], total[0]) == (1 << 25, 1 << 26)
    assert plain.status("cuMemAlloc_v2", ffi.new("Address *"), (1 << 25) + 1) == OUT_OF_MEMORY
    assert plain.status("cuMemAlloc_v2", ffi.new("Address *"), 1 << 62) == OUT_OF_MEMORY
    second = plain.allocate(1 << 25)
    assert plain.status("cuMemAlloc_v2", ffi.new("Address *"), 1) == OUT_OF_MEMORY
    plain.call("cuCtxSynchronize")  # not a sticky error
    plain.call("cuMemFree_v2", first)
    plain.call("cuMemFree_v2", second)
    plain.call("cuMemGetInfo_v2", free, total)
    assert free[0] == 1 << 26
    assert plain.status("cuMemFree_v2", first) == INVALID_VALUE
    assert plain.status("cuMemAlloc_v2", ffi.new("Address *"), 0) == INVALID_VALUE


def test_blocks_do_not_overlap_and_hold_junk_at_first(plain):
    rng = numpy.random.default_rng(1)
    blocks: dict[int, tuple[int, int]] = {}
    for turn in range(400):
        if blocks and rng.random() < 0.45:
            address = list(blocks)[int(rng.integers(len(blocks)))]
            size, byte = blocks.pop(address)
            assert (plain.get(address, size, numpy.uint8) == byte).all()
            plain.call("cuMemFree_v2", address)
        else:
            size = int(rng.integers(1, 3000))
            address = plain.allocate(size)
            assert address % 256 == 0
            assert (plain.get(address, size, numpy.uint8) == 0xA5).all()
            plain.call("cuMemsetD8Async", address, turn % 251, size, NULL)
            blocks[address] = size, turn % 251
    spans = sorted((address, address + size) for address, (size, _) in blocks.items())
    assert all(before[1] < after[0] for before, after in itertools.pairwise(spans))


def test_copies_beyond_a_block_are_refused(plain):
    block = plain.allocate(100)
    host = ffi.new("char[]", 200)
    for address, size in ((block, 101), (block + 1, 100), (block - 1, 4), (block + 5000, 1), (16, 1)):
        assert plain.status("cuMemcpyHtoDAsync_v2", address, host, size, NULL) == INVALID_VALUE
        assert plain.status("cuMemcpyDtoHAsync_v2", host, address, size, NULL) == INVALID_VALUE
        assert plain.status("cuMemcpyDtoDAsync_v2", address, block, size, NULL) == INVALID_VALUE
        assert plain.status("cuMemcpyDtoDAsync_v2", block, address, size, NULL) == INVALID_VALUE
        assert plain.status("cuMemsetD8Async", address, 0, size, NULL) == INVALID_VALUE
    plain.call("cuMemcpyHtoDAsync_v2", block + 40, host, 60, NULL)
    plain.call("cuMemcpyHtoDAsync_v2", block + 100, host, 0, NULL)
    # A device address is not a host address.
    assert plain.status("cuMemcpyHtoDAsync_v2", block, ffi.cast("void *", block), 4, NULL) == INVALID_VALUE
    plain.call("cuCtxSynchronize")


def test_copies_move_the_bytes_asked_for(plain):
    numbers = numpy.arange(100, dtype=numpy.uint8)
    block = plain.put(numbers)
    other = plain.put(numpy.zeros(100, numpy.uint8))
    plain.call("cuMemcpyDtoDAsync_v2", other + 10, block + 50, 20, NULL)
    plain.call("cuMemsetD8Async", other + 90, 7, 10, NULL)
    expected = numpy.zeros(100, numpy.uint8)
    expected[10:30] = numbers[50:70]
    expected[90:] = 7
    numpy.testing.assert_array_equal(plain.get(other, 100, numpy.uint8), expected)


# ---- asynchrony ------------------------------------------------------------------------------------------


def test_pageable_memory_is_read_at_once_and_pinned_memory_when_the_copy_runs(plain):
    stream = plain.stream()
    pageable = numpy.full(4, 1, numpy.float32)
    pinned = plain.pinned(4, numpy.float32)
    pinned[:] = 1
    blocks = [plain.put(pageable, stream), plain.put(pinned, stream)]
    pageable[:] = 2
    pinned[:] = 2
    assert (plain.get(blocks[0], 4, numpy.float32, stream) == 1).all()
    assert (plain.get(blocks[1], 4, numpy.float32, stream) == 2).all()


def test_a_host_that_does_not_wait_reads_old_bytes(plain):
    stream = plain.stream()
    pinned = plain.pinned(8, numpy.float32)
    pinned[:] = -1
    block = plain.allocate(32)
    plain.fill(block, 8, 3, stream)
    plain.call("cuMemcpyDtoHAsync_v2", ffi.from_buffer(pinned), block, 32, stream)
    assert (pinned == -1).all()
    plain.call("cuStreamSynchronize", stream)
    assert (pinned == 3).all()


def test_another_stream_that_does_not_wait_reads_old_bytes(plain):
    one, other = plain.stream(), plain.stream()
    block = plain.put(numpy.full(8, -1, numpy.float32), one)
    plain.call("cuStreamSynchronize", one)
    plain.fill(block, 8, 3, one)
    assert (plain.get(block, 8, numpy.float32, other) == -1).all()
    event = plain.event()
    plain.call("cuEventRecord", event, one)
    plain.fill(block, 8, 4, one)  # after the record: not waited for
    plain.call("cuStreamWaitEvent", other, event, 0)
    assert (plain.get(block, 8, numpy.float32, other) == 3).all()
    assert (plain.get(block, 8, numpy.float32, one) == 4).all()


def test_a_wait_is_for_the_record_before_it(plain):
    one, other = plain.stream(), plain.stream()
    block = plain.allocate(32)
    event = plain.event()
    plain.call("cuStreamWaitEvent", other, event, 0)  # never recorded: nothing to wait for
    plain.fill(block, 8, 1, one)
    plain.call("cuEventRecord", event, one)
    plain.call("cuStreamWaitEvent", other, event, 0)
    plain.fill(block, 8, 2, one)
    plain.call("cuEventRecord", event, one)  # recorded again: the wait above is still for the first
    assert (plain.get(block, 8, numpy.float32, other) == 1).all()
    assert plain.status("cuEventQuery", event) == NOT_READY
    plain.call("cuEventSynchronize", event)
    assert (plain.get(block, 8, numpy.float32, other) == 2).all()


def test_blocking_streams_and_the_legacy_stream_wait_for_each_other(plain):
    blocking, free = plain.stream(0), plain.stream(1)
    block = plain.put(numpy.zeros(8, numpy.float32))
    plain.call("cuCtxSynchronize")
    plain.fill(block, 8, 1, blocking)
    assert (plain.get(block, 8, numpy.float32) == 1).all()
    plain.fill(block, 8, 2)
    assert (plain.get(block, 8, numpy.float32, free) == 1).all()
    assert (plain.get(block, 8, numpy.float32, blocking) == 2).all()


def test_parameters_are_copied_when_the_launch_is_asked_for(plain):
    block = plain.allocate(32)
    value = ffi.new("float *", 5)
    kept = [ffi.new("Address *", block), ffi.new("long long *", 8), value]
    pointers = ffi.new("void *[]", [ffi.cast("void *", each) for each in kept])
    plain.call("cuLaunchKernel", plain.function("fill_float"), 1, 1, 1, 8, 1, 1, 0, NULL, pointers, NULL)
    value[0] = 6
    assert (plain.get(block, 8, numpy.float32) == 5).all()


def test_queries_say_that_work_is_left_and_see_it_end(plain):
    stream = plain.stream()
    event = plain.event()
    assert plain.status("cuEventQuery", event) == 0
    block = plain.allocate(32)
    plain.fill(block, 8, 1, stream)
    plain.call("cuEventRecord", event, stream)
    assert plain.status("cuEventQuery", event) == NOT_READY
    asked = 0
    while plain.status("cuStreamQuery", stream) == NOT_READY:
        asked += 1
    assert asked > 0
    assert plain.status("cuEventQuery", event) == 0
    assert plain.status("cuStreamQuery", ffi.cast("void *", 4096)) == INVALID_HANDLE


def test_events_tell_the_time_between_them(plain):
    first, last, untimed = plain.event(), plain.event(), plain.event(2)
    milliseconds = ffi.new("float *")
    assert plain.status("cuEventElapsedTime", milliseconds, first, last) == INVALID_HANDLE
    for event in (first, last, untimed):
        plain.call("cuEventRecord", event, NULL)
    assert plain.status("cuEventElapsedTime", milliseconds, first, last) == NOT_READY
    plain.call("cuCtxSynchronize")
    plain.call("cuEventElapsedTime", milliseconds, first, last)
    assert milliseconds[0] >= 0
    assert plain.status("cuEventElapsedTime", milliseconds, first, untimed) == INVALID_HANDLE
    plain.call("cuEventDestroy_v2", first)
    assert plain.status("cuEventQuery", first) == INVALID_HANDLE


def test_freeing_and_destroying_wait_for_the_work(plain):
    stream = plain.stream()
    block, other = plain.allocate(32), plain.allocate(32)
    plain.fill(block, 8, 1, stream)
    plain.call("cuMemcpyDtoDAsync_v2", other, block, 32, stream)
    plain.call("cuMemFree_v2", block)
    assert (plain.get(other, 8, numpy.float32) == 1).all()
    plain.fill(other, 8, 2, stream)
    plain.call("cuStreamDestroy_v2", stream)
    assert (plain.get(other, 8, numpy.float32) == 2).all()
    assert plain.status("cuStreamSynchronize", stream) == INVALID_HANDLE
    pinned = plain.pinned(8, numpy.float32)
    plain.call("cuMemcpyHtoDAsync_v2", other, ffi.from_buffer(pinned), 32, NULL)
    plain.call("cuMemFreeHost", ffi.from_buffer(pinned))
    assert plain.status("cuMemFreeHost", ffi.from_buffer(pinned)) == INVALID_VALUE


def test_a_queue_does_not_grow_without_end(plain):
    block = plain.allocate(32)
    before = plain.count("kernels")
    for _ in range(1500):
        plain.fill(block, 1, 1)
    assert 400 < plain.count("kernels") - before < 1500


# ---- two devices -----------------------------------------------------------------------------------------


def test_two_devices_have_memories_and_streams_of_their_own(two):
    numbers = numpy.arange(16, dtype=numpy.float32)
    here = two.put(numbers)
    two.use(1)
    there = two.allocate(64)
    stream = two.stream()
    peer = (there, two.contexts[1], here, two.contexts[0], 64, stream)
    two.call("cuMemcpyPeerAsync", *peer)
    assert (two.get(there, 16, numpy.float32) != numbers).any()  # nothing has synchronized
    two.use(0)
    two.call("cuCtxSynchronize")  # the copy is the other device's work
    two.use(1)
    numpy.testing.assert_array_equal(two.get(there, 16, numpy.float32, stream), numbers)
    wrong = (there, two.contexts[0], here, two.contexts[1], 64, stream)
    assert two.status("cuMemcpyPeerAsync", *wrong) == INVALID_VALUE
    two.use(0)
    event, other = two.event(), two.stream()
    assert two.status("cuEventRecord", event, stream) == INVALID_HANDLE
    two.fill(here, 16, 8, other)
    two.call("cuEventRecord", event, other)
    two.use(1)
    two.call("cuStreamWaitEvent", stream, event, 0)
    two.call("cuMemcpyPeerAsync", *peer)
    assert (two.get(there, 16, numpy.float32, stream) == 8).all()
    parameters = [("Address", here), ("long long", 16), ("float", 1.0)]
    two.use(0)
    assert two.launch("fill_float", parameters, stream=stream) == INVALID_HANDLE


def test_an_error_on_one_device_is_not_the_others(two):
    parameters = [("Address", two.allocate(32)), ("int", 8)]
    assert two.launch("write_beyond_", parameters, block=(64, 1, 1)) == 0
    assert two.status("cuCtxSynchronize") == ILLEGAL_ADDRESS
    two.use(1)
    two.call("cuCtxSynchronize")
    two.allocate(16)


# ---- modules and launches --------------------------------------------------------------------------------


def test_images_and_names_that_are_none(plain, tmp_path):
    junk = ffi.new("char[]", b"not an image, though long enough for a header of one" + b" " * 64)
    assert plain.status("cuModuleLoadData", ffi.new("void **"), junk) == INVALID_IMAGE
    text = tmp_path / "other.cpp"
    text.write_text('extern "C" int nothing() { return 1; }')
    image = build(tmp_path / "other.so", text).read_bytes()
    assert plain.status("cuModuleLoadData", ffi.new("void **"), ffi.from_buffer(image)) == NO_BINARY_FOR_GPU
    plain.function("fill_float")
    with pytest.raises(DriverError) as info:
        plain.function("nothing")
    assert info.value.code == NOT_FOUND


def test_modules_with_one_name_for_two_kernels(plain, tmp_path):
    block = plain.allocate(4)
    modules = []
    for number in (11, 22):
        text = tmp_path / f"{number}.cpp"
        text.write_text(
            '#include "emulation.h"\n'
            "template <class T> __global__ void put(T *out) {\n"
            f"    __shared__ T kept[{number}]; kept[{number} - 1] = {number}; *out = kept[{number} - 1];\n"
            "}\nGN_EMULATED_KERNEL(k0, put<int>)\n"
        )
        image = build(tmp_path / f"{number}.so", text).read_bytes()
        modules.append(plain.made("cuModuleLoadData", "void **", ffi.from_buffer(image)))
    address = ffi.new("Address *", block)
    pointers = ffi.new("void *[]", [ffi.cast("void *", address)])
    for module, number in zip(modules, (11, 22)):
        function = plain.made("cuModuleGetFunction", "void **", module, b"k0")
        plain.call("cuLaunchKernel", function, 1, 1, 1, 1, 1, 1, 0, NULL, pointers, NULL)
        plain.call("cuModuleUnload", module)  # waits for the kernel
        assert plain.get(block, 1, numpy.int32)[0] == number
        launch = (function, 1, 1, 1, 1, 1, 1, 0, NULL, pointers, NULL)
        assert plain.status("cuLaunchKernel", *launch) == INVALID_HANDLE


@pytest.mark.parametrize(
    "grid, block, shared",
    [
        ((0, 1, 1), (1, 1, 1), 0),
        ((1, 0, 1), (1, 1, 1), 0),
        ((1, 1, 1), (1, 1, 0), 0),
        ((1, 65536, 1), (1, 1, 1), 0),
        ((1, 1, 65536), (1, 1, 1), 0),
        ((1 << 31, 1, 1), (1, 1, 1), 0),
        ((1, 1, 1), (1025, 1, 1), 0),
        ((1, 1, 1), (32, 33, 1), 0),
        ((1, 1, 1), (1, 1, 65), 0),
        ((1, 1, 1), (65536, 65536, 1), 0),  # 2**32 threads
        ((1, 1, 1), (1, 1, 1), 49153),
    ],
)
def test_launches_of_a_wrong_size_are_refused(plain, grid, block, shared):
    before = plain.count("launches")
    assert plain.launch("reverse_", [("Address", plain.allocate(4096))], grid, block, shared) == INVALID_VALUE
    assert plain.count("launches") == before
    plain.call("cuCtxSynchronize")  # not a sticky error


def test_more_shared_memory_for_who_asks(plain):
    function = plain.function("reverse_")
    assert plain.made("cuFuncGetAttribute", "int *", 8, function) == 49152
    assert plain.made("cuFuncGetAttribute", "int *", 0, function) == 1024
    plain.call("cuFuncSetAttribute", function, 8, 100000)
    assert plain.made("cuFuncGetAttribute", "int *", 8, function) == 100000
    block = plain.put(numpy.arange(64, dtype=numpy.int32))
    assert plain.launch("reverse_", [("Address", block)], block=(64, 1, 1), shared=100000) == 0
    assert plain.get(block, 64, numpy.int32)[0] == 63
    assert plain.status("cuFuncSetAttribute", function, 8, 1 << 20) == INVALID_VALUE


# ---- correct kernels, plain and under all checks ---------------------------------------------------------


def test_indices_in_three_dimensions(gpu):
    out = gpu.allocate(4 * 24 * 30)
    assert gpu.launch("places_", [("Address", out)], (2, 3, 4), (5, 3, 2)) == 0
    threads = [100 * z + 10 * y + x for z in range(2) for y in range(3) for x in range(5)]
    expected = numpy.array([[10000 * block + thread for thread in threads] for block in range(24)])
    numpy.testing.assert_array_equal(gpu.get(out, (24, 30), numpy.int32), expected)


def test_parameters_of_mixed_sizes(gpu):
    out = gpu.allocate(40)
    mixed = numpy.zeros(1, numpy.dtype([("s", "i1"), ("l", "f8"), ("m", "i2")], align=True))
    mixed[0] = (-3, 2.5, -300)
    kept = [
        ffi.new("Address *", out),
        ffi.new("signed char *", -7),
        ffi.from_buffer(mixed),
        ffi.new("float *", 0.5),
    ]
    pointers = ffi.new("void *[]", [ffi.cast("void *", each) for each in kept])
    gpu.call("cuLaunchKernel", gpu.function("mixed_"), 1, 1, 1, 1, 1, 1, 0, NULL, pointers, NULL)
    assert gpu.get(out, 5, numpy.float64).tolist() == [-7, -3, 2.5, -300, 0.5]


def test_pointwise_kernels_never_switch_stacks(gpu):
    numbers = numpy.arange(1000, dtype=numpy.float32)
    a, b = gpu.put(numbers), gpu.put(3 * numbers)
    out = gpu.allocate(4000)
    parameters = [("Address", a), ("Address", b), ("Address", out), ("long long", 1000)]
    gpu.function("add_float")
    gpu.call("cuCtxSynchronize")
    before = gpu.count("switches")
    assert gpu.launch("add_float", parameters, (3, 1, 1), (128, 1, 1)) == 0
    numpy.testing.assert_array_equal(gpu.get(out, 1000, numpy.float32), 4 * numbers)
    assert gpu.count("switches") - before == 2  # into the launch and back


def test_sixteen_bytes_at_once(gpu):
    numbers = numpy.arange(32, dtype=numpy.float32)
    source, out = gpu.put(numbers), gpu.allocate(128)
    assert gpu.launch("copy16_", [("Address", source), ("Address", out)], block=(8, 1, 1)) == 0
    numpy.testing.assert_array_equal(gpu.get(out, 32, numpy.float32), numbers)


@pytest.mark.parametrize("threads", [32, 64, 256, 1024])
def test_sums_of_blocks(gpu, threads):
    numbers = numpy.arange(5 * 777, dtype=numpy.int64).reshape(5, 777) % 1013
    source, out = gpu.put(numbers), gpu.allocate(40)
    parameters = [("Address", source), ("Address", out), ("int", 777)]
    assert gpu.launch("block_sum_long", parameters, (5, 1, 1), (threads, 1, 1)) == 0
    numpy.testing.assert_array_equal(gpu.get(out, 5, numpy.int64), numbers.sum(1))


def test_tiled_matmul(gpu):
    rng = numpy.random.default_rng(2)
    a = rng.integers(-8, 8, (33, 29)).astype(numpy.float32)
    b = rng.integers(-8, 8, (29, 47)).astype(numpy.float32)
    out = gpu.allocate(4 * 33 * 47)
    parameters = [("Address", gpu.put(a)), ("Address", gpu.put(b)), ("Address", out)]
    parameters += [("int", 33), ("int", 47), ("int", 29)]
    assert gpu.launch("matmul_16", parameters, (3, 3, 1), (16, 16, 1)) == 0
    numpy.testing.assert_array_equal(gpu.get(out, (33, 47), numpy.float32), a @ b)


def test_dynamic_shared_memory(gpu):
    numbers = numpy.arange(1024, dtype=numpy.int32)
    block = gpu.put(numbers)
    assert gpu.launch("reverse_", [("Address", block)], block=(1024, 1, 1), shared=4096) == 0
    numpy.testing.assert_array_equal(gpu.get(block, 1024, numpy.int32), numbers[::-1])


def test_shuffles_and_votes(gpu):
    out = gpu.allocate(8 * 8 * 64)
    assert gpu.launch("lanes_", [("Address", out)], block=(64, 1, 1)) == 0
    result = gpu.get(out, (2, 32, 8), numpy.int64)
    lane = numpy.arange(32)
    expected = numpy.stack(
        [
            numpy.full(32, 105),
            10**10 + numpy.where(lane >= 3, lane - 3, lane),
            numpy.where(lane % 8 < 6, lane + 2, lane),
            lane ^ 1,
            numpy.full(32, sum(1 << i for i in range(0, 32, 3))),
            numpy.full(32, 10),
            numpy.full(32, 10),
            numpy.where(lane < 16, 1, 16 + lane),
        ],
        1,
    )
    numpy.testing.assert_array_equal(result[0], expected)
    numpy.testing.assert_array_equal(result[1], expected)


def test_what_a_lane_holds_that_is_not_there_is_junk(gpu):
    numbers = numpy.ones((1, 48), numpy.int64)
    source, out = gpu.put(numbers), gpu.allocate(8)
    parameters = [("Address", source), ("Address", out), ("int", 48)]
    assert gpu.launch("block_sum_long", parameters, block=(48, 1, 1)) == 0
    assert gpu.get(out, 1, numpy.int64)[0] != 48


def test_atomics(gpu):
    numbers = numpy.arange(100, dtype=numpy.int32) * 37 % 101
    source = gpu.put(numbers)
    counts = gpu.put(numpy.zeros(8, numpy.uint32))
    others = gpu.put(numpy.array([-5, 500, 0, 0, -1, 4], numpy.int32))
    total = gpu.put(numpy.zeros(1, numpy.float64))
    parameters = [("Address", each) for each in (source, counts, others, total)]
    assert gpu.launch("atomics_", [*parameters, ("int", 100)], (4, 1, 1), (32, 1, 1)) == 0
    numpy.testing.assert_array_equal(gpu.get(counts, 8, numpy.uint32), numpy.bincount(numbers % 8))
    assert gpu.get(others, 6, numpy.int32).tolist() == [100, 0, 127, 200, 4, 9]
    assert gpu.get(total, 1, numpy.float64)[0] == 50


def test_a_warp_needs_no_barrier_of_the_block(gpu):
    out = gpu.allocate(256)
    assert gpu.launch("warps_alone_", [("Address", out)], block=(64, 1, 1)) == 0
    thread = numpy.arange(64)
    kept = 2 * (thread // 32 * 32 + (thread + 1) % 32)
    numpy.testing.assert_array_equal(gpu.get(out, 64, numpy.int32), kept[::-1] + 1)


# ---- planted faults --------------------------------------------------------------------------------------


def test_a_write_beyond_a_block_is_seen(gpu):
    block = gpu.allocate(32)
    gpu.allocate(32)
    assert gpu.launch("write_beyond_", [("Address", block), ("int", 8)], block=(64, 1, 1)) == 0
    problem = gpu.fails(ILLEGAL_ADDRESS, "write_beyond", "a block of 32")
    assert "4 bytes beyond the end" in problem or "writes 4 bytes 0 bytes beyond" in problem


def test_a_write_before_a_block_is_seen(gpu):
    block = gpu.allocate(32)
    assert gpu.launch("write_before_", [("Address", block), ("int", 8)], block=(64, 1, 1)) == 0
    gpu.fails(ILLEGAL_ADDRESS, "write_before", "4 bytes before a block of 32")


def test_a_write_beyond_a_block_of_an_odd_size_is_seen(gpu):
    block = gpu.allocate(30)
    assert gpu.launch("write_beyond_", [("Address", block), ("int", 7)], block=(64, 1, 1)) == 0
    gpu.fails(ILLEGAL_ADDRESS, "write_beyond", "a block of 30")


def test_a_write_by_an_address_in_memory_is_seen(gpu):
    block = gpu.allocate(32)
    table = gpu.put(numpy.array([block], numpy.int64))
    assert gpu.launch("write_beyond_another_", [("Address", table), ("int", 8)]) == 0
    gpu.fails(ILLEGAL_ADDRESS, "write_beyond_another", "a block of 32")


def test_damage_is_seen_when_a_block_is_freed(plain):
    block = plain.allocate(32)
    table = plain.put(numpy.array([block], numpy.int64))
    assert plain.launch("write_beyond_another_", [("Address", table), ("int", 8)]) == 0
    assert plain.status("cuMemFree_v2", block) == ILLEGAL_ADDRESS
    plain.fails(ILLEGAL_ADDRESS, "write_beyond_another", "4 bytes beyond the end of a block of 32")


@pytest.mark.parametrize("address", [0, 16, 1 << 60])
def test_an_address_where_nothing_is(gpu, address):
    assert gpu.launch("follow_", [("Address", address)]) == 0
    gpu.fails(ILLEGAL_ADDRESS, "follow", "block 0,0,0 thread 0,0,0")


def test_a_division_by_zero(plain):
    out = plain.allocate(4)
    assert plain.launch("divide_", [("Address", out), ("int", 7), ("int", 0)]) == 0
    plain.fails(LAUNCH_FAILED, "divide", "divided by zero")


def test_a_kernel_that_gives_up(gpu):
    assert gpu.launch("give_up_", block=(8, 1, 1)) == 0
    gpu.fails(LAUNCH_FAILED, "give_up", "__trap", "thread 3,0,0")


BARRIERS = {
    "some_reach_": "a barrier that not all threads reach",
    "two_barriers_": "different barriers",
    "barrier_and_warp_": "deadlock",
    "not_in_mask_": "not in its mask",
    "two_masks_": "with different masks",
}


@pytest.mark.parametrize("name", BARRIERS)
def test_a_barrier_that_not_all_threads_reach_is_seen(gpu, name):
    out = gpu.allocate(256)
    assert gpu.launch(name, [("Address", out)], block=(32, 1, 1)) == 0
    gpu.fails(LAUNCH_FAILED, name.rstrip("_"), BARRIERS[name])


def test_a_thread_that_returned_before_a_barrier_is_seen(gpu):
    out = gpu.allocate(256)
    assert gpu.launch("early_return_", [("Address", out), ("int", 64)], block=(64, 1, 1)) == 0
    gpu.call("cuCtxSynchronize")
    assert gpu.launch("early_return_", [("Address", out), ("int", 63)], block=(64, 1, 1)) == 0
    gpu.fails(LAUNCH_FAILED, "early_return", "not all threads reach")


@pytest.mark.parametrize(
    "name",
    [
        "no_barrier_",
        "no_barrier_in_luck_",
        "no_second_barrier_",
        "all_write_",
        "warp_for_block_",
        "no_warp_barrier_",
        "atomic_and_plain_",
    ],
)
def test_a_missing_barrier_is_seen(checked, name):
    out = checked.allocate(256)
    assert checked.launch(name, [("Address", out)], block=(64, 1, 1), shared=256) == 0
    checked.fails(LAUNCH_FAILED, name.rstrip("_"), "a missing barrier", "of shared memory")


def test_a_read_beyond_a_block_is_seen(checked):
    source, out = checked.put(numpy.ones(8, numpy.float32)), checked.allocate(4)
    parameters = [("Address", source), ("Address", out), ("int", 8)]
    assert checked.launch("read_beyond_", parameters) == 0
    checked.call("cuCtxSynchronize")
    assert checked.launch("read_beyond_", [*parameters[:2], ("int", 9)]) == 0
    checked.fails(ILLEGAL_ADDRESS, "read_beyond", "reads 4 bytes 0 bytes beyond", "a block of 32")


def test_memory_that_was_freed_is_not_there(checked):
    block = checked.allocate(32)
    checked.call("cuMemFree_v2", block)
    assert checked.launch("follow_", [("Address", block)]) == 0
    checked.fails(ILLEGAL_ADDRESS, "follow", "writes 4 bytes")


def test_memory_of_the_host_is_not_the_devices(checked):
    pinned = checked.pinned(4, numpy.int32)
    address = int(ffi.cast("uintptr_t", ffi.from_buffer(pinned)))
    assert checked.launch("follow_", [("Address", address)]) == 0
    checked.call("cuCtxSynchronize")
    assert pinned[0] == 1
    host = ffi.new("int[4]")
    assert checked.launch("follow_", [("Address", int(ffi.cast("uintptr_t", host)))]) == 0
    checked.fails(ILLEGAL_ADDRESS, "that are not the device's")


def test_memory_of_another_device_is_not_this_ones(monkeypatch, library, images):
    gpu = new_gpu(monkeypatch, library, images["checked"], 2)
    gpu.use(1)
    other = gpu.allocate(32)
    gpu.use(0)
    assert gpu.launch("follow_", [("Address", other)]) == 0
    gpu.fails(ILLEGAL_ADDRESS, "that are not the device's")


def test_dynamic_shared_memory_has_an_end(checked):
    out = checked.allocate(256)
    assert checked.launch("beyond_dynamic_", [("Address", out)], block=(64, 1, 1), shared=256) == 0
    checked.call("cuCtxSynchronize")
    assert checked.launch("beyond_dynamic_", [("Address", out)], block=(64, 1, 1), shared=252) == 0
    checked.fails(ILLEGAL_ADDRESS, "beyond the end of the 252 bytes", "thread 63,0,0")


def test_a_misaligned_access_is_seen(checked):
    source, out = checked.put(numpy.zeros(8, numpy.uint8)), checked.allocate(4)
    assert checked.launch("misaligned_", [("Address", source), ("Address", out)]) == 0
    checked.fails(MISALIGNED_ADDRESS, "misaligned")


def test_what_was_queued_behind_a_fault_does_not_run(plain):
    block = plain.allocate(32)
    pinned = plain.pinned(8, numpy.float32)
    pinned[:] = -1
    assert plain.launch("write_beyond_", [("Address", block), ("int", 8)], block=(64, 1, 1)) == 0
    plain.call("cuMemcpyDtoHAsync_v2", ffi.from_buffer(pinned), block, 32, NULL)
    assert plain.status("cuStreamSynchronize", NULL) == ILLEGAL_ADDRESS
    assert (pinned == -1).all()


def test_after_a_fault_and_a_reset_all_is_well(gpu, monkeypatch):
    assert gpu.launch("barrier_and_warp_", [("Address", gpu.allocate(256))], block=(32, 1, 1)) == 0
    assert gpu.status("cuCtxSynchronize") == LAUNCH_FAILED
    again = new_gpu(monkeypatch, gpu.library, gpu.image)
    assert again.problem() == ""
    test_sums_of_blocks(again, 256)


# ---- graphs ----------------------------------------------------------------------------------------------


def captured(gpu: Gpu, stream: Any) -> Any:
    """End the capture; return its executable graph."""
    place = ffi.new("void **")
    gpu.call("cuStreamEndCapture", stream, place)
    executable = gpu.made("cuGraphInstantiateWithFlags", "void **", place[0], 0)
    gpu.call("cuGraphDestroy", place[0])
    return executable


def is_capturing(gpu: Gpu, stream: Any) -> int:
    """0: no; 1: yes; 2: yes, but the capture is invalid."""
    place = ffi.new("int *")
    gpu.call("cuStreamIsCapturing", stream, place)
    return place[0]


def test_a_captured_step_runs_when_it_is_replayed(plain):
    stream = plain.stream()
    numbers = plain.put(numpy.ones(8, numpy.float32))
    total = plain.put(numpy.zeros(8, numpy.float32))
    plain.call("cuCtxSynchronize")
    pinned = plain.pinned(8, numpy.float32)
    parameters = [("Address", numbers), ("Address", total), ("Address", total), ("long long", 8)]
    plain.call("cuStreamBeginCapture_v2", stream, 0)
    assert is_capturing(plain, stream) == 1
    assert plain.launch("add_float", parameters, block=(8, 1, 1), stream=stream) == 0
    plain.call("cuMemcpyDtoHAsync_v2", ffi.from_buffer(pinned), total, 32, stream)
    step = captured(plain, stream)
    assert is_capturing(plain, stream) == 0
    plain.call("cuCtxSynchronize")
    assert (plain.get(total, 8, numpy.float32) == 0).all()  # captured, not run
    for _ in range(3):
        plain.call("cuGraphLaunch", step, stream)
    assert (pinned != 3).all()  # and nothing runs before a synchronization
    plain.call("cuStreamSynchronize", stream)
    assert (pinned == 3).all()
    plain.call("cuGraphExecDestroy", step)
    assert plain.status("cuGraphLaunch", step, stream) == INVALID_VALUE


def test_a_capture_over_two_streams(plain):
    one, other = plain.stream(), plain.stream()
    block, copy = plain.allocate(32), plain.allocate(32)
    fork, join = plain.event(), plain.event()
    plain.call("cuStreamBeginCapture_v2", one, 0)
    plain.fill(block, 8, 5, one)
    plain.call("cuEventRecord", fork, one)
    plain.call("cuStreamWaitEvent", other, fork, 0)
    assert is_capturing(plain, other) == 1
    plain.call("cuMemcpyDtoDAsync_v2", copy, block, 32, other)
    assert plain.status("cuEventQuery", fork) == CAPTURED_EVENT
    plain.call("cuEventRecord", join, other)
    plain.call("cuStreamWaitEvent", one, join, 0)
    step = captured(plain, one)
    assert is_capturing(plain, other) == 0
    plain.call("cuGraphLaunch", step, one)
    assert (plain.get(copy, 8, numpy.float32, one) == 5).all()


def test_a_capture_whose_streams_are_not_joined(plain):
    one, other = plain.stream(), plain.stream()
    event, block = plain.event(), plain.allocate(32)
    plain.call("cuStreamBeginCapture_v2", one, 0)
    plain.call("cuEventRecord", event, one)
    plain.call("cuStreamWaitEvent", other, event, 0)
    plain.fill(block, 8, 1, other)
    assert plain.status("cuStreamEndCapture", one, ffi.new("void **")) == CAPTURE_UNJOINED


@pytest.mark.parametrize("name", ["cuStreamSynchronize", "cuStreamQuery"])
def test_waiting_for_a_stream_that_is_captured_spoils_the_capture(plain, name):
    stream = plain.stream()
    plain.call("cuStreamBeginCapture_v2", stream, 2)
    assert plain.status(name, stream) == CAPTURE_UNSUPPORTED
    assert is_capturing(plain, stream) == 2
    assert plain.status("cuStreamEndCapture", stream, ffi.new("void **")) == CAPTURE_INVALIDATED
    assert is_capturing(plain, stream) == 0


def test_memory_is_not_allocated_during_a_capture_unless_that_is_relaxed(plain):
    stream = plain.stream()
    plain.call("cuStreamBeginCapture_v2", stream, 0)
    assert plain.status("cuMemAlloc_v2", ffi.new("Address *"), 16) == CAPTURE_UNSUPPORTED
    assert plain.status("cuStreamEndCapture", stream, ffi.new("void **")) == CAPTURE_INVALIDATED
    plain.call("cuStreamBeginCapture_v2", stream, 2)
    plain.allocate(16)
    captured(plain, stream)


def test_captures_that_can_not_be(plain):
    one, other, blocking = plain.stream(), plain.stream(), plain.stream(0)
    place = ffi.new("void **")
    block, event = plain.allocate(32), plain.event()
    assert plain.status("cuStreamBeginCapture_v2", NULL, 0) == CAPTURE_UNSUPPORTED
    assert plain.status("cuStreamEndCapture", one, place) == ILLEGAL_STATE
    plain.call("cuStreamBeginCapture_v2", one, 0)
    assert plain.status("cuStreamBeginCapture_v2", one, 0) == ILLEGAL_STATE
    plain.call("cuEventRecord", event, one)
    plain.call("cuStreamBeginCapture_v2", other, 0)
    assert plain.status("cuStreamWaitEvent", other, event, 0) == CAPTURE_MERGE
    captured(plain, other)
    plain.call("cuStreamWaitEvent", other, event, 0)
    assert plain.status("cuStreamEndCapture", other, place) == CAPTURE_UNMATCHED
    assert plain.status("cuStreamEndCapture", one, place) == CAPTURE_INVALIDATED
    plain.call("cuEventRecord", event, other)
    plain.call("cuStreamBeginCapture_v2", one, 0)
    assert plain.status("cuStreamWaitEvent", one, event, 0) == CAPTURE_ISOLATION
    assert plain.status("cuStreamEndCapture", one, place) == CAPTURE_INVALIDATED
    plain.call("cuStreamBeginCapture_v2", blocking, 2)
    assert plain.status("cuMemsetD8Async", block, 0, 32, NULL) == CAPTURE_IMPLICIT
    assert plain.status("cuStreamEndCapture", blocking, place) == CAPTURE_INVALIDATED


# ---- under AddressSanitizer ------------------------------------------------------------------------------

SCRIPT = """
import sys
sys.path[:0] = {folders!r}
import numpy
from test_emulation import *
gpu = Gpu(ffi.dlopen({driver!r}), open({image!r}, "rb").read())
test_sums_of_blocks(gpu, 256)
test_tiled_matmul(gpu)
assert gpu.launch("some_reach_", [("Address", gpu.allocate(256))], block=(32, 1, 1)) == 0
assert gpu.status("cuCtxSynchronize") == LAUNCH_FAILED
gpu.library.gn_emulation_reset()
gpu = Gpu(gpu.library, gpu.image)
test_sums_of_blocks(gpu, 1024)
print("all well so far", flush=True)
block = gpu.put(numpy.ones(8, numpy.float32))
out = gpu.allocate(4)
assert gpu.launch("read_beyond_", [("Address", block), ("Address", out), ("int", 9)]) == 0
gpu.call("cuCtxSynchronize")
"""


@pytest.mark.slow
@pytest.mark.skipif(
    os.environ.get("GNOMON_SANITIZE", "0") in ("", "0"), reason="make sanitize runs it: GNOMON_SANITIZE=1"
)
def test_under_address_sanitizer(tmp_path):
    sanitizer = ["-fsanitize=address", "-g"]
    driver = build(tmp_path / "driver.so", *sanitizer, *DRIVER_SOURCES, "-ldl")
    image = build(tmp_path / "kernels.so", *sanitizer, "-x", "c++", KERNELS)
    libraries = [
        subprocess.run(
            [COMPILER, f"-print-file-name={name}"], capture_output=True, text=True, check=True, timeout=LIMIT
        ).stdout
        for name in ("libasan.so", "libstdc++.so")
    ]
    environment = dict(os.environ, LD_PRELOAD=" ".join(name.strip() for name in libraries))
    environment.update(ASAN_OPTIONS="detect_leaks=0", TMPDIR=str(tmp_path))
    script = SCRIPT.format(
        folders=[str(KERNELS.parent), str(KERNELS.parents[1])], driver=str(driver), image=str(image)
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env=environment, timeout=LIMIT
    )
    assert "all well so far" in done.stdout, done.stderr
    assert done.returncode != 0
    assert "use-after-poison" in done.stderr
    assert "read_beyond" in done.stderr
    assert "emulation_kernels.cu" in done.stderr
