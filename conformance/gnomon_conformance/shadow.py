"""The shadow run: a program runs on a backend, and each of its operators also runs on the reference.

    gnomon shadow --backend NAME script.py
    GNOMON_BACKEND=NAME GNOMON_SHADOW=reference python script.py

Both get the same inputs; values, dtype, strides, aliasing, version counters, warnings and errors are compared
as in the suite.  The first difference ends the program, and is saved as a test that can be added to the
suite.

The shadow compares calls that reach a backend's kernel on the starting thread and on the workers of its
backward passes: composites are decomposed, and operators of backward are included.  The reference computes
each element in Python, so a shadowed call takes some microseconds per element; ``every`` and ``largest``
select the calls.
"""

from __future__ import annotations

import argparse
import atexit
import math
import os
import pathlib
import re
import runpy
import sys
import threading
import warnings
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import gnomon as gn
from gnomon.dispatch.dispatcher import OpOverload
from gnomon.dispatch.record_function import DISPATCH, RecordFunctionCallback, RecordScope, observing
from gnomon.memory.backend import get_backend
from gnomon.values import device as devices
from gnomon.values import dtype as dtypes
from gnomon.values.dispatch_key import (
    AD_INPLACE_OR_VIEW,
    AUTOGRAD,
    EXCLUDED_SHIFT,
    MODE_WORD,
    WRAPPER_KEYS,
    DispatchKey,
    mode_word,
)
from gnomon.values.errors import BackendUnavailableError
from gnomon.values.thread_local_state import State, ThreadLocalStateGuard

from .comparison.differences import renamed_device
from .comparison.tolerances import Tolerance
from .execution.check import problems_of
from .execution.runner import Call, Gnomon, failure_of, outcome, prepare, run_call, versions
from .inputs.description import ON_DEVICE, GivenTensor, OnDevice, Sample, given
from .reporting.reproduction import explain

LARGEST = 4096  # the most elements of a tensor in a call that is shadowed


class ShadowDifference(BaseException):
    """A call whose outcome differs from the reference's.

    Not an Exception, because a program that handles those would continue.
    """


def describe(operator: OpOverload, arguments: Sequence[Any]) -> tuple[Sample, Call]:
    """A live call as a Sample of GivenTensors, and as a Call for ``run_call``."""
    call = Call(list(arguments), [], [], [], [])
    places: dict[int, int] = {}
    known: dict[int, GivenTensor] = {}  # a tensor that is passed twice stays one tensor

    def described(value: Any) -> Any:
        if isinstance(value, gn.Tensor):
            if id(value) in known:
                return known[id(value)]
            storage = value.untyped_storage()
            numel = storage.nbytes() // value.dtype.itemsize
            whole = value.as_strided((numel,), (1,), 0)
            place = places.setdefault(id(storage), len(places))
            numbers = Gnomon(value.device.type).numbers(whole)
            assert numbers is not None, "a Shadow is of no meta device"
            made = given(
                numbers, value.shape, value.stride(), value.storage_offset(), value.dtype.name, place
            )
            known[id(value)] = made
            call.tensors.append(value)
            call.wholes.append(whole)
            call.contents.append(made.contents)
            call.differentiable.append(False)
            return made
        if isinstance(value, (list, tuple)):
            return [described(each) for each in value]
        return _as_data(value)

    values = [described(value) for value in arguments]
    return Sample(tuple(values), {}), call


def _as_data(value: Any) -> Any:
    """A non-tensor argument in the form that samples use: devices, dtypes and the like by name."""
    if isinstance(value, devices.device):
        return ON_DEVICE
    if isinstance(value, dtypes.dtype):
        return value.name
    if isinstance(value, (devices.layout, devices.memory_format)):
        return str(value).rpartition(".")[2]
    if isinstance(value, gn.Generator):
        return value.initial_seed()
    return value


class _Watched(NamedTuple):
    """A call that has begun and will be compared: its state before it is made."""

    operator: OpOverload
    arguments: Sequence[Any]
    sample: Sample
    call: Call
    versions: list[int]
    generators: list[gn.Generator]
    states: list[gn.Tensor]
    catching: warnings.catch_warnings[Any]
    caught: list[warnings.WarningMessage]


class _below_autograd(ThreadLocalStateGuard):
    """A block in which operators run below autograd, as after dispatch to a backend's kernel."""

    def _inside(self) -> State:
        return ((MODE_WORD, mode_word() | (AUTOGRAD | AD_INPLACE_OR_VIEW) << EXCLUDED_SHIFT),)


class Shadow(observing):
    """A block in which each operator on ``device`` also runs on the reference.

    every      compare only every n-th call of an operator
    largest    compare only calls whose tensors and storages have at most this many elements
    folder     where the test for a difference is written
    """

    def __init__(self, device: str, every: int = 1, largest: int = LARGEST, folder: str = "."):
        if every < 1:
            raise ValueError(f"shadow: every: expected at least 1, got {every}")
        if device == "meta":
            raise ValueError("shadow: tensors on 'meta' have no data to compare with the reference's")
        super().__init__(RecordFunctionCallback(self._begin, self._end, (DISPATCH,), needs_outputs=True))
        self.device = device
        self.every = every
        self.largest = largest
        self.folder = pathlib.Path(folder)
        self.met: Counter[str] = Counter()
        self.compared: Counter[str] = Counter()
        self.too_large: Counter[str] = Counter()
        self.differs = False
        self._busy = threading.local()  # holds the current call, whose nested calls are not compared

    @property
    def _given(self) -> Shadow:
        return self

    def _begin(self, scope: RecordScope, name: str, passed: Sequence[Any]) -> Any:
        operator, key, arguments = passed
        if key is not DispatchKey.Dense or getattr(self._busy, "call", None) is not None:
            return None
        self._busy.call = operator  # so that observing the call does not count as a call
        try:
            watched = self._watched(operator, arguments) if self._is_wanted(operator, arguments) else None
        except BaseException:
            self._busy.call = None
            raise
        return operator, watched

    def _is_wanted(self, operator: OpOverload, arguments: Sequence[Any]) -> bool:
        tensors = operator.tensors(arguments)
        asked = [each for each in arguments if isinstance(each, devices.device)]
        where = [tensor.device for tensor in tensors] + asked or [gn.get_default_device()]
        here = all(each.type == self.device for each in where)
        wraps = any(tensor._keys & WRAPPER_KEYS for tensor in tensors)
        if operator.namespace != "aten" or wraps or not here:
            return False
        self.met[operator.name] += 1
        if (self.met[operator.name] - 1) % self.every:
            return False
        sizes = [tensor.untyped_storage().nbytes() // tensor.dtype.itemsize for tensor in tensors]
        sizes += [math.prod(value) for value in arguments if _is_shape(value)]
        if max(sizes, default=0) > self.largest:
            self.too_large[operator.name] += 1
            return False
        self.compared[operator.name] += 1
        return True

    def _watched(self, operator: OpOverload, arguments: Sequence[Any]) -> _Watched:
        sample, call = describe(operator, arguments)
        generators = [gn.default_generator, *(each for each in arguments if isinstance(each, gn.Generator))]
        states = [each.get_state() for each in generators]
        before = versions(Gnomon(self.device), call)
        catching = warnings.catch_warnings(record=True)
        caught = catching.__enter__()
        warnings.simplefilter("always")
        return _Watched(operator, arguments, sample, call, before, generators, states, catching, caught)

    def _end(self, started: Any, is_done: bool, result: Any) -> None:
        if started is None:
            return
        try:
            watched = started[1]
            if watched is not None:
                watched.catching.__exit__(None, None, None)
                error = None if is_done else sys.exc_info()[1]
                if is_done or isinstance(error, Exception):
                    with _below_autograd():
                        self._compare(watched, error, result)
                for each in watched.caught:
                    warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)
        finally:
            self._busy.call = None

    def _compare(self, watched: _Watched, error: Any, result: Any) -> None:
        func, arguments, sample, call = watched[:4]
        failure = None if error is None else failure_of(error)
        actual = outcome(Gnomon(self.device), func, call, watched.versions, failure, result, watched.caught)
        after = [each.get_state() for each in watched.generators]
        for each, state in zip(watched.generators, watched.states):
            each.set_state(state)  # so that the reference generates the same random numbers
        shadow = prepare(Gnomon("reference"), func.schema, sample, "float32", "contiguous")
        replaced = [
            live if isinstance(live, gn.Generator) else made for live, made in zip(arguments, shadow.values)
        ]

        def again() -> Any:
            with gn.device("reference"):
                return func(*replaced)

        expected = run_call(Gnomon("reference"), func, shadow, again)
        if actual.failure is not None:
            text = renamed_device(actual.failure.text, self.device)
            actual = actual._replace(failure=actual.failure._replace(text=text))
        dtype = call.contents[0].dtype if call.contents else "float32"
        tolerance = Tolerance(func, sample, dtype, "contiguous")
        problems = problems_of(func, sample, tolerance, self.device, call, actual, expected)
        for each, state in zip(watched.generators, after):
            each.set_state(state)  # computing tolerances may have run the operator again
        if problems:
            self._stop(func, sample, dtype, problems)

    def _stop(self, func: OpOverload, sample: Sample, dtype: str, problems: list[str]) -> None:
        self.differs = True
        number = self.met.total()
        message = explain(problems, func, sample, dtype, "contiguous", ("reference", self.device))
        path = write_test(self.folder, func, sample, dtype, problems, self.device)
        raise ShadowDifference(f"operator {number} of the program differs:\n{message}\nWritten as {path}")

    def summary(self) -> str:
        """The number of calls compared, and whether one differed."""
        text = f"{self.compared.total()} of {self.met.total()} calls, of {len(self.met)} operators, compared "
        text += f"with the reference: {'the last one differs' if self.differs else 'no difference'}"
        if self.too_large:
            text += f"; {self.too_large.total()} have tensors of more than {self.largest} elements"
        return text


def _is_shape(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and bool(value) and all(type(each) is int for each in value)


def write_test(
    folder: pathlib.Path,
    operator: OpOverload,
    sample: Sample,
    dtype: str,
    problems: Sequence[str],
    backend: str,
) -> pathlib.Path:
    """Write the call as a test file for the suite, under an unused name; return its path."""
    stem = re.sub(r"\W+", "_", operator.name).strip("_")
    name = f"test_shadow_{stem}.py"
    count = 1
    while (folder / name).exists():
        count += 1
        name = f"test_shadow_{stem}_{count}.py"
    overload = operator.schema.overload_name or "default"
    lines = [
        f'"""{operator.name} on {backend!r}, as a program called it.',
        "",
        *(f"{line}" for problem in problems[:3] for line in problem.replace("\\", "/").splitlines()),
        "",
        f"    pytest -p gnomon_conformance.plugin --gnomon-backend {backend} {name}",
        '"""',
        "",
        "from math import inf, nan  # noqa: F401  (what numbers may be)",
        "",
        "import gnomon as gn",
        "from gnomon_conformance.execution.check import check_forward",
        "from gnomon_conformance.inputs.description import ON_DEVICE, given, sample  # noqa: F401",
        "",
        "",
        f"def test_{stem}(backend):",
        f"    operator = getattr(gn.ops.aten.{operator.schema.name}, {overload!r})",
        "    call = sample(",
        *(f"        {_text(value)}," for value in sample.args),
        "    )",
        f'    problem = check_forward(operator, call, {dtype!r}, "contiguous", backend.device_type)',
        "    assert not problem, problem",
        "",
    ]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    beside = path.with_name(f".{name}.{os.getpid()}")
    beside.write_text("\n".join(lines), "utf-8")
    os.replace(beside, path)
    return path


def _text(value: Any) -> str:
    if isinstance(value, GivenTensor):
        return f"given({', '.join(map(repr, value.contents))}, storage={value.storage})"
    if isinstance(value, OnDevice):
        return "ON_DEVICE"
    if isinstance(value, list):
        return f"[{', '.join(_text(each) for each in value)}]"
    return repr(value)


def main(arguments: Sequence[str]) -> int:
    """``gnomon shadow``: run a script in a shadow; the exit status is 1 if something differs."""
    parser = argparse.ArgumentParser(
        prog="gnomon shadow",
        description="Run a program on a backend, and compare the result of each operator with the reference.",
    )
    parser.add_argument("--backend", required=True, metavar="NAME", help="the backend to run on")
    _add_options(parser)
    parser.add_argument("script", help="the program")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="its arguments")
    options = parser.parse_args(arguments)
    try:
        backend = get_backend(options.backend)
        gn.set_default_device(options.backend)
    except BackendUnavailableError as error:
        parser.error(str(error))
    if options.every < 1:
        parser.error(f"--every: expected at least 1, got {options.every}")
    if backend.device_type == "meta":
        parser.error("--backend: tensors on 'meta' have no data to compare with the reference's")
    if not pathlib.Path(options.script).is_file():
        parser.error(f"script {options.script!r} does not exist")
    shadow = Shadow(backend.device_type, options.every, options.largest, options.folder)
    sys.argv = [options.script, *options.arguments]
    sys.path.insert(0, str(pathlib.Path(options.script).resolve().parent))
    try:
        with shadow:
            runpy.run_path(options.script, run_name="__main__")
    except ShadowDifference as difference:
        print(difference, file=sys.stderr)
        return 1
    print(f"gnomon shadow: {shadow.summary()}", file=sys.stderr)
    return 0


def _add_options(parser: argparse.ArgumentParser) -> None:
    every = "compare every N-th call of each operator (default: 1, all calls)"
    parser.add_argument("--every", type=int, default=1, metavar="N", help=every)
    largest = "skip calls with a tensor of more than N elements (default: %(default)s)"
    parser.add_argument("--largest", type=int, default=LARGEST, metavar="N", help=largest)
    folder = "folder for the test that reproduces a difference (default: the current folder)"
    parser.add_argument("--folder", default=".", metavar="DIR", help=folder)


def start() -> None:
    """Start the shadow that ``GNOMON_SHADOW=reference`` requests, from the first tensor to the program's end.

    ``GNOMON_SHADOW_EVERY``, ``GNOMON_SHADOW_LARGEST`` and ``GNOMON_SHADOW_FOLDER`` are the command's options.
    Raises ValueError for any shadow but the reference, and for values that are not numbers.
    """
    wanted = os.environ["GNOMON_SHADOW"]
    if wanted != "reference":
        raise ValueError(f"GNOMON_SHADOW: expected 'reference', got {wanted!r}")
    shadow = Shadow(
        gn.get_default_device().type,
        _number_of("GNOMON_SHADOW_EVERY", 1),
        _number_of("GNOMON_SHADOW_LARGEST", LARGEST),
        os.environ.get("GNOMON_SHADOW_FOLDER") or ".",
    )
    shadow.__enter__()
    atexit.register(lambda: print(f"gnomon shadow: {shadow.summary()}", file=sys.stderr))


def _number_of(variable: str, default: int) -> int:
    text = os.environ.get(variable) or str(default)
    if not text.isdecimal():
        raise ValueError(f"{variable}: expected a number, got {text!r}")
    return int(text)
