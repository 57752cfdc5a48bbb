"""gnomon.optim: the formulas, written out; the same curves as PyTorch's; saving and loading of state."""

import math
import sys

import pytest

import gnomon as gn
from gnomon import nn
from gnomon.dispatch.record_function import DISPATCH, RecordFunctionCallback, observing
from gnomon.optim import (
    ASGD,
    LBFGS,
    SGD,
    Adadelta,
    Adafactor,
    Adagrad,
    Adam,
    Adamax,
    AdamW,
    Muon,
    NAdam,
    RAdam,
    RMSprop,
    Rprop,
)

HOST_DEVICES = [b.device_type for b in gn.backends().values() if b.available and b.host_memory]


@pytest.fixture(params=HOST_DEVICES)
def device(request):
    """Each host device in turn, as the default device."""
    with gn.device(request.param):
        yield request.param


def parameter(*numbers):
    """A float64 parameter, which can be compared exactly with a formula in Python's floats."""
    return nn.Parameter(gn.tensor(numbers, dtype=gn.float64))


def run(optimizer, param, grads):
    """Step once with each gradient; return the parameter's value after each step."""
    history = []
    for grad in grads:
        param.grad = gn.tensor([grad], dtype=gn.float64)
        optimizer.step()
        history.append(param.item())
    return history


GRADS = (0.5, -2.0, 0.25, 1.0)


def test_sgd_is_a_step_against_the_gradient(device):
    param = parameter(1.0, 2.0)
    optimizer = SGD([param], lr=0.5)
    (param * param).sum().backward()
    assert optimizer.step() is None
    assert param.tolist() == [0.0, 0.0]
    assert param.is_leaf and param.requires_grad
    assert not optimizer.state  # plain SGD has no state


def test_sgd_momentum_by_formula(device):
    lr, momentum, dampening, decay = 0.1, 0.9, 0.25, 0.01
    param = parameter(1.0)
    got = run(SGD([param], lr, momentum, dampening, decay), param, GRADS)
    x, buffer, wanted = 1.0, None, []
    for grad in GRADS:
        d = grad + decay * x
        buffer = d if buffer is None else momentum * buffer + (1 - dampening) * d
        x -= lr * buffer
        wanted.append(x)
    assert got == pytest.approx(wanted, rel=1e-14)


def test_sgd_nesterov_and_maximize_by_formula(device):
    lr, momentum = 0.1, 0.9
    param = parameter(1.0)
    got = run(SGD([param], lr, momentum, nesterov=True, maximize=True), param, GRADS)
    x, buffer, wanted = 1.0, None, []
    for grad in GRADS:
        d = -grad
        buffer = d if buffer is None else momentum * buffer + d
        x -= lr * (d + momentum * buffer)
        wanted.append(x)
    assert got == pytest.approx(wanted, rel=1e-14)


@pytest.mark.parametrize("amsgrad", [False, True])
@pytest.mark.parametrize("kind", [Adam, AdamW])
def test_adam_by_formula(kind, amsgrad, device):
    lr, (beta1, beta2), eps, decay = 0.1, (0.8, 0.9), 1e-3, 0.05
    param = parameter(1.0)
    got = run(kind([param], lr, (beta1, beta2), eps, decay, amsgrad), param, GRADS)
    x, m, v, largest, wanted = 1.0, 0.0, 0.0, 0.0, []
    for t, grad in enumerate(GRADS, 1):
        if kind is AdamW:
            x *= 1 - lr * decay
            g = grad
        else:
            g = grad + decay * x
        m = beta1 * m + (1 - beta1) * g
        v = beta2 * v + (1 - beta2) * g * g
        largest = max(largest, v)
        second = (largest if amsgrad else v) / (1 - beta2**t)
        x -= lr * (m / (1 - beta1**t)) / (math.sqrt(second) + eps)
        wanted.append(x)
    assert got == pytest.approx(wanted, rel=1e-12)


def test_first_adam_step_has_length_lr(device):
    param = parameter(0.0)
    run(Adam([param], lr=0.01), param, [123.0])
    assert param.item() == pytest.approx(-0.01, rel=1e-9)


def descent(step, x=1.0, count=2):
    """The values of a number x after each of GRADS, with ``count`` numbers of state that start at 0.

    ``step(t, x, grad, *state)`` returns the new x and the new state.
    """
    state, history = (0.0,) * count, []
    for t, grad in enumerate(GRADS, 1):
        x, *state = step(t, x, grad, *state)
        history.append(x)
    return history


def test_adadelta_by_formula(device):
    lr, rho, eps, decay = 0.5, 0.8, 1e-2, 0.1

    def step(t, x, grad, v, u):
        grad += decay * x
        v = rho * v + (1 - rho) * grad**2
        change = math.sqrt(u + eps) / math.sqrt(v + eps) * grad
        return x - lr * change, v, rho * u + (1 - rho) * change**2

    param = parameter(1.0)
    assert run(Adadelta([param], lr, rho, eps, decay), param, GRADS) == pytest.approx(
        descent(step), rel=1e-12
    )


def test_adagrad_by_formula(device):
    lr, lr_decay, decay, initial, eps = 0.5, 0.3, 0.1, 0.25, 1e-3

    def step(t, x, grad, total):
        grad += decay * x
        total += grad**2
        rate = lr / (1 + (t - 1) * lr_decay)
        return x - rate * grad / (math.sqrt(initial + total) + eps), total

    param = parameter(1.0)
    optimizer = Adagrad([param], lr, lr_decay, decay, initial, eps)
    assert optimizer.state[param]["sum"].item() == initial  # known before the first step
    assert run(optimizer, param, GRADS) == pytest.approx(descent(step, count=1), rel=1e-12)


def test_adamax_by_formula(device):
    lr, (beta1, beta2), eps, decay = 0.1, (0.8, 0.9), 1e-3, 0.05

    def step(t, x, grad, m, u):
        grad = -grad + decay * x
        m = beta1 * m + (1 - beta1) * grad
        u = max(beta2 * u, abs(grad) + eps)
        return x - lr / (1 - beta1**t) * m / u, m, u

    param = parameter(1.0)
    optimizer = Adamax([param], lr, (beta1, beta2), eps, decay, maximize=True)
    assert run(optimizer, param, GRADS) == pytest.approx(descent(step), rel=1e-12)


def test_asgd_by_formula(device):
    lr, lambd, alpha, t0 = 0.1, 0.01, 0.5, 1

    def step(t, x, grad, mean):
        rate = lr if t == 1 else lr / (1 + lambd * lr * (t - 1)) ** alpha
        x = x * (1 - lambd * rate) - rate * grad
        weight = 1 / max(1, t - 1 - t0)
        return x, mean + weight * (x - mean)

    param = parameter(1.0)
    optimizer = ASGD([param], lr, lambd, alpha, t0)
    # The rate is kept in float32.
    assert run(optimizer, param, GRADS) == pytest.approx(descent(step, count=1), rel=1e-7)
    history = descent(step, count=1)
    mean = history[0]
    for t, x in enumerate(history[1:], 2):
        mean += (x - mean) / max(1, t - 1 - t0)
    assert optimizer.state[param]["ax"].item() == pytest.approx(mean, rel=1e-7)


def test_nadam_by_formula(device):
    lr, (beta1, beta2), eps, decay, momentum_decay = 0.1, (0.8, 0.9), 1e-3, 0.05, 0.1

    def mu(t):
        return beta1 * (1 - 0.5 * 0.96 ** (t * momentum_decay))

    def step(t, x, grad, m, v):
        x *= 1 - lr * decay
        m = beta1 * m + (1 - beta1) * grad
        v = beta2 * v + (1 - beta2) * grad**2
        product = math.prod(mu(i) for i in range(1, t + 1))
        mean = mu(t + 1) * m / (1 - product * mu(t + 1)) + (1 - mu(t)) * grad / (1 - product)
        return x - lr * mean / (math.sqrt(v / (1 - beta2**t)) + eps), m, v

    param = parameter(1.0)
    optimizer = NAdam([param], lr, (beta1, beta2), eps, decay, momentum_decay, True)
    # The product of the momenta is kept in float32.
    assert run(optimizer, param, GRADS) == pytest.approx(descent(step), rel=1e-6)


def test_radam_by_formula(device):
    lr, (beta1, beta2), eps, decay = 0.1, (0.8, 0.99), 1e-3, 0.05
    limit = 2 / (1 - beta2) - 1
    lengths = []

    def step(t, x, grad, m, v):
        grad += decay * x
        m = beta1 * m + (1 - beta1) * grad
        v = beta2 * v + (1 - beta2) * grad**2
        mean = m / (1 - beta1**t)
        length = limit - 2 * t * beta2**t / (1 - beta2**t)
        lengths.append(length)
        if length > 5:
            r = math.sqrt((length - 4) * (length - 2) * limit / ((limit - 4) * (limit - 2) * length))
            mean *= r * math.sqrt(1 - beta2**t) / (math.sqrt(v) + eps)
        return x - lr * mean, m, v

    grads = GRADS * 3
    state, x, wanted = (0.0, 0.0), 1.0, []
    for t, grad in enumerate(grads, 1):
        x, *state = step(t, x, grad, *state)
        wanted.append(x)
    param = parameter(1.0)
    found = run(RAdam([param], lr, (beta1, beta2), eps, decay), param, grads)
    assert found == pytest.approx(wanted, rel=1e-12)
    assert min(lengths) < 5 < max(lengths)  # both branches


@pytest.mark.parametrize(("momentum", "centered"), [(0, False), (0, True), (0.9, False), (0.9, True)])
def test_rmsprop_by_formula(momentum, centered, device):
    lr, alpha, eps, decay = 0.1, 0.8, 1e-2, 0.05

    def step(t, x, grad, v, mean, buffer):
        grad += decay * x
        v = alpha * v + (1 - alpha) * grad**2
        mean = alpha * mean + (1 - alpha) * grad
        quotient = grad / (math.sqrt(v - mean**2 if centered else v) + eps)
        buffer = momentum * buffer + quotient
        return x - lr * buffer, v, mean, buffer

    param = parameter(1.0)
    optimizer = RMSprop([param], lr, alpha, eps, decay, momentum, centered)
    assert run(optimizer, param, GRADS) == pytest.approx(descent(step, count=3), rel=1e-12)


def test_rprop_by_hand(device):
    param = parameter(1.0)
    grads = (0.5, 2.0, -0.1, -3.0, -1.0)
    found = run(Rprop([param], 0.1, (0.5, 1.5), (0.08, 0.12)), param, grads)
    # 0.1; then 0.15, but at most 0.12; the sign changes: rest; 0.06, but at least 0.08; then 0.12
    assert found == pytest.approx([0.9, 0.78, 0.78, 0.86, 0.98], rel=1e-12)


def test_adafactor_of_a_number_by_formula(device):
    lr, beta2_decay, eps, d, decay = 0.3, -0.8, (1e-2, 0.5), 1.5, 0.1

    def step(t, x, grad, v):
        size = max(eps[1], abs(x)) * min(lr, 1 / math.sqrt(t))
        x *= 1 - lr * decay
        v += (grad**2 - v) * t**beta2_decay
        update = grad / max(math.sqrt(v), eps[0])
        return x - size * update / max(1.0, abs(update) / d), v

    param = parameter(1.0)
    optimizer = Adafactor([param], lr, beta2_decay, eps, d, decay)
    assert run(optimizer, param, GRADS) == pytest.approx(descent(step, count=1), rel=1e-12)


def test_adafactor_keeps_rows_and_columns_of_a_matrix(device):
    param = nn.Parameter(gn.tensor([[1.0, 2.0, 2.0], [0.0, 4.0, 0.0]], dtype=gn.float64))
    param.grad = gn.tensor([[1.0, 2.0, 3.0], [0.0, 1.0, 2.0]], dtype=gn.float64)
    optimizer = Adafactor([param], lr=0.25)
    optimizer.step()
    rows, columns = [14 / 3, 5 / 3], [0.5, 2.5, 6.5]
    state = optimizer.state[param]
    assert state["row_var"].flatten().tolist() == pytest.approx(rows) and state["row_var"].shape == (2, 1)
    assert state["col_var"].flatten().tolist() == pytest.approx(columns) and state["col_var"].shape == (1, 3)
    grads, mean = param.grad.tolist(), sum(rows) / 2
    update = [[g / math.sqrt(r * c / mean) for g, c in zip(row, columns)] for row, r in zip(grads, rows)]
    norm = math.sqrt(sum(u * u for row in update for u in row) / 6)
    size = 0.25 * math.sqrt(25 / 6) / max(1.0, norm)
    wanted = [
        [x - size * u for x, u in zip(*pair)] for pair in zip([[1.0, 2.0, 2.0], [0.0, 4.0, 0.0]], update)
    ]
    assert [each for row in param.tolist() for each in row] == pytest.approx(
        [*wanted[0], *wanted[1]], rel=1e-12
    )


def test_muon_of_one_number_by_formula(device):
    param = nn.Parameter(gn.tensor([[1.0]], dtype=gn.float64))
    optimizer = Muon([param], 0.1, 0.5, 0.75)
    x, mean = 1.0, 0.0
    for grad in GRADS:
        param.grad = gn.tensor([[grad]], dtype=gn.float64)
        optimizer.step()
        mean += 0.25 * (grad - mean)
        ahead = grad + 0.75 * (mean - grad)
        sign = math.copysign(1.0, ahead)
        for _ in range(5):
            sign = 3.4445 * sign - 4.775 * sign**3 + 2.0315 * sign**5
        x = x * 0.95 - 0.1 * sign
        assert param.item() == pytest.approx(x, abs=0.01)  # bfloat16: a part in 2**8 of a step
        assert optimizer.state[param]["momentum_buffer"].item() == pytest.approx(mean, rel=1e-12)


def test_muon_makes_steps_orthogonal(device):
    for shape in ((2, 3), (3, 2)):
        param = nn.Parameter(gn.zeros(shape, dtype=gn.float64))
        param.grad = gn.tensor([[1.0, 2.0, 3.0], [0.0, -1.0, 4.0]], dtype=gn.float64).reshape(shape)
        Muon([param], 1.0, 0.0, adjust_lr_fn="match_rms_adamw").step()
        step = param.detach() / (0.2 * math.sqrt(3))
        step = step if shape == (2, 3) else step.T
        (p, q), (_, r) = (step @ step.T).tolist()
        spread = math.sqrt((p - r) ** 2 / 4 + q * q)
        eigenvalues = (p + r) / 2 - spread, (p + r) / 2 + spread
        # The squares of singular values, which the iteration brings between about 0.7 and 1.2.
        assert 0.4 < min(eigenvalues) and max(eigenvalues) < 1.6


def test_lbfgs_of_a_number_is_the_secant_method(device):
    param = parameter(2.0)
    optimizer = LBFGS([param], 0.5, max_iter=1)

    def slope(x):
        return 4 * x**3 + 2 * x

    def closure():
        optimizer.zero_grad()
        loss = (param**4 + param**2).sum()
        loss.backward()
        return loss

    x = last = 2.0
    for number in range(5):
        assert optimizer.step(closure).item() == pytest.approx(x**4 + x**2, rel=1e-12)
        if number == 0:
            step = -min(1.0, 1 / slope(x)) * 0.5 * slope(x)
        else:
            step = -0.5 * slope(x) * (x - last) / (slope(x) - slope(last))
        last, x = x, x + step
        assert param.item() == pytest.approx(x, rel=1e-12)
    state = optimizer.state[param]
    assert (state["n_iter"], state["func_evals"], len(state["old_dirs"])) == (5, 5, 4)


def test_lbfgs_finds_the_end_of_a_curved_valley(device):
    param = parameter(-1.2, 1.0)
    optimizer = LBFGS([param], max_iter=60, max_eval=200, line_search_fn="strong_wolfe")

    def closure():
        optimizer.zero_grad()
        x, y = param[0], param[1]
        loss = (1 - x) ** 2 + 100 * (y - x * x) ** 2
        loss.backward()
        return loss

    assert optimizer.step(closure).item() == pytest.approx(24.2)
    assert param.tolist() == pytest.approx([1.0, 1.0], abs=1e-4)
    assert optimizer.state[param]["func_evals"] < 100


def test_lbfgs_refuses_and_loses_nothing():
    param = parameter(3.0)
    with pytest.raises(ValueError, match="LBFGS doesn't support per-parameter options"):
        LBFGS([{"params": [param]}, {"params": [parameter(2.0)]}])
    optimizer = LBFGS([param], max_iter=3)

    def closure():
        optimizer.zero_grad()
        loss = (param * param).sum() ** 2
        loss.backward()
        return loss

    optimizer.step(closure)
    before = {name: str(value) for name, value in optimizer.state[param].items()}
    calls = iter([closure])
    with pytest.raises(StopIteration):
        optimizer.step(lambda: next(calls)())
    assert {name: str(value) for name, value in optimizer.state[param].items()} == before
    optimizer.step(closure)
    optimizer.param_groups[0]["line_search_fn"] = "backtracking"
    with pytest.raises(RuntimeError, match="only 'strong_wolfe' is supported"):
        optimizer.step(closure)


def test_parameters_without_gradient_rest():
    moved, resting = parameter(1.0), parameter(1.0)
    optimizer = Adam([moved, resting])
    moved.grad = gn.ones(1, dtype=gn.float64)
    optimizer.step()
    assert resting.item() == 1.0 and list(optimizer.state) == [moved]


def test_closure_is_run_with_gradients_and_its_loss_returned():
    param = parameter(1.0)
    optimizer = SGD([param], lr=0.25)

    def closure():
        optimizer.zero_grad()
        loss = (param * param).sum()
        loss.backward()
        return loss

    with gn.no_grad():
        assert optimizer.step(closure).item() == 1.0
    assert param.item() == 0.5


def test_zero_grad():
    param = parameter(1.0)
    optimizer = SGD([param])
    param.grad = gn.ones(1, dtype=gn.float64)
    optimizer.zero_grad(set_to_none=False)
    assert param.grad.tolist() == [0.0]
    optimizer.zero_grad()
    assert param.grad is None


def test_groups_have_options_of_their_own():
    a, b, c = parameter(1.0), parameter(1.0), parameter(1.0)
    optimizer = SGD([{"params": a}, {"params": [b], "lr": 1.0}], lr=0.5)
    optimizer.add_param_group({"params": [c], "lr": 2.0})
    for param in (a, b, c):
        param.grad = gn.ones(1, dtype=gn.float64)
    optimizer.step()
    assert [a.item(), b.item(), c.item()] == [0.5, 0.0, -1.0]


def test_state_dict_goes_round_and_the_curve_goes_on(device):
    for make in (lambda p: SGD([p], 0.1, 0.9), lambda p: Adam([p], 0.1, amsgrad=True)):
        straight, stopped, resumed = parameter(1.0), parameter(1.0), parameter(1.0)
        wanted = run(make(straight), straight, GRADS)
        first = make(stopped)
        run(first, stopped, GRADS[:2])
        second = make(resumed)
        second.load_state_dict(first.state_dict())
        with gn.no_grad():
            resumed.copy_(stopped)
        assert run(second, resumed, GRADS[2:]) == wanted[2:]
        assert first.state_dict()["param_groups"][0]["params"] == [0]


def test_loaded_state_takes_the_parameter_s_dtype_but_not_the_step():
    wide, narrow = parameter(1.0), nn.Parameter(gn.ones(1, dtype=gn.float32))
    first = Adam([wide])
    run(first, wide, [1.0])
    second = Adam([narrow])
    second.load_state_dict(first.state_dict())
    state = second.state[narrow]
    assert (
        state["exp_avg"].dtype is gn.float32
        and state["step"].dtype is gn.float32
        and state["step"].item() == 1.0
    )
    assert state["exp_avg"].data_ptr() != first.state[wide]["exp_avg"].data_ptr()


@pytest.mark.parametrize(
    ("act", "kind", "text"),
    [
        (lambda p: SGD([]), ValueError, "optimizer got an empty parameter list"),
        (lambda p: SGD(p), TypeError, "should be an iterable of Tensors or dicts, but got gnomon.Tensor"),
        (lambda p: SGD([p * 2]), ValueError, "can't optimize a non-leaf Tensor"),
        (lambda p: SGD([1]), TypeError, "one of the params is int"),
        (lambda p: SGD([{"params": {p}}]), TypeError, "ordered collections"),
        (lambda p: SGD([{"params": p}, {"params": p}]), ValueError, "more than one parameter group"),
        (lambda p: SGD([p]).add_param_group([p]), TypeError, "param_group must be a dict"),
        (lambda p: SGD([p], lr=-1), ValueError, "Invalid learning rate: -1"),
        (lambda p: SGD([p], lr=math.nan), ValueError, "Invalid learning rate: nan"),
        (lambda p: SGD([p], momentum=-1), ValueError, "Invalid momentum value: -1"),
        (lambda p: SGD([p], weight_decay=-1), ValueError, "Invalid weight_decay value: -1"),
        (lambda p: SGD([p], nesterov=True), ValueError, "Nesterov momentum requires a momentum"),
        (lambda p: Adam([p], betas=(1.0, 0.0)), ValueError, "Invalid beta parameter at index 0: 1.0"),
        (lambda p: Adam([p], betas=(0.0, -1.0)), ValueError, "Invalid beta parameter at index 1: -1.0"),
        (lambda p: AdamW([p], eps=-1), ValueError, "Invalid epsilon value: -1"),
        (
            lambda p: SGD([p]).load_state_dict({"state": {}, "param_groups": []}),
            ValueError,
            "different number of parameter groups",
        ),
        (
            lambda p: SGD([p]).load_state_dict({"state": {}, "param_groups": [{"params": [0, 1]}]}),
            ValueError,
            "doesn't match the size of optimizer's group",
        ),
    ],
)
def test_misuse_is_refused_in_words(act, kind, text):
    with pytest.raises(kind, match=text):
        act(parameter(1.0))


def test_repr_lists_the_options():
    assert repr(SGD([parameter(1.0)], lr=0.5)) == (
        "SGD (\nParameter Group 0\n    dampening: 0\n    differentiable: False\n    foreach: None\n"
        "    fused: None\n    lr: 0.5\n    maximize: False\n    momentum: 0\n    nesterov: False\n"
        "    weight_decay: 0\n)"
    )


VARIANTS = [
    (SGD, {}),
    (SGD, {"weight_decay": 0.1, "maximize": True}),
    (SGD, {"momentum": 0.9}),
    (SGD, {"momentum": 0.9, "dampening": 0.5, "weight_decay": 0.1}),
    (SGD, {"momentum": 0.9, "nesterov": True, "maximize": True}),
    (Adam, {}),
    (Adam, {"weight_decay": 0.1, "maximize": True}),
    (Adam, {"amsgrad": True, "betas": (0.5, 0.25)}),
    (AdamW, {}),
    (AdamW, {"amsgrad": True, "maximize": True}),
]


def ran(act):
    """The names of the operators that ``act`` ran."""
    names = set()

    with observing(RecordFunctionCallback(lambda scope, name, passed: names.add(name), scopes=(DISPATCH,))):
        act()
    return names


@pytest.mark.parametrize(("kind", "options"), VARIANTS)
def test_one_operator_for_all_parameters_does_what_many_do(kind, options, device):
    histories, states = [], []
    for fused in (None, True, False):
        params = [nn.Parameter(gn.tensor(each, dtype=gn.float64)) for each in ([1.0, -2.0], [[0.5]], [3.0])]
        optimizer = kind(params, lr=0.1, fused=fused, **options)
        history = []
        for number, grad in enumerate(GRADS):
            for param in params[: 2 + (number > 1)]:  # the last one has no gradient at first
                param.grad = gn.full_like(param, grad).detach()
            names = ran(optimizer.step)
            assert any(name.startswith("_fused_") for name in names) is (fused is not False)
            history += [each for param in params for each in param.flatten().tolist()]
        histories.append(history)
        states.append([sorted(state) for state in optimizer.state.values()])
        assert all(param._version == len(GRADS) for param in params[:2]) or fused is False
    assert histories[0] == histories[1] == pytest.approx(histories[2], rel=1e-12)
    assert states[0] == states[2]


def test_what_one_operator_can_not_do_goes_parameter_by_parameter(device):
    param = nn.Parameter(gn.tensor([1.0 + 2.0j]))
    param.grad = gn.ones_like(param).detach()
    assert not any(name.startswith("_fused_") for name in ran(SGD([param], lr=0.5).step))
    assert param.tolist() == [0.5 + 2.0j]
    with pytest.raises(RuntimeError, match="`fused=True` requires all the params to be floating point"):
        SGD([param], fused=True).step()
    with pytest.raises(RuntimeError, match="`fused` and `foreach` cannot be `True` together"):
        Adam([param], fused=True, foreach=True)


def test_a_graph_that_saved_a_parameter_notices_the_step(device):
    for kind in (SGD, Adam):
        param = parameter(1.0)
        result = (param * param).sum()
        param.grad = gn.ones(1, dtype=gn.float64)
        kind([param]).step()
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            result.backward()


OPTIMIZERS = {
    "sgd": ("SGD", {"lr": 0.1}),
    "sgd_nesterov": ("SGD", {"lr": 0.05, "momentum": 0.9, "nesterov": True, "weight_decay": 0.01}),
    "sgd_dampened": ("SGD", {"lr": 0.05, "momentum": 0.9, "dampening": 0.5, "maximize": True}),
    "adam": ("Adam", {"lr": 0.05, "weight_decay": 0.01}),
    "adam_amsgrad": ("Adam", {"lr": 0.05, "amsgrad": True, "maximize": True}),
    "adamw": ("AdamW", {"lr": 0.05, "betas": (0.8, 0.95)}),
}


@pytest.mark.oracle
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_curve_agrees_with_pytorch(name, device):
    torch = pytest.importorskip("torch")
    kind, options = OPTIMIZERS[name]
    generator = torch.Generator().manual_seed(0)
    images, labels = torch.randn(8, 6, generator=generator), torch.randint(3, (8,), generator=generator)

    def model(nn):
        return nn.Sequential(nn.Linear(6, 5), nn.Tanh(), nn.Linear(5, 3))

    theirs, ours = model(torch.nn), model(nn)
    ours.load_state_dict({key: gn.tensor(value.tolist()) for key, value in theirs.state_dict().items()})
    curves = []
    for module, x, y, optimizer, cross_entropy in (
        (
            theirs,
            images,
            labels,
            getattr(torch.optim, kind)(theirs.parameters(), foreach=False, **options),
            torch.nn.functional.cross_entropy,
        ),
        (
            ours,
            gn.tensor(images.tolist()),
            gn.tensor(labels.tolist()),
            getattr(gn.optim, kind)(ours.parameters(), **options),
            nn.functional.cross_entropy,
        ),
    ):
        curve = []
        for _ in range(10):
            optimizer.zero_grad()
            loss = cross_entropy(module(x), y)
            loss.backward()
            optimizer.step()
            curve.append(loss.item())
        curves.append(curve)
    # float32: a few ulp per step, ten steps.
    assert curves[1] == pytest.approx(curves[0], rel=1e-5)


@pytest.mark.parametrize("make", [SGD, Adam, AdamW])
def test_a_parameter_that_comes_twice_has_two_steps(make):
    twice, once = (nn.Parameter(gn.tensor([1.0, -2.0])) for _ in range(2))
    with pytest.warns(UserWarning, match="duplicate parameters"):
        optimizer = make([twice, twice], lr=0.1)
    single = make([once], lr=0.1)
    for param in (twice, once):
        param.grad = gn.tensor([0.5, 0.25])
    optimizer.step()
    single.step()
    single.step()
    assert twice.tolist() == pytest.approx(once.tolist(), rel=1e-6)


def is_interrupted(act, place):
    """Run ``act`` with an interrupt before one line of gnomon.optim; return False if it has fewer lines."""
    lines = iter(range(1, place + 1))

    def interrupt(frame, event, argument):
        if not frame.f_code.co_filename.startswith(gn.optim.__path__[0]):
            return None
        if event == "line" and next(lines, 0) == place:
            raise KeyboardInterrupt
        return interrupt

    before = sys.gettrace()
    sys.settrace(interrupt)
    try:
        act()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


@pytest.mark.parametrize("fused", [True, False])
@pytest.mark.parametrize(
    ("make", "options", "remembered"),
    [
        (SGD, {"momentum": 0.9}, {"momentum_buffer"}),
        (Adam, {"amsgrad": True}, {"step", "exp_avg", "exp_avg_sq", "max_exp_avg_sq"}),
        (AdamW, {}, {"step", "exp_avg", "exp_avg_sq"}),
    ],
)
def test_state_after_an_interrupt_is_whole_or_none(make, options, remembered, fused):
    for place in range(1, 1000):
        params = [nn.Parameter(gn.tensor([1.0, -2.0])) for _ in range(2)]
        optimizer = make(params, lr=0.1, fused=fused, **options)
        for param in params:
            param.grad = gn.tensor([0.5, 0.25])
        if not is_interrupted(optimizer.step, place):
            break
        assert gn.is_grad_enabled()
        assert all(set(each) in (remembered, set()) for each in optimizer.state.values())
        optimizer.step()
        assert [set(each) for each in optimizer.state.values()] == [remembered] * 2
    assert place > 10


def test_a_load_that_is_interrupted_changes_all_or_nothing():
    param = parameter(1.0)
    run(made := Adam([param], lr=0.1), param, [1.0])
    saved = made.state_dict()
    for place in range(1, 1000):
        fresh = Adam([param], lr=0.5)
        if not is_interrupted(lambda fresh=fresh: fresh.load_state_dict(saved), place):
            break
        assert (fresh.param_groups[0]["lr"], len(fresh.state)) in ((0.5, 0), (0.1, 1))
    assert place > 10
