"""gnomon.optim: the formulas, written out; the same curves as PyTorch's; saving and loading of state."""

import math
import sys

import pytest

import gnomon as gn
from gnomon import nn
from gnomon.dispatch.record_function import DISPATCH, RecordFunctionCallback, observing
from gnomon.optim import SGD, Adam, AdamW

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
    optimizer.add_param_group({"params": [("c", c)], "lr": 2.0})
    for param in (a, b, c):
        param.grad = gn.ones(1, dtype=gn.float64)
    optimizer.step()
    assert [a.item(), b.item(), c.item()] == [0.5, 0.0, -1.0]
    assert optimizer.param_groups[2]["param_names"] == ["c"]


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
            "expected 1, but got 0",
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
        "SGD (\nParameter Group 0\n    dampening: 0\n    foreach: None\n    fused: None\n    lr: 0.5\n"
        "    maximize: False\n    momentum: 0\n    nesterov: False\n    weight_decay: 0\n)"
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
    with pytest.raises(NotImplementedError, match="not implemented for dtype complex64"):
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
