"""Mutants whose faults show only for extreme numbers: tails, subnormal results, 64 bits, ties in rounding."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from typing import Any

from gnomon.memory.accessor import TensorAccessor, elements
from gnomon.numerics.loops import reduction

from ..inputs.description import REAL_FLOATS
from .loopback import bfloat16, filled, numbers_of, right, then
from .mutants import mutant


def corrected(name: str, change: Callable[..., Any], dtypes: Sequence[str] = REAL_FLOATS) -> dict[str, Any]:
    """The right kernel of a pointwise operator, then ``change(result, *elements)`` on its finite elements."""

    def kernel(iterator: Any, *arguments: Any) -> None:
        reads, write = numbers_of(iterator)
        given = [[read(at) for at in iterator.offsets(place)] for place, read in enumerate(reads, 1)]
        right[name](iterator, *arguments)
        output = TensorAccessor(iterator.tensor(0))
        dtype = iterator.tensor(0).dtype.name
        for to, *numbers in zip(iterator.offsets(0), *given):
            if dtype in dtypes and all(map(math.isfinite, numbers)):
                write(to, change(output.read(to), *numbers))

    return {name: kernel}


def single(number: float) -> float:
    """Round to float32."""
    try:
        return struct.unpack("f", struct.pack("f", number))[0]
    except OverflowError:
        return math.copysign(math.inf, number)


@mutant("subnormal results", "a subnormal result of exp is flushed to 0", "numbers[exp-float32]")
def _() -> dict[str, Any]:
    return corrected("exp", lambda result, a: 0.0 if abs(result) < 2.0**-126 else result)


@mutant("early saturation", "sigmoid is 0 below -30", "numbers[sigmoid-float32]")
def _() -> dict[str, Any]:
    return corrected("sigmoid", lambda result, a: 0.0 if a < -30 else result)


@mutant("the tail of gelu", "gelu below -3.5 is 0", "numbers[gelu-float32]")
def _() -> dict[str, Any]:
    return corrected("gelu", lambda result, a: -0.0 if a < -3.5 else result)


@mutant(
    "a logarithm of almost one",
    "log_sigmoid adds a tiny number to 1, which rounds to 1",
    "numbers[log_sigmoid_forward-float32]",
)
def _() -> dict[str, Any]:
    def kernel(output: Any, buffer: Any, self: Any) -> None:
        right["log_sigmoid_forward"](output, buffer, self)
        accessor, given = TensorAccessor(output), elements(self)
        for to, a in zip(accessor.offsets(), given):
            if a > 0:
                accessor.write(to, -math.log(single(1 + single(math.exp(-a)))))

    return {"log_sigmoid_forward": kernel}


@mutant(
    "half by a difference",
    "sinh in half precision is a difference of two float32 exponentials",
    "numbers[sinh-bfloat16]",
)
def _() -> dict[str, Any]:
    def change(result: float, a: float) -> float:
        return (single(math.exp(a)) - single(math.exp(-a))) / 2 if abs(a) < 1 else result

    return corrected("sinh", change, ("float16", "bfloat16"))


@mutant("a backward's tail", "the gradient of silu is 0 below -20", "numbers[silu_backward-float32]")
def _() -> dict[str, Any]:
    return corrected("silu_backward", lambda result, grad, a: 0.0 if a < -20 else result)


@mutant(
    "quotients in double precision",
    "int64 is divided in float64",
    "numbers[div_trunc-int64]",
)
def _() -> dict[str, Any]:
    return corrected("div_trunc", lambda result, a, b: int(a / b) if abs(a) < 2**62 else result, ("int64",))


@mutant(
    "products of matrices in double precision", "int64 is multiplied in float64", "many_numbers[mm-int64]"
)
def _() -> dict[str, Any]:
    def kernel(output: Any, self: Any, other: Any) -> None:
        right["mm"](output, self, other)
        if output.dtype.name == "int64":
            filled(output, lambda number: int(float(number)) if abs(number) < 2**62 else number)

    return {"mm": kernel}


@mutant(
    "ties upwards",
    "float32 becomes bfloat16 by adding half",
    "rounded_conversions[copy_-bfloat16]",
)
def _() -> dict[str, Any]:
    def change(result: float, a: Any) -> Any:
        if abs(a) > 3e38:
            return result
        (bits,) = struct.unpack("I", struct.pack("f", single(a)))
        return bfloat16(struct.unpack("f", struct.pack("I", (bits + 0x8000) & 0xFFFF0000))[0])

    def kernel(iterator: Any) -> None:
        dtypes = iterator.tensor(0).dtype.name, iterator.tensor(1).dtype.name
        is_one = dtypes == ("bfloat16", "float32")
        (corrected("copy_", change)["copy_"] if is_one else right["copy_"])(iterator)

    return {"copy_": kernel}


@mutant(
    "integers by way of double precision",
    "int64 is converted to float32 through float64",
    "rounded_conversions[copy_-float32]",
)
def _() -> dict[str, Any]:
    def kernel(iterator: Any) -> None:
        output, source = iterator.tensor(0), iterator.tensor(1)
        if (output.dtype.name, source.dtype.name) != ("float32", "int64"):
            return right["copy_"](iterator)
        read, write = TensorAccessor(source).read, TensorAccessor(output).write
        for to, at in zip(iterator.offsets(0), iterator.offsets(1)):
            write(to, single(float(read(at))))
        return None

    return {"copy_": kernel}


@mutant("one NaN for all", "a copy changes the bits of a NaN", "payloads[copy_-float32]")
def _() -> dict[str, Any]:
    def kernel(iterator: Any) -> None:
        right["copy_"](iterator)
        output = iterator.tensor(0)
        if output.dtype.name == "float32":
            accessor = TensorAccessor(output)
            for to in iterator.offsets(0):
                if accessor.read(to) != accessor.read(to):
                    accessor.write(to, math.nan)

    return {"copy_": kernel}


@mutant("truth of 255", "a comparison writes 255 for true", "forward[eq.Tensor-float32]")
def _() -> dict[str, Any]:
    def kernel(iterator: Any) -> None:
        right["eq.Tensor"](iterator)
        output = iterator.tensor(0)
        storage = output.untyped_storage()
        for to in iterator.offsets(0):
            if bytes(storage.copy_out())[to]:
                storage.copy_in(to, memoryview(b"\xff"))

    return {"eq.Tensor": kernel}


@mutant(
    "sizes in double precision",
    "the position of a pixel is computed in float64 instead of float32",
    "rounding[upsample_nearest1d-float32]",
)
def _() -> dict[str, Any]:
    def kernel(output: Any, self: Any, size: Any, scales: Any) -> None:
        short, long = self.shape[-1], output.shape[-1]
        scale = 1 / scales if scales else short / long
        places = [min(int(place * scale), short - 1) for place in range(long)]
        read, write = TensorAccessor(self), TensorAccessor(output)
        rows = elements(self)
        for number, to in enumerate(list(write.offsets())):
            write.write(to, rows[number // long * short + places[number % long]])
        del read

    return {"upsample_nearest1d": kernel}


@mutant(
    "steps added up",
    "a range adds its step repeatedly instead of multiplying",
    "rounding[arange.start_step-float32]",
)
def _() -> dict[str, Any]:
    def kernel(output: Any, start: Any, end: Any, step: Any) -> None:
        write = TensorAccessor(output)
        number = start
        for to in write.offsets():
            write.write(to, number)
            number = single(number + step) if output.dtype.name == "float32" else number + step

    return {"arange.start_step": kernel}


@mutant("one less a number", "erfc above 3 is 1 - erf in float32", "numbers[erfc-float32]")
def _() -> dict[str, Any]:
    return corrected("erfc", lambda result, a: 1 - single(math.erf(a)) if a > 3 else result, ("float32",))


@mutant("a square beyond float32", "asinh squares its argument", "numbers[asinh-float32]")
def _() -> dict[str, Any]:
    def change(result: float, a: float) -> float:
        return math.copysign(math.inf, a) if math.isinf(single(a * a)) and abs(a) < 1e30 else result

    return corrected("asinh", change, ("float32",))


@mutant(
    "a rough reduction",
    "sin of arguments above 1000 uses an inaccurate range reduction",
    "numbers[sin-float32]",
)
def _() -> dict[str, Any]:
    def change(result: float, a: float) -> float:
        turns = single(round(a / (2 * math.pi)))
        return math.sin(single(a - single(turns * single(2 * math.pi)))) if 1000 < abs(a) < 1e5 else result

    return corrected("sin", change, ("float32",))


@mutant("logarithms of gamma", "lgamma near 1 and 2 loses its digits", "numbers[lgamma-float32]")
def _() -> dict[str, Any]:
    def change(result: float, a: float) -> float:
        return single(result + 1) - 1 if abs(result) < 0.01 else result

    return corrected("lgamma", change, ("float32",))


@mutant("far apart", "logaddexp of numbers far apart is exactly the larger one", "numbers[logaddexp-float32]")
def _() -> dict[str, Any]:
    def change(result: float, a: float, b: float) -> float:
        return max(a, b) if abs(a - b) > 8 else result

    return corrected("logaddexp", change)


@mutant(
    "a remainder by division",
    "the remainder of int64 is computed from a float64 quotient",
    "numbers[remainder.Tensor-int64]",
)
def _() -> dict[str, Any]:
    def change(result: int, a: int, b: int) -> int:
        return a - b * math.floor(a / b) if 2**54 < abs(a) < 2**60 and abs(b) < 2**20 else result

    return corrected("remainder.Tensor", change, ("int64",))


@mutant(
    "powers in double precision",
    "powers of int64 are computed in float64",
    "numbers[pow.Tensor_Tensor-int64]",
)
def _() -> dict[str, Any]:
    def change(result: int, a: int, b: int) -> int:
        return int(float(result)) if 2**53 < abs(result) < 2**62 else result

    return corrected("pow.Tensor_Tensor", change, ("int64",))


@mutant("products in double precision", "int64 is multiplied in float64", "many_numbers[prod.dim_int-int64]")
def _() -> dict[str, Any]:
    return {
        "prod.dim_int": then(
            "prod.dim_int",
            lambda it, *_: filled(
                it.tensor(0), lambda number: int(float(number)) if 2**53 < abs(number) < 2**62 else number
            ),
        )
    }


@mutant(
    "scattered in double precision",
    "scatter_add of int64 adds in float64",
    "many_numbers[scatter_add-int64]",
)
def _() -> dict[str, Any]:
    def round_large(output: Any, *_: Any) -> None:
        if output.dtype.name == "int64":
            filled(output, lambda number: int(float(number)) if 2**53 < abs(number) < 2**62 else number)

    return {"scatter_add": then("scatter_add", round_large)}


@mutant(
    "tiny probabilities", "a subnormal result of softmax is flushed to 0", "many_numbers[_softmax-float32]"
)
def _() -> dict[str, Any]:
    def flush(output: Any, *_: Any) -> None:
        filled(output, lambda number: 0.0 if abs(number) < 2.0**-126 else number)

    return {"_softmax": then("_softmax", flush)}


@mutant(
    "half by squares",
    "the variance of float16 is the mean of squares minus the square of the mean, in float32",
    "many_numbers[var.correction-float16]",
)
def _() -> dict[str, Any]:
    def kernel(iterator: Any, dim: Any, correction: Any, keepdim: bool) -> None:
        right["var.correction"](iterator, dim, correction, keepdim)
        write, read = TensorAccessor(iterator.tensor(0)).write, TensorAccessor(iterator.tensor(1)).read
        if iterator.tensor(0).dtype.name != "float16" or correction not in (None, 1):
            return
        for target, sources in iterator.reduction_groups(1):
            numbers = [read(source) for source in sources]
            count = len(numbers)
            if count > 1 and all(map(math.isfinite, numbers)):
                mean = single(math.fsum(numbers) / count)
                squares = single(math.fsum(number * number for number in numbers) / count)
                write(target, (squares - single(mean * mean)) * count / (count - 1))

    return {"var.correction": kernel}


@mutant(
    "NaN of later vectors", "a minimum ignores NaN after the first 64 elements", "many_numbers[amin-float64]"
)
def _() -> dict[str, Any]:
    def least(numbers: list[Any]) -> Any:
        first = [each for each in numbers[:64] if each != each]
        return math.nan if first else min(each for each in numbers if each == each)

    def kernel(iterator: Any, *arguments: Any) -> None:
        wanted = "float64" if iterator.tensor(0).dtype.name == "float64" else ""
        (reduction(least) if wanted else right["amin"])(iterator, *arguments)

    return {"amin": kernel}
