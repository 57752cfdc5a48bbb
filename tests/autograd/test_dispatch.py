"""What dispatch modes and wrapper subclasses see of factories, and wrappers that are parameters."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy
import pytest

pytestmark = pytest.mark.both_tiers


def mode_of(lib: Any, function: Any) -> Any:
    """A mode that calls ``function(func, args, kwargs)`` instead of each operator."""
    if lib.__name__ == "torch":
        from torch.utils._python_dispatch import TorchDispatchMode as Mode
    else:
        from gnomon.dispatch.python_dispatch import DispatchMode as Mode

    def dispatch(self: Any, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return function(func, args, kwargs or {})

    return type("Mine", (Mode,), {f"__{lib.__name__}_dispatch__": dispatch})()


def wrapper_of(lib: Any, detach: Any = None) -> tuple[Any, list[str]]:
    """A wrapper subclass, written as users write it, that logs the calls it sees; and the log."""
    seen: list[str] = []

    def new(cls: Any, inner: Any) -> Any:
        return lib.Tensor._make_wrapper_subclass(
            cls,
            inner.shape,
            strides=inner.stride(),
            dtype=inner.dtype,
            layout=inner.layout,
            device=inner.device,
            requires_grad=inner.requires_grad,
        )

    def dispatch(cls: Any, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        seen.append(str(func))
        result = func(*[each.inner if isinstance(each, cls) else each for each in args], **(kwargs or {}))
        return detach(result) if detach is not None and "detach" in str(func) else cls(result)

    members = {
        "__new__": new,
        "__init__": lambda self, inner: setattr(self, "inner", inner),
        "__repr__": lambda self: f"Wrapper({self.inner})",
        f"__{lib.__name__}_dispatch__": classmethod(dispatch),
    }
    return type("Wrapper", (lib.Tensor,), members), seen


# An expression; the operator that a mode sees for it, and the positional arguments.
FACTORIES = {
    "lib.ones(2)": ("ones.default", [2]),
    "lib.zeros(2, dtype=lib.int64)": ("zeros.default", [2]),
    "lib.full((2,), 3.0)": ("full.default", [2], 3.0),
    "lib.scalar_tensor(3.0)": ("scalar_tensor.default", 3.0),
    "lib.empty(2)": ("empty.memory_format", [2]),
    "lib.rand(2)": ("rand.default", [2]),
    "lib.randn(2, generator=lib.Generator())": ("randn.generator", [2]),
    "lib.randint(5, (2,))": ("randint.default", 5, [2]),
    "lib.randint(1, 5, (2,))": ("randint.low", 1, 5, [2]),
    "lib.randperm(4)": ("randperm.default", 4),
    "lib.normal(0.0, 1.0, (2,))": ("normal.float_float", 0.0, 1.0, [2]),
    "lib.arange(3)": ("arange.default", 3),
    "lib.arange(1, 3)": ("arange.start", 1, 3),
    "lib.arange(1, 3, 2)": ("arange.start_step", 1, 3, 2),
    "lib.linspace(0, 1, 3)": ("linspace.default", 0, 1, 3),
    "lib.eye(3)": ("eye.default", 3),
    "lib.eye(3, 4)": ("eye.m", 3, 4),
}
LIKE_FACTORIES = {
    "lib.zeros_like(x)": ("zeros_like.default", "x"),
    "lib.ones_like(x)": ("ones_like.default", "x"),
    "lib.full_like(x, 2)": ("full_like.default", "x", 2),
    "lib.rand_like(x)": ("rand_like.default", "x"),
    "lib.randn_like(x)": ("randn_like.default", "x"),
    "lib.randint_like(x, 4)": ("randint_like.default", "x", 4),
    "lib.bernoulli(x, 0.5)": ("bernoulli.p", "x", 0.5),
    "x.new_zeros(2)": ("new_zeros.default", "x", [2]),
    "x.new_ones(2)": ("new_ones.default", "x", [2]),
    "x.new_full((2,), 3)": ("new_full.default", "x", [2], 3),
    "x.new_empty(2)": ("new_empty.default", "x", [2]),
    "x.new_empty_strided((2,), (1,))": ("new_empty_strided.default", "x", [2], [1]),
}


def plainly(value: Any, lib: Any) -> Any:
    if isinstance(value, lib.Tensor):
        return "x"
    return list(value) if isinstance(value, (tuple, list)) else value


@pytest.mark.parametrize("text", [*FACTORIES, *LIKE_FACTORIES])
def test_a_mode_sees_one_call_of_a_factory(lib: Any, text: str) -> None:
    seen: list[Any] = []

    def log(func: Any, args: Any, kwargs: Any) -> Any:
        seen.append((str(func), *[plainly(each, lib) for each in args]))
        return func(*args, **kwargs)

    x = lib.ones(3)
    with mode_of(lib, log):
        made = eval(text, {"lib": lib, "x": x})
    name, *arguments = {**FACTORIES, **LIKE_FACTORIES}[text]
    assert seen == [(f"aten.{name}", *arguments)]
    assert made._version == 0 and not made.requires_grad


def test_a_factory_gives_what_the_mode_returns(lib: Any) -> None:
    def changed(func: Any, args: Any, kwargs: Any) -> Any:
        return func(*args, **kwargs).clone().mul_(1) + 5

    x = lib.ones(2)
    with mode_of(lib, changed):
        made = [lib.ones(2), lib.zeros(2), lib.full((2,), 3.0), lib.tensor([1.0, 2.0]), lib.arange(2)]
        made += [lib.zeros_like(x), x.new_ones(2), lib.eye(1), lib.as_tensor(2.0), lib.scalar_tensor(4.0)]
    assert [each.tolist() for each in made] == [
        [6, 6], [5, 5], [8, 8], [6, 7], [5, 6], [5, 5], [6, 6], [[6]], 7, 9,
    ]  # fmt: skip


def test_modes_are_shown_tensors_that_no_operator_makes(lib: Any) -> None:
    seen: list[Any] = []

    def log(func: Any, args: Any, kwargs: Any) -> Any:
        seen.append(str(func))
        return func(*args, **kwargs)

    with mode_of(lib, log):
        x = lib.tensor([1.0, 2.0], requires_grad=True)
        lib.as_tensor([True])
        lib.from_numpy(numpy.ones(2))
    assert seen == ["aten.lift_fresh.default"] * 3
    assert x.is_leaf and x.requires_grad and not x._is_view() and x._version == 0
    assert x.tolist() == [1.0, 2.0]


def test_modes_with_generators_and_nested_ones(lib: Any) -> None:
    seen: list[Any] = []

    def logger(name: str) -> Any:
        def log(func: Any, args: Any, kwargs: Any) -> Any:
            seen.append((name, str(func)))
            return func(*args, **kwargs)

        return log

    without = lib.rand(3, generator=lib.Generator().manual_seed(7))
    with mode_of(lib, logger("outer")), mode_of(lib, logger("inner")):
        within = lib.rand(3, generator=lib.Generator().manual_seed(7))
    assert within.tolist() == without.tolist()
    assert seen == [("inner", "aten.rand.generator"), ("outer", "aten.rand.generator")]


def test_what_a_mode_recorded_can_be_called_again(lib: Any) -> None:
    calls: list[Any] = []

    def record(func: Any, args: Any, kwargs: Any) -> Any:
        calls.append((func, args, kwargs))
        return func(*args, **kwargs)

    with mode_of(lib, record):
        lib.manual_seed(3)
        made = [lib.rand(2), lib.randint(9, (3,)), lib.randperm(4), lib.eye(2), lib.arange(1, 4)]
    lib.manual_seed(3)
    again = [func(*args, **kwargs) for func, args, kwargs in calls]
    assert [each.tolist() for each in again] == [each.tolist() for each in made]


@pytest.mark.parametrize("text", LIKE_FACTORIES)
@pytest.mark.parametrize("requires_grad", [False, True])
def test_a_wrapper_sees_one_call_of_a_factory(lib: Any, text: str, requires_grad: bool) -> None:
    if requires_grad and "bernoulli" in text:
        pytest.skip("PyTorch gives it a Node that raises")
    Wrapper, seen = wrapper_of(lib)
    x = Wrapper(lib.ones(3)).requires_grad_(requires_grad)
    made = eval(text, {"lib": lib, "x": x})
    assert seen == [f"aten.{LIKE_FACTORIES[text][0]}"]
    assert type(made) is Wrapper and not made.requires_grad


def test_the_numbers_of_what_a_wrapper_made(lib: Any) -> None:
    Wrapper, _ = wrapper_of(lib)
    x = Wrapper(lib.tensor([7.0, 8.0]))
    made = [lib.zeros_like(x), lib.ones_like(x), lib.full_like(x, 2), x.new_zeros(1), x.new_full((1,), 3)]
    assert [each.inner.tolist() for each in made] == [[0, 0], [1, 1], [2, 2], [0], [3]]


@pytest.mark.parametrize("requires_grad", [True, False])
def test_a_wrapper_can_be_a_parameter(lib: Any, requires_grad: bool) -> None:
    Wrapper, _ = wrapper_of(lib)
    Parameter = lib.nn.Parameter
    data = Wrapper(lib.ones(2))
    made = Parameter(data, requires_grad)
    assert type(made) is Wrapper and isinstance(made, Parameter) and isinstance(made, Wrapper)
    assert made.requires_grad is requires_grad and made.is_leaf and made.inner.tolist() == [1.0, 1.0]
    assert not isinstance(data, Parameter) and not isinstance(made.detach(), Parameter)
    assert not isinstance(made * 2, Parameter)
    assert not isinstance(made, type("Derived", (Parameter,), {}))
    module = lib.nn.Module()
    module.weight = made
    assert [name for name, _ in module.named_parameters()] == ["weight"]
    if requires_grad:
        (module.weight * 3).sum().backward()
        assert made.grad is not None


def test_a_wrapper_whose_detach_is_none_can_not_be_a_parameter(lib: Any) -> None:
    Wrapper, _ = wrapper_of(lib, detach=lambda inner: inner)
    with pytest.raises(RuntimeError, match="detach"):
        lib.nn.Parameter(Wrapper(lib.ones(2)))


def test_parameters_of_other_kinds(lib: Any) -> None:
    Parameter = lib.nn.Parameter
    assert Parameter().shape == (0,) and Parameter().requires_grad
    derived = type("Derived", (Parameter,), {})
    assert type(derived(lib.ones(1))) is derived and isinstance(derived(lib.ones(1)), Parameter)
    assert not isinstance(Parameter(lib.ones(1)), derived)
    assert not isinstance(lib.ones(1), Parameter) and not isinstance(SimpleNamespace(), Parameter)


@pytest.mark.parametrize("text", LIKE_FACTORIES)
def test_factories_for_each_example_can_be_written_to(lib: Any, text: str) -> None:
    def function(x: Any) -> Any:
        made = eval(text, {"lib": lib, "x": x})
        return made.zero_().add_(x.sum())

    xs = lib.tensor([[1.0, 2.0], [3.0, 4.0]])
    if "bernoulli" in text and lib.__name__ == "torch":
        pytest.skip("PyTorch has no rule for it")
    sums = lib.func.vmap(function, randomness="different")(xs)
    assert sums.tolist() == [[3.0, 3.0], [7.0, 7.0]]


def test_lists_are_lists_of_whoever_gets_them(lib: Any) -> None:
    """Modes get lists, as in PyTorch, even for a tuple or a Size; these are never the caller's lists."""
    given = [lib.ones(2), lib.ones(2)]
    seen: list[Any] = []

    def note(func: Any, args: Any, kwargs: Any) -> Any:
        result = func(*args, **kwargs)
        seen.append([type(each) for each in args if isinstance(each, (list, tuple))])
        if isinstance(args[0], list):
            args[0].clear()
        return result

    for _ in range(5):  # a call with a plan is reported like one without
        lib.cat(given)
    with mode_of(lib, note):
        for _ in range(2):
            lib.cat(given)
            lib.stack(tuple(given))
            lib.ones(2, 3).permute(1, 0).reshape((6,)).view(lib.Size([2, 3])).sum((0, 1))
    assert len(given) == 2
    assert all(kinds in ([], [list]) for kinds in seen) and seen.count([list]) > 8
