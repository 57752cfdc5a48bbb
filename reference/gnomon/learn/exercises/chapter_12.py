"""The exercises of chapter 12: Python meets C."""

from __future__ import annotations

import math
import random
import shutil
import sys
import sysconfig
import weakref
from types import ModuleType
from typing import Any

import gnomon as gn

from ...utils.inline import load_inline
from .cases import random_view
from .comparing import Outcome, Skipped, difference, differences, wanted
from .record import Exercise

_SCHEMA = "exercises::scaled_add(Tensor x, Tensor y, float factor) -> Tensor"


def _compiler() -> str | None:
    """The path of the C compiler that Python's extensions are built with, if there is one."""
    return shutil.which((sysconfig.get_config_var("CC") or "cc").split()[0]) or shutil.which("cc")


def mark_c_kernel(module: ModuleType) -> list[str]:
    """The compiled function against ``x + factor * y``."""
    source = wanted(module, "source")()
    if _compiler() is None:
        raise Skipped("there is no C compiler (cc) on this machine")
    try:
        operator = load_inline(source, _SCHEMA)
    except RuntimeError as error:
        right = Outcome("a library with the function scaled_add", None)
        lines = " | ".join(line for line in str(error).splitlines()[:4])
        return [difference(module, "The compiler", Outcome(lines, None), right)]
    rng = random.Random("c_kernel")
    cases: list[Any] = [
        ("float32", (2,), (1,), (2,), (1,), 2.0),
        ("float64", (2, 2), (1, 2), (2, 2), (2, 1), 0.5),
    ]
    for _ in range(200):
        sizes, strides = random_view(rng, 2, 3)
        other = tuple(rng.randint(0, 4) for _ in sizes)
        dtype = rng.choice(["float32", "float64"])
        cases.append((dtype, sizes, strides, sizes, other, rng.choice([1.0, -2.0, 0.1, math.inf])))
    cases += [("int64", (2,), (1,), (2,), (1,), 1.0), ("float32", (2, 3), (3, 1), (3, 2), (2, 1), 1.0)]
    cases += [
        ("float32", (2,), (1,), (2, 1), (1, 1), 1.0),
        ("float32", (1, 1, 1), (1, 1, 1), (1, 1, 1), (1, 1, 1), 1.0),
    ]
    cases.sort(key=lambda case: len(repr(case)))

    def operands(case: Any) -> tuple[Any, Any]:
        memory = gn.tensor([0.5, -1.0, 3.0, 0.0, 0.1, 7.0] * 20, dtype=getattr(gn, case[0]))
        return memory.as_strided(case[1], case[2], 1), memory.as_strided(case[3], case[4], 2)

    def oracle(case: Any) -> Any:
        x, y = operands(case)
        if case[0] == "int64" or x.shape != y.shape or x.dim() > 2:
            raise RuntimeError("the function should return a text")
        return (x.double() + case[5] * y.double()).to(x.dtype).tolist()

    def own(case: Any) -> Any:
        return operator(*operands(case), case[5]).tolist()

    def describe(case: Any) -> str:
        dtype, sizes, strides, other_sizes, other_strides, factor = case
        return (
            f"scaled_add of {dtype}: x of sizes {sizes}, strides {strides}; "
            f"y of sizes {other_sizes}, strides "
            f"{other_strides}; factor {factor}"
        )

    def same(got: Any, expected: Any) -> bool:
        rounding = 2.0**-22  # of float32, twice: a product may be rounded, or fused with the sum
        return _close(got, expected, rounding)

    return differences(module, cases, own, oracle, describe, same)


def _close(got: Any, expected: Any, tolerance: float) -> bool:
    if isinstance(expected, list):
        return (
            isinstance(got, list)
            and len(got) == len(expected)
            and all(_close(a, b, tolerance) for a, b in zip(got, expected))
        )
    if not math.isfinite(expected):
        return str(got) == str(expected)
    return abs(got - expected) <= tolerance * max(1.0, abs(expected))


class _Thing:
    """An object that CPython counts."""

    def __init__(self, name: str):
        self.name = name


class _Counted:
    """The same program with references that CPython counts: the caller's, and those that slots own."""

    def __init__(self, slots: int):
        self.held: dict[str, list[Any]] = {}
        self.owned: list[Any] = [None] * slots
        self.named: list[str | None] = [None] * slots
        self.watched: dict[str, Any] = {}

    def counts(self) -> dict[str, int]:
        return {name: _references(watched()) for name, watched in self.watched.items()}

    def step(self, word: str, *given: Any) -> Any:
        if word == "new":
            made = _Thing(given[0])
            self.watched[given[0]] = weakref.ref(made)
            self.held[given[0]] = [made]
        elif word == "drop":
            self.held[given[0]].pop()
        elif word == "get":
            return self.named[given[0]]
        elif word == "clear":
            self.owned = [None] * len(self.owned)
            self.named = [None] * len(self.named)
        elif word == "give":
            name = self.named[given[0]]
            if name is not None:
                self.held[name].append(self.watched[name]())
            self.owned[given[0]] = self.named[given[0]] = None
            return name
        else:
            position, name = given
            thing = self.watched[name]()
            if word == "take":
                self.held[name].pop()
            self.named[position] = name
            self.owned[position] = None if word == "borrow" else thing
        return None


def _references(thing: Any) -> int:
    """How many references there are to an object, without those of this call; 0 for None: it was freed."""
    return 0 if thing is None else sys.getrefcount(thing) - _OVERHEAD


def _overhead() -> int:
    """What getrefcount says of an object with one reference, in the same way, less one."""
    held = [_Thing("one")]
    watched = weakref.ref(held[0])
    global _OVERHEAD
    _OVERHEAD = 0
    return _references(watched()) - 1


_OVERHEAD = 0
_OVERHEAD = _overhead()


def _slot_program(rng: random.Random, length: int) -> list[tuple[Any, ...]]:
    """Steps that are allowed: nobody uses an object that was freed, or gives away what he does not have."""
    truth = _Counted(2)
    steps: list[tuple[Any, ...]] = []

    def do(*step: Any) -> None:
        truth.step(*step)
        steps.append(step)

    do("new", "a")
    for _ in range(length):
        names = [name for name, held in truth.held.items() if held]
        position = rng.randrange(2)
        word = rng.choice(["borrow", "take", "keep", "give", "get", "drop", "new"])
        if word == "new" and len(truth.held) < 4:
            do("new", "abcd"[len(truth.held)])
        elif word in ("borrow", "keep") and names:
            do(word, position, rng.choice(names))
        elif word in ("take", "drop") and names:
            name = rng.choice(names)
            is_borrowed = any(truth.named[slot] == name and truth.owned[slot] is None for slot in range(2))
            # who lends a reference must not give away the last one that the caller owns
            if not is_borrowed or len(truth.held[name]) > 1:
                do(word, *([name] if word == "drop" else [position, name]))
        elif word in ("give", "get"):
            do(word, position)
    return [*steps, ("clear",), ("clear",)]


def mark_argument_slots(module: ModuleType) -> list[str]:
    """Random programs: the counts after each step, against those of CPython."""
    rng = random.Random("argument_slots")
    programs = [_slot_program(rng, 1 + number // 15) for number in range(300)]

    def oracle(steps: list[tuple[Any, ...]]) -> list[Any]:
        model = _Counted(2)
        log: list[Any] = []
        for step in steps:
            log.append((model.step(*step), model.counts()))
        return log

    def own(steps: list[tuple[Any, ...]]) -> list[Any]:
        slots, make = wanted(module, "Slots")(2), wanted(module, "Object")
        objects: dict[str, Any] = {}
        log: list[Any] = []
        for word, *given in steps:
            found = None
            if word == "new":
                objects[given[0]] = make(given[0])
            elif word == "drop":
                objects[given[0]].decref()
            elif word in ("get", "give"):
                found = getattr(slots, word)(given[0])
                found = None if found is None else found.name
            elif word == "clear":
                slots.clear()
            else:
                getattr(slots, word)(given[0], objects[given[1]])
            log.append((found, {name: each.references for name, each in objects.items()}))
        return log

    def describe(steps: list[tuple[Any, ...]]) -> str:
        shown = "; ".join(f"{word}({', '.join(map(str, given))})" for word, *given in steps)
        return (
            f"These steps (drop: the caller releases one of its own references): {shown}\n"
            "after each: result, and counts"
        )

    return differences(module, programs, own, oracle, describe)


_OK, _BAD_VALUE, _OUT_OF_MEMORY, _NOT_IMPLEMENTED = range(4)


def _run(kernel: Any, parts: int, reference: Any, release: Any) -> Any:
    """What gnomon does with the status of a kernel in C; ``release`` always runs."""
    first: BaseException | None = None
    result = None
    status = _OK
    try:
        for part in range(parts):
            status = kernel(part)
            if status:
                break
        if status in (_BAD_VALUE, _NOT_IMPLEMENTED):
            result = reference()
        elif status == _OUT_OF_MEMORY:
            raise gn.OutOfMemoryError("the kernel can not allocate its memory")
        elif status:
            raise RuntimeError(f"unknown status {status}")
    except BaseException as error:
        first = error
    try:
        release()
    except BaseException as error:
        first = first or error
    if first is not None:
        raise first
    return result


def mark_translate_errors(module: ModuleType) -> list[str]:
    """All combinations of statuses and errors; what was called, and what came out."""

    def outcome_of(run: Any, case: Any) -> list[Any]:
        statuses, reference_raises, release_raises = case
        log: list[str] = []

        def kernel(part: int) -> int:
            log.append(f"kernel({part})")
            if statuses[part] == "KeyError":
                raise KeyError("in a callback of the kernel")
            return int(statuses[part])

        def reference() -> str:
            log.append("reference()")
            if reference_raises:
                raise IndexError("index 7 is out of bounds")
            return "the reference's result"

        def release() -> None:
            log.append("release()")
            if release_raises:
                raise OSError("release failed")

        try:
            result = run(kernel, len(statuses), reference, release)
        except NotImplementedError:
            raise
        except Exception as error:
            named = [number for number in ("7", "9") if number in str(error)]
            return [*log, "raised", type(error).__name__, *named]
        return [*log, "returned", result]

    statuses: list[Any] = [_OK, _BAD_VALUE, _OUT_OF_MEMORY, _NOT_IMPLEMENTED, 9, "KeyError"]
    lists: list[list[Any]] = [[], *([each] for each in statuses)]
    lists += [[first, second] for first in statuses for second in statuses]
    cases = [(each, a, b) for each in lists for a in (False, True) for b in (False, True)]
    cases.sort(key=lambda case: (len(case[0]), case[1] + case[2]))

    def describe(case: Any) -> str:
        extra = [
            text
            for is_so, text in (
                (case[1], "the reference raises IndexError"),
                (case[2], "release raises OSError"),
            )
            if is_so
        ]
        return (
            f"A kernel of {len(case[0])} parts with the statuses {case[0]}{', '.join(['', *extra])}:\n"
            "what was called, then what came out"
        )

    return differences(
        module,
        cases,
        lambda case: outcome_of(wanted(module, "run"), case),
        lambda case: outcome_of(_run, case),
        describe,
    )


EXERCISES = (
    Exercise(
        "c_kernel",
        "a kernel in C, compiled while the program runs",
        """
        gn.utils.c_prototype(SCHEMA) prints the declaration of the function. It returns 0, or a text
        (which becomes a RuntimeError). #include what you need; gn_tensor is declared already.

        Check before you compute: dtypes (x->dtype == GN_FLOAT32), ndim of both, and each size of
        both.

        Two nested loops serve tensors of 0, 1 and 2 dimensions, if missing dimensions count as size
        1 and stride 0. The result has strides of its own: result0->strides.

        For element (i, j) of a float: ((const float *)x->data)[i * x_outer + j * x_inner], where
        for one dimension outer is size 1, stride 0. Write the loops once, as a macro with the type
        as its argument.
        """,
        mark_c_kernel,
    ),
    Exercise(
        "argument_slots",
        "reference counts: who owns, who borrows",
        """
        Keep for each slot the object, and whether the slot owns a reference to it.

        borrow changes no count. keep adds one. take adds none either: the caller's reference
        becomes the slot's. Only what a slot owns may it release.

        A slot that is set while it owns something releases that, after the new object is in its
        place: if it is the same object, releasing it first could free it. give returns an owned
        reference: one that is owned is handed over, one that is borrowed needs an incref.
        """,
        mark_argument_slots,
    ),
    Exercise(
        "translate_errors",
        "status codes become exceptions, and the first error wins",
        """
        Write it first for the case in which nothing raises: call the kernel until a status is not
        0; then look at the status; then release.

        release must run in every case: after an exception of the kernel, of the reference, and your
        own. That looks like finally. But what becomes of the first error if release raises in
        finally?

        Catch the first error in a variable, call release in a try of its own, keep its error only
        if there was none before, and raise at the end.
        """,
        mark_translate_errors,
    ),
)
