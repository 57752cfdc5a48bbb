"""Random programs: a few statements on tensors, differentiated in one of several ways.

A program is text that both libraries run.  ``L`` is the library, ``F`` its nn.functional.  If a statement
fails, its kind of exception is compared, and the program continues.
"""

from __future__ import annotations

import ast
import functools
import random
import re
import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from gnomon.values.schema import REQUIRED
from gnomon_conformance.collection.selection import operators
from gnomon_conformance.comparison.differences import failure_differences, result_differences
from gnomon_conformance.comparison.tolerances import eps_of
from gnomon_conformance.execution.runner import SEED, Failure, TensorOutcome, failure_of
from gnomon_conformance.inputs.description import (
    COMPLEX,
    FLOATS,
    HURTING,
    LAYOUTS,
    MORE_LAYOUTS,
    stored,
    tensor,
)
from gnomon_conformance.pytorch.against_pytorch import CRASHES_TWICE, compares_numbers
from gnomon_conformance.pytorch.departures import OWN_OPERATORS

from .calls import magnitude, telling_strides

NAME = "program"  # of all programs, in place of an operator's name
SIZES = ((3, 3), (3, 3), (3, 3), (3,), (1, 3), (3, 1), (), (2, 3, 3), (0, 3))
PLAIN = ("normal", "normal", "normal", "nonzero", "positive", "unit", "distinct")
DTYPES = ("float64",) * 6 + ("float32",) * 3 + ("complex128", "float16", "bfloat16")
DOUBLES = ("float64", "complex128")
NUMBERS = ("0.5", "2.0", "-1.5", "3", "-1", "0", "1", "-0.0", "inf", "nan", "1e308", "1e-45", "2**62")
# The last variable of a program, or its sum, is differentiated.
ENDINGS = (
    *("backward",) * 4,
    *("twice", "vjp", "jvp", "hessian", "jacrev", "jacfwd", "vmap", "vmap of grad", "jvp of grad", "no_grad"),
)
TRANSFORMS = frozenset(ENDINGS) - {"backward", "twice", "no_grad"}
REAL_ENDINGS = ("hessian", "jacrev", "jacfwd")  # PyTorch supports these only for real numbers
# The order of writes to partial overlaps is unspecified; for expanded tensors PyTorch's transforms cannot
# write the tangent, and its vmap copies.
LAYOUTS_OF_INPUTS = (*LAYOUTS, *(each for each in MORE_LAYOUTS if each not in ("overlapping", "varied")))
ON_LEAVES = ("{a}.requires_grad_()", "{a}.detach_()")  # PyTorch's transforms do not allow these
PLACES = "L.tensor([2, 0, 1])"
BY_ROWS = "L.tensor([[2, 0, 1], [0, 0, 2], [1, 1, 1]])"
VIEWS = (
    *("{a}[1:]", "{a}[..., 0]", "{a}[None]", "{a}[:, 1:]", "{a}[-1]", "{a}[::2]"),
    *("{a}.transpose(0, {d})", "{a}.mT", "{a}.expand(3, 3)", "{a}.reshape(-1)", "{a}.view(-1)"),
    *("{a}.view(3, 3)", "{a}.unfold(0, 2, 1)", "{a}.diagonal()", "{a}.select({d}, 1)"),
    *("{a}.narrow({d}, 1, 2)", "{a}.squeeze()", "{a}.unsqueeze({d})", "{a}.detach()"),
    *("{a}.chunk(3, {d})[1]", "{a}.unbind({d})[0]", "{a}.split(2, {d})[-1]", "{a}.flatten()"),
    *("{a}.as_strided((2, 2), (1, 2))", "{a}.view_as({b})", "{a}.expand_as({b})"),
    *("{a}.movedim(0, {d})", "{a}.unflatten({d}, (1, -1))", "{a}.contiguous()", "{a}.permute(1, 0)"),
    "{a}.hsplit([1])[1]",
)
IN_PLACE = (
    *("{a}.mul_({b})", "{a}.add_({b}, alpha={n})", "{a}[0] = {n}", "{a}[..., 1] = {b}"),
    *("{a}.copy_({b})", "{a}.zero_()", "{a}.fill_({n})", "{a}.exp_()", "{a}.sigmoid_()"),
    *("{a}.clamp_(min={n})", "{a}.tanh_()", "{a}.masked_fill_({b} > 0, {n})"),
    *("{a}.index_add_(0, {places}, {b})", "{a}.sub_({b})", "{a}.relu_()"),
    *("{a}.scatter_(0, {rows}, {b})", "{a}.scatter_add_(1, {rows}, {b})", "{a}.div_({b})"),
    *("{a}.addcmul_({b}, {c}, value={n})", "{a}.pow_({n})", "{a}.transpose_(0, {d})"),
    *("{a}.unsqueeze_({d})", "{a} += {b}", "{a} *= {n}", "{a}[{b} > 0] = {n}"),
    *("{a}.index_copy_(0, {places}, {b})", "{a}.index_fill_({d}, {places}, {n})"),
    *("{a}.cumsum_({d})", "{a}.sqrt_()", "{a}.abs_()", "{a}.neg_()"),
    *("{a}.index_put_(({places},), {b}, accumulate=True)", "{a}.requires_grad_()", "{a}.detach_()"),
    *("{a}[{places}] = {b}", "{a}.squeeze_()", "{a}.tril_()", "{a}.reciprocal_()"),
    "{a}.diagonal().mul_({n})",
)
VALUES = (
    *("L.where({a} > {b}, {a}, {c})", "L.cat([{a}, {b}], {d})", "L.stack([{a}, {b}, {a}], {d})"),
    *("{a} @ {b}", 'L.einsum("...ij,...jk->...ik", {a}, {b})', "{a}.softmax({d})"),
    *("{a}.log_softmax({d})", "{a}.cumsum({d})", "{a}.cumprod({d})", "{a}.logsumexp({d})"),
    *("{a}.norm({n})", "{a}.norm(2, {d})", "{a}.var({d})", "{a}.std({d})", "{a}.sort({d})[0]"),
    *("{a}.topk(2, {d})[0]", "{a}.max({d})[0]", "{a}.amax({d})", "{a}.prod({d})"),
    *("{a}.gather(0, {rows})", "{a}.index_select({d}, {places})", "{a}[{places}]", "{a}[{a} > 0]"),
    *("{a}.clone()", "{a} ** {n}", "{a} ** {b}", "L.atan2({a}, {b})", "L.hypot({a}, {b})"),
    *("{a} % {b}", "{a} * {b}", "{a} / {b}", "{a} - {b}", "{n} / {a}", "{n} - {a}"),
    *("L.maximum({a}, {b})", "L.fmin({a}, {b})", "L.lerp({a}, {b}, {n})", "L.clamp({a}, {b}, {c})"),
    *("{a}.tril()", "{a}.roll(1, {d})", "{a}.flip({d})", "{a}.repeat(2, 1)", "L.outer({a}, {b})"),
    *("L.addmm({a}, {b}, {c}, beta={n})", "L.linalg.vector_norm({a}, {n})", "L.kron({a}, {b})"),
    *("L.cdist({a}, {b})", "F.layer_norm({a}, (3,))", "F.normalize({a}, dim={d})", "F.gelu({a})"),
    *("F.elu({a})", "F.cosine_similarity({a}, {b}, dim={d})", "{a}.median({d})[0]"),
    *("{a}.cummax({d})[0]", "{a}.mean({d})", "{a}.trace()", "L.diag_embed({a})"),
    *("L.masked_fill({a}, {b} > 0, {n})", "{a}.unique()", "{a}.nansum({d})", "F.mse_loss({a}, {b})"),
    *("F.huber_loss({a}, {b})", "F.cross_entropy({a}, {places})", "{a}.round()"),
    *("F.binary_cross_entropy_with_logits({a}, {b})", "F.kl_div({a}, {b})", "F.pad({a}, (1, 2))"),
    *("{a}.sum()", "F.conv1d({a}[None], {b}[None])", "F.avg_pool1d({a}[None], 2)"),
    *("F.max_pool1d({a}[None], 2)", "F.scaled_dot_product_attention({a}, {b}, {c})"),
    *("F.linear({a}, {b}, {c})", "F.softplus({a})", "F.interpolate({a}[None], scale_factor=2.0)"),
    *("{a}.abs()", "{a}.sign()", "{a}.to(L.float32)", "L.copysign({a}, {b})", "L.xlogy({a}, {b})"),
    "{a}.conj()",
)
# Operators that programs do not call: others call them, or they crash PyTorch's process.
NOT_CALLED = re.compile(
    r".*_backward.*|_?fft.*|_foreach.*|_fused.*|_linalg.*|linalg_svd.*|_(un)?safe.*|resize.*|set_|_pdist.*|"
    r"_?cdist.*|.*dropout.*|.*_like|new_.*|_ctc.*|.*ctc_loss.*|_scaled_dot.*|_?embedding_.*|empty.*|result_type.*|"
    r"lift_fresh|rrelu|_pad_circular|argwhere|item|_local_scalar_dense|is_.*|to|_to_copy|.*copy|_assert.*|"
    r".*batch_norm.*|_weight_norm.*|isin|one_hot|nonzero_static|unsafe_.*|"
    r"_reshape_alias|_unsafe_view|_conj|_neg_view|size|stride|.*numel|storage_offset|equal|allclose|isclose|data|"
    # other layouts: PyTorch has no such kernels for the strided tensors of programs
    r".*sparse.*|_to_dense|.*mkldnn.*|.*quantize.*|q_per_channel.*|int_repr|"
    # no kernel, no derivative, factors of any sign, eigenvalues in any order, or unchecked indices
    r"_lu_with_info|histogram.*|linalg_pinv|qr|linalg_eigvals|_dirichlet_grad|_standard_gamma_grad|_convert_ind.*"
)


class Program(NamedTuple):
    """``inputs`` are calls of ``t``, for v0, v1 and so on; ``dtype`` is their dtype."""

    inputs: tuple[str, ...]
    statements: tuple[str, ...]
    ending: str
    dtype: str

    def __str__(self) -> str:
        made = [f"v{place} = {text}" for place, text in enumerate(self.inputs)]
        return f"{NAME}: {'; '.join([*made, *self.statements, self.ending])}  # {self.dtype}"

    def name(self) -> str:
        """The name used in place of an operator's."""
        return NAME

    def without(self, place: int) -> Program:
        """The program without one of its statements, whose result is replaced by the first input."""
        statement = self.statements[place]
        rest = [*self.statements[:place], *self.statements[place + 1 :]]
        target = _target(statement)
        if target is not None:
            rest = [re.sub(rf"\b{target}\b", "v0", each) for each in rest]
        inputs = list(self.inputs)
        while len(inputs) > 1 and not any(re.search(rf"\bv{len(inputs) - 1}\b", each) for each in rest):
            inputs.pop()
        return self._replace(inputs=tuple(inputs), statements=tuple(rest))


def parse(text: str) -> Program:
    """The program with this text."""
    body, _, dtype = text.removeprefix(f"{NAME}: ").rpartition("  # ")
    *lines, ending = body.split("; ")
    count = 0
    while count < len(lines) and lines[count].startswith(f"v{count} = t("):
        count += 1
    inputs = tuple(line.partition(" = ")[2] for line in lines[:count])
    return Program(inputs, tuple(lines[count:]), ending, dtype)


def _target(statement: str) -> str | None:
    """The variable that a statement assigns; None for a statement that modifies a tensor."""
    found = re.match(r"(v\d+) = ", statement)
    return found[1] if found else None


# ---------------------------------------------------------------------------------------------------------
# Generating.


def draw(rng: random.Random) -> Program:
    """Generate a program."""
    ending = rng.choice(ENDINGS)
    dtype = rng.choice([each for each in DTYPES if each not in COMPLEX or ending not in REAL_ENDINGS])
    inputs = tuple(_input(rng, ending) for _ in range(rng.choice((1, 2, 2, 3))))
    statements: list[str] = []
    count = len(inputs)
    for _ in range(rng.choice((1, 2, 3, 4, 5, 6, 8))):
        text, makes = _statement(rng, count, ending)
        statements.append(f"v{count} = {text}" if makes else text)
        count += makes
    return Program(inputs, tuple(statements), ending, dtype)


def _input(rng: random.Random, ending: str) -> str:
    # PyTorch's transforms refuse empty tensors, each differently
    words = [str(size) for size in rng.choice(SIZES[:-1] if ending in TRANSFORMS else SIZES)]
    values = rng.choice(PLAIN if rng.random() < 0.75 else ("special", *HURTING))
    words += [f'values="{values}"'] if values != "normal" else []
    without = ("expanded", "mixed") if ending in TRANSFORMS else ()
    layouts = [each for each in LAYOUTS_OF_INPUTS if each not in without]
    words += [f'layout="{rng.choice(layouts)}"'] if rng.random() < 0.4 else []
    return f"t({', '.join(words)})"


def _statement(rng: random.Random, count: int, ending: str) -> tuple[str, bool]:
    """A statement, and whether it assigns a new variable."""
    way = rng.random()
    if way < 0.3:
        return _operator_call(rng, count), True
    kind = VIEWS if way < 0.5 else IN_PLACE if way < 0.7 else VALUES
    text = rng.choice(kind)
    if text in ON_LEAVES and ending in TRANSFORMS:
        text = "{a}.neg_()"
    a, b, c = (_variable(rng, count) for _ in "abc")
    names = {"a": a, "b": b, "c": c, "places": PLACES, "rows": BY_ROWS}
    numbers = {"d": rng.choice((0, 0, 1, -1)), "n": rng.choice(NUMBERS)}
    return text.format(**names, **numbers), kind is not IN_PLACE


def _variable(rng: random.Random, count: int) -> str:
    """A variable, with higher probability for the later ones."""
    return f"v{count - 1 - min(int(rng.expovariate(0.7)), count - 1)}"


@functools.cache
def _callable() -> tuple[Any, ...]:
    """The operators that a program may call."""
    return tuple(
        operator
        for name, operator in sorted(operators().items())
        if name not in OWN_OPERATORS
        and not NOT_CALLED.fullmatch(operator.schema.name)
        and not CRASHES_TWICE.match(name)
        and compares_numbers(name)
        and not any(argument.is_written for argument in operator.schema.arguments)
        and any(argument.is_tensor for argument in operator.schema.arguments)
        and operator.schema.returns  # a call that only checks makes no variable
        and all(each.type == "Tensor" for each in operator.schema.returns)
        and name != "tensor_split.tensor_indices_or_sections"  # PyTorch's transforms split differently
    )


def _operator_call(rng: random.Random, count: int) -> str:
    operator = rng.choice(_callable())
    words = []
    for argument in operator.schema.arguments:
        is_number = argument.type in ("int", "SymInt", "bool", "float", "Scalar")
        is_drawn = is_number and argument.name != "dropout_p"  # random numbers differ from PyTorch's
        if argument.default is not REQUIRED and (not is_drawn or rng.random() < 0.6):
            continue
        words.append(f"{argument.name}={_argument(rng, argument, count)}")
    overload = operator.schema.overload_name or "default"
    call = f"L.ops.aten.{operator.schema.name}.{overload}({', '.join(words)})"
    returned = operator.schema.returns
    return f"{call}[0]" if len(returned) > 1 or returned[0].is_list else call


def _argument(rng: random.Random, argument: Any, count: int) -> str:
    """The text of a value for an argument of a schema."""
    if argument.is_tensor:
        if argument.is_list:
            return f"[{', '.join(_variable(rng, count) for _ in range(2))}]"
        if re.search("ind(ex|ices)", argument.name):
            return rng.choice((PLACES, BY_ROWS))
        return (
            f"{_variable(rng, count)} > 0"
            if argument.name in ("mask", "condition")
            else _variable(rng, count)
        )
    if argument.is_optional and rng.random() < 0.5:
        return "None"
    if argument.name == "reduction":  # other numbers are invalid, and treated differently by each loss
        return rng.choice("012")
    if argument.type in ("ScalarType", "MemoryFormat"):
        return "L.float64" if argument.type == "ScalarType" else "L.contiguous_format"
    number = {
        "bool": lambda: str(rng.random() < 0.5),
        "float": lambda: rng.choice((*NUMBERS[:7], "inf", "nan")),
        "Scalar": lambda: rng.choice(NUMBERS),
        "str": lambda: '"floor"',
    }.get(argument.type, lambda: str(rng.choice((0, 1, 2, -1, 3))))
    if argument.is_list:
        return f"[{', '.join(number() for _ in range(rng.choice((1, 2, 2))))}]"
    return number()


# ---------------------------------------------------------------------------------------------------------
# Running.


class Run(NamedTuple):
    """The outcome of a program: the failures of its parts, and its tensors, by the name of a part."""

    failures: dict[str, Failure]
    tensors: dict[str, Any]


class Machine:
    """A library that runs programs; ``nudge`` changes each input number by that many rounding errors.

    ``plain``: compute the results of a transform without it, one example and one gradient after the other.
    """

    def __init__(self, framework: Any, module: Any, nudge: int = 0, plain: bool = False):
        self.framework = framework
        self.module = module
        self.nudge = nudge
        self.ends = PLAIN_ENDS if plain else ENDS
        self.watch: Any = None  # called before and after each statement (judging.py)

    def make(self, dtype: str, place: int, batched: bool, *sizes: int, **fields: Any) -> Any:
        """Implements ``t(...)``: an input; ``batched``: with a leading dimension of size two."""
        layout = fields.pop("layout", "contiguous")
        contents = stored(tensor(*((2, *sizes) if batched else sizes), **fields), dtype, layout, place)
        if self.nudge:
            step = self.nudge * eps_of(dtype)
            moved = tuple(
                each * (1 + (step if at % 2 else -step)) for at, each in enumerate(contents.numbers)
            )
            contents = contents._replace(numbers=moved)
        return self.framework.build(contents)[1]

    def run(self, program: Program) -> Run:
        """Run a program and record all its results."""
        made = Run({}, {})
        module = self.module
        module.manual_seed(SEED)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            batched = program.ending.startswith("vmap")
            inputs = []
            for place, text in enumerate(program.inputs):
                build = functools.partial(self.make, program.dtype, place, batched)
                inputs.append(eval(text, {"t": build}))
            try:
                self.ends[program.ending](self, program, inputs, made)
            except Exception as error:  # compared with what the other library raises
                made.failures[program.ending] = failure_of(error)
        return made

    def body(self, program: Program, made: Run, variables: dict[str, Any], *inputs: Any) -> Any:
        """Run the statements; return the last tensor.  All variables are stored in ``variables``."""
        variables.update({f"v{place}": each for place, each in enumerate(inputs)})
        names = {"L": self.module, "F": self.module.nn.functional, "inf": float("inf"), "nan": float("nan")}
        last = "v0"
        for statement in program.statements:
            target = _target(statement)
            if self.watch is not None:
                self.watch.before(statement, variables)
            try:
                exec(_compiled(statement), names, variables)
                if target is not None and not self.framework.is_tensor(variables[target]):
                    raise TypeError("no tensor")
            except Exception as error:  # compared with the other library's
                made.failures.setdefault(statement, failure_of(error))
                if target is not None:
                    variables[target] = variables["v0"] * 1
            if self.watch is not None:
                self.watch.after(statement, variables)
            last = target or last
        return variables[last]

    def weighted(self, result: Any, seed: int = 7) -> Any:
        """A scalar that depends on all elements of a result."""
        return (result * self.weights(result, seed)).sum()

    def weights(self, result: Any, seed: int = 7) -> Any:
        """A tensor of fixed numbers with the sizes and dtype of a result."""
        dtype, sizes, *_ = self.framework.observe(result)
        contents = stored(tensor(*sizes, dtype=dtype, values="unit", seed=seed), dtype, "contiguous", 0)
        return self.framework.build(contents)[1]

    def look(self, made: Run, name: str, value: Any, strides: bool = True) -> None:
        """Record a tensor, or each of several."""
        if isinstance(value, (tuple, list)):
            for place, each in enumerate(value):
                self.look(made, f"{name}[{place}]", each, strides)
        elif value is None:
            made.tensors[name] = None
        else:
            dtype, sizes, steps, offset, _ = self.framework.observe(value)
            numbers = self.framework.numbers(value)
            steps = telling_strides(sizes, steps) if strides else ()
            made.tensors[name] = TensorOutcome(dtype, sizes, steps, offset, "", None, numbers)


@functools.cache
def _compiled(statement: str) -> Any:
    return compile(ast.parse(statement), statement, "exec")


def _variables(machine: Machine, program: Program, made: Run, variables: dict[str, Any]) -> None:
    """Record every variable, with the variable that it shares memory with and whether it requires grad."""
    seen: list[tuple[str, Any]] = []
    for name, value in variables.items():
        if not machine.framework.is_tensor(value):
            continue
        machine.look(made, name, value.detach())
        shared = next((other for other, each in seen if machine.framework.shares_memory(value, each)), None)
        seen.append((name, value))
        made.tensors[f"whose memory {name} has"] = shared
        made.tensors[f"whether {name} requires grad"] = value.requires_grad
    for place in range(len(program.inputs)):  # a result's version counter depends on its implementation
        made.tensors[f"the version of v{place}"] = machine.framework.version(variables[f"v{place}"])


End = Callable[["Machine", Program, list[Any], Run], None]


def _end_backward(machine: Machine, program: Program, inputs: list[Any], made: Run) -> None:
    leaves = [each.requires_grad_() for each in inputs]
    variables: dict[str, Any] = {}
    result = machine.body(program, made, variables, *leaves)
    _variables(machine, program, made, variables)
    if result.requires_grad:
        machine.framework.backward([result], [machine.weights(result)])
    for place, each in enumerate(leaves):
        machine.look(made, f"the gradient of v{place}", each.grad, strides=False)


def _end_no_grad(machine: Machine, program: Program, inputs: list[Any], made: Run) -> None:
    leaves = [each.requires_grad_() for each in inputs]
    variables: dict[str, Any] = {}
    with machine.module.no_grad():
        machine.body(program, made, variables, *leaves)
    _variables(machine, program, made, variables)


def _end_twice(machine: Machine, program: Program, inputs: list[Any], made: Run) -> None:
    leaves = [each.requires_grad_() for each in inputs]
    result = machine.body(program, made, {}, *leaves)
    if not result.requires_grad:
        return
    first = machine.framework.grad([result], leaves, [machine.weights(result)])
    machine.look(made, "the gradients", [None if each is None else each.detach() for each in first], False)
    roots = [each for each in first if each is not None and each.requires_grad]
    second: Any = [None] * len(leaves)
    if roots:
        second = machine.framework.grad(roots, leaves, [machine.weights(each, 8) for each in roots])
    shown = [  # a gradient that is 0 everywhere may also be missing
        machine.module.zeros_like(leaf.detach()) if each is None else each.detach()
        for leaf, each in zip(leaves, second)
    ]
    machine.look(made, "the second gradients", shown, False)


def _function(machine: Machine, program: Program, made: Run) -> Callable[..., Any]:
    return lambda *inputs: machine.body(program, made, {}, *inputs)


def _number(machine: Machine, program: Program, made: Run) -> Callable[..., Any]:
    """The program as a function that returns one real number."""

    def function(*inputs: Any) -> Any:
        result = machine.body(program, made, {}, *inputs)
        result = result.abs() if machine.framework.observe(result)[0] in COMPLEX else result
        return (result * result if program.ending == "hessian" else result).sum()

    return function


def _end_vjp(machine: Machine, program: Program, inputs: list[Any], made: Run) -> None:
    result, pullback = machine.module.func.vjp(_function(machine, program, made), *inputs)
    machine.look(made, "the result", result, False)
    machine.look(made, "the gradients", list(pullback(machine.weights(result))), False)


def _end_jvp(machine: Machine, program: Program, inputs: list[Any], made: Run) -> None:
    tangents = tuple(machine.weights(each) for each in inputs)
    found = machine.module.func.jvp(_function(machine, program, made), tuple(inputs), tangents)
    machine.look(made, "the result", found[0], False)
    machine.look(made, "the tangent", found[1], False)


def _transformed(
    transform: Callable[[Any, Callable[..., Any]], Callable[..., Any]],
    what: str,
    function_of: Callable[[Machine, Program, Run], Callable[..., Any]] = _function,
) -> End:
    """An ending that applies ``transform(func, function)`` to the program as a function."""

    def end(machine: Machine, program: Program, inputs: list[Any], made: Run) -> None:
        transformed = transform(machine.module.func, function_of(machine, program, made))
        machine.look(made, what, transformed(*inputs), False)

    return end


def _end_jvp_of_grad(machine: Machine, program: Program, inputs: list[Any], made: Run) -> None:
    func = machine.module.func
    tangents = tuple(machine.weights(each) for each in inputs)
    found = func.jvp(func.grad(_number(machine, program, made)), tuple(inputs), tangents)
    machine.look(made, "the gradient", found[0], False)
    machine.look(made, "its tangent", found[1], False)


ENDS: dict[str, End] = {
    "backward": _end_backward,
    "no_grad": _end_no_grad,
    "twice": _end_twice,
    "vjp": _end_vjp,
    "jvp": _end_jvp,
    "hessian": _transformed(lambda func, function: func.hessian(function), "the hessian", _number),
    "jacrev": _transformed(lambda func, function: func.jacrev(function), "the jacobian"),
    "jacfwd": _transformed(lambda func, function: func.jacfwd(function), "the jacobian"),
    "vmap": _transformed(lambda func, function: func.vmap(function), "the result"),
    "vmap of grad": _transformed(lambda func, f: func.vmap(func.grad(f)), "the gradient", _number),
    "jvp of grad": _end_jvp_of_grad,
}


# ---------------------------------------------------------------------------------------------------------
# The same endings without transforms.


def _leaves(inputs: Sequence[Any]) -> list[Any]:
    return [each.detach().clone().requires_grad_() for each in inputs]


def _pullback(machine: Machine, root: Any, leaves: Sequence[Any], weight: Any) -> list[Any]:
    """The gradients of a tensor, differentiable again; 0 for leaves that it does not depend on."""
    found = [None] * len(leaves)
    if root.requires_grad:
        found = machine.framework.grad([root], leaves, [weight])
    return [machine.module.zeros_like(leaf) if each is None else each for leaf, each in zip(leaves, found)]


def _jacobian(machine: Machine, root: Any, leaf: Any) -> Any:
    """The derivative of each element of a tensor, by one backward pass per element."""
    eye = machine.module.eye(root.numel(), dtype=root.dtype)
    rows = [_pullback(machine, root, [leaf], row.reshape(root.shape))[0].detach() for row in eye]
    return (
        machine.module.stack(rows).reshape(root.shape + leaf.shape)
        if rows
        else root.new_zeros(root.shape + leaf.shape)
    )


def _plain_vmap(machine: Machine, program: Program, inputs: list[Any], made: Run) -> None:
    function = _function(machine, program, made)
    results = [function(*examples) for examples in zip(*inputs)]
    machine.look(made, "the result", machine.module.stack(results), False)


def _plain_vmap_of_grad(machine: Machine, program: Program, inputs: list[Any], made: Run) -> None:
    found = []
    for examples in zip(*inputs):
        leaves = _leaves(examples[:1])
        value = _number(machine, program, made)(*leaves, *examples[1:])
        found += _pullback(machine, value, leaves, machine.module.ones_like(value))
    machine.look(made, "the gradient", machine.module.stack(found).detach(), False)


def _plain_jacobian(machine: Machine, program: Program, inputs: list[Any], made: Run) -> None:
    """A leaf that is differentiated in reverse mode may not be written to; in forward mode it may."""
    (leaf,) = _leaves(inputs[:1])
    first = leaf if program.ending == "jacrev" else leaf.clone()
    result = _function(machine, program, made)(first, *inputs[1:])
    found = _jacobian(machine, result, leaf)
    machine.look(made, "the jacobian", found.to(result.dtype) if first is not leaf else found, False)


def _plain_hessian(machine: Machine, program: Program, inputs: list[Any], made: Run) -> None:
    (leaf,) = _leaves(inputs[:1])
    value = _number(machine, program, made)(leaf, *inputs[1:])
    (gradient,) = _pullback(machine, value, [leaf], machine.module.ones_like(value))
    machine.look(made, "the hessian", _jacobian(machine, gradient, leaf), False)


def _plain_vjp(machine: Machine, program: Program, inputs: list[Any], made: Run) -> None:
    leaves = _leaves(inputs)
    result = _function(machine, program, made)(*leaves)
    gradients = _pullback(machine, result, leaves, machine.weights(result))
    machine.look(made, "the result", result.detach(), False)
    machine.look(made, "the gradients", [each.detach() for each in gradients], False)


def _plain_jvp(machine: Machine, program: Program, inputs: list[Any], made: Run) -> None:
    """Forward mode by double backward: the derivative of the gradient by its weight is the tangent."""
    leaves = _leaves(inputs)
    result = _function(machine, program, made)(*(each.clone() for each in leaves))
    weight = machine.module.zeros_like(result).requires_grad_()
    gradients = _pullback(machine, result, leaves, weight)
    tangent = sum(
        _pullback(machine, each, [weight], machine.weights(leaf))[0] for each, leaf in zip(gradients, inputs)
    )
    machine.look(made, "the result", result.detach(), False)
    machine.look(made, "the tangent", tangent.detach(), False)


def _plain_jvp_of_grad(machine: Machine, program: Program, inputs: list[Any], made: Run) -> None:
    """Uses that second derivatives are symmetric."""
    leaves = _leaves(inputs)
    value = _number(machine, program, made)(leaves[0], *(each.clone() for each in leaves[1:]))
    gradients = _pullback(machine, value, leaves, machine.module.ones_like(value))
    tangent = sum(
        _pullback(machine, each, leaves[:1], machine.weights(leaf))[0]
        for each, leaf in zip(gradients, inputs)
    )
    machine.look(made, "the gradient", gradients[0].detach(), False)
    machine.look(made, "its tangent", tangent.detach(), False)


PLAIN_ENDS: dict[str, End] = {
    "hessian": _plain_hessian,
    "jacrev": _plain_jacobian,
    "jacfwd": _plain_jacobian,
    "vmap": _plain_vmap,
    "vmap of grad": _plain_vmap_of_grad,
    "vjp": _plain_vjp,
    "jvp": _plain_jvp,
    "jvp of grad": _plain_jvp_of_grad,
}


# ---------------------------------------------------------------------------------------------------------
# Comparing.


# Kinds of exceptions that no argument check raises.
ACCIDENTS = (
    "AttributeError",
    "KeyError",
    "AssertionError",
    "ZeroDivisionError",
    "OverflowError",
    "TypeError",
)


def _is_accident(failure: Failure) -> bool:
    return failure.kinds[0] in ACCIDENTS or "to unpack" in failure.text or "list index" in failure.text


def compare(program: Program, actual: Run, expected: Run, *others: Run) -> list[str]:
    """The differences between two runs, in order; ``others`` are further acceptable runs.

    If both libraries refuse a statement, the kinds of exceptions are not compared, because generated
    arguments often have two faults; comparing single calls covers that.  If some of PyTorch's runs refuse a
    statement and others do not, they continue with different tensors, and later failures are not compared.
    """
    is_one_way = True
    for part in [*program.statements, program.ending]:
        mine, wanted = actual.failures.get(part), expected.failures.get(part)
        problems = failure_differences(mine, wanted, texts=False)
        if any(not failure_differences(mine, each.failures.get(part), texts=False) for each in others):
            is_one_way = is_one_way and not problems
            continue
        if mine is not None and wanted is not None and part != program.ending and not _is_accident(mine):
            continue
        if problems:  # later differences follow from it
            return [f"{part}: {each}" for each in problems] if is_one_way else []
    runs = [each for each in (expected, *others) if each.failures.keys() == actual.failures.keys()]
    runs = [each for each in runs if program.ending not in each.failures]
    least = "float32" if program.dtype in DOUBLES and "L.float32" in str(program) else program.dtype
    found = []
    for name in runs[0].tensors if runs else ():
        mine = actual.tensors.get(name)
        differing = [_differences(name, mine, each.tensors.get(name), least) for each in runs]
        found += differing[0] if all(differing) else []
    return found


def _differences(name: str, mine: Any, wanted: Any, least: str) -> list[str]:
    """The differences of a part that is not a failure."""
    if isinstance(wanted, TensorOutcome) and isinstance(mine, TensorOutcome):
        return result_differences(mine, wanted, bounds_of(wanted, least), name)
    return [] if mine == wanted else [f"{name} is {_shown(mine)}, expected {_shown(wanted)}"]


def _shown(value: Any) -> str:
    return f"a tensor of sizes {value.sizes}" if isinstance(value, TensorOutcome) else repr(value)


def bounds_of(expected: TensorOutcome, dtype: str) -> list[float] | None:
    """The allowed differences of the numbers of a part."""
    if expected.dtype not in FLOATS:
        return None
    finite = [size for size in map(magnitude, expected.numbers or ()) if size < float("inf")]
    eps = max(eps_of(expected.dtype), eps_of(dtype))
    steps = 16 if dtype in ("float16", "bfloat16") else 256
    return [steps * eps * max([1.0, *finite])] * len(expected.numbers or ())


def moved(one: Run, other: Run) -> set[str]:
    """The parts that change by more than a nudge of the inputs should cause: their numbers, and those of what
    depends on them, cannot be compared.
    """
    names = set()
    for name, before in one.tensors.items():
        after = other.tensors.get(name)
        if isinstance(before, TensorOutcome) and isinstance(after, TensorOutcome):
            bounds = bounds_of(before, before.dtype if before.dtype in FLOATS else "float64")
            if result_differences(after, before, bounds, name):
                names.add(name)
    return names


__all__ = [
    *("NAME", "PLAIN_ENDS", "Machine", "Program", "Run"),
    *("bounds_of", "compare", "draw", "moved", "parse"),
]
