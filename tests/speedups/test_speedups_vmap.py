"""csrc/speedups/batched.c: calls under vmap behave as on the readable path."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import pytest

import gnomon as gn
from gnomon.autograd.saved_variable import SavedList, SavedVariable
from gnomon.backends.listing import backend_info
from gnomon.dispatch.mode import mode_word
from gnomon.dispatch.record_function import FUNCTION, RecordFunctionCallback, observing
from gnomon.func import batching, grad, jacrev, vmap
from gnomon.values.speedups import speedups
from readable_calls import readably

pytestmark = [
    pytest.mark.both_tiers,
    pytest.mark.skipif(not backend_info("c").available, reason="needs the C backend"),
]
F = gn.nn.functional
aten = gn.ops.aten


def kept(value: Any) -> Any:
    """What a Node has saved, to compare. An output may be a weak reference or an alias."""
    if isinstance(value, weakref.ref):
        value = value()
    if isinstance(value, SavedVariable):
        assert value.version == 0
        value = value.tensor
    if isinstance(value, SavedList):
        return [kept(each) for each in value.items]
    if isinstance(value, batching.BatchedTensor):
        return "batched", kept(value.value), value.level
    return ("tensor", value.tolist()) if isinstance(value, gn.Tensor) else repr(value)


def facts(x: Any) -> Any:
    """What is visible of a tensor, of its Node, and of what it wraps."""
    seen: list[Any] = [x.dtype, x.shape, x.stride(), x.storage_offset(), x._version, x._keys, x.requires_grad]
    if isinstance(x, batching.BatchedTensor):
        seen += [x.level, facts(x.value), x._base is not None]
    else:
        seen.append(x.tolist())
    node = x.grad_fn
    if node is not None:
        edges = [edge and (type(edge[0]).__name__, edge[1]) for edge in node.next_edges]
        seen += [
            type(node),
            edges,
            node.metadata_specs,
            [kept(each) for each in getattr(node, "saved", None) or ()],
        ]
    return seen


x = gn.arange(12.0, device="c").reshape(3, 4) / 7 + 1
y = (x * 3).sin()
w = gn.arange(4.0, device="c") - 1.5
m = gn.arange(24.0, device="c").reshape(3, 4, 2) / 24

CALLS: dict[str, Callable[..., Any]] = {
    "mul": lambda a, b: a * b,
    "mul by itself": lambda a, b: a * a,
    "mul by itself, the other": lambda a, b: b * b,
    "mul by what all have": lambda a, b: a * w,
    "mul of what all have": lambda a, b: w * a,
    "add a number": lambda a, b: a + 2,
    "add another number": lambda a, b: a + 2.5,
    "a number less": lambda a, b: 1 - a,
    "sub with alpha": lambda a, b: gn.sub(a, b, alpha=3),
    "compare": lambda a, b: (a > b) | (a == 1),
    "of less dimensions": lambda a, b: a * b[0],
    "of no dimensions": lambda a, b: a[0] * b[1] + 1,
    "dtypes": lambda a, b: a * (b > 0),
    "double": lambda a, b: a.double() + b,
    "sum": lambda a, b: a.sum(),
    "sum of a dimension": lambda a, b: a.sum(0, keepdim=True),
    "mean": lambda a, b: a.mean(),
    "tanh": lambda a, b: a.tanh(),
    "exp of a number": lambda a, b: a[2].exp(),
    "softmax": lambda a, b: a.softmax(0),
    "where": lambda a, b: gn.where(a > 1.5, a, b),
    "max with indices": lambda a, b: a.max(0).values,
    "cat": lambda a, b: gn.cat([a, b]),
    "stack": lambda a, b: gn.stack([a, b]),
    "matmul": lambda a, b: gn.outer(a, b) @ a,
    "reshape": lambda a, b: (a * 1).reshape(2, 2),
    "view": lambda a, b: a.view(2, 2),
    "expand": lambda a, b: a.sum().expand(3),
    "select": lambda a, b: a[1],
    "slice": lambda a, b: a[1:3],
    "transposed": lambda a, b: a.view(2, 2).t(),
    "unbind": lambda a, b: a.unbind(0)[2],
    "detach": lambda a, b: a.detach(),
    "clone": lambda a, b: a.clone(),
    "in place": lambda a, b: a.clone().mul_(b),
    "in place to a view": lambda a, b: _written_to(a.clone()),
    "index": lambda a, b: a[gn.tensor([0, 2, 0], device="c")],
    "zeros like": lambda a, b: gn.zeros_like(a) + b,
    "clamp": lambda a, b: a.clamp(1.2, 2.0) + a.clamp_min(1.5),
    "linear": lambda a, b: F.linear(a, m[0].t(), None),
    "loss": lambda a, b: F.mse_loss(a, b),
    "entropy": lambda a, b: F.cross_entropy(a, gn.tensor(1, device="c")),
    "nothing of it": lambda a, b: w + w,
    "composition": lambda a, b: gn.addcmul(a, a, b).square(),
}


def _written_to(a: Any) -> Any:
    a[1:3].mul_(2)
    return a


@pytest.mark.parametrize("name", CALLS)
def test_values(name: str) -> None:
    call = vmap(CALLS[name])
    expected = facts(readably(lambda: call(x, y)))
    for _ in range(3):
        assert facts(call(x, y)) == expected
        with gn.no_grad():
            assert facts(call(x, y)) == expected
    each = gn.stack([CALLS[name](a, b) for a, b in zip(x, y)])
    assert gn.allclose(call(x, y), each) and call(x[:2], y[:2]).shape == each[:2].shape


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("outer", ["plain", "outer"])
def test_inside(name: str, outer: str) -> None:
    """Tensors of one example, recorded or not, over values that are recorded or not."""
    function = CALLS[name]

    def look(recorded: bool) -> Any:
        seen: list[Any] = []

        def inside(a: Any, b: Any) -> Any:
            if recorded:
                a = a.detach().requires_grad_()
            result = function(a, b)
            seen.append(facts(result))
            return result.detach()

        given = (x * 1).requires_grad_(outer == "outer")
        vmap(inside)(given, y)
        return seen

    for recorded in (False, True):
        expected = readably(lambda recorded=recorded: look(recorded))
        for _ in range(3):
            assert look(recorded) == expected


def total(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda a, b: (function(a, b).double() * 1.5).sum()


@pytest.mark.parametrize(
    "name", [each for each in CALLS if each not in ("compare", "detach", "nothing of it")]
)
def test_gradients(name: str) -> None:
    function = total(CALLS[name])
    one, other = vmap(grad(function, (0, 1))), grad(lambda a, b: vmap(function)(a, b).sum(), (0, 1))

    def look() -> Any:
        return [facts(each) for each in (*one(x, y), *other(x, y))]

    expected = readably(look)
    for _ in range(3):
        assert look() == expected
    singly = [gn.stack(each) for each in zip(*[grad(function, (0, 1))(a, b) for a, b in zip(x, y)])]
    assert all(map(gn.allclose, one(x, y), singly)) and all(map(gn.allclose, other(x, y), singly))


def test_second_derivatives() -> None:
    def look() -> Any:
        function = lambda a: (a.tanh() * a).sum()  # noqa: E731
        hessian = vmap(jacrev(grad(function)))(x)
        return hessian.tolist(), vmap(grad(lambda a: grad(function)(a).square().sum()))(x).tolist()

    expected = readably(look)
    for _ in range(3):
        assert look() == expected


def test_two_vmaps() -> None:
    """The inner tensors' values are batched themselves, or outer tensors are used in the inner vmap."""
    product = vmap(vmap(lambda a, b: a * b + 1, (0, None)), (None, 0))
    mixed = vmap(lambda a: vmap(lambda b: (a * b).sum())(y))
    for _ in range(3):
        vmap(lambda a, b: a * b)(x, y)
        assert product(x, y).tolist() == [[(a * b + 1).tolist() for a in x] for b in y]
        assert gn.allclose(mixed(x), x @ y.t())


def test_what_a_number_is_worth_counts() -> None:
    for factor in (1.0, 2.0, -0.0, 2, True, 3.5, 2.0):
        assert vmap(lambda a, factor=factor: a * factor)(x).tolist() == (x * factor).tolist()


def test_other_memory_is_another_call() -> None:
    for given in (x, x.t(), x[:, ::2], x.expand(2, 3, 4)[0], x.double(), x[1:], x.t().contiguous()):
        for _ in range(2):
            assert facts(vmap(lambda a: a * 2)(given)) == facts(
                readably(lambda given=given: vmap(lambda a: a * 2)(given))
            )


def test_rules_are_counted() -> None:
    before = batching.rule_runs["mul.Tensor"], dict(batching.fallbacks)
    for _ in range(4):
        vmap(lambda a: a * 2)(x)
    assert (batching.rule_runs["mul.Tensor"], dict(batching.fallbacks)) == (before[0] + 4, before[1])


def test_an_error_leaves_nothing_behind() -> None:
    def function(a: Any, index: Any) -> Any:
        return a[index]

    bad = gn.tensor([[9], [0], [1]], device="c")
    good = gn.tensor([[1], [0], [1]], device="c")
    word = mode_word()
    for _ in range(3):
        assert vmap(function)(x, good).shape == (3, 1)
        with pytest.raises(IndexError):
            vmap(function)(x, bad)
        with pytest.raises(RuntimeError):
            vmap(lambda a: a * gn.ones(3, device="c"))(x)
        assert mode_word() == word and batching.LEVELS.get() == ()


def test_randomness_is_asked_for_each_time() -> None:
    for _ in range(3):
        with pytest.raises(RuntimeError, match="randomness"):
            vmap(lambda a: gn.rand_like(a) + gn.bernoulli(w.sigmoid()))(x)
        same = vmap(lambda a: a * 0 + gn.bernoulli(w.sigmoid()), randomness="same")(x)
        assert same[0].tolist() == same[1].tolist()


def test_views_are_told_of_writes() -> None:
    def function(a: Any) -> Any:
        made = a.clone()
        view = made[1:]
        made.add_(1)
        view.mul_(2)
        return view, made, gn.tensor(view._version + made._version, device="c")

    expected = [each.tolist() for each in readably(lambda: vmap(function, out_dims=(0, 0, 0))(x))]
    for _ in range(3):
        assert [each.tolist() for each in vmap(function, out_dims=(0, 0, 0))(x)] == expected


def test_what_was_written_to_after_it_was_saved() -> None:
    def function(a: Any) -> Any:
        b = a * 1
        result = (b.tanh() * b).sum()
        b.add_(1)
        return result

    for _ in range(3):
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            vmap(grad(function))(x)


def test_nothing_is_kept_of_a_call_that_is_gone() -> None:
    for _ in range(3):
        given = x * 1
        seen = weakref.ref(given)
        result = vmap(grad(lambda a: (a.tanh() * a).sum()))(given)
        del given, result
        gc.collect()
        assert seen() is None


def test_who_is_told_of_calls_is_told_of_the_same() -> None:
    def told() -> list[str]:
        names: list[str] = []
        with observing(
            RecordFunctionCallback(lambda scope, name, *rest: names.append(name), scopes=[FUNCTION])
        ):
            vmap(lambda a: a * a)(x)
        return names

    vmap(lambda a: a * a)(x)
    assert told() == ["mul.Tensor", "mul.Tensor"]


def test_who_is_told_of_calls_is_told_of_compositions() -> None:
    names: list[str] = []
    call = vmap(lambda a: gn.hstack([a, a]))
    for _ in range(3):
        call(x)
    with observing(RecordFunctionCallback(lambda scope, name, *rest: names.append(name), scopes=[FUNCTION])):
        call(x)
    assert names[0] == "hstack" and "cat" in names


def test_an_index_of_one_example_is_not_read() -> None:
    """Outside vmap, a 0-dim index is read: x[index] is a view."""
    rows = gn.tensor([2, 0], device="c")
    for _ in range(3):
        assert vmap(lambda row: x[row])(rows).tolist() == [x[2].tolist(), x[0].tolist()]
        picked = x[gn.tensor(1, device="c")]
        assert picked.tolist() == x[1].tolist() and picked._base is x


@pytest.mark.skipif(speedups is None, reason="needs the C speedups")
def test_what_was_learnt_can_be_forgotten() -> None:
    call = vmap(lambda a: a * 2)
    for _ in range(3):
        call(x)
    speedups.forget_plans()
    assert call(x).tolist() == (x * 2).tolist()


@pytest.mark.skipif(speedups is None, reason="needs the C speedups")
def test_the_kernel_of_batched_does_not_run_again(tier: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []
    find_rule = batching.find_rule
    monkeypatch.setattr(
        batching, "find_rule", lambda operator: ran.append(operator.name) or find_rule(operator)
    )
    function = vmap(grad(lambda a, b: (a * b).sin().sum().tanh()))
    for _ in range(3):
        ran.clear()
        function(x, y)
    assert tier == "readable" or not ran
