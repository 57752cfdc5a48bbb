"""The exercises of chapter 11: extending."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import gnomon as gn

from ...calls import launch
from ...dispatch.python_dispatch import DispatchMode
from ...memory import backend as backends
from ...values import late_bound
from .cases import random_view
from .comparing import Finding, Outcome, difference, differences, nearly, outcome, wanted
from .record import Exercise
from .suite import suite_finding


def _tensor(case: Any, device: str = "reference") -> Any:
    """A tensor from sizes, strides, the numbers of its storage, and the name of its dtype."""
    sizes, strides, numbers, dtype = case
    return gn.tensor(numbers, dtype=getattr(gn, dtype), device=device).as_strided(sizes, strides)


def _random_tensor(rng: random.Random, dtype: str, dims: int = 3) -> Any:
    sizes, strides = random_view(rng, dims, 3)
    count = 1 + sum((max(size, 1) - 1) * stride for size, stride in zip(sizes, strides))
    numbers: list[Any] = [rng.randint(-6, 6) for _ in range(count)]
    return sizes, strides, [each / 4 for each in numbers] if dtype.startswith("float") else numbers, dtype


def mark_custom_operator(module: ModuleType) -> list[str]:
    """Schema, values, strides, the fake kernel, and derivatives; then opcheck."""
    operator = wanted(module, "define")()
    rng = random.Random("custom_operator")

    def formula(x: Any, width: float = 1.0) -> Any:
        return (x * x + width * width).sqrt() - width

    def used_strides(result: Any) -> list[Any]:
        """The strides of dimensions that have any, of more than one index."""
        return [stride for size, stride in zip(result.shape, result.stride()) if size > 1 and result.numel()]

    def described(of: Any, case: Any) -> Any:
        kind, given, width = case
        if kind == "the schema":
            return "(Tensor x, float width=1.0) -> Tensor"
        if kind == "on the meta device":
            result = of(gn.empty_strided(*given[:2], device="meta"), width)
            return [result.device.type, tuple(result.shape), used_strides(result)]
        x = _tensor(given)
        if kind == "values":
            result = of(x, width)
            return [result.tolist(), tuple(result.shape), used_strides(result)]
        x = x.contiguous().requires_grad_()
        first: Any
        (first,) = gn.autograd.grad(of(x, width).sum(), x, create_graph=True)
        if kind == "gradient":
            return first.tolist()
        second: Any
        (second,) = gn.autograd.grad(first.sum(), x)
        return second.tolist()

    def own(case: Any) -> Any:
        if case[0] == "the schema":
            text = str(gn.ops.exercises.smooth_abs.default.schema)
            return text.partition("smooth_abs")[2]
        return described(operator, case)

    cases: list[Any] = [("the schema", None, None)]
    for kind in ("values", "on the meta device", "gradient", "second derivative"):
        some = [_random_tensor(rng, "float64") for _ in range(30)]
        some = [each for each in some if 0 not in each[1] and 0 not in each[0]] + [
            ((2, 0), (1, 1), [1.0], "float64"),
            ((3, 2), (1, 3), [0.5, -1.0, 2.0, 0.0, 1.5, -0.25], "float64"),
        ]
        cases += [
            (kind, each, rng.choice([0.5, 1.0, 2.0]))
            for each in sorted(some, key=lambda each: len(repr(each)))
        ]

    def describe(case: Any) -> str:
        if case[0] == "the schema":
            return "The schema of exercises::smooth_abs"
        sizes, strides, numbers, dtype = case[1]
        what = "device, sizes and strides" if case[0] == "on the meta device" else f"the {case[0]}"
        shown = "" if case[0] == "on the meta device" else f", storage {numbers}"
        extra = ", with sizes and strides" if case[0] == "values" else ""
        tensor = f"a {dtype} tensor of sizes {sizes}, strides {strides}{shown}"
        return f"smooth_abs of {tensor}; width {case[2]}{extra}: {what}"

    findings = differences(module, cases, own, lambda case: described(formula, case), describe, nearly(1e-9))
    if findings:
        return findings
    checked = gn.library.opcheck(
        operator, (gn.tensor([[0.5, -1.0]], requires_grad=True),), raise_exception=False
    )
    for name, found in checked.items():
        if found != "SUCCESS":
            got = Outcome(str(found).strip().splitlines()[0], None)
            return [difference(module, f"gn.library.opcheck: {name}", got, Outcome("SUCCESS", None))]
    return []


@contextmanager
def _registered(backend: Any) -> Iterator[None]:
    """Inside, ``backend`` is registered, and a fallback is an error."""
    policy = launch._policy
    backends.register_backend(backend)
    gn.set_fallback_policy("error")
    try:
        yield
    finally:
        gn.set_fallback_policy(policy)
        backends._backends.pop(backend.name, None)
        backends._by_device_type.pop(backend.device_type, None)
        late_bound.forget_calls()


_BINARY = {
    "add.Tensor": lambda x, y: gn.add(x, y, alpha=3),
    "mul.Tensor": lambda x, y: x * y,
}
_UNARY = {"neg": lambda x: -x, "copy_": lambda x: x.clone()}


def mark_dictionary_backend(module: ModuleType) -> list[str]:
    """Operators on tensors of all kinds, then tests of the conformance suite, where it is installed."""
    rng = random.Random("dictionary_backend")
    made = outcome(lambda: wanted(module, "DictionaryBackend")())
    if made.error is not None:
        raise made.error
    if (made.value.name, made.value.device_type) != ("dictionary", "dictionary"):
        raise Finding("The backend's name and device_type must remain 'dictionary'.")
    cases: list[Any] = [
        ("memory", [1.0, 2.0, 3.0], "float32"),
        ("memory", [], "float32"),
        ("memory", [5], "int64"),
    ]
    cases += [("bytes", 4, 3), ("bytes", 0, 5), ("claims", None, None)]
    for _ in range(120):
        dtype = rng.choice(["float32", "int64"])
        name = rng.choice([*_BINARY, *_UNARY])
        first = _random_tensor(rng, dtype)
        second = (first[0], first[1], [each * 2 for each in first[2]], dtype)
        cases.append((name, first, second if rng.random() < 0.6 else ((), (), [2], dtype)))
    cases += [
        ("neg", ((1,), (1,), [-(2**63)], "int64"), None),
        ("mul.Tensor", *[((1,), (1,), [2**62], "int64")] * 2),
    ]
    cases[6:] = sorted(cases[6:], key=lambda case: len(repr(case)))

    def run(case: Any, device: str) -> Any:
        name, first, second = case
        if name == "memory":
            return gn.tensor(first, dtype=getattr(gn, second), device=device).tolist()
        if name == "bytes":
            data = bytes(range(1, 1 + second))
            if device == "reference":
                return bytes(first) + data + bytes(10 - first - second), data
            memory = made.value.allocate(10, 0)
            made.value.copy_in(memory, first, memoryview(data))
            return made.value.copy_out(memory, 0, 10), made.value.copy_out(memory, first, second)
        if name == "claims":
            names = [*_BINARY, *_UNARY]
            claims = (
                module.DictionaryBackend.capabilities if device == "dictionary" else dict.fromkeys(names, "")
            )
            return sorted(claims)
        x = _tensor(first, device)
        result = _UNARY[name](x) if name in _UNARY else _BINARY[name](x, _tensor(second, device))
        return [result.tolist(), x.tolist()]

    def describe(case: Any) -> str:
        name, first, second = case
        if name == "memory":
            return f"The numbers of a new {second} tensor of {first}"
        if name == "bytes":
            what = f"copy_in of {second} bytes at offset {first} of new memory of 10 bytes"
            return f"{what}: copy_out of all 10 bytes, and of those written"
        if name == "claims":
            return "The operators that capabilities claims"
        parts = [
            f"{dtype} of sizes {sizes}, strides {strides}, storage {numbers}"
            for sizes, strides, numbers, dtype in ([first] if name in _UNARY else [first, second])
        ]
        extra = " with alpha=3" if name == "add.Tensor" else ""
        return f"{name}{extra} of {' and '.join(parts)}: the result, and the first operand after it"

    with _registered(made.value):
        findings = differences(
            module, cases, lambda case: run(case, "dictionary"), lambda case: run(case, "reference"), describe
        )
    if findings:
        return findings
    selection = [
        "--ops",
        r"^(copy_|neg|add\.Tensor|mul\.Tensor)$",
        "--dtypes",
        "int64",
        "--property-seconds",
        "0",
    ]
    found = suite_finding(Path(str(module.__file__)), "dictionary", "DictionaryBackend", selection)
    return [found] if found else []


class _Observed(DispatchMode):
    """Logs the name of each operator below autograd."""

    def __init__(self, log: list[str]):
        self.log = log

    def __gnomon_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        self.log.append(func.name)
        return result


_STEPS: dict[str, Any] = {
    "x.exp()": lambda x, y: x.exp(),
    "x * y": lambda x, y: x * y,
    "2 * x": lambda x, y: 2 * x,
    "gn.add(x, y, alpha=2)": lambda x, y: gn.add(x, y, alpha=2),
    "x.reshape(2, 2)": lambda x, y: x.reshape(2, 2),
    "gn.cat([x.chunk(2)[1]] * 2)": lambda x, y: gn.cat([x.chunk(2)[1]] * 2),
    "x.clone().add_(y)": lambda x, y: x.clone().add_(y),
    "gn.cat([y, x])[2:6]": lambda x, y: gn.cat([y, x])[2:6],
    "x + x.max(0).values": lambda x, y: x + x.max(0).values,
    "x + x.sum(dim=0, keepdim=True)": lambda x, y: x + x.sum(dim=0, keepdim=True),
}


def mark_logging_tensor(module: ModuleType) -> list[str]:
    """Random programs, against the log of a DispatchMode and the values of ordinary tensors."""
    rng = random.Random("logging_tensor")
    cases: list[Any] = [([], False)]
    cases += [
        ([rng.choice(list(_STEPS)) for _ in range(1 + number // 20)], number % 3 == 0) for number in range(80)
    ]
    cases.sort(key=lambda case: (len(case[0]), case[1]))

    def program(x: Any, y: Any, steps: list[str]) -> Any:
        for each in steps:
            x = _STEPS[each](x, y).reshape(-1)
        return x

    def oracle(case: Any) -> Any:
        steps, is_backward = case
        log: list[str] = []
        x: Any = gn.tensor([1.0, -2.0, 0.5, 3.0], requires_grad=is_backward)
        y = gn.tensor([0.5, 1.0, -1.0, 2.0])
        seed = gn.ones(4)
        with _Observed(log):
            result = program(x, y, steps)
            if is_backward:
                result.backward(seed)
        return [log, "LoggingTensor", result.tolist(), x.grad.tolist() if is_backward else None]

    def inside(tensor: Any) -> Any:
        is_logging = isinstance(tensor, wanted(module, "LoggingTensor"))
        return tensor.inner.tolist() if is_logging else f"of an ordinary {type(tensor).__name__}"

    def own(case: Any) -> Any:
        steps, is_backward = case
        log: list[str] = []
        kind = wanted(module, "LoggingTensor")
        x = kind.wrap(gn.tensor([1.0, -2.0, 0.5, 3.0], requires_grad=is_backward), log)
        y = kind.wrap(gn.tensor([0.5, 1.0, -1.0, 2.0]), log)
        result = program(x, y, steps)
        if is_backward:
            result.backward(kind.wrap(gn.ones(4), log))
        # autograd detaches a subclass's results where it saves them
        kept = [each for each in log if each != "detach"]
        return [kept, type(result).__name__, inside(result), inside(x.grad) if is_backward else None]

    def describe(case: Any) -> str:
        steps, is_backward = case
        listed = "; ".join(f"x = {each}" for each in steps) or "nothing"
        return (
            f"With x and y as LoggingTensors of 4 numbers: {listed}"
            f"{'; x.backward(a LoggingTensor of ones)' if is_backward else ''}\n"
            "the log (without detach), the type of the result, what is inside, and the gradient"
        )

    return differences(module, cases, own, oracle, describe, nearly(1e-6))


EXERCISES = (
    Exercise(
        "custom_operator",
        "an operator of your own: schema, kernel, fake kernel, derivative",
        """
        gn.library.custom_op("exercises::smooth_abs", mutates_args=())(smooth_abs) makes an operator
        of the function smooth_abs; the schema comes from its annotations. Return it from define().

        The operator has methods register_fake and register_autograd(backward, setup_context=...).
        docs/custom_operators.md shows both.

        The fake kernel must give the strides that the kernel gives: gn.empty_like does, because
        pointwise operators keep the order of memory.

        The derivative is x / sqrt(x * x + width * width), times grad. backward returns one gradient
        for each argument: None for width. Save x with save_for_backward and keep width as an
        attribute of ctx.
        """,
        mark_custom_operator,
    ),
    Exercise(
        "dictionary_backend",
        "a backend whose kernels fit on one screen",
        """
        Memory first: allocate returns a new Memory; copy_in and copy_out move bytes between it and
        the host. `data` is a memoryview of any format: data.cast('B') is its bytes.

        Write copy first, and look at the others as copies with a function. iterator.offsets(0) are
        the places of the output's elements, offsets(1) those of the first input: loop over them
        with zip.

        tensor.dtype.reader(memoryview) and .writer(memoryview) give functions that read and write
        an element by its place. They know the dtype, and how numbers wrap around.

        add gets alpha as an argument after the iterator. Fill KERNELS and CLAIMS: every operator of
        KERNELS in float32 and int64.
        """,
        mark_dictionary_backend,
    ),
    Exercise(
        "logging_tensor",
        "a tensor that writes down what happens to it",
        """
        wrap: gn.Tensor._make_wrapper_subclass(cls, shape, strides=…, dtype=…, device=…,
        requires_grad=…) makes a tensor without memory; keep the ordinary tensor, detached, and the
        log as attributes.

        In __gnomon_dispatch__: replace each LoggingTensor among the arguments by what is inside,
        call func, log func.name, and wrap the result. Arguments may be lists of tensors, and
        results tuples of them.

        An operator that writes to its first argument (func.schema.is_inplace) returns that same
        LoggingTensor, not a new one: otherwise autograd would lose it.
        """,
        mark_logging_tensor,
    ),
)
