"""Refilling: the samples that there are, with other numbers or of other sizes in their tensors."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..collection.tiers import tier_of
from ..samples import TOLERANCES
from .description import INTEGERS, GivenTensor, Sample, TensorDescription, complete, descriptions

# Numbers that mean something else than data: places, classes, which of two sides.
_MEANINGFUL = ("below ", "signs")
# Where NaN and infinities lead is left open: whether a weight meets the zeros of the padding, and makes NaN
# of them; what an infinite logarithm of a probability means; in which order a fused gradient is computed, or
# a running mean.
OPEN = re.compile(
    r"conv|_?ctc_loss|_scaled_dot_product_flash_attention_for_cpu_backward|_?native_batch_norm(_legit)?(\.|$)"
)
CHAINED = re.compile(r"addcdiv|addcmul")  # what the first of two products overflows to, the second may undo


def holds_data(description: TensorDescription) -> bool:
    """Are these numbers of the dtype that the test goes over, and may they be any?"""
    return (
        description.dtype is None
        and not isinstance(description, GivenTensor)
        and not description.values.startswith(_MEANINGFUL)
    )


def changed(sample: Sample, change: Callable[[TensorDescription], TensorDescription]) -> Sample:
    """The sample with ``change`` of each of its tensors."""

    def of(value: Any) -> Any:
        if isinstance(value, TensorDescription):
            return change(value)
        if type(value) is list:
            return [of(each) for each in value]
        return value

    args = tuple(of(value) for value in sample.args)
    return sample._replace(args=args, kwargs={name: of(value) for name, value in sample.kwargs.items()})


def refilled(sample: Sample, values: str) -> Sample:
    """The sample with numbers of the kind ``values`` (description.HURTING) in its tensors of data.

    What has to be positive (a variance, the second moments of an optimizer) stays so.
    """

    def change(each: TensorDescription) -> TensorDescription:
        if not holds_data(each):
            return each
        kind = f"positive {values}" if each.values == "positive" and values != "nothing" else values
        return each._replace(values=kind)

    return changed(sample, change)


def fills_of(operator: Any, dtype: str) -> list[str]:
    """The kinds of numbers to try; where several roundings overflow at will, none so large."""
    kinds = ["ties", "equal", "nothing"]
    if dtype in INTEGERS:
        kinds.append("extreme")
    elif dtype != "bool":
        kinds += [] if OPEN.match(operator.name) else ["nonfinite"]
        is_chained = TOLERANCES.get(operator.name) == "composed" or CHAINED.match(operator.name)
        kinds += ["tiny" if is_chained else "extreme", "small"]
        kinds += ["wide"] if TOLERANCES.get(operator.name) == "elementary" else []
    if tier_of(operator.name) not in ("pointwise", "memory"):
        kinds += ["ascending", "descending"]
    return kinds


def spread(found: Sequence[Any], most: int) -> list[Any]:
    """At most ``most`` of them, from all over."""
    if len(found) <= most:
        return list(found)
    return [found[place * (len(found) - 1) // max(most - 1, 1)] for place in range(most)]


def resized(sample: Sample, old: int, new: int, also_numbers: bool = False) -> Sample:
    """The sample with dimensions of ``new`` elements where it has ``old``, and with indices into them.

    ``also_numbers``: in lists of numbers, too (the sizes of a view, the shape that is normalized).  Whether
    it is a call that makes sense, the reference says.
    """

    def change(each: TensorDescription) -> TensorDescription:
        if isinstance(each, GivenTensor):
            return each
        is_index = (
            each.dtype is not None and each.values == f"below {old}"
        )  # and no number of the data's dtype
        values = f"below {new}" if is_index else each.values
        return each._replace(sizes=tuple(new if size == old else size for size in each.sizes), values=values)

    made = changed(sample, change)
    if not also_numbers:
        return made

    def of(value: Any) -> Any:
        if type(value) is list and all(type(each) is int for each in value):
            return [new if each == old else each for each in value]
        return value

    kwargs = {name: of(value) for name, value in made.kwargs.items()}
    return made._replace(args=tuple(of(value) for value in made.args), kwargs=kwargs)


def chosen_in_proportion(sample: Sample, schema: Any, old: int, new: int) -> Sample:
    """The sample with ``k``, how many are chosen of a dimension, grown with it."""
    for position, argument in enumerate(schema.arguments):
        if argument.name == "k" and position < len(sample.args) and type(sample.args[position]) is int:
            chosen = max(sample.args[position] * new // old, 1)
            return sample._replace(args=(*sample.args[:position], chosen, *sample.args[position + 1 :]))
    return sample


def deepened(sample: Sample, dims: int) -> Sample:
    """The sample with as many dimensions in front of those of its largest tensors that they have ``dims``.

    They have two elements each, and one in between, so that none of them can be left out or joined unseen.
    """
    found = [each for each in _tensors_of(sample) if not isinstance(each, GivenTensor)]
    most = max((len(each.sizes) for each in found), default=0)
    front = tuple(1 if place % 3 == 1 else 2 for place in range(dims - most))

    def change(each: TensorDescription) -> TensorDescription:
        if isinstance(each, GivenTensor) or len(each.sizes) < most:
            return each
        return each._replace(sizes=(*front, *each.sizes))

    return changed(sample, change)


def _tensors_of(sample: Sample) -> list[TensorDescription]:
    """All descriptions of tensors among the arguments that are given."""
    return list(descriptions([*sample.args, *sample.kwargs.values()]))


def emptied(sample: Sample, schema: Any) -> Iterator[Sample]:
    """The sample with each size of its tensors in turn made 0, in them alone and in lists of numbers, too."""
    tensors = [each for each in descriptions(complete(schema, sample)) if not isinstance(each, GivenTensor)]
    seen = [sample]
    for size in dict.fromkeys(size for each in tensors for size in each.sizes):
        for also_numbers in (False, True):
            made = resized(sample, size, 0, also_numbers)
            if made not in seen:
                seen.append(made)
                yield made


def without_dimensions(sample: Sample, schema: Any) -> Iterator[Sample]:
    """The sample with one after the other of its tensors, and then with all of them, a single number."""
    tensors = [each for each in descriptions(complete(schema, sample)) if not isinstance(each, GivenTensor)]
    seen = [sample]
    for chosen in [*([each] for each in tensors), tensors]:

        def change(each: TensorDescription, chosen: list[TensorDescription] = chosen) -> TensorDescription:
            return each._replace(sizes=(), layout=None) if each in chosen else each

        made = changed(sample, change)
        if made not in seen:
            seen.append(made)
            yield made
