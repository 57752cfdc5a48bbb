"""The engine: what backward and grad accept, accumulate, keep and raise."""

from __future__ import annotations

import subprocess
import sys
import warnings
from typing import Any

import pytest

from time_limits import LIMIT, join, start

pytestmark = pytest.mark.both_tiers


def test_retain_graph(lib: Any) -> None:
    x = lib.tensor([2.0], requires_grad=True)
    y = (x * x).sum()
    y.backward(retain_graph=True)
    y.backward()
    assert x.grad.tolist() == [8.0]
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        y.backward()


def test_gradients_accumulate(lib: Any) -> None:
    x = lib.ones(1, requires_grad=True)
    for _ in range(3):
        (x * 2).sum().backward()
    assert x.grad.tolist() == [6.0]


def test_backward_of_several_roots(lib: Any) -> None:
    x = lib.tensor([1.0, 2.0], requires_grad=True)
    lib.autograd.backward([x * 2, (x * 3).sum()], [lib.tensor([1.0, 10.0]), None])
    assert x.grad.tolist() == [5.0, 23.0]


def test_backward_for_some_inputs(lib: Any) -> None:
    x, y = (lib.ones(1, requires_grad=True) for _ in range(2))
    middle = x * y
    (middle * 3).sum().backward(inputs=[x, middle])
    assert x.grad.tolist() == [3.0] and y.grad is None
    assert lib.autograd.grad((x * 2).sum(), x)[0].tolist() == [2.0]


def test_backward_for_no_inputs(lib: Any) -> None:
    x = lib.ones(1, requires_grad=True)
    with pytest.raises(RuntimeError, match="cannot be empty"):
        (x * 2).sum().backward(inputs=[])


def test_backward_for_an_unused_input_is_silent(lib: Any) -> None:
    x, y = (lib.ones(1, requires_grad=True) for _ in range(2))
    (x * 2).sum().backward(inputs=[y])
    assert x.grad is None and y.grad is None


def test_backward_for_an_input_without_gradient(lib: Any) -> None:
    x = lib.ones(1, requires_grad=True)
    with pytest.raises(RuntimeError, match=r"requires_grad=False|does not require grad"):
        (x * 2).sum().backward(inputs=[lib.ones(1)])


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda lib, x: x * 2, "grad can be implicitly created only for scalar outputs"),
        (lambda lib, x: lib.ones(1), "does not require grad and does not have a grad_fn"),
        (lambda lib, x: (x[:1] * 1j).sum(), "only for real scalar outputs"),
    ],
)
def test_roots_are_checked(lib: Any, make: Any, message: str) -> None:
    x = lib.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match=message):
        make(lib, x).backward()


def test_the_shape_of_a_given_gradient(lib: Any) -> None:
    x = lib.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="Mismatch in shape"):
        (x * 2).backward(lib.ones(3))
    with pytest.raises(RuntimeError, match="Mismatch in shape"):
        (x * 2).backward(lib.ones(1))
    with pytest.raises(RuntimeError, match=r"[Mm]ismatch|complex"):
        (x * 2).backward(lib.ones(2, dtype=lib.complex64))


def test_a_gradient_of_another_dtype_is_converted(lib: Any) -> None:
    x = lib.ones(2, requires_grad=True)
    (x * 2).backward(lib.ones(2, dtype=lib.float64))
    assert x.grad.dtype is lib.float32 and x.grad.tolist() == [2.0, 2.0]


def test_unused_inputs_of_grad(lib: Any) -> None:
    x, y = (lib.ones(2, requires_grad=True) for _ in range(2))
    total = (x * 2).sum()
    with pytest.raises(RuntimeError, match="appears to not have been used in the graph"):
        lib.autograd.grad(total, [x, y], retain_graph=True)
    assert lib.autograd.grad(total, [x, y], retain_graph=True, allow_unused=True)[1] is None
    _, zeros = lib.autograd.grad(total, [x, y], materialize_grads=True)
    assert zeros.tolist() == [0.0, 0.0] and not zeros.requires_grad
    with pytest.raises(ValueError, match="allow_unused"):
        lib.autograd.grad((x * 2).sum(), [x, y], allow_unused=False, materialize_grads=True)


def test_grad_of_what_needs_none(lib: Any) -> None:
    x = lib.ones(1, requires_grad=True)
    with pytest.raises(RuntimeError, match="does not require grad"):
        lib.autograd.grad((x * 2).sum(), lib.ones(1))
    with pytest.raises(RuntimeError, match="does not require grad"):
        lib.autograd.grad(lib.ones(1), x)


def test_grad_of_the_output_itself(lib: Any) -> None:
    y = lib.ones(2, requires_grad=True) * 2
    (gradient,) = lib.autograd.grad(y, y, lib.tensor([3.0, 4.0]))
    assert gradient.tolist() == [3.0, 4.0]


def test_the_same_input_twice(lib: Any) -> None:
    x = lib.ones(1, requires_grad=True)
    first, second = lib.autograd.grad((x * 2).sum(), [x, x])
    assert first.tolist() == second.tolist() == [2.0]


def test_create_graph(lib: Any) -> None:
    x = lib.tensor([2.0], requires_grad=True)
    (first,) = lib.autograd.grad((x**3).sum(), x, create_graph=True)
    assert first.requires_grad
    first.sum().backward()
    assert x.grad.tolist() == [12.0]


def test_backward_records_with_create_graph(lib: Any) -> None:
    x = lib.tensor([2.0], requires_grad=True)
    (x**3).sum().backward(create_graph=True)
    assert x.grad.requires_grad and x.grad.tolist() == [12.0]
    (second,) = lib.autograd.grad(x.grad.sum(), x)
    assert second.tolist() == [12.0]
    x.grad = None


def test_gradients_are_leaves_of_their_own(lib: Any) -> None:
    x = lib.ones(2, requires_grad=True)
    seed = lib.ones(2)
    (x + 0).backward(seed)
    x.grad.mul_(5)
    assert seed.tolist() == [1.0, 1.0] and x.grad.is_leaf and not x.grad.requires_grad


def test_the_strides_of_a_gradient_follow_the_leaf(lib: Any) -> None:
    x = lib.ones(2, 3).t().requires_grad_()
    (x * lib.ones(3, 2)).sum().backward()
    assert x.grad.stride() == (1, 3)


def test_reentrant_backward(lib: Any) -> None:
    x = lib.ones(1, requires_grad=True)
    outer = (x * 2).sum()
    inner = lib.ones(1, requires_grad=True)

    def hook(gradient: Any) -> Any:
        with lib.enable_grad():
            total = (inner * inner * 3).sum()
        total.backward()
        return gradient * inner.grad[0]

    y = outer * 1
    y.register_hook(hook)
    y.backward()
    assert inner.grad.tolist() == [6.0] and x.grad.tolist() == [12.0]


def test_deeply_reentrant_backward(lib: Any) -> None:
    """Each level's hook runs the next backward, nested deeper than the stack would allow."""
    count = 150
    reached = []

    def run(level: int) -> None:
        reached.append(level)
        if level == count:
            return
        with lib.enable_grad():
            y = lib.ones(1, requires_grad=True) * 2
            y.register_hook(lambda gradient: run(level + 1))
            total = y.sum()
        total.backward()

    run(0)
    assert len(reached) == count + 1


def test_later_nodes_run_first(lib: Any) -> None:
    x = lib.ones(1, requires_grad=True)
    order = []
    first, second, third = x * 2, x * 3, x * 4
    for name, each in (("second", second), ("first", first), ("third", third)):
        each.register_hook(lambda gradient, name=name: order.append(name))
    (second + third + first).sum().backward()
    assert order == ["third", "second", "first"]


def test_a_node_runs_when_all_its_gradients_are_there(lib: Any) -> None:
    x = lib.ones(1, requires_grad=True)
    y = x * 2
    runs = []
    y.grad_fn.register_hook(lambda inputs, outputs: runs.append(outputs[0].item()))
    z = y
    for _ in range(3):
        z = z + y
    z.sum().backward()
    assert runs == [4.0]


def test_an_inf_gradient_is_no_error(lib: Any) -> None:
    x = lib.zeros(1, requires_grad=True)
    x.log().sum().backward()
    assert x.grad.tolist() == [float("inf")]


def test_anomaly_mode_names_nan(lib: Any) -> None:
    x = lib.zeros(1, requires_grad=True)
    y = lib.tensor([0.0], requires_grad=True)
    with (
        lib.autograd.detect_anomaly(),
        pytest.warns(UserWarning, match="forward call that caused the error"),
        pytest.raises(RuntimeError, match="Function 'DivBackward0' returned nan values in its 1th output"),
    ):
        (x / y).sum().backward()
    assert x.grad is None and y.grad is None


def test_anomaly_mode_shows_the_forward_line(lib: Any) -> None:
    x = lib.zeros(1, requires_grad=True)

    def the_guilty_function(value: Any) -> Any:
        return value.sqrt() * 0

    with (
        lib.autograd.set_detect_anomaly(True),
        pytest.warns(UserWarning, match="the_guilty_function"),
        pytest.raises(RuntimeError, match="SqrtBackward0"),
    ):
        the_guilty_function(x).sum().backward()
    assert not lib.is_anomaly_enabled()


def test_anomaly_mode_without_looking_for_nan(lib: Any) -> None:
    x = lib.zeros(1, requires_grad=True)
    with lib.autograd.detect_anomaly(check_nan=False):
        assert lib.is_anomaly_enabled() and not lib.is_anomaly_check_nan_enabled()
        (x.sqrt() * 0).sum().backward()
    assert x.grad.isnan().all()


def test_grad_modes_end_inside_anomaly_mode(lib: Any) -> None:
    x = lib.ones(1, requires_grad=True)
    with lib.autograd.detect_anomaly(check_nan=False):
        with lib.no_grad():
            assert not (x + 1).requires_grad
        with lib.enable_grad():
            assert (x + 1).requires_grad
        with lib.inference_mode():
            assert (x + 1).is_inference()
        assert lib.is_grad_enabled() and not lib.is_inference_mode_enabled()
    assert lib.is_grad_enabled() and (x + 1).requires_grad
    with lib.inference_mode():
        assert (x + 1).is_inference()


def test_threads_share_leaves(lib: Any) -> None:
    x = lib.ones(4, requires_grad=True)
    gradients = []

    def work() -> None:
        gradients.append(lib.autograd.grad((x * x).sum(), x)[0].tolist())

    join(*[start(work) for _ in range(8)])
    assert gradients == [[2.0] * 4] * 8


def test_backward_inside_no_grad(lib: Any) -> None:
    x = lib.ones(1, requires_grad=True)
    y = x * 2
    with lib.no_grad():
        y.backward()
        assert not lib.is_grad_enabled()
    assert x.grad.tolist() == [2.0]


def test_the_grad_mode_inside_backward(lib: Any) -> None:
    x = lib.ones(1, requires_grad=True)
    modes = []
    y = x * 2
    y.register_hook(lambda gradient: modes.append(lib.is_grad_enabled()))
    y.backward(retain_graph=True)
    y.backward(create_graph=True)
    assert modes == [False, True]
    x.grad = None


def test_a_complex_chain(lib: Any) -> None:
    z = lib.tensor([1 + 2j], requires_grad=True)
    (z * z.conj()).real.sum().backward()
    assert z.grad.tolist() == [2 + 4j]
    w = lib.tensor([1 + 2j], requires_grad=True)
    w.real.sum().backward()
    assert w.grad.tolist() == [1 + 0j]


def test_a_real_leaf_of_a_complex_graph_has_a_real_gradient(lib: Any) -> None:
    x = lib.tensor([3.0], requires_grad=True)
    (x * (1 + 1j)).abs().sum().backward()
    assert x.grad.dtype is lib.float32
    assert abs(x.grad.item() - 2**0.5) < 1e-6


def test_an_unused_input_is_named_by_its_place(lib):
    used, unused = lib.ones(2, requires_grad=True), lib.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="Tensor at index 1 appears to not have been used in the graph"):
        lib.autograd.grad((used * 2).sum(), [used, unused])


def test_an_invalid_gradient_is_named_by_its_place(lib):
    class Wrong(lib.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            return x * y

        @staticmethod
        def backward(ctx, grad):
            return grad, lib.ones(3)

    x, y = lib.ones(2, requires_grad=True), lib.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match=r"invalid gradient at index 1 - got \[3\] but expected shape"):
        Wrong.apply(x, y).sum().backward()


def test_leaky_relu_is_differentiated_twice(lib):
    x = lib.tensor([-1.0, 2.0], requires_grad=True)
    (gradient,) = lib.autograd.grad(lib.nn.functional.leaky_relu(x, 0.5).sum(), x, create_graph=True)
    assert gradient.requires_grad
    assert gradient.tolist() == [0.5, 1.0]
    assert lib.autograd.grad(gradient.sum(), x)[0].tolist() == [0.0, 0.0]


def test_a_gradient_that_somebody_keeps_does_not_become_grad(lib):
    kept = lib.full((3,), 5.0)

    class Keeping(lib.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            return kept

    x = lib.ones(3, requires_grad=True)
    Keeping.apply(x).sum().backward()
    x.grad.add_(1)
    assert kept.tolist() == [5.0] * 3
    assert x.grad.tolist() == [6.0] * 3


def test_the_gradient_of_a_transposed_weight_lies_as_the_weight(lib):
    weight = lib.ones(3, 4, requires_grad=True)
    lib.nn.functional.linear(lib.ones(5, 4), weight).sum().backward()
    assert weight.grad.stride() == (4, 1)
    assert weight.grad._base is None
    for order in (lambda w: lib.ones(5, 4) @ w.t(), lambda w: w.t() @ lib.ones(3, 5)):
        (gradient,) = lib.autograd.grad(order(weight).sum(), weight)
        assert gradient.stride() == (4, 1)  # computed in that order of memory, without a copy


def test_grad_is_added_to_in_place(lib):
    p = lib.ones(4, requires_grad=True)
    buffer = lib.zeros(8)
    p.grad = buffer[:4]
    held = p.grad
    (p.sum() * 2).backward()
    assert p.grad is held and buffer.tolist() == [2.0] * 4 + [0.0] * 4
    assert held._version == 1


def test_a_grad_that_was_recorded_keeps_its_history(lib):
    x = lib.tensor([1.0, 2.0], requires_grad=True)
    (x**3).sum().backward(create_graph=True)
    (x**2).sum().backward()
    assert x.grad.requires_grad and x.grad.tolist() == [5.0, 16.0]
    (gradient,) = lib.autograd.grad(x.grad.sum(), x)
    assert gradient.tolist() == [6.0, 12.0]


def test_grad_wants_inputs(lib):
    with pytest.raises(RuntimeError, match="cannot be empty"):
        lib.autograd.grad(lib.ones(1, requires_grad=True).sum(), [])


def test_data_is_a_tensor(lib):
    with pytest.raises(TypeError, match="Variable data has to be a tensor, but got int"):
        lib.ones(1).data = 3


def test_names_that_are_old(lib: Any) -> None:
    x = lib.ones(3, requires_grad=True)
    with pytest.warns(FutureWarning, match="only_inputs argument is deprecated"):
        (gradient,) = lib.autograd.grad(x.sum(), x, None, None, False, False)
    assert gradient.tolist() == [1.0, 1.0, 1.0]
    # the sixth in order is only_inputs, the seventh allow_unused
    assert lib.autograd.grad(x.sum(), lib.ones(1, requires_grad=True), None, None, False, True, True) == (
        None,
    )
    with pytest.warns(FutureWarning, match="`grad_variables` is deprecated"):
        lib.autograd.backward(x * 2, grad_variables=lib.ones(3))
    assert x.grad.tolist() == [2.0, 2.0, 2.0]
    with pytest.warns(FutureWarning), pytest.raises(RuntimeError, match="both passed"):
        lib.autograd.backward(x * 2, lib.ones(3), grad_variables=lib.ones(3))


def test_anomaly_mode_names_what_induced_a_node(lib: Any) -> None:
    x = lib.tensor([0.0], requires_grad=True)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with lib.autograd.detect_anomaly():
            (gradient,) = lib.autograd.grad((x**1.5).sum(), x, create_graph=True)
            with pytest.raises(RuntimeError, match="returned nan values"):
                lib.autograd.grad((gradient * (x * 0)).sum(), x)
    texts = "".join(str(each.message) for each in caught)
    assert "Traceback of forward call that caused the error" in texts
    assert "Previous calculation was induced by PowBackward0. Traceback of forward call that induced" in texts
    assert "lib.autograd.grad((x**1.5).sum(), x, create_graph=True)" in texts


def test_a_gradient_is_complex_where_its_output_is(lib: Any) -> None:
    x = lib.ones(3, requires_grad=True)
    y = (x * 2).to(lib.complex64)
    for call in (lambda: lib.autograd.grad(y, x, lib.ones(3)), lambda: y.backward(lib.ones(3))):
        with pytest.raises(RuntimeError, match="both grad_output and output are required to have the same"):
            call()
    assert lib.autograd.grad(y, x, lib.ones(3, dtype=lib.complex128))[0].tolist() == [2.0] * 3


def test_create_graph_of_backward_warns_once(lib: Any) -> None:
    program = f"""
import warnings
import {lib.__name__} as lib
x = lib.ones(2, requires_grad=True)
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    lib.autograd.grad((x * x).sum(), x, create_graph=True)
    counts = [len(seen)]
    (x * x).sum().backward()
    for _ in range(2):
        (x * x).sum().backward(create_graph=True)
        counts.append(len(seen))
assert counts == [0, 1, 1], counts
assert seen[0].category is UserWarning and "create a reference cycle" in str(seen[0].message)
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=LIMIT)
