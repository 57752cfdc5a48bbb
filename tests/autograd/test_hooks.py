"""Hooks: which run, in which order, and what they may change."""

from __future__ import annotations

from typing import Any

import pytest

import gnomon as gn
from gnomon.autograd.graph_task import current_task
from gnomon.autograd.node import accumulator_edge

pytestmark = pytest.mark.both_tiers


def test_a_tensor_hook_sees_and_replaces_the_gradient(lib: Any) -> None:
    x = lib.ones(2, requires_grad=True)
    y = x * 2
    seen = []
    y.register_hook(lambda gradient: seen.append(gradient.tolist()))
    y.register_hook(lambda gradient: gradient * 10)
    y.register_hook(lambda gradient: seen.append(gradient.tolist()))
    y.sum().backward()
    assert seen == [[1.0, 1.0], [10.0, 10.0]]
    assert x.grad.tolist() == [20.0, 20.0]


def test_a_hook_on_a_leaf_runs_before_accumulation(lib: Any) -> None:
    x = lib.ones(1, requires_grad=True)
    x.register_hook(lambda gradient: gradient + 1)
    (x * 2).sum().backward()
    (x * 2).sum().backward()
    assert x.grad.tolist() == [6.0]


def test_a_hook_runs_once_with_the_whole_gradient(lib: Any) -> None:
    x = lib.ones(1, requires_grad=True)
    y = x * 2
    seen = []
    y.register_hook(lambda gradient: seen.append(gradient.item()))
    (y * 3 + y * 4).sum().backward()
    assert seen == [7.0]


def test_a_removed_hook_does_not_run(lib: Any) -> None:
    x = lib.ones(1, requires_grad=True)
    handle = x.register_hook(lambda gradient: gradient * 0)
    handle.remove()
    handle.remove()
    (x * 2).sum().backward()
    assert x.grad.tolist() == [2.0]
    with x.register_hook(lambda gradient: gradient * 0):
        (x * 2).sum().backward()
    (x * 2).sum().backward()
    assert x.grad.tolist() == [4.0]


def test_hooks_need_a_gradient_to_see(lib: Any) -> None:
    with pytest.raises(RuntimeError, match="cannot register a hook on a tensor that doesn't require grad"):
        lib.ones(1).register_hook(print)


def test_a_hook_must_keep_the_shape(lib: Any) -> None:
    x = lib.ones(2, requires_grad=True)
    y = x * 2
    y.register_hook(lambda gradient: lib.ones(3))
    with pytest.raises(RuntimeError):
        y.sum().backward()
    assert x.grad is None


def test_a_hook_must_return_a_tensor(lib: Any) -> None:
    x = lib.ones(2, requires_grad=True)
    y = x * 2
    y.register_hook(lambda gradient: 3)
    with pytest.raises(TypeError):
        y.sum().backward()


def test_node_hooks(lib: Any) -> None:
    x = lib.ones(1, requires_grad=True)
    y = x * 2
    seen = []
    node = y.grad_fn
    node.register_prehook(lambda outputs: seen.append(("pre", [each.item() for each in outputs])))
    node.register_prehook(lambda outputs: (outputs[0] * 5,))

    def post(inputs: Any, outputs: Any) -> Any:
        seen.append(("post", [each and each.item() for each in inputs], [each.item() for each in outputs]))
        return (inputs[0] + 1, *inputs[1:])

    handle = node.register_hook(post)
    y.backward(lib.ones(1), retain_graph=True)
    assert seen == [("pre", [1.0]), ("post", [10.0, None], [5.0])]
    assert x.grad.tolist() == [11.0]
    handle.remove()
    y.backward(lib.ones(1))
    assert x.grad.tolist() == [21.0]


def test_the_order_of_hooks_at_one_node(lib: Any) -> None:
    x = lib.ones(1, requires_grad=True)
    y = x * 2
    order = []
    y.grad_fn.register_prehook(lambda outputs: order.append("pre"))
    y.retain_grad()
    y.register_hook(lambda gradient: order.append("tensor 1"))
    y.register_hook(lambda gradient: gradient * 3)
    y.grad_fn.register_hook(lambda inputs, outputs: order.append("post"))
    y.sum().backward()
    assert order == ["tensor 1", "pre", "post"]
    assert y.grad.tolist() == [3.0]  # retained after all tensor hooks, whenever they were registered


def test_hooks_of_a_leaf_and_its_accumulator(lib: Any) -> None:
    x = lib.ones(1, requires_grad=True)
    y = x * 2
    order: list[Any] = []
    accumulator = y.grad_fn.next_functions[0][0]
    accumulator.register_prehook(lambda outputs: order.append("pre"))
    accumulator.register_hook(lambda inputs, outputs: order.append("post"))
    x.register_hook(lambda gradient: order.append("tensor"))
    x.register_post_accumulate_grad_hook(lambda leaf: order.append(("accumulated", leaf.grad.item())))
    y.sum().backward()
    assert order == ["tensor", "pre", ("accumulated", 2.0), "post"]


def test_post_accumulate_hooks(lib: Any) -> None:
    x = lib.ones(1, requires_grad=True)

    def step(leaf: Any) -> None:
        assert leaf is x
        with lib.no_grad():
            leaf.sub_(leaf.grad)
        leaf.grad = None

    handle = x.register_post_accumulate_grad_hook(step)
    (x * 0.5).sum().backward()
    assert x.tolist() == [0.5] and x.grad is None
    handle.remove()
    (x * 0.5).sum().backward()
    assert x.grad.tolist() == [0.5]
    with pytest.raises(RuntimeError, match="leaf"):
        (x * 2).register_post_accumulate_grad_hook(step)


def test_grad_does_not_run_accumulation_hooks(lib: Any) -> None:
    x = lib.ones(1, requires_grad=True)
    seen = []
    x.register_post_accumulate_grad_hook(lambda leaf: seen.append("accumulated"))
    x.register_hook(lambda gradient: seen.append("tensor"))
    lib.autograd.grad((x * 2).sum(), x)
    assert seen == ["tensor"]


def test_hooks_and_the_inputs_of_grad(lib: Any) -> None:
    """If y is the only input of grad, its hooks change its gradient; if its Node runs, too, they do not."""
    x = lib.ones(1, requires_grad=True)
    y = x * 2
    y.register_hook(lambda gradient: gradient * 10)
    y.grad_fn.register_prehook(lambda outputs: (outputs[0] * 7,))
    z = (y * 3).sum()
    (alone,) = lib.autograd.grad(z, y, retain_graph=True)
    assert alone.item() == 30.0
    by_y, by_x = lib.autograd.grad(z, [y, x])
    assert by_y.item() == 3.0 and by_x.item() == 420.0


def test_retained_gradients(lib: Any) -> None:
    x = lib.ones(1, requires_grad=True)
    y = x * 2
    assert not y.retains_grad
    y.retain_grad()
    y.retain_grad()
    assert y.retains_grad and not x.retains_grad
    (y * 3).sum().backward(retain_graph=True)
    assert y.grad.tolist() == [3.0]
    (y * 4).sum().backward()
    assert y.grad.tolist() == [7.0] or y.grad.tolist() == [4.0]
    with pytest.raises(RuntimeError, match="can't retain_grad on Tensor that has requires_grad=False"):
        lib.ones(1).retain_grad()


def test_retained_gradients_do_not_accumulate(lib: Any) -> None:
    y = lib.ones(1, requires_grad=True) * 2
    y.retain_grad()
    y.backward(lib.ones(1), retain_graph=True)
    y.backward(lib.ones(1), retain_graph=True)
    assert y.grad.tolist() in ([1.0], [2.0])


def test_a_hook_stays_with_the_value_it_was_registered_on(lib: Any) -> None:
    x = lib.ones(1, requires_grad=True)
    y = x * 2
    before, after = [], []
    y.register_hook(lambda gradient: before.append(gradient.item()))
    y.mul_(5)
    y.register_hook(lambda gradient: after.append(gradient.item()))
    y.sum().backward()
    assert before == [5.0] and after == [1.0]


def test_a_retained_gradient_follows_the_tensor(lib: Any) -> None:
    x = lib.ones(1, requires_grad=True)
    y = x * 2
    y.retain_grad()
    y.mul_(5)
    y.sum().backward()
    assert y.grad.tolist() == [1.0]


def test_hooks_of_several_outputs(lib: Any) -> None:
    x = lib.arange(4.0).requires_grad_()
    first, second = x.split(2)
    first.register_hook(lambda gradient: gradient * 2)
    second.register_hook(lambda gradient: gradient * 3)
    (first.sum() + second.sum()).backward()
    assert x.grad.tolist() == [2.0, 2.0, 3.0, 3.0]


def test_a_hook_can_add_hooks_and_run_backward(lib: Any) -> None:
    x = lib.ones(1, requires_grad=True)
    other = lib.ones(1, requires_grad=True)

    def hook(gradient: Any) -> None:
        with lib.enable_grad():
            total = (other * 7).sum()
        total.backward()

    y = x * 2
    y.register_hook(hook)
    y.sum().backward()
    assert x.grad.tolist() == [2.0] and other.grad.tolist() == [7.0]


def test_a_failing_hook_fails_backward(lib: Any) -> None:
    x = lib.ones(1, requires_grad=True)

    def fail(gradient: Any) -> None:
        raise KeyError("mine")

    y = x * 2
    y.register_hook(fail)
    with pytest.raises(KeyError, match="mine"):
        y.sum().backward()


def test_multi_grad_hook_all(lib: Any) -> None:
    x, y, unused = (lib.ones(1, requires_grad=True) for _ in range(3))
    seen = []
    handle = lib.autograd.graph.register_multi_grad_hook(
        (x, unused, y), lambda gradients: seen.append([each and each.item() for each in gradients])
    )
    (x * 2 + y * 3).sum().backward()
    assert seen == [[2.0, None, 3.0]]
    (x * 2 + y * 3).sum().backward()
    assert len(seen) == 2
    handle.remove()
    (x * 2 + y * 3).sum().backward()
    assert len(seen) == 2


def test_multi_grad_hook_any(lib: Any) -> None:
    x, y = (lib.ones(1, requires_grad=True) for _ in range(2))
    seen = []
    with lib.autograd.graph.register_multi_grad_hook(
        (x, y), lambda gradient: seen.append(gradient.item()), mode="any"
    ):
        (x * 2 + y * 2).sum().backward()
    assert seen == [2.0]


def test_hooks_under_create_graph_are_recorded(lib: Any) -> None:
    x = lib.tensor([3.0], requires_grad=True)
    y = x * x
    y.register_hook(lambda gradient: gradient * x)
    (first,) = lib.autograd.grad(y.sum(), x, create_graph=True)
    assert first.tolist() == [18.0]  # 2 x * x
    (second,) = lib.autograd.grad(first.sum(), x)
    assert second.tolist() == [12.0]


def test_a_leaf_that_only_the_graph_leads_to_has_its_hook_run(lib: Any) -> None:
    seen = []

    def doubled() -> Any:
        x = lib.ones(2, requires_grad=True)
        x.register_post_accumulate_grad_hook(lambda leaf: seen.append(leaf.grad.tolist()))
        return x * 2

    doubled().sum().backward()
    assert seen == [[2.0, 2.0]]


@pytest.mark.parametrize(
    "several",
    [
        lambda x: x.sort(),
        lambda x: x.max(0),
        lambda x: x.topk(2),
        lambda x: x.kthvalue(2),
        lambda x: x.cummax(0),
        lambda x: x.median(0),
        lambda x: x.mode(0),
    ],
)
@pytest.mark.parametrize("times", [1, 2])
def test_an_output_without_a_gradient_is_none_of_the_nodes(lib: Any, several: Any, times: int) -> None:
    x = lib.tensor([3.0, 1.0, 2.0], requires_grad=True)
    for _ in range(times):  # the second call may have a plan
        values, indices = several(x * 1)
    seen = []
    values.grad_fn.register_prehook(lambda outputs: seen.append(len(outputs)) or (outputs[0] * 2,))
    values.grad_fn.register_hook(lambda inputs, outputs: seen.append((len(inputs), len(outputs))))
    values.sum().backward()
    assert seen == [1, (1, 1)] and x.grad.sum().item() == 2 * values.numel()
    assert indices.grad_fn is None and not indices.requires_grad


def test_a_node_is_called_with_as_many_gradients_as_it_has_outputs(lib: Any) -> None:
    x = lib.tensor([3.0, 1.0, 2.0], requires_grad=True)
    values, _ = (x * 1).sort()
    assert values.grad_fn(lib.tensor([1.0, 2.0, 3.0])).tolist() == [3.0, 1.0, 2.0]
    pieces = x.unbind()
    assert pieces[1].grad_fn(None, lib.tensor(4.0), None).tolist() == [0.0, 4.0, 0.0]
    for node, given in (
        (values.grad_fn, ()),
        (values.grad_fn, (lib.ones(3), None)),
        (pieces[0].grad_fn, (lib.ones(()),)),
        (x.exp().grad_fn, (5,)),
    ):
        with pytest.raises(TypeError):
            node(*given)


@pytest.mark.parametrize("register", ["register_hook", "register_prehook"])
@pytest.mark.parametrize("kind", [list, lambda each: each[0], lambda each: 5])
def test_a_hook_of_a_node_returns_a_tuple(lib: Any, register: str, kind: Any) -> None:
    y = lib.ones(1, requires_grad=True).exp()
    getattr(y.grad_fn, register)(lambda *gradients: kind(gradients[0]))
    with pytest.raises(TypeError, match="expected tuple, but hook returned"):
        y.sum().backward()


def test_multi_grad_hooks_of_what_needs_no_gradient(lib: Any) -> None:
    register = lib.autograd.graph.register_multi_grad_hook
    x = lib.ones(2, requires_grad=True)
    for tensors in ([lib.ones(2)], [lib.ones(2), x]):
        with pytest.raises(AssertionError, match="Expected gradient function to be set"):
            register(tensors, lambda gradients: None)
    seen: list[Any] = []
    register([lib.ones(2)], seen.append, mode="any")
    register([lib.ones(2), x], seen.append, mode="any")
    x.sum().backward()
    assert [each.tolist() for each in seen] == [[1.0, 1.0]]


# -- hooks of leaves only: the C engine calls them -----------------------------------------------------------


def marked(lib: Any, name: str, log: list[Any], gives_none: bool = False) -> Any:
    """The identity, whose backward notes that it ran."""

    class Marked(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.clone()

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            log.append(name)
            return None if gives_none else gradient

    return Marked.apply


def test_hooks_of_leaves_run_as_soon_as_their_whole_gradient_is_there(lib: Any) -> None:
    log: list[Any] = []
    a, b, c = (lib.ones(2, requires_grad=True) for _ in range(3))
    h = marked(lib, "first", log)(a * b)
    h = marked(lib, "second", log)(h * c)
    h = marked(lib, "third", log)(h + b)
    for name, leaf in (("a", a), ("b", b), ("c", c)):
        leaf.register_hook(lambda gradient, name=name: log.append((name, gradient.tolist())))
    (h * 3).sum().backward()
    # of two leaves that are ready at once, the one whose edge comes first
    wanted = ["third", "second", ("c", [3.0, 3.0]), "first", ("a", [3.0, 3.0]), ("b", [6.0, 6.0])]
    assert log == wanted
    assert [each.grad.tolist() for each in (a, b, c)] == [[3.0, 3.0], [6.0, 6.0], [3.0, 3.0]]


def test_hooks_of_leaves_that_are_ready_at_once_run_in_the_order_of_edges() -> None:
    leaves = [gn.ones(1, requires_grad=True) for _ in range(9)]
    log: list[int] = []
    for number, leaf in enumerate(leaves):
        leaf.register_hook(lambda gradient, number=number: log.append(number))
    gn.cat(leaves).sum().backward()  # PyTorch promises no order
    assert log == list(range(9))


def test_hooks_of_leaves_replace_gradients(lib: Any) -> None:
    x, y = (lib.ones(2, requires_grad=True) for _ in range(2))
    kept: list[Any] = []
    y.register_hook(lambda gradient: kept.append(gradient))  # runs first
    x.register_hook(lambda gradient: kept[-1])
    for times in (1.0, 2.0):
        (x * 2 + y * 3).sum().backward()
        assert x.grad.tolist() == y.grad.tolist() == [3 * times] * 2
    x.grad.zero_()
    y.grad.zero_()  # neither is what the hook has kept
    assert [each.tolist() for each in kept] == [[3.0, 3.0], [3.0, 3.0]]


def test_a_hook_of_a_leaf_that_fails_leaves_every_grad(lib: Any) -> None:
    x = lib.ones(2, requires_grad=True)

    def fail(gradient: Any) -> None:
        raise ValueError("in a hook")

    with x.register_hook(fail), pytest.raises(ValueError, match="in a hook"):
        (x * 2).sum().backward()
    assert x.grad is None
    (x * 2).sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_a_hook_of_a_leaf_runs_backward_itself(lib: Any) -> None:
    x, y = (lib.ones(2, requires_grad=True) for _ in range(2))

    def nested(gradient: Any) -> None:
        with lib.enable_grad():
            (y * gradient.detach()).sum().backward()

    with x.register_hook(nested):
        (x * 3 + y).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0] and y.grad.tolist() == [4.0, 4.0]


def test_roots_that_are_leaves_with_hooks(lib: Any) -> None:
    x = lib.ones((), requires_grad=True)
    seen: list[float] = []
    x.register_hook(lambda gradient: seen.append(gradient.item()))
    x.backward()
    assert seen == [1.0] and x.grad.item() == 1
    lib.autograd.backward([x * 2, x])  # one that also gets a gradient from another root
    assert seen == [1.0, 3.0] and x.grad.item() == 4


def test_hooks_of_leaves_and_wanted_inputs(lib: Any) -> None:
    x, y = (lib.ones(2, requires_grad=True) for _ in range(2))
    seen: list[str] = []
    x.register_hook(lambda gradient: seen.append("x"))
    y.register_hook(lambda gradient: seen.append("y"))
    (x * y).sum().backward(inputs=[x])
    assert seen == ["x"] and y.grad is None and x.grad.tolist() == [1.0, 1.0]
    lib.autograd.grad((x * y).sum(), [y])
    assert seen == ["x", "y"] and y.grad is None


def test_a_leaf_whose_gradients_are_all_missing() -> None:
    x = gn.ones(2, requires_grad=True)
    log: list[Any] = []
    y = marked(gn, "node", log, gives_none=True)(x)
    y.grad_fn.next_functions[0][0].register_prehook(lambda gradients: log.append(gradients))
    x.register_hook(lambda gradient: log.append("not called"))
    y.sum().backward()
    assert log == ["node", (None,)] and x.grad is None


# -- final callbacks and totals, which DistributedDataParallel uses ------------------------------------------


def test_final_callbacks_run_after_the_graph_and_before_accumulation() -> None:
    x, y, z = (gn.ones(2, requires_grad=True) for _ in range(3))
    y.grad = gn.full((2,), 5.0)
    before = y.grad
    log: list[Any] = []

    def come(gradient: gn.Tensor) -> None:
        task = current_task.get()
        assert task is not None

        def finish() -> None:
            log.append(("finish", x.grad, y.grad.tolist()))
            task.totals[accumulator_edge(x)[0]] = gn.full((2,), 7.0), None
            task.totals[accumulator_edge(y)[0]] = before, gn.full((2,), 8.0)
            task.final_callbacks.append(lambda: log.append("last"))

        task.final_callbacks.append(finish)

    z.register_hook(come)
    x.register_post_accumulate_grad_hook(lambda leaf: log.append(leaf.grad.tolist()))
    h = marked(gn, "first", log)(x * 2)  # runs after the hook of z
    (h + z).sum().backward()  # y has no gradient of its own
    assert log == ["first", ("finish", None, [5.0, 5.0]), "last", [7.0, 7.0]]
    assert y.grad is before and before.tolist() == [8.0, 8.0] and z.grad.tolist() == [1.0, 1.0]


def test_a_final_callback_that_fails_leaves_every_grad() -> None:
    x = gn.ones(2, requires_grad=True)

    def fail() -> None:
        raise ValueError("in the end")

    with x.register_hook(lambda gradient: current_task.get().final_callbacks.append(fail)):  # type: ignore[union-attr]
        with pytest.raises(ValueError, match="in the end"):
            (x * 2).sum().backward()
    assert x.grad is None


def test_a_nested_backward_knows_the_outer_one() -> None:
    x, y = (gn.ones(2, requires_grad=True) for _ in range(2))
    tasks: list[Any] = []

    def nested(gradient: gn.Tensor) -> None:
        tasks.append(current_task.get())
        with gn.enable_grad():
            (y * 2).sum().backward()

    y.register_hook(lambda gradient: tasks.append(current_task.get()))
    x.register_hook(nested)
    (x * 2).sum().backward()
    assert tasks[0].outer is None and tasks[1].outer is tasks[0]
