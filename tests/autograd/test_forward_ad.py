"""Forward mode: dual levels, dual tensors, and what operators, views, in-place operators and Functions do to
tangents.
"""

from __future__ import annotations

import gc
import importlib
import weakref
from collections.abc import Callable
from typing import Any

import pytest

import gnomon as gn
from time_limits import join, start


def forward_mode(lib: Any) -> Any:
    return importlib.import_module(f"{lib.__name__}.autograd.forward_ad")


def doubles(lib: Any, *numbers: Any, **options: Any) -> Any:
    return lib.tensor(list(numbers), dtype=lib.float64, **options)


def a_dual(lib: Any, *numbers: float) -> Any:
    """A dual tensor: 1, 2, 3 (or the numbers) with the tangent 1, 10, 100."""
    primal = doubles(lib, *(numbers or (1.0, 2.0, 3.0)))
    return forward_mode(lib).make_dual(primal, doubles(lib, 1.0, 10.0, 100.0))


def tangent(lib: Any, tensor: Any) -> Any:
    """The tangent's numbers, or None."""
    found = forward_mode(lib).unpack_dual(tensor).tangent
    return None if found is None else found.tolist()


# -- levels ----------------------------------------------------------------------------------------------


def test_a_level_has_a_number_and_ends(lib: Any) -> None:
    fw = forward_mode(lib)
    assert fw.enter_dual_level() == 0
    try:
        y = a_dual(lib) * 2
        assert tangent(lib, y) == [2.0, 20.0, 200.0]
    finally:
        fw.exit_dual_level()
    assert fw.unpack_dual(y) == (y, None)
    with fw.dual_level() as number:
        assert number == 0 and tangent(lib, y) is None


def test_levels_do_not_nest(lib: Any) -> None:
    fw = forward_mode(lib)
    with fw.dual_level():
        with pytest.raises(RuntimeError, match="Nested forward mode AD is not supported"):
            fw.enter_dual_level()
        with pytest.raises(RuntimeError, match="not the last one that was created"):
            fw.exit_dual_level(level=3)
    with pytest.raises(RuntimeError, match="Dual level must be a positive number"):
        fw.exit_dual_level()


def test_a_level_as_a_decorator(lib: Any) -> None:
    @forward_mode(lib).dual_level()
    def slope() -> Any:
        return tangent(lib, a_dual(lib).sum())

    assert slope() == 111.0 and slope() == 111.0


def test_what_can_not_become_dual(lib: Any) -> None:
    fw = forward_mode(lib)
    x, t = doubles(lib, 1.0, 2.0), doubles(lib, 3.0, 4.0)
    with pytest.raises(RuntimeError, match="no level exists, make sure to enter_dual_level"):
        fw.make_dual(x, t)
    with fw.dual_level():
        dual = fw.make_dual(x, t)
        with pytest.raises(ValueError, match="Expected primal to be floating point or complex"):
            fw.make_dual(lib.tensor([1, 2]), t)
        with pytest.raises(ValueError, match="Expected tangent to be floating point or complex"):
            fw.make_dual(x, lib.tensor([1, 2]))
        with pytest.raises(RuntimeError, match="different size than that of the original Tensor"):
            fw.make_dual(x, t[:1])
        with pytest.raises(RuntimeError, match="already has a forward gradient at the same level"):
            fw.make_dual(dual, t)
        with pytest.raises(RuntimeError, match="itself has a forward gradient at the same level"):
            fw.make_dual(x, dual)
        with pytest.raises(TypeError):
            fw.unpack_dual(1.0)


def test_the_parts_of_a_dual_tensor(lib: Any) -> None:
    fw = forward_mode(lib)
    x, t = doubles(lib, 1.0, 2.0), doubles(lib, 3.0, 4.0)
    with fw.dual_level():
        dual = fw.make_dual(x, t)
        primal, kept = fw.unpack_dual(dual)
        assert kept is t and primal.data_ptr() == x.data_ptr() == dual.data_ptr()
        assert fw.unpack_dual(x).tangent is None and fw.unpack_dual(primal).tangent is None
        assert fw.unpack_dual(primal[0]).tangent is None
        result = fw.unpack_dual(dual * 2)
        assert fw.unpack_dual(result.primal[0] * 1).tangent is None


def test_a_tangent_lies_in_memory_as_its_primal_does(lib: Any) -> None:
    fw = forward_mode(lib)
    with fw.dual_level():
        dual = fw.make_dual(lib.zeros(2, 3).t(), lib.ones(3, 2))
        assert fw.unpack_dual(dual).tangent.stride() == (1, 3)
        part = fw.make_dual(lib.zeros(6)[3:], lib.ones(3))
        assert tangent(lib, part.as_strided((2,), (2,), 1)) == [0.0, 1.0]


def test_the_gaps_of_a_tangent_are_zeros(lib: Any) -> None:
    """Also if memory that was written to before is given out again."""
    fw = forward_mode(lib)
    apart = lib.zeros(5, dtype=lib.float64).as_strided((3,), (2,))
    left = lib.empty_strided((3,), (2,), dtype=lib.float64)  # without a number behind the last one
    for x in (apart, left):
        for _ in range(3):
            lib.full((5,), 7.0, dtype=lib.float64)
            with fw.dual_level():
                dual = fw.make_dual(x, lib.ones(3, dtype=lib.float64))
                assert tangent(lib, dual.as_strided((5,), (1,))) == [1.0, 0.0, 1.0, 0.0, 1.0]


def test_a_dual_tensor_in_print(lib: Any) -> None:
    with forward_mode(lib).dual_level():
        dual = forward_mode(lib).make_dual(lib.tensor([1.0]), lib.tensor([2.0]))
        assert repr(dual) == "tensor([1.], tangent=tensor([2.]))"
    assert repr(dual) == "tensor([1.])"


# -- operators -------------------------------------------------------------------------------------------


OPERATORS: list[tuple[str, Callable[[Any, Any], Any], Any]] = [
    ("product", lambda lib, x: x * x, [2.0, 40.0, 600.0]),
    ("number", lambda lib, x: 3 - 2 * x, [-2.0, -20.0, -200.0]),
    ("number minus", lambda lib, x: 1 - x, [-1.0, -10.0, -100.0]),
    ("sum", lambda lib, x: x.sum(), 111.0),
    ("constant", lambda lib, x: x.floor(), [0.0, 0.0, 0.0]),
    ("one of several", lambda lib, x: x.max(0)[0], 100.0),
    ("indices", lambda lib, x: x.max(0)[1], None),
    ("comparison", lambda lib, x: x > 1, None),
    ("detached", lambda lib, x: x.detach(), None),
    ("data", lambda lib, x: x.data, None),
    ("list", lambda lib, x: lib.cat([x, lib.ones(1, dtype=x.dtype), x[:1]]), [1.0, 10.0, 100.0, 0.0, 1.0]),
    ("stack", lambda lib, x: lib.stack([x[0], lib.ones_like(x[0])]), [1.0, 0.0]),
    ("one operand", lambda lib, x: lib.ones_like(x) - x, [-1.0, -10.0, -100.0]),
    ("einsum", lambda lib, x: lib.einsum("i,i->", x, x), 642.0),
    ("where", lambda lib, x: lib.where(x > 1, x, 0.0), [0.0, 10.0, 100.0]),
    ("dtype", lambda lib, x: x.to(lib.float32), [1.0, 10.0, 100.0]),
    ("empty", lambda lib, x: (x[:0] * x[:0].exp()).sum(), 0.0),
    ("matrix", lambda lib, x: (x.unsqueeze(1) @ x.unsqueeze(0)).diagonal(), [2.0, 40.0, 600.0]),
    ("split", lambda lib, x: x.split(2)[1] * 2, [200.0]),
    ("zero", lambda lib, x: x.clone().zero_(), [0.0, 0.0, 0.0]),
    ("comparison in place", lambda lib, x: x.clone().eq_(1.0), [0.0, 0.0, 0.0]),
    ("no_grad", lambda lib, x: lib.no_grad()(lambda: x * x)(), [2.0, 40.0, 600.0]),
    ("inference", lambda lib, x: lib.inference_mode()(lambda: x * x)(), None),
]


@pytest.mark.parametrize(
    ("function", "expected"), [each[1:] for each in OPERATORS], ids=[e[0] for e in OPERATORS]
)
def test_tangents_of_operators(lib: Any, function: Any, expected: Any) -> None:
    with forward_mode(lib).dual_level():
        assert tangent(lib, function(lib, a_dual(lib))) == expected


def test_complex_tangents(lib: Any) -> None:
    fw = forward_mode(lib)
    x = lib.tensor([1 + 2j], dtype=lib.complex128)
    t = lib.tensor([0.5 - 1j], dtype=lib.complex128)
    with fw.dual_level():
        dual = fw.make_dual(x, t)
        assert tangent(lib, dual * dual) == [2 * (1 + 2j) * (0.5 - 1j)]
        assert tangent(lib, dual.conj() * dual) == [2 * ((1 - 2j) * (0.5 - 1j)).real + 0j]
        assert tangent(lib, dual.imag) == [-1.0]
        assert tangent(lib, dual.abs() ** 2) == pytest.approx([2 * ((1 - 2j) * (0.5 - 1j)).real])
        assert tangent(lib, lib.complex(dual.real, dual.imag)) == [0.5 - 1j]


@pytest.mark.parametrize("function", ["heaviside", "scatter"])
def test_operators_without_tangents(lib: Any, function: str) -> None:
    with forward_mode(lib).dual_level():
        dual = a_dual(lib)
        with pytest.raises(NotImplementedError, match="Trying to use forward AD with .*" + function):
            if function == "heaviside":
                lib.heaviside(dual, dual)
            else:
                lib.scatter(dual, 0, lib.tensor([0, 1]), 1.0, reduce="add")


def test_out_is_refused(lib: Any) -> None:
    with forward_mode(lib).dual_level():
        dual, plain = a_dual(lib), doubles(lib, 1.0, 1.0, 1.0)
        with pytest.raises(NotImplementedError, match="because it is an out= function"):
            lib.add(dual, plain, out=lib.zeros(3, dtype=lib.float64))
        with pytest.raises(NotImplementedError, match="because it is an out= function"):
            lib.add(plain, plain, out=dual)
        with pytest.raises(NotImplementedError, match="because it is an out= function"):
            lib.matmul(dual, dual, out=lib.zeros((), dtype=lib.float64))


def test_switched_off(lib: Any) -> None:
    fw = forward_mode(lib)
    with fw.dual_level():
        dual = a_dual(lib)
        with fw._set_fwd_grad_enabled(False):
            assert not fw._is_fwd_grad_enabled()
            off = dual * 2
            assert tangent(lib, dual) is None
        assert fw._is_fwd_grad_enabled()
        assert tangent(lib, off) is None and tangent(lib, dual) == [1.0, 10.0, 100.0]


# -- views and in-place operators ------------------------------------------------------------------------


def test_writing_to_a_view_writes_to_the_tangent(lib: Any) -> None:
    with forward_mode(lib).dual_level():
        dual = a_dual(lib)
        dual[1:].mul_(2)
        assert tangent(lib, dual) == [1.0, 20.0, 200.0]
        dual.mul_(2)
        assert tangent(lib, dual[1:]) == [40.0, 400.0]


def test_a_view_whose_base_had_no_tangent(lib: Any) -> None:
    with forward_mode(lib).dual_level():
        base = lib.zeros(3, dtype=lib.float64)
        before = base[1:]
        base[0].copy_(a_dual(lib)[1])
        assert tangent(lib, base) == [10.0, 0.0, 0.0]
        assert tangent(lib, before) == [0.0, 0.0]
        before.add_(a_dual(lib)[1:])
        assert tangent(lib, base) == [10.0, 10.0, 100.0]


def test_a_view_gets_the_tangent_that_its_base_gets(lib: Any) -> None:
    base = lib.zeros(3, dtype=lib.float64)
    view = base[1:]
    with forward_mode(lib).dual_level():
        base.add_(a_dual(lib))
        assert tangent(lib, view) == [10.0, 100.0]
        assert tangent(lib, view * 2) == [20.0, 200.0]
        view.mul_(3)
        assert tangent(lib, base) == [1.0, 30.0, 300.0]


def test_views_of_parts_of_complex_numbers(lib: Any) -> None:
    fw = forward_mode(lib)
    base = lib.zeros(2, dtype=lib.complex128)
    parts, second = lib.view_as_real(base), base[1:]
    with fw.dual_level():
        base.add_(fw.make_dual(base.clone(), lib.tensor([1 + 2j, 3 + 4j], dtype=lib.complex128)))
        assert tangent(lib, parts) == [[1.0, 2.0], [3.0, 4.0]]
        assert tangent(lib, second) == [3 + 4j]
        parts[1, 0] = 0.0
        assert tangent(lib, base) == [1 + 2j, 0 + 4j]


def test_numbers_that_are_overwritten(lib: Any) -> None:
    with forward_mode(lib).dual_level():
        dual = a_dual(lib)
        dual.pow_(3.0)
        assert tangent(lib, dual) == [3.0, 120.0, 2700.0]
        dual = a_dual(lib)
        dual.exp_().log_()
        assert tangent(lib, dual) == pytest.approx([1.0, 10.0, 100.0])
        plain = doubles(lib, 2.0, 2.0, 2.0)
        plain.mul_(a_dual(lib))
        assert tangent(lib, plain) == [2.0, 20.0, 200.0]
        whole = lib.zeros(3, dtype=lib.int64)
        whole.copy_(a_dual(lib))
        assert tangent(lib, whole) is None


def test_in_place_views(lib: Any) -> None:
    with forward_mode(lib).dual_level():
        dual = a_dual(lib) * 1
        assert tangent(lib, dual.unsqueeze_(1)) == [[1.0], [10.0], [100.0]]
        assert tangent(lib, dual.t_()) == [[1.0, 10.0, 100.0]]
        dual.detach_()
        assert tangent(lib, dual) is None


def test_writing_to_a_dual_tensor_writes_to_the_given_tangent(lib: Any) -> None:
    fw = forward_mode(lib)
    x, t = doubles(lib, 1.0, 2.0), doubles(lib, 3.0, 4.0)
    with fw.dual_level():
        fw.make_dual(x, t).mul_(2)
        assert x.tolist() == [2.0, 4.0] and t.tolist() == [6.0, 8.0]
        assert tangent(lib, x) is None


# -- with backward ---------------------------------------------------------------------------------------


def test_reverse_over_forward(lib: Any) -> None:
    """A tangent can be differentiated with respect to the primal and to the input tangents."""
    fw = forward_mode(lib)
    x = doubles(lib, 1.0, 2.0, 3.0, requires_grad=True)
    t = doubles(lib, 1.0, 10.0, 100.0, requires_grad=True)
    with fw.dual_level():
        slope = fw.unpack_dual((fw.make_dual(x, t) ** 3).sum()).tangent
    assert slope.item() == 3.0 + 120.0 + 2700.0
    of_x, of_t = lib.autograd.grad(slope, (x, t))
    assert of_x.tolist() == [6.0, 120.0, 1800.0] and of_t.tolist() == [3.0, 12.0, 27.0]


SMOOTH: list[tuple[str, Callable[[Any], Any], Callable[[Any], Any]]] = [
    ("saves an output", lambda x: x.exp().sum(), lambda x: x.exp()),
    ("saves an input", lambda x: (x * x * x).sum() / 6, lambda x: x),
    (
        "chain",
        lambda x: x.tanh().exp().sum(),
        lambda x: (x.tanh().exp() * (1 - x.tanh() ** 2)) * ((1 - x.tanh() ** 2) - 2 * x.tanh()),
    ),
    ("in place", lambda x: (x * 1).exp_().sum(), lambda x: x.exp()),
    ("in place, saving its input", lambda x: (x * 1).pow_(3.0).sum() / 6, lambda x: x),
    ("view in place", lambda x: _through_a_view(x), lambda x: x.exp() * (x < 2)),
    ("softmax", lambda x: x.softmax(0)[0] * 0 + (x * x).sum() / 2, lambda x: x * 0 + 1),
]


def _through_a_view(x: Any) -> Any:
    y = x * 1
    y[:2].exp_()
    return y.sum()


@pytest.mark.parametrize(("function", "second"), [e[1:] for e in SMOOTH], ids=[e[0] for e in SMOOTH])
def test_forward_over_reverse(lib: Any, function: Any, second: Any) -> None:
    """The tangent of a gradient is the Hessian times the tangent: saved tensors keep their tangents."""
    fw = forward_mode(lib)
    x = doubles(lib, 0.5, 1.0, 2.0, requires_grad=True)
    t = doubles(lib, 1.0, 10.0, 100.0)
    with fw.dual_level():
        dual = fw.make_dual(x, t)
        (gradient,) = lib.autograd.grad(function(dual), dual)
        found = tangent(lib, gradient)
    assert found == pytest.approx((second(x.detach()) * t).tolist())


def test_a_dual_tensor_is_recorded(lib: Any) -> None:
    fw = forward_mode(lib)
    x = doubles(lib, 1.0, 2.0, 3.0, requires_grad=True)
    with fw.dual_level():
        dual = fw.make_dual(x, doubles(lib, 1.0, 1.0, 1.0))
        (dual * dual).sum().backward()
        (fw.unpack_dual(dual * 3).primal).sum().backward()
        assert not fw.unpack_dual(dual.detach() * 2).primal.requires_grad
    assert x.grad.tolist() == [5.0, 7.0, 9.0]


def test_unrecorded_tangents(lib: Any) -> None:
    fw = forward_mode(lib)
    x = doubles(lib, 1.0, requires_grad=True)
    with fw.dual_level():
        dual = fw.make_dual(x, doubles(lib, 1.0))
        assert fw.unpack_dual(dual.exp()).tangent.requires_grad
        with lib.no_grad():
            assert not fw.unpack_dual(dual.exp()).tangent.requires_grad
        plain = fw.make_dual(doubles(lib, 1.0), doubles(lib, 1.0))
        assert not fw.unpack_dual(plain.exp()).tangent.requires_grad


def test_a_leaf_tangent_is_not_written_to(lib: Any) -> None:
    fw = forward_mode(lib)
    with fw.dual_level():
        dual = fw.make_dual(doubles(lib, 1.0), doubles(lib, 1.0, requires_grad=True))
        with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
            dual.mul_(2)


# -- Functions -------------------------------------------------------------------------------------------


def function(lib: Any, forward: Any, jvp: Any = None) -> Any:
    members = {"forward": staticmethod(forward)}
    if jvp is not None:
        members["jvp"] = staticmethod(jvp)
    return type("Mine", (lib.autograd.Function,), members)


def test_jvp_of_a_function(lib: Any) -> None:
    fw = forward_mode(lib)
    seen = []

    class Product(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any, scale: float) -> Any:
            ctx.save_for_backward(x * 0)
            ctx.save_for_forward(x, y)
            ctx.scale = scale
            seen.append(fw.unpack_dual(x).tangent)
            return x * y * scale, lib.tensor([1])

        @staticmethod
        def jvp(ctx: Any, x_t: Any, y_t: Any, scale_t: Any) -> Any:
            x, y = ctx.saved_tensors
            seen.extend([y_t.tolist(), scale_t, fw._is_fwd_grad_enabled(), lib.is_grad_enabled()])
            return ctx.scale * (x_t * y + x * y_t), None

    with fw.dual_level():
        plain = doubles(lib, 5.0, 5.0, 5.0)
        first, second = Product.apply(a_dual(lib), plain, 2.0)
        assert tangent(lib, first) == [10.0, 100.0, 1000.0] and tangent(lib, second) is None
        assert seen == [None, [0.0, 0.0, 0.0], None, False, True]


def test_jvp_that_is_recorded(lib: Any) -> None:
    fw = forward_mode(lib)

    class Square(lib.autograd.Function):
        @staticmethod
        def forward(x: Any) -> Any:
            return x * x

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.save_for_forward(*inputs)

        @staticmethod
        def jvp(ctx: Any, x_t: Any) -> Any:
            (x,) = ctx.saved_tensors
            return 2 * x * x_t

    x = doubles(lib, 3.0, requires_grad=True)
    with fw.dual_level():
        slope = fw.unpack_dual(Square.apply(fw.make_dual(x, doubles(lib, 1.0)))).tangent
    assert slope.tolist() == [6.0]
    assert lib.autograd.grad(slope.sum(), x)[0].tolist() == [2.0]


def test_tangents_that_are_not_materialized(lib: Any) -> None:
    seen = []

    def forward(ctx: Any, x: Any, y: Any) -> Any:
        ctx.set_materialize_grads(False)
        return x + y

    def jvp(ctx: Any, x_t: Any, y_t: Any) -> Any:
        seen.append(y_t)
        return x_t.clone()

    with forward_mode(lib).dual_level():
        mine = function(lib, forward, jvp)
        assert tangent(lib, mine.apply(a_dual(lib), doubles(lib, 1.0, 1.0, 1.0))) == [1.0, 10.0, 100.0]
    assert seen == [None]


def _not_differentiable(ctx: Any, x: Any) -> Any:
    result = x * 2
    ctx.mark_non_differentiable(result)
    return result


def _dirty(ctx: Any, x: Any) -> Any:
    ctx.mark_dirty(x)
    return x.mul_(2)


WRONG: list[tuple[str, Any, Any, type[Exception], str]] = [
    ("none", lambda ctx, x: x * 2, None, NotImplementedError, "must implement the jvp function"),
    ("count", lambda ctx, x: x * 2, lambda ctx, t: (t, t), RuntimeError, "expected 1 but got 2"),
    ("number", lambda ctx, x: x * 2, lambda ctx, t: 3, RuntimeError, "expected Variable or None .got int."),
    ("sizes", lambda ctx, x: x * 2, lambda ctx, t: t[:2], RuntimeError, "different size than"),
    (
        "not differentiable",
        _not_differentiable,
        lambda ctx, t: t,
        RuntimeError,
        "not a differentiable Tensor",
    ),
    ("dirty", _dirty, lambda ctx, t: t * 2, RuntimeError, "not modifying the forward mode gradients inplace"),
    ("as is", lambda ctx, x: x, lambda ctx, t: t, RuntimeError, "but the jvp is not returning a view"),
    ("view", lambda ctx, x: x[1:], lambda ctx, t: t[1:] * 1, RuntimeError, "the jvp is not returning a view"),
]


@pytest.mark.parametrize(
    ("forward", "jvp", "kind", "text"), [e[1:] for e in WRONG], ids=[e[0] for e in WRONG]
)
def test_wrong_jvps(lib: Any, forward: Any, jvp: Any, kind: Any, text: str) -> None:
    with forward_mode(lib).dual_level():
        dual = a_dual(lib)
        with pytest.raises(kind, match=text):
            function(lib, forward, jvp).apply(dual)


def test_jvps_that_alias_as_forward_does(lib: Any) -> None:
    with forward_mode(lib).dual_level():
        dual = a_dual(lib)
        view = function(lib, lambda ctx, x: x[1:], lambda ctx, t: t[1:]).apply(dual)
        assert tangent(lib, view) == [10.0, 100.0]
        same = function(lib, lambda ctx, x: x, lambda ctx, t: t.view_as(t)).apply(dual)
        assert tangent(lib, same) == [1.0, 10.0, 100.0]
        function(lib, _dirty, lambda ctx, t: t.mul_(2)).apply(dual)
        assert tangent(lib, dual) == [2.0, 20.0, 200.0]


def test_a_function_of_nothing_dual_needs_no_jvp(lib: Any) -> None:
    with forward_mode(lib).dual_level():
        assert tangent(lib, function(lib, lambda ctx, x: x * 2).apply(doubles(lib, 1.0))) is None


# -- what only gnomon has --------------------------------------------------------------------------------


def test_a_level_belongs_to_its_thread() -> None:
    fw = gn.autograd.forward_ad
    found: list[Any] = []

    def work() -> None:
        found.append(fw.unpack_dual(dual * 2).tangent)
        with fw.dual_level():
            found.append(tangent(gn, dual))
            found.append(tangent(gn, a_dual(gn) * 2))

    with fw.dual_level():
        dual = a_dual(gn)
        join(start(work))
        assert tangent(gn, dual) == [1.0, 10.0, 100.0]
    assert found == [None, None, [2.0, 20.0, 200.0]]


def test_a_level_lets_go_of_its_tangents() -> None:
    fw = gn.autograd.forward_ad
    with fw.dual_level():
        results = [a_dual(gn) * 2 for _ in range(3)]
        tangents = [weakref.ref(fw.unpack_dual(each).tangent) for each in results]
        assert all(each() is not None for each in tangents)
        del results[0]
        gc.collect()
        assert tangents[0]() is None
    gc.collect()
    assert all(each() is None for each in tangents)


def test_every_call_in_a_level_goes_by_forward_mode() -> None:
    from gnomon.dispatch.record_function import DISPATCH, RecordFunctionCallback, observing
    from gnomon.values.dispatch_key import DispatchKey

    seen = []

    def note(scope: Any, name: str, passed: Any) -> None:
        seen.append((name, passed[1]))

    x = gn.ones(2)
    with observing(RecordFunctionCallback(note, scopes=(DISPATCH,))):
        with gn.autograd.forward_ad.dual_level():
            gn.add(x, x)
        gn.add(x, x)
    assert seen[0] == ("add.Tensor", DispatchKey.ForwardAD)
    assert sum(key == DispatchKey.ForwardAD for _, key in seen) == 1


def test_an_operand_that_is_overwritten() -> None:
    """PyTorch multiplies the tangent by the value that was already written."""
    with gn.autograd.forward_ad.dual_level():
        dual = a_dual(gn)
        dual.mul_(dual)
        assert tangent(gn, dual) == [2.0, 40.0, 600.0]
        dual = a_dual(gn)
        dual[:2].mul_(dual[:2])
        assert tangent(gn, dual) == [2.0, 40.0, 100.0]


def test_a_result_shares_no_memory_with_the_tangents_of_inputs() -> None:
    """In PyTorch it does: unsafe_split is unsafe there."""
    with gn.autograd.forward_ad.dual_level():
        dual = a_dual(gn)
        parts = gn.unsafe_split(dual, 2)
        parts[0].mul_(2)
        assert tangent(gn, dual) == [1.0, 10.0, 100.0]
        assert tangent(gn, parts[0]) == [2.0, 20.0]


def test_an_overlapping_primal() -> None:
    """PyTorch refuses it; here the tangent is row-major."""
    fw = gn.autograd.forward_ad
    with fw.dual_level():
        dual = fw.make_dual(gn.ones(2, 1).expand(2, 3), gn.ones(2, 3))
        assert fw.unpack_dual(dual).tangent.stride() == (3, 1)


def test_embedding_bags() -> None:
    """PyTorch has no forward derivatives of these."""
    fw = gn.autograd.forward_ad
    bags = gn.tensor([[0, 1], [2, 0]])
    with fw.dual_level():
        weight = a_dual(gn).unsqueeze(1)
        total = gn.nn.functional.embedding_bag(bags, weight, mode="sum")
        assert tangent(gn, total) == [[11.0], [101.0]]
        with pytest.raises(NotImplementedError, match="Trying to use forward AD with _embedding_bag"):
            gn.nn.functional.embedding_bag(bags, weight, mode="max")


# -- formulas that mask an infinite value ------------------------------------------------------------------


@pytest.mark.parametrize(
    "function, at",
    [
        (lambda x: x.logit(1e-3), (0.0, 1.0, 0.3)),
        (lambda x: x.pow(x), (0.0, 1.0, 0.3)),
        (lambda x: (x + 0j).sgn().abs(), (0.0, 1.0, 0.3)),
    ],
    ids=["logit", "pow", "sgn"],
)
def test_masked_slopes_are_not_nan(lib: Any, function: Any, at: tuple[float, ...]) -> None:
    with forward_mode(lib).dual_level():
        found = tangent(lib, function(a_dual(lib, *at)))
    assert not any(each != each for each in found)
    assert found[0] == 0
