"""The exercises of chapter 3: views and versions."""

from __future__ import annotations

import random
from types import ModuleType
from typing import Any

import gnomon as gn

from ...autograd.saved_variable import SavedVariable
from ...values import geometry
from .cases import random_view, split
from .comparing import compare, differences, wanted
from .record import Exercise


def mark_view_strides(module: ModuleType) -> list[str]:
    """Against gnomon's own function; some of the shapes need a copy."""
    rng = random.Random("view_strides")
    cases: list[tuple[Any, ...]] = [
        ((), (), ()),
        ((), (), (1, 1)),
        ((0, 3), (3, 1), (5, 0)),
        ((1,), (9,), ()),
    ]
    cases += [((2, 3), (1, 2), (6,)), ((2, 3), (3, 1), (6,)), ((0, 2), (7, 3), (0, 2))]
    for _ in range(800):
        sizes, strides = random_view(rng)
        to = split(rng, sizes)
        if rng.random() < 0.3:  # the same shape with ones in between, or neighbors merged
            kept = [size for size in sizes if size != 1 or rng.random() < 0.5]
            place = rng.randint(0, len(kept))
            to = (*kept[:place], 1, *kept[place:])
        cases.append((sizes, strides, to))
    return compare(module, "view_strides", geometry.view_strides, cases)


def mark_memory_overlap(module: ModuleType) -> list[str]:
    """Against both of gnomon's functions."""
    rng = random.Random("memory_overlap")

    def overlap(sizes: Any, strides: Any) -> str:
        if geometry.has_internal_overlap(sizes, strides):
            return "yes"
        return "maybe" if geometry.may_overlap(sizes, strides) else "no"

    cases: list[tuple[Any, Any]] = [((), ()), ((2,), (0,)), ((0, 2), (1, 0)), ((1, 3), (0, 1))]
    cases += [((3, 3), (1, 1)), ((2, 3), (3, 2)), ((1, 3), (1, 1))]
    for _ in range(400):
        sizes, strides = random_view(rng)
        if rng.random() < 0.5:
            strides = tuple(rng.randint(0 if rng.random() < 0.2 else 1, 7) for _ in sizes)
        cases.append((sizes, strides))
    return compare(module, "memory_overlap", overlap, cases)


class _Model:
    """What a program of steps does, with the reader's classes or with gnomon's."""

    def __init__(self, module: ModuleType | None):
        self.module = module

    def base(self, count: int) -> Any:
        if self.module is None:
            return gn.zeros(count)
        return wanted(self.module, "Tensor")(wanted(self.module, "Storage")([0.0] * count), 0, count)

    def run(self, steps: list[tuple[Any, ...]]) -> list[Any]:
        """The versions of all tensors and the outcome of each step that has one."""
        own = self.module is not None
        tensors = [self.base(steps[0][1])]
        saved: list[Any] = []
        log: list[Any] = []
        for word, *given in steps[1:]:
            tensor: Any = tensors[given[0]] if word != "unpack" else None
            if word == "view":
                tensors.append(tensor.view(*given[1:]) if own else tensor[given[1] : given[2]])
            elif word == "detach":
                tensors.append(tensor.detach())
            elif word == "data":
                tensors.append(tensor.data() if own else tensor.data)
            elif word == "write":
                tensor.write(*given[1:]) if own else tensor[given[1]].fill_(given[2])
            elif word == "save":
                kind = SavedVariable if self.module is None else wanted(self.module, "SavedTensor")
                saved.append(kind(tensor))
            else:
                log.append(f"unpacked {self._unpacked(saved[given[0]])}")
            log.append([each.version() if own else each._version for each in tensors])
        return [log, [each.read() if own else each.tolist() for each in tensors]]

    def _unpacked(self, saved: Any) -> Any:
        try:
            tensor = saved.unpack() if self.module is not None else saved.unpack(None)
        except RuntimeError:
            return "RuntimeError"
        return tensor.read() if self.module is not None else tensor.tolist()


def _program(rng: random.Random, length: int) -> list[tuple[Any, ...]]:
    """Steps of a program: each tensor is a number, by the order in which they are made."""
    counts = [rng.randint(1, 4)]
    steps: list[tuple[Any, ...]] = [("tensor of zeros", counts[0])]
    saved = 0
    while len(steps) <= length:
        tensor = rng.randrange(len(counts))
        words = ["view", "detach", "data", "save"] + ["write"] * 3 * bool(counts[tensor])
        word = rng.choice(words + ["unpack"] * 2 * bool(saved))
        if word == "view":
            start = rng.randint(0, counts[tensor])
            stop = rng.randint(start, counts[tensor])
            counts.append(stop - start)
            steps.append((word, tensor, start, stop))
        elif word == "write":
            steps.append((word, tensor, rng.randrange(counts[tensor]), float(rng.randint(1, 9))))
        elif word == "unpack":
            steps.append((word, rng.randrange(saved)))
        else:
            steps.append((word, tensor))
            counts += [counts[tensor]] * (word != "save")
            saved += word == "save"
    return steps


def _shown_program(steps: list[tuple[Any, ...]]) -> str:
    lines = [f"t0 = a tensor of {steps[0][1]} zeros"]
    tensors, saved = 1, 0
    for word, number, *given in steps[1:]:
        call = f"t{number}.{word}({', '.join(map(str, given))})"
        if word == "save":
            lines.append(f"s{saved} = SavedTensor(t{number})")
            saved += 1
        elif word == "unpack":
            lines.append(f"s{number}.unpack()")
        elif word == "write":
            lines.append(call)
        else:
            lines.append(f"t{tensors} = {call}")
            tensors += 1
    steps_text = "".join(f"  {line}\n" for line in lines)
    return (
        f"This program:\n{steps_text}the versions of all tensors after each step, and the numbers at the end"
    )


def mark_version_counter(module: ModuleType) -> list[str]:
    """Random programs, also run with gnomon's tensors and its SavedVariable."""
    rng = random.Random("version_counter")
    programs = [_program(rng, 1 + number // 30) for number in range(300)]
    return differences(
        module,
        programs,
        _Model(module).run,
        _Model(None).run,
        _shown_program,
    )


EXERCISES = (
    Exercise(
        "view_strides",
        "the strides of a view of another shape, or that a copy is needed",
        """
        Which dimensions can be merged? Two neighbors lie like one dimension if the outer stride is
        the inner stride times the inner size.

        Split the old dimensions, from the last to the first, into chunks that lie like one
        dimension each. The new dimensions, from the last to the first, must fill each chunk
        exactly; their strides begin with the stride of the chunk's last dimension.

        Sizes of 1 fit everywhere: an old one belongs to any chunk, and its stride does not end it;
        a new one of 1 is taken into the chunk that is just full.

        Keep numel of the chunk and of the view in it. At each end of a chunk (the first dimension,
        or where sizes[d-1] != 1 and strides[d-1] != numel * chunk's stride) take new dimensions
        while their numel is less, or the next is 1; stride = view's numel so far * chunk's stride.
        If both are not equal then: None. Without elements: the old strides for the same sizes, else
        contiguous ones (0 counts as 1).
        """,
        mark_view_strides,
        ("view_strides", "view"),
    ),
    Exercise(
        "memory_overlap",
        "whether two elements of one tensor may be the same memory",
        """
        Which operation makes a tensor whose elements share memory? expand: look at its strides.

        A dimension of size 1 has one index only, so its stride does not matter. Without elements
        nothing can overlap.

        Sort the dimensions by stride. Those so far reach up to the sum of (size - 1) * stride. If
        the next stride is larger than that, its steps jump over all of them: no overlap. If not, it
        is hard to know.
        """,
        mark_memory_overlap,
        ("has_internal_overlap", "may_overlap"),
    ),
    Exercise(
        "version_counter",
        "why backward notices that a saved tensor was written to",
        """
        Views and detached tensors see each other's writes, so they must share something that counts
        them.

        Let the counter be an object of its own, with one number; every tensor has a reference to
        one. Who makes a new one, and who takes over that of another?

        A view and detach() pass on storage and counter; data() passes on the storage with a new
        counter. SavedTensor keeps the tensor and its version, and unpack compares it.
        """,
        mark_version_counter,
        ("_version", "SavedVariable"),
    ),
)
