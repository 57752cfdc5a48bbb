"""The census of a program: the operators that it calls, with which arguments, and how often.

    gnomon census script.py [--backend NAME] [--output FILE]    # records, and prints a summary
    gnomon conform NAME --census FILE                           # tests those calls against the reference
    gnomon bench --census FILE                                  # times those calls
    gnomon bench --census lstm                                  # the same, with a census that gnomon ships

It records what the dispatcher runs below autograd, on the starting thread and the worker threads of its
backward passes: composites are decomposed, and operators of backward are included.  Two calls count as one if
operator, dtypes, sizes, strides and numbers are equal, and the storage offsets have the same alignment.
Of a tensor's values only the minimum and the maximum are kept, and for integers the values of a short tensor,
or the set of values if it is small; a replay generates others, in the same layout.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import json
import math
import os
import pathlib
import random
import runpy
import sys
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from typing import Any, NamedTuple

import gnomon as gn
from gnomon.autograd.engine import is_in_backward
from gnomon.backends.listing import table
from gnomon.calls import launch
from gnomon.dispatch.dispatcher import OpOverload
from gnomon.dispatch.record_function import DISPATCH, RecordFunctionCallback, RecordScope, observing
from gnomon.memory.backend import get_backend
from gnomon.values import device as devices
from gnomon.values import dtype as dtypes
from gnomon.values.dispatch_key import PYTHON, DispatchKey
from gnomon.values.errors import BackendUnavailableError

from .execution.runner import Gnomon, prepare
from .execution.work import Work, work_of
from .inputs.description import ON_DEVICE, GivenTensor, Sample, given

FORMAT = 1
PROGRAMS = pathlib.Path(__file__).parent / "data" / "programs"
SHOWN = 20  # operators listed in the table
ALIGNED = 16  # elements: storage offsets that differ by a multiple of this count as equal
FEW = 64  # the most integers that are kept
LOOKED_THROUGH = 2**16  # the most elements of a tensor whose integers are examined

# Operators that overwrite their first tensor without reading it, besides those that draw random numbers.
_OVERWRITING = {"fill_.Scalar", "fill_.Tensor", "copy_"}


class CensusError(ValueError):
    """An invalid census file, or a census of operators that this gnomon does not have."""


@dataclasses.dataclass(frozen=True)
class CensusCall:
    """A group of equal calls.

    operator   with its overload, such as ``add.Tensor``
    arguments  all arguments of the schema, as data (see ``encode``)
    forward    how often the program made the call outside of a backward pass
    backward   and how often inside one
    """

    operator: str
    arguments: list[Any]
    forward: int
    backward: int

    @property
    def count(self) -> int:
        """The total number of calls."""
        return self.forward + self.backward

    @property
    def dtype(self) -> str:
        """The dtype of its first tensor; float32 if it has none."""
        return next((each["tensor"] for each in _tensors(self.arguments)), "float32")

    def find(self) -> OpOverload:
        """The operator.  Raises CensusError if there is none of that name."""
        try:
            return gn.ops.aten._find(self.operator)
        except KeyError:
            raise CensusError(
                f"the census contains {self.operator!r}, which is not an operator of this gnomon"
            ) from None

    def described(self) -> str:
        """The call as readable text: ``add.Tensor(float32[32, 64], float32[64], 1)``."""
        return f"{self.operator}({', '.join(_described(each) for each in self.arguments)})"

    def sample(self) -> Sample:
        """A Sample of the call, with values that depend only on the call."""
        drawn = random.Random(self.described())
        known: dict[str, GivenTensor] = {}  # a tensor that is passed twice stays one tensor
        wholes: dict[int, list[Any]] = {}
        return Sample(tuple(_decode(each, drawn, known, wholes) for each in self.arguments), {})

    def work(self) -> Work:
        """The arithmetic and memory traffic of the call, from its sizes alone."""
        return work_of(self.operator, [_shapes(each) for each in self.arguments])


# The depth of nested operator calls on this thread; only the outermost is counted.
_depth: ContextVar[int] = ContextVar("gnomon_census_depth", default=0)


class Census(observing):
    """A block in which operators are counted.  ``calls()`` returns them in order of first appearance."""

    def __init__(self) -> None:
        self._counts: dict[str, list[Any]] = {}
        super().__init__(RecordFunctionCallback(self._start, self._end, scopes=(DISPATCH,)))

    @property
    def _given(self) -> Census:
        return self

    def _start(self, scope: RecordScope, name: str, passed: Sequence[Any]) -> bool:
        operator, key, arguments = passed
        is_of_subclass = key is DispatchKey.Python and any(
            tensor._keys & PYTHON for tensor in operator.tensors(arguments)
        )
        if key is not DispatchKey.Dense and not is_of_subclass:
            return False
        depth = _depth.get()
        _depth.set(depth + 1)  # counting calls operators itself
        try:
            if not depth and operator.namespace == "aten" and not is_of_subclass:
                self._count(operator, arguments)
        except BaseException:
            _depth.set(depth)
            raise
        return True

    def _end(self, is_entered: bool, is_done: bool) -> None:
        _depth.set(_depth.get() - is_entered)

    def _count(self, func: OpOverload, arguments: Sequence[Any]) -> None:
        storages: dict[int, int] = {}
        name = func.name
        if name == "native_batch_norm" and arguments[3] is not None:
            name = "_native_batch_norm_legit"  # the same operator, with a schema that marks the statistics
        encoded = [encode(each, storages) for each in arguments]
        if not name.startswith(("as_strided", "resize_", "set_")):  # these can access the whole storage
            _trim(encoded)
        key = json.dumps([name, encoded])
        found = self._counts.get(key)
        if found is None:
            tensors = list(func.tensors(arguments))
            is_read = [not func.schema.is_view] * len(tensors)
            if _overwrites(func):  # its first tensor may be uninitialized
                is_read[0] = False
            bounds = [_bounds(tensor) if read else {} for tensor, read in zip(tensors, is_read)]
            found = self._counts[key] = [0, 0, bounds]
        found[is_in_backward()] += 1

    def calls(self) -> list[CensusCall]:
        """The calls recorded so far."""
        found = []
        for key, (forward, backward, bounds) in self._counts.items():
            operator, arguments = json.loads(key)
            for tensor, known in zip(_tensors(arguments), bounds):
                tensor.update({"low": None, "high": None, **known})
            found.append(CensusCall(operator, arguments, forward, backward))
        return found


def _overwrites(operator: OpOverload) -> bool:
    draws = operator.record.batching.rule == "random" and operator.schema.is_inplace
    return draws or operator.name in _OVERWRITING


# -- a call as data ----------------------------------------------------------------------------------------


def encode(value: Any, storages: dict[int, int]) -> Any:
    """An argument as JSON data: numbers, None, lists; everything else as an object that states its kind.

    ``storages`` numbers the storages of the call's tensors.
    """
    if isinstance(value, gn.Tensor):
        storage = value.untyped_storage()
        return {
            "tensor": value.dtype.name,
            "sizes": list(value.shape),
            "strides": list(value.stride()),
            "offset": value.storage_offset(),
            "storage": storages.setdefault(id(storage), len(storages)),
            "elements": storage.nbytes() // value.dtype.itemsize,
        }
    if isinstance(value, (list, tuple)):
        return [encode(each, storages) for each in value]
    if isinstance(value, devices.device):
        return {"device": True}
    if isinstance(value, dtypes.dtype):
        return {"name": value.name}
    if isinstance(value, (devices.layout, devices.memory_format)):
        return {"name": str(value).rpartition(".")[2]}
    if isinstance(value, gn.Generator):
        return {"seed": value.initial_seed()}
    if isinstance(value, complex):
        return {"complex": [repr(value.real), repr(value.imag)]}
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": repr(value)}
    return value


def _tensors(arguments: Any) -> Iterator[dict[str, Any]]:
    """The tensors among encoded arguments, in order."""
    for each in arguments:
        if isinstance(each, list):
            yield from _tensors(each)
        elif isinstance(each, dict) and "tensor" in each:
            yield each


def _trim(arguments: Any) -> None:
    """Reduce each storage to the range that the call's tensors cover, preserving their alignment."""
    ends: dict[int, list[int]] = {}
    for each in _tensors(arguments):
        sizes = each["sizes"]
        shown = (
            1 + sum((size - 1) * stride for size, stride in zip(sizes, each["strides"])) if all(sizes) else 0
        )
        low, high = ends.setdefault(each["storage"], [each["offset"], 0])
        ends[each["storage"]] = [min(low, each["offset"]), max(high, each["offset"] + shown)]
    for each in _tensors(arguments):
        low, high = ends[each["storage"]]
        begin = low - low % ALIGNED
        each["offset"] -= begin
        each["elements"] = high - begin


def _bounds(tensor: gn.Tensor) -> dict[str, Any]:
    """What a replay needs to know of the values: the smallest and largest finite element, and for integers

    numbers   all of them, if they are few and contiguous
    values    otherwise the distinct ones, if these are few
    """
    if (
        tensor.dtype is gn.bool
        or tensor.dtype.is_complex
        or tensor.numel() == 0
        or tensor.device.type == "meta"
    ):
        return {}
    with gn.no_grad():
        low, high = (each.item() for each in tensor.detach().aminmax())
        if not (math.isfinite(low) and math.isfinite(high)):
            return {}
        known: dict[str, Any] = {"low": low, "high": high}
        if not tensor.is_floating_point() and tensor.numel() <= LOOKED_THROUGH:
            numbers = tensor.detach().reshape(-1).tolist()
            values = sorted(set(numbers))
            if len(numbers) <= FEW and tensor.is_contiguous():
                known["numbers"] = numbers
            elif len(values) <= FEW:
                known["values"] = values
        return known


def _decode(
    value: Any, drawn: random.Random, known: dict[str, GivenTensor], wholes: dict[int, list[Any]]
) -> Any:
    if isinstance(value, list):
        return [_decode(each, drawn, known, wholes) for each in value]
    if not isinstance(value, dict):
        return value
    if "device" in value:
        return ON_DEVICE
    if "name" in value:
        return value["name"]
    if "seed" in value:
        return value["seed"]
    if "complex" in value:
        return complex(*map(float, value["complex"]))
    if "float" in value:
        return float(value["float"])
    key = json.dumps([value[name] for name in ("tensor", "sizes", "strides", "offset", "storage")])
    if key not in known:
        place = value["storage"]
        if place not in wholes:
            wholes[place] = _numbers(value, drawn)
        known[key] = given(
            wholes[place], value["sizes"], value["strides"], value["offset"], value["tensor"], place
        )
    return known[key]


def _numbers(tensor: dict[str, Any], drawn: random.Random) -> list[Any]:
    """Generate values for a tensor's whole storage."""
    count, dtype = tensor["elements"], tensor["tensor"]
    low, high = tensor.get("low"), tensor.get("high")  # None for both if the values were not recorded
    if dtype == "bool":
        return [drawn.random() < 0.5 for _ in range(count)]
    if "complex" in dtype:
        return _rounded([complex(drawn.uniform(-1, 1), drawn.uniform(-1, 1)) for _ in range(count)], dtype)
    if "float" in dtype:
        low, high = (-1.0, 1.0) if low is None or high is None else (low, high)
        return _rounded([drawn.uniform(low, high) for _ in range(count)], dtype)
    low, high = (0, 1) if low is None or high is None else (low, high)
    if "values" in tensor:
        return drawn.choices(tensor["values"], k=count)
    numbers = [drawn.randint(low, high) for _ in range(count)]
    known = tensor.get("numbers", [])
    numbers[tensor["offset"] : tensor["offset"] + len(known)] = known
    return numbers


def _rounded(numbers: list[Any], dtype: str) -> list[Any]:
    """The numbers rounded to a dtype."""
    return gn.tensor(numbers, dtype=getattr(gn, dtype), device="reference").tolist()


def _shapes(value: Any) -> Any:
    """An encoded argument in the form for ``work_of``: (dtype, sizes) for a tensor."""
    if isinstance(value, list):
        return [_shapes(each) for each in value]
    return (
        (value["tensor"], tuple(value["sizes"])) if isinstance(value, dict) and "tensor" in value else value
    )


def _described(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_described(each) for each in value)}]"
    if not isinstance(value, dict):
        return repr(value)
    if "tensor" not in value:
        return str(next(iter(value.values())))
    dense = gn.empty(value["sizes"], device="meta").stride()
    layout = "" if list(dense) == value["strides"] else f" by {value['strides']}"
    return f"{value['tensor']}{value['sizes']}{layout}"


# -- files -------------------------------------------------------------------------------------------------


def save(path: str | os.PathLike[str], program: str, calls: Sequence[CensusCall]) -> None:
    """Write a census atomically, with one call per line."""
    target = pathlib.Path(path)
    lines = ",\n".join(
        json.dumps([each.operator, each.arguments, each.forward, each.backward]) for each in calls
    )
    head = json.dumps({"format": FORMAT, "program": program, "gnomon": gn.__version__})[:-1]
    beside = target.with_name(f".{target.name}.{os.getpid()}")
    beside.write_text(f'{head}, "calls": [\n{lines}\n]}}\n', "utf-8")
    os.replace(beside, target)


def shipped() -> list[str]:
    """The names of the censuses that gnomon ships."""
    return sorted(each.stem for each in PROGRAMS.glob("*.json"))


def load(path: str | os.PathLike[str]) -> tuple[str, list[CensusCall]]:
    """The program's name and calls, from a file, or from a census that gnomon ships, by its name.

    Raises CensusError for an invalid census, OSError for a file that cannot be read.
    """
    file = pathlib.Path(path)
    if not file.is_file() and str(path) in shipped():
        file = PROGRAMS / f"{path}.json"
    if not file.is_file():
        raise CensusError(f"{path}: expected a file of `gnomon census`, or one of {', '.join(shipped())}")
    try:
        data = json.loads(file.read_text("utf-8"))
        if data["format"] != FORMAT:
            raise CensusError(f"{path}: expected a census of format {FORMAT}, got {data['format']}")
        calls = [CensusCall(*each) for each in data["calls"]]
        for each in calls:
            each.find()
        return str(data["program"]), calls
    except (json.JSONDecodeError, UnicodeDecodeError, KeyError, TypeError) as error:
        raise CensusError(f"{path}: not a census file ({type(error).__name__}: {error})") from None


# -- kernels that a backend lacks --------------------------------------------------------------------------


class Missing(NamedTuple):
    """A kernel that the backend lacks: how many calls of the program need it, and for how many elements."""

    kernel: str
    calls: int
    elements: int


def missing(calls: Sequence[CensusCall], backend: str) -> list[Missing]:
    """The kernels that a backend lacks to run the program itself, those for most elements first.

    Each distinct call is made once on the backend, and fallbacks to the reference are counted.  A call that
    refuses its generated values (only their bounds were recorded) still counts the kernels it tried.
    """
    found: dict[str, list[int]] = {}
    before = launch.fallback_policy()
    launch.set_fallback_policy("allow")
    try:
        for call in calls:
            operator = call.find()
            made = prepare(Gnomon(backend), operator.schema, call.sample(), "float32", "contiguous")
            counted = launch.fallbacks.copy()
            with gn.no_grad(), contextlib.suppress(IndexError, RuntimeError, ValueError):
                operator(*made.values)
            for _, kernel in launch.fallbacks - counted:
                entry = found.setdefault(kernel, [0, 0])
                entry[0] += call.count
                entry[1] += call.count * call.work().elements
    finally:
        launch.set_fallback_policy(before)
    rows = [Missing(kernel, *numbers) for kernel, numbers in found.items()]
    return sorted(rows, key=lambda each: (-each.elements, -each.calls, each.kernel))


# -- the command -------------------------------------------------------------------------------------------


def summary(calls: Sequence[CensusCall]) -> str:
    """A table of the operators, those that process most elements first."""
    rows: dict[str, list[Any]] = {}
    for call in calls:
        row = rows.setdefault(call.operator, [0, 0, 0, 0, set()])
        row[0] += 1
        row[1] += call.forward
        row[2] += call.backward
        row[3] += call.count * call.work().elements
        row[4].update(each["tensor"] for each in _tensors(call.arguments))
    ordered = sorted(rows.items(), key=lambda item: -item[1][3])
    shown = [
        (name, str(kinds), str(forward), str(backward), str(elements), ", ".join(sorted(dtypes)))
        for name, (kinds, forward, backward, elements, dtypes) in ordered[:SHOWN]
    ]
    heading = ("operator", "kinds of calls", "forward", "backward", "elements in all", "dtypes")
    total = sum(call.count for call in calls)
    more = f"\nand {len(ordered) - SHOWN} more" if len(ordered) > SHOWN else ""
    counts = f"{total} calls of {len(ordered)} operators, {len(calls)} kinds of calls"
    return f"{table([heading, *shown])}{more}\n{counts}"


def record(
    script: str, arguments: Sequence[str], keep: Callable[[list[CensusCall]], None] | None = None
) -> list[CensusCall]:
    """Run a program as Python does, and record its calls.

    An exception of the program propagates, after ``keep`` has been called with the calls until then.
    """
    before = sys.argv, list(sys.path)
    sys.argv = [script, *arguments]
    sys.path.insert(0, str(pathlib.Path(script).resolve().parent))
    census = Census()
    try:
        with census:
            runpy.run_path(script, run_name="__main__")
    except SystemExit as end:
        if end.code not in (None, 0):
            if keep is not None:
                keep(census.calls())
            raise
    except BaseException:
        if keep is not None:
            keep(census.calls())
        raise
    finally:
        sys.argv, sys.path[:] = before
    return census.calls()


def main(arguments: Sequence[str]) -> int:
    """``gnomon census``: run a program, write its census, and print a summary and what the backend lacks."""
    parser = argparse.ArgumentParser(
        prog="gnomon census",
        description="Record which operators a program calls, on what, and how often; forward and backward.",
    )
    parser.add_argument(
        "--backend", default=None, metavar="NAME", help="the backend to run on (default: GNOMON_BACKEND's)"
    )
    parser.add_argument(
        "--output", default=None, metavar="FILE", help="file to write (default: the script's name with .json)"
    )
    parser.add_argument(
        "--for",
        dest="targets",
        action="append",
        default=[],
        metavar="NAME",
        help="list the kernels that this backend lacks; repeatable (default: the backend of the run)",
    )
    parser.add_argument("script", help="the program")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="its arguments")
    options = parser.parse_args(arguments)
    if not pathlib.Path(options.script).is_file():
        parser.error(f"script {options.script!r} does not exist")
    try:
        if options.backend is not None:
            get_backend(options.backend)
            gn.set_default_device(options.backend)
        targets = options.targets or [gn.get_default_device().type]
        for name in targets:
            get_backend(name)
    except BackendUnavailableError as error:
        parser.error(str(error))
    output = options.output or f"{pathlib.Path(options.script).stem}.json"
    if not os.access(pathlib.Path(output).resolve().parent, os.W_OK):  # before a possibly long run
        parser.error(f"--output: {output!r} cannot be written")
    name = pathlib.Path(options.script).name
    calls = record(options.script, options.arguments, lambda seen: save(output, name, seen))
    save(output, name, calls)
    print(summary(calls))
    for target in targets:
        print(_next_for(target, missing(calls, target)))
    print(f"Written: {output}")
    return 0


def _next_for(name: str, rows: Sequence[Missing]) -> str:
    if not rows:
        return f"{name} has all kernels for this program."
    shown = [(each.kernel, str(each.calls), str(each.elements)) for each in rows]
    return f"{name} lacks these kernels:\n{table([('kernel', 'calls', 'elements in all'), *shown])}"
