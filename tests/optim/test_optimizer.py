"""gnomon.optim.Optimizer: groups, names, hooks, copies, and state dicts of older versions."""

import copy
import pickle
from importlib import import_module

import pytest

import gnomon as gn
from gnomon import nn
from gnomon.dispatch.record_function import RecordFunctionCallback, RecordScope, observing
from gnomon.optim import ASGD, SGD, Adadelta, Adam, AdamW, NAdam, Optimizer
from gnomon.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook


def parameter(value=1.0):
    param = nn.Parameter(gn.tensor([value], dtype=gn.float64))
    param.grad = gn.ones(1, dtype=gn.float64)
    return param


def test_step_hooks_run_in_order_and_may_replace_arguments():
    optimizer, calls = SGD([parameter()]), []
    handles = [
        register_optimizer_step_post_hook(lambda o, args, kwargs: calls.append("all after")),
        optimizer.register_step_post_hook(lambda o, args, kwargs: calls.append(("after", kwargs))),
        optimizer.register_step_pre_hook(lambda o, args, kwargs: ((o,), {"closure": lambda: 7.0})),
        register_optimizer_step_pre_hook(lambda o, args, kwargs: calls.append((o, args, kwargs))),
    ]
    try:
        assert optimizer.step() == 7.0
    finally:
        for handle in handles:
            handle.remove()
    assert calls[0] == (optimizer, (optimizer,), {})
    assert calls[1][0] == "after" and set(calls[1][1]) == {"closure"} and calls[2] == "all after"
    assert optimizer.step() is None and len(calls) == 3
    optimizer.register_step_pre_hook(lambda o, args, kwargs: 3)
    with pytest.raises(
        RuntimeError, match=r"must return None or a tuple of \(new_args, new_kwargs\), but got 3"
    ):
        optimizer.step()
    with pytest.raises(TypeError, match="hook that can be called"):
        optimizer.register_step_pre_hook(3)


def test_hooks_of_state_dicts():
    optimizer, calls = SGD([parameter()], lr=0.5), []
    optimizer.register_state_dict_pre_hook(lambda o: calls.append("second"))
    optimizer.register_state_dict_pre_hook(lambda o: calls.append("first"), prepend=True)
    optimizer.register_state_dict_post_hook(lambda o, saved: {**saved, "extra": 1})
    optimizer.register_state_dict_post_hook(lambda o, saved: calls.append(set(saved)), prepend=True)
    saved = optimizer.state_dict()
    assert calls == ["first", "second", {"state", "param_groups"}] and saved["extra"] == 1

    def halve(o, state_dict):
        group = {**state_dict["param_groups"][0], "lr": 0.25}
        return {**state_dict, "param_groups": [group]}

    optimizer.register_load_state_dict_pre_hook(halve)
    optimizer.register_load_state_dict_post_hook(lambda o: calls.append(o.param_groups[0]["lr"]))
    optimizer.load_state_dict(saved)
    assert calls[-1] == 0.25 and saved["param_groups"][0]["lr"] == 0.5


def test_names_of_parameters(lib):
    first, second = (lib.nn.Parameter(lib.ones(1)) for _ in range(2))
    optimizer = lib.optim.SGD([("a", first)])
    assert optimizer.param_groups[0]["param_names"] == ["a"] and optimizer.param_groups[0]["params"] == [
        first
    ]
    with pytest.raises(ValueError, match="cannot add param group without names to the optimizer"):
        optimizer.add_param_group({"params": [second]})
    assert len(optimizer.param_groups) == 1
    saved = optimizer.state_dict()
    assert saved["param_groups"][0]["param_names"] == ["a"]
    saved["param_groups"][0]["param_names"] = ["b"]
    optimizer.load_state_dict(saved)
    assert optimizer.param_groups[0]["param_names"] == ["b"]
    with pytest.raises(ValueError, match="Some param names are missing"):
        lib.optim.SGD([("a", first), second])


def test_the_caller_s_dict_becomes_the_group(lib):
    group = {"params": lib.nn.Parameter(lib.ones(1)), "lr": 0.5}
    optimizer = lib.optim.SGD([group], momentum=0.9)
    assert optimizer.param_groups[0] is group and group["momentum"] == 0.9


@pytest.mark.parametrize("make", [lambda p: Adam(p, amsgrad=True), lambda p: SGD(p, 0.1, 0.9), NAdam, ASGD])
@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda made: pickle.loads(pickle.dumps(made))])
def test_a_copy_goes_on_alone(make, duplicate):
    param = parameter()
    optimizer = make([param])
    optimizer.register_step_pre_hook(lambda *given: None)
    optimizer.step()
    made = duplicate(optimizer)
    (other,) = made.param_groups[0]["params"]
    assert other is not param and list(made.state) == [other] and not made._optimizer_step_pre_hooks
    assert repr(made) == repr(optimizer)
    before = param.item()
    other.grad = gn.ones(1, dtype=gn.float64)
    made.step()
    assert param.item() == before
    optimizer.step()
    assert param.item() == other.item()


def test_state_dicts_of_older_versions_are_completed():
    param = parameter()
    optimizer = NAdam([param])
    optimizer.step()
    saved = optimizer.state_dict()
    state = {**saved["state"][0], "step": 5, "mu_product": 0.25}
    old_group = {
        name: saved["param_groups"][0][name] for name in ("lr", "betas", "eps", "weight_decay", "params")
    }
    old_group["momentum_decay"] = 4e-3
    optimizer.load_state_dict({"state": {0: state}, "param_groups": [old_group]})
    loaded, group = optimizer.state[param], optimizer.param_groups[0]
    assert loaded["step"].item() == 5.0 and loaded["step"].dtype is gn.float32 and loaded["step"].shape == ()
    assert loaded["mu_product"].item() == 0.25
    assert group["decoupled_weight_decay"] is False and group["foreach"] is None
    optimizer.step()
    decoupled = AdamW([parameter()])
    decoupled.load_state_dict(Adam([parameter()]).state_dict())
    assert decoupled.param_groups[0]["decoupled_weight_decay"] is True


def test_a_step_count_moves_only_for_a_fused_step():
    saved = Adam([parameter()]).state_dict()
    saved["state"][0] = {
        "step": gn.tensor(3, dtype=gn.int64),
        "exp_avg": gn.ones(1),
        "exp_avg_sq": gn.ones(1),
    }
    for fused, dtype in ((False, gn.int64), (True, gn.float32)):
        param = parameter()
        optimizer = Adam([param])
        saved["param_groups"][0]["fused"] = fused
        optimizer.load_state_dict(saved)
        assert optimizer.state[param]["step"].dtype is dtype
        assert optimizer.state[param]["exp_avg"].dtype is gn.float64
        assert optimizer.state[param]["exp_avg"] is not saved["state"][0]["exp_avg"]


def test_lists_of_tensors_in_the_state_are_converted():
    param = parameter()
    optimizer = gn.optim.LBFGS([param])
    saved = optimizer.state_dict()
    saved["state"][0] = {"old_dirs": [gn.ones(1)], "al": [None, gn.ones(())], "n_iter": 2}
    optimizer.load_state_dict(saved)
    state = optimizer.state[param]
    assert state["old_dirs"][0].dtype is gn.float64 and state["al"][0] is None and state["n_iter"] == 2


def test_the_default_dtype_decides_how_wide_counts_are(lib):
    before = lib.get_default_dtype()
    for default in (lib.float64, lib.float32):
        lib.set_default_dtype(default)
        try:
            param = lib.nn.Parameter(lib.ones(1))
            param.grad = lib.ones(1)
            for make in (lib.optim.Adam, lib.optim.Adadelta):
                optimizer = make([param])
                optimizer.step()
                assert optimizer.state[param]["step"].dtype is default
        finally:
            lib.set_default_dtype(before)


def test_subclasses_of_users(lib):
    class Signed(lib.optim.Optimizer):
        def __init__(self, params, lr):
            super().__init__(params, {"lr": lr})

        @lib.no_grad()
        def step(self, closure=None):
            for group in self.param_groups:
                for param in group["params"]:
                    param.sub_(param.grad.sign() * group["lr"])
            return "stepped"

    param = lib.nn.Parameter(lib.ones(1))
    param.grad = lib.ones(1)
    optimizer = Signed([param], 0.25)
    calls = []
    optimizer.register_step_post_hook(lambda *given: calls.append(given[0]))
    assert optimizer.step() == "stepped" and param.item() == 0.75 and calls == [optimizer]
    required = import_module(f"{lib.__name__}.optim.optimizer").required
    with pytest.raises(
        ValueError, match=r"parameter group didn't specify a value of required .* parameter lr"
    ):
        Signed([param], required)
    assert repr(required) == "<required parameter>"


def test_the_base_class_does_not_step():
    with pytest.raises(NotImplementedError):
        Optimizer([parameter()], {}).step()


def test_differentiable_takes_tensors_that_are_no_leaves():
    leaf = gn.tensor([1.0], requires_grad=True)
    param = leaf * 2
    with pytest.raises(ValueError, match="can't optimize a non-leaf Tensor"):
        Adadelta([param])
    optimizer = SGD([param], lr=0.5, differentiable=True)
    param.grad = leaf * 3
    optimizer.step()
    param.sum().backward()
    assert param.tolist() == [0.5] and leaf.grad.tolist() == [0.5]
    with pytest.raises(AssertionError, match="_foreach ops don't support autograd"):
        optimizer = Adadelta([param], foreach=True, differentiable=True)
        param.grad = leaf * 3
        optimizer.step()


def test_the_profiler_shows_steps():
    optimizer = SGD([parameter()])
    with gn.profiler.profile() as seen:
        optimizer.step()
        optimizer.zero_grad()
    names = {event.name for event in seen.events()}
    assert {"Optimizer.step#SGD.step", "Optimizer.zero_grad#SGD.zero_grad"} <= names


LISTED = ("ASGD", "Adadelta", "Adafactor", "Adagrad", "Adamax", "NAdam", "RAdam", "RMSprop", "Rprop")
ALL = (*LISTED, "Adam", "AdamW", "LBFGS", "Muon", "SGD")


def steps_of(kind, device, sizes, foreach, **options):
    """The parameters after three steps."""
    params = [gn.full(size, 1.0 + place, device=device) for place, size in enumerate(sizes)]
    optimizer = getattr(gn.optim, kind)(
        [each.requires_grad_() for each in params], foreach=foreach, **options
    )
    for step in range(3):
        for place, param in enumerate(params):
            param.grad = gn.full_like(param, 0.5 + place - step)
        optimizer.step()
    return [each.tolist() for each in params]


@pytest.mark.parametrize("options", [{}, {"weight_decay": 0.1, "maximize": True}], ids=["plain", "decay"])
@pytest.mark.parametrize("kind", LISTED)
def test_all_forms_of_a_step_agree(kind, options, device):
    if kind == "Rprop":
        options = {name: value for name, value in options.items() if name != "weight_decay"}
    sizes = [(2, 3), (4,), (), (5, 1), (0,)]
    single = steps_of(kind, device, sizes, False, **options)
    for foreach in (True, None):
        found = steps_of(kind, device, sizes, foreach, **options)
        for one, other in zip(found, single):
            gn.testing.assert_close(gn.tensor(one), gn.tensor(other), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("kind", [each for each in LISTED if each != "Adagrad"])  # which is fused
def test_lists_are_the_default_for_several_small_parameters(kind, monkeypatch):
    module = import_module("gnomon.optim.optimizer")
    called = []
    multi_tensor = module.multi_tensor

    def counted(name, *arguments, **options):
        called.append(name)
        return multi_tensor(name, *arguments, **options)

    monkeypatch.setattr(module, "multi_tensor", counted)
    few, several = [(2,)] * 3, [(2,)] * 5
    for sizes, foreach, expected in (
        (several, None, True),
        (several, False, False),
        (few, None, False),
        (few, True, True),
        ([(40000,)] * 5, None, False),
        ([(40000,)] * 5, True, True),
    ):
        called.clear()
        steps_of(kind, "cpu", sizes, foreach)
        assert bool(called) is expected
        assert len(called) <= 3 * 20
    called.clear()
    steps_of(kind, "cpu", several, None, lr=gn.tensor(0.1))
    assert called == [] or kind == "Rprop"  # whose step does not use lr


def launches_of_step(kind, count):
    """How many kernels the second step runs for parameters of ``count`` layers of equal shapes."""
    shapes = [(4, 3), (3, 4)] if kind == "Muon" else [(4, 3), (3,)]
    params = [gn.ones(shape, device="c", requires_grad=True) for _ in range(count) for shape in shapes]
    momentum = {"momentum": 0.9} if kind in ("RMSprop", "SGD") else {}
    optimizer = getattr(gn.optim, kind)(params, **momentum)
    heard = []
    callback = RecordFunctionCallback(
        lambda scope, name, arguments: heard.append(name), scopes=(RecordScope.KERNEL,)
    )
    for _ in range(2):
        for place, param in enumerate(params):
            param.grad = gn.full_like(param, 0.5 + place)
        heard.clear()
        with observing(callback):
            optimizer.step(lambda: gn.ones(()))
    return len(heard)


@pytest.mark.skipif(not gn.backends()["c"].available, reason="the list operators of the C backend")
@pytest.mark.parametrize("kind", ALL)
def test_a_step_is_as_many_launches_for_few_as_for_many_layers(kind):
    assert launches_of_step(kind, 8) == launches_of_step(kind, 16) <= 64


def test_parameters_of_other_shapes_and_dtypes_are_updated_apart():
    shapes = [((4, 3), gn.float32), ((3,), gn.float32), ((4, 3), gn.float64), ((2, 3), gn.float32)] * 4
    for kind in ("Adafactor", "Rprop", "Muon"):
        found = []
        for count in (None, 1):  # all in one optimizer, or each in its own
            params = [gn.full(size, 1.0, dtype=dtype, requires_grad=True) for size, dtype in shapes]
            if kind == "Muon":
                params = [each for each in params if each.ndim == 2]
            groups = [params] if count is None else [[each] for each in params]
            for params in groups:
                optimizer = getattr(gn.optim, kind)(params, lr=0.1)
                for step in range(3):
                    for param in params:
                        numbers = gn.arange(param.numel(), dtype=param.dtype).reshape(param.shape)
                        param.grad = (numbers * 0.7 + step).sin()
                    optimizer.step()
                found.append([each.detach() for each in params])
        together, *apart = found
        for one, (other,) in zip(together, apart):
            gn.testing.assert_close(one, other, rtol=1e-6, atol=2e-4 if kind == "Muon" else 1e-7)


def test_the_sums_of_adagrad_can_be_shared():
    optimizer = gn.optim.Adagrad([gn.ones(2, requires_grad=True), gn.ones(3, requires_grad=True)])
    optimizer.share_memory()
    assert all(state["sum"].is_shared() for state in optimizer.state.values())
    assert not any(state["step"].is_shared() for state in optimizer.state.values())


def test_a_repeated_parameter_is_updated_twice():
    param = gn.ones(2, requires_grad=True)
    with pytest.warns(UserWarning, match="duplicate parameters"):
        optimizer = gn.optim.RMSprop([param] * 5, lr=0.1)
    param.grad = gn.ones(2)
    optimizer.step()
    assert optimizer.state[param]["step"].item() == 5
