"""Gradients through graphs of several calls, whose results are used once, twice, late, or not at all."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import gnomon as gn

from ..collection import selection
from ..execution.runner import incoming_gradient
from ..inputs.description import stored, tensor
from .adaptor import Library
from .calls import Declined, LibraryFramework

# Operators, with the arguments after the tensors.
STEPS: dict[str, tuple[Any, ...]] = {"add.Tensor": (1,), "mul.Tensor": (), "neg": ()}
GRAPHS, LENGTH = 20, 8  # how many are compared, and the calls of one
LEAVES, SIZES, DTYPE = 2, (2, 3), "float64"
TOLERANCE = 1e-9


def is_tested(library: Library) -> bool:
    """Whether the library has what the graphs need."""
    return DTYPE in library.dtypes and all(name in library.functions for name in STEPS)


def _plan(seed: int) -> list[tuple[str, tuple[int, ...]]]:
    """The calls of a graph: operator, and the positions of its operands among leaves and earlier results."""
    draw = random.Random(seed)
    calls = []
    for made in range(LENGTH):
        name = draw.choice(list(STEPS))
        count = 1 if name == "neg" else 2
        recent = range(max(0, LEAVES + made - 4), LEAVES + made)  # each is likely to be used, some twice
        calls.append((name, tuple(draw.choice(recent) for _ in range(count))))
    return calls


def _leaves(seed: int) -> list[Any]:
    return [stored(tensor(*SIZES, values="unit", seed=seed), DTYPE, "contiguous", i) for i in range(LEAVES)]


def _gradients(library: Library, seed: int) -> list[Any]:
    framework = LibraryFramework(library)
    leaves = [library.track(framework.build(each)[1]) for each in _leaves(seed)]
    values = list(leaves)
    for name, operands in _plan(seed):
        values.append(library.functions[name](*(values[place] for place in operands), *STEPS[name]))
    incoming = framework.build(incoming_gradient(DTYPE, SIZES, 0))[1]
    found = library.gradients([values[-1]], [incoming], leaves)
    return [None if each is None else library.describe(each)[2] for each in found]


def _expected(seed: int) -> list[Any]:
    made = [*_leaves(seed), incoming_gradient(DTYPE, SIZES, 0)]
    with gn.device("reference"):
        *leaves, incoming = (gn.tensor(each.numbers, dtype=gn.float64).view(SIZES) for each in made)
    for leaf in leaves:
        leaf.requires_grad_()
    values = list(leaves)
    for name, operands in _plan(seed):
        operator = selection.operators()[name]
        values.append(operator(*(values[place] for place in operands), *STEPS[name]))
    if values[-1].requires_grad:
        values[-1].backward(incoming)
    return [None if leaf.grad is None else leaf.grad.flatten().tolist() for leaf in leaves]


def problem(library: Library) -> str:
    """The first graph whose gradients differ from the reference's, or "".  Raises Declined."""
    for seed in range(GRAPHS):
        expected = _expected(seed)
        try:
            actual = _gradients(library, seed)
        except NotImplementedError as error:
            raise Declined(str(error)) from error
        except (Exception, SystemExit) as error:  # part of the outcome
            return f"{_text(seed)}\nraised {type(error).__name__}: {error}"
        for place, (mine, wanted) in enumerate(zip(actual, expected)):
            if not _agree(mine, wanted):
                return f"{_text(seed)}\nthe gradient of t{place} is {mine}, expected {wanted}"
    return ""


def _agree(mine: Sequence[float] | None, wanted: Sequence[float] | None) -> bool:
    if mine is None or wanted is None:
        return mine is wanted or not any(mine or wanted or ())  # zeros are as good as none
    return len(mine) == len(wanted) and all(
        abs(one - other) <= TOLERANCE * max(1.0, abs(other)) for one, other in zip(mine, wanted)
    )


def _text(seed: int) -> str:
    """The graph as a program."""
    lines = [
        f"t{LEAVES + number} = {name}({', '.join(f't{place}' for place in operands)})"
        for number, (name, operands) in enumerate(_plan(seed))
    ]
    return f"{'; '.join(lines)}; backward from t{LEAVES + LENGTH - 1}"
