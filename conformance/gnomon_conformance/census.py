"""The census of a program: which operators it calls, on what, and how often.

    gnomon census script.py [--backend NAME] [--output FILE]    # records, and prints what it found
    gnomon conform NAME --census FILE                           # those calls, against the reference
    gnomon bench --census FILE                                  # those calls, timed
    gnomon bench --census lstm                                  # one of those that come with gnomon

What is recorded is what the dispatcher sees below autograd, on the thread that began and the workers of its
backwards: compositions taken apart, backward's operators too.  Two calls are one where operator, dtypes,
sizes, strides and numbers are the same; where in its storage a tensor begins is the same if that is as well
aligned.  Of a tensor's values the census keeps the least and the greatest alone, and of integers those of a
short tensor, or which there are if they are few; a replay draws others, in the same layout.
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
SHOWN = 20  # operators that the table names
ALIGNED = 16  # elements: a tensor begins so many further on, or back, without a difference
FEW = 64  # integers that are kept
LOOKED_THROUGH = 2**16  # elements, for which integers there are

# What these find in their first tensor has no part in what they do; it may never have been written.
_OVERWRITING = {
    *("uniform_", "normal_", "random_", "exponential_", "geometric_", "cauchy_", "log_normal_", "bernoulli_"),
    *("zero_", "fill_.Scalar", "fill_.Tensor", "copy_"),
}


class CensusError(ValueError):
    """A file that is no census, or one of operators that this gnomon does not have."""


@dataclasses.dataclass(frozen=True)
class CensusCall:
    """One kind of call.

    operator   with its overload, as ``add.Tensor``
    arguments  all of the schema's, as data (see ``encode``)
    forward    how often the program called it, outside of a backward
    backward   and within one
    """

    operator: str
    arguments: list[Any]
    forward: int
    backward: int

    @property
    def count(self) -> int:
        """How often in all."""
        return self.forward + self.backward

    @property
    def dtype(self) -> str:
        """That of its first tensor; float32 where it has none."""
        return next((each["tensor"] for each in _tensors(self.arguments)), "float32")

    def find(self) -> OpOverload:
        """The operator.  Raises CensusError where there is none of that name."""
        try:
            return gn.ops.aten._find(self.operator)
        except KeyError:
            raise CensusError(
                f"the census calls {self.operator!r}, which this gnomon does not have"
            ) from None

    def described(self) -> str:
        """The call for people: ``add.Tensor(float32[32, 64], float32[64], 1)``."""
        return f"{self.operator}({', '.join(_described(each) for each in self.arguments)})"

    def sample(self) -> Sample:
        """The call as the suite builds calls, with values that depend on the call alone."""
        drawn = random.Random(self.described())
        known: dict[str, GivenTensor] = {}  # a tensor that is given twice is one
        wholes: dict[int, list[Any]] = {}
        return Sample(tuple(_decode(each, drawn, known, wholes) for each in self.arguments), {})

    def work(self) -> Work:
        """What the call has to compute and to move, from its sizes alone."""
        return work_of(self.operator, [_shapes(each) for each in self.arguments])


# Of calls within which others are no part of a census, on this thread.
_depth: ContextVar[int] = ContextVar("gnomon_census_depth", default=0)


class Census(observing):
    """The block: inside, operators are counted.  ``calls()`` gives what was found, by first appearance."""

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
        _depth.set(depth + 1)  # to count takes operators, too
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
            name = "_native_batch_norm_legit"  # the same, but its schema says that it moves the statistics
        encoded = [encode(each, storages) for each in arguments]
        if not name.startswith(("as_strided", "resize_", "set_")):  # which see all of a storage
            _trim(encoded)
        key = json.dumps([name, encoded])
        found = self._counts.get(key)
        if found is None:
            tensors = list(func.tensors(arguments))
            is_read = [not func.schema.is_view] * len(tensors)
            if func.name in _OVERWRITING:
                is_read[0] = False
            bounds = [_bounds(tensor) if read else {} for tensor, read in zip(tensors, is_read)]
            found = self._counts[key] = [0, 0, bounds]
        found[is_in_backward()] += 1

    def calls(self) -> list[CensusCall]:
        """What was called."""
        found = []
        for key, (forward, backward, bounds) in self._counts.items():
            operator, arguments = json.loads(key)
            for tensor, known in zip(_tensors(arguments), bounds):
                tensor.update({"low": None, "high": None, **known})
            found.append(CensusCall(operator, arguments, forward, backward))
        return found


# -- a call as data ----------------------------------------------------------------------------------------


def encode(value: Any, storages: dict[int, int]) -> Any:
    """An argument as JSON has it: numbers, None, lists; all else as an object with one key that says what.

    ``storages`` numbers the storages that the call's tensors are views of.
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
    """The tensors among encoded arguments, in their order."""
    for each in arguments:
        if isinstance(each, list):
            yield from _tensors(each)
        elif isinstance(each, dict) and "tensor" in each:
            yield each


def _trim(arguments: Any) -> None:
    """Leave of each storage what the call's tensors show, and what it takes to begin them as well aligned."""
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
    """What a replay has to know of the values: the least and the greatest finite element, and of integers

    numbers   all of them, where they are few and lie one behind the other
    values    else which there are, if these are few
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
    """Values for a tensor's whole storage."""
    count, dtype = tensor["elements"], tensor["tensor"]
    low, high = tensor.get("low"), tensor.get("high")  # None for both where nothing was kept
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
    """The numbers of a dtype that are next to ``numbers``."""
    return gn.tensor(numbers, dtype=getattr(gn, dtype), device="reference").tolist()


def _shapes(value: Any) -> Any:
    """An encoded argument as ``work_of`` takes it: (dtype, sizes) for a tensor."""
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
    """Write a census, whole or not at all: one call a line."""
    target = pathlib.Path(path)
    lines = ",\n".join(
        json.dumps([each.operator, each.arguments, each.forward, each.backward]) for each in calls
    )
    head = json.dumps({"format": FORMAT, "program": program, "gnomon": gn.__version__})[:-1]
    beside = target.with_name(f".{target.name}.{os.getpid()}")
    beside.write_text(f'{head}, "calls": [\n{lines}\n]}}\n', "utf-8")
    os.replace(beside, target)


def shipped() -> list[str]:
    """The names of the censuses that come with gnomon."""
    return sorted(each.stem for each in PROGRAMS.glob("*.json"))


def load(path: str | os.PathLike[str]) -> tuple[str, list[CensusCall]]:
    """The program's name and its calls, of a file, or of a census that comes with gnomon, by its name.

    Raises CensusError for what is no census, OSError for a file that cannot be read.
    """
    file = pathlib.Path(path)
    if not file.is_file() and str(path) in shipped():
        file = PROGRAMS / f"{path}.json"
    if not file.is_file():
        raise CensusError(f"{path}: expected a file of `gnomon census`, or one of {', '.join(shipped())}")
    try:
        data = json.loads(file.read_text("utf-8"))
        if data["format"] != FORMAT:
            raise CensusError(f"{path}: a census of format {data['format']}; this gnomon reads {FORMAT}")
        calls = [CensusCall(*each) for each in data["calls"]]
        for each in calls:
            each.find()
        return str(data["program"]), calls
    except (json.JSONDecodeError, UnicodeDecodeError, KeyError, TypeError) as error:
        raise CensusError(f"{path}: this is no census ({type(error).__name__}: {error})") from None


# -- what a backend misses ---------------------------------------------------------------------------------


class Missing(NamedTuple):
    """A kernel that the backend lacks: how many calls of the program need it, and on how many elements."""

    kernel: str
    calls: int
    elements: int


def missing(calls: Sequence[CensusCall], backend: str) -> list[Missing]:
    """The kernels that a backend should have to run the program itself, the most needed first.

    Each kind of call is made once on the backend, and what falls back to the reference is counted.  One that
    refuses the values that were drawn for it (the census keeps their bounds alone) shows what it tried.
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
    """A table of the operators, those first that work on most elements."""
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
    """Run a program as Python does, and count what it calls.

    What it raises comes through; ``keep`` is told before what was called until then.
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
    """``gnomon census``: run a program, write its census, print it and what the backend misses."""
    parser = argparse.ArgumentParser(
        prog="gnomon census",
        description="Record which operators a program calls, on what, and how often; forward and backward.",
    )
    parser.add_argument(
        "--backend", default=None, metavar="NAME", help="the backend to run on (default: GNOMON_BACKEND's)"
    )
    parser.add_argument(
        "--output", default=None, metavar="FILE", help="where to write it (default: the script's name .json)"
    )
    parser.add_argument(
        "--for",
        dest="targets",
        action="append",
        default=[],
        metavar="NAME",
        help="say what this backend misses to run the program; repeatable (default: the one it ran on)",
    )
    parser.add_argument("script", help="the program")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="its arguments")
    options = parser.parse_args(arguments)
    if not pathlib.Path(options.script).is_file():
        parser.error(f"there is no program {options.script!r}")
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
    if not os.access(pathlib.Path(output).resolve().parent, os.W_OK):  # before the program has run for long
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
        return f"{name} runs all of it itself."
    shown = [(each.kernel, str(each.calls), str(each.elements)) for each in rows]
    return f"{name} should have next:\n{table([('kernel', 'calls', 'elements in all'), *shown])}"
