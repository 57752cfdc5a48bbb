"""Expressions give the same in gnomon as in PyTorch, and on every backend the same as on the reference."""

import functools
import re

import pytest

import gnomon as gn

from .. import goldens
from ..comparison.differences import failure_differences, result_differences
from ..comparison.tolerances import eps_of, is_finite
from ..execution.runner import Gnomon, TensorOutcome
from ..expressions import Library, all_expressions, find, forms
from ..inputs.description import FLOATS
from ..pytorch.departures import EXPRESSION_DEPARTURES, unlisted_expression
from ..samples import all_samples

STEPS = 64  # roundings allowed in an expression of several operators


def pytest_generate_tests(metafunc):
    if "name" in metafunc.fixturenames:
        names = sorted(all_expressions())
        pattern = metafunc.config.getoption("gnomon_ops", None)
        if pattern is not None:
            names = [name for name in names if re.search(pattern, name.rpartition(".")[2])]
        if "backend" in metafunc.fixturenames and not metafunc.config.getoption("gnomon_backend", None):
            names = names[:1]  # a single skipped test instead of one per name
        metafunc.parametrize("name", names)


def public_names():
    """The public names that gnomon guarantees."""
    return goldens.lines_of("data/public_names.txt")


@functools.cache
def reference():
    return Library(Gnomon("reference"), gn)


@functools.cache
def pytorch():
    import torch

    from ..pytorch.oracle import Torch

    return Library(Torch(), torch)


def bounds_of(expected):
    if not isinstance(expected, TensorOutcome) or expected.dtype not in FLOATS:
        return None
    scale = max([1.0, *(abs(each) for each in expected.numbers or () if is_finite(each))])
    eps = eps_of(expected.dtype) * (4 if expected.dtype in ("float16", "bfloat16") else STEPS)
    return [eps * scale] * len(expected.numbers or ())


def value_differences(actual, expected, texts=False):
    """Where the value of an expression differs from the expected one."""
    found = failure_differences(actual.failure, expected.failure, texts)
    if found or expected.failure is not None:
        return found
    if actual.structure != expected.structure:
        return [f"is {actual.structure}, expected {expected.structure}"]
    for number, (mine, wanted) in enumerate(zip(actual.leaves, expected.leaves)):
        if isinstance(wanted, float) and isinstance(mine, float):
            if abs(mine - wanted) <= 1e-6 * abs(wanted):
                continue
        no_strides = isinstance(wanted, TensorOutcome) and 0 in wanted.sizes
        found.extend(
            result_differences(
                mine, wanted, bounds_of(wanted), f"tensor {number} of it", strides=not no_strides
            )
        )
    return found


def report(found):
    if found:
        pytest.fail(
            "\n".join(f"{text}\n    {problem}" for text, problems in found for problem in problems),
            pytrace=False,
        )


@pytest.mark.oracle
def test_oracle(name):
    found = []
    for text in all_expressions()[name]:
        problems = value_differences(reference().evaluate(text), pytorch().evaluate(text))
        problems = unlisted_expression(text, problems)
        if problems:
            found.append((text, problems))
    report(found)


@pytest.mark.oracle
@pytest.mark.parametrize(
    "departure", EXPRESSION_DEPARTURES, ids=[each[2][:30] for each in EXPRESSION_DEPARTURES]
)
def test_departure_shows(departure):
    """Each listed departure still occurs."""
    expression, problem, _ = departure
    for texts in all_expressions().values():
        for text in texts:
            if re.search(expression, text):
                problems = value_differences(reference().evaluate(text), pytorch().evaluate(text))
                if any(re.search(problem, each) for each in problems):
                    return
    pytest.fail(f"nothing differs any more as this departure says: {departure}", pytrace=False)


def test_golden(name):
    found = []
    recorded = goldens.load()["expressions"]
    for text in all_expressions()[name]:
        assert text in recorded, "not recorded: python -m gnomon_conformance.goldens"
        expected = goldens.decode_value(recorded[text])
        problems = unlisted_expression(text, value_differences(reference().evaluate(text), expected))
        if problems:
            found.append((text, problems))
    report(found)


def test_backend(backend, name):
    found = []
    library = Library(Gnomon(backend.name), gn)
    for text in all_expressions()[name]:
        expected = reference().evaluate(text)
        with gn.device(backend.name):
            actual = library.evaluate(text)
        problems = value_differences(actual, expected)
        if problems:
            found.append((text, problems))
    report(found)


def test_public_names():
    """Every public name exists, in all forms that PyTorch offers, and has expressions."""
    recorded = goldens.load()["forms"]
    problems = []
    for name in public_names():
        mine = forms(gn, name)
        wanted = recorded[name]
        problems += [f"{name} is missing as {form}" for form in wanted if wanted[form] and not mine[form]]
        if not all_expressions().get(name):
            problems.append(f"{name} has no expressions")
    assert not problems, "\n".join(problems)


def test_core_aten():
    """Every operator of the core ATen opset can be called as the table says, and some test calls it."""
    table = dict(line.split() for line in goldens.lines_of("data/core_aten.txt"))
    assert len(table) == 164
    sampled = {name.partition(".")[0] for name in all_samples()}
    for name, path in table.items():
        assert find(gn, path) is not None, f"{name} is not reached as {path}"
        if path.startswith("ops.aten."):
            assert path == f"ops.aten.{name}" and name in sampled, f"{name} has no samples"
        else:
            assert path.startswith("Tensor.") and all_expressions()[path.removeprefix("Tensor.")]


@pytest.mark.oracle
def test_public_names_of_pytorch():
    """The recorded forms are PyTorch's, and gnomon has ``out=`` wherever PyTorch does."""
    import torch

    assert {name: forms(torch, name) for name in public_names()} == goldens.load()["forms"]
    for name in public_names():
        assert find(torch, name) is not None or name in ("slice", "uniform", "exponential") or "." not in name
