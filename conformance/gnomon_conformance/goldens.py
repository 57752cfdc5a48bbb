"""Goldens: PyTorch's results for the samples, recorded for use without PyTorch.

    python -m gnomon_conformance.goldens        records them anew (needs PyTorch); writes data/goldens.json.gz

They contain a digest of what determines them, with which a test detects stale goldens, and PyTorch's schemas.
"""

from __future__ import annotations

import base64
import concurrent.futures
import functools
import gzip
import hashlib
import importlib.resources
import json
import multiprocessing
import os
import pathlib
import warnings
from collections.abc import Sequence
from typing import Any

from gnomon.values import dtype as dtypes

from . import expressions
from .collection.selection import dtypes_of, operators
from .execution.runner import Failure, Gradients, Outcome, TensorOutcome, differentiate, run
from .pytorch.against_pytorch import compares_numbers, forward_cases, gradient_cases
from .samples import all_samples, bad_samples

FILE = "data/goldens.json.gz"
# One dtype of each category, or two that round differently: the live oracle covers all.
DTYPES = ("bool", "uint8", "int64", "bfloat16", "float32", "complex64")
GRADIENT_DTYPES = ("float32",)


def digest() -> str:
    """A digest of the samples, and of the operators whose numbers are not recorded."""
    samples = sorted(all_samples().items())
    without_numbers = [name for name, _ in samples if not compares_numbers(name)]
    return hashlib.sha256(repr((samples, without_numbers)).encode()).hexdigest()[:16]


def encode_tensor(outcome: TensorOutcome, with_numbers: bool) -> list[Any]:
    """A TensorOutcome as JSON data; numbers are the bytes of the elements."""
    numbers = None
    if with_numbers and outcome.numbers is not None:
        kind = dtypes.dtype_named(outcome.dtype)
        data = bytearray(len(outcome.numbers) * kind.itemsize)
        write = kind.writer(memoryview(data))
        for index, number in enumerate(outcome.numbers):
            write(index, number)
        numbers = base64.b64encode(data).decode()
    return [outcome.dtype, outcome.sizes, outcome.strides, outcome.offset, outcome.alias, numbers]


def decode_tensor(data: Sequence[Any]) -> TensorOutcome:
    """The inverse of ``encode_tensor``."""
    dtype, sizes, strides, offset, alias, text = data
    numbers = None
    if text is not None:
        kind = dtypes.dtype_named(dtype)
        raw = memoryview(bytearray(base64.b64decode(text)))
        read = kind.reader(raw)
        numbers = tuple(read(index) for index in range(len(raw) // kind.itemsize))
    return TensorOutcome(
        dtype, tuple(sizes), tuple(strides), offset, "cpu", tuple(alias) if alias else None, numbers
    )


def encode_result(result: Any, with_numbers: bool) -> Any:
    """A result: a tensor, or a plain value in a dictionary."""
    if isinstance(result, TensorOutcome):
        return encode_tensor(result, with_numbers)
    if isinstance(result, complex):
        return {"complex": [result.real, result.imag]}
    return {"plain": result if with_numbers else None}


def decode_result(data: Any) -> Any:
    """The inverse of ``encode_result``."""
    if isinstance(data, dict):
        return complex(*data["complex"]) if "complex" in data else data["plain"]
    return decode_tensor(data)


def encode_failure(failure: Failure) -> list[Any]:
    """An exception, with the beginning of its text, which is PyTorch's own."""
    return [failure.kinds, failure.text[:120]]


def decode_failure(data: Sequence[Any]) -> Failure:
    """The inverse of ``encode_failure``."""
    return Failure(tuple(data[0]), data[1])


def encode_outcome(outcome: Outcome, operator: Any) -> Any:
    """An Outcome as JSON data."""
    if outcome.failure is not None:
        return encode_failure(outcome.failure)
    values = compares_numbers(operator.name)
    return {
        "results": [encode_result(each, values) for each in outcome.results],
        "bumps": outcome.bumps,
        "warnings": outcome.warnings,
    }


def decode_outcome(data: Any) -> Outcome:
    """The inverse of ``encode_outcome``, without the contents of storages."""
    if isinstance(data, list):
        return Outcome((), (), (), decode_failure(data), ())
    results = tuple(decode_result(each) for each in data["results"])
    return Outcome(results, (), tuple(data["bumps"]), None, tuple(data["warnings"]))


def encode_gradients(gradients: Gradients) -> Any:
    """Gradients as JSON data."""
    if gradients.failure is not None:
        return encode_failure(gradients.failure)
    found = [None if each is None else encode_tensor(each, True) for each in gradients.gradients]
    return {"requires_grad": gradients.requires_grad, "gradients": found}


def decode_gradients(data: Any) -> Gradients:
    """The inverse of ``encode_gradients``."""
    if isinstance(data, list):
        return Gradients((), (), decode_failure(data))
    found = tuple(None if each is None else decode_tensor(each) for each in data["gradients"])
    return Gradients(tuple(data["requires_grad"]), found, None)


def encode_value(value: expressions.Value) -> Any:
    """The value of an expression as JSON data."""
    if value.failure is not None:
        return encode_failure(value.failure)
    return {
        "structure": value.structure,
        "leaves": [encode_result(each, with_numbers=True) for each in value.leaves],
    }


def decode_value(data: Any) -> expressions.Value:
    """The inverse of ``encode_value``."""
    if isinstance(data, list):
        return expressions.Value(None, (), decode_failure(data))
    return expressions.Value(data["structure"], tuple(map(decode_result, data["leaves"])), None)


def lines_of(file: str) -> list[str]:
    """The lines of a file of this package, without comments."""
    text = importlib.resources.files(__package__).joinpath(file).read_text()
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def record_operator(name: str) -> dict[str, Any]:
    """PyTorch's results for one operator's samples, as JSON data, and the facts about the operator."""
    from .pytorch.facts import facts
    from .pytorch.oracle import Torch

    oracle = Torch()
    operator = operators()[name]
    forward: dict[str, Any] = {}
    gradients: dict[str, Any] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for dtype in dtypes_of(operator):
            if dtype in DTYPES:
                forward[f"{name}-{dtype}"] = [
                    [number, layout, encode_outcome(run(oracle, operator, sample, dtype, layout), operator)]
                    for number, sample, layout in forward_cases(operator, dtype, few=True)
                    if layout == "contiguous" or dtype == "float32"
                ]
            if dtype in GRADIENT_DTYPES:
                gradients[f"{name}-{dtype}"] = [
                    [number, layout, encode_gradients(differentiate(oracle, operator, sample, dtype, layout))]
                    for number, sample, layout in gradient_cases(operator, dtype, few=True)
                ]
        failures = []
        for number, sample in bad_samples(name):
            for dtype in sample.dtypes or ("float32",):
                failure = run(oracle, operator, sample, dtype, "contiguous").failure
                failures.append([number, dtype, None if failure is None else encode_failure(failure)])
        return {
            "forward": forward,
            "gradients": gradients,
            "errors": {name: failures},
            "facts": {name: facts(operator)},
        }


def record() -> dict[str, Any]:
    """PyTorch's results for all operators and expressions, as JSON data."""
    os.environ.setdefault("TORCH_CPP_LOG_LEVEL", "ERROR")  # without warnings, also in the processes below
    import torch
    from rich.progress import track

    from .pytorch.oracle import Torch
    from .pytorch.schemas import pytorch_schemas

    answers: dict[str, dict[str, Any]] = {"forward": {}, "gradients": {}, "errors": {}, "facts": {}}
    spawning = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count(), spawning) as pool:  # raises if one crashes
        names = sorted(operators())
        recorded = pool.map(record_operator, names, chunksize=4)
        for one in track(recorded, "operators", len(names)):
            for kind, found in one.items():
                answers[kind].update(found)
    library = expressions.Library(Torch(), torch)
    values = {
        text: encode_value(library.evaluate(text))
        for texts in expressions.all_expressions().values()
        for text in texts
    }
    known = pytorch_schemas()
    every = [variant for operator in operators().values() for variant in (operator, *operator.variants)]
    return {
        "digest": digest(),
        "torch": torch.__version__,
        "schemas": {each.name: known.get(each.name) for each in every},
        **answers,
        "expressions": values,
        "forms": {name: expressions.forms(torch, name) for name in lines_of("data/public_names.txt")},
    }


@functools.cache
def load() -> dict[str, Any]:
    """The recorded results."""
    data = importlib.resources.files(__package__).joinpath(FILE).read_bytes()
    return json.loads(gzip.decompress(data))


def recorded_facts() -> dict[str, Any]:
    """The recorded facts about each operator, by name: the entry point of gnomon.facts."""
    facts: dict[str, Any] = load()["facts"]
    return facts


def main() -> None:
    """Record the goldens again."""
    recorded = record()
    text = json.dumps(recorded, separators=(",", ":"), sort_keys=True)
    path = pathlib.Path(__file__).parent / FILE
    path.parent.mkdir(exist_ok=True)
    beside = path.with_suffix(".new")
    beside.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    beside.rename(path)
    print(
        f"{path}: {path.stat().st_size // 1024} KB, {sum(map(len, recorded['forward'].values()))} calls, "
        f"PyTorch {recorded['torch']}"
    )


if __name__ == "__main__":
    main()
