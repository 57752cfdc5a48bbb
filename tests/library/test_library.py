"""User-defined operators as in PyTorch: custom_op, Library, and autograd through both."""

import itertools
import typing
import warnings
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any

import pytest

pytestmark = pytest.mark.both_tiers

_numbers = itertools.count()


@pytest.fixture
def ns() -> str:
    """A namespace that no other test uses."""
    return f"test_namespace_{next(_numbers)}"


@pytest.fixture
def library(lib: ModuleType, ns: str) -> Iterator[Any]:
    """A library that defines ``ns`` and is destroyed after the test."""
    made = lib.library.Library(ns, "DEF")
    yield made
    made._destroy()


def namespace(lib: ModuleType, ns: str) -> Any:
    return getattr(lib.ops, ns)


def make_cube(lib: ModuleType, ns: str, with_derivative: bool = True) -> Any:
    """x ** 3 as an operator; its derivative consists of operators, and so can be differentiated again."""

    @lib.library.custom_op(f"{ns}::cube", mutates_args=())
    def cube(x: lib.Tensor) -> lib.Tensor:
        return x * x * x

    if with_derivative:

        def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
            ctx.save_for_backward(inputs[0])

        def backward(ctx: Any, grad: Any) -> Any:
            (x,) = ctx.saved_tensors
            return grad * 3 * x * x

        cube.register_autograd(backward, setup_context=setup_context)
    cube.register_fake(lib.empty_like)
    return cube


# -- infer_schema ------------------------------------------------------------------------------------------


def test_infer_schema(lib: ModuleType) -> None:
    def function(
        x: lib.Tensor,
        y: "list[int]",
        z: float | None = None,
        d: lib.device = "cpu",
        t: lib.dtype = lib.float32,
        b: bool = False,
        s: str = "hi",
        *,
        n: int = 3,
    ) -> tuple[lib.Tensor, list[lib.Tensor]]: ...

    tail = (
        'SymInt[] y, float? z=None, Device d="cpu", ScalarType t=float32, bool b=False, str s="hi", *, '
        "SymInt n=3) -> (Tensor, Tensor[])"
    )
    infer_schema = lib.library.infer_schema
    assert infer_schema(function, mutates_args=()) == f"(Tensor x, {tail}"
    assert infer_schema(function, mutates_args={"x"}, op_name="f") == f"f(Tensor(a0!) x, {tail}"
    assert infer_schema(function, mutates_args="unknown") == f"(Tensor(a0!) x, {tail}"


def test_infer_schema_of_lists_and_optionals(lib: ModuleType) -> None:
    def function(
        a: typing.Optional[lib.Tensor],  # noqa: UP045
        b: list[lib.Tensor | None],
        c: typing.List[lib.Tensor],  # noqa: UP006
        d: list[int] | None,
        e: int | float | bool,
        f: Sequence[float],
        g: list[bool],
        h: typing.Sequence[int | float | bool],
    ) -> int: ...

    assert lib.library.infer_schema(function, mutates_args={"c"}) == (
        "(Tensor? a, Tensor?[] b, Tensor(a2!)[] c, SymInt[]? d, Scalar e, float[] f, bool[] g, Scalar[] h) "
        "-> SymInt"
    )


def test_infer_schema_of_results(lib: ModuleType) -> None:
    def nothing(x: int) -> None: ...

    def one(x: int) -> tuple[lib.Tensor]: ...

    def numbers(x: int) -> tuple[int, float, bool]: ...

    assert lib.library.infer_schema(nothing, mutates_args=()) == "(SymInt x) -> ()"
    assert lib.library.infer_schema(one, mutates_args=()) == "(SymInt x) -> ((Tensor))"
    assert lib.library.infer_schema(numbers, mutates_args=()) == "(SymInt x) -> (SymInt, float, bool)"


def _unsupported(lib: ModuleType) -> dict[str, Callable[..., Any]]:
    def without_annotation(x): ...

    def without_result(x: lib.Tensor): ...

    def of_dict(x: dict) -> lib.Tensor: ...

    def of_tuple(x: tuple[int, int]) -> lib.Tensor: ...

    def several(*x: lib.Tensor) -> lib.Tensor: ...

    def only_positional(x: lib.Tensor, /) -> lib.Tensor: ...

    def dict_result(x: lib.Tensor) -> dict: ...

    def unknown_name(x: "Nothing") -> lib.Tensor: ...  # noqa: F821

    def list_of_str(x: list[str]) -> lib.Tensor: ...

    def list_default(x: lib.Tensor, y: int = []) -> lib.Tensor: ...

    return {name: value for name, value in locals().items() if name != "lib"}


@pytest.mark.parametrize("name", [*_unsupported(__import__("gnomon"))])
def test_infer_schema_refuses(lib: ModuleType, name: str) -> None:
    with pytest.raises(ValueError, match="infer_schema"):
        lib.library.infer_schema(_unsupported(lib)[name], mutates_args=())


def test_infer_schema_checks_mutates_args(lib: ModuleType) -> None:
    def function(x: lib.Tensor, n: int) -> None: ...

    with pytest.raises(ValueError, match="not found"):
        lib.library.infer_schema(function, mutates_args={"q"})
    with pytest.raises(ValueError, match="only Tensors"):
        lib.library.infer_schema(function, mutates_args={"n"})
    with pytest.raises(ValueError, match="unknown"):
        lib.library.infer_schema(function, mutates_args="x")


# -- custom_op: calls --------------------------------------------------------------------------------------


def test_a_custom_op_is_called_and_found(lib: ModuleType, ns: str) -> None:
    cube = make_cube(lib, ns)
    x = lib.tensor([1.0, 2.0])
    found = namespace(lib, ns).cube
    for call in (cube, found, found.default):
        assert call(x).tolist() == [1.0, 8.0]
        assert call(x=x).tolist() == [1.0, 8.0]
    assert "cube" in dir(namespace(lib, ns))
    assert repr(cube) == f"<CustomOpDef({ns}::cube)>"
    assert str(found.default) == f"{ns}.cube.default"
    assert repr(found) == f"<OpOverloadPacket(op='{ns}.cube')>"
    with pytest.raises(AttributeError):
        _ = namespace(lib, ns).nothing
    with pytest.raises(AttributeError):
        _ = found.nothing


def test_custom_op_without_decorator_and_again(lib: ModuleType, ns: str) -> None:
    def first(x: lib.Tensor) -> lib.Tensor:
        return x + 1

    def second(x: lib.Tensor, y: lib.Tensor) -> lib.Tensor:
        return x + y

    one = lib.library.custom_op(f"{ns}::f", first, mutates_args=())
    assert one(lib.ones(1)).item() == 2
    two = lib.library.custom_op(f"{ns}::f", second, mutates_args=())
    assert namespace(lib, ns).f(lib.ones(1), lib.ones(1) * 5).item() == 6
    assert two(lib.ones(1), lib.ones(1)).item() == 2


def test_arguments_arrive_as_their_types(lib: ModuleType, ns: str) -> None:
    seen = []

    @lib.library.custom_op(f"{ns}::f", mutates_args=())
    def f(
        x: lib.Tensor,
        n: int = 2,
        d: lib.device = "cpu",
        t: lib.dtype = lib.float32,
        w: list[float] | None = None,
        o: lib.Tensor | None = None,
        *,
        s: float = 1.0,
    ) -> lib.Tensor:
        seen.append((n, d, t, w, o, s))
        return x.clone()

    x = lib.ones(1)
    f(x)
    f(x, True, "meta", lib.float64, (1, 2), x, s=3)
    f(x, lib.tensor(4), lib.device("meta"), w=[1.5], s=lib.tensor(2.5).item())
    assert seen[0][3:] == (None, None, 1.0) and seen[0][0] == 2 and seen[0][2] is lib.float32
    assert seen[1][:4] == (1, lib.device("meta"), lib.float64, [1.0, 2.0])
    assert type(seen[1][3]) is list and type(seen[1][3][0]) is float and seen[1][4] is x
    assert type(seen[1][5]) is float
    assert seen[2] == (4, lib.device("meta"), lib.float32, [1.5], None, 2.5)


def test_arguments_that_do_not_fit(lib: ModuleType, ns: str) -> None:
    @lib.library.custom_op(f"{ns}::f", mutates_args=())
    def f(x: lib.Tensor, n: int = 2, *, s: float = 1.0) -> lib.Tensor:
        return x.clone()

    x = lib.ones(1)
    wrong: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
        ((), {}),
        ((1,), {}),
        ((x, 2.5), {}),
        ((x, 2, 3.0), {}),
        ((x,), {"q": 1}),
        ((x, 1), {"n": 1}),
        ((x,), {"s": "text"}),
        ((x, None), {}),
        (([x],), {}),
    ]
    for args, kwargs in wrong:
        with pytest.raises(RuntimeError):
            f(*args, **kwargs)


def test_results_that_do_not_fit(lib: ModuleType, ns: str) -> None:
    @lib.library.custom_op(f"{ns}::number", mutates_args=())
    def number(x: lib.Tensor) -> lib.Tensor:
        return 3

    @lib.library.custom_op(f"{ns}::something", mutates_args={"x"})
    def something(x: lib.Tensor) -> None:
        return x.clone()

    for f in (number, something):
        with pytest.raises(RuntimeError):
            f(lib.ones(1))


def test_kinds_of_results(lib: ModuleType, ns: str) -> None:
    @lib.library.custom_op(f"{ns}::several", mutates_args=())
    def several(x: lib.Tensor) -> tuple[lib.Tensor, list[lib.Tensor], int, float, bool]:
        return x + 1, [x + 2, x + 3], 4, 5.0, True

    @lib.library.custom_op(f"{ns}::one", mutates_args=())
    def one(x: lib.Tensor) -> tuple[lib.Tensor]:
        return (x + 1,)

    @lib.library.custom_op(f"{ns}::factory", mutates_args=())
    def factory(n: int) -> lib.Tensor:
        return lib.ones(n)

    a, b, *numbers = several(lib.zeros(1))
    assert (a.item(), [each.item() for each in b], numbers) == (1, [2, 3], [4, 5.0, True])
    result = one(lib.zeros(1))
    assert type(result) is tuple and result[0].item() == 1
    assert factory(3).shape == (3,)


def test_results_may_not_alias(lib: ModuleType, ns: str) -> None:
    @lib.library.custom_op(f"{ns}::same", mutates_args=())
    def same(x: lib.Tensor) -> lib.Tensor:
        return x

    @lib.library.custom_op(f"{ns}::view", mutates_args=())
    def view(x: lib.Tensor) -> lib.Tensor:
        return x.view(-1)

    @lib.library.custom_op(f"{ns}::twice", mutates_args=())
    def twice(x: lib.Tensor) -> tuple[lib.Tensor, lib.Tensor]:
        y = x + 1
        return y, y[:1]

    for f in (same, view, twice):
        with pytest.raises(RuntimeError, match="may not alias"):
            f(lib.ones(2))


def test_schema_in_words(lib: ModuleType, ns: str) -> None:
    def f(x, n=3):
        return x * n

    made = lib.library.custom_op(f"{ns}::f", f, mutates_args=(), schema="(Tensor x, int n=3) -> Tensor")
    assert made(lib.ones(1)).item() == 3
    with pytest.raises(ValueError, match="mutates"):
        lib.library.custom_op(f"{ns}::g", f, mutates_args={"x"}, schema="(Tensor x, int n=3) -> Tensor")
    with pytest.raises(NotImplementedError, match="kwarg-only"):
        lib.library.custom_op(f"{ns}::h", f, mutates_args=(), schema="(Tensor x, *, Tensor y) -> Tensor")
    with pytest.raises(RuntimeError):
        lib.library.custom_op(f"{ns}::i", f, mutates_args=(), schema="(Tensor x -> Tensor")
    with pytest.raises(RuntimeError):
        lib.library.custom_op(f"{ns}::j", f, mutates_args=(), schema="(Nothing x) -> Tensor")


def test_kernels_by_device(lib: ModuleType, ns: str) -> None:
    @lib.library.custom_op(f"{ns}::f", mutates_args=(), device_types="cuda")
    def f(x: lib.Tensor) -> lib.Tensor:
        return x + 1

    x = lib.zeros(1)
    with pytest.raises(NotImplementedError, match=f"{ns}::f"):
        f(x)

    @f.register_kernel(["cpu"])
    def _(x: Any) -> Any:
        return x + 2

    assert f(x).item() == 2
    lib.library.register_kernel(f"{ns}::f", "cpu", lambda x: x + 3)
    assert f(x).item() == 3
    f.register_kernel(None, lambda x: x + 4)
    assert f(x).item() == 3  # the device's own kernel has priority
    with f.set_kernel_enabled("cpu", False):
        assert f(x).item() == 1  # the function that defined the operator
    assert f(x).item() == 3


def test_a_kernel_for_a_device_needs_something_that_says_the_device(lib: ModuleType, ns: str) -> None:
    def numbers(n: int) -> lib.Tensor:
        return lib.ones(n)

    def on_device(n: int, device: lib.device) -> lib.Tensor:
        return lib.ones(n) * 2

    with pytest.raises(ValueError, match="device"):
        lib.library.custom_op(f"{ns}::f", numbers, mutates_args=(), device_types="cpu")
    made = lib.library.custom_op(f"{ns}::g", on_device, mutates_args=(), device_types="cpu")
    assert made(2, "cpu").tolist() == [2.0, 2.0]
    with pytest.raises(RuntimeError):
        made(2, "meta")


def test_a_kernel_need_not_know_later_arguments(lib: ModuleType, ns: str) -> None:
    def f(x: lib.Tensor, n: int = 2) -> lib.Tensor:
        return x * n

    made = lib.library.custom_op(f"{ns}::f", f, mutates_args=())
    made.register_kernel("cpu", lambda x: x * 10)
    assert made(lib.ones(1)).item() == 10
    assert made(lib.ones(1), 2).item() == 10  # an argument that equals its default is not passed on


def test_the_meta_device_takes_the_fake(lib: ModuleType, ns: str) -> None:
    @lib.library.custom_op(f"{ns}::f", mutates_args=())
    def f(x: lib.Tensor) -> lib.Tensor:
        return lib.cat([x, x])

    x = lib.ones(3, device="meta")
    with pytest.raises(RuntimeError, match="no fake impl"):
        f(x)

    @f.register_fake
    def _(x: Any) -> Any:
        return x.new_empty(6)

    assert f(x).shape == (6,) and f(x).device.type == "meta"
    lib.library.register_fake(f"{ns}::f", lambda x: x.new_empty(7))
    assert f(x).shape == (7,)


# -- custom_op: autograd -----------------------------------------------------------------------------------


def test_backward_and_its_backward(lib: ModuleType, ns: str) -> None:
    cube = make_cube(lib, ns)
    x = lib.tensor([2.0, -1.0], dtype=lib.float64, requires_grad=True)
    y = cube(x)
    assert y.grad_fn.name() == f"GeneratedBackwardFor_{ns}_cube_defaultBackward"
    (grad,) = lib.autograd.grad(y.sum(), x, create_graph=True)
    assert grad.tolist() == [12.0, 3.0]
    (second,) = lib.autograd.grad(grad.sum(), x)
    assert second.tolist() == [12.0, -6.0]
    assert lib.autograd.gradcheck(cube, [x]) and lib.autograd.gradgradcheck(cube, [x])


def test_nothing_is_recorded_that_is_not_asked_for(lib: ModuleType, ns: str) -> None:
    cube = make_cube(lib, ns)
    x = lib.tensor([2.0], requires_grad=True)
    with lib.no_grad():
        assert not cube(x).requires_grad
    assert not cube(x.detach()).requires_grad


def test_without_a_formula_backward_raises(lib: ModuleType, ns: str) -> None:
    cube = make_cube(lib, ns, with_derivative=False)
    y = cube(lib.ones(2, requires_grad=True))
    assert y.requires_grad  # although its kernel consists of differentiable operators
    with pytest.raises(RuntimeError, match="no autograd formula was registered"):
        y.sum().backward()


def test_saved_tensors_are_checked_and_freed(lib: ModuleType, ns: str) -> None:
    cube = make_cube(lib, ns)
    x = lib.ones(2, requires_grad=True)
    y = cube(x)
    with lib.no_grad():
        x.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()
    y = cube(x).sum()
    y.backward()
    with pytest.raises(RuntimeError, match="second time"):
        y.backward()


def test_hooks_of_its_node(lib: ModuleType, ns: str) -> None:
    cube = make_cube(lib, ns)
    x = lib.ones(1, requires_grad=True)
    y = cube(x)
    seen = []
    y.grad_fn.register_hook(lambda inputs, outputs: seen.append((inputs[0].item(), outputs[0].item())))
    y.backward()
    assert seen == [(3.0, 1.0)]


def test_what_setup_context_and_backward_are_given(lib: ModuleType, ns: str) -> None:
    seen: dict[str, Any] = {}

    @lib.library.custom_op(f"{ns}::f", mutates_args=())
    def f(xs: list[lib.Tensor], y: lib.Tensor, w: list[float], *, s: float = 2.0) -> list[lib.Tensor]:
        return [x * a * s + y for x, a in zip(xs, w)]

    def setup_context(ctx: Any, inputs: Any, keyword_only_inputs: Any, output: Any) -> None:
        seen["inputs"], seen["keywords"], seen["output"] = inputs, keyword_only_inputs, output
        ctx.w, ctx.s = inputs[2], keyword_only_inputs["s"]

    def backward(ctx: Any, grads: Any) -> Any:
        seen["needs"] = tuple(ctx.needs_input_grad)
        return [g * a * ctx.s for g, a in zip(grads, ctx.w)], grads[0] + grads[1], None

    f.register_autograd(backward, setup_context=setup_context)
    a, b = lib.ones(2, requires_grad=True), lib.ones(2)
    y = lib.zeros(2, requires_grad=True)
    results = f((a, b), y, (3, 4))
    assert type(results) is list and [each.tolist() for each in results] == [[6.0, 6.0], [8.0, 8.0]]
    (results[0].sum() + 2 * results[1].sum()).backward()
    assert a.grad.tolist() == [6.0, 6.0] and b.grad is None and y.grad.tolist() == [3.0, 3.0]
    assert seen["inputs"][0][0] is a and seen["inputs"][2] == [3.0, 4.0] and len(seen["inputs"]) == 3
    assert seen["keywords"] == {"s": 2.0}
    assert type(seen["output"]) is list
    assert seen["needs"] == ([True, False], True, False)


def test_several_results_and_one_that_is_not_differentiable(lib: ModuleType, ns: str) -> None:
    @lib.library.custom_op(f"{ns}::f", mutates_args=())
    def f(x: lib.Tensor) -> tuple[lib.Tensor, lib.Tensor, lib.Tensor]:
        return x * 2, x * 3, (x > 0).to(lib.int64)

    given = []

    def backward(ctx: Any, a: Any, b: Any, c: Any) -> Any:
        given.append((a.tolist(), b.tolist()))
        return a * 2 + b * 3

    f.register_autograd(backward)
    x = lib.ones(1, requires_grad=True)
    a, b, c = f(x)
    assert a.requires_grad and b.requires_grad and not c.requires_grad
    b.backward()
    assert given == [([0.0], [1.0])] and x.grad.item() == 3


def test_backward_that_returns_what_does_not_fit(lib: ModuleType, ns: str) -> None:
    @lib.library.custom_op(f"{ns}::f", mutates_args=())
    def f(x: lib.Tensor, y: lib.Tensor) -> lib.Tensor:
        return x * y

    @lib.library.custom_op(f"{ns}::g", mutates_args=())
    def g(xs: list[lib.Tensor]) -> lib.Tensor:
        return xs[0] * 2

    x = lib.ones(1, requires_grad=True)
    f.register_autograd(lambda ctx, grad: grad)
    with pytest.raises(RuntimeError, match="incorrect number of gradients"):
        f(x, x).backward()
    g.register_autograd(lambda ctx, grad: ([grad],))
    with pytest.raises(RuntimeError, match="same structure"):
        g([x, x]).backward()


def test_a_default_that_is_left_out_needs_no_gradient(lib: ModuleType, ns: str) -> None:
    @lib.library.custom_op(f"{ns}::f", mutates_args=())
    def f(x: lib.Tensor, n: int = 2) -> lib.Tensor:
        return x * n

    f.register_autograd(lambda ctx, grad: grad * 2)
    x = lib.ones(1, requires_grad=True)
    f(x).backward()
    assert x.grad.item() == 2


def test_kernels_are_not_recorded(lib: ModuleType, ns: str) -> None:
    recorded = []

    @lib.library.custom_op(f"{ns}::f", mutates_args=())
    def f(x: lib.Tensor) -> lib.Tensor:
        with lib.enable_grad():
            recorded.append((x * 2).requires_grad)
        return x * 2

    x = lib.ones(1, requires_grad=True)
    f(x)
    with lib.no_grad():
        f(x)
    assert recorded == [False, False]


def test_a_derivative_registered_by_name_or_later(lib: ModuleType, ns: str) -> None:
    cube = make_cube(lib, ns, with_derivative=False)
    x = lib.ones(1, requires_grad=True)
    y = cube(x)
    lib.library.register_autograd(f"{ns}::cube", lambda ctx, grad: grad * 7)
    y.backward()
    assert x.grad.item() == 7
    lib.library.register_autograd(cube, lambda ctx, grad: grad * 8)
    (grad,) = lib.autograd.grad(cube(x), x)
    assert grad.item() == 8


# -- custom_op: mutation -----------------------------------------------------------------------------------


def test_writing_bumps_versions(lib: ModuleType, ns: str) -> None:
    @lib.library.custom_op(f"{ns}::increment", mutates_args={"x", "ys"})
    def increment(x: lib.Tensor, ys: list[lib.Tensor], z: lib.Tensor) -> None:
        x.data.add_(1)
        for y in ys:
            y.data.add_(2)

    x, y, z = lib.zeros(1), lib.zeros(1), lib.zeros(1)
    assert increment(x, [y], z) is None
    assert (x.item(), y.item(), z.item()) == (1, 2, 0)
    assert (x._version, y._version, z._version) == (1, 1, 0)
    w = lib.ones(1, requires_grad=True)
    product = w * x
    increment(x, [], z)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.backward()
    assert increment(*[lib.zeros(1, device="meta")] * 1, [], lib.zeros(1, device="meta")) is None
    with pytest.raises(RuntimeError, match="non-functional"):
        increment.register_autograd(lambda ctx: None)


def test_a_derivative_needs_results(lib: ModuleType, ns: str) -> None:
    @lib.library.custom_op(f"{ns}::nothing", mutates_args=())
    def nothing(x: lib.Tensor) -> None: ...

    with pytest.raises(RuntimeError, match="non-functional"):
        nothing.register_autograd(lambda ctx: None)


# -- Library -----------------------------------------------------------------------------------------------


def test_library_defines_and_takes_back(lib: ModuleType, ns: str) -> None:
    made = lib.library.Library(ns, "DEF")
    made.define("f(Tensor x) -> Tensor")
    assert made.define("f.two(Tensor x, Tensor y) -> Tensor").startswith("f")
    made.impl("f", lambda x: x + 1, "CompositeExplicitAutograd")
    made.impl("f.two", lambda x, y: x + y, "CompositeExplicitAutograd")
    packet = namespace(lib, ns).f
    x = lib.ones(1)
    assert (packet(x).item(), packet(x, x * 4).item(), packet.two(x, x).item()) == (2, 5, 2)
    with pytest.raises(RuntimeError, match="multiple times"):
        made.define("f(Tensor x) -> Tensor")
    with pytest.raises(RuntimeError):
        lib.library.Library(ns, "DEF")
    more = lib.library.Library(ns, "FRAGMENT")
    more.define("g(Tensor x) -> Tensor")
    more.impl("g", lambda x: x + 2, "CPU")
    assert namespace(lib, ns).g(x).item() == 3
    more._destroy()
    with pytest.raises(AttributeError):
        _ = namespace(lib, ns).g
    assert namespace(lib, ns).f(x).item() == 2
    made._destroy()
    with pytest.raises(AttributeError):
        _ = namespace(lib, ns).f
    assert "f" not in dir(namespace(lib, ns))
    with pytest.raises(AssertionError, match="destroyed"):
        made.define("h(Tensor x) -> Tensor")
    lib.library.Library(ns, "DEF")._destroy()  # the namespace is free again


def test_a_registration_that_is_taken_back_uncovers_the_one_before(
    lib: ModuleType, ns: str, library: Any
) -> None:
    library.define("f(Tensor x) -> Tensor")
    library.impl("f", lambda x: x + 1, "CPU")
    other = lib.library.Library(ns, "IMPL")
    other.impl("f", lambda x: x + 2, "CPU")
    f = namespace(lib, ns).f
    assert f(lib.zeros(1)).item() == 2
    other._destroy()
    assert f(lib.zeros(1)).item() == 1


def test_implementations_may_come_before_the_definition(lib: ModuleType, ns: str, library: Any) -> None:
    library.impl("f", lambda x: x + 1, "CPU")
    library.define("f(Tensor x) -> Tensor")
    assert namespace(lib, ns).f(lib.zeros(1)).item() == 1


def test_library_refuses(lib: ModuleType, ns: str, library: Any) -> None:
    with pytest.raises(ValueError, match="Unsupported kind"):
        lib.library.Library(ns, "OTHER")
    with pytest.raises(ValueError, match="reserved"):
        lib.library.Library("prim", "DEF")
    with pytest.raises(RuntimeError):
        lib.library.Library("aten", "DEF")
    with pytest.raises(RuntimeError):
        library.define("no schema")
    library.define("f(Tensor x) -> Tensor")
    with pytest.raises(RuntimeError, match="could not parse dispatch key"):
        library.impl("f", lambda x: x, "Nowhere")
    with pytest.raises(TypeError, match="callable"):
        library.impl("f", 3, "CPU")
    library.impl("f", lambda x: x, "CPU")
    with pytest.raises(RuntimeError, match="already a kernel"):
        library.impl("f", lambda x: x, "CPU", allow_override=False)
    with pytest.raises(NotImplementedError, match=f"{ns}::f"):
        namespace(lib, ns).f(lib.zeros(1, device="meta"))
    library.define("g(Tensor x) -> Tensor")
    with pytest.raises(NotImplementedError, match=f"{ns}::g"):
        namespace(lib, ns).g(lib.zeros(1))
    library.impl("g", lambda x: x.sin(), "CompositeImplicitAutograd")
    with pytest.raises(RuntimeError, match="CompositeImplicitAutograd"):
        library.impl("g", lambda x: x, "Meta")


def test_compositions_are_taken_apart(lib: ModuleType, ns: str, library: Any) -> None:
    library.define("f(Tensor x) -> Tensor")
    library.impl("f", lambda x: x.sin() * 2)
    x = lib.zeros(1, requires_grad=True)
    y = namespace(lib, ns).f(x)
    assert y.grad_fn.name() == "MulBackward0"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        y.backward()
    assert x.grad.item() == 2
    assert namespace(lib, ns).f(lib.zeros(2, device="meta")).shape == (2,)


def test_an_explicit_composition_runs_on_every_device(lib: ModuleType, ns: str, library: Any) -> None:
    library.define("f(Tensor x) -> Tensor")
    library.impl("f", lambda x: x + 1, "CompositeExplicitAutograd")
    f = namespace(lib, ns).f
    assert f(lib.zeros(1)).item() == 1 and f(lib.zeros(1, device="meta")).is_meta
    library.impl("f", lambda x: x.new_empty(5), "Meta")
    assert f(lib.zeros(1, device="meta")).shape == (5,)


def test_without_a_derivative_backward_warns(lib: ModuleType, ns: str, library: Any) -> None:
    library.define("apart(Tensor x) -> Tensor")
    library.impl("apart", lambda x: x.detach() * 2, "CPU")
    library.define("through(Tensor x) -> Tensor")
    library.impl("through", lambda x: x * 2, "CPU")
    x = lib.ones(1, requires_grad=True)
    y = namespace(lib, ns).apart(x)
    assert y.requires_grad and y.grad_fn.name().endswith("WarnNotImplemented")
    with pytest.warns(UserWarning, match="autograd kernel was not registered"):
        y.backward()
    assert x.grad is None
    with pytest.warns(UserWarning, match="autograd kernel was not registered"):
        namespace(lib, ns).through(x).backward()
    assert x.grad.item() == 2


def test_library_operators_with_derivatives_and_autograd_kernels(
    lib: ModuleType, ns: str, library: Any
) -> None:
    library.define("f(Tensor x) -> Tensor")
    library.impl("f", lambda x: x * 2, "CPU")
    lib.library.register_autograd(f"{ns}::f", lambda ctx, grad: grad * 5, lib=library)
    x = lib.ones(1, requires_grad=True)
    y = namespace(lib, ns).f(x)
    assert y.grad_fn.name() == f"GeneratedBackwardFor_{ns}_f_defaultBackward"
    y.backward()
    assert x.grad.item() == 5

    class Triple(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.detach() * 3

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * 3

    library.define("g(Tensor x) -> Tensor")
    library.impl("g", Triple.apply, "Autograd")
    g = namespace(lib, ns).g
    assert g(x.detach()).item() == 3  # the Autograd kernel also runs if no tensor requires grad
    assert g(x).grad_fn.name() == "TripleBackward"
    with pytest.raises(AttributeError):
        lib.library.register_autograd(f"{ns}::nothing", lambda ctx, grad: grad)
    with pytest.raises(RuntimeError, match="does not exist"):
        lib.library.register_fake(f"{ns}::nothing", lambda x: x)
    for register in (lib.library.register_fake, lib.library.register_autograd):
        with pytest.raises(ValueError, match="unexpected type"):
            register(3, lambda x: x)


def test_views_by_schema(lib: ModuleType, ns: str, library: Any) -> None:
    library.define("flat(Tensor(a) x) -> Tensor(a)")
    library.impl("flat", lambda x: x.view(-1), "CompositeExplicitAutograd")
    x = lib.ones(2, 2)
    flat = namespace(lib, ns).flat(x)
    assert flat._is_view() and flat._base is x
    flat.add_(1)
    assert x._version == 1


def test_inplace_by_schema(lib: ModuleType, ns: str, library: Any) -> None:
    library.define("add_two_(Tensor(a!) x) -> Tensor(a!)")

    def add_two(x: Any) -> Any:
        return x.add_(2)

    library.impl("add_two_", add_two, "CompositeExplicitAutograd")
    x = lib.ones(1)
    assert namespace(lib, ns).add_two_(x) is x
    assert x.item() == 3 and x._version > 0


def test_functions_of_the_module(lib: ModuleType, ns: str) -> None:
    with lib.no_grad():
        owner = lib.library.Library(ns, "FRAGMENT")
        lib.library.define(f"{ns}::f", "(Tensor x) -> Tensor", lib=owner)
        x = lib.zeros(1)
        f = namespace(lib, ns).f

        @lib.library.impl(f"{ns}::f", "cpu", lib=owner)
        def _(x: Any) -> Any:
            return x + 1

        assert f(x).item() == 1
        lib.library.impl(f"{ns}::f", ["cpu", "default"], lambda x: x + 2, lib=owner)
        assert f(x).item() == 2
        lib.library.register_kernel(f"{ns}::f", "cpu", lambda x: x + 3, lib=owner)
        assert f(x).item() == 3

        @lib.library.register_fake(f"{ns}::f", lib=owner)
        def _(x: Any) -> Any:
            return x.new_empty(9)

        assert f(lib.zeros(1, device="meta")).shape == (9,)

        @lib.library.define(owner, "g(Tensor x) -> Tensor")
        def g(x: Any) -> Any:
            return x + 4

        @lib.library.impl(owner, "g", "CPU")
        def _(x: Any) -> Any:
            return x + 5

        assert g(x).item() == 4 and namespace(lib, ns).g(x).item() == 5
        for call in (
            lambda: lib.library.define("f", "(Tensor x) -> Tensor"),
            lambda: lib.library.define(f"{ns}::h", "Tensor x"),
            lambda: lib.library.define(3, "(Tensor x) -> Tensor"),
        ):
            with pytest.raises((ValueError, RuntimeError)):
                call()
        owner._destroy()


# -- opcheck -----------------------------------------------------------------------------------------------

TESTS = ["test_schema", "test_autograd_registration", "test_faketensor", "test_aot_dispatch_dynamic"]


def failures(lib: ModuleType, op: Any, *args: Any) -> list[str]:
    """The tests of opcheck that an operator fails."""
    results = lib.library.opcheck(op, args, raise_exception=False)
    assert list(results) == TESTS
    return [name for name, result in results.items() if result != "SUCCESS"]


def test_opcheck_passes_what_is_right(lib: ModuleType, ns: str) -> None:
    cube = make_cube(lib, ns)
    x = lib.tensor([[0.5, -1.5], [2.0, 1.0]], requires_grad=True)
    assert lib.library.opcheck(cube, (x,)) == dict.fromkeys(TESTS, "SUCCESS")
    assert failures(lib, namespace(lib, ns).cube, x.detach().t()) == []
    assert lib.library.opcheck(cube, (), {"x": x}, test_utils="test_schema") == {"test_schema": "SUCCESS"}
    assert failures(lib, lib.ops.aten.sin.default, x) == []
    assert x.grad is None and x._version == 0

    @lib.library.custom_op(f"{ns}::increment", mutates_args={"x"})
    def increment(x: lib.Tensor) -> None:
        x.add_(1)

    y = lib.ones(2)
    assert failures(lib, increment, y) == []
    assert y.tolist() == [1.0, 1.0]


def test_opcheck_finds_writing_that_is_not_said(lib: ModuleType, ns: str) -> None:
    @lib.library.custom_op(f"{ns}::f", mutates_args=())
    def f(x: lib.Tensor) -> lib.Tensor:
        x.add_(1)
        return x.clone()

    f.register_fake(lib.empty_like)
    assert "test_schema" in failures(lib, f, lib.ones(2))
    with pytest.raises(Exception, match=r"opcheck.*not defined as mutable but was mutated") as error:
        lib.library.opcheck(f, (lib.ones(2),))
    assert type(error.value).__name__ == "OpCheckError"


@pytest.mark.filterwarnings("ignore")
def test_opcheck_finds_aliasing_that_is_not_said(lib: ModuleType, ns: str, library: Any) -> None:
    library.define("f(Tensor x) -> Tensor")
    library.impl("f", lambda x: x.view(-1), "CompositeExplicitAutograd")
    assert "test_schema" in failures(lib, namespace(lib, ns).f.default, lib.ones(2, 2))


def test_opcheck_finds_wrong_fakes(lib: ModuleType, ns: str) -> None:
    @lib.library.custom_op(f"{ns}::f", mutates_args=())
    def f(x: lib.Tensor) -> lib.Tensor:
        return x.t().clone(memory_format=lib.contiguous_format).t()

    x = lib.ones(2, 3)
    assert "test_faketensor" in failures(lib, f, x)  # there is no fake
    f.register_fake(lambda x: x.new_empty(3, 2))
    assert "test_faketensor" in failures(lib, f, x)
    f.register_fake(lambda x: x.new_empty(2, 3))  # other strides
    assert "test_faketensor" in failures(lib, f, x)
    f.register_fake(lambda x: x.new_empty(3, 2, dtype=lib.float64).t())
    assert "test_faketensor" in failures(lib, f, x)
    f.register_fake(lambda x: x.new_empty(3, 2).t())
    assert failures(lib, f, x) == []


@pytest.mark.filterwarnings("ignore")
def test_opcheck_finds_autograd_in_the_wrong_place(lib: ModuleType, ns: str, library: Any) -> None:
    library.define("f(Tensor x) -> Tensor")
    library.impl("f", lambda x: x * 3, "CPU")
    library.impl("f", lambda x: x.new_empty(x.shape), "Meta")
    assert "test_autograd_registration" in failures(
        lib, namespace(lib, ns).f.default, lib.ones(2, requires_grad=True)
    )
    assert failures(lib, namespace(lib, ns).f.default, lib.ones(2)) == []


def test_opcheck_finds_a_missing_derivative(lib: ModuleType, ns: str) -> None:
    cube = make_cube(lib, ns, with_derivative=False)
    assert failures(lib, cube, lib.ones(2, requires_grad=True)) == ["test_aot_dispatch_dynamic"]
    assert failures(lib, cube, lib.ones(2)) == []


def test_opcheck_refuses(lib: ModuleType, ns: str) -> None:
    cube = make_cube(lib, ns)
    x = lib.ones(1)
    with pytest.raises(ValueError, match="OpOverload"):
        lib.library.opcheck(3, (x,))
    with pytest.raises(ValueError, match="expected test_utils"):
        lib.library.opcheck(cube, (x,), test_utils="test_nothing")
    with pytest.raises(ValueError, match="rtol/atol"):
        lib.library.opcheck(cube, (x,), atol=1.0)
    with pytest.raises(RuntimeError):
        lib.library.opcheck(lib.ops.aten.add, (x, x))


def test_tags_are_taken_and_fakes_have_an_old_name(ns: str) -> None:
    import gnomon as gn

    gn.library.define(f"{ns}::twice", "(Tensor x) -> Tensor", tags=("pt2_compliant_tag",))
    gn.library.impl(f"{ns}::twice", "default", lambda x: x * 2)

    @gn.library.impl_abstract(f"{ns}::twice")
    def twice(x):
        return gn.empty_like(x)

    operator = getattr(gn.ops, ns).twice
    assert operator(gn.ones(2)).tolist() == [2.0, 2.0]
    assert operator(gn.ones(2, device="meta")).shape == (2,)
    made = gn.library.custom_op(
        f"{ns}::thrice", lambda x: x * 3, mutates_args=(), schema="(Tensor x) -> Tensor", tags=()
    )
    assert made(gn.ones(1)).tolist() == [3.0]
