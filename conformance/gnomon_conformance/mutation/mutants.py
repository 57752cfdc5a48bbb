"""Mutants: backends with one fault each, which the suite has to detect.

Whether the suite detects faults shows only on faulty backends.  Each mutant is the reference's kernels on a
separate device, with a typical fault of a kernel or an allocator, or with one that hides missing work.  It
names the tests that have to fail.

    python -m gnomon_conformance.mutation.runner             kill them all
    python -m gnomon_conformance.mutation.runner --markdown  docs/mutants.md
"""

from __future__ import annotations

import functools
import math
import random
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from gnomon.memory.accessor import TensorAccessor
from gnomon.memory.backend import ReferenceBackend
from gnomon.numerics.loops import pointwise, reduction
from gnomon.values.dtype import float32

from ..reporting.outcomes import FAIL
from .loopback import Loopback, bfloat16, filled, from_start, numbers_of, right, then, unary


class Mutant(NamedTuple):
    """One fault.

    fault      what is wrong, in words
    killers    the tests that have to fail, named as in reports
    make       creates the faulty backend
    outcome    the outcome that these tests must have
    """

    fault: str
    killers: tuple[str, ...]
    make: Callable[[], ReferenceBackend]
    outcome: str = FAIL


MUTANTS: dict[str, Mutant] = {}


def mutant(name: str, fault: str, *killers: str, outcome: str = FAIL) -> Callable[[Any], Any]:
    """Decorates a function that returns the faulty kernels, or the faulty backend."""

    def decorate(make: Callable[[], Any]) -> Any:
        def backend() -> ReferenceBackend:
            made = make()
            return made if isinstance(made, ReferenceBackend) else Loopback(made)

        MUTANTS[name] = Mutant(fault, killers, backend, outcome)
        return make

    return decorate


def broken(name: str, fault: str, kernel: str, function: Any, *killers: str) -> None:
    """Declare a mutant of one kernel."""
    mutant(name, fault, *killers)(lambda: {kernel: function})


# -------------------------------------------------------------------------------------------------------
# Memory and strides.

broken(
    "offset ignored",
    "an input is read from the start of its storage",
    "neg",
    unary(lambda it: (it.offsets(0), from_start(it, 1)), lambda a: -a),
    "forward[neg-float32]",
)
broken(
    "strides swapped",
    "a transposed input is read in memory order",
    "neg",
    unary(lambda it: (it.offsets(0), sorted(it.offsets(1))), lambda a: -a),
    "forward[neg-float32]",
)
broken(
    "output offset ignored",
    "an output is written from the start of its storage",
    "neg",
    unary(lambda it: (from_start(it, 0), it.offsets(1)), lambda a: -a),
    "out[neg.out-float32]",
)
broken(
    "output gaps ignored",
    "an output with gaps is written as if it had none",
    "neg",
    unary(lambda it: (range(it.tensor(0).storage_offset(), 10**9), it.offsets(1)), lambda a: -a),
    "out[neg.out-float32]",
)


@mutant("stride of 0 ignored", "an expanded input is read as if it were whole", "forward[mul.Tensor-float32]")
def _() -> dict[str, Any]:
    def kernel(iterator: Any) -> None:
        (a, b), write = numbers_of(iterator)
        last = max(iterator.offsets(2))
        places = zip(iterator.offsets(0), iterator.offsets(1), iterator.offsets(2))
        for count, (to, at, other) in enumerate(places):
            write(to, a(at) * b(min(other + count, last) if count else other))

    return {"mul.Tensor": kernel}


broken(
    "one short",
    "the last element is not computed",
    "neg",
    unary(lambda it: (list(it.offsets(0))[:-1], it.offsets(1)), lambda a: -a),
    "forward[neg-float32]",
)
broken(
    "writes beyond",
    "one element too many is written",
    "neg",
    unary(
        lambda it: (
            [*it.offsets(0), max(it.offsets(0), default=-1) + 1],
            [*it.offsets(1), min(it.offsets(1), default=0)],
        ),
        lambda a: -a,
    ),
    "out[neg.out-float32]",
)
broken(
    "writes to its input",
    "an input is used as scratch",
    "neg",
    then("neg", lambda it: filled(it.tensor(1), lambda number: 5)),
    "forward[neg-float32]",
)


@mutant("copies over another part", "copy_in ignores its offset", "copies")
def _() -> Loopback:
    class Mutated(Loopback):
        def copy_in(self, memory: bytearray, offset: int, data: memoryview) -> None:
            super().copy_in(memory, 0, data)

    return Mutated()


@mutant("copies the whole block", "copy_out ignores the number of bytes", "copies")
def _() -> Loopback:
    class Mutated(Loopback):
        def copy_out(self, memory: bytearray, offset: int, nbytes: int) -> memoryview:
            return memoryview(memory)[offset:]

    return Mutated()


@mutant("blocks overlap", "the allocator returns the same block twice", "blocks")
def _() -> Loopback:
    class Mutated(Loopback):
        def __init__(self) -> None:
            super().__init__()
            self.given: dict[int, bytearray] = {}

        def allocate(self, nbytes: int, index: int) -> bytearray:
            return self.given.setdefault(nbytes, bytearray(nbytes))

    return Mutated()


# -------------------------------------------------------------------------------------------------------
# Pointwise.

broken(
    "alpha ignored",
    "add treats alpha as 1",
    "add.Tensor",
    pointwise(lambda a, b, alpha: a + b),
    "forward[add.Tensor-float32]",
    "forward[add.Tensor-int64]",
)
broken(
    "operands swapped",
    "b - a instead of a - b",
    "sub.Tensor",
    pointwise(lambda a, b, alpha: alpha * b - a),
    "forward[sub.Tensor-float32]",
)
broken(
    "minus zero lost",
    "neg computes 0 - x",
    "neg",
    pointwise(lambda a: 0 - a),
    "forward[neg-float32]",
)
broken(
    "NaN dropped",
    "the maximum of NaN and a number is the number",
    "maximum",
    pointwise(lambda a, b: b if a != a else a if b != b else max(a, b)),
    "forward[maximum-float32]",
)
broken(
    "relu of NaN",
    "relu turns NaN into 0",
    "relu",
    pointwise(lambda a: a if a > 0 else 0),
    "forward[relu-float32]",
)
broken(
    "subnormals flushed",
    "subnormal numbers are read as 0",
    "neg",
    pointwise(lambda a: math.copysign(0.0, -a) if 0 < abs(a) < 2.0**-126 else -a),
    "forward[neg-float32]",
)
broken(
    "integers in double precision",
    "int64 goes through float64",
    "add.Tensor",
    pointwise(lambda a, b, alpha: int(float(a) + alpha * b) if isinstance(a, int) else a + alpha * b),
    "forward[add.Tensor-int64]",
)
broken(
    "integers saturate",
    "an overflow gives the largest integer instead of wrapping around",
    "neg",
    pointwise(lambda a: min(-a, 2**63 - 1)),
    "forward[neg-int64]",
)
broken(
    "division truncates",
    "floor division rounds towards 0",
    "div_floor",
    pointwise(lambda a, b: math.trunc(a / b) if b and math.isfinite(a / b) else math.nan),
    "forward[floor_divide-float32]",
)
broken(
    "remainder's sign",
    "the remainder has the sign of the dividend",
    "remainder.Tensor",
    pointwise(lambda a, b: math.fmod(a, b) if b and math.isfinite(a) else math.nan),
    "forward[remainder.Tensor-float32]",
)
broken(
    "rounds half up",
    "halves are rounded up, not to even",
    "round",
    pointwise(lambda a: math.floor(a + 0.5)),
    "forward[round-float32]",
)
broken(
    "the other gelu",
    "the tanh approximation of gelu is used instead of the exact formula",
    "gelu",
    pointwise(lambda a, form: 0.5 * a * (1 + math.tanh(math.sqrt(2 / math.pi) * (a + 0.044715 * a**3)))),
    "forward[gelu-float64]",
)
broken(
    "a rough exponential",
    "the exponential is wrong in its fifth digit",
    "exp",
    then("exp", lambda it: filled(it.tensor(0), lambda number: number * 1.00001)),
    "forward[exp-float32]",
)
broken(
    "conjugate forgotten",
    "conj returns its input unchanged",
    "_conj_physical",
    pointwise(lambda a: a),
    "forward[_conj_physical-complex64]",
)
broken(
    "a complex product by parts",
    "real and imaginary parts are multiplied separately",
    "mul.Tensor",
    pointwise(
        lambda a, b: (
            complex(a.real * b.real, a.imag * b.imag)
            if isinstance(a, complex) or isinstance(b, complex)
            else a * b
        )
    ),
    "forward[mul.Tensor-complex64]",
)
broken(
    "unsigned comparison",
    "negative integers are larger than positive ones",
    "lt.Tensor",
    pointwise(lambda a, b: a % 2**64 < b % 2**64 if isinstance(a, int) else a < b),
    "forward[lt.Tensor-int64]",
)
broken(
    "condition inverted",
    "`where` selects the other operand",
    "where.self",
    pointwise(lambda c, a, b: b if c else a),
    "forward[where.self-float32]",
)
broken(
    "clamp in the other order",
    "if min exceeds max, the result is min",
    "clamp",
    pointwise(lambda a, low, high: max(min(a, a if high is None else high), a if low is None else low)),
    "forward[clamp-int64]",
)
broken(
    "truth by truncation",
    "0.5 converted to bool is false",
    "copy_",
    pointwise(lambda a: int(a) if a == 0.5 else a),
    "values[_to_copy-float32]",
)
broken(
    "quadrants forgotten",
    "atan2 is the arc tangent of the quotient",
    "atan2",
    pointwise(lambda a, b: math.atan(a / b) if b else math.nan),
    "forward[atan2-float32]",
)
broken(
    "powers by logarithms",
    "pow uses logarithms, so a negative base gives NaN",
    "pow.Tensor_Tensor",
    pointwise(lambda a, b: math.exp(b * math.log(a)) if a > 0 else math.nan),
    "forward[pow.Tensor_Tensor-float64]",
)

# -------------------------------------------------------------------------------------------------------
# Reductions, scans and sorts.

broken(
    "NaN dropped in a maximum",
    "amax ignores NaN",
    "amax",
    reduction(lambda numbers: max([each for each in numbers if each == each], default=math.nan)),
    "forward[amax-float32]",
)
broken(
    "half sums in half",
    "bfloat16 is summed in bfloat16",
    "sum.dim_IntList",
    reduction(
        lambda numbers: (
            functools.reduce(lambda a, b: bfloat16(a + b), numbers, 0.0)
            if numbers and isinstance(numbers[0], float)
            else sum(numbers)
        )
    ),
    "forward[sum.dim_IntList-bfloat16]",
)
broken(
    "the variance's other divisor",
    "var treats correction as 0",
    "var.correction",
    lambda it, dim, correction, keepdim: right["var.correction"](it, dim, 0, keepdim),
    "forward[var.correction-float32]",
)
broken(
    "the last of equals",
    "argmax returns the last of several maxima",
    "argmax",
    lambda output, self, dim, keepdim: _last_argmax(output, self, dim, keepdim),
    "forward[argmax-int64]",
)
broken(
    "an unstable sort",
    "equal elements are reordered",
    "sort.stable",
    lambda values, indices, self, stable, dim, descending: _unstable(
        values, indices, self, stable, dim, descending
    ),
    "forward[sort.stable-int64]",
)
broken(
    "the smallest for the largest",
    "topk ignores largest",
    "topk",
    lambda values, indices, self, k, dim, largest, *order: right["topk"](
        values, indices, self, k, dim, True, *order
    ),
    "forward[topk-float32]",
)
broken(
    "an exclusive scan",
    "cumsum does not include the element itself",
    "cumsum",
    then("cumsum", lambda output, self, dim, *rest: _shift(output, self)),
    "forward[cumsum-float32]",
)
broken(
    "the other side",
    "searchsorted ignores right and side",
    "searchsorted.Tensor",
    lambda output, sequence, self, narrow, right_, side, sorter: right["searchsorted.Tensor"](
        output, sequence, self, narrow, False, None, sorter
    ),
    "forward[searchsorted.Tensor-float32]",
)


def _last_argmax(output: Any, self: Any, dim: Any, keepdim: bool) -> None:
    from gnomon.numerics.loops import rows_along

    write = TensorAccessor(output).write
    for (to,), _, numbers in rows_along(self, dim, [output]):
        best = max(range(len(numbers)), key=lambda place: (numbers[place], place))
        write(to, best)


def _unstable(values: Any, indices: Any, self: Any, stable: Any, dim: int, descending: bool) -> None:
    from gnomon.numerics.loops import rows_along

    write_value, write_index = TensorAccessor(values).write, TensorAccessor(indices).write
    step_value = values.stride(dim) if values.dim() else 1
    step_index = indices.stride(dim) if indices.dim() else 1
    if not values.dim():
        return right["sort.stable"](values, indices, self, stable, dim, descending)
    first_value = values.select(dim, 0) if values.shape[dim] else values
    first_index = indices.select(dim, 0) if values.shape[dim] else indices
    for (to, to_index), _, numbers in rows_along(self, dim, [first_value, first_index]):
        order = sorted(range(len(numbers)), key=lambda place: (numbers[place], -place), reverse=descending)
        for count, place in enumerate(order):
            write_value(to + count * step_value, numbers[place])
            write_index(to_index + count * step_index, place)
    return None


def _shift(output: Any, self: Any) -> None:
    sums, given = TensorAccessor(output), TensorAccessor(self)
    for to, at in zip(list(sums.offsets()), list(given.offsets())):
        sums.write(to, sums.read(to) - given.read(at))


# -------------------------------------------------------------------------------------------------------
# Products, indexing, networks.

broken(
    "transposition ignored",
    "a transposed matrix is read in memory order",
    "mm",
    lambda output, self, other: right["mm"](
        output, self, other.as_strided(other.shape, (other.shape[1], 1), other.storage_offset())
    ),
    "forward[mm-float32]",
)
broken(
    "beta ignored",
    "addmm adds all of its first argument",
    "addmm",
    lambda output, self, a, b, beta, alpha: right["addmm"](output, self, a, b, 1, alpha),
    "forward[addmm-float32]",
)
broken(
    "bias forgotten",
    "a convolution does not add its bias",
    "convolution",
    lambda output, input, weight, bias, *rest: right["convolution"](output, input, weight, None, *rest),
    "forward[convolution-float32]",
)
broken(
    "padding of zeros",
    "max_pool pads with zeros instead of -inf",
    "max_pool2d_with_indices",
    then("max_pool2d_with_indices", lambda values, *rest: filled(values, lambda number: max(number, 0))),
    "forward[max_pool2d_with_indices-float32]",
)
broken(
    "softmax overflows",
    "softmax does not subtract the maximum first",
    "_softmax",
    then("_softmax", lambda output, self, *rest: _overflow(output, self)),
    "values[_softmax-float32]",
)
broken(
    "eps forgotten",
    "layer_norm does not add eps",
    "native_layer_norm",
    lambda *arguments: right["native_layer_norm"](*arguments[:-1], 0.0),
    "forward[native_layer_norm-float32]",
)
broken(
    "duplicates lost",
    "scatter_add keeps only the last of several values",
    "scatter_add",
    lambda output, self, dim, index, source: right["scatter.src"](output, self, dim, index, source),
    "forward[scatter_add-float32]",
)
broken(
    "rows lost",
    "the gradient of a repeated index is counted once",
    "embedding_dense_backward",
    then("embedding_dense_backward", lambda grad, *rest: filled(grad, lambda number: number / 2)),
    "forward[embedding_dense_backward-float32]",
)


@mutant("indices wrap", "an index out of range wraps around without an error", "errors_agree[gather]")
def _() -> dict[str, Any]:
    def gather(output: Any, self: Any, dim: int, index: Any, sparse_grad: bool) -> None:
        try:
            right["gather"](output, self, dim, index, sparse_grad)
        except Exception:
            filled(output, lambda number: 0)

    return {"gather": gather}


@mutant("another kind of error", "an index out of range raises ValueError", "errors_agree[gather]")
def _() -> dict[str, Any]:
    def gather(*arguments: Any) -> None:
        try:
            right["gather"](*arguments)
        except Exception as error:
            raise ValueError(*error.args) from None

    return {"gather": gather}


@mutant("another text", "an index out of range raises an error with another text", "errors_agree[gather]")
def _() -> dict[str, Any]:
    def gather(*arguments: Any) -> None:
        try:
            right["gather"](*arguments)
        except Exception as error:
            raise type(error)("bad index") from None

    return {"gather": gather}


def _overflow(output: Any, self: Any) -> None:
    if any(abs(number) > 700 for number in map(TensorAccessor(self).read, TensorAccessor(self).offsets())):
        filled(output, lambda number: math.nan)


# -------------------------------------------------------------------------------------------------------
# Claims and cheating.

mutant(
    "an empty claim",
    "it claims an operator for which it has no kernel",
    "forward[exp-float32]",
    outcome="fell back",
)(lambda: _without("exp"))


def _without(name: str) -> Loopback:
    made = Loopback()
    del made.kernels[name]
    return made


@mutant("a wrong derivative", "the kernel of a gradient omits a square", "gradient[tanh-float32]")
def _() -> dict[str, Any]:
    return {"tanh_backward": pointwise(lambda grad, output: grad * (1 - output))}


@mutant("late", "a kernel only runs when the next one is called", "forward[neg-float32]")
def _() -> dict[str, Any]:
    waiting: list[Any] = []

    def kernel(iterator: Any) -> None:
        while waiting:
            right["neg"](waiting.pop())
        waiting.append(iterator)

    return {"neg": kernel}


@mutant(
    "random reductions",
    "the order of a sum, and so its last bits, change from call to call",
    "deterministic[sum.dim_IntList-float32]",
)
def _() -> dict[str, Any]:
    shuffle = random.Random(3).shuffle

    def add(numbers: list[Any]) -> Any:
        shuffle(numbers)
        total: Any = 0.0
        for number in numbers:
            total = float32.cast(total + number) if isinstance(number, float) else total + number
        return total

    return {"sum.dim_IntList": reduction(add)}


@mutant(
    "stale results", "results are cached by sizes, and returned for other values, too", "fresh[neg-float32]"
)
def _() -> dict[str, Any]:
    kept: dict[Any, list[Any]] = {}

    def kernel(iterator: Any) -> None:
        output = TensorAccessor(iterator.tensor(0))
        key = iterator.tensor(1)._spec
        if key not in kept:
            right["neg"](iterator)
            kept[key] = [output.read(offset) for offset in output.offsets()]
        for offset, number in zip(output.offsets(), kept[key]):
            output.write(offset, number)

    return {"neg": kernel}


@mutant(
    "the reference underneath",
    "a claimed kernel calls the reference's",
    "own[exp-float32]",
    outcome="fell back",
)
def _() -> dict[str, Any]:
    return {"exp": lambda iterator: right["exp"](iterator)}


@mutant(
    "the host underneath",
    "a claimed kernel copies to the host, computes there, and copies back",
    "own[neg-float32]",
    outcome="fell back",
)
def _() -> Loopback:
    class Mutated(Loopback):
        """Memory that the host cannot access."""

        host_memory = False

    def kernel(iterator: Any) -> None:
        output, given = iterator.tensor(0), iterator.tensor(1)
        data = bytearray(output.untyped_storage().copy_out())
        write = output.dtype.writer(memoryview(data))
        read = given.dtype.reader(memoryview(bytes(given.untyped_storage().copy_out())))
        for to, at in zip(iterator.offsets(0), iterator.offsets(1)):
            write(to, -read(at))
        output.untyped_storage().copy_in(0, memoryview(data))

    made = Mutated()
    made.kernels = {"neg": kernel}
    made.capabilities = {"neg": None}
    return made


@mutant(
    "large inputs skipped", "calls with more than a thousand elements compute nothing", "grain[neg-float32]"
)
def _() -> dict[str, Any]:
    return {"neg": lambda it: right["neg"](it) if it.tensor(0).numel() < 1000 else None}


@mutant("a lost tail", "the elements after the last multiple of 8 are not computed", "sizes[neg-float32]")
def _() -> dict[str, Any]:
    def kernel(iterator: Any) -> None:
        (read,), write = numbers_of(iterator)
        places = list(zip(iterator.offsets(0), iterator.offsets(1)))
        for to, at in places[: len(places) // 8 * 8] if len(places) > 8 else places:
            write(to, -read(at))

    return {"neg": kernel}


@mutant(
    "reads what was there",
    "a sum starts from the previous contents of the output",
    "poison[sum.dim_IntList-float32]",
)
def _() -> Loopback:
    class Block(bytearray):
        left: dict[int, bytes]

        def __del__(self) -> None:
            self.left[len(self)] = bytes(self)

    class Mutated(Loopback):
        """Freed blocks are returned with their previous contents."""

        def __init__(self) -> None:
            super().__init__()
            self.left: dict[int, bytes] = {}

        def allocate(self, nbytes: int, index: int) -> bytearray:
            block = Block(self.left.pop(nbytes, bytes(nbytes)))
            block.left = self.left
            return block

    def add(iterator: Any, *arguments: Any) -> None:
        output = TensorAccessor(iterator.tensor(0))
        before = [output.read(offset) for offset in output.offsets()]
        right["sum.dim_IntList"](iterator, *arguments)
        for offset, number in zip(output.offsets(), before):
            output.write(offset, output.read(offset) + (number if number == number else 0))

    made = Mutated()
    made.kernels["sum.dim_IntList"] = add
    return made


@mutant("not for threads", "a kernel stores its operands in memory that all threads share", "threads[neg]")
def _() -> dict[str, Any]:
    shared: dict[str, Any] = {}

    def kernel(iterator: Any) -> None:
        shared["iterator"] = iterator
        for _ in range(10):
            time.sleep(0)  # lets the interpreter switch to another thread
        right["neg"](shared["iterator"])

    return {"neg": kernel}
