"""The exercises of chapter 13: the build."""

from __future__ import annotations

import inspect
import keyword
import random
from types import ModuleType
from typing import Any

import gnomon as gn

from ...values.schema import REQUIRED
from .comparing import Outcome, difference, differences, outcome, wanted
from .record import Exercise


def _operators() -> list[Any]:
    """Operators with a ``self``, whose defaults can be written in Python, one for each name."""
    found = []
    for packet in gn.ops.aten:
        operator = next(iter(packet.overloads.values()))
        arguments = operator.schema.arguments
        plain = all(
            isinstance(each.default, (bool, int, float, str, tuple, type(None))) or each.default is REQUIRED
            for each in arguments
        )
        if (
            arguments
            and arguments[0].name == "self"
            and plain
            and not operator.schema.is_out
            and not operator.lengths
        ):
            found.append(operator)
    return found


def mark_generate_methods(module: ModuleType) -> list[str]:
    """Methods generated for gnomon's operators: their signatures, and what they call."""
    rng = random.Random("generate_methods")
    parameter, required = wanted(module, "Parameter"), wanted(module, "REQUIRED")
    operators = sorted(_operators(), key=lambda each: len(each.schema.text))
    chosen = operators[:5] + rng.sample(operators, 60)
    for special in (lambda a: keyword.iskeyword(a.name), lambda a: isinstance(a.default, str)):
        chosen += [each for each in operators if any(map(special, each.schema.arguments))][:3]

    def python_name(name: str) -> str:
        return f"{name}_" if keyword.iskeyword(name) else name

    def calls_of(operator: Any) -> list[tuple[list[Any], dict[str, Any]]]:
        """Arguments by position as far as possible; the required ones only; and too many."""
        own = operator.schema.arguments[1:]
        positional = [f"value of {each.name}" for each in own if not each.kwarg_only]
        named = {python_name(each.name): f"value of {each.name}" for each in own if each.kwarg_only}
        needed = {python_name(each.name): 1 for each in own if each.default is REQUIRED}
        return [(positional, named), ([], needed), ([*positional, 1], named), ([], {})]

    def expected(operator: Any) -> list[Any]:
        arguments = operator.schema.arguments
        parts: list[inspect.Parameter] = []
        for each in arguments:
            kind = (
                inspect.Parameter.KEYWORD_ONLY if each.kwarg_only else inspect.Parameter.POSITIONAL_OR_KEYWORD
            )
            default = inspect.Parameter.empty if each.default is REQUIRED else each.default
            parts.append(inspect.Parameter(python_name(each.name), kind, default=default))
        signature = inspect.Signature(parts)
        found: list[Any] = [operator.schema.name, str(signature)]
        for args, kwargs in calls_of(operator):
            bound = outcome(lambda args=args, kwargs=kwargs: signature.bind("x", *args, **kwargs))
            if bound.error is not None:
                found.append(type(bound.error).__name__)
            else:
                bound.value.apply_defaults()
                found.append((operator.name, list(bound.value.arguments.values())))
        return found

    def own(operator: Any) -> list[Any]:
        parameters = [
            parameter(each.name, required if each.default is REQUIRED else each.default, each.kwarg_only)
            for each in operator.schema.arguments
        ]
        text = wanted(module, "generate_method")(operator.schema.name, operator.name, parameters)
        names: dict[str, Any] = {"call": lambda name, *arguments: (name, list(arguments))}
        exec(text, names)
        method = names.get(operator.schema.name)
        if method is None:
            return [f"text that does not define {operator.schema.name}: {text}"]
        found: list[Any] = [method.__name__, str(inspect.signature(method))]
        for args, kwargs in calls_of(operator):
            result = outcome(lambda args=args, kwargs=kwargs: method("x", *args, **kwargs))
            found.append(result.value if result.error is None else type(result.error).__name__)
        return found

    return differences(
        module,
        sorted(chosen, key=lambda each: len(each.schema.text)),
        own,
        expected,
        lambda operator: (
            f"The method for {operator.schema}: its name, its signature, and what it calls "
            "with all arguments, with the "
            "required ones by keyword, with one too many, and with none"
        ),
    )


def _build_order(goal: str, rules: dict[str, list[str]], times: dict[str, float]) -> list[str]:
    """Depth first, in the order of the names."""
    order: list[str] = []
    states: dict[str, str] = {}
    rebuilt: set[str] = set()

    def visit(name: str) -> None:
        if states.get(name) == "done":
            return
        if states.get(name) == "begun":
            raise ValueError(f"{name} depends on itself")
        states[name] = "begun"
        if name not in rules:
            if name not in times:
                raise FileNotFoundError(f"{name} does not exist, and there is no rule to make it")
        else:
            for each in sorted(rules[name]):
                visit(each)
            is_newer = any(each in rebuilt or times[each] > times.get(name, -1) for each in rules[name])
            if name not in times or is_newer:
                rebuilt.add(name)
                order.append(name)
        states[name] = "done"

    visit(goal)
    return order


def mark_build_order(module: ModuleType) -> list[str]:
    """Random rules and times; any order in which dependencies come first is right."""
    rng = random.Random("build_order")
    cases: list[Any] = [
        ("a", {}, {"a": 1}),
        ("a", {}, {}),
        ("a", {"a": []}, {}),
        ("a", {"a": []}, {"a": 1}),
        ("a", {"a": ["b"]}, {"a": 1, "b": 1}),
        ("a", {"a": ["a"]}, {"a": 1}),
        ("a", {"b": ["b"], "a": []}, {}),
    ]
    for _ in range(500):
        names = "abcdef"[: rng.randint(2, 6)]
        rules = {}
        for position, name in enumerate(names):
            if rng.random() < 0.65:
                later = names if rng.random() < 0.05 else names[position + 1 :]
                rules[name] = rng.sample(later, min(len(later), rng.randint(0, 3)))
        times = {
            name: rng.randint(1, 4) for name in names if rng.random() < (0.75 if name in rules else 0.97)
        }
        cases.append(("a", rules, times))
    cases.sort(key=lambda case: len(repr(case)))
    function = wanted(module, "build_order")
    for goal, rules, times in cases:
        expected = outcome(_build_order, goal, {**rules}, dict(times))
        what = f"build_order({goal!r}, {rules}, {times})"
        got = outcome(lambda case=(goal, rules, times): list(function(case[0], {**case[1]}, dict(case[2]))))
        findings = _differences_in_content(module, what, got, expected)
        if findings or expected.error is not None:
            if findings:
                return findings
            continue
        order = got.value
        for place, name in enumerate(order):
            late = [each for each in rules[name] if each in order[place:]]
            if late:
                right = Outcome(f"{late[0]} before {name}, which depends on it", None)
                return [difference(module, what, Outcome(order, None), right)]
    return []


def _differences_in_content(module: ModuleType, what: str, got: Outcome, expected: Outcome) -> list[str]:
    """The difference of two outcomes, whatever the order of the names."""

    def own(case: int) -> list[str]:
        if got.error is not None:
            raise got.error
        return sorted(got.value)

    def oracle(case: int) -> list[str]:
        if expected.error is not None:
            raise expected.error
        return sorted(expected.value)

    return differences(module, [0], own, oracle, lambda case: f"{what}, sorted by name")


FRAMEWORK_TIERS = ("memory", "pointwise", "reductions", "autograd")


def mark_framework(module: ModuleType) -> list[str]:
    """The reader's framework: the conformance suite's tests of a library, tier by tier."""
    suite = wanted(module, "libraries")
    first = outcome(wanted(module, "Framework")().describe, module.new([1.5, 2.5], "float32", (2,)))
    right = Outcome(("float32", (2,), [1.5, 2.5]), None)
    if first != right:
        return [difference(module, "describe(new([1.5, 2.5], 'float32', (2,)))", first, right)]
    library = module.Framework()
    for tier in FRAMEWORK_TIERS:
        results = suite.run(library, tiers=[tier])
        reason = suite.passes(library, tier, results)
        failed = next((each for each in results if each.outcome == "fail"), None)
        if failed is not None:
            call, problem, *_ = failed.message.splitlines()
            where = f"{call}, of the tier {tier} of the conformance suite ({failed.test})"
            return [f"{where}\n  gave:     {problem}\n  expected: what the reference gives"]
        if reason:
            missing = next((each.message for each in results if each.outcome == "not claimed"), reason)
            return [
                f"The tier {tier} of the conformance suite\n  gave:     {missing}\n  expected: its tests pass"
            ]
    return []


EXERCISES = (
    Exercise(
        "generate_methods",
        "methods written by a program, from records",
        """
        Write down by hand what the text should be for neg: def neg(self): and a line that returns
        call('neg', self).

        A parameter is its name, or name=default with the repr of the default. Before the first
        kwarg_only one comes an asterisk.

        The call passes all parameters by position, in their order. A name that is a keyword of
        Python (keyword.iskeyword) gets an underscore at its end, in both places.
        """,
        mark_generate_methods,
    ),
    Exercise(
        "build_order",
        "what is stale is built again, and nothing else",
        """
        Visit the goal: first visit all that it depends on, then decide whether it is stale. A file
        is visited once.

        A target is stale if it does not exist, if something that it depends on is newer, or if
        something that it depends on is itself built again. Equal times are not newer.

        Keep three states of a name: not seen, begun, done. If a visit comes to one that is begun,
        there is a cycle: ValueError. A name without a rule and without a time: FileNotFoundError.
        """,
        mark_build_order,
    ),
    Exercise(
        "framework",
        "a framework of your own, which passes tiers of the conformance suite",
        """
        Write new and Tensor.numbers first, then clone, full and to: the tier memory. gnomon conform
        --library FILE --tier memory shows all that fails. Your answers to contiguous_strides, broadcast,
        promote, view_strides and engine can be used as they are.

        Let one function do all pointwise operators: promote, convert each operand to that dtype, expand all
        to the broadcast sizes, apply a Python function to the elements, round the results to the dtype.

        For gradients, let each operator be a pair of functions: one computes, one gives the gradients of
        its tensors. A result remembers its inputs and the second one. Run the newest result first, add what
        arrives twice, and undo broadcasting with a sum.
        """,
        mark_framework,
    ),
)
