"""The Backend class of the C library: memory by address, kernels as prepared calls."""

from __future__ import annotations

import gc
from array import array
from collections.abc import Sequence
from typing import Any

from gnomon.calls.iterator import TensorIterator
from gnomon.dispatch.dispatcher import aten
from gnomon.memory.backend import USUAL_TRAITS, Backend
from gnomon.memory.prepared import NOT_IMPLEMENTED, CallInC, PreparedCall, PreparingKernel, register_free
from gnomon.memory.tensor import Tensor
from gnomon.values import dtype as dtypes
from gnomon.values.dtype import ALL, FLOAT8, LIMITED, UNSIGNED
from gnomon.values.errors import OutOfMemoryError
from gnomon.values.scalar import NO_INTEGER, scalar_forms
from gnomon.values.speedups import speedups

from . import library

_INTEGER_TYPES = frozenset({"int", "SymInt", "bool"})
# Functions that C callers may call by address.
_ENTRIES = (
    *("gn_call1", "gn_call2", "gn_call3", "gn_call1_number", "gn_call2_number"),
    *("gn_run", "gn_run2", "gn_run3", "gn_run2_number", "gn_allocate", "gn_free"),
    *("gn_call0", "gn_call0_scalar", "gn_call0_stream", "gn_run1", "gn_run1_scalar", "gn_run1_stream"),
)


_EVERY = (*ALL, *LIMITED)
_FRACTIONS = (*FLOAT8, dtypes.complex32)
# Dtypes of the same size.  A kernel that moves elements, or combines the bits of unsigned integers as it does
# those of signed ones, is that of the twin; their numbers matter only to the functions of csrc/c/limited.c.
_TWINS = {
    dtypes.uint16: dtypes.int16,
    dtypes.uint32: dtypes.int32,
    dtypes.uint64: dtypes.int64,
    dtypes.float8_e4m3fn: dtypes.uint8,
    dtypes.float8_e5m2: dtypes.uint8,
    dtypes.complex32: dtypes.int32,
}
_MOVES = (
    *("copy_", "fill_.Scalar", "where.self", "cat", "flip", "_index", "index_select", "embedding"),
    *("eq.Tensor", "ne.Tensor"),
)
_OF_BITS = (
    *("mul.Tensor", "bitwise_and.Tensor", "bitwise_or.Tensor", "bitwise_xor.Tensor"),
    *("ceil", "floor", "round", "trunc", "any.dims", "all.dims"),
)
_OF_FRACTIONS = {  # of floats of 8 bits and complex32
    "fill_.Scalar": "GN_LIMITED_FILL",
    "eq.Tensor": "GN_LIMITED_EQUAL",
    "ne.Tensor": "GN_LIMITED_DIFFERENT",
}


def limited_of(name: str) -> tuple[dtypes.dtype, ...]:
    """The dtypes of LIMITED for which there is a kernel of operator ``name``."""
    if name in _MOVES:
        return LIMITED
    return UNSIGNED if name in _OF_BITS else ()


class Memory:
    """A block of the C allocator, freed when the last reference to it is dropped, unless ``free`` is None."""

    __slots__ = ("__weakref__", "_free", "address")

    def __init__(self, address: float, free: Any):
        self.address = address
        self._free = free

    def __del__(self) -> None:
        free = getattr(self, "_free", None)
        if free is not None:
            free(self.address)

    if speedups is not None:
        __del__ = speedups.guard("give_back", __del__)  # makes it uninterruptible


class ForeignMemory:
    """A block owned by ``owner``, which is kept alive."""

    __slots__ = ("__weakref__", "address", "owner")

    def __init__(self, address: float, owner: Any):
        self.address = address
        self.owner = owner


class CBackend(Backend):
    """The backend ``c``; csrc/gnomon.h documents the library's functions."""

    contract_version = (1, 4)
    name = "c"
    device_type = "c"
    host_memory = True
    has_addresses = True
    speed_rank = 20
    reads_float32_numbers = True
    traits = USUAL_TRAITS | {"memory_stats", "updates"}

    def __init__(self) -> None:
        self._problem = ""
        self.instruction_set = ""  # of the kernels: one of library.ISAS
        self._sources: dict[str, str] = {}
        self.kernels: dict[str, CKernel] = {}
        self.capabilities: dict[str, tuple[str, ...]] = {}
        try:
            extension = library.native()
            self.instruction_set = library.instruction_set()
        except RuntimeError as error:
            self._problem = str(error)
            return
        self._ffi = extension.ffi
        self._lib = extension.lib
        register_free(self.device_type, self._lib.gn_free)
        self._addresses = addresses = {
            getattr(self._lib, name): float(
                int(self._ffi.cast("uintptr_t", self._ffi.addressof(self._lib, name)))
            )
            for name in _ENTRIES
        }
        rows = self._lib.gn_rows()
        for number in range(self._lib.gn_row_count()):
            row = rows[number]
            name = self._ffi.string(row.name).decode()
            self.kernels[name] = CKernel(name, row, extension, addresses)
            table = self._ffi.string(row.file).decode().rpartition("/")[2]
            self._sources[name] = f"csrc/{table}:{row.line}"
            self.capabilities[name] = tuple(
                each.name for each in ALL if row.kernels[each.code] != self._ffi.NULL
            ) + tuple(each.name for each in limited_of(name))

    def is_available(self) -> tuple[bool, str]:
        return not self._problem, self._problem

    def kernel_source(self, operator: str) -> str:
        return self._sources[operator]

    def allocate(self, nbytes: int, index: int) -> Memory:
        return Memory(self.allocate_address(nbytes, index), self._lib.gn_free)

    def allocate_address(self, nbytes: int, index: int) -> float:
        address: float = self._lib.gn_allocate(nbytes)
        if not address:
            gc.collect()  # reference cycles may hold tensors
            address = self._lib.gn_allocate(nbytes)
        if not address:
            used = self.memory_stats(index)["allocated"]
            raise OutOfMemoryError(f"c: can not allocate {nbytes} bytes; {used} are in use")
        return address

    def allocate_entry(self) -> tuple[Any, float]:
        """The library's allocation function, and its address.  It takes a number of bytes, and returns the
        address of a new block, or 0.0 if there is no memory.
        """
        allocate = self._lib.gn_allocate
        return allocate, self._addresses[allocate]

    def free_entry(self) -> float:
        """The address of the library's function that frees a block, given the block's address."""
        return self._addresses[self._lib.gn_free]

    def wrap_host_memory(self, data: memoryview, address: int) -> ForeignMemory:
        return ForeignMemory(float(address), data)

    def memory_stats(self, index: int) -> dict[str, int]:
        counts = [self._ffi.new("int64_t *") for _ in range(3)]
        self._lib.gn_memory_stats(*counts)
        return dict(zip(("allocated", "cached", "peak"), (count[0] for count in counts)))

    def reset_peak_memory(self, index: int) -> None:
        self._lib.gn_reset_peak()

    def empty_cache(self) -> None:
        self._lib.gn_empty_cache()

    def set_memory_limit(self, nbytes: int | None, index: int) -> None:
        self._lib.gn_set_memory_limit(float(nbytes or 0))

    def set_num_threads(self, count: int) -> None:
        self._lib.gn_set_num_threads(count)

    def num_threads(self) -> int:
        return self._lib.gn_get_num_threads()

    def thread_pools(self) -> tuple[str, ...]:
        present = library.parallels_of(self._lib)
        runs = library.PARALLELS[self._lib.gn_get_parallel()]
        return tuple(sorted(present, key=lambda name: name != runs))

    def adopt(self, address: float, nbytes: int) -> Memory:
        return Memory(address, None)

    def take_over(self, memory: Memory, address: float) -> None:
        memory._free = self._lib.gn_free

    def copy_in(self, memory: Memory, offset: int, data: memoryview) -> None:
        if data.nbytes:
            self._ffi.memmove(self._pointer(memory, offset), data.cast("B"), data.nbytes)

    def copy_out(self, memory: Memory, offset: int, nbytes: int) -> memoryview:
        return self.host_view(memory, offset + nbytes)[offset:]

    def host_view(self, memory: Memory, nbytes: int) -> memoryview:
        # a view of the memory (say, a NumPy array) keeps the block alive: the destructor holds a reference to
        # it, and does nothing, without running Python code that an interrupt could hit
        pointer = self._ffi.gc(self._pointer(memory, 0), [memory].count)
        return memoryview(self._ffi.buffer(pointer, nbytes))

    def address(self, memory: Memory) -> int:
        return int(memory.address)

    def _pointer(self, memory: Memory, offset: int) -> Any:
        return self._ffi.cast("char *", int(memory.address) + offset)


class CKernel(PreparingKernel):
    """A row of the library's kernel table; ``prepare`` makes prepared calls of it."""

    __slots__ = ("_addresses", "_extension", "_row", "argument_types", "name")

    def __init__(self, name: str, row: Any, extension: Any, addresses: dict[Any, float]):
        self.name = name
        self._row = row
        self._extension = extension
        self._addresses = addresses
        self.argument_types: list[Any] | None = None

    def prepare(
        self,
        iterator: TensorIterator | None,
        tensors: Sequence[Tensor | None],
        output_count: int,
        kernel_arguments: Sequence[Any],
    ) -> CCall:
        """The prepared call for tensors of these specs and these other arguments."""
        if iterator is None:
            library.open_blas()
        return CCall(self, iterator, tensors, output_count, kernel_arguments)

    def prepare_list(self, calls: Sequence[CCall | None], number_tensor: int) -> CList:
        """The launch of all these calls (gnomon.memory.prepared.PreparedList)."""
        return CList(self._extension, calls, number_tensor)

    def _types(self) -> list[Any]:
        """The schema's arguments that kernels receive, in order."""
        if self.argument_types is None:
            record = aten._find(self.name).record
            self.argument_types = [record.schema.arguments[position] for position in record.kernel_positions]
        return self.argument_types

    def marshal(self, iterator: TensorIterator | None, values: Sequence[Any]) -> tuple[list[int], list[Any]]:
        """The integers and the scalars of gn_call, in the layout of csrc/gnomon.h."""
        integers: list[int] = []
        endings: list[int] = []
        lengths: list[int] = []
        scalars: list[Any] = []
        arguments = [each for each in self._types() if iterator is None or each.type != "Tensor"]
        for argument, value in zip(arguments, values):
            kind = argument.type
            if kind == "Tensor":
                if argument.is_list:
                    lengths.append(len(value))
                continue
            if kind in _INTEGER_TYPES:
                if argument.is_list:
                    integers.extend(
                        [NO_INTEGER] if value is None else [len(value), *(int(each) for each in value)]
                    )
                else:
                    integers.append(NO_INTEGER if value is None else int(value))
            elif kind == "Generator":  # seed, low and high half of the counter
                integers.extend((each + 2**63) % 2**64 - 2**63 for each in value)
            elif kind == "str":
                integers.append(0 if value is None else ord(value[0]))
                endings.append(0 if value is None else ord(value[-1]))
            else:
                scalars.append(scalar_forms(value))
        return integers + endings + lengths, scalars


def _held(stride: int) -> int:
    """A stride in bytes, or 0 if it does not fit 64 bits: such a dimension has one element at most."""
    return stride if -(2**63) <= stride < 2**63 else 0


class CCall(PreparedCall):
    """A filled gn_call and all that it points to.  The library's entry points take its ``address``."""

    __slots__ = (
        "_addresses",
        "_array_type",
        "_count",
        "_keep",
        "_lib",
        "_new",
        "_output_nbytes",
        "address",
        "is_claimed",
    )

    def __init__(
        self,
        kernel: CKernel,
        iterator: TensorIterator | None,
        tensors: Sequence[Tensor | None],
        output_count: int,
        kernel_arguments: Sequence[Any],
    ):
        ffi, lib = kernel._extension.ffi, kernel._extension.lib
        self._lib = lib
        self._addresses = kernel._addresses
        self._keep: list[Any] = []
        if iterator is not None:
            layouts = self._iterated(ffi, iterator)
            work = iterator.numel
            first = iterator.operands[0].spec
        else:
            layouts = [self._direct(ffi, tensor) for tensor in tensors]
            work = sum(tensor._spec.numel for tensor in tensors if tensor is not None)
            first = None if tensors[0] is None else tensors[0]._spec
        self._count = len(layouts)
        described = ffi.new("gn_tensor[]", layouts)
        integers, scalars = kernel.marshal(iterator, kernel_arguments)
        numbers = ffi.new("int64_t[]", integers or [0])
        described_scalars = ffi.new("gn_scalar[]", scalars or [(0.0, 0.0, 0)])
        key_dtype = layouts[kernel._row.key_tensor][0]
        if any(code >= len(ALL) for code, *_ in layouts):
            function = self._limited(ffi, lib, kernel.name, layouts, described)
        else:
            function = kernel._row.kernels[key_dtype] if key_dtype >= 0 else ffi.NULL
        if function is None:  # that of a dtype of the same size
            function = kernel._row.kernels[described[kernel._row.key_tensor].dtype]
        self.is_claimed = function != ffi.NULL
        call = ffi.new("gn_call *")
        call.kernel = function
        call.work = min(work, 2**62)  # elements that share memory can be more than that
        call.output_nbytes = 0 if first is None else first.extent_nbytes
        call.tensor_count = len(layouts)
        call.output_count = output_count
        call.integer_count = len(integers)
        call.scalar_count = len(scalars)
        call.tensors = described
        call.integers = numbers
        call.scalars = described_scalars
        self._keep += [call, described, numbers, described_scalars]
        self.address = float(int(ffi.cast("uintptr_t", call)))
        self._array_type = ffi.typeof("double[]")
        self._new = ffi.new
        self._output_nbytes = [
            0.0 if tensor is None else float(tensor._spec.extent_nbytes) for tensor in tensors[:output_count]
        ]

    @staticmethod
    def _limited(ffi: Any, lib: Any, name: str, layouts: Sequence[Any], described: Any) -> Any:
        """The function for tensors of which some have dtypes of LIMITED; NULL if there is none.

        None: the dtypes in ``described`` are now those whose kernels do the same to the same bits.
        """
        kinds = [_EVERY[code] if code >= 0 else None for code, *_ in layouts]
        limited = [each for each in kinds if each in LIMITED]
        if not all(each in limited_of(name) for each in limited):
            return ffi.NULL
        if name == "copy_" and kinds[0] is not kinds[1]:
            return lib.gn_limited_kernel(lib.GN_LIMITED_COPY)
        if name in _OF_FRACTIONS and limited[0] in _FRACTIONS:
            return lib.gn_limited_kernel(getattr(lib, _OF_FRACTIONS[name]))
        for place, each in enumerate(kinds):
            if each in LIMITED:
                described[place].dtype = _TWINS[each].code
        return None

    def _iterated(self, ffi: Any, iterator: TensorIterator) -> list[Any]:
        sizes = ffi.new("int64_t[]", list(iterator.shape) or [1])
        self._keep.append(sizes)
        layouts = []
        for operand in iterator.operands:
            strides = ffi.new("int64_t[]", [_held(stride) for stride in operand.strides] or [0])
            self._keep.append(strides)
            layouts.append((operand.dtype.code, len(iterator.shape), sizes, strides))
        return layouts

    def _direct(self, ffi: Any, tensor: Tensor | None) -> Any:
        if tensor is None:
            return (-1, 0, ffi.NULL, ffi.NULL)
        spec = tensor._spec
        sizes = ffi.new("int64_t[]", list(spec.sizes) or [1])
        steps = [_held(stride * spec.dtype.itemsize) for stride in spec.strides]
        strides = ffi.new("int64_t[]", steps or [0])
        self._keep += [sizes, strides]
        return (spec.dtype.code, spec.ndim, sizes, strides)

    def run(self, tensors: Sequence[Any]) -> int:
        """Runs the kernel on the memory of ``tensors``, outputs first; returns the library's status."""
        if not self.is_claimed:
            return NOT_IMPLEMENTED
        if self._count == 2:
            return self._lib.gn_run2(self.address, tensors[0]._address, tensors[1]._address)
        if self._count == 3:
            return self._lib.gn_run3(
                self.address, tensors[0]._address, tensors[1]._address, tensors[2]._address
            )
        addresses = self._array([0.0 if tensor is None else tensor._address for tensor in tensors])
        return self._lib.gn_run(self.address, addresses)

    def run_new(self, inputs: Sequence[float]) -> list[float] | None:
        """Runs the kernel on inputs at these addresses, and allocates the outputs.

        Returns the outputs' addresses, which the caller then owns; None if there is no memory or the kernel
        reported an error.  Only for calls whose outputs are new tensors.
        """
        lib = self._lib
        outputs = [lib.gn_allocate(nbytes) for nbytes in self._output_nbytes]
        if 0.0 not in outputs and not lib.gn_run(
            self.address, self._new(self._array_type, [*outputs, *inputs])
        ):
            return outputs
        for address in outputs:
            if address:
                lib.gn_free(address)
        return None

    def run_new_in_c(self) -> CallInC:
        lib, addresses = self._lib, self._addresses
        functions = (addresses[lib.gn_allocate], addresses[lib.gn_free], addresses[lib.gn_run])
        return CallInC(self.address, tuple(self._output_nbytes), *functions)

    def entry(self, operands: int, numbers: int, inplace: bool = False) -> Any:
        """The library's function that runs this call on ``operands`` tensors and, if ``numbers``, a number.

        It allocates the output and returns its address; with ``inplace`` it takes the output's address first
        and returns a status.  None if there is no such function.
        """
        if not self.is_claimed:
            return None
        lib = self._lib
        if inplace:
            if numbers:
                return lib.gn_run2_number if operands == 1 else None
            return {0: lib.gn_run1, 1: lib.gn_run2, 2: lib.gn_run3}.get(operands)
        if numbers:
            return {2: lib.gn_call1_number, 3: lib.gn_call2_number}.get(operands + 1)
        return {0: lib.gn_call0, 1: lib.gn_call1, 2: lib.gn_call2, 3: lib.gn_call3}.get(operands)

    def entry_with(self, what: str, inplace: bool) -> Any:
        """``entry`` for a call without inputs, which takes as its last arguments a number ("scalar"), or the
        seed and the counter of a random stream ("stream").
        """
        if not self.is_claimed:
            return None
        return getattr(self._lib, f"gn_{'run1' if inplace else 'call0'}_{what}")

    def entry_address(self, entry: Any) -> float:
        """The address of a function that ``entry`` returned, for callers in C."""
        return self._addresses.get(entry, 0.0)

    def _array(self, addresses: list[float]) -> Any:
        return self._new(self._array_type, addresses)


def addresses(columns: Sequence[Any], count: int) -> Any:
    """The addresses of lists of ``count`` tensors, one list after the other, as doubles; zeros for None."""
    found = array("d")
    for column in columns:
        found.extend([0.0] * count if column is None else [each._address for each in column])
    return found


if speedups is not None:
    addresses = speedups.addresses


class CList:
    """Prepared calls that run as one."""

    __slots__ = ("_addresses", "_calls", "_ffi", "_lib", "_number_tensor", "_numbers")

    def __init__(self, extension: Any, calls: Sequence[CCall | None], number_tensor: int):
        self._ffi, self._lib = extension.ffi, extension.lib
        self._calls = calls  # kept alive
        self._addresses = self._ffi.new("double[]", [0.0 if each is None else each.address for each in calls])
        self._number_tensor = number_tensor
        self._numbers = self._ffi.typeof("gn_scalar[]")

    def run(self, columns: Sequence[Any], numbers: Sequence[tuple[Any, ...]] | None) -> int:
        count = len(self._calls)
        data = self._ffi.from_buffer("double[]", addresses(columns, count))
        if numbers is None:
            forms, step = self._ffi.NULL, 0
        else:
            forms = self._ffi.new(self._numbers, [scalar_forms(each) for row in numbers for each in row])
            step = len(numbers[0]) if len(numbers) > 1 else 0
        return self._lib.gn_run_list(count, self._addresses, data, forms, step, self._number_tensor)
