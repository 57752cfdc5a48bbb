"""TensorIterator: iterates over several tensors together, element by element.

From the operands' specs it computes, in this order,
1. the shape they broadcast to,
2. the common dtype they are computed in,
3. each operand's strides for that shape (0 where it is expanded),
4. an order of dimensions in which memory is traversed forwards (dimension 0 of the iterator is the fastest),
5. the strides of outputs that do not exist yet: dense, in that same order,
6. which neighboring dimensions can be merged into one (coalescing).

All of it is arithmetic on specs: no memory is accessed.  ``with_tensors`` then binds the tensors of one call.
In a reduction the outputs have stride 0 in the reduced dimensions.

Source: aten/src/ATen/TensorIterator.cpp; the steps have the same names there.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from enum import IntEnum
from typing import Any

from ..memory.spec import Spec, spec_of
from ..memory.tensor import Tensor
from ..values import dtype as dtypes
from ..values import geometry
from ..values.dtype import Number, ResultType
from ..values.geometry import Ints


class FastSetup(IntEnum):
    """Why new outputs get their strides without a look at the order of dimensions: all operands have the same
    sizes, and the same memory order.  Source: FastSetupType.
    """

    NONE = 0  # they differ: the outputs are dense, in the order of the iterator's dimensions
    CONTIGUOUS = 1
    CHANNELS_LAST = 2
    NON_OVERLAPPING_DENSE = 3


class Operand:
    """One operand: its spec (None for an unallocated output or a number), and its strides in bytes.

    ``dtype`` is what the kernel sees; if the spec has another, the caller converts before or after.
    """

    __slots__ = ("dtype", "is_number", "is_output", "spec", "strides")

    def __init__(self, spec: Spec | None, is_output: bool, dtype: dtypes.dtype, is_number: bool = False):
        self.spec = spec
        self.is_output = is_output
        self.is_number = is_number
        self.dtype = dtype
        self.strides: list[int] = []


class TensorIterator:
    """The common iteration over ``operands``, outputs first.

    ``shape``      sizes after reordering and coalescing, dimension 0 fastest
    ``operands``   with ``strides`` in bytes, one for each dimension of ``shape``
    ``sizes``      the broadcast shape before that, in the user's order
    ``common_dtype`` the dtype to which inputs are converted
    ``numel``      elements of ``shape``; in a reduction those of the inputs
    """

    def __init__(
        self,
        name: str,
        inputs: Sequence[Spec | Number],
        output_dtypes: Sequence[dtypes.dtype],
        common_dtype: dtypes.dtype | None,
        device: Any,
        reduced_dims: Ints | None = None,
        keepdim: bool = False,
        static_sizes: Ints | None = None,
        outputs: Sequence[Spec | None] | None = None,
        input_dtypes: Sequence[dtypes.dtype] | None = None,
    ):
        self.name = name
        self._common_dtype = common_dtype
        self.device = device
        self.is_reduction = reduced_dims is not None
        self.reduced_dims = reduced_dims or ()
        self.keepdim = keepdim
        self.inputs = tuple(inputs)
        self.given_outputs = outputs
        self.input_dtypes = input_dtypes
        self.tensors: tuple[Tensor, ...] = ()
        self.operands = [
            Operand(spec, True, dtype)
            for spec, dtype in zip(outputs or [None] * len(output_dtypes), output_dtypes)
        ]
        for position, each in enumerate(inputs):
            spec = each if isinstance(each, Spec) else None
            wanted = input_dtypes[position] if input_dtypes is not None else common_dtype
            if spec is not None and wanted is not None and spec.dtype is not wanted:
                # the copy that the kernel will see; compute_types in PyTorch replaces it as early
                spec = converted_spec(spec, wanted)
            self.operands.append(Operand(spec, False, wanted or spec.dtype, is_number=spec is None))  # type: ignore[union-attr]
        self.output_count = len(output_dtypes)
        self._compute_shape(static_sizes)
        self._compute_strides()
        self._reorder_dimensions()
        self._allocate_outputs()
        self._coalesce_dimensions()
        self.numel = geometry.numel_of(self.shape)

    # -- the six steps ---------------------------------------------------------------------------------------

    def _compute_shape(self, static_sizes: Ints | None) -> None:
        sizes: Ints | None = static_sizes
        self.all_same_shape = not any(operand.is_number for operand in self.operands)
        for operand in self.operands[self.output_count :]:
            if operand.spec is None:
                continue
            if sizes is None:
                sizes = operand.spec.sizes
            elif sizes != operand.spec.sizes:
                self.all_same_shape = False
                sizes = geometry.broadcast_sizes(sizes, operand.spec.sizes)
        self.sizes: Ints = sizes if sizes is not None else ()
        self.shape = list(self.sizes)
        if self.is_reduction:
            kept = self.reduced_sizes()
            for operand in self.operands[: self.output_count]:
                if operand.spec is None:  # new outputs of reductions are contiguous, whatever the inputs are
                    operand.spec = spec_of(
                        kept, geometry.contiguous_strides(kept), operand.dtype, self.device
                    )

    def reduced_sizes(self) -> Ints:
        """The sizes of a reduction's outputs."""
        if self.keepdim:
            return tuple(1 if dim in self.reduced_dims else size for dim, size in enumerate(self.sizes))
        return tuple(size for dim, size in enumerate(self.sizes) if dim not in self.reduced_dims)

    def _output_view(self, spec: Spec) -> Ints:
        """The strides of an existing output for ``sizes``: 0 in reduced dimensions."""
        if not self.is_reduction:
            return spec.strides
        strides = list(spec.strides)
        if self.keepdim:
            return tuple(0 if dim in self.reduced_dims else stride for dim, stride in enumerate(strides))
        remaining = iter(strides)
        return tuple(0 if dim in self.reduced_dims else next(remaining) for dim in range(len(self.sizes)))

    def _compute_strides(self) -> None:
        for operand in self.operands:
            if operand.is_output:
                strides = self._output_view(operand.spec) if operand.spec is not None else None
            elif operand.spec is None:
                strides = (0,) * len(self.sizes)
            else:
                strides = geometry.expand_strides(operand.spec.sizes, operand.spec.strides, self.sizes)
            operand.strides = (
                [] if strides is None else [stride * operand.dtype.itemsize for stride in strides]
            )

    def _compute_fast_setup_type(self) -> tuple[FastSetup, Ints]:
        """Whether all operands have the same memory order, and then the strides of new outputs.

        Source: compute_fast_setup_type.
        """
        specs = [operand.spec for operand in self.operands if operand.spec is not None]
        if self.is_reduction or not self.all_same_shape or not specs:
            return FastSetup.NONE, ()
        if all(spec.is_contiguous for spec in specs):
            return FastSetup.CONTIGUOUS, geometry.contiguous_strides(self.sizes)
        if len(self.sizes) in (4, 5):
            channels_last = geometry.channels_last_strides(self.sizes)
            if all(_same_order(spec, channels_last) for spec in specs):
                return FastSetup.CHANNELS_LAST, channels_last
        dense = all(geometry.is_non_overlapping_and_dense(spec.sizes, spec.strides) for spec in specs)
        if dense and all(spec.strides == specs[0].strides for spec in specs):
            return FastSetup.NON_OVERLAPPING_DENSE, specs[0].strides
        return FastSetup.NONE, ()

    def _should_swap(self, dim0: int, dim1: int) -> int:
        """1 if ``dim0`` must come after ``dim1``, -1 if before, 0 if no operand determines it."""
        for operand in self.operands:
            if not operand.strides:  # an unallocated output
                continue
            stride0, stride1 = operand.strides[dim0], operand.strides[dim1]
            if self.is_reduction and operand.is_output and (stride0 == 0) != (stride1 == 0):
                return 1 if stride1 == 0 else -1
            if stride0 == 0 or stride1 == 0:
                continue
            if stride0 != stride1:
                return -1 if stride0 < stride1 else 1
            if self.shape[dim0] > self.shape[dim1]:
                return 1
        return 0

    def _reorder_dimensions(self) -> None:
        ndim = len(self.shape)
        order = list(range(ndim - 1, -1, -1))
        # an insertion sort, because the comparison is not transitive where no operand determines the order
        for position in range(1, ndim):
            dim1 = position
            for dim0 in range(position - 1, -1, -1):
                comparison = self._should_swap(order[dim0], order[dim1])
                if comparison > 0:
                    order[dim0], order[dim1] = order[dim1], order[dim0]
                    dim1 = dim0
                elif comparison < 0:
                    break
        self.order = order
        self.shape = [self.shape[dim] for dim in order]
        for operand in self.operands:
            if operand.strides:
                operand.strides = [operand.strides[dim] for dim in order]

    def _allocate_outputs(self) -> None:
        setup, fast = self._compute_fast_setup_type()
        for operand in self.operands[: self.output_count]:
            if operand.spec is not None:
                continue
            if setup:
                operand.spec = spec_of(self.sizes, fast, operand.dtype, self.device)
                operand.strides = [fast[dim] * operand.dtype.itemsize for dim in self.order]
                continue
            strides = [0] * len(self.shape)
            step = 1
            for dim in self.order:
                strides[dim] = step
                step *= self.sizes[dim]
            if self.order == list(range(len(self.sizes) - 1, -1, -1)):
                strides = list(geometry.contiguous_strides(self.sizes))
            operand.spec = spec_of(self.sizes, tuple(strides), operand.dtype, self.device)
            operand.strides = [strides[dim] * operand.dtype.itemsize for dim in self.order]

    def _coalesce_dimensions(self) -> None:
        """Merge each dimension with the one before it if a single stride can traverse both."""
        if len(self.shape) <= 1:
            return
        strides = [operand.strides for operand in self.operands]
        shape = [self.shape[0]]
        kept = [[each[0]] for each in strides]
        for dim in range(1, len(self.shape)):
            size = self.shape[dim]
            if shape[-1] == 1:
                shape[-1] = size
                for mine, theirs in zip(kept, strides):
                    mine[-1] = theirs[dim]
            elif size == 1:
                continue
            elif all(mine[-1] * shape[-1] == theirs[dim] for mine, theirs in zip(kept, strides)):
                shape[-1] *= size
            else:
                shape.append(size)
                for mine, theirs in zip(kept, strides):
                    mine.append(theirs[dim])
        self.shape = shape
        for operand, mine in zip(self.operands, kept):
            operand.strides = mine

    # -- what comes out --------------------------------------------------------------------------------------

    @property
    def output_specs(self) -> tuple[Spec, ...]:
        """The specs of the outputs."""
        return tuple(operand.spec for operand in self.operands[: self.output_count])  # type: ignore[misc]

    @property
    def common_dtype(self) -> dtypes.dtype:
        """The dtype to which inputs are converted, of an iteration that has one."""
        assert self._common_dtype is not None, "the inputs of this iteration keep their own dtypes"
        return self._common_dtype

    @property
    def key_dtype(self) -> dtypes.dtype:
        """The dtype by which a backend's kernel is selected: the common dtype, else the output's."""
        return self._common_dtype or self.operands[0].dtype

    def with_outputs(self, outputs: Sequence[Spec]) -> TensorIterator:
        """The same iteration with existing outputs, of any strides."""
        return self._rebuilt(self.inputs, outputs)

    def _rebuilt(self, inputs: Sequence[Spec | Number], outputs: Sequence[Spec]) -> TensorIterator:
        return TensorIterator(
            self.name,
            inputs,
            [operand.dtype for operand in self.operands[: self.output_count]],
            self._common_dtype,
            self.device,
            self.reduced_dims if self.is_reduction else None,
            self.keepdim,
            self.sizes,
            outputs,
            self.input_dtypes,
        )

    def with_converted_inputs(self) -> TensorIterator:
        """The iteration over converted copies of inputs of other dtypes; the copies are dense.

        The outputs' specs stay those that the inputs themselves determined.
        """
        operands = self.operands[self.output_count :]
        if all(operand.spec is None or operand.spec.dtype is operand.dtype for operand in operands):
            return self
        inputs = [
            each
            if operand.spec is None or operand.spec.dtype is operand.dtype
            else converted_spec(each, operand.dtype)  # type: ignore[arg-type]
            for each, operand in zip(self.inputs, operands)
        ]
        return self._rebuilt(inputs, self.output_specs)

    def with_tensors(self, tensors: Sequence[Any]) -> TensorIterator:
        """This iteration with the tensors of one call bound, outputs first."""
        bound = object.__new__(TensorIterator)
        bound.__dict__.update(self.__dict__)
        bound.tensors = tuple(tensors)
        return bound

    def with_dtype(self, positions: Sequence[int], dtype: dtypes.dtype) -> TensorIterator:
        """This iteration with another dtype for the operands at ``positions``, each of one element."""
        made = copy.copy(self)
        made.operands = list(self.operands)
        for position in positions:
            operand = made.operands[position] = copy.copy(self.operands[position])
            operand.dtype = dtype
        return made

    def tensor(self, position: int) -> Tensor:
        """The bound tensor of an operand."""
        return self.tensors[position]

    def offsets(self, position: int) -> list[int]:
        """The offset in its storage, in elements, of each element of a bound operand, in iteration order."""
        operand = self.operands[position]
        found = [self.tensors[position]._storage_offset]
        for size, stride in zip(self.shape[::-1], operand.strides[::-1]):  # dimension 0 is the fastest
            step = stride // operand.dtype.itemsize
            steps = range(0, size * step, step) if step else [0] * size
            found = [start + more for start in found for more in steps]
        return found

    def reduction_groups(self, position: int) -> Iterator[tuple[int, list[int]]]:
        """In a reduction, pairs of an output element's offset and the offsets of the elements of input
        ``position`` that are reduced to it.

        The latter are in row-major order of the reduced dimensions, in the user's order.
        """
        sizes = self.sizes
        kept = [dim for dim in range(len(sizes)) if dim not in self.reduced_dims]
        source = self.tensors[position]
        strides = geometry.expand_strides(source._spec.sizes, source._spec.strides, sizes)
        output = self.tensors[0]
        output_strides = self._output_view(output._spec)
        reduced_sizes = [sizes[dim] for dim in self.reduced_dims]
        reduced_strides = [strides[dim] for dim in self.reduced_dims]
        kept_sizes = [sizes[dim] for dim in kept]
        starts = geometry.offsets(kept_sizes, [strides[dim] for dim in kept], source._storage_offset)
        targets = geometry.offsets(kept_sizes, [output_strides[dim] for dim in kept], output._storage_offset)
        for target, start in zip(targets, starts):
            yield target, list(geometry.offsets(reduced_sizes, reduced_strides, start))


def _same_order(spec: Spec, strides: Ints) -> bool:
    """Does ``spec`` have these strides?  Those of dimensions of size 1 are ignored."""
    return all(size == 1 or mine == theirs for size, mine, theirs in zip(spec.sizes, spec.strides, strides))


def converted_spec(spec: Spec, dtype: dtypes.dtype) -> Spec:
    """The spec of a converted copy: the same strides if dense, else dense in the same dimension order.

    Source: infer_dense_strides, and what empty_like preserves.
    """
    if geometry.is_non_overlapping_and_dense(spec.sizes, spec.strides):
        return spec_of(spec.sizes, spec.strides, dtype, spec.device)
    return TensorIterator("copy_", [spec], [dtype], None, spec.device).output_specs[0]


def result_type(*operands: Spec | Number | None) -> dtypes.dtype:
    """The common dtype of these operands.  Source: at::result_type."""
    state = ResultType()
    for operand in operands:
        if isinstance(operand, Spec):
            state.add_tensor(operand.dtype, operand.ndim)
        elif operand is not None:
            state.add_number(operand, dtypes.get_default_dtype())
    return state.result()
