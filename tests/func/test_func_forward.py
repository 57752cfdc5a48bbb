"""Forward-mode derivatives of functions: levels nest, whether or not something is recorded for backward."""

from __future__ import annotations

from typing import Any

import pytest

import gnomon as gn


def close(actual: Any, expected: Any) -> None:
    """Assert that two tensors have the same shape and differ only by rounding."""
    assert tuple(actual.shape) == tuple(expected.shape)
    difference = (actual.detach() - expected.detach()).abs()
    assert bool((difference <= 5e-5 + 5e-5 * expected.detach().abs()).all())


def numbers(lib: Any, *sizes: int, start: float = 0.0) -> Any:
    """Distinct numbers, irregular enough that a wrong dimension changes the result."""
    count = 1
    for size in sizes:
        count *= size
    return ((lib.arange(count, dtype=lib.float32) + start) * 1.7).sin().reshape(sizes)


def function(x: Any) -> Any:
    return (x.exp() * x).sin()


def total(x: Any) -> Any:
    return function(x).sum() * x[0]


def cube(lib: Any, **members: Any) -> Any:
    """A Function whose jvp and backward differ from its derivative and from each other."""

    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_forward(*inputs)
        ctx.save_for_backward(*inputs)

    default = {
        "generate_vmap_rule": True,
        "forward": staticmethod(lambda x: x**3),
        "setup_context": staticmethod(setup_context),
        "jvp": staticmethod(lambda ctx, tangent: 7 * ctx.saved_tensors[0] ** 2 * tangent),
        "backward": staticmethod(lambda ctx, grad: 5 * ctx.saved_tensors[0] ** 2 * grad),
    }
    return type("Cube", (lib.autograd.Function,), default | members)


def test_no_grad_is_no_matter(lib: Any) -> None:
    x, v = numbers(lib, 3), numbers(lib, 3, start=9)

    def within(a: Any) -> Any:
        with lib.no_grad():
            return function(a)

    _, slope = lib.func.jvp(function, (x,), (v,))
    close(slope, (x.exp() * x).cos() * (x.exp() + x.exp() * x) * v)
    close(lib.func.jvp(within, (x,), (v,))[1], slope)
    close(lib.func.linearize(within, x)[1](v), slope)
    close(lib.func.jacfwd(within)(x) @ v, slope)
    with lib.no_grad():
        close(lib.func.jvp(function, (x,), (v,))[1], slope)
        close(lib.func.jacfwd(lib.func.jacfwd(total))(x), lib.func.hessian(total)(x))


def test_the_jvp_of_a_function_is_called(lib: Any) -> None:
    x, v = numbers(lib, 3), numbers(lib, 3, start=9)
    apply = cube(lib).apply
    value, slope = lib.func.jvp(lambda a: apply(a) * 2, (x,), (v,))
    close(value, 2 * x**3)
    close(slope, 14 * x**2 * v)
    close(lib.func.jacfwd(apply)(x), lib.diag(7 * x**2))
    close(lib.func.linearize(apply, x)[1](v), 7 * x**2 * v)
    # reverse over forward: jvp's operators are recorded
    close(lib.func.grad(lambda a: lib.func.jvp(apply, (a,), (v,))[1].sum())(x), 14 * x * v)
    # forward over reverse: tangents propagate through backward's operators
    close(lib.func.jvp(lib.func.grad(lambda a: apply(a).sum()), (x,), (v,))[1], 10 * x * v)


def test_the_jvp_of_a_function_under_vmap(lib: Any) -> None:
    x, v = numbers(lib, 3), numbers(lib, 3, start=9)
    apply = cube(lib).apply
    by_rule = cube(
        lib,
        generate_vmap_rule=False,
        vmap=staticmethod(lambda info, in_dims, a: (a**3, in_dims[0])),
    ).apply
    for each in (apply, by_rule):
        close(lib.func.vmap(lambda a, b, each=each: lib.func.jvp(each, (a,), (b,))[1])(x, v), 7 * x**2 * v)
    close(lib.func.jvp(lib.func.vmap(apply), (x,), (v,))[1], 7 * x**2 * v)
    # a tensor shared by all examples may have a tangent, too
    common = lib.func.jvp(lambda a: lib.func.vmap(lambda b: apply(a) * b)(v), (x[0],), (x[1],))[1]
    close(common, 7 * x[0] ** 2 * x[1] * v)


def test_once_differentiable_backward_is_not_asked(lib: Any) -> None:
    x, v = numbers(lib, 3), numbers(lib, 3, start=9)
    once = lib.autograd.function.once_differentiable(lambda ctx, grad: 5 * ctx.saved_tensors[0] ** 2 * grad)
    close(lib.func.jvp(cube(lib, backward=staticmethod(once)).apply, (x,), (v,))[1], 7 * x**2 * v)


def test_a_function_without_jvp(lib: Any) -> None:
    x = numbers(lib, 3)
    without = cube(lib)
    del without.jvp
    for call in (
        lambda: lib.func.jvp(without.apply, (x,), (x,)),
        lambda: lib.func.jvp(lib.func.vmap(without.apply), (x,), (x,)),
    ):
        with pytest.raises(NotImplementedError, match="jvp"):
            call()


def test_in_place(lib: Any) -> None:
    x, v = numbers(lib, 3), numbers(lib, 3, start=9)

    def inside(a: Any) -> Any:
        made = a.clone()
        part = made[1:]
        part.mul_(a[:2])
        made[0] = a[2] ** 2
        return made.sin_(), part

    expected = lib.cat([x[2:] ** 2, x[1:] * x[:2]])
    slope = lib.cat([2 * x[2:] * v[2:], v[1:] * x[:2] + x[1:] * v[:2]]) * expected.cos()
    _, (found, of_part) = lib.func.jvp(inside, (x,), (v,))
    close(found, slope)
    close(of_part, slope[1:])
    close(lib.func.jacfwd(inside)(x)[0] @ v, slope)
    close(
        lib.func.jacfwd(lib.func.jacfwd(lambda a: inside(a)[0]))(x),
        lib.func.jacrev(lib.func.jacrev(lambda a: lib.cat([a[2:] ** 2, a[1:] * a[:2]]).sin()))(x),
    )
    # in place on the argument itself
    value, slope = lib.func.jvp(lambda a: a.mul_(3) * 2, (x.clone(),), (v.clone(),))
    close(value, 6 * x)
    close(slope, 6 * v)


def test_written_to_new_tensors(lib: Any) -> None:
    x = numbers(lib, 3)

    def written(a: Any) -> Any:
        made = lib.zeros(3)
        made[0] = a[0] ** 2
        made[1:] = a[1:] * a[0]
        return made

    def together(a: Any) -> Any:
        return lib.stack([a[0] ** 2, a[1] * a[0], a[2] * a[0]])

    close(lib.func.jacfwd(written)(x), lib.func.jacrev(together)(x))
    close(lib.func.jacfwd(lib.func.jacfwd(written))(x), lib.func.jacrev(lib.func.jacrev(together))(x))


def test_levels_nest(lib: Any) -> None:
    x, v, w = (numbers(lib, 3, start=start) for start in (0, 9, 20))

    def along(f: Any, v: Any) -> Any:
        return lambda a: lib.func.jvp(f, (a,), (v,))[1]

    def backward_along(f: Any, v: Any) -> Any:
        return lambda a: lib.func.vjp(f, a)[1](v)[0]  # f is elementwise

    close(along(along(function, v), w)(x), backward_along(backward_along(function, v), w)(x))
    thrice = backward_along(backward_along(backward_along(function, v), w), x)
    close(along(along(along(function, v), w), x)(x), thrice(x))
    # the inner derivative ignores the outer tangent: d/dx (x * d/dy (x + y)) = 1
    close(along(lambda a: a * along(lambda b: a + b, lib.ones(3))(a), lib.ones(3))(x), lib.ones(3))
    inner = along(lambda a: along(lambda b: a * b.detach(), v)(a), w)(x)
    close(inner, lib.zeros(3))


def test_mixed_with_backward(lib: Any) -> None:
    x, v = numbers(lib, 3), numbers(lib, 3, start=9)
    func = lib.func
    hessian = func.jacrev(func.jacrev(total))(x)
    close(func.jvp(func.grad(total), (x,), (v,))[1], hessian @ v)
    close(func.grad(lambda a: func.jvp(total, (a,), (v,))[1])(x), hessian @ v)
    for one in (func.jacfwd, func.jacrev):
        for other in (func.jacfwd, func.jacrev):
            close(one(other(total))(x), hessian)
    third = func.jacrev(func.jacrev(func.jacrev(total)))(x)
    for transform in (func.jacfwd, func.jacrev):
        close(func.jacfwd(transform(func.jacfwd(total)))(x), third)
    close(func.grad(lambda a: func.jvp(func.grad(total), (a,), (v,))[1].sum())(x), third.sum(0) @ v)


def test_forward_ad_over_grad(lib: Any) -> None:
    x, v = numbers(lib, 3), numbers(lib, 3, start=9)
    forward_ad = lib.autograd.forward_ad
    with forward_ad.dual_level():
        gradient = lib.func.grad(total)(forward_ad.make_dual(x, v))
        value, slope = forward_ad.unpack_dual(gradient)
    close(value, lib.func.grad(total)(x))
    close(slope, lib.func.hessian(total)(x) @ v)


def test_the_tape_sees_tangents(lib: Any) -> None:
    x, v = numbers(lib, 3).requires_grad_(), numbers(lib, 3, start=9).requires_grad_()
    value, slope = lib.func.jvp(lib.func.grad(total), (x,), (v,))
    of_x, of_v = lib.autograd.grad((value * slope).sum(), (x, v))
    with lib.no_grad():
        hessian, third = lib.func.hessian(total)(x), lib.func.jacfwd(lib.func.hessian(total))(x)
        gradient = lib.func.grad(total)(x)
        close(of_v, hessian @ gradient)
        close(of_x, hessian @ (hessian @ v) + ((third @ v) @ gradient))


def test_under_and_over_vmap(lib: Any) -> None:
    x, v = numbers(lib, 4, 3), numbers(lib, 4, 3, start=9)
    func = lib.func

    def slope(a: Any) -> Any:
        return func.jvp(function, (a,), (a * 2,))[1]

    close(func.jvp(func.vmap(slope), (x,), (v,))[1], func.jvp(slope, (x,), (v,))[1])
    close(func.jvp(func.vmap(func.vmap(slope)), (x,), (v,))[1], func.jvp(slope, (x,), (v,))[1])
    rows = [func.jacfwd(func.jacfwd(total))(each) for each in x]
    close(func.vmap(func.jacfwd(func.jacfwd(total)))(x), lib.stack(rows))
    products = lib.stack([row @ along for row, along in zip(rows, v)])
    close(func.jvp(func.vmap(func.grad(total)), (x,), (v,))[1], products)
    close(func.vmap(lambda a, b: func.jvp(func.grad(total), (a,), (b,))[1])(x, v), products)
    close(
        func.grad(lambda a: func.vmap(lambda b: func.jvp(total, (b,), (b,))[1])(a).sum())(x),
        func.grad(lambda a: sum(func.jvp(total, (b,), (b,))[1] for b in a))(x),
    )


def test_linearize_is_linear(lib: Any) -> None:
    x, y, v = numbers(lib, 3), numbers(lib, 3, start=4), numbers(lib, 3, start=9)
    value, jvp_fn = lib.func.linearize(lambda a, b: {"p": a * b.sum(), "q": b.exp()}, x, y)
    close(value["p"], x * y.sum())
    slopes = jvp_fn(v, y)
    close(slopes["p"], v * y.sum() + x * y.sum())
    close(slopes["q"], y.exp() * y)
    value, jvp_fn = lib.func.linearize(function, x)
    rows = lib.func.vmap(jvp_fn)(lib.stack([v, x]))
    close(rows, lib.stack([jvp_fn(v), jvp_fn(x)]))
    for wrong in ((v, v), (v[:2],), (v.double(),)):
        with pytest.raises(RuntimeError, match=r"match|argspec"):
            jvp_fn(*wrong)


def test_constants(lib: Any) -> None:
    x = numbers(lib, 3)
    _, (of_number, of_same) = lib.func.jvp(lambda a: ((a > 0).sum(), lib.ones(2)), (x,), (x,))
    assert of_number.dtype == lib.int64 and of_number.item() == 0
    close(of_same, lib.zeros(2))
    jacobian, (shifted, cosine) = lib.func.jacfwd(lambda a: (a.sin(), (a + 1, a.cos())), has_aux=True)(x)
    close(jacobian, lib.diag(x.cos()))
    close(shifted, x + 1)
    close(cosine, x.cos())


def test_wrong_calls(lib: Any) -> None:
    x = numbers(lib, 3)

    def same(a: Any) -> Any:
        return a

    for call, kind, text in (
        (lambda: lib.func.jvp(same, (x.long(),), (x.long(),)), ValueError, "floating point or complex"),
        (lambda: lib.func.jvp(same, (x,), (x[:2],)), RuntimeError, "different size"),
        (lambda: lib.func.jvp(lambda a: 3, (x,), (x,)), RuntimeError, "return only tensors"),
        (lambda: lib.func.jvp(same, (), ()), RuntimeError, "at least one Tensor"),
        (lambda: lib.func.jvp(same, (3.0,), (x,)), RuntimeError, "only contain Tensors"),
        (lambda: lib.func.jvp(same, (x,), (3.0,)), RuntimeError, "only contain Tensors"),
    ):
        with pytest.raises(kind, match=text):
            call()


def test_tangents_end_with_their_level() -> None:
    x = numbers(gn, 3)
    kept = []

    def keeping(a: Any) -> Any:
        kept.append(a)
        return a * 2

    gn.func.jvp(keeping, (x,), (x,))
    with gn.autograd.forward_ad.dual_level():
        assert gn.autograd.forward_ad.unpack_dual(kept[0]).tangent is None
    with pytest.raises(ZeroDivisionError):
        gn.func.jvp(lambda a: a * (1 // 0), (x,), (x,))
    assert gn.autograd.forward_ad.current_level() is None
    assert gn.autograd.forward_ad._is_fwd_grad_enabled()


def test_levels_nest_in_a_functions_jvp() -> None:
    # PyTorch loses tangents inside jvp: it gives 8 * v * v * x ** 2 * ...
    x, v = numbers(gn, 3), numbers(gn, 3, start=9)
    apply = cube(gn).apply
    inner = lambda a: gn.func.jvp(apply, (a,), (v,))[1]  # noqa: E731
    close(gn.func.jvp(inner, (x,), (v,))[1], 14 * x * v * v)


def test_writing_to_what_was_detached(lib: Any) -> None:
    x = numbers(lib, 3)

    def one(a: Any) -> Any:
        detached = (a * 2).detach()
        detached[0] = a.sum()
        return detached

    def part(a: Any) -> Any:
        whole = a * 2
        detached = whole.detach()
        front = detached[:2]
        front.mul_(a[:2])
        return detached, whole, front

    slope = lib.func.jvp(one, (x,), (x,))[1]
    close(slope, lib.stack([x.sum(), x[0] * 0, x[0] * 0]))
    _, (of_detached, of_whole, of_front) = lib.func.jvp(part, (x,), (x,))
    close(of_whole, 2 * x)
    close(of_front, 2 * x[:2] * x[:2])
    close(of_detached, lib.cat([2 * x[:2] * x[:2], x[2:] * 0]))


def test_a_linearized_gradient_is_no_variable() -> None:
    x = numbers(gn, 3)
    _, jvp_fn = gn.func.linearize(gn.func.grad(lambda a: (a**3).sum()), x)
    result = jvp_fn(x)
    close(result, 6 * x * x)
    assert not result.requires_grad and result.grad_fn is None
    assert not gn.func.vmap(jvp_fn)(gn.stack([x, x])).requires_grad


@pytest.mark.parametrize(
    "function",
    [
        lambda lib, x: x.mT.view(-1),
        lambda lib, x: (lib.ones(3, 3) - x.mT).mT.reshape(-1) * x.sum(),
        lambda lib, x: x.as_strided((2, 2), (1, 2)),
    ],
)
def test_a_tangent_can_be_viewed_as_its_tensor(lib: Any, function: Any) -> None:
    """This includes the tangents of jacfwd and hessian, one for each example."""
    x = numbers(lib, 3, 3).mT
    wanted = lib.func.jacrev(lambda x: function(lib, x))(x)
    close(lib.func.jacfwd(lambda x: function(lib, x))(x), wanted)


def test_a_tangent_of_zeros_can_be_written_to(lib: Any) -> None:
    def function(x: Any) -> Any:
        signs = x.sign()
        return signs.mul_(x)

    x = numbers(lib, 3, start=1)
    close(lib.func.jacfwd(function)(x), lib.diag_embed(x.sign()))


@pytest.mark.parametrize("name", ["jacrev", "jacfwd"])
def test_jacobians_are_of_real_numbers(lib: Any, name: str) -> None:
    transform, x = getattr(lib.func, name), lib.ones(2)
    with pytest.raises(RuntimeError, match=f"{name}: Expected all outputs to be real .* input idx: 1"):
        transform(lambda x: (x, lib.complex(x, x)))(x)
    with pytest.raises(RuntimeError, match=f"{name}: Expected all inputs to be real .* input idx: 0"):
        transform(lambda x: x.abs())(lib.complex(x, x))


def test_a_tangent_is_not_written_to_with_its_tensor(lib: Any) -> None:
    """If an operator returns its input's tangent, as sort does for 0-dim tensors, the result has a copy."""

    def function(x: Any) -> Any:
        found = x.sort(-1)[0]
        x = x * 1
        other = x.sort(-1)[0]
        x.sqrt_()
        return found + 10 * other

    assert lib.func.jacfwd(function)(lib.tensor(4.0)).item() == 11
