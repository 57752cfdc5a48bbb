"""gradcheck: correct derivatives pass, and each kind of wrong derivative is found and reported."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import gnomon as gn

FAST = [False, True]


def doubles(lib: Any, *numbers: float) -> Any:
    return lib.tensor(list(numbers), dtype=lib.float64, requires_grad=True)


def complexes(lib: Any, *numbers: complex) -> Any:
    return lib.tensor(list(numbers), dtype=lib.complex128, requires_grad=True)


def planted(lib: Any, forward: Any, backward: Any, jvp: Any = None) -> Any:
    """A function with the given derivatives: backward(x, gradient) and jvp(x, tangent)."""

    class Planted(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            ctx.save_for_forward(x)
            return forward(x)

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            return backward(ctx.saved_tensors[0], gradient)

    if jvp is not None:
        Planted.jvp = staticmethod(lambda ctx, tangent: jvp(ctx.saved_tensors[0], tangent))
    return Planted.apply


def square(lib: Any, backward: Any = None, jvp: Any = None) -> Any:
    return planted(
        lib,
        lambda x: x * x,
        backward or (lambda x, gradient: gradient * (2 * x).conj()),
        jvp or (lambda x, tangent: tangent * 2 * x),
    )


# -- correct derivatives ---------------------------------------------------------------------------------


@pytest.mark.parametrize("fast", FAST)
@pytest.mark.parametrize("forward", [False, True])
def test_right_derivatives(lib: Any, fast: bool, forward: bool) -> None:
    options = {"fast_mode": fast, "check_forward_ad": forward}
    x, z = doubles(lib, 0.5, -1.5, 2.0), complexes(lib, 1 + 2j, -0.5 + 0.3j)
    check = lib.autograd.gradcheck
    assert check(lambda x: x.exp() * x, x, **options)
    assert check(lambda x: (x * (1 + 2j)).abs(), [x], **options)
    assert check(lambda x: x * (1 + 2j), [x], **options)
    assert check(lambda x, y: (x * y.sum(), y.outer(x)), (x, doubles(lib, 1.0, 2.0)), **options)
    assert check(lambda z: z * z, [z], **options)
    assert check(lambda z: (z * z.conj()).real, [z], **options)
    assert check(lambda z, x: z.conj() * x[0], (z, x), **options)
    assert check(lambda x, y: x * y, (x, lib.ones(3, dtype=lib.float64)), **options)
    assert check(square(lib), [x], **options) and check(square(lib), [z], **options)


@pytest.mark.parametrize("fast", FAST)
def test_right_second_derivatives(lib: Any, fast: bool) -> None:
    x, z = doubles(lib, 0.5, -1.5, 2.0), complexes(lib, 1 + 2j, -0.5 + 0.3j)
    check = lib.autograd.gradgradcheck
    assert check(lambda x: x.exp() * x, x, fast_mode=fast)
    assert check(lambda x: x.exp() * x, x, fast_mode=fast, check_fwd_over_rev=True)
    only_forward = {"check_fwd_over_rev": True, "check_rev_over_rev": False, "check_undefined_grad": False}
    assert check(lambda x: x.exp() * x, x, fast_mode=fast, **only_forward)
    assert check(lambda z: z * z * z, [z], fast_mode=fast, check_fwd_over_rev=True)
    assert check(
        lambda x: (x**3).sum(), [x], lib.ones((), dtype=lib.float64, requires_grad=True), fast_mode=fast
    )
    assert check(lambda x: x.sin(), x, gen_non_contig_grad_outputs=True, fast_mode=fast)


def test_the_inputs_are_left_as_they_were(lib: Any) -> None:
    x = doubles(lib, 0.1, 0.2, 0.3)
    assert lib.autograd.gradcheck(lambda x: x.exp(), x, check_forward_ad=True)
    assert x.tolist() == [0.1, 0.2, 0.3] and x.grad is None and x._version == 0


def test_batched_gradients(lib: Any) -> None:
    x = doubles(lib, 0.5, -1.5)
    assert lib.autograd.gradcheck(lambda x: x.exp() * x, x, check_batched_grad=True)
    assert lib.autograd.gradcheck(
        lambda x: x.exp() * x, x, check_forward_ad=True, check_batched_forward_grad=True
    )
    assert lib.autograd.gradgradcheck(lambda x: x.exp() * x, x, check_batched_grad=True)


# -- wrong derivatives -----------------------------------------------------------------------------------

WRONG_BACKWARDS = [
    ("factor", lambda x, gradient: gradient * x.conj()),
    ("sign", lambda x, gradient: gradient * -2 * x.conj()),
    ("one element", lambda x, gradient: gradient * 2 * x.conj() * (1 + 0.01 * (x.abs() > 1.6))),
    ("neighbour", lambda x, gradient: (gradient * 2 * x.conj()).flip(0)),
    ("nothing", lambda x, gradient: gradient * 0),
    ("none", lambda x, gradient: None),
]


@pytest.mark.parametrize("fast", FAST)
@pytest.mark.parametrize(
    "backward", [each[1] for each in WRONG_BACKWARDS], ids=[e[0] for e in WRONG_BACKWARDS]
)
@pytest.mark.parametrize("make", [doubles, complexes])
def test_wrong_backwards(lib: Any, make: Any, backward: Any, fast: bool) -> None:
    x = make(lib, 0.5, -1.5, 2.0)
    with pytest.raises(RuntimeError, match="Jacobian mismatch for output 0 with respect to input 0"):
        lib.autograd.gradcheck(square(lib, backward), x, fast_mode=fast)
    assert not lib.autograd.gradcheck(square(lib, backward), x, fast_mode=fast, raise_exception=False)


@pytest.mark.parametrize("fast", FAST)
@pytest.mark.parametrize(
    "backward", [lambda z, gradient: gradient * 2 * z, lambda z, gradient: (gradient * 2 * z.conj()).conj()]
)
def test_wrong_conjugates(lib: Any, backward: Any, fast: bool) -> None:
    z = complexes(lib, 1 + 2j, -0.5 + 0.3j)
    with pytest.raises(RuntimeError, match="Jacobian mismatch for output 0 with respect to input 0"):
        lib.autograd.gradcheck(square(lib, backward), z, fast_mode=fast)


@pytest.mark.parametrize("fast", FAST)
@pytest.mark.parametrize("jvp", [lambda x, t: t * x, lambda x, t: t * 0, lambda x, t: (t * 2 * x).flip(0)])
@pytest.mark.parametrize("make", [doubles, complexes])
def test_wrong_tangents(lib: Any, make: Any, jvp: Any, fast: bool) -> None:
    x = make(lib, 0.5, -1.5, 2.0)
    function = square(lib, None, jvp)
    assert lib.autograd.gradcheck(function, x, fast_mode=fast)
    for backward_too in (False, True):
        with pytest.raises(
            RuntimeError, match="with forward mode mismatch for output 0 with respect to input 0"
        ):
            lib.autograd.gradcheck(
                function, x, fast_mode=fast, check_forward_ad=True, check_backward_ad=backward_too
            )


@pytest.mark.parametrize("fast", FAST)
def test_wrong_second_derivatives(lib: Any, fast: bool) -> None:
    def backward(x: Any, gradient: Any) -> Any:
        return gradient * 2 * x.detach()

    x = doubles(lib, 0.5, -1.5)
    assert lib.autograd.gradcheck(square(lib, backward), x, fast_mode=fast)
    with pytest.raises(RuntimeError, match=r"mismatch|expected to be zero"):
        lib.autograd.gradgradcheck(square(lib, backward), x, fast_mode=fast)


@pytest.mark.parametrize("fast", FAST)
def test_a_gradient_that_is_cut(lib: Any, fast: bool) -> None:
    x = doubles(lib, 0.5, -1.5)
    with pytest.raises(RuntimeError, match="Numerical gradient for function expected to be zero"):
        lib.autograd.gradcheck(lambda x: x.detach() * 2, x, fast_mode=fast)
    assert lib.autograd.gradcheck(lambda x: x.detach() * 0 + 1, x, fast_mode=fast)


@pytest.mark.parametrize("fast", FAST)
def test_which_output_and_which_input(lib: Any, fast: bool) -> None:
    x, y = doubles(lib, 0.5, -1.5), doubles(lib, 2.0, 3.0)
    wrong = square(lib, lambda x, gradient: gradient * x)
    with pytest.raises(RuntimeError, match="Jacobian mismatch for output 1 with respect to input 1"):
        lib.autograd.gradcheck(lambda x, y: (x * y, x + wrong(y)), (x, y), fast_mode=fast)


def test_backward_that_differs_from_time_to_time(lib: Any) -> None:
    times = []

    def backward(x: Any, gradient: Any) -> Any:
        times.append(1)
        return gradient * 2 * x * (1 + 1e-9 * len(times))

    x = doubles(lib, 0.5, -1.5)
    for fast in FAST:
        with pytest.raises(RuntimeError, match="Backward is not reentrant"):
            lib.autograd.gradcheck(square(lib, backward), x, fast_mode=fast)
        assert lib.autograd.gradcheck(square(lib, backward), x, fast_mode=fast, nondet_tol=1e-5)


def test_backward_that_is_not_linear(lib: Any) -> None:
    x = doubles(lib, 0.5, -1.5)
    function = square(lib, lambda x, gradient: gradient * 2 * x + (gradient.abs().sum() == 0))
    with pytest.raises(RuntimeError, match="backward not multiplied by grad_output"):
        lib.autograd.gradcheck(function, x)


def test_gradients_that_are_undefined(lib: Any) -> None:
    class Two(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.set_materialize_grads(False)
            return x * 2, x * 3

        @staticmethod
        def backward(ctx: Any, first: Any, second: Any) -> Any:
            if second is None:
                raise RuntimeError("no second")
            return second * 3 if first is None else first * 2 + second * 3

    class Needy(Two):
        @staticmethod
        def backward(ctx: Any, first: Any, second: Any) -> Any:
            zero = lib.zeros(2, dtype=lib.float64)
            if first is None and second is None:
                return zero + 1
            return (zero if first is None else first) * 2 + (zero if second is None else second) * 3

    x = doubles(lib, 0.5, -1.5)

    def with_both(function: Any) -> Any:
        def both(x: Any) -> Any:
            first, second = function.apply(x)
            return first + second * 0, second + first * 0

        return both

    check = lib.autograd.gradcheck
    with pytest.warns(UserWarning) if lib is not gn else warnings.catch_warnings():
        with pytest.raises(RuntimeError, match="Expected backward function to handle undefined output grads"):
            check(with_both(Two), x)
        with pytest.raises(RuntimeError, match="Expected all input grads to be undefined or zero"):
            check(with_both(Needy), x)
    assert check(with_both(Two), x, check_undefined_grad=False)
    assert check(with_both(Needy), x, check_undefined_grad=False)


def test_tangents_that_are_undefined(lib: Any) -> None:
    class Sum(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            ctx.set_materialize_grads(False)
            return x + y

        @staticmethod
        def jvp(ctx: Any, x_t: Any, y_t: Any) -> Any:
            if x_t is None:
                return y_t * 5
            return x_t * 1 if y_t is None else x_t + y_t

    x, y = doubles(lib, 0.5, -1.5), doubles(lib, 2.0, 3.0)
    with pytest.raises(RuntimeError, match="Mismatch"):
        lib.autograd.gradcheck(Sum.apply, (x, y), check_forward_ad=True, check_backward_ad=False)


def test_dtypes_of_tangents(lib: Any) -> None:
    function = square(lib, None, lambda x, t: (t * 2 * x).to(lib.complex128))
    x = doubles(lib, 0.5, -1.5)
    with pytest.raises(RuntimeError, match="Forward AD gradient has dtype mismatch"):
        lib.autograd.gradcheck(
            function, x, check_forward_ad=True, check_backward_ad=False, check_grad_dtypes=True
        )


def test_outputs_that_change_their_size(lib: Any) -> None:
    x = doubles(lib, 0.0, 1.0)
    with pytest.raises(AssertionError, match="same shape"):
        lib.autograd.gradcheck(lambda x: x[x > 0] * 2, x)


def test_what_can_not_be_checked(lib: Any) -> None:
    check = lib.autograd.gradcheck
    x = doubles(lib, 0.5, -1.5)
    with pytest.raises(ValueError, match="expects at least one input tensor to require gradient"):
        check(lambda x: x, x.detach())
    with pytest.warns(UserWarning, match="is not a double precision floating point or complex"):
        check(lambda x: x * 2, lib.tensor([1.0], requires_grad=True), eps=1e-2, atol=1e-2)
    with pytest.raises(RuntimeError, match="The 0th input has a dimension with stride 0"):
        check(lambda x: x * 2, x[:1].detach().expand(2).requires_grad_())
    with pytest.raises(AssertionError, match="at least one of check_forward_ad or check_backward_ad"):
        check(lambda x: x * 2, x, check_backward_ad=False)
    with pytest.raises(AssertionError, match="requires check_backward_ad to be True"):
        check(lambda x: x * 2, x, check_backward_ad=False, check_forward_ad=True, check_batched_grad=True)
    with pytest.raises(AssertionError, match="requires check_forward_ad to be True"):
        check(lambda x: x * 2, x, check_batched_forward_grad=True)
    with pytest.raises(AssertionError, match="at least one of check_fwd_over_rev or check_rev_over_rev"):
        lib.autograd.gradgradcheck(lambda x: x * 2, x, check_rev_over_rev=False)
    with pytest.raises(AssertionError, match="requires check_rev_over_rev to be True"):
        lib.autograd.gradgradcheck(lambda x: x * 2, x, check_rev_over_rev=False, check_fwd_over_rev=True)


# -- reported by gnomon only -----------------------------------------------------------------------------


def message(function: Any, *inputs: Any, **options: Any) -> str:
    with pytest.raises(gn.autograd.GradcheckError) as caught:
        gn.autograd.gradcheck(function, inputs, **options)
    return str(caught.value)


def test_the_message_shows_where() -> None:
    x = gn.tensor([[0.5, -1.5], [2.0, 3.0]], dtype=gn.float64, requires_grad=True)
    wrong = square(gn, lambda x, gradient: gradient * 2 * x * (1 + (x == 2.0)))
    for fast in FAST:
        text = message(wrong, x, fast_mode=fast)
        assert "output 0 with respect to input 0: 1 of 16 elements differ" in text
        assert (
            "output element (1, 0), input element (1, 0): numerical: 4.0" in text
            and "analytical: 8.0" in text
        )
        assert "numerical (a row for each output element):\n  [1, 0, 0, 0]\n  [0, -3, 0, 0]" in text
        assert ("in fast mode" in text) == fast


def test_the_message_about_complex_numbers() -> None:
    z = complexes(gn, 1 + 2j)
    text = message(square(gn, lambda z, gradient: gradient * 2 * z), z)
    assert "real part of output element (0,), input element (0,)" in text
    assert "first their real and then their imaginary parts" in text
    text = message(planted(gn, lambda x: x * 1j, lambda x, gradient: gradient.real), doubles(gn, 1.0))
    assert "While considering the imaginary part of complex outputs only" not in text
    text = message(planted(gn, lambda z: z.real + 2j * z.imag, lambda z, g: g), z)
    assert "While considering the imaginary part of complex outputs only" in text


def test_large_jacobians_are_cut() -> None:
    x = gn.ones(20, dtype=gn.float64).requires_grad_()
    text = message(square(gn, lambda x, gradient: gradient * x), x)
    assert "20 of 400 elements differ" in text and "... and 14 more" in text and len(text) < 2500


def test_a_derivative_that_is_no_number() -> None:
    text = message(square(gn, lambda x, gradient: gradient * float("nan")), doubles(gn, 1.0))
    assert "analytical: nan" in text


def test_the_random_vectors_are_the_same_each_time() -> None:
    wrong = square(gn, lambda x, gradient: gradient * x)
    before = gn.get_rng_state().tolist()
    first, second = (message(wrong, doubles(gn, 0.5, -1.5), fast_mode=True) for _ in range(2))
    assert first == second and gn.get_rng_state().tolist() == before


def test_on_another_device(device: str) -> None:
    x = gn.tensor([0.5, -1.5], dtype=gn.float64, requires_grad=True)
    assert x.device.type == device
    assert gn.autograd.gradcheck(lambda x: x.exp(), x, check_forward_ad=True, fast_mode=True)
