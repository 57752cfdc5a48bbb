"""Record: what is known about one operator, each fact declared once.

A record says the schema (PyTorch's, letter for letter), the shape-and-dtype rule with all checks, the
reference kernel, the derivative formulas, and in what the operator differs from most.  What a record may be,
apart from the schema:

- ``meta`` and ``kernel``: the usual case.
- ``view``: an alias of the first argument.
- ``composite``: a function of tensors made of other operators.  Autograd sees those.
  (CompositeImplicitAutograd)
- ``explicit``: a function of tensors that needs no kernel of its own but has its own derivative, or none.

An operator may write to arguments beside what it returns, as its schema marks them: ``_fused_adam_``, which
returns nothing, and whose ``meta`` gives ().  For a backend these are outputs, behind those that are
returned; the record's ``kernel`` finds them among the arguments alone.

Facts about one thing are a group (``Out``, ``Inplace``, ``Numbers``, ``Inputs``, ``Batching``).  A group that
says its first fact only may be given as that: ``out="out"`` is ``out=Out("out")``.

Source: native_functions.yaml, derivatives.yaml; torchgen's structured kernels.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Literal, get_args

from ..dispatch.dispatcher import OpOverload
from ..values.dtype import dtype
from ..values.schema import FunctionSchema

# Arguments of these types say what a new tensor is; a kernel sees it in the tensor.
_NOT_FOR_KERNELS = frozenset({"ScalarType", "Layout", "Device", "MemoryFormat"})

NumbersFor = Literal["", "other", "either", "both"]
BatchingRule = Literal[
    "", "leading", "along", "over_all", "sized", "folded", "for_each", "composed", "random", "dynamic_shape"
]


@dataclass(frozen=True, slots=True)
class Out:
    """The variant with ``out=``, and what such an output may be."""

    overload: str = "out"
    """Its overload name, or its whole schema where the outputs' names are not ``out``; "": there is none."""

    _: KW_ONLY

    exact: bool = False
    """An output of another dtype than the result's is refused, where other operators convert."""

    dtypes: tuple[dtype, ...] = ()
    """The dtypes that an output may have, whatever the result's."""

    cast_error: type[Exception] = RuntimeError
    """What an output raises that the result can not be cast to."""

    row_major: bool | Callable[..., bool] = False
    """An output that is resized is row-major, whatever the result's strides; a function of the arguments: for
    these.
    """

    gives_dtype: bool = False
    """A ``dtype`` that is not given is that of the output, in place too."""


@dataclass(frozen=True, slots=True)
class Inplace:
    """The variant that writes to ``self``: ``add_`` of ``add``."""

    overload: bool | str = True
    """Its overload name; True: the operator's own; False: there is no such variant."""

    _: KW_ONLY

    on_expanded: bool | Callable[..., Any] = False
    """An expanded tensor is written to where others refuse: by the kernel, with a warning, or by this
    function of the arguments.
    """


@dataclass(frozen=True, slots=True)
class Numbers:
    """Python numbers among the arguments: which may stand for tensors, and how precisely they count."""

    stand_for: NumbersFor = ""
    """Where a number may stand for a tensor: for ``other``, for either of ``self`` and ``other``, or for both
    of them.
    """

    _: KW_ONLY

    fit: bool = False
    """The rule refuses numbers that the dtype does not hold."""

    wide: tuple[str, ...] = ()
    """Operands which, when they are numbers or have no dimensions, half precision tensors meet in float32."""

    held: tuple[str, ...] = ()
    """Arguments which kernels of half precision take as that holds them, where it computes with others in
    float32.
    """


@dataclass(frozen=True, slots=True)
class Inputs:
    """How tensor arguments are made ready for a kernel without a walk."""

    _: KW_ONLY

    expanded: tuple[str, ...] = ()
    """Arguments that the kernel sees with the output's sizes."""

    promoted: bool = False
    """Tensors are converted to the output's dtype."""


@dataclass(frozen=True, slots=True)
class Batching:
    """How the operator runs on many examples at once (func/batching_rules.py), where that does not follow
    from the rest of the record.
    """

    rule: BatchingRule = ""
    """``leading``: it takes any leading dimensions.  ``along``: it works along dimensions that its arguments
    name, and its results' sizes follow.  ``over_all``: so does it, or over all elements where none is named.
    ``sized``: it is told the sizes of its result, then dimensions of that.  ``folded``: a layer without
    parameters, on (N, C, *): N grows.  ``for_each``: it makes a tensor, of which each example gets one.
    ``composed``: its ``explicit`` function calls other operators by dispatch, and does nothing else.
    ``random``: it draws numbers.  ``dynamic_shape``: its result's sizes depend on numbers, so it is refused.
    """

    ndim: int = 0
    """For ``leading``: the dimensions that an example has at least.  For ``folded``: those of several images,
    (N, C, *), where fewer are one; 0: arguments always are several.
    """


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """What is known about one operator; an OpOverload's ``record``.

    Raises TypeError for a fact that there is none of, ValueError for one that has no such value or names an
    argument that the schema does not have.
    """

    schema: FunctionSchema | str
    """The operator's signature; given as text, kept parsed."""

    _: KW_ONLY

    meta: Callable[..., Any] | None = None
    """The rule: the arguments, tensors replaced by their specs -> the outputs' specs, or the TensorIterator
    that walks them.  It makes all checks.
    """

    kernel: Callable[..., Any] | None = None
    """The reference's: computes outputs that are there, given first, from the arguments; or walks."""

    view: Callable[..., Any] | None = None
    """The first argument's spec and the other arguments -> (spec, offset) of an alias, or a list of those."""

    composite: Callable[..., Any] | None = None
    """The operator as a function of tensors, made of operators that autograd sees."""

    explicit: Callable[..., Any] | None = None
    """The operator as a function of tensors, below autograd."""

    kernel_of: str = ""
    """The operator whose kernel this one runs, where the two differ in their arguments only."""

    launches: str | None = None
    """Of an ``explicit`` function: all it does is to make its result, or to write to its first argument, by
    one launch of this operator's kernel at most (by none: ""), and specs, numbers and the like decide which:
    so a plan can repeat the launch without the function.
    """

    identity: Any = None
    """What a reduction of nothing gives."""

    derivatives: dict[str, Callable[..., Any]] | None = None
    """An argument's name -> the formula of its gradient; see autograd/variable_type.py.  None: not
    implemented; {}: the outputs never require grad.
    """

    linear: tuple[str, ...] | Callable[..., tuple[str, ...]] = ()
    """In which arguments the operator is linear, so that forward mode applies it to their tangents.
    ``("self other",)``: in both at once, as a sum is; ``("self", "other")``: in each for itself, as a product
    is.  A function of the arguments: for these.  It could be derived: this is the same, and quicker.
    """

    non_differentiable_outputs: tuple[int, ...] = ()
    """Positions of outputs that never require grad."""

    node_name: str = ""
    """The Node's name, where it is not the operator's with "Backward0"."""

    batching: Batching | BatchingRule = Batching()
    """How the operator runs on many examples at once."""

    numbers: Numbers | NumbersFor = Numbers()
    """What Python numbers among the arguments are."""

    inputs: Inputs = Inputs()
    """How inputs are made ready for the kernel."""

    inplace: Inplace | bool | str = Inplace(False)
    """The variant that writes to ``self``."""

    out: Out | str = Out("")
    """The variant with ``out=``."""

    separate: tuple[str, ...] = ()
    """Arguments that are still read when an element has been written: what is written to, by ``out=`` or in
    place, may not even be one of them.
    """

    written_with: Mapping[str, str] = field(default_factory=dict)
    """Arguments that the schema marks as written to, and that are so only where another one, named beside, is
    given.
    """

    variants: str = ""
    """"function", "method" or both, as in native_functions.yaml; by default both for an operator on
    ``self``.
    """

    python_module: str = ""
    """"nn" for what is found in nn.functional rather than in gnomon itself."""

    doc: str = ""
    """The docstring of the function and the method; "The same as ``x``" refers to another's."""

    base: OpOverload | None = None
    """Of an in-place or ``out=`` variant: the functional operator, whose record says the rest."""

    # What follows from the facts above.

    kernel_name: str = field(init=False)
    """Under which name backends have the kernel."""

    kernel_positions: tuple[int, ...] = field(init=False)
    """Where in the schema the arguments stand that a kernel without a walk is given."""

    written_positions: tuple[int, ...] = field(init=False)
    """Where the arguments stand that the operator writes to beside what it returns."""

    written_with_positions: dict[int, int] = field(init=False)
    """``written_with`` by positions."""

    separate_positions: tuple[int, ...] = field(init=False)
    """``separate`` by positions."""

    dtype_position: int | None = field(init=False)
    """Where the argument stands that the output's dtype may stand for; None: there is none."""

    wide_positions: tuple[int, ...] = field(init=False)
    """``numbers.wide`` by positions."""

    held_positions: tuple[int, ...] = field(init=False)
    """``numbers.held`` by positions."""

    def __post_init__(self) -> None:
        """Make groups of shorthands, check what is named, and derive what follows."""
        schema = FunctionSchema(self.schema) if isinstance(self.schema, str) else self.schema
        numbers = _group(Numbers, self.numbers)
        batching = _group(Batching, self.batching)
        out = _group(Out, self.out)
        _check(schema, "numbers", numbers.stand_for, NumbersFor)
        _check(schema, "batching", batching.rule, BatchingRule)
        if not callable(self.linear):
            _positions(schema, [name for group in self.linear for name in group.split()])
        _positions(schema, self.inputs.expanded)
        self._set(
            schema=schema,
            batching=batching,
            numbers=numbers,
            inplace=_group(Inplace, self.inplace),
            out=out,
            variants=self.variants or _default_variants(schema),
            doc=inspect.cleandoc(self.doc) if "\n" in self.doc else self.doc,
            kernel_name=self.kernel_of or schema.full_name,
            kernel_positions=_kernel_positions(schema),
            written_positions=_written_positions(schema),
            written_with_positions=dict(
                zip(_positions(schema, self.written_with), _positions(schema, self.written_with.values()))
            ),
            separate_positions=_positions(schema, self.separate),
            dtype_position=_positions(schema, ("dtype",))[0] if out.gives_dtype else None,
            wide_positions=_positions(schema, numbers.wide),
            held_positions=_positions(schema, numbers.held),
        )

    def _set(self, **facts: Any) -> None:
        """What __init__ may do, and nothing after it: the record is frozen."""
        for name, value in facts.items():
            object.__setattr__(self, name, value)


def _group(kind: Any, given: Any) -> Any:
    """The group that is given, or of which the first fact is."""
    return given if isinstance(given, kind) else kind(given)


def _check(schema: FunctionSchema, name: str, given: str, allowed: Any) -> None:
    if given not in get_args(allowed):
        expected = ", ".join(repr(each) for each in get_args(allowed) if each)
        raise ValueError(f"{schema.full_name}: {name} may be {expected}, but is {given!r}")


def _positions(schema: FunctionSchema, names: Iterable[str]) -> tuple[int, ...]:
    """Where the arguments of these names stand."""
    positions = []
    for name in names:
        found = [place for place, argument in enumerate(schema.arguments) if argument.name == name]
        if not found:
            raise ValueError(f"{schema.full_name}: there is no argument {name!r}")
        positions += found
    return tuple(positions)


def _default_variants(schema: FunctionSchema) -> str:
    first = schema.arguments[0] if schema.arguments else None
    on_self = first is not None and first.name == "self" and first.type == "Tensor" and not first.is_list
    return "function, method" if on_self else "function"


def _kernel_positions(schema: FunctionSchema) -> tuple[int, ...]:
    return tuple(
        [
            position
            for position, argument in enumerate(schema.arguments)
            if argument.type not in _NOT_FOR_KERNELS and argument.name != "pin_memory"
        ]
    )


def _written_positions(schema: FunctionSchema) -> tuple[int, ...]:
    if schema.is_inplace or schema.is_out:
        return ()
    return tuple(
        [
            position
            for position, argument in enumerate(schema.arguments)
            if argument.alias is not None and argument.alias.is_write
        ]
    )
