"""Record: the complete definition of one operator, with each property declared once.

A record contains the schema (exactly PyTorch's), the meta function, the reference kernel, the derivative
formulas, and properties that most operators do not need.  Besides the schema, a record has one of:

- ``meta`` and ``kernel``: the usual case, a structured kernel.
- ``view``: a function that computes the geometry of an alias of the first argument.
- ``composite``: a function of tensors that calls other operators, which autograd records
  (CompositeImplicitAutograd).
- ``explicit``: a function of tensors that runs below autograd, with its own derivative formulas or none
  (CompositeExplicitAutograd).

An operator may also write to arguments, which its schema annotates (``Tensor(a!)``): ``_fused_adam_`` returns
nothing, so its ``meta`` returns ().  A backend's kernel gets the written arguments as outputs, after the
returned ones; the record's ``kernel`` gets them among the arguments only.

Related fields form a group (``Out``, ``Inplace``, ``Numbers``, ``Inputs``, ``Batching``).  A group other
than ``Inputs`` of which only the first field is set may be written as the value of that field: ``out="out"``
is ``out=Out("out")``.

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

# Arguments of these types are properties of the output, which the kernel gets, so they are not passed to it.
_NOT_FOR_KERNELS = frozenset({"ScalarType", "Layout", "Device", "MemoryFormat"})

NumbersFor = Literal["", "other", "either", "both", "src"]
BatchingRule = Literal[
    "", "leading", "along", "over_all", "sized", "folded", "for_each", "composed", "random", "dynamic_shape"
]


@dataclass(frozen=True, slots=True)
class Out:
    """The ``out=`` variant, and which outputs it accepts."""

    overload: str = "out"
    """Its overload name, or its whole schema if its outputs are not named ``out``; "": there is no such
    variant.
    """

    _: KW_ONLY

    exact: bool = False
    """The output must have the result's dtype; by default the result is cast to the output's dtype."""

    dtypes: tuple[dtype, ...] = ()
    """The only dtypes that an output may have; (): every dtype to which the result can be cast."""

    cast_error: type[Exception] = RuntimeError
    """The exception that is raised if the result cannot be cast to the output's dtype."""

    row_major: bool | Callable[..., bool] = False
    """A resized output is contiguous; by default it gets the memory order of the functional result.  A
    function of the arguments may decide it for each call.
    """

    gives_dtype: bool = False
    """An omitted ``dtype`` argument defaults to the dtype of the output, or of ``self`` in place."""


@dataclass(frozen=True, slots=True)
class Inplace:
    """The in-place variant: ``add_`` of ``add``."""

    overload: bool | str = True
    """Its overload name; True: the one of the functional operator; False: there is no such variant."""

    _: KW_ONLY

    on_expanded: bool | Callable[..., Any] = False
    """What happens if ``self`` is expanded.  False: RuntimeError.  True: the kernel writes to it, after a
    deprecation warning.  A function of the arguments: it is called instead of the kernel.
    """

    updates: bool = False
    """Does the kernel change a copy of ``self``?  By the trait "updates" it is given ``self`` itself."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """Python numbers as arguments: which tensors they may replace, and how they are rounded."""

    stand_for: NumbersFor = ""
    """Which tensor arguments may be wrapped numbers.  ``other``, ``src``: that argument.  ``either``:
    ``self`` and ``other``, if at least one argument is a tensor.  ``both``: ``self`` and ``other``, even if
    no argument is a tensor.  An in-place variant accepts a number for ``other`` only.
    """

    _: KW_ONLY

    fit: bool = False
    """The meta function refuses wrapped numbers that overflow the common dtype, so that a plan, which does
    not call it, is not used for large numbers.
    """

    wide: tuple[str, ...] = ()
    """Operands that a float16 or bfloat16 kernel uses in float32, its opmath type, if they are Python numbers
    or 0-dim tensors of another dtype.  Other operands are converted to the common dtype.
    """

    held: tuple[str, ...] = ()
    """``Scalar`` arguments that are rounded to the common dtype if it is float16 or bfloat16, although the
    kernel computes in float32 (``Scalar.to<scalar_t>()`` instead of ``to<opmath_t>()``).
    """


@dataclass(frozen=True, slots=True)
class Inputs:
    """How tensor arguments are prepared for a kernel that takes no TensorIterator."""

    _: KW_ONLY

    expanded: tuple[str, ...] = ()
    """Arguments that are expanded to the output's sizes."""

    promoted: bool = False
    """All tensors are converted to the output's dtype, the result of type promotion."""


@dataclass(frozen=True, slots=True)
class Batching:
    """The operator's batching rule under vmap (func/batching_rules.py), if it cannot be derived."""

    rule: BatchingRule = ""
    """The kind of rule; "": it is derived from the other fields, or written for this operator (``rule_of``).

    ``leading``: the operator accepts any number of leading dimensions.
    ``along``: it works along the dimensions in its arguments, such as ``dim``, which are shifted by one.
    ``over_all``: the same, or over all elements of an example if ``dim`` is not given.
    ``sized``: its arguments are the sizes of its result, and dimensions of the result.
    ``folded``: a layer without parameters on (N, C, *); the batch is folded into N.
    ``for_each``: it creates a tensor, one for each example.
    ``composed``: its ``explicit`` function only calls other operators through the dispatcher.
    ``random``: it draws random numbers.
    ``dynamic_shape``: the sizes of its result depend on data, so vmap raises RuntimeError.
    """

    ndim: int = 0
    """For ``leading``: the least number of dimensions of an example.  For ``folded``: how many dimensions
    (N, C, *) has, since an example may also be (C, *); 0: it is always (N, C, *).
    """


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """The definition of one operator: the ``record`` of an OpOverload.

    Raises TypeError for an unknown field, ValueError for an invalid value or for the name of an argument that
    is not in the schema.
    """

    schema: FunctionSchema | str
    """The operator's schema, as in native_functions.yaml.  Text is parsed."""

    _: KW_ONLY

    meta: Callable[..., Any] | None = None
    """The meta function.  It is called with the arguments, each tensor replaced by its spec; it makes all
    checks, and returns the output specs or a TensorIterator that has computed them.
    """

    kernel: Callable[..., Any] | None = None
    """The reference kernel, which writes to allocated outputs: ``kernel(*outputs, *arguments)``, or if
    ``meta`` returns a TensorIterator, ``kernel(iterator, *arguments)`` without the tensor arguments.
    """

    view: Callable[..., Any] | None = None
    """The function of a view operator.  It is called like ``meta``, and returns (spec, offset) of an alias of
    the first argument, or a list of those; the offset is relative to that argument's.
    """

    composite: Callable[..., Any] | None = None
    """The operator as a function of tensors that calls other operators; autograd records those."""

    explicit: Callable[..., Any] | None = None
    """The operator as a function of tensors that runs below autograd, on every backend."""

    kernel_of: str = ""
    """The operator whose kernel this one runs, if the two differ in their arguments only: ``sum`` runs the
    kernel of ``sum.dim_IntList``.
    """

    launches: str | None = None
    """Declares that an ``explicit`` function does no more than create its result, or write to its first
    argument, with at most one launch, of the kernel of this operator ("": without a launch).  The launch may
    depend on specs and on arguments that are not tensors, but not on data, so that a plan can repeat it
    without calling the function.  None: nothing is declared.
    """

    identity: Any = None
    """The result of a reduction over no elements; for a result that is not complex, the real part of it.  For
    integers, 0 also means that the operator is a sum, and 1 a product (calls/pieces.py).
    """

    derivatives: dict[str, Callable[..., Any]] | None = None
    """The derivative formulas, as in derivatives.yaml: the name of an argument, or of several (``"input,
    weight, bias"``), -> the formula of the gradients.  autograd/variable_type.py explains the parameters of a
    formula.  None: there are none, so backward raises RuntimeError (a ``composite`` needs none); {}: the
    outputs never require grad.
    """

    linear: tuple[str, ...] | Callable[..., tuple[str, ...]] = ()
    """The arguments in which the operator is linear: forward mode applies it to their tangents, like
    ``auto_linear`` in derivatives.yaml.  ``("self other",)``: jointly linear, like a sum;
    ``("self", "other")``: linear in each of them, like a product.  It may also be a function of the arguments
    that returns this.  If it is omitted, forward mode uses the derivative formulas: the result is the same,
    but takes longer.
    """

    tangent_from_ones: bool = False
    """Whether forward mode differentiates the derivative formulas at a gradient of ones, not zeros: for
    formulas that are linear in the gradient, but compute with its logarithm.
    """

    non_differentiable_outputs: tuple[int, ...] = ()
    """Positions of outputs that never require grad (``output_differentiability`` in derivatives.yaml)."""

    node_name: str = ""
    """The name of the Node's class, if it is not derived from the operator's: ``AddBackward0`` of ``add``."""

    batching: Batching | BatchingRule = Batching()
    """How vmap runs the operator on a batch of examples."""

    limited: tuple[dtype, ...] = ()
    """The dtypes of LIMITED (values/dtype.py) that the kernel takes, also as an output's; it refuses others.
    They are checked after the conversion to the common dtype, so a function of uint16 that computes in
    float32 does not name it.  Views, and functions that call other operators, have none.
    """

    numbers: Numbers | NumbersFor = Numbers()
    """Which arguments may be Python numbers, and how these are rounded."""

    inputs: Inputs = Inputs()
    """How tensor arguments are prepared for the kernel."""

    inplace: Inplace | bool | str = Inplace(False)
    """The in-place variant."""

    out: Out | str = Out("")
    """The ``out=`` variant."""

    separate: tuple[str, ...] = ()
    """Arguments that the kernel still reads after it has written elements.  The tensor that is written to, in
    place or by ``out=``, must not overlap them at all (``assert_no_overlap``); with other arguments it may
    share all its elements (``assert_no_partial_overlap``).
    """

    written_with: Mapping[str, str] = field(default_factory=dict)
    """Arguments that the schema annotates as written, although they are written only if another argument is
    given, -> the name of that argument.
    """

    variants: str = ""
    """``function``, ``method``, or ``function, method``, as in native_functions.yaml; by default both if the
    first argument is ``Tensor self``, else ``function``.
    """

    python_module: str = ""
    """The module of the Python function, as in native_functions.yaml: ``nn`` for nn.functional, ``linalg``,
    ``fft``; "": gnomon itself.
    """

    doc: str = ""
    """The text for the docstrings of the function and the method; ``documentation`` (bindings/functions.py)
    adds the signatures, the texts of shared meta functions, and the source.
    """

    base: OpOverload | None = None
    """For an in-place or ``out=`` variant: the functional operator, whose record has all other fields."""

    # Derived from the fields above.

    kernel_name: str = field(init=False)
    """The name under which backends register the kernel."""

    kernel_positions: tuple[int, ...] = field(init=False)
    """Positions of the arguments that are passed to a kernel; one with a TensorIterator gets only those that
    are not tensors.
    """

    written_positions: tuple[int, ...] = field(init=False)
    """Positions of the arguments that the operator writes to; () for an in-place or ``out=`` variant."""

    written_with_positions: dict[int, int] = field(init=False)
    """``written_with`` as positions."""

    separate_positions: tuple[int, ...] = field(init=False)
    """``separate`` as positions."""

    dtype_position: int | None = field(init=False)
    """The position of ``dtype`` if the output's dtype is its default (``out.gives_dtype``), else None."""

    wide_positions: tuple[int, ...] = field(init=False)
    """``numbers.wide`` as positions."""

    held_positions: tuple[int, ...] = field(init=False)
    """``numbers.held`` as positions."""

    def __post_init__(self) -> None:
        """Expand shorthands into groups, check all names, and compute the derived fields."""
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
        """Set fields of the frozen record; only ``__post_init__`` calls this."""
        for name, value in facts.items():
            object.__setattr__(self, name, value)


def _group(kind: Any, given: Any) -> Any:
    """``given`` if it is a group, else the group with ``given`` as its first field."""
    return given if isinstance(given, kind) else kind(given)


def _check(schema: FunctionSchema, name: str, given: str, allowed: Any) -> None:
    if given not in get_args(allowed):
        expected = ", ".join(repr(each) for each in get_args(allowed) if each)
        raise ValueError(f"{schema.full_name}: {name} must be one of {expected}, got {given!r}")


def _positions(schema: FunctionSchema, names: Iterable[str]) -> tuple[int, ...]:
    """The positions of the arguments with these names.  Raises ValueError for an unknown name."""
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
