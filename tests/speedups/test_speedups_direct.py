"""csrc/speedups/function.c: calls that enter their kernel directly behave as on the readable path."""

from __future__ import annotations

import gc
import sys
import threading
import tracemalloc
import weakref
from collections.abc import Callable
from typing import Any

import pytest

import gnomon as gn
from gnomon.backends.listing import backend_info
from gnomon.dispatch.mode import excluding
from gnomon.dispatch.record_function import FUNCTION, RecordFunctionCallback, observing
from gnomon.memory.tensor import bare_tensor
from gnomon.values.dispatch_key import DispatchKey
from gnomon.values.speedups import speedups
from readable_calls import python_calls, readably
from time_limits import LIMIT, join, start

pytestmark = [
    pytest.mark.both_tiers,
    pytest.mark.skipif(not backend_info("c").available, reason="needs the C backend"),
]
needs_speedups = pytest.mark.skipif(speedups is None, reason="of the C speedups alone")


def facts(result: Any) -> Any:
    node = result.grad_fn
    edges = [] if node is None else [edge and type(edge[0]).__name__ for edge in node.next_edges]
    view = None if result._base is None else (result._base.shape, result.storage_offset())
    is_inference = result.is_inference()
    version = (is_inference or result._version, is_inference, result.requires_grad)
    return [result.tolist(), result.dtype, result.shape, result.stride(), type(node), edges, view, version]


square = gn.arange(16.0, device="c").reshape(4, 4).clone()
other = square.cos()
stack = gn.arange(24.0, device="c").reshape(2, 3, 4)
needed = square.clone().requires_grad_()
line = gn.arange(1.0, 5.0, device="c")
functional = gn.nn.functional

CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "a kernel of two tensors": lambda a, b: a + b,
    "of one": lambda a, b: a.relu(),
    "of a number": lambda a, b: a * 2.5,
    "a number on the left": lambda a, b: 3 - a,
    "a result that its Node saves": lambda a, b: a.tanh(),
    "a reduction": lambda a, b: a.sum(),
    "a view": lambda a, b: a.T,
    "an index": lambda a, b: a[1],
    "a view that a composition makes": lambda a, b: a.reshape(16),
    "a composition of one operator": lambda a, b: a.softmax(0),
    "of a product": lambda a, b: a @ b,
    "of products": lambda a, b: a.matmul(b),
    "linear": lambda a, b: functional.linear(a, b),
    "linear with a bias": lambda a, b: functional.linear(a, b, line),
    "several operators": lambda a, b: functional.gelu(a @ b + 1),
    "its own argument": lambda a, b: a.contiguous(),
    "square": lambda a, b: a.square(),
    "one tensor at two places": lambda a, b: a @ a,
    "at two places of a function": lambda a, b: functional.linear(a, a),
    "at three": lambda a, b: gn.addmm(a, a, a),
    "at two, of two operators": lambda a, b: a @ a + a,
}


@pytest.mark.parametrize("name", CALLS)
def test_calls_are_the_readable_ones(name: str) -> None:
    call = CALLS[name]
    for a, b in ((square, other), (needed, other), (other, needed), (needed, needed), (square, square)):
        for _ in range(4):  # the first call makes a plan, the others use it, and then there is another pair's
            assert facts(call(a, b)) == facts(readably(lambda a=a, b=b: call(a, b)))
        with gn.no_grad():
            for _ in range(2):
                assert facts(call(a, b)) == facts(readably(lambda a=a, b=b: call(a, b)))


@pytest.mark.parametrize("name", CALLS)
def test_tensors_of_inference_mode_are_told_from_others(name: str) -> None:
    call = CALLS[name]
    with gn.inference_mode():
        made = square + 0
        for _ in range(3):
            assert facts(call(made, other)) == facts(readably(lambda: call(made, other)))
            assert facts(call(square, other)) == facts(readably(lambda: call(square, other)))
    for _ in range(3):
        assert facts(call(made, other)) == facts(readably(lambda: call(made, other)))


@pytest.mark.parametrize("name", CALLS)
def test_each_call_is_told_of(name: str) -> None:
    call = CALLS[name]
    for _ in range(3):
        call(square, other)
    told: list[tuple[str, Any]] = []
    with observing(RecordFunctionCallback(lambda *each: told.append(each[:2]), scopes={FUNCTION})):
        call(square, other)
    assert told


@needs_speedups
@pytest.mark.parametrize(
    "name", [each for each in CALLS if not {"linear", "function", "several"} & set(each.split())]
)
@pytest.mark.parametrize("pair", ["plain", "the same twice"])
def test_no_python_runs_once_they_are_known(name: str, pair: str) -> None:
    a, b = (square + 1, other + 1) if pair == "plain" else (square, square)
    call = CALLS[name]
    for _ in range(3):
        call(a, b)
    calls = python_calls(lambda: call(a, b))
    assert calls == ["<lambda>"] or calls == ["<lambda>", "<lambda>"], calls


@needs_speedups
def test_a_composition_first_called_with_one_tensor_twice_is_known_from_then_on() -> None:
    fresh = gn.ones(5, 5, device="c")
    for _ in range(2):
        fresh @ fresh
    assert python_calls(lambda: fresh @ fresh) == []
    assert facts(fresh @ fresh) == facts(readably(lambda: fresh @ fresh))


def test_a_composition_that_returns_an_argument_returns_the_one_it_got() -> None:
    whole = gn.ones(2, 3, 7, device="c")
    for _ in range(3):
        assert whole.type_as(whole) is whole
        assert gn.broadcast_tensors(whole, whole)[1].shape == whole.shape
        assert whole.expand_as(whole)._base is whole


def test_numbers_that_a_dtype_does_not_hold_are_refused_after_others() -> None:
    small = gn.tensor([1, 2], dtype=gn.uint8, device="c")
    single = gn.ones(2, device="c")
    for _ in range(3):
        assert (small + 1).tolist() == [2, 3]
        assert (single * 2.0).tolist() == [2.0, 2.0]
    for number in (300, -129, 2**40):
        expected = readably(lambda number=number: (small + number).tolist())
        assert (small + number).tolist() == expected
    assert (single * 1e300).tolist() == readably(lambda: (single * 1e300).tolist())


def test_a_bad_index_is_refused_as_ever() -> None:
    numbers = gn.tensor([0, 2, 1], device="c")
    table = gn.arange(3.0, device="c")
    for _ in range(3):
        assert table.take(numbers).tolist() == [0.0, 2.0, 1.0]
    numbers[0] = 9
    with pytest.raises(IndexError) as caught:
        table.take(numbers)
    with pytest.raises(IndexError) as readable:
        readably(lambda: table.take(numbers))
    assert str(caught.value) == str(readable.value)


@needs_speedups
def test_a_tensor_has_no_dict_before_it_is_asked_for() -> None:
    class Made(gn.Tensor):
        def __new__(cls, tag: str) -> Any:
            return super().__new__(cls)

    first = gn.zeros(3, 17, device="c")  # no other test has these sizes
    size = sys.getsizeof(first)
    referents = gc.get_referents(first)
    assert not any(isinstance(each, dict) for each in referents)
    first.tag = 1
    assert first.__dict__ == {"tag": 1} and sys.getsizeof(first) == size
    assert type(Made("a")) is Made
    for wrong in (int, None.__class__, 3):
        with pytest.raises(TypeError, match="bare_tensor: expected a subclass of Tensor"):
            bare_tensor(wrong)


def test_threads_that_learn_a_call_at_once_run_it() -> None:
    """A kernel releases the GIL; a plan that another thread learns meanwhile replaces the one that runs."""
    wide = gn.ones(50_003, device="c").requires_grad_()
    barrier = threading.Barrier(6, timeout=LIMIT)
    found: list[float] = []

    def work() -> None:
        barrier.wait()
        for _ in range(20):
            found.append(float((wide * 2.0 + wide).detach()[7]))

    join(*[start(work) for _ in range(6)])
    assert found == [3.0] * 120


def stale() -> Any:
    """A view whose history autograd does not know."""
    base = gn.zeros(3, 3, device="c")
    with gn.no_grad():
        view = base[2]
    base.copy_(gn.ones(1, device="c", requires_grad=True))
    return view


places = gn.tensor([0, 1], device="c")
mask = gn.tensor([True, False, True], device="c")
OF_A_VECTOR: dict[str, Callable[[Any], Any]] = {
    "an index": lambda v: v[places],
    "a mask": lambda v: v[mask],
    "reshape": lambda v: v.reshape(3, 1),
    "softmax": lambda v: v.softmax(0),
    "double": lambda v: v.double(),
    "chunk": lambda v: v.chunk(2),
    "add": lambda v: v + 1,
    "transpose": lambda v: v.view(3, 1).T,
    "select": lambda v: v[1],
    "slice": lambda v: v[1:],
    "product": lambda v: v @ v,
    "narrow": lambda v: v.narrow(0, 0, 1),
    "linear": lambda v: functional.linear(v, gn.ones(2, 3, device="c")),
    "cat": lambda v: gn.cat([v, v]),
    "square": lambda v: v.square(),
    "sum": lambda v: v.sum(),
    "write": lambda v: v.mul_(2),
}


@pytest.mark.parametrize("name", OF_A_VECTOR)
def test_an_error_of_a_known_call_is_the_readable_one(name: str) -> None:
    call = OF_A_VECTOR[name]
    with pytest.raises(RuntimeError) as expected:
        readably(lambda: call(stale()))
    for _ in range(3):
        call((gn.ones(3, 3, device="c", requires_grad=True) * 2)[2])
        with pytest.raises(RuntimeError) as caught:
            call(stale())
        assert str(caught.value) == str(expected.value)


@pytest.mark.parametrize("name", [*CALLS, *OF_A_VECTOR])
def test_what_is_told_of_a_call_does_not_depend_on_whether_it_is_known(name: str) -> None:
    def told(is_traced: bool) -> list[str]:
        names: list[str] = []
        callback = RecordFunctionCallback(
            lambda scope, called, _: names.append(f"{scope.name} {called}"), is_traced=is_traced
        )
        with observing(callback):
            call()
        return names

    if name in CALLS:
        call = lambda: CALLS[name](needed, other)  # noqa: E731
    else:
        call = lambda: OF_A_VECTOR[name](square[1, :3] * 2)  # noqa: E731
    expected = told(True)
    for _ in range(4):
        assert told(False) == expected
        call()


def test_where_refuses_a_number_that_does_not_fit_after_others() -> None:
    condition = square > 3
    for _ in range(4):
        assert gn.where(condition, square, 2.0)[0, 0] == 2.0
    for number in (1e300, -1e39):
        with pytest.raises(RuntimeError, match="without overflow"):
            gn.where(condition, square, number)
    assert gn.where(condition, square, 3.0)[0, 0] == 3.0


def test_keywords_in_another_order_are_the_same_call() -> None:
    for _ in range(4):
        assert facts(gn.matmul(other=other, input=square)) == facts(square @ other)
        assert facts(gn.matmul(other=square, input=other)) == facts(other @ square)
        assert facts(gn.sub(other=other, input=square)) == facts(square - other)
        assert facts(gn.mv(vec=line, input=square)) == facts(square.mv(line))


def test_a_result_that_is_watched_ends_as_any() -> None:
    """Weak references are notified, and its attributes are freed with it."""
    told: list[Any] = []
    for _ in range(3):
        result = square + 1
        watched = weakref.ref(result, told.append)
        del result
        assert watched() is None and told.pop() is watched

    def work() -> None:
        for _ in range(200):
            (square + 1).add_(1)
            (square + 1).requires_grad_()
            (square + 1).tag = 1

    growths: list[int] = []
    work()
    tracemalloc.start()
    for _ in range(4):
        start = tracemalloc.get_traced_memory()[0]
        work()
        growths.append(tracemalloc.get_traced_memory()[0] - start)
    tracemalloc.stop()
    assert min(growths) < 2000


@needs_speedups
def test_methods_below_autograd_are_parsed_once() -> None:
    x = gn.ones(3, 11, device="c")

    def calls() -> list[Any]:
        return [x.view(11, 3), x.reshape((33,)), x.t(), x.unsqueeze(0), x.mul(x), x + 1, x.sum(0)]

    above = [key for key in DispatchKey if key > DispatchKey.Batched]  # by kernels of sparse tensors
    with excluding(*above):
        before = [each.tolist() for each in calls()]
        calls()
        assert not {"parse", "bind"} & set(python_calls(calls))
        assert [each.tolist() for each in calls()] == before
        assert not any(each._is_view() for each in calls())
    assert [each._is_view() for each in calls()] == [True, True, True, True, False, False, False]
