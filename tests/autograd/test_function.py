"""autograd.Function: user-defined operators."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest

pytestmark = pytest.mark.both_tiers


def square(lib: Any) -> Any:
    class Square(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            (x,) = ctx.saved_tensors
            return gradient * 2 * x

    return Square


def test_forward_and_backward(lib: Any) -> None:
    x = lib.tensor([3.0], requires_grad=True)
    y = square(lib).apply(x)
    assert y.tolist() == [9.0] and y.grad_fn.name() == "SquareBackward" and y.requires_grad
    y.sum().backward()
    assert x.grad.tolist() == [6.0]


def test_second_derivatives_come_free(lib: Any) -> None:
    x = lib.tensor([3.0], requires_grad=True)
    (first,) = lib.autograd.grad(square(lib).apply(x).sum(), x, create_graph=True)
    (second,) = lib.autograd.grad(first.sum(), x)
    assert second.tolist() == [2.0]


def test_forward_is_not_recorded(lib: Any) -> None:
    seen = []

    class Look(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            seen.append((lib.is_grad_enabled(), (x * 2).requires_grad, x.requires_grad, ctx.needs_input_grad))
            return x.clone()

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            seen.append(lib.is_grad_enabled())
            return gradient

    x = lib.ones(1, requires_grad=True)
    Look.apply(x).sum().backward()
    assert seen == [(False, False, True, (True,)), False]


def test_setup_context(lib: Any) -> None:
    class Multiply(lib.autograd.Function):
        @staticmethod
        def forward(x: Any, y: Any, scale: float) -> Any:
            return x * y * scale

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            x, y, ctx.scale = inputs
            ctx.save_for_backward(x, y)

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            x, y = ctx.saved_tensors
            return gradient * y * ctx.scale, gradient * x * ctx.scale, None

    x, y = lib.tensor([3.0], requires_grad=True), lib.tensor([4.0], requires_grad=True)
    Multiply.apply(x, y, 10.0).sum().backward()
    assert x.grad.tolist() == [40.0] and y.grad.tolist() == [30.0]


def test_needs_input_grad(lib: Any) -> None:
    needed = []

    class Add(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, number: int, y: Any) -> Any:
            return x + number * y

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            needed.append(ctx.needs_input_grad)
            return gradient, None, None

    x, y = lib.ones(1, requires_grad=True), lib.ones(1)
    Add.apply(x, 2, y).sum().backward()
    assert needed == [(True, False, False)]


def test_without_gradients_nothing_is_recorded(lib: Any) -> None:
    Square = square(lib)
    assert Square.apply(lib.ones(1)).grad_fn is None
    with lib.no_grad():
        assert not Square.apply(lib.ones(1, requires_grad=True)).requires_grad


def test_several_outputs(lib: Any) -> None:
    class Both(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2, x * 3

        @staticmethod
        def backward(ctx: Any, first: Any, second: Any) -> Any:
            return first * 2 + second * 3

    x = lib.ones(2, requires_grad=True)
    first, second = Both.apply(x)
    assert first.grad_fn is second.grad_fn and second.output_nr == 1
    second.sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]


def test_materialized_gradients(lib: Any) -> None:
    given = []

    def make(materialize: bool) -> Any:
        class Both(lib.autograd.Function):
            @staticmethod
            def forward(ctx: Any, x: Any) -> Any:
                ctx.set_materialize_grads(materialize)
                return x * 2, x[:1] * 3

            @staticmethod
            def backward(ctx: Any, first: Any, second: Any) -> Any:
                given.append(None if second is None else second.tolist())
                return first * 2

        return Both

    for materialize in (True, False):
        x = lib.ones(2, requires_grad=True)
        make(materialize).apply(x)[0].sum().backward()
    assert given == [[0.0], None]


def test_outputs_that_are_not_differentiable(lib: Any) -> None:
    class Sort(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            values, order = x.sort()
            rounded = values.round()
            ctx.mark_non_differentiable(order, rounded)
            ctx.save_for_backward(order)
            return values, order, rounded

        @staticmethod
        def backward(ctx: Any, values: Any, order: Any, rounded: Any) -> Any:
            (order,) = ctx.saved_tensors
            return lib.zeros_like(values).scatter(0, order, values)

    x = lib.tensor([3.0, 1.0, 2.0], requires_grad=True)
    values, order, rounded = Sort.apply(x)
    assert values.requires_grad and not order.requires_grad and not rounded.requires_grad
    (values * lib.tensor([10.0, 20.0, 30.0])).sum().backward()
    assert x.grad.tolist() == [30.0, 10.0, 20.0]


def test_integer_outputs_have_no_gradient(lib: Any) -> None:
    class Count(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.to(lib.int64)

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            raise AssertionError

    assert not Count.apply(lib.ones(1, requires_grad=True)).requires_grad


def in_place(lib: Any, marks: bool) -> Any:
    class Double(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            x.mul_(2)
            if marks:
                ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            return gradient * 2

    return Double


def test_dirty_inputs(lib: Any) -> None:
    x = lib.ones(2, requires_grad=True)
    y = x * 3
    z = in_place(lib, True).apply(y)
    assert z is y and y.grad_fn.name() == "DoubleBackward"
    y.sum().backward()
    assert x.grad.tolist() == [6.0, 6.0]


def test_a_dirty_leaf_is_refused(lib: Any) -> None:
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        in_place(lib, True).apply(lib.ones(2, requires_grad=True))


def test_a_dirty_view(lib: Any) -> None:
    x = lib.ones(3, requires_grad=True)
    y = x * 1
    in_place(lib, True).apply(y[:2])
    assert y.tolist() == [2.0, 2.0, 1.0]
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0, 1.0]


def test_a_dirty_input_must_be_returned(lib: Any) -> None:
    class Forgets(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            x.mul_(2)
            ctx.mark_dirty(x)
            return x * 1

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            return gradient

    with pytest.raises(RuntimeError, match="dirty"):
        Forgets.apply(lib.ones(1, requires_grad=True) * 1)


def test_an_input_returned_as_it_came(lib: Any) -> None:
    class Same(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            return gradient * 5

    x = lib.ones(1, requires_grad=True)
    y = Same.apply(x)
    assert y is not x and y.data_ptr() == x.data_ptr() and y.grad_fn.name() == "SameBackward"
    y.sum().backward()
    assert x.grad.tolist() == [5.0]
    with pytest.raises(RuntimeError, match="is a view and is being modified inplace"):
        Same.apply(x * 1).add_(1)


def test_a_view_of_an_input(lib: Any) -> None:
    class First(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x[:1]

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            return lib.cat([gradient * 7, gradient * 0])

    x = lib.ones(2, requires_grad=True)
    y = First.apply(x)
    y.sum().backward()
    assert x.grad.tolist() == [7.0, 0.0]


def test_saved_tensors_are_checked_and_freed(lib: Any) -> None:
    x = lib.ones(1, requires_grad=True)
    y = x * 1
    z = square(lib).apply(y)
    y.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.sum().backward()
    z = square(lib).apply(x)
    z.sum().backward(retain_graph=True)
    z.sum().backward()
    with pytest.raises(RuntimeError, match="second time"):
        z.sum().backward()
    with pytest.raises(RuntimeError, match="already been freed"):
        _ = z.grad_fn.saved_tensors


def test_a_saved_output_makes_no_cycle(lib: Any) -> None:
    class Exp(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            result = x.exp()
            ctx.save_for_backward(result)
            return result

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            (result,) = ctx.saved_tensors
            assert result.grad_fn is not None
            return gradient * result

    gc.collect()
    gc.disable()
    try:
        x = lib.zeros(1, requires_grad=True)
        y = Exp.apply(x)
        (first,) = lib.autograd.grad(y.sum(), x, create_graph=True)
        assert first.tolist() == [1.0] and first.requires_grad
        gone = weakref.ref(y)
        del y, first
        assert gone() is None
    finally:
        gc.enable()


def test_save_for_backward_takes_tensors(lib: Any) -> None:
    class Wrong(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(3)
            return x * 1

    with pytest.raises(TypeError, match="save_for_backward can only save variables"):
        Wrong.apply(lib.ones(1, requires_grad=True))


def returning(lib: Any, *results: Any) -> Any:
    class Returns(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, number: int) -> Any:
            return x * number

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            return tuple(gradient if each == "gradient" else each for each in results)

    return Returns


def test_the_number_of_gradients(lib: Any) -> None:
    x = lib.ones(1, requires_grad=True)
    with pytest.raises(
        RuntimeError, match=r"returned an incorrect number of gradients \(expected 2, got 1\)"
    ):
        returning(lib, "gradient").apply(x, 2).sum().backward()
    with pytest.raises(RuntimeError, match=r"returned a gradient different (than|from) None at position 2"):
        returning(lib, "gradient", "gradient").apply(x, 2).sum().backward()
    with pytest.raises(RuntimeError, match="expected Variable or None"):
        returning(lib, 3.0, None).apply(x, 2).sum().backward()
    assert x.grad is None
    returning(lib, "gradient", None, None).apply(x, 2).sum().backward()
    assert x.grad.tolist() == [1.0]
    returning(lib, None, None).apply(x, 2).sum().backward()
    assert x.grad.tolist() == [1.0]


def test_a_gradient_of_another_shape(lib: Any) -> None:
    class Wide(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.expand(3)

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            return gradient

    x = lib.ones(1, requires_grad=True)
    Wide.apply(x).sum().backward()  # summed to the input's shape
    assert x.grad.tolist() == [3.0]

    class Wrong(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.sum()

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            return lib.ones(5)

    with pytest.raises(RuntimeError, match="shape"):
        Wrong.apply(lib.ones(2, requires_grad=True)).backward()


def test_once_differentiable(lib: Any) -> None:
    class Once(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        @lib.autograd.function.once_differentiable
        def backward(ctx: Any, gradient: Any) -> Any:
            (x,) = ctx.saved_tensors
            assert not lib.is_grad_enabled()
            return gradient * 2 * x

    x = lib.tensor([3.0], requires_grad=True)
    Once.apply(x).sum().backward()
    assert x.grad.tolist() == [6.0]
    (first,) = lib.autograd.grad((Once.apply(x) * x).sum(), x, create_graph=True)
    with pytest.raises(RuntimeError, match="marked with @once_differentiable"):
        first.sum().backward()


def test_what_forward_leaves_in_ctx(lib: Any) -> None:
    class Scale(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, factor: Any) -> Any:
            ctx.factor = factor
            return x * factor

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            return gradient * ctx.factor, None

    x = lib.ones(1, requires_grad=True)
    y = Scale.apply(x, 4.0)
    assert y.grad_fn.factor == 4.0
    y.sum().backward()
    assert x.grad.tolist() == [4.0]


def test_no_backward(lib: Any) -> None:
    class Only(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 1

    x = lib.ones(1, requires_grad=True)
    y = Only.apply(x)
    with pytest.raises(NotImplementedError, match="backward"):
        y.sum().backward()

    class Nothing(lib.autograd.Function):
        pass

    with pytest.raises(NotImplementedError, match="forward"):
        Nothing.apply(x)


def test_vjp_is_another_name_for_backward(lib: Any) -> None:
    class Triple(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 3

        @staticmethod
        def vjp(ctx: Any, gradient: Any) -> Any:
            return gradient * 3

    x = lib.ones(1, requires_grad=True)
    Triple.apply(x).sum().backward()
    assert x.grad.tolist() == [3.0]


def test_outputs_that_are_no_tensors(lib: Any) -> None:
    class Mixed(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2, "words", None

        @staticmethod
        def backward(ctx: Any, gradient: Any, *others: Any) -> Any:
            assert others == (None, None)
            return gradient * 2

    x = lib.ones(1, requires_grad=True)
    y, words, nothing = Mixed.apply(x)
    assert (words, nothing) == ("words", None)
    y.sum().backward()
    assert x.grad.tolist() == [2.0]


def test_backward_inside_backward(lib: Any) -> None:
    class Checkpoint(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x.exp().sin()

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            (x,) = ctx.saved_tensors
            with lib.enable_grad():
                again = x.detach().requires_grad_()
                result = again.exp().sin()
            result.backward(gradient)
            return again.grad

    x, y = (lib.tensor([0.5], requires_grad=True) for _ in range(2))
    Checkpoint.apply(x).sum().backward()
    y.exp().sin().sum().backward()
    assert x.grad.tolist() == y.grad.tolist()


@pytest.mark.parametrize("marked", [(0,), (1,), (0, 1)])
def test_each_dirty_output_gets_its_own_gradient(lib, marked):
    class Scaled(lib.autograd.Function):
        @staticmethod
        def forward(ctx, a, b):
            outputs = []
            for position, (each, factor) in enumerate(((a, 2), (b, 3))):
                outputs.append(each.mul_(factor) if position in marked else each * factor)
            ctx.mark_dirty(*[outputs[position] for position in marked])
            return tuple(outputs)

        @staticmethod
        def backward(ctx, grad_a, grad_b):
            return grad_a * 2, grad_b * 3

    x, z = lib.ones(2, requires_grad=True), lib.ones(2, requires_grad=True)
    first, second = Scaled.apply(x.clone(), z.clone())
    assert (first.output_nr, second.output_nr) == (0, 1)
    (first * 10 + second * 100).sum().backward()
    assert x.grad.tolist() == [20.0, 20.0]
    assert z.grad.tolist() == [300.0, 300.0]


def test_a_list_is_not_several_outputs(lib: Any) -> None:
    class Twice(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return [x * 2, x * 3]

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            raise AssertionError("nothing is recorded")

    result = Twice.apply(lib.ones(3, requires_grad=True))
    assert type(result) is list and not any(each.requires_grad for each in result)


def test_a_saved_output_has_its_history_in_backward(lib: Any) -> None:
    class Exp(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            y = x.exp()
            ctx.save_for_backward(y)
            return y

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            (y,) = ctx.saved_tensors
            assert y.grad_fn is not None and not lib.is_grad_enabled()
            with lib.enable_grad():
                return gradient * lib.autograd.grad((y * y).sum(), y)[0]

    x = lib.zeros(2, requires_grad=True)
    Exp.apply(x).sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


def scaled(lib: Any, forward: Any, seen: list[Any] | None = None) -> Any:
    """A Function with this forward; its setup_context, if any, records its inputs in ``seen``."""

    class Scaled(lib.autograd.Function):
        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            return gradient, *[None] * (len(ctx.needs_input_grad) - 1)

    Scaled.forward = staticmethod(forward)
    if seen is not None:
        Scaled.setup_context = staticmethod(
            lambda ctx, inputs, output: seen.append((inputs[1:], ctx.needs_input_grad))
        )
    return Scaled


@pytest.mark.parametrize(
    ("args", "kwargs", "expected"),
    [
        ((), {}, (2, 5)),
        ((3,), {}, (3, 5)),
        ((), {"k": 3}, (3, 5)),
        ((), {"m": 3}, (2, 3)),
        ((7,), {"m": 3}, (7, 3)),
    ],
)
def test_defaults_and_keywords_are_inputs(lib: Any, args: Any, kwargs: Any, expected: Any) -> None:
    seen: list[Any] = []
    function = scaled(lib, lambda x, k=2, m=5: x * k * m, seen)
    x = lib.ones(1, requires_grad=True)
    y = function.apply(x, *args, **kwargs)
    y.sum().backward()
    assert y.tolist() == [expected[0] * expected[1]] and x.grad.tolist() == [1.0]
    assert seen == [(expected, (True, False, False))]


def test_tensors_may_be_given_by_keyword(lib: Any) -> None:
    x = lib.ones(1, requires_grad=True)
    scaled(lib, lambda x, k=2: x * k, []).apply(x=x).sum().backward()
    assert x.grad.tolist() == [1.0]
    needed = []
    function = scaled(lib, lambda ctx, x, k, m=5: needed.append(ctx.needs_input_grad) or x * k * m)
    y = function.apply(k=2, x=x)
    y.sum().backward()
    assert y.tolist() == [10.0] and x.grad.tolist() == [2.0] and needed == [(True, False)]


@pytest.mark.parametrize(
    "forward", [lambda x, k=2, *, m=1: x, lambda x, k=2, **rest: x, lambda x, k=2: x, lambda x, k, m=1: x]
)
@pytest.mark.parametrize("has_context", [False, True])
def test_arguments_that_forward_does_not_take_by_position(lib: Any, forward: Any, has_context: bool) -> None:
    def with_context(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        return forward(*args, **kwargs)

    function = scaled(lib, with_context if has_context else forward, None if has_context else [])
    with pytest.raises(TypeError):
        function.apply(lib.ones(1, requires_grad=True), m=1, n=2)


def test_a_function_without_forward(lib: Any) -> None:
    class Nothing(lib.autograd.Function):
        pass

    for function in (lib.autograd.Function, Nothing):
        with pytest.raises(NotImplementedError, match="You must implement the forward function"):
            function.apply(lib.ones(1, requires_grad=True))
