"""Entries: how a plan runs a prepared call, with addresses instead of tensors.

A tensor that a plan creates owns its memory by address alone; ``Owned`` keeps the memory object.  If a number
takes the place of a tensor, ``Numbers`` stores it in the device's memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gnomon.memory.prepared import NOT_IMPLEMENTED, OK, PreparedCall
from gnomon.memory.spec import Spec
from gnomon.values.dtype import dtype
from gnomon.values.errors import OutOfMemoryError

from .allocator import Memory


class Owned:
    """Memory that tensors own by its address."""

    def __init__(self) -> None:
        self._memory: dict[float, Memory] = {}

    def own(self, memory: Memory) -> float:
        """The address, which the caller owns until ``free``."""
        address = float(memory.address)
        self._memory[address] = memory
        return address

    def at(self, address: float) -> Memory:
        """The memory at an address that ``own`` returned."""
        return self._memory[address]

    def free(self, address: float) -> None:
        """Drops the memory at an address of ``own``; it is released unless referenced elsewhere."""
        self._memory.pop(address, None)


MOST_NUMBERS = 4096


class Numbers:
    """Single numbers in device memory, never freed, because programs use few numbers, and those often."""

    def __init__(self) -> None:
        self._memory: dict[tuple[int, bytes], Memory] = {}

    def address(self, runtime: Any, kind: dtype, number: Any, device: int, stream: int) -> int:
        """The address of a number; 0 if it is not available: the dtype does not hold it, there are too many
        numbers, or a graph is being captured.  It waits for a new one, so that any stream may read it.
        """
        data = bytearray(kind.itemsize)
        try:
            kind.writer(memoryview(data))(0, number)
        except (OverflowError, ValueError, TypeError):
            return 0
        key = device, bytes(data)
        found = self._memory.get(key)
        if found is None:
            if runtime.captures or len(self._memory) >= MOST_NUMBERS:
                return 0
            found = runtime.allocate(len(data), device)
            runtime.upload(found.address, data, device, stream)
            runtime.driver.wait_for_stream(stream)
            found = self._memory.setdefault(key, found)
        return found.address


class Operand:
    """Stands in for a tensor of a launch."""

    __slots__ = ("_address", "_spec")

    def __init__(self, spec: Spec, address: float):
        self._spec = spec
        self._address = address


class CudaCall(PreparedCall):
    """The base class of all prepared calls.

    ``specs`` are those of the outputs, and of the inputs if the call needs them; None for an absent tensor.
    """

    address = 0.0  # a plan's first argument for an entry; not needed, since an entry in Python has its call
    is_claimed = True

    def __init__(self, runtime: Any, specs: Sequence[Spec | None], output_count: int):
        self._runtime = runtime
        self._specs = specs
        self._output_count = output_count
        self._nbytes = [0 if spec is None else spec.extent_nbytes for spec in specs[:output_count]]
        first = next(spec for spec in specs if spec is not None)
        self._device = first.device.index or 0
        self._number_dtype: dtype | None = None  # of the last input, if a number may take its place

    def launch(self, addresses: Sequence[int], stream: int) -> int:
        """Launches it into a stream of its device, whose context is current; returns a status like ``run``.

        ``addresses``: of all tensors, outputs first; 0 for an absent one.
        """
        raise NotImplementedError

    def run(self, tensors: Sequence[Any]) -> int:
        """Launches it on ``tensors``, outputs first; returns a status of gnomon.memory.prepared."""
        stream = self._runtime.enter(self._device)
        return self.launch([0 if each is None else int(each._address) for each in tensors], stream)

    def entry(self, operands: int, numbers: int, inplace: bool = False) -> Any:
        """The function that a plan calls for ``operands`` inputs, with ``address`` and tensor addresses.

        It allocates the output and returns its address, or 0.0 on failure; with ``inplace`` it returns a
        status.  If ``numbers`` is 1, the last input is a number.  None if the call does not support that.
        """
        if not numbers:
            return self._run_in_place if inplace else self._run_into_new
        if self._number_dtype is None:
            return None
        return self._run_in_place_by_number if inplace else self._run_into_new_by_number

    def _number_address(self, number: Any) -> int:
        runtime, device = self._runtime, self._device
        stream = runtime.enter(device)
        try:
            found: int = runtime.numbers.address(runtime, self._number_dtype, number, device, stream)
        except OutOfMemoryError:
            return 0
        return found

    def _run_into_new_by_number(self, _: float, *inputs: Any) -> float:
        address = self._number_address(inputs[-1])
        return self._run_into_new(0.0, *inputs[:-1], address) if address else 0.0

    def _run_in_place_by_number(self, _: float, *inputs: Any) -> int:
        address = self._number_address(inputs[-1])
        return self._run_in_place(0.0, *inputs[:-1], address) if address else NOT_IMPLEMENTED

    def _run_into_new(self, _: float, *inputs: float) -> float:
        found = self.run_new(inputs)
        return 0.0 if found is None else found[0]

    def _run_in_place(self, _: float, *addresses: float) -> int:
        return self.launch([int(each) for each in addresses], self._runtime.enter(self._device))

    def run_new(self, inputs: Sequence[float]) -> list[float] | None:
        """Runs on inputs at these addresses, and allocates the outputs.

        Returns the outputs' addresses, which the caller then owns.  None if there is no memory, or the kernel
        refuses its inputs: the readable tier then raises the error.
        """
        runtime, device = self._runtime, self._device
        stream = runtime.enter(device)
        try:
            outputs = [runtime.allocate(nbytes, device) for nbytes in self._nbytes]
        except OutOfMemoryError:
            return None
        addresses = [each.address for each in outputs]
        addresses += [int(each) for each in inputs]
        if self.launch(addresses, stream) != OK:
            return None
        return [runtime.owned.own(each) for each in outputs]
