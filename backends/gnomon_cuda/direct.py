"""Direct operators: Python functions that launch kernels on whole tensors, without a TensorIterator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from gnomon.calls.iterator import TensorIterator
from gnomon.dispatch.dispatcher import aten
from gnomon.memory.prepared import NOT_IMPLEMENTED, PreparingKernel
from gnomon.memory.spec import Spec
from gnomon.memory.tensor import Tensor

from .allocator import Memory
from .entries import CudaCall, Operand
from .launcher import MOST_DIMS, THREADS, grid_of

Grid = tuple[int, int, int]


class Direct(NamedTuple):
    """An operator of a family.

    name      PyTorch's name with overload
    dtypes    the supported dtypes of the tensor by which kernels are selected
    function  ``function(work, tensors, arguments)`` launches kernels in the current stream, and returns a
              status like ``run``: ``tensors`` are the outputs, then those of the schema in its order, with
              lists flattened; ``arguments`` are the others by their names in the schema
    source    the file of its kernels: "csrc/cuda/rearrange.cu"
    """

    name: str
    dtypes: tuple[str, ...]
    function: Callable[[Work, Sequence[Any], dict[str, Any]], int]
    source: str


class DirectKernel(PreparingKernel):
    """The kernel of one operator; ``prepare`` makes prepared calls of it."""

    def __init__(self, runtime: Any, direct: Direct):
        self.runtime = runtime
        self.direct = direct
        self._arguments: list[Any] | None = None

    def prepare(
        self,
        iterator: TensorIterator | None,
        tensors: Sequence[Tensor | None],
        output_count: int,
        kernel_arguments: Sequence[Any],
    ) -> DirectCall:
        """The prepared call for tensors of these specs and these other arguments."""
        if self._arguments is None:
            record = aten._find(self.direct.name).record
            self._arguments = [record.schema.arguments[position] for position in record.kernel_positions]
        arguments: dict[str, Any] = {}
        for argument, value in zip(self._arguments, kernel_arguments):
            if argument.type != "Tensor":
                arguments[argument.name] = value
            elif argument.is_list:  # only the length: its items are among the call's tensors
                arguments[argument.name] = len(value)
        specs = [None if tensor is None else tensor._spec for tensor in tensors]
        return DirectCall(self, specs, output_count, arguments)


class DirectCall(CudaCall):
    """A prepared call for tensors of these specs."""

    def __init__(
        self,
        kernel: DirectKernel,
        specs: Sequence[Spec | None],
        output_count: int,
        arguments: dict[str, Any],
    ):
        super().__init__(kernel.runtime, specs, output_count)
        self._direct = kernel.direct
        self._arguments = arguments
        self._is_small = all(spec is None or spec.ndim <= MOST_DIMS for spec in specs)

    def launch(self, addresses: Sequence[int], stream: int) -> int:
        """Launches it on tensors at these addresses; returns a status like ``run``."""
        if not self._is_small:
            return NOT_IMPLEMENTED
        tensors = [
            None if spec is None else Operand(spec, address) for spec, address in zip(self._specs, addresses)
        ]
        work = Work(self._runtime, self._direct.name, self._device, stream)
        return self._direct.function(work, tensors, self._arguments)


class Work:
    """Helpers of one call to launch its kernels, in the current stream of one device.

    name             of the operator
    device, stream   the device's number, the stream's handle
    """

    def __init__(self, runtime: Any, name: str, device: int, stream: int):
        self.runtime = runtime
        self.device = device
        self.stream = stream
        self.name = name
        self._ffi = runtime.ffi

    def view(self, tensor: Tensor | None) -> Any:
        """The parameter ``gn_view`` of a tensor; for None one whose ``at`` is null."""
        if tensor is None:
            return self._ffi.new("gn_view *")
        spec = tensor._spec
        itemsize = spec.dtype.itemsize
        strides = [stride * itemsize for stride in spec.strides]
        return self._ffi.new(
            "gn_view *", (int(tensor._address), spec.dtype.code, spec.ndim, list(spec.sizes), strides)
        )

    def views(self, sizes: Sequence[int], *places: tuple[int, Sequence[int]]) -> list[Any]:
        """Parameters ``gn_view`` of the same sizes, from (address, strides in bytes) of each.

        Coalesces dimensions where all operands allow it, because each costs a kernel a division.
        """
        kept: list[int] = []
        strides: list[list[int]] = [[] for _ in places]
        for dim, size in enumerate(sizes):
            if size == 1:
                continue
            steps = [place[1][dim] for place in places]
            if kept and all(mine[-1] == step * size for mine, step in zip(strides, steps)):
                kept[-1] *= size
                for mine, step in zip(strides, steps):
                    mine[-1] = step
                continue
            kept.append(size)
            for mine, step in zip(strides, steps):
                mine.append(step)
        return [
            self._ffi.new("gn_view *", (place[0], 0, len(kept), kept, mine))
            for place, mine in zip(places, strides)
        ]

    def int64(self, value: int) -> Any:
        """A parameter ``int64_t``."""
        return self._ffi.new("int64_t *", int(value))

    def int32(self, value: int) -> Any:
        """A parameter ``int32_t``."""
        return self._ffi.new("int32_t *", int(value))

    def double(self, value: float) -> Any:
        """A parameter ``double``."""
        return self._ffi.new("double *", value)

    def pointer(self, memory: Memory | None) -> Any:
        """A pointer parameter to memory of ``temporary``; null for None."""
        return self.address(0 if memory is None else memory.address)

    def address(self, place: Tensor | int | None) -> Any:
        """A pointer parameter to an address, or to a tensor's first element; null for None."""
        if place is None or isinstance(place, int):
            return self._ffi.new("uintptr_t *", place or 0)
        return self._ffi.new("uintptr_t *", int(place._address))

    def structure(self, name: str, content: Any) -> Any:
        """A parameter of a structure that the family has declared."""
        return self._ffi.new(f"{name} *", content)

    def temporary(self, nbytes: int) -> Memory:
        """Memory that is valid as long as the object lives, and for all work launched before that.

        Raises OutOfMemoryError.
        """
        return self.runtime.allocate(nbytes, self.device)

    def zeros(self, nbytes: int) -> Memory:
        """Temporary memory whose bytes are 0."""
        memory = self.temporary(nbytes)
        if nbytes:
            self.runtime.driver.fill_bytes(memory.address, 0, nbytes, self.stream)
        return memory

    def upload(self, name: str, rows: Sequence[Any]) -> Memory:
        """An array in the device's memory of a structure that the family has declared, one for each row."""
        return self.upload_bytes(self._ffi.buffer(self._ffi.new(f"{name}[]", list(rows))))

    def upload_bytes(self, content: Any) -> Memory:
        """A copy of these bytes in the device's memory."""
        memory = self.temporary(len(content))
        self.runtime.upload(memory.address, content, self.device, self.stream)
        return memory

    def flag(self) -> Memory:
        """An int32 that is 0, by which a kernel can report an error."""
        return self.runtime.new_flag(self.device, self.stream)

    def is_set(self, flag: Memory) -> bool:
        """Did a kernel set the flag?  Waits for all launched work."""
        return self.runtime.is_set(flag, self.stream)

    @property
    def multiprocessors(self) -> int:
        """The number of the device's multiprocessors."""
        return self.runtime.multiprocessors(self.device)

    def grid(self, steps: int) -> Grid:
        """A grid of blocks of ``THREADS`` threads for grid-stride loops over ``steps``."""
        return grid_of(steps, self.runtime.multiprocessors(self.device))

    def launch(
        self,
        text: str,
        dtype: str,
        kernel: str,
        grid: Grid,
        arguments: Sequence[Any],
        group: Sequence[str] = (),
        threads: int = THREADS,
        shared_bytes: int = 0,
    ) -> None:
        """Launches ``kernel``, a C++ expression, of csrc/cuda/``text`` for ``dtype``.

        ``group``: the kernels that are compiled with it, including itself, always in the same order.
        """
        function = self.runtime.programs.function(self.device, text, dtype, kernel, group or (kernel,))
        self.runtime.launch(self.name, function, grid, threads, self.stream, arguments, shared_bytes)


def tables(
    runtime: Any, found: Sequence[Direct]
) -> tuple[dict[str, Any], dict[str, tuple[str, ...]], dict[str, str]]:
    """The kernels, the dtypes and the source locations, each by operator."""
    return (
        {each.name: DirectKernel(runtime, each) for each in found},
        {each.name: each.dtypes for each in found},
        {each.name: each.source for each in found},
    )
