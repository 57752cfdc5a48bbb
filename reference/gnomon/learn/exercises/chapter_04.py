"""The exercises of chapter 4: dispatch."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import gnomon as gn

from ...dispatch import dispatcher
from ...dispatch.python_dispatch import DispatchMode
from ...values.dispatch_key import DispatchKey, DispatchKeySet
from ...values.schema import FunctionSchema
from .comparing import differences, wanted
from .record import Exercise

# gnomon's keys for those of the exercises, which have the numbers 0 to 4.
_KEYS = (
    DispatchKey.Dense,
    DispatchKey.Batched,
    DispatchKey.ADInplaceOrView,
    DispatchKey.Autograd,
    DispatchKey.Autocast,
)


def _as_gnomon(bits: int) -> int:
    return sum(1 << key for number, key in enumerate(_KEYS) if bits >> number & 1)


def _as_numbers(bits: int) -> int:
    return sum(1 << number for number, key in enumerate(_KEYS) if bits >> key & 1)


_QUESTIONS: dict[str, Any] = {
    "a.highest()": lambda a, b, k: a.highest(),
    "a.has(k)": lambda a, b, k: a.has(k),
    "a.keys()": lambda a, b, k: a.keys(),
    "a.without(k).keys()": lambda a, b, k: a.without(k).keys(),
    "a.union(b).keys()": lambda a, b, k: a.union(b).keys(),
    "a.keys(), after a.union(b)": lambda a, b, k: (a.union(b), a.keys())[1],
    "a.keys(), after a.without(k)": lambda a, b, k: (a.without(k), a.keys())[1],
}


class _GnomonKeySet:
    """DispatchKeySet with the interface of the exercise; keys are the numbers of the exercise's."""

    def __init__(self, keys: DispatchKeySet):
        self.set = keys

    def highest(self) -> int | None:
        key = self.set.highest_priority()
        return None if key is None else _KEYS.index(key)

    def has(self, key: int) -> bool:
        return self.set.has(_KEYS[key])

    def keys(self) -> list[int]:
        return [_KEYS.index(key) for key in self.set]

    def without(self, key: int) -> _GnomonKeySet:
        return _GnomonKeySet(self.set - DispatchKeySet(1 << _KEYS[key]))

    def union(self, other: _GnomonKeySet) -> _GnomonKeySet:
        return _GnomonKeySet(self.set | other.set)


def mark_key_set(module: ModuleType) -> list[str]:
    """Each question about each set, against DispatchKeySet."""
    rng = random.Random("key_set")
    cases = [
        (name, bits, rng.randrange(32), key) for bits in range(32) for key in range(5) for name in _QUESTIONS
    ]
    cases.sort(key=lambda case: (case[1].bit_count(), case[2].bit_count()))

    def own(case: Any) -> Any:
        key_set, key = wanted(module, "KeySet"), wanted(module, "Key")
        return _QUESTIONS[case[0]](key_set(case[1]), key_set(case[2]), key(case[3]))

    def oracle(case: Any) -> Any:
        first, second = (_GnomonKeySet(DispatchKeySet(_as_gnomon(bits))) for bits in case[1:3])
        return _QUESTIONS[case[0]](first, second, case[3])

    def describe(case: Any) -> str:
        name, first, second, key = case
        given = {"a": f"a = KeySet({first:#b})", "(b)": f"b = KeySet({second:#b})", "(k)": f"k = Key({key})"}
        return f"{name} with {', '.join(text for sign, text in given.items() if sign in name)}"

    return differences(module, cases, own, oracle, describe)


class _GnomonDispatcher:
    """gnomon's dispatcher, with the interface of the exercise."""

    def __init__(self, operators: tuple[str, ...]):
        schemas = {name: FunctionSchema(f"{name}(Scalar x) -> Scalar") for name in operators}
        self.operators = {name: dispatcher.OpOverload(schema) for name, schema in schemas.items()}
        self.skipped: set[tuple[Any, Any]] = set()

    def _changed(self) -> None:
        for each in self.operators.values():
            each._table = None

    def register(self, operator: str, key: int, kernel: Any) -> None:
        self.skipped.discard((operator, _KEYS[key]))
        self.operators[operator].register(_KEYS[key], self._boxed(kernel))

    def register_fallthrough(self, operator: str, key: int) -> None:
        self.skipped.add((operator, _KEYS[key]))
        self.operators[operator].kernels.pop(_KEYS[key], None)
        self._changed()

    def register_fallback(self, key: int, kernel: Any) -> None:
        def applies(operator: Any) -> bool:
            return (operator.name, _KEYS[key]) not in self.skipped

        dispatcher._boxed_fallbacks[_KEYS[key]] = (self._boxed(kernel), applies)
        self._changed()

    @staticmethod
    def _boxed(kernel: Any) -> Any:
        return lambda operator, keys, arguments: kernel(operator.name, _as_numbers(keys), *arguments)

    def call(self, operator: str, keys: int, *arguments: Any) -> Any:
        return self.operators[operator].redispatch(_as_gnomon(keys), arguments)

    redispatch = call


@contextmanager
def _own_fallbacks() -> Iterator[None]:
    """Inside, none of gnomon's own boxed fallbacks are registered for the keys of the exercise."""
    kept = dict(dispatcher._boxed_fallbacks)
    try:
        for key in _KEYS:
            dispatcher._boxed_fallbacks.pop(key, None)
        yield
    finally:
        dispatcher._boxed_fallbacks.clear()
        dispatcher._boxed_fallbacks.update(kept)


def _dispatch_program(made: Any, steps: list[tuple[Any, ...]]) -> list[Any]:
    """What the calls of a program did, with a dispatcher."""
    log: list[Any] = []

    def kernel(name: str, own: int, passes_on: bool) -> Any:
        def run(operator: str, keys: int, *arguments: Any) -> Any:
            log.append(f"{name} of {operator} with keys {int(keys):#b}, arguments {arguments}")
            if passes_on:
                below = int(keys) & ~(1 << own)
                return made.redispatch(operator, below, *(each + 1 for each in arguments))
            return f"result of {name}"

        return run

    for word, *given in steps:
        if word == "call":
            try:
                log.append(made.call(*given))
            except NotImplementedError as error:
                if not str(error):
                    raise  # the skeleton's
                log.append("NotImplementedError")
        elif word == "register_fallthrough":
            made.register_fallthrough(*given)
        elif word == "register_fallback":
            made.register_fallback(given[0], kernel(given[1], given[0], given[2]))
        else:
            made.register(given[0], given[1], kernel(given[2], given[1], given[3]))
    return log


def _random_dispatches(rng: random.Random, length: int) -> list[tuple[Any, ...]]:
    steps: list[tuple[Any, ...]] = [("register", "add", 0, "kernel 1", False)]
    for number in range(2, length):
        operator, key = rng.choice(["add", "mul"]), rng.randrange(5)
        passes_on = key > 0 and rng.random() < 0.8
        word = rng.choice(["register"] * 3 + ["register_fallback", "register_fallthrough"] + ["call"] * 2)
        if word == "register":
            steps.append((word, operator, key, f"kernel {number}", passes_on))
        elif word == "register_fallback":
            steps.append((word, key, f"fallback {number}", passes_on))
        else:
            steps.append((word, operator, key) if word != "call" else (word, operator, rng.randrange(32), 5))
    return [*steps, ("call", "add", 1, 5), ("call", "add", 0, 5), ("call", rng.choice(["add", "mul"]), 31, 5)]


def _shown_steps(steps: list[tuple[Any, ...]]) -> str:
    lines = []
    for word, *given in steps:
        if word.startswith("register") and word != "register_fallthrough":
            then = "which redispatches" if given[-1] else "which computes"
            given = [*given[:-2], f"<{given[-2]}, {then}>"]
        lines.append(f"  {word}({', '.join(map(str, given))})")
    return "\n".join(["These steps, with what the kernels got and the calls returned:", *lines])


def mark_dispatcher(module: ModuleType) -> list[str]:
    """Random programs of registrations and calls, against gnomon's dispatcher."""
    rng = random.Random("dispatcher")
    programs = [_random_dispatches(rng, 2 + number // 25) for number in range(400)]

    def oracle(steps: list[tuple[Any, ...]]) -> Any:
        with _own_fallbacks():
            return _dispatch_program(_GnomonDispatcher(("add", "mul")), steps)

    def own(steps: list[tuple[Any, ...]]) -> Any:
        return _dispatch_program(wanted(module, "Dispatcher")(), steps)

    return differences(module, programs, own, oracle, _shown_steps)


class _GnomonMode(DispatchMode):
    """gnomon's mode for the exercise: logs a name and the operator, and optionally calls another one."""

    def __init__(self, name: str, log: list[str], extra: Any):
        self.name, self.log, self.extra = name, log, extra

    def __gnomon_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.log.append(f"{self.name}: {func.schema.name}")
        if self.extra is not None:
            self.extra()
        return func(*args)


def _mode_program(make: Any, call: Any, log: list[str], steps: list[tuple[Any, ...]]) -> list[str]:
    """The log of a program of modes: blocks that begin and end, and calls of operators."""
    modes = {
        "plain": make("plain", None),
        "other": make("other", None),
        "curious": make("curious", lambda: call("neg")),
        "failing": make("failing", _fail),
    }
    inside: list[Any] = []
    for word, name in steps:
        if word == "enter":
            modes[name].__enter__()
            inside.append(modes[name])
        elif word == "exit":
            inside.pop().__exit__(None, None, None)
        else:
            try:
                call(name)
                log.append(f"called {name}")
            except ZeroDivisionError:
                log.append(f"{name} failed")
    while inside:
        inside.pop().__exit__(None, None, None)
    call("exp")
    return log


def _fail() -> None:
    raise ZeroDivisionError


def _random_modes(rng: random.Random, length: int) -> list[tuple[str, str]]:
    steps: list[tuple[str, str]] = []
    depth = 0
    while len(steps) < length:
        word = rng.choice(["enter", "enter", "exit", "call", "call"])
        if word == "exit" and depth:
            steps.append((word, ""))
            depth -= 1
        elif word == "enter":
            steps.append((word, rng.choice(["plain", "other", "curious", "failing", "plain"])))
            depth += 1
        elif word == "call":
            steps.append((word, rng.choice(["exp", "neg", "sin"])))
    return [*steps, ("call", "exp")]


def mark_logging_mode(module: ModuleType) -> list[str]:
    """Random nested blocks, against gnomon's DispatchMode."""
    rng = random.Random("logging_mode")
    programs = [_random_modes(rng, 1 + number // 25) for number in range(200)]

    def oracle(steps: list[tuple[str, str]]) -> list[str]:
        log: list[str] = []
        x = gn.ones(1)

        def call(name: str) -> Any:
            return getattr(gn.ops.aten, name).default(x)

        return _mode_program(lambda name, extra: _GnomonMode(name, log, extra), call, log, steps)

    def own(steps: list[tuple[str, str]]) -> list[str]:
        log: list[str] = []
        run, mode, logging_mode = (wanted(module, name) for name in ("call", "Mode", "LoggingMode"))

        def operator(name: str) -> Any:
            def function() -> str:
                return name

            function.__name__ = name
            return function

        def call(name: str) -> None:
            if run(operator(name)) != name:
                log.append(f"the call of {name} lost its result")

        class WithExtra(logging_mode):  # type: ignore[misc, valid-type]
            extra: Any

            def dispatch(self, function: Any, *arguments: Any) -> Any:
                log.append(f"{self.mode_name}: {function.__name__}")
                self.extra()
                return mode.dispatch(self, function, *arguments)

        def make(name: str, extra: Any) -> Any:
            if extra is None:
                return logging_mode(name, log)
            made = WithExtra(name, log)
            made.mode_name, made.extra = name, extra
            return made

        return _mode_program(make, call, log, steps)

    return differences(
        module,
        programs,
        own,
        oracle,
        lambda steps: (
            "The log of "
            + ", ".join(f"{word} {name}".strip() for word, name in steps)
            + ", exit all, call exp\n"
            "(the mode curious calls neg itself, and failing raises an error)"
        ),
    )


EXERCISES = (
    Exercise(
        "key_set",
        "a set of dispatch keys as the bits of an int",
        """
        Key k is in the set if bit k is 1: bits >> k & 1.

        Union is |. To take a key out, use & with all bits but one: ~(1 << k).

        The highest bit that is 1 has the number bits.bit_length() - 1. For keys(), repeat highest
        and without until the set is empty.
        """,
        mark_key_set,
        ("DispatchKeySet",),
    ),
    Exercise(
        "dispatcher",
        "register kernels by operator and key; call, skip, redispatch",
        """
        Keep a dict of kernels by (operator, key), and one of fallbacks by key. A fallthrough is an
        entry, too: one that says that nothing is to run.

        redispatch is the whole loop: take the highest key; find what to run for it; if nothing,
        take the key out of the keys and go on. call is the same.

        For a key: the operator's own entry, if there is one (a kernel, or the fallthrough, which
        also hides the fallback); else the fallback of the key. The kernel gets the keys that are
        left, its own one among them. With no keys left: NotImplementedError with a text.
        """,
        mark_dispatcher,
        ("OpOverload",),
    ),
    Exercise(
        "logging_mode",
        "a stack of modes that intercept every call",
        """
        call asks the innermost mode, the last of the stack. If there is none, it calls the
        function.

        While a mode's dispatch runs, calls that it makes must go to the next outer mode: otherwise
        it would be asked about its own calls, for ever.

        Take the mode off the stack, call its dispatch in a try, and put it back in finally, so that
        it is back after an error, too. The whole stack as it was is the safest thing to restore.
        """,
        mark_logging_mode,
        ("DispatchMode",),
    ),
)
