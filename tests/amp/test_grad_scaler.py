"""GradScaler: scale, unscale, skip, grow and back off."""

from __future__ import annotations

import math
import pickle

import pytest

import gnomon as gn
from gnomon.amp import GradScaler


def test_its_names() -> None:
    assert gn.GradScaler is gn.amp.GradScaler is GradScaler and "GradScaler" in dir(gn)


def parameter(value, device):
    return gn.nn.Parameter(gn.tensor([value], device=device))


def test_gradients_are_unscaled_before_the_step(device: str) -> None:
    weight = parameter(1.0, device)
    optimizer = gn.optim.SGD([weight], lr=0.5)
    scaler = GradScaler("cpu", init_scale=4.0, growth_interval=2)
    for step in range(3):
        optimizer.zero_grad()
        loss = (weight * 3).sum()
        scaled = scaler.scale(loss)
        assert scaled.item() == loss.item() * scaler.get_scale()
        scaled.backward()
        assert scaler.step(optimizer) is None
        assert weight.grad.item() == 3.0 and weight.item() == 1.0 - 1.5 * (step + 1)
        scaler.update()
        assert scaler.get_scale() == (4.0 if step == 0 else 8.0)


@pytest.mark.parametrize("value", [math.inf, math.nan])
def test_a_step_with_infinities_is_skipped(value, device: str) -> None:
    weights = [parameter(1.0, device), parameter(2.0, device)]
    optimizer = gn.optim.Adam(weights, lr=0.5)
    scaler = GradScaler("cpu", init_scale=4.0, backoff_factor=0.25)
    scaler.scale((weights[0] + weights[1] * value).sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    assert [each.item() for each in weights] == [1.0, 2.0] and not optimizer.state
    assert scaler.get_scale() == 1.0


def test_unscale_lets_gradients_be_clipped_once(device: str) -> None:
    weight = parameter(1.0, device)
    optimizer = gn.optim.SGD([weight], lr=1.0)
    scaler = GradScaler("cpu", init_scale=8.0)
    scaler.scale(weight * 4).sum().backward()
    scaler.unscale_(optimizer)
    assert weight.grad.item() == 4.0
    with pytest.raises(RuntimeError, match=r"unscale_\(\) has already been called"):
        scaler.unscale_(optimizer)
    gn.nn.utils.clip_grad_norm_([weight], 1.0)
    scaler.step(optimizer)
    assert weight.item() == pytest.approx(0.0, abs=1e-5)
    with pytest.raises(RuntimeError, match=r"step\(\) has already been called"):
        scaler.step(optimizer)
    with pytest.raises(RuntimeError, match=r"unscale_\(\) is being called after step\(\)"):
        scaler.unscale_(optimizer)
    with pytest.raises(AssertionError, match="may only be pickled at the beginning of an iteration"):
        pickle.dumps(scaler)
    scaler.update()
    scaler.update(3.0)
    assert scaler.get_scale() == 3.0
    scaler.update(gn.tensor(5.0, device=device))
    assert scaler.get_scale() == 5.0
    with pytest.raises(AssertionError, match="new_scale should be a float"):
        scaler.update(gn.ones(2))


def test_wrong_orders_and_arguments(device: str) -> None:
    weight = parameter(1.0, device)
    optimizer = gn.optim.SGD([weight], lr=1.0)
    scaler = GradScaler("cpu")
    with pytest.raises(AssertionError, match="Attempted step but _scale is None"):
        scaler.step(optimizer)
    scaler.scale(gn.ones(1, device=device))
    with pytest.raises(AssertionError, match="No inf checks were recorded for this optimizer"):
        scaler.step(optimizer)
    with pytest.raises(AssertionError, match="No inf checks were recorded prior to update"):
        GradScaler.update(scaler)
    with pytest.raises(RuntimeError, match="Closure use is not currently supported"):
        scaler.step(optimizer, closure=lambda: None)
    with pytest.raises(ValueError, match="outputs must be a Tensor or an iterable"):
        scaler.scale(3)
    half = gn.nn.Parameter(gn.ones(1, dtype=gn.float16, device=device))
    half.grad = gn.ones(1, dtype=gn.float16, device=device)
    with pytest.raises(ValueError, match="Attempting to unscale FP16 gradients"):
        scaler.unscale_(gn.optim.SGD([half], lr=1.0))
    for wrong, message in (({"growth_factor": 1.0}, "growth factor"), ({"backoff_factor": 1.0}, "backoff")):
        with pytest.raises(AssertionError, match=message):
            GradScaler("cpu", **wrong)


def test_scaled_outputs_keep_their_structure(device: str) -> None:
    scaler = GradScaler("cpu", init_scale=2.0)
    x = gn.ones(1, device=device)
    first, (second, third) = scaler.scale([x, (x, x * 2)])
    assert [first.item(), second.item(), third.item()] == [2.0, 2.0, 4.0]
    assert isinstance(scaler.scale((x,)), tuple)


def test_states_are_saved_and_loaded(device: str) -> None:
    scaler = GradScaler("cpu", init_scale=2.0, growth_interval=7)
    state = scaler.state_dict()
    assert state == {
        "scale": 2.0,
        "growth_factor": 2.0,
        "backoff_factor": 0.5,
        "growth_interval": 7,
        "_growth_tracker": 0,
    }
    other = GradScaler("cpu")
    other.scale(gn.ones(1, device=device))
    other.load_state_dict({**state, "scale": 16.0, "_growth_tracker": 3})
    assert other.get_scale() == 16.0 and other.state_dict()["_growth_tracker"] == 3
    again = pickle.loads(pickle.dumps(other))
    assert again.state_dict() == other.state_dict()
    with pytest.raises(RuntimeError, match="The source state dict is empty"):
        other.load_state_dict({})


def test_a_disabled_scaler_changes_nothing(device: str) -> None:
    weight = parameter(1.0, device)
    optimizer = gn.optim.SGD([weight], lr=1.0)
    scaler = GradScaler("cpu", enabled=False)
    loss = (weight * 3).sum()
    assert scaler.scale(loss) is loss and scaler.get_scale() == 1.0 and scaler.state_dict() == {}
    loss.backward()
    scaler.unscale_(optimizer)
    scaler.step(optimizer)
    scaler.update()
    assert weight.item() == -2.0 and not scaler.is_enabled()
    if not gn.cuda.is_available():
        with pytest.warns(UserWarning, match="GradScaler is enabled, but CUDA is not available"):
            assert not GradScaler().is_enabled()


@pytest.mark.parametrize("kind", ["SGD", "Adam", "AdamW", "Adagrad"])
def test_a_fused_step_unscales_the_gradients_itself(kind, device: str) -> None:
    options = {"momentum": 0.5} if kind == "SGD" else {}
    found = []
    for fused in (False, True):
        weights = [parameter(1.0, device), parameter(2.0, device)]
        optimizer = getattr(gn.optim, kind)(weights, lr=0.5, fused=fused, **options)
        assert optimizer._step_supports_amp_scaling is fused
        scaler = GradScaler("cpu", init_scale=4.0, backoff_factor=0.5)
        for value in (3.0, math.inf, 2.0, -1.0):
            optimizer.zero_grad()
            scaler.scale((weights[0] * value + weights[1]).sum()).backward()
            if value == 2.0:
                scaler.unscale_(optimizer)
            scaler.step(optimizer)
            scaler.update()
            if value != math.inf:
                assert weights[0].grad.item() == value
        assert not hasattr(optimizer, "grad_scale") and not hasattr(optimizer, "found_inf")
        assert scaler.get_scale() == 2.0
        steps = [state["step"].item() for state in optimizer.state.values() if "step" in state]
        found.append(([each.item() for each in weights], steps))
    assert found[0][1] == found[1][1]
    gn.testing.assert_close(gn.tensor(found[0][0]), gn.tensor(found[1][0]))
