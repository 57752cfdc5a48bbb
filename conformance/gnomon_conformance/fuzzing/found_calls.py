"""Found calls: calls that a search found to fail on some backend, each kept as a file and used as a sample.

A file is JSON: the operator, the dtype, the arguments as the search generated them, and its seed.  Those in
data/found are tested on every backend, without a search (test_found); ``--samples`` names another folder.
"""

from __future__ import annotations

import functools
import json
import math
import pathlib
import zlib
from collections.abc import Sequence
from typing import Any, NamedTuple

from ..collection.selection import called
from ..inputs.description import GivenTensor, OnDevice, Sample, TensorDescription, given
from ..reporting.report import write_whole

FOLDER = pathlib.Path(__file__).parent.parent / "data" / "found"
_RECIPE = ("dtype", "values", "layout", "seed", "grad")  # the fields of a tensor, except for its sizes
_USUAL = TensorDescription(())
_CONTENTS = ("numbers", "sizes", "strides", "offset", "dtype")


class FoundCall(NamedTuple):
    """A call of the operator with this full name, found with ``seed``; ``why`` says what was wrong."""

    operator: str
    dtype: str
    sample: Sample
    seed: int
    why: str

    @property
    def name(self) -> str:
        """The name of its file, which depends only on the call."""
        content = json.dumps(as_data(self._replace(seed=0, why="")))
        return f"{self.operator}-{self.dtype}-{zlib.crc32(content.encode()):08x}.json"


def as_data(call: FoundCall) -> dict[str, Any]:
    """The call as JSON data."""
    seen: list[Any] = []
    return {
        "operator": call.operator,
        "dtype": call.dtype,
        "args": [_encoded(each, seen) for each in call.sample.args],
        "kwargs": {name: _encoded(each, seen) for name, each in call.sample.kwargs.items()},
        "seed": call.seed,
        "why": call.why,
    }


def _encoded(value: Any, seen: list[Any]) -> Any:
    """``seen``: the tensors so far; a tensor that is passed twice is stored once."""
    if isinstance(value, TensorDescription):
        again = next((place for place, each in enumerate(seen) if each is value), None)
        if again is not None:
            return {"again": again}
        seen.append(value)
        if isinstance(value, GivenTensor):
            contents = {name: _encoded(getattr(value.contents, name), seen) for name in _CONTENTS}
            return {"tensor": contents | ({} if value.storage is None else {"storage": value.storage})}
        recipe = {name: getattr(value, name) for name in _RECIPE}
        usual = {name: getattr(_USUAL, name) for name in _RECIPE}
        return {"recipe": {"sizes": list(value.sizes), **dict(recipe.items() - usual.items())}}
    if isinstance(value, OnDevice):
        return {"device": "the test's"}
    if isinstance(value, complex):
        return {"complex": [_encoded(value.real, seen), _encoded(value.imag, seen)]}
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": str(value)}
    if isinstance(value, (list, tuple)):
        return [_encoded(each, seen) for each in value]
    return value


def from_data(data: dict[str, Any]) -> FoundCall:
    """The inverse of ``as_data``.  Raises KeyError, TypeError or ValueError for invalid data."""
    seen: list[Any] = []
    args = tuple(_decoded(each, seen) for each in data["args"])
    kwargs = {name: _decoded(each, seen) for name, each in data["kwargs"].items()}
    if called(data["operator"]) is None:
        raise ValueError(f"there is no operator {data['operator']!r}")
    return FoundCall(data["operator"], data["dtype"], Sample(args, kwargs), data["seed"], data["why"])


def _decoded(value: Any, seen: list[Any]) -> Any:
    if isinstance(value, list):
        return [_decoded(each, seen) for each in value]
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    if kind == "again":
        return seen[content]
    if kind == "device":
        return OnDevice()
    if kind == "complex":
        return complex(*(_decoded(each, seen) for each in content))
    if kind == "float":
        return float(content)
    if kind == "recipe":
        made = _USUAL._replace(**{**content, "sizes": tuple(content["sizes"])})
    elif kind == "tensor":
        contents = {name: _decoded(content[name], seen) for name in _CONTENTS}
        made = given(**contents, storage=content.get("storage"))
    else:
        raise ValueError(f"unknown kind of argument {kind!r}")
    seen.append(made)
    return made


def write(call: FoundCall, folder: pathlib.Path) -> pathlib.Path:
    """Write a call's file into ``folder``, which is created if needed; return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / call.name
    write_whole(path, json.dumps(as_data(call), indent=1) + "\n")
    return path


def read(path: pathlib.Path) -> FoundCall:
    """Read a call's file.  Raises OSError, and ValueError for any other file."""
    try:
        return from_data(json.loads(path.read_text("utf-8")))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path} is not a call written by a search: {error}") from None


@functools.cache
def calls_in(*folders: str) -> dict[tuple[str, str], tuple[tuple[str, FoundCall], ...]]:
    """(operator, dtype) -> the files of these folders and their calls, sorted by name."""
    found: dict[tuple[str, str], list[tuple[str, FoundCall]]] = {}
    for folder in folders:
        for path in sorted(pathlib.Path(folder).glob("*.json")):
            call = read(path)
            found.setdefault((call.operator, call.dtype), []).append((path.name, call))
    return {key: tuple(each) for key, each in found.items()}


def check_folder(folder: str) -> None:
    """Raises NotADirectoryError if there is no such folder, and what ``read`` raises."""
    if not pathlib.Path(folder).is_dir():
        raise NotADirectoryError(f"--samples: folder {folder} does not exist")
    calls_in(folder)


def folders_of(config: Any) -> Sequence[str]:
    """The folders that a run reads found calls from."""
    more = config.getoption("gnomon_samples", None)
    return [str(FOLDER), *([] if more is None else [more])]


def advice(call: FoundCall, folder: str | None) -> str:
    """Write a found call to ``folder``, if given, and return instructions for adding it to the suite."""
    if folder is None:
        text = json.dumps(as_data(call))
        return f"To keep it as a sample, save this line as {FOLDER.name}/{call.name}:\n{text}"
    path = write(call, pathlib.Path(folder))
    return f"It is written to {path}: copy it to {FOLDER} to add it to the suite, or give --samples {folder}"
