"""Finds numbers of a program that cannot be compared: results of rounding, or of overlapping writes and
reads.

Each class watches a run (programs.Machine), which calls it with the variables before and after each
statement.
"""

from __future__ import annotations

import re
from typing import Any

import torch

from gnomon_conformance.comparison.differences import result_differences
from gnomon_conformance.execution.runner import TensorOutcome

from . import programs

# Operators that move elements to other places, in an unspecified order.
MOVING = re.compile(r"\.(index_\w+_|scatter_\w*|masked_\w+_)\(|\[.*\] = ")
FORWARD = ("jvp", "jacfwd", "hessian", "jvp of grad")


class Record:
    """Records every variable after each statement."""

    def __init__(self, machine: Any):
        self.machine = machine
        self.steps: list[dict[str, Any]] = []

    def before(self, statement: str, variables: dict[str, Any]) -> None:
        """Do nothing."""

    def after(self, statement: str, variables: dict[str, Any]) -> None:
        """Record the variables."""
        self.steps.append({name: self.seen(value) for name, value in variables.items()})

    def seen(self, value: Any) -> TensorOutcome | None:
        """The TensorOutcome of a variable; None if it is not a tensor, or its numbers cannot be read."""
        made = programs.Run({}, {})
        try:
            self.machine.look(made, "it", value.detach())
        except Exception:  # not a tensor, or a wrapper of a transform
            return None
        found: TensorOutcome = made.tensors["it"]
        return found


class Guide(Record):
    """Makes PyTorch continue with the other library's numbers, if they are close enough to its own.

    Then a decision that depends on rounding (whether a difference of equal numbers is 0, how many elements
    are above 0) is the same in both, and a remaining difference is the operator's.
    """

    def __init__(self, machine: Any, steps: list[dict[str, Any]], dtype: str):
        super().__init__(machine)
        self.given = steps
        self.dtype = dtype

    def after(self, statement: str, variables: dict[str, Any]) -> None:
        """Copy the other library's numbers, if they are close enough."""
        super().after(statement, variables)
        mine = self.steps[-1]
        theirs = self.given[len(self.steps) - 1] if len(self.steps) <= len(self.given) else {}
        for name, value in variables.items():
            wanted, given = mine.get(name), theirs.get(name)
            if wanted is None or given is None:
                continue
            bounds = programs.bounds_of(wanted, self.dtype)
            if result_differences(given._replace(strides=wanted.strides), wanted, bounds, name):
                continue
            try:
                numbers = torch.tensor(given.numbers, dtype=value.dtype).reshape(value.shape)
                value.detach().data.copy_(numbers)
            except RuntimeError:  # a tensor with internal overlap
                continue


class Overlaps:
    """Finds statements that write to memory from which they also read at other positions."""

    def __init__(self, machine: Any, ending: str):
        self.found = False
        self.is_forward = ending in FORWARD

    def before(self, statement: str, variables: dict[str, Any]) -> None:
        """Check the memory of the variables in a statement."""
        written = re.match(r"(v\d+)(\.\w+_\(|\.diagonal\(\)\.\w+_\(|\[.*\] = | [+*]= )", statement)
        target = variables.get(written[1]) if written is not None else None
        if written is None or not isinstance(target, torch.Tensor):
            return
        names = set(re.findall(r"\bv\d+\b(?! >)", statement[written.end(1) :]))  # a mask is computed first
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
        """Do nothing."""


def _places(value: Any) -> list[int]:
    """The positions of a tensor's elements in its storage."""
    whole = torch.arange(value.untyped_storage().nbytes() // value.element_size())
    places = whole.as_strided(value.shape, value.stride(), value.storage_offset())
    return [int(each) for each in places.flatten()]


def overlaps(framework: Any, program: Any) -> bool:
    """Whether a statement of the program writes to memory that it also reads, at other positions."""
    machine = programs.Machine(framework, torch)
    machine.watch = watch = Overlaps(machine, program.ending)
    machine.run(program._replace(ending="no_grad"))
    return watch.found


def guided(frameworks: tuple[Any, Any], modules: tuple[Any, Any], program: Any, device: Any) -> Any:
    """PyTorch's run, continued from the other library's numbers after each statement, without transforms."""
    plain = program.ending in programs.PLAIN_ENDS
    mine = programs.Machine(frameworks[0], modules[0], plain=plain)
    mine.watch = record = Record(mine)
    with device:
        mine.run(program)
    theirs = programs.Machine(frameworks[1], modules[1], plain=plain)
    theirs.watch = Guide(theirs, record.steps, program.dtype)
    return theirs.run(program)
