"""The steps of optimizers as functions, ``optim.adam.adam``, against the classes and PyTorch's functions."""

import importlib
import inspect

import pytest

import gnomon as gn

# name -> (its module, lists of state between the gradients and the step counts, options)
COMMON = {"lr": 0.05, "weight_decay": 0.01, "maximize": False}
BETAS = {"beta1": 0.9, "beta2": 0.95, "eps": 1e-8}
FORMS = {
    "adadelta": ("adadelta", {"square_avgs": 0.0, "acc_deltas": 0.0}, {**COMMON, "rho": 0.9, "eps": 1e-6}),
    "adagrad": ("adagrad", {"state_sums": 0.0}, {**COMMON, "lr_decay": 0.1, "eps": 1e-10}),
    "adam": (
        "adam",
        {"exp_avgs": 0.0, "exp_avg_sqs": 0.0, "max_exp_avg_sqs": 0.0},
        {**COMMON, **BETAS, "amsgrad": True},
    ),
    "adamw": (
        "adamw",
        {"exp_avgs": 0.0, "exp_avg_sqs": 0.0, "max_exp_avg_sqs": 0.0},
        {**COMMON, **BETAS, "amsgrad": False},
    ),
    "adamax": ("adamax", {"exp_avgs": 0.0, "exp_infs": 0.0}, {**COMMON, **BETAS}),
    "asgd": (
        "asgd",
        {"axs": 0.0, "mus": 1.0, "etas": 0.05},
        {**COMMON, "lambd": 1e-4, "t0": 5.0, "alpha": 0.75},
    ),
    "nadam": (
        "nadam",
        {"exp_avgs": 0.0, "exp_avg_sqs": 0.0, "mu_products": 1.0},
        {**COMMON, **BETAS, "momentum_decay": 4e-3},
    ),
    "radam": ("radam", {"exp_avgs": 0.0, "exp_avg_sqs": 0.0}, {**COMMON, **BETAS}),
    "rmsprop": (
        "rmsprop",
        {"square_avgs": 0.0, "grad_avgs": 0.0, "momentum_buffer_list": 0.0},
        {**COMMON, "alpha": 0.99, "eps": 1e-8, "momentum": 0.9, "centered": True},
    ),
    "rprop": (
        "rprop",
        {"prevs": 0.0, "step_sizes": 0.01},
        {"step_size_min": 1e-6, "step_size_max": 50, "etaminus": 0.5, "etaplus": 1.2, "maximize": True},
    ),
    "adafactor": (
        "_adafactor",
        {"row_vars": 0.0, "col_vars": 0.0, "variances": 0.0},
        {**COMMON, "d": 1.0, "beta2_decay": -0.8, "eps1": 1e-7, "eps2": 1e-3},
    ),
    "sgd": (
        "sgd",
        {"momentum_buffer_list": None},
        {**COMMON, "momentum": 0.9, "dampening": 0.0, "nesterov": True},
    ),
    "muon": (
        "_muon",
        {"muon_momentum_bufs": 0.0},
        {
            "lr": 0.05,
            "weight_decay": 0.01,
            "momentum": 0.95,
            "nesterov": True,
            "ns_steps": 5,
            "ns_coefficients": (3.4445, -4.7750, 2.0315),
            "eps": 1e-7,
            "adjust_lr_fn": None,
            "has_complex": False,
        },
    ),
}
NUMBERS = ("mus", "etas", "mu_products")  # lists of tensors of one number
SHAPES = [(4, 3), (5,), ()]


def function_of(optim, name):
    return getattr(importlib.import_module(f"{optim.__name__}.{FORMS[name][0]}"), name)


def state_of(library, name, params):
    """The lists of state before the first step, with PyTorch's names."""
    columns = {}
    for column, start in FORMS[name][1].items():
        made = []
        for param in params:
            shape = tuple(param.shape)
            if column in NUMBERS:
                shape = ()
            elif column in ("row_vars", "col_vars") and len(shape) < 2:
                made.append(None)
                continue
            elif column == "variances" and len(shape) >= 2:
                made.append(None)
                continue
            elif column == "row_vars":
                shape = (*shape[:-1], 1)
            elif column == "col_vars":
                shape = (*shape[:-2], 1, shape[-1])
            value = None if start is None else library.full(shape, start, dtype=param.dtype)
            made.append(value)
        columns[column] = made
    if name not in ("sgd", "muon"):
        columns["state_steps"] = [library.tensor(0.0) for _ in params]
    return columns


def test_the_function_and_the_class_are_one_step(device):
    """With the class's defaults given to the function, on the same gradients."""
    options = {"lr": 0.05, "weight_decay": 0.01, "maximize": False}
    first, second = ([gn.full((3,), 1.0, device=device).requires_grad_() for _ in range(5)] for _ in range(2))
    optimizer = gn.optim.Adam(first, lr=0.05, weight_decay=0.01)
    state = state_of(gn, "adam", second)
    state = {name: [each.to(device) for each in column] for name, column in state.items()}
    for number in range(3):
        grads = [gn.full((3,), 0.5 + place - number, device=device) for place in range(5)]
        for param, grad in zip(first, grads):
            param.grad = grad
        optimizer.step()
        with gn.no_grad():
            gn.optim.adam.adam(
                second, grads, **state, amsgrad=False, beta1=0.9, beta2=0.999, eps=1e-8, **options
            )
    for one, other in zip(first, second):
        assert one.tolist() == other.tolist()
    assert [step.item() for step in state["state_steps"]] == [3.0] * 5
    assert gn.optim._functional.adam is gn.optim.adam.adam


def test_sgd_puts_the_first_buffers_into_the_list(device):
    options = {"weight_decay": 0.0, "momentum": 0.5, "lr": 1.0, "dampening": 0.0, "nesterov": False}
    for fused in (None, True, False):
        params = [gn.zeros(2, device=device) for _ in range(3)]
        grads = [gn.full((2,), 1.0 + place, device=device) for place in range(3)]
        known = gn.full((2,), 10.0, device=device)
        buffers = [None, known, None]
        gn.optim.sgd.sgd(params, grads, buffers, fused=fused, maximize=False, **options)
        assert buffers[1] is known
        assert [each.tolist() for each in buffers] == [[1.0, 1.0], [7.0, 7.0], [3.0, 3.0]]
        assert [each.tolist() for each in params] == [[-1.0, -1.0], [-7.0, -7.0], [-3.0, -3.0]]


REFUSED = {
    "no tensors as steps": (
        {"state_steps": [0, 0]},
        RuntimeError,
        "`state_steps` argument must contain a list",
    ),
    "lists and autograd": (
        {"foreach": True, "differentiable": True},
        AssertionError,
        "_foreach ops don't support autograd",
    ),
    "one operator and autograd": (
        {"fused": True, "differentiable": True},
        RuntimeError,
        "fused=True does not support differentiable=True",
    ),
    "scale": ({"grad_scale": gn.ones(())}, AssertionError, "Expected grad_scale and found_inf to be None"),
    "capturable": (
        {"capturable": True},
        AssertionError,
        "If capturable=True, params and state_steps must be",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_misuse_is_refused_as_in_pytorch(case):
    given, kind, text = REFUSED[case]
    params = [gn.ones(2), gn.ones(2)]
    state = {**state_of(gn, "adam", params), **given}
    with pytest.raises(kind, match=text):
        gn.optim.adam.adam(params, [gn.ones(2)] * 2, **state, **FORMS["adam"][2])
    assert params[0].tolist() == [1.0, 1.0]


@pytest.mark.parametrize("name", FORMS)
def test_no_parameters_are_no_step(name):
    """A group of which no parameter has a gradient."""
    _, state, options = FORMS[name]
    steps = [] if name in ("sgd", "muon") else [[]]
    assert function_of(gn.optim, name)([], [], *([] for _ in state), *steps, **options) is None


def test_a_parameter_that_records_is_not_changed_in_place():
    """The functions set no mode, so a leaf is refused as elsewhere."""
    for name, fused in (("adam", None), ("adam", False), ("sgd", None), ("adagrad", None)):
        param = gn.ones(2, requires_grad=True)
        state = state_of(gn, name, [param])
        with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
            function_of(gn.optim, name)([param], [gn.ones(2)], *state.values(), fused=fused, **FORMS[name][2])


@pytest.mark.oracle
@pytest.mark.parametrize("name", FORMS)
def test_signatures_are_pytorch_s(name):
    torch = pytest.importorskip("torch")
    wanted = inspect.signature(function_of(torch.optim, name)).parameters.values()
    found = inspect.signature(function_of(gn.optim, name)).parameters.values()
    assert [(each.name, each.kind, each.default) for each in found] == [
        (each.name, each.kind, each.default) for each in wanted
    ]


@pytest.mark.oracle
@pytest.mark.parametrize("form", [{}, {"foreach": True}, {"foreach": False}, {"fused": True}], ids=str)
@pytest.mark.parametrize("name", FORMS)
def test_twenty_steps_are_pytorch_s(name, form):
    torch = pytest.importorskip("torch")
    if "fused" in form and name not in ("adam", "adamw", "adagrad", "sgd"):
        return
    if name == "muon" and form:
        return
    shapes = [(4, 3), (2, 5)] if name == "muon" else SHAPES
    generator = torch.Generator().manual_seed(1)

    def random():
        return [torch.randn(shape, generator=generator, dtype=torch.float64) for shape in shapes]

    def ours(tensors):
        return [gn.tensor(each.tolist(), dtype=gn.float64).reshape(tuple(each.shape)) for each in tensors]

    their_params = random()
    our_params = ours(their_params)
    their_state, our_state = state_of(torch, name, their_params), state_of(gn, name, our_params)
    if name == "adamw":
        their_state["max_exp_avg_sqs"], our_state["max_exp_avg_sqs"] = [], []
    options = FORMS[name][2]
    tolerance = {"rtol": 1e-9, "atol": 1e-12}
    if name == "muon":  # it orthogonalizes in bfloat16
        tolerance = {"rtol": 1e-2, "atol": 1e-2}
    if name == "asgd" and form.get("foreach"):  # PyTorch's step sizes are tensors, and so float32
        tolerance = {"rtol": 1e-6, "atol": 1e-7}
    grads_name = "d_p_list" if name == "sgd" else "grads"
    for _ in range(20):
        grads = random()
        theirs = {grads_name: [each.clone() for each in grads], **their_state}
        function_of(torch.optim, name)(their_params, **theirs, **form, **options)
        function_of(gn.optim, name)(our_params, **{grads_name: ours(grads), **our_state}, **form, **options)
        for one, other in zip(our_params, their_params):
            torch.testing.assert_close(torch.tensor(one.tolist(), dtype=torch.float64), other, **tolerance)
    for column, values in their_state.items():
        for found, wanted in zip(our_state[column], values):
            assert (found is None) is (wanted is None)
            if found is not None:
                assert found.dtype.name == str(wanted.dtype).removeprefix("torch.")
                found = torch.tensor(found.tolist(), dtype=wanted.dtype)
                torch.testing.assert_close(found, wanted, rtol=max(tolerance["rtol"], 1e-6), atol=1e-6)
