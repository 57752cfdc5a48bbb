"""Makes calls of a library, and compares them with the reference's."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

from ..comparison.differences import failure_differences, gradient_differences, result_differences
from ..comparison.tolerances import Tolerance
from ..execution.runner import (
    Call,
    Gnomon,
    Gradients,
    Outcome,
    TensorOutcome,
    differentiate,
    failure_of,
    incoming_gradient,
    prepare,
    run,
)
from ..inputs.description import Sample, Specified, Stored
from .adaptor import Library


class Declined(Exception):
    """The library does not have what a call needs."""


class LibraryFramework:
    """A library, as the runner's ``prepare`` builds tensors in it."""

    device = "library"

    def __init__(self, library: Library):
        self.library = library
        self.is_strided = True  # whether every tensor so far was built with its strides

    def build(self, contents: Stored) -> tuple[Any, Any]:
        """A tensor over the whole storage, and the tensor that ``contents`` describes."""
        if contents.dtype not in self.library.dtypes:
            raise Declined(f"no dtype {contents.dtype}")
        whole = self.library.tensor(contents.numbers, (len(contents.numbers),), contents.dtype)
        try:
            return whole, self.library.strided(whole, contents.sizes, contents.strides, contents.offset)
        except NotImplementedError:
            made = self.library.tensor(row_major(contents), contents.sizes, contents.dtype)
            return made, made

    def build_sparse(self, parts: Specified) -> tuple[Any, Any]:
        """Raises Declined."""
        raise Declined(f"no layout {parts.layout}")

    def special(self, kind: str, value: Any) -> Any:
        """An argument that is neither a tensor nor a number, from its name."""
        if kind == "Generator":
            raise Declined("no generators")
        if kind == "ScalarType" and value not in self.library.dtypes:
            raise Declined(f"no dtype {value}")
        return self.library.dtype(value)

    def device_argument(self) -> Any:
        """The device that the test runs on, as an argument."""
        return None

    def observe(self, tensor: Any) -> TensorOutcome:
        """What can be observed of a tensor.  Raises TypeError for what ``describe`` may not return."""
        dtype, sizes, numbers = self.library.describe(tensor)
        sizes, numbers = tuple(sizes), tuple(numbers)
        if len(numbers) != math.prod(sizes):
            raise TypeError(
                f"describe: expected {math.prod(sizes)} elements of a tensor of sizes {sizes}, "
                f"got {len(numbers)}"
            )
        return TensorOutcome(dtype, sizes, (), 0, self.device, None, numbers)


def row_major(contents: Stored) -> list[Any]:
    """The elements of a tensor over a storage."""
    places = [contents.offset]
    for size, stride in zip(contents.sizes, contents.strides):
        places = [place + index * stride for place in places for index in range(size)]
    return [contents.numbers[place] for place in places]


def _prepared(library: Library, operator: Any, sample: Sample, dtype: str, layout: str) -> Call:
    try:
        return prepare(LibraryFramework(library), operator.schema, sample, dtype, layout)  # type: ignore[arg-type]
    except NotImplementedError as error:
        raise Declined(str(error)) from error


def _made(library: Library, operator: Any, call: Call, computes: bool) -> tuple[list[Any], Any]:
    """The results of a call, and the exception that it raised, or None."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = library.functions[operator.name](*call.values)
        except NotImplementedError as error:
            raise Declined(str(error)) from error
        except (Exception, SystemExit) as error:  # part of the outcome
            return [], error
        results = list(result) if isinstance(result, (tuple, list)) else [result]
        if computes:
            try:
                results = [library.computed(each) if library.is_tensor(each) else each for each in results]
            except (Exception, SystemExit) as error:
                return [], error
    return results, None


def forward_differences(
    library: Library, operator: Any, sample: Sample, dtype: str, layout: str, values: bool = True
) -> list[str]:
    """Where a call of the library differs from the reference's: results, memory they share with the
    arguments, the arguments afterwards, the exception.  Raises Declined.
    """
    call = _prepared(library, operator, sample, dtype, layout)
    expected = run(Gnomon("reference"), operator, sample, dtype, layout)
    framework = LibraryFramework(library)
    results, error = _made(library, operator, call, computes=True)
    if expected.failure is not None or error is not None:
        return _error_differences(library, error, expected)
    if len(results) != len(expected.results):
        return [f"gave {len(results)} results, expected {len(expected.results)}"]
    found = []
    tolerance = Tolerance(operator, sample, dtype, layout)
    for position, (result, wanted) in enumerate(zip(results, expected.results)):
        what = "result" if len(results) == 1 else f"result {position}"
        if not isinstance(wanted, TensorOutcome):
            mine = result
        elif not library.is_tensor(result):
            found.append(f"{what} is {result!r}, expected a tensor")
            continue
        else:
            mine = framework.observe(result)
        bounds = exact = None
        if isinstance(wanted, TensorOutcome):
            if values and mine.numbers != wanted.numbers:
                bounds = tolerance.bounds(wanted, position)
                exact = tolerance.exact(wanted, position) if bounds is not None else None
            found += _aliasing_differences(library, result, call, wanted, what)
            wanted = wanted._replace(alias=None)
        found += result_differences(mine, wanted, bounds, what, values, strides=False, exact=exact)
    return found + _changes(framework, call, expected)


def _error_differences(library: Library, error: BaseException | None, expected: Outcome) -> list[str]:
    if error is not None and expected.failure is not None and not library.compares_kinds:
        return []
    return failure_differences(None if error is None else failure_of(error), expected.failure, texts=False)


def _aliasing_differences(
    library: Library, result: Any, call: Call, wanted: TensorOutcome, what: str
) -> Iterator[str]:
    """Arguments whose memory a result shares and should not, or the other way round."""
    for position, tensor in enumerate(call.tensors):
        shares = library.shares_memory(result, tensor)
        is_view = wanted.alias is not None and wanted.alias[1] == position
        if shares is not None and shares != is_view and 0 not in wanted.sizes:
            yield f"{what} {'shares' if shares else 'does not share'} the memory of argument {position}"


def _changes(framework: LibraryFramework, call: Call, expected: Outcome) -> list[str]:
    """Arguments that a call changed."""
    found = []
    for position, (whole, contents) in enumerate(zip(call.wholes, call.contents)):
        numbers = contents.numbers if whole is not call.tensors[position] else row_major(contents)
        after = framework.observe(whole)
        before = after._replace(numbers=tuple(numbers))
        found += result_differences(after, before, None, f"argument {position} afterwards", strides=False)
    return found


def gradient_problems(library: Library, operator: Any, sample: Sample, dtype: str, layout: str) -> list[str]:
    """Where the library's gradients of a call differ from the reference's.  Raises Declined."""
    call = _prepared(library, operator, sample, dtype, layout)
    expected = differentiate(Gnomon("reference"), operator, sample, dtype, layout)
    if expected.failure is not None or all(each is None for each in expected.gradients):
        raise Declined("no gradient")
    try:
        actual = _gradients(library, operator, call, expected)
    except NotImplementedError as error:
        raise Declined(str(error)) from error
    except Declined:
        raise
    except (Exception, SystemExit) as error:  # part of the outcome
        actual = Gradients((), (), failure_of(error))
    return gradient_differences(actual, expected, texts=False, strides=False)


def _gradients(library: Library, operator: Any, call: Call, expected: Gradients) -> Gradients:
    framework = LibraryFramework(library)
    places = [place for place, wanted in enumerate(expected.gradients) if wanted is not None]
    tracked = {id(call.tensors[place]): library.track(call.tensors[place]) for place in places}
    inputs = [tracked[id(call.tensors[place])] for place in places]
    values = [_replaced(value, tracked) for value in call.values]
    results, error = _made(library, operator, call._replace(values=values), computes=False)
    if error is not None:
        raise error
    outputs: Sequence[Any] = [each for each in results if library.is_tensor(each)]
    outputs = [each for each, wanted in zip(outputs, expected.requires_grad) if wanted]
    given = []
    for number, each in enumerate(outputs):
        result_dtype, sizes = library.dtype_and_sizes(each)
        contents = incoming_gradient(result_dtype, tuple(sizes), number)
        given.append(framework.build(contents)[1])
    found: list[TensorOutcome | None] = [None] * len(expected.gradients)
    for place, grad in zip(places, library.gradients(outputs, given, inputs)):
        found[place] = None if grad is None else framework.observe(grad)
    return Gradients(expected.requires_grad, tuple(found), None)


def _replaced(value: Any, tracked: dict[int, Any]) -> Any:
    if isinstance(value, tuple):
        return tuple(_replaced(each, tracked) for each in value)
    return tracked.get(id(value), value)
