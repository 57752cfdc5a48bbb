"""The C speedups: calls that run in C behave as on the readable path, and leave nothing behind."""

from __future__ import annotations

import copy
import gc
import inspect
import os
import pickle
import subprocess
import sys
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import gnomon as gn
from gnomon.autograd import node
from gnomon.autograd.variable_type import RecordedNode
from gnomon.backends.listing import backend_info
from gnomon.memory.backend import get_backend
from gnomon.memory.tensor import bare_tensor
from gnomon.values.speedups import speedups
from time_limits import LIMIT, LONG_LIMIT, join, start

ROOT = Path(__file__).resolve().parents[2]
aten = gn.ops.aten

pytestmark = pytest.mark.skipif(
    not backend_info("c").available or speedups is None, reason="needs the C backend and the C speedups"
)

# Prints the numbers, strides, Nodes and errors of all kinds of calls, each made three times.
PROGRAM = """
import gnomon as gn
gn.set_default_device("c")
F = gn.nn.functional
x = gn.arange(12.0).reshape(3, 4).requires_grad_()
y = gn.arange(12.0).reshape(3, 4) / 7 - 0.5
index = gn.tensor([2, 0, 1])
half = y.to(gn.bfloat16)
calls = [
    lambda: x + y, lambda: x * 2.5, lambda: 3 - x, lambda: x ** 2, lambda: x / 3, lambda: x @ y.t(),
    lambda: x.relu(), lambda: gn.tanh(x), lambda: x.sum(), lambda: x.sum(1), lambda: x.mean((0, 1)),
    lambda: x.max(1), lambda: gn.max(x, 0, True), lambda: x.sort(1, True), lambda: x[1], lambda: x[1:, 2],
    lambda: x[0, ::2], lambda: x[None, ..., 1], lambda: x.T, lambda: x.view(4, 3), lambda: x.reshape((2, 6)),
    lambda: x.permute(1, 0), lambda: x.transpose(0, 1), lambda: y[1, 1].item(), lambda: gn.cat([x, y]),
    lambda: gn.cat((x, y), 1), lambda: gn.where(x > 2, x, y), lambda: F.log_softmax(x, 1),
    lambda: F.cross_entropy(x, index), lambda: F.layer_norm(x, (4,)), lambda: x[index], lambda: half * 1.1,
    lambda: half + half, lambda: F.linear(x, y), lambda: F.gelu(x), lambda: y.clone().add_(y),
    lambda: y.clone().mul_(2), lambda: y.clone().sub_(0.5, alpha=2), lambda: gn.add(x, y, alpha=2),
    lambda: x + True, lambda: x + 2**60, lambda: x + 2**70, lambda: y * -0.0, lambda: gn.pow(y, 0.0),
    lambda: x.sum(dim=0, keepdim=True), lambda: x + gn.ones(5), lambda: x.view(5), lambda: x[7],
    lambda: x[index > 5],
    lambda: gn.cat([x, 3]), lambda: gn.cat([]), lambda: x.max(9), lambda: x + "a", lambda: gn.relu(),
    lambda: gn.relu(x, y),
    lambda: x.to(gn.int64) // 2, lambda: gn.ones(3) == 1, lambda: gn.tensor(2.0) ** x,
    lambda: x ** gn.tensor(2),
    lambda: gn.zeros(2, 3), lambda: gn.ones((2,)), lambda: gn.full((2,), -0.0), lambda: gn.zeros(2, 0),
    lambda: gn.full_like(y, 7), lambda: x.clone(), lambda: x.to(gn.float16), lambda: y.clone().fill_(-0.0),
    lambda: y.clone().zero_(), lambda: y.clone().copy_(y[0]), lambda: y[:, ::2].clone(), lambda: gn.arange(5),
    lambda: gn.arange(0.5, 3), lambda: gn.full((2,), 2**60), lambda: y.clone().masked_fill_(x > 3, 0.0),
    lambda: y.clone().fill_(1e39), lambda: index.clone().fill_(0.5), lambda: gn.zeros(-1),
    lambda: gn.zeros(2.5),
    lambda: gn.manual_seed(3) and gn.rand(4), lambda: gn.randint(7, (3,)),
    lambda: gn.randn(2, dtype=gn.float64),
    lambda: y.clone().normal_(1, 2), lambda: y.clone().bernoulli_(0.25), lambda: F.dropout(x, 0.5),
    lambda: F.embedding(index, y), lambda: gn.stack([y, y]), lambda: x.unsqueeze(0), lambda: x.flatten(),
]
for number, call in enumerate(calls):
    for _ in range(3):
        try:
            result = call()
        except Exception as error:
            print(number, type(error).__name__, error)
            continue
        for each in result if isinstance(result, tuple) else (result,):
            if not isinstance(each, gn.Tensor):
                print(number, repr(each))
                continue
            node = each.grad_fn
            edges = node and [(edge[0] and edge[0].name(), edge[1]) for edge in node.next_functions]
            print(number, each.tolist(), each.dtype, each.stride(), each.storage_offset(), each._version)
            print(each._is_view(), node and node.name(), edges)
            if node is not None:
                x.grad = None
                each.sum().backward()
                print(x.grad.tolist())
"""


def run(program: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env={**os.environ, "GNOMON_FALLBACK": "error", **environment},
        timeout=LIMIT,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_both_tiers_say_the_same() -> None:
    in_c, in_python = run(PROGRAM).splitlines(), run(PROGRAM, GNOMON_SPEEDUPS="none").splitlines()
    assert len(in_c) > 200
    for mine, other in zip(in_c, in_python):
        assert mine == other
    assert len(in_c) == len(in_python)


def test_without_it_functions_are_python_s() -> None:
    program = "import gnomon as gn; print(type(gn.Tensor.__add__).__name__, type(gn.relu).__name__)"
    assert run(program, GNOMON_SPEEDUPS="none").split() == ["function", "function"]
    assert run(program).split() == ["Function", "Function"]


def test_an_extension_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    environment = {**os.environ, "GNOMON_SPEEDUPS": str(tmp_path / "nothing.so")}
    done = subprocess.run(
        [sys.executable, "-c", "import gnomon"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=LIMIT,
    )
    assert done.returncode and "ImportError" in done.stderr


@pytest.mark.slow
def test_the_readable_tier_passes_the_tests_too() -> None:
    names = [
        *(f"speedups/test_speedups_{name}" for name in ("calls", "views", "operators", "launches", "out")),
        *("dispatch/test_dispatcher", "calls/test_native", "memory/test_tensor"),
    ]
    files = [
        *(f"tests/{name}.py" for name in names),
        "tests/autograd/test_engine.py",
        "tests/autograd/test_hooks.py",
    ]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *files, "-m", "not oracle"],
        cwd=ROOT,
        env={**os.environ, "GNOMON_SPEEDUPS": "none"},
        capture_output=True,
        text=True,
        timeout=LONG_LIMIT,
    )
    assert done.returncode == 0, done.stdout[-3000:]


# -- properties of functions ---------------------------------------------------------------------------------


def test_it_looks_like_a_function() -> None:
    assert gn.relu.__name__ == "relu" and gn.Tensor.__add__.__name__ == "__add__"
    assert repr(gn.relu) == "<function relu>"
    assert "Source: torch.relu" in (gn.relu.__doc__ or "")
    assert inspect.signature(gn.Tensor.item) == inspect.signature(gn.Tensor.item.__wrapped__)
    assert list(inspect.signature(gn.Tensor.item).parameters) == ["self"]
    assert callable(gn.relu) and weakref.ref(gn.relu)() is gn.relu


def test_it_is_pickled_and_copied_by_name() -> None:
    assert pickle.loads(pickle.dumps(gn.relu)) is gn.relu
    assert copy.deepcopy(gn.relu) is gn.relu
    assert pickle.loads(pickle.dumps(gn.Tensor.item)) is gn.Tensor.item


def test_methods_are_bound() -> None:
    x = gn.tensor([1.0, -2.0], device="c")
    method = x.relu
    assert method.__self__ is x and method().tolist() == [1.0, 0.0]
    assert gn.Tensor.relu(x).tolist() == [1.0, 0.0]
    assert list(map(gn.Tensor.item, x)) == [1.0, -2.0]


# -- nothing is left behind ----------------------------------------------------------------------------------


def steps() -> list[tuple[str, Callable[[], Any]]]:
    x = gn.arange(12.0, device="c").reshape(3, 4).clone().requires_grad_()
    y = gn.arange(12.0, device="c").reshape(3, 4).clone()
    weights = [gn.ones(3, device="c").requires_grad_() for _ in range(3)]
    for each in weights:
        each.grad = gn.ones(3, device="c")
    optimizer = gn.optim.SGD(weights, lr=0.0)

    def fail(call: Callable[[], Any]) -> Callable[[], Any]:
        def failing() -> None:
            with pytest.raises((RuntimeError, IndexError, TypeError, ValueError)):
                call()

        return failing

    def backward() -> None:
        x.grad = None
        ((x * y).tanh() + x).sum().backward()

    return [
        ("binary", lambda: x + y),
        ("number", lambda: x * 2.5),
        ("unary", lambda: x.relu()),
        ("general", lambda: gn.add(x, y, alpha=2)),
        ("in place", lambda: y.mul_(1.0)),
        ("several", lambda: x.max(1)),
        ("list", lambda: gn.cat([x, y])),
        ("view", lambda: x[1:, 2]),
        ("plain view", lambda: y.T),
        ("item", lambda: y[0, 0].item()),
        ("composite", lambda: gn.nn.functional.cross_entropy(x, gn.tensor([0, 1, 2], device="c"))),
        ("written", optimizer.step),
        ("backward", backward),
        ("error", fail(lambda: x + gn.ones(5, device="c"))),
        ("error of a view", fail(lambda: x[7])),
        ("error of a composition", fail(lambda: gn.nn.functional.cross_entropy(x, x[0]))),
        ("error of a type", fail(lambda: gn.cat([x, 3]))),
    ]


@pytest.mark.parametrize("name", [name for name, _ in steps()])
def test_calls_keep_no_references(name: str) -> None:
    call = dict(steps())[name]
    # from 3.12 on, the reference count of an immortal object means nothing
    immortals = [None, 0, 1] if sys.version_info < (3, 12) else []
    watched = [gn.Tensor, gn.float32, *immortals]
    for _ in range(20):
        call()

    def counts() -> list[int]:
        gc.collect()
        return [len(gc.get_objects()), *(sys.getrefcount(each) for each in watched)]

    before = counts()
    for _ in range(300):
        call()
    for now, then in zip(counts(), before):
        assert abs(now - then) < 150, name  # one reference per call makes 300; objects of other tests may go


def test_memory_goes_back() -> None:
    x = gn.ones(1000, device="c")
    c = gn.backends()["c"]
    assert c.available
    before = gn.accelerator.memory_allocated("c")
    for _ in range(50):
        kept = [x + x, x.max(0), gn.cat([x, x]), x[3:], x.relu()]
    del kept
    assert gn.accelerator.memory_allocated("c") == before


def test_an_output_that_a_node_needs_goes_with_its_last_reference() -> None:
    x = gn.ones(1000, device="c").requires_grad_()
    gc.collect()
    gc.disable()
    try:
        for _ in range(3):
            y = x.exp()
            seen = weakref.ref(y)
            del y
            assert seen() is None
    finally:
        gc.enable()


# -- calls that take the Python path -------------------------------------------------------------------------


def test_writes_are_counted_and_inference_tensors_refused() -> None:
    x = gn.ones(3, device="c")
    for _ in range(3):
        x.add_(1)
        x.mul_(x)
    assert x._version == 6
    with gn.inference_mode():
        made = gn.ones(3, device="c")
    other = gn.ones(3, device="c")
    for _ in range(3):
        with pytest.raises(RuntimeError, match="inference"):
            made.add_(other)
        other.add_(made)
    assert made.tolist() == [1.0, 1.0, 1.0] and other.tolist() == [4.0, 4.0, 4.0]


def test_what_was_written_to_before_may_be_saved() -> None:
    weight = gn.full((3,), 2.0, device="c").requires_grad_()
    for _ in range(3):
        x = gn.ones(3, device="c")
        x.add_(1)
        weight.grad = None
        (weight * x).sum().backward()
        assert weight.grad.tolist() == [2.0] * 3
    product = weight * x
    x.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.sum().backward()


def test_a_leaf_that_changed_its_sizes_has_another_accumulator() -> None:
    x = gn.ones(3, device="c").requires_grad_()
    for _ in range(3):
        (x * 2).sum().backward()
    x.grad = None
    x.data = gn.ones(5, device="c")
    for _ in range(2):
        (x * 2).sum().backward()
    assert x.grad.tolist() == [4.0] * 5


def test_views_require_grad_when_their_base_will() -> None:
    for _ in range(3):
        x = gn.ones(2, 2, device="c")
        views = [x[0], x.T, x.view(4)]
        x.requires_grad_()
        assert all(each.requires_grad for each in views)
    many = gn.ones(100, device="c")
    kept = [many[number] for number in range(80)]
    many.requires_grad_()
    assert all(each.requires_grad for each in kept)


def test_operands_that_share_memory_are_seen() -> None:
    for _ in range(3):
        x = gn.arange(6.0, device="c")
        with pytest.raises(RuntimeError, match="single memory location"):
            x[1:].add_(x[:-1])
        x[1:].add_(x[1:])
        assert x.tolist() == [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]


def test_a_step_on_inference_tensors_is_refused() -> None:
    with gn.inference_mode():
        made = gn.ones(3, device="c")
    plain, grad = gn.ones(3, device="c"), gn.ones(3, device="c")
    numbers = (0.0, 0.0, 0.5, 0.0, False, False, False, None, None)
    for _ in range(3):
        with gn.no_grad():
            aten._fused_sgd_.default([plain, gn.ones(3, device="c")], [grad, grad], [], *numbers)
    assert plain.tolist() == [-0.5] * 3 and plain._version == 3 and grad._version == 0
    for _ in range(3):  # the same specs, so the same plan
        with gn.no_grad(), pytest.raises(RuntimeError, match="inference"):
            aten._fused_sgd_.default([plain, made], [grad, grad], [], *numbers)
    assert made.tolist() == [1.0] * 3


def test_a_callback_hears_every_call() -> None:
    from gnomon.dispatch.record_function import DISPATCH, RecordFunctionCallback, observing

    x = gn.ones(2, 2, device="c")
    calls = [lambda: x + x, lambda: x.relu(), lambda: x[0], lambda: x.max(1), lambda: gn.add(x, x, alpha=3)]
    for call in calls:
        call()
        call()
    heard: list[str] = []

    def note(scope: Any, name: str, passed: Any) -> None:
        heard.append(passed[0].schema.name)

    with observing(RecordFunctionCallback(note, scopes=(DISPATCH,))):
        for call in calls:
            call()
    assert {"add", "relu", "select", "max"} <= set(heard)


def test_subclasses_and_modes_have_their_say() -> None:
    seen: list[str] = []

    class Mode(gn.DispatchMode):
        def __gnomon_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append(func.schema.name)
            return func(*args, **(kwargs or {}))

    x = gn.ones(2, 2, device="c")
    for _ in range(3):
        x + x, x.T, x.max(1)
    with Mode():
        x + x, x.T, x.max(1)
    assert {"add", "max"} <= set(seen)
    parameter = gn.nn.Parameter(x)
    for _ in range(3):
        result = parameter * 2
    assert type(result) is gn.Tensor and result.grad_fn.name() == "MulBackward0"


@pytest.mark.parametrize(
    "call",
    [
        lambda x: type(aten.add.Tensor).__call__(5, 1),
        lambda x: type(aten.add.Tensor).__call__(),
        lambda x: gn.Tensor.item(3),
        lambda x: gn.Tensor.__getitem__(x),
        lambda x: gn.Tensor.T.fget(3),
        lambda x: x + bare_tensor(),
        lambda x: bare_tensor().T,
        lambda x: bare_tensor().item(),
        lambda x: gn.cat([x, bare_tensor()]),
        lambda x: gn.cat([x, None]),
        lambda x: gn.where(bare_tensor(), x, x),
        lambda x: x.add_(bare_tensor()),
        lambda x: gn.relu(*[x] * 100),
        lambda x: speedups.run_graph(((1, 2),), (x,), False, None),
        lambda x: speedups.run_graph((1,), (x,), False, None),
    ],
)
def test_what_is_no_tensor_or_was_never_filled_is_an_error(call: Callable[[gn.Tensor], Any]) -> None:
    x = gn.ones(2, 2, device="c")
    for each in (x + x, gn.cat([x, x]), x.relu(), x.T, x[0], x.max(1), x.add_(x), gn.where(x > 0, x, x)):
        assert each is not None  # makes plans
    for _ in range(3):
        try:
            call(x)
        except (AttributeError, TypeError, ValueError):
            continue
        pytest.fail("nothing was raised")


# -- the engine ----------------------------------------------------------------------------------------------


def plain_and_watched(
    function: Callable[[gn.Tensor], gn.Tensor], x: gn.Tensor
) -> tuple[gn.Tensor, gn.Tensor]:
    """The gradients of C's engine, and of Python's, which runs if there is a hook."""
    x.grad = None
    function(x).backward()
    plain = x.grad
    x.grad = None
    handle = x.register_hook(lambda gradient: None)
    function(x).backward()
    handle.remove()
    return plain, x.grad


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.sum(),
        lambda x: (x * x + x).sum(),
        lambda x: (x.tanh() * x.exp() + x.exp().tanh()).sum(),
        lambda x: gn.cat([x, x * 2, x.T.reshape(3, 4)]).max(0).values.sum(),
        lambda x: x.sort(1).values[:, 1].sum() + x.topk(2, 1).values.sum(),
        lambda x: gn.nn.functional.layer_norm(x, (4,)).square().sum(),
        lambda x: gn.stack(list(x.unbind(0))).prod(0).sum(),
        lambda x: x.expand(5, 3, 4).sum() + x[0, 0],
        lambda x: (x + x).sum() * x.mean(),
        lambda x: gn.linalg.norm(x),
    ],
)
def test_the_engine_gives_python_s_gradients(function: Callable[[gn.Tensor], gn.Tensor]) -> None:
    x = (gn.arange(12.0, device="c").reshape(3, 4) / 5 - 1).clone().requires_grad_()
    plain, watched = plain_and_watched(function, x)
    assert plain.tolist() == watched.tolist()
    assert plain.stride() == watched.stride() and plain.dtype is watched.dtype


def test_what_was_saved_is_unpacked_in_c(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parameters, views of tensors that were written to, freed outputs: C unpacks all of them."""
    elsewhere = gn.ones(2, device="c").requires_grad_()
    elsewhere.register_hook(lambda gradient: None)  # in another graph
    monkeypatch.setattr(node, "spans_devices", False)  # a graph of another test may have set it
    monkeypatch.setattr(RecordedNode, "apply", lambda *arguments: pytest.fail("went Python's way"))
    weight = gn.nn.Parameter(gn.ones(3, 4, device="c"))
    x = gn.arange(8.0, device="c").reshape(2, 4).requires_grad_()
    with gn.no_grad():
        weight.add_(1)
        x.mul_(0.5)
    gn.nn.functional.linear(x, weight).exp().sum().backward()
    output = (x.detach() @ weight.detach().t()).exp()
    assert gn.allclose(weight.grad, output.t() @ x.detach())
    assert gn.allclose(x.grad, output @ weight.detach())
    assert weight.grad.stride() == (4, 1)


@pytest.mark.parametrize("when", ["before", "not"])
@pytest.mark.parametrize("kind", ["input", "view", "parameter", "output"])
def test_what_was_saved_and_written_to_is_refused(kind: str, when: str) -> None:
    x = gn.nn.Parameter(gn.ones(2, 2, device="c")) if kind == "parameter" else gn.ones(2, 2, device="c")
    if when == "before":  # the saved version is not 0
        with gn.no_grad():
            x.add_(0)
    y = gn.ones(2, 2, device="c").requires_grad_()
    result = y.exp() if kind == "output" else y * (x.t() if kind == "view" else x)
    with gn.no_grad():
        (result if kind == "output" else x).mul_(3)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        result.sum().backward()
    assert y.grad is None


def test_saved_tensor_hooks_are_called_by_the_engine() -> None:
    x = gn.ones(2, device="c").requires_grad_()
    with gn.autograd.graph.saved_tensors_hooks(lambda each: each * 2, lambda each: each * 5):
        result = x * gn.full((2,), 3.0, device="c")
    result.sum().backward()
    assert x.grad.tolist() == [30.0, 30.0]


def test_roots_that_are_leaves_twice_or_before_others() -> None:
    x = gn.ones(2, device="c").requires_grad_()
    gn.autograd.backward([x, x], [gn.ones(2, device="c"), gn.tensor([3.0, 4.0], device="c")])
    assert x.grad.tolist() == [4.0, 5.0]
    x.grad = None
    y = x * 3
    z = y * 2
    gn.autograd.backward([z, y, z], [gn.ones(2, device="c")] * 3)
    assert x.grad.tolist() == [15.0, 15.0]


def test_a_gradient_does_not_alias_what_came_in() -> None:
    x = gn.ones(2, device="c").requires_grad_()
    y = gn.ones(2, device="c").requires_grad_()
    seed = gn.ones(2, device="c")
    (x + y).backward(seed)
    assert len({x.grad.data_ptr(), y.grad.data_ptr(), seed.data_ptr()}) == 3
    x.grad.zero_()
    assert y.grad.tolist() == [1.0, 1.0] and seed.tolist() == [1.0, 1.0]


def test_gradients_that_a_backward_returns_twice_are_two() -> None:
    class Sum(gn.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: gn.Tensor, y: gn.Tensor) -> gn.Tensor:
            return x + y

        @staticmethod
        def backward(ctx: Any, gradient: gn.Tensor) -> tuple[gn.Tensor, gn.Tensor]:
            twice = gradient * 2
            return twice, twice

    x, y = (gn.ones(3, device="c").requires_grad_() for _ in range(2))
    Sum.apply(x, y).exp().sum().backward()
    assert x.grad.data_ptr() != y.grad.data_ptr() and x.grad.tolist() == y.grad.tolist()


def test_a_fault_leaves_grad_and_frees_the_buffers() -> None:
    class Fails(gn.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: gn.Tensor) -> gn.Tensor:
            return x * 1

        @staticmethod
        def backward(ctx: Any, gradient: gn.Tensor) -> gn.Tensor:
            raise ValueError("no gradient today")

    x = gn.ones(3, device="c").requires_grad_()
    x.grad = gn.full((3,), 7.0, device="c")

    def fail(times: int) -> int:
        for _ in range(times):
            with pytest.raises(ValueError, match="no gradient today"):
                (Fails.apply(x * 2) + x * 3).sum().backward()
        gc.collect()
        return gn.accelerator.memory_allocated("c")

    before = fail(1)
    after = fail(5)
    assert x.grad.tolist() == [7.0] * 3
    assert after == before


def test_a_backward_inside_a_backward() -> None:
    class Inner(gn.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: gn.Tensor) -> gn.Tensor:
            return x * 2

        @staticmethod
        def backward(ctx: Any, gradient: gn.Tensor) -> gn.Tensor:
            with gn.enable_grad():
                y = gn.ones(3, device="c").requires_grad_()
                (y * y * 5).sum().backward()
            return gradient * y.grad

    x = gn.ones(3, device="c").requires_grad_()
    Inner.apply(x * 1).sum().backward()
    assert x.grad.tolist() == [10.0] * 3


def test_a_second_backward_says_what_was_freed() -> None:
    x = gn.ones(3, device="c").requires_grad_()
    y = (x * x).sum()
    y.backward()
    with pytest.raises(RuntimeError, match="second time"):
        y.backward()
    z = x * x
    total = z.sum()
    x.data.mul_(2)
    total.backward()
    w = (x * x).exp()
    w.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        w.sum().backward()


def test_memory_goes_back_while_the_graph_runs() -> None:
    x = gn.ones(1 << 16, device="c").requires_grad_()

    def peak(length: int) -> int:
        gn.accelerator.reset_peak_memory_stats("c")
        y = x
        for _ in range(length):
            y = y * 1.0
        total = y.sum()
        del y
        total.backward()
        return gn.accelerator.max_memory_allocated("c") - gn.accelerator.memory_allocated("c")

    peak(4)
    assert peak(64) == peak(8) < (1 << 16) * 4 * 6  # a few gradients, however many nodes


def test_long_and_wide_graphs() -> None:
    x = gn.ones(1, device="c").requires_grad_()
    y = x
    for _ in range(20000):
        y = y + x
    y.backward()
    assert x.grad.item() == 20001
    x.grad = None
    gn.stack([x * number for number in range(500)]).sum().backward()
    assert x.grad.item() == sum(range(500))


def test_threads_share_plans() -> None:
    x = gn.arange(64.0, device="c")
    weight = gn.ones(64, device="c").requires_grad_()
    faults: list[str] = []

    def work(number: float) -> None:
        for size in range(1, 40):
            y = (x[:size] * number + x[:size]).relu()
            if y.tolist() != [each * (number + 1) for each in range(size)]:
                faults.append(f"{number} {size}")
            (gradient,) = gn.autograd.grad((weight * number).sum(), [weight])
            if gradient.tolist() != [number] * 64:
                faults.append("gradient")
            (weight[:size] * 1.0).sum().backward()

    join(*[start(work, float(number)) for number in range(1, 5)])
    assert not faults
    assert weight.grad[0].item() == 4 * 39


def test_a_prepared_call_may_offer_nothing_but_run(monkeypatch: pytest.MonkeyPatch) -> None:
    class Bare:
        def __init__(self, call: Any):
            self.run = call.run

    kind = type(get_backend("c").kernels["add.Tensor"])
    prepare = kind.prepare
    monkeypatch.setattr(kind, "prepare", lambda self, *facts: Bare(prepare(self, *facts)))
    x = gn.tensor([float(each) for each in range(1237)], device="c")
    for _ in range(3):
        assert (x * x - x).tolist() == [each * each - each for each in range(1237)]
        assert x.sum().item() == 1237 * 1236 / 2


def test_a_second_copy_of_gnomon_does_without(tmp_path: Path) -> None:
    """Its modules are imported again: the C speedups belong to the first copy, which still works."""
    program = tmp_path / "program.py"
    program.write_text(
        "import sys, warnings\n"
        "import gnomon as first\n"
        "def works(gn):\n"
        "    x = gn.ones(2, requires_grad=True)\n"
        "    (x * 3).sum().backward()\n"
        "    return x.grad.tolist() == [3.0, 3.0]\n"
        "assert works(first)\n"
        "for name in [name for name in sys.modules if name.startswith('gnomon')]:\n"
        "    del sys.modules[name]\n"
        "with warnings.catch_warnings(record=True) as caught:\n"
        "    warnings.simplefilter('always')\n"
        "    import gnomon as second\n"
        "assert any('in use by another copy of gnomon' in str(each.message) for each in caught)\n"
        "assert second is not first and second.values.speedups.speedups is None\n"
        "assert works(first) and works(second) and works(first)\n"
    )
    # with GNOMON_SPEEDUPS set, a missing extension would be an error
    environment = {name: value for name, value in os.environ.items() if name != "GNOMON_SPEEDUPS"}
    done = subprocess.run(
        [sys.executable, str(program)], capture_output=True, text=True, env=environment, timeout=LIMIT
    )
    assert done.returncode == 0, done.stderr


def test_a_tensor_s_own_fields_are_of_their_types() -> None:
    x = gn.ones(3)
    for name, wrong in (
        ("_spec", []),
        ("_spec", None),
        ("_gradient_edge", 5),
        ("_gradient_edge", (1, 2, 3)),
        ("_autograd_meta", 3),
        ("_version_counter", "x"),
        ("_view_of", 4),
    ):
        with pytest.raises(TypeError):
            setattr(x, name, wrong)
    with pytest.raises(TypeError):
        del x._spec
    assert (x + 1).tolist() == [2.0] * 3
