"""Properties: calls drawn by hypothesis, from the samples and the schema of an operator, and shrunk.

A drawn call is a sample, varied: its sizes (each size another one, the same wherever it stands, so that most
calls still make sense), the dtype of each tensor by itself, how each lies in its storage, what numbers it
holds, whether one tensor stands in two places, and what the other arguments are.  It is made as it stands, in
place, or with ``out=``.  Whether a call makes sense, the reference says: an error is as good a result.

All choices are ordered: what hypothesis takes for simpler is smaller, lies closer, and has plainer numbers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from hypothesis import strategies as st

from ..collection.selection import DATA_DEPENDENT, UNDETERMINED, has_dtype_axis
from ..execution.runner import Gnomon, TensorOutcome, run
from ..inputs.description import (
    COMPLEX,
    DTYPES,
    FLOATS,
    INTEGERS,
    REAL_FLOATS,
    GivenTensor,
    OnDevice,
    Sample,
    TensorDescription,
    complete,
    default_of,
    descriptions,
    given,
    has_default,
    stored,
    tensor,
)
from ..inputs.variants import fills_of, holds_data
from ..samples import good_samples

MOST_NUMBERS = 400  # in a storage: the reference takes microseconds for each
MOST_RESULTS = 1200  # elements of a call's results together
MOST_INTEGER = 5  # of a drawn integer argument, which may be a number of elements
SIZES = (1, 2, 0, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 65)
KEPT = 15  # as often as it is another, a size stays what it was
STEPS = (1, 1, 1, 1, 2, 3)  # from an element to the next of a dimension, in units of the dense stride
FILLER = 77  # in an output, which is not expected to look at it

# Numbers for an argument that is one; the large ones where a test may ask for "extreme" values.
NUMBERS = (0, 1, 2, -1, 3, -2, 0.5, -0.0, 1.5, -2.5, True)
LARGE_NUMBERS = (1e30, -1e30, 2**31, -(2**31) - 1, 255, 65537)
NONFINITE_NUMBERS = (math.inf, -math.inf, math.nan)

# The result lies as the first tensor does, however much that overlaps itself: so it must not.
LYING_ALIKE = re.compile(r"copy(\.|$)")
WILD = ("nonfinite", "extreme", "tiny")
SIMPLEST_FIRST = ("float32", "int64", "float64", "int32", "bool", *DTYPES)


class Drawn(NamedTuple):
    """A call: the operator, which may be a variant of the one that was asked for, and its arguments."""

    operator: Any
    sample: Sample
    dtype: str

    @property
    def key(self) -> str:
        """The same for the same call, and for no other."""
        values = complete(self.operator.schema, self.sample)
        contents = [getattr(each, "contents", each) for each in descriptions(values)]
        return repr((self.operator.name, self.dtype, self.sample, contents))


class Subject(NamedTuple):
    """What calls are drawn for.

    dtypes   those that may be in a call, the simplest first
    samples  (dtype, sample) pairs to begin with
    forms    the operator itself, and those of its variants that are called, too
    fills    kinds of numbers, by the dtype of the sample
    """

    operator: Any
    dtypes: tuple[str, ...]
    samples: tuple[tuple[str, Sample], ...]
    forms: tuple[Any, ...]
    fills: dict[str, tuple[str, ...]]

    def __repr__(self) -> str:
        return f"Subject({self.operator.name})"


def subject_for(operator: Any, dtypes: Sequence[str], in_place: bool = True, out: bool = True) -> Subject:
    """What to draw calls of ``operator`` from, of no other dtypes than these; maybe without samples."""
    ordered = tuple(each for each in dict.fromkeys(SIMPLEST_FIRST) if each in dtypes)
    pairs = []
    for dtype in ordered if has_dtype_axis(operator) else ordered[:1]:
        for _, sample in good_samples(operator.name, dtype):
            said = [each.dtype for each in descriptions(complete(operator.schema, sample))]
            if all(each is None or each in dtypes for each in said):
                pairs.append((dtype, sample))
    forms = [operator]
    if not UNDETERMINED.match(operator.name):
        for variant in operator.variants:
            if (variant.schema.is_inplace and in_place) or (variant.schema.is_out and out):
                forms.append(variant)
    fills = {dtype: _fills(operator, dtype) for dtype in ordered}
    return Subject(operator, ordered, tuple(pairs), tuple(forms), fills)


def _fills(operator: Any, dtype: str) -> tuple[str, ...]:
    kinds = fills_of(operator, dtype)
    if dtype in FLOATS and dtype not in REAL_FLOATS:  # what is not finite has no one value there
        kinds = [kind for kind in kinds if kind in ("ties", "equal", "nothing")]
    return tuple(kinds)


def calls(subject: Subject) -> st.SearchStrategy[Drawn | None]:
    """Calls of an operator; None for one that would be too large."""
    return _calls(subject)


@st.composite
def _calls(draw: Callable[..., Any], subject: Subject) -> Drawn | None:
    dtype, sample = draw(st.sampled_from(subject.samples))
    return _Drawing(draw, subject, dtype).call(sample)


class _Drawing:
    """One call on its way.  ``draw`` is hypothesis's."""

    def __init__(self, draw: Callable[..., Any], subject: Subject, dtype: str):
        self.draw = draw
        self.subject = subject
        self.dtype = dtype
        self.made: list[GivenTensor] = []
        # Either wild numbers or dtypes of all kinds: what a wild number is as an integer, nobody says.
        self.is_wild = self.draw(st.booleans()) and dtype in REAL_FLOATS

    def seldom(self, one_in: int) -> bool:
        """True once in ``one_in`` draws; False is simpler."""
        return self.draw(st.integers(0, one_in - 1)) == one_in - 1

    def call(self, sample: Sample) -> Drawn | None:
        """The sample, varied."""
        schema = self.subject.operator.schema
        form = self.draw(st.sampled_from(self.subject.forms))
        values = complete(schema, sample)
        self.ndim = max((len(each.sizes) for each in descriptions(values)), default=0)
        self.sizes = self.size_map(values)
        self.also_numbers = self.draw(st.booleans())
        varied: list[Any] = []
        lies_alike = LYING_ALIKE.match(self.subject.operator.name) is not None
        for argument, value in zip(schema.arguments, values):
            is_written = argument.is_written or (not varied and (form.schema.is_inplace or lies_alike))
            varied.append(self.argument(argument, value, is_written))
        made = self.assembled(sample, schema, varied)
        results: tuple[Any, ...] = ()
        if not DATA_DEPENDENT.match(self.subject.operator.name):
            found = run(Gnomon("meta"), self.subject.operator, made, self.dtype, "contiguous")
            results = found.results
            if sum(_numel(each.sizes) for each in results if isinstance(each, TensorOutcome)) > MOST_RESULTS:
                return None
        if form.schema.is_out:
            outputs = self.outputs(form.schema, results)
            if outputs is None:
                return Drawn(self.subject.operator, made, self.dtype)
            made = made._replace(kwargs={**made.kwargs, **outputs})
        return Drawn(form, made, self.dtype)

    def assembled(self, sample: Sample, schema: Any, values: Sequence[Any]) -> Sample:
        """The sample with these values of all arguments, where it has its own: by position, or by name."""
        count = len(sample.args)
        kwargs = {}
        for argument, value in list(zip(schema.arguments, values))[count:]:
            if argument.name in sample.kwargs or not has_default(argument) or value != default_of(argument):
                kwargs[argument.name] = value
        return sample._replace(args=tuple(values[:count]), kwargs=kwargs)

    def fills(self) -> tuple[str, ...]:
        """The kinds of numbers that data may be."""
        found = self.subject.fills[self.dtype]
        if self.is_wild or self.dtype not in REAL_FLOATS:
            return found
        return tuple(kind for kind in found if kind not in WILD)

    def other_dtype(self) -> str:
        """A dtype beside the call's."""
        kinds = REAL_FLOATS if self.is_wild else DTYPES
        found = [each for each in self.subject.dtypes if each in kinds]
        return self.draw(st.sampled_from(found))

    # ---------------------------------------------------------------------------------------------------
    # Sizes.

    def size_map(self, values: Sequence[Any]) -> dict[int, int]:
        """Size of the sample -> size of the call; small enough for its largest tensor."""
        tensors = [each for each in descriptions(values) if not isinstance(each, GivenTensor)]
        present = sorted({size for each in tensors for size in each.sizes})
        found = {size: self.draw(st.sampled_from((*SIZES, *(size,) * KEPT))) for size in present}
        for size in sorted(present, key=lambda each: -found[each]):
            if max((_numel(found[old] for old in each.sizes) for each in tensors), default=0) > MOST_NUMBERS:
                found[size] = min(found[size], 2)
        return found

    def sizes_of(self, description: TensorDescription) -> tuple[int, ...]:
        """The sizes of a tensor of the call: renamed, and now and then with a 1, or a dimension less."""
        sizes = [self.sizes[size] for size in description.sizes]
        if sizes and self.seldom(6):
            sizes[self.draw(st.integers(0, len(sizes) - 1))] = 1
        if sizes and self.seldom(16):
            sizes.pop(0)
        return tuple(sizes)

    # ---------------------------------------------------------------------------------------------------
    # Tensors.

    def tensor(self, description: TensorDescription, is_written: bool) -> TensorDescription:
        """A tensor of the call for one of the sample."""
        if isinstance(description, GivenTensor):
            return description
        sizes = self.sizes_of(description)
        dtype = description.dtype or self.dtype
        if self.seldom(8 if description.dtype is None else 24):
            dtype = self.other_dtype()
        same = [each for each in self.made if each.dtype == dtype and each.sizes == sizes]
        if same and not is_written and description.dtype is None and self.seldom(10):
            return same[0]
        values = description.values
        if values.startswith("below "):
            bound = int(values[6:])
            values = f"below {self.sizes.get(bound, bound)}"
        elif holds_data(description):
            kinds = ["counting", values, *self.fills()]
            if values == "positive":
                kinds = [kinds[0], values, *(f"positive {kind}" for kind in kinds[2:] if kind != "nothing")]
            values = self.draw(st.sampled_from(kinds))
        return self.lying(sizes, dtype, values, description.seed, is_written)

    def lying(
        self, sizes: tuple[int, ...], dtype: str, values: str, seed: int, is_written: bool
    ) -> GivenTensor:
        """A tensor of these sizes, somewhere in a storage."""
        if values.startswith("positive ") and dtype in COMPLEX:
            values = "positive"  # magnitudes of those would have to be rounded
        strides, offset = self.strides(sizes, is_written)
        reach = sum((size - 1) * stride for size, stride in zip(sizes, strides)) + 1 if all(sizes) else 0
        behind = self.draw(st.integers(0, 2)) if strides != tuple(_dense(sizes)) or offset else 0
        count = offset + reach + behind
        if values == "counting":
            numbers = tuple(_counted(place, dtype) for place in range(count))
        else:
            plain = tensor(count, dtype=dtype, values=values, seed=seed)
            drawn = stored(plain, dtype, "contiguous", len(self.made)).numbers
            numbers = tuple(_within(number, dtype) for number in drawn)
        made = given(numbers, sizes, strides, offset, dtype, storage=len(self.made))
        self.made.append(made)
        return made

    def strides(self, sizes: tuple[int, ...], is_written: bool) -> tuple[tuple[int, ...], int]:
        """Strides and offset: dense; permuted, with gaps and repeats; or any at all.

        What is written to has no element twice.
        """
        way = self.draw(st.integers(0, 1 if is_written else 3))
        if way == 0 or not sizes:
            return tuple(_dense(sizes)), 0
        offset = self.draw(st.integers(0, 3))
        if way == 3:
            return tuple(self.draw(st.integers(0, 4)) for _ in sizes), offset
        strides = [0] * len(sizes)
        step = 1
        for dim in self.draw(st.permutations(range(len(sizes) - 1, -1, -1))):
            step *= self.draw(st.sampled_from(STEPS))
            repeats = way == 2 and self.draw(st.integers(0, 2)) == 2
            strides[dim] = 0 if repeats else step
            if sizes[dim] == 1 and self.seldom(3):
                strides[dim] = self.draw(st.integers(0, 9))  # which nobody follows
            elif not repeats:
                step *= max(sizes[dim], 1)
            if step > MOST_NUMBERS:
                return tuple(_dense(sizes)), offset
        return tuple(strides), offset

    def outputs(self, schema: Any, results: Sequence[Any]) -> dict[str, Any] | None:
        """The ``out=`` arguments for these results; None where they are no tensors."""
        named = [argument for argument in schema.arguments if argument.is_written]
        if len(named) != len(results) or any(argument.is_list for argument in named):
            return None
        if not all(isinstance(each, TensorOutcome) for each in results):
            return None
        found = {}
        for argument, result in zip(named, results):
            sizes, dtype = result.sizes, result.dtype
            if dtype not in self.subject.dtypes:
                return None
            if self.seldom(6):
                other = self.other_dtype()
                # how far a number of another floating dtype may be off, the result's own dtype would say
                dtype = dtype if dtype in FLOATS and other in FLOATS else other
            if self.seldom(6):
                sizes = tuple(self.draw(st.integers(0, 3)) for _ in sizes)
            made = self.lying(sizes, dtype, "ones", 0, True)
            count = len(made.contents.numbers)
            filler = stored(tensor(1, dtype=dtype, values="ones"), dtype, "contiguous", 0).numbers[0] * FILLER
            numbers = (bool(filler) if dtype == "bool" else filler,) * count
            found[argument.name] = given(
                numbers, sizes, made.contents.strides, made.contents.offset, dtype, made.storage
            )
        return found

    # ---------------------------------------------------------------------------------------------------
    # Other arguments.

    def argument(self, argument: Any, value: Any, is_written: bool) -> Any:
        """An argument of the call for one of the sample."""
        if isinstance(value, OnDevice):
            return value
        if isinstance(value, TensorDescription):
            if argument.is_optional and self.seldom(12):
                return None
            return self.tensor(value, is_written)
        if argument.is_tensor:
            return self.tensors(argument, value, is_written)
        if argument.is_optional and value is not None and self.seldom(10):
            return None
        if isinstance(value, (list, tuple)):
            return self.numbers(argument, value)
        if argument.type == "ScalarType" and (value is not None or self.seldom(6)):
            return self.other_dtype() if self.seldom(6) else value
        return self.number(argument, value)

    def tensors(self, argument: Any, value: Any, is_written: bool) -> Any:
        """A list of tensors, or None."""
        if not isinstance(value, (list, tuple)):
            return value
        found = [
            self.tensor(each, is_written) if isinstance(each, TensorDescription) else each for each in value
        ]
        if len(found) > 1 and self.seldom(12):
            found.pop()
        return found if isinstance(value, list) else tuple(found)

    def numbers(self, argument: Any, value: Sequence[Any]) -> Any:
        """A list of numbers: sizes, or dimensions, or as many numbers as there are dimensions."""
        if not all(type(each) is int for each in value):
            return value
        found = [self.sizes.get(each, each) for each in value] if self.also_numbers else list(value)
        if self.seldom(6):
            if found and not self.seldom(3):
                found[self.draw(st.integers(0, len(found) - 1))] = self.integer()
            elif self.seldom(2):
                found.append(self.integer())
            elif found:
                found.pop()
        return found if isinstance(value, list) else tuple(found)

    def integer(self) -> int:
        return self.draw(st.integers(-max(self.ndim, 2) - 1, MOST_INTEGER))

    def number(self, argument: Any, value: Any) -> Any:
        """An argument that is a number, or a word."""
        is_number = argument.type in ("Scalar", "float", "int", "SymInt", "bool")
        if not is_number or not self.seldom(4):
            return value
        if argument.is_list or (value is None and not argument.is_optional):
            return value
        if argument.type == "bool":
            return self.draw(st.booleans())
        if argument.type in ("int", "SymInt"):
            if type(value) is int and abs(value) > 2 * MOST_INTEGER:
                return value  # a seed, or an index to ignore
            return self.integer()
        kinds = self.fills()
        found = [*NUMBERS, *(LARGE_NUMBERS if self.is_wild and "extreme" in kinds else ())]
        found += NONFINITE_NUMBERS if "nonfinite" in kinds else ()
        if argument.type == "float":
            found = list(map(float, found))
        return self.draw(st.sampled_from(found))


def _numel(sizes: Any) -> int:
    return math.prod(sizes)


def _dense(sizes: Sequence[int]) -> list[int]:
    strides = [1] * len(sizes)
    for dim in range(len(sizes) - 2, -1, -1):
        strides[dim] = strides[dim + 1] * max(sizes[dim + 1], 1)
    return strides


def _within(number: Any, dtype: str) -> Any:
    """A number as its dtype holds it: of an integer that is too large, the lower bits."""
    if dtype not in INTEGERS:
        return number
    bits = 8 if dtype == "uint8" else int(dtype[3:])
    least = 0 if dtype == "uint8" else -(2 ** (bits - 1))
    return (number - least) % 2**bits + least


def _counted(place: int, dtype: str) -> Any:
    """1, 2, 3 and so on, up to 9 and again."""
    number = place % 9 + 1
    if dtype == "bool":
        return number % 2 == 1
    if dtype in INTEGERS:
        return number
    return complex(number) if dtype not in REAL_FLOATS else float(number)
