"""What of a program's numbers says nothing: what rounding decides, and what is written where it is read.

Each is a watch on a run (programs.Machine), which hears of the variables before and after each statement.
"""

from __future__ import annotations

import re
from typing import Any

import torch

from gnomon_conformance.comparison.differences import result_differences
from gnomon_conformance.execution.runner import TensorOutcome

from . import programs

# Operators that move what they read to other places, in an order that nobody promises.
MOVING = re.compile(r"\.(index_\w+_|scatter_\w*|masked_\w+_)\(|\[.*\] = ")
FORWARD = ("jvp", "jacfwd", "hessian", "jvp of grad")


class Record:
    """Writes down every variable after each statement."""

    def __init__(self, machine: Any):
        self.machine = machine
        self.steps: list[dict[str, Any]] = []

    def before(self, statement: str, variables: dict[str, Any]) -> None:
        """Nothing is known yet."""

    def after(self, statement: str, variables: dict[str, Any]) -> None:
        """Write down."""
        self.steps.append({name: self.seen(value) for name, value in variables.items()})

    def seen(self, value: Any) -> TensorOutcome | None:
        """What a variable is; None of what is no tensor, or one whose numbers nobody can read."""
        made = programs.Run({}, {})
        try:
            self.machine.look(made, "it", value.detach())
        except Exception:  # no tensor, or a transform's own
            return None
        found: TensorOutcome = made.tensors["it"]
        return found


class Guide(Record):
    """Has PyTorch go on from the other's numbers, where these are as good as its own.

    So what a rounding decides - whether a difference of equals is 0, how many elements are above 0 - both
    decide alike, and what differs still is the operator's.
    """

    def __init__(self, machine: Any, steps: list[dict[str, Any]], dtype: str):
        super().__init__(machine)
        self.given = steps
        self.dtype = dtype

    def after(self, statement: str, variables: dict[str, Any]) -> None:
        """Take over what is near enough."""
        super().after(statement, variables)
        mine = self.steps[-1]
        theirs = self.given[len(self.steps) - 1] if len(self.steps) <= len(self.given) else {}
        for name, value in variables.items():
            wanted, given = mine.get(name), theirs.get(name)
            if wanted is None or given is None:  # equal zeros may have unlike signs
                continue
            bounds = programs.bounds_of(wanted, self.dtype)
            if result_differences(given._replace(strides=wanted.strides), wanted, bounds, name):
                continue
            try:
                numbers = torch.tensor(given.numbers, dtype=value.dtype).reshape(value.shape)
                value.detach().data.copy_(numbers)
            except RuntimeError:  # an element that stands in two places
                continue


class Overlaps:
    """Finds statements that write to memory from which they read at other places."""

    def __init__(self, machine: Any, ending: str):
        self.found = False
        self.is_forward = ending in FORWARD

    def before(self, statement: str, variables: dict[str, Any]) -> None:
        """Look at where the variables of a statement lie."""
        written = re.match(r"(v\d+)(\.\w+_\(|\.diagonal\(\)\.\w+_\(|\[.*\] = | [+*]= )", statement)
        target = variables.get(written[1]) if written is not None else None
        if written is None or not isinstance(target, torch.Tensor):
            return
        names = set(re.findall(r"\bv\d+\b(?! >)", statement[written.end(1) :]))  # a mask is made before
        read = [variables[each] for each in names if isinstance(variables.get(each), torch.Tensor)]
        if names and len(set(_places(target))) < target.numel():
            self.found = True
        for each in read:
            if each.untyped_storage().data_ptr() != target.untyped_storage().data_ptr():
                continue
            is_same = _places(each) == _places(target)
            if set(_places(each)) & set(_places(target)):
                self.found |= self.is_forward or not is_same or MOVING.search(statement) is not None

    def after(self, statement: str, variables: dict[str, Any]) -> None:
        """It is over."""


def _places(value: Any) -> list[int]:
    """Where in its storage the elements of a tensor lie."""
    whole = torch.arange(value.untyped_storage().nbytes() // value.element_size())
    places = whole.as_strided(value.shape, value.stride(), value.storage_offset())
    return [int(each) for each in places.flatten()]


def overlaps(framework: Any, program: Any) -> bool:
    """Does the program write to memory that the same statement reads, at other places?"""
    machine = programs.Machine(framework, torch)
    machine.watch = watch = Overlaps(machine, program.ending)
    machine.run(program._replace(ending="no_grad"))
    return watch.found


def guided(frameworks: tuple[Any, Any], modules: tuple[Any, Any], program: Any, device: Any) -> Any:
    """PyTorch's run, going on from the other's numbers after each statement, without transforms."""
    plain = program.ending in programs.PLAIN_ENDS
    mine = programs.Machine(frameworks[0], modules[0], plain=plain)
    mine.watch = record = Record(mine)
    with device:
        mine.run(program)
    theirs = programs.Machine(frameworks[1], modules[1], plain=plain)
    theirs.watch = Guide(theirs, record.steps, program.dtype)
    return theirs.run(program)
