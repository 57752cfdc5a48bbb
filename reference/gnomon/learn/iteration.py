"""Promotion, broadcasting and iteration of a call, step by step, by the functions that the call uses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..calls.iterator import FastSetup, TensorIterator
from ..memory.spec import Spec
from ..values import dtype as dtypes
from ..values import geometry
from ..values.dtype import ResultType
from ..values.geometry import Ints
from .report import Block, Facts, Lines, Table

CATEGORIES = ("bool", "integer", "floating point", "complex")

Step = tuple[list[int], list[list[int]]]  # a shape, and the strides of each operand in bytes


class IteratorInSteps(TensorIterator):
    """A TensorIterator that remembers what it was between its steps."""

    def __init__(self, *given: Any):
        self.steps: dict[str, Step] = {}
        self.setup: tuple[FastSetup, Ints] = FastSetup.NONE, ()
        super().__init__(*given)

    @classmethod
    def again(cls, iterator: TensorIterator) -> IteratorInSteps:
        """The same iteration, computed anew from what ``iterator`` was made of."""
        return cls(
            iterator.name,
            iterator.inputs,
            [operand.dtype for operand in iterator.operands[: iterator.output_count]],
            iterator._common_dtype,
            iterator.device,
            iterator.reduced_dims if iterator.is_reduction else None,
            iterator.keepdim,
            iterator.sizes,
            iterator.given_outputs,
            iterator.input_dtypes,
        )

    def _kept(self, name: str) -> None:
        self.steps[name] = list(self.shape), [list(operand.strides) for operand in self.operands]

    def _compute_strides(self) -> None:
        super()._compute_strides()
        self._kept("broadcast")

    def _compute_fast_setup_type(self) -> tuple[FastSetup, Ints]:
        self.setup = super()._compute_fast_setup_type()
        return self.setup

    def _allocate_outputs(self) -> None:
        super()._allocate_outputs()
        self._kept("reordered")

    def _coalesce_dimensions(self) -> None:
        super()._coalesce_dimensions()
        self._kept("coalesced")


def explain_promotion(iterator: TensorIterator, names: Sequence[str]) -> list[Block]:
    """The common dtype: what each operand adds to it, by the three ranks of ``result_type``."""
    inputs = iterator.inputs
    if not inputs:
        return []
    state = ResultType()
    rows = []
    for name, each in zip(names, inputs):
        if isinstance(each, Spec):
            state.add_tensor(each.dtype, each.ndim)
            what = "tensor with dimensions" if each.ndim else "0-dim tensor"
            dtype = each.dtype
        else:
            default = dtypes.get_default_dtype()
            state.add_number(each, default)
            what, dtype = "wrapped number", dtypes.dtype_of_number(each, default)
        rows.append((name, what, dtype.name, CATEGORIES[dtype.category], state.result().name))
    headings = ("operand", "what it is", "dtype", "category", "result_type so far")
    ranks = (
        ("dimResult (tensors with dimensions)", state.dim_result),
        ("zeroResult (0-dim tensors)", state.zero_result),
        ("wrappedResult (numbers)", state.number_result),
    )
    facts: list[tuple[str, Any]] = [(name, None if found is None else found.name) for name, found in ranks]
    facts.append(("result_type", state.result().name))
    common = iterator._common_dtype
    facts.append(("common dtype", "none: the inputs keep their own" if common is None else common.name))
    outputs = iterator.operands[: iterator.output_count]
    facts.append(("dtype of the result", ", ".join(each.dtype.name for each in outputs)))
    converted = [
        f"{name}: {spec.dtype.name} to {operand.dtype.name}"
        for name, spec, operand in zip(names, inputs, iterator.operands[iterator.output_count :])
        if isinstance(spec, Spec) and spec.dtype is not operand.dtype
    ]
    if converted:
        facts.append(("copies that are converted", tuple(converted)))
    return [Table(headings, rows), Facts(facts)]


def explain_broadcast(iterator: TensorIterator, names: Sequence[str]) -> list[Block]:
    """Each input beside the common sizes; expanded dimensions have stride 0."""
    rows = []
    for name, each in zip(names, iterator.inputs):
        if not isinstance(each, Spec):
            continue
        strides = geometry.expand_strides(each.sizes, each.strides, iterator.sizes)
        missing = len(iterator.sizes) - each.ndim
        own = (1,) * missing + each.sizes
        expanded = tuple(
            [
                dim
                for dim, (size, mine) in enumerate(zip(iterator.sizes, own))
                if size != mine or dim < missing
            ]
        )
        rows.append((name, each.sizes, expanded or "none", strides))
    if all(row[1] == iterator.sizes for row in rows):
        text = f"All operands have the sizes {tuple(iterator.sizes)}." if len(rows) > 1 else ""
        return [Lines([text])] if text else []
    headings = ("operand", "sizes", "expanded dimensions", f"strides as {tuple(iterator.sizes)}")
    return [Table(headings, rows)]


def explain_iterator(iterator: IteratorInSteps, names: Sequence[str]) -> list[Block]:
    """The dimensions before and after reordering and coalescing, with strides in bytes."""
    rows = []
    for step in ("broadcast", "reordered", "coalesced"):
        shape, strides = iterator.steps[step]
        rows.append((step, tuple(shape), *(tuple(each) if each or not shape else None for each in strides)))
    order = iterator.order
    facts: list[tuple[str, Any]] = [
        ("elements", iterator.numel),
        ("dimension 0 first, these were dimensions", tuple(order)),
    ]
    if iterator.is_reduction:
        facts.append(("reduced dimensions", iterator.reduced_dims))
    headings = ("step", "shape", *(f"{name}: bytes" for name in names))
    return [Table(headings, rows), Facts(facts)]


def stride_rule(iterator: IteratorInSteps) -> str:
    """Why new outputs of the iteration have their strides."""
    if iterator.given_outputs is not None and all(each is not None for each in iterator.given_outputs):
        return "the outputs exist already, or the meta function gives their strides"
    if iterator.is_reduction:
        return "new outputs of a reduction are contiguous, whatever its inputs are"
    setup = iterator.setup[0]
    if setup is FastSetup.CONTIGUOUS:
        return "FastSetupType::CONTIGUOUS: all operands have the same sizes and are contiguous"
    if setup is FastSetup.CHANNELS_LAST:
        return "FastSetupType::CHANNELS_LAST: all operands have the same sizes and are channels last"
    if setup is FastSetup.NON_OVERLAPPING_DENSE:
        return (
            "FastSetupType::NON_OVERLAPPING_DENSE: all operands have the same sizes and strides, without "
            "gaps or overlaps, and the outputs get them, too"
        )
    return (
        "FastSetupType::NONE: operands differ in sizes (a number has none) or in strides, so the outputs are "
        "dense, in the order of the iterator's "
        f"dimensions: from the fastest, {tuple(iterator.order)}"
    )
