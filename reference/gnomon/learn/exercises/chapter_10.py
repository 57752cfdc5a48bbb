"""The exercises of chapter 10: double backward, forward mode, vmap."""

from __future__ import annotations

import random
from collections.abc import Callable
from types import ModuleType
from typing import Any

import gnomon as gn

from .comparing import close, differences, nearly, wanted
from .record import Exercise


def mark_double_backward(module: ModuleType) -> list[str]:
    """The value and the first three derivatives, against those of the same formula in operators."""
    rng = random.Random("double_backward")
    cases = [
        (order, [round(rng.uniform(-2, 2), 2) for _ in range(rng.randint(1, 3))])
        for order in (0, 1, 2, 3) * 8
    ]
    cases.append((0, [float("inf"), 0.0]))

    def derivative(function: Any, case: Any) -> list[float]:
        order, numbers = case
        x = gn.tensor(numbers, dtype=gn.float64, requires_grad=True)
        y = function(x)
        for each in range(order):
            (y,) = gn.autograd.grad(y.sum() * (each + 1), x, create_graph=True)
        found: list[float] = y.tolist()
        return found

    ordinal = {0: "value", 1: "first derivative", 2: "second derivative", 3: "third derivative"}
    return differences(
        module,
        sorted(cases, key=lambda case: (case[0], len(case[1]))),
        lambda case: derivative(wanted(module, "Gaussian").apply, case),
        lambda case: derivative(lambda x: (-x * x).exp(), case),
        lambda case: f"The {ordinal[case[0]]} of Gaussian.apply at {case[1]}",
        nearly(1e-9),
    )


class _Expression:
    """A random function of one number: its text, and the function, given exp, sin and log."""

    def __init__(self, rng: random.Random, depth: int):
        self.text, self.of = self._leaf(rng) if depth == 0 else self._inner(rng, depth)

    @staticmethod
    def _leaf(rng: random.Random) -> tuple[str, Callable[[Any, Any], Any]]:
        if rng.random() < 0.7:
            return "x", lambda x, functions: x
        number = rng.choice([2.0, 0.5, -1.0, 3])
        return str(number), lambda x, functions: number

    @staticmethod
    def _inner(rng: random.Random, depth: int) -> tuple[str, Callable[[Any, Any], Any]]:
        a = _Expression(rng, depth - 1)
        kind = rng.choice(["+", "-", "*", "/", "**", "exp", "sin", "log", "negative"])
        if kind in ("exp", "sin", "log"):
            return f"{kind}({a.text})", lambda x, functions: functions[kind](a.of(x, functions))
        if kind == "negative":
            return f"-{a.text}", lambda x, functions: -a.of(x, functions)
        if kind == "**":
            power = rng.choice([2, 3, -1, 0.5])
            return f"({a.text}) ** {power}", lambda x, functions: a.of(x, functions) ** power
        b = _Expression(rng, rng.randrange(depth))
        apply: dict[str, Callable[[Any, Any], Any]] = {
            "+": lambda p, q: p + q,
            "-": lambda p, q: p - q,
            "*": lambda p, q: p * q,
            "/": lambda p, q: p / q,
        }
        return f"({a.text} {kind} {b.text})", lambda x, functions: apply[kind](
            a.of(x, functions), b.of(x, functions)
        )


def _shown_call(case: Any) -> str:
    expression, value, tangent = case
    return f"jvp(lambda x: {expression.text}, {value}, {tangent})"


def mark_dual_numbers(module: ModuleType) -> list[str]:
    """Random expressions, against ``gn.func.jvp``."""
    rng = random.Random("dual_numbers")
    of_tensors = {"exp": gn.exp, "sin": gn.sin, "log": gn.log}

    def oracle(case: Any) -> tuple[float, float]:
        expression, value, tangent = case
        x, v = (gn.tensor(each, dtype=gn.float64) for each in (value, tangent))
        zero = 0 * x  # constants become tensors

        def guarded(name: str) -> Any:
            return lambda argument: of_tensors[name](argument + zero)

        functions = {name: guarded(name) for name in of_tensors}
        result, derivative = gn.func.jvp(lambda x: expression.of(x, functions) + 0 * x, (x,), (v,))
        return result.item(), derivative.item()

    def is_smooth(case: Any) -> bool:
        try:
            found = oracle(case)
        except (ArithmeticError, ValueError, TypeError):
            return False
        return all(abs(each) < 1e6 for each in found) and not any(isinstance(each, complex) for each in found)

    cases: list[Any] = []
    while len(cases) < 250:
        case = (
            _Expression(rng, rng.randint(0, 4)),
            rng.choice([0.5, 1.25, 2.0]),
            rng.choice([1.0, -2.0, 0.0]),
        )
        if is_smooth(case):
            cases.append(case)
    cases.sort(key=lambda case: len(_shown_call(case)))

    def own(case: Any) -> Any:
        functions = {name: wanted(module, name) for name in of_tensors}
        return wanted(module, "jvp")(lambda x: case[0].of(x, functions), case[1], case[2])

    return differences(module, cases, own, oracle, _shown_call, nearly(1e-9))


def _batched(rng: random.Random, sizes: list[int], batch: int) -> tuple[Any, int | None]:
    """A tensor whose examples have these sizes, and its batch dimension; None if it has none."""
    dim = rng.choice([None, *range(len(sizes) + 1)])
    whole = sizes if dim is None else [*sizes[:dim], batch, *sizes[dim:]]
    count = gn.empty(whole, device="meta").numel()
    return gn.tensor([rng.randint(-3, 3) for _ in range(count)], dtype=gn.float32).reshape(whole), dim


def _rule_cases(rng: random.Random) -> list[tuple[str, Any]]:
    cases: list[tuple[str, Any]] = []
    while len(cases) < 400:
        batch = rng.randint(1, 3)
        name = rng.choice(["mul", "sum", "transpose", "mm"])
        if name == "mul":
            sizes = [rng.randint(1, 3) for _ in range(rng.randint(0, 3))]
            other = [size if rng.random() < 0.7 else 1 for size in sizes][rng.randint(0, len(sizes)) :]
            both = [sizes, other][:: rng.choice([1, -1])]
            given: tuple[Any, ...] = (*_batched(rng, both[0], batch), *_batched(rng, both[1], batch))
        elif name == "mm":
            n, k, m = (rng.randint(1, 3) for _ in range(3))
            given = (*_batched(rng, [n, k], batch), *_batched(rng, [k, m], batch))
        else:
            sizes = [rng.randint(1, 3) for _ in range(rng.randint(1, 3))]
            dims = [rng.randrange(-len(sizes), len(sizes)) for _ in range(2)]
            given = (
                *_batched(rng, sizes, batch),
                *(dims if name == "transpose" else [dims[0], rng.random() < 0.5]),
            )
        if given[1] is not None or (name in ("mul", "mm") and given[3] is not None):
            cases.append((name, given))
    return sorted(
        cases, key=lambda case: sum(each.numel() for each in case[1] if isinstance(each, gn.Tensor))
    )


def mark_batching_rules(module: ModuleType) -> list[str]:
    """Each rule, against ``gn.vmap`` of the operator."""

    def oracle(case: Any) -> Any:
        name, given = case
        if name in ("mul", "mm"):
            return gn.vmap(getattr(gn, name), in_dims=(given[1], given[3]))(given[0], given[2])
        if name == "sum":
            return gn.vmap(lambda x: x.sum(given[2], given[3]), in_dims=given[1])(given[0])
        return gn.vmap(lambda x: x.transpose(given[2], given[3]), in_dims=given[1])(given[0])

    def own(case: Any) -> Any:
        name, given = case
        found = wanted(module, f"{name}_rule")(*given)
        if not isinstance(found, tuple) or len(found) != 2 or not isinstance(found[1], int):
            return found
        return found[0].movedim(found[1], 0)

    def describe(case: Any) -> str:
        name, given = case
        shown = [
            f"a tensor of shape {list(each.shape)}" if isinstance(each, gn.Tensor) else repr(each)
            for each in given
        ]
        return f"{name}_rule({', '.join(shown)}): the result, with its batch dimension moved to the front"

    def same(got: Any, expected: Any) -> bool:
        return close(got, expected, 1e-6)

    return differences(module, _rule_cases(random.Random("batching_rules")), own, oracle, describe, same)


EXERCISES = (
    Exercise(
        "double_backward",
        "a Function whose backward can be differentiated again",
        """
        The derivative of exp(-x * x) is -2 * x * exp(-x * x).

        backward is recorded when someone asks for second derivatives, so it may use only operators
        of tensors that still know where they come from. What does a tensor know that was computed
        in forward and stored as ctx.something?

        save_for_backward takes inputs and results of the function, and gives them back with their
        history; compute everything else again in backward, from the saved x.
        """,
        mark_double_backward,
    ),
    Exercise(
        "dual_numbers",
        "forward mode: numbers that carry their derivative",
        """
        A Dual is a value and a tangent, and each operator is a rule of differentiation: the tangent
        of a * b is a.tangent * b.value + a.value * b.tangent.

        A number is a Dual with tangent 0. Convert the other operand first, and the rules need no
        special cases; 2 - x calls __rsub__ of x.

        x ** n has the tangent n * x ** (n - 1) * tangent; exp(x): exp(value) * tangent; log(x):
        tangent / value. exp, sin and log are called with plain numbers, too. jvp calls the function
        with one Dual; if the result is a plain number, its tangent is 0.
        """,
        mark_dual_numbers,
        ("jvp",),
    ),
    Exercise(
        "batching_rules",
        "vmap: what an operator does with a batch dimension",
        """
        Move the batch dimension to the front first, with movedim(dim, 0); then every rule has one
        case less.

        sum and transpose: a dimension d of the examples is d + 1 of the whole; negative ones are
        counted in the examples' dimensions, so convert them to nonnegative ones before.

        mul: operands are broadcast from the last dimension, so if one operand's examples have fewer
        dimensions, there must be ones between its batch dimension and the rest. An operand without
        a batch dimension needs nothing.

        mm takes matrices only; matmul takes batches of them, broadcasts, and an operand without a
        batch dimension is fine as it is.
        """,
        mark_batching_rules,
        ("vmap",),
    ),
)
