"""User-defined operators where gnomon has more than PyTorch or differs from it: kernels by backend, modes,
subclasses, vmap, and opcheck.
"""

import gc
import logging
import re
from pathlib import Path
from typing import Any

import pytest

import gnomon as gn
from gnomon import DispatchMode, Tensor
from gnomon.autograd import forward_ad, gradcheck
from gnomon.func import grad, vmap
from gnomon.library import Library, custom_op, opcheck, register_vmap

PAGE = Path(__file__).parents[2] / "docs" / "custom_operators.md"


@pytest.fixture
def scaled() -> Any:
    """x * factor, with a kernel for each backend."""

    @custom_op("gnomon_test::scaled", mutates_args=(), device_types="reference")
    def scaled(x: Tensor, factor: float = 2.0) -> Tensor:
        return x * factor

    @scaled.register_kernel("c")
    def _(x: Tensor, factor: float = 2.0) -> Tensor:
        return x * factor * 1.0

    scaled.register_fake(lambda x, factor=2.0: gn.empty_like(x))

    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        ctx.factor = inputs[1]

    scaled.register_autograd(lambda ctx, grad: (grad * ctx.factor, None), setup_context=setup_context)
    return scaled


def test_each_backend_runs_its_own_kernel(device: str) -> None:
    @custom_op("gnomon_test::where", mutates_args=(), device_types="reference")
    def where(x: Tensor) -> Tensor:
        return x + 1

    where.register_kernel("c", lambda x: x + 2)
    assert where(gn.zeros(1)).item() == {"reference": 1, "c": 2}[device]


def test_a_device_without_a_kernel_is_named_with_those_that_have_one() -> None:
    @custom_op("gnomon_test::elsewhere", mutates_args=(), device_types=["cuda", "c"])
    def elsewhere(x: Tensor) -> Tensor:
        return x + 1

    with pytest.raises(NotImplementedError) as error:
        elsewhere(gn.zeros(1, device="reference"))
    for part in ("gnomon_test::elsewhere", "'reference'", "'cuda'", "'c'"):
        assert part in str(error.value)
    elsewhere.register_kernel(None, lambda x: x + 5)
    assert elsewhere(gn.zeros(1, device="reference")).item() == 5


def test_cpu_is_every_backend_in_host_memory() -> None:
    @custom_op("gnomon_test::on_cpu", mutates_args=(), device_types="cpu")
    def on_cpu(x: Tensor) -> Tensor:
        return x + 1

    cpu = gn.zeros(1, device="cpu").device.type
    for host in ("reference", cpu):
        assert on_cpu(gn.zeros(1, device=host)).item() == 1
    on_cpu.register_kernel(cpu, lambda x: x + 2)
    assert on_cpu(gn.zeros(1, device=cpu)).item() == 2


def test_several_devices_at_once_want_a_kernel_for_all() -> None:
    def both(x: Tensor, y: Tensor) -> Tensor:
        return x + y.to(x.device)

    x, y = gn.ones(1, device="reference"), gn.ones(1, device="meta")
    own = custom_op("gnomon_test::both", both, mutates_args=(), device_types="reference")
    with pytest.raises(NotImplementedError, match="several devices"):
        own(x, y)
    for_all = custom_op("gnomon_test::both", lambda x, y: x.clone(), mutates_args=(),
                        schema="(Tensor x, Tensor y) -> Tensor")  # fmt: skip
    assert for_all(x, y).item() == 1


def test_a_factory_runs_on_the_default_device(device: str) -> None:
    @custom_op("gnomon_test::made", mutates_args=())
    def made(n: int) -> Tensor:
        return gn.ones(n)

    @custom_op("gnomon_test::made_there", mutates_args=(), device_types=("reference", "c"))
    def made_there(n: int, device: gn.device | None = None) -> Tensor:
        return gn.ones(n, device=device)

    assert made(2).device.type == made_there(2).device.type == device
    assert made_there(2, "reference").device.type == "reference"
    assert opcheck(made, (3,), test_utils="test_schema") == {"test_schema": "SUCCESS"}


def test_gradients_on_each_backend(device: str, scaled: Any) -> None:
    x = gn.tensor([1.0, -2.0], dtype=gn.float64, requires_grad=True)
    assert gradcheck(scaled, [x])
    scaled(x, 3).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]
    assert set(opcheck(scaled, (x, 4.0)).values()) == {"SUCCESS"}


def test_operators_of_a_namespace(scaled: Any) -> None:
    assert "gnomon_test" in dir(gn.ops) and "aten" in dir(gn.ops)
    assert "scaled" in dir(gn.ops.gnomon_test)
    assert gn.ops.gnomon_test.scaled.default is scaled._opoverload
    with pytest.raises(AttributeError, match="no namespace"):
        _ = gn.ops.nothing_of_the_kind


def test_gnomons_own_namespaces_are_not_for_users() -> None:
    for name in ("aten", "pointwise"):
        for kind, error in (
            ("DEF", RuntimeError),
            ("FRAGMENT", NotImplementedError),
            ("IMPL", NotImplementedError),
        ):
            with pytest.raises(error):
                Library(name, kind)
    with pytest.raises(ValueError, match="not a valid name"):
        Library("no name", "DEF")
    with pytest.raises(RuntimeError, match="gnomon_test"):
        Library("gnomon_test", "FRAGMENT").impl("another::f", lambda x: x)
    with pytest.raises(RuntimeError, match="IMPL"):
        Library("gnomon_test", "IMPL").define("f(Tensor x) -> Tensor")


def test_names_that_are_taken() -> None:
    library = Library("gnomon_test_names", "DEF")
    for name in ("_name", "_packets", "_define", "f.name", "f.overloads"):
        with pytest.raises(RuntimeError, match="cannot be the name"):
            library.define(f"{name}(Tensor x) -> Tensor")


def test_a_library_takes_back_what_it_registered_when_it_is_freed() -> None:
    library = Library("gnomon_test_freed", "DEF")
    library.define("f(Tensor x) -> Tensor")
    assert "f" in dir(gn.ops.gnomon_test_freed)
    del library
    gc.collect()
    assert dir(gn.ops.gnomon_test_freed) == []


def test_a_composition_gives_way_to_a_kernel_of_the_device() -> None:
    library = Library("gnomon_test_composed", "DEF")
    library.define("f(Tensor x) -> Tensor")
    library.impl("f", lambda x: x * 2)
    library.impl("f", lambda x: x * 3, "c")
    f = gn.ops.gnomon_test_composed.f
    assert f(gn.ones(1, device="reference")).item() == 2
    assert f(gn.ones(1, device="c")).item() == 3
    seen: list[str] = []

    class Names(DispatchMode):
        def __gnomon_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append(func.name)
            return func(*args, **(kwargs or {}))

    there, elsewhere = gn.ones(1, device="reference"), gn.ones(1, device="c")
    with Names():
        f(there)
        seen.append("then")
        f(elsewhere)
    assert seen == ["mul.Tensor", "then", "gnomon_test_composed::f"]


def test_kernels_may_ask_for_the_keys() -> None:
    library = Library("gnomon_test_keys", "DEF")
    library.define("f(Tensor x) -> Tensor")
    seen = []

    def kernel(keys: Any, x: Tensor) -> Tensor:
        seen.append(keys.has(gn.values.dispatch_key.DispatchKey.Autograd))
        return x + 1

    library.impl("f", kernel, "CompositeExplicitAutograd", with_keyset=True)
    gn.ops.gnomon_test_keys.f(gn.ones(1))
    library.impl("f", kernel, "Autograd", with_keyset=True)
    gn.ops.gnomon_test_keys.f(gn.ones(1))
    assert seen == [False, True]


# -- modes and subclasses ----------------------------------------------------------------------------------


def test_modes_see_it(scaled: Any) -> None:
    seen: list[Any] = []

    class Log(DispatchMode):
        def __gnomon_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append((str(func), len(args)))
            return func(*args, **(kwargs or {}))

    x = gn.ones(1, requires_grad=True)
    with Log():
        y = scaled(x, 3.0)
        scaled(x)
    assert seen == [("gnomon_test.scaled.default", 2), ("gnomon_test.scaled.default", 1)]
    y.backward()  # autograd recorded above the mode
    assert x.grad.item() == 3


def test_views_are_marked_around_modes() -> None:
    library = Library("gnomon_test_views", "DEF")
    library.define("halves(Tensor(a) x) -> Tensor(a)[]")
    library.impl("halves", lambda x: list(x.chunk(2)), "CompositeExplicitAutograd")
    x = gn.ones(4)
    with DispatchMode():
        views = gn.ops.gnomon_test_views.halves(x)
    assert all(view._base is x for view in views)
    views[0].add_(1)
    assert x._version == 1


def test_subclasses_see_it(scaled: Any) -> None:
    class Wrapped(Tensor):
        __slots__ = ("inner",)

        @classmethod
        def __gnomon_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            args = [each.inner if isinstance(each, Wrapped) else each for each in args]
            return wrap(func(*args, **(kwargs or {})))

    def wrap(inner: Tensor) -> Wrapped:
        made = gn.Tensor._make_wrapper_subclass(Wrapped, inner.shape, dtype=inner.dtype, device=inner.device)
        made.inner = inner
        return made

    result = scaled(wrap(gn.ones(2)), 5)
    assert type(result) is Wrapped and result.inner.tolist() == [5.0, 5.0]


# -- mutation ----------------------------------------------------------------------------------------------


@pytest.fixture
def increment() -> Any:
    @custom_op("gnomon_test::increment", mutates_args={"x"})
    def increment(x: Tensor, by: Tensor) -> None:
        x.data.add_(by)  # bypasses autograd, which knows only mutates_args

    return increment


def test_writing_that_autograd_can_not_follow_is_refused(device: str, increment: Any) -> None:
    one = gn.ones(2)
    leaf = gn.zeros(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="leaf Variable"):
        increment(leaf, one)
    assert leaf.tolist() == [0.0, 0.0]
    with gn.no_grad():
        increment(leaf, one)
    assert leaf.tolist() == [1.0, 1.0] and leaf._version == 1
    result = leaf * 2
    part = result[:1]
    increment(part, gn.ones(1))
    assert result.tolist() == [3.0, 2.0]
    with pytest.raises(RuntimeError, match="no autograd formula was registered"):
        result.sum().backward()
    buffer = gn.zeros(2)
    increment(buffer, leaf)  # a tensor that does not require grad may be written to, and still does not
    assert not buffer.requires_grad


def test_inference_tensors_are_not_written_to(increment: Any) -> None:
    with gn.inference_mode():
        x = gn.zeros(1)
        increment(x, gn.ones(1))
    assert x.item() == 1
    with pytest.raises(RuntimeError, match="inference tensor"):
        increment(x, gn.ones(1))


# -- other derivatives -------------------------------------------------------------------------------------


def test_vmap_without_a_rule_and_with_one(device: str, scaled: Any) -> None:
    x = gn.arange(6.0).reshape(3, 2).requires_grad_()
    doubled = (2 * x).tolist()
    assert vmap(scaled)(x).tolist() == doubled
    scaled.register_vmap(lambda info, in_dims, x: (scaled(x.t()), 1))
    assert vmap(scaled)(x).tolist() == doubled
    asked = []

    @scaled.register_vmap
    def _(info: Any, in_dims: Any, x: Tensor, factor: float = 2.0) -> Any:
        asked.append((info.batch_size, info.randomness, in_dims, tuple(x.shape)))
        return scaled(x, factor), in_dims[0]

    assert vmap(scaled)(x).tolist() == doubled
    assert asked == [(3, "error", (0,), (3, 2))]
    assert vmap(lambda x: scaled(x, 4.0), in_dims=1)(x).tolist() == (4 * x).t().tolist()
    assert vmap(vmap(scaled))(x).tolist() == doubled
    vmap(scaled)(x).sum().backward()
    assert x.grad.tolist() == [[2.0, 2.0]] * 3
    assert vmap(grad(lambda x: scaled(x, 3.0).sum()))(x.detach()).tolist() == [[3.0, 3.0]] * 3


def test_vmap_rules_of_several_arguments_and_results() -> None:
    library = Library("gnomon_test_vmap", "DEF")
    library.define("both(Tensor[] xs, Tensor y) -> (Tensor, Tensor)")
    library.impl("both", lambda xs, y: (xs[0] + xs[1], y * 2), "CompositeExplicitAutograd")

    def rule(info: Any, in_dims: Any, xs: Any, y: Any) -> Any:
        assert in_dims == ([0, None], None)
        return (xs[0] + xs[1], y * 2), (0, None)

    register_vmap("gnomon_test_vmap::both", rule, lib=library)
    both = gn.ops.gnomon_test_vmap.both
    x, y = gn.arange(3.0), gn.tensor(5.0)
    summed, other = vmap(lambda x: both([x, y], y))(x)
    assert summed.tolist() == [5.0, 6.0, 7.0] and other.tolist() == [10.0] * 3
    register_vmap("gnomon_test_vmap::both", lambda info, in_dims, xs, y: ((y, y), (0,)), lib=library)
    with pytest.raises(ValueError, match="out_dims for 2 results"):
        vmap(lambda x: both([x, y], y))(x)
    with pytest.raises(RuntimeError, match="does not exist"):
        register_vmap("gnomon_test_vmap::nothing", rule)


def test_forward_mode_has_no_formula(scaled: Any, increment: Any) -> None:
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(gn.ones(1), gn.ones(1))
        for call in (lambda: scaled(dual), lambda: increment(dual, gn.ones(1))):
            with pytest.raises(NotImplementedError, match="forward AD"):
                call()
        assert scaled(gn.ones(1)).item() == 2


def test_forward_mode_through_compositions_and_functions() -> None:
    class Triple(gn.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor) -> Tensor:
            return x * 3

        @staticmethod
        def jvp(ctx: Any, tangent: Tensor) -> Tensor:
            return tangent * 3

    library = Library("gnomon_test_dual", "DEF")
    library.define("composed(Tensor x) -> Tensor")
    library.impl("composed", lambda x: x * 5)
    library.define("triple(Tensor x) -> Tensor")
    library.impl("triple", Triple.apply, "Autograd")
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(gn.ones(1), gn.ones(1))
        for name, slope in (("composed", 5), ("triple", 3)):
            result = getattr(gn.ops.gnomon_test_dual, name)(dual)
            assert forward_ad.unpack_dual(result).tangent.item() == slope


# -- opcheck -----------------------------------------------------------------------------------------------


def failed(op: Any, *args: Any) -> dict[str, str]:
    results = opcheck(op, args, raise_exception=False)
    return {name: str(result) for name, result in results.items() if result != "SUCCESS"}


@pytest.mark.parametrize("dtype", [gn.float32, gn.float64, gn.complex64])
def test_opcheck_finds_a_wrong_derivative(device: str, dtype: gn.dtype) -> None:
    @custom_op("gnomon_test::product", mutates_args=())
    def product(x: Tensor, y: Tensor) -> Tensor:
        return x * y

    product.register_fake(lambda x, y: gn.empty_like(x))

    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        ctx.save_for_backward(*inputs)

    def right(ctx: Any, grad: Tensor) -> Any:
        x, y = ctx.saved_tensors
        return grad * y.conj(), grad * x.conj()

    def wrong(ctx: Any, grad: Tensor) -> Any:
        x, y = ctx.saved_tensors
        return grad * y.conj(), grad * x.conj() * 1.1

    x = gn.tensor([[1.0, 2.0], [-0.5, 3.0]], dtype=dtype, requires_grad=True)
    y = gn.tensor([[0.5, -1.0], [1.5, 2.0]], dtype=dtype, requires_grad=True)
    product.register_autograd(right, setup_context=setup_context)
    assert failed(product, x, y) == {}
    product.register_autograd(wrong, setup_context=setup_context)
    found = failed(product, x, y)
    assert list(found) == ["test_aot_dispatch_dynamic"] and "'y'" in found["test_aot_dispatch_dynamic"]
    assert failed(product, x, y.detach()) == {}
    given = opcheck(product, (x, y), raise_exception=False, atol=1e3, rtol=0.0)
    assert set(given.values()) == {"SUCCESS"}


def test_opcheck_differentiates_kernels_of_one_dtype_and_passes_over_random_ones(scaled: Any) -> None:
    @custom_op("gnomon_test::single", mutates_args=())
    def single(x: Tensor) -> Tensor:
        if x.dtype is not gn.float32:
            raise RuntimeError("single: float32, please")
        return x * x

    single.register_fake(gn.empty_like)

    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        ctx.save_for_backward(*inputs)

    single.register_autograd(lambda ctx, grad: 2 * grad * ctx.saved_tensors[0], setup_context=setup_context)
    x = gn.tensor([1.0, 2.0], requires_grad=True)
    assert failed(single, x) == {}
    single.register_autograd(lambda ctx, grad: 3 * grad * ctx.saved_tensors[0], setup_context=setup_context)
    assert "finite differences" in failed(single, x)["test_aot_dispatch_dynamic"]

    @custom_op("gnomon_test::noisy", mutates_args=())
    def noisy(x: Tensor) -> Tensor:
        return x + gn.randn(x.shape)

    noisy.register_fake(gn.empty_like)
    noisy.register_autograd(lambda ctx, grad: grad)
    assert failed(noisy, x) == {}


def test_opcheck_looks_at_gradients_on_the_meta_device() -> None:
    @custom_op("gnomon_test::listed", mutates_args=())
    def listed(xs: list[Tensor]) -> list[Tensor]:
        return [x * 2 for x in xs]

    listed.register_fake(lambda xs: [gn.empty_like(x) for x in xs])
    listed.register_autograd(lambda ctx, grads: [g.item() * 2 * gn.ones(()) for g in grads])
    x = gn.tensor(1.0, requires_grad=True)
    assert list(failed(listed, [x, x])) == ["test_aot_dispatch_dynamic"]
    listed.register_autograd(lambda ctx, grads: [g * 2 for g in grads])
    assert failed(listed, [x, x]) == {}


def test_opcheck_compares_all_that_shows(scaled: Any) -> None:
    library = Library("gnomon_test_checks", "DEF")
    names = gn.ops.gnomon_test_checks

    def defined(schema: str, kernel: Any, fake: Any = None) -> Any:
        name = library.define(schema)
        library.impl(name, kernel, "CompositeExplicitAutograd")
        if fake is not None:
            library.impl(name, fake, "Meta")
        return getattr(names, name)

    x = gn.ones(2, 3)

    def twice(x: Tensor) -> Any:
        y = x + 1
        return y, y

    def same_numbers(x: Tensor) -> Tensor:
        x.add_(0)
        return x + 1

    def in_secret(x: Tensor) -> Tensor:
        x.data.add_(1)
        return x + 1

    def resized(x: Tensor) -> Tensor:
        x.t_()
        return x + 1

    op = defined("twice(Tensor x) -> (Tensor, Tensor)", twice)
    assert "Outputs 0 and 1 alias" in failed(op, x)["test_schema"]
    op = defined("same_numbers(Tensor x) -> Tensor", same_numbers)
    assert "was mutated" in failed(op, x)["test_schema"]
    op = defined("in_secret(Tensor x) -> Tensor", in_secret)
    assert "was mutated" in failed(op, x)["test_schema"]
    op = defined("resized(Tensor x) -> Tensor", resized)
    assert "sizes or strides" in failed(op, x)["test_schema"]
    op = defined("view(Tensor(a) x) -> Tensor(a)", lambda x: x.view(-1))
    assert failed(op, x) == {}
    op = defined("other_device(Tensor x) -> Tensor", lambda x: x + 1, lambda x: gn.ones(2, 3, device="c"))
    assert "is on c" in failed(op, x)["test_faketensor"]
    op = defined("number(Tensor x) -> int", lambda x: 1, lambda x: 1)
    assert failed(op, x) == {}
    op = defined("list(Tensor x) -> Tensor[]", lambda x: [x + 1], lambda x: [])
    assert "there are 1 results" in failed(op, x)["test_faketensor"]
    op = defined("nan(Tensor x) -> Tensor", lambda x: x * 2)
    assert failed(op, gn.tensor([float("nan"), 1.0])) == {}
    assert failed(op, gn.empty(2, device="meta")) == {}
    assert failed(op, gn.ones(1).expand(4)) == {}
    given = opcheck(gn.ops.aten.add.out, (x, x), {"out": gn.empty(2, 3)})
    assert set(given.values()) == {"SUCCESS"}


def test_set_kernel_enabled_says_what_changes_nothing(scaled: Any, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        with scaled.set_kernel_enabled("cuda", False):
            pass
        with scaled.set_kernel_enabled("c", True):
            pass
        with scaled.set_kernel_enabled("c", False), scaled.set_kernel_enabled("c", True):
            pass
    assert len(caplog.records) == 2


# -- the page ----------------------------------------------------------------------------------------------


def test_the_page_is_true() -> None:
    """docs/custom_operators.md: its Python code runs from top to bottom."""
    if not gn.backends()["c"].available:
        pytest.skip("the page has kernels for two backends, and C is not available here")
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.S)
    assert len(blocks) == 10
    names: dict[str, Any] = {"__name__": "page"}
    with gn.device("c"):
        for number, block in enumerate(blocks):
            exec(compile(block, f"{PAGE.name}, block {number + 1}", "exec"), names)


def test_registrations_are_those_that_are_valid() -> None:
    library = Library("registered", "DEF")
    library.define("half(Tensor x) -> Tensor")
    operator = gn.ops.registered.half.default
    assert operator.registrations() == {}

    def first(x: Tensor) -> Tensor:
        return x / 2

    def second(x: Tensor) -> Tensor:
        return x * 0.5

    library.impl("half", first, "CPU")
    library.impl("half", second, "Meta")
    assert {place: kernel.__wrapped__ for place, kernel in operator.registrations().items()} == {
        "cpu": first,
        "Meta": second,
    }
