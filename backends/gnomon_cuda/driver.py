"""The driver: the functions of libcuda that the backend needs, which raise CudaError instead of returning a
status.

The library is opened by name at first use, so that gnomon installs and imports without it.  Handles (streams,
events, modules, functions) and addresses are Python integers here: the ABI passes pointers and integers of
the same width alike, and integers can be keys of dictionaries.
"""

from __future__ import annotations

import os
import threading
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon.values.errors import BackendUnavailableError
from gnomon.values.locks import new_in_each_process

from .errors import NOT_READY, STICKY, CudaError

if TYPE_CHECKING:
    from .streams import Stream

LIBRARY = "libcuda.so.1"

# Names and types are NVIDIA's, except that opaque pointers and addresses are integers of the same width.
_DECLARATIONS = """
int cuInit(unsigned int flags);
int cuDriverGetVersion(int *version);
int cuGetErrorName(int status, const char **name);
int cuGetErrorString(int status, const char **text);
int cuDeviceGetCount(int *count);
int cuDeviceGet(int *device, int ordinal);
int cuDeviceGetName(char *name, int length, int device);
int cuDeviceTotalMem_v2(size_t *nbytes, int device);
int cuDeviceGetAttribute(int *value, int attribute, int device);
int cuDeviceCanAccessPeer(int *can, int device, int peer);
int cuDevicePrimaryCtxRetain(uintptr_t *context, int device);
int cuDevicePrimaryCtxRelease_v2(int device);
int cuCtxSetCurrent(uintptr_t context);
int cuCtxGetCurrent(uintptr_t *context);
int cuCtxSynchronize(void);
int cuMemGetInfo_v2(size_t *free, size_t *total);
int cuMemAlloc_v2(uintptr_t *address, size_t nbytes);
int cuMemFree_v2(uintptr_t address);
int cuMemHostAlloc(uintptr_t *address, size_t nbytes, unsigned int flags);
int cuMemFreeHost(uintptr_t address);
int cuMemcpyHtoDAsync_v2(uintptr_t to, uintptr_t from, size_t nbytes, uintptr_t stream);
int cuMemcpyDtoHAsync_v2(uintptr_t to, uintptr_t from, size_t nbytes, uintptr_t stream);
int cuMemcpyDtoDAsync_v2(uintptr_t to, uintptr_t from, size_t nbytes, uintptr_t stream);
int cuMemcpyPeerAsync(uintptr_t to, uintptr_t to_context, uintptr_t from, uintptr_t from_context,
                      size_t nbytes, uintptr_t stream);
int cuMemsetD8Async(uintptr_t address, unsigned char value, size_t count, uintptr_t stream);
int cuStreamCreate(uintptr_t *stream, unsigned int flags);
int cuStreamDestroy_v2(uintptr_t stream);
int cuStreamSynchronize(uintptr_t stream);
int cuStreamQuery(uintptr_t stream);
int cuStreamWaitEvent(uintptr_t stream, uintptr_t event, unsigned int flags);
int cuEventCreate(uintptr_t *event, unsigned int flags);
int cuEventDestroy_v2(uintptr_t event);
int cuEventRecord(uintptr_t event, uintptr_t stream);
int cuEventQuery(uintptr_t event);
int cuEventSynchronize(uintptr_t event);
int cuEventElapsedTime(float *milliseconds, uintptr_t start, uintptr_t end);
int cuModuleLoadData(uintptr_t *module, const char *image);
int cuModuleUnload(uintptr_t module);
int cuModuleGetFunction(uintptr_t *function, uintptr_t module, const char *symbol);
int cuFuncGetAttribute(int *value, int attribute, uintptr_t function);
int cuFuncSetAttribute(uintptr_t function, int attribute, int value);
int cuLaunchKernel(uintptr_t function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                   unsigned int block_x, unsigned int block_y, unsigned int block_z,
                   unsigned int shared_bytes, uintptr_t stream, void **parameters, void **extra);
int cuStreamBeginCapture_v2(uintptr_t stream, int mode);
int cuStreamEndCapture(uintptr_t stream, uintptr_t *graph);
int cuStreamIsCapturing(uintptr_t stream, int *status);
int cuGraphInstantiateWithFlags(uintptr_t *executable, uintptr_t graph, unsigned long long flags);
int cuGraphLaunch(uintptr_t executable, uintptr_t stream);
int cuGraphDestroy(uintptr_t graph);
int cuGraphExecDestroy(uintptr_t executable);
const char *gn_emulation_problem(void);
"""

# The driver's numbers of device attributes.
DEVICE_ATTRIBUTES = {
    "max_threads_per_block": 1,
    "max_shared_bytes_per_block": 8,
    "warp_size": 10,
    "clock_kilohertz": 13,
    "multiprocessor_count": 16,
    "memory_clock_kilohertz": 36,
    "memory_bus_bits": 37,
    "l2_cache_bytes": 38,
    "max_threads_per_multiprocessor": 39,
    "compute_capability_major": 75,
    "compute_capability_minor": 76,
    "max_shared_bytes_per_block_by_wish": 97,
}

FUNCTION_ATTRIBUTES = {
    "max_threads_per_block": 0,
    "shared_bytes": 1,
    "constant_bytes": 2,
    "local_bytes": 3,  # local memory per thread, for register spills
    "registers": 4,
    "ptx_version": 5,
    "binary_version": 6,
    "max_dynamic_shared_bytes": 8,
}

CAPTURE_MODES = {"global": 0, "thread_local": 1, "relaxed": 2}

_STREAM_NON_BLOCKING = 1  # does not synchronize with the default stream
_EVENT_DISABLE_TIMING = 2
_HOST_PORTABLE = 1  # pinned memory is usable in all contexts
_MOST_BYTES = 2**64 - 1  # the largest size that can be passed to the driver


class _Thread(threading.local):
    """The state of a thread: the device whose context is current (-1: none yet), its current streams by
    device if they are not the default ones, and the previous streams that ``with`` will restore.
    """

    device = -1

    def __init__(self) -> None:  # runs once per thread
        self.streams: dict[int, Stream] = {}
        self.outer_streams: list[Stream] = []


_drivers: weakref.WeakSet[Driver] = weakref.WeakSet()


class Driver:
    """An opened library with the driver's functions; ``path`` is its file, by default the GPU's driver.

    Methods that need a context use the current one of the calling thread: call ``activate`` first.  Streams
    are integers, 0 is the default one; a call that takes a stream returns before the work is done.  Every
    method raises CudaError on the driver's errors.

    path         the opened file
    emulated     is it gnomon's emulation of a driver?
    blocking     does each launch wait, so that an error names its operator?  ``GNOMON_CUDA_BLOCKING=1``
    """

    def __init__(self, path: str | os.PathLike[str] = "", emulated: bool = False):
        """Opens and initializes the library.  Raises BackendUnavailableError if that fails, or if there is no
        device.
        """
        import cffi  # imported here because parsing the declarations takes some milliseconds

        self.ffi = cffi.FFI()
        self.ffi.cdef(_DECLARATIONS)
        self.emulated = emulated
        self.blocking = os.environ.get("GNOMON_CUDA_BLOCKING", "0") not in ("", "0")
        self.thread = _Thread()
        self.default_streams: dict[int, Stream] = {}  # device -> its default stream
        # (stream or event, device) -> unused handles
        self.idle_handles: dict[tuple[str, int], list[int]] = {}
        self._forked = False
        self._contexts: dict[int, int] = {}
        self._context_lock = threading.Lock()
        self._last_operator = ""
        self._lost: dict[int, str] = {}  # device -> why its context is lost
        self.path = os.fspath(path) or LIBRARY
        try:
            self._lib = self.ffi.dlopen(self.path)
            self._launch = self._lib.cuLaunchKernel
        except (OSError, AttributeError) as error:
            reason = str(error).partition(".  ")[0]  # drop cffi's list of other locations
            raise BackendUnavailableError(
                f"the CUDA driver cannot be loaded: {reason} (is a driver installed?)"
            ) from None
        status = self._lib.cuInit(0)
        if status:
            name, text = self._words(status)
            raise BackendUnavailableError(f"the CUDA driver found no usable GPU: {text} ({name})")
        self._null = self.ffi.NULL
        _drivers.add(self)

    # -----------------------------------------------------------------------------------------------------
    # Errors.

    def _words(self, status: int) -> tuple[str, str]:
        """The driver's name and description of a status."""
        found = []
        for ask in (self._lib.cuGetErrorName, self._lib.cuGetErrorString):
            answer = self.ffi.new("char **")
            known = ask(status, answer) == 0 and answer[0] != self.ffi.NULL
            found.append(self.ffi.string(answer[0]).decode() if known else "")
        return found[0] or f"CUDA_ERROR_{status}", found[1] or "unknown error"

    def problem(self) -> str:
        """The emulated driver's message about an error in a kernel; "" if there is none, or on a GPU."""
        if not self.emulated:
            return ""
        text = self._lib.gn_emulation_problem()
        return "" if text == self.ffi.NULL else self.ffi.string(text).decode(errors="replace")

    def _fail(self, function: str, status: int, operator: str = "") -> None:
        """Raises the CudaError of a status."""
        name, text = self._words(status)
        said = f"{function}: {text} ({name}, {status})"
        if status in STICKY:
            device = self.thread.device
            before = self._lost.get(device)
            if before is None:
                problem = self.problem()
                said += f"; {problem}" if problem else ""
                self._lost[device] = said = f"{said}; {self._suspect(operator)}"
            else:
                said = (
                    f"{function}: the context of cuda:{device} is unusable after an earlier error: {before}"
                )
        raise CudaError(said, status, name)

    def _suspect(self, operator: str) -> str:
        if operator:
            return f"caused by operator {operator}"
        if not self._last_operator:
            return "no operator was launched before"
        return (
            f"the last operator launched was {self._last_operator}; this or an earlier operator caused the "
            "error (set GNOMON_CUDA_BLOCKING=1 to find out which)"
        )

    # -----------------------------------------------------------------------------------------------------
    # Devices and contexts.

    def version(self) -> int:
        """The newest CUDA version that the driver supports: 1000 * major + 10 * minor."""
        answer = self.ffi.new("int *")
        status = self._lib.cuDriverGetVersion(answer)
        if status:
            self._fail("cuDriverGetVersion", status)
        return answer[0]

    def device_count(self) -> int:
        """The number of devices."""
        answer = self.ffi.new("int *")
        status = self._lib.cuDeviceGetCount(answer)
        if status:
            self._fail("cuDeviceGetCount", status)
        return answer[0]

    def _device(self, index: int) -> int:
        answer = self.ffi.new("int *")
        status = self._lib.cuDeviceGet(answer, index)
        if status:
            self._fail("cuDeviceGet", status)
        return answer[0]

    def device_name(self, index: int) -> str:
        """The product name of a device."""
        answer = self.ffi.new("char[256]")
        status = self._lib.cuDeviceGetName(answer, 256, self._device(index))
        if status:
            self._fail("cuDeviceGetName", status)
        return self.ffi.string(answer).decode(errors="replace")

    def total_memory(self, index: int) -> int:
        """The memory of a device in bytes."""
        answer = self.ffi.new("size_t *")
        status = self._lib.cuDeviceTotalMem_v2(answer, self._device(index))
        if status:
            self._fail("cuDeviceTotalMem_v2", status)
        return answer[0]

    def attribute(self, index: int, name: str) -> int:
        """The value of one of DEVICE_ATTRIBUTES."""
        answer = self.ffi.new("int *")
        status = self._lib.cuDeviceGetAttribute(answer, DEVICE_ATTRIBUTES[name], self._device(index))
        if status:
            self._fail("cuDeviceGetAttribute", status)
        return answer[0]

    def can_access_peer(self, index: int, peer: int) -> bool:
        """Can a device read the memory of another one?"""
        answer = self.ffi.new("int *")
        status = self._lib.cuDeviceCanAccessPeer(answer, self._device(index), self._device(peer))
        if status:
            self._fail("cuDeviceCanAccessPeer", status)
        return answer[0] != 0

    def architecture(self, index: int) -> str:
        """The architecture that kernels are compiled for, such as ``sm_90``."""
        major, minor = (self.attribute(index, f"compute_capability_{part}") for part in ("major", "minor"))
        return f"sm_{major}{minor}"

    def activate(self, index: int) -> None:
        """Makes the context of device ``index`` current for the calling thread.

        A context that other code has made current is not detected: call ``reactivate`` after it.  Raises
        RuntimeError in a forked child process, where CUDA does not work.
        """
        if self.thread.device != index:
            self.reactivate(index)

    def reactivate(self, index: int) -> None:
        """``activate`` without assuming which context is current."""
        if self._forked:
            raise RuntimeError(
                "Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, you must "
                "use the 'spawn' or 'forkserver' start method"
            )
        context = self.context(index)
        status = self._lib.cuCtxSetCurrent(context)
        if status:
            self._fail("cuCtxSetCurrent", status)
        self.thread.device = index

    def context(self, index: int) -> int:
        """The primary context of a device, which all libraries of the process share."""
        with self._context_lock:
            if index not in self._contexts:
                answer = self.ffi.new("uintptr_t *")
                status = self._lib.cuDevicePrimaryCtxRetain(answer, self._device(index))
                if status:
                    self._fail("cuDevicePrimaryCtxRetain", status)
                self._contexts[index] = answer[0]
            return self._contexts[index]

    def active_device(self) -> int:
        """The device whose context is current in the calling thread; -1 if there was none yet."""
        return self.thread.device

    def synchronize(self) -> None:
        """Waits for all work on the current device."""
        status = self._lib.cuCtxSynchronize()
        if status:
            self._fail("cuCtxSynchronize", status)

    # -----------------------------------------------------------------------------------------------------
    # Memory.

    def memory_info(self) -> tuple[int, int]:
        """The free and the total bytes of the current device."""
        free, total = self.ffi.new("size_t *"), self.ffi.new("size_t *")
        status = self._lib.cuMemGetInfo_v2(free, total)
        if status:
            self._fail("cuMemGetInfo_v2", status)
        return free[0], total[0]

    def allocate(self, nbytes: int) -> int:
        """Allocates ``nbytes`` (at least 1) on the current device; returns the address."""
        answer = self.ffi.new("uintptr_t *")
        status = self._lib.cuMemAlloc_v2(answer, min(nbytes, _MOST_BYTES))
        if status:
            self._fail("cuMemAlloc_v2", status)
        return answer[0]

    def free(self, address: int) -> None:
        """Frees memory of the current device.  A GPU's driver first waits for all its work."""
        status = self._lib.cuMemFree_v2(address)
        if status:
            self._fail("cuMemFree_v2", status)

    def allocate_host(self, nbytes: int) -> int:
        """Allocates ``nbytes`` (at least 1) of pinned host memory, for all devices; returns the address."""
        answer = self.ffi.new("uintptr_t *")
        status = self._lib.cuMemHostAlloc(answer, min(nbytes, _MOST_BYTES), _HOST_PORTABLE)
        if status:
            self._fail("cuMemHostAlloc", status)
        return answer[0]

    def free_host(self, address: int) -> None:
        """Frees pinned host memory."""
        status = self._lib.cuMemFreeHost(address)
        if status:
            self._fail("cuMemFreeHost", status)

    def host_view(self, address: int, nbytes: int) -> memoryview:
        """A writable view of host memory; the caller must keep the memory alive."""
        return memoryview(self.ffi.buffer(self.ffi.cast("char *", address), nbytes))

    def host_address(self, data: Any) -> int:
        """The address of an object's bytes; valid while the object is alive and not resized."""
        return int(self.ffi.cast("uintptr_t", self.ffi.from_buffer(data)))

    def copy_to_device(self, to: int, host: int, nbytes: int, stream: int = 0) -> None:
        """Copies from host memory.

        Pageable memory may be modified when this returns; pinned memory only when the copy is done.
        """
        status = self._lib.cuMemcpyHtoDAsync_v2(to, host, nbytes, stream)
        if status:
            self._fail("cuMemcpyHtoDAsync_v2", status)

    def copy_to_host(self, host: int, source: int, nbytes: int, stream: int = 0) -> None:
        """Copies to host memory; the bytes are valid after waiting for the stream."""
        status = self._lib.cuMemcpyDtoHAsync_v2(host, source, nbytes, stream)
        if status:
            self._fail("cuMemcpyDtoHAsync_v2", status)

    def copy_on_device(self, to: int, source: int, nbytes: int, stream: int = 0) -> None:
        """Copies within a device's memory."""
        status = self._lib.cuMemcpyDtoDAsync_v2(to, source, nbytes, stream)
        if status:
            self._fail("cuMemcpyDtoDAsync_v2", status)

    def copy_between_devices(
        self, to: int, to_index: int, source: int, source_index: int, nbytes: int, stream: int = 0
    ) -> None:
        """Copies from the memory of one device to another's, in a stream of the current device."""
        to_context, source_context = self.context(to_index), self.context(source_index)
        status = self._lib.cuMemcpyPeerAsync(to, to_context, source, source_context, nbytes, stream)
        if status:
            self._fail("cuMemcpyPeerAsync", status)

    def fill_bytes(self, address: int, value: int, nbytes: int, stream: int = 0) -> None:
        """Fills memory with the byte ``value``."""
        status = self._lib.cuMemsetD8Async(address, value, nbytes, stream)
        if status:
            self._fail("cuMemsetD8Async", status)

    # -----------------------------------------------------------------------------------------------------
    # Streams and events.

    def create_stream(self) -> int:
        """Creates a stream of the current device that does not synchronize with the default one."""
        answer = self.ffi.new("uintptr_t *")
        status = self._lib.cuStreamCreate(answer, _STREAM_NON_BLOCKING)
        if status:
            self._fail("cuStreamCreate", status)
        return answer[0]

    def destroy_stream(self, stream: int) -> None:
        """Destroys a stream; work that is in it still completes."""
        status = self._lib.cuStreamDestroy_v2(stream)
        if status:
            self._fail("cuStreamDestroy_v2", status)

    def wait_for_stream(self, stream: int = 0) -> None:
        """Waits for all work in a stream."""
        status = self._lib.cuStreamSynchronize(stream)
        if status:
            self._fail("cuStreamSynchronize", status)

    def is_stream_done(self, stream: int = 0) -> bool:
        """Is all work in a stream done?"""
        status = self._lib.cuStreamQuery(stream)
        if status and status != NOT_READY:
            self._fail("cuStreamQuery", status)
        return status == 0

    def stream_wait_event(self, stream: int, event: int) -> None:
        """Makes later work in ``stream`` run after what ``event`` recorded.  Does not block the host."""
        status = self._lib.cuStreamWaitEvent(stream, event, 0)
        if status:
            self._fail("cuStreamWaitEvent", status)

    def create_event(self, timing: bool = False) -> int:
        """Creates an event of the current device; elapsed times need ``timing``."""
        answer = self.ffi.new("uintptr_t *")
        status = self._lib.cuEventCreate(answer, 0 if timing else _EVENT_DISABLE_TIMING)
        if status:
            self._fail("cuEventCreate", status)
        return answer[0]

    def destroy_event(self, event: int) -> None:
        """Destroys an event."""
        status = self._lib.cuEventDestroy_v2(event)
        if status:
            self._fail("cuEventDestroy_v2", status)

    def record_event(self, event: int, stream: int = 0) -> None:
        """Makes ``event`` record all work that is in ``stream`` now."""
        status = self._lib.cuEventRecord(event, stream)
        if status:
            self._fail("cuEventRecord", status)

    def is_event_done(self, event: int) -> bool:
        """Is the work that ``event`` recorded done?  True if it has recorded nothing."""
        status = self._lib.cuEventQuery(event)
        if status and status != NOT_READY:
            self._fail("cuEventQuery", status)
        return status == 0

    def wait_for_event(self, event: int) -> None:
        """Waits for the work that ``event`` recorded."""
        status = self._lib.cuEventSynchronize(event)
        if status:
            self._fail("cuEventSynchronize", status)

    def elapsed_milliseconds(self, start: int, end: int) -> float:
        """The time between two events with timing, both done."""
        answer = self.ffi.new("float *")
        status = self._lib.cuEventElapsedTime(answer, start, end)
        if status:
            self._fail("cuEventElapsedTime", status)
        return answer[0]

    # -----------------------------------------------------------------------------------------------------
    # Modules and launches.

    def load_module(self, image: bytes) -> int:
        """Loads a compiled image into the current context."""
        answer = self.ffi.new("uintptr_t *")
        # the size is not passed: like NVIDIA's, the emulated driver finds it in the image itself
        status = self._lib.cuModuleLoadData(answer, image)
        if status:
            self._fail("cuModuleLoadData", status)
        return answer[0]

    def unload_module(self, module: int) -> None:
        """Unloads a module of the current context, with its functions."""
        status = self._lib.cuModuleUnload(module)
        if status:
            self._fail("cuModuleUnload", status)

    def function(self, module: int, symbol: str) -> int:
        """The kernel with a symbol in a module."""
        answer = self.ffi.new("uintptr_t *")
        status = self._lib.cuModuleGetFunction(answer, module, symbol.encode())
        if status:
            self._fail(f"cuModuleGetFunction({symbol})", status)
        return answer[0]

    def function_attribute(self, function: int, name: str) -> int:
        """The value of one of FUNCTION_ATTRIBUTES."""
        answer = self.ffi.new("int *")
        status = self._lib.cuFuncGetAttribute(answer, FUNCTION_ATTRIBUTES[name], function)
        if status:
            self._fail("cuFuncGetAttribute", status)
        return answer[0]

    def allow_shared_bytes(self, function: int, nbytes: int) -> None:
        """Allows a kernel more dynamic shared memory than the default 48 KiB."""
        attribute = FUNCTION_ATTRIBUTES["max_dynamic_shared_bytes"]
        status = self._lib.cuFuncSetAttribute(function, attribute, nbytes)
        if status:
            self._fail("cuFuncSetAttribute", status)

    def launch(
        self,
        function: int,
        grid: tuple[int, int, int],
        block: tuple[int, int, int],
        shared_bytes: int,
        stream: int,
        parameters: Any,
        operator: str = "",
    ) -> None:
        """Launches a kernel into a stream of the current device.

        ``parameters`` is a ``void *[]`` of this driver's ``ffi`` with the addresses of the arguments, which
        are read before this returns.  ``operator`` is named in the error if the kernel fails.
        """
        x, y, z = grid
        i, j, k = block
        status = self._launch(function, x, y, z, i, j, k, shared_bytes, stream, parameters, self._null)
        if status:
            self._fail(f"cuLaunchKernel with grid {grid} and block {block}", status)
        self.launched(stream, operator)

    def launched(self, stream: int, operator: str) -> None:
        """Records the operator that launched a kernel, itself or by a library; waits if launches block."""
        self._last_operator = operator
        if self.blocking and not self.is_capturing(stream):
            status = self._lib.cuStreamSynchronize(stream)
            if status:
                self._fail("cuStreamSynchronize", status, operator)

    # -----------------------------------------------------------------------------------------------------
    # Graphs.

    def begin_capture(self, stream: int, mode: str = "relaxed") -> None:
        """Begins to capture the work of ``stream`` instead of running it.  ``mode``: one of CAPTURE_MODES."""
        status = self._lib.cuStreamBeginCapture_v2(stream, CAPTURE_MODES[mode])
        if status:
            self._fail("cuStreamBeginCapture_v2", status)

    def end_capture(self, stream: int) -> int:
        """Ends the capture, and returns its graph."""
        answer = self.ffi.new("uintptr_t *")
        status = self._lib.cuStreamEndCapture(stream, answer)
        if status:
            self._fail("cuStreamEndCapture", status)
        return answer[0]

    def is_capturing(self, stream: int) -> bool:
        """Is ``stream`` being captured?  True also after a forbidden call has invalidated the capture."""
        answer = self.ffi.new("int *")
        status = self._lib.cuStreamIsCapturing(stream, answer)
        if status:
            self._fail("cuStreamIsCapturing", status)
        return answer[0] != 0

    def instantiate_graph(self, graph: int) -> int:
        """The executable of a graph, for ``launch_graph``."""
        answer = self.ffi.new("uintptr_t *")
        status = self._lib.cuGraphInstantiateWithFlags(answer, graph, 0)
        if status:
            self._fail("cuGraphInstantiateWithFlags", status)
        return answer[0]

    def launch_graph(self, executable: int, stream: int = 0, operator: str = "") -> None:
        """Launches an executable graph into a stream."""
        status = self._lib.cuGraphLaunch(executable, stream)
        if status:
            self._fail("cuGraphLaunch", status)
        self._last_operator = operator or "a graph's"

    def destroy_graph(self, graph: int) -> None:
        """Destroys a graph; executables of it remain valid."""
        status = self._lib.cuGraphDestroy(graph)
        if status:
            self._fail("cuGraphDestroy", status)

    def destroy_executable(self, executable: int) -> None:
        """Destroys an executable graph."""
        status = self._lib.cuGraphExecDestroy(executable)
        if status:
            self._fail("cuGraphExecDestroy", status)


def _after_fork_in_child() -> None:
    for driver in list(_drivers):
        driver._forked = True
        driver.thread = _Thread()  # so that the next ``activate`` checks


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)


# ---------------------------------------------------------------------------------------------------------
# Opening the library.

_lock = new_in_each_process(globals(), "_lock", threading.Lock)
_loaded: dict[bool, Driver | str] = {}  # emulated -> the driver, or why there is none


def is_emulating() -> bool:
    """Does ``GNOMON_CUDA_EMULATE`` select the emulated driver?"""
    return os.environ.get("GNOMON_CUDA_EMULATE", "0") not in ("", "0")


def load() -> Driver:
    """The driver, opened at first use: the GPU's, or with ``GNOMON_CUDA_EMULATE=1`` the emulated one.

    Raises BackendUnavailableError, which says what is missing; the outcome is cached.
    """
    emulated = is_emulating()
    with _lock:
        if emulated not in _loaded:
            try:
                _loaded[emulated] = open_emulation() if emulated else Driver()
            except BackendUnavailableError as error:
                _loaded[emulated] = str(error)
        found = _loaded[emulated]
    if isinstance(found, str):
        raise BackendUnavailableError(found)
    return found


def open_emulation() -> Driver:
    """A new emulated driver, with its own devices and memory.

    ``GNOMON_CUDA_EMULATED_DEVICES`` and ``GNOMON_CUDA_EMULATED_MEMORY`` set the number of devices and their
    memory.  Raises BackendUnavailableError without a C++ compiler, or if the emulation does not compile.
    """
    from .emulation import build

    path: Path = build()
    return Driver(path, emulated=True)
