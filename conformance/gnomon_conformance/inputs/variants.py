"""Variants of existing samples: other numbers or other sizes in their tensors."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..collection.tiers import tier_of
from ..samples import TOLERANCES
from .description import INTEGERS, GivenTensor, Sample, TensorDescription, complete, descriptions

# Kinds of numbers that are not arbitrary data: indices, classes, the sign of a label.
_MEANINGFUL = ("below ", "signs")
# For these operators the effect of NaN and infinities is unspecified: whether a weight is multiplied with the
# zeros of the padding, which gives NaN; what an infinite log probability means; the order in which a fused
# gradient or a running mean is computed.
OPEN = re.compile(
    r"conv|_?ctc_loss|_scaled_dot_product_flash_attention_for_cpu_backward|_?native_batch_norm(_legit)?(\.|$)"
)
CHAINED = re.compile(r"addcdiv|addcmul")  # the second factor may undo an overflow in the first product


def holds_data(description: TensorDescription) -> bool:
    """Whether the tensor has the dtype that the test is parametrized with, and its numbers are arbitrary."""
    return (
        description.dtype is None
        and not isinstance(description, GivenTensor)
        and not description.values.startswith(_MEANINGFUL)
    )


def changed(sample: Sample, change: Callable[[TensorDescription], TensorDescription]) -> Sample:
    """The sample with ``change`` applied to each of its tensors."""

    def of(value: Any) -> Any:
        if isinstance(value, TensorDescription):
            return change(value)
        if type(value) is list:
            return [of(each) for each in value]
        return value

    args = tuple(of(value) for value in sample.args)
    return sample._replace(args=args, kwargs={name: of(value) for name, value in sample.kwargs.items()})


def refilled(sample: Sample, values: str) -> Sample:
    """The sample with numbers of the kind ``values`` (description.HURTING) in its data tensors.

    Data that has to be positive (a variance, the second moments of an optimizer) stays positive.
    """

    def change(each: TensorDescription) -> TensorDescription:
        if not holds_data(each):
            return each
        kind = f"positive {values}" if each.values == "positive" and values != "nothing" else values
        return each._replace(values=kind)

    return changed(sample, change)


def fills_of(operator: Any, dtype: str) -> list[str]:
    """The kinds of numbers to test; without the largest where several steps may or may not overflow."""
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
    """At most ``most`` of them, evenly spaced."""
    if len(found) <= most:
        return list(found)
    return [found[place * (len(found) - 1) // max(most - 1, 1)] for place in range(most)]


def resized(sample: Sample, old: int, new: int, also_numbers: bool = False) -> Sample:
    """The sample with ``new`` elements in each dimension that has ``old``, and with indices below ``new``.

    ``also_numbers``: in lists of numbers as well (the sizes of a view, a normalized shape).  Whether the call
    is valid is determined by the reference.
    """

    def change(each: TensorDescription) -> TensorDescription:
        if isinstance(each, GivenTensor):
            return each
        is_index = (
            each.dtype is not None and each.values == f"below {old}"
        )  # and not numbers of the data's dtype
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
    """The sample with ``k``, the number of elements selected from a dimension, scaled with its size."""
    for position, argument in enumerate(schema.arguments):
        if argument.name == "k" and position < len(sample.args) and type(sample.args[position]) is int:
            chosen = max(sample.args[position] * new // old, 1)
            return sample._replace(args=(*sample.args[:position], chosen, *sample.args[position + 1 :]))
    return sample


def deepened(sample: Sample, dims: int) -> Sample:
    """The sample with leading dimensions added, so that its tensors of highest rank have ``dims`` dimensions.

    Most of them have two elements, every third one, so that none can be dropped or merged unnoticed.
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
    """All tensor descriptions among the arguments that the sample gives."""
    return list(descriptions([*sample.args, *sample.kwargs.values()]))


def emptied(sample: Sample, schema: Any) -> Iterator[Sample]:
    """The sample with each size in turn set to 0: in its tensors alone, and in lists of numbers as well."""
    tensors = [each for each in descriptions(complete(schema, sample)) if not isinstance(each, GivenTensor)]
    seen = [sample]
    for size in dict.fromkeys(size for each in tensors for size in each.sizes):
        for also_numbers in (False, True):
            made = resized(sample, size, 0, also_numbers)
            if made not in seen:
                seen.append(made)
                yield made


def without_dimensions(sample: Sample, schema: Any) -> Iterator[Sample]:
    """The sample with each of its tensors in turn, and then all of them, made 0-dimensional."""
    tensors = [each for each in descriptions(complete(schema, sample)) if not isinstance(each, GivenTensor)]
    seen = [sample]
    for chosen in [*([each] for each in tensors), tensors]:

        def change(each: TensorDescription, chosen: list[TensorDescription] = chosen) -> TensorDescription:
            return each._replace(sizes=(), layout=None) if each in chosen else each

        made = changed(sample, change)
        if made not in seen:
            seen.append(made)
            yield made
