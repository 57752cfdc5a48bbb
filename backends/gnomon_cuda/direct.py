"""Direct: operators that are not walked over: Python functions that launch kernels on whole tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from gnomon.dispatch.dispatcher import aten
from gnomon.kit.iterator import TensorIterator
from gnomon.kit.launch import NOT_IMPLEMENTED
from gnomon.memory.tensor import Tensor

from .allocator import Memory
from .launcher import MOST_DIMS, THREADS, grid_of

Grid = tuple[int, int, int]


class Direct(NamedTuple):
    """An operator of a family.

    name      PyTorch's name with overload
    dtypes    those of the tensor that the operator is looked up by
    function  ``function(work, tensors, arguments)`` puts kernels into the current stream, and returns a
              status of kit.launch: ``tensors``, outputs first, then those of the schema in its order, lists
              spread out; ``arguments`` are the others by their names in the schema
    source    where its kernels are written: "csrc/cuda/rearrange.cu"
    """

    name: str
    dtypes: tuple[str, ...]
    function: Callable[[Work, Sequence[Any], dict[str, Any]], int]
    source: str


class DirectKernel:
    """One operator; ``prepare`` makes calls of it."""

    def __init__(self, runtime: Any, direct: Direct):
        self.runtime = runtime
        self.direct = direct
        self._arguments: list[Any] | None = None

    def prepare(
        self,
        walk: TensorIterator | None,
        tensors: Sequence[Tensor | None],
        output_count: int,
        kernel_arguments: Sequence[Any],
    ) -> DirectCall:
        """The call for tensors of these specs, with these other arguments."""
        if self._arguments is None:
            record = aten._find(self.direct.name).record
            self._arguments = [record.schema.arguments[position] for position in record.kernel_positions]
        arguments: dict[str, Any] = {}
        for argument, value in zip(self._arguments, kernel_arguments):
            if argument.type != "Tensor":
                arguments[argument.name] = value
            elif argument.is_list:  # how many there are: they stand among the call's tensors
                arguments[argument.name] = len(value)
        return DirectCall(self, arguments)


class DirectCall:
    """A call whose tensors are given when it runs."""

    def __init__(self, kernel: DirectKernel, arguments: dict[str, Any]):
        self._kernel = kernel
        self._arguments = arguments

    def entry(self, operands: int, numbers: int, inplace: bool = False) -> None:
        """There is no function in C that runs the call."""
        return

    def run(self, tensors: Sequence[Tensor | None]) -> int:
        """Launch it on ``tensors``, outputs first; returns a status of kit.launch."""
        if any(tensor is not None and tensor._spec.ndim > MOST_DIMS for tensor in tensors):
            return NOT_IMPLEMENTED
        kernel = self._kernel
        device = next(tensor._spec.device for tensor in tensors if tensor is not None)
        work = Work(kernel.runtime, kernel.direct.name, device.index or 0)
        return kernel.direct.function(work, tensors, self._arguments)


class Work:
    """What a call launches its kernels by: in the current stream of one device.

    device, stream   the device's number, the stream's handle
    """

    def __init__(self, runtime: Any, name: str, device: int):
        self.runtime = runtime
        self.device = device
        self.stream: int = runtime.enter(device)
        self._name = name
        self._ffi = runtime.ffi

    def view(self, tensor: Tensor | None) -> Any:
        """The parameter ``gn_view`` of a tensor; of None one whose ``at`` is null."""
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

        Dimensions that lie one behind the other in all of them become one: each costs a kernel a division.
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

    def address(self, tensor: Tensor | None) -> Any:
        """A parameter that points to a tensor's first element; null for None."""
        return self._ffi.new("uintptr_t *", 0 if tensor is None else int(tensor._address))

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
        """A parameter that points to memory of ``temporary``; null for None."""
        return self._ffi.new("uintptr_t *", 0 if memory is None else memory.address)

    def structure(self, name: str, content: Any) -> Any:
        """A parameter of a structure that the family has declared."""
        return self._ffi.new(f"{name} *", content)

    def temporary(self, nbytes: int) -> Memory:
        """Memory for as long as the object lives, and what was launched with it before.

        Raises OutOfMemoryError.
        """
        return self.runtime.allocate(nbytes, self.device)  # type: ignore[no-any-return]

    def upload(self, name: str, rows: Sequence[Any]) -> Memory:
        """A table in the device's memory: a structure that the family has declared, for each row."""
        return self.upload_bytes(self._ffi.buffer(self._ffi.new(f"{name}[]", list(rows))))

    def upload_bytes(self, content: Any) -> Memory:
        """These bytes in the device's memory."""
        driver = self.runtime.driver
        memory = self.temporary(len(content))
        driver.copy_to_device(memory.address, driver.host_address(content), len(content), self.stream)
        return memory

    def flag(self) -> Memory:
        """An int32 that is 0, for a kernel to say that something was wrong."""
        return self.runtime.new_flag(self.device, self.stream)  # type: ignore[no-any-return]

    def is_set(self, flag: Memory) -> bool:
        """Did a kernel set the flag?  Waits for all that was launched."""
        return self.runtime.is_set(flag, self.stream)  # type: ignore[no-any-return]

    @property
    def multiprocessors(self) -> int:
        """How many multiprocessors the device has."""
        return self.runtime.multiprocessors(self.device)  # type: ignore[no-any-return]

    def grid(self, steps: int) -> Grid:
        """Blocks of ``THREADS`` threads for kernels in strides over so many steps."""
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
        """Put ``kernel``, a C++ expression, of csrc/cuda/``text`` for ``dtype`` into the stream.

        ``group``: the kernels to compile with it, itself among them, always in the same order.
        """
        function = self.runtime.programs.function(self.device, text, dtype, kernel, group or (kernel,))
        self.runtime.launch(self._name, function, grid, threads, self.stream, arguments, shared_bytes)


def tables(
    runtime: Any, found: Sequence[Direct]
) -> tuple[dict[str, Any], dict[str, tuple[str, ...]], dict[str, str]]:
    """The kernels by operator, the dtypes that each takes, and where each is written."""
    return (
        {each.name: DirectKernel(runtime, each) for each in found},
        {each.name: each.dtypes for each in found},
        {each.name: each.source for each in found},
    )
