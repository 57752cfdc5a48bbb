"""The operators whose kernels are in csrc/cuda/pointwise.cu."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from gnomon.calls.iterator import TensorIterator
from gnomon.dispatch.dispatcher import aten
from gnomon.memory.prepared import BAD_VALUE, OK, PreparingKernel
from gnomon.memory.tensor import Tensor
from gnomon.values.dtype import ALL
from gnomon.values.scalar import scalar_forms

from .entries import CudaCall
from .launcher import FEW_DIMS, THREADS, VECTOR_BYTES, Geometry, geometry_of, grid_of
from .programs import Program, one_by_one
from .tables import DTYPES, Row, pointwise_rows

TEXT = "pointwise.cu"
_ROWS = pointwise_rows()
BLOCK = THREADS, 1, 1
_INTEGER_TYPES = ("int", "SymInt", "bool")
# Dtypes whose elements are moved by the kernels of another dtype of the same size.
_MOVED_AS = {
    "bool": "uint8",
    "uint8": "uint8",
    "int8": "uint8",
    "int16": "int16",
    "float16": "int16",
    "bfloat16": "int16",
    "int32": "int32",
    "float32": "int32",
    "int64": "int64",
    "float64": "int64",
    "complex64": "int64",
    "uint16": "int16",
    "uint32": "int32",
    "uint64": "int64",
    "float8_e4m3fn": "uint8",
    "float8_e5m2": "uint8",
    "complex32": "int32",
}
_CHOICE_DTYPE = "uint8"  # where() depends only on the itemsize, so it is compiled for one dtype
_JOINING = ["complex", "polar"]  # two real inputs, one complex output
# dtype -> its operations, and those that only move elements, in the order in which they are compiled.
_OPERATIONS = {
    dtype: [row.id for row in _ROWS if dtype in row.dtypes and row.id not in _JOINING]
    for dtype in DTYPES["ALL"]
}
_MOVES = ["fill", *(f"copy_{each.name}" for each in ALL)]


def _dense_words(lanes: int) -> str:
    """The expression of a dense kernel with ``lanes`` lanes, with a placeholder for the operation."""
    return f"pointwise_dense<%s_operation, {lanes}>"


def walk(is_small: bool) -> str:
    """The end of the expression of a kernel for strided operands."""
    return f"uint32_t, {FEW_DIMS}>" if is_small else "int64_t, 64>"


def _strided_words(is_small: bool) -> str:
    return f"pointwise_strided<%s_operation, {walk(is_small)}"


def _dense_choice(itemsize: int) -> str:
    return f"where_dense<{_element(itemsize)}>"


def _strided_choice(itemsize: int, is_small: bool) -> str:
    return f"where_strided<{_element(itemsize)}, {walk(is_small)}"


def _element(itemsize: int) -> str:
    """The C++ type by which where() moves elements of this size."""
    return f"uint{itemsize * 8}_t" if itemsize <= 8 else "gn_uint128"


class PointwiseKernel(PreparingKernel):
    """The kernel of one operator; ``prepare`` makes prepared calls of it."""

    def __init__(self, runtime: Any, row: Row):
        self._runtime = runtime
        self.row = row
        self._arguments: list[Any] | None = None

    def numbers(self, kernel_arguments: Sequence[Any]) -> tuple[list[Any], list[int]]:
        """The scalars and the integers of a call, in the schema's order."""
        if self._arguments is None:
            record = aten._find(self.row.name).record
            self._arguments = [record.schema.arguments[position] for position in record.kernel_positions]
        scalars, integers = [], []
        others = [each for each in self._arguments if each.type != "Tensor"]
        for argument, value in zip(others, kernel_arguments):
            if argument.type in _INTEGER_TYPES:
                integers.append(int(value))
            elif argument.type == "str":
                integers.append(ord(value[0]) if value else 0)
            else:
                scalars.append(scalar_forms(value))
        return scalars, integers

    def prepare(
        self,
        iterator: TensorIterator,
        tensors: Sequence[Tensor | None],
        output_count: int,
        kernel_arguments: Sequence[Any],
    ) -> PointwiseCall:
        """The prepared call for operands with the geometry of ``iterator``."""
        row = self.row
        scalars, integers = self.numbers(kernel_arguments)
        dtype = iterator.operands[1].dtype.name
        return PointwiseCall(self._runtime, row.name, row.id, dtype, iterator, scalars, integers, row.checked)


class CopyKernel(PreparingKernel):
    """copy_ between any two dtypes."""

    def __init__(self, runtime: Any):
        self._runtime = runtime

    def prepare(
        self,
        iterator: TensorIterator,
        tensors: Sequence[Tensor | None],
        output_count: int,
        kernel_arguments: Sequence[Any],
    ) -> PointwiseCall:
        """The prepared call for operands with the geometry of ``iterator``."""
        to, source = (operand.dtype.name for operand in iterator.operands)
        if to == source:  # copies bits, so that NaN payloads are preserved
            to = source = _MOVED_AS.get(to, to)
        return PointwiseCall(self._runtime, "copy_", f"copy_{source}", to, iterator, [], [], False)


class FillKernel(PreparingKernel):
    """fill_ with a number."""

    def __init__(self, runtime: Any):
        self._runtime = runtime

    def prepare(
        self,
        iterator: TensorIterator,
        tensors: Sequence[Tensor | None],
        output_count: int,
        kernel_arguments: Sequence[Any],
    ) -> PointwiseCall:
        """The prepared call for operands with the geometry of ``iterator``."""
        scalars = [scalar_forms(kernel_arguments[0])]
        dtype = iterator.operands[0].dtype.name
        return PointwiseCall(self._runtime, "fill_.Scalar", "fill", dtype, iterator, scalars, [], False)


class _Way(NamedTuple):
    """How a call is launched: the kernel, its grid, its parameters before and after the operands'."""

    function: int
    grid: tuple[int, int, int]
    before: list[Any]
    after: list[Any]


class PointwiseCall(CudaCall):
    """A prepared call for operands of one geometry."""

    def __init__(
        self,
        runtime: Any,
        name: str,
        operation: str,
        dtype: str,
        iterator: TensorIterator,
        scalars: Sequence[Any],
        integers: Sequence[int],
        checked: bool,
    ):
        super().__init__(runtime, [iterator.operands[0].spec], 1)
        ffi = runtime.ffi
        self._number_dtype = iterator.operands[-1].dtype
        self._name = name
        self._operation = operation
        self._dtype = dtype
        self._checked = checked
        self._geometry: Geometry = geometry_of(iterator)
        self._single = self._geometry.single()
        self._count = ffi.new("int64_t *", self._geometry.numel)
        self._bits = ffi.new("int32_t *", self._single or 0)
        dtypes = [operand.dtype.code for operand in iterator.operands]
        self._numbers = ffi.new("gn_numbers *", (dtypes, scalars, integers))
        self._no_fault = ffi.new("uintptr_t *", 0)
        self._shape: Any = None
        self._ways: dict[int, _Way] = {}  # by lanes
        self._places_type = ffi.typeof("gn_places *")
        self._parameters_type = ffi.typeof("void *[]")

    def launch(self, addresses: Sequence[int], stream: int) -> int:
        """Launches it on operands at these addresses, the output first."""
        geometry = self._geometry
        if geometry.numel == 0:
            return OK
        lanes = 0 if self._single is None else geometry.lanes(addresses, self._single)
        way = self._ways.get(lanes)
        if way is None:
            way = self._ways[lanes] = self._find(lanes)
        runtime = self._runtime
        ffi = runtime.ffi
        places = ffi.new(self._places_type, (addresses,))
        parameters = [*way.before, places, *way.after]
        if self._checked:
            fault = runtime.new_flag(self._device, stream)
            pointer = ffi.new("uintptr_t *", fault.address)
            parameters[-1] = pointer
        runtime.driver.launch(
            way.function,
            way.grid,
            BLOCK,
            0,
            stream,
            ffi.new(self._parameters_type, parameters),
            self._name,
        )
        return BAD_VALUE if self._checked and runtime.is_set(fault, stream) else OK

    def _shape_for_kernel(self) -> Any:
        if self._shape is None:
            geometry = self._geometry
            kind = "gn_shape8 *" if self._is_small else "gn_shape64 *"
            content = (len(geometry.sizes), geometry.sizes, geometry.strides)
            self._shape = self._runtime.ffi.new(kind, content)
        return self._shape

    @property
    def _is_small(self) -> bool:
        return len(self._geometry.sizes) <= FEW_DIMS and self._geometry.numel < 2**32

    def _find(self, lanes: int) -> _Way:
        """How to launch the call on operands whose alignment allows ``lanes`` elements at once."""
        if lanes:
            words = _dense_words(lanes)
        else:
            words = _strided_words(self._is_small)
        groups = (_MOVES, _JOINING, _OPERATIONS[self._dtype])
        together = next(each for each in groups if self._operation in each)
        return self._way(lanes, words % self._operation, [words % each for each in together])

    def _way(self, lanes: int, kernel: str, group: Sequence[str], text: str = TEXT) -> _Way:
        runtime, device = self._runtime, self._device
        shape = self._shape_for_kernel() if self._single is None else self._bits
        work = self._geometry.numel // max(lanes, 1) + 1
        return _Way(
            runtime.programs.function(device, text, self._dtype, kernel, group),
            grid_of(work, runtime.multiprocessors(device)),
            [self._count],
            [shape, self._numbers, self._no_fault],
        )


class WhereKernel(PreparingKernel):
    """where.self: elements of any dtype, moved by their size."""

    def __init__(self, runtime: Any):
        self._runtime = runtime

    def prepare(
        self,
        iterator: TensorIterator,
        tensors: Sequence[Tensor | None],
        output_count: int,
        kernel_arguments: Sequence[Any],
    ) -> WhereCall:
        """The prepared call for operands with the geometry of ``iterator``."""
        return WhereCall(self._runtime, iterator)


class WhereCall(PointwiseCall):
    """A call of where.self."""

    def __init__(self, runtime: Any, iterator: TensorIterator):
        dtype = iterator.operands[0].dtype
        self._itemsize = dtype.itemsize
        super().__init__(runtime, "where.self", "", _CHOICE_DTYPE, iterator, [], [], False)

    def _find(self, lanes: int) -> _Way:
        if self._single is not None:
            kernel = _dense_choice(self._itemsize)
        else:
            kernel = _strided_choice(self._itemsize, self._is_small)
        way = self._way(0, kernel, [kernel])
        return way._replace(after=way.after[:1])


def programs() -> Iterator[Program]:
    """All programs of this family."""
    sizes = {each.name: each.itemsize for each in ALL}
    for dtype, own in _OPERATIONS.items():
        size = sizes[dtype]
        # a thread processes as many elements at once as the widest operand allows, or one
        yield from _programs_of(dtype, own, {VECTOR_BYTES // size, 1})
        if dtype in DTYPES["PRECISE"]:
            yield from _programs_of(dtype, _JOINING, {VECTOR_BYTES // (2 * size), 1})
        widest = {max(size, other) for other in sizes.values()}
        yield from _programs_of(dtype, _MOVES, {VECTOR_BYTES // each for each in widest} | {1})
    itemsizes = sorted(set(sizes.values()))
    chosen = [_dense_choice(each) for each in itemsizes]
    chosen += [_strided_choice(each, is_small) for each in itemsizes for is_small in (True, False)]
    yield from one_by_one(TEXT, _CHOICE_DTYPE, chosen)


def _programs_of(dtype: str, operations: Sequence[str], lanes: Iterable[int]) -> Iterator[Program]:
    ways = [*map(_dense_words, sorted(lanes)), _strided_words(True), _strided_words(False)]
    for words in ways:
        yield Program(TEXT, dtype, tuple(words % each for each in operations))


def kernels(runtime: Any) -> tuple[dict[str, Any], dict[str, tuple[str, ...]], dict[str, str]]:
    """The kernels, the dtypes and the source locations, each by operator."""
    found: dict[str, Any] = {row.name: PointwiseKernel(runtime, row) for row in _ROWS}
    dtypes = {row.name: row.dtypes for row in _ROWS}
    written = {row.name: row.source for row in _ROWS}
    for name, kernel in (
        ("copy_", CopyKernel(runtime)),
        ("fill_.Scalar", FillKernel(runtime)),
        ("where.self", WhereKernel(runtime)),
    ):
        found[name] = kernel
        dtypes[name] = tuple(each.name for each in ALL)
        written[name] = f"csrc/cuda/{TEXT}"
    return found, dtypes, written
