"""Mutants whose faults show only for certain numbers: many equal ones, many elements, few bits."""

from __future__ import annotations

import math
from typing import Any

from gnomon.memory.accessor import TensorAccessor, elements
from gnomon.values.dtype import FLOAT8, bfloat16, bool_, float32, uint8

from .loopback import filled, numbers_of, right
from .mutants import mutant


@mutant("half is half right", "softmax in bfloat16 has an error of one percent", "forward[_softmax-bfloat16]")
def _() -> dict[str, Any]:
    def kernel(output: Any, *arguments: Any) -> None:
        right["_softmax"](output, *arguments)
        if output.dtype is bfloat16:
            filled(output, lambda number: number + 0.01)

    return {"_softmax": kernel}


@mutant(
    "floats of 8 bits truncated",
    "a copy to a float of 8 bits drops bits instead of rounding",
    "forward[copy_-float32]",
)
def _() -> dict[str, Any]:
    def kernel(iterator: Any) -> None:
        output, source = iterator.tensor(0), iterator.tensor(1)
        right["copy_"](iterator)
        if output.dtype in FLOAT8 and source.dtype is float32:
            pairs = zip(TensorAccessor(output).offsets(), elements(source))
            accessor = TensorAccessor(output)
            for offset, number in pairs:
                found = accessor.read(offset)
                if abs(found) > abs(number):  # the next number towards zero
                    code = output.dtype._encode(found)
                    accessor.write(offset, output.dtype._decode[code - 1])

    return {"copy_": kernel}


@mutant("bytes of bools", "eq of bools compares their bytes, of which many are true", "bytes[eq.Tensor]")
def _() -> dict[str, Any]:
    def kernel(iterator: Any) -> None:
        right["eq.Tensor"](iterator)
        output, *inputs = (iterator.tensor(place) for place in range(3))
        if any(each.dtype is not bool_ for each in inputs):
            return
        write = TensorAccessor(output).write
        first, second = (TensorAccessor(each.view(uint8)).read for each in inputs)
        for target, one, other in zip(*(iterator.offsets(place) for place in range(3))):
            write(target, first(one) == second(other))

    return {"eq.Tensor": kernel}


@mutant(
    "long sorts",
    "in rows of more than 16 elements, equal elements are reversed",
    "sizes[sort.stable-float32]",
)
def _() -> dict[str, Any]:
    def kernel(values: Any, indices: Any, self: Any, stable: Any, dim: int, descending: bool) -> None:
        right["sort.stable"](values, indices, self, stable, dim, descending)
        if self.ndim != 1 or self.shape[0] <= 16:
            return
        read, places = list(elements(values)), list(elements(indices))
        runs: dict[Any, list[int]] = {}
        for number, place in zip(read, places):
            runs.setdefault(number, []).append(place)
        turned = iter([runs[number].pop() for number in read])
        filled(indices, lambda _: next(turned))

    return {"sort.stable": kernel}


@mutant(
    "large selections skipped",
    "selections from more than a thousand elements do nothing",
    "grain[index_select-float32]",
)
def _() -> dict[str, Any]:
    def kernel(output: Any, *arguments: Any) -> None:
        right["index_select"](output, *arguments)
        if output.numel() > 1000:
            filled(output, lambda number: 0)

    return {"index_select": kernel}


@mutant("small numbers lost", "log1p of a small number computes log(1 + x)", "values[log1p-float32]")
def _() -> dict[str, Any]:
    def kernel(iterator: Any) -> None:
        (read,), write = numbers_of(iterator)
        small = [
            (to, number)
            for to, at in zip(iterator.offsets(0), iterator.offsets(1))
            if 2.0**-100 < abs(number := read(at)) < 0.01
        ]
        right["log1p"](iterator)
        for to, number in small:
            write(to, math.log(1 + number))

    return {"log1p": kernel}


@mutant("long products cut", "a matrix product adds only the first 300 terms", "grain[mm-float32]")
def _() -> dict[str, Any]:
    def kernel(output: Any, self: Any, other: Any) -> None:
        right["mm"](
            output, self.narrow(1, 0, min(self.shape[1], 300)), other.narrow(0, 0, min(other.shape[0], 300))
        )

    return {"mm": kernel}


@mutant("early overflow", "exp overflows at 20", "values[exp-float32]")
def _() -> dict[str, Any]:
    def kernel(iterator: Any) -> None:
        (read,), write = numbers_of(iterator)
        large = [to for to, at in zip(iterator.offsets(0), iterator.offsets(1)) if 20 < read(at) < 80]
        right["exp"](iterator)
        for to in large:
            write(to, math.inf)

    return {"exp": kernel}


@mutant(
    "stale by memory",
    "results are cached by the input's memory, whatever is written there later",
    "fresh[cos-float32]",
)
def _() -> dict[str, Any]:
    kept: dict[int, tuple[Any, list[Any]]] = {}

    def kernel(iterator: Any) -> None:
        memory = iterator.tensor(1).untyped_storage().memory
        right["cos"](iterator)
        output = TensorAccessor(iterator.tensor(0))
        places = list(iterator.offsets(0))
        owner, results = kept.setdefault(id(memory), (memory, [output.read(place) for place in places]))
        for place, result in zip(places, results) if owner is memory else ():
            output.write(place, result)

    return {"cos": kernel}
