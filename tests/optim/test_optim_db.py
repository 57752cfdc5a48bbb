"""All optimizers against PyTorch's, with the arguments of PyTorch's own tests: common_optimizers.optim_db."""

import copy
import inspect
import re
import sys
import types
import unittest
import warnings

import pytest

import gnomon as gn

pytestmark = pytest.mark.oracle
torch = pytest.importorskip("torch")
# PyTorch's tests import expecttest, of which only the base class of their test cases is needed here.
expecttest = types.ModuleType("expecttest")
expecttest.TestCase = unittest.TestCase
sys.modules.setdefault("expecttest", expecttest)
from torch.testing._internal import common_optimizers as db  # noqa: E402

INFOS = [info for info in db.optim_db if info.name != "SparseAdam"]
STEPS = 50
DTYPES = ("float64", "float32")
# Sums are taken in another order, and a step may be one fused operator; errors grow along a trajectory.
TOLERANCES = {"float64": {"rtol": 1e-9, "atol": 1e-12}, "float32": {"rtol": 2e-4, "atol": 2e-5}}
# Muon orthogonalizes in bfloat16, whose products round in another order: a part in 2**8 of a step.
MUON = {"rtol": 1e-2, "atol": 1e-2}
# LBFGS amplifies rounding most, because it subtracts gradients of near points.
LBFGS = {"float64": {"rtol": 1e-7, "atol": 1e-7}, "float32": {"rtol": 0.1, "atol": 0.1}}


def ours(value):
    """A value of PyTorch's in gnomon: tensors, also inside of containers, and classes of parameters."""
    if isinstance(value, torch.Tensor):
        made = gn.tensor(value.tolist(), dtype=getattr(gn, str(value.dtype).removeprefix("torch.")))
        made = made.reshape(value.shape)
        if isinstance(value, torch.nn.Parameter):
            made = gn.nn.Parameter(made)
        made.grad = None if value.grad is None else ours(value.grad)
        return made
    if isinstance(value, dict):
        return {key: ours(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(map(ours, value))
    return value


def theirs(value):
    """The opposite of ``ours``."""
    if isinstance(value, gn.Tensor):
        return torch.tensor(value.tolist(), dtype=getattr(torch, value.dtype.name))
    if isinstance(value, dict):
        return {key: theirs(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(map(theirs, value))
    return value


def shapes(name):
    return ((4, 3), (2, 5)) if name == "Muon" else ((4, 3), (5,), ())


def start(name, dtype, is_complex=False):
    """PyTorch's parameters, and the gradients of each step."""
    generator = torch.Generator().manual_seed(1)
    kind = getattr(torch, dtype)
    if is_complex:
        kind = torch.complex128 if dtype == "float64" else torch.complex64

    def random():
        return [torch.randn(shape, generator=generator, dtype=kind) for shape in shapes(name)]

    params = [torch.nn.Parameter(each) for each in random()]
    return params, [random() for _ in range(STEPS)]


def closure_of(library, optimizer, params):
    """A closure for LBFGS: the loss is a curved valley, along which it needs more than 50 steps."""

    def closure():
        optimizer.zero_grad()
        parts = [(library.view_as_real(each) if each.is_complex() else each).reshape(-1) for each in params]
        x = library.cat(parts)
        total = ((1 - x) ** 2).sum() + 10 * ((x[1:] - x[:-1] ** 2) ** 2).sum()
        total.backward()
        return total

    return closure


def run(library, optimizer, params, grads):
    """Steps once for each list of gradients; returns all parameters after each step."""
    history = []
    needs_closure = type(optimizer).__name__ == "LBFGS"
    for step in grads:
        if needs_closure:
            optimizer.step(closure_of(library, optimizer, params))
        else:
            for param, grad in zip(params, step):
                param.grad = ours(grad) if library is gn else grad.clone()
            optimizer.step()
        history.append([param.detach().tolist() for param in params])
    return history


def assert_close(found, wanted, tolerance):
    torch.testing.assert_close(
        torch.tensor(found), torch.tensor(wanted), **tolerance, equal_nan=True, check_dtype=False
    )


def assert_same_state(found, wanted, tolerance, where="state_dict"):
    """Same names, kinds, dtypes, sizes and values."""
    if isinstance(wanted, torch.Tensor):
        assert isinstance(found, gn.Tensor), where
        assert found.dtype.name == str(wanted.dtype).removeprefix("torch."), where
        assert tuple(found.shape) == tuple(wanted.shape), where
        assert_close(found.tolist(), wanted.tolist(), tolerance)
    elif isinstance(wanted, dict):
        assert set(found) == set(wanted), where
        for key, each in wanted.items():
            assert_same_state(found[key], each, tolerance, f"{where}[{key!r}]")
    elif isinstance(wanted, (list, tuple)):
        assert type(found) is type(wanted) and len(found) == len(wanted), where
        for key, each in enumerate(wanted):
            assert_same_state(found[key], each, tolerance, f"{where}[{key}]")
    elif isinstance(wanted, float):
        assert found == pytest.approx(wanted, rel=tolerance["rtol"], abs=tolerance["atol"]), where
    else:
        assert found == wanted, where


def tolerance_of(name, dtype):
    return {"Muon": MUON, "LBFGS": LBFGS[dtype]}.get(name, TOLERANCES[dtype])


def samples_of(info, dtype):
    samples = info.optim_inputs_func(device="cpu", dtype=getattr(torch, dtype))
    if info.name == "LBFGS":
        # With one iteration in each step it has not converged after 50; then rounding would decide when.
        for sample in samples:
            sample.kwargs.update({"max_iter": 1, "max_eval": 25})
    return samples


def implementations(info):
    """Ways to step that give the same numbers: gnomon's default, and what the arguments ask for."""
    yield {}
    for name in ("foreach", "fused"):
        if name in info.supported_impls:
            yield {name: True}
            yield {name: False}


def cases(info, dtype):
    for sample in samples_of(info, dtype):
        for options in implementations(info):
            is_tensor_lr = isinstance(sample.kwargs.get("lr"), torch.Tensor)
            if is_tensor_lr and options.get("foreach") and info.name in ("Adam", "AdamW"):
                continue  # refused
            yield sample.kwargs, options


def make_both(info, kwargs, options, their_params):
    """The optimizer in both libraries; PyTorch's updates each parameter by itself."""
    our_params = [ours(param) for param in their_params]
    alone = {"foreach": False} if "foreach" in info.supported_impls else {}
    their_optimizer = info.optim_cls(their_params, **{**copy.deepcopy(kwargs), **alone})
    our_optimizer = getattr(gn.optim, info.name)(our_params, **{**ours(kwargs), **options})
    return our_optimizer, our_params, their_optimizer


def without_implementation(state_dict):
    for group in state_dict["param_groups"]:
        group.pop("foreach", None)
        group.pop("fused", None)
    return state_dict


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("info", INFOS, ids=lambda info: info.name)
def test_trajectories_and_state_dicts_are_pytorch_s(info, dtype):
    tolerance = tolerance_of(info.name, dtype)
    for kwargs, options in cases(info, dtype):
        their_params, grads = start(info.name, dtype)
        our_optimizer, our_params, their_optimizer = make_both(info, kwargs, options, their_params)
        if info.name == "LBFGS" and dtype == "float32":
            grads = grads[:10]  # by then rounding has grown to a part in ten
        wanted = run(torch, their_optimizer, their_params, grads)
        found = run(gn, our_optimizer, our_params, grads)
        for before, after in zip(found, wanted):
            for one, other in zip(before, after):
                assert_close(one, other, tolerance)
        if info.name != "LBFGS":  # where it has converged, rounding decides how often it evaluates
            saved = without_implementation(our_optimizer.state_dict())
            assert_same_state(saved, without_implementation(their_optimizer.state_dict()), tolerance)


@pytest.mark.parametrize("dtype", DTYPES)
def test_lbfgs_has_pytorch_s_state_before_it_has_converged(dtype):
    (info,) = (info for info in INFOS if info.name == "LBFGS")
    for kwargs, _ in cases(info, dtype):
        for limits in ({"max_iter": 2}, {"max_iter": 3, "history_size": 3, "max_eval": 5}):
            their_params, grads = start(info.name, dtype)
            both = make_both(info, {**kwargs, **limits}, {}, their_params)
            our_optimizer, our_params, their_optimizer = both
            run(torch, their_optimizer, their_params, grads[:3])
            run(gn, our_optimizer, our_params, grads[:3])
            tolerance = {"rtol": 1e-9, "atol": 1e-9} if dtype == "float64" else {"rtol": 1e-3, "atol": 1e-3}
            assert_same_state(our_optimizer.state_dict(), their_optimizer.state_dict(), tolerance)


@pytest.mark.parametrize("is_ours_first", [True, False])
@pytest.mark.parametrize("info", INFOS, ids=lambda info: info.name)
def test_a_state_dict_goes_on_in_the_other_library(info, is_ours_first):
    """25 steps in one library, the state dict, and 25 steps in the other are 50 steps in PyTorch."""
    tolerance = tolerance_of(info.name, "float64")
    for sample in samples_of(info, "float64"):
        params, grads = start(info.name, "float64")
        first_half, second_half = grads[: STEPS // 2], grads[STEPS // 2 :]
        straight = info.optim_cls(params, **copy.deepcopy(sample.kwargs))
        wanted = run(torch, straight, params, grads)

        their_params, _ = start(info.name, "float64")
        our_optimizer, our_params, their_optimizer = make_both(info, sample.kwargs, {}, their_params)
        if is_ours_first:
            found = run(gn, our_optimizer, our_params, first_half)
            with torch.no_grad():
                for param, value in zip(their_params, our_params):
                    param.copy_(theirs(value))
            their_optimizer.load_state_dict(theirs(our_optimizer.state_dict()))
            found += run(torch, their_optimizer, their_params, second_half)
        else:
            found = run(torch, their_optimizer, their_params, first_half)
            with gn.no_grad():
                for param, value in zip(our_params, their_params):
                    param.copy_(ours(value.detach()))
            our_optimizer.load_state_dict(ours(their_optimizer.state_dict()))
            found += run(gn, our_optimizer, our_params, second_half)
        for before, after in zip(found, wanted):
            for one, other in zip(before, after):
                assert_close(one, other, tolerance)


@pytest.mark.parametrize(
    "info", [info for info in INFOS if info.supports_complex], ids=lambda info: info.name
)
def test_complex_parameters_are_updated_as_pytorch_does(info):
    for sample in samples_of(info, "float64"):
        their_params, grads = start(info.name, "float64", is_complex=True)
        our_optimizer, our_params, their_optimizer = make_both(info, sample.kwargs, {}, their_params)
        wanted = run(torch, their_optimizer, their_params, grads)
        found = run(gn, our_optimizer, our_params, grads)
        for before, after in zip(found, wanted):
            for one, other in zip(before, after):
                assert_close(one, other, TOLERANCES["float64"])
        if info.name != "LBFGS":
            assert_same_state(
                without_implementation(our_optimizer.state_dict()),
                without_implementation(their_optimizer.state_dict()),
                TOLERANCES["float64"],
            )


@pytest.mark.parametrize(
    "info", [info for info in INFOS if info.has_capturable_arg], ids=lambda info: info.name
)
def test_capturable_steps_as_pytorch_does_where_the_device_allows_it(info, monkeypatch):
    """The host is made to count as a device that can capture, in both libraries."""
    monkeypatch.setattr(gn.optim.optimizer, "CAPTURABLE_DEVICES", [gn.ones(1).device.type])
    for name in ("adadelta", "adam", "adamax", "asgd", "nadam", "radam", "rmsprop", "rprop"):
        module = sys.modules[f"torch.optim.{name}"]
        monkeypatch.setattr(module, "_get_capturable_supported_devices", lambda **options: ["cpu"])
    count = 0
    for sample in info.optim_inputs_func(device="cuda"):
        if not sample.kwargs.get("capturable"):
            continue
        count += 1
        their_params, grads = start(info.name, "float32")
        our_optimizer, our_params, their_optimizer = make_both(info, sample.kwargs, {}, their_params)
        wanted = run(torch, their_optimizer, their_params, grads)
        found = run(gn, our_optimizer, our_params, grads)
        for before, after in zip(found, wanted):
            for one, other in zip(before, after):
                assert_close(one, other, TOLERANCES["float32"])
        assert_same_state(
            without_implementation(our_optimizer.state_dict()),
            without_implementation(their_optimizer.state_dict()),
            TOLERANCES["float32"],
        )
    assert count >= 2


@pytest.mark.parametrize(
    "info", [info for info in INFOS if info.has_capturable_arg], ids=lambda info: info.name
)
def test_capturable_is_refused_on_the_host(info):
    def act(library, optimizers, parameter):
        param = parameter(library.ones(2))
        param.grad = library.ones(2)
        getattr(optimizers, info.name)([param], capturable=True).step()

    with pytest.raises(AssertionError) as wanted:
        act(torch, torch.optim, torch.nn.Parameter)
    with pytest.raises(AssertionError) as found:
        act(gn, gn.optim, gn.nn.Parameter)
    # PyTorch lists all its devices.
    text, _, _ = str(wanted.value).partition("[")
    assert str(found.value) == text + "['cuda']."


@pytest.mark.parametrize(
    "info", [info for info in INFOS if "differentiable" in info.supported_impls], ids=lambda info: info.name
)
def test_gradients_through_a_differentiable_step_are_pytorch_s(info):
    def gradients(library, make, kwargs, values, first_grads, grad_values, convert):
        """Of a sum over the parameters after three steps, the last of them differentiable."""
        before = [convert(value).requires_grad_() for value in values]
        first = make(before, **kwargs)
        run(library, first, before, first_grads)
        leaves = [convert(value).requires_grad_() for value in (*values, *grad_values)]
        params = [leaf.clone() for leaf in leaves[: len(values)]]
        optimizer = make(params, differentiable=True, **kwargs)
        optimizer.load_state_dict(copy.deepcopy(first.state_dict()))
        optimizer.param_groups[0]["differentiable"] = True
        for param, grad in zip(params, leaves[len(values) :]):
            param.grad = grad.clone()
        optimizer.step()
        sum((param * param).sum() for param in params).backward()
        return [None if leaf.grad is None else leaf.grad.tolist() for leaf in leaves]

    for sample in samples_of(info, "float64"):
        params, (*first_grads, last_grads) = start(info.name, "float64")
        given = [param.detach() for param in params], first_grads[:2], last_grads
        kwargs = copy.deepcopy(sample.kwargs)
        wanted = gradients(torch, info.optim_cls, kwargs, *given, torch.clone)
        found = gradients(gn, getattr(gn.optim, info.name), ours(sample.kwargs), *given, ours)
        for one, other in zip(found, wanted):
            assert_close(one, other, {"rtol": 1e-9, "atol": 1e-12})


def outcome(make, params, kwargs, sample, needs_closure):
    """The kind and text of the error or warning that an optimizer gives, in PyTorch's names."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            optimizer = make(params, **kwargs)
            if sample.error_on is db.OptimizerErrorEnum.STEP_ERROR:
                optimizer.step(*([lambda: 1.0] if needs_closure else []))
        except Exception as error:
            text = str(error).replace("gnomon.", "torch.")
            return type(error), re.sub("torch.nn.*Parameter|torch.FloatTensor", "torch.Tensor", text)
    return None


@pytest.mark.parametrize("info", INFOS, ids=lambda info: info.name)
def test_errors_are_pytorch_s(info):
    known = {}

    def our_params(params):
        """``ours``, but the same parameter of PyTorch's stays the same."""
        if isinstance(params, torch.Tensor):
            return known.setdefault(id(params), ours(params))
        if isinstance(params, dict):
            return {key: our_params(each) for key, each in params.items()}
        if isinstance(params, (list, tuple)):
            return type(params)(map(our_params, params))
        return params

    inputs = info.optim_error_inputs_func(device="cpu", dtype=torch.float32)
    assert len(inputs) >= 6
    for sample in inputs:
        params, kwargs = sample.optimizer_error_input.params, sample.optimizer_error_input.kwargs
        if params is None:
            params = [torch.nn.Parameter(torch.ones(2, 2))]
        converted = our_params(params)  # before PyTorch changes the groups
        wanted = outcome(info.optim_cls, params, kwargs, sample, info.step_requires_closure)
        make = getattr(gn.optim, info.name)
        found = outcome(make, converted, ours(kwargs), sample, info.step_requires_closure)
        assert wanted is not None and found == wanted


@pytest.mark.parametrize("info", INFOS, ids=lambda info: info.name)
def test_repr_is_pytorch_s(info):
    for sample in samples_of(info, "float32"):
        if any(isinstance(value, torch.Tensor) for value in sample.kwargs.values()):
            continue
        theirs_shown = info.optim_cls([torch.nn.Parameter(torch.ones(2, 2))], **sample.kwargs)
        ours_shown = getattr(gn.optim, info.name)([gn.nn.Parameter(gn.ones(2, 2))], **sample.kwargs)
        assert repr(ours_shown) == repr(theirs_shown)


@pytest.mark.parametrize("info", INFOS, ids=lambda info: info.name)
def test_names_and_defaults_of_arguments_are_pytorch_s(info):
    def parameters(make):
        return [(each.name, each.kind, each.default) for each in inspect.signature(make).parameters.values()]

    assert parameters(getattr(gn.optim, info.name)) == parameters(info.optim_cls)
