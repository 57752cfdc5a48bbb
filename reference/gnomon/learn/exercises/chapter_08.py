"""The exercises of chapter 8: schemas and derivatives."""

from __future__ import annotations

import random
from types import ModuleType
from typing import Any

import gnomon as gn

from ...autograd.gradcheck import GradcheckError
from ...values.schema import REQUIRED, FunctionSchema, _parse_default
from .comparing import Finding, Outcome, compare, difference, differences, equal, nearly, wanted
from .record import Exercise


def mark_parse_schema(module: ModuleType) -> list[str]:
    """Against the parsed schemas of all of gnomon's operators."""
    texts = [operator.schema.text for packet in gn.ops.aten for operator in packet.overloads.values()]
    texts += [
        "neg(Tensor self) -> Tensor",
        "f() -> ()",
        'f.x(*, int a=-1, str b="c", float[] c=[0.5, 2]) -> ()',
    ]
    texts += ["neg(Tensor self)", "neg Tensor self -> Tensor", "", "neg.(Tensor self) -> Tensor"]

    def oracle(text: str) -> Any:
        schema = FunctionSchema(text)
        arguments = [
            (each.name, each.type_text, "none" if each.default is REQUIRED else each.default, each.kwarg_only)
            + (None if each.alias is None else each.alias.name + "!" * each.alias.is_write,)
            for each in schema.arguments
        ]
        return schema.name, schema.overload_name, arguments, [each.type_text for each in schema.returns]

    def own(text: str) -> Any:
        schema = wanted(module, "parse_schema")(text)
        arguments = []
        for each in schema.arguments:
            default: Any = "none"
            if each.default is not None:
                kind = each.type.partition("[")[0].removesuffix("?")
                default = _parse_default(each.default, kind, "[" in each.type)
            arguments.append((each.name, each.type, default, each.kwarg_only, each.alias))
        return schema.name, schema.overload, arguments, list(schema.returns)

    return differences(
        module,
        sorted(set(texts), key=lambda text: (len(text), text)),
        own,
        oracle,
        lambda text: (
            f"parse_schema({text!r}): name, overload, (name, type, default, kwarg_only, alias) of each "
            "argument, types of the results"
        ),
    )


_OPERATORS = {
    "exp": gn.exp,
    "mul": gn.mul,
    "div": gn.div,
    "tanh": gn.tanh,
    "mm": gn.mm,
    "pow": gn.pow,
}


def _operands(rng: random.Random, name: str) -> list[Any]:
    """Random operands of an operator; the exponent of pow is a number."""

    def numbers(*sizes: int) -> Any:
        count = sizes[0] * (sizes[1] if len(sizes) > 1 else 1)
        drawn = [rng.choice([-1, 1]) * rng.choice([0.5, 0.75, 1.0, 1.5, 2.0]) for _ in range(count)]
        return gn.tensor(drawn, dtype=gn.float64).reshape(sizes)

    if name == "mm":
        rows, inner, columns = (rng.randint(1, 3) for _ in range(3))
        return [numbers(rows, inner), numbers(inner, columns)]
    if name == "pow":
        exponent = rng.choice([0, 1, 2, 3, -1, 0.5])
        base = numbers(rng.randint(1, 3)).abs()
        if exponent in (0, 1, 2, 3) and rng.random() < 0.5:
            base = base * 0
        return [base, exponent]
    size = rng.randint(1, 3)
    return [numbers(size) for _ in range(2 if name in ("mul", "div") else 1)]


def _from_formula(formula: Any, operator: Any) -> Any:
    """The operator with the reader's formula as its derivative."""

    class FromFormula(gn.autograd.Function):
        @staticmethod
        def forward(ctx: Any, *inputs: Any) -> Any:
            result = operator(*inputs)
            ctx.save_for_backward(*(each for each in inputs if isinstance(each, gn.Tensor)), result)
            ctx.numbers = [each for each in inputs if not isinstance(each, gn.Tensor)]
            return result

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            *tensors, result = ctx.saved_tensors
            found = formula(grad, *tensors, *ctx.numbers, result)
            return (*found, None) if ctx.numbers else tuple(found)

    return FromFormula.apply


def mark_derivatives(module: ModuleType) -> list[str]:
    """Each formula against autograd's own gradient, and by gradcheck and gradgradcheck."""
    rng = random.Random("derivatives")
    for name, operator in _OPERATORS.items():
        formula = wanted(module, name)
        cases = sorted((_operands(rng, name) for _ in range(40)), key=lambda case: len(repr(case)))

        def expected(case: list[Any], operator: Any = operator) -> Any:
            inputs = [each.detach().requires_grad_() for each in case if isinstance(each, gn.Tensor)]
            result = operator(*inputs, *case[len(inputs) :])
            return list(gn.autograd.grad(result, inputs, gn.full_like(result, 2.0)))

        def own(case: list[Any], operator: Any = operator, formula: Any = formula) -> Any:
            with gn.no_grad():
                result = operator(*case)
                found = formula(gn.full_like(result, 2.0), *case, result)
            return list(found) if isinstance(found, (list, tuple)) else found

        def describe(case: list[Any], name: str = name) -> str:
            values = ", ".join(str(each.tolist() if isinstance(each, gn.Tensor) else each) for each in case)
            return f"The gradients of {name}({values}), for grad of twos"

        findings = differences(module, cases, own, expected, describe, nearly(1e-9))
        if findings:
            return findings
        case = _operands(rng, name)
        if isinstance(case[-1], (int, float)):
            case[-1] = 3
        inputs = [each.abs().requires_grad_() for each in case if isinstance(each, gn.Tensor)]
        function = _from_formula(formula, operator)
        try:
            gn.autograd.gradcheck(function, [*inputs, *case[len(inputs) :]])
            gn.autograd.gradgradcheck(function, [*inputs, *case[len(inputs) :]])
        except GradcheckError as error:
            raise Finding(
                f"gradcheck of {name}, and gradgradcheck, which differentiates the formula itself\n"
                f"  gave:     {str(error).strip().splitlines()[0]}\n"
                "  expected: the same as finite differences"
            ) from None
        except RuntimeError as error:
            right = Outcome("the same as finite differences", None)
            return [difference(module, f"gradgradcheck of {name}", Outcome(None, error), right)]
    return []


def mark_unbroadcast(module: ModuleType) -> list[str]:
    """Against ``sum_to_size``, and against the gradient of expand."""
    rng = random.Random("unbroadcast")
    cases: list[tuple[Any, ...]] = []
    for _ in range(300):
        to = tuple(
            rng.choice([1, 1, 2, 3, 0] if rng.random() < 0.2 else [1, 2, 3]) for _ in range(rng.randint(0, 3))
        )
        whole = tuple(rng.randint(1, 3) if size == 1 and rng.random() < 0.7 else size for size in to)
        whole = (*(rng.randint(1, 2) for _ in range(rng.choice([0, 0, 1, 2]))), *whole)
        gradient = gn.arange(1.0, gn.empty(whole, device="meta").numel() + 1).reshape(whole)
        cases.append((gradient, to))
    return compare(module, "unbroadcast", lambda gradient, to: gradient.sum_to_size(to), cases, equal)


EXERCISES = (
    Exercise(
        "parse_schema",
        "PyTorch's signature language",
        """
        Begin with the large parts: what is before the first parenthesis, what is between it and the
        last one before ->, and what is after ->. re.fullmatch can do this; where it finds nothing,
        it is a ValueError.

        Split the arguments at commas, but not at those inside brackets: int[2] x=[1, 2]. Keep a
        depth that ( and [ increase.

        An argument is a type, a blank, a name, and perhaps = and a default. A type may have an
        alias in parentheses, which may contain blanks (Tensor(a -> *)): find it first, keep what is
        before ->, and take it out of the type.

        The argument * is no argument: all after it are kwarg_only. The results are one type, or
        several in parentheses, each with an optional name, or ().
        """,
        mark_parse_schema,
        ("FunctionSchema",),
    ),
    Exercise(
        "derivatives",
        "derivative formulas of six operators",
        """
        A formula is the chain rule for one operator: grad times the derivative of the result by the
        argument. For exp the derivative is the result itself.

        For mul, the gradient of self is grad * other. For mm write down the sum for one element of
        the result: the gradient of self is grad @ mat2 transposed; be careful about the order for
        the other.

        div: grad / other, and -grad * self / other**2. tanh: 1 - result squared.

        pow: grad * exponent * self ** (exponent - 1). But for an exponent of 0 it is 0 everywhere,
        where this gives 0 * inf at 0.
        """,
        mark_derivatives,
        ("grad", "backward"),
    ),
    Exercise(
        "unbroadcast",
        "the gradient of what was broadcast",
        """
        An element that was used several times gets the sum of the gradients of all its uses.

        There are two kinds of dimensions to sum over: those that the operand does not have, at the
        front, and those in which its size is 1 and the gradient's is not.

        Collect these dimensions; keep them as sizes of 1 with keepdim=True, and reshape to the
        sizes. If there are none, return the gradient: a sum over no dimensions would be one over
        all.
        """,
        mark_unbroadcast,
        ("sum_to_size", "_unsafe_view"),
    ),
)
